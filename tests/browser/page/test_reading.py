"""Reading an answer: with keys alone, by ear, on paper, on a phone, in the dark; copying it; the illustration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pytest
from playwright.sync_api import Locator, Page, expect

Ask = Callable[[str], Page]
Claim = Callable[[str], Locator]
OWES = "How much does Bergmann owe?"


class Host(Protocol):
    """The web host of conftest."""

    url: str


# --- keys -------------------------------------------------------------------------------------------------------------


def test_the_whole_way_from_question_to_row_needs_no_mouse(page: Page, host: Host) -> None:
    page.goto(host.url)
    page.locator("#examples li").first.wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_label("Question")).to_be_focused()
    page.keyboard.type(OWES)
    page.keyboard.press("Enter")
    page.locator(".claim").first.wait_for()
    page.keyboard.press("Tab")
    expect(page.locator("#claim-1")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#claim-2")).to_be_focused()
    page.keyboard.press("Enter")
    opened = page.locator(".note .body:not([hidden])")
    expect(opened).to_be_focused()
    page.keyboard.press("Tab")
    expect(opened.locator(".unfold").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(opened.locator(".fields").first).to_contain_text("2026-05-02")
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(page.locator("#claim-2")).to_be_focused()


def test_brackets_walk_the_claims_and_what_is_open_follows(ask: Ask) -> None:
    page = ask(OWES)
    page.keyboard.press("]")
    expect(page.locator("#claim-1")).to_be_focused()
    page.keyboard.press("]")
    page.keyboard.press("Space")
    expect(page.locator("#note-2 .body")).to_be_visible()
    page.keyboard.press("]")
    expect(page.locator("#note-3 .body")).to_be_visible()
    expect(page.locator("#note-2 .body")).to_be_hidden()
    page.keyboard.press("[")
    page.keyboard.press("[")
    expect(page.locator("#claim-1")).to_be_focused()
    page.keyboard.press("[")
    expect(page.locator(".claim").last).to_be_focused()


def test_a_question_mark_shows_the_keys_and_escape_hides_them(ask: Ask) -> None:
    page = ask(OWES)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


def test_keys_typed_into_the_question_are_text(page: Page, host: Host) -> None:
    page.goto(host.url)
    page.get_by_label("Question").press_sequentially("c?/[]")
    expect(page.get_by_label("Question")).to_have_value("c?/[]")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_focus_is_visible_on_a_claim(ask: Ask) -> None:
    page = ask(OWES)
    page.keyboard.press("]")
    style = page.locator("#claim-1").evaluate("node => getComputedStyle(node).outlineStyle")
    assert style == "solid"


# --- ears -------------------------------------------------------------------------------------------------------------


def test_a_claim_says_its_text_its_place_and_its_rows(ask: Ask, claim: Claim) -> None:
    ask(OWES)
    label = claim("43.805,00").get_attribute("aria-label") or ""
    assert label.replace("\xa0", " ").endswith("43.805,00 €, claim 2 of 21, 4 rows")
    expect(claim("2026-08-14")).to_have_attribute("aria-label", "2026-08-14, claim 4 of 21, argument")


def test_an_open_claim_says_that_it_is_open(ask: Ask, claim: Claim) -> None:
    ask(OWES)
    expect(claim("43.805,00")).to_have_attribute("aria-expanded", "false")
    claim("43.805,00").click()
    expect(claim("43.805,00")).to_have_attribute("aria-expanded", "true")


# --- eyes -------------------------------------------------------------------------------------------------------------


def test_hovering_links_claim_and_note_both_ways(ask: Ask, claim: Claim) -> None:
    page = ask(OWES)
    claim("43.805,00").hover()
    expect(page.locator("#note-2.linked")).to_have_count(1)
    page.locator("#note-3").hover()
    expect(page.locator("#claim-3.linked")).to_have_count(1)
    expect(page.locator("#note-2.linked")).to_have_count(0)


def test_kinds_of_claim_look_different_without_colour(ask: Ask, claim: Claim) -> None:
    ask(OWES)
    line = "node => getComputedStyle(node.querySelector('.said')).textDecorationLine"
    assert claim("43.805,00").evaluate(line) == "underline"
    assert claim("2026-08-14").evaluate(line) == "none"
    expect(claim("2026-08-14").locator(".marker")).to_contain_text("arg")


def test_the_sql_that_ran_is_shown_with_its_parameters(ask: Ask, claim: Claim) -> None:
    page = ask(OWES)
    claim("43.805,00").click()
    ran = page.locator(".note .body:not([hidden]) .ran")
    ran.locator("summary").click()
    expect(ran).to_contain_text("Witness statement")
    expect(ran).to_contain_text("SUM(")
    expect(ran.locator(".parameters").first).to_contain_text("4471")


def test_an_unfolded_row_has_its_fields_and_its_links(ask: Ask, claim: Claim) -> None:
    page = ask(OWES)
    claim("43.805,00").click()
    opened = page.locator(".note .body:not([hidden])")
    opened.locator(".unfold").first.click()
    expect(opened.locator(".fields").first).to_contain_text("18.450,00 €")
    expect(opened.get_by_role("link", name="erp://invoice/8812")).to_have_attribute("href", "/record/invoice/8812")


def test_the_record_line_says_where_the_answer_stands(ask: Ask) -> None:
    page = ask(OWES)
    line = page.locator(".record summary")
    for part in ("Record 2", "chain verified, 2 records", "as of 2026-08-14", "snapshot", "(SQLite)", "ada"):
        expect(line).to_contain_text(part)
    line.click()
    expect(page.locator(".record .fields")).to_contain_text("controller")


@pytest.mark.parametrize("width", [360, 768, 1280, 2200])
@pytest.mark.parametrize("question", [OWES, "Show me the receivables aging", "How much does Acme Corporation owe?"])
def test_nothing_sticks_out_at_any_width(ask: Ask, page: Page, width: int, question: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    ask(question)
    if page.locator(".claim").count():
        page.locator(".claim").nth(1).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_notes_stand_beside_the_text_where_there_is_room_and_below_where_there_is_none(ask: Ask, page: Page) -> None:
    ask(OWES)

    def places() -> tuple[float, float, float, float]:
        text, notes = page.locator(".text").bounding_box(), page.locator(".notes").bounding_box()
        assert text is not None
        assert notes is not None
        return text["x"] + text["width"], text["y"] + text["height"], notes["x"], notes["y"]

    right, _, left, _ = places()
    assert left > right
    page.set_viewport_size({"width": 360, "height": 800})
    _, bottom, _, top = places()
    assert top > bottom


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(ask: Ask, page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    ask(OWES)
    for selector in (".text", ".note .gist", ".record summary", ".claim sup", ".tick", "#evaluating", ".colophon"):
        ratio = page.locator(selector).first.evaluate(CONTRAST)
        assert ratio >= 4.5, f"{selector} has a contrast of {ratio:.2f} in the {scheme}"


CONTRAST = """node => {
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number).map(channel)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const [a, b] = [getComputedStyle(node).color, getComputedStyle(document.documentElement).backgroundColor]
    .map(luminance).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""


def test_reduced_motion_is_respected(ask: Ask, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    ask(OWES)
    assert page.locator(".claim").first.evaluate("node => getComputedStyle(node).transitionDuration") == "0s"


def test_paper_gets_answer_notes_and_record_and_no_buttons(ask: Ask, page: Page) -> None:
    ask(OWES)
    page.emulate_media(media="print")
    expect(page.locator(".question")).to_be_visible()
    expect(page.locator(".notes")).to_be_visible()
    expect(page.locator(".record summary")).to_be_visible()
    for chrome in ("#ask", ".actions", "#records", "#keys-open"):
        expect(page.locator(chrome)).to_be_hidden()


# --- copying ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def clipboard(page: Page) -> Callable[[], str]:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return lambda: str(page.evaluate("navigator.clipboard.readText()"))


def test_c_copies_the_answer_with_its_footnotes(clipboard: Callable[[], str], ask: Ask) -> None:
    page = ask(OWES)
    page.keyboard.press("c")
    expect(page.get_by_text("Copied with footnotes.")).to_be_visible()
    text = clipboard().replace("\xa0", " ")
    assert "Bergmann Logistik GmbH[1] is 43.805,00 €[2] overdue across 4[3] invoices" in text
    assert "[2] 43.805,00 €: sum of 4 rows (INV-2026-8812 18.450,00 €; " in text
    assert "ties out" in text
    assert "Record 2, " in text


# --- the illustration -------------------------------------------------------------------------------------------------


def test_the_illustration_alters_every_figure_and_says_that_it_is_one(ask: Ask) -> None:
    page = ask(OWES)
    before = page.locator(".claim .said").all_inner_texts()
    page.get_by_role("button", name="when a model writes the numbers").click()
    expect(page.locator(".banner")).to_contain_text("Illustration: these figures are invented.")
    after = page.locator(".claim .said").all_inner_texts()
    assert len(after) == len(before)
    figures = [(a, b) for a, b in zip(after, before, strict=True) if any(c.isdigit() for c in b)]
    assert len(figures) == 20
    assert all(a != b for a, b in figures)
    expect(page.locator(".claim.generated")).to_have_count(len(before))
    page.get_by_role("button", name="Show the answer itself").click()
    expect(page.locator(".claim .said")).to_have_text(before)


def test_an_illustration_can_be_neither_opened_nor_copied_nor_exported(clipboard: Callable[[], str], ask: Ask) -> None:
    page = ask(OWES)
    page.evaluate("navigator.clipboard.writeText('before')")
    page.get_by_role("button", name="when a model writes the numbers").click()
    expect(page.locator(".banner")).to_be_visible()
    page.locator(".claim").nth(1).click(force=True)
    expect(page.locator(".note .body:not([hidden])")).to_have_count(0)
    page.keyboard.press("c")
    expect(page.get_by_text("An illustration cannot be copied as an answer.")).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    assert "€" not in clipboard()
    expect(page.get_by_role("link", name="Download export")).to_have_count(0)
    expect(page.get_by_role("button", name="Copy with footnotes")).to_be_disabled()
