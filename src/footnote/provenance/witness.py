"""A witness: remembers the latest checkpoint of each log and cosigns only what continues it (C2SP tlog-witness).

It trusts nobody but its own memory: a log that was cut off, rewritten or forked cannot get it to sign both versions.
Its memory is a folder with one checkpoint a log, replaced under a lock and on the disk before it answers; run it where the
log's administrator cannot write. It knows nothing of records, and sees nothing of them.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from footnote.errors import LogUnavailable
from footnote.provenance import merkle
from footnote.provenance.checkpoint import SignedCheckpoint
from footnote.provenance.durable import replace_file
from footnote.provenance.lock import WriterLock
from footnote.provenance.note import MAX_BYTES, NoteInvalid, Signer, VerifierKey

MAX_PROOF: Final = 63
SIZE_TYPE: Final = "text/x.tlog.size"
TEXT_TYPE: Final = "text/plain; charset=utf-8"

_OLD = re.compile(r"old (0|[1-9][0-9]{0,18})")


@dataclass(frozen=True, slots=True)
class Submission:
    """What a log asks a witness: that `signed` continues its checkpoint of `old` records, and the proof."""

    old: int
    proof: tuple[bytes, ...]
    signed: SignedCheckpoint

    def format(self) -> bytes:
        """The body of an `add-checkpoint` request."""
        lines = [f"old {self.old}", *(base64.b64encode(hash).decode() for hash in self.proof), "", ""]
        return "\n".join(lines).encode() + self.signed.format()

    @classmethod
    def parse(cls, data: bytes) -> Submission:
        """Read a request's body. Raises `NoteInvalid` if it is not one."""
        head, gap, note = data.partition(b"\n\n")
        first, *rest = head.split(b"\n")
        old = _OLD.fullmatch(first.decode("ascii", "replace"))
        if old is None or not gap or len(rest) > MAX_PROOF or len(data) > MAX_BYTES:
            raise NoteInvalid("This is not a request to a witness: `old SIZE`, a proof, an empty line, a checkpoint.")
        try:
            proof = tuple(base64.b64decode(line, validate=True) for line in rest)
        except binascii.Error:
            proof = (b"",)
        if any(len(hash) != 32 for hash in proof):
            raise NoteInvalid("A line of the proof is not the base64 of 32 bytes.")
        return cls(int(old[1]), proof, SignedCheckpoint.parse(note))


@dataclass(frozen=True, slots=True)
class Reply:
    """What a witness answers: an HTTP status, a content type, a body."""

    status: int
    body: str
    type: str = TEXT_TYPE

    @property
    def cosigned(self) -> bool:
        """Whether the body is a cosignature."""
        return self.status == 200


class Witness:
    """The decision and its memory; for any number of threads and processes on one folder.

    Args:
        folder: Its memory.
        signer: Its key.
        logs: Public keys of the logs that it watches; a log may have several.
        clock: Seconds since 1970.
    """

    def __init__(self, folder: Path, signer: Signer, logs: Sequence[VerifierKey], clock: Callable[[], float]) -> None:
        self._folder = folder
        self._signer = signer
        self._logs = tuple(logs)
        self._clock = clock

    def latest(self, origin: str) -> SignedCheckpoint | None:
        """The latest checkpoint that it cosigned for a log, with its cosignature.

        Raises `LogUnavailable` if it cannot be read: a witness that forgot says so, and does not begin anew.
        """
        path = self._path(origin)
        try:
            return SignedCheckpoint.parse(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, NoteInvalid) as error:
            raise LogUnavailable(
                f"The witness cannot read what it remembers of {origin[:100]!a}.",
                why=f"{error}",
                remedy="Restore the file from a back-up; do not delete it.",
                details={"path": str(path)},
            ) from error

    def add_checkpoint(self, data: bytes) -> Reply:
        """Answer a request; a checkpoint that it cosigns is remembered, on the disk, before this returns.

        Raises `LogUnavailable` if the memory cannot be read or written.
        """
        try:
            asked = Submission.parse(data)
        except NoteInvalid as error:
            return Reply(400, f"{error.text}\n")
        origin = asked.signed.checkpoint.origin
        known = [key for key in self._logs if key.name == origin]
        if not known:
            return Reply(404, "This witness does not watch this log.\n")
        try:
            asked.signed.verify(known)
        except NoteInvalid as error:
            return Reply(403, f"{error.text}\n")
        if asked.old > asked.signed.size:
            return Reply(400, "The old size is beyond the checkpoint's.\n")
        return self._decide(asked, origin)

    def _decide(self, asked: Submission, origin: str) -> Reply:
        path = self._path(origin)
        lock = WriterLock(path.with_name(path.name + ".lock"))
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with lock.held(10):
                latest = self.latest(origin)
                refusal = _refusal(asked, latest)
                if refusal is not None:
                    return refusal
                signature = self._signer.cosign(asked.signed.checkpoint.text, int(self._clock()))
                replace_file(path, asked.signed.note.with_signatures([signature]).format())
                return Reply(200, f"{signature.line}\n")
        except OSError as error:
            raise LogUnavailable(
                "The witness cannot remember a checkpoint, so it does not sign it.", why=f"{error.strerror or error}."
            ) from error
        finally:
            lock.close()

    def _path(self, origin: str) -> Path:
        return self._folder / f"{sha256(origin.encode()).hexdigest()[:32]}.checkpoint"


def _refusal(asked: Submission, latest: SignedCheckpoint | None) -> Reply | None:
    """Why a checkpoint is not cosigned, or None if it continues the latest one."""
    size, root = asked.signed.size, asked.signed.checkpoint.root
    known = latest.size if latest else 0
    if asked.old != known:
        return Reply(409, f"{known}\n", SIZE_TYPE)
    if not known:
        if asked.proof or (not size and root != merkle.EMPTY_ROOT):
            return Reply(422, "Nothing is shown to continue the empty tree; the proof is empty.\n")
        return None
    old_root = latest.checkpoint.root if latest else b""
    if size == known and root != old_root:
        return Reply(409, f"{known}\n", SIZE_TYPE)
    if not merkle.verify_consistency(known, size, old_root, root, asked.proof):
        return Reply(422, "The proof does not show that this checkpoint continues the latest one.\n")
    return None
