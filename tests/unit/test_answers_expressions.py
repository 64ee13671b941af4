"""Expressions over figures: exact, by currency, and nothing is compared with nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from footnote.catalog.model import Operation
from footnote.errors import CatalogError, CurrencyMismatch
from footnote.figures import Figure, FigureType, Format, Value
from footnote.operations.expressions import equal_amounts, evaluate_condition, evaluate_pair, evaluate_value
from footnote.operations.result import ResultRow, Table


def figure(name: str, value: Value, type: FigureType, currency: str = "", *evidence: str) -> Figure:
    return Figure(name, value, Format(type, currency=currency), "shown", evidence)


def row(count: int, amount: str | None, currency: str, id: str = "invoice:1") -> ResultRow:
    value = None if amount is None else Decimal(amount)
    return ResultRow(
        {
            "count": figure("count", count, FigureType.COUNT, "", id),
            "total": figure("total", value, FigureType.MONEY, currency, id),
        },
        id,
    )


def tables(*totals: ResultRow, lines: tuple[ResultRow, ...] = ()) -> dict[str, Table]:
    return {"totals": Table("totals", "one", totals), "lines": Table("lines", "many", lines)}


EURO, YEN = row(3, "10.10", "EUR", "invoice:1"), row(1, "7", "JPY", "invoice:2")


def columns(**types: str) -> dict[str, Any]:
    return {name: {"type": type} | ({"currency": "EUR"} if type == "money" else {}) for name, type in types.items()}


OPERATION = Operation.model_validate(
    {
        "title": "t",
        "description": "",
        "answer": "",
        "statements": {
            "totals": {
                "shape": "one",
                "statement": "SELECT 1",
                "columns": columns(count="count", total="money", oldest="integer"),
            },
            "lines": {"shape": "many", "statement": "SELECT 1", "columns": columns(count="count", total="money")},
        },
    }
)


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("count = 3", True),
        ("count > 2 AND total > 0", True),
        ("count > 3 OR NOT total <= 0", True),
        ("NOT count = 3", False),
        ("totals.count <> 3", False),
        ("(count + 1) * 2 - 8 = 0", True),
        ("total = 10.10", True),
        ("total > 10.09 AND total < 10.11", True),
        ("-total < 0", True),
        ("ratio(total, total) = 1", True),
        ("ratio(count, 0) = 0", False),
        ("ratio(count, 0) <> 0", False),
        ("ratio(total, count) > 3", True),
    ],
)
def test_conditions_are_exact(expression: str, holds: bool) -> None:
    assert evaluate_condition(expression, tables(EURO), {}) is holds


@pytest.mark.parametrize(
    ("expression", "some", "every"),
    [("count > 1", True, False), ("count >= 1", True, True), ("count = 0", False, False), ("total > 0", True, True)],
)
def test_several_currencies_are_judged_one_by_one(expression: str, some: bool, every: bool) -> None:
    several = tables(EURO, YEN)
    assert evaluate_condition(expression, several, {}) is some
    assert evaluate_condition(expression, several, {}, every=True) is every


def test_a_statement_without_rows_counts_nothing_and_has_nothing() -> None:
    def holds(expression: str) -> bool:
        return evaluate_condition(expression, tables(), {}, operation=OPERATION)

    assert holds("count = 0")
    assert holds("count(lines) = 0")
    assert not holds("total = 0")
    assert not holds("total <> 0")
    assert not holds("oldest < 5")
    assert not holds("sum(lines.total) = 0")
    assert evaluate_value("total", tables(), {}, operation=OPERATION) == ()


def test_null_compares_with_nothing() -> None:
    unknown = tables(row(1, None, "EUR"))
    assert not evaluate_condition("total = 0", unknown, {})
    assert not evaluate_condition("total <> 0", unknown, {})
    assert not evaluate_condition("total + total > -1", unknown, {})
    assert evaluate_value("total + total", unknown, {})[0].value is None


def test_values_keep_their_currency_and_their_evidence() -> None:
    found = evaluate_value("total + total", tables(EURO, YEN), {})
    assert [(a.currency, a.value, a.evidence, a.money) for a in found] == [
        ("EUR", Decimal("20.20"), ("invoice:1",), True),
        ("JPY", Decimal(14), ("invoice:2",), True),
    ]


def test_sums_and_counts_go_over_the_rows_by_currency() -> None:
    lines = (row(1, "4", "EUR", "invoice:5"), row(1, "6.10", "EUR", "invoice:6"), row(1, "7", "JPY", "invoice:7"))
    found = evaluate_value("sum(lines.total)", tables(lines=lines), {})
    assert [(a.currency, a.value, a.evidence) for a in found] == [
        ("EUR", Decimal("10.10"), ("invoice:5", "invoice:6")),
        ("JPY", Decimal(7), ("invoice:7",)),
    ]
    assert evaluate_value("count(lines)", tables(lines=lines), {})[0].value == 3
    assert evaluate_value("sum(lines.count)", tables(lines=lines), {})[0].value == 3


def test_a_check_compares_currency_by_currency() -> None:
    lines = (row(2, "4", "EUR"), row(1, "6.10", "EUR"), row(1, "7", "JPY"))
    both = tables(EURO, YEN, lines=lines)
    assert equal_amounts(*evaluate_pair("totals.total", "sum(lines.total)", both, {}))
    assert equal_amounts(*evaluate_pair("totals.count", "sum(lines.count)", both, {}))
    wrong = tables(EURO, row(1, "8", "JPY"), lines=lines)
    assert not equal_amounts(*evaluate_pair("totals.total", "sum(lines.total)", wrong, {}))
    swapped = tables(EURO, lines=(row(3, "10.10", "USD"),))
    assert not equal_amounts(*evaluate_pair("totals.total", "sum(lines.total)", swapped, {}))


def test_a_check_over_no_rows_holds_against_zero_and_null() -> None:
    for totals in ((), (row(0, "0", "EUR"),), (row(0, None, "EUR"),)):
        pair = evaluate_pair("totals.total", "sum(lines.total)", tables(*totals), {}, operation=OPERATION)
        assert equal_amounts(*pair)


def test_a_difference_keeps_a_currency_that_one_side_lacks() -> None:
    paid = Table("paid", "one", (ResultRow({"paid": figure("paid", Decimal(4), FigureType.MONEY, "EUR")}),))
    found = evaluate_value("total - paid", tables(EURO, YEN) | {"paid": paid}, {})
    assert [(a.currency, a.value) for a in found] == [("EUR", Decimal("6.10")), ("JPY", Decimal(7))]


def test_arithmetic_never_rounds_and_a_ratio_has_34_digits() -> None:
    exact = "0." + "1" * 60
    found = evaluate_value("total + total", tables(row(1, exact, "EUR")), {})
    assert found[0].value == Decimal("0." + "2" * 60)
    third = evaluate_value("ratio(1, count)", tables(EURO), {})[0].value
    assert third is not None
    assert len(third.as_tuple().digits) == 34


def test_derived_figures_have_names_too() -> None:
    derived = {"growth": figure("growth", Decimal("0.5"), FigureType.PERCENT)}
    assert evaluate_condition("growth > 0.4 AND derived.growth < 0.6", tables(EURO), derived)


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("nothing = 0", CatalogError),
        ("totals.nothing = 0", CatalogError),
        ("nowhere.total = 0", CatalogError),
        ("lines.total = 0", CatalogError),
        ("sum(lines.nothing) = 0", CatalogError),
        ("total + count > 0", CatalogError),
        ("total * total > 0", CatalogError),
        ("ratio(count, total) > 0", CatalogError),
        ("total > count", CatalogError),
        ("total", CatalogError),
        ("count AND total > 0", CatalogError),
        ("count = 'three'", CatalogError),
        ("count / 2 > 0", CatalogError),
        ("(SELECT 1) = 1", CatalogError),
    ],
)
def test_what_does_not_fit_is_refused(expression: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        evaluate_condition(expression, tables(EURO, lines=(EURO,)), {})


def test_a_condition_is_no_value() -> None:
    with pytest.raises(CatalogError):
        evaluate_value("count > 0", tables(EURO), {})


def test_a_threshold_without_currency_does_not_judge_two() -> None:
    assert evaluate_condition("total > 5", tables(EURO), {})
    assert evaluate_condition("total > 0", tables(EURO, YEN), {})
    with pytest.raises(CurrencyMismatch):
        evaluate_condition("total > 5", tables(EURO, YEN), {})


def test_a_name_in_two_statements_is_not_guessed() -> None:
    other = Table("other", "one", (EURO,))
    with pytest.raises(CatalogError, match="cannot be told"):
        evaluate_condition("count = 3", tables(EURO) | {"other": other}, {})
    assert evaluate_condition("other.count = 3", tables(EURO) | {"other": other}, {})
