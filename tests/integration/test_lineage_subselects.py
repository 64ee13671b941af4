"""Sub-selects on real engines: each is a function of what it is asked with, its rows are cited, and none counts twice."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.integration.test_lineage_levels import SCHEMA, Engine, comparable, engine, rows_of

from footnote.errors import TieOutError
from footnote.sources.opening import open_source

__all__ = ["engine"]

OVERLAPPING = {
    "a count of all rows before this one": (
        "SELECT COUNT(*) AS c FROM items i WHERE (SELECT COUNT(*) FROM paid p WHERE p.item <= i.id) > 2",
        "c:count",
        "item",
    ),
    "a total of all rows before this one": (
        (
            "SELECT i.id, (SELECT SUM(p.amount) FROM paid p JOIN items x ON x.id = p.item WHERE p.item <= i.id) AS total "
            "FROM items i ORDER BY i.id"
        ),
        "id:integer total:integer",
        "item",
    ),
    "not in, beside a group without a value": (
        (
            "SELECT COUNT(*) AS c FROM customers c WHERE c.id NOT IN "
            "(SELECT customer FROM items GROUP BY customer HAVING COUNT(*) > 1)"
        ),
        "c:count",
        "customer",
    ),
    "in, among what is known when it is added up": (
        "SELECT COUNT(*) AS c FROM customers c WHERE c.id IN (SELECT MAX(x.customer) FROM items x GROUP BY x.kind)",
        "c:count",
        "customer",
    ),
}


@pytest.mark.parametrize("name", OVERLAPPING)
def test_a_row_may_answer_for_several_values(engine: Engine, name: str) -> None:
    sql, columns, grain = OVERLAPPING[name]
    result = engine.run(sql, columns, grain=grain, each="id" if "ORDER BY i.id" in sql else "")
    assert list(map(comparable, rows_of(result))) == list(map(comparable, engine.plain(sql)))


TWICE = [
    # what a customer paid, taken off each of their items
    (
        (
            "SELECT SUM(i.amount - COALESCE((SELECT SUM(p.amount) FROM paid p JOIN items x ON x.id = p.item "
            "WHERE x.customer = i.customer), 0)) AS t FROM items i"
        ),
        "paid 1",
    ),
    ("SELECT SUM((SELECT LENGTH(c.name) FROM customers c WHERE c.id = i.customer)) AS t FROM items i", "customer 1"),
    ("SELECT SUM((SELECT SUM(p.amount) FROM paid p WHERE p.item <= i.id)) AS t FROM items i", "paid 1"),
    (
        (
            "SELECT SUM(w.t) AS t FROM (SELECT i.kind, SUM(i.amount + "
            "(SELECT c.id FROM customers c WHERE c.id = i.customer)) AS t FROM items i GROUP BY i.kind) w"
        ),
        "customer 1",
    ),
]


@pytest.mark.parametrize(("sql", "row"), TWICE)
def test_what_a_sub_select_gives_is_added_up_once(engine: Engine, sql: str, row: str) -> None:
    """In a join this is caught as a row of another table; a sub-select is only another way to write it."""
    with pytest.raises(TieOutError, match=f"{row} more than once"):
        engine.run(sql, "t:integer")


def test_what_a_sub_select_gives_is_added_up_once_among_many_rows(tmp_path: Path) -> None:
    """Two items far apart share a customer; their rows pass in batches, and none of them is kept."""
    path = tmp_path / "many.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA + "DELETE FROM items;")
        customers = [1, *[None] * 12_000, 1]
        connection.executemany("INSERT INTO items (customer, amount) VALUES (?, 1)", [(c,) for c in customers])
    source = open_source(f"sqlite:///{path}")
    sql = "SELECT SUM(i.amount - COALESCE((SELECT c.id FROM customers c WHERE c.id = i.customer), 0)) AS t FROM items i"
    many = Engine(source, lambda _: [])
    try:
        with pytest.raises(TieOutError, match="customer 1 more than once"):
            many.run(sql, "t:integer")
        assert rows_of(many.run(f"{sql} WHERE i.id > 1", "t:integer")) == [(12_000,)]
    finally:
        source.close()


def test_a_group_without_a_key_is_added_up_once_among_many_rows(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA + "DELETE FROM items;")
        kinds = [None, *map(str, range(12_000)), None]
        connection.executemany("INSERT INTO items (kind, amount) VALUES (?, 1)", [(kind,) for kind in kinds])
    source = open_source(f"sqlite:///{path}")
    groups = "(SELECT x.kind, SUM(x.amount) AS t FROM items x GROUP BY x.kind) AS d"
    try:
        with pytest.raises(TieOutError, match=r"twice in d\.t"):
            Engine(source, lambda _: []).run(
                f"SELECT SUM(d.t) AS t FROM items i JOIN {groups} ON d.kind IS NOT DISTINCT FROM i.kind", "t:integer"
            )
    finally:
        source.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(i.amount * (SELECT c.id FROM customers c WHERE c.id = i.customer)) AS t FROM items i",
        "SELECT SUM(i.amount - COALESCE((SELECT SUM(p.amount) FROM paid p WHERE p.item = i.id), 0)) AS t FROM items i",
        "SELECT SUM(CASE WHEN i.amount > (SELECT MIN(p.amount) FROM paid p) THEN i.amount END) AS t FROM items i",
        "SELECT SUM((SELECT MAX(p.amount) FROM paid p WHERE p.item = i.id)) AS t FROM items i",
    ],
)
def test_a_rate_a_limit_and_each_row_s_own_rows_are_no_repetition(engine: Engine, sql: str) -> None:
    assert list(map(comparable, rows_of(engine.run(sql, "t:integer")))) == list(map(comparable, engine.plain(sql)))


def test_a_value_read_off_another_row_is_cited_with_that_row(engine: Engine) -> None:
    sql = (
        "SELECT SUM(i.amount * (SELECT c.id FROM customers c WHERE c.id = i.customer)) AS t FROM items i WHERE i.id > 3"
    )
    (figure,) = engine.run(sql, "t:integer").tables["s"].rows[0].figures.values()
    below: dict[str, list[tuple[str, Any]]] = {
        one.evidence: [(item.evidence, item.amount) for item in one.items] for one in figure.contributions
    }
    assert below == {"item:4": [("customer:2", 2)], "item:5": [("customer:3", 3)]}
    assert {"customer:2", "customer:3"} <= set(figure.evidence)


def test_how_often_an_amount_counts_is_no_amount(engine: Engine) -> None:
    sql = "SELECT SUM(i.amount * (SELECT COUNT(*) FROM paid p WHERE p.item = i.id)) AS t FROM items i WHERE i.id < 5"
    (figure,) = engine.run(sql, "t:cents").tables["s"].rows[0].figures.values()
    shown = {one.display: [item.display for item in one.items] for one in figure.contributions}
    assert shown == {"€2.00": ["1", "1"], "€0.00": [], "€0.70": ["1"], "€0.30": ["1"]}


def test_an_amount_that_is_taken_off_is_shown_as_one(engine: Engine) -> None:
    sql = (
        "SELECT SUM(i.amount - (SELECT SUM(p.amount) FROM paid p WHERE p.item = i.id)) AS t FROM items i WHERE i.id = 1"
    )
    (figure,) = engine.run(sql, "t:cents").tables["s"].rows[0].figures.values()
    assert [item.display for item in figure.contributions[0].items] == ["€0.40", "€0.10"]


@pytest.mark.parametrize(
    "value", ["(SELECT c.id FROM customers c WHERE c.id = i.customer)", "COALESCE((SELECT MAX(p.id) FROM paid p), 0)"]
)
def test_a_value_of_another_record_cites_that_record_alone(engine: Engine, value: str) -> None:
    """So that a sum over the list finds that it would add it up once for each of its rows."""
    rows = (
        engine.run(f"SELECT i.id, {value} AS v FROM items i ORDER BY i.id", "id:integer v:integer", each="id")
        .tables["s"]
        .rows
    )
    cited = [id for row in rows[:2] for id in row.figures["v"].evidence]
    assert cited
    assert not any(id.startswith("item:") for id in cited)
    assert cited[: len(cited) // 2] == cited[len(cited) // 2 :]
