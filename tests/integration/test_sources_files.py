"""A folder of files: what each column becomes, what is refused and why, what is noticed, what is out of reach."""

from __future__ import annotations

import csv
import datetime as dt
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.asking import ask, query, rows

from footnote.connect.role import role_for, role_sql
from footnote.errors import FootnoteError, SourceChanged, SourceUnavailable, UsageError
from footnote.sources.files import DeclaredTable, FilesSource
from footnote.sources.files_found import Found, TableFound
from footnote.sources.opening import open_source
from footnote.sources.query import ValueType

Open = Callable[..., FilesSource]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "books"
    path.mkdir()
    return path


@pytest.fixture
def open_folder(folder: Path, tmp_path: Path) -> Iterator[Open]:
    opened: list[FilesSource] = []

    def open_it(options: str = "", **declared: DeclaredTable) -> FilesSource:
        source = open_source(f"files://{folder}{options}", timeout=5, cache=tmp_path / "cache", declared=declared)
        assert isinstance(source, FilesSource)
        opened.append(source)
        return source

    yield open_it
    for source in opened:
        source.close()


def written(folder: Path, name: str, *lines: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes("\r\n".join([*lines, ""]).encode(encoding))
    return path


def moment(day: int, hour: int = 0, minute: int = 0, second: int = 0, fraction: int = 0) -> dt.datetime:
    return dt.datetime(2026, 8, day, hour, minute, second, fraction)  # noqa: DTZ001 (files know no zone)


def table(found: Found, name: str) -> TableFound:
    return next(one for one in found.tables if one.name == name)


def types(source: FilesSource, name: str) -> dict[str, str]:
    return {column.name: column.type for column in table(source.found(), name).columns}


def notes(source: FilesSource, name: str) -> dict[str, str]:
    return {column.name: column.note for column in table(source.found(), name).columns if column.note}


def why(source: FilesSource, place: str) -> str:
    return next(one.why for one in source.found().unread if one.place == place)


# --- CSV: what a column is --------------------------------------------------------------------------------------------

COLUMNS: dict[str, tuple[list[str], str, list[Any]]] = {
    "whole numbers": (["1", "-20", "0", ""], "BIGINT", [1, -20, 0, None]),
    "codes with zeros in front": (["001", "1010", "7"], "VARCHAR", ["001", "1010", "7"]),
    "a point": (["12.50", "-0.05", "1000"], "DECIMAL(18,2)", [Decimal("12.50"), Decimal("-0.05"), Decimal("1000.00")]),
    "a comma": (["12,5", "0,125"], "DECIMAL(18,3)", [Decimal("12.500"), Decimal("0.125")]),
    "American groups": (["1,234.56", "12"], "DECIMAL(18,2)", [Decimal("1234.56"), Decimal("12.00")]),
    "German groups": (["1.234,56", "-12.000.000,00"], "DECIMAL(18,2)", [Decimal("1234.56"), Decimal("-12000000.00")]),
    "Swiss groups": (["1'234.50", "2’000.00"], "DECIMAL(18,2)", [Decimal("1234.50"), Decimal("2000.00")]),
    "French groups": (["1\u202f234,50", "1\u00a0000\u00a0000,25"], "DECIMAL(18,2)",
                      [Decimal("1234.50"), Decimal("1000000.25")]),
    "groups of two": (["1 23 456,50", "1,5"], "VARCHAR", ["1 23 456,50", "1,5"]),
    "Polish groups": (["1 234,50", "0,25"], "DECIMAL(18,2)", [Decimal("1234.50"), Decimal("0.25")]),
    "many digits": (["1234567890123456789012.5"], "DECIMAL(38,1)", [Decimal("1234567890123456789012.5")]),
    "a long whole number": (["9223372036854775808"], "DECIMAL(38,0)", [Decimal(9223372036854775808)]),
    "too many digits": (["1" * 39], "VARCHAR", ["1" * 39]),
    "days": (["2026-08-14", ""], "DATE", [dt.date(2026, 8, 14), None]),
    "German days": (["14.8.2026", "01.12.2026"], "DATE", [dt.date(2026, 8, 14), dt.date(2026, 12, 1)]),
    "British days": (["14/08/2026", "01/12/2026"], "DATE", [dt.date(2026, 8, 14), dt.date(2026, 12, 1)]),
    "American days": (["08/14/2026", "01/12/2026"], "DATE", [dt.date(2026, 8, 14), dt.date(2026, 1, 12)]),
    "no days": (["2026-02-30", "2026-01-01"], "VARCHAR", ["2026-02-30", "2026-01-01"]),
    "zero days": (["0000-00-00", "2026-01-01"], "VARCHAR", ["0000-00-00", "2026-01-01"]),
    "moments": (["2026-08-14 10:59", "2026-08-14T10:59:01.5"], "TIMESTAMP",
                [moment(14, 10, 59), moment(14, 10, 59, 1, 500000)]),
    "German moments": (["14.08.2026 10:59:00", "14.08.2026 11:00"], "TIMESTAMP",
                       [moment(14, 10, 59), moment(14, 11)]),
    "true and false": (["true", "FALSE"], "BOOLEAN", [True, False]),
    "infinity": (["1.5", "infinity", "NaN"], "VARCHAR", ["1.5", "infinity", "NaN"]),
    "money with its sign": (["$12.50", "$1"], "VARCHAR", ["$12.50", "$1"]),
    "powers": (["1e5", "2"], "VARCHAR", ["1e5", "2"]),
    "texts as they are": (["  a ", 'say "no"', "two\nlines", "x; y, z"], "VARCHAR",
                          ["  a ", 'say "no"', "two\nlines", "x; y, z"]),
}  # fmt: skip


@pytest.mark.parametrize("which", COLUMNS)
def test_a_column_is_what_each_of_its_values_is(folder: Path, open_folder: Open, which: str) -> None:
    values, kind, read = COLUMNS[which]
    with (folder / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["id", "x"], *enumerate(values)])
    source = open_folder()
    assert types(source, "t")["x"] == kind
    assert [value for (value,) in ask(source, "SELECT x FROM t ORDER BY id")] == read
    assert not any(word in kind for word in ("DOUBLE", "FLOAT"))


@pytest.mark.parametrize("values", [["5.678", "12.000"], ["5,678"], ["5/6/2026", "01/12/2026"], ["1-2-2026"]])
def test_what_can_be_read_in_two_ways_stays_text_and_is_said(
    folder: Path, open_folder: Open, values: list[str]
) -> None:
    written(folder, "t.csv", "id;x", *(f"{n};{value}" for n, value in enumerate(values)))
    source = open_folder()
    assert types(source, "t")["x"] == "VARCHAR"
    assert "left as text" in notes(source, "t")["x"]
    facts = {fact.subject: fact for fact in source.facts()}
    assert facts["t.csv, column x"].state == "warning"
    assert not any(value in fact.text for fact in facts.values() for value in values)


def test_another_column_of_the_file_settles_the_decimal_mark(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id;net;gross", "1;1.234;1.480,80", "2;10.000;12.000,00")
    source = open_folder()
    assert ask(source, "SELECT net FROM t ORDER BY id") == [(1234,), (10000,)]
    assert "the decimal mark is a comma, as another column of the file shows" in notes(source, "t")["net"]


def test_columns_that_contradict_each_other_settle_nothing(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id;x;y;z", "1;1.234;0,5;0.5")
    assert types(open_folder(), "t") == {"id": "BIGINT", "x": "VARCHAR", "y": "DECIMAL(18,1)", "z": "DECIMAL(18,1)"}


@pytest.mark.parametrize(
    ("options", "values", "read"),
    [
        ("?decimal=comma", ["1.234"], [1234]),
        ("?decimal=point", ["1.234"], [Decimal("1.234")]),
        ("?dates=dmy", ["3/4/2026"], [dt.date(2026, 4, 3)]),
        ("?dates=mdy", ["3/4/2026"], [dt.date(2026, 3, 4)]),
        ("?dates=mdy", ["13/4/2026"], [dt.date(2026, 4, 13)]),  # an option does not read what is not so
    ],
)
def test_the_url_settles_what_a_file_does_not_say(
    folder: Path, open_folder: Open, options: str, values: list[str], read: list[Any]
) -> None:
    written(folder, "t.csv", "id;x", *(f"{n};{value}" for n, value in enumerate(values)))
    assert [value for (value,) in ask(open_folder(options), "SELECT x FROM t ORDER BY id")] == read


def test_a_column_that_mixes_is_text_and_says_how_much_of_it_is_what(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id,x", *(f"{n},{n}.5" for n in range(9)), "9,on request")
    source = open_folder()
    assert types(source, "t")["x"] == "VARCHAR"
    assert notes(source, "t")["x"] == "Of 10 values 9 are a number, and the rest is not: it is left as text."


def test_one_odd_value_among_many_is_seen(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id,x", *(f"{n},{n}.25" for n in range(20_000)), "20000,n/a")
    source = open_folder()
    assert types(source, "t")["x"] == "VARCHAR"
    assert "20,000 are a number" in notes(source, "t")["x"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    numbers=st.lists(st.decimals(min_value=-(10**12), max_value=10**12, places=2), min_size=1, max_size=8),
    style=st.sampled_from([(",", "."), (".", ","), ("", "."), ("", ","), (" ", ","), ("'", ".")]),
)
def test_a_decimal_comes_back_exactly_however_it_is_written(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[Decimal], style: tuple[str, str]
) -> None:
    group, mark = style
    here = tmp_path_factory.mktemp("n")
    (here / "f").mkdir()
    texts = [f"{number:,.2f}".replace(",", "g").replace(".", mark).replace("g", group) for number in numbers]
    with (here / "f" / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="|").writerows([["id", "x"], *enumerate(texts)])
    with closing(open_source(f"files://{here / 'f'}", cache=here / "cache")) as source:
        read = [value for (value,) in ask(source, "SELECT x FROM t ORDER BY id", "decimal")]
    assert read == numbers


# --- CSV: encodings, delimiters, shape --------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_an_encoding_is_seen_from_the_bytes(folder: Path, open_folder: Open, encoding: str) -> None:
    text = ("\ufeff" if encoding == "utf-16-le" else "") + "id;name\nä;Łódź € 😀\n"
    (folder / "t.csv").write_bytes(text.encode(encoding))
    assert ask(open_folder(), "SELECT id, name FROM t", "text", "text") == [("ä", "Łódź € 😀")]


def test_an_encoding_is_never_guessed(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id;name", "1;Łódź", encoding="cp1250")
    assert "?encoding=cp1252" in why(open_folder(), "t.csv")
    source = open_folder("?encoding=cp1250")
    assert ask(source, "SELECT name FROM t") == [("Łódź",)]
    assert table(source.found(), "t").how.startswith("cp1250")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_delimiter_is_the_one_that_fits_every_row(folder: Path, open_folder: Open, delimiter: str) -> None:
    with (folder / "t.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([["id", "x", "y"], [1, "1,5", "a;b"], [2, "2,25", "c | d"]])
    assert ask(open_folder(), "SELECT x, y FROM t ORDER BY id", "decimal", "text") == [
        (Decimal("1.5"), "a;b"),
        (Decimal("2.25"), "c | d"),
    ]


def test_one_column_needs_no_delimiter(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "name", "a", "", "b")
    assert ask(open_folder(), "SELECT name, file_row FROM t ORDER BY file_row", "text", "integer") == [
        ("a", 2),
        ("b", 4),
    ]


REFUSED = {
    "is empty": "",
    "columns, and the header has": "id,x\n1,2\n" + "3,4\n" * 500 + "5\n",
    "whatever divides": "Report of May;;\n\nid;x\n1;2\n",
    "no header": "1,2\n3,4\n",
    "no name": "id,,x\n1,2,3\n",
    "twice": "id,x,X\n1,2,3\n",
    "by the name Footnote needs": "id,file_row\n1,2\n",
    "divided by a comma and a semicolon": "a,b;c\n1,2;3\n",
    "is not CSV": "id,x\n" + "1,2\n" * 300 + '3,"4\n',
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_file_that_is_no_table_says_why_and_leaves_the_others_alone(
    folder: Path, open_folder: Open, reason: str
) -> None:
    (folder / "bad.csv").write_bytes(REFUSED[reason].encode())
    written(folder, "good.csv", "id,x", "1,2")
    source = open_folder()
    assert reason in why(source, "bad.csv")
    assert ask(source, "SELECT x FROM good") == [(2,)]
    assert [fact.state for fact in source.facts() if fact.subject == "bad.csv"] == ["warning"]


def test_what_is_not_read_is_never_left_out_in_silence(folder: Path, open_folder: Open, tmp_path: Path) -> None:
    secret = written(tmp_path, "secret.csv", "id,x", "1,2")
    (folder / "link.csv").symlink_to(secret)
    (folder / "sub").mkdir()
    for name in ("old.xls", "notes.md", ".hidden.csv"):
        (folder / name).write_text("id,x\n1,2\n")
    (folder / "broken.parquet").write_text("no")
    (folder / "broken.xlsx").write_text("no")
    written(folder, "good.csv", "id,x", "1,2")
    source = open_folder()
    assert [one.name for one in source.found().tables] == ["good"]
    assert {one.place for one in source.found().unread} == {
        "link.csv", "sub", "old.xls", "notes.md", ".hidden.csv", "broken.parquet", "broken.xlsx",
    }  # fmt: skip
    assert "links are not followed" in why(source, "link.csv")


@pytest.mark.parametrize("last", ["Total;100;", "Summe:;100;", ";total;"])
def test_a_row_of_totals_is_said(folder: Path, open_folder: Open, last: str) -> None:
    written(folder, "t.csv", "number;net;by", "A-1;60;x", "A-2;40;y", last)
    workbook(folder, "book.xlsx", S=[["number", "net"], ["A-1", 60], ["Grand total", 60]])
    warned = {fact.subject for fact in open_folder().facts() if "looks like one of totals" in fact.text}
    assert warned == {"t.csv", "book.xlsx, sheet S"}


def test_two_files_that_would_be_one_table_are_both_refused(folder: Path, open_folder: Open) -> None:
    written(folder, "invoices.csv", "id,x", "1,2")
    written(folder, "Invoices.tsv", "id\tx", "1\t2")
    source = open_folder()
    assert source.found().tables == ()
    assert "rename one of them" in why(source, "invoices.csv")
    assert "rename one of them" in why(source, "Invoices.tsv")


# --- workbooks --------------------------------------------------------------------------------------------------------


def workbook(folder: Path, name: str, **sheets: list[list[Any]]) -> None:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, content in sheets.items():
        sheet = book.create_sheet(title)
        for row in content:
            sheet.append(row)
    book.save(folder / name)


def test_a_cell_is_what_the_workbook_says_it_is(folder: Path, open_folder: Open) -> None:
    day = moment(14)
    content: list[list[Any]] = [
        ["id", "amount", "sum", "due", "at", "paid", "code", "empty"],
        [1, 12.5, 0.1 + 0.2, day, moment(14, 10, 59), True, "0012", None],
        [2, -0.05, 2387291.4900000016, day, day, False, "12", None],
        [3, 100, 1e-7, None, None, None, "1.5", None],
    ]
    workbook(folder, "book.xlsx", Items=content)
    source = open_folder()
    assert types(source, "book") == {
        "id": "BIGINT", "amount": "DECIMAL(18,2)", "sum": "DECIMAL(18,7)", "due": "DATE", "at": "TIMESTAMP",
        "paid": "BOOLEAN", "code": "VARCHAR", "empty": "VARCHAR",
    }  # fmt: skip
    assert "as shown" in notes(source, "book")["sum"]
    assert rows_of(source, "SELECT amount, sum, due, paid, code FROM book ORDER BY id") == [
        (Decimal("12.50"), Decimal("0.3000000"), dt.date(2026, 8, 14), True, "0012"),
        (Decimal("-0.05"), Decimal("2387291.4900000"), dt.date(2026, 8, 14), False, "12"),
        (Decimal("100.00"), Decimal("0.0000001"), None, None, "1.5"),
    ]


def rows_of(source: FilesSource, sql: str) -> list[tuple[Any, ...]]:
    with source.snapshot() as snapshot:
        return rows(snapshot, sql, *["any"] * (sql.partition("FROM")[0].count(",") + 1))


def test_each_sheet_is_a_table_and_rows_have_the_numbers_of_the_sheet(folder: Path, open_folder: Open) -> None:
    workbook(folder, "books.xlsx", Customers=[["id", "name"], [7, "Alma"]], Items=[["id"], [1], [None], [2]], Empty=[])
    source = open_folder()
    assert [(one.name, one.place) for one in source.found().tables] == [
        ("Customers", "books.xlsx, sheet Customers"),
        ("Items", "books.xlsx, sheet Items"),
    ]
    assert ask(source, "SELECT id, file_row FROM Items ORDER BY id", "integer", "integer") == [(1, 2), (2, 4)]


def test_cells_of_several_kinds_are_texts_and_said(folder: Path, open_folder: Open) -> None:
    workbook(folder, "b.xlsx", S=[["id", "x"], [1, 5], [2, "on request"], [3, "#DIV/0!"]])
    source = open_folder()
    assert types(source, "b")["x"] == "VARCHAR"
    assert "1 numbers, 2 texts" in notes(source, "b")["x"]


def test_a_formula_that_was_never_computed_is_not_nothing(folder: Path, open_folder: Open) -> None:
    workbook(folder, "b.xlsx", S=[["id", "x"], [1, "=A2*2"]], T=[["id"], [1]])
    source = open_folder()
    assert "B2 is a formula that was never computed" in why(source, "b.xlsx, sheet S")
    assert [one.name for one in source.found().tables] == ["T"]


def test_a_value_beside_the_table_is_not_dropped(folder: Path, open_folder: Open) -> None:
    workbook(folder, "b.xlsx", S=[["id", "x"], [1, 2, 3]])
    assert "beyond the last column" in why(open_folder(), "b.xlsx, sheet S")


# --- Parquet ----------------------------------------------------------------------------------------------------------


def parquet(folder: Path, name: str, sql: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({sql}) TO '{folder / name}' (FORMAT parquet)")


def test_decimals_of_parquet_are_exact_however_they_are_kept(folder: Path, open_folder: Open) -> None:
    parquet(
        folder,
        "t.parquet",
        "SELECT 1 AS id, CAST(12.5 AS DOUBLE) AS d, CAST(1.1 AS FLOAT) AS f, CAST(7 AS DOUBLE) AS w, "
        "CAST(9.99 AS DECIMAL(10,2)) AS m, DATE '2026-08-14' AS due, TIMESTAMP_NS '2026-08-14 10:59:00' AS at "
        "UNION ALL SELECT 2, 0.001, 2.25, NULL, CAST(0 AS DECIMAL(10,2)), NULL, NULL",
    )
    source = open_folder()
    assert types(source, "t") == {
        "id": "INTEGER", "d": "DECIMAL(18,3)", "f": "DECIMAL(18,2)", "w": "BIGINT", "m": "DECIMAL(10,2)",
        "due": "DATE", "at": "TIMESTAMP",
    }  # fmt: skip
    assert rows_of(source, "SELECT d, f, w, m, file_row FROM t ORDER BY id") == [
        (Decimal("12.500"), Decimal("1.10"), 7, Decimal("9.99"), 1),
        (Decimal("0.001"), Decimal("2.25"), None, Decimal("0.00"), 2),
    ]


def test_floats_that_stand_for_no_decimal_are_text_and_said(folder: Path, open_folder: Open) -> None:
    parquet(folder, "t.parquet", "SELECT 1 AS id, CAST(0.1 AS DOUBLE) + CAST(0.2 AS DOUBLE) AS x, 'NaN'::DOUBLE AS y")
    source = open_folder()
    assert types(source, "t")["x"] == types(source, "t")["y"] == "VARCHAR"
    assert "floats" in notes(source, "t")["x"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.decimals(min_value=-(10**9), max_value=10**9, places=4), min_size=1, max_size=6))
def test_a_float_of_parquet_gives_its_decimal_back(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[Decimal]
) -> None:
    here = tmp_path_factory.mktemp("p")
    (here / "f").mkdir()
    chosen = " UNION ALL ".join(
        f"SELECT {n} AS id, CAST('{number}' AS DOUBLE) AS x" for n, number in enumerate(numbers)
    )
    parquet(here / "f", "t.parquet", chosen)
    with closing(open_source(f"files://{here / 'f'}", cache=here / "cache")) as source:
        assert [value for (value,) in ask(source, "SELECT x FROM t ORDER BY id", "decimal")] == numbers


# --- what a catalog says ----------------------------------------------------------------------------------------------


def test_a_catalog_settles_what_is_text_and_what_an_empty_column_is(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id,zip,closed,amount", "1,1010,,", "2,4020,,")
    declared = DeclaredTable(("id",), {"zip": ValueType.TEXT, "closed": ValueType.DATE, "amount": ValueType.DECIMAL})
    assert types(open_folder(t=declared), "t") == {
        "id": "BIGINT", "zip": "VARCHAR", "closed": "DATE", "amount": "DECIMAL(18,2)",
    }  # fmt: skip


@pytest.mark.parametrize(("last", "says"), [("1,9", "rows 2 and 4 have the same"), (",9", "row 4 has no value there")])
def test_a_declared_key_is_checked_on_every_state(folder: Path, open_folder: Open, last: str, says: str) -> None:
    written(folder, "t.csv", "id,x", "1,7", "2,8")
    source = open_folder(t=DeclaredTable(("id",)))
    assert source.tables(["t"])["t"].primary_key == ("id",)
    written(folder, "t.csv", "id,x", "1,7", "2,8", last)
    for _ in range(2):
        with pytest.raises(SourceChanged, match=says), source.snapshot():
            pass
    with pytest.raises(SourceChanged, match=says):
        open_folder(t=DeclaredTable(("id",))).tables(["t"])


def test_without_a_catalog_the_first_column_that_names_every_row_is_the_key(folder: Path, open_folder: Open) -> None:
    written(folder, "a.csv", "kind,number", "x,1", "x,2")
    written(folder, "b.csv", "kind,number", "x,1", "x,1")
    keys = {name: schema.primary_key for name, schema in open_folder().tables(["a", "b"]).items()}
    assert keys == {"a": ("number",), "b": ("file_row",)}


# --- changes ----------------------------------------------------------------------------------------------------------


def test_a_changed_file_is_noticed_and_a_snapshot_is_one_state(folder: Path, open_folder: Open) -> None:
    path = written(folder, "t.csv", "id,x", "1,7")
    source = open_folder()
    with source.snapshot() as snapshot:
        assert rows(snapshot, "SELECT x FROM t") == [(7,)]
        before = path.stat()
        written(folder, "t.csv", "id,x", "1,8")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # the same size and time as before
        assert rows(snapshot, "SELECT x FROM t") == [(7,)]
    assert ask(source, "SELECT x FROM t") == [(8,)]
    written(folder, "u.csv", "id", "5")
    assert ask(source, "SELECT id FROM u") == [(5,)]
    path.unlink()
    with pytest.raises(SourceChanged, match="t"):
        ask(source, "SELECT x FROM t")


def test_a_snapshot_outlives_the_next_state(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id,x", *(f"{n},7" for n in range(5_000)))
    source = open_folder()
    with source.snapshot() as before:
        found = iter(before.run(query("SELECT x FROM t", "integer")))
        assert next(found) == (7,)
        written(folder, "t.csv", "id,x", *(f"{n},8" for n in range(5_000)))
        with source.snapshot() as after:
            assert rows(after, "SELECT DISTINCT x FROM t") == [(8,)]
        assert set(found) == {(7,)}, "what was begun is read to its end"
        assert rows(before, "SELECT COUNT(*), MAX(x) FROM t", "integer", "integer") == [(5_000, 7)]


def test_many_threads_share_a_folder_that_changes(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id,x", "1,0", "2,0")
    source = open_folder()

    def look(_: int) -> list[tuple[Any, ...]]:
        return ask(source, "SELECT MIN(x), MAX(x) FROM t", "integer", "integer")

    with ThreadPoolExecutor(4) as pool:
        for number in range(1, 6):
            looks = [pool.submit(look, number) for _ in range(8)]
            temporary = written(folder, "t.new", "id,x", f"1,{number}", f"2,{number}")
            temporary.replace(folder / "t.csv")
            for done in looks:
                ((least, most),) = done.result()
                assert least == most, "never half of one state and half of another"
    assert look(0) == [(5, 5)]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (("id,x", "1,on request"), "was BIGINT and is VARCHAR now"),
        (("id,y", "1,7"), "'x' is not there any more"),
        (("id,x", "1"), "no table 't' any more"),
    ],
)
def test_a_file_that_became_another_table_is_not_asked(
    folder: Path, open_folder: Open, lines: tuple[str, ...], says: str
) -> None:
    written(folder, "t.csv", "id,x", "1,7")
    source = open_folder()
    source.tables(["t"])
    written(folder, "t.csv", *lines)
    with pytest.raises(SourceChanged, match=says), source.snapshot():
        pass
    written(folder, "t.csv", "id,x", "1,9")
    assert ask(source, "SELECT x FROM t") == [(9,)], "once it is corrected, it is asked again"


def test_what_was_read_is_kept_once_and_for_its_owner_alone(folder: Path, open_folder: Open, tmp_path: Path) -> None:
    written(folder, "t.csv", "id,x", "1,7")
    open_folder().found()
    (kept,) = (tmp_path / "cache" / "files").iterdir()
    made = kept.stat()
    open_folder().found()
    assert kept.stat() == made, "the same bytes are read once"
    assert kept.stat().st_mode & 0o077 == 0
    written(folder, "t.csv", "id,x", "1,8")
    open_folder().found()
    assert [path.name != kept.name for path in (tmp_path / "cache" / "files").iterdir()] == [True]


def test_a_state_that_is_damaged_or_removed_is_made_again(folder: Path, open_folder: Open, tmp_path: Path) -> None:
    written(folder, "t.csv", "id,x", "1,7")
    source = open_folder()
    source.found()
    (kept,) = (tmp_path / "cache" / "files").iterdir()
    kept.unlink()
    assert ask(source, "SELECT x FROM t") == [(7,)]
    source.close()
    kept.write_bytes(b"nothing")
    assert ask(open_folder(), "SELECT x FROM t") == [(7,)]


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "files://",
        "files:///",
        "files://host/folder",
        "files:///x?encoding=nothing",
        "files:///x?delimiter=x",
        "files:///x?decimal=;",
        "files:///x?dates=ymd",
        "files:///x?sheet=1",
    ],
)
def test_a_url_that_cannot_be_read_says_what_works(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_source(url)
    assert caught.value.remedy


def test_a_url_names_an_absolute_folder_or_one_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for url, folder in (
        ("files:///srv/my%20files", Path("/srv/my files")),
        ("files:///./books?decimal=comma", tmp_path / "books"),
        ("FILES:///../books", tmp_path.parent / "books"),
    ):
        assert Path(open_source(url, cache=tmp_path / "cache").name.partition("://")[2]).resolve() == folder.resolve()


def test_who_could_write_the_files_is_told(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id,x", "1,7")
    privileges = open_folder().privileges()
    assert privileges.powers == ()
    assert "may write the folder and files in it, which Footnote only reads" in privileges.unknown[0]
    assert role_for(f"files://{folder}") == role_sql("files", database=str(folder))
    assert f"chmod -R a-w '{folder}'" in role_for(f"files://{folder}?decimal=comma")


@pytest.mark.parametrize("made", ["nothing", "a file"])
def test_a_folder_that_cannot_be_read_says_why(tmp_path: Path, made: str) -> None:
    if made == "a file":
        (tmp_path / "x").touch()
    source = open_source(f"files://{tmp_path / 'x'}", cache=tmp_path / "cache")
    with pytest.raises(SourceUnavailable, match="no such folder" if made == "nothing" else "is a file"):
        source.listed()


def test_the_cache_does_not_lie_in_the_folder(folder: Path) -> None:
    with pytest.raises(UsageError, match="never written"):
        open_source(f"files://{folder}", cache=folder / "cache")


def test_names_are_names(folder: Path, open_folder: Open) -> None:
    written(folder, "it's; DROP TABLE x -- ö.csv", '"id","a""b; DROP","straße {v} :x $y"', "1,2,3.5")
    source = open_folder()
    assert rows_of(source, 'SELECT "a""b; DROP", "straße {v} :x $y" FROM "it\'s; DROP TABLE x -- ö"') == [
        (2, Decimal("3.5"))
    ]


def test_a_withdrawn_or_failed_statement_leaves_the_source_usable(folder: Path, open_folder: Open) -> None:
    written(folder, "t.csv", "id,x", "1,7")
    source = open_folder()
    with source.snapshot() as snapshot:
        with pytest.raises(FootnoteError):
            rows(snapshot, "SELECT nothing FROM t")
        assert rows(snapshot, "SELECT x FROM t") == [(7,)]
