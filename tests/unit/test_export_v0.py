"""Exports of format footnote/v0, which other implementations write, verified here."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from footnote.audit import verify_export
from footnote.provenance import GENESIS, Verification

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "v0-export.json"


def export(count: int = 5) -> dict[str, Any]:
    records: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        record: dict[str, Any] = {
            "id": f"c8e0f81c-ab37-488c-a28c-{number:012}",
            "sequence": number,
            "timestamp": f"2026-11-29T23:03:29.{110 - number:03}Z",
            "actor": {"id": "zoran", "role": "controller"},
            "question": "How much does Bergmann owe? \u2028 é 𝄞 \u0007",
            "answer": "43.805,00\u00a0€",
            "claims": [{"text": "4", "span": {"start": 0, "end": 1}, "evidenceIds": ["invoice:1"]}],
            "operations": [
                {"name": "getOverdueInvoices", "durationMs": 0.958, "tiny": 1e-7, "whole": 2.0, "big": 1e21}
            ],
            "evidence": [{"id": "invoice:1", "fields": {"ﬁeld": 1, "𝄞": 2, "ü": 3}, "cents": 9007199254740993}],
            "previousHash": records[-1]["hash"] if records else GENESIS,
        }
        shown = json.loads(json.dumps(record), parse_int=lambda text: int(text) if len(text) < 16 else float(text))
        records.append(record | {"hash": hashlib.sha256(rfc8785.dumps(shown)).hexdigest()})
    integrity = {"ok": True, "count": count}
    return {
        "format": "footnote/v0",
        "exportedAt": "2026-11-29T23:03:29.178Z",
        "chainIntegrity": integrity,
        "records": records,
    }


def verified(tmp_path: Path, content: dict[str, Any]) -> Verification:
    file = tmp_path / "export.json"
    file.write_text(json.dumps(content, indent=2), encoding="utf-8")
    return verify_export(file)


def test_an_intact_export_verifies_numbers_text_clock_and_all(tmp_path: Path) -> None:
    content = export()
    assert verified(tmp_path, content) == Verification(True, 5, head=content["records"][-1]["hash"])


def test_an_empty_export_verifies(tmp_path: Path) -> None:
    assert verified(tmp_path, export(0)).ok


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("answer", "43.806,00\u00a0€"),
        ("timestamp", "2020-01-01T00:00:00.000Z"),
        ("approved", True),
        ("hash", "0" * 64),
        ("actor", {"id": "zoran"}),
        ("answer", "half \ud83d"),
        ("answer", 10**400),
        ("id", None),
        ("hash", 5),
    ],
)
def test_one_change_is_found_in_its_record(tmp_path: Path, name: str, value: Any) -> None:
    content = export()
    content["records"][2][name] = value
    outcome = verified(tmp_path, content)
    assert (outcome.ok, outcome.failed_at, outcome.kind, outcome.count) == (False, 3, "edit", 2), outcome.reason


def test_a_record_rewritten_with_its_hash_is_found_by_the_next(tmp_path: Path) -> None:
    content = export()
    record = {name: value for name, value in content["records"][2].items() if name != "hash"}
    record["evidence"] = []
    content["records"][2] = record | {"hash": hashlib.sha256(rfc8785.dumps(record)).hexdigest()}
    outcome = verified(tmp_path, content)
    assert (outcome.ok, outcome.failed_at, outcome.kind) == (False, 3, "edit")
    assert "rewritten" in outcome.reason


@pytest.mark.parametrize(("index", "sequence", "kind"), [(0, 1, "deletion"), (2, 3, "deletion"), (4, 5, "truncation")])
def test_a_record_removed_is_missed(tmp_path: Path, index: int, sequence: int, kind: str) -> None:
    content = export()
    del content["records"][index]
    outcome = verified(tmp_path, content)
    assert (outcome.ok, outcome.failed_at, outcome.kind) == (False, sequence, kind)


def test_two_records_swapped_are_found(tmp_path: Path) -> None:
    content = export()
    records = content["records"]
    records[1], records[3] = records[3], records[1]
    outcome = verified(tmp_path, content)
    assert (outcome.ok, outcome.failed_at, outcome.kind) == (False, 2, "reorder")


@pytest.mark.parametrize("record", [None, 5, [], {}, {"sequence": "1"}, {"sequence": 1}, {"sequence": True}])
def test_what_is_no_record_is_said_to_be_none(tmp_path: Path, record: Any) -> None:
    content = export()
    content["records"][0] = record
    outcome = verified(tmp_path, content)
    assert (outcome.ok, outcome.failed_at) == (False, 1)


def test_the_export_of_another_implementation_verifies_and_three_changes_of_it_do_not(tmp_path: Path) -> None:
    if not REAL.exists():
        pytest.skip(f"{REAL} is not there")
    content = json.loads(REAL.read_text(encoding="utf-8"))
    assert verify_export(REAL) == Verification(True, 5, head=content["records"][-1]["hash"])
    character = copy.deepcopy(content)
    character["records"][3]["question"] = character["records"][3]["question"][:-1] + "!"
    removed = copy.deepcopy(content)
    del removed["records"][1]
    swapped = copy.deepcopy(content)
    swapped["records"][2:4] = reversed(swapped["records"][2:4])
    found = [verified(tmp_path, changed) for changed in (character, removed, swapped)]
    assert [(outcome.failed_at, outcome.kind) for outcome in found] == [(4, "edit"), (2, "deletion"), (3, "reorder")]
