"""The package that a workbook is, looked through before it is read: what would fill the machine, and what would lose rows.

A reader of workbooks fills the gap before a row by blank rows, whatever its number, passes over a row that stands behind a
later one, and takes the last of two cells in one place. So rows and cells have to come in their order, as spreadsheets
write them, and no row lies beyond the last one that a spreadsheet has.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path
from xml.parsers import expat

from footnote.sources.files_found import NotATableError

DAMAGED = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What readers of packages and workbooks raise over one that is damaged."""
MOST_BYTES = 2 << 30
"""How large a workbook may be when it is unpacked."""
MOST_ROWS = 1 << 20
"""How many rows a sheet has in a spreadsheet."""
_STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})\Z")
_BLOCK = 1 << 20


class _OtherPartError(Exception):
    """The part is no sheet."""


def require_readable(source: Path) -> None:
    """Look through a workbook without reading a value.

    Raises:
        NotATableError: It is no package or is damaged, would be too large, or has rows or cells that are not in order.
    """
    try:
        with zipfile.ZipFile(source) as package:
            parts = package.infolist()
            unpacked = sum(part.file_size for part in parts)
            if unpacked > MOST_BYTES:
                raise NotATableError(
                    f"It would be {unpacked >> 20:,} MiB when it is unpacked, and at most {MOST_BYTES >> 20:,} are read: "
                    "save its sheets as CSV."
                )
            for part in parts:
                if part.filename.lower().endswith(".xml"):
                    _look_through(package, part)
    except (*DAMAGED, expat.ExpatError):
        raise damaged() from None


def damaged() -> NotATableError:
    """What there is to say of a workbook that nobody can read."""
    return NotATableError("It is no workbook that can be read: it is damaged, or protected by a password.")


def _look_through(package: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Look through one part, to its end if it is a sheet."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = _Sheet().begin
    with package.open(part) as file:
        try:
            while block := file.read(_BLOCK):
                parser.Parse(block, False)
            parser.Parse(b"", True)
        except _OtherPartError:
            return


class _Sheet:
    """The rows and cells of a sheet so far."""

    def __init__(self) -> None:
        self._is_inside = False
        self._row = 0
        self._column = (0, "")

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        local = name.rpartition(":")[2]
        if not self._is_inside:
            self._begin_part(local, attributes)
        elif local == "row":
            self._begin_row(attributes.get("r"))
        elif local == "c":
            self._begin_cell(attributes.get("r"))

    def _begin_part(self, local: str, attributes: dict[str, str]) -> None:
        if local in ("worksheet", "workbook") and _STRICT in attributes.values():
            raise NotATableError("It is a workbook of the kind “Strict Open XML”: save it as the usual kind of .xlsx.")
        if local != "worksheet":
            raise _OtherPartError
        self._is_inside = True

    def _begin_row(self, given: str | None) -> None:
        number = self._row + 1 if given is None else int(given)
        if number <= self._row:
            raise NotATableError(f"Its rows are not in order: row {number:,} stands behind row {self._row:,}.")
        if number > MOST_ROWS:
            raise NotATableError(f"It has a row {number:,}, and a sheet has at most {MOST_ROWS:,}.")
        self._row, self._column = number, (0, "")

    def _begin_cell(self, given: str | None) -> None:
        if given is None:
            return
        place = _CELL.match(given)
        if place is None or int(place[2]) != self._row or (column := (len(place[1]), place[1])) <= self._column:
            raise NotATableError(f"Its cells are not in order: {given[:20]!r} stands in row {self._row:,}.")
        self._column = column
