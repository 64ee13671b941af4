"""A page of the rows behind a figure, picked from witness rows as they pass or by the engine; and the digest of all rows."""

from __future__ import annotations

import datetime as dt
import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from footnote.lineage.compare import Key, Notes, normal
from footnote.lineage.contributions import aggregates_of, amounts_of, contributions_of, settled
from footnote.lineage.lookup import Lookup
from footnote.lineage.measures import arguments_of
from footnote.lineage.members import Member, is_stray, read_members
from footnote.lineage.ranking import Ranked
from footnote.lineage.rowset import RowDigest, RowSet, exact_key, line, row_set_of
from footnote.lineage.shape import Block, Output
from footnote.lineage.summed import Measures, row_sets_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are wanted.

    Attributes:
        output: The figure's column.
        key: The group's key, as recorded.
        first: How many rows stand before the page.
        size: Rows of a page.
        largest: Whether the rows that contribute most come first; otherwise they come in record order.
        matches: Whether a row, by its key and its amount, is looked for.
    """

    output: str
    key: tuple[Any, ...]
    first: int
    size: int
    largest: bool
    matches: Callable[[Key, Any], bool]


@dataclass(frozen=True, slots=True)
class PickedRow:
    """One row: its place among all rows of the group from 0, its key, and what it contributes."""

    place: int
    key: Key
    amount: Any


@dataclass(frozen=True, slots=True)
class Picked:
    """A page: its rows, how many rows are like those looked for, and what stands for all rows of the group."""

    rows: tuple[PickedRow, ...]
    matched: int
    row_set: RowSet


def pick(
    block: Block,
    witness: Iterable[Sequence[Sequence[Any]]],
    parameters: Mapping[str, Any],
    wanted: Wanted,
    salt: bytes,
    lookups: Sequence[Lookup] = (),
) -> Picked:
    """Pick a page from batches of witness rows; memory is in proportion to the page and the pages before it.

    Raises:
        TieOutError: If a row does not hold.
    """
    output = next(output for output in block.outputs if output.name == wanted.output)
    digest, page = RowDigest(salt), _Page(wanted, output)
    notes = Notes(())
    for batch in witness:
        members = read_members(block, batch, parameters, notes, lookups)
        rows = [row for row in members if exact_key(row.group) == wanted.key and not is_stray(block, row.key)]
        if rows:
            page.take(digest.count, rows, _amounts(block, output, rows, parameters))
            digest.add([line((*row.key, *row.arguments)) for row in rows])
    return Picked(page.rows(), page.matched, digest.row_set(wanted.key))


def page_of(
    block: Block,
    parameters: Mapping[str, Any],
    wanted: Wanted,
    salt: bytes,
    groups: Sequence[Sequence[Any]],
    digests: Sequence[Sequence[Any]],
    page: Sequence[Sequence[Any]],
) -> Picked:
    """The page that an engine picked of every group, and what it says of the group that is wanted.

    Args:
        block: The statement understood.
        parameters: Bound parameters by name.
        wanted: Which rows; not those that match a text.
        salt: Of the digests.
        groups: Group keys, then measures.
        digests: Group keys, then the chunks.
        page: Witness rows.

    Raises:
        TieOutError: If a row of the page does not hold.
    """
    width = len(block.key_types)
    place = next(place for place, output in enumerate(block.outputs) if output.name == wanted.output)
    output = block.outputs[place]
    sets = {exact_key(key): found for key, found in row_sets_of(block, digests, salt).items()}
    measured = (Measures(block, row[width:]) for row in groups if exact_key(normal(row[:width])) == wanted.key)
    matched = sum(found.of(place, "number") for found in measured)
    members = [row for row in read_members(block, page, parameters, Notes(())) if exact_key(row.group) == wanted.key]
    amounts = _listed(block, output, members, parameters)
    rows = [
        PickedRow(wanted.first + number, member.key, amount)
        for number, (member, amount) in enumerate(zip(members, amounts, strict=True))
    ]
    return Picked(tuple(rows), matched, sets.get(wanted.key) or row_set_of(salt, 0, (), wanted.key))


def _listed(block: Block, output: Output, members: Sequence[Member], parameters: Mapping[str, Any]) -> Sequence[Any]:
    """What each row of a page adds; for a smallest, largest or average value, the value itself."""
    if output.contribution is not None:
        return amounts_of(output, output.contribution, [member.arguments for member in members], parameters)
    argument = arguments_of(block, output)[0]
    return [member.arguments[argument] for member in members]


def _amounts(block: Block, output: Output, rows: Sequence[Member], parameters: Mapping[str, Any]) -> dict[Key, Any]:
    """What each row adds; for a smallest, largest or average value, the value itself."""
    if output.contribution is None:
        argument = block.aggregates[output.aggregates[0]].argument if output.aggregates else None
        if argument is None:
            return {row.key: None for row in rows}
        return {row.key: row.arguments[argument] for row in rows if row.arguments[argument] is not None}
    here = Ranked(rows[0].group, aggregates_of(block, rows), rows[0].subs)
    expected = settled(output.expression or ["null"], here.values, parameters, f"Figure {output.name}")
    return dict(contributions_of(block, output, expected, rows, parameters))


class _Page:
    """Keeps what the page shows."""

    def __init__(self, wanted: Wanted, output: Output) -> None:
        self._wanted = wanted
        self._by_size = output.method == "sum"
        self._rows: list[PickedRow] = []
        self._least = output.method == "minimum"
        self.matched = 0

    def take(self, place: int, rows: Sequence[Member], amounts: Mapping[Key, Any]) -> None:
        """Take further rows, of which the first stands at `place`."""
        wanted = self._wanted
        found = [
            PickedRow(place + number, row.key, amounts[row.key])
            for number, row in enumerate(rows)
            if row.key in amounts and wanted.matches(row.key, amounts[row.key])
        ]
        before, self.matched = self.matched, self.matched + len(found)
        if wanted.largest:
            self._rows = heapq.nsmallest(wanted.first + wanted.size, [*self._rows, *found], key=self._rank)
        else:
            self._rows += found[max(0, wanted.first - before) : max(0, wanted.first + wanted.size - before)]

    def _rank(self, row: PickedRow) -> tuple[Any, int]:
        amount = row.amount
        if isinstance(amount, int | Decimal):
            number = abs(Decimal(amount)) if self._by_size else Decimal(amount)
            return (number if self._least else -number, row.place)
        if isinstance(amount, dt.date):
            return (amount.toordinal() if self._least else -amount.toordinal(), row.place)
        return (0, row.place)  # texts: record order

    def rows(self) -> tuple[PickedRow, ...]:
        """The rows of the page."""
        return tuple(self._rows[self._wanted.first :] if self._wanted.largest else self._rows)
