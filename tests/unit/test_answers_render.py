"""Templates become text and claims: currencies, plural forms, lines for rows, absences, and what is refused."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from footnote.answers.answer import Answer
from footnote.answers.draft import Draft, utf16_slice
from footnote.answers.render import render_answer
from footnote.catalog.model import Catalog
from footnote.errors import CatalogError, UnboundFigure
from footnote.evidence import Absence, Argument, Definition, Evidence, EvidenceSet, FieldValue, Json, Row
from footnote.figures import Figure, FigureType, Format, Value, display
from footnote.operations.result import ResolvedEntity, Result, ResultRow, Table

COLUMNS: dict[str, Any] = {
    "count": {"type": "count"},
    "total": {"type": "money", "currency": {"column": "currency"}},
    "oldest": {"type": "integer", "unit": "days"},
    "currency": {"type": "text", "hidden": True},
}
ROW_COLUMNS: dict[str, Any] = {"number": {"type": "text"}, "amount": {"type": "money", "currency": "EUR"}}


def catalog(answer: Any, empty: str = "", locale: str = "de-DE", **more: Any) -> Catalog:
    operation: dict[str, Any] = {
        "title": "Owed",
        "description": "",
        "parameters": [
            {"name": "customer", "type": "entity", "entity": "customer", "description": ""},
            {"name": "asOfDate", "type": "date", "default": "today", "description": ""},
            {"name": "period", "type": "period", "required": False, "description": ""},
        ],
        "statements": {
            "totals": {"shape": "one", "statement": "SELECT 1", "columns": COLUMNS},
            "invoices": {"shape": "many", "statement": "SELECT 1", "columns": ROW_COLUMNS},
        },
        "derive": {"share": {"type": "percent", "expression": "ratio(count, count)"}},
        "answer": answer,
    }
    if empty:
        operation["empty"] = {"when": "count = 0", "reason": empty}
    return Catalog.model_validate(
        {
            "catalog": "owed",
            "version": 1,
            "source": {"url": "x", "dialect": "sqlite"},
            "display": {"locale": locale},
            "records": {},
            "operations": {"getOwed": operation | more},
        }
    )


def figure(
    name: str, value: Value, type: FigureType, *evidence: str, currency: str = "", locale: str = "de-DE"
) -> Figure:
    format = Format(type, currency=currency)
    return Figure(name, value, format, display(value, format, locale), evidence)


def totals(count: int, amount: str, currency: str, *evidence: str, oldest: int | None = 104) -> ResultRow:
    return ResultRow(
        {
            "count": figure("count", count, FigureType.COUNT, *evidence),
            "total": figure("total", Decimal(amount), FigureType.MONEY, *evidence, currency=currency),
            "oldest": figure("oldest", oldest, FigureType.INTEGER, *evidence[:1]),
        }
    )


def line(number: int) -> ResultRow:
    id = f"invoice:{number}"
    return ResultRow(
        {
            "number": figure("number", f"INV-{number}", FigureType.TEXT, id),
            "amount": figure("amount", Decimal(number), FigureType.MONEY, id, currency="EUR"),
        },
        id,
    )


def result(*rows: ResultRow, lines: tuple[ResultRow, ...] = (), name: str = "Bergmann GmbH", **more: Any) -> Result:
    city = {"city": FieldValue("Hamburg", "Hamburg"), "fax": FieldValue(None, ""), "terms": FieldValue(30, "30")}
    invoices = [Row("invoice", str(n), f"INV-{n}") for n in range(1, 40)]
    known: list[Evidence] = [Row("customer", "7", name, city), Argument("asOfDate", "2026-08-14"), *invoices]
    arguments: Mapping[str, Json] = {"customer": "Bergmann", "asOfDate": "2026-08-14"}
    made: dict[str, Any] = {
        "record_id": "01234567-89ab-cdef-0123-456789abcdef",
        "operation": "getOwed",
        "title": "Owed",
        "arguments": arguments,
        "entities": (ResolvedEntity("customer", "Bergmann", "customer:7", name),),
        "tables": {"totals": Table("totals", "one", rows), "invoices": Table("invoices", "many", lines)},
        "derived": {},
        "evidence": EvidenceSet(known),
        "queries": (),
        "source": "test",
        "taken_at": "2026-08-14T10:00:00Z",
        "catalog_digest": "sha256:0",
    }
    return Result(**(made | more))


def answer(known: Catalog, found: Result) -> Answer:
    made = render_answer(known.operations["getOwed"], found, catalog=known, question="How much?")
    for claim in made.claims:
        assert utf16_slice(made.text, claim.start, claim.end) == claim.text
        assert all(id in made.evidence for id in claim.evidence)
    return made


def bound(made: Answer) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.text, claim.evidence) for claim in made.claims]


def test_slots_become_claims_on_rows_arguments_and_fields() -> None:
    known = catalog("{customer} in {customer.city} owes {total} on {count} as of {asOfDate}.")
    made = answer(known, result(totals(2, "43805", "EUR", "invoice:1", "invoice:2")))
    assert made.text == "Bergmann GmbH in Hamburg owes 43.805,00\xa0€ on 2 as of 2026-08-14."
    assert bound(made) == [
        ("Bergmann GmbH", ("customer:7",)),
        ("Hamburg", ("customer:7",)),
        ("43.805,00\xa0€", ("invoice:1", "invoice:2")),
        ("2", ("invoice:1", "invoice:2")),
        ("2026-08-14", ("argument:asOfDate",)),
    ]
    assert [claim.figure for claim in made.claims] == ["", "", "totals.total", "totals.count", ""]
    assert {claim.result for claim in made.claims} == {"0123456789ab"}


def test_spans_count_utf_16_units_also_after_characters_beyond_the_first_plane() -> None:
    made = answer(catalog("{customer} 🚢 owes {total}."), result(totals(1, "5", "EUR", "invoice:1"), name="𝔅ergmann 🏗"))
    assert made.text == "𝔅ergmann 🏗 🚢 owes 5,00\xa0€."
    assert [(claim.start, claim.end) for claim in made.claims] == [(0, 12), (21, 27)]


def test_the_sentence_is_said_once_for_each_currency() -> None:
    made = answer(
        catalog("{total} on {count} {count:invoice|invoices}."),
        result(totals(2, "10", "EUR", "invoice:1", "invoice:2"), totals(1, "7", "JPY", "invoice:3")),
    )
    assert made.text == "10,00\xa0€ on 2 invoices. 7\xa0¥ on 1 invoice."
    assert [claim.figure for claim in made.claims] == [
        "totals[0].total",
        "totals[0].count",
        "totals[1].total",
        "totals[1].count",
    ]


def test_a_currency_that_one_statement_lacks_counts_nothing_there_and_says_so() -> None:
    columns = {"n": {"type": "count"}, "sum": {"type": "money", "currency": {"column": "currency"}}}
    statements = {
        "totals": {"shape": "one", "statement": "SELECT 1", "columns": COLUMNS},
        "paid": {"shape": "one", "statement": "SELECT 1", "columns": columns},
    }
    paid = ResultRow(
        {
            "n": figure("n", 4, FigureType.COUNT, "invoice:4"),
            "sum": figure("sum", Decimal(3), FigureType.MONEY, "invoice:4", currency="EUR"),
        }
    )
    both = (totals(2, "10", "EUR", "invoice:1"), totals(1, "7", "JPY", "invoice:3"))
    tables = {"totals": Table("totals", "one", both), "paid": Table("paid", "one", (paid,))}
    made = answer(catalog("{total}, {n} payments, {sum}.", statements=statements), result(tables=tables))
    assert made.text == "10,00\xa0€, 4 payments, 3,00\xa0€. 7\xa0¥, 0 payments, not recorded."
    assert made.claims[4].evidence == ("absence:getOwed.paid.n.JPY",)


@pytest.mark.parametrize(
    ("count", "locale", "template", "word"),
    [
        (1, "de-DE", "{count:invoice|invoices}", "invoice"),
        (0, "de-DE", "{count:invoice|invoices}", "invoices"),
        (2, "fr-FR", "{count:invoice|invoices}", "invoices"),
        (0, "fr-FR", "{count:invoice|invoices}", "invoices"),  # French zero is singular, English text is not
        (1, "pl-PL", "{count:faktura|faktury|faktur|faktury}", "faktura"),
        (3, "pl-PL", "{count:faktura|faktury|faktur|faktury}", "faktury"),
        (5, "pl-PL", "{count:faktura|faktury|faktur|faktury}", "faktur"),
        (22, "pl-PL", "{count:faktura|faktury|faktur|faktury}", "faktury"),
    ],
)
def test_words_agree_with_their_number(count: int, locale: str, template: str, word: str) -> None:
    made = answer(catalog(template, locale=locale), result(totals(count, "1", "EUR", "invoice:1")))
    assert made.text == word
    assert made.claims == ()


ITEMS = {"say": "{count} in all:", "items": {"of": "invoices", "say": "{number}: {amount} of {total}", "most": 3}}


def test_a_line_for_each_row_is_bound_to_its_row() -> None:
    lines = tuple(line(number) for number in (3, 1, 2))
    made = answer(catalog(ITEMS), result(totals(3, "6", "EUR", "invoice:3"), lines=lines))
    assert made.text.split("\n") == [
        "3 in all:",
        "  · INV-3: 3,00\xa0€ of 6,00\xa0€",
        "  · INV-1: 1,00\xa0€ of 6,00\xa0€",
        "  · INV-2: 2,00\xa0€ of 6,00\xa0€",
    ]
    assert [c.figure for c in made.claims][1:3] == ["invoices[0].number", "invoices[0].amount"]


def test_rows_beyond_the_limit_are_counted_and_the_count_is_bound_to_them() -> None:
    lines = tuple(line(number) for number in range(1, 16))
    made = answer(catalog(ITEMS), result(totals(15, "6", "EUR", "invoice:1"), lines=lines))
    assert made.text.endswith("\n  · and 12 more")
    assert made.claims[-1].text == "12"
    assert made.claims[-1].evidence == tuple(f"invoice:{number}" for number in range(4, 16))


def test_numbers_of_the_template_are_bound_to_its_definition() -> None:
    made = answer(catalog("{count} invoices are 90+ days, not ninety."), result(totals(1, "6", "EUR", "invoice:1")))
    assert bound(made)[1:] == [("90", ("definition:getOwed.answer",)), ("ninety", ("definition:getOwed.answer",))]
    definition = made.evidence.get("definition:getOwed.answer", "0123456789ab")
    assert isinstance(definition, Definition)
    assert "90+ days" in definition.text


def test_null_is_said_and_is_not_zero() -> None:
    made = answer(
        catalog("The oldest: {oldest}; fax: {customer.fax}."),
        result(totals(1, "6", "EUR", "invoice:1", oldest=None)),
    )
    assert made.text == "The oldest: not recorded; fax: not recorded."
    assert bound(made) == [("not recorded", ("invoice:1",)), ("not recorded", ("customer:7",))]


def test_a_figure_that_no_row_counts_towards_rests_on_a_stated_absence() -> None:
    made = answer(catalog("{count} invoices."), result(totals(0, "0", "EUR")))
    assert bound(made) == [("0", ("absence:getOwed.totals.count",))]
    assert isinstance(made.evidence.get("absence:getOwed.totals.count", "0123456789ab"), Absence)


REASON = "{customer} has no invoice over 90 days as of {asOfDate}."


def test_an_empty_result_is_said_with_every_word_bound() -> None:
    made = answer(catalog("{count}", empty=REASON), result(empty="Bergmann GmbH has …"))
    assert made.text == "Bergmann GmbH has no invoice over 90 days as of 2026-08-14."
    assert bound(made) == [
        ("Bergmann GmbH", ("customer:7",)),
        ("has no invoice over 90 days as of", ("absence:getOwed", "definition:getOwed.empty")),
        ("2026-08-14", ("argument:asOfDate",)),
    ]


def test_an_empty_result_of_an_operation_without_a_reason_still_has_one() -> None:
    made = answer(catalog("{count}"), result(empty="Owed: no row was found."))
    assert bound(made) == [("Owed: no row was found", ("absence:getOwed",))]


@pytest.mark.parametrize(
    ("exact", "shown"),
    [
        ("2026-01-01..2026-12-31", "2026"),
        ("2026-07-01..2026-09-30", "2026-Q3"),
        ("2026-02-01..2026-02-28", "2026-02"),
        ("2025-04-01..2026-03-31", "2025-04-01 to 2026-03-31"),
        ("2026-02-01..2026-02-27", "2026-02-01 to 2026-02-27"),
    ],
)
def test_a_period_is_said_by_its_name(exact: str, shown: str) -> None:
    made = answer(
        catalog("In {period}: {count}"), result(totals(1, "1", "EUR", "invoice:1"), arguments={"period": exact})
    )
    assert made.text == f"In {shown}: 1"


def test_balances_as_of_now_are_said_in_a_note() -> None:
    found = result(totals(1, "1", "EUR", "invoice:1"), as_of="2026-08-01", basis="current")
    assert any("not reconstructed" in note for note in answer(catalog("{count}"), found).notes)
    reconstructed = result(totals(1, "1", "EUR", "invoice:1"), as_of="2026-08-01", basis="reconstructed")
    assert answer(catalog("{count}"), reconstructed).notes == ()


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{nothing}", "cannot be filled"),
        ("{customer.nothing}", "no field nothing"),
        ("{invoices.amount}", "cannot be filled"),
        ("{currency}", "hidden"),
        ("{period}", "called without period"),
        ("{customer.city:one|other} {asOfDate:day|days}", None),
    ],
)
def test_a_slot_that_cannot_be_filled_is_an_error_of_the_catalog(template: str, message: str | None) -> None:
    known, found = catalog(template), result(totals(1, "1", "EUR", "invoice:1"))
    if message is None:
        assert answer(known, found).text == "other days"
        return
    with pytest.raises(CatalogError, match=message):
        answer(known, found)


def test_a_figure_whose_evidence_is_not_there_is_not_shown() -> None:
    with pytest.raises(CatalogError, match="invoice:99, which is not in its evidence"):
        answer(catalog("{count}"), result(totals(1, "1", "EUR", "invoice:99")))


@pytest.mark.parametrize("template", ["1{count}", "{count}{count}", "{count}/{count}", "{count}0"])
def test_a_template_that_makes_another_number_of_a_figure_is_withheld(template: str) -> None:
    with pytest.raises(UnboundFigure, match="withheld"):
        answer(catalog(template), result(totals(4, "1", "EUR", "invoice:1")))


def test_a_draft_refuses_overlaps_missing_evidence_and_surrogates() -> None:
    draft = Draft()
    draft.bind("4", ())
    with pytest.raises(UnboundFigure, match="no evidence"):
        draft.finish()
    draft = Draft()
    draft.bind("4", ("invoice:1",))
    with pytest.raises(UnboundFigure, match="is not there"):
        draft.finish()
    draft = Draft()
    draft.bind("four", (draft.evidence.add(Argument("n", "4")),))
    draft.mark_generated(0, 2)
    with pytest.raises(UnboundFigure, match="overlap"):
        draft.finish()
    draft = Draft()
    draft.say("a \ud83d")
    with pytest.raises(UnboundFigure, match="surrogate"):
        draft.finish()
    draft = Draft()
    draft.say("forty-two")
    with pytest.raises(UnboundFigure, match="no one claim covers"):
        draft.finish()


def test_the_whole_evidence_of_the_result_can_be_opened() -> None:
    made = answer(catalog("{count}"), result(totals(1, "1", "EUR", "invoice:1")))
    assert len(made.evidence) == 41
    assert all(item.result == "0123456789ab" for item in made.evidence)


def test_dates_of_figures_stay_dates() -> None:
    row = ResultRow({"count": figure("count", 1, FigureType.COUNT, "invoice:1")})
    found = result(row, derived={"share": figure("share", dt.date(2026, 5, 2), FigureType.DATE, "invoice:1")})
    made = answer(catalog("{share} and {count}"), found)
    assert [claim.figure for claim in made.claims] == ["derived.share", "totals.count"]


def test_a_name_that_would_turn_or_break_the_line_is_shown_so_that_it_cannot() -> None:
    draft = Draft()
    row = Row("customer", "1", "x")
    ids = (draft.evidence.add(row),)
    for name in ("A\u202eB", "C\nD\tE", "F\x00G", "\u05d0\u05d1"):
        draft.bind(name, ids)
        draft.say(": ")
    text, claims = draft.finish()
    assert text == "A\ufffdB: C D E: F\ufffdG: \u05d0\u05d1\u200e: "
    assert [utf16_slice(text, claim.start, claim.end) for claim in claims] == [claim.text for claim in claims]
