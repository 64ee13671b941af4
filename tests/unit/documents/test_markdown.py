"""Markdown and plain text as units: sections, clauses, pairs, tables as annual reports have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.documents.texts import source_from_text
from footnote.documents.units import Source, Unit, UnitKind


def rows(text: str) -> list[Unit]:
    return [unit for unit in source_from_text("a.md", text).units if unit.cells and unit.table]


def cell_map(unit: Unit) -> dict[tuple[str, ...], str]:
    return {cell.headers: cell.text for cell in unit.cells}


def assert_exact(source: Source) -> None:
    """Whatever is quoted stands in the text at its offsets, letter by letter."""
    last = 0
    for number, unit in enumerate(source.units):
        assert unit.number == number
        assert unit.text == source.text[unit.start : unit.end] != ""
        assert unit.start >= last or unit.kind in (UnitKind.ROW, UnitKind.PAIR)
        last = unit.start
        for cell in unit.cells:
            assert cell.text == source.text[cell.start : cell.end]
            assert unit.start <= cell.start <= cell.end <= unit.end
        for fragment in unit.table.fragments if unit.table else ():
            assert fragment.text == source.text[fragment.start : fragment.end]
    for party in source.parties:
        assert party.fragment.text == source.text[party.fragment.start : party.fragment.end]


def test_a_clause_number_is_a_section_and_no_part_of_the_statement() -> None:
    source = source_from_text(
        "a.md", "# LEASE\\n\\n### 1. RENT\\n1.1 The rent is 900 EUR.\\n1.2 It is due monthly.\\n".replace("\\n", "\n")
    )
    said = [(unit.section, unit.text) for unit in source.units if unit.kind is UnitKind.SENTENCE]
    assert said == [
        (("LEASE", "1. RENT", "1.1"), "The rent is 900 EUR."),
        (("LEASE", "1. RENT", "1.2"), "It is due monthly."),
    ]


def test_lines_of_a_wrapped_paragraph_are_one_sentence() -> None:
    text = "The supplier shall deliver the goods within thirty days\nof the order, unless the parties agree otherwise in\nwriting. It insures them.\n"
    said = [unit.text for unit in source_from_text("a.txt", text).units]
    assert said == [text[: text.index(" It")], "It insures them."]


def test_key_and_value_of_a_line_are_told_apart() -> None:
    (number, date, total) = source_from_text(
        "a.md", "**Invoice no:** INV-7\nDate: 2024-05-03 | Total: 1.250,00 EUR\n"
    ).units
    assert (number.kind, number.key, number.cells[0].text) == (UnitKind.PAIR, "Invoice no", "INV-7")
    assert (date.key, date.cells[0].text) == ("Date", "2024-05-03")
    assert (total.key, total.cells[0].text) == ("Total", "1.250,00 EUR")


def test_a_cell_has_the_headers_above_it_and_the_table_its_unit() -> None:
    text = """
|  | Year Ended December 31, |  |
|---|---|---|
| (in thousands of U.S. dollars, except percentages) | 2019 | 2018 |
| Interest expense | (279,059) | (254,126) |
"""
    (row,) = rows(text)
    assert row.key == "Interest expense"
    assert cell_map(row) == {
        ("Year Ended December 31,", "2019"): "(279,059)",
        ("Year Ended December 31,", "2018"): "(254,126)",
    }
    assert row.table is not None
    assert row.table.unit == "(in thousands of U.S. dollars, except percentages)"


def test_a_header_over_two_columns_is_spread_only_where_that_is_unambiguous() -> None:
    even = rows(
        "|  | 2019 |  | 2018 |  |\n|---|---|---|---|---|\n|  | Amount | % | Amount | % |\n| Cost | 5 | 1 | 6 | 2 |\n"
    )[0]
    assert [cell.headers for cell in even.cells] == [
        ("2019", "Amount"),
        ("2019", "%"),
        ("2018", "Amount"),
        ("2018", "%"),
    ]
    uneven = rows(
        "|  | F19 | F18 |  | CHANGE |\n|---|---|---|---|---|\n| $ MILLION | 53 WEEKS | 52 WEEKS | CHANGE | NORM |\n| Sales | 8,657 | 8,244 | 5.0% | 3.2% |\n"
    )[0]
    assert [cell.headers for cell in uneven.cells][2] == ("CHANGE",)


def test_numbers_split_over_cells_are_one_cell() -> None:
    text = (
        "| Item | 2019 |  |  | 2018 |  |  |\n|---|---|---|---|---|---|---|\n| Loss | $ | (1,234 | ) | $ | (99 | ) |\n"
    )
    (row,) = rows(text)
    assert [cell.text for cell in row.cells] == ["$ | (1,234 | )", "$ | (99 | )"]
    assert [cell.headers for cell in row.cells] == [("2019",), ("2018",)]


def test_rows_stand_in_groups_until_their_total() -> None:
    text = "| | 2019 |\n|---|---|\n| Assets | |\n| Current assets | |\n| Cash | 5 |\n| Total current assets | 5 |\n| Land | 7 |\n| Total assets | 12 |\n| Equity | 1 |\n"
    groups = {row.key: row.group for row in rows(text)}
    assert groups == {
        "Cash": ("Assets", "Current assets"),
        "Total current assets": ("Assets", "Current assets"),
        "Land": ("Assets",),
        "Total assets": ("Assets",),
        "Equity": (),
    }


def test_a_unit_beside_the_only_table_of_a_file_is_its_unit() -> None:
    text = "| | 2019 |\n|---|---|\n| Shares issued | 3 |\n\nThe following table summarizes activity (in millions):\n"
    (row,) = rows(text)
    assert row.table is not None
    assert row.table.unit == "in millions"


def test_notes_below_a_table_belong_to_it() -> None:
    (row,) = rows("| | 2019 (1) |\n|---|---|\n| Sales | 3 |\n\n(1) Restated for the new standard.\n")
    assert row.table is not None
    assert row.table.notes == ("(1) Restated for the new standard.",)


PARTIES = [
    ('between Northwind Traders Ltd ("Supplier") and Contoso GmbH, a company in Wien (hereinafter the "Customer").',
     {"Northwind Traders Ltd": ("Supplier",), "Contoso GmbH": ("Customer",)}),
    ("zawarta pomiędzy Alfa sp. z o.o. z siedzibą w Łodzi, zwaną dalej „Dostawcą”, a Beta S.A. z siedzibą w Pile, zwaną dalej „Kupującym”.",
     {"Alfa sp. z o.o.": ("Dostawcą",), "Beta S.A.": ("Kupującym",)}),
    ('zwischen der Weber GmbH, Wien (nachfolgend „Vermieter“ genannt) und Herrn Max Krause (nachstehend "Mieter")',
     {"Weber GmbH": ("Vermieter",), "Max Krause": ("Mieter",)}),
    ("Entre la société Durand SARL, ayant son siège à Paris (ci-après « le Bailleur ») et Petit SAS (ci-après « le Preneur »)",
     {"Durand SARL": ("Bailleur",), "Petit SAS": ("Preneur",)}),
    ('1. **Delta Systems Ltd**, of London ("Supplier" or "Delta"); and\n2. **Borealis Ltd**, of Leeds ("Customer").',
     {"Delta Systems Ltd": ("Supplier", "Delta"), "Borealis Ltd": ("Customer",)}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "parties"), PARTIES, ids=["en", "pl", "de", "fr", "list"])
def test_parties_and_their_aliases_come_from_definition_clauses(text: str, parties: dict[str, tuple[str, ...]]) -> None:
    assert {party.name: party.aliases for party in source_from_text("a.md", text).parties} == parties


@pytest.mark.parametrize(
    ("file", "text", "tier"),
    [
        ("Mailing_list.md", "# Services Agreement\n\nThe fee is 5 EUR.", 1),
        ("x.md", "From: a@b.c\nTo: d@e.f\nSubject: Services Agreement\n\nThe fee is 5 EUR.", 3),
        ("x.md", "# CRM notes\n\nThe customer is happy.", 2),
        ("x.md", "# Umowa najmu\n\nCzynsz wynosi 5 zł.", 1),
        ("x.md", "# Draft agreement\n\nThe fee is 5 EUR.", 2),
        ("faktura_7.md", "Kwota: 5 zł", 1),
        ("x.md", "Something.", 2),
        ("x.md", "---\ntier: 3\n---\n# Services Agreement\n", 3),
    ],
)
def test_the_tier_is_what_the_document_is(file: str, text: str, tier: int) -> None:
    source = source_from_text(file, text)
    assert (source.tier, bool(source.tier_reason)) == (tier, True)


def test_front_matter_that_cannot_be_used_is_said() -> None:
    source = source_from_text("a.md", "---\ntier: 7\neffective: soon\n---\nText.\n")
    assert [problem.partition(",")[0] for problem in source.problems] == [
        "front matter: the tier '7' is none of 1",
        "front matter: the date 'soon' cannot be read",
    ]


markdown_pieces = st.lists(
    st.sampled_from(
        ["# A", "## B", "- item one", "1. first", "2. second", "1.1 The fee is 5 EUR.", "Key: value", "**Bold:** 7 EUR", "| a | b |",
         "|---|---|", "| c | 5 |", "| $ | (1 | ) |", "", "> quoted", "text that goes on", "A. B. Ends.", "---", "```", "\\| x | y", "|", "||",
         "(1) note", "NAME", "*", "** x **", "a\u2028b", "\ufeff", "e\u0301 Ł", "\t| z |", "Date: 1 | Total: 2"]
    ),
    max_size=14,
)  # fmt: skip


@given(markdown_pieces, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["a.md", "a.txt"]))
def test_every_unit_is_an_exact_substring(pieces: list[str], end: str, file: str) -> None:
    assert_exact(source_from_text(file, end.join(pieces)))


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert_exact(source_from_text("a.md", text))


@given(markdown_pieces)
def test_line_ends_do_not_change_what_is_read(pieces: list[str]) -> None:
    def read(end: str) -> list[tuple[UnitKind, str, tuple[str, ...]]]:
        units = source_from_text("a.md", end.join(pieces)).units
        return [(unit.kind, unit.text.replace("\r\n", "\n"), unit.section) for unit in units]

    assert read("\n") == read("\r\n")
