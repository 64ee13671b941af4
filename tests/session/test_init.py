"""`footnote init`: a database that we did not create becomes a catalog that loads, passes `check` and is right.

The sample company stands under German names, with decimals instead of cents and moments instead of days; what the draft
answers is compared with plain SQL.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from psycopg import sql

from footnote.connect.draft.drafting import Wishes, draft
from footnote.connect.draft.words import identifier, is_named, parts, singular
from footnote.connect.draft.writing import write_draft
from footnote.connect.seed import seed_sqlite
from footnote.errors import UsageError
from footnote.session import Session
from footnote.sources.opening import open_source

SCHEMA = """
CREATE TABLE "Kunden" ("KundenNr" INTEGER PRIMARY KEY, "Firma" TEXT NOT NULL, "Ort" TEXT);
CREATE TABLE "Ausgangsrechnungen" (
  "Rechnungs-Nr" VARCHAR(40) PRIMARY KEY NOT NULL, "KundenNr" INTEGER NOT NULL REFERENCES "Kunden" ("KundenNr"),
  "Rechnungsdatum" TIMESTAMP NOT NULL, "Fällig am" TIMESTAMP NOT NULL, "Währung" TEXT NOT NULL,
  "Betrag brutto" DECIMAL(14, 2) NOT NULL, "Bezahlt" DECIMAL(14, 2) NOT NULL, "Zustand" TEXT
);
CREATE TABLE "Zahlungseingänge" (
  "Änderung" INTEGER PRIMARY KEY, "KundenNr" INTEGER NOT NULL REFERENCES "Kunden" ("KundenNr"),
  "Eingang am" TIMESTAMP NOT NULL, "Währung" TEXT NOT NULL, "Betrag" DECIMAL(14, 2) NOT NULL
);
"""
STATES = {"open": "offen", "paid": "bezahlt", "credited": "gutgeschrieben"}
AS_OF = "2026-08-14"


def rows(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The sample's rows under the other schema."""
    seed_sqlite(folder / "sample.db")
    with closing(sqlite3.connect(folder / "sample.db")) as sample:
        customers = sample.execute("SELECT id, name, city FROM customers").fetchall()
        invoices = sample.execute(
            "SELECT number, customer_id, issued_on, due_on, currency, amount_cents, paid_cents, status FROM invoices"
        ).fetchall()
        payments = sample.execute(
            "SELECT p.id, i.customer_id, p.received_on, p.currency, p.amount_cents "
            "FROM payments p JOIN invoices i ON i.id = p.invoice_id"
        ).fetchall()
    return {
        "Kunden": customers,
        "Ausgangsrechnungen": [
            (
                number,
                of,
                f"{issued} 10:30:00",
                f"{due} 23:59:00",
                code,
                units(cents, code),
                units(paid, code),
                STATES[state],
            )
            for number, of, issued, due, code, cents, paid, state in invoices
        ],
        "Zahlungseingänge": [
            (id, of, f"{at} 08:00:00", code, units(cents, code)) for id, of, at, code, cents in payments
        ],
    }


def units(minor: int, currency: str) -> str:
    return str(Decimal(minor).scaleb(0 if currency == "JPY" else -2))


@pytest.fixture(scope="module")
def german_sqlite(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("german")
    with closing(sqlite3.connect(folder / "erp.db")) as connection, connection:
        connection.executescript(SCHEMA)
        for table, content in rows(folder).items():
            marks = ", ".join("?" * len(content[0]))
            connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', content)
    return f"sqlite:///{folder / 'erp.db'}"


@pytest.fixture(scope="module")
def german_postgres(
    tmp_path_factory: pytest.TempPathFactory, postgres_url: str, postgres_reader_url: Callable[[str], str]
) -> str:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(SCHEMA)
        for table, content in rows(tmp_path_factory.mktemp("german")).items():
            into = sql.SQL("INSERT INTO {} VALUES ({})").format(
                sql.Identifier(table), sql.SQL(", ").join(sql.Placeholder() * len(content[0]))
            )
            connection.cursor().executemany(into, content)
    return postgres_reader_url(postgres_url)


@pytest.fixture(scope="module")
def german_mysql(
    tmp_path_factory: pytest.TempPathFactory,
    mysql_url: str,
    mysql_reader_url: Callable[[str], str],
    mariadb_server: Any,
) -> str:
    inserts = [
        f"INSERT INTO `{table}` VALUES ({', '.join(map(literal, row))})"
        for table, content in rows(tmp_path_factory.mktemp("german")).items()
        for row in content
    ]
    # Its TIMESTAMP is a moment in UTC, and its FOREIGN KEY stands by itself.
    text = SCHEMA.replace("TIMESTAMP", "DATETIME")
    for table in ("Ausgangsrechnungen", "Zahlungseingänge"):
        text = text.replace(' REFERENCES "Kunden" ("KundenNr")', "", 1) + (
            f'ALTER TABLE "{table}" ADD FOREIGN KEY ("KundenNr") REFERENCES "Kunden" ("KundenNr");\n'
        )
    made = filter(str.strip, text.split(";\n"))
    database = mysql_url.partition("@/")[2].partition("?")[0]
    mariadb_server.execute("SET sql_mode = 'ANSI_QUOTES'", *made, *inserts, database=database)
    return mysql_reader_url(mysql_url)


def literal(value: object) -> str:
    return "NULL" if value is None else "'" + str(value).replace("'", "''") + "'"


@pytest.fixture(scope="module")
def german_duckdb(tmp_path_factory: pytest.TempPathFactory) -> str:
    import duckdb

    folder = tmp_path_factory.mktemp("german")
    with duckdb.connect(str(folder / "erp.duckdb")) as connection:
        connection.execute(SCHEMA)
        for table, content in rows(folder).items():
            marks = ", ".join("?" * len(content[0]))
            connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', content)
    return f"duckdb:///{folder / 'erp.duckdb'}"


@pytest.fixture(params=["sqlite", "postgres", "mysql", "duckdb"])
def german(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"german_{request.param}")
    return url


def footnote(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "footnote", *arguments],
        env={k: v for k, v in os.environ.items() if not k.startswith(("FOOTNOTE", "AS_OF"))} | environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_from_init_to_a_right_answer_on_a_database_with_other_names_and_types(german: str, tmp_path: Path) -> None:
    environ = {
        "DATABASE_URL": german,
        "PROVENANCE_DB": str(tmp_path / "log.db"),
        "FOOTNOTE_CACHE": str(tmp_path / "cache"),
        "AS_OF_DATE": AS_OF,
    }
    file = str(tmp_path / "catalog.yaml")
    made = footnote("init", "--output", file, "--locale", "de-DE", "--json", **environ)
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["operations"] == [
        "getOverdueAusgangsrechnungen",
        "getOverdueAusgangsrechnungenByKunden",
        "getZahlungseingaenge",
    ]
    checked = footnote("check", "--catalog", file, "--json", **environ)
    assert checked.returncode == 0, checked.stdout
    asked = ("run", "getOverdueAusgangsrechnungen", "-p", "kunden=Bergmann", "--catalog", file, "--json")
    answer = json.loads(footnote(*asked, **environ).stdout)
    assert answer["answer"].startswith("Bergmann Logistik GmbH is 43.805,00\xa0€ overdue across 4 items")
    assert "43.805,00" in footnote("ask", "What does Bergmann owe?", "--catalog", file, **environ).stdout


def test_what_everybody_owes_equals_plain_sql(
    german: str, german_sqlite: str, tmp_path: Path, open_session: Callable[..., Session]
) -> None:
    write_draft(german, tmp_path / "catalog.yaml", Wishes())
    session = open_session(german, str(tmp_path / "catalog.yaml"), AS_OF_DATE=AS_OF)
    result = session.run("getOverdueAusgangsrechnungenByKunden", {})
    found = {
        (row["party"]["value"], row["overdueAmount"]["currency"]): Decimal(str(row["overdueAmount"]["value"]))
        for row in rows_of_parties(result)
    }
    with closing(sqlite3.connect(german_sqlite.removeprefix("sqlite:///"))) as connection:
        expected = connection.execute(
            """SELECT "Firma", "Währung", SUM(CAST(ROUND(("Betrag brutto" - "Bezahlt") * 100) AS INTEGER))
               FROM "Ausgangsrechnungen" JOIN "Kunden" USING ("KundenNr")
               WHERE "Zustand" <> 'gutgeschrieben' AND date("Fällig am") < ? AND "Betrag brutto" > "Bezahlt"
               GROUP BY 1, 2""",
            (AS_OF,),
        ).fetchall()
    assert found == {(name, code): Decimal(cents) / 100 for name, code, cents in expected}
    assert len(found) > 15


def rows_of_parties(result: Any) -> list[dict[str, Any]]:
    tables = {table["name"]: table["rows"] for table in result.as_dict()["tables"]}
    return [row["figures"] for row in tables["parties"]]


def test_the_drafts_of_both_engines_differ_in_nothing_but_the_engine(
    german_sqlite: str, german_postgres: str, tmp_path: Path
) -> None:
    texts = []
    for number, url in enumerate((german_sqlite, german_postgres)):
        write_draft(url, tmp_path / f"{number}.yaml", Wishes())
        texts.append(yaml.safe_load((tmp_path / f"{number}.yaml").read_text("utf-8")))
    for text in texts:
        del text["source"]
    assert texts[0]["operations"] == texts[1]["operations"]


def test_a_file_that_is_there_is_never_overwritten(german_sqlite: str, tmp_path: Path) -> None:
    file = tmp_path / "catalog.yaml"
    file.write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="is there already"):
        write_draft(german_sqlite, file, Wishes())
    assert file.read_text("utf-8") == "mine"


def made_of(folder: Path, *statements: str, **wishes: Any) -> dict[str, Any]:
    """The draft over a SQLite database of these statements, as a mapping."""
    with closing(sqlite3.connect(folder / "erp.db")) as connection, connection:
        connection.executescript(";".join(statements))
    write_draft(f"sqlite:///{folder / 'erp.db'}", folder / "catalog.yaml", Wishes(**wishes))
    loaded: dict[str, Any] = yaml.safe_load((folder / "catalog.yaml").read_text("utf-8"))
    return loaded


BILLS = (
    "CREATE TABLE vendors (id INTEGER PRIMARY KEY, name TEXT)",
    """CREATE TABLE vendor_bills (id INTEGER PRIMARY KEY, vendor_id INTEGER, bill_no TEXT, due_date DATE,
       total_cents INTEGER, paid_cents INTEGER, deleted INTEGER)""",
)


def test_amounts_without_a_currency_column_are_asked_about_and_not_guessed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="vendor_bills have no column that says in which currency") as caught:
        made_of(tmp_path, *BILLS)
    assert "--currency" in caught.value.remedy
    assert not (tmp_path / "catalog.yaml").exists()


def test_keys_that_no_constraint_declares_are_read_off_names_and_marked(tmp_path: Path) -> None:
    catalog = made_of(tmp_path, *BILLS, currency="CHF")
    text = (tmp_path / "catalog.yaml").read_text("utf-8")
    assert "DECIDE: vendor_id is taken to name a vendor" in text
    assert "DECIDE: deleted seems to mark deleted rows" in text
    assert catalog["company"] == {"currency": "CHF"}
    assert catalog["entities"]["vendor"] == {"record": "vendor", "match": ["id", "name"], "order": "id"}
    assert catalog["records"]["vendor_bill"]["fields"]["total_cents"]["minor_units"] is True
    statement = catalog["operations"]["getOverdueVendorBills"]["statements"]["items"]["statement"]
    assert 'COALESCE("deleted", 0) = 0' in statement


def test_a_database_of_which_nothing_can_be_read_is_counted(tmp_path: Path) -> None:
    catalog = made_of(tmp_path, "CREATE TABLE readings (at TEXT PRIMARY KEY NOT NULL, value REAL)")
    assert list(catalog["operations"]) == ["countReadings"]


def test_names_that_are_sql_yaml_or_variables_stay_names(tmp_path: Path) -> None:
    odd = "a #table - of {ours}"
    catalog = made_of(
        tmp_path,
        f'CREATE TABLE "{odd}" ("a: b # c" INTEGER PRIMARY KEY, "${{HOME}}" TEXT, "{{x}}" TEXT, "order" TEXT, "l\n2" TEXT)',
        'CREATE TABLE "${HOME}" (id INTEGER PRIMARY KEY)',
        'CREATE TABLE "x""; DROP TABLE y; --" (id INTEGER PRIMARY KEY)',
    )
    (record,) = catalog["records"].values()
    assert record["table"] == odd
    assert [field.get("column", name) for name, field in record["fields"].items()] == ["a: b # c", "{x}", "order"]
    checked = footnote(
        "check",
        "--catalog",
        str(tmp_path / "catalog.yaml"),
        DATABASE_URL=f"sqlite:///{tmp_path / 'erp.db'}",
        PROVENANCE_DB=str(tmp_path / "log.db"),
        FOOTNOTE_CACHE=str(tmp_path / "cache"),
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_columns_and_tables_that_yaml_takes_for_truth_or_nothing_are_drafted(tmp_path: Path) -> None:
    catalog = made_of(
        tmp_path,
        'CREATE TABLE "no" (n INTEGER PRIMARY KEY, y TEXT, "on" TEXT, "null" TEXT, "true" INTEGER)',
        """CREATE TABLE "null" (id INTEGER PRIMARY KEY, n INTEGER REFERENCES "no" (n), due_date DATE, off INTEGER,
           total_cents INTEGER, paid_cents INTEGER, yes TEXT)""",
        currency="EUR",
    )
    tables = {record["table"]: record["fields"] for record in catalog["records"].values()}
    named = {table: [field.get("column", name) for name, field in fields.items()] for table, fields in tables.items()}
    assert named["no"] == ["n", "y", "on", "null", "true"]
    assert set(named["null"]) >= {"n", "off", "yes"}
    checked = footnote(
        "check",
        "--catalog",
        str(tmp_path / "catalog.yaml"),
        DATABASE_URL=f"sqlite:///{tmp_path / 'erp.db'}",
        PROVENANCE_DB=str(tmp_path / "log.db"),
        FOOTNOTE_CACHE=str(tmp_path / "cache"),
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_schema_of_two_thousand_tables_is_drafted_where_it_matters(tmp_path: Path) -> None:
    many = (f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, x TEXT)" for n in range(2_000))
    steps: list[tuple[int, int]] = []
    with closing(sqlite3.connect(tmp_path / "erp.db")) as connection, connection:
        connection.executescript(";".join([*many, *BILLS]))
    source = open_source(f"sqlite:///{tmp_path / 'erp.db'}")
    made = draft(source, Wishes(currency="EUR", tables=("t1999",)), "erp", progress=lambda *step: steps.append(step))
    source.close()
    assert (made.tables, made.records) == (2_002, 40)
    assert "getOverdueVendorBills" in made.operations
    assert "t1999" in made.text
    assert steps[-1] == (2_002, 2_002)


@pytest.mark.parametrize(
    ("statements", "wishes", "said"),
    [
        (("CREATE TABLE t (a TEXT)",), {}, "no table with a primary key"),
        (("CREATE TABLE t (id INTEGER PRIMARY KEY)",), {"tables": ("gone",)}, "no table 'gone'"),
    ],
)
def test_what_cannot_be_drafted_is_said(
    tmp_path: Path, statements: tuple[str, ...], wishes: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        made_of(tmp_path, *statements, **wishes)


def test_names_are_taken_apart_as_people_read_them() -> None:
    assert parts("KundenNr") == ("kunden", "nr")
    assert parts("Rechnungs-Nr") == ("rechnungs", "nr")
    assert parts("faelligAm") == (*parts("Fällig am")[:1], "am")
    assert parts("kwotaBrutto_PLN") == ("kwota", "brutto", "pln")
    assert is_named("Eingangsrechnungen", ["eingangsrechnung"])
    assert not is_named("endpoint", ["due", "no"])
    assert identifier("2. Straße (alt)", ["t_2_strasse_alt"]) == "t_2_strasse_alt_2"
    assert identifier("日本", []) == "t"
    assert [singular(name) for name in ("invoices", "companies", "status", "address", "kunden")] == [
        "invoice",
        "company",
        "status",
        "address",
        "kunden",
    ]
