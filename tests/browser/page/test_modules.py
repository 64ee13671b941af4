"""The page's own arithmetic and what it makes of addresses, asked in the browser that runs them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

from footnote.figures import exact_sum

amounts = st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**25), max_value=10**25)


class Host(Protocol):
    """The web host of conftest."""

    url: str


@pytest.fixture
def module(host: Host, page: Page) -> Any:
    """Calls an exported function of one of the page's modules."""
    page.goto(host.url)

    def call(name: str, expression: str, argument: object) -> Any:
        return page.evaluate(
            f"async (argument) => {{ const m = await import('/static/{name}'); return {expression}; }}", argument
        )

    return call


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(amounts, max_size=30))
def test_the_page_adds_up_exactly(module: Any, values: list[Decimal]) -> None:
    total = module("exact.js", "m.plain(m.sum(argument))", [format(value, "f") for value in values])
    assert Decimal(total) == exact_sum(values)  # Python's own sum would round at 28 digits


@pytest.mark.parametrize("text", ["", "1e5", "NaN", "1,5", "1.", ".5", "0x1", "--1", "1 000", "٣"])
def test_what_is_no_plain_decimal_is_not_added(module: Any, text: str) -> None:
    assert module("exact.js", "m.sum([argument])", text) is None


@pytest.mark.parametrize(
    ("left", "right", "same"), [("1", "1.00", True), ("-0", "0.0", True), ("0.1", "0.10001", False)]
)
def test_zeroes_at_the_end_make_no_difference(module: Any, left: str, right: str, same: bool) -> None:
    assert module("exact.js", "m.equal(m.parse(argument[0]), m.parse(argument[1]))", [left, right]) is same


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "java\nscript:x"]
)
def test_a_link_in_the_data_leads_to_a_web_page_or_nowhere(module: Any, url: str) -> None:
    assert module("dom.js", "m.webAddress(argument)", url) is None


def test_a_web_address_is_one(module: Any) -> None:
    assert module("dom.js", "m.webAddress(argument)", "https://erp.example.com/8812") == "https://erp.example.com/8812"


@pytest.mark.parametrize(
    ("name", "words"),
    [("dueOn", "Due on"), ("due_on", "Due on"), ("oldestDaysOverdue", "Oldest days overdue"), ("id", "Id")],
)
def test_names_become_words(module: Any, name: str, words: str) -> None:
    assert module("dom.js", "m.words(argument)", name) == words


def test_a_claim_that_is_not_at_its_place_is_shown_as_not_bound(module: Any) -> None:
    answer = {
        "answer": "😀 owes 5.",
        "claims": [
            {"text": "5", "span": {"start": 8, "end": 9}, "evidenceIds": ["invoice:1"], "origin": "structured"},
            {"text": "5", "span": {"start": 7, "end": 8}, "evidenceIds": ["invoice:1"], "origin": "structured"},
        ],
    }
    kinds = module("claims.js", "m.numbered(argument).map((claim) => claim.kind)", answer)
    assert kinds == ["generated", "row"]


def test_a_figure_that_its_rows_do_not_give_is_not_ticked_off(module: Any) -> None:
    figure = {
        "name": "total",
        "type": "money",
        "currency": "EUR",
        "value": "30.00",
        "display": "30,00 €",
        "method": "sum",
        "contributions": [{"evidence": "invoice:1", "amount": "10.00"}, {"evidence": "invoice:2", "amount": "19.99"}],
    }
    table = {"name": "totals", "shape": "one", "rows": [{"figures": {"total": figure}}]}
    answer = {"results": [{"id": "r", "tables": [table]}], "evidence": [], "display": {"locale": "de-DE"}}
    claim = {"result": "r", "figure": "totals.total", "evidenceIds": ["invoice:1", "invoice:2"]}
    ties, gives = module("figure.js", "((f) => [f.ties, f.recomputed])(m.figureOf(...argument))", [answer, claim])
    assert ties is False
    assert gives.replace("\xa0", " ") == "29,99 €"
