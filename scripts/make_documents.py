"""Makes the sample's documents that are not text: `python scripts/make_documents.py` writes them, `--check` compares.

An invoice as PDF and one as workbook, of the same invoices that the sample's ledger has. The bytes are the same on every
machine: dates and ids are fixed, no font is embedded (Helvetica is known to every reader), and nothing is compressed,
because what zlib makes of the same text differs between builds of Python.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "src" / "footnote" / "packs" / "sample" / "documents"
ZIP_TIME = (2026, 5, 29, 9, 0, 0)

Cell = str | int | float | dt.date | None

# --- INV-2026-8812, a PDF of two pages --------------------------------------------------------------------------------

HEAD_8812 = [
    ("Invoice number / Rechnungsnummer", "INV-2026-8812"),
    ("Invoice date / Rechnungsdatum", "2 April 2026"),
    ("Due date / Fällig am", "2 May 2026"),
    ("Seller / Verkäufer", "Fabelhaft Handels GmbH, Lindengasse 14, 1070 Vienna"),
    ("Buyer / Käufer", "Bergmann Logistik GmbH, Speicherkai 7, 20457 Hamburg"),
    ("Customer number / Kundennummer", "4471"),
    ("Agreement / Vertrag", "MSA-2026-031"),
    ("Purchase order / Bestellung", "PO-HH-26-1162"),
    ("Delivery note / Lieferschein", "DN-2026-0417"),
]
LINES_8812 = [
    ("Pos.", "Article", "Quantity", "Unit price (EUR)", "Amount (EUR)"),
    ("1", "EP-800 Euro pallet, heat-treated", "300", "41.50", "12,450.00"),
    ("2", "TB-120 Transport box, foldable", "40", "150.00", "6,000.00"),
    ("", "Total net", "", "", "18,450.00"),
    ("", "VAT 0%", "", "", "0.00"),
    ("", "Total due", "", "", "18,450.00"),
]
COLUMNS = (56, 92, 340, 440, 539)  # where the first two columns begin and the last three end, in points
FOOT_8812 = [
    "The recipient owes the tax (reverse charge). Steuerschuldnerschaft des Leistungsempfängers.",
    "Payable within 30 days of the invoice date to AT61 1904 3002 3457 3201.",
    "The early-payment discount of 2% is granted until 12 April 2026.",
]
REMARKS_8812 = [
    "1. The goods remain the property of Fabelhaft Handels GmbH until they have been paid in full.",
    "2. Complaints about the quantity are accepted within five Business Days of delivery.",
    "3. Ten steel mesh boxes of the order PO-HH-26-1162 are not part of this invoice and will be billed later.",
    "4. Die Lieferung erfolgte am 30. März 2026 an das Lager Hamburg.",
]


def pdf_8812() -> bytes:
    """The invoice that the ledger knows as INV-2026-8812."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    page = Canvas(out, pagesize=A4, pageCompression=0, invariant=1)
    page.setTitle("Invoice INV-2026-8812")
    page.setAuthor("Fabelhaft Handels GmbH")
    page.setFont("Helvetica-Bold", 16)
    page.drawString(56, 780, "INVOICE / RECHNUNG")
    page.setFont("Helvetica", 10)
    for row, (name, value) in enumerate(HEAD_8812):
        page.drawString(56, 745 - 16 * row, f"{name}:")
        page.drawString(260, 745 - 16 * row, value)
    for row, line in enumerate(LINES_8812):
        height = 570 - 18 * row
        page.setFont("Helvetica-Bold" if row in {0, len(LINES_8812) - 1} else "Helvetica", 10)
        for column, text in enumerate(line):
            draw = page.drawString if column < 2 else page.drawRightString
            draw(COLUMNS[column], height, text)
    page.setFont("Helvetica", 10)
    for row, text in enumerate(FOOT_8812):
        page.drawString(56, 440 - 16 * row, text)
    page.drawString(56, 60, "Page 1 of 2")
    page.showPage()
    page.setFont("Helvetica-Bold", 12)
    page.drawString(56, 780, "REMARKS")
    page.setFont("Helvetica", 10)
    for row, text in enumerate(REMARKS_8812):
        page.drawString(56, 755 - 18 * row, text)
    page.drawString(56, 60, "Page 2 of 2")
    page.showPage()
    page.save()
    return out.getvalue()


# --- INV-2026-8977, a workbook of two sheets --------------------------------------------------------------------------

INVOICE_8977: list[Sequence[Cell]] = [
    ("INVOICE INV-2026-8977",),
    (),
    ("Invoice number", "INV-2026-8977"),
    ("Invoice date", dt.date(2026, 5, 29)),
    ("Due date", dt.date(2026, 6, 28)),
    ("Seller", "Fabelhaft Handels GmbH"),
    ("Buyer", "Bergmann Logistik GmbH"),
    ("Customer number", 4471),
    ("Purchase order", "PO-HH-26-1240"),
    (),
    ("Pos.", "Article", "Description", "Quantity", "Unit price (EUR)", "Amount (EUR)"),
    (1, "CM-210", "Anti-slip mat, pack of 20, shipment of 22 May", 120, 36.65, 4398.00),
    (2, "CM-210", "Anti-slip mat, pack of 20, shipment of 26 May", 80, 36.65, 2932.00),
    (None, None, "Total", 200, None, 7330.00),
    (),
    ("Payment within 30 days of the invoice date. VAT 0% (reverse charge).",),
]
SHIPMENTS_8977: list[Sequence[Cell]] = [
    ("Shipments of purchase order PO-HH-26-1240",),
    (),
    ("Shipment", "Delivered on", "Depot", "Packs ordered", "Packs delivered", "Weight (kg)"),
    ("SH-0511", dt.date(2026, 5, 22), "Hamburg", 120, 120, 1140),
    ("SH-0512", dt.date(2026, 5, 26), "Hamburg", 100, 80, 760),
]


def xlsx_8977() -> bytes:
    """The invoice that the ledger knows as INV-2026-8977."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book["Sheet"])
    for title, rows in {"Invoice": INVOICE_8977, "Shipments": SHIPMENTS_8977}.items():
        sheet = book.create_sheet(title)
        for number, cells in enumerate(rows, start=1):
            for column, value in enumerate(cells, start=1):
                cell = sheet.cell(number, column, value)
                if isinstance(value, float):
                    cell.number_format = "#,##0.00"
                elif isinstance(value, dt.date):
                    cell.number_format = "dd.mm.yyyy"
    book.properties.creator = "Fabelhaft Handels GmbH"
    out = io.BytesIO()
    book.save(out)
    return without_clock(out.getvalue())


def without_clock(book: bytes) -> bytes:
    """The workbook with fixed times, its parts stored as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as made, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as fixed:
        for name in sorted(made.namelist()):
            part = made.read(name)
            if name == "docProps/core.xml":
                part = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2026-05-29T09:00:00Z", part)
            entry = zipfile.ZipInfo(name, ZIP_TIME)
            entry.create_system = 3  # the same on every platform
            fixed.writestr(entry, part)
    return out.getvalue()


def files() -> dict[str, bytes]:
    """Path below the folder of documents, and content."""
    return {"invoices/INV-2026-8812.pdf": pdf_8812(), "invoices/INV-2026-8977.xlsx": xlsx_8977()}


def main(arguments: Sequence[str]) -> int:
    """Write the files, or with `--check` say which differ."""
    if list(arguments) not in ([], ["--check"]):
        print("usage: make_documents.py [--check]", file=sys.stderr)
        return 2
    made = files()
    if not arguments:
        for name, content in made.items():
            (FOLDER / name).write_bytes(content)
        print(f"{len(made)} files written to {FOLDER}")
        return 0
    differing = [n for n, c in made.items() if not (FOLDER / n).exists() or (FOLDER / n).read_bytes() != c]
    for name in differing:
        print(f"{name} differs from what this script makes", file=sys.stderr)
    if not differing:
        print(f"{len(made)} files are as this script makes them")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
