"""Records, rows and the log on the page: addresses that last, the export, and data that would be markup."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from playwright.sync_api import Page, expect

from footnote.session import Session

Ask = Callable[[str], Page]
OWES = "How much does Bergmann owe?"


class Host(Protocol):
    """The web host of conftest."""

    url: str
    session: Session


def test_an_answer_has_an_address_that_opens_it_as_recorded(ask: Ask, page: Page) -> None:
    ask(OWES)
    said = page.locator(".text").inner_text()
    page.get_by_role("link", name="Permanent link").click()
    expect(page.locator(".standing")).to_contain_text("As recorded in record 2")
    page.reload()
    expect(page.locator(".standing")).to_contain_text("As recorded in record 2")
    assert page.locator(".text").inner_text() == said
    page.locator(".claim").nth(1).click()
    expect(page.locator(".note .body:not([hidden]) .total")).to_contain_text("43.805,00 €")
    expect(page.locator("#records tr")).to_have_count(2)


def test_a_refusal_has_an_address_too(ask: Ask, page: Page) -> None:
    ask("How much does Acme Corporation owe?")
    page.get_by_role("link", name="record 1", exact=True).first.click()
    expect(page.locator(".standing")).to_contain_text("record 1")
    expect(page.locator(".refusal")).to_contain_text("Acme Corporation")


def test_back_and_forward_show_what_was_there_without_asking_again(ask: Ask, page: Page) -> None:
    ask(OWES)
    ask("How much does Acme Corporation owe?")
    page.go_back()
    expect(page.locator(".text")).to_contain_text("43.805,00 €")
    expect(page.get_by_label("Question")).to_have_value(OWES)
    page.go_forward()
    expect(page.locator(".refusal")).to_contain_text("Acme Corporation")
    page.go_back()
    page.go_back()
    expect(page.locator(".contents")).to_be_visible()
    expect(page.get_by_label("Question")).to_have_value("")
    expect(page.locator("#records tr")).to_have_count(3)


def test_a_question_in_the_address_is_asked(page: Page, host: Host) -> None:
    page.goto(f"{host.url}/?q=How+much+does+Bergmann+owe%3F")
    expect(page.locator(".text")).to_contain_text("43.805,00 €")


def test_the_last_records_are_listed_and_open(ask: Ask, page: Page) -> None:
    ask(OWES)
    rows = page.locator("#records tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text(OWES)
    rows.last.get_by_role("link").click()
    expect(page.locator(".row-page")).to_contain_text("Record 1")
    page.get_by_text("Rows (").click()
    expect(page.get_by_role("link", name="INV-2026-8812")).to_be_visible()


def test_a_row_has_an_address_with_its_state_now_and_as_recorded(ask: Ask, page: Page) -> None:
    ask(OWES)
    page.locator(".claim").nth(1).click()
    page.locator(".unfold").first.click()
    page.get_by_role("link", name="erp://invoice/8812").click()
    expect(page.get_by_role("heading", name="INV-2026-8812")).to_be_visible()
    expect(page.get_by_role("heading", name="As now")).to_be_visible()
    expect(page.get_by_role("heading", name="As recorded")).to_be_visible()
    expect(page.locator(".row-page .states section").nth(1)).to_contain_text("In record 2")


def test_a_row_that_does_not_exist_is_said_to_be_absent(page: Page, host: Host) -> None:
    page.goto(f"{host.url}/record/invoice/1")
    expect(page.locator(".row-page")).to_contain_text("There is no invoice with the key 1 now.")


def test_a_record_that_does_not_exist_is_refused(page: Page, host: Host) -> None:
    page.goto(f"{host.url}/record/999")
    expect(page.locator(".refusal")).to_contain_text("The log has no record")


def test_an_address_that_is_no_address_is_refused(page: Page, host: Host) -> None:
    page.goto(f"{host.url}/record/%E0%A4%A")
    expect(page.locator(".refusal")).to_be_visible()


def test_the_export_is_downloaded(ask: Ask, page: Page) -> None:
    ask(OWES)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download export").click()
    assert waiting.value.suggested_filename.endswith(".json")
    exported = json.loads(Path(waiting.value.path()).read_bytes())
    assert exported["chainIntegrity"]["ok"] is True
    assert [record["sequence"] for record in exported["records"]] == [1, 2]


def test_a_broken_chain_is_said_in_the_record_line(ask: Ask, page: Page, tmp_path: Path) -> None:
    ask("How much does Acme Corporation owe?")
    with sqlite3.connect(tmp_path / "log.db") as database:
        for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE payload SET data = CAST(replace(data, 'Acme', 'Acne') AS BLOB) WHERE sequence = 1")
    database.close()
    ask(OWES)
    expect(page.locator(".record .broken")).to_have_text("chain broken at record 1")


def test_an_answer_whose_record_was_changed_says_so_above_it(ask: Ask, page: Page, tmp_path: Path) -> None:
    ask(OWES)
    with sqlite3.connect(tmp_path / "log.db") as database:
        database.execute("DROP TRIGGER payload_is_only_erased")
        database.execute("UPDATE payload SET data = CAST(replace(data, '18450', '18451') AS BLOB) WHERE sequence = 2")
    database.close()
    page.goto(page.url.split("/?")[0] + "/record/2")
    expect(page.locator(".altered")).to_contain_text("not what was recorded")
    expect(page.locator(".record .broken")).to_have_text("chain broken at record 2")


def test_asking_twice_in_a_row_asks_once_and_adds_one_page_to_go_back_to(page: Page, host: Host) -> None:
    page.goto(host.url)
    page.get_by_role("button", name=OWES).dblclick()
    page.locator("footnote-answer .text").wait_for()
    assert host.session.log.size() == 2
    page.get_by_label("Question").press("Enter")
    page.wait_for_function("fetch('/api/records').then(r => r.json()).then(r => r.size === 4)")
    page.go_back()
    expect(page.locator(".contents")).to_be_visible()


def test_a_name_that_turns_text_round_or_never_ends_stays_in_its_place(hostile_host: Host, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for key in (4472, 4474):
        page.goto(f"{hostile_host.url}/?q=How+much+does+{key}+owe%3F")
        page.locator(".note .head").first.wait_for()
        for head in page.locator(".note .head").all():
            head.click()
            assert page.evaluate("document.documentElement.scrollWidth") == 360
        shown = page.locator("footnote-answer").evaluate("node => node.shadowRoot.textContent")
        assert "\u202e" not in shown


def test_data_that_would_be_markup_stay_text(hostile_host: Host, page: Page) -> None:
    page.goto(f"{hostile_host.url}/?q=How+much+does+4471+owe%3F")
    expect(page.locator(".text")).to_contain_text("<img src=x")
    page.locator(".claim").nth(1).click()
    expect(page.locator(".ledger .unfold").first).to_contain_text("<img src=x")
    page.locator(".unfold").first.click()
    page.goto(f"{hostile_host.url}/record/invoice/8812")
    expect(page.locator(".row-page h2")).to_contain_text("<img src=x")
    assert page.locator("img").count() == 0
    assert "owned" not in page.title()


def test_a_question_that_would_be_markup_stays_text(ask: Ask, page: Page) -> None:
    ask("<img src=x onerror=\"document.title='owned'\"> overdue?")
    page.locator("#records tr").first.wait_for()
    assert page.locator("img").count() == 0
    assert page.title() != "owned"
