"""Which columns name a row of a file: those a catalog declares, checked; or the first that do, for a draft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from footnote.errors import SourceChanged
from footnote.sources.duckdb_schema import quoted
from footnote.sources.files_found import ROW
from footnote.sources.source import TableSchema

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_KEYS = ("BIGINT", "INTEGER", "VARCHAR", "UUID", "SMALLINT", "UBIGINT", "UINTEGER")


def require_key(
    raw: DuckDBPyConnection, schema: TableSchema, declared: Sequence[str], place: str
) -> tuple[str, ...] | None:
    """The columns of a declared key in the file's spelling; None if none is declared, or a column of it is missing.

    Raises:
        SourceChanged: Two rows have one key, or a row has none. Names the rows, never the key.
    """
    spelled = {column.name.lower(): column.name for column in schema.columns}
    if not declared or any(name.lower() not in spelled for name in declared):
        return None  # the plan says which column is missing
    key = tuple(spelled[name.lower()] for name in declared)
    named, table = ", ".join(map(quoted, key)), _table(schema)
    empty = " OR ".join(f"{quoted(name)} IS NULL" for name in key)
    row = raw.execute(f"SELECT MIN({ROW}) FROM {table} WHERE {empty}").fetchone()  # noqa: S608 (quoted names)
    if row is not None and row[0] is not None:
        raise _no_key(key, place, f"row {row[0]:,} has no value there")
    twice = f"SELECT MIN({ROW}), MAX({ROW}) FROM {table} GROUP BY {named} HAVING COUNT(*) > 1 ORDER BY 1 LIMIT 1"  # noqa: S608
    row = raw.execute(twice).fetchone()
    if row is not None:
        raise _no_key(key, place, f"rows {row[0]:,} and {row[1]:,} have the same")
    return key


def _no_key(key: Sequence[str], place: str, why: str) -> SourceChanged:
    return SourceChanged(
        f"({', '.join(key)}) does not name a row of {place}: {why}.",
        why="The catalog declares it as the key, and a row that cannot be told from another cannot be evidence.",
        remedy=f"Correct the file, or declare another key; [{ROW}] is the row's number in the file.",
    )


def key_of(raw: DuckDBPyConnection, schema: TableSchema) -> tuple[str, ...]:
    """The first column that names every row; the row's number if none does."""
    for column in schema.columns:
        if column.name == ROW or column.type not in _KEYS:
            continue
        name = quoted(column.name)
        looked = f"SELECT COUNT(*) = COUNT(DISTINCT {name}), COUNT(*) FROM {_table(schema)}"  # noqa: S608
        row = raw.execute(looked).fetchone()
        if row is not None and row[0] and row[1]:
            return (column.name,)
    return (ROW,)


def _table(schema: TableSchema) -> str:
    return f"{quoted(schema.schema)}.{quoted(schema.name)}"
