"""PDF: lines by the places of their letters, paragraphs across pages, tables where numbers stand in columns."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from footnote.documents.extras import needed
from footnote.documents.layout import Block, Extract, TextBuilder
from footnote.documents.lines import Line, blocks_of_lines
from footnote.documents.readers.pdf_lines import PageLine, lines_of_page
from footnote.documents.readers.pdf_tables import table_runs, write_run

MOST_PAGES = 5_000
_ONE_AT_A_TIME = threading.Lock()
"""PDFium is not made for threads."""
_FURNITURE = 3
"""A line at the top or bottom that repeats on so many pages belongs to the paper, not to the text."""


def read_pdf(data: bytes) -> Extract:
    """All pages. Lines that repeat at the head or foot of pages are left out, so that sentences go on across them."""
    with needed("pypdfium2", "to read PDF"):
        import pypdfium2
    with _ONE_AT_A_TIME:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            locked = "assword" in str(error)
            why = "The file is encrypted." if locked else "The file is damaged: it cannot be opened as PDF."
            return Extract("pdf", "", (), problems=(why,))
        try:
            return _read(document)
        finally:
            document.close()


def _read(document: Any) -> Extract:
    problems: list[str] = []
    pages: list[list[PageLine]] = []
    silent: list[int] = []
    count = min(len(document), MOST_PAGES)
    if count < len(document):
        problems.append(f"Only the first {MOST_PAGES} of {len(document)} pages are read.")
    for number in range(count):
        try:
            lines = lines_of_page(document, number)
        except Exception as error:  # noqa: BLE001  # the library raises what it meets in a damaged page
            problems.append(f"Page {number + 1} cannot be read: {type(error).__name__}.")
            lines = []
        else:
            if not lines:
                silent.append(number + 1)
        pages.append(lines)
    if silent:
        named = ", ".join(map(str, silent[:20])) + (" …" if len(silent) > 20 else "")
        problems.append(f"No text on page {named}; it may be a picture (a scan).")
    builder = TextBuilder()
    kept, furniture = _without_furniture(pages)
    if furniture:
        said = ", ".join(f"“{line[:60]}”" for line in furniture[:4])
        problems.append(f"What repeats at the head or foot of pages is left out: {said}.")
    blocks = tuple(_blocks(builder, kept))
    title = str((document.get_metadata_dict() or {}).get("Title") or "").strip()
    title = "" if title.lower() in ("untitled", "(anonymous)") or re.search(r"\.\w{3,4}$", title) else title
    return Extract("pdf", builder.text, blocks, title=title, problems=tuple(problems))


# --- furniture --------------------------------------------------------------------------------------------------------


def _without_furniture(pages: Sequence[Sequence[PageLine]]) -> tuple[list[list[PageLine]], list[str]]:
    """The lines of each page that belong to the text, and what was left out."""
    seen = Counter(key for lines in pages for key in {_key(line) for line in lines if line.in_margin})
    repeated = {key for key, pages_with in seen.items() if pages_with >= _FURNITURE}
    kept = [[line for line in lines if not (line.in_margin and _key(line) in repeated)] for lines in pages]
    return kept, sorted({said for said, _ in repeated})


def _key(line: PageLine) -> tuple[str, int]:
    """What a line says, but for one number (of the page), and where it stands."""
    return re.sub(r"\d+(?=\D*$)", "#", line.text), round(line.y)


# --- blocks -----------------------------------------------------------------------------------------------------------


def _blocks(builder: TextBuilder, pages: Sequence[Sequence[PageLine]]) -> Iterator[Block]:
    """Runs of prose, across pages, and tables between them, in reading order."""
    prose: list[tuple[Line, int]] = []
    for number, lines in enumerate(pages, start=1):
        above: PageLine | None = None
        for run, is_table in table_runs(lines):
            if is_table:
                yield from _prose(builder, prose)
                prose = []
                if (table := write_run(builder, run)) is not None:
                    yield replace(table, page=number)
                above = None
                continue
            for line in run:
                if prose and _parts(above, line, prose[-1][0].text):
                    at = builder.add("\n")[1]
                    prose.append((Line(at, at, "", 0), number))
                start, end = builder.add(line.text)
                builder.add("\n")
                prose.append((Line(start, end, line.text, 0), number))
                above = line
    yield from _prose(builder, prose)


def _parts(above: PageLine | None, line: PageLine, said: str) -> bool:
    """Whether a paragraph ends between two lines: a gap, another size of letters, or a page's end behind a full stop."""
    if above is None:
        return bool(re.search(r"[.!?:;][\"”’)]*$", said)) or not line.text[:1].islower()
    gap = above.y - line.y
    height = max(above.height, line.height)
    return gap > 1.75 * height or gap < 0 or abs(above.height - line.height) > 0.25 * height


def _prose(builder: TextBuilder, prose: Sequence[tuple[Line, int]]) -> Iterator[Block]:
    if not prose:
        return
    pages = {line.start: page for line, page in prose if not line.blank}
    text = builder.text
    for block in blocks_of_lines(text, [line for line, _ in prose], markdown=False):
        yield replace(block, page=pages.get(block.start) or _page_before(pages, block.start))


def _page_before(pages: dict[int, int], start: int) -> int | None:
    return next((page for at, page in sorted(pages.items(), reverse=True) if at <= start), None)
