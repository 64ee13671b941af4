"""What a source offers to the rest of Footnote, the same for every engine.

A `Source` hands out snapshots; all statements of one snapshot see one state of the database. A `Snapshot` and the
`Rows` it returns belong to one thread; a `Source` and a `Cancellation` may be used from many.
"""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain
from typing import Literal, Protocol

from footnote.errors import TooManyRows
from footnote.sources.cancellation import Cancellation
from footnote.sources.facts import Fact
from footnote.sources.indexed import Indexed
from footnote.sources.inventory import Listed
from footnote.sources.privileges import Privileges
from footnote.sources.query import Query, Value
from footnote.sources.statement import require_exact, require_query

Dialect = Literal["sqlite", "postgres", "mysql", "duckdb"]

BATCH = 2_000
"""Rows read at a time: enough to be fast, few enough that other threads are not kept waiting."""


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """A column as the database declares it.

    Attributes:
        name: Its name in the database's spelling.
        type: The database's own word, such as `numeric(12,2)`.
        nullable: Whether it may hold NULL.
        collation: Name of a collation that may hold texts for equal that differ; empty if equal means the same text.
    """

    name: str
    type: str
    nullable: bool
    collation: str = ""


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table or view as the database has it.

    Attributes:
        schema: The schema it lies in (`main` on SQLite; the database on MariaDB and MySQL).
        name: Its name in the database's spelling.
        columns: Its columns in order.
        primary_key: The columns of its primary key in key order; empty without one (views never have one).
        unique: Every other key that the database enforces, in name order. Columns of it may be nullable.
        is_view: Whether it is a view, materialized or not.
        place: The file, and the sheet, that it was read from; empty for a table of a database.
    """

    schema: str
    name: str
    columns: tuple[ColumnSchema, ...]
    primary_key: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...]
    is_view: bool
    place: str = ""


class Rows:
    """The rows of one query, read in batches as they are asked for, and only once."""

    def __init__(self, batches: Iterator[list[tuple[Value, ...]]]) -> None:
        self._batches = batches
        self._started = False
        self._given_up = False
        self._next = next(batches, None)  # here, so that a statement that fails does so in `Snapshot.run`

    def batches(self) -> Iterator[list[tuple[Value, ...]]]:
        """The rows in lists of at most `BATCH`.

        Raises:
            RuntimeError: They were asked for before; or another statement of the snapshot ran, or the snapshot ended,
                before all were read. Rows are never left out in silence.
            FootnoteError: As `Snapshot.run`.
        """
        if self._started:
            raise RuntimeError("the rows of a query can be read only once")
        self._started = True
        return self._read()

    def _read(self) -> Iterator[list[tuple[Value, ...]]]:
        while True:
            if self._given_up:
                raise RuntimeError("the rows were given up: another statement ran, or the snapshot ended")
            if self._next is None:
                return
            yield self._next
            if not self._given_up:
                self._next = next(self._batches, None)

    def __iter__(self) -> Iterator[tuple[Value, ...]]:
        return chain.from_iterable(self.batches())

    def all(self, limit: int | None = None) -> list[tuple[Value, ...]]:
        """Every row. There is no silent cut: more than `limit` is an error.

        Raises:
            TooManyRows: There are more than `limit`.
        """
        rows: list[tuple[Value, ...]] = []
        for batch in self.batches():
            rows += batch
            if limit is not None and len(rows) > limit:
                self.close()
                raise TooManyRows(
                    f"The source returned more than {limit} rows.",
                    remedy="Narrow the question: a shorter period, one customer, one company.",
                )
        return rows

    def close(self) -> None:
        """Give up the rows not read yet."""
        self._given_up = True
        close = getattr(self._batches, "close", None)
        if close is not None:
            close()


class Snapshot(Protocol):
    """One state of the database."""

    @property
    def taken_at(self) -> dt.datetime:
        """When the state was taken, with time zone: by the server's clock, for a file by this machine's."""

    def run(self, query: Query) -> Rows:
        """Run a query; its first rows have been read when this returns. Ends the `Rows` of the query before.

        Raises:
            SourceTimeout: It was slower than the source's limit.
            Cancelled: The caller withdrew.
            SourceChanged: A table or column is missing, or has another type than the statement needs.
            SourceUnavailable: The connection was lost, permission is missing, or the engine failed.
            ValueUnreadable: A value cannot be read exactly as its column's type.
            StatementRefused: It is not one SELECT, or it would write.
            ArgumentError: A parameter is not exact.
        """


class OneStatementAtATime(ABC):
    """What snapshots of all engines share: one statement at a time, and none once the snapshot has ended."""

    def __init__(self) -> None:
        self._rows: Rows | None = None
        self._ended = False

    def run(self, query: Query) -> Rows:
        """Run a query; see `Snapshot.run`."""
        if self._ended:
            raise RuntimeError("the snapshot has ended")
        if self._rows is not None:
            self._rows.close()
        require_query(query.sql)
        require_exact(query.parameters)
        self._rows = Rows(self._batches(query))
        return self._rows

    @abstractmethod
    def _batches(self, query: Query) -> Iterator[list[tuple[Value, ...]]]:
        """The rows of a query, which runs when the first batch is asked for."""

    def end(self) -> None:
        """Give up what was not read."""
        self._ended = True
        if self._rows is not None:
            self._rows.close()


class Source(Protocol):
    """A connection to a system of record, read-only."""

    @property
    def dialect(self) -> Dialect:
        """The SQL it speaks."""

    @property
    def name(self) -> str:
        """Its URL without password or options."""

    def snapshot(self, cancel: Cancellation | None = None) -> AbstractContextManager[Snapshot]:
        """One state of the database, held until the block ends.

        Raises:
            SourceUnavailable: It cannot be reached or read.
            SourceTimeout: It is locked, or all its connections are busy, for longer than the limit.
            Cancelled: The caller withdrew.
        """

    def tables(self, names: Iterable[str]) -> dict[str, TableSchema]:
        """The schema of the named tables and views, by the name asked for; what does not exist is left out.

        A name is `table` or `schema.table`. It is looked up as spelled, and if that is not found, as the engine would
        read it unquoted (PostgreSQL: in lower case; the others: in any case).

        Raises:
            SourceUnavailable, SourceTimeout: As `snapshot`.
        """

    def listed(self) -> tuple[Listed, ...]:
        """Every table that can be read, in the order of schema and name; not views, and not the engine's own.

        Raises:
            SourceUnavailable, SourceTimeout: As `snapshot`.
        """

    def facts(self) -> tuple[Fact, ...]:
        """What an operator should know of the source, beside its schema and the login's rights.

        Raises:
            SourceUnavailable, SourceTimeout: As `snapshot`.
        """

    def indexes(self, names: Iterable[str]) -> Mapping[str, Indexed] | None:
        """How the named tables can be found in, by the name asked for; None if the engine reads columns and needs none.

        Raises:
            SourceUnavailable, SourceTimeout: As `snapshot`.
        """

    def privileges(self) -> Privileges:
        """What the login could write, and what the engine cannot tell or enforce.

        Raises:
            SourceUnavailable, SourceTimeout: As `snapshot`.
        """

    def close(self) -> None:
        """Close all connections; a snapshot that is open keeps its own until it ends."""
