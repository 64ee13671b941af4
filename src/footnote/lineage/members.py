"""Witness rows: taken apart, each checked outside the engine, and none counted twice."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.compare import Key, Notes, far_apart, mismatch, normal, normal_value, same, shown_grain, shown_row
from footnote.lineage.evaluate import evaluate, truth
from footnote.lineage.expressions import NotComputable
from footnote.lineage.lookup import Lookup, ask
from footnote.lineage.shape import Block, RowCheck, SourceTable, Spread
from footnote.lineage.tied import Part


@dataclass(frozen=True, slots=True)
class Member:
    """One witness row: its group, its grain's key, what it gives to each aggregate, and base columns.

    Attributes:
        subs: Values of inner queries.
        parts: The rows of inner queries that gave them.
    """

    group: Key
    key: Key
    arguments: Sequence[Any]
    base: Sequence[Any]
    subs: Sequence[Any] = ()
    parts: tuple[Part, ...] = ()


def read_members(
    block: Block,
    witness: Iterable[Sequence[Any]],
    parameters: Mapping[str, Any],
    notes: Notes,
    lookups: Sequence[Lookup] = (),
) -> list[Member]:
    """The witness rows, of which every one meets the filter and gives what its base columns give.

    Raises:
        TieOutError: If one does not, or stands for the same contribution as another.
    """
    members = [_taken_apart(block, row, parameters, notes, lookups) for row in witness]
    _refuse_rows_without_grain(block, members)
    refuse_fan_out(block, Counter(member.key for member in members if not is_stray(block, member.key)))
    if block.lone:
        grain = block.sources[block.grain]
        own = (member.key[: len(grain.key)] for member in members)
        refuse_fan_out(block, Counter(key for key in own if not grain.absent(key)))
    for spread in block.spreads:
        _refuse_spread(block, spread, members)
    return members


def is_stray(block: Block, key: Key) -> bool:
    """Whether a row has no row of the grain, which an outer join brings."""
    if not block.beside:
        return block.sources[block.grain].absent(key)
    start = 0
    for source in block.grains:
        if not source.absent(key[start : start + len(source.key)]):
            return False
        start += len(source.key)
    return True


def _taken_apart(
    block: Block, row: Sequence[Any], parameters: Mapping[str, Any], notes: Notes, lookups: Sequence[Lookup]
) -> Member:
    a = len(block.key_types)
    b = a + sum(len(source.key) for source in block.grains)
    c = b + len(block.argument_types)
    key, arguments, base = tuple(row[a:b]), list(normal(row[b:c])), row[c:]
    refuse_zones(block, base, key)
    subs, parts = ask(block, base, lookups, parameters) if block.links else ((), ())
    values = {"col": base, "sub": subs}
    check_filters(block, values, parameters, key, notes)
    for check in block.checks:
        if check.what == "filter":
            continue
        engine = (arguments if check.what == "argument" else row if check.what == "key" else base)[check.index]
        expected = _recomputed(check, values, parameters, notes)
        if check.what == "argument" and check.index in block.approximate:
            if expected is _UNKNOWN or far_apart(engine, expected):
                raise mismatch(f"a contribution of {shown_grain(block, key)}", engine, expected)
            arguments[check.index] = normal_value(expected)
        elif expected is not _UNKNOWN and not same(engine, expected):
            raise mismatch(f"{_SAID[check.what]} of {shown_grain(block, key)}", engine, expected)
    return Member(normal(row[:a]), key, arguments, base, subs, parts)


_SAID = {"argument": "a contribution", "key": "a group key", "base": "a value"}


class _Unknown:
    """Stands for what could not be recomputed."""

    def __str__(self) -> str:
        return "not computable"


_UNKNOWN = _Unknown()


def _recomputed(
    check: RowCheck, values: Mapping[str, Sequence[Any]], parameters: Mapping[str, Any], notes: Notes
) -> Any:
    try:
        value = evaluate(check.expression, values, parameters)
        return truth(value) if check.what == "filter" else value
    except NotComputable as outside:
        notes.add(f"a {check.what} is taken from the engine, not recomputed ({outside}).")
        return _UNKNOWN


def refuse_zones(block: Block, base: Sequence[Any], key: Key) -> None:
    """Refuse moments with a time zone where the engine compares moments as texts.

    Raises:
        TieOutError: With the first column that has one.
    """
    for column, value in zip(block.base, base, strict=True):
        if column.zoneless and isinstance(value, dt.datetime) and value.tzinfo is not None:
            raise TieOutError(
                f"{column.column} of {shown_grain(block, key)} is a moment with a time zone.",
                why="SQLite compares moments as texts, and texts of different zones cannot be compared.",
                remedy="Store the moments without a zone, or take a column of days.",
                details={"column": column.column},
            )


def check_filters(
    block: Block, values: Mapping[str, Sequence[Any]], parameters: Mapping[str, Any], key: Key, notes: Notes
) -> None:
    """Whether a row meets the statement's conditions outside the engine too.

    Raises:
        TieOutError: If it does not.
    """
    for check in block.checks:
        if check.what != "filter":
            continue
        holds = _recomputed(check, values, parameters, notes)
        if holds is not _UNKNOWN and holds is not True:
            raise TieOutError(
                f"The source counts {shown_grain(block, key)}, which does not meet the statement's own condition.",
                why="The engine evaluates the condition otherwise than SQL means it.",
                remedy="Check the types of the columns the condition compares.",
                details={"row": shown_grain(block, key)},
            )


# --- no row twice -----------------------------------------------------------------------------------------------------


def refuse_fan_out(block: Block, seen: Counter[Key]) -> None:
    """A row of the grain that stands twice, in one group or in two, is counted twice.

    Raises:
        TieOutError: With the first such row.
    """
    twice = next(((key, times) for key, times in seen.items() if times > 1), None)
    if twice is not None:
        row = shown_grain(block, twice[0])
        raise TieOutError(
            f"This join counts {row} {_times(twice[1])}.",
            why="Each row of the grain may contribute once.",
            remedy="Join only tables that have at most one row for each row of the grain, or take another grain.",
            details={"row": row, "times": twice[1]},
        )


def _refuse_spread(block: Block, spread: Spread, members: Sequence[Member]) -> None:
    """A row of another table that is added up once for each row of the grain is counted several times."""
    nothing = (None,) if spread.counts else (None, 0)
    seen = Counter(
        tuple(member.base[place] for place in spread.keys)
        for member in members
        if member.arguments[spread.argument] not in nothing
    )
    # Where an outer join found no row, there is none that could be counted twice.
    sources = [block.sources[place] for place in spread.tables]
    twice = next(((key, times) for key, times in seen.items() if times > 1 and not _has_absent(sources, key)), None)
    if twice is not None:
        row, grain = shown_row(sources[0], twice[0][: len(sources[0].key)]), block.sources[block.grain].shown
        raise TieOutError(
            f"This statement counts {row} {_times(twice[1])} in {spread.text}.",
            why=f"The amount is not one of {grain}, and it is added up once for each {grain}.",
            remedy=f"Take {sources[0].shown} as the grain in a statement without the join, or COUNT(DISTINCT …).",
            details={"row": row, "times": twice[1]},
        )


def _has_absent(sources: Sequence[SourceTable], key: Key) -> bool:
    start = 0
    for source in sources:
        if source.absent(key[start : start + len(source.key)]):
            return True
        start += len(source.key)
    return False


def _times(count: int) -> str:
    return {2: "twice", 3: "three times", 4: "four times"}.get(count, f"{count} times")


def _refuse_rows_without_grain(block: Block, members: Sequence[Member]) -> None:
    """An outer join may bring rows that have no grain row; they must add nothing."""
    strays = [member for member in members if is_stray(block, member.key)]
    if not strays:
        return
    for aggregate in block.aggregates:
        nothing = (None, 0) if aggregate.function == "sum" else (None,)
        if aggregate.argument is None or any(member.arguments[aggregate.argument] not in nothing for member in strays):
            raise TieOutError(
                f"The statement counts a row that is no row of {block.sources[block.grain].shown}.",
                why="An outer join brings a row without a key, and it contributes.",
                remedy="Count a column of the grain's table instead of *, or use an inner join.",
            )
