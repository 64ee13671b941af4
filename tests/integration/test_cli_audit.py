"""The commands of an auditor, as processes: files, exit codes, JSON."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footnote.connect.seed import seed_sqlite

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def erp(tmp_path: Path) -> Path:
    path = tmp_path / "erp.db"
    seed_sqlite(path)
    return path


@pytest.fixture
def footnote(tmp_path: Path, erp: Path) -> Run:
    def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        settings = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "HOME": str(tmp_path),
            "FOOTNOTE_CACHE": str(tmp_path / "cache"),
            "PROVENANCE_DB": str(tmp_path / "log.db"),
            "DATABASE_URL": f"sqlite:///{erp}",
            "PROVENANCE_ACTOR": "ana",
        }
        outcome = subprocess.run(
            [sys.executable, "-m", "footnote", *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=settings | environ,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=120,
            cwd=tmp_path,
        )
        assert "Traceback" not in outcome.stderr, outcome.stderr
        return outcome

    return run


def read(outcome: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(outcome.stdout)
    return answer


def test_reperform_ends_with_0_while_nothing_changed_and_with_1_when_something_did(footnote: Run, erp: Path) -> None:
    footnote("ask", "How much does Bergmann owe?")
    same = footnote("reperform", "2")
    assert same.returncode == 0, same.stderr
    assert same.stdout.startswith("✓ Record 1, getOverdueInvoices: 19 figures and 5 rows are the same now.")
    with closing(sqlite3.connect(erp)) as connection, connection:
        connection.execute("UPDATE invoices SET paid_cents = paid_cents + 100 WHERE id = 8834")
    changed = footnote("reperform", "2")
    assert changed.returncode == 1
    assert "43.805,00\u00a0€ then, 43.804,00\u00a0€ now" in changed.stdout
    assert "invoice:8834 (INV-2026-8834) changed: " in changed.stdout
    assert "paid 0,00\u00a0€ → 1,00\u00a0€" in changed.stdout
    told = read(footnote("reperform", "--sample", "5", "--seed", "17", "--json"))
    assert (told["ok"], told["sample"]["population"]["count"]) == (False, 1)
    assert told["outcomes"][0]["status"] == "different"
    assert footnote("verify").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("reperform",), "not said what"),
        (("reperform", "1", "--sample", "3"), "not said what"),
        (("reperform", "1", "--seed", "3"), "no sample"),
        (("reperform", "--sample", "3", "--seed", ""), "seed"),
        (("export", "--seed", "3"), "no sample"),
        (("export", "--from", "yesterday"), "no day"),
        (("export", "--record", "1", "--actor", "ana"), "One record"),
        (("export", "--kind", "invoice"), "no kind"),
    ],
)
def test_wrong_use_is_said_and_ends_with_2(footnote: Run, arguments: tuple[str, ...], says: str) -> None:
    footnote("ask", "How much does Bergmann owe?")
    outcome = footnote(*arguments)
    assert (outcome.returncode, says in outcome.stderr) == (2, True), outcome.stderr


def test_a_record_that_is_not_there_ends_with_1_and_a_log_that_is_not_there_with_3(footnote: Run) -> None:
    footnote("ask", "How much does Bergmann owe?")
    assert footnote("reperform", "99").returncode == 1
    assert footnote("export", PROVENANCE_DB="/nonexistent/log.db").returncode == 3


def test_a_sample_is_written_once_and_not_over_another_file(footnote: Run, tmp_path: Path) -> None:
    for customer in ("Bergmann", "4479", "4488"):
        footnote("run", "getOverdueInvoices", "-p", f"customer={customer}")
    command = ("export", "--kind", "answer", "--sample", "2", "--seed", "5", "-o", "sample.json")
    first = footnote(*command)
    assert "Drew 2 of 3 records with the seed 5." in first.stdout
    content = json.loads((tmp_path / "sample.json").read_text(encoding="utf-8"))
    assert len(content["records"]) == 2
    assert footnote("verify", "--export", "sample.json").returncode == 0
    second = footnote(*command)
    assert (second.returncode, "already" in second.stderr) == (2, True)
    assert footnote(*command, "--overwrite").returncode == 0


def test_a_new_log_may_begin_with_the_head_of_another(footnote: Run, tmp_path: Path) -> None:
    footnote("ask", "How much does Bergmann owe?")
    footnote("export", "--output", "old.json")
    new = {"PROVENANCE_DB": str(tmp_path / "new.db"), "FOOTNOTE_KEY": str(tmp_path / "new.key")}
    (tmp_path / "none.json").write_text("{}")
    assert footnote("retain", "import", "none.json", **new).returncode != 0
    assert not (tmp_path / "new.db").exists(), "what is no export makes no log"
    outcome = footnote("retain", "import", "old.json", **new)
    assert outcome.stdout == "The log continues old.json, which verifies; record 1 says so.\n", outcome.stderr
    assert footnote("verify", **new).stdout.startswith(f"✓ {tmp_path / 'new.db'}: 1 record verifies.")
