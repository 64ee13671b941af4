"""The commands over the log: `verify`, `export`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from footnote.cli.group import JSON, main, print_json
from footnote.errors import UsageError


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
        log, subject = _log()
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


@main.command()
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@click.option("--record", help="Only this record: its sequence, id, or the first digits of its id.")
@click.option("--after", type=click.IntRange(0), default=0, help="Only records behind this sequence.")
@click.option("--limit", type=click.IntRange(1), help="At most so many records.")
@click.option("--kind", "kinds", multiple=True, help="Only records of this kind; may be repeated.")
@click.option(
    "--json", "as_json", is_flag=True, help="The export is JSON; with --output, say what was written as JSON."
)
def export(
    output: Path | None, record: str | None, after: int, limit: int | None, kinds: tuple[str, ...], as_json: bool
) -> None:
    """Export the log as JSON that anyone can verify offline."""
    from footnote.audit.export import export_json, write_export
    from footnote.provenance import KINDS

    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"There is no kind of record {kind[:40]!a}.", remedy=f"Kinds are: {', '.join(KINDS)}.")
    log, _ = _log()
    with log:
        pieces = export_json(log, after=after, limit=limit, kinds=kinds or None, record=record)
        if output is None:
            for piece in pieces:
                click.echo(piece, nl=False)
            return
        write_export(output, pieces)
    told = {"file": str(output), "bytes": output.stat().st_size}
    if as_json:
        print_json(told)
    else:
        click.echo(f"Wrote {told['file']} ({told['bytes']:,} bytes). Verify it with: footnote verify --export {output}")


def _log() -> tuple[Any, str]:
    """The log for reading; none is made."""
    from footnote.provenance import Log
    from footnote.settings import read_settings

    path = read_settings(os.environ).provenance_db
    return Log.open(path, readonly=True), str(path)
