"""An answer: text, claims that bind spans of it to evidence, and the results it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from footnote.evidence import EvidenceSet, Json
from footnote.operations.result import Result

Origin = Literal["structured", "quoted", "generated"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A span of an answer bound to evidence.

    Attributes:
        text: The span's text.
        start: First position in UTF-16 code units, as hosts in JavaScript count.
        end: Position after the last code unit.
        evidence: Ids of what a reader can open; never empty unless `origin` is `generated`.
        origin: `structured` (rows, arguments, definitions, absences), `quoted`, or `generated`.
        result: Short id of the result it comes from; empty for claims about no single result.
        figure: Address of the figure in that result (`totals.invoiceCount`); empty if it is not a figure.
    """

    text: str
    start: int
    end: int
    evidence: tuple[str, ...]
    origin: Origin = "structured"
    result: str = ""
    figure: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The claim as recorded."""
        out: dict[str, Any] = {
            "text": self.text,
            "span": {"start": self.start, "end": self.end},
            "evidenceIds": list(self.evidence),
            "origin": self.origin,
        }
        return out | ({"result": self.result} if self.result else {}) | ({"figure": self.figure} if self.figure else {})


@dataclass(frozen=True, slots=True)
class Answer:
    """Text and claims over one or more results; `receipt` is set once it is recorded.

    `kind` is `answer`, or `interpretation` where a conclusion is drawn from premises.
    """

    question: str
    text: str
    claims: tuple[Claim, ...]
    results: tuple[Result, ...]
    evidence: EvidenceSet
    kind: Literal["answer", "interpretation"] = "answer"
    notes: tuple[str, ...] = ()
    conclusion: tuple[int, int] | None = None
    """Span of the interpretation's conclusion in UTF-16 code units; None for plain answers."""
    receipt: Mapping[str, Json] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The answer as hosts, `footnote ask --json` and MCP's `structuredContent` show it."""
        shown = self.presentation()
        out: dict[str, Any] = {
            "kind": shown.pop("kind"),
            "question": self.question,
            "answer": self.text,
            "claims": [claim.as_dict() for claim in self.claims],
            "evidence": [item.as_dict() for item in self.evidence],
            "operations": [result.operation_dict() for result in self.results],
            "results": [result.as_dict() | {"record": dict(result.receipt)} for result in self.results],
            "notes": shown.pop("notes"),
            "record": dict(self.receipt),
        }
        return out | shown

    def presentation(self) -> dict[str, Any]:
        """What a host needs beside text and claims to show the answer as it was meant."""
        out: dict[str, Any] = {"kind": self.kind, "notes": list(self.notes)}
        if self.conclusion:
            out["conclusion"] = {"start": self.conclusion[0], "end": self.conclusion[1]}
        return out
