"""A log in PostgreSQL: roles that may only append, a server that goes away, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest

import footnote
import footnote.errors
from footnote.errors import FootnoteError, LogBroken, LogUnavailable, UsageError
from footnote.provenance import Draft, Log, Receipt, postgres_schema
from footnote.provenance.log import place_of
from footnote.provenance.postgres_schema import roles_sql

pytestmark = pytest.mark.postgres
SOURCE = str(Path(footnote.errors.__file__).parents[1])


@pytest.fixture
def url(postgres_server: Any) -> Iterator[str]:
    name = postgres_server.new_database()
    yield postgres_server.url(name)
    postgres_server.drop(name)


def execute(url: str, statement: LiteralString) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def role(url: str) -> Iterator[Callable[[str], str]]:
    """Makes a login that may do what a role of the docs may; gives its URL."""
    made: list[str] = []

    def make(kind: str) -> str:
        name = f"{kind}_{os.getpid()}_{len(made)}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {name} LOGIN".encode())
            connection.execute(roles_sql(**{kind: name}).encode())
        made.append(name)
        return url.replace("//postgres@", f"//{name}@")

    yield make
    with psycopg.connect(url, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP OWNED BY {name}; DROP ROLE {name}".encode())


def test_whoever_waited_while_another_made_the_tables_finds_them(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as late, psycopg.connect(url, autocommit=True) as early:
        assert not postgres_schema.is_there(late), "the server may now remember that there is no such table"
        waiting = threading.Thread(target=postgres_schema.install, args=(late, "second", "2026-01-01T00:00:00Z"))
        with early.transaction():
            early.execute("SELECT pg_advisory_xact_lock(%s)", (postgres_schema.LOCK,))
            waiting.start()
            while not execute(url, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
                time.sleep(0.01)
            postgres_schema.install(early, "first", "2026-01-01T00:00:00Z")
        waiting.join()
        assert postgres_schema.recognise(late, url) == "first"


CHANGES: tuple[LiteralString, ...] = (
    "UPDATE footnote.leaves SET kind = 'read'",
    "DELETE FROM footnote.leaves",
    "TRUNCATE footnote.leaves",
    "UPDATE footnote.payload SET data = 'x'",
    "UPDATE footnote.payload SET sequence = 9, salt = NULL, data = NULL",
    "DELETE FROM footnote.payload",
    "TRUNCATE footnote.payload",
    "UPDATE footnote.log SET id = 'x'",
    "DELETE FROM footnote.log",
    "UPDATE footnote.subtrees SET root = 'x'",
    "DELETE FROM footnote.checkpoints",
    "UPDATE footnote.checkpoints SET note = 'x'",
)


@pytest.mark.parametrize("statement", CHANGES)
def test_changes_are_denied_by_the_database_even_to_its_owner(url: str, statement: LiteralString) -> None:
    with Log.open(url) as log:
        log.append(Draft("answer", sections={"n": 1}))
        with pytest.raises(psycopg.errors.RestrictViolation):
            execute(url, statement)
        assert log.verify().ok


@pytest.mark.parametrize("statement", CHANGES)
def test_the_serving_role_may_append_and_read_and_nothing_else(
    url: str, role: Callable[[str], str], statement: LiteralString
) -> None:
    Log.open(url).close()
    serving = role("serving")
    with Log.open(serving) as log:
        assert log.append(Draft("answer", sections={"n": 1})).sequence == 1
        assert log.verify().count == 1
    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RestrictViolation)):
        execute(serving, statement)
    for more in ("DROP TABLE footnote.leaves", "ALTER TABLE footnote.leaves DISABLE TRIGGER ALL"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            execute(serving, more)


def test_the_maintenance_role_may_destroy_a_payload_and_change_none(url: str, role: Callable[[str], str]) -> None:
    with Log.open(url) as log:
        log.append(Draft("answer", sections={"n": 1}))
    maintenance = role("maintenance")
    with pytest.raises(psycopg.errors.RestrictViolation):
        execute(maintenance, "UPDATE footnote.payload SET data = 'x'")
    execute(maintenance, "UPDATE footnote.payload SET data = NULL, salt = NULL")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        execute(maintenance, "DELETE FROM footnote.payload")


def test_a_login_that_may_not_make_a_log_is_told_so(url: str, role: Callable[[str], str]) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE nobody_at_all LOGIN")
    try:
        with pytest.raises(LogUnavailable, match="may not"):
            Log.open(url.replace("//postgres@", "//nobody_at_all@"))
    finally:
        execute(url, "DROP ROLE nobody_at_all")


def test_names_of_roles_are_names() -> None:
    with pytest.raises(UsageError):
        roles_sql(serving='x"; DROP SCHEMA footnote; --')


# --- a server that goes away ------------------------------------------------------------------------------------------


def test_appends_go_on_over_restarts_nothing_acknowledged_is_lost_and_nothing_is_there_twice(
    another_postgres: Callable[[], Any],
) -> None:
    server = another_postgres()
    receipts: list[Receipt] = []
    drafted: list[str] = []
    failures: list[str] = []
    stop = threading.Event()
    with Log.open(server.url(), timeout=60) as log:

        def work() -> None:
            while not stop.is_set():
                draft = Draft("answer", sections={"text": "x" * 500}, evidence=[{"row": 1}] * 3)
                drafted.append(draft.id)
                try:
                    receipts.append(log.append(draft))
                except FootnoteError as error:
                    failures.append(error.text)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            before = len(receipts)
            while len(receipts) < before + 20:
                time.sleep(0.01)
            server.crash()
            server.restart()
        before = len(receipts)
        while len(receipts) < before + 20:
            time.sleep(0.01)
        stop.set()
        for thread in threads:
            thread.join()
        assert failures == []
        outcome = log.verify()
        assert outcome.ok, outcome.reason
        assert outcome.count == len(receipts) == len(drafted)
        assert {record.id: record.hash for record in log.records()} == {one.id: one.hash for one in receipts}


def test_a_connection_that_breaks_behind_the_commit_writes_nothing_twice(url: str) -> None:
    with Log.open(url) as log:
        first = log.append(Draft("answer"))
        store = log.store
        insert = store._insert  # type: ignore[attr-defined]  # the store of PostgreSQL has one
        broke: list[int] = []

        def insert_then_break(writer: Any, batch: Any, attempted: Any) -> Any:
            outcome = insert(writer, batch, attempted)
            if not broke:
                broke.append(1)
                writer.execute("COMMIT")  # done, but nobody hears of it
                execute(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
            return outcome

        store._insert = insert_then_break  # type: ignore[attr-defined]
        receipt = log.append(Draft("answer"))
        assert broke
        assert (receipt.sequence, log.size()) == (first.sequence + 1, 2)
        assert log.get(2).hash == receipt.hash
        assert log.verify().ok


def test_readers_go_on_when_their_connections_are_gone(url: str) -> None:
    with Log.open(url) as log:
        log.append(Draft("answer"))
        assert log.size() == 1
        execute(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        assert log.size() == 1
        assert log.append(Draft("answer")).sequence == 2


def test_a_server_that_stays_away_is_said_after_the_time_limit(another_postgres: Callable[[], Any]) -> None:
    server = another_postgres()
    with Log.open(server.url(), timeout=0.5) as log:
        log.append(Draft("answer"))
        server.crash()
        with pytest.raises(LogUnavailable, match="No server listens"):
            log.append(Draft("answer"))
        server.restart()
        assert log.append(Draft("answer")).sequence == 2


def test_another_process_that_holds_the_log_too_long_is_said(url: str) -> None:
    with Log.open(url, timeout=0.3) as log:
        log.append(Draft("answer"))
        with psycopg.connect(url) as holder:
            holder.execute("SELECT pg_advisory_xact_lock(%s)", (0x464E4F54,))
            with pytest.raises(LogUnavailable, match="Another process holds"):
                log.append(Draft("answer"))
        assert log.append(Draft("answer")).sequence == 2


FORK = """
import os, sys
from footnote.provenance import Draft, Log
log = Log.open(sys.argv[1])
log.append(Draft("answer"))
children = []
for number in range(3):
    child = os.fork()
    if not child:
        for _ in range(10):
            log.append(Draft("answer", sections={"who": number}))
        log.close()
        os._exit(0)
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 3
assert log.append(Draft("answer")).sequence == 32
assert log.verify().count == 32
log.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_log_goes_on_in_forked_children_and_in_their_parent(url: str) -> None:
    environ = os.environ | {"PYTHONPATH": SOURCE}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK, url], capture_output=True, text=True, env=environ, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- what is refused --------------------------------------------------------------------------------------------------


def test_a_log_of_a_newer_version_is_refused_by_name(url: str) -> None:
    Log.open(url).close()
    execute(url, "ALTER TABLE footnote.log DISABLE TRIGGER ALL; UPDATE footnote.log SET version = 7")
    for readonly in (False, True):
        with pytest.raises(LogUnavailable, match=r"version 7.*newer Footnote"):
            Log.open(url, readonly=readonly)


def test_a_tail_that_was_changed_takes_no_record(url: str) -> None:
    with Log.open(url) as log:
        log.append(Draft("answer"))
        execute(url, "ALTER TABLE footnote.leaves DISABLE TRIGGER ALL; UPDATE footnote.leaves SET leaf = 'x'")
        with pytest.raises(LogBroken):
            log.append(Draft("answer"))


def test_parts_of_records_that_are_gone_let_nothing_be_appended(url: str) -> None:
    with Log.open(url) as log:
        log.append_all([Draft("answer", sections={"n": n}) for n in range(3)])
        execute(url, "ALTER TABLE footnote.leaves DISABLE TRIGGER ALL; DELETE FROM footnote.leaves WHERE sequence = 3")
        with pytest.raises(LogBroken, match="gone"):
            log.append(Draft("answer", sections={"n": 3}))


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://footnote:hunter2@127.0.0.1:1/log",
        "postgresql://footnote:hunter2@no-such-host.invalid/log?connect_timeout=2",
        "postgresql://footnote:hun@ter2@127.0.0.1:1/log",
        "postgresql+psycopg://footnote:hunter2@127.0.0.1:1/log?rubbish=hunter2",
    ],
)
def test_a_password_is_never_shown(text: str) -> None:
    with pytest.raises(FootnoteError) as caught:
        Log.open(text, timeout=2)
    shown = f"{caught.value.text} {caught.value.as_dict()} {caught.value.__cause__!r}"
    assert "ter2" not in shown


def test_a_place_is_shown_without_its_password() -> None:
    place = place_of("postgres://footnote:hunter2@db.example.com:5433/log?sslmode=require")
    assert str(place) == "postgresql://footnote@db.example.com:5433/log"
    assert "hunter2" not in repr(place)


def test_a_log_in_the_database_of_the_source_is_refused_under_any_name(url: str, tmp_path: Path) -> None:
    environ = {"FOOTNOTE_CACHE": str(tmp_path), "FOOTNOTE_KEY": str(tmp_path / "key"), "FOOTNOTE_SEED": "1"}
    for name in (url, url.replace("postgresql://", "postgres://") + "&application_name=x"):
        with (
            footnote.open("sample", database_url=url, provenance_db=name, environ=environ) as session,
            pytest.raises(UsageError, match="same database"),
        ):
            session.ask("How much does Bergmann owe?")


def test_a_session_keeps_its_log_in_postgres(url: str, postgres_server: Any, tmp_path: Path) -> None:
    environ = {"FOOTNOTE_CACHE": str(tmp_path), "FOOTNOTE_KEY": str(tmp_path / "key")}
    with footnote.open("sample", database_url="sample", provenance_db=url, environ=environ) as session:
        answer = session.ask("How much does Bergmann owe?")
        assert answer.receipt["sequence"] == 2
        assert session.log.verify().count == 2
        assert str(session.settings.provenance_db).startswith("postgresql://postgres@")
