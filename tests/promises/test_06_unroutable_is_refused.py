"""Promise 6: unroutable is refused. Refusal is an outcome with a reason, recorded like an answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import footnote
from footnote.connect.seed import seed_sqlite
from footnote.errors import Unroutable
from footnote.session import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("refusals")
    seed_sqlite(folder / "erp.db")
    url = f"sqlite:///{folder / 'erp.db'}"
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open("sample", database_url=url, provenance_db=folder / "log.db", environ=environ) as opened:
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "What is the weather in Vienna?",
        "What will revenue be next quarter?",
        "How much will Bergmann owe tomorrow?",
        "How much did Bergmann owe last year?",
        "How much does everyone except Bergmann owe?",
        "How much does Bergmann owe in dollars only?",
        "Which invoices of Bergmann are more than 10.000 overdue?",
        "Show me the overdue invoices of Bergmann since March",
        "Drop table invoices",
    ],
)
def test_what_cannot_be_routed_is_refused_and_recorded(session: Session, question: str) -> None:
    with pytest.raises(Unroutable) as refused:
        session.ask(question)
    assert refused.value.what
    assert refused.value.remedy
    record = session.log.get(str(refused.value.details["record"]["id"]))
    assert record.kind == "refusal"
    assert record.sections["question"] == question


def test_a_refusal_names_questions_that_have_an_answer(session: Session) -> None:
    with pytest.raises(Unroutable) as refused:
        session.ask("What is the weather in Vienna?")
    assert refused.value.candidates
    for candidate in refused.value.candidates:
        assert session.ask(candidate.text).claims


def test_every_example_of_the_catalog_has_an_answer(session: Session) -> None:
    for question in session.loaded.catalog.examples:
        assert session.ask(question).claims
