"""A figure is recorded exactly and read back as it was."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pytest

from footnote.errors import FigureError
from footnote.figures import Contribution, Figure, FigureType, Format, Value, display, exact_text, from_exact

EUR = Format(FigureType.MONEY, currency="EUR")
MOMENT = dt.datetime(2026, 8, 14, 13, 5, 0, 250_000, tzinfo=dt.timezone(dt.timedelta(hours=-5, minutes=-30)))


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (Decimal("43805.00"), "43805.00"),
        (Decimal("1E+3"), "1000"),
        (Decimal("1E-7"), "0.0000001"),
        (Decimal("-0.00"), "0.00"),
        (2**53 - 1, 2**53 - 1),
        (2**53, "9007199254740992"),
        (-(2**53), "-9007199254740992"),
        (dt.date(2026, 8, 14), "2026-08-14"),
        (MOMENT, "2026-08-14T13:05:00.250000-05:30"),
        (True, True),
        (None, None),
        ("text", "text"),
    ],
)
def test_a_value_has_one_recorded_form(value: Value, exact: object) -> None:
    recorded = exact_text(value)
    assert recorded == exact
    assert type(recorded) is type(exact)
    assert json.loads(json.dumps(recorded)) == exact


@pytest.mark.parametrize("value", [1.5, float("inf"), Decimal("NaN"), b"", object()])
def test_what_is_not_exact_has_no_recorded_form(value: object) -> None:
    with pytest.raises(FigureError):
        exact_text(value)  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize(
    ("recorded", "type"),
    [
        (1.5, FigureType.DECIMAL),
        ("1e5", FigureType.DECIMAL),
        ("1,5", FigureType.MONEY),
        ("NaN", FigureType.DECIMAL),
        (" 1", FigureType.INTEGER),
        ("1.5", FigureType.COUNT),
        ("٤", FigureType.INTEGER),
        (True, FigureType.INTEGER),
        (1, FigureType.BOOLEAN),
        ("2026-02-30", FigureType.DATE),
        ("20260814", FigureType.DATE),
        ("2026-08-14", FigureType.DATETIME),
        ("2026-08-14 13:05:00", FigureType.DATETIME),
        (20260814, FigureType.DATE),
        ("9" * 5000, FigureType.INTEGER),
        ([], FigureType.TEXT),
        ({}, FigureType.DECIMAL),
    ],
)
def test_json_that_is_not_a_recorded_form_is_refused(recorded: object, type: FigureType) -> None:
    with pytest.raises(FigureError):
        from_exact(recorded, type)


def total() -> Figure:
    rows = [("invoice:8812", "18450.00"), ("invoice:8834", "9625.00"), ("credit:1", "-70.00")]
    value = sum((Decimal(amount) for _, amount in rows), Decimal(0))
    return Figure(
        name="totalOutstanding",
        value=value,
        format=EUR,
        display=display(value, EUR, "de-DE"),
        evidence=tuple(id for id, _ in rows),
        contributions=tuple(Contribution(id, Decimal(a), display(Decimal(a), EUR, "de-DE")) for id, a in rows),
        method="sum",
    )


def test_a_figure_is_recorded_with_what_it_rests_on() -> None:
    recorded = total().as_dict()
    assert recorded | {"contributions": recorded["contributions"][:1]} == {
        "name": "totalOutstanding",
        "type": "money",
        "value": "28005.00",
        "display": "28.005,00\u00a0€",
        "currency": "EUR",
        "method": "sum",
        "evidence": ["invoice:8812", "invoice:8834", "credit:1"],
        "contributions": [{"evidence": "invoice:8812", "amount": "18450.00", "display": "18.450,00\u00a0€"}],
    }


def test_what_is_empty_is_left_out_of_a_record() -> None:
    figure = Figure("days", 104, Format(FigureType.INTEGER), "104")
    assert set(figure.as_dict()) == {"name", "type", "value", "display", "evidence"}


@pytest.mark.parametrize(
    "figure",
    [
        total(),
        Figure("days", 104, Format(FigureType.INTEGER, unit="days"), "104", ("invoice:1",), (), "maximum"),
        Figure("rate", Decimal("0.10"), Format(FigureType.PERCENT, scale=1), "10,0 %", method="derived"),
        Figure("nothing", None, EUR, ""),
        Figure("huge", 2**60, Format(FigureType.COUNT), "…"),
        Figure(
            "days",
            2,
            Format(FigureType.COUNT),
            "2",
            contributions=(
                Contribution("row:1", dt.date(2026, 8, 14)),
                Contribution("row:2", MOMENT),
                Contribution("row:3", "2026-08-14"),
                Contribution("row:4", "17"),
                Contribution("row:5", Decimal("0.5")),
                Contribution("row:6", True),
                Contribution("row:7", None),
            ),
            method="count distinct",
        ),
    ],
)
def test_a_figure_is_read_back_as_it_was(figure: Figure) -> None:
    assert Figure.from_dict(json.loads(json.dumps(figure.as_dict()))) == figure


@pytest.mark.parametrize(
    "change",
    [
        {"type": "amount"},
        {"type": None},
        {"value": 1.5},
        {"value": "many"},
        {"currency": "XYZ"},
        {"method": "guess"},
        {"contributions": [{}]},
        {"contributions": [7]},
        {"contributions": 7},
        {"scale": "two"},
    ],
)
def test_a_record_that_is_no_figure_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(FigureError):
        Figure.from_dict(total().as_dict() | change)


def test_a_record_that_lacks_a_part_is_refused() -> None:
    for part in ("name", "type", "value", "display"):
        recorded = total().as_dict()
        del recorded[part]
        with pytest.raises(FigureError, match="not a recorded figure"):
            Figure.from_dict(recorded)


def test_gross_plus_and_minus_add_up_to_the_sum() -> None:
    plus, minus = total().gross()
    assert (plus, minus) == (Decimal("28075.00"), Decimal("-70.00"))
    assert plus + minus == total().value


def test_only_a_sum_has_a_gross() -> None:
    with pytest.raises(FigureError, match="not a sum"):
        Figure("n", 1, Format(FigureType.COUNT), "1", method="count").gross()


def test_a_figure_does_not_hold_a_value_of_another_type() -> None:
    with pytest.raises(FigureError):
        Figure("n", "many", Format(FigureType.COUNT), "many")
    with pytest.raises(FigureError):
        Contribution("row:1", 0.5)  # type: ignore[arg-type]  # what is tested
