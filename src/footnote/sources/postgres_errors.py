"""PostgreSQL's errors in Footnote's words: what happened, why, what would work.

The server's own text is passed on only where it names tables, columns and types; elsewhere it may hold values.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator

import psycopg

from footnote.errors import (
    FootnoteError,
    SourceChanged,
    SourceTimeout,
    SourceUnavailable,
    ValueUnreadable,
)
from footnote.sources.cancellation import Cancellation, cancelled
from footnote.sources.refusals import refused

_CONNECTION_LOST = frozenset(("57P01", "57P02", "57P03", "57P05", "25P03"))
_NOT_UTF8 = frozenset(("22021", "22P05"))
_WOULD_WRITE = frozenset(("25001", "25006", "25P01"))


@contextlib.contextmanager
def explain(timeout: float, cancel: Cancellation, since: float | None = None) -> Iterator[None]:
    """Raise psycopg's errors in the block as ours.

    Args:
        timeout: The time limit in seconds, for the message.
        cancel: Says whether the statement was stopped because the caller withdrew.
        since: When the statement began, by `time.monotonic`.
    """
    try:
        yield
    except psycopg.Error as error:
        if cancel.cancelled:
            raise cancelled() from None
        raise _error(error, timeout, since) from None


def _error(error: psycopg.Error, timeout: float, since: float | None) -> FootnoteError:
    state = error.sqlstate or ""
    if state == "57014":
        return _stopped(timeout, since)
    if state == "55P03":
        return SourceTimeout(
            f"The source stayed locked for most of its limit of {timeout:g} s.",
            why="Another program holds a table the statement reads.",
            remedy="Ask again when it is done.",
        )
    if state in _CONNECTION_LOST or state.startswith("08") or (not state and _is_lost(error)):
        return SourceUnavailable(
            "The connection to the source was lost.",
            why="The server closed it, or cannot be reached any more.",
            remedy="Ask again; a new connection is made.",
        )
    if state in _NOT_UTF8:
        return _not_utf8()
    if state in _WOULD_WRITE:
        return refused("It would write.")
    if state == "42601" or (not state and isinstance(error, psycopg.ProgrammingError)):
        return refused("PostgreSQL does not read it as one query with its parameters.")
    return _by_class(error, state)


def _is_lost(error: psycopg.Error) -> bool:
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


def _by_class(error: psycopg.Error, state: str) -> FootnoteError:
    said = error.diag.message_primary or ""
    if state == "42501":
        return SourceUnavailable(
            "The source denies a read.",
            why=said[:1].upper() + said[1:] + "." if said else "",
            remedy="GRANT SELECT on it to Footnote's user, and USAGE on its schema.",
        )
    if state[:2] in {"42", "3F"}:
        return SourceChanged(
            "The source does not fit the statement.",
            why=f"PostgreSQL says: {said}." if said else "",
            remedy="Compare the catalog with the database; `footnote check` lists what differs.",
            details={"sqlstate": state},
        )
    condition = re.sub(r"(?<!^)(?=[A-Z])", " ", type(error).__name__).lower()
    remedy = "Ask again." if state[:2] in {"40", "53"} else ""
    return SourceUnavailable(
        "The source could not run a statement.",
        why=f"PostgreSQL reports: {condition}.",
        remedy=remedy,
        details={"sqlstate": state} if state else None,
    )


def _stopped(timeout: float, since: float | None) -> FootnoteError:
    if since is not None and time.monotonic() - since < timeout * 0.9:
        return SourceUnavailable(
            "The source stopped a statement.", why="Somebody cancelled it on the server.", remedy="Ask again."
        )
    return SourceTimeout(
        f"The source took longer than its limit of {timeout:g} s.",
        why="The statement was stopped.",
        remedy="Narrow the question, add an index, or raise `timeout` in the catalog's source.",
    )


def _not_utf8() -> ValueUnreadable:
    return ValueUnreadable(
        "A text in the source cannot be read.",
        why="It is not valid in the database's encoding (SQL_ASCII checks nothing), so it has no form in UTF-8.",
        remedy="Correct the row in the source, or leave its column out.",
    )
