"""Text that is lines: which of them are headings, items, key-value lines, tables, and which make up a paragraph.

Markdown and plain text differ in what marks a block, not in what a block is. Contracts come as one line a clause, as
wrapped lines, and as one long line with clause numbers inside; all of these are read. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote.documents.layout import Block, BlockKind, GridCell

_LINE = re.compile(r"[^\r\n\v\f\x85\u2028\u2029]*(?:\r\n|[\r\n\v\f\x85\u2028\u2029]|$)")
_MARK = re.compile(r"(?:[-*+•·–‣▪○●]|\(?[a-zA-Z]\)|\(?[ivxlcIVXLC]{1,6}\)|\(?\d{1,3}\))\s+(?=\S)")
_NUMBERED = re.compile(r"(?:§\s*)?\d{1,3}(?:\.\d{1,3})*\.?\)?\s+(?=\S)|[ivxIVX]{1,5}\.\s+(?=\S)|[A-Za-z]\.\s+(?=\S)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+")
_SETEXT = re.compile(r" {0,3}(=+|-{3,})[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:[-*_=~][ \t]*){3,})$")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_DELIMITER = re.compile(r"\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*$")
_NAMED_SECTION = re.compile(
    r"(?:article|section|clause|schedule|exhibit|appendix|annex|part|artikel|anlage|abschnitt|rozdział|załącznik|paragraf|"
    r"annexe|chapitre)\s+[\dA-ZIVX]+(?:\.\d+)*\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?:;][\"'”’»)\]*_]*$")
LONGEST_HEADING = 90


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end; `text[start:end]` has no space around it."""

    start: int
    end: int
    text: str
    indent: int

    @property
    def blank(self) -> bool:
        """Nothing stands in it."""
        return self.start == self.end


def lines_of(text: str, start: int = 0, end: int | None = None) -> list[Line]:
    """The lines of `text[start:end]`."""
    end = len(text) if end is None else end
    out: list[Line] = []
    while start < end:
        match = _LINE.match(text, start, end)
        if match is None or match.end() == start:
            break
        raw = match[0]
        said = raw.strip("\ufeff \t\r\n\v\f\x85\u2028\u2029\u00a0")
        at = start + raw.index(said) if said else match.end()
        out.append(Line(at, at + len(said), said, at - start))
        start = match.end()
    return out


def blocks_of_lines(text: str, lines: Sequence[Line], *, markdown: bool) -> Iterator[Block]:
    """The blocks of a run of lines."""
    widest = sorted(len(line.text) for line in lines)[-1 - len(lines) // 20] if lines else 0
    reader = _Lines(text, lines, widest, markdown=markdown)
    yield from reader.blocks()


class _Lines:
    """Walks through lines; `at` is the next one."""

    def __init__(self, text: str, lines: Sequence[Line], widest: int, *, markdown: bool) -> None:
        self.text = text
        self.lines = lines
        self.widest = widest
        self.markdown = markdown
        self.at = 0
        self.first = Line(0, 0, "", 0)
        """Of the paragraph that is being read."""

    def blocks(self) -> Iterator[Block]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.blank or (self.markdown and (_RULE.match(line.text) or _FENCE.match(line.text))):
                self.at += 1
            elif (table := self._table()) is not None:
                yield table
            elif (heading := self._heading(line)) is not None:
                yield heading
            else:
                yield self._paragraph()

    # --- tables -------------------------------------------------------------------------------------------------------

    def _table(self) -> Block | None:
        """A table of pipes: a row, a row of dashes, rows; in plain text also at least two rows of one width."""
        first = self.lines[self.at]
        if "|" not in first.text:
            return None
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else None
        delimited = following is not None and _DELIMITER.match(following.text) and "-" in following.text
        if not delimited and not (first.text.startswith("|") and first.text.count("|") > 2):
            return None
        rows: list[tuple[GridCell, ...]] = []
        last = first
        while self.at < len(self.lines) and "|" in self.lines[self.at].text:
            line = self.lines[self.at]
            if not _DELIMITER.match(line.text) or "-" not in line.text:
                rows.append(tuple(cells_of_line(self.text, line)))
            last = line
            self.at += 1
        return Block(BlockKind.TABLE, first.start, last.end, rows=tuple(rows), headed=1 if delimited else 0)

    # --- headings -----------------------------------------------------------------------------------------------------

    def _heading(self, line: Line) -> Block | None:
        if match := _ATX.match(line.text):
            if not self.markdown:
                return None
            self.at += 1
            start = line.start + match.end()
            end = line.start + len(line.text.rstrip("# \t"))
            return Block(BlockKind.HEADING, *bare(self.text, start, max(start, end)), level=len(match[1]))
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else None
        if self.markdown and following is not None and _SETEXT.match(following.text) and "|" not in line.text:
            self.at += 2
            return Block(BlockKind.HEADING, line.start, line.end, level=1 if "=" in following.text else 2)
        if level := heading_level(line.text):
            if following is not None and not following.blank and not self._starts(following, line):
                return None  # a line of a paragraph
            self.at += 1
            return Block(BlockKind.HEADING, *bare(self.text, line.start, line.end), level=level)
        return None

    # --- paragraphs ---------------------------------------------------------------------------------------------------

    def _paragraph(self) -> Block:
        first = self.first = self.lines[self.at]
        self.at += 1
        last = first
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.blank or self._starts(line, last):
                break
            last = line
            self.at += 1
        kind = BlockKind.ITEM if _MARK.match(first.text) else BlockKind.PARAGRAPH
        return Block(kind, first.start, last.end)

    def _next_number(self, said: str) -> bool:
        """Whether a line goes on with the numbers of a list that the paragraph began with."""
        one, other = _COUNTED.match(self.first.text), _COUNTED.match(said)
        return one is not None and other is not None and int(other[1]) == int(one[1]) + 1

    def _starts(self, line: Line, above: Line) -> bool:
        """Whether `line` begins a block of its own, though no blank line stands above it."""
        said = line.text
        if _MARK.match(said) or said.startswith(("|", "#", ">", "```")) or (self.markdown and _RULE.match(said)):
            return True
        if is_pair(said) or is_pair(above.text):
            return True
        if _NUMBERED.match(said) and (
            _ENDS.search(above.text) or re.match(r"\d+\.\d", said) or heading_level(above.text)
        ):
            return True
        if self._next_number(said):
            return True
        wrapped = len(above.text) >= 0.6 * self.widest
        return not wrapped and not said[0].islower()


_COUNTED = re.compile(r"(\d{1,3})[.)]\s")


def cells_of_line(text: str, line: Line) -> Iterator[GridCell]:
    """The cells between pipes; an escaped pipe does not part."""
    start, end = line.start, line.end
    if text[start] == "|":
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2 : end - 1] != "\\":
        end -= 1
    for match in re.finditer(r"(?:[^|\\]|\\.|\\$)*(?:\||$)", text[start:end], re.DOTALL):
        if match.start() == match.end() and match.start() > 0 and text[start + match.start() - 1] != "|":
            break
        raw = match[0].removesuffix("|")
        said = raw.strip()
        at = start + match.start() + (raw.index(said) if said else 0)
        yield GridCell(*bare(text, at, at + len(said)))
        if not match[0].endswith("|"):
            break


def bare(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without marks of emphasis that enclose all of it, and without space around it."""
    while True:
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if end - start < 3 or text[start] not in "*_`":
            return start, end
        for mark in ("***", "___", "**", "__", "*", "_", "`"):
            inner = text[start + len(mark) : end - len(mark)]
            if (
                end - start > 2 * len(mark)
                and text.startswith(mark, start)
                and text.endswith(mark, start, end)
                and mark[0] not in inner
            ):
                start, end = start + len(mark), end - len(mark)
                break
        else:
            return start, end


def heading_level(said: str) -> int:
    """The level of a line that heads a section by how it is written; 0 if it does not."""
    plain = said.strip("*_ ")
    if not plain or len(plain) > LONGEST_HEADING or _ENDS.search(plain.rstrip("*_")) or "|" in plain:
        return 0
    if plain.count("  ") > 2 or "\t" in plain or plain.startswith("(") or not re.search(r"[^\W\d_]{2}", plain):
        return 0
    numbered = _NUMBERED.match(plain)
    title = plain[numbered.end() :] if numbered else plain
    shouted = title.upper() == title and bool(re.search(r"[A-ZÀ-Ž]{3}", title)) and not re.search(r"\d[\d.,]{2}", title)
    if (
        numbered
        and title
        and (shouted or (len(title.split()) <= 7 and title[0].isupper() and not re.search(r"\d", title)))
    ):
        return 3 + numbered[0].strip(" .)").count(".")
    if _NAMED_SECTION.match(plain) and len(plain.split()) <= 10:
        return 2
    return 2 if shouted and len(title.split()) <= 12 else 0


_PAIR = re.compile(r"(?:[-*+•]\s+)?[*_]{0,3}([^\W_][^:|\n]{0,58}?)[*_]{0,3}\s?:[*_]{0,3}\s+(?=\S)([^\n]*)$")


def pair_at(text: str, start: int, end: int) -> tuple[int, int, int, int] | None:
    """Where key and value of a key-value line stand; None if it is none."""
    match = _PAIR.match(text, start, end)
    if match is None or not _is_key(match[1]):
        return None
    value = match[2].strip()
    words = value.split()
    if len(words) > 25 or (len(words) > 7 and re.search(r"[.;]$", value)) or not words:
        return None
    key = bare(text, match.start(1), match.end(1))
    return (*key, *bare(text, match.start(2), match.start(2) + len(match[2].rstrip())))


def is_pair(said: str) -> bool:
    """Whether a line is a key and its value."""
    return pair_at(said, 0, len(said)) is not None


def _is_key(key: str) -> bool:
    words = key.split()
    return 0 < len(words) <= 6 and not re.search(r"[.!?;]\s|\b(?:follows?|following|that|because)$|https?$", key)
