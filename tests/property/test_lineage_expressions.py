"""Random expressions over integers, NULLs and texts: SQLite's value and ours are the same."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from footnote.lineage.evaluate import evaluate
from footnote.lineage.expressions import compile_expression

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
