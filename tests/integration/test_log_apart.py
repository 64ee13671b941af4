"""A big log is verified with the help of further processes: the outcome is the same, whatever was done to the log."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from footnote.provenance import Draft, Log, Verification, apart
from footnote.provenance.sqlite import SqliteStore
from footnote.provenance.store import Page, Store, utc_now

SIZE, BLOCK = 1_000, 100


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand records are a big log here."""
    monkeypatch.setattr(apart, "BLOCK", BLOCK)
    monkeypatch.setattr(apart, "WORTH", SIZE)


def filled(place: str) -> Log:
    log = Log.open(place)
    drafts = [Draft("answer", sections={"question": f"{n}?", "n": n}, evidence=list(range(n % 4))) for n in range(SIZE)]
    log.append_all(drafts)
    return log


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    if request.param == "sqlite":
        with filled(str(tmp_path / "log.db")) as log:
            yield log
        return
    server = request.getfixturevalue("postgres_server")
    name = server.new_database()
    with filled(server.url(name)) as log:
        yield log
    server.drop(name)


def vouched(log: Log, processes: int = 1) -> list[bool]:
    """Of each page whether somebody vouched for its payload."""
    pages: list[tuple[Page, bool]] = list(apart.pages(log.store, 0, log.size(), processes))
    assert [page.upto for page, _ in pages] == sorted({page.upto for page, _ in pages})
    assert sum(len(page.leaves) for page, _ in pages) == log.size()
    return [not payload for _, payload in pages]


def test_the_outcome_is_that_of_one_process(log: Log) -> None:
    alone, helped = log.verify(), log.verify(processes=2)
    assert (alone.ok, alone.count) == (True, SIZE)
    assert helped == alone
    assert all(vouched(log))


def test_what_was_erased_is_looked_at_by_whoever_follows_the_chain(log: Log) -> None:
    log.erase(Draft("erasure", sections={"erased": [{"sequence": 250, "paths": ["question"]}]}), {250: ["question"]})
    assert log.verify(processes=1) == log.verify()
    assert log.verify(processes=1).erased == 1
    assert [number for number, held in enumerate(vouched(log)) if not held] == [2]


def changed(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)


TAMPERS = {
    "a payload": "UPDATE payload SET data = CAST('7' AS BLOB) WHERE sequence = 555 AND section = 'n'",
    "a salt": "UPDATE payload SET salt = zeroblob(32) WHERE sequence = 555 AND section = 'n'",
    "a salt of another length": "UPDATE payload SET salt = zeroblob(3) WHERE sequence = 555 AND section = 'n'",
    "a row": "DELETE FROM payload WHERE sequence = 555 AND section = 'evidence' AND position = 1",
    "a section of another record": "UPDATE payload SET sequence = 556, section = 'm' WHERE sequence = 555 AND section = 'n'",
    "a leaf": "UPDATE leaves SET leaf = replace(leaf, 'answer', 'result') WHERE sequence = 555",
    "a hash": "UPDATE leaves SET hash = zeroblob(32) WHERE sequence = 555",
    "a leaf that is text": "UPDATE leaves SET leaf = CAST(leaf AS TEXT) WHERE sequence = 555",
    "a record": "DELETE FROM leaves WHERE sequence = 555",
    "a record with its payload": "DELETE FROM leaves WHERE sequence = 1",
    "a payload of nobody": "INSERT INTO payload (sequence, section, position, salt, data) VALUES (2000, 'x', 0, x'00', x'00')",
}


@pytest.mark.parametrize("what", TAMPERS)
def test_whatever_was_changed_is_told_as_by_one_process(tmp_path: Path, what: str) -> None:
    filled(str(tmp_path / "log.db")).close()
    changed(tmp_path / "log.db", TAMPERS[what])
    with Log.open(tmp_path / "log.db", readonly=True) as log:
        alone, helped = log.verify(), log.verify(processes=1)
    assert helped == alone
    assert alone.ok == (what == "a leaf that is text")


def another(path: Path) -> Callable[[], Store]:
    return partial(SqliteStore, path, readonly=True, timeout=1.0, clock=utc_now)


def with_opener(log: Log, opener: Callable[[], Store], monkeypatch: pytest.MonkeyPatch) -> Verification:
    monkeypatch.setattr(type(log.store), "opener", lambda _: opener)
    return log.verify(processes=1)


def test_a_process_that_ends_or_sees_another_log_is_not_relied_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(str(tmp_path / "another.db")).close()
    with filled(str(tmp_path / "log.db")) as log:
        alone = log.verify()
        ends: Callable[[], Any] = partial(os._exit, 3)
        for opener in (ends, another(tmp_path / "another.db"), another(tmp_path / "none.db")):
            assert with_opener(log, opener, monkeypatch) == alone
        changed(tmp_path / "log.db", TAMPERS["a payload"])
        bad = with_opener(log, another(tmp_path / "another.db"), monkeypatch)
        assert (bad.ok, bad.kind, bad.failed_at) == (False, "payload", 555)


def test_nobody_is_asked_for_a_small_log_or_leaves_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "pages", None)  # so that asking would fail
    with Log.open(tmp_path / "log.db") as log:
        log.append_all([Draft("read") for _ in range(SIZE - 1)])
        assert log.verify(processes=2).ok
        log.append(Draft("read"))
        assert log.verify(processes=2, leaves_only=True).ok
        with pytest.raises(TypeError):
            log.verify(processes=2)
