"""Rows of a table, each bound to its label, column headers, groups, caption, unit and notes.

What heads a column is decided here, for every format: the rows that a format marks as head, and those below them that
hold no values but years, dates, units or names over columns. Where spans are not written down (a Markdown table), an
outer header is spread over the columns beside it only if that is unambiguous; a header that may belong to two columns is
given to none. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from footnote.documents.layout import Block, GridCell
from footnote.documents.units import Cell, Fragment, Table

_VALUE = re.compile(
    r"[-+−–(\s$€£¥]*(?:[A-Z]{3}\s*)?[\d][\d.,'\s\u00a0\u202f]*\)?[\s%)$€£¥*]*(?:[A-Za-zł]{1,4}\.?)?(?:\s*\(\w\))?$"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_PERIOD = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:FY|F|H[12]|Q[1-4])\s?-?\d{2,4}\b|\b[12]H\d\d\b|\bQ[1-4]\b|"
    r"\b(?:years?|months?|weeks?|quarters?|half|ended|ending|jahr|monat|quartal|rok|kwartał|miesi\w+|exercice|trimestre|"
    r"janu\w+|febr\w+|march|april|may|june|july|august|sept\w+|octob\w+|novem\w+|decem\w+)\b",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"\b(?:in|en|w)\s+(?:\S+\s+){0,3}?(?:thousands?|millions?|billions?|mn|mio|mln|tys|tausend|millionen|mrd|milliers|"
    r"tysiącach|milionach|tsd|hundreds)\b|\b(?:thousands?|millions?|billions?)\s+of\b|\b(?:thousand|million|billion)\b|"
    r"\b(?:T€|TEUR|TUSD|T\$|kEUR|k€|EURk|m€|€m|£m|\$m|Mio|Mrd|Tsd|mln|tys)\b|\b(?:dollars|euros?)\s+in\b|€\s?000|\$\s?000|£\s?000|'000|"
    r"\b(?:amounts?|figures|angaben|kwoty|dane|montants?)\s+(?:are\s+)?(?:in|en|w)\b",
    re.IGNORECASE,
)
_BARE_UNIT = re.compile(
    r"[(\[]?\s*(?:in\s+|w\s+|en\s+)?(?:%|\$|€|£|bps|USD|EUR|GBP|PLN|CHF|US\$|zł|percent|amount|units?|number|shares)\s*[)\]]?$",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]{2,80})[)\]]")
_OPENING = re.compile(r"[-+−–]?\s*(?:[$€£¥(]|US\$|EUR|USD|GBP|PLN)\s*[$€£¥(]?$")
_CLOSING = re.compile(r"[)%]{1,2}$")
_NUMBER_OPEN = re.compile(r"[$€£¥]?\s*\(\s*[$€£¥]?\s*[\d.,]+$")
_DIGITS = re.compile(r"[$€£(−-]?\s*[\d.,]+\)?$")
_TOTAL = re.compile(r"(?:total|summe|gesamt|razem|suma|łącznie|ogółem)\b[\s:]*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row that states something, or a group's label (`cells` is empty then)."""

    label: str
    start: int
    end: int
    group: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table as its reader's block gives it, and the rows below its head."""

    table: Table
    rows: tuple[TableRow, ...]
    orphan: bool = False
    """It has no unit yet; a sentence beside it may have one."""


def read_table(text: str, file: str, block: Block, number: int) -> ReadTable:
    """The rows of the table in `block`, the `number`-th of `file`."""
    rows = [_joined(text, row) for row in block.rows]
    rows = [row for row in rows if any(cell.start < cell.end for cell in row)]
    width = max((sum(cell.span for cell in row) for row in rows), default=0)
    grid = [_widened(row, width) for row in rows]
    head, caption, units, body_at = _head(text, grid, block.headed)
    spanned = any(cell.span > 1 for row in block.rows for cell in row)
    columns = _column_headers(text, head, width, spanned=spanned)
    fragments = [Fragment(file, c.start, c.end, text[c.start : c.end]) for c in dict.fromkeys([*caption, *units])]
    for row in head:
        fragments += [
            Fragment(file, c.start, c.end, text[c.start : c.end]) for c in dict.fromkeys(row) if c.start < c.end
        ]
    if block.caption:
        start, end = block.caption
        fragments.insert(0, Fragment(file, start, end, text[start:end]))
    captions = [text[start:end] for start, end in [block.caption] if start < end] if block.caption else []
    captions += [text[c.start : c.end] for c in caption]
    unit = "; ".join(dict.fromkeys(text[c.start : c.end].strip() for c in units))
    unit = unit or next((found for found in map(scale_words, captions) if found), "")
    table = Table(number, " – ".join(captions), unit, (), tuple(dict.fromkeys(fragments)))
    return ReadTable(table, tuple(_rows(text, grid[body_at:], columns)), not unit)


def scale_words(text: str) -> str:
    """The words of `text` that say what a table counts in ("in thousands"), as written; empty if there are none."""
    for match in _IN_BRACKETS.finditer(text):
        if _SCALE.search(match[1]):
            return match[1]
    found = re.search(
        r"\b(?:in|w|en)\s+(?:[A-Z]{3}\s+|US\s+dollars\s+)?(?:thousands|millions|billions|tys\.|mln|tausend|millionen|milliers)(?:\s+of\s+\S+(?:\s+dollars)?)?",
        text,
        re.IGNORECASE,
    )
    return found[0] if found else ""


def names_currency(text: str) -> bool:
    """Whether a heading or caption says, without a scale, what a table counts in: "Fees (EUR)", "Fees in EUR"."""
    return bool(_COUNTED_IN.search(text)) and not scale_words(text)


_COUNTED_IN = re.compile(
    r"(?:[(\[]\s*|\b(?:in|w|en)\s+)(?:USD|EUR|GBP|PLN|CHF|US\$|[$€£]|zł|euros?|złotych)(?![\w])", re.IGNORECASE
)


# --- cells ------------------------------------------------------------------------------------------------------------


def _joined(text: str, row: Sequence[GridCell]) -> list[GridCell]:
    """The row with numbers that were split over cells ("$", "(1,234", ")") as one cell each."""
    out: list[GridCell] = []
    cells = list(row)
    while cells:
        cell = cells.pop(0)
        said = text[cell.start : cell.end]
        if out and cell.start == cell.end and cell.span == 1:
            out.append(cell)
            continue
        if cells and out and _OPENING.fullmatch(said) and _DIGITS.match(text[cells[0].start : cells[0].end]):
            following = cells.pop(0)
            cell = replace(following, start=cell.start, span=cell.span + following.span)
            said = text[following.start : following.end]
        if (
            cells
            and _CLOSING.fullmatch(text[cells[0].start : cells[0].end])
            and (_NUMBER_OPEN.search(said) or (text[cells[0].start] == "%" and re.search(r"\d", said)))
        ):
            closing = cells.pop(0)
            cell = replace(cell, end=closing.end, span=cell.span + closing.span)
        out.append(cell)
    return out


def _widened(row: Sequence[GridCell], width: int) -> list[GridCell]:
    """One entry per column; a cell that covers several stands in each of them."""
    out: list[GridCell] = []
    for cell in row:
        out += [cell] * cell.span
    at = row[-1].end if row else 0
    return out + [GridCell(at, at)] * (width - len(out))


# --- the head ---------------------------------------------------------------------------------------------------------


def _head(
    text: str, grid: Sequence[Sequence[GridCell]], headed: int
) -> tuple[list[list[GridCell]], list[GridCell], list[GridCell], int]:
    """Rows of the head, cells of a caption, cells that name the unit, and where the body starts."""
    head: list[list[GridCell]] = []
    caption: list[GridCell] = []
    units: list[GridCell] = []
    at = 0
    for at, row in enumerate(grid):
        said = [text[cell.start : cell.end].strip() for cell in row]
        if not _heads(said, at < headed, bool(head)):
            break
        filled = list(dict.fromkeys(cell for cell in row if cell.start < cell.end))
        single = filled[0] if len(filled) == 1 else None
        if single is not None and _is_unit(text[single.start : single.end]):
            units.append(single)
        elif (
            single is not None
            and single is row[0]
            and not _PERIOD.search(said[0])
            and (single.span > 1 or len(row) > 1)
        ):
            caption.append(single)
        else:
            head.append(list(row))
            units += [c for c in row[:1] if c.start < c.end and _is_unit(said[0])]
    else:
        at = len(grid)
    return head, caption, units, at


def _heads(said: Sequence[str], marked: bool, some: bool) -> bool:
    """Whether a row at the top belongs to the head."""
    if marked:
        return True
    rest = [cell for cell in said[1:] if cell]
    if any(_VALUE.match(cell) and not _YEAR.fullmatch(cell) for cell in rest):
        return False
    if not rest:
        return _is_unit(said[0])
    if not said[0] or _is_unit(said[0]) or (_PERIOD.search(said[0]) and all(_PERIOD.search(c) for c in rest)):
        return any(re.search(r"\w|[%$€£]", cell) for cell in rest)
    periods = all(_PERIOD.search(cell) or _BARE_UNIT.fullmatch(cell) or _is_unit(cell) for cell in rest)
    return periods and any(_YEAR.search(cell) or _BARE_UNIT.fullmatch(cell) for cell in rest)


def _is_unit(said: str) -> bool:
    bare = said.strip().strip("()[]*_ ")
    return bool(bare) and len(bare) < 90 and bool(_SCALE.search(bare)) and not re.search(r"\b(?:19|20)\d\d\b", bare)


def _column_headers(
    text: str, head: Sequence[Sequence[GridCell]], width: int, *, spanned: bool
) -> list[tuple[str, ...]]:
    """Per column, the texts above it, outermost first; a period in the corner holds for all of them."""
    columns: list[list[str]] = [[] for _ in range(width)]
    for level, row in enumerate(head):
        said = [text[cell.start : cell.end].strip() for cell in row]
        below = head[level + 1] if level + 1 < len(head) else ()
        parted = len(below) == width and all(cell.start < cell.end for cell in below[1:])
        if said and said[0] and _PERIOD.search(said[0]) and not _is_unit(said[0]):
            for column in range(1, width):
                columns[column].append(said[0])
        filled = said if spanned else _spread(said, parted=parted)
        for column in range(1, width):
            if filled[column] and filled[column] not in columns[column]:
                columns[column].append(filled[column])
        if said and said[0]:
            columns[0].append(said[0])
    return [tuple(texts) for texts in columns]


def _spread(said: Sequence[str], *, parted: bool = False) -> list[str]:
    """A row of the head with its texts over the columns that they cover, where that is unambiguous.

    Args:
        said: Its texts.
        parted: The row below it names every column, so that this one begins with the group of the first.
    """
    out = list(said)
    filled = [column for column in range(1, len(said)) if said[column]]
    if len(filled) == len(said) - 1 or not filled:
        return out
    if len(filled) == 1:
        return [said[0], *([said[filled[0]]] * (len(said) - 1))] if _may_span(said[filled[0]]) else out
    bounds = [*filled, len(said)]
    sizes = {after - before for before, after in pairwise(bounds)}
    if filled[0] == 1 and (len(sizes) == 1 or (parted and min(sizes) > 1)):
        for before, after in pairwise(bounds):
            out[before:after] = [said[before]] * (after - before)
    return out


def _may_span(said: str) -> bool:
    return not _BARE_UNIT.fullmatch(said)


# --- the body ---------------------------------------------------------------------------------------------------------


def _rows(text: str, grid: Sequence[Sequence[GridCell]], columns: Sequence[tuple[str, ...]]) -> list[TableRow]:
    out: list[TableRow] = []
    groups: list[str] = []
    fresh = True  # the row above was a group's label
    heads = list(columns)
    for row in grid:
        filled = [cell for cell in dict.fromkeys(row) if cell.start < cell.end]
        said = [text[cell.start : cell.end].strip() for cell in row]
        label = said[0] if row and row[0].start < row[0].end else ""
        start, end = filled[0].start, filled[-1].end
        if len(filled) == 1 and label and len(row) > 1:
            groups = [*groups, label] if fresh and groups else [*groups[:-1], label]
            fresh = True
            out.append(TableRow(label, start, end, tuple(groups[:-1]), ()))
            continue
        if not label and all(_YEAR.fullmatch(cell) for cell in said[1:] if cell):
            heads = [(cell,) if cell else () for cell in said]
            continue
        cells = tuple(
            Cell(column, text[c.start : c.end], c.start, c.end, _heads_of(heads, column, c.span), c.address)
            for column, c in enumerate(row)
            if column > 0 and c.start < c.end and (column == 1 or row[column - 1] is not c)
        )
        out.append(TableRow(label, start, end, tuple(groups), cells))
        fresh = False
        groups = _closed(groups, label)
    return out


def _heads_of(heads: Sequence[tuple[str, ...]], column: int, span: int) -> tuple[str, ...]:
    """The headers of a cell that may cover several columns: those of the first that has any."""
    return next((texts for texts in heads[column : column + span] if texts), ())


def _closed(groups: list[str], label: str) -> list[str]:
    """The groups that stay open behind a row: a total closes the group it is the total of."""
    total = _TOTAL.match(label)
    if total is None:
        return groups
    of = total[1].strip(" :").casefold()
    for at, group in enumerate(groups):
        if group.strip(" :").casefold() == of:
            return groups[:at]
    return groups
