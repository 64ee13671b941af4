"""Interpretations: the conclusion is marked, every premise is its own cited fact, and none is made up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import footnote
from footnote.answers.draft import utf16_slice
from footnote.answers.interpret import render_interpretation
from footnote.connect.seed import seed_sqlite
from footnote.errors import CatalogError
from footnote.session import Session

NAME = "customerAtRisk"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("risk")
    seed_sqlite(folder / "erp.db")
    url = f"sqlite:///{folder / 'erp.db'}"
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open("sample", database_url=url, provenance_db=folder / "log.db", environ=environ) as opened:
        yield opened


def test_the_conclusion_is_marked_and_the_premises_are_cited(session: Session) -> None:
    answer = session.interpret(NAME, {"customer": "Bergmann"}, question="Is Bergmann at risk?")
    assert answer.kind == "interpretation"
    assert answer.conclusion is not None
    assert utf16_slice(answer.text, *answer.conclusion) == ("Bergmann Logistik GmbH shows 2 independent risk signals.")
    assert answer.text.split("\n") == [
        "Bergmann Logistik GmbH shows 2 independent risk signals. This is an interpretation; the facts are:",
        "  · 43.805,00\xa0€ overdue across 4 invoices, oldest 104 days past due",
        "  · 2 open support tickets, 1 of high severity",
        "Beside them:",
        "  · agreed payment terms of 30 days, account owned by Ana Kovač",
        "The conclusion is drawn by Footnote's catalog; every fact above is a record you can open.",
    ]


def test_the_number_of_premises_rests_on_what_the_premises_rest_on(session: Session) -> None:
    answer = session.interpret(NAME, {"customer": "Bergmann"})
    count = answer.claims[1]
    assert count.text == "2"
    assert count.evidence == (
        "invoice:8812",
        "invoice:8834",
        "invoice:8901",
        "invoice:8977",
        "ticket:551",
        "ticket:552",
    )
    assert all(id in answer.evidence for id in count.evidence)


def test_a_premise_that_does_not_hold_is_left_out(session: Session) -> None:
    answer = session.interpret(NAME, {"customer": "Nordwind"})
    assert "shows 1 independent risk signal." in answer.text
    assert "ticket" not in answer.text


def test_where_no_premise_holds_that_is_said_with_what_was_looked_at(session: Session) -> None:
    answer = session.interpret(NAME, {"customer": "Bergmann", "asOfDate": "2026-01-01"})
    assert "1 independent risk signal." in answer.text  # the tickets are open whatever the date
    names = [row.figures["name"].display for row in session.run("getTopCustomers", {}).tables["customers"].rows]
    answers = [session.interpret(NAME, {"customer": name, "asOfDate": "2020-01-01"}) for name in names]
    calm = next(a for a in answers if "shows no risk signal" in a.text)
    assert "what was looked at:\n  · " in calm.text
    assert "has no overdue invoices as of 2020-01-01" in calm.text
    assert any(id.startswith("absence:") for claim in calm.claims for id in claim.evidence)


def test_a_conclusion_needs_all_of_its_results(session: Session) -> None:
    catalog = session.loaded.catalog
    only = {"getOverdueInvoices": session.run("getOverdueInvoices", {"customer": "Bergmann"})}
    with pytest.raises(CatalogError, match="needs the result of getOpenTickets"):
        render_interpretation(catalog.interpretations[NAME], only, catalog=catalog)


def test_the_word_for_it_is_not_in_fashion(session: Session) -> None:
    assert " AI" not in session.interpret(NAME, {"customer": "Bergmann"}).text
