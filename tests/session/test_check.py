"""`footnote check` against the live schema: what is odd in a database is said, with what mends it, on every engine."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.session.conftest import Run, running

from footnote.connect.check import check
from footnote.connect.check_log import clock_finding
from footnote.connect.finding import Finding
from footnote.session import Session

Open = Callable[..., Session]

TABLES = (
    "CREATE TABLE customers (id INTEGER NOT NULL PRIMARY KEY, name {text} NOT NULL)",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, placed_at {moment}, net {decimal}, currency TEXT)",
)
CATALOG = """
catalog: orders
version: 1
source: {url: "${DATABASE_URL}", dialect: DIALECT, time_zone: Europe/Vienna}
display: {locale: en-GB}
records:
  customer:
    table: customers
    key: [id]
    label: "{name}"
    fields: {id: {type: integer, identifier: true}, name: {type: text}}
  order:
    table: orders
    key: [id]
    label: "{id}"
    fields:
      id: {type: integer, identifier: true}
      placed_at: {type: datetime}
      net: {type: money, currency: {column: currency}}
      currency: {type: text}
entities:
  customer: {record: customer, match: [id, name], order: id}
operations:
  countOrders:
    title: Orders of a customer
    description: How many orders one customer has. Not their amounts.
    parameters:
      - {name: customer, type: entity, entity: customer, description: Customer name or number.}
    statements:
      totals:
        shape: one
        grain: order
        statement: SELECT COUNT(*) AS "orderCount" FROM orders WHERE customer_id = :customer
        columns: {orderCount: {type: count}}
    answer: "{orderCount}"
"""
KINDS = {
    "sqlite": {"moment": "TIMESTAMP", "decimal": "DECIMAL(12,2)"},
    "postgres": {"moment": "timestamp", "decimal": "numeric(12,2)"},
    "mysql": {"moment": "DATETIME", "decimal": "DECIMAL(12,2)"},
    "duckdb": {"moment": "TIMESTAMP", "decimal": "DECIMAL(12,2)"},
}
ROWS = 12_000


def filled(engine: str, run: Run, *, currency: str = "'EUR'", text: str = "VARCHAR(200)") -> None:
    run(
        *(table.format(**KINDS[engine], text=text) for table in TABLES),
        "INSERT INTO customers VALUES (1, 'Alma'), (2, 'Brandt')",
    )
    numbers = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS}) "
    select = f"SELECT i, 1 + i % 2, TIMESTAMP '2026-03-01 10:00:00', 1.50, {currency} FROM n"
    if engine == "sqlite":
        select = select.replace("TIMESTAMP ", "")
    if engine == "mysql":
        run("SET max_recursive_iterations = 100000", f"INSERT INTO orders {numbers}{select}", "ANALYZE TABLE orders")
        return
    run(f"{numbers}INSERT INTO orders {select}", *(["ANALYZE orders"] if engine == "postgres" else []))


@pytest.fixture
def findings(open_session: Open, database: tuple[str, Run], engine: str, tmp_path: Path) -> Callable[[], list[Finding]]:
    def look() -> list[Finding]:
        file = tmp_path / "catalog.yaml"
        file.write_text(CATALOG.replace("DIALECT", engine), "utf-8")
        return list(check(open_session(database[0], str(file))))

    return look


def of(found: list[Finding], subject: str) -> list[Finding]:
    return [finding for finding in found if finding.subject == subject]


def test_a_large_table_without_an_index_is_said_and_the_printed_sql_makes_one(
    engine: str, database: tuple[str, Run], findings: Callable[[], list[Finding]]
) -> None:
    filled(engine, database[1])
    looked_at = of(findings(), "indexes")
    assert len(looked_at) == (engine != "duckdb"), "DuckDB reads columns and needs none"
    if not looked_at:
        return
    (found,) = looked_at
    assert found.state == "warning"
    assert "countOrders.totals: no index of" in found.text
    assert "begins with customer_id" in found.text
    assert found.fix.startswith("CREATE INDEX")
    database[1](found.fix.removesuffix(";"))
    (mended,) = of(findings(), "indexes")
    assert mended.state == "ok"


def test_a_table_of_unknown_size_is_said_and_the_printed_sql_tells_its_size(
    open_session: Open, tmp_path: Path, postgres_server: Any
) -> None:
    import psycopg

    url = postgres_server.url(postgres_server.new_database())
    file = tmp_path / "catalog.yaml"
    file.write_text(CATALOG.replace("DIALECT", "postgres"), "utf-8")
    with psycopg.connect(url, autocommit=True) as connection:
        run = running(connection)
        run(*(table.format(**KINDS["postgres"], text="text") for table in TABLES), "INSERT INTO orders VALUES (1, 1)")
        (found,) = of(list(check(open_session(url, str(file)))), "indexes")
        assert (found.state, found.fix) == ("skipped", "ANALYZE public.orders;")
        run(found.fix)
    (found,) = of(list(check(open_session(url, str(file)))), "indexes")
    assert found.state == "ok"


def test_both_clocks_are_compared_and_the_currencies_listed(
    engine: str, database: tuple[str, Run], findings: Callable[[], list[Finding]]
) -> None:
    filled(engine, database[1], currency="CASE WHEN i % 2 = 0 THEN 'EUR' ELSE 'JPY' END")
    found = findings()
    assert [finding.state for finding in of(found, "clock")] == ["ok"]
    assert Finding("record order", "ok", "currencies present in currency: EUR, JPY.") in found


@pytest.mark.parametrize(
    ("currency", "says"), [("CASE WHEN i = 7 THEN 'Euro' ELSE 'EUR' END", "no code"), ("NULL", "some rows have none")]
)
def test_a_currency_that_is_none_is_said_before_anybody_asks(
    engine: str, database: tuple[str, Run], findings: Callable[[], list[Finding]], currency: str, says: str
) -> None:
    filled(engine, database[1], currency=currency)
    warned = [finding for finding in of(findings(), "record order") if finding.state == "warning"]
    assert any(says in finding.text for finding in warned), warned
    assert not any("Euro" in finding.text for finding in warned), "what stands in a row is not shown"


def test_moments_without_a_zone_are_for_a_human_to_judge(
    engine: str, database: tuple[str, Run], findings: Callable[[], list[Finding]]
) -> None:
    filled(engine, database[1])
    zones = of(findings(), "time zone")
    assert any(
        "orders.placed_at have no time zone" in finding.text and finding.state == "warning" for finding in zones
    ), zones
    if engine == "mysql":
        assert any("The server's time zone is" in finding.text for finding in zones)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("placed_at: {type: date}", "a value with a time of day would be an error"),
        ("placed_at: {type: integer}", "every value would be an error"),
    ],
)
def test_a_type_that_the_column_has_not_is_said(
    open_session: Open, tmp_path: Path, postgres_server: Any, change: str, says: str
) -> None:
    import psycopg

    name = postgres_server.new_database()
    with psycopg.connect(postgres_server.url(name), autocommit=True) as connection:
        filled("postgres", running(connection))
        if "integer" in change:
            connection.execute("ALTER TABLE orders ALTER placed_at TYPE text")
    file = tmp_path / "catalog.yaml"
    file.write_text(CATALOG.replace("DIALECT", "postgres").replace("placed_at: {type: datetime}", change), "utf-8")
    found = of(list(check(open_session(postgres_server.url(name), str(file)))), "record order")
    assert any(says in finding.text for finding in found), found


def test_a_collation_that_holds_different_texts_for_equal_is_said(
    engine: str, database: tuple[str, Run], findings: Callable[[], list[Finding]]
) -> None:
    filled(engine, database[1], text="TEXT COLLATE NOCASE" if engine == "sqlite" else "VARCHAR(200)")
    said = [finding.text for finding in of(findings(), "collation")]
    assert len(said) == (engine in {"sqlite", "mysql"}), said
    for text in said:
        assert "customers.name" in text
        assert ("compares their letters instead" in text) == (engine == "mysql")


def test_a_log_among_temporary_files_is_a_warning_and_one_elsewhere_is_not(
    engine: str, database: tuple[str, Run], findings: Callable[[], list[Finding]], monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(engine, database[1])
    assert any("temporary files" in finding.text for finding in of(findings(), "log"))
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    assert all(finding.state == "ok" for finding in of(findings(), "log"))


def test_clocks_that_differ_are_said() -> None:
    now = dt.datetime.now(dt.UTC)

    class Taken:
        def __init__(self, apart: float) -> None:
            self.taken_at = now + dt.timedelta(seconds=apart)

    for apart, state in ((0, "ok"), (3, "ok"), (90, "warning"), (-3600, "warning")):
        assert clock_finding(Taken(apart), before=now, after=now).state == state  # type: ignore[arg-type]
