"""What `analyse` finds in a statement, as plain data that plans keep as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from footnote.lineage.expressions import Expr
from footnote.sources.query import ValueType

Method = Literal[
    "row value",
    "group",
    "sum",
    "count",
    "sum distinct",
    "count distinct",
    "minimum",
    "maximum",
    "average",
    "running",
]


@dataclass(frozen=True, slots=True)
class SourceTable:
    """One occurrence in FROM: a base table, or an inner query that is traced by arms of its own.

    Attributes:
        alias: Unique in the statement.
        table: Canonical name; of an inner query, what people call it.
        key: Columns of its key. Those of an inner query begin with one that is never NULL in a row of it.
        record: The record type of its rows; empty for an inner query.
        inner: Whether it is an inner query.
        under: Canonical names of the base tables in an inner query.
        key_types: Types of the key's columns, of an inner query only.
    """

    alias: str
    table: str
    key: tuple[str, ...]
    record: str = ""
    inner: bool = False
    under: tuple[str, ...] = ()
    key_types: tuple[ValueType, ...] = ()

    @property
    def shown(self) -> str:
        """The record type, or the table's bare name."""
        return self.record or self.table.rpartition(".")[2]

    def absent(self, key: Sequence[object]) -> bool:
        """Whether an outer join found no row, so that there is none with this key."""
        return (self.inner and key[0] is None) or (not self.inner and None in key)


@dataclass(frozen=True, slots=True)
class BaseColumn:
    """What a row expression needs: a column of a base table, or a value that an inner query is asked with.

    Attributes:
        alias: Of the table, or of the inner query that it is read through; empty for an expression.
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
        subs: Positions of the `sub` leaves that its value is computed from.
        alone: Those of them that are terms of their own, so that they are amounts of the same kind as the value.
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
    subs: tuple[int, ...] = ()
    alone: tuple[int, ...] = ()
    currencies: tuple[int | str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowCheck:
    """A row expression recomputed from base columns: a contribution, a group key, the filter, or a base value itself."""

    what: Literal["argument", "key", "filter", "base"]
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
class Repeat:
    """A sub-select whose value is added up as it stands: each row below it may be added but once.

    Attributes:
        argument: Position among the contribution columns.
        sub: Position of its value among the `sub` leaves.
        link: Position of the link that gives it.
    """

    argument: int
    sub: int
    link: int


LinkKind = Literal["derived", "union all", "union", "intersect", "except", "scalar", "exists", "in", "any", "all"]


@dataclass(frozen=True, slots=True)
class Link:
    """What a row takes from an inner query: values, or a condition.

    Attributes:
        kind: A derived table or set operation in FROM, or how a sub-select is used.
        label: The inner query as people call it: its alias, or its text.
        keys: Positions in `base` of the values its rows are found by.
        arms: Positions of the arms that have its rows; several for a set operation.
        outputs: Positions of its outputs that the row takes, one after another; a sub-select gives one value.
        first: Position of the first value among the `sub` leaves.
        left: How many of the keys are the left side of IN, ANY or ALL; they stand last.
        operator: Of ANY and ALL.
        always: The sub-select aggregates without GROUP BY, so that it has a row also where no row was found.
        negated: Stated as an absence: the row counts because the inner query has no row for it.
    """

    kind: LinkKind
    label: str
    keys: tuple[int, ...]
    arms: tuple[int, ...]
    outputs: tuple[int, ...] = ()
    first: int = 0
    left: int = 0
    operator: str = ""
    always: bool = False
    negated: bool = False


WindowMethod = Literal["sum", "count", "average", "minimum", "maximum", "row number", "rank", "dense rank"]


@dataclass(frozen=True, slots=True)
class Window:
    """A window function over the rows of a row statement.

    Attributes:
        output: Position of the output column that it is.
        function: What it computes.
        argument: Of each row; None for COUNT(*) and ranks.
        partition: What rows have in common that it looks at together.
        order: What it orders them by, and whether from the largest; without, it looks at the whole partition.
    """

    output: int
    function: WindowMethod
    argument: Expr | None
    partition: tuple[Expr, ...] = ()
    order: tuple[tuple[Expr, bool], ...] = ()

    @property
    def method(self) -> Method:
        """How a reader is shown the value: a rank, or an average so far, is a value of its row."""
        if self.function in ("sum", "count"):
            return "running"
        if self.function in ("minimum", "maximum"):
            return self.function
        return "average" if self.function == "average" and not self.order else "row value"


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
        beside: Positions of further sources, of whose rows a contribution is a combination.
        aggregated: Whether it groups or aggregates.
        outputs: A column each, in order.
        key_types: Types of the group keys (aggregated statements).
        argument_types: Types of the contribution columns.
        approximate: Contribution columns that the engine would round, so that Footnote computes them.
        added: Contribution columns that this engine adds up exactly, or that are no numbers.
        aggregates: The aggregates.
        base: Base columns that row checks need.
        checks: What is recomputed outside the engine.
        spreads: What is added up from other tables than the grain's.
        repeats: What is added up that sub-selects give.
        links: Inner queries, in the order of their `sub` values.
        windows: Window functions over the rows, in the order of their `window` values.
        asked: How many of the group keys, the first ones, are values that a sub-select is asked with. A row may add once
            for each of them.
        lone: The grain's rows alone must be unique, also where `beside` tells rows apart that have none.
        having: HAVING over `agg` and `key` leaves, or None.
        cut: The LIMIT that cuts groups off, if there is one.
        notes: What cannot be recomputed outside the engine, and why.
    """

    sources: tuple[SourceTable, ...]
    grain: int
    aggregated: bool
    outputs: tuple[Output, ...]
    beside: tuple[int, ...] = ()
    key_types: tuple[ValueType, ...] = ()
    argument_types: tuple[ValueType, ...] = ()
    approximate: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    base: tuple[BaseColumn, ...] = ()
    checks: tuple[RowCheck, ...] = ()
    spreads: tuple[Spread, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    links: tuple[Link, ...] = ()
    windows: tuple[Window, ...] = ()
    asked: int = 0
    lone: bool = False
    having: Expr | None = None
    cut: Cut | None = None
    notes: tuple[str, ...] = ()

    @property
    def grains(self) -> tuple[SourceTable, ...]:
        """The sources that a contribution is known by."""
        return tuple(self.sources[place] for place in (self.grain, *self.beside))

    def link_of(self, sub: int) -> int:
        """The position of the link that gives a `sub` value."""
        return max(place for place, link in enumerate(self.links) if link.first <= sub)
