"""What an engine is asked to add up where it adds up the witness rows itself, and in which order it answers.

Whoever writes the statement and whoever reads its rows go by `measures_of`, so that neither knows the other's columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from footnote.lineage.expressions import Expr, leaves_of
from footnote.lineage.shape import Aggregate, Block, Output
from footnote.sources.query import ValueType

Measured = Literal[
    "rows", "strays", "count", "sum", "count distinct", "sum distinct", "minimum", "maximum", "number", "plus", "minus"
]
_WHOLE = (ValueType.INTEGER, ValueType.BOOLEAN)


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a group.

    Attributes:
        what: What it is: of all rows, of an aggregate, or (`number`, `plus`, `minus`) of an output's contributions.
        of: Position of the aggregate or of the output; of an average there are a sum and a count.
        type: What it is read as.
    """

    what: Measured
    of: int = 0
    type: ValueType = ValueType.INTEGER


def measures_of(block: Block) -> tuple[Measure, ...]:
    """All numbers of a group, in the order of their columns."""
    out = [Measure("rows"), Measure("strays")]
    for place, aggregate in enumerate(block.aggregates):
        out += _of_aggregate(block, place, aggregate)
    for place, output in enumerate(block.outputs):
        out += _of_output(block, place, output)
    return tuple(out)


def _of_aggregate(block: Block, place: int, aggregate: Aggregate) -> tuple[Measure, ...]:
    function, argument = aggregate.function, aggregate.argument
    kind = ValueType.INTEGER if argument is None else block.argument_types[argument]
    added = ValueType.INTEGER if kind in _WHOLE else ValueType.DECIMAL
    found: dict[str, tuple[Measure, ...]] = {
        "average": (Measure("sum", place, added), Measure("count", place)),
        "sum": (Measure("sum", place, added),),
        "sum distinct": (Measure("sum distinct", place, added),),
        "minimum": (Measure("minimum", place, kind),),
        "maximum": (Measure("maximum", place, kind),),
        "count": (Measure("count", place),),
        "count distinct": (Measure("count distinct", place),),
    }
    return found[function]


def _of_output(block: Block, place: int, output: Output) -> Iterator[Measure]:
    if output.method == "group":
        return
    yield Measure("number", place)
    if output.contribution is not None:
        kinds = {block.argument_types[argument] for argument in leaves_of(output.contribution, "arg")}
        whole = kinds <= set(_WHOLE) and _is_whole(output.contribution)
        kind = ValueType.INTEGER if whole else ValueType.DECIMAL
        yield Measure("plus", place, kind)
        yield Measure("minus", place, kind)


def _is_whole(expr: Expr) -> bool:
    """Whether there is no fraction in it."""
    if expr[0] == "num":
        return not set(expr[1]) & set(".eE")
    return all(_is_whole(part) for part in _nested(expr))


def _nested(expr: Expr) -> Iterator[Expr]:
    for part in expr:
        if isinstance(part, list):
            if part and isinstance(part[0], str):
                yield part
            else:
                yield from _nested(part)


def arguments_of(block: Block, output: Output) -> list[int]:
    """The contribution columns that an output is made of; none where it counts rows as such."""
    used = [block.aggregates[index].argument for index in output.aggregates]
    found = [argument for argument in used if argument is not None]
    return found if len(found) == len(used) else []
