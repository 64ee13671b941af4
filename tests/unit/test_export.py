"""Exports: readable, the same bytes for the same log, and verifiable with nothing but the file."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from footnote.audit import Selection, export_json, verify_export, write_export
from footnote.audit.files import ExportFailed
from footnote.errors import LogBroken, NameUnknown, UsageError
from footnote.provenance import Draft, Log, Verification
from footnote.provenance.leaf import commitment

NOW = datetime(2026, 8, 14, 12, tzinfo=UTC)
SIZE = 8


def draft(number: int) -> Draft:
    sections: dict[str, Any] = {
        "operations": [{"name": "getOverdueInvoices", "arguments": {"customer": "4471"}}],
        "actor": {"id": "zoran", "role": "controller"},
        "question": f"Question {number}: wie viel, Müller? 𝄞",
        "answer": "43.805,00\u00a0€",
        "tool": None,
    }
    rows = [{"id": f"invoice:{n}", "fields": {"outstanding": "18.450,00 €"}} for n in range(number % 4)]
    return Draft("answer" if number % 2 else "result", "sha256:" + "0" * 64, sections, rows)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "log.db"
    with Log.open(path) as log:
        for number in range(1, SIZE + 1):
            log.append(draft(number))
    return path


@pytest.fixture
def log(made: Path, tmp_path: Path) -> Iterator[Log]:
    shutil.copy(made, tmp_path / "log.db")
    with Log.open(tmp_path / "log.db") as log:
        yield log


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "export.json"


def written(log: Log, file: Path, **selection: Any) -> dict[str, Any]:
    write_export(file, export_json(log, Selection(**selection), now=NOW), overwrite=True)
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def changed(file: Path, content: dict[str, Any]) -> Verification:
    file.write_text(json.dumps(content), encoding="utf-8")
    return verify_export(file)


def tamper(log: Log, statement: str, *values: Any) -> None:
    connection = sqlite3.connect(log.store.path)  # type: ignore[attr-defined]  # a store in a file has one
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(statement, values)
    connection.commit()
    connection.close()


# --- what an export is ------------------------------------------------------------------------------------------------


def test_a_record_has_the_names_that_readers_of_exports_know_in_the_order_they_read(log: Log, file: Path) -> None:
    content = written(log, file)
    record = content["records"][0]
    assert (
        list(record)
        == (
            "id sequence kind timestamp actor question answer operations tool evidence catalog previousHash hash leaf salts"
        ).split()
    )
    assert record["sequence"] == 1
    assert record["actor"] == {"id": "zoran", "role": "controller"}
    assert record["question"] == "Question 1: wie viel, Müller? 𝄞"
    assert record["evidence"] == [{"id": "invoice:0", "fields": {"outstanding": "18.450,00 €"}}]
    assert record["previousHash"] == "0" * 64
    assert json.loads(record["leaf"])["id"] == record["id"]


def test_the_envelope_says_what_it_holds(log: Log, file: Path) -> None:
    content = written(log, file)
    head = log.head()
    assert head
    assert list(content) == ["format", "exportedAt", "log", "selection", "chainIntegrity", "records"]
    assert (content["format"], content["exportedAt"]) == ("footnote/v1", "2026-08-14T12:00:00.000Z")
    assert content["log"] == log.id
    assert content["chainIntegrity"] == {"ok": True, "count": SIZE, "head": head.hash}
    assert [record["sequence"] for record in content["records"]] == list(range(1, SIZE + 1))


def test_the_same_log_gives_the_same_bytes(log: Log) -> None:
    assert "".join(export_json(log, now=NOW)) == "".join(export_json(log, now=NOW))


def test_an_export_verifies_and_says_the_head_of_the_log(log: Log, file: Path) -> None:
    written(log, file)
    assert verify_export(file) == log.verify()


def test_an_export_verifies_in_any_spelling_of_its_json(log: Log, file: Path) -> None:
    content = written(log, file)
    file.write_text(json.dumps(content, indent=2, ensure_ascii=True), encoding="utf-8")
    assert verify_export(file).count == SIZE


def test_an_empty_log_gives_an_export_that_verifies(tmp_path: Path, file: Path) -> None:
    with Log.open(tmp_path / "empty.db") as log:
        assert written(log, file)["records"] == []
    assert verify_export(file) == Verification(True, 0)


def test_what_is_appended_while_an_export_is_written_is_not_in_it(log: Log, file: Path) -> None:
    def pieces() -> Iterator[str]:
        for piece in export_json(log):
            log.append(draft(99))
            yield piece

    write_export(file, pieces())
    assert verify_export(file).count < log.size()
    assert verify_export(file).ok


@pytest.mark.parametrize(
    ("selection", "sequences"),
    [
        ({"after": 3}, [4, 5, 6, 7, 8]),
        ({"limit": 2}, [1, 2]),
        ({"limit": 0}, []),
        ({"after": 2, "limit": 3}, [3, 4, 5]),
        ({"after": 8}, []),
        ({"kinds": ("result",)}, [2, 4, 6, 8]),
        ({"kinds": ("answer",), "after": 1, "limit": 2}, [3, 5]),
        ({"kinds": ()}, []),
        ({"record": 5}, [5]),
        ({"record": 1}, [1]),
    ],
)
def test_a_selection_is_exported_and_verifies(
    log: Log, file: Path, selection: dict[str, Any], sequences: list[int]
) -> None:
    content = written(log, file, **selection)
    assert [record["sequence"] for record in content["records"]] == sequences
    outcome = verify_export(file)
    assert (outcome.ok, outcome.count) == (True, len(sequences)), outcome.reason
    if sequences:
        content["records"][-1]["answer"] = "0,00 €"
        assert changed(file, content).failed_at == sequences[-1]


def test_a_record_is_exported_by_its_short_id(log: Log, file: Path) -> None:
    record = log.get(3)
    assert written(log, file, record=record.short_id)["records"][0]["id"] == record.id
    with pytest.raises(NameUnknown):
        written(log, file, record="ffffffff")


def test_negative_numbers_select_nothing() -> None:
    with pytest.raises(UsageError, match="negative"):
        Selection(after=-1)
    with pytest.raises(UsageError, match="negative"):
        Selection(limit=-1)


# --- erased parts -----------------------------------------------------------------------------------------------------


def erase(log: Log, sequence: int, path: str) -> None:
    section, _, position = path.partition("/")
    entry = next(iter(log.store.entries(sequence - 1, sequence)))
    part = next(part for part in entry.parts if part.path == path)
    kept = commitment(part.salt or b"", path, part.data or b"")
    where = "sequence = ? AND section = ? AND position = ?"
    tamper(
        log,
        f"UPDATE payload SET salt = NULL, data = NULL, commitment = ? WHERE {where}",
        kept,
        sequence,
        section,
        int(position or 0),
    )


def test_an_erased_section_and_an_erased_row_leave_an_export_that_verifies(log: Log, file: Path) -> None:
    erase(log, 3, "question")
    erase(log, 3, "evidence/1")
    log.append(Draft("erasure", sections={"erased": [{"sequence": 3, "paths": ["question", "evidence/1"]}]}))
    record = written(log, file)["records"][2]
    assert "question" not in record
    assert record["evidence"][1] is None
    assert list(record["commitments"]) == ["evidence/1"]
    outcome = verify_export(file)
    assert (outcome.ok, outcome.count, outcome.erased) == (True, SIZE + 1, 2)
    assert outcome == log.verify()


def test_a_part_that_is_gone_without_an_erasure_is_reported(log: Log, file: Path) -> None:
    content = written(log, file)
    del content["records"][4]["question"], content["records"][4]["salts"]["question"]
    outcome = changed(file, content)
    assert (outcome.ok, outcome.failed_at, outcome.kind) == (False, 5, "payload")
    assert "question" in outcome.reason


# --- tampering with the file ------------------------------------------------------------------------------------------


def set_in(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        target: Any = content
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value

    return change


def remove(index: int) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["records"].pop(index)


def swap(one: int, other: int) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        records = content["records"]
        records[one], records[other] = records[other], records[one]

    return change


def double(index: int) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["records"].insert(index, content["records"][index])


LEAF = '{"catalog":""}'


@pytest.mark.parametrize(
    ("change", "sequence", "kind"),
    [
        (set_in("records", 4, "answer", value="43.806,00\u00a0€"), 5, "payload"),
        (set_in("records", 4, "actor", "role", value="auditor"), 5, "payload"),
        (set_in("records", 4, "tool", value=False), 5, "payload"),
        (set_in("records", 2, "evidence", 1, "id", value="invoice:9"), 3, "payload"),
        (set_in("records", 2, "salts", "question", value="00" * 32), 3, "payload"),
        (set_in("records", 2, "salts", "evidence", 0, value="00" * 32), 3, "payload"),
        (set_in("records", 2, "evidence", value=[]), 3, "edit"),
        (set_in("records", 2, "salts", "evidence", 2, value=None), 3, "edit"),
        (set_in("records", 4, "hash", value="0" * 64), 5, "edit"),
        (set_in("records", 4, "hash", value=None), 5, "edit"),
        (set_in("records", 4, "id", value="00000000-0000-4000-8000-000000000000"), 5, "edit"),
        (set_in("records", 4, "kind", value="refusal"), 5, "edit"),
        (set_in("records", 4, "timestamp", value="2020-01-01T00:00:00.000Z"), 5, "edit"),
        (set_in("records", 4, "catalog", value="sha256:1"), 5, "edit"),
        (set_in("records", 4, "previousHash", value="0" * 64), 5, "edit"),
        (set_in("records", 4, "sequence", value=7), 5, "edit"),
        (set_in("records", 4, "leaf", value=LEAF), 5, "edit"),
        (set_in("records", 4, "approvedBy", value="nobody"), 5, "edit"),
        (set_in("records", 4, value=7), 5, "edit"),
        (set_in("records", 4, value={}), 5, "edit"),
        (set_in("records", 4, "answer", value=1.5), 5, "edit"),
        (set_in("records", 4, "answer", value="half \ud83d"), 5, "edit"),
        (set_in("records", 4, "leaf", value="half \ud83d"), 5, "edit"),
        (set_in("records", 4, "salts", value={"question": 5}), 5, "edit"),
        (remove(0), 1, "deletion"),
        (remove(4), 5, "deletion"),
        (remove(-1), SIZE, "truncation"),
        (swap(4, 5), 5, "reorder"),
        (swap(0, 7), 1, "reorder"),
        (double(4), 5, "insertion"),
        (set_in("log", value="00000000-0000-4000-8000-000000000000"), 1, "insertion"),
        (set_in("chainIntegrity", "count", value=SIZE + 1), SIZE + 1, "truncation"),
        (set_in("chainIntegrity", "ok", value=False), None, "edit"),
        (set_in("chainIntegrity", value=None), None, "edit"),
        (set_in("comment", value="trust me"), None, "malformed"),
    ],
)
def test_a_change_of_the_file_is_found_and_the_record_is_named(
    log: Log, file: Path, change: Callable[[dict[str, Any]], None], sequence: int | None, kind: str
) -> None:
    content = written(log, file)
    change(content)
    outcome = changed(file, content)
    assert (outcome.ok, outcome.failed_at, outcome.kind) == (False, sequence, kind), outcome.reason
    assert outcome.reason


def test_an_export_of_a_log_whose_payload_was_changed_shows_it(log: Log, file: Path) -> None:
    tamper(log, "UPDATE payload SET data = CAST('1' AS BLOB) WHERE sequence = 5 AND section = 'answer'")
    content = written(log, file)
    assert content["chainIntegrity"]["failedAt"] == 5
    outcome = verify_export(file)
    assert (outcome.failed_at, outcome.kind) == (5, "payload")


def test_a_record_whose_leaf_was_changed_cannot_be_exported_and_leaves_no_file(log: Log, file: Path) -> None:
    tamper(log, "UPDATE leaves SET leaf = x'00' WHERE sequence = 5")
    with pytest.raises(LogBroken, match="Record 5"):
        written(log, file)
    tamper(log, "UPDATE payload SET data = x'ff' WHERE sequence = 2 AND section = 'answer'")
    with pytest.raises(LogBroken, match="Record 2"):
        written(log, file)
    assert not list(file.parent.glob("*export*"))


# --- files that are none ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_damaged(log: Log, file: Path, share: float) -> None:
    written(log, file)
    text = file.read_bytes().rstrip()
    file.write_bytes(text[: int(len(text) * share)])
    outcome = verify_export(file)
    assert (outcome.ok, outcome.kind) == (False, "malformed")
    assert "damaged" in outcome.reason


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"format":"footnote/v1"',
        b'{"format":"footnote/v1","format":"footnote/v1"}',
        b'{"format":"footnote/v1","records":[],"records":[]}',
        b'{"format":"footnote/v1","records":[,1]}',
        b'{"format":"footnote/v1","records":[{"a":1,"a":2}]}',
        b'{"format":"footnote/v1","records":[NaN]}',
        b'{"format":"footnote/v1","records":[]} {}',
        b'{"format":"footnote/v1","records":' + b"[" * 1_000_000,
        b'{"format":"footnote/v1","records":[' + b'{"a":' * 1_000_000,
        b'{"format":"footnote/v1","records":[' + b"1" * 5000 + b"]}",
        b'{"format":"footnote/v1","records":["\xff"]}',
        b'{"format":"footnote/v1","log":' + b"[" * 100_000 + b"}",
    ],
)
def test_what_is_not_json_is_damaged_not_a_crash(file: Path, text: bytes) -> None:
    file.write_bytes(text)
    outcome = verify_export(file)
    assert (outcome.ok, outcome.kind) == (False, "malformed"), outcome


@pytest.mark.parametrize(
    "text", ["{}", '{"format":"footnote/v9","records":[]}', '{"format":7}', '{"records":[],"format":"footnote/v1"}']
)
def test_json_that_is_no_export_is_refused_as_such(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(UsageError, match="not an export"):
        verify_export(file)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ExportFailed, match="cannot be read"):
        verify_export(tmp_path / "none.json")
    with pytest.raises(ExportFailed, match="cannot be read"):
        verify_export(tmp_path)


def test_memory_stays_flat_however_many_records_there_are(log: Log, file: Path) -> None:
    import tracemalloc

    written(log, file)
    peaks = []
    for size in (500, 2500):
        while log.size() < size:
            log.append(draft(log.size() + 1))
        write_export(file, export_json(log), overwrite=True)
        tracemalloc.start()
        assert verify_export(file).count == size
        assert log.verify().count == size
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


# --- writing ----------------------------------------------------------------------------------------------------------


def test_an_export_is_for_its_owner_alone(log: Log, file: Path) -> None:
    written(log, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_export_that_fails_half_way_leaves_the_file_that_was_there(log: Log, file: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise LogBroken("Something is wrong.")

    file.write_text("the old one")
    with pytest.raises(LogBroken):
        write_export(file, pieces(), overwrite=True)
    assert file.read_text() == "the old one"
    assert list(file.parent.glob("*export*")) == [file]


def test_an_export_into_a_folder_that_is_not_there_is_refused(log: Log, tmp_path: Path) -> None:
    with pytest.raises(ExportFailed, match="cannot be written"):
        write_export(tmp_path / "none" / "export.json", export_json(log))
    (tmp_path / "folder").mkdir()
    with pytest.raises(ExportFailed, match="cannot be written"):
        write_export(tmp_path / "folder", export_json(log))
    assert list(tmp_path.glob(".*")) == []
