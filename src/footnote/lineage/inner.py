"""Tie-out of an inner query that rests on more rows than are kept: its groups pass one after another.

Witness rows come in the order of the group's keys, so that of all groups one is open at a time. Every row is checked, and
every aggregate recomputed from all of them; of each group a few rows stay to be cited, and how many there are. Memory is in
proportion to the inner query's groups, not to its rows. That no row of the grain counts twice was asked of the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from footnote.errors import TieOutError, TooManyRows
from footnote.lineage.compare import Key, Notes, normal, shown_group
from footnote.lineage.large import FEWEST, REMEMBERED, PassingGroup, Spreads, check_left_out, no_rows
from footnote.lineage.lookup import Lookup, TiedArm
from footnote.lineage.members import Member, read_members
from footnote.lineage.ranking import Ranked
from footnote.lineage.shape import Block
from footnote.lineage.tied import TiedRow
from footnote.lineage.tieout import meets_having, none_of, ranked_of, tie_group

OPEN = 10_000
"""Rows of one group that are kept while it is open; of more, they are added up as they pass."""

Rows = Sequence[Sequence[Any]]


def tie_out_large_arm(
    block: Block,
    rows: Rows | None,
    witness: Iterable[Rows],
    parameters: Mapping[str, Any],
    lookups: Sequence[Lookup],
    most: int,
) -> TiedArm:
    """The rows of an inner query, recomputed from the level below.

    Args:
        block: The inner query understood; it aggregates.
        rows: Its own rows, where a LIMIT chooses them.
        witness: Batches of its witness rows, in the order of the group's keys.
        parameters: Bound parameters by name.
        lookups: For each of its own links.
        most: Rows that are cited of all groups together; of each at least one.

    Raises:
        TieOutError: If they do not hold.
        TooManyRows: If it has more groups than are remembered.
    """
    notes = Notes(block.notes)
    width = len(block.outputs)
    given = {normal(row[width:]): row[:width] for row in rows} if rows is not None else None
    passing = _Passing(block, parameters, notes, lookups)
    found: dict[Key, tuple[Ranked, TiedRow | None]] = {}
    for key, ranked, tied in passing.groups(witness, given):
        if key in found:
            raise TieOutError(
                f"The rows of group {shown_group(key)} of an inner query do not stand together.",
                why="The engine takes values for equal that differ, and orders them so.",
                remedy="Group by a column whose collation tells such values apart.",
            )
        if len(found) >= REMEMBERED:
            raise TooManyRows(
                f"An inner query has more than {REMEMBERED:,} groups.",
                why="Each is kept until the outer query has been checked with it.",
                remedy="Narrow the question: a shorter period, one customer, one company.",
            )
        found[key] = (ranked, tied)
    kept = max(1, min(FEWEST, most // max(1, len(found))))
    if given is not None:
        return TiedArm(
            block, [shortened(row, kept) for row in _chosen(block, given, found, parameters)], notes=notes.all()
        )
    shown = [shortened(tied, kept) for _, tied in found.values() if tied is not None]
    return TiedArm(block, shown, none_of(block, lookups, parameters, notes), notes.all())


def _chosen(
    block: Block,
    given: Mapping[Key, Sequence[Any]],
    found: Mapping[Key, tuple[Ranked, TiedRow | None]],
    parameters: Mapping[str, Any],
) -> Iterator[TiedRow]:
    """The groups that the engine chose, in its order."""
    missing = next((key for key in given if key not in found), None)
    if missing is not None:
        raise no_rows(missing)
    kept = [found[key] for key in given]
    left = [ranked for key, (ranked, _) in found.items() if key not in given]
    check_left_out(block, [ranked for ranked, _ in kept], left, parameters)
    for ranked, tied in kept:
        if tied is None:
            raise TieOutError(f"Group {shown_group(ranked.group)} is in the result but does not meet HAVING.")
        yield tied


class _Passing:
    """Reads the groups of an inner query, one after another."""

    def __init__(self, block: Block, parameters: Mapping[str, Any], notes: Notes, lookups: Sequence[Lookup]) -> None:
        self.block, self.parameters, self.notes, self.lookups = block, parameters, notes, lookups
        self._spreads = Spreads(block)

    def groups(
        self, witness: Iterable[Rows], given: Mapping[Key, Sequence[Any]] | None
    ) -> Iterator[tuple[Key, Ranked, TiedRow | None]]:
        """Every group, with its figures if it meets HAVING (and is chosen, where a LIMIT chooses)."""
        pending: list[Member] = []
        passed: PassingGroup | None = None
        for batch in witness:
            members = read_members(self.block, list(batch), self.parameters, self.notes, self.lookups)
            self._spreads.take(members)
            for key, some in groupby(members, key=lambda member: member.group):
                if pending and pending[0].group != key:
                    yield self._closed(pending, passed, given)
                    pending, passed = [], None
                pending += some
                if len(pending) > OPEN:
                    passed = passed or PassingGroup.new(self.block, key, FEWEST, b"")
                    passed.take(self.block, pending[:-1], self.parameters)
                    pending = pending[-1:]
        if pending:
            yield self._closed(pending, passed, given)

    def _closed(
        self, members: list[Member], passed: PassingGroup | None, given: Mapping[Key, Sequence[Any]] | None
    ) -> tuple[Key, Ranked, TiedRow | None]:
        key = members[0].group
        engine = given.get(key) if given is not None else None
        wanted = given is None or engine is not None
        if passed is not None:
            passed.take(self.block, members, self.parameters)
            ranked = passed.ranked()
            meets = wanted and meets_having(self.block, ranked, self.parameters)
            tied = passed.tied(self.block, engine, self.parameters, self.notes) if meets else None
            return key, ranked, replace(tied, behind=passed.digest.count, rows=None) if tied is not None else None
        ranked = ranked_of(self.block, key, members, self.lookups, self.parameters)
        meets = wanted and meets_having(self.block, ranked, self.parameters)
        found = tie_group(self.block, engine, ranked, members, self.parameters, self.notes) if meets else None
        return key, ranked, shortened(found, FEWEST) if found is not None else None


def shortened(row: TiedRow, kept: int) -> TiedRow:
    """The row with so many of its rows, and how many there are."""
    if len(row.grain) <= kept and not row.behind:
        return row
    grain = row.grain[:kept]
    known = set(grain)
    return replace(
        row,
        contributions={
            name: tuple((key, amount) for key, amount in found if key in known)
            for name, found in row.contributions.items()
        },
        grain=grain,
        parts={key: parts for key, parts in row.parts.items() if key in known},
        behind=row.behind or len(row.grain),
    )
