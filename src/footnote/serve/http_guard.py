"""What every HTTP request passes before a handler sees it, and every response on its way out.

- A `Host` that is not ours is refused (421): otherwise a page elsewhere could bind its name to this address and read
  answers (DNS rebinding). A request that a page of another site sends to the API is refused (403).
- A body has at most 64 kB and must arrive within ten seconds.
- Every response says that it may not be framed, sniffed, cached by others, or load anything from elsewhere.
- A fault of ours becomes a reference under which the operator finds it, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 64_000
"""Bytes of a request's body."""

BODY_SECONDS = 10.0
"""How long a body may take to arrive."""

SAFE_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class BadRequest(Exception):
    """A request that no handler should see. `body` is what the client is told."""

    def __init__(self, status: int, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.body = {"kind": "error", "code": "request", "message": message} | ({"remedy": remedy} if remedy else {})


def json_response(body: Mapping[str, Any], status: int = 200) -> Response:
    """JSON that no cache keeps. Pure ASCII, so that half a surrogate pair in the data cannot break the response."""
    content = json.dumps(body, separators=(",", ":"), allow_nan=False)
    return Response(content, status, {"cache-control": "no-store"}, "application/json")


class Guard:
    """The middleware that checks where a request comes from and marks what goes out."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str], fault: Callable[[Exception], Mapping[str, Any]]) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.fault = fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        started = False

        async def send_marked(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in SAFE_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-cache")
            await send(message)

        try:
            self._check(scope["path"], Headers(scope=scope))
        except BadRequest as error:
            await json_response(error.body, error.status)(scope, receive, send_marked)
            return
        try:
            await self.app(scope, receive, send_marked)
        except Exception as error:  # whatever it is, the client hears of a reference only
            body = self.fault(error)
            if started:  # the rest of the response cannot be taken back; breaking it off says that it is not whole
                raise
            await json_response(body, 500)(scope, receive, send_marked)

    def _check(self, path: str, headers: Headers) -> None:
        host = headers.get("host", "").lower()
        if len(headers.getlist("host")) != 1 or host_name(host) not in self.hosts:
            raise BadRequest(
                421, "This address does not serve that host name.", remedy="Use the address it is bound to."
            )
        if not path.startswith("/api/"):
            return
        site = headers.get("sec-fetch-site", "same-origin")
        origin = headers.get("origin")
        foreign = origin is not None and origin.lower() not in {f"http://{host}", f"https://{host}"}
        if foreign or site not in {"same-origin", "none"}:
            raise BadRequest(403, "Pages of another site may not ask here.", remedy="Ask from the page served here.")


def host_name(host: str) -> str:
    """A `Host` header without its port; the brackets of an IPv6 address stay."""
    if host.startswith("["):
        return host[: host.find("]") + 1]
    return host.partition(":")[0]


async def read_object(request: Request) -> dict[str, Any]:
    """The request's body as a JSON object.

    Numbers with a fraction come as text, so that they stay exact. Raises `BadRequest`.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadRequest(415, "The body is not application/json.", remedy="Send JSON with that content type.")
    body = await _read(request)
    try:
        found = json.loads(body, parse_float=str, parse_constant=_no_constant, object_pairs_hook=_members)
    except (ValueError, RecursionError):
        raise BadRequest(400, "The body is not JSON that can be read.", remedy="Send one JSON object.") from None
    if not isinstance(found, dict):
        raise BadRequest(400, "The body is not a JSON object.", remedy='Send an object, such as {"question": "…"}.')
    return found


async def _read(request: Request) -> bytes:
    too_large = BadRequest(413, f"The body is larger than {BODY_LIMIT} bytes.", remedy="Ask one thing at a time.")
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length[:19]) > BODY_LIMIT:
        raise too_large
    body = bytearray()
    try:
        with anyio.fail_after(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > BODY_LIMIT:
                    raise too_large
    except TimeoutError:
        raise BadRequest(408, "The body took too long to arrive.") from None
    except ClientDisconnect:
        raise BadRequest(400, "The body did not arrive.") from None
    return bytes(body)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; readers differ in which of two members of one name they take, so there may be one only."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a member stands twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)
