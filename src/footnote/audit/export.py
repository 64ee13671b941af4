"""Exports of a log as JSON, format footnote/v1: readable, and verifiable without the log.

One object, streamed::

    {"format": "footnote/v1", "exportedAt": "...", "log": "<uuid>",
     "selection": {"after": 0, "limit": null, "kinds": null, "record": null},
     "chainIntegrity": {"ok": true, "count": 5, "head": "<hash>"},
     "records": [ ... ]}

`pruned` is there if the log begins behind records that were pruned, `redacted` if parts are left out on purpose.
`selection` has further members where they were asked for: `from`, `to`, `actor`, `operation`, `cited`, and `sample` with
the population's count and digest (see `sampling`). `chainIntegrity` is the outcome of verifying the whole log when the export was made. Each record has what a reader looks
for (`id, sequence, kind, timestamp, actor, question, answer, claims, operations`, further sections, `evidence`,
`catalog, previousHash, hash`: names that other implementations use too) and what a verifier needs: `leaf`, the exact
text that was hashed, and `salts` of every section and row. A part that was erased is absent (a row: null, its
commitment under `commitments`). Records come in order of sequence, one a line; the same log, selection and time give
the same bytes.

An export holds payloads and salts in the clear. Once handed out, it is beyond the reach of any erasure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from footnote.audit.redact import Redaction
from footnote.audit.selection import Selected, Selection, select
from footnote.errors import LogBroken
from footnote.provenance.leaf import EVIDENCE, FORMAT, Leaf, Part, decode, record_hash, timestamp
from footnote.provenance.log import Log
from footnote.provenance.retention import pruned_in
from footnote.provenance.store import Entry
from footnote.provenance.verify import Progress, Verification

READING_ORDER: Final = ("actor", "question", "answer", "claims", "operations")
"""Sections in the order in which a person reads them; others follow by name."""


def export_json(
    log: Log,
    selection: Selection | Selected | None = None,
    *,
    now: datetime | None = None,
    integrity: Verification | None = None,
    redaction: Redaction | None = None,
    progress: Progress | None = None,
) -> Iterator[str]:
    """The export, in pieces of text; flat in memory.

    Args:
        log: The log, which may be appended to meanwhile; what was appended later is not exported.
        selection: Which records; by default all. A `Selected` says it for a log as it was.
        now: The time of the export; by default the clock.
        integrity: The outcome of a verification just made; by default the log is verified now.
        redaction: What is left out although the log has it; the export says so.
        progress: Told of that verification's progress.

    Raises `NameUnknown` or `NameAmbiguous` for a selected record, `LogBroken` at a record that cannot be written out
    because its leaf is damaged, `LogUnavailable`.
    """
    selected = selection if isinstance(selection, Selected) else select(log, selection or Selection())
    if integrity is None:
        integrity = log.verify(progress)
        selected = selected.as_verified(integrity.pruned + integrity.count) if integrity.ok else selected
    head = {
        "format": FORMAT,
        "exportedAt": timestamp(now or datetime.now(UTC)),
        "log": log.id,
        "selection": stated(selected),
        "chainIntegrity": integrity.as_dict(),
    }
    pruned = pruned_in(log.store) if selected.selection.everything else None
    if pruned:
        head["pruned"] = pruned.as_dict()
    if redaction and redaction.paths:
        head["redacted"] = list(redaction.paths)
    yield _text(head)[:-1] + ',"records":['
    separator = "\n"
    for entry in selected.entries(log):
        yield separator + record_json(redaction.apply(entry) if redaction else entry)
        separator = ",\n"
    yield "\n]}\n"


def stated(selected: Selected) -> dict[str, Any]:
    """The selection as an export states it; a sample with its population."""
    out = selected.selection.as_dict()
    if selected.selection.sample is not None:
        out["sample"] |= {"population": selected.population_dict()}
    return out


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
