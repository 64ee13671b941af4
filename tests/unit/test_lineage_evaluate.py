"""Row expressions outside the engine: SQL's meaning of NULL, truth, dates and texts, or a plain "not computable"."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from footnote.lineage.evaluate import evaluate, truth
from footnote.lineage.expressions import NotComputable, compile_expression

DAY = dt.date(2026, 8, 14)
MOMENT = dt.datetime.fromisoformat("2026-08-14T10:59:00")
ZONED = dt.datetime.fromisoformat("2026-08-14T23:30:00+02:00")


def value(sql: str, **row: Any) -> Any:
    """The value of an expression, whose columns and parameters stand in `row` (a parameter by `:name`)."""
    names = list(row)

    def leaf(node: exp.Expr) -> list[Any] | None:
        return ["col", names.index(node.name)] if isinstance(node, exp.Column) else None

    compiled = compile_expression(sqlglot.parse_one(sql, read="postgres"), leaf)
    return evaluate(compiled, {"col": list(row.values())}, row)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("NULL = NULL", None),
        ("NULL IS NULL", True),
        ("NULL AND FALSE", False),
        ("NULL AND TRUE", None),
        ("NULL OR TRUE", True),
        ("NULL OR FALSE", None),
        ("NOT NULL", None),
        ("1 IN (2, NULL)", None),
        ("1 IN (1, NULL)", True),
        ("1 NOT IN (2, NULL)", None),
        ("NULL IN (1)", None),
        ("1 + NULL", None),
        ("COALESCE(NULL, NULL, 3)", 3),
        ("NULLIF(1, 1)", None),
        ("NULLIF(1, NULL)", 1),
        ("CASE WHEN NULL THEN 1 ELSE 2 END", 2),
        ("CASE 3 WHEN 1 THEN 'a' WHEN 3 THEN 'b' END", "b"),
        ("CASE WHEN FALSE THEN 1 END", None),
        ("2 BETWEEN 1 AND NULL", None),
        ("0 BETWEEN 1 AND NULL", False),
        ("NULL IS DISTINCT FROM NULL", False),
        ("1 IS DISTINCT FROM NULL", True),
        ("1 IS NOT DISTINCT FROM 1", True),
        ("(NULL = 1) IS TRUE", False),
        ("(1 = 1) IS TRUE", True),
        ("(1 = 2) IS NOT TRUE", True),
        ("(NULL = 1) IS NOT FALSE", True),
        ("0.1 + 0.2", Decimal("0.3")),
        ("-(2 - 5) * 1.50", Decimal("4.50")),
        ("ABS(-3)", 3),
        ("1 = 1.00", True),
    ],
)
def test_constants_follow_sql(sql: str, expected: Any) -> None:
    assert value(sql) == expected
    assert type(value(sql)) is type(expected)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("d < m", True),
        ("d = DATE '2026-08-14'", True),
        ("m >= DATE '2026-08-14'", True),
        ("m = DATE '2026-08-14'", False),
        ("days_between(DATE '2026-09-01', d)", 18),
        ("days_between(m, d)", 0),
        ("month_of(d)", "2026-08"),
        ("quarter_of(d)", "2026-Q3"),
        ("year_of(m)", 2026),
    ],
)
def test_days_and_moments(sql: str, expected: Any) -> None:
    assert value(sql, d=DAY, m=MOMENT) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "t < 'b'",  # by which collation?
        "z < d",  # in which zone is the day?
        "month_of(z)",
        "t = 1",
        "t + 1",
        "b + 1",
        "b = 1",
        "starts_with(d, '2026')",
        "days_between(t, d)",
        "t AND TRUE",
    ],
)
def test_what_python_and_sql_may_see_differently_is_not_computed(sql: str) -> None:
    with pytest.raises(NotComputable):
        value(sql, t="a", z=ZONED, d=DAY, b=True)


@pytest.mark.parametrize(
    "sql",
    ["a / b", "a % b", "LOWER(t)", "t LIKE 'a%'", "CAST(a AS TEXT)", "t || 'x'", "DATE '2026-8-4'", "ratio(a, b)"],
)
def test_the_set_of_functions_is_closed(sql: str) -> None:
    with pytest.raises(NotComputable):
        value(sql, a=1, b=2, t="a")


def test_a_list_parameter_is_a_list() -> None:
    assert value("t IN :ts", t="b", ts=("a", "b")) is True
    assert value("t IN :ts", t="c", ts=("a", "b")) is False
    assert value("t IN :ts", t=None, ts=("a",)) is None


@pytest.mark.parametrize(("number", "expected"), [(0, False), (2, True), (Decimal("0.0"), False), (None, None)])
def test_a_number_is_a_condition_where_engines_have_no_other(number: Any, expected: bool | None) -> None:
    assert truth(number) is expected
    assert value("NOT a", a=number) is (None if expected is None else not expected)


def test_blanks_at_the_end_count_unless_the_column_is_padded() -> None:
    assert evaluate(["=", ["padded", ["col", 0]], ["text", "a"]], {"col": ["a   "]}, {}) is True
    assert evaluate(["=", ["col", 0], ["text", "a"]], {"col": ["a   "]}, {}) is False
    assert evaluate(["padded", ["col", 0]], {"col": [None]}, {}) is None


def test_arithmetic_never_rounds() -> None:
    tiny = Decimal("1e-400")  # beside a number of 400 digits, Python's default context would lose it
    assert value("(a + b) - a", a=Decimal(10) ** 400, b=tiny) == tiny


def test_more_digits_than_are_calculated_with_are_not_computed() -> None:
    with pytest.raises(NotComputable, match="digits"):
        value("a + b", a=Decimal("1e2000"), b=Decimal("1e-2000"))
