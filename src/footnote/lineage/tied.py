"""What tie-out gives: output rows whose figures hold, with what each contribution is made of, level by level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from footnote.lineage.compare import Key
from footnote.lineage.rowset import Extent, RowSet
from footnote.lineage.shape import Block

Contributions = tuple[tuple[Key, Any], ...]
"""Grain key, and what that row adds (or the extreme, or the distinct value)."""


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
        key: What the row is known by: its group keys, or the keys of its sources.
        parts: By grain key: what the row with this key takes from inner queries.
        extents: By output column: what is to be said where not all contributions are kept.
        rows: What stands for the rows of the group where they are not kept.
        behind: How many rows a row of an inner query rests on, where `grain` has but some of them; else 0.
    """

    values: Mapping[str, Any]
    contributions: Mapping[str, Contributions]
    grain: tuple[Key, ...]
    others: Mapping[str, Key] = field(default_factory=dict)
    currencies: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    key: Key = ()
    parts: Mapping[Key, tuple[Part, ...]] = field(default_factory=dict)
    extents: Mapping[str, Extent] = field(default_factory=dict)
    rows: RowSet | None = None
    behind: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of an inner query that one row takes a value or a condition from.

    Attributes:
        link: Position of the link in the block that takes it.
        block: The block of the inner query that these rows are of.
        rows: Its rows; none where it is an absence that counts.
        asked: The values that the inner query was asked with.
        others: The same row of a UNION as its other branches have it, each with its own block.
    """

    link: int
    block: Block
    rows: tuple[TiedRow, ...]
    asked: Key = ()
    others: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class TiedOut:
    """All output rows, and what a reader must know about how they were checked."""

    rows: tuple[TiedRow, ...]
    notes: tuple[str, ...] = ()
