"""Numerals back to exact values: the strict inverse of `display`.

Whatever `display` writes is read back as the same value. Whatever is ambiguous or malformed raises: wrong groups, two
kinds of digits, a symbol that the locale gives to no single currency, an empty text. Footnote does not guess. Any kind
of space is read where the locale writes one, and either apostrophe, because keyboards have but one.
"""

from __future__ import annotations

import re
from decimal import Decimal

from footnote.errors import NumeralUnreadable
from footnote.figures.locales import LATIN_DIGITS, Affixes, Marks, Style, style_of, without_marks
from footnote.figures.money import Money
from footnote.figures.values import EXACT, MAX_DIGITS

_SPACES = " \u00a0\u2009\u202f"
_APOSTROPHES = "'\u2019"
_MINUS = "-\u2212"
_MINUS_SIGN = re.compile(f"[{_MINUS}]")
_MAX_LENGTH = 3 * MAX_DIGITS
_DIGIT = re.compile(r"\d")


def parse_numeral(text: str, locale: str) -> Decimal:
    """The number that `text` is in `locale`: "43.805,5" is 43805.5 in de-DE.

    Raises:
        NumeralUnreadable: The text is not one number as the locale writes it.
        UnknownLocale: There is no such locale.
    """
    style = style_of(locale)
    before, body, after = _split(text, style)
    value = _number(body, style.number_marks, text, style)
    negative, rest = _sign(before, after, style.number, text, style)
    if rest:
        raise _unreadable(text, style, f"{rest[0]!r} does not belong to a number.")
    return _signed(value, negative)


def parse_percent(text: str, locale: str) -> Decimal:
    """The share that `text` states in `locale`: "12,5 %" is 0.125 in de-DE. Raises as `parse_numeral` does."""
    style = style_of(locale)
    before, body, after = _split(text, style)
    value = EXACT.scaleb(_number(body, style.percent_marks, text, style), -2)
    negative, rest = _sign(before, after, style.percent, text, style)
    if len(rest) != 1 or rest[0] not in ("%", without_marks(style.percent_sign)):
        raise _unreadable(text, style, "There has to be one percent sign.")
    return _signed(value, negative)


def parse_money(text: str, locale: str) -> Money:
    """The amount that `text` states in `locale`: "43.805,00 €" is 43805.00 EUR in de-DE.

    The currency is its symbol in this locale or its ISO 4217 code, before or after the number. A symbol that means
    another currency elsewhere means only this locale's here; "$5" is not read in en-GB, which writes "US$5".
    Raises as `parse_numeral` does.
    """
    style = style_of(locale)
    before, body, after = _split(text, style)
    value = _number(body, style.money_marks, text, style)
    negative, rest = _sign(before, after, style.money, text, style)
    if len(rest) != 1:
        raise _unreadable(text, style, "There has to be one currency.")
    code = style.codes.get(rest[0])
    if code is None:
        raise _unreadable(
            text, style, f"{rest[0][:20]!r} is no currency's symbol there.", "Write the ISO 4217 code, such as USD."
        )
    return Money(_signed(value, negative), code)


def _split(text: str, style: Style) -> tuple[str, str, str]:
    """What stands before the digits, the digits with what is between them, in Latin digits, and what stands after."""
    if len(text) > _MAX_LENGTH:
        raise _unreadable(text[:40], style, f"It is longer than {_MAX_LENGTH} characters.")
    seen = without_marks(text)
    places = [match.start() for match in _DIGIT.finditer(seen)]
    if not places:
        raise _unreadable(text, style, "It has no digit.")
    body = seen[places[0] : places[-1] + 1]
    if style.digits != LATIN_DIGITS and any(char in style.digits for char in body):
        if any(char in LATIN_DIGITS for char in body):
            raise _unreadable(text, style, "It mixes digits of two scripts.")
        body = body.translate(dict(zip(map(ord, style.digits), LATIN_DIGITS, strict=True)))
    return seen[: places[0]], body, seen[places[-1] + 1 :]


def _sign(before: str, after: str, affixes: Affixes, text: str, style: Style) -> tuple[bool, list[str]]:
    """Whether there is a minus sign, and what else stands around the digits."""
    trailing = any(sign in affixes.negative_after for sign in _MINUS)
    unsigned_before = _MINUS_SIGN.sub("", before)
    unsigned_after = _MINUS_SIGN.sub("", after) if trailing else after
    minuses = len(before) - len(unsigned_before) + len(after) - len(unsigned_after)
    if minuses > 1:
        raise _unreadable(text, style, "It has more than one minus sign.")
    parts = (unsigned_before.strip(_SPACES), unsigned_after.strip(_SPACES))
    return minuses == 1, [part for part in parts if part]


def _signed(value: Decimal, negative: bool) -> Decimal:
    return value.copy_negate() if negative and value else value


def _number(body: str, marks: Marks, text: str, style: Style) -> Decimal:
    whole, mark, fraction = body.partition(marks.decimal)
    if mark and not _is_digits(fraction):
        raise _unreadable(text, style, f"After the decimal mark {marks.decimal!r} there have to be digits only.")
    digits = whole if _is_digits(whole) else "".join(_groups(whole, marks, text, style))
    if len(digits) > 1 and digits.startswith("0"):
        raise _unreadable(text, style, "It starts with a needless zero.", "Identifiers are text, not numbers.")
    if len(digits) > MAX_DIGITS or len(fraction) > MAX_DIGITS:
        raise _unreadable(text[:40], style, f"It has more than {MAX_DIGITS} digits.")
    return Decimal(f"{digits}.{fraction}" if fraction else digits)


def _groups(whole: str, marks: Marks, text: str, style: Style) -> list[str]:
    group = next((kind for kind in (_SPACES, _APOSTROPHES) if marks.group in kind), marks.group)
    used = {char for char in whole if char not in LATIN_DIGITS}
    if len(used) != 1 or not used <= set(group):
        raise _unreadable(text, style, "It has marks that do not group digits there, or several kinds of them.")
    groups = whole.split(used.pop())
    sizes = [len(part) for part in groups]
    if not 1 <= sizes[0] <= marks.others or sizes[-1] != marks.last or any(n != marks.others for n in sizes[1:-1]):
        raise _unreadable(text, style, "Its groups of digits are not of the size that the locale writes.")
    return groups


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _unreadable(text: str, style: Style, why: str, remedy: str = "") -> NumeralUnreadable:
    name = style.name.replace("_", "-")
    return NumeralUnreadable(f"{text[:60]!r} cannot be read as a number in {name}.", why=why, remedy=remedy)
