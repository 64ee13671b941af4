"""`footnote evidence`: the rows behind a recorded figure on a terminal and for programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def recorded(tmp_path: Path) -> dict[str, str]:
    """The environment of a log with one result and its answer."""
    environ = os.environ | {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
    footnote(environ, "run", "getOverdueInvoices", "-p", "customer=Bergmann")
    return environ


def footnote(environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "footnote", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)


def test_figures_are_listed_and_a_figure_is_paged(recorded: dict[str, str]) -> None:
    listed = footnote(recorded, "evidence", "2")  # the answer; its result is record 1
    assert "totals.totalOutstanding: 43.805,00 € (sum, 4 rows)" in listed.stdout.replace("\xa0", " ")
    page = footnote(recorded, "evidence", "1", "totals.totalOutstanding", "--size", "3", "--page", "2")
    assert page.returncode == 0
    assert "7.330,00 €  INV-2026-8977  erp://invoice/8977" in page.stdout.replace("\xa0", " ")
    assert "Page 2 of 2." in page.stdout
    told = json.loads(
        footnote(recorded, "evidence", "1", "totals.totalOutstanding", "--search", "8901", "--json").stdout
    )
    assert [row["label"] for row in told["rows"]] == ["INV-2026-8901"]
    assert (told["matched"], told["total"], told["same"]) == (1, 4, True)


def test_what_is_not_there_is_said(recorded: dict[str, str]) -> None:
    unknown = footnote(recorded, "evidence", "1", "totals.profit")
    assert unknown.returncode != 0
    assert "There are: " in unknown.stderr
    assert footnote(recorded, "evidence", "99").returncode != 0
    assert footnote(recorded, "evidence", "1", "totals.invoiceCount", "--page", "0").returncode == 2
