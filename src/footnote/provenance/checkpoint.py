"""Checkpoints: a log's size and Merkle root at one time, signed; C2SP tlog-checkpoint in a signed note.

    footnote/24eb4834-5a84-4777-8c1d-36fa0766810d
    20852163
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

    — footnote/24eb4834-5a84-4777-8c1d-36fa0766810d Az3grlgtzPIC…

The first line is the origin, which names the log and its key; then come the number of records and the root over their
leaves. Whoever kept one can have it shown that a log has all it covers, unchanged, in this order. Pure: no I/O.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from footnote.provenance.note import NoteInvalid, SignedNote, Signer, VerifierKey

MAX_SIZE: Final = 2**63 - 1

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_ROOT = re.compile(r"[A-Za-z0-9+/]{43}=")


def origin_of(log: str) -> str:
    """The origin, and name of the key, of the log with this id."""
    return f"footnote/{log}"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is signed.

    Attributes:
        origin: The log's name among all logs.
        size: Records, from the first on, that it covers.
        root: Merkle root over their leaves (RFC 6962), 32 bytes.
    """

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """Read a checkpoint's text; lines behind the third, which the format allows, are passed over.

        Raises `NoteInvalid` if it is not one.
        """
        lines = text.split("\n")
        if len(lines) < 4 or lines[-1] or not all(lines[:-1]):
            raise NoteInvalid("This is not a checkpoint: origin, size and root stand on a line each.")
        origin, size, root = lines[:3]
        if not _SIZE.fullmatch(size) or int(size) > MAX_SIZE:
            raise NoteInvalid(f"A checkpoint cannot cover {size[:40]!a} records.")
        value = base64.b64decode(root) if _ROOT.fullmatch(root) else b""
        if base64.b64encode(value).decode() != root:
            raise NoteInvalid("The checkpoint's root is not the base64 of 32 bytes.")
        return cls(origin, int(size), value)


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A checkpoint with the note that it was signed in. Whether a signature holds is for `verify` to say."""

    checkpoint: Checkpoint
    note: SignedNote

    @property
    def size(self) -> int:
        """Records that it covers."""
        return self.checkpoint.size

    @classmethod
    def parse(cls, data: bytes) -> SignedCheckpoint:
        """Read a signed checkpoint. Raises `NoteInvalid` if it is not one."""
        note = SignedNote.parse(data)
        return cls(Checkpoint.parse(note.text), note)

    def format(self) -> bytes:
        """The note's bytes."""
        return self.note.format()

    def verify(self, keys: Iterable[VerifierKey]) -> VerifierKey:
        """The first of the log's `keys` that signed it.

        Raises `NoteInvalid` if none did, or the signature of one does not hold.
        """
        known = [key for key in keys if key.name == self.checkpoint.origin]
        signed = self.note.signed_by(known)
        if not signed:
            raise NoteInvalid(
                f"The checkpoint of {self.checkpoint.size} records is not signed by a key of {self.checkpoint.origin}.",
                why="" if known else "No key of this log was given.",
            )
        return signed[0]


def sign_checkpoint(checkpoint: Checkpoint, signer: Signer) -> SignedCheckpoint:
    """Sign a checkpoint; the signer has the origin as its name."""
    return SignedCheckpoint(checkpoint, SignedNote(checkpoint.text, (signer.sign(checkpoint.text),)))
