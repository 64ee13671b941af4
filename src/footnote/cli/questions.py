"""The commands that ask: `ask`, `run`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from footnote.cli.group import CATALOG, JSON, main, print_json, session_of
from footnote.errors import UsageError


@main.command()
@click.argument("question")
@CATALOG
@JSON
def ask(question: str, catalog: str | None, as_json: bool) -> None:
    """Answer QUESTION by the catalog's words, without a model."""
    with session_of(catalog) as session:
        _show(session.ask(question), as_json)


@main.command()
@click.argument("operation")
@click.option("--param", "-p", "parameters", multiple=True, metavar="NAME=VALUE", help="An argument; may be repeated.")
@CATALOG
@JSON
def run(operation: str, parameters: tuple[str, ...], catalog: str | None, as_json: bool) -> None:
    """Run OPERATION and show its figures with their rows."""
    arguments = dict(_split(parameters))
    with session_of(catalog) as session:
        if operation in session.loaded.catalog.interpretations:
            _show(session.interpret(operation, arguments), as_json)
            return
        _show(session.call(operation, arguments), as_json)


def _split(parameters: Iterable[str]) -> Iterable[tuple[str, str]]:
    seen: set[str] = set()
    for text in parameters:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{text[:80]!r} is no argument.", remedy="Write --param name=value.")
        if name in seen:
            raise UsageError(f"The argument {name!r} is given twice.", remedy="Give it once; lists take commas.")
        seen.add(name)
        yield name, value


def _show(answer: Any, as_json: bool) -> None:
    if as_json:
        print_json(answer.as_dict())
        return
    from footnote.serve.answer_text import answer_text

    click.echo(answer_text(answer, composed=True))
