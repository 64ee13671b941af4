"""An index on disk: one SQLite file with sources, units, and for each key the numbers of the units that hold it.

A unit's number is never given twice, so what one process has found stays true while another one adds to the index: a
unit that is gone is simply not there any more. Lists of units are written once per batch (a segment) and merged when
there are many; what a removed file had is struck out by ranges. Every change is one transaction.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from footnote.documents.memory import unit_keys
from footnote.documents.packing import packed_head, packed_table, packed_unit
from footnote.documents.units import Source, Table
from footnote.errors import Unreachable

FORMAT = 2
BATCH = 150_000
"""Units of a segment while many files are read."""

MOST_SEGMENTS = 12

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, changed INTEGER, digest TEXT, stated TEXT) WITHOUT ROWID;
CREATE TABLE sources (
    file TEXT PRIMARY KEY, path TEXT NOT NULL, head TEXT NOT NULL, text BLOB NOT NULL,
    first INTEGER NOT NULL, count INTEGER NOT NULL
);
CREATE INDEX sources_path ON sources (path);
CREATE INDEX sources_first ON sources (first);
CREATE TABLE units (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE tables (first INTEGER, number INTEGER, data TEXT NOT NULL, PRIMARY KEY (first, number)) WITHOUT ROWID;
CREATE TABLE postings (key TEXT, segment INTEGER, count INTEGER, units BLOB, PRIMARY KEY (key, segment)) WITHOUT ROWID;
CREATE TABLE removed (first INTEGER PRIMARY KEY, count INTEGER NOT NULL);
"""


class IndexUnusable(Unreachable):
    """The file of an index cannot be written or read."""

    code = "index_unusable"


@dataclass(frozen=True, slots=True)
class FileState:
    """What is known of a file of the corpus without reading it.

    Attributes:
        path: In the corpus.
        size: Bytes.
        changed: Time of its last change in nanoseconds, as the file system has it.
        digest: SHA-256 of its bytes; empty until it was read.
        stated: What the operator says about it, as text.
    """

    path: str
    size: int
    changed: int
    digest: str = ""
    stated: str = ""


class Store:
    """The file of an index; one connection, used by one thread at a time."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection

    @classmethod
    def open(cls, path: Path, reader: str) -> Store:
        """Open or make the file; one of another format, or made by other readers, is made anew.

        Raises:
            IndexUnusable: It cannot be made or opened.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            store = cls(path, _connect(path))
            if store.about("reader") != reader:
                store._make(reader)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and not path.exists():
                raise _unusable(path, error) from None
            store = cls._anew(path, reader, error)
        except OSError as error:
            raise _unusable(path, error) from None
        return store

    @classmethod
    def _anew(cls, path: Path, reader: str, cause: Exception) -> Store:
        """A damaged file is replaced: an index holds nothing that the corpus does not."""
        try:
            for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                name.unlink(missing_ok=True)
            store = cls(path, _connect(path))
            store._make(reader)
        except (OSError, sqlite3.Error):
            raise _unusable(path, cause) from None
        return store

    def _make(self, reader: str) -> None:
        with self.writing():
            for (name,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self.connection.execute(f'DROP TABLE "{name}"')
            for statement in _SCHEMA.strip().split(";\n"):
                self.connection.execute(statement)
            self.connection.execute(
                "INSERT INTO about VALUES ('reader', ?), ('next', '0'), ('segment', '0')", (reader,)
            )

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def about(self, name: str) -> str | None:
        """A fact about the index."""
        try:
            found = self.connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return None
            raise
        return found[0] if found else None

    def _set(self, name: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that writes.

        Raises:
            IndexUnusable: The disk is full, or the file cannot be written; nothing of the transaction stays.
        """
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield
            self.connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            self._rollback()
            raise _unusable(self.path, error) from None
        except BaseException:
            self._rollback()
            raise

    def _rollback(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    # --- files --------------------------------------------------------------------------------------------------------

    def files(self) -> dict[str, FileState]:
        """The files that were read, by path."""
        rows = self.connection.execute("SELECT path, size, changed, digest, stated FROM files")
        return {row[0]: FileState(*row) for row in rows}

    def note(self, state: FileState) -> None:
        """Note the state of a file."""
        row = (state.path, state.size, state.changed, state.digest, state.stated)
        self.connection.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", row)

    def remove(self, path: str) -> None:
        """Remove a file with its sources and units."""
        for first, count in self.connection.execute(
            "SELECT first, count FROM sources WHERE path = ?", (path,)
        ).fetchall():
            self.connection.execute("DELETE FROM units WHERE id >= ? AND id < ?", (first, first + count))
            self.connection.execute("DELETE FROM tables WHERE first = ?", (first,))
            if count:
                self.connection.execute("INSERT INTO removed VALUES (?, ?)", (first, count))
        self.connection.execute("DELETE FROM sources WHERE path = ?", (path,))
        self.connection.execute("DELETE FROM files WHERE path = ?", (path,))

    # --- units --------------------------------------------------------------------------------------------------------

    def add(self, path: str, source: Source, lists: dict[str, array[int]]) -> int:
        """Add a source that was read from the file `path`; its keys go to `lists`. How many units it has."""
        first = int(self.about("next") or 0)
        tables: dict[int, Table] = {}
        rows = []
        for number, unit in enumerate(source.units, start=first):
            rows.append((number, packed_unit(unit)))
            if unit.table is not None:
                tables[unit.table.number] = unit.table
            for key in unit_keys(unit, source):
                lists.setdefault(key, array("I")).append(number)
        self.connection.executemany("INSERT INTO units VALUES (?, ?)", rows)
        made = [(first, number, packed_table(table)) for number, table in tables.items()]
        self.connection.executemany("INSERT INTO tables VALUES (?, ?, ?)", made)
        text = zlib.compress(source.text.encode("utf-8", "surrogatepass"), 1)
        row = (source.file, path, packed_head(source), text, first, len(rows))
        self.connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?)", row)
        self._set("next", str(first + max(1, len(rows))))
        return len(rows)

    def add_lists(self, lists: dict[str, array[int]]) -> None:
        """Write the lists of a batch as a segment."""
        if not lists:
            return
        segment = int(self.about("segment") or 0) + 1
        self._set("segment", str(segment))
        rows = ((key, segment, len(lists[key]), _bytes(lists[key])) for key in sorted(lists))
        self.connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", rows)

    def crowded(self) -> bool:
        """Whether lists should be merged: there are many segments, or much in them is removed."""
        segments = len(
            {row[0] for row in self.connection.execute("SELECT segment FROM postings GROUP BY segment LIMIT 64")}
        )
        (removed,) = self.connection.execute("SELECT coalesce(sum(count), 0) FROM removed").fetchone()
        return segments > MOST_SEGMENTS or removed * 3 > self.size() + 1000

    def merge(self) -> None:
        """Merge all segments into one, without what is removed."""
        gone = self.removed()
        self.connection.execute(
            "CREATE TABLE merged (key TEXT, segment INTEGER, count INTEGER, units BLOB, PRIMARY KEY (key, segment)) WITHOUT ROWID"
        )
        self.connection.executemany("INSERT INTO merged VALUES (?, 0, ?, ?)", _merged(self.connection, gone))
        self.connection.execute("DROP TABLE postings")
        self.connection.execute("ALTER TABLE merged RENAME TO postings")
        self.connection.execute("DELETE FROM removed")

    def removed(self) -> Ranges:
        """The numbers of units that are gone."""
        return Ranges(self.connection.execute("SELECT first, count FROM removed ORDER BY first").fetchall())

    def size(self) -> int:
        """Units in the index."""
        (count,) = self.connection.execute("SELECT coalesce(sum(count), 0) FROM sources").fetchone()
        return int(count)


class Ranges:
    """Ranges of numbers."""

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        self._firsts = array("Q", (first for first, _ in ranges))
        self._ends = array("Q", (first + count for first, count in ranges))

    def __bool__(self) -> bool:
        return bool(self._firsts)

    def without(self, numbers: array[int]) -> array[int]:
        """The ascending numbers that lie in none of the ranges."""
        from bisect import bisect_left

        if not self._firsts or not numbers:
            return numbers
        out = array("I")
        at = 0
        for first, end in zip(self._firsts, self._ends, strict=True):
            low = bisect_left(numbers, first, at)
            out.extend(numbers[at:low])
            at = bisect_left(numbers, end, low)
        out.extend(numbers[at:])
        return out


def _merged(connection: sqlite3.Connection, gone: Ranges) -> Iterable[tuple[str, int, bytes]]:
    key, numbers = "", array("I")
    for name, blob in connection.execute("SELECT key, units FROM postings ORDER BY key, segment"):
        if name != key:
            if kept := gone.without(numbers):
                yield key, len(kept), _bytes(kept)
            key, numbers = name, array("I")
        numbers.extend(numbers_of(blob))
    if kept := gone.without(numbers):
        yield key, len(kept), _bytes(kept)


def numbers_of(blob: bytes) -> array[int]:
    """A list of units from its bytes (little-endian, 32 bits each)."""
    numbers = array("I")
    numbers.frombytes(blob)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _bytes(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers = array("I", numbers)
        numbers.byteswap()
    return numbers.tobytes()


def stated_as_text(value: object) -> str:
    """What the operator says about a file, in a form that can be compared."""
    return json.dumps(value, sort_keys=True, default=str)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -32000")
    return connection


def _unusable(path: Path, error: Exception) -> IndexUnusable:
    return IndexUnusable(
        f"The index {path} cannot be used.",
        why=f"{error}.",
        remedy="Free space, or name another folder in FOOTNOTE_CACHE.",
    )
