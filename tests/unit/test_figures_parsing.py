"""Numerals are read as the locale writes them, or refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from footnote.errors import NumeralUnreadable, UnknownLocale
from footnote.figures import Money, parse_money, parse_numeral, parse_percent


@pytest.mark.parametrize(
    ("text", "locale", "value"),
    [
        ("43.805,00", "de-DE", "43805.00"),
        ("43805,5", "de-DE", "43805.5"),
        ("1.234", "de-DE", "1234"),
        ("1.234", "en-US", "1.234"),
        ("12,34,567", "hi-IN", "1234567"),
        ("1 234,5", "fr-FR", "1234.5"),
        ("1\u00a0234,5", "fr-FR", "1234.5"),
        ("1\u2019234.5", "de-CH", "1234.5"),
        ("١٬٢٣٤٫٥", "ar-EG", "1234.5"),
        ("1234", "ar-EG", "1234"),
        ("-0", "de-DE", "0"),
        ("\u22125", "de-DE", "-5"),
        (" 5 ", "de-DE", "5"),
    ],
)
def test_a_numeral_is_read_by_the_rules_of_its_locale(text: str, locale: str, value: str) -> None:
    assert parse_numeral(text, locale) == Decimal(value)


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("", "de-DE"),
        ("   ", "de-DE"),
        ("abc", "de-DE"),
        ("1.2.3,4", "de-DE"),
        ("1,23", "en-US"),
        ("1,2345", "en-US"),
        ("1234,567", "en-US"),
        ("1.23", "de-DE"),
        ("1,234,56", "hi-IN"),
        ("123,456", "hi-IN"),
        ("0.001", "de-DE"),
        ("007", "de-DE"),
        ("1,2,3", "de-DE"),
        ("1,", "de-DE"),
        (",5", "de-DE"),
        ("1.234'567", "de-DE"),
        ("1 234\u00a0567", "fr-FR"),
        ("1,234.567.890", "en-US"),
        ("--5", "de-DE"),
        ("-5-", "de-DE"),
        ("5-", "de-DE"),
        ("+5", "de-DE"),
        ("(5)", "de-DE"),
        ("1e5", "de-DE"),
        ("0x10", "de-DE"),
        ("½", "de-DE"),
        ("5 €", "de-DE"),
        ("5%", "de-DE"),
        ("1 2", "de-DE"),
        ("١2", "ar-EG"),
        ("१२", "ar-EG"),
        ("१२", "de-DE"),
        ("１２", "de-DE"),
        ("NaN", "de-DE"),
        ("1\u200b2", "de-DE"),
        ("9" * 1001, "de-DE"),
        ("9" * 100_000, "de-DE"),
    ],
)
def test_a_malformed_numeral_is_refused_and_not_guessed_at(text: str, locale: str) -> None:
    with pytest.raises(NumeralUnreadable):
        parse_numeral(text, locale)


@pytest.mark.parametrize(
    ("text", "locale", "amount", "currency"),
    [
        ("43.805,00\u00a0€", "de-DE", "43805", "EUR"),
        ("43.805,00 EUR", "de-DE", "43805", "EUR"),
        ("EUR 43.805,00", "de-DE", "43805", "EUR"),
        ("-43.805,00 €", "de-DE", "-43805", "EUR"),
        ("$5", "en-US", "5", "USD"),
        ("US$5", "en-GB", "5", "USD"),
        ("-$1,234.50", "en-US", "-1234.5", "USD"),
        ("$-1,234.50", "en-US", "-1234.5", "USD"),
        ("1,005 €", "de-DE", "1.005", "EUR"),
    ],
)
def test_an_amount_is_read_with_its_currency(text: str, locale: str, amount: str, currency: str) -> None:
    assert parse_money(text, locale) == Money(Decimal(amount), currency)


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("43.805,00", "de-DE"),
        ("$5", "en-GB"),
        ("¥5", "fr-FR"),
        ("5 Taler", "de-DE"),
        ("€ 5 €", "de-DE"),
        ("EUR 5 USD", "de-DE"),
        ("5 eur", "de-DE"),
        ("5 XYZ", "de-DE"),
        ("1,23 €", "en-US"),
        ("-€-5", "de-DE"),
        ("€", "de-DE"),
        ("5 €/t", "de-DE"),
    ],
)
def test_an_amount_whose_currency_is_unclear_is_refused(text: str, locale: str) -> None:
    with pytest.raises(NumeralUnreadable):
        parse_money(text, locale)


def test_a_percentage_is_read_as_a_share() -> None:
    assert parse_percent("12,5\u00a0%", "de-DE") == Decimal("0.125")
    assert parse_percent("-12.5%", "en-US") == Decimal("-0.125")
    assert parse_percent("%12,5", "tr-TR") == Decimal("0.125")


@pytest.mark.parametrize("text", ["12,5", "12,5 ‰", "%12%", "12,5 %%", "%"])
def test_a_percentage_without_one_percent_sign_is_refused(text: str) -> None:
    with pytest.raises(NumeralUnreadable):
        parse_percent(text, "de-DE")


def test_an_unknown_locale_is_an_error() -> None:
    with pytest.raises(UnknownLocale):
        parse_numeral("5", "de-XX")
