"""Statements of several levels over small random tables: what is cited is what counts, found out by taking rows away.

For statements that only gain by more rows, removing a row that contributes changes a sum or count by exactly what it is
said to contribute, and removing one that is not cited changes nothing. The engine alone says what the figure is then.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote.catalog.load import load_catalog
from footnote.figures import Figure
from footnote.operations.result import Result
from footnote.operations.run import Asked, Desk, run
from footnote.plans.cache import Plans
from footnote.sources.opening import open_source
from footnote.sources.source import Source

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, region TEXT);
CREATE TABLE items (id INTEGER PRIMARY KEY, customer INTEGER, kind TEXT, amount INTEGER);
CREATE TABLE paid (id INTEGER PRIMARY KEY, item INTEGER, amount INTEGER);
"""
RECORDS = {
    "customer": {"table": "customers", "key": ["id"], "label": "{id}", "fields": {"region": {"type": "text"}}},
    "item": {
        "table": "items",
        "key": ["id"],
        "label": "{id}",
        "fields": {"customer": {"type": "integer"}, "kind": {"type": "text"}, "amount": {"type": "integer"}},
    },
    "paid": {
        "table": "paid",
        "key": ["id"],
        "label": "{id}",
        "fields": {"item": {"type": "integer"}, "amount": {"type": "integer"}},
    },
}
TABLES = {"customer": "customers", "item": "items", "paid": "paid"}

FROM = [
    "FROM items i",
    "FROM (SELECT id, customer, kind, amount FROM items WHERE amount IS NOT NULL) i",
    "FROM items i JOIN customers c ON c.id = i.customer",
    "FROM items i LEFT JOIN (SELECT id, COALESCE(region, 'n') AS region FROM customers) c ON c.id = i.customer",
]
CONDITIONS = [
    "TRUE",
    "i.kind = 'a'",
    "EXISTS (SELECT 1 FROM paid p WHERE p.item = i.id)",
    "EXISTS (SELECT 1 FROM paid p WHERE p.item = i.id AND p.amount > i.amount)",
    "i.customer IN (SELECT id FROM customers WHERE region = 'n')",
    "i.id IN (SELECT item FROM paid GROUP BY item)",
    "(i.customer, i.kind) IN (SELECT j.customer, j.kind FROM items j JOIN paid p ON p.item = j.id)",
    "i.customer IN (SELECT id FROM customers UNION SELECT item FROM paid)",
    "(i.kind = 'b' OR EXISTS (SELECT 1 FROM paid p WHERE p.item = i.id))",
]
"""Each lets more rows through where there are more."""
OTHERS = [
    "NOT EXISTS (SELECT 1 FROM paid p WHERE p.item = i.id)",
    "i.customer NOT IN (SELECT item FROM paid)",
    "i.customer NOT IN (SELECT item FROM paid WHERE item IS NOT NULL)",
    "i.amount > (SELECT MIN(j.amount) FROM items j WHERE j.customer = i.customer)",
    "i.amount <> (SELECT COUNT(*) FROM paid p WHERE p.item = i.id)",
    "COALESCE((SELECT SUM(p.amount) FROM paid p WHERE p.item = i.id), 0) < i.amount",
    "i.customer IN (SELECT customer FROM items GROUP BY customer HAVING COUNT(*) > 1)",
    "i.customer IN (SELECT id FROM customers EXCEPT SELECT item FROM paid)",
    "CASE WHEN i.customer IN (SELECT item FROM paid) THEN i.kind = 'a' ELSE i.kind = 'b' END",
]
OUTER = [
    "SELECT SUM(d.t) AS f, COUNT(*) AS g FROM (SELECT i.kind, SUM(i.amount) AS t {} GROUP BY i.kind) d",
    "SELECT MAX(d.t) AS f, SUM(d.n) AS g FROM (SELECT i.kind, SUM(i.amount) AS t, COUNT(*) AS n {} GROUP BY i.kind) d",
    "SELECT SUM(d.t) AS f, COUNT(*) AS g FROM (SELECT DISTINCT i.amount AS t {}) d",
    "SELECT SUM(d.t) AS f, COUNT(d.t) AS g FROM (SELECT i.amount AS t {} UNION ALL SELECT p.amount FROM paid p) d",
    (
        "SELECT SUM(d.t) AS f, COUNT(*) AS g FROM (SELECT i.amount AS t, ROW_NUMBER() OVER (PARTITION BY i.kind ORDER BY i.id)"
        " AS pos {}) d WHERE d.pos <= 2"
    ),
    (
        "SELECT SUM(d.t) AS f, COUNT(*) AS g FROM (SELECT i.kind, SUM(i.amount) AS t {} GROUP BY i.kind "
        "HAVING SUM(i.amount) > (SELECT MIN(p.amount) FROM paid p)) d"
    ),
]

Rows = dict[str, list[tuple[Any, ...]]]


class Database:
    """A SQLite file, and the plans made for it."""

    def __init__(self, path: Path, source: Source) -> None:
        self.path = path
        self.source = source
        self.desks: dict[str, Desk] = {}

    def fill(self, rows: Rows, without: tuple[str, int] | None = None) -> None:
        connection = sqlite3.connect(self.path, isolation_level=None)
        for table, values in rows.items():
            connection.execute(f"DELETE FROM {table}")
            kept = [row for row in values if (table, row[0]) != without]
            if kept:
                marks = ", ".join("?" * len(kept[0]))
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", kept)
        connection.close()

    def plain(self, sql: str) -> tuple[Any, ...]:
        connection = sqlite3.connect(self.path)
        (row,) = connection.execute(sql).fetchall()
        connection.close()
        return tuple(row)

    def run(self, sql: str) -> Result:
        return run(self._desk(sql), Asked("ask", {}, str(uuid.uuid4())))

    def _desk(self, sql: str) -> Desk:
        if sql not in self.desks:
            columns = {name: {"type": "integer"} for name in ("f", "g")}
            statement = {"shape": "one", "grain": "item", "statement": sql, "columns": columns}
            catalog = {
                "catalog": "small",
                "version": 1,
                "source": {"url": "x", "dialect": "postgres", "engines": ["postgres", "sqlite"]},
                "records": RECORDS,
                "operations": {
                    "ask": {"title": "t", "description": "d", "answer": "a", "statements": {"s": statement}}
                },
            }
            loaded = load_catalog(yaml.safe_dump(catalog, sort_keys=False), environ={})
            self.desks[sql] = Desk(loaded, self.source, Plans(loaded, self.source, None), dt.date(2026, 8, 14))
        return self.desks[sql]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path = tmp_path_factory.mktemp("levels") / "small.db"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.close()
    source = open_source(f"sqlite:///{path}")
    yield Database(path, source)
    source.close()


small = st.none() | st.integers(-3, 4)
reference = st.none() | st.integers(1, 4)


def numbered(columns: st.SearchStrategy[tuple[Any, ...]]) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    return st.lists(columns, max_size=5).map(lambda rows: [(number, *row) for number, row in enumerate(rows, 1)])


tables = st.fixed_dictionaries(
    {
        "customers": numbered(st.tuples(st.sampled_from(["n", "s", None]))),
        "items": numbered(st.tuples(reference, st.sampled_from(["a", "b", None]), small)),
        "paid": numbered(st.tuples(reference, small)),
    }
)
quick = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def figures(result: Result) -> tuple[Figure, Figure]:
    (row,) = result.tables["s"].rows
    return row.figures["f"], row.figures["g"]


@quick
@given(rows=tables, origin=st.sampled_from(FROM), conditions=st.lists(st.sampled_from(CONDITIONS), max_size=2))
def test_taking_a_row_away_takes_its_contribution_away(
    database: Database, rows: Rows, origin: str, conditions: list[str]
) -> None:
    sql = f"SELECT SUM(i.amount) AS f, COUNT(i.amount) AS g {origin} WHERE {' AND '.join(conditions) or 'TRUE'}"
    database.fill(rows)
    total, count = figures(database.run(sql))
    assert (total.value, count.value) == database.plain(sql)
    adds = {contribution.evidence: contribution.amount for contribution in total.contributions}
    cited = {*total.evidence, *total.decided, *count.evidence, *count.decided}
    joined = {"customer"} if "customers" in origin else set()  # what FROM itself joins is not cited
    for record, table in TABLES.items():
        for row in rows[table]:
            id = f"{record}:{row[0]}"
            if record in joined or (id in cited and id not in adds):
                continue  # it may decide which rows count, or others may stand in for it
            database.fill(rows, without=(table, row[0]))
            after = database.plain(sql)
            assert (after[0] or 0) == (total.value or 0) - (adds.get(id) or 0), id  # type: ignore[operator]
            assert after[1] == count.value - int(id in adds), id  # type: ignore[operator]


@quick
@given(
    rows=tables,
    outer=st.sampled_from(["SELECT SUM(i.amount) AS f, COUNT(*) AS g {}", *OUTER]),
    origin=st.sampled_from(FROM),
    conditions=st.lists(st.sampled_from([*CONDITIONS, *OTHERS]), max_size=2),
)
def test_every_statement_gives_what_the_engine_gives(
    database: Database, rows: Rows, outer: str, origin: str, conditions: list[str]
) -> None:
    sql = outer.format(f"{origin} WHERE {' AND '.join(conditions) or 'TRUE'}")
    database.fill(rows)
    result = database.run(sql)
    found = figures(result)
    assert tuple(figure.value for figure in found) == database.plain(sql)
    for figure in found:
        assert all(id in result.evidence for id in (*figure.evidence, *figure.decided))
        if figure.method in ("sum", "count"):
            assert sum(contribution.amount for contribution in figure.contributions) == (figure.value or 0)  # type: ignore[misc]
