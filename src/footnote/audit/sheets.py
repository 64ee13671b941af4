"""Sheets of a workbook that are written row by row, in memory that does not grow: typed cells, and nothing that runs.

Text is always text, also where it starts with =, +, - or @, looks like a number, or like a link. Numbers of more than 15
significant digits, which a spreadsheet would round, are text as well. What no cell can hold is cut, and says so.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from footnote.errors import TooManyRows, UsageError
from footnote.figures import Value
from footnote.figures.values import plain

EXACT_DIGITS: Final = 15
"""Significant digits of a number that a spreadsheet keeps (IEEE 754 doubles, as Excel shows and saves them)."""

MOST_ROWS: Final = 1_048_576
LONGEST_TEXT: Final = 32_767

_CUT: Final = " … (cut here; the whole text is in the bundle)"
_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_FIRST_DAY: Final = dt.date(1900, 3, 1)
"""Spreadsheets believe in a 29 February 1900; days before are text."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of our own making, with the value it has now: for readers that do not calculate."""

    text: str
    value: Decimal | int | str
    scale: int = 2


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading and width in characters."""

    title: str
    width: int


class Sheet:
    """One sheet, filled from the top."""

    def __init__(self, book: Book, name: str, columns: Sequence[Column]) -> None:
        self._book = book
        self._sheet: Any = book.workbook.add_worksheet(name)
        self.name = name
        self.rows = 0
        """Rows written, the heading among them; the next one is `rows + 1` as a spreadsheet counts."""
        self._widths = [column.width for column in columns]
        for number, width in enumerate(self._widths):
            self._sheet.set_column(number, number, width)
        self._sheet.freeze_panes(1, 0)
        self._sheet.set_landscape()
        self._sheet.set_paper(9)
        self._sheet.fit_to_pages(1, 0)
        self._sheet.repeat_rows(0)
        self._sheet.set_footer("&L&8&F · &A&R&8&P / &N")
        self.add([column.title for column in columns], bold=True)

    def add(self, cells: Sequence[Value | Formula], *, bold: bool = False) -> None:
        """Write a row.

        Raises `TooManyRows` beyond what a sheet may have.
        """
        if self.rows >= MOST_ROWS:
            raise TooManyRows(
                f"The sheet {self.name} would have more than {MOST_ROWS:,} rows, and no spreadsheet has.",
                remedy="Select fewer records, or export a bundle.",
            )
        lines = max((_lines(cell, width) for cell, width in zip(cells, self._widths, strict=False)), default=1)
        if lines > 1:
            self._sheet.set_row(self.rows, min(409, 15 * lines))
        for number, cell in enumerate(cells):
            if cell is not None and cell != "":
                self._write(number, cell, bold)
        self.rows += 1

    def close(self) -> None:
        """Put filters over what was written."""
        self._sheet.autofilter(0, 0, max(self.rows - 1, 0), len(self._widths) - 1)

    def _write(self, column: int, cell: Value | Formula, bold: bool) -> None:
        formats, row = self._book, self.rows
        if isinstance(cell, Formula):
            kept = cell.value if isinstance(cell.value, str) else float(cell.value)
            self._sheet.write_formula(row, column, cell.text, formats.number(cell.scale, bold=bold), kept)
        elif isinstance(cell, bool):
            self._sheet.write_boolean(row, column, cell)
        elif isinstance(cell, (int, Decimal)) and fits(cell):
            scale = 0 if isinstance(cell, int) else max(0, -int(cell.as_tuple().exponent))
            self._sheet.write_number(row, column, cell, formats.number(scale, bold=bold))
        elif isinstance(cell, dt.datetime):
            self._sheet.write_datetime(row, column, cell.replace(tzinfo=None), formats.moment)
        elif isinstance(cell, dt.date) and cell >= _FIRST_DAY:
            self._sheet.write_datetime(row, column, dt.datetime(cell.year, cell.month, cell.day), formats.day)  # noqa: DTZ001
        else:
            text = cell_text(plain(cell) if isinstance(cell, Decimal) else str(cell))
            self._sheet.write_string(row, column, text, formats.heading if bold else formats.text)


class Book:
    """A workbook in a file; its formats, made once."""

    def __init__(self, path: str, created: dt.datetime) -> None:
        self.workbook: Any = _workbook(path)
        self.workbook.set_properties({"title": "Footnote export", "created": created.replace(tzinfo=None)})
        self.workbook.set_calc_mode("auto")
        self.heading: Any = self.workbook.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
        self.text: Any = self.workbook.add_format({"num_format": "@", "text_wrap": True, "valign": "top", "indent": 1})
        self.day: Any = self.workbook.add_format({"num_format": "yyyy-mm-dd", "valign": "top"})
        self.moment: Any = self.workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000", "valign": "top"})
        self._numbers: dict[tuple[int, bool], Any] = {}

    def number(self, scale: int, *, bold: bool = False) -> Any:
        """The format of numbers with so many decimals."""
        key = (min(scale, EXACT_DIGITS), bold)
        if key not in self._numbers:
            decimals = "." + "0" * key[0] if key[0] else ""
            self._numbers[key] = self.workbook.add_format(
                {"num_format": f"#,##0{decimals};-#,##0{decimals}", "bold": bold, "valign": "top"}
            )
        return self._numbers[key]

    def close(self) -> None:
        """Write the file.

        Raises OSError if that is not possible.
        """
        from xlsxwriter.exceptions import FileCreateError  # type: ignore[import-untyped]  # it ships no types

        try:
            self.workbook.close()
        except FileCreateError as error:
            cause = error.args[0] if error.args else error
            raise cause if isinstance(cause, OSError) else OSError(str(cause)) from error


def fits(value: Decimal | int) -> bool:
    """Whether a spreadsheet keeps a number as it is."""
    number = Decimal(value)
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    return (
        len(digits) <= EXACT_DIGITS and number.adjusted() < EXACT_DIGITS and abs(int(number.as_tuple().exponent)) < 30
    )


def cell_text(text: str) -> str:
    """A text as a cell can hold it: what is no character of XML is shown as its code, and what is too long is cut."""
    shown = _NO_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    if _units(shown) > LONGEST_TEXT - 200:
        units = shown.encode("utf-16-le")[: 2 * (LONGEST_TEXT - 200)]
        shown = units.decode("utf-16-le", "ignore") + _CUT
    return shown


def _lines(cell: object, width: int) -> int:
    """About how many lines a text takes in a column of so many characters."""
    if not isinstance(cell, str) or (len(cell) < width and "\n" not in cell):
        return 1
    return sum(1 + len(line) // width for line in cell[:LONGEST_TEXT].split("\n"))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _workbook(path: str) -> Any:
    try:
        import xlsxwriter  # type: ignore[import-untyped]  # it ships no types
    except ImportError as error:
        raise UsageError(
            "A workbook needs the package XlsxWriter, which is not installed.",
            remedy="pip install 'footnote-provenance[audit]'",
        ) from error
    return xlsxwriter.Workbook(
        path,
        {
            "constant_memory": True,
            "strings_to_numbers": False,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "default_date_format": "yyyy-mm-dd",
        },
    )
