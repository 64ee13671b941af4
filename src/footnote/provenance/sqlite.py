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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from footnote.errors import FootnoteError, LogBroken, LogUnavailable, UsageError
from footnote.provenance import sqlite_file
from footnote.provenance.leaf import Part, Sealed, timestamp
from footnote.provenance.lock import WriterLock
from footnote.provenance.store import Entry, Receipt, follow, tail_of

T = TypeVar("T")

PAGE: Final = 256
"""Most records read at once."""

PAGE_PARTS: Final = 10_000
"""Parts read at once, but for those of the record that goes beyond: a record may have many rows of evidence."""

ROWS_AT_ONCE: Final = (128, 16, 4, 1)
"""Rows of five values in one INSERT; SQLite before 3.32 binds at most 999 values."""

# Whatever type a changed file has in these columns, it is bytes that are compared.
_LEAVES: Final = "SELECT sequence, id, kind, CAST(leaf AS BLOB), CAST(hash AS BLOB) FROM leaves"
_PARTS: Final = (
    "SELECT sequence, section, CAST(position AS INTEGER), CAST(salt AS BLOB), CAST(data AS BLOB),"
    " CAST(commitment AS BLOB) FROM payload"
)
_IDS: Final = "SELECT id FROM leaves"
_INSERT_LEAVES: Final = "INSERT INTO leaves (sequence, id, kind, leaf, hash) VALUES"
_INSERT_PARTS: Final = "INSERT INTO payload (sequence, section, position, salt, data) VALUES"
_ORPHAN: Final = (
    "SELECT min(sequence) FROM payload WHERE sequence > ?"
    " AND NOT EXISTS (SELECT 1 FROM leaves WHERE leaves.sequence = payload.sequence)"
)


@dataclass(slots=True)
class _Reader:
    """A reading connection; `stamp` is the file's state when it was opened as immutable, None if it sees writers."""

    connection: sqlite3.Connection
    stamp: tuple[int, int, bool] | None


class SqliteStore:
    """A log in one SQLite file; see `Store` for what the methods promise."""

    def __init__(self, path: Path, *, readonly: bool, timeout: float, clock: Callable[[], datetime]) -> None:
        self.path = path
        self._readonly = readonly
        self._timeout = timeout
        self._clock = clock
        self._lock = WriterLock(path.with_name(path.name + ".lock"))
        self._writer: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._idle: list[_Reader] = []
        self._idle_lock = threading.Lock()
        self.log = self._open()

    # --- writing ------------------------------------------------------------------------------------------------------

    def append(self, batch: Sequence[Sealed]) -> list[Receipt | FootnoteError]:
        """See `Store`."""
        with self._lock.held(self._timeout):
            try:
                writer = self._writing()
                writer.execute("BEGIN IMMEDIATE")
                outcomes = self._insert(writer, batch)
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
            except BaseException:
                self._drop_writer()
                raise
        return outcomes

    def _insert(self, writer: sqlite3.Connection, batch: Sequence[Sealed]) -> list[Receipt | FootnoteError]:
        tail = tail_of(_last(writer))
        taken = _taken(writer, [sealed.id for sealed in batch])
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
            leaves.append((entry.sequence, entry.id, entry.kind, entry.leaf, bytes.fromhex(entry.hash)))
            payload += [(entry.sequence, part.section, part.position, part.salt, part.data) for part in entry.parts]
            outcomes.append(Receipt(entry.id, entry.sequence, entry.hash, tail.timestamp))
        _insert_rows(writer, _INSERT_LEAVES, leaves)
        _insert_rows(writer, _INSERT_PARTS, payload)
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

    def tail(self) -> Entry | None:
        """See `Store`."""
        return self._read(_last)

    def entries(
        self, after: int = 0, upto: int | None = None, kinds: Sequence[str] | None = None, *, parts: bool = True
    ) -> Iterator[Entry]:
        """See `Store`. Parts that belong to no record come as an entry without a leaf, where it would stand."""
        last = upto
        if last is None:
            tail = self.tail()
            last = tail.sequence if tail else 0
        while after < last:
            page, after = self._read(partial(_page, after=after, upto=last, kinds=kinds, with_parts=parts))
            yield from page

    def find(self, prefix: str, limit: int) -> list[Entry]:
        """See `Store`."""
        return self._read(lambda connection: _found(connection, prefix, limit))

    def orphan(self, after: int) -> int | None:
        """See `Store`."""
        return self._read(partial(_orphan, after=after))

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
        reader = self._new_reader()
        try:
            return sqlite_file.recognise(reader.connection, self.path)
        finally:
            reader.connection.close()

    def abandon(self) -> None:
        """See `Store`."""
        self._lock.close()
        held = [reader.connection for reader in self._idle] + ([self._writer] if self._writer else [])
        for connection in held:
            sqlite_file.leak(connection)
        self._writer, self._idle, self._idle_lock = None, [], threading.Lock()

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


def _last(connection: sqlite3.Connection) -> Entry | None:
    row = connection.execute(f"{_LEAVES} ORDER BY sequence DESC LIMIT 1").fetchone()
    return _entry(row, ()) if row else None


def _orphan(connection: sqlite3.Connection, after: int) -> int | None:
    sequence: int | None = connection.execute(_ORPHAN, (after,)).fetchone()[0]
    return sequence


def _taken(connection: sqlite3.Connection, ids: Sequence[str]) -> set[str]:
    marks = ", ".join("?" * len(ids))
    return {row[0] for row in connection.execute(f"{_IDS} WHERE id IN ({marks})", ids)}


def _insert_rows(connection: sqlite3.Connection, insert: str, rows: Sequence[tuple[object, ...]]) -> None:
    # Many rows a statement: each statement gives up the interpreter's lock and waits to get it back.
    for size in ROWS_AT_ONCE:
        while len(rows) >= size:
            marks = ", ".join(["(?, ?, ?, ?, ?)"] * size)
            connection.execute(f"{insert} {marks}", [value for row in rows[:size] for value in row])
            rows = rows[size:]


def _found(connection: sqlite3.Connection, prefix: str, limit: int) -> list[Entry]:
    rows = connection.execute(
        f"{_LEAVES} WHERE id >= ? AND id < ? ORDER BY sequence LIMIT ?", (prefix, prefix + "~", limit)
    ).fetchall()
    return [_entry(row, _parts(connection, row[0], row[0])[0].get(row[0], ())) for row in rows]


def _page(
    connection: sqlite3.Connection, after: int, upto: int, kinds: Sequence[str] | None, *, with_parts: bool
) -> tuple[list[Entry], int]:
    """Up to `PAGE` records behind `after`, and the sequence behind which the next page starts."""
    only = f"AND kind IN ({', '.join('?' * len(kinds))})" if kinds is not None else ""
    rows = connection.execute(
        f"{_LEAVES} WHERE sequence > ? AND sequence <= ? {only} ORDER BY sequence LIMIT {PAGE}",
        (after, upto, *(kinds or ())),
    ).fetchall()
    end = rows[-1][0] if len(rows) == PAGE else upto
    if not with_parts:
        return [_entry(row, ()) for row in rows], end
    if kinds is None:
        parts, end = _parts(connection, after + 1, end)
    else:
        parts = {}
        for row in rows:
            parts |= _parts(connection, row[0], row[0])[0]
            if sum(map(len, parts.values())) >= PAGE_PARTS:
                end = row[0]
                break
    entries = [_entry(row, parts.pop(row[0], ())) for row in rows if row[0] <= end]
    if parts:  # there is no record that they belong to
        entries += [Entry(sequence, "", "", b"", "", tuple(orphans)) for sequence, orphans in parts.items()]
        entries.sort(key=lambda entry: entry.sequence)
    return entries, end


def _parts(connection: sqlite3.Connection, first: int, last: int) -> tuple[dict[int, list[Part]], int]:
    """The parts of records `first` to `last`, or to where there are enough; and that record's sequence."""
    found: dict[int, list[Part]] = {}
    rows = connection.execute(
        f"{_PARTS} WHERE sequence BETWEEN ? AND ? ORDER BY sequence, section, position", (first, last)
    )
    current = first
    for count, (sequence, *part) in enumerate(rows):
        if sequence != current and count >= PAGE_PARTS:
            rows.close()
            return found, current
        current = sequence
        found.setdefault(sequence, []).append(Part(*part))
    return found, last


def _entry(row: tuple[int, str, str, bytes, bytes], parts: Sequence[Part]) -> Entry:
    sequence, id, kind, leaf, hash = row
    return Entry(sequence, id, kind, leaf or b"", (hash or b"").hex(), tuple(parts))
