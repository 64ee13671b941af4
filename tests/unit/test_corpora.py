"""The labelled claims that the tests bring: well formed, none twice, their evidence word for word in their documents."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

CORPORA = Path(__file__).resolve().parents[1] / "corpora"
LABELS = {"GROUNDED", "CONTRADICTED", "UNSUPPORTED"}
GAP = " […] "  # between the fragments of one piece of evidence

each_set = pytest.mark.parametrize("name", ["lease", "adversarial"])


def claims(name: str) -> list[dict[str, Any]]:
    lines = (CORPORA / name / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def texts(name: str, claim: dict[str, Any]) -> list[str]:
    if "docs" in claim:
        return [document["content"] for document in claim["docs"]]
    return [(CORPORA / name / "documents" / claim["file"]).read_text(encoding="utf-8")]


@each_set
def test_claims_are_well_formed_and_none_stands_there_twice(name: str) -> None:
    found = claims(name)
    for claim in found:
        assert set(claim) - {"file", "docs"} == {"id", "claim", "label", "split", "kind", "evidence", "note"}
        assert ("file" in claim) != ("docs" in claim)
        assert claim["label"] in LABELS
        assert (claim["evidence"] is None) == (claim["label"] == "UNSUPPORTED")
    for key in ("id", "claim"):
        assert max(Counter(claim[key] for claim in found).values()) == 1


@each_set
def test_the_evidence_of_a_claim_is_in_one_of_its_documents_word_for_word(name: str) -> None:
    shown = [claim for claim in claims(name) if claim["evidence"] is not None]
    for claim in shown:
        fragments = claim["evidence"].split(GAP)
        assert any(all(part in text for part in fragments) for text in texts(name, claim)), claim["id"]
    assert len(shown) >= 50


def test_the_second_corpus_has_claims_of_every_label_about_each_of_its_documents() -> None:
    found = claims("lease")
    assert len(found) >= 60
    assert min(Counter(claim["label"] for claim in found).values()) >= 15
    assert {claim["file"] for claim in found} == {path.name for path in (CORPORA / "lease" / "documents").iterdir()}


def test_most_of_the_adversarial_claims_are_no_facts() -> None:
    labels = Counter(claim["label"] for claim in claims("adversarial"))
    assert labels.total() >= 150
    assert labels["CONTRADICTED"] + labels["UNSUPPORTED"] >= 110
    assert labels["GROUNDED"] >= 25
