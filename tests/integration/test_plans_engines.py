"""Schemas that nobody would draw, on every engine: odd names, composite keys, blanks, NULLs, times, no keys at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote.errors import (
    FootnoteError,
    NameAmbiguous,
    StatementRefused,
    TieOutError,
    Untraceable,
    ValueUnreadable,
)
from footnote.operations.result import Result
from footnote.session import Session

HEAD = """
catalog: odd
version: 1
source: {url: "${DATABASE_URL}", dialect: postgres, engines: [postgres, sqlite, mysql, duckdb], timeout: 10s, time_zone: Europe/Vienna}
company: {currency: EUR}
records:
"""

# --- one schema on every engine ---------------------------------------------------------------------------------------

SCHEMA = """
CREATE TABLE "Order" (
    "Company" integer NOT NULL, "No" varchar(10) NOT NULL, "Select" numeric(12,2), cur char(3), "when" date,
    active boolean, "group" integer, PRIMARY KEY ("Company", "No")
);
CREATE TABLE "order-line" (
    "Company" integer NOT NULL, "No" varchar(10) NOT NULL, pos integer NOT NULL, qty integer, price numeric,
    PRIMARY KEY ("Company", "No", pos)
);
CREATE TABLE numbered (id numeric(10,0) PRIMARY KEY, size integer);
INSERT INTO numbered VALUES (7, 70), (8, 80);
CREATE TABLE people (id bigint PRIMARY KEY, name varchar(40));
INSERT INTO "Order" VALUES
    (1, 'A/1', 100.10, 'EUR', '2026-01-31', true, 7), (1, 'A 2', 0.20, 'EUR', '2026-02-28', false, 7),
    (2, 'A/1', -50.30, 'EUR', NULL, true, NULL), (2, 'B', NULL, 'USD', '2026-02-01', NULL, 7),
    (3, 'Z', 12.00, 'USD', '2026-03-01', true, 8);
INSERT INTO "order-line" VALUES (1, 'A/1', 1, 2, 40.05), (1, 'A/1', 2, 1, 20.00), (1, 'A 2', 1, 1, 0.20),
    (3, 'Z', 1, 3, 4);
INSERT INTO people VALUES (9007199254740993, 'Twin'), (2, 'Twin'), (3, NULL), (4, 'Solo'), (5, '4');
"""
ODD = (
    HEAD
    + """
  order:
    table: Order
    key: [Company, "No"]
    label: "{number}"
    fields:
      number: {column: "No", type: text}
      amount: {column: Select, type: decimal}
      cur: {type: text}
      day: {column: when, type: date}
      active: {type: boolean}
      bunch: {column: group, type: integer}
  line:
    table: order-line
    key: [Company, "No", pos]
    label: "{pos}"
    fields: {pos: {type: integer}, qty: {type: integer}, price: {type: decimal}}
  numbered: {table: numbered, key: [id], label: "{id}", fields: {size: {type: integer}}}
  person: {table: people, key: [id], label: "{name}", fields: {id: {type: integer}, name: {type: text}}}
entities:
  person: {record: person, match: [id, name], order: id}
operations:
  getOrders:
    title: t
    description: d
    answer: a
    parameters:
      - {name: least, type: decimal, required: false, description: d}
      - {name: numbers, type: list, of: text, required: false, description: d}
      - {name: period, type: period, required: false, description: d}
    statements:
      orders:
        shape: many
        each: {record: order, key: [company, numero]}
        grain: order
        statement: |
          SELECT o."Company" AS company, o."No" AS numero, o."Select" AS amount, o."when" AS "day", o.active
          FROM "Order" AS o
          WHERE TRUE [[AND o."Select" >= :least]] [[AND o."No" IN :numbers]] [[AND o."when" BETWEEN :period_from AND :period_to]]
          ORDER BY o."Company", o."No"
        columns:
          company: {type: integer}
          numero: {type: text}
          amount: {type: decimal}
          day: {type: date}
          active: {type: boolean}
      totals:
        shape: one
        grain: order
        totals_of: orders
        statement: |
          SELECT COUNT(*) AS orders, COUNT(o."when") AS dated, SUM(o."Select") AS total, MAX(o."when") AS latest,
                 MIN(o."Select") AS least, COUNT(DISTINCT o.cur) AS currencies,
                 SUM(CASE WHEN o.active THEN o."Select" END) AS running
          FROM "Order" o
          WHERE TRUE [[AND o."Select" >= :least]] [[AND o."No" IN :numbers]] [[AND o."when" BETWEEN :period_from AND :period_to]]
        columns:
          orders: {type: count}
          dated: {type: count}
          total: {type: decimal}
          latest: {type: date}
          least: {type: decimal}
          currencies: {type: count}
          running: {type: decimal}
  getLines:
    title: t
    description: d
    answer: a
    statements:
      lines:
        shape: many
        grain: line
        statement: |
          SELECT o.cur, COUNT(*) AS lines, SUM(l.qty * l.price) AS worth
          FROM "order-line" l JOIN "Order" o ON o."Company" = l."Company" AND o."No" = l."No"
          GROUP BY o.cur ORDER BY o.cur
        columns: {cur: {type: text}, lines: {type: count}, worth: {type: decimal}}
  getDoubled:
    title: t
    description: d
    answer: a
    statements:
      lines:
        shape: one
        grain: line
        statement: |
          SELECT COUNT(l.pos) AS lines, SUM(o."Select") AS total
          FROM "order-line" l JOIN "Order" o ON o."Company" = l."Company" AND o."No" = l."No"
        columns: {lines: {type: count}, total: {type: decimal}}
  getRepeated:
    title: t
    description: d
    answer: a
    statements:
      lines:
        shape: one
        grain: line
        statement: |
          SELECT COUNT(o."No") AS orders
          FROM "order-line" l JOIN "Order" o ON o."Company" = l."Company" AND o."No" = l."No"
        columns: {orders: {type: count}}
  getOrderless:
    title: t
    description: d
    answer: a
    statements:
      all:
        shape: one
        grain: line
        statement: |
          SELECT COUNT(*) AS orders
          FROM "Order" o LEFT JOIN "order-line" l ON o."Company" = l."Company" AND o."No" = l."No"
        columns: {orders: {type: count}}
  getNumbered:
    title: t
    description: d
    answer: a
    parameters: [{name: which, type: integer, description: d}]
    statements:
      them:
        shape: one
        grain: numbered
        statement: SELECT SUM(size) AS size FROM numbered WHERE id = :which
        columns: {size: {type: integer}}
  getPerson:
    title: t
    description: d
    answer: a
    parameters: [{name: person, type: entity, entity: person, description: d}]
    statements:
      people:
        shape: one
        grain: person
        statement: SELECT COUNT(*) AS people, MAX(id) AS id FROM people WHERE id = :person
        columns: {people: {type: count}, id: {type: integer}}
"""
)


@pytest.fixture(scope="module")
def databases(
    postgres_url: str, mysql_url: str, mariadb_server: Any, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    import duckdb
    import psycopg

    path = tmp_path_factory.mktemp("odd") / "odd.db"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.close()
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute(SCHEMA.encode())
    # ANSI quotes are for the schema's text only; a numeric without digits is one without decimals there.
    text = SCHEMA.replace("price numeric,", "price numeric(12, 4),")
    database = mysql_url.partition("@/")[2].partition("?")[0]
    mariadb_server.execute("SET sql_mode = 'ANSI_QUOTES'", *filter(str.strip, text.split(";\n")), database=database)
    with duckdb.connect(str(path.with_suffix(".duckdb"))) as file:
        file.execute(text)
    return {
        "sqlite": f"sqlite:///{path}",
        "postgres": postgres_url,
        "mysql": mysql_url,
        "duckdb": f"duckdb:///{path.with_suffix('.duckdb')}",
    }


Open = Callable[[str, str], Session]


@pytest.fixture
def open_on(tmp_path: Path) -> Iterator[Open]:
    """Opens a session on a catalog's text and a database."""
    opened: list[Session] = []

    def open_it(catalog: str, url: str) -> Session:
        file = tmp_path / f"catalog{len(opened)}.yaml"
        file.write_text(catalog, encoding="utf-8")
        environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
        opened.append(footnote.open(str(file), database_url=url, environ=environ))
        return opened[-1]

    yield open_it
    for session in opened:
        session.close()


@pytest.fixture(params=["sqlite", "postgres", "mysql", "duckdb"])
def odd(request: pytest.FixtureRequest, open_on: Open, databases: dict[str, str]) -> Session:
    return open_on(ODD, databases[request.param])


def values(result: Result) -> dict[str, Any]:
    return {address: figure.value for address, figure in result.figures()}


def test_odd_names_composite_keys_and_nulls(odd: Session) -> None:
    result = odd.run("getOrders", {})
    found = values(result)
    assert found["totals.orders"] == 5
    assert found["totals.dated"] == 4
    assert found["totals.total"] == Decimal("62.00")
    assert found["totals.running"] == Decimal("61.80")
    assert found["totals.least"] == Decimal("-50.30")
    assert found["totals.currencies"] == 2
    assert str(found["totals.latest"]) == "2026-03-01"
    assert found["orders[3].amount"] is None
    assert [row.record for row in result.tables["orders"].rows] == [
        "order:1/A%202",
        "order:1/A%2F1",
        "order:2/A%2F1",
        "order:2/B",
        "order:3/Z",
    ]
    cited = {row.id.partition("#")[0] for row in result.evidence}
    assert {"order:1/A%2F1", "order:2/A%2F1"} <= cited


def test_each_optional_segment_narrows_and_they_combine(odd: Session) -> None:
    def orders(**arguments: Any) -> list[str]:
        return [row.record for row in odd.run("getOrders", arguments).tables["orders"].rows]

    assert orders(least="12") == ["order:1/A%2F1", "order:3/Z"]
    assert orders(numbers=["Z", "B"]) == ["order:2/B", "order:3/Z"]
    assert orders(period="2026-02") == ["order:1/A%202", "order:2/B"]
    assert orders(period="2026-Q1", least="0.2", numbers="A 2,A/1") == ["order:1/A%202", "order:1/A%2F1"]


def test_a_row_is_read_by_its_composite_key(odd: Session) -> None:
    row = odd.record_row("order", "2/A%2F1")
    assert row.as_dict()["fields"]["amount"] == "-50.3"


def test_amounts_of_two_tables_add_up_by_line(odd: Session) -> None:
    found = values(odd.run("getLines", {}))
    assert found["lines[0].worth"] == Decimal("100.30")
    assert found["lines[1].worth"] == 12
    assert (found["lines[0].lines"], found["lines[1].lines"]) == (3, 1)


def test_an_order_s_amount_is_not_added_up_once_a_line(odd: Session) -> None:
    with pytest.raises(TieOutError, match=r"counts order 1/A/1 twice in o\.[Ss]elect"):
        odd.run("getDoubled", {})


def test_orders_are_not_counted_once_a_line(odd: Session) -> None:
    with pytest.raises(TieOutError, match=r"counts order 1/A/1 twice.*COUNT\(DISTINCT"):
        odd.run("getRepeated", {})


def test_rows_that_an_outer_join_makes_up_are_counted_by_the_row_they_were_made_for(odd: Session) -> None:
    result = odd.run("getOrderless", {})
    (figure,) = dict(result.figures()).values()
    lines = [id for id in figure.evidence if id.startswith("line:")]
    assert figure.value == len(figure.evidence) == 6
    assert [id for id in figure.evidence if id not in lines] == ["order:2/A%2F1", "order:2/B"]  # orders without a line


def test_equal_names_are_ambiguous_and_a_name_that_is_null_is_no_name(odd: Session) -> None:
    with pytest.raises(NameAmbiguous) as caught:
        odd.run("getPerson", {"person": "Twin"})
    ids = [candidate.evidence_id for candidate in caught.value.candidates]
    assert ids == ["person:2", "person:9007199254740993"]
    with pytest.raises(NameAmbiguous):  # one is number 4, another is called 4
        odd.run("getPerson", {"person": "4"})
    assert values(odd.run("getPerson", {"person": "3"}))["people.id"] == 3


def test_a_key_may_be_numeric(odd: Session) -> None:
    result = odd.run("getNumbered", {"which": "7"})
    assert values(result)["them.size"] == 70
    assert dict(result.figures())["them.size"].evidence == ("numbered:7",)
    assert odd.record_row("numbered", "7").as_dict()["fields"]["size"] == "70"


def test_keys_beyond_what_a_float_holds_are_kept(odd: Session) -> None:
    assert values(odd.run("getPerson", {"person": "9007199254740993"}))["people.id"] == 9007199254740993


def test_every_engine_gives_the_same(open_on: Open, databases: dict[str, str]) -> None:
    one, *others = (open_on(ODD, url) for url in databases.values())
    for operation, arguments in (("getOrders", {}), ("getOrders", {"least": "0.2"}), ("getLines", {})):
        left = one.run(operation, arguments)
        for other in others:
            right = other.run(operation, arguments)
            assert values(left) == values(right)
            assert [f.evidence for _, f in left.figures()] == [f.evidence for _, f in right.figures()]


# --- PostgreSQL alone -------------------------------------------------------------------------------------------------

POSTGRES = """
CREATE SCHEMA "Archive";
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE things (
    id uuid PRIMARY KEY, kind char(5), feel mood, at timestamptz, plain timestamp, extra jsonb, size numeric, big bigint,
    approx double precision
);
INSERT INTO things VALUES
    ('00000000-0000-0000-0000-000000000001', 'a', 'good', '2026-01-31 23:30:00+00', '2026-01-31 23:30:00', '{"en": "One"}', 1.10, 9007199254740993, 0.1),
    ('00000000-0000-0000-0000-000000000002', 'a', 'bad', '2026-02-01 10:00:00+00', '2026-02-01 00:00:00', '{"de": "Zwei"}', 1e-20, 1, 0.2),
    ('00000000-0000-0000-0000-000000000003', 'b', NULL, NULL, NULL, NULL, 1e20, NULL, 0.3);
CREATE TABLE "Archive".things (id integer PRIMARY KEY, size numeric);
INSERT INTO "Archive".things VALUES (1, 5);
CREATE VIEW seen AS SELECT * FROM things;
"""
THINGS = (
    HEAD.replace("[postgres, sqlite, mysql, duckdb]", "[postgres]")
    + """
  thing:
    table: things
    key: [id]
    label: "{kind}"
    fields:
      kind: {type: text}
      feel: {type: text}
      at: {type: datetime}
      plain: {type: datetime}
      title: {sql: "extra ->> 'en'", type: text}
      size: {type: decimal}
      big: {type: integer}
      approx: {type: decimal}
  old: {table: Archive.things, key: [id], label: "{id}", fields: {size: {type: decimal}}}
operations:
"""
)
OPERATION = """
  ask:
    title: t
    description: d
    answer: a
    statements:
      s:
        shape: %s
        grain: %s
        statement: %s
        columns: {%s}
"""


@pytest.fixture(scope="module")
def things(postgres_server: Any) -> Iterator[str]:
    import psycopg

    name = postgres_server.new_database()
    with psycopg.connect(postgres_server.url(name), autocommit=True) as server:
        server.execute(POSTGRES.encode())
    yield postgres_server.url(name)
    postgres_server.drop(name)


@pytest.fixture
def ask_things(open_on: Open, things: str) -> Callable[..., Result]:
    def ask(sql: str, columns: str, shape: str = "one", grain: str = "thing") -> Result:
        return open_on(THINGS + OPERATION % (shape, grain, sql, columns), things).run("ask", {})

    return ask


def test_numeric_without_scale_adds_up_exactly(ask_things: Callable[..., Result]) -> None:
    found = values(
        ask_things(
            "SELECT SUM(size) AS total, SUM(big) AS bigs FROM things", "total: {type: decimal}, bigs: {type: integer}"
        )
    )
    assert found["s.total"] == Decimal("100000000000000000001.10000000000000000001")
    assert found["s.bigs"] == 9007199254740994


def test_floats_are_added_up_by_footnote(ask_things: Callable[..., Result]) -> None:
    result = ask_things(
        "SELECT SUM(approx) AS total, AVG(size) AS middle FROM things",
        "total: {type: decimal}, middle: {type: decimal}",
    )
    assert values(result)["s.total"] == Decimal("0.6")
    assert any("added up by Footnote" in note for note in result.notes)


def test_trailing_blanks_of_fixed_length_text_do_not_count(ask_things: Callable[..., Result]) -> None:
    assert (
        values(ask_things("SELECT COUNT(*) AS many FROM things WHERE kind = 'a'", "many: {type: count}"))["s.many"] == 2
    )
    assert (
        values(ask_things("SELECT COUNT(*) AS many FROM things WHERE feel = 'bad'", "many: {type: count}"))["s.many"]
        == 1
    )


def test_a_moment_falls_on_the_day_it_has_in_the_source_s_time_zone(ask_things: Callable[..., Result]) -> None:
    columns = '"month": {type: text}, many: {type: count}'
    sql = 'SELECT month_of(%s) AS "month", COUNT(*) AS many FROM things GROUP BY month_of(%s) ORDER BY 1'
    zoned = values(ask_things(sql % ("at", "at"), columns, "many"))
    assert (zoned["s[0].month"], zoned["s[0].many"]) == ("2026-02", 2)  # 23:30 UTC is the first of February in Vienna
    plain = values(ask_things(sql % ("plain", "plain"), columns, "many"))
    assert (plain["s[0].month"], plain["s[0].many"], plain["s[1].many"]) == ("2026-01", 1, 1)


def test_a_timestamp_is_no_date(ask_things: Callable[..., Result]) -> None:
    with pytest.raises(ValueUnreadable, match="not at midnight"):
        ask_things("SELECT MIN(plain) AS first FROM things", "first: {type: date}")


def test_the_order_of_texts_is_never_tied_out(ask_things: Callable[..., Result]) -> None:
    with pytest.raises(FootnoteError, match="texts"):
        ask_things("SELECT MAX(feel) AS worst FROM things", "worst: {type: text}")


def test_a_view_has_no_rows_that_could_be_evidence(ask_things: Callable[..., Result]) -> None:
    with pytest.raises(Untraceable, match="view"):
        ask_things("SELECT COUNT(*) AS many FROM things t JOIN seen s ON s.id = t.id", "many: {type: count}")


def test_tables_of_one_name_in_two_schemas_are_two(ask_things: Callable[..., Result]) -> None:
    result = ask_things('SELECT SUM(size) AS total FROM "Archive".things', "total: {type: decimal}", grain="old")
    assert values(result)["s.total"] == 5
    assert result.tables["s"].rows[0].figures["total"].evidence == ("old:1",)
    both = ask_things(
        'SELECT SUM(o.size) AS total, COUNT(t.big) AS bigs FROM "Archive".things o LEFT JOIN things t ON t.big = o.id',
        "total: {type: decimal}, bigs: {type: count}",
        grain="old",
    )
    assert values(both) == {"s.total": 5, "s.bigs": 1}


def test_a_key_may_be_a_uuid(ask_things: Callable[..., Result]) -> None:
    result = ask_things("SELECT MAX(big) AS most FROM things", "most: {type: integer}")
    assert result.tables["s"].rows[0].figures["most"].evidence == ("thing:00000000-0000-0000-0000-000000000001",)


# --- texts that differ and are equal ----------------------------------------------------------------------------------

CLIENTS = """
CREATE TABLE clients (id integer PRIMARY KEY, name %s, code text);
INSERT INTO clients VALUES (1, 'abc', 'x'), (2, 'ABC', 'y'), (3, 'Solo', 'z');
"""
COLLATED = {
    "sqlite": ("", "text COLLATE NOCASE"),
    "collation": (
        # What `deterministic = false` leaves in the catalog; CREATE COLLATION takes it only of a server built with ICU.
        """
        CREATE COLLATION anyhow (locale = 'C');
        UPDATE pg_collation SET collisdeterministic = false WHERE collname = 'anyhow';
        """,
        "text COLLATE anyhow",
    ),
    "citext": ("CREATE DOMAIN citext AS text;", "citext"),  # the extension's name for its type
}
CALLED = (
    HEAD
    + """
  client: {table: clients, key: [id], label: "{name}", fields: {name: {type: text}, code: {type: text}}}
entities:
  client: {record: client, match: [name]}
operations:
  others:
    title: t
    description: d
    answer: a
    statements:
      s:
        shape: one
        grain: client
        statement: SELECT COUNT(*) AS many FROM clients WHERE name <> 'abc'
        columns: {many: {type: count}}
  coded:
    title: t
    description: d
    answer: a
    parameters: [{name: client, type: entity, entity: client, required: false, description: d}]
    statements:
      s:
        shape: many
        each: {record: client, key: id}
        grain: client
        statement: SELECT id, name FROM clients WHERE code <> 'x' [[AND id = :client]] ORDER BY name
        columns: {id: {type: integer}, name: {type: text}}
"""
)


@pytest.fixture(params=list(COLLATED))
def called(request: pytest.FixtureRequest, open_on: Open, tmp_path: Path) -> Iterator[Session]:
    before, kind = COLLATED[request.param]
    if request.param == "sqlite":
        connection = sqlite3.connect(tmp_path / "clients.db")
        connection.executescript(CLIENTS % kind)
        connection.close()
        yield open_on(CALLED, f"sqlite:///{tmp_path / 'clients.db'}")
        return
    import psycopg

    server = request.getfixturevalue("postgres_server")
    name = server.new_database()
    with psycopg.connect(server.url(name), autocommit=True) as connected:
        connected.execute((before + CLIENTS % kind).encode())
    session = open_on(CALLED, server.url(name))
    yield session
    session.close()
    server.drop(name)


def test_no_condition_leaves_out_a_text_that_only_looks_equal(called: Session) -> None:
    with pytest.raises(StatementRefused, match=r"name <> 'abc'.* compares name, whose collation is"):
        called.run("others", {})


def test_no_field_of_a_record_compares_such_a_column(open_on: Open, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "clients.db")
    connection.executescript(CLIENTS % "text COLLATE NOCASE")
    connection.close()
    text = CALLED.replace("code: {type: text}", "code: {type: text}, first: {sql: \"name = 'abc'\", type: boolean}")
    with pytest.raises(StatementRefused, match="compares name, whose collation is NOCASE"):
        open_on(text, f"sqlite:///{tmp_path / 'clients.db'}").run("coded", {})


def test_a_name_in_such_a_column_is_shown_and_resolved_or_said_to_be_ambiguous(called: Session) -> None:
    assert [values(called.run("coded", {}))[f"s[{n}].name"] for n in range(2)] == ["ABC", "Solo"]
    assert values(called.run("coded", {"client": "Solo"}))["s[0].id"] == 3
    with pytest.raises(NameAmbiguous):
        called.run("coded", {"client": "Abc"})


# --- SQLite alone -----------------------------------------------------------------------------------------------------

LOOSE = (
    HEAD
    + """
  bill:
    table: bills
    key: [id]
    label: "{id}"
    fields: {due: {type: date}, amount: {type: decimal}, rank: {type: decimal}}
operations:
  ask:
    title: t
    description: d
    answer: a
    parameters:
      - {name: asOf, type: date, description: d}
    statements:
      due:
        shape: one
        grain: bill
        statement: SELECT COUNT(*) AS many, SUM(amount) AS total FROM bills WHERE due <= :asOf
        columns: {many: {type: count}, total: {type: decimal}}
      small:
        shape: one
        grain: bill
        statement: |
          SELECT COUNT(*) AS few, MIN(amount) AS least, MAX(amount) AS most, MIN(amount - rank) AS gap
          FROM bills WHERE amount < 10 AND due <= :asOf
        columns: {few: {type: count}, least: {type: decimal}, most: {type: decimal}, gap: {type: decimal}}
      differences:
        shape: many
        each: {record: bill, key: id}
        grain: bill
        statement: SELECT id, amount - rank AS left FROM bills WHERE due <= :asOf ORDER BY id
        columns: {id: {type: integer}, left: {type: decimal}}
"""
)


def loose(path: Path, *rows: tuple[object, ...]) -> str:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE bills (id INTEGER PRIMARY KEY, due DATE, amount NUMERIC, rank TEXT)")
    connection.executemany("INSERT INTO bills VALUES (?, ?, ?, ?)", rows)
    connection.close()
    return f"sqlite:///{path}"


def test_dates_that_are_kept_as_midnights_are_due_on_their_day(open_on: Open, tmp_path: Path) -> None:
    url = loose(
        tmp_path / "x.db", (1, "2026-08-14 00:00:00", 1, "0"), (2, "2026-08-14", 2, "0"), (3, "2026-08-15", 4, "0")
    )
    found = values(open_on(LOOSE, url).run("ask", {"asOf": "2026-08-14"}))
    assert (found["due.many"], found["due.total"]) == (2, 3)


def test_decimals_that_are_kept_as_bytes_or_texts_are_numbers(open_on: Open, tmp_path: Path) -> None:
    url = loose(
        tmp_path / "x.db",
        (1, "2026-08-14", b"9.90", "0.1"),
        (2, "2026-08-14", b"10.20", "10.1"),
        (3, "2026-08-14", b"0.30", "0.1"),
    )
    found = values(open_on(LOOSE, url).run("ask", {"asOf": "2026-08-14"}))
    assert found["due.total"] == Decimal("20.40")
    assert (found["small.few"], found["small.least"], found["small.most"]) == (2, Decimal("0.30"), Decimal("9.90"))
    assert found["small.gap"] == Decimal("0.20")  # SQLite has 0.19999999999999998
    lefts = [found[f"differences[{n}].left"] for n in range(3)]
    assert lefts == [Decimal("9.80"), Decimal("0.10"), Decimal("0.20")]


@pytest.mark.parametrize("due", ["31.12.2025", "2026-02-30", "soon", "20251231"])
def test_what_is_no_date_cannot_hide_behind_a_condition(open_on: Open, tmp_path: Path, due: str) -> None:
    url = loose(tmp_path / "x.db", (1, "2026-08-14", 1, "0"), (2, due, 2, "0"))
    with pytest.raises(ValueUnreadable, match="date"):
        open_on(LOOSE, url).run("ask", {"asOf": "2026-08-14"})
