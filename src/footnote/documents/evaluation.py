"""How well claims with known labels are judged: the table by split and kind, and every error. Pure.

The one error that counts above all is a false GROUNDED: a claim that is grounded though its label says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footnote.documents.verdict import Status, Verdict


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim whose label is known.

    Attributes:
        id: In its file.
        claim: The statement.
        label: What is true of it.
        split: `dev`, `holdout`, …; empty if there are none.
        kind: The trap it sets.
    """

    id: str
    claim: str
    label: Status
    split: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled claim and its verdict."""

    item: Labelled
    verdict: Verdict

    @property
    def right(self) -> bool:
        """The status is the label."""
        return self.verdict.status is self.item.label

    @property
    def false_grounded(self) -> bool:
        """Grounded, though it is no fact."""
        return self.verdict.status is Status.GROUNDED and self.item.label is not Status.GROUNDED


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over some judged claims."""

    name: str
    items: int
    right: int
    false_grounded: int
    facts: int
    facts_confirmed: int
    contradictions: int
    contradictions_found: int
    non_facts: int
    non_facts_refused: int

    def as_dict(self) -> dict[str, str | int]:
        """The score as JSON values."""
        return {
            "name": self.name,
            "items": self.items,
            "right": self.right,
            "falseGrounded": self.false_grounded,
            "facts": self.facts,
            "factsConfirmed": self.facts_confirmed,
            "contradictions": self.contradictions,
            "contradictionsFound": self.contradictions_found,
            "nonFacts": self.non_facts,
            "nonFactsRefused": self.non_facts_refused,
        }


def score(name: str, judged: Iterable[Judged]) -> Score:
    """The counts; a non-fact is refused if it is not grounded."""
    all_ = list(judged)
    facts = [j for j in all_ if j.item.label is Status.GROUNDED]
    contradictions = [j for j in all_ if j.item.label is Status.CONTRADICTED]
    return Score(
        name,
        len(all_),
        sum(j.right for j in all_),
        sum(j.false_grounded for j in all_),
        len(facts),
        sum(j.right for j in facts),
        len(contradictions),
        sum(j.right for j in contradictions),
        len(all_) - len(facts),
        sum(not j.false_grounded for j in all_) - len(facts),
    )


def scores(judged: Sequence[Judged]) -> list[Score]:
    """All claims, then each split, then each kind, in order of their first claim."""
    out = [score("all", judged)]
    for split in dict.fromkeys(j.item.split for j in judged if j.item.split):
        out.append(score(f"split {split}", (j for j in judged if j.item.split == split)))
    for kind in dict.fromkeys(j.item.kind for j in judged if j.item.kind):
        out.append(score(f"kind {kind}", (j for j in judged if j.item.kind == kind)))
    return out


def table_of(found: Sequence[Score]) -> str:
    """The scores as a table for a terminal."""
    head = ("", "claims", "right", "false GROUNDED", "facts confirmed", "contradictions", "non-facts refused")
    rows = [head, *map(_cells, found)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _cells(score: Score) -> tuple[str, ...]:
    return (
        score.name,
        str(score.items),
        _share(score.right, score.items),
        str(score.false_grounded),
        _share(score.facts_confirmed, score.facts),
        _share(score.contradictions_found, score.contradictions),
        _share(score.non_facts_refused, score.non_facts),
    )


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / whole:.0%})" if whole else "–"
