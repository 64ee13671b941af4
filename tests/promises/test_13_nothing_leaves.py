"""Promise 13: no network connection except those the operator configured.

A whole session on the embedded sample runs in a process in which every socket that is not a local pipe is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import socket

real_connect = socket.socket.connect

def refuse(self, address):
    raise AssertionError(f"a connection to {address}")

socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.getaddrinfo = lambda *a, **k: (_ for _ in ()).throw(AssertionError(f"a look-up of {a[:1]}"))

import footnote

with footnote.open("sample", database_url="sample") as session:
    for question in ("How much does Bergmann owe?", "Is Bergmann Logistik at risk?", "Show me the receivables aging"):
        session.ask(question)
    assert session.log.verify().ok
print("done")
"""

COMMANDS = """
from click.testing import CliRunner

from footnote.cli import main

FACT = "The standard lead time is fifteen Business Days from confirmation of the Order."
for line in (
    ["run", "getOverdueInvoices", "-p", "customer=Bergmann"],
    ["check"], ["check", "--lineage"], ["mcp", "--json"],
    ["documents", "verify", FACT], ["documents", "search", "lead time"], ["documents", "list"],
    ["evidence", "1", "totals.totalOutstanding"], ["reperform", "1"], ["proof", "1", "--output", "proof.json"],
    ["keys", "show"], ["verify"], ["export", "--output", "log.json"], ["verify", "--export", "log.json"],
    *(["export", "--format", kind, "--output", f"log.{kind}"] for kind in ("bundle", "xlsx", "html", "prov", "openlineage")),
    ["erase", "--record", "1", "--reason", "asked for", "--yes"],
):
    ran = CliRunner().invoke(main, line)
    assert ran.exit_code == 0, (line, ran.output, ran.stderr)
print("commands done")
"""


def test_a_session_on_the_sample_opens_no_connection(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "FOOTNOTE_CACHE": str(tmp_path), "PROVENANCE_DB": str(tmp_path / "log.db")}
    outcome = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environ, check=False, timeout=120
    )
    assert outcome.stdout == "done\n", outcome.stderr


def test_no_command_opens_a_connection_unasked(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "FOOTNOTE_CACHE": str(tmp_path), "PROVENANCE_DB": str(tmp_path / "log.db")}
    environ |= {"FOOTNOTE_KEY": str(tmp_path / "key.pem"), "HOME": str(tmp_path)}
    watched = SCRIPT.partition("import footnote")[0]
    outcome = subprocess.run(
        [sys.executable, "-c", watched + COMMANDS],
        capture_output=True,
        text=True,
        env=environ,
        cwd=tmp_path,
        check=False,
        timeout=300,
    )
    assert outcome.stdout == "commands done\n", outcome.stderr


def test_the_watch_sees_a_connection(tmp_path: Path) -> None:
    script = SCRIPT.replace('database_url="sample"', 'database_url="postgresql://x@127.0.0.1:1/x"')
    script = script.replace("session.ask(question)", "socket.create_connection(('127.0.0.1', 1))")
    environ = {"PATH": os.environ["PATH"], "FOOTNOTE_CACHE": str(tmp_path), "PROVENANCE_DB": str(tmp_path / "log.db")}
    outcome = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environ, check=False, timeout=120
    )
    assert "AssertionError" in outcome.stderr
    assert outcome.stdout == ""
