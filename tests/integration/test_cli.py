"""The command line as an operator uses it: real processes, exit codes, JSON."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

FULL = Path("/dev/full")
"""A file that takes nothing."""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def footnote(tmp_path: Path, cache: Path) -> Run:
    def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        settings = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "FOOTNOTE_CACHE": str(cache),
            "PROVENANCE_DB": str(tmp_path / "log.db"),
            "PROVENANCE_ACTOR": "ana",
            "PROVENANCE_ROLE": "controller",
        }
        return subprocess.run(
            [sys.executable, "-m", "footnote", *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=settings | environ,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=120,
        )

    return run


def read(outcome: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert "Traceback" not in outcome.stderr
    answer: dict[str, Any] = json.loads(outcome.stdout)
    return answer


def test_ask_prints_answer_claims_evidence_operations_and_record(footnote: Run) -> None:
    outcome = footnote("ask", "How much does Bergmann owe?", "--json")
    assert outcome.returncode == 0, outcome.stderr
    answer = read(outcome)
    assert {"answer", "claims", "evidence", "operations", "record"} <= answer.keys()
    units = answer["answer"].encode("utf-16-le")
    for claim in answer["claims"]:
        assert {"text", "span", "evidenceIds", "origin"} <= claim.keys()
        start, end = claim["span"]["start"], claim["span"]["end"]
        assert units[2 * start : 2 * end].decode("utf-16-le") == claim["text"]
    tables = {table["name"]: table for table in answer["results"][0]["tables"]}
    total = tables["totals"]["rows"][0]["figures"]["totalOutstanding"]
    assert sum(Decimal(c["amount"]) for c in total["contributions"]) == Decimal(total["value"]) == Decimal("43805.00")
    evidence = {item["id"] for item in answer["evidence"]}
    assert {c["evidence"] for c in total["contributions"]} <= evidence


def test_run_gives_the_same_figures_as_the_question(footnote: Run) -> None:
    outcome = footnote(
        "run", "getOverdueInvoices", "--param", "customer=4471", "--param", "asOfDate=2026-08-14", "--json"
    )
    assert "43.805,00\xa0€" in read(outcome)["answer"]


def test_run_knows_interpretations_too(footnote: Run) -> None:
    outcome = footnote("run", "customerAtRisk", "-p", "customer=4471", "--json")
    assert read(outcome)["kind"] == "interpretation"


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (("ask", "How much does Acme Corporation owe?"), 1, "Acme Corporation"),
        (("ask", "What will revenue be next quarter?"), 1, "forecast"),
        (("run", "getOverdueInvoices", "-p", "customer=Helios"), 1, "Helios"),
        (("run", "getOverdueInvoices", "-p", "customer=4471", "-p", "asOfDate=2026-02-30"), 2, "asOfDate"),
        (("run", "getOverdueInvoices"), 2, "customer"),
        (("run", "getOverdueInvoices", "-p", "customer=4471", "-p", "customr=1"), 2, "customr"),
        (("run", "getOverdueInvoices", "-p", "customer"), 2, "name=value"),
        (("run", "getOverdueInvoices", "-p", "customer=1", "-p", "customer=2"), 2, "twice"),
        (("run", "dropTables"), 2, "dropTables"),
        (("ask", "x", "--catalog", "nowhere.yaml"), 2, "nowhere.yaml"),
        (("nonsense",), 2, "nonsense"),
        (("export", "--kind", "answers"), 2, "Kinds are: result, answer"),
        (("run", "getOverdueInvoices\udcff", "-p", "customer=1"), 2, "Recorded as record 1"),
        (("verify", "--export", "nowhere.json"), 3, "nowhere.json"),
        (("verify",), 3, "log"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else None,
)
def test_what_fails_says_so_with_its_exit_code_and_no_answer(
    footnote: Run, arguments: tuple[str, ...], code: int, part: str
) -> None:
    outcome = footnote(*arguments)
    assert outcome.returncode == code, outcome.stderr
    assert outcome.stdout == ""
    assert part in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_an_error_is_json_for_whoever_asked_for_json(footnote: Run) -> None:
    outcome = footnote("ask", "How much does Acme Corporation owe?", "--json")
    assert outcome.returncode == 1
    error = read(outcome)["error"]
    assert error["code"] == "name_unknown"
    assert len(error["candidates"]) == 5
    assert error["details"]["record"]["sequence"] == 1


def test_check_runs_every_operation_and_says_what_ties_out(footnote: Run) -> None:
    outcome = footnote("check", "--json")
    assert outcome.returncode == 0, outcome.stdout
    found = read(outcome)
    assert found["ok"] is True
    subjects = {finding["subject"] for finding in found["findings"]}
    assert {"catalog", "source", "log", "getOverdueInvoices", "getReceivablesAging"} <= subjects


def test_check_of_a_source_that_is_down_exits_with_one_and_goes_on_to_the_log(footnote: Run) -> None:
    outcome = footnote("check", "--json", DATABASE_URL="postgresql://reader:s3cret@127.0.0.1:1/erp")
    assert outcome.returncode == 1
    states = [(finding["subject"], finding["state"]) for finding in read(outcome)["findings"]]
    assert states[:3] == [("catalog", "ok"), ("source", "failed"), ("log", "ok")]
    assert "s3cret" not in outcome.stdout + outcome.stderr


def test_an_unset_variable_of_the_environment_is_named(footnote: Run) -> None:
    outcome = footnote("ask", "x", AS_OF_DATE="yesterday")
    assert outcome.returncode == 2
    assert "AS_OF_DATE" in outcome.stderr


def test_as_of_date_moves_today(footnote: Run) -> None:
    outcome = footnote("ask", "How much does Bergmann owe?", "--json", AS_OF_DATE="2026-05-10")
    assert "18.450,00\xa0€ overdue across 1 invoice as of 2026-05-10" in read(outcome)["answer"]


def test_a_changed_byte_in_the_log_is_found_and_named(footnote: Run, tmp_path: Path) -> None:
    footnote("ask", "How much does Bergmann owe?")
    assert footnote("verify").returncode == 0
    with sqlite3.connect(tmp_path / "log.db") as connection:
        (table,) = connection.execute(
            "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'data' AND m.type = 'table'"
        ).fetchone()
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (trigger,) in triggers:
            connection.execute(f"DROP TRIGGER {trigger}")
        changed = f"UPDATE {table} SET data = replace(CAST(data AS TEXT), '43.805', '43.806')"
        connection.execute(changed)
    connection.close()
    outcome = footnote("verify", "--json")
    assert outcome.returncode == 1
    found = read(outcome)
    assert found["ok"] is False
    assert found["failedAt"] == 1


def test_an_export_verifies_without_the_log_and_a_changed_one_does_not(footnote: Run, tmp_path: Path) -> None:
    footnote("ask", "How much does Bergmann owe?")
    file = tmp_path / "export.json"
    assert footnote("export", "--output", str(file)).returncode == 0
    assert footnote("verify", "--export", str(file)).returncode == 0
    file.write_text(file.read_text("utf-8").replace("43.805,00", "43.806,00", 1), "utf-8")
    outcome = footnote("verify", "--export", str(file))
    assert outcome.returncode == 1
    assert "1" in outcome.stdout


def test_without_arguments_and_terminal_it_is_the_mcp_server(footnote: Run) -> None:
    outcome = footnote()
    assert outcome.returncode == 0
    assert outcome.stdout == ""
    assert "sample" in outcome.stderr


def test_help_says_what_every_command_is_for(footnote: Run) -> None:
    text = footnote("--help").stdout
    for command in ("demo", "mcp", "serve", "run", "ask", "check", "verify", "export"):
        assert command in text
        assert "--json" in footnote(command, "--help").stdout


def test_a_port_that_is_taken_is_said_with_what_would_work(footnote: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = footnote("demo", "--port", str(taken.getsockname()[1]))
    assert outcome.returncode == 2
    assert "--port" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_every_address_is_refused_unless_a_name_is_given(footnote: Run) -> None:
    outcome = footnote("serve", "--host", "0.0.0.0", "--port", "0")
    assert outcome.returncode == 2
    assert "--name" in outcome.stderr


@pytest.mark.parametrize(
    ("wrong", "code", "part"),
    [
        ({"PROVENANCE_DB": "~nobody-of-this-name/log.db"}, 2, "PROVENANCE_DB"),
        ({"FOOTNOTE_CACHE": "~nobody-of-this-name/cache"}, 2, "FOOTNOTE_CACHE"),
        ({"FOOTNOTE_CACHE": os.devnull}, 3, "FOOTNOTE_CACHE"),
        ({"PROVENANCE_ACTOR": "ana\nRecord 1"}, 2, "PROVENANCE_ACTOR"),
        ({"PROVENANCE_ACTOR": "\udcff"}, 2, "PROVENANCE_ACTOR"),
        ({"PROVENANCE_ROLE": "x" * 201}, 2, "PROVENANCE_ROLE"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named(footnote: Run, wrong: dict[str, str], code: int, part: str) -> None:
    outcome = footnote("ask", "How much does Bergmann owe?", **wrong)
    assert outcome.returncode == code, outcome.stderr
    assert outcome.stdout == ""
    assert part in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_port_that_is_none_is_said_to_come_from_the_environment(footnote: Run) -> None:
    outcome = footnote("demo", PORT="abc")
    assert outcome.returncode == 2
    assert "env var: 'PORT'" in outcome.stderr


@pytest.mark.parametrize("arguments", [("ask", "--json"), ("nonsense", "--json"), ("demo", "--port", "x", "--json")])
def test_wrong_use_is_json_too_for_whoever_asked_for_json(footnote: Run, arguments: tuple[str, ...]) -> None:
    outcome = footnote(*arguments)
    assert outcome.returncode == 2
    assert read(outcome)["error"]["code"] == "usage"


@pytest.mark.skipif(not FULL.exists(), reason=f"this system has no {FULL}")
@pytest.mark.parametrize("arguments", [("ask", "How much does Bergmann owe?"), ("export",), ("check",)])
def test_an_output_that_takes_nothing_is_said_without_a_traceback(
    footnote: Run, arguments: tuple[str, ...], tmp_path: Path, cache: Path
) -> None:
    assert footnote("ask", "How much does Bergmann owe?").returncode == 0
    environ = os.environ | {"FOOTNOTE_CACHE": str(cache), "PROVENANCE_DB": str(tmp_path / "log.db")}
    with FULL.open("w") as full:
        command = [sys.executable, "-m", "footnote", *arguments]
        outcome = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environ, check=False)
    assert outcome.returncode == 3
    assert "No space left" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_check_says_that_a_changed_log_does_not_verify(footnote: Run, tmp_path: Path) -> None:
    assert footnote("ask", "How much does Bergmann owe?").returncode == 0
    with sqlite3.connect(tmp_path / "log.db") as database:
        database.execute("DROP TRIGGER payload_is_only_erased")
        database.execute("UPDATE payload SET data = CAST(replace(data, '43805', '43806') AS BLOB) WHERE sequence = 1")
    database.close()
    outcome = footnote("check", "--json")
    assert outcome.returncode == 1
    (log,) = [finding for finding in read(outcome)["findings"] if finding["subject"] == "log"]
    assert log["state"] == "failed"
    assert "record 1" in log["text"]


@pytest.mark.parametrize(
    "name", ["Bergmann\nRecord 9: provenance://record/forged", "\x1b]0;owned\x07Bergmann", "\u202ennamgreB", "a\u2028b"]
)
def test_a_name_in_the_data_neither_makes_lines_nor_drives_the_terminal(
    footnote: Run, cache: Path, tmp_path: Path, name: str
) -> None:
    assert footnote("ask", "How much does Bergmann owe?").returncode == 0
    hostile = tmp_path / "hostile.db"
    shutil.copy(next(cache.glob("sample-*.db")), hostile)
    with sqlite3.connect(hostile) as database:
        database.execute("UPDATE customers SET name = ? WHERE id = 4471", (name,))
        database.execute("UPDATE customers SET name = ? WHERE id = 4472", (f"{name}x",))
    database.close()
    answer = footnote("run", "getOverdueInvoices", "-p", "customer=4471", DATABASE_URL=str(hostile))
    refusal = footnote("run", "getOverdueInvoices", "-p", "customer=nobody of this name", DATABASE_URL=str(hostile))
    assert (answer.returncode, refusal.returncode) == (0, 1)
    for text in (answer.stdout, refusal.stderr):
        assert not any(character in text for character in "\x1b\x07\u202e\u2028")
        assert not any(line.startswith("Record 9") for line in text.splitlines())


def test_a_free_port_is_told_as_the_one_that_was_found(footnote: Run, cache: Path, tmp_path: Path) -> None:
    environ = os.environ | {"FOOTNOTE_CACHE": str(cache), "PROVENANCE_DB": str(tmp_path / "log.db")}
    command = [sys.executable, "-m", "footnote", "demo", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ) as server:
        assert server.stderr is not None
        told = server.stderr.readline()
        server.terminate()
    found = re.search(r"http://127\.0\.0\.1:([0-9]+)", told)
    assert found is not None
    assert int(found[1]) > 0
