"""Signed notes and checkpoints against the published examples, and what is none."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from footnote.errors import UsageError
from footnote.provenance.checkpoint import Checkpoint, SignedCheckpoint, sign_checkpoint
from footnote.provenance.note import COSIGNATURE, NoteInvalid, SignedNote, Signer, VerifierKey

# golang.org/x/mod/sumdb/note, the example in its documentation: a private key, its public key, a text, its signature.
SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
NOTE = (
    TEXT
    + "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)

# c2sp.org/tlog-checkpoint and c2sp.org/tlog-cosignature: a checkpoint with a witness's cosignature of 2023-03-20.
COSIGNED = """example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
"""


def signer(name: str = "footnote/log") -> Signer:
    return Signer(name, Ed25519PrivateKey.from_private_bytes(bytes(range(32))))


def test_the_published_note_is_signed_by_its_key_and_made_again_to_the_byte() -> None:
    key = VerifierKey.parse(VKEY)
    note = SignedNote.parse(NOTE.encode())
    assert note.text == TEXT
    assert note.signed_by([key]) == [key]
    assert note.format() == NOTE.encode()
    peter = Signer("PeterNeumann", Ed25519PrivateKey.from_private_bytes(SEED))
    assert peter.key.text == VKEY
    assert SignedNote(TEXT, (peter.sign(TEXT),)) == note


def test_the_published_checkpoint_is_read_with_its_cosignature() -> None:
    read = SignedCheckpoint.parse(COSIGNED.encode())
    assert (read.checkpoint.origin, read.size) == ("example.com/behind-the-sofa", 20852163)
    assert read.checkpoint.root.hex().startswith("0ac5186a91863e8e")
    assert [signature.time for signature in read.note.signatures] == [None, 1679315147]
    assert read.format() == COSIGNED.encode()
    assert read.checkpoint.text + "\n" == COSIGNED[: COSIGNED.index("—")]


def test_a_cosignature_covers_the_text_and_the_time() -> None:
    witness = signer("witness")
    text = Checkpoint("footnote/log", 3, bytes(32)).text
    line = witness.cosign(text, 1679315147)
    assert line.time == 1679315147
    assert SignedNote(text, (line,)).signed_by([witness.cosigner_key]) == [witness.cosigner_key]
    assert SignedNote(text, (line,)).signed_by([witness.key]) == [], "a cosignature is no plain signature"
    later = type(line)(line.name, line.key_id, (1679315148).to_bytes(8, "big") + line.value[8:])
    with pytest.raises(NoteInvalid, match="does not hold"):
        SignedNote(text, (later,)).signed_by([witness.cosigner_key])


def test_a_key_that_nobody_vouches_for_is_passed_over_and_a_known_one_that_fails_spoils_the_note() -> None:
    known, other = signer(), Signer("footnote/log", Ed25519PrivateKey.generate())
    checkpoint = Checkpoint("footnote/log", 3, bytes(32))
    note = SignedNote(checkpoint.text, (other.sign(checkpoint.text), known.sign(checkpoint.text)))
    assert note.signed_by([known.key]) == [known.key]
    wrong = SignedNote(checkpoint.text.replace("3", "4"), (known.sign(checkpoint.text),))
    with pytest.raises(NoteInvalid, match="does not hold"):
        wrong.signed_by([known.key])


def test_a_checkpoint_is_verified_only_by_a_key_with_the_name_of_its_log() -> None:
    signed = sign_checkpoint(Checkpoint("footnote/log", 3, bytes(32)), signer())
    assert SignedCheckpoint.parse(signed.format()) == signed
    assert signed.verify([signer().key]) == signer().key
    with pytest.raises(NoteInvalid, match="No key of this log"):
        signed.verify([signer("footnote/another").key])
    with pytest.raises(NoteInvalid, match="not signed"):
        signed.verify([Signer("footnote/log", Ed25519PrivateKey.generate()).key])


def test_a_signature_is_added_once() -> None:
    signed = sign_checkpoint(Checkpoint("footnote/log", 3, bytes(32)), signer())
    cosigned = signed.note.with_signatures([signer("w").cosign(signed.checkpoint.text, 1)] * 2)
    assert len(cosigned.signatures) == 2
    assert cosigned.with_signatures(cosigned.signatures) == cosigned


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text\n",
        b"text\n\n",
        b"\n\n\xe2\x80\x94 name AAAAAAA=\n",
        NOTE.encode()[:-1],
        NOTE.replace("— Peter", "- Peter").encode(),
        NOTE.replace("nAM=", "nAM").encode(),
        NOTE.replace("nAM=", "nAN=").encode(),
        NOTE.replace("PeterNeumann", "Peter Neumann").encode(),
        NOTE.replace("PeterNeumann", "Peter+Neumann").encode(),
        NOTE.replace("\n\n", "\r\n\r\n").encode(),
        NOTE.replace("know", "kn\x00w").encode(),
        NOTE.encode() + b"and more\n",
        NOTE.encode("utf-16"),
        b"x\n\n\xe2\x80\x94 name AAAA\n",
        (TEXT + "\n" + "— n AAAAAAAA\n" * 101).encode(),
        b"x" * 1_000_001,
    ],
)
def test_what_is_no_note_is_refused(data: bytes) -> None:
    with pytest.raises(NoteInvalid):
        SignedNote.parse(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "origin\n3\n",
        "origin\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
        "\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n03\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n-3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n٣\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n9999999999999999999\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2J=\n",
        "origin\n3\nCsUYapGG\n",
        "origin\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteInvalid):
        Checkpoint.parse(text)


def test_extension_lines_are_allowed_and_signed() -> None:
    text = Checkpoint("footnote/log", 3, bytes(32)).text + "an extension\n"
    assert Checkpoint.parse(text).size == 3
    assert SignedNote.parse(SignedNote(text, (signer().sign(text),)).format()).signed_by([signer().key])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PeterNeumann",
        VKEY[:-1],
        VKEY.replace("c74f20a3", "c74f20a4"),
        VKEY.replace("PeterNeumann", "Peter"),
        VKEY.replace("+A", "+B", 2),
        "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz",
    ],
)
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        VerifierKey.parse(text)


def test_a_public_key_is_read_back() -> None:
    for key in (signer().key, signer("witness").cosigner_key):
        assert VerifierKey.parse(f" {key.text}\n") == key
    assert signer().cosigner_key.kind == COSIGNATURE
    assert signer().cosigner_key.id != signer().key.id
