"""An answer as an MCP client gets it: text that stands alone, the same again as structured content, links, `_meta`.

Clients lose one or another part, so no part leans on another. The text has every value with the URI of what it rests
on; `structuredContent` repeats it for programs; `resource_link` blocks are for people and can be left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as types

from footnote.answers.answer import Answer
from footnote.evidence import Row
from footnote.operations.result import Result
from footnote.serve.answer_text import answer_text
from footnote.serve.plain import plain, plain_text
from footnote.serve.structured import structured

if TYPE_CHECKING:  # at run time they come with the first call
    from footnote.answers.checking import CheckedText, Uncovered
    from footnote.provenance import Verification

MOST_LINKS = 20
"""Resource links of one answer."""

MOST_LINES = 300
"""Of the text about a checked text."""

MOST_NAMED = 8
"""Evidence ids named beside one span of a checked text."""

MOST_IDS = 500
"""Evidence ids in `_meta`; all of them stand in the record."""


def answered(answer: Answer, *, links: bool, composed: bool = False) -> types.CallToolResult:
    """The result of a tool call that gave an answer.

    Args:
        answer: Recorded, so that it has a receipt.
        links: Whether to add resource links.
        composed: The caller wrote it from results that it has already seen.
    """
    content: list[types.ContentBlock] = [types.TextContent(text=plain_text(answer_text(answer, composed=composed)))]
    if links:
        content += resource_links(answer)
    return types.CallToolResult(
        content=content, structured_content=plain(structured(answer)), _meta=plain(answer_meta(answer))
    )


def resource_links(answer: Answer) -> list[types.ContentBlock]:
    """A link per row that the answer cites, for the user, not for the model; the first ones if there are many."""
    rows = {row.id: row for row in cited_rows(answer)}
    return [_link(row) for row in list(rows.values())[:MOST_LINKS]]


def cited_rows(answer: Answer) -> list[Row]:
    """The rows that claims cite, in order; all rows of the evidence if no claim cites one."""
    rows = answer.evidence.rows()
    cited = {id for claim in answer.claims for id in claim.evidence}
    return [row for row in rows if row.id in cited] or list(rows)


def _link(row: Row) -> types.ResourceLink:
    label = plain_text(row.label or row.id)
    return types.ResourceLink(
        uri=plain_text(row.uri),
        name=label,
        title=label,
        description=plain_text(f"{row.type} {row.record_id}, the row behind a figure{_in_the_erp(row)}"),
        mime_type="application/json",
        annotations=types.Annotations(audience=["user"]),
    )


def _in_the_erp(row: Row) -> str:
    """The deep link, said; as `uri` it would be an address that this server cannot read."""
    return f"; in the ERP: {row.url}" if row.url else ""


def answer_meta(answer: Answer) -> dict[str, Any]:
    """`_meta` of an answer: its record, the ids of its evidence, the first query that ran."""
    meta = record_meta(answer.receipt)
    meta["footnote/evidenceIds"] = list(answer.evidence.ids()[:MOST_IDS])
    query = next((found for result in answer.results if (found := _first_query(result))), None)
    return meta | ({"footnote/query": query} if query else {})


def record_meta(receipt: Any) -> dict[str, Any]:
    """`_meta` of anything that was recorded; empty if it was not."""
    names = {"footnote/recordId": "id", "footnote/recordSequence": "sequence", "footnote/recordHash": "hash"}
    return {name: receipt[key] for name, key in names.items() if key in receipt}


def _first_query(result: Result) -> dict[str, Any] | None:
    query: dict[str, Any] | None = result.operation_dict().get("query")
    return query


def checked(text: CheckedText) -> types.CallToolResult:
    """The result of checking a finished text."""
    if text.ok:
        lines = ["Every figure and name in the text is covered by the results, as far as it states any."]
    else:
        lines = ["The text is not covered: do not show it as fact. What nothing covers:"]
        lines += [_uncovered_line(span) for span in text.uncovered]
    if text.covered:
        lines += ["Covered:", *(f"- {claim.text} — {', '.join(claim.evidence[:MOST_NAMED])}" for claim in text.covered)]
    lines = lines[:MOST_LINES] + ([f"… truncated: {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else [])
    return types.CallToolResult(
        content=[types.TextContent(text=plain_text("\n".join(lines)))], structured_content=plain(text.as_dict())
    )


def _uncovered_line(span: Uncovered) -> str:
    near = f"; near it: {', '.join(span.candidates)}" if span.candidates else ""
    return f"- {span.text}: {span.reason}{near}"


def verified(verification: Verification) -> types.CallToolResult:
    """The result of verifying the log: `{ok, count}`, or `{ok, failedAt, reason}`."""
    if verification.ok:
        out: dict[str, Any] = {"ok": True, "count": verification.count}
        text = f"The log verifies: all {verification.count} records hold, and the chain is whole."
        if verification.erased:
            text += f" {verification.erased} parts were erased, and records say so."
    else:
        out = {"ok": False, "reason": verification.reason}
        if verification.failed_at is not None:
            out["failedAt"] = verification.failed_at
        place = f"at record {verification.failed_at}" if verification.failed_at is not None else "at no single record"
        text = f"The log does not verify, {place}: {verification.reason} {verification.count} records before it hold."
    meta = {"footnote/head": verification.head} if verification.head else None
    return types.CallToolResult(
        content=[types.TextContent(text=plain_text(text))], structured_content=plain(out), _meta=meta
    )
