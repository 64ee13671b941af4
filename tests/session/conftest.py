"""A session on the sample company, on SQLite, DuckDB, and real PostgreSQL and MariaDB servers: one suite, all engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import footnote
from footnote.access import Actor
from footnote.connect.seed import seed_postgres, seed_sqlite
from footnote.connect.seed_others import seed_duckdb, seed_mysql
from footnote.session import Session

ACTOR = Actor("ana", "controller")


@pytest.fixture(scope="module")
def sqlite_source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("source") / "erp.db"
    seed_sqlite(path)
    return f"sqlite:///{path}"


@pytest.fixture(scope="module")
def postgres_source(postgres_url: str, postgres_reader_url: Callable[[str], str]) -> str:
    seed_postgres(postgres_url)
    return postgres_reader_url(postgres_url)


@pytest.fixture(scope="module")
def mysql_source(mysql_url: str, mysql_reader_url: Callable[[str], str]) -> str:
    seed_mysql(mysql_url)
    return mysql_reader_url(mysql_url)


@pytest.fixture(scope="module")
def duckdb_source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("source") / "erp.duckdb"
    seed_duckdb(path)
    return f"duckdb:///{path}"


@pytest.fixture(scope="module", params=["sqlite", "postgres", "mysql", "duckdb"])
def source_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"{request.param}_source")
    return url


@pytest.fixture
def open_session(tmp_path: Path) -> Iterator[Callable[..., Session]]:
    """Opens sessions whose log and cache lie in the test's own folder."""
    opened: list[Session] = []

    def open_it(url: str, catalog: str = "sample", **environ: str) -> Session:
        session = footnote.open(
            catalog,
            database_url=url,
            provenance_db=tmp_path / "log.db",
            actor=ACTOR,
            environ={"FOOTNOTE_CACHE": str(tmp_path / "cache")} | environ,
        )
        opened.append(session)
        return session

    yield open_it
    for session in opened:
        session.close()


@pytest.fixture
def session(open_session: Callable[..., Session], source_url: str) -> Session:
    return open_session(source_url)
