"""`footnote check --lineage`: every statement of the sample traced and replayed; what does not hold is exit code 1."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CATALOG = """
catalog: lines
version: 1
source: {{url: "${{DATABASE_URL}}", dialect: sqlite}}
records:
  line: {{table: lines, key: [id], label: "{{id}}", fields: {{id: {{type: integer}}, worth: {{type: integer}}}}}}
operations:
  total:
    title: t
    description: d
    parameters: []
    answer: "{{total}}"
    statements:
      s:
        shape: one
        grain: line
        statement: SELECT SUM(lines.worth) AS total FROM lines {join}
        columns: {{total: {{type: integer}}}}
"""


def footnote(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    variables = {"FOOTNOTE_CACHE": str(folder / "cache"), "PROVENANCE_DB": str(folder / "log.db")} | environ
    command = [sys.executable, "-m", "footnote", "check", "--lineage", *arguments]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=120, check=False)


def checked(folder: Path, join: str) -> tuple[int, dict[str, Any]]:
    with sqlite3.connect(folder / "lines.db") as connection:
        connection.executescript(
            "CREATE TABLE lines (id INTEGER PRIMARY KEY, worth INTEGER);"
            "CREATE TABLE more (id INTEGER PRIMARY KEY, line INTEGER);"
            "INSERT INTO lines VALUES (1, 5), (2, -3); INSERT INTO more VALUES (1, 1), (2, 1);"
        )
    connection.close()
    (folder / "lines.yaml").write_text(CATALOG.format(join=join), encoding="utf-8")
    url = f"sqlite:///{folder / 'lines.db'}"
    ran = footnote(folder, "--json", "--catalog", str(folder / "lines.yaml"), DATABASE_URL=url)
    return ran.returncode, json.loads(ran.stdout)


def test_every_statement_of_the_sample_is_traced_and_replayed(tmp_path: Path) -> None:
    ran = footnote(tmp_path, "--json")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["ok"]) == (0, True)
    statements = [statement for operation in told["operations"] for statement in operation["statements"]]
    aggregated = [statement for statement in statements if statement["witness"]]
    assert len(aggregated) > 10
    assert {statement["replay"] for statement in aggregated} <= {"equal", "not done"}
    assert sum(statement["replay"] == "equal" for statement in aggregated) > 10
    assert all(statement["why"] for statement in statements if statement["replay"] == "not done")
    assert not (tmp_path / "log.db").exists() or footnote(tmp_path).returncode == 0


def test_people_read_grain_figures_and_witness(tmp_path: Path) -> None:
    text = footnote(tmp_path).stdout
    assert "totals: one row of invoice is one contribution" in text
    assert "totalOutstanding: sum recomputed from the rows, compared with the engine's" in text
    assert "witness: SELECT" in text


@pytest.mark.parametrize(("join", "code"), [("", 0), ("LEFT JOIN more ON more.line = lines.id", 1)])
def test_a_join_that_counts_a_row_twice_fails_the_check(tmp_path: Path, join: str, code: int) -> None:
    ended, told = checked(tmp_path, join)
    assert ended == code
    (operation,) = told["operations"]
    if code:
        assert "counts line 1 twice" in operation["text"]
    else:
        (statement,) = operation["statements"]
        assert (statement["size"], statement["replay"], statement["grain"]) == (2, "equal", "line")
