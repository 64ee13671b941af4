"""The command that checks an installation: `check`."""

from __future__ import annotations

import sys

import click

from footnote.cli.group import CATALOG, JSON, main, print_json, session_of
from footnote.serve.plain import one_line


@main.command()
@CATALOG
@JSON
def check(catalog: str | None, as_json: bool) -> None:
    """Check catalog, source and log, and run every operation once."""
    from footnote.connect.check import check as findings_of

    findings = []
    with session_of(catalog) as session:
        for finding in findings_of(session):
            findings.append(finding)
            if not as_json:
                mark = {"ok": "✓", "failed": "✗", "skipped": "–"}[finding.state]
                click.echo(f"{mark} {finding.subject}: {one_line(finding.text)}")
    ok = all(finding.state != "failed" for finding in findings)
    if as_json:
        print_json({"ok": ok, "findings": [finding.as_dict() for finding in findings]})
    sys.exit(0 if ok else 1)
