"""Figures of more rows than are fetched, on every engine: the same figures, the same digest, whoever added them up.

PostgreSQL and DuckDB add the rows up and digest them themselves; SQLite and MariaDB give them to Footnote one by one.
What each of them digests is compared with the digest that is computed here from the data.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import footnote
from footnote.evidence import Group, Row
from footnote.lineage.rowset import CHUNK, RowDigest, RowSet, exact_key, line
from footnote.operations.result import Result
from footnote.session import Session
from footnote.session.evidence import evidence_page

ROWS = 12_000
ENGINES = ("sqlite", "postgres", "mysql", "duckdb")
BY_THEMSELVES = ("postgres", "duckdb")
CATALOG = """
catalog: large
version: 1
source: {url: "${DATABASE_URL}", dialect: postgres, engines: [postgres, sqlite, mysql, duckdb], timeout: 120s}
records:
  line:
    table: entries
    key: [book, "No"]
    label: "{number}"
    fields: {number: {column: "No", type: text}, cents: {type: integer}}
operations:
  all:
    title: All lines
    description: All of them.
    parameters: [{name: least, type: decimal, description: The smallest price.}]
    statements:
      kinds:
        shape: many
        grain: line
        statement: |
          SELECT kind, cur, SUM(cents - fee) AS net, COUNT(*) AS many, COUNT(fee) AS fees, COUNT(DISTINCT fee) AS rates,
                 MIN(day) AS earliest, MAX(cents) AS most, SUM(price * cents) AS worth,
                 SUM(CASE WHEN fee > 3 THEN cents ELSE 0 END) AS dear
          FROM entries WHERE price >= :least GROUP BY kind, cur ORDER BY kind, cur
        columns:
          kind: {type: text}
          cur: {type: text}
          net: {type: money, minor_units: true, currency: {column: cur}}
          many: {type: count}
          fees: {type: count}
          rates: {type: count}
          earliest: {type: date}
          most: {type: money, minor_units: true, currency: {column: cur}}
          worth: {type: decimal}
          dear: {type: money, minor_units: true, currency: {column: cur}}
    answer: "a"
  inner:
    title: Inner queries
    description: Figures over inner queries that rest on many rows.
    parameters: [{name: least, type: decimal, description: The smallest price.}]
    statements:
      few:
        shape: one
        grain: line
        statement: |
          SELECT SUM(d.net) AS net, COUNT(*) AS many, MAX(d.lines) AS most
          FROM (SELECT fee, SUM(cents) AS net, COUNT(*) AS lines FROM entries WHERE price >= :least
                GROUP BY fee HAVING COUNT(*) > 1000) d
        columns: {net: {type: integer}, many: {type: count}, most: {type: count}}
      first:
        shape: one
        grain: line
        statement: |
          SELECT SUM(d.net) AS net, COUNT(*) AS many
          FROM (SELECT fee, SUM(cents) AS net FROM entries WHERE price >= :least GROUP BY fee ORDER BY SUM(cents) DESC LIMIT 3) d
        columns: {net: {type: integer}, many: {type: count}}
      above:
        shape: one
        grain: line
        statement: |
          SELECT COUNT(*) AS many FROM entries e
          WHERE e.price >= :least AND e.cents * 2 > (SELECT MAX(x.cents) FROM entries x WHERE x.price >= :least)
        columns: {many: {type: count}}
      dear:
        shape: many
        grain: line
        statement: |
          SELECT d.many AS size, COUNT(*) AS times
          FROM (SELECT cents, COUNT(*) AS many FROM entries WHERE price >= :least GROUP BY cents) d
          GROUP BY d.many ORDER BY d.many
        columns: {size: {type: count}, times: {type: count}}
      found:
        shape: one
        grain: line
        statement: |
          SELECT SUM(e.cents) AS net FROM entries e
          WHERE e.fee = 3 AND EXISTS (SELECT 1 FROM entries x WHERE x.book = e.book AND x.price >= :least)
        columns: {net: {type: integer}}
    answer: "a"
"""
Line = tuple[int, str, int, int | None, Decimal, str | None, str, str]


def made() -> list[Line]:
    """Book, number, cents, fee, price, kind, currency, day."""
    out: list[Line] = []
    for n in range(ROWS):
        fee = None if n % 11 == 0 else n % 7
        kind = None if n % 400 == 0 else 'ä"b' if n % 400 == 1 else "k"
        number = f"{n:05d}'ü" if n % 1000 == 0 else f"{n:05d}"
        price = Decimal(n % 97) / 4
        out.append(
            (
                n % 2,
                number,
                (n * 7919) % 20001 - 10000,
                fee,
                price,
                kind,
                "USD" if n % 3000 == 5 else "EUR",
                f"2026-01-{n % 28 + 1:02d}",
            )
        )
    return out


LINES = made()


def counted(least: Decimal = Decimal("0.50")) -> dict[tuple[Any, ...], list[Line]]:
    groups: dict[tuple[Any, ...], list[Line]] = {}
    for row in sorted(LINES):
        if row[4] >= least:
            groups.setdefault((row[5], row[6]), []).append(row)
    return groups


@pytest.fixture(scope="module", params=ENGINES)
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("large")
    url = load(request, folder)
    file = folder / "large.yaml"
    file.write_text(CATALOG, encoding="utf-8")
    environ = {"FOOTNOTE_CACHE": str(folder / "cache"), "PROVENANCE_DB": str(folder / "log.db")}
    with footnote.open(str(file), database_url=url, environ=environ) as opened:
        yield opened


@pytest.fixture(scope="module")
def result(session: Session) -> Result:
    return session.run("all", {"least": "0.50"})


def load(request: pytest.FixtureRequest, folder: Path) -> str:
    quote = "`" if request.param == "mysql" else '"'
    create = (
        f"CREATE TABLE entries (book integer NOT NULL, {quote}No{quote} varchar(20) NOT NULL, cents integer NOT NULL, "
        f"fee integer, price numeric(10,2) NOT NULL, kind varchar(5), cur char(3) NOT NULL, day date NOT NULL, "
        f"PRIMARY KEY (book, {quote}No{quote}))"
    )
    shown = [
        "("
        + ", ".join("NULL" if v is None else str(v) if isinstance(v, int | Decimal) else _text(v) for v in row)
        + ")"
        for row in LINES
    ]
    inserts = [f"INSERT INTO entries VALUES {', '.join(shown[n : n + 2000])}" for n in range(0, ROWS, 2000)]
    if request.param == "sqlite":
        with sqlite3.connect(folder / "l.db") as connection:
            connection.executescript(";".join([create, *inserts]))
        connection.close()
        return f"sqlite:///{folder / 'l.db'}"
    if request.param == "duckdb":
        import duckdb

        with duckdb.connect(str(folder / "l.duckdb")) as opened:
            opened.execute(";".join([create, *inserts]))
        return f"duckdb:///{folder / 'l.duckdb'}"
    server: Any = request.getfixturevalue("mariadb_server" if request.param == "mysql" else "postgres_server")
    name = server.new_database()
    if request.param == "mysql":
        server.execute(create, *inserts, database=name)
        return str(server.url(name))
    import psycopg

    with psycopg.connect(server.url(name), autocommit=True) as postgres:
        for statement in [create, *inserts]:
            postgres.execute(statement.encode())
    return str(server.url(name))


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def test_every_figure_is_what_its_rows_give(result: Result) -> None:
    groups = counted()
    rows = result.tables["kinds"].rows
    assert len(rows) == len(groups)
    for row in rows:
        figures = {name: figure.value for name, figure in row.figures.items()}
        lines = groups[figures["kind"], figures["cur"]]
        fees = [line[3] for line in lines if line[3] is not None]
        net = sum(line[2] - line[3] for line in lines if line[3] is not None)
        assert figures["net"] == Decimal(net) / 100
        assert (figures["many"], figures["fees"], figures["rates"]) == (len(lines), len(fees), len(set(fees)))
        assert str(figures["earliest"]) == min(line[7] for line in lines)
        assert figures["most"] == Decimal(max(line[2] for line in lines)) / 100
        assert figures["worth"] == sum(line[4] * line[2] for line in lines)
        dear = [line[2] for line in lines if line[3] is not None and line[3] > 3]
        assert figures["dear"] == Decimal(sum(dear)) / 100


def test_the_digest_is_the_same_on_every_engine(result: Result) -> None:
    """It is computed here from the data; the arguments stand in it in the order of the statement."""
    for row in result.tables["kinds"].rows:
        key = (row.figures["kind"].value, row.figures["cur"].value)
        assert row.rows is not None
        assert row.rows == expected(key, bytes.fromhex(row.rows.salt), result.source.partition(":")[0] == "sqlite")


def expected(key: tuple[Any, ...], salt: bytes, floats: bool) -> RowSet:
    digest = RowDigest(salt)
    digest.add([line((n[0], n[1], *arguments(n, floats))) for n in counted()[key]])
    return digest.row_set(exact_key(key))


def arguments(row: Line, floats: bool) -> tuple[Any, ...]:
    """What a row gives to each aggregate; SQLite's own product is a float, for which Footnote's exact one stands."""
    import datetime as dt

    _, _, cents, fee, price, _, _, day = row
    net = None if fee is None else cents - fee
    dear = cents if fee is not None and fee > 3 else 0
    worth = (price if floats else price.quantize(Decimal("0.01"))) * cents
    return net, fee, dt.date.fromisoformat(day), cents, worth, dear


def test_the_rows_shown_are_the_largest_and_the_first(result: Result) -> None:
    row = next(
        row
        for row in result.tables["kinds"].rows
        if row.figures["kind"].value == "k" and row.figures["cur"].value == "EUR"
    )
    lines = counted()["k", "EUR"]
    amounts = {n: Decimal(n[2] - n[3]) / 100 for n in lines if n[3] is not None}
    nets = sorted(amounts, key=lambda n: (-abs(amounts[n]), n[0], n[1]))
    net = row.figures["net"]
    assert [c.amount for c in net.contributions[:20]] == [amounts[n] for n in nets[:20]]
    assert net.rows is not None
    assert net.rows.count == len(nets)
    plus, minus = (sum(a for a in amounts.values() if (a > 0) is more) for more in (True, False))
    assert net.gross() == (plus, minus)
    fees = row.figures["fees"].contributions
    present = [n for n in lines if n[3] is not None]
    labels = {row.id: row.label for row in result.evidence if isinstance(row, Row)}
    assert [labels[c.evidence] for c in fees[:20]] == [n[1] for n in present[:20]]
    most = row.figures["most"].contributions
    assert {c.amount for c in most} == {row.figures["most"].value}
    assert len(most) == sum(n[2] == max(n[2] for n in lines) for n in lines)


def test_every_page_of_it_can_be_read(session: Session, result: Result) -> None:
    place = next(
        n
        for n, row in enumerate(result.tables["kinds"].rows)
        if (row.figures["kind"].value, row.figures["cur"].value) == ("k", "EUR")
    )
    lines = counted()["k", "EUR"]
    page = evidence_page(session, result.record_id, f"kinds[{place}].worth", page=3, size=1000)
    assert page.same, page.said
    assert page.matched == page.total == len(lines)
    assert [row["label"] for row in page.rows] == [n[1] for n in lines[2000:3000]]
    assert [Decimal(str(row["amount"])) for row in page.rows] == [n[4] * n[2] for n in lines[2000:3000]]
    largest = evidence_page(session, result.record_id, f"kinds[{place}].most", sort="largest", size=5, page=2)
    order = sorted(lines, key=lambda n: (-n[2], n[0], n[1]))
    assert [row["label"] for row in largest.rows] == [n[1] for n in order[5:10]]
    found = evidence_page(session, result.record_id, f"kinds[{place}].many", search="0777")
    assert {row["label"] for row in found.rows} == {n[1] for n in lines if "0777" in f"{n[0]}/{n[1]}"}


def test_who_added_them_up_is_said_and_the_salt_is_in_no_account(session: Session, result: Result) -> None:
    by_engine = session.desk.source.dialect in BY_THEMSELVES
    told = [note for note in result.notes if "were added up by the source" in note]
    assert bool(told) is by_engine
    rows = len([n for group in counted().values() for n in group])
    assert rows > CHUNK
    assert (not told) or f"{rows:,} rows were added up by the source; the conditions and values of" in told[0]
    widest = max(query.rows for query in result.queries)
    assert (widest <= CHUNK + 1) is by_engine  # no more rows came out than are looked at first
    salts = {row.rows.salt for row in result.tables["kinds"].rows if row.rows is not None}
    shown = repr([query.as_dict() for query in result.queries])
    assert not any(salt in shown for salt in salts)
    assert "footnote_inner" not in {name for query in result.queries for name in query.as_dict()["params"]}


def test_the_second_call_does_not_try_to_fetch_them(session: Session, result: Result) -> None:
    again = session.run("all", {"least": "0.50"})
    assert [row.figures["net"].value for row in again.tables["kinds"].rows] == [
        row.figures["net"].value for row in result.tables["kinds"].rows
    ]
    if session.desk.source.dialect in BY_THEMSELVES:
        assert max(query.rows for query in again.queries) <= 2_000
    few = session.run("all", {"least": "24"})  # fewer rows than are fetched, after it was many
    assert all(row.rows is None for row in few.tables["kinds"].rows)
    assert sum(row.figures["many"].value for row in few.tables["kinds"].rows) == sum(n[4] >= 24 for n in LINES)  # type: ignore[misc]


# --- inner queries ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def inner(session: Session) -> Result:
    return session.run("inner", {"least": "0.50"})


def by_fee() -> dict[int | None, list[Line]]:
    groups: dict[int | None, list[Line]] = {}
    for group in counted().values():
        for row in group:
            groups.setdefault(row[3], []).append(row)
    return groups


def test_a_figure_over_an_inner_query_of_many_rows_is_exact(inner: Result) -> None:
    figures = {name: figure.value for name, figure in inner.figures()}
    rows = [row for group in counted().values() for row in group]
    groups = {fee: some for fee, some in by_fee().items() if len(some) > 1000}
    assert len(groups) > 1
    assert figures["few.net"] == sum(row[2] for some in groups.values() for row in some)
    assert (figures["few.many"], figures["few.most"]) == (len(groups), max(map(len, groups.values())))
    sums = sorted((sum(row[2] for row in some) for some in by_fee().values()), reverse=True)
    assert (figures["first.net"], figures["first.many"]) == (sum(sums[:3]), 3)
    assert figures["above.many"] == sum(row[2] * 2 > max(row[2] for row in rows) for row in rows)
    assert figures["found.net"] == sum(row[2] for row in LINES if row[3] == 3)
    sizes = Counter(Counter(row[2] for row in rows).values())
    shown = inner.tables["dear"].rows
    assert {row.figures["size"].value: row.figures["times"].value for row in shown} == sizes


def test_some_rows_of_a_large_inner_group_are_cited_and_how_many_there_are(inner: Result) -> None:
    net = next(figure for address, figure in inner.figures() if address == "few.net")
    groups = {item.id: item for item in inner.evidence if isinstance(item, Group)}
    assert len(net.contributions) == sum(len(some) > 1000 for some in by_fee().values())
    assert sum(c.amount for c in net.contributions) == net.value  # type: ignore[misc]
    for contribution in net.contributions:
        assert not contribution.items  # some of its rows would not add up to it
        group = groups[contribution.evidence]
        behind = by_fee()[int(group.text.split(" ")[0]) if group.text[0].isdigit() else None]
        assert f"({len(behind):,} rows, not all of them listed)" in group.text
        assert 0 < len(group.rows) <= 20
        assert {"/".join((str(row[0]), row[1])) for row in behind} >= {
            unquote(row.partition(":")[2]) for row in group.rows
        }
    assert len(inner.evidence) < 15_000
