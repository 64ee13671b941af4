"""The web host: the page, and the JSON it is made from. Starlette on uvicorn; on 127.0.0.1:4711 unless told otherwise.

An answer and a refusal are both outcomes and come with status 200, told apart by `kind`. A request that is none is
4xx, a source or log that cannot be reached 503, a fault of ours 500 with a reference and nothing else: its text stands
in the server's own log, because it may hold SQL parameters, paths or secrets. A client that goes away cancels its
statement.
"""

from __future__ import annotations

import mimetypes
import socket
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from footnote.catalog.model import Catalog, Parameter
from footnote.errors import ArgumentError, FootnoteError, Unreachable, UsageError
from footnote.serve.http_calls import Calls, answer_http_error, failure, fault
from footnote.serve.http_documents import DocumentRoutes
from footnote.serve.http_export import export_response
from footnote.serve.http_guard import BadRequest, Guard, json_response, read_object
from footnote.serve.http_records import Presenter
from footnote.serve.schemas import interpretation_parameters
from footnote.session import Session
from footnote.session.documents import documents_folder
from footnote.sources.cancellation import Cancellation
from footnote.web import STATIC

HOST = "127.0.0.1"
PORT = 4711
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Host names under which a server on the own machine is asked."""

MOST_RECORDS = 200
"""Records in one reply of /api/records."""

# What the system's registry of file types says about scripts varies, and a browser believes what we say (nosniff).
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("font/woff2", ".woff2")


def make_app(session: Session, *, hosts: Sequence[str] = LOOPBACK) -> Starlette:
    """The web host as an ASGI application over an open session.

    Args:
        session: Whose catalog, source and log are served; it stays the caller's to close.
        hosts: Host names that are ours; any other `Host` is refused.
    """
    host = _Host(session)
    routes = [
        Route("/", host.page),
        Route("/record/{id}", host.page),
        Route("/record/{type}/{key:path}", host.page),
        Route("/document/{file:path}", host.page),
        Route("/api/about", host.about),
        Route("/api/ask", host.ask, methods=["POST"]),
        Route("/api/run", host.run, methods=["POST"]),
        Route("/api/illustrate", host.illustrate, methods=["POST"]),
        Route("/api/records", host.records),
        Route("/api/record/{id}", host.record),
        Route("/api/row/{type}/{key:path}", host.row),
        Route("/api/evidence/{id}", host.evidence),
        Route("/api/verify", host.verify),
        Route("/api/export", host.export),
        *DocumentRoutes(session, host.calls).routes(),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, hosts=tuple(hosts), fault=fault)],
        exception_handlers={FootnoteError: failure, BadRequest: failure, HTTPException: answer_http_error},
    )


def serve(
    session: Session,
    *,
    host: str = HOST,
    port: int = PORT,
    names: Sequence[str] = (),
    listening: Callable[[str], None] | None = None,
) -> None:
    """Serve until interrupted.

    Args:
        session: What is served.
        host: Address to listen on.
        port: Port to listen on; 0 for any free one.
        names: Names under which clients may ask for the page, beside the address itself and this machine's own.
        listening: Told the address once the port is ours.

    Raises:
        UsageError: It would listen on every address and answer under no name, or the port cannot be had.
    """
    import uvicorn

    if host in {"0.0.0.0", "::"} and not names:  # noqa: S104 - it is refused here
        raise UsageError(
            f"{host} means every address of this machine.",
            why="A page that answers under any name can be read by any other page in the reader's browser.",
            remedy="Say under which names it may be asked for: --name footnote.example.",
        )
    with _listening(host, port) as port_of_ours:
        own = f"[{host}]" if ":" in host else host
        if listening is not None:
            listening(f"http://{own}:{port_of_ours.getsockname()[1]}")
        config = uvicorn.Config(
            make_app(session, hosts=tuple(dict.fromkeys((*LOOPBACK, own, *names)))),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_keep_alive=10,
            timeout_graceful_shutdown=5,
            limit_concurrency=200,
            h11_max_incomplete_event_size=32_000,
        )
        uvicorn.Server(config).run(sockets=[port_of_ours])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(
            f"Port {port} on {host} cannot be used: {error.strerror or error}.",
            remedy="Give another --port or --host, or end whoever uses this one.",
        ) from None


class _Host:
    """The handlers, over one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.calls = Calls()
        self.presenter = Presenter(session)

    @property
    def catalog(self) -> Catalog:
        return self.session.loaded.catalog

    async def page(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    async def about(self, request: Request) -> Response:
        return json_response(await self.calls.read(self._about))

    async def ask(self, request: Request) -> Response:
        body = _checked(await read_object(request), {"question": str})

        def work(cancel: Cancellation) -> dict[str, Any]:
            return self.presenter.answer(self.session.ask(body["question"], cancel=cancel))

        return json_response(await self.calls.ask(request, work))

    async def run(self, request: Request) -> Response:
        body = _checked(await read_object(request), {"operation": str, "arguments": dict})

        def work(cancel: Cancellation) -> dict[str, Any]:
            name, arguments = body["operation"], body["arguments"]
            asked = self.session.interpret if name in self.catalog.interpretations else self.session.call
            return self.presenter.answer(asked(name, arguments, cancel=cancel))

        return json_response(await self.calls.ask(request, work))

    async def illustrate(self, request: Request) -> Response:
        body = _checked(await read_object(request), {"record": str})
        return json_response(await self.calls.read(lambda: self.presenter.illustration(body["record"])))

    async def records(self, request: Request) -> Response:
        after, asked_for = _number(request, "after"), _number(request, "limit")
        limit = 20 if asked_for is None else min(asked_for, MOST_RECORDS)
        return json_response(await self.calls.read(lambda: self.presenter.records(after, limit)))

    async def record(self, request: Request) -> Response:
        name = request.path_params["id"]
        return json_response(await self.calls.read(lambda: self.presenter.record(name)))

    async def row(self, request: Request) -> Response:
        type, key = request.path_params["type"], request.path_params["key"]
        return json_response(await self.calls.ask(request, lambda cancel: self.presenter.row(type, key, cancel)))

    async def evidence(self, request: Request) -> Response:
        query, name = request.query_params, request.path_params["id"]
        page, size = _number(request, "page"), _number(request, "size")
        work = partial(
            self.presenter.evidence,
            name,
            query.get("figure", ""),
            page=1 if page is None else page,
            size=20 if size is None else size,
            sort=query.get("sort", "record"),
            search=query.get("search", "")[:200],
        )
        return json_response(await self.calls.ask(request, lambda cancel: work(cancel=cancel)))

    async def verify(self, request: Request) -> Response:
        return json_response(await self.calls.read(self.presenter.verification))

    async def export(self, request: Request) -> Response:
        record, format = request.query_params.get("record"), request.query_params.get("format", "json")
        return await export_response(self.session, self.calls, record, format)

    def _about(self) -> dict[str, Any]:
        catalog, log = self.catalog, self.session.log
        head = log.head()
        try:
            source = self.session.source_name
        except Unreachable as error:  # the log can be read all the same
            source = error.what
        return {
            "catalog": catalog.catalog,
            "title": catalog.title or catalog.catalog,
            "notice": catalog.notice,
            "source": source,
            "today": self.session.today.isoformat(),
            "locale": self.session.locale,
            "documents": documents_folder(self.session) is not None,
            "examples": list(catalog.examples),
            "operations": [
                {
                    "name": name,
                    "title": operation.title,
                    "description": operation.description,
                    "parameters": [_parameter(p) for p in operation.parameters],
                }
                for name, operation in catalog.operations.items()
            ]
            + [
                {
                    "name": name,
                    "title": interpretation.title,
                    "description": interpretation.description,
                    "parameters": [_parameter(p) for p in interpretation_parameters(catalog, interpretation)],
                }
                for name, interpretation in catalog.interpretations.items()
            ],
            "log": {"id": log.id, "size": head.sequence if head else 0, "head": head.hash if head else ""},
            "version": _version(),
        }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    default = parameter.default
    return {
        "name": parameter.name,
        "type": parameter.type,
        "description": parameter.description,
        "required": parameter.is_required,
        "allowedValues": [str(value) for value in parameter.allowed_values],
        "default": None if default is None else str(default),
    }


def _checked(body: dict[str, Any], members: dict[str, type[str] | type[dict[str, Any]]]) -> dict[str, Any]:
    """The body, if it has exactly these members, each of its type."""
    for name, expected in members.items():
        if not isinstance(body.get(name), expected):
            word = "text" if expected is str else "an object"
            raise ArgumentError(f"The body's member {name!r} is not {word}.", remedy="Send it as such.")
    unknown = sorted(body.keys() - members.keys())
    if unknown:
        raise ArgumentError(f"The body has a member {unknown[0][:40]!a}, which is not known.", remedy="Leave it out.")
    return body


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise ArgumentError(f"{name!r} is not a whole number.", remedy="Give digits only.")
    return int(text)


def _version() -> str:
    try:
        return version("footnote-provenance")
    except PackageNotFoundError:  # run from the source tree without being installed
        return "unreleased"
