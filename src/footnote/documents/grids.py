"""Tables of formats without a text of their own, written into the text row by row. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footnote.documents.layout import Block, BlockKind, GridCell, TextBuilder

_SYMBOL = re.compile(r"[-+−–]?\s*(?:[$€£¥]|US\$|[A-Z]{3})?\s*\(?\s*[$€£¥]?$")
_CLOSING = re.compile(r"[)%]{1,2}$")
_VALUE = re.compile(r"[-+−–(\s$€£¥]*[\d][\d.,'\s\u00a0\u202f]*[)%\s]*$")
_DATED = re.compile(r"(?<![-/\w])(?:19|20)\d\d\b(?!-\d{3})|\b(?:FY|Q|H)\s?\d|\b\d{1,3}\s*[-–]\s*\d|[<>≤≥]\s?\d|\(\w\)")
_YEAR = re.compile(r"(?:19|20)\d\d$")


@dataclass(frozen=True, slots=True)
class Said:
    """A cell before it has a place in the text."""

    text: str
    span: int = 1
    address: str = ""
    header: bool = False


def write_row(builder: TextBuilder, cells: Iterable[Said], gap: str = " | ") -> tuple[GridCell, ...]:
    """A row of a table as one line, with `gap` between cells; parts of one number stand closer."""
    out: list[GridCell] = []
    before = ""
    for cell in cells:
        if cell.text:
            if before:
                builder.add(_between(before, cell.text, gap))
            before = cell.text
        start, end = builder.add(cell.text)
        out.append(GridCell(start, end, cell.span, cell.address, cell.header))
    return tuple(out)


def _between(before: str, after: str, gap: str) -> str:
    if _CLOSING.match(after) and before[-1:].isdigit():
        return ""
    symbol = _SYMBOL.match(before) and not before.isalpha() and before[-1:] != ")"
    return " " if symbol and after[:1] in "(0123456789.$€£¥" else gap


def write_table(
    builder: TextBuilder, rows: Sequence[Sequence[Said]], headed: int | None = None, *, gap: str = " | ", **more: str
) -> Block | None:
    """A table as lines of the text; None if nothing stands in it.

    Args:
        builder: Of the text.
        rows: Its cells.
        headed: Rows that the format marks as head; None if it marks none, so that the first row may be one.
        gap: Between cells.
        more: `sheet` of the block.
    """
    kept = [row for row in rows if any(cell.text for cell in row)]
    if not kept:
        return None
    grid = []
    start = len(builder)
    for number, row in enumerate(kept):
        if number:
            builder.add("\n")
        grid.append(write_row(builder, row, gap))
    end = len(builder)
    head = (1 if looks_like_head(kept) else 0) if headed is None else headed
    builder.add("\n\n")
    return Block(BlockKind.TABLE, start, end, rows=tuple(grid), headed=head, sheet=more.get("sheet", ""))


def looks_like_head(rows: Sequence[Sequence[Said]]) -> bool:
    """Whether the first row names columns: several words, no values, and rows below it that are not all words."""
    if len(rows) < 2:
        return False
    first = [cell.text.strip() for cell in rows[0] if cell.text.strip()]
    if len(first) < 2 or any(_VALUE.match(text) and not _YEAR.match(text) for text in first):
        return False
    if any(cell.header for cell in rows[0]):
        return True
    if any(re.search(r"\d", text) and not _DATED.search(text) for text in first[1:]):
        return False
    width = max(len(row) for row in rows)
    if width == 2:
        return all(_VALUE.match(row[1].text.strip()) for row in rows[1:] if len(row) > 1 and row[1].text.strip())
    return not any(text.endswith(":") for text in first)
