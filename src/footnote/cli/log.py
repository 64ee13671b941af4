"""The command over the log: `verify`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from footnote.cli.group import JSON, main, print_json


@main.command()
@click.option("--export", "export_file", type=click.Path(path_type=Path), help="Verify an export; no log is needed.")
@JSON
def verify(export_file: Path | None, as_json: bool) -> None:
    """Verify the log: every hash, link and section. Exit code 1 if it does not hold."""
    if export_file is not None:
        from footnote.audit.offline import verify_export

        outcome = _with_progress(as_json, lambda progress: verify_export(export_file, progress=progress))
        subject = str(export_file)
    else:
        log, subject = open_log()
        with log:
            outcome = _with_progress(as_json, log.verify)
    if as_json:
        print_json(outcome.as_dict())
    elif outcome.ok:
        click.echo(f"✓ {subject}: {outcome.count:,} records verify.")
    else:
        click.echo(f"✗ {subject}: {outcome.reason}")
    sys.exit(0 if outcome.ok else 1)


def _with_progress(as_json: bool, work: Callable[[Callable[[int, int], None] | None], Any]) -> Any:
    if as_json or not sys.stderr.isatty():
        return work(None)
    outcome = work(lambda done, total: click.echo(f"\r{done:,} of {total:,} records …", nl=False, err=True))
    click.echo("\r" + " " * 40 + "\r", nl=False, err=True)
    return outcome


def open_log() -> tuple[Any, str]:
    """The log for reading; none is made."""
    from footnote.provenance import Log
    from footnote.settings import read_settings

    path = read_settings(os.environ).provenance_db
    return Log.open(path, readonly=True), str(path)
