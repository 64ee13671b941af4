"""Statements of several levels on real engines: every figure is what the engine alone says, and its rows are named.

Each statement runs through the whole path (catalog, plan, arms, tie-out) on SQLite and PostgreSQL, and plainly through
the driver; both must agree. That alone would not show that a wrong row would be noticed: `test_lineage_faults` does.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from footnote.catalog.load import load_catalog
from footnote.errors import StatementRefused
from footnote.evidence import Group
from footnote.figures import RowsBehind
from footnote.operations.result import Result
from footnote.operations.run import Asked, Desk, run
from footnote.plans.cache import Plans
from footnote.sources.opening import open_source
from footnote.sources.source import Source

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, region TEXT);
CREATE TABLE items (id INTEGER PRIMARY KEY, customer INTEGER, kind TEXT, amount INTEGER, price NUMERIC, due DATE);
CREATE TABLE paid (id INTEGER PRIMARY KEY, item INTEGER, amount INTEGER, paid_on DATE);
INSERT INTO customers VALUES (1, 'Ann', 'n'), (2, 'Bob', 's'), (3, 'Cy', 'n'), (4, 'Di', NULL);
INSERT INTO items VALUES (1, 1, 'a', 100, 1.5, '2026-01-01'), (2, 1, 'b', 50, 2.25, '2026-02-01'),
    (3, 2, 'a', 70, 0.1, '2026-01-15'), (4, 2, 'a', 30, 0.2, '2026-03-01'), (5, 3, 'b', 20, NULL, '2026-03-05'),
    (6, NULL, 'c', 5, 3, NULL);
INSERT INTO paid VALUES (1, 1, 40, '2026-02-02'), (2, 1, 10, '2026-02-09'), (3, 3, 70, '2026-02-02'),
    (4, 4, 5, '2026-05-01');
"""
RECORDS = {
    "customer": {
        "table": "customers",
        "key": ["id"],
        "label": "{name}",
        "fields": {"name": {"type": "text"}, "region": {"type": "text"}},
    },
    "item": {
        "table": "items",
        "key": ["id"],
        "label": "{id}",
        "fields": {
            "customer": {"type": "integer"},
            "kind": {"type": "text"},
            "amount": {"type": "integer"},
            "price": {"type": "decimal"},
            "due": {"type": "date"},
        },
    },
    "paid": {
        "table": "paid",
        "key": ["id"],
        "label": "{id}",
        "fields": {"item": {"type": "integer"}, "amount": {"type": "integer"}, "paid_on": {"type": "date"}},
    },
}


CENTS = {"type": "money", "minor_units": True, "currency": "EUR"}


@dataclass(frozen=True)
class Engine:
    """A database with the rows above."""

    source: Source
    plain: Callable[[str], list[tuple[Any, ...]]]

    def run(
        self, sql: str, columns: str, *, grain: str = "item", each: str = "", engines: Sequence[str] = ()
    ) -> Result:
        """The result of a statement; `columns` are `name:type`, separated by spaces; `cents` is money."""
        types = dict(column.split(":") for column in columns.split())
        statement: dict[str, Any] = {
            "shape": "many" if sql.rfind("ORDER BY") > sql.rfind(")") else "one",
            "grain": grain,
            "statement": sql,
            "columns": {name: CENTS if kind == "cents" else {"type": kind} for name, kind in types.items()},
        }
        statement |= {"each": {"record": grain, "key": each}} if each else {}
        catalog = {
            "catalog": "small",
            "version": 1,
            "source": {"url": "x", "dialect": "postgres", "engines": list(engines or ("postgres", "sqlite"))},
            "records": RECORDS,
            "operations": {"ask": {"title": "t", "description": "d", "answer": "a", "statements": {"s": statement}}},
        }
        loaded = load_catalog(yaml.safe_dump(catalog, sort_keys=False), environ={}, file_name="small.yaml")
        desk = Desk(loaded, self.source, Plans(loaded, self.source, None), dt.date(2026, 8, 14))
        return run(desk, Asked("ask", {}, str(uuid.uuid4())))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    if request.param == "sqlite":
        path: Path = tmp_path_factory.mktemp("levels") / "small.db"
        connection = sqlite3.connect(path)
        connection.executescript(SCHEMA)
        source = open_source(f"sqlite:///{path}")
        yield Engine(source, lambda sql: connection.execute(sql).fetchall())
        connection.close()
    else:
        import psycopg

        url: str = request.getfixturevalue("postgres_url")
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(SCHEMA.encode())
            source = open_source(url)
            yield Engine(source, lambda sql: server.execute(sql.encode()).fetchall())
    source.close()


def rows_of(result: Result) -> list[tuple[Any, ...]]:
    return [tuple(figure.value for figure in row.figures.values()) for row in result.tables["s"].rows]


def comparable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(Decimal(str(v)) if isinstance(v, float) else str(v) if isinstance(v, dt.date) else v for v in row)


OPEN_ITEMS = """
WITH o AS (
  SELECT i.id, i.customer, i.amount
    - COALESCE((SELECT SUM(p.amount) FROM paid p WHERE p.item = i.id AND p.paid_on <= '2026-03-31'), 0) AS residual
  FROM items i
)
SELECT c.region, SUM(o.residual) AS "open" FROM o JOIN customers c ON c.id = o.customer
WHERE o.residual <> 0 GROUP BY c.region ORDER BY c.region
"""
BILLED_AND_PAID = """
WITH billed AS (SELECT customer, SUM(amount) AS total FROM items GROUP BY customer),
  paid_off AS (SELECT i.customer, SUM(p.amount) AS total FROM paid p JOIN items i ON i.id = p.item GROUP BY i.customer)
SELECT c.id, b.total AS billed, COALESCE(p.total, 0) AS paid, b.total - COALESCE(p.total, 0) AS difference
FROM billed b LEFT JOIN paid_off p ON p.customer = b.customer JOIN customers c ON c.id = b.customer ORDER BY c.id
"""
STATEMENTS: dict[str, tuple[str, ...]] = {
    "a derived table that is seen through": (
        (
            "SELECT d.customer, SUM(d.twice) AS total FROM (SELECT customer, amount * 2 AS twice FROM items "
            "WHERE kind <> 'c') d GROUP BY d.customer ORDER BY d.customer"
        ),
        "customer:integer total:integer",
    ),
    "an aggregate over an aggregate": (
        (
            "WITH w AS (SELECT customer, SUM(amount) AS total, COUNT(*) AS many FROM items GROUP BY customer) "
            "SELECT many, SUM(total) AS t, COUNT(*) AS c FROM w GROUP BY many ORDER BY many"
        ),
        "many:integer t:integer c:count",
    ),
    "decimals over two levels": (
        (
            "SELECT MAX(total) AS m, SUM(total) AS s FROM (SELECT customer, SUM(price) AS total FROM items "
            "GROUP BY customer) w"
        ),
        "m:decimal s:decimal",
    ),
    "open items": (OPEN_ITEMS, "region:text open:integer"),
    "exists": (
        "SELECT SUM(amount) AS t, COUNT(*) AS c FROM items i WHERE EXISTS (SELECT 1 FROM paid p WHERE p.item = i.id)",
        "t:integer c:count",
    ),
    "not exists": (
        "SELECT SUM(amount) AS t FROM items i WHERE NOT EXISTS (SELECT 1 FROM paid p WHERE p.item = i.id)",
        "t:integer",
    ),
    "in": (
        "SELECT SUM(amount) AS t FROM items i WHERE i.customer IN (SELECT id FROM customers WHERE region = 'n')",
        "t:integer",
    ),
    "not in": (
        "SELECT SUM(amount) AS t FROM items i WHERE i.customer NOT IN (SELECT id FROM customers WHERE region = 'n')",
        "t:integer",
    ),
    "not in beside null": (
        "SELECT COUNT(*) AS c FROM customers c WHERE c.id NOT IN (SELECT customer FROM items)",
        "c:count",
        "customer",
    ),
    "in with having": (
        (
            "SELECT SUM(amount) AS t FROM items i WHERE i.customer IN "
            "(SELECT customer FROM items GROUP BY customer HAVING SUM(amount) > 60)"
        ),
        "t:integer",
    ),
    "pairs in": (
        (
            "SELECT SUM(amount) AS t FROM items i WHERE (i.customer, i.kind) IN "
            "(SELECT customer, kind FROM items GROUP BY customer, kind HAVING COUNT(*) > 1)"
        ),
        "t:integer",
    ),
    "a value of all rows": (
        "SELECT SUM(amount) AS t FROM items i WHERE i.amount > (SELECT MIN(amount) FROM items)",
        "t:integer",
    ),
    "a value of one's own rows": (
        (
            "SELECT SUM(amount) AS t FROM items i WHERE i.amount >= "
            "(SELECT MAX(j.amount) FROM items j WHERE j.customer = i.customer)"
        ),
        "t:integer",
    ),
    "having against all rows": (
        (
            "SELECT customer, SUM(amount) AS t FROM items i GROUP BY customer "
            "HAVING SUM(amount) > (SELECT SUM(amount) * 0.3 FROM items) ORDER BY customer"
        ),
        "customer:integer t:integer",
    ),
    "a condition in a case": (
        "SELECT SUM(CASE WHEN i.id IN (SELECT item FROM paid) THEN i.amount ELSE 0 END) AS t FROM items i",
        "t:integer",
    ),
    "either or": (
        "SELECT SUM(amount) AS t FROM items i WHERE i.kind = 'c' OR EXISTS (SELECT 1 FROM paid p WHERE p.item = i.id)",
        "t:integer",
    ),
    "counts of counts": (
        (
            "SELECT many, COUNT(*) AS c FROM (SELECT c.id, COUNT(i.id) AS many FROM customers c LEFT JOIN items i "
            "ON i.customer = c.id AND i.kind <> 'b' GROUP BY c.id) d GROUP BY many ORDER BY many"
        ),
        "many:integer c:count",
        "customer",
    ),
    "union all": (
        (
            "SELECT u.side, SUM(u.amt) AS t, COUNT(DISTINCT u.who) AS c FROM (SELECT 'I' AS side, customer AS who, "
            "amount AS amt FROM items UNION ALL SELECT 'P', item, amount FROM paid) u GROUP BY u.side ORDER BY u.side"
        ),
        "side:text t:integer c:count",
    ),
    "union": (
        "SELECT COUNT(*) AS c FROM (SELECT customer AS x FROM items UNION SELECT item FROM paid) u",
        "c:count",
    ),
    "intersect": (
        "SELECT COUNT(*) AS c FROM (SELECT customer AS x FROM items INTERSECT SELECT item FROM paid) u",
        "c:count",
    ),
    "except": (
        "SELECT COUNT(*) AS c FROM (SELECT customer AS x FROM items EXCEPT SELECT item FROM paid) u",
        "c:count",
    ),
    "distinct below": ("SELECT COUNT(*) AS c FROM (SELECT DISTINCT customer, kind FROM items) u", "c:count"),
    "distinct": ("SELECT DISTINCT kind FROM items ORDER BY kind", "kind:text"),
    "a limit below": (
        (
            "SELECT SUM(t) AS s FROM (SELECT customer, SUM(amount) AS t FROM items GROUP BY customer "
            "ORDER BY t DESC LIMIT 2) d"
        ),
        "s:integer",
    ),
    "an optional derived table": (
        (
            "SELECT SUM(i.amount) AS t FROM items i LEFT JOIN (SELECT id, COALESCE(region, '?') AS r FROM customers "
            "WHERE name <> 'Bob') c ON c.id = i.customer WHERE c.r IS NULL OR c.r = 'n'"
        ),
        "t:integer",
    ),
    "a running sum of sums": (
        (
            "SELECT m.customer, m.net, SUM(m.net) OVER (ORDER BY m.customer) AS cumulative FROM (SELECT customer, "
            "SUM(amount) AS net FROM items WHERE customer IS NOT NULL GROUP BY customer) m ORDER BY m.customer"
        ),
        "customer:integer net:integer cumulative:integer",
    ),
    "windows below": (
        (
            "SELECT SUM(amount) AS t FROM (SELECT amount, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY id) AS pos "
            "FROM items) d WHERE d.pos = 1"
        ),
        "t:integer",
    ),
    "a name with capitals below": (
        (
            'SELECT COUNT(*) AS c FROM (SELECT id, SUM(price) OVER (ORDER BY id) AS "soFar" FROM items WHERE price > 0) d '
            'WHERE d."soFar" > 2'
        ),
        "c:count",
    ),
    "a count by an amount below": (
        (
            "SELECT COUNT(CASE WHEN d.t > 1 THEN d.customer END) AS c, MIN(CASE WHEN d.t > 1 THEN 1 ELSE 2 END) AS m "
            "FROM (SELECT customer, SUM(price) AS t FROM items GROUP BY customer) d"
        ),
        "c:count m:integer",
    ),
    "a computed distinct count": (
        "SELECT COUNT(DISTINCT kind) + 1 AS c, SUM(DISTINCT customer) AS s FROM items",
        "c:count s:integer",
    ),
    "rows of the other table counted": (
        (
            "SELECT c.name, COUNT(*) AS k FROM customers c LEFT JOIN items i ON i.customer = c.id GROUP BY c.name "
            "ORDER BY c.name"
        ),
        "name:text k:count",
    ),
    "a query used twice": (
        (
            "WITH w AS (SELECT customer, SUM(amount) AS total FROM items GROUP BY customer) SELECT SUM(w.total) AS t "
            "FROM w WHERE w.total < (SELECT MAX(v.total) FROM w v)"
        ),
        "t:integer",
    ),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_traced_is_what_the_engine_says(engine: Engine, name: str) -> None:
    sql, columns, *grain = STATEMENTS[name]
    result = engine.run(sql, columns, grain=grain[0] if grain else "item")
    assert list(map(comparable, rows_of(result))) == list(map(comparable, engine.plain(sql)))
    for address, figure in result.figures():
        if figure.method in ("sum", "count"):
            assert sum(Decimal(str(c.amount)) for c in figure.contributions) == (figure.value or 0), address
        for id in (*figure.evidence, *figure.decided):
            assert id in result.evidence, address


def test_a_row_below_a_window_is_known_by_its_record(engine: Engine) -> None:
    sql, columns = STATEMENTS["windows below"][:2]
    result = engine.run(sql, columns)
    (figure,) = (figure for _, figure in result.figures())
    known = {item.id: item for item in result.evidence}
    groups = [known[contribution.evidence] for contribution in figure.contributions]
    assert [group.text for group in groups if isinstance(group, Group)] == ["1", "3", "5", "6"], "labels of the items"


def test_what_is_behind_a_count_is_shown_as_what_it_is(engine: Engine) -> None:
    sql, columns = STATEMENTS["a count by an amount below"][:2]
    result = engine.run(sql, columns)
    count = dict(result.figures())["s.c"]
    behind = {item.display for contribution in count.contributions for item in contribution.items}
    assert count.value == 1
    assert behind == {"1.5", "2.25"}


def test_all_is_compared_where_the_engine_has_it(engine: Engine) -> None:
    sql = (
        "SELECT SUM(amount) AS t FROM items i WHERE i.amount >= ALL "
        "(SELECT amount FROM items j WHERE j.customer = i.customer)"
    )
    if engine.source.dialect == "sqlite":
        with pytest.raises(StatementRefused, match=r"SQLite has no ALL \(SELECT …\)"):
            engine.run(sql, "t:integer")
    else:
        assert rows_of(engine.run(sql, "t:integer")) == engine.plain(sql)


WINDOWS = """
SELECT i.id, i.amount, SUM(i.amount) OVER (PARTITION BY i.kind ORDER BY i.due) AS running,
  SUM(i.price) OVER (PARTITION BY i.kind) AS total, RANK() OVER (ORDER BY i.amount DESC) AS place,
  COUNT(*) OVER (PARTITION BY i.customer) AS "count",
  MAX(i.amount) OVER (ORDER BY i.id) AS most
FROM items i WHERE i.due IS NOT NULL ORDER BY i.id
"""


def test_windows_are_computed_again(engine: Engine) -> None:
    columns = "id:integer amount:integer running:integer total:decimal place:integer count:count"
    result = engine.run(WINDOWS, f"{columns} most:integer", each="id")
    assert list(map(comparable, rows_of(result))) == list(map(comparable, engine.plain(WINDOWS)))


def test_a_running_sum_is_an_opening_balance_and_what_the_row_adds(engine: Engine) -> None:
    """And never the list of all rows before it, which would grow with the square."""
    columns = "id:integer amount:integer running:integer total:decimal place:integer count:count"
    rows = engine.run(WINDOWS, f"{columns} most:integer", each="id").tables["s"].rows
    running = rows[3].figures["running"]
    assert [(c.evidence, c.amount) for c in running.contributions] == [("item:3", 170), ("item:4", 30)]


def test_a_largest_value_of_a_window_cites_the_row_that_has_it(engine: Engine) -> None:
    sql = (
        "SELECT i.id, MAX(i.amount) OVER (PARTITION BY i.kind) AS most, MIN(i.amount) OVER (ORDER BY i.id) AS least, "
        "MAX(i.due) OVER (PARTITION BY i.customer) AS latest FROM items i ORDER BY i.id"
    )
    rows = engine.run(sql, "id:integer most:integer least:integer latest:date", each="id").tables["s"].rows
    cited = [tuple(row.figures[name].evidence for name in ("most", "least", "latest")) for row in rows[:4]]
    assert cited == [
        (("item:1",), ("item:1",), ("item:2",)),
        (("item:2",), ("item:2",), ("item:2",)),
        (("item:1",), ("item:2",), ("item:4",)),
        (("item:1",), ("item:4",), ("item:4",)),
    ]
    (one,) = rows[3].figures["most"].contributions
    assert (one.amount, rows[3].figures["most"].method, rows[3].figures["most"].rows) == (100, "maximum", RowsBehind(3))


def test_a_largest_value_of_a_window_below_is_shown_with_its_row(engine: Engine) -> None:
    sql = (
        "SELECT SUM(d.most) AS t FROM (SELECT i.id, MAX(i.amount) OVER (PARTITION BY i.kind) AS most FROM items i) d "
        "WHERE d.id = 4"
    )
    (figure,) = engine.run(sql, "t:integer").tables["s"].rows[0].figures.values()
    assert [(item.evidence, item.amount) for item in figure.contributions[0].items] == [("item:1", 100)]


def test_an_average_over_a_partition_is_one_of_its_rows(engine: Engine) -> None:
    sql = "SELECT i.id, SUM(i.amount) OVER (PARTITION BY i.kind) AS t FROM items i WHERE i.kind = 'a' ORDER BY i.id"
    if engine.source.dialect == "postgres":  # AVG differs between engines, so that it is one engine's own
        sql = sql.replace("SUM(", "AVG(")
        found = engine.run(sql, "id:integer t:decimal", each="id", engines=["postgres"]).tables["s"].rows
        made_of = [[(c.evidence, c.amount) for c in row.figures["t"].contributions] for row in found]
        assert made_of[0] == [("item:1", 100), ("item:3", 70), ("item:4", 30)]
        assert [row.figures["t"].method for row in found] == ["average"] * 3


def test_rows_of_inner_queries_are_joined(engine: Engine) -> None:
    columns = "id:integer billed:integer paid:integer difference:integer"
    result = engine.run(BILLED_AND_PAID, columns, grain="customer", each="id")
    assert rows_of(result) == engine.plain(BILLED_AND_PAID)
    billed = result.tables["s"].rows[0].figures["billed"]
    assert billed.method == "sum"
    assert [(c.evidence, c.amount) for c in billed.contributions] == [("item:1", 100), ("item:2", 50)]
    assert result.tables["s"].rows[0].figures["difference"].evidence == ("item:1", "item:2", "paid:1", "paid:2")


def test_an_open_item_shows_what_was_paid(engine: Engine) -> None:
    figure = engine.run(OPEN_ITEMS, "region:text open:integer").tables["s"].rows[0].figures["open"]
    first = figure.contributions[0]
    assert (first.evidence, first.amount) == ("item:1", 50)
    assert [(item.evidence, item.amount) for item in first.items] == [("paid:1", 40), ("paid:2", 10)]
    assert figure.evidence == ("item:1", "item:2", "item:5", "paid:1", "paid:2")


def test_a_contribution_that_is_a_group_is_cited_with_its_rows(engine: Engine) -> None:
    sql, columns = STATEMENTS["an aggregate over an aggregate"]
    figure = engine.run(sql, columns).tables["s"].rows[-1].figures["t"]
    assert [(c.amount, [i.evidence for i in c.items]) for c in figure.contributions] == [
        (150, ["item:1", "item:2"]),
        (100, ["item:3", "item:4"]),
    ]
    assert figure.contributions[0].evidence.startswith("group:ask.s.")


def test_rows_that_decide_are_apart_from_the_sum(engine: Engine) -> None:
    sql, columns = STATEMENTS["exists"]
    figure = engine.run(sql, columns).tables["s"].rows[0].figures["t"]
    assert figure.evidence == ("item:1", "item:3", "item:4")
    assert figure.decided == ("paid:1", "paid:2", "paid:3", "paid:4")


def test_what_was_not_found_is_stated(engine: Engine) -> None:
    sql, columns = STATEMENTS["not exists"]
    result = engine.run(sql, columns)
    (id,) = result.tables["s"].rows[0].figures["t"].decided
    absence = result.evidence.get(id, result.id)
    assert absence is not None
    assert absence.as_dict()["label"].startswith("No row of (SELECT 1")


def test_a_row_of_a_union_rests_on_rows_of_every_branch_each_under_its_own_record(engine: Engine) -> None:
    """Item 2 has the number of a customer and of a payment's item; keys of one table never name rows of another."""
    ids = (
        "SELECT c.id AS id FROM customers c WHERE c.id = 2 UNION SELECT p.item AS id FROM paid p WHERE p.item IN (1, 3)"
    )
    result = engine.run(f"SELECT SUM(i.amount) AS total FROM items i WHERE i.id IN ({ids})", "total:integer")
    (figure,) = result.tables["s"].rows[0].figures.values()
    assert figure.value == 220
    assert {id for id in figure.decided if not id.startswith("group:")} == {"customer:2", "paid:1", "paid:2", "paid:3"}
