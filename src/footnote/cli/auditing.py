"""The commands of an auditor: `export`, `reperform`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footnote.cli.group import CATALOG, JSON, OVERWRITE, main, print_json, session_of
from footnote.cli.log import open_log
from footnote.errors import UsageError, counted
from footnote.serve.plain import one_line

if TYPE_CHECKING:
    from footnote.audit.reperform import Outcome

FORMATS = ("json", "bundle", "xlsx", "html", "prov", "openlineage")
VERIFIABLE = ("json", "bundle")
"""Formats that can be verified; the others are for reading and filing."""

MOST_SHOWN = 10
"""Differences of a kind that are shown; the record and the JSON have all."""


@main.command()
@click.option(
    "--format", "format", type=click.Choice(FORMATS), default="json", show_default=True, help="What to write."
)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@click.option("--record", help="Only this record: its sequence, id, or the first digits of its id.")
@click.option("--after", type=click.IntRange(0), default=0, help="Only records behind this sequence.")
@click.option("--limit", type=click.IntRange(1), help="At most so many records.")
@click.option("--kind", "kinds", multiple=True, help="Only records of this kind; may be repeated.")
@click.option("--from", "since", help="Only records of this day (UTC) or time and later.")
@click.option("--to", "until", help="Only records of this day (UTC) or time and earlier.")
@click.option("--actor", help="Only what the actor of this id asked.")
@click.option("--operation", help="Only calls of this operation.")
@click.option("--sample", type=click.IntRange(1), help="Only a random sample of so many of them.")
@click.option("--seed", help="The sample's seed, which the auditor chooses; drawn and said if there is none.")
@click.option(
    "--redact", multiple=True, metavar="PATH", help="Leave out a section (question), rows (evidence), or 6:question."
)
@OVERWRITE
@click.option(
    "--json", "as_json", is_flag=True, help="The export is JSON; with --output, say what was written as JSON."
)
def export(
    format: str, output: Path | None, redact: tuple[str, ...], overwrite: bool, as_json: bool, **options: Any
) -> None:
    """Export the log, or a part or a random sample of it, to be verified offline, filed, or read."""
    from footnote.audit.outputs import TEXTS, export_of, public_key, write
    from footnote.audit.redact import Redaction
    from footnote.audit.selection import select
    from footnote.settings import read_settings

    redaction = Redaction.of(redact)
    selection = _selection(**options, cited=format != "json")
    if output is None and format not in TEXTS:
        raise UsageError(f"An export as {format} is no text.", remedy="Name a file for it: --output FILE.")
    log, _ = open_log()
    with log:
        selected = select(log, selection)
        key = public_key(log, read_settings(os.environ).checkpoints.key) if format == "bundle" else None
        found = export_of(log, selected, redaction=redaction, key=key)
        if output is None:
            for piece in TEXTS[format](found):
                click.echo(piece, nl=False)
            return
        write(found, format, output, overwrite=overwrite)
    told: dict[str, Any] = {"file": str(output), "bytes": output.stat().st_size, "records": selected.count}
    if selection.sample is not None:
        told["sample"] = selection.sample.as_dict() | {"population": selected.population_dict()}
    if as_json:
        print_json(told)
        return
    how = f" Verify it with: footnote verify --export {output}" if format in VERIFIABLE else ""
    click.echo(f"Wrote {told['file']} ({told['bytes']:,} bytes).{how}")
    if "sample" in told:
        drawn, of = selection.sample, told["sample"]["population"]["count"]
        click.echo(f"Drew {min(drawn.count, of):,} of {counted(of, 'record')} with the seed {drawn.seed}.")


def _selection(
    *,
    record: str | None,
    after: int,
    limit: int | None,
    kinds: tuple[str, ...],
    since: str | None,
    until: str | None,
    actor: str | None,
    operation: str | None,
    sample: int | None,
    seed: str | None,
    cited: bool,
) -> Any:
    from footnote.audit.selection import Selection, moment
    from footnote.provenance import KINDS

    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"There is no kind of record {kind[:40]!a}.", remedy=f"Kinds are: {', '.join(KINDS)}.")
    return Selection(
        after=after,
        limit=limit,
        kinds=kinds or None,
        record=record,
        since=moment(since, end=False) if since else "",
        until=moment(until, end=True) if until else "",
        actor=actor,
        operation=operation,
        sample=sample_of(sample, seed),
        cited=cited,
    )


def sample_of(count: int | None, seed: str | None) -> Any:
    """The sample that two options describe; a seed that nobody chose is drawn.

    Raises `UsageError` for a seed without a sample.
    """
    import secrets

    from footnote.audit.sampling import Sample

    if count is None:
        if seed is not None:
            raise UsageError("There is a seed and no sample.", remedy="Say how many records: --sample 25.")
        return None
    return Sample(count, str(secrets.randbelow(10**9)) if seed is None else seed)


@main.command()
@click.argument("record", required=False)
@click.option("--sample", type=click.IntRange(1), help="A random sample of so many of all recorded results.")
@click.option("--seed", help="The sample's seed, which the auditor chooses; drawn and said if there is none.")
@CATALOG
@JSON
def reperform(record: str | None, sample: int | None, seed: str | None, catalog: str | None, as_json: bool) -> None:
    """Make the recorded call of RECORD again and compare. Exit code 1 if anything differs."""
    from footnote.audit.reperform import reperform as again
    from footnote.audit.reperform import reperform_sample

    drawn = sample_of(sample, seed)
    if (record is None) == (drawn is None):
        raise UsageError("It is not said what to make again.", remedy="Name a record, or say --sample 25.")
    told: dict[str, Any] = {}
    with session_of(catalog) as session:
        if drawn is None:
            outcomes = again(session, record or "")
        else:
            selected, outcomes = reperform_sample(session, drawn)
            told["sample"] = drawn.as_dict() | {"population": selected.population_dict()}
    ok = all(outcome.ok for outcome in outcomes)
    if as_json:
        results = [outcome.as_dict() | {"recordedAs": dict(outcome.receipt)} for outcome in outcomes]
        print_json({"ok": ok, **told, "outcomes": results})
    else:
        for outcome in outcomes:
            _tell(outcome)
        if drawn is not None:
            of = told["sample"]["population"]["count"]
            same = sum(outcome.ok for outcome in outcomes)
            click.echo(
                f"{same:,} of {len(outcomes):,} are the same; drawn from {counted(of, 'result')} with the seed {drawn.seed}."
            )
    sys.exit(0 if ok else 1)


def _tell(outcome: Outcome) -> None:
    found = outcome.found
    subject = f"Record {outcome.record['sequence']}, {outcome.operation}"
    compared = f"{counted(found.figures_compared, 'figure')} and {counted(found.rows_compared, 'row')}"
    said = {
        "same": f"{compared} are the same now.",
        "other plan": f"{compared} are the same, but by other SQL than was recorded.",
        "different": f"{len(found.figures):,} of {counted(found.figures_compared, 'figure')} and {len(found.rows):,} of "
        f"{counted(found.rows_compared, 'row')} differ.",
        "failed": f"it has no result now. {outcome.error.get('message', '')}",
    }
    lines = [f"{'✓' if outcome.ok else '✗'} {subject}: {said[outcome.status]}"]
    lines += _clipped([f"{f.address}: {f.then or 'nothing'} then, {f.now or 'nothing'} now" for f in found.figures])
    lines += _clipped([_row_line(row) for row in found.rows])
    lines += [f"    {text}" for text in found.said]
    if found.plan:
        then, now = outcome.catalog
        why = "the catalog is another" if then != now else "the schema or the version of Footnote is another"
        lines.append(f"    The plan is not the recorded one; {why}:")
        lines += _clipped([f"{p.purpose} of {p.statement}: {p.what}" for p in found.plan])
    if outcome.source[0] != outcome.source[1]:
        lines.append(f"    The source was {outcome.source[0]} and is {outcome.source[1]}.")
    lines.append(f"    Recorded as record {outcome.receipt['sequence']} ({str(outcome.receipt['hash'])[:12]}…).")
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        click.echo(indent + one_line(line.lstrip()))


def _row_line(row: Any) -> str:
    fields = ", ".join(f"{name} {then or 'empty'} → {now or 'empty'}" for name, (then, now) in row.fields.items())
    return f"{row.id} ({row.label}) {row.change}" + (f": {fields}" if fields else "")


def _clipped(lines: list[str]) -> list[str]:
    shown = [f"    {line}" for line in lines[:MOST_SHOWN]]
    more = len(lines) - MOST_SHOWN
    return shown + ([f"    … and {more:,} more"] if more > 0 else [])
