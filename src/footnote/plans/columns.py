"""What is known of the database's columns: types as read, and whether the engine adds them up exactly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote.catalog.model import Catalog, ColumnSpec
from footnote.errors import SourceChanged
from footnote.figures import FigureType
from footnote.sources.query import ValueType
from footnote.sources.source import TableSchema

_BY_WORD = (
    (re.compile(r"(big|small|tiny|medium)?int(eger)?\b|int\d|serial|bigserial"), ValueType.INTEGER),
    (re.compile(r"numeric|decimal|real|double|float|money"), ValueType.DECIMAL),
    (re.compile(r"timestamp|datetime"), ValueType.DATETIME),
    (re.compile(r"date\b"), ValueType.DATE),
    (re.compile(r"bool"), ValueType.BOOLEAN),
    (re.compile(r"char|text|clob|uuid|enum"), ValueType.TEXT),
)
_BY_FIGURE = {
    FigureType.COUNT: ValueType.INTEGER,
    FigureType.INTEGER: ValueType.INTEGER,
    FigureType.DECIMAL: ValueType.DECIMAL,
    FigureType.PERCENT: ValueType.DECIMAL,
    FigureType.DATE: ValueType.DATE,
    FigureType.DATETIME: ValueType.DATETIME,
    FigureType.TEXT: ValueType.TEXT,
    FigureType.BOOLEAN: ValueType.BOOLEAN,
}


def value_type(spec: ColumnSpec) -> ValueType:
    """What a declared column is read as."""
    if spec.type is FigureType.MONEY:
        return ValueType.INTEGER if spec.minor_units else ValueType.DECIMAL
    return _BY_FIGURE[spec.type]


def declared_type(word: str) -> ValueType:
    """What a database's own type word is read as; ANY if it is none we know."""
    lowered = word.lower()
    return next((kind for pattern, kind in _BY_WORD if pattern.match(lowered)), ValueType.ANY)


@dataclass(frozen=True)
class Columns:
    """The tables a catalog names, as the source has them, and the types of their columns.

    Tables are known by the name the catalog uses and by the source's own; column names are folded to lower case on
    SQLite, which does not tell them apart.
    """

    dialect: str
    tables: Mapping[str, TableSchema]
    _declared: Mapping[tuple[str, str], ValueType] = field(default_factory=dict)

    @classmethod
    def of(cls, catalog: Catalog, dialect: str, tables: Mapping[str, TableSchema]) -> Columns:
        """What the catalog's record types and the schema say together; `tables` by the names the catalog uses."""
        every = dict(tables)
        for asked, found in tables.items():
            every.setdefault(_own_name(asked, found), found)
            every.setdefault(f"{found.schema}.{found.name}", found)
        known = cls(dialect, every)
        declared = {
            (known.actual_name(record.table), known.fold(spec.column or name)): value_type(spec)
            for record in catalog.records.values()
            if record.table in every
            for name, spec in record.fields.items()
            if not spec.sql
        }
        return cls(dialect, every, declared)

    def table(self, name: str) -> TableSchema:
        """The table of this name.

        Raises:
            SourceChanged: If the source has none.
        """
        found = self.tables.get(name)
        if found is None:
            raise SourceChanged(
                f"The source has no table {name!r}.",
                why="The catalog names it.",
                remedy="Check the name and its schema, and that the login may read it.",
            )
        return found

    def actual_name(self, name: str) -> str:
        """The source's own name for a table: `name`, or `schema.name` where the catalog names the schema."""
        return _own_name(name, self.table(name))

    def fold(self, column: str) -> str:
        """The column's name as statements are qualified with it."""
        return column.lower() if self.dialect == "sqlite" else column

    def names(self, table: TableSchema) -> list[str]:
        """The folded names of a table's columns."""
        return [self.fold(column.name) for column in table.columns]

    def type_of(self, table: str, column: str) -> ValueType:
        """The type a column is read as."""
        known = self._declared.get((table, self.fold(column)))
        return known if known is not None else declared_type(self._word(table, column))

    def exact(self, table: str, column: str) -> bool:
        """Whether this engine adds the column up exactly: never floats, and on SQLite nothing but integers."""
        word = self._word(table, column).lower()
        if self.dialect == "sqlite":
            return self.type_of(table, column) in (ValueType.INTEGER, ValueType.BOOLEAN) and "int" in word
        return not re.match(r"real|double|float", word)

    def keys(self) -> dict[str, tuple[str, ...]]:
        """Primary key columns by table name."""
        return {name: tuple(self.fold(key) for key in table.primary_key) for name, table in self.tables.items()}

    def column_word(self, table: str, column: str) -> str:
        """The database's own word for a column's type; empty if there is no such column."""
        return self._word(table, column)

    def _word(self, table: str, column: str) -> str:
        schema = self.tables.get(table)
        folded = self.fold(column)
        found = next((c for c in schema.columns if self.fold(c.name) == folded), None) if schema else None
        return found.type if found else ""


def _own_name(asked: str, found: TableSchema) -> str:
    return f"{found.schema}.{found.name}" if "." in asked and asked != found.name else found.name
