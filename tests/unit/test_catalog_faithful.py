"""What engines would silently do differently is refused; natively, and per dialect, an author may write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.catalog.faithful import Types, refuse_unfaithful
from footnote.catalog.load import load_catalog
from footnote.catalog.place import Place
from footnote.catalog.statements import parse_statement
from footnote.errors import CatalogError, StatementRefused

BASE = Path(__file__).with_name("test_catalog.yaml").read_text("utf-8")
HERE = Place("c.yaml", 10, literal=True)
TYPES = Types(
    {
        "t": {"due": "date", "paid": "date", "sent": "datetime", "note": "text", "code": "text", "n": "integer"},
        "u": {"note": "text", "due": "text", "amount": "money"},
    },
    {"day": "date", "word": "text", "number": "integer", "moment": "datetime", "who": ""},
)


def check(sql: str, dialect: str, *engines: str) -> None:
    tree = parse_statement(sql, dialect, HERE)
    refuse_unfaithful(tree, dialect=dialect, engines=frozenset(engines or {dialect}), types=TYPES, where=HERE)


SAME_EVERYWHERE = [
    "SELECT n + 1 AS a, n - n AS b, -n AS c, n * 2 AS d FROM t",
    "SELECT SUM(n) AS s, COUNT(*) AS c, MIN(due) AS lo, MAX(note) AS hi, COUNT(DISTINCT note) AS d FROM t",
    "SELECT days_between(:day, due) AS a FROM t WHERE due < :day AND days_between(paid, due) > 30",
    "SELECT month_of(due) AS m, quarter_of(sent) AS q, year_of(MIN(due)) AS y FROM t GROUP BY due, sent",
    "SELECT ratio(n, 2) AS r FROM t WHERE starts_with(note, :word)",
    "SELECT COALESCE(n, 0) AS a, note || code AS b, NULLIF(n, 0) AS c FROM t WHERE note <> 'x' AND n IN (1, 2)",
    "SELECT CASE WHEN due < :day THEN n ELSE 0 END AS a FROM t WHERE due IS NULL OR due BETWEEN :day AND :day",
    "SELECT a.n FROM t a JOIN u b ON a.n = b.n WHERE b.amount > 0 AND a.unknown - b.unknown > 0",
    "SELECT n FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.note = t.note)",
    "SELECT n FROM t WHERE note = :who AND n = :number",
]

DIFFERENT = [
    ("SELECT n / 2 AS a FROM t", "ratio(a, b)"),
    ("SELECT SUM(n) / COUNT(*) AS a FROM t", "ratio(a, b)"),
    ("SELECT n % 2 AS a FROM t", "disagree"),
    ("SELECT n FROM t WHERE note LIKE 'x%'", "starts_with"),
    ("SELECT n FROM t WHERE note ILIKE 'x%'", "starts_with"),
    ("SELECT n FROM t WHERE note NOT LIKE 'x%'", "starts_with"),
    ("SELECT CAST(n AS decimal) AS a FROM t", "money(x)"),
    ("SELECT CAST(n AS decimal(10, 2)) AS a FROM t", "money(x)"),
    ("SELECT CAST(note AS integer) AS a FROM t", "Type the column"),
    ("SELECT n FROM t WHERE due < CAST('2026-01-01' AS date)", "use a parameter"),
    ("SELECT EXTRACT(year FROM due) AS a FROM t", "year_of"),
    ("SELECT AVG(n) AS a FROM t", "derive ratio(sum, count)"),
    ("SELECT ROUND(n, 2) AS a FROM t", "`scale`"),
    ("SELECT UPPER(note) AS a FROM t", "ASCII"),
    ("SELECT LOWER(note) AS a FROM t", "ASCII"),
    ("SELECT CONCAT(note, code) AS a FROM t", "||"),
    ("SELECT GREATEST(n, 0) AS a FROM t", "CASE WHEN"),
    ("SELECT LEAST(n, 0) AS a FROM t", "CASE WHEN"),
    ("SELECT note ->> 'a' AS a FROM t", "JSON"),
    ("SELECT due - paid AS a FROM t", "days_between"),
    ("SELECT due - 30 AS a FROM t", "days_between"),
    ("SELECT :day - due AS a FROM t", "days_between"),
    ("SELECT n FROM t WHERE unknown < :day - 30", "days_between"),
    ("SELECT n FROM t WHERE COALESCE(due, paid) + 1 > :day", "days_between"),
    ("SELECT n FROM t WHERE (due) - (paid) > 1", "days_between"),
    ("SELECT x.due - x.paid AS a FROM t AS x", "days_between"),
    ("SELECT n FROM t WHERE EXISTS (SELECT 1 FROM v WHERE v.a < t.due - 1)", "days_between"),
    ("SELECT n FROM t WHERE sent < :day", "compares a moment with a date"),
    ("SELECT n FROM t WHERE sent = due", "compares a moment with a date"),
]

WRONG_EVERYWHERE = [
    ("SELECT note - code AS a FROM t", "declared as text"),
    ("SELECT note + 1 AS a FROM t", "declared as text"),
    ("SELECT n * note AS a FROM t", "declared as text"),
    ("SELECT -note AS a FROM t", "declared as text"),
    ("SELECT SUM(note) AS a FROM t", "declared as text"),
    ("SELECT SUM(COALESCE(note, code)) AS a FROM t", "declared as text"),
    ("SELECT ratio(note, 2) AS a FROM t", "declared as text"),
    ("SELECT money(note) AS a FROM t", "declared as text"),
    ("SELECT n + month_of(due) AS a FROM t", "declared as text"),
    ("SELECT n + :word AS a FROM t", "declared as text"),
    ("SELECT b.due - a.due AS a FROM t a JOIN u b ON a.n = b.n", ""),
    ("SELECT days_between(:day, note) AS a FROM t", "type: date"),
    ("SELECT days_between(n, due) AS a FROM t", "type: date"),
    ("SELECT month_of(note) AS a FROM t", "type: date"),
    ("SELECT n FROM t WHERE note < :day", "type: date"),
    ("SELECT n FROM t WHERE due = note", "type: date"),
    ("SELECT n FROM t WHERE due = :number", "type: date"),
    ("SELECT SUM(due) AS a FROM t", "days_between"),
    ("SELECT due * 2 AS a FROM t", "days_between"),
]

NATIVE_ONLY = [
    "SELECT n / 2 AS a, n % 2 AS b, ROUND(n, 1) AS c, UPPER(note) AS d FROM t WHERE note LIKE 'x%'",
    "SELECT AVG(n) AS a, GREATEST(1, 2) AS b, CONCAT('a', 'b') AS c FROM t",
]


@pytest.mark.parametrize("sql", SAME_EVERYWHERE)
def test_what_is_the_same_everywhere_passes(sql: str) -> None:
    check(sql, "postgres", "postgres", "sqlite")
    check(sql, "sqlite", "postgres", "sqlite")
    check(sql, "postgres")
    check(sql, "sqlite")


@pytest.mark.parametrize(("sql", "says"), DIFFERENT)
def test_what_another_engine_does_differently_is_refused(sql: str, says: str) -> None:
    with pytest.raises(StatementRefused) as caught:
        check(sql, "postgres", "postgres", "sqlite")
    assert says in caught.value.text
    assert caught.value.line == 10
    assert caught.value.remedy


@pytest.mark.parametrize("dialect", ["postgres", "sqlite"])
@pytest.mark.parametrize(("sql", "says"), WRONG_EVERYWHERE)
def test_what_is_wrong_on_every_engine_is_refused_natively_too(sql: str, says: str, dialect: str) -> None:
    with pytest.raises(StatementRefused) as caught:
        check(sql, dialect)
    assert says in caught.value.text
    assert caught.value.remedy


@pytest.mark.parametrize("sql", NATIVE_ONLY)
def test_an_author_may_write_natively_what_is_not_portable(sql: str) -> None:
    check(sql, "postgres")
    with pytest.raises(StatementRefused):
        check(sql, "postgres", "postgres", "sqlite")


def test_dates_may_be_subtracted_on_postgres_alone() -> None:
    check("SELECT due - paid AS a, due + INTERVAL '1 day' AS b, DATE_TRUNC('month', due) AS c FROM t", "postgres")
    with pytest.raises(StatementRefused, match="days_between"):
        check("SELECT due - paid AS a FROM t", "sqlite")


def test_a_decimal_cast_is_a_float_on_sqlite() -> None:
    with pytest.raises(StatementRefused, match="float on SQLite"):
        check("SELECT CAST(n AS decimal(10, 2)) AS a FROM t", "sqlite")


def test_texts_may_be_compared_for_mysql_since_plans_compare_their_letters() -> None:
    check("SELECT n FROM t WHERE note <> 'x' AND note = code", "postgres", "postgres", "mysql")


@pytest.mark.parametrize("sql", ["SELECT LENGTH(note) AS a FROM t", "SELECT t.n FROM t FULL JOIN t AS u ON t.n = u.n"])
def test_what_mysql_has_not_or_does_otherwise_is_refused(sql: str) -> None:
    check(sql, "postgres")
    with pytest.raises(StatementRefused, match="mysql"):
        check(sql, "postgres", "postgres", "mysql")


def test_a_decimal_cast_without_digits_rounds_on_mysql() -> None:
    check("SELECT CAST(n AS DECIMAL(12, 2)) AS a FROM t", "mysql")
    with pytest.raises(StatementRefused, match="rounds"):
        check("SELECT CAST(n AS DECIMAL) AS a FROM t", "mysql")


def per_dialect(texts: str) -> str:
    start = BASE.index("        statement: |\n          SELECT month_of(due_on)")
    end = BASE.index("        columns:\n          month:")
    return BASE[:start] + texts + BASE[end:]


POSTGRES = """\
        statement:
          postgres: |
            SELECT to_char AS month, SUM(amount_cents) / 1 AS revenue FROM invoices
            WHERE due_on BETWEEN :span_from AND :span_to GROUP BY to_char ORDER BY 1
"""
SQLITE = """\
          sqlite: |
            SELECT substr(due_on, 1, 7) AS month, SUM(amount_cents) AS revenue FROM invoices
            WHERE due_on BETWEEN :span_from AND :span_to GROUP BY 1 ORDER BY 1
"""


def test_a_statement_per_dialect_is_native_in_each() -> None:
    statement = (
        load_catalog(per_dialect(POSTGRES + SQLITE), environ={}).catalog.operations["getRevenue"].statements["months"]
    )
    assert isinstance(statement.statement, dict)
    assert set(statement.statement) == {"postgres", "sqlite"}


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (POSTGRES, "not the same on sqlite"),
        (SQLITE.replace("          sqlite", "        statement:\n          sqlite"), "no text for postgres"),
        (POSTGRES + SQLITE + SQLITE.replace("sqlite", "duckdb"), "does not declare the engine duckdb"),
        (POSTGRES + SQLITE.replace("SUM(amount_cents)", "pg_read_file(note)"), "`pg_read_file`"),
    ],
)
def test_every_engine_needs_a_text_that_is_faithful_there(texts: str, says: str) -> None:
    with pytest.raises(CatalogError) as caught:
        load_catalog(per_dialect(texts), environ={}, file_name="c.yaml")
    assert says in caught.value.text
    assert caught.value.line > 90
