"""Callers write for each other: one commit for many, nobody waits for ever, whatever happens to whoever writes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from footnote.errors import FootnoteError, LogUnavailable, UsageError
from footnote.provenance import Draft, Log, Receipt
from footnote.provenance.leaf import Sealed, seal
from footnote.provenance.writer import BATCH, Writer


class Slow:
    """A store whose appends wait until they are let go, or fail as they are told."""

    def __init__(self, fail: Callable[[int], BaseException | None] = lambda number: None) -> None:
        self.batches: list[int] = []
        self.entered = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.fail = fail

    def append(self, batch: Sequence[Sealed]) -> list[Receipt | FootnoteError]:
        self.batches.append(len(batch))
        self.entered.release()
        assert self.go.acquire(timeout=60)
        error = self.fail(len(self.batches))
        if error:
            raise error
        return [Receipt(sealed.id, len(self.batches), "", "") for sealed in batch]


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen")


def submit(writer: Writer, count: int = 1) -> tuple[threading.Thread, list[Any]]:
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.extend(writer.submit([seal(Draft("read")) for _ in range(count)]))
        except BaseException as error:  # noqa: BLE001 - to look at it in the test
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcome


def test_those_who_come_while_a_batch_is_written_share_the_next_one() -> None:
    store = Slow()
    writer = Writer(store)  # type: ignore[arg-type]  # it has what a writer needs
    callers = [submit(writer)]
    store.entered.acquire()
    callers += [submit(writer) for _ in range(20)]
    wait_for(lambda: len(writer._queue) == 20)
    for _ in range(2):
        store.go.release()
    for thread, _ in callers:
        thread.join(60)
    assert store.batches == [1, 20]
    assert [outcome[0].sequence for _, outcome in callers] == [1] + [2] * 20


def test_a_batch_has_a_limit_and_the_rest_follows() -> None:
    store = Slow()
    writer = Writer(store)  # type: ignore[arg-type]
    thread, outcome = submit(writer, 2 * BATCH + 3)
    for _ in range(3):
        store.go.release()
    thread.join(60)
    assert store.batches == [BATCH, BATCH, 3]
    assert len(outcome) == 2 * BATCH + 3


@pytest.mark.parametrize("error", [LogUnavailable("The disk is full."), KeyboardInterrupt(), RuntimeError("a fault")])
def test_an_error_reaches_everybody_of_its_batch_and_nobody_else(error: BaseException) -> None:
    store = Slow(lambda number: error if number == 2 else None)
    writer = Writer(store)  # type: ignore[arg-type]
    first = submit(writer)
    store.entered.acquire()
    second = [submit(writer) for _ in range(5)]
    wait_for(lambda: len(writer._queue) == 5)
    store.go.release()
    store.entered.acquire()
    third = submit(writer)
    wait_for(lambda: len(writer._queue) == 1)
    for _ in range(2):
        store.go.release()
    for thread, _ in [first, *second, third]:
        thread.join(60)
        assert not thread.is_alive()
    assert isinstance(first[1][0], Receipt)
    assert isinstance(third[1][0], Receipt)
    assert sum(outcome[0] is error for _, outcome in second) >= 1
    assert all(outcome[0] is error or isinstance(outcome[0], LogUnavailable) for _, outcome in second)


def test_a_failure_of_one_draft_does_not_leave_the_others_of_its_caller_waiting(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        draft = Draft("read")
        log.append(draft)
        with pytest.raises(UsageError):
            log.append_all([draft, *(Draft("read") for _ in range(BATCH + 10))])
        assert log.append(Draft("read")).sequence == BATCH + 12
        assert log.append_all([]) == []


def test_a_caller_who_is_interrupted_while_waiting_holds_nobody_up() -> None:
    store = Slow()
    writer = Writer(store)  # type: ignore[arg-type]
    first = submit(writer)
    store.entered.acquire()
    gone = writer_pending(writer)
    third = submit(writer)
    wait_for(lambda: len(writer._queue) == 2)
    writer._withdraw([gone])
    for _ in range(2):
        store.go.release()
    for thread, _ in (first, third):
        thread.join(60)
    assert store.batches == [1, 1]
    assert isinstance(third[1][0], Receipt)


def test_who_is_withdrawn_when_it_is_to_write_lets_the_next_one_write() -> None:
    store = Slow()
    writer = Writer(store)  # type: ignore[arg-type]
    first = submit(writer)
    store.entered.acquire()
    called = writer_pending(writer)
    third = submit(writer)
    wait_for(lambda: len(writer._queue) == 2)
    store.go.release()
    first[0].join(60)
    writer._withdraw([called])
    store.go.release()
    third[0].join(60)
    assert isinstance(third[1][0], Receipt)
    assert store.batches == [1, 1]


def writer_pending(writer: Writer) -> Any:
    """A draft in the queue whose caller does not come back."""
    from footnote.provenance.writer import _Pending

    pending = _Pending(seal(Draft("read")))
    with writer._gate:
        writer._queue.append(pending)
    return pending


def test_closing_waits_for_what_was_submitted_and_refuses_the_rest() -> None:
    store = Slow()
    writer = Writer(store)  # type: ignore[arg-type]
    thread, outcome = submit(writer)
    store.entered.acquire()
    closing = threading.Thread(target=writer.close)
    closing.start()
    wait_for(lambda: writer._closed)
    with pytest.raises(LogUnavailable, match="closed"):
        writer.submit([seal(Draft("read"))])
    assert closing.is_alive()
    store.go.release()
    closing.join(60)
    thread.join(60)
    assert isinstance(outcome[0], Receipt)
