"""MariaDB's and MySQL's errors in Footnote's words: what happened, why, what would work.

The server's own text is passed on only where it names tables, columns and functions; elsewhere it may hold values.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import pymysql

from footnote.errors import FootnoteError, SourceChanged, SourceTimeout, SourceUnavailable
from footnote.sources.cancellation import Cancellation, cancelled
from footnote.sources.refusals import refused

_LOST = frozenset((0, 1053, 1080, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 2014, 2027, 2055, 4031))
_TOO_SLOW = frozenset((1969, 3024))
_STOPPED = 1317
_LOCKED = frozenset((1205, 3572))
_WOULD_WRITE = frozenset((1792, 1290, 1223))
_NOT_ONE_QUERY = frozenset((1064, 1065, 1149))
_DENIED = frozenset((1044, 1142, 1143, 1227, 1345, 1370))
_CHANGED = frozenset((1046, 1049, 1051, 1052, 1054, 1109, 1146, 1305, 1356))
_UNKNOWN_ZONE = 1298


@contextlib.contextmanager
def explain(timeout: float, cancel: Cancellation, since: float | None = None) -> Iterator[None]:
    """Raise PyMySQL's errors in the block as ours.

    Args:
        timeout: The time limit in seconds, for the message.
        cancel: Says whether the statement was stopped because the caller withdrew.
        since: When the statement began, by `time.monotonic`.
    """
    try:
        yield
    except (pymysql.Error, OSError) as error:
        if cancel.cancelled:
            raise cancelled() from None
        raise _error(error, timeout, since) from None
    except (KeyError, TypeError, ValueError):  # placeholders and parameters do not fit; the text may show values
        raise refused("It and its parameters do not fit together.") from None


def _error(error: Exception, timeout: float, since: float | None) -> FootnoteError:
    code = error.args[0] if isinstance(error, pymysql.Error) and error.args else 0
    said = str(error.args[1]) if len(error.args) > 1 else ""
    if code in _TOO_SLOW or (code == _STOPPED and since is not None and time.monotonic() - since >= timeout * 0.9):
        return SourceTimeout(
            f"The source took longer than its limit of {timeout:g} s.",
            why="The statement was stopped.",
            remedy="Narrow the question, add an index, or raise `timeout` in the catalog's source.",
        )
    if code == _STOPPED:
        return SourceUnavailable(
            "The source stopped a statement.", why="Somebody stopped it on the server.", remedy="Ask again."
        )
    if code in _LOCKED:
        return SourceTimeout(
            f"The source stayed locked for its limit of {timeout:g} s.",
            why="Another program holds a table the statement reads.",
            remedy="Ask again when it is done.",
        )
    if code in _LOST:
        return SourceUnavailable(
            "The connection to the source was lost.",
            why="The server closed it, or cannot be reached any more.",
            remedy="Ask again; a new connection is made.",
        )
    if code in _WOULD_WRITE:
        return refused("It would write.")
    if code in _NOT_ONE_QUERY:
        return refused("The server does not read it as one query.")
    return _by_code(code, said)


def _by_code(code: int, said: str) -> FootnoteError:
    if code == _UNKNOWN_ZONE:
        return SourceUnavailable(
            "The source does not know the catalog's time zone.",
            why="The server's table of time zones is empty.",
            remedy="Load it with mariadb-tzinfo-to-sql (mysql_tzinfo_to_sql), or set `time_zone: UTC` of the source.",
        )
    if code in _DENIED:
        return SourceUnavailable(
            "The source denies a read.", why=f"{said.rstrip('.')}.", remedy="GRANT SELECT on it to Footnote's user."
        )
    if code in _CHANGED:
        return SourceChanged(
            "The source does not fit the statement.",
            why=f"The server says: {said.rstrip('.')}.",
            remedy="Compare the catalog with the database; `footnote check` lists what differs.",
            details={"error": code},
        )
    return SourceUnavailable(
        "The source could not run a statement.", why=f"The server reports error {code}.", details={"error": code}
    )
