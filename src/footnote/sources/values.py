"""Values as a source gives them, read exactly as a column's type says, or refused. Never rounded, never guessed.

What each type is read from, beside NULL:

- INTEGER: an integer; a decimal or a float without fraction (a float only below 2^53, where floats are exact).
- DECIMAL: a decimal, an integer, a text or bytes that are a plain number (Tryton keeps decimals as bytes on SQLite),
  and a float under the rule below. NaN and infinity are refused; the sign of a zero is dropped.
- DATE: a date, an ISO 8601 text, a timestamp at midnight.
- DATETIME: a timestamp, with or without a zone, or an ISO 8601 text of one; it is never moved to another zone.
- BOOLEAN: a boolean, or the integers 0 and 1.
- TEXT: a text; an integer, because SQLite turns number-like texts into integers.
- ANY: what has an exact type of its own; a float under the rule below.

Floats: a decimal of at most 15 significant digits that is stored as a 64-bit float is read back exactly from the
float's shortest form, and two such decimals never share a float (IEEE 754, DBL_DIG). So a float whose shortest form
has at most 15 digits is that decimal, and one with 16 or 17 is either the trace of inexact arithmetic (a SUM of floats:
2387291.4900000016) or more than a float holds, and is refused. A float that is *computed* may still be off within 15
digits; that is what adding up the contributions is for.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from footnote.errors import SourceChanged, ValueUnreadable
from footnote.sources.query import Column, Value, ValueType

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?")
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]00:00(?::00(?:\.0+)?)?)?")
_DATETIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]((?:[01][0-9]|2[0-3]):[0-9]{2})"
    r"(?::([0-9]{2})(?:\.([0-9]{1,6})0*)?)?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
_FLOAT_DIGITS = 15
_LARGEST_EXACT_FLOAT = 2**53


class Unreadable(NamedTuple):
    """Stands in a driver's row for a value that its loader cannot read; `what` says what it is."""

    what: str


class _UnfitError(Exception):
    """A value that is not what its column says; the text says what it is."""


def read_batch(batch: Sequence[tuple[Any, ...]], columns: Sequence[Column]) -> list[tuple[Value, ...]]:
    """Rows as a driver gives them, read as `columns` say. A column that is right already is left as it is.

    Raises:
        ValueUnreadable: A value is not of its column's type. Names the column and the kind of value, never the value.
        SourceChanged: The rows have another width than `columns`.
    """
    if not batch:
        return []
    if len(batch[0]) != len(columns):
        raise SourceChanged(
            f"The source returned {len(batch[0])} columns where the statement declares {len(columns)}.",
            remedy="Compare the statement's columns with those its catalog entry declares.",
        )
    if not columns:
        return list(batch)
    values = list(zip(*batch, strict=True))
    for position, column in enumerate(columns):
        reading = _READINGS[column.type]
        kinds = frozenset(map(type, values[position]))
        if kinds == _DECIMALS and column.type in _READ_AS_DECIMALS and _are_plain(values[position]):
            continue
        if not reading.as_is.issuperset(kinds):
            values[position] = _read(values[position], column, reading.read)
    return list(zip(*values, strict=True))


def _are_plain(decimals: tuple[Decimal, ...]) -> bool:
    """Whether all are numbers, and no zero among them has a sign."""
    return all(map(Decimal.is_finite, decimals)) and not any(value.is_signed() for value in decimals if not value)


def _read(values: tuple[Any, ...], column: Column, read: Callable[[Any], Value]) -> tuple[Value, ...]:
    try:
        return tuple([None if value is None else read(value) for value in values])
    except _UnfitError as error:
        raise ValueUnreadable(
            f"The column {column.name!r} cannot be read as {column.type.value}.",
            why=f"It holds {error}.",
            remedy="Declare the column with the type it has, or convert it in the statement without loss.",
            details={"column": column.name, "type": column.type.value, "found": str(error)},
        ) from None


def kind_of(value: object) -> str:
    """What a value is, in words that show nothing of it."""
    if isinstance(value, Unreadable):
        return value.what
    if isinstance(value, Decimal) and not value.is_finite():
        return "a number that is not finite"
    for types, words in _KINDS:
        if isinstance(value, types):
            return words
    return f"a value of type {type(value).__name__}"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "a boolean"),
    (int, "an integer"),
    (float, "a floating-point number"),
    (Decimal, "a decimal"),
    (str, "a text"),
    ((bytes, bytearray, memoryview), "binary data"),
    (dt.datetime, "a timestamp"),
    (dt.date, "a date"),
    (list, "an array"),
)


def _integer(value: Any) -> int:
    kind = type(value)
    if kind is int:
        return int(value)
    if kind is Decimal and value.is_finite():
        if value == value.to_integral_value():
            return int(value)
        raise _UnfitError("a decimal with a fraction")
    if kind is float:
        if not value.is_integer():
            raise _UnfitError("a floating-point number with a fraction")
        if abs(value) >= _LARGEST_EXACT_FLOAT:
            raise _UnfitError("a floating-point number beyond 2^53, where floats skip integers")
        return int(value)
    raise _UnfitError(kind_of(value))


def _decimal(value: Any) -> Decimal:
    kind = type(value)
    if kind is Decimal and value.is_finite():
        number: Decimal = value
    elif kind is int:
        number = Decimal(value)
    elif kind is float:
        number = _from_float(value)
    elif kind is str or kind is bytes:
        number = _from_text(value)
    else:
        raise _UnfitError(kind_of(value))
    return number if number else number.copy_abs()


def _from_float(value: float) -> Decimal:
    if not math.isfinite(value):
        raise _UnfitError("a number that is not finite")
    text = repr(value)
    digits = text.partition("e")[0].replace(".", "").strip("-0")
    if len(digits) > _FLOAT_DIGITS:
        raise _UnfitError(
            "a floating-point number of more than 15 digits, which is a rounded sum or more than a float can hold"
        )
    return Decimal(text)


def _from_text(value: str | bytes) -> Decimal:
    text = value.decode("ascii", "replace") if isinstance(value, bytes) else value
    if not _NUMBER.fullmatch(text):
        raise _UnfitError(f"{kind_of(value)} that is not a plain number")
    return Decimal(text)


def _date(value: Any) -> dt.date:
    kind = type(value)
    if kind is dt.date:
        same: dt.date = value
        return same
    if kind is dt.datetime:
        if value.time() != dt.time():
            raise _UnfitError("a timestamp that is not at midnight")
        day: dt.date = value.date()
        return day
    if kind is str:
        return _day(value)
    raise _UnfitError(kind_of(value))


@lru_cache(maxsize=4096)
def _day(text: str) -> dt.date:
    match = _DATE.fullmatch(text)
    if not match:
        raise _UnfitError("a text that is not a date such as 2026-08-14, or has a time of day")
    try:
        return dt.date.fromisoformat(match[1])
    except ValueError:  # 2026-02-30
        raise _UnfitError("a text that is not a day of the calendar") from None


def _datetime(value: Any) -> dt.datetime:
    if type(value) is dt.datetime:
        return value
    if type(value) is str:
        match = _DATETIME.fullmatch(value)
        if not match:
            raise _UnfitError("a text that is not a timestamp such as 2026-08-14 10:59:00")
        day, time, seconds, fraction, zone = match.groups(default="")
        text = f"{day}T{time}:{seconds or '00'}.{fraction:0<6}{zone}"
        try:
            return dt.datetime.fromisoformat(text)
        except ValueError:
            raise _UnfitError("a text that is not a moment of the calendar") from None
    raise _UnfitError(kind_of(value))


def _boolean(value: Any) -> bool:
    if type(value) is bool or (type(value) is int and value in (0, 1)):
        return bool(value)
    raise _UnfitError("an integer other than 0 and 1" if type(value) is int else kind_of(value))


def _text(value: Any) -> str:
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    raise _UnfitError(kind_of(value))


def _any(value: Any) -> Value:
    if type(value) in (float, Decimal):
        return _decimal(value)
    if type(value) in _EXACT:
        exact: Value = value
        return exact
    raise _UnfitError(kind_of(value))


class _Reading(NamedTuple):
    """How a type is read: Python types that need no look, and the function for all others."""

    as_is: frozenset[type]
    read: Callable[[Any], Value]


_NONE = type(None)
_DECIMALS = frozenset((Decimal,))
_READ_AS_DECIMALS = frozenset((ValueType.DECIMAL, ValueType.ANY))
_EXACT = frozenset((int, str, bool, dt.date, dt.datetime, _NONE))

_READINGS = {
    ValueType.INTEGER: _Reading(frozenset((int, _NONE)), _integer),
    ValueType.DECIMAL: _Reading(frozenset((_NONE,)), _decimal),
    ValueType.DATE: _Reading(frozenset((dt.date, _NONE)), _date),
    ValueType.DATETIME: _Reading(frozenset((dt.datetime, _NONE)), _datetime),
    ValueType.BOOLEAN: _Reading(frozenset((bool, _NONE)), _boolean),
    ValueType.TEXT: _Reading(frozenset((str, _NONE)), _text),
    ValueType.ANY: _Reading(_EXACT, _any),
}
