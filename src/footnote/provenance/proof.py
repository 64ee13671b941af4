"""A proof that one record, or one row of its evidence, is in a log, to be checked with nothing but a public key.

It holds the record's leaf, the way from it to the root of a signed checkpoint, and for a row its salt, its value and the
way from its commitment to the leaf's evidence root. What else the record says stays where it is: a proof of one row shows
that row and nothing more. It is a JSON document (`footnote/proof-v1`), or, for a record, text as C2SP tlog-proof has it with
the leaf as its extra data. Pure: no I/O.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from footnote.evidence import Json
from footnote.provenance import merkle
from footnote.provenance.canonical import Unrecordable, canonical, parse
from footnote.provenance.checkpoint import SignedCheckpoint, origin_of
from footnote.provenance.keys import read_rotation, with_heirs
from footnote.provenance.leaf import EVIDENCE, Leaf, Part, commitment, decode, record_hash
from footnote.provenance.note import NoteInvalid, VerifierKey

FORMAT: Final = "footnote/proof-v1"
TLOG_PROOF: Final = "c2sp.org/tlog-proof@v1"
MAX_HASHES: Final = 63
MAX_ROTATIONS: Final = 1000

_INDEX = re.compile(r"index (0|[1-9][0-9]{0,18})")


@dataclass(frozen=True, slots=True)
class RowProof:
    """One row of evidence: its place among the record's rows, its salt and canonical bytes, the way to their root."""

    position: int
    salt: bytes
    data: bytes
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """A record's leaf, the way from it to the root of `checkpoint`, and one of its rows if that was asked for."""

    leaf: bytes
    hashes: tuple[bytes, ...]
    checkpoint: SignedCheckpoint
    row: RowProof | None = None
    rotations: tuple[str, ...] = ()
    """Signed notes by which a key of the log handed over to the next, in order, for whoever has an earlier one."""

    def as_dict(self) -> dict[str, Json]:
        """The proof as JSON values."""
        leaf = decode(self.leaf)
        out: dict[str, Json] = {
            "format": FORMAT,
            "record": {"sequence": leaf.sequence, "id": leaf.id, "kind": leaf.kind, "hash": record_hash(self.leaf)},
            "leaf": self.leaf.decode("utf-8"),
            "hashes": [hash.hex() for hash in self.hashes],
            "checkpoint": self.checkpoint.format().decode("utf-8"),
        }
        if self.row:
            out["row"] = {
                "position": self.row.position,
                "value": parse(self.row.data),
                "salt": self.row.salt.hex(),
                "hashes": [hash.hex() for hash in self.row.hashes],
            }
        if self.rotations:
            out["rotations"] = list(self.rotations)
        return out

    def as_tlog_proof(self) -> str:
        """The proof of the record as C2SP tlog-proof has it; rows and rotations are not in it."""
        extra = base64.b64encode(self.leaf).decode()
        lines = [TLOG_PROOF, f"extra {extra}", f"index {decode(self.leaf).sequence - 1}"]
        lines += [base64.b64encode(hash).decode() for hash in self.hashes]
        return "\n".join([*lines, "", ""]) + self.checkpoint.format().decode("utf-8")


@dataclass(frozen=True, slots=True)
class Proven:
    """What a proof shows.

    Attributes:
        leaf: The record's leaf, read.
        hash: Its hash, which a receipt has too.
        size: Records that the checkpoint covers.
        key: The key that signed it.
        row: The value of the row, if there was one.
    """

    leaf: Leaf
    hash: str
    size: int
    key: VerifierKey
    row: Json | None = None


def prove_row(leaf: Leaf, parts: Sequence[Part], position: int) -> RowProof:
    """The proof of one row among a record's parts. Raises `NoteInvalid` if it, or what its proof needs, is gone."""
    rows = {part.position: part for part in parts if part.section == EVIDENCE}
    items = [_committed(rows.get(place)) for place in range(leaf.evidence_count)]
    part = rows.get(position)
    if part is None or part.salt is None or part.data is None or None in items:
        raise NoteInvalid(f"Row {position} of record {leaf.sequence} was erased, or is missing; it cannot be proved.")
    known = [item for item in items if item is not None]
    if merkle.root(known).hex() != leaf.evidence_root:
        raise NoteInvalid(f"The evidence of record {leaf.sequence} was altered; it cannot be proved.")
    return RowProof(position, part.salt, part.data, tuple(merkle.inclusion_proof(known, position)))


def read_proof(data: bytes) -> Proof:
    """Read a proof in either form. Raises `NoteInvalid` if it is not one."""
    if len(data) > 20_000_000:
        raise NoteInvalid("A proof is never that long.")
    try:
        text = data.decode("utf-8")
        return _read_tlog_proof(text) if text.startswith(TLOG_PROOF) else _read_json(text)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, Unrecordable) as error:
        raise NoteInvalid("This is not a proof that `footnote proof` writes.", why=f"{type(error).__name__}.") from None


def verify_proof(proof: Proof, keys: Iterable[VerifierKey]) -> Proven:
    """What a proof shows, if the log's `keys`, or keys that they handed over to, vouch for its checkpoint.

    Raises `NoteInvalid` with what does not hold, `LogBroken` if the leaf is none.
    """
    leaf = require_whole(proof)
    rotations = (read_rotation(text, origin_of(leaf.log)) for text in proof.rotations)
    key = proof.checkpoint.verify(with_heirs(keys, [one for one in rotations if one]))
    row = parse(proof.row.data) if proof.row else None
    return Proven(leaf, record_hash(proof.leaf), proof.checkpoint.size, key, row)


def require_whole(proof: Proof) -> Leaf:
    """The leaf of a proof whose record and row lead to its checkpoint's root, whoever signed that.

    Raises `NoteInvalid` with what does not hold, `LogBroken` if the leaf is none.
    """
    leaf = decode(proof.leaf)
    checkpoint = proof.checkpoint.checkpoint
    if checkpoint.origin != origin_of(leaf.log):
        raise NoteInvalid("The record is of another log than the checkpoint.")
    if not merkle.verify_inclusion(proof.leaf, leaf.sequence - 1, checkpoint.size, proof.hashes, checkpoint.root):
        raise NoteInvalid(f"Record {leaf.sequence} is not in the tree of {checkpoint.size} records that was signed.")
    if proof.row:
        place = proof.row.position
        item = commitment(proof.row.salt, f"{EVIDENCE}/{place}", proof.row.data)
        root = bytes.fromhex(leaf.evidence_root)
        if not merkle.verify_inclusion(item, place, leaf.evidence_count, proof.row.hashes, root):
            raise NoteInvalid(f"Row {place} is not in the evidence of record {leaf.sequence}.")
    return leaf


def _committed(part: Part | None) -> bytes | None:
    if part is None or part.salt is None or part.data is None:
        return part.commitment if part else None
    return commitment(part.salt, part.path, part.data)


def _read_json(text: str) -> Proof:
    value = json.loads(text, object_pairs_hook=_once)
    if value["format"] != FORMAT:
        raise ValueError("another format")
    row = value.get("row")
    proof = Proof(
        leaf=value["leaf"].encode("utf-8"),
        hashes=_hashes(value["hashes"]),
        checkpoint=SignedCheckpoint.parse(value["checkpoint"].encode("utf-8")),
        row=_row(row) if row is not None else None,
        rotations=_texts(value.get("rotations", [])),
    )
    leaf = decode(proof.leaf)
    said = {"sequence": leaf.sequence, "id": leaf.id, "kind": leaf.kind, "hash": record_hash(proof.leaf)}
    if value["record"] != said:
        raise NoteInvalid("The proof says other things of the record than its leaf.")
    return proof


def _row(value: dict[str, Any]) -> RowProof:
    if type(value["position"]) is not int:
        raise ValueError("the position is not a number")
    return RowProof(
        value["position"], bytes.fromhex(value["salt"]), canonical(value["value"]), _hashes(value["hashes"])
    )


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or len(values) > MAX_ROTATIONS or not all(isinstance(one, str) for one in values):
        raise ValueError("not rotations")
    return tuple(values)


def _hashes(values: list[str]) -> tuple[bytes, ...]:
    hashes = tuple(bytes.fromhex(value) for value in values)
    if len(hashes) > MAX_HASHES or any(len(hash) != 32 for hash in hashes):
        raise ValueError("not hashes")
    return hashes


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key twice")
    return value


def _read_tlog_proof(text: str) -> Proof:
    head, _, note = text.partition("\n\n")
    lines = head.split("\n")
    index = _INDEX.fullmatch(lines[2])
    if lines[0] != TLOG_PROOF or not lines[1].startswith("extra ") or index is None or len(lines) > 3 + MAX_HASHES:
        raise ValueError("not its lines")
    try:
        leaf, *hashes = (base64.b64decode(part, validate=True) for part in (lines[1][6:], *lines[3:]))
    except binascii.Error:
        raise ValueError("not base64") from None
    if decode(leaf).sequence != int(index[1]) + 1 or any(len(hash) != 32 for hash in hashes):
        raise ValueError("not its index")
    return Proof(leaf, tuple(hashes), SignedCheckpoint.parse(note.encode("utf-8")))
