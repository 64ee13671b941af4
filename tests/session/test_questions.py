"""The public questions, end to end, on every engine: answer, claims, evidence, record."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from footnote.answers.answer import Answer
from footnote.errors import FootnoteError, NameAmbiguous, NameUnknown, Unroutable
from footnote.evidence import Row
from footnote.figures import Figure
from footnote.session import Session


def utf16(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def figure(answer: Answer, address: str) -> Figure:
    return dict(answer.results[0].figures())[address]


def test_how_much_does_bergmann_owe(session: Session) -> None:
    answer = session.ask("How much does Bergmann owe?")
    assert answer.text.startswith(
        "Bergmann Logistik GmbH is 43.805,00\xa0€ overdue across 4 invoices as of 2026-08-14, the oldest 104 days past due."
    )
    total = figure(answer, "totals.totalOutstanding")
    assert total.value == Decimal("43805.00")
    assert [c.evidence for c in total.contributions] == ["invoice:8812", "invoice:8834", "invoice:8901", "invoice:8977"]
    assert sum(Decimal(str(c.amount)) for c in total.contributions) == total.value
    assert figure(answer, "totals.oldestDaysOverdue").evidence == ("invoice:8812",)


def test_is_bergmann_logistik_at_risk(session: Session) -> None:
    answer = session.ask("Is Bergmann Logistik at risk?")
    assert answer.kind == "interpretation"
    for fact in (
        "2 independent risk signals",
        "interpretation",
        "43.805,00\xa0€ overdue across 4 invoices, oldest 104 days past due",
        "2 open support tickets, 1 of high severity",
        "agreed payment terms of 30 days, account owned by Ana Kovač",
    ):
        assert fact in answer.text
    assert len({result.taken_at for result in answer.results}) == 1, "premises are read in one snapshot"


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Has Nordwind paid anything this year?", "8.450,00\xa0€ across 1 payment since 2026-01-01"),
        ("Show me the receivables aging", "1–30 days"),
        ("Any open tickets for Adriatic Foods?", "1 open support ticket, 1 of high severity"),
    ],
)
def test_the_other_public_questions_answer(session: Session, question: str, part: str) -> None:
    assert part in session.ask(question).text


QUESTIONS = [
    "How much does Bergmann owe?",
    "Is Bergmann Logistik at risk?",
    "Has Nordwind paid anything this year?",
    "Show me the receivables aging",
    "Any open tickets for Adriatic Foods?",
    "Tell me about Lumière Packaging",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_claim_is_a_span_with_evidence_that_is_there(session: Session, question: str) -> None:
    answer = session.ask(question)
    assert answer.claims
    known = {(item.id, item.result) for item in answer.evidence}
    for claim in answer.claims:
        assert utf16(answer.text, claim.start, claim.end) == claim.text
        assert claim.evidence
        for id in claim.evidence:
            assert (id, claim.result) in known or id in {found for found, _ in known}
    for item in answer.evidence:
        if isinstance(item, Row):
            assert item.fields, f"{item.id} has no fields to look at"


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_sum_and_count_is_the_sum_of_its_contributions(session: Session, question: str) -> None:
    for result in session.ask(question).results:
        for address, found in result.figures():
            if found.method in ("sum", "count") and found.contributions:
                total = sum(Decimal(str(c.amount)) for c in found.contributions)
                assert total == Decimal(str(found.value)), address


def test_an_answer_is_recorded_with_its_results_before_it_is_returned(session: Session) -> None:
    answer = session.ask("How much does Bergmann owe?")
    record = session.log.get(str(answer.receipt["id"]))
    assert record.kind == "answer"
    assert record.sections["question"] == "How much does Bergmann owe?"
    assert record.sections["answer"] == answer.text
    assert record.sections["actor"] == {"id": "ana", "role": "controller"}
    (result,) = answer.results
    assert session.log.get(str(result.receipt["id"])).kind == "result"
    assert session.log.verify().ok


def test_a_result_read_back_from_the_log_is_the_same(session: Session) -> None:
    result = session.run("getOverdueInvoices", {"customer": "4471"})
    again = session.result(result.id)
    assert again.as_dict() == result.as_dict()
    assert [item.as_dict() for item in again.evidence] == [item.as_dict() for item in result.evidence]
    assert again.operation_dict() == result.operation_dict()


def test_a_record_cited_by_two_operations_keeps_the_fields_of_each(session: Session) -> None:
    answer = session.ask("Is Bergmann Logistik at risk?")
    overdue = next(r for r in answer.results if r.operation == "getOverdueInvoices")
    row = overdue.evidence.get("invoice:8812", overdue.id)
    assert isinstance(row, Row)
    assert row.fields["daysOverdue"].display == "104"
    cited = answer.evidence.get("invoice:8812", overdue.id)
    assert isinstance(cited, Row)
    assert cited.fields["daysOverdue"].display == "104"


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ("How much does Acme Corporation owe?", NameUnknown),
        ("How much does Helios owe?", NameAmbiguous),
        ("What will revenue be next quarter?", Unroutable),
        ("What is the weather?", Unroutable),
        ("", FootnoteError),
        ("owe " * 2_000, FootnoteError),
        ("How much does \ud800 owe?", FootnoteError),
    ],
)
def test_what_cannot_be_answered_is_refused_and_the_refusal_recorded(
    session: Session, question: str, error: type[FootnoteError]
) -> None:
    with pytest.raises(error) as caught:
        session.ask(question)
    record: dict[str, Any] = caught.value.details["record"]
    assert session.log.get(record["id"]).kind == "refusal"
    assert session.log.verify().ok


def test_an_unknown_name_comes_with_five_real_ones(session: Session) -> None:
    with pytest.raises(NameUnknown) as caught:
        session.ask("How much does Acme Corporation owe?")
    assert len(caught.value.candidates) == 5
    for candidate in caught.value.candidates:
        assert isinstance(session.record_row(*candidate.evidence_id.split(":", 1)), Row)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Mueller", "customer:4479"),
        ("Müller", "customer:4479"),
        ("4471", "customer:4471"),
        ("bergmann", "customer:4471"),
    ],
)
def test_names_are_found_by_number_accent_and_case(session: Session, name: str, key: str) -> None:
    result = session.run("getOverdueInvoices", {"customer": name})
    assert result.entities[0].evidence_id == key


def test_empty_is_said_with_a_reason_and_an_absence_to_cite(session: Session) -> None:
    without = [
        result
        for number in range(4471, 4511)
        if (result := session.run("getOverdueInvoices", {"customer": str(number)})).empty
    ]
    assert without
    for result in without:
        answer = session.answer(result)
        assert result.entities[0].label in answer.text
        assert any(id.startswith("absence:") for claim in answer.claims for id in claim.evidence)


def test_a_row_is_read_now_and_that_it_was_read_is_recorded(session: Session) -> None:
    row = session.record_row("invoice", "8812")
    assert isinstance(row, Row)
    assert row.label == "INV-2026-8812"
    assert session.log.get(session.log.size()).kind == "read"


@pytest.mark.parametrize(
    "value",
    [2**5_000, -(2**63) - 1, float("inf"), {"\ud800": "\ud800"}, [[[[[[[[[[[[1]]]]]]]]]]]], "x" * 1_000_000, b"bytes"],
    ids=["5000 bits", "65 bits", "infinity", "surrogates", "deep", "1 MB", "bytes"],
)
def test_whatever_a_caller_sends_is_refused_and_recorded(session: Session, value: Any) -> None:
    with pytest.raises(FootnoteError) as caught:
        session.run("getOverdueInvoices", {"customer": value})
    assert session.log.get(caught.value.details["record"]["id"]).kind == "refusal"
    assert session.log.verify().ok


def test_results_are_recorded_together_with_the_answer_that_rests_on_them(session: Session) -> None:
    answer = session.ask("Is Bergmann Logistik at risk?")
    sequences = [result.receipt["sequence"] for result in answer.results]
    assert [*sequences, answer.receipt["sequence"]] == [1, 2, 3, 4]
    record = session.log.get(4)
    assert record.sections["results"] == [{"id": r.record_id, "result": r.id} for r in answer.results]
