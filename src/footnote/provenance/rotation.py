"""Rotating a log's key: the next one is made, the log records that it follows, then it takes the old one's place.

In this order a crash at any moment leaves a key that the log knows: until the record is there, the old one; from then on
the next one, which lies beside it (`keyfile`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from footnote.errors import UsageError
from footnote.evidence import Json
from footnote.provenance import keyfile
from footnote.provenance.checkpoint import SignedCheckpoint, origin_of
from footnote.provenance.keys import SECTION, rotation_note, rotations_in
from footnote.provenance.leaf import Draft
from footnote.provenance.log import Log
from footnote.provenance.note import Signer, VerifierKey
from footnote.provenance.store import Receipt


@dataclass(frozen=True, slots=True)
class Rotated:
    """What a rotation did; `old` is None if the old key was lost."""

    old: VerifierKey | None
    new: VerifierKey
    receipt: Receipt


def rotate(log: Log, path: Path, actor: Mapping[str, Json], *, lost: bool = False) -> Rotated:
    """Have a new key follow the one in `path`, and record it. With `lost`, nobody hands over, and verifiers are told so.

    Raises `UsageError` if the key in `path` does not speak for the log (or, with `lost`, does), `LogUnavailable`.
    """
    origin = origin_of(log.id)
    old, new = _keys_if_lost(log, path) if lost else _keys(log, path)
    note = rotation_note(Signer(origin, new), Signer(origin, old) if old else None)
    section = note.format().decode()
    receipt = log.append(Draft("key", sections={"actor": dict(actor), SECTION: section}))
    keyfile.follow_up(path)
    return Rotated(Signer(origin, old).key if old else None, Signer(origin, new).key, receipt)


def speaks_for(log: Log, key: VerifierKey) -> bool:
    """Whether this key may sign for the log now: the last rotation names it, or it signed the latest checkpoint.

    Of a log without either, any key may.
    """
    rotations = rotations_in(log.store, key.name)
    if rotations:
        return rotations[-1].key == key
    latest = log.store.latest_checkpoint()
    return latest is None or bool(SignedCheckpoint.parse(latest.note).note.signed_by([key]))


def _keys(log: Log, path: Path) -> tuple[keyfile.PrivateKey | None, keyfile.PrivateKey]:
    try:
        old = keyfile.load(path)
    except FileNotFoundError:
        raise UsageError(
            f"There is no key {path}.", remedy="Name its file (FOOTNOTE_KEY); if it is lost, say --lost."
        ) from None
    if not speaks_for(log, Signer(origin_of(log.id), old).key):
        raise UsageError(
            f"The key {path} does not speak for this log, so it cannot hand over.",
            remedy="Name the file of the one that does (FOOTNOTE_KEY); if it is lost, say --lost.",
        )
    return old, keyfile.make_next(path)


def _keys_if_lost(log: Log, path: Path) -> tuple[keyfile.PrivateKey | None, keyfile.PrivateKey]:
    new = keyfile.load_or_make(path)
    if speaks_for(log, Signer(origin_of(log.id), new).key):
        raise UsageError(f"The key {path} speaks for this log: it is not lost.", remedy="Rotate it without --lost.")
    return None, new
