"""Promise 7, as far as the log keeps it: a receipt is given once the record is durable, else an error; never neither.

The log decides place, time and hash. A caller names what happened and nothing about where it stands.
"""

from __future__ import annotations

import dataclasses
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from footnote.connect.opening import open_session
from footnote.errors import FootnoteError, LogUnavailable
from footnote.provenance import Draft, Log, Receipt
from footnote.session.documents import Documents


def test_whoever_opens_the_file_at_the_moment_of_the_receipt_finds_the_record(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        for number in range(1, 51):
            receipt = log.append(Draft("answer", sections={"n": number}))
            connection = sqlite3.connect(path)
            row = connection.execute("SELECT hex(hash) FROM leaves WHERE sequence = ?", (number,)).fetchone()
            connection.close()
            assert row[0].lower() == receipt.hash


def test_every_caller_gets_a_receipt_or_an_error_and_only_receipts_are_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    outcomes: list[Receipt | FootnoteError] = []
    with Log.open(path, timeout=0.05) as log:
        log.append(Draft("key"))
        stop = threading.Event()

        def ask() -> None:
            for _ in range(20):
                try:
                    outcomes.append(log.append(Draft("answer", sections={"text": "x" * 500})))
                except LogUnavailable as error:
                    outcomes.append(error)

        def hold() -> None:
            connection = sqlite3.connect(path, isolation_level=None)
            while not stop.wait(0.02):
                connection.execute("BEGIN IMMEDIATE")
                stop.wait(0.2)
                connection.execute("ROLLBACK")
            connection.close()

        holder = threading.Thread(target=hold)
        callers = [threading.Thread(target=ask) for _ in range(8)]
        for thread in (holder, *callers):
            thread.start()
        for thread in callers:
            thread.join()
        stop.set()
        holder.join()
        receipts = [outcome for outcome in outcomes if isinstance(outcome, Receipt)]
        assert len(outcomes) == 160
        assert {record.id for record in log.records(kinds=["answer"])} == {receipt.id for receipt in receipts}
        assert log.verify().count == len(receipts) + 1


def test_no_record_means_an_error_and_no_receipt(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Log.open(path, timeout=0.05) as log:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LogUnavailable):
            log.append(Draft("answer"))
        connection.close()
        assert log.size() == 0


def test_a_caller_has_no_say_in_place_time_or_hash() -> None:
    assert {field.name for field in dataclasses.fields(Draft)} == {"kind", "catalog", "sections", "evidence", "id"}


def test_a_draft_that_is_changed_behind_the_call_does_not_change_the_record(tmp_path: Path) -> None:
    sections = {"answer": ["43.805,00 €"]}
    with Log.open(tmp_path / "log.db") as log:
        log.append(Draft("answer", sections=sections))
        sections["answer"].append("0,00 €")
        assert log.get(1).sections["answer"] == ["43.805,00 €"]
        assert log.verify().ok


# --- documents --------------------------------------------------------------------------------------------------------

ASKED: dict[str, Callable[[Documents], object]] = {
    "verify": lambda documents: documents.verify("The standard lead time is fifteen Business Days."),
    "verify_all": lambda documents: documents.verify_all(
        ["Orders are free.", "The lead time is fifteen Business Days."]
    ),
    "search": lambda documents: documents.search("lead time"),
    "quote": lambda documents: documents.quote("contracts/bergmann-supply-agreement.md", "4.2"),
}


@pytest.mark.parametrize("name", ASKED)
def test_nothing_is_said_of_a_document_without_a_record(tmp_path: Path, name: str) -> None:
    environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
    with open_session(environ=environ) as session:
        documents = Documents(session)
        ASKED[name](documents)
        before = [record.kind for record in session.log.records()]
        assert before
        for file in tmp_path.glob("log.db*"):
            file.unlink()
        with pytest.raises(LogUnavailable):
            ASKED[name](documents)
