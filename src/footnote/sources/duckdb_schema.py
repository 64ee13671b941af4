"""What tables look like in a DuckDB file, asked from its own functions; collations are in the text of CREATE TABLE alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from footnote.sources.create_table import collations_in
from footnote.sources.inventory import ForeignKey, Listed
from footnote.sources.source import ColumnSchema, TableSchema

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_FIND = """
    SELECT schema_name, table_name, false, sql FROM duckdb_tables()
    WHERE database_name = current_database() AND lower(table_name) = lower($name) AND NOT temporary
    UNION ALL
    SELECT schema_name, view_name, true, '' FROM duckdb_views()
    WHERE database_name = current_database() AND lower(view_name) = lower($name) AND NOT internal
"""
_COLUMNS = """
    SELECT column_name, data_type, is_nullable FROM duckdb_columns()
    WHERE database_name = current_database() AND schema_name = $schema AND table_name = $name ORDER BY column_index
"""
_KEYS = """
    SELECT constraint_type, constraint_column_names FROM duckdb_constraints()
    WHERE database_name = current_database() AND schema_name = $schema AND table_name = $name
          AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')
    ORDER BY constraint_index
"""
_ALL = """
    SELECT schema_name, table_name, estimated_size FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT temporary AND NOT internal ORDER BY schema_name, table_name
"""
_FOREIGN_KEYS = """
    SELECT schema_name, table_name, constraint_column_names, referenced_table, referenced_column_names
    FROM duckdb_constraints()
    WHERE database_name = current_database() AND constraint_type = 'FOREIGN KEY' ORDER BY constraint_index
"""


def tables(raw: DuckDBPyConnection, names: Iterable[str]) -> dict[str, TableSchema]:
    """The schema of each table or view that exists, by the name asked for: `table` or `schema.table`."""
    (own,) = _one(raw, "SELECT current_schema()", {})
    found: dict[str, TableSchema] = {}
    for asked in names:
        schema, dot, table = asked.partition(".")
        for where, name in ((own, asked), (schema, table)) if dot else ((own, asked),):
            row = _find(raw, where, name)
            if row is not None:
                found[asked] = _table(raw, *row)
                break
    return found


def listed(raw: DuckDBPyConnection) -> tuple[Listed, ...]:
    """Every table, with its foreign keys, which DuckDB has within a schema alone."""
    keys: dict[tuple[str, str], list[ForeignKey]] = {}
    for schema, table, own, other, referred in raw.execute(_FOREIGN_KEYS).fetchall():
        keys.setdefault((schema, table), []).append(ForeignKey(tuple(own), schema, other, tuple(referred)))
    rows = raw.execute(_ALL).fetchall()
    return tuple(Listed(schema, name, count, tuple(keys.get((schema, name), ()))) for schema, name, count in rows)


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _one(raw: DuckDBPyConnection, sql: str, values: dict[str, str]) -> tuple[Any, ...]:
    row = raw.execute(sql, values).fetchone()
    return row or (None,)


def _find(raw: DuckDBPyConnection, schema: str, name: str) -> tuple[str, str, bool, str] | None:
    """DuckDB has no two tables of a schema whose names differ in case alone."""
    rows = raw.execute(_FIND, {"name": name}).fetchall()
    return next((row for row in rows if row[0].lower() == schema.lower()), None)


def _table(raw: DuckDBPyConnection, schema: str, name: str, is_view: bool, text: str) -> TableSchema:
    which = {"schema": schema, "name": name}
    columns = raw.execute(_COLUMNS, which).fetchall()
    keys = raw.execute(_KEYS, which).fetchall()
    collations = collations_in(text, [column for column, *_ in columns])
    return TableSchema(
        schema=schema,
        name=name,
        columns=tuple(
            ColumnSchema(column, word, bool(nullable), collations.get(column, "") if word == "VARCHAR" else "")
            for column, word, nullable in columns
        ),
        primary_key=next((tuple(key) for kind, key in keys if kind == "PRIMARY KEY"), ()),
        unique=tuple(tuple(key) for kind, key in keys if kind == "UNIQUE"),
        is_view=is_view,
    )
