"""An answer as structured content: everything its text has, for programs, within a size that clients take."""

from __future__ import annotations

import json
from typing import Any

from footnote.answers.answer import Answer
from footnote.figures import Figure
from footnote.operations.result import Result
from footnote.serve.answer_text import BASIS, where_the_rest_is

MOST_CHARACTERS = 60_000
"""Of structured content as JSON; clients turn larger results into files or drop them."""

MOST_ITEMS = 100
"""Figures, claims and rows of evidence that are left when it is too large."""

COMPOSE = "compose_answer"


def structured(answer: Answer) -> dict[str, Any]:
    """The structured content: complete, or with `truncated` set and `more` saying where the rest is.

    What is left out first is what the record and the URIs have anyway: contributions, then the exact values beside the
    displayed fields of rows, then figures, claims and rows beyond the first hundred.
    """
    out = _everything(answer)
    for shorten in (_without_contributions, _fields_as_displayed, _first_items):
        if _size(out) <= MOST_CHARACTERS:
            break
        shorten(out)
        out |= {"truncated": True, "more": where_the_rest_is(answer)}
    return out


def _size(out: dict[str, Any]) -> int:
    return len(json.dumps(out, default=str, separators=(",", ":")))


def _everything(answer: Answer) -> dict[str, Any]:
    out: dict[str, Any] = {
        "answer": answer.text,
        "kind": answer.kind,
        "claims": [claim.as_dict() for claim in answer.claims],
        "evidence": [item.as_dict() for item in answer.evidence],
        "results": [result.id for result in answer.results],
        "operations": [_operation(result) for result in answer.results],
        "figures": {
            f"{result.id}.{address}": _figure(figure)
            for result in answer.results
            for address, figure in totals_first(result)
        },
        "checks": [check.as_dict() for result in answer.results for check in result.checks],
        "notes": list(dict.fromkeys([*answer.notes, *(note for result in answer.results for note in result.notes)])),
        "record": dict(answer.receipt),
        "cite": _cite(answer),
        "truncated": False,
    }
    if answer.conclusion:
        out["conclusion"] = {"start": answer.conclusion[0], "end": answer.conclusion[1]}
    empty = next((result.empty for result in answer.results if result.empty), "")
    return out | ({"empty": empty} if empty else {})


def totals_first(result: Result) -> list[tuple[str, Figure]]:
    """The figures of a result, those of single rows last, so that a cut does not take the totals."""
    return sorted(result.figures(), key=lambda item: "[" in item[0])


def _figure(figure: Figure) -> dict[str, Any]:
    out = figure.as_dict()
    del out["name"]  # the address has it
    return out


def _operation(result: Result) -> dict[str, Any]:
    out: dict[str, Any] = {
        "result": result.id,
        "name": result.operation,
        "title": result.title,
        "arguments": dict(result.arguments),
        "entities": [entity.as_dict() for entity in result.entities],
        "snapshot": result.taken_at,
        "source": result.source,
        "catalog": result.catalog_digest,
        "record": dict(result.receipt),
    }
    if result.as_of:
        out |= {"asOf": result.as_of, "basis": result.basis, "basisMeans": BASIS.get(result.basis, "")}
    return out | ({"emptyReason": result.empty} if result.empty else {})


def _cite(answer: Answer) -> dict[str, Any]:
    return {
        "tool": COMPOSE,
        "results": [result.id for result in answer.results],
        "slots": "Each key of `figures`, in braces, is a slot: {key}.",
    }


def _without_contributions(out: dict[str, Any]) -> None:
    for figure in out["figures"].values():
        contributions = figure.pop("contributions", None)
        if contributions:
            figure["contributionCount"] = len(contributions)
        _count_instead(figure, "evidence")
    for claim in out["claims"]:
        _count_instead(claim, "evidenceIds")


def _count_instead(item: dict[str, Any], key: str) -> None:
    """Keep the first ids of a long list, and say how many there are."""
    ids = item.get(key, [])
    if len(ids) > MOST_ITEMS:
        item[key], item[f"{key}Count"] = ids[:MOST_ITEMS], len(ids)


def _fields_as_displayed(out: dict[str, Any]) -> None:
    for item in out["evidence"]:
        item.pop("values", None)
        item.pop("labels", None)


def _first_items(out: dict[str, Any]) -> None:
    out["figures"] = dict(list(out["figures"].items())[:MOST_ITEMS])
    out["claims"] = out["claims"][:MOST_ITEMS]
    cited = {id for claim in out["claims"] for id in claim["evidenceIds"]}
    out["evidence"] = sorted(out["evidence"], key=lambda item: item["id"] not in cited)[:MOST_ITEMS]
