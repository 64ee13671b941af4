"""The sample's statements, run with plain SQLite and compared with the same figures counted in Python.

The typed functions are registered on the connection, so that nothing of Footnote but the catalog's text takes part.
"""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from footnote.catalog.model import Catalog
from footnote.connect import seed
from footnote.connect.seed import seed_connection

TODAY = "2026-08-14"
PERIOD = {"period_from": "2026-01-01", "period_to": "2026-12-31", "currency": "EUR"}
CUSTOMERS = range(4471, 4511)
Row = dict[str, Any]
Run = Callable[..., list[Row]]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    text = (Path(seed.__file__).parent.parent / "packs" / "sample" / "catalog.yaml").read_text(encoding="utf-8")
    return Catalog.model_validate(yaml.safe_load(text))


@pytest.fixture(scope="module")
def sample() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    seed_connection(connection)
    day = dt.date.fromisoformat
    connection.create_function("days_between", 2, lambda later, earlier: (day(later) - day(earlier)).days)
    connection.create_function("month_of", 1, lambda date: date[:7])
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def run(catalog: Catalog, sample: sqlite3.Connection) -> Run:
    """Runs a statement with arguments; optional segments of what is not given are dropped."""

    def run(operation: str, statement: str, **arguments: object) -> list[Row]:
        text = catalog.operations[operation].statements[statement].statement
        assert isinstance(text, str)
        sql = re.sub(r"\[\[(.*?:(\w+).*?)\]\]", lambda m: m[1] if m[2] in arguments else "", text)
        cursor = sample.execute(sql, arguments)
        names = [column[0] for column in cursor.description]
        assert set(names) == set(catalog.operations[operation].statements[statement].columns)
        return [dict(zip(names, row, strict=True)) for row in cursor]

    return run


@pytest.fixture(scope="module")
def table(sample: sqlite3.Connection) -> Callable[[str], list[Row]]:
    def read(name: str) -> list[Row]:
        cursor = sample.execute(f"SELECT * FROM {name} ORDER BY id")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    return read


def days(row: Row, today: str = TODAY) -> int:
    return (dt.date.fromisoformat(today) - dt.date.fromisoformat(row["due_on"])).days


def left(row: Row) -> int:
    return int(row["amount_cents"]) - int(row["paid_cents"])


def code(row: Row) -> str:
    """The row's currency; where a parameter is called that too, the column has another name."""
    return str(row["currency"] if "currency" in row else row["currencyCode"])


def sums(pairs: Any) -> dict[Any, int]:
    out: dict[Any, int] = defaultdict(int)
    for key, amount in pairs:
        out[key] += amount
    return dict(out)


def bucket(row: Row) -> str:
    if left(row) < 0:
        return "credits not used yet"
    late = days(row)
    for most, name in ((0, "not yet due"), (30, "1–30 days"), (60, "31–60 days"), (90, "61–90 days")):
        if late <= most:
            return name
    return "90+ days"


def test_bergmanns_overdue_invoices_are_the_published_four(run: Run) -> None:
    rows = run("getOverdueInvoices", "invoices", customer=4471, asOfDate=TODAY)
    assert [(r["number"], r["outstanding"], r["dueOn"], r["daysOverdue"]) for r in rows] == [
        ("INV-2026-8812", 1_845_000, "2026-05-02", 104),
        ("INV-2026-8834", 962_500, "2026-05-18", 88),
        ("INV-2026-8901", 840_000, "2026-06-05", 70),
        ("INV-2026-8977", 733_000, "2026-06-28", 47),
    ]
    assert run("getOverdueInvoices", "totals", customer=4471, asOfDate=TODAY) == [
        {"currency": "EUR", "invoiceCount": 4, "totalOutstanding": 4_380_500, "oldestDaysOverdue": 104}
    ]


def test_overdue_totals_of_every_customer_are_what_python_counts(run: Run, table: Any) -> None:
    for customer in CUSTOMERS:
        open_rows = [
            r for r in table("invoices") if r["customer_id"] == customer and r["status"] != "credited" and left(r) > 0
        ]
        overdue = [r for r in open_rows if days(r) > 0]
        totals = run("getOverdueInvoices", "totals", customer=customer, asOfDate=TODAY)
        assert {r["currency"]: r["totalOutstanding"] for r in totals} == sums((r["currency"], left(r)) for r in overdue)
        assert sum(r["invoiceCount"] for r in totals) == len(overdue)
        listed = run("getOverdueInvoices", "invoices", customer=customer, asOfDate=TODAY)
        assert [r["id"] for r in listed] == [r["id"] for r in sorted(overdue, key=lambda r: (r["due_on"], r["id"]))]


def test_summary_balances_are_net_of_credits(run: Run, table: Any) -> None:
    for customer in CUSTOMERS:
        mine = [r for r in table("invoices") if r["customer_id"] == customer and r["status"] != "credited" and left(r)]
        balances = run("getCustomerSummary", "balances", customer=customer, asOfDate=TODAY)
        assert {r["currency"]: r["openBalance"] for r in balances} == sums((r["currency"], left(r)) for r in mine)
        late = sums((r["currency"], left(r) if left(r) > 0 and days(r) > 0 else 0) for r in mine)
        assert {r["currency"]: r["overdueBalance"] for r in balances} == late
        assert run("getCustomerSummary", "open", customer=customer) == [{"openItemCount": len(mine)}]
    sturmvogel = run("getCustomerSummary", "balances", customer=4498, asOfDate=TODAY)
    assert sturmvogel[0]["openBalance"] < sturmvogel[0]["overdueBalance"]  # an open credit note


def test_a_customer_without_invoices_has_a_summary(run: Run) -> None:
    assert run("getCustomerSummary", "master", customer=4482)[0]["name"] == "Wolkenkuckuck Verlag GmbH"
    assert run("getCustomerSummary", "balances", customer=4482, asOfDate=TODAY) == []
    assert run("getCustomerSummary", "open", customer=4482) == [{"openItemCount": 0}]
    assert run("getCustomerSummary", "tickets", customer=4482) == [{"ticketCount": 0, "highSeverityCount": 0}]


def test_nordwinds_payments_of_the_year_are_the_published_one(run: Run) -> None:
    totals = run("getPaymentHistory", "totals", customer=4472, sinceDate="2026-01-01")
    assert totals == [{"currency": "EUR", "paymentCount": 1, "totalPaid": 845_000, "lastReceivedOn": "2026-07-24"}]
    (payment,) = run("getPaymentHistory", "payments", customer=4472, sinceDate="2026-01-01")
    assert (payment["invoiceNumber"], payment["amount"]) == ("INV-2026-9010", 845_000)


def test_payments_of_every_customer_are_what_python_counts(run: Run, table: Any) -> None:
    owner = {r["id"]: r["customer_id"] for r in table("invoices")}
    for customer in CUSTOMERS:
        mine = [r for r in table("payments") if owner[r["invoice_id"]] == customer and r["received_on"] >= "2026-01-01"]
        totals = run("getPaymentHistory", "totals", customer=customer, sinceDate="2026-01-01")
        assert {r["currency"]: r["totalPaid"] for r in totals} == sums((r["currency"], r["amount_cents"]) for r in mine)
        listed = run("getPaymentHistory", "payments", customer=customer, sinceDate="2026-01-01")
        assert sorted(r["id"] for r in listed) == [r["id"] for r in mine]


def test_bergmanns_open_tickets_are_the_published_two_severest_first(run: Run) -> None:
    rows = run("getOpenTickets", "tickets", customer=4471)
    assert [(r["id"], r["severity"]) for r in rows] == [(551, "high"), (552, "medium")]
    assert run("getOpenTickets", "totals", customer=4471) == [{"ticketCount": 2, "highSeverityCount": 1}]


def test_a_reopened_ticket_is_listed_and_one_closed_again_is_not(run: Run) -> None:
    assert 538 in [r["id"] for r in run("getOpenTickets", "tickets", customer=4478)]
    assert 541 not in [r["id"] for r in run("getOpenTickets", "tickets", customer=4488)]


@pytest.mark.parametrize(
    ("operation", "documents", "partner"),
    [("getReceivablesAging", "invoices", "customer"), ("getPayablesAging", "bills", "supplier")],
)
def test_aging_puts_every_open_item_in_one_bucket(
    run: Run, table: Any, operation: str, documents: str, partner: str
) -> None:
    rows = [r for r in table(documents) if r["status"] != "credited" and left(r)]
    buckets = run(operation, "buckets", asOfDate=TODAY)
    assert {(r["currency"], r["bucket"]): r["outstanding"] for r in buckets} == sums(
        ((r["currency"], bucket(r)), left(r)) for r in rows
    )
    assert sum(r["itemCount"] for r in buckets) == len(rows)
    order = [(r["currency"], r["bucketOrder"]) for r in buckets]
    assert order == sorted(order)
    for total in run(operation, "totals", asOfDate=TODAY):
        mine = [r for r in rows if r["currency"] == total["currency"]]
        assert total["totalOutstanding"] == sum(map(left, mine))
        assert total["openItemCount"] == len(mine)
        assert total[f"{partner}Count"] == len({r[f"{partner}_id"] for r in mine})
        assert total["totalOverdue"] == sum(left(r) for r in mine if left(r) > 0 and days(r) > 0)


@pytest.mark.parametrize(
    ("operation", "plus", "minus", "arguments"),
    [
        ("getReceivablesAging", ("invoiced", "totalInvoiced"), ("received", "totalReceived"), {}),
        ("getReceivablesAging", ("invoiced", "totalInvoiced"), ("received", "totalReceived"), {"customer": 4480}),
        ("getReceivablesByCustomer", ("invoiced", "totalInvoiced"), ("received", "totalReceived"), {}),
        ("getReceivablesByCustomer", ("invoiced", "totalInvoiced"), ("received", "totalReceived"), {"customer": 4480}),
        ("getReceivablesByCustomer", ("invoiced", "totalInvoiced"), ("received", "totalReceived"), {"currency": "USD"}),
        ("getPayablesAging", ("billed", "totalBilled"), ("disbursed", "totalDisbursed"), {}),
        ("getPayablesAging", ("billed", "totalBilled"), ("disbursed", "totalDisbursed"), {"supplier": 705}),
    ],
)
def test_what_is_open_equals_its_ledger(
    run: Run, operation: str, plus: tuple[str, str], minus: tuple[str, str], arguments: dict[str, Any]
) -> None:
    ledger = sums(
        [
            *((code(r), r[plus[1]]) for r in run(operation, plus[0], **arguments)),
            *((code(r), -r[minus[1]]) for r in run(operation, minus[0], **arguments)),
        ]
    )
    totals = run(operation, "totals", asOfDate=TODAY, **arguments)
    assert {code(r): r["totalOutstanding"] for r in totals} == ledger


def test_receivables_by_customer_have_a_row_for_each_customer_and_currency(run: Run, table: Any) -> None:
    rows = [r for r in table("invoices") if r["status"] != "credited" and left(r)]
    listed = run("getReceivablesByCustomer", "customers", asOfDate=TODAY)
    late = [r for r in rows if left(r) > 0 and days(r) > 0]
    balances = sums(((r["currency"], r["customer_id"]), left(r)) for r in rows)
    assert {(r["currencyCode"], r["id"]): r["openBalance"] for r in listed} == balances
    overdue = sums(((r["currency"], r["customer_id"]), left(r)) for r in late)
    assert {(r["currencyCode"], r["id"]): r["overdueBalance"] for r in listed if r["overdueBalance"]} == overdue
    for row in listed:
        mine = [r for r in rows if (r["currency"], r["customer_id"]) == (row["currencyCode"], row["id"])]
        assert row["itemCount"] == len(mine)
        assert row["oldestDaysOverdue"] == max([days(r) for r in mine if r in late], default=0)
    order = [(r["currencyCode"], -r["openBalance"], r["id"]) for r in listed]
    assert order == sorted(order)


def test_receivables_by_customer_add_up_to_the_aging(run: Run) -> None:
    totals = run("getReceivablesByCustomer", "totals", asOfDate=TODAY)
    aging = run("getReceivablesAging", "totals", asOfDate=TODAY)
    same = ("totalOutstanding", "totalOverdue", "openItemCount", "customerCount")
    assert [[r["currencyCode"], *(r[name] for name in same)] for r in totals] == [
        [r["currency"], *(r[name] for name in same)] for r in aging
    ]
    listed = run("getReceivablesByCustomer", "customers", asOfDate=TODAY)
    for total in totals:
        mine = [r for r in listed if r["currencyCode"] == total["currencyCode"]]
        assert total["overdueCustomerCount"] == sum(1 for r in mine if r["overdueBalance"] > 0)


def test_top_customers_are_the_ten_with_the_highest_revenue(run: Run, table: Any) -> None:
    invoices = [r for r in table("invoices") if r["currency"] == "EUR" and r["issued_on"] >= "2026-01-01"]
    revenue = sums((r["customer_id"], r["amount_cents"]) for r in invoices)
    expected = sorted(revenue.items(), key=lambda item: (-item[1], item[0]))[:10]
    rows = run("getTopCustomers", "customers", **PERIOD)
    assert [(r["id"], r["revenue"]) for r in rows] == expected
    (total,) = run("getTopCustomers", "totals", **PERIOD)
    assert (total["totalRevenue"], total["documentCount"]) == (sum(revenue.values()), len(invoices))


def test_revenue_by_month_is_net_of_credit_notes(run: Run, table: Any) -> None:
    invoices = [r for r in table("invoices") if r["currency"] == "EUR" and r["issued_on"] >= "2026-01-01"]
    rows = run("getRevenueByMonth", "months", **PERIOD)
    assert {r["month"]: r["revenue"] for r in rows} == sums((r["issued_on"][:7], r["amount_cents"]) for r in invoices)
    assert [r["month"] for r in rows] == [f"2026-{month:02}" for month in range(1, 9)]
    (total,) = run("getRevenueByMonth", "totals", **PERIOD)
    assert total["totalRevenue"] == sum(r["revenue"] for r in rows)
    assert total["lastIssuedOn"] == max(r["issued_on"] for r in invoices)
