"""SQLite files, read-only.

Nothing can be written through a connection made here: the file is opened `mode=ro`, `query_only` is on, and an
authorizer allows reading and nothing else: no ATTACH, no pragma, no transaction command, no function that reaches a
file. A file in WAL mode is read while others write to it; SQLite then keeps its `-shm` and `-wal` files beside it,
which is how readers and writers agree, and never touches the database itself.

A WAL file in a folder that may not be written can only be read as `immutable`, without locks. That is done only when
no `-wal` file exists, each snapshot then opens the file anew, and a file that changed meanwhile is an error.

The time limit counts the time SQLite works, not the time its caller thinks.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import quote
from zoneinfo import ZoneInfo

from footnote.errors import ArgumentError, SourceUnavailable
from footnote.sources import sqlite_schema
from footnote.sources.cancellation import Cancellation
from footnote.sources.facts import Fact
from footnote.sources.indexed import Indexed
from footnote.sources.inventory import Listed
from footnote.sources.pool import LIMIT, Pool
from footnote.sources.privileges import Privileges, file_privileges
from footnote.sources.query import Parameter, Query, Value
from footnote.sources.source import BATCH, OneStatementAtATime, TableSchema
from footnote.sources.sqlite_errors import cannot_open, explain, is_locked, locked, may
from footnote.sources.sqlite_guard import Guard
from footnote.sources.values import read_batch

T = TypeVar("T")
_LOOK_EVERY = 5_000
"""Steps of SQLite's machine between looks at the clock and the cancellation; a tenth of a millisecond or so."""
_WAIT_FOR_LOCK = 0.02
"""Seconds SQLite waits by itself; in between Footnote looks at the clock and the cancellation."""
# Prepared statements are kept by their text: with a text of their own, these two are not there for anybody else.
_BEGIN, _ROLLBACK = "BEGIN /* footnote */", "ROLLBACK /* footnote */"
_PIN = "SELECT 1 FROM sqlite_master LIMIT 1"
_TABLE_FUNCTIONS = (
    "json_each('[]')",
    "json_tree('[]')",
    "pragma_table_xinfo('')",
    "pragma_index_list('')",
    "pragma_index_xinfo('')",
    "pragma_foreign_key_list('')",
)
_LIMITS = (
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_LENGTH, 256 * 1024 * 1024),  # of one value: zeroblob(1e9) is not a question
)
_QUOTED_AS_TEXT: int | None = getattr(sqlite3, "SQLITE_DBCONFIG_DQS_DML", None)
"""From Python 3.12 on it can be forbidden that a misspelt "column" counts as a text."""
_SETTINGS = ("PRAGMA query_only = ON", "PRAGMA trusted_schema = OFF")


class SqliteSource:
    """A SQLite database file.

    Args:
        path: The file; made absolute here, so that a later change of folder does not change the source.
        timeout: Seconds a statement may take, and to wait for a lock or a free connection.
        time_zone: Where a parameter with a zone is moved to, since SQLite's texts have none.
        limit: How many snapshots may be open at once.
    """

    dialect: Literal["sqlite"] = "sqlite"

    def __init__(self, path: Path, *, timeout: float, time_zone: str = "UTC", limit: int = LIMIT) -> None:
        self._path = path.absolute()
        self._timeout = timeout
        self._zone = ZoneInfo(time_zone)
        self._pool = Pool(lambda: _Connection(self._path, timeout), limit=limit, patience=timeout)
        self.name = f"sqlite:///{self._path}"

    @contextlib.contextmanager
    def snapshot(self, cancel: Cancellation | None = None) -> Iterator[SqliteSnapshot]:
        """One state of the file, held until the block ends; see `Source.snapshot`."""
        cancel = cancel or Cancellation()
        connection = self._pool.take(cancel)
        healthy = False
        try:
            with connection.watched(cancel):
                connection.begin(cancel)
                snapshot = SqliteSnapshot(connection, self._timeout, self._zone)
                try:
                    yield snapshot
                finally:
                    snapshot.end()
                    healthy = connection.rollback()
        finally:
            (self._pool.give_back if healthy and not connection.immutable else self._pool.discard)(connection)

    def tables(self, names: Iterable[str]) -> dict[str, TableSchema]:
        """The schema of the named tables and views; see `Source.tables`."""
        return self._read(lambda raw: sqlite_schema.tables(raw, names))

    def listed(self) -> tuple[Listed, ...]:
        """Every table that can be read; see `Source.listed`."""
        return self._read(sqlite_schema.listed)

    def facts(self) -> tuple[Fact, ...]:
        """Nothing of the kind; see `Source.facts`."""
        return ()

    def indexes(self, names: Iterable[str]) -> dict[str, Indexed]:
        """The indexes of the named tables; see `Source.indexes`."""
        return self._read(lambda raw: sqlite_schema.indexes(raw, names))

    def privileges(self) -> Privileges:
        """What the file's permissions allow whoever runs Footnote; see `Source.privileges`."""
        return file_privileges(self._path)

    def _read(self, read: Callable[[sqlite3.Connection], T]) -> T:
        """What `read` finds in the system tables, in a snapshot of its own."""
        with self.snapshot() as snapshot, explain(self._timeout, Cancellation()):
            return read(snapshot.connection.raw)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Connection:
    """A guarded connection; used by one thread at a time."""

    def __init__(self, path: Path, timeout: float) -> None:
        self._path = path
        self._timeout = timeout
        self.cancel = Cancellation()
        self.deadline = float("inf")
        self.guard = Guard()
        self.immutable = False
        self._identity = _identity(path)
        self.raw = self._open()

    def _open(self) -> sqlite3.Connection:
        location = "file:" + quote(os.fsencode(self._path)) + "?mode=ro" + ("&immutable=1" if self.immutable else "")
        try:
            raw = sqlite3.connect(
                location, uri=True, isolation_level=None, check_same_thread=False, timeout=_WAIT_FOR_LOCK
            )
        except sqlite3.Error as error:
            raise cannot_open(self._path, error) from None
        for limit, value in _LIMITS:
            raw.setlimit(limit, value)
        if hasattr(raw, "enable_load_extension"):  # else this build cannot load any
            raw.enable_load_extension(False)
        if _QUOTED_AS_TEXT is not None:
            setconfig: Callable[[int, bool], None] = getattr(raw, "setconfig")  # noqa: B009 (not there in 3.11)
            setconfig(_QUOTED_AS_TEXT, False)
        for setting in _SETTINGS:
            raw.execute(setting)
        raw.set_progress_handler(self._must_stop, _LOOK_EVERY)
        self._guarded = False
        return raw

    def _set_guard(self) -> None:
        """Set the authorizer, in the first transaction, before anything but Footnote's own statements has run.

        Table functions are known to a connection from their first use on. That use looks like an UPDATE of the schema
        to an authorizer, so they are used once before.
        """
        for function in _TABLE_FUNCTIONS:
            with contextlib.suppress(sqlite3.OperationalError):  # a build without it
                self.raw.execute(f"SELECT 1 FROM {function}").fetchall()  # noqa: S608 (our own constants)
        self.raw.set_authorizer(self.guard)
        self._guarded = True

    def _must_stop(self) -> bool:
        return self.cancel.cancelled or time.monotonic() > self.deadline

    @contextlib.contextmanager
    def watched(self, cancel: Cancellation) -> Iterator[None]:
        """Stop what runs in this block when `cancel` says so."""
        self.cancel = cancel
        try:
            yield
        finally:
            self.cancel = Cancellation()

    def begin(self, cancel: Cancellation) -> None:
        """Begin a transaction and pin its state by a first read, waiting for a writer that locks the file.

        Raises:
            SourceTimeout: It stayed locked for the time limit.
            SourceUnavailable: It is missing, not a database, or may not be read.
            Cancelled: The caller withdrew.
        """
        end = time.monotonic() + self._timeout
        while True:
            cancel.check()
            try:
                with self.guard.own_commands():
                    self.raw.execute(_BEGIN)
                    self.raw.execute(_PIN).fetchall()
                    if not self._guarded:
                        self._set_guard()
                return
            except sqlite3.Error as error:
                self.rollback()
                cancel.check()  # the error may be the caller's own doing
                if is_locked(error):
                    if time.monotonic() > end:
                        raise locked(self._timeout) from None
                elif not self.immutable and _only_immutable_helps(self._path):
                    self.raw.close()
                    self.immutable = True
                    self.raw = self._open()
                else:
                    raise cannot_open(self._path, error) from None

    def rollback(self) -> bool:
        """End the transaction; whether the connection is as it was before."""
        self.deadline = float("inf")
        try:
            with self.guard.own_commands():
                if self.raw.in_transaction:
                    self.raw.execute(_ROLLBACK)
        except sqlite3.Error:
            return False
        return True

    def check_unchanged(self) -> None:
        """Check, for a file read without locks, that nobody wrote it.

        Raises:
            SourceUnavailable: Somebody did.
        """
        if self.immutable and (_identity(self._path) != self._identity or _has_wal(self._path)):
            raise SourceUnavailable(
                "The source was changed while it was read.",
                why="Its folder may not be written, so it was read without locks.",
                remedy="Ask again; or give Footnote's user write permission on the folder, or the file in another "
                "journal mode than WAL.",
            )

    def usable(self) -> bool:
        """Whether the path still leads to the file that was opened (a copy may have been put in its place)."""
        return _identity(self._path)[:2] == self._identity[:2]

    def close(self) -> None:
        """Close it."""
        with contextlib.suppress(sqlite3.Error):
            self.raw.close()


class SqliteSnapshot(OneStatementAtATime):
    """One state of the file; see `Snapshot`."""

    def __init__(self, connection: _Connection, timeout: float, zone: ZoneInfo) -> None:
        super().__init__()
        self.connection = connection
        self.taken_at = dt.datetime.now(dt.UTC)
        self._timeout = timeout
        self._zone = zone

    def _batches(self, query: Query) -> Iterator[list[tuple[Value, ...]]]:
        connection, left = self.connection, self._timeout
        parameters = bound(query.parameters, self._zone)
        cursor = connection.raw.cursor()
        try:
            begun = False
            while True:
                started = time.monotonic()
                connection.deadline = started + left
                with explain(self._timeout, connection.cancel, connection.guard):
                    connection.cancel.check()
                    if not begun:
                        connection.guard.denied = ""
                        cursor.execute(query.sql, parameters)
                        begun = True
                    batch = cursor.fetchmany(BATCH)
                left -= time.monotonic() - started
                connection.check_unchanged()
                if not batch:
                    return
                yield read_batch(batch, query.columns)
        finally:
            cursor.close()


def bound(parameters: Mapping[str, Parameter], zone: ZoneInfo) -> dict[str, Any]:
    """Parameters as SQLite takes them: dates and timestamps as ISO 8601 texts, a decimal as the number it equals.

    Raises:
        ArgumentError: A decimal of more than 15 digits or beyond 64 bits, which SQLite can only compare rounded.
    """
    return {name: _bound(name, value, zone) for name, value in parameters.items()}


def _bound(name: str, value: Parameter, zone: ZoneInfo) -> Any:
    if isinstance(value, Decimal):
        return _number(name, value)
    if isinstance(value, dt.datetime):
        local = value.astimezone(zone).replace(tzinfo=None) if value.tzinfo else value
        return local.isoformat(sep=" ")
    if isinstance(value, dt.date):
        return value.isoformat()
    return value


def _number(name: str, value: Decimal) -> int | float:
    if value == value.to_integral_value() and abs(value) < 2**63:
        return int(value)
    digits = "".join(map(str, value.as_tuple().digits)).strip("0")
    if len(digits) > 15 or abs(value) >= 2**63:
        raise ArgumentError(
            f"The value for {name!r} cannot be sent to the source.",
            why="It has more digits than SQLite compares exactly (15, or a 64-bit integer).",
        )
    return float(value)


def _identity(path: Path) -> tuple[int, ...]:
    try:
        stat = path.stat()
    except OSError:  # opening it says what is wrong
        return ()
    return (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)


def _has_wal(path: Path) -> bool:
    return Path(f"{path}-wal").exists()


def _only_immutable_helps(path: Path) -> bool:
    try:
        return may(path, os.R_OK) and path.is_file() and not may(path.parent, os.W_OK) and not _has_wal(path)
    except OSError:  # a folder on the way may not be entered
        return False
