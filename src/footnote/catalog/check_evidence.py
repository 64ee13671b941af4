"""Checks of evidence by hand: harmless, and complete for the statement whose figures it stands behind."""

from __future__ import annotations

from footnote.catalog.columns import output_columns
from footnote.catalog.model import Operation, Statement
from footnote.catalog.scope import Problems, Scope, placeholders_of
from footnote.catalog.sql_text import placeholders_in, render
from footnote.catalog.statements import parse_statement
from footnote.errors import CatalogError


def evidence_problems(scope: Scope, operation: Operation, statement: Statement, *path: str | int) -> Problems:
    """What is wrong with `evidence` of a statement."""
    evidence = statement.evidence
    assert evidence is not None  # noqa: S101 - the caller asked
    where = (*path, "evidence")
    if statement.each is not None:
        what = "`evidence` stands behind figures, and a row of this statement is a record."
        yield scope.problem(what, *where, remedy="Remove `each`, or remove `evidence`.")
    record = scope.catalog.records.get(statement.grain or "")
    if record is not None and len(evidence.keys) != len(record.key):
        what = f"`key` has {len(evidence.keys)} columns, and the key of `{statement.grain}` has {len(record.key)}."
        yield scope.problem(what, *where, "key", remedy=f"Name the columns that hold {', '.join(record.key)}.")
    explained = [*evidence.groups, *evidence.figures]
    for name in explained:
        if name not in statement.columns:
            yield scope.unknown("Columns of the statement", name, statement.columns, *where)
    for name in statement.columns:
        if explained.count(name) != 1:
            what = f"`evidence` names the column `{name}` {explained.count(name)} times."
            yield scope.problem(
                what, *where, remedy="Put each column of the statement under `groups` or `figures`, once."
            )
    yield from _text_problems(scope, operation, statement, *where)


def _text_problems(scope: Scope, operation: Operation, statement: Statement, *where: str | int) -> Problems:
    evidence = statement.evidence
    assert evidence is not None  # noqa: S101 - the caller asked
    at = scope.lines.text(*where, "sql")
    names = placeholders_in(evidence.sql)
    known = {name for parameter in operation.parameters for name in placeholders_of(parameter)}
    for name in sorted(names - known):
        yield scope.problem(f"There is no parameter `:{name}`.", *where, "sql", remedy="Declare it under `parameters`.")
    try:
        tree = parse_statement(render(evidence.sql, names), scope.catalog.source.dialect, at)
        returned = output_columns(tree, at)
    except CatalogError as error:
        yield error
        return
    wanted = {*evidence.keys, *evidence.groups, *evidence.figures}
    if set(returned) != wanted:
        missing, odd = sorted(wanted - set(returned)), sorted(set(returned) - wanted)
        what = f"`evidence` lacks {', '.join(missing) or 'nothing'} and returns {', '.join(odd) or 'nothing'} beside."
        yield scope.problem(
            what, *where, "sql", remedy="Return the key, the groups and the figures, each under its name."
        )
