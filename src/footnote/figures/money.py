"""Amounts of money: exact, and never of two currencies at once."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from footnote.errors import CurrencyMismatch, FigureError
from footnote.figures.currencies import check_currency, minor_digits
from footnote.figures.values import EXACT, check_exact, plain


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount in one currency of ISO 4217. Amounts that differ only in trailing zeros are equal."""

    amount: Decimal
    currency: str

    def __post_init__(self) -> None:
        if not isinstance(self.amount, Decimal):
            raise FigureError(
                f"{self.amount!r} ({type(self.amount).__name__}) is not an exact amount.", remedy="Use Decimal."
            )
        check_exact(self.amount)
        check_currency(self.currency)

    @classmethod
    def from_minor(cls, minor: int, currency: str) -> Money:
        """The amount of `minor` minor units: 4380500 EUR cents are 43805.00 EUR; 500 JPY are 500 JPY."""
        if isinstance(minor, bool) or not isinstance(minor, int):
            raise FigureError(f"{minor!r} is not a whole number of minor units of {currency}.", remedy="Use int.")
        check_exact(minor)
        return cls(EXACT.scaleb(Decimal(minor), -minor_digits(currency)), currency)

    def minor(self) -> int:
        """The amount in minor units; raises `FigureError` if it is not a whole number of them."""
        digits = minor_digits(self.currency)
        units = EXACT.scaleb(self.amount, digits)
        if units != units.to_integral_value():
            raise FigureError(
                f"{plain(self.amount)} {self.currency} is not a whole number of minor units.",
                why=f"{self.currency} has {digits} decimal digits.",
            )
        return int(units)

    def __add__(self, other: Money) -> Money:
        return Money(EXACT.add(self.amount, self._same_currency(other).amount), self.currency)

    def __sub__(self, other: Money) -> Money:
        return Money(EXACT.subtract(self.amount, self._same_currency(other).amount), self.currency)

    def __neg__(self) -> Money:
        return Money(self.amount.copy_negate() if self.amount else self.amount, self.currency)

    def _same_currency(self, other: Money) -> Money:
        if not isinstance(other, Money):
            raise FigureError(f"{other!r} is not an amount of money.", remedy="Use Money.")
        if other.currency != self.currency:
            raise CurrencyMismatch(
                f"{self.currency} and {other.currency} cannot be added.",
                remedy="Keep one total for each currency.",
                details={"currencies": [self.currency, other.currency]},
            )
        return other
