"""Workbooks that are damaged, hostile or of another kind: each says why it is not read, and takes nothing with it."""

from __future__ import annotations

import io
import os
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.asking import ask

from footnote.sources import files_package
from footnote.sources.files import FilesSource
from footnote.sources.opening import open_source

SHEET = "xl/worksheets/sheet1.xml"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
USUAL = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
Change = Callable[[bytes], bytes]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "books"
    path.mkdir()
    (path / "good.csv").write_text("id,x\n1,2\n", encoding="utf-8")
    return path


@pytest.fixture
def source(folder: Path, tmp_path: Path) -> Iterator[FilesSource]:
    opened = open_source(f"files://{folder}", cache=tmp_path / "cache")
    assert isinstance(opened, FilesSource)
    yield opened
    opened.close()


def parts_of(*rows: list[object]) -> dict[str, bytes]:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)  # type: ignore[union-attr]
    book.save(file)
    with zipfile.ZipFile(file) as package:
        return {name: package.read(name) for name in package.namelist()}


def packed(path: Path, parts: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)


def with_sheet(path: Path, change: Change) -> None:
    """A workbook with the rows (1, 2.5) and (2, 3.5), in whose sheet something was changed."""
    parts = parts_of(["id", "a"], [1, 2.5], [2, 3.5])
    after = change(parts[SHEET])
    assert after != parts[SHEET]
    packed(path, parts | {SHEET: after})


def why(source: FilesSource) -> str:
    """Why the workbook is not read, which everything else in the folder has to survive."""
    assert ask(source, "SELECT x FROM good") == [(2,)]
    (one,) = source.found().unread
    return one.why


def cell(kind: str, content: str) -> Change:
    return lambda sheet: sheet.replace(b't="n"><v>2.5</v>', f"{kind}>{content}".encode())


@pytest.mark.parametrize(
    "change",
    [
        cell("", "<v>abc</v>"),
        cell('t="d"', "<v>2026-13-45</v>"),
        cell('t="s"', "<v>99</v>"),
        cell('t="b"', "<v>maybe</v>"),
        cell('s="x"', "<v>1</v>"),
        lambda sheet: sheet[: len(sheet) // 2],
        lambda sheet: sheet.replace(b'<row r="3"', b'<row r="third"'),
    ],
    ids=["number", "date", "shared text", "boolean", "style", "cut off", "row"],
)
def test_a_damaged_sheet_is_not_read_and_the_rest_of_the_folder_is(
    folder: Path, source: FilesSource, change: Change
) -> None:
    with_sheet(folder / "b.xlsx", change)
    assert "damaged" in why(source)


def test_a_sheet_that_is_damaged_leaves_the_others_of_its_workbook(folder: Path, source: FilesSource) -> None:
    with_sheet(folder / "b.xlsx", cell("", "<v>abc</v>"))
    with zipfile.ZipFile(folder / "b.xlsx") as package:
        parts = {name: package.read(name) for name in package.namelist()}
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.create_sheet("T").append(["id"])
    book["T"].append([7])
    book.save(file)
    with zipfile.ZipFile(file) as package:
        two = {name: package.read(name) for name in package.namelist()}
    packed(folder / "b.xlsx", two | {SHEET: parts[SHEET]})
    assert ask(source, "SELECT id FROM T") == [(7,)]
    assert "damaged" in why(source)


@given(place=st.integers(0, 10_000), byte=st.integers(0, 255))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_byte_of_a_sheet_is_wrong_nothing_else_fails(
    folder: Path, tmp_path: Path, place: int, byte: int
) -> None:
    def change(sheet: bytes) -> bytes:
        at = place % len(sheet)
        return sheet[:at] + bytes([byte]) + sheet[at + 1 :]

    parts = parts_of(["id", "a"], [1, 2.5], [2, 3.5])
    packed(folder / "b.xlsx", parts | {SHEET: change(parts[SHEET])})
    opened = open_source(f"files://{folder}", cache=tmp_path / "cache")
    assert isinstance(opened, FilesSource)
    try:
        assert ask(opened, "SELECT x FROM good") == [(2,)]
    finally:
        opened.close()


def test_a_row_behind_a_later_one_is_not_dropped_in_silence(folder: Path, source: FilesSource) -> None:
    with_sheet(folder / "b.xlsx", lambda sheet: sheet.replace(b'r="3"', b'r="2"').replace(b'3"', b'2"'))
    assert "rows are not in order: row 2 stands behind row 2" in why(source)


def test_of_two_cells_in_one_place_none_is_taken(folder: Path, source: FilesSource) -> None:
    with_sheet(folder / "b.xlsx", lambda sheet: sheet.replace(b'r="B3"', b'r="A3"'))
    assert "cells are not in order: 'A3' stands in row 3" in why(source)


@pytest.mark.parametrize("number", [1_048_577, 99_999_999_999])
def test_a_row_beyond_the_last_of_a_sheet_is_not_waited_for(folder: Path, source: FilesSource, number: int) -> None:
    with_sheet(folder / "b.xlsx", lambda sheet: re.sub(rb'r="(A?B?)3"', f'r="\\g<1>{number}"'.encode(), sheet))
    assert "a sheet has at most 1,048,576" in why(source)


def test_a_workbook_that_unpacks_to_more_than_is_read_is_refused(
    folder: Path, source: FilesSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_package, "MOST_BYTES", 8 << 20)
    with_sheet(folder / "b.xlsx", lambda sheet: sheet.replace(b"</sheetData>", b"</sheetData>" + b" " * (9 << 20)))
    assert (folder / "b.xlsx").stat().st_size < 1 << 20
    assert "It would be 9 MiB when it is unpacked, and at most 8 are read" in why(source)


def test_the_strict_kind_of_workbook_is_named_and_not_called_empty(folder: Path, source: FilesSource) -> None:
    parts = parts_of(["id", "a"], [1, 2.5])
    packed(folder / "b.xlsx", {n: content.replace(USUAL.encode(), STRICT.encode()) for n, content in parts.items()})
    assert "Strict Open XML" in why(source)


def test_a_formula_that_gave_an_empty_text_is_an_empty_cell(folder: Path, source: FilesSource) -> None:
    with_sheet(folder / "b.xlsx", cell('t="str"', '<f>IF(A2=1,"",A2)</f><v></v>'))
    assert ask(source, "SELECT id FROM b WHERE a IS NULL") == [(1,)]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
@pytest.mark.parametrize(
    ("name", "shown"), [(b"b\xff.csv", r"b\udcff.csv"), (b"b\n.csv", r"b\n.csv"), (b"b\x1b[31m.csv", r"b\x1b[31m.csv")]
)
def test_a_file_whose_name_cannot_be_shown_is_said_and_the_others_are_read(
    folder: Path, source: FilesSource, name: bytes, shown: str
) -> None:
    (folder / os.fsdecode(name)).write_text("id\n1\n", encoding="utf-8")
    assert "rename it" in why(source)
    assert [one.place for one in source.found().unread] == [shown]
