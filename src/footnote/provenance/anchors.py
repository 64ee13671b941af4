"""What was kept elsewhere, held against a log: checkpoints, in order of size, each compared with the root at its size.

A chain that was recomputed as a whole is perfect; only a checkpoint that its forger could not reach says otherwise. The
log's own checkpoints find whoever has no key, those kept elsewhere find everybody. Pure; memory grows with the
checkpoints that were given, not with those that the log keeps.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from footnote.provenance.chain import Fault, Signed
from footnote.provenance.checkpoint import SignedCheckpoint, origin_of
from footnote.provenance.keys import Rotation, key_at
from footnote.provenance.note import NoteInvalid, VerifierKey
from footnote.provenance.stamps import Stamps
from footnote.provenance.store import Kept


@dataclass(frozen=True, slots=True)
class KeptElsewhere:
    """A checkpoint that was kept outside the log; `where` names the place in a sentence ("kept in a.checkpoint")."""

    checkpoint: SignedCheckpoint
    where: str


@dataclass(frozen=True, slots=True)
class Known:
    """What a verifier brings along.

    Attributes:
        keys: The log's public keys, had from somebody who vouches for them. Without any, a signature says nothing.
        checkpoints: Checkpoints that were kept elsewhere, in any order.
        authorities: Certificates (PEM) of time-stamping authorities. Without any, a time stamp says little.
    """

    keys: tuple[VerifierKey, ...] = ()
    checkpoints: tuple[KeptElsewhere, ...] = ()
    authorities: tuple[bytes, ...] = ()


class Anchors:
    """The checkpoints of one log, met one after the other as it is read. `reach` is called at each size in turn."""

    def __init__(self, log: str, own: Iterable[Kept], known: Known, rotations: Sequence[Rotation] = ()) -> None:
        self._origin = origin_of(log)
        self._known = known
        self._rotations = list(rotations)
        outside = sorted(known.checkpoints, key=lambda one: one.checkpoint.size)
        self._queue: Iterator[Kept | KeptElsewhere] = heapq.merge(own, outside, key=_size)
        self._next: Kept | KeptElsewhere | None = next(self._queue, None)
        self.count = 0
        """Checkpoints that hold."""
        self.stamps = Stamps(known.authorities)

    @property
    def wanted(self) -> int:
        """The size of the next checkpoint; -1 if there is none."""
        return -1 if self._next is None else _size(self._next)

    @property
    def signed(self) -> Signed:
        """Whether the checkpoints so far were signed by a key that was given."""
        return "" if not self.count else "verified" if self._known.keys else "unpinned"

    def rotate(self, rotation: Rotation) -> None:
        """Take in a key that a record names for what comes after it."""
        self._rotations.append(rotation)

    def keys_at(self, size: int) -> list[VerifierKey] | None:
        """The keys that may sign a checkpoint of `size` records; None if no given key says anything about it.

        A given key vouches for those that it handed over to, not for those before it: what they signed is covered by
        what it signs later.
        """
        found, says = [], False
        for key in self._known.keys:
            since = next((one.sequence for one in self._rotations if one.key == key), 0)
            if size < since:
                continue
            says = True
            later = [one for one in self._rotations if one.sequence > since]
            current = key_at(size, key, later)
            if current is not None:
                found.append(current)
        return found if says else None

    def skip(self, size: int) -> int:
        """Pass over checkpoints of fewer than `size` records, whose records are not there; how many of them."""
        skipped = 0
        while self._next is not None and _size(self._next) < size:
            self._next = next(self._queue, None)
            skipped += 1
        return skipped

    def reach(self, size: int, root: bytes, timestamp: str) -> Fault | None:
        """What is wrong with the checkpoints of `size` records, given the root and time that the log has there."""
        while self._next is not None and _size(self._next) == size:
            found = self._next
            self._next = next(self._queue, None)
            fault = self._against(found, root) or self._stamped(found, timestamp)
            if fault:
                return fault
            self.count += 1
        return None

    def end(self, size: int, now: int = 0) -> Fault | None:
        """What is wrong with the checkpoints of more records than the log's `size`. Call it once, at the end.

        The log may have grown to `now` records since: checkpoints of its own that were made meanwhile are no fault.
        """
        while isinstance(self._next, Kept) and size < self._next.size <= now:
            self._next = next(self._queue, None)
        if self._next is None:
            return None
        where = _where(self._next)
        signed, fault = self._read(self._next)
        if signed is None:
            return fault
        reason = f"The log ends with record {size}, but the checkpoint {where} covers {signed.size}."
        return Fault("truncation", reason, size + 1)

    def _against(self, found: Kept | KeptElsewhere, root: bytes) -> Fault | None:
        signed, fault = self._read(found)
        if signed is None:
            return fault
        if signed.checkpoint.root == root:
            return None
        reason = (
            f"The first {signed.size} records are not those of the checkpoint {_where(found)}: one of them was "
            "replaced, together with all hashes behind it."
        )
        if isinstance(found, KeptElsewhere) and self._signed_again(signed):
            reason = (
                f"The log has two histories: its first {signed.size} records are not those of the checkpoint "
                f"{_where(found)}, and its own later checkpoints are signed by the same key."
            )
            return Fault("fork", reason, signed.size)
        return Fault("rewrite", reason, signed.size)

    def _stamped(self, found: Kept | KeptElsewhere, timestamp: str) -> Fault | None:
        if isinstance(found, KeptElsewhere) or found.stamp is None:
            return None
        fault = self.stamps.fault(found.stamp, found.note, _where(found), timestamp)
        return replace(fault, at=found.size) if fault else None

    def _signed_again(self, outside: SignedCheckpoint) -> bool:
        """Whether the key that signed an outside checkpoint also signed one of the log's own that covers it."""
        keys = {(one.name, one.key_id) for one in outside.note.signatures}
        own = (one for one in (self._next, *self._queue) if isinstance(one, Kept))
        for kept in own:
            signed, _ = self._read(kept)
            if signed and keys & {(one.name, one.key_id) for one in signed.note.signatures}:
                return True
        return False

    def _read(self, found: Kept | KeptElsewhere) -> tuple[SignedCheckpoint | None, Fault | None]:
        """The checkpoint, read, if it is one of this log with the signatures it should have; or what is wrong."""
        where, size = _where(found), _size(found)
        try:
            signed = found.checkpoint if isinstance(found, KeptElsewhere) else SignedCheckpoint.parse(found.note)
        except NoteInvalid as error:
            return None, Fault("signature", f"The checkpoint {where} is none. {error.what}", None)
        if signed.checkpoint.origin != self._origin:
            reason = (
                f"The checkpoint {where} is one of {signed.checkpoint.origin}, and this is {self._origin}: another "
                "log stands in its place, or the checkpoint is not one of this log."
            )
            return None, Fault("rewrite", reason, None)
        if signed.size != size:
            reason = f"The checkpoint {where} covers {signed.size} records, but {size} stands beside it."
            return None, Fault("signature", reason, None)
        fault = unsigned(signed, where, self.keys_at(size))
        return (None, fault) if fault else (signed, None)


def unsigned(signed: SignedCheckpoint, where: str, keys: Sequence[VerifierKey] | None) -> Fault | None:
    """The fault of a checkpoint that none of `keys` signed; None if one did, or if nothing is known of its key."""
    if keys is None:
        return None
    try:
        good = signed.note.signed_by([key for key in keys if key.name == signed.checkpoint.origin])
    except NoteInvalid as error:
        return Fault("signature", f"The checkpoint {where} does not hold. {error.what}", signed.size)
    if good:
        return None
    reason = f"The checkpoint {where} is not signed by a key that was given: its signature is unpinned."
    return Fault("unpinned", reason, signed.size)


def _size(found: Kept | KeptElsewhere) -> int:
    return found.size if isinstance(found, Kept) else found.checkpoint.size


def _where(found: Kept | KeptElsewhere) -> str:
    return found.where if isinstance(found, KeptElsewhere) else f"of {found.size} records that the log keeps"
