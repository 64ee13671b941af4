"""Callers write for each other: whoever finds nobody writing takes all that has gathered, up to 256 drafts, in one commit.

One commit makes the whole batch durable, so sixteen callers cost hardly more than one, and a caller alone waits for no other
thread. Whoever comes while a batch is being written queues; the writer, when it is done, makes the first in the queue the
next writer and then hands out its receipts. A caller gets its receipt after the commit or the error that prevented it,
never neither.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from footnote.errors import FootnoteError, LogUnavailable
from footnote.provenance.leaf import Sealed
from footnote.provenance.store import Receipt, Store

BATCH: Final = 256
"""Most drafts in one transaction."""


class _Pending:
    """A draft on its way. `called` is released when `outcome` is there, or when whoever waits for it is to write."""

    __slots__ = ("called", "outcome", "sealed")

    def __init__(self, sealed: Sealed) -> None:
        self.sealed = sealed
        self.called = threading.Lock()
        self.called.acquire()
        self.outcome: Receipt | FootnoteError | None = None


class Writer:
    """Appends to a store, one batch at a time; `appended` is called after each."""

    def __init__(self, store: Store, appended: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._appended = appended
        self._gate = threading.Condition()
        self._queue: deque[_Pending] = deque()
        self._busy = False
        self._closed = False

    def submit(self, sealed: Sequence[Sealed]) -> list[Receipt]:
        """Append drafts one behind the other; return once all are durable. They mostly share a commit.

        Raises `LogUnavailable` if one is not in the log, `UsageError` if its id is there already. Drafts before it may
        be in the log then.
        """
        pending = [_Pending(one) for one in sealed]
        if not pending:
            return []
        with self._gate:
            if self._closed:
                raise LogUnavailable("The log was closed.", remedy="Open it again.")
            self._queue.extend(pending)
            if not self._busy:
                self._busy = True
                pending[0].called.release()
        try:
            for one in pending:
                one.called.acquire()
                if one.outcome is None:  # nobody is writing, and this one is the first in the queue
                    self._write()
        except BaseException:  # an interrupt too: the others must not wait for one who is gone
            self._withdraw(pending)
            raise
        return [_receipt(one) for one in pending]

    def close(self) -> None:
        """Refuse further drafts; return when those that were submitted are written."""
        with self._gate:
            self._closed = True
            self._gate.wait_for(lambda: not self._busy)

    def _write(self) -> None:
        """Write the first in the queue and who is behind it, then let the next ones write."""
        with self._gate:
            batch = [self._queue.popleft() for _ in range(min(BATCH, len(self._queue)))]
        outcomes: Sequence[Receipt | FootnoteError] = ()
        failure: FootnoteError = LogUnavailable(
            "The log could not be written to its end.",
            why="The program was interrupted, or has a fault.",
            remedy="Look the record up by its id before it is written again.",
        )
        try:
            outcomes = self._store.append([pending.sealed for pending in batch])
        except FootnoteError as error:
            failure = error
        finally:
            for number, pending in enumerate(batch):
                pending.outcome = outcomes[number] if outcomes else failure
            self._pass_on()
            for pending in islice(batch, 1, None):
                pending.called.release()
        if outcomes:
            self._appended()

    def _pass_on(self) -> None:
        with self._gate:
            if self._queue:
                self._queue[0].called.release()
            else:
                self._busy = False
                self._gate.notify_all()

    def _withdraw(self, pending: Sequence[_Pending]) -> None:
        """Take back drafts of a caller that was interrupted; if one of them was to write next, somebody else is."""
        with self._gate:
            was_to_write = False
            for one in pending:
                if one in self._queue:
                    was_to_write |= self._queue[0] is one and one.called.acquire(blocking=False)
                    self._queue.remove(one)
        if was_to_write:
            self._pass_on()


def _receipt(pending: _Pending) -> Receipt:
    if isinstance(pending.outcome, Receipt):
        return pending.outcome
    assert pending.outcome is not None  # noqa: S101 - whoever wrote it set it, whatever happened
    raise pending.outcome
