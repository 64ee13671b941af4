"""MCP over stdio on the official SDK's low-level server: revision 2026-07-28 and the older handshake.

Nothing but protocol goes to standard output; logs go to standard error, without texts of errors that may hold
parameters, paths or secrets. The source is opened at the first call, not at the start. The actor is the operator's
(`PROVENANCE_ACTOR`), because over stdio a client has no identity of its own.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

import footnote
from footnote.catalog.model import Catalog
from footnote.errors import FootnoteError, UsageError
from footnote.serve.definitions import tools_of
from footnote.serve.failures import DiscreetFormatter, told
from footnote.serve.resources import TEMPLATES, is_not_found, read
from footnote.serve.tools import Tools
from footnote.settings import SAMPLE
from footnote.sources.cancellation import Cancellation
from footnote.sources.opening import open_source

if TYPE_CHECKING:
    from footnote.session import Session

Returned = TypeVar("Returned")
Context = ServerRequestContext[Any, Any]

AT_ONCE = 4
"""Calls that run at the same time; further ones wait."""

MOST_TOOLS = 20
"""More than these are too many for some clients; the start line then says that toolsets help."""

LISTS_LAST = CacheHint(ttl_ms=300_000)
"""For how long a client may keep lists: they cannot change while the server runs."""

RESOURCE_NOT_FOUND = -32002
"""Of revisions before 2026-07-28; since then it is INVALID_PARAMS (SEP-2164)."""

LINKS_SETTING = "FOOTNOTE_RESOURCE_LINKS"

FAIL_ON_LINKS = ("semantic-kernel", "semantickernel", "semantic kernel", "pydantic-ai", "agent-framework")
"""Beginnings of the names of clients whose calls fail, or that lose content, on a `resource_link`."""

INSTRUCTIONS = """\
Footnote answers questions over {title}. Every figure that a tool returns was computed by the database, adds up from \
rows that anyone can open, and is recorded.
- Choose the tool whose description fits, and pass names as the user wrote them. If a name is unknown or ambiguous the \
error has real candidates: ask the user which one is meant, do not choose.
- State only figures that tools returned, exactly as they are displayed. Do not add up, convert, round or estimate. If \
no tool gives the figure, say that there is no answer.
- To say results in your own words use compose_answer with slots; to check a text that you wrote use check_answer.
- Give the URI (erp://…) of what a figure rests on when the user asks where it comes from; reading it shows the row.
- An empty result says why it is empty; say that, and never a zero in its place. A refusal is an outcome: say why.\
"""


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
    _log_to_stderr()
    links = links_setting(resource_links)
    with open_session() as session:
        tools = Tools(session, toolsets)
        sys.stderr.write(start_line(session, len(tools.listed())) + "\n")
        sys.stderr.flush()
        anyio.run(_serve, make_server(session, tools, links=links))


def tools_as_json(catalog: Catalog, toolsets: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The tools as a client sees them.

    Raises:
        UsageError: A toolset does not exist, or a name in the catalog stands for two tools.
    """
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools_of(catalog, toolsets)]


async def _serve(server: Server[Any]) -> None:
    from footnote.serve.wire import ReadableLines

    async with stdio_server() as (read_stream, write_stream):
        lines = ReadableLines(read_stream, write_stream)
        await server.run(lines, write_stream, server.create_initialization_options())


def make_server(session: Session, tools: Tools, *, links: bool | None = None) -> Server[Any]:
    """An MCP server over an open session, for any transport.

    Args:
        session: The session.
        tools: Its tools.
        links: Whether answers have resource links; None means unless the client is known to fail on them.
    """
    catalog = session.loaded.catalog
    face = _Face(session, tools, links)
    title = catalog.title or catalog.catalog
    return Server(
        "footnote",
        version=footnote.__version__,
        title=f"Footnote: {title}",
        description=catalog.notice or None,
        instructions="\n".join(filter(None, (INSTRUCTIONS.format(title=title), catalog.notice))),
        cache_hints={"tools/list": LISTS_LAST, "resources/list": LISTS_LAST, "resources/templates/list": LISTS_LAST},
        on_list_tools=face.list_tools,
        on_call_tool=face.call_tool,
        on_list_resources=face.list_resources,
        on_list_resource_templates=face.list_templates,
        on_read_resource=face.read_resource,
    )


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
    if catalog.source.url == SAMPLE:
        return "sample (embedded)"
    try:
        return open_source(catalog.source.url).name
    except FootnoteError:  # the first call says what is wrong with it
        return "with a URL that cannot be read"


def _log_to_stderr() -> None:
    """Our own faults and the SDK's warnings, without what they may quote."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(DiscreetFormatter("footnote mcp: %(message)s"))
    for name in ("footnote", "mcp"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.WARNING)
        logger.propagate = False


class _Face:
    """The handlers, over one session."""

    def __init__(self, session: Session, tools: Tools, links: bool | None) -> None:
        self._session = session
        self._tools = tools
        self._links = links
        self._limiter = anyio.CapacityLimiter(AT_ONCE)

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools.listed())

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        links = self._sends_links(context)
        return await self._in_thread(
            lambda cancel: self._tools.call(params.name, params.arguments, cancel=cancel, links=links)
        )

    async def list_resources(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])  # rows and records are read by URI, not browsed

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            return await self._in_thread(lambda cancel: read(self._session, params.uri, cancel))
        except Exception as error:  # noqa: BLE001  # the wall to a client: nothing leaves but what `told` tells
            text, _ = told(error)
            modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
            missing = INVALID_PARAMS if modern else RESOURCE_NOT_FOUND
            code = missing if is_not_found(error) else INTERNAL_ERROR
            raise MCPError(code, text, {"uri": params.uri[:200]}) from None

    def _sends_links(self, context: Context) -> bool:
        if self._links is not None:
            return self._links
        client = context.session.client_params
        name = client.client_info.name.lower() if client else ""
        return not name.startswith(FAIL_ON_LINKS)

    async def _in_thread(self, work: Callable[[Cancellation], Returned]) -> Returned:
        """Run `work` in a worker thread; if the request is cancelled, so is the statement it runs."""
        cancel = Cancellation()
        try:
            return await anyio.to_thread.run_sync(work, cancel, limiter=self._limiter, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            cancel.cancel()
            raise
