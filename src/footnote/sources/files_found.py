"""What was read from a folder of files: which file and sheet became which table, with which types, and what did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

ROW = "file_row"
"""The column that every table of a folder has beside its own: the row of the file, as a spreadsheet counts it."""


@dataclass(frozen=True, slots=True)
class ColumnFound:
    """A column of a file.

    Attributes:
        name: As the header has it.
        type: DuckDB's word for what it was read as.
        note: What an operator should know of it, as a sentence without any value; empty if nothing.
    """

    name: str
    type: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableFound:
    """A file or sheet that became a table.

    Attributes:
        name: The table's.
        file: The file's name.
        sheet: The sheet's name, or empty.
        rows: How many.
        how: What it was read with, such as "UTF-8, divided by ;".
        columns: In the file's order.
        note: What an operator should know of it, as a sentence without any value; empty if nothing.
    """

    name: str
    file: str
    sheet: str
    rows: int
    how: str
    columns: tuple[ColumnFound, ...]
    note: str = ""

    @property
    def place(self) -> str:
        """File and sheet in words."""
        return f"{self.file}, sheet {self.sheet}" if self.sheet else self.file


@dataclass(frozen=True, slots=True)
class Unread:
    """What is in the folder and was not read.

    Attributes:
        place: File, or file and sheet.
        why: As a sentence.
        state: `failed` if it looks like a table; `skipped` if it is something else.
    """

    place: str
    why: str
    state: Literal["failed", "skipped"] = "failed"


@dataclass(frozen=True, slots=True)
class Found:
    """One state of a folder."""

    tables: tuple[TableFound, ...] = ()
    unread: tuple[Unread, ...] = ()


TOTALS = frozenset(
    (
        "total",
        "totals",
        "grand total",
        "sum",
        "summe",
        "gesamt",
        "gesamtsumme",
        "razem",
        "suma",
        "somme",
        "total général",
        "totale",
        "celkem",
        "összesen",
    )
)
"""What a row of totals is called, in lower case."""


def note_on(last: Sequence[str]) -> str:
    """What there is to say of a table by its last row: one of totals would be added up with the rows above it."""
    words = {cell.strip().rstrip(":").casefold() for cell in last}
    if words & TOTALS:
        return "Its last row looks like one of totals, and is a row like any other: take it out, or it is added up as well."
    return ""


class NotATableError(Exception):
    """A file or sheet that cannot be read as a table; the text says why, as a sentence without any value."""
