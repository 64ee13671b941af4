"""Figures that rest on more rows than are recorded: added up exactly, a digest for the rows, and every page of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from footnote.audit import export_json, verify_export
from footnote.audit.reading import added_up, read
from footnote.audit.reperform import reperform
from footnote.errors import ArgumentError, NameUnknown, TieOutError, TooManyRows, UsageError
from footnote.lineage.rowset import CHUNK, RowDigest, line
from footnote.serve.resources import read as read_resource
from footnote.session import Session
from footnote.session.evidence import evidence_page
from footnote.sources.cancellation import Cancellation

ROWS = 25_000
CATALOG = """
catalog: large
version: 1
source: {{url: "${{DATABASE_URL}}", dialect: {dialect}, timeout: 120s}}
records:
  line:
    table: lines
    key: [id]
    label: "Line {{id}}"
    fields:
      id: {{type: integer}}
      cents: {{type: money, minor_units: true, currency: EUR}}
      weight: {{type: decimal}}
      day: {{type: date}}
operations:
  all:
    title: All lines
    description: All of them.
    max_contributions: {most}
    parameters: []
    statements:
      totals:
        shape: one
        grain: line
        statement: |
          SELECT SUM(cents) AS amount, COUNT(*) AS many, COUNT(DISTINCT kind) AS kinds, MAX(day) AS latest,
                 SUM(weight) AS weight, AVG(cents) AS mean
          FROM lines {join} WHERE kind <> 'x'
        columns:
          amount: {{type: money, minor_units: true, currency: EUR}}
          many: {{type: count}}
          kinds: {{type: count}}
          latest: {{type: date}}
          weight: {{type: decimal, scale: 3}}
          mean: {{type: money, minor_units: true, currency: EUR}}
      kinds:
        shape: many
        grain: line
        statement: SELECT kind, SUM(cents) AS amount FROM lines GROUP BY kind ORDER BY kind
        columns: {{kind: {{type: text}}, amount: {{type: money, minor_units: true, currency: EUR}}}}
    answer: "{{amount}} in {{many}} lines."
"""
MADE = """
CREATE TABLE lines (id INTEGER PRIMARY KEY, cents INTEGER, weight {decimal}, kind TEXT, day DATE);
CREATE TABLE twice (line INTEGER, number INTEGER, PRIMARY KEY (line, number));
INSERT INTO twice SELECT 12345, 1 UNION ALL SELECT 12345, 2;
INSERT INTO lines SELECT n, (n * 7919) % 20001 - 10000, ROUND((n % 1000) * 1.001, 3), CASE WHEN n = 77 THEN 'x' ELSE {kind} END,
  {day} FROM {numbers};
"""
SQLITE = MADE.format(
    decimal="NUMERIC",
    kind="'k' || (n % 3)",
    day="date('2020-01-01', '+' || (n % 1000) || ' days')",
    numbers=f"(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {ROWS}) SELECT n FROM s)",
)
POSTGRES = MADE.format(
    decimal="NUMERIC(12,3)",
    kind="'k' || (n % 3)",
    day="DATE '2020-01-01' + n % 1000",
    numbers=f"generate_series(1, {ROWS}) AS s(n)",
)
AMOUNTS = {n: Decimal((n * 7919) % 20001 - 10000) / 100 for n in range(1, ROWS + 1)}
COUNTED = {n: amount for n, amount in AMOUNTS.items() if n != 77}

Open = Callable[..., Session]


@pytest.fixture(params=["sqlite", "postgres"])
def open_large(request: pytest.FixtureRequest, open_session: Open, tmp_path: Path) -> Callable[..., Session]:
    """Opens a session on a table of `ROWS` lines; more SQL may change it."""
    if request.param == "sqlite":
        path = tmp_path / "large.db"
        with sqlite3.connect(path) as connection:
            connection.executescript(SQLITE)
        url, dialect = f"sqlite:///{path}", "sqlite"
    else:
        server = request.getfixturevalue("postgres_server")
        url, dialect = server.url(server.new_database()), "postgres"
        change(url, POSTGRES)

    def open_it(*, join: str = "", most: int = 20_000_000) -> Session:
        file = tmp_path / f"catalog{len(join)}-{most}.yaml"
        file.write_text(CATALOG.format(dialect=dialect, join=join, most=most), encoding="utf-8")
        read_only = url if dialect == "sqlite" else server.reader(url)
        session = open_session(read_only, str(file))
        session.__dict__["changed"] = lambda sql: change(url, sql)
        return session

    return open_it


def change(url: str, sql: str) -> None:
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
            connection.executescript(sql)
        connection.close()
        return
    import psycopg

    with psycopg.connect(url, autocommit=True) as opened:
        opened.execute(sql.encode())


def test_every_figure_of_many_rows_is_exact_and_says_how_many(open_large: Callable[..., Session]) -> None:
    session = open_large()
    result = session.run("all", {})
    figures = dict(result.figures())
    amount = figures["totals.amount"]
    assert amount.value == sum(COUNTED.values())
    assert figures["totals.many"].value == ROWS - 1
    assert figures["totals.kinds"].value == 3
    assert figures["totals.weight"].value == sum(Decimal(n % 1000) * Decimal("1.001") for n in COUNTED)
    assert str(figures["totals.latest"].value) == "2022-09-26"
    assert amount.rows is not None
    assert amount.rows.count == ROWS - 1
    plus, minus = amount.gross()
    assert (plus, minus) == (sum(a for a in COUNTED.values() if a > 0), sum(a for a in COUNTED.values() if a < 0))
    left, rest = amount.unlisted()
    assert left == ROWS - 1 - len(amount.contributions)
    assert rest is not None
    assert rest + sum(c.amount for c in amount.contributions) == amount.value  # type: ignore[misc]
    largest = sorted(COUNTED, key=lambda n: (-abs(COUNTED[n]), n))[:3]
    assert [c.evidence for c in amount.contributions[:3]] == [f"line:{n}" for n in largest]
    assert len(result.evidence) < 2_000
    assert session.result(result.id).as_dict() == result.as_dict()


def test_the_digest_is_that_of_the_rows(open_large: Callable[..., Session]) -> None:
    result = open_large().run("all", {})
    (row,) = result.tables["totals"].rows
    assert row.rows is not None
    passed = [q for q in result.queries if q.rows == ROWS - 1]  # where the engine does not digest them itself
    assert len(passed) == (1 if result.source.startswith("sqlite") else 0)
    groups = result.tables["kinds"].rows
    assert [g.rows.count for g in groups if g.rows] == [8333, 8334, 8332, 1]  # k0, k1, k2 and x
    salt = bytes.fromhex(groups[-1].rows.salt)  # type: ignore[union-attr]
    digest = RowDigest(salt)
    digest.add([line((77, int(AMOUNTS[77] * 100)))])
    assert digest.row_set(("x",)) == groups[-1].rows


def test_pages_are_the_rows_that_were_added_up(open_large: Callable[..., Session]) -> None:
    session = open_large()
    result = session.run("all", {})
    seen: dict[str, Decimal] = {}
    for number in (1, 13, 25):
        page = evidence_page(session, result.record_id, "totals.amount", page=number, size=1000)
        assert page.same
        assert page.read == "source"
        assert page.pages == 25
        assert page.total == page.matched == ROWS - 1
        seen |= {row["id"]: Decimal(str(row["amount"])) for row in page.rows}
    assert seen == {
        f"line:{n}": AMOUNTS[n] for n in [*range(1, 1002), *range(12002, 13002), *range(24002, 25001)] if n != 77
    }
    largest = evidence_page(session, result.record_id, "totals.amount", sort="largest", page=2, size=3)
    order = sorted(COUNTED, key=lambda n: (-abs(COUNTED[n]), n))
    assert [row["id"] for row in largest.rows] == [f"line:{n}" for n in order[3:6]]
    assert largest.rows[0]["fields"]["day"]
    found = evidence_page(session, result.record_id, "totals.amount", search="2499")
    assert {row["id"] for row in found.rows} >= {f"line:{n}" for n in range(24990, 25000)}
    (mean,) = evidence_page(session, result.record_id, "totals.mean", size=1).rows
    assert Decimal(str(mean["amount"])) == AMOUNTS[1]
    group = evidence_page(session, result.record_id, "kinds[1].amount", size=2)
    assert [row["id"] for row in group.rows] == ["line:1", "line:4"]
    assert session.log.verify().ok


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "UPDATE lines SET cents = cents + 1 WHERE id = 24000; UPDATE lines SET cents = cents - 1 WHERE id = 24001",
            "20,001 to 24,999",
        ),
        ("DELETE FROM lines WHERE id = 3", "has 24,998 rows"),
        ("INSERT INTO lines VALUES (30000, 0, 0, 'k1', '2020-01-01')", "has 25,000 rows"),
    ],
)
def test_a_source_that_changed_is_said(open_large: Callable[..., Session], sql: str, said: str) -> None:
    session = open_large()
    result = session.run("all", {})
    session.__dict__["changed"](sql)
    page = evidence_page(session, result.record_id, "totals.amount", size=5)
    assert not page.same
    assert said in page.said


def test_a_row_that_a_join_counts_twice_is_found_among_many(open_large: Callable[..., Session]) -> None:
    session = open_large(join="LEFT JOIN twice ON twice.line = lines.id")
    with pytest.raises(TieOutError, match="counts line 12345 twice"):
        session.run("all", {})


def test_more_rows_than_allowed_are_counted_and_not_read(open_large: Callable[..., Session]) -> None:
    with pytest.raises(TooManyRows, match=r"24,999 rows, and 24,000 are allowed") as refused:
        open_large(most=24_000).run("all", {})
    assert "max_contributions" in refused.value.remedy


def test_the_export_of_a_large_figure_verifies_and_has_its_digest(
    open_large: Callable[..., Session], tmp_path: Path
) -> None:
    session = open_large()
    result = session.run("all", {})
    text = "".join(export_json(session.log))
    file = tmp_path / "export.json"
    file.write_text(text, encoding="utf-8")
    assert verify_export(file).ok
    (totals,) = [row.rows for row in result.tables["totals"].rows]
    assert totals is not None
    assert totals.digest in text
    reading = read(session.log, session.log.get(result.record_id))
    amount = next(figure for _, address, figure in reading.figures() if address == "totals.amount")
    assert added_up(amount) == amount.value
    later = session.run("all", {})  # of which it is known by now that there are many rows
    for made in (result, later):
        (again,) = reperform(session, made.record_id)
        assert again.ok
    session.__dict__["changed"]("UPDATE lines SET cents = cents + 1 WHERE id = 24000")
    (again,) = reperform(session, result.record_id)
    assert not again.ok
    assert len(totals.chunks) == -(-(ROWS - 1) // CHUNK)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"address": "totals.nothing"}, NameUnknown),
        ({"address": "totals.amount", "page": 0}, UsageError),
        ({"address": "totals.amount", "size": 1001}, UsageError),
        ({"address": "totals.amount", "sort": "best"}, UsageError),
        ({"address": "totals.amount", "sort": "largest", "page": 1000, "size": 1000}, UsageError),
    ],
)
def test_a_page_that_cannot_be_is_refused(session: Session, asked: dict[str, Any], error: type[Exception]) -> None:
    result = session.run("getReceivablesAging", {})
    with pytest.raises(error):
        evidence_page(session, result.record_id, **asked)


def test_recorded_rows_are_paged_searched_and_sorted_without_the_source(session: Session) -> None:
    result = session.run("getOverdueInvoices", {"customer": "Bergmann"})
    page = evidence_page(session, result.record_id, "totals.totalOutstanding", size=2)
    assert (page.read, page.same, page.total, page.pages) == ("record", True, 4, 2)
    largest = evidence_page(session, result.record_id, "totals.totalOutstanding", sort="largest")
    amounts = [abs(Decimal(str(row["amount"]))) for row in largest.rows]
    assert amounts == sorted(amounts, reverse=True)
    one = evidence_page(session, result.record_id, "totals.totalOutstanding", search=largest.rows[0]["label"])
    assert [row["id"] for row in one.rows] == [largest.rows[0]["id"]]
    assert not evidence_page(session, result.record_id, "totals.totalOutstanding", search="nowhere to be found").rows


def test_a_client_reads_a_page_as_a_resource(session: Session) -> None:
    result = session.run("getOverdueInvoices", {"customer": "Bergmann"})
    uri = f"evidence://{result.record_id}/totals.totalOutstanding?page=2&size=3&sort=largest"
    (content,) = read_resource(session, uri, Cancellation()).contents
    told = json.loads(content.text)  # type: ignore[union-attr]
    assert (told["page"], told["pages"], told["total"], len(told["rows"])) == (2, 2, 4, 1)
    for wrong in ("?page=x", "?pages=1", "?size=0"):
        with pytest.raises((ArgumentError, UsageError)):
            read_resource(session, f"evidence://{result.record_id}/totals.totalOutstanding{wrong}", Cancellation())
