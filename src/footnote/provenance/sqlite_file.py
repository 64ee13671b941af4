"""The SQLite file of a log: how it is made, recognised and opened, and what its errors mean.

One file in WAL mode, mode 0600, with `synchronous=FULL` (a commit is on the disk when it returns) and `secure_delete`
(what is destroyed is overwritten). `application_id` says that it is a log, `user_version` the version of its schema.
Triggers deny every change to a leaf and every change to a payload but its destruction. They are a guard against
mistakes, not against whoever may drop them: that is what verification is for.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Final

from footnote.errors import LogUnavailable
from footnote.provenance import sqlite_rows as rows
from footnote.provenance.durable import sync_folder

APPLICATION_ID: Final = 0x464E4F54
"""`FNOT`."""

SCHEMA_VERSION: Final = 2
"""2 keeps the roots of subtrees, and checkpoints; a log of version 1 gets both when it is opened for writing."""

PAGE_SIZE: Final = 8192
"""Bytes; a record's larger parts would spill over SQLite's usual 4096, which doubles time and room."""

SCHEMA: Final = """
CREATE TABLE log (id TEXT NOT NULL, created TEXT NOT NULL);
CREATE TABLE leaves (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  leaf BLOB NOT NULL,
  hash BLOB NOT NULL
);
CREATE INDEX leaves_of_kind ON leaves (kind, sequence);
CREATE TABLE payload (
  sequence INTEGER NOT NULL REFERENCES leaves,
  section TEXT NOT NULL,
  position INTEGER NOT NULL,
  salt BLOB,
  data BLOB,
  commitment BLOB,
  PRIMARY KEY (sequence, section, position)
) WITHOUT ROWID;
CREATE TRIGGER log_stays BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the id of a log is never changed'); END;
CREATE TRIGGER log_is_kept BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the id of a log is never deleted'); END;
CREATE TRIGGER leaves_stay BEFORE UPDATE ON leaves BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;
CREATE TRIGGER leaves_are_kept BEFORE DELETE ON leaves BEGIN SELECT RAISE(ABORT, 'a record is never deleted'); END;
CREATE TRIGGER leaves_are_appended BEFORE INSERT ON leaves
WHEN EXISTS (SELECT 1 FROM leaves WHERE sequence >= NEW.sequence) OR EXISTS (SELECT 1 FROM leaves WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a record is appended once, at the end'); END;
CREATE TRIGGER payload_is_only_erased BEFORE UPDATE ON payload
WHEN NEW.salt IS NOT NULL OR NEW.data IS NOT NULL OR NEW.sequence <> OLD.sequence OR NEW.section <> OLD.section
  OR NEW.position <> OLD.position
BEGIN SELECT RAISE(ABORT, 'a payload is never changed, only erased'); END;
CREATE TRIGGER payload_is_kept BEFORE DELETE ON payload
BEGIN SELECT RAISE(ABORT, 'a payload is erased by setting its salt and data to NULL'); END;
"""

TREE: Final = """
CREATE TABLE subtrees (
  level INTEGER NOT NULL,
  position INTEGER NOT NULL,
  root BLOB NOT NULL,
  PRIMARY KEY (level, position)
) WITHOUT ROWID;
CREATE TABLE checkpoints (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  size INTEGER NOT NULL,
  note BLOB NOT NULL,
  stamp BLOB
);
CREATE INDEX checkpoints_by_size ON checkpoints (size);
CREATE TRIGGER subtrees_stay BEFORE UPDATE ON subtrees
BEGIN SELECT RAISE(ABORT, 'the root of a complete subtree is never changed'); END;
CREATE TRIGGER subtrees_are_kept BEFORE DELETE ON subtrees
BEGIN SELECT RAISE(ABORT, 'the root of a subtree is never deleted'); END;
CREATE TRIGGER subtrees_are_added BEFORE INSERT ON subtrees
WHEN EXISTS (SELECT 1 FROM subtrees WHERE level = NEW.level AND position = NEW.position)
BEGIN SELECT RAISE(ABORT, 'the root of a complete subtree is kept once'); END;
CREATE TRIGGER checkpoints_are_added BEFORE INSERT ON checkpoints
WHEN EXISTS (SELECT 1 FROM checkpoints WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'a checkpoint is kept once'); END;
CREATE TRIGGER checkpoints_stay BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'a checkpoint is never changed'); END;
CREATE TRIGGER checkpoints_are_kept BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'a checkpoint is never deleted'); END;
"""

# Closing a descriptor of a file drops all POSIX locks that its process holds on it, SQLite's too
# (https://www.sqlite.org/howtocorrupt.html section 2.2). Files are created under this lock, before SQLite opens them.
_creation = threading.Lock()


def create_file(path: Path) -> bool:
    """Make an empty file that only its owner can read, and its folder if that is missing; False if it is there.

    Raises `LogUnavailable` if it can be neither made nor written.
    """
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(mode=0o700, parents=True)
        with _creation:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        sync_folder(path.parent)
    except FileExistsError as error:
        if path.parent.is_dir() and path.is_file() and os.access(path, os.W_OK):
            return False
        what = "may not be written" if path.is_file() else "is not a file"
        why = f"{error.filename} {what}." if path.parent.is_dir() else f"{path.parent} is not a folder."
    except OSError as error:
        why = f"{error.strerror}: {error.filename}."
    else:
        return True
    raise LogUnavailable(
        f"The log {path} cannot be opened for writing.",
        why=why,
        remedy="Name a file in a folder that can be written (PROVENANCE_DB).",
        details={"path": str(path)},
    )


def connect(path: Path, *, timeout: float, mode: str = "rw") -> sqlite3.Connection:
    """A connection with the settings of a log. `mode`: `rw`, `ro`, or `immutable` (a file nobody writes to).

    Creates nothing in modes `rw` and `immutable` but SQLite's own files beside the log.
    """
    query = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{query}", uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
    )
    try:
        connection.text_factory = _text
        connection.execute("PRAGMA trusted_schema = OFF")
        if mode == "rw":
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA fullfsync = ON")
            connection.execute("PRAGMA wal_autocheckpoint = 2000")
        else:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:  # whatever it was, a half-set connection must not stay open
        connection.close()
        raise
    return connection


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever put into the file: a log that is about to be made, or never was."""
    empty = (
        "SELECT (SELECT count(*) FROM sqlite_schema) = 0 AND (SELECT application_id FROM pragma_application_id) = 0"
        " AND (SELECT user_version FROM pragma_user_version) = 0"
    )
    return bool(connection.execute(empty).fetchone()[0])


def prepare(connection: sqlite3.Connection, path: Path, now: str) -> None:
    """Make sure that the file behind a writing connection is a log of this version, making one of an empty file.

    Call it under the writer's lock. Raises `LogUnavailable` if it is something else, sqlite3.Error as SQLite does.
    """
    if is_empty(connection):
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        _set_wal(connection, path)
        _change(connection, SCHEMA + TREE, lambda: _name(connection, now))
    recognise(connection, path)
    if _number(connection, "user_version") < SCHEMA_VERSION:
        _change(connection, TREE, lambda: rows.grow(connection, _size(connection)))
    _set_wal(connection, path)


def _change(connection: sqlite3.Connection, statements: str, fill: Callable[[], None]) -> None:
    """Make this version's tables and what is in them from the start; all of it or nothing."""
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {statements}")
        fill()
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except sqlite3.Error:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _name(connection: sqlite3.Connection, now: str) -> None:
    connection.execute("INSERT INTO log (id, created) VALUES (?, ?)", (str(uuid.uuid4()), now))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _size(connection: sqlite3.Connection) -> int:
    entry = rows.last(connection)
    return entry.sequence if entry else 0


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def recognise(connection: sqlite3.Connection, path: Path) -> str:
    """The id of the log that this file is.

    Raises `LogUnavailable` if it is another database or a log of a newer version, sqlite3.Error as SQLite does.
    """
    version = _number(connection, "user_version")
    details = {"path": str(path)}
    if _number(connection, "application_id") != APPLICATION_ID:
        raise LogUnavailable(
            f"{path} is a database, but not a log.", remedy="Name another file (PROVENANCE_DB).", details=details
        )
    if not 1 <= version <= SCHEMA_VERSION:
        raise LogUnavailable(
            f"The log {path} has version {version}; this Footnote knows versions 1 to {SCHEMA_VERSION}.",
            why="A newer Footnote wrote it." if version > SCHEMA_VERSION else "",
            remedy="Use a Footnote that is as new as the log.",
            details=details,
        )
    rows = connection.execute("SELECT id FROM log").fetchall()
    if len(rows) != 1:
        raise LogUnavailable(f"The log {path} has {len(rows)} ids instead of one.", details=details)
    return str(rows[0][0])


def unavailable(error: sqlite3.Error, path: Path, doing: str) -> LogUnavailable:
    """What a SQLite error means for the log; `doing` is `written` or `read`. Names the file in `details` only."""
    name = getattr(error, "sqlite_errorname", "") or ""
    cause = next((item for start, item in _CAUSES if name.startswith(start)), (f"SQLite says: {error}.", ""))
    why, remedy = cause
    return LogUnavailable(
        f"The log cannot be {doing}.", why=why, remedy=remedy, details={"path": str(path), "sqlite": name}
    )


def leak(connection: object) -> None:
    """Keep a connection from ever being closed in this process, because it belongs to the process we forked from.

    Closing it here could remove the write-ahead log under the parent (https://www.sqlite.org/howtocorrupt.html 2.6).
    """
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


_CAUSES: Final = (
    ("SQLITE_FULL", ("The disk is full.", "Make room; nothing was half-written.")),
    ("SQLITE_BUSY", ("Another program holds it.", "Try again; if it stays so, end the program that holds it.")),
    ("SQLITE_LOCKED", ("Another program holds it.", "Try again.")),
    ("SQLITE_READONLY", ("Its file or folder is read-only.", "Give write permission to the file and its folder.")),
    ("SQLITE_PERM", ("Its file may not be used.", "Give permission to the file and its folder.")),
    ("SQLITE_CANTOPEN", ("Its file cannot be opened.", "Check that file and folder exist and may be used.")),
    ("SQLITE_NOTADB", ("Its file is not a database.", "Name another file (PROVENANCE_DB), or restore it.")),
    ("SQLITE_CORRUPT", ("Its file is damaged.", "Restore it from a back-up.")),
    ("SQLITE_IOERR", ("The disk failed, or is full.", "Check the disk; nothing was half-written.")),
)


def _text(data: bytes) -> str:
    # Broken text in the file is to be found by verification, not to stop it.
    return data.decode("utf-8", "replace")


def _set_wal(connection: sqlite3.Connection, path: Path) -> None:
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise LogUnavailable(
            f"The log {path} cannot keep a write-ahead log.",
            why="Its file system does not share memory between processes.",
            remedy="Keep the log on a local disk.",
            details={"path": str(path)},
        )
