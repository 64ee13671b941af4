"""The commands that end something's being there: `erase`, and `retain show | hold | release | prune | import`."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footnote.cli.group import JSON, main, print_json
from footnote.errors import UsageError, counted

if TYPE_CHECKING:
    from footnote.provenance import Log
    from footnote.settings import Settings

SHOWN = 20
"""Records that a dry run lists for people; with --json it lists all."""

REASON = click.option("--reason", required=True, help="Why; it is recorded.")


@main.command()
@click.option("--subject", help="All that names it: an evidence id such as customer:14, or actor:NAME.")
@click.option("--record", help="All that one record holds: its sequence, id, or the first digits of its id.")
@click.option("--row", help="Rows of evidence of this id alone; with --record, those of that record.")
@click.option("--reason", default="", help="Why; it is recorded. Not needed for a dry run.")
@click.option("--yes", is_flag=True, help="Do it. Without this, only list what would go.")
@JSON
def erase(subject: str | None, record: str | None, row: str | None, reason: str, yes: bool, as_json: bool) -> None:
    """Destroy what the log holds about somebody; the log still verifies, and says that it was done."""
    from footnote.audit.erase import erase as erase_parts

    settings = _settings()
    with _open(settings, writing=yes) as log:
        told, paths = _meant(log, subject, record, row)
        if not yes:
            _tell_plan(told, paths, as_json)
            return
        done = erase_parts(log, paths, actor=settings.actor, reason=reason)
    told |= {"record": done.receipt.as_dict(), "scrubbed": done.scrubbed}
    if as_json:
        print_json(told)
        return
    click.echo(f"Erased {_parts(told, paths)}; record {done.receipt.sequence} says so.")
    click.echo("Back-ups, and exports that were handed out, are copies that nobody can reach from here.")
    if not done.scrubbed:
        click.echo("The log is being read, so the file still has traces; they go when `footnote erase` is next run.")


def _meant(log: Log, subject: str | None, record: str | None, row: str | None) -> tuple[dict[str, Any], Any]:
    from footnote.audit.erase import parts_of_record
    from footnote.audit.subject import Subject, find_rows, find_subject

    if subject is not None and (record is not None or row is not None):
        raise UsageError("--subject stands alone.", remedy="Leave --record and --row out.")
    more: dict[str, Any] = {}
    if subject is not None:
        found = find_subject(log, Subject.parse(subject))
        paths: dict[int, list[str]] = found.paths
        more = {"labels": sorted(found.labels), "possible": found.possible}
    elif row is not None:
        paths = find_rows(log, row, None if record is None else iter([log.get(record).sequence]))
    elif record is not None:
        paths = parts_of_record(log, record)
    else:
        raise UsageError("Nothing is named to erase.", remedy="Give --subject, --record or --row.")
    erased = [{"sequence": sequence, "paths": names} for sequence, names in paths.items()]
    return {"parts": sum(map(len, paths.values())), "erased": erased} | more, paths


def _parts(told: dict[str, Any], paths: dict[int, list[str]]) -> str:
    return f"{counted(told['parts'], 'part')} of {counted(len(paths), 'record')}"


def _tell_plan(told: dict[str, Any], paths: dict[int, list[str]], as_json: bool) -> None:
    if as_json:
        print_json(told | {"dryRun": True})
        return
    click.echo(f"Would erase {_parts(told, paths)}. Nothing was changed.")
    for sequence, names in list(paths.items())[:SHOWN]:
        click.echo(f"  record {sequence}: {', '.join(names)}")
    if len(paths) > SHOWN:
        click.echo(f"  … and {counted(len(paths) - SHOWN, 'record')} more; --json lists all.")
    if told.get("possible"):
        possible = told["possible"]
        numbers = ", ".join(map(str, possible[:SHOWN])) + (" …" if len(possible) > SHOWN else "")
        what = "Look at it; --record erases all of it." if len(possible) == 1 else "Look at them; --record erases one."
        records = "record" if len(possible) == 1 else "records"
        click.echo(f"A word of its name, or its key, also stands in other parts of {records} {numbers}. {what}")
    if "possible" in told:
        click.echo("Free text that means it by other words cannot be found.")
    if paths:
        click.echo("To do it: --yes --reason WHY.")


@main.group()
def retain() -> None:
    """How long records are kept, what is held, what was pruned."""


@retain.command()
@click.option(
    "--years", type=click.IntRange(1, 200), default=10, show_default=True, help="Years that records are kept."
)
@JSON
def show(years: int, as_json: bool) -> None:
    """Show what is kept for how long, what is held, and what was pruned."""
    from footnote.audit.retain import state

    settings = _settings()
    with _open(settings, writing=False) as log:
        told = state(log, today=_today(), years=years)
    if as_json:
        print_json(told)
        return
    click.echo(f"Records are kept for {told['years']} years: those before {told['keptSince']} may be pruned.")
    click.echo(f"The log has {counted(told['records'], 'record')}; {told['prunable']:,} of them may be pruned.")
    if told["pruned"]:
        click.echo(
            f"{counted(told['pruned'], 'record was', 'records were')} pruned before; record {told['prunedBy']} says so."
        )
    for hold in told["holds"]:
        since, until = hold["from"], hold["to"]
        period = " ".join(filter(None, (since and f"from {since}", until and f"to {until}"))) or "everything"
        click.echo(f"Legal hold {hold['name']}: {period} (record {hold['sequence']}).")


@retain.command("hold")
@click.option("--name", required=True, help="What the hold is called.")
@click.option("--from", "since", default="", metavar="DATE", help="First day (UTC) that it covers.")
@click.option("--to", "until", default="", metavar="DATE", help="Last day (UTC) that it covers.")
@REASON
@JSON
def hold_command(name: str, since: str, until: str, reason: str, as_json: bool) -> None:
    """Put a legal hold on records: they are neither erased nor pruned until it is released."""
    from footnote.audit.retain import hold

    settings = _settings()
    with _open(settings, writing=True) as log:
        receipt = hold(log, name, since=since, until=until, actor=settings.actor, reason=reason)
    _tell_receipt(f"The legal hold {name} is in force", receipt, as_json)


@retain.command("release")
@click.option("--name", required=True, help="The hold's name.")
@REASON
@JSON
def release_command(name: str, reason: str, as_json: bool) -> None:
    """Release a legal hold."""
    from footnote.audit.retain import release

    settings = _settings()
    with _open(settings, writing=True) as log:
        receipt = release(log, name, actor=settings.actor, reason=reason)
    _tell_receipt(f"The legal hold {name} is released", receipt, as_json)


@retain.command("prune")
@click.option("--before", required=True, metavar="DATE", help="Prune records from before this day (UTC).")
@click.option(
    "--export", "export_file", required=True, type=click.Path(path_type=Path), help="The export that has them."
)
@click.option(
    "--years", type=click.IntRange(0, 200), default=10, show_default=True, help="Years that records are kept."
)
@click.option("--yes", is_flag=True, help="Do it. Without this, only say what would go.")
@REASON
@JSON
def prune_command(before: str, export_file: Path, years: int, yes: bool, reason: str, as_json: bool) -> None:
    """Take old records out of the log, in blocks of 256, once a verified export has them all."""
    from footnote.audit.retain import day, prunable, prune

    settings = _settings()
    limit = day(before, "--before")
    with _open(settings, writing=yes) as log:
        if not yes:
            told: dict[str, Any] = {"dryRun": True, "upto": prunable(log, limit)}
            shown = f"Would prune the records up to {told['upto']:,}. Nothing was changed. To do it: --yes."
            print_json(told) if as_json else click.echo(shown)
            return
        done = prune(log, limit, export_file, actor=settings.actor, reason=reason, today=_today(), years=years)
    if as_json:
        print_json({"upto": done.pruned.upto, "record": done.receipt.as_dict(), "scrubbed": done.scrubbed})
        return
    click.echo(f"Pruned the records up to {done.pruned.upto:,}; record {done.receipt.sequence} says so.")
    click.echo(f"Keep {export_file}: it is what is left of them.")


@retain.command("import")
@click.argument("export_file", type=click.Path(path_type=Path))
@JSON
def import_command(export_file: Path, as_json: bool) -> None:
    """Go on where another log ended: verify its EXPORT_FILE (also of format footnote/v0) and anchor its head."""
    from footnote.audit.continuing import anchor, head_of
    from footnote.provenance import Log

    settings = _settings()
    head = head_of(export_file)  # before a log is made, since this may be what a new one begins with
    with Log.open(settings.provenance_db, checkpoints=settings.checkpoints) as log:
        receipt = anchor(log, head, actor=settings.actor)
    _tell_receipt(f"The log continues {export_file}, which verifies", receipt, as_json)


def _tell_receipt(what: str, receipt: Any, as_json: bool) -> None:
    if as_json:
        print_json({"record": receipt.as_dict()})
    else:
        click.echo(f"{what}; record {receipt.sequence} says so.")


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()


def _settings() -> Settings:
    from footnote.settings import read_settings

    return read_settings(os.environ)


def _open(settings: Settings, *, writing: bool) -> Log:
    """The log that is there; none is made."""
    from footnote.provenance import Log

    found = Log.open(settings.provenance_db, readonly=True)
    if not writing:
        return found
    found.close()
    return Log.open(settings.provenance_db, checkpoints=settings.checkpoints)
