"""Schemas that change, deny, lack or abound, and names of all kinds: a clear error or a right answer, on every engine."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.session.conftest import Run

from footnote.connect.check import check
from footnote.errors import SourceChanged, SourceUnavailable
from footnote.session import Session
from footnote.sources.duckdb import DuckdbSource

Open = Callable[..., Session]

CATALOG = """
catalog: small
version: 1
source: {url: "${DATABASE_URL}", dialect: postgres, engines: [sqlite, mysql, duckdb]}
display: {locale: en-GB}
records:
  item:
    table: "TABLE"
    key: [id]
    label: "{id}"
    fields:
      id: {type: integer, identifier: true}
      net: {column: 'NET', type: decimal}
  other:
    table: others
    key: [id]
    label: "{id}"
    fields: {id: {type: integer, identifier: true}}
operations:
  sumItems:
    title: Sum
    description: The sum of all items. Not of others.
    statements:
      totals:
        shape: one
        grain: item
        statement: SELECT SUM("QUOTED") AS "total" FROM "TABLE"
        columns: {total: {type: decimal}}
    answer: "{total}"
  countOthers:
    title: Others
    description: How many others there are. Not items.
    statements:
      totals:
        shape: one
        grain: other
        statement: SELECT COUNT(*) AS "many" FROM others
        columns: {many: {type: count}}
    answer: "{many}"
"""


def catalog(folder: Path, *, table: str = "items", net: str = "net") -> str:
    text = (
        CATALOG.replace("NET", net.replace("'", "''")).replace("QUOTED", net.replace('"', '""')).replace("TABLE", table)
    )
    path = folder / "catalog.yaml"
    path.write_text(text, "utf-8")
    return str(path)


def filled(run: Run, *, table: str = "items", net: str = "net", mark: str = '"') -> None:
    name, column = (mark + text.replace(mark, mark * 2) + mark for text in (table, net))
    run(
        f"CREATE TABLE {name} (id INTEGER NOT NULL PRIMARY KEY, {column} DECIMAL(12,2))",
        f"INSERT INTO {name} VALUES (1, 12.50), (2, 0.25)",
        "CREATE TABLE others (id INTEGER NOT NULL PRIMARY KEY)",
        "INSERT INTO others VALUES (7)",
    )


def total(session: Session) -> str:
    return next(figure.display for _, figure in session.run("sumItems", {}).figures())


def test_a_column_renamed_after_the_start_is_an_error_that_names_it_and_no_zero(
    open_session: Open, database: tuple[str, Run], engine: str, tmp_path: Path
) -> None:
    url, run = database
    filled(run, mark="`" if engine == "mysql" else '"')
    session = open_session(url, catalog(tmp_path))
    assert total(session) == "12.75"
    left(session)
    run("ALTER TABLE items RENAME COLUMN net TO gross")
    for _ in range(2):
        with pytest.raises(SourceChanged) as caught:
            session.run("sumItems", {})
        assert "net" in caught.value.text
    assert session.log.get(session.log.size()).kind == "error"
    left(session)
    run("ALTER TABLE items RENAME COLUMN gross TO net")
    assert total(session) == "12.75", "once it is put right, it is answered again"


def left(session: Session) -> None:
    """Have DuckDB leave its file to those who write it, as it does by itself after a second without a question."""
    source = session.desk.source
    if isinstance(source, DuckdbSource):
        source._file.close()


def test_a_table_that_is_not_there_fails_alone(
    open_session: Open, database: tuple[str, Run], engine: str, tmp_path: Path
) -> None:
    url, run = database
    filled(run, mark="`" if engine == "mysql" else '"')
    run("DROP TABLE others")
    session = open_session(url, catalog(tmp_path))
    found = {finding.subject: finding for finding in check(session)}
    assert {subject for subject, one in found.items() if one.state == "failed"} >= {"record other", "countOthers"}
    assert "has no table 'others'" in found["record other"].text
    assert found["sumItems"].state == "ok"


NAMES = [
    ("Größe & Söhne", "Betrag netto (€)"),
    ("tabSales Invoice", 'the "net" amount'),
    ("select", "order"),
    ("表", "it's `net`, :net %(net)s $net {net}"),
    ("MixedCase", "MixedCase"),
]


@pytest.mark.parametrize(("table", "net"), NAMES)
def test_names_with_quotes_and_in_any_script_are_names(
    open_session: Open, database: tuple[str, Run], engine: str, tmp_path: Path, table: str, net: str
) -> None:
    url, run = database
    filled(run, table=table, net=net, mark="`" if engine == "mysql" else '"')
    session = open_session(url, catalog(tmp_path, table=table, net=net))
    assert total(session) == "12.75"
    assert all(finding.state != "failed" for finding in check(session) if finding.subject != "login")


@pytest.mark.parametrize(("table", "net"), NAMES)
def test_names_in_files_are_names(open_session: Open, tmp_path: Path, table: str, net: str) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    tables: dict[str, list[list[object]]] = {table: [["id", net], [1, "12.50"], [2, "0.25"]], "others": [["id"], [7]]}
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    session = open_session(f"files://{folder}?delimiter=comma", catalog(tmp_path, table=table, net=net))
    assert total(session) == "12.75"


@pytest.mark.parametrize("server", ["postgres", "mysql"])
def test_a_table_that_the_login_may_not_read_is_named_with_the_grant_and_the_rest_is_answered(
    open_session: Open, tmp_path: Path, request: pytest.FixtureRequest, server: str
) -> None:
    if server == "postgres":
        import psycopg

        postgres = request.getfixturevalue("postgres_server")
        admin = postgres.url(postgres.new_database())
        with psycopg.connect(admin, autocommit=True) as connection:
            filled(lambda *texts: [connection.execute(text.encode()) for text in texts])
            url = postgres.reader(admin)
            reader = url.partition("//")[2].partition("@")[0]
            connection.execute(f"REVOKE ALL ON others FROM {reader}".encode())
    else:
        mariadb = request.getfixturevalue("mariadb_server")
        name = mariadb.new_database()
        filled(lambda *texts: mariadb.execute(*texts, database=name), mark="`")
        mariadb.execute(f"CREATE USER {name}_reader", f"GRANT SELECT ON {name}.items TO {name}_reader")
        url = mariadb.url(name, f"{name}_reader")
    session = open_session(url, catalog(tmp_path))
    assert total(session) == "12.75"
    with pytest.raises((SourceUnavailable, SourceChanged)) as caught:
        session.run("countOthers", {})
    assert "others" in caught.value.text
    found = {finding.subject: finding.state for finding in check(session)}
    assert (found["sumItems"], found["countOthers"]) == ("ok", "failed")


def test_a_schema_of_two_thousand_tables_is_not_described_to_ask_two(
    open_session: Open, database: tuple[str, Run], engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, run = database
    filled(run, mark="`" if engine == "mysql" else '"')
    many = 2_000 if engine != "mysql" else 300  # a file a table: MariaDB takes a minute for more
    run(*(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY)" for n in range(many)))
    session = open_session(url, catalog(tmp_path))
    assert total(session) == "12.75"
    asked: list[Any] = []
    source = session.desk.source
    described = type(source).tables

    def noted(self: Any, names: Any) -> Any:
        asked.extend(names := list(names))
        return described(self, names)

    monkeypatch.setattr(type(source), "tables", noted)
    states = {finding.subject: finding.state for finding in check(session)}
    assert states["sumItems"] == states["countOthers"] == "ok"
    assert {name.rpartition(".")[2] for name in asked} <= {"items", "others"}
