"""Redacted exports: what is named is not in them, and they still verify; what is left out unsaid is a fault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from footnote.audit import export_json, verify_export
from footnote.audit.files import write_export
from footnote.audit.outputs import export_of
from footnote.audit.redact import Redaction
from footnote.audit.selection import Selection, select
from footnote.errors import UsageError
from footnote.provenance import Draft, Known, Log
from footnote.provenance.checkpoint import origin_of
from footnote.provenance.note import Signer


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(tmp_path / "log.db") as log:
        for number in range(3):
            sections = {"actor": f"actor {number}", "question": f"question {number}"}
            log.append(Draft("answer", "", sections, [f"row {number}{n}" for n in range(3)]))
        yield log


def redacted(log: Log, file: Path, *paths: str) -> str:
    write_export(file, export_json(log, redaction=Redaction.of(paths)), overwrite=True)
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("paths", "gone", "count"),
    [
        (("question",), ["question 0", "question 1", "question 2"], 3),
        (("2:question",), ["question 1"], 1),
        (("evidence",), [f"row {a}{b}" for a in range(3) for b in range(3)], 9),
        (("evidence/1", "3:actor"), ["row 01", "row 11", "row 21", "actor 2"], 4),
        (("2:evidence",), ["row 10", "row 11", "row 12"], 3),
    ],
)
def test_what_is_redacted_is_not_there_and_the_export_verifies(
    log: Log, tmp_path: Path, paths: tuple[str, ...], gone: list[str], count: int
) -> None:
    text = redacted(log, tmp_path / "export.json", *paths)
    whole = redacted(log, tmp_path / "whole.json")
    for part in gone:
        assert part in whole
        assert part not in text
    outcome = verify_export(tmp_path / "export.json")
    assert outcome.ok, outcome.reason
    said = "1 part is" if count == 1 else f"{count} parts are"
    assert outcome.remarks[0].startswith(f"{said} not in this export")
    assert json.loads(text)["redacted"] == list(paths)
    assert verify_export(tmp_path / "whole.json").remarks == ()


@pytest.mark.parametrize("path", ["quesiton", "4:question", "evidence/3", "2:evidence/3", "3:answer"])
def test_a_redaction_that_would_leave_nothing_out_is_refused(log: Log, path: str) -> None:
    """A misspelt one would hand out what it was to keep back."""
    selected = select(log, Selection())
    with pytest.raises(UsageError, match="No record that is exported has"):
        export_of(log, selected, redaction=Redaction.of(["question", path]))
    nobody = select(log, Selection(actor="nobody"))
    assert export_of(log, nobody, redaction=Redaction.of(["question"])).redaction.paths == ("question",)


def test_what_an_export_does_not_show_is_said(log: Log, tmp_path: Path) -> None:
    write_export(tmp_path / "some.json", export_json(log, Selection(limit=2)))
    write_export(tmp_path / "all.json", export_json(log))
    key = Signer(origin_of(log.id), Ed25519PrivateKey.generate()).key
    (selection,) = verify_export(tmp_path / "some.json").remarks
    assert selection.startswith("It is a selection")
    (unsigned,) = verify_export(tmp_path / "all.json", known=Known((key,))).remarks
    assert unsigned.startswith("No signature was checked")


def test_a_part_that_was_taken_out_unsaid_is_a_fault(log: Log, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    content = json.loads(redacted(log, file, "question"))
    content["redacted"] = ["1:question", "2:question"]
    file.write_text(json.dumps(content), encoding="utf-8")
    outcome = verify_export(file)
    assert (outcome.ok, outcome.kind, outcome.failed_at) == (False, "payload", 3)
    content["redacted"] = "question"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert not verify_export(file).ok


def test_a_redaction_cannot_hide_a_change(log: Log, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    text = redacted(log, file, "question")
    file.write_text(text.replace("actor 1", "actor 7"), encoding="utf-8")
    assert verify_export(file).kind == "payload"


def test_a_salt_of_what_was_redacted_is_not_in_the_export(log: Log, tmp_path: Path) -> None:
    record = json.loads(redacted(log, tmp_path / "export.json", "question", "evidence/0"))["records"][0]
    assert set(record["salts"]) == {"actor", "evidence"}
    assert record["salts"]["evidence"][0] is None
    assert set(record["commitments"]) == {"evidence/0"}


@pytest.mark.parametrize("path", ["", "evidence/", "question/1", "0:question", "hash", "6:", "evidence/01", "a b", "*"])
def test_what_is_no_path_is_said(path: str) -> None:
    with pytest.raises(UsageError, match="no path"):
        Redaction.of([path])
