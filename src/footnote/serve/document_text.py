"""What tools over documents say in words, complete by itself: status, quote with its URI, what may be done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from footnote.documents.verdict import Passage, PermittedAction
from footnote.serve.plain import one_line

if TYPE_CHECKING:
    from footnote.session.documents import Page, Verified

LONGEST_PASSAGE = 1_200
"""Characters of a passage in a list; the structured content has all of it."""

ACTION = {
    PermittedAction.PRESENT_WITH_QUOTE: "You may present this as fact, with its quote.",
    PermittedAction.REPORT_CONTRADICTION: "Do not present the claim as fact. You may say what the source says, with its quote.",
    PermittedAction.REFUSE: "Do not present the claim as fact. Say that no source supports it.",
}


def verdict_text(found: Verified) -> str:
    """One verdict."""
    return "\n".join(_verdict_lines(found))


def verdicts_text(found: Sequence[Verified], following: int | None) -> str:
    """Several verdicts, numbered."""
    parts = [f"[{number}] {verdict_text(one)}" for number, one in enumerate(found, start=1)]
    return "\n\n".join([*parts, *_more(following, "claims")])


def _verdict_lines(found: Verified) -> Iterator[str]:
    verdict = found.verdict
    yield f"{verdict.status}: {one_line(verdict.claim[:2_000])}"
    for fragment in verdict.quotes:
        yield f"Quote: “{_flat(fragment.text)}” doc://{fragment.file}#{fragment.start}-{fragment.end}"
    if verdict.location is not None:
        where = f", {one_line(verdict.location.text)}" if verdict.location.text else ""
        yield f"Source: {one_line(verdict.file)}{where}, tier {verdict.tier}"
    if verdict.derivation:
        yield f"Derived: {verdict.derivation}"
    yield one_line(verdict.explanation)
    yield f"Reasons: {', '.join(verdict.reason_codes)}. {ACTION[verdict.permitted_action]}"
    for passage in verdict.conflicting:
        yield f"Conflicting, tier {passage.tier}: {_passage(passage)}"
    if verdict.nearest is not None:
        yield f"Nearest passage, which does not decide: {_passage(verdict.nearest)}"
    yield from (f"Note: {note}" for note in found.notes)
    receipt = found.receipt
    yield f"Record {receipt.sequence}: provenance://record/{receipt.id}, hash {receipt.hash}."


def _passage(passage: Passage) -> str:
    return f"“{_flat(passage.text)}” doc://{passage.file}#{passage.location.start}-{passage.location.end}"


def sources_text(sources: Sequence[dict[str, Any]], total: int, problems: Sequence[str], following: int | None) -> str:
    """A page of the list of sources."""
    lines = [f"{total} documents."]
    for source in sources:
        since = f", from {source['effective']}" if "effective" in source else ""
        lines.append(
            one_line(
                f"- {source['file']} – {source['title']} ({source['type']}, tier {source['tier']}: {source['tierReason']}{since})"
            )
        )
        lines += [f"  not read: {one_line(problem)}" for problem in source["problems"]]
    lines += [one_line(problem) for problem in problems]
    return "\n".join([*lines, *_more(following, "documents")])


def search_text(hits: Sequence[dict[str, Any]], following: int | None) -> str:
    """A page of passages."""
    if not hits:
        return "No passage shares a word, number or identifier with that."
    lines = ["Passages, verbatim. That one was found proves nothing: verify a claim before you present it as fact."]
    for hit in hits:
        at = hit["location"]
        where = f", {at['text']}" if at["text"] else ""
        lines.append(
            f"- “{_flat(hit['text'])}” doc://{hit['file']}#{at['start']}-{at['end']}{one_line(where)}, tier {hit['tier']}"
        )
    return "\n".join([*lines, *_more(following, "passages")])


def quote_text(page: Page) -> str:
    """A quoted section, as it stands in its source."""
    f = page.fragment
    head = f"doc://{f.file}#{f.start}-{f.end}, tier {page.quotation.tier}"
    return "\n".join([head, "", f.text, *_more(page.next_offset, "characters")])


def _flat(text: str) -> str:
    said = " ".join(text.split())
    cut = f"{said[:LONGEST_PASSAGE]} … (cut here; quote has all of it)" if len(said) > LONGEST_PASSAGE else said
    return one_line(cut)


def _more(following: int | None, what: str) -> list[str]:
    return [f"… truncated: there are more {what}; ask with offset {following}."] if following is not None else []
