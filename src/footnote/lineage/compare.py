"""When two values are the same, and what is said when they are not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal, DecimalException
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.shape import Block, SourceTable

Key = tuple[Any, ...]
"""Key of one row, in the order of the table's key columns; or the values of the group keys."""


def normal_value(value: Any) -> Any:
    """Booleans and the integers that some engines give for them are the same value."""
    return int(value) if isinstance(value, bool) else value


def normal(values: Iterable[Any]) -> Key:
    """A row of values that compares and hashes alike on every engine."""
    return tuple(normal_value(value) for value in values)


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same; numbers by their value, whatever their scale."""
    return bool(normal_value(a) == normal_value(b))


def far_apart(rounded: Any, exact: Any, size: Any = 0) -> bool:
    """Whether a value that an engine rounded, as text or number, is off by more than rounding.

    Args:
        rounded: By the engine.
        exact: By Footnote.
        size: Of what was added up, to which rounding is in proportion.
    """
    if rounded is None or exact is None:
        return rounded is not exact
    try:
        distance = abs(Decimal(rounded) - Decimal(exact))
        return bool(distance > Decimal("1e-9") * (1 + max(abs(Decimal(exact)), Decimal(size))))
    except (DecimalException, TypeError, ValueError):  # no number at all
        return True


def mismatch(what: str, engine: Any, expected: Any, group: Key = ()) -> TieOutError:
    """The error that names both values; the figure is not returned."""
    where = f" of group {shown_group(group)}" if group else ""
    return TieOutError(
        f"Figure {what}{where} is {engine} by the source and {expected} by its rows; it is not returned.",
        why="The two must be equal.",
        remedy="`footnote check` shows the statement and its witness statement.",
        details={"figure": what, "source": str(engine), "rows": str(expected)},
    )


def shown_group(group: Key) -> str:
    """A group for people."""
    return ", ".join("NULL" if value is None else str(value) for value in group) or "(all rows)"


def shown_row(source: SourceTable, key: Sequence[Any]) -> str:
    """A row for people: `invoice 8812`."""
    return f"{source.shown} {'/'.join(str(part) for part in (key[1:] if source.inner else key))}"


def shown_grain(block: Block, key: Sequence[Any]) -> str:
    """A row of the grain for people; where there is none, the row beside it."""
    start = 0
    for source in block.grains:
        own = key[start : start + len(source.key)]
        if not source.absent(own):
            return shown_row(source, own)
        start += len(source.key)
    return shown_row(block.sources[block.grain], key)


class Notes:
    """Notes once each, in order."""

    def __init__(self, first: Sequence[str]) -> None:
        self._notes = dict.fromkeys(first)
        self._added: dict[str, None] = {}

    def add(self, note: str) -> None:
        """Note it, unless it is noted already."""
        self._notes.setdefault(note)

    def added_up(self, column: str) -> None:
        """Note that a column's figures are Footnote's own, since the engine's would be rounded."""
        self._added.setdefault(column)

    def all(self) -> tuple[str, ...]:
        """All notes; columns that are added up outside the engine are one."""
        if not self._added:
            return tuple(self._notes)
        *others, last = self._added
        named, their = (f"{', '.join(others)} and {last} are", "their") if others else (f"{last} is", "its")
        return (*self._notes, f"{named} added up by Footnote from {their} rows, since the engine is not exact here.")
