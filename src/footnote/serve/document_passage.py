"""A document, or a passage of one in its context, by what stands behind `doc://`: `lease.md#120-180`."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from footnote.documents.presenting import fragment_dict, source_dict
from footnote.errors import ArgumentError, NameUnknown
from footnote.session.documents import Documents

AROUND = 500
"""Characters before and after a passage, at most; cut between lines where that is possible."""

_PLACE = re.compile(r"(?P<file>.+?)(?:#(?P<start>\d{1,12})-(?P<end>\d{1,12}))?", re.DOTALL)


def passage(documents: Documents, place: str) -> dict[str, Any]:
    """The document or the passage; that it was read is recorded.

    Args:
        documents: Of the session.
        place: A file's name, with `#start-end` for a passage of it.

    Raises:
        ArgumentError: The passage lies outside of the document.
        NameUnknown: There is no such document.
    """
    match = _PLACE.fullmatch(place)
    if match is None:
        raise ArgumentError(f"{place[:120]!r} names no document.", remedy="Write doc://file, or doc://file#start-end.")
    file = _file(documents, match["file"])
    if match["start"] is None:
        page = documents.quote(file)
        source = documents.corpus.source(file)
        return {"source": source_dict(source), "text": page.fragment.text, "truncated": page.next_offset is not None}
    return _in_context(documents, file, int(match["start"]), int(match["end"]))


def _in_context(documents: Documents, file: str, start: int, end: int) -> dict[str, Any]:
    fragment, source = documents.passage(file, start, end)
    before = source.text[max(0, start - AROUND) : start]
    after = source.text[end : end + AROUND]
    if start > AROUND and "\n" in before[:-1]:
        before = before[before.index("\n") + 1 :]
    if end + AROUND < len(source.text) and "\n" in after:
        after = after[: after.rindex("\n")]
    out: dict[str, Any] = {"source": source_dict(source), "passage": fragment_dict(fragment)}
    unit = next((u for u in source.units if u.start <= start < u.end), None)
    if unit is not None:
        out["section"] = list(unit.section)
        out |= {"page": unit.page} if unit.page is not None else {}
    return out | {"before": before, "after": after}


def _file(documents: Documents, named: str) -> str:
    """The file that a URI names; a client may have encoded it, or lowered the case of its first part as of a host."""
    files = [source.file for source in documents.corpus.sources()]
    for name in (named, unquote(named)):
        if name in files:
            return name
    same = [file for file in files if file.casefold() in (named.casefold(), unquote(named).casefold())]
    if len(same) == 1:
        return same[0]
    if len(same) > 1:
        raise NameUnknown(
            f"{named[:120]!r} may be any of several documents.", remedy="Write its name as list_sources does."
        )
    return named
