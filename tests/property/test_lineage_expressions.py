"""Random expressions over integers, NULLs and texts: SQLite's value and ours are the same."""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from decimal import Decimal
from typing import Any

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from footnote.lineage.columnwise import Columns
from footnote.lineage.evaluate import evaluate, truth
from footnote.lineage.expressions import Expr, NotComputable, compile_expression

NUMBERS, TEXTS = ("a", "b"), ("s", "t")

NUMBER_LEAVES = [*NUMBERS, "0", "1", "-2", "NULL"]
TEXT_LEAVES = [*TEXTS, "'x'", "'y'", "NULL"]

FORMS = (
    "({n} + {n})|({n} - {n})|({n} * {n})|(-({n}))|ABS({n})|COALESCE({n}, {n})|NULLIF({n}, {n})|"
    "CASE WHEN {c} THEN {n} ELSE {n} END|CASE WHEN {c} THEN {n} WHEN {c} THEN {n} END"
).split("|")
CONDITIONS = (
    "({n} = {n})|({n} <> {n})|({n} < {n})|({n} <= {n})|({n} > {n})|({n} >= {n})|({t} = {t})|({t} <> {t})|"
    "({n} BETWEEN {n} AND {n})|({n} IN ({n}, {n}))|({n} NOT IN ({n}, {n}))|({n} IS NULL)|({c} AND {c})|({c} OR {c})|"
    "(NOT {c})|({n} IS NOT DISTINCT FROM {n})"
).split("|")


@st.composite
def expressions(draw: st.DrawFn, kind: str, depth: int = 3) -> str:
    """An expression of a kind: a number, a text or a condition."""
    if kind == "t" or (kind == "n" and depth == 0):
        return draw(st.sampled_from(TEXT_LEAVES if kind == "t" else NUMBER_LEAVES))
    forms = FORMS if kind == "n" else [form for form in CONDITIONS if depth > 0 or "{c}" not in form]
    form = draw(st.sampled_from([*forms, *(["{n}"] if kind == "n" else [])]))
    return re.sub(r"\{(\w)\}", lambda slot: draw(expressions(slot[1], max(depth - 1, 0))), form)


rows = st.fixed_dictionaries(
    {name: st.none() | st.integers(-3, 3) for name in NUMBERS}
    | {name: st.none() | st.sampled_from("xyz") for name in TEXTS}
)


def ours(sql: str, row: dict[str, Any]) -> Any:
    names = list(row)

    def leaf(node: exp.Expr) -> list[Any] | None:
        return ["col", names.index(node.name)] if isinstance(node, exp.Column) else None

    compiled = compile_expression(sqlglot.parse_one(sql, read="postgres"), leaf)
    return evaluate(compiled, {"col": list(row.values())}, {})


def sqlites(sql: str, row: dict[str, Any]) -> Any:
    connection = sqlite3.connect(":memory:")
    columns = ", ".join(f":{name} AS {name}" for name in row)
    (value,) = connection.execute(f"SELECT {sql} FROM (SELECT {columns})", row).fetchone()
    connection.close()
    return value


@settings(max_examples=200)
@given(sql=expressions("n"), row=rows)
def test_a_number_is_the_number_that_sqlite_gives(sql: str, row: dict[str, Any]) -> None:
    assert ours(sql, row) == sqlites(sql, row)


@settings(max_examples=200)
@given(sql=expressions("c"), row=rows)
def test_a_condition_holds_as_in_sqlite(sql: str, row: dict[str, Any]) -> None:
    truth, expected = ours(sql, row), sqlites(sql, row)
    assert truth == (None if expected is None else bool(expected))


# --- many rows at once ------------------------------------------------------------------------------------------------

LEAVES = st.one_of(
    st.sampled_from([["col", 0], ["col", 1], ["col", 2], ["param", "p"], ["null"], ["bool", True]]),
    st.sampled_from(["1", "2.50", "-3", "0"]).map(lambda text: ["num", text]),
    st.sampled_from(["x", "2026-01-02", "2026-01-02 10:00"]).map(lambda text: ["text", text]),
    st.just(["date", "2026-01-02"]),
)
TWO = [
    "+",
    "-",
    "*",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "and",
    "or",
    "same",
    "other",
    "nullif",
    "days_between",
    "starts_with",
]
ONE = ["neg", "not", "isnull", "abs", "month_of", "padded"]


def wider(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.tuples(st.sampled_from(ONE), inner).map(list),
        st.tuples(st.sampled_from(TWO), inner, inner).map(list),
        st.tuples(st.sampled_from(["coalesce", "in"]), inner, inner, inner).map(list),
        st.tuples(inner, inner, inner).map(lambda three: ["case", [[three[0], three[1]]], three[2]]),
        inner.map(lambda one: ["inlist", one, ["param", "l"]]),
    )


VALUES = {
    "number": st.integers(-3, 3) | st.decimals(-3, 3, places=2),
    "text": st.sampled_from(["x", "y ", "2026-01-02"]),
    "day": st.dates(dt.date(2026, 1, 1), dt.date(2026, 1, 4)),
    "moment": st.datetimes(dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 4)),  # noqa: DTZ001 (as a database has them)
    "truth": st.booleans(),
    "anything": st.integers(0, 1) | st.booleans() | st.just("x") | st.just(dt.date(2026, 1, 2)),
}
some = st.sampled_from(sorted(VALUES)).flatmap(lambda kind: st.just(VALUES[kind]) | st.just(VALUES[kind] | st.none()))


@settings(max_examples=500)
@given(expr=st.recursive(LEAVES, wider, max_leaves=6), data=st.data())
def test_many_rows_at_once_give_what_each_gives_alone(expr: Expr, data: st.DataObject) -> None:
    kinds = [data.draw(some) for _ in range(3)]
    table = data.draw(st.lists(st.tuples(*kinds), min_size=1, max_size=4))
    parameters = {"p": data.draw(data.draw(some)), "l": tuple(data.draw(st.lists(data.draw(some), max_size=2)))}
    columns = Columns({"col": list(zip(*table, strict=True))}, len(table), parameters)
    together = columns.values(expr)
    if together is not None:
        alone = [evaluate(expr, {"col": row}, parameters) for row in table]
        assert [(type(value), value) for value in together] == [(type(value), value) for value in alone]
    holds = columns.truths(expr)
    if holds is not None:
        assert list(holds) == [truth(evaluate(expr, {"col": row}, parameters)) for row in table]


def test_what_a_query_mostly_has_is_computed_many_rows_at_once() -> None:
    """Otherwise the test above would hold of a function that never computes anything."""
    table = [(1, Decimal("2.50"), dt.date(2026, 1, 2), "x"), (None, Decimal("0.10"), dt.date(2026, 1, 3), None)]
    columns = Columns({"col": list(zip(*table, strict=True))}, 2, {"p": dt.date(2026, 1, 3)})
    product = ["*", ["col", 1], ["-", ["num", "1"], ["col", 0]]]
    assert columns.values(product) == [Decimal("0.00"), None]
    within = ["and", [">=", ["col", 2], ["text", "2026-01-02"]], ["<", ["col", 2], ["param", "p"]]]
    assert columns.truths(within) == [True, False]
    assert columns.values(["in", ["col", 3], ["text", "x"], ["text", "y"]]) == [True, None]
    assert columns.values(["case", [[["isnull", ["col", 0]], ["num", "7"]]], ["col", 0]]) == [1, 7]
    assert columns.values(["<", ["col", 3], ["text", "y"]]) is None  # the order of two texts


def test_a_sum_too_long_to_be_exact_is_left_to_the_row() -> None:
    columns = Columns({"col": [(Decimal("1e1500"),), (Decimal("1e-1500"),)]}, 1, {})
    assert columns.values(["+", ["col", 0], ["col", 1]]) is None
    with pytest.raises(NotComputable):
        evaluate(["+", ["col", 0], ["col", 1]], {"col": [Decimal("1e1500"), Decimal("1e-1500")]}, {})
