"""Verifying with what was kept elsewhere: the copy outside, keys, checkpoints; and what cannot be read is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from footnote.audit import export_json, verify_export
from footnote.audit.files import write_export
from footnote.audit.verifying import NotReadable, known_from, verify_log
from footnote.errors import UsageError
from footnote.provenance import Draft, Known, Log
from footnote.provenance.checkpoint import origin_of
from footnote.provenance.keyfile import load
from footnote.provenance.notary import Checkpointing
from footnote.provenance.note import Signer
from footnote.provenance.rotation import rotate


@pytest.fixture
def how(tmp_path: Path) -> Checkpointing:
    (tmp_path / "outside").mkdir()
    return Checkpointing(key=tmp_path / "keys" / "signing.key", outside=str(tmp_path / "outside"), every=0.0)


@pytest.fixture
def log(tmp_path: Path, how: Checkpointing) -> Iterator[Log]:
    with Log.open(tmp_path / "log.db", checkpoints=how) as log:
        for number in range(5):
            log.append(Draft("answer", sections={"n": number}))
        log.checkpoint()
        yield log


def key_file(log: Log, how: Checkpointing, folder: Path) -> Path:
    file = folder / "public.key"
    file.write_text(f"# the log's key\n\n{Signer(origin_of(log.id), load(how.key)).key.text}\n", encoding="utf-8")
    return file


def copy_outside(tmp_path: Path) -> Path:
    (file,) = (tmp_path / "outside").glob("*.checkpoint")
    return file


def test_the_copy_outside_is_compared_and_counts(log: Log, how: Checkpointing, tmp_path: Path) -> None:
    outcome = verify_log(log, Known(), how)
    alone = log.verify()
    assert (outcome.ok, outcome.signed, outcome.remarks) == (True, "unpinned", ())
    assert outcome.checkpoints == alone.checkpoints + 1
    known = known_from([key_file(log, how, tmp_path)], [copy_outside(tmp_path)])
    pinned = verify_log(log, known, how)
    assert (pinned.ok, pinned.signed, pinned.checkpoints) == (True, "verified", alone.checkpoints + 2)


def test_a_copy_outside_of_more_than_there_is_finds_what_was_cut_off(
    log: Log, how: Checkpointing, tmp_path: Path
) -> None:
    old = tmp_path / "old.db"
    with Log.open(tmp_path / "log.db", readonly=True) as reader:
        assert reader.size() == 5
    old.write_bytes((tmp_path / "log.db").read_bytes())
    log.store.close()
    old.write_bytes((tmp_path / "log.db").read_bytes())
    log.append(Draft("answer"))
    log.checkpoint()
    with Log.open(old, readonly=True) as restored:
        outcome = verify_log(restored, Known(), how)
    assert (outcome.ok, outcome.kind, outcome.failed_at) == (False, "truncation", 6), outcome.reason


def test_a_copy_outside_that_is_damaged_or_missing_or_out_of_reach_is_said(
    log: Log, how: Checkpointing, tmp_path: Path
) -> None:
    copy = copy_outside(tmp_path)
    copy.write_text("trust me", encoding="utf-8")
    assert verify_log(log, Known(), how).kind == "signature"
    copy.unlink()
    missing = verify_log(log, Known(), how)
    assert missing.ok
    assert "no checkpoint outside" in missing.remarks[0]
    copy.mkdir()
    unread = verify_log(log, Known(), how)
    assert unread.ok
    assert "was not compared" in unread.remarks[0]


def test_after_a_rotation_the_old_key_and_the_new_one_both_verify_and_a_stranger_does_not(
    log: Log, how: Checkpointing, tmp_path: Path
) -> None:
    before = key_file(log, how, tmp_path).read_text(encoding="utf-8")
    rotate(log, how.key, {"id": "zoran"})
    log.append(Draft("answer"))
    log.checkpoint()
    (tmp_path / "old.key").write_text(before, encoding="utf-8")
    for file in (tmp_path / "old.key", key_file(log, how, tmp_path)):
        outcome = verify_log(log, known_from([file], []), how)
        assert (outcome.ok, outcome.signed) == (True, "verified"), outcome.reason
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    stranger = Signer(origin_of(log.id), Ed25519PrivateKey.generate()).key
    outcome = verify_log(log, Known((stranger,)), how)
    assert (outcome.ok, outcome.kind) == (False, "unpinned")


def test_a_checkpoint_of_another_log_is_not_one_of_this(log: Log, how: Checkpointing, tmp_path: Path) -> None:
    with Log.open(tmp_path / "other.db", checkpoints=Checkpointing(key=how.key)) as other:
        other.append(Draft("answer"))
        made = other.checkpoint() or other.store.latest_checkpoint()
        assert made
        latest = other.store.latest_checkpoint()
        assert latest
    (tmp_path / "kept").write_bytes(latest.note)
    outcome = verify_log(log, known_from([], [tmp_path / "kept"]))
    assert (outcome.ok, outcome.kind) == (False, "rewrite")
    assert "another log" in outcome.reason


@pytest.mark.parametrize("text", ["", "# nothing\n", "hello", "a+b+c", "x" * 2_000_000])
def test_a_file_that_has_no_key_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "key").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError):
        known_from([tmp_path / "key"], [])


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"a\n1\nb\n\n", b"x" * 2_000_000])
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "kept").write_bytes(data)
    with pytest.raises(UsageError):
        known_from([], [tmp_path / "kept"])


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    for keys, since in (([tmp_path / "no"], []), ([], [tmp_path / "no"]), ([tmp_path], [])):
        with pytest.raises(NotReadable):
            known_from(keys, since)


# --- hostile exports --------------------------------------------------------------------------------------------------


@pytest.fixture
def export(log: Log, tmp_path: Path) -> dict[str, Any]:
    write_export(tmp_path / "whole.json", export_json(log))
    content: dict[str, Any] = json.loads((tmp_path / "whole.json").read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("value", [[], {}, 7, "x", True, {"upto": 2}, {"upto": 10**30, "hash": "0" * 64, "tree": [1]}])
@pytest.mark.parametrize("name", ["pruned", "redacted", "selection", "chainIntegrity"])
def test_members_of_any_shape_are_an_outcome_never_a_crash(
    export: dict[str, Any], tmp_path: Path, name: str, value: Any
) -> None:
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps({name: value} | export | {name: value}), encoding="utf-8")
    outcome = verify_export(file)
    told = name == "chainIntegrity" or (name == "selection" and value != {})  # what is stated about it has to be so
    assert outcome.ok == (not told), outcome.reason


def test_an_export_that_says_records_were_pruned_which_no_record_says_is_found(
    export: dict[str, Any], tmp_path: Path
) -> None:
    first = export["records"].pop(0)
    claim = {"upto": 1, "hash": first["hash"], "timestamp": first["timestamp"], "tree": ["0" * 64], "export": {}}
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps({"pruned": claim} | export), encoding="utf-8")
    outcome = verify_export(file)
    assert (outcome.ok, outcome.kind) == (False, "deletion"), outcome.reason


@pytest.mark.parametrize(
    "text",
    [
        '{"format":"footnote/v1","log":"x","records":[' + "[" * 1_000_000,
        '{"format":"footnote/v1","log":"x","pruned":' + '{"a":' * 1_000_000,
        '{"format":"footnote/v1","log":"x","log":"y","records":[]}',
        '{"format":"footnote/v1","log":"x","records":[{"id":1,"id":2}]}',
        '{"format":"footnote/v1","log":"x","records":[{}',
        '{"format":"footnote/v1","log":"x","records":[NaN]}',
        '{"format":"footnote/v1","log":"x","records":[' + "9" * 100_000 + "]}",
    ],
    ids=["deep", "deep before", "name twice", "name twice in a record", "cut off", "no JSON", "a huge number"],
)
def test_hostile_json_is_said_to_be_damaged(tmp_path: Path, text: str) -> None:
    file = tmp_path / "hostile.json"
    file.write_text(text, encoding="utf-8")
    outcome = verify_export(file)
    assert (outcome.ok, outcome.kind) in {(False, "malformed"), (False, "edit")}
    assert outcome.reason
