"""Statements of several levels over an Odoo company: as it was, running, both sides; each against correct SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest

from footnote.session import Session

ERP = "odoo"
DAY = "2026-11-29"
PAST = "2026-09-30"

Rows = Callable[[Mapping[str, Any], str], list[dict[str, Any]]]

REFERENCES: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "ar_aging_as_of_2026_09_30": (
        "getAgingAsOf",
        {"asOfDate": PAST},
        {"customer": "customer", "bucket": "bucket", "amount": "amount"},
    ),
    "open_balance_by_customer": (
        "getOpenBalances",
        {},
        {"customer": "customer", "balance": "balance", "unallocated": "unallocated_payments"},
    ),
    "trial_balance": (
        "getTrialBalance",
        {"asOfDate": DAY},
        {"code": "code", "debit": "debit", "credit": "credit", "balance": "balance"},
    ),
    "pnl_by_month": (
        "getProfitByMonth",
        {},
        {"month": "month", "income": "income", "expense": "expense", "result": "result"},
    ),
    "top_customers": (
        "getTopCustomers",
        {},
        {"customer": "customer", "revenue": "revenue", "documents": "documents"},
    ),
    "ap_aging": (
        "getPayablesAging",
        {"asOfDate": DAY},
        {"vendor": "vendor", "bucket": "bucket", "amount": "amount"},
    ),
    "customers_never_paid": (
        "getCustomersThatNeverPaid",
        {},
        {"customer": "customer", "open": "open_amount"},
    ),
    "running_balance_window": (
        "getCashByMonth",
        {},
        {"month": "month", "net": "net", "cumulative": "cumulative"},
    ),
    "ar_ap_union": ("getBothSides", {}, {"side": "side", "amount": "amount", "partners": "partners"}),
    "invoice_vs_payment_cte_join": (
        "getBilledAndPaid",
        {},
        {"customer": "customer", "billed": "billed", "paid": "paid", "difference": "diff"},
    ),
}


def month(value: Any) -> Any:
    return value.strftime("%Y-%m") if hasattr(value, "strftime") else value


@pytest.mark.parametrize("name", REFERENCES)
def test_every_figure_equals_the_reference(session: Session, rows_of: Rows, erp: Any, name: str) -> None:
    operation, arguments, columns = REFERENCES[name]
    result = session.run(operation, arguments)
    rows = rows_of({address: figure.value for address, figure in result.figures()}, "rows")
    mine = [tuple(row[ours] for ours in columns) for row in rows]
    reference = [tuple(month(row[theirs]) for theirs in columns.values()) for row in erp.reference(name)]
    assert mine
    assert sorted(mine, key=repr) == sorted(reference, key=repr)
    for address, figure in result.figures():
        if figure.method in ("sum", "count", "running"):
            assert sum(Decimal(str(c.amount)) for c in figure.contributions) == (figure.value or 0), address


def test_receivables_as_they_were_equal_the_ledger_as_it_was(session: Session, erp: Any) -> None:
    """Today's open amounts, or a reconciliation too many, would give another figure that looks as right."""
    result = session.run("getAgingAsOf", {"asOfDate": PAST})
    (ledger,) = erp.sql(
        "SELECT SUM(aml.balance) AS balance FROM account_move_line aml JOIN account_account aa ON aa.id = aml.account_id"
        " WHERE aml.company_id = 1 AND aml.parent_state = 'posted' AND aa.account_type = 'asset_receivable'"
        " AND aml.date <= %(day)s",
        day=PAST,
    )
    total = sum(figure.value for address, figure in result.figures() if address.endswith(".amount"))  # type: ignore[misc]
    assert total == ledger["balance"]


def test_receivables_today_equal_the_ledger(session: Session, erp: Any) -> None:
    result = session.run("getOpenBalances", {})
    total = sum(figure.value for address, figure in result.figures() if address.endswith(".balance"))  # type: ignore[misc]
    assert total == Decimal("901981.36")


def test_an_open_amount_shows_its_reconciliations(session: Session, erp: Any) -> None:
    result = session.run("getAgingAsOf", {"asOfDate": PAST})
    partly = [
        contribution
        for address, figure in result.figures()
        if address.endswith(".amount")
        for contribution in figure.contributions
        if contribution.items
    ]
    assert partly
    for contribution in partly:
        line = contribution.evidence.removeprefix("item:")
        (row,) = erp.sql("SELECT balance FROM account_move_line WHERE id = %(id)s", id=int(line))
        paid = [
            erp.sql("SELECT amount, debit_move_id FROM account_partial_reconcile WHERE id = %(id)s", id=int(number))[0]
            for number in (item.evidence.removeprefix("reconciliation:") for item in contribution.items)
        ]
        signed = [-one["amount"] if one["debit_move_id"] == int(line) else one["amount"] for one in paid]
        assert row["balance"] + sum(signed) == contribution.amount
