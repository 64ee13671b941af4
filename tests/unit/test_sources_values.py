# ruff: noqa: DTZ001 (timestamps without a zone are what many databases hold)
"""Values are read exactly as their column says, or refused with the column's name and the kind of value."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import SourceChanged, SourceUnavailable, ValueUnreadable
from footnote.sources.query import Column, Value, ValueType
from footnote.sources.values import Unreadable, read_batch

INT, DEC, DAY, TS, TEXT, BOOL, ANY = (
    ValueType(name) for name in "integer decimal date datetime text boolean any".split()
)


def read(value: object, kind: ValueType) -> Value:
    return read_batch([(value,)], [Column("amount", kind)])[0][0]


EXACT: list[tuple[ValueType, Any, Value]] = [
    (INT, 7, 7),
    (INT, 2**63 - 1, 2**63 - 1),
    (INT, -(2**63), -(2**63)),
    (INT, Decimal("12.00"), 12),
    (INT, Decimal(18446744073709551614), 18446744073709551614),
    (INT, 3.0, 3),
    (INT, float(2**53 - 1), 2**53 - 1),
    (DEC, Decimal("12345678901234567890.1234567890"), Decimal("12345678901234567890.1234567890")),
    (DEC, Decimal("1E+40"), Decimal("1E+40")),
    (DEC, 5, Decimal(5)),
    (DEC, 12.5, Decimal("12.5")),
    (DEC, 0.1, Decimal("0.1")),
    (DEC, 4187.59, Decimal("4187.59")),
    (DEC, -1e-7, Decimal("-1E-7")),
    (DEC, b"4187.59", Decimal("4187.59")),
    (DEC, "-0.07", Decimal("-0.07")),
    (DEC, "1e3", Decimal(1000)),
    (DAY, dt.date(2026, 8, 14), dt.date(2026, 8, 14)),
    (DAY, "2026-08-14", dt.date(2026, 8, 14)),
    (DAY, "2024-02-29 00:00:00", dt.date(2024, 2, 29)),
    (DAY, "0001-01-01T00:00:00.000000", dt.date.min),
    (DAY, dt.datetime(2026, 8, 14), dt.date(2026, 8, 14)),
    (TS, "2026-08-14 10:59:00", dt.datetime(2026, 8, 14, 10, 59)),
    (TS, "2026-08-14T10:59:00.5", dt.datetime(2026, 8, 14, 10, 59, 0, 500000)),
    (TS, "2026-08-14 10:59:00.12345600", dt.datetime(2026, 8, 14, 10, 59, 0, 123456)),
    (TS, "2026-08-14 10:59Z", dt.datetime(2026, 8, 14, 10, 59, tzinfo=dt.UTC)),
    (TS, "2026-08-14 10:59:00+0530", dt.datetime.fromisoformat("2026-08-14T10:59:00+05:30")),
    (BOOL, True, True),
    (BOOL, 0, False),
    (BOOL, 1, True),
    (TEXT, "", ""),
    (TEXT, "O'Brien \N{SNOWMAN} \N{GRINNING FACE}", "O'Brien \N{SNOWMAN} \N{GRINNING FACE}"),
    (TEXT, 4711, "4711"),
    (ANY, "key", "key"),
    (ANY, True, True),
    (ANY, 12.5, Decimal("12.5")),
    (ANY, dt.date(2026, 1, 1), dt.date(2026, 1, 1)),
]


@pytest.mark.parametrize(("kind", "value", "expected"), EXACT)
def test_a_value_of_the_declared_type_is_read_exactly(kind: ValueType, value: object, expected: Value) -> None:
    got = read(value, kind)
    assert (type(got), got) == (type(expected), expected)


REFUSED: list[tuple[ValueType, Any]] = [
    (INT, True),
    (INT, "42"),
    (INT, 3.5),
    (INT, float(2**53)),
    (INT, Decimal("12.5")),
    (INT, Decimal("NaN")),
    (INT, b"4"),
    (INT, math.nan),
    (DEC, math.inf),
    (DEC, 2387291.4900000016),
    (DEC, 0.1 + 0.2),
    (DEC, float(2**53)),
    (DEC, Decimal("NaN")),
    (DEC, Decimal("Infinity")),
    (DEC, "12,50"),
    (DEC, "$12.50"),
    (DEC, " 12.5"),
    (DEC, "1_000"),
    (DEC, "٣"),
    (DEC, "NaN"),
    (DEC, ""),
    (DEC, b"\xff\xfe"),
    (DEC, False),
    (DEC, [1]),
    (DAY, "2026-02-30"),
    (DAY, "0000-00-00"),
    (DAY, "14.08.2026"),
    (DAY, "20260814"),
    (DAY, "2026-W33-5"),
    (DAY, "2026-05-04 10:59:00"),
    (DAY, dt.datetime(2026, 8, 14, 10, 59)),
    (DAY, 20260814),
    (DAY, Unreadable("a date outside of the years 1 to 9999, or infinity")),
    (TS, "2026-08-15"),
    (TS, "2026-08-14 24:00:00"),
    (TS, "2026-08-14 10:59:60"),
    (TS, "2026-08-14 10:59:00.1234567"),
    (TS, "2026-08-14 10:59.5"),
    (TS, dt.date(2026, 8, 14)),
    (TS, 1786700000),
    (BOOL, 2),
    (BOOL, "t"),
    (BOOL, Decimal(1)),
    (TEXT, b"caf\xe9"),
    (TEXT, Decimal("1.5")),
    (TEXT, 1.5),
    (TEXT, True),
    (ANY, b"4187.59"),
    (ANY, Decimal("NaN")),
    (ANY, [1]),
    (ANY, Unreadable("an amount of type money")),
]


@pytest.mark.parametrize(("kind", "value"), REFUSED)
def test_any_other_value_is_refused_with_the_columns_name_and_without_the_value(kind: ValueType, value: object) -> None:
    with pytest.raises(ValueUnreadable) as caught:
        read(value, kind)
    assert "'amount'" in caught.value.text
    assert caught.value.details["column"] == "amount"
    assert isinstance(caught.value, SourceUnavailable)
    shown = str(value)
    assert len(shown) < 3 or isinstance(value, Unreadable) or shown not in caught.value.text


@pytest.mark.parametrize("kind", list(ValueType))
def test_null_stays_null(kind: ValueType) -> None:
    assert read(None, kind) is None


@pytest.mark.parametrize("zero", [-0.0, Decimal("-0.00"), "-0.0", b"-0"])
def test_a_negative_zero_is_zero(zero: object) -> None:
    number = read(zero, DEC)
    assert isinstance(number, Decimal)
    assert number == 0
    assert not number.is_signed()


def test_a_row_of_another_width_is_an_error() -> None:
    with pytest.raises(SourceChanged, match="2 columns where the statement declares 1"):
        read_batch([(1, 2)], [Column("a", INT)])


def test_rows_keep_their_order_and_columns_of_mixed_types_are_read_one_by_one() -> None:
    batch = [(1, "2026-01-01"), (2, None), (3, dt.date(2026, 1, 3))]
    assert read_batch(batch, [Column("id", INT), Column("day", DAY)]) == [
        (1, dt.date(2026, 1, 1)),
        (2, None),
        (3, dt.date(2026, 1, 3)),
    ]


@given(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(0, 12))
def test_a_decimal_of_15_digits_survives_being_stored_as_a_float(digits: int, scale: int) -> None:
    stored = Decimal(digits).scaleb(-scale)
    assert read(float(stored), DEC) == stored


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_float_is_read_as_the_decimal_it_prints_as_or_refused(value: float) -> None:
    try:
        number = read(value, DEC)
    except ValueUnreadable:
        return
    assert isinstance(number, Decimal)
    assert float(number) == value
    assert len(number.normalize().as_tuple().digits) <= 15


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_decimal_as_bytes_or_text_is_read_digit_for_digit(value: Decimal) -> None:
    if abs(value.adjusted()) > 90_000:
        return
    expected = value if value else value.copy_abs()
    for stored in (str(value), str(value).encode()):
        assert str(read(stored, DEC)) == str(expected)


@given(st.dates(), st.datetimes())
def test_dates_and_timestamps_survive_being_stored_as_text(day: dt.date, moment: dt.datetime) -> None:
    assert read(day.isoformat(), DAY) == day
    assert read(str(moment), TS) == moment
    assert read(moment.isoformat(), TS) == moment


@given(
    st.one_of(st.text(), st.binary(), st.floats(), st.integers(), st.booleans(), st.dates()), st.sampled_from(ValueType)
)
def test_any_value_is_read_exactly_or_refused_and_nothing_else_happens(value: object, kind: ValueType) -> None:
    try:
        got = read(value, kind)
    except ValueUnreadable:
        return
    assert not isinstance(got, float | bytes)
