"""One writer at a time among all processes of a machine: a lock on a file beside the log.

SQLite's own lock already keeps writers apart; but it makes them wait with growing pauses, so that under load some wait
for seconds. This lock is asked for in short, even intervals, and a writer that had to wait for it gives way once
before it takes it again. It is the native lock of the operating system (`flock`, `LockFileEx`), which ends with its
process: no crash leaves it behind. Locks that are a mere file (soft locks) outlive a crash, so there is no fallback.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from footnote.errors import LogUnavailable

FIRST_PAUSE: Final = 0.0001
LONGEST_PAUSE: Final = 0.0005
"""Seconds between two attempts."""


class WriterLock:
    """The lock on `path`, for one thread at a time. The file is created once and stays."""

    def __init__(self, path: Path, mode: int = 0o600) -> None:
        self.path = path
        self._mode = mode
        self._descriptor = -1
        self._contended = False

    @contextmanager
    def held(self, timeout: float) -> Iterator[None]:
        """Hold the lock; wait up to `timeout` seconds for it.

        Raises `LogUnavailable` if it cannot be had in that time, or not at all.
        """
        from filelock import unlock_descriptor

        if self._contended:
            time.sleep(FIRST_PAUSE)
        try:
            self._acquire(timeout)
        except OSError as error:
            raise LogUnavailable(
                "The log cannot be locked for writing.",
                why=f"{error.strerror or error}.",
                remedy="Keep the log in a folder that can be written, on a file system that has locks.",
                details={"path": str(self.path)},
            ) from error
        try:
            yield
        finally:
            unlock_descriptor(self._descriptor)

    def close(self) -> None:
        """Close the file. In a forked child, this leaves the parent's hold as it is."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _acquire(self, timeout: float) -> None:
        from filelock import lock_descriptor

        if self._descriptor < 0:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, self._mode)
        self._contended = False
        deadline = time.monotonic() + timeout
        pause = FIRST_PAUSE
        while not lock_descriptor(self._descriptor, blocking=False):
            self._contended = True
            if time.monotonic() > deadline:
                raise LogUnavailable(
                    f"The log was locked by another process for more than {timeout:g} s.",
                    remedy="Try again; if it stays so, end the process that holds the log.",
                    details={"path": str(self.path)},
                )
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
