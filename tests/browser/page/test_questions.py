"""Each question of the start page, as a newcomer asks it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pytest
from playwright.sync_api import Locator, Page, expect

Ask = Callable[[str], Page]
Claim = Callable[[str], Locator]


class Host(Protocol):
    """The web host of conftest."""

    url: str


def test_the_start_page_says_what_it_is_about(page: Page, host: Host) -> None:
    page.goto(host.url)
    expect(page.locator("#evaluating")).to_contain_text("Evaluating as of 14 August 2026")
    expect(page.locator("#source")).to_have_text("Fabelhaft Handels GmbH")
    expect(page.locator("#notice")).to_contain_text("Fictional data")
    expect(page.get_by_role("button", name="How much does Bergmann owe?")).to_be_visible()
    expect(page.get_by_label("Question")).to_be_focused()


def test_what_bergmann_owes_opens_to_four_invoices_that_add_up(ask: Ask, claim: Claim) -> None:
    page = ask("How much does Bergmann owe?")
    claim("43.805,00").click()
    ledger = page.locator(".note .body:not([hidden]) .ledger")
    expect(ledger.locator("tbody .unfold")).to_have_text(
        ["INV-2026-8812", "INV-2026-8834", "INV-2026-8901", "INV-2026-8977"]
    )
    expect(ledger.locator("tbody .amount")).to_have_text(["18.450,00 €", "9.625,00 €", "8.400,00 €", "7.330,00 €"])
    expect(ledger.locator("tfoot .total")).to_contain_text("43.805,00 €")
    expect(page.locator(".note .body:not([hidden]) .ties")).to_contain_text("ties out")


def test_bergmann_at_risk_is_an_interpretation_over_cited_facts(ask: Ask, claim: Claim) -> None:
    page = ask("Is Bergmann Logistik at risk?")
    conclusion = page.locator(".interpretation")
    expect(conclusion).to_contain_text("Interpretation")
    expect(conclusion.locator("em")).to_contain_text("2 independent risk signals")
    expect(page.locator(".text li").nth(0)).to_contain_text("104")
    expect(page.locator(".text li").nth(1)).to_contain_text("open support tickets")
    claim("2").click()
    expect(page.locator(".note .body:not([hidden]) .unfold")).to_have_count(6)


def test_what_nordwind_paid_opens_its_payment(ask: Ask, claim: Claim) -> None:
    page = ask("Has Nordwind paid anything this year?")
    claim("8.450,00").click()
    expect(page.locator(".note .body:not([hidden]) tbody .unfold")).to_have_count(1)


def test_the_aging_has_a_line_for_each_bucket_and_keeps_currencies_apart(ask: Ask, claim: Claim) -> None:
    page = ask("Show me the receivables aging")
    lines = page.locator(".entries tr")
    expect(lines.nth(0)).to_contain_text("not yet due")
    expect(lines.nth(1)).to_contain_text("1–30 days")
    expect(page.locator(".entries")).to_contain_text("¥")
    claim("47.342,85").click()
    opened = page.locator(".note .body:not([hidden])")
    expect(opened.locator(".total")).to_contain_text("47.342,85 €")
    expect(opened.locator(".definition")).to_contain_text("definition")


def test_negative_contributions_are_shown_gross(ask: Ask) -> None:
    page = ask("Show me the receivables aging")
    page.locator(".claim").filter(has_text="261.929,15").first.click()
    opened = page.locator(".note .body:not([hidden])")
    expect(opened.locator(".subtotal")).to_have_count(2)
    expect(opened.locator(".subtotal").nth(0)).to_contain_text("Gross plus")
    expect(opened.locator(".subtotal").nth(1)).to_contain_text("Gross minus")


def test_many_rows_are_paged_and_the_rest_is_summed(ask: Ask) -> None:
    page = ask("Show me the receivables aging")
    page.locator(".claim").filter(has_text="261.929,15").first.click()
    opened = page.locator(".note .body:not([hidden])")
    expect(opened.locator(".rest")).to_contain_text("and 34 more rows")
    opened.get_by_role("button", name="Show them").click()
    expect(opened.locator("tbody .unfold")).to_have_count(46)
    expect(opened.locator(".rest")).to_be_empty()


def test_open_tickets_of_adriatic_foods_are_listed(ask: Ask, claim: Claim) -> None:
    page = ask("Any open tickets for Adriatic Foods?")
    expect(page.locator(".text")).to_contain_text("Freight surcharge in dispute")
    claim("555").click()
    expect(page.locator(".note .body:not([hidden]) .fields").first).to_contain_text("Freight surcharge in dispute")


def test_no_tickets_is_a_stated_absence(ask: Ask) -> None:
    page = ask("Any open tickets for Lumière Packaging?")
    expect(page.locator(".claim.absence").first).to_be_visible()
    page.locator(".claim.absence").first.click()
    body = page.locator(".note .body:not([hidden])")
    expect(body.locator("xpath=..").locator(".gist")).to_contain_text(
        "absence Lumière Packaging SARL has no open tickets"
    )
    expect(body.locator(".fields")).to_contain_text("CustomerLumière Packaging SARL")
    expect(body.locator(".fields")).to_contain_text("Rows that count, totals0")


def test_an_unknown_name_is_refused_in_amber_with_names_that_exist(ask: Ask) -> None:
    page = ask("How much does Acme Corporation owe?")
    refusal = page.locator(".refusal")
    expect(refusal).to_contain_text("No answer")
    expect(refusal).to_contain_text("Acme Corporation")
    expect(refusal.locator(".choices button").first).to_be_visible()
    expect(refusal).to_contain_text("record 1")
    assert refusal.evaluate("node => getComputedStyle(node).borderLeftColor") == "rgb(138, 90, 0)"


def test_a_name_offered_in_a_refusal_asks_the_question_with_it(ask: Ask) -> None:
    page = ask("How much does Acme Corporation owe?")
    name = page.locator(".choices button").first
    text = name.inner_text().rsplit(" (", 1)[0]
    name.click()
    expect(page.locator("footnote-answer .text")).to_contain_text(text)
    expect(page.get_by_label("Question")).to_have_value(f"How much does “{text}” owe?")


def test_a_forecast_is_refused_with_questions_as_buttons(ask: Ask) -> None:
    page = ask("What will revenue be next quarter?")
    expect(page.locator(".refusal")).to_contain_text("does not forecast")
    page.locator(".choices").get_by_role("button", name="How much does Bergmann owe?").click()
    expect(page.locator("footnote-answer .text")).to_contain_text("43.805,00 €")


def test_an_example_is_asked_with_one_click(page: Page, host: Host) -> None:
    page.goto(host.url)
    page.get_by_role("button", name="Show me the receivables aging").click()
    expect(page.locator("footnote-answer .text")).to_contain_text("Open receivables")


def test_an_operation_is_asked_without_words(page: Page, host: Host) -> None:
    page.goto(host.url)
    page.get_by_text("Overdue invoices of a customer").click()
    form = page.locator(".contents details[open] form")
    form.get_by_label("Customer").fill("4471")
    form.get_by_role("button", name="Ask").click()
    expect(page.locator("footnote-answer .text")).to_contain_text("43.805,00 €")
    assert "/record/" in page.url


def test_a_date_that_does_not_exist_is_said_to_be_none(ask: Ask) -> None:
    page = ask("How much did Bergmann owe as of 2026-02-30?")
    expect(page.locator(".refusal")).to_be_visible()


@pytest.mark.parametrize("question", ["How much does ' OR 1=1 -- owe?", "<script>alert(1)</script>", "?" * 300])
def test_odd_questions_are_refused_like_any_other(ask: Ask, question: str) -> None:
    expect(ask(question).locator(".refusal")).to_contain_text("No answer")
