"""What a sentence does not say is never grounded in it, in four languages; what it says mostly is."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from footnote.documents.texts import index_from_texts
from footnote.documents.verdict import Status
from footnote.documents.verify import verify

TRAPS = yaml.safe_load((Path(__file__).parent / "traps.yaml").read_text(encoding="utf-8"))
FILLINGS = (
    {"n": "30", "m": "45", "N": "Delta", "M": "Borealis"},
    {"n": "12", "m": "21", "N": "Quantum", "M": "Halden"},
    {"n": "480", "m": "840", "N": "Nordby", "M": "Veltmann"},
)
BESIDE = "# NOTES\n\nThe office has a garden. Das Büro hat einen Garten. Le bureau a un jardin. Biuro ma ogród.\n"


def filled(text: str, filling: dict[str, str]) -> str:
    for name, value in filling.items():
        text = text.replace("{" + name + "}", value)
    return text


@pytest.mark.parametrize("language", TRAPS)
@pytest.mark.parametrize("filling", FILLINGS, ids=[f["N"] for f in FILLINGS])
def test_what_a_sentence_does_not_say_is_never_grounded(language: str, filling: dict[str, str]) -> None:
    grounded = []
    for trap in TRAPS[language]:
        index = index_from_texts({"a.md": f"# AGREEMENT\n\n1.1 {filled(trap['text'], filling)}\n", "b.md": BESIDE})
        claims = [filled(claim, filling) for claim in trap["not"]]
        grounded += [(trap["text"], c) for c in claims if verify(c, index).status is Status.GROUNDED]
    assert not grounded


@pytest.mark.parametrize("language", TRAPS)
def test_what_a_sentence_says_is_grounded_in_it(language: str) -> None:
    missed = []
    for trap in TRAPS[language]:
        if trap.get("doubtful"):
            continue
        index = index_from_texts({"a.md": f"# AGREEMENT\n\n1.1 {filled(trap['text'], FILLINGS[0])}\n", "b.md": BESIDE})
        if verify(filled(trap["says"], FILLINGS[0]), index).status is not Status.GROUNDED:
            missed.append(trap["says"])
    assert len(missed) <= len(TRAPS[language]) // 10, missed
