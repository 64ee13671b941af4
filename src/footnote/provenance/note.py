"""Signed notes: a text with signatures below it, as C2SP signed-note has them, and the keys that check them.

    <text, one or more lines>
    <empty line>
    — <key name> <base64 of 4 bytes of key id and the signature>

A signature of a key that nobody vouches for says nothing and is passed over; one of a known key that does not hold
spoils the whole note. Two kinds of signature are known: Ed25519 over the text (0x01), and a witness's cosignature/v1
(0x04, C2SP tlog-cosignature), which says when. Pure: no I/O.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from footnote.errors import LogBroken, UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ED25519: Final = 1
"""Signature type of a log's key."""

COSIGNATURE: Final = 4
"""Signature type of a witness's key."""

MAX_BYTES: Final = 1_000_000
MAX_SIGNATURES: Final = 100

_SIGNATURE = re.compile(r"— (\S+) ([A-Za-z0-9+/]+={0,2})")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_VKEY = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})")


class NoteInvalid(LogBroken):
    """A note, or checkpoint, that is not one, or that is not signed as it should be."""

    code = "note_invalid"


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key under a name: whoever has it can check signatures, and nothing else.

    Attributes:
        name: Of the key; for a log its origin.
        public: 32 bytes (RFC 8032).
        kind: `ED25519` or `COSIGNATURE`.
    """

    name: str
    public: bytes
    kind: int = ED25519

    @property
    def id(self) -> bytes:
        """Four bytes that, with the name, say which key made a signature."""
        return sha256(b"%b\n%c%b" % (self.name.encode(), self.kind, self.public)).digest()[:4]

    @property
    def text(self) -> str:
        """The key as it is given to others: `name+id+base64` (a vkey)."""
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(bytes([self.kind]) + self.public).decode()}"

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """Read a vkey. Raises `UsageError` if it is not one of a kind that is known, or its id is not its own."""
        match = _VKEY.fullmatch(text.strip())
        data = _base64(match[3]) if match else None
        if match is None or data is None or len(data) != 33 or data[0] not in {ED25519, COSIGNATURE}:
            raise UsageError(
                f"{text[:80]!a} is not a public key.",
                remedy="Give it as `footnote keys show` prints it: name+id+base64.",
            )
        key = cls(match[1], data[1:], data[0])
        if key.id.hex() != match[2]:
            raise UsageError(f"The public key {key.name} was damaged: its id is not its own.", remedy="Copy it again.")
        return key


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature under a note: whose it is said to be, and its bytes."""

    name: str
    key_id: bytes
    value: bytes

    @property
    def line(self) -> str:
        """The line as it stands in a note, without its newline."""
        return f"— {self.name} {base64.b64encode(self.key_id + self.value).decode()}"

    @property
    def time(self) -> int | None:
        """Of a cosignature, when it says it was made, in seconds since 1970; else None."""
        return int.from_bytes(self.value[:8], "big") if len(self.value) == 72 else None


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text that ends in a newline, and its signatures."""

    text: str
    signatures: tuple[Signature, ...]

    @classmethod
    def parse(cls, data: bytes) -> SignedNote:
        """Read a note. Raises `NoteInvalid` if it is not one, to the byte."""
        if len(data) > MAX_BYTES:
            raise NoteInvalid(f"A signed note of {len(data)} bytes is too long.")
        try:
            whole = data.decode("utf-8")
        except UnicodeDecodeError:
            raise NoteInvalid("The signed note is not UTF-8.") from None
        text, gap, below = whole.rpartition("\n\n")
        if not gap or not text or not below.endswith("\n") or _CONTROL.search(whole):
            raise NoteInvalid("This is not a signed note: a text, an empty line, and lines of signatures.")
        lines = below[:-1].split("\n")
        if len(lines) > MAX_SIGNATURES:
            raise NoteInvalid(f"A signed note with {len(lines)} signatures has too many.")
        return cls(text + "\n", tuple(parse_signature(line) for line in lines))

    def format(self) -> bytes:
        """The note's bytes."""
        return (self.text + "\n" + "".join(f"{one.line}\n" for one in self.signatures)).encode()

    def signed_by(self, keys: Iterable[VerifierKey]) -> list[VerifierKey]:
        """Those of `keys` whose signature is there and holds, in the order of `keys`.

        Raises `NoteInvalid` if one of them is named with a signature that does not hold.
        """
        return [key for key in keys if self.signature_of(key) is not None]

    def signature_of(self, key: VerifierKey) -> Signature | None:
        """The signature of `key`, which holds; None if there is none. Raises as `signed_by`."""
        found = None
        for signature in self.signatures:
            if (signature.name, signature.key_id) != (key.name, key.id):
                continue
            if not _holds(signature.value, key, self.text):
                raise NoteInvalid(
                    f"The signature of {key.name} does not hold: the text, or the signature, was changed."
                )
            found = signature
        return found

    def with_signatures(self, more: Iterable[Signature]) -> SignedNote:
        """The note with further signatures; one that is there is not repeated."""
        added = [one for one in dict.fromkeys(more) if one not in self.signatures]
        return SignedNote(self.text, (*self.signatures, *added))


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key under a name."""

    name: str
    private: Ed25519PrivateKey

    @property
    def key(self) -> VerifierKey:
        """The public key of its plain signatures."""
        return VerifierKey(self.name, self._public())

    @property
    def cosigner_key(self) -> VerifierKey:
        """The public key of its cosignatures."""
        return VerifierKey(self.name, self._public(), COSIGNATURE)

    def sign(self, text: str) -> Signature:
        """Sign a text (Ed25519, RFC 8032)."""
        return Signature(self.name, self.key.id, self.private.sign(text.encode()))

    def cosign(self, text: str, time: int) -> Signature:
        """Cosign a checkpoint's text at `time`, in seconds since 1970 (cosignature/v1)."""
        value = time.to_bytes(8, "big") + self.private.sign(_cosigned(text, time))
        return Signature(self.name, self.cosigner_key.id, value)

    def _public(self) -> bytes:
        return self.private.public_key().public_bytes_raw()


def parse_signature(line: str) -> Signature:
    """Read one line of a signature. Raises `NoteInvalid` if it is not one."""
    match = _SIGNATURE.fullmatch(line)
    data = _base64(match[2]) if match else None
    if match is None or data is None or len(data) < 5 or "+" in match[1]:
        raise NoteInvalid(f"{line[:60]!a} is not the signature of a note.")
    return Signature(match[1], data[:4], data[4:])


def is_signature(public: bytes, value: bytes, data: bytes) -> bool:
    """Whether `value` is the Ed25519 signature of `data` by the key with these 32 public bytes (RFC 8032)."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(value, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def _holds(value: bytes, key: VerifierKey, text: str) -> bool:
    if key.kind == ED25519:
        return is_signature(key.public, value, text.encode())
    return len(value) == 72 and is_signature(key.public, value[8:], _cosigned(text, int.from_bytes(value[:8], "big")))


def _cosigned(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def _base64(text: str) -> bytes | None:
    """The bytes of canonical base64; None if it is anything else, such as padding with bits set."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None
