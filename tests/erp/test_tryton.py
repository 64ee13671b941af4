"""Receivables of a Tryton company: every figure, through every face, against SQL that is known to be correct."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote.errors import NameUnknown
from footnote.session import Session

ERP = "tryton"
DAY = "2026-11-29"
DATA = Path(__file__).parents[3] / "shared" / "data"

Face = Callable[..., Mapping[str, Any]]
Rows = Callable[[Mapping[str, Any], str], list[dict[str, Any]]]

OPEN = """
    FROM account_move_line l JOIN account_move m ON m.id = l.move JOIN account_account a ON a.id = l.account
    JOIN account_account_type t ON t.id = a.type
    WHERE m.state = 'posted' AND t.receivable AND l.reconciliation IS NULL AND l.maturity_date < '2026-11-29'
"""


def customers(erp: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = erp.sql("SELECT id, name, code FROM party_party ORDER BY id")
    return found


def test_overdue_by_customer_equals_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    rows = rows_of(ask("getOverdueByCustomer", asOfDate=DAY), "customers")
    reference = {row["customer"]: row for row in erp.reference("overdue_by_customer")}
    assert {r["customer"]: (r["moves"], r["overdue"]) for r in rows} == {
        name: (row["moves"], row["overdue"]) for name, row in reference.items()
    }
    oldest = f"SELECT p.name, MIN(o.due) AS due, DATE '{DAY}' - MIN(o.due) AS days FROM (SELECT l.party, l.maturity_date AS due {OPEN}) o JOIN party_party p ON p.id = o.party GROUP BY p.name"
    assert {r["customer"]: (r["oldestDue"], r["oldestDays"]) for r in rows} == {
        row["name"]: (row["due"], row["days"]) for row in erp.sql(oldest)
    }
    order = {row["name"]: row["id"] for row in customers(erp)}
    assert [order[r["customer"]] for r in rows] == sorted(order[r["customer"]] for r in rows)


def test_overdue_above_an_amount_keeps_the_customers_above_it(ask: Face, rows_of: Rows, erp: Any) -> None:
    limit = Decimal("10000.5")
    rows = rows_of(ask("getOverdueByCustomer", asOfDate=DAY, moreThan=str(limit)), "customers")
    reference = {row["customer"]: row["overdue"] for row in erp.reference("overdue_by_customer")}
    above = {name: overdue for name, overdue in reference.items() if overdue > limit}
    assert 0 < len(above) < len(reference)
    assert {r["customer"]: r["overdue"] for r in rows} == above


def test_overdue_of_every_customer_equals_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    reference = {row["party_id"]: row for row in erp.reference("overdue_by_customer")}
    lines = erp.sql(
        f'SELECT l.party, m.number AS move, l.maturity_date AS "dueOn", l.debit - l.credit AS open, DATE \'{DAY}\' - l.maturity_date AS "daysOverdue" {OPEN} ORDER BY l.maturity_date, l.id'
    )
    for customer in customers(erp):
        figures = ask("getOverdueOfCustomer", customer=customer["name"], asOfDate=DAY)
        mine = [{k: v for k, v in row.items() if k != "party"} for row in lines if row["party"] == customer["id"]]
        assert rows_of(figures, "lines") == mine
        row = reference.get(customer["id"])
        assert figures["totals.moves"] == (row["moves"] if row else 0)
        assert figures["totals.overdue"] == (row["overdue"] if row else None)
        assert figures["totals.oldestDue"] == (mine[0]["dueOn"] if mine else None)


def test_aging_equals_the_reference_and_the_ledger(ask: Face, rows_of: Rows, erp: Any) -> None:
    figures = ask("getReceivablesAging", asOfDate=DAY)
    ages = ("notDue", "days1to30", "daysOver30", "total")
    reference = {
        row["customer"]: (
            row["not_due"],
            row["d1_30"],
            row["d30_plus"],
            row["not_due"] + row["d1_30"] + row["d30_plus"],
        )
        for row in erp.reference("ar_aging")
    }
    assert {r["customer"]: tuple(r[age] for age in ages) for r in rows_of(figures, "customers")} == reference
    (ledger,) = erp.sql(
        "SELECT SUM(l.debit - l.credit) AS balance FROM account_move_line l JOIN account_move m ON m.id = l.move JOIN account_account a ON a.id = l.account JOIN account_account_type t ON t.id = a.type WHERE m.state = 'posted' AND t.receivable"
    )
    assert figures["ledger.balance"] == ledger["balance"] == sum(row[-1] for row in reference.values())


def test_payments_received_equal_the_reference(ask: Face, rows_of: Rows, erp: Any) -> None:
    reference = {row["customer"]: (row["received"], row["n"]) for row in erp.reference("payments_received")}
    figures = ask("getPaymentsReceived")
    assert {r["customer"]: (r["received"], r["payments"]) for r in rows_of(figures, "customers")} == reference
    assert figures["total.totalReceived"] == sum(received for received, _ in reference.values())
    assert figures["total.paymentCount"] == sum(count for _, count in reference.values())
    for customer in customers(erp):
        figures = ask("getPaymentsReceived", customer=customer["name"])
        received, count = reference.get(customer["name"], (None, 0))
        assert figures["total.totalReceived"] == received
        assert figures["total.paymentCount"] == count
        rows = rows_of(figures, "customers")
        assert [(r["received"], r["payments"]) for r in rows] == ([(received, count)] if count else [])


def test_nothing_overdue_is_said(session: Session, erp: Any) -> None:
    owing = {row["party_id"] for row in erp.reference("overdue_by_customer")}
    customer = next(row for row in customers(erp) if row["id"] not in owing)
    result = session.run("getOverdueOfCustomer", {"customer": customer["name"], "asOfDate": DAY})
    assert result.empty == f"{customer['name']} has nothing overdue as of {DAY}."


def test_every_control_check_held(session: Session) -> None:
    checks = {op: len(session.run(op, {}).checks) for op in ("getReceivablesAging", "getPaymentsReceived")}
    assert checks == {"getReceivablesAging": 2, "getPaymentsReceived": 1}


def test_a_customer_that_does_not_exist_is_refused(session: Session) -> None:
    with pytest.raises(NameUnknown):
        session.run("getOverdueOfCustomer", {"customer": "Nobody we ever heard of"})


# --- the same ERP on SQLite, which keeps decimals as bytes ------------------------------------------------------------

LINES = """
    SELECT p.name AS customer, m.id AS move, l.debit, l.credit, l.maturity_date AS due
    FROM account_move_line l JOIN account_move m ON m.id = l.move JOIN account_account a ON a.id = l.account
    JOIN account_account_type t ON t.id = a.type JOIN party_party p ON p.id = l.party
    WHERE m.state = 'posted' AND t.receivable AND l.reconciliation IS NULL
"""


def test_decimals_that_sqlite_keeps_as_bytes_add_up_exactly(erp: Any, rows_of: Rows, tmp_path: Path) -> None:
    original = DATA / "tryton.sqlite"
    if not original.exists():
        pytest.skip("there is no tryton.sqlite in ../shared/data beside the repository")
    database = tmp_path / "tryton.db"
    shutil.copyfile(original, database)
    connection = sqlite3.connect(database)
    overdue: dict[str, Decimal] = {}
    total = Decimal(0)
    for customer, _, debit, credit, due in connection.execute(LINES):
        left = Decimal(debit.decode()) - Decimal(credit.decode())
        total += left
        if due is not None and due < DAY:
            overdue[customer] = overdue.get(customer, Decimal(0)) + left
    connection.close()
    catalog = tmp_path / "catalog.yaml"
    text = (Path(__file__).parent / "tryton.yaml").read_text(encoding="utf-8")
    catalog.write_text(text.replace("engines: [postgres]", "engines: [postgres, sqlite]"), encoding="utf-8")
    environ = erp.environ | {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
    with footnote.open(str(catalog), database_url=f"sqlite:///{database}", environ=environ) as session:
        figures = {address: f.value for address, f in session.run("getOverdueByCustomer", {"asOfDate": DAY}).figures()}
        assert {r["customer"]: r["overdue"] for r in rows_of(figures, "customers")} == overdue
        figures = {address: f.value for address, f in session.run("getReceivablesAging", {"asOfDate": DAY}).figures()}
        assert figures["ledger.balance"] == total
        limit = Decimal("20000.5")
        above = session.run("getOverdueByCustomer", {"asOfDate": DAY, "moreThan": str(limit)})
        assert len(above.tables["customers"].rows) == sum(left > limit for left in overdue.values())
