"""Checkpoints: made while records come in, kept in the log and outside, and never over a log that does not continue them."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from footnote.errors import LogBroken, LogUnavailable, UsageError
from footnote.provenance import Draft, Log, SignedCheckpoint, keyfile, merkle
from footnote.provenance.checkpoint import origin_of
from footnote.provenance.notary import Checkpointing
from footnote.provenance.note import Signer
from footnote.provenance.outside import outside_of

OpenLog = Callable[..., Log]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def how(tmp_path: Path, said: list[str]) -> Checkpointing:
    return Checkpointing(tmp_path / "keys" / "key", outside=str(tmp_path / "outside"), tell=said.append)


@pytest.fixture
def open_log(tmp_path: Path, how: Checkpointing) -> Iterator[OpenLog]:
    opened: list[Log] = []

    def opened_log(name: str = "log.db", **changed: object) -> Log:
        opened.append(Log.open(tmp_path / name, checkpoints=replace(how, **changed)))  # type: ignore[arg-type]
        return opened[-1]

    yield opened_log
    for log in opened:
        log.close()


def outside(log: Log, how: Checkpointing) -> SignedCheckpoint:
    data = outside_of(how.outside, log.id).read()
    assert data
    return SignedCheckpoint.parse(data)


def latest(log: Log) -> SignedCheckpoint:
    kept = log.store.latest_checkpoint()
    assert kept
    return SignedCheckpoint.parse(kept.note)


def cut_off(path: Path, after: int) -> None:
    """What an administrator does who wants the last records gone, and their checkpoints with them."""
    connection = sqlite3.connect(path)
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("DELETE FROM payload WHERE sequence > ?", (after,))
    connection.execute("DELETE FROM leaves WHERE sequence > ?", (after,))
    connection.execute("DELETE FROM checkpoints WHERE size > ?", (after,))
    connection.commit()
    connection.close()


def test_a_log_that_is_closed_has_a_checkpoint_of_all_its_records_inside_and_outside(
    open_log: OpenLog, how: Checkpointing, said: list[str]
) -> None:
    log = open_log()
    log.append_all([Draft("read") for _ in range(300)])
    log.close()
    for checkpoint in (latest(log), outside(log, how)):
        assert checkpoint.size == 300
        assert checkpoint.checkpoint.root == merkle.root([e.leaf for e in log.store.entries(parts=False)])
        key = Signer(origin_of(log.id), keyfile.load(how.key)).key
        assert checkpoint.verify([key]) == key
    assert said == []


def test_a_checkpoint_follows_each_batch_without_being_asked_for(open_log: OpenLog) -> None:
    log = open_log(every=0.01)
    for sequence in (1, 2, 3):
        log.append(Draft("read"))
        done = threading.Event()
        for _ in range(500):
            kept = log.store.latest_checkpoint()
            if kept and kept.size == sequence:
                done.set()
                break
            done.wait(0.01)
        assert done.is_set()


def test_no_record_no_checkpoint_and_none_twice(open_log: OpenLog) -> None:
    log = open_log()
    assert log.checkpoint() is None
    log.append(Draft("read"))
    log.checkpoint()
    assert log.checkpoint() is None
    log.close()
    assert len(list(log.store.checkpoints())) == 1


def test_several_processes_on_one_log_keep_one_line_of_checkpoints(
    open_log: OpenLog, how: Checkpointing, said: list[str]
) -> None:
    logs = [open_log(every=0.001) for _ in range(3)]
    threads = [
        threading.Thread(target=lambda log: [log.append(Draft("read")) for _ in range(60)], args=(log,)) for log in logs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for log in logs:
        log.close()
    assert said == []
    assert latest(logs[0]).size == outside(logs[0], how).size == 180
    leaves = [entry.leaf for entry in logs[0].store.entries(parts=False)]
    for kept in logs[0].store.checkpoints():
        assert SignedCheckpoint.parse(kept.note).checkpoint.root == merkle.root(leaves[: kept.size])


def test_a_log_that_was_cut_off_is_not_signed_for_and_goes_on_recording(
    open_log: OpenLog, how: Checkpointing, said: list[str], tmp_path: Path
) -> None:
    log = open_log()
    log.append_all([Draft("read") for _ in range(10)])
    log.close()
    cut_off(tmp_path / "log.db", 7)
    log = open_log()
    assert log.append(Draft("read")).sequence == 8
    with pytest.raises(LogUnavailable, match="cut off"):
        log.checkpoint()
    assert outside(log, how).size == 10
    assert log.store.latest_checkpoint() is None
    assert "cut off" in said[0]


def test_a_log_that_was_rewritten_is_not_signed_for(
    open_log: OpenLog, how: Checkpointing, said: list[str], tmp_path: Path
) -> None:
    log = open_log()
    log.append_all([Draft("read") for _ in range(10)])
    log.close()
    cut_off(tmp_path / "log.db", 7)
    log = open_log()
    log.append_all([Draft("read") for _ in range(5)])  # as many as there were, and two more
    with pytest.raises(LogUnavailable, match="first 10 records"):
        log.checkpoint()
    assert outside(log, how).size == 10
    assert "rewritten" in said[0]


def test_a_process_notices_that_its_log_was_rewritten_under_it(open_log: OpenLog, tmp_path: Path) -> None:
    log = open_log(outside="")
    log.append_all([Draft("read") for _ in range(10)])
    log.checkpoint()
    cut_off(tmp_path / "log.db", 5)
    log.append_all([Draft("read") for _ in range(9)])
    with pytest.raises(LogUnavailable, match="made here"):
        log.checkpoint()


def test_an_older_copy_of_the_log_is_not_signed_for(open_log: OpenLog, tmp_path: Path) -> None:
    log = open_log()
    log.append(Draft("read"))
    log.close()
    shutil.copy(tmp_path / "log.db", tmp_path / "backup.db")
    log = open_log()
    log.append(Draft("read"))
    log.close()
    old = open_log("backup.db")
    old.append(Draft("read"))
    with pytest.raises(LogUnavailable, match="first 2 records"):
        old.checkpoint()


@pytest.mark.parametrize("data", [b"", b"rubbish", b"footnote/another\n3\n" + b"A" * 43 + b"=\n\n"])
def test_a_copy_outside_that_is_damaged_is_left_alone_and_said(
    open_log: OpenLog, how: Checkpointing, said: list[str], data: bytes
) -> None:
    log = open_log()
    file = Path(how.outside) / f"{log.id}.checkpoint"
    file.parent.mkdir()
    file.write_bytes(data)
    log.append(Draft("read"))
    with pytest.raises(LogUnavailable, match="damaged"):
        log.checkpoint()
    assert file.read_bytes() == data
    assert len(said) == 1


def test_a_place_outside_that_cannot_be_written_costs_no_record_and_no_checkpoint(
    open_log: OpenLog, tmp_path: Path, said: list[str]
) -> None:
    (tmp_path / "file").write_text("")
    log = open_log(outside=str(tmp_path / "file" / "folder"))
    log.append(Draft("read"))
    with pytest.raises(LogUnavailable, match="cannot be"):
        log.checkpoint()
    assert latest(log).size == 1
    assert "FOOTNOTE_CHECKPOINTS" in said[0]
    log.close()
    assert len(list(log.store.checkpoints())) == 1, "what was kept is not kept again"


def test_the_copy_outside_is_replaced_by_compare_and_swap_only(tmp_path: Path) -> None:
    for place in (str(tmp_path / "folder"), f"file://{tmp_path}/other", "memory://checkpoints"):
        copy = outside_of(place, "log")
        assert copy.read() is None
        assert not copy.replace(b"other", b"new")
        assert copy.replace(None, b"one")
        assert not copy.replace(None, b"two")
        assert not copy.replace(b"two", b"three")
        assert copy.replace(b"one", b"two")
        assert copy.read() == b"two"


def test_a_log_keeps_its_copy_at_a_url(open_log: OpenLog, how: Checkpointing, said: list[str]) -> None:
    log = open_log(outside="memory://kept/here")
    log.append(Draft("read"))
    log.close()
    assert outside(log, replace(how, outside="memory://kept/here")).size == 1
    assert said == []


def test_a_url_that_nobody_knows_is_refused_without_its_secrets() -> None:
    for place in ("nowhere://user:hunter2@host/path?token=hunter2", "s4://hunter2@host"):
        with pytest.raises(UsageError) as caught:
            outside_of(place, "log")
        assert "hunter2" not in caught.value.text


def test_a_log_that_makes_no_checkpoints_makes_none(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        log.append(Draft("read"))
        assert log.checkpoint() is None
        assert log.checkpoint_trouble == ""
    with Log.open(tmp_path / "log.db", readonly=True, checkpoints=Checkpointing(tmp_path / "key")) as log:
        assert log.checkpoint() is None
    assert not (tmp_path / "key").exists()


def test_a_checkpoint_in_the_log_that_is_damaged_is_said(open_log: OpenLog, tmp_path: Path) -> None:
    log = open_log()
    log.append(Draft("read"))
    log.close()
    connection = sqlite3.connect(tmp_path / "log.db")
    connection.executescript("DROP TRIGGER checkpoints_stay; UPDATE checkpoints SET note = x'00'")
    connection.close()
    log = open_log()
    log.append(Draft("read"))
    with pytest.raises(LogUnavailable, match="signed note"):
        log.checkpoint()
    with pytest.raises(LogBroken):
        latest(log)
