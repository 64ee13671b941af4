"""The leaf of a record, format footnote/v1: what is hashed, and nothing that is hashed lies outside it.

A record is a leaf and a payload. The leaf says where the record stands (`log`, `sequence`, `previousHash`), what it is
(`id`, `kind`, `timestamp`, `catalog`) and holds one commitment for each section of the payload. It has no payload text,
so a payload can be destroyed and the leaf stays as it was hashed::

    {"format":"footnote/v1","log":"<uuid>","sequence":6,"id":"<uuid>","kind":"answer",
     "timestamp":"2026-11-29T23:03:29.167Z","previousHash":"<64 hex>","catalog":"sha256:...",
     "sections":{"question":"<hmac hex>", ..., "evidence":{"count":4,"root":"<hex>"}}}

- `hash` of a record = SHA-256 over the exact leaf bytes (canonical JSON), 64 hex digits. The first record's
  `previousHash` is 64 zeroes. A Merkle tree over the log has the same leaf bytes as its items (RFC 6962).
- Commitment of a part = HMAC-SHA256(salt, path || 0x00 || bytes), with a fresh random salt of 32 bytes for each part
  and `bytes` the canonical JSON of its value. `path` is the section's name in ASCII (`question`), or for a row of
  evidence `evidence/` and its position from 0 in decimal (`evidence/3`). Without the salt, a guess at a payload cannot
  be checked against its commitment.
- `evidence.root` = RFC 6962 root over the 32-byte commitments of the rows in order: the item of row i is its
  commitment. No rows: count 0 and the root of the empty tree.
- `timestamp` is RFC 3339 in UTC with milliseconds, never before that of the previous record.

Pure: no I/O but the system's random bytes.
"""

from __future__ import annotations

import hmac
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_bytes
from typing import Any, Final, NamedTuple

from footnote.errors import LogBroken
from footnote.evidence import Json
from footnote.provenance import merkle
from footnote.provenance.canonical import Unrecordable, canonical, parse

FORMAT: Final = "footnote/v1"
GENESIS: Final = "0" * 64
"""`previousHash` of the first record."""

KINDS: Final = ("result", "answer", "refusal", "error", "erasure", "reperform", "read", "import", "key", "retention")
"""What a record may be; order has no meaning."""

EVIDENCE: Final = "evidence"
SALT_BYTES: Final = 32
MAX_EVIDENCE: Final = 100_000
"""Rows of evidence a record may have; beyond, a digest stands for the rows."""

RESERVED: Final = frozenset(
    "format log sequence id kind timestamp catalog previousHash hash sections evidence leaf salts commitments".split()
)
"""Names a section cannot have, because an exported record has them beside its sections."""

INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))
INNER_REST: Final = b"\x36" * (64 - SALT_BYTES)
OUTER_REST: Final = b"\x5c" * (64 - SALT_BYTES)
"""The pads of RFC 2104 for SHA-256, whose block has 64 bytes."""

_KEYS: Final = frozenset("format log sequence id kind timestamp previousHash catalog sections".split())
_SECTION = re.compile(r"[a-z][A-Za-z0-9]{0,63}")
_HEX = re.compile(r"[0-9a-f]{64}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_CATALOG = re.compile(r"[!-~]{0,200}")


def new_id() -> str:
    """A fresh id for a record: a random UUID, lower case."""
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Draft:
    """What a caller wants recorded. Place, time and hash are the log's to give; a caller cannot influence them.

    Attributes:
        kind: One of `KINDS`.
        catalog: Digest of the catalog in force (`sha256:...`), or empty where none was.
        sections: Named JSON values; a name is a letter and letters or digits, and not one of `RESERVED`.
        evidence: Rows of evidence, in order; each is committed to by itself.
        id: The record's UUID, preset so that the payload may name it.
    """

    kind: str
    catalog: str = ""
    sections: Mapping[str, Json] = field(default_factory=dict)
    evidence: Sequence[Json] = ()
    id: str = field(default_factory=new_id)


class Part(NamedTuple):
    """One section or one row of evidence as stored (a tuple, because a log has a dozen of them for each record).

    `salt` and `data` are None once destroyed. A destroyed row of evidence leaves its `commitment` behind, without
    which the root over the other rows could not be checked; it is None where `salt` and `data` give it.
    """

    section: str
    position: int
    salt: bytes | None
    data: bytes | None
    commitment: bytes | None = None

    @property
    def path(self) -> str:
        """`question`, or `evidence/3`."""
        return f"{EVIDENCE}/{self.position}" if self.section == EVIDENCE else self.section


@dataclass(frozen=True, slots=True)
class Sealed:
    """A draft with its bytes, salts and commitments: all of a record but its place in the log."""

    id: str
    kind: str
    catalog: str
    commitments: dict[str, Json]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf, read. `sections` has the commitment of each section in hex; evidence apart."""

    log: str
    sequence: int
    id: str
    kind: str
    timestamp: str
    previous_hash: str
    catalog: str
    sections: Mapping[str, str]
    evidence_count: int
    evidence_root: str


def commitment(salt: bytes, path: str, data: bytes) -> bytes:
    """HMAC-SHA256(salt, path || 0x00 || data), 32 bytes."""
    return hmac_sha256(salt, b"%b\x00%b" % (path.encode("ascii"), data))


def hmac_sha256(salt: bytes, message: bytes) -> bytes:
    """HMAC (RFC 2104) with SHA-256; 32 bytes.

    For a salt of our length it is written out: two hashes cost two thirds of what OpenSSL's one-shot function does,
    and a record has a dozen of them.
    """
    if len(salt) != SALT_BYTES:
        return hmac.digest(salt, message, "sha256")
    inner = sha256(salt.translate(INNER) + INNER_REST + message).digest()
    return sha256(salt.translate(OUTER) + OUTER_REST + inner).digest()


def record_hash(leaf: bytes) -> str:
    """`hash` of a record, from its leaf's bytes: 64 hex digits."""
    return sha256(leaf).hexdigest()


def is_section_name(name: str) -> bool:
    """Whether a section, other than the rows of evidence, may have this name."""
    return _matches(_SECTION, name) and name not in RESERVED


def timestamp(moment: datetime) -> str:
    """RFC 3339, UTC, milliseconds (cut, not rounded): as leaves have it, so that text order is time order."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def seal(draft: Draft) -> Sealed:
    """Write a draft's sections and rows as canonical bytes and commit to each.

    Raises `Unrecordable` if the kind, id, catalog or a section's name is not one, or a value has no canonical form.
    """
    _check(draft)
    salts = token_bytes(SALT_BYTES * (len(draft.sections) + len(draft.evidence)))
    parts: list[Part] = []
    commitments: dict[str, Json] = {}
    for name in sorted(draft.sections):
        part = _part(name, 0, salts, len(parts), draft.sections[name])
        parts.append(part)
        commitments[name] = _committed(part).hex()
    rows = []
    for position, row in enumerate(draft.evidence):
        parts.append(_part(EVIDENCE, position, salts, len(parts), row))
        rows.append(_committed(parts[-1]))
    commitments[EVIDENCE] = {"count": len(rows), "root": merkle.root(rows).hex()}
    return Sealed(id=draft.id, kind=draft.kind, catalog=draft.catalog, commitments=commitments, parts=tuple(parts))


def encode(sealed: Sealed, *, log: str, sequence: int, timestamp: str, previous_hash: str) -> bytes:
    """The leaf bytes of a sealed draft at its place in a log."""
    return canonical(
        {
            "format": FORMAT,
            "log": log,
            "sequence": sequence,
            "id": sealed.id,
            "kind": sealed.kind,
            "timestamp": timestamp,
            "previousHash": previous_hash,
            "catalog": sealed.catalog,
            "sections": sealed.commitments,
        }
    )


def decode(data: bytes) -> Leaf:
    """Read leaf bytes.

    Raises `LogBroken` if they are not a leaf of this format, in canonical form, with exactly its members.
    """
    try:
        value = parse(data)
    except Unrecordable as error:
        raise LogBroken("The leaf is not canonical JSON.", why=error.why or error.what) from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise LogBroken(f"The leaf is not one of format {FORMAT}.")
    fault = _leaf_fault(value)
    if fault:
        raise LogBroken(f"The leaf is not a leaf: its {fault} is not what format {FORMAT} has there.")
    sections = dict(value["sections"])
    evidence = sections.pop(EVIDENCE)
    return Leaf(
        log=value["log"],
        sequence=value["sequence"],
        id=value["id"],
        kind=value["kind"],
        timestamp=value["timestamp"],
        previous_hash=value["previousHash"],
        catalog=value["catalog"],
        sections=sections,
        evidence_count=evidence["count"],
        evidence_root=evidence["root"],
    )


def _check(draft: Draft) -> None:
    if draft.kind not in KINDS:
        raise Unrecordable(f"A record cannot be of kind {draft.kind!a:.60}.", remedy=f"Kinds are {', '.join(KINDS)}.")
    if not _matches(_UUID, draft.id):
        raise Unrecordable(f"A record cannot have the id {draft.id!a:.60}.", remedy="An id is a UUID in lower case.")
    if not _matches(_CATALOG, draft.catalog):
        raise Unrecordable("A record cannot name this catalog.", remedy="Name it by its digest: sha256:...")
    if len(draft.evidence) > MAX_EVIDENCE:
        raise Unrecordable(f"A record cannot have {len(draft.evidence)} rows of evidence, only {MAX_EVIDENCE}.")
    for name in draft.sections:
        if not is_section_name(name):
            raise Unrecordable(
                f"A record cannot have a section named {name!a:.60}.",
                why="The name is taken or is not a letter followed by letters and digits.",
                remedy="Choose another name.",
            )


def _part(section: str, position: int, salts: bytes, number: int, value: Json) -> Part:
    salt = salts[number * SALT_BYTES : (number + 1) * SALT_BYTES]
    try:
        return Part(section, position, salt, canonical(value))
    except Unrecordable as error:
        place = f"{section}[{position}]" if section == EVIDENCE else section
        inner = error.details.get("path", "")
        path = place + (inner if inner.startswith("[") else f".{inner}" if inner else "")
        raise Unrecordable(
            f"The value at {path} cannot be recorded.", why=error.why, remedy=error.remedy, details={"path": path}
        ) from error


def _committed(part: Part) -> bytes:
    assert part.salt is not None  # noqa: S101 - a part that was just made has both
    assert part.data is not None  # noqa: S101
    return commitment(part.salt, part.path, part.data)


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _leaf_fault(value: dict[str, Any]) -> str:
    """The first member of a leaf that is not well-formed; empty if all are."""
    if value.keys() != _KEYS:
        return "set of members"
    wrong = {
        "log": not _matches(_UUID, value["log"]),
        "sequence": type(value["sequence"]) is not int or value["sequence"] < 1,
        "id": not _matches(_UUID, value["id"]),
        "kind": value["kind"] not in KINDS,
        "timestamp": not _matches(_TIMESTAMP, value["timestamp"]),
        "previousHash": not _matches(_HEX, value["previousHash"]),
        "catalog": not _matches(_CATALOG, value["catalog"]),
        "sections": not _are_sections(value["sections"]),
    }
    return next((name for name, is_wrong in wrong.items() if is_wrong), "")


def _are_sections(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get(EVIDENCE), dict):
        return False
    evidence = value[EVIDENCE]
    if (
        evidence.keys() != {"count", "root"}
        or type(evidence["count"]) is not int
        or not 0 <= evidence["count"] <= MAX_EVIDENCE
    ):
        return False
    return _matches(_HEX, evidence["root"]) and all(
        _matches(_HEX, item) and is_section_name(name) for name, item in value.items() if name != EVIDENCE
    )
