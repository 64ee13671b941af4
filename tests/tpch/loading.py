"""The data of `data` in a database of each engine, by the fastest way the engine has."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.tpch.data import INDEXES, SCHEMA, TABLES, rows


def statements(text: str) -> list[str]:
    """The statements of a text, one by one."""
    return [part.strip() for part in text.split(";\n") if part.strip()]


def write_csv(folder: Path, scale: float) -> Path:
    """One CSV file a table, without a header; a folder that has them is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "done"
    if not done.exists():
        for table in TABLES:
            with (folder / f"{table}.csv").open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(rows(table, scale))
        done.touch()
    return folder


def _read(folder: Path, table: str) -> Iterable[list[str]]:
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.reader(file)


def load_sqlite(path: Path, folder: Path) -> str:
    """A SQLite file with the rows of a folder of CSV files; its URL."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
        connection.execute("BEGIN")
        for table in TABLES:
            width = len(connection.execute(f"SELECT name FROM pragma_table_info('{table}')").fetchall())
            marks = ", ".join("?" * width)
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", _read(folder, table))
        connection.execute("COMMIT")
        connection.executescript(INDEXES)
        connection.execute("ANALYZE")
    return f"sqlite:///{path}"


def load_duckdb(path: Path, folder: Path) -> str:
    """The same in a DuckDB file."""
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute(SCHEMA)
        for table in TABLES:
            connection.execute(f"COPY {table} FROM '{folder / table}.csv' (FORMAT csv, HEADER false)")
    return f"duckdb:///{path}"


def load_postgres(url: str, folder: Path) -> str:
    """The same in an empty PostgreSQL database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        for table in TABLES:
            text = f"COPY {table} FROM STDIN (FORMAT csv)".encode()
            with (
                (folder / f"{table}.csv").open("rb") as file,
                connection.cursor() as cursor,
                cursor.copy(text) as copy,
            ):
                while block := file.read(1 << 20):
                    copy.write(block)
        connection.execute(INDEXES.encode())
        connection.execute("ANALYZE")
    return url


def load_mariadb(server: Any, url: str, folder: Path) -> str:
    """The same in an empty MariaDB database, as its superuser."""
    database = url.partition("@/")[2].partition("?")[0]
    server.execute(*statements(SCHEMA), database=database)
    for table in TABLES:
        for batch in _batches(_read(folder, table), 2_000):
            values = ", ".join("(" + ", ".join(map(_text, row)) + ")" for row in batch)
            server.execute(f"INSERT INTO {table} VALUES {values}", database=database)
    server.execute(*statements(INDEXES), *(f"ANALYZE TABLE {table}" for table in TABLES), database=database)
    return url


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _batches(found: Iterable[list[str]], size: int) -> Iterable[list[list[str]]]:
    batch: list[list[str]] = []
    for row in found:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
