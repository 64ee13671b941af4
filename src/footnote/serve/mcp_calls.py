"""Calls of the session from MCP: in worker threads, a few at a time; withdrawn when the client or the operator says so."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from footnote.sources.cancellation import Cancellation

Returned = TypeVar("Returned")

AT_ONCE = 4
"""Calls that run at the same time; further ones wait."""

LAST_SECONDS = 3.0
"""How long statements may take to stop when the server is told to end."""


class Calls:
    """Runs synchronous work in threads."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._limiter = anyio.CapacityLimiter(at_once)
        self._running: set[Cancellation] = set()

    async def run(self, work: Callable[[Cancellation], Returned]) -> Returned:
        """What `work` returns. If the request is cancelled, so is the statement that `work` runs."""
        cancel = Cancellation()

        def running() -> Returned:
            self._running.add(cancel)
            try:
                cancel.check()
                return work(cancel)
            finally:
                self._running.discard(cancel)

        try:
            return await anyio.to_thread.run_sync(running, limiter=self._limiter, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            cancel.cancel()
            raise

    def end_on_signals(self) -> None:
        """End the process on SIGINT and SIGTERM, once its statements have stopped.

        Nothing else would: a thread waits for standard input, and Python waits for the thread.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda received, _: threading.Thread(target=self._end, args=(received,)).start())

    def _end(self, number: int) -> None:
        for cancel in list(self._running):
            cancel.cancel()
        until = time.monotonic() + LAST_SECONDS
        while self._running and time.monotonic() < until:
            time.sleep(0.02)
        os._exit(128 + number)
