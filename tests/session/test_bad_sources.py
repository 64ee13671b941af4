"""Sources that fail, logs that cannot be written: a clear error, a record where there can be one, never an answer."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from footnote.connect.seed import seed_sqlite
from footnote.errors import (
    FootnoteError,
    LogUnavailable,
    SourceChanged,
    SourceTimeout,
    SourceUnavailable,
    TieOutError,
    UsageError,
)
from footnote.session import Session

Open = Callable[..., Session]

CALL = ("getOverdueInvoices", {"customer": "4471"})


@pytest.fixture
def erp(tmp_path: Path) -> Path:
    path = tmp_path / "erp.db"
    seed_sqlite(path)
    return path


def last_record(session: Session) -> tuple[str, str]:
    record = session.log.get(session.log.size())
    error = record.sections.get("error")
    assert isinstance(error, dict)
    return record.kind, str(error["code"])


def test_a_source_that_is_not_there_is_an_error_that_is_recorded(open_session: Open, tmp_path: Path) -> None:
    session = open_session(f"sqlite:///{tmp_path}/nowhere.db")
    with pytest.raises(SourceUnavailable, match=r"nowhere\.db"):
        session.run(*CALL)
    assert last_record(session) == ("error", "source_unavailable")
    assert not (tmp_path / "nowhere.db").exists()


def test_a_server_that_is_down_is_named_without_its_password(open_session: Open) -> None:
    session = open_session("postgresql://reader:s3cret@127.0.0.1:1/erp")
    with pytest.raises(SourceUnavailable) as caught:
        session.run(*CALL)
    assert "s3cret" not in str(caught.value.as_dict())
    assert "s3cret" not in str(session.log.get(session.log.size()).sections)


def test_a_locked_source_is_waited_for_until_the_limit(open_session: Open, erp: Path, tmp_path: Path) -> None:
    catalog = tmp_path / "catalog.yaml"
    catalog.write_text(_sample().replace("timeout: 30s", "timeout: 200ms"), "utf-8")
    session = open_session(f"sqlite:///{erp}", str(catalog))
    session.run(*CALL)
    with sqlite3.connect(erp, isolation_level=None) as writer:
        writer.execute("PRAGMA locking_mode=EXCLUSIVE")
        writer.execute("BEGIN EXCLUSIVE")
        started = time.monotonic()
        with pytest.raises((SourceTimeout, SourceUnavailable)):
            session.run(*CALL)
        assert time.monotonic() - started < 5
        writer.execute("ROLLBACK")
    writer.close()
    assert last_record(session)[0] == "error"


def test_a_statement_slower_than_its_limit_is_stopped(open_session: Open, erp: Path, tmp_path: Path) -> None:
    with sqlite3.connect(erp) as connection:
        connection.execute("CREATE TABLE numbers (id INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO numbers VALUES (?)", [(n,) for n in range(3_000)])
    connection.close()
    catalog = tmp_path / "slow.yaml"
    catalog.write_text(SLOW, "utf-8")
    session = open_session(f"sqlite:///{erp}", str(catalog))
    with pytest.raises(SourceTimeout, match="0\\.2"):
        session.run("slow", {})
    assert last_record(session) == ("error", "source_timeout")


def test_a_table_that_vanished_is_an_error_not_a_zero(open_session: Open, erp: Path) -> None:
    session = open_session(f"sqlite:///{erp}")
    session.run(*CALL)
    with sqlite3.connect(erp) as connection:
        connection.execute("ALTER TABLE invoices RENAME COLUMN paid_cents TO paid")
    connection.close()
    with pytest.raises(SourceChanged):
        session.run(*CALL)


def test_a_join_that_fans_out_is_refused_and_names_the_row(open_session: Open, erp: Path, tmp_path: Path) -> None:
    catalog = tmp_path / "fanout.yaml"
    catalog.write_text(FAN_OUT, "utf-8")
    session = open_session(f"sqlite:///{erp}", str(catalog))
    with pytest.raises(TieOutError, match=r"counts invoice \d+ (twice|three times)"):
        session.run("billed", {})
    assert last_record(session) == ("error", "tie_out")


def test_the_log_and_the_source_may_not_be_one_file(open_session: Open, erp: Path, tmp_path: Path) -> None:
    os.link(erp, tmp_path / "log.db")
    session = open_session(f"sqlite:///{erp}")
    with pytest.raises((UsageError, LogUnavailable)):
        session.run(*CALL)


def test_no_record_no_answer(erp: Path, tmp_path: Path) -> None:
    """As a user who may not write the log's folder; root may write anywhere."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    shutil.copy(erp, folder / "erp.db")
    folder.chmod(0o555)
    outcome = _ask_as_nobody(folder)
    folder.chmod(0o755)
    assert outcome.returncode == 3, outcome.stderr
    assert outcome.stdout == ""
    assert "log" in outcome.stderr.lower()
    assert "Traceback" not in outcome.stderr


def _ask_as_nobody(folder: Path) -> subprocess.CompletedProcess[str]:
    environ = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": f"sqlite:///{folder}/erp.db",
        "PROVENANCE_DB": f"{folder}/log.db",
        "FOOTNOTE_CACHE": f"{folder}/cache",
        "PROVENANCE_ACTOR": "nobody",
    }
    command = [sys.executable, "-m", "footnote", "ask", "How much does Bergmann owe?"]
    as_nobody = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    for parent in [folder, *folder.parents][:-1]:
        if as_nobody and parent.stat().st_uid == 0:
            parent.chmod(parent.stat().st_mode | 0o055)
    return subprocess.run([*as_nobody, *command], capture_output=True, text=True, env=environ, check=False, timeout=60)


def _sample() -> str:
    from footnote.catalog.load import find_catalog

    return find_catalog("sample").read_text("utf-8")


_HEAD = """
catalog: test
version: 1
source: {url: "${DATABASE_URL}", dialect: sqlite, timeout: 200ms}
records:
"""

SLOW = (
    _HEAD
    + """
  number: {table: numbers, key: [id], label: "{id}", fields: {id: {type: integer}}}
operations:
  slow:
    title: Slow
    description: Takes long.
    statements:
      count:
        shape: one
        grain: number
        statement: |
          SELECT COUNT(*) AS rows FROM numbers a JOIN payments b ON a.id + b.id > 0 JOIN bills c ON b.id + c.id > 0
        columns: {rows: {type: count}}
    answer: "{rows}"
"""
)

FAN_OUT = (
    _HEAD
    + """
  invoice:
    table: invoices
    key: [id]
    label: "{number}"
    fields: {number: {type: text}, currency: {type: text}}
operations:
  billed:
    title: Billed
    description: Counts invoices once a payment.
    statements:
      totals:
        shape: one
        grain: invoice
        statement: |
          SELECT i.currency, SUM(i.amount_cents) AS billed
          FROM invoices i JOIN payments p ON p.invoice_id = i.id GROUP BY i.currency
        columns:
          currency: {type: text, hidden: true}
          billed: {type: money, minor_units: true, currency: {column: currency}}
    answer: "{billed}"
"""
)


def test_every_error_of_a_call_carries_its_record(open_session: Open, erp: Path) -> None:
    session = open_session(f"sqlite:///{erp}")
    for operation, arguments in (
        ("nothing", {}),
        ("getOverdueInvoices", {}),
        ("getOverdueInvoices", {"customer": "x"}),
    ):
        with pytest.raises(FootnoteError) as caught:
            session.run(operation, arguments)
        assert session.log.get(caught.value.details["record"]["sequence"]).kind == "refusal"
    assert session.log.verify().ok
