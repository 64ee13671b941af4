"""What tables look like in a SQLite file, asked from its pragmas; collations are in the text of CREATE TABLE alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from footnote.sources.create_table import collations_in
from footnote.sources.indexed import Indexed
from footnote.sources.inventory import ForeignKey, Listed
from footnote.sources.source import ColumnSchema, TableSchema

_FIND = """
    SELECT name, type, sql FROM sqlite_master
    WHERE type IN ('table', 'view') AND (name = ?1 OR name = ?1 COLLATE NOCASE)
    ORDER BY name <> ?1
"""
_COLUMNS = 'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid'
_INDEXES = 'SELECT name, origin FROM pragma_index_list(?) WHERE "unique" AND NOT partial ORDER BY name'
_INDEX_COLUMNS = "SELECT name FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno"


_ALL = "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
_FOREIGN_KEYS = 'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq'


def listed(connection: sqlite3.Connection) -> tuple[Listed, ...]:
    """Every table, with its foreign keys; SQLite does not know how many rows it has."""
    names = [name for (name,) in connection.execute(_ALL).fetchall()]
    return tuple(Listed("main", name, None, tuple(_foreign_keys(connection, name))) for name in names)


def _foreign_keys(connection: sqlite3.Connection, table: str) -> Iterable[ForeignKey]:
    parts: dict[int, list[tuple[str, str, str | None]]] = {}
    for number, other, column, referred in connection.execute(_FOREIGN_KEYS, (table,)).fetchall():
        parts.setdefault(number, []).append((other, column, referred))
    for columns in parts.values():
        other = columns[0][0]
        referred = tuple(name for _, _, name in columns if name is not None)
        if len(referred) < len(columns):  # without names, the other table's primary key is meant
            found = tables(connection, [other]).get(other)
            referred = found.primary_key if found else ()
        if len(referred) == len(columns):
            yield ForeignKey(tuple(column for _, column, _ in columns), "main", other, referred)


def tables(connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, TableSchema]:
    """The schema of each table or view that exists, by the name asked for: `table` or `main.table`."""
    found: dict[str, TableSchema] = {}
    for asked in names:
        for name in (asked, asked[5:]) if asked[:5].lower() == "main." else (asked,):
            row = connection.execute(_FIND, (name,)).fetchone()
            if row:
                found[asked] = _table(connection, row[0], row[2] or "", is_view=row[1] == "view")
                break
    return found


def _table(connection: sqlite3.Connection, name: str, text: str, *, is_view: bool) -> TableSchema:
    columns = connection.execute(_COLUMNS, (name,)).fetchall()
    key = tuple(name for pk, name in sorted((pk, column) for column, _, _, pk in columns if pk))
    # Only an INTEGER PRIMARY KEY is the rowid; any other key column of an ordinary table may hold NULL in SQLite.
    rowid = key[0] if len(key) == 1 and any(pk and kind.upper() == "INTEGER" for _, kind, _, pk in columns) else None
    every = [column for column, *_ in columns]
    collations = _through_view(connection, every) if is_view else collations_in(text, every)
    return TableSchema(
        schema="main",
        name=name,
        columns=tuple(
            ColumnSchema(column, kind, nullable=not required and column != rowid, collation=collations.get(column, ""))
            for column, kind, required, _ in columns
        ),
        primary_key=key,
        unique=tuple(_unique(connection, name)),
        is_view=is_view,
    )


_ENOUGH = 100_001
_FIRST = "SELECT l.name, x.name FROM pragma_index_list(?) l JOIN pragma_index_xinfo(l.name) x WHERE NOT l.partial AND x.seqno = 0"


def indexes(connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, Indexed]:
    """The indexes of each table; its rows are counted up to 100,001."""
    found: dict[str, Indexed] = {}
    for asked, table in tables(connection, names).items():
        if table.is_view:
            continue
        named = '"' + table.name.replace('"', '""') + '"'
        (rows,) = connection.execute(f"SELECT COUNT(*) FROM (SELECT 1 FROM {named} LIMIT {_ENOUGH})").fetchone()  # noqa: S608
        first = {name for _, name in connection.execute(_FIRST, (table.name,)) if name is not None}
        found[asked] = Indexed(named, rows, frozenset(first | set(table.primary_key[:1])))
    return found


def _through_view(connection: sqlite3.Connection, columns: Sequence[str]) -> Mapping[str, str]:
    """The collation of a view's columns is that of whatever it reads, which no pragma says; so, if anything here has one."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE sql LIKE '%collate%' LIMIT 1").fetchone()
    return dict.fromkeys(columns, "unknown") if found else {}


def _unique(connection: sqlite3.Connection, table: str) -> Iterable[tuple[str, ...]]:
    for index, origin in connection.execute(_INDEXES, (table,)).fetchall():
        columns = tuple(name for (name,) in connection.execute(_INDEX_COLUMNS, (index,)))
        if origin != "pk" and None not in columns:  # a column without a name is an expression
            yield columns
