"""`footnote check`, what is in the database against what the catalog takes it for.

Types of columns, moments without a time zone, collations, currencies present in the data, and indexes that are missing.
Each is looked at only where it is a fact of the engine at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from footnote.catalog.model import CurrencyColumn, RecordType
from footnote.connect.finding import Finding
from footnote.errors import FigureError, FootnoteError
from footnote.figures import check_currency
from footnote.plans.columns import Columns, declared_type, value_type
from footnote.plans.lookups import Lookups, Place, lookups_of
from footnote.plans.probes import distinct_values
from footnote.session import Session
from footnote.sources.indexed import Indexed
from footnote.sources.query import ValueType
from footnote.sources.source import ColumnSchema

_MOST_CURRENCIES = 50
_SMALL = 10_000
"""Rows below which reading a whole table costs nobody anything."""
_MOMENT = ("timestamp", "datetime")
_LOSSY = {
    (ValueType.INTEGER, ValueType.DECIMAL): "a value with a fraction would be an error",
    (ValueType.DATE, ValueType.DATETIME): "a value with a time of day would be an error",
    (ValueType.INTEGER, ValueType.TEXT): "every value would be an error",
    (ValueType.DATE, ValueType.TEXT): "a value that is no day such as 2026-08-14 would be an error",
    (ValueType.DATETIME, ValueType.DATE): "it has no time of day",
    (ValueType.BOOLEAN, ValueType.TEXT): "every value would be an error",
    (ValueType.DATE, ValueType.INTEGER): "every value would be an error",
    (ValueType.DATETIME, ValueType.INTEGER): "every value would be an error",
}
"""What a catalog reads a column as, what the database has, and what comes of it."""


def schema_findings(session: Session) -> Iterator[Finding]:
    """What is odd, and what is fine, in this order: types, time zone, collation, currencies, indexes."""
    try:
        columns = session.desk.plans.columns()
    except FootnoteError:  # the record types say so, each for itself
        return
    records = session.loaded.catalog.records
    yield from _types(records, columns)
    yield from _zones(session, records, columns)
    yield from _collations(records, columns)
    for name, record in records.items():
        yield from _currencies(session, name, record, columns)
    yield from _indexes(session, columns)


def _fields(record: RecordType, columns: Columns) -> Iterator[tuple[str, ValueType, ColumnSchema]]:
    """The fields of a record type that are columns of its table, with what they are read as."""
    found = columns.asked.get(record.table)
    by_name = {columns.fold(column.name): column for column in found.columns} if found else {}
    for name, spec in record.fields.items():
        column = None if spec.sql else by_name.get(columns.fold(spec.column or name))
        if column is not None:
            yield name, value_type(spec), column


def _types(records: Mapping[str, RecordType], columns: Columns) -> Iterator[Finding]:
    if not columns.strict:
        return  # SQLite and MySQL keep other things than a column declares; each value is looked at when it is read
    for name, record in records.items():
        for field, read, column in _fields(record, columns):
            why = _LOSSY.get((read, declared_type(column.type)))
            if why:
                text = f"{field} is read as {read.value}, and the column is {column.type}: {why}."
                yield Finding(f"record {name}", "warning", text)


def _zones(session: Session, records: Mapping[str, RecordType], columns: Columns) -> Iterator[Finding]:
    """Moments that no zone belongs to: where their days begin is a thing only a human knows."""
    zone = session.loaded.catalog.source.time_zone
    bare = [
        f"{record.table}.{column.name}"
        for record in records.values()
        for _, read, column in _fields(record, columns)
        if read is ValueType.DATETIME and column.type.lower().startswith(_MOMENT) and not _has_zone(column, columns)
    ]
    if bare and zone.upper() not in {"UTC", "ETC/UTC"}:
        shown = ", ".join(dict.fromkeys(bare))
        text = f"{shown} have no time zone: a day of theirs begins at midnight as written. If UTC is written there, "
        yield Finding("time zone", "warning", f"{text}a day of {zone} takes in hours of its neighbours.")


def _has_zone(column: ColumnSchema, columns: Columns) -> bool:
    word = column.type.lower()
    return "with time zone" in word or (columns.dialect == "mysql" and word.startswith("timestamp"))


def _collations(records: Mapping[str, RecordType], columns: Columns) -> Iterator[Finding]:
    """Columns that hold texts for equal that differ."""
    found: dict[str, list[str]] = {}
    for record in records.values():
        for _, read, column in _fields(record, columns):
            if column.collation and read is ValueType.TEXT:
                found.setdefault(column.collation, []).append(f"{record.table}.{column.name}")
    for collation, names in found.items():
        what = f"{', '.join(dict.fromkeys(names))}: {collation} holds some texts for equal that differ (A and a). "
        if columns.dialect == "mysql":
            yield Finding("collation", "ok", f"{what}Footnote compares their letters instead.")
        else:
            yield Finding("collation", "ok", f"{what}A statement that compares, groups or joins by them is refused.")


def _currencies(session: Session, name: str, record: RecordType, columns: Columns) -> Iterator[Finding]:
    """Which currencies there are, and codes that are none."""
    table = columns.asked.get(record.table)
    named = {spec.currency.column for spec in record.fields.values() if isinstance(spec.currency, CurrencyColumn)}
    for column in sorted(named):
        spelled = (
            next((c.name for c in table.columns if columns.fold(c.name) == columns.fold(column)), "") if table else ""
        )
        if table is None or not spelled:
            continue  # the record type says so
        query = distinct_values(table, spelled, ValueType.ANY, columns.dialect, _MOST_CURRENCIES + 1)
        subject = f"record {name}"
        try:
            with session.desk.source.snapshot() as snapshot:
                values = [value for (value,) in snapshot.run(query)]
        except FootnoteError as error:
            yield Finding(subject, "skipped", f"its currencies were not looked at: {error.text}")
        else:
            yield _currency(subject, column, [None if value is None else str(value) for value in values])


def _currency(subject: str, column: str, values: list[str | None]) -> Finding:
    odd = [value for value in values if value is not None and not _is_currency(value)]
    good = [value.strip() for value in values if value is not None and _is_currency(value)]
    present = f"currencies present in {column}: {', '.join(good) or 'none'}"
    if len(values) > _MOST_CURRENCIES:
        return Finding(subject, "warning", f"{column} has more than {_MOST_CURRENCIES} values; is it a currency?")
    if odd:
        text = f"{present}; {len(odd)} other values are no code of ISO 4217, and an amount with one is an error."
        return Finding(subject, "warning", text)
    if None in values:
        return Finding(subject, "warning", f"{present}; some rows have none, and an amount without one is an error.")
    return Finding(subject, "ok", f"{present}.")


def _is_currency(code: str) -> bool:
    try:
        check_currency(code.strip())
    except FigureError:
        return False
    return True


# --- indexes ----------------------------------------------------------------------------------------------------------


def _indexes(session: Session, columns: Columns) -> Iterator[Finding]:
    """Tables that a statement reads from end to end, since no index begins with what it looks for."""
    statements = _lookups(session, columns)
    tables = {
        table for one in statements.values() for table, _ in (*one.filters, *(p for pair in one.joins for p in pair))
    }
    try:
        indexed = session.desk.source.indexes(sorted(tables))
    except FootnoteError as error:
        yield Finding("indexes", "skipped", f"not looked at: {error.text}")
        return
    if indexed is None:
        return
    wanted: dict[Place, list[str]] = {}
    for name, lookups in statements.items():
        for place in _missing(lookups, indexed):
            wanted.setdefault(place, []).append(name)
    for (table, column), users in wanted.items():
        yield _missing_index(indexed[table], column, users, columns.dialect)
    unknown = sorted(one.table for one in indexed.values() if one.rows is None)
    if unknown:
        text = f"how many rows {', '.join(unknown[:3])} has is not known, so whether an index is missing is not either."
        yield Finding(
            "indexes", "skipped", text, f"ANALYZE {', '.join(unknown)};" if columns.dialect == "postgres" else ""
        )
    elif statements and not wanted:
        text = f"every large table that a statement looks into has an index for it ({len(indexed)} tables)."
        yield Finding("indexes", "ok", text)


def _lookups(session: Session, columns: Columns) -> dict[str, Lookups]:
    found: dict[str, Lookups] = {}
    for operation, spec in session.loaded.catalog.operations.items():
        for statement in spec.statements:
            try:
                found[f"{operation}.{statement}"] = lookups_of(session.loaded, operation, statement, columns)
            except FootnoteError:  # the operation says so
                continue
    return found


def _missing(lookups: Lookups, indexed: Mapping[str, Indexed]) -> Iterator[Place]:
    """The columns of one statement that want an index: of a join one side is enough, of filters one of a table."""

    def large(place: Place) -> bool:
        return place[0] in indexed and (indexed[place[0]].rows or 0) >= _SMALL

    def has_index(place: Place) -> bool:
        return place[0] in indexed and place[1].lower() in {name.lower() for name in indexed[place[0]].first}

    joined = [place for pair in lookups.joins for place in pair]
    for pair in lookups.joins:
        if not any(map(has_index, pair)) and all(map(large, pair)):
            yield pair[1]
    for table in dict.fromkeys(table for table, _ in lookups.filters):
        ways = [place for place in (*lookups.filters, *joined) if place[0] == table]
        if large(ways[0]) and not any(map(has_index, ways)):
            yield ways[0]


def _missing_index(table: Indexed, column: str, users: list[str], dialect: str) -> Finding:
    shown = ", ".join(users[:3]) + (f" and {len(users) - 3} more" if len(users) > 3 else "")
    mark = "`" if dialect == "mysql" else '"'
    name = mark + column.replace(mark, mark * 2) + mark
    rows = f"{table.rows or 0:,}"
    text = f"{shown}: no index of {table.table} begins with {column}, so about {rows} rows are read for each question."
    made = f"CREATE INDEX ON {table.table} ({name});"
    if dialect != "postgres":
        made = f"CREATE INDEX {mark}{column.replace(mark, '')}_for_footnote{mark} ON {table.table} ({name});"
    return Finding("indexes", "warning", text, made)
