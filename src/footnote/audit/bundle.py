"""Format `bundle`: a zip file with which an auditor verifies records without a server, a log, or trust in us.

    README.txt            what this is and how to verify it
    records.json          the export, format footnote/v1: leaves, payloads, salts
    proofs.jsonl          for each record, that it is in the tree of the checkpoint (RFC 6962); not if all records are here
    population.txt        with a sample: the sequences it was drawn from, one a line
    checkpoint.txt        the log's latest checkpoint (C2SP signed note)
    key.UNPINNED.txt      the public key that signed it; it proves nothing until it is compared with one had otherwise
    timestamp.tsr         a time stamp (RFC 3161) over checkpoint.txt, or over stamped.txt if that is there
    stamped.txt           an earlier checkpoint, with all records; a selection is anchored in one that has a time stamp
                          if that covers it
    verify_footnote.py    verifies all of this; one file, to be read before it is run

What a log does not have (a checkpoint, a time stamp) is not there, and the README says so. Written as a stream.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from footnote.errors import LogBroken
from footnote.provenance.checkpoint import SignedCheckpoint
from footnote.provenance.log import Log
from footnote.provenance.note import VerifierKey
from footnote.provenance.store import Entry, Kept
from footnote.provenance.tree import LogTree

RECORDS: Final = "records.json"
PROOFS: Final = "proofs.jsonl"
POPULATION: Final = "population.txt"
CHECKPOINT: Final = "checkpoint.txt"
KEY: Final = "key.UNPINNED.txt"
STAMP: Final = "timestamp.tsr"
STAMPED: Final = "stamped.txt"
README: Final = "README.txt"
VERIFIER: Final = "verify_footnote.py"

MEMBERS: Final = (README, RECORDS, PROOFS, POPULATION, CHECKPOINT, KEY, STAMP, STAMPED, VERIFIER)
"""All that a bundle may have."""

_PROOFS_A_TREE: Final = 4_096
"""Proofs after which the tree's nodes are forgotten, so that memory stays flat."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a bundle is anchored in: the latest checkpoint, its public key, and the latest one that has a time stamp."""

    checkpoint: SignedCheckpoint | None = None
    key: VerifierKey | None = None
    stamped: Kept | None = None


def anchor_of(log: Log, key: VerifierKey | None = None) -> Anchor:
    """The anchor that a log has now.

    Args:
        log: The log.
        key: The log's public key, if it is known; left out if it did not sign the checkpoint.

    Raises `NoteInvalid` if what the log keeps is no checkpoint, or its signature by `key` does not hold.
    """
    kept = log.store.latest_checkpoint()
    if kept is None or not kept.size:
        return Anchor()
    checkpoint = SignedCheckpoint.parse(kept.note)
    known = key if key is not None and checkpoint.note.signed_by([key]) else None
    stamped = log.store.latest_checkpoint(stamped=True)
    return Anchor(checkpoint, known, stamped if stamped and stamped.stamp and stamped.size else None)


def anchored_for(anchor: Anchor, last: int) -> Anchor:
    """The anchor of a selection that ends with the record `last`: the one with a time stamp, if that covers it."""
    stamped = anchor.stamped
    if anchor.checkpoint is None or stamped is None or stamped.size < last:
        return replace(anchor, stamped=None)
    earlier = SignedCheckpoint.parse(stamped.note)
    known = anchor.key if anchor.key is not None and earlier.note.signed_by([anchor.key]) else None
    return replace(anchor, checkpoint=earlier, key=known)


def anchored_behind(anchor: Anchor, pruned: int) -> Anchor:
    """The anchor of all records of a log of which the first `pruned` are gone: without what covers only those."""
    if anchor.checkpoint is None or anchor.checkpoint.size < pruned:
        return Anchor()
    return anchor if anchor.stamped is None or anchor.stamped.size >= pruned else replace(anchor, stamped=None)


def write_bundle(
    path: Path,
    log: Log,
    anchor: Anchor,
    *,
    records: Iterable[str],
    entries: Iterable[Entry] | None,
    population: Iterable[int] | None,
    now: dt.datetime,
) -> None:
    """Write a bundle to `path`.

    Args:
        path: The file.
        log: The log, for proofs.
        anchor: What it is anchored in.
        records: The export, in pieces of text.
        entries: The same records again, for a proof each; None if all records of the log are exported.
        population: The sequences that a sample was drawn from, in order; None if there is no sample.
        now: The time that the files in it get.

    Raises OSError, `LogBroken`, `LogUnavailable`.
    """
    with ZipFile(path, "w", ZIP_DEFLATED, allowZip64=True) as bundle:
        folder = files("footnote.audit")
        _put(bundle, README, now, [_readme(anchor, whole=entries is None)])
        _put(bundle, VERIFIER, now, [folder.joinpath(VERIFIER).read_text(encoding="utf-8")])
        _put(bundle, RECORDS, now, records)
        if anchor.checkpoint is not None:
            _put(bundle, CHECKPOINT, now, [anchor.checkpoint.format().decode()])
            if anchor.key is not None:
                _put(bundle, KEY, now, [anchor.key.text + "\n"])
            if entries is not None:
                _put(bundle, PROOFS, now, _proofs(log, entries, anchor.checkpoint.size))
            _put_stamp(bundle, anchor, anchor.checkpoint, now)
        if population is not None:
            _put(bundle, POPULATION, now, (f"{sequence}\n" for sequence in population))


def _put(bundle: ZipFile, name: str, now: dt.datetime, pieces: Iterable[str | bytes]) -> None:
    info = ZipInfo(name, (max(now.year, 1980), now.month, now.day, now.hour, now.minute, now.second))
    info.compress_type = ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    with bundle.open(info, "w", force_zip64=True) as member:
        for piece in pieces:
            member.write(piece.encode("utf-8") if isinstance(piece, str) else piece)


def _put_stamp(bundle: ZipFile, anchor: Anchor, latest: SignedCheckpoint, now: dt.datetime) -> None:
    kept = anchor.stamped
    if kept is None or kept.stamp is None or kept.size > latest.size:
        return
    _put(bundle, STAMP, now, [kept.stamp])
    if kept.note != latest.format():
        _put(bundle, STAMPED, now, [kept.note])


def _proofs(log: Log, entries: Iterable[Entry], size: int) -> Iterator[str]:
    tree = LogTree(log.store)
    for number, entry in enumerate(entries, 1):
        if entry.sequence > size:
            return
        if number % _PROOFS_A_TREE == 0:
            tree = LogTree(log.store)
        try:
            hashes = [hash.hex() for hash in tree.inclusion(entry.sequence - 1, size)]
        except IndexError:
            what = f"Record {entry.sequence} has no proof: the log does not have {size} records without a gap."
            raise LogBroken(what, remedy="Verify the log.", details={"sequence": entry.sequence}) from None
        yield _json({"sequence": entry.sequence, "size": size, "hashes": hashes})


def _readme(anchor: Anchor, *, whole: bool) -> str:
    text = files("footnote.audit").joinpath("bundle_readme.txt").read_text(encoding="utf-8")
    if anchor.checkpoint is None:
        said = "This log has no checkpoint, so nothing here shows that the records are those of the log's others."
    else:
        behind = "every record of the log" if whole else "a proof for each record"
        key = KEY if anchor.key else "not here: ask for it"
        said = f"Checkpoint: {anchor.checkpoint.size} records, with {behind}. Public key: {key}."
    return text.replace("{anchor}", said)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"
