"""Promise 5: empty is said in code. An empty result has a reason; it is never silence and never a bare zero."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import footnote
from footnote.connect.seed import seed_sqlite
from footnote.evidence import Absence
from footnote.session import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("empty")
    seed_sqlite(folder / "erp.db")
    url = f"sqlite:///{folder / 'erp.db'}"
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open("sample", database_url=url, provenance_db=folder / "log.db", environ=environ) as opened:
        yield opened


EMPTY = [
    ("getOverdueInvoices", {"customer": "4471", "asOfDate": "2000-01-01"}),
    ("getPaymentHistory", {"customer": "4471", "sinceDate": "2099-01-01"}),
    ("getOpenTickets", {"customer": "4472"}),
    ("getTopCustomers", {"period": "1999"}),
    ("getRevenueByMonth", {"period": "1999"}),
]


@pytest.mark.parametrize(("operation", "arguments"), EMPTY)
def test_an_empty_result_says_why_and_every_word_of_it_is_bound(
    session: Session, operation: str, arguments: dict[str, str]
) -> None:
    result = session.run(operation, arguments)
    assert result.empty
    answer = session.answer(result)
    bound = "".join(claim.text for claim in answer.claims)
    assert len(bound) >= len(answer.text.replace(" ", "").rstrip(".")) - answer.text.count(" ")
    assert any(id.startswith("absence:") for claim in answer.claims for id in claim.evidence)
    assert any(isinstance(item, Absence) for item in answer.evidence)


@pytest.mark.parametrize(("operation", "arguments"), EMPTY)
def test_the_reason_in_the_answer_is_the_reason_in_the_result(
    session: Session, operation: str, arguments: dict[str, str]
) -> None:
    result = session.run(operation, arguments)
    if "period" not in arguments:  # a period is said by its name, and recorded by its days
        assert session.answer(result).text == result.empty
    assert result.operation_dict()["emptyReason"] == result.empty


def test_a_zero_beside_other_figures_rests_on_a_stated_absence(session: Session) -> None:
    answer = session.ask("Show me the receivables aging")
    figures = dict(answer.results[0].figures())
    zeros = [c for c in answer.claims if c.figure and figures[c.figure].value == 0]
    assert zeros, "the sample has a currency in which nothing is past due"
    for claim in zeros:
        assert all(id.startswith("absence:") for id in claim.evidence)


def test_a_customer_at_no_risk_is_said_with_what_was_looked_at(session: Session) -> None:
    customers = session.run("getTopCustomers", {}).tables["customers"].rows
    for row in customers:
        answer = session.interpret("customerAtRisk", {"customer": row.figures["name"].display})
        if "no risk signal" in answer.text:
            assert "what was looked at" in answer.text
            assert any(id.startswith("absence:") for claim in answer.claims for id in claim.evidence)
            return
    pytest.fail("the sample has a large customer without a risk signal")
