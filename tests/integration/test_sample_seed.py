"""Loading the sample: all or nothing, once, and never into a database that holds anything else. On both engines."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest

from footnote.connect import seed
from footnote.connect.seed import TABLES, seed_postgres, seed_sqlite
from footnote.errors import SourceUnavailable, UsageError


def run(path: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def tables(path: Path) -> set[str]:
    return {name for (name,) in run(path, "SELECT name FROM sqlite_schema WHERE type = 'table'")}


# --- SQLite -----------------------------------------------------------------------------------------------------------


def test_a_new_file_gets_the_sample(tmp_path: Path) -> None:
    path = tmp_path / "sample.db"
    assert seed_sqlite(path) is True
    assert tables(path) == set(TABLES)
    assert run(path, "SELECT name FROM customers WHERE id = 4471") == [("Bergmann Logistik GmbH",)]
    assert run(path, "SELECT DISTINCT typeof(id), typeof(due_on), typeof(amount_cents) FROM invoices") == [
        ("integer", "text", "integer")
    ]
    assert run(path, "PRAGMA foreign_key_check") == []
    assert run(path, "SELECT COUNT(*) FROM invoices WHERE credits_invoice_id IS NULL AND amount_cents < 0") == [(0,)]


def test_loaded_again_nothing_changes(tmp_path: Path) -> None:
    path = tmp_path / "sample.db"
    seed_sqlite(path)
    before = path.read_bytes()
    assert seed_sqlite(path) is False
    assert path.read_bytes() == before


def test_a_file_that_was_analysed_is_still_the_sample(tmp_path: Path) -> None:
    path = tmp_path / "sample.db"
    seed_sqlite(path)
    run(path, "ANALYZE")
    assert seed_sqlite(path) is False


def test_a_database_with_other_tables_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "erp.db"
    run(path, "CREATE TABLE account_move (id INTEGER PRIMARY KEY)")
    before = path.read_bytes()
    with pytest.raises(UsageError, match=r"account_move.*empty database"):
        seed_sqlite(path)
    assert path.read_bytes() == before


def test_a_table_beside_the_samples_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sample.db"
    seed_sqlite(path)
    run(path, "CREATE VIEW mine AS SELECT 1")
    with pytest.raises(UsageError, match="mine"):
        seed_sqlite(path)


def test_somebody_elses_tables_of_the_same_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "erp.db"
    for name in TABLES:
        run(path, f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, anything TEXT)")
    with pytest.raises(UsageError, match="other columns"):
        seed_sqlite(path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE invoices SET amount_cents = amount_cents + 1 WHERE id = 8812",
        "DELETE FROM payments WHERE id = 1",
        "DROP TABLE tickets",
    ],
)
def test_a_sample_that_was_changed_is_refused(tmp_path: Path, change: str) -> None:
    path = tmp_path / "sample.db"
    seed_sqlite(path)
    run(path, change)
    with pytest.raises(UsageError, match="not the one that would be loaded"):
        seed_sqlite(path)


def test_a_load_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sample.db"
    monkeypatch.setattr(seed, "TABLES", (*TABLES, "nobody_wrote_this_file"))
    with pytest.raises(FileNotFoundError):
        seed_sqlite(path)
    assert tables(path) == set()
    monkeypatch.undo()
    assert seed_sqlite(path) is True


def test_processes_that_start_together_load_once(tmp_path: Path) -> None:
    path = tmp_path / "sample.db"
    assert sorted(together(lambda: seed_sqlite(path))) == [False, False, False, True]


def together(load: Callable[[], bool]) -> list[bool]:
    outcomes: list[bool] = []
    threads = [threading.Thread(target=lambda: outcomes.append(load())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "report.xlsx"
    path.write_bytes(b"this is not a database" * 100)
    with pytest.raises(SourceUnavailable, match="not a database"):
        seed_sqlite(path)
    assert path.read_bytes() == b"this is not a database" * 100


def test_a_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="in a folder that exists"):
        seed_sqlite(tmp_path / "nowhere" / "sample.db")


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


@pytest.fixture
def fresh(postgres_server: Any) -> Iterator[str]:
    """An empty database for one test."""
    name = postgres_server.new_database()
    yield postgres_server.url(name)
    postgres_server.drop(name)


def ask(url: str, statement: LiteralString) -> list[Any]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


OBJECTS: LiteralString = """
    SELECT relkind::text, relname FROM pg_class WHERE relnamespace NOT IN (
        SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_' OR nspname = 'information_schema')
    UNION ALL SELECT 'function', proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT 'schema', nspname FROM pg_namespace WHERE nspname !~ '^pg_'
    UNION ALL SELECT 'extension', extname FROM pg_extension
    UNION ALL SELECT 'role', rolname FROM pg_roles
"""


@pytest.mark.postgres
def test_an_empty_database_gets_the_tables_and_nothing_else(fresh: str) -> None:
    before = set(ask(fresh, OBJECTS))
    assert seed_postgres(fresh) is True
    made = set(ask(fresh, OBJECTS)) - before
    assert {name for kind, name in made if kind == "r"} == set(TABLES)
    assert {kind for kind, _ in made} == {"r", "i"}
    assert ask(fresh, "SELECT name FROM customers WHERE id = 4471") == [("Bergmann Logistik GmbH",)]


@pytest.mark.postgres
def test_both_engines_hold_the_same_rows(fresh: str, tmp_path: Path) -> None:
    seed_postgres(fresh)
    path = tmp_path / "sample.db"
    seed_sqlite(path)
    for name in TABLES:
        with psycopg.connect(fresh) as connection:
            rows = connection.execute(f"SELECT * FROM {name} ORDER BY id".encode()).fetchall()
        texts = [tuple(None if v is None else str(v) for v in row) for row in rows]
        assert texts == [
            tuple(None if v is None else str(v) for v in row) for row in run(path, f"SELECT * FROM {name} ORDER BY id")
        ]


@pytest.mark.postgres
def test_loaded_again_postgres_is_left_alone(fresh: str) -> None:
    seed_postgres(fresh)
    assert seed_postgres(fresh.replace("postgresql://", "postgresql+psycopg://")) is False


@pytest.mark.postgres
def test_postgres_with_other_tables_is_refused_and_not_touched(fresh: str) -> None:
    ask(fresh, "CREATE SCHEMA erp")
    ask(fresh, "CREATE TABLE erp.account_move (id INTEGER PRIMARY KEY)")
    with pytest.raises(UsageError, match=r"account_move.*empty database"):
        seed_postgres(fresh)
    assert ask(fresh, "SELECT to_regclass('public.customers')") == [(None,)]


@pytest.mark.postgres
def test_a_postgres_sample_that_was_changed_is_refused(fresh: str) -> None:
    seed_postgres(fresh)
    ask(fresh, "UPDATE invoices SET due_on = due_on + 1 WHERE id = 8812")
    with pytest.raises(UsageError, match="table invoices"):
        seed_postgres(fresh)


@pytest.mark.postgres
def test_a_postgres_table_with_other_columns_is_refused(fresh: str) -> None:
    seed_postgres(fresh)
    ask(fresh, "ALTER TABLE tickets RENAME COLUMN subject TO title")
    with pytest.raises(UsageError, match="other columns"):
        seed_postgres(fresh)


@pytest.mark.postgres
def test_processes_that_start_together_load_postgres_once(fresh: str) -> None:
    assert sorted(together(lambda: seed_postgres(fresh))) == [False, False, False, True]


@pytest.mark.postgres
def test_a_postgres_load_that_fails_leaves_nothing(fresh: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed, "TABLES", (*TABLES, "nobody_wrote_this_file"))
    with pytest.raises(FileNotFoundError):
        seed_postgres(fresh)
    assert ask(fresh, "SELECT to_regclass('public.customers')") == [(None,)]


@pytest.mark.postgres
def test_a_login_that_may_not_create_tables_is_told_so(fresh: str, postgres_reader_url: Callable[[str], str]) -> None:
    with pytest.raises(SourceUnavailable, match="permission denied"):
        seed_postgres(postgres_reader_url(fresh))


def test_a_server_that_is_down_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="cannot be loaded"):
        seed_postgres(f"postgresql://me:secret@/nothing?host={tmp_path}")


@pytest.mark.parametrize(
    "url", ["mysql://me:secret@db/x", "me:secret@db/x", "postgresql://me:secret@db:port/x?what=1", ""]
)
def test_a_url_that_cannot_be_used_is_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        seed_postgres(url)
    assert "secret" not in caught.value.text


def test_the_samples_files_are_in_the_package() -> None:
    folder = Path(seed.__file__).parent.parent / "packs" / "sample"
    assert {path.stem for path in (folder / "data").iterdir()} == set(TABLES)
    assert (folder / "catalog.yaml").is_file()
