"""What tables look like in PostgreSQL, asked from its catalogs: three queries, whatever the size of the schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from footnote.sources.facts import Fact
from footnote.sources.indexed import Indexed
from footnote.sources.inventory import ForeignKey, Listed
from footnote.sources.source import ColumnSchema, TableSchema

if TYPE_CHECKING:
    import psycopg

_FIND = """
    SELECT c.oid::pg_catalog.int8, n.nspname::text, c.relname::text, c.relkind IN ('v', 'm'),
           pg_catalog.pg_table_is_visible(c.oid)
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname = ANY (%(names)s::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""
_COLUMNS = """
    SELECT a.attrelid::pg_catalog.int8, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod),
           NOT (a.attnotnull OR (t.typtype = 'd' AND t.typnotnull)),
           CASE WHEN pg_catalog.to_jsonb(l) ->> 'collisdeterministic' = 'false' THEN l.collname::text
                WHEN EXISTS (WITH RECURSIVE base AS (
                                 SELECT t.oid, t.typname, t.typbasetype
                                 UNION ALL
                                 SELECT u.oid, u.typname, u.typbasetype
                                 FROM pg_catalog.pg_type u JOIN base ON u.oid = base.typbasetype)
                             SELECT FROM base WHERE typname = 'citext') THEN 'citext'
                ELSE '' END
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
         LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
    WHERE a.attrelid = ANY (%(tables)s::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attrelid, a.attnum
"""
_KEYS = """
    SELECT i.indrelid::pg_catalog.int8, i.indisprimary,
           ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k(attnum, place)
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                 WHERE k.place <= i.indnkeyatts ORDER BY k.place)
    FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = ANY (%(tables)s::oid[]) AND i.indisunique AND i.indisvalid
          AND i.indpred IS NULL AND i.indexprs IS NULL
    ORDER BY i.indrelid, c.relname
"""

_INDEXED = """
    SELECT c.oid::pg_catalog.int8, pg_catalog.format('%%I.%%I', n.nspname, c.relname),
           CASE WHEN c.reltuples >= 0 THEN c.reltuples::pg_catalog.int8 END,
           ARRAY(SELECT a.attname::text FROM pg_catalog.pg_index i
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                 WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL)
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = ANY (%(tables)s::oid[]) AND c.relkind IN ('r', 'p', 'm')
"""
_REPLICA = """
    SELECT pg_catalog.pg_is_in_recovery(),
           EXTRACT(epoch FROM pg_catalog.clock_timestamp() - pg_catalog.pg_last_xact_replay_timestamp())::pg_catalog.int8
"""
_LATE = 300
"""Seconds behind after which a replica is said to be late."""

_ALL = """
    SELECT c.oid::pg_catalog.int8, n.nspname::text, c.relname::text,
           CASE WHEN c.reltuples >= 0 THEN c.reltuples::pg_catalog.int8 END
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
          AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
          AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
    ORDER BY n.nspname, c.relname
"""
_FOREIGN_KEYS = """
    SELECT k.conrelid::pg_catalog.int8, n.nspname::text, c.relname::text,
           ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY u(attnum, place)
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum ORDER BY u.place),
           ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(k.confkey) WITH ORDINALITY u(attnum, place)
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.attnum ORDER BY u.place)
    FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.confrelid
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype = 'f' AND k.conparentid = 0
    ORDER BY k.conrelid, k.conname
"""


def listed(connection: psycopg.Connection[Any]) -> tuple[Listed, ...]:
    """Every table that the login may read, with its foreign keys."""
    keys: dict[int, list[ForeignKey]] = {}
    for oid, schema, table, columns, referred in connection.execute(_FOREIGN_KEYS):
        keys.setdefault(oid, []).append(ForeignKey(tuple(columns), schema, table, tuple(referred)))
    rows = connection.execute(_ALL).fetchall()
    return tuple(Listed(schema, name, count, tuple(keys.get(oid, ()))) for oid, schema, name, count in rows)


def indexes(connection: psycopg.Connection[Any], names: Iterable[str]) -> dict[str, Indexed]:
    """The indexes of each table that exists, and how many rows the planner believes it has."""
    chosen = _chosen(connection, names)
    rows = connection.execute(_INDEXED, {"tables": [row[0] for row in chosen.values()]}).fetchall()
    found = {oid: Indexed(name, count, frozenset(first)) for oid, name, count, first in rows}
    return {asked: found[row[0]] for asked, row in chosen.items() if row[0] in found}


def facts(connection: psycopg.Connection[Any]) -> Iterator[Fact]:
    """Whether the server follows another one, and how far it is behind."""
    is_replica, behind = connection.execute(_REPLICA).fetchone() or (False, None)
    if is_replica:
        late = f"the last change it has is {behind} s old" if behind is not None else "it does not say how late"
        yield Fact(
            "replica", "warning" if behind is None or behind > _LATE else "ok", f"The server is a replica; {late}."
        )


def tables(connection: psycopg.Connection[Any], names: Iterable[str]) -> dict[str, TableSchema]:
    """The schema of each table or view that exists, by the name asked for: `table` or `schema.table`."""
    chosen = _chosen(connection, names)
    described = _describe(connection, {row[0]: row for row in chosen.values()})
    return {asked: described[row[0]] for asked, row in chosen.items()}


def _chosen(connection: psycopg.Connection[Any], names: Iterable[str]) -> dict[str, tuple[Any, ...]]:
    """The table or view that each name means, as `_FIND` gives it."""
    spellings = {asked: _spellings(asked) for asked in names}
    wanted = sorted({table for ways in spellings.values() for _, table in ways})
    found: dict[tuple[str, str], tuple[Any, ...]] = {}
    for row in connection.execute(_FIND, {"names": wanted}):
        found[row[1], row[2]] = row
        if row[4]:  # visible: what an unqualified name means
            found["", row[2]] = row
    chosen = {asked: next((found[way] for way in ways if way in found), None) for asked, ways in spellings.items()}
    return {asked: row for asked, row in chosen.items() if row}


def _spellings(asked: str) -> list[tuple[str, str]]:
    """Schema ("" for the search path) and table that a name may mean, the likeliest first."""
    ways = [("", asked)]
    schema, dot, table = asked.partition(".")
    if dot:
        ways.append((schema, table))
    return ways + [(schema.lower(), table.lower()) for schema, table in ways]


def _describe(connection: psycopg.Connection[Any], rows: dict[int, tuple[Any, ...]]) -> dict[int, TableSchema]:
    if not rows:
        return {}
    which = {"tables": list(rows)}
    columns: dict[int, list[ColumnSchema]] = {}
    for oid, *column in connection.execute(_COLUMNS, which):
        columns.setdefault(oid, []).append(ColumnSchema(*column))
    primary: dict[int, tuple[str, ...]] = {}
    unique: dict[int, list[tuple[str, ...]]] = {}
    for oid, is_primary, key in connection.execute(_KEYS, which):
        if is_primary:
            primary[oid] = tuple(key)
        else:
            unique.setdefault(oid, []).append(tuple(key))
    return {
        oid: TableSchema(
            schema=schema,
            name=name,
            columns=tuple(columns.get(oid, ())),
            primary_key=primary.get(oid, ()),
            unique=tuple(unique.get(oid, ())),
            is_view=is_view,
        )
        for oid, (_, schema, name, is_view, _) in rows.items()
    }
