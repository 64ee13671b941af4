"""SQLite's errors in Footnote's words: what happened, why, what would work. No text of SQLite's that may hold data."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from footnote.errors import (
    FootnoteError,
    SourceChanged,
    SourceTimeout,
    SourceUnavailable,
    ValueUnreadable,
)
from footnote.sources.cancellation import Cancellation, cancelled
from footnote.sources.refusals import refused, too_slow
from footnote.sources.sqlite_guard import Guard

_MISSING = re.compile(r"(no such (?:table|column|function)|ambiguous column name): ([^'\n]{1,200})")
_CORRUPT = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB))
_NO_DATABASE = "The file is not a SQLite database, or is damaged."
_LOCKED = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL))
_NOT_UTF8 = re.compile(r"Could not decode to UTF-8 column '(.*)' with text '", re.DOTALL)


@contextlib.contextmanager
def explain(timeout: float, cancel: Cancellation, guard: Guard | None = None) -> Iterator[None]:
    """Raise errors of the block as errors of a statement; `timeout` in seconds, for the message."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:  # several statements are a Warning before Python 3.12
        if cancel.cancelled:
            raise cancelled() from None
        raise _statement_error(error, timeout, guard) from None


def _statement_error(error: Exception, timeout: float, guard: Guard | None) -> FootnoteError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        return too_slow(timeout)
    if is_locked(error):
        return locked(timeout)
    if guard and guard.denied:
        return refused(f"It uses {guard.denied}.")
    if code == sqlite3.SQLITE_READONLY:
        return refused("It would write.")
    if code in _CORRUPT:
        return SourceUnavailable("The source cannot be read.", why=_NO_DATABASE)
    return _text_error(str(error), getattr(error, "sqlite_errorname", ""))


def _text_error(text: str, name: str) -> FootnoteError:
    not_utf8 = _NOT_UTF8.match(text)
    if not_utf8:
        return ValueUnreadable(
            f"The column {not_utf8[1]!r} cannot be read as text.",
            why="It holds text that is not valid UTF-8.",
            remedy="Correct the row in the source, or leave the column out.",
            details={"column": not_utf8[1], "type": "text", "found": "invalid UTF-8"},
        )
    missing = _MISSING.match(text)
    if missing:
        return SourceChanged(
            f"The source has {missing[1]}: {missing[2]}.".replace("has ambiguous", "finds an ambiguous"),
            remedy="Compare the catalog with the database; `footnote check` lists what differs.",
        )
    if "binding" in text:
        return refused("It needs a parameter that was not given.")
    if "syntax error" in text or "one statement at a time" in text or "incomplete input" in text:
        return refused("SQLite does not read it as one statement.")
    return SourceUnavailable("The source could not run a statement.", why=f"SQLite reports {name or 'an error'}.")


def may(path: Path, mode: int) -> bool:
    """Whether this process, as the user it acts for, may use a file or folder so."""
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def is_locked(error: Exception) -> bool:
    """Whether another program holds the file, so that trying again may help."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _LOCKED


def locked(timeout: float) -> SourceTimeout:
    """The error of a file that another program held for `timeout` seconds."""
    return SourceTimeout(
        f"The source stayed locked for {timeout:g} s.",
        why="Another program is writing to the database file.",
        remedy="Ask again when it is done, or raise the time limit.",
    )


def cannot_open(path: Path, error: Exception) -> SourceUnavailable:
    """The error of a file that cannot be opened, with the cause that can be seen from outside."""
    what = f"The SQLite database {str(path)!r} cannot be opened."
    if path.is_dir():
        return SourceUnavailable(what, why="It is a folder.", remedy="Name the database file in it.")
    try:
        found = path.exists()
    except OSError:  # a folder on the way may not be entered
        found = True
    if not found:
        return SourceUnavailable(what, why="There is no such file.", remedy="Check the path in DATABASE_URL.")
    if not may(path, os.R_OK):
        return SourceUnavailable(
            what, why="Footnote's user may not read it.", remedy="Give read permission on the file and its folder."
        )
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _CORRUPT:
        return SourceUnavailable(what, why=_NO_DATABASE, remedy="Check the path in DATABASE_URL.")
    journal = Path(f"{path}-journal")
    if journal.exists():
        return SourceUnavailable(
            what,
            why="A write to it was broken off, and undoing that needs write permission.",
            remedy="Open the file once with the program that owns it.",
        )
    return SourceUnavailable(
        what,
        why="SQLite cannot open it or the files it keeps beside it.",
        remedy="A database in WAL mode needs write permission on its folder while others write to it.",
    )
