"""The checks a catalog passes before anything is asked of it: every name exists, every statement is harmless.

All problems are found, not the first only; each has its file, its line and what would work.
"""

from __future__ import annotations

import datetime as dt
import re
from itertools import chain

from footnote.catalog.check_answers import interpretation_problems, operation_text_problems, record_text_problems
from footnote.catalog.check_parameters import parameter_problems
from footnote.catalog.check_statements import field_problems, statement_problems
from footnote.catalog.functions import is_system_table
from footnote.catalog.model import Catalog, ColumnSpec, CurrencyColumn, FieldLookup, FieldSpec
from footnote.catalog.place import LineMap
from footnote.catalog.scope import Problems, Scope
from footnote.catalog.sql_text import invisible_in
from footnote.errors import CatalogError, FootnoteError
from footnote.figures import FigureType, check_currency, check_locale
from footnote.figures.values import NUMERIC

OWN_TOOLS = frozenset(
    {
        "compose_answer",
        "check_answer",
        "list_sources",
        "search",
        "quote",
        "verify",
        "verify_all",
        "verifyprovenancechain",
    }
)
"""Footnote's own tools, in lower case; an operation of that name could not be told from them."""

TABLE = re.compile(r'[^\x00-\x1f"`\';/\\:*?.]+(\.[^\x00-\x1f"`\';/\\:*?.]+)?\Z')


def problems_in(catalog: Catalog, lines: LineMap) -> list[CatalogError]:
    """Every problem of a catalog that parsed, in the order of its lines."""
    scope = Scope(catalog, lines)
    found = chain(
        _source_problems(scope),
        _company_problems(scope),
        _access_problems(scope),
        *(_record_problems(scope, name) for name in catalog.records),
        *(_entity_problems(scope, name) for name in catalog.entities),
        *(_operation_problems(scope, name) for name in catalog.operations),
        _name_problems(scope),
        interpretation_problems(scope),
    )
    return sorted(found, key=lambda error: error.line)


def _source_problems(scope: Scope) -> Problems:
    source = scope.catalog.source
    if not source.url.strip():
        yield scope.problem("`url` is empty.", "source", "url", remedy="Write the URL of the database, or `sample`.")
    if not _is_time_zone(source.time_zone):
        remedy = "Write a name such as Europe/Vienna, or UTC."
        yield scope.problem("`time_zone` is not a time zone.", "source", "time_zone", remedy=remedy)
    try:
        check_locale(scope.catalog.display.locale)
    except FootnoteError:
        what = "`locale` is not a locale that is known."
        yield scope.problem(what, "display", "locale", remedy="Write one such as de-DE or en-US.")
    for name, calendar in scope.catalog.calendars.items():
        month, _, day = calendar.year_end.partition("-")
        try:
            dt.date(2000, int(month), int(day))  # a leap year, so that 02-29 is one of its days
        except ValueError:
            remedy = 'Write the last month and day of the year, such as "12-31".'
            what = f"`{calendar.year_end}` is not a day of the year."
            yield scope.problem(what, "calendars", name, "year_end", remedy=remedy)


def _is_time_zone(name: str) -> bool:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if name == "UTC":
        return True
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: a path that is a folder or too long
        return False
    return True


def _company_problems(scope: Scope) -> Problems:
    if scope.catalog.company is not None:
        yield from _currency_problems(scope, scope.catalog.company.currency, "company", "currency")


def _currency_problems(scope: Scope, code: str, *path: str | int) -> Problems:
    try:
        check_currency(code)
    except FootnoteError as error:
        yield scope.problem(error.what, *path, remedy=error.remedy)


def _access_problems(scope: Scope) -> Problems:
    access = scope.catalog.access
    for key, rules in (("allow", access.allow), ("rows", access.rows)):
        if rules:
            what = f"`access.{key}` would restrict who sees what, and that is not enforced yet."
            remedy = "Remove it, and give each group a database login of its own."
            yield scope.problem(what, "access", key, remedy=remedy)


def _name_problems(scope: Scope) -> Problems:
    catalog = scope.catalog
    seen: dict[str, str] = {}
    for kind, names in (("operations", catalog.operations), ("interpretations", catalog.interpretations)):
        for name in names:
            folded = name.casefold()
            if folded in OWN_TOOLS:
                what = f"`{name}` is the name of one of Footnote's own tools."
                yield scope.problem(what, kind, name, remedy=f"Rename it, such as `get_{name}`.")
            elif folded in seen:
                what = f"`{name}` is also the name of {seen[folded]}, and both are tools."
                yield scope.problem(what, kind, name, remedy="Rename one of them.")
            seen[folded] = f"`{name}` in {kind}"
    tools = [*catalog.operations, *catalog.interpretations]
    for toolset, members in catalog.toolsets.items():
        for position, member in enumerate(members):
            if member not in tools:
                yield scope.unknown(f"Toolset `{toolset}`", member, tools, "toolsets", toolset, position)


def _record_problems(scope: Scope, name: str) -> Problems:
    record, path = scope.catalog.records[name], ("records", name)
    if not TABLE.match(record.table):
        remedy = "Write `table` or `schema.table`, without quotes."
        yield scope.problem("`table` is not the name of a table.", *path, "table", remedy=remedy)
    elif is_system_table(record.table.casefold()):
        remedy = "Name a table or view of the source."
        yield scope.problem(f"`{record.table}` belongs to the database itself.", *path, "table", remedy=remedy)
    hidden = invisible_in("".join((record.table, *record.key)))
    if hidden:
        what = f"A name holds the invisible character {hidden}, and would not be the name it looks like."
        yield scope.problem(what, *path, "table", remedy="Remove it from `table` or `key`.")
    if any(not key.strip() for key in record.key) or len(set(record.key)) < len(record.key):
        remedy = "List the columns of the table's primary key, each once."
        yield scope.problem("`key` is not a list of columns.", *path, "key", remedy=remedy)
    for field, spec in record.fields.items():
        here = (*path, "fields", field)
        yield from column_problems(scope, spec, (), *here, constant_needed=False)
        ways = [key for key in ("column", "sql", "lookup") if getattr(spec, key)]
        if len(ways) > 1:
            remedy = "`column` names a column, `sql` computes, `lookup` takes another record's field; keep one of them."
            yield scope.problem(f"`{field}` has both `{ways[0]}` and `{ways[1]}`.", *here, remedy=remedy)
        if spec.sql:
            yield from field_problems(scope, name, field)
        if spec.lookup is not None:
            yield from _lookup_problems(scope, spec, *here)
    yield from record_text_problems(scope, name)


def _lookup_problems(scope: Scope, spec: FieldSpec, *path: str | int) -> Problems:
    name, lookup, catalog = path[-1], spec.lookup, scope.catalog
    assert lookup is not None  # noqa: S101 - the caller asked
    record = catalog.records.get(lookup.record)
    if record is None:
        yield scope.unknown(f"The lookup of `{name}`", lookup.record, catalog.records, *path, "lookup", "record")
    elif len(record.key) != 1:
        what = f"`{name}` looks up by one column, and the key of `{lookup.record}` has {len(record.key)}."
        yield scope.problem(what, *path, "lookup", "record", remedy="Use a record with a key of one column.")
    elif (found := record.fields.get(lookup.field)) is None:
        yield scope.unknown(f"Fields of `{lookup.record}`", lookup.field, record.fields, *path, "lookup", "field")
    elif found.type is not spec.type:
        what = f"`{name}` is of type {spec.type}, and `{lookup.field}` of `{lookup.record}` is of type {found.type}."
        yield scope.problem(what, *path, "type", remedy=f"Write `type: {found.type}`.")
    elif spec.type is FigureType.MONEY:
        what = f"`{name}` looks up an amount, which stands in a currency of its own row."
        yield scope.problem(what, *path, "lookup", remedy=f"Show it with `{lookup.record}`.")
    elif leads_round(catalog, lookup):
        what = f"The lookup of `{name}` leads back to itself."
        yield scope.problem(what, *path, "lookup", remedy="Look up a field that is a column of its table.")


def leads_round(catalog: Catalog, lookup: FieldLookup) -> bool:
    """Whether following a lookup from record to record comes to a field a second time."""
    seen: set[tuple[str, str]] = set()
    step: FieldLookup | None = lookup
    while step is not None:
        if (step.record, step.field) in seen:
            return True
        seen.add((step.record, step.field))
        record = catalog.records.get(step.record)
        field = record.fields.get(step.field) if record else None
        step = field.lookup if field else None
    return False


def column_problems(
    scope: Scope, spec: ColumnSpec, columns: tuple[str, ...], *path: str | int, constant_needed: bool = True
) -> Problems:
    """What is wrong with the type of a column.

    Args:
        scope: The catalog.
        spec: The column's type.
        columns: Columns beside it that may hold its currency.
        path: Where it stands.
        constant_needed: Whether its currency column must be one of `columns`; a record's may be any of its table.
    """
    name = str(path[-1])
    if spec.type is FigureType.MONEY:
        yield from _money_problems(scope, spec, columns, *path, constant_needed=constant_needed)
    elif spec.currency is not None or spec.minor_units:
        odd = "currency" if spec.currency is not None else "minor_units"
        remedy = "Write `type: money`, or remove it."
        yield scope.problem(f"`{name}` is not money, and has `{odd}`.", *path, odd, remedy=remedy)
    if spec.type not in NUMERIC and (spec.scale is not None or spec.sign):
        odd = "scale" if spec.scale is not None else "sign"
        yield scope.problem(f"`{name}` is not a number, and has `{odd}`.", *path, odd, remedy="Remove it.")


def _money_problems(
    scope: Scope, spec: ColumnSpec, columns: tuple[str, ...], *path: str | int, constant_needed: bool
) -> Problems:
    name, currency = str(path[-1]), spec.currency
    if currency is None:
        remedy = "Add `currency: EUR`, `currency: company`, or `currency: {column: name}`."
        yield scope.problem(f"The money column `{name}` has no currency.", *path, remedy=remedy)
    elif currency == "company":
        if scope.catalog.company is None:
            remedy = "Add `company: {currency: EUR}` to the catalog."
            what = f"`{name}` is in the company's currency, and the catalog does not say which that is."
            yield scope.problem(what, *path, "currency", remedy=remedy)
    elif isinstance(currency, CurrencyColumn):
        if constant_needed and currency.column not in columns:
            yield scope.unknown(f"Currency of `{name}`", currency.column, columns, *path, "currency")
    else:
        yield from _currency_problems(scope, currency, *path, "currency")


def _entity_problems(scope: Scope, name: str) -> Problems:
    catalog, path = scope.catalog, ("entities", name)
    entity = catalog.entities[name]
    record = catalog.records.get(entity.record)
    if record is None:
        yield scope.unknown(f"Entity `{name}`", entity.record, catalog.records, *path, "record")
        return
    if len(record.key) != 1:
        what = f"`{name}` binds one value, and the record `{entity.record}` has a key of {len(record.key)} columns."
        yield scope.problem(what, *path, "record", remedy="Use a record with a key of one column.")
    for position, field in enumerate(entity.match):
        if field not in record.fields:
            yield scope.unknown(f"Fields of `{entity.record}`", field, record.fields, *path, "match", position)
    if entity.order is not None and entity.order not in record.fields:
        yield scope.unknown(f"Fields of `{entity.record}`", entity.order, record.fields, *path, "order")


def _operation_problems(scope: Scope, name: str) -> Problems:
    operation, path = scope.catalog.operations[name], ("operations", name)
    if not operation.title.strip() or not operation.description.strip():
        remedy = "Say when to use it, when not, and what comes back."
        yield scope.problem(f"`{name}` has an empty title or description.", *path, remedy=remedy)
    yield from parameter_problems(scope, name)
    for statement, spec in operation.statements.items():
        for column, typed in spec.columns.items():
            here = (*path, "statements", statement, "columns", column)
            yield from column_problems(scope, typed, tuple(spec.columns), *here)
    yield from statement_problems(scope, name)
    yield from operation_text_problems(scope, name)
