"""A page of the rows behind a figure, picked from witness rows as they pass; and their digest, of all of them."""

from __future__ import annotations

import datetime as dt
import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from footnote.lineage.compare import Key, Notes
from footnote.lineage.contributions import aggregates_of, contributions_of, settled
from footnote.lineage.lookup import Lookup
from footnote.lineage.members import Member, is_stray, read_members
from footnote.lineage.ranking import Ranked
from footnote.lineage.rowset import RowDigest, RowSet, exact_key, line
from footnote.lineage.shape import Block, Output


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
