"""What a locale needs to write numbers and to read them back, taken from CLDR through Babel once per locale.

Babel's own `format_*` functions parse their patterns again on every call, round at 28 digits, show Latin digits and an
ASCII hyphen everywhere, and lose the apostrophes of Swiss amounts; so the data are Babel's and the writing is ours.
Babel is imported when the first locale is asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from footnote.errors import UnknownLocale
from footnote.figures.currencies import MINOR_DIGITS, WITHDRAWN

if TYPE_CHECKING:
    from babel import Locale

_IDENTIFIER = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z]{4})?(?:[-_](?P<territory>[A-Za-z]{2}|[0-9]{3}))?")
_BIDI_MARKS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SIGN = "¤"
NO_BREAK_SPACE = "\u00a0"

LATIN_DIGITS = "0123456789"

_ZEROS = {
    "adlm": 0x1E950,
    "arab": 0x0660,
    "arabext": 0x06F0,
    "beng": 0x09E6,
    "cakm": 0x11136,
    "deva": 0x0966,
    "hmnp": 0x1E140,
    "mtei": 0xABF0,
    "mymr": 0x1040,
    "nkoo": 0x07C0,
    "olck": 0x1C50,
    "tibt": 0x0F20,
}
"""Zero of each numbering system that is some locale's default, the Latin one aside (CLDR numberingSystems.xml)."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Decimal mark, group mark, and sizes of the last group and of those before it (`12,34,567` has 3 and 2)."""

    decimal: str
    group: str
    last: int
    others: int


@dataclass(frozen=True, slots=True)
class Affixes:
    """What stands before and after the digits of a positive and of a negative number."""

    before: str
    after: str
    negative_before: str
    negative_after: str


@dataclass(frozen=True, slots=True)
class Style:
    """How one locale writes numbers.

    Attributes:
        babel: The locale, for dates and plural categories.
        digits: The ten digits of the locale's default numbering system.
        minus: The minus sign, with its direction marks.
        percent_sign: The percent sign, with its direction marks.
        symbols: Symbol by currency code; the code itself where another currency has the same symbol.
        codes: Currency code by symbol or code, both without direction marks.
    """

    name: str
    babel: Locale
    digits: str
    minus: str
    percent_sign: str
    number_marks: Marks
    number: Affixes
    percent_marks: Marks
    percent: Affixes
    money_marks: Marks
    money: Affixes
    symbols: dict[str, str]
    codes: dict[str, str]


def without_marks(text: str) -> str:
    """The text without direction marks, which are not seen and which copying loses."""
    return _BIDI_MARKS.sub("", text)


@lru_cache(maxsize=256)
def style_of(locale: str) -> Style:
    """The style of a locale such as `de-DE` or `de_DE`; raises `UnknownLocale`."""
    parsed = _parse(locale)
    system = parsed.default_numbering_system
    all_symbols: Any = parsed.number_symbols
    symbols: dict[str, str] = dict(all_symbols.get("latn", {})) | dict(all_symbols.get(system, {}))
    zero = _ZEROS.get(system)
    number, percent = parsed.decimal_formats[None], parsed.percent_formats[None]
    money = parsed.currency_formats["standard"]
    shown = _currency_symbols(parsed)
    return Style(
        name=str(parsed),
        babel=parsed,
        digits=LATIN_DIGITS if zero is None else "".join(chr(zero + n) for n in range(10)),
        minus=symbols["minusSign"],
        percent_sign=symbols["percentSign"],
        number_marks=Marks(symbols["decimal"], symbols["group"], *number.grouping),
        number=_affixes(number, symbols),
        percent_marks=Marks(symbols["decimal"], symbols["group"], *percent.grouping),
        percent=_affixes(percent, symbols),
        money_marks=Marks(
            symbols.get("currencyDecimal", symbols["decimal"]),
            symbols.get("currencyGroup", symbols["group"]),
            *money.grouping,
        ),
        money=_affixes(money, symbols),
        symbols=shown,
        codes={code: code for code in MINOR_DIGITS} | {without_marks(text): code for code, text in shown.items()},
    )


@lru_cache(maxsize=2048)
def money_affixes(locale: str, currency: str) -> Affixes:
    """What stands before and after an amount in `currency`, symbol and sign included."""
    style = style_of(locale)
    symbol, money = style.symbols[currency], style.money
    # CLDR currencySpacing: letters never touch digits, so that KWD 1.500 does not read KWD1.500.
    gap_before = NO_BREAK_SPACE if _needs_gap(without_marks(symbol)[-1]) else ""
    gap_after = NO_BREAK_SPACE if _needs_gap(without_marks(symbol)[0]) else ""

    def before(text: str) -> str:
        return text.replace(_SIGN, symbol + gap_before if text.endswith(_SIGN) else symbol)

    def after(text: str) -> str:
        return text.replace(_SIGN, gap_after + symbol if text.startswith(_SIGN) else symbol)

    return Affixes(before(money.before), after(money.after), before(money.negative_before), after(money.negative_after))


def _parse(locale: str) -> Locale:
    from babel import Locale, UnknownLocaleError

    match = _IDENTIFIER.fullmatch(locale)
    unknown = UnknownLocale(
        f"{locale[:40]!r} is not a known locale.", remedy="Write language and territory, such as de-DE or en-GB."
    )
    if not match:
        raise unknown
    try:
        parsed = Locale.parse(locale.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        raise unknown from None
    # Babel falls back to the language's home where it does not know the territory; that would be a guess.
    if match["territory"] and parsed.territory != match["territory"].upper():
        raise unknown
    return parsed


def _affixes(pattern: Any, symbols: dict[str, str]) -> Affixes:
    def localised(text: str) -> str:
        return text.replace("-", symbols["minusSign"]).replace("%", symbols["percentSign"])

    return Affixes(
        localised(pattern.prefix[0]),
        localised(pattern.suffix[0]),
        localised(pattern.prefix[1]),
        localised(pattern.suffix[1]),
    )


def _currency_symbols(locale: Locale) -> dict[str, str]:
    """One text per currency, no two alike, so that what is shown can be read back."""
    own: dict[str, str] = {code: locale.currency_symbols.get(code, code) for code in MINOR_DIGITS}
    current = Counter(without_marks(text) for code, text in own.items() if code not in WITHDRAWN)
    shown: dict[str, str] = {}
    for code, text in own.items():
        seen = without_marks(text).strip()
        alone = current[without_marks(text)] == (code not in WITHDRAWN)
        other_code = seen in MINOR_DIGITS and seen != code
        readable = seen and not any(char.isdigit() or char in "-−+%" for char in seen)
        shown[code] = text if alone and readable and not other_code else code
    texts = Counter(without_marks(text) for text in shown.values())
    return {code: text if texts[without_marks(text)] == 1 else code for code, text in shown.items()}


def _needs_gap(char: str) -> bool:
    return unicodedata.category(char)[0] not in "SZ"
