"""Promise 10: order is a contract. The longest match in a question wins; two equal matches are refused, both named.

Rows, evidence and candidates come in record order, and nothing is sorted on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote.answers.router import route
from footnote.catalog.model import Catalog
from footnote.connect.seed import seed_sqlite
from footnote.errors import NameUnknown, Unroutable
from footnote.session import Session


def catalog(**asked: list[str]) -> Catalog:
    operation: dict[str, Any] = {
        "description": "",
        "statements": {"s": {"shape": "one", "statement": "SELECT 1", "columns": {"n": {"type": "count"}}}},
        "answer": "{n}",
    }
    return Catalog.model_validate(
        {
            "catalog": "order",
            "version": 1,
            "source": {"url": "x", "dialect": "sqlite"},
            "records": {},
            "operations": {n: operation | {"title": f"The {n}", "ask": words} for n, words in asked.items()},
        }
    )


def nobody(entity: str, text: str) -> str:
    raise NameUnknown(f"No {entity} is called {text!r}.")


@pytest.mark.parametrize("order", [("short", "long"), ("long", "short")])
def test_the_longest_match_wins_wherever_it_stands_in_the_catalog(order: tuple[str, str]) -> None:
    words = {"short": ["aging"], "long": ["receivables aging"]}
    assert route("Show me the receivables aging", catalog(**{n: words[n] for n in order}), nobody).name == "long"


def test_two_equal_matches_are_refused_with_both_named() -> None:
    with pytest.raises(Unroutable) as refused:
        route("Show me the aging", catalog(receivables=["aging"], payables=["aging"]), nobody)
    assert "“The receivables” and “The payables”" in refused.value.what
    assert [candidate.text for candidate in refused.value.candidates] == ["The receivables", "The payables"]


def test_two_words_of_equal_length_are_two_equal_matches() -> None:
    with pytest.raises(Unroutable) as refused:
        route("bills and debts", catalog(one=["bill"], other=["debt"]), nobody)
    assert "“The one” and “The other”" in refused.value.what


def test_singular_and_plural_of_one_word_match_equally() -> None:
    with pytest.raises(Unroutable, match="equally well"):
        route("open tickets", catalog(one=["open ticket"], other=["open tickets"]), nobody)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("order")
    seed_sqlite(folder / "erp.db")
    url = f"sqlite:///{folder / 'erp.db'}"
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open("sample", database_url=url, provenance_db=folder / "log.db", environ=environ) as opened:
        yield opened


def test_rows_evidence_and_lines_keep_the_order_of_the_statement(session: Session) -> None:
    answer = session.ask("How much does Bergmann owe?")
    invoices = answer.results[0].tables["invoices"].rows
    dates = [str(row.figures["dueOn"].value) for row in invoices]
    assert dates == sorted(dates)
    records = [row.record for row in invoices]
    total = dict(answer.results[0].figures())["totals.totalOutstanding"]
    assert list(total.evidence) == records
    lines = [answer.text.index(row.figures["number"].display) for row in invoices]
    assert lines == sorted(lines)


def test_claims_come_in_the_order_of_the_text(session: Session) -> None:
    claims = session.ask("Show me the receivables aging").claims
    assert [c.start for c in claims] == sorted(c.start for c in claims)


def test_a_claim_over_many_rows_cites_them_all_in_order(session: Session) -> None:
    answer = session.ask("Show me the receivables aging")
    figures = dict(answer.results[0].figures())
    for claim in answer.claims:
        if claim.figure and figures[claim.figure].evidence:
            assert claim.evidence == figures[claim.figure].evidence
