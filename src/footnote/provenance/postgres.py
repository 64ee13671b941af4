"""The store in a PostgreSQL database, for processes on any number of machines; the same promises as in a SQLite file.

A batch is one transaction under one advisory lock: wait for the lock, read the tail, insert, commit. The lock ends with the
transaction, so no crash leaves it behind, and since each statement sees what was committed before it, the tail is the last
one. `SELECT … FOR UPDATE` would fork: it returns the row it waited for, not the one that was appended meanwhile.

If the connection breaks, nobody knows whether the batch was committed. It is looked up, under the lock, by the ids of its
records; only if they are not there is it written again. So nothing is written twice, and nothing that was acknowledged is
lost, also over a restart of the server.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from footnote.errors import FootnoteError, LogBroken, LogUnavailable, UsageError
from footnote.provenance import postgres_rows as rows
from footnote.provenance import postgres_schema
from footnote.provenance.leaf import Sealed, timestamp
from footnote.provenance.postgres_connect import PostgresPlace, connect, unavailable
from footnote.provenance.reading import Reading
from footnote.provenance.sqlite_file import leak
from footnote.provenance.store import Entry, Kept, Receipt, Store, Tail, follow, tail_of, utc_now
from footnote.provenance.tree import FAN_OUT

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")


class PostgresStore(Reading):
    """A log in one PostgreSQL database; see `Store` for what the methods promise."""

    _rows = rows

    def __init__(self, place: PostgresPlace, *, readonly: bool, timeout: float, clock: Callable[[], datetime]) -> None:
        self.place = place
        self._readonly = readonly
        self._timeout = timeout
        self._clock = clock
        self._one_writer = threading.Lock()
        self._known: tuple[bytes, Tail] | None = None
        self._writer: psycopg.Connection[Any] | None = None
        self._idle: list[psycopg.Connection[Any]] = []
        self._idle_lock = threading.Lock()
        self.log = ""
        self.log = self._open()

    # --- writing ------------------------------------------------------------------------------------------------------

    def append(self, batch: Sequence[Sealed]) -> list[Receipt | FootnoteError]:
        """See `Store`."""
        attempted: dict[str, str] = {}
        return self._write(lambda writer: self._insert(writer, batch, attempted))

    def erase(self, sealed: Sealed, paths: Mapping[int, Sequence[str]]) -> Receipt:
        """See `Store`."""
        attempted: dict[str, str] = {}

        def work(writer: psycopg.Connection[Any]) -> Receipt:
            for sequence, names in paths.items():
                rows.erase(writer, sequence, names)
            return self._insert_one(writer, sealed, attempted)

        return self._write(work)

    def prune(self, sealed: Sealed, upto: int) -> Receipt:
        """See `Store`."""
        attempted: dict[str, str] = {}

        def work(writer: psycopg.Connection[Any]) -> Receipt:
            receipt = self._insert_one(writer, sealed, attempted)
            rows.prune(writer, upto)
            return receipt

        return self._write(work)

    def scrub(self) -> bool:
        """See `Store`. The table is written anew, which only its owner may have done; the server's own logs are its own."""
        import psycopg

        if self._readonly:
            raise LogUnavailable("The log was opened for reading only.", remedy="Open it for writing.")
        with self._one_writer:
            try:
                return rows.scrub(self._writing(time.monotonic() + self._timeout))
            except psycopg.Error as error:
                self._drop_writer()
                raise unavailable(error, self.place, "written") from None

    def _insert_one(self, writer: psycopg.Connection[Any], sealed: Sealed, attempted: dict[str, str]) -> Receipt:
        (outcome,) = self._insert(writer, [sealed], attempted)
        if isinstance(outcome, Receipt):
            return outcome
        raise outcome

    def keep_checkpoint(self, kept: Kept) -> None:
        """See `Store`. After a broken connection it may be kept twice, which does no harm."""
        self._write(lambda writer: rows.insert_checkpoint(writer, kept))

    def _write(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        """What `work` returns, done in one transaction that is on the server's disk when this returns.

        `work` is done again if the connection broke, so it must find out whether it was done.
        """
        import psycopg

        if self._readonly:
            raise LogUnavailable("The log was opened for reading only.", remedy="Open it for writing.")
        deadline = time.monotonic() + self._timeout
        with self._one_writer:
            while True:
                try:
                    writer = self._writing(deadline)
                    with writer.transaction():
                        writer.execute("SELECT pg_advisory_xact_lock(%s)", (postgres_schema.LOCK,))
                        return work(writer)
                except psycopg.IntegrityError as error:
                    raise LogBroken(
                        "The log does not end where its records end, so nothing is appended.",
                        why="It holds parts of records that are gone.",
                        remedy="Verify the log.",
                    ) from error
                except psycopg.Error as error:
                    broken = self._writer is None or self._writer.closed
                    self._drop_writer()
                    if not broken or time.monotonic() > deadline:
                        raise unavailable(error, self.place, "written") from None
                except BaseException:  # an interrupt too: what it had begun must be rolled back before anyone goes on
                    self._drop_writer()
                    raise

    def _insert(
        self, writer: psycopg.Connection[Any], batch: Sequence[Sealed], attempted: dict[str, str]
    ) -> list[Receipt | FootnoteError]:
        """Append a batch; `attempted` has the hashes of an attempt before, whose outcome is not known."""
        tail = tail_of(rows.last(writer), self._known)
        before = tail.sequence
        taken = rows.taken(writer, [sealed.id for sealed in batch])
        outcomes: list[Receipt | FootnoteError] = []
        leaves: list[tuple[object, ...]] = []
        payload: list[tuple[object, ...]] = []
        mine = {id: entry for id, entry in taken.items() if attempted.get(id) == entry.hash}
        seen = set(taken)
        for sealed in batch:
            if sealed.id in mine:
                outcomes.append(_receipt(mine.pop(sealed.id)))
            elif sealed.id in seen:
                outcomes.append(
                    UsageError(f"The log has a record {sealed.id}.", remedy="Give every record an id of its own.")
                )
            else:
                seen.add(sealed.id)
                entry, tail = follow(tail, sealed, log=self.log, now=self._clock())
                attempted[entry.id] = entry.hash
                self._known = (entry.leaf, tail)
                leaves.append((entry.sequence, entry.id, entry.kind, entry.leaf, bytes.fromhex(entry.hash)))
                payload += [(entry.sequence, p.section, p.position, p.salt, p.data) for p in entry.parts]
                outcomes.append(Receipt(entry.id, entry.sequence, entry.hash, tail.timestamp))
        rows.insert(writer, leaves, payload)
        if before // FAN_OUT != tail.sequence // FAN_OUT:
            rows.grow(writer, tail.sequence)
        return outcomes

    def _writing(self, deadline: float) -> psycopg.Connection[Any]:
        if self._writer is None:
            patience = max(0.0, deadline - time.monotonic())
            self._writer = connect(self.place, timeout=self._timeout, patience=patience)
            if postgres_schema.recognise(self._writer, self.place.name) != self.log:
                raise LogUnavailable(
                    "The log cannot be written.",
                    why="Its database was replaced by another while it was in use.",
                    remedy="Put it back, or start again.",
                )
        return self._writer

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    # --- reading ------------------------------------------------------------------------------------------------------

    def _read(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        import psycopg

        deadline = time.monotonic() + self._timeout
        while True:
            reader = self._take(deadline)
            try:
                outcome = work(reader)
            except psycopg.Error as error:
                broken = reader.closed
                reader.close()
                if broken and time.monotonic() < deadline:
                    continue  # the server was restarted
                raise unavailable(error, self.place, "read") from None
            except BaseException:  # an interrupt too: in the middle of a query it serves nobody else
                reader.close()
                raise
            with self._idle_lock:
                self._idle.append(reader)
            return outcome

    def _take(self, deadline: float) -> psycopg.Connection[Any]:
        with self._idle_lock:
            if self._idle:
                return self._idle.pop()
        return connect(self.place, timeout=self._timeout, patience=max(0.0, deadline - time.monotonic()))

    # --- opening and closing ------------------------------------------------------------------------------------------

    def _open(self) -> str:
        import psycopg

        with contextlib.closing(connect(self.place, timeout=self._timeout, patience=0)) as connection:
            try:
                if not self._readonly and not postgres_schema.is_there(connection):
                    postgres_schema.install(connection, str(uuid.uuid4()), timestamp(self._clock()))
                if not postgres_schema.is_there(connection):
                    raise LogUnavailable(
                        f"There is no log in {self.place}.", remedy="Name the database of a log (PROVENANCE_DB)."
                    )
                return postgres_schema.recognise(connection, self.place.name)
            except psycopg.Error as error:
                raise unavailable(error, self.place, "opened") from None

    def opener(self) -> Callable[[], Store]:
        """See `Store`."""
        return partial(PostgresStore, self.place, readonly=True, timeout=self._timeout, clock=utc_now)

    def abandon(self) -> None:
        """See `Store`."""
        for connection in [*self._idle, *([self._writer] if self._writer else [])]:
            leak(connection)
        self._writer, self._one_writer = None, threading.Lock()
        self._idle, self._idle_lock = [], threading.Lock()

    def close(self) -> None:
        """See `Store`."""
        with self._one_writer:
            self._drop_writer()
        with self._idle_lock:
            readers, self._idle = self._idle, []
        for reader in readers:
            reader.close()


def _receipt(entry: Entry) -> Receipt:
    tail = tail_of(entry)
    return Receipt(entry.id, entry.sequence, entry.hash, tail.timestamp)
