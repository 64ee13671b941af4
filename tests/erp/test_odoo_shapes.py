"""Statements of several shapes over an Odoo company: HAVING, NOT EXISTS, windows, both sides; each against correct SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest

from footnote.session import Session

ERP = "odoo"
DAY = "2026-11-29"

Face = Callable[..., Mapping[str, Any]]
Rows = Callable[[Mapping[str, Any], str], list[dict[str, Any]]]

REFERENCES: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "pnl_by_month": (
        "getProfitByMonth",
        {},
        {"month": "month", "income": "income", "expense": "expense", "result": "result"},
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


def test_overdue_by_customer_equals_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    rows = rows_of(ask("getOverdueByCustomer", asOfDate=DAY), "customers")
    columns = {"customer": "customer", "documents": "documents", "overdue": "overdue_company_currency"}
    columns["oldestDue"] = "oldest_due"
    reference = [
        {ours: row[theirs] for ours, theirs in columns.items()} for row in erp.reference("overdue_by_customer")
    ]
    assert rows == reference  # in the same order, too


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
