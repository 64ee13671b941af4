"""DuckDB files as a source: types, snapshots, limits, and what happens to a file that others write."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from tests.integration.asking import ask, query, rows

from footnote.errors import (
    ArgumentError,
    Cancelled,
    SourceChanged,
    SourceTimeout,
    SourceUnavailable,
    StatementRefused,
    ValueUnreadable,
)
from footnote.sources.cancellation import Cancellation
from footnote.sources.opening import open_source
from footnote.sources.query import Value
from footnote.sources.source import Source


def write(path: Path, *statements: str) -> None:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def books(tmp_path: Path) -> Path:
    path = tmp_path / "books.duckdb"
    write(
        path,
        "CREATE TABLE invoice (id INTEGER PRIMARY KEY, amount DECIMAL(14, 2), due DATE)",
        "INSERT INTO invoice SELECT n, n * 1.25, DATE '2026-01-01' + n::INTEGER FROM range(5000) t (n)",
    )
    return path


@pytest.fixture
def source(books: Path) -> Iterator[Source]:
    opened = open_source(f"duckdb:///{books}", time_zone="Europe/Vienna")
    yield opened
    opened.close()


# --- values -----------------------------------------------------------------------------------------------------------


def test_values_come_through_unharmed(source: Source) -> None:
    got = ask(
        source,
        "SELECT 9223372036854775807, (-170141183460469231731687303715884105727)::HUGEINT, 18446744073709551615::UBIGINT, "
        "12345678901234567890.1234567890, sum(n), 0.1::DOUBLE, '-0'::DOUBLE, '', 'O''Brien ☃ \"x\" 100%', NULL, true, "
        "DATE '0001-01-01', DATE '9999-12-31', TIMESTAMP '2026-08-14 10:59:00.000001', "
        "TIMESTAMP '9999-12-31 23:59:59.999999', TIMESTAMPTZ '2026-08-14 10:59:00+00', "
        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID, 'b'::ENUM ('a', 'b'), TIME '10:59', '{\"a\": 1.50}'::JSON "
        "FROM (VALUES (9223372036854775807), (9223372036854775807)) v (n)",
        *"integer integer integer decimal integer decimal decimal text text text boolean date date".split(),
        *"datetime datetime datetime any text text text".split(),
    )[0]
    assert got[:3] == (2**63 - 1, 1 - 2**127, 2**64 - 1)
    assert str(got[3]) == "12345678901234567890.1234567890"
    assert got[4:7] == (2 * (2**63 - 1), Decimal("0.1"), Decimal(0))
    assert str(got[6]) == "0.0"
    assert got[7:11] == ("", 'O\'Brien ☃ "x" 100%', None, True)
    assert got[11:13] == (dt.date.min, dt.date.max)
    assert [str(moment) for moment in got[13:15]] == ["2026-08-14 10:59:00.000001", "9999-12-31 23:59:59.999999"]
    assert str(got[15]) == "2026-08-14 12:59:00+02:00"
    assert got[16:] == ("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "b", "10:59:00", '{"a": 1.50}')


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("DATE 'infinity'", "date"),
        ("DATE '-infinity'", "any"),
        ("DATE '0044-03-15 (BC)'", "date"),
        ("DATE '10000-01-01'", "any"),
        ("TIMESTAMP 'infinity'", "datetime"),
        ("TIMESTAMPTZ '-infinity'", "datetime"),
        ("TIMESTAMPTZ '9999-12-31 23:30:00+00'", "datetime"),
        ("TIMESTAMP_NS '2026-08-14 10:59:00.123456789'", "datetime"),
        ("'NaN'::DOUBLE", "decimal"),
        ("'Infinity'::DOUBLE", "any"),
        ("0.1::DOUBLE + 0.2::DOUBLE", "decimal"),
        ("0.1::FLOAT", "decimal"),
        ("1 / 3", "decimal"),
        ("[1, 2]", "integer"),
        ("{'a': 1}", "any"),
        ("'\\xff'::BLOB", "text"),
        ("INTERVAL 1 DAY", "any"),
        ("1.5", "integer"),
        ("DATE '2026-08-14'", "datetime"),
    ],
)
def test_what_cannot_be_read_exactly_is_refused_and_the_snapshot_lives_on(
    source: Source, expression: str, kind: str
) -> None:
    with source.snapshot() as snapshot:
        with pytest.raises(ValueUnreadable, match="'c0'"):
            snapshot.run(query(f"SELECT {expression}", kind))
        assert rows(snapshot, "SELECT 1") == [(1,)]


def test_the_last_day_of_the_calendar_is_told_from_infinity_in_one_column(tmp_path: Path) -> None:
    path = tmp_path / "prices.duckdb"
    write(path, "CREATE TABLE price (id INTEGER, until DATE)", "INSERT INTO price VALUES (1, '9999-12-31')")
    source = open_source(str(path))
    assert ask(source, "SELECT id, until FROM price WHERE id < $n;", "integer", "date", n=5) == [(1, dt.date.max)]
    source.close()
    write(path, "INSERT INTO price VALUES (2, 'infinity')")
    source = open_source(str(path))
    assert ask(source, "SELECT until FROM price WHERE id < $n", "date", n=2) == [(dt.date.max,)]
    with pytest.raises(ValueUnreadable, match="infinity"):
        ask(source, "SELECT id, until FROM price", "integer", "date")
    source.close()


def test_parameters_are_bound_and_never_pasted(source: Source) -> None:
    assert ask(source, "SELECT $a", a="x'; DROP TABLE invoice; --") == [("x'; DROP TABLE invoice; --",)]
    day = dt.date(2026, 1, 3)
    sql = "SELECT id FROM invoice WHERE amount = $a AND due = $d"
    assert ask(source, sql, a=Decimal("2.5"), d=day) == [(2,)]
    assert ask(source, "SELECT $a", a=Decimal("1E+5")) == [(100_000,)]
    for parameters in ({}, {"b": 1}, {"a": 1, "b": 1}):
        with pytest.raises(StatementRefused):
            ask(source, "SELECT $a", **parameters)
    for value in ("\ud800", Decimal("1E-39"), Decimal("1E+38")):
        with pytest.raises(ArgumentError):
            ask(source, "SELECT $a", a=value)


def test_a_table_never_means_a_variable_of_this_program(source: Source) -> None:
    secret = [1, 2, 3]
    with pytest.raises(SourceChanged, match="secret"):
        ask(source, "SELECT * FROM secret")
    assert secret


# --- rows and snapshots -----------------------------------------------------------------------------------------------


def test_many_rows_arrive_in_batches_and_in_order(source: Source) -> None:
    with source.snapshot() as snapshot:
        batches = list(snapshot.run(query("SELECT id FROM invoice ORDER BY id", "integer")).batches())
    assert [row[0] for batch in batches for row in batch] == list(range(5000))
    assert max(map(len, batches)) <= 2000


def test_rows_may_be_given_up_and_the_snapshot_goes_on(source: Source) -> None:
    with source.snapshot() as snapshot:
        for _ in range(5):
            big = snapshot.run(query("SELECT a.id FROM invoice a, invoice b", "integer"))
            assert rows(snapshot, "SELECT 1") == [(1,)]
            with pytest.raises(RuntimeError, match="given up"):
                list(big)


def test_many_threads_share_a_source(books: Path) -> None:
    source = open_source(str(books), limit=2)
    got: list[tuple[Value, ...]] = []

    def work() -> None:
        for _ in range(10):
            got.extend(ask(source, "SELECT sum(id) FROM invoice", "integer"))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [(sum(range(5000)),)] * 60
    source.close()


def test_more_snapshots_than_connections_wait_and_then_say_so(books: Path) -> None:
    source = open_source(str(books), limit=1, timeout=0.3)
    with source.snapshot(), pytest.raises(SourceTimeout, match="connections are busy"), source.snapshot():
        pytest.fail("there is one connection only")
    source.close()


# --- time -------------------------------------------------------------------------------------------------------------

SLOW = "SELECT count(*) FROM range(1000000000) a, range(1000000) b WHERE a.range * b.range % 7 = 3"


def test_a_slow_statement_is_stopped_at_the_limit_and_the_snapshot_lives_on(books: Path) -> None:
    source = open_source(str(books), timeout=0.3)
    with source.snapshot() as snapshot:
        began = time.monotonic()
        with pytest.raises(SourceTimeout, match=r"limit of 0\.3 s"):
            snapshot.run(query(SLOW))
        assert time.monotonic() - began < 5
        assert rows(snapshot, "SELECT 1") == [(1,)]
    source.close()


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.2])
def test_a_call_that_is_withdrawn_stops_its_statement(source: Source, delay: float) -> None:
    cancel = Cancellation()
    began = time.monotonic()
    with source.snapshot(cancel) as snapshot:
        threading.Timer(delay, cancel.cancel).start()
        with pytest.raises(Cancelled):
            snapshot.run(query(SLOW))
    assert time.monotonic() - began < 10
    assert ask(source, "SELECT 1") == [(1,)]


# --- the file and others ----------------------------------------------------------------------------------------------

WRITER = """
import duckdb, sys, time
connection = duckdb.connect(sys.argv[1])
print("open", flush=True)
sys.stdin.readline()
connection.execute("DELETE FROM invoice WHERE id > 0")
connection.close()
"""


@pytest.fixture
def writer(books: Path) -> Iterator[subprocess.Popen[str]]:
    """Another program that has the file open for writing, until it is told to end."""
    command = [sys.executable, "-c", WRITER, str(books)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process
        process.kill()


def test_a_file_that_another_program_writes_is_waited_for(books: Path, writer: subprocess.Popen[str]) -> None:
    source = open_source(str(books), timeout=0.3)
    with pytest.raises(SourceTimeout, match="open for writing"):
        ask(source, "SELECT count(*) FROM invoice")
    source.close()
    patient = open_source(str(books), timeout=20)
    assert writer.stdin is not None
    ending = threading.Timer(0.3, writer.stdin.close)
    ending.start()
    assert ask(patient, "SELECT count(*) FROM invoice") == [(1,)]
    patient.close()
    ending.join()


def test_a_file_nobody_asks_is_left_to_those_who_write_it(books: Path) -> None:
    source = open_source(str(books))
    assert ask(source, "SELECT count(*) FROM invoice") == [(5000,)]
    delete = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute('DELETE FROM invoice')"
    for _ in range(100):
        if subprocess.run([sys.executable, "-c", delete, str(books)], capture_output=True, check=False).returncode == 0:
            break
        time.sleep(0.1)
    assert ask(source, "SELECT count(*) FROM invoice") == [(0,)]
    source.close()


def test_another_file_put_in_its_place_is_read(books: Path, tmp_path: Path) -> None:
    source = open_source(str(books))
    assert ask(source, "SELECT count(*) FROM invoice") == [(5000,)]
    write(tmp_path / "new.duckdb", "CREATE TABLE invoice (id INTEGER)")
    (tmp_path / "new.duckdb").replace(books)
    assert ask(source, "SELECT count(*) FROM invoice") == [(0,)]
    source.close()


def test_a_file_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "text.duckdb").write_text("this is no database" * 1000)
    (tmp_path / "empty").mkdir()
    for name, why in {"missing.duckdb": "no such file", "text.duckdb": "not a DuckDB", "empty": "folder"}.items():
        source = open_source(f"duckdb:///{tmp_path / name}")
        with pytest.raises(SourceUnavailable, match=why):
            ask(source, "SELECT 1")
        source.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "text.duckdb"]


def test_nothing_is_left_beside_the_file(books: Path, source: Source) -> None:
    ask(
        source, "SELECT a.id, b.id FROM invoice a JOIN invoice b ON a.id = b.id ORDER BY a.amount", "integer", "integer"
    )
    assert [path.name for path in books.parent.iterdir()] == [books.name]


# --- what does not fit ------------------------------------------------------------------------------------------------


def test_what_is_missing_is_named(source: Source) -> None:
    with source.snapshot() as snapshot:
        with pytest.raises(SourceChanged, match="nothing"):
            snapshot.run(query("SELECT nothing FROM invoice"))
        with pytest.raises(SourceChanged, match="nowhere"):
            snapshot.run(query("SELECT 1 FROM nowhere"))
        with pytest.raises(SourceChanged, match="2 columns"):
            snapshot.run(query("SELECT 1, 2"))
        with pytest.raises(SourceUnavailable, match="conversion error") as caught:
            snapshot.run(query("SELECT $a::INTEGER", a="hunter2"))
        assert "hunter2" not in str(caught.value.as_dict())


def test_tables_are_described_as_declared(tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    write(
        path,
        "CREATE SCHEMA erp",
        'CREATE TABLE erp."Order Line" (ord INTEGER, pos INTEGER, amount DECIMAL(12, 2) NOT NULL, code VARCHAR NOT NULL, '
        "note VARCHAR, PRIMARY KEY (pos, ord), UNIQUE (code))",
        'CREATE VIEW erp.v AS SELECT amount FROM erp."Order Line"',
        "CREATE TABLE invoice (id BIGINT PRIMARY KEY)",
        "CREATE TABLE loose (a VARCHAR COLLATE NOCASE, b INTEGER)",
    )
    path = path.rename(tmp_path / "erp.duckdb")  # of the same name as a schema in it
    source = open_source(f"duckdb:///{path}")
    assert ask(source, 'SELECT count(*) FROM "erp"."Order Line"') == [(0,)]
    names = ["erp.Order Line", "ERP.V", "Invoice", "main.invoice", "loose", "nothing", "nowhere.invoice"]
    found = source.tables(names)
    assert list(found) == names[:5]
    lines = found["erp.Order Line"]
    assert [(c.name, c.type, c.nullable, c.collation) for c in lines.columns] == [
        ("ord", "INTEGER", False, ""),
        ("pos", "INTEGER", False, ""),
        ("amount", "DECIMAL(12,2)", False, ""),
        ("code", "VARCHAR", False, ""),
        ("note", "VARCHAR", True, ""),
    ]
    assert lines.primary_key == ("pos", "ord")
    assert lines.unique == (("code",),)
    assert found["ERP.V"].is_view
    assert found["Invoice"] == found["main.invoice"]
    assert [bool(column.collation) for column in found["loose"].columns] == [True, False]
    source.close()
