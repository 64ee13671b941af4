"""Plain questions about the sample company, and where each goes: to its operation with its arguments, or nowhere.

Names are looked up in the embedded sample, as they are for a question that somebody asks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import footnote
from footnote.answers.router import Route, route
from footnote.catalog.load import find_catalog, load_catalog
from footnote.catalog.model import Interpretation, Operation
from footnote.connect.seed import seed_sqlite
from footnote.errors import NameUnknown, Unroutable
from footnote.operations.account import Account
from footnote.operations.entities import resolve
from footnote.session import Session

Ask = Callable[[str], Route]

ROUTED: list[tuple[str, str, dict[str, str]]] = [
    ("How much does Bergmann owe?", "getOverdueInvoices", {"customer": "Bergmann"}),
    ("Is Bergmann overdue?", "getOverdueInvoices", {"customer": "Bergmann"}),
    ("Which invoices of Bergmann are overdue?", "getOverdueInvoices", {"customer": "Bergmann"}),
    ("Overdue payments of Nordwind", "getOverdueInvoices", {"customer": "Nordwind"}),
    ("Does Nordwind have overdue payments?", "getOverdueInvoices", {"customer": "Nordwind"}),
    ("Is there an overdue payment from Bergmann?", "getOverdueInvoices", {"customer": "Bergmann"}),
    ("Unpaid overdue invoices of Bergmann", "getOverdueInvoices", {"customer": "Bergmann"}),
    ("Show me unpaid overdue invoices for Petrov", "getOverdueInvoices", {"customer": "Petrov"}),
    ("What is owed by Bergmann?", "getOverdueInvoices", {"customer": "Bergmann"}),
    ("Late invoices of Petrov", "getOverdueInvoices", {"customer": "Petrov"}),
    ("Is customer 4471 overdue?", "getOverdueInvoices", {"customer": "4471"}),
    ("How much is Bergmann in arrears?", "getOverdueInvoices", {"customer": "Bergmann"}),
    ("Is Bergmann Logistik at risk?", "customerAtRisk", {"customer": "Bergmann Logistik"}),
    ("Is Bergmann in trouble?", "customerAtRisk", {"customer": "Bergmann"}),
    ("risk of Nordwind", "customerAtRisk", {"customer": "Nordwind"}),
    ("Has Nordwind paid anything this year?", "getPaymentHistory", {"customer": "Nordwind"}),
    (
        "Payments from Nordwind since 2025-01-01",
        "getPaymentHistory",
        {"sinceDate": "2025-01-01", "customer": "Nordwind"},
    ),
    ("What did Nordwind pay this year?", "getPaymentHistory", {"customer": "Nordwind"}),
    ("Payment history of Bergmann", "getPaymentHistory", {"customer": "Bergmann"}),
    ("Has Bergmann paid?", "getPaymentHistory", {"customer": "Bergmann"}),
    ("Show me the receivables aging", "getReceivablesAging", {}),
    ("Receivables aging for Halyard", "getReceivablesAging", {"customer": "Halyard"}),
    ("Aging report", "getReceivablesAging", {}),
    ("How much are we owed?", "getReceivablesAging", {}),
    ("What are we owed in total?", "getReceivablesAging", {}),
    ("How much money we are owed", "getReceivablesAging", {}),
    ("How much are we owed by Bergmann?", "getReceivablesAging", {"customer": "Bergmann"}),
    ("AR aging", "getReceivablesAging", {}),
    ("Show me the AR aging", "getReceivablesAging", {}),
    ("AR ageing as of 2026-07-31", "getReceivablesAging", {"asOfDate": "2026-07-31"}),
    ("Accounts receivable", "getReceivablesAging", {}),
    ("What are our accounts receivable?", "getReceivablesAging", {}),
    ("Accounts receivable aging for Halyard", "getReceivablesAging", {"customer": "Halyard"}),
    ("Overdue accounts receivable", "getReceivablesAging", {}),
    ("Which receivables are overdue?", "getReceivablesAging", {}),
    ("What is owed to us?", "getReceivablesAging", {}),
    ("How much is owed to us by Bergmann?", "getReceivablesAging", {"customer": "Bergmann"}),
    ("How much do our customers owe us?", "getReceivablesAging", {}),
    ("How much is owed by customers?", "getReceivablesAging", {}),
    ("Show me our debtors", "getReceivablesAging", {}),
    ("Aged debtors", "getReceivablesAging", {}),
    ("ar aging", "getReceivablesAging", {}),
    ("Owed to us by Bergmann", "getReceivablesAging", {"customer": "Bergmann"}),
    ("Any open tickets for Adriatic Foods?", "getOpenTickets", {"customer": "Adriatic Foods"}),
    ("Open tickets of Bergmann", "getOpenTickets", {"customer": "Bergmann"}),
    ("Complaints from Adriatic Foods", "getOpenTickets", {"customer": "Adriatic Foods"}),
    ("Tell me about Lumière Packaging", "getCustomerSummary", {"customer": "Lumière Packaging"}),
    ("Open balance of Bergmann", "getCustomerSummary", {"customer": "Bergmann"}),
    ("What is Bergmann's open balance?", "getCustomerSummary", {"customer": "Bergmann"}),
    ("Open invoices of Bergmann", "getCustomerSummary", {"customer": "Bergmann"}),
    ("Does Bergmann have open invoices?", "getCustomerSummary", {"customer": "Bergmann"}),
    ("What is the outstanding balance of Nordwind?", "getCustomerSummary", {"customer": "Nordwind"}),
    ("What are the payment terms of Petrov?", "getCustomerSummary", {"customer": "Petrov"}),
    ("Who is the account owner of Bergmann?", "getCustomerSummary", {"customer": "Bergmann"}),
    ("Who is Bergmann?", "getCustomerSummary", {"customer": "Bergmann"}),
    ("Is there an outstanding balance for Nordwind?", "getCustomerSummary", {"customer": "Nordwind"}),
    ("Who are our top customers?", "getTopCustomers", {}),
    ("Sales by customer", "getTopCustomers", {}),
    ("Sales per customer in 2025", "getTopCustomers", {"period": "2025"}),
    ("Top customers by sales", "getTopCustomers", {}),
    ("Top customers by revenue", "getTopCustomers", {}),
    ("Best customers in 2025", "getTopCustomers", {"period": "2025"}),
    ("Turnover by customer", "getTopCustomers", {}),
    ("Largest customers", "getTopCustomers", {}),
    ("Is Bergmann an overdue customer?", "getReceivablesByCustomer", {"customer": "Bergmann"}),
    ("Who owes us money?", "getReceivablesByCustomer", {}),
    ("Who owes us the most?", "getReceivablesByCustomer", {}),
    ("Who owes us?", "getReceivablesByCustomer", {}),
    ("Who still owes us money?", "getReceivablesByCustomer", {}),
    ("Who owes us in USD?", "getReceivablesByCustomer", {"currency": "USD"}),
    (
        "Who owes us money in EUR as of 2026-07-31?",
        "getReceivablesByCustomer",
        {"asOfDate": "2026-07-31", "currency": "EUR"},
    ),
    ("Which customers owe us money?", "getReceivablesByCustomer", {}),
    ("Which customers owe us?", "getReceivablesByCustomer", {}),
    ("Which customers still owe us money?", "getReceivablesByCustomer", {}),
    ("Which customer owes us the most?", "getReceivablesByCustomer", {}),
    ("What customers owe us money?", "getReceivablesByCustomer", {}),
    ("Customers that owe us", "getReceivablesByCustomer", {}),
    ("Customers who owe us money", "getReceivablesByCustomer", {}),
    ("What does each customer owe?", "getReceivablesByCustomer", {}),
    ("How much does every customer owe us?", "getReceivablesByCustomer", {}),
    ("Receivables by customer", "getReceivablesByCustomer", {}),
    ("Show receivables per customer in USD", "getReceivablesByCustomer", {"currency": "USD"}),
    ("Open receivables by customer", "getReceivablesByCustomer", {}),
    ("Accounts receivable by customer", "getReceivablesByCustomer", {}),
    ("AR by customer", "getReceivablesByCustomer", {}),
    ("Outstanding balance by customer", "getReceivablesByCustomer", {}),
    ("Open balance per customer", "getReceivablesByCustomer", {}),
    ("Balances by customer", "getReceivablesByCustomer", {}),
    ("Overdue by customer", "getReceivablesByCustomer", {}),
    ("Customers overdue", "getReceivablesByCustomer", {}),
    ("Overdue customers", "getReceivablesByCustomer", {}),
    ("Which customers are overdue?", "getReceivablesByCustomer", {}),
    ("Which customers are past due?", "getReceivablesByCustomer", {}),
    ("Which customers are late?", "getReceivablesByCustomer", {}),
    ("Who is overdue?", "getReceivablesByCustomer", {}),
    ("Who is late?", "getReceivablesByCustomer", {}),
    ("Who is past due?", "getReceivablesByCustomer", {}),
    ("Are any customers overdue?", "getReceivablesByCustomer", {}),
    ("Customers in arrears", "getReceivablesByCustomer", {}),
    ("Customers with overdue invoices", "getReceivablesByCustomer", {}),
    ("Customers with open balances", "getReceivablesByCustomer", {}),
    ("Largest debtors", "getReceivablesByCustomer", {}),
    ("Who are our largest debtors?", "getReceivablesByCustomer", {}),
    ("Biggest debtors", "getReceivablesByCustomer", {}),
    ("Top debtors", "getReceivablesByCustomer", {}),
    ("Who are our debtors?", "getReceivablesByCustomer", {}),
    ("Which customers owe us the most?", "getReceivablesByCustomer", {}),
    ("Which customers are overdue as of 2026-07-31?", "getReceivablesByCustomer", {"asOfDate": "2026-07-31"}),
    ("Which customers are overdue in USD?", "getReceivablesByCustomer", {"currency": "USD"}),
    ("Receivables by customer for Halyard", "getReceivablesByCustomer", {"customer": "Halyard"}),
    ("Largest debtor in USD", "getReceivablesByCustomer", {"currency": "USD"}),
    ("Who owes us and how much?", "getReceivablesByCustomer", {}),
    ("Debtor list", "getReceivablesByCustomer", {}),
    ("Do any customers owe us money?", "getReceivablesByCustomer", {}),
    ("Show overdue balances by customer", "getReceivablesByCustomer", {}),
    ("How much do we owe?", "getPayablesAging", {}),
    ("How much do we owe Karawanken?", "getPayablesAging", {"supplier": "Karawanken"}),
    ("Show me the payables aging", "getPayablesAging", {}),
    ("AP aging", "getPayablesAging", {}),
    ("Accounts payable", "getPayablesAging", {}),
    ("What are our accounts payable?", "getPayablesAging", {}),
    ("Accounts payable to Karawanken", "getPayablesAging", {"supplier": "Karawanken"}),
    ("Accounts payable aging", "getPayablesAging", {}),
    ("Unpaid bills", "getPayablesAging", {}),
    ("Creditors", "getPayablesAging", {}),
    ("Who do we owe?", "getPayablesAging", {}),
    ("Revenue by month", "getRevenueByMonth", {}),
    ("What was our monthly revenue in 2025?", "getRevenueByMonth", {"period": "2025"}),
    ("Sales", "getRevenueByMonth", {}),
    ("What were our sales in 2025?", "getRevenueByMonth", {"period": "2025"}),
    ("Monthly sales", "getRevenueByMonth", {}),
    ("Sales by month", "getRevenueByMonth", {}),
    ("Sales per month in USD", "getRevenueByMonth", {"currency": "USD"}),
    ("How much were sales last month?", "getRevenueByMonth", {"period": "2026-07"}),
    ("How many sales did we make in July 2026?", "getRevenueByMonth", {"period": "2026-07"}),
]

REFUSED = [
    "How much does the customer owe?",
    "Is the customer overdue?",
    "Unpaid invoices of Bergmann",
    "Unpaid invoices",
    "Who is the sales person of Bergmann?",
    "How much are we owed to Bergmann?",
    "Top 5 debtors",
    "Debtors of Bergmann",
    "Bergmann's debtors",
    "Who owes Bergmann?",
    "What do Bergmann's customers owe?",
    "Which customers owe Bergmann?",
    "Who does Bergmann owe?",
    "Who owes suppliers?",
    "Which customers do not owe us?",
    "Which customers will owe us?",
    "Which customers owe more than 5000 euro?",
    "Which customers are overdue by more than 60 days?",
    "Which customers are not overdue?",
    "Who owes them money?",
    "AP ageing in USD",
    "Payables by supplier",
    "Revenue in Germany",
    "Sales forecast",
    "Sales to Bergmann",
    "Sales tax",
    "Sales orders",
    "Which customers buy the most?",
    "Customer list",
    "Top 5 customers",
    "Tickets by customer",
    "Payments by customer",
    "Which customers paid?",
    "Largest invoice of Bergmann",
    "Which customers are at risk?",
    "What is the weather?",
    "How much do we owe our customers?",
    "Which customers do we owe?",
    "What do we owe each customer?",
    "What does each customer owe their suppliers?",
    "Who owes us the least?",
    "Who has owed us the longest?",
    "Sales by customer segment",
    "Sales by country",
    "Sales by quarter",
    "Are sales up?",
    "Sales invoices of Bergmann",
    "Overdue sales",
    "Unpaid sales",
    "Monthly sales for Bergmann",
    "Accounts payable by supplier",
    "Accounts receivable by month",
    "Which customers were overdue last month?",
    "Which customers are overdue next month?",
    "Receivables by customer and month",
    "Receivables by supplier",
    "Who is overdue and has open tickets?",
    "Which suppliers are overdue?",
    "Which suppliers owe us?",
    "Who owes us nothing?",
    "Who is paying late?",
    "Who is late with payments?",
    "Are payments from Bergmann overdue?",
    "Is Bergmann late paying?",
    "How much is owed to us to Bergmann?",
    "Is Bergmann owed to us?",
]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("sample")
    environ = {"FOOTNOTE_CACHE": str(folder / "cache"), "PROVENANCE_DB": str(folder / "log.db")}
    with footnote.open("sample", environ=environ) as session:
        yield session


@pytest.fixture(scope="module")
def ask(session: Session) -> Iterator[Ask]:
    """Routes a question, with names looked up in one snapshot of the sample."""
    desk = session.desk
    desk.plans.prepare()
    with desk.source.snapshot(None) as snapshot:
        account = Account(snapshot)

        def look_up(entity: str, text: str) -> str:
            spec = desk.loaded.catalog.entities[entity]
            found = resolve(text, entity, spec, desk.plans.entity(entity), account.run, inside_words=False)
            return f"{spec.record}:{found.key[0]}"

        yield lambda question: route(question, desk.loaded.catalog, look_up, today=session.today)


@pytest.mark.parametrize(("question", "name", "arguments"), ROUTED)
def test_a_plain_question_goes_to_its_operation(ask: Ask, question: str, name: str, arguments: dict[str, str]) -> None:
    way = ask(question)
    assert (way.name, dict(way.arguments)) == (name, arguments)


@pytest.mark.parametrize("question", REFUSED)
def test_a_question_that_no_operation_answers_is_refused(ask: Ask, question: str) -> None:
    with pytest.raises((Unroutable, NameUnknown)):
        ask(question)


def test_every_operation_and_conclusion_is_asked_for(session: Session) -> None:
    catalog = session.loaded.catalog
    assert {name for _, name, _ in ROUTED} == {*catalog.operations, *catalog.interpretations}


def test_every_example_is_among_them(session: Session) -> None:
    assert set(session.loaded.catalog.examples) <= {question for question, _, _ in ROUTED}


def phrases() -> list[Any]:
    catalog = load_catalog(find_catalog("sample"), environ={}).catalog
    asked: dict[str, Operation | Interpretation] = {**catalog.operations, **catalog.interpretations}
    return [(name, phrase) for name, target in asked.items() for phrase in target.ask]


def said(session: Session, question: str) -> str:
    """The answer's text, with plain spaces."""
    return session.ask(question).text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(("name", "phrase"), phrases())
def test_every_phrase_leads_to_its_own_operation_or_asks_for_a_name(ask: Ask, name: str, phrase: str) -> None:
    """A phrase that a longer one of another operation hides would never be found."""
    try:
        found = ask(phrase).name
    except Unroutable as refused:
        found = refused.details.get("operation", "")
    assert found == name


# --- what answers say -------------------------------------------------------------------------------------------------


def test_who_owes_us_is_told_customer_by_customer(session: Session) -> None:
    text = said(session, "Who owes us in USD?")
    assert "1 customer has open receivables of 13.250,75 $ across 3 items" in text
    assert "Halyard Outfitters Inc.: 13.250,75 $ (3 items), past due: 11.950,75 $ (up to 39 days)" in text
    assert "€" not in text


def test_every_customer_that_owes_is_in_the_answer(session: Session) -> None:
    result = session.run("getReceivablesByCustomer", {})
    text = session.ask("Which customers are overdue?").text
    for row in result.tables["customers"].rows:
        assert f"{row.figures['name'].display}: {row.figures['openBalance'].display} (" in text


def test_a_currency_that_nobody_owes_is_empty(session: Session) -> None:
    assert session.ask("Who owes us in CHF?").text == "There are no matching open receivables as of 2026-08-14."


def test_one_day_of_payment_terms_is_one_day(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("terms")
    seed_sqlite(folder / "erp.db")
    with sqlite3.connect(folder / "erp.db") as connection:
        connection.execute("UPDATE customers SET payment_terms_days = 1 WHERE id = 4471")
    environ = {"FOOTNOTE_CACHE": str(folder / "cache"), "PROVENANCE_DB": str(folder / "log.db")}
    with footnote.open("sample", database_url=f"sqlite:///{folder / 'erp.db'}", environ=environ) as session:
        assert "on payment terms of 1 day, with Ana Kovač" in said(session, "Tell me about Bergmann")
        assert "agreed payment terms of 1 day, account" in said(session, "Is Bergmann at risk?")
