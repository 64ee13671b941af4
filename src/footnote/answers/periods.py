"""Dates and periods of a question: found, and bound to the parameter that means them, or left over.

A time expression that no parameter of the target can take is marked, so that it is neither taken for a name nor
passed over: a figure for another period than asked is a wrong figure.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.answers.question import Token, fold
from footnote.answers.target import Target
from footnote.answers.words import MONTHS, TIME_WORDS

_UNITS = ("year", "quarter", "month")
_NOW = ("today", "now")
_SO_FAR = {"ytd": "year", "qtd": "quarter", "mtd": "month"}
_LAST = ("last", "previous", "prior")
_QUARTERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_NO_YEAR_AFTER = ("top", "from", "to", "by", "at", "on", "through", "than", "over", "under", "above", "below")


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
        return fold(token.bare) if token is not None and token.kind in ("word", "number") else ""

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
    """`as of 2026-07-31`, `on 31 July 2026`, `as of today`, `today`; what else follows `as of` is no date."""
    skip = 2 if reader.words(index, "as", "of") or reader.words(index, "as", "at") else 0
    dated = skip == 2
    skip = skip or (1 if reader.word(index) in ("on", "at") else 0)
    as_of = reader.target.as_of
    if reader.word(index + skip) in _NOW and (dated or reader.word(index) == "today"):
        return When(index, index + skip + 1, bound=bool(as_of) or reader.word(index + skip) == "now")
    skip += 1 if skip and reader.word(index + skip) == "the" else 0
    date = _date(reader, index + skip) if skip else None
    if date is not None:
        return When(index, date[1], as_of, date[0], bound=bool(as_of))
    return When(index, _end_of_time(reader, index + skip)) if dated else None


def _end_of_time(reader: _Reader, index: int) -> int:
    """The index after words and numbers that speak of time, without saying a day."""
    while word := reader.word(index):
        time = word in TIME_WORDS or word in MONTHS or word in ("end", "start", "beginning", "of", "the")
        if not time and not word[0].isdigit():
            break
        index += 2 if index + 1 < len(reader.tokens) and reader.tokens[index + 1].text in ("/", "-") else 1
    return index


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
    if reader.word(index) in _UNITS and reader.words(index + 1, "to", "date"):
        return _current(reader, index, index + 3, reader.word(index))
    if reader.word(index) in _SO_FAR:
        return _current(reader, index, index + 1, _SO_FAR[reader.word(index)])
    unit = reader.word(start + 1)
    if unit not in _UNITS:
        return None
    after = start + 2
    if reader.word(start) == "this":
        return _current(reader, index, after + (2 if reader.words(after, "so", "far") else 0), unit)
    period = None if reader.target.fiscal else reader.target.period  # "last year" may mean either
    if start == index and reader.word(index) in _LAST and period and reader.today:
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
    """`in 2026`, `in August 2026`, `2026-08`, `Q3 2026`, `2026-Q3`, `first quarter of 2026`, `FY2025`, and `2025` alone."""
    skip = 1 if reader.word(index) in ("in", "during", "for", "of", "year") else 0
    at = index + skip
    fiscal = _fiscal_year(reader, at)
    if fiscal is not None:
        return _period_bound(reader, index, fiscal[1], fiscal[0])
    quarter = _quarter(reader, at)
    if quarter is not None:
        return _period_bound(reader, index, quarter[1], quarter[0])
    if re.fullmatch("q[1-4]", reader.word(at)):
        return When(index, at + 1)
    month = _month_start(reader, at)
    if month is not None:
        return _period_bound(reader, index, month[1], month[0][:7])
    if skip and reader.word(at) in MONTHS and reader.word(index) in ("in", "during"):
        return When(index, at + 1)
    return _named_year(reader, index, at) if skip else _year_alone(reader, index)


def _fiscal_year(reader: _Reader, at: int) -> tuple[str, int] | None:
    """`FY2025`, `FY 2025`, `fiscal year 2025`, as a period and the index after it."""
    joined = re.fullmatch(r"fy(\d{4})", reader.word(at), re.ASCII)
    if joined:
        return f"FY{joined[1]}", at + 1
    named = reader.words(at, "fiscal", "year") or reader.words(at, "financial", "year")
    after = at + 2 if named else at + 1
    if (named or reader.word(at) == "fy") and _year(reader.word(after)):
        return f"FY{reader.word(after)}", after + 1
    return None


def _quarter(reader: _Reader, at: int) -> tuple[str, int] | None:
    """`Q3 2026`, `Q3/2026`, `2026-Q3`, `2026Q3`, `third quarter of 2026`, as a period and the index after it."""
    joined = re.fullmatch(r"(\d{4})(q[1-4])", reader.word(at), re.ASCII)
    if joined and _year(joined[1]):
        return f"{joined[1]}-{joined[2].upper()}", at + 1
    if re.fullmatch("q[1-4]", reader.word(at + 1)) and _year(reader.word(at)):
        return f"{reader.word(at)}-{reader.word(at + 1).upper()}", at + 2
    after = at + 1
    if re.fullmatch("q[1-4]", reader.word(at)):
        number = int(reader.word(at)[1])
        slash = after < len(reader.tokens) and reader.tokens[after].text == "/"
        after += 1 if slash or reader.word(after) == "of" else 0
    elif reader.word(at) in _QUARTERS and reader.word(after) == "quarter":
        number = _QUARTERS[reader.word(at)]
        after += 2 if reader.word(after + 1) == "of" else 1
    else:
        return None
    return (f"{reader.word(after)}-Q{number}", after + 1) if _year(reader.word(after)) else None


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


def _year_alone(reader: _Reader, index: int) -> When | None:
    """`revenue 2025`: a year where a period can be meant, and no record's number."""
    year = _year(reader.word(index))
    if not year or reader.target.period is None or reader.target.entities:
        return None
    return None if reader.word(index - 1) in _NO_YEAR_AFTER else _period_bound(reader, index, index + 1, year)


def _period_bound(reader: _Reader, first: int, after: int, value: str) -> When:
    period = reader.target.period
    return When(first, after, period.name if period else "", value, bound=period is not None)


def _bare_date(reader: _Reader, index: int) -> When | None:
    """A date that no word says the meaning of."""
    date = _date(reader, index)
    return None if date is None else When(index, date[1])


_READERS: tuple[Callable[[_Reader, int], When | None], ...] = (_as_of, _since, _this, _named_period, _bare_date)


def _date(reader: _Reader, index: int) -> tuple[str, int] | None:
    """A date that begins at `index`, as ISO 8601, and the index after it.

    With points the day stands first wherever points are used; `05/06/2026` is nobody's date.
    """
    word = reader.word(index)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", word, re.ASCII):
        return _iso(word, index + 1)
    if re.fullmatch(r"\d{1,2}\.\d{1,2}\.\d{4}", word, re.ASCII):
        day, month, year = word.split(".")
        return _iso(f"{year}-{int(month):02}-{int(day):02}", index + 1)
    between = 1 if reader.word(index + 1) == "of" and _day(word) else 0
    month, last = reader.word(index + 1 + between), index + 2 + between
    if word in MONTHS and _day(reader.word(index + 1)):
        month, word, last = word, reader.word(index + 1), index + 2
    if month not in MONTHS or not _day(word) or not _year(reader.word(last)):
        return None
    return _iso(f"{reader.word(last)}-{MONTHS[month]:02}-{_day(word):02}", last + 1)


def _iso(text: str, after: int) -> tuple[str, int] | None:
    try:
        return dt.date.fromisoformat(text).isoformat(), after
    except ValueError:
        return None


def _month_start(reader: _Reader, index: int) -> tuple[str, int] | None:
    """`July 2026`, `July of 2026` or `2026-07`, as its first day, and the index after it."""
    if re.fullmatch(r"(19|20)\d\d-(0[1-9]|1[0-2])", reader.word(index), re.ASCII):
        return f"{reader.word(index)}-01", index + 1
    year = index + (2 if reader.word(index + 1) == "of" else 1)
    if reader.word(index) in MONTHS and _year(reader.word(year)):
        return f"{reader.word(year)}-{MONTHS[reader.word(index)]:02}-01", year + 1
    return None


def first_day(value: str) -> dt.date | None:
    """The first day of a date, year, quarter or month; None for a fiscal year, of which the calendar is not known."""
    parts = re.fullmatch(r"(\d{4})(?:-(?:Q([1-4])|(\d\d)(?:-(\d\d))?))?", value, re.ASCII)
    if parts is None:
        return None
    month = int(parts[2]) * 3 - 2 if parts[2] else int(parts[3] or 1)
    return dt.date(int(parts[1]), month, int(parts[4] or 1))


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
