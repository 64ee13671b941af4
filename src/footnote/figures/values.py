"""What a figure can be: its type, its exact value, and the arithmetic that never rounds.

Nothing here is ever a float. A value that is not exact, not finite or not of the type it is said to have raises.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow
from enum import StrEnum

from footnote.errors import FigureError
from footnote.figures.currencies import check_currency

Value = Decimal | int | str | bool | dt.date | dt.datetime | None
"""An exact value. None is NULL, which is not zero."""

MAX_DIGITS = 1000
"""Magnitudes beyond 10^±MAX_DIGITS are refused: written out they would be a way to fill the memory."""

MAX_SCALE = 100

_TRAPS = [Inexact, InvalidOperation, DivisionByZero, Overflow]
_LIMIT = Context(prec=2 * MAX_DIGITS, traps=_TRAPS)
_TOO_LARGE = 10**MAX_DIGITS

EXACT = Context(prec=5 * MAX_DIGITS, rounding=ROUND_HALF_UP, traps=_TRAPS)
"""A context in which sums of checked values are exact. Python's default would round silently at 28 digits."""


class FigureType(StrEnum):
    """What a figure states. Identifiers are text even where they are digits."""

    COUNT = "count"
    INTEGER = "integer"
    DECIMAL = "decimal"
    MONEY = "money"
    PERCENT = "percent"
    DATE = "date"
    DATETIME = "datetime"
    TEXT = "text"
    BOOLEAN = "boolean"


NUMERIC = frozenset({FigureType.COUNT, FigureType.INTEGER, FigureType.DECIMAL, FigureType.MONEY, FigureType.PERCENT})
WHOLE = frozenset({FigureType.COUNT, FigureType.INTEGER})


@dataclass(frozen=True, slots=True)
class Format:
    """How a value is shown.

    Attributes:
        type: What the value states.
        unit: Unit for people, such as `days`; not part of the display text, templates say it.
        scale: Decimals shown. A decimal or percentage is rounded to it for display (half away from zero); an amount is
            padded to it, and rounded only if it is a quotient. None: as many as the value has, amounts at least those of the minor unit.
        currency: ISO 4217 code of an amount.
    """

    type: FigureType
    unit: str = ""
    scale: int | None = None
    currency: str = ""

    def __post_init__(self) -> None:
        # A plain "money" equals FigureType.MONEY but is not it, and would be formatted as something else.
        object.__setattr__(self, "type", figure_type(self.type))
        if self.scale is not None and not 0 <= self.scale <= MAX_SCALE:
            raise FigureError(f"Scale {self.scale} is not a number of decimals.", remedy=f"Use 0 to {MAX_SCALE}.")
        if self.currency:
            check_currency(self.currency)


def figure_type(name: str) -> FigureType:
    """The type of this name; raises `FigureError` if there is none."""
    try:
        return FigureType(name)
    except ValueError:
        raise FigureError(f"{name!r} is not a type of figure.", remedy=f"Use one of {', '.join(FigureType)}.") from None


def check_exact(value: object) -> Value:
    """The value itself if it is one that can be stated exactly; floats, NaN, infinities and giants raise `FigureError`."""
    if value is None or isinstance(value, (str, dt.date)):  # a datetime is a date
        return value
    if isinstance(value, int):  # a bool is an int
        if not -_TOO_LARGE < value < _TOO_LARGE:
            raise FigureError(f"The integer has more than {MAX_DIGITS} digits.")
        return value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise FigureError(f"{value} is not a number that a figure can state.")
        if not -MAX_DIGITS <= value.adjusted() < MAX_DIGITS or _is_too_long(value):
            raise FigureError(f"The decimal lies outside 10^±{MAX_DIGITS} or has more than {2 * MAX_DIGITS} digits.")
        return value
    if isinstance(value, float):
        why, remedy = "A float is not exact.", "Use Decimal or int."
    else:
        why, remedy = "", "Use Decimal, int, str, bool, date, datetime or None."
    raise FigureError(f"A {type(value).__name__} cannot be the value of a figure.", why=why, remedy=remedy)


def _is_too_long(value: Decimal) -> bool:
    try:
        _LIMIT.plus(value)
    except Inexact:
        return True
    return False


def check_value(value: object, type: FigureType) -> Value:
    """The value itself if it is exact and fits the type; None fits all. Otherwise raises `FigureError`."""
    if value is None or _fits(check_exact(value), type):
        return value  # type: ignore[return-value]  # check_exact has narrowed it, through a call mypy cannot follow
    raise FigureError(f"{str(value)[:60]!r} ({value.__class__.__name__}) is not a value of type {type}.")


def _fits(value: Value, type: FigureType) -> bool:
    if type in NUMERIC:
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            return False
        return type not in WHOLE or isinstance(value, int) or value == value.to_integral_value()
    if type is FigureType.DATE:
        return isinstance(value, dt.date) and not isinstance(value, dt.datetime)
    if type is FigureType.DATETIME:
        return isinstance(value, dt.datetime)
    if type is FigureType.BOOLEAN:
        return isinstance(value, bool)
    return isinstance(value, (str, int, Decimal)) and not isinstance(value, bool)


def exact_sum(values: Iterable[Decimal | int]) -> Decimal:
    """The sum without any rounding, however long; the sum of nothing is 0.

    Raises:
        FigureError: A value is a float, not finite, or of a magnitude that is refused.
    """
    total = Decimal(0)
    for value in values:
        exact = check_exact(value)
        if isinstance(exact, bool) or not isinstance(exact, (Decimal, int)):
            raise FigureError(f"{exact!r} cannot be added up.")
        total = EXACT.add(total, exact if isinstance(exact, Decimal) else Decimal(exact))
    return total


def plain(value: Decimal) -> str:
    """A decimal without exponent, keeping its trailing zeros; zero has no sign."""
    check_exact(value)
    return format(value if value else value.copy_abs(), "f")
