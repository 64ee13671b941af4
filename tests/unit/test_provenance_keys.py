"""Keys: made for their owner alone, handed over in a record, refused where others could have touched them."""

from __future__ import annotations

import contextlib
import stat
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from footnote.errors import FootnoteError, LogUnavailable, UsageError
from footnote.provenance import Draft, Log, SignedCheckpoint, keyfile
from footnote.provenance.checkpoint import origin_of
from footnote.provenance.keys import SECTION, key_at, rotation_note, rotations_in
from footnote.provenance.notary import Checkpointing
from footnote.provenance.note import Signer
from footnote.provenance.rotation import rotate, speaks_for

ACTOR = {"id": "zoran", "role": "operator"}


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "signing.key"


@pytest.fixture
def how(key: Path) -> Checkpointing:
    return Checkpointing(key, tell=lambda text: None)


@pytest.fixture
def log(tmp_path: Path, how: Checkpointing) -> Iterator[Log]:
    with Log.open(tmp_path / "log.db", checkpoints=how) as log:
        yield log


def public(log: Log, private: Ed25519PrivateKey) -> Signer:
    return Signer(origin_of(log.id), private)


def latest(log: Log) -> SignedCheckpoint:
    kept = log.store.latest_checkpoint()
    assert kept
    return SignedCheckpoint.parse(kept.note)


# --- the file ---------------------------------------------------------------------------------------------------------


def test_a_key_is_made_once_for_its_owner_alone(key: Path) -> None:
    made = keyfile.load_or_make(key)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700
    assert keyfile.load_or_make(key).private_bytes_raw() == made.private_bytes_raw()
    assert [file.name for file in key.parent.iterdir()] == ["signing.key"]


def test_processes_that_make_a_key_at_once_get_the_same_one(key: Path) -> None:
    keys: list[bytes] = []
    together = threading.Barrier(8)

    def make() -> None:
        together.wait()
        keys.append(keyfile.load_or_make(key).private_bytes_raw())

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666, 0o644])
def test_a_key_that_others_may_read_or_change_is_refused(key: Path, mode: int) -> None:
    keyfile.load_or_make(key)
    key.chmod(mode)
    with pytest.raises(UsageError, match="chmod 600"):
        keyfile.load(key)


def test_a_key_in_a_folder_that_others_may_change_is_refused(key: Path) -> None:
    keyfile.load_or_make(key)
    key.parent.chmod(0o770)
    with pytest.raises(UsageError, match="chmod go-w"):
        keyfile.load(key)


@pytest.mark.parametrize("data", [b"", b"no key", b"\x00" * 200, b"-----BEGIN PRIVATE KEY-----\nMC4C\n"])
def test_a_file_that_is_no_key_is_refused_and_left_alone(key: Path, data: bytes) -> None:
    key.parent.mkdir(mode=0o700)
    key.write_bytes(data)
    key.chmod(0o600)
    with pytest.raises(UsageError, match="no Ed25519 private key"):
        keyfile.load_or_make(key)
    assert key.read_bytes() == data


def test_a_key_of_another_kind_is_refused(key: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key.parent.mkdir(mode=0o700)
    other = ec.generate_private_key(ec.SECP256R1())
    key.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    key.chmod(0o600)
    with pytest.raises(UsageError, match="no Ed25519 private key"):
        keyfile.load(key)


def test_a_place_where_no_key_can_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LogUnavailable, match="cannot be"):
        keyfile.load_or_make(tmp_path / "file" / "key")


# --- rotation ---------------------------------------------------------------------------------------------------------


def test_a_rotation_is_recorded_vouched_for_and_followed(log: Log, key: Path) -> None:
    log.append(Draft("read"))
    log.checkpoint()
    first = latest(log).verify([public(log, keyfile.load(key)).key])
    done = rotate(log, key, ACTOR)
    assert (done.old, done.receipt.sequence) == (first, 2)
    log.append(Draft("read"))
    log.checkpoint()
    rotations = rotations_in(log.store, origin_of(log.id))
    assert [rotation.key for rotation in rotations] == [done.new]
    assert latest(log).verify([done.new]) == done.new == public(log, keyfile.load(key)).key
    assert key_at(1, first, rotations) == first
    assert key_at(2, first, rotations) == key_at(3, first, rotations) == done.new
    assert key_at(3, Signer(first.name, Ed25519PrivateKey.generate()).key, rotations) is None
    assert log.get(2).sections["actor"] == ACTOR
    assert [file.name for file in key.parent.iterdir()] == ["signing.key"]


def test_keys_are_followed_through_several_rotations(log: Log, key: Path) -> None:
    log.append(Draft("read"))
    log.checkpoint()
    known = [public(log, keyfile.load(key)).key]
    for _ in range(3):
        known.append(rotate(log, key, ACTOR).new)
    rotations = rotations_in(log.store, origin_of(log.id))
    assert [key_at(size, known[0], rotations) for size in (1, 2, 3, 4)] == known


def test_a_crash_after_the_record_leaves_a_key_that_goes_on(log: Log, key: Path, how: Checkpointing) -> None:
    log.append(Draft("read"))
    log.checkpoint()
    origin = origin_of(log.id)
    old, new = Signer(origin, keyfile.load(key)), Signer(origin, keyfile.make_next(key))
    log.append(Draft("key", sections={SECTION: rotation_note(new, old).format().decode()}))
    log.checkpoint()  # as another process does before the files are swapped, or after a crash
    assert latest(log).verify([new.key]) == new.key
    assert not speaks_for(log, old.key)
    keyfile.follow_up(key)
    assert speaks_for(log, public(log, keyfile.load(key)).key)


def test_a_crash_before_the_record_leaves_the_old_key(log: Log, key: Path) -> None:
    log.append(Draft("read"))
    keyfile.load_or_make(key)
    following = keyfile.make_next(key).private_bytes_raw()
    log.checkpoint()
    assert rotate(log, key, ACTOR).new == public(log, Ed25519PrivateKey.from_private_bytes(following)).key


def test_a_key_that_does_not_speak_for_the_log_signs_nothing_and_hands_over_nothing(
    log: Log, tmp_path: Path, how: Checkpointing
) -> None:
    log.append(Draft("read"))
    log.checkpoint()
    other = tmp_path / "keys" / "other.key"
    keyfile.load_or_make(other)
    with pytest.raises(UsageError, match="does not speak"):
        rotate(log, other, ACTOR)
    said: list[str] = []
    with Log.open(tmp_path / "log.db", checkpoints=replace(how, key=other, tell=said.append)) as second:
        second.append(Draft("read"))
        with pytest.raises(LogUnavailable, match="not the one that speaks"):
            second.checkpoint()
    assert len(said) == 1, "each thing is said once"
    assert latest(log).size == 1


def test_a_lost_key_is_replaced_and_nobody_vouches_for_the_new_one(log: Log, key: Path) -> None:
    log.append(Draft("read"))
    log.checkpoint()
    first = public(log, keyfile.load(key)).key
    with pytest.raises(UsageError, match="not lost"):
        rotate(log, key, ACTOR, lost=True)
    key.unlink()
    with pytest.raises(UsageError, match="--lost"):
        rotate(log, key, ACTOR)
    done = rotate(log, key, ACTOR, lost=True)
    assert done.old is None
    log.checkpoint()
    assert latest(log).verify([done.new]) == done.new
    rotations = rotations_in(log.store, origin_of(log.id))
    assert key_at(1, first, rotations) == first
    assert key_at(2, first, rotations) is None


@pytest.mark.parametrize("spoil", ["origin", "unsigned", "not a note", "another name"])
def test_a_record_that_is_no_rotation_of_this_log_is_none(log: Log, spoil: str) -> None:
    origin = origin_of(log.id)
    new = Signer(origin, Ed25519PrivateKey.generate())
    if spoil == "origin":
        new = Signer("footnote/another", Ed25519PrivateKey.generate())
    note = rotation_note(new, None)
    text: object = note.format().decode()
    if spoil == "unsigned":
        text = (
            rotation_note(new, Signer(origin, Ed25519PrivateKey.generate())).format().decode().replace("rotates", "x")
        )
    if spoil == "not a note":
        text = ["no", "note"]
    if spoil == "another name":
        text = rotation_note(Signer(f"{origin}x", Ed25519PrivateKey.generate()), None).format().decode()
    log.append(Draft("key", sections={SECTION: text}))  # type: ignore[dict-item]  # that is the point
    assert rotations_in(log.store, origin) == []


def test_without_a_place_for_a_key_records_are_written_and_the_operator_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said: list[str] = []
    how = Checkpointing(tmp_path / "file" / "key", tell=said.append)
    with Log.open(tmp_path / "log.db", checkpoints=how) as log:
        assert log.append(Draft("read")).sequence == 1
        with pytest.raises(FootnoteError):
            log.checkpoint()
        assert "key" in log.checkpoint_trouble
    assert len(said) == 1


def test_a_checkpoint_that_is_made_just_when_the_next_key_takes_its_place_has_the_next_key(
    log: Log, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append(Draft("read"))
    log.checkpoint()
    origin = origin_of(log.id)
    new = keyfile.make_next(key)
    note = rotation_note(Signer(origin, new), Signer(origin, keyfile.load(key)))
    monkeypatch.setattr(keyfile, "load_next", keyfile.follow_up)  # somebody looks beside the key, and there it goes
    log.append(Draft("key", sections={"rotation": note.format().decode()}))
    with contextlib.suppress(LogUnavailable):
        log.checkpoint()
    assert log.checkpoint_trouble == ""
    assert latest(log).note.signed_by([Signer(origin, new).key])
