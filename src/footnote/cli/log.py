"""The command over the log: `verify`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footnote.cli.group import JSON, main, print_json
from footnote.errors import UsageError, counted

if TYPE_CHECKING:
    from footnote.provenance import Known, Verification

BAR = 24
"""Characters of the bar that shows progress."""


@main.command()
@click.option("--export", "export_file", type=click.Path(path_type=Path), help="Verify an export; no log is needed.")
@click.option(
    "--since",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A checkpoint that you kept: the log must have all it covers, unchanged. May be repeated.",
)
@click.option(
    "--key",
    "keys",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A file with the log's public key, had from somebody who vouches for it. Without it, signatures are UNPINNED.",
)
@click.option(
    "--tsa-certificate",
    "authorities",
    type=click.Path(path_type=Path),
    multiple=True,
    envvar="FOOTNOTE_TSA_CERTIFICATE",
    show_envvar=True,
    help="A file with the root certificate (PEM) of a time-stamping authority. Without it, nobody knows who stamped.",
)
@click.option("--leaves-only", is_flag=True, help="Leave what was recorded aside: quicker, and says less.")
@JSON
def verify(
    export_file: Path | None,
    since: tuple[Path, ...],
    keys: tuple[Path, ...],
    authorities: tuple[Path, ...],
    leaves_only: bool,
    as_json: bool,
) -> None:
    """Verify the log: every hash, link, section, root and signature. Exit code 1 if it does not hold."""
    from footnote.audit.verifying import known_from

    known = known_from(keys, since, authorities)
    if export_file is not None:
        if leaves_only:
            raise UsageError("--leaves-only is for a log.", remedy="Leave it out: an export is verified as a whole.")
        from footnote.audit.bundle_verify import verify_file

        outcome = _with_progress(as_json, lambda progress: verify_file(export_file, known=known, progress=progress))
        subject = str(export_file)
    else:
        outcome, subject = _verified(known, leaves_only, as_json)
    if as_json:
        print_json(outcome.as_dict())
    else:
        _tell(subject, getattr(outcome, "records", outcome))
        _tell_checkpoint(outcome.as_dict())
    sys.exit(0 if outcome.ok else 1)


def _verified(known: Known, leaves_only: bool, as_json: bool) -> tuple[Verification, str]:
    from footnote.audit.verifying import verify_log
    from footnote.provenance.apart import further_processes
    from footnote.settings import read_settings

    how = read_settings(os.environ).checkpoints
    log, subject = open_log()
    with log:

        def work(progress: Callable[[int, int], None] | None) -> Verification:
            further = further_processes()
            return verify_log(log, known, how, leaves_only=leaves_only, processes=further, progress=progress)

        return _with_progress(as_json, work), subject


def _tell(subject: str, outcome: Verification) -> None:
    if not outcome.ok:
        click.echo(f"✗ {subject}: {outcome.reason}" + (f" ({outcome.kind})" if outcome.kind else ""))
    else:
        what = counted(outcome.count, "record verifies", "records verify")
        if outcome.leaves_only:
            what = f"{counted(outcome.count, 'leaf verifies', 'leaves verify')}; what was recorded was not looked at"
        click.echo(f"✓ {subject}: {what}.")
    if outcome.pruned:
        click.echo(
            f"  {counted(outcome.pruned, 'record before them was', 'records before them were')} pruned; their export verifies by itself."
        )
    if outcome.erased:
        said = counted(outcome.erased, "part was erased, and a record says", "parts were erased, and records say")
        click.echo(f"  {said} so.")
    if outcome.anchored:
        click.echo(f"  {outcome.anchored}{' (--key)' if outcome.signed == 'unpinned' else ''}.")
    if outcome.stamps:
        option = " (--tsa-certificate)" if outcome.stamps.unchecked == "no certificate" else ""
        click.echo(f"  {outcome.stamps.text.removesuffix('.')}{option}.")
    for remark in outcome.remarks:
        click.echo(f"  {remark}")


def _tell_checkpoint(told: dict[str, Any]) -> None:
    """What a bundle is anchored in."""
    if not told["ok"] or not told.get("checkpoint"):
        return
    proved, size = told["proved"], told["checkpoint"]
    click.echo(f"  {proved:,} of them {'is' if proved == 1 else 'are'} in the checkpoint of {counted(size, 'record')}.")
    signature = {
        "pinned": "It is signed by the key that was given.",
        "UNPINNED": "It is signed by the key in the bundle, which is UNPINNED: compare that key with one from elsewhere.",
        "none": "Who signed it is not known: the bundle has no public key.",
    }
    click.echo(f"  {signature[told['signature']]}")
    if told["sampleDrawnAgain"]:
        click.echo("  The sample was drawn again from its population and seed, and is the one exported.")


def _with_progress(as_json: bool, work: Callable[[Callable[[int, int], None] | None], Any]) -> Any:
    if as_json or not sys.stderr.isatty():
        return work(None)
    try:
        return work(_show)
    finally:
        click.echo("\r\033[K", nl=False, err=True)


def _show(done: int, total: int) -> None:
    filled = BAR * done // total if total else 0
    share = f" {'█' * filled}{'·' * (BAR - filled)} {100 * done // total:3} %" if total else ""
    click.echo(f"\r{share} {done:,} records …", nl=False, err=True)


def open_log() -> tuple[Any, str]:
    """The log for reading; none is made."""
    from footnote.provenance import Log
    from footnote.settings import read_settings

    path = read_settings(os.environ).provenance_db
    return Log.open(path, readonly=True), str(path)
