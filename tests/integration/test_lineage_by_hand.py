"""Evidence by hand: where rows cannot be derived, an author gives them, and they are tied out like the rest."""

from __future__ import annotations

import datetime as dt
import sqlite3
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from footnote.catalog.load import load_catalog
from footnote.errors import CatalogError, StatementRefused, TieOutError, Untraceable
from footnote.operations.result import Result
from footnote.operations.run import Asked, Desk, run
from footnote.plans.cache import Plans
from footnote.sources.opening import open_source
from footnote.sources.source import Source

SCHEMA = """
CREATE TABLE accounts (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT);
CREATE TABLE entries (id INTEGER PRIMARY KEY, account INTEGER, amount INTEGER, rate NUMERIC);
CREATE TABLE rates (kind TEXT, rate INTEGER);
INSERT INTO accounts VALUES (1, NULL, 'Assets'), (2, 1, 'Cash'), (3, 2, 'Till'), (4, NULL, 'Costs');
INSERT INTO entries VALUES (10, 2, 100, 1.5), (11, 3, 30, 2), (12, 3, -5, 2), (13, 4, 70, 1);
INSERT INTO rates VALUES ('a', 2), ('a', 2);
"""
BELOW = (
    "WITH RECURSIVE below AS (SELECT id AS top, id FROM accounts WHERE parent IS NULL UNION ALL "
    "SELECT b.top, a.id FROM below b JOIN accounts a ON a.parent = b.id) "
)
TOTALS = (
    BELOW + "SELECT a.name, SUM(e.amount) AS total, COUNT(*) AS entries FROM below b JOIN accounts a ON a.id = b.top "
    "JOIN entries e ON e.account = b.id GROUP BY a.name ORDER BY a.name"
)
ROWS = (
    BELOW + "SELECT e.id, a.name, e.amount AS total, 1 AS entries FROM below b JOIN accounts a ON a.id = b.top "
    "JOIN entries e ON e.account = b.id"
)
BY_HAND: dict[str, Any] = {
    "sql": ROWS,
    "key": "id",
    "groups": ["name"],
    "figures": {"total": "sum", "entries": "count"},
}
COLUMNS = {"name": {"type": "text"}, "total": {"type": "integer"}, "entries": {"type": "count"}}


@pytest.fixture(params=["sqlite", "postgres"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Source]:
    if request.param == "sqlite":
        connection = sqlite3.connect(tmp_path / "by-hand.db")
        connection.executescript(SCHEMA)
        connection.close()
        opened = open_source(f"sqlite:///{tmp_path / 'by-hand.db'}")
    else:
        import psycopg

        url: str = request.getfixturevalue("postgres_url")
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(b"DROP TABLE IF EXISTS accounts, entries, rates")
            server.execute(SCHEMA.encode())
        opened = open_source(url)
    yield opened
    opened.close()


def ask(
    source: Source,
    sql: str = TOTALS,
    columns: dict[str, Any] | None = None,
    evidence: Mapping[str, Any] | None = MappingProxyType({}),
) -> Result:
    """The result; `evidence` replaces parts of the evidence by hand, and None leaves it out."""
    statement: dict[str, Any] = {"shape": "many", "grain": "entry", "statement": sql, "columns": columns or COLUMNS}
    if evidence is not None:
        statement["evidence"] = {**BY_HAND, **evidence}
    record = {"table": "entries", "key": ["id"], "label": "{id}", "fields": {"amount": {"type": "integer"}}}
    catalog = {
        "catalog": "hand",
        "version": 1,
        "source": {"url": "x", "dialect": "postgres", "engines": ["postgres", "sqlite"]},
        "records": {"entry": record | {"fields": {"amount": {"type": "integer"}, "rate": {"type": "decimal"}}}},
        "operations": {"ask": {"title": "t", "description": "d", "answer": "a", "statements": {"s": statement}}},
    }
    loaded = load_catalog(yaml.safe_dump(catalog, sort_keys=False), environ={}, file_name="hand.yaml")
    desk = Desk(loaded, source, Plans(loaded, source, None), dt.date(2026, 8, 14))
    return run(desk, Asked("ask", {}, str(uuid.uuid4())))


def test_without_it_the_error_says_that_it_would_work(source: Source) -> None:
    with pytest.raises(Untraceable, match=r"recursive.*under `evidence:`"):
        ask(source, evidence=None)


def test_figures_are_tied_out_against_it(source: Source) -> None:
    first, second = ask(source).tables["s"].rows
    assert (first.figures["total"].value, second.figures["total"].value) == (125, 70)
    assert [(c.evidence, c.amount) for c in first.figures["total"].contributions] == [
        ("entry:10", 100),
        ("entry:11", 30),
        ("entry:12", -5),
    ]
    assert first.figures["entries"].value == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("WHERE e.id <> 12", "by the source and 130 by its rows"),
        ("WHERE a.name <> 'Costs'", "group Costs that no row belongs to"),
        ("JOIN entries x ON x.account = 4 OR x.account = 2", "counts entry 10 twice"),
    ],
)
def test_rows_that_do_not_give_the_figure_are_caught(source: Source, change: str, said: str) -> None:
    with pytest.raises(TieOutError, match=said):
        ask(source, evidence={"sql": f"{ROWS} {change}"})


def test_a_table_without_a_key_may_be_looked_up(source: Source) -> None:
    sql = (
        "SELECT SUM(e.amount * (SELECT MAX(r.rate) FROM rates r)) AS total, COUNT(*) AS entries "
        "FROM entries e ORDER BY 1"
    )
    rows = "SELECT e.id, e.amount * (SELECT MAX(r.rate) FROM rates r) AS total, 1 AS entries FROM entries e"
    columns = {name: COLUMNS[name] for name in ("total", "entries")}
    (row,) = ask(source, sql, columns, {"sql": rows, "groups": []}).tables["s"].rows
    assert row.figures["total"].value == 390


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ({"key": ["id", "name"]}, "`key` has 2 columns"),
        ({"groups": []}, "names the column `name` 0 times"),
        ({"groups": ["nobody"]}, "there is no `nobody`"),
        ({"figures": {"total": "sum"}}, "names the column `entries` 0 times"),
        ({"sql": "SELECT id FROM entries"}, "lacks entries, name, total"),
        ({"sql": "DELETE FROM entries"}, "begins with `DELETE`"),
        ({"sql": ROWS + " WHERE e.id = :one"}, "There is no parameter `:one`"),
    ],
)
def test_what_does_not_fit_the_statement_is_refused_on_load(
    tmp_path: Path, evidence: dict[str, Any], said: str
) -> None:
    connection = sqlite3.connect(tmp_path / "by-hand.db")
    connection.executescript(SCHEMA)
    connection.close()
    source = open_source(f"sqlite:///{tmp_path / 'by-hand.db'}")
    with pytest.raises(CatalogError, match=said):
        ask(source, evidence=evidence)
    source.close()


def test_sums_that_sqlite_would_round_are_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "by-hand.db")
    connection.executescript(SCHEMA)
    connection.close()
    source = open_source(f"sqlite:///{tmp_path / 'by-hand.db'}")
    columns = {"total": {"type": "decimal"}}
    evidence = {"sql": "SELECT id, rate AS total FROM entries", "key": "id", "groups": [], "figures": {"total": "sum"}}
    with pytest.raises(StatementRefused, match="adds decimals up as floats"):
        ask(source, "SELECT SUM(rate) AS total FROM entries ORDER BY 1", columns, evidence)
    source.close()
