"""Promise 1: no figure is generated. Every number in an answer is covered by a claim with evidence that can be opened.

Prose that brings a figure of its own is refused, in digits or words, in any script.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import footnote
from footnote.answers.answer import Answer
from footnote.answers.draft import utf16_length, utf16_slice
from footnote.connect.seed import seed_sqlite
from footnote.errors import UnboundFigure
from footnote.figures import find_numerals
from footnote.session import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("figures")
    seed_sqlite(folder / "erp.db")
    url = f"sqlite:///{folder / 'erp.db'}"
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open("sample", database_url=url, provenance_db=folder / "log.db", environ=environ) as opened:
        yield opened


def require_every_number_bound(answer: Answer) -> None:
    evidence = {(item.id, item.result) for item in answer.evidence}
    for claim in answer.claims:
        assert utf16_slice(answer.text, claim.start, claim.end) == claim.text
        assert claim.evidence
        assert claim.origin == "structured"
        if claim.result:
            assert {(id, claim.result) for id in claim.evidence} <= evidence
        assert set(claim.evidence) <= {id for id, _ in evidence}
    for numeral in find_numerals(answer.text):
        start = utf16_length(answer.text[: numeral.start])
        end = start + utf16_length(numeral.text)
        assert any(claim.start <= start and end <= claim.end for claim in answer.claims), numeral


QUESTIONS = [
    "How much does Bergmann owe?",
    "How much does Nordwind owe?",
    "Is Bergmann Logistik at risk?",
    "Is Petrov Components at risk?",
    "Has Nordwind paid anything this year?",
    "Has Nordwind paid anything since 2099-01-01?",
    "Any open tickets for Adriatic Foods?",
    "Any open tickets for Petrov?",
    "Show me the receivables aging",
    "Show me the receivables aging of Bergmann",
    "Show me the payables aging",
    "Who are our top customers?",
    "Revenue by month in 2026",
    "Revenue in Q1 2020",
    "Tell me about Lumière Packaging",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_number_of_an_answer_is_bound(session: Session, question: str) -> None:
    require_every_number_bound(session.ask(question))


def test_every_customer_can_be_asked_about(session: Session) -> None:
    rows = session.run("getTopCustomers", {}).tables["customers"].rows
    for row in rows:
        name = row.figures["name"].display
        for operation in ("getOverdueInvoices", "getPaymentHistory", "getOpenTickets", "getCustomerSummary"):
            require_every_number_bound(session.answer(session.run(operation, {"customer": name})))
        require_every_number_bound(session.interpret("customerAtRisk", {"customer": name}))


def test_a_figure_that_is_shown_is_the_figure_of_the_result(session: Session) -> None:
    answer = session.ask("Show me the receivables aging")
    figures = dict(answer.results[0].figures())
    cited = [claim for claim in answer.claims if claim.figure]
    assert cited
    for claim in cited:
        assert claim.text == figures[claim.figure].display


@pytest.mark.parametrize(
    "figure",
    [
        "43.805,00 €",
        "4",
        "four",
        "vier",
        "quatre",
        "cztery",
        "٤",
        "४",
        "四",
        "Ⅳ",
        "④",
        "½",
        "𝟒",
        "four\u200bteen",
        "f-o-u-r",
    ],
)
def test_prose_with_a_figure_of_its_own_is_refused_and_recorded(session: Session, figure: str) -> None:
    result = session.run("getOverdueInvoices", {"customer": "Bergmann"})
    with pytest.raises(UnboundFigure) as refused:
        session.compose(f"{{{result.id}.customer}} owes {figure}.", [result.id])
    assert session.log.get(str(refused.value.details["record"]["id"])).kind == "refusal"


def test_the_same_prose_with_a_slot_is_an_answer(session: Session) -> None:
    result = session.run("getOverdueInvoices", {"customer": "Bergmann"})
    answer = session.compose(
        f"{{{result.id}.customer}} owes {{{result.id}.totals.totalOutstanding}}.", [result.id], question="Well?"
    )
    assert answer.text == "Bergmann Logistik GmbH owes 43.805,00\xa0€."
    require_every_number_bound(answer)


def test_a_figure_under_the_name_of_another_is_refused_and_recorded(session: Session) -> None:
    bergmann = session.run("getOverdueInvoices", {"customer": "Bergmann"})
    petrov = session.run("getOverdueInvoices", {"customer": "Petrov"})
    ids = [bergmann.id, petrov.id]
    with pytest.raises(UnboundFigure) as refused:
        session.compose(f"Petrov owes {{{bergmann.id}.totals.totalOutstanding}}.", ids)
    assert refused.value.details["record"]
    assert not session.check("Petrov Components d.o.o. owes 43.805,00 €.", ids).ok
    assert session.check("Bergmann Logistik GmbH owes 43.805,00 €.", ids).ok


def test_an_answer_about_one_of_many_says_about_which(session: Session) -> None:
    for question, name in (
        ("How much do we owe Karawanken?", "Karawanken Transport GmbH"),
        ("How much do we owe Eisvogel?", "Eisvogel Verpackung GmbH"),
        ("Receivables aging of Bergmann", "Bergmann Logistik GmbH"),
    ):
        answer = session.ask(question)
        require_every_number_bound(answer)
        assert name in [claim.text for claim in answer.claims]
    assert session.ask("How much do we owe?").text.startswith("Open payables")
