"""The command that checks an installation: `check`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

import click

from footnote.cli.group import CATALOG, JSON, main, print_json, session_of
from footnote.serve.plain import one_line

if TYPE_CHECKING:
    from footnote.connect.finding import Finding
    from footnote.connect.lineage import OperationLineage
    from footnote.session import Session

Checked = TypeVar("Checked", "Finding", "OperationLineage")

_MARKS = {"ok": "✓", "failed": "✗", "warning": "!", "skipped": "–"}


@main.command()
@click.option("--print-role", is_flag=True, help="Print the SQL that makes a login which may only read.")
@click.option("--engine", help="With --print-role: for this engine instead of DATABASE_URL's.")
@click.option(
    "--lineage", is_flag=True, help="How every statement is traced and tied out, with its witness; and replay."
)
@CATALOG
@JSON
def check(print_role: bool, engine: str | None, lineage: bool, catalog: str | None, as_json: bool) -> None:
    """Check catalog, source, login and log, and run every operation once."""
    if print_role:
        _print_role(engine, as_json)
        return
    if lineage:
        from footnote.connect.lineage import check_lineage

        _report(catalog, as_json, check_lineage, "operations", _tell_lineage)
        return
    from footnote.connect.check import check as findings_of

    _report(catalog, as_json, findings_of, "findings", _tell)


def _report(
    catalog: str | None,
    as_json: bool,
    look: Callable[[Session], Iterable[Checked]],
    name: str,
    tell: Callable[[Checked], None],
) -> None:
    """Tell each thing as it is looked at, or all as JSON; exit code 1 if one of them failed."""
    looked_at = []
    with session_of(catalog) as session:
        for checked in look(session):
            looked_at.append(checked)
            if not as_json:
                tell(checked)
    ok = all(checked.state != "failed" for checked in looked_at)
    if as_json:
        print_json({"ok": ok, name: [checked.as_dict() for checked in looked_at]})
    sys.exit(0 if ok else 1)


def _tell(finding: Finding) -> None:
    click.echo(f"{_MARKS[finding.state]} {finding.subject}: {one_line(finding.text)}")
    for line in finding.fix.splitlines():
        click.echo(f"    {one_line(line)}")


def _tell_lineage(operation: OperationLineage) -> None:
    click.echo(f"{_MARKS[operation.state]} {operation.name}: {one_line(operation.text)}")
    for statement in operation.statements:
        mark = "✗" if statement.replay == "differs" else " "
        click.echo(
            f"  {mark} {statement.name}: one row of {statement.grain} is one contribution; {one_line(statement.said)}"
        )
        for name, how in statement.outputs:
            click.echo(f"      {name}: {one_line(how)}")
        for label, value in (("arm", arm) for arm in statement.arms):
            click.echo(f"      {label}: {one_line(value)}")
        for note in statement.notes:
            click.echo(f"      note: {one_line(note)}")
        if statement.witness:
            click.echo(f"      witness: {one_line(statement.witness)}")


def _print_role(engine: str | None, as_json: bool) -> None:
    from footnote.connect.role import role_for

    sql = role_for(os.environ.get("DATABASE_URL", ""), engine)
    if as_json:
        print_json({"sql": sql})
    else:
        click.echo(sql, nl=False)
