"""DuckDB files, read-only.

The file is attached READ_ONLY to a database in memory, without access to anything else (`enable_external_access`), without
extensions, and with the configuration locked, so no statement can change that. DuckDB runs as many statements as a text holds; here a text
must be one, and of the kind SELECT. Nothing is written beside the file either: what does not fit into memory is an error.

While DuckDB has a file open, nobody else can write it. So the file is closed when no snapshot was open for a second, and
a file that another program writes is waited for. While it is open it cannot change: a snapshot is one state of it.

The time limit counts the time DuckDB works, not the time its caller thinks.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from zoneinfo import ZoneInfo

from footnote.errors import ArgumentError, StatementRefused, UsageError
from footnote.sources.cancellation import Cancellation
from footnote.sources.duckdb_values import Reader
from footnote.sources.facts import Fact
from footnote.sources.inventory import Listed
from footnote.sources.pool import LIMIT, Pool
from footnote.sources.privileges import Privileges, file_privileges
from footnote.sources.query import Parameter, Query, Value
from footnote.sources.source import BATCH, OneStatementAtATime, TableSchema
from footnote.sources.values import read_batch

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
CONFIG = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",  # else a table's name may mean a variable of this program
    "temp_directory": "",
}
_NAME = '"footnote source"'
"""What the file is called inside DuckDB: by its own name, `erp.duckdb`, it could be taken for a schema `erp`."""
_LOCKED = ("SET enable_external_access = false", "SET lock_configuration = true")
_IDLE = 1.0
"""Seconds without a snapshot after which the file is closed."""
_AGAIN_AFTER = 0.05
_MOST_DIGITS = 38


class DuckdbSource:
    """A DuckDB database file.

    Args:
        path: The file; made absolute here, so that a later change of folder does not change the source.
        timeout: Seconds a statement may take, and to wait for a lock or a free connection.
        time_zone: The zone in which timestamps with a zone are given.
        limit: How many snapshots may be open at once.
    """

    dialect: Literal["duckdb"] = "duckdb"

    def __init__(self, path: Path, *, timeout: float, time_zone: str = "UTC", limit: int = LIMIT) -> None:
        self._path = path.absolute()
        self._file = _File(self._path, timeout)
        self._timeout = timeout
        self._zone = ZoneInfo(time_zone)
        self._pool = Pool(_Permit, limit=limit, patience=timeout)
        self.name = f"duckdb:///{self._path}"

    @contextlib.contextmanager
    def snapshot(self, cancel: Cancellation | None = None) -> Iterator[DuckdbSnapshot]:
        """One state of the file, held until the block ends; see `Source.snapshot`."""
        cancel = cancel or Cancellation()
        permit = self._pool.take(cancel)
        try:
            with self._file.connection(cancel) as raw:
                snapshot = DuckdbSnapshot(raw, self._timeout, self._zone, cancel)
                try:
                    yield snapshot
                finally:
                    snapshot.end()
        finally:
            self._pool.discard(permit)

    def tables(self, names: Iterable[str]) -> dict[str, TableSchema]:
        """The schema of the named tables and views; see `Source.tables`."""
        from footnote.sources import duckdb_schema

        return self._read(lambda raw: duckdb_schema.tables(raw, names))

    def listed(self) -> tuple[Listed, ...]:
        """Every table that can be read; see `Source.listed`."""
        from footnote.sources import duckdb_schema

        return self._read(duckdb_schema.listed)

    def facts(self) -> tuple[Fact, ...]:
        """Nothing of the kind; see `Source.facts`."""
        return ()

    def indexes(self, names: Iterable[str]) -> None:
        """DuckDB reads the columns it needs, with the bounds of each block; see `Source.indexes`."""

    def privileges(self) -> Privileges:
        """What the file's permissions allow whoever runs Footnote; see `Source.privileges`."""
        return file_privileges(self._path)

    def _read(self, read: Callable[[DuckDBPyConnection], T]) -> T:
        """What `read` finds in the system tables, in a snapshot of its own."""
        from footnote.sources.duckdb_errors import explain

        with self.snapshot() as snapshot, explain(self._timeout, Cancellation()):
            return read(snapshot.raw)

    def close(self) -> None:
        """Close the file, once the snapshots that are open have ended."""
        self._pool.close()
        self._file.close()


class _Permit:
    """What the pool hands out: the right to have a snapshot. Connections cost next to nothing; opening the file does."""

    def usable(self) -> bool:
        return True

    def close(self) -> None:
        pass


class _File:
    """The open file, shared by all snapshots; open while there is one, and for `_IDLE` seconds after."""

    def __init__(self, path: Path, timeout: float) -> None:
        self._path = path
        self._timeout = timeout
        self._lock = threading.Lock()
        self._open: DuckDBPyConnection | None = None
        self._identity: tuple[int, int] = (0, 0)
        self._users = 0
        self._closing: threading.Timer | None = None

    @contextlib.contextmanager
    def connection(self, cancel: Cancellation) -> Iterator[DuckDBPyConnection]:
        """A connection of one snapshot.

        Raises:
            SourceTimeout: Another program wrote the file for longer than the time limit.
            SourceUnavailable: It is missing, not a database, or may not be read.
            Cancelled: The caller withdrew.
        """
        raw = self._taken(cancel)
        try:
            yield raw
        finally:
            raw.close()
            self._given_back()

    def _taken(self, cancel: Cancellation) -> DuckDBPyConnection:
        from footnote.sources.duckdb_errors import cannot_open, is_locked, locked

        end = time.monotonic() + self._timeout
        while True:
            cancel.check()
            try:
                return self._cursor()
            except driver().Error as error:
                if not is_locked(error):
                    raise cannot_open(self._path, error) from None
                if time.monotonic() > end:
                    raise locked(self._timeout) from None
            time.sleep(_AGAIN_AFTER)

    def _cursor(self) -> DuckDBPyConnection:
        with self._lock:
            if self._closing is not None:
                self._closing.cancel()
                self._closing = None
            if self._open is not None and not self._users and self._found() != self._identity:
                self._close()  # another file was put in its place
            if self._open is None:
                self._identity = self._found()
                self._open = _opened(self._path)
            cursor = _another(self._open)
            self._users += 1
            return cursor

    def _found(self) -> tuple[int, int]:
        try:
            stat = self._path.stat()
        except OSError:  # opening it says what is wrong
            return (0, 0)
        return (stat.st_dev, stat.st_ino)

    def _given_back(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._closing = threading.Timer(_IDLE, self.close)
                self._closing.daemon = True
                self._closing.start()

    def close(self) -> None:
        """Close the file, unless a snapshot is open."""
        with self._lock:
            if not self._users:
                self._close()

    def _close(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        if self._open is not None:
            self._open.close()
            self._open = None


def _opened(path: Path) -> DuckDBPyConnection:
    raw: DuckDBPyConnection = driver().connect(":memory:", config=CONFIG)
    try:
        raw.execute(f"ATTACH {_text(str(path))} AS {_NAME} (READ_ONLY, TYPE duckdb)")
        for setting in _LOCKED:
            raw.execute(setting)
    except driver().Error:
        raw.close()
        raise
    return raw


def _another(raw: DuckDBPyConnection) -> DuckDBPyConnection:
    """Another connection to the same file."""
    cursor = raw.cursor()
    cursor.execute(f"USE {_NAME}")
    return cursor


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


class DuckdbSnapshot(OneStatementAtATime):
    """One state of the file; see `Snapshot`."""

    def __init__(self, raw: DuckDBPyConnection, timeout: float, zone: ZoneInfo, cancel: Cancellation) -> None:
        super().__init__()
        self.raw = raw
        self.taken_at = dt.datetime.now(dt.UTC)
        self._timeout = timeout
        self._zone = zone
        self._cancel = cancel

    def _batches(self, query: Query) -> Iterator[list[tuple[Value, ...]]]:
        from footnote.sources.duckdb_errors import explain
        from footnote.sources.refusals import too_slow

        parameters = bound(query.parameters)
        left = self._timeout
        reader: Reader | None = None
        while True:
            started = time.monotonic()
            if left <= 0:
                raise too_slow(self._timeout)
            with explain(self._timeout, self._cancel), self._within(left):
                if reader is None:
                    self._require_select(query.sql)
                    self.raw.execute(query.sql, parameters)
                    reader = Reader(self.raw, lambda: _another(self.raw), query.sql, parameters, self._zone)
                batch = reader.read(self.raw.fetchmany(BATCH))
            left -= time.monotonic() - started
            if batch:
                yield read_batch(batch, query.columns)
            if len(batch) < BATCH:
                return

    @contextlib.contextmanager
    def _within(self, seconds: float) -> Iterator[None]:
        """Interrupt what runs in this block when its time is over, or its caller withdraws."""
        watch = threading.Timer(seconds, self.raw.interrupt)
        watch.daemon = True
        with self._cancel.interrupting(self.raw.interrupt):
            watch.start()
            try:
                yield
            finally:
                watch.cancel()

    def _require_select(self, sql: str) -> None:
        duckdb = driver()
        statements = self.raw.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise StatementRefused(
                "The source refused a statement.",
                why="DuckDB does not read it as one SELECT.",
                remedy="A source is only ever read: write it as one SELECT.",
            )


def driver() -> Any:
    """The package `duckdb`.

    Raises:
        UsageError: It is not installed.
    """
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "The driver for DuckDB is not installed.",
            remedy="Install it with: pip install 'footnote-provenance[duckdb]'.",
        ) from None
    return duckdb


def bound(parameters: Mapping[str, Parameter]) -> dict[str, Parameter]:
    """Parameters as DuckDB takes them.

    Raises:
        ArgumentError: A decimal of more digits than a DECIMAL has, which DuckDB would make a float of.
    """
    for name, value in parameters.items():
        if isinstance(value, Decimal) and not _fits(value):
            raise ArgumentError(
                f"The value for {name!r} cannot be sent to the source.",
                why=f"It has more digits than DuckDB computes with exactly ({_MOST_DIGITS}).",
            )
    return dict(parameters)


def _fits(value: Decimal) -> bool:
    """Whether it has at most 38 digits, among them all after the point."""
    digits, exponent = len(value.as_tuple().digits), int(value.as_tuple().exponent)
    return max(digits + max(exponent, 0), -exponent) <= _MOST_DIGITS
