"""TPC-H: each of the 22 queries compiles to a plan without hand-written evidence, is tied out, and is right, on each engine.

What Footnote returns is compared with the plain query, run by the engine's own driver; SQLite adds up in floats, so there
the comparison is with a hair's breadth. Every figure was recomputed from its rows before, or it would not be there.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.tpch.data import TABLES, Sizes, rows
from tests.tpch.loading import load_duckdb, write_csv
from tests.tpch.queries import ENGINES, QUERIES, catalog, plain

import footnote
from footnote.operations.result import Result

Ask = Callable[[str, int], Result]


@pytest.fixture(scope="module")
def ask(tpch: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Runs a query on an engine, once."""
    folder: Path = tmp_path_factory.mktemp("sessions")
    file = folder / "tpch.yaml"
    file.write_text(catalog(), encoding="utf-8")
    environ = {"FOOTNOTE_CACHE": str(folder / "cache"), "PROVENANCE_DB": str(folder / "log.db")}
    opened = {engine: footnote.open(str(file), database_url=url, environ=environ) for engine, url in tpch.items()}
    yield cache(lambda engine, number: opened[engine].run(f"q{number}", {}))
    for session in opened.values():
        session.close()


def natively(engine: str, url: str, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query by the engine's own driver."""
    if engine == "sqlite":
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
            return file.execute(sql).fetchall()
    if engine == "duckdb":
        import duckdb

        with duckdb.connect(url.removeprefix("duckdb:///"), read_only=True) as warehouse:
            return warehouse.execute(sql).fetchall()
    if engine == "postgres":
        import psycopg

        with psycopg.connect(url) as connection:
            return connection.execute(sql.encode()).fetchall()
    import pymysql

    database, _, socket = url.partition("@/")[2].partition("?unix_socket=")
    with pymysql.connect(unix_socket=socket, user="root", database=database) as server, server.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def alike(ours: Any, theirs: Any) -> bool:
    """Whether two values are one, however the driver gives it; a float or a rounded average to 1 in 100,000."""
    if ours is None or theirs is None:
        return ours is theirs
    if isinstance(ours, dt.date):
        return str(ours) == str(theirs)
    if isinstance(ours, Decimal | int):
        return math.isclose(ours, theirs, rel_tol=1e-5) if ours != theirs else True
    return bool(ours == theirs)


@pytest.mark.parametrize("number", list(QUERIES))
@pytest.mark.parametrize("engine", ENGINES)
def test_a_query_is_traced_and_right(ask: Ask, tpch: dict[str, str], engine: str, number: int) -> None:
    result = ask(engine, number)
    names = list(QUERIES[number].columns)
    ours = [[row.figures[name].value for name in names] for row in result.tables["s"].rows]
    theirs = natively(engine, tpch[engine], plain(number, engine))
    if QUERIES[number].shape == "one" and not ours:
        assert theirs[0][0] is None
        return
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert all(map(alike, mine, other)), (mine, other)


@pytest.mark.parametrize("number", list(QUERIES))
def test_every_engine_gives_the_same(ask: Ask, number: int) -> None:
    found = [
        [[(f.value, f.evidence) for f in row.figures.values()] for row in ask(engine, number).tables["s"].rows]
        for engine in ENGINES
    ]
    assert found == found[:1] * len(ENGINES)


def test_every_query_has_rows_at_scale_one_hundredth(tmp_path: Path) -> None:
    url = load_duckdb(tmp_path / "tpch.duckdb", write_csv(tmp_path / "csv", 0.01))
    empty = [number for number in QUERIES if not any(map(any, natively("duckdb", url, plain(number, "duckdb"))))]
    assert empty == []


# --- the data ---------------------------------------------------------------------------------------------------------


def test_the_data_are_the_same_on_every_call() -> None:
    for table in TABLES:
        assert list(itertools.islice(rows(table, 0.001), 500)) == list(itertools.islice(rows(table, 0.001), 500))


def test_the_data_keep_the_rules_of_the_specification() -> None:
    scale = 0.001
    size = Sizes.of(scale)
    found = {table: list(rows(table, scale)) for table in TABLES}
    offers = {(part, supplier) for part, supplier, *_ in found["partsupp"]}
    orders = {order[0]: order for order in found["orders"]}
    assert len(found["part"]) == size.parts
    assert len(found["orders"]) == len(orders) == size.orders
    assert {part for part, _ in offers} == set(range(1, size.parts + 1))
    assert len(offers) <= 4 * size.parts  # with few suppliers, two of a part's four may be the same
    assert all(order[1] % 3 for order in orders.values() if isinstance(order[1], int))
    lines = Counter(line[0] for line in found["lineitem"])
    assert set(lines) == set(orders)
    assert set(lines.values()) == set(range(1, 8))
    for line in found["lineitem"]:
        order, part, supplier, _, quantity, price, _, _, flag, status, sent, _, arrived, *_ = line
        assert (part, supplier) in offers
        assert str(orders[order][4]) < str(sent) < str(arrived)
        assert (
            Decimal(price) == Decimal(quantity) * (90_000 + int(part) // 10 % 20_001 + 100 * (int(part) % 1_000)) / 100
        )
        assert (status == "O") is (str(sent) > "1995-06-17")
        assert (flag == "N") is (str(arrived) > "1995-06-17")
