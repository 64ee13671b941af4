"""MariaDB as a source, on a real server: types, snapshots, limits, lost connections."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pymysql
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
from footnote.sources.privileges import Privileges
from footnote.sources.query import Value
from footnote.sources.source import Source

pytestmark = pytest.mark.mariadb

Run = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def write(mysql_url: str, mariadb_server: Any) -> Run:
    """Runs statements as the superuser, in the module's database."""
    database = mysql_url.partition("@/")[2].partition("?")[0]

    def run(*statements: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = mariadb_server.execute(*statements, database=database)
        return found

    run(
        "CREATE TABLE invoice (id int PRIMARY KEY, amount decimal(14, 2), due date)",
        "INSERT INTO invoice SELECT seq, seq * 1.25, DATE '2026-01-01' + INTERVAL seq DAY FROM seq_0_to_4999",
    )
    return run


@pytest.fixture
def source(mysql_url: str, write: Run) -> Iterator[Source]:
    opened = open_source(mysql_url, time_zone="Europe/Vienna")
    yield opened
    opened.close()


# --- values -----------------------------------------------------------------------------------------------------------


def test_values_come_through_unharmed(source: Source) -> None:
    got = ask(
        source,
        "SELECT 9223372036854775807, -9223372036854775808, 12345678901234567890.1234567890, SUM(n), 0.1e0, -0e0, '', "
        "'O''Brien ☃ \"x\" 100%% \\\\ 😀', NULL, TRUE, DATE '0001-01-01', DATE '9999-12-31', "
        "TIMESTAMP '2026-08-14 10:59:00.000001', TIMESTAMP '2026-08-14 10:59:00', "
        "TIME '10:59:00', 12345678901234567890123456789012345.123456789012345678901234567890 "
        "FROM (SELECT 9223372036854775807 AS n UNION ALL SELECT 9223372036854775807) AS v",
        *"integer integer decimal integer decimal decimal text text text boolean date date datetime datetime".split(),
        *"text decimal".split(),
    )[0]
    assert got[:4] == (2**63 - 1, -(2**63), Decimal("12345678901234567890.1234567890"), 2 * (2**63 - 1))
    assert str(got[2]) == "12345678901234567890.1234567890"
    assert got[4:6] == (Decimal("0.1"), Decimal(0))
    assert str(got[5]) == "0.0"
    assert got[6:10] == ("", 'O\'Brien ☃ "x" 100% \\ 😀', None, True)
    assert got[10:12] == (dt.date.min, dt.date.max)
    assert [str(moment) for moment in got[12:14]] == ["2026-08-14 10:59:00.000001", "2026-08-14 10:59:00"]
    assert got[14] == "10:59:00"
    assert str(got[15]) == "12345678901234567890123456789012345.123456789012345678901234567890"


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("f", "decimal"),
        ("f", "any"),
        ("zero", "date"),
        ("zero", "any"),
        ("part", "date"),
        ("moment", "datetime"),
        ("data", "text"),
        ("data", "any"),
        ("flag", "boolean"),
        ("0.1e0 + 0.2e0", "decimal"),
        ("1.5", "integer"),
        ("TIMESTAMP '2026-08-14 10:59:00'", "date"),
        ("DATE '2026-08-14'", "datetime"),
        ("POINT(1, 2)", "text"),
    ],
)
def test_what_cannot_be_read_exactly_is_refused_and_the_snapshot_lives_on(
    source: Source, write: Run, expression: str, kind: str
) -> None:
    write(
        "SET sql_mode = ''",
        "CREATE TABLE IF NOT EXISTS odd (f float, zero date, part date, moment datetime, data varbinary(4), flag tinyint(1))",
        "DELETE FROM odd",
        "INSERT INTO odd VALUES (1234567.9, '0000-00-00', '2026-00-10', '0000-00-00 00:00:00', x'ff00', 2)",
    )
    with source.snapshot() as snapshot:
        with pytest.raises(ValueUnreadable, match="'c0'"):
            snapshot.run(query(f"SELECT {expression} FROM odd", kind))
        assert rows(snapshot, "SELECT 1") == [(1,)]


def test_texts_of_any_character_set_arrive_as_they_are(source: Source, write: Run) -> None:
    write(
        "CREATE TABLE words (a varchar(9) CHARACTER SET latin1, b varchar(9) CHARACTER SET utf8mb4, c json, d uuid)",
        "INSERT INTO words VALUES ('Müß', 'Žluť 😀', '{\"amount\": 12345678901234567.10}', "
        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')",
    )
    assert ask(source, "SELECT a, b, c, d FROM words", "text", "text", "text", "any") == [
        ("Müß", "Žluť 😀", '{"amount": 12345678901234567.10}', "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
    ]


def test_bits_are_the_number_they_are(source: Source, write: Run) -> None:
    write("CREATE TABLE flags (a bit(1), b bit(16), c tinyint(1))", "INSERT INTO flags VALUES (b'1', 65535, 0)")
    assert ask(source, "SELECT a, b, c FROM flags", "boolean", "integer", "boolean") == [(True, 65535, False)]


def test_a_timestamp_is_given_in_the_sources_time_zone(source: Source, write: Run) -> None:
    write(
        "CREATE TABLE moments (t timestamp NOT NULL)",
        "SET time_zone = '+00:00'",
        "INSERT INTO moments VALUES ('2026-08-14 22:59:00')",
    )
    assert ask(source, "SELECT t, DATE(t) FROM moments", "datetime", "date") == [
        (dt.datetime.fromisoformat("2026-08-15 00:59"), dt.date(2026, 8, 15))
    ]


def test_a_time_zone_the_server_does_not_know_is_said(mysql_url: str) -> None:
    source = open_source(mysql_url, time_zone="Asia/Tokyo")
    with pytest.raises(SourceUnavailable, match=r"time zone.*mariadb-tzinfo-to-sql"):
        ask(source, "SELECT 1")
    source.close()


def test_parameters_are_bound_and_never_pasted(source: Source) -> None:
    for text in ("x'; DROP TABLE invoice; --", "\\' OR 1 = 1 -- ", "%s %(a)s %%", "é😀\n\t\x1a\\", '"`'):
        assert ask(source, "SELECT %(a)s", a=text) == [(text,)]
    day = dt.date(2026, 1, 3)
    sql = "SELECT id FROM invoice WHERE amount = %(a)s AND due = %(d)s"
    assert ask(source, sql, a=Decimal("2.5"), d=day) == [(2,)]
    assert ask(source, "SELECT %(a)s", a=Decimal("1E+5")) == [(100_000,)]
    assert ask(source, "SELECT %(a)s", "decimal", a=Decimal("1E-30")) == [(Decimal("1E-30"),)]
    with pytest.raises(StatementRefused):
        ask(source, "SELECT %(a)s")
    for value in ("\ud800", Decimal("1E-31"), Decimal("1E+65")):
        with pytest.raises(ArgumentError):
            ask(source, "SELECT %(a)s", a=value)


def test_a_moment_with_a_zone_is_moved_to_the_sources(source: Source) -> None:
    moment = dt.datetime(2026, 8, 14, 22, 59, tzinfo=dt.UTC)
    assert ask(source, "SELECT %(a)s", a=moment) == [("2026-08-15 00:59:00",)]


# --- rows and snapshots -----------------------------------------------------------------------------------------------


def test_many_rows_arrive_in_batches_and_in_order(source: Source) -> None:
    with source.snapshot() as snapshot:
        batches = list(snapshot.run(query("SELECT id FROM invoice ORDER BY id", "integer")).batches())
    assert [len(batch) for batch in batches] == [2000, 2000, 1000]
    assert [row[0] for batch in batches for row in batch] == list(range(5000))


def test_rows_may_be_given_up_and_the_snapshot_goes_on(source: Source) -> None:
    with source.snapshot() as snapshot:
        own = rows(snapshot, "SELECT CONNECTION_ID()")
        for _ in range(5):
            big = snapshot.run(query("SELECT a.id FROM invoice a, invoice b", "integer"))
            assert rows(snapshot, "SELECT CONNECTION_ID()") == own
            with pytest.raises(RuntimeError, match="given up"):
                list(big)
    assert ask(source, "SELECT CONNECTION_ID()") == own


def test_a_value_that_cannot_be_read_in_the_middle_leaves_the_snapshot_usable(source: Source, write: Run) -> None:
    with source.snapshot() as snapshot:
        sql = "SELECT CASE WHEN id = 2500 THEN 0.5 ELSE id END FROM invoice ORDER BY id"
        found = snapshot.run(query(sql, "integer"))
        with pytest.raises(ValueUnreadable):
            list(found)
        assert rows(snapshot, "SELECT COUNT(*) FROM invoice") == [(5000,)]


def test_a_snapshot_does_not_see_what_is_committed_meanwhile(source: Source, write: Run) -> None:
    write("CREATE TABLE moving (a int)", "INSERT INTO moving VALUES (1)")
    with source.snapshot() as snapshot:
        write("INSERT INTO moving VALUES (2)")  # before the first look at the table
        assert rows(snapshot, "SELECT COUNT(*) FROM moving") == [(1,)]
        with pytest.raises(SourceUnavailable, match="error 1690"):
            snapshot.run(query("SELECT 9223372036854775807 + 1"))
        write("DELETE FROM moving")
        assert rows(snapshot, "SELECT COUNT(*) FROM moving") == [(1,)]
    assert ask(source, "SELECT COUNT(*) FROM moving") == [(0,)]


def test_a_snapshot_knows_the_servers_time(source: Source) -> None:
    with source.snapshot() as snapshot:
        ((now,),) = rows(snapshot, "SELECT UTC_TIMESTAMP(6)", "datetime")
        assert isinstance(now, dt.datetime)
        assert dt.timedelta(0) <= now.replace(tzinfo=dt.UTC) - snapshot.taken_at < dt.timedelta(minutes=1)


def test_what_the_server_is_set_to_does_not_cut_or_change_results(source: Source, mysql_url: str, write: Run) -> None:
    write(
        "CREATE FUNCTION spoil() RETURNS int BEGIN SET SESSION sql_select_limit = 1, sql_mode = 'ANSI', "
        "time_zone = '+09:00', max_statement_time = 0; RETURN 1; END"
    )
    ask(source, "SELECT spoil()")
    look = "SELECT @@sql_select_limit, @@sql_mode, @@time_zone, @@max_statement_time"
    assert ask(source, look, "any", "text", "text", "decimal")[0][2:] == ("Europe/Vienna", 30)
    assert len(ask(source, "SELECT id FROM invoice")) == 5000
    write("SET GLOBAL sql_select_limit = 10")
    try:
        other = open_source(mysql_url)
        assert len(ask(other, "SELECT id FROM invoice")) == 5000
        other.close()
    finally:
        write("SET GLOBAL sql_select_limit = DEFAULT")


def test_many_threads_share_a_source(mysql_url: str, write: Run) -> None:
    source = open_source(mysql_url, limit=2)
    got: list[tuple[Value, ...]] = []

    def work() -> None:
        for _ in range(10):
            got.extend(ask(source, "SELECT SUM(id), CONNECTION_ID() FROM invoice", "integer", "integer"))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row[0] for row in got] == [sum(range(5000))] * 60
    assert len({row[1] for row in got}) <= 2
    source.close()


# --- time -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sql", ["SELECT SLEEP(30)", "SELECT a.seq FROM seq_1_to_100000 a, seq_1_to_100000 b"])
def test_a_slow_statement_is_stopped_at_the_limit_and_the_snapshot_lives_on(mysql_url: str, sql: str) -> None:
    source = open_source(mysql_url, timeout=0.3)
    with source.snapshot() as snapshot:
        began = time.monotonic()
        with pytest.raises(SourceTimeout, match=r"limit of 0\.3 s"):
            snapshot.run(query(sql)).all()
        assert time.monotonic() - began < 5
        assert rows(snapshot, "SELECT 1") == [(1,)]
    source.close()


def test_a_locked_table_is_waited_for_until_the_limit(mysql_url: str, mariadb_server: Any, write: Run) -> None:
    source = open_source(mysql_url, timeout=1)
    database = mysql_url.partition("@/")[2].partition("?")[0]
    with pymysql.connect(unix_socket=str(mariadb_server.socket), user="root", database=database) as other:
        with other.cursor() as cursor:
            cursor.execute("LOCK TABLES invoice WRITE")
        with pytest.raises(SourceTimeout):
            ask(source, "SELECT COUNT(*) FROM invoice")
    assert ask(source, "SELECT COUNT(*) FROM invoice") == [(5000,)]
    source.close()


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.2])
def test_a_call_that_is_withdrawn_stops_its_statement(source: Source, write: Run, delay: float) -> None:
    cancel = Cancellation()
    began = time.monotonic()
    with source.snapshot(cancel) as snapshot:
        threading.Timer(delay, cancel.cancel).start()
        with pytest.raises(Cancelled):
            snapshot.run(query("SELECT SLEEP(30)"))
    assert time.monotonic() - began < 10
    assert ask(source, "SELECT 1") == [(1,)]
    assert write("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP%'") == [(0,)]


def test_a_statement_stopped_on_the_server_is_not_called_slow(source: Source, write: Run) -> None:
    def stop() -> None:
        ((number,),) = write("SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP%'")
        write(f"KILL QUERY {number}")

    threading.Timer(0.3, stop).start()
    with pytest.raises(SourceUnavailable, match="stopped it on the server"):
        ask(source, "SELECT SLEEP(10) FROM invoice WHERE id = 1")


# --- connections ------------------------------------------------------------------------------------------------------


def test_a_server_that_dies_in_the_middle_is_said_so_and_found_again(another_mariadb: Callable[[], Any]) -> None:
    server = another_mariadb()
    source = open_source(server.url())
    assert ask(source, "SELECT 1") == [(1,)]
    crash = threading.Timer(0.3, server.crash)
    crash.start()
    with pytest.raises(SourceUnavailable, match="connection to the source was lost"):
        ask(source, "SELECT SLEEP(20)")
    crash.join()
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        ask(source, "SELECT 1")
    server.start()
    assert ask(source, "SELECT 1") == [(1,)]
    server.crash()
    server.start()
    assert ask(source, "SELECT 1") == [(1,)]  # the connection that died while idle is replaced unseen
    source.close()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("@/test_", "@/no_such_"), "no such database"),
        (("//root@", "//nobody:hunter2@"), "user or the password"),
        (("unix_socket=/", "unix_socket=/nowhere/"), "No server listens there"),
        (("@/", "@127.0.0.1:1/"), "No server listens there"),
        (("@/", "@no.such.host.invalid/"), "no host of this name"),
        (("?", "?ssl_mode=required&"), "TLS"),
    ],
)
def test_a_server_that_does_not_let_us_in_says_why_without_a_password(
    mysql_url: str, change: tuple[str, str], why: str
) -> None:
    url = mysql_url.replace(*change, 1)
    if "127.0.0.1" in url or "invalid" in url:
        url = url.partition("?")[0]
    source = open_source(url, timeout=2)
    with pytest.raises(SourceUnavailable, match=why) as caught, source.snapshot():
        pytest.fail("nobody is there")
    assert "hunter2" not in str(caught.value.as_dict())
    source.close()


def test_an_unknown_connection_option_is_wrong_use(mysql_url: str) -> None:
    with pytest.raises(UsageError, match="'colour'"):
        open_source(f"{mysql_url}&colour=blue")
    source = open_source(f"{mysql_url}&ssl_ca=/nowhere.pem")
    with pytest.raises(UsageError, match="certificate"), source.snapshot():
        pytest.fail("there is no such file")


def test_more_snapshots_than_connections_wait_and_then_say_so(mysql_url: str) -> None:
    source = open_source(mysql_url, limit=1, timeout=0.3)
    with source.snapshot(), pytest.raises(SourceTimeout, match="connections are busy"), source.snapshot():
        pytest.fail("there is one connection only")
    source.close()


# --- what does not fit ------------------------------------------------------------------------------------------------


def test_what_is_missing_or_denied_is_named(
    source: Source, mysql_reader_url: Callable[[str], str], mysql_url: str, write: Run
) -> None:
    with source.snapshot() as snapshot:
        with pytest.raises(SourceChanged, match="Unknown column 'nothing'"):
            snapshot.run(query("SELECT nothing FROM invoice"))
        with pytest.raises(SourceChanged, match=r"nowhere' doesn't exist"):
            snapshot.run(query("SELECT 1 FROM nowhere"))
        with pytest.raises(SourceChanged, match="2 columns"):
            snapshot.run(query("SELECT 1, 2"))
        with pytest.raises(SourceUnavailable) as caught:
            snapshot.run(query("SELECT EXP(LENGTH(%(a)s) * 1000)", a="hunter2"))
        assert "hunter2" not in str(caught.value.as_dict())
    reader = open_source(
        mysql_reader_url(mysql_url).replace("/test_", "/mysql?x").partition("?x")[0] + _socket(mysql_url)
    )
    with pytest.raises(SourceUnavailable, match="may not use this database"):
        ask(reader, "SELECT 1")
    reader.close()
    reader = open_source(mysql_reader_url(mysql_url))
    with pytest.raises(SourceUnavailable, match=r"denied.*GRANT SELECT"):
        ask(reader, "SELECT user FROM mysql.global_priv")
    reader.close()


def _socket(url: str) -> str:
    return "?" + url.partition("?")[2]


def test_tables_are_described_as_declared(source: Source, write: Run, mysql_url: str) -> None:
    write(
        "CREATE TABLE `Order Line` (ord int, pos int, amount decimal(12, 2) NOT NULL, code varchar(8) NOT NULL, note text, "
        "PRIMARY KEY (pos, ord), UNIQUE (code), UNIQUE part (note(10)), KEY plain (amount))",
        "CREATE VIEW `Lines` AS SELECT amount FROM `Order Line`",
        "CREATE SEQUENCE numbers",
    )
    database = mysql_url.partition("@/")[2].partition("?")[0]
    names = ["Order Line", "order line", f"{database}.Order Line", "Lines", "nothing", "nowhere.invoice", "numbers"]
    found = source.tables(names)
    assert list(found) == names[:4]
    lines = found["Order Line"]
    assert lines == found["order line"] == found[names[2]]
    assert lines.schema == database
    assert [(c.name, c.type, c.nullable) for c in lines.columns] == [
        ("ord", "int(11)", False),
        ("pos", "int(11)", False),
        ("amount", "decimal(12,2)", False),
        ("code", "varchar(8)", False),
        ("note", "text", True),
    ]
    assert lines.primary_key == ("pos", "ord")
    assert lines.unique == (("code",),)
    assert [c.collation for c in lines.columns][:3] == ["", "", ""]
    assert all(c.collation.startswith("utf8mb4_") for c in lines.columns[3:])
    assert found["Lines"].is_view


def test_a_table_without_snapshots_is_refused(source: Source, write: Run) -> None:
    write("CREATE TABLE old (id int PRIMARY KEY) ENGINE = MyISAM")
    with pytest.raises(SourceUnavailable, match="MyISAM"):
        source.tables(["invoice", "old"])


def test_what_a_login_could_write_is_told_with_the_sql_that_ends_it(
    mysql_url: str, mysql_reader_url: Callable[[str], str], write: Run
) -> None:
    url = mysql_reader_url(mysql_url)
    login, database = url.partition("//")[2].partition("@")[0], mysql_url.partition("@/")[2].partition("?")[0]
    source = open_source(url)
    assert source.privileges().powers == ()
    write(
        f"GRANT INSERT, UPDATE (amount) ON invoice TO {login}",
        f"GRANT ALL PRIVILEGES ON other.* TO {login} WITH GRANT OPTION",
        f"ALTER USER {login} IDENTIFIED BY ''",
        "CREATE ROLE clerk",
        f"GRANT DELETE ON {database}.* TO clerk",
        f"GRANT clerk TO {login}",
    )
    found = source.privileges()
    told = " ".join(power.text for power in found.powers)
    assert found.login == f"{login}@%"
    for word in (
        "INSERT",
        "UPDATE (`amount`)",
        "ALL PRIVILEGES, GRANT OPTION on `other`.*",
    ):
        assert word in told
    assert "PASSWORD" not in told
    assert "clerk" in found.unknown[0]
    write(f"REVOKE clerk FROM {login}", "DROP ROLE clerk")
    write(*(line for power in found.powers for line in power.fix.splitlines()))
    assert source.privileges().powers == ()
    source.close()
    everything = open_source(mysql_url)
    (power,) = everything.privileges().powers
    assert "administrator" in power.text
    assert power.fix == ""
    everything.close()


def test_what_a_role_could_write_is_told_to_those_who_may_see_it(mysql_url: str, write: Run) -> None:
    database = mysql_url.partition("@/")[2].partition("?")[0]
    write(
        "CREATE USER deputy",
        "GRANT SELECT ON mysql.* TO deputy",
        f"GRANT SELECT ON {database}.* TO deputy",
        "CREATE ROLE clerk",
        f"GRANT DELETE ON {database}.* TO clerk",
        "GRANT clerk TO deputy",
    )
    source = open_source(mysql_url.replace("//root@", "//deputy@"))
    (power,) = source.privileges().powers
    assert "has the role `clerk`, which has DELETE" in power.text
    write(power.fix)
    assert source.privileges().powers == ()
    source.close()
    write("DROP ROLE clerk", "DROP USER deputy")


def test_what_everybody_was_granted_counts_as_the_login_s_own(
    mysql_url: str, mysql_reader_url: Callable[[str], str], write: Run
) -> None:
    url = mysql_reader_url(mysql_url)
    login, database = url.partition("//")[2].partition("@")[0], mysql_url.partition("@/")[2].partition("?")[0]
    write(f"CREATE TABLE {database}.`a TO b` (id int PRIMARY KEY)", f"GRANT INSERT ON {database}.`a TO b` TO PUBLIC")
    socket = mysql_url.partition("unix_socket=")[2]
    with pymysql.connect(unix_socket=socket, user=login, database=database) as reader, reader.cursor() as cursor:
        assert cursor.execute("INSERT INTO `a TO b` VALUES (1)") == 1  # so it could write indeed
    source = open_source(url)
    (power,) = source.privileges().powers
    assert power.text == f"PUBLIC has INSERT on `{database}`.`a TO b`."
    write(power.fix)
    assert source.privileges() == Privileges(f"{login}@%")
    source.close()
