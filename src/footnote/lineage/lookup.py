"""What a row takes from an inner query: its rows found by key, and the value or condition that they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.compare import Key, normal, shown_group
from footnote.lineage.evaluate import evaluate
from footnote.lineage.expressions import NotComputable
from footnote.lineage.shape import Block, Link
from footnote.lineage.tied import Part, TiedRow


@dataclass(frozen=True, slots=True)
class TiedArm:
    """The rows of an inner query, tied out, what its row is where no row was found, and notes on how they were checked."""

    block: Block
    rows: Sequence[TiedRow]
    none: Callable[[Key], TiedRow | None] = lambda _: None
    notes: tuple[str, ...] = ()


_MANY = 20
"""Rows of an inner query from which on what they give is remembered: other rows will ask for the same."""


@dataclass
class Lookup:
    """Finds what one link asks for.

    Attributes:
        link: The link.
        arms: Its arms, in order.
    """

    link: Link
    arms: Sequence[TiedArm]
    _index: list[dict[Key, list[TiedRow]]] = field(default_factory=list)
    _given: dict[Key, tuple[Sequence[Any], Part]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for arm in self.arms:
            index: dict[Key, list[TiedRow]] = {}
            for row in arm.rows:
                index.setdefault(self._key(arm.block, row), []).append(row)
            self._index.append(index)

    def _key(self, block: Block, row: TiedRow) -> Key:
        if self.link.kind in ("derived", "union all"):
            return normal(row.key)
        names = [output.name for output in block.outputs]
        if self.link.kind not in ("union", "intersect", "except"):
            names = names[: len(self.link.keys)]
        return normal(row.values[name] for name in names)

    def found(self, key: Key, place: int, parameters: Mapping[str, Any]) -> tuple[Sequence[Any], Part]:
        """The values that a row takes, and the rows that give them.

        Args:
            key: What the inner query's rows are found by.
            place: Position of the link.
            parameters: Bound parameters by name.

        Raises:
            TieOutError: If the inner query has no such row, or its condition cannot be computed.
        """
        given = self._given.get(key)
        if given is not None:
            return given
        values, part = self._found(key, place, parameters)
        if len(part.rows) >= _MANY:
            self._given[key] = values, part
        return values, part

    def _found(self, key: Key, place: int, parameters: Mapping[str, Any]) -> tuple[Sequence[Any], Part]:
        arm, rows = self._rows(key)
        part = Part(place, self.arms[arm].block, tuple(rows), key, self._others(arm, key, place) if rows else ())
        outputs = [output.name for output in self.arms[0].block.outputs]
        if self.link.kind in ("derived", "union all", "union", "intersect", "except"):
            if not rows:
                return [None] * len(outputs), part
            own = [output.name for output in self.arms[arm].block.outputs]
            return [rows[0].values[name] for name in own], part
        if not rows and self.link.always and (none := self.arms[0].none(key)) is not None:
            rows = [none]
            part = Part(place, self.arms[0].block, (none,), key)
        given = [row.values for row in rows]
        values = [tuple(row[name] for name in outputs[len(self.link.keys) :]) for row in given]
        try:
            return [_CONDITIONS[self.link.kind](self.link, key, values, parameters)], part
        except NotComputable as outside:
            raise TieOutError(
                f"The condition with ({self.link.label}) cannot be recomputed from its rows.",
                why=f"It needs {outside}.",
            ) from outside

    def _rows(self, key: Key) -> tuple[int, list[TiedRow]]:
        kind = self.link.kind
        if kind in ("derived", "union all", "union", "intersect", "except") and key[0] is None:
            return 0, []  # an outer join found no row
        if kind == "derived":
            return 0, self._present(0, key[1:])
        if kind == "union all":
            arm = int(key[0]) - 1
            widths = [len(index_key(one.block)) for one in self.arms]
            start = 1 + sum(widths[:arm])
            return arm, self._present(arm, key[start : start + widths[arm]])
        if kind in ("union", "intersect", "except"):
            return self._of_set(key[1:])
        return 0, self._index[0].get(normal(key), [])

    def _present(self, arm: int, key: Key) -> list[TiedRow]:
        rows = self._index[arm].get(normal(key), [])
        if not rows:
            raise _missing(self.link, key)
        return rows

    def _of_set(self, key: Key) -> tuple[int, list[TiedRow]]:
        found = [index.get(normal(key), []) for index in self._index]
        first = next((place for place, rows in enumerate(found) if rows), None)
        holds = {
            "union": first is not None,
            "intersect": all(found),
            "except": bool(found[0]) and not any(found[1:]),
        }[self.link.kind]
        if not holds or first is None:
            raise _missing(self.link, key)
        return first, found[first]

    def _others(self, arm: int, key: Key, place: int) -> tuple[Part, ...]:
        """The rows that further branches of a UNION have for one row of it."""
        if self.link.kind != "union":
            return ()
        later = ((self.arms[n].block, self._index[n].get(normal(key[1:]), ())) for n in range(arm + 1, len(self.arms)))
        return tuple(Part(place, block, tuple(rows), key) for block, rows in later if rows)


def index_key(block: Block) -> tuple[str, ...]:
    """Names for the columns that a row of the block is known by."""
    if block.aggregated:
        return tuple(f"k{number}" for number in range(len(block.key_types)))
    return tuple(name for source in block.sources for name in source.key)


def _missing(link: Link, key: Key) -> TieOutError:
    return TieOutError(
        f"The statement uses a row of {link.label} that its own rows do not give: {shown_group(key)}.",
        why="The statement and the witness rows of the inner query disagree.",
        details={"query": link.label, "key": shown_group(key)},
    )


# --- conditions -------------------------------------------------------------------------------------------------------


def _scalar(link: Link, key: Key, values: list[tuple[Any, ...]], _: Mapping[str, Any]) -> Any:
    if len(values) > 1:
        raise TieOutError(f"({link.label}) gives {len(values)} values for {shown_group(key)}, and one is needed.")
    return values[0][0] if values else None


def _in(link: Link, key: Key, values: list[tuple[Any, ...]], parameters: Mapping[str, Any]) -> bool | None:
    left = key[len(key) - link.left :]
    tests = [_all_of([_compared("=", pair, parameters) for pair in zip(left, row, strict=True)]) for row in values]
    return _any_of(tests)


def _quantified(link: Link, key: Key, values: list[tuple[Any, ...]], parameters: Mapping[str, Any]) -> bool | None:
    tests = [_compared(link.operator, (key[-1], row[0]), parameters) for row in values]
    return _any_of(tests) if link.kind == "any" else _all_of(tests)


def _compared(operator: str, pair: tuple[Any, Any], parameters: Mapping[str, Any]) -> bool | None:
    found: bool | None = evaluate([operator, ["key", 0], ["key", 1]], {"key": pair}, parameters)
    return found


def _any_of(tests: list[bool | None]) -> bool | None:
    return True if True in tests else None if None in tests else False


def _all_of(tests: list[bool | None]) -> bool | None:
    return False if False in tests else None if None in tests else True


_CONDITIONS: dict[str, Callable[[Link, Key, list[tuple[Any, ...]], Mapping[str, Any]], Any]] = {
    "scalar": _scalar,
    "exists": lambda link, key, values, _: bool(values),
    "in": _in,
    "any": _quantified,
    "all": _quantified,
}


def ask(
    block: Block, base: Sequence[Any], lookups: Sequence[Lookup], parameters: Mapping[str, Any]
) -> tuple[list[Any], tuple[Part, ...]]:
    """The values that a row takes from inner queries, and the rows behind them.

    Raises:
        TieOutError: If one of them cannot be told.
    """
    values: list[Any] = []
    parts: list[Part] = []
    for place, (link, lookup) in enumerate(zip(block.links, lookups, strict=True)):
        found, part = lookup.found(tuple(base[key] for key in link.keys), place, parameters)
        values += found
        parts.append(part)
    return values, tuple(parts)
