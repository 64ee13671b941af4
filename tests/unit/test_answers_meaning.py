"""A right figure is wrong under another's name, beside another unit, or in a script that nobody checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import footnote
from footnote.answers.guard import check_text, compose
from footnote.catalog.model import Catalog
from footnote.connect.seed import seed_sqlite
from footnote.errors import UnboundFigure
from footnote.operations.result import Result
from footnote.session import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("meaning")
    seed_sqlite(folder / "erp.db")
    url = f"sqlite:///{folder / 'erp.db'}"
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open("sample", database_url=url, provenance_db=folder / "log.db", environ=environ) as opened:
        yield opened


@pytest.fixture(scope="module")
def results(session: Session) -> Mapping[str, Result]:
    """Overdue invoices of Bergmann as `b`, of Petrov as `p`, earlier as `e`; `r` receivables, `t` top, `s` summary."""
    return {
        "b": session.run("getOverdueInvoices", {"customer": "Bergmann"}),
        "p": session.run("getOverdueInvoices", {"customer": "Petrov"}),
        "e": session.run("getReceivablesAging", {"asOfDate": "2026-07-31"}),
        "r": session.run("getReceivablesAging", {}),
        "t": session.run("getTopCustomers", {}),
        "s": session.run("getCustomerSummary", {"customer": "Bergmann"}),
    }


@pytest.fixture(scope="module")
def catalog(session: Session) -> Catalog:
    return session.loaded.catalog


MISPLACED = [
    ("{p.customer} owes {b.totals.totalOutstanding}.", "Petrov Components d.o.o. owes 43.805,00 €."),
    ("Petrov owes {b.totals.totalOutstanding}.", "Petrov owes 43.805,00 €."),
    ("PETROV: {b.totals.totalOutstanding}", "PETROV: 43.805,00 €"),
    ("Petrov is late. It owes {b.totals.totalOutstanding}.", "Petrov is late. It owes 43.805,00 €."),
    ("| {p.customer} | {b.totals.totalOutstanding} |", "| Petrov Components d.o.o. | 43.805,00 € |"),
    ("Petrov has {s.customer.payment_terms_days} days.", "Petrov has 30 days."),
    ("INV-2026-8834: {b.invoices[0].outstanding}", "INV-2026-8834: 18.450,00 €"),
    ("INV-2026-8812, due {b.invoices[1].dueOn}", "INV-2026-8812, due 2026-05-18"),
    ("Sturmvogel Spedition GmbH: {t.customers[0].revenue}", "Sturmvogel Spedition GmbH: 63.929,00 €"),
    ("{r.buckets[1].bucket}: {r.buckets[0].outstanding}", "1–30 days: 112.933,40 €"),
]


@pytest.mark.parametrize(("prose", "text"), MISPLACED)
def test_a_figure_under_the_name_of_another_is_refused(
    results: Mapping[str, Result], catalog: Catalog, prose: str, text: str
) -> None:
    with pytest.raises(UnboundFigure, match=r"is a figure of .*, and the text speaks of"):
        compose(prose, results, catalog=catalog)
    checked = check_text(text, results, catalog=catalog)
    assert not checked.ok, checked.covered


def test_a_figure_beside_the_day_of_another_call_is_refused(results: Mapping[str, Result], catalog: Catalog) -> None:
    with pytest.raises(UnboundFigure, match="asOfDate 2026-08-14"):
        compose("On {e.argument.asOfDate} it is {r.totals[0].totalOverdue}.", results, catalog=catalog)
    both = "From {e.argument.asOfDate} to {r.argument.asOfDate} it is {r.totals[0].totalOverdue}."
    assert compose(both, results, catalog=catalog).claims


@pytest.mark.parametrize(
    "prose",
    [
        "Bergmann owes {b.totals.totalOutstanding}, Petrov {p.totals.totalOutstanding}.",
        "Of {r.totals[0].totalOutstanding}, Bergmann owes {b.totals.totalOutstanding}.",
        "Bergmann:\n- {b.invoices[0].number}: {b.invoices[0].outstanding}\nPetrov:\n- {p.totals.totalOutstanding}",
        "| Name | Overdue | Of |\n| {b.customer} | {b.totals.totalOutstanding} | {b.totals.invoiceCount} |",
        "{r.buckets[0].bucket}: {r.buckets[0].outstanding} ({r.buckets[0].itemCount} items)",
        "{t.customers[0].name} leads with {t.customers[0].revenue}, {t.derived.topShare} with the others.",
        "It has {b.totals.invoiceCount} overdue invoices, **{b.totals.oldestDaysOverdue}** days at most.",
        "INV-2026-8812 {b.invoices[0].outstanding}",
        "Open: {b.totals.totalOutstanding} / oldest: {b.totals.oldestDaysOverdue} days",
        "Sjöstjärna and Żubr are fine; Bergmann owes {b.totals.totalOutstanding}.",
    ],
)
def test_prose_that_keeps_figures_with_their_owners_is_fine(
    results: Mapping[str, Result], catalog: Catalog, prose: str
) -> None:
    assert compose(prose, results, catalog=catalog).claims


CHANGED = [
    "not {x}", "less {x}", "($){x}", "(USD) {x}", "USD: {x}", "{x} dollars", "{x} US dollars", "{x} (USD)",
    "{x}, in dollars", "{x} grand", "{x} per cent", "{x} per day", "{x}/day", "{x} monthly", "{x} each", "{x} months",
    "{x} times", "-*{x}*", "**-**{x}", "-({x})", '-"{x}"', "-\u00a0{x}", "#{x}", "!{x}", "times {x}", "divided by {x}",
]  # fmt: skip


@pytest.mark.parametrize("prose", CHANGED)
def test_what_stands_beside_a_figure_and_changes_it_is_refused(
    results: Mapping[str, Result], catalog: Catalog, prose: str
) -> None:
    with pytest.raises(UnboundFigure):
        compose(f"It is {prose.replace('{x}', '{b.totals.totalOutstanding}')}.", results, catalog=catalog)
    checked = check_text(f"It is {prose.replace('{x}', '43.805,00 €')}.", results, catalog=catalog)
    assert not checked.ok, checked.covered


@pytest.mark.parametrize(
    "prose",
    [
        "{b.totals.oldestDaysOverdue} weeks",
        "{b.totals.oldestDaysOverdue}-year-old",
        "{s.customer.payment_terms_days} months",
        "{b.totals.invoiceCount} customers",
        "{b.totals.invoiceCount} tickets",
    ],
)
def test_a_number_of_something_else_is_refused(results: Mapping[str, Result], catalog: Catalog, prose: str) -> None:
    with pytest.raises(UnboundFigure):
        compose(f"It is {prose}.", results, catalog=catalog)


@pytest.mark.parametrize("between", [" / ", "/", "·", " x ", " times ", ":", " "])
def test_two_figures_are_not_made_one_or_calculated_with(
    results: Mapping[str, Result], catalog: Catalog, between: str
) -> None:
    prose = f"It is {{b.totals.oldestDaysOverdue}}{between}{{b.totals.invoiceCount}}."
    with pytest.raises(UnboundFigure):
        compose(prose, results, catalog=catalog)


@pytest.mark.parametrize("words", ["четыре", "أربعة", "चार", "τέσσερα", "fouг", "π"])
def test_words_in_a_script_that_is_not_checked_for_number_words_are_refused(
    results: Mapping[str, Result], catalog: Catalog, words: str
) -> None:
    with pytest.raises(UnboundFigure, match=words):
        compose(f"{{b.customer}} is late with {words}.", results, catalog=catalog)
    (uncovered,) = check_text(f"It is late with {words}.", results, catalog=catalog).uncovered
    assert uncovered.text == words


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("getOverdueInvoices", {"customer": "Bergmann"}),
        ("getCustomerSummary", {"customer": "Bergmann"}),
        ("getPaymentHistory", {"customer": "Halyard", "sinceDate": "2025-01-01"}),
        ("getOpenTickets", {"customer": "Bergmann"}),
        ("getRevenueByMonth", {"period": "2025"}),
    ],
)
def test_an_answer_of_our_own_is_covered_by_its_result(
    session: Session, catalog: Catalog, operation: str, arguments: dict[str, str]
) -> None:
    result = session.run(operation, arguments)
    text = session.answer(result).text
    assert check_text(text, {"x": result}, catalog=catalog).uncovered == ()
