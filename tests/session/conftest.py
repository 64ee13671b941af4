"""A session on the sample company, on SQLite, DuckDB, and real PostgreSQL and MariaDB servers: one suite, all engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

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


# --- a database of a test's own ---------------------------------------------------------------------------------------

Run = Callable[..., object]


@pytest.fixture(params=["sqlite", "postgres", "mysql", "duckdb"])
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def database(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Run]]:
    """The URL of an empty database of a test's own, and what runs SQL in it as its owner."""
    if engine == "postgres":
        import psycopg

        server = request.getfixturevalue("postgres_server")
        name = server.new_database()
        with psycopg.connect(server.url(name), autocommit=True) as postgres:
            yield server.url(name), running(postgres)
        server.drop(name)
    elif engine == "mysql":
        server = request.getfixturevalue("mariadb_server")
        name = server.new_database()
        yield server.url(name), lambda *texts: server.execute(*texts, database=name)
        server.drop(name)
    else:
        path = tmp_path / f"own.{engine}"

        def run(*texts: str) -> None:
            with closing(opened(engine, path)) as connection:
                for text in texts:
                    connection.execute(text)

        yield f"{engine}:///{path}", run


def running(connection: Any) -> Run:
    """Runs texts of SQL one by one."""
    return lambda *texts: [connection.execute(text.encode()) for text in texts]


def opened(engine: str, path: Path) -> Any:
    import sqlite3

    import duckdb

    return duckdb.connect(str(path)) if engine == "duckdb" else sqlite3.connect(path, isolation_level=None)
