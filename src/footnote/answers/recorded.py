"""An answer as a record."""

from __future__ import annotations

from footnote.access import Actor
from footnote.answers.answer import Answer
from footnote.evidence import Json
from footnote.provenance import Draft


def answer_draft(answer: Answer, actor: Actor, catalog_digest: str) -> Draft:
    """What is recorded of an answer; its results are records of their own and are named by their ids."""
    sections: dict[str, Json] = {
        "actor": dict(actor.as_dict()),
        "question": answer.question,
        "answer": answer.text,
        "claims": [claim.as_dict() for claim in answer.claims],
        "operations": [result.operation_dict() for result in answer.results],
        "results": [{"id": result.record_id, "result": result.id} for result in answer.results],
        "presentation": answer.presentation(),
    }
    return Draft("answer", catalog_digest, sections, [item.as_dict() for item in answer.evidence])
