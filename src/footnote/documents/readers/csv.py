"""CSV: the text is the file, letter by letter; a quoted field is what stands between its quotes."""

from __future__ import annotations

from collections.abc import Iterator

from footnote.documents.grids import Said, looks_like_head
from footnote.documents.layout import Block, BlockKind, Extract, GridCell

_DELIMITERS = ",;\t|"
MOST_ROWS = 200_000


def read_csv(text: str) -> Extract:
    """One table; the delimiter is the one that gives most rows the same number of fields."""
    delimiter = _delimiter(text)
    rows: list[tuple[GridCell, ...]] = []
    problems: tuple[str, ...] = ()
    for row in _rows(text, delimiter):
        if len(rows) == MOST_ROWS:
            problems = (f"Only the first {MOST_ROWS:,} rows are read.",)
            break
        if any(cell.start < cell.end for cell in row):
            rows.append(row)
    if not rows:
        return Extract("csv", text, ())
    said = [[Said(text[c.start : c.end]) for c in row] for row in rows[:50]]
    head = 1 if looks_like_head(said) or _names_columns(said) else 0
    start, end = min(c.start for c in rows[0]), max(c.end for c in rows[-1])
    return Extract("csv", text, (Block(BlockKind.TABLE, start, end, rows=tuple(rows), headed=head),), problems=problems)


def _names_columns(rows: list[list[Said]]) -> bool:
    """Whether the first of at least two rows has a different text without digits in every column."""
    first = [cell.text.strip() for cell in rows[0]]
    return (
        len(rows) > 1
        and len(first) > 1
        and len(set(first)) == len(first)
        and all(first)
        and not any(map(_digits, first))
    )


def _digits(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _delimiter(text: str) -> str:
    sample = text[:20_000]

    def regularity(delimiter: str) -> tuple[int, int]:
        widths = [len(row) for row in list(_rows(sample, delimiter))[:30] if row]
        usual = max(set(widths), key=widths.count, default=1)
        return (widths.count(usual) if usual > 1 else 0, usual)

    return max(_DELIMITERS, key=regularity)


def _rows(text: str, delimiter: str) -> Iterator[tuple[GridCell, ...]]:
    """The fields of each record by their offsets (RFC 4180, lenient)."""
    row: list[GridCell] = []
    at = 0
    while at <= len(text):
        cell, at = _field(text, at, delimiter)
        row.append(cell)
        if at >= len(text) or text[at] in "\r\n":
            if len(row) > 1 or row[0].start < row[0].end:
                yield tuple(row)
            row = []
            at += 2 if text.startswith("\r\n", at) else 1
        else:
            at += 1


def _field(text: str, at: int, delimiter: str) -> tuple[GridCell, int]:
    """A field and where its delimiter stands."""
    if text[at : at + 1] == '"':
        end = at + 1
        while (end := text.find('"', end)) >= 0 and text[end + 1 : end + 2] == '"':
            end += 2
        if end >= 0 and (end + 1 == len(text) or text[end + 1] in f"{delimiter}\r\n"):
            return _bare(text, at + 1, end), end + 1
    end = at
    while end < len(text) and text[end] != delimiter and text[end] not in "\r\n":
        end += 1
    return _bare(text, at, end), end


def _bare(text: str, start: int, end: int) -> GridCell:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return GridCell(start, end)
