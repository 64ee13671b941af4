"""Statements verified on the page: status, quote, the passage in its document, and the record that keeps it."""

from __future__ import annotations

from typing import Protocol

from playwright.sync_api import Page, expect

from footnote.session import Session

FACT = "The standard lead time is fifteen (15) Business Days from confirmation of the Order."


class Host(Protocol):
    """The web host of conftest."""

    url: str
    session: Session


def verify(page: Page, host: Host, statement: str) -> None:
    page.goto(host.url)
    page.locator("#question").fill(statement)
    page.get_by_role("button", name="Verify").click()
    expect(page.locator(".verdict")).to_be_visible(timeout=60_000)  # the documents are read first


def test_a_grounded_statement_has_its_quote_and_the_passage_opens_in_its_document(page: Page, host: Host) -> None:
    verify(page, host, FACT)
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("Grounded")
    expect(verdict.locator("blockquote").first).to_have_text(f"“{FACT}”")
    expect(verdict.locator("figcaption")).to_contain_text("contracts/bergmann-supply-agreement.md")
    verdict.locator("summary").first.click()
    expect(verdict.locator("mark")).to_have_text(FACT)
    expect(verdict.locator(".document-text")).to_contain_text("Risk passes to the Customer")


def test_a_verdict_has_an_address_and_is_shown_as_recorded(page: Page, host: Host) -> None:
    verify(page, host, "The landlord is Anna Nowak.")
    expect(page.locator(".verdict")).to_contain_text("Unsupported")
    page.get_by_role("link", name="record 1").first.click()
    expect(page.locator(".standing")).to_contain_text("As recorded in record 1")
    expect(page.locator(".verdict h2")).to_have_text("The landlord is Anna Nowak.")
    page.get_by_role("button", name="Verify again now").click()
    expect(page.locator(".standing")).to_have_count(0)
    expect(page.locator("#records tr")).to_have_count(2)


def test_a_quote_leads_to_the_page_of_its_document(page: Page, host: Host) -> None:
    verify(page, host, FACT)
    page.locator(".verdict figcaption a").click()
    expect(page.locator(".document h2")).to_have_text("MASTER SUPPLY AGREEMENT")
    expect(page.locator(".document mark")).to_have_text(FACT)
    page.reload()
    expect(page.locator(".document mark")).to_have_text(FACT)
    page.go_back()
    expect(page.locator(".verdict")).to_be_visible(timeout=60_000)  # the documents are read first


def test_a_statement_that_is_markup_stays_text(page: Page, host: Host) -> None:
    verify(page, host, "<img src=x onerror=alert(1)> is 5 EUR.")
    expect(page.locator(".verdict h2")).to_have_text("<img src=x onerror=alert(1)> is 5 EUR.")
    expect(page.locator("main img")).to_have_count(0)


def test_a_statement_can_be_verified_by_keyboard_alone(page: Page, host: Host) -> None:
    page.goto(host.url)
    page.locator("main[aria-busy=false]").wait_for()
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type(FACT)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("Grounded")
