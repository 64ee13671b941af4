"""What a reader hands over: the text of a file, and where its blocks stand in it.

A reader knows a format; everything behind it (sentences, tables, sections) is the same for all formats. Pure.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class BlockKind(StrEnum):
    """What a block is to its reader."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell as the format has it; an empty one has `start == end`."""

    start: int
    end: int
    span: int = 1
    """Columns that it covers."""
    address: str = ""
    header: bool = False
    """The format itself says that it heads a column."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a file in reading order.

    Attributes:
        kind: What it is.
        start: In code points of the text.
        end: Behind it.
        level: Of a heading, from 1.
        rows: Of a table: its cells.
        headed: Of a table: rows that the format says are its head.
        caption: Of a table: where its caption stands, if the format marks one.
        page: From 1.
        sheet: Of a workbook.
        sent: Of a message.
        sender: Of a message.
        quoted: It repeats another message.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    rows: tuple[tuple[GridCell, ...], ...] = ()
    headed: int = 0
    caption: tuple[int, int] | None = None
    page: int | None = None
    sheet: str = ""
    sent: dt.datetime | None = None
    sender: str = ""
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A file inside a file: an attachment."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Extract:
    """A file as read.

    Attributes:
        type: markdown, text, html, pdf, docx, xlsx, csv or eml.
        text: As extracted.
        blocks: In reading order.
        title: As the format says (a document property, a subject); empty otherwise.
        date: As the format says (the date of a message).
        meta: Front matter.
        problems: What could not be read, in sentences.
        parts: Files inside it.
    """

    type: str
    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    date: dt.date | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()


class TextBuilder:
    """Builds the text of a format that has none of its own, and tells where each piece stands."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0

    def add(self, text: str) -> tuple[int, int]:
        """Append `text`; where it stands."""
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        return start, self._length

    def __len__(self) -> int:
        return self._length

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._pieces)
