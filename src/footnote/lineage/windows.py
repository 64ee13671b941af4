"""Window functions computed again outside the engine, each in one pass over its rows in order.

A running sum is an opening balance, which is the value of the row before, and what the row and its peers add: never the
list of all rows before it, which would grow with the square.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cmp_to_key
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.compare import far_apart, mismatch, normal, same
from footnote.lineage.contributions import extreme, total_of
from footnote.lineage.evaluate import Values, evaluate
from footnote.lineage.expressions import NotComputable
from footnote.lineage.rowset import Extent
from footnote.lineage.shape import Block, Window
from footnote.lineage.tied import TiedRow

_QUOTIENT = decimal.Context(prec=34, rounding=decimal.ROUND_HALF_EVEN)
_CALENDAR = re.compile(r"[0-9]+(?:-Q?[0-9]+)*")
"""Texts that sort alike everywhere if they are equally long: '2026-03', '2026-Q1'."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """One row where a window sees it."""

    row: TiedRow
    value: Any
    order: tuple[Any, ...]


def check_windows(
    block: Block, rows: Sequence[TiedRow], values: Sequence[Values], parameters: Mapping[str, Any]
) -> None:
    """Compute every window function of a row statement, compare, and note what each value is made of.

    Args:
        block: The statement.
        rows: All its rows; values that the engine would round are replaced.
        values: What expressions over each row are computed from.
        parameters: Bound parameters by name.

    Raises:
        TieOutError: If a value is not what the rows give, or cannot be computed.
    """
    for window in block.windows:
        name = block.outputs[window.output].name
        try:
            partitions: dict[tuple[Any, ...], list[_Placed]] = {}
            for row, given in zip(rows, values, strict=True):
                key = normal(evaluate(part, given, parameters) for part in window.partition)
                value = 1 if window.argument is None else evaluate(window.argument, given, parameters)
                order = tuple(evaluate(part, given, parameters) for part, _ in window.order)
                partitions.setdefault(key, []).append(_Placed(row, value, order))
            for placed in partitions.values():
                _check_partition(block, window, _sorted(window, placed))
        except NotComputable as outside:
            raise TieOutError(
                f"The window function {name} cannot be recomputed from its rows, so it is not returned.",
                why=f"It needs {outside}.",
                remedy="Order the window by a number or a date that is never NULL.",
            ) from outside


def _sorted(window: Window, rows: list[_Placed]) -> list[list[_Placed]]:
    """The rows in the window's order, peers together."""
    if not window.order:
        return [rows]
    for row in rows:
        if None in row.order:
            raise NotComputable("an order by NULL, which engines put first or last")

    def compare(a: _Placed, b: _Placed) -> int:
        for (_, descending), one, other in zip(window.order, a.order, b.order, strict=True):
            if not same(one, other):
                return (-1 if _less(one, other) else 1) * (-1 if descending else 1)
        return 0

    rows = sorted(rows, key=cmp_to_key(compare))
    out: list[list[_Placed]] = []
    for row in rows:
        if out and compare(out[-1][0], row) == 0:
            out[-1].append(row)
        else:
            out.append([row])
    return out


def _less(a: Any, b: Any) -> bool:
    if isinstance(a, str) and isinstance(b, str) and len(a) == len(b) and all(map(_CALENDAR.fullmatch, (a, b))):
        return a < b
    return evaluate(["<", ["key", 0], ["key", 1]], {"key": (a, b)}, {}) is True


def _check_partition(block: Block, window: Window, groups: list[list[_Placed]]) -> None:
    """Walk through a partition once; `seen` are the values so far."""
    if window.function in ("row number", "rank", "dense rank"):
        return _check_ranks(block, window, groups)
    running, name = _Running(window.function), block.outputs[window.output].name
    before: _Placed | None = None
    for group in groups:
        opening = running.value()
        for row in group:
            running.add(row, row.row.currencies.get(name, ()))
        for row in group:
            _settle(block, window, row, running.value())
            row.row.currencies[name] = tuple(running.codes)  # type: ignore[index]  # as below
            if running.attained is not None:
                _note(block, window, row, [(running.attained, running.value())])
                row.row.extents[name] = Extent(running.count)  # type: ignore[index]
                continue
            if window.method == "row value":
                continue
            _contribute(block, window, row, group, before, opening)
            if not window.order:
                before, opening = group[0], running.value()  # the first row of a whole partition has its list
        before = group[-1]
    return None


class _Running:
    """A value over the rows so far."""

    def __init__(self, function: str) -> None:
        self._function = function
        self.codes: dict[str | None, None] = {}
        self.attained: _Placed | None = None  # the first row that has the extreme
        self._total: int | Decimal = 0
        self.count = 0
        self._extreme: Any = None

    def add(self, row: _Placed, codes: Sequence[str | None]) -> None:
        """Take in one more row, whose own amount is in these currencies, unless it has no value."""
        value = row.value
        if value is None:
            return
        self.codes |= dict.fromkeys(codes)
        self.count += 1
        if self._function in ("sum", "average"):
            self._total = total_of([self._total, value])
        elif self._function in ("minimum", "maximum"):
            found = value if self._extreme is None else extreme(self._function, [self._extreme, value])
            if self.attained is None or not same(found, self._extreme):
                self.attained, self._extreme = row, found

    def value(self) -> Any:
        """The value now."""
        if self._function == "count":
            return self.count
        if not self.count:
            return None
        if self._function == "average":
            return _QUOTIENT.divide(Decimal(self._total), Decimal(self.count))
        return self._total if self._function == "sum" else self._extreme


def _check_ranks(block: Block, window: Window, groups: list[list[_Placed]]) -> None:
    passed = 0
    name = block.outputs[window.output].name
    for number, group in enumerate(groups, 1):
        if window.function == "row number":  # among peers the engine chooses, but each number once
            found = sorted(row.row.values[name] for row in group)
            if found != list(range(passed + 1, passed + len(group) + 1)):
                raise mismatch(name, found, f"{passed + 1} to {passed + len(group)}")
        else:
            for row in group:
                _settle(block, window, row, number if window.function == "dense rank" else passed + 1)
        passed += len(group)


def _settle(block: Block, window: Window, row: _Placed, expected: Any) -> None:
    output = block.outputs[window.output]
    value = row.row.values[output.name]
    if far_apart(value, expected) if output.approximate else not same(value, expected):
        raise mismatch(output.name, value, expected)
    if output.approximate:
        row.row.values[output.name] = expected  # type: ignore[index]  # its own dict, which nobody else has yet


def _contribute(
    block: Block, window: Window, row: _Placed, group: Sequence[_Placed], before: _Placed | None, opening: Any
) -> None:
    """What the value is made of: the value of the row before, and what this row and its peers add."""
    found: list[tuple[_Placed, Any]] = []
    if before is not None and opening is not None:
        found.append((before, opening))
    if before is None or window.order:
        for peer in group:
            if peer.value is not None:
                found.append((peer, 1 if window.function == "count" else peer.value))
    _note(block, window, row, found)


def _note(block: Block, window: Window, row: _Placed, found: Sequence[tuple[_Placed, Any]]) -> None:
    """Note what a value is made of, with what those rows take from inner queries."""
    contributions, parts = row.row.contributions, row.row.parts
    name = block.outputs[window.output].name
    contributions[name] = tuple((of.row.grain[0], amount) for of, amount in found)  # type: ignore[index]  # as above
    for other, _ in found:
        for key, part in other.row.parts.items():
            parts.setdefault(key, part)  # type: ignore[attr-defined]  # as above
