"""Errors as an MCP client gets them: what, why, what would work; of a fault of ours only a reference.

A tool error is a result with `isError`, so that a model can see it and mend its call; it has no structured content.
"""

from __future__ import annotations

import logging
import secrets
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mcp_types as types

from footnote.errors import FootnoteError
from footnote.serve.content import record_meta
from footnote.serve.plain import one_line, plain, plain_text

MOST_CHARACTERS = 4_000
"""Of the text of one error."""

_log = logging.getLogger("footnote.serve.mcp")


def failed(error: Exception) -> types.CallToolResult:
    """The result of a tool call that ended in `error`."""
    text, meta = told(error)
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True, _meta=meta or None)


def told(error: Exception) -> tuple[str, dict[str, Any]]:
    """What a client may be told of `error`: a text, and `_meta` that names the record of it if there is one."""
    if not isinstance(error, FootnoteError) or not error.recoverable:
        return _fault(error), {}
    receipt = error.details.get("record")
    meta = record_meta(receipt) if isinstance(receipt, Mapping) else {}
    return error_text(error), plain(meta)


def error_text(error: FootnoteError) -> str:
    """What, why and what would work; a candidate per line; the record of the failure."""
    lines = [error.text[:MOST_CHARACTERS]]
    if error.candidates:
        lines += ["Did you mean:", *(one_line(f"- {c.text}{_id(c.evidence_id)}"[:200]) for c in error.candidates)]
    receipt = error.details.get("record")
    if isinstance(receipt, Mapping) and "id" in receipt:
        lines.append(f"This is recorded: provenance://record/{receipt['id']}, record {receipt.get('sequence')}.")
    return plain_text("\n".join(lines))


def _id(evidence_id: str) -> str:
    return f" ({evidence_id})" if evidence_id else ""


def _fault(error: Exception) -> str:
    """What a client is told of a fault of ours; the operator finds the rest under the reference."""
    reference = secrets.token_hex(4)
    _log.error("fault %s: %s", reference, where(error))
    return (
        "Footnote could not finish this call, and the fault is not in the call. There is no answer. Whoever runs the "
        f"server finds the cause in its log under {reference}."
    )


def where(error: BaseException) -> str:
    """The types of an error and its causes and the lines they come from; never their texts.

    A driver's text may hold parameters, paths or secrets. The text of an error of ours about the catalog is the
    operator's own and is what they need.
    """
    lines: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(lines) < 5:
        frames = traceback.extract_tb(seen.__traceback__)[-6:]
        places = " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames))
        lines.append(f"{type(seen).__name__}{_own_text(seen)} at {places or 'an unknown place'}")
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return "; after ".join(lines)


def _own_text(error: BaseException) -> str:
    if not isinstance(error, FootnoteError):
        return ""
    file = getattr(error, "file", "")
    return f" [{error.text.replace(file, Path(file).name) if file else error.text}]"


class DiscreetFormatter(logging.Formatter):
    """Log lines in which an exception is its type and place, never its text."""

    def formatException(self, ei: Any) -> str:  # noqa: N802  # the name is logging's
        """The exception without its text."""
        return where(ei[1]) if ei and ei[1] else ""
