"""Loading the sample into MariaDB and DuckDB: all or nothing, once, and never beside somebody else's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote.connect import seed
from footnote.connect.seed import TABLES
from footnote.connect.seed_others import seed_duckdb, seed_mysql
from footnote.errors import SourceUnavailable, UsageError


class Target:
    """An empty database of one engine."""

    def __init__(self, url: str, load: Callable[[], bool], run: Callable[..., list[tuple[Any, ...]]]) -> None:
        self.url = url
        self.load = load
        self.run = run

    def tables(self) -> set[str]:
        sql = "SELECT table_name FROM information_schema.tables WHERE table_schema IN ('main', DATABASE())"
        return {
            name for (name,) in self.run(sql.replace("DATABASE()", "DATABASE()" if "mysql" in self.url else "'main'"))
        }


@pytest.fixture(params=["mysql", "duckdb"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Target]:
    if request.param == "duckdb":
        import duckdb

        path = tmp_path / "sample.duckdb"

        def run_there(*statements: str) -> list[tuple[Any, ...]]:
            with duckdb.connect(str(path)) as connection:
                for statement in statements:
                    connection.execute(statement)
                return connection.fetchall()

        yield Target(f"duckdb:///{path}", lambda: seed_duckdb(path), run_there)
        return
    server = request.getfixturevalue("mariadb_server")
    name = server.new_database()
    url = server.url(name)
    yield Target(url, lambda: seed_mysql(url), lambda *statements: server.execute(*statements, database=name))
    server.drop(name)


def test_an_empty_database_gets_the_sample_once(target: Target) -> None:
    assert target.load() is True
    assert target.tables() == set(TABLES)
    assert target.run("SELECT name FROM customers WHERE id = 4471") == [("Bergmann Logistik GmbH",)]
    assert target.run("SELECT COUNT(*) FROM invoices WHERE credits_invoice_id IS NOT NULL")[0][0] > 0
    assert target.load() is False


def test_a_database_with_other_tables_is_refused_and_not_touched(target: Target) -> None:
    target.run("CREATE TABLE account_move (id INTEGER PRIMARY KEY)")
    with pytest.raises(UsageError, match=r"account_move.*empty database"):
        target.load()
    assert target.tables() == {"account_move"}


@pytest.mark.parametrize(
    "change", ["UPDATE payments SET amount_cents = amount_cents + 1 WHERE id = 1", "DROP TABLE tickets"]
)
def test_a_sample_that_was_changed_is_refused(target: Target, change: str) -> None:
    target.load()
    target.run(change)
    with pytest.raises(UsageError, match="not the one that would be loaded"):
        target.load()


def test_a_load_that_fails_leaves_nothing(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed, "TABLES", (*TABLES, "nobody_wrote_this_file"))
    with pytest.raises(FileNotFoundError):
        target.load()
    assert target.tables() == set()
    monkeypatch.undo()
    assert target.load() is True


def test_the_environment_asks_for_it(target: Target, tmp_path: Path) -> None:
    environ = {
        "FOOTNOTE_SEED": "1",
        "FOOTNOTE_CACHE": str(tmp_path / "cache"),
        "PROVENANCE_DB": str(tmp_path / "log.db"),
        "DATABASE_URL": target.url,
    }
    with footnote.open("sample", environ=environ) as session:
        assert list(session.run("getOverdueInvoices", {"customer": "4471"}).figures())


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path, mysql_url: str, mysql_reader_url: Any) -> None:
    with pytest.raises(SourceUnavailable, match="cannot be loaded"):
        seed_duckdb(tmp_path / "nowhere" / "sample.duckdb")
    with pytest.raises(SourceUnavailable, match="may create tables"):
        seed_mysql(mysql_reader_url(mysql_url))
