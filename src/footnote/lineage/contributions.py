"""What each row contributes to a figure, and what its contributions add up to, in exact arithmetic."""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.columnwise import Columns
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
    kinds = set(map(type, values))
    if kinds <= {int, bool}:
        return int(sum(values))
    if not kinds <= {int, bool, Decimal}:
        found = next(kind for kind in kinds if kind not in (int, bool, Decimal))
        raise TieOutError("A sum runs over values that are no numbers.", details={"type": found.__name__})
    try:
        with decimal.localcontext(EXACT):
            total: Decimal = sum(values, Decimal(0))
            return total
    except decimal.DecimalException as error:
        raise TieOutError("A sum has more digits than can be added up exactly.") from error


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
    if arguments and len(arguments) == len(used):
        rows = [row for row in rows if any(row.arguments[a] is not None for a in arguments)]
    keys = [row.key for row in rows]
    amounts = amounts_of(output, one, [row.arguments for row in rows], parameters)
    if output.case or output.method == "count":
        out = [(key, amount) for key, amount in zip(keys, amounts, strict=True) if amount != 0]
    else:
        out = list(zip(keys, amounts, strict=True))
    total = total_of([amount for _, amount in out])
    if not same(total, expected):
        raise mismatch(output.name, expected, total)
    return tuple(out)


def amounts_of(
    output: Output, one: Expr, arguments: Sequence[Sequence[Any]], parameters: Mapping[str, Any]
) -> Sequence[Any]:
    """What each row adds, all rows at once where the expression allows it."""
    found = None
    if len(arguments) > 1:
        found = Columns({"arg": list(zip(*arguments, strict=True))}, len(arguments), parameters).values(one)
    if found is not None:
        return found
    return [settled(one, {"arg": row}, parameters, f"A contribution to {output.name}") for row in arguments]
