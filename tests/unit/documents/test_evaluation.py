"""Claims with labels are counted as they are: a false GROUNDED above all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnote.documents.evaluation import scores, table_of
from footnote.documents.index import Index
from footnote.documents.labelled import judge
from footnote.documents.verdict import Status, Verdict
from footnote.errors import Unreachable, UsageError


def gullible(claim: str, index: Index) -> Verdict:
    """Believes whatever shares a number or a word with the documents."""
    return Verdict(Status.GROUNDED if index.candidates([["rent"]]) else Status.UNSUPPORTED, claim)


def write(path: Path, *items: object) -> Path:
    path.write_text("\n".join(map(json.dumps, items)) + "\n", encoding="utf-8")
    return path


def item(label: str, **more: object) -> dict[str, object]:
    inline = [{"file": "a.md", "content": "The rent is 5 EUR."}]
    return {"claim": "The rent is 5 EUR.", "label": label, "kind": "money", "docs": inline} | more


def test_a_false_grounded_is_counted_by_split_and_kind(tmp_path: Path) -> None:
    path = write(
        tmp_path / "claims.jsonl",
        item("GROUNDED", split="dev"),
        item("CONTRADICTED", split="dev"),
        item("UNSUPPORTED", split="holdout", kind="other"),
    )
    found = {score.name: score for score in scores(list(judge(path, gullible)))}
    assert {name: (s.items, s.false_grounded, s.facts_confirmed, s.non_facts_refused) for name, s in found.items()} == {
        "all": (3, 2, 1, 0),
        "split dev": (2, 1, 1, 0),
        "split holdout": (1, 1, 0, 0),
        "kind money": (2, 1, 1, 0),
        "kind other": (1, 1, 0, 0),
    }
    assert "1/3 (33%)" in table_of(list(found.values())).splitlines()[1]


def test_documents_may_stand_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The rent is 5 EUR.", encoding="utf-8")
    path = write(tmp_path / "claims.jsonl", item("GROUNDED", docs=["a.md"]), item("UNSUPPORTED", docs=[]))
    assert [judged.right for judged in judge(path, gullible)] == [True, True]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "It is not JSON"),
        ("[]", "It has no claim"),
        ('{"claim": "x", "label": "TRUE"}', "Its label is 'TRUE'"),
        ('{"claim": "x", "label": "GROUNDED", "docs": 5}', "Its docs are no list"),
        ('{"claim": "x", "label": "GROUNDED", "docs": [5]}', "A document is neither"),
        ('{"claim": "x", "label": "GROUNDED"}', "names no documents"),
    ],
)
def test_a_line_that_is_no_labelled_claim_is_named(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "c.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        list(judge(tmp_path / "c.jsonl", gullible))


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="cannot be read"):
        list(judge(tmp_path / "none.jsonl", gullible))
    path = write(tmp_path / "c.jsonl", item("GROUNDED", docs=["none.md"]))
    with pytest.raises(Unreachable, match=r"none\.md"):
        list(judge(path, gullible))
