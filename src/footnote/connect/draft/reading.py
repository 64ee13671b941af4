"""What the tables of a database are, read off their names, types and keys. Pure.

Nothing is certain here: what is read becomes a draft that a human looks at. What cannot be read is left out, not guessed:
a figure that looks right and is wrong is worse than an operation that is not there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from footnote.catalog.check import TABLE
from footnote.connect.draft import words
from footnote.connect.draft.words import is_named, parts, singular
from footnote.plans.columns import declared_type
from footnote.sources.files_found import ROW
from footnote.sources.inventory import Listed
from footnote.sources.query import ValueType
from footnote.sources.source import ColumnSchema, TableSchema

Role = Literal["customer", "supplier", "party", "invoice", "bill", "payment", "other"]


@dataclass(frozen=True, slots=True)
class Link:
    """A column that names a row of another table; `declared` if the database says so, else read off the names."""

    column: str
    table: str
    declared: bool


@dataclass(frozen=True, slots=True)
class Read:
    """A table and what it seems to be.

    Attributes:
        schema: As the database has it.
        qualified: Whether its schema has to stand before its name.
        role: What its rows are.
        links: Columns that name a row of another table with a key of one column.
        due: The date on which something is due, or None.
        dated: The date that the row is of, or None.
        amount: The whole amount, or None.
        paid: What of it is paid, or None.
        open: What is open, where a column says so.
        currency: The column with the code of the currency, or None.
        status: The column with the state, or None.
        deleted: A column that marks rows as deleted, or None.
        number: The column that a person calls the row by, or None.
        name: The column with a name, or None.
    """

    schema: TableSchema
    qualified: bool
    role: Role
    links: tuple[Link, ...]
    due: str | None
    dated: str | None
    amount: str | None
    paid: str | None
    open: str | None
    currency: str | None
    status: str | None
    deleted: str | None
    number: str | None
    name: str | None

    @property
    def table(self) -> str:
        """Its name as a catalog writes it."""
        return f"{self.schema.schema}.{self.schema.name}" if self.qualified else self.schema.name

    @property
    def has_money(self) -> bool:
        """Whether its amounts are drafted as money, which needs a currency."""
        return self.currency is not None or self.role in {"invoice", "bill", "payment"}

    @property
    def is_open_item(self) -> bool:
        """Whether rows are amounts that somebody owes by a day."""
        return self.due is not None and (self.open is not None or self.amount is not None)

    def column(self, name: str) -> ColumnSchema:
        """The column of this name."""
        return next(column for column in self.schema.columns if column.name == name)

    def kind(self, name: str) -> ValueType:
        """What the column is read as."""
        return declared_type(self.column(name).type)

    def is_minor(self, name: str) -> bool:
        """Whether the column holds whole cents."""
        return self.kind(name) is ValueType.INTEGER and is_named(name, words.MINOR)


def read_tables(listed: Sequence[Listed], schemas: Mapping[str, TableSchema], plain: Collection[str]) -> list[Read]:
    """Every table that has a primary key, with what it seems to be.

    Args:
        listed: Tables in order.
        schemas: Their columns, by `schema.name`.
        plain: Schemas whose tables are found by their names alone.
    """
    keyed = {f"{one.schema}.{one.name}": one for one in listed if TABLE.match(one.name) and _can_be_written(one.name)}
    written = {name: _without_odd_columns(schemas[name]) for name in keyed if name in schemas}
    found = {name: schema for name, schema in written.items() if schema.primary_key}
    things = _Things(found)
    return [_read(schema, keyed[name], found, things, schema.schema not in plain) for name, schema in found.items()]


def _can_be_written(name: str) -> bool:
    """Whether a name can stand in a catalog's SQL: printable, and without what variables and segments are made of."""
    return name.isprintable() and not any(mark in name for mark in ("${", "[[", "]]"))


def _without_odd_columns(schema: TableSchema) -> TableSchema:
    """The table without columns that cannot be written, or are Footnote's own; without its key, if one is part of it."""
    own = {ROW} if schema.place and schema.primary_key != (ROW,) else set()
    columns = tuple(column for column in schema.columns if _can_be_written(column.name) and column.name not in own)
    key = schema.primary_key if all(map(_can_be_written, schema.primary_key)) else ()
    return TableSchema(schema.schema, schema.name, columns, key, schema.unique, schema.is_view, schema.place)


def _read(
    schema: TableSchema, listed: Listed, tables: Mapping[str, TableSchema], things: _Things, qualified: bool
) -> Read:
    links = tuple(_links(schema, listed, tables, things))
    linked = {link.column for link in links} | set(schema.primary_key)
    free = [column for column in schema.columns if column.name not in linked]
    dates = [c.name for c in free if declared_type(c.type) in {ValueType.DATE, ValueType.DATETIME}]
    money = [c.name for c in free if _is_amount(c)]
    texts = [c.name for c in free if declared_type(c.type) is ValueType.TEXT]
    due = _first(dates, words.DUE)
    others = [name for name in dates if name != due]
    opened, paid = _first(money, words.OPEN), _first(money, words.PAID)
    amount = _first([m for m in money if m not in {opened, paid}], words.AMOUNT)
    role = _role(schema.name, has_due=due is not None, has_amount=bool(amount or opened))
    return Read(
        schema=schema,
        qualified=qualified,
        role=role,
        links=links,
        due=due,
        dated=_first(others, words.RECEIVED if role == "payment" else words.ISSUED) or (others[0] if others else None),
        amount=amount,
        paid=paid,
        open=opened,
        currency=_first(texts, words.CURRENCY),
        status=_first([*texts, *(c.name for c in free if declared_type(c.type) is ValueType.INTEGER)], words.STATUS),
        deleted=_first([c.name for c in free], words.DELETED),
        number=_first([*texts, *schema.primary_key], words.NUMBER),
        name=_first(texts, words.NAME),
    )


def _role(table: str, *, has_due: bool, has_amount: bool) -> Role:
    is_document = has_due and has_amount
    ways: tuple[tuple[Role, Sequence[str], bool], ...] = (
        ("payment", words.PAYMENT, has_amount and not has_due),
        ("bill", words.BILL, is_document),
        ("invoice", words.INVOICE, is_document),
        ("customer", words.CUSTOMER, not is_document),
        ("supplier", words.SUPPLIER, not is_document),
        ("party", words.PARTY, not is_document),
    )
    return next((role for role, names, fits in ways if fits and is_named(table, names)), "other")


def _is_amount(column: ColumnSchema) -> bool:
    if declared_type(column.type) not in {ValueType.DECIMAL, ValueType.INTEGER}:
        return False
    named = is_named(column.name, [*words.OPEN, *words.PAID, *words.AMOUNT, *words.PRICE])
    counted = is_named(column.name, ["count", "qty", "quantity", "menge", "anzahl", "days", "tage", "percent", "rate"])
    return named and not counted


def _first(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The column that the earliest of the wanted words names."""
    for word in wanted:
        for name in names:
            if is_named(name, [word]):
                return name
    return None


def _links(schema: TableSchema, listed: Listed, tables: Mapping[str, TableSchema], things: _Things) -> list[Link]:
    found: dict[str, Link] = {}
    for key in listed.foreign_keys:
        other = tables.get(f"{key.schema}.{key.table}")
        if other is not None and len(key.columns) == 1 and key.referred == other.primary_key:
            found.setdefault(key.columns[0], Link(key.columns[0], f"{key.schema}.{key.table}", True))
    if found:
        return list(found.values())
    for column in schema.columns:  # a database that declares no keys: `customer_id` names a row of `customers`
        target = _named_after(column, schema, things)
        if target:
            found[column.name] = Link(column.name, target, False)
    return list(found.values())


def _named_after(column: ColumnSchema, schema: TableSchema, things: _Things) -> str:
    stem = [part for part in parts(column.name) if part not in {"id", "nr", "no", "key", "number", "nummer", "fk"}]
    if not stem or column.name in schema.primary_key:
        return ""
    return things.named("_".join(stem), declared_type(column.type), schema)


class _Things:
    """Tables with a key of one column, by what a column that names their rows may be called: `customer`, `kunde`."""

    def __init__(self, tables: Mapping[str, TableSchema]) -> None:
        self._found: dict[str, list[tuple[str, TableSchema]]] = {}
        for name, table in tables.items():
            if len(table.primary_key) != 1:
                continue
            called = "_".join(parts(table.name))
            shorter = [called[:-cut] for cut in (1, 2) if len(called) - cut >= 4]  # `kunde` of `kunden`
            for word in dict.fromkeys([called, singular(called), *shorter]):
                self._found.setdefault(word, []).append((name, table))

    def named(self, word: str, kind: ValueType, other_than: TableSchema) -> str:
        """The table that is called so, whose key is of this type; empty if there is none."""
        for name, table in self._found.get(word, ()):
            key = next(column for column in table.columns if column.name == table.primary_key[0])
            if table is not other_than and declared_type(key.type) is kind:
                return name
        return ""
