"""Promise 9: the system of record is never written. Enforced by the engine on every connection.

The attacks go straight into a `Query`, around the catalog's guard, with a login that *may* write (the owner of the
file; the superuser of the server, and a plain owner of the tables). Afterwards the database is what it was. Then they
go around the driver's own look at the text too, onto its raw connection, and the engine still refuses.
"""

from __future__ import annotations

import csv
import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pymysql
import pytest

from footnote.errors import FootnoteError, SourceUnavailable, StatementRefused
from footnote.sources.duckdb import DuckdbSource
from footnote.sources.files import FilesSource
from footnote.sources.mysql import MysqlSource
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


EVERYWHERE = [
    "EXEC xp_cmdshell 'dir'",
    "EXECUTE sp_executesql N'DELETE FROM invoice'",
    "SELECT id FROM invoice\uff1b DELETE FROM invoice",
    "SELECT id FROM invoice WHERE id = 1\u037e DELETE FROM invoice",
    "\ufeffDELETE FROM invoice",
    "\u200bDROP TABLE invoice",
    "\uff33\uff25\uff2c\uff25\uff23\uff34 1",
    "SELECT 1 \u2028; DROP TABLE invoice",
    "SELECT id FROM invoice; -- \u202e eciovni MORF ETELED\nDELETE FROM invoice",
]
"""What no engine reads as one query: words of other engines, and letters that look like others or like nothing."""


# --- SQLite -----------------------------------------------------------------------------------------------------------

SQLITE_ATTACKS = [
    *EVERYWHERE,
    "SELECT id FROM invoice /* a /* b */ ; DELETE FROM invoice; -- */",
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
    *EVERYWHERE,
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
    "SELECT query_to_xml('DELETE FROM invoice RETURNING id', true, true, '')",
    "SELECT U&'\\0064' ; DROP TABLE invoice",
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

NOT_INSTALLED = ["SELECT * FROM dblink('dbname=postgres', 'DELETE FROM invoice') AS x(id int)"]

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
    for sql in NOT_INSTALLED:
        assert send(server_source, sql), f"{sql} was let through"
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
    with closing(open_source(postgres_reader_url(postgres_url))) as source:
        for sql in [*POSTGRES_ATTACKS, *ONLY_A_SUPERUSER_MAY]:
            refused(source, sql)
        assert send(source, "SELECT id FROM invoice") == []


@pytest.mark.postgres
def test_what_postgres_cannot_keep_from_a_superuser_is_said_by_check(
    ledger: psycopg.Connection[Any], postgres_url: str
) -> None:
    """A read-only transaction denies writes, not a superuser's reading of files: the login is what has to go."""
    with closing(open_source(postgres_url)) as source:
        assert send(source, "SELECT pg_read_file('/etc/hostname')") == []
        assert any("superuser" in power.text for power in source.privileges().powers)


# --- MariaDB ----------------------------------------------------------------------------------------------------------

MARIADB_ATTACKS = [
    *EVERYWHERE,
    "SELECT id FROM invoice /* a /* b */ ; DELETE FROM invoice; -- */",
    "DELETE FROM invoice",
    "INSERT INTO invoice VALUES (9)",
    "REPLACE INTO invoice VALUES (9)",
    "DROP TABLE invoice",
    "TRUNCATE invoice",
    "CREATE TABLE mine (a int)",
    "CREATE TEMPORARY TABLE mine (a int)",
    "SELECT id FROM invoice INTO OUTFILE '{folder}/attack'",
    "SELECT id FROM invoice INTO DUMPFILE '{folder}/attack'",
    "SELECT 'a' INTO/**/OUTFILE '{folder}/attack'",
    "SELECT 'a\\' ' INTO OUTFILE '{folder}/attack' LINES TERMINATED BY ''",
    "SELECT 'a' /*!50000 INTO OUTFILE '{folder}/attack' */",
    "SELECT 'a' /*M!100000 INTO OUTFILE '{folder}/attack' */",
    "SELECT 'a' -- \n INTO OUTFILE '{folder}/attack'",
    "SELECT 'a' # \n INTO OUTFILE '{folder}/attack'",
    "SELECT id FROM invoice INTO @a",
    "SELECT id FROM invoice FOR UPDATE",
    "WITH x AS (SELECT 1 AS id) DELETE FROM invoice USING invoice JOIN x",
    "WITH x AS (SELECT 1 AS id) UPDATE invoice JOIN x SET invoice.id = 7",
    "SELECT 1; DELETE FROM invoice",
    "SELECT 1; COMMIT; DROP TABLE invoice",
    "COMMIT",
    "ROLLBACK",
    "SET SESSION TRANSACTION READ WRITE",
    "SET tx_read_only = 0",
    "START TRANSACTION READ WRITE",
    "SELECT NEXTVAL(numbers)",
    "SELECT NEXT VALUE FOR numbers",
    "SELECT SETVAL(numbers, 100)",
    "SELECT write_it()",
    "CALL write_and_commit()",
    "PREPARE x FROM 'DELETE FROM invoice'",
    "EXECUTE IMMEDIATE 'DELETE FROM invoice'",
    "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE invoice",
    "ANALYZE TABLE invoice",
    "OPTIMIZE TABLE invoice",
    "FLUSH TABLES",
    "LOCK TABLES invoice WRITE",
    "HANDLER invoice OPEN",
    "SET STATEMENT sql_log_bin = 0 FOR DELETE FROM invoice",
    "/* SELECT */ DELETE FROM invoice",
]


@pytest.fixture(scope="module")
def maria(mysql_url: str, mariadb_server: Any) -> Callable[[str], list[Any]]:
    """Asks the module's database as the superuser, in another connection."""
    database = mysql_url.partition("@/")[2].partition("?")[0]
    mariadb_server.execute(
        "CREATE TABLE invoice (id int PRIMARY KEY)",
        "INSERT INTO invoice VALUES (1), (2)",
        "CREATE TABLE loose (id int) ENGINE = MyISAM",
        "CREATE SEQUENCE numbers",
        "CREATE FUNCTION write_it() RETURNS int MODIFIES SQL DATA BEGIN INSERT INTO invoice VALUES (9); RETURN 1; END",
        "CREATE PROCEDURE write_and_commit() BEGIN COMMIT; INSERT INTO invoice VALUES (9); COMMIT; END",
        "CREATE USER erp_owner",
        f"GRANT ALL ON {database}.* TO erp_owner",
        "GRANT FILE ON *.* TO erp_owner",
        database=database,
    )
    return lambda sql: list(mariadb_server.execute(sql, database=database))


@pytest.fixture(params=["root", "erp_owner"])
def maria_source(
    request: pytest.FixtureRequest, mysql_url: str, maria: Callable[[str], list[Any]]
) -> Iterator[MysqlSource]:
    """As the superuser, and as one who may write all tables and files."""
    source = open_source(mysql_url.replace("//root@", f"//{request.param}@"), timeout=5, limit=1)
    assert isinstance(source, MysqlSource)
    yield source
    source.close()


def maria_contents(ask: Callable[[str], list[Any]]) -> list[Any]:
    look = (
        "SELECT id FROM invoice ORDER BY id",
        "SELECT id FROM loose",
        "SELECT next_not_cached_value FROM numbers",
        "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
    )
    return [ask(sql) for sql in look]


@pytest.mark.mariadb
def test_no_attack_writes_a_mariadb_database(
    maria: Callable[[str], list[Any]], maria_source: MysqlSource, mariadb_server: Any
) -> None:
    before = maria_contents(maria)
    for attack in MARIADB_ATTACKS:
        sql = attack.replace("{folder}", str(mariadb_server.folder))
        refused(maria_source, sql)
        assert maria_contents(maria) == before, sql
        assert not (mariadb_server.folder / "attack").exists(), sql


@pytest.mark.mariadb
@pytest.mark.parametrize(
    "preparation",
    [
        "COMMIT",
        "SET SESSION TRANSACTION READ WRITE",
        "SET tx_read_only = 0",
        "START TRANSACTION READ WRITE",
        "SELECT loosen()",
    ],
)
def test_no_preparation_opens_the_way_on_mariadb(
    maria: Callable[[str], list[Any]], maria_source: MysqlSource, preparation: str
) -> None:
    maria("CREATE OR REPLACE FUNCTION loosen() RETURNS int BEGIN SET SESSION tx_read_only = 0; RETURN 1; END")
    before = maria_contents(maria)
    send(maria_source, preparation, "SELECT 1")
    for _ in range(2):  # the second is the same connection, in the next snapshot
        refused(maria_source, "SELECT write_it()")
        refused(maria_source, "WITH x AS (SELECT 1 AS id) DELETE FROM invoice USING invoice JOIN x")
    assert maria_contents(maria) == before


@pytest.mark.mariadb
def test_mariadb_itself_refuses_when_nobody_looks_at_the_text(
    maria: Callable[[str], list[Any]], maria_source: MysqlSource
) -> None:
    before = maria_contents(maria)
    with maria_source.snapshot() as snapshot, snapshot.connection.raw.cursor() as cursor:
        for sql in (
            "DELETE FROM invoice",
            "INSERT INTO loose VALUES (1)",
            "SELECT NEXTVAL(numbers)",
            "DROP TABLE invoice",
        ):
            with pytest.raises(pymysql.err.OperationalError, match="READ ONLY"):
                cursor.execute(sql)
        with pytest.raises(pymysql.err.ProgrammingError):
            cursor.execute("SELECT 1; DELETE FROM invoice")
        cursor.execute("ROLLBACK")
        with pytest.raises(pymysql.err.OperationalError, match="READ ONLY"):
            cursor.execute("DELETE FROM invoice")  # outside of our transaction the session is read-only too
    assert maria_contents(maria) == before
    assert send(maria_source, "SELECT id FROM invoice") == []


@pytest.mark.mariadb
def test_a_mariadb_transaction_that_was_ended_behind_our_back_is_noticed(maria_source: MysqlSource) -> None:
    with maria_source.snapshot() as snapshot:
        with snapshot.connection.raw.cursor() as cursor:
            cursor.execute("COMMIT")
        with pytest.raises(SourceUnavailable, match="snapshot of the source was lost"):
            snapshot.run(Query("SELECT 1", {}, (Column("x", ValueType.ANY),)))


@pytest.mark.mariadb
def test_a_file_of_the_server_is_read_by_whoever_has_the_right_and_check_says_who(
    mysql_url: str, maria: Callable[[str], list[Any]], mysql_reader_url: Callable[[str], str]
) -> None:
    """No setting of a session keeps LOAD_FILE from a login with the FILE privilege: the login is what has to go."""
    read = Query("SELECT LOAD_FILE('/etc/passwd')", {}, (Column("x", ValueType.TEXT),))
    with closing(open_source(mysql_reader_url(mysql_url))) as reader:
        with reader.snapshot() as snapshot:
            assert snapshot.run(read).all() == [(None,)]
        assert not reader.privileges().powers
    for login, says in (("root", "the server's files"), ("erp_owner", "FILE on *.*")):
        with closing(open_source(mysql_url.replace("//root@", f"//{login}@"))) as source:
            assert any(says in power.text for power in source.privileges().powers)


def test_the_word_into_in_a_text_or_a_name_is_no_file(maria_source: MysqlSource) -> None:
    for sql in ("SELECT 'INTO OUTFILE'", "SELECT 1 AS `into`", "SELECT 'it''s into' -- INTO", 'SELECT "a \\" into"'):
        assert send(maria_source, sql) == [], sql


# --- DuckDB -----------------------------------------------------------------------------------------------------------

DUCKDB_ATTACKS = [
    *EVERYWHERE,
    "DELETE FROM invoice",
    "INSERT INTO invoice VALUES (9)",
    "UPDATE invoice SET id = id + 1",
    "DROP TABLE invoice",
    "CREATE TABLE mine (a INTEGER)",
    "CREATE TEMP TABLE mine (a INTEGER)",
    "CREATE TABLE memory.mine (a INTEGER)",
    "WITH x AS (SELECT 9 AS id) INSERT INTO invoice SELECT id FROM x",
    "WITH x AS (SELECT 1) DELETE FROM invoice",
    "SELECT 1; DELETE FROM invoice",
    "SELECT 1; CREATE TEMP TABLE mine (a INTEGER)",
    "SELECT nextval('numbers')",
    "COMMIT",
    "ROLLBACK",
    "CHECKPOINT",
    "VACUUM",
    "ATTACH '{folder}/attack.duckdb'",
    'DETACH "footnote source"',
    "COPY invoice TO '{folder}/attack'",
    "COPY (SELECT 1) TO '{folder}/attack'",
    "EXPORT DATABASE '{folder}/attack'",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET enable_external_access",
    "SET lock_configuration = false",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "PREPARE x AS DELETE FROM invoice",
    "EXPLAIN ANALYZE DELETE FROM invoice",
    "FROM invoice",
    "/* SELECT */ DELETE FROM invoice",
]


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    path = tmp_path / "books" / "books.duckdb"
    path.parent.mkdir()
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY)")
        connection.execute("INSERT INTO invoice VALUES (1), (2)")
        connection.execute("CREATE SEQUENCE numbers")
    return path


@pytest.fixture
def duck_source(warehouse: Path) -> Iterator[DuckdbSource]:
    source = open_source(f"duckdb:///{warehouse}", timeout=2)
    assert isinstance(source, DuckdbSource)
    yield source
    source.close()


def test_no_attack_writes_a_duckdb_file(warehouse: Path, duck_source: DuckdbSource) -> None:
    before = digest(warehouse)
    for attack in DUCKDB_ATTACKS:
        sql = attack.replace("{folder}", str(warehouse.parent))
        assert send(duck_source, sql), f"{sql} was let through"
        assert digest(warehouse) == before, sql
        assert list(warehouse.parent.iterdir()) == [warehouse], sql
    send(duck_source, "SELECT * FROM checkpoint()", "SELECT * FROM force_checkpoint()")  # does nothing, or fails
    assert digest(warehouse) == before
    assert send(duck_source, "SELECT id FROM invoice") == []


def test_duckdb_itself_refuses_when_nobody_looks_at_the_text(warehouse: Path, duck_source: DuckdbSource) -> None:
    before = digest(warehouse)
    with duck_source.snapshot() as snapshot:
        for sql in (
            "DELETE FROM invoice",
            "DROP TABLE invoice",
            "SELECT nextval('numbers')",
            "CREATE TABLE mine (a INTEGER)",
        ):
            with pytest.raises(duckdb.Error, match="read-only"):
                snapshot.raw.execute(sql).fetchall()
        for sql in (
            "SET enable_external_access = true",
            "SET temp_directory = '/tmp'",
            "SET lock_configuration = false",
        ):
            with pytest.raises(duckdb.Error, match=r"[Cc]annot change"):
                snapshot.raw.execute(sql)
        for sql in (
            f"ATTACH '{warehouse}2'",
            f"COPY invoice TO '{warehouse}2'",
            "SELECT * FROM read_text('/etc/passwd')",
        ):
            with pytest.raises(duckdb.Error, match="disabled by configuration"):
                snapshot.raw.execute(sql)
    assert digest(warehouse) == before


# --- a folder of files ------------------------------------------------------------------------------------------------


@pytest.fixture
def folder_source(tmp_path: Path) -> Iterator[FilesSource]:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "invoice.csv").write_text("id\n1\n2\n")
    (tmp_path / "secret.csv").write_text("id,word\n1,hunter2\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    source = open_source(f"files://{folder}", timeout=2, cache=tmp_path / "cache")
    assert isinstance(source, FilesSource)
    yield source
    source.close()


def contents_of(folder: Path) -> dict[Path, str]:
    return {path: digest(path) for path in folder.rglob("*") if path.is_file()}


def test_no_attack_writes_or_leaves_a_folder_of_files(tmp_path: Path, folder_source: FilesSource) -> None:
    assert send(folder_source, "SELECT id FROM invoice") == []
    before = contents_of(tmp_path)
    folder = str(tmp_path / "files")
    own = [
        f"SELECT * FROM read_csv('{folder}/invoice.csv')",
        f"SELECT * FROM '{folder}/invoice.csv'",
        "SELECT * FROM link",
    ]
    for attack in [*DUCKDB_ATTACKS, *own, f"SELECT * FROM read_text('{tmp_path}/secret.csv')"]:
        sql = attack.replace("{folder}", folder)
        assert send(folder_source, sql), f"{sql} was let through"
        assert contents_of(tmp_path) == before, sql
    with folder_source.snapshot() as snapshot:
        for sql in ("DELETE FROM invoice", "DROP TABLE invoice", "CREATE TABLE mine (a INTEGER)"):
            with pytest.raises(duckdb.Error, match="read-only"):
                snapshot.raw.execute(sql)
        for sql in (*own[:2], f"COPY invoice TO '{folder}/x.csv'", f"ATTACH '{folder}/x.duckdb'"):
            with pytest.raises(duckdb.Error, match="disabled by configuration"):
                snapshot.raw.execute(sql)
        with pytest.raises(duckdb.Error, match=r"[Cc]annot change"):
            snapshot.raw.execute(f"SET allowed_directories = ['{folder}']")
    assert contents_of(tmp_path) == before
    assert send(folder_source, "SELECT id FROM invoice") == []


def test_no_text_in_a_file_is_ever_sql(tmp_path: Path) -> None:
    """Names of files, sheets and columns, and values, become names and values."""
    (tmp_path / "f").mkdir()
    attacks = [
        "x'); DROP TABLE invoice; --",
        'x"; DROP TABLE invoice; --',
        "x'), ('y",
        "$report",
        "{v}",
        "=cmd|' /C calc'!A0",
    ]
    (tmp_path / "f" / "invoice.csv").write_text("id\n1\n2\n")
    for place, attack in enumerate(attacks):
        with (tmp_path / "f" / f"{attack.replace('/', '')}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["id", attack], [1, attack], [2, f"{attack}{place}"]])
    with closing(open_source(f"files://{tmp_path / 'f'}?delimiter=comma", cache=tmp_path / "cache")) as source:
        assert isinstance(source, FilesSource)
        assert [one.place for one in source.found().unread] == []
        assert len(source.found().tables) == len(attacks) + 1
        assert send(source, "SELECT id FROM invoice") == []
