"""The sample's catalog: it loads, its words lead where they should, and nothing in it could be taken for a figure."""

from __future__ import annotations

import csv
import datetime as dt
import re
import unicodedata
from pathlib import Path

import pytest

from footnote.answers.router import Route, route
from footnote.catalog.load import load_catalog
from footnote.catalog.model import Catalog
from footnote.connect import seed
from footnote.errors import Candidate, NameAmbiguous, NameUnknown, Refused, Unroutable

PACK = Path(seed.__file__).parent.parent / "packs" / "sample"
TODAY = dt.date(2026, 8, 14)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(PACK / "catalog.yaml", environ={}).catalog


def resolve(entity: str, text: str) -> str:
    """Names as the sample's files have them: a number, or a unique part of a name."""
    with (PACK / "data" / f"{entity}s.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = [r for r in rows if text == r["id"] or folded(text) in folded(r["name"])]
    if len(found) == 1:
        return f"{entity}:{found[0]['id']}"
    error = NameAmbiguous if found else NameUnknown
    raise error(f"{text!r} names {len(found)} records.", candidates=[Candidate(r["name"]) for r in found])


def folded(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def ask(question: str, catalog: Catalog) -> Route:
    return route(question, catalog, resolve, today=TODAY)


def test_the_catalog_says_that_its_data_are_fictional(catalog: Catalog) -> None:
    assert "Fictional" in catalog.notice
    assert (catalog.today, catalog.display.locale) == (TODAY, "de-DE")
    assert catalog.engines == ("postgres", "sqlite", "mysql", "duckdb")


def test_every_operation_is_in_one_toolset(catalog: Catalog) -> None:
    named = [name for names in catalog.toolsets.values() for name in names]
    assert sorted(named) == sorted(catalog.operations)


@pytest.mark.parametrize(
    ("question", "name", "arguments"),
    [
        ("How much does Bergmann owe?", "getOverdueInvoices", {"customer": "Bergmann"}),
        ("Is Bergmann Logistik at risk?", "customerAtRisk", {"customer": "Bergmann Logistik"}),
        ("Has Nordwind paid anything this year?", "getPaymentHistory", {"customer": "Nordwind"}),
        ("Show me the receivables aging", "getReceivablesAging", {}),
        ("Any open tickets for Adriatic Foods?", "getOpenTickets", {"customer": "Adriatic Foods"}),
        ("Tell me about Lumière Packaging", "getCustomerSummary", {"customer": "Lumière Packaging"}),
        ("Who are our top customers?", "getTopCustomers", {}),
        ("How much do we owe?", "getPayablesAging", {}),
        ("How much do we owe Karawanken?", "getPayablesAging", {"supplier": "Karawanken"}),
        ("Who owes us money?", "getReceivablesByCustomer", {}),
        ("How much do our customers owe us?", "getReceivablesAging", {}),
        ("Receivables aging for Halyard", "getReceivablesAging", {"customer": "Halyard"}),
        ("Show me the payables aging", "getPayablesAging", {}),
        ("Revenue by month", "getRevenueByMonth", {}),
        ("What was our monthly revenue in 2025?", "getRevenueByMonth", {"period": "2025"}),
        ("Best customers in 2025", "getTopCustomers", {"period": "2025"}),
        ("What are the payment terms of Petrov?", "getCustomerSummary", {"customer": "Petrov"}),
        ("Which invoices of O'Brien are overdue?", "getOverdueInvoices", {"customer": "O'Brien"}),
    ],
)
def test_a_question_leads_to_its_operation(
    catalog: Catalog, question: str, name: str, arguments: dict[str, str]
) -> None:
    found = ask(question, catalog)
    assert (found.name, dict(found.arguments)) == (name, arguments)


def test_every_example_leads_somewhere(catalog: Catalog) -> None:
    assert len(catalog.examples) == 7
    assert {ask(question, catalog).name for question in catalog.examples} >= {"customerAtRisk", "getReceivablesAging"}


@pytest.mark.parametrize(
    "question",
    [
        "What will revenue be next quarter?",
        "What is the revenue forecast?",
        "How is the weather?",
        "How much does Bergmann not owe?",
        "How much did Bergmann owe last year?",
        "Do we owe Bergmann anything?",
        "Which ticket is the revenue?",
    ],
)
def test_what_the_sample_cannot_answer_is_refused(catalog: Catalog, question: str) -> None:
    with pytest.raises(Refused):
        ask(question, catalog)


def test_a_customer_that_does_not_exist_is_refused(catalog: Catalog) -> None:
    with pytest.raises(NameUnknown, match="Acme"):
        ask("How much does Acme Corporation owe?", catalog)


def test_a_first_word_that_two_customers_share_is_refused_with_both(catalog: Catalog) -> None:
    with pytest.raises(NameAmbiguous) as caught:
        ask("How much does Helios owe?", catalog)
    assert [c.text for c in caught.value.candidates] == ["Helios Energy GmbH", "Helios Print KG"]


def test_two_equally_long_matches_are_refused_with_both_named(catalog: Catalog) -> None:
    with pytest.raises(Unroutable) as caught:
        ask("Show me the ticket ageing", catalog)
    assert "Open tickets of a customer" in caught.value.text
    assert "Receivables aging" in caught.value.text


def test_no_phrase_belongs_to_two_operations(catalog: Catalog) -> None:
    phrases = [p for o in catalog.operations.values() for p in o.ask]
    phrases += [p for i in catalog.interpretations.values() for p in i.ask]
    assert len(phrases) == len(set(phrases))


def test_descriptions_have_no_figure_that_could_leak_into_an_answer(catalog: Catalog) -> None:
    texts = [catalog.notice, *(o.description for o in catalog.operations.values())]
    texts += [i.description for i in catalog.interpretations.values()]
    texts += [p.description for o in catalog.operations.values() for p in o.parameters]
    assert not [text for text in texts if re.search(r"\d", text)]


def test_descriptions_say_when_not_to_use_an_operation(catalog: Catalog) -> None:
    assert [name for name, o in catalog.operations.items() if not re.search(r"\b[Nn]ot\b", o.description)] == []
    assert [name for name, o in catalog.operations.items() if "Use it for" not in o.description] == []
