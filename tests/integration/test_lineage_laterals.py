"""LATERAL that adds up, on engines that know it and on one that does not: the same figures, and rows on every level."""

from __future__ import annotations

from typing import Any

import pytest
from tests.integration.test_lineage_levels import Engine, engine, rows_of

from footnote.errors import StatementRefused, Untraceable

__all__ = ["engine"]

PAID = "LATERAL (SELECT COALESCE(SUM(p.amount), 0) AS paid, COUNT(*) AS times FROM paid AS p WHERE p.item = i.id) AS x"
LATEST = "LATERAL (SELECT MAX(p.paid_on) FROM paid AS p WHERE p.item = i.id) AS x(latest)"
BY_KIND = f"""
    SELECT i.kind, COUNT(*) AS many, SUM(x.paid) AS paid FROM items AS i CROSS JOIN {PAID}
    WHERE x.times > 0 GROUP BY i.kind ORDER BY i.kind
"""
GIVEN: list[tuple[str, str, list[tuple[Any, ...]]]] = [
    (f"SELECT SUM(i.amount - x.paid) AS open FROM items AS i CROSS JOIN {PAID}", "open:integer", [(150,)]),
    (f"SELECT SUM(i.amount - x.paid) AS open FROM items AS i, {PAID}", "open:integer", [(150,)]),
    (f"SELECT SUM(i.amount - x.paid) AS open FROM items AS i LEFT JOIN {PAID} ON TRUE", "open:integer", [(150,)]),
    (BY_KIND, "kind:text many:count paid:integer", [("a", 3, 125)]),
    (
        f"SELECT SUM(i.amount) AS total FROM items AS i CROSS JOIN {LATEST} WHERE x.latest > '2026-02-05'",
        "total:integer",
        [(130,)],
    ),
]


@pytest.mark.parametrize(("sql", "columns", "expected"), GIVEN)
def test_figures_through_lateral(engine: Engine, sql: str, columns: str, expected: list[tuple[Any, ...]]) -> None:
    assert rows_of(engine.run(sql, columns)) == expected


def test_what_a_lateral_adds_up_stands_under_the_row_beside_it(engine: Engine) -> None:
    result = engine.run(GIVEN[0][0], "open:integer")
    (figure,) = result.tables["s"].rows[0].figures.values()
    amounts = {one.evidence: one.amount for one in figure.contributions}
    assert amounts == {"item:1": 50, "item:2": 50, "item:3": 0, "item:4": 25, "item:5": 20, "item:6": 5}
    below = {one.evidence: [item.evidence for item in one.items] for one in figure.contributions}
    assert below["item:1"] == ["paid:1", "paid:2"]


def test_a_lateral_over_a_derived_table_of_the_row_beside_it_is_refused(engine: Engine) -> None:
    late = "(SELECT p.amount AS late FROM paid AS p WHERE p.item = i.id) AS z"
    with pytest.raises(Untraceable):
        engine.run(
            f"SELECT SUM(y.late) AS late FROM items AS i CROSS JOIN LATERAL (SELECT SUM(z.late) AS late FROM {late}) AS y",
            "late:integer",
        )


def test_a_function_under_lateral_is_refused_on_load(engine: Engine) -> None:
    with pytest.raises(StatementRefused):
        engine.run(
            "SELECT SUM(g.x) AS total FROM items AS i CROSS JOIN LATERAL generate_series(1, 3) AS g(x)", "total:integer"
        )


@pytest.mark.parametrize(
    "lateral",
    [
        "(SELECT p.amount AS paid FROM paid AS p WHERE p.item = i.id) AS x",
        "(SELECT SUM(p.amount) AS paid FROM paid AS p WHERE p.item = i.id GROUP BY p.paid_on) AS x",
        "(SELECT SUM(p.amount) AS paid FROM paid AS p WHERE p.item = i.id HAVING COUNT(*) > 1) AS x",
    ],
)
def test_a_lateral_that_may_give_no_row_or_several_is_refused(engine: Engine, lateral: str) -> None:
    with pytest.raises(Untraceable, match="one row"):
        engine.run(f"SELECT SUM(x.paid) AS paid FROM items AS i CROSS JOIN LATERAL {lateral}", "paid:integer")


def test_a_lateral_joined_on_a_condition_is_refused(engine: Engine) -> None:
    with pytest.raises(Untraceable, match="condition"):
        engine.run(f"SELECT SUM(x.paid) AS paid FROM items AS i JOIN {PAID} ON x.times > 1", "paid:integer")
