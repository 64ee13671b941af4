"""What a finance reader sees under each kind of figure: how it is made, what it rests on, and every row of it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.page.conftest import Host, serving

import footnote

CATALOG = """
catalog: kinds
version: 1
source: {url: "${DATABASE_URL}", dialect: sqlite}
display: {locale: en-GB}
records:
  item:
    table: items
    key: [id]
    label: "Item {id}"
    fields:
      id: {type: integer, identifier: true}
      cents: {type: money, minor_units: true, currency: EUR}
      hours: {type: decimal, scale: 1}
      day: {type: date}
  part: {table: parts, key: [id], label: "Part {id}", fields: {id: {type: integer, identifier: true}, cents: {type: money, minor_units: true, currency: EUR}}}
  flag: {table: flags, key: [id], label: "Flag {id}", fields: {id: {type: integer, identifier: true}, item: {type: integer}}}
operations:
  kinds:
    title: Kinds of figures
    description: One of each.
    parameters: []
    statements:
      t:
        shape: one
        grain: item
        statement: |
          SELECT SUM(cents) AS net, AVG(cents) AS mean, MAX(day) AS latest, COUNT(DISTINCT kind) AS kinds,
                 SUM(hours) AS hours, COUNT(*) AS many
          FROM items WHERE id < 100
        columns:
          net: {type: money, minor_units: true, currency: EUR}
          mean: {type: money, minor_units: true, currency: EUR}
          latest: {type: date}
          kinds: {type: count}
          hours: {type: decimal, scale: 1}
          many: {type: count}
      billed:
        shape: one
        grain: item
        statement: SELECT SUM(cents) AS billed FROM items WHERE cents > 0 AND id < 100
        columns: {billed: {type: money, minor_units: true, currency: EUR}}
      flagged:
        shape: one
        grain: item
        statement: |
          SELECT SUM(cents) AS flagged FROM items
          WHERE id < 100 AND EXISTS (SELECT 1 FROM flags AS f WHERE f.item = items.id)
        columns: {flagged: {type: money, minor_units: true, currency: EUR}}
      open:
        shape: one
        grain: item
        statement: |
          SELECT SUM(i.cents - COALESCE((SELECT SUM(p.cents) FROM parts AS p WHERE p.item = i.id), 0)) AS open
          FROM items AS i WHERE i.id < 100
        columns: {open: {type: money, minor_units: true, currency: EUR}}
      none:
        shape: one
        grain: item
        statement: SELECT COUNT(*) AS lost FROM items WHERE kind = 'lost'
        columns: {lost: {type: count}}
      large:
        shape: one
        grain: item
        statement: SELECT SUM(cents) AS everything, AVG(cents) AS middle FROM items WHERE id >= 100
        columns:
          everything: {type: money, minor_units: true, currency: EUR}
          middle: {type: money, minor_units: true, currency: EUR}
    derive:
      share: {type: percent, scale: 1, expression: "ratio(t.net, billed.billed)"}
    answer: >-
      Net {net}; share {share}; mean {mean}; latest {latest}; {kinds} kinds; {hours} hours; flagged {flagged}; open {open};
      {lost} lost; everything {everything}, on average {middle}.
"""
DATA = """
CREATE TABLE items (id INTEGER PRIMARY KEY, cents INTEGER, hours NUMERIC, kind TEXT, day DATE);
INSERT INTO items VALUES (1, 10000, 1.25, 'a', '2026-01-01'), (2, -2500, 1.25, 'b', '2026-03-01'), (3, 500, 2.35, 'a', NULL);
CREATE TABLE parts (id INTEGER PRIMARY KEY, item INTEGER, cents INTEGER);
INSERT INTO parts VALUES (11, 1, 2000), (12, 1, 3000);
CREATE TABLE flags (id INTEGER PRIMARY KEY, item INTEGER);
INSERT INTO flags VALUES (21, 1);
INSERT INTO items SELECT n, n - 5000, 0, 'x', NULL FROM
  (WITH RECURSIVE s(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM s WHERE n < 11000) SELECT n FROM s);
"""


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("kinds")
    with sqlite3.connect(folder / "kinds.db") as connection:
        connection.executescript(DATA)
    connection.close()
    (folder / "kinds.yaml").write_text(CATALOG, encoding="utf-8")
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    url = f"sqlite:///{folder / 'kinds.db'}"
    catalog = str(folder / "kinds.yaml")
    with (
        footnote.open(catalog, database_url=url, provenance_db=folder / "log.db", environ=environ) as session,
        serving(session) as host,
    ):
        session.call("kinds", {})
        yield host


@pytest.fixture
def note(kinds: Host, page: Page) -> Callable[[str], Locator]:
    """Opens the answer and the note of the claim that says a text."""

    def opened(text: str) -> Locator:
        record = next(r for r in kinds.session.log.records() if r.kind == "answer")
        page.goto(f"{kinds.url}/record/{record.id}")
        claim = (
            page.locator(".claim").filter(has=page.locator(".said", has_text=re.compile(f"^{re.escape(text)}$"))).first
        )
        claim.click()
        return page.locator(".note .body:not([hidden])")

    return opened


Note = Callable[[str], Locator]


def test_negative_contributions_are_gross_plus_gross_minus_and_net(note: Note) -> None:
    body = note("€80.00")
    expect(body.locator("tfoot")).to_contain_text("Gross plus€105.00Gross minus-€25.00Net€80.00")
    expect(body).to_contain_text("✓ ties out 3 contributions, added up again on this page")


def test_a_ratio_is_two_figures_and_the_division(note: Note) -> None:
    body = note("76.2%")
    expect(body.locator(".ledger").first).to_contain_text("Net€80.00divided by billed€105.00Share76.2%")
    expect(body.locator(".exactly")).to_have_text("Shown rounded; exactly 76.19047619047619047619047619047619%")
    expect(body).to_contain_text("✓ ties out, divided again on this page: ratio(t.net, billed.billed)")


def test_each_figure_of_a_ratio_unfolds_to_the_rows_that_make_it(note: Note) -> None:
    body = note("76.2%")
    rows = body.locator(".made:visible")
    expect(rows).to_have_count(0)
    body.get_by_role("button", name="divided by billed").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Item 1")
    expect(rows).to_contain_text("Total€105.00")
    expect(rows).not_to_contain_text("Item 2")
    body.get_by_role("button", name="divided by billed").click()
    expect(rows).to_have_count(0)


def test_an_average_is_a_sum_and_a_count(note: Note) -> None:
    body = note("€26.67")
    expect(body.locator("tfoot")).to_contain_text("Sum€80.00Count3Average: the sum divided by the count€26.67")
    expect(body.locator("tfoot")).to_contain_text("Shown rounded; exactly €26.66666666666666666666666666666667")
    expect(body).to_contain_text("✓ ties out")


def test_a_maximum_is_its_row_of_so_many(note: Note) -> None:
    body = note("2026-03-01")
    expect(body.locator("tfoot")).to_contain_text("Largest of 2 rows2026-03-01")
    expect(body.locator("tbody").first).to_contain_text("Item 2")
    expect(body.locator("xpath=..").locator(".gist")).to_have_text("Largest of 2: Item 2")


def test_a_distinct_count_has_an_item_a_value(note: Note) -> None:
    body = note("2")
    rows = body.locator("tbody").first.locator("tr:visible")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("a2")
    rows.first.get_by_role("button").click()
    expect(body.locator("tr.below:visible")).to_have_count(2)


def test_a_difference_of_rounding_is_a_line_of_its_own(note: Note) -> None:
    body = note("4.9")  # 1.25, 1.25 and 2.35 are shown as 1.3, 1.3 and 2.4
    expect(body.locator("tfoot")).to_contain_text("Rounding difference")


def test_rows_that_decided_stand_apart_from_the_sum(note: Note) -> None:
    body = note("€100.00")
    expect(body.locator(".decided")).to_contain_text("Decided which rows count")
    expect(body.locator(".decided")).to_contain_text("Flag 21")
    expect(body.locator(".ledger").first).not_to_contain_text("Flag 21")


def test_inner_items_stand_under_their_outer_item(note: Note) -> None:
    body = note("€30.00")
    line = body.locator("tbody").first.get_by_role("button", name="Item 1")
    expect(body.locator("tr.below:visible")).to_have_count(0)
    line.click()
    expect(body.locator("tr.below:visible")).to_have_text(["Part 11€20.00", "Part 12€30.00"])
    line.click()
    expect(body.locator("tr.below:visible")).to_have_count(0)


def test_an_absence_is_stated(note: Note) -> None:
    body = note("0")
    expect(body.locator("xpath=..").locator(".gist")).to_have_text("absence No row of item counts towards the lost.")
    expect(body.locator(".fields").first).to_have_text("Rows that count, none0")


def test_all_rows_of_a_large_figure_are_searched_sorted_and_paged(note: Note) -> None:
    body = note("€59,955.50")
    expect(body).to_contain_text("10,901 rows, added up when it was recorded")
    expect(body.locator("tbody.rest")).to_contain_text("and 10,889 more rows")
    body.get_by_role("button", name="Search and page all 10,901 rows").click()
    browse = body.locator(".browse")
    expect(browse.locator(".said")).to_contain_text("Page 1 of 546. These are the 10,901 rows that were added up")
    expect(browse.locator("tbody tr").first).to_contain_text("Item 100")
    browse.get_by_role("button", name="Next").click()
    expect(browse.locator("tbody tr").first).to_contain_text("Item 120")
    browse.get_by_label("Order").select_option("largest")
    expect(browse.locator("tbody tr").first).to_contain_text("Item 11000")
    browse.get_by_label("Search the rows").fill("1099")
    browse.get_by_label("Search the rows").press("Enter")
    expect(browse.locator(".said")).to_contain_text("of 10,901 match")


def test_what_the_page_cannot_make_again_is_said_to_be_as_recorded(note: Note) -> None:
    body = note("€5.50")
    expect(body).to_contain_text("10,901 rows, averaged when it was recorded; a digest in the record")
    expect(body).not_to_contain_text("✓")


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_is_wider_than_the_page(note: Note, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    note("€59,955.50").get_by_role("button", name="Search and page").click()
    expect(page.locator(".browse .said")).to_contain_text("Page 1")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
