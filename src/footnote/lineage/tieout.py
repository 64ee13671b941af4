"""Tie-out: every figure recomputed from its contributions in exact arithmetic, and compared, before it is returned.

What is found here: a join that counts a row twice, a figure that is not the sum of its rows, a row expression or a
filter that the engine evaluates otherwise than SQL means it, a group that is missing or has no rows. What cannot be
found here is a row that the statement's own filter leaves out; control checks are for that.
"""

from __future__ import annotations

import decimal
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.expressions import EXACT, NotComputable, evaluate
from footnote.lineage.shape import Aggregate, Block, Output, RowCheck

Key = tuple[Any, ...]
"""Primary key of one row, in the order of the table's key columns."""

_QUOTIENT = decimal.Context(prec=34, rounding=decimal.ROUND_HALF_EVEN)


@dataclass(frozen=True, slots=True)
class TiedRow:
    """One output row whose figures hold.

    Attributes:
        values: By output column: the engine's value, or Footnote's own where the engine is inexact.
        contributions: By output column: grain key and what that row adds (or the extreme, or the distinct value).
        grain: Keys of all rows of the group, in record order; of the one row in a row statement.
        others: By table alias: keys of joined rows (row statements).
        currencies: Currencies of the grain rows, in order of first appearance, where the record type has one column
            for them.
    """

    values: Mapping[str, Any]
    contributions: Mapping[str, tuple[tuple[Key, Any], ...]]
    grain: tuple[Key, ...]
    others: Mapping[str, Key] = field(default_factory=dict)
    currencies: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class TiedOut:
    """All output rows, and what a reader must know about how they were checked."""

    rows: tuple[TiedRow, ...]
    notes: tuple[str, ...] = ()


# --- row statements ---------------------------------------------------------------------------------------------------


def tie_out_rows(block: Block, rows: Sequence[Sequence[Any]], parameters: Mapping[str, Any]) -> TiedOut:
    """Check the rows of a row statement: outputs, then each source's key, then base columns.

    Raises:
        TieOutError: If a record stands in two rows, or a value is not what its base columns give.
    """
    notes = _Notes(block.notes)
    tied = []
    seen: Counter[Key] = Counter()
    for row in rows:
        width = len(block.outputs)
        outputs, position = row[:width], width
        keys: dict[str, Key] = {}
        for source in block.sources:
            keys[source.alias] = tuple(row[position : position + len(source.key)])
            position += len(source.key)
        base = row[position:]
        grain = keys[block.sources[block.grain].alias]
        seen[grain] += 1
        _check_filters(block, base, parameters, grain, notes)
        for output, value in zip(block.outputs, outputs, strict=True):
            _check_row_value(block, output, value, base, parameters, grain, notes)
        values = {output.name: value for output, value in zip(block.outputs, outputs, strict=True)}
        currencies = () if block.currency is None else (base[block.currency],)
        tied.append(TiedRow(values, {}, (grain,), keys, currencies))
    _refuse_fan_out(block, seen)
    return TiedOut(tuple(tied), notes.all())


def _check_row_value(
    block: Block, output: Output, value: Any, base: Sequence[Any], parameters: Mapping[str, Any], key: Key, notes: _Notes
) -> None:
    if output.expression is None or output.expression[0] == "col":
        return
    try:
        expected = evaluate(output.expression, {"col": base}, parameters)
    except NotComputable as outside:
        notes.add(f"column {output.name} is taken from the engine, not recomputed ({outside}).")
        return
    if not _same(value, expected):
        raise _mismatch(f"{output.name} of {_name(block, key)}", value, expected)


def _refuse_fan_out(block: Block, seen: Counter[Key]) -> None:
    twice = next(((key, times) for key, times in seen.items() if times > 1), None)
    if twice is not None:
        raise TieOutError(
            f"This join counts {_name(block, twice[0])} {_times(twice[1])}.",
            why="Each row of the grain may contribute once.",
            remedy="Join only tables that have at most one row for each row of the grain, or take another grain.",
            details={"row": _name(block, twice[0]), "times": twice[1]},
        )


def _times(count: int) -> str:
    return {2: "twice", 3: "three times", 4: "four times"}.get(count, f"{count} times")


# --- aggregated statements --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Witness:
    """One witness row taken apart."""

    group: Key
    key: Key
    arguments: Sequence[Any]
    currency: Any


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
    notes = _Notes(block.notes)
    groups: dict[Key, list[_Witness]] = {} if block.key_types else {(): []}
    for row in witness:
        taken = _take_apart(block, row, parameters, notes)
        groups.setdefault(taken.group, []).append(taken)
    tied = []
    width = len(block.outputs)
    for row in rows:
        group = _normal(tuple(row[width:]))
        members = groups.pop(group, None)
        if members is None:
            raise TieOutError(
                f"The result has a group {_shown(group)} that no row belongs to.",
                why="Statement and witness rows disagree about the groups.",
                details={"group": _shown(group)},
            )
        tied.append(_tie_group(block, row[:width], group, members, notes))
    _refuse_missing_groups(block, groups)
    return TiedOut(tuple(tied), notes.all())


def _take_apart(block: Block, row: Sequence[Any], parameters: Mapping[str, Any], notes: _Notes) -> _Witness:
    a = len(block.key_types)
    b = a + len(block.sources[block.grain].key)
    c = b + len(block.argument_types)
    base = row[c:]
    currency = None if block.currency is None else base[block.currency]
    found = _Witness(_normal(tuple(row[:a])), tuple(row[a:b]), row[b:c], currency)
    _check_filters(block, base, parameters, found.key, notes)
    for check in block.checks:
        if check.what == "filter":
            continue
        engine = found.arguments[check.index] if check.what == "argument" else row[check.index]
        expected = _recomputed(check, base, parameters, notes)
        if expected is not _UNKNOWN and not _same(engine, expected):
            raise _mismatch(f"a {check.what} of {_name(block, found.key)}", engine, expected)
    return found


_UNKNOWN = object()


def _recomputed(check: RowCheck, base: Sequence[Any], parameters: Mapping[str, Any], notes: _Notes) -> Any:
    try:
        return evaluate(check.expression, {"col": base}, parameters)
    except NotComputable as outside:
        notes.add(f"a {check.what} is taken from the engine, not recomputed ({outside}).")
        return _UNKNOWN


def _check_filters(
    block: Block, base: Sequence[Any], parameters: Mapping[str, Any], key: Key, notes: _Notes
) -> None:
    for check in block.checks:
        if check.what != "filter":
            continue
        holds = _recomputed(check, base, parameters, notes)
        if holds is not _UNKNOWN and holds is not True:
            raise TieOutError(
                f"The source counts {_name(block, key)}, which does not meet the statement's own condition.",
                why="The engine evaluates the condition otherwise than SQL means it.",
                remedy="Check the types of the columns the condition compares.",
                details={"row": _name(block, key)},
            )


def _tie_group(
    block: Block, engine: Sequence[Any], group: Key, members: list[_Witness], notes: _Notes
) -> TiedRow:
    rows = [member for member in members if None not in member.key]
    _refuse_rows_without_grain(block, members)
    _refuse_fan_out(block, Counter(member.key for member in rows))
    aggregates = [_aggregate(aggregate, members) for aggregate in block.aggregates]
    values: dict[str, Any] = {}
    contributions: dict[str, tuple[tuple[Key, Any], ...]] = {}
    for output, value in zip(block.outputs, engine, strict=True):
        expected = evaluate(output.expression or ["null"], {"agg": aggregates, "key": group}, {})
        exact = all(block.aggregates[index].exact for index in output.aggregates)
        if exact and not _same(value, expected):
            raise _mismatch(output.name, value, expected, group)
        if not exact:
            _refuse_far_off(output, value, expected, group)
            notes.add(f"{output.name} is added up by Footnote from its rows, since the engine is not exact here.")
        values[output.name] = value if exact else expected
        contributions[output.name] = _contributions(block, output, expected, rows)
    if block.having is not None and evaluate(block.having, {"agg": aggregates, "key": group}, {}) is not True:
        raise TieOutError(f"Group {_shown(group)} is in the result but does not meet HAVING.", details={})
    currencies = () if block.currency is None else tuple(dict.fromkeys(member.currency for member in rows))
    return TiedRow(values, contributions, tuple(member.key for member in rows), currencies=currencies)


def _refuse_rows_without_grain(block: Block, members: list[_Witness]) -> None:
    """An outer join may bring rows that have no grain row; they must add nothing."""
    for member in members:
        if None not in member.key:
            continue
        counts_rows = any(aggregate.argument is None for aggregate in block.aggregates)
        if counts_rows or any(value not in (None, 0) for value in member.arguments):
            raise TieOutError(
                f"The statement counts a row that is no row of {block.sources[block.grain].table}.",
                why="An outer join brings a row without a key, and it contributes.",
                remedy="Count a column of the grain's table instead of *, or use an inner join.",
            )


def _aggregate(aggregate: Aggregate, members: list[_Witness]) -> Any:
    if aggregate.argument is None:
        return len(members)
    values = [v for member in members if (v := member.arguments[aggregate.argument]) is not None]
    if aggregate.function == "count":
        return len(values)
    if aggregate.function == "count distinct":
        return len({_normal_value(value) for value in values})
    if not values:
        return None
    if aggregate.function == "sum":
        return _sum(values)
    if aggregate.function == "average":
        return _QUOTIENT.divide(Decimal(_sum(values)), Decimal(len(values)))
    return _extreme(aggregate.function, values)


def _sum(values: Sequence[Any]) -> int | Decimal:
    if all(isinstance(value, int) for value in values):
        return sum(values)
    total = Decimal(0)
    for value in values:
        if not isinstance(value, int | Decimal):
            raise TieOutError("A sum runs over values that are no numbers.", details={"type": type(value).__name__})
        total = EXACT.add(total, Decimal(value))
    return total


def _extreme(function: str, values: Sequence[Any]) -> Any:
    if any(isinstance(value, str) for value in values):
        raise TieOutError(
            "The smallest or largest of texts cannot be tied out.",
            why="The order of texts depends on the engine's collation.",
            remedy="Take MIN or MAX of a number or a date.",
        )
    return min(values) if function == "minimum" else max(values)


def _contributions(
    block: Block, output: Output, expected: Any, rows: Sequence[_Witness]
) -> tuple[tuple[Key, Any], ...]:
    """What each row adds to this figure; rows that add nothing are left out."""
    used = [block.aggregates[index] for index in output.aggregates]
    arguments = [aggregate.argument for aggregate in used if aggregate.argument is not None]
    if output.contribution is not None:
        out = []
        for row in rows:
            if arguments and len(arguments) == len(used) and all(row.arguments[a] is None for a in arguments):
                continue
            amount = evaluate(output.contribution, {"arg": row.arguments}, {})
            if amount == 0 and (output.case or output.method == "count"):
                continue
            out.append((row.key, amount))
        return tuple(out)
    if output.method == "group":
        return ()
    present = [(row.key, row.arguments[arguments[0]]) for row in rows if row.arguments[arguments[0]] is not None]
    if output.method in ("minimum", "maximum"):
        extreme = _aggregate(used[0], list(rows))
        return tuple((key, value) for key, value in present if _same(value, extreme))
    return tuple(present)


def _refuse_missing_groups(block: Block, left: Mapping[Key, list[_Witness]]) -> None:
    """Every group that has rows must be in the result, unless HAVING or LIMIT leaves it out."""
    if block.limited:
        return
    for group, members in left.items():
        if block.having is not None:
            aggregates = [_aggregate(aggregate, members) for aggregate in block.aggregates]
            if evaluate(block.having, {"agg": aggregates, "key": group}, {}) is not True:
                continue
        raise TieOutError(
            f"Group {_shown(group)} has {len(members)} rows but is not in the result.",
            why="Statement and witness rows disagree about the groups.",
            details={"group": _shown(group)},
        )


# --- comparing --------------------------------------------------------------------------------------------------------


def _same(a: Any, b: Any) -> bool:
    return bool(_normal_value(a) == _normal_value(b))


def _normal(values: Key) -> Key:
    return tuple(_normal_value(value) for value in values)


def _normal_value(value: Any) -> Any:
    """Booleans and the integers that some engines give for them are the same value."""
    return int(value) if isinstance(value, bool) else value


def _refuse_far_off(output: Output, value: Any, expected: Any, group: Key) -> None:
    """An inexact engine may be off by rounding, not by a row."""
    if value is None or expected is None:
        if value is not expected:
            raise _mismatch(output.name, value, expected, group)
        return
    distance = abs(Decimal(value) - Decimal(expected))  # the engine's sum comes as text, so that it is not rounded twice
    if distance > Decimal("1e-6") * max(Decimal(1), abs(Decimal(expected))):
        raise _mismatch(output.name, value, expected, group)


def _mismatch(what: str, engine: Any, expected: Any, group: Key = ()) -> TieOutError:
    where = f" of group {_shown(group)}" if group else ""
    return TieOutError(
        f"Figure {what}{where} is {engine} by the source and {expected} by its rows; it is not returned.",
        why="The two must be equal.",
        remedy="`footnote check` shows the statement and its witness statement.",
        details={"figure": what, "source": str(engine), "rows": str(expected)},
    )


def _shown(group: Key) -> str:
    return ", ".join("NULL" if value is None else str(value) for value in group) or "(all rows)"


def _name(block: Block, key: Key) -> str:
    return f"{block.sources[block.grain].table} {'/'.join(str(part) for part in key)}"


class _Notes:
    """Notes once each, in order."""

    def __init__(self, first: Sequence[str]) -> None:
        self._notes = dict.fromkeys(first)

    def add(self, note: str) -> None:
        self._notes.setdefault(note)

    def all(self) -> tuple[str, ...]:
        return tuple(self._notes)
