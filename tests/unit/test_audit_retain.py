"""Retention: holds, pruning after a verified export, and going on where another log ended."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from footnote.access import Actor
from footnote.audit import export_json, verify_export
from footnote.audit.continuing import continue_from
from footnote.audit.erase import Held, erase
from footnote.audit.files import ExportFailed, write_export
from footnote.audit.outputs import export_of, write
from footnote.audit.redact import Redaction
from footnote.audit.retain import NotCovered, hold, prunable, prune, release, state
from footnote.audit.selection import Selection, select
from footnote.errors import LogBroken, NameUnknown, UsageError
from footnote.provenance import Checkpoint, Draft, Known, Log, SignedCheckpoint, merkle
from footnote.provenance.anchors import Anchors, KeptElsewhere
from footnote.provenance.checkpoint import origin_of, sign_checkpoint
from footnote.provenance.leaf import GENESIS, encode, record_hash, seal
from footnote.provenance.notary import Checkpointing
from footnote.provenance.note import Signer
from footnote.provenance.store import Kept

ME = Actor("auditor", "auditor")
OLD, NEW = dt.datetime(2010, 5, 1, tzinfo=dt.UTC), dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
TODAY = dt.date(2026, 11, 30)
BEFORE = dt.date(2016, 1, 1)
V0 = Path(__file__).resolve().parents[3] / "shared" / "data" / "v0-export.json"


@pytest.fixture
def now() -> list[dt.datetime]:
    return [OLD]


@pytest.fixture
def log(tmp_path: Path, now: list[dt.datetime]) -> Iterator[Log]:
    """600 records of 2010 and 100 of 2026."""
    with Log.open(tmp_path / "log.db", clock=lambda: now[0]) as log:
        log.append_all([Draft("answer", "", {"question": f"Old {n}?"}, [n]) for n in range(600)])
        now[0] = NEW
        log.append_all([Draft("answer", "", {"question": f"New {n}?"}, [n]) for n in range(100)])
        yield log


@pytest.fixture
def export(log: Log, tmp_path: Path) -> Path:
    file = tmp_path / "export.json"
    write_export(file, export_json(log))
    return file


def pruned(log: Log, export: Path, **more: Any) -> Any:
    return prune(log, BEFORE, export, actor=ME, reason="Ten years are over", today=TODAY, **more)


def kept_of(log: Log, size: int, signer: Signer) -> SignedCheckpoint:
    return sign_checkpoint(Checkpoint(origin_of(log.id), size, log.root(size)), signer)


def test_whole_blocks_of_old_records_may_be_pruned_and_no_others(log: Log) -> None:
    assert prunable(log, BEFORE) == 512
    assert prunable(log, dt.date(2010, 5, 1)) == 0
    assert prunable(log, dt.date(2027, 1, 1)) == 512
    told = state(log, today=TODAY)
    assert (told["years"], told["keptSince"], told["records"], told["prunable"]) == (10, "2016-11-30", 700, 512)


def test_a_pruned_log_verifies_and_says_what_was_pruned(log: Log, export: Path) -> None:
    root = log.root(700)
    done = pruned(log, export)
    assert (done.pruned.upto, done.scrubbed) == (512, True)
    outcome = log.verify()
    assert (outcome.ok, outcome.count, outcome.pruned) == (True, 189, 512), outcome.reason
    assert outcome.root == log.root().hex()
    assert log.root(700) == root, "the tree is the tree that it was"
    record = log.get(done.receipt.sequence)
    assert record.kind == "retention"
    assert record.sections["reason"] == "Ten years are over"
    with pytest.raises(NameUnknown):
        log.get(512)
    assert log.get(513).sections["question"] == "Old 512?"
    assert log.verify(leaves_only=True).ok
    assert state(log, today=TODAY)["pruned"] == 512


def test_nothing_of_what_was_pruned_is_left_in_the_file(log: Log, export: Path, tmp_path: Path) -> None:
    pruned(log, export)
    left = b"".join((tmp_path / name).read_bytes() for name in ("log.db", "log.db-wal"))
    assert b"Old 511?" not in left
    assert b"Old 512?" in left


def test_proofs_and_later_checkpoints_hold_and_the_export_verifies_the_rest(log: Log, export: Path) -> None:
    signer = Signer(origin_of(log.id), Ed25519PrivateKey.generate())
    early, late = kept_of(log, 300, signer), kept_of(log, 650, signer)
    log.store.keep_checkpoint(Kept(300, early.format()))
    pruned(log, export)
    known = Known((signer.key,), (KeptElsewhere(late, "kept"),))
    outcome = log.verify(known=known)
    assert (outcome.ok, outcome.checkpoints, outcome.signed) == (True, 1, "verified"), outcome.reason
    assert "1 checkpoint of records that were pruned was not" in outcome.remarks[0]
    size = log.size()
    (entry,) = log.store.entries(599, 600)
    assert merkle.verify_inclusion(entry.leaf, 599, size, log.inclusion(600, size), log.root(size))
    proof = log.consistency(650, size)
    assert merkle.verify_consistency(650, size, late.checkpoint.root, log.root(size), proof)
    of_export = verify_export(export, known=Known((signer.key,), (KeptElsewhere(early, "kept"),)))
    assert (of_export.ok, of_export.checkpoints) == (True, 1)


@pytest.mark.parametrize("size", [511, 512, 513])
def test_a_checkpoint_of_just_what_was_pruned_holds_and_a_false_one_does_not(
    log: Log, export: Path, tmp_path: Path, size: int
) -> None:
    signer = Signer(origin_of(log.id), Ed25519PrivateKey.generate())
    true, false = kept_of(log, size, signer), sign_checkpoint(Checkpoint(origin_of(log.id), size, b"x" * 32), signer)
    pruned(log, export)
    write_export(tmp_path / "rest.json", export_json(log))
    for one, holds in ((true, True), (false, size == 511)):  # of 511 nothing is left to compare it with
        known = Known((signer.key,), (KeptElsewhere(one, "kept"),))
        outcomes = log.verify(known=known), verify_export(tmp_path / "rest.json", known=known)
        assert [(outcome.ok, outcome.checkpoints) for outcome in outcomes] == [(holds, int(holds and size > 511))] * 2
        assert all(outcome.kind == ("" if holds else "rewrite") for outcome in outcomes)


def test_a_log_is_pruned_again_and_goes_on(log: Log, export: Path, tmp_path: Path, now: list[dt.datetime]) -> None:
    pruned(log, export)
    now[0] = NEW + dt.timedelta(days=5000)
    log.append_all([Draft("answer", "", {"question": f"Newer {n}?"}) for n in range(300)])
    again = tmp_path / "again.json"
    write_export(again, export_json(log))
    assert verify_export(again).pruned == 512
    done = prune(log, dt.date(2045, 1, 1), again, actor=ME, reason="Again", today=dt.date(2060, 1, 1))
    assert done.pruned.upto == 768, "the record of the first pruning, 701, is pruned with them"
    outcome = log.verify()
    assert (outcome.ok, outcome.pruned) == (True, done.pruned.upto), outcome.reason


def test_an_export_of_a_pruned_log_verifies_and_one_without_the_record_does_not(
    log: Log, export: Path, tmp_path: Path
) -> None:
    pruned(log, export)
    file = tmp_path / "rest.json"
    write_export(file, export_json(log))
    outcome = verify_export(file)
    assert (outcome.ok, outcome.count, outcome.pruned) == (True, 189, 512), outcome.reason
    content = json.loads(file.read_text(encoding="utf-8"))
    content["pruned"]["upto"] = 256
    file.write_text(json.dumps(content), encoding="utf-8")
    assert not verify_export(file).ok


def test_records_taken_from_the_beginning_without_a_record_are_a_deletion(log: Log, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "log.db")
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("DELETE FROM leaves WHERE sequence <= 256")
    connection.execute("DELETE FROM payload WHERE sequence <= 256")
    connection.commit()
    connection.close()
    outcome = log.verify()
    assert (outcome.ok, outcome.kind, outcome.failed_at) == (False, "deletion", 1)


@pytest.mark.parametrize("change", ["hash", "tree", "upto", "timestamp"])
def test_a_pruning_that_does_not_fit_what_is_there_is_found(
    log: Log, export: Path, change: str, tmp_path: Path
) -> None:
    """A forged pruning: 256 records are gone, and a record lies about them."""
    lies: dict[str, Any] = {
        "upto": 256,
        "hash": log.get(256).hash,
        "timestamp": log.get(256).timestamp,
        "tree": [root.hex() for root in log.subtree_roots(256)],
        "export": {},
    }
    changes: dict[str, dict[str, Any]] = {
        "hash": {"hash": "0" * 64},
        "tree": {"tree": ["0" * 64]},
        "upto": {"upto": 128},
        "timestamp": {"timestamp": "3"},
    }
    lies |= changes[change]
    signer = Signer(origin_of(log.id), Ed25519PrivateKey.generate())
    kept = kept_of(log, 700, signer)
    log.prune(Draft("retention", sections={"pruned": lies}), 256)
    outcome = log.verify(known=Known((signer.key,), (KeptElsewhere(kept, "kept"),)))
    assert not outcome.ok, change


def test_an_export_that_lacks_a_record_a_part_or_a_byte_does_not_let_anything_be_pruned(
    log: Log, tmp_path: Path
) -> None:
    part, redacted, changed = (tmp_path / f"{name}.json" for name in ("part", "redacted", "changed"))
    write_export(part, export_json(log, Selection(after=1)))
    with pytest.raises(NotCovered, match="record 1"):
        pruned(log, part)
    write_export(redacted, export_json(log, redaction=Redaction.of(["40:question"])))
    with pytest.raises(NotCovered, match="question of record 40"):
        pruned(log, redacted)
    write_export(changed, export_json(log))
    changed.write_text(changed.read_text(encoding="utf-8").replace("Old 5?", "Old 6?"), encoding="utf-8")
    with pytest.raises(LogBroken, match="does not verify"):
        pruned(log, changed)
    with pytest.raises(ExportFailed):
        pruned(log, tmp_path / "nothing.json")
    assert log.verify().count == 700


def test_an_older_export_that_has_what_is_pruned_is_enough(log: Log, export: Path) -> None:
    log.append(Draft("answer"))
    pruned(log, export)
    assert log.verify().ok


def test_the_years_are_kept_unless_fewer_are_said(log: Log, export: Path) -> None:
    with pytest.raises(UsageError, match="kept for 10 years"):
        prune(log, dt.date(2020, 1, 1), export, actor=ME, reason="x", today=TODAY)
    assert prune(log, dt.date(2020, 1, 1), export, actor=ME, reason="x", today=TODAY, years=5).pruned.upto == 512


def test_there_is_nothing_to_prune_where_there_is_no_whole_block(log: Log, export: Path) -> None:
    with pytest.raises(NotCovered, match="no whole block"):
        prune(log, dt.date(2010, 1, 1), export, actor=ME, reason="x", today=TODAY)


def test_a_legal_hold_is_stronger_than_pruning(log: Log, export: Path) -> None:
    hold(log, "Case 12", since="2010-01-01", until="2010-12-31", actor=ME, reason="Court")
    with pytest.raises(Held, match="Case 12"):
        pruned(log, export)
    assert [one["name"] for one in state(log, today=TODAY)["holds"]] == ["Case 12"]
    release(log, "Case 12", actor=ME, reason="Closed")
    pruned(log, export)
    assert log.verify().ok


def test_a_hold_has_a_name_of_its_own_and_a_period(log: Log) -> None:
    hold(log, "A", since="", until="", actor=ME, reason="Court")
    for name, since, until in (("A", "", ""), ("", "", ""), ("B", "2020-02-30", ""), ("B", "2020-01-02", "2020-01-01")):
        with pytest.raises(UsageError):
            hold(log, name, since=since, until=until, actor=ME, reason="Court")
    with pytest.raises(NameUnknown, match="A"):
        release(log, "Z", actor=ME, reason="Court")
    with pytest.raises(UsageError, match="reason"):
        release(log, "A", actor=ME, reason="")


def test_erased_parts_stay_erased_when_their_record_is_behind_what_is_pruned(log: Log, tmp_path: Path) -> None:
    erase(log, {600: ["question"], 3: ["question"]}, actor=ME, reason="Request")
    file = tmp_path / "after.json"
    write_export(file, export_json(log))
    pruned(log, file)
    outcome = log.verify()
    assert (outcome.ok, outcome.erased) == (True, 1)


@pytest.mark.skipif(not V0.exists(), reason="the export of another implementation is not here")
def test_a_log_goes_on_where_one_of_format_v0_ended(log: Log) -> None:
    receipt = continue_from(log, V0, actor=ME)
    section = log.get(receipt.sequence).sections["import"]
    records = json.loads(V0.read_text(encoding="utf-8"))["records"]
    assert isinstance(section, dict)
    assert (section["format"], section["count"]) == ("footnote/v0", len(records))
    assert section["head"] == records[-1]["hash"]
    with pytest.raises(UsageError, match="already"):
        continue_from(log, V0, actor=ME)
    assert log.verify().ok


def test_an_export_that_does_not_verify_or_is_not_whole_is_not_continued(
    log: Log, export: Path, tmp_path: Path
) -> None:
    with Log.open(tmp_path / "new.db") as new:
        section = new.get(continue_from(new, export, actor=ME).sequence).sections["import"]
        assert isinstance(section, dict)
        assert section["log"] == log.id
        part = tmp_path / "part.json"
        write_export(part, export_json(log, Selection(after=1)))
        with pytest.raises(UsageError, match="whole log"):
            continue_from(new, part, actor=ME)
        part.write_text(export.read_text(encoding="utf-8").replace("Old 5?", "Old 6?"), encoding="utf-8")
        with pytest.raises(LogBroken, match="does not verify"):
            continue_from(new, part, actor=ME)
        assert new.size() == 1


def planted(path: Path, log: Log, sequence: int) -> None:
    """A record that is perfect by itself, put where no link leads, by whoever can write the file."""
    sealed = seal(Draft("answer", "", {"question": "Old 299?", "answer": "999.999,00 €"}))
    leaf = encode(
        sealed, log=log.id, sequence=max(sequence, 1), timestamp="2010-05-01T00:00:00.000Z", previous_hash=GENESIS
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        hash = bytes.fromhex(record_hash(leaf))
        connection.execute("INSERT INTO leaves VALUES (?, ?, 'answer', ?, ?)", (sequence, sealed.id, leaf, hash))
        for part in sealed.parts:
            values = (sequence, part.section, part.position, part.salt, part.data)
            connection.execute("INSERT INTO payload VALUES (?, ?, ?, ?, ?, NULL)", values)


@pytest.mark.parametrize("leaves_only", [False, True])
@pytest.mark.parametrize("sequence", [2, 300, 512, 0, -7])
def test_a_record_put_where_others_were_pruned_is_found(
    log: Log, export: Path, tmp_path: Path, sequence: int, leaves_only: bool
) -> None:
    """It would be shown and exported like any other, and no link of the chain leads there."""
    pruned(log, export)
    planted(tmp_path / "log.db", log, sequence)
    outcome = log.verify(leaves_only=leaves_only)
    assert (outcome.ok, outcome.kind, outcome.failed_at) == (False, "insertion", sequence), outcome
    file = tmp_path / "one.json"
    if sequence > 0:
        write_export(file, export_json(log, Selection(record=sequence)))
        assert not verify_export(file).ok


def test_a_record_before_the_first_is_found_in_a_log_that_was_never_pruned(log: Log, tmp_path: Path) -> None:
    planted(tmp_path / "log.db", log, 0)
    outcome = log.verify()
    assert (outcome.ok, outcome.kind, outcome.failed_at) == (False, "insertion", 0), outcome


def test_a_bundle_of_a_record_that_has_no_proof_says_so(tmp_path: Path) -> None:
    now = [OLD]
    how = Checkpointing(tmp_path / "key.pem")
    with Log.open(tmp_path / "log.db", clock=lambda: now[0], checkpoints=how) as log:
        log.append_all([Draft("answer", "", {"question": f"{n}?"}) for n in range(300)])
        log.checkpoint()
        write_export(tmp_path / "export.json", export_json(log))
        pruned(log, tmp_path / "export.json")
        planted(tmp_path / "log.db", log, 100)
        with pytest.raises(LogBroken, match="Record 100 has no proof"):
            write(export_of(log, select(log, Selection(record=100))), "bundle", tmp_path / "one.zip")
    assert not (tmp_path / "one.zip").exists()


def test_a_checkpoint_made_while_the_log_is_verified_is_no_truncation(tmp_path: Path) -> None:
    """The size is read first, the checkpoints after it: one between the two covers a record that came meanwhile."""
    with Log.open(tmp_path / "log.db", checkpoints=Checkpointing(tmp_path / "key.pem")) as log:
        log.append_all([Draft("answer", "", {"question": f"{n}?"}) for n in range(5)])
        log.checkpoint()

        def ended(size: int, now: int) -> str:
            anchors = Anchors(log.id, log.store.checkpoints(4), Known())
            fault = anchors.end(size, now)
            return fault.kind if fault else ""

        assert [ended(4, now) for now in (0, 4, 5, 6)] == ["truncation", "truncation", "", ""]
