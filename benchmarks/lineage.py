"""TPC-H: how many of the 22 queries are traced without hand-written evidence, and what that costs, on each engine.

    python benchmarks/lineage.py [--scale 0.01] [--engine duckdb]... [--query 1]... [--repeat 3] [--data FOLDER] [--json]

Each query is an operation of a catalog that has nothing but its SELECT (tests/tpch, where it is also compared with the plain
query). It runs, and its figures are recomputed from the rows behind them. Printed are the time of the query alone, of its
witness statements, and of checking them outside the engine; the overhead is the last two over the first. Then the time of
the whole call, with the fields of the rows and the texts that a reader sees. The goals are 22 of 22 on DuckDB and PostgreSQL,
and an overhead of at most 2 at the median and 10 at worst.

PostgreSQL and MariaDB are started here, in the temporary folder. At scale 1 data take some minutes to make; `--data` keeps
them, and the databases that are files, for another time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.conftest import start_mariadb, start_postgres  # noqa: E402
from tests.tpch import loading  # noqa: E402
from tests.tpch.queries import ENGINES, QUERIES, catalog  # noqa: E402

import footnote  # noqa: E402 (the path above)
from footnote.errors import FootnoteError  # noqa: E402
from footnote.operations import run as running  # noqa: E402
from footnote.session import Session  # noqa: E402

MEDIAN_GOAL, WORST_GOAL = 2.0, 10.0


@dataclass(frozen=True)
class Measured:
    """One query on one engine, times in milliseconds.

    Attributes:
        query: Its number.
        refused: Why there is no figure; empty if there is.
        statement_ms: The query alone.
        witness_ms: Its witness statements.
        check_ms: What checks it outside the engine.
        call_ms: The whole call.
        rows: Rows that the witness statements returned.
    """

    query: int
    refused: str = ""
    statement_ms: float = 0.0
    witness_ms: float = 0.0
    check_ms: float = 0.0
    call_ms: float = 0.0
    rows: int = 0

    @property
    def overhead(self) -> float:
        """What is added, by what the query takes itself."""
        return (self.witness_ms + self.check_ms) / self.statement_ms


def measured(session: Session, number: int, repeat: int) -> Measured:
    """The fastest of several runs; plans are compiled before."""
    try:
        session.run(f"q{number}", {})
        return min(
            (once(session, number) for _ in range(repeat)), key=lambda m: m.statement_ms + m.witness_ms + m.check_ms
        )
    except FootnoteError as error:
        return Measured(number, refused=f"{type(error).__name__}: {error.what}")


@dataclass
class Clock:
    """How long tying out took, statements included; measured where a call does it, which no result tells."""

    seconds: float = 0.0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            started = time.perf_counter()
            try:
                return function(*arguments)
            finally:
                self.seconds += time.perf_counter() - started

        return timed


CLOCK = Clock()
running._Call._tie_out = CLOCK.around(running._Call._tie_out)  # type: ignore[method-assign]


def once(session: Session, number: int) -> Measured:
    CLOCK.seconds = 0.0
    result = session.run(f"q{number}", {})
    took: dict[str, float] = {}
    rows = 0
    for query in result.queries:
        took[query.purpose] = took.get(query.purpose, 0.0) + float(query.duration_ms)
        rows += query.rows if query.purpose == "witness" else 0
    statement, witness = took["statement"], took.get("witness", 0.0)
    check = max(CLOCK.seconds * 1000 - statement - witness, 0.0)
    return Measured(number, "", statement, witness, check, float(result.duration_ms), rows)


def databases(folder: Path, scale: float, stack: ExitStack) -> dict[str, Callable[[], str]]:
    """By engine: what loads its database and gives its URL."""
    files = loading.write_csv(folder / f"csv-{scale:g}", scale)

    def in_file(name: str, load: Callable[[Path, Path], str], scheme: str) -> Callable[[], str]:
        path = folder / f"{name}-{scale:g}.db"
        return lambda: f"{scheme}:///{path}" if path.exists() else load(path, files)

    def postgres() -> str:
        server = start_postgres()
        stack.callback(server.remove)
        return loading.load_postgres(server.url(server.new_database()), files)

    def mariadb() -> str:
        server = start_mariadb()
        stack.callback(server.remove)
        return loading.load_mariadb(server, server.url(server.new_database()), files)

    return {
        "sqlite": in_file("sqlite", loading.load_sqlite, "sqlite"),
        "duckdb": in_file("duckdb", loading.load_duckdb, "duckdb"),
        "postgres": postgres,
        "mysql": mariadb,
    }


@contextmanager
def opened(url: str, folder: Path) -> Iterator[Session]:
    file = folder / "tpch.yaml"
    file.write_text(catalog(), encoding="utf-8")
    environ = {"FOOTNOTE_CACHE": str(folder / "cache"), "PROVENANCE_DB": str(folder / "log.db")}
    with footnote.open(str(file), database_url=url, environ=environ) as session:
        yield session


def shown(engine: str, found: list[Measured]) -> Iterator[str]:
    traced = [m for m in found if not m.refused]
    yield f"{engine}: {len(traced)} of {len(found)} traced without hand-written evidence"
    yield f"{'query':>6}{'query ms':>12}{'witness ms':>12}{'check ms':>12}{'call ms':>12}{'rows':>10}{'overhead':>10}"
    for m in found:
        if m.refused:
            yield f"{m.query:>6}  {m.refused[:90]}"
        else:
            yield f"{m.query:>6}{m.statement_ms:>12.1f}{m.witness_ms:>12.1f}{m.check_ms:>12.1f}{m.call_ms:>12.1f}{m.rows:>10,}{m.overhead:>10.1f}"
    if traced:
        overheads = sorted(m.overhead for m in traced)
        yield (
            f"overhead: median {statistics.median(overheads):.1f} (goal: at most {MEDIAN_GOAL:g}), "
            f"worst {overheads[-1]:.1f} (goal: at most {WORST_GOAL:g})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--scale", type=float, default=0.01)
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--query", action="append", type=int, choices=list(QUERIES))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--data", type=Path, help="a folder that keeps what is made")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        work = Path(temporary)
        folder = options.data or work
        folder.mkdir(parents=True, exist_ok=True)
        load = databases(folder, options.scale, stack)
        tables: dict[str, list[Measured]] = {}
        for engine in options.engine or ENGINES:
            started = time.perf_counter()
            url = load[engine]()
            if not options.json:
                print(
                    f"{engine}: loaded at scale {options.scale:g} in {time.perf_counter() - started:.0f} s", flush=True
                )
            with opened(url, work) as session:
                numbers = options.query or list(QUERIES)
                tables[engine] = [measured(session, number, options.repeat) for number in numbers]
            if not options.json:
                print("\n".join(shown(engine, tables[engine])) + "\n", flush=True)
    if options.json:
        print(json.dumps({engine: [asdict(m) for m in found] for engine, found in tables.items()}, indent=2))


if __name__ == "__main__":
    main()
