"""The tools over documents: `list_sources`, `search`, `quote`, `verify`, `verify_all`; what they take and what they return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import mcp_types as types

from footnote.documents.presenting import fragment_dict, source_dict, unit_dict
from footnote.errors import ArgumentError
from footnote.serve.content import record_meta
from footnote.serve.document_text import (
    quote_text,
    search_text,
    sources_text,
    verdict_text,
    verdicts_text,
)
from footnote.serve.plain import has_lone_surrogate, plain, plain_text
from footnote.session.documents import MOST_CLAIMS, documents_of

if TYPE_CHECKING:
    from footnote.session import Session

SOURCES, SEARCH, QUOTE, VERIFY_CLAIM, VERIFY_ALL = "list_sources", "search", "quote", "verify", "verify_all"
NAMES = (SOURCES, SEARCH, QUOTE, VERIFY_CLAIM, VERIFY_ALL)

MOST_SOURCES = 50
"""Sources on one page of `list_sources`."""

MOST_HITS = 50
"""Passages on one page of `search`."""

CLAIMS_AT_ONCE = 20
"""Claims on one page of `verify_all`."""

LONGEST_QUERY = 2_000
LONGEST_NAME = 1_000

Arguments = Mapping[str, Any]
Answered = Callable[[Arguments], types.CallToolResult]


def document_calls(session: Session) -> dict[str, Answered]:
    """The tools' calls, by name."""
    calls = _Calls(session)
    return {
        SOURCES: calls.sources,
        SEARCH: calls.search,
        QUOTE: calls.quote,
        VERIFY_CLAIM: calls.verify,
        VERIFY_ALL: calls.verify_all,
    }


class _Calls:
    def __init__(self, session: Session) -> None:
        self._documents = documents_of(session)

    def sources(self, arguments: Arguments) -> types.CallToolResult:
        tier, offset = tier_of(arguments), offset_of(arguments)
        corpus = self._documents.corpus
        all_ = corpus.sources(tier=tier)
        page = all_[offset : offset + MOST_SOURCES]
        told = [source_dict(source, corpus.sections(source.file)) for source in page]
        for one in told:
            one["sections"] = one["sections"][:60]
        following = offset + len(page) if offset + len(page) < len(all_) else None
        out = {"sources": told, "total": len(all_), "problems": list(corpus.problems)} | _next(following)
        return _result(sources_text(told, len(all_), corpus.problems, following), out)

    def search(self, arguments: Arguments) -> types.CallToolResult:
        tier, offset = tier_of(arguments), offset_of(arguments)
        limit = min(MOST_HITS, _whole(arguments, "limit", 10, least=1))
        hits = self._documents.search(
            text_of(SEARCH, arguments, "query", LONGEST_QUERY), tier=tier, limit=limit, offset=offset
        )
        told = [unit_dict(hit.unit) | {"tier": hit.tier, "score": f"{hit.score:.2f}"} for hit in hits]
        following = offset + len(hits) if len(hits) == limit else None
        return _result(search_text(told, following), {"hits": told} | _next(following))

    def quote(self, arguments: Arguments) -> types.CallToolResult:
        file = text_of(QUOTE, arguments, "file", LONGEST_NAME)
        section = str(arguments.get("section", ""))[:LONGEST_NAME]
        page = self._documents.quote(file, section, offset=offset_of(arguments))
        out = fragment_dict(page.fragment) | {
            "section": list(page.quotation.section),
            "tier": page.quotation.tier,
            "truncated": page.next_offset is not None,
        }
        if page.quotation.page is not None:
            out["page"] = page.quotation.page
        return _result(quote_text(page), out | _next(page.next_offset))

    def verify(self, arguments: Arguments) -> types.CallToolResult:
        found = self._documents.verify(claim_of(arguments), tier=tier_of(arguments))
        return _result(verdict_text(found), found.as_dict(), record_meta(found.receipt.as_dict()))

    def verify_all(self, arguments: Arguments) -> types.CallToolResult:
        claims, offset = claims_of(arguments), offset_of(arguments)
        page = claims[offset : offset + CLAIMS_AT_ONCE]
        found = self._documents.verify_all(page, tier=tier_of(arguments))
        following = offset + len(page) if offset + len(page) < len(claims) else None
        counts = {
            status: sum(one.verdict.status == status for one in found)
            for status in ("GROUNDED", "CONTRADICTED", "UNSUPPORTED")
        }
        out = {"verdicts": [one.as_dict() for one in found], "counts": counts} | _next(following)
        return _result(verdicts_text(found, following), out)


def _next(offset: int | None) -> dict[str, Any]:
    return {"nextOffset": offset} if offset is not None else {}


def _result(text: str, out: dict[str, Any], meta: dict[str, Any] | None = None) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=plain_text(text))],
        structured_content=plain(out),
        _meta=plain(meta) if meta else None,
    )


# --- arguments --------------------------------------------------------------------------------------------------------


def text_of(tool: str, arguments: Arguments, name: str, longest: int) -> str:
    """An argument that has to be a text.

    Raises:
        ArgumentError: It is none, too long, or no valid Unicode.
    """
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ArgumentError(f"{tool} needs the argument {name!r}, a text.", remedy="Give the text.")
    if len(value) > longest:
        raise ArgumentError(
            f"The argument {name!r} of {tool} has {len(value):,} characters.", remedy=f"At most {longest:,} are read."
        )
    if has_lone_surrogate(value):
        raise ArgumentError(
            f"The argument {name!r} of {tool} is no valid text.",
            why="It holds half of a surrogate pair.",
            remedy="Send it as valid Unicode.",
        )
    return value


def claim_of(arguments: Arguments) -> str:
    """The argument `claim`."""
    return text_of(VERIFY_CLAIM, arguments, "claim", 100_000)


def claims_of(arguments: Arguments) -> list[str]:
    """The argument `claims`.

    Raises:
        ArgumentError: It is no list of texts, or too long.
    """
    value = arguments.get("claims")
    if not isinstance(value, list) or not value or len(value) > MOST_CLAIMS:
        raise ArgumentError(f"verify_all needs the argument 'claims', a list of one to {MOST_CLAIMS} statements.")
    return [text_of(VERIFY_ALL, {"claims": item}, "claims", 100_000) for item in value]


def tier_of(arguments: Arguments) -> int | None:
    """The argument `tier`; None if it is left out."""
    if "tier" not in arguments:
        return None
    tier = _whole(arguments, "tier", 0, least=0)
    if tier not in (1, 2, 3):
        raise ArgumentError(f"The tier {tier} is none of 1, 2 and 3.", remedy="Give 1 for contracts and ledgers alone.")
    return tier


def offset_of(arguments: Arguments) -> int:
    """The argument `offset`."""
    return _whole(arguments, "offset", 0, least=0)


def _whole(arguments: Arguments, name: str, default: int, *, least: int) -> int:
    value = arguments.get(name, default)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)  # some clients send numbers as texts
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**31:
        raise ArgumentError(f"The argument {name!r} is no whole number of {least} or more.")
    return value


def _pages(arguments: Arguments) -> None:
    tier_of(arguments)
    offset_of(arguments)


def _search(arguments: Arguments) -> None:
    text_of(SEARCH, arguments, "query", LONGEST_QUERY)
    _whole(arguments, "limit", 10, least=1)
    _pages(arguments)


def _quote(arguments: Arguments) -> None:
    text_of(QUOTE, arguments, "file", LONGEST_NAME)
    if "section" in arguments and arguments["section"] != "":
        text_of(QUOTE, arguments, "section", LONGEST_NAME)
    offset_of(arguments)


def _verify(arguments: Arguments) -> None:
    claim_of(arguments)
    tier_of(arguments)


def _verify_all(arguments: Arguments) -> None:
    claims_of(arguments)
    _pages(arguments)


ARGUMENTS: dict[str, Callable[[Arguments], object]] = {
    SOURCES: _pages,
    SEARCH: _search,
    QUOTE: _quote,
    VERIFY_CLAIM: _verify,
    VERIFY_ALL: _verify_all,
}
"""Reads the arguments of each tool, and refuses what cannot be read."""
