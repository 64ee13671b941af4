"""What may go to an engine, whatever the engine: the text of one SELECT, and parameters that are exact.

That a statement is one harmless SELECT is proved on its syntax tree when a catalog is loaded. Here is the second,
independent look at the text that is really sent: it must *begin* as a query does. Engines read one statement a call
(PostgreSQL through the extended protocol, SQLite by its API), so that no COMMIT, SET, COPY or PRAGMA can be sent; a
writing WITH is left to the engine, which refuses it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal

from footnote.errors import ArgumentError, StatementRefused
from footnote.sources.query import Parameter

_BEGINS_AS_A_QUERY = re.compile(r"[ \t\r\n(]*(?:SELECT|WITH|VALUES)(?![\w$])", re.IGNORECASE | re.ASCII)
_SMALLEST_INTEGER, _LARGEST_INTEGER = -(2**63), 2**63 - 1
_TYPES = (int, str, bool, Decimal, dt.date, dt.datetime, type(None))


def require_query(sql: str) -> None:
    """Check that a text begins as a query does; a leading comment is refused too.

    Raises:
        StatementRefused: It does not.
    """
    if not _BEGINS_AS_A_QUERY.match(sql):
        raise StatementRefused(
            "A statement was not sent to the source.",
            why="It does not begin with SELECT, WITH or VALUES.",
            remedy="A source is only ever read: write the statement as one SELECT.",
        )


def require_exact(parameters: Mapping[str, Parameter]) -> None:
    """Check that every parameter is of a type that engines take without loss.

    Raises:
        ArgumentError: A float, NaN, an integer beyond 64 bits, or a text that no engine stores. Names the parameter
            and never shows its value.
    """
    for name, value in parameters.items():
        fault = _fault(value)
        if fault:
            raise ArgumentError(f"The value for {name!r} cannot be sent to the source.", why=fault)


def _fault(value: Parameter) -> str:
    if type(value) not in _TYPES:
        return f"It is of type {type(value).__name__}; exact values are integers, decimals, texts, dates and booleans."
    if isinstance(value, Decimal) and not value.is_finite():
        return "It is not a finite number."
    if isinstance(value, int) and not _SMALLEST_INTEGER <= value <= _LARGEST_INTEGER:
        return "It is an integer beyond 64 bits."
    if isinstance(value, str):
        if "\0" in value:
            return "The text holds a NUL character."
        try:
            value.encode()
        except UnicodeEncodeError:
            return "The text holds half of a surrogate pair, so it is not valid Unicode."
    return ""
