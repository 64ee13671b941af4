"""One writer thread per process: callers wait, the thread takes what has gathered, up to 256 drafts at a time.

One commit makes the whole batch durable, so sixteen callers cost hardly more than one. A caller gets its receipt after
the commit or the error that prevented it, never neither.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Final

from footnote.errors import FootnoteError, LogUnavailable
from footnote.provenance.leaf import Sealed
from footnote.provenance.store import Receipt, Store

BATCH: Final = 256
"""Most drafts in one transaction."""


class _Pending:
    """A draft on its way; `done` is released when `outcome` is there."""

    __slots__ = ("done", "outcome", "sealed")

    def __init__(self, sealed: Sealed) -> None:
        self.sealed = sealed
        self.done = threading.Lock()
        self.done.acquire()
        self.outcome: Receipt | BaseException | None = None


def _outcome(pending: _Pending) -> Receipt:
    pending.done.acquire()
    if isinstance(pending.outcome, Receipt):
        return pending.outcome
    assert pending.outcome is not None  # noqa: S101 - set before `done` is released
    raise pending.outcome


class Writer:
    """Appends to a store from one thread, which starts with the first draft; `appended` is called after each batch."""

    def __init__(self, store: Store, appended: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._appended = appended
        self._queue: queue.SimpleQueue[_Pending | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, sealed: Sequence[Sealed]) -> list[Receipt]:
        """Append drafts one behind the other; return once all are durable. They mostly share a commit.

        Raises `LogUnavailable` if one is not in the log, `UsageError` if its id is there already. Drafts before it may
        be in the log then.
        """
        pending = [_Pending(one) for one in sealed]
        with self._gate:
            if self._closed:
                raise LogUnavailable("The log was closed.", remedy="Open it again.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="footnote-log", daemon=True)
                self._thread.start()
            for one in pending:
                self._queue.put(one)
        return [_outcome(one) for one in pending]

    def close(self) -> None:
        """Write what was submitted, then stop. Drafts submitted later are refused."""
        with self._gate:
            self._closed = True
            thread, self._thread = self._thread, None
            if thread:
                self._queue.put(None)
        if thread:
            thread.join()

    def _run(self) -> None:
        more = True
        while more:
            batch, more = self._gather()
            if batch:
                self._append(batch)

    def _gather(self) -> tuple[list[_Pending], bool]:
        """Wait for a draft, then take what else is there; False if the writer was closed behind them."""
        item = self._queue.get()
        batch: list[_Pending] = []
        while item is not None:
            batch.append(item)
            if len(batch) == BATCH:
                return batch, True
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return batch, True
        return batch, False

    def _append(self, batch: list[_Pending]) -> None:
        outcomes: list[Receipt | FootnoteError] | None = None
        failure: BaseException = LogUnavailable("The log cannot be written.")
        try:
            outcomes = self._store.append([pending.sealed for pending in batch])
        except BaseException as error:  # noqa: BLE001 - whatever it was, every caller is waiting to hear of it
            failure = error
        for number, pending in enumerate(batch):
            pending.outcome = outcomes[number] if outcomes else failure
            pending.done.release()
        if outcomes:
            self._appended()
