"""Promise 2, under faults that give a figure which looks right and is wrong: each is caught, and what is said names what caught it.

The engine, or the statement, is made wrong on purpose; the same question without the fault is answered.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from footnote.catalog.load import load_catalog
from footnote.errors import TieOutError
from footnote.operations.result import Result
from footnote.operations.run import Asked, Desk, run
from footnote.plans.cache import Plans
from footnote.sources.cancellation import Cancellation
from footnote.sources.facts import Fact
from footnote.sources.indexed import Indexed
from footnote.sources.inventory import Listed
from footnote.sources.opening import open_source
from footnote.sources.privileges import Privileges
from footnote.sources.query import Query
from footnote.sources.source import Dialect, Rows, Snapshot, Source, TableSchema

Rewrite = Callable[[str], str]

SCHEMA = """
CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer INTEGER, amount INTEGER, price NUMERIC, currency TEXT, due DATE);
CREATE TABLE payments (id INTEGER PRIMARY KEY, invoice INTEGER, amount INTEGER, voided INTEGER);
INSERT INTO invoices VALUES (1, 7, 100, 1.25, 'EUR', '2026-01-05'), (2, 7, 40, 2.5, 'EUR', '2026-02-05'),
    (3, 8, 60, 0.75, 'USD', '2026-03-05');
INSERT INTO payments VALUES (1, 1, 30, 0), (2, 1, 20, 0), (3, 2, 40, 0), (4, 3, 10, 1);
"""
MONEY = {"type": "money", "currency": {"column": "currency"}, "minor_units": True}
RECORDS = {
    "invoice": {
        "table": "invoices",
        "key": ["id"],
        "label": "{id}",
        "fields": {
            "customer": {"type": "integer"},
            "amount": MONEY,
            "price": {"type": "decimal"},
            "currency": {"type": "text"},
            "due": {"type": "date"},
        },
    },
    "payment": {
        "table": "payments",
        "key": ["id"],
        "label": "{id}",
        "fields": {"invoice": {"type": "integer"}, "amount": {"type": "integer"}, "voided": {"type": "integer"}},
    },
}
CENTS = {"type": "money", "currency": "EUR", "minor_units": True}
NUMBER = {"type": "integer"}


@dataclass(frozen=True)
class WrongSource:
    """A source whose engine is given other SQL than Footnote wrote."""

    source: Source
    rewrite: Rewrite

    @property
    def dialect(self) -> Dialect:
        return self.source.dialect

    @property
    def name(self) -> str:
        return self.source.name

    @contextlib.contextmanager
    def snapshot(self, cancel: Cancellation | None = None) -> Iterator[Snapshot]:
        with self.source.snapshot(cancel) as snapshot:
            yield WrongSnapshot(snapshot, self.rewrite)

    def tables(self, names: Iterable[str]) -> dict[str, TableSchema]:
        return self.source.tables(names)

    def listed(self) -> tuple[Listed, ...]:
        return self.source.listed()

    def facts(self) -> tuple[Fact, ...]:
        return self.source.facts()

    def indexes(self, names: Iterable[str]) -> Mapping[str, Indexed] | None:
        return self.source.indexes(names)

    def privileges(self) -> Privileges:
        return self.source.privileges()

    def close(self) -> None:
        self.source.close()


@dataclass(frozen=True)
class WrongSnapshot:
    """One state of the database, asked something else."""

    snapshot: Snapshot
    rewrite: Rewrite

    @property
    def taken_at(self) -> dt.datetime:
        return self.snapshot.taken_at

    def run(self, query: Query) -> Rows:
        return self.snapshot.run(replace(query, sql=self.rewrite(query.sql)))


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    connection = sqlite3.connect(tmp_path / "faults.db")
    connection.executescript(SCHEMA)
    connection.close()
    source = open_source(f"sqlite:///{tmp_path / 'faults.db'}")
    yield source
    source.close()


def ask(source: Source, *, grain: str = "invoice", **statements: tuple[str, dict[str, Any]]) -> Result:
    """The result of an operation; a statement's name says its shape: `rows`, or `totals` (of the rows, if both)."""
    made: dict[str, Any] = {}
    for name, (sql, columns) in statements.items():
        many = name == "rows"
        made[name] = {"shape": "many" if many else "one", "grain": grain, "statement": sql, "columns": columns}
        if many and "GROUP BY" not in sql:
            made[name]["each"] = {"record": grain, "key": "id"}
        if name == "totals" and "rows" in statements:
            made[name]["totals_of"] = "rows"
    catalog = {
        "catalog": "faults",
        "version": 1,
        "company": {"currency": "EUR"},
        "source": {"url": "x", "dialect": "postgres", "engines": ["postgres", "sqlite"]},
        "records": RECORDS,
        "operations": {"ask": {"title": "t", "description": "d", "answer": "a", "statements": made}},
    }
    loaded = load_catalog(yaml.safe_dump(catalog, sort_keys=False), environ={}, file_name="faults.yaml")
    desk = Desk(loaded, source, Plans(loaded, source, None), dt.date(2026, 8, 14))
    return run(desk, Asked("ask", {}, str(uuid.uuid4())))


def is_witness(sql: str) -> bool:
    return ('"__g0"' in sql and "__k" not in sql.partition("FROM")[0]) or ' AS "__c0"' in sql


OPEN = (
    "SELECT SUM(i.amount - COALESCE((SELECT SUM(p.amount) FROM payments p WHERE p.invoice = i.id AND p.voided = 0), 0)) "
    "AS total FROM invoices i"
)
BY_CUSTOMER = "SELECT customer, SUM(amount) AS total FROM invoices i GROUP BY customer ORDER BY customer"
LARGEST = "SELECT MAX(total) AS most FROM (SELECT customer, SUM(amount) AS total FROM invoices GROUP BY customer) d"
LATE = "SELECT SUM(days_between('2026-08-14', due)) AS days FROM invoices"
CUSTOMER = {"customer": NUMBER, "total": NUMBER}


def test_what_is_right_is_answered(source: Source) -> None:
    assert dict(ask(source, totals=(OPEN, {"total": NUMBER})).figures())["totals.total"].value == 110
    assert dict(ask(source, totals=(LARGEST, {"most": NUMBER})).figures())["totals.most"].value == 140
    assert len(ask(source, rows=(BY_CUSTOMER, CUSTOMER)).tables["rows"].rows) == 2
    assert dict(ask(source, totals=(LATE, {"days": NUMBER})).figures())["totals.days"].value == 221 + 190 + 162


def test_an_arm_with_a_condition_dropped(source: Source) -> None:
    """Its rows no longer give what the statement says; the row that it should not have names itself."""
    wrong = WrongSource(source, lambda sql: sql.replace(' AND "p"."voided" = 0', "") if is_witness(sql) else sql)
    with pytest.raises(TieOutError, match="counts payment 4, which does not meet the statement's own condition"):
        ask(wrong, totals=(OPEN, {"total": NUMBER}))


def test_an_arm_with_its_join_condition_dropped(source: Source) -> None:
    """Every payment would be of every invoice."""
    dropped = re.compile(r' WHERE "p"\."invoice" = "__o\d+"\."__g0" AND')

    def rewrite(sql: str) -> str:
        return dropped.sub(" WHERE", sql) if is_witness(sql) and "__o" in sql else sql

    with pytest.raises(TieOutError, match="does not meet the statement's own condition"):
        ask(WrongSource(source, rewrite), totals=(OPEN, {"total": NUMBER}))


def test_a_join_that_fans_out(source: Source) -> None:
    sql = "SELECT SUM(i.amount) AS total FROM invoices i JOIN payments p ON p.invoice = i.id"
    with pytest.raises(TieOutError, match="This join counts invoice 1 twice"):
        ask(source, totals=(sql, {"total": NUMBER}))


def test_a_join_that_fans_out_below(source: Source) -> None:
    """In an inner query nobody said what the grain is; the invoice's amount is found to stand there twice."""
    sql = (
        "SELECT SUM(d.total) AS total FROM (SELECT i.customer, SUM(i.amount) AS total FROM invoices i "
        "JOIN payments p ON p.invoice = i.id GROUP BY i.customer) d"
    )
    with pytest.raises(TieOutError, match=r"counts invoice 1 twice in i\.amount"):
        ask(source, totals=(sql, {"total": NUMBER}))


@pytest.mark.parametrize("sql", [BY_CUSTOMER, LARGEST], ids=["of the statement", "of an inner query"])
def test_a_row_credited_to_the_wrong_group(source: Source, sql: str) -> None:
    """Replaying the statement over its rows would not notice."""

    def rewrite(text: str) -> str:
        wrong = re.sub(
            r'("\w+")\."customer" AS "__k0"', r'CASE WHEN \1."id" = 2 THEN 8 ELSE \1."customer" END AS "__k0"', text
        )
        return wrong if ' AS "__c0"' in text else text

    columns = CUSTOMER if sql is BY_CUSTOMER else {"most": NUMBER}
    name = "rows" if sql is BY_CUSTOMER else "totals"
    with pytest.raises(TieOutError, match=r"by the source and|that its own rows do not give"):
        ask(WrongSource(source, rewrite), grain="invoice", **{name: (sql, columns)})


@pytest.mark.parametrize("sql", [OPEN, LARGEST], ids=["with a sub-select", "over an inner query"])
def test_a_table_that_is_another_for_the_witness(source: Source, sql: str) -> None:
    """A view that was changed between the statement and its witness, or a second snapshot."""
    other = "(SELECT id, customer, amount + 1 AS amount, price, currency, due FROM invoices)"

    def rewrite(text: str) -> str:
        return text.replace('"main"."invoices"', other) if ' AS "__c0"' in text else text

    with pytest.raises(TieOutError, match="by the source and"):
        ask(WrongSource(source, rewrite), totals=(sql, {"total" if sql is OPEN else "most": NUMBER}))


def test_a_date_translated_wrongly(source: Source) -> None:
    """`date - date` is the difference of two years on SQLite, in the statement and in its witness alike."""

    def rewrite(text: str) -> str:
        return re.sub(r"JULIANDAY\(DATE\(([^()]*)\)\)", r"CAST(STRFTIME('%Y', \1) AS INTEGER)", text)

    with pytest.raises(TieOutError, match="a contribution of invoice 1 is 0 by the source and 221 by its rows"):
        ask(WrongSource(source, rewrite), totals=(LATE, {"days": NUMBER}))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(amount) AS total FROM invoices",
        "SELECT SUM(d.total) AS total FROM (SELECT customer, SUM(amount) AS total FROM invoices GROUP BY customer) d",
        "SELECT SUM(d.amount) AS total FROM (SELECT id, amount FROM invoices) d",
    ],
    ids=["at once", "over an inner query", "through a derived table"],
)
def test_two_currencies_added(source: Source, sql: str) -> None:
    with pytest.raises(TieOutError, match="said to be EUR but its rows are in EUR, USD"):
        ask(source, totals=(sql, {"total": CENTS}))


def test_a_rounded_total(source: Source) -> None:
    """What a trigger or a materialised total would do: 4.50 is told as 5."""

    def rewrite(text: str) -> str:
        return text.replace('SUM("invoices"."price")', 'ROUND(SUM("invoices"."price"))')

    with pytest.raises(TieOutError, match=r"Figure total is 5\.0 by the source and 4\.50? by its rows"):
        ask(
            WrongSource(source, rewrite),
            totals=("SELECT SUM(price) AS total FROM invoices", {"total": {"type": "decimal"}}),
        )


def test_a_total_with_one_condition_less_than_its_rows(source: Source) -> None:
    rows = "SELECT id, amount FROM invoices WHERE customer = 7 ORDER BY id"
    with pytest.raises(TieOutError, match="do not rest on the same rows"):
        ask(
            source,
            rows=(rows, {"id": NUMBER, "amount": NUMBER}),
            totals=("SELECT SUM(amount) AS total FROM invoices", {"total": NUMBER}),
        )


def test_a_value_of_an_inner_query_that_the_engine_gets_wrong(source: Source) -> None:
    """The outer statement uses the engine's 141; the rows below give 140."""

    def rewrite(text: str) -> str:
        return text.replace('SUM("invoices"."amount") AS "total"', 'SUM("invoices"."amount") + 1 AS "total"')

    with pytest.raises(TieOutError, match="by the source and 140 by its rows"):
        ask(WrongSource(source, rewrite), totals=(LARGEST, {"most": NUMBER}))


def test_not_exists_that_the_engine_gets_wrong(source: Source) -> None:
    sql = "SELECT SUM(i.amount) AS total FROM invoices i WHERE NOT EXISTS (SELECT 1 FROM payments p WHERE p.invoice = i.id)"

    def rewrite(text: str) -> str:
        return text.replace("WHERE NOT EXISTS(", "WHERE NOT EXISTS(SELECT 1 WHERE FALSE) OR EXISTS(")

    with pytest.raises(TieOutError, match="does not meet the statement's own condition"):
        ask(WrongSource(source, rewrite), totals=(sql, {"total": NUMBER}))
