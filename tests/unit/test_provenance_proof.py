"""Proofs of a record and of a row: they hold with the key alone, and any change to them shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from footnote.audit.proving import prove, read_keys, submission
from footnote.cli import main
from footnote.errors import FootnoteError, NameUnknown, UsageError
from footnote.provenance import Draft, Log, NoteInvalid, VerifierKey, keyfile
from footnote.provenance.checkpoint import origin_of, sign_checkpoint
from footnote.provenance.keys import rotation_note
from footnote.provenance.notary import Checkpointing
from footnote.provenance.note import Signer
from footnote.provenance.proof import read_proof, verify_proof
from footnote.provenance.rotation import rotate
from footnote.provenance.witness import Witness

ROWS = [{"id": f"invoice:{number}", "label": f"INV-{number} «€»", "amount": "18450.00"} for number in range(5)]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    how = Checkpointing(tmp_path / "key", tell=lambda text: None)
    with Log.open(tmp_path / "log.db", checkpoints=how) as log:
        log.append_all([Draft("result", sections={"n": n, "secret": "s3cret"}, evidence=ROWS[:n]) for n in range(6)])
        log.checkpoint()
        yield log


@pytest.fixture
def key(log: Log, tmp_path: Path) -> VerifierKey:
    return Signer(origin_of(log.id), keyfile.load(tmp_path / "key")).key


def as_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def test_every_record_is_proved_with_the_key_alone(log: Log, key: VerifierKey) -> None:
    for record in log.records():
        made = prove(log, str(record.sequence))
        for data in (as_bytes(made.as_dict()), made.as_tlog_proof().encode()):
            assert read_proof(data) == made
            proven = verify_proof(read_proof(data), [key])
            assert (proven.hash, proven.size, proven.leaf.id, proven.row) == (record.hash, 6, record.id, None)


def test_every_row_is_proved_and_nothing_else_is_shown(log: Log, key: VerifierKey) -> None:
    for record in log.records():
        for row in record.evidence:
            assert isinstance(row, dict)
            made = prove(log, record.id, row=str(row["id"]))
            data = as_bytes(made.as_dict())
            assert verify_proof(read_proof(data), [key]).row == row
            assert b"s3cret" not in data
            assert all(str(other["id"]).encode() not in data for other in ROWS if other != row)


def test_an_older_checkpoint_covers_what_it_covers(log: Log, key: VerifierKey, tmp_path: Path) -> None:
    log.append(Draft("read"))
    log.checkpoint()
    assert verify_proof(prove(log, "3"), [key]).size == 7
    old = prove(log, "3", checkpoint="6")
    assert verify_proof(old, [key]).size == 6
    (tmp_path / "kept").write_bytes(old.checkpoint.format())
    assert prove(log, "3", checkpoint=str(tmp_path / "kept")) == old
    with pytest.raises(UsageError, match="came later"):
        prove(log, "7", checkpoint="6")
    with pytest.raises(NameUnknown, match="no checkpoint of 5") as caught:
        prove(log, "3", checkpoint="5")
    assert caught.value.candidates[0].text == "6"


def test_nobody_is_given_a_proof_that_does_not_hold(log: Log, tmp_path: Path) -> None:
    how = Checkpointing(tmp_path / "key", tell=lambda text: None)
    with Log.open(tmp_path / "other.db", checkpoints=how) as other:
        other.append_all([Draft("read") for _ in range(6)])
        other.checkpoint()
        kept = prove(other, "1").checkpoint.format()
    (tmp_path / "kept").write_bytes(kept)
    with pytest.raises(NoteInvalid, match="of another log than the checkpoint"):
        prove(log, "3", checkpoint=str(tmp_path / "kept"))
    (tmp_path / "forged").write_bytes(kept.replace(other.id.encode(), log.id.encode()))
    with pytest.raises(NoteInvalid, match="is not in the tree of 6 records"):
        prove(log, "3", checkpoint=str(tmp_path / "forged"))


@pytest.mark.parametrize("size", ["0", "99999999999999999999999", "9" * 5000])
def test_a_size_that_no_checkpoint_can_have_is_said(log: Log, size: str) -> None:
    with pytest.raises(NameUnknown, match="no checkpoint of"):
        prove(log, "3", checkpoint=size)


def test_a_row_that_is_not_cited_is_said_with_those_that_are(log: Log) -> None:
    with pytest.raises(NameUnknown) as caught:
        prove(log, "3", row="invoice:9999")
    assert [candidate.text for candidate in caught.value.candidates] == ["invoice:0", "invoice:1"]


def test_without_a_checkpoint_there_is_no_proof(tmp_path: Path) -> None:
    with Log.open(tmp_path / "other.db") as log:
        log.append(Draft("read"))
        with pytest.raises(NameUnknown, match="no checkpoint yet"):
            prove(log, "1")


SPOILS: dict[str, Callable[[dict[str, Any]], None]] = {
    "leaf": lambda proof: proof.update(leaf=proof["leaf"].replace('"result"', '"answer"')),
    "leaf and what is said of it": lambda proof: proof.update(leaf=proof["leaf"] + " "),
    "record": lambda proof: proof["record"].update(sequence=4),
    "hash": lambda proof: proof["hashes"].__setitem__(0, "00" * 32),
    "a hash less": lambda proof: proof["hashes"].pop(),
    "a hash more": lambda proof: proof["hashes"].append("00" * 32),
    "many hashes": lambda proof: proof.update(hashes=["00" * 32] * 100),
    "root": lambda proof: proof.update(checkpoint=proof["checkpoint"].replace("\n6\n", "\n7\n")),
    "no signature": lambda proof: proof.update(checkpoint=proof["checkpoint"].split("—")[0]),
    "row": lambda proof: proof["row"]["value"].update(amount="18450.01"),
    "row at another place": lambda proof: proof["row"].update(position=1),
    "row far away": lambda proof: proof["row"].update(position=10**9),
    "row nowhere": lambda proof: proof["row"].update(position="2"),
    "salt": lambda proof: proof["row"].update(salt="00" * 32),
    "hash of the row": lambda proof: proof["row"]["hashes"].__setitem__(0, "00" * 32),
    "format": lambda proof: proof.update(format="footnote/proof-v2"),
    "no leaf": lambda proof: proof.pop("leaf"),
    "a list": lambda proof: proof.update(hashes=7),
}


@pytest.mark.parametrize("name", SPOILS)
def test_any_change_to_a_proof_shows(log: Log, key: VerifierKey, name: str) -> None:
    value: Any = prove(log, "5", row="invoice:2").as_dict()
    assert verify_proof(read_proof(as_bytes(value)), [key]).row == ROWS[2]
    SPOILS[name](value)
    with pytest.raises(FootnoteError):
        verify_proof(read_proof(as_bytes(value)), [key])


def test_another_key_vouches_for_nothing(log: Log, key: VerifierKey) -> None:
    made = prove(log, "5")
    for other in (Signer(key.name, Ed25519PrivateKey.generate()).key, VerifierKey("footnote/other", key.public)):
        with pytest.raises(NoteInvalid, match="not signed"):
            verify_proof(made, [other])


def rotated(log: Log, tmp_path: Path, times: int = 1, *, lost: bool = False) -> VerifierKey:
    """The key after so many rotations, each followed by a record and a checkpoint."""
    for _ in range(times):
        if lost:
            (tmp_path / "key").unlink()
        rotate(log, tmp_path / "key", {"id": "zoran"}, lost=lost)
        log.append(Draft("read"))
        log.checkpoint()
    return Signer(origin_of(log.id), keyfile.load(tmp_path / "key")).key


@pytest.mark.parametrize("times", [1, 3])
def test_the_key_of_before_verifies_proofs_of_after_its_rotation(
    log: Log, key: VerifierKey, tmp_path: Path, times: int
) -> None:
    new = rotated(log, tmp_path, times)
    data = as_bytes(prove(log, "5", row="invoice:2").as_dict())
    for one in (key, new):
        proven = verify_proof(read_proof(data), [one])
        assert (proven.key, proven.row) == (new, ROWS[2])
    assert "rotations" not in prove(log, "5", checkpoint="6").as_dict(), "that checkpoint is of the first key"


def test_a_key_that_nobody_handed_over_to_is_not_trusted(log: Log, key: VerifierKey, tmp_path: Path) -> None:
    new = rotated(log, tmp_path, lost=True)
    made = prove(log, "5")
    assert verify_proof(made, [new]).key == new
    with pytest.raises(NoteInvalid, match="not signed"):
        verify_proof(made, [key])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda notes: notes.clear(),
        lambda notes: notes.pop(1),
        lambda notes: notes.reverse(),
        lambda notes: notes.__setitem__(0, notes[0].replace("rotates to", "rotates from")),
        lambda notes: notes.__setitem__(1, notes[1][:-20] + "A" * 19 + "\n"),
        lambda notes: notes.__setitem__(2, "x"),
    ],
)
def test_a_chain_of_rotations_with_a_link_missing_or_changed_leads_nowhere(
    log: Log, key: VerifierKey, tmp_path: Path, spoil: Callable[[list[str]], object]
) -> None:
    rotated(log, tmp_path, 3)
    value: Any = prove(log, "5").as_dict()
    spoil(value["rotations"])
    with pytest.raises(NoteInvalid, match="not signed"):
        verify_proof(read_proof(as_bytes(value)), [key])


@pytest.mark.parametrize("rotations", [7, "x", [1], [None], {"a": 1}, ["x"] * 1001])
def test_rotations_of_another_shape_are_no_proof(log: Log, rotations: Any) -> None:
    value: Any = prove(log, "5").as_dict() | {"rotations": rotations}
    with pytest.raises(NoteInvalid):
        read_proof(as_bytes(value))


def test_a_forger_cannot_hand_over_for_a_key_that_is_not_theirs(log: Log, key: VerifierKey) -> None:
    forger = Signer(key.name, Ed25519PrivateKey.generate())
    made = prove(log, "5")
    signed = sign_checkpoint(made.checkpoint.checkpoint, forger)
    note = rotation_note(forger, Signer(key.name, Ed25519PrivateKey.generate())).format().decode()
    forged = replace(made, checkpoint=signed, rotations=(note, rotation_note(forger, None).format().decode()))
    assert verify_proof(forged, [forger.key]).key == forger.key
    with pytest.raises(NoteInvalid, match="not signed"):
        verify_proof(forged, [key])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"format": "footnote/proof-v1", "format": "footnote/proof-v1"}',
        b"c2sp.org/tlog-proof@v1",
        b"c2sp.org/tlog-proof@v1\nextra x\nindex 0\n\n",
        b"c2sp.org/tlog-proof@v1\nindex 0\n\n",
    ],
)
def test_what_is_no_proof_is_refused(data: bytes) -> None:
    with pytest.raises(NoteInvalid):
        read_proof(data)


def test_a_witness_is_shown_that_the_log_continues(log: Log, key: VerifierKey, tmp_path: Path) -> None:
    witness = Witness(tmp_path / "w", Signer("w", Ed25519PrivateKey.generate()), [key], lambda: 1.0)
    assert witness.add_checkpoint(submission(log, 0).format()).cosigned
    log.append(Draft("read"))
    log.checkpoint()
    assert witness.add_checkpoint(submission(log, 6).format()).cosigned


def test_the_commands_prove_and_verify(
    log: Log, key: VerifierKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROVENANCE_DB", str(tmp_path / "log.db"))
    run = CliRunner().invoke
    (tmp_path / "public").write_text(f"{key.text}\n")
    assert read_keys(str(tmp_path / "public")) == read_keys(key.text) == [key]
    file = str(tmp_path / "proof.json")
    assert run(main, ["proof", "5", "--row", "invoice:2", "-o", file]).exit_code == 0
    assert Path(file).stat().st_mode & 0o777 == 0o600, "a row is in it"
    assert run(main, ["proof", "5", "-o", file]).exit_code == 2, "it is there already"
    done = run(main, ["proof", "--verify", file, "--key", str(tmp_path / "public"), "--json"])
    assert (done.exit_code, json.loads(done.output)["row"]) == (0, ROWS[2])
    assert run(main, ["proof", "--verify", file]).exit_code == 2, "no key, no verification"
    assert (
        run(
            main, ["proof", "--verify", file, "--key", Signer(key.name, Ed25519PrivateKey.generate()).key.text]
        ).exit_code
        == 1
    )
    assert run(main, ["proof", "--verify", str(tmp_path / "none"), "--key", key.text]).exit_code == 3
    assert run(main, ["proof", "5", "--tlog-proof"]).output.startswith("c2sp.org/tlog-proof@v1\n")
    assert run(main, ["proof", "--since", "0"]).output.startswith("old 0\n\nfootnote/")
    for wrong in ([], ["5", "--since", "3"], ["5", "--row", "x", "--tlog-proof"]):
        assert run(main, ["proof", *wrong]).exit_code == 2
    assert run(main, ["proof", "99"]).exit_code == 1


def test_no_output_replaces_the_log_or_a_key(log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVENANCE_DB", str(tmp_path / "log.db"))
    monkeypatch.setenv("FOOTNOTE_KEY", str(tmp_path / "key"))
    for name in ("log.db", "key"):
        before = (tmp_path / name).read_bytes()
        for command in (["proof", "5"], ["keys", "export"], ["export"], ["export", "--format", "html"]):
            for more in ([], ["--overwrite"]):
                done = CliRunner().invoke(main, [*command, "-o", str(tmp_path / name), *more])
                assert (done.exit_code, (tmp_path / name).read_bytes()) == (2, before), (command, name)
                assert "nothing is written over it" in done.output
