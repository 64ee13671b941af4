"""The pack `tryton` on a database of Tryton's, on PostgreSQL and on SQLite: every figure against sums made here.

The reference reads the plain rows through the drivers and adds up in Decimal. Open items are matched by hand, payment by
payment; the pack does it with running sums, so that neither copies the other.
"""

from __future__ import annotations

import datetime as dt
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import footnote
from footnote.cli import main
from footnote.errors import CheckFailed, NameUnknown
from footnote.session import Session

ERP = "tryton"
DATA = Path(__file__).parents[3] / "shared" / "data"
DAYS = ("2026-11-29", "2026-06-30", "2026-02-10")
PERIODS = {
    "2026": ("2026-01-01", "2026-12-31"),
    "2026-Q2": ("2026-04-01", "2026-06-30"),
    "2025-11": ("2025-11-01", "2025-11-30"),
}
PRIOR = {
    "2026": ("2025-01-01", "2025-12-31"),
    "2026-Q2": ("2026-01-01", "2026-03-31"),
    "2025-11": ("2025-10-01", "2025-10-31"),
}

Row = dict[str, Any]
Rows = Callable[[Mapping[str, Any], str], list[Row]]

LINES = """
    SELECT l.id, l.party, p.name, l.debit, l.credit, l.maturity_date AS due, l.amount_second_currency AS second,
      sc.code AS second_code, l.reconciliation, r.date AS reconciled, m.id AS move, m.number, m.date, m.origin,
      j.type AS journal, j.code AS journal_code, a.id AS account, a.code, a.name AS account_name, t.statement,
      t.receivable, t.payable, t.revenue, t.expense, pi.move AS paid_move, pi.number AS paid_number, i.number AS invoice,
      i.type AS kind, i.party AS invoiced, ci.type AS cancelled_kind, ci.party AS cancelled
    FROM account_move_line l
    JOIN account_move m ON m.id = l.move
    JOIN account_journal j ON j.id = m.journal
    JOIN account_account a ON a.id = l.account
    JOIN account_account_type t ON t.id = a.type
    LEFT JOIN party_party p ON p.id = l.party
    LEFT JOIN currency_currency sc ON sc.id = l.second_currency
    LEFT JOIN account_move_reconciliation r ON r.id = l.reconciliation
    LEFT JOIN "account_invoice-account_move_line" ip ON ip.line = l.id
    LEFT JOIN account_invoice pi ON pi.id = ip.invoice
    LEFT JOIN account_invoice i ON i.move = m.id
    LEFT JOIN account_invoice ci ON ci.cancel_move = m.id
    WHERE m.state = 'posted'
    ORDER BY l.id
"""
INVOICES = "SELECT party, state, invoice_date AS date FROM account_invoice WHERE type = 'out'"
CASH = "SELECT credit_account AS a, debit_account AS b FROM account_invoice_payment_method"
PARTIES = "SELECT id, code, name FROM party_party ORDER BY id"


@dataclass(frozen=True)
class Book:
    """One database: the pack's session over it, and its rows as they are."""

    session: Session
    engine: str
    environ: dict[str, str]
    lines: list[Row]
    invoices: list[Row]
    parties: list[Row]
    cash: set[int]

    def ask(self, operation: str, **arguments: Any) -> Mapping[str, Any]:
        """Every figure of the result by address, each of them the sum of what it cites."""
        result = self.session.run(operation, arguments)
        for address, figure in result.figures():
            if figure.method in ("sum", "count"):
                assert sum(Decimal(str(c.amount)) for c in figure.contributions) == (figure.value or 0), address
        return {address: figure.value for address, figure in result.figures()}

    def until(self, day: str) -> list[Row]:
        """All lines booked by that day."""
        return [line for line in self.lines if line["date"] <= _day(day)]

    @property
    def asked(self) -> list[Row]:
        """The parties that single questions are asked for: all of them, or on SQLite every fifth."""
        return self.parties if self.engine == "postgres" else self.parties[::5]

    @property
    def days(self) -> tuple[str, ...]:
        """The days that single questions are asked for."""
        return DAYS if self.engine == "postgres" else DAYS[:2]


def _day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def _plain(row: Row) -> Row:
    """A row of SQLite as PostgreSQL would have it: decimals are kept as bytes there, dates as texts."""
    out = dict(row)
    for name, value in row.items():
        if name in ("debit", "credit", "second") and value is not None:
            out[name] = Decimal(value.decode() if isinstance(value, bytes) else str(value))
        elif name in ("date", "due", "reconciled") and isinstance(value, str):
            out[name] = _day(value)
    return out


@pytest.fixture(scope="module", params=["postgres", "sqlite"])
def book(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Book]:
    folder = tmp_path_factory.mktemp("pack")
    own = {
        "FOOTNOTE_CATALOG": "tryton",
        "FOOTNOTE_CACHE": str(folder / "cache"),
        "PROVENANCE_DB": str(folder / "log.db"),
    }
    own |= {"PROVENANCE_ACTOR": "ana", "AS_OF_DATE": DAYS[0], "FOOTNOTE_ERP_URL": "https://erp.example.com/#company"}
    if request.param == "postgres":
        erp = request.getfixturevalue("erp")
        own["DATABASE_URL"] = erp.url
        read = erp.sql
    else:
        database = _copy_of_the_sqlite_file(folder)
        own["DATABASE_URL"] = f"sqlite:///{database}"

        def read(text: str) -> list[Row]:
            connection = sqlite3.connect(database)
            connection.row_factory = sqlite3.Row
            rows = [dict(row) for row in connection.execute(text)]
            connection.close()
            return rows

    lines, invoices = ([_plain(row) for row in read(text)] for text in (LINES, INVOICES))
    cash = {account for row in read(CASH) for account in row.values()}
    with footnote.open(environ=own) as session:
        yield Book(session, request.param, own, lines, invoices, read(PARTIES), cash)


def _copy_of_the_sqlite_file(folder: Path) -> Path:
    original = DATA / "tryton.sqlite"
    if not original.exists():
        pytest.skip("there is no tryton.sqlite in ../shared/data beside the repository")
    return Path(shutil.copyfile(original, folder / "tryton.db"))


# --- the reference ----------------------------------------------------------------------------------------------------


def net(lines: list[Row]) -> Decimal:
    """Debits less credits."""
    return sum((line["debit"] - line["credit"] for line in lines), Decimal(0))


def open_items(book: Book, day: str, flag: str = "receivable") -> list[tuple[Row, Decimal, dt.date]]:
    """What is left of each line: payments are matched with the oldest line of their invoice, one by one."""
    sign = 1 if flag == "receivable" else -1
    groups: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for line in book.until(day):
        if not line[flag] or (line["reconciled"] is not None and line["reconciled"] <= _day(day)):
            continue
        of_invoice = (line["origin"] or "").startswith("account.invoice,")
        if line["reconciliation"] is not None:
            key = ("reconciliation", line["reconciliation"])
        elif line["paid_move"] is not None or of_invoice:
            key = ("move", line["paid_move"] or line["move"])
        else:
            key = ("line", line["id"])
        groups[key].append(line)
    out = []
    for lines in groups.values():
        left = [[line, sign * (line["debit"] - line["credit"]), line["due"] or line["date"]] for line in lines]
        left.sort(key=lambda item: (item[2], item[0]["id"]))
        for credit in (item for item in left if item[1] < 0):
            for debit in (item for item in left if item[1] > 0):
                used = min(debit[1], -credit[1])
                debit[1] -= used
                credit[1] += used
        out += [(line, amount, due) for line, amount, due in left if amount]
    return out


def age(amount: Decimal, due: dt.date, day: str) -> str:
    late = (_day(day) - due).days
    if amount < 0:
        return "payments and credit notes not matched yet"
    if late <= 0:
        return "not yet due"
    return next((f"{low}–{low + 29} days" for low in (1, 31, 61) if late < low + 30), "90+ days")


# --- receivables and payables -----------------------------------------------------------------------------------------


def test_overdue_of_every_customer_on_every_day(book: Book, rows_of: Rows) -> None:
    seen = 0
    for day in book.days:
        items = [item for item in open_items(book, day) if item[1] > 0 and item[2] < _day(day)]
        for party in book.asked:
            mine = sorted((i for i in items if i[0]["party"] == party["id"]), key=lambda i: (i[2], i[0]["id"]))
            figures = book.ask("getOverdueInvoices", customer=party["code"], asOfDate=day)
            expected = [(i["invoice"], due, left, (_day(day) - due).days) for i, left, due in mine]
            rows = rows_of(figures, "lines")
            assert [(r["number"], r["dueOn"], r["open"], r["daysOverdue"]) for r in rows] == expected
            if mine:
                assert figures["totals.overdue"] == sum(left for _, left, _ in mine)
                assert figures["totals.overdueCount"] == len(mine)
                assert figures["totals.oldestDays"] == max(days for *_, days in expected)
            seen += len(mine)
    assert seen > 20


def test_open_items_of_every_customer_equal_the_erp(book: Book, rows_of: Rows) -> None:
    """The open balance is the ledger's balance of the party, which Tryton shows as its receivable."""
    for day in book.days:
        items = open_items(book, day)
        for party in book.asked:
            figures = book.ask("getOpenItems", customer=party["code"], asOfDate=day)
            mine = sorted((i for i in items if i[0]["party"] == party["id"]), key=lambda i: (i[2], i[0]["id"]))
            rows = rows_of(figures, "lines")
            assert [(r["number"], r["dueOn"], r["open"]) for r in rows] == [
                (i["invoice"], d, left) for i, left, d in mine
            ]
            balance = net([line for line in book.until(day) if line["receivable"] and line["party"] == party["id"]])
            assert (figures.get("totals.openBalance") or 0) == balance
    unreconciled = [line for line in book.lines if line["receivable"] and line["reconciliation"] is None]
    for party in book.asked:
        own = net([line for line in unreconciled if line["party"] == party["id"]])
        assert (book.ask("getOpenItems", customer=party["code"]).get("totals.openBalance") or 0) == own


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize(
    ("operation", "flag"), [("getReceivablesAging", "receivable"), ("getPayablesAging", "payable")]
)
def test_aging_on_every_day(book: Book, rows_of: Rows, operation: str, flag: str, day: str) -> None:
    expected: dict[str, tuple[Decimal, int]] = {}
    for _, left, due in open_items(book, day, flag):
        total, count = expected.get(age(left, due, day), (Decimal(0), 0))
        expected[age(left, due, day)] = (total + left, count + 1)
    figures = book.ask(operation, asOfDate=day)
    assert {r["bucket"]: (r["outstanding"], r["items"]) for r in rows_of(figures, "buckets")} == expected
    ledger = net([line for line in book.until(day) if line[flag]])
    assert figures["ledger.balance"] == figures["totals.openBalance"] == (ledger if flag == "receivable" else -ledger)


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize(
    ("operation", "flag"), [("getReceivablesByCustomer", "receivable"), ("getPayablesBySupplier", "payable")]
)
def test_ages_of_every_party_on_every_day(book: Book, rows_of: Rows, operation: str, flag: str, day: str) -> None:
    columns = {
        "not yet due": "notDue",
        "1–30 days": "days1to30",
        "31–60 days": "days31to60",
        "61–90 days": "days61to90",
        "90+ days": "daysOver90",
        "payments and credit notes not matched yet": "unmatched",
    }
    expected: dict[str, Row] = {}
    for line, left, due in open_items(book, day, flag):
        row = expected.setdefault(
            line["name"], dict.fromkeys([*columns.values(), "overdue", "openBalance"], Decimal(0))
        )
        bucket = columns[age(left, due, day)]
        row[bucket] += left
        row["openBalance"] += left
        row["overdue"] += left if bucket.startswith("days") else 0
    rows = rows_of(book.ask(operation, asOfDate=day), "parties")
    assert {row.pop("name"): row for row in rows} == expected
    assert [row["openBalance"] for row in rows] == sorted((row["openBalance"] for row in rows), reverse=True)


@pytest.mark.parametrize("day", DAYS)
def test_receivables_by_currency(book: Book, rows_of: Rows, day: str) -> None:
    expected: dict[str, tuple[Decimal, Decimal]] = {}
    for line in book.until(day):
        if line["receivable"] and (line["reconciled"] is None or line["reconciled"] > _day(day)):
            code, amount = line["second_code"] or "USD", net([line])
            foreign = line["second"] if line["second_code"] else amount
            before = expected.get(code, (Decimal(0), Decimal(0)))
            expected[code] = (before[0] + foreign, before[1] + amount)
    result = book.session.run("getReceivablesByCurrency", {"asOfDate": day})
    rows = rows_of({address: figure.value for address, figure in result.figures()}, "currencies")
    assert {r["invoicedIn"]: (r["open"], r["inCompanyCurrency"]) for r in rows} == expected
    assert set(expected) == {"EUR", "USD"}
    shown = dict(result.figures())
    assert shown["currencies[0].open"].format.currency == "EUR"
    assert shown["currencies[0].inCompanyCurrency"].format.currency == "USD"


def test_payments_of_every_customer(book: Book, rows_of: Rows) -> None:
    first, last, seen = _day("2026-01-01"), _day("2026-09-30"), 0
    for party in book.asked:
        mine = [
            line
            for line in book.lines
            if line["party"] == party["id"] and line["receivable"] and line["journal"] in ("cash", "statement")
            and first <= line["date"] <= last
        ]  # fmt: skip
        mine.sort(key=lambda line: (line["date"], line["id"]), reverse=True)
        figures = book.ask("getPayments", customer=party["code"], sinceDate=str(first), untilDate=str(last))
        rows = [(r["paidOn"], r["invoice"], r["amount"]) for r in rows_of(figures, "payments")]
        assert rows == [(line["date"], line["paid_number"], -net([line])) for line in mine]
        assert (figures.get("totals.totalPaid") or 0) == -net(mine)
        seen += len(mine)
    assert seen


def test_the_summary_of_every_customer(book: Book) -> None:
    for party in book.asked:
        figures = book.ask("getCustomerSummary", customer=party["code"])
        states = [invoice for invoice in book.invoices if invoice["party"] == party["id"]]
        posted = [invoice for invoice in states if invoice["state"] in ("posted", "paid")]
        assert figures["invoices.invoiceCount"] == len(posted)
        assert figures["invoices.unpostedCount"] == sum(i["state"] in ("draft", "validated") for i in states)
        assert figures["invoices.cancelledCount"] == sum(i["state"] == "cancelled" for i in states)
        assert figures["invoices.lastInvoicedOn"] == max((i["date"] for i in posted), default=None)
        own = [line for line in book.lines if line["receivable"] and line["party"] == party["id"]]
        assert (figures.get("ledger.balance") or 0) == net(own)
        assert figures["master[0].name"] == party["name"]


def test_the_statement_of_every_customer(book: Book, rows_of: Rows) -> None:
    first, last = _day("2026-03-01"), _day("2026-10-31")
    for party in book.asked:
        own = [
            line for line in book.lines if line["receivable"] and line["party"] == party["id"] and line["date"] <= last
        ]
        before = [line for line in own if line["date"] < first]
        during = sorted((line for line in own if line["date"] >= first), key=lambda line: (line["date"], line["id"]))
        figures = book.ask("getCustomerStatement", customer=party["code"], fromDate=str(first), toDate=str(last))
        balance, expected = net(before), []
        for line in during:
            balance += net([line])
            expected.append((line["date"], line["number"], line["journal_code"], net([line]), balance))
        rows = rows_of(figures, "lines")
        assert [(r["day"], r["entry"], r["journal"], r["amount"], r["balance"]) for r in rows] == expected
        if own:
            assert figures["totals.opening"] == net(before)
            assert figures["totals.closing"] == net(own)


# --- the ledger -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", PERIODS)
def test_trial_balance(book: Book, rows_of: Rows, period: str) -> None:
    first, last = map(_day, PERIODS[period])
    year = dt.date(first.year, 1, 1)
    expected: dict[str, list[Decimal]] = {}
    earlier = Decimal(0)
    for line in book.until(str(last)):
        if line["statement"] == "income" and line["date"] < year:
            earlier -= net([line])
            continue
        row = expected.setdefault(line["code"], [Decimal(0)] * 4)
        row[0] += net([line]) if line["date"] < first else 0
        row[1] += line["debit"] if line["date"] >= first else 0
        row[2] += line["credit"] if line["date"] >= first else 0
        row[3] += net([line])
    figures = book.ask("getTrialBalance", period=period)
    rows = rows_of(figures, "accounts")
    assert {r["code"]: [r["opening"], r["debit"], r["credit"], r["closing"]] for r in rows} == expected
    assert figures["totals.earlierResult"] == earlier
    assert figures["totals.debit"] == figures["totals.credit"] == sum(row[1] for row in expected.values())


@pytest.mark.parametrize("period", PERIODS)
def test_profit_and_loss_beside_the_period_before(book: Book, rows_of: Rows, period: str) -> None:
    def booked(place: tuple[str, str]) -> list[Row]:
        first, last = map(_day, place)
        return [
            x
            for x in book.lines
            if x["statement"] == "income" and first <= x["date"] <= last and x["journal"] != "situation"
        ]

    now, before = booked(PERIODS[period]), booked(PRIOR[period])
    figures = book.ask("getProfitAndLoss", period=period)
    codes = {line["code"] for line in (*now, *before)}
    expected = {
        c: (-net([x for x in now if x["code"] == c]), -net([x for x in before if x["code"] == c])) for c in codes
    }
    assert {r["code"]: (r["amount"], r["priorAmount"]) for r in rows_of(figures, "accounts")} == expected
    for lines, prefix in ((now, ""), (before, "prior")):
        for name, flag, sign in (("revenue", "revenue", -1), ("expenses", "expense", 1)):
            address = f"totals.{prefix}{name.title() if prefix else name}"
            assert figures[address] == sign * net([line for line in lines if line[flag]])
        assert figures[f"totals.{prefix}{'Profit' if prefix else 'profit'}"] == -net(lines)


@pytest.mark.parametrize("day", DAYS)
def test_balance_sheet(book: Book, rows_of: Rows, day: str) -> None:
    figures = book.ask("getBalanceSheet", asOfDate=day)
    expected: dict[str, Decimal] = {}
    for line in book.until(day):
        if line["statement"] == "balance":
            expected[line["code"]] = expected.get(line["code"], Decimal(0)) + net([line])
    assert {r["code"]: r["balance"] for r in rows_of(figures, "accounts")} == expected
    result = -net([line for line in book.until(day) if line["statement"] == "income"])
    assert figures["totals.result"] == figures["totals.netAssets"] == sum(expected.values()) == result
    sections = {r["section"]: r["balance"] for r in rows_of(figures, "sections")}
    assert set(sections) <= {"Assets", "Liabilities", "Equity / capital"}
    assert sections["Assets"] > 0 > sections["Liabilities"]


@pytest.mark.parametrize("period", PERIODS)
def test_revenue_by_customer_and_by_month(book: Book, rows_of: Rows, period: str) -> None:
    first, last = map(_day, PERIODS[period])
    revenue = [line for line in book.lines if line["revenue"] and first <= line["date"] <= last]
    by_party: dict[int, Decimal] = defaultdict(Decimal)
    by_month: dict[str, Decimal] = defaultdict(Decimal)
    without = Decimal(0)
    for line in revenue:
        by_month[f"{line['date']:%Y-%m}"] -= net([line])
        if (line["kind"] or line["cancelled_kind"]) == "out":
            by_party[line["invoiced"] or line["cancelled"]] -= net([line])
        else:
            without -= net([line])
    names = {party["id"]: party["name"] for party in book.parties}
    top = sorted(by_party.items(), key=lambda item: (-item[1], item[0]))[:10]
    figures = book.ask("getTopCustomers", period=period)
    assert [(r["name"], r["revenue"]) for r in rows_of(figures, "customers")] == [
        (names[id], value) for id, value in top
    ]
    assert figures["totals.otherRevenue"] == without
    assert figures["totals.customerCount"] == len(by_party)
    assert figures["totals.fromCustomers"] + figures["totals.otherRevenue"] == -net(revenue)
    months = rows_of(book.ask("getRevenueByMonth", period=period), "months")
    assert [(r["month"], r["revenue"]) for r in months] == sorted(by_month.items())


@pytest.mark.parametrize("day", DAYS)
def test_cash_by_account(book: Book, rows_of: Rows, day: str) -> None:
    expected: dict[str, Decimal] = {}
    for line in book.until(day):
        if line["account"] in book.cash:
            expected[line["code"]] = expected.get(line["code"], Decimal(0)) + net([line])
    assert expected
    figures = book.ask("getCashByAccount", asOfDate=day)
    assert {r["code"]: r["balance"] for r in rows_of(figures, "accounts")} == expected
    assert figures["totals.totalCash"] == sum(expected.values())


# --- the pack itself --------------------------------------------------------------------------------------------------


def test_every_operation_has_control_checks_and_says_why_it_is_empty(book: Book) -> None:
    operations = book.session.loaded.catalog.operations
    assert len(operations) >= 12
    for name, operation in operations.items():
        assert operation.checks, name
        assert operation.empty, name
    assert {name for names in book.session.loaded.catalog.toolsets.values() for name in names} == set(operations)


def test_answers_link_into_the_erp(book: Book) -> None:
    result = book.session.run("getReceivablesByCustomer", {})
    links = {row.url for row in result.evidence.rows()}
    assert any(link.startswith("https://erp.example.com/#company/model/account.move.line/") for link in links)


def test_a_supplier_is_no_customer_that_owes(book: Book) -> None:
    owes = {line["party"] for line in book.lines if line["receivable"]}
    supplier = next(party for party in book.parties if party["id"] not in owes)
    result = book.session.run("getOverdueInvoices", {"customer": supplier["code"]})
    assert result.empty == f"{supplier['name']} has nothing overdue as of {DAYS[0]}."
    with pytest.raises(NameUnknown):
        book.session.run("getOverdueInvoices", {"customer": "Nobody we ever heard of"})


def test_check_passes(book: Book) -> None:
    environ = book.environ | {"PROVENANCE_DB": f"{book.environ['PROVENANCE_DB']}.of-check"}
    done = CliRunner().invoke(main, ["check", "--pack", "tryton"], env=environ)
    assert done.exit_code == 0, done.output
    assert "✗" not in done.output


def test_a_draft_over_it_offers_the_pack(book: Book, tmp_path: Path) -> None:
    """Also where no draft can be made, because nothing says in which currency some amounts are."""
    for more in ([], ["--currency", "USD"]):
        done = CliRunner().invoke(main, ["init", "--output", str(tmp_path / "ours.yaml"), *more], env=book.environ)
        assert done.exit_code == (0 if more else 2), done.output
        assert "This is Tryton" in done.output
        assert "footnote check --pack tryton" in done.output


def test_a_ledger_that_does_not_balance_is_refused(tmp_path: Path) -> None:
    database = _copy_of_the_sqlite_file(tmp_path)
    with sqlite3.connect(database) as connection:
        connection.execute(
            "UPDATE account_move_line SET debit = CAST('1.23' AS BLOB), credit = CAST('0' AS BLOB) WHERE id = "
            "(SELECT MIN(l.id) FROM account_move_line l JOIN account_move m ON m.id = l.move WHERE m.state = 'posted')"
        )
    environ = {
        "PROVENANCE_DB": str(tmp_path / "log.db"),
        "FOOTNOTE_CACHE": str(tmp_path / "cache"),
        "AS_OF_DATE": DAYS[0],
    }
    with footnote.open("tryton", database_url=f"sqlite:///{database}", environ=environ) as session:
        with pytest.raises(CheckFailed):
            session.run("getTrialBalance", {"period": "2025"})
        with pytest.raises(CheckFailed):
            session.run("getBalanceSheet", {})
