"""A verdict as a record: an answer whose claim rests on quotes or rows, or a refusal. Nothing of a quote is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from footnote.access import Actor
from footnote.answers.answer import Claim, Origin
from footnote.documents.presenting import verdict_dict
from footnote.documents.verdict import Location, Passage, Reason, Status, Verdict
from footnote.evidence import Json, Quote
from footnote.operations.recordable import recordable
from footnote.session.ledger import SCHEME, Ledger


def record_of(
    verdict: Verdict, asked: dict[str, Any], actor: Actor, ledger: Ledger | None, notes: Sequence[str]
) -> tuple[str, Actor, dict[str, Json], list[Json]]:
    """Kind, actor, sections and evidence of a verdict's record."""
    operations: list[Json] = [{"name": "verify", "arguments": recordable(asked)}, *(ledger.queries if ledger else ())]
    sections: dict[str, Json] = {
        "question": verdict.claim,
        "verdict": _clean(verdict_dict(verdict)),
        "operations": operations,
    }
    rows: list[Json] = [row.as_dict() for row in ledger.rows] if ledger is not None else []
    if verdict.status is Status.UNSUPPORTED:
        error: Json = {"code": "unsupported", "message": verdict.explanation}
        return "refusal", actor, sections | {"arguments": recordable(asked), "error": error}, rows
    text, claims = _answer(verdict, ledger)
    sections |= {
        "answer": text,
        "claims": [claim.as_dict() for claim in claims],
        "results": [],
        "presentation": {"kind": "answer", "notes": list(notes)},
    }
    quotes = [quote for quote in verdict.evidence if not quote.file.startswith(SCHEME)]
    return "answer", actor, sections, [*rows, *map(quote_dict, quotes)]


def _answer(verdict: Verdict, ledger: Ledger | None) -> tuple[str, list[Claim]]:
    """What may be said: the claim itself, or what the source says instead."""
    rows = {quote.file: ledger.row(quote.file) if ledger is not None else None for quote in verdict.evidence}
    ids = tuple(dict.fromkeys(row.id if (row := rows[quote.file]) else quote.id for quote in verdict.evidence))
    if verdict.status is Status.GROUNDED:
        origin: Origin = "structured" if all(rows.values()) else "quoted"
        return verdict.claim, [replace(_quoted(verdict.claim, 0, ids), origin=origin)]
    before = f"{verdict.explanation} “"
    quote = whole(verdict.quote)
    return f"{before}{quote}”", [_quoted(quote, _utf16(before), ids)]


def disagreeing(claim: str, rows: Verdict, papers: Verdict, language: str) -> Verdict:
    """Neither: the system of record and a document say different things, and both are shown."""
    from footnote.documents.explain import explain

    passages = tuple(Passage(one.quotes, one.file, one.location or Location(), one.tier or 1) for one in (rows, papers))
    slots = next(one.slots for one in (rows, papers) if one.status is Status.CONTRADICTED)
    doubt = Verdict(
        Status.UNSUPPORTED, claim, reason_codes=(Reason.SOURCES_DISAGREE,), slots=slots, conflicting=passages
    )
    return explain(doubt, language)


def _quoted(text: str, start: int, ids: tuple[str, ...]) -> Claim:
    return Claim(text, start, start + _utf16(text), ids, "quoted")


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def quote_dict(quote: Quote) -> Json:
    """A quote as recorded, in full; half of a surrogate pair, which no log can hold, is replaced by one character."""
    out: dict[str, Json] = quote.as_dict()
    return out | {"label": whole(quote.text), "id": whole(quote.id), "uri": whole(str(out["uri"]))}


def _clean(value: Any) -> Json:
    """JSON values as a log can hold them, none of them cut."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list) else value


def whole(text: str) -> str:
    """The text as a log can hold it, in full."""
    return text.encode("utf-8", "replace").decode("utf-8")
