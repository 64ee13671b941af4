"""A number in a text with what stands around it, read as one exact value: a sign, a currency, a percent sign, a date."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from footnote.errors import FigureError
from footnote.figures import Span, parse_money, parse_numeral, parse_percent
from footnote.figures.currencies import MINOR_DIGITS

_SPACES = " \u00a0\u2009\u202f"
_SPACE = r"[ \u00a0\u2009\u202f]?"
_CURRENCY_BEFORE = re.compile(
    rf"(?<![^\W_])((?:[A-Z]{{3}}|[A-Z]{{0,3}}\$|[^\w\s.,:;!?()\[\]{{}}\"'<>=+*/%-]){_SPACE})$"
)
_CURRENCY_AFTER = re.compile(
    rf"{_SPACE}(?:[A-Z]{{3}}(?![^\W_])|[A-Z]{{0,3}}\$|kr\.?(?![^\W_])|zł(?![^\W_])|[€£¥₽₹₺₴₩₪₫฿])"
)
_PERCENT_AFTER = re.compile(rf"{_SPACE}%")
_SIGNS = "-\u2212"
_WORDS = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}


Kind = Literal["number", "money", "percent", "date"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a number in a text says."""

    kind: Kind
    value: Decimal | dt.date
    currency: str = ""


def read_numeral(text: str, numeral: Span, locale: str) -> tuple[int, int, Reading] | None:
    """The span with all that belongs to the number, and its reading; None if it is not one number there.

    A number beside a currency is money or nothing, one beside a percent sign a percentage or nothing.
    """
    date = _date(numeral.text)
    if date is not None:
        return numeral.start, numeral.end, Reading("date", date)
    if numeral.text.casefold() in _WORDS:
        return numeral.start, numeral.end, Reading("number", Decimal(_WORDS[numeral.text.casefold()]))
    begin, end, before, after = _around(text, numeral)
    start = _with_sign(text, begin)
    percent = _PERCENT_AFTER.match(text, numeral.end)
    written = text[start:end]
    try:
        if percent:
            return start, percent.end(), Reading("percent", parse_percent(text[start : percent.end()], locale))
        if before or after:
            money = parse_money(written, locale)
            return start, end, Reading("money", money.amount, money.currency)
        return start, end, Reading("number", parse_numeral(written, locale))
    except FigureError:
        return None


def _date(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) else None
    except ValueError:
        return None


def _around(text: str, numeral: Span) -> tuple[int, int, bool, bool]:
    """The number with the currency that stands before or after it."""
    before = _CURRENCY_BEFORE.search(text[max(0, numeral.start - 8) : numeral.start])
    code = before[1].strip(_SPACES) if before else ""
    if before and len(code) == 1 and unicodedata.category(code) != "Sc":
        before = None  # a bullet or another mark
    if before and len(code) == 3 and code.isalpha() and code not in MINOR_DIGITS:
        before = None
    if before and text[: numeral.start - len(before[1])].rstrip(_SPACES)[-1:].isdigit():
        before = None  # it belongs to the amount before
    after = _CURRENCY_AFTER.match(text, numeral.end)
    code = after[0].strip(_SPACES) if after else ""
    if after and len(code) == 3 and code.isalpha() and code not in MINOR_DIGITS:
        after = None
    start = numeral.start - (len(before[1]) if before else 0)
    return start, after.end() if after else numeral.end, before is not None, after is not None


def _with_sign(text: str, start: int) -> int:
    """Where the number begins if a minus sign stands before it, and not a hyphen between words."""
    if (
        start
        and text[start - 1] in _SIGNS
        and not (start > 1 and (text[start - 2].isalnum() or text[start - 2] == ")"))
    ):
        return start - 1
    return start
