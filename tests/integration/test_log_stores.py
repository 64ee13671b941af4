"""What every store promises, on SQLite and on PostgreSQL: append, read, verify, many threads, and who may do what."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from footnote.errors import LogUnavailable, NameAmbiguous, NameUnknown, UsageError
from footnote.provenance import GENESIS, Draft, Log, Receipt, Unrecordable, merkle
from footnote.provenance.notary import Checkpointing
from footnote.provenance.store import Kept

ROWS = [{"id": "invoice:8812", "label": "18.450,00 €"}, {"id": "invoice:8834"}]


def answer(question: str = "How much does Bergmann owe?", **more: str) -> Draft:
    return Draft("answer", "sha256:" + "0" * 64, {"question": question, "actor": {"id": "zoran"}}, ROWS, **more)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a log that is not there yet will be."""
    if request.param == "sqlite":
        yield str(tmp_path / "log.db")
        return
    server = request.getfixturevalue("postgres_server")
    name = server.new_database()
    yield server.url(name)
    server.drop(name)


@pytest.fixture
def log(place: str) -> Iterator[Log]:
    with Log.open(place) as log:
        yield log


def test_a_receipt_names_the_record_it_was_given_for(log: Log) -> None:
    first, second = log.append(answer()), log.append(answer())
    assert (first.sequence, second.sequence) == (1, 2)
    record = log.get(second.sequence)
    assert Receipt(record.id, record.sequence, record.hash, record.timestamp) == second == log.head()
    assert record.previous_hash == first.hash
    assert log.get(1).previous_hash == GENESIS
    assert log.size() == 2


def test_a_record_is_read_back_as_it_was_recorded(log: Log) -> None:
    log.append(answer("Wie viel schuldet Müller? 𝄞\u0000\n"))
    record = log.get(1)
    assert record.sections == {"question": "Wie viel schuldet Müller? 𝄞\u0000\n", "actor": {"id": "zoran"}}
    assert record.evidence == tuple(ROWS)
    assert set(record.states) == {"question", "actor", "evidence/0", "evidence/1"}
    assert set(record.states.values()) == {"verified"}
    assert record.intact
    assert (record.kind, record.log, record.catalog) == ("answer", log.id, "sha256:" + "0" * 64)


def test_a_draft_may_know_its_id_beforehand(log: Log) -> None:
    draft = answer()
    assert log.append(draft).id == draft.id
    assert log.get(draft.id).id == log.get(draft.id[:8]).id == log.get(draft.id[:8].upper()).id == draft.id


def test_the_same_id_is_recorded_once_and_the_log_goes_on(log: Log) -> None:
    draft = answer()
    log.append(draft)
    with pytest.raises(UsageError, match="has a record"):
        log.append(draft)
    assert log.append(answer()).sequence == 2
    assert log.verify().ok


def test_a_record_is_found_by_sequence_as_number_or_digits(log: Log) -> None:
    for _ in range(3):
        log.append(answer())
    assert log.get(2).sequence == log.get("2").sequence == log.get(" 2 ").sequence == 2


def test_eight_digits_that_are_no_id_are_a_sequence(log: Log) -> None:
    log.append(answer(id="00000002-0000-4000-8000-000000000000"))
    log.append(answer(id="f0000000-0000-4000-8000-000000000000"))
    assert log.get("00000002").sequence == 1
    assert log.get("00000001").sequence == 1


@pytest.mark.parametrize(
    "name", [0, -1, 3, 2**70, "", "nobody", "1234567", "abcdef0", "'; DROP TABLE leaves", "²", "%"]
)
def test_a_name_that_no_record_has_is_said_to_be_unknown(log: Log, name: int | str) -> None:
    log.append(answer())
    with pytest.raises(NameUnknown):
        log.get(name)


def test_a_short_id_that_two_records_share_is_refused_with_both(log: Log) -> None:
    ids = [f"abcdef01-0000-4000-8000-00000000000{n}" for n in range(2)]
    for id in ids:
        log.append(answer(id=id))
    with pytest.raises(NameAmbiguous) as caught:
        log.get("abcdef01")
    assert [candidate.text for candidate in caught.value.candidates] == ids
    assert log.get(ids[1]).id == ids[1]


def test_records_come_in_order_by_kind_and_in_pages(log: Log) -> None:
    for number in range(600):
        log.append(Draft("result" if number % 3 else "refusal", sections={"n": number}))
    assert [record.sequence for record in log.records()] == list(range(1, 601))
    assert [record.sequence for record in log.records(after=595)] == [596, 597, 598, 599, 600]
    assert [record.sections["n"] for record in log.records(kinds=["refusal"], limit=3)] == [0, 3, 6]
    assert list(log.records(after=600)) == list(log.records(limit=0)) == list(log.records(kinds=[])) == []


def test_records_with_very_many_rows_of_evidence_are_read_one_after_another(log: Log) -> None:
    for count in (12_000, 3, 9_998, 5, 25_000, 0):
        log.append(Draft("result", evidence=list(range(count))))
        log.append(Draft("read"))
    counts = [len(record.evidence) for record in log.records()]
    assert counts == [12_000, 0, 3, 0, 9_998, 0, 5, 0, 25_000, 0, 0, 0]
    assert [len(record.evidence) for record in log.records(kinds=["result"])] == counts[::2]
    assert log.verify().count == 12


def test_many_threads_share_one_log(log: Log) -> None:
    receipts: list[Receipt] = []

    def work() -> None:
        for _ in range(25):
            receipts.append(log.append(answer()))
            log.get(receipts[-1].sequence)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(receipt.sequence for receipt in receipts) == list(range(1, 401))
    assert log.verify().count == 400
    assert all(log.get(receipt.sequence).hash == receipt.hash for receipt in receipts)


def test_a_clock_set_back_does_not_set_the_log_back(place: str) -> None:
    now = datetime(2026, 8, 14, 12, tzinfo=UTC)
    moments = iter([now, now, now - timedelta(days=3), now + timedelta(seconds=1)])
    with Log.open(place, clock=lambda: next(moments)) as log:
        stamps = [log.append(answer()).timestamp for _ in range(3)]
        assert stamps == ["2026-08-14T12:00:00.000Z", "2026-08-14T12:00:00.000Z", "2026-08-14T12:00:01.000Z"]
        assert log.verify().ok


def test_a_draft_that_cannot_be_recorded_leaves_no_trace(log: Log) -> None:
    with pytest.raises(Unrecordable):
        log.append(answer("half \ud83d"))
    assert log.size() == 0
    assert log.append(answer()).sequence == 1


def test_a_log_is_the_same_log_when_it_is_opened_again_and_two_that_are_open_make_one_chain(place: str) -> None:
    with Log.open(place) as one, Log.open(place) as other:
        assert one.id == other.id
        assert [log.append(answer()).sequence for log in (one, other, one)] == [1, 2, 3]
        assert other.verify().count == 3
    with Log.open(place) as again:
        assert again.id == one.id
        assert again.append(answer()).sequence == 4


def test_its_tree_is_the_tree_over_its_leaves_and_is_kept_across_batches(log: Log) -> None:
    for count in (100, 300, 256, 1):
        log.append_all([Draft("read", sections={"n": n}) for n in range(count)])
    leaves = [entry.leaf for entry in log.store.entries(parts=False)]
    assert log.root() == merkle.root(leaves)
    assert len(log.store.subtree_roots(1, 0, 256)) == 2
    assert log.store.subtree_roots(1, 1, 256) == [merkle.root(leaves[256:512])]
    proof = log.consistency(300, 657)
    assert merkle.verify_consistency(300, 657, log.root(300), log.root(657), proof)


def test_checkpoints_are_kept_and_found(log: Log, place: str) -> None:
    stored = [Kept(3, b"three"), Kept(5, b"\x00five", b"stamp"), Kept(700, b"all")]
    for one in (stored[0], stored[2], stored[1]):
        log.store.keep_checkpoint(one)
    assert sorted(log.store.checkpoints(), key=lambda kept: kept.size) == stored
    assert log.store.latest_checkpoint() == stored[2]
    assert log.store.latest_checkpoint(stamped=True) == stored[1]
    with Log.open(place, readonly=True) as reader, pytest.raises(LogUnavailable, match="reading only"):
        reader.store.keep_checkpoint(stored[0])


def test_its_state_is_signed_while_it_is_written(place: str, tmp_path: Path) -> None:
    said: list[str] = []
    how = Checkpointing(tmp_path / "key", str(tmp_path / "outside"), every=0.001, tell=said.append)
    with Log.open(place, checkpoints=how) as log, Log.open(place, checkpoints=how) as other:
        for _ in range(20):
            log.append(answer())
            other.append(answer())
    assert said == []
    with Log.open(place, readonly=True) as log:
        latest = log.store.latest_checkpoint()
        assert latest is not None
        assert latest.size == 40


def test_a_log_that_is_only_read_makes_none_and_takes_no_record(place: str) -> None:
    with pytest.raises(LogUnavailable, match="There is no log"):
        Log.open(place, readonly=True)
    Log.open(place).close()
    with Log.open(place, readonly=True) as log:
        assert log.size() == 0
        with pytest.raises(LogUnavailable, match="reading only"):
            log.append(answer())
