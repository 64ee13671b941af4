"""Receivables of an Odoo company: every figure, through every face, against SQL that is known to be correct."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest

from footnote.evidence import Row
from footnote.session import Session

ERP = "odoo"
DAY = "2026-11-29"

Face = Callable[..., Mapping[str, Any]]
Rows = Callable[[Mapping[str, Any], str], list[dict[str, Any]]]

OPEN = """
    FROM account_move_line aml JOIN account_move am ON am.id = aml.move_id
    JOIN account_account aa ON aa.id = aml.account_id
    WHERE am.company_id = 1 AND am.state = 'posted' AND am.move_type IN ('out_invoice', 'out_refund')
      AND aa.account_type = 'asset_receivable' AND NOT aml.reconciled AND aml.date_maturity < '2026-11-29'
"""
PAYMENTS = """
    FROM account_payment ap JOIN res_currency cur ON cur.id = ap.currency_id
    LEFT JOIN res_partner p ON p.id = ap.partner_id
    WHERE ap.company_id = 1 AND ap.payment_type = 'inbound' AND ap.partner_type = 'customer'
      AND ap.state IN ('in_process', 'paid')
"""


def partners(erp: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = erp.sql("SELECT id, name FROM res_partner ORDER BY id")
    return found


def test_overdue_by_customer_equals_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    rows = rows_of(ask("getOverdueByCustomer", asOfDate=DAY), "customers")
    columns = {"customer": "customer", "documents": "documents", "overdue": "overdue_company_currency"}
    columns["oldestDue"] = "oldest_due"
    reference = [
        {ours: row[theirs] for ours, theirs in columns.items()} for row in erp.reference("overdue_by_customer")
    ]
    assert rows == reference  # in the same order, too


def test_overdue_of_every_partner_equals_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    items = erp.sql(
        f"""SELECT am.commercial_partner_id AS partner, am.id AS move, am.name AS document, am.move_type AS kind,
        aa.code_store ->> '1' AS account, aml.date_maturity AS "dueOn", aml.amount_residual AS open,
        DATE '{DAY}' - aml.date_maturity AS "daysOverdue" {OPEN} ORDER BY aml.date_maturity, aml.id"""
    )
    reference = {row["customer_id"]: row for row in erp.reference("overdue_by_customer")}
    for partner in partners(erp):
        figures = ask("getOverdueOfCustomer", customer=partner["name"], asOfDate=DAY)
        mine = [row for row in items if row["partner"] == partner["id"]]
        shown = [{k: v for k, v in row.items() if k not in ("partner", "move")} for row in mine]
        assert rows_of(figures, "items") == shown
        assert figures["totals.documents"] == len({row["move"] for row in mine})
        assert figures["totals.overdue"] == (sum(row["open"] for row in mine) if mine else None)
        assert figures["totals.oldestDue"] == (mine[0]["dueOn"] if mine else None)
        credited = [-row["open"] if row["kind"] == "out_refund" else Decimal(0) for row in mine]
        assert figures["totals.credited"] == (sum(credited) if mine else None)
        if partner["id"] in reference:
            row = reference[partner["id"]]
            assert figures["totals.overdue"] == row["overdue_company_currency"]
            assert figures["totals.documents"] == row["documents"]


def test_aging_equals_the_reference_and_the_ledger(ask: Face, rows_of: Rows, erp: Any) -> None:
    figures = ask("getReceivablesAging", asOfDate=DAY)
    ages = {"notDue": "not_due", "days1to30": "d1_30", "days31to60": "d31_60", "days61to90": "d61_90"}
    ages |= {"daysOver90": "d90_plus", "total": "total"}
    reference = {row["customer"]: row for row in erp.reference("ar_aging_now")}
    rows = {row["customer"]: row for row in rows_of(figures, "customers")}
    assert rows.keys() == reference.keys()
    for customer, row in rows.items():
        assert {age: row[age] for age in ages} == {age: reference[customer][column] for age, column in ages.items()}
        assert row["undated"] == 0
    assert figures["ledger.balance"] == sum(row["total"] for row in reference.values())
    assert figures["ledger.balance"] == sum(row["balance"] for row in erp.reference("open_balance_by_customer"))


def test_payments_received_equal_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    reference = {
        (row["month"].strftime("%Y-%m"), row["currency"]): (row["n"], row["amount"], row["amount_company"])
        for row in erp.reference("payments_received_by_month")
    }
    figures = ask("getPaymentsReceived")
    assert by_month(rows_of(figures, "months")) == reference
    totals = rows_of(figures, "totals")
    assert len(totals) == len({currency for _, currency in reference})
    assert sum(row["paymentCount"] for row in totals) == sum(count for count, _, _ in reference.values())


def test_payments_of_one_month_are_those_of_that_month(ask: Face, rows_of: Rows, erp: Any) -> None:
    """An optional period that a caller gives is never left out."""
    every = {
        (row["month"].strftime("%Y-%m"), row["currency"]): (row["n"], row["amount"], row["amount_company"])
        for row in erp.reference("payments_received_by_month")
    }
    for month in sorted({month for month, _ in every}):
        figures = ask("getPaymentsReceived", period=month)
        assert by_month(rows_of(figures, "months")) == {key: row for key, row in every.items() if key[0] == month}


def test_payments_of_every_partner_equal_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    months = erp.sql(
        f"""SELECT p.commercial_partner_id AS partner, to_char(ap.date, 'YYYY-MM') AS month, cur.name AS currency,
        COUNT(*) AS n, SUM(ap.amount) AS amount, SUM(ap.amount_company_currency_signed) AS company,
        MAX(ap.date) AS last {PAYMENTS} GROUP BY 1, 2, 3"""
    )
    for partner in partners(erp):
        mine = [row for row in months if row["partner"] == partner["id"]]
        figures = ask("getPaymentsReceived", customer=str(partner["id"]))
        assert by_month(rows_of(figures, "months")) == {
            (row["month"], row["currency"]): (row["n"], row["amount"], row["company"]) for row in mine
        }
        totals = rows_of(figures, "totals")
        by_currency: dict[str, list[dict[str, Any]]] = {}
        for row in mine:
            by_currency.setdefault(row["currency"], []).append(row)
        assert [(t["paymentCount"], t["totalReceived"], t["lastPaid"]) for t in totals] == [
            (sum(r["n"] for r in rows), sum(r["amount"] for r in rows), max(r["last"] for r in rows))
            for _, rows in sorted(by_currency.items())
        ]


def by_month(rows: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[int, Decimal, Decimal]]:
    return {(r["month"], r["currency"]): (r["payments"], r["received"], r["inCompanyCurrency"]) for r in rows}


def test_every_control_check_held(session: Session) -> None:
    checks = {op: len(session.run(op, {}).checks) for op in ("getReceivablesAging", "getPaymentsReceived")}
    assert checks == {"getReceivablesAging": 2, "getPaymentsReceived": 1}


def test_a_name_in_many_languages_is_read_in_the_one_the_catalog_says(session: Session, erp: Any) -> None:
    (account,) = erp.sql(
        "SELECT id, name ->> 'en_US' AS name, code_store ->> '1' AS code FROM account_account WHERE code_store ? '1' ORDER BY id LIMIT 1"
    )
    row = session.record_row("account", str(account["id"]))
    assert isinstance(row, Row)
    assert row.label == f"{account['code']} {account['name']}"


def test_a_row_links_to_the_erp(session: Session, erp: Any) -> None:
    partner = partners(erp)[0]
    row = session.record_row("partner", str(partner["id"]))
    assert isinstance(row, Row)
    assert row.url == f"https://odoo.example/odoo/res.partner/{partner['id']}"


@pytest.mark.parametrize("company", [1, 2])
def test_companies_are_kept_apart(session: Session, erp: Any, company: int) -> None:
    (ledger,) = erp.sql(
        "SELECT SUM(aml.balance) AS balance FROM account_move_line aml JOIN account_account aa ON aa.id = aml.account_id WHERE aml.company_id = %(company)s AND aml.parent_state = 'posted' AND aa.account_type = 'asset_receivable'",
        company=company,
    )
    result = session.run("getReceivablesAging", {"company": company})
    assert dict(result.figures())["ledger.balance"].value == ledger["balance"]
