"""Dates and periods of a question: found, and bound to the parameter that means them, or left over.

A time expression that no parameter of the target can take is marked, so that it is neither taken for a name nor
passed over: a figure for another period than asked is a wrong figure.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.answers.question import Token
from footnote.answers.target import Target
from footnote.answers.words import MONTHS

_UNITS = ("year", "quarter", "month")
_NOW = ("today", "now")


@dataclass(frozen=True, slots=True)
class When:
    """A time expression in a question.

    Attributes:
        first: Index of its first token.
        after: Index after its last token.
        parameter: The parameter it gives a value for; empty if no parameter can take it, or if the default says it.
        value: The value, ISO 8601 or a period.
        bound: Whether the target honours it.
    """

    first: int
    after: int
    parameter: str = ""
    value: str = ""
    bound: bool = False


@dataclass(frozen=True, slots=True)
class _Reader:
    tokens: Sequence[Token]
    target: Target
    today: dt.date | None

    def word(self, index: int) -> str:
        token = self.tokens[index] if 0 <= index < len(self.tokens) else None
        return token.folded if token is not None and token.kind in ("word", "number") else ""

    def words(self, index: int, *wanted: str) -> bool:
        return all(self.word(index + offset) == word for offset, word in enumerate(wanted))


def find_times(tokens: Sequence[Token], target: Target, *, today: dt.date | None) -> tuple[When, ...]:
    """Every time expression of a question, in order, none overlapping."""
    reader = _Reader(tokens, target, today)
    found: list[When] = []
    index = 0
    while index < len(tokens):
        when = next((w for read in _READERS if (w := read(reader, index)) is not None), None)
        if when is None:
            index += 1
        else:
            found.append(when)
            index = when.after
    return tuple(found)


def _as_of(reader: _Reader, index: int) -> When | None:
    """`as of 2026-07-31`, `on 31 July 2026`, `as of today`, `today`."""
    skip = 2 if reader.words(index, "as", "of") or reader.words(index, "as", "at") else 0
    skip = skip or (1 if reader.word(index) in ("on", "at") else 0)
    as_of = reader.target.as_of
    if reader.word(index + skip) in _NOW and (skip == 2 or reader.word(index) == "today"):
        return When(index, index + skip + 1, bound=bool(as_of) or reader.word(index + skip) == "now")
    date = _date(reader, index + skip) if skip else None
    if date is None:
        return None
    value, after = date
    return When(index, after, as_of, value, bound=bool(as_of))


def _since(reader: _Reader, index: int) -> When | None:
    """`since 2026-03-01`, `since March 2026`, `since 2026`."""
    if reader.word(index) != "since":
        return None
    parameter = reader.target.since
    found = _date(reader, index + 1) or _month_start(reader, index + 1)
    year = _year(reader.word(index + 1))
    if found is None and year:
        found = f"{year}-01-01", index + 2
    if found is None:
        after = index + 2 if reader.word(index + 1) in MONTHS else index + 1
        return When(index, after)
    return When(index, found[1], parameter.name if parameter else "", found[0], bound=parameter is not None)


def _this(reader: _Reader, index: int) -> When | None:
    """`this year`, `so far this quarter`, `year to date`, `last month`."""
    start = index + 2 if reader.words(index, "so", "far") else index
    if reader.words(index, "year", "to", "date") or reader.word(index) == "ytd":
        return _current(reader, index, index + (1 if reader.word(index) == "ytd" else 3), "year")
    unit = reader.word(start + 1)
    if unit not in _UNITS:
        return None
    after = start + 2
    if reader.word(start) == "this":
        return _current(reader, index, after + (2 if reader.words(after, "so", "far") else 0), unit)
    period = None if reader.target.fiscal else reader.target.period  # "last year" may mean either
    if start == index and reader.word(index) in ("last", "previous") and period and reader.today:
        value = _period(_step_back(reader.today, unit), unit)
        return When(index, after, period.name, value, bound=True)
    return None


def _current(reader: _Reader, first: int, after: int, unit: str) -> When:
    """The year, quarter or month that today is in."""
    today, period, since = reader.today, reader.target.period, reader.target.since
    if period is not None and reader.target.fiscal:
        return When(first, after)
    if period is not None and today is not None:
        return When(first, after, period.name, _period(today, unit), bound=True)
    if since is not None and unit == "year" and since.default == "start_of_year":
        return When(first, after, bound=True)
    if since is not None and today is not None:
        return When(first, after, since.name, _start(today, unit).isoformat(), bound=True)
    return When(first, after)


def _named_period(reader: _Reader, index: int) -> When | None:
    """`in 2026`, `in August 2026`, `Q3 2026`, `2026-Q3`, `FY2025`."""
    skip = 1 if reader.word(index) in ("in", "during", "for", "of", "year") else 0
    at = index + skip
    fiscal = re.fullmatch(r"fy(\d{4})", reader.word(at), re.ASCII)
    if fiscal:
        return _period_bound(reader, index, at + 1, f"FY{fiscal[1]}")
    for quarter, year in ((at, at + 1), (at + 1, at)):
        if re.fullmatch("q[1-4]", reader.word(quarter)) and _year(reader.word(year)):
            return _period_bound(reader, index, at + 2, f"{reader.word(year)}-{reader.word(quarter).upper()}")
    if re.fullmatch("q[1-4]", reader.word(at)):
        return When(index, at + 1)
    month = _month_start(reader, at)
    if month is not None:
        return _period_bound(reader, index, month[1], month[0][:7])
    if skip and reader.word(at) in MONTHS and reader.word(index) in ("in", "during"):
        return When(index, at + 1)
    return _named_year(reader, index, at) if skip else None


def _named_year(reader: _Reader, index: int, at: int) -> When | None:
    year = _year(reader.word(at))
    if not year:
        return None
    if reader.target.period is not None:
        return _period_bound(reader, index, at + 1, year)
    if reader.word(index) in ("for", "of"):  # it may be a customer's number
        return None
    since = reader.target.since
    if since is not None and reader.today is not None and reader.today.year == int(year):
        return When(index, at + 1, since.name, f"{year}-01-01", bound=True)
    return When(index, at + 1)


def _period_bound(reader: _Reader, first: int, after: int, value: str) -> When:
    period = reader.target.period
    return When(first, after, period.name if period else "", value, bound=period is not None)


def _bare_date(reader: _Reader, index: int) -> When | None:
    """A date that no word says the meaning of."""
    date = _date(reader, index)
    return None if date is None else When(index, date[1])


_READERS: tuple[Callable[[_Reader, int], When | None], ...] = (_as_of, _since, _this, _named_period, _bare_date)


def _date(reader: _Reader, index: int) -> tuple[str, int] | None:
    """A date that begins at `index`, as ISO 8601, and the index after it. `05/06/2026` is nobody's date."""
    word = reader.word(index)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", word, re.ASCII):
        return _iso(word, index + 1)
    if word in MONTHS and _day(reader.word(index + 1)) and _year(reader.word(index + 2)):
        month, day = word, _day(reader.word(index + 1))
    elif reader.word(index + 1) in MONTHS and _day(word) and _year(reader.word(index + 2)):
        month, day = reader.word(index + 1), _day(word)
    else:
        return None
    return _iso(f"{reader.word(index + 2)}-{MONTHS[month]:02}-{day:02}", index + 3)


def _iso(text: str, after: int) -> tuple[str, int] | None:
    try:
        return dt.date.fromisoformat(text).isoformat(), after
    except ValueError:
        return None


def _month_start(reader: _Reader, index: int) -> tuple[str, int] | None:
    if reader.word(index) in MONTHS and _year(reader.word(index + 1)):
        return f"{reader.word(index + 1)}-{MONTHS[reader.word(index)]:02}-01", index + 2
    return None


def _day(word: str) -> int:
    found = re.fullmatch(r"(\d{1,2})(st|nd|rd|th)?", word, re.ASCII)
    return int(found[1]) if found else 0


def _year(word: str) -> str:
    return word if re.fullmatch(r"(19|20)\d\d", word, re.ASCII) else ""


def _start(day: dt.date, unit: str) -> dt.date:
    if unit == "year":
        return day.replace(month=1, day=1)
    return day.replace(month=day.month if unit == "month" else (day.month - 1) // 3 * 3 + 1, day=1)


def _step_back(day: dt.date, unit: str) -> dt.date:
    return _start(day, unit) - dt.timedelta(days=1)


def _period(day: dt.date, unit: str) -> str:
    if unit == "year":
        return str(day.year)
    return f"{day.year}-{day.month:02}" if unit == "month" else f"{day.year}-Q{(day.month - 1) // 3 + 1}"
