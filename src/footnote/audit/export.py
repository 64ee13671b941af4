"""Exports of a log as JSON, format footnote/v1: readable, and verifiable without the log.

One object, streamed::

    {"format": "footnote/v1", "exportedAt": "...", "log": "<uuid>",
     "selection": {"after": 0, "limit": null, "kinds": null, "record": null},
     "chainIntegrity": {"ok": true, "count": 5, "head": "<hash>"},
     "records": [ ... ]}

`chainIntegrity` is the outcome of verifying the whole log when the export was made. Each record has what a reader looks
for (`id, sequence, kind, timestamp, actor, question, answer, claims, operations`, further sections, `evidence`,
`catalog, previousHash, hash`: names that other implementations use too) and what a verifier needs: `leaf`, the exact
text that was hashed, and `salts` of every section and row. A part that was erased is absent (a row: null, its
commitment under `commitments`). Records come in order of sequence, one a line; the same log, selection and time give
the same bytes.

An export holds payloads and salts in the clear. Once handed out, it is beyond the reach of any erasure.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from footnote.errors import LogBroken, Unreachable, UsageError
from footnote.provenance.leaf import EVIDENCE, FORMAT, Leaf, Part, decode, record_hash, timestamp
from footnote.provenance.log import Log
from footnote.provenance.store import Entry
from footnote.provenance.verify import Progress, Verification

READING_ORDER: Final = ("actor", "question", "answer", "claims", "operations")
"""Sections in the order in which a person reads them; others follow by name."""


class ExportFailed(Unreachable):
    """An export cannot be written or read."""

    code = "export_failed"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records: behind sequence `after`, at most `limit`, of these `kinds`; or one `record` (sequence or id)."""

    after: int = 0
    limit: int | None = None
    kinds: tuple[str, ...] | None = None
    record: int | str | None = None

    @property
    def everything(self) -> bool:
        """Whether no record is left out, so that the count must be that of the log."""
        return self == Selection()

    @property
    def gaps(self) -> bool:
        """Whether records in between are left out, so that neighbours need not follow each other."""
        return self.kinds is not None or self.record is not None

    def as_dict(self) -> dict[str, Any]:
        """The selection as exported."""
        kinds = None if self.kinds is None else list(self.kinds)
        return {"after": self.after, "limit": self.limit, "kinds": kinds, "record": self.record}


def export_json(
    log: Log,
    *,
    after: int = 0,
    limit: int | None = None,
    kinds: Sequence[str] | None = None,
    record: int | str | None = None,
    now: datetime | None = None,
    integrity: Verification | None = None,
    progress: Progress | None = None,
) -> Iterator[str]:
    """The export, in pieces of text; flat in memory.

    Args:
        log: The log, which may be appended to meanwhile; what was appended later is not exported.
        after, limit, kinds, record: See `Selection`.
        now: The time of the export; by default the clock.
        integrity: The outcome of a verification just made; by default the log is verified now.
        progress: Told of that verification's progress.

    Raises `UsageError` for a negative `after` or `limit`, `NameUnknown` or `NameAmbiguous` for `record`, `LogBroken` at a record that cannot be written out because its
    leaf is damaged, `LogUnavailable`.
    """
    selection = Selection(after, limit, None if kinds is None else tuple(kinds), record)
    if after < 0 or (limit is not None and limit < 0):
        raise UsageError("An export cannot start behind or stop at a negative number of records.")
    size = log.size()
    entries = _selected(log, selection, size)
    integrity = integrity or log.verify(progress)
    head = {
        "format": FORMAT,
        "exportedAt": timestamp(now or datetime.now(UTC)),
        "log": log.id,
        "selection": selection.as_dict(),
        "chainIntegrity": integrity.as_dict(),
    }
    yield _text(head)[:-1] + ',"records":['
    separator = "\n"
    for entry in entries:
        yield separator + record_json(entry)
        separator = ",\n"
    yield "\n]}\n"


def write_export(path: str | os.PathLike[str], pieces: Iterator[str], *, mode: int = 0o600) -> None:
    """Write `pieces` (of `export_json`) to `path`: all of it or nothing, replacing what was there.

    Raises `ExportFailed` if it cannot be written, and whatever making the pieces raises.
    """
    target = Path(path)
    try:
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise _failed(target, error) from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except OSError as error:
        _remove(name)
        raise _failed(target, error) from error
    except BaseException:
        _remove(name)
        raise


def record_json(entry: Entry) -> str:
    """One record of an export, as stored: a payload that was changed is written out as it is now, for all to see.

    Raises `LogBroken` if its leaf is not one or a part is not JSON text.
    """
    if record_hash(entry.leaf) != entry.hash:
        raise LogBroken(
            f"Record {entry.sequence} cannot be exported: its leaf does not have its hash.",
            remedy="Verify the log; export what comes before it with a limit.",
            details={"sequence": entry.sequence},
        )
    leaf = decode(entry.leaf)
    present = {part.path: part for part in entry.parts if part.data is not None and part.salt is not None}
    members = {
        "id": _text(leaf.id),
        "sequence": _text(leaf.sequence),
        "kind": _text(leaf.kind),
        "timestamp": _text(leaf.timestamp),
    }
    for name in sorted(leaf.sections, key=_reading_order):
        if name in present:
            members[name] = _data(leaf, present[name])
    rows = [present.get(f"{EVIDENCE}/{position}") for position in range(leaf.evidence_count)]
    members[EVIDENCE] = "[" + ",".join(_data(leaf, row) if row else "null" for row in rows) + "]"
    members |= {
        "catalog": _text(leaf.catalog),
        "previousHash": _text(leaf.previous_hash),
        "hash": _text(entry.hash),
        "leaf": _text(entry.leaf.decode("utf-8")),
        "salts": _text(_salts(leaf, present, rows)),
    }
    erased = (part for part in entry.parts if part.section == EVIDENCE and part.path not in present)
    commitments = {part.path: part.commitment.hex() for part in erased if part.commitment}
    if commitments:
        members["commitments"] = _text(commitments)
    return "{" + ",".join(f'"{name}":{text}' for name, text in members.items()) + "}"


def _selected(log: Log, selection: Selection, size: int) -> Iterator[Entry]:
    if selection.record is not None:
        sequence = log.get(selection.record).sequence
        return log.store.entries(sequence - 1, sequence)
    return islice(log.store.entries(selection.after, size, selection.kinds), selection.limit)


def _salts(leaf: Leaf, present: dict[str, Part], rows: Sequence[Part | None]) -> dict[str, Any]:
    salts: dict[str, Any] = {name: (part.salt or b"").hex() for name, part in present.items() if name in leaf.sections}
    return salts | {EVIDENCE: [(row.salt or b"").hex() if row else None for row in rows]}


def _data(leaf: Leaf, part: Part) -> str:
    data = part.data or b""
    try:
        json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise LogBroken(
            f"Record {leaf.sequence} cannot be exported: its {part.path} is not JSON.",
            remedy="Verify the log; export what comes before it with a limit.",
            details={"sequence": leaf.sequence},
        ) from error
    return data.decode("utf-8")


def _reading_order(name: str) -> tuple[int, str]:
    return (READING_ORDER.index(name) if name in READING_ORDER else len(READING_ORDER), name)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _failed(target: Path, error: OSError) -> ExportFailed:
    return ExportFailed(
        f"The export {target} cannot be written.",
        why=f"{error.strerror or error}.",
        remedy="Name a file in a folder that exists and can be written, on a disk with room.",
        details={"path": str(target)},
    )


def _remove(name: str) -> None:
    with contextlib.suppress(OSError):
        Path(name).unlink()
