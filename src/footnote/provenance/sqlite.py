"""The store in one SQLite file, for all processes of one machine; nothing to install beside Python.

A batch is one transaction: lock the file beside the log, BEGIN IMMEDIATE, read the tail by sequence, insert, commit.
The commit is on the disk before any receipt is given. If anything fails, the transaction is rolled back and the
connection is dropped, so that the next batch starts afresh.

Readers have connections of their own and read in pages, so that a long verification keeps no snapshot open. A log that
is opened for reading only creates nothing: a file without a write-ahead log has no writer and is read as it is, and read
again if a writer turns up meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from footnote.errors import FootnoteError, LogBroken, LogUnavailable, UsageError
from footnote.provenance import sqlite_file
from footnote.provenance import sqlite_rows as rows
from footnote.provenance.leaf import Sealed, timestamp
from footnote.provenance.lock import WriterLock
from footnote.provenance.reading import Reading
from footnote.provenance.store import Kept, Receipt, Store, Tail, follow, tail_of, utc_now
from footnote.provenance.tree import FAN_OUT

T = TypeVar("T")
_BEING_MADE = 2.0
"""Seconds to wait for a log that another process is making: its file is there before its tables are."""


@dataclass(slots=True)
class _Reader:
    """A reading connection; `stamp` is the file's state when it was opened as immutable, None if it sees writers."""

    connection: sqlite3.Connection
    stamp: tuple[int, int, bool] | None


class SqliteStore(Reading):
    """A log in one SQLite file; see `Store` for what the methods promise."""

    _rows = rows

    def __init__(self, path: Path, *, readonly: bool, timeout: float, clock: Callable[[], datetime]) -> None:
        self.path = path
        self._readonly = readonly
        self._timeout = timeout
        self._clock = clock
        self._lock = WriterLock(path.with_name(path.name + ".lock"))
        self._one_writer = threading.Lock()
        self._known: tuple[bytes, Tail] | None = None
        self._writer: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._idle: list[_Reader] = []
        self._idle_lock = threading.Lock()
        self.log = self._open()

    # --- writing ------------------------------------------------------------------------------------------------------

    def append(self, batch: Sequence[Sealed]) -> list[Receipt | FootnoteError]:
        """See `Store`."""
        return self._write(lambda writer: self._insert(writer, batch))

    def keep_checkpoint(self, kept: Kept) -> None:
        """See `Store`."""
        self._write(lambda writer: rows.insert_checkpoint(writer, kept))

    def erase(self, sealed: Sealed, paths: Mapping[int, Sequence[str]]) -> Receipt:
        """See `Store`."""

        def work(writer: sqlite3.Connection) -> Receipt:
            for sequence, names in paths.items():
                rows.erase(writer, sequence, names)
            return self._insert_one(writer, sealed)

        return self._write(work)

    def prune(self, sealed: Sealed, upto: int) -> Receipt:
        """See `Store`."""

        def work(writer: sqlite3.Connection) -> Receipt:
            receipt = self._insert_one(writer, sealed)
            rows.prune(writer, upto)
            return receipt

        return self._write(work)

    def scrub(self) -> bool:
        """See `Store`. What was destroyed is overwritten in its pages (`secure_delete`); the write-ahead log is emptied."""
        if self._readonly:
            raise LogUnavailable("The log was opened for reading only.", remedy="Open it for writing.")
        with self._one_writer, self._lock.held(self._timeout):
            try:
                return not self._writing().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except sqlite3.Error as error:
                self._drop_writer()
                raise sqlite_file.unavailable(error, self.path, "written") from error

    def _insert_one(self, writer: sqlite3.Connection, sealed: Sealed) -> Receipt:
        (outcome,) = self._insert(writer, [sealed])
        if isinstance(outcome, Receipt):
            return outcome
        raise outcome

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` returns, done in one transaction that is on the disk when this returns."""
        if self._readonly:
            raise LogUnavailable("The log was opened for reading only.", remedy="Open it for writing.")
        with self._one_writer, self._lock.held(self._timeout):
            try:
                writer = self._writing()
                writer.execute("BEGIN IMMEDIATE")
                outcome = work(writer)
                writer.execute("COMMIT")
            except sqlite3.IntegrityError as error:
                self._drop_writer()
                raise LogBroken(
                    "The log does not end where its records end, so nothing is appended.",
                    why="It holds parts of records that are gone.",
                    remedy="Verify the log.",
                ) from error
            except sqlite3.Error as error:
                self._drop_writer()
                raise sqlite_file.unavailable(error, self.path, "written") from error
            except BaseException:  # an interrupt too: what it had begun must be rolled back before anyone goes on
                self._drop_writer()
                raise
        return outcome

    def _insert(self, writer: sqlite3.Connection, batch: Sequence[Sealed]) -> list[Receipt | FootnoteError]:
        tail = tail_of(rows.last(writer), self._known)
        before = tail.sequence
        taken = rows.taken(writer, [sealed.id for sealed in batch])
        outcomes: list[Receipt | FootnoteError] = []
        leaves: list[tuple[object, ...]] = []
        payload: list[tuple[object, ...]] = []
        for sealed in batch:
            if sealed.id in taken:
                outcomes.append(
                    UsageError(f"The log has a record {sealed.id}.", remedy="Give every record an id of its own.")
                )
                continue
            taken.add(sealed.id)
            entry, tail = follow(tail, sealed, log=self.log, now=self._clock())
            self._known = (entry.leaf, tail)
            leaves.append((entry.sequence, entry.id, entry.kind, entry.leaf, bytes.fromhex(entry.hash)))
            payload += [(entry.sequence, part.section, part.position, part.salt, part.data) for part in entry.parts]
            outcomes.append(Receipt(entry.id, entry.sequence, entry.hash, tail.timestamp))
        rows.insert(writer, leaves, payload)
        if before // FAN_OUT != tail.sequence // FAN_OUT:
            rows.grow(writer, tail.sequence)
        return outcomes

    def _writing(self) -> sqlite3.Connection:
        """The writing connection, opened if there is none.

        Raises `LogUnavailable` if the log's file is no longer the one that was opened: what is written to a file that
        was removed is durable for nobody.
        """
        self._require_same_file("written")
        if self._writer is None:
            self._writer = sqlite_file.connect(self.path, timeout=self._timeout)
            if sqlite_file.recognise(self._writer, self.path) != self.log:
                raise self._replaced("written")
        return self._writer

    def _require_same_file(self, doing: str) -> None:
        if self._identity is not None and self._identity != self._file():
            raise self._replaced(doing)

    def _file(self) -> tuple[int, int] | None:
        """What tells the log's file from any other, also one that was put in its place; None if there is none."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _replaced(self, doing: str) -> LogUnavailable:
        return LogUnavailable(
            f"The log cannot be {doing}.",
            why="Its file was removed, or replaced by another, while it was in use.",
            remedy="Put the file back, or start again.",
            details={"path": str(self.path)},
        )

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with contextlib.suppress(sqlite3.Error):  # it failed already; closing it rolls back what it had begun
                writer.close()

    # --- reading ------------------------------------------------------------------------------------------------------

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        while True:
            reader = self._take()
            try:
                outcome = work(reader.connection)
            except sqlite3.Error as error:
                reader.connection.close()
                if reader.stamp is not None and reader.stamp != self._stamp():
                    continue  # a writer turned up; what it wrote is not damage
                raise sqlite_file.unavailable(error, self.path, "read") from error
            if reader.stamp is not None and reader.stamp != self._stamp():
                reader.connection.close()
                continue
            with self._idle_lock:
                self._idle.append(reader)
            return outcome

    def _take(self) -> _Reader:
        self._require_same_file("read")
        with self._idle_lock:
            if self._idle:
                return self._idle.pop()
        try:
            return self._new_reader()
        except sqlite3.Error as error:
            raise sqlite_file.unavailable(error, self.path, "read") from error

    def _new_reader(self) -> _Reader:
        if not self._readonly:
            connection = sqlite_file.connect(self.path, timeout=self._timeout)
            connection.execute("PRAGMA query_only = ON")
            return _Reader(connection, None)
        stamp = self._stamp()
        if stamp[2]:
            return _Reader(sqlite_file.connect(self.path, timeout=self._timeout, mode="ro"), None)
        return _Reader(sqlite_file.connect(self.path, timeout=self._timeout, mode="immutable"), stamp)

    def _stamp(self) -> tuple[int, int, bool]:
        """Time and size of the file, and whether it has a write-ahead log, which a writer keeps while it is open."""
        try:
            status = self.path.stat()
        except OSError:
            return 0, 0, False
        return status.st_mtime_ns, status.st_size, self.path.with_name(self.path.name + "-wal").exists()

    # --- opening and closing ------------------------------------------------------------------------------------------

    def _open(self) -> str:
        try:
            if self._readonly:
                return self._open_for_reading()
            sqlite_file.create_file(self.path)
            with self._lock.held(self._timeout), contextlib.closing(self._connect()) as connection:
                sqlite_file.prepare(connection, self.path, timestamp(self._clock()))
                self._identity = self._file()
                return sqlite_file.recognise(connection, self.path)
        except sqlite3.Error as error:
            raise _at_opening(sqlite_file.unavailable(error, self.path, "opened")) from error
        finally:
            self._lock.close()

    def _connect(self) -> sqlite3.Connection:
        return sqlite_file.connect(self.path, timeout=self._timeout)

    def _open_for_reading(self) -> str:
        if not self.path.is_file():
            raise LogUnavailable(
                f"There is no log {self.path}.",
                remedy="Name the file of a log (PROVENANCE_DB).",
                details={"path": str(self.path)},
            )
        if not os.access(self.path, os.R_OK):
            raise LogUnavailable(
                f"The log {self.path} may not be read.",
                remedy="Give read permission to the file.",
                details={"path": str(self.path)},
            )
        deadline = time.monotonic() + min(self._timeout, _BEING_MADE)
        while True:
            reader = self._new_reader()
            try:
                if not sqlite_file.is_empty(reader.connection):
                    return sqlite_file.recognise(reader.connection, self.path)
            finally:
                reader.connection.close()
            if time.monotonic() > deadline:
                raise LogUnavailable(
                    f"The log {self.path} is empty.",
                    why="Nothing was ever recorded in it.",
                    remedy="Name the file of a log (PROVENANCE_DB).",
                    details={"path": str(self.path)},
                )
            time.sleep(0.02)

    def opener(self) -> Callable[[], Store]:
        """See `Store`."""
        return partial(SqliteStore, self.path, readonly=True, timeout=self._timeout, clock=utc_now)

    def abandon(self) -> None:
        """See `Store`."""
        self._lock.close()
        held = [reader.connection for reader in self._idle] + ([self._writer] if self._writer else [])
        for connection in held:
            sqlite_file.leak(connection)
        self._writer, self._one_writer = None, threading.Lock()
        self._idle, self._idle_lock = [], threading.Lock()

    def close(self) -> None:
        """See `Store`."""
        self._drop_writer()
        with self._idle_lock:
            readers, self._idle = self._idle, []
        for reader in readers:
            reader.connection.close()
        self._lock.close()


def _at_opening(error: LogUnavailable) -> LogUnavailable:
    # Whoever opens a log named its file; whoever appends to it later may be far away and need not know where it lies.
    path = error.details["path"]
    return LogUnavailable(
        f"The log {path} cannot be opened.", why=error.why, remedy=error.remedy, details=error.details
    )
