"""MariaDB and MySQL through PyMySQL, read-only.

The session is set to READ ONLY, and every snapshot is one `START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY` under
REPEATABLE READ, ended by ROLLBACK: in it the server refuses whatever writes, sequences and stored functions included.
PyMySQL sends one statement at a time, which must begin as a query does, so COMMIT and SET cannot be sent. What a read-only
transaction does not stop is `SELECT … INTO OUTFILE`, by a login with the FILE privilege: `mysql_guard` does. All settings
are made again for each snapshot, because what a stored function sets (`sql_select_limit`) would outlive its transaction.

Only engines with transactions have snapshots, so tables of another engine (MyISAM) are refused.

The time limit is the server's `max_statement_time` (MariaDB) or `max_execution_time` (MySQL), from the first row to the
last: a caller who is slow to take the rows of a large result uses it up too.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast
from zoneinfo import ZoneInfo

from footnote.errors import ArgumentError, SourceUnavailable
from footnote.sources.cancellation import Cancellation
from footnote.sources.facts import Fact
from footnote.sources.indexed import Indexed
from footnote.sources.inventory import Listed
from footnote.sources.mysql_guard import require_no_file
from footnote.sources.pool import LIMIT, Pool
from footnote.sources.privileges import Privileges
from footnote.sources.query import Parameter, Query, Value
from footnote.sources.source import BATCH, OneStatementAtATime, TableSchema
from footnote.sources.values import read_batch

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import SSCursor

    from footnote.sources.mysql_connect import Login

T = TypeVar("T")
_BEGIN = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
_MOST_DIGITS, _MOST_DECIMALS = 65, 30


class MysqlSource:
    """A database of a MariaDB or MySQL server.

    Args:
        login: Where it is and who we are.
        timeout: Seconds a statement may take, and to wait for a lock or a free connection.
        time_zone: IANA name of the session's time zone; the server must know it, unless it is UTC.
        limit: How many snapshots may be open at once.
    """

    dialect: Literal["mysql"] = "mysql"

    def __init__(self, login: Login, *, timeout: float, time_zone: str = "UTC", limit: int = LIMIT) -> None:
        self.name = login.name
        self._login = login
        self._timeout = timeout
        self._zone = time_zone
        self._pool = Pool(self._connect, limit=limit, patience=timeout)

    def _connect(self) -> _Connection:
        return _Connection(self._login, self._timeout, self._zone)

    @contextlib.contextmanager
    def snapshot(self, cancel: Cancellation | None = None) -> Iterator[MysqlSnapshot]:
        """One state of the database, held until the block ends; see `Source.snapshot`."""
        cancel = cancel or Cancellation()
        connection = self._pool.take(cancel)
        healthy = False
        try:
            taken_at = self._begun(connection, cancel)
            snapshot = MysqlSnapshot(connection, taken_at, self._timeout, ZoneInfo(self._zone), cancel)
            try:
                yield snapshot
            finally:
                snapshot.end()
                # A request to stop may still be on its way to this connection: nobody else gets it.
                healthy = not cancel.cancelled and connection.rollback()
        finally:
            (self._pool.give_back if healthy else self._pool.discard)(connection)

    def _begun(self, connection: _Connection, cancel: Cancellation) -> dt.datetime:
        """Begin on this connection; if it died while it was idle, connect it anew."""
        from footnote.sources.mysql_errors import explain

        try:
            with explain(self._timeout, cancel):
                return connection.begin()
        except SourceUnavailable:
            if not (connection.used and connection.lost()):
                raise
        connection.renew()
        with explain(self._timeout, cancel):
            return connection.begin()

    def tables(self, names: Iterable[str]) -> dict[str, TableSchema]:
        """The schema of the named tables and views; see `Source.tables`.

        Raises:
            SourceUnavailable: Also if a table's engine has no snapshots.
        """
        from footnote.sources import mysql_schema

        return self._read(lambda raw: mysql_schema.tables(raw, names))

    def listed(self) -> tuple[Listed, ...]:
        """Every table that can be read; see `Source.listed`."""
        from footnote.sources import mysql_schema

        return self._read(mysql_schema.listed)

    def facts(self) -> tuple[Fact, ...]:
        """The server's own time zone; see `Source.facts`."""
        from footnote.sources import mysql_schema

        return self._read(lambda raw: tuple(mysql_schema.facts(raw, self._zone)))

    def indexes(self, names: Iterable[str]) -> dict[str, Indexed]:
        """The indexes of the named tables; see `Source.indexes`."""
        from footnote.sources import mysql_schema

        return self._read(lambda raw: mysql_schema.indexes(raw, names))

    def privileges(self) -> Privileges:
        """What the login could write; see `Source.privileges`."""
        from footnote.sources import mysql_privileges

        return self._read(mysql_privileges.privileges)

    def _read(self, read: Callable[[Connection[Any]], T]) -> T:
        """What `read` finds in the system tables, in a snapshot of its own."""
        from footnote.sources.mysql_errors import explain

        with self.snapshot() as snapshot, explain(self._timeout, Cancellation()):
            return read(snapshot.connection.raw)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Connection:
    """A PyMySQL connection; Footnote begins and ends its transactions itself."""

    def __init__(self, login: Login, timeout: float, time_zone: str) -> None:
        self._login = login
        self._timeout = timeout
        self._time_zone = time_zone
        self.used = False
        self.raw: Connection[SSCursor] = self._open()

    def _open(self) -> Connection[SSCursor]:
        from footnote.sources.mysql_connect import connect, settings

        raw = connect(self._login, self._timeout)
        self._settings = settings(raw, self._timeout, self._time_zone)
        return raw

    def begin(self) -> dt.datetime:
        """Begin a read-only transaction; the server's time when it had begun."""
        for text in (self._settings, _BEGIN):
            self._send(text)
        ((now,),) = self._send("SELECT UTC_TIMESTAMP(6)")
        self.used = True
        taken_at: dt.datetime = now.replace(tzinfo=dt.UTC)
        return taken_at

    def _send(self, text: str) -> list[tuple[Any, ...]]:
        with self.raw.cursor() as cursor:
            cursor.execute(text)
            return cursor.fetchall() if cursor.description else []

    def rollback(self) -> bool:
        """End the transaction; whether the connection is as it was before."""
        from pymysql import Error

        try:
            self._send("ROLLBACK")
        except (Error, OSError):
            return False
        return True

    def stop(self) -> None:
        """Ask the server to stop the statement that runs, by a connection of its own; from any thread."""
        from pymysql import Error

        from footnote.sources.mysql_connect import connect

        # If the server cannot be reached, the statement ends with the connection or at its time limit.
        with contextlib.suppress(Error, OSError, SourceUnavailable):
            other = connect(self._login, self._timeout)
            try:
                with other.cursor() as cursor:
                    cursor.execute(f"KILL QUERY {int(cast(Any, self.raw).thread_id())}")
            finally:
                other.close()

    def give_up(self, cursor: SSCursor) -> None:
        """Stop a statement of which rows are left, and take what is still on its way."""
        from pymysql import Error

        self.stop()
        self.finish(cursor)
        with contextlib.suppress(Error):  # a request that came when the statement had ended hits this one
            self._send("DO 0")

    def finish(self, cursor: SSCursor) -> None:
        """Close the cursor of a statement that has ended, with rows or with an error."""
        from pymysql import Error

        with contextlib.suppress(Error, OSError):
            cursor.close()

    def in_transaction(self) -> bool:
        """Whether the transaction goes on, as the server said last."""
        from pymysql.constants import SERVER_STATUS

        return not self.lost() and bool(cast(Any, self.raw).server_status & SERVER_STATUS.SERVER_STATUS_IN_TRANS)

    def lost(self) -> bool:
        """Whether this side knows that the connection has ended."""
        return not self.raw.open

    def renew(self) -> None:
        """Go on with a new connection."""
        self.close()
        self.raw = self._open()

    def usable(self) -> bool:
        """Whether it is open as far as this side knows; a server that went away is noticed when a snapshot begins."""
        return not self.lost()

    def close(self) -> None:
        """Close it."""
        from pymysql import Error

        with contextlib.suppress(Error, OSError):
            self.raw.close()


class MysqlSnapshot(OneStatementAtATime):
    """One state of the database; see `Snapshot`."""

    def __init__(
        self, connection: _Connection, taken_at: dt.datetime, timeout: float, zone: ZoneInfo, cancel: Cancellation
    ) -> None:
        super().__init__()
        self.connection = connection
        self.taken_at = taken_at
        self._timeout = timeout
        self._zone = zone
        self._cancel = cancel

    def _batches(self, query: Query) -> Iterator[list[tuple[Value, ...]]]:
        from footnote.sources.mysql_errors import explain

        require_no_file(query.sql)
        connection, since = self.connection, time.monotonic()
        if not connection.in_transaction():
            raise SourceUnavailable("The snapshot of the source was lost.", remedy="Ask again.")
        parameters = bound(query.parameters, self._zone)
        cursor = connection.raw.cursor()
        begun, ended = False, True
        try:
            while not (begun and ended):
                with explain(self._timeout, self._cancel, since), self._cancel.interrupting(connection.stop):
                    ended = True  # as a statement that fails
                    if not begun:
                        cursor.execute(query.sql, parameters)
                        begun = True
                    batch = list(cursor.fetchmany(BATCH))
                    ended = len(batch) < BATCH
                if batch:
                    yield read_batch(batch, query.columns)
        finally:
            if ended or connection.lost():
                connection.finish(cursor)
            else:
                connection.give_up(cursor)


def bound(parameters: Mapping[str, Parameter], zone: ZoneInfo) -> dict[str, Any]:
    """Parameters as PyMySQL writes them exactly: moments without zone, in the session's.

    Raises:
        ArgumentError: A decimal of more digits than a DECIMAL has, which the server would make a float of.
    """
    return {name: _bound(name, value, zone) for name, value in parameters.items()}


def _bound(name: str, value: Parameter, zone: ZoneInfo) -> Any:
    if isinstance(value, dt.datetime) and value.tzinfo:
        return value.astimezone(zone).replace(tzinfo=None)
    if isinstance(value, Decimal):
        whole, _, fraction = format(value.copy_abs(), "f").partition(".")
        if len(whole.lstrip("0") + fraction) > _MOST_DIGITS or len(fraction) > _MOST_DECIMALS:
            raise ArgumentError(
                f"The value for {name!r} cannot be sent to the source.",
                why=f"It has more digits than the server computes with exactly ({_MOST_DIGITS}, "
                f"{_MOST_DECIMALS} of them after the point).",
            )
    return value
