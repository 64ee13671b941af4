"""Dates and periods as documents write them, in English, German, French and Polish.

Nothing is guessed: 05/06/2024 is ambiguous and says so. Text is folded (`folding`). Pure.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_MONTHS = {
    1: "january jan januar janner janvier janv stycznia styczen styczniu",
    2: "february feb februar feber fevrier fevr lutego luty lutym",
    3: "march mar marz maerz mars marca marzec marcu",
    4: "april apr avril kwietnia kwiecien kwietniu",
    5: "may mai maja maj maju",
    6: "june jun juni juin czerwca czerwiec czerwcu",
    7: "july jul juli juillet lipca lipiec lipcu",
    8: "august aug aout sierpnia sierpien sierpniu",
    9: "september sept sep septembre wrzesnia wrzesien wrzesniu",
    10: "october oct oktober okt octobre pazdziernika pazdziernik pazdzierniku",
    11: "november nov novembre listopada listopad listopadzie",
    12: "december dec dezember dez decembre grudnia grudzien grudniu",
}
MONTHS: dict[str, int] = {name: n for n, names in _MONTHS.items() for name in names.split()}
"""Folded names of months, and what they are abbreviated to."""

_ORDINALS = {
    "first": 1, "1st": 1, "erstes": 1, "ersten": 1, "erste": 1, "premier": 1, "pierwszy": 1, "pierwszym": 1,
    "pierwszego": 1, "second": 2, "2nd": 2, "zweites": 2, "zweiten": 2, "zweite": 2, "deuxieme": 2, "drugi": 2,
    "drugim": 2, "drugiego": 2, "third": 3, "3rd": 3, "drittes": 3, "dritten": 3, "dritte": 3, "troisieme": 3,
    "trzeci": 3, "trzecim": 3, "trzeciego": 3, "fourth": 4, "4th": 4, "viertes": 4, "vierten": 4, "vierte": 4,
    "quatrieme": 4, "czwarty": 4, "czwartym": 4, "czwartego": 4, "i": 1, "ii": 2, "iii": 3, "iv": 4,
    "1": 1, "2": 2, "3": 3, "4": 4, "1er": 1, "2e": 2, "3e": 3, "4e": 4,
}  # fmt: skip
_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_DAY_ORDINAL = _DAY + r"(?:\s?(?:st|nd|rd|th|er|\.))?"
_ORDINAL = "(?:" + "|".join(sorted(_ORDINALS, key=len, reverse=True)) + r")\.?"
_QUARTER = r"(?:quarter|quartals?|trimestre|kwartale|kwartalu|kwartal)"
_FISCAL = (
    r"(?:fiscal\s+years?|financial\s+years?|fiscal|geschaftsjahr(?:es)?|exercice|rok\s+obrotowy|roku\s+obrotowego)"
)
_PATTERN = re.compile(
    rf"""(?<![\w])(?:
      (?P<iso>(?P<iy>{_YEAR})-(?P<im>0[1-9]|1[0-2])-(?P<id>0[1-9]|[12]\d|3[01]))(?!\d)
    | (?P<dots>(?P<dd>{_DAY})\.\s?(?P<dm>0?[1-9]|1[0-2])\.\s?(?P<dy>{_YEAR}))(?!\d)
    | (?P<slash>(?P<s1>\d\d?)[/-](?P<s2>\d\d?)[/-](?P<sy>{_YEAR}))(?!\d)
    | (?P<dmy>(?P<d1>{_DAY_ORDINAL})(?:\s+day)?(?:\s+(?:of|de))?[\s-]+(?P<m1>{_MONTH})(?:,?[\s-]+(?P<y1>{_YEAR})\b)?)
    | (?P<mdy>(?P<m2>{_MONTH})\s+(?P<d2>{_DAY_ORDINAL})\b(?:\s?,?\s*(?P<y2>{_YEAR})\b)?)
    | (?P<my>(?P<m3>{_MONTH}),?\s+(?:of\s+)?(?P<y3>{_YEAR})\b)
    | (?P<quarter>(?P<q1>{_ORDINAL})\s+{_QUARTER}(?:,?\s+(?:of\s+|de\s+|des\s+)?(?P<qf>{_FISCAL}\s+|jahres\s+|roku\s+)?(?P<y4>{_YEAR}))?\b)
    | (?P<q>q(?P<q2>[1-4])(?:\s+|[/'-]|\s+of\s+)?(?:fy\s?)?(?P<y5>{_YEAR}|\d\d\b)?)\b
    | (?P<half>(?:(?P<h1>{_ORDINAL})\s+(?:half|halbjahr|semestre|polroczu|polrocze)(?:\s+of)?|h(?P<h2>[12]))\s*(?P<y6>{_YEAR})?)\b
    | (?P<fy>(?:fy|f)\s?'?(?P<y7>{_YEAR}|\d\d))\b
    | (?P<fiscal>{_FISCAL}\s+(?P<y8>{_YEAR})(?!\s?[-/]))\b
    | (?P<split>(?P<y9>{_YEAR})\s?/\s?(?P<y10>{_YEAR}|\d\d))\b
    | (?P<years>(?P<y11>{_YEAR})\s?-\s?(?P<y12>{_YEAR}))\b
    | (?P<year>(?P<y13>{_YEAR}))(?![\w%]|[.,]\d|\s?[$€£]|-[a-z0-9]|/\d)
    | (?P<month>(?P<m4>{_MONTH}))(?![\w])
    )""",
    re.VERBOSE,
)
_NOT_ALONE = {"may", "mar", "mars", "jan", "mai", "nov", "dec", "sep", "maj", "august", "march", "april", "luty", "jun"}
"""Names of months that are also other words, so that without day or year they name no month."""


@dataclass(frozen=True, slots=True)
class Period:
    """A day, month, quarter, half or year; parts that are not said are None.

    Attributes:
        start: Where it stands in the folded text.
        end: Behind it.
        year: Of the period; of a span of years the first.
        month: 1 to 12.
        day: 1 to 31.
        quarter: 1 to 4.
        half: 1 or 2.
        last_year: Of a span of years.
        fiscal: Said to be a fiscal year.
        ambiguous: Day and month cannot be told apart.
    """

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    half: int | None = None
    last_year: int | None = None
    fiscal: bool = False
    ambiguous: bool = False

    @property
    def key(self) -> tuple[int | None, ...]:
        """What it says, for comparing."""
        return (self.year, self.month, self.day, self.quarter, self.half, self.last_year)

    def contains(self, other: Period) -> bool:
        """True if everything that this one says, the other says too: 2024 contains 4 July 2024."""
        return all(mine is None or mine == its for mine, its in zip(self.key, other.key, strict=True))


def find_periods(folded: str) -> list[Period]:
    """Every date and period in a folded text, in order; what is no date of the calendar is left out."""
    return list(_found(folded))


def _found(folded: str) -> Iterator[Period]:
    for match in _PATTERN.finditer(folded):
        period = _period(match)
        if period is not None and _exists(period):
            yield period


def _exists(period: Period) -> bool:
    if period.day is None or period.month is None:
        return True
    try:
        dt.date(period.year or 2000, period.month, period.day)
    except ValueError:
        return False
    return True


def _period(match: re.Match[str]) -> Period | None:
    start, end = match.span()
    named = {name: value for name, value in match.groupdict().items() if value}
    kind = next(name for name in _KINDS if name in named)
    if kind == "month" and (named["m4"].rstrip(".") in _NOT_ALONE or len(named["m4"]) < 4):
        return None
    values = _KINDS[kind](named)
    return Period(start, end, **values) if values else None


def _slash(named: dict[str, str]) -> dict[str, Any]:
    first, second, year = int(named["s1"]), int(named["s2"]), int(named["sy"])
    if first > 12 >= second:
        return {"year": year, "month": second, "day": first}
    if second > 12 >= first:
        return {"year": year, "month": first, "day": second}
    if first == second:
        return {"year": year, "month": first, "day": first}
    return {"year": year, "month": first, "day": second, "ambiguous": True}


def _day(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def _month(text: str) -> int:
    return MONTHS[text.rstrip(".")]


def _year(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) if len(text) == 4 else 2000 + int(text)


def _ordinal(text: str) -> int:
    return _ORDINALS[text.rstrip(".")]


def _split_year(named: dict[str, str]) -> dict[str, Any]:
    first, last = int(named["y9"]), named["y10"]
    second = int(last) if len(last) == 4 else first // 100 * 100 + int(last)
    return {"year": first, "last_year": second, "fiscal": True} if second == first + 1 else {}


def _half(named: dict[str, str]) -> dict[str, Any]:
    half = _ordinal(named["h1"]) if "h1" in named else int(named["h2"])
    if half > 2 or ("h2" in named and "y6" not in named):
        return {}
    return {"half": half, "year": _year(named.get("y6"))}


_KINDS: dict[str, Callable[[dict[str, str]], dict[str, Any]]] = {
    "iso": lambda n: {"year": int(n["iy"]), "month": int(n["im"]), "day": int(n["id"])},
    "dots": lambda n: {"year": int(n["dy"]), "month": int(n["dm"]), "day": int(n["dd"])},
    "slash": _slash,
    "dmy": lambda n: {"year": _year(n.get("y1")), "month": _month(n["m1"]), "day": _day(n["d1"])},
    "mdy": lambda n: {"year": _year(n.get("y2")), "month": _month(n["m2"]), "day": _day(n["d2"])},
    "my": lambda n: {"year": _year(n["y3"]), "month": _month(n["m3"])},
    "quarter": lambda n: {"quarter": _ordinal(n["q1"]), "year": _year(n.get("y4")), "fiscal": "qf" in n},
    "q": lambda n: {"quarter": int(n["q2"]), "year": _year(n.get("y5"))},
    "half": _half,
    "fy": lambda n: {"year": _year(n["y7"]), "fiscal": True},
    "fiscal": lambda n: {"year": int(n["y8"]), "fiscal": True},
    "split": _split_year,
    "years": lambda n: {"year": int(n["y11"]), "last_year": int(n["y12"])},
    "year": lambda n: {"year": int(n["y13"])},
    "month": lambda n: {"month": _month(n["m4"])},
}
