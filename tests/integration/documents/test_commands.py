"""`footnote documents …` as people and programs use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LEASE = "# LEASE\n\n## 1. Rent\n\n1.1 The monthly rent is 900 EUR.\n\n1.2 Pets are not permitted.\n"


class Footnote:
    """Runs commands in a folder with a log and a cache of its own."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "documents"
        self.folder.mkdir()
        (self.folder / "lease.md").write_text(LEASE, encoding="utf-8")
        self.environ = os.environ | {
            "FOOTNOTE_DOCUMENTS": str(self.folder),
            "FOOTNOTE_CACHE": str(place / "cache"),
            "PROVENANCE_DB": str(place / "log.db"),
            "PYTHONIOENCODING": "utf-8",
        }

    def __call__(self, *words: str, code: int = 0, **environ: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", "footnote", *words],
            env=self.environ | environ,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    def json(self, *words: str, code: int = 0, **environ: str) -> Any:
        return json.loads(self(*words, "--json", code=code, **environ))


@pytest.fixture
def footnote(tmp_path: Path) -> Footnote:
    return Footnote(tmp_path)


def test_a_grounded_claim_has_its_quote_and_a_record_that_verifies(footnote: Footnote) -> None:
    found = footnote.json("documents", "verify", "The monthly rent is 900 EUR.")
    assert (found["status"], found["quote"], found["permittedAction"]) == (
        "GROUNDED",
        "The monthly rent is 900 EUR.",
        "present_with_quote",
    )
    (quote,) = found["quotes"]
    assert LEASE[quote["start"] : quote["end"]] == quote["text"]
    export = json.loads(footnote("export"))
    record = next(r for r in export["records"] if r["sequence"] == found["record"]["sequence"])
    assert [claim["origin"] for claim in record["claims"]] == ["quoted"]
    assert record["claims"][0]["evidenceIds"] == [quote["id"]]
    assert [(e["id"], e["label"]) for e in record["evidence"]] == [(quote["id"], quote["text"])]
    assert "1 record verifies" in footnote("verify")


def test_what_is_not_grounded_ends_with_one_and_is_recorded(footnote: Footnote) -> None:
    contradicted = footnote.json("documents", "verify", "The monthly rent is 950 EUR.", code=1)
    unsupported = footnote.json("documents", "verify", "The landlord is Anna Nowak.", code=1)
    assert (contradicted["status"], unsupported["status"]) == ("CONTRADICTED", "UNSUPPORTED")
    kinds = {r["sequence"]: r for r in json.loads(footnote("export"))["records"]}
    record = kinds[contradicted["record"]["sequence"]]
    assert (
        record["answer"][record["claims"][0]["span"]["start"] : record["claims"][0]["span"]["end"]]
        == contradicted["quote"]
    )
    assert unsupported["record"]["sequence"] in kinds


def test_explanations_are_in_the_readers_language_and_codes_are_not(footnote: Footnote) -> None:
    said = [
        footnote.json("documents", "verify", "The monthly rent is 950 EUR.", code=1, FOOTNOTE_LANG=lang)
        for lang in ("en", "de", "pl_PL.UTF-8", "fr")
    ]
    assert len({one["explanation"] for one in said}) == 4
    assert len({tuple(one["reasonCodes"]) for one in said}) == 1
    assert "FOOTNOTE_LANG is 'xx'" in footnote("documents", "list", code=2, FOOTNOTE_LANG="xx")


def test_a_section_that_is_not_there_is_refused_with_those_that_are(footnote: Footnote) -> None:
    assert footnote("documents", "quote", "lease.md", "1.1") == "The monthly rent is 900 EUR.\n"
    assert "LEASE › 1. Rent › 1.2" in footnote("documents", "quote", "lease.md", "7", code=1)
    assert "There is no document 'none.md'" in footnote("documents", "quote", "none.md", code=1)


def test_what_cannot_be_read_is_listed(footnote: Footnote) -> None:
    (footnote.folder / "scan.pdf").write_bytes(b"%PDF-1.7 nothing")
    (footnote.folder / ".hidden").write_text("x", encoding="utf-8")
    said = footnote("documents", "list")
    assert "lease.md – LEASE (tier 1: its title names a contract" in said
    assert "! The file is damaged" in said
    assert "! Hidden files are ignored: .hidden." in said
    assert "2 documents, 4 units" in footnote("documents", "index")


def test_a_search_gives_verbatim_passages(footnote: Footnote) -> None:
    (hit, *_) = footnote.json("documents", "search", "pets")["hits"]
    assert (hit["text"], hit["file"], hit["tier"]) == ("Pets are not permitted.", "lease.md", 1)


@pytest.mark.parametrize(("label", "code"), [("GROUNDED", 0), ("UNSUPPORTED", 1)])
def test_a_false_grounded_makes_an_evaluation_fail(footnote: Footnote, tmp_path: Path, label: str, code: int) -> None:
    claim = {"id": "a-1", "claim": "The monthly rent is 900 EUR.", "label": label, "kind": "money"}
    (tmp_path / "claims.jsonl").write_text(json.dumps(claim) + "\n", encoding="utf-8")
    said = footnote("documents", "eval", str(tmp_path / "claims.jsonl"), code=code)
    assert ("FALSE GROUNDED" in said) == bool(code)
    found = footnote.json("documents", "eval", str(tmp_path / "claims.jsonl"), code=code)
    assert found["scores"][0]["falseGrounded"] == code


def test_without_documents_it_is_said_where_to_name_them(footnote: Footnote, tmp_path: Path) -> None:
    assert "There is no folder" in footnote("documents", "list", "--corpus", str(tmp_path / "none"), code=3)
    older = footnote("documents", "list", FOOTNOTE_DOCUMENTS="", MCP_REDLINE_CORPUS_DIR=str(footnote.folder))
    assert "lease.md" in older
    sample = footnote("documents", "list", FOOTNOTE_DOCUMENTS="")
    assert "contracts/bergmann-supply-agreement.md" in sample
