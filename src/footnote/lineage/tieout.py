"""Tie-out: every figure recomputed from its contributions in exact arithmetic, and compared, before it is returned.

What is found here: a join that counts a row twice, a figure that is not the sum of its rows, a row expression or a
filter that the engine evaluates otherwise than SQL means it, a group that is missing or has no rows, a LIMIT that cuts
off the wrong group; and in a statement of several levels, all of that on every level. What cannot be found here is a row
that the statement's own filter leaves out; control checks are for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.compare import Key, Notes, far_apart, mismatch, normal, same, shown_group
from footnote.lineage.contributions import aggregates_of, contributions_of, settled
from footnote.lineage.evaluate import truth
from footnote.lineage.expressions import NotComputable
from footnote.lineage.lookup import Lookup, TiedArm, ask
from footnote.lineage.members import Member, is_stray, read_members, refuse_fan_out, with_grain
from footnote.lineage.ranking import Ranked, check_cut
from footnote.lineage.repeats import Repeats
from footnote.lineage.rows import RowsRead
from footnote.lineage.rowset import Extent
from footnote.lineage.shape import Block, Output
from footnote.lineage.tied import Contributions, Part, TiedOut, TiedRow
from footnote.lineage.windows import check_windows

__all__ = ["TiedArm", "TiedOut", "TiedRow", "tie_out_arm", "tie_out_groups", "tie_out_rows"]

# --- row statements ---------------------------------------------------------------------------------------------------


def tie_out_rows(
    block: Block, rows: Sequence[Sequence[Any]], parameters: Mapping[str, Any], lookups: Sequence[Lookup] = ()
) -> TiedOut:
    """Check the rows of a row statement: outputs, then each source's key, then base columns.

    Raises:
        TieOutError: If a record stands in two rows or in none, or a value is not what its base columns give.
    """
    notes = Notes(block.notes)
    tied = _tie_rows(block, rows, parameters, notes, lookups)
    for row in tied:
        if is_stray(block, row.grain[0]):
            raise TieOutError(
                f"The statement returns a row that is no row of {block.sources[block.grain].shown}.",
                why="An outer join brings a row without a key.",
                remedy="Use an inner join, or take the other table as `each`.",
            )
    refuse_fan_out(block, Counter(row.grain[0] for row in tied))
    return TiedOut(tuple(tied), notes.all())


def _tie_rows(
    block: Block,
    rows: Sequence[Sequence[Any]],
    parameters: Mapping[str, Any],
    notes: Notes,
    lookups: Sequence[Lookup],
) -> list[TiedRow]:
    if not rows:
        return []
    read = RowsRead(block, rows, parameters, notes, lookups)
    values = read.checked()
    tied = [_tied_row(block, read, place, row) for place, row in enumerate(values)]
    if block.windows:
        check_windows(block, tied, [read.given(place) for place in range(len(rows))], parameters)
    return tied


def _tied_row(block: Block, read: RowsRead, place: int, values: Mapping[str, Any]) -> TiedRow:
    base, parts, key = read.base[place], read.parts[place], read.keys[place]
    keys: dict[str, Key] = {}
    start = 0
    for source in block.sources:
        keys[source.alias] = key[start : start + len(source.key)]
        start += len(source.key)
    grain = read.grains[place]
    shown = [output for output in block.outputs if output.currencies or output.subs]
    currencies: dict[str, tuple[str | None, ...]] = {output.name: () for output in block.outputs}
    currencies |= {output.name: codes_of(block, output, [(base, parts)]) for output in shown}
    currencies = {name: codes for name, codes in currencies.items() if values[name] is not None}
    return TiedRow(values, {}, (grain,), keys, currencies, key, {grain: parts} if parts else {})


def codes_of(
    block: Block, output: Output, rows: Iterable[tuple[Sequence[Any], tuple[Part, ...]]]
) -> tuple[str | None, ...]:
    """The currencies of what a value is made of: those that columns or the catalog say, and those of inner queries."""
    found: dict[str | None, None] = {}
    for base, parts in rows:
        for currency in output.currencies:
            code = currency if isinstance(currency, str) else base[currency]
            found.setdefault(None if code is None else str(code).strip())
        for sub in output.subs:
            part = parts[block.link_of(sub)]
            for one in (part, *part.others):
                name = _taken(block, sub, one)
                for row in one.rows:
                    found |= dict.fromkeys(row.currencies.get(name, ()))
    return tuple(found)


def _taken(block: Block, sub: int, part: Part) -> str:
    """The output of an inner query that a value is."""
    link = block.links[part.link]
    outputs = part.block.outputs
    return outputs[len(link.keys) if link.kind == "scalar" else sub - link.first].name if outputs else ""


# --- aggregated statements --------------------------------------------------------------------------------------------


def tie_out_groups(
    block: Block,
    rows: Sequence[Sequence[Any]],
    witness: Sequence[Sequence[Any]],
    parameters: Mapping[str, Any],
    lookups: Sequence[Lookup] = (),
) -> TiedOut:
    """Check an aggregated statement against its witness rows.

    Args:
        block: The statement understood.
        rows: Output columns, then the group keys.
        witness: Group keys, the grain's key, contribution columns, base columns.
        parameters: Bound parameters by name.
        lookups: For each of the block's links.

    Raises:
        TieOutError: If any figure does not add up from its rows.
    """
    notes = Notes(block.notes)
    groups = _grouped(block, _members(block, witness, parameters, notes, lookups))
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
        kept.append(ranked_of(block, group, members, lookups, parameters))
        tied.append(tie_group(block, row[:width], kept[-1], members, parameters, notes))
        if not meets_having(block, kept[-1], parameters):
            raise TieOutError(f"Group {shown_group(group)} is in the result but does not meet HAVING.")
    _check_left_out(block, kept, groups, parameters, notes, lookups)
    return TiedOut(tuple(tied), notes.all())


def _members(
    block: Block,
    witness: Sequence[Sequence[Any]],
    parameters: Mapping[str, Any],
    notes: Notes,
    lookups: Sequence[Lookup],
) -> list[Member]:
    members = read_members(block, witness, parameters, notes, lookups)
    Repeats(block).take(members)
    return members


def _grouped(block: Block, members: Sequence[Member]) -> dict[Key, list[Member]]:
    groups: dict[Key, list[Member]] = {} if block.key_types else {(): []}
    for member in members:
        groups.setdefault(member.group, []).append(member)
    return groups


def ranked_of(
    block: Block, group: Key, members: Sequence[Member], lookups: Sequence[Lookup], parameters: Mapping[str, Any]
) -> Ranked:
    """A group's aggregates. What it takes from inner queries is the same for all its rows, and may need no row."""
    subs: Sequence[Any] = ()
    if block.links:
        nothing = [None] * len(block.base)
        subs = members[0].subs if members else ask(block, nothing, lookups, parameters)[0]
    return Ranked(group, aggregates_of(block, members), subs)


def tie_group(
    block: Block,
    engine: Sequence[Any] | None,
    ranked: Ranked,
    members: Sequence[Member],
    parameters: Mapping[str, Any],
    notes: Notes,
) -> TiedRow:
    """One group; `engine` is None where only its rows are there, as in the arm of an inner query.

    Raises:
        TieOutError: If a figure does not add up.
    """
    rows = with_grain(block, members)
    values: dict[str, Any] = {}
    contributions: dict[str, Contributions] = {}
    currencies: dict[str, tuple[str | None, ...]] = {}
    by_key = {row.key: row for row in rows}
    for place, output in enumerate(block.outputs):
        expected = settled(output.expression or ["null"], ranked.values, parameters, f"Figure {output.name}")
        exact = all(block.aggregates[index].exact for index in output.aggregates)
        value = expected if engine is None else engine[place]
        if exact and not same(value, expected):
            raise mismatch(output.name, value, expected, ranked.group)
        found = contributions[output.name] = contributions_of(block, output, expected, rows, parameters)
        if not exact and engine is not None:
            size = sum(abs(Decimal(amount)) for _, amount in found if isinstance(amount, int | Decimal))
            if far_apart(value, expected, size):
                raise mismatch(output.name, value, expected, ranked.group)
            notes.added_up(output.name)
        values[output.name] = value if exact else expected
        if output.method in ("sum", "count"):  # a row that adds nothing may be in any currency
            counted = [by_key[key] for key, amount in found if amount != 0]
        else:  # what was compared, averaged or grouped is of one currency, also where a row is no extreme
            counted = [row for row in rows if counts(block, output, row)]
        currencies[output.name] = codes_of(block, output, [(row.base, row.parts) for row in counted])
    extents = extents_of(block, rows, values)
    parts = {row.key: row.parts for row in rows if row.parts}
    keys = tuple(member.key for member in rows)
    return TiedRow(values, contributions, keys, currencies=currencies, key=ranked.group, parts=parts, extents=extents)


def extents_of(block: Block, rows: Sequence[Member], values: Mapping[str, Any]) -> dict[str, Extent]:
    """Among how many rows a minimum or maximum is one: those that give it are all that is listed."""
    extremes = [o for o in block.outputs if o.method in ("minimum", "maximum") and values[o.name] is not None]
    return {output.name: Extent(sum(counts(block, output, row) for row in rows)) for output in extremes}


def counts(block: Block, output: Output, row: Member) -> bool:
    """Whether a row gives a value to what the figure is made of."""
    used = [argument for index in output.aggregates if (argument := block.aggregates[index].argument) is not None]
    return not used or any(row.arguments[argument] is not None for argument in used)


def meets_having(block: Block, ranked: Ranked, parameters: Mapping[str, Any]) -> bool:
    """Whether a group, recomputed, meets HAVING."""
    if block.having is None:
        return True
    try:
        return truth(settled(block.having, ranked.values, parameters, "HAVING")) is True
    except NotComputable as outside:
        raise TieOutError("HAVING cannot be recomputed from its rows.", why=f"It needs {outside}.") from outside


def _check_left_out(
    block: Block,
    kept: Sequence[Ranked],
    left: Mapping[Key, list[Member]],
    parameters: Mapping[str, Any],
    notes: Notes,
    lookups: Sequence[Lookup],
) -> None:
    """Every group that has rows is in the result, unless HAVING leaves it out, or LIMIT because of its rank."""
    out = [ranked_of(block, group, members, lookups, parameters) for group, members in left.items()]
    out = [ranked for ranked in out if meets_having(block, ranked, parameters)]
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


# --- inner queries ----------------------------------------------------------------------------------------------------


def tie_out_arm(
    block: Block,
    rows: Sequence[Sequence[Any]] | None,
    witness: Sequence[Sequence[Any]] | None,
    parameters: Mapping[str, Any],
    lookups: Sequence[Lookup] = (),
) -> TiedArm:
    """The rows of an inner query, recomputed from the level below.

    Args:
        block: The inner query understood.
        rows: Its own rows, as of a statement: of one that does not aggregate, or that has a LIMIT.
        witness: Its witness rows, if it aggregates.
        parameters: Bound parameters by name.
        lookups: For each of its own links.

    Raises:
        TieOutError: If they do not hold.
    """
    notes = Notes(block.notes)
    if witness is None:
        return TiedArm(block, _tie_rows(block, rows or (), parameters, notes, lookups), notes=notes.all())
    if rows is not None:
        tied = tie_out_groups(block, rows, witness, parameters, lookups)
        return TiedArm(block, tied.rows, notes=tied.notes)
    found = []
    for group, members in _grouped(block, _members(block, witness, parameters, notes, lookups)).items():
        ranked = ranked_of(block, group, members, lookups, parameters)
        if meets_having(block, ranked, parameters):
            found.append(tie_group(block, None, ranked, members, parameters, notes))
    return TiedArm(block, found, none_of(block, lookups, parameters, notes), notes.all())


def none_of(
    block: Block, lookups: Sequence[Lookup], parameters: Mapping[str, Any], notes: Notes
) -> Callable[[Key], TiedRow | None]:
    """Gives the one row of a query that aggregates all rows, where there are none."""

    def none(group: Key) -> TiedRow | None:
        ranked = Ranked(normal(group), aggregates_of(block, ()), ranked_of(block, group, (), lookups, parameters).subs)
        return (
            tie_group(block, None, ranked, (), parameters, notes) if meets_having(block, ranked, parameters) else None
        )

    return none
