"""Promise 8 in full: what is done to a log, its checkpoints or an export, and who finds it.

Three verifiers look at each: one has nothing but the log (the chain alone), one kept a checkpoint of 120 of its 200
records, one kept the latest. The forger may do anything to the file, knows how hashes are made, and has no key. With
the latest checkpoint kept, everything is found; the table in docs/provenance.md is the one that comes out here.
"""

from __future__ import annotations

import copy
import hashlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from footnote.audit import verify_export
from footnote.audit.export import export_json
from footnote.provenance import Checkpoint, Draft, Known, Log, SignedCheckpoint, Verification
from footnote.provenance.anchors import KeptElsewhere
from footnote.provenance.chain import TAMPERS
from footnote.provenance.checkpoint import origin_of, sign_checkpoint
from footnote.provenance.note import Signer
from footnote.provenance.store import Kept

SIZE, EARLIER = 200, 120
DOCS = Path(__file__).resolve().parents[2] / "docs" / "provenance.md"


@dataclass
class Forged:
    """A record as the forger sees it: its leaf, the hash beside it, its payload."""

    leaf: dict[str, Any]
    hash: bytes
    payload: list[tuple[Any, ...]]

    @property
    def data(self) -> bytes:
        return json.dumps(self.leaf, sort_keys=True, separators=(",", ":")).encode()


@dataclass
class Forger:
    """A log in the hands of whoever may do anything to it."""

    records: list[Forged]
    checkpoints: list[Kept] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path) -> Forger:
        connection = sqlite3.connect(path)
        payload: dict[int, list[tuple[Any, ...]]] = {}
        for sequence, *part in connection.execute("SELECT * FROM payload ORDER BY sequence, section, position"):
            payload.setdefault(sequence, []).append(tuple(part))
        rows = connection.execute("SELECT sequence, leaf, hash FROM leaves ORDER BY sequence").fetchall()
        connection.close()
        return cls([Forged(json.loads(leaf), hash, payload[sequence]) for sequence, leaf, hash in rows])

    def relink(self) -> None:
        """Number the records anew and compute every link and hash anew: a perfect chain."""
        before = "0" * 64
        for number, record in enumerate(self.records, 1):
            record.leaf |= {"sequence": number, "previousHash": before}
            record.hash = hashlib.sha256(record.data).digest()
            before = record.hash.hex()

    def rewrite(self, sequence: int, **changes: Any) -> None:
        """Change a leaf, and everything behind it with it."""
        self.records[sequence - 1].leaf |= changes
        self.relink()

    def invent(self, sequence: int) -> Forged:
        """A record that never was, like the one at `sequence`."""
        made = copy.deepcopy(self.records[sequence - 1])
        made.leaf["id"] = f"00000000-0000-4000-8000-{sequence:012}"
        return made

    def write(self, path: Path) -> None:
        """Put what is there into a log's file."""
        connection = sqlite3.connect(path)
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for table in ("leaves", "payload", "subtrees", "checkpoints"):
            connection.execute(f"DELETE FROM {table}")
        for number, record in enumerate(self.records, 1):
            row = (number, record.leaf["id"], record.leaf["kind"], record.data, record.hash)
            connection.execute("INSERT INTO leaves VALUES (?, ?, ?, ?, ?)", row)
            for part in record.payload:
                connection.execute("INSERT INTO payload VALUES (?, ?, ?, ?, ?, ?)", (number, *part))
        for kept in self.checkpoints:
            connection.execute("INSERT INTO checkpoints (size, note) VALUES (?, ?)", (kept.size, kept.note))
        connection.commit()
        connection.close()


SIGNERS: dict[str, Signer] = {}


def signed(log: Log, size: int) -> SignedCheckpoint:
    origin = origin_of(log.id)
    signer = SIGNERS.setdefault(origin, Signer(origin, Ed25519PrivateKey.generate()))
    return sign_checkpoint(Checkpoint(origin, size, log.root(size)), signer)


@dataclass(frozen=True)
class Kit:
    """The log as it was, and what each verifier kept of it."""

    path: Path
    log: str
    earlier: SignedCheckpoint
    latest: SignedCheckpoint

    def known(self, *kept: SignedCheckpoint) -> Known:
        key = SIGNERS[origin_of(self.log)].key
        return Known((key,), tuple(KeptElsewhere(one, f"kept of {one.size}") for one in kept))


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Kit:
    path = tmp_path_factory.mktemp("matrix") / "log.db"
    with Log.open(path) as log:
        log.append_all(
            [
                Draft(
                    "answer", "sha256:" + "0" * 64, {"question": f"Question {n}?", "actor": {"id": "zoran"}}, [n, "row"]
                )
                for n in range(1, SIZE + 1)
            ]
        )
        return Kit(path, log.id, signed(log, EARLIER), signed(log, SIZE))


# --- what is done -----------------------------------------------------------------------------------------------------


def edit(forger: Forger, sequence: int, **changes: Any) -> None:
    forger.records[sequence - 1].leaf |= changes


def with_own_hash(forger: Forger, sequence: int, **changes: Any) -> None:
    record = forger.records[sequence - 1]
    record.leaf |= changes
    record.hash = hashlib.sha256(record.data).digest()


def swap(forger: Forger, one: int, other: int) -> None:
    records = forger.records
    records[one - 1], records[other - 1] = records[other - 1], records[one - 1]


def payload(forger: Forger, sequence: int, number: int, place: int, value: Any) -> None:
    parts = forger.records[sequence - 1].payload
    part = list(parts[number])
    part[place] = value
    parts[number] = tuple(part)


def destroy(forger: Forger, sequence: int, number: int) -> None:
    for place in (2, 3):
        payload(forger, sequence, number, place, None)


def relinked(act: Callable[[Forger], Any]) -> Callable[[Forger], None]:
    def tampering(forger: Forger) -> None:
        act(forger)
        forger.relink()

    return tampering


def forked(forger: Forger, sequence: int) -> None:
    for number in range(sequence + 1, SIZE + 1):
        forger.records[number - 1] = forger.invent(number)
    forger.relink()


LATE = "2999-01-01T00:00:00.000Z"
EARLY = "2001-01-01T00:00:00.000Z"
OTHER = "sha256:" + "1" * 64
OTHERS_LOG = "00000000-0000-4000-8000-000000000000"

# What is done, and what each of the three verifiers says it is; "" where it finds nothing.
DATABASE: dict[str, tuple[Callable[[Forger], Any], str, str, str]] = {
    "a leaf edited": (lambda f: edit(f, 50, catalog=OTHER), "edit", "edit", "edit"),
    "a leaf edited with its own hash": (lambda f: with_own_hash(f, 50, catalog=OTHER), "edit", "edit", "edit"),
    "one bit of a hash flipped": (
        lambda f: setattr(f.records[49], "hash", bytes([f.records[49].hash[0] ^ 1]) + f.records[49].hash[1:]),
        "edit",
        "edit",
        "edit",
    ),
    "a record backdated": (lambda f: edit(f, 50, timestamp=EARLY), "backdating", "backdating", "backdating"),
    "a record backdated with its own hash": (
        lambda f: with_own_hash(f, 50, timestamp=EARLY),
        "backdating",
        "backdating",
        "backdating",
    ),
    "a record put in from another log": (
        lambda f: with_own_hash(f, 50, log=OTHERS_LOG),
        "insertion",
        "insertion",
        "insertion",
    ),
    "two records swapped": (lambda f: swap(f, 50, 60), "reorder", "reorder", "reorder"),
    "a section changed": (lambda f: payload(f, 50, 3, 3, b'"No?"'), "payload", "payload", "payload"),
    "a salt changed": (lambda f: payload(f, 50, 3, 2, b"\0" * 32), "payload", "payload", "payload"),
    "a row of evidence changed": (lambda f: payload(f, 50, 1, 3, b"51"), "payload", "payload", "payload"),
    "a section destroyed without a record": (lambda f: destroy(f, 50, 3), "payload", "payload", "payload"),
    "a row of evidence deleted": (lambda f: f.records[49].payload.pop(1), "payload", "payload", "payload"),
    "a section passed off as another's": (
        lambda f: f.records[49].payload.__setitem__(3, f.records[50].payload[3]),
        "payload",
        "payload",
        "payload",
    ),
    "an early record rewritten, all hashes recomputed": (
        lambda f: f.rewrite(50, catalog=OTHER),
        "",
        "rewrite",
        "rewrite",
    ),
    "an early record put in, all recomputed": (
        relinked(lambda f: f.records.insert(49, f.invent(49))),
        "",
        "rewrite",
        "rewrite",
    ),
    "an early record taken out, all recomputed": (relinked(lambda f: f.records.pop(49)), "", "rewrite", "truncation"),
    "early records reordered, all recomputed": (
        relinked(lambda f: f.records.insert(49, f.records.pop(48))),
        "",
        "rewrite",
        "rewrite",
    ),
    "the first record taken out, all recomputed": (relinked(lambda f: f.records.pop(0)), "", "rewrite", "truncation"),
    "everything backdated, all recomputed": (
        relinked(lambda f: [record.leaf.update(timestamp=EARLY) for record in f.records]),
        "",
        "rewrite",
        "rewrite",
    ),
    "the log replaced by another of the same id": (lambda f: forked(f, 0), "", "rewrite", "rewrite"),
    "cut off before the earlier checkpoint": (
        lambda f: f.records.__delitem__(slice(100, None)),
        "",
        "truncation",
        "truncation",
    ),
    "emptied": (lambda f: f.records.clear(), "", "truncation", "truncation"),
    "a late record rewritten, all recomputed": (lambda f: f.rewrite(150, catalog=OTHER), "", "", "rewrite"),
    "a late record put in, all recomputed": (
        relinked(lambda f: f.records.insert(149, f.invent(149))),
        "",
        "",
        "rewrite",
    ),
    "late records forward-dated, all recomputed": (
        relinked(lambda f: [record.leaf.update(timestamp=LATE) for record in f.records[149:]]),
        "",
        "",
        "rewrite",
    ),
    "cut off behind the earlier checkpoint": (lambda f: f.records.__delitem__(slice(150, None)), "", "", "truncation"),
    "the last record taken off": (lambda f: f.records.pop(), "", "", "truncation"),
    "forked behind the earlier checkpoint": (lambda f: forked(f, 150), "", "", "rewrite"),
}


def looked_at(kit: Kit, path: Path) -> tuple[Verification, Verification, Verification]:
    """What the three verifiers say."""
    with Log.open(path, readonly=True) as log:
        return (
            log.verify(),
            log.verify(known=kit.known(kit.earlier)),
            log.verify(known=kit.known(kit.latest)),
        )


def a_copy(kit: Kit, folder: Path) -> Path:
    path = folder / "log.db"
    path.write_bytes(kit.path.read_bytes())
    return path


def test_what_was_not_touched_verifies_for_all_three(kit: Kit, tmp_path: Path) -> None:
    path = a_copy(kit, tmp_path)
    Forger.of(path).write(path)
    outcomes = looked_at(kit, path)
    assert [(outcome.ok, outcome.count) for outcome in outcomes] == [(True, SIZE)] * 3
    assert [outcome.checkpoints for outcome in outcomes] == [0, 1, 1]
    assert outcomes[2].signed == "verified"


@pytest.mark.parametrize("what", DATABASE)
def test_what_is_done_to_the_database_is_found_by_whom_the_table_says(kit: Kit, tmp_path: Path, what: str) -> None:
    act, *expected = DATABASE[what]
    path = a_copy(kit, tmp_path)
    forger = Forger.of(path)
    act(forger)
    forger.write(path)
    outcomes = looked_at(kit, path)
    assert [outcome.kind for outcome in outcomes] == expected, [outcome.reason for outcome in outcomes]
    assert [outcome.ok for outcome in outcomes] == [not kind for kind in expected]
    assert outcomes[2].reason
    with Log.open(path, readonly=True) as log:
        quick = log.verify(known=kit.known(kit.latest), leaves_only=True)
    assert quick.kind == (outcomes[2].kind if outcomes[2].kind != "payload" else ""), quick.reason


# --- checkpoints ------------------------------------------------------------------------------------------------------


def resized(kept: SignedCheckpoint, size: int) -> bytes:
    return SignedCheckpoint(Checkpoint(kept.checkpoint.origin, size, kept.checkpoint.root), kept.note).format()


def by_another_key(kept: SignedCheckpoint) -> bytes:
    return sign_checkpoint(kept.checkpoint, Signer(kept.checkpoint.origin, Ed25519PrivateKey.generate())).format()


def with_another_root(kept: SignedCheckpoint) -> bytes:
    text = kept.note.text.replace(kept.note.text.split("\n")[2], "A" * 43 + "=")
    return (text + "\n" + kept.note.signatures[0].line + "\n").encode()


# What is done to a checkpoint that the log keeps, and what is said by whoever has no key, and by whoever has it.
CHECKPOINT: dict[str, tuple[Callable[[SignedCheckpoint], Kept], str, str]] = {
    "a checkpoint in the log has another root": (lambda c: Kept(c.size, with_another_root(c)), "rewrite", "signature"),
    "a checkpoint in the log is signed by another key": (lambda c: Kept(c.size, by_another_key(c)), "", "unpinned"),
    "a checkpoint in the log stands under another size": (
        lambda c: Kept(c.size - 1, c.format()),
        "signature",
        "signature",
    ),
    "a checkpoint in the log is no checkpoint": (lambda c: Kept(c.size, b"trust me"), "signature", "signature"),
}


@pytest.mark.parametrize("what", CHECKPOINT)
def test_what_is_done_to_a_checkpoint_in_the_log_is_found_with_the_key(kit: Kit, tmp_path: Path, what: str) -> None:
    act, *expected = CHECKPOINT[what]
    path = a_copy(kit, tmp_path)
    forger = Forger.of(path)
    forger.checkpoints = [act(kit.latest)]
    forger.write(path)
    with Log.open(path, readonly=True) as log:
        outcomes = log.verify(), log.verify(known=kit.known())
    assert [outcome.kind for outcome in outcomes] == expected, [outcome.reason for outcome in outcomes]
    assert [outcome.ok for outcome in outcomes] == [not kind for kind in expected]


def test_whoever_rewrites_and_signs_again_with_the_real_key_has_two_histories(kit: Kit, tmp_path: Path) -> None:
    path = a_copy(kit, tmp_path)
    forger = Forger.of(path)
    forger.rewrite(50, catalog=OTHER)
    forger.write(path)
    with Log.open(path) as log:
        again = signed(log, SIZE)
        log.store.keep_checkpoint(Kept(SIZE, again.format()))
        alone, earlier = log.verify(known=kit.known()), log.verify(known=kit.known(kit.earlier))
    assert alone.ok, "nobody else can know"
    assert (earlier.ok, earlier.kind) == (False, "fork"), earlier.reason


# --- exports ----------------------------------------------------------------------------------------------------------

EXPORT: dict[str, tuple[Callable[[dict[str, Any]], Any], str, str, str]] = {
    "a figure in an export changed": (
        lambda e: e["records"][49].update(question="Another?"),
        "payload",
        "payload",
        "payload",
    ),
    "a record of an export taken out": (lambda e: e["records"].pop(49), "deletion", "deletion", "deletion"),
    "two records of an export swapped": (
        lambda e: e["records"].insert(49, e["records"].pop(50)),
        "reorder",
        "reorder",
        "reorder",
    ),
    "the end of an export taken off": (lambda e: e["records"].pop(), "truncation", "truncation", "truncation"),
    "the end of an export taken off, its count with it": (
        lambda e: (e["records"].pop(), e["chainIntegrity"].update(count=SIZE - 1)),
        "truncation",
        "truncation",
        "truncation",
    ),
    "the end of an export taken off, its count and head with it": (
        lambda e: (
            e["records"].pop(),
            e["chainIntegrity"].update(count=SIZE - 1, head=e["records"][-1]["hash"]),
        ),
        "",
        "",
        "truncation",
    ),
}


@pytest.mark.parametrize("what", EXPORT)
def test_what_is_done_to_an_export_is_found_by_whom_the_table_says(kit: Kit, tmp_path: Path, what: str) -> None:
    act, *expected = EXPORT[what]
    with Log.open(kit.path, readonly=True) as log:
        content = json.loads("".join(export_json(log)))
    act(content)
    file = tmp_path / "export.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    knows = (Known(), kit.known(kit.earlier), kit.known(kit.latest))
    outcomes = [verify_export(file, known=known) for known in knows]
    assert [outcome.kind for outcome in outcomes] == expected, [outcome.reason for outcome in outcomes]


# --- the table --------------------------------------------------------------------------------------------------------


def table() -> str:
    def cell(kind: str) -> str:
        return f"found: {kind}" if kind else "missed"

    lines = [
        "| what is done | chain alone | checkpoint kept at 120 of 200 | latest kept by a witness |",
        "| --- | --- | --- | --- |",
    ]
    for what, (_, *kinds) in (DATABASE | EXPORT).items():
        lines.append(f"| {what} | {' | '.join(map(cell, kinds))} |")
    for what, (_, alone, kind) in CHECKPOINT.items():
        lines.append(f"| {what} | {cell(alone)} | {cell(kind)} | {cell(kind)} |")
    return "\n".join(lines) + "\n"


def test_the_documented_table_is_the_one_that_comes_out_here() -> None:
    assert table() in DOCS.read_text(encoding="utf-8"), f"docs/provenance.md should have:\n\n{table()}"


def test_there_are_at_least_twenty_kinds_and_the_latest_checkpoint_finds_them_all() -> None:
    everything = DATABASE | EXPORT
    assert len(everything) + len(CHECKPOINT) >= 20
    assert all(kinds[-1] for _, *kinds in everything.values())


def test_the_documented_kinds_are_those_that_there_are() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert "".join(f"| `{kind}` | {meaning} |\n" for kind, meaning in TAMPERS.items()) in text
