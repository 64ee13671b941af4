"""Rows as evidence: fetched by key in the call's own snapshot, with labels, links and typed fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from urllib.parse import quote, unquote

from footnote.catalog.model import Catalog, ColumnSpec, CurrencyColumn, FieldSpec
from footnote.catalog.template import Slot, parse_template
from footnote.errors import ArgumentError, FigureError, SourceUnavailable, TieOutError
from footnote.evidence import FieldValue, Row
from footnote.figures import FigureType, Format, check_currency, display, exact_text, minor_digits
from footnote.figures import Value as FigureValue
from footnote.figures.values import EXACT
from footnote.plans.shape import RecordPlan
from footnote.sources.files_found import ROW
from footnote.sources.query import Query, Value, ValueType

FIELDS = 1_000
"""Rows of one record type whose fields are fetched; further ones are cited by their key."""

Key = tuple[Value, ...]
_LINK = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def record_id(key: Sequence[object]) -> str:
    """A key as the last part of an id or URI: its columns joined by `/`, each percent-encoded."""
    return "/".join(quote(str(part), safe="~") for part in key)


_ANY_TEXT = re.compile(r".*", re.DOTALL)
_KEYS: dict[ValueType, tuple[re.Pattern[str], Callable[[str], Value]]] = {
    ValueType.INTEGER: (re.compile(r"-?[0-9]{1,19}"), int),
    ValueType.DECIMAL: (re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?"), Decimal),
}


def parse_record_id(text: str, plan: RecordPlan) -> Key:
    """The key that a record id names.

    Raises:
        ArgumentError: If it is no key of this record type.
    """
    parts = [unquote(part) for part in text.split("/")]
    key: list[Value] = []
    for column, part in zip(plan.key, parts, strict=False):
        pattern, read = _KEYS.get(column.type, (_ANY_TEXT, str))
        if not pattern.fullmatch(part):
            break
        key.append(read(part))
    if len(parts) != len(plan.key) or len(key) != len(plan.key):
        names = ", ".join(column.name for column in plan.key)
        raise ArgumentError(f"{text[:80]!r} is no key of {plan.record}.", remedy=f"Its key is ({names}).")
    return tuple(key)


@dataclass
class RowReader:
    """Collects which rows are cited, then fetches each record type's rows once."""

    catalog: Catalog
    plan: Callable[[str], RecordPlan]
    run: Callable[[str, str, Query], list[tuple[Value, ...]]]
    cited: dict[str, dict[Key, None]] = field(default_factory=dict)

    def cite(self, record: str, key: Key) -> str:
        """Note that a row is cited; return its evidence id."""
        self.cited.setdefault(record, {}).setdefault(key)
        return f"{record}:{record_id(key)}"

    def fetch(self) -> list[Row]:
        """All cited rows, in the order they were first cited within their record type."""
        out: list[Row] = []
        for record, keys in self.cited.items():
            ordered = list(keys)
            out += self._fetch(record, ordered[:FIELDS])
            out += [Row(record, record_id(key), f"{record} {record_id(key)}") for key in ordered[FIELDS:]]
        return out

    def _fetch(self, record: str, keys: list[Key]) -> list[Row]:
        if not keys:
            return []
        plan = self.plan(record)
        width = len(plan.key)
        rows = [row for row in self.run("fields", record, plan.bind(keys)) if row[:width] in self.cited[record]]
        found = {row[:width]: row for row in rows}
        if len(found) < len(rows):
            raise several_rows(record)
        missing = next((key for key in keys if key not in found), None)
        if missing is not None:
            raise SourceUnavailable(
                f"A row of {record} that a figure rests on could not be read again.",
                why="Its key as a statement sees it is not its key in the table.",
                details={"row": f"{record}:{record_id(missing)}"},
            )
        return [row_of(self.catalog, plan, found[key]) for key in keys]


def several_rows(record: str) -> TieOutError:
    """The error of a key that names more than one row."""
    return TieOutError(
        f"Several rows of {record} have one key, so it cannot be told which of them a figure rests on.",
        why="The database does not hold a view to a key, nor a table whose rows lie in tables that inherit from it.",
        remedy="Take the table that has the rows as the record type's `table`, or columns that name one row as its `key`.",
    )


def row_of(catalog: Catalog, plan: RecordPlan, values: Sequence[Value]) -> Row:
    """A fetched row as evidence."""
    record = catalog.records[plan.record]
    width = len(plan.key)
    key = tuple(values[:width])
    raw: dict[str, Value] = dict(zip((*plan.fields, *plan.extra), values[width:], strict=True))
    every = {name: _field_value(catalog, name, record.fields[name], raw) for name in plan.fields}
    fields = {name: value for name, value in every.items() if not record.fields[name].hidden}
    if plan.place:
        where = f"{plan.place}, row {raw[ROW]}"
        fields.setdefault("file", FieldValue(where, where, "File"))
    texts = {name: f.display for name, f in every.items()}
    by_key = {column.name: str(value) for column, value in zip(plan.key, key, strict=True)}
    label = fill(record.label, by_key | texts)
    exact = by_key | {name: str(f.value) for name, f in every.items() if f.value is not None}
    link = fill(record.link, {name: quote(text, safe="~") for name, text in exact.items()})
    return Row(plan.record, record_id(key), label or record_id(key), fields, link if _LINK.match(link) else "")


def fill(template: str, texts: dict[str, str]) -> str:
    """A label or link with its slots filled."""
    parts = parse_template(template)
    return "".join(texts.get(part.name, "") if isinstance(part, Slot) else part.text for part in parts)


def _field_value(catalog: Catalog, name: str, spec: FieldSpec, raw: dict[str, Value]) -> FieldValue:
    value, format = typed_value(catalog, name, spec, raw[name], raw)
    shown = display(value, format, catalog.display.locale, catalog.display.dates)
    return FieldValue(exact_text(value), shown, spec.label or spoken(name))


def typed_value(
    catalog: Catalog, name: str, spec: ColumnSpec, value: Value, others: dict[str, Value]
) -> tuple[FigureValue, Format]:
    """A value as the catalog types it, and how it is shown. `others` are the row's columns by name.

    Raises:
        SourceUnavailable: If a money value has no valid currency.
    """
    currency = ""
    if spec.identifier and isinstance(value, int):
        return str(value), Format(FigureType.TEXT)
    if spec.type is FigureType.MONEY:
        currency = _currency(catalog, name, spec, others) if value is not None else ""
        if value is not None and spec.minor_units:
            value = from_minor(value, currency)
    return value, Format(spec.type, spec.unit, spec.scale, currency)


def from_minor(value: FigureValue, currency: str) -> FigureValue:
    """Minor units (cents) as an amount, exactly; an average of cents may have a fraction of one."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return EXACT.scaleb(Decimal(value), Decimal(-minor_digits(currency)))
    return value


def _currency(catalog: Catalog, name: str, spec: ColumnSpec, others: dict[str, Value]) -> str:
    if isinstance(spec.currency, CurrencyColumn):
        code = others.get(spec.currency.column)
        if not isinstance(code, str):
            raise SourceUnavailable(
                f"An amount of {name!r} has no currency.", why=f"Column {spec.currency.column!r} is NULL or no text."
            )
        return _known_currency(name, spec.currency.column, code.strip())
    if spec.currency == "company":
        return catalog.company.currency if catalog.company else ""
    return spec.currency or ""


def _known_currency(name: str, column: str, code: str) -> str:
    try:
        return check_currency(code)
    except FigureError as error:
        raise SourceUnavailable(
            f"An amount of {name!r} has no currency that is known.",
            why=f"Column {column!r} holds {code[:20]!r}, which is no currency code of ISO 4217.",
            remedy="Correct the row in the source, or leave it out by the statement's conditions.",
        ) from error


def spoken(name: str) -> str:
    """A column's name as people read it: `daysOverdue` and `days_overdue` are "days overdue"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").lower()


def merged(row: Row, extra: Iterable[tuple[str, FieldValue]]) -> Row:
    """The row with what a statement says of it beside its own fields."""
    fields = dict(row.fields)
    for name, value in extra:
        fields.setdefault(name, value)
    return Row(row.type, row.record_id, row.label, fields, row.url, row.result)
