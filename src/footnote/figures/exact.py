"""The canonical form of a value in a record, and back. JSON without floats: exact numbers are text."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

from footnote.errors import FigureError
from footnote.figures.values import MAX_DIGITS, NUMERIC, WHOLE, FigureType, Value, check_exact, plain

Exact = str | int | bool | None

SAFE_INTEGER = 2**53
"""Integers of this magnitude and more are text: readers that keep numbers as doubles would change them."""

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?(?:[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?"
)


def exact_text(value: Value) -> Exact:
    """The value for a record.

    Decimals are plain text without exponent that keeps trailing zeros; integers below 2^53 are integers, others text;
    dates and moments are ISO 8601, moments with their offset if they have one. Raises `FigureError` for floats, NaN
    and infinities.
    """
    exact = check_exact(value)
    if isinstance(exact, Decimal):
        return plain(exact)
    if isinstance(exact, dt.date):
        return exact.isoformat()
    if isinstance(exact, int) and not isinstance(exact, bool) and abs(exact) >= SAFE_INTEGER:
        return str(exact)
    return exact


def from_exact(json: object, type: FigureType) -> Value:
    """The value of this type that `exact_text` gave for it.

    Args:
        json: As read from a record, so possibly anything.
        type: The type of the figure. Numbers of type decimal, money and percent come back as Decimal, of type
            count and integer as int.

    Raises:
        FigureError: The JSON is not the canonical form of a value of this type.
    """
    if json is None:
        return None
    value: Value = None
    if type is FigureType.BOOLEAN:
        value = json if isinstance(json, bool) else None
    elif isinstance(json, (str, int)) and not isinstance(json, bool):
        if type is FigureType.TEXT:
            value = json
        elif type in NUMERIC:
            value = _number(json, type)
        elif isinstance(json, str):
            value = _date(json) if type is FigureType.DATE else _moment(json)
    if value is None:
        raise FigureError(f"{str(json)[:60]!r} is not the recorded form of a value of type {type}.")
    return check_exact(value)


def _number(json: str | int, type: FigureType) -> Decimal | int | None:
    if isinstance(json, str) and len(json) > 3 * MAX_DIGITS:
        return None
    if type not in WHOLE:
        return Decimal(json) if isinstance(json, int) or _DECIMAL.fullmatch(json) else None
    if isinstance(json, int):
        return json
    if _INTEGER.fullmatch(json):
        return int(json)
    # A database may give a count as numeric with a scale ("4.00").
    if _DECIMAL.fullmatch(json) and Decimal(json) == Decimal(json).to_integral_value():
        return int(Decimal(json))
    return None


def _date(json: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(json) if _DATE.fullmatch(json) else None
    except ValueError:  # such as 2026-02-30
        return None


def _moment(json: str) -> dt.datetime | None:
    try:
        return dt.datetime.fromisoformat(json) if _DATETIME.fullmatch(json) else None
    except ValueError:
        return None
