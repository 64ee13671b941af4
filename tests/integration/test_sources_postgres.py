"""PostgreSQL as a source, on a real server: types, snapshots, limits, lost connections."""

from __future__ import annotations

import datetime as dt
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from tests.integration.asking import ask, query, rows

from footnote.errors import (
    ArgumentError,
    Cancelled,
    SourceChanged,
    SourceTimeout,
    SourceUnavailable,
    StatementRefused,
    UsageError,
    ValueUnreadable,
)
from footnote.sources.cancellation import Cancellation
from footnote.sources.opening import open_source
from footnote.sources.query import Value
from footnote.sources.source import Source

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def writer(postgres_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE invoice (id int PRIMARY KEY, amount numeric(14, 2), due date)")
        connection.execute(
            "INSERT INTO invoice SELECT n, n * 1.25, DATE '2026-01-01' + n FROM generate_series(0, 4999) n"
        )
        yield connection


@pytest.fixture
def source(postgres_url: str, writer: psycopg.Connection[Any]) -> Iterator[Source]:
    opened = open_source(postgres_url, time_zone="Europe/Vienna")
    yield opened
    opened.close()


# --- values -----------------------------------------------------------------------------------------------------------


def test_values_come_through_unharmed(source: Source) -> None:
    got = ask(
        source,
        "SELECT 9223372036854775807, (-9223372036854775808)::int8, 12345678901234567890.1234567890::numeric, "
        "sum(n), 0.1::float8, '-0'::float8, '', 'O''Brien ☃ \"x\" 100%%', NULL, true, DATE '0001-01-01', "
        "DATE '9999-12-31', TIMESTAMP '2026-08-14 10:59:00.000001', TIMESTAMPTZ '2026-08-14 10:59:00+00' "
        "FROM (VALUES (9223372036854775807), (9223372036854775807)) v (n)",
        *"integer integer decimal integer decimal decimal text text text boolean date date datetime datetime".split(),
    )[0]
    assert got[:4] == (2**63 - 1, -(2**63), Decimal("12345678901234567890.1234567890"), 2 * (2**63 - 1))
    assert str(got[2]) == "12345678901234567890.1234567890"
    assert got[4:6] == (Decimal("0.1"), Decimal(0))
    assert str(got[5]) == "0.0"
    assert got[6:10] == ("", 'O\'Brien ☃ "x" 100%', None, True)
    assert got[10:12] == (dt.date.min, dt.date.max)
    assert str(got[12]) == "2026-08-14 10:59:00.000001"
    assert got[13] == dt.datetime(2026, 8, 14, 10, 59, tzinfo=dt.UTC)
    assert str(got[13]) == "2026-08-14 12:59:00+02:00"


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("'12.50'::money", "decimal"),
        ("'12.50'::money", "text"),
        ("DATE 'infinity'", "date"),
        ("DATE '-infinity'", "any"),
        ("DATE '0044-03-15 BC'", "date"),
        ("TIMESTAMP 'infinity'", "datetime"),
        ("TIMESTAMPTZ '10000-01-01 00:00+00'", "datetime"),
        ("'NaN'::numeric", "decimal"),
        ("'Infinity'::numeric", "any"),
        ("'NaN'::float8", "decimal"),
        ("0.1::float8 + 0.2::float8", "decimal"),
        ("ARRAY[1, 2]", "integer"),
        ("'\\x00ff'::bytea", "text"),
        ("1.5", "integer"),
        ("now()", "date"),
        ("'2026-08-14'::date", "datetime"),
    ],
)
def test_what_cannot_be_read_exactly_is_refused_and_the_snapshot_lives_on(
    source: Source, expression: str, kind: str
) -> None:
    with source.snapshot() as snapshot:
        with pytest.raises(ValueUnreadable, match="'c0'"):
            snapshot.run(query(f"SELECT {expression}", kind))
        assert rows(snapshot, "SELECT 1") == [(1,)]


def test_numbers_in_json_keep_their_digits(source: Source) -> None:
    text = ask(source, """SELECT '{"amount": 12345678901234567.10}'::jsonb""", "text")[0][0]
    assert json.loads(str(text), parse_float=Decimal)["amount"] == Decimal("12345678901234567.10")
    assert ask(source, """SELECT '{"a": 12.50}'::jsonb -> 'a'""", "decimal") == [(Decimal("12.50"),)]


def test_keys_of_other_types_are_their_text(source: Source) -> None:
    uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    assert ask(source, f"SELECT '{uuid}'::uuid, '10:59'::time, '1 day'::interval", "any", "any", "any") == [
        (uuid, "10:59:00", "1 day")
    ]


def test_text_that_is_not_valid_is_refused(postgres_url: str, writer: psycopg.Connection[Any]) -> None:
    writer.execute("CREATE DATABASE unchecked ENCODING SQL_ASCII TEMPLATE template0 LOCALE 'C'")
    source = open_source(re.sub(r"/test_\d+", "/unchecked", postgres_url))
    with pytest.raises(ValueUnreadable, match="SQL_ASCII"):
        ask(source, "SELECT 1, 'caf' || chr(233) AS label", "integer", "text")
    source.close()
    writer.execute("DROP DATABASE unchecked WITH (FORCE)")


def test_a_roles_own_settings_change_no_value(postgres_url: str, writer: psycopg.Connection[Any]) -> None:
    writer.execute("CREATE ROLE german LOGIN")
    writer.execute("ALTER ROLE german SET DateStyle = 'German'")
    writer.execute("ALTER ROLE german SET extra_float_digits = 0")
    writer.execute("ALTER ROLE german SET TimeZone = 'Asia/Tokyo'")
    source = open_source(postgres_url.replace("//postgres@", "//german@"))
    got = ask(source, "SELECT DATE '2026-08-14', current_setting('TimeZone')", "date", "text")
    assert got == [(dt.date(2026, 8, 14), "UTC")]
    with pytest.raises(ValueUnreadable):
        ask(source, "SELECT 0.1::float8 + 0.2::float8", "decimal")
    source.close()


def test_parameters_are_bound_and_never_pasted(source: Source) -> None:
    assert ask(source, "SELECT %(a)s::text", a="x'; DROP TABLE invoice; --") == [("x'; DROP TABLE invoice; --",)]
    day = dt.date(2026, 1, 3)
    sql = "SELECT id FROM invoice WHERE amount = %(a)s AND due = %(d)s"
    assert ask(source, sql, a=Decimal("2.5"), d=day) == [(2,)]
    with pytest.raises(StatementRefused):
        ask(source, "SELECT %(a)s::text")
    with pytest.raises(ArgumentError):
        ask(source, "SELECT %(a)s::text", a="\ud800")


# --- rows and snapshots -----------------------------------------------------------------------------------------------


def test_many_rows_arrive_in_batches_and_in_order(source: Source) -> None:
    with source.snapshot() as snapshot:
        batches = list(snapshot.run(query("SELECT id FROM invoice ORDER BY id", "integer")).batches())
    assert [len(batch) for batch in batches] == [2000, 2000, 1000]
    assert [row[0] for batch in batches for row in batch] == list(range(5000))


def test_rows_may_be_given_up_and_the_snapshot_goes_on(source: Source, writer: psycopg.Connection[Any]) -> None:
    with source.snapshot() as snapshot:
        pid = rows(snapshot, "SELECT pg_backend_pid()")
        for _ in range(5):
            big = snapshot.run(query("SELECT a.id FROM invoice a, invoice b", "integer"))
            assert rows(snapshot, "SELECT pg_backend_pid()") == pid
            with pytest.raises(RuntimeError, match="given up"):
                list(big)
    assert ask(source, "SELECT pg_backend_pid()") == pid


def test_a_snapshot_does_not_see_what_is_committed_meanwhile(source: Source, writer: psycopg.Connection[Any]) -> None:
    writer.execute("CREATE TABLE moving AS SELECT 1 AS a")
    with source.snapshot() as snapshot:
        writer.execute("INSERT INTO moving VALUES (2)")
        assert rows(snapshot, "SELECT count(*) FROM moving") == [(1,)]
        with pytest.raises(SourceUnavailable, match="division by zero"):
            snapshot.run(query("SELECT 1 / 0"))
        writer.execute("DELETE FROM moving")
        assert rows(snapshot, "SELECT count(*) FROM moving") == [(1,)]
    assert ask(source, "SELECT count(*) FROM moving") == [(0,)]


def test_a_snapshot_knows_the_servers_time(source: Source) -> None:
    with source.snapshot() as snapshot:
        assert rows(snapshot, "SELECT now()") == [(snapshot.taken_at,)]
        assert snapshot.taken_at.tzinfo is not None


def test_what_a_statement_sets_does_not_reach_the_next_snapshot(source: Source) -> None:
    for name, value in {"TimeZone": "Asia/Tokyo", "search_path": "pg_temp", "statement_timeout": "0"}.items():
        ask(source, "SELECT set_config(%(n)s, %(v)s, false)", n=name, v=value)
    got = ask(source, "SELECT current_setting('TimeZone'), current_setting('statement_timeout')", "text", "text")
    assert got == [("Europe/Vienna", "30s")]
    assert ask(source, "SELECT count(*) FROM invoice") == [(5000,)]


def test_many_threads_share_a_source(postgres_url: str, writer: psycopg.Connection[Any]) -> None:
    source = open_source(postgres_url, limit=2)
    got: list[tuple[Value, ...]] = []

    def work() -> None:
        for _ in range(10):
            got.extend(ask(source, "SELECT sum(id), pg_backend_pid() FROM invoice", "integer", "integer"))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row[0] for row in got] == [sum(range(5000))] * 60
    assert len({row[1] for row in got}) <= 2
    source.close()


# --- time -------------------------------------------------------------------------------------------------------------


def test_a_slow_statement_is_stopped_at_the_limit_and_the_snapshot_lives_on(postgres_url: str) -> None:
    source = open_source(postgres_url, timeout=0.3)
    with source.snapshot() as snapshot:
        began = time.monotonic()
        with pytest.raises(SourceTimeout, match=r"limit of 0\.3 s"):
            snapshot.run(query("SELECT pg_sleep(30)"))
        assert time.monotonic() - began < 5
        assert rows(snapshot, "SELECT 1") == [(1,)]
    source.close()


def test_a_locked_table_is_waited_for_until_the_limit(postgres_url: str, writer: psycopg.Connection[Any]) -> None:
    source = open_source(postgres_url, timeout=0.5)
    with psycopg.connect(postgres_url) as other:
        other.execute("LOCK TABLE invoice IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(SourceTimeout, match="Another program holds a table"):
            ask(source, "SELECT count(*) FROM invoice")
        other.rollback()
    assert ask(source, "SELECT count(*) FROM invoice") == [(5000,)]
    source.close()


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.2])
def test_a_call_that_is_withdrawn_stops_its_statement(
    source: Source, writer: psycopg.Connection[Any], delay: float
) -> None:
    cancel = Cancellation()
    began = time.monotonic()
    with source.snapshot(cancel) as snapshot:
        threading.Timer(delay, cancel.cancel).start()
        with pytest.raises(Cancelled):
            snapshot.run(query("SELECT pg_sleep(30)"))
    assert time.monotonic() - began < 10
    assert ask(source, "SELECT 1") == [(1,)]
    sleeping = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'"
    assert writer.execute(sleeping).fetchall() == [(0,)]


def test_a_statement_cancelled_on_the_server_is_not_called_slow(
    source: Source, writer: psycopg.Connection[Any]
) -> None:
    stop = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'"
    threading.Timer(0.3, lambda: writer.execute(stop)).start()
    with pytest.raises(SourceUnavailable, match="cancelled it on the server"):
        ask(source, "SELECT pg_sleep(10)")


# --- connections ------------------------------------------------------------------------------------------------------


def test_a_server_that_dies_in_the_middle_is_said_so_and_found_again(another_postgres: Callable[[], Any]) -> None:
    server = another_postgres()
    source = open_source(server.url())
    assert ask(source, "SELECT 1") == [(1,)]
    crash = threading.Timer(0.3, server.crash)
    crash.start()
    with pytest.raises(SourceUnavailable, match="connection to the source was lost"):
        ask(source, "SELECT pg_sleep(20)")
    crash.join()
    with pytest.raises(SourceUnavailable, match=r"cannot be reached|starting or stopping|was lost"):
        ask(source, "SELECT 1")
    server.restart()
    assert ask(source, "SELECT 1") == [(1,)]
    server.crash()
    server.restart()
    assert ask(source, "SELECT 1") == [(1,)]  # the connection that died while idle is replaced unseen
    source.close()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("/test_", "/no_such_"), "no such database"),
        (("//postgres@", "//nobody:hunter2@"), "no such user"),
        (("host=/", "host=/nowhere/"), "No server listens there"),
        (("@/", "@localhost:1/"), "No server listens there"),
        (("?", "?sslmode=bogus&"), "TLS"),
    ],
)
def test_a_server_that_does_not_let_us_in_says_why_without_a_password(
    postgres_url: str, change: tuple[str, str], why: str
) -> None:
    url = postgres_url.replace(*change, 1)
    if "localhost" in url:
        url = url.partition("?")[0]
    source = open_source(url, timeout=2)
    with pytest.raises(SourceUnavailable, match=why) as caught, source.snapshot():
        pytest.fail("nobody is there")
    assert "hunter2" not in str(caught.value.as_dict())
    source.close()


def test_an_unknown_connection_option_is_wrong_use(postgres_url: str) -> None:
    with pytest.raises(UsageError, match="options"), open_source(f"{postgres_url}&colour=blue").snapshot():
        pytest.fail("libpq has no such option")


def test_more_snapshots_than_connections_wait_and_then_say_so(postgres_url: str) -> None:
    source = open_source(postgres_url, limit=1, timeout=0.3)
    with source.snapshot(), pytest.raises(SourceTimeout, match="connections are busy"), source.snapshot():
        pytest.fail("there is one connection only")
    source.close()


# --- what does not fit ------------------------------------------------------------------------------------------------


def test_what_is_missing_or_denied_is_named(
    source: Source, postgres_reader_url: Callable[[str], str], postgres_url: str, writer: psycopg.Connection[Any]
) -> None:
    with source.snapshot() as snapshot:
        with pytest.raises(SourceChanged, match='column "nothing" does not exist'):
            snapshot.run(query("SELECT nothing FROM invoice"))
        with pytest.raises(SourceChanged, match='relation "nowhere" does not exist'):
            snapshot.run(query("SELECT 1 FROM nowhere"))
        with pytest.raises(SourceChanged, match="2 columns"):
            snapshot.run(query("SELECT 1, 2"))
        with pytest.raises(SourceUnavailable, match="invalid text representation") as caught:
            snapshot.run(query("SELECT %(a)s::text::int", a="hunter2"))
        assert "hunter2" not in str(caught.value.as_dict())
    reader = open_source(postgres_reader_url(postgres_url))
    writer.execute("CREATE TABLE salary AS SELECT 1 AS a")
    with pytest.raises(SourceUnavailable, match=r"Permission denied for table salary.*GRANT SELECT"):
        ask(reader, "SELECT a FROM salary")
    reader.close()


def test_tables_are_described_as_declared(postgres_url: str, writer: psycopg.Connection[Any]) -> None:
    writer.execute(
        """
        CREATE SCHEMA erp;
        CREATE DOMAIN code AS varchar(8) NOT NULL;
        CREATE TABLE erp."Order Line" (ord int, pos int, amount numeric(12, 2) NOT NULL, code code, gone int,
                                       note text, PRIMARY KEY (pos, ord) INCLUDE (amount), UNIQUE (code));
        ALTER TABLE erp."Order Line" DROP COLUMN gone;
        CREATE UNIQUE INDEX partial_one ON erp."Order Line" (amount) WHERE amount > 0;
        CREATE UNIQUE INDEX of_expression ON erp."Order Line" (lower(note));
        CREATE VIEW erp.v AS SELECT amount FROM erp."Order Line";
        CREATE TABLE erp.invoice (id int8 PRIMARY KEY);
        """
    )
    source = open_source(postgres_url, search_path=["erp", "public"])
    names = ["Order Line", "erp.Order Line", "ERP.V", "invoice", "public.invoice", "nothing", "nowhere.invoice"]
    found = source.tables(names)
    assert list(found) == ["Order Line", "erp.Order Line", "ERP.V", "invoice", "public.invoice"]
    lines = found["Order Line"]
    assert lines == found["erp.Order Line"]
    assert [(c.name, c.type, c.nullable) for c in lines.columns] == [
        ("ord", "integer", False),
        ("pos", "integer", False),
        ("amount", "numeric(12,2)", False),
        ("code", "erp.code" if lines.columns[3].type.startswith("erp") else "code", False),
        ("note", "text", True),
    ]
    assert lines.primary_key == ("pos", "ord")
    assert lines.unique == (("code",),)
    assert found["ERP.V"].is_view
    assert (found["invoice"].schema, found["public.invoice"].schema) == ("erp", "public")
    source.close()


def test_collations_under_which_different_texts_are_equal_are_found(
    postgres_url: str, writer: psycopg.Connection[Any]
) -> None:
    writer.execute(
        """
        CREATE SCHEMA loose;
        CREATE COLLATION loose.anyhow (locale = 'C');
        -- What `deterministic = false` leaves in the catalog; CREATE COLLATION takes it only of a server built with ICU.
        UPDATE pg_collation SET collisdeterministic = false WHERE collname = 'anyhow';
        CREATE DOMAIN loose.loosely AS text COLLATE loose.anyhow;
        CREATE DOMAIN loose.citext AS text; -- the extension's name for its type
        CREATE DOMAIN loose.nested AS loose.citext;
        CREATE TABLE loose.collated (
            id int PRIMARY KEY, plain text, c text COLLATE "C", a text COLLATE loose.anyhow, b loose.loosely,
            d loose.nested, e loose.citext, f varchar(9) COLLATE loose.anyhow
        );
        """
    )
    source = open_source(postgres_url)
    found = source.tables(["loose.collated"])["loose.collated"]
    source.close()
    assert {c.name: c.collation for c in found.columns if c.collation} == {
        "a": "anyhow",
        "b": "anyhow",
        "d": "citext",
        "e": "citext",
        "f": "anyhow",
    }
