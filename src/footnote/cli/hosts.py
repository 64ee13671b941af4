"""The commands that serve: `demo`, `serve`, `mcp`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from footnote.cli.group import CATALOG, JSON, main, print_json, session_of

if TYPE_CHECKING:
    from footnote.session import Session


@main.command()
@click.option("--port", type=click.IntRange(0, 65535), envvar="PORT", show_envvar=True, default=4711, show_default=True)
@click.option("--postgres", is_flag=True, help="On an embedded PostgreSQL, with a read-only role.")
@JSON
def demo(port: int, postgres: bool, as_json: bool) -> None:
    """Serve the host on the sample company, which is fictional."""
    if postgres:
        from footnote.connect.embedded import embedded_postgres

        with embedded_postgres() as url:
            _serve(session_of("sample", database_url=url), "127.0.0.1", port, as_json)
        return
    _serve(session_of("sample", database_url="sample"), "127.0.0.1", port, as_json)


@main.command()
@CATALOG
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), envvar="PORT", show_envvar=True, default=4711, show_default=True)
@click.option(
    "--name", "names", multiple=True, metavar="HOST", help="A name it may be asked for under; may be repeated."
)
@JSON
def serve(catalog: str | None, host: str, port: int, names: tuple[str, ...], as_json: bool) -> None:
    """Serve the host for people."""
    _serve(session_of(catalog), host, port, as_json, names)


def _serve(session: Session, host: str, port: int, as_json: bool, names: Sequence[str] = ()) -> None:
    from footnote.serve.http import serve as serve_http

    def tell(url: str) -> None:
        told = {
            "url": url,
            "catalog": session.loaded.catalog.catalog,
            "source": source,
            "log": str(session.settings.provenance_db),
            "today": session.today.isoformat(),
        }
        if as_json:
            print_json(told)
            sys.stdout.flush()
        else:
            click.echo(f"Footnote on {told['url']} – catalog {told['catalog']}, source {told['source']}", err=True)
            click.echo(f"Log: {told['log']}. Evaluating as of {told['today']}. Stop with Ctrl-C.", err=True)

    with session:
        source = session.source_name
        serve_http(session, host=host, port=port, names=names, listening=tell)


@main.command()
@CATALOG
@click.option("--toolset", "toolsets", multiple=True, help="Offer only this toolset's operations; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print the tools as JSON instead of serving them.")
def mcp(catalog: str | None = None, toolsets: tuple[str, ...] = (), as_json: bool = False) -> None:
    """Serve AI clients over MCP on standard input and output."""
    from footnote.serve.mcp import serve_stdio, tools_as_json

    links = os.environ.get("FOOTNOTE_RESOURCE_LINKS", "auto")
    if as_json:
        from footnote.session.documents import documents_folder

        with session_of(catalog) as session:
            documents = documents_folder(session) is not None
            print_json(tools_as_json(session.loaded.catalog, toolsets, documents=documents))
        return
    serve_stdio(lambda: session_of(catalog), toolsets=toolsets, resource_links=links)
