"""Blocks become units: sentences, items, key-value lines, table rows and headings, each with the headings above it.

The number of a clause ("4.2", "(a)") is no part of the statement behind it; it becomes the innermost section. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from footnote.documents.layout import Block, BlockKind, Extract
from footnote.documents.lines import Line, bare, heading_level, lines_of, pair_at
from footnote.documents.sentences import sentence_spans
from footnote.documents.tables import ReadTable, names_currency, read_table, scale_words
from footnote.documents.units import Cell, Fragment, Table, Unit, UnitKind

_BULLET = re.compile(r"(?:>\s*)*(?:[-*+•·–‣▪○●]\s+|\[[ xX]\]\s+)+")
_QUOTE_MARK = re.compile(r"(?:>\s*)+")
_CLAUSE = re.compile(
    r"(?P<number>(?:§\s*)?\d{1,3}(?:\.\d{1,3}){0,4}\.?|\(?[a-zA-Z]\)|\(?[ivxIVX]{1,6}\)|\(\d{1,3}\)|[a-zA-Z]\.|[ivxIVX]{1,5}\.)\s+"
    r"(?=[\"“„«(\[*_]*[^\W\d_]|\d{1,2}\.\d)"
)
_NOTE = re.compile(r"(?:\(\w{1,2}\)|\*+|†|Note\b|Notes\b)\s*:?\s*\S")
_OF_TABLE = re.compile(
    r"\b(?:following|above|below|preceding)\s+table|\btable\s+(?:below|above|presents|summari[sz]es|shows|sets)|"
    r"\btabular\s+(?:\w+\s+)?amounts\b|\bas\s+follows\b|\bfollowing\b.*:\s*$|:\s*$",
    re.IGNORECASE,
)
_LONGEST_CAPTION = 400
_MONTH = re.compile(
    r"\s+(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|okt|oct|nov|de[cz]|sty|lut|kwi|cze|lip|sie|wrz|paź|lis|gru|janv|févr|avr|juin|"
    r"juil|août|déc)\w*\b|\s+(?:days?|months?|years?|weeks?|percent|EUR|USD|GBP|PLN|CHF|million|thousand|billion)\b",
    re.IGNORECASE,
)


def units_of(file: str, extract: Extract) -> tuple[Unit, ...]:
    """The units of a file in reading order."""
    return tuple(_Cutter(file, extract).units())


@dataclass(slots=True)
class _Sections:
    """The headings above, and the clause that was last entered."""

    path: list[tuple[int, str]] = field(default_factory=list)
    clause: str = ""

    def enter(self, level: int, title: str) -> None:
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        self.path.append((level, title))
        self.clause = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return (*(title for _, title in self.path), *([self.clause] if self.clause else []))


class _Cutter:
    def __init__(self, file: str, extract: Extract) -> None:
        self.file = file
        self.text = extract.text
        self.type = extract.type
        self.blocks = extract.blocks
        self.sections = _Sections()
        self.number = 0
        self.tables = 0

    def units(self) -> Iterator[Unit]:
        for at, block in enumerate(self.blocks):
            if block.start >= block.end:
                continue
            if block.kind is BlockKind.HEADING:
                title = " ".join(self.text[block.start : block.end].split())
                self.sections.enter(block.level or 1, title)
                yield self._unit(UnitKind.HEADING, block, block.start, block.end)
            elif block.kind is BlockKind.TABLE:
                yield from self._table(at, block)
            else:
                yield from self._prose(block)

    def _unit(self, kind: UnitKind, block: Block, start: int, end: int, key: str = "") -> Unit:
        unit = Unit(
            self.file, self.number, kind, self.text[start:end], start, end, self.sections.texts,
            page=block.page, sheet=block.sheet, key=key, sent=block.sent, sender=block.sender, quoted=block.quoted,
        )  # fmt: skip
        self.number += 1
        return unit

    # --- prose --------------------------------------------------------------------------------------------------------

    def _prose(self, block: Block) -> Iterator[Unit]:
        start = block.start
        item = block.kind is BlockKind.ITEM
        if mark := _QUOTE_MARK.match(self.text, start, block.end):
            start = mark.end()
        if mark := _BULLET.match(self.text, start, block.end):
            start, item = mark.end(), True
        if pairs := self._pairs(block, start):
            yield from pairs
            return
        for first, last in sentence_spans(self.text, start, block.end):
            yield from self._statement(block, first, last, item)

    def _statement(self, block: Block, start: int, end: int, item: bool) -> Iterator[Unit]:
        """A sentence without the number of its clause; a short title before the sentence stays with it."""
        while (clause := self._clause(start, end)) is not None:
            start = clause
        start, end = bare(self.text, start, end)
        if start >= end or not re.search(r"\w", self.text[start:end]):
            return
        if pair := pair_at(self.text, start, end):
            yield self._pair(block, pair)
            return
        kind = UnitKind.ITEM if item else UnitKind.SENTENCE
        yield self._unit(kind, block, start, end)

    def _clause(self, start: int, end: int) -> int | None:
        """Where the statement behind a clause number starts; the number becomes the section."""
        match = _CLAUSE.match(self.text, start, end)
        if match is None or (
            (match["number"].isdigit() or _MONTH.match(self.text, match.end() - 1))
            and (
                (match["number"].isdigit() and not self.text[match.end()].isupper())
                or _MONTH.match(self.text, match.end() - 1)
            )
        ):
            return None
        number = match["number"]
        if number in ("A", "a", "I", "i") or (match.end() - 1 == start + 1 and number.isalpha()):
            return None
        if re.search(r"\d", number) or not self.sections.clause:
            self.sections.clause = number.rstrip(".")
        return match.end()

    def _pairs(self, block: Block, start: int) -> list[Unit]:
        """The block as key-value lines, if that is what it is; a line may hold several, parted by bars or wide gaps."""
        if ":" not in self.text[start : block.end]:
            return []
        lines = [line for line in lines_of(self.text, start, block.end) if not line.blank]
        found = [pair for line in lines for pair in self._pairs_of_line(line)]
        if len(lines) == 1 and found:
            return [self._pair(block, pair) for pair in found]
        return []

    def _pairs_of_line(self, line: Line) -> list[tuple[int, int, int, int]]:
        parts = [line.start]
        for gap in re.finditer(r"\s*[|\t]\s*|\s{3,}", line.text):
            parts += [line.start + gap.start(), line.start + gap.end()]
        parts.append(line.end)
        pairs = [pair_at(self.text, a, b) for a, b in zip(parts[::2], parts[1::2], strict=True) if a < b]
        if len(pairs) > 1 and all(pairs):
            return [pair for pair in pairs if pair]
        whole = pair_at(self.text, line.start, line.end)
        return [whole] if whole else []

    def _pair(self, block: Block, pair: tuple[int, int, int, int]) -> Unit:
        key_start, key_end, start, end = pair
        key = self.text[key_start:key_end]
        value = Cell(1, self.text[start:end], start, end)
        return replace(self._unit(UnitKind.PAIR, block, key_start, end, key), cells=(value,))

    # --- tables -------------------------------------------------------------------------------------------------------

    def _table(self, at: int, block: Block) -> Iterator[Unit]:
        self.tables += 1
        read = read_table(self.text, self.file, block, self.tables)
        table = self._with_surroundings(read, at)
        for row in read.rows:
            kind = UnitKind.ROW if row.cells or len(read.rows) == 1 or not row.label else UnitKind.HEADING
            unit = self._unit(kind, block, row.start, row.end, row.label)
            yield replace(unit, group=row.group, cells=row.cells, table=table)

    def _with_surroundings(self, read: ReadTable, at: int) -> Table:
        """The table with what the paragraphs beside it say: its caption, its unit, its notes."""
        table = read.table
        before = self.blocks[at - 1] if at else None
        if not table.caption and before is not None and self._captions(before):
            table = self._captioned(table, before)
        if read.orphan:
            table = self._counted(table, at)
        notes = []
        for block in self.blocks[at + 1 : at + 9]:
            if block.kind is BlockKind.HEADING or block.kind is BlockKind.TABLE:
                break
            if _NOTE.match(self.text[block.start : block.end]):
                notes.append(self.text[block.start : block.end])
        return replace(table, notes=tuple(notes))

    def _captions(self, block: Block) -> bool:
        said = self.text[block.start : block.end]
        if block.kind is not BlockKind.PARAGRAPH or len(said) > _LONGEST_CAPTION:
            return False
        return bool(_OF_TABLE.search(said)) or (len(said) < 120 and said[-1:] not in ".;!?")

    def _captioned(self, table: Table, block: Block) -> Table:
        start, end = bare(self.text, block.start, block.end)
        said = self.text[start:end]
        fragment = Fragment(self.file, start, end, said)
        return replace(
            table, caption=said, unit=table.unit or scale_words(said), fragments=(fragment, *table.fragments)
        )

    def _counted(self, table: Table, at: int) -> Table:
        """A unit that only a sentence beside the table has; one far away counts if the file has this table alone."""
        if table.unit:
            return table
        headed = next((b for b in reversed(self.blocks[:at]) if b.kind in (BlockKind.HEADING, BlockKind.TABLE)), None)
        if headed is not None and headed.kind is BlockKind.HEADING:
            start, end = bare(self.text, headed.start, headed.end)
            if unit := scale_words(self.text[start:end]):
                return replace(
                    table,
                    unit=unit,
                    fragments=(Fragment(self.file, start, end, self.text[start:end]), *table.fragments),
                )
            if names_currency(self.text[start:end]):
                return table
        if names_currency(table.caption):
            return table
        alone = sum(block.kind is BlockKind.TABLE for block in self.blocks) == 1
        beside = (
            [*reversed(self.blocks[max(0, at - 3) : at]), *self.blocks[at + 1 :]]
            if alone
            else self.blocks[max(0, at - 1) : at]
        )
        for block in beside:
            if block.kind in (BlockKind.TABLE, BlockKind.HEADING):
                continue
            for start, end in sentence_spans(self.text, block.start, block.end):
                said = self.text[start:end]
                if _OF_TABLE.search(said) and (unit := scale_words(said)) and heading_level(said) == 0:
                    fragment = Fragment(self.file, start, end, said)
                    return replace(table, unit=unit, fragments=(*table.fragments, fragment))
        return self._counted_at_top(table, at)

    def _counted_at_top(self, table: Table, at: int) -> Table:
        """A line below the title says it for all tables of a statement: "Hollow Ltd, in thousands of EUR"."""
        for block in self.blocks[: min(at, 4)]:
            start, end = bare(self.text, block.start, block.end)
            said = self.text[start:end]
            line = block.kind is BlockKind.PARAGRAPH and len(said) < 120 and said[-1:] not in ".;!?:"
            if line and (unit := scale_words(said)):
                return replace(table, unit=unit, fragments=(*table.fragments, Fragment(self.file, start, end, said)))
        return table
