"""Which tables a database holds, on each engine: all of its own, none of the engine's, with the foreign keys declared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from footnote.sources.inventory import ForeignKey, Listed
from footnote.sources.opening import open_source

TABLES = (
    """CREATE TABLE "Kunden" (nr INTEGER PRIMARY KEY, name VARCHAR(40))""",
    """CREATE TABLE orders (a INTEGER, b INTEGER, of_customer INTEGER, PRIMARY KEY (a, b),
         FOREIGN KEY (of_customer) REFERENCES "Kunden" (nr))""",
    """CREATE TABLE order_lines (id INTEGER PRIMARY KEY, oa INTEGER, ob INTEGER,
         FOREIGN KEY (oa, ob) REFERENCES orders (a, b))""",
)
VIEW = 'CREATE VIEW names AS SELECT name FROM "Kunden"'


def listed(url: str) -> tuple[Listed, ...]:
    source = open_source(url)
    try:
        return source.listed()
    finally:
        source.close()


def expected(schema: str) -> dict[str, tuple[ForeignKey, ...]]:
    return {
        "Kunden": (),
        "order_lines": (ForeignKey(("oa", "ob"), schema, "orders", ("a", "b")),),
        "orders": (ForeignKey(("of_customer",), schema, "Kunden", ("nr",)),),
    }


def require(found: tuple[Listed, ...], schema: str) -> None:
    assert {one.schema for one in found} == {schema}
    assert {one.name: one.foreign_keys for one in found} == expected(schema)


def test_sqlite(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript(";".join([*TABLES, VIEW]))
        connection.execute("CREATE TABLE later (id INTEGER PRIMARY KEY AUTOINCREMENT)")  # makes sqlite_sequence
        connection.execute("DROP TABLE later")
    require(listed(f"sqlite:///{tmp_path / 'a.db'}"), "main")


def test_sqlite_knows_the_key_that_a_foreign_key_does_not_name(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (x PRIMARY KEY REFERENCES a)")
        connection.execute("CREATE TABLE c (x INTEGER PRIMARY KEY REFERENCES gone)")
    found = {one.name: one.foreign_keys for one in listed(f"sqlite:///{tmp_path / 'a.db'}")}
    assert found == {"a": (), "b": (ForeignKey(("x",), "main", "a", ("id",)),), "c": ()}


@pytest.mark.postgres
def test_postgres(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for statement in (*TABLES, VIEW, "CREATE TEMP TABLE mine (id int)"):
            connection.execute(statement)
        connection.execute("CREATE TABLE by_year (id int, y int) PARTITION BY LIST (y)")
        connection.execute("CREATE TABLE of_2026 PARTITION OF by_year FOR VALUES IN (2026)")
        found = listed(postgres_url)
        connection.execute("DROP TABLE by_year")
    assert "by_year" in {one.name for one in found}
    assert "of_2026" not in {one.name for one in found}
    require(tuple(one for one in found if one.name != "by_year"), "public")


@pytest.mark.mariadb
def test_mariadb(mariadb_server: Any) -> None:
    name = mariadb_server.new_database()
    mariadb_server.execute(*(t.replace('"', "`") for t in (*TABLES, VIEW)), database=name)
    require(listed(mariadb_server.url(name)), name)
    mariadb_server.drop(name)


def test_duckdb(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        for statement in (*TABLES, VIEW):
            connection.execute(statement)
    require(listed(f"duckdb:///{tmp_path / 'a.duckdb'}"), "main")
