"""Periods: what they cover, and the one before, without gap or overlap."""

from __future__ import annotations

import contextlib
import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.operations.periods import parse_period

DAY = dt.timedelta(1)


@pytest.mark.parametrize(
    ("text", "first", "last", "prior_first"),
    [
        ("2026", "2026-01-01", "2026-12-31", "2025-01-01"),
        ("FY2026", "2026-01-01", "2026-12-31", "2025-01-01"),
        ("2026-Q1", "2026-01-01", "2026-03-31", "2025-10-01"),
        ("2026Q3", "2026-07-01", "2026-09-30", "2026-04-01"),
        ("2024-02", "2024-02-01", "2024-02-29", "2024-01-01"),
        ("2026-03-10..2026-03-12", "2026-03-10", "2026-03-12", "2026-03-07"),
    ],
)
def test_a_period_has_a_first_and_a_last_day_and_one_before(text: str, first: str, last: str, prior_first: str) -> None:
    period = parse_period(text)
    assert (period.first.isoformat(), period.last.isoformat()) == (first, last)
    assert period.prior_first.isoformat() == prior_first


def test_quarters_of_a_fiscal_year_count_from_its_own_start() -> None:
    period = parse_period("2026-Q1", year_end="03-31")
    assert (period.first, period.last) == (dt.date(2025, 4, 1), dt.date(2025, 6, 30))


@given(
    st.integers(1990, 2090),
    st.sampled_from(["{}", "FY{}", "{}-Q1", "{}-Q2", "{}-Q3", "{}-Q4", "{}-02", "{}-12"]),
    st.integers(1, 12),
)
def test_the_period_before_ends_the_day_before(year: int, form: str, month: int) -> None:
    period = parse_period(form.format(year), year_end=f"{month:02d}-28")
    assert period.prior_last + DAY == period.first
    assert period.prior_first < period.prior_last < period.first < period.last


@given(st.text(max_size=30))
def test_any_other_text_is_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        period = parse_period(text)
        assert period.first <= period.last


@pytest.mark.parametrize("text", ["0000", "2026-00", "9999-12-31..9999-12-30", "0001", "2026-02-30..2026-03-01"])
def test_a_period_outside_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="A period is"):
        parse_period(text)
