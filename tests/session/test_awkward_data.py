"""Databases that hold something else than their catalog says, and statements that mean something else than they say."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from footnote.errors import FootnoteError, StatementRefused, TieOutError, Untraceable, ValueUnreadable
from footnote.operations.result import Result
from footnote.session import Session

CATALOG = """
catalog: awkward
version: 1
source: {{url: "${{DATABASE_URL}}", dialect: {dialect}, timeout: 10s}}
company: {{currency: EUR}}
records:
  row:
    table: rows
    key: [id]
    label: "{{id}}"
    fields:
      id: {{type: {id}}}
      amount: {{type: decimal}}
      cents: {{type: money, minor_units: true, currency: {{column: code}}}}
      at: {{type: datetime}}
      day: {{type: date}}
      paid: {{type: boolean}}
  line: {{table: {lines}, key: [id], label: "{{id}}", fields: {{id: {{type: text}}}}}}
operations:
  ask:
    title: t
    description: d
    answer: a
    parameters: [{parameters}]
    statements:
      s:
        shape: {shape}
        {each}
        grain: {grain}
        statement: |
          {sql}
        columns: {{{columns}}}
    {more}
"""
SQLITE = """
CREATE TABLE rows (id INTEGER PRIMARY KEY, amount TEXT, cents INTEGER, code TEXT, at TEXT, day TEXT, paid, size);
INSERT INTO rows VALUES
    (1, '9.50', 900, 'EUR', '2026-03-31T10:00:00', '2026-03-31', 1, 50),
    (2, '100.00', 10000, 'EUR', '2026-03-31 23:59:59.999', '2026-03-30', 0, '50'),
    (3, '20.00', 2000, 'EUR', '2026-04-01T00:00', '2026-01-01', 1, 7),
    (4, '-5.00', 500, 'JPY', '2026-03-31T09:00:00.500', NULL, NULL, NULL);
"""
COUNT = "SELECT COUNT(*) AS many FROM rows WHERE "
MANY = "many: {type: count}"
MOMENT = "{name: p, type: datetime, description: d}"
NUMBER = "{name: p, type: integer, description: d}"
DAY = "{name: p, type: date, description: d}"

Ask = Callable[..., Result]


@pytest.fixture
def ask_on(open_session: Callable[..., Session], tmp_path: Path) -> Ask:
    def ask(url: str, sql: str, columns: str = MANY, p: Any = None, **how: str) -> Result:
        listed = how.get("shape") == "list"
        text = CATALOG.format(
            dialect="sqlite" if url.startswith("sqlite") else "postgres",
            id="integer" if url.startswith("sqlite") else "text",
            parameters=how.get("parameters", ""),
            shape="many" if listed else how.get("shape", "one"),
            each=f"each: {{record: {how.get('record', 'row')}, key: id}}" if listed else "",
            grain=how.get("record", "row"),
            lines="lines" if "record" in how else "rows",
            sql=sql,
            columns=columns,
            more=how.get("more", ""),
        )
        file = tmp_path / "catalog.yaml"
        file.write_text(text, encoding="utf-8")
        return open_session(url, str(file)).run("ask", {} if p is None else {"p": p})

    return ask


@pytest.fixture
def ask(ask_on: Ask, tmp_path: Path) -> Ask:
    """Asks the table above, with statements run after it."""

    def ask_it(sql: str, *arguments: Any, change: str = "", **how: Any) -> Result:
        path = tmp_path / "awkward.db"
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.executescript(SQLITE + change)
        connection.close()
        return ask_on(f"sqlite:///{path}", sql, *arguments, **how)

    return ask_it


def many(result: Result) -> Any:
    return dict(result.figures())["s.many"].value


def ids(result: Result) -> list[str]:
    return [row.record for row in result.tables["s"].rows]


# --- SQLite: a text is not what it says -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "p", "expected"),
    [
        ("at < :p", "2026-03-31 12:00:00", 2),
        ("at <= :p", "2026-03-31 23:59:59.999", 3),
        ("at = :p", "2026-03-31 10:00:00", 1),
        ("at <> :p", "2026-03-31 10:00:00", 3),
        ("at >= :p", "2026-04-01 00:00:00", 1),
    ],
)
def test_moments_compare_however_they_are_written(ask: Ask, condition: str, p: str, expected: int) -> None:
    assert many(ask(COUNT + condition, p=p, parameters=MOMENT)) == expected


def test_moments_compare_with_written_ones_and_with_days(ask: Ask) -> None:
    assert many(ask(COUNT + "at BETWEEN '2026-03-31 10:00' AND '2026-03-31 23:59:59.999'")) == 2
    assert many(ask(COUNT + "at < :p", p="2026-04-01", parameters=DAY)) == 3


def test_moments_are_ordered_however_they_are_written(ask: Ask) -> None:
    found = ask(
        "SELECT id, at FROM rows ORDER BY at LIMIT 3", "id: {type: integer}, at: {type: datetime}", shape="list"
    )
    assert ids(found) == ["row:4", "row:1", "row:2"]
    found = ask("SELECT MIN(at) AS a, MAX(at) AS b FROM rows", "a: {type: datetime}, b: {type: datetime}")
    assert [f.evidence for _, f in found.figures()] == [("row:4",), ("row:3",)]


@pytest.mark.parametrize("written", ["2026-03-31T10:00:00Z", "2026-03-31 10:00:00-05:00"])
def test_a_moment_with_a_zone_is_not_compared_as_a_text(ask: Ask, written: str) -> None:
    with pytest.raises(TieOutError, match="time zone"):
        ask(
            COUNT + "at > :p",
            p="2026-06-01 00:00:00",
            parameters=MOMENT,
            change=f"UPDATE rows SET at = '{written}' WHERE id = 1",
        )


@pytest.mark.parametrize("order", ["amount", "worth", "2", "amount + 0"])
def test_amounts_kept_as_texts_are_ordered_as_numbers(ask: Ask, order: str) -> None:
    sql = f"SELECT id, amount AS worth FROM rows ORDER BY {order} DESC LIMIT 2"
    assert ids(ask(sql, "id: {type: integer}, worth: {type: decimal}", shape="list")) == ["row:2", "row:3"]


def test_what_the_engine_rounds_is_ordered_as_a_number(ask: Ask) -> None:
    sql = "SELECT id, amount - 1 AS worth FROM rows ORDER BY worth DESC LIMIT 2"
    assert ids(ask(sql, "id: {type: integer}, worth: {type: decimal}", shape="list")) == ["row:2", "row:3"]
    sql = "SELECT id, SUM(amount) AS worth FROM rows GROUP BY id ORDER BY worth DESC LIMIT 2"
    found = ask(sql, "id: {type: integer}, worth: {type: decimal}", shape="many")
    assert [f.value for address, f in found.figures() if address.endswith("worth")] == [100, 20]


@pytest.mark.parametrize(
    ("amount", "condition"),
    [
        ("12345678901234567.25", "amount < 12345678901234568"),
        ("12345678901234568.50", "amount > 12345678901234568"),
        ("-12345678901234567.25", "amount > -12345678901234568"),
        ("1234567890123456789", "amount > 1234567890123456788"),
    ],
)
def test_an_amount_of_more_digits_than_a_float_holds_is_not_left_out(ask: Ask, amount: str, condition: str) -> None:
    change = f"DELETE FROM rows WHERE id > 1; UPDATE rows SET amount = '{amount}';"
    assert many(ask(COUNT + condition, change=change)) == 1
    with pytest.raises(TieOutError, match="condition"):
        ask(COUNT + f"NOT {condition}", change=change)


def test_a_long_amount_with_zeros_at_its_end_is_no_long_amount(ask: Ask) -> None:
    change = "DELETE FROM rows WHERE id > 1; UPDATE rows SET amount = '0012.500000000000000000';"
    assert many(ask(COUNT + "amount > 13", change=change)) == 0
    assert many(ask(COUNT + "amount > 12", change=change)) == 1


@pytest.mark.parametrize(
    ("condition", "change"),
    [
        ("paid", "UPDATE rows SET paid = 't' WHERE id = 1"),
        ("NOT paid", "UPDATE rows SET paid = 'f' WHERE id = 2"),
        ("paid = 1", "UPDATE rows SET paid = 'true' WHERE id = 1"),
        ("amount > 100", "UPDATE rows SET amount = '1,200.50' WHERE id = 1"),
        ("amount > 100", "UPDATE rows SET amount = '' WHERE id = 1"),
        ("cents < 1000", "UPDATE rows SET cents = '1,200' WHERE id = 1"),
        ("day >= '2026-04-01'", "UPDATE rows SET day = '2026-04-01T00:00:00+02:00' WHERE id = 1"),
        ("day <= '2026-02-28'", "UPDATE rows SET day = '2026-02-30' WHERE id = 1"),
        ("day > '2026-01-01'", "UPDATE rows SET day = 20260331 WHERE id = 1"),
        ("at < '2026-01-01 00:00:00'", "UPDATE rows SET at = '31.12.2025 10:00' WHERE id = 1"),
        ("(code LIKE 'x%' OR paid)", "UPDATE rows SET paid = 't' WHERE id = 1"),
    ],
)
def test_what_is_not_of_its_type_does_not_hide_by_comparing_false(ask: Ask, condition: str, change: str) -> None:
    with pytest.raises(ValueUnreadable):
        ask(COUNT + condition, change=change)


def test_what_is_not_of_its_type_does_not_hide_in_an_outer_join(ask: Ask) -> None:
    sql = "SELECT COUNT(a.id) AS many FROM rows a LEFT JOIN other b ON b.id = a.id AND b.paid"
    other = "CREATE TABLE other (id INTEGER PRIMARY KEY, paid BOOLEAN); INSERT INTO other VALUES (1, 't');"
    with pytest.raises(ValueUnreadable):
        ask(sql, change=other)


@pytest.mark.parametrize(
    "condition",
    [
        "day < '2026-3-1'",
        "day >= '2026-03-31 00:00:00'",
        "at < '31.3.2026 10:00'",
        "day IN ('2026-03-31', '14.8.2026')",
    ],
)
def test_a_day_is_not_compared_with_a_text_that_engines_read_differently(ask: Ask, condition: str) -> None:
    with pytest.raises(StatementRefused, match="with a text"):
        ask(COUNT + condition)


def test_a_day_in_a_column_of_moments_is_its_midnight_where_it_is_left_out(ask: Ask) -> None:
    change = "UPDATE rows SET at = '2026-03-01' WHERE id = 1"
    assert many(ask(COUNT + "at >= :p", p="2026-03-31", parameters=DAY, change=change)) == 3


def test_a_limit_says_how_many_rank_alike(ask: Ask) -> None:
    sql = "SELECT code, paid, COUNT(*) AS many FROM rows GROUP BY code, paid ORDER BY many LIMIT 1"
    found = ask(sql, f"code: {{type: text}}, paid: {{type: boolean}}, {MANY}", shape="many")
    assert any(note.startswith("s: 1 more would rank") for note in found.notes)


@pytest.mark.parametrize("condition", ["size < 100", "size = 50", "100 > size"])
def test_a_column_that_may_hold_anything_is_not_compared_with_numbers(ask: Ask, condition: str) -> None:
    with pytest.raises(StatementRefused, match="compares a text"):
        ask(COUNT + condition)


# --- currencies and units ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["SUM(cents)", "MIN(cents)", "MAX(cents)", "COALESCE(MAX(cents), 0)"])
def test_amounts_of_two_currencies_are_neither_added_nor_compared(ask: Ask, value: str) -> None:
    with pytest.raises(TieOutError, match="EUR, JPY"):
        ask(f"SELECT {value} AS a FROM rows", "a: {type: money, minor_units: true, currency: EUR}")


@pytest.mark.parametrize(
    "value", ["SUM(cents) OVER (ORDER BY id)", "MAX(cents) OVER ()", "MIN(cents) OVER (ORDER BY id)"]
)
def test_a_window_does_not_look_at_amounts_of_two_currencies(ask: Ask, value: str) -> None:
    columns = "id: {type: integer}, code: {type: text}, a: {type: money, minor_units: true, currency: {column: code}}"
    with pytest.raises(TieOutError, match="EUR, JPY"):
        ask(f"SELECT id, code, {value} AS a FROM rows ORDER BY id", columns, shape="list")
    apart = value.replace("OVER (", "OVER (PARTITION BY code ")
    found = ask(f"SELECT id, code, {apart} AS a FROM rows ORDER BY id", columns, shape="list")
    assert [row.figures["a"].format.currency for row in found.tables["s"].rows] == ["EUR", "EUR", "EUR", "JPY"]


def test_a_running_total_below_another_sum_keeps_its_currencies(ask: Ask) -> None:
    below = "SELECT id, SUM(cents) OVER (ORDER BY id) AS run FROM rows"
    with pytest.raises(TieOutError, match="EUR, JPY"):
        ask(
            f"SELECT SUM(d.run) AS a FROM ({below}) d WHERE d.id = 4",
            "a: {type: money, minor_units: true, currency: JPY}",
        )


def test_a_group_s_amount_has_the_currency_of_its_rows(ask: Ask) -> None:
    columns = "a: {type: money, minor_units: true, currency: EUR}, many: {type: count}"
    with pytest.raises(TieOutError, match="JPY"):
        ask("SELECT cents AS a, COUNT(*) AS many FROM rows GROUP BY cents ORDER BY cents", columns, shape="many")


def test_a_quantity_does_not_turn_cents_into_whole_units(ask: Ask) -> None:
    with pytest.raises(Untraceable, match="minor units"):
        ask("SELECT SUM(cents * id) AS a FROM rows WHERE code = 'EUR'", "a: {type: money, currency: EUR}")
    found = ask("SELECT SUM(cents * 0.01) AS a FROM rows WHERE code = 'EUR'", "a: {type: money, currency: EUR}")
    assert dict(found.figures())["s.a"].value == Decimal("129.00")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("AVG(cents)", "43.00"), ("SUM(cents * 1.5)", "193.50"), ("MAX(cents * 0.5)", "50.00"), ("SUM(cents)", "129.00")],
)
def test_cents_stay_cents_in_what_is_no_whole_number(ask: Ask, value: str, expected: str) -> None:
    sql = f"SELECT {value} AS a FROM rows WHERE code = 'EUR'"
    found = dict(ask(sql, "a: {type: money, minor_units: true, currency: EUR}").figures())["s.a"]
    assert (found.value, found.display) == (Decimal(expected), f"€{expected}")
    if not value.startswith(("AVG", "MAX")):
        assert sum(c.amount for c in found.contributions) == found.value  # type: ignore[misc]  # they are amounts


def test_a_value_of_another_record_is_not_added_up_once_for_each_row(ask: Ask) -> None:
    catalog = "derive: {total: {type: decimal, expression: sum(s.worth)}}"
    columns = "id: {type: integer}, worth: {type: decimal}"
    sql = "SELECT l.id, r.amount AS worth FROM lines l JOIN rows r ON r.id = l.row WHERE r.id < :p ORDER BY l.id"
    lines = "CREATE TABLE lines (id INTEGER PRIMARY KEY, row INTEGER); INSERT INTO lines VALUES (1, 1), (2, 1), (3, 2);"
    whole = {"shape": "list", "more": catalog, "change": lines, "record": "line", "parameters": NUMBER}
    with pytest.raises(TieOutError, match="counts row:1 more than once"):
        ask(sql, columns, p="9", **whole)
    looked_up = "SELECT l.id, (SELECT r.amount FROM rows r WHERE r.id = l.row AND r.id < :p) AS worth FROM lines l ORDER BY l.id"
    with pytest.raises(TieOutError, match="counts row:1 more than once"):
        ask(looked_up, columns, p="9", **whole)
    lines = lines.replace("(2, 1), ", "")
    assert ask(sql, columns, p="9", **whole | {"change": lines}).derived["total"].value == Decimal("109.50")


@pytest.mark.parametrize(
    "worth",
    [
        "l.own + r.amount",
        "l.own - r.amount * 2",
        "l.own + (SELECT x.amount FROM rows x WHERE x.id = l.row AND x.id < :p)",
        "l.own - COALESCE((SELECT SUM(x.amount) FROM rows x WHERE x.id = l.row AND x.id < :p), 0)",
    ],
)
def test_nor_is_it_as_a_term_of_a_value_of_the_row(ask: Ask, worth: str) -> None:
    lines = "CREATE TABLE lines (id INTEGER PRIMARY KEY, row INTEGER, own INTEGER); INSERT INTO lines VALUES (1, 1, 7), (2, 1, 8), (3, 2, 9);"
    whole = {
        "shape": "list",
        "more": "derive: {total: {type: decimal, expression: sum(s.worth)}}",
        "record": "line",
        "parameters": NUMBER,
    }
    columns = "id: {type: integer}, worth: {type: decimal}"
    sql = f"SELECT l.id, {worth} AS worth FROM lines l JOIN rows r ON r.id = l.row WHERE r.id < :p ORDER BY l.id"
    with pytest.raises(TieOutError, match="counts row:1 more than once"):
        ask(sql, columns, p="9", change=lines, **whole)
    ask(sql, columns, p="9", change=lines.replace("(2, 1, 8), ", ""), **whole)


def test_a_rate_of_another_record_is_another_amount_for_each_row(ask: Ask) -> None:
    lines = "CREATE TABLE lines (id INTEGER PRIMARY KEY, row INTEGER, own INTEGER); INSERT INTO lines VALUES (1, 1, 7), (2, 1, 8);"
    catalog = "derive: {total: {type: decimal, expression: sum(s.worth)}}"
    sql = (
        "SELECT l.id, l.own * r.amount AS worth FROM lines l JOIN rows r ON r.id = l.row WHERE r.id < :p ORDER BY l.id"
    )
    columns = "id: {type: integer}, worth: {type: decimal}"
    found = ask(sql, columns, p="9", shape="list", more=catalog, change=lines, record="line", parameters=NUMBER)
    each = [row.figures["worth"].value for row in found.tables["s"].rows]
    assert found.derived["total"].value == sum(each)  # type: ignore[arg-type]  # they are amounts


LINES = "CREATE TABLE lines (id INTEGER PRIMARY KEY, row INTEGER, amount NUMERIC);"


def test_a_value_that_stands_in_for_a_missing_row_is_not_that_row(ask: Ask) -> None:
    sql = "SELECT SUM(COALESCE(l.amount, r.cents)) AS a FROM rows r LEFT JOIN lines l ON l.row = r.id"
    found = ask(sql, "a: {type: decimal}", change=LINES + "INSERT INTO lines VALUES (1, 2, 7)")
    assert dict(found.figures())["s.a"].value == 900 + 7 + 2000 + 500


def test_a_group_without_any_row_of_the_grain_rests_on_a_stated_absence(ask: Ask) -> None:
    sql = "SELECT r.code, COUNT(l.id) AS many FROM rows r LEFT JOIN lines l ON l.row = r.id AND l.amount > 0 GROUP BY r.code"
    change = LINES + "INSERT INTO lines VALUES (1, 2, 7)"
    found = ask(sql + " ORDER BY r.code", f"code: {{type: text}}, {MANY}", shape="many", record="line", change=change)
    assert {address: figure.evidence for address, figure in found.figures()} == {
        "s[0].code": ("line:1",),
        "s[0].many": ("line:1",),
        "s[1].code": ("absence:ask.s.code",),
        "s[1].many": ("absence:ask.s.many",),
    }


def test_a_code_that_is_no_currency_is_named_with_its_column(ask: Ask) -> None:
    with pytest.raises(FootnoteError, match=r"'cents' has no currency.*'code' holds 'eur'"):
        ask(COUNT + "id = 1", change="UPDATE rows SET code = 'eur'")


# --- derived figures and emptiness ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["integer", "count"])
def test_a_derived_whole_number_is_not_cut_off(ask: Ask, kind: str) -> None:
    with pytest.raises(TieOutError, match="no whole number"):
        ask(COUNT + "TRUE", more=f"derive: {{half: {{type: {kind}, expression: 'ratio(many, 3)'}}}}")
    found = ask(COUNT + "TRUE", more=f"derive: {{half: {{type: {kind}, expression: 'ratio(many, 2)'}}}}")
    assert found.derived["half"].value == 2


def test_a_result_without_any_row_is_empty_whatever_its_condition_compares(ask: Ask) -> None:
    sql = "SELECT code, SUM(cents) AS a FROM rows WHERE id > 9 GROUP BY code"
    columns = "code: {type: text, hidden: true}, a: {type: money, minor_units: true, currency: {column: code}}"
    assert ask(sql, columns, more="empty: {when: a = 0, reason: Nothing is owed.}").empty == "Nothing is owed."


# --- PostgreSQL -------------------------------------------------------------------------------------------------------

POSTGRES = """
CREATE SCHEMA other;
CREATE TYPE other.state AS ENUM ('open', 'paid');
CREATE TABLE rows (id other.state PRIMARY KEY, amount numeric, cents bigint, code char(3), at timestamp, day date,
    paid boolean, u uuid);
INSERT INTO rows VALUES
    ('open', 1.5, 100, 'EUR', '2026-03-31 23:59:59.999', '2026-03-31', true, '00000000-0000-0000-0000-00000000000a'),
    ('paid', 2, 200, 'EUR', '2026-03-01', '2026-01-31', NULL, NULL);
CREATE TABLE heirs () INHERITS (rows);
"""


@pytest.fixture
def ask_postgres(ask_on: Ask, postgres_server: Any) -> Any:
    import psycopg

    name = postgres_server.new_database()

    def ask_it(sql: str, *arguments: Any, change: str = "", **how: Any) -> Result:
        with psycopg.connect(postgres_server.url(name), autocommit=True) as server:
            server.execute((POSTGRES + change).encode())
        return ask_on(postgres_server.url(name), sql, *arguments, **how)

    yield ask_it
    postgres_server.drop(name)


TEXTS = "{name: p, type: list, of: text, description: d}"


@pytest.mark.parametrize(
    ("column", "p"), [("id", ["open", "paid"]), ("u", ["00000000-0000-0000-0000-00000000000a"]), ("code", ["EUR"])]
)
def test_a_list_of_texts_compares_with_any_column(ask_postgres: Ask, column: str, p: list[str]) -> None:
    assert many(ask_postgres(COUNT + f"{column} IN :p", p=p, parameters=TEXTS)) == (1 if column == "u" else 2)


@pytest.mark.parametrize(
    "condition",
    [
        "at <= '2026-03-31'",
        "at BETWEEN '2026-03-01' AND '2026-03-31'",
        "at + INTERVAL '1 hour' <= :p",
        "CAST(at AS timestamptz) <= :p",
        "(at AT TIME ZONE 'UTC') <= :p",
    ],
)
def test_a_moment_is_not_compared_with_the_midnight_of_a_day(ask_postgres: Ask, condition: str) -> None:
    asked = {"p": "2026-03-31", "parameters": DAY} if ":p" in condition else {}
    with pytest.raises(StatementRefused, match="a moment with a day"):
        ask_postgres(COUNT + condition, **asked)


def test_a_latest_moment_is_not_compared_with_the_midnight_of_a_day(ask_postgres: Ask) -> None:
    sql = "SELECT code, COUNT(*) AS many FROM rows GROUP BY code HAVING MAX(at) <= :p ORDER BY code"
    with pytest.raises(StatementRefused, match="a moment with a day"):
        ask_postgres(sql, f"code: {{type: text}}, {MANY}", p="2026-03-31", parameters=DAY, shape="many")


def test_a_day_that_is_written_out_is_compared_with_days(ask_postgres: Ask) -> None:
    sql = (
        "SELECT code, COUNT(*) AS many FROM rows WHERE day > '2026-01-30' GROUP BY code HAVING MAX(day) > '2026-03-30'"
    )
    found = ask_postgres(sql + " ORDER BY code", f"code: {{type: text}}, {MANY}", shape="many")
    assert dict(found.figures())["s[0].many"].value == 2
    assert not found.notes


@pytest.mark.parametrize(("condition", "expected"), [("f = 0.1", 1), ("f <= 0.1", 1), ("f <> 0.1", 1), ("f > 0.1", 1)])
def test_a_real_is_the_decimal_it_is_shown_as(ask_postgres: Ask, condition: str, expected: int) -> None:
    change = "ALTER TABLE rows ADD f real; UPDATE rows SET f = CASE id WHEN 'open' THEN 0.1 ELSE 7.3 END"
    assert many(ask_postgres(COUNT + condition, change=change)) == expected


def test_two_rows_with_one_key_are_not_taken_for_each_other(ask_postgres: Ask) -> None:
    heir = "INSERT INTO heirs VALUES ('open', 99, 9900, 'EUR', NULL, NULL, false, NULL)"
    with pytest.raises(TieOutError, match="have one key"):
        ask_postgres(COUNT + "paid", change=heir)
