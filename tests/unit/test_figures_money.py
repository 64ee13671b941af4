"""Money is exact, knows its minor unit, and never mixes currencies."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal

import pytest

from footnote.errors import CurrencyMismatch, FigureError
from footnote.figures import Money, exact_sum, minor_digits
from footnote.figures.currencies import MINOR_DIGITS


def test_minor_units_are_those_of_iso_4217() -> None:
    digits = {code: minor_digits(code) for code in ("EUR", "USD", "JPY", "KWD", "CLF", "HUF", "IDR", "ISK")}
    assert digits == {"EUR": 2, "USD": 2, "JPY": 0, "KWD": 3, "CLF": 4, "HUF": 2, "IDR": 2, "ISK": 0}


@pytest.mark.parametrize("code", ["EURO", "eur", "", "XYZ", " EUR", "€", "E\u200bUR"])
def test_a_code_that_iso_4217_does_not_have_is_refused(code: str) -> None:
    with pytest.raises(FigureError, match="not a currency code"):
        minor_digits(code)


def test_a_code_in_small_letters_is_refused_with_the_code_that_would_work() -> None:
    with pytest.raises(FigureError) as refusal:
        minor_digits("eur")
    assert "'EUR'" in refusal.value.remedy


def test_gold_has_no_minor_unit() -> None:
    with pytest.raises(FigureError, match="no minor unit"):
        minor_digits("XAU")


def test_every_currency_is_known_to_babel_too() -> None:
    from babel.numbers import list_currencies

    assert set(MINOR_DIGITS) <= list_currencies() | {"XCG", "XAD", "ZWG"}


@pytest.mark.parametrize(
    ("minor", "currency", "amount"),
    [(4380500, "EUR", "43805.00"), (500, "JPY", "500"), (-1, "KWD", "-0.001"), (10**21, "USD", f"{10**19}.00")],
)
def test_minor_units_become_an_amount_and_back(minor: int, currency: str, amount: str) -> None:
    money = Money.from_minor(minor, currency)
    assert money == Money(Decimal(amount), currency)
    assert money.minor() == minor


def test_a_fraction_of_a_cent_has_no_whole_minor_units() -> None:
    with pytest.raises(FigureError, match="not a whole number of minor units"):
        Money(Decimal("1.005"), "EUR").minor()


def test_two_currencies_are_never_added() -> None:
    with pytest.raises(CurrencyMismatch, match="EUR and USD"):
        Money(Decimal(1), "EUR") + Money(Decimal(1), "USD")
    with pytest.raises(CurrencyMismatch, match="KWD and JPY"):
        Money(Decimal(1), "KWD") - Money(Decimal(1), "JPY")


def test_amounts_add_exactly_beyond_28_digits() -> None:
    large, small = Money(Decimal(10) ** 40, "EUR"), Money(Decimal("0.01"), "EUR")
    assert (large + small - large) == small
    assert -(large + small) + large == -small


@pytest.mark.parametrize("amount", [1.5, True, "1", None])
def test_an_amount_that_is_not_decimal_is_refused(amount: object) -> None:
    with pytest.raises(FigureError, match="not an exact amount"):
        Money(amount, "EUR")  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("amount", ["NaN", "sNaN", "Infinity", "-Infinity", "1e1000", "1e999999", "1e-1001"])
def test_an_amount_that_cannot_be_written_out_is_refused(amount: str) -> None:
    with pytest.raises(FigureError):
        Money(Decimal(amount), "EUR")


def test_a_sum_is_exact_however_long() -> None:
    assert exact_sum([Decimal(10) ** 900, Decimal("1e-900"), -(10**900)]) == Decimal("1e-900")
    assert exact_sum([]) == 0


@pytest.mark.parametrize("value", [0.1, True, "1", Decimal("NaN")])
def test_what_is_not_an_exact_number_is_not_added_up(value: object) -> None:
    with pytest.raises(FigureError):
        exact_sum([value])  # type: ignore[list-item]  # what is tested


def test_importing_figures_does_not_import_babel() -> None:
    code = "import sys, footnote.figures; print(any(name.startswith('babel') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
