"""Downloads of an export: JSON and pages as a stream, a bundle from a file that goes once it was sent."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response, StreamingResponse

from footnote.errors import ArgumentError, LogUnavailable
from footnote.serve.http_calls import Calls
from footnote.session import Session

if TYPE_CHECKING:
    from footnote.audit.outputs import Export

TYPES = {"json": "application/json", "html": "text/html; charset=utf-8", "bundle": "application/zip"}
"""Formats that can be downloaded, and their media types."""


async def export_response(session: Session, calls: Calls, record: str | None, format: str) -> Response:
    """The export of one record, or of the whole log, in one of `TYPES`; always as a download.

    Raises `ArgumentError` for another format, `NameUnknown` or `NameAmbiguous` for the record.
    """
    if format not in TYPES:
        raise ArgumentError(f"There is no download as {format[:40]!a}.", remedy=f"Formats are: {', '.join(TYPES)}.")
    part = f"record-{record[:8]}" if record else "log"
    extension = "zip" if format == "bundle" else format
    name = f"footnote-{session.loaded.catalog.catalog}-{part}.{extension}"
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    found = await calls.read(lambda: _export(session, record, format))
    if format == "bundle":
        file = await calls.read(lambda: _bundle(found))
        gone = BackgroundTask(file.unlink, missing_ok=True)
        return FileResponse(file, headers=headers, media_type=TYPES[format], background=gone)
    from footnote.audit.outputs import TEXTS

    pieces = TEXTS[format](found)
    first = await calls.read(lambda: next(pieces))  # what fails, fails before the response
    return StreamingResponse(chunks(first, pieces), 200, headers, TYPES[format])


def chunks(first: str, pieces: Iterator[str], size: int = 64_000) -> Iterator[str]:
    """Pieces of text put together to about `size` characters, so that each is worth the trip to the client."""
    waiting, length = [first], len(first)
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length >= size:
            yield "".join(waiting)
            waiting, length = [], 0
    yield "".join(waiting)


def _export(session: Session, record: str | None, format: str) -> Export:
    from footnote.audit import Selection
    from footnote.audit.outputs import export_of, public_key
    from footnote.audit.selection import select

    log = session.log
    if format == "bundle":
        with contextlib.suppress(LogUnavailable):  # the latest one there is will do; whoever runs the log was told
            log.checkpoint()
    selection = Selection(record=record, cited=format != "json")
    return export_of(log, select(log, selection), key=public_key(log, session.settings.checkpoints.key))


def _bundle(found: Export) -> Path:
    from footnote.audit.outputs import write

    with tempfile.NamedTemporaryFile(prefix="footnote-", suffix=".zip", delete=False) as file:
        path = Path(file.name)
    try:
        write(found, "bundle", path, overwrite=True)
    except BaseException:  # whatever it was, half a bundle must not stay
        path.unlink(missing_ok=True)
        raise
    return path
