"""A value is shown as the locale writes it, and no digit of an amount is hidden."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from babel.numbers import format_currency, format_decimal

from footnote.errors import FigureError, UnknownLocale
from footnote.figures import FigureType, Format, Value, check_locale, display, display_quotient, plural_form


def money(amount: str, currency: str, locale: str) -> str:
    return display(Decimal(amount), Format(FigureType.MONEY, currency=currency), locale)


@pytest.mark.parametrize(
    ("amount", "currency", "locale", "shown"),
    [
        ("43805", "EUR", "de-DE", "43.805,00\u00a0€"),
        ("-43805", "EUR", "de_DE", "-43.805,00\u00a0€"),
        ("1234.5", "USD", "en-US", "$1,234.50"),
        ("1234.5", "USD", "en-GB", "US$1,234.50"),
        ("1234567", "JPY", "ja-JP", "￥1,234,567"),
        ("1.5", "KWD", "en-US", "KWD\u00a01.500"),
        ("-1234.5", "EUR", "sv-SE", "\u22121\u00a0234,50\u00a0€"),
        ("-1234567.5", "CHF", "de-CH", "CHF-1'234'567.50"),
        ("1234567.5", "EUR", "fr-FR", "1\u202f234\u202f567,50\u00a0€"),
        ("12345678.9", "INR", "hi-IN", "₹1,23,45,678.90"),
        ("1234.5", "EUR", "ar-EG", "\u200f١٬٢٣٤٫٥٠\u00a0€"),
        ("-1234.5", "EUR", "nl-NL", "€\u00a0-1.234,50"),
        ("0", "EUR", "de-DE", "0,00\u00a0€"),
        ("-0.00", "EUR", "de-DE", "0,00\u00a0€"),
        ("1E+3", "EUR", "de-DE", "1.000,00\u00a0€"),
    ],
)
def test_money_is_shown_as_the_locale_writes_it(amount: str, currency: str, locale: str, shown: str) -> None:
    assert money(amount, currency, locale) == shown


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [("1.005", "EUR", "1,005\u00a0€"), ("0.5", "JPY", "0,5\u00a0¥"), ("1.2345", "KWD", "1,2345\u00a0KWD")],
)
def test_an_amount_finer_than_its_minor_unit_is_not_rounded(amount: str, currency: str, shown: str) -> None:
    assert money(amount, currency, "de-DE") == shown


def test_an_amount_is_not_rounded_to_a_scale_either() -> None:
    format = Format(FigureType.MONEY, scale=0, currency="EUR")
    assert display(Decimal("43805.00"), format, "de-DE") == "43.805\u00a0€"
    assert display(Decimal("43805.37"), format, "de-DE") == "43.805,37\u00a0€"


@pytest.mark.parametrize(
    ("amount", "currency", "scale", "shown"),
    [
        ("26.66666666666666666666666666666667", "EUR", None, "26,67\u00a0€"),
        ("-0.005", "EUR", None, "-0,01\u00a0€"),
        ("1234.5", "JPY", None, "1.235\u00a0¥"),
        ("26.66666666666666666666666666666667", "EUR", 4, "26,6667\u00a0€"),
        ("12", "EUR", None, "12,00\u00a0€"),
    ],
)
def test_an_amount_that_was_divided_is_rounded_to_its_scale_or_minor_unit(
    amount: str, currency: str, scale: int | None, shown: str
) -> None:
    format = Format(FigureType.MONEY, scale=scale, currency=currency)
    assert display_quotient(Decimal(amount), format, "de-DE") == shown


def test_other_quotients_are_shown_like_any_value() -> None:
    for value, type in (
        (Decimal("0.12345"), FigureType.PERCENT),
        (Decimal("1.5"), FigureType.DECIMAL),
        (None, FigureType.MONEY),
    ):
        format = Format(type, currency="EUR" if type is FigureType.MONEY else "")
        assert display_quotient(value, format, "de-DE") == display(value, format, "de-DE")


def test_a_quotient_of_money_needs_a_currency_too() -> None:
    with pytest.raises(FigureError, match="currency"):
        display_quotient(Decimal(1), Format(FigureType.MONEY), "de-DE")


def test_an_amount_without_a_currency_is_refused() -> None:
    with pytest.raises(FigureError, match="without a currency"):
        display(Decimal(1), Format(FigureType.MONEY), "de-DE")


@pytest.mark.parametrize(
    ("value", "scale", "locale", "shown"),
    [
        ("0.125", None, "de-DE", "12,5\u00a0%"),
        ("0.125", 0, "de-DE", "13\u00a0%"),
        ("-0.125", 0, "en-US", "-13%"),
        ("0.5", 2, "en-US", "50.00%"),
        ("0.123456789", None, "en-US", "12.3456789%"),
        ("0.125", None, "tr-TR", "%12,5"),
        ("0.125", None, "ar-EG", "١٢٫٥٪\u061c"),
        ("-0.0001", 1, "de-DE", "0,0\u00a0%"),
    ],
)
def test_a_percentage_is_a_share_and_rounded_only_to_its_scale(
    value: str, scale: int | None, locale: str, shown: str
) -> None:
    assert display(Decimal(value), Format(FigureType.PERCENT, scale=scale), locale) == shown


@pytest.mark.parametrize(
    ("value", "format", "shown"),
    [
        (104, Format(FigureType.INTEGER, unit="days"), "104"),
        (1234567, Format(FigureType.COUNT), "1.234.567"),
        (Decimal("4.00"), Format(FigureType.COUNT), "4"),
        (10**18, Format(FigureType.INTEGER), "1.000.000.000.000.000.000"),
        (Decimal("3.5000"), Format(FigureType.DECIMAL), "3,5"),
        (Decimal("2.345"), Format(FigureType.DECIMAL, scale=2), "2,35"),
        (Decimal("-2.345"), Format(FigureType.DECIMAL, scale=2), "-2,35"),
        (Decimal("1e-7"), Format(FigureType.DECIMAL), "0,0000001"),
        (8812, Format(FigureType.TEXT), "8812"),
        ("INV-2026-8812", Format(FigureType.TEXT), "INV-2026-8812"),
        (True, Format(FigureType.BOOLEAN), "yes"),
        (False, Format(FigureType.BOOLEAN), "no"),
        (None, Format(FigureType.MONEY, currency="EUR"), ""),
    ],
)
def test_other_values_are_shown_by_their_type(value: Value, format: Format, shown: str) -> None:
    assert display(value, format, "de-DE") == shown


def test_a_number_beyond_28_digits_keeps_every_digit() -> None:
    digits = "123456789" * 11
    assert display(Decimal(digits + ".5"), Format(FigureType.DECIMAL), "en-US").replace(",", "") == digits + ".5"
    assert display(Decimal(digits + ".5"), Format(FigureType.DECIMAL, scale=0), "en-US").replace(",", "") == str(
        int(digits) + 1
    )


DAY = dt.date(2026, 8, 14)
MOMENT = dt.datetime(2026, 8, 14, 13, 5, tzinfo=dt.timezone(dt.timedelta(hours=2)))


def test_dates_are_iso_unless_the_locale_is_asked_for() -> None:
    assert display(DAY, Format(FigureType.DATE), "de-DE") == "2026-08-14"
    assert display(DAY, Format(FigureType.DATE), "de-DE", dates="locale") == "14.08.2026"
    assert display(DAY, Format(FigureType.DATE), "ar-EG", dates="locale") == "١٤\u200f/٠٨\u200f/٢٠٢٦"


def test_a_moment_that_knows_its_offset_shows_it() -> None:
    naive = MOMENT.replace(tzinfo=None)
    format = Format(FigureType.DATETIME)
    assert display(MOMENT, format, "de-DE") == "2026-08-14 13:05:00+02:00"
    assert display(naive, format, "de-DE") == "2026-08-14 13:05:00"
    assert display(MOMENT, format, "de-DE", dates="locale") == "14.08.2026, 13:05:00 UTC+02:00"
    assert display(naive, format, "de-DE", dates="locale") == "14.08.2026, 13:05:00"


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (1.5, FigureType.DECIMAL),
        (float("nan"), FigureType.MONEY),
        (Decimal("NaN"), FigureType.DECIMAL),
        (Decimal("Infinity"), FigureType.PERCENT),
        (Decimal("1.5"), FigureType.COUNT),
        (True, FigureType.INTEGER),
        ("12", FigureType.INTEGER),
        (1, FigureType.BOOLEAN),
        (MOMENT, FigureType.DATE),
        (DAY, FigureType.DATETIME),
        ("2026-08-14", FigureType.DATE),
        (10**1000, FigureType.INTEGER),
        (Decimal("1e1000"), FigureType.DECIMAL),
        (b"12", FigureType.TEXT),
        ([], FigureType.TEXT),
    ],
)
def test_a_value_that_is_not_exact_or_not_of_its_type_is_refused(value: object, type: FigureType) -> None:
    with pytest.raises(FigureError):
        display(value, Format(type, currency="EUR"), "de-DE")  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize(
    "locale", ["", "xx", "de-XX", "en-ZZ", "german", "de-DE.UTF-8", "../../etc", "de-DE-DE-DE", "x" * 999]
)
def test_an_unknown_locale_is_an_error_and_not_another_locale(locale: str) -> None:
    with pytest.raises(UnknownLocale, match="not a known locale"):
        check_locale(locale)


@pytest.mark.parametrize("scale", [-1, 101])
def test_a_scale_outside_its_limits_is_refused(scale: int) -> None:
    with pytest.raises(FigureError, match="not a number of decimals"):
        Format(FigureType.DECIMAL, scale=scale)


def test_a_format_takes_the_name_of_a_type_and_no_other() -> None:
    assert Format("money", currency="EUR").type is FigureType.MONEY  # type: ignore[arg-type]  # what is tested
    with pytest.raises(FigureError, match="not a type of figure"):
        Format("amount")  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("locale", ["de-DE", "en-US", "fr-FR", "pl-PL", "it-IT", "es-ES", "ja-JP", "hi-IN", "nl-NL"])
@pytest.mark.parametrize("amount", ["0.5", "12", "1234.25", "-98765432.5"])
def test_babel_agrees_where_it_does_not_lose_anything(locale: str, amount: str) -> None:
    tag = locale.replace("-", "_")
    assert money(amount, "EUR", locale) == format_currency(Decimal(amount), "EUR", locale=tag)
    assert display(Decimal(amount), Format(FigureType.DECIMAL), locale) == format_decimal(Decimal(amount), locale=tag)


def test_plural_categories_are_the_locale_s() -> None:
    assert [plural_form(n, "en-US") for n in (0, 1, 2)] == ["other", "one", "other"]
    assert [plural_form(n, "pl-PL") for n in (1, 2, 5, 12, 22)] == ["one", "few", "many", "many", "few"]
    assert [plural_form(n, "ar-EG") for n in (0, 1, 2, 3, 11, 100)] == ["zero", "one", "two", "few", "many", "other"]
    assert plural_form(Decimal("1.5"), "pl-PL") == "other"
    assert plural_form(Decimal("1.00"), "en-US") == plural_form(-1, "en-US") == "one"
