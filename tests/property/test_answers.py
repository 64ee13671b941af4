"""Whatever the figures, names and templates: spans are exact, numbers are covered, and no prose smuggles one in."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.answers.answer import Answer
from footnote.answers.draft import utf16_length, utf16_slice
from footnote.answers.guard import check_text, compose
from footnote.answers.illustrate import illustrate
from footnote.answers.question import tokenise
from footnote.answers.render import render_answer
from footnote.answers.router import route
from footnote.catalog.model import Catalog
from footnote.errors import FootnoteError, NameUnknown, UnboundFigure
from footnote.evidence import Argument, EvidenceSet, FieldValue, Row
from footnote.figures import Figure, FigureType, Format, display, find_numerals
from footnote.operations.result import ResolvedEntity, Result, ResultRow, Table

LOCALES = ("en-US", "de-DE", "fr-CH", "pl-PL", "ar-EG", "hi-IN")
SLOTS = ("{count}", "{total}", "{customer}", "{customer.city}", "{asOfDate}", "{count:item|items}", "{totals.total}")


def catalog(say: str, line: str, locale: str) -> Catalog:
    columns = {"count": {"type": "count"}, "total": {"type": "money", "currency": "EUR"}}
    many = {"number": {"type": "text"}, "total": {"type": "money", "currency": "EUR"}}
    parameters = [
        {"name": "customer", "type": "entity", "entity": "customer", "description": ""},
        {"name": "asOfDate", "type": "date", "description": ""},
    ]
    operation: dict[str, Any] = {
        "title": "Owed",
        "description": "",
        "parameters": parameters,
        "statements": {
            "totals": {"shape": "one", "statement": "SELECT 1", "columns": columns},
            "lines": {"shape": "many", "statement": "SELECT 1", "columns": many},
        },
        "answer": {"say": say, "items": {"of": "lines", "say": line, "most": 2}},
        "ask": ["owe"],
    }
    source = {"url": "x", "dialect": "sqlite"}
    return Catalog.model_validate(
        {
            "catalog": "c",
            "version": 1,
            "source": source,
            "display": {"locale": locale},
            "records": {},
            "operations": {"getOwed": operation},
        }
    )


def money(name: str, value: Decimal, locale: str, *evidence: str) -> Figure:
    format = Format(FigureType.MONEY, currency="EUR")
    return Figure(name, value, format, display(value, format, locale), evidence)


def result(name: str, city: str, count: int, amounts: list[Decimal], locale: str) -> Result:
    rows, lines = [Row("customer", "7", name, {"city": FieldValue(city, city)})], []
    for number, amount in enumerate(amounts):
        rows.append(Row("invoice", str(number), f"{name} {number}"))
        text = Figure("number", f"N-{number}", Format(FigureType.TEXT), f"N-{number}", (rows[-1].id,))
        lines.append(ResultRow({"number": text, "total": money("total", amount, locale, rows[-1].id)}, rows[-1].id))
    ids = tuple(row.id for row in rows[1:])
    format = Format(FigureType.COUNT)
    totals = {
        "count": Figure("count", count, format, display(count, format, locale), ids),
        "total": money("total", sum(amounts, Decimal(0)), locale, *ids),
    }
    return Result(
        record_id="01234567-89ab-cdef-0123-456789abcdef",
        operation="getOwed",
        title="Owed",
        arguments={"customer": name, "asOfDate": "2026-08-14"},
        entities=(ResolvedEntity("customer", name, "customer:7", name),),
        tables={
            "totals": Table("totals", "one", (ResultRow(totals),)),
            "lines": Table("lines", "many", tuple(lines)),
        },
        derived={},
        evidence=EvidenceSet([*rows, Argument("asOfDate", "2026-08-14")]),
        queries=(),
        source="test",
        taken_at="2026-08-14T10:00:00Z",
        catalog_digest="sha256:0",
    )


names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).filter(
    lambda t: t.strip() == t
)
words = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="{}"), max_size=12)
amounts = st.decimals(Decimal("-99999999.99"), Decimal("99999999.99"), places=2)
results = st.builds(
    result, names, names, st.integers(0, 10**9), st.lists(amounts, max_size=5), st.shared(st.sampled_from(LOCALES))
)
templates = st.lists(st.one_of(st.sampled_from(SLOTS), words.map(lambda w: f" {w} ")), min_size=1, max_size=6).map(
    "".join
)


def require_sound(answer: Answer) -> None:
    places = [(claim.start, claim.end) for claim in answer.claims]
    for claim in answer.claims:
        assert utf16_slice(answer.text, claim.start, claim.end) == claim.text
        assert claim.evidence or claim.origin == "generated"
        assert all(id in answer.evidence for id in claim.evidence)
    assert all(a[1] <= b[0] for a, b in pairwise(places))
    bound = [(c.start, c.end) for c in answer.claims if c.origin != "generated"]
    for numeral in find_numerals(answer.text):
        start = utf16_length(answer.text[: numeral.start])
        end = start + utf16_length(numeral.text)
        assert any(a <= start and end <= b for a, b in bound), numeral


@given(results, templates, templates, st.shared(st.sampled_from(LOCALES)))
def test_claims_are_exact_apart_and_cover_every_number(found: Result, say: str, line: str, locale: str) -> None:
    known = catalog(say, line, locale)
    try:
        answer = render_answer(known.operations["getOwed"], found, catalog=known)
    except UnboundFigure:
        return  # the template joined two figures to one number: withheld, which is the promise
    require_sound(answer)
    shown = illustrate(answer.as_dict())
    for claim in shown["claims"]:
        assert utf16_slice(shown["answer"], claim["span"]["start"], claim["span"]["end"]) == claim["text"]


KNOWN = catalog("{count}", "{number}", "de-DE")
FOUND = {"r": result("Bergmann GmbH", "Hamburg", 4, [Decimal("10.50"), Decimal(-3)], "de-DE")}
ZEROS = "0٠۰०০๐０𝟎𝟘"
numerals = st.one_of(
    st.tuples(st.sampled_from(ZEROS), st.integers(0, 10**9)).map(
        lambda pair: "".join(chr(ord(pair[0]) + int(digit)) for digit in str(pair[1]))
    ),
    st.sampled_from(
        "four forty-two vier zweiundvierzig quatre cztery ½ ² ④ Ⅷ 四 million dozen half zero hundreds 1.000,00 4k".split()
    ),
)


@given(
    st.lists(st.sampled_from(["late", "and", "so", "on.", "it", "owes", "of", "\n"]), max_size=6), numerals, st.data()
)
def test_a_number_put_anywhere_into_prose_is_refused(prose: list[str], numeral: str, data: st.DataObject) -> None:
    parts = ["{r.customer} owes", "{r.totals.total}", *prose]
    place = data.draw(st.integers(0, len(parts)))
    with pytest.raises(UnboundFigure):
        compose(" ".join([*parts[:place], numeral, *parts[place:]]), FOUND, catalog=KNOWN)


@given(st.text(max_size=40), st.text(max_size=40))
def test_whatever_prose_is_composed_is_sound(before: str, after: str) -> None:
    text = f"{before}{{r.totals.total}}{after}"
    try:
        answer = compose(text, FOUND, catalog=KNOWN)
    except FootnoteError:
        return
    require_sound(answer)


@given(st.text(max_size=80))
def test_a_checked_text_says_of_every_number_whether_it_is_covered(text: str) -> None:
    try:
        checked = check_text(text, FOUND, catalog=KNOWN)
    except FootnoteError:
        return
    spans = [(c.start, c.end) for c in checked.covered] + [(u.start, u.end) for u in checked.uncovered]
    for numeral in find_numerals(text):
        start = utf16_length(text[: numeral.start])
        assert any(a <= start and start + utf16_length(numeral.text) <= b for a, b in spans)


def nobody(entity: str, text: str) -> str:
    raise NameUnknown(f"No {entity} is called {text!r}.")


@given(st.text(max_size=60))
def test_any_text_is_routed_or_refused(question: str) -> None:
    try:
        way = route(f"owe {question}", KNOWN, nobody)
    except FootnoteError:
        return
    assert way.name == "getOwed"


restrictions = st.sampled_from(
    "not except without only 2026 5 five last next since before after € % USD more less between if tomorrow".split()
)


@given(restrictions, st.integers(0, 4))
def test_a_restriction_anywhere_in_a_question_is_refused(restriction: str, place: int) -> None:
    def bergmann(entity: str, text: str) -> str:
        if text == "Bergmann":
            return "customer:7"
        raise NameUnknown(f"No {entity} is called {text!r}.")

    parts = ["How", "much", "does", "Bergmann", "owe"]
    with pytest.raises(FootnoteError):
        route(" ".join([*parts[:place], restriction, *parts[place:]]), KNOWN, bergmann)


@given(st.text(max_size=60))
def test_tokens_leave_out_nothing_but_space_and_punctuation(text: str) -> None:
    covered = [False] * len(text)
    for token in tokenise(text):
        assert token.text == text[token.start : token.end]
        covered[token.start : token.end] = [True] * (token.end - token.start)
    assert not any(character.isalnum() and not seen for character, seen in zip(text, covered, strict=True))
