"""Promise 3: names resolve before any query runs, and Footnote never guesses between two."""

from __future__ import annotations

from pathlib import Path

import pytest

import footnote
from footnote.errors import NameAmbiguous, NameUnknown
from footnote.operations import run as operations_run
from footnote.operations.account import Account
from footnote.session import Session
from footnote.sources.query import Query, Value


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return footnote.open(
        "sample", database_url="sample", provenance_db=tmp_path / "log.db", environ={"FOOTNOTE_CACHE": str(tmp_path)}
    )


@pytest.fixture
def purposes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The purpose of every query that is sent, as it is sent."""
    sent: list[str] = []

    class Watched(Account):
        def run(self, purpose: str, statement: str, query: Query) -> list[tuple[Value, ...]]:
            sent.append(purpose)
            return super().run(purpose, statement, query)

    monkeypatch.setattr(operations_run, "Account", Watched)
    return sent


@pytest.mark.parametrize("name", ["Acme Corporation", "Bergmann Logistics International", "zzz", "4470", "0", "-4471"])
def test_an_unknown_name_is_an_error_with_real_candidates_and_no_statement_runs(
    session: Session, purposes: list[str], name: str
) -> None:
    with pytest.raises(NameUnknown) as caught:
        session.run("getOverdueInvoices", {"customer": name})
    assert 1 <= len(caught.value.candidates) <= 5
    assert set(purposes) == {"entity"}
    session.close()


@pytest.mark.parametrize("name", ["Helios", "helios", "GmbH", "a" * 2 + "", "er"])
def test_a_name_of_two_records_is_never_guessed(session: Session, purposes: list[str], name: str) -> None:
    with pytest.raises((NameAmbiguous, NameUnknown)) as caught:
        session.run("getOverdueInvoices", {"customer": name})
    assert caught.value.candidates
    assert set(purposes) == {"entity"}
    session.close()


def test_every_candidate_is_a_name_that_resolves(session: Session) -> None:
    with pytest.raises(NameUnknown) as caught:
        session.run("getOverdueInvoices", {"customer": "Acme Corporation"})
    for candidate in caught.value.candidates:
        number = candidate.evidence_id.split(":")[1]
        result = session.run("getOverdueInvoices", {"customer": number})
        assert result.entities[0].evidence_id == candidate.evidence_id
    session.close()


def test_the_watch_above_sees_statements_when_a_name_resolves(session: Session, purposes: list[str]) -> None:
    session.run("getOverdueInvoices", {"customer": "4471"})
    assert {"entity", "statement", "witness", "fields"} <= set(purposes)
    session.close()
