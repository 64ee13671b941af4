"""The pack `erpnext` over tables of ERPNext on MariaDB: every operation against SQL and Python written for the test.

The rows are synthetic, and the tables a part of ERPNext's; `tabCompany`, which says the currency of a company, is made here.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import footnote
from footnote.cli import main
from footnote.errors import NameAmbiguous
from footnote.evidence import Row
from footnote.operations.result import Result
from footnote.session import Session

DATA = Path(__file__).parents[3] / "shared" / "data"
DUMP = DATA / "erpnext-subset.sql"
DAY = "2026-11-29"
DAYS = ("2026-05-31", "2026-08-31", DAY)
COMPANIES = ("Alpha", "Beta")
AGES = ("notDue", "days1to30", "days31to60", "days61to90", "daysOver90")

Record = dict[str, Any]
Rows = Callable[[Mapping[str, Any], str], list[Record]]


@dataclass(frozen=True)
class Erp:
    """The database as a login that may only read it, and as its administrator."""

    url: str
    owner: str
    environ: dict[str, str]

    def sql(self, text: str, *parameters: object) -> list[Record]:
        """Rows of a statement, straight from the driver."""
        return _run(self.owner, text, parameters)

    def reference(self, name: str) -> list[Record]:
        """Rows of a statement that is known to be correct."""
        text = (DATA / "erpnext-queries.sql").read_text(encoding="utf-8")
        found = dict(re.findall(r"^-- name: (\w+)\n(.*?)(?=^-- name:|\Z)", text, re.DOTALL | re.MULTILINE))
        return self.sql(found[name])


def _place(url: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"mysql://(\w+)@/(\w+)\?unix_socket=(.+)", url)
    assert found is not None
    return found[1], found[2], found[3]


def _run(url: str, text: str, parameters: Sequence[object] = ()) -> list[Record]:
    import pymysql

    user, database, socket = _place(url)
    connection = pymysql.connect(
        unix_socket=socket, user=user, database=database, cursorclass=pymysql.cursors.DictCursor, autocommit=True
    )
    with connection, connection.cursor() as cursor:
        cursor.execute(text, parameters or None)
        return list(cursor.fetchall())


@pytest.fixture(scope="module")
def erp(mysql_url: str, mysql_reader_url: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Erp:
    if not DUMP.exists():
        pytest.skip("there is no erpnext-subset.sql in ../shared/data beside the repository")
    user, database, socket = _place(mysql_url)
    program = shutil.which("mariadb")
    assert program is not None
    with DUMP.open("rb") as file:
        command = [program, "--no-defaults", f"--socket={socket}", f"--user={user}", database]
        subprocess.run(command, stdin=file, check=True, capture_output=True, timeout=120)
    _run(mysql_url, "CREATE TABLE `tabCompany` (name varchar(140) PRIMARY KEY, default_currency varchar(140))")
    _run(mysql_url, "INSERT INTO `tabCompany` VALUES ('Alpha', 'USD'), ('Beta', 'USD')")
    folder = tmp_path_factory.mktemp("erpnext")
    environ = {
        "FOOTNOTE_CATALOG": "erpnext",
        "DATABASE_URL": mysql_reader_url(mysql_url),
        "FOOTNOTE_CACHE": str(folder / "cache"),
        "PROVENANCE_DB": str(folder / "log.db"),
        "PROVENANCE_ACTOR": "ana",
        "AS_OF_DATE": DAY,
    }
    return Erp(environ["DATABASE_URL"], mysql_url, environ)


@pytest.fixture(scope="module")
def session(erp: Erp) -> Iterator[Session]:
    with footnote.open(environ=erp.environ) as session:
        yield session


def values(result: Result) -> dict[str, Any]:
    """A result's figures by address, each that is a sum added up from its contributions once more."""
    for address, figure in result.figures():
        if figure.method in ("sum", "count", "running"):
            assert sum(Decimal(str(c.amount)) for c in figure.contributions) == (figure.value or 0), address
    return {address: figure.value for address, figure in result.figures()}


def total(rows: Sequence[Record], column: str) -> Decimal:
    return sum((row[column] for row in rows), Decimal(0))


def by(rows: Sequence[Record], column: str) -> dict[Any, list[Record]]:
    found: dict[Any, list[Record]] = defaultdict(list)
    for row in rows:
        found[row[column]].append(row)
    return found


def documents(erp: Erp, company: str, day: str) -> list[Record]:
    """What is open of each document on a day, by the payment ledger."""
    found = erp.sql(
        """SELECT p.party, p.against_voucher_no AS document, COALESCE(i.due_date, i.posting_date) AS due, SUM(p.amount) AS open,
        p.account_currency AS currency, SUM(p.amount_in_account_currency) AS in_currency
        FROM `tabPayment Ledger Entry` p JOIN `tabSales Invoice` i ON i.name = p.against_voucher_no
        WHERE p.company = %s AND p.delinked = 0 AND p.account_type = 'Receivable' AND p.posting_date <= %s
        GROUP BY p.party, p.against_voucher_no, COALESCE(i.due_date, i.posting_date), p.account_currency
        ORDER BY due, document""",
        company,
        day,
    )
    return [row for row in found if row["open"]]


def age(row: Record, day: str) -> str:
    days = (dt.date.fromisoformat(day) - row["due"]).days
    return next((AGES[place] for place, most in enumerate((0, 30, 60, 90)) if days <= most), AGES[-1])


def aged(rows: Sequence[Record], day: str) -> dict[str, Decimal]:
    return {name: sum((row["open"] for row in rows if age(row, day) == name), Decimal(0)) for name in AGES}


def ledger(erp: Erp, company: str, first: str, last: str) -> list[Record]:
    """What was posted to each account from a day to a day."""
    return erp.sql(
        """SELECT a.name AS account, a.root_type AS kind, a.account_type AS type, SUM(g.debit) AS debit,
        SUM(g.credit) AS credit, SUM(g.debit) - SUM(g.credit) AS balance
        FROM `tabGL Entry` g JOIN `tabAccount` a ON a.name = g.account
        WHERE g.company = %s AND g.is_cancelled = 0 AND g.posting_date BETWEEN %s AND %s
        GROUP BY a.name, a.root_type, a.account_type ORDER BY a.name""",
        company,
        first,
        last,
    )


def customers(erp: Erp) -> list[str]:
    return [row["name"] for row in erp.sql("SELECT name FROM `tabCustomer` ORDER BY name")]


def posted(erp: Erp, company: str, day: str) -> list[Record]:
    """Postings to receivable accounts up to a day."""
    return erp.sql(
        """SELECT g.party, g.name, g.posting_date AS postedOn, g.voucher_no AS document, g.debit, g.credit
        FROM `tabGL Entry` g JOIN `tabAccount` a ON a.name = g.account
        WHERE g.company = %s AND g.is_cancelled = 0 AND a.account_type = 'Receivable' AND g.posting_date <= %s
        ORDER BY g.posting_date, g.name""",
        company,
        day,
    )


# --- receivables ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
def test_overdue_and_position_of_every_customer(
    session: Session, rows_of: Rows, erp: Erp, company: str, day: str
) -> None:
    open_then, paid = by(documents(erp, company, day), "party"), by(payments(erp, company), "party")
    for customer in customers(erp):
        mine = open_then[customer]
        overdue = [row for row in mine if row["due"] < dt.date.fromisoformat(day)]
        asked = {"customer": customer, "asOfDate": day, "company": company}
        result = session.run("getOverdueInvoices", asked)
        figures = values(result)
        assert rows_of(figures, "documents") == [
            {
                "document": row["document"],
                "dueOn": row["due"],
                "open": row["open"],
                "daysOverdue": (dt.date.fromisoformat(day) - row["due"]).days,
            }
            for row in overdue
        ]
        assert bool(result.empty) is not bool(overdue)
        if overdue:
            assert figures["totals.totalOverdue"] == total(overdue, "open")
            assert figures["derived.documentCount"] == len(overdue)
        figures = values(session.run("getCustomerSummary", asked))
        if mine:
            assert figures["position.openBalance"] == total(mine, "open")
            assert {name: figures[f"position.{name}"] for name in AGES} == aged(mine, day)
        before = [row for row in paid[customer] if row["posting_date"] <= dt.date.fromisoformat(day)]
        assert figures["received.paymentCount"] == len(before)
        assert figures["received.lastPaidOn"] == max((row["posting_date"] for row in before), default=None)


def test_a_document_without_a_due_date_is_due_on_its_own_date_as_a_whole(
    session: Session, rows_of: Rows, erp: Erp
) -> None:
    due = {row["name"]: row["due_date"] for row in erp.sql("SELECT name, due_date FROM `tabSales Invoice`")}
    erp.sql("UPDATE `tabSales Invoice` SET due_date = NULL WHERE is_return = 1 OR name LIKE '%2' OR name LIKE '%5'")
    try:
        undated = {row["name"] for row in erp.sql("SELECT name FROM `tabSales Invoice` WHERE due_date IS NULL")}
        assert undated & {row["document"] for row in documents(erp, "Alpha", DAY)}
        test_overdue_and_position_of_every_customer(session, rows_of, erp, "Alpha", DAY)
        test_aging_equals_the_documents_and_the_ledger(session, rows_of, erp, "Alpha", DAY)
    finally:
        for name in undated:
            erp.sql("UPDATE `tabSales Invoice` SET due_date = %s WHERE name = %s", due[name], name)


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
def test_aging_equals_the_documents_and_the_ledger(
    session: Session, rows_of: Rows, erp: Erp, company: str, day: str
) -> None:
    figures = values(session.run("getReceivablesAging", {"asOfDate": day, "company": company}))
    names = {row["name"]: row["customer_name"] for row in erp.sql("SELECT name, customer_name FROM `tabCustomer`")}
    mine = documents(erp, company, day)
    expected = {
        names[party]: aged(rows, day) | {"total": total(rows, "open")} for party, rows in by(mine, "party").items()
    }
    shown = {row.pop("customer"): row for row in rows_of(figures, "customers")}
    assert shown == {name: row for name, row in expected.items() if row["total"]}
    receivable = [row for row in ledger(erp, company, "1900-01-01", day) if row["type"] == "Receivable"]
    assert figures["totals.totalOpen"] == total(receivable, "balance") == total(mine, "open")


def test_aging_equals_the_reference(session: Session, rows_of: Rows, erp: Erp) -> None:
    numbers = {row["customer_name"]: row["name"] for row in erp.sql("SELECT name, customer_name FROM `tabCustomer`")}
    figures = values(session.run("getReceivablesAging", {"asOfDate": DAY, "company": "Alpha"}))
    shown = {
        numbers[row["customer"]]: (row["notDue"], row["days1to30"], row["total"] - row["notDue"] - row["days1to30"])
        for row in rows_of(figures, "customers")
    }
    reference = erp.reference("ar_aging_payment_ledger")
    assert shown == {row["party"]: (row["not_due"], row["d30"], row["d30p"]) for row in reference}


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
def test_receivables_by_currency(session: Session, rows_of: Rows, erp: Erp, company: str, day: str) -> None:
    result = session.run("getReceivablesByCurrency", {"asOfDate": day, "company": company})
    mine = by(documents(erp, company, day), "currency")
    assert rows_of(values(result), "currencies") == [
        {
            "accountCurrency": currency,
            "openInCurrency": total(rows, "in_currency"),
            "open": total(rows, "open"),
        }
        for currency, rows in sorted(mine.items())
    ]
    assert {f.format.currency for address, f in result.figures() if address.endswith("openInCurrency")} == set(mine)
    assert len(mine) == 2


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize(("period", "last"), [("2026-Q2", "2026-06-30"), ("2026", "2026-12-31")])
def test_statements_of_every_customer(
    session: Session, rows_of: Rows, erp: Erp, company: str, period: str, last: str
) -> None:
    first = dt.date(2026, 4, 1) if "Q" in period else dt.date(2026, 1, 1)
    lines = by(posted(erp, company, last), "party")
    for customer in customers(erp):
        result = session.run("getCustomerStatement", {"customer": customer, "period": period, "company": company})
        mine, figures = lines[customer], values(result)
        expected = []
        for line in mine:
            until = [other for other in mine if other["postedOn"] <= line["postedOn"]]
            if line["postedOn"] >= first:
                kept = {name: line[name] for name in ("postedOn", "document", "debit", "credit")}
                expected.append(kept | {"balanceAfter": total(until, "debit") - total(until, "credit")})
        assert rows_of(figures, "lines") == expected
        if mine:
            closing = total(mine, "debit") - total(mine, "credit")
            assert figures["totals.closingBalance"] == closing
            assert figures["totals.openingBalance"] == closing - total(expected, "debit") + total(expected, "credit")


# --- payments ---------------------------------------------------------------------------------------------------------


def payments(erp: Erp, company: str) -> list[Record]:
    return erp.sql(
        """SELECT name, party, posting_date, paid_from_account_currency AS currency, paid_amount, base_paid_amount
        FROM `tabPayment Entry` WHERE company = %s AND docstatus = 1 AND payment_type = 'Receive'
        ORDER BY posting_date DESC, name DESC""",
        company,
    )


@pytest.mark.parametrize("company", COMPANIES)
def test_payments_of_every_customer(session: Session, rows_of: Rows, erp: Erp, company: str) -> None:
    since = dt.date(2026, 3, 1)
    paid = by([row for row in payments(erp, company) if row["posting_date"] >= since], "party")
    for customer in customers(erp):
        asked = {"customer": customer, "sinceDate": str(since), "company": company}
        result = session.run("getPaymentHistory", asked)
        figures = values(result)
        assert rows_of(figures, "payments") == [
            {"number": row["name"], "receivedOn": row["posting_date"], "amount": row["paid_amount"]}
            for row in paid[customer]
        ]
        assert [(row["paymentCount"], row["totalPaid"]) for row in rows_of(figures, "totals")] == [
            (len(rows), total(rows, "paid_amount")) for _, rows in sorted(by(paid[customer], "currency").items())
        ]
        assert bool(result.empty) is not bool(paid[customer])


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("period", ["2025", "2026", "2026-07"])
def test_payments_received(session: Session, rows_of: Rows, erp: Erp, company: str, period: str) -> None:
    mine = [row for row in payments(erp, company) if str(row["posting_date"]).startswith(period)]
    figures = values(session.run("getPaymentsReceived", {"period": period, "company": company}))
    months = by([row | {"month": (str(row["posting_date"])[:7], row["currency"])} for row in mine], "month")
    assert rows_of(figures, "months") == [
        {
            "paidMonth": month,
            "payments": len(rows),
            "received": total(rows, "paid_amount"),
            "inCompanyCurrency": total(rows, "base_paid_amount"),
        }
        for (month, _), rows in sorted(months.items())
    ]
    assert figures["totals.totalReceived"] == total(mine, "base_paid_amount")
    if (company, period) == ("Alpha", "2026"):
        assert total(mine, "base_paid_amount") == total(erp.reference("payments_received"), "received")


# --- the ledger -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("day", DAYS)
def test_trial_balance_balance_sheet_and_cash(
    session: Session, rows_of: Rows, erp: Erp, company: str, day: str
) -> None:
    asked = {"asOfDate": day, "company": company}
    accounts = ledger(erp, company, "1900-01-01", day)
    figures = values(session.run("getTrialBalance", asked))
    kept = ("account", "kind", "debit", "credit", "balance")
    assert rows_of(figures, "accounts") == [{name: row[name] for name in kept} for row in accounts]
    assert figures["totals.totalDebit"] == figures["totals.totalCredit"] == total(accounts, "debit")
    if (company, day) == ("Alpha", DAY):
        reference = {row["account"]: row["balance"] for row in erp.reference("trial_balance")}
        assert {row["account"]: row["balance"] for row in accounts} == reference

    figures = values(session.run("getBalanceSheet", asked))
    signs = {"Asset": 1, "Liability": -1, "Equity": -1}
    assert {(row["side"], row["account"]): row["amount"] for row in rows_of(figures, "accounts")} == {
        (row["kind"], row["account"]): signs[row["kind"]] * row["balance"] for row in accounts if row["kind"] in signs
    }
    of_kind = by(accounts, "kind")
    assert figures["totals.assets"] == total(of_kind["Asset"], "balance")
    assert figures["totals.liabilities"] == -total(of_kind["Liability"], "balance")
    result = -total(of_kind["Income"] + of_kind["Expense"], "balance")
    assert figures["unallocated.unallocatedResult"] == result

    figures = values(session.run("getCashByAccount", asked))
    cash = [row for row in accounts if row["type"] in ("Bank", "Cash")]
    assert {row["account"]: row["balance"] for row in rows_of(figures, "accounts")} == {
        row["account"]: row["balance"] for row in cash
    }
    assert figures["totals.totalCash"] == total(cash, "balance")


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize(
    ("period", "first", "last", "prior"),
    [
        ("2026", "2026-01-01", "2026-12-31", "2025-01-01"),
        ("2026-Q3", "2026-07-01", "2026-09-30", "2026-04-01"),
        ("2026-02", "2026-02-01", "2026-02-28", "2026-01-01"),
    ],
)
def test_profit_and_loss_and_revenue(
    session: Session, rows_of: Rows, erp: Erp, company: str, period: str, first: str, last: str, prior: str
) -> None:
    before_first = str(dt.date.fromisoformat(first) - dt.timedelta(days=1))
    figures = values(session.run("getProfitAndLoss", {"period": period, "company": company}))
    for suffix, rows in (("", ledger(erp, company, first, last)), ("Prior", ledger(erp, company, prior, before_first))):
        of_kind = by(rows, "kind")
        income, expenses = -total(of_kind["Income"], "balance"), total(of_kind["Expense"], "balance")
        shown = tuple(figures[f"totals.{name}{suffix}"] for name in ("income", "expenses", "result"))
        assert shown == (income, expenses, income - expenses)
        column = "prior" if suffix else "amount"
        listed = {row["account"]: row[column] for row in rows_of(figures, "accounts") if row[column]}
        assert listed == {row["account"]: -row["balance"] for row in of_kind["Income"]}
    revenue = values(session.run("getRevenueByMonth", {"period": period, "company": company}))
    assert revenue["totals.totalRevenue"] == figures["totals.income"]
    months = erp.reference("pnl_by_month")
    if company == "Alpha" and period == "2026":
        assert [(row["postedMonth"], row["revenue"]) for row in rows_of(revenue, "months")] == sorted(
            (row["month"], row["income"]) for row in months if row["month"].startswith("2026")
        )


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("period", ["2025", "2026", "2026-06"])
def test_top_customers(session: Session, rows_of: Rows, erp: Erp, company: str, period: str) -> None:
    expected = erp.sql(
        """SELECT c.customer_name AS customer, SUM(i.base_net_total) AS revenue, COUNT(*) AS documents
        FROM `tabSales Invoice` i JOIN `tabCustomer` c ON c.name = i.customer
        WHERE i.company = %s AND i.docstatus = 1 AND DATE_FORMAT(i.posting_date, '%%Y-%%m') LIKE %s
        GROUP BY i.customer ORDER BY revenue DESC, i.customer""",
        company,
        f"{period}%",
    )
    figures = values(session.run("getTopCustomers", {"period": period, "company": company}))
    assert rows_of(figures, "customers") == expected[:10]
    assert figures["totals.totalRevenue"] == total(expected, "revenue")
    assert figures["totals.customerCount"] == len(expected)


# --- companies, links, and what an integrator does first --------------------------------------------------------------


def test_every_operation_is_held_to_its_control_checks(session: Session) -> None:
    for name, operation in session.loaded.catalog.operations.items():
        of_customer = {"customer": "CUST-003"} if operation.parameter("customer") else {}
        result = session.run(name, {"company": "Alpha"} | of_customer)
        assert len(result.checks) == len(operation.checks) > 0, name
        assert not result.empty


def test_with_several_companies_one_must_be_named(session: Session) -> None:
    with pytest.raises(NameAmbiguous) as caught:
        session.run("getReceivablesAging", {})
    assert {candidate.text for candidate in caught.value.candidates} == set(COMPANIES)


def test_what_was_cancelled_is_in_no_figure(session: Session, erp: Erp) -> None:
    cancelled = {row["name"] for row in erp.sql("SELECT name FROM `tabSales Invoice` WHERE docstatus = 2")}
    assert cancelled
    for operation in ("getReceivablesAging", "getTopCustomers", "getTrialBalance"):
        result = session.run(operation, {"company": "Alpha"})
        cited = {row.fields["voucher_no"].display for row in result.evidence.rows() if "voucher_no" in row.fields}
        cited |= {row.record_id for row in result.evidence.rows() if row.type == "invoice"}
        assert cited
        assert not cited & cancelled


def test_records_lead_into_erpnext_where_its_address_is_known(session: Session, erp: Erp) -> None:
    with footnote.open(environ=erp.environ | {"FOOTNOTE_ERP_URL": "https://erp.example.com"}) as linked:
        row = linked.record_row("invoice", "ACC-SINV-2026-00016")
        assert isinstance(row, Row)
        assert row.url == "https://erp.example.com/app/sales-invoice/ACC-SINV-2026-00016"
        account = linked.record_row("account", "Debtors - A")
        assert isinstance(account, Row)
        assert account.url == "https://erp.example.com/app/account/Debtors%20-%20A"
    bare = session.record_row("invoice", "ACC-SINV-2026-00016")
    assert isinstance(bare, Row)
    assert bare.url == ""
    assert bare.fields["net_company"].display.startswith("$")


def test_a_reader_passes_check_and_the_administrator_does_not(erp: Erp) -> None:
    for url, code, failed in ((erp.url, 0, set()), (erp.owner, 1, {"login"})):
        ran = CliRunner().invoke(main, ["check", "--json"], env=erp.environ | {"DATABASE_URL": url})
        findings = json.loads(ran.stdout)["findings"]
        assert (ran.exit_code, {f["subject"] for f in findings if f["state"] == "failed"}) == (code, failed)


def test_init_recognises_erpnext_and_offers_the_pack(erp: Erp, tmp_path: Path) -> None:
    asked = ["init", "--output", str(tmp_path / "draft.yaml"), "--currency", "USD"]
    ran = CliRunner().invoke(main, asked, env=erp.environ)
    assert ran.exit_code == 0, ran.output
    assert "This is ERPNext: the pack knows more of it. Try: footnote check --pack erpnext" in ran.output
