"""Window functions read: `SUM(x) OVER (PARTITION BY p ORDER BY o)` over the rows of a row statement."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.expressions import Expr, NotComputable
from footnote.lineage.shape import Window, WindowMethod

_FUNCTIONS: dict[type[exp.Expr], WindowMethod] = {
    exp.Sum: "sum",
    exp.Count: "count",
    exp.Avg: "average",
    exp.Min: "minimum",
    exp.Max: "maximum",
    exp.RowNumber: "row number",
    exp.Rank: "rank",
    exp.DenseRank: "dense rank",
}
_RANKS = ("row number", "rank", "dense rank")


def has_window(select: exp.Select) -> bool:
    """Whether a window function stands in an output column."""
    return any(node.find(exp.Window) for node in select.expressions)


def refuse_windows(select: exp.Select, *, grouped: bool) -> None:
    """Refuse a SELECT whose windows would not look at its own rows, all of them.

    Raises:
        Untraceable: It also groups, or has a LIMIT, or computes with a window's value.
    """
    remedy = "Put the query that groups, or the one with the window, into a derived table."
    if grouped:
        raise Untraceable("A window function stands in a SELECT that groups.", remedy=remedy)
    if select.args.get("limit") is not None:
        raise Untraceable("A window function stands in a SELECT with a LIMIT.", remedy=remedy)
    for node in select.expressions:
        if node.find(exp.Window) is not None and not isinstance(node.unalias(), exp.Window):
            raise Untraceable(f"Column {node.alias_or_name!r} computes with a window function.", remedy=remedy)


def read_window(name: str, output: int, node: exp.Window, compiled: Callable[[exp.Expr], Expr]) -> Window:
    """One window function; `compiled` compiles an expression over the row.

    Raises:
        Untraceable: If it cannot be computed outside the engine.
    """
    function = _FUNCTIONS.get(type(node.this))
    if function is None or isinstance(node.this.this, exp.Distinct):
        raise Untraceable(
            f"Column {name!r} uses {node.this.sql()} OVER, which cannot be traced.",
            remedy="Use SUM, COUNT, MIN, MAX, AVG, ROW_NUMBER, RANK or DENSE_RANK.",
        )
    order = node.args.get("order")
    if function in _RANKS and order is None:
        raise Untraceable(f"Column {name!r} ranks rows in no order.", remedy="Add ORDER BY to the window.")
    try:
        star = function in _RANKS or isinstance(node.this.this, exp.Star)
        return Window(
            output,
            function,
            None if star else compiled(node.this.this),
            tuple(compiled(part) for part in node.args.get("partition_by") or ()),
            tuple((compiled(o.this), bool(o.args.get("desc"))) for o in (order.expressions if order else ())),
        )
    except NotComputable as outside:
        raise Untraceable(
            f"Column {name!r} cannot be recomputed from the rows its window looks at ({outside}).",
            remedy="Compute what it looks at in a derived table, as columns.",
        ) from outside
