"""A witness over a real socket: it cosigns what continues its memory, and nothing else; the log asks it and says so."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import footnote.errors
from footnote.audit.verifying import verify_log
from footnote.cli import main
from footnote.errors import LogUnavailable, UsageError
from footnote.provenance import Draft, Known, Log, SignedCheckpoint, VerifierKey, merkle
from footnote.provenance.checkpoint import Checkpoint, sign_checkpoint
from footnote.provenance.notary import Checkpointing
from footnote.provenance.note import SignedNote, Signer, parse_signature
from footnote.provenance.witness import SIZE_TYPE, Submission, Witness
from footnote.provenance.witness_client import read_addresses

SOURCE = str(Path(footnote.errors.__file__).parents[1])
ENVIRONMENT = os.environ | {"PYTHONPATH": SOURCE, "PYTHONDONTWRITEBYTECODE": "1"}
ITEMS = [bytes([number]) for number in range(40)]
NAME = "footnote/log"


@pytest.fixture
def signer() -> Signer:
    return Signer(NAME, Ed25519PrivateKey.generate())


@pytest.fixture
def witness(tmp_path: Path, signer: Signer) -> Witness:
    own = Signer("witness.example/one", Ed25519PrivateKey.generate())
    return Witness(tmp_path / "memory", own, [signer.key], lambda: 1_700_000_000.9)


def request(signer: Signer, old: int, new: int, items: list[bytes] = ITEMS, **changed: Any) -> bytes:
    signed = sign_checkpoint(Checkpoint(signer.name, new, merkle.root(items[:new])), signer)
    proof = changed.get("proof", merkle.consistency_proof(items[:new], old) if 0 < old <= new else [])
    return Submission(old, tuple(proof), signed).format()


# --- the decision -----------------------------------------------------------------------------------------------------


def test_a_checkpoint_that_continues_the_latest_is_cosigned_with_the_time(witness: Witness, signer: Signer) -> None:
    for old, new in ((0, 3), (3, 3), (3, 8), (8, 40)):
        reply = witness.add_checkpoint(request(signer, old, new))
        assert reply.status == 200, reply
        signature = parse_signature(reply.body.removesuffix("\n"))
        text = Checkpoint(NAME, new, merkle.root(ITEMS[:new])).text
        key = witness._signer.cosigner_key
        assert SignedNote(text, (signature,)).signed_by([key]) == [key]
        assert signature.time == 1_700_000_000
        remembered = witness.latest(NAME)
        assert remembered is not None
        assert remembered.size == new
        assert remembered.note.signed_by([key, signer.key]) == [key, signer.key]


def test_another_old_size_is_a_conflict_that_names_the_right_one(witness: Witness, signer: Signer) -> None:
    witness.add_checkpoint(request(signer, 0, 8))
    for old in (0, 3, 9):
        reply = witness.add_checkpoint(request(signer, old, 20))
        assert (reply.status, reply.body, reply.type) == (409, "8\n", SIZE_TYPE)


def test_a_rewritten_or_forked_or_shorter_log_is_not_cosigned(witness: Witness, signer: Signer) -> None:
    witness.add_checkpoint(request(signer, 0, 8))
    other = [b"rewritten", *ITEMS[1:]]
    assert witness.add_checkpoint(request(signer, 8, 20, other)).status == 422
    assert witness.add_checkpoint(request(signer, 8, 8, other)).status == 409
    assert witness.add_checkpoint(request(signer, 3, 5)).status == 409
    assert witness.add_checkpoint(request(signer, 8, 20, proof=[])).status == 422
    assert witness.add_checkpoint(request(signer, 8, 5)).status == 400
    latest = witness.latest(NAME)
    assert latest is not None
    assert latest.checkpoint.root == merkle.root(ITEMS[:8])


def test_a_proof_from_nothing_must_be_empty(witness: Witness, signer: Signer) -> None:
    assert witness.add_checkpoint(request(signer, 0, 8, proof=[bytes(32)])).status == 422
    assert witness.latest(NAME) is None


def test_logs_that_nobody_named_and_keys_that_nobody_knows_are_turned_away(witness: Witness, signer: Signer) -> None:
    assert witness.add_checkpoint(request(Signer("footnote/other", signer.private), 0, 3)).status == 404
    assert witness.add_checkpoint(request(Signer(NAME, Ed25519PrivateKey.generate()), 0, 3)).status == 403
    spoilt = request(signer, 0, 3).replace(b"\n3\n", b"\n4\n")
    assert witness.add_checkpoint(spoilt).status == 403


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"old\n\n",
        b"old 3",
        b"old 03\n\nfootnote/log\n3\n",
        b"old -1\n\n",
        b"old 3\nAAAA\n\n",
        b"old 3\n\xff\n\n",
        b"old 3\n" + b"CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n" * 64 + b"\n",
        b"new 3\n\n",
        b"old 99999999999999999999\n\n",
        b"\x00" * 100,
    ],
)
def test_what_is_no_request_is_a_bad_request(witness: Witness, data: bytes) -> None:
    assert witness.add_checkpoint(data).status == 400


def test_a_memory_that_is_damaged_is_not_begun_anew(witness: Witness, signer: Signer) -> None:
    witness.add_checkpoint(request(signer, 0, 8))
    witness._path(NAME).write_bytes(b"")
    with pytest.raises(LogUnavailable, match="back-up"):
        witness.add_checkpoint(request(signer, 0, 20))


def test_of_two_requests_at_once_one_wins_and_no_memory_is_rolled_back(witness: Witness, signer: Signer) -> None:
    witness.add_checkpoint(request(signer, 0, 2))
    replies: list[int] = []
    together = threading.Barrier(6)

    def ask(new: int) -> None:
        together.wait()
        replies.append(witness.add_checkpoint(request(signer, 2, new)).status)

    threads = [threading.Thread(target=ask, args=(new,)) for new in (10, 11, 12, 13, 14, 15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(replies) == [200, 409, 409, 409, 409, 409]


# --- over HTTP --------------------------------------------------------------------------------------------------------


@contextmanager
def serving(memory: Path, *logs: str) -> Iterator[dict[str, str]]:
    named = [part for log in logs for part in ("--log", log)]
    options = ["--memory", str(memory), "--name", "witness.example/one", "--port", "0", "--json", *named]
    process = subprocess.Popen(
        [sys.executable, "-m", "footnote", "witness", "serve", *options],
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    try:
        assert process.stdout
        text = ""
        while not text.endswith("}\n"):
            line = process.stdout.readline()
            assert line, "the witness ended"
            text += line
        yield json.loads(text)
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_a_log_has_its_checkpoints_cosigned_and_a_cut_off_log_is_noticed(tmp_path: Path) -> None:
    said: list[str] = []
    how = Checkpointing(tmp_path / "key", tell=said.append)
    path = tmp_path / "log.db"
    with Log.open(path, checkpoints=how) as log:
        log.append(Draft("read"))
        log.checkpoint()
        first = SignedCheckpoint.parse(_latest(log))
    with serving(tmp_path / "memory", _public(how, first)) as told:
        key = VerifierKey.parse(told["publicKey"])
        how = Checkpointing(how.key, witnesses=read_addresses(told["setting"].partition("=")[2]), tell=said.append)
        for size in (2, 3):
            with Log.open(path, checkpoints=how) as log:
                log.append(Draft("read"))
                log.checkpoint()
                signed = SignedCheckpoint.parse(_latest(log))
                assert signed.size == size
                assert signed.note.signed_by([key]) == [key]
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{told['url']}/add-checkpoint", Submission(0, (), first).format()))
        assert (refused.value.code, refused.value.headers["Content-Type"]) == (409, SIZE_TYPE)
        assert refused.value.read() == b"3\n"
        refused.value.close()
        with pytest.raises(HTTPError) as long:
            urlopen(Request(f"{told['url']}/add-checkpoint", b"x" * 1_100_000))
        assert long.value.code == 413
        long.value.close()
        connection = sqlite3.connect(path)
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.executescript("DELETE FROM leaves WHERE sequence > 1; DELETE FROM payload; DELETE FROM checkpoints")
        connection.close()
        assert said == []
        with Log.open(path, checkpoints=how) as log:
            log.append(Draft("read"))
            with pytest.raises(LogUnavailable, match="has seen 3 records"):
                log.checkpoint()
            log.append_all([Draft("read") for _ in range(4)])
            with pytest.raises(LogUnavailable, match="not those that the witness"):
                log.checkpoint()


def witnessed(tmp_path: Path, url: str, name: str = "key") -> Checkpointing:
    return Checkpointing(tmp_path / name, witnesses=read_addresses(url), tell=lambda _: None)


def cut_off(path: Path, sequence: int) -> None:
    """What an administrator may do: take off the end of a log, its checkpoints with it."""
    connection = sqlite3.connect(path)
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for table in ("leaves", "payload"):
        connection.execute(f"DELETE FROM {table} WHERE sequence > ?", (sequence,))
    connection.execute("DELETE FROM checkpoints WHERE size > ?", (sequence,))
    connection.commit()
    connection.close()


def test_verifying_asks_the_witness_and_finds_what_nobody_else_could(tmp_path: Path) -> None:
    path, alone = tmp_path / "log.db", Checkpointing(tmp_path / "key", tell=lambda _: None)
    with Log.open(path, checkpoints=alone) as log:
        log.append(Draft("read"))
        log.checkpoint()
        first = SignedCheckpoint.parse(_latest(log))
    with serving(tmp_path / "memory", _public(alone, first)) as told:
        how = witnessed(tmp_path, told["setting"].partition("=")[2])
        with Log.open(path, checkpoints=how) as log:
            log.append_all([Draft("read") for _ in range(4)])
            log.checkpoint()
            agreed = verify_log(log, Known(), how)
            assert (agreed.ok, agreed.remarks) == (True, ())
        cut_off(path, 3)
        with Log.open(path, readonly=True) as log:
            assert log.verify().ok, "it is a perfect log by itself"
            short = verify_log(log, Known(), how)
            assert (short.ok, short.kind, short.failed_at) == (False, "truncation", 4), short.reason
            unasked = verify_log(log, Known(), witnessed(tmp_path, told["setting"].partition("=")[2], "no key"))
            assert unasked.ok
            assert "was not asked" in unasked.remarks[0]
        with Log.open(path) as log:
            log.append_all([Draft("read", sections={"x": n}) for n in range(2)])
            assert log.verify().ok
            forked = verify_log(log, Known(), how)
            assert (forked.ok, forked.kind) == (False, "fork"), forked.reason


def test_verifying_says_that_the_witness_was_not_heard(tmp_path: Path) -> None:
    key = Signer("witness.example/one", Ed25519PrivateKey.generate()).cosigner_key
    how = witnessed(tmp_path, f"http://127.0.0.1:9#{key.text}")
    with Log.open(tmp_path / "log.db", checkpoints=how) as log:
        assert verify_log(log, Known(), how).remarks == (), "there is nothing to be asked about"
        log.append(Draft("read"))
        with pytest.raises(LogUnavailable):
            log.checkpoint()
        outcome = verify_log(log, Known(), how)
    assert outcome.ok
    assert len(outcome.remarks) == 1
    assert "The witness was not heard." in outcome.remarks[0]


def test_a_witness_that_is_away_costs_neither_record_nor_checkpoint(tmp_path: Path) -> None:
    said: list[str] = []
    key = Signer("witness.example/one", Ed25519PrivateKey.generate()).cosigner_key
    witnesses = read_addresses(f"http://127.0.0.1:9#{key.text}")
    with Log.open(
        tmp_path / "log.db", checkpoints=Checkpointing(tmp_path / "key", "", witnesses, tell=said.append)
    ) as log:
        assert log.append(Draft("read")).sequence == 1
    assert len(said) == 1
    assert "cannot be reached" in said[0]
    assert SignedCheckpoint.parse(_latest(log)).size == 1


@pytest.mark.parametrize("text", ["http://witness", "ftp://witness#x", "witness.example#x", "http://w#rubbish"])
def test_a_witness_without_address_or_key_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_addresses(text)


def test_the_key_of_a_log_is_no_witness_s(signer: Signer) -> None:
    with pytest.raises(UsageError, match="key of a log"):
        read_addresses(f"http://127.0.0.1:1#{signer.key.text}")


def test_a_request_is_cosigned_by_hand(tmp_path: Path, signer: Signer) -> None:
    file = tmp_path / "request"
    arguments = ["witness", "cosign", "--memory", str(tmp_path / "memory"), "--name", "w", "--log", signer.key.text]
    file.write_bytes(request(signer, 0, 3))
    done = CliRunner().invoke(main, [*arguments, str(file)])
    assert (done.exit_code, done.output[:4]) == (0, "— w ")
    file.write_bytes(request(signer, 0, 9))
    done = CliRunner().invoke(main, [*arguments, str(file), "--json"])
    assert done.exit_code == 1
    assert json.loads(done.output)["status"] == 409


def _latest(log: Log) -> bytes:
    kept = log.store.latest_checkpoint()
    assert kept
    return kept.note


def _public(how: Checkpointing, signed: SignedCheckpoint) -> str:
    from footnote.provenance import keyfile

    return Signer(signed.checkpoint.origin, keyfile.load(how.key)).key.text
