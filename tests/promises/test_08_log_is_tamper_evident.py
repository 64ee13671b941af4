"""Promise 8, as far as a chain alone can keep it: a change in place is found, and the record is named.

The administrator of the database can drop our triggers, so the tests do. What a chain alone cannot find is stated here
as tests too (`cannot_be_found_by_the_chain_alone`): there, a receipt or a checkpoint kept elsewhere is needed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from footnote.audit import export_json, verify_export
from footnote.audit.redact import Redaction
from footnote.provenance import Draft, Log, Verification

SIZE = 12


def draft(number: int) -> Draft:
    rows = [{"id": f"invoice:{number}{n}", "values": {"outstanding": "18450.00"}} for n in range(3)]
    return Draft("answer", "sha256:" + "0" * 64, {"question": f"Question {number}?", "actor": {"id": "zoran"}}, rows)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pristine") / "log.db"
    with Log.open(path) as log:
        for number in range(1, SIZE + 1):
            log.append(draft(number))
    return path


class Admin:
    """Whoever may do anything to the file: no trigger, no scruple."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = sqlite3.connect(path, isolation_level=None)
        for (name,) in self.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            self.connection.execute(f"DROP TRIGGER {name}")

    def run(self, statement: str, *values: Any) -> None:
        assert self.connection.execute(statement, values).rowcount != 0, "the tampering touched nothing"

    def leaf(self, sequence: int) -> dict[str, Any]:
        row = self.connection.execute("SELECT leaf FROM leaves WHERE sequence = ?", (sequence,)).fetchone()
        leaf: dict[str, Any] = json.loads(row[0])
        return leaf

    def hash(self, sequence: int) -> str:
        row = self.connection.execute("SELECT hash FROM leaves WHERE sequence = ?", (sequence,)).fetchone()
        return str(row[0].hex())

    def rewrite(self, sequence: int, /, **changes: Any) -> None:
        """Change members of a leaf and give it the hash it then has."""
        data = json.dumps(self.leaf(sequence) | changes, sort_keys=True, separators=(",", ":")).encode()
        digest = hashlib.sha256(data).digest()
        self.run("UPDATE leaves SET leaf = ?, hash = ? WHERE sequence = ?", data, digest, sequence)

    def edit(self, sequence: int, /, **changes: Any) -> None:
        """Change members of a leaf and leave its hash."""
        data = json.dumps(self.leaf(sequence) | changes, sort_keys=True, separators=(",", ":")).encode()
        self.run("UPDATE leaves SET leaf = ? WHERE sequence = ?", data, sequence)

    def move(self, old: int, new: int) -> None:
        """Keep a record, payload and all, under another number."""
        self.run("UPDATE leaves SET sequence = ? WHERE sequence = ?", new, old)
        self.run("UPDATE payload SET sequence = ? WHERE sequence = ?", new, old)

    def remove(self, sequence: int) -> None:
        self.run("DELETE FROM leaves WHERE sequence = ?", sequence)
        self.run("DELETE FROM payload WHERE sequence = ?", sequence)

    def make_room(self, sequence: int) -> None:
        for number in range(SIZE, sequence - 1, -1):
            self.move(number, number + 1)

    def close_gap(self, sequence: int) -> None:
        for number in range(sequence + 1, SIZE + 1):
            self.move(number, number - 1)

    def copy(self, old: int, new: int) -> None:
        """A second copy of a record under another number (and another id beside it, as the database demands)."""
        self.run("INSERT INTO leaves SELECT ?, id || 'x', kind, leaf, hash FROM leaves WHERE sequence = ?", new, old)

    def forge(self, sequence: int) -> None:
        """Put in a record that is perfect by itself and follows the one before it."""
        self.make_room(sequence)
        self.copy(sequence - 1, sequence)
        id = "00000000-0000-4000-8000-000000000000"
        empty = {"evidence": {"count": 0, "root": hashlib.sha256(b"").hexdigest()}}
        before = self.hash(sequence - 1)
        self.rewrite(sequence, id=id, sequence=sequence, previousHash=before, sections=empty)
        self.run("UPDATE leaves SET id = ? WHERE sequence = ?", id, sequence)


@pytest.fixture
def admin(pristine: Path, tmp_path: Path) -> Iterator[Admin]:
    shutil.copy(pristine, tmp_path / "log.db")
    admin = Admin(tmp_path / "log.db")
    yield admin
    admin.connection.close()


def verified(admin: Admin) -> Verification:
    admin.connection.close()
    with Log.open(admin.path, readonly=True) as log:
        return log.verify()


def test_a_log_that_nobody_changed_verifies(admin: Admin) -> None:
    outcome = verified(admin)
    assert (outcome.ok, outcome.count, outcome.failed_at, outcome.reason) == (True, SIZE, None, "")
    assert outcome.as_dict() == {"ok": True, "count": SIZE, "head": outcome.head}


Tampering = Callable[[Admin], None]

# What is done, to which record it leads, and how it is called.
FOUND: dict[str, tuple[Tampering, int, str]] = {
    "one byte of a leaf": (
        lambda a: a.run("UPDATE leaves SET leaf = CAST(replace(leaf, 'answer', 'answes') AS BLOB) WHERE sequence = 5"),
        5,
        "edit",
    ),
    "a hash": (lambda a: a.run("UPDATE leaves SET hash = zeroblob(32) WHERE sequence = 5"), 5, "edit"),
    "a hash made NULL-like": (lambda a: a.run("UPDATE leaves SET hash = x'' WHERE sequence = 5"), 5, "edit"),
    "a leaf made empty": (lambda a: a.run("UPDATE leaves SET leaf = x'' WHERE sequence = 5"), 5, "edit"),
    "a leaf made text that is not UTF-8": (
        lambda a: a.run("UPDATE leaves SET leaf = CAST(x'ff' AS TEXT), id = CAST(x'ff' AS TEXT) WHERE sequence = 5"),
        5,
        "edit",
    ),
    "an id beside the leaf": (lambda a: a.run("UPDATE leaves SET id = 'x' WHERE sequence = 5"), 5, "edit"),
    "a kind beside the leaf": (lambda a: a.run("UPDATE leaves SET kind = 'read' WHERE sequence = 5"), 5, "edit"),
    "the last record's number": (lambda a: a.move(SIZE, 50), SIZE, "edit"),
    "the log's id": (lambda a: a.run("UPDATE log SET id = '00000000-0000-4000-8000-000000000000'"), 1, "insertion"),
    "the catalog in a leaf": (lambda a: a.edit(5, catalog="sha256:" + "1" * 64), 5, "edit"),
    "the catalog, hash recomputed": (lambda a: a.rewrite(5, catalog="sha256:" + "1" * 64), 5, "edit"),
    "the first record, hash recomputed": (lambda a: a.rewrite(1, catalog=""), 1, "edit"),
    "a link, hash recomputed": (lambda a: a.rewrite(5, previousHash="0" * 64), 5, "edit"),
    "the first link, hash recomputed": (lambda a: a.rewrite(1, previousHash="1" * 64), 1, "edit"),
    "the sequence in a leaf": (lambda a: a.edit(5, sequence=6), 5, "edit"),
    "a record from another log": (
        lambda a: a.rewrite(5, log="00000000-0000-4000-8000-000000000000"),
        5,
        "insertion",
    ),
    "a leaf in another spelling, hash recomputed": (lambda a: respelled(a, 5), 5, "edit"),
    "a leaf with one member more, hash recomputed": (lambda a: a.rewrite(5, createdAt="2020-01-01"), 5, "edit"),
    "a timestamp in a leaf, later": (lambda a: a.edit(5, timestamp="2999-01-01T00:00:00.000Z"), 5, "edit"),
    "a timestamp in a leaf, earlier": (lambda a: a.edit(5, timestamp="2001-01-01T00:00:00.000Z"), 5, "backdating"),
    "backdating, hash recomputed": (lambda a: a.rewrite(5, timestamp="2001-01-01T00:00:00.000Z"), 5, "backdating"),
    "forward-dating, hash recomputed": (lambda a: a.rewrite(5, timestamp="2999-01-01T00:00:00.000Z"), 5, "edit"),
    "a record in the middle deleted": (lambda a: a.remove(5), 5, "deletion"),
    "a record deleted, its payload left": (lambda a: a.run("DELETE FROM leaves WHERE sequence = 5"), 5, "deletion"),
    "the first records deleted": (lambda a: in_turn(a.remove, 1, 2), 1, "deletion"),
    "a record deleted and the gap closed": (lambda a: removed_and_closed(a, 5), 5, "deletion"),
    "the end deleted, its payload left": (
        lambda a: a.run("DELETE FROM leaves WHERE sequence > 10"),
        11,
        "truncation",
    ),
    "a record put in twice": (lambda a: doubled(a, 4), 5, "edit"),
    "a perfect record put in": (lambda a: a.forge(5), 5, "insertion"),
    "two neighbours swapped": (lambda a: swapped(a, 5, 6), 5, "reorder"),
    "two records far apart swapped": (lambda a: swapped(a, 3, 9), 3, "reorder"),
    "a section": (
        lambda a: a.run(
            "UPDATE payload SET data = CAST('\"No?\"' AS BLOB) WHERE sequence = 5 AND section = 'question'"
        ),
        5,
        "payload",
    ),
    "a salt": (
        lambda a: a.run("UPDATE payload SET salt = zeroblob(32) WHERE sequence = 5 AND section = 'actor'"),
        5,
        "payload",
    ),
    "an amount in a row of evidence": (
        lambda a: a.run(
            "UPDATE payload SET data = CAST(replace(data, '18450', '18540') AS BLOB)"
            " WHERE sequence = 5 AND section = 'evidence' AND position = 1"
        ),
        5,
        "payload",
    ),
    "a salt of a row": (
        lambda a: a.run("UPDATE payload SET salt = x'00' WHERE sequence = 5 AND section = 'evidence' AND position = 1"),
        5,
        "payload",
    ),
    "a row deleted": (
        lambda a: a.run("DELETE FROM payload WHERE sequence = 5 AND section = 'evidence' AND position = 1"),
        5,
        "payload",
    ),
    "the last row deleted": (
        lambda a: a.run("DELETE FROM payload WHERE sequence = 5 AND section = 'evidence' AND position = 2"),
        5,
        "payload",
    ),
    "a row added": (
        lambda a: a.run(
            "INSERT INTO payload SELECT 5, section, 3, salt, data, NULL FROM payload WHERE sequence = 4"
            " AND section = 'evidence' AND position = 0"
        ),
        5,
        "payload",
    ),
    "two rows swapped": (
        lambda a: rows_swapped(a, 5),
        5,
        "payload",
    ),
    "a section deleted": (
        lambda a: a.run("DELETE FROM payload WHERE sequence = 5 AND section = 'question'"),
        5,
        "payload",
    ),
    "a section added": (
        lambda a: a.run("INSERT INTO payload VALUES (5, 'approved', 0, zeroblob(32), CAST('true' AS BLOB), NULL)"),
        5,
        "payload",
    ),
    "a section taken from another record": (
        lambda a: a.run(
            "UPDATE payload SET (salt, data) = (SELECT salt, data FROM payload WHERE sequence = 4 AND section = 'question')"
            " WHERE sequence = 5 AND section = 'question'"
        ),
        5,
        "payload",
    ),
    "a section passed off as another": (
        lambda a: sections_swapped(a, 5),
        5,
        "payload",
    ),
    "all payloads deleted": (lambda a: a.run("DELETE FROM payload"), 1, "payload"),
}


def respelled(admin: Admin, sequence: int) -> None:
    data = json.dumps(admin.leaf(sequence)).encode()
    digest = hashlib.sha256(data).digest()
    admin.run("UPDATE leaves SET leaf = ?, hash = ? WHERE sequence = ?", data, digest, sequence)


def removed_and_closed(admin: Admin, sequence: int) -> None:
    admin.remove(sequence)
    admin.close_gap(sequence)


def doubled(admin: Admin, sequence: int) -> None:
    admin.make_room(sequence + 1)
    admin.copy(sequence, sequence + 1)


def rows_swapped(admin: Admin, sequence: int) -> None:
    for old, new in ((0, 9), (1, 0), (9, 1)):
        admin.run(
            "UPDATE payload SET position = ? WHERE sequence = ? AND section = 'evidence' AND position = ?",
            new,
            sequence,
            old,
        )


def sections_swapped(admin: Admin, sequence: int) -> None:
    for old, new in (("actor", "x"), ("question", "actor"), ("x", "question")):
        admin.run("UPDATE payload SET section = ? WHERE sequence = ? AND section = ?", new, sequence, old)


def in_turn(act: Callable[[int], None], *sequences: int) -> None:
    for sequence in sequences:
        act(sequence)


def swapped(admin: Admin, one: int, other: int) -> None:
    admin.move(one, 99)
    admin.move(other, one)
    admin.move(99, other)


@pytest.mark.parametrize("what", FOUND)
def test_a_change_is_found_and_the_record_is_named(admin: Admin, what: str) -> None:
    tampering, sequence, kind = FOUND[what]
    tampering(admin)
    outcome = verified(admin)
    assert (outcome.ok, outcome.failed_at, outcome.kind) == (False, sequence, kind), outcome.reason
    assert str(sequence) in outcome.reason
    assert outcome.count in {sequence - 1, sequence}, "records before it hold; a rewritten one is known by the next"
    assert outcome.as_dict()["failedAt"] == sequence


def test_any_single_byte_of_any_leaf_or_hash_or_payload_counts(admin: Admin) -> None:
    columns = (("leaves", "leaf"), ("leaves", "hash"), ("payload", "salt"), ("payload", "data"))
    for table, column in columns:
        (data,) = admin.connection.execute(f"SELECT {column} FROM {table} WHERE sequence = 7").fetchone()
        for place in range(0, len(data), 7):
            changed = bytearray(data)
            changed[place] ^= 1
            where = f"sequence = 7 AND {column} = ?"
            admin.run(f"UPDATE {table} SET {column} = ? WHERE {where}", bytes(changed), data)
            with Log.open(admin.path) as log:
                outcome = log.verify()
            assert (outcome.ok, outcome.failed_at) == (False, 7), f"{table}.{column}[{place}]"
            admin.run(f"UPDATE {table} SET {column} = ? WHERE {where}", data, bytes(changed))
    assert verified(admin).ok


def test_the_salts_keep_a_guess_at_a_payload_from_being_checked(admin: Admin) -> None:
    # Two records of one payload have nothing in common that could be looked for.
    leaves = [admin.leaf(n)["sections"] for n in (1, 2)]
    assert leaves[0]["actor"] != leaves[1]["actor"]


# --- what needs a receipt or a checkpoint that is kept elsewhere ------------------------------------------------------


def recomputed(admin: Admin, sequence: int) -> None:
    """Change a record and make everything behind it follow."""
    admin.rewrite(sequence, catalog="sha256:" + "1" * 64)
    for number in range(sequence + 1, SIZE + 1):
        admin.rewrite(number, previousHash=admin.hash(number - 1))


def test_a_rewrite_of_everything_behind_cannot_be_found_by_the_chain_alone(admin: Admin) -> None:
    kept = admin.hash(SIZE)
    recomputed(admin, 5)
    outcome = verified(admin)
    assert outcome.ok
    assert outcome.head != kept, "but whoever kept a later receipt finds it"


def test_a_truncation_cannot_be_found_by_the_chain_alone(admin: Admin) -> None:
    for number in (11, 12):
        admin.remove(number)
    outcome = verified(admin)
    assert outcome.ok
    assert outcome.count < SIZE, "but whoever kept the last receipt finds it"


def test_a_record_put_before_the_first_where_no_link_leads_is_found(admin: Admin) -> None:
    admin.run(
        "INSERT INTO leaves SELECT 0, 'an id of its own', kind, leaf, zeroblob(32) FROM leaves WHERE sequence = 5"
    )
    outcome = verified(admin)
    assert (outcome.ok, outcome.failed_at, outcome.kind) == (False, 0, "insertion"), outcome.reason


def test_a_redacted_export_shows_no_row_that_nothing_vouches_for(pristine: Path, tmp_path: Path) -> None:
    """A row that was left out has its commitment and no salt: so has one that is put in its place."""
    with Log.open(pristine, readonly=True) as log:
        redacted = export_json(log, redaction=Redaction.of(["5:evidence/1"]))
    content = json.loads("".join(redacted))
    record = content["records"][4]
    assert record["evidence"][1] is None
    file = tmp_path / "export.json"
    for row, ok in ((None, True), (record["evidence"][0], False)):
        record["evidence"][1] = row
        file.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        outcome = verify_export(file)
        assert outcome.ok == ok, outcome.reason
