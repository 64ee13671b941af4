"""Append and read; what a log says when it cannot."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote.errors import FootnoteError, LogBroken, LogUnavailable, UsageError
from footnote.provenance import Draft, Log

ROWS = [{"id": "invoice:8812", "label": "18.450,00 €"}, {"id": "invoice:8834"}]


def answer(question: str = "How much does Bergmann owe?", **more: str) -> Draft:
    return Draft("answer", "sha256:" + "0" * 64, {"question": question, "actor": {"id": "zoran"}}, ROWS, **more)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


@pytest.fixture
def log(path: Path) -> Iterator[Log]:
    with Log.open(path) as log:
        yield log


def tamper(path: Path, *statements: str) -> None:
    """Change a log as its administrator could: triggers out of the way, then the statements."""
    connection = sqlite3.connect(path)
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


# --- the file ---------------------------------------------------------------------------------------------------------


def test_a_new_log_and_its_folder_are_for_their_owner_alone(tmp_path: Path) -> None:
    with Log.open(tmp_path / "new" / "log.db") as log:
        log.append(answer())
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
        for file in (tmp_path / "new").iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_log_is_the_same_log_when_it_is_opened_again(path: Path) -> None:
    with Log.open(path) as log:
        id = log.id
        receipt = log.append(answer())
    with Log.open(path) as log:
        assert log.id == id
        assert log.head() == receipt
        assert log.append(answer()).sequence == 2


def test_two_logs_on_one_file_in_one_process_make_one_chain(path: Path) -> None:
    with Log.open(path) as one, Log.open(path) as other:
        assert [log.append(answer()).sequence for log in (one, other, one)] == [1, 2, 3]
        assert other.verify().count == 3


def test_the_leaf_lies_in_the_file_as_it_was_hashed(log: Log, path: Path) -> None:
    receipt = log.append(answer())
    connection = sqlite3.connect(path)
    kind, computed = connection.execute("SELECT typeof(leaf), hash FROM leaves").fetchone()
    connection.close()
    assert (kind, computed.hex()) == ("blob", receipt.hash)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE leaves SET kind = 'read'",
        "UPDATE leaves SET leaf = x'00'",
        "DELETE FROM leaves",
        "DELETE FROM leaves WHERE sequence = 2",
        "INSERT OR REPLACE INTO leaves SELECT sequence, id, kind, x'00', hash FROM leaves WHERE sequence = 1",
        "INSERT OR REPLACE INTO leaves SELECT 9, id, kind, x'00', hash FROM leaves WHERE sequence = 1",
        "INSERT INTO leaves SELECT 0, 'x', kind, leaf, hash FROM leaves WHERE sequence = 1",
        "UPDATE log SET id = 'x'",
        "DELETE FROM log",
        "UPDATE payload SET data = x'00'",
        "UPDATE payload SET sequence = 9, salt = NULL, data = NULL",
        "DELETE FROM payload",
    ],
)
def test_changes_are_denied_by_the_database_too(log: Log, path: Path, statement: str) -> None:
    for _ in range(2):
        log.append(answer())
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    connection.close()
    assert log.verify().ok


def test_the_settings_that_make_a_commit_durable_are_in_force(log: Log) -> None:
    from footnote.provenance.sqlite_file import connect

    log.append(answer())
    connection = connect(log.store.path, timeout=1)  # type: ignore[attr-defined]  # a store in a file has one
    settings = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "secure_delete", "user_version")
    }
    connection.close()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "user_version": 2}


# --- reading only -----------------------------------------------------------------------------------------------------


def test_reading_a_log_that_nobody_writes_creates_nothing(path: Path) -> None:
    with Log.open(path) as log:
        log.append(answer())
    before = sorted(path.parent.iterdir())
    with Log.open(path, readonly=True) as log:
        assert log.get(1).intact
        assert log.verify().count == 1
        assert sorted(path.parent.iterdir()) == before
    assert sorted(path.parent.iterdir()) == before


def test_a_reader_sees_what_a_writer_that_turns_up_later_appends(path: Path) -> None:
    with Log.open(path) as log:
        log.append(answer())
    with Log.open(path, readonly=True) as reader:
        assert reader.size() == 1
        with Log.open(path) as log:
            for number in range(2, 400):
                log.append(answer())
                if number % 57 == 0:
                    assert reader.size() == number
                    assert reader.verify().count == number
        assert reader.verify().count == 399


def test_a_log_opened_for_reading_takes_no_record(path: Path) -> None:
    Log.open(path).close()
    with Log.open(path, readonly=True) as log, pytest.raises(LogUnavailable, match="reading only"):
        log.append(answer())


def test_reading_a_log_that_is_not_there_makes_none(path: Path) -> None:
    with pytest.raises(LogUnavailable, match="There is no log"):
        Log.open(path, readonly=True)
    with pytest.raises(LogUnavailable, match="There is no log"):
        Log.open(path.parent / "folder" / "log.db", readonly=True)
    assert list(path.parent.iterdir()) == []


# --- what is no log ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("readonly", [False, True])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, readonly: bool) -> None:
    path.write_text("Dear diary, this is not a database. " * 40)
    before = path.read_bytes()
    with pytest.raises(LogUnavailable, match="not a database"):
        Log.open(path, readonly=readonly)
    assert path.read_bytes() == before


@pytest.mark.parametrize("readonly", [False, True])
def test_a_database_that_is_no_log_is_refused_and_left_alone(path: Path, readonly: bool) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE invoices (id INTEGER PRIMARY KEY)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LogUnavailable, match="not a log"):
        Log.open(path, readonly=readonly)
    assert path.read_bytes() == before


@pytest.mark.parametrize("readonly", [False, True])
def test_a_log_of_a_newer_version_is_refused_by_name(path: Path, readonly: bool) -> None:
    Log.open(path).close()
    tamper(path, "PRAGMA user_version = 7")
    with pytest.raises(LogUnavailable, match=r"version 7.*newer Footnote"):
        Log.open(path, readonly=readonly)


def test_a_folder_or_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogUnavailable, match="is not a file"):
        Log.open(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(LogUnavailable) as caught:
        Log.open(tmp_path / "file" / "log.db")
    assert str(tmp_path / "file") in caught.value.text


def test_a_damaged_log_is_refused_with_words_not_with_a_traceback(path: Path) -> None:
    with Log.open(path) as log:
        for _ in range(50):
            log.append(answer())
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(bytes(data))
    with pytest.raises(FootnoteError, match="damaged"):
        Log.open(path)


def test_a_url_is_not_taken_for_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="URL"):
        Log.open("mysql://localhost/log")
    assert list(tmp_path.iterdir()) == []


# --- while it is in use -----------------------------------------------------------------------------------------------


def test_a_log_that_another_program_locks_too_long_is_unavailable_and_then_goes_on(path: Path) -> None:
    with Log.open(path, timeout=0.2) as log:
        log.append(answer())
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogUnavailable, match="Another program holds it"):
            log.append(answer())
        connection.execute("ROLLBACK")
        connection.close()
        assert log.append(answer()).sequence == 2
        assert log.verify().ok


def test_a_writer_that_holds_the_file_lock_too_long_makes_the_others_give_up(path: Path) -> None:
    from footnote.provenance.lock import WriterLock

    with Log.open(path, timeout=0.2) as log:
        lock = WriterLock(path.with_name("log.db.lock"))
        with lock.held(1), pytest.raises(LogUnavailable, match=r"more than 0\.2 s"):
            log.append(answer())
        lock.close()
        assert log.append(answer()).sequence == 1


def test_a_log_whose_file_is_removed_gives_no_more_receipts(path: Path) -> None:
    with Log.open(path) as log:
        log.append(answer())
        for file in path.parent.iterdir():
            file.unlink()
        for _ in range(2):
            with pytest.raises(LogUnavailable, match="removed, or replaced"):
                log.append(answer())
    assert not path.exists()


def test_a_log_whose_file_is_replaced_by_another_gives_no_more_receipts(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    Log.open(other).close()
    with Log.open(path) as log:
        for file in path.parent.glob("log.db*"):
            file.unlink()
        shutil.copy(other, path)
        with pytest.raises(LogUnavailable, match="removed, or replaced"):
            log.append(answer())


@pytest.mark.parametrize("replaced", [False, True])
def test_a_log_whose_file_is_gone_is_not_verified_from_the_one_that_was(
    path: Path, tmp_path: Path, replaced: bool
) -> None:
    with Log.open(tmp_path / "other.db") as other:
        other.append(answer())
    with Log.open(path) as log:
        log.append(answer())
        assert log.verify().ok
        if replaced:
            shutil.copy(tmp_path / "other.db", tmp_path / "copy.db")
            (tmp_path / "copy.db").replace(path)
        else:
            path.unlink()
        for read in (log.verify, log.size, log.head, lambda: log.get(1)):
            with pytest.raises(LogUnavailable, match="removed, or replaced"):
                read()


def test_a_closed_log_says_so(path: Path) -> None:
    log = Log.open(path)
    log.append(answer())
    log.close()
    log.close()
    with pytest.raises(LogUnavailable, match="closed"):
        log.append(answer())


def test_messages_after_opening_do_not_tell_where_the_log_lies(path: Path) -> None:
    with Log.open(path, timeout=0.1) as log:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogUnavailable) as caught:
            log.append(answer())
        connection.close()
        assert str(path.parent) not in caught.value.text
        assert caught.value.details["path"] == str(path)


# --- after somebody changed it ----------------------------------------------------------------------------------------


def test_nothing_is_appended_behind_a_record_that_was_changed(path: Path) -> None:
    with Log.open(path) as log:
        log.append(answer())
        tamper(path, "UPDATE leaves SET leaf = CAST(replace(CAST(leaf AS TEXT), 'answer', 'result') AS BLOB)")
        with pytest.raises(LogBroken, match="does not have its hash"):
            log.append(answer())
        with pytest.raises(LogBroken, match="changed"):
            log.get(1)


def test_nothing_is_appended_where_the_last_record_was_taken_out(path: Path) -> None:
    with Log.open(path) as log:
        log.append(answer())
        log.append(answer())
    tamper(path, "DELETE FROM leaves WHERE sequence = 2")
    with Log.open(path) as log, pytest.raises(LogBroken, match="does not end where its records end"):
        log.append(answer())


def test_a_changed_payload_is_named_and_not_shown(path: Path) -> None:
    with Log.open(path) as log:
        log.append(answer())
        tamper(path, "UPDATE payload SET data = CAST('\"Who?\"' AS BLOB) WHERE section = 'question'")
        record = log.get(1)
        assert record.states["question"] == "altered"
        assert "question" not in record.sections
        assert record.sections["actor"] == {"id": "zoran"}
        assert not record.intact


def test_a_part_that_is_gone_is_missing_until_a_record_says_that_it_was_erased(path: Path) -> None:
    with Log.open(path) as log:
        log.append(answer())
        tamper(path, "UPDATE payload SET salt = NULL, data = NULL WHERE section = 'question'")
        assert log.get(1).states["question"] == "missing"
        assert "question" not in log.get(1).sections
        log.append(Draft("erasure", sections={"erased": [{"sequence": 1, "paths": ["question"]}], "why": "GDPR 17"}))
        record = log.get(1)
        assert record.states["question"] == "erased"
        assert record.intact
        assert log.verify().ok
        assert log.verify().erased == 1


def test_an_erased_row_leaves_the_other_rows_provable_by_its_commitment(path: Path) -> None:
    from footnote.provenance.leaf import commitment

    with Log.open(path) as log:
        log.append(answer())
        part = next(part for part in next(log.store.entries()).parts if part.path == "evidence/0")
        kept = commitment(part.salt or b"", part.path, part.data or b"").hex()
        erase = (
            "UPDATE payload SET salt = NULL, data = NULL, commitment = {} WHERE section = 'evidence' AND position = 0"
        )
        tamper(path, erase.format(f"x'{kept}'"))
        log.append(Draft("erasure", sections={"erased": [{"sequence": 1, "paths": ["evidence/0"]}]}))
        record = log.get(1)
        assert (record.states["evidence/0"], record.states["evidence/1"]) == ("erased", "verified")
        assert record.evidence == (None, ROWS[1])
        assert log.verify().ok
        tamper(path, erase.format("x'00'"))
        assert log.verify().failed_at == 1


def test_an_erasure_excuses_nothing_that_comes_after_it(path: Path) -> None:
    with Log.open(path) as log:
        log.append(Draft("erasure", sections={"erased": [{"sequence": 2, "paths": ["question"]}]}))
        log.append(answer())
        tamper(path, "UPDATE payload SET salt = NULL, data = NULL WHERE section = 'question'")
        assert log.get(2).states["question"] == "missing"
        assert log.verify().failed_at == 2


@pytest.mark.parametrize("erased", [None, 5, [5], [{}], [{"sequence": "1", "paths": ["question"]}], [{"sequence": 1}]])
def test_an_erasure_of_another_shape_excuses_nothing(path: Path, erased: list[object] | int | None) -> None:
    with Log.open(path) as log:
        log.append(answer())
        log.append(Draft("erasure", sections={"erased": erased}))
        tamper(path, "UPDATE payload SET salt = NULL, data = NULL WHERE section = 'question'")
        assert log.get(1).states["question"] == "missing"


# --- a log that is being made -----------------------------------------------------------------------------------------


def half_made(path: Path) -> None:
    """The file as it is between its first page and its tables."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def test_whoever_reads_a_log_while_it_is_made_waits_for_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    half_made(path)

    def make() -> None:
        with Log.open(path) as log:
            log.append(Draft("read"))

    maker = threading.Timer(0.3, make)
    maker.start()
    with Log.open(path, readonly=True, timeout=10) as log:
        maker.join()
        assert [record.sequence for record in log.records()] == [1]


def test_a_log_that_was_never_made_is_said_to_be_empty(tmp_path: Path) -> None:
    half_made(tmp_path / "log.db")
    with pytest.raises(LogUnavailable, match="is empty"):
        Log.open(tmp_path / "log.db", readonly=True, timeout=0.1)
