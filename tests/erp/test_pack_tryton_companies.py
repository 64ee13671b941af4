"""The pack `tryton` on two companies that trytond itself made, against what Tryton says of them.

Slow: the database is made once, in a few minutes, by `making/tryton_companies.py`. `make test-erp` runs it.
"""

from __future__ import annotations

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
from footnote.errors import NameAmbiguous
from footnote.session import Session

pytestmark = pytest.mark.slow

COMPANIES = {"North Trading": "USD", "South Trading": "EUR"}
DAYS = ("2026-11-29", "2026-06-30", "2026-02-10")

Row = dict[str, Any]
Rows = Callable[[Mapping[str, Any], str], list[Row]]
Says = Mapping[tuple[str, str, str, str], Decimal]
"""What Tryton says, by company, kind, key and day; its aged balances on SQLite are floats, so all of it in cents."""


@dataclass(frozen=True)
class Tryton:
    """The pack's session, and what Tryton itself says."""

    session: Session
    environ: dict[str, str]
    says: Says

    def ask(self, operation: str, **arguments: Any) -> Mapping[str, Any]:
        """The figures of a result, by address."""
        return {address: f.value for address, f in self.session.run(operation, arguments).figures()}

    def said(self, company: str, kind: str, day: str = "") -> dict[str, Decimal]:
        """What Tryton says of one kind, by key, but for what is nothing."""
        found = {key: value for (c, k, key, d), value in self.says.items() if (c, k, d) == (company, kind, day)}
        return {key: value for key, value in found.items() if value}


@pytest.fixture(scope="module")
def tryton(made: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tryton]:
    folder = tmp_path_factory.mktemp("tryton")
    database = shutil.copyfile(made("tryton_companies.py", "tryton.sqlite"), folder / "tryton.sqlite")
    connection = sqlite3.connect(database)
    names = dict(connection.execute("SELECT c.id, p.name FROM company_company c JOIN party_party p ON p.id = c.party"))
    told = list(connection.execute("SELECT company, kind, key, day, value FROM erp_says"))
    connection.execute("DROP TABLE erp_says")
    connection.commit()
    connection.close()
    says = {(names[company], kind, key, day): round(Decimal(value), 2) for company, kind, key, day, value in told}
    environ = {"FOOTNOTE_CATALOG": "tryton", "DATABASE_URL": f"sqlite:///{database}", "AS_OF_DATE": DAYS[0]}
    environ |= {
        "FOOTNOTE_CACHE": str(folder / "cache"),
        "PROVENANCE_DB": str(folder / "log.db"),
        "PROVENANCE_ACTOR": "ana",
    }
    with footnote.open(environ=environ) as session:
        yield Tryton(session, environ, says)


@pytest.fixture(params=COMPANIES)
def company(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_what_every_party_owes_and_is_owed_is_what_tryton_says(tryton: Tryton, company: str) -> None:
    receivable, payable = tryton.said(company, "receivable"), tryton.said(company, "payable")
    assert receivable
    assert payable
    for name in {key for _, _, key, _ in tryton.says if key.startswith(("Customer", "Supplier"))}:
        figures = tryton.ask("getOpenItems", customer=name, company=company)
        assert (figures.get("totals.openBalance") or 0) == receivable.get(name, 0)
        figures = tryton.ask("getPayablesAging", supplier=name, company=company)
        assert -(figures.get("totals.openBalance") or 0) == payable.get(name, 0)


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize(
    ("operation", "kind", "sign"),
    [("getReceivablesByCustomer", "aged customer", 1), ("getPayablesBySupplier", "aged supplier", -1)],
)
def test_aged_balances_are_what_tryton_says(
    tryton: Tryton, rows_of: Rows, company: str, operation: str, kind: str, sign: int, day: str
) -> None:
    rows = rows_of(tryton.ask(operation, asOfDate=day, company=company), "parties")
    mine = {row["name"]: sign * row["openBalance"] for row in rows if row["openBalance"]}
    assert mine == tryton.said(company, kind, day)


def test_what_is_left_of_each_invoice_is_what_tryton_says(tryton: Tryton, rows_of: Rows, company: str) -> None:
    """Of invoices in the company's currency; Tryton says it in the invoice's own, which the ledger does not."""
    expected = tryton.said(company, "to pay", "out")
    left: dict[str, Decimal] = defaultdict(Decimal)
    for name in tryton.said(company, "receivable"):
        for row in rows_of(tryton.ask("getOpenItems", customer=name, company=company), "lines"):
            if row["number"] is not None:
                left[row["number"]] += row["open"]
    assert expected
    assert {number: left[number] for number in expected} == expected
    by_currency = {
        r["invoicedIn"] for r in rows_of(tryton.ask("getReceivablesByCurrency", company=company), "currencies")
    }
    assert by_currency == {"USD", "EUR"}


def test_every_account_stands_where_tryton_says(tryton: Tryton, rows_of: Rows, company: str) -> None:
    figures = tryton.ask("getTrialBalance", period="2026", company=company)
    mine = {row["code"]: row["closing"] for row in rows_of(figures, "accounts") if row["closing"]}
    assert figures["totals.earlierResult"] == 0  # the result of 2025 was carried to equity
    assert mine == tryton.said(company, "account")


def test_the_year_that_was_closed_still_has_its_profit(tryton: Tryton, company: str) -> None:
    result = tryton.session.run("getProfitAndLoss", {"period": "2025", "company": company})
    profit = dict(result.figures())["totals.profit"]
    assert profit.value != 0
    assert profit.format.currency == COMPANIES[company]


def test_companies_are_never_mixed(tryton: Tryton, company: str) -> None:
    both = sum(tryton.ask("getReceivablesAging", company=name)["ledger.balance"] for name in COMPANIES)
    own = tryton.ask("getReceivablesAging", company=company)["ledger.balance"]
    assert own == sum(tryton.said(company, "receivable").values())
    assert own != both
    with pytest.raises(NameAmbiguous) as refused:
        tryton.session.run("getReceivablesAging", {})
    assert {candidate.text.partition(" (")[0] for candidate in refused.value.candidates} == set(COMPANIES)


def test_check_passes_with_several_companies(tryton: Tryton) -> None:
    environ = tryton.environ | {"PROVENANCE_DB": f"{tryton.environ['PROVENANCE_DB']}.of-check"}
    done = CliRunner().invoke(main, ["check", "--pack", "tryton"], env=environ)
    assert done.exit_code == 0, done.output
    assert "✗" not in done.output
