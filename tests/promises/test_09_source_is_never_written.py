"""Promise 9: the system of record is never written. Enforced by the engine on every connection.

The attacks go straight into a `Query`, around the catalog's guard, with a login that *may* write (the owner of the
file; the superuser of the server, and a plain owner of the tables). Afterwards the database is what it was. Then they
go around the driver's own look at the text too, onto its raw connection, and the engine still refuses.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from footnote.errors import FootnoteError, SourceUnavailable, StatementRefused
from footnote.sources.opening import open_source
from footnote.sources.postgres import PostgresSource
from footnote.sources.query import Column, Query, ValueType
from footnote.sources.source import Source
from footnote.sources.sqlite import SqliteSource


def send(source: Source, *statements: str) -> list[FootnoteError]:
    """Run statements in one snapshot; the errors of those that failed."""
    faults: list[FootnoteError] = []
    with source.snapshot() as snapshot:
        for sql in statements:
            try:
                snapshot.run(Query(sql, {}, (Column("x", ValueType.ANY),))).all()
            except FootnoteError as error:
                faults.append(error)
    return faults


def refused(source: Source, sql: str) -> None:
    faults = send(source, sql)
    assert faults, f"{sql} was let through"
    assert isinstance(faults[0], StatementRefused | SourceUnavailable), faults[0].text


# --- SQLite -----------------------------------------------------------------------------------------------------------

SQLITE_ATTACKS = [
    "DELETE FROM invoice",
    "INSERT INTO invoice VALUES (9)",
    "UPDATE invoice SET id = id + 1",
    "DROP TABLE invoice",
    "CREATE TABLE mine (a)",
    "CREATE TEMP TABLE mine (a)",
    "WITH x AS (SELECT 1) DELETE FROM invoice",
    "WITH x AS (SELECT 1) INSERT INTO invoice SELECT * FROM x",
    "WITH x AS (DELETE FROM invoice RETURNING id) SELECT * FROM x",
    "SELECT 1; DELETE FROM invoice",
    "SELECT 1; COMMIT; DROP TABLE invoice",
    "SELECT 1 /* ; */ ; -- x\nDROP TABLE invoice",
    "COMMIT",
    "ROLLBACK",
    "END",
    "SAVEPOINT a",
    "VACUUM INTO '/tmp/footnote-attack.db'",
    "ATTACH DATABASE '/tmp/footnote-attack.db' AS a",
    "DETACH DATABASE main",
    "PRAGMA writable_schema = 1",
    "PRAGMA query_only = 0",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA user_version = 7",
    "SELECT load_extension('/tmp/evil')",
    "SELECT LOAD_EXTENSION('/tmp/evil', 'entry')",
    "SELECT writefile('/tmp/footnote-attack.db', 'x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT edit('x', 'sh')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT * FROM pragma_user_version",
    "REINDEX",
    "ANALYZE",
    "EXPLAIN DELETE FROM invoice",
    "/* SELECT */ DELETE FROM invoice",
    "\u00a0DELETE FROM invoice",
]


@pytest.fixture(params=["DELETE", "WAL"])
def books(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "books.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {request.param}")
    connection.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY)")
    connection.execute("INSERT INTO invoice VALUES (1), (2)")
    connection.execute("CREATE INDEX backwards ON invoice (id DESC)")
    connection.close()
    return path


@pytest.fixture
def file_source(books: Path) -> Iterator[SqliteSource]:
    source = open_source(f"sqlite:///{books}", timeout=2)
    assert isinstance(source, SqliteSource)
    yield source
    source.close()


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_no_attack_writes_a_sqlite_file(books: Path, file_source: SqliteSource) -> None:
    before = digest(books)
    for sql in SQLITE_ATTACKS:
        # What is not there to be called (`readfile` outside of SQLite's shell) fails as missing: that is refused too.
        assert send(file_source, sql), f"{sql} was let through"
        assert digest(books) == before, sql
    assert not Path("/tmp/footnote-attack.db").exists()
    assert send(file_source, "SELECT id FROM invoice") == []


def test_sqlite_itself_refuses_when_nobody_looks_at_the_text(books: Path, file_source: SqliteSource) -> None:
    before = digest(books)
    with file_source.snapshot() as snapshot:
        raw = snapshot.connection.raw
        for sql in SQLITE_ATTACKS:
            if sql in {"COMMIT", "ROLLBACK", "END"} or ";" in sql or sql.startswith("EXPLAIN"):
                continue
            with pytest.raises(sqlite3.Error):
                raw.execute(sql).fetchall()
        for sql in ("COMMIT", "ROLLBACK", "END", "BEGIN IMMEDIATE"):
            with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
                raw.execute(sql)
    assert digest(books) == before


def test_sqlite_refuses_to_write_even_without_the_authorizer(books: Path, file_source: SqliteSource) -> None:
    before = digest(books)
    with file_source.snapshot() as snapshot:
        raw = snapshot.connection.raw
        raw.set_authorizer(None)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            raw.execute("DELETE FROM invoice")
        raw.execute("PRAGMA query_only = OFF")
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            raw.execute("DELETE FROM invoice")
        with pytest.raises(sqlite3.OperationalError, match="too many attached"):
            raw.execute("ATTACH DATABASE ':memory:' AS a")
    assert digest(books) == before


# --- PostgreSQL -------------------------------------------------------------------------------------------------------

POSTGRES_ATTACKS = [
    "DELETE FROM invoice",
    "INSERT INTO invoice VALUES (9)",
    "DROP TABLE invoice",
    "TRUNCATE invoice",
    "CREATE TABLE mine (a int)",
    "CREATE TEMP TABLE mine (a int)",
    "SELECT * INTO mine FROM invoice",
    "SELECT id FROM invoice FOR UPDATE",
    "WITH x AS (DELETE FROM invoice RETURNING id) SELECT * FROM x",
    "WITH x AS (INSERT INTO invoice VALUES (9) RETURNING id) SELECT * FROM x",
    "WITH x AS (SELECT 1) UPDATE invoice SET id = id + 1",
    "SELECT 1; DELETE FROM invoice",
    "SELECT 1; COMMIT; DROP TABLE invoice",
    "COMMIT",
    "ROLLBACK",
    "ROLLBACK TO SAVEPOINT footnote",
    "SET TRANSACTION READ WRITE",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "SET transaction_read_only = off",
    "SELECT set_config('transaction_read_only', 'off', true)",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "COPY invoice TO PROGRAM 'cat > /tmp/footnote-attack'",
    "COPY invoice FROM PROGRAM 'echo 9'",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_create(4711)",
    "SELECT nextval('numbers')",
    "SELECT setval('numbers', 100)",
    "SELECT write_it()",
    "DO $$ BEGIN DELETE FROM invoice; END $$",
    "CALL write_and_commit()",
    "EXPLAIN ANALYZE DELETE FROM invoice",
    "PREPARE x AS DELETE FROM invoice",
    "VACUUM invoice",
    "NOTIFY x",
    "LOCK TABLE invoice",
    "/* SELECT */ DELETE FROM invoice",
]
ONLY_A_SUPERUSER_MAY = ["SELECT pg_read_file('/etc/passwd')", "SELECT lo_export(1, '/tmp/footnote-attack')"]

PREPARATIONS = [
    "SELECT set_config('default_transaction_read_only', 'off', false)",
    "SELECT set_config('statement_timeout', '0', false)",
    "COMMIT",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "SET TRANSACTION READ WRITE",
    "BEGIN READ WRITE",
]


@pytest.fixture(scope="module")
def ledger(postgres_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE invoice (id int PRIMARY KEY)")
        connection.execute("INSERT INTO invoice VALUES (1), (2)")
        connection.execute("CREATE SEQUENCE numbers")
        connection.execute(
            "CREATE FUNCTION write_it() RETURNS int LANGUAGE sql SECURITY DEFINER AS "
            "'INSERT INTO invoice VALUES (9) RETURNING id'"
        )
        connection.execute(
            "CREATE PROCEDURE write_and_commit() LANGUAGE plpgsql AS "
            "'BEGIN COMMIT; INSERT INTO invoice VALUES (9); COMMIT; END'"
        )
        connection.execute("CREATE ROLE erp_owner LOGIN")
        connection.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO erp_owner")
        connection.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO erp_owner")
        connection.execute("GRANT ALL ON SCHEMA public TO erp_owner")
        yield connection


@pytest.fixture(params=["postgres", "erp_owner"])
def server_source(
    request: pytest.FixtureRequest, postgres_url: str, ledger: psycopg.Connection[Any]
) -> Iterator[PostgresSource]:
    """As the superuser, and as one who may write all tables."""
    source = open_source(postgres_url.replace("//postgres@", f"//{request.param}@"), timeout=5, limit=1)
    assert isinstance(source, PostgresSource)
    yield source
    source.close()


def contents(ledger: psycopg.Connection[Any]) -> list[Any]:
    return [
        ledger.execute("SELECT id, xmin::text FROM invoice ORDER BY id").fetchall(),
        ledger.execute("SELECT last_value, is_called FROM numbers").fetchall(),
        ledger.execute("SELECT oid FROM pg_class ORDER BY oid").fetchall(),
        ledger.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchall(),
    ]


@pytest.mark.postgres
def test_no_attack_writes_a_postgres_database(ledger: psycopg.Connection[Any], server_source: PostgresSource) -> None:
    before = contents(ledger)
    for sql in POSTGRES_ATTACKS:
        refused(server_source, sql)
        assert contents(ledger) == before, sql
    assert not Path("/tmp/footnote-attack").exists()


@pytest.mark.postgres
@pytest.mark.parametrize("preparation", PREPARATIONS)
def test_no_preparation_opens_the_way(
    ledger: psycopg.Connection[Any], server_source: PostgresSource, preparation: str
) -> None:
    before = contents(ledger)
    attack = "WITH x AS (DELETE FROM invoice RETURNING id) SELECT * FROM x"
    faults = send(server_source, preparation, "SELECT 1", "COMMIT", attack)
    assert isinstance(faults[-1], StatementRefused)
    refused(server_source, attack)  # the same connection, in the next snapshot
    assert contents(ledger) == before


@pytest.mark.postgres
def test_postgres_itself_refuses_when_nobody_looks_at_the_text(
    ledger: psycopg.Connection[Any], server_source: PostgresSource
) -> None:
    before = contents(ledger)
    for way in ("SET TRANSACTION READ WRITE", "SET LOCAL transaction_read_only = off"):
        with server_source.snapshot() as snapshot, pytest.raises(psycopg.errors.ActiveSqlTransaction):
            snapshot.connection.raw.execute(way.encode())
    with server_source.snapshot() as snapshot:
        raw = snapshot.connection.raw
        raw.execute("ROLLBACK")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            raw.execute("DELETE FROM invoice")  # outside of our transaction the session is read-only too
    assert contents(ledger) == before
    assert send(server_source, "SELECT id FROM invoice") == []


@pytest.mark.postgres
def test_a_transaction_that_was_ended_behind_our_back_is_noticed_and_its_connection_closed(
    server_source: PostgresSource,
) -> None:
    with server_source.snapshot() as snapshot:
        connection = snapshot.connection
        pid = connection.raw.info.backend_pid
        connection.raw.execute("COMMIT")
        with pytest.raises(SourceUnavailable, match="snapshot of the source was lost"):
            snapshot.run(Query("SELECT 1", {}, (Column("x", ValueType.ANY),)))
    with server_source.snapshot() as snapshot:
        assert snapshot.connection.raw.info.backend_pid != pid


@pytest.mark.postgres
def test_files_of_the_server_are_out_of_reach_for_a_login_that_may_only_read(
    ledger: psycopg.Connection[Any], postgres_url: str, postgres_reader_url: Callable[[str], str]
) -> None:
    source = open_source(postgres_reader_url(postgres_url))
    for sql in [*POSTGRES_ATTACKS, *ONLY_A_SUPERUSER_MAY]:
        refused(source, sql)
    assert send(source, "SELECT id FROM invoice") == []
    source.close()
