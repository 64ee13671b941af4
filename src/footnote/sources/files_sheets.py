"""Workbooks, staged as CSV: one file a sheet, every cell by what it is in the workbook, never by what its text looks like.

A number in a workbook is a 64-bit float, and a spreadsheet shows 15 digits of one: so a cell is the decimal of these 15
digits, and a column in which that drops anything says so. A formula counts as its last computed value; a sheet with one
that was never computed is not read, since nothing is not zero. Cells of several kinds make a column of texts.
"""

from __future__ import annotations

import csv
import datetime as dt
import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnote.errors import UsageError
from footnote.sources.files_found import NotATableError, note_on
from footnote.sources.files_package import DAMAGED, damaged, require_readable
from footnote.sources.files_text import checked_header
from footnote.sources.files_types import EMPTY_COLUMN, TEXT, Decided, decimal_of

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook

_DIGITS = 15
_NO_TEXT = "str"
"""Kind of a cell without a value whose formula was computed, and gave a text without a letter."""
_WORDS = {"number": "numbers", "day": "days", "moment": "moments", "boolean": "true or false", "text": "texts"}


@dataclass
class _Seen:
    """What the cells of a column were, so far."""

    kinds: dict[str, int] = field(default_factory=dict)
    whole: int = 1
    scale: int = 0
    longer: int = 0

    def note(self, kind: str, text: str) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if kind == "number":
            before, _, after = text.lstrip("-").partition(".")
            self.whole, self.scale = max(self.whole, len(before)), max(self.scale, len(after))


@dataclass(frozen=True, slots=True)
class StagedSheet:
    """A sheet that was staged.

    Attributes:
        sheet: Its name.
        hidden: Whether a reader of the workbook does not see it.
        file: The staged file.
        header: Names of its columns.
        rows: How many, without the header.
        columns: What each column is.
        unread: Why it is no table, as a sentence; empty if it is one.
        note: What an operator should know of it.
    """

    sheet: str
    hidden: bool
    file: Path
    header: tuple[str, ...] = ()
    rows: int = 0
    columns: tuple[Decided, ...] = ()
    unread: str = ""
    note: str = ""


def stage_workbook(source: Path, folder: Path) -> list[StagedSheet]:
    """Stage every sheet that is not empty.

    Args:
        source: The workbook.
        folder: Where staged files go.

    Raises:
        NotATableError: It is no workbook, or is damaged or protected by a password.
        UsageError: openpyxl is not installed.
    """
    found: list[StagedSheet] = []
    require_readable(source)
    with closing(_opened(source, values=True)) as values, closing(_opened(source, values=False)) as formulas:
        for place, sheet in enumerate(values.worksheets):
            staged = folder / f"sheet-{place}.csv"
            hidden = sheet.sheet_state != "visible"
            try:
                one = _stage_sheet(sheet, formulas.worksheets[place], staged, hidden=hidden)
            except NotATableError as error:
                found.append(StagedSheet(sheet.title, hidden, staged, unread=str(error)))
            else:
                found += [one] if one else []
    return found


def _opened(source: Path, *, values: bool) -> Workbook:
    try:
        import openpyxl
    except ImportError:
        raise UsageError(
            "The reader for Excel is not installed.",
            remedy="Install it with: pip install 'footnote-provenance[files]'.",
        ) from None
    try:
        return openpyxl.load_workbook(source, read_only=True, data_only=values, keep_links=False)
    except DAMAGED:
        raise damaged() from None


def _stage_sheet(sheet: Any, formulas: Any, target: Path, *, hidden: bool) -> StagedSheet | None:
    rows = _readable(_rows(sheet, formulas))
    first = next(rows, None)
    if first is None:
        return None
    header = checked_header(_header(first[1]))
    seen = [_Seen() for _ in header]
    count, texts = 0, [""]
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for number, cells in rows:
            if any(cell is not None for cell in cells[len(header) :]):
                raise NotATableError(f"Row {number:,} has a value beyond the last column that has a name.")
            padded = [*cells, *[None] * len(header)][: len(header)]
            texts = list(map(_text, padded, seen))
            writer.writerow([number, *texts])
            count += 1
    return StagedSheet(sheet.title, hidden, target, header, count, tuple(map(_decided, seen)), note=note_on(texts))


def _readable(rows: Iterator[tuple[int, list[Any]]]) -> Iterator[tuple[int, list[Any]]]:
    """The rows as they come; what the reader stumbles over, such as a date that is none, is said as what it is."""
    number = 0
    try:
        for number, cells in rows:
            yield number, cells
    except DAMAGED:
        raise NotATableError(f"Behind row {number:,} stands a cell that cannot be read: it is damaged.") from None


def _rows(sheet: Any, formulas: Any) -> Iterator[tuple[int, list[Any]]]:
    """Every row that is not blank, with its number; formulas are looked at beside their values."""
    sheet.reset_dimensions()  # what the file says of its size is often wrong
    formulas.reset_dimensions()
    pairs = zip(sheet.iter_rows(), formulas.iter_rows(), strict=False)
    for number, (row, written) in enumerate(pairs, 1):
        for cell, formula in zip(row, written, strict=False):
            if cell.value is None and cell.data_type != _NO_TEXT and formula.data_type == "f":
                raise NotATableError(
                    f"Cell {formula.coordinate} is a formula that was never computed: open and save the workbook once."
                )
        values = [cell.value for cell in row]
        if any(value is not None and value != "" for value in values):
            yield number, [None if value == "" else value for value in values]


def _header(cells: list[Any]) -> list[str]:
    while cells and cells[-1] is None:
        cells = cells[:-1]
    if any(not isinstance(cell, str | None) for cell in cells):
        raise NotATableError("Its first row is no header: it holds something else than names.")
    return [cell or "" for cell in cells]


def _text(value: Any, seen: _Seen) -> str:
    """A cell as it is staged; empty for none."""
    if value is None:
        return ""
    kind, text = _kind_and_text(value, seen)
    if "\0" in text:
        raise NotATableError("A cell holds a NUL character.")
    seen.note(kind, text)
    return text


def _kind_and_text(value: Any, seen: _Seen) -> tuple[str, str]:
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, int):
        return "number", str(value)
    if isinstance(value, float):
        return ("number", _shown(value, seen)) if math.isfinite(value) else ("text", str(value))
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time()
        return ("day", value.date().isoformat()) if midnight else ("moment", value.isoformat(" "))
    if isinstance(value, dt.date):
        return "day", value.isoformat()
    return "text", str(value)


def _shown(value: float, seen: _Seen) -> str:
    """The decimal of 15 digits that a spreadsheet shows of a float."""
    shown = f"{value:.{_DIGITS}g}"
    if float(shown) != value:
        seen.longer += 1
    number = Decimal(shown)
    plain = f"{number.normalize():f}"
    return "0" if plain == "-0" else plain


def _decided(seen: _Seen) -> Decided:
    kinds = set(seen.kinds)
    if not kinds:
        return EMPTY_COLUMN
    if kinds == {"number"}:
        number = decimal_of(seen.whole, seen.scale, "{v}")
        if seen.longer and not number.note:
            note = f"{seen.longer:,} of its numbers have more than the {_DIGITS} digits that a spreadsheet shows; they are read as shown."
            return Decided(number.type, number.cast, note)
        return number
    if kinds == {"day"}:
        return Decided("DATE", "CAST({v} AS DATE)")
    if kinds <= {"day", "moment"}:
        return Decided("TIMESTAMP", "CAST({v} AS TIMESTAMP)")
    if kinds == {"boolean"}:
        return Decided("BOOLEAN", "{v} = 'true'")
    if kinds == {"text"}:
        return TEXT
    parts = ", ".join(f"{count:,} {_WORDS[kind]}" for kind, count in sorted(seen.kinds.items()))
    return Decided("VARCHAR", note=f"Its cells are of several kinds ({parts}): it is left as text.")
