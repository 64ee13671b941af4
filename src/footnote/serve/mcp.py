"""MCP over stdio: revision 2026-07-28 and the older handshake.

Nothing but protocol goes to standard output; logs go to standard error, without texts of errors that may hold
parameters, paths or secrets. The source is opened at the first call, not at the start. The actor is the operator's
(`PROVENANCE_ACTOR`), because over stdio a client has no identity of its own.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from footnote.errors import FootnoteError, UsageError

if TYPE_CHECKING:
    from footnote.catalog.model import Catalog
    from footnote.session import Session

MOST_TOOLS = 20
"""More than these are too many for some clients; the start line then says that toolsets help."""

LINKS_SETTING = "FOOTNOTE_RESOURCE_LINKS"


def serve_stdio(
    open_session: Callable[[], Session], *, toolsets: Sequence[str] = (), resource_links: str = "auto"
) -> None:
    """Serve MCP on standard input and output until the client closes them.

    Args:
        open_session: Opens the session; called once. The session is closed at the end.
        toolsets: Names of the catalog's toolsets to offer; none means every operation.
        resource_links: `on`, `off` or `auto` (off for clients that are known to fail on them).

    Raises:
        FootnoteError: The catalog or a setting cannot be used, or a toolset does not exist.
    """
    links = links_setting(resource_links)
    gc.disable()  # what is imported and loaded now stays; looking for garbage in it takes a sixth of the start
    import anyio

    from footnote.serve.mcp_calls import Calls
    from footnote.serve.mcp_server import make_server, serve
    from footnote.serve.tools import Tools

    _log_to_stderr()
    with open_session() as session:
        tools = Tools(session, toolsets)
        calls = Calls()
        calls.end_on_signals()
        server = make_server(session, tools, calls, links=links)
        sys.stderr.write(start_line(session, len(tools.listed())) + "\n")
        sys.stderr.flush()
        gc.freeze()
        gc.enable()
        _run(lambda: anyio.run(serve, server))


def _run(serving: Callable[[], None]) -> None:
    """Serve; a client that closes its end of our standard output has gone, and nobody is left to be told anything."""
    try:
        serving()
    except* (BrokenPipeError, ConnectionResetError):
        pass


def tools_as_json(catalog: Catalog, toolsets: Sequence[str] = (), *, documents: bool = False) -> list[dict[str, Any]]:
    """The tools as a client sees them; see `tools_of`.

    Raises:
        UsageError: A toolset does not exist, or a name in the catalog stands for two tools.
    """
    from footnote.serve.definitions import tools_of

    return [
        tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        for tool in tools_of(catalog, toolsets, documents=documents)
    ]


def links_setting(text: str) -> bool | None:
    """What `FOOTNOTE_RESOURCE_LINKS` means: always, never, or (None) unless the client is known to fail on links.

    Raises:
        UsageError: It says something else.
    """
    known = {"": None, "auto": None, "on": True, "off": False}
    if text.lower() not in known:
        raise UsageError(f"{LINKS_SETTING} is {text[:40]!r}.", remedy="Set it to on, off or auto.")
    return known[text.lower()]


def start_line(session: Session, tools: int) -> str:
    """Which catalog, source, log and actor this server works with."""
    catalog, settings = session.loaded.catalog, session.settings
    line = (
        f"footnote mcp: catalog {catalog.catalog} version {catalog.version}, source {_source_name(catalog)}, "
        f"log {settings.provenance_db}, actor {settings.actor.id} ({settings.actor.role}), {tools} tools"
    )
    if tools > MOST_TOOLS and catalog.toolsets:
        line += f"; some clients take fewer: offer a toolset ({', '.join(catalog.toolsets)})"
    return line


def _source_name(catalog: Catalog) -> str:
    """The source without its password; nothing is opened for it."""
    from footnote.settings import SAMPLE
    from footnote.sources.opening import open_source

    if catalog.source.url == SAMPLE:
        return "sample (embedded)"
    try:
        return open_source(catalog.source.url).name
    except FootnoteError:  # the first call says what is wrong with it
        return "with a URL that cannot be read"


def _log_to_stderr() -> None:
    """Our own faults and the SDK's warnings, without what they may quote."""
    from footnote.serve.failures import DiscreetFormatter

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(DiscreetFormatter("footnote mcp: %(message)s"))
    for name in ("footnote", "mcp"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.WARNING)
        logger.propagate = False
