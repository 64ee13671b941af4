"""Views as record types, on every engine: the catalog says their key, and each call holds them to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote.errors import FootnoteError, SourceChanged, SourceUnavailable, TieOutError, Untraceable
from footnote.operations.result import Result
from footnote.session import Session

SCHEMA = """
CREATE TABLE entries (id integer PRIMARY KEY, customer integer, amount numeric(12,2), paid boolean);
CREATE TABLE people (id integer PRIMARY KEY, name varchar(20));
INSERT INTO entries VALUES (1, 1, 100.10, false), (2, 1, 7.00, true), (3, 2, 0.25, false), (4, 2, -0.75, false);
INSERT INTO people VALUES (1, 'Alma'), (2, 'Brandt');
CREATE VIEW open_lines AS SELECT l.id AS id, l.customer AS customer, l.amount AS amount, p.name AS name
  FROM entries l JOIN people p ON p.id = l.customer WHERE NOT l.paid;
CREATE VIEW twice AS SELECT customer AS id, customer, amount FROM entries;
CREATE VIEW nameless AS SELECT CASE WHEN id < 3 THEN id END AS id, customer, amount FROM entries;
CREATE VIEW customers AS SELECT customer AS id, SUM(amount) AS amount, COUNT(*) AS many FROM entries GROUP BY customer
"""
CATALOG = """
catalog: views
version: 1
source: {url: "${DATABASE_URL}", dialect: postgres, engines: [postgres, sqlite, mysql, duckdb]}
company: {currency: EUR}
records:
  open:
    table: open_lines
    key: [id]
    label: "{name} {id}"
    fields: {id: {type: integer}, name: {type: text}, customer: {type: integer}, amount: {type: money, currency: company}}
  twice: {table: twice, key: [id], label: "{id}", fields: {id: {type: integer}, customer: {type: integer}, amount: {type: decimal}}}
  nameless: {table: nameless, key: [id], label: "{id}", fields: {id: {type: integer}, amount: {type: decimal}}}
  customer: {table: customers, key: [id], label: "{id}", fields: {id: {type: integer}, amount: {type: decimal}, many: {type: integer}}}
  keyless: {table: open_lines, key: [number], label: "{id}", fields: {id: {type: integer}}}
operations:
  ask: {title: t, description: d, answer: a, statements: {s: {shape: %s, grain: %s, statement: '%s', columns: {%s}}}}
"""
Ask = Callable[..., Result]


def statements(text: str) -> list[str]:
    return [part for part in text.split(";\n") if part.strip()]


@pytest.fixture(scope="module", params=["sqlite", "postgres", "mysql", "duckdb"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("views") / "views.db"
    if request.param == "sqlite":
        with sqlite3.connect(path) as connection:
            connection.executescript(SCHEMA)
        connection.close()
        return f"sqlite:///{path}"
    if request.param == "duckdb":
        import duckdb

        with duckdb.connect(str(path)) as file:
            file.execute(SCHEMA)
        return f"duckdb:///{path}"
    server_url = str(request.getfixturevalue(f"{request.param}_url"))
    if request.param == "postgres":
        import psycopg

        with psycopg.connect(server_url, autocommit=True) as server:
            server.execute(SCHEMA.encode())
    else:
        database = server_url.partition("@/")[2].partition("?")[0]
        request.getfixturevalue("mariadb_server").execute(*statements(SCHEMA), database=database)
    return server_url


@pytest.fixture
def ask(url: str, tmp_path: Path) -> Iterator[Ask]:
    opened: list[Session] = []

    def asked(sql: str, columns: str, grain: str = "open", shape: str = "one") -> Result:
        file = tmp_path / "views.yaml"
        file.write_text(CATALOG % (shape, grain, sql.replace("'", "''"), columns), encoding="utf-8")
        environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
        opened.append(footnote.open(str(file), database_url=url, environ=environ))
        return opened[-1].run("ask", {})

    yield asked
    for session in opened:
        session.close()


TOTALS = "many: {type: count}, total: {type: money, currency: company}"


def figures(result: Result) -> dict[str, Any]:
    return {name: figure.value for name, figure in result.tables["s"].rows[0].figures.items()}


def test_figures_rest_on_the_rows_of_a_view(ask: Ask) -> None:
    result = ask("SELECT COUNT(*) AS many, SUM(amount) AS total FROM open_lines", TOTALS)
    assert figures(result) == {"many": 3, "total": Decimal("99.60")}
    total = result.tables["s"].rows[0].figures["total"]
    assert total.evidence == ("open:1", "open:3", "open:4")
    assert [item.as_dict()["label"] for item in result.evidence if item.id in total.evidence] == [
        "Alma 1",
        "Brandt 3",
        "Brandt 4",
    ]


def test_a_view_is_joined_like_a_table(ask: Ask) -> None:
    sql = "SELECT COUNT(*) AS many, SUM(o.amount) AS total FROM open_lines o JOIN customers c ON c.id = o.customer WHERE c.many > 1"
    assert figures(ask(sql, TOTALS))["total"] == Decimal("99.60")


def test_a_view_that_aggregates_may_be_a_record(ask: Ask) -> None:
    result = ask("SELECT MAX(amount) AS most FROM customers", "most: {type: decimal}", "customer")
    assert figures(result) == {"most": Decimal("107.10")}
    assert result.tables["s"].rows[0].figures["most"].evidence == ("customer:1",)


def test_two_rows_with_the_key_are_no_figure(ask: Ask) -> None:
    with pytest.raises(TieOutError, match="twice"):
        ask("SELECT COUNT(*) AS many FROM twice", "many: {type: count}", "twice")


def test_a_join_to_a_view_with_two_rows_for_one_counts_nothing_twice(ask: Ask) -> None:
    sql = "SELECT COUNT(*) AS many, SUM(o.amount) AS total FROM open_lines o JOIN twice t ON t.id = o.customer"
    with pytest.raises(TieOutError, match="twice"):
        ask(sql, TOTALS)


def test_a_row_without_a_key_is_no_evidence(ask: Ask) -> None:
    with pytest.raises((TieOutError, SourceUnavailable)):
        ask("SELECT SUM(amount) AS total FROM nameless", "total: {type: decimal}", "nameless")


def test_the_key_must_be_columns_that_the_view_has(ask: Ask) -> None:
    with pytest.raises((SourceChanged, Untraceable), match=r"key|number"):
        ask("SELECT COUNT(*) AS many FROM open_lines", "many: {type: count}", "keyless")


def test_the_collation_of_what_a_view_reads_counts_there_too(tmp_path: Path) -> None:
    path = tmp_path / "views.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, amount INTEGER);"
            "INSERT INTO t VALUES (1, 'abc', 1), (2, 'ABC', 2); CREATE VIEW v AS SELECT id, name, amount FROM t"
        )
    connection.close()
    file = tmp_path / "views.yaml"
    file.write_text(
        'catalog: v\nversion: 1\nsource: {url: "${DATABASE_URL}", dialect: sqlite}\nrecords:\n  v: {table: v, key: [id],'
        ' label: "{id}", fields: {id: {type: integer}, name: {type: text}, amount: {type: integer}}}\noperations:\n  ask:'
        " {title: t, description: d, answer: a, statements: {s: {shape: one, grain: v, columns: {total: {type: integer}},"
        " statement: \"SELECT SUM(amount) AS total FROM v WHERE name <> 'abc'\"}}}\n",
        encoding="utf-8",
    )
    environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
    with (
        footnote.open(str(file), database_url=f"sqlite:///{path}", environ=environ) as session,
        pytest.raises(FootnoteError, match="collation"),
    ):
        session.run("ask", {})
