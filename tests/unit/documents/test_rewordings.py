"""What a sentence says in another construction is said, and what only sounds like it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from footnote.documents.constructions import reworded
from footnote.documents.lexicon import package_lexicon
from footnote.documents.statements import statements
from footnote.documents.texts import index_from_texts
from footnote.documents.tokens import read
from footnote.documents.verdict import Status
from footnote.documents.verify import verify

SAYINGS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "rewordings.yaml").read_text(encoding="utf-8"))


def judged(text: str, claim: str) -> Status:
    document = text if text.startswith("#") else f"# AGREEMENT\n\n1.1 {text}\n"
    return verify(claim, index_from_texts({"a.md": document})).status


@pytest.mark.parametrize("saying", SAYINGS, ids=[saying["text"][:60] for saying in SAYINGS])
def test_what_is_said_in_another_construction_is_said(saying: dict[str, Any]) -> None:
    assert [claim for claim in saying["says"] if judged(saying["text"], claim) is not Status.GROUNDED] == []


@pytest.mark.parametrize("saying", SAYINGS, ids=[saying["text"][:60] for saying in SAYINGS])
def test_what_only_sounds_like_it_is_not_said(saying: dict[str, Any]) -> None:
    assert [claim for claim in saying["not"] if judged(saying["text"], claim) is Status.GROUNDED] == []


def test_a_claim_is_not_taken_for_what_only_follows_from_it() -> None:
    said = statements(read("Ms Kolb, the managing director, signed the deed.", "en", package_lexicon()), "en")[0]
    assert reworded(said, passage=False) == ()
    assert len(reworded(said, passage=True)) == 2


def test_what_makes_the_rest_of_a_sentence_conditional_makes_what_follows_from_it_conditional() -> None:
    text = "Unless the board objects, the Customer shall pay each invoice within five days of receipt."
    for said in statements(read(text, "en", package_lexicon()), "en"):
        assert all(other.bars for other in reworded(said, passage=True))
