"""The command of whoever reads a figure: `evidence`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from footnote.cli.group import CATALOG, JSON, main, print_json, session_of
from footnote.serve.plain import one_line

if TYPE_CHECKING:
    from footnote.session.evidence import EvidencePage


@main.command()
@click.argument("record")
@click.argument("figure", required=False)
@click.option("--page", type=int, default=1, help="Which page, from 1.")
@click.option("--size", type=int, default=50, help="Rows of a page.")
@click.option(
    "--sort", type=click.Choice(["record", "largest"]), default="record", help="In record order, or largest first."
)
@click.option("--search", default="", help="Only rows that have this text.")
@CATALOG
@JSON
def evidence(
    record: str, figure: str | None, page: int, size: int, sort: Any, search: str, catalog: str | None, as_json: bool
) -> None:
    """Show the rows behind FIGURE of RECORD, a page at a time; without FIGURE, the figures there are.

    Rows that are not in the record are read from the source again. Exit code 1 if they are not those added up.
    """
    from footnote.session.evidence import evidence_page, figures_of

    with session_of(catalog) as session:
        if figure is None:
            _list(figures_of(session, record), as_json)
            return
        found = evidence_page(session, record, figure, page=page, size=size, sort=sort, search=search)
    if as_json:
        print_json(found.as_dict())
    else:
        _tell(found)
    sys.exit(0 if found.same else 1)


def _list(figures: list[Any], as_json: bool) -> None:
    told = [
        {
            "figure": f"{result.id}.{address}",
            "display": figure.display,
            "method": figure.method,
            "rows": _behind(figure),
        }
        for result, address, figure in figures
    ]
    if as_json:
        print_json(told)
        return
    for one in told:
        click.echo(one_line(f"{one['figure']}: {one['display'] or 'no value'} ({one['method']}, {_rows(one['rows'])})"))


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _behind(figure: Any) -> int:
    return figure.rows.count if figure.rows is not None else len(figure.contributions or figure.evidence)


def _tell(found: EvidencePage) -> None:
    figure = found.figure
    click.echo(one_line(f"{found.address}: {figure.display or 'no value'} ({figure.method}), {_rows(found.total)}"))
    rows = [row for item in found.rows for row in _lines(item)]
    width = max((len(shown) for _, shown in rows), default=0)
    for label, shown in rows:
        click.echo(f"  {shown:>{width}}  {label}")
    matched = "" if found.matched == found.total else f", {found.matched:,} rows match"
    click.echo(f"Page {found.page:,} of {found.pages:,}{matched}.")
    click.echo(f"{'✓' if found.same else '✗'} {one_line(found.said)}")


def _lines(item: Any, depth: int = 0) -> list[tuple[str, str]]:
    """A row, and below it what it is made of."""
    label = one_line(f"{'  ' * depth}{item['label']}  {item.get('uri', '')}").rstrip()
    own = ("  " * depth + label.lstrip(), one_line(item["display"]))
    return [own, *(line for inner in item.get("items", ()) for line in _lines(inner, depth + 1))]
