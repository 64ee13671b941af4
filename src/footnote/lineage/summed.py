"""Tie-out of a statement whose witness rows the engine added up, because there are too many to fetch.

The engine gives each group's measures, digests of its rows, and the rows that are shown. Recomputed outside it are each
figure from the group's aggregates, each sum from what was added and taken away, and every condition and row expression
of the rows that are shown. That no row of the grain counts twice was asked of the engine before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.compare import Key, Notes, far_apart, mismatch, normal, same, shown_group
from footnote.lineage.contributions import amounts_of, quotient, settled
from footnote.lineage.large import FEWEST, LARGEST, check_left_out, no_rows
from footnote.lineage.measures import Measured, arguments_of, measures_of
from footnote.lineage.members import Member, read_members, refuse_fan_out, refuse_spread
from footnote.lineage.ranking import Ranked
from footnote.lineage.rowset import CHUNK, Extent, RowSet, row_set_of
from footnote.lineage.shape import Block, Output
from footnote.lineage.tied import Contributions, TiedOut, TiedRow
from footnote.lineage.tieout import meets_having

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Summed:
    """What the engine gave.

    Attributes:
        groups: Group keys, then the measures.
        digests: Group keys, then number of the chunk, its rows, its digest.
        currencies: Group keys, currencies, then for each output how many rows of them it counts.
        pages: For each output the witness rows that are shown: those that contribute most, or the first.
        first: The first witness rows of each group, which are recomputed as those that are shown.
        salt: Of the digests.
    """

    groups: Rows
    digests: Rows
    currencies: Rows
    pages: Sequence[Rows]
    first: Rows
    salt: bytes


def rows_in(block: Block, groups: Rows) -> tuple[int, int]:
    """How many witness rows there are, and how many of them have no row of the grain."""
    width = len(block.key_types)
    return sum(group[width] for group in groups), sum(group[width + 1] for group in groups)


def counts_all(block: Block, place: int, groups: Rows) -> bool:
    """Whether every witness row is a contribution to an output."""
    width = len(block.key_types)
    measured = (Measures(block, group[width:]) for group in groups)
    return all(found.of(place, "number") == found.rows for found in measured)


def kept_of(groups: int) -> int:
    """How many rows are kept for a figure of each group."""
    return max(FEWEST, LARGEST // max(1, groups))


def refuse_repeated(block: Block, repeated: Rows, spreads: Sequence[Rows]) -> None:
    """Refuse rows that count twice, as the engine found them: a key, and how often it stands.

    Raises:
        TieOutError: With the first.
    """
    refuse_fan_out(block, Counter({tuple(row[:-1]): row[-1] for row in repeated}))
    for spread, found in zip(block.spreads, spreads, strict=True):
        refuse_spread(block, spread, Counter({tuple(row[:-1]): row[-1] for row in found}))


def tie_out_summed(block: Block, rows: Rows, summed: Summed, parameters: Mapping[str, Any]) -> TiedOut:
    """Check an aggregated statement against what the engine says of its witness rows.

    Args:
        block: The statement understood.
        rows: Output columns, then the group keys.
        summed: What the engine gave.
        parameters: Bound parameters by name.

    Raises:
        TieOutError: If any figure does not add up.
    """
    return _Tie(block, summed, parameters).tied_out(rows)


class _Tie:
    def __init__(self, block: Block, summed: Summed, parameters: Mapping[str, Any]) -> None:
        self.block, self.parameters = block, parameters
        self.notes = Notes(block.notes)
        self._summed = summed
        width = len(block.key_types)
        self._groups = {normal(row[:width]): Measures(block, row[width:]) for row in summed.groups}
        self._shown = [self._read(page) for page in summed.pages]
        self._first = self._read(summed.first)
        self._sets = row_sets_of(block, summed.digests, summed.salt)

    def _read(self, page: Rows) -> dict[Key, list[Member]]:
        """The rows that are shown, each checked outside the engine, by group."""
        out: dict[Key, list[Member]] = {}
        for member in read_members(self.block, page, self.parameters, self.notes):
            out.setdefault(member.group, []).append(member)
        return out

    def tied_out(self, rows: Rows) -> TiedOut:
        tied: list[TiedRow] = []
        kept: list[Ranked] = []
        left = dict(self._groups)
        width = len(self.block.outputs)
        for row in rows:
            key = normal(row[width:])
            measured = left.pop(key, None)
            if measured is None:
                raise no_rows(key)
            kept.append(Ranked(key, measured.aggregates))
            tied.append(self._tied(key, measured, row[:width]))
            if not meets_having(self.block, kept[-1], self.parameters):
                raise TieOutError(f"Group {shown_group(key)} is in the result but does not meet HAVING.")
        out = [Ranked(key, measured.aggregates) for key, measured in left.items()]
        check_left_out(self.block, kept, out, self.parameters)
        pages = (*self._shown, self._first)
        recomputed = {member.key for page in pages for members in page.values() for member in members}
        self.notes.add(
            f"{rows_in(self.block, self._summed.groups)[0]:,} rows were added up by the source; the conditions and "
            f"values of {len(recomputed):,} of them, the largest and the first, were recomputed outside it."
        )
        return TiedOut(tuple(tied), self.notes.all())

    def _tied(self, key: Key, measured: Measures, engine: Sequence[Any]) -> TiedRow:
        values: dict[str, Any] = {}
        contributions: dict[str, Contributions] = {}
        extents: dict[str, Extent] = {}
        for place, (output, value) in enumerate(zip(self.block.outputs, engine, strict=True)):
            values[output.name] = self._value(place, output, value, key, measured)
            found, extent = self._contributions(place, output, values[output.name], key, measured)
            contributions[output.name] = found
            if extent is not None:
                extents[output.name] = extent
        rows = self._sets.get(key)
        if rows is None or rows.count != measured.rows:
            raise TieOutError(f"The source digests {rows.count if rows else 0:,} rows and adds up {measured.rows:,}.")
        grain = tuple(dict.fromkeys(key for found in contributions.values() for key, _ in found))
        currencies = self._currencies(key)
        return TiedRow(values, contributions, grain, currencies=currencies, extents=extents, rows=rows, key=key)

    def _value(self, place: int, output: Output, engine: Any, key: Key, measured: Measures) -> Any:
        """The figure, which is the engine's where that is exact, and what the rows give in any case."""
        ranked = Ranked(key, measured.aggregates)
        expected = settled(output.expression or ["null"], ranked.values, self.parameters, f"Figure {output.name}")
        exact = all(self.block.aggregates[index].exact for index in output.aggregates)
        if (exact and not same(engine, expected)) or (not exact and far_apart(engine, expected)):
            raise mismatch(output.name, engine, expected, key)
        if output.contribution is not None and expected is not None:
            total = measured.of(place, "plus") + measured.of(place, "minus")
            if not same(total, expected):
                raise mismatch(output.name, expected, total, key)
        if not exact:
            self.notes.add(f"{output.name} is computed by Footnote from its sums, since the engine is not exact here.")
        return engine if exact else expected

    def _contributions(
        self, place: int, output: Output, value: Any, key: Key, measured: Measures
    ) -> tuple[Contributions, Extent | None]:
        if output.method == "group" or value is None:
            return (), None
        members = self._shown[place].get(key, [])
        number = measured.of(place, "number")
        if output.contribution is not None:
            amounts = amounts_of(output, output.contribution, [member.arguments for member in members], self.parameters)
            found = [(member.key, amount) for member, amount in zip(members, amounts, strict=True)]
            extent = Extent(number, measured.of(place, "plus"), measured.of(place, "minus"))
        else:
            argument = arguments_of(self.block, output)[0]
            found = [(member.key, member.arguments[argument]) for member in members]
            extent = Extent(number)
        if output.method in ("minimum", "maximum"):
            found = [(row, value) for row, amount in found if same(amount, value)]
            if not found:
                raise mismatch(output.name, value, "none of its rows", key)
            return tuple(found), extent
        if len(found) < min(number, kept_of(len(self._summed.groups))):
            raise TieOutError(f"The source shows {len(found):,} rows of {output.name} and counts {number:,}.")
        return tuple(found), extent if number > len(found) else None

    def _currencies(self, key: Key) -> dict[str, tuple[str | None, ...]]:
        """The currencies of what each figure is made of, by name: an engine gives groups in any order."""
        width = len(self.block.key_types)
        places = currency_places(self.block)
        out: dict[str, dict[str | None, None]] = {output.name: {} for output in self.block.outputs}
        for output in self.block.outputs:
            out[output.name] |= {code: None for code in output.currencies if isinstance(code, str)}
        for row in self._summed.currencies:
            if normal(row[:width]) != key:
                continue
            codes = dict(zip(places, row[width : width + len(places)], strict=True))
            for output, count in zip(self.block.outputs, row[width + len(places) :], strict=True):
                for place in (place for place in output.currencies if isinstance(place, int) and count):
                    out[output.name].setdefault(None if codes[place] is None else str(codes[place]).strip())
        return {name: tuple(sorted(codes, key=lambda code: (code is None, code or ""))) for name, codes in out.items()}


class Measures:
    """The measures of one group, as the engine gave them."""

    def __init__(self, block: Block, values: Sequence[Any]) -> None:
        measures = measures_of(block)
        self._by_output: dict[tuple[int, Measured], Any] = {
            (measure.of, measure.what): value
            for measure, value in zip(measures, values, strict=True)
            if measure.what in ("number", "plus", "minus")
        }
        self.rows: int = values[0]
        found: dict[int, list[Any]] = {}
        for measure, value in zip(measures[2:], values[2:], strict=True):
            if (measure.of, measure.what) not in self._by_output:
                found.setdefault(measure.of, []).append(value)
        self.aggregates = [_aggregate(found[place]) for place in range(len(block.aggregates))]

    def of(self, place: int, what: Measured) -> Any:
        """A measure of an output."""
        return self._by_output[place, what]


def _aggregate(values: Sequence[Any]) -> Any:
    """An aggregate of what the engine gave for it: itself, or for an average a sum and a count."""
    if len(values) == 1:
        return int(values[0]) if isinstance(values[0], bool) else values[0]
    total, count = values
    return None if total is None else quotient(Decimal(total), count)


def currency_places(block: Block) -> list[int]:
    """The base columns that hold currencies, in the order in which the engine gives them."""
    return sorted({place for output in block.outputs for place in output.currencies if isinstance(place, int)})


def row_sets_of(block: Block, digests: Rows, salt: bytes) -> dict[Key, RowSet]:
    """What stands for the rows of each group, of the digests of their chunks.

    Raises:
        TieOutError: If a chunk is missing or is not of `CHUNK` rows.
    """
    width = len(block.key_types)
    found: dict[Key, list[Sequence[Any]]] = {}
    for row in digests:
        found.setdefault(normal(row[:width]), []).append(row[width:])
    out: dict[Key, RowSet] = {}
    for key, chunks in found.items():
        whole = all(number == place for place, (number, _, _) in enumerate(chunks))
        if not whole or any(rows != CHUNK for _, rows, _ in chunks[:-1]):
            raise TieOutError("The source did not digest the rows as it was asked to.")
        out[key] = row_set_of(salt, sum(rows for _, rows, _ in chunks), [digest for *_, digest in chunks], key)
    return out
