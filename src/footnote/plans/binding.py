"""Lists as the one text that is bound for them; see `lists` for the SQL that unfolds it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal

from footnote.errors import ArgumentError
from footnote.evidence import Json
from footnote.figures import exact_text
from footnote.sources.query import Parameter

DIGITS = {"mysql": (35, 30), "duckdb": (20, 18)}
"""Digits before and after the point that a decimal in a list has at most, where all items become one type."""


def list_text(dialect: str, values: Sequence[Parameter]) -> str:
    """A list as one bound text: an array literal for PostgreSQL, else a JSON array.

    Raises:
        ArgumentError: A decimal of more digits than the engine compares exactly.
    """
    whole, fraction = DIGITS.get(dialect, (0, 0))
    for value in values:
        if whole and isinstance(value, Decimal) and not _fits(value, whole, fraction):
            raise ArgumentError(
                "A decimal of a list cannot be sent to the source.",
                why=f"It has more than {whole} digits before or {fraction} after the point.",
            )
    exact = [exact_text(value) for value in values]
    if dialect == "postgres":
        return "{" + ",".join(_array_item(value) for value in exact) + "}"
    return json.dumps(exact, ensure_ascii=False)


def _fits(value: Decimal, whole: int, fraction: int) -> bool:
    return value.adjusted() < whole and -int(value.normalize().as_tuple().exponent) <= fraction


def _array_item(value: Json) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
