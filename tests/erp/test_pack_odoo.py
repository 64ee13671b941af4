"""The pack `odoo` over an Odoo database: every operation against SQL written for the test, straight from the driver.

What was open on a day is worked out here the other way round than in the pack: the amount of a line less what was
reconciled up to that day, where the pack adds what was reconciled since to what is open now.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from footnote.cli import main
from footnote.errors import NameAmbiguous, NameUnknown
from footnote.evidence import Row
from footnote.operations.result import Result
from footnote.serve.answer_text import answer_text
from footnote.serve.content import resource_links
from footnote.session import Session

ERP = CATALOG = "odoo"
DAY = "2026-11-29"
DAYS = ("2026-06-30", "2026-09-30", DAY)
COMPANIES = (1, 2)

Face = Callable[..., Mapping[str, Any]]
Rows = Callable[[Mapping[str, Any], str], list[dict[str, Any]]]
Record = dict[str, Any]

INVOICES = ("out_invoice", "out_refund", "out_receipt")
AGES = ("notDue", "days1to30", "days31to60", "days61to90", "daysOver90")

OPEN = """
    SELECT l.id, l.move_id, m.name AS document, m.move_type AS kind, p.commercial_partner_id AS partner,
        COALESCE(l.date_maturity, l.date) AS due, doc.name AS currency,
        l.balance - COALESCE((SELECT SUM(amount) FROM account_partial_reconcile
                              WHERE debit_move_id = l.id AND max_date <= %(day)s), 0)
                  + COALESCE((SELECT SUM(amount) FROM account_partial_reconcile
                              WHERE credit_move_id = l.id AND max_date <= %(day)s), 0) AS open,
        l.amount_currency - COALESCE((SELECT SUM(debit_amount_currency) FROM account_partial_reconcile
                                      WHERE debit_move_id = l.id AND max_date <= %(day)s), 0)
                          + COALESCE((SELECT SUM(credit_amount_currency) FROM account_partial_reconcile
                                      WHERE credit_move_id = l.id AND max_date <= %(day)s), 0) AS in_currency
    FROM account_move_line l JOIN account_move m ON m.id = l.move_id JOIN account_account a ON a.id = l.account_id
    JOIN res_currency doc ON doc.id = l.currency_id LEFT JOIN res_partner p ON p.id = l.partner_id
    WHERE l.company_id = %(company)s AND m.state = 'posted' AND l.date <= %(day)s AND a.account_type = %(kind)s
    ORDER BY COALESCE(l.date_maturity, l.date), l.id
"""
LEDGER = """
    SELECT a.id, a.code_store ->> %(key)s AS code, a.name ->> 'en_US' AS name, a.account_type AS kind,
        SUM(l.debit) AS debit, SUM(l.credit) AS credit, SUM(l.debit - l.credit) AS balance,
        COUNT(DISTINCT l.move_id) AS entries
    FROM account_move_line l JOIN account_move m ON m.id = l.move_id JOIN account_account a ON a.id = l.account_id
    WHERE m.company_id = %(company)s AND m.state = 'posted' AND l.date BETWEEN %(first)s AND %(last)s
    GROUP BY a.id ORDER BY code, a.id
"""
BEGINNING = "1900-01-01"


def items(erp: Any, company: int, day: str, kind: str = "asset_receivable") -> list[Record]:
    """Open items of a company on a day."""
    found: list[Record] = erp.sql(OPEN, company=company, day=day, kind=kind)
    return [item for item in found if item["open"] or item["in_currency"]]


def ledger(erp: Any, company: int, first: str, last: str) -> list[Record]:
    """What was posted to each account from a day to a day."""
    found: list[Record] = erp.sql(LEDGER, company=company, key=str(company), first=first, last=last)
    return found


def total(rows: Sequence[Record], column: str) -> Decimal:
    return sum((row[column] for row in rows), Decimal(0))


def age(item: Record, day: str) -> str:
    days = (dt.date.fromisoformat(day) - item["due"]).days
    limits = (0, 30, 60, 90)
    return next((AGES[place] for place, most in enumerate(limits) if days <= most), AGES[-1])


def aged(rows: Sequence[Record], day: str, sign: int = 1) -> dict[str, Decimal]:
    return {name: sum((sign * row["open"] for row in rows if age(row, day) == name), Decimal(0)) for name in AGES}


def by(rows: Sequence[Record], column: str) -> dict[Any, list[Record]]:
    found: dict[Any, list[Record]] = defaultdict(list)
    for row in rows:
        found[row[column]].append(row)
    return found


def partners(erp: Any) -> list[Record]:
    found: list[Record] = erp.sql("SELECT id, name, commercial_partner_id AS commercial FROM res_partner ORDER BY id")
    return found


def values(result: Result) -> dict[str, Any]:
    """A result's figures by address, each that is a sum added up from its contributions once more."""
    for address, figure in result.figures():
        if figure.method in ("sum", "count", "running"):
            assert sum(Decimal(str(c.amount)) for c in figure.contributions) == (figure.value or 0), address
    return {address: figure.value for address, figure in result.figures()}


def having(erp: Any, company: int) -> list[Record]:
    """Partners that a receivable of the company was ever posted for."""
    ever = {row["partner"] for row in erp.sql(OPEN, company=company, day=DAY, kind="asset_receivable")}
    return [partner for partner in partners(erp) if partner["id"] in ever]


# --- receivables ------------------------------------------------------------------------------------------------------


def check_overdue(figures: Mapping[str, Any], rows_of: Rows, mine: list[Record], day: str) -> None:
    overdue = [i for i in mine if i["kind"] in INVOICES and i["due"] < dt.date.fromisoformat(day) and i["open"]]
    assert rows_of(figures, "items") == [
        {
            "document": item["document"],
            "dueOn": item["due"],
            "open": item["open"],
            "openInDocumentCurrency": item["in_currency"],
            "daysOverdue": (dt.date.fromisoformat(day) - item["due"]).days,
        }
        for item in overdue
    ]
    if overdue:
        assert figures["totals.documentCount"] == len({item["move_id"] for item in overdue})
        assert figures["totals.totalOverdue"] == total(overdue, "open")
        assert figures["totals.oldestDueOn"] == overdue[0]["due"]
    if mine:
        assert figures["position.openBalance"] == total(mine, "open")
        loose = [item for item in mine if item["kind"] not in INVOICES]
        assert figures["position.unallocated"] == total(loose, "open")


def test_overdue_of_every_customer(ask: Face, rows_of: Rows, erp: Any) -> None:
    open_now = by(items(erp, 1, DAY), "partner")
    reference = {row["customer_id"]: row for row in erp.reference("overdue_by_customer")}
    for partner in having(erp, 1):
        figures = ask("getOverdueInvoices", customer=partner["name"], asOfDate=DAY, company="1")
        check_overdue(figures, rows_of, open_now[partner["id"]], DAY)
        if partner["id"] in reference:
            assert figures["totals.totalOverdue"] == reference[partner["id"]]["overdue_company_currency"]
            assert figures["totals.documentCount"] == reference[partner["id"]]["documents"]


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
def test_overdue_and_position_of_every_partner_as_they_were(
    session: Session, rows_of: Rows, erp: Any, company: int, day: str
) -> None:
    open_then = by(items(erp, company, day), "partner")
    for partner in partners(erp) if day == DAY else having(erp, company):
        asked = {"customer": str(partner["id"]), "asOfDate": day, "company": str(company)}
        mine = open_then[partner["commercial"]]
        check_overdue(values(session.run("getOverdueInvoices", asked)), rows_of, mine, day)
        figures = values(session.run("getCustomerSummary", asked))
        payments = [
            p for p in payments_of(erp, company, partner["commercial"]) if p["date"] <= dt.date.fromisoformat(day)
        ]
        assert figures["received.paymentCount"] == len(payments)
        assert figures["received.lastPaidOn"] == max((payment["date"] for payment in payments), default=None)
        if mine:
            assert figures["position.openItemCount"] == len(mine)
            assert {name: figures[f"position.{name}"] for name in AGES} == aged(mine, day)
            assert figures["derived.overdueBalance"] == total(mine, "open") - aged(mine, day)["notDue"]


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize(
    ("operation", "kind", "who", "sign"),
    [
        ("getReceivablesAging", "asset_receivable", "customer", 1),
        ("getPayablesAging", "liability_payable", "supplier", -1),
    ],
)
def test_aging_equals_the_open_items_and_the_ledger_as_they_were(
    session: Session, rows_of: Rows, erp: Any, company: int, day: str, operation: str, kind: str, who: str, sign: int
) -> None:
    figures = values(session.run(operation, {"asOfDate": day, "company": str(company)}))
    names = {partner["id"]: partner["name"] for partner in partners(erp)}
    mine = items(erp, company, day, kind)
    expected = {
        names[id]: aged(rows, day, sign) | {"total": sign * total(rows, "open")}
        for id, rows in by(mine, "partner").items()
    }
    shown = {row.pop(who): row for row in rows_of(figures, f"{who}s")}
    assert shown == expected
    assert [row["total"] for row in shown.values()] == sorted((r["total"] for r in expected.values()), reverse=True)
    if mine:
        posted = [row for row in ledger(erp, company, BEGINNING, day) if row["kind"] == kind]
        assert figures["totals.totalOpen"] == sign * total(posted, "balance") == figures["ledger.ledgerBalance"]
        assert figures["totals.itemCount"] == len(mine)


def test_aging_equals_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    reference = {row["customer"]: row for row in erp.reference("ar_aging_now")}
    columns = dict(zip(AGES, ("not_due", "d1_30", "d31_60", "d61_90", "d90_plus"), strict=True)) | {"total": "total"}
    figures = ask("getReceivablesAging", asOfDate=DAY, company="YourCompany")
    shown = {row["customer"]: row for row in rows_of(figures, "customers")}
    assert {customer: {ours: shown[customer][ours] for ours in columns} for customer in shown} == {
        customer: {ours: row[theirs] for ours, theirs in columns.items()} for customer, row in reference.items()
    }
    past: dict[tuple[str, str], Decimal] = {
        (row["customer"], row["bucket"]): row["amount"] for row in erp.reference("ar_aging_as_of_2026_09_30")
    }
    figures = ask("getReceivablesAging", asOfDate="2026-09-30", company="1")
    for row in rows_of(figures, "customers"):
        assert row["notDue"] == past.get((row["customer"], "not due"), 0)
        assert row["days1to30"] == past.get((row["customer"], "1-30"), 0)
        assert row["days31to60"] == past.get((row["customer"], "31-60"), 0)
        assert row["days61to90"] + row["daysOver90"] == past.get((row["customer"], "60+"), 0)


def test_receivables_today_are_those_of_the_ledger(session: Session) -> None:
    """Drafts, another company, or payments left out would each give a figure that looks as right."""
    for operation, address in (("getOpenBalances", "totals.totalBalance"), ("getReceivablesAging", "totals.totalOpen")):
        assert values(session.run(operation, {"company": "1"}))[address] == Decimal("901981.36")


@pytest.mark.parametrize("company", COMPANIES)
def test_balances_of_all_partners_equal_odoo_s_own(session: Session, rows_of: Rows, erp: Any, company: int) -> None:
    """Odoo's `credit` and `debit` of a partner: what is not reconciled of its receivable and payable lines."""
    own: dict[str, dict[str, Decimal]] = {"asset_receivable": {}, "liability_payable": {}}
    for row in erp.sql(
        """SELECT cp.name, a.account_type AS kind, SUM(l.amount_residual) AS residual FROM account_move_line l
        JOIN account_account a ON a.id = l.account_id JOIN res_partner p ON p.id = l.partner_id
        JOIN res_partner cp ON cp.id = p.commercial_partner_id
        WHERE l.parent_state = 'posted' AND l.company_id = %(company)s AND l.reconciled IS NOT TRUE
        AND a.account_type IN ('asset_receivable', 'liability_payable') GROUP BY cp.id, a.account_type""",
        company=company,
    ):
        own[row["kind"]][row["name"]] = row["residual"]
    asked = {"company": str(company)}
    balances = rows_of(values(session.run("getOpenBalances", asked)), "customers")
    assert {row["customer"]: row["balance"] for row in balances} == own["asset_receivable"]
    aging = rows_of(values(session.run("getReceivablesAging", asked)), "customers")
    assert {row["customer"]: row["total"] for row in aging} == own["asset_receivable"]
    payable = rows_of(values(session.run("getPayablesAging", asked)), "suppliers")
    assert {row["supplier"]: -row["total"] for row in payable} == own["liability_payable"]


def test_unallocated_payments_equal_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    reference = erp.reference("open_balance_by_customer")
    figures = ask("getOpenBalances", company="1")
    assert {row["customer"]: (row["balance"], row["unallocated"]) for row in rows_of(figures, "customers")} == {
        row["customer"]: (row["balance"], row["unallocated_payments"]) for row in reference
    }
    assert figures["totals.totalUnallocated"] == total(reference, "unallocated_payments")


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
def test_receivables_by_currency(session: Session, rows_of: Rows, erp: Any, company: int, day: str) -> None:
    result = session.run("getReceivablesByCurrency", {"asOfDate": day, "company": str(company)})
    mine = by(items(erp, company, day), "currency")
    assert rows_of(values(result), "currencies") == [
        {
            "documentCurrency": currency,
            "itemCount": len(rows),
            "openInCurrency": total(rows, "in_currency"),
            "open": total(rows, "open"),
        }
        for currency, rows in sorted(mine.items())
    ]
    for address, figure in result.figures():
        if address.endswith(".openInCurrency"):
            assert figure.format.currency == dict(result.figures())[address.replace("openIn", "document")].value
        elif address.endswith(".open"):
            assert figure.format.currency == "USD"
    assert company == 2 or len(mine) == 3


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("period", ["2026-Q3", "2026-11", "2026"])
def test_statements_of_every_customer(session: Session, rows_of: Rows, erp: Any, company: int, period: str) -> None:
    first, last = {
        "2026-Q3": ("2026-07-01", "2026-09-30"),
        "2026-11": ("2026-11-01", "2026-11-30"),
        "2026": ("2026-01-01", "2026-12-31"),
    }[period]
    lines = by(
        erp.sql(
            """SELECT p.commercial_partner_id AS partner, l.id, l.date, m.name AS document, l.debit, l.credit
            FROM account_move_line l JOIN account_move m ON m.id = l.move_id
            JOIN account_account a ON a.id = l.account_id JOIN res_partner p ON p.id = l.partner_id
            WHERE m.company_id = %(company)s AND m.state = 'posted' AND a.account_type = 'asset_receivable'
            AND l.date <= %(last)s ORDER BY l.date, l.id""",
            company=company,
            last=last,
        ),
        "partner",
    )
    for partner in having(erp, company):
        asked = {"customer": str(partner["id"]), "period": period, "company": str(company)}
        result = session.run("getCustomerStatement", asked)
        figures, running, shown = values(result), Decimal(0), []
        for line in lines[partner["id"]]:
            running += line["debit"] - line["credit"]
            if line["date"] >= dt.date.fromisoformat(first):
                kept = {name: line[name] for name in ("date", "document", "debit", "credit")}
                shown.append(kept | {"balanceAfter": running})
        assert rows_of(figures, "lines") == shown
        if lines[partner["id"]]:
            assert figures["totals.closingBalance"] == running
            assert figures["totals.openingBalance"] == running - total(shown, "debit") + total(shown, "credit")
        else:
            assert result.empty


# --- payments ---------------------------------------------------------------------------------------------------------

PAYMENTS = """
    SELECT ap.date, ap.name AS number, ap.state, c.name AS currency, ap.amount, p.commercial_partner_id AS partner,
        ap.amount_company_currency_signed AS in_company
    FROM account_payment ap JOIN res_currency c ON c.id = ap.currency_id LEFT JOIN res_partner p ON p.id = ap.partner_id
    WHERE ap.company_id = %(company)s AND ap.payment_type = 'inbound' AND ap.partner_type = 'customer'
        AND ap.state NOT IN ('draft', 'canceled', 'rejected') ORDER BY ap.date DESC, ap.id DESC
"""


def payments_of(erp: Any, company: int, partner: int | None = None) -> list[Record]:
    found: list[Record] = erp.sql(PAYMENTS, company=company)
    return [payment for payment in found if partner is None or payment["partner"] == partner]


def test_payments_of_every_customer(ask: Face, rows_of: Rows, erp: Any) -> None:
    since = dt.date(2026, 1, 1)
    payments = by([payment for payment in payments_of(erp, 1) if payment["date"] >= since], "partner")
    for partner in having(erp, 1):
        mine = payments[partner["id"]]
        figures = ask("getPaymentHistory", customer=str(partner["id"]), sinceDate=str(since), company="1")
        assert rows_of(figures, "payments") == [
            {"receivedOn": p["date"], "number": p["number"], "state": p["state"], "amount": p["amount"]} for p in mine
        ]
        assert [
            (row["paymentCount"], row["totalPaid"], row["lastReceivedOn"]) for row in rows_of(figures, "totals")
        ] == [(len(rows), total(rows, "amount"), rows[0]["date"]) for _, rows in sorted(by(mine, "currency").items())]


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("period", ["2025", "2026", "2026-09"])
def test_payments_received(session: Session, rows_of: Rows, erp: Any, company: int, period: str) -> None:
    mine = [p for p in payments_of(erp, company) if str(p["date"]).startswith(period)]
    result = session.run("getPaymentsReceived", {"period": period, "company": str(company)})
    figures = values(result)
    months = by([p | {"month": (str(p["date"])[:7], p["currency"])} for p in mine], "month")
    assert rows_of(figures, "months") == [
        {
            "month": month,
            "payments": len(rows),
            "received": total(rows, "amount"),
            "inCompanyCurrency": total(rows, "in_company"),
        }
        for (month, _), rows in sorted(months.items())
    ]
    if mine:
        assert figures["totals.totalReceived"] == total(mine, "in_company")
        assert figures["totals.paymentCount"] == len(mine)
    assert bool(result.empty) is not bool(mine)


def test_payments_received_equal_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    reference = sorted(erp.reference("payments_received_by_month"), key=lambda row: (row["month"], row["currency"]))
    mine = [row for row in reference if row["month"].year == 2026]
    shown = rows_of(ask("getPaymentsReceived", period="2026", company="1"), "months")
    assert [(row["payments"], row["received"], row["inCompanyCurrency"]) for row in shown] == [
        (row["n"], row["amount"], row["amount_company"]) for row in mine
    ]


# --- the ledger -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
def test_trial_balance(session: Session, rows_of: Rows, erp: Any, company: int, day: str) -> None:
    figures = values(session.run("getTrialBalance", {"asOfDate": day, "company": str(company)}))
    accounts = ledger(erp, company, BEGINNING, day)
    kept = ("code", "name", "debit", "credit", "balance")
    assert rows_of(figures, "accounts") == [{name: row[name] for name in kept} for row in accounts]
    if accounts:
        assert figures["totals.totalDebit"] == figures["totals.totalCredit"] == total(accounts, "debit")
    if company == 1 and day == DAY:
        reference = erp.reference("trial_balance")
        assert [(row["code"], row["balance"]) for row in accounts] == [(r["code"], r["balance"]) for r in reference]


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize(
    ("period", "first", "last", "prior"),
    [
        ("2026", "2026-01-01", "2026-12-31", "2025-01-01"),
        ("2026-Q4", "2026-10-01", "2026-12-31", "2026-07-01"),
        ("2026-03", "2026-03-01", "2026-03-31", "2026-02-01"),
    ],
)
def test_profit_and_loss_beside_the_period_before(
    session: Session, rows_of: Rows, erp: Any, company: int, period: str, first: str, last: str, prior: str
) -> None:
    before_first = str(dt.date.fromisoformat(first) - dt.timedelta(days=1))
    now, before = ledger(erp, company, first, last), ledger(erp, company, prior, before_first)
    result = session.run("getProfitAndLoss", {"period": period, "company": str(company)})
    figures = values(result)
    signs = {"income": -1, "expense": 1}
    expected: dict[str, list[Decimal]] = defaultdict(lambda: [Decimal(0), Decimal(0)])
    for place, rows in enumerate((now, before)):
        for row in rows:
            if sign := signs.get(row["kind"].split("_")[0]):
                expected[row["code"]][place] += sign * row["balance"]
    assert {row["code"]: [row["amount"], row["prior"]] for row in rows_of(figures, "accounts")} == expected
    if not expected:
        assert result.empty
        return
    for suffix, rows in (("", now), ("Prior", before)):
        income = -total([row for row in rows if row["kind"].startswith("income")], "balance")
        expenses = total([row for row in rows if row["kind"].startswith("expense")], "balance")
        shown = tuple(figures[f"totals.{name}{suffix}"] for name in ("income", "expenses", "result"))
        assert shown == (income, expenses, income - expenses)


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
def test_balance_sheet(session: Session, rows_of: Rows, erp: Any, company: int, day: str) -> None:
    figures = values(session.run("getBalanceSheet", {"asOfDate": day, "company": str(company)}))
    accounts = ledger(erp, company, BEGINNING, day)
    sides = {"asset": ("Assets", 1), "liability": ("Liabilities", -1), "equity": ("Equity", -1)}
    expected = {}
    for row in accounts:
        side, sign = sides.get(row["kind"].split("_")[0], ("", 0))
        if side and row["balance"]:
            expected[side, row["code"]] = sign * row["balance"]
    assert {(row["side"], row["code"]): row["amount"] for row in rows_of(figures, "accounts")} == expected
    if not accounts:
        return
    sums = {side: sum(v for (s, _), v in expected.items() if s == side) for side, _ in sides.values()}
    result = -total([row for row in accounts if row["kind"].split("_")[0] in ("income", "expense")], "balance")
    shown = (figures["totals.assets"], figures["totals.liabilities"], figures["totals.equity"])
    assert shown == tuple(sums.values())
    assert figures.get("unallocated.unallocatedResult", 0) == result
    assert sums["Assets"] == sums["Liabilities"] + sums["Equity"] + result


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("period", ["2025", "2026", "2026-10"])
def test_top_customers(session: Session, rows_of: Rows, erp: Any, company: int, period: str) -> None:
    documents = erp.sql(
        """SELECT cp.name AS customer, cp.id, SUM(m.amount_untaxed_signed) AS revenue, COUNT(*) AS documents
        FROM account_move m JOIN res_partner cp ON cp.id = m.commercial_partner_id
        WHERE m.company_id = %(company)s AND m.state = 'posted' AND m.move_type IN ('out_invoice', 'out_refund')
        AND to_char(m.invoice_date, 'YYYY-MM') LIKE %(period)s GROUP BY cp.id ORDER BY revenue DESC, cp.id""",
        company=company,
        period=f"{period}%",
    )
    figures = values(session.run("getTopCustomers", {"period": period, "company": str(company)}))
    kept = ("customer", "revenue", "documents")
    assert rows_of(figures, "customers") == [{name: row[name] for name in kept} for row in documents[:10]]
    if documents:
        assert figures["totals.totalRevenue"] == total(documents, "revenue")
        assert figures["totals.customerCount"] == len(documents)
        assert abs(figures["derived.topShare"] - total(documents[:10], "revenue") / total(documents, "revenue")) < 1e-9
    if company == 1 and period == "2026":
        reference = erp.reference("top_customers")
        assert [(r["customer"], r["revenue"], r["documents"]) for r in documents[:10]] == [
            (r["customer"], r["revenue"], r["documents"]) for r in reference
        ]


@pytest.mark.parametrize("company", COMPANIES)
def test_revenue_by_month(session: Session, rows_of: Rows, erp: Any, company: int) -> None:
    figures = values(session.run("getRevenueByMonth", {"period": "2026", "company": str(company)}))
    expected = []
    for month in range(1, 13):
        last = (dt.date(2026 + month // 12, month % 12 + 1, 1) - dt.timedelta(days=1)).isoformat()
        rows = [row for row in ledger(erp, company, f"2026-{month:02}-01", last) if row["kind"] == "income"]
        if rows:
            expected.append((f"2026-{month:02}", -total(rows, "balance")))
    assert [(row["month"], row["revenue"]) for row in rows_of(figures, "months")] == expected
    assert figures["totals.totalRevenue"] == sum(revenue for _, revenue in expected)
    reference = {row["month"].strftime("%Y-%m"): row["income"] for row in erp.reference("pnl_by_month")}
    assert company == 2 or all(reference[month] == revenue for month, revenue in expected)


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
def test_cash_by_account(session: Session, rows_of: Rows, erp: Any, company: int, day: str) -> None:
    result = session.run("getCashByAccount", {"asOfDate": day, "company": str(company)})
    accounts = [row for row in ledger(erp, company, BEGINNING, day) if row["kind"] == "asset_cash"]
    figures = values(result)
    shown = by(rows_of(figures, "accounts"), "code")
    assert {code: total(rows, "balance") for code, rows in shown.items()} == {
        row["code"]: row["balance"] for row in accounts
    }
    assert bool(result.empty) is not bool(accounts)
    if accounts:
        assert figures["totals.totalCash"] == total(accounts, "balance")


def test_every_operation_is_held_to_its_control_checks(session: Session) -> None:
    """Each has at least one; of every company, and of a customer with postings of all kinds."""
    for name, operation in session.loaded.catalog.operations.items():
        of_customer = {"customer": "43"} if operation.parameter("customer") else {}
        result = session.run(name, {"company": "1"} | of_customer)
        assert len(result.checks) == len(operation.checks) > 0, name
        assert not result.empty


# --- companies, names, records ----------------------------------------------------------------------------------------


def test_with_several_companies_one_must_be_named(session: Session, erp: Any) -> None:
    with pytest.raises(NameAmbiguous) as caught:
        session.run("getReceivablesAging", {})
    companies = {row["name"] for row in erp.sql("SELECT name FROM res_company")}
    assert {candidate.text.rpartition(" (")[0] for candidate in caught.value.candidates} == companies


def test_a_company_may_be_set_for_all_questions(erp: Any, session: Session) -> None:
    import footnote

    with footnote.open(environ=erp.environ | {"FOOTNOTE_COMPANY": "My US Company"}) as other:
        figures = values(other.run("getReceivablesAging", {"asOfDate": DAY}))
    named = values(session.run("getReceivablesAging", {"asOfDate": DAY, "company": "2"}))
    assert figures == named


def test_a_contact_stands_for_its_company(session: Session, erp: Any) -> None:
    (contact,) = erp.sql("SELECT id, name FROM res_partner WHERE commercial_partner_id = 9 AND id <> 9 LIMIT 1")[:1]
    asked = {"asOfDate": DAY, "company": "2"}
    of_contact = session.run("getCustomerSummary", asked | {"customer": contact["name"]})
    of_company = session.run("getCustomerSummary", asked | {"customer": "Acme Corporation"})
    mine = {name: value for name, value in values(of_contact).items() if not name.startswith("master")}
    assert mine == {name: value for name, value in values(of_company).items() if not name.startswith("master")}
    assert mine["position.openItemCount"]


def test_nothing_overdue_is_said_in_the_name_of_the_company(session: Session) -> None:
    result = session.run("getOverdueInvoices", {"customer": "Brandon Freeman", "asOfDate": DAY, "company": "1"})
    assert result.empty == f"Azure Interior has nothing overdue at YourCompany as of {DAY}."


def test_a_customer_that_does_not_exist_is_refused(session: Session) -> None:
    with pytest.raises(NameUnknown):
        session.run("getOverdueInvoices", {"customer": "Nobody we ever heard of", "company": "1"})


def test_an_open_amount_shows_what_was_reconciled_since(session: Session, erp: Any) -> None:
    result = session.run("getReceivablesAging", {"asOfDate": "2026-09-30", "company": "1"})
    contributions = [
        one for address, f in result.figures() if address.endswith(".total") for one in f.contributions if one.items
    ]
    assert contributions
    for contribution in contributions:
        (line,) = erp.sql(
            "SELECT amount_residual AS left FROM account_move_line WHERE id = %(id)s",
            id=int(contribution.evidence.removeprefix("item:")),
        )
        since = sum((Decimal(str(item.amount)) for item in contribution.items), Decimal(0))
        assert abs(Decimal(str(contribution.amount)) - line["left"]) == abs(since)


@pytest.mark.parametrize("record", ["item", "entry", "payment", "partner", "reconciliation"])
def test_a_row_is_shown_with_the_names_and_currencies_of_the_rows_it_refers_to(
    session: Session, erp: Any, record: str
) -> None:
    table, columns = {
        "item": ("account_move_line", {"partner": "res_partner.partner_id"}),
        "entry": ("account_move", {"partner": "res_partner.commercial_partner_id"}),
        "payment": ("account_payment", {"partner": "res_partner.partner_id"}),
        "partner": ("res_partner", {"commercial": "res_partner.commercial_partner_id"}),
        "reconciliation": ("account_partial_reconcile", {}),
    }[record]
    euros = "" if record == "partner" else "WHERE currency_id = 126"
    euros = "WHERE debit_currency_id = 126" if record == "reconciliation" else euros
    (found,) = erp.sql(f"SELECT * FROM {table} {euros} ORDER BY id LIMIT 1")
    row = session.record_row(record, str(found["id"]))
    assert isinstance(row, Row)
    for field, target in columns.items():
        other, _, by_column = target.partition(".")
        (named,) = erp.sql(f"SELECT name FROM {other} WHERE id = %(id)s", id=found[by_column])
        assert row.fields[field].display == named["name"]
    amounts = {"item": "amount", "entry": "total", "payment": "amount", "reconciliation": "debit_amount"}
    if record in amounts:
        assert "€" in row.fields[amounts[record]].display
    in_company = {
        "item": "balance",
        "entry": "untaxed_company",
        "payment": "amount_company",
        "reconciliation": "amount",
    }
    if record in in_company:
        assert "$" in row.fields[in_company[record]].display


def test_an_account_is_shown_with_its_code_and_name(session: Session, erp: Any) -> None:
    for company in COMPANIES:
        (account,) = erp.sql(
            "SELECT id, code_store ->> %(key)s AS code, name ->> 'en_US' AS name FROM account_account"
            " WHERE code_store ? %(key)s ORDER BY id LIMIT 1",
            key=str(company),
        )
        row = session.record_row("account", str(account["id"]))
        assert isinstance(row, Row)
        assert row.label == f"{account['code']} {account['name']}"


# --- links, and what an integrator does first -------------------------------------------------------------------------


def test_records_lead_into_odoo_where_its_address_is_known(session: Session, erp: Any) -> None:
    import footnote

    places = {
        "entry": "account.move/114",
        "item": "account.move/114",
        "partner": "res.partner/9",
        "company": "res.company/2",
    }
    ids = {"entry": "114", "item": "424", "partner": "9", "company": "2"}
    with footnote.open(environ=erp.environ | {"FOOTNOTE_ERP_URL": "https://odoo.example.com"}) as linked:
        for record, place in places.items():
            row = linked.record_row(record, ids[record])
            assert isinstance(row, Row)
            assert row.url == f"https://odoo.example.com/odoo/{place}"
            bare = session.record_row(record, ids[record])
            assert isinstance(bare, Row)
            assert bare.url == ""
        asked = {"customer": "43", "asOfDate": DAY, "company": "1"}
        answer = linked.answer(linked.run("getOverdueInvoices", asked))
    assert "INV/2026/00052 · 424: https://odoo.example.com/odoo/account.move/114" in answer_text(answer)
    link = next(block for block in resource_links(answer) if "item/424" in str(getattr(block, "uri", "")))
    assert "in the ERP: https://odoo.example.com/odoo/account.move/114" in str(getattr(link, "description", ""))


def test_a_reader_passes_check_once_what_it_says_is_mended_and_the_owner_does_not(erp: Any, postgres_url: str) -> None:
    import psycopg

    def checked(url: str) -> tuple[int, list[Record]]:
        ran = CliRunner().invoke(main, ["check", "--pack", "odoo", "--json"], env=erp.environ | {"DATABASE_URL": url})
        return ran.exit_code, json.loads(ran.stdout)["findings"]

    code, findings = checked(erp.url)
    fixes = [finding["fix"] for finding in findings if finding["state"] == "failed"]
    assert (code, fixes) == (1, ['REVOKE CREATE ON SCHEMA "public" FROM PUBLIC;'])  # as dumps of old servers have it
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(fixes[0].encode())
    code, findings = checked(erp.url)
    warned = {finding["subject"] for finding in findings if finding["state"] != "ok"}
    assert (code, warned - {"log", "indexes"}) == (0, set())  # the log of a test lies in a temporary folder
    code, findings = checked(postgres_url)
    assert code == 1
    assert {finding["subject"] for finding in findings if finding["state"] == "failed"} == {"login"}


def test_init_recognises_odoo_and_offers_the_pack(erp: Any, tmp_path: Path) -> None:
    asked = ["init", "--output", str(tmp_path / "draft.yaml")]
    ran = CliRunner().invoke(main, asked, env=erp.environ)
    assert ran.exit_code == 2
    assert "This is Odoo: or use the pack, footnote check --pack odoo." in ran.output
    ran = CliRunner().invoke(main, [*asked, "--currency", "USD"], env=erp.environ)
    assert ran.exit_code == 0, ran.output
    assert "This is Odoo: the pack knows more of it. Try: footnote check --pack odoo" in ran.output
