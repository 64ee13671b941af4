"""What is known of the database's tables and columns: keys, types as read, and what the engine does exactly."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

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
    (re.compile(r"(var|n|nvar|bp)?char|text|clob|uuid|enum|citext"), ValueType.TEXT),
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
_LOWER = {ord(letter): letter.lower() for letter in string.ascii_uppercase}
"""SQLite takes A for a, and tells Ä from ä; of the other engines nothing more is asked."""
_PADDED = re.compile(r"char(acter)?\(\d+\)$|bpchar|character$")


def value_type(spec: ColumnSpec) -> ValueType:
    """What a declared column is read as."""
    if spec.type is FigureType.MONEY:
        return ValueType.INTEGER if spec.minor_units else ValueType.DECIMAL
    return _BY_FIGURE[spec.type]


def declared_type(word: str) -> ValueType:
    """What a database's own type word is read as; ANY if it is none we know (an array is none)."""
    lowered = word.lower()
    if lowered.endswith("]"):
        return ValueType.ANY
    return next((kind for pattern, kind in _BY_WORD if pattern.match(lowered)), ValueType.ANY)


def canonical(table: TableSchema) -> str:
    """The one name of a table: `schema.name`, whatever a catalog calls it."""
    return f"{table.schema}.{table.name}"


@dataclass(frozen=True)
class Columns:
    """The tables a catalog names, as the source has them, and the types of their columns.

    A table is asked for by the name the catalog uses and known by its canonical one; column names are folded to lower
    case on the engines that do not tell them apart: all but PostgreSQL.
    """

    dialect: str
    asked: Mapping[str, TableSchema]
    _declared: Mapping[tuple[str, str], ValueType] = field(default_factory=dict)
    _keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    _words: Mapping[tuple[str, str], str] = field(default_factory=dict)
    _collations: Mapping[tuple[str, str], str] = field(default_factory=dict)
    time_zone: str = "UTC"
    _required: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, catalog: Catalog, dialect: str, tables: Mapping[str, TableSchema]) -> Columns:
        """What the catalog's record types and the schema say together; `tables` by the names the catalog uses."""
        bare = cls(dialect, tables)
        words = {
            (canonical(table), bare.fold(column.name)): column.type
            for table in tables.values()
            for column in table.columns
        }
        collations = {
            (canonical(table), bare.fold(column.name)): column.collation
            for table in tables.values()
            for column in table.columns
            if column.collation
        }
        required = frozenset(
            (canonical(table), bare.fold(column.name))
            for table in tables.values()
            for column in table.columns
            if not column.nullable
        )
        declared: dict[tuple[str, str], ValueType] = {}
        keys = {canonical(table): tuple(map(bare.fold, _own_key(table))) for table in tables.values()}
        for record in reversed(catalog.records.values()):
            if record.table not in tables:
                continue
            name = canonical(tables[record.table])
            key = tuple(map(bare.fold, record.key))
            if not tables[record.table].is_view or set(key) <= set(bare.names(tables[record.table])):
                keys[name] = key
            for field_name, spec in record.fields.items():
                if spec.is_column:
                    declared[name, bare.fold(spec.column or field_name)] = value_type(spec)
        return cls(dialect, tables, declared, keys, words, collations, catalog.source.time_zone, required)

    def with_inner(self, inner: Mapping[tuple[str, str], ValueType]) -> Columns:
        """The same, and the columns of the queries inside a statement, by (table, column)."""
        folded = {(table, self.fold(column)): kind for (table, column), kind in inner.items()}
        return replace(self, _declared={**self._declared, **folded})

    def unread(self, table: str, column: str) -> bool:
        """Whether this is a column of an inner query that nobody looked into, as in a statement with rows by hand."""
        return self.computed(table) and (table, self.fold(column)) not in self._declared

    def computed(self, table: str) -> bool:
        """Whether this is an inner query; of the database's tables none is."""
        return table.startswith("(")

    def table(self, name: str) -> TableSchema:
        """The table of this name.

        Raises:
            SourceChanged: If the source has none.
        """
        found = self.asked.get(name)
        if found is None:
            raise SourceChanged(
                f"The source has no table {name!r}.",
                why="The catalog names it.",
                remedy="Check the name and its schema, and that the login may read it.",
            )
        return found

    def fold(self, column: str) -> str:
        """The column's name as statements are qualified with it."""
        return column if self.dialect == "postgres" else column.translate(_LOWER)

    def names(self, table: TableSchema) -> list[str]:
        """The folded names of a table's columns."""
        return [self.fold(column.name) for column in table.columns]

    def keys(self, record: str, key: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Key columns by canonical table name: those of record types first, then the database's own.

        Args:
            record: The grain's table, by the name the catalog uses.
            key: The key of the grain, by which its rows are cited.

        Raises:
            SourceChanged: The table is not there, or has no such column.
        """
        table = self.table(record)
        missing = next((name for name in key if self.fold(name) not in self.names(table)), None)
        if missing is not None:
            raise SourceChanged(
                f"Table {record!r} has no column {missing!r}.",
                why="It is in the key of a record type of the catalog.",
                remedy="Check the key.",
            )
        return {**self._keys, canonical(table): tuple(map(self.fold, key))}

    # --- types; `table` is a canonical name ---------------------------------------------------------------------------

    @property
    def exact_decimals(self) -> bool:
        """Whether the engine calculates with decimal constants exactly; SQLite makes floats of them."""
        return self.dialect != "sqlite"

    @property
    def strict(self) -> bool:
        """Whether the engine holds a column to its type; SQLite keeps a text in any, MySQL a zero date."""
        return self.dialect not in ("sqlite", "mysql")

    def type_of(self, table: str, column: str) -> ValueType:
        """The type a column is read as."""
        known = self._declared.get((table, self.fold(column)))
        return known if known is not None else declared_type(self.column_word(table, column))

    def exact(self, table: str, column: str) -> bool:
        """Whether this engine adds the column up exactly: never floats, and on SQLite nothing but integers."""
        word = self.column_word(table, column).lower()
        if self.dialect == "sqlite":
            return self.type_of(table, column) in (ValueType.INTEGER, ValueType.BOOLEAN) and "int" in word
        return not re.match(r"real|double|float", word)

    def padded(self, table: str, column: str) -> bool:
        """Whether the column is `char(n)` of PostgreSQL, which ignores trailing blanks where it compares."""
        return self.dialect == "postgres" and _PADDED.match(self.column_word(table, column).lower()) is not None

    def caseless(self, table: str, column: str) -> bool:
        """Whether the column is PostgreSQL's `citext`, whose functions also ignore case."""
        return self.column_word(table, column).lower().rpartition(".")[2] == "citext"

    def collation(self, table: str, column: str) -> str:
        """What holds texts of this column for equal that differ: a collation, or `citext`; empty if nothing does.

        For MySQL, plans compare texts by their letters, whatever the collation.
        """
        found = self.own_collation(table, column) if self.dialect != "mysql" else ""
        return found or ("citext" if self.caseless(table, column) else "")

    def required(self, table: str, column: str) -> bool:
        """Whether a column of the database never holds NULL."""
        return (table, self.fold(column)) in self._required

    def own_collation(self, table: str, column: str) -> str:
        """The column's collation, if it may hold texts for equal that differ."""
        return self._collations.get((table, self.fold(column)), "")

    def column_word(self, table: str, column: str) -> str:
        """The database's own word for a column's type; empty if there is no such column."""
        return self._words.get((table, self.fold(column)), "")


def _own_key(table: TableSchema) -> tuple[str, ...]:
    """The primary key, or another key that no NULL can be in."""
    return table.primary_key or next(_sure_keys(table), ())


def _sure_keys(table: TableSchema) -> Iterator[tuple[str, ...]]:
    nullable = {column.name for column in table.columns if column.nullable}
    yield from (key for key in table.unique if not nullable & set(key) and not table.is_view)
