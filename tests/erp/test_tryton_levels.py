"""Statements of several levels over a Tryton company, each against SQL that is known to be correct."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest

from footnote.session import Session

ERP = "tryton"
DAY = "2026-11-29"

Rows = Callable[[Mapping[str, Any], str], list[dict[str, Any]]]

REFERENCES: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "open_balance_by_invoice": (
        "getOpenByInvoice",
        {},
        {"number": "number", "open": "open_company_currency", "paidUnreconciled": "paid_unreconciled"},
    ),
    "trial_balance": (
        "getTrialBalance",
        {},
        {"code": "code", "debit": "debit", "credit": "credit", "balance": "balance"},
    ),
    "pnl_by_period": (
        "getProfitByPeriod",
        {},
        {"period": "period", "revenue": "revenue", "expense": "expense"},
    ),
    "top_customers": ("getTopCustomers", {}, {"customer": "customer", "revenue": "revenue"}),
    "ap_aging": (
        "getPayablesAging",
        {"asOfDate": DAY},
        {"supplier": "supplier", "bucket": "bucket", "amount": "amount"},
    ),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_every_figure_equals_the_reference(session: Session, rows_of: Rows, erp: Any, name: str) -> None:
    operation, arguments, columns = REFERENCES[name]
    result = session.run(operation, arguments)
    rows = rows_of({address: figure.value for address, figure in result.figures()}, "rows")
    mine = [tuple(row[ours] for ours in columns) for row in rows]
    reference = [tuple(row[theirs] for theirs in columns.values()) for row in erp.reference(name)]
    assert mine
    assert sorted(mine, key=repr) == sorted(reference, key=repr)
    for address, figure in result.figures():
        if figure.method in ("sum", "count"):
            assert sum(Decimal(str(c.amount)) for c in figure.contributions) == (figure.value or 0), address
