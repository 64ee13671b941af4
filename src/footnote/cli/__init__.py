"""The command line: `footnote demo | mcp | serve | run | ask | check | verify | export | erase | retain`. Thin; every command has `--json`.

A module holds the commands of one kind of user; importing it adds them to the group. What a command needs that is heavy
is imported when the command runs.
"""

from footnote.cli import (
    auditing,
    checking,
    documents,
    drafting,
    evidence,
    hosts,
    keys,
    log,
    proof,
    questions,
    retention,
    witness,
)
from footnote.cli.group import FAULT, main

__all__ = [
    "FAULT",
    "main",
    "auditing",
    "checking",
    "documents",
    "drafting",
    "evidence",
    "hosts",
    "keys",
    "log",
    "proof",
    "questions",
    "retention",
    "witness",
]
