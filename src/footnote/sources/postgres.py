"""PostgreSQL through psycopg 3, read-only.

Every snapshot is one `REPEATABLE READ READ ONLY` transaction, ended by ROLLBACK. Its first query is Footnote's own, and
after a query PostgreSQL does not let a transaction become read-write again; a savepoint after it forbids that once
more, and lets a snapshot live on after a statement that failed. Statements go by the extended protocol, which takes one
at a time, and must begin as a query does, so COMMIT and SET cannot be sent; what a function such as `set_config` sets
is undone by the ROLLBACK. All settings are made for the connection and again in each transaction, because a pooler in
between may hand out another server connection for each.

The time limit is the server's `statement_timeout`, from the first row to the last: a caller who is slow to take the rows
of a large result uses it up too.

This keeps a role that may write from writing. It does not keep a *superuser* from functions that reach the server's
files and programs (`pg_read_file`, `lo_export`): the guard over catalogs refuses those, `footnote check` warns of the
role, and the true remedy is a login that may only read.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from footnote.errors import SourceUnavailable
from footnote.sources.cancellation import Cancellation
from footnote.sources.facts import Fact
from footnote.sources.indexed import Indexed
from footnote.sources.inventory import Listed
from footnote.sources.pool import LIMIT, Pool
from footnote.sources.privileges import Privileges
from footnote.sources.query import Query, Value
from footnote.sources.source import BATCH, OneStatementAtATime, TableSchema
from footnote.sources.values import read_batch

if TYPE_CHECKING:
    import psycopg
    from psycopg.pq import TransactionStatus

T = TypeVar("T")
_CONNECT_TIMEOUT = 10
_CANCEL_TIMEOUT = 5.0
_BACK = b"ROLLBACK TO SAVEPOINT footnote"
_KEEPALIVE = {"keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}
"""A network that fell silent is noticed within half a minute, unless the URL says otherwise."""


class PostgresSource:
    """A PostgreSQL database.

    Args:
        uri: A libpq connection URI.
        name: The same without password, to be shown.
        timeout: Seconds a statement may take, and to wait for a lock or a free connection.
        time_zone: IANA name of the session's time zone.
        search_path: Schemas of unqualified tables; empty for the login's own.
        limit: How many snapshots may be open at once.
    """

    dialect: Literal["postgres"] = "postgres"

    def __init__(
        self,
        uri: str,
        name: str,
        *,
        timeout: float,
        time_zone: str = "UTC",
        search_path: tuple[str, ...] = (),
        limit: int = LIMIT,
    ) -> None:
        self.name = name
        self._uri = uri
        self._timeout = timeout
        self._settings = _settings(timeout, time_zone, search_path)
        self._begin = _begin(self._settings)
        self._pool = Pool(self._connect, limit=limit, patience=timeout)

    def _connect(self) -> _Connection:
        from footnote.sources.postgres_connect import connect

        wait = max(2, min(_CONNECT_TIMEOUT, math.ceil(self._timeout)))
        return _Connection(connect(self._uri, self.name, self._settings, _KEEPALIVE | {"connect_timeout": wait}))

    @contextlib.contextmanager
    def snapshot(self, cancel: Cancellation | None = None) -> Iterator[PostgresSnapshot]:
        """One state of the database, held until the block ends; see `Source.snapshot`."""
        cancel = cancel or Cancellation()
        connection = self._pool.take(cancel)
        healthy = False
        try:
            connection, taken_at = self._begun(connection, cancel)
            snapshot = PostgresSnapshot(connection, taken_at, self._timeout, cancel)
            try:
                yield snapshot
            finally:
                snapshot.end()
                # A cancel request may still be on its way to this connection: nobody else gets it.
                healthy = not cancel.cancelled and connection.rollback()
        finally:
            (self._pool.give_back if healthy else self._pool.discard)(connection)

    def _begun(self, connection: _Connection, cancel: Cancellation) -> tuple[_Connection, dt.datetime]:
        """Begin on this connection, or, if it died while it was idle, on a new one."""
        from footnote.sources.postgres_errors import explain

        try:
            with explain(self._timeout, cancel):
                return connection, connection.begin(self._begin)
        except SourceUnavailable:
            if not (connection.used and connection.raw.closed):
                raise
        fresh = self._connect()
        connection.replace(fresh)
        with explain(self._timeout, cancel):
            return connection, connection.begin(self._begin)

    def tables(self, names: Iterable[str]) -> dict[str, TableSchema]:
        """The schema of the named tables and views; see `Source.tables`."""
        from footnote.sources import postgres_schema

        return self._read(lambda raw: postgres_schema.tables(raw, names))

    def listed(self) -> tuple[Listed, ...]:
        """Every table that can be read; see `Source.listed`."""
        from footnote.sources import postgres_schema

        return self._read(postgres_schema.listed)

    def facts(self) -> tuple[Fact, ...]:
        """Whether the server is a replica; see `Source.facts`."""
        from footnote.sources import postgres_schema

        return self._read(lambda raw: tuple(postgres_schema.facts(raw)))

    def indexes(self, names: Iterable[str]) -> dict[str, Indexed]:
        """The indexes of the named tables; see `Source.indexes`."""
        from footnote.sources import postgres_schema

        return self._read(lambda raw: postgres_schema.indexes(raw, names))

    def privileges(self) -> Privileges:
        """What the login could write; see `Source.privileges`."""
        from footnote.sources import postgres_privileges

        return self._read(postgres_privileges.privileges)

    def _read(self, read: Callable[[psycopg.Connection[Any]], T]) -> T:
        """What `read` finds in the system tables, in a snapshot of its own."""
        from footnote.sources.postgres_errors import explain

        with self.snapshot() as snapshot, explain(self._timeout, Cancellation()):
            return read(snapshot.connection.raw)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Connection:
    """A psycopg connection in autocommit mode; Footnote sends BEGIN and ROLLBACK itself."""

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self.raw = raw
        self.used = False

    def begin(self, text: bytes) -> dt.datetime:
        """Begin a read-only transaction in one round trip; the server's time at its beginning."""
        cursor = self.raw.execute(text)
        row = None
        while cursor.nextset():
            if cursor.description:
                row = cursor.fetchone()
        if row is None:
            raise RuntimeError("the server did not say what time it is")
        self.used = True
        taken_at: dt.datetime = row[0]
        return taken_at.astimezone(dt.UTC)

    def in_transaction(self) -> bool:
        from psycopg.pq import TransactionStatus

        return self._status() == TransactionStatus.INTRANS

    def recover(self) -> None:
        """Make the transaction usable again after a statement that failed or was given up; if it was lost, leave it."""
        from psycopg.errors import QueryCanceled
        from psycopg.pq import TransactionStatus

        if self._status() != TransactionStatus.INERROR:
            return
        for last_try in (False, True):
            try:
                self.raw.execute(_BACK)
                return
            except QueryCanceled:  # the request to cancel the statement before came late
                if last_try:
                    raise

    def rollback(self) -> bool:
        """End the transaction; whether the connection is as it was before."""
        from psycopg import Error
        from psycopg.pq import TransactionStatus

        try:
            if self._status() not in {TransactionStatus.INTRANS, TransactionStatus.INERROR}:
                return False
            self.raw.execute("ROLLBACK")
        except Error:
            return False
        return self._status() == TransactionStatus.IDLE

    def _status(self) -> TransactionStatus:
        return self.raw.info.transaction_status

    def cancel(self) -> None:
        """Ask the server to stop the statement that runs; from any thread."""
        from psycopg import Error

        # If the server cannot be reached, the statement ends with the connection or at its time limit.
        with contextlib.suppress(Error, OSError):
            self.raw.cancel_safe(timeout=_CANCEL_TIMEOUT)

    def replace(self, other: _Connection) -> None:
        """Go on with the connection of `other`."""
        self.close()
        self.raw, self.used = other.raw, other.used

    def usable(self) -> bool:
        """Whether it is open as far as this side knows; a server that went away is noticed when a snapshot begins."""
        return not self.raw.closed

    def close(self) -> None:
        """Close it."""
        self.raw.close()


class PostgresSnapshot(OneStatementAtATime):
    """One state of the database; see `Snapshot`."""

    def __init__(self, connection: _Connection, taken_at: dt.datetime, timeout: float, cancel: Cancellation) -> None:
        super().__init__()
        self.connection = connection
        self.taken_at = taken_at
        self._timeout = timeout
        self._cancel = cancel

    def _batches(self, query: Query) -> Iterator[list[tuple[Value, ...]]]:
        from footnote.sources.postgres_errors import explain

        connection, since = self.connection, time.monotonic()
        if not connection.in_transaction():
            raise SourceUnavailable("The snapshot of the source was lost.", remedy="Ask again.")
        cursor = connection.raw.cursor()
        stream: Generator[tuple[Any, ...], None, None]  # psycopg says Iterator, but it is closed below
        stream = cast(Any, cursor.stream(query.sql.encode(), dict(query.parameters), size=BATCH))
        try:
            while True:
                with explain(self._timeout, self._cancel, since), self._cancel.interrupting(connection.cancel):
                    batch = list(islice(stream, BATCH))
                if not batch:
                    return
                yield read_batch(batch, query.columns)
        finally:
            stream.close()  # stops the statement if it still runs
            cursor.close()
            with explain(self._timeout, self._cancel):
                connection.recover()


def _settings(timeout: float, time_zone: str, search_path: tuple[str, ...]) -> dict[str, str]:
    """What a session must be like, by PostgreSQL's names; times in milliseconds."""
    limit = max(1, math.ceil(timeout * 1000))
    settings = {
        "default_transaction_read_only": "on",
        "statement_timeout": str(limit),
        "lock_timeout": str(max(1, limit * 9 // 10)),  # below the other, so that a lock is told from slow work
        "idle_in_transaction_session_timeout": str(max(60_000, 2 * limit)),
        "TimeZone": time_zone,
        "DateStyle": "ISO,YMD",
        "extra_float_digits": "3",  # below 1, the server rounds floats to 15 digits
        "standard_conforming_strings": "on",
    }
    if search_path:
        settings["search_path"] = ",".join('"' + schema.replace('"', '""') + '"' for schema in search_path)
    return settings


def _begin(settings: Mapping[str, str]) -> bytes:
    """What opens a snapshot. The text is fixed for a source, so the simple protocol may take it as one message."""
    local = "".join(f"SET LOCAL {name} TO {_literal(name, value)}; " for name, value in settings.items())
    text = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {local}SELECT pg_catalog.now(); SAVEPOINT footnote"
    return text.encode()


def _literal(name: str, value: str) -> str:
    return value if name == "search_path" else "'" + value.replace("'", "''") + "'"
