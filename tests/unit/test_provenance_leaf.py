"""The leaf of format footnote/v1, byte for byte, computed a second time here from the text of the format."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from footnote.errors import LogBroken
from footnote.provenance.canonical import Unrecordable
from footnote.provenance.leaf import (
    GENESIS,
    RESERVED,
    Draft,
    Sealed,
    decode,
    encode,
    record_hash,
    seal,
    timestamp,
)

LOG = "6f1d1a52-7a0e-4c80-9a60-0a3a2b6b9f11"
ID = "c8e0f81c-ab37-488c-a28c-879d0574ac9a"
CATALOG = "sha256:" + "0" * 64
DRAFT = Draft(
    "answer",
    CATALOG,
    {"question": "How much does Bergmann owe?", "actor": {"role": "controller", "id": "zoran"}},
    [{"id": "invoice:8812", "label": "18.450,00 €"}, {"id": "invoice:8834"}, {"id": "invoice:8901"}],
    id=ID,
)


def leaf_of(sealed: Sealed) -> bytes:
    return encode(sealed, log=LOG, sequence=6, timestamp="2026-11-29T23:03:29.167Z", previous_hash=GENESIS)


def test_the_leaf_is_the_one_of_the_format_byte_for_byte() -> None:
    sealed = seal(DRAFT)
    salts = {part.path: part.salt or b"" for part in sealed.parts}
    texts = {
        "question": '"How much does Bergmann owe?"',
        "actor": '{"id":"zoran","role":"controller"}',
        "evidence/0": '{"id":"invoice:8812","label":"18.450,00 €"}',
        "evidence/1": '{"id":"invoice:8834"}',
        "evidence/2": '{"id":"invoice:8901"}',
    }
    macs = {
        path: hmac.new(salts[path], path.encode() + b"\0" + text.encode(), hashlib.sha256).digest()
        for path, text in texts.items()
    }
    a, b, c = (hashlib.sha256(b"\0" + macs[f"evidence/{n}"]).digest() for n in range(3))
    pair = hashlib.sha256(b"\1" + a + b).digest()
    top = hashlib.sha256(b"\1" + pair + c).hexdigest()
    expected = (
        f'{{"catalog":"{CATALOG}","format":"footnote/v1","id":"{ID}","kind":"answer","log":"{LOG}",'
        f'"previousHash":"{"0" * 64}","sections":{{"actor":"{macs["actor"].hex()}",'
        f'"evidence":{{"count":3,"root":"{top}"}},"question":"{macs["question"].hex()}"}},"sequence":6,'
        f'"timestamp":"2026-11-29T23:03:29.167Z"}}'
    ).encode()
    assert leaf_of(sealed) == expected
    assert record_hash(expected) == hashlib.sha256(expected).hexdigest()


def test_the_same_draft_never_has_the_same_commitments() -> None:
    first, second = seal(DRAFT), seal(DRAFT)
    assert first.commitments["question"] != second.commitments["question"]
    assert first.commitments["evidence"] != second.commitments["evidence"]
    salts = [part.salt for part in (*first.parts, *second.parts)]
    assert len(set(salts)) == len(salts)
    assert all(len(salt or b"") == 32 for salt in salts)


def test_the_leaf_holds_no_text_of_the_payload() -> None:
    leaf = leaf_of(seal(DRAFT))
    for word in (b"Bergmann", b"zoran", b"8812", b"18.450"):
        assert word not in leaf


def test_no_evidence_is_a_count_of_nought_and_the_root_of_nothing() -> None:
    leaf = decode(leaf_of(seal(Draft("key"))))
    assert (leaf.evidence_count, leaf.evidence_root) == (0, hashlib.sha256(b"").hexdigest())
    assert leaf.sections == {}


def test_a_leaf_is_read_back() -> None:
    leaf = decode(leaf_of(seal(DRAFT)))
    assert (leaf.log, leaf.sequence, leaf.id, leaf.kind, leaf.catalog) == (LOG, 6, ID, "answer", CATALOG)
    assert leaf.evidence_count == 3
    assert set(leaf.sections) == {"actor", "question"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", "footnote/v2"),
        ("log", "mine"),
        ("sequence", 0),
        ("sequence", True),
        ("sequence", "6"),
        ("id", ID.upper()),
        ("kind", "reply"),
        ("timestamp", "2026-11-29T23:03:29Z"),
        ("timestamp", "2026-11-29 23:03:29.167Z"),
        ("previousHash", "0" * 63),
        ("previousHash", "G" * 64),
        ("catalog", None),
        ("sections", {}),
        ("sections", {"evidence": {"count": -1, "root": "0" * 64}}),
        ("sections", {"evidence": {"count": 10**12, "root": "0" * 64}}),
        ("sections", {"evidence": {"count": 0, "root": "0" * 64, "more": 1}}),
        ("sections", {"evidence": {"count": 0, "root": "0" * 64}, "question": "short"}),
        ("sections", {"evidence": {"count": 0, "root": "0" * 64}, "leaf": "0" * 64}),
        ("extra", 1),
    ],
)
def test_what_is_not_a_leaf_is_not_read_as_one(name: str, value: Any) -> None:
    members = json.loads(leaf_of(seal(DRAFT)))
    members[name] = value
    data = json.dumps(members, sort_keys=True, separators=(",", ":")).encode()
    with pytest.raises(LogBroken):
        decode(data)


def test_a_leaf_in_another_spelling_is_not_read() -> None:
    data = leaf_of(seal(DRAFT))
    with pytest.raises(LogBroken, match="canonical"):
        decode(data.replace(b":", b": ", 1))


@pytest.mark.parametrize(
    "draft",
    [
        Draft("reply"),
        Draft("answer", id="7"),
        Draft("answer", id=ID.upper()),
        Draft("answer", catalog="sha 256"),
        Draft("answer", sections={"Question": 1}),
        Draft("answer", sections={"que stion": 1}),
        Draft("answer", sections={"größe": 1}),
        Draft("answer", sections={"": 1}),
        *(Draft("answer", sections={name: 1}) for name in sorted(RESERVED)),
    ],
)
def test_a_draft_with_a_name_that_is_taken_or_is_none_is_refused(draft: Draft) -> None:
    with pytest.raises(Unrecordable):
        seal(draft)


def test_too_many_rows_are_refused() -> None:
    with pytest.raises(Unrecordable, match="100000"):
        seal(Draft("answer", evidence=[0] * 100_001))


def test_a_value_that_cannot_be_recorded_is_named_with_its_section() -> None:
    with pytest.raises(Unrecordable) as caught:
        seal(Draft("answer", sections={"operations": [{"arguments": {"amount": 1.5}}]}))
    assert caught.value.details["path"] == "operations[0].arguments.amount"
    with pytest.raises(Unrecordable) as caught:
        seal(Draft("answer", evidence=[{}, {"label": "\udc00"}]))
    assert caught.value.details["path"] == "evidence[1].label"


def test_timestamps_are_utc_with_milliseconds_and_sort_as_text() -> None:
    moment = datetime(2026, 8, 14, 1, 30, 0, 999_999, tzinfo=timezone(timedelta(hours=2)))
    assert timestamp(moment) == "2026-08-13T23:30:00.999Z"
    assert timestamp(datetime(2026, 8, 14, tzinfo=UTC)) == "2026-08-14T00:00:00.000Z"
    assert timestamp(moment) < timestamp(moment + timedelta(milliseconds=1))
