"""The formats of an export, and writing one of them to a file: all of it or nothing."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from footnote.audit.bundle import Anchor, anchor_of, anchored_behind, anchored_for, write_bundle
from footnote.audit.export import export_json, stated
from footnote.audit.files import new_file, write_export
from footnote.audit.page import page
from footnote.audit.reading import Reading, read
from footnote.audit.redact import Redaction
from footnote.audit.selection import Selected
from footnote.audit.standards import openlineage_pieces, prov_pieces
from footnote.audit.workbook import write_workbook
from footnote.errors import LogUnavailable, UsageError
from footnote.provenance import keyfile
from footnote.provenance.checkpoint import origin_of
from footnote.provenance.erasures import erasures_in
from footnote.provenance.leaf import timestamp
from footnote.provenance.log import Log, read_record
from footnote.provenance.note import Signer, VerifierKey
from footnote.provenance.retention import pruned_in
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
    anchor: Anchor = field(default_factory=Anchor)

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
    key: VerifierKey | None = None,
    progress: Progress | None = None,
) -> Export:
    """An export of what is selected; the log is verified for it.

    Args:
        log: The log.
        selected: Which records.
        now: The time of the export; by default the clock.
        key: The log's public key, to go into a bundle.
        progress: Told of the verification's progress.

    Raises `UsageError` if a redaction would leave nothing out, `LogUnavailable`, `NoteInvalid` if the log's latest
    checkpoint is none or `key`'s signature does not hold.
    """
    moment = now or dt.datetime.now(dt.UTC)
    idle = redaction.idle(selected.entries(log)) if redaction and selected.count else []
    if idle:
        raise UsageError(
            f"No record that is exported has {idle[0][:80]!a} to be left out.",
            why="A redaction that is misspelt would hand out what it was to keep back.",
            remedy="Name a part that is there, such as question, evidence/2 or 6:question, or leave it away.",
        )
    anchor = anchor_of(log, key)  # before the log is verified: it covers nothing that comes meanwhile
    integrity = log.verify(progress)
    if integrity.ok:
        selected = selected.as_verified(integrity.pruned + integrity.count)
    return Export(log, selected, moment, integrity, redaction or Redaction(), anchor)


def public_key(log: Log, file: Path) -> VerifierKey | None:
    """The public key of the log, from the file of the private one.

    None where that file cannot be had: who exports need not be who signs, and a bundle says that the key is not in it.
    """
    try:
        return Signer(origin_of(log.id), keyfile.load(file)).key
    except (FileNotFoundError, LogUnavailable, UsageError):
        return None


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


def _prov_pieces(export: Export) -> Iterator[str]:
    return prov_pieces(export.readings(), export.log.id)


def _openlineage_pieces(export: Export) -> Iterator[str]:
    return openlineage_pieces(export.readings(), export.log.id)


TEXTS: dict[str, Callable[[Export], Iterator[str]]] = {
    "json": json_pieces,
    "html": html_pieces,
    "prov": _prov_pieces,
    "openlineage": _openlineage_pieces,
}
"""Formats that are text, which may go to standard output too."""

FORMATS = (*TEXTS, "bundle", "xlsx")


def write(export: Export, format: str, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write an export in one of `FORMATS`.

    Raises `UsageError` if there is a file already or a package is missing, `ExportFailed` if it cannot be written,
    `TooManyRows` for a workbook, `LogBroken` at a record that is damaged.
    """
    if format in TEXTS:
        write_export(path, TEXTS[format](export), overwrite=overwrite)
        return
    writer: Callable[[Export, Any], None] = {"bundle": _bundle, "xlsx": _xlsx}[format]
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
        checkpoint=export.anchor.checkpoint.format().decode() if export.anchor.checkpoint else "",
    )


def _bundle(export: Export, part: Any) -> None:
    selected = export.selected
    whole, sampled = selected.selection.everything, selected.selection.sample is not None
    pruned = pruned_in(export.log.store)
    gone = pruned.upto if pruned else 0
    if sampled and selected.selection.after < gone:
        raise UsageError(
            f"The records up to {gone} were pruned, so no sample can be drawn from all.",
            why="Nobody could tell a record that was pruned from one that was left out.",
            remedy=f"Draw from those that are there: --after {gone}.",
        )
    write_bundle(
        part,
        export.log,
        anchored_behind(export.anchor, gone) if whole else anchored_for(export.anchor, selected.last),
        records=json_pieces(export),
        entries=None if whole else selected.entries(export.log),
        population=selected.population_sequences() if sampled else None,
        now=export.now,
    )
