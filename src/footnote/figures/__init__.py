"""Figures: exact values, their display by locale, numerals read back, and numerals found in prose.

Promises: a value is exact or it is refused; an amount that was not divided is never rounded for display, and none is added to another
currency's; what `display` writes, `parse_*` reads back as the same value or not at all; `find_numerals` finds whatever
states a number in a text. Pure: no input or output, and Babel is imported when the first locale is needed.
"""

from __future__ import annotations

from footnote.figures.currencies import check_currency, minor_digits
from footnote.figures.exact import Exact, exact_text, from_exact
from footnote.figures.figure import METHODS, Contribution, Figure, RowsBehind
from footnote.figures.formatting import Dates, display, display_quotient, plural_form
from footnote.figures.locales import style_of
from footnote.figures.money import Money
from footnote.figures.numerals import Span, find_numerals
from footnote.figures.parsing import parse_money, parse_numeral, parse_percent
from footnote.figures.values import FigureType, Format, Value, check_exact, check_value, exact_sum, figure_type

__all__ = [
    "METHODS",
    "Contribution",
    "Dates",
    "Exact",
    "Figure",
    "FigureType",
    "Format",
    "Money",
    "RowsBehind",
    "Span",
    "Value",
    "check_currency",
    "check_exact",
    "check_locale",
    "check_value",
    "display",
    "display_quotient",
    "exact_sum",
    "exact_text",
    "figure_type",
    "find_numerals",
    "from_exact",
    "minor_digits",
    "parse_money",
    "parse_numeral",
    "parse_percent",
    "plural_form",
]


def check_locale(locale: str) -> str:
    """The locale itself if there is such a one; otherwise raise `UnknownLocale`."""
    style_of(locale)
    return locale
