"""Keyless routing: the longest phrase decides, every other word is accounted for, and a restriction is never ignored."""

from __future__ import annotations

import csv
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

import footnote.packs
from footnote.answers.router import Route, route
from footnote.catalog.load import load_catalog
from footnote.catalog.model import Catalog
from footnote.errors import ArgumentError, Candidate, NameAmbiguous, NameUnknown, Unroutable
from footnote.operations.names import Named, find_named, nearest

TODAY = dt.date(2026, 8, 14)
PACK = Path(next(iter(footnote.packs.__path__))) / "sample"
CATALOG = load_catalog(PACK / "catalog.yaml", environ={}).catalog


def records(entity: str) -> list[Named]:
    with (PACK / "data" / f"{entity}s.csv").open(encoding="utf-8", newline="") as file:
        return [Named((row["id"],), (row["id"], row["name"])) for row in csv.DictReader(file)]


RECORDS = {entity: records(entity) for entity in ("customer", "supplier")}


def resolve(entity: str, text: str) -> str:
    exact = [record for record in RECORDS[entity] if text in record.key]
    found = exact or find_named(text, RECORDS[entity])
    if len(found) == 1:
        return f"{entity}:{found[0].key[0]}"
    candidates = [Candidate(record.texts[1]) for record in found or nearest(text, RECORDS[entity])]
    raise (NameAmbiguous if found else NameUnknown)(f"{text!r} names {len(found)}.", candidates=candidates)


def ask(question: str, catalog: Catalog = CATALOG) -> Route:
    return route(question, catalog, resolve, today=TODAY)


@pytest.mark.parametrize(
    ("question", "name", "arguments"),
    [
        ("How much does Bergmann owe?", "getOverdueInvoices", {"customer": "Bergmann"}),
        ("how much does bergmann owe", "getOverdueInvoices", {"customer": "bergmann"}),
        ("HOW MUCH DOES BERGMANN OWE?", "getOverdueInvoices", {"customer": "BERGMANN"}),
        ("Is Bergmann Logistik at risk?", "customerAtRisk", {"customer": "Bergmann Logistik"}),
        ("Has Nordwind paid anything this year?", "getPaymentHistory", {"customer": "Nordwind"}),
        ("Show me the receivables aging", "getReceivablesAging", {}),
        ("Any open tickets for Adriatic Foods?", "getOpenTickets", {"customer": "Adriatic Foods"}),
        ("Any open ticket for Adriatic Foods?", "getOpenTickets", {"customer": "Adriatic Foods"}),
        ("Show me Bergmann's overdue invoices", "getOverdueInvoices", {"customer": "Bergmann"}),
        ("What does customer 4471 owe?", "getOverdueInvoices", {"customer": "4471"}),
        ("What does 4471 owe us?", "getOverdueInvoices", {"customer": "4471"}),
        ('What does "Bergmann Logistik" owe?', "getOverdueInvoices", {"customer": "Bergmann Logistik"}),
        ("Tell me about lumiere packaging", "getCustomerSummary", {"customer": "lumiere packaging"}),
        ("customer 4471 Bergmann overdue", "getOverdueInvoices", {"customer": "Bergmann"}),
        ("Who owes us money?", "getReceivablesByCustomer", {}),
        ("What do we owe?", "getPayablesAging", {}),
        ("Aging report", "getReceivablesAging", {}),
        ("How much does Bergmann (4471) owe?", "getOverdueInvoices", {"customer": "Bergmann"}),
        ("How much are we owed by Bergmann?", "getReceivablesAging", {"customer": "Bergmann"}),
        ("How overdue is Bergmann?", "getOverdueInvoices", {"customer": "Bergmann"}),
        ("Is Bergmann really overdue?", "getOverdueInvoices", {"customer": "Bergmann"}),
        ("Bergmann: what do they owe?", "getOverdueInvoices", {"customer": "Bergmann"}),
        ("Overdue invoices by customer Bergmann", "getOverdueInvoices", {"customer": "Bergmann"}),
        ("Creditor Karawanken", "getPayablesAging", {"supplier": "Karawanken"}),
        ("Which receivables are overdue?", "getReceivablesAging", {}),
        ("What revenue did we make?", "getRevenueByMonth", {}),
    ],
)
def test_a_question_goes_where_its_words_lead(question: str, name: str, arguments: dict[str, Any]) -> None:
    way = ask(question)
    assert (way.name, dict(way.arguments)) == (name, arguments)


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("Is Bergmann overdue as of 2026-07-31?", {"asOfDate": "2026-07-31", "customer": "Bergmann"}),
        ("Overdue invoices of Bergmann on 31 July 2026", {"asOfDate": "2026-07-31", "customer": "Bergmann"}),
        ("Overdue invoices of Bergmann as of July 31, 2026", {"asOfDate": "2026-07-31", "customer": "Bergmann"}),
        ("Is Bergmann overdue today?", {"customer": "Bergmann"}),
        ("What did Nordwind pay since 2026-03-01?", {"sinceDate": "2026-03-01", "customer": "Nordwind"}),
        ("What did Nordwind pay since March 2026?", {"sinceDate": "2026-03-01", "customer": "Nordwind"}),
        ("What has Nordwind paid in 2026?", {"sinceDate": "2026-01-01", "customer": "Nordwind"}),
        ("What has Nordwind paid this quarter?", {"sinceDate": "2026-07-01", "customer": "Nordwind"}),
        ("Revenue in Q3 2026", {"period": "2026-Q3"}),
        ("Revenue in 2026-Q3", {"period": "2026-Q3"}),
        ("Revenue by month for 2025", {"period": "2025"}),
        ("Revenue in August 2026", {"period": "2026-08"}),
        ("Revenue this year so far", {"period": "2026"}),
        ("Revenue last quarter", {"period": "2026-Q2"}),
        ("Revenue last month", {"period": "2026-07"}),
        ("Revenue in 2026 in USD", {"period": "2026", "currency": "USD"}),
        ("Revenue 2025", {"period": "2025"}),
        ("2025 revenue by month, USD", {"period": "2025", "currency": "USD"}),
        ("Top customers 2025", {"period": "2025"}),
        ("Revenue in usd", {"currency": "USD"}),
        ("Revenue 2026-03", {"period": "2026-03"}),
        ("Revenue in July of 2026", {"period": "2026-07"}),
        ("Revenue Q2/2026", {"period": "2026-Q2"}),
        ("Revenue 2026Q2", {"period": "2026-Q2"}),
        ("Revenue in the second quarter of 2026", {"period": "2026-Q2"}),
        ("Revenue in fiscal year 2025", {"period": "FY2025"}),
        ("Revenue FY 2025", {"period": "FY2025"}),
        ("Revenue prior year", {"period": "2025"}),
        ("Revenue month to date", {"period": "2026-08"}),
        ("Last month's revenue", {"period": "2026-07"}),
        ("Receivables aging as of 31.07.2026", {"asOfDate": "2026-07-31"}),
        ("Receivables aging as of the 31st of July 2026", {"asOfDate": "2026-07-31"}),
        ("Receivables aging on 1.7.2026", {"asOfDate": "2026-07-01"}),
    ],
)
def test_a_date_or_period_that_a_parameter_takes_is_bound(question: str, arguments: dict[str, Any]) -> None:
    assert dict(ask(question).arguments) == arguments


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What will revenue be next quarter?", "next quarter"),
        ("What did Nordwind pay last year?", "last year"),
        ("What did Nordwind pay in 2025?", "in 2025"),
        ("What did Nordwind pay since March?", "since March"),
        ("What did Nordwind pay before 2026-03-01?", "2026-03-01"),
        ("What did Nordwind pay in Q3?", "in Q3"),
        ("How much did Bergmann owe last month?", "last month"),
        ("How much did Bergmann owe?", "did"),
        ("Overdue invoices of Bergmann as of 2026-02-30", "2026-02-30"),
        ("Overdue invoices of Bergmann on 05/06/2026", "05/06/2026"),
        ("Revenue in March", "in March"),
        ("How much does Bergmann not owe?", "not"),
        ("How much doesn't Bergmann owe?", "doesn't"),
        ("Show the receivables aging without Bergmann", "without"),
        ("Has Bergmann paid everything except invoice 8812?", "except"),
        ("Which invoices of Bergmann are overdue more than 60 days?", "more than 60 days"),
        ("Is Bergmann overdue by 10.000 euro?", "10.000"),
        ("How much does Bergmann owe in USD only?", "USD only"),
        ("Show me overdue invoices of Bergmann in €", "€"),
        ("Is Bergmann overdue by > 90 %?", "90 %"),
        ("Show me 5 overdue invoices of Bergmann", "5"),
        ("Show me two overdue invoices of Bergmann", "two"),
        ("Show me ٥ overdue invoices of Bergmann", "٥"),
        ("Show me the top 5 customers", "5"),
        ("Why is Bergmann overdue?", "Why"),
        ("Open tickets for Adriatic Foods with high severity", "high severity"),
        ("What is Bergmann's largest overdue invoice?", "largest"),
        ("Does Bergmann owe anything and does it have open tickets?", "owe"),
        ("Revenue by quarter", "quarter"),
        ("Revenue 2025 vs 2026", "2025 and 2026"),
        ("Revenue from 2025", "2025"),
        ("Top 2025 customers", "2025"),
        ("Receivables aging as of end of July", "as of end of July"),
        ("Receivables aging as of 30 June", "as of 30 June"),
        ("Receivables aging as of 07/31/2026", "07/31/2026"),
        ("Aging by customer", "by customer"),
        ("Receivables by age", "age"),
        ("Overdue invoices of Bergmann by invoice", "by invoice"),
        ("Tell me about Bergmann's payments", "payments"),
        ("What do we owe overdue?", "overdue"),
        ("How does Nordwind pay?", "How"),
        ("Whom does Bergmann owe?", "Whom"),
        ("Does Bergmann owe them money?", "them"),
        ("What do we owe it?", "it"),
        ("Their payables", "Their"),
        ("What do we owe the US?", "'US'"),
        ("Some of what Bergmann owes", "Some"),
        ("Bergmann -overdue", "-"),
        ("Overdue !Bergmann", "!"),
        ("Revenue in Q4 2026", "2026-Q4, which has not come"),
        ("Revenue FY2027", "FY2027, which has not come"),
        ("Is Bergmann overdue as of 2026-08-15?", "2026-08-15, which has not come"),
    ],
)
def test_a_restriction_is_never_ignored(question: str, named: str) -> None:
    with pytest.raises((Unroutable, NameUnknown)) as refused:
        ask(question)
    assert named in refused.value.what


def test_a_forecast_is_refused_as_one() -> None:
    with pytest.raises(Unroutable) as refused:
        ask("What will revenue be next quarter?")
    assert "does not forecast" in refused.value.why
    assert refused.value.candidates


@pytest.mark.parametrize(
    "question",
    [
        "How much is owed to Bergmann?",
        "How much is Bergmann owed?",
        "Who owes Bergmann?",
        "Have you paid Bergmann?",
        "What do Bergmann's customers owe?",
        "Show me payments to Bergmann",
        "Did Bergmann get paid?",
        "Bergmann is owed how much?",
        "Nordwind was paid how much?",
        "Payments received by Bergmann",
        "Has Bergmann received a payment?",
        "Who does Bergmann owe?",
        "How many customers does Bergmann owe?",
        "Bergmann's debtors",
        "Debtors of Bergmann",
        "How much are we owed to Bergmann?",
        "Who owes suppliers?",
    ],
)
def test_who_gives_and_who_gets_is_not_turned_round(question: str) -> None:
    with pytest.raises(Unroutable, match="who gives and who gets"):
        ask(question)


def test_what_we_owe_is_looked_up_among_suppliers() -> None:
    with pytest.raises(NameUnknown, match="'Bergmann'"):
        ask("How much do we owe to Bergmann?")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How much does Acme Corporation owe?", "'Acme Corporation'"),
        ("how much does acme corporation owe", "'acme corporation'"),
        ("How much does Bergmann Spedition owe?", "'Bergmann Spedition'"),
        ('What does "Acme & Sons, Inc." owe?', "'Acme & Sons, Inc.'"),
        ("Has O'Connor paid?", "O'Connor"),
    ],
)
def test_an_unknown_name_is_refused_whole_and_with_real_names(question: str, name: str) -> None:
    with pytest.raises(NameUnknown) as refused:
        ask(question)
    assert name in refused.value.what
    known = {record.texts[1] for record in RECORDS["customer"]}
    assert {candidate.text for candidate in refused.value.candidates} <= known
    assert refused.value.candidates


def test_two_names_are_refused_with_both() -> None:
    with pytest.raises(NameAmbiguous) as refused:
        ask("How much do Bergmann and Nordwind owe?")
    assert [candidate.text for candidate in refused.value.candidates] == ["Bergmann", "Nordwind"]


def test_a_name_that_two_records_share_is_refused_by_the_resolver() -> None:
    first_words = [record.texts[1].split()[0] for record in RECORDS["customer"]]
    shared = next(word for word in first_words if first_words.count(word) > 1)
    with pytest.raises(NameAmbiguous):
        ask(f"How much does {shared} owe?")


def test_a_name_may_hold_a_word_that_limits_elsewhere() -> None:
    def only_last_mile(entity: str, text: str) -> str:
        if text == "Last Mile Logistics":
            return "customer:1"
        raise NameUnknown(f"No {entity} is called {text!r}.")

    way = route("How much does Last Mile Logistics owe?", CATALOG, only_last_mile)
    assert way.arguments == {"customer": "Last Mile Logistics"}


def test_a_name_that_is_missing_is_asked_for() -> None:
    with pytest.raises(Unroutable, match="needs a customer, and the question names none"):
        ask("Any open tickets?")


@pytest.mark.parametrize("question", ["What is the weather?", "Bergmann", "?", "Erzähl mir etwas", "🤷"])
def test_a_question_without_any_known_words_is_refused_with_questions_that_work(question: str) -> None:
    with pytest.raises(Unroutable) as refused:
        ask(question)
    assert [c.text for c in refused.value.candidates] == CATALOG.examples[:5]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("owe " * 501, "2004 characters"),
        ("How much does \ud800 owe?", r"U\+D800 at position 14"),
        ("How much does Berg\x00mann owe?", r"U\+0000"),
        ("How much does \u202eBergmann owe?", r"U\+202E"),
    ],
)
def test_a_text_that_is_no_question_is_a_wrong_argument(question: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        ask(question)


def test_a_long_question_does_not_try_every_span_of_it() -> None:
    tried: list[str] = []

    def count(entity: str, text: str) -> str:
        tried.append(text)
        raise NameUnknown(f"No {entity} is called {text!r}.")

    with pytest.raises(NameUnknown):
        route("owe " + " ".join(f"Xyz{n}ab" for n in range(200)), CATALOG, count)
    assert len(tried) <= 60


def small(**asked: list[str]) -> Catalog:
    """A catalog of operations that are asked by these words."""
    operation = {
        "description": "",
        "statements": {"s": {"shape": "one", "statement": "SELECT 1", "columns": {"n": {"type": "count"}}}},
        "answer": "{n}",
    }
    extra: dict[str, Any] = {
        "parameters": [
            {"name": "limit", "type": "integer", "default": 10, "description": "Rows."},
            {
                "name": "severity",
                "type": "text",
                "required": False,
                "allowed_values": ["high", "low"],
                "description": "",
            },
        ]
    }
    return Catalog.model_validate(
        {
            "catalog": "small",
            "version": 1,
            "source": {"url": "x", "dialect": "sqlite"},
            "records": {},
            "operations": {n: operation | extra | {"title": f"All {n}", "ask": a} for n, a in asked.items()},
        }
    )


def test_a_number_after_top_is_bound_if_a_parameter_takes_it() -> None:
    catalog = small(customers=["top customer", "best customer"])
    assert ask("Show me the top 5 customers", catalog).arguments == {"limit": 5}


def test_a_word_that_is_an_allowed_value_is_bound() -> None:
    catalog = small(tickets=["ticket"])
    assert ask("Any tickets of high severity?", catalog).arguments == {"severity": "high"}
    with pytest.raises(Unroutable, match="not"):
        ask("Any tickets not of high severity?", catalog)


def test_a_phrase_matches_whole_words_in_any_number() -> None:
    catalog = small(companies=["company"], boxes=["box"], taxes=["late tax"])
    assert ask("Companies?", catalog).name == "companies"
    assert ask("the boxes", catalog).name == "boxes"
    assert ask("LATE-TAXES", catalog).name == "taxes"
    with pytest.raises(Unroutable, match="No operation fits"):
        ask("accompany", catalog)


def test_the_matched_words_are_told() -> None:
    assert ask("Is Bergmann Logistik at risk?").matched == "at risk"


def test_names_in_a_list_are_several_and_words_beside_a_name_are_part_of_it() -> None:
    with pytest.raises(NameAmbiguous, match="more than one customer"):
        ask("Bergmann, Petrov overdue")
    with pytest.raises(NameAmbiguous, match="more than one customer"):
        ask("How much does Bergmann (4472) owe?")
    with pytest.raises(NameUnknown, match="'4472 Bergmann'"):
        ask("How much does 4472 Bergmann owe?")


@pytest.mark.parametrize(
    ("question", "remedy"),
    [
        ("Overdue 4471", "write “customer 4471”"),
        ("What do we owe 702?", "write “supplier 702”"),
        ("Revenue in March", "Say the year too"),
        ("Revenue in Q3", "Say the year too"),
    ],
)
def test_a_refusal_says_what_would_make_the_question_clear(question: str, remedy: str) -> None:
    with pytest.raises(Unroutable) as refused:
        ask(question)
    assert remedy in refused.value.remedy
