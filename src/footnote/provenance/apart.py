"""The costly half of verifying a big log, in further processes: whether payloads are what their leaves commit to.

That needs nothing of the records before, unlike the chain, which one process follows. A further process opens the log for
itself and vouches for a block of records by a digest over their leaves; who follows the chain compares it with the
leaves that it has before it, so nobody relies on a leaf that another has seen. A block that is not vouched for, for whatever reason, is
verified in full by whoever follows the chain: there is one way to find out what is wrong, and it is not here.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from footnote.errors import FootnoteError
from footnote.provenance import swift
from footnote.provenance.store import Page, Store

BLOCK: Final = 2_048
"""Records that are vouched for together."""

WORTH: Final = 50_000
"""Records from which on it is worth the time that processes need to start."""

AHEAD: Final = 4
"""Blocks that a further process may be ahead."""

Opener = Callable[[], Store]
"""Opens a log for reading; can be handed to another process."""


def pages(store: Store, after: int, upto: int, processes: int) -> Iterator[tuple[Page, bool]]:
    """The records of a store as pages, and of each whether its payload is still to be verified, with its parts in it.

    Args:
        store: The log.
        after, upto: Records with `after < sequence <= upto`.
        processes: Further ones, at least 1. They are started anew (`spawn`), so the program's main module has to be one
            that can be imported.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _start, (store.opener(),)) as pool:
        ahead: deque[tuple[int, int, Future[bytes]]] = deque()
        first = after
        try:
            while first < upto or ahead:
                while first < upto and len(ahead) < AHEAD * processes:
                    last = min(first + BLOCK, upto)
                    ahead.append((first, last, _asked(pool, first, last)))
                    first = last
                yield from _block(store, *ahead.popleft())
        finally:
            pool.shutdown(cancel_futures=True)


def _asked(pool: ProcessPoolExecutor, after: int, upto: int) -> Future[bytes]:
    try:
        return pool.submit(_vouch, after, upto)
    except BrokenProcessPool as error:  # the processes cannot be started, or were ended
        nobody: Future[bytes] = Future()
        nobody.set_exception(error)
        return nobody


def _block(store: Store, after: int, upto: int, vouched: Future[bytes]) -> Iterator[tuple[Page, bool]]:
    leaves = list(store.pages(after, upto, parts=False))
    try:
        digest = vouched.result()
    except (BrokenProcessPool, FootnoteError):  # it cannot be started, was ended, or cannot open the log
        digest = b""
    if digest and digest == swift.digest_of(leaves):
        yield from ((page, False) for page in leaves)
    else:
        yield from ((page, True) for page in store.pages(after, upto))


def further_processes() -> int:
    """How many are of use on this machine, which the one that follows the chain hardly keeps busy."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return usable if usable > 1 else 0


# --- in the other process -------------------------------------------------------------------------------------------------

_opened: list[Store] = []


def _start(opener: Opener) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever is interrupted ends this one
    _opened.append(opener())


def _vouch(after: int, upto: int) -> bytes:
    """The digest over the leaves of a block whose payload is what they commit to; else nothing."""
    found = list(_opened[0].pages(after, upto))
    return swift.digest_of(found) if all(map(swift.holds_its_payload, found)) else b""
