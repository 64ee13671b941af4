"""The random statements of `test_lineage_figures` on the engines beside SQLite: every figure is what Python counts.

A kind is a letter in lower or upper case: to most of MariaDB's collations they are one, and must be two.
"""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.property import test_lineage_figures as figures

from footnote.sources.opening import open_source
from footnote.sources.source import Source

Item = figures.Item
TABLES = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(20));
CREATE TABLE items (
    id INTEGER PRIMARY KEY, customer INTEGER, kind VARCHAR(5), amount INTEGER, rate INTEGER, price DECIMAL(12, 2), day DATE,
    flag BOOLEAN
);
CREATE TABLE tags (item INTEGER, tag VARCHAR(5), PRIMARY KEY (item, tag));
INSERT INTO customers VALUES (1, 'One'), (2, NULL);
"""
COLUMNS = ("customer", "kind", "amount", "rate", "price", "day", "flag")

rows = st.lists(
    st.builds(
        lambda item, upper: {**item, "kind": item["kind"] and (item["kind"].upper() if upper else item["kind"])},
        figures.items,
        st.booleans(),
    ),
    max_size=8,
)
few = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


def literal(value: object) -> str:
    """A value as every engine reads it in an INSERT."""
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, dt.date | str) else str(value).upper()


class Engine(ABC):
    """A database of one engine."""

    source: Source

    @abstractmethod
    def write(self, *statements: str) -> None:
        """Run statements as somebody who may write."""

    def fill(self, found: Sequence[Item]) -> None:
        inserts = [
            f"INSERT INTO items VALUES ({number}, {', '.join(literal(row[name]) for name in COLUMNS)})"
            for number, row in enumerate(found, 1)
        ]
        self.write("DELETE FROM items", *inserts)

    def close(self) -> None:
        self.source.close()


class Postgres(Engine):
    def __init__(self, url: str) -> None:
        import psycopg

        self._writer = psycopg.connect(url, autocommit=True)
        self.source = open_source(url)

    def write(self, *statements: str) -> None:
        self._writer.execute("; ".join(statements).encode())

    def close(self) -> None:
        super().close()
        self._writer.close()


class Mariadb(Engine):
    def __init__(self, url: str, server: Any) -> None:
        self._server = server
        self._database = url.partition("@/")[2].partition("?")[0]
        self.source = open_source(url)

    def write(self, *statements: str) -> None:
        self._server.execute(*statements, database=self._database)


class Duckdb(Engine):
    """Nobody can write a DuckDB file while it is open, so it is opened anew for each reading."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.source = open_source(f"duckdb:///{path}")

    def write(self, *statements: str) -> None:
        import duckdb

        self.source.close()
        with duckdb.connect(str(self._path)) as connection:
            connection.execute("BEGIN; " + "; ".join(statements) + "; COMMIT")
        self.source = open_source(f"duckdb:///{self._path}")


@pytest.fixture(scope="module", params=["postgres", "mysql", "duckdb"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    found: Engine
    if request.param == "postgres":
        found = Postgres(request.getfixturevalue("postgres_url"))
    elif request.param == "mysql":
        found = Mariadb(request.getfixturevalue("mysql_url"), request.getfixturevalue("mariadb_server"))
    else:
        found = Duckdb(tmp_path_factory.mktemp("lineage") / "small.duckdb")
    found.write(*filter(None, (part.strip() for part in TABLES.split(";\n"))))
    yield found
    found.close()


@few
@given(found=rows, question=figures.questions)
def test_every_figure_is_what_python_counts(engine: Engine, found: list[Item], question: figures.Question) -> None:
    engine.fill(found)
    numbered: list[Item] = [{"id": number, **row} for number, row in enumerate(found, 1)]
    expected = question.groups(numbered)
    _, tied = figures.Database(Path(), engine.source).tied(question.sql, question.types)
    by_key = {tuple(row.values[f"k{n}"] for n in range(len(question.keys))): row for row in tied.rows}
    assert by_key.keys() == expected.keys()
    assert len(by_key) == len(tied.rows)
    for key, group in expected.items():
        assert sorted(k for (k,) in by_key[key].grain) == [row["id"] for row in group]
        for number, figure in enumerate(question.figures):
            assert by_key[key].values[f"f{number}"] == figure.of(group), figure.sql
