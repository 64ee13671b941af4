"""Readers, format by format, on files made by the usual libraries, and on files that are broken or hostile."""

from __future__ import annotations

import io
import zipfile
from functools import cache

import docx
import openpyxl
import pytest
from docx.oxml import parse_xml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.documents.made import CSV, HTML, eml_bytes, every_format, pdf_bytes, saved

from footnote.documents.reading import READERS, extract_of, sources_of_bytes
from footnote.documents.units import Source, Unit, UnitKind

FORMATS = cache(every_format)


def read(file: str, data: bytes) -> Source:
    return next(sources_of_bytes(file, data))


def row(source: Source, label: str) -> Unit:
    return next(unit for unit in source.units if unit.kind is UnitKind.ROW and unit.key == label)


def cells(unit: Unit) -> list[tuple[tuple[str, ...], str]]:
    return [(cell.headers, cell.text) for cell in unit.cells]


def statements(source: Source) -> list[str]:
    return [unit.text for unit in source.units if unit.kind in (UnitKind.SENTENCE, UnitKind.ITEM)]


@pytest.mark.parametrize("file", sorted(every_format()))
def test_whatever_is_quoted_stands_in_the_text_at_its_offsets(file: str) -> None:
    for source in sources_of_bytes(file, FORMATS()[file]):
        assert source.units
        for unit in source.units:
            assert unit.text == source.text[unit.start : unit.end] != ""
            for cell in unit.cells:
                assert cell.text == source.text[cell.start : cell.end]
                assert unit.start <= cell.start <= cell.end <= unit.end
            for fragment in unit.table.fragments if unit.table else ():
                assert fragment.text == source.text[fragment.start : fragment.end]


def test_docx_has_headings_numbers_and_merged_heads() -> None:
    source = read("a.docx", FORMATS()["a.docx"])
    assert (source.title, source.tier) == ("Services Agreement", 1)
    assert [u.section for u in source.units if u.text == "Insure the goods."] == [("Services Agreement", "Fees", "2")]
    assert cells(row(source, "Costs")) == [(("Year ended", "2024"), "(234)"), (("Year ended", "2023"), "(200)")]
    assert row(source, "Costs").table is not None


def test_docx_keeps_what_was_inserted_and_leaves_out_what_was_deleted() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The fee is ")
    namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    for tag, inner in (("del", "<w:delText>5</w:delText>"), ("ins", "<w:t>7</w:t>")):
        paragraph._p.append(parse_xml(f"<w:{tag} {namespace}><w:r>{inner}</w:r></w:{tag}>"))
    paragraph.add_run(" EUR.")
    source = read("a.docx", saved(document.save))
    assert statements(source) == ["The fee is 7 EUR."]
    assert "tracked changes" in source.problems[0]


def test_docx_says_that_headers_and_footers_are_left_out() -> None:
    document = docx.Document()
    document.add_paragraph("The fee is 5 EUR.")
    assert read("a.docx", saved(document.save)).problems == ()
    document.sections[0].footer.paragraphs[0].text = "Draft, not agreed."
    source = read("a.docx", saved(document.save))
    assert statements(source) == ["The fee is 5 EUR."]
    assert source.problems == ("Headers and footers are left out.",)


@pytest.mark.parametrize("content", [b"<w:footnotes", None], ids=["no xml", "wrong checksum"])
def test_docx_says_which_of_its_parts_is_damaged(content: bytes | None) -> None:
    document = docx.Document()
    document.add_paragraph("The fee is 5 EUR.")
    data, name = saved(document.save), "word/footnotes.xml"
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr(name, content or b"<note>Except on Sundays.</note>")
    damaged = buffer.getvalue() if content else buffer.getvalue().replace(b"Except on", b"Also   on")
    source = read("a.docx", damaged)
    assert statements(source) == ["The fee is 5 EUR."]
    assert source.problems == (f"The part {name} is damaged; what it says is not read.",)


def test_xlsx_shows_cells_as_the_sheet_does_with_their_addresses() -> None:
    source = read("a.xlsx", FORMATS()["a.xlsx"])
    revenue = row(source, "Revenue")
    assert cells(revenue) == [(("2024",), "1,234.50"), (("2023",), "1,100.00")]
    assert [cell.address for cell in revenue.cells] == ["B5", "C5"]
    assert (revenue.sheet, revenue.table.unit if revenue.table else "") == ("P&L", "in thousands of EUR")
    assert [cell.text for cell in row(source, "Margin").cells] == ["12.3%", "10.0%"]
    assert [problem.split(";")[0] for problem in source.problems] == [
        "The sheet Old is hidden",
        "1 cells hold formulas whose values were never stored",
    ]


def test_pdf_has_tables_bound_to_their_heads_and_sentences_without_the_pages_foot() -> None:
    source = read("a.pdf", FORMATS()["a.pdf"])
    rows = [unit for unit in source.units if unit.kind is UnitKind.ROW and unit.key == "Costs"]
    assert [unit.page for unit in rows] == [1, 2, 3]
    assert cells(rows[0]) == [
        (("Year ended December 31,", "2024"), "(234)"),
        (("Year ended December 31,", "2023"), "(200)"),
    ]
    assert rows[0].table is not None
    assert rows[0].table.unit == "(in thousands)"
    assert "Acme Corp, page" not in source.text
    assert [" ".join(said.split()) for said in statements(source)[:2]] == [
        "The monthly fee is 1,250 EUR.",
        "It is due within thirty days, unless the parties agree otherwise in writing.",
    ]


def test_html_says_what_a_reader_of_the_page_sees() -> None:
    source = read("a.html", HTML.encode())
    assert "9 EUR" not in source.text
    assert "Secret" not in source.text
    assert source.problems == ("Hidden parts of the page are left out.",)
    assert cells(row(source, "Loss")) == [(("2024",), "$ (1,234)"), (("2023",), "$ (99)")]
    pair = next(unit for unit in source.units if unit.kind is UnitKind.PAIR)
    assert (pair.key, pair.cells[0].text) == ("Term", "30 days")


def test_a_message_says_who_speaks() -> None:
    source, attachment = sources_of_bytes("a.eml", eml_bytes())
    said = {unit.text: (unit.sender, unit.quoted) for unit in source.units if unit.kind is UnitKind.SENTENCE}
    assert said["The invoice was paid on 3 May 2026."] == ("Anna Nowak <anna@alfa.example>", False)
    assert said["The invoice is unpaid."] == ("Bob Weber", True)
    assert said["Regards"] == ("Anna Nowak <anna@alfa.example>", False)
    assert (source.tier, str(source.effective)) == (3, "2026-05-04")
    assert (attachment.file, attachment.tier) == ("a.eml/contract.docx", 1)


@pytest.mark.parametrize("encoding", ["cp1250", "utf-8", "utf-8-sig", "utf-16"])
def test_csv_is_read_in_any_encoding_and_the_guess_is_said(encoding: str) -> None:
    source = read("a.csv", CSV.encode(encoding))
    assert cells(row(source, "Żółć sp. z o.o.")) == [(("Kwota",), "1 234,50"), (("Data",), "2026-05-01")]
    assert source.problems == (("The file is not UTF-8; it was read as cp1250.",) if encoding == "cp1250" else ())


# --- bad files --------------------------------------------------------------------------------------------------------


def zip_bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 400_000_000)
    return out.getvalue()


def encrypted_pdf() -> bytes:
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption("secret"))
    canvas.drawString(72, 700, "The fee is 5 EUR.")
    canvas.save()
    return out.getvalue()


def empty_pdf() -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out)
    canvas.rect(10, 10, 100, 100)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


BAD = {
    "a zip bomb": ("a.docx", zip_bomb, "would unpack to 400,000,000 bytes"),
    "an encrypted PDF": ("a.pdf", encrypted_pdf, "The file is encrypted."),
    "a scan": ("a.pdf", empty_pdf, "No text on page 1"),
    "half a PDF": ("a.pdf", lambda: pdf_bytes()[:300], "The file is damaged"),
    "no PDF": ("a.pdf", lambda: b"%PDF-1.7 nothing", "The file is damaged"),
    "no DOCX": ("a.docx", lambda: b"PK\x03\x04 nothing", "The file is damaged"),
    "a workbook of another time": ("a.xlsx", lambda: b"\xd0\xcf\x11\xe0" + bytes(100), "encrypted or in the format"),
    "a DOCX in the place of an XLSX": ("a.xlsx", lambda: FORMATS()["a.docx"], "The workbook is damaged"),
    "an unknown type": ("a.odt", lambda: b"x", "Files of type odt are not read"),
    "no ending": ("README", lambda: b"x", "Files without an ending are not read"),
    "an empty file": ("a.md", lambda: b" \n", "The file is empty"),
    "a picture called text": ("a.txt", lambda: b"\x89PNG\x00\x00\xff\xfe", "The file is no text"),
    "a message of nothing": ("a.eml", lambda: b"Subject: x\n\n", "The message has no date"),
    "an empty workbook": ("a.xlsx", lambda: saved(openpyxl.Workbook().save), ""),
}


@pytest.mark.parametrize(("file", "data", "said"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_read_is_said(file: str, data: object, said: str) -> None:
    source = read(file, data())  # type: ignore[operator]
    assert said in " ".join(source.problems)


def test_a_pdf_with_a_broken_cross_reference_is_read_or_said_to_be_damaged() -> None:
    data = pdf_bytes()
    at = data.rindex(b"startxref")
    source = read("a.pdf", data[:at] + b"startxref\n99999999\n%%EOF")
    assert "The monthly fee is 1,250 EUR." in source.text or "damaged" in source.problems[0]


def test_attachments_inside_attachments_end_somewhere() -> None:
    from email.message import EmailMessage

    inner = eml_bytes()
    for _ in range(6):
        message = EmailMessage()
        message["Subject"], message["Date"] = "Fwd", "Mon, 04 May 2026 10:00:00 +0200"
        message.set_content("See attached.")
        message.add_attachment(inner, maintype="application", subtype="octet-stream", filename="inner.eml")
        inner = bytes(message)
    files = [(source.file, source.problems) for source in sources_of_bytes("a.eml", inner)]
    assert files[-1][0].count("inner.eml") == 4
    assert "what lies deeper is not read" in files[-1][1][0]


@pytest.mark.parametrize("file", sorted(every_format()))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_breaks_no_reader(file: str, data: st.DataObject) -> None:
    whole = bytearray(FORMATS()[file])
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(len(whole) // 2, len(whole)))
    for source in sources_of_bytes(file, bytes(whole[:cut])):
        assert not any("its reader failed" in problem for problem in source.problems), source.problems
        assert all(unit.text == source.text[unit.start : unit.end] for unit in source.units)


@given(st.sampled_from(sorted(READERS)), st.binary(max_size=200))
def test_any_bytes_can_be_given_to_any_reader(suffix: str, data: bytes) -> None:
    extract = extract_of(f"a{suffix}", data)
    assert not any("its reader failed" in problem for problem in extract.problems), extract.problems
