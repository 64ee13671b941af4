"""SQLite files as a source: real files, real writers beside us, real permissions."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

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

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


@contextlib.contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        yield connection
    finally:
        connection.close()


@pytest.fixture
def books(tmp_path: Path) -> Path:
    path = tmp_path / "books ö?#%20.db"
    with writing(path) as connection:
        connection.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY, amount NUMERIC)")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO invoice VALUES (?, ?)", [(n, n * 1.25) for n in range(5000)])
        connection.execute("COMMIT")
    return path


@pytest.fixture
def source(books: Path) -> Iterator[Source]:
    opened = open_source(str(books))
    yield opened
    opened.close()


@contextlib.contextmanager
def as_nobody() -> Iterator[Path]:
    """A folder that anybody may enter, and this process acting for a user who owns nothing, if it is root."""
    folder = Path(tempfile.mkdtemp(prefix="fn-ro-"))
    folder.chmod(0o755)
    root = os.geteuid() == 0
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def become_nobody() -> None:
    if os.geteuid() == 0:
        os.seteuid(65534)


# --- values -----------------------------------------------------------------------------------------------------------


def test_values_come_through_unharmed(source: Source) -> None:
    got = ask(
        source,
        "SELECT 9223372036854775807, -9223372036854775808, '12345678901234567890.12', x'343138372e3539', 0.1, -0.0, "
        "'', 'O''Brien ☃ \"x\"', NULL, 1, '0001-01-01', '9999-12-31', '2026-08-14 10:59:00'",
        *"integer integer decimal decimal decimal decimal text text text boolean date date datetime".split(),
    )[0]
    assert got[:2] == (2**63 - 1, -(2**63))
    assert got[2:6] == (Decimal("12345678901234567890.12"), Decimal("4187.59"), Decimal("0.1"), Decimal(0))
    assert str(got[5]) == "0.0"
    assert got[6:10] == ("", 'O\'Brien ☃ "x"', None, True)
    assert [str(value) for value in got[10:]] == ["0001-01-01", "9999-12-31", "2026-08-14 10:59:00"]


def test_a_sum_of_floats_that_went_wrong_is_refused_and_not_rounded(tmp_path: Path) -> None:
    path = tmp_path / "floats.db"
    with writing(path) as connection:
        connection.execute("CREATE TABLE t (a REAL)")
        connection.executemany("INSERT INTO t VALUES (?)", [(0.1,), (0.2,)])
    source = open_source(str(path))
    assert ask(source, "SELECT a FROM t ORDER BY a", "decimal") == [(Decimal("0.1"),), (Decimal("0.2"),)]
    with pytest.raises(ValueUnreadable, match="'c0' cannot be read as decimal"):
        ask(source, "SELECT sum(a) FROM t", "decimal")
    source.close()


def test_text_that_is_not_utf8_is_refused_by_column_and_not_shown(source: Source) -> None:
    with pytest.raises(ValueUnreadable, match=r"'label' cannot be read as text.*UTF-8") as caught:
        ask(source, "SELECT CAST(x'736563726574ff' AS TEXT) AS label", "text")
    assert "secret" not in caught.value.text


def test_parameters_are_bound_and_never_pasted(source: Source) -> None:
    assert ask(source, "SELECT :a", "text", a="x'; DROP TABLE invoice; --") == [("x'; DROP TABLE invoice; --",)]
    assert ask(source, "SELECT id FROM invoice WHERE amount = :a", "integer", a=Decimal("2.50")) == [(2,)]
    assert ask(source, "SELECT value FROM json_each(:ids)", "integer", ids="[1, 2]") == [(1,), (2,)]
    with pytest.raises(StatementRefused, match="parameter"):
        ask(source, "SELECT :a")
    with pytest.raises(ArgumentError):
        ask(source, "SELECT :a", a="\ud800")


# --- rows and snapshots -----------------------------------------------------------------------------------------------


def test_many_rows_arrive_in_batches_and_in_order(source: Source) -> None:
    with source.snapshot() as snapshot:
        batches = list(snapshot.run(query("SELECT id FROM invoice ORDER BY id", "integer")).batches())
    assert [len(batch) for batch in batches] == [2000, 2000, 1000]
    assert [row[0] for batch in batches for row in batch] == list(range(5000))


def test_rows_that_were_given_up_do_not_look_complete(source: Source) -> None:
    with source.snapshot() as snapshot:
        first = snapshot.run(query("SELECT id FROM invoice", "integer"))
        assert rows(snapshot, "SELECT 1", "integer") == [(1,)]
        with pytest.raises(RuntimeError, match="given up"):
            list(first)
        last = snapshot.run(query("SELECT id FROM invoice", "integer"))
    with pytest.raises(RuntimeError, match="given up"):
        list(last)
    with pytest.raises(RuntimeError, match="ended"):
        snapshot.run(query("SELECT 1"))


def test_a_snapshot_does_not_see_what_is_committed_meanwhile(books: Path, source: Source) -> None:
    with writing(books) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        with source.snapshot() as snapshot:
            writer.execute("INSERT INTO invoice VALUES (9999, 1)")
            assert rows(snapshot, "SELECT count(*) FROM invoice") == [(5000,)]
            writer.execute("DELETE FROM invoice")
            assert rows(snapshot, "SELECT count(*) FROM invoice") == [(5000,)]
        assert ask(source, "SELECT count(*) FROM invoice") == [(0,)]


def test_a_file_is_read_while_another_process_writes_it(books: Path, source: Source) -> None:
    with writing(books) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    program = (
        "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for n in range(10000, 10400): c.execute('INSERT INTO invoice VALUES (?, 1)', (n,))\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", program, str(books)])
    counts: list[tuple[Value, ...]] = []
    while writer.poll() is None:
        with source.snapshot() as snapshot:
            twice = {rows(snapshot, "SELECT count(*) FROM invoice")[0] for _ in range(2)}
            assert len(twice) == 1
            counts += twice
    assert writer.returncode == 0
    assert counts == sorted(counts)
    assert ask(source, "SELECT count(*) FROM invoice") == [(5400,)]


def test_a_statement_that_fails_does_not_end_the_snapshot(source: Source) -> None:
    with source.snapshot() as snapshot:
        with pytest.raises(SourceChanged, match="no such column: absent"):
            snapshot.run(query("SELECT absent FROM invoice"))
        with pytest.raises(SourceChanged, match="no such table: nowhere"):
            snapshot.run(query("SELECT 1 FROM nowhere"))
        with pytest.raises(SourceChanged, match="2 columns"):
            snapshot.run(query("SELECT 1, 2"))
        with pytest.raises(StatementRefused):
            snapshot.run(query("SELECT FROM WHERE"))
        assert rows(snapshot, "SELECT 1") == [(1,)]


def test_many_threads_share_a_source(books: Path) -> None:
    source = open_source(str(books), limit=3)
    got: list[Value] = []

    def work() -> None:
        for _ in range(20):
            got.append(ask(source, "SELECT sum(id) FROM invoice", "integer")[0][0])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [sum(range(5000))] * 160
    source.close()


# --- time -------------------------------------------------------------------------------------------------------------


def test_a_slow_statement_is_stopped_at_the_limit_and_the_snapshot_lives_on(books: Path) -> None:
    source = open_source(str(books), timeout=0.2)
    with source.snapshot() as snapshot:
        began = time.monotonic()
        with pytest.raises(SourceTimeout, match=r"limit of 0\.2 s"):
            snapshot.run(query(ENDLESS))
        assert 0.15 < time.monotonic() - began < 3
        time.sleep(0.3)  # the time its caller takes is not the source's
        assert rows(snapshot, "SELECT 1") == [(1,)]
    source.close()


def test_a_call_that_is_withdrawn_stops_its_statement(source: Source) -> None:
    cancel = Cancellation()
    threading.Timer(0.1, cancel.cancel).start()
    began = time.monotonic()
    with pytest.raises(Cancelled), source.snapshot(cancel) as snapshot:
        snapshot.run(query(ENDLESS))
    assert time.monotonic() - began < 5
    with pytest.raises(Cancelled), source.snapshot(cancel):
        pytest.fail("a cancelled call gets no snapshot")
    assert ask(source, "SELECT 1") == [(1,)]


def test_a_locked_file_is_waited_for_until_the_limit(books: Path) -> None:
    source = open_source(str(books), timeout=0.2)
    with writing(books) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SourceTimeout, match="locked") as caught, source.snapshot():
            pytest.fail("a locked file has no snapshot")
        assert "Another program is writing" in caught.value.why
        writer.execute("ROLLBACK")
    assert ask(source, "SELECT 1") == [(1,)]
    source.close()


# --- files that cannot be read, and files that change -----------------------------------------------------------------


def failing(path: Path) -> SourceUnavailable:
    source = open_source(f"sqlite:///{path}")
    with pytest.raises(SourceUnavailable) as caught, source.snapshot():
        pytest.fail("there is nothing to read")
    source.close()
    return caught.value


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    assert "no such file" in failing(tmp_path / "missing.db").why
    assert "no such file" in failing(tmp_path / "nowhere" / "missing.db").why
    assert "folder" in failing(tmp_path).why
    (tmp_path / "letter.txt").write_text("Dear Sir or Madam, this is not a database. " * 100)
    assert "not a SQLite database" in failing(tmp_path / "letter.txt").why


def test_a_file_without_read_permission_says_so() -> None:
    with as_nobody() as folder:
        path = folder / "closed.db"
        with writing(path) as connection:
            connection.execute("CREATE TABLE t (a)")
        path.chmod(0)
        become_nobody()
        assert "may not read" in failing(path).why


def test_a_wal_file_in_a_folder_that_may_not_be_written_is_read_if_nobody_has_it_open() -> None:
    with as_nobody() as folder:
        path = folder / "archive.db"
        with writing(path) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE t AS SELECT 7 AS a")
        before = path.read_bytes()
        assert sorted(file.name for file in folder.iterdir()) == ["archive.db"]
        folder.chmod(0o555)
        become_nobody()
        source = open_source(str(path))
        assert ask(source, "SELECT a FROM t") == [(7,)]
        assert ask(source, "SELECT a FROM t") == [(7,)]
        with source.snapshot() as snapshot:
            touch(path)
            with pytest.raises(SourceUnavailable, match="changed while it was read"):
                snapshot.run(query("SELECT a FROM t"))
        source.close()
        assert path.read_bytes() == before
        assert sorted(file.name for file in folder.iterdir()) == ["archive.db"]


def touch(path: Path) -> None:
    """As the file's owner would."""
    user = os.geteuid()
    if user != os.getuid():
        os.seteuid(os.getuid())
    os.utime(path)
    if user != os.geteuid():
        os.seteuid(user)


def test_a_file_put_in_the_place_of_another_is_noticed(books: Path, source: Source) -> None:
    assert ask(source, "SELECT count(*) FROM invoice") == [(5000,)]
    fresh = books.with_name("fresh.db")
    with writing(fresh) as connection:
        connection.execute("CREATE TABLE invoice AS SELECT 1 AS id, 2 AS amount")
    fresh.replace(books)
    assert ask(source, "SELECT count(*) FROM invoice") == [(1,)]


def test_a_closed_source_says_so(source: Source) -> None:
    source.close()
    with pytest.raises(SourceUnavailable, match="closed"), source.snapshot():
        pytest.fail("a closed source has no snapshot")


# --- schema -----------------------------------------------------------------------------------------------------------


def test_tables_are_described_as_declared(tmp_path: Path) -> None:
    path = tmp_path / "schema.db"
    with writing(path) as connection:
        connection.executescript(
            """
            CREATE TABLE "Order Line" (ord INTEGER, pos INTEGER, amount DECIMAL(12,2) NOT NULL, code TEXT UNIQUE,
                                       twice GENERATED ALWAYS AS (amount * 2), PRIMARY KEY (pos, ord));
            CREATE UNIQUE INDEX partial_one ON "Order Line" (amount) WHERE amount > 0;
            CREATE UNIQUE INDEX of_expression ON "Order Line" (lower(code));
            CREATE UNIQUE INDEX two ON "Order Line" (ord, code);
            CREATE TABLE head (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE plain (a, b);
            CREATE VIEW v AS SELECT id FROM head;
            """
        )
    source = open_source(str(path))
    found = source.tables(["order line", "main.head", "HEAD", "v", "plain", "nothing", "Order Line"])
    assert list(found) == ["order line", "main.head", "HEAD", "v", "plain", "Order Line"]
    lines = found["order line"]
    assert (lines.name, lines.schema, lines.is_view) == ("Order Line", "main", False)
    assert [(c.name, c.type, c.nullable) for c in lines.columns] == [
        ("ord", "INTEGER", True),
        ("pos", "INTEGER", True),
        ("amount", "DECIMAL(12,2)", False),
        ("code", "TEXT", True),
        ("twice", "", True),
    ]
    assert lines.primary_key == ("pos", "ord")
    assert sorted(lines.unique) == [("code",), ("ord", "code")]
    assert found["HEAD"] == found["main.head"]
    assert not found["HEAD"].columns[0].nullable
    assert found["v"].is_view
    assert found["plain"].primary_key == ()
    source.close()


def test_a_collation_is_found_however_it_is_declared(tmp_path: Path) -> None:
    path = tmp_path / "collations.db"
    with writing(path) as connection:
        connection.executescript(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, "na""me" TEXT DEFAULT 'COLLATE' collate /* COLLATE x */ [NOCASE],
                            `q` varchar(10) NOT NULL COLLATE 'rtrim', b text collate binary, c text DEFAULT ')',
                            CHECK (b COLLATE NOCASE <> 'a'), UNIQUE (b COLLATE NOCASE));
            ALTER TABLE a ADD COLUMN late CONSTRAINT x COLLATE nocase;
            CREATE TABLE "collate" ("collate" text, b text);
            """
        )
    source = open_source(str(path))
    found = source.tables(["a", "collate"])
    source.close()
    assert {c.name: c.collation for c in found["a"].columns if c.collation} == {
        'na"me': "NOCASE",
        "q": "rtrim",
        "late": "nocase",
    }
    assert not any(c.collation for c in found["collate"].columns)
