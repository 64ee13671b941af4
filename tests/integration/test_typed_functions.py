"""Footnote's own functions and list parameters mean the same on every engine, and the same as in Python."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote.catalog.functions import TYPED_FUNCTIONS
from footnote.errors import StatementRefused
from footnote.lineage.evaluate import evaluate
from footnote.lineage.expressions import compile_expression
from footnote.plans.dialects import ParameterTypes, template
from footnote.sources.opening import open_source
from footnote.sources.query import Column, ValueType
from footnote.sources.source import Source

WORDS = {dt.date: "DATE", dt.datetime: "TIMESTAMP", int: "BIGINT", Decimal: "DECIMAL"}

dates = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
moments = st.datetimes(dt.datetime.fromisoformat("1900-01-01"), dt.datetime.fromisoformat("2999-12-31")).map(
    lambda moment: moment.replace(microsecond=0)
)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
few = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module", params=["sqlite", "postgres", "mysql", "duckdb"])
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    if request.param == "sqlite":
        path: Path = tmp_path_factory.mktemp("functions") / "empty.db"
        path.touch()
        url = f"sqlite:///{path}"
    elif request.param == "duckdb":
        path = tmp_path_factory.mktemp("functions") / "empty.duckdb"
        duckdb.connect(str(path)).close()
        url = f"duckdb:///{path}"
    else:
        url = request.getfixturevalue(f"{request.param}_url")
    source = open_source(url, timeout=10, time_zone="Pacific/Auckland")
    yield source
    source.close()


def value_of(source: Source, sql: str, kind: ValueType, values: Mapping[str, Any]) -> Any:
    """What the engine gives for an expression, which is also what our own evaluation gives."""
    scalars = {name: WORDS[type(value)] for name, value in values.items() if type(value) in WORDS}
    lists = {name: WORDS.get(type(value[0]), "TEXT") for name, value in values.items() if isinstance(value, tuple)}
    tree = sqlglot.parse_one(f"SELECT {sql} AS v", read="postgres")
    plan = template(tree, source.dialect, ParameterTypes(scalars, lists), (Column("v", kind),))
    with source.snapshot() as snapshot:
        ((value,),) = snapshot.run(plan.bind(values)).all()
    ours = evaluate(compile_expression(sqlglot.parse_one(sql, read="postgres"), lambda _: None), {}, values)
    assert value == ours
    return value


@few
@given(later=dates | moments, earlier=dates | moments)
def test_days_between_is_the_difference_of_two_days(source: Source, later: dt.date, earlier: dt.date) -> None:
    def day(value: dt.date) -> dt.date:
        return value.date() if isinstance(value, dt.datetime) else value

    found = value_of(source, "days_between(:a, :b)", ValueType.INTEGER, {"a": later, "b": earlier})
    assert found == (day(later) - day(earlier)).days


@few
@given(day=dates | moments)
def test_year_quarter_and_month_of_a_day(source: Source, day: dt.date) -> None:
    year = f"{day.year:04d}"
    assert value_of(source, "year_of(:d)", ValueType.INTEGER, {"d": day}) == day.year
    assert value_of(source, "month_of(:d)", ValueType.TEXT, {"d": day}) == f"{year}-{day.month:02d}"
    assert value_of(source, "quarter_of(:d)", ValueType.TEXT, {"d": day}) == f"{year}-Q{(day.month - 1) // 3 + 1}"


@few
@given(text=texts, start=texts, rest=texts)
def test_starts_with_compares_letters_and_knows_no_wildcards(source: Source, text: str, start: str, rest: str) -> None:
    for whole in (text, start + rest, start.upper() + rest):
        found = value_of(source, "starts_with(:t, :s)", ValueType.BOOLEAN, {"t": whole, "s": start})
        assert found is whole.startswith(start)


@pytest.mark.parametrize(("text", "start"), [("50% off", "50%"), ("abc", "_b"), ("Straße", "strasse"), ("É", "E")])
def test_starts_with_takes_a_wildcard_or_an_accent_for_itself(source: Source, text: str, start: str) -> None:
    found = value_of(source, "starts_with(:t, :s)", ValueType.BOOLEAN, {"t": text, "s": start})
    assert found is text.startswith(start)


@few
@given(amount=st.integers(-(10**15), 10**15))
def test_money_is_the_number_itself(source: Source, amount: int) -> None:
    assert value_of(source, "money(:x)", ValueType.DECIMAL, {"x": amount}) == amount


@few
@given(value=st.integers(-(2**63), 2**63 - 1), items=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5))
def test_an_integer_is_in_a_list_or_not(source: Source, value: int, items: list[int]) -> None:
    for among in (items, [*items, value]):
        found = value_of(source, ":v IN :l", ValueType.BOOLEAN, {"v": value, "l": tuple(among)})
        assert found is (value in among)
        # on the left side stands an expression, which no column gives a type
        assert value_of(source, ":v * 1 IN :l", ValueType.BOOLEAN, {"v": value, "l": tuple(among)}) is (value in among)


@few
@given(value=texts, items=st.lists(texts, min_size=1, max_size=5))
def test_a_text_is_in_a_list_or_not(source: Source, value: str, items: list[str]) -> None:
    for among in (items, [*items, value]):
        found = value_of(source, ":v IN :l", ValueType.BOOLEAN, {"v": value, "l": tuple(among)})
        assert found is (value in among)


@few
@given(value=dates, items=st.lists(dates, min_size=1, max_size=5))
def test_a_day_is_in_a_list_or_not(source: Source, value: dt.date, items: list[dt.date]) -> None:
    for among in (items, [*items, value]):
        found = value_of(source, "NOT :v IN :l", ValueType.BOOLEAN, {"v": value, "l": tuple(among)})
        assert found is (value not in among)


decimals = st.decimals(-(10**9), 10**9, places=4)


@few
@given(value=decimals, items=st.lists(decimals, min_size=1, max_size=5))
def test_a_decimal_is_in_a_list_or_not(source: Source, value: Decimal, items: list[Decimal]) -> None:
    for among in (items, [*items, value]):
        found = value_of(source, ":v IN :l", ValueType.BOOLEAN, {"v": value, "l": tuple(among)})
        assert found is (value in among)


@pytest.mark.parametrize(
    "sql", ["days_between(:d, NULL)", "month_of(NULL)", "quarter_of(NULL)", "year_of(NULL)", "starts_with(NULL, 'a')"]
)
def test_null_makes_null(source: Source, sql: str) -> None:
    values = {"d": dt.date(2026, 8, 14)} if ":d" in sql else {}
    assert value_of(source, sql, ValueType.ANY, values) is None


def test_a_percent_sign_is_a_percent_sign(source: Source) -> None:
    assert value_of(source, ":t = '100%s %(x)s'", ValueType.BOOLEAN, {"t": "100%s %(x)s"}) is True


def test_a_ratio_is_refused_in_a_statement(source: Source) -> None:
    tree = sqlglot.parse_one("SELECT ratio(1, 3) AS v", read="postgres")
    with pytest.raises(StatementRefused, match="ratio"):
        template(tree, source.dialect, ParameterTypes({}, {}), (Column("v", ValueType.DECIMAL),))


def test_every_typed_function_is_tested_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in TYPED_FUNCTIONS if f'"{name}(:' not in text and f"SELECT {name}(" not in text] == []
