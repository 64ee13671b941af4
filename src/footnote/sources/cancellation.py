"""A caller's wish to stop, from any thread: it reaches the statement that is running, and no other one.

An engine that must be told from outside (PostgreSQL) registers an action with `interrupting` for as long as its
statement runs. The action runs in a thread of its own, so that `cancel` never makes an event loop wait, and
`interrupting` does not end while it runs, so that it cannot hit the next user of the connection.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from footnote.errors import Cancelled

_AGAIN_AFTER = 0.1


class Cancellation:
    """One call's switch to stop; once set it stays set. Thread-safe."""

    def __init__(self) -> None:
        self._set = threading.Event()
        self._lock = threading.RLock()
        self._actions: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._set.is_set()

    def cancel(self) -> None:
        """Stop the statement that runs under this switch, and any later one. Returns at once."""
        with self._lock:
            if self._set.is_set():
                return
            self._set.set()
            waiting = bool(self._actions)
        if waiting:
            threading.Thread(target=self._act, name="footnote-cancel", daemon=True).start()

    def check(self) -> None:
        """Raise if `cancel` was called.

        Raises:
            Cancelled: It was.
        """
        if self._set.is_set():
            raise cancelled()

    @contextmanager
    def interrupting(self, action: Callable[[], None]) -> Iterator[None]:
        """Have `action` called if `cancel` comes while the block runs. `action` must not raise.

        Raises:
            Cancelled: `cancel` was called before.
        """
        with self._lock:
            if self._set.is_set():
                raise cancelled()
            self._actions.append(action)
        try:
            yield
        finally:
            with self._lock:  # waits for an action that has begun
                self._actions.remove(action)

    def _act(self) -> None:
        """Run the actions until none is left: a request that reaches an engine before the statement does is lost."""
        while True:
            with self._lock:
                if not self._actions:
                    return
                for action in self._actions:
                    action()
            time.sleep(_AGAIN_AFTER)


def cancelled() -> Cancelled:
    """The error of a call that was withdrawn."""
    return Cancelled("The call was cancelled.", why="Whoever made it withdrew it, and its statement was stopped.")
