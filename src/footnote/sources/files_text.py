"""CSV in any encoding and with any delimiter, staged as one canonical form: UTF-8, commas, every value in quotes.

An encoding is not guessed: a byte order mark says it, or the bytes are valid UTF-8, or the URL says it. A delimiter is
taken if it is the only one under which every row is as wide as the header. An empty cell is NULL. The first column
staged is the row's number in the file as a spreadsheet counts it, blank rows included.
"""

from __future__ import annotations

import codecs
import csv
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from footnote.sources.files_found import ROW, NotATableError, note_on
from footnote.sources.files_options import DELIMITERS, FileOptions

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a pipe"}
_SAMPLE = 200
_BLOCK = 1 << 20
_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Staged:
    """A text that was staged.

    Attributes:
        header: Names of the columns.
        rows: How many, without the header.
        how: What it was read with.
        note: What an operator should know of it.
    """

    header: tuple[str, ...]
    rows: int
    how: str
    note: str = ""


def stage_text(source: Path, target: Path, options: FileOptions) -> Staged:
    """Read a CSV file and write it in the canonical form.

    Raises:
        NotATableError: Its encoding or delimiter cannot be told, or its rows are not all as wide as its header.
    """
    codec, encoding = _encoding(source, options)
    csv.field_size_limit(_LONGEST)
    delimiter = options.delimiter or _delimiter(source, codec)
    with source.open(encoding=codec, newline="") as text, target.open("w", encoding="utf-8", newline="") as staged:
        rows = _rows(text, delimiter)
        _, first = next(rows, (0, []))
        header = checked_header(first)
        count, note = _write(staged, rows, header)
    divided = f", divided by {_NAMES[delimiter]}" if len(header) > 1 else ""
    return Staged(header, count, f"{encoding}{divided}", note)


def _write(staged: IO[str], rows: Iterator[tuple[int, list[str]]], header: Sequence[str]) -> tuple[int, str]:
    writer = csv.writer(staged, quoting=csv.QUOTE_ALL, lineterminator="\n")
    count, width = 0, len(header)
    row: list[str] = []
    for number, row in rows:
        if len(row) != width:
            raise NotATableError(f"Row {number:,} has {len(row)} columns, and the header has {width}.")
        if any("\0" in cell for cell in row):
            raise NotATableError(f"Row {number:,} holds a NUL character.")
        writer.writerow([number, *row])
        count += 1
    return count, note_on(row)


def checked_header(names: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns, without space around them.

    Raises:
        NotATableError: One is missing, is there twice, or looks like a value.
    """
    header = tuple(name.strip() for name in names)
    if not header:
        raise NotATableError("It is empty.")
    missing = next((place for place, name in enumerate(header, 1) if not name), None)
    if missing is not None:
        raise NotATableError(f"Its first row is no header: column {missing} has no name.")
    seen: set[str] = set()
    for name in header:
        folded = name.lower()
        if folded in seen or folded == ROW:
            raise NotATableError(f"Its header has the column {name!r} twice, or by the name Footnote needs ({ROW}).")
        if not name.isprintable():
            raise NotATableError("A name in its header holds a line break or an invisible character.")
        seen.add(folded)
    if not any(letter.isalpha() for name in header for letter in name):
        raise NotATableError("Its first row is no header: there is no name in it.")
    return header


# --- encoding ---------------------------------------------------------------------------------------------------------


def _encoding(source: Path, options: FileOptions) -> tuple[str, str]:
    """Codec, and what to call it."""
    with source.open("rb") as file:
        start = file.read(4)
    for mark, codec, name in _MARKS:
        if start.startswith(mark):
            _require(source, codec, f"It begins as {name}, and then is not.")
            return codec, name
    if _decodes(source, "utf-8"):
        return "utf-8", "UTF-8"
    if options.encoding:
        _require(source, options.encoding, f"It is neither UTF-8 nor {options.encoding}.")
        return options.encoding, options.encoding
    raise NotATableError(
        "It is not UTF-8, and which encoding it has cannot be told from its bytes. Say it in the URL, such as "
        "?encoding=cp1252 (Windows, Western Europe) or ?encoding=cp1250 (Central Europe)."
    )


def _decodes(source: Path, codec: str) -> bool:
    decoder = codecs.getincrementaldecoder(codec)()
    with source.open("rb") as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _require(source: Path, codec: str, otherwise: str) -> None:
    if not _decodes(source, codec):
        raise NotATableError(otherwise)


# --- rows and delimiter -----------------------------------------------------------------------------------------------


def _rows(text: IO[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Every row that is not blank, with its number; a row over several lines counts once."""
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    number = 0
    try:
        for row in reader:
            number += 1
            if row and any(row):
                yield number, row
    except csv.Error as error:
        raise NotATableError(f"Row {number + 1:,} is not CSV: {error}.") from None


def _delimiter(source: Path, codec: str) -> str:
    """The delimiter under which the first rows are all as wide as the header, and wider than one column."""
    fits: list[str] = []
    for delimiter in DELIMITERS:
        with source.open(encoding=codec, newline="") as text:
            try:
                widths = [len(row) for _, row in itertools.islice(_rows(text, delimiter), _SAMPLE)]
            except NotATableError:
                continue
        if widths and widths[0] > 1 and len(set(widths)) == 1:
            fits.append(delimiter)
    if len(fits) > 1:
        shown = " and ".join(_NAMES[mark] for mark in fits)
        raise NotATableError(
            f"Its columns may be divided by {shown}. Say which in the URL, such as ?delimiter=semicolon."
        )
    return fits[0] if fits else _only_column(source, codec)


def _only_column(source: Path, codec: str) -> str:
    """A delimiter for a file of one column: none of them may divide its header."""
    with source.open(encoding=codec, newline="") as text:
        _, header = next(_rows(text, ","), (0, [""]))
    if sum(",".join(header).count(mark) for mark in DELIMITERS):
        raise NotATableError(
            "Its rows are not all as wide as its header, whatever divides the columns. A table begins in the first row "
            "with the names of its columns, and nothing stands above or below it."
        )
    return ","
