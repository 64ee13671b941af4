"""The MCP server over a session, for any transport: the official SDK's low-level server and our handlers."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from footnote.serve.failures import told
from footnote.serve.mcp_calls import Calls
from footnote.serve.resources import TEMPLATES, is_not_found, read
from footnote.serve.tools import Tools
from footnote.serve.wire import ReadableLines

if TYPE_CHECKING:
    from footnote.session import Session

Context = ServerRequestContext[Any, Any]

LISTS_LAST = CacheHint(ttl_ms=300_000)
"""For how long a client may keep lists: they cannot change while the server runs."""

RESOURCE_NOT_FOUND = -32002
"""Of revisions before 2026-07-28; since then it is INVALID_PARAMS (SEP-2164)."""

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


def make_server(
    session: Session, tools: Tools, calls: Calls | None = None, *, links: bool | None = None
) -> Server[Any]:
    """An MCP server over an open session, for any transport.

    Args:
        session: The session.
        tools: Its tools.
        calls: Runs the calls; default: one for this server alone.
        links: Whether answers have resource links; None means unless the client is known to fail on them.
    """
    catalog = session.loaded.catalog
    face = _Face(session, tools, calls or Calls(), links)
    title = catalog.title or catalog.catalog
    return Server(
        "footnote",
        version=version("footnote-provenance"),
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


async def serve(server: Server[Any]) -> None:
    """Serve standard input and output until they are closed; lines that the SDK cannot read are answered too."""
    async with stdio_server() as (read_stream, write_stream):
        lines = ReadableLines(read_stream, write_stream)
        await server.run(lines, write_stream, server.create_initialization_options())


class _Face:
    """The handlers, over one session."""

    def __init__(self, session: Session, tools: Tools, calls: Calls, links: bool | None) -> None:
        self.calls = calls
        self._session = session
        self._tools = tools
        self._links = links

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools.listed())

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        links = self._sends_links(context)
        return await self.calls.run(
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
            return await self.calls.run(lambda cancel: read(self._session, params.uri, cancel))
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
