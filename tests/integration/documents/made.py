"""Small documents in every format, made by the libraries that people make them with."""

from __future__ import annotations

import io
from email.message import EmailMessage

import docx
import openpyxl
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

PROSE = "The monthly fee is 1,250 EUR. It is due within thirty days, unless the parties agree otherwise in writing."
STATEMENT = [["(in thousands)", "2024", "2023"], ["Revenue", "1,234", "1,100"], ["Costs", "(234)", "(200)"]]


def docx_bytes() -> bytes:
    document = docx.Document()
    document.add_heading("Services Agreement", 0)
    document.add_heading("Fees", 1)
    document.add_paragraph(PROSE)
    document.add_paragraph("Deliver the goods.", style="List Number")
    document.add_paragraph("Insure the goods.", style="List Number")
    table = document.add_table(rows=4, cols=3)
    table.cell(0, 1).merge(table.cell(0, 2)).text = "Year ended"
    for number, row in enumerate(STATEMENT, start=1):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    return saved(document.save)


def xlsx_bytes() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "P&L"
    for row in (
        ["Profit and loss"],
        ["in thousands of EUR"],
        [],
        ["Item", 2024, 2023],
        ["Revenue", 1234.5, 1100],
        ["Margin", 0.1234, 0.1],
    ):
        sheet.append(row)
    for cell in ("B5", "C5"):
        sheet[cell].number_format = "#,##0.00;(#,##0.00)"
    for cell in ("B6", "C6"):
        sheet[cell].number_format = "0.0%"
    sheet["A8"], sheet["B8"] = "Total", "=SUM(B5:C5)"
    hidden = book.create_sheet("Old")
    hidden["A1"], hidden.sheet_state = "Superseded", "hidden"
    return saved(book.save)


def pdf_bytes(pages: int = 3) -> bytes:
    style = getSampleStyleSheet()
    story: list[object] = []
    for number in range(1, pages + 1):
        story += [Paragraph(f"{number}. Results", style["Heading2"]), Paragraph(PROSE, style["BodyText"])]
        rows = [["", "Year ended December 31,", ""], *STATEMENT]
        story += [Table(rows, style=[("SPAN", (1, 0), (2, 0)), ("ALIGN", (1, 0), (-1, -1), "RIGHT")]), PageBreak()]
    out = io.BytesIO()

    def foot(canvas: object, page: object) -> None:
        canvas.drawString(72, 30, f"Acme Corp, page {page.page}")  # type: ignore[attr-defined]

    SimpleDocTemplate(out, pagesize=A4, title="Annual report").build(story, onFirstPage=foot, onLaterPages=foot)
    return out.getvalue()


def eml_bytes() -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Anna Nowak <anna@alfa.example>", "bob@beta.example"
    message["Subject"], message["Date"] = "Re: Invoice 8812", "Mon, 04 May 2026 10:00:00 +0200"
    message.set_content(
        "The invoice was paid on 3 May 2026.\n\nOn 2 May 2026 at 10:02, Bob Weber wrote:\n> The invoice is unpaid.\n\nRegards\n"
    )
    message.add_attachment(docx_bytes(), maintype="application", subtype="octet-stream", filename="contract.docx")
    return bytes(message)


HTML = """<html><head><title>Fee schedule</title><script>"The fee is 9 EUR."</script></head><body><h1>Fees</h1>
<p>The <b>monthly</b> fee is 1,250&nbsp;EUR.</p><ul><li>One item</li></ul><div style="display:none">Secret.</div>
<dl><dt>Term</dt><dd>30 days</dd></dl><table><caption>Results (in millions)</caption>
<tr><td></td><td colspan=3>2024</td><td colspan=3>2023</td></tr>
<tr><td>Loss</td><td>$</td><td>(1,234</td><td>)</td><td>$</td><td>(99</td><td>)</td></tr></table></body></html>"""

CSV = 'Klient;Kwota;Data\n"Żółć sp. z o.o.";1 234,50;2026-05-01\nBeta;5;2026-05-02\n'


def saved(save: object) -> bytes:
    out = io.BytesIO()
    save(out)  # type: ignore[operator]
    return out.getvalue()


def every_format() -> dict[str, bytes]:
    """File names and bytes, one or more a format."""
    return {
        "a.md": b"# Agreement\n\n1.1 The fee is 5 EUR.\n\n| Item | 2024 |\n|---|---|\n| Fee | 5 |\n",
        "a.txt": b"AGREEMENT\n\nThe fee is 5 EUR. It is due.\n\nTerm: 30 days\n",
        "a.html": HTML.encode(),
        "a.csv": CSV.encode("cp1250"),
        "a.docx": docx_bytes(),
        "a.xlsx": xlsx_bytes(),
        "a.pdf": pdf_bytes(),
        "a.eml": eml_bytes(),
    }
