"""Witness rows: taken apart, each checked outside the engine, and none counted twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from footnote.errors import TieOutError
from footnote.lineage.compare import Key, Notes, shown_grain, shown_row
from footnote.lineage.lookup import Lookup
from footnote.lineage.rows import CheckedRows, normal_column, rows_of
from footnote.lineage.shape import Block, RowCheck, SourceTable, Spread
from footnote.lineage.tied import Part


class Member(NamedTuple):
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
    rows = witness if isinstance(witness, list) else list(witness)
    members = _Witness(block, rows, parameters, notes, lookups).members() if rows else []
    present = with_grain(block, members)
    if len(present) < len(members):
        _refuse_rows_without_grain(block, members)
    keys = [member.key for member in present]
    if len(set(keys)) < len(keys):
        refuse_fan_out(block, _most(block, present, keys))
    if block.lone:
        grain = block.sources[block.grain]
        own = (member.key[: len(grain.key)] for member in members)
        refuse_fan_out(block, Counter(key for key in own if not grain.absent(key)))
    for spread in block.spreads:
        _refuse_spread(block, spread, members)
    return members


def is_stray(block: Block, key: Key) -> bool:
    """Whether a row has no row of the grain, which an outer join brings."""
    grain = block.sources[block.grain]
    if not grain.absent(key[: len(grain.key)]):
        return False
    start = 0
    for source in block.grains if block.beside else ():
        if not source.absent(key[start : start + len(source.key)]):
            return False
        start += len(source.key)
    return True


def with_grain(block: Block, members: Sequence[Member]) -> Sequence[Member]:
    """The members that have a row of the grain."""
    if all(map(all, (member.key for member in members))):  # no NULL in any key, nor a 0
        return members
    return [member for member in members if not is_stray(block, member.key)]


class _Witness(CheckedRows):
    """Witness rows: group keys, the grain's key, contribution columns, base columns."""

    def __init__(
        self,
        block: Block,
        rows: Sequence[Sequence[Any]],
        parameters: Mapping[str, Any],
        notes: Notes,
        lookups: Sequence[Lookup],
    ) -> None:
        columns = list(zip(*rows, strict=True))
        a = len(block.key_types)
        b = a + sum(len(source.key) for source in block.grains)
        c = b + len(block.argument_types)
        self._shown_keys = columns[:a]
        self._groups = rows_of([normal_column(column) for column in columns[:a]], len(rows))
        self._arguments = [normal_column(column) for column in columns[b:c]]
        super().__init__(block, rows_of(columns[a:b], len(rows)), columns[c:], parameters, notes, lookups)

    def members(self) -> list[Member]:
        """Every row, checked.

        Raises:
            TieOutError: With the first row that does not hold.
        """
        self.check_filters()
        self.check_base()
        for check in self._block.checks:
            if check.what == "key":
                self.check(self._shown_keys[check.index], check.expression, "a group key", "a key")
            elif check.what == "argument":
                self._check_argument(check)
        arguments = rows_of(self._arguments, self._size)
        return list(map(Member, self._groups, self.grains, arguments, self.base, self.subs, self.parts))

    def _check_argument(self, check: RowCheck) -> None:
        engine, said = self._arguments[check.index], "a contribution"
        if check.index in self._block.approximate:
            self._arguments[check.index] = normal_column(self.exact(engine, check.expression, said))
        else:
            self.check(engine, check.expression, said, "an argument")


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
    counted = [member for member in members if member.arguments[spread.argument] not in nothing]
    keys = [tuple(member.base[place] for place in spread.keys) for member in counted]
    refuse_spread(block, spread, _most(block, counted, keys))


def _most(block: Block, members: Sequence[Member], keys: Sequence[Key]) -> Counter[Key]:
    """How often each key stands, where a sub-select is asked with several values: for that for which it stands most."""
    if not block.asked:
        return Counter(keys)
    seen = Counter((member.group[: block.asked], key) for member, key in zip(members, keys, strict=True))
    most: Counter[Key] = Counter()
    for (_, key), times in seen.items():
        most[key] = max(most[key], times)
    return most


def refuse_spread(block: Block, spread: Spread, seen: Counter[Key]) -> None:
    """A row of another table that stands twice where it is added up is counted twice.

    Raises:
        TieOutError: With the first such row.
    """
    # Where an outer join found no row, there is none that could be counted twice.
    sources = [block.sources[place] for place in spread.tables]
    twice = next(((key, times) for key, times in seen.items() if times > 1 and not has_absent(sources, key)), None)
    if twice is not None:
        row, grain = shown_row(sources[0], twice[0][: len(sources[0].key)]), block.sources[block.grain].shown
        raise TieOutError(
            f"This statement counts {row} {_times(twice[1])} in {spread.text}.",
            why=f"The amount is not one of {grain}, and it is added up once for each {grain}.",
            remedy=f"Take {sources[0].shown} as the grain in a statement without the join, or COUNT(DISTINCT …).",
            details={"row": row, "times": twice[1]},
        )


def has_absent(sources: Sequence[SourceTable], key: Key) -> bool:
    """Whether an outer join found no row for one of the tables."""
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
    for aggregate in block.aggregates:
        nothing = (None, 0) if aggregate.function == "sum" else (None,)
        if aggregate.argument is None or any(member.arguments[aggregate.argument] not in nothing for member in strays):
            raise TieOutError(
                f"The statement counts a row that is no row of {block.sources[block.grain].shown}.",
                why="An outer join brings a row without a key, and it contributes.",
                remedy="Count a column of the grain's table instead of *, or use an inner join.",
            )
