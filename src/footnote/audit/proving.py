"""Proofs from a log: of a record or a row against one of its checkpoints, and of one checkpoint against another."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from footnote.errors import Candidate, NameUnknown, UsageError
from footnote.provenance import Log, NoteInvalid, SignedCheckpoint, VerifierKey
from footnote.provenance.checkpoint import origin_of
from footnote.provenance.keys import rotations_in
from footnote.provenance.leaf import decode
from footnote.provenance.log import Record
from footnote.provenance.proof import Proof, prove_row, require_whole
from footnote.provenance.witness import Submission

MAX_DIGITS: Final = 15
"""Digits of a size; more than that no store can look up."""


def prove(log: Log, name: str, *, row: str = "", checkpoint: str = "") -> Proof:
    """The proof of the record `name`, or of one row of its evidence.

    Args:
        log: The log.
        name: Sequence, id or first digits of the id.
        row: An evidence id such as `invoice:8812`; empty for the record alone.
        checkpoint: Size of one of the log's checkpoints, or a file with one; empty for the latest.

    Raises `NameUnknown` for a record, row or checkpoint that is not there, `UsageError` if the checkpoint does not cover the
    record, `NoteInvalid` if the row was erased, or the log is not the one that the checkpoint was made of.
    """
    record = log.get(name)
    signed = _checkpoint(log, checkpoint)
    if signed.size < record.sequence:
        raise UsageError(
            f"The checkpoint covers {signed.size} records, and record {record.sequence} came later.",
            remedy="Name a later one; it is made when the next record is written, or the log is closed.",
        )
    entry = next(iter(log.store.entries(record.sequence - 1, record.sequence)))
    proved = prove_row(decode(entry.leaf), entry.parts, _position(record, row)) if row else None
    rotations = rotation_notes(log, signed.size)
    proof = Proof(entry.leaf, tuple(log.inclusion(record.sequence, signed.size)), signed, proved, rotations)
    require_whole(proof)  # nobody is given a proof that does not hold
    return proof


def rotation_notes(log: Log, size: int) -> tuple[str, ...]:
    """The signed notes by which the log's keys handed over in its first `size` records, in order."""
    found = rotations_in(log.store, origin_of(log.id))
    return tuple(one.note.format().decode() for one in found if one.sequence <= size)


def submission(log: Log, since: int) -> Submission:
    """What shows a witness that the log's latest checkpoint continues that of `since` records."""
    signed = _checkpoint(log, "")
    return Submission(since, tuple(log.consistency(since, signed.size)) if since else (), signed)


def read_keys(given: str) -> list[VerifierKey]:
    """Public keys from a file, one a line, or from the text itself. Raises `UsageError` if there is none."""
    path = Path(given)
    if "+" in given and not path.exists():
        return [VerifierKey.parse(given)]
    try:
        lines = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "") or "it is not text"
        raise UsageError(
            f"The key {given[:200]} cannot be read: {why}.", remedy="Give a public key or a file."
        ) from None
    if not lines:
        raise UsageError(f"There is no public key in {given[:200]}.")
    return [VerifierKey.parse(line) for line in lines]


def _checkpoint(log: Log, named: str) -> SignedCheckpoint:
    if named and not named.isdecimal():
        try:
            return SignedCheckpoint.parse(Path(named).read_bytes())
        except OSError as error:
            raise UsageError(f"The checkpoint {named[:200]} cannot be read: {error.strerror}.") from None
    if named:
        kept = next(iter(log.store.checkpoints(int(named))), None) if len(named) <= MAX_DIGITS else None
        if kept is None or kept.size != int(named):
            raise NameUnknown(
                f"The log has no checkpoint of {named[:40]} records.",
                remedy="Name the size of one, or leave it out.",
                candidates=[Candidate(str(kept.size))] if kept else [],
            )
    else:
        kept = log.store.latest_checkpoint()
        if kept is None:
            raise NameUnknown("The log has no checkpoint yet.", remedy="One is made when the next record is written.")
    return SignedCheckpoint.parse(kept.note)


def _position(record: Record, row: str) -> int:
    """The place of the row with this evidence id; the first of several."""
    ids = [value.get("id") if isinstance(value, dict) else None for value in record.evidence]
    if row in ids:
        return ids.index(row)
    if all(value is None for value in record.evidence) and record.evidence:
        raise NoteInvalid(f"The evidence of record {record.sequence} was erased.")
    raise NameUnknown(
        f"Record {record.sequence} cites no row {row[:80]!a}.",
        remedy="Name one of those it cites." if any(ids) else "It cites none; prove the record without a row.",
        candidates=[Candidate(str(id)) for id in ids[:10] if id],
    )
