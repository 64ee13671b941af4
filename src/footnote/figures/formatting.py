"""A value as a person reads it in a locale.

An amount is never rounded: where it has more decimals than its currency's minor unit, all of them are shown; only a
quotient (an average, a ratio), which may have no last digit, is. A decimal or a percentage is rounded only where its
format sets a scale. Digits, signs and marks are the locale's (CLDR).
"""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from footnote.errors import FigureError
from footnote.figures.currencies import MINOR_DIGITS, check_currency
from footnote.figures.locales import LATIN_DIGITS, Affixes, Marks, Style, money_affixes, style_of
from footnote.figures.values import EXACT, WHOLE, FigureType, Format, Value, check_exact, check_value, plain

Dates = Literal["iso", "locale"]


def display(value: Value, format: Format, locale: str, dates: Dates = "iso") -> str:
    """The value as text; "" for None, `yes` or `no` for booleans, and the text itself for text.

    Args:
        value: An exact value of the format's type. A percentage is a share: 0.125 is shown as 12.5 %.
        format: Type, scale and currency. The unit is not shown, since templates say it.
        locale: Such as `de-DE`.
        dates: `iso` shows 2026-08-14, `locale` the locale's medium form. A moment that knows its offset shows it.

    Raises:
        FigureError: The value is a float, not finite, not of the type, or money without a currency.
        UnknownLocale: There is no such locale.
    """
    type = format.type
    if check_value(value, type) is None:
        return ""
    if isinstance(value, (Decimal, int)) and type is not FigureType.TEXT and not isinstance(value, bool):
        return _display_number(Decimal(value), format, locale)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dt.date):
        return _display_date(value, locale, dates)
    return plain(value) if isinstance(value, Decimal) else str(value)


def display_quotient(value: Value, format: Format, locale: str, dates: Dates = "iso") -> str:
    """As `display`, of a value that was made by dividing; only its display is rounded, half away from zero.

    An amount is rounded to its scale, or to the minor unit of its currency. Raises as `display` does.
    """
    if format.type is FigureType.MONEY and isinstance(value, Decimal):
        check_value(value, format.type)
        digits = MINOR_DIGITS.get(format.currency) or 0 if format.scale is None else format.scale
        value = Decimal(_rounded(value, digits))
    return display(value, format, locale, dates)


def plural_form(value: Decimal | int, locale: str) -> str:
    """The plural category of a number in a locale by CLDR: zero, one, two, few, many or other."""
    exact = check_exact(value)
    if isinstance(exact, bool) or not isinstance(exact, (Decimal, int)):
        raise FigureError(f"{exact!r} is not a number.")
    return str(style_of(locale).babel.plural_form(Decimal(_shortest(Decimal(exact))).copy_abs()))


def _display_number(value: Decimal, format: Format, locale: str) -> str:
    style = style_of(locale)
    if format.type is FigureType.MONEY:
        if not format.currency:
            raise FigureError("An amount without a currency cannot be shown.", remedy="Give its ISO 4217 code.")
        check_currency(format.currency)
        least = MINOR_DIGITS[format.currency] or 0 if format.scale is None else format.scale
        text = _at_least(_shortest(value), least)
        return _write(text, style, style.money_marks, money_affixes(locale, format.currency))
    if format.type is FigureType.PERCENT:
        return _write(_rounded(EXACT.scaleb(value, 2), format.scale), style, style.percent_marks, style.percent)
    scale = 0 if format.type in WHOLE else format.scale
    return _write(_rounded(value, scale), style, style.number_marks, style.number)


def _display_date(value: dt.date, locale: str, dates: Dates) -> str:
    if dates == "iso":
        return value.isoformat(" ") if isinstance(value, dt.datetime) else value.isoformat()
    if dates != "locale":
        raise FigureError(f"Dates cannot be shown as {dates!r}.", remedy="Use 'iso' or 'locale'.")
    from babel.dates import format_date, format_datetime

    style = style_of(locale)
    if not isinstance(value, dt.datetime):
        return _in_digits(format_date(value, "medium", locale=style.babel), style.digits)
    text = _in_digits(format_datetime(value.replace(tzinfo=None), "medium", locale=style.babel), style.digits)
    offset = value.isoformat()[len(value.replace(tzinfo=None).isoformat()) :]
    return f"{text} UTC{offset}" if offset else text


def _shortest(value: Decimal) -> str:
    """All digits that carry value, none that does not: 3.5000 is 3.5."""
    text = plain(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _at_least(text: str, decimals: int) -> str:
    whole, _, fraction = text.partition(".")
    fraction = fraction.ljust(decimals, "0")
    return f"{whole}.{fraction}" if fraction else whole


def _rounded(value: Decimal, scale: int | None) -> str:
    if scale is None:
        return _shortest(value)
    # Half away from zero, as ledgers and databases round; quantize of the widened context is otherwise exact.
    return plain(value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _ROUNDING))


_ROUNDING = EXACT.copy()
_ROUNDING.clear_traps()


def _write(plain_text: str, style: Style, marks: Marks, affixes: Affixes) -> str:
    negative = plain_text.startswith("-")
    whole, _, fraction = plain_text.removeprefix("-").partition(".")
    text = _grouped(whole, marks)
    if fraction:
        text += marks.decimal + fraction
    text = _in_digits(text, style.digits)
    if negative:
        return affixes.negative_before + text + affixes.negative_after
    return affixes.before + text + affixes.after


def _grouped(whole: str, marks: Marks) -> str:
    if len(whole) <= marks.last:
        return whole
    rest, groups = whole[: -marks.last], [whole[-marks.last :]]
    while rest:
        groups.append(rest[-marks.others :])
        rest = rest[: -marks.others]
    return marks.group.join(reversed(groups))


def _in_digits(text: str, digits: str) -> str:
    return text if digits == LATIN_DIGITS else text.translate(dict(zip(map(ord, LATIN_DIGITS), digits, strict=True)))
