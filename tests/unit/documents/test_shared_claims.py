"""Claims over real contracts and reports: none is falsely grounded, and enough of the facts are confirmed.

The sets are not part of the repository; where they are absent the test says so.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.documents.evaluation import score
from footnote.documents.labelled import judge
from footnote.documents.verify import verify

SHARED = Path(__file__).parents[4] / "shared" / "claims"


@pytest.mark.parametrize(
    ("name", "right", "facts", "contradictions"),
    [
        ("kinds.jsonl", 44 / 47, 0.9, 0.9),
        ("numeric/claims.jsonl", 0.75, 0.8, 0.6),
        ("contracts/claims.jsonl", 0.5, 0.45, 0.2),
    ],
)
def test_none_is_falsely_grounded(name: str, right: float, facts: float, contradictions: float) -> None:
    if not (SHARED / name).exists():
        pytest.skip(f"{SHARED / name} is not there; it is not part of the repository")
    found = score(name, judge(SHARED / name, verify))
    assert found.false_grounded == 0
    assert found.right / found.items >= right
    assert found.facts_confirmed / found.facts >= facts
    assert found.contradictions_found / found.contradictions >= contradictions
