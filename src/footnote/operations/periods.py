"""Periods as people write them: `2026`, `2026-Q3`, `2026-08`, `FY2025`, `2026-01-01..2026-03-31`; and the one before."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from dataclasses import dataclass

_YEAR = re.compile(r"(?:FY)?(\d{4})")
_QUARTER = re.compile(r"(\d{4})-?Q([1-4])")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_RANGE = re.compile(r"(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})")


@dataclass(frozen=True, slots=True)
class Period:
    """First and last day, both included, and the same of the period before it."""

    first: dt.date
    last: dt.date
    prior_first: dt.date
    prior_last: dt.date

    @property
    def exact(self) -> str:
        """As recorded."""
        return f"{self.first.isoformat()}..{self.last.isoformat()}"


def parse_period(text: str, year_end: str = "12-31") -> Period:
    """The period a text names.

    Args:
        text: `2026`, `FY2025`, `2026-Q3`, `2026-08` or `first..last`. Years and quarters are those of the calendar.
        year_end: Last month and day of the fiscal year; `FY2025` ends in 2025.

    Raises:
        ValueError: If it names none; the text says what would.
    """
    text = text.strip()
    month = int(year_end[:2])
    try:
        if match := _YEAR.fullmatch(text):
            return _months(int(match[1]), month, 12, 12)
        if match := _QUARTER.fullmatch(text):
            ends = (int(match[1]) * 12 + month - 1) - 3 * (4 - int(match[2]))
            return _months(ends // 12, ends % 12 + 1, 3, 3)
        if match := _MONTH.fullmatch(text):
            return _months(int(match[1]), int(match[2]), 1, 1)
        if match := _RANGE.fullmatch(text):
            first, last = dt.date.fromisoformat(match[1]), dt.date.fromisoformat(match[2])
            if first <= last:
                length = (last - first).days + 1
                return Period(first, last, first - dt.timedelta(length), first - dt.timedelta(1))
    except (ValueError, OverflowError):
        pass
    raise ValueError("A period is 2026, 2026-Q3, 2026-08, FY2025 or 2026-01-01..2026-03-31.")


def _months(year: int, month: int, length: int, prior: int) -> Period:
    """The `length` months that end with this one, and the `prior` months before them."""
    first = _first_of(year, month, length - 1)
    return Period(first, _last_of(year, month), _first_of(first.year, first.month, prior), first - dt.timedelta(1))


def _first_of(year: int, month: int, months_before: int) -> dt.date:
    count = year * 12 + (month - 1) - months_before
    return dt.date(count // 12, count % 12 + 1, 1)


def _last_of(year: int, month: int) -> dt.date:
    return dt.date(year, month, calendar.monthrange(year, month)[1])
