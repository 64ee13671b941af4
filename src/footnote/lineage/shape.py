"""What `analyse` finds in a statement, as plain data that plans keep as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from footnote.lineage.expressions import Expr
from footnote.sources.query import ValueType

Method = Literal["row value", "group", "sum", "count", "count distinct", "minimum", "maximum", "average"]


@dataclass(frozen=True, slots=True)
class SourceTable:
    """One occurrence of a base table in FROM: its alias, the columns of its key, and the record type of its rows."""

    alias: str
    table: str
    key: tuple[str, ...]
    record: str = ""

    @property
    def shown(self) -> str:
        """The record type, or the table's bare name."""
        return self.record or self.table.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class BaseColumn:
    """A column of a base table that a row expression needs.

    Attributes:
        alias: Of the table.
        column: Its name.
        type: What it is read as.
        zoneless: Its moments are compared as texts, so that one with a time zone cannot be.
    """

    alias: str
    column: str
    type: ValueType
    zoneless: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate of the statement. `argument` is None for COUNT(*).

    Attributes:
        function: sum, count, count distinct, minimum, maximum or average.
        argument: Position among the witness statement's contribution columns.
        exact: False if the engine's own value is inexact, so that Footnote's recomputed value is used.
    """

    function: Method
    argument: int | None
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Output:
    """How one output column is made.

    Attributes:
        name: The column's name.
        method: How its value comes about.
        expression: Over `agg` and `key` leaves (aggregated statements) or `col` leaves (row statements); None if it is
            a column as it stands, or cannot be computed outside the engine, which only row statements allow.
        contribution: What one row adds, over `arg` leaves; set for sums and counts.
        aggregates: The aggregates it uses.
        tables: Aliases of the tables it reads (row statements).
        case: Its sum is over a CASE, so that rows of other branches add nothing and are no evidence.
        approximate: The engine would round it, so that Footnote computes it from the base columns (row statements).
        currencies: Of an amount: positions in the block's `base` of the columns that have the currency of what it is
            made of, and codes where the catalog says one.
    """

    name: str
    method: Method
    expression: Expr | None
    contribution: Expr | None = None
    aggregates: tuple[int, ...] = ()
    tables: tuple[str, ...] = ()
    case: bool = False
    approximate: bool = False
    currencies: tuple[int | str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowCheck:
    """A row expression recomputed from base columns: a contribution, a group key, or the filter (`what` says which)."""

    what: Literal["argument", "key", "filter"]
    index: int
    expression: Expr


@dataclass(frozen=True, slots=True)
class Spread:
    """Amounts that are added up and do not come from the grain: each row of their tables may add but once.

    Attributes:
        argument: Position among the contribution columns.
        tables: Positions in `sources` of the tables that the amount comes from.
        keys: Positions in `base` of the key columns of these tables.
        counts: Whether a zero counts too (COUNT and AVG).
        text: The amount as SQL, for people.
    """

    argument: int
    tables: tuple[int, ...]
    keys: tuple[int, ...]
    counts: bool
    text: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A LIMIT over groups: how many stay, and by which order; `complete` says whether all of ORDER BY is understood."""

    most: Expr
    order: tuple[tuple[Expr, bool], ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Block:
    """One statement understood.

    Attributes:
        sources: Every base table occurrence.
        grain: Position in `sources` of the table of which one row is one contribution.
        aggregated: Whether it groups or aggregates.
        outputs: A column each, in order.
        key_types: Types of the group keys (aggregated statements).
        argument_types: Types of the contribution columns.
        approximate: Contribution columns that the engine would round, so that Footnote computes them.
        aggregates: The aggregates.
        base: Base columns that row checks need.
        checks: What is recomputed outside the engine.
        spreads: What is added up from other tables than the grain's.
        having: HAVING over `agg` and `key` leaves, or None.
        cut: The LIMIT that cuts groups off, if there is one.
        notes: What cannot be recomputed outside the engine, and why.
    """

    sources: tuple[SourceTable, ...]
    grain: int
    aggregated: bool
    outputs: tuple[Output, ...]
    key_types: tuple[ValueType, ...] = ()
    argument_types: tuple[ValueType, ...] = ()
    approximate: tuple[int, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    base: tuple[BaseColumn, ...] = ()
    checks: tuple[RowCheck, ...] = ()
    spreads: tuple[Spread, ...] = ()
    having: Expr | None = None
    cut: Cut | None = None
    notes: tuple[str, ...] = ()
