"""XLSX: each sheet as the rows that it shows, cells with their address and displayed as their format says."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from footnote.documents.extras import needed
from footnote.documents.grids import Said, write_table
from footnote.documents.layout import Block, BlockKind, Extract, TextBuilder
from footnote.documents.packages import Package, open_package
from footnote.documents.readers.xlsx_formats import shown

MOST_CELLS = 2_000_000
_NO_VALUE = re.compile(rb"<f\b[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")


def read_xlsx(data: bytes) -> Extract:
    """All visible sheets; runs of rows between empty ones are tables, a line with one cell is a heading or a text."""
    package, problem = open_package(data)
    if package is None:
        return Extract("xlsx", "", (), problems=(problem,))
    with needed("openpyxl", "to read XLSX"):
        import openpyxl
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(data), data_only=True, keep_links=False)
    except Exception as error:  # noqa: BLE001  # the library raises what it meets in a damaged file
        return Extract("xlsx", "", (), problems=(f"The workbook is damaged: {type(error).__name__}.",))
    builder = TextBuilder()
    blocks: list[Block] = []
    problems: list[str] = []
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            problems.append(f"The sheet {sheet.title} is hidden; it is left out.")
            continue
        if sheet.max_row * sheet.max_column > MOST_CELLS:
            problems.append(f"Sheet {sheet.title} has more than {MOST_CELLS:,} cells; it is left out.")
            continue
        blocks += _sheet(builder, sheet)
    if unknown := _without_value(package):
        problems.append(f"{unknown} cells hold formulas whose values were never stored; they are empty here.")
    title = str(book.properties.title or "").strip()
    return Extract("xlsx", builder.text, tuple(blocks), title=title, problems=tuple(problems))


def _without_value(package: Package) -> int:
    """Cells that hold a formula whose value no program has stored yet."""
    sheets = (name for name in package.names() if name.startswith("xl/worksheets/") and name.endswith(".xml"))
    return sum(len(_NO_VALUE.findall(package.read(name) or b"")) for name in sheets)


def _sheet(builder: TextBuilder, sheet: Any) -> Iterator[Block]:
    start, end = builder.add(sheet.title)
    builder.add("\n\n")
    yield Block(BlockKind.HEADING, start, end, level=1, sheet=sheet.title)
    for run in _runs(_rows(sheet)):
        yield from _run(builder, run, sheet.title)


def _rows(sheet: Any) -> list[list[Said]]:
    """The sheet's cells; a merged one covers its columns and is said again in each of its rows."""
    spans: dict[tuple[int, int], tuple[int, Any]] = {}
    covered: set[tuple[int, int]] = set()
    for area in sheet.merged_cells.ranges:
        first = sheet.cell(area.min_row, area.min_col)
        for row in range(area.min_row, area.max_row + 1):
            spans[row, area.min_col] = (area.max_col - area.min_col + 1, first)
            covered |= {(row, column) for column in range(area.min_col + 1, area.max_col + 1)}
    out: list[list[Said]] = []
    for cells in sheet.iter_rows():
        said: list[Said] = []
        for cell in cells:
            if (cell.row, cell.column) in covered:
                continue
            span, of = spans.get((cell.row, cell.column), (1, cell))
            said.append(Said(shown(of.value, of.number_format), span, of.coordinate))
        out.append(said)
    return _without_margin(out)


def _without_margin(rows: list[list[Said]]) -> list[list[Said]]:
    """The rows without columns on the left in which nothing stands."""
    while rows and all(not row or (not row[0].text and row[0].span == 1) for row in rows) and any(rows):
        rows = [row[1:] for row in rows]
    return rows


def _runs(rows: Sequence[Sequence[Said]]) -> Iterator[list[Sequence[Said]]]:
    run: list[Sequence[Said]] = []
    for row in [*rows, []]:
        if any(cell.text for cell in row):
            run.append(row)
        elif run:
            yield run
            run = []


def _run(builder: TextBuilder, run: list[Sequence[Said]], sheet: str) -> Iterator[Block]:
    """Lines of one cell at the top are texts (a title, a unit); the rest is a table, unless all lines are such."""
    lead = 0
    while lead < len(run) and _single(run[lead]):
        lead += 1
    for row in run[:lead]:
        said = next(cell.text for cell in row if cell.text)
        start, end = builder.add(said)
        builder.add("\n\n")
        yield Block(BlockKind.PARAGRAPH, start, end, sheet=sheet)
    table = write_table(builder, run[lead:], sheet=sheet) if lead < len(run) else None
    if table is not None:
        yield table


def _single(row: Sequence[Said]) -> bool:
    return sum(bool(cell.text) for cell in row) == 1
