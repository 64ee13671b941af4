"""A hostile catalog and hostile arguments, on every engine, as a login that may write everything.

A catalog with an attack in it does not load, wherever in it the attack stands. An argument with an attack in it is bound
as the text it is, so it names nobody. Afterwards the database is what it was. What a statement does that went around
loading is in `tests/promises/test_09_source_is_never_written.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from footnote.catalog.load import find_catalog, load_catalog
from footnote.errors import ArgumentError, CatalogError, FootnoteError, NameUnknown
from footnote.session import Session

SAMPLE = find_catalog("sample").read_text("utf-8")
ENGINES = ("sqlite", "postgres", "mysql", "duckdb")
Contents = Callable[[], Any]

ATTACKS = {
    "stacked": "SELECT id FROM customers; DELETE FROM customers",
    "commit and drop": "SELECT 1; COMMIT; DROP TABLE invoices",
    "read write": "SET TRANSACTION READ WRITE",
    "exec": "EXEC xp_cmdshell 'dir'",
    "server file": "SELECT pg_read_file('/etc/passwd') AS name",
    "program": "COPY customers TO PROGRAM 'sh'",
    "large object": "SELECT lo_import('/etc/passwd') AS id",
    "other server": "SELECT id FROM dblink('dbname=x', 'DELETE FROM customers') AS x(id int)",
    "outfile": "SELECT name FROM customers INTO OUTFILE '/tmp/footnote-attack'",
    "load file": "SELECT LOAD_FILE('/etc/passwd') AS name",
    "attach": "ATTACH DATABASE '/tmp/footnote-attack' AS x",
    "extension": "SELECT load_extension('/tmp/evil') AS name",
    "pragma": "PRAGMA writable_schema = 1",
    "csv": "SELECT name FROM read_csv('/etc/passwd')",
    "file as table": "SELECT name FROM '/etc/passwd'",
    "copy": "COPY customers TO '/tmp/footnote-attack'",
    "install": "INSTALL httpfs",
    "executed comment": "SELECT name /*!50000 INTO OUTFILE '/tmp/footnote-attack' */ FROM customers",
    "comment": "SELECT name FROM customers /* a /* b */ ; DELETE FROM customers; -- */",
    "full width": "SELECT name FROM customers\uff1b DELETE FROM customers",
    "right to left": "SELECT name FROM customers -- \u202e eteled",
    "nothing visible": "SELECT name\u200b FROM customers",
    "writing with": "WITH x AS (DELETE FROM customers RETURNING name) SELECT name FROM x",
    "escaped quote": "SELECT name FROM customers WHERE name = 'x\\' OR 1 = 1 --'",
}

COUNTED = 'SELECT COUNT(*) AS "howMany" FROM customers'
HARMLESS = f"{COUNTED} WHERE id > 0 [[AND name = :given]]"
PLACES: dict[str, Callable[[str], str]] = {
    "a statement": lambda attack: attack,
    "an inner query": lambda attack: f"{COUNTED} WHERE id IN ({attack}) [[AND name = :given]]",
    "an optional segment": lambda attack: f"{COUNTED} WHERE id > 0 [[AND name = :given; {attack}]]",
}
"""Where in a statement an attack may stand."""
NAMES = [
    "customers; DROP TABLE customers",
    'customers"; DROP TABLE customers; --',
    "customers`; DROP TABLE customers; --",
    "pg_catalog.pg_authid",
    "sqlite_master",
    "information_schema.tables",
    "read_csv('/etc/passwd')",
    "/etc/passwd",
    "customers\u200b",
]


def catalog(dialect: str, statement: str, *, table: str = "customers", field: str = "name") -> str:
    """A small catalog with text of a stranger in it."""

    def quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    return f"""
catalog: hostile
version: 1
source: {{url: "${{DATABASE_URL}}", dialect: {dialect}}}
display: {{locale: en-GB}}
records:
  customer:
    table: {quoted(table)}
    key: [id]
    label: "{{name}}"
    fields:
      id: {{type: integer}}
      name: {{sql: {quoted(field)}, type: text}}
operations:
  countCustomers:
    title: Customers
    description: How many customers there are. Nothing else is asked.
    parameters:
      - {{name: given, type: text, required: false, description: A name.}}
    statements:
      totals:
        shape: one
        grain: customer
        statement: {quoted(statement)}
        columns: {{howMany: {{type: count}}}}
    answer: "{{howMany}}"
"""


def refused(text: str, at: str) -> None:
    """The catalog does not load, and the error names the place."""
    with pytest.raises(CatalogError) as caught:
        load_catalog(text, environ={"DATABASE_URL": "sqlite:///x.db"}, file_name="c.yaml")
    assert caught.value.line == next(n for n, line in enumerate(text.splitlines(), 1) if line.strip().startswith(at))
    assert caught.value.remedy


@pytest.mark.parametrize("dialect", ENGINES)
@pytest.mark.parametrize("place", PLACES)
def test_an_attack_in_a_statement_stops_the_catalog(dialect: str, place: str) -> None:
    load_catalog(catalog(dialect, HARMLESS), environ={"DATABASE_URL": "sqlite:///x.db"})
    for attack in ATTACKS.values():
        refused(catalog(dialect, PLACES[place](attack)), "statement:")


@pytest.mark.parametrize("dialect", ENGINES)
def test_an_attack_in_a_field_stops_the_catalog(dialect: str) -> None:
    for attack in ATTACKS.values():
        refused(catalog(dialect, HARMLESS, field=f"({attack})"), "name: {sql:")
        refused(catalog(dialect, HARMLESS, field=f"name FROM customers; {attack}"), "name: {sql:")


@pytest.mark.parametrize("dialect", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_a_table_is_a_name(dialect: str, name: str) -> None:
    refused(catalog(dialect, HARMLESS, table=name), "table:")


# --- arguments, as a login that may write everything ------------------------------------------------------------------


@pytest.fixture(scope="module")
def contents(request: pytest.FixtureRequest, source_url: str) -> Contents:
    """Looks at everything in the database, as an administrator."""
    if "://" in source_url and source_url.startswith(("sqlite", "duckdb")):
        path = Path(source_url.partition(":///")[2])
        return lambda: hashlib.sha256(path.read_bytes()).hexdigest()
    if source_url.startswith("postgresql"):
        import psycopg

        url = request.getfixturevalue("postgres_url")

        def look() -> Any:
            with psycopg.connect(url) as connection:
                names = connection.execute("SELECT relname FROM pg_class WHERE relkind = 'r' ORDER BY 1").fetchall()
                rows = connection.execute("SELECT xmin::text, c::text FROM customers c ORDER BY id").fetchall()
                return names, rows, connection.execute("SELECT COUNT(*) FROM invoices").fetchall()

        return look
    server = request.getfixturevalue("mariadb_server")
    database = request.getfixturevalue("mysql_url").partition("@/")[2].partition("?")[0]
    return lambda: [
        server.execute(sql, database=database)
        for sql in ("SHOW TABLES", "CHECKSUM TABLE customers, invoices, payments")
    ]


@pytest.fixture
def writer(open_session: Callable[..., Session], source_url: str, request: pytest.FixtureRequest) -> Session:
    """A session as a login that may write: the superuser of a server, the owner of a file."""
    admin = {"postgresql": "postgres_url", "mysql": "mysql_url"}.get(source_url.partition("://")[0])
    return open_session(request.getfixturevalue(admin) if admin else source_url)


ARGUMENTS = [
    *ATTACKS.values(),
    "4471'; DROP TABLE customers; --",
    "4471' OR '1' = '1",
    '4471" OR "1" = "1',
    "4471\\' OR 1 = 1 -- ",
    "4471) UNION SELECT usename, passwd FROM pg_shadow --",
    "%' OR name LIKE '%",
    "$1; :customer; %(customer)s; ?",
    "\uff27\uff34 4471\uff07; DROP TABLE customers",
    "$$; DROP TABLE customers; $$",
    "{customer.name}",
    "[[ OR 1 = 1 ]]",
    "${DATABASE_URL}",
]


def test_an_attack_as_an_argument_names_nobody_and_changes_nothing(writer: Session, contents: Contents) -> None:
    before = contents()
    for text in ARGUMENTS:
        with pytest.raises((NameUnknown, ArgumentError)):
            writer.run("getOverdueInvoices", {"customer": text})
        for parameter in ("asOfDate", "customer; DROP TABLE customers"):
            with pytest.raises(ArgumentError):
                writer.run("getOverdueInvoices", {"customer": "4471", parameter: text})
        with pytest.raises(ArgumentError):
            writer.run("getTopCustomers", {"period": text})
        with pytest.raises(FootnoteError):
            writer.run(text, {})
        with pytest.raises(FootnoteError):
            writer.ask(f"How much does {text} owe?")
    assert contents() == before
    assert not Path("/tmp/footnote-attack").exists()
    assert dict(writer.run("getOverdueInvoices", {"customer": "4471"}).figures()), "and it still answers"
