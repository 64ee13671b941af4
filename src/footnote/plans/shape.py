"""Compiled plans as plain data (kept as JSON), and how values are bound to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.errors import ArgumentError
from footnote.lineage.shape import Block
from footnote.plans.binding import list_text
from footnote.sources.query import Column, Parameter, Query

CONTRIBUTIONS = 10_000
"""Most contributions that are kept for one statement; of more, the rows are added up as they pass."""
INNER_ROWS = 100_000
"""Most rows of an inner query that does not aggregate: they are kept until the outer query has been checked."""
REPLAY_KEYS = "footnote_keys"
"""The list parameter of a replay."""
NAMES = 100_000
"""Most records of an entity among which a name is looked for."""

Bindable = Parameter | tuple[Parameter, ...]
"""An argument's value: one, or the items of a list."""


@dataclass(frozen=True, slots=True)
class Template:
    """SQL in a driver's style, the parameters it uses, and its typed columns.

    Attributes:
        dialect: The engine it was written for.
        sql: The text.
        parameters: Names of its parameters.
        lists: Those that are lists; they are bound as one value, in the engine's form.
        columns: What it returns.
    """

    dialect: str
    sql: str
    parameters: tuple[str, ...]
    lists: tuple[str, ...]
    columns: tuple[Column, ...]

    def bind(self, values: Mapping[str, Bindable]) -> Query:
        """The query for these values; names the statement does not use are left out.

        Raises:
            ArgumentError: If a name it uses has no value, which would be NULL and compare with nothing.
        """
        bound: dict[str, Parameter] = {}
        for name in self.parameters:
            if name not in values:
                raise ArgumentError(f"A statement needs a value for {name!r}, and there is none.")
            value = values[name]
            if isinstance(value, tuple):
                bound[name] = list_text(self.dialect, value)
            else:
                bound[name] = value
        return Query(self.sql, bound, self.columns)


@dataclass(frozen=True, slots=True)
class Arm:
    """An inner query of a statement: how its rows are fetched and checked.

    Attributes:
        block: The inner query understood.
        statement: Its own rows, where they are rows of tables, or a LIMIT chooses them.
        witness: Its witness rows, where it aggregates.
        arms: The inner queries in it, by the positions that the block's links name.
        large: All its witness rows in the order of its groups, where it aggregates.
        repeated: A row of the grain that stands twice among them.
    """

    block: Block
    statement: Template | None
    witness: Template | None
    arms: tuple[Arm, ...] = ()
    large: Template | None = None
    repeated: Template | None = None


@dataclass(frozen=True, slots=True)
class StatementPlan:
    """One statement of an operation for one engine: what runs, what witnesses it, how it is checked.

    Attributes:
        name: Of the statement.
        block: The statement understood.
        statement: What runs.
        witness: The rows behind it, where it aggregates.
        arms: Its inner queries.
        groups: Positions of the output columns that are the group keys, where the witness is written by hand.
        large: The same for more rows than are kept.
        replay: The statement over those rows of the grain alone whose keys are bound to `REPLAY_KEYS`; there is none
            where they have no key of one column.
    """

    name: str
    block: Block
    statement: Template
    witness: Template | None
    arms: tuple[Arm, ...] = ()
    large: LargePlan | None = None
    replay: Template | None = None
    groups: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LargePlan:
    """A witness statement for more rows than are kept.

    Attributes:
        size: How many there are.
        rows: All of them in record order.
        summed: How the engine adds them up itself; None where it cannot.
    """

    size: Template
    rows: Template
    summed: SummedPlan | None = None


@dataclass(frozen=True, slots=True)
class SummedPlan:
    """Statements by which the engine adds up the witness rows; what their columns mean says `lineage.summed.Summed`.

    Attributes:
        sums: The measures of each group.
        digests: A digest for each chunk of rows, with the keys bound to `INNER_PAD` and `OUTER_PAD`.
        repeated: A row of the grain that stands twice.
        spreads: For each of the block's spreads, a row that is added up twice.
        currencies: Of each group; None where no column says one.
        pages: Rows that contribute, of each group those behind `FIRST` up to `LAST`.
        first: The position in `pages` of all rows in record order.
        by_record: For each output the position in `pages` of its rows in record order; -1 for a group's key.
        by_size: The same for those that contribute most.
    """

    sums: Template
    digests: Template
    repeated: Template
    spreads: tuple[Template, ...]
    currencies: Template | None
    pages: tuple[Template, ...]
    first: int
    by_record: tuple[int, ...]
    by_size: tuple[int, ...]


FIRST, LAST = "footnote_first", "footnote_last"
INNER_PAD, OUTER_PAD = "footnote_inner", "footnote_outer"
SECRET = frozenset((INNER_PAD, OUTER_PAD))
"""Parameters that stand in no account of what ran: the salt of a digest must be gone once it is erased."""
MOST_GROUPS = 1_000
"""Groups up to which the engine adds up; of more, the rows pass through Footnote."""


@dataclass(frozen=True, slots=True)
class RecordPlan:
    """How rows of a record type are fetched by key.

    Attributes:
        record: The record type.
        fetch: Key columns, then the fields in catalog order, then currency columns; bound by `key0`, `key1`, ….
        key: Key columns.
        fields: Names of the fields that stand after the key.
        extra: Database columns after the fields that money fields take their currency from; of a file, the row's number.
        place: The file, and the sheet, that rows come from; empty for a table of a database.
    """

    record: str
    fetch: Template
    key: tuple[Column, ...]
    fields: tuple[str, ...]
    extra: tuple[str, ...]
    place: str = ""

    def bind(self, keys: Sequence[Sequence[Parameter]]) -> Query:
        """The query for these keys."""
        return self.fetch.bind({f"key{i}": tuple(key[i] for key in keys) for i in range(len(self.key))})


@dataclass(frozen=True, slots=True)
class EntityPlan:
    """How an entity argument is resolved.

    Attributes:
        entity: The entity.
        exact: Records of which one match field is the given text (`text`), or the given number (`number`).
        exact_text: The same without number fields, for texts that are no number.
        scan: Every record in record order: key columns, then match fields.
        key: Key columns.
        match: The match fields.
    """

    entity: str
    exact: Template
    exact_text: Template | None
    scan: Template
    key: tuple[Column, ...]
    match: tuple[str, ...]
