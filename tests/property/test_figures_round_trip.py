"""What is shown is read back as the same value, in every locale and currency at hand."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.figures import (
    FigureType,
    Format,
    Money,
    Value,
    display,
    exact_text,
    from_exact,
    parse_money,
    parse_numeral,
    parse_percent,
)

LOCALES = """
de-DE en-US en-GB fr-FR pl-PL de-CH de-AT it-IT es-ES nl-NL sv-SE ja-JP hi-IN ar-EG hr-HR nb-NO fa-IR fr-CH pt-BR tr-TR
he-IL bn-BD my-MM dz-BT et-EE lt-LT en-IN es-MX
""".split()
CURRENCIES = ("EUR", "USD", "JPY", "KWD", "CHF", "HRK", "XAU")

decimals = st.one_of(
    st.decimals(min_value=-(10**12), max_value=10**12, places=3),
    st.decimals(min_value=-(10**18), max_value=10**18, places=2),
    st.builds(
        lambda sign, digits, exponent: Decimal((sign, digits, exponent)),
        st.integers(0, 1),
        st.lists(st.integers(0, 9), min_size=1, max_size=60).map(tuple),
        st.integers(-40, 40),
    ),
    st.integers(-(10**30), 10**30).map(Decimal),
)


@pytest.mark.parametrize("locale", LOCALES)
@settings(max_examples=60, deadline=None)
@given(amount=decimals, currency=st.sampled_from(CURRENCIES))
def test_an_amount_is_read_back_as_it_was_shown(locale: str, amount: Decimal, currency: str) -> None:
    shown = display(amount, Format(FigureType.MONEY, currency=currency), locale)
    assert parse_money(shown, locale) == Money(amount, currency)


@pytest.mark.parametrize("locale", LOCALES)
@settings(max_examples=40, deadline=None)
@given(value=decimals)
def test_a_number_and_a_percentage_are_read_back_as_they_were_shown(locale: str, value: Decimal) -> None:
    assert parse_numeral(display(value, Format(FigureType.DECIMAL), locale), locale) == value
    assert parse_percent(display(value, Format(FigureType.PERCENT), locale), locale) == value
    whole = value.to_integral_value()
    assert parse_numeral(display(whole, Format(FigureType.COUNT), locale), locale) == whole


@settings(max_examples=200, deadline=None)
@given(value=decimals, scale=st.integers(0, 6))
def test_a_scale_moves_a_number_by_at_most_half_a_step(value: Decimal, scale: int) -> None:
    shown = parse_numeral(display(value, Format(FigureType.DECIMAL, scale=scale), "de-DE"), "de-DE")
    assert abs(shown - value) * 2 <= Decimal(10) ** -scale or abs(value) > 10**20


@settings(max_examples=200)
@given(text=st.text("0123456789.,-' \u00a0€$%A٣", max_size=12), locale=st.sampled_from(LOCALES))
def test_what_is_read_at_all_is_one_number_whose_digits_were_there(text: str, locale: str) -> None:
    from footnote.errors import NumeralUnreadable

    try:
        value = parse_numeral(text, locale)
    except NumeralUnreadable:
        return
    digits = "".join(str(int(char)) for char in text if char.isdigit())
    assert digits == format(value.copy_abs(), "f").replace(".", "")


values = st.one_of(
    st.tuples(decimals, st.sampled_from([FigureType.DECIMAL, FigureType.MONEY, FigureType.PERCENT])),
    st.tuples(st.integers(-(2**80), 2**80), st.sampled_from([FigureType.COUNT, FigureType.INTEGER])),
    st.tuples(st.dates(), st.just(FigureType.DATE)),
    st.tuples(
        st.datetimes(
            timezones=st.sampled_from([None, dt.UTC, dt.timezone(dt.timedelta(hours=-9, minutes=-30, seconds=-7))])
        ),
        st.just(FigureType.DATETIME),
    ),
    st.tuples(st.booleans(), st.just(FigureType.BOOLEAN)),
    st.tuples(st.text(), st.just(FigureType.TEXT)),
    st.tuples(st.none(), st.sampled_from(list(FigureType))),
)


@settings(max_examples=200)
@given(typed=values)
def test_a_value_is_read_back_from_a_record_as_it_was(typed: tuple[Value, FigureType]) -> None:
    value, type = typed
    recorded = exact_text(value)
    assert from_exact(recorded, type) == value
    assert exact_text(from_exact(recorded, type)) == recorded
