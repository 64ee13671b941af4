"""Fields that a record has from the rows it refers to, currencies among them; and the only record where none is named."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from footnote.connect.check import check
from footnote.errors import CatalogError, NameAmbiguous, NameUnknown, TieOutError, Untraceable
from footnote.evidence import Row
from footnote.session import Session

Open = Callable[..., Session]

EXTENDED = """
catalog: ours
version: 1
extends: pack:sample
records:
  invoice:
    table: invoices
    key: [id]
    label: "{number} of {customer}"
    fields:
      number: {type: text}
      customer: {type: text, lookup: {record: customer, by: customer_id, field: name}}
  payment:
    table: payments
    key: [id]
    label: "{id}"
    fields:
      id: {type: integer}
      payer: {type: text, lookup: {record: invoice, by: invoice_id, field: customer}}
entities:
  invoice: {record: invoice, match: [number, customer], order: customer}
"""


@pytest.fixture
def extended(open_session: Open, source_url: str, tmp_path: Path) -> Session:
    file = tmp_path / "ours.yaml"
    dropped = "".join(
        f"  {name}: null\n"
        for name in (
            "getOverdueInvoices getCustomerSummary getPaymentHistory getReceivablesAging getReceivablesByCustomer"
            " getTopCustomers getRevenueByMonth"
        ).split()
    )
    file.write_text(EXTENDED + "operations:\n" + dropped + "interpretations: {customerAtRisk: null}\n")
    return open_session(source_url, str(file))


def test_a_row_has_a_field_of_the_row_it_refers_to(extended: Session) -> None:
    row = extended.record_row("invoice", "8812")
    assert isinstance(row, Row)
    customer = extended.record_row("customer", "4471")
    assert isinstance(customer, Row)
    assert row.fields["customer"].display == customer.label
    assert row.label.endswith(f" of {customer.label}")


def test_a_lookup_leads_on_to_another(extended: Session) -> None:
    payments = [extended.record_row("payment", str(id)) for id in range(1, 60)]
    found = [row for row in payments if isinstance(row, Row)]
    assert found
    assert all(row.fields["payer"].display for row in found)


def test_check_finds_the_tables_and_keys_of_lookups(extended: Session) -> None:
    found = {finding.subject: finding for finding in check(extended)}
    assert {found[f"record {name}"].state for name in ("invoice", "payment")} == {"ok"}
    assert found["entity invoice"].state == "ok"


# --- currencies that are rows of a table ------------------------------------------------------------------------------

ERP = """
CREATE TABLE currencies (id INTEGER PRIMARY KEY, code TEXT NOT NULL);
CREATE TABLE companies (id INTEGER PRIMARY KEY, name TEXT NOT NULL, currency_id INTEGER NOT NULL);
CREATE TABLE invoices (
  id INTEGER PRIMARY KEY, company_id INTEGER NOT NULL, currency_id INTEGER, cents INTEGER, company_cents INTEGER
);
INSERT INTO currencies VALUES (1, 'EUR'), (2, 'USD');
INSERT INTO companies VALUES (1, 'Alma AG', 1);
INSERT INTO invoices VALUES (1, 1, 1, 1000, 1000), (2, 1, 2, 2200, 2000);
"""
CATALOG = """
catalog: c
version: 1
source: {url: "${DATABASE_URL}", dialect: sqlite}
records:
  currency: {table: currencies, key: [id], label: "{code}", fields: {code: {type: text}}}
  company:
    table: companies
    key: [id]
    label: "{name}"
    fields:
      id: {type: integer, identifier: true}
      name: {type: text}
      currency: {type: text, lookup: {record: currency, by: currency_id, field: code}}
  invoice:
    table: invoices
    key: [id]
    label: "{id}"
    fields:
      id: {type: integer}
      currency: {type: text, lookup: {record: currency, by: currency_id, field: code}, hidden: true}
      own: {type: text, lookup: {record: company, by: company_id, field: currency}, hidden: true}
      amount: {column: cents, type: money, minor_units: true, currency: {column: currency}}
      in_company: {column: company_cents, type: money, minor_units: true, currency: {column: own}}
entities:
  company: {record: company, match: [id, name]}
operations:
  getTotals:
    title: Totals
    description: d
    parameters: [{name: company, type: entity, entity: company, default: only, description: Company.}]
    statements:
      totals:
        shape: one
        grain: invoice
        statement: |
          SELECT cur.code, SUM(i.AMOUNT) AS total
          FROM invoices i JOIN companies co ON co.id = i.company_id
          JOIN currencies cur ON cur.id = JOINED
          WHERE i.company_id = :company GROUP BY cur.code ORDER BY cur.code
        columns:
          code: {type: text, hidden: true}
          total: {type: money, minor_units: true, currency: {column: code}}
    answer: "{company.name} ({company.currency}): {total}"
    ask: [total]
"""


def session_of(open_session: Open, tmp_path: Path, catalog: str, more: str = "") -> Session:
    database = tmp_path / "erp.db"
    with sqlite3.connect(database) as connection:
        connection.executescript(ERP + more)
    connection.close()
    file = tmp_path / "catalog.yaml"
    file.write_text(catalog)
    return open_session(f"sqlite:///{database}", str(file))


def totals(session: Session, **arguments: str) -> list[tuple[str, object]]:
    result = session.run("getTotals", arguments)
    return [(figure.format.currency, figure.value) for _, figure in result.figures()]


def test_an_amount_is_shown_in_the_currency_that_its_row_refers_to(open_session: Open, tmp_path: Path) -> None:
    session = session_of(open_session, tmp_path, CATALOG.replace("AMOUNT", "cents").replace("JOINED", "i.currency_id"))
    row = session.record_row("invoice", "2")
    assert isinstance(row, Row)
    shown = {name: field.display for name, field in row.fields.items()}
    assert shown == {"id": "2", "amount": "$22.00", "in_company": "€20.00"}
    assert totals(session) == [("EUR", Decimal(10)), ("USD", Decimal(22))]


def test_the_currency_of_the_company_is_reached_through_the_company(open_session: Open, tmp_path: Path) -> None:
    text = CATALOG.replace("AMOUNT", "company_cents").replace("JOINED", "co.currency_id")
    assert totals(session_of(open_session, tmp_path, text)) == [("EUR", Decimal(30))]


@pytest.mark.parametrize(
    ("amount", "joined"), [("cents", "co.currency_id"), ("company_cents", "i.currency_id")], ids=["own", "company's"]
)
def test_an_amount_is_not_relabelled_by_joining_another_currency(
    open_session: Open, tmp_path: Path, amount: str, joined: str
) -> None:
    other = (
        "cur.id = JOINED JOIN currencies doc ON doc.id = i.currency_id JOIN currencies own ON own.id = co.currency_id"
    )
    text = CATALOG.replace("cur.id = JOINED", other).replace("AMOUNT", amount).replace("JOINED", joined)
    with pytest.raises(TieOutError):
        totals(session_of(open_session, tmp_path, text))


BROKEN = [
    (
        "record: currency, by: currency_id, field: code}}\n  inv",
        "record: curency, by: c, field: code}}\n  inv",
        "curency",
    ),
    ("by: company_id, field: currency}", "by: company_id, field: curency}", "Did you mean `currency`?"),
    ("own: {type: text,", "own: {type: integer,", "is of type integer"),
    ("own: {type: text,", "own: {type: text, column: x,", "has both `column` and `lookup`"),
    ("by: company_id, field: currency}", "by: company_id, field: currency, of: x}", "Unknown key `of`"),
    (
        "record: company, by: company_id, field: currency",
        "record: invoice, by: company_id, field: own",
        "back to itself",
    ),
]


@pytest.mark.parametrize(("old", "new", "says"), BROKEN)
def test_a_lookup_that_leads_nowhere_is_refused_on_load(
    open_session: Open, tmp_path: Path, old: str, new: str, says: str
) -> None:
    assert CATALOG.count(old) == 1
    text = CATALOG.replace("AMOUNT", "cents").replace("JOINED", "i.currency_id").replace(old, new)
    with pytest.raises(CatalogError, match=says):
        session_of(open_session, tmp_path, text)


def test_a_lookup_by_what_may_name_several_rows_is_refused(open_session: Open, tmp_path: Path) -> None:
    text = CATALOG.replace("AMOUNT", "cents").replace("JOINED", "i.currency_id")
    session = session_of(
        open_session, tmp_path, text.replace("table: currencies, key: [id]", "table: currencies, key: [code]")
    )
    with pytest.raises(Untraceable, match="is not a key of table 'currencies'"):
        session.record_row("company", "1")


# --- the only one -----------------------------------------------------------------------------------------------------

TOTALS = CATALOG.replace("AMOUNT", "company_cents").replace("JOINED", "co.currency_id")


def test_where_there_is_only_one_it_need_not_be_named(open_session: Open, tmp_path: Path) -> None:
    session = session_of(open_session, tmp_path, TOTALS)
    result = session.run("getTotals", {})
    assert [entity.label for entity in result.entities] == ["Alma AG"]
    assert session.ask("total?").text == "Alma AG (EUR): €30.00"


def test_where_there_are_several_none_is_guessed(open_session: Open, tmp_path: Path) -> None:
    session = session_of(open_session, tmp_path, TOTALS, "INSERT INTO companies VALUES (2, 'Brandt KG', 2);")
    with pytest.raises(NameAmbiguous) as caught:
        session.run("getTotals", {})
    assert [candidate.text for candidate in caught.value.candidates] == ["Alma AG (1)", "Brandt KG (2)"]
    assert totals(session, company="brandt") == []
    assert totals(session, company="alma") == [("EUR", Decimal(30))]
    assert [finding.state for finding in check(session) if finding.subject == "getTotals"] == ["ok"]


def test_where_there_is_none_that_is_said(open_session: Open, tmp_path: Path) -> None:
    session = session_of(open_session, tmp_path, TOTALS, "DELETE FROM companies;")
    with pytest.raises(NameUnknown, match="no company at all"):
        session.run("getTotals", {})


def test_only_is_a_name_like_any_other_for_whoever_gives_it(open_session: Open, tmp_path: Path) -> None:
    session = session_of(open_session, tmp_path, TOTALS)
    with pytest.raises(NameUnknown):
        session.run("getTotals", {"company": "only"})
