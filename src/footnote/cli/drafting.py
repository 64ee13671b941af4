"""The command that drafts a catalog: `init`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from footnote.cli.group import JSON, main, print_json
from footnote.errors import UsageError
from footnote.serve.plain import one_line
from footnote.settings import cache_folder


@main.command()
@click.option("--output", "-o", type=click.Path(path_type=Path), default=Path("catalog.yaml"), show_default=True)
@click.option("--name", default="draft", show_default=True, help="The catalog's name.")
@click.option("--table", "tables", multiple=True, metavar="TABLE", help="Draft this table too; may be repeated.")
@click.option("--currency", default="", metavar="CODE", help="Of amounts that have no currency column, such as EUR.")
@click.option("--time-zone", default="UTC", show_default=True, metavar="ZONE", help="Where the source's days begin.")
@click.option("--locale", default="en-US", show_default=True, help="How figures are shown, such as de-DE.")
@JSON
def init(
    output: Path, name: str, tables: tuple[str, ...], currency: str, time_zone: str, locale: str, as_json: bool
) -> None:
    """Draft a catalog over the database that DATABASE_URL names. A file that is there is never overwritten."""
    from footnote.connect.draft.drafting import Wishes
    from footnote.connect.draft.writing import write_draft

    url = os.environ.get("DATABASE_URL", "")
    if not url:
        raise UsageError("DATABASE_URL names no database.", remedy="Set it, such as postgresql://reader@host:5432/erp.")
    wishes = Wishes(name, tables, currency, time_zone, locale)
    shown = sys.stderr.isatty() and not as_json
    made = write_draft(url, output, wishes, progress=_progress if shown else None, cache=cache_folder(os.environ))
    if shown:
        click.echo("\r" + " " * 40 + "\r", nl=False, err=True)
    if as_json:
        print_json(made.as_dict() | {"file": str(output)})
        return
    click.echo(f"Wrote {output}: {made.records} of {made.tables} tables, {len(made.operations)} operations.")
    for operation in made.operations:
        click.echo(f"  {operation}")
    if made.pack:
        click.echo(one_line(f"This is {made.erp}: the pack knows more of it. Try: footnote check --pack {made.pack}"))
    elif made.erp:
        click.echo(f"This looks like {made.erp}, for which no pack ships.")
    click.echo(f"{made.decide} lines say DECIDE. Then: footnote check --catalog {output}")


def _progress(done: int, total: int) -> None:
    click.echo(f"\r{done:,} of {total:,} tables …", nl=False, err=True)
