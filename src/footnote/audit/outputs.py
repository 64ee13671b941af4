"""The formats of an export, and writing one of them to a file: all of it or nothing."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from footnote.audit.export import export_json, stated
from footnote.audit.files import new_file, write_export
from footnote.audit.page import page
from footnote.audit.reading import Reading, read
from footnote.audit.redact import Redaction
from footnote.audit.selection import Selected
from footnote.audit.workbook import write_workbook
from footnote.provenance.erasures import erasures_in
from footnote.provenance.leaf import timestamp
from footnote.provenance.log import Log, read_record
from footnote.provenance.verify import Progress, Verification


@dataclass(frozen=True, slots=True)
class Export:
    """What is exported: the records, the log they are from, when, and what verifying the whole log gave then."""

    log: Log
    selected: Selected
    now: dt.datetime
    integrity: Verification
    redaction: Redaction = field(default_factory=Redaction)
    """What is left out of it although the log has it."""

    def readings(self) -> Iterator[Reading]:
        """The records as a reader sees them, in order."""
        erasures = erasures_in(self.log.store)
        for entry in self.selected.entries(self.log):
            yield read(self.log, read_record(self.redaction.apply(entry), erasures))


def export_of(
    log: Log,
    selected: Selected,
    *,
    now: dt.datetime | None = None,
    redaction: Redaction | None = None,
    progress: Progress | None = None,
) -> Export:
    """An export of what is selected; the log is verified for it.

    Raises `LogUnavailable`.
    """
    moment = now or dt.datetime.now(dt.UTC)
    return Export(log, selected, moment, log.verify(progress), redaction or Redaction())


def json_pieces(export: Export) -> Iterator[str]:
    """Format `json`: see `footnote.audit.export`."""
    return export_json(
        export.log, export.selected, now=export.now, integrity=export.integrity, redaction=export.redaction
    )


def html_pieces(export: Export) -> Iterator[str]:
    """Format `html`: see `footnote.audit.page`."""
    return page(
        export.readings(),
        log=export.log.id,
        exported_at=timestamp(export.now),
        integrity=export.integrity,
        selection=stated(export.selected),
    )


TEXTS: dict[str, Callable[[Export], Iterator[str]]] = {"json": json_pieces, "html": html_pieces}
"""Formats that are text, which may go to standard output too."""

FORMATS = (*TEXTS, "xlsx")


def write(export: Export, format: str, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write an export in one of `FORMATS`.

    Raises `UsageError` if there is a file already or a package is missing, `ExportFailed` if it cannot be written,
    `TooManyRows` for a workbook, `LogBroken` at a record that is damaged.
    """
    if format in TEXTS:
        write_export(path, TEXTS[format](export), overwrite=overwrite)
        return
    writer: Callable[[Export, Any], None] = {"xlsx": _xlsx}[format]
    with new_file(path, overwrite=overwrite) as part:
        writer(export, part)


def _xlsx(export: Export, part: Any) -> None:
    write_workbook(
        part,
        export.readings(),
        log=export.log.id,
        exported_at=export.now,
        integrity=export.integrity,
        selection=stated(export.selected),
    )
