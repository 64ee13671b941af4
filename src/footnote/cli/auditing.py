"""The commands of an auditor: `export`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from footnote.cli.group import main, print_json
from footnote.cli.log import open_log
from footnote.errors import UsageError


@main.command()
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
@click.option("--overwrite", is_flag=True, help="Replace the file if it is there.")
@click.option(
    "--json", "as_json", is_flag=True, help="The export is JSON; with --output, say what was written as JSON."
)
def export(output: Path | None, overwrite: bool, as_json: bool, **options: Any) -> None:
    """Export the log, or a part or a random sample of it, so that anyone can verify it offline."""
    from footnote.audit import export_json, write_export
    from footnote.audit.selection import select

    selection = _selection(**options)
    log, _ = open_log()
    with log:
        selected = select(log, selection)
        pieces = export_json(log, selected)
        if output is None:
            for piece in pieces:
                click.echo(piece, nl=False)
            return
        write_export(output, pieces, overwrite=overwrite)
    told: dict[str, Any] = {"file": str(output), "bytes": output.stat().st_size, "records": selected.count}
    if selection.sample is not None:
        told["sample"] = selection.sample.as_dict() | {"population": selected.population_dict()}
    if as_json:
        print_json(told)
        return
    click.echo(f"Wrote {told['file']} ({told['bytes']:,} bytes). Verify it with: footnote verify --export {output}")
    if "sample" in told:
        drawn, of = selection.sample, told["sample"]["population"]["count"]
        click.echo(f"Drew {min(drawn.count, of):,} of {of:,} records with the seed {drawn.seed}.")


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
