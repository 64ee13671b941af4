"""Tie-out of a statement that rests on more rows than are kept: its witness rows are added up as they pass.

Every row goes through the same checks as in `tieout`, and every figure is recomputed outside the engine; only the rows
are not kept. What stays of them for each group is a count, a salted digest, what was added and what was taken away,
and the rows that contribute most. Memory is in proportion to the groups, not to the rows.

Witness rows come in the order of the grain's key, so a row that counts twice stands beside itself. What is not in that
order and has to be remembered (distinct values, keys of other tables that are added up) is remembered up to
`REMEMBERED`, and refused beyond.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from footnote.errors import TieOutError, TooManyRows
from footnote.lineage.compare import Key, Notes, far_apart, mismatch, normal, same, shown_grain, shown_group
from footnote.lineage.contributions import aggregate_of, aggregates_of, contributions_of, quotient, settled, total_of
from footnote.lineage.lookup import Lookup
from footnote.lineage.members import Member, has_absent, read_members, with_grain
from footnote.lineage.ranking import Ranked, check_cut
from footnote.lineage.repeats import Repeats
from footnote.lineage.rowset import Extent, RowDigest, line
from footnote.lineage.shape import Aggregate, Block, Output
from footnote.lineage.tied import Part, TiedOut, TiedRow
from footnote.lineage.tieout import codes_of, counts, meets_having

REMEMBERED = 1_000_000
"""Most values of a kind that are remembered beside the rows that pass."""
LARGEST = 200
"""Rows that are kept for a figure of one group; several groups share them, and each keeps `FEWEST`."""
FEWEST = 20


def tie_out_large(
    block: Block,
    rows: Sequence[Sequence[Any]],
    witness: Any,
    parameters: Mapping[str, Any],
    salt: bytes,
    lookups: Sequence[Lookup] = (),
) -> TiedOut:
    """Check an aggregated statement against witness rows that pass once.

    Args:
        block: The statement understood.
        rows: Output columns, then the group keys.
        witness: Batches of witness rows (group keys, the grain's key, contribution columns, base columns), in the
            order of the grain's key.
        parameters: Bound parameters by name.
        salt: For the digests of the rows.
        lookups: For each of the block's links.

    Raises:
        TieOutError: If any figure does not add up from its rows.
        TooManyRows: If more would have to be remembered than `REMEMBERED`.
    """
    passing = _Passing(block, parameters, salt, max(FEWEST, LARGEST // max(1, len(rows))), lookups)
    for batch in witness:
        passing.take(batch)
    return passing.tied_out(rows)


class _Passing:
    """What is known of the rows that have passed."""

    def __init__(
        self, block: Block, parameters: Mapping[str, Any], salt: bytes, kept: int, lookups: Sequence[Lookup]
    ) -> None:
        self.block = block
        self.parameters = parameters
        self.notes = Notes(block.notes)
        self._salt = salt
        self._kept = kept
        self._lookups = lookups
        self._groups: dict[Key, PassingGroup] = {} if block.key_types else {(): self._new(())}
        self._last: Key | None = None
        self._spreads = Spreads(block)

    def _new(self, group: Key) -> PassingGroup:
        return PassingGroup.new(self.block, group, self._kept, self._salt)

    def take(self, batch: Sequence[Sequence[Any]]) -> None:
        """Check and add up further rows."""
        members = read_members(self.block, batch, self.parameters, self.notes, self._lookups)
        self._refuse_repeated(members)
        self._spreads.take(members)
        groups: dict[Key, list[Member]] = {}
        for member in members:
            groups.setdefault(member.group, []).append(member)
        for key, some in groups.items():
            group = self._groups.get(key) or self._groups.setdefault(key, self._new(key))
            group.take(self.block, some, self.parameters)

    def _refuse_repeated(self, members: Sequence[Member]) -> None:
        """Within the rows at hand `read_members` finds a row that stands twice; here, over their border."""
        keyed = [member.key for member in with_grain(self.block, members)]
        if not keyed:
            return
        if self._last is not None and not _follows(keyed[0], self._last):
            raise TieOutError(
                f"This join counts {shown_grain(self.block, keyed[0])} twice, or its rows are not in the order of the key.",
                why="Each row of the grain may contribute once.",
                remedy="Join only tables that have at most one row for each row of the grain, or take another grain.",
                details={"row": shown_grain(self.block, keyed[0])},
            )
        self._last = keyed[-1]

    def tied_out(self, rows: Sequence[Sequence[Any]]) -> TiedOut:
        """Compare what the source gave with what passed."""
        width = len(self.block.outputs)
        tied: list[TiedRow] = []
        kept: list[Ranked] = []
        left = dict(self._groups)
        for row in rows:
            key = normal(row[width:])
            group = left.pop(key, None)
            if group is None:
                raise no_rows(key)
            kept.append(group.ranked())
            tied.append(group.tied(self.block, row[:width], self.parameters, self.notes))
            if not meets_having(self.block, kept[-1], self.parameters):
                raise TieOutError(f"Group {shown_group(key)} is in the result but does not meet HAVING.")
        check_left_out(self.block, kept, [group.ranked() for group in left.values()], self.parameters)
        return TiedOut(tuple(tied), self.notes.all())


class Spreads:
    """Rows of other tables than the grain's that are added up: each may count once, wherever it stands."""

    def __init__(self, block: Block) -> None:
        self._spreads, self._repeats = block.spreads, Repeats(block)
        self._known: list[set[Key]] = [set() for _ in block.spreads]
        self._sources = block.sources

    def take(self, members: Sequence[Member]) -> None:
        """Take the rows of other tables that further rows add up.

        Raises:
            TieOutError: If one of them stood before; `TooManyRows` if there are more than are remembered.
        """
        self._repeats.take(members)
        for number, spread in enumerate(self._spreads):
            known, tables = self._known[number], [self._sources[place] for place in spread.tables]
            nothing = (None,) if spread.counts else (None, 0)
            found = [
                tuple(member.base[place] for place in spread.keys)
                for member in members
                if member.arguments[spread.argument] not in nothing
            ]
            twice = next((key for key in found if key in known and not has_absent(tables, key)), None)
            if twice is not None:
                raise TieOutError(
                    f"This statement counts a row of another table than the grain's twice in {spread.text}.",
                    why=f"Its key is {'/'.join(map(str, twice))}.",
                    remedy="Take that table as the grain in a statement without the join.",
                )
            known.update(found)
            _refuse_beyond(len(known), "keys of a joined table that is added up")


def no_rows(key: Key) -> TieOutError:
    """The error for a group of the result that no witness row belongs to."""
    return TieOutError(
        f"The result has a group {shown_group(key)} that no row belongs to.",
        why="Statement and witness rows disagree about the groups.",
        details={"group": shown_group(key)},
    )


def check_left_out(block: Block, kept: Sequence[Ranked], left: Sequence[Ranked], parameters: Mapping[str, Any]) -> None:
    """Every group that has rows is in the result, unless HAVING leaves it out, or LIMIT because of its rank.

    Raises:
        TieOutError: With the first that is missing.
    """
    out = [ranked for ranked in left if meets_having(block, ranked, parameters)]
    if block.cut is not None:
        check_cut(block.cut, kept, out, parameters)
    elif out:
        raise TieOutError(
            f"Group {shown_group(out[0].group)} has rows but is not in the result.",
            why="Statement and witness rows disagree about the groups.",
            details={"group": shown_group(out[0].group)},
        )


@dataclass
class PassingGroup:
    """One group of the rows that have passed."""

    key: Key
    running: list[_Running]
    figures: dict[str, _Found]
    digest: RowDigest
    subs: Sequence[Any] = ()
    parts: dict[Key, tuple[Part, ...]] = field(default_factory=dict)

    @classmethod
    def new(cls, block: Block, key: Key, kept: int, salt: bytes) -> PassingGroup:
        """A group of which no row has passed; of each figure so many rows are kept."""
        running = [_Running(aggregate) for aggregate in block.aggregates]
        figures = {output.name: _Found(output, kept) for output in block.outputs}
        return cls(key, running, figures, RowDigest(salt))

    def take(self, block: Block, members: Sequence[Member], parameters: Mapping[str, Any]) -> None:
        """Add up further rows of the group."""
        self.subs = members[0].subs
        for running in self.running:
            running.take(members)
        rows = with_grain(block, members)
        self.digest.add([line((*row.key, *row.arguments)) for row in rows])
        here = self._ranked(aggregates_of(block, members))
        by_key = {row.key: row for row in rows}
        for output in block.outputs:
            expected = settled(output.expression or ["null"], here.values, parameters, f"Figure {output.name}")
            found = contributions_of(block, output, expected, rows, parameters)
            extreme = output.method in ("minimum", "maximum")
            behind = sum(counts(block, output, row) for row in rows) if extreme else 0
            self.figures[output.name].take(found, behind)
            if not output.currencies and not output.subs:
                continue
            if output.method in ("sum", "count"):
                counted = [by_key[key] for key, amount in found if amount != 0]
            else:
                counted = [row for row in rows if counts(block, output, row)]
            self.figures[output.name].say(codes_of(block, output, [(row.base, row.parts) for row in counted]))
        self._remember_parts(block, by_key)

    def _remember_parts(self, block: Block, by_key: Mapping[Key, Member]) -> None:
        """What the rows that are kept take from inner queries."""
        if not block.links:
            return
        kept = {key for found in self.figures.values() for key in found.kept_keys()}
        self.parts = {key: by_key[key].parts if key in by_key else self.parts[key] for key in kept}

    def _ranked(self, aggregates: Sequence[Any]) -> Ranked:
        return Ranked(self.key, aggregates, self.subs)

    def ranked(self) -> Ranked:
        """The group with its aggregates, of all rows that passed."""
        return self._ranked([running.value() for running in self.running])

    def tied(self, block: Block, engine: Sequence[Any] | None, parameters: Mapping[str, Any], notes: Notes) -> TiedRow:
        """The group's figures, each as its rows give it."""
        values: dict[str, Any] = {}
        ranked = self.ranked()
        for place, output in enumerate(block.outputs):
            expected = settled(output.expression or ["null"], ranked.values, parameters, f"Figure {output.name}")
            found = self.figures[output.name]
            exact = all(block.aggregates[index].exact for index in output.aggregates)
            value = expected if engine is None else engine[place]
            if (exact and not same(value, expected)) or (not exact and far_apart(value, expected, found.size())):
                raise mismatch(output.name, value, expected, self.key)
            if output.contribution is not None and expected is not None and not same(found.total(), expected):
                raise mismatch(output.name, expected, found.total(), self.key)
            if not exact:
                notes.added_up(output.name)
            values[output.name] = value if exact else expected
        contributions = {name: found.contributions(values[name]) for name, found in self.figures.items()}
        return TiedRow(
            values,
            contributions,
            tuple(dict.fromkeys(key for found in contributions.values() for key, _ in found)),
            currencies={name: tuple(found.codes) for name, found in self.figures.items()},
            extents={name: extent for name, found in self.figures.items() if (extent := found.extent(values[name]))},
            rows=self.digest.row_set(self.key),
            key=self.key,
            parts=self.parts,
        )


def _follows(key: Key, last: Key) -> bool:
    """Whether a key stands behind another, as far as Python orders them as the engine does: texts it does not."""
    ordered = all(isinstance(part, int) for part in (*key, *last))
    return key > last if ordered else key != last


def _refuse_beyond(count: int, what: str) -> None:
    if count > REMEMBERED:
        raise TooManyRows(
            f"The statement has more than {REMEMBERED:,} {what}.",
            why="Each of them has to be remembered to check that it counts once.",
            remedy="Narrow the question: a shorter period, one company.",
        )


@dataclass
class _Running:
    """One aggregate over the rows that have passed."""

    aggregate: Aggregate
    count: int = 0
    total: int | Decimal | None = None
    distinct: set[Any] = field(default_factory=set)
    extreme: Any = None

    def take(self, members: Sequence[Member]) -> None:
        argument, function = self.aggregate.argument, self.aggregate.function
        if argument is None:
            self.count += len(members)
            return
        values = [value for member in members if (value := member.arguments[argument]) is not None]
        self.count += len(values)
        if not values:
            return
        if function in ("sum", "average"):
            here = total_of(values)
            self.total = here if self.total is None else total_of((self.total, here))
        elif function in ("count distinct", "sum distinct"):
            self.distinct.update(values)
            _refuse_beyond(len(self.distinct), "distinct values")
        elif function in ("minimum", "maximum"):
            best = min if function == "minimum" else max
            here = aggregate_of(self.aggregate, members)
            self.extreme = here if self.extreme is None else best(self.extreme, here)

    def value(self) -> Any:
        function = self.aggregate.function
        if function == "count":
            return self.count
        if function == "count distinct":
            return len(self.distinct)
        if function == "sum distinct":
            return total_of(list(self.distinct)) if self.distinct else None
        if function == "average":
            return None if self.total is None else quotient(self.total, self.count)
        return self.total if function == "sum" else self.extreme


class _Found:
    """The contributions to one figure: how many, what they come to, and those that count most."""

    def __init__(self, output: Output, kept: int) -> None:
        self._output = output
        self._most = kept
        self._count = self._behind = 0
        self._plus: int | Decimal = 0
        self._minus: int | Decimal = 0
        self._kept: list[tuple[Any, int, Key, Any]] = []
        self.codes: dict[str | None, None] = {}

    def take(self, found: Sequence[tuple[Key, Any]], behind: int) -> None:
        """Take the contributions of further rows, of which `behind` give the figure a value."""
        output = self._output
        self._behind += behind
        if output.method in ("minimum", "maximum") and found and self._kept:
            value, best = found[0][1], self._kept[0][3]
            if not same(value, best):
                if (value < best) is (output.method == "maximum"):
                    return
                self._kept, self._count = [], 0
        if output.contribution is not None:
            amounts = [amount for _, amount in found]
            self._plus = total_of((self._plus, *(amount for amount in amounts if amount > 0)))
            self._minus = total_of((self._minus, *(amount for amount in amounts if amount < 0)))
        for key, amount in found:
            self._count += 1
            size = abs(amount) if isinstance(amount, int | Decimal) and output.method == "sum" else 0
            entry = (size, -self._count, key, amount)
            if len(self._kept) < self._most:
                heapq.heappush(self._kept, entry)
            elif (size, -self._count) > self._kept[0][:2]:
                heapq.heapreplace(self._kept, entry)

    def say(self, codes: Sequence[str | None]) -> None:
        """Note the currencies of what contributed."""
        self.codes |= dict.fromkeys(codes)

    def kept_keys(self) -> Iterator[Key]:
        """Of the rows that are kept."""
        return (key for _, _, key, _ in self._kept)

    def total(self) -> int | Decimal:
        return total_of((self._plus, self._minus))

    def size(self) -> Decimal:
        """What all contributions come to without their signs."""
        return Decimal(self._plus) - Decimal(self._minus)

    def contributions(self, value: Any) -> tuple[tuple[Key, Any], ...]:
        """Those that are kept: the largest first, or all in record order where none was left out."""
        if value is None:
            return ()
        complete = self._count <= self._most
        ordered = sorted(self._kept, key=lambda entry: -entry[1] if complete else (-entry[0], -entry[1]))
        return tuple((key, amount) for _, _, key, amount in ordered)

    def extent(self, value: Any) -> Extent | None:
        """What is to be said where rows were left out."""
        if value is not None and self._output.method in ("minimum", "maximum"):
            return Extent(self._behind)
        if value is None or self._count <= self._most:
            return None
        added = self._output.contribution is not None
        return Extent(self._count, self._plus if added else None, self._minus if added else None)
