"""What an MCP client can read: rows of the source (`erp://type/key`) and records of the log (`provenance://record/id`)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

import mcp_types as types

from footnote.errors import ArgumentError, NameUnknown
from footnote.evidence import Absence, Row
from footnote.provenance import Record
from footnote.serve.document_passage import passage
from footnote.serve.plain import plain, plain_text
from footnote.serve.recorded_rows import last_recorded
from footnote.session.documents import documents_of
from footnote.sources.cancellation import Cancellation

if TYPE_CHECKING:
    from footnote.session import Session

JSON = "application/json"

TEMPLATES = [
    types.ResourceTemplate(
        uri_template="erp://{type}/{id}",
        name="row",
        title="A row of the system of record",
        description=(
            "The row as it is now, and as the log last recorded it. The URIs stand beside every figure that a tool "
            "returns. Reading it is recorded."
        ),
        mime_type=JSON,
    ),
    types.ResourceTemplate(
        uri_template="doc://{+file}",
        name="document",
        title="A document, or a passage of it",
        description=(
            "A document's text, or with #start-end a passage with what stands before and after it. The URIs stand beside "
            "every quote that a tool returns. Reading it is recorded."
        ),
        mime_type=JSON,
    ),
    types.ResourceTemplate(
        uri_template="provenance://record/{id}",
        name="record",
        title="A provenance record",
        description=(
            "Who asked what and when, the result or answer, every row it rests on, the SQL that ran, and the hash that "
            "chains it to the record before. By id, the first digits of an id, or sequence."
        ),
        mime_type=JSON,
    ),
    types.ResourceTemplate(
        uri_template="evidence://{record}/{figure}{?page,size,sort,search}",
        name="evidence",
        title="The rows behind a figure",
        description=(
            "A page of the rows behind one figure of a recorded result, with what each contributes: for figures that "
            "rest on more rows than an answer names. The record is a result's or an answer's id, the figure its address, "
            "such as totals.invoiceCount; sort is record or largest. What is not in the record is read from the source "
            "again, and it is said whether the rows are those that were added up."
        ),
        mime_type=JSON,
    ),
]

_WHAT_WORKS = (
    "Read erp://{type}/{id} for a row, doc://{file} for a document, provenance://record/{id} for a record of the log, or "
    "evidence://{record}/{figure}?page=1 for the rows behind a figure."
)


def read(session: Session, uri: str, cancel: Cancellation) -> types.ReadResourceResult:
    """The resource of this URI.

    Raises:
        NameUnknown, ArgumentError: There is no such resource.
        FootnoteError: It cannot be read.
    """
    scheme, separator, place = uri.partition("://")
    kind, slash, name = place.partition("/")
    if separator and place and scheme.lower() == "doc":
        found = passage(documents_of(session), place)
    elif separator and slash and name and scheme.lower() == "erp":
        found = _row(session, kind, name, cancel)
    elif separator and slash and name and (scheme.lower(), kind) == ("provenance", "record"):
        found = _record(session.log.get(name))
    elif separator and slash and name and scheme.lower() == "evidence":
        found = _evidence(session, kind, name, cancel)
    else:
        raise NameUnknown(f"There is no resource {plain_text(uri[:200])!r}.", remedy=_WHAT_WORKS)
    text = json.dumps(plain({"uri": uri} | found), ensure_ascii=False, indent=1)
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=plain_text(uri), mime_type=JSON, text=text)]
    )


def _row(session: Session, type: str, name: str, cancel: Cancellation) -> dict[str, Any]:
    type = _record_type(session, type)
    now = session.record_row(type, name, cancel=cancel)
    before = last_recorded(session.log, now.id if isinstance(now, Row) else f"{type}:{name}")
    plainer = unquote(name)
    if isinstance(now, Absence) and before is None and plainer != name:  # a client may have encoded the key
        return _row(session, type, plainer, cancel)
    if isinstance(now, Absence) and before is None:
        raise NameUnknown(now.text, remedy=f"Give the key of a row, as in erp://{type}/… beside the figures of a tool.")
    out: dict[str, Any] = {"now": now.as_dict() if isinstance(now, Row) else None}
    if isinstance(now, Absence):
        out["absent"] = now.text
    if before is not None:
        record, row = before
        out["asLastRecorded"] = {"record": record.receipt.as_dict(), "row": row}
        if isinstance(now, Row):
            out["changed"] = _changed(row, now)
    return out


def _evidence(session: Session, record: str, name: str, cancel: Cancellation) -> dict[str, Any]:
    from footnote.session.evidence import SIZE, evidence_page

    figure, _, text = name.partition("?")
    query = dict(parse_qsl(text))
    unknown = next((key for key in query if key not in ("page", "size", "sort", "search")), None)
    numbers = {key: query.get(key, default) for key, default in (("page", "1"), ("size", str(SIZE)))}
    if unknown is not None or not all(re.fullmatch("[0-9]{1,9}", number) for number in numbers.values()):
        raise ArgumentError(
            "The page of evidence cannot be read.", remedy="Give page and size as numbers, sort, and search; no more."
        )
    page, size = int(numbers["page"]), int(numbers["size"])
    sort, search = query.get("sort", "record"), query.get("search", "")[:200]
    found = evidence_page(
        session, record, unquote(figure), page=page, size=size, sort=sort, search=search, cancel=cancel
    )
    return found.as_dict()


def _record_type(session: Session, given: str) -> str:
    """The record type of this name; a client may have lowered its case as that of a host."""
    known = session.loaded.catalog.records
    same = [name for name in known if name.lower() == given.lower()]
    if given in known or len(same) != 1:
        return given
    return same[0]


def _changed(before: Mapping[str, Any], now: Row) -> list[str]:
    """Fields that both have and that differ."""
    values = before.get("values")
    if not isinstance(values, Mapping):
        return []
    return [name for name, field in now.fields.items() if name in values and values[name] != field.value]


def _record(record: Record) -> dict[str, Any]:
    return {
        **record.receipt.as_dict(),
        "log": record.log,
        "kind": record.kind,
        "previousHash": record.previous_hash,
        "catalog": record.catalog,
        "intact": record.intact,
        "sections": dict(record.sections),
        "evidence": list(record.evidence),
        "notVerified": {path: state for path, state in record.states.items() if state != "verified"},
    }


def is_not_found(error: Exception) -> bool:
    """Whether `error` says that there is no such resource."""
    return isinstance(error, NameUnknown | ArgumentError)
