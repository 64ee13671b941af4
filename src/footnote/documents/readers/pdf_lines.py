"""Lines of a PDF page from its letters: words that stand close are one segment, a wide gap parts two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

WIDE = 0.7
"""A gap of so many times the height of the letters parts two segments."""

WIDE_OF_VALUES = 0.4
"""The same between two numbers."""


_DIGITS = "0123456789().,%$€£"

MARGIN = 60.0
"""Points at the top and the bottom of a page in which running heads and feet stand."""

_WORD = re.compile(r"[^\s\x00\x02\ufffe]+")
_NOTHING = {0xFFFF: None}


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of one line that belong together."""

    left: float
    right: float
    text: str


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page; `y` is its baseline from below, in points."""

    y: float
    height: float
    segments: tuple[Segment, ...]
    in_margin: bool = False
    """It stands where pages have their running heads and feet."""

    @property
    def text(self) -> str:
        """Its segments with one space between them."""
        return " ".join(segment.text for segment in self.segments)


@dataclass(slots=True)
class _Word:
    left: float
    right: float
    bottom: float
    top: float
    text: str


def lines_of_page(document: Any, number: int) -> list[PageLine]:
    """The lines of a page in reading order."""
    page = document[number]
    text = page.get_textpage()
    try:
        _, height = page.get_size()
        lines = [_line(words) for words in _rows(_words(text))]
        return [replace(line, in_margin=not MARGIN < line.y < height - MARGIN) for line in lines]
    finally:
        text.close()
        page.close()


def _words(text: Any) -> Iterator[_Word]:
    """Words with their boxes, from those of their first and last letters: the library parts words by their gaps."""
    import pypdfium2.raw as pdfium

    count = text.count_chars()
    said = text.get_text_range() if count else ""
    if len(said) != count:  # a letter beyond the first plane counts twice for the library
        said = "".join(_letter(pdfium.FPDFText_GetUnicode(text, at)) for at in range(count))
    first, last = pdfium.FS_RECTF(), pdfium.FS_RECTF()
    for match in _WORD.finditer(said):
        pdfium.FPDFText_GetLooseCharBox(text, match.start(), first)
        pdfium.FPDFText_GetLooseCharBox(text, match.end() - 1, last)
        right = max(first.right, last.right)
        bottom, top = min(first.bottom, last.bottom), max(first.top, last.top)
        yield _Word(first.left, right, bottom, top, match[0].translate(_NOTHING))


def _letter(code: int) -> str:
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "


def _rows(words: Iterable[_Word]) -> Iterator[list[_Word]]:
    """Words by line; a line of the page's own order goes on where its letters stand at the same height further right."""
    row: list[_Word] = []
    for word in words:
        if row and not _same_line(row, word):
            yield row
            row = []
        row.append(word)
    if row:
        yield row


def _same_line(row: Sequence[_Word], word: _Word) -> bool:
    last = row[-1]
    bottom = min(w.bottom for w in row[-3:])
    top = max(w.top for w in row[-3:])
    shared = min(top, word.top) - max(bottom, word.bottom)
    lower = min(top - bottom, word.top - word.bottom)
    return shared > 0.4 * lower - 0.01 and word.left > last.left - 1 and word.left > last.right - 3


def _line(words: Sequence[_Word]) -> PageLine:
    height = max(w.top - w.bottom for w in words) or 1.0
    segments: list[Segment] = []
    for word in words:
        gap = word.left - segments[-1].right if segments else 0.0
        numbers = bool(segments) and segments[-1].text[-1:] in _DIGITS and word.text[:1] in _DIGITS
        if segments and gap <= (WIDE_OF_VALUES if numbers else WIDE) * height:
            last = segments[-1]
            segments[-1] = Segment(last.left, max(last.right, word.right), f"{last.text} {word.text}")
        else:
            segments.append(Segment(word.left, word.right, word.text))
    return PageLine(min(w.bottom for w in words), height, tuple(segments))
