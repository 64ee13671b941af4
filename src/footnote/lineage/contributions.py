"""What each row contributes to a figure, and what its contributions add up to, in exact arithmetic."""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.compare import mismatch, same
from footnote.lineage.evaluate import EXACT, evaluate
from footnote.lineage.expressions import Expr, NotComputable
from footnote.lineage.members import Member
from footnote.lineage.shape import Aggregate, Block, Output
from footnote.lineage.tied import Contributions

_QUOTIENT = decimal.Context(prec=34, rounding=decimal.ROUND_HALF_EVEN)


def aggregates_of(block: Block, members: Sequence[Member]) -> list[Any]:
    """Every aggregate of a group, from its rows.

    Raises:
        TieOutError: If the values cannot be aggregated outside the engine.
    """
    return [aggregate_of(aggregate, members) for aggregate in block.aggregates]


def settled(expression: Expr, values: Mapping[str, Sequence[Any]], parameters: Mapping[str, Any], what: str) -> Any:
    """The value of an expression that must be computable.

    Raises:
        TieOutError: If it is not.
    """
    try:
        return evaluate(expression, values, parameters)
    except NotComputable as outside:
        raise TieOutError(
            f"{what} cannot be recomputed from its rows, so it is not returned.", why=f"It needs {outside}."
        ) from outside


def aggregate_of(aggregate: Aggregate, members: Sequence[Member]) -> Any:
    """One aggregate of a group, from its rows; raises as `aggregates_of`."""
    if aggregate.argument is None:
        return len(members)
    values = [v for member in members if (v := member.arguments[aggregate.argument]) is not None]
    if aggregate.function == "count":
        return len(values)
    if aggregate.function == "count distinct":
        return len(set(values))
    if not values:
        return None
    if aggregate.function in ("sum", "sum distinct"):
        return total_of(values if aggregate.function == "sum" else list(dict.fromkeys(values)))
    if aggregate.function == "average":
        return quotient(total_of(values), len(values))
    return extreme(aggregate.function, values)


def quotient(total: int | Decimal, count: int) -> Decimal:
    """An average, to 34 digits."""
    return _QUOTIENT.divide(Decimal(total), Decimal(count))


def total_of(values: Sequence[Any]) -> int | Decimal:
    """The exact sum.

    Raises:
        TieOutError: If a value is no number, or has more digits than are added up.
    """
    whole = [value for value in values if isinstance(value, int)]
    total = EXACT.create_decimal(sum(whole))
    if len(whole) == len(values):
        return sum(whole)
    for value in values:
        if isinstance(value, int):
            continue
        if not isinstance(value, Decimal):
            raise TieOutError("A sum runs over values that are no numbers.", details={"type": type(value).__name__})
        try:
            total = EXACT.add(total, value)
        except decimal.DecimalException as error:
            raise TieOutError("A sum has more digits than can be added up exactly.") from error
    return total


def extreme(function: str, values: Sequence[Any]) -> Any:
    """The smallest or largest value.

    Raises:
        TieOutError: If the order of the values depends on the engine.
    """
    if any(isinstance(value, str) for value in values):
        raise TieOutError(
            "The smallest or largest of texts cannot be tied out.",
            why="The order of texts depends on the engine's collation.",
            remedy="Take MIN or MAX of a number or a date.",
        )
    try:
        return min(values) if function == "minimum" else max(values)
    except TypeError as error:  # dates beside numbers, times with and without a zone
        raise TieOutError("The smallest or largest of values of different types cannot be told.") from error


# --- one figure -------------------------------------------------------------------------------------------------------


def contributions_of(
    block: Block, output: Output, expected: Any, rows: Sequence[Member], parameters: Mapping[str, Any]
) -> Contributions:
    """What each row adds to a figure; rows that add nothing are left out.

    Raises:
        TieOutError: If what the rows add is not the figure.
    """
    if output.method == "group" or expected is None:
        return ()
    if output.contribution is not None:
        return _added(block, output, output.contribution, expected, rows, parameters)
    argument = block.aggregates[output.aggregates[0]].argument
    if argument is None:
        return ()
    present = [(row.key, row.arguments[argument]) for row in rows if row.arguments[argument] is not None]
    if output.method in ("minimum", "maximum"):
        found = extreme(output.method, [value for _, value in present]) if present else None
        return tuple((key, expected) for key, value in present if same(value, found))
    return tuple(present)


def _added(
    block: Block, output: Output, one: Expr, expected: Any, rows: Sequence[Member], parameters: Mapping[str, Any]
) -> Contributions:
    used = [block.aggregates[index].argument for index in output.aggregates]
    arguments = [argument for argument in used if argument is not None]
    out = []
    for row in rows:
        if arguments and len(arguments) == len(used) and all(row.arguments[a] is None for a in arguments):
            continue
        amount = settled(one, {"arg": row.arguments}, parameters, f"A contribution to {output.name}")
        if amount == 0 and (output.case or output.method == "count"):
            continue
        out.append((row.key, amount))
    total = total_of([amount for _, amount in out])
    if not same(total, expected):
        raise mismatch(output.name, expected, total)
    return tuple(out)
