"""Tie-out: every figure recomputed from its contributions in exact arithmetic, and compared, before it is returned.

What is found here: a join that counts a row twice, a figure that is not the sum of its rows, a row expression or a
filter that the engine evaluates otherwise than SQL means it, a group that is missing or has no rows, a LIMIT that cuts
off the wrong group. What cannot be found here is a row that the statement's own filter leaves out; control checks are
for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.compare import Key, Notes, far_apart, mismatch, normal, same, shown_grain, shown_group
from footnote.lineage.contributions import Contributions, aggregates_of, contributions_of, settled
from footnote.lineage.evaluate import evaluate, truth
from footnote.lineage.expressions import NotComputable
from footnote.lineage.members import Member, check_filters, read_members, refuse_fan_out, refuse_zones
from footnote.lineage.ranking import Ranked, check_cut
from footnote.lineage.shape import Block, Output


@dataclass(frozen=True, slots=True)
class TiedRow:
    """One output row whose figures hold.

    Attributes:
        values: By output column: the engine's value, or Footnote's own where the engine is inexact.
        contributions: By output column: grain key and what that row adds (or the extreme, or the distinct value).
        grain: Keys of all rows of the group, in record order; of the one row in a row statement.
        others: By table alias: keys of joined rows (row statements).
        currencies: By output column: the currencies of what it is made of, in order of first appearance, as far as
            columns or the catalog say them; None where a column says nothing.
    """

    values: Mapping[str, Any]
    contributions: Mapping[str, Contributions]
    grain: tuple[Key, ...]
    others: Mapping[str, Key] = field(default_factory=dict)
    currencies: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TiedOut:
    """All output rows, and what a reader must know about how they were checked."""

    rows: tuple[TiedRow, ...]
    notes: tuple[str, ...] = ()


# --- row statements ---------------------------------------------------------------------------------------------------


def tie_out_rows(block: Block, rows: Sequence[Sequence[Any]], parameters: Mapping[str, Any]) -> TiedOut:
    """Check the rows of a row statement: outputs, then each source's key, then base columns.

    Raises:
        TieOutError: If a record stands in two rows or in none, or a value is not what its base columns give.
    """
    notes = Notes(block.notes)
    tied = [_tie_row(block, row, parameters, notes) for row in rows]
    refuse_fan_out(block, Counter(row.grain[0] for row in tied))
    return TiedOut(tuple(tied), notes.all())


def _tie_row(block: Block, row: Sequence[Any], parameters: Mapping[str, Any], notes: Notes) -> TiedRow:
    position = len(block.outputs)
    values = {output.name: value for output, value in zip(block.outputs, row[:position], strict=True)}
    keys: dict[str, Key] = {}
    for source in block.sources:
        keys[source.alias] = tuple(row[position : position + len(source.key)])
        position += len(source.key)
    base = row[position:]
    grain = keys[block.sources[block.grain].alias]
    if None in grain:
        raise TieOutError(
            f"The statement returns a row that is no row of {block.sources[block.grain].shown}.",
            why="An outer join brings a row without a key.",
            remedy="Use an inner join, or take the other table as `each`.",
        )
    refuse_zones(block, base, grain)
    check_filters(block, base, parameters, grain, notes)
    for output in block.outputs:
        values[output.name] = _row_value(block, output, values[output.name], base, parameters, grain, notes)
    currencies = {o.name: _codes(o, [base]) for o in block.outputs if values[o.name] is not None}
    return TiedRow(values, {}, (grain,), keys, currencies)


def _row_value(
    block: Block,
    output: Output,
    value: Any,
    base: Sequence[Any],
    parameters: Mapping[str, Any],
    key: Key,
    notes: Notes,
) -> Any:
    """The value, which is the engine's unless that would be rounded."""
    if output.expression is None:
        return value
    try:
        expected = evaluate(output.expression, {"col": base}, parameters)
    except NotComputable as outside:
        if output.approximate:
            raise mismatch(f"{output.name} of {shown_grain(block, key)}", value, outside) from outside
        notes.add(f"column {output.name} is taken from the engine, not recomputed ({outside}).")
        return value
    if far_apart(value, expected) if output.approximate else not same(value, expected):
        raise mismatch(f"{output.name} of {shown_grain(block, key)}", value, expected)
    return expected if output.approximate else value


def _codes(output: Output, bases: Iterable[Sequence[Any]]) -> tuple[str | None, ...]:
    found: dict[str | None, None] = {}
    for base in bases:
        for currency in output.currencies:
            code = currency if isinstance(currency, str) else base[currency]
            found.setdefault(None if code is None else str(code).strip())
    return tuple(found)


# --- aggregated statements --------------------------------------------------------------------------------------------


def tie_out_groups(
    block: Block, rows: Sequence[Sequence[Any]], witness: Sequence[Sequence[Any]], parameters: Mapping[str, Any]
) -> TiedOut:
    """Check an aggregated statement against its witness rows.

    Args:
        block: The statement understood.
        rows: Output columns, then the group keys.
        witness: Group keys, the grain's key, contribution columns, base columns.
        parameters: Bound parameters by name.

    Raises:
        TieOutError: If any figure does not add up from its rows.
    """
    notes = Notes(block.notes)
    groups: dict[Key, list[Member]] = {} if block.key_types else {(): []}
    for member in read_members(block, witness, parameters, notes):
        groups.setdefault(member.group, []).append(member)
    tied: list[TiedRow] = []
    kept: list[Ranked] = []
    width = len(block.outputs)
    for row in rows:
        group = normal(row[width:])
        members = groups.pop(group, None)
        if members is None:
            raise TieOutError(
                f"The result has a group {shown_group(group)} that no row belongs to.",
                why="Statement and witness rows disagree about the groups.",
                details={"group": shown_group(group)},
            )
        kept.append(Ranked(group, aggregates_of(block, members)))
        tied.append(_tie_group(block, row[:width], kept[-1], members, parameters, notes))
    _check_left_out(block, kept, groups, parameters, notes)
    return TiedOut(tuple(tied), notes.all())


def _tie_group(
    block: Block,
    engine: Sequence[Any],
    ranked: Ranked,
    members: Sequence[Member],
    parameters: Mapping[str, Any],
    notes: Notes,
) -> TiedRow:
    rows = [member for member in members if None not in member.key]
    values: dict[str, Any] = {}
    contributions: dict[str, Contributions] = {}
    currencies: dict[str, tuple[str | None, ...]] = {}
    bases = {row.key: row.base for row in rows}
    for output, value in zip(block.outputs, engine, strict=True):
        what = f"Figure {output.name}"
        expected = settled(output.expression or ["null"], ranked.values, parameters, what)
        exact = all(block.aggregates[index].exact for index in output.aggregates)
        if exact and not same(value, expected):
            raise mismatch(output.name, value, expected, ranked.group)
        found = contributions[output.name] = contributions_of(block, output, expected, rows, parameters)
        if not exact:
            size = sum(abs(Decimal(amount)) for _, amount in found if isinstance(amount, int | Decimal))
            if far_apart(value, expected, size):
                raise mismatch(output.name, value, expected, ranked.group)
            notes.add(f"{output.name} is added up by Footnote from its rows, since the engine is not exact here.")
        values[output.name] = value if exact else expected
        if output.method in ("sum", "count"):  # a row that adds nothing may be in any currency
            currencies[output.name] = _codes(output, [bases[key] for key, amount in found if amount != 0])
        else:  # what was compared, averaged or grouped is of one currency, also where a row is no extreme
            currencies[output.name] = _codes(output, [row.base for row in rows if _counts(block, output, row)])
    if not _meets_having(block, ranked, parameters):
        raise TieOutError(f"Group {shown_group(ranked.group)} is in the result but does not meet HAVING.")
    return TiedRow(values, contributions, tuple(member.key for member in rows), currencies=currencies)


def _counts(block: Block, output: Output, row: Member) -> bool:
    """Whether a row gives a value to what the figure is made of."""
    used = [argument for index in output.aggregates if (argument := block.aggregates[index].argument) is not None]
    return not used or any(row.arguments[argument] is not None for argument in used)


def _meets_having(block: Block, ranked: Ranked, parameters: Mapping[str, Any]) -> bool:
    if block.having is None:
        return True
    try:
        return truth(settled(block.having, ranked.values, parameters, "HAVING")) is True
    except NotComputable as outside:
        raise TieOutError("HAVING cannot be recomputed from its rows.", why=f"It needs {outside}.") from outside


def _check_left_out(
    block: Block, kept: Sequence[Ranked], left: Mapping[Key, list[Member]], parameters: Mapping[str, Any], notes: Notes
) -> None:
    """Every group that has rows is in the result, unless HAVING leaves it out, or LIMIT because of its rank."""
    out = [Ranked(group, aggregates_of(block, members)) for group, members in left.items()]
    out = [ranked for ranked in out if _meets_having(block, ranked, parameters)]
    if block.cut is not None:
        ties = check_cut(block.cut, kept, out, parameters)
        if ties:
            notes.add(
                f"{ties} more would rank as the last one listed does; which of them LIMIT leaves out is the source's choice."
            )
    elif out:
        group = shown_group(out[0].group)
        raise TieOutError(
            f"Group {group} has {len(left[out[0].group])} rows but is not in the result.",
            why="Statement and witness rows disagree about the groups.",
            details={"group": group},
        )
