"""Lines of a PDF page from its letters: words that stand close are one segment, a wide gap parts two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

WIDE = 0.7
"""A gap of so many times the height of the letters parts two segments."""

WIDE_OF_VALUES = 0.4
"""The same between two numbers."""


_DIGITS = "0123456789().,%$€£"

MARGIN = 60.0
"""Points at the top and the bottom of a page in which running heads and feet stand."""

APART = 0.5
"""A gap of so many times the height of the letters parts two words, even without a space."""


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
        lines = [_line(words) for words in _rows(list(_words(text)))]
        return [replace(line, in_margin=not MARGIN < line.y < height - MARGIN) for line in lines]
    finally:
        text.close()
        page.close()


def _words(text: Any) -> Iterator[_Word | None]:
    """Words with their boxes; None where the page's own order of letters begins a new line."""
    import pypdfium2.raw as pdfium

    count = text.count_chars()
    said = text.get_text_range() if count else ""
    box = pdfium.FS_RECTF()
    word: _Word | None = None
    in_step = len(said) == count
    for at in range(count):
        char = said[at] if in_step else chr(pdfium.FPDFText_GetUnicode(text, at) or 32)
        if char.isspace() or char in "\x00\ufffe\x02":
            if word:
                yield word
                word = None
            if char in "\r\n":
                yield None
            continue
        pdfium.FPDFText_GetLooseCharBox(text, at, box)
        if word and (box.left - word.right > APART * (word.top - word.bottom) or box.left < word.left - 1):
            yield word
            word = None
        if word is None:
            word = _Word(box.left, box.right, box.bottom, box.top, char)
        else:
            word.text += char
            word.right = max(word.right, box.right)
            word.bottom, word.top = min(word.bottom, box.bottom), max(word.top, box.top)
    if word:
        yield word


def _rows(words: Sequence[_Word | None]) -> Iterator[list[_Word]]:
    """Words by line; a line of the page's own order goes on where its letters stand at the same height further right."""
    row: list[_Word] = []
    for word in words:
        if word is None:
            continue
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
