"""What a driver runs: a `Query` and nothing else.

Only `footnote.plans` builds a `Query` (a promise test says so), so that no SQL reaches a source that was not proved
to be one harmless SELECT and that did not get its row rules.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

Parameter = int | str | bool | Decimal | dt.date | dt.datetime | None
"""A bound parameter. Never a float: money and quantities are exact."""

Value = int | str | bool | Decimal | dt.date | dt.datetime | None
"""A value read from a source, exact: numeric -> Decimal, 64-bit integers -> int, NULL -> None."""


class ValueType(StrEnum):
    """What a column of a query is read as; drivers coerce to it or raise, and never round."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    DATETIME = "datetime"
    TEXT = "text"
    BOOLEAN = "boolean"
    ANY = "any"
    """As the engine gives it, made exact: for keys whose type only the database knows."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a query's result, by position."""

    name: str
    type: ValueType


@dataclass(frozen=True, slots=True)
class Query:
    """SQL in the driver's own parameter style, the names of its parameters, and the typed columns it returns.

    Attributes:
        sql: The text the engine runs (`:name` for SQLite, `$name` for DuckDB, `%(name)s` for psycopg and PyMySQL).
        parameters: Value for each named parameter in `sql`.
        columns: The columns in order; a result of another width is an error.
    """

    sql: str
    parameters: Mapping[str, Parameter]
    columns: tuple[Column, ...]
