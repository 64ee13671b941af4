"""Catalogs on DuckDB: days are those of the catalog's zone or refused, and a column's collation is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import footnote
from footnote.errors import StatementRefused
from footnote.session import Session

SCHEMA = [
    (
        "CREATE TABLE thing (id INTEGER PRIMARY KEY, plain VARCHAR, loose VARCHAR COLLATE NOCASE, moment TIMESTAMPTZ, local TIMESTAMP, "
        "day DATE, size DECIMAL(12, 2))"
    ),
    (
        "INSERT INTO thing VALUES (1, 'a', 'a', '2026-01-31 23:30:00+00', '2026-02-01 00:30:00', '2026-02-01', 1.10), "
        "(2, 'A', 'A', '2026-02-01 10:00:00+00', '2026-02-01 11:00:00', '2026-02-01', 2.20)"
    ),
]
CATALOG = """
catalog: zones
version: 1
source: {url: "${DATABASE_URL}", dialect: postgres, engines: [duckdb], timeout: 10s, time_zone: ZONE}
records:
  thing: {table: thing, key: [id], label: "{id}", fields: {plain: {type: text}, size: {type: decimal}}}
operations:
  ask:
    title: t
    description: d
    answer: a
    statements:
      s: {shape: one, grain: thing, columns: {many: {type: count}}, statement: "SQL"}
"""
Ask = Callable[..., Any]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    opened: list[Session] = []
    path = tmp_path / "things.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in SCHEMA:
            connection.execute(statement)

    def run(condition: str, zone: str = "Europe/Vienna") -> Any:
        file = tmp_path / f"catalog{len(opened)}.yaml"
        sql = f"SELECT COUNT(*) AS many FROM thing AS t WHERE {condition}"
        file.write_text(CATALOG.replace("SQL", sql).replace("ZONE", zone), encoding="utf-8")
        environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
        opened.append(footnote.open(str(file), database_url=f"duckdb:///{path}", environ=environ))
        return opened[-1].run("ask", {}).tables["s"].rows[0].figures["many"].value

    yield run
    for session in opened:
        session.close()


def test_texts_are_compared_by_their_letters(ask: Ask) -> None:
    assert ask("t.plain = 'a'") == 1
    assert ask("t.size = 2.2") == 1


def test_a_column_that_ignores_case_is_not_compared(ask: Ask) -> None:
    with pytest.raises(StatementRefused, match="collation is NOCASE"):
        ask("t.loose = 'a'")


@pytest.mark.parametrize(
    "condition", ["year_of(t.moment) = 2026", "t.moment >= '2026-02-01'", "month_of(t.moment) = '2026-02'"]
)
def test_the_day_of_a_moment_with_a_zone_is_taken_in_utc_or_not_at_all(ask: Ask, condition: str) -> None:
    ask(condition, "UTC")
    with pytest.raises(StatementRefused, match="in UTC"):
        ask(condition)


def test_whether_there_is_a_moment_and_what_is_local_may_be_asked(ask: Ask) -> None:
    assert ask("NOT t.moment IS NULL") == 2
    assert ask("month_of(t.local) = '2026-02'") == 2


def test_a_text_is_not_compared_with_a_number(ask: Ask) -> None:
    with pytest.raises(StatementRefused, match="compares a text with what is none"):
        ask("t.plain = 1")
