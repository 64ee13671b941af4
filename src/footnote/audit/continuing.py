"""Going on where another log ended: an `import` record anchors the head of an export that was verified first.

The records themselves are not copied: those of format footnote/v0 hash plain text and could not be erased here. Whoever
holds the export can show that it is the one: its head, and the digest of the file, are in the record.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from footnote.access import Actor
from footnote.audit.bundle_verify import verify_file
from footnote.audit.files import digest_of
from footnote.audit.offline import about_export
from footnote.errors import LogBroken, UsageError
from footnote.provenance import Draft, Log, Receipt
from footnote.provenance.chain import Progress, Verification

SECTION = "import"


def continue_from(
    log: Log, export: str | os.PathLike[str], *, actor: Actor, progress: Progress | None = None
) -> Receipt:
    """Append a record that anchors the head of an export, of format footnote/v0 or footnote/v1.

    Raises `LogBroken` if the export does not verify, `UsageError` if it is empty, not of a whole log or anchored already,
    `ExportFailed` if it cannot be read.
    """
    return anchor(log, head_of(export, progress=progress), actor=actor)


def head_of(export: str | os.PathLike[str], *, progress: Progress | None = None) -> dict[str, Any]:
    """What anchors an export: its log, count, head and SHA-256, once it was verified. Raises as `continue_from`."""
    file = Path(export)
    found = verify_file(file, progress=progress)
    outcome = found if isinstance(found, Verification) else found.records
    if not outcome.ok:
        raise LogBroken(f"The export {file} does not verify, so nothing was recorded.", why=outcome.reason)
    about = about_export(file)
    if not outcome.count or not about.everything:
        raise UsageError(f"{file} is not an export of a whole log with records.", remedy="Export the whole log.")
    return {
        "format": about.format,
        "log": about.log,
        "count": outcome.count,
        "head": outcome.head,
        "sha256": digest_of(file),
    }


def anchor(log: Log, head: dict[str, Any], *, actor: Actor) -> Receipt:
    """Append a record with the head of an export (`head_of`). Raises `UsageError` if the log has it already."""
    if any(one.get("head") == head["head"] for one in _imports(log)):
        raise UsageError("The log has anchored the head of this export already.")
    return log.append(Draft("import", sections={"actor": dict(actor.as_dict()), SECTION: head}))


def _imports(log: Log) -> list[dict[str, Any]]:
    found = []
    for record in log.records(kinds=["import"]):
        value = record.sections.get(SECTION)
        if isinstance(value, dict):
            found.append(value)
    return found
