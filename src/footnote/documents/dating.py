"""From when a document holds, by its own words; and dates as documents write them. Pure."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

_MONTHS = {
    name: number
    for number, names in enumerate(
        """
        january jan januar jänner janner stycznia styczeń sty janvier janv
        february feb februar lutego luty lut février fevrier févr
        march mar märz maerz mär mrz marca marzec mars
        april apr kwietnia kwiecień kwi avril avr
        may mai maja maj
        june jun juni czerwca czerwiec cze juin
        july jul juli lipca lipiec lip juillet juil
        august aug sierpnia sierpień sie août aout
        september sep sept września wrzesień wrz septembre
        october oct oktober okt października październik paź octobre
        november nov listopada listopad lis novembre
        december dec dezember dez grudnia grudzień gru décembre decembre
        """.strip().splitlines(),
        start=1,
    )
    for name in names.split()
}
_NAME = r"(?P<{0}>[^\W\d_]{{3,12}})\.?"
_FORMS = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})\b"),
    re.compile(r"\b(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})\b"),
    re.compile(
        r"\b(?P<d>\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:day\s+of\s+)?" + _NAME.format("name") + r",?\s+(?P<y>\d{4})\b"
    ),
    re.compile(r"\b" + _NAME.format("name") + r"\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>\d{4})\b"),
)
_EFFECTIVE = re.compile(
    r"\b(?:effective|with\s+effect\s+from|in\s+force|commenc\w+|valid\s+from|wchodzi\s+w\s+życie|obowiązuje\s+od|ze\s+skutkiem\s+od|"
    r"gültig\s+ab|in\s+kraft|mit\s+wirkung\s+(?:vom|zum|ab)|tritt\s+am|prend\s+effet|entre\s+en\s+vigueur|à\s+compter\s+du)\b",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\b(?:dated|date|made\s+(?:on|as\s+of)|entered\s+into|as\s+of|held\s+on|issued|zawart\w+|z\s+dnia|dnia|data|datum|vom|geschlossen|am|"
    r"en\s+date\s+du|fait|le|du|signed)\b",
    re.IGNORECASE,
)
_HEAD = 3_000
_TOP = 800
"""Where a document bears its own date; further down, a date is about something else."""


def dates_in(text: str) -> Iterator[tuple[int, int, dt.date]]:
    """Whole dates that can be read in one way only, with where they stand; `05/06/2024` is none."""
    for form in _FORMS:
        for match in form.finditer(text):
            if date := _date(match):
                yield match.start(), match.end(), date


def _date(match: re.Match[str]) -> dt.date | None:
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else _MONTHS.get(parts["name"].casefold(), 0)
    try:
        return dt.date(int(parts["y"]), month, int(parts["d"]))
    except ValueError:
        return None


_OF_ANOTHER = re.compile(r"\b(?:agreement|contract|umow\w*|\w*vertrag\w*|contrat)\b[^.;\n]{0,80}$", re.IGNORECASE)


def effective_in(text: str, *, own_date_first: bool = False, amends: bool = False) -> tuple[dt.date, str] | None:
    """The date from which a document says that it holds, else the date it bears, with the words that say so.

    Args:
        text: Of the document.
        own_date_first: The date it bears counts more (minutes, invoices, letters).
        amends: It amends another one, so that a date behind the other's name is the other's.
    """
    head = text[:_HEAD]
    found = sorted(dates_in(head))
    ways = [(_EFFECTIVE, _HEAD), (_DATED, _TOP)]
    for words, limit in reversed(ways) if own_date_first else ways:
        for start, end, date in found:
            if start > limit:
                break
            before = head[max(0, start - 60) : start]
            said = list(words.finditer(before))
            if said and amends and words is _DATED and _OF_ANOTHER.search(before[: said[-1].start()]):
                continue
            if said and not re.search(r"[\r\n;]|\.\s", before[said[-1].end() :]):
                return date, " ".join(f"{before[said[-1].start() :]}{head[start:end]}".split())
    return None
