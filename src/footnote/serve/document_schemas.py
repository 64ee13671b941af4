"""Schemas and descriptions of the tools over documents. Descriptions have no figures, so that none can leak."""

from __future__ import annotations

from typing import Any

from footnote.serve.document_tools import QUOTE, SEARCH, SOURCES, VERIFY_ALL, VERIFY_CLAIM

Schema = dict[str, Any]

_STRING: Schema = {"type": "string"}
_STRINGS: Schema = {"type": "array", "items": _STRING}
_OBJECTS: Schema = {"type": "array", "items": {"type": "object"}}
_INTEGER: Schema = {"type": "integer"}

_ONLY = (
    "Only GROUNDED may be presented as fact, with its quote. For CONTRADICTED say what the source says; for UNSUPPORTED "
    "say that no source supports it. The verdict is recorded."
)

_SOURCES_SAID = (
    "Lists the documents that claims can be verified against: file, title, type, authority (tier) and why, "
    "sections, and what could not be read. Use it to learn what there is, or the exact name of a file. Not "
    "for finding a passage: use search."
)
_SEARCH_SAID = (
    "Finds passages that share words, numbers or identifiers with a query, and returns them verbatim with "
    "file, section and score. Use it to see what the documents say about something. That a passage was found "
    "proves nothing: verify a claim before you present it as fact."
)
_QUOTE_SAID = (
    "Returns a section of a document verbatim, by its number, title or path, or the whole document. Use it to "
    "read a clause in context. A section that does not exist is an error with a list of those that do."
)
_VERIFY_CLAIM_SAID = (
    "Checks one statement against the documents and returns GROUNDED with the exact passage, CONTRADICTED "
    "with the passage that says otherwise, or UNSUPPORTED. Use it before you state anything about a document. "
    f"{_ONLY} Give one statement, complete by itself: names instead of pronouns. Not for questions."
)
_VERIFY_ALL_SAID = (
    f"As verify, for several statements: give each sentence of a text that states a fact as a claim of its own. {_ONLY}"
)

_DESCRIPTIONS = {
    SOURCES: ("List documents", _SOURCES_SAID),
    SEARCH: ("Search documents", _SEARCH_SAID),
    QUOTE: ("Quote a document", _QUOTE_SAID),
    VERIFY_CLAIM: ("Verify a claim", _VERIFY_CLAIM_SAID),
    VERIFY_ALL: ("Verify several claims", _VERIFY_ALL_SAID),
}

_TIER: Schema = {
    "type": "integer",
    "enum": [1, 2, 3],
    "description": "Only sources of this or higher authority: contracts, ledgers and minutes; also notes; also correspondence.",
}
_OFFSET: Schema = {"type": "integer", "minimum": 0, "description": "Where to go on: nextOffset of the page before."}


def _object(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_INPUTS = {
    SOURCES: _object({"tier": _TIER, "offset": _OFFSET}, []),
    SEARCH: _object(
        {
            "query": {"type": "string", "description": "Words, numbers or identifiers, in any order."},
            "tier": _TIER,
            "limit": {"type": "integer", "minimum": 1, "description": "At most so many passages."},
            "offset": _OFFSET,
        },
        ["query"],
    ),
    QUOTE: _object(
        {
            "file": {"type": "string", "description": "The document, as list_sources names it."},
            "section": {"type": "string", "description": "Number, title or path of a section. Left out: all of it."},
            "offset": _OFFSET,
        },
        ["file"],
    ),
    VERIFY_CLAIM: _object({"claim": {"type": "string", "description": "One statement."}, "tier": _TIER}, ["claim"]),
    VERIFY_ALL: _object(
        {
            "claims": {"type": "array", "items": _STRING, "minItems": 1, "description": "Statements, one each."},
            "tier": _TIER,
            "offset": _OFFSET,
        },
        ["claims"],
    ),
}

_VERDICT: Schema = {
    "status": {"type": "string", "enum": ["GROUNDED", "CONTRADICTED", "UNSUPPORTED"]},
    "claim": _STRING,
    "permittedAction": {"type": "string", "enum": ["present_with_quote", "report_contradiction", "refuse"]},
    "reasonCodes": _STRINGS | {"description": "Why; the same in every language."},
    "explanation": _STRING,
    "quote": {"type": "string", "description": "The passage that decides, verbatim."},
    "quotes": _OBJECTS | {"description": "Its fragments, with their positions."},
    "file": _STRING,
    "location": {"type": "object", "description": "Section, page, sheet and position of the passage."},
    "tier": _INTEGER,
    "slots": _OBJECTS | {"description": "What the claim asserts, and whether the passage has it."},
    "derivation": {"type": "string", "description": "How a derived figure follows from the cells quoted."},
    "conflicting": _OBJECTS | {"description": "Passages of lower authority that disagree."},
    "nearest": {"type": "object", "description": "The passage that comes closest, if nothing decides."},
    "rows": _OBJECTS | {"description": "Rows of the system of record that the claim names, as they are now."},
    "notes": _STRINGS,
    "record": {"type": "object", "description": "Receipt of the provenance record: id, sequence, hash."},
}

_OUTPUTS: dict[str, Schema] = {
    SOURCES: {
        "type": "object",
        "properties": {"sources": _OBJECTS, "total": _INTEGER, "problems": _STRINGS, "nextOffset": _INTEGER},
        "required": ["sources", "total", "problems"],
    },
    SEARCH: {
        "type": "object",
        "properties": {"hits": _OBJECTS, "nextOffset": _INTEGER},
        "required": ["hits"],
    },
    QUOTE: {
        "type": "object",
        "properties": {
            "id": _STRING,
            "file": _STRING,
            "section": _STRINGS,
            "text": {"type": "string", "description": "Verbatim."},
            "start": _INTEGER,
            "end": _INTEGER,
            "page": _INTEGER,
            "tier": _INTEGER,
            "truncated": {"type": "boolean"},
            "nextOffset": _INTEGER,
        },
        "required": ["id", "file", "section", "text", "start", "end", "tier", "truncated"],
    },
    VERIFY_CLAIM: {
        "type": "object",
        "properties": _VERDICT,
        "required": ["status", "claim", "permittedAction", "reasonCodes", "explanation", "quotes", "record"],
    },
    VERIFY_ALL: {
        "type": "object",
        "properties": {"verdicts": _OBJECTS, "counts": {"type": "object"}, "nextOffset": _INTEGER},
        "required": ["verdicts", "counts"],
    },
}

DOCUMENT_TOOLS: dict[str, tuple[str, str, Schema, Schema]] = {
    name: (title, description, _INPUTS[name], _OUTPUTS[name]) for name, (title, description) in _DESCRIPTIONS.items()
}
"""Title, description, input and output schema of each tool, in the order in which they are offered."""
