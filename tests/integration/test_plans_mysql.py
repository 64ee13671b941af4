"""Catalogs on MariaDB: texts are their letters whatever the collation, keys are found by index, nothing odd hides."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote.errors import SourceUnavailable, StatementRefused, ValueUnreadable
from footnote.operations.result import Result
from footnote.session import Session

pytestmark = pytest.mark.mariadb

SCHEMA = [
    "CREATE TABLE customer (name varchar(140) COLLATE utf8mb4_unicode_ci PRIMARY KEY, town varchar(40) CHARACTER SET latin1)",
    (
        "CREATE TABLE invoice (name varchar(140) COLLATE utf8mb4_unicode_ci PRIMARY KEY, customer varchar(140) COLLATE "
        "utf8mb4_unicode_ci, town varchar(40) COLLATE utf8mb4_general_ci, status varchar(9) CHARACTER SET latin1, code char(5), "
        "size int, due date, active tinyint(1), flag bit(1), KEY (customer))"
    ),
    "INSERT INTO customer VALUES ('Abc', 'Wien'), ('abd', 'wien'), ('Äbx', 'Wien ')",
    (
        "INSERT INTO invoice VALUES ('i1', 'Abc', 'Wien', 'paid', 'a', 1, '2026-01-31', 1, b'1'), "
        "('i2', 'abd', 'wien', 'Paid', 'A', 2, '2026-02-28', 0, b'0'), ('i3', 'Äbx', 'Wien ', 'open', 'a', 4, NULL, 1, b'1'), "
        "('i4', NULL, 'wïen', NULL, NULL, 8, '2026-03-31', NULL, NULL)"
    ),
]
CATALOG = """
catalog: letters
version: 1
source: {url: "${DATABASE_URL}", dialect: postgres, engines: [mysql], timeout: 10s}
records:
  customer: {table: customer, key: [name], label: "{name}", fields: {name: {type: text}, town: {type: text}}}
  invoice:
    table: invoice
    key: [name]
    label: "{name}"
    fields:
      customer: {type: text}
      town: {type: text}
      status: {type: text}
      code: {type: text}
      size: {type: integer}
      due: {type: date}
      active: {type: boolean}
      flag: {type: boolean}
entities:
  customer: {record: customer, match: [name], order: name}
operations:
  ask:
    title: t
    description: d
    answer: a
    parameters: [PARAMETERS]
    statements:
      s:
        shape: SHAPE
        grain: invoice
        statement: |
          SQL
        columns: {COLUMNS}
"""
PARAMETERS = {
    "customer": "type: entity, entity: customer",
    "text": "type: text",
    "texts": "type: list, of: text",
    "number": "type: integer",
    "day": "type: date",
}
Ask = Callable[..., Result]


@pytest.fixture(scope="module")
def url(mysql_url: str, mariadb_server: Any) -> str:
    mariadb_server.execute(*SCHEMA, database=mysql_url.partition("@/")[2].partition("?")[0])
    return mysql_url


@pytest.fixture
def ask(url: str, tmp_path: Path) -> Iterator[Ask]:
    opened: list[Session] = []

    def run(
        sql: str, columns: str = "m: {type: count}, size: {type: integer}", shape: str = "one", **given: Any
    ) -> Result:
        file = tmp_path / f"catalog{len(opened)}.yaml"
        used = [name for name in PARAMETERS if re.search(rf":{name}\b", sql)]
        declared = ", ".join(f"{{name: {name}, {PARAMETERS[name]}, description: d}}" for name in used)
        text = CATALOG.replace("SHAPE", shape).replace("SQL", sql).replace("COLUMNS", columns)
        text = text.replace("PARAMETERS", declared)
        file.write_text(text, encoding="utf-8")
        environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
        opened.append(footnote.open(str(file), database_url=url, environ=environ))
        return opened[-1].run("ask", {name: given[name] for name in used})

    yield run
    for session in opened:
        session.close()


TOTAL = "SELECT COUNT(*) AS m, SUM(i.size) AS size FROM invoice AS i WHERE "


def size(result: Result) -> int:
    """Which rows were added up: each has a power of two."""
    return int(str({address: figure.value for address, figure in result.figures()}["s.size"] or 0))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("i.town = 'Wien'", 1),
        ("i.town <> 'Wien'", 2 + 4 + 8),
        ("i.status = 'paid'", 1),
        ("i.status <> 'paid'", 2 + 4),
        ("i.status = 'päid 😀'", 0),
        ("i.town IN ('Wien', 'x')", 1),
        ("i.town NOT IN ('Wien', 'wien')", 4 + 8),
        ("i.town IS DISTINCT FROM 'Wien'", 2 + 4 + 8),
        ("i.customer IS NOT DISTINCT FROM 'abd'", 2),
        ("CASE i.town WHEN 'wien' THEN TRUE ELSE FALSE END", 2),
        ("NULLIF(i.town, 'Wien') IS NULL", 1),
        ("starts_with(i.town, 'W')", 1 + 4),
        ("i.code = 'a'", 1 + 4),
        ("i.town = i.customer", 0),
        ("i.town || i.code = 'wienA'", 2),
        ("i.active", 1 + 4),
        ("NOT i.active", 2),
        ("i.flag", 1 + 4),
        ("i.flag = FALSE", 2),
        ("i.due < '2026-02-28'", 1),
    ],
)
def test_texts_are_compared_by_their_letters(ask: Ask, condition: str, expected: int) -> None:
    assert size(ask(TOTAL + condition)) == expected


@pytest.mark.parametrize(
    ("condition", "given", "expected"),
    [
        ("i.town = :text", {"text": "Wien"}, 1),
        ("i.town = :text", {"text": "wien"}, 2),
        ("i.status = :text", {"text": "Žluť 😀"}, 0),
        ("i.town IN :texts", {"texts": ["Wien", "WÏEN"]}, 1),
        ("i.status IN :texts", {"texts": ["Paid", "open", "😀"]}, 2 + 4),
        ("i.customer = :customer", {"customer": "Abc"}, 1),
        ("i.customer = :customer", {"customer": "Äbx"}, 4),
        ("i.size < :number", {"number": 3}, 3),
        ("i.due >= :day", {"day": "2026-02-28"}, 2 + 8),
    ],
)
def test_parameters_are_compared_by_their_letters(
    ask: Ask, condition: str, given: dict[str, Any], expected: int
) -> None:
    assert size(ask(TOTAL + condition, **given)) == expected


def test_a_join_on_texts_is_one_of_letters(ask: Ask) -> None:
    sql = "SELECT COUNT(*) AS m, SUM(i.size) AS size FROM invoice AS i JOIN customer AS c ON c.name = i.customer AND c.town = i.town"
    assert size(ask(sql)) == 1 + 2 + 4


def test_groups_and_distinct_values_are_of_letters(ask: Ask) -> None:
    columns = "town: {type: text}, m: {type: count}, codes: {type: count}, size: {type: integer}"
    sql = "SELECT town, COUNT(*) AS m, COUNT(DISTINCT code) AS codes, SUM(size) AS size FROM invoice GROUP BY town ORDER BY MIN(size)"
    rows = ask(sql, columns, shape="many").tables["s"].rows
    assert [str(row.figures["town"].value) for row in rows] == ["Wien", "wien", "Wien ", "wïen"]
    columns = "code: {type: text}, m: {type: count}"
    rows = (
        ask("SELECT code, COUNT(*) AS m FROM invoice GROUP BY code ORDER BY MIN(size)", columns, shape="many")
        .tables["s"]
        .rows
    )
    assert [(row.figures["code"].value, row.figures["m"].value) for row in rows] == [("a", 2), ("A", 1), (None, 1)]


def test_a_name_is_resolved_by_footnote_and_compared_by_its_letters(ask: Ask) -> None:
    for name, expected in (("ABC", 1), ("abd", 2), ("äbx", 4)):
        assert size(ask(TOTAL + "i.customer = :customer", customer=name)) == expected


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("i.size = '5'", "compares a number with a text"),
        ("i.size = :text", "compares a number with a text"),
        ("i.size IN :texts", "compares a number with a text"),
        ("i.town = :number", "compares a text with what is none"),
        ("i.town = 5", "compares a text with what is none"),
        ("i.due = :text", "compares a date with"),
    ],
)
def test_a_text_is_never_read_as_a_number(ask: Ask, condition: str, says: str) -> None:
    with pytest.raises(StatementRefused, match=says):
        ask(TOTAL + condition, text="abc", texts=["abc"], number=5)


@pytest.mark.parametrize(
    ("change", "condition"),
    [
        ("due = '0000-00-00'", "i.due > '2026-01-01'"),
        ("due = '0000-00-00'", "i.due < '2026-01-01'"),
        ("active = 2", "i.active = FALSE"),
        ("active = 2", "i.active = TRUE"),
    ],
)
def test_what_is_no_day_or_no_boolean_cannot_hide_behind_a_condition(
    ask: Ask, url: str, mariadb_server: Any, change: str, condition: str
) -> None:
    database = url.partition("@/")[2].partition("?")[0]
    odd = (
        "SET sql_mode = ''",
        "INSERT INTO invoice (name) VALUES ('odd')",
        f"UPDATE invoice SET {change} WHERE name = 'odd'",
    )
    mariadb_server.execute(*odd, database=database)
    try:
        with pytest.raises(ValueUnreadable):
            ask(TOTAL + condition)
    finally:
        mariadb_server.execute("DELETE FROM invoice WHERE name = 'odd'", database=database)


def test_rows_are_fetched_by_the_index_of_their_text_keys(ask: Ask, url: str, mariadb_server: Any) -> None:
    result = ask(TOTAL + "TRUE")
    fetch = next(run for run in result.queries if "JSON_TABLE" in run.sql)
    database = url.partition("@/")[2].partition("?")[0]
    mariadb_server.execute(
        "INSERT INTO invoice (name) SELECT CONCAT('x', seq) FROM seq_1_to_5000",
        "ANALYZE TABLE invoice",
        database=database,
    )
    try:
        text = fetch.sql.replace("%(key0)s", "'" + json.dumps(["i1", "i2"]) + "'").replace("%%", "%")
        plan = mariadb_server.execute(f"EXPLAIN {text}", database=database)
        read = next(row for row in plan if row[2] == "t")
        assert read[3] in {"eq_ref", "ref", "range"}, plan
    finally:
        mariadb_server.execute("DELETE FROM invoice WHERE name LIKE 'x%'", database=database)


def test_a_table_without_snapshots_is_refused(ask: Ask, url: str, mariadb_server: Any) -> None:
    database = url.partition("@/")[2].partition("?")[0]
    mariadb_server.execute("CREATE TABLE old (id int PRIMARY KEY) ENGINE = MyISAM", database=database)
    with pytest.raises(SourceUnavailable, match="MyISAM"):
        ask("SELECT COUNT(*) AS m, SUM(i.size) AS size FROM invoice AS i JOIN old AS o ON o.id = i.size")
