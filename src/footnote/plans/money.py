"""Amounts keep their currency and their unit: a statement cannot relabel cents as euros, or dollars as euros.

A record type says of its fields in which currency they are and whether they are minor units. An output column that is
made of such columns must say the same. What the catalog settles is checked here, when the plan is made; where rows
decide, the plan names the columns that have the currency, and tie-out compares them row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from sqlglot import exp

from footnote.catalog.load import LoadedCatalog
from footnote.catalog.model import ColumnSpec, CurrencyColumn, FieldLookup, FieldSpec, RecordType, Statement
from footnote.catalog.statements import parse_row_expression
from footnote.errors import Untraceable
from footnote.figures import FigureType
from footnote.lineage.analyse import CurrencyOf
from footnote.lineage.tables import table_name
from footnote.lineage.types import value_columns
from footnote.plans.columns import Columns, canonical


@dataclass(frozen=True, slots=True)
class _MoneyColumn:
    """A database column that a record type says holds money."""

    record: str
    spec: FieldSpec


@dataclass(frozen=True, slots=True)
class Joined:
    """Which tables a statement has, and which of their columns it requires to be equal.

    Attributes:
        tables: Canonical names by alias.
        equal: Pairs of (alias, column), either way round.
    """

    tables: Mapping[str, str]
    equal: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = ()

    @classmethod
    def of(cls, select: exp.Select) -> Joined:
        """What a qualified statement says on all its levels; what stands under OR or NOT is required of no row."""
        equal = [
            ((one.table, one.name), (other.table, other.name))
            for node in select.find_all(exp.EQ)
            if isinstance(one := node.this, exp.Column) and isinstance(other := node.expression, exp.Column)
            if _is_required(node)
        ]
        tables = {node.alias: table_name(node) for node in select.find_all(exp.Table)}
        return cls(tables, (*equal, *((other, one) for one, other in equal)))

    def other_side(self, place: tuple[str, str], table: str, column: str) -> str:
        """The alias of the row of `table` whose `column` equals what stands at `place`; empty if there is none."""
        others = (other for one, other in self.equal if one == place and other[1] == column)
        return next((alias for alias, _ in others if self.tables.get(alias) == table), "")


def _is_required(node: exp.Expr) -> bool:
    above = node.parent
    while isinstance(above, exp.And | exp.Paren):
        above = above.parent
    return isinstance(above, exp.Join | exp.Where)


@dataclass(frozen=True, slots=True)
class MoneyColumns:
    """What a catalog says of the database columns that hold money."""

    loaded: LoadedCatalog
    columns: Columns
    _known: dict[tuple[str, str], _MoneyColumn] = field(default_factory=dict)

    @classmethod
    def of(cls, loaded: LoadedCatalog, columns: Columns, grain: str) -> MoneyColumns:
        """All of a catalog's; where two record types share a table, the grain's word counts, then the first's."""
        found = cls(loaded, columns)
        records = loaded.catalog.records
        for name in dict.fromkeys((grain, *records)):
            if records[name].table in columns.asked:
                found._learn(name, records[name], direct=True)
        for name in dict.fromkeys((grain, *records)):
            if records[name].table in columns.asked:
                found._learn(name, records[name], direct=False)
        return found

    def _learn(self, name: str, record: RecordType, *, direct: bool) -> None:
        table = canonical(self.columns.table(record.table))
        for field_name, spec in record.fields.items():
            if spec.type is not FigureType.MONEY or spec.is_column is not direct:
                continue
            for column in self._columns_of(name, field_name, spec):
                self._known.setdefault((table, self.columns.fold(column)), _MoneyColumn(name, spec))

    def _columns_of(self, record: str, name: str, spec: FieldSpec) -> Iterator[str]:
        if not spec.sql:
            yield spec.column or name
            return
        where = self.loaded.lines.text("records", record, "fields", name, "sql")
        tree = parse_row_expression(spec.sql, self.loaded.catalog.source.dialect, where)
        yield from (column.name for column in value_columns(tree))

    def currency_of(self, statement: Statement, joined: Joined, grain: str) -> CurrencyOf:
        """Where the currency of what each amount of a statement is made of stands: (alias, column), or a code.

        Args:
            statement: The statement.
            joined: Its tables and how they are joined.
            grain: The grain's record type.

        Returns:
            A function of an output column; it raises `Untraceable` if the column says another unit or currency than the
            columns it is made of.
        """

        def places(name: str, node: exp.Expr, aliases: Sequence[str], shown: bool) -> list[tuple[str, str] | str]:
            spec = statement.columns.get(name) if shown else None
            if shown and (spec is None or spec.type is not FigureType.MONEY):
                return []
            made_of = [
                (column.table, known)
                for column in value_columns(node)
                if (known := self._known.get((joined.tables.get(column.table, ""), column.name))) is not None
            ]
            if spec is not None:
                self._check_units(name, spec, node, [known.spec for _, known in made_of])
            every = [place for alias, known in made_of for place in self._place(alias, known, joined)]
            found = [place for place in dict.fromkeys(every) if isinstance(place, str) or place[0] in aliases]
            if spec is not None:
                found = found or (self._of_grain(grain, aliases, joined) if not every else [])
                self._check_codes(name, spec, found)
            return found

        return places

    def _check_units(self, name: str, spec: ColumnSpec, node: exp.Expr, made_of: list[FieldSpec]) -> None:
        if not made_of or _converts(node):
            return
        if any(known.minor_units is not spec.minor_units for known in made_of):
            have, say = ("minor units", "whole units") if not spec.minor_units else ("whole units", "minor units")
            raise Untraceable(
                f"Column {name!r} is said to be in {say}, and what it is made of is in {have}.",
                why="The amount would be shown a hundred times too large or too small.",
                remedy=f"Set `minor_units: {'false' if spec.minor_units else 'true'}` of the column.",
            )

    def _place(self, alias: str, known: _MoneyColumn, joined: Joined) -> list[tuple[str, str] | str]:
        currency = known.spec.currency
        if isinstance(currency, CurrencyColumn):
            named = self.loaded.catalog.records[known.record].fields.get(currency.column)
            if named is not None and named.lookup is not None:
                return self._looked_up(alias, named.lookup, joined)
            if named is not None and named.sql:
                return []
            return [(alias, self.columns.fold((named.column if named else "") or currency.column))]
        return [code] if (code := self._code(currency)) else []

    def _looked_up(self, alias: str, lookup: FieldLookup, joined: Joined) -> list[tuple[str, str] | str]:
        """The field that a lookup leads to, where the statement joins its table in the same way."""
        record = self.loaded.catalog.records[lookup.record]
        place = (alias, self.columns.fold(lookup.by))
        other = joined.other_side(place, canonical(self.columns.table(record.table)), self.columns.fold(record.key[0]))
        field = record.fields[lookup.field]
        if not other or field.sql:
            return []
        if field.lookup is not None:
            return self._looked_up(other, field.lookup, joined)
        return [(other, self.columns.fold(field.column or lookup.field))]

    def _of_grain(self, grain: str, aliases: Sequence[str], joined: Joined) -> list[tuple[str, str] | str]:
        """The column with the currency of the grain's rows, if all amounts of the record type have theirs there."""
        record = self.loaded.catalog.records[grain]
        name = canonical(self.columns.table(record.table))
        alias = next((alias for alias in aliases if joined.tables[alias] == name), "")
        specs = [spec for spec in record.fields.values() if spec.type is FigureType.MONEY]
        places = {tuple(self._place(alias, _MoneyColumn(grain, spec), joined)) for spec in specs}
        (found, *others) = places or {()}
        return [] if others or not alias or any(isinstance(place, str) for place in found) else list(found)

    def _code(self, currency: str | CurrencyColumn | None) -> str:
        company = self.loaded.catalog.company
        if currency == "company":
            return company.currency if company else ""
        return currency if isinstance(currency, str) else ""

    def _check_codes(self, name: str, spec: ColumnSpec, found: list[tuple[str, str] | str]) -> None:
        said = self._code(spec.currency)
        other = next((code for code in found if isinstance(code, str) and said and code != said), "")
        if other:
            raise Untraceable(
                f"Column {name!r} is said to be in {said}, and what it is made of is in {other}.",
                why="An amount keeps its currency.",
                remedy=f"Set `currency: {other}` of the column, or take the column that is in {said}.",
            )


def _converts(node: exp.Expr) -> bool:
    """Whether a factor turns minor units into whole ones or back: a power of ten that is written out, or a parameter.

    A quantity does not: unit price in cents times quantity is cents.
    """
    for product in node.find_all(exp.Mul, exp.Div):
        for factor in (product.this.unnest(), product.expression.unnest()):
            if isinstance(factor, exp.Placeholder):
                return True
            if isinstance(factor, exp.Literal) and not factor.is_string and _is_power_of_ten(factor.this):
                return True
    return False


def _is_power_of_ten(text: str) -> bool:
    value = Decimal(text)
    return value not in (0, 1) and value == Decimal(10) ** value.adjusted()
