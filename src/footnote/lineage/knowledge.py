"""What is known of columns while a statement is read: those of the database, and those of the queries inside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from footnote.lineage.types import ColumnTypes
from footnote.sources.query import ValueType


class Tables(dict[str, str]):
    """Canonical table names by alias; an inner query is called by its alias in parentheses."""

    def __missing__(self, alias: str) -> str:
        return f"({alias})"


@dataclass(frozen=True, slots=True)
class Computed:
    """A column of an inner query: its type, and whether the engine gives it exactly."""

    type: ValueType
    exact: bool


@dataclass(frozen=True, slots=True)
class Knowledge:
    """`ColumnTypes` of the database, and of inner queries as they are read.

    Attributes:
        database: What is known of base tables.
        keys: Key columns by canonical table name.
        grain: Canonical name of the grain's table.
        tables: Canonical names by alias, of all tables of the statement.
        inner: Columns of inner queries, by (table as `tables` calls it, column).
        numbers: Gives a number to whatever needs a name.
    """

    database: ColumnTypes
    keys: Mapping[str, tuple[str, ...]]
    grain: str
    tables: Tables = field(default_factory=Tables)
    inner: dict[tuple[str, str], Computed] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def exact_decimals(self) -> bool:
        """As the database."""
        return self.database.exact_decimals

    @property
    def strict(self) -> bool:
        """As the database."""
        return self.database.strict

    def computed(self, table: str) -> bool:
        """Whether this is an inner query."""
        return table.startswith("(")

    def type_of(self, table: str, column: str) -> ValueType:
        """The type a column is read as."""
        if self.computed(table):
            found = self.inner.get((table, column))
            return found.type if found else ValueType.ANY
        return self.database.type_of(table, column)

    def exact(self, table: str, column: str) -> bool:
        """Whether the engine gives and adds the column up exactly."""
        if self.computed(table):
            found = self.inner.get((table, column))
            return found is not None and found.exact
        return self.database.exact(table, column)

    def padded(self, table: str, column: str) -> bool:
        """Whether it is text of a fixed length."""
        return not self.computed(table) and self.database.padded(table, column)

    def caseless(self, table: str, column: str) -> bool:
        """Whether its texts are compared otherwise than letter by letter."""
        return not self.computed(table) and self.database.caseless(table, column)
