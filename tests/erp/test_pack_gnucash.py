"""The pack `gnucash` on books of GnuCash's: every figure against sums of fractions made here.

The shared book has accounts only. Two books that piecash makes itself, one in dollars and one in euros, have customers,
vendors, documents and payments too; they are slow to make once, and run with `make test-erp`.
"""

from __future__ import annotations

import datetime as dt
import re
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import footnote
from footnote.cli import main
from footnote.errors import CheckFailed
from footnote.session import Session

DATA = Path(__file__).parents[3] / "shared" / "data"
DAYS = ("2026-11-29", "2026-06-30", "2026-01-15")
PERIODS = {
    "2026": ("2026-01-01", "2026-12-31"),
    "2026-Q2": ("2026-04-01", "2026-06-30"),
    "2025": ("2025-01-01", "2025-12-31"),
}
PRIOR = {
    "2026": ("2025-01-01", "2025-12-31"),
    "2026-Q2": ("2026-01-01", "2026-03-31"),
    "2025": ("2024-01-01", "2024-12-31"),
}
RESULT = ("INCOME", "EXPENSE")
CAPITAL = (*RESULT, "EQUITY", "TRADING")

Row = dict[str, Any]
Rows = Callable[[Mapping[str, Any], str], list[Row]]

SPLITS = """
    SELECT s.guid, s.value_num, s.value_denom, s.quantity_num, s.quantity_denom, s.lot_guid AS lot, t.guid AS tx,
      substr(t.post_date, 1, 10) AS day, t.description, a.guid AS account, a.name, a.account_type AS kind,
      ac.mnemonic AS unit, tc.mnemonic AS currency,
      EXISTS (SELECT 1 FROM slots k WHERE k.obj_guid = t.guid AND k.name = 'book_closing') AS closing
    FROM splits s JOIN transactions t ON t.guid = s.tx_guid JOIN accounts a ON a.guid = s.account_guid
    JOIN commodities ac ON ac.guid = a.commodity_guid JOIN commodities tc ON tc.guid = t.currency_guid
    WHERE ac.namespace <> 'template' ORDER BY t.post_date, t.guid, s.guid
"""
DOCUMENTS = """
    SELECT i.id AS number, i.post_lot AS lot, i.owner_guid AS owner, COALESCE(c.name, v.name) AS name,
      substr(d.timespec_val, 1, 10) AS due
    FROM invoices i LEFT JOIN customers c ON c.guid = i.owner_guid LEFT JOIN vendors v ON v.guid = i.owner_guid
    LEFT JOIN slots d ON d.obj_guid = i.post_txn AND d.name = 'trans-date-due'
    WHERE i.post_lot IS NOT NULL
"""


@dataclass(frozen=True)
class Book:
    """One book: the pack's session over it, and its rows as they are, with exact fractions."""

    session: Session
    environ: dict[str, str]
    splits: list[Row]
    documents: list[Row]
    customers: list[str]
    currency: str

    def ask(self, operation: str, **arguments: Any) -> Mapping[str, Any]:
        """Every figure of the result by address, each of them the sum of what it cites."""
        result = self.session.run(operation, arguments)
        for address, figure in result.figures():
            if figure.method in ("sum", "count"):
                assert sum(Decimal(str(c.amount)) for c in figure.contributions) == (figure.value or 0), address
        return {address: figure.value for address, figure in result.figures()}

    def within(self, place: tuple[str, str], *, closing: bool = True) -> list[Row]:
        """The splits booked in a period."""
        return [s for s in self.splits if place[0] <= s["day"] <= place[1] and (closing or not s["closing"])]

    def open_documents(self, day: str, kind: str) -> list[tuple[Row, Fraction]]:
        """What is left of each document of receivable or payable accounts on a day."""
        sign = 1 if kind == "RECEIVABLE" else -1
        left: dict[str, Fraction] = defaultdict(Fraction)
        for split in self.splits:
            if split["kind"] == kind and split["day"] <= day and split["lot"]:
                left[split["lot"]] += sign * split["quantity"]
        return [(document, left[document["lot"]]) for document in self.documents if left.get(document["lot"])]


@pytest.fixture(
    scope="module",
    params=["shared", pytest.param("USD", marks=pytest.mark.slow), pytest.param("EUR", marks=pytest.mark.slow)],
)
def book(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Book]:
    folder = tmp_path_factory.mktemp("book")
    if request.param == "shared":
        original = DATA / "book.gnucash"
        if not original.exists():
            pytest.skip("there is no book.gnucash in ../shared/data beside the repository")
    else:
        original = request.getfixturevalue("made")("gnucash_book.py", f"{request.param}.gnucash", request.param)
    database = shutil.copyfile(original, folder / "book.gnucash")
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    splits = [dict(row) for row in connection.execute(SPLITS)]
    documents = [dict(row) for row in connection.execute(DOCUMENTS)]
    customers = [name for (name,) in connection.execute("SELECT name FROM customers ORDER BY name")]
    connection.close()
    for split in splits:
        split["value"] = Fraction(split["value_num"], split["value_denom"])
        split["quantity"] = Fraction(split["quantity_num"], split["quantity_denom"])
    environ = {"FOOTNOTE_CATALOG": "gnucash", "DATABASE_URL": f"sqlite:///{database}", "AS_OF_DATE": DAYS[0]}
    environ |= {
        "FOOTNOTE_CACHE": str(folder / "cache"),
        "PROVENANCE_DB": str(folder / "log.db"),
        "PROVENANCE_ACTOR": "ana",
    }
    currency = "USD" if request.param == "shared" else request.param
    with footnote.open(environ=environ) as session:
        yield Book(session, environ, splits, documents, customers, currency)


def total(splits: list[Row], of: str = "value") -> Fraction:
    return sum((split[of] for split in splits), Fraction(0))


def each(splits: list[Row], by: str, of: str = "value") -> dict[str, Fraction]:
    """Sums by a column, those of nothing left in."""
    out: dict[str, Fraction] = defaultdict(Fraction)
    for split in splits:
        out[split[by]] += split[of]
    return dict(out)


# --- the ledger -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", PERIODS)
def test_trial_balance(book: Book, rows_of: Rows, period: str) -> None:
    first, last = PERIODS[period]
    until = [split for split in book.splits if split["day"] <= last]
    during = [split for split in until if split["day"] >= first]
    opening, closing = each([s for s in until if s["day"] < first], "name"), each(until, "name")
    debit, credit = (each([s for s in during if s["value"] * sign > 0], "name") for sign in (1, -1))
    figures = book.ask("getTrialBalance", period=period)
    rows = rows_of(figures, "accounts")
    assert {r["name"]: (r["opening"], r["debit"], r["credit"], r["closing"]) for r in rows} == {
        name: (opening.get(name, 0), debit.get(name, 0), -credit.get(name, 0), closing[name]) for name in closing
    }
    assert figures["totals.debit"] == figures["totals.credit"] == sum(debit.values())
    assert figures["totals.splitCount"] == len(during)


@pytest.mark.parametrize("day", DAYS)
def test_balance_sheet(book: Book, rows_of: Rows, day: str) -> None:
    until = [split for split in book.splits if split["day"] <= day]
    figures = book.ask("getBalanceSheet", asOfDate=day)
    kept = each([split for split in until if split["kind"] not in RESULT], "name")
    assert {r["name"]: r["balance"] for r in rows_of(figures, "accounts")} == kept
    kinds = each(until, "kind")
    debts = ("LIABILITY", "CREDIT", "PAYABLE")
    assert figures["totals.liabilities"] == -sum(kinds.get(kind, 0) for kind in debts)
    assert figures["totals.result"] == -sum(kinds.get(kind, 0) for kind in RESULT)
    assert figures["totals.equity"] == -kinds.get("EQUITY", Fraction(0))
    assert figures["totals.assets"] == sum(v for kind, v in kinds.items() if kind not in (*debts, *CAPITAL))


@pytest.mark.parametrize("period", PERIODS)
def test_profit_and_loss_beside_the_period_before(book: Book, rows_of: Rows, period: str) -> None:
    now, before = (
        [s for s in book.within(place[period], closing=False) if s["kind"] in RESULT] for place in (PERIODS, PRIOR)
    )
    figures = book.ask("getProfitAndLoss", period=period)
    mine, prior = each(now, "name"), each(before, "name")
    assert {r["name"]: (r["amount"], r["priorAmount"]) for r in rows_of(figures, "accounts")} == {
        name: (-mine.get(name, 0), -prior.get(name, 0)) for name in mine | prior
    }
    for splits, prefix in ((now, ""), (before, "prior")):
        names = [prefix + name.title() if prefix else name for name in ("income", "expenses", "profit")]
        kinds = each(splits, "kind")
        income, expenses = -kinds.get("INCOME", Fraction(0)), kinds.get("EXPENSE", Fraction(0))
        assert [figures[f"totals.{name}"] for name in names] == [income, expenses, income - expenses]


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize(
    ("operation", "kind", "sign"), [("getIncomeByAccount", "INCOME", -1), ("getExpensesByAccount", "EXPENSE", 1)]
)
def test_income_and_expenses_by_account(
    book: Book, rows_of: Rows, operation: str, kind: str, sign: int, period: str
) -> None:
    splits = [s for s in book.within(PERIODS[period], closing=False) if s["kind"] == kind]
    figures = book.ask(operation, period=period)
    rows = rows_of(figures, "accounts")
    assert {r["name"]: r["amount"] for r in rows} == {
        name: sign * value for name, value in each(splits, "name").items()
    }
    assert [r["amount"] for r in rows] == sorted((r["amount"] for r in rows), reverse=True)
    assert {r["name"]: r["transactions"] for r in rows} == {
        name: len({s["tx"] for s in splits if s["name"] == name}) for name in each(splits, "name")
    }
    assert (figures.get("totals.total") or 0) == sign * total(splits)


@pytest.mark.parametrize("period", PERIODS)
def test_by_month(book: Book, rows_of: Rows, period: str) -> None:
    first, last = PERIODS[period]
    months: dict[str, list[Row]] = defaultdict(list)
    worth: dict[str, Fraction] = {}
    for split in book.within((first, last), closing=False):
        if split["kind"] in RESULT:
            months[split["day"][:7]].append(split)
    for split in book.within((first, last)):
        if split["kind"] not in CAPITAL:
            month = split["day"][:7]
            own = [s for s in book.splits if s["kind"] not in CAPITAL and s["day"][:7] <= month and s["day"] <= last]
            worth[month] = total(own)
    rows = rows_of(book.ask("getRevenueByMonth", period=period), "months")
    assert [(r["month"], r["profit"]) for r in rows] == [(month, -total(months[month])) for month in sorted(months)]
    for row in rows:
        kinds = each(months[row["month"]], "kind")
        assert (row["income"], row["expenses"]) == (
            -kinds.get("INCOME", Fraction(0)),
            kinds.get("EXPENSE", Fraction(0)),
        )
    rows = rows_of(book.ask("getNetWorthByMonth", period=period), "months")
    assert [(r["month"], r["netWorth"]) for r in rows] == sorted(worth.items())


# --- accounts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("day", DAYS)
def test_cash_and_holdings(book: Book, rows_of: Rows, day: str) -> None:
    until = [split for split in book.splits if split["day"] <= day]
    cash = [split for split in until if split["kind"] in ("BANK", "CASH")]
    result = book.session.run("getCashByAccount", {"asOfDate": day})
    rows = rows_of({address: figure.value for address, figure in result.figures()}, "accounts")
    assert {r["name"]: r["balance"] for r in rows} == each(cash, "name", "quantity")
    totals = {f.format.currency: f.value for address, f in result.figures() if address.endswith(".totalCash")}
    assert totals == each(cash, "unit", "quantity")
    assert {"USD", "EUR"} == set(totals)
    held = [split for split in until if split["kind"] not in CAPITAL]
    rows = rows_of(book.ask("getHoldings", asOfDate=day), "holdings")
    assert {r["name"]: r["quantity"] for r in rows} == each(held, "name", "quantity")
    assert {r["name"]: r["commodity"] for r in rows} == {split["name"]: split["unit"] for split in held}


def test_the_statement_of_every_account(book: Book, rows_of: Rows) -> None:
    first, last = "2026-02-01", "2026-09-30"
    for name in dict.fromkeys(split["name"] for split in book.splits):
        own = [split for split in book.splits if split["name"] == name and split["day"] <= last]
        figures = book.ask("getAccountStatement", account=name, fromDate=first, toDate=last)
        lines = rows_of(figures, "lines")
        expected = sorted((s["day"], s["guid"]) for s in own if s["day"] >= first)
        assert [str(line["day"]) for line in lines] == [day for day, _ in expected]
        for line in lines:
            assert line["balance"] == total([s for s in own if s["day"] <= str(line["day"])], "quantity")
        assert (figures["totals.opening"] or 0) == total([s for s in own if s["day"] < first], "quantity")
        assert (figures["totals.closing"] or 0) == total(own, "quantity")


@pytest.mark.parametrize("period", PERIODS)
def test_largest_transactions(book: Book, rows_of: Rows, period: str) -> None:
    debits = [split for split in book.within(PERIODS[period]) if split["value"] > 0]
    named = {split["tx"]: (split["day"], split["description"]) for split in debits}
    largest = sorted(each(debits, "tx").items(), key=lambda item: (-item[1], item[0]))[:20]
    figures = book.ask("getLargestTransactions", period=period)
    rows = rows_of(figures, "transactions")
    assert [(str(r["day"]), r["description"], r["amount"]) for r in rows] == [
        (*named[tx], value) for tx, value in largest
    ]
    assert figures["totals.transactionCount"] == len(named)


def test_transactions_are_found_by_what_they_are_called(book: Book, rows_of: Rows) -> None:
    for text in ("RENT", "rent 1", "nothing of the kind"):
        wanted = [s for s in book.within(("2026-01-01", "2026-11-29")) if text.lower() in s["description"].lower()]
        rows = rows_of(book.ask("findTransactions", text=text), "splits")
        assert [(str(r["day"]), r["description"], r["account"], r["amount"]) for r in rows] == [
            (s["day"], s["description"], s["name"], s["value"]) for s in wanted
        ]


# --- documents --------------------------------------------------------------------------------------------------------


def age(left: Fraction, due: str, day: str) -> str:
    late = (dt.date.fromisoformat(day) - dt.date.fromisoformat(due)).days
    if left < 0:
        return "credit notes and overpayments"
    if late <= 0:
        return "not yet due"
    return next((f"{low}–{low + 29} days" for low in (1, 31, 61) if late < low + 30), "90+ days")


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize(
    ("operation", "kind", "sign"), [("getReceivablesAging", "RECEIVABLE", 1), ("getPayablesAging", "PAYABLE", -1)]
)
def test_aging(book: Book, rows_of: Rows, operation: str, kind: str, sign: int, day: str) -> None:
    expected: dict[str, tuple[Fraction, int]] = {}
    for document, left in book.open_documents(day, kind):
        bucket = age(left, document["due"], day)
        before = expected.get(bucket, (Fraction(0), 0))
        expected[bucket] = (before[0] + left, before[1] + 1)
    figures = book.ask(operation, asOfDate=day)
    assert {r["bucket"]: (r["outstanding"], r["items"]) for r in rows_of(figures, "buckets")} == expected
    ledger = sign * total([s for s in book.splits if s["kind"] == kind and s["day"] <= day], "quantity")
    assert (figures.get("ledger.balance") or 0) == ledger
    assert (figures.get("unassigned.unassigned") or 0) == ledger - sum(left for left, _ in expected.values())


@pytest.mark.parametrize("day", DAYS)
def test_receivables_of_every_customer(book: Book, rows_of: Rows, day: str) -> None:
    documents = book.open_documents(day, "RECEIVABLE")
    rows = rows_of(book.ask("getReceivablesByCustomer", asOfDate=day), "customers")
    owed: dict[str, Fraction] = defaultdict(Fraction)
    late: dict[str, Fraction] = defaultdict(Fraction)
    for document, left in documents:
        owed[document["name"]] += left
        late[document["name"]] += left if left > 0 and document["due"] < day else 0
    assert {r["name"]: (r["openBalance"], r["overdue"]) for r in rows} == {
        name: (owed[name], late[name]) for name in owed
    }
    for customer in book.customers:
        figures = book.ask("getOpenInvoices", customer=customer, asOfDate=day)
        mine = {
            document["number"]: (document["due"], left) for document, left in documents if document["name"] == customer
        }
        lines = rows_of(figures, "invoices")
        assert {line["number"]: (str(line["dueOn"]), line["open"]) for line in lines} == mine
        assert (figures.get("totals.openBalance") or 0) == owed[customer]


# --- the pack itself --------------------------------------------------------------------------------------------------


def test_every_operation_has_control_checks_and_says_why_it_is_empty(book: Book) -> None:
    operations = book.session.loaded.catalog.operations
    assert len(operations) >= 12
    assert all(len(operation.checks) >= 2 and operation.empty for operation in operations.values())
    assert {name for names in book.session.loaded.catalog.toolsets.values() for name in names} == set(operations)


def test_check_passes(book: Book) -> None:
    environ = book.environ | {"PROVENANCE_DB": f"{book.environ['PROVENANCE_DB']}.of-check"}
    done = CliRunner().invoke(main, ["check", "--pack", "gnucash"], env=environ)
    assert done.exit_code == 0, done.output
    assert "✗" not in done.output


def test_a_draft_over_a_book_offers_the_pack(book: Book, tmp_path: Path) -> None:
    drafted = tmp_path / "ours.yaml"
    done = CliRunner().invoke(main, ["init", "--output", str(drafted)], env=book.environ)
    assert done.exit_code == 0, done.output
    assert "This is GnuCash" in done.output
    assert "footnote check --pack gnucash" in done.output


@pytest.fixture
def changed(book: Book, tmp_path: Path) -> Callable[[str], Any]:
    """A session over a copy of the book in which a statement changed something."""

    def change(sql: str) -> Any:
        source = re.sub("^sqlite:///", "", book.environ["DATABASE_URL"])
        database = shutil.copyfile(source, tmp_path / "changed.gnucash")
        with sqlite3.connect(database) as connection:
            connection.execute(sql)
        return footnote.open(
            environ=book.environ | {"DATABASE_URL": f"sqlite:///{database}", "PROVENANCE_DB": str(tmp_path / "log.db")}
        )

    return change


def test_a_transaction_that_does_not_balance_is_found_and_refused(
    book: Book, rows_of: Rows, changed: Callable[[str], Any]
) -> None:
    assert book.session.run("getUnbalancedTransactions", {}).empty
    wrong = book.splits[0]
    more = f"UPDATE splits SET value_num = value_num + 1 WHERE guid = '{wrong['guid']}'"
    with changed(more) as session:
        figures = {address: f.value for address, f in session.run("getUnbalancedTransactions", {}).figures()}
        (row,) = rows_of(figures, "transactions")
        assert (row["description"], row["difference"]) == (wrong["description"], Fraction(1, wrong["value_denom"]))
        with pytest.raises(CheckFailed):
            session.run("getTrialBalance", {"period": "2026"})


def test_an_amount_that_is_no_decimal_number_is_refused(book: Book, changed: Callable[[str], Any]) -> None:
    with (
        changed(f"UPDATE splits SET value_num = 1, value_denom = 3 WHERE guid = '{book.splits[0]['guid']}'") as session,
        pytest.raises(CheckFailed, match="decimal number"),
    ):
        session.run("getCashByAccount", {})
