"""Connections that are kept for the next snapshot, with a limit on how many are in use at once.

The limit is what protects a system of record from many callers: it holds for one source in one process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from footnote.errors import SourceTimeout, SourceUnavailable
from footnote.sources.cancellation import Cancellation

LIMIT = 4
_LOOK_EVERY = 0.02
"""Seconds between looks at the cancellation while all connections are busy."""


class Connection(Protocol):
    """What a pool keeps."""

    def close(self) -> None:
        """Close it; never raises."""

    def usable(self) -> bool:
        """Whether it can serve another snapshot, as far as can be told without asking the engine."""


C = TypeVar("C", bound=Connection)


class Pool(Generic[C]):
    """At most `limit` connections in use, idle ones kept. Thread-safe.

    Args:
        connect: Opens a connection.
        limit: How many may be in use at once.
        patience: Seconds to wait for one.
    """

    def __init__(self, connect: Callable[[], C], *, limit: int, patience: float) -> None:
        self._connect = connect
        self._limit = limit
        self._patience = patience
        self._permits = threading.BoundedSemaphore(limit)
        self._lock = threading.Lock()
        self._idle: list[C] = []
        self._closed = False

    def take(self, cancel: Cancellation) -> C:
        """A connection, kept or new; `give_back` or `discard` it.

        Raises:
            SourceTimeout: All were in use for longer than `patience`.
            SourceUnavailable: The source is closed, or `connect` failed.
            Cancelled: The caller withdrew while waiting.
        """
        self._wait(cancel)
        try:
            while (kept := self._kept()) is not None:
                if kept.usable():
                    return kept
                kept.close()
            return self._connect()
        except BaseException:  # whatever it was, the permit must not be lost
            self._permits.release()
            raise

    def give_back(self, connection: C) -> None:
        """Keep a connection for the next snapshot."""
        with self._lock:
            keep = not self._closed
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()
        self._permits.release()

    def discard(self, connection: C) -> None:
        """Close a connection that must not be used again."""
        connection.close()
        self._permits.release()

    def close(self) -> None:
        """Close the idle connections, and those in use once they come back."""
        with self._lock:
            self._closed = True
        self._close_idle()

    def _wait(self, cancel: Cancellation) -> None:
        cancel.check()
        if self._permits.acquire(blocking=False):
            return
        end = time.monotonic() + self._patience
        while not self._permits.acquire(timeout=_LOOK_EVERY):
            cancel.check()
            if time.monotonic() > end:
                raise SourceTimeout(
                    f"No connection to the source became free within {self._patience:g} s.",
                    why=f"All {self._limit} connections are busy.",
                    remedy="Ask again when the calls that run now have ended.",
                )

    def _kept(self) -> C | None:
        with self._lock:
            if self._closed:
                raise SourceUnavailable("The source was closed.", why="Footnote is shutting down.")
            return self._idle.pop() if self._idle else None

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
