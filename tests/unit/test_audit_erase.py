"""Erasing: what names a subject is found, destroyed to the last byte, and said to be gone; the log still verifies."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote.access import Actor
from footnote.audit import export_json, verify_export
from footnote.audit.erase import Held, erase, parts_of_record
from footnote.audit.files import write_export
from footnote.audit.retain import hold, release
from footnote.audit.subject import Subject, find_rows, find_subject
from footnote.errors import LogUnavailable, NameUnknown, UsageError
from footnote.evidence import Json
from footnote.provenance import Draft, Log

ME = Actor("auditor", "auditor")
SECRET = "Bergmann Logistik GmbH"


def customer(key: str, label: str) -> Json:
    return {"id": f"customer:{key}", "type": "customer", "recordId": key, "label": label}


def invoice(key: str, owner: str) -> Json:
    return {
        "id": f"invoice:{key}",
        "type": "invoice",
        "recordId": key,
        "label": f"INV-{key}",
        "values": {"customer": owner},
    }


def called(name: str, *params: str) -> Json:
    return [
        {"name": "getOverdueInvoices", "arguments": {"customer": name}, "query": {"sql": "SELECT", "params": [*params]}}
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


@pytest.fixture
def log(path: Path) -> Iterator[Log]:
    with Log.open(path) as log:
        actor = {"id": "zoran", "role": "controller"}
        bergmann: dict[str, Json] = {
            "actor": actor,
            "question": "what do those people in Graz owe?",
            "answer": f"{SECRET} is 43.805,00 € overdue.",
            "operations": called("Bergmann", "14"),
            "presentation": {"columns": ["number"]},
        }
        log.append(Draft("answer", "", bergmann, [customer("14", SECRET), invoice("1", "14"), invoice("2", "15")]))
        other: dict[str, Json] = {
            "actor": actor,
            "question": "And Nordwind Logistik?",
            "operations": called("15", "15"),
        }
        log.append(Draft("answer", "", other, [customer("15", "Nordwind Logistik AG"), invoice("14", "15")]))
        log.append(
            Draft("refusal", "", {"actor": {"id": "eva", "role": "x"}, "question": f"Is {SECRET.upper()} broke?"})
        )
        log.append(Draft("read", "", {"actor": actor, "question": "Bergmann's dog?"}))
        yield log


def bytes_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.name.startswith("log.db"))


def test_everything_that_names_a_subject_is_found_and_what_names_another_is_not(log: Log) -> None:
    found = find_subject(log, Subject.parse("customer:14"))
    assert found.labels == {SECRET}
    assert found.paths == {
        1: ["answer", "evidence/0", "evidence/1", "operations", "question"],
        3: ["question"],
    }, "the question too, which names nobody but stands in a record about the subject; not the other's invoice 14"
    assert found.possible == [2, 4], "the word stands there: Logistik, and the dog"


def test_rows_that_refer_to_a_subject_are_found_in_records_that_do_not_cite_it(log: Log) -> None:
    """As in an ageing report: it cites everybody's invoices, and no customer."""
    by_fields: Json = {"id": "invoice:7", "type": "invoice", "recordId": "7", "fields": {"customer_id": "14"}}
    by_another_name: Json = {"id": "note:8", "type": "note", "recordId": "8", "fields": {"debtor_id": "14"}}
    no_reference: Json = {"id": "order:14", "type": "order", "recordId": "14", "fields": {"id": "14", "days": "14"}}
    rows = [invoice("5", "14"), invoice("14", "15"), by_fields, by_another_name, no_reference]
    log.append(Draft("answer", "", {"question": "ageing?"}, rows))
    log.append(Draft("answer", "", {"question": "orders?"}, [no_reference]))
    found = find_subject(log, Subject.parse("customer:14"))
    assert found.paths[5] == ["evidence/0", "evidence/2"]
    assert found.possible == [2, 4, 5], "somebody has to look who debtor 14 is; an order 14, or 14 days, is nobody"


def test_an_actor_is_found_by_id_and_nobody_else(log: Log) -> None:
    assert find_subject(log, Subject.parse("zoran")).paths == {1: ["actor"], 2: ["actor"], 4: ["actor"]}
    assert find_subject(log, Subject.parse("actor:eva")).paths == {3: ["actor"]}
    assert find_subject(log, Subject.parse("actor:ev")).count == 0


def test_rows_of_one_id_are_found_alone_and_in_one_record(log: Log) -> None:
    assert find_rows(log, "customer:15") == {2: ["evidence/0"]}
    assert find_rows(log, "customer:15", iter([1])) == {}
    assert find_rows(log, "invoice:14") == {2: ["evidence/1"]}


@pytest.mark.parametrize("text", ["", "  ", ":14", "customer:", "1:2:"])
def test_what_is_no_subject_is_said(text: str) -> None:
    with pytest.raises(UsageError):
        Subject.parse(text)


def test_erased_text_is_in_none_of_the_files_and_the_log_verifies(log: Log, path: Path) -> None:
    assert SECRET.encode() in bytes_of(path)
    paths = find_subject(log, Subject.parse("customer:14")).paths
    done = erase(log, paths, actor=ME, reason="Request 12")
    assert done.scrubbed
    left = bytes_of(path)
    for text in (SECRET, SECRET.upper(), "43.805,00", "those people in Graz"):
        assert text.encode() not in left, text
    outcome = log.verify()
    assert (outcome.ok, outcome.count, outcome.erased) == (True, 5, 6)
    assert log.get(1).states["question"] == "erased"
    assert log.get(1).states["presentation"] == "verified"
    assert log.get(1).states["evidence/2"] == "verified", "the other rows are still proved"


def test_the_record_says_who_when_why_and_what_but_not_the_data(log: Log) -> None:
    done = erase(log, {1: ["question", "evidence/1"]}, actor=ME, reason="Request 12")
    record = log.get(done.receipt.sequence)
    assert record.kind == "erasure"
    assert record.sections == {
        "actor": {"id": "auditor", "role": "auditor"},
        "reason": "Request 12",
        "erased": [{"sequence": 1, "paths": ["evidence/1", "question"]}],
    }
    assert record.timestamp == done.receipt.timestamp


def test_an_export_of_an_erased_log_verifies_and_does_not_have_it(log: Log, tmp_path: Path) -> None:
    erase(log, find_subject(log, Subject.parse("customer:14")).paths, actor=ME, reason="Request 12")
    file = tmp_path / "export.json"
    write_export(file, export_json(log))
    assert SECRET not in file.read_text(encoding="utf-8")
    outcome = verify_export(file)
    assert (outcome.ok, outcome.erased, outcome.remarks) == (True, 6, ())


def test_a_record_is_erased_as_a_whole_and_a_second_time_there_is_nothing(log: Log) -> None:
    paths = parts_of_record(log, "2")
    assert len(paths[2]) == 5
    erase(log, paths, actor=ME, reason="Wrong record")
    assert set(log.get(2).states.values()) == {"erased"}
    assert parts_of_record(log, "2") == {2: []}
    with pytest.raises(NameUnknown, match="nothing to erase"):
        erase(log, parts_of_record(log, "2"), actor=ME, reason="Again")
    assert log.size() == 5


def test_what_the_log_needs_to_verify_cannot_be_erased_but_who_did_it_can(log: Log) -> None:
    first = erase(log, {1: ["question"]}, actor=ME, reason="Request 12").receipt
    assert parts_of_record(log, first.id) == {first.sequence: ["actor", "reason"]}
    erase(log, parts_of_record(log, first.id), actor=ME, reason="Request 13")
    assert log.verify().ok


def test_a_legal_hold_is_stronger_than_an_erasure(log: Log) -> None:
    day = log.get(1).timestamp[:10]
    hold(log, "Case 12", since=day, until="", actor=ME, reason="Court")
    with pytest.raises(Held, match="Case 12"):
        erase(log, {1: ["question"]}, actor=ME, reason="Request")
    assert log.get(1).states["question"] == "verified"
    release(log, "Case 12", actor=ME, reason="Closed")
    erase(log, {1: ["question"]}, actor=ME, reason="Request")
    assert log.get(1).states["question"] == "erased"


def test_an_erasure_has_a_reason(log: Log) -> None:
    with pytest.raises(UsageError, match="reason"):
        erase(log, {1: ["question"]}, actor=ME, reason="  ")


def test_a_reader_in_the_middle_keeps_the_file_from_being_scrubbed_and_that_is_said(log: Log, path: Path) -> None:
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM payload").fetchone()
    log.store._timeout = 0.2  # type: ignore[attr-defined]  # a store in a file has one, and nobody wants to wait
    with Log.open(path, timeout=0.2) as impatient:
        done = erase(impatient, {1: ["question"]}, actor=ME, reason="Request")
        assert not done.scrubbed
        reader.rollback()
        reader.close()
        assert impatient.scrub()
    assert b"those people in Graz" not in bytes_of(path)


def test_a_log_that_is_only_read_is_not_erased(path: Path, log: Log) -> None:
    with Log.open(path, readonly=True) as readonly, pytest.raises(LogUnavailable, match="reading only"):
        erase(readonly, {1: ["question"]}, actor=ME, reason="Request")


def test_an_erasure_that_cannot_be_recorded_erases_nothing(log: Log, path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON leaves WHEN NEW.kind = 'erasure'"
        " BEGIN SELECT RAISE(ABORT, 'no room'); END"
    )
    connection.commit()
    connection.close()
    with pytest.raises(Exception, match="nothing is appended"):
        erase(log, {1: ["question"]}, actor=ME, reason="Request")
    assert log.get(1).states["question"] == "verified"
    assert log.verify().ok


@pytest.mark.parametrize("restored", [[0], [0, 1], [0, 1, 2]])
def test_rows_put_in_the_place_of_erased_ones_are_found(
    path: Path, log: Log, restored: list[int], tmp_path: Path
) -> None:
    """Whoever can write the file fills up what an erasure left empty: nothing vouches for that, so nobody shows it as held."""
    erase(log, parts_of_record(log, "1"), actor=ME, reason="Request 12")
    with sqlite3.connect(path) as connection:
        for name in [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE payload SET commitment = NULL WHERE sequence = 1")
        for position in restored:
            connection.execute(
                "UPDATE payload SET salt = ?, data = ? WHERE sequence = 1 AND section = 'evidence' AND position = ?",
                (bytes(32), b'{"id":"invoice:forged"}', position),
            )
    connection.close()
    outcome = log.verify()
    assert (outcome.ok, outcome.failed_at, outcome.kind) == (False, 1, "payload"), outcome
    record = log.get(1)
    assert "verified" not in {state for path, state in record.states.items() if path.startswith("evidence")}
    assert not any(record.evidence)
    write_export(tmp_path / "export.json", export_json(log))
    assert not verify_export(tmp_path / "export.json").ok
