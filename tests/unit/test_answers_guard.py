"""The figure guard: a caller's prose gets its figures through slots, and a finished text is checked figure by figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import footnote
from footnote.answers.answer import Answer
from footnote.answers.draft import utf16_slice
from footnote.answers.guard import CheckedText, check_text, compose
from footnote.catalog.model import Catalog
from footnote.connect.seed import seed_sqlite
from footnote.errors import ArgumentError, UnboundFigure
from footnote.operations.result import Result
from footnote.session import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("guard")
    seed_sqlite(folder / "erp.db")
    url = f"sqlite:///{folder / 'erp.db'}"
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open("sample", database_url=url, provenance_db=folder / "log.db", environ=environ) as opened:
        yield opened


@pytest.fixture(scope="module")
def results(session: Session) -> Mapping[str, Result]:
    """Overdue invoices as `o`, open tickets as `t`, payments that do not exist as `p`."""
    return {
        "o": session.run("getOverdueInvoices", {"customer": "Bergmann"}),
        "t": session.run("getOpenTickets", {"customer": "Bergmann"}),
        "p": session.run("getPaymentHistory", {"customer": "Bergmann", "sinceDate": "2099-01-01"}),
    }


@pytest.fixture(scope="module")
def catalog(session: Session) -> Catalog:
    return session.loaded.catalog


def bound(answer: Answer) -> list[tuple[str, str]]:
    assert all(utf16_slice(answer.text, c.start, c.end) == c.text for c in answer.claims)
    return [(claim.text, claim.evidence[0] if claim.evidence else claim.origin) for claim in answer.claims]


def test_slots_are_filled_and_bound(results: Mapping[str, Result], catalog: Catalog) -> None:
    text = (
        "{o.customer} owes {o.totals.totalOutstanding} on {o.totals.invoiceCount} "
        "{o.totals.invoiceCount:invoice|invoices} as of {o.argument.asOfDate}; it sits in {o.customer.city}."
    )
    answer = compose(text, results, catalog=catalog, question="Well?")
    assert answer.text == (
        "Bergmann Logistik GmbH owes 43.805,00\xa0€ on 4 invoices as of 2026-08-14; it sits in Hamburg."
    )
    assert bound(answer) == [
        ("Bergmann Logistik GmbH", "customer:4471"),
        ("43.805,00\xa0€", "invoice:8812"),
        ("4", "invoice:8812"),
        ("2026-08-14", "argument:asOfDate"),
        ("Hamburg", "customer:4471"),
    ]
    assert answer.claims[1].figure == "totals.totalOutstanding"
    assert answer.claims[1].evidence == ("invoice:8812", "invoice:8834", "invoice:8901", "invoice:8977")
    assert answer.results == tuple(results.values())
    assert any("not checked" in note for note in answer.notes)


def test_a_result_may_be_named_by_its_short_id_too(results: Mapping[str, Result], catalog: Catalog) -> None:
    answer = compose(f"It owes {{{results['o'].id}.totals.totalOutstanding}}.", results, catalog=catalog)
    assert answer.text == "It owes 43.805,00\xa0€."


def test_names_that_the_results_know_are_bound_where_they_stand(
    results: Mapping[str, Result], catalog: Catalog
) -> None:
    answer = compose(
        "Bergmann Logistik GmbH is late with INV-2026-8812 ({o.invoices[0].outstanding}).", results, catalog=catalog
    )
    assert bound(answer)[:2] == [("Bergmann Logistik GmbH", "customer:4471"), ("INV-2026-8812", "invoice:8812")]


def test_a_sentence_that_nothing_is_bound_to_is_marked_generated(
    results: Mapping[str, Result], catalog: Catalog
) -> None:
    answer = compose("This looks bad. They owe {o.totals.totalOutstanding}! Call them\nsoon.", results, catalog=catalog)
    generated = [claim.text for claim in answer.claims if claim.origin == "generated"]
    assert generated == ["This looks bad.", "Call them", "soon."]
    assert all(not claim.evidence for claim in answer.claims if claim.origin == "generated")


def test_the_reason_why_there_is_nothing_can_be_cited(results: Mapping[str, Result], catalog: Catalog) -> None:
    answer = compose("{p.empty}", results, catalog=catalog)
    assert bound(answer) == [("Bergmann Logistik GmbH has paid nothing since 2099-01-01.", "absence:getPaymentHistory")]


@pytest.mark.parametrize(
    ("prose", "found"),
    [
        ("It owes 43.805,00 €.", "43.805,00"),
        ("It owes four invoices.", "four"),
        ("It owes forty-three thousand euro.", "forty-three thousand"),
        ("It owes ٤ invoices.", "٤"),
        ("It owes 四 invoices.", "四"),
        ("It owes Ⅳ invoices.", "Ⅳ"),
        ("Half of it is late.", "Half"),
        ("Due on 2026-05-02.", "2026-05-02"),
        ("See INV-2026-8813.", "2026-8813"),
        ("See INV-2026-88122.", "2026-88122"),
        ("{o.totals.invoiceCount:one|two} of them", "two"),
        ("{o.totals.totalOutstanding} million", "million"),
    ],
)
def test_prose_with_a_figure_of_its_own_is_refused(
    results: Mapping[str, Result], catalog: Catalog, prose: str, found: str
) -> None:
    with pytest.raises(UnboundFigure) as refused:
        compose(f"{{o.customer}} speaks. {prose}", results, catalog=catalog)
    spans = refused.value.details["spans"]
    assert found in [span["text"] for span in spans]
    assert f"“{found}”" in refused.value.what


def test_the_slots_that_would_fit_are_named(results: Mapping[str, Result], catalog: Catalog) -> None:
    with pytest.raises(UnboundFigure) as refused:
        compose("{o.customer} owes 43.805,00 € on four invoices.", results, catalog=catalog)
    id = results["o"].id
    assert [c.text for c in refused.value.candidates] == [
        f"{{{id}.totals.totalOutstanding}}",
        f"{{{id}.totals.invoiceCount}}",
    ]


@pytest.mark.parametrize(
    "prose",
    [
        "-{o.totals.totalOutstanding}",
        "minus {o.totals.totalOutstanding}",
        "-\u200b{o.totals.totalOutstanding}",
        "{o.totals.totalOutstanding}\u200dk",
        "{o.totals.invoiceCount}\u2003%",
        "− {o.totals.totalOutstanding}",
        "> {o.totals.totalOutstanding}",
        "~{o.totals.totalOutstanding}",
        "$ {o.totals.invoiceCount}",
        "EUR {o.totals.invoiceCount}",
        "{o.totals.invoiceCount} €",
        "{o.totals.invoiceCount} EUR",
        "{o.totals.invoiceCount} %",
        "{o.totals.invoiceCount} percent",
        "{o.totals.totalOutstanding}k",
        "{o.totals.totalOutstanding} Mio",
        "{o.totals.invoiceCount}0",
        "1{o.totals.invoiceCount}",
        "{o.totals.invoiceCount}{o.totals.invoiceCount}",
        "INV-2026-8812 €",
    ],
)
def test_prose_that_changes_a_figure_beside_it_is_refused(
    results: Mapping[str, Result], catalog: Catalog, prose: str
) -> None:
    with pytest.raises(UnboundFigure):
        compose(f"It is {prose}", results, catalog=catalog)


@pytest.mark.parametrize(
    "prose",
    [
        "- {o.totals.totalOutstanding} overdue\n- {t.totals.ticketCount} tickets",
        "Total - {o.totals.totalOutstanding}",
        "({o.totals.totalOutstanding})",
        "{o.totals.oldestDaysOverdue}-day-old debt",
        "{{braces}} and {o.totals.invoiceCount}",
    ],
)
def test_prose_around_a_figure_that_changes_nothing_is_fine(
    results: Mapping[str, Result], catalog: Catalog, prose: str
) -> None:
    assert compose(prose, results, catalog=catalog).claims


@pytest.mark.parametrize(
    ("prose", "near"),
    [
        ("{o.totals.totalOutstandin}", "{o.totals.totalOutstanding}"),
        ("{o.derived.totalOutstanding}", "{o.totals.totalOutstanding}"),
        ("{o.invoices[4].outstanding}", "{o.invoices[0].outstanding}"),
        ("{x.totals.invoiceCount}", "{o.totals.invoiceCount}"),
    ],
)
def test_a_slot_that_does_not_exist_is_refused_with_near_ones(
    results: Mapping[str, Result], catalog: Catalog, prose: str, near: str
) -> None:
    with pytest.raises(UnboundFigure) as refused:
        compose(prose, results, catalog=catalog)
    assert near in [candidate.text for candidate in refused.value.candidates]


@pytest.mark.parametrize(
    "prose", ["{o.totals", "o.totals}", "{}", "{o}", "{o.}", "{.totals}", "{o.x:a|b|c}", "{o.{t}}"]
)
def test_a_slot_that_cannot_be_read_is_refused(results: Mapping[str, Result], catalog: Catalog, prose: str) -> None:
    with pytest.raises(UnboundFigure):
        compose(prose, results, catalog=catalog)


def test_prose_that_cites_nothing_is_no_answer(results: Mapping[str, Result], catalog: Catalog) -> None:
    with pytest.raises(UnboundFigure, match="cites nothing"):
        compose("All is well.", results, catalog=catalog)
    with pytest.raises(UnboundFigure, match="cites nothing"):
        compose("All is well.", {}, catalog=catalog)


@pytest.mark.parametrize("text", ["", " \n", "x" * 20_001, "a\ud800b", "a\x00b", "a\u202eb"])
def test_a_text_that_is_none_is_a_wrong_argument(results: Mapping[str, Result], catalog: Catalog, text: str) -> None:
    with pytest.raises(ArgumentError):
        compose(text, results, catalog=catalog)
    with pytest.raises(ArgumentError):
        check_text(text, results, catalog=catalog)


# --- finished texts ---------------------------------------------------------------------------------------------------


def check(text: str, results: Mapping[str, Result], catalog: Catalog) -> CheckedText:
    checked = check_text(text, results, catalog=catalog)
    assert checked.ok is not bool(checked.uncovered)
    spans = [(c.text, c.start, c.end) for c in checked.covered]
    for written, start, end in [*spans, *((u.text, u.start, u.end) for u in checked.uncovered)]:
        assert utf16_slice(text, start, end) == written
    return checked


def test_a_true_text_is_covered_with_evidence(results: Mapping[str, Result], catalog: Catalog) -> None:
    text = (
        "🧾 Bergmann Logistik GmbH owes 43.805,00 € across 4 invoices as of 2026-08-14, the oldest 104 days past due "
        "(INV-2026-8812, 18.450 EUR). It has 2 open tickets."
    )
    checked = check(text, results, catalog)
    assert checked.ok, checked.uncovered
    assert [(c.text, c.figure) for c in checked.covered] == [
        ("Bergmann Logistik GmbH", ""),
        ("43.805,00 €", "totals.totalOutstanding"),
        ("4", "totals.invoiceCount"),
        ("2026-08-14", ""),
        ("104", "totals.oldestDaysOverdue"),
        ("INV-2026-8812", ""),
        ("18.450 EUR", "invoices[0].outstanding"),
        ("2", "totals.ticketCount"),
    ]
    assert all(claim.evidence for claim in checked.covered)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("It owes 43.806,00 €.", "43.806,00 €"),
        ("It owes 43.805,00 $.", "43.805,00 $"),
        ("It owes -43.805,00 €.", "-43.805,00 €"),
        ("It owes 43.805,00.", "43.805,00"),
        ("It owes 43,805.00 €.", "43,805.00"),
        ("It owes 4 tickets.", "4"),
        ("It owes 2 invoices.", "2"),
        ("It owes 4 euro.", "4"),
        ("It owes 4 weeks.", "4"),
        ("It owes 104 invoices.", "104"),
        ("It is 4 %.", "4 %"),
        ("It owes 43.805,00 € million.", "million"),
        ("See INV-2026-8813.", "2026-8813"),
        ("Due 2026-05-03.", "2026-05-03"),
        ("Due 02.05.2026.", "02.05.2026"),
        ("It owes forty invoices.", "forty"),
        ("It owes 1 something.", "1"),
    ],
)
def test_what_the_results_do_not_have_is_uncovered(
    results: Mapping[str, Result], catalog: Catalog, text: str, span: str
) -> None:
    checked = check(text, results, catalog)
    assert not checked.ok
    assert span in [uncovered.text for uncovered in checked.uncovered]
    assert all(uncovered.reason for uncovered in checked.uncovered)


def test_number_words_that_are_plain_are_read(results: Mapping[str, Result], catalog: Catalog) -> None:
    assert check("It owes four invoices and has two tickets.", results, catalog).ok


def test_a_value_that_two_figures_have_is_not_guessed(session: Session, catalog: Catalog) -> None:
    nordwind = session.run("getOverdueInvoices", {"customer": "Nordwind"})
    adriatic = session.run("getOverdueInvoices", {"customer": "Adriatic Foods"})
    text = "There is 1 invoice."
    assert check(text, {"n": nordwind}, catalog).ok
    (uncovered,) = check(text, {"n": nordwind, "a": adriatic}, catalog).uncovered
    assert "several figures" in uncovered.reason
    assert uncovered.candidates == (
        f"{{{nordwind.id}.totals.invoiceCount}}",
        f"{{{adriatic.id}.totals.invoiceCount}}",
    )


def test_the_same_rows_in_two_results_are_no_two_figures(session: Session, catalog: Catalog) -> None:
    results = {
        "year": session.run("getPaymentHistory", {"customer": "Nordwind"}),
        "july": session.run("getPaymentHistory", {"customer": "Nordwind", "sinceDate": "2026-07-01"}),
    }
    assert check("It paid 8.450,00 € in 1 payment.", results, catalog).ok


def test_a_text_without_figures_has_nothing_uncovered(results: Mapping[str, Result], catalog: Catalog) -> None:
    assert check("All is well.", results, catalog).as_dict() == {"ok": True, "covered": [], "uncovered": []}
