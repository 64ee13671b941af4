"""What tables look like in MariaDB and MySQL, asked from information_schema: three queries, whatever the schema's size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from footnote.errors import SourceUnavailable
from footnote.sources.facts import Fact
from footnote.sources.indexed import Indexed
from footnote.sources.inventory import ForeignKey, Listed
from footnote.sources.source import ColumnSchema, TableSchema

if TYPE_CHECKING:
    from pymysql.connections import Connection

_FIND = """
    SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE, COALESCE(t.ENGINE, ''), COALESCE(e.TRANSACTIONS, 'YES')
    FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
    WHERE t.TABLE_SCHEMA IN %(schemas)s AND t.TABLE_NAME IN %(names)s AND t.TABLE_TYPE <> 'SEQUENCE'
    ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME
"""
_COLUMNS = """
    SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE = 'YES', COALESCE(COLLATION_NAME, '')
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA IN %(schemas)s AND TABLE_NAME IN %(names)s
    ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION
"""
_KEYS = """
    SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART
    FROM information_schema.STATISTICS
    WHERE TABLE_SCHEMA IN %(schemas)s AND TABLE_NAME IN %(names)s AND NON_UNIQUE = 0
    ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX
"""

_ALL = """
    SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_ROWS
    FROM information_schema.TABLES t JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
    WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE' AND e.TRANSACTIONS = 'YES'
    ORDER BY t.TABLE_NAME
"""
_FOREIGN_KEYS = """
    SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME,
           REFERENCED_COLUMN_NAME
    FROM information_schema.KEY_COLUMN_USAGE
    WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME IS NOT NULL
    ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION
"""

_INDEXED = """
    SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_ROWS, s.COLUMN_NAME
    FROM information_schema.TABLES t LEFT JOIN information_schema.STATISTICS s
         ON s.TABLE_SCHEMA = t.TABLE_SCHEMA AND s.TABLE_NAME = t.TABLE_NAME AND s.SEQ_IN_INDEX = 1
    WHERE t.TABLE_SCHEMA IN %(schemas)s AND t.TABLE_NAME IN %(names)s AND t.TABLE_TYPE = 'BASE TABLE'
"""

_Name = tuple[str, str]


def indexes(connection: Connection[Any], names: Iterable[str]) -> dict[str, Indexed]:
    """The indexes of each table that exists, and how many rows the engine believes it has."""
    found = {asked: (table.schema, table.name) for asked, table in tables(connection, names).items()}
    if not found:
        return {}
    which = {
        "schemas": sorted({schema for schema, _ in found.values()}),
        "names": sorted({t for _, t in found.values()}),
    }
    counts: dict[_Name, int | None] = {}
    first: dict[_Name, set[str]] = {}
    for schema, table, rows, column in _rows(connection, _INDEXED, which):
        counts[schema, table] = rows
        first.setdefault((schema, table), set()).update([column] if column else [])
    return {
        asked: Indexed(".".join(map(_quoted, name)), counts[name], frozenset(first[name]))
        for asked, name in found.items()
        if name in counts
    }


def facts(connection: Connection[Any], zone: str) -> Iterator[Fact]:
    """The server's own time zone, in which NOW() of another program writes a DATETIME."""
    ((own, system),) = _rows(connection, "SELECT @@global.time_zone, @@global.system_time_zone", {})
    named = system if own == "SYSTEM" else own
    same = {named.upper(), zone.upper()} <= {"UTC", "+00:00", "ETC/UTC", "GMT"} or named == zone
    text = f"The server's time zone is {named}; the catalog's days begin in {zone}."
    if same:
        yield Fact("time zone", "ok", text)
    else:
        why = "A DATETIME has no zone: if programs write it in the server's, it is read as if it were the catalog's."
        yield Fact("time zone", "warning", f"{text} {why}")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def tables(connection: Connection[Any], names: Iterable[str]) -> dict[str, TableSchema]:
    """The schema of each table or view that exists, by the name asked for: `table` or `schema.table`.

    Raises:
        SourceUnavailable: A table's engine has no snapshots, so that two statements might see two states.
    """
    ((own,),) = _rows(connection, "SELECT DATABASE()", {})
    spellings = {asked: _spellings(asked, own) for asked in names}
    schemas = sorted({schema for ways in spellings.values() for schema, _ in ways})
    wanted = sorted({table for ways in spellings.values() for _, table in ways})
    if not wanted:
        return {}
    found = {(row[0], row[1]): row for row in _rows(connection, _FIND, {"schemas": schemas, "names": wanted})}
    chosen = {asked: _chosen(ways, found) for asked, ways in spellings.items()}
    rows = {(row[0], row[1]): row for row in chosen.values() if row is not None}
    for row in rows.values():
        _require_snapshots(row)
    described = _describe(connection, rows)
    return {asked: described[row[0], row[1]] for asked, row in chosen.items() if row is not None}


def listed(connection: Connection[Any]) -> tuple[Listed, ...]:
    """Every table of the database that has snapshots, with its foreign keys."""
    parts: dict[tuple[str, str], list[tuple[str, str, str, str]]] = {}
    for table, constraint, *key in _rows(connection, _FOREIGN_KEYS, {}):
        parts.setdefault((table, constraint), []).append((key[0], key[1], key[2], key[3]))
    keys: dict[str, list[ForeignKey]] = {}
    for (table, _), columns in parts.items():
        own, schemas, others, referred = zip(*columns, strict=True)
        keys.setdefault(table, []).append(ForeignKey(own, schemas[0], others[0], referred))
    rows = _rows(connection, _ALL, {})
    return tuple(Listed(schema, name, count, tuple(keys.get(name, ()))) for schema, name, count in rows)


def _rows(connection: Connection[Any], sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, dict(values))
        return list(cursor.fetchall())


def _spellings(asked: str, own: str) -> list[_Name]:
    """Schema and table that a name may mean, the likeliest first."""
    schema, dot, table = asked.partition(".")
    return [(own, asked), (schema, table)] if dot else [(own, asked)]


def _chosen(ways: list[_Name], found: Mapping[_Name, tuple[Any, ...]]) -> tuple[Any, ...] | None:
    """The table as it is spelled, or the only one that is spelled so in another case."""
    for way in ways:
        if way in found:
            return found[way]
    for schema, table in ways:
        alike = [row for name, row in found.items() if name[0] == schema and name[1].lower() == table.lower()]
        if len(alike) == 1:
            return alike[0]
    return None


def _require_snapshots(row: tuple[Any, ...]) -> None:
    _, table, kind, engine, transactions = row
    if kind == "BASE TABLE" and transactions != "YES":
        raise SourceUnavailable(
            f"Table {table!r} cannot be read in one state with others.",
            why=f"Its engine, {engine}, has no transactions, so a figure and its rows might be of two moments.",
            remedy="Change the table's engine to InnoDB.",
        )


def _describe(connection: Connection[Any], rows: Mapping[_Name, tuple[Any, ...]]) -> dict[_Name, TableSchema]:
    if not rows:
        return {}
    which = {"schemas": sorted({schema for schema, _ in rows}), "names": sorted({table for _, table in rows})}
    columns: dict[_Name, list[ColumnSchema]] = {}
    for schema, table, name, word, nullable, collation in _rows(connection, _COLUMNS, which):
        columns.setdefault((schema, table), []).append(ColumnSchema(name, word, bool(nullable), collation))
    keys: dict[_Name, dict[str, list[str | None]]] = {}
    for schema, table, index, column, part in _rows(connection, _KEYS, which):
        # A key over the beginning of a text, or over an expression, does not say which row it is.
        whole = column if part is None else None
        keys.setdefault((schema, table), {}).setdefault(index, []).append(whole)
    return {name: _table(row, columns.get(name, []), keys.get(name, {})) for name, row in rows.items()}


def _table(row: tuple[Any, ...], columns: list[ColumnSchema], keys: dict[str, list[str | None]]) -> TableSchema:
    schema, table, kind, *_ = row
    whole = {index: tuple(c for c in key if c is not None) for index, key in keys.items() if None not in key}
    return TableSchema(
        schema=schema,
        name=table,
        columns=tuple(columns),
        primary_key=whole.pop("PRIMARY", ()),
        unique=tuple(whole.values()),
        is_view=kind != "BASE TABLE",
    )
