"""Promise 2 for figures of more rows than are fetched: the faults of `test_02_seeded_faults`, where the engine adds the rows up.

DuckDB adds them up itself, SQLite gives them to Footnote one by one; a fault is caught on both.
"""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.promises.test_02_seeded_faults import WrongSource

from footnote.catalog.load import load_catalog
from footnote.errors import TieOutError
from footnote.operations.result import Result
from footnote.operations.run import Asked, Desk, run
from footnote.plans.cache import Plans
from footnote.sources.opening import open_source
from footnote.sources.source import Source

ROWS = 10_500
LINES = [
    (n, n % 3, n % 200, "USD" if n == 9_001 else "EUR", f"202{n % 5}-03-0{n % 9 + 1}", 1 if n % 4 else 0)
    for n in range(ROWS)
]
NOTES = [(1, 42, 5), (2, 4_242, 7), (3, 4_242, 9)]
SCHEMA = (
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, customer INTEGER, amount INTEGER, currency VARCHAR, due DATE, live INTEGER)",
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, live INTEGER, credit INTEGER)",
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, entry INTEGER, amount INTEGER)",
)
MONEY = {"type": "money", "currency": {"column": "currency"}, "minor_units": True}
INTEGER, DATE, TEXT = {"type": "integer"}, {"type": "date"}, {"type": "text"}
RECORDS = {
    "entry": {
        "table": "entries",
        "key": ["id"],
        "label": "{id}",
        "fields": {"customer": INTEGER, "amount": MONEY, "currency": TEXT, "due": DATE, "live": INTEGER},
    },
    "note": {"table": "notes", "key": ["id"], "label": "{id}", "fields": {"entry": INTEGER, "amount": INTEGER}},
    "customer": {"table": "customers", "key": ["id"], "label": "{id}", "fields": {"live": INTEGER, "credit": INTEGER}},
}
TOTAL = {"total": INTEGER}


@pytest.fixture(params=["duckdb", "sqlite"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Source]:
    path = tmp_path / "faults.db"
    inserts = [
        f"INSERT INTO entries VALUES {', '.join(map(str, LINES))}",
        "INSERT INTO customers VALUES (0, 1, 10), (1, 1, 20), (2, 0, 30)",
        f"INSERT INTO notes VALUES {', '.join(map(str, NOTES))}",
    ]
    if request.param == "sqlite":
        with sqlite3.connect(path) as connection:
            connection.executescript(";".join([*SCHEMA, *inserts]))
        connection.close()
    else:
        import duckdb

        with duckdb.connect(str(path)) as opened:
            opened.execute(";".join([*SCHEMA, *inserts]))
    source = open_source(f"{request.param}:///{path}")
    yield source
    source.close()


def ask(
    source: Source, sql: str, columns: dict[str, Any], *, shape: str = "one", grain: str = "entry", large: bool = True
) -> Result:
    """The result of the statement, as a session gives it that has seen before that it rests on many rows."""
    statements = {"s": {"shape": shape, "grain": grain, "statement": sql, "columns": columns}}
    catalog = {
        "catalog": "faults",
        "version": 1,
        "company": {"currency": "EUR"},
        "source": {"url": "x", "dialect": "postgres", "engines": ["postgres", "sqlite", "duckdb"]},
        "records": RECORDS,
        "operations": {"ask": {"title": "t", "description": "d", "answer": "a", "statements": statements}},
    }
    loaded = load_catalog(yaml.safe_dump(catalog, sort_keys=False), environ={}, file_name="faults.yaml")
    desk = Desk(loaded, source, Plans(loaded, source, None), dt.date(2026, 8, 14), {"ask.s"} if large else set())
    return run(desk, Asked("ask", {}, str(uuid.uuid4())))


def of_witness(sql: str) -> bool:
    return ' AS "__g0"' in sql


JOINED = "SELECT SUM(e.amount) AS total FROM entries e JOIN customers c ON c.id = e.customer AND c.live = 1"
ALL = "SELECT SUM(amount) AS total FROM entries"
BY_CUSTOMER = "SELECT customer, SUM(amount) AS total FROM entries GROUP BY customer ORDER BY customer"
LATE = "SELECT SUM(days_between('2026-08-14', due)) AS total FROM entries"


@pytest.mark.parametrize("large", [True, False], ids=["known to be large", "for the first time"])
def test_what_is_right_is_answered(source: Source, large: bool) -> None:
    result = ask(source, ALL, TOTAL, large=large)
    total = dict(result.figures())["s.total"]
    assert total.value == sum(line[2] for line in LINES)
    assert total.rows is not None
    assert total.rows.count == ROWS
    told = any("rows were added up by the source" in note for note in result.notes)
    assert told is (source.dialect == "duckdb")
    by_customer = ask(source, BY_CUSTOMER, {"customer": INTEGER, **TOTAL}, shape="many", large=large)
    assert [row.figures["total"].value for row in by_customer.tables["s"].rows] == [
        sum(line[2] for line in LINES if line[1] == customer) for customer in range(3)
    ]


def test_a_join_condition_dropped_in_the_witness(source: Source) -> None:
    def rewrite(sql: str) -> str:
        return sql.replace(' AND "c"."live" = 1', "") if of_witness(sql) else sql

    with pytest.raises(TieOutError, match=r"by the source and|does not meet the statement's own condition"):
        ask(WrongSource(source, rewrite), JOINED, TOTAL)


@pytest.mark.parametrize("large", [True, False], ids=["known to be large", "for the first time"])
def test_a_join_that_fans_out(source: Source, large: bool) -> None:
    sql = "SELECT SUM(e.amount) AS total FROM entries e LEFT JOIN notes n ON n.entry = e.id"
    with pytest.raises(TieOutError, match="This join counts entry 4242 twice"):
        ask(source, sql, TOTAL, large=large)


def test_an_amount_of_another_table_that_is_added_up_for_each_row(source: Source) -> None:
    sql = "SELECT SUM(c.credit) AS total FROM entries e JOIN customers c ON c.id = e.customer"
    with pytest.raises(TieOutError, match=r"This statement counts (customer|a row of another table)"):
        ask(source, sql, TOTAL)


def test_a_row_credited_to_the_wrong_group(source: Source) -> None:
    def rewrite(sql: str) -> str:
        wrong = r'CASE WHEN \1."id" = 5002 THEN 0 ELSE \1."customer" END AS "__k0"'
        return re.sub(r'("\w+")\."customer" AS "__k0"', wrong, sql) if of_witness(sql) else sql

    with pytest.raises(TieOutError, match=r"of group [01] is \d+ by the source and"):
        ask(WrongSource(source, rewrite), BY_CUSTOMER, {"customer": INTEGER, **TOTAL}, shape="many")


def test_two_currencies_added_of_which_one_row_has_the_other(source: Source) -> None:
    """The row is none of the largest or the first; what its column says is asked of all rows."""
    with pytest.raises(TieOutError, match="said to be EUR but its rows are in EUR, USD"):
        ask(source, ALL, {"total": {**MONEY, "currency": "EUR"}})


def test_a_rounded_total(source: Source) -> None:
    def rewrite(sql: str) -> str:
        return (
            sql
            if of_witness(sql)
            else re.sub(r'SUM\(("\w+"\."amount")\)', r"CAST(ROUND(SUM(\1) / 1000.0) * 1000 AS BIGINT)", sql)
        )

    with pytest.raises(TieOutError, match="Figure total is 1040000 by the source and 1039750 by its rows"):
        ask(WrongSource(source, rewrite), ALL, TOTAL)


def test_a_table_that_is_another_for_the_witness(source: Source) -> None:
    other = "(SELECT id, customer, CASE WHEN id = 7777 THEN amount + 1 ELSE amount END AS amount, currency, due, live FROM entries)"

    def rewrite(sql: str) -> str:
        return re.sub(r'"main"\."entries"|"entries"(?= AS)', other, sql) if of_witness(sql) else sql

    with pytest.raises(TieOutError, match="by the source and"):
        ask(WrongSource(source, rewrite), ALL, TOTAL)


def test_a_date_translated_wrongly_in_statement_and_witness_alike(source: Source) -> None:
    """Both agree; the rows that are listed are recomputed."""

    def rewrite(sql: str) -> str:
        sql = re.sub(r"JULIANDAY\(DATE\(([^()]*)\)\)", r"CAST(STRFTIME('%Y', \1) AS INTEGER)", sql)
        return sql.replace("DATE_DIFF('day'", "DATE_DIFF('year'")

    with pytest.raises(TieOutError, match=r"a contribution of entry \d+ is \d by the source and"):
        ask(WrongSource(source, rewrite), LATE, TOTAL)


def test_a_condition_that_the_engine_gets_wrong_for_a_row_that_is_listed(source: Source) -> None:
    def rewrite(sql: str) -> str:
        return sql.replace('"live" = 1', '"live" >= 0')

    with pytest.raises(TieOutError, match="which does not meet the statement's own condition"):
        ask(WrongSource(source, rewrite), f"{ALL} WHERE live = 1", TOTAL)


@pytest.mark.parametrize("source", ["duckdb"], indirect=True)
def test_rows_that_the_engine_leaves_out_of_what_it_digests(source: Source) -> None:
    """SQLite digests nothing itself: what passes is what is digested."""
    table = re.compile(r'FROM "main"\."entries" AS "entries"')

    def rewrite(sql: str) -> str:
        return table.sub('FROM (SELECT * FROM entries WHERE id <> 3) AS "entries"', sql) if "SHA256" in sql else sql

    with pytest.raises(TieOutError, match="digests 10,499 rows and adds up 10,500"):
        ask(WrongSource(source, rewrite), ALL, TOTAL)


@pytest.mark.parametrize("source", ["duckdb"], indirect=True)
def test_rows_that_the_engine_does_not_show_although_it_counts_them(source: Source) -> None:
    """Of what passes, Footnote itself keeps the largest."""

    def rewrite(sql: str) -> str:
        return sql.replace('"__n" <= $footnote_last', '"__n" <= 1')

    with pytest.raises(TieOutError, match="shows 1 rows of total and counts 10,500"):
        ask(WrongSource(source, rewrite), ALL, TOTAL)


@pytest.mark.parametrize("source", ["duckdb"], indirect=True)
def test_chunks_that_are_not_what_was_asked_for(source: Source) -> None:
    def rewrite(sql: str) -> str:
        return sql.replace(" // 10000", " // 9000")

    with pytest.raises(TieOutError, match="did not digest the rows as it was asked to"):
        ask(WrongSource(source, rewrite), ALL, TOTAL)


# --- inner queries ----------------------------------------------------------------------------------------------------

LARGEST = "SELECT MAX(d.total) AS total FROM (SELECT customer, SUM(amount) AS total FROM entries GROUP BY customer) d"
BELOW = (
    "SELECT SUM(d.total) AS total FROM (SELECT e.customer, SUM(e.amount) AS total FROM entries e "
    "JOIN customers c ON c.id = e.customer WHERE c.live = 1 GROUP BY e.customer) d"
)


def test_what_is_right_over_an_inner_query_is_answered(source: Source) -> None:
    totals = [sum(line[2] for line in LINES if line[1] == customer) for customer in range(3)]
    assert dict(ask(source, LARGEST, TOTAL).figures())["s.total"].value == max(totals)
    assert dict(ask(source, BELOW, TOTAL).figures())["s.total"].value == totals[0] + totals[1]


def test_a_row_credited_to_the_wrong_inner_group(source: Source) -> None:
    def rewrite(sql: str) -> str:
        wrong = r'CASE WHEN \1."id" = 5002 THEN 0 ELSE \1."customer" END AS "__k0"'
        return re.sub(r'("\w+")\."customer" AS "__k0"', wrong, sql) if ' AS "__c0"' in sql else sql

    with pytest.raises(TieOutError, match=r"by the source and|do not stand together"):
        ask(WrongSource(source, rewrite), LARGEST, TOTAL)


def test_an_inner_condition_dropped_in_its_witness(source: Source) -> None:
    def rewrite(sql: str) -> str:
        return sql.replace('"c"."live" = 1', "1 = 1") if ' AS "__c0"' in sql else sql

    with pytest.raises(TieOutError, match="which does not meet the statement's own condition"):
        ask(WrongSource(source, rewrite), BELOW, TOTAL)


def test_an_inner_join_that_fans_out(source: Source) -> None:
    sql = (
        "SELECT SUM(d.total) AS total FROM (SELECT e.customer, SUM(e.amount) AS total FROM entries e "
        "LEFT JOIN notes n ON n.entry = e.id GROUP BY e.customer) d"
    )
    with pytest.raises(TieOutError, match=r"counts entry 4242 twice in e\.amount"):
        ask(source, sql, TOTAL)


def test_an_inner_row_that_stands_twice(source: Source) -> None:
    """As a table that inherits, or a key that the database does not enforce, would give it: in two groups, far apart."""
    table = re.compile(r'FROM "main"\."entries" AS "entries"')
    double = 'FROM (SELECT * FROM entries UNION ALL SELECT id, customer + 2, amount, currency, due, live FROM entries WHERE id = 3000) AS "entries"'

    with pytest.raises(TieOutError, match="This join counts entry 3000 twice"):
        ask(WrongSource(source, lambda sql: table.sub(double, sql)), LARGEST, TOTAL)


def test_an_inner_sum_that_the_engine_gets_wrong(source: Source) -> None:
    def rewrite(sql: str) -> str:
        return re.sub(r'SUM\(("\w+"\."amount")\) AS "total"', r'SUM(\1) + 1 AS "total"', sql)

    with pytest.raises(TieOutError, match="by the source and"):
        ask(WrongSource(source, rewrite), LARGEST, TOTAL)
