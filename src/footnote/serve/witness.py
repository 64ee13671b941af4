"""A witness over HTTP: `POST /add-checkpoint` of C2SP tlog-witness, and nothing else. It answers logs, not people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from footnote.errors import LogUnavailable
from footnote.provenance.note import MAX_BYTES
from footnote.provenance.witness import Reply, Witness

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response


def witness_app(witness: Witness, tell: Callable[[str], None]) -> Starlette:
    """The application; `tell` hears of what the operator has to mend."""
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import Response
    from starlette.routing import Route

    async def add_checkpoint(request: Request) -> Response:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_BYTES:
                return _response(Reply(413, "The request is too long.\n"))
        try:
            return _response(await run_in_threadpool(witness.add_checkpoint, body))
        except LogUnavailable as error:
            tell(error.text)
            return _response(Reply(503, "The witness cannot remember what it would sign.\n"))

    def _response(reply: Reply) -> Response:
        # Set as a header, not as media_type, which would add a character set to what the standard names.
        return Response(reply.body.encode(), reply.status, {"Content-Type": reply.type})

    return Starlette(routes=[Route("/add-checkpoint", add_checkpoint, methods=["POST"])])


def serve_witness(witness: Witness, *, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until interrupted; `tell` first hears the address."""
    import socket

    import uvicorn

    listener = socket.create_server((host, port))
    with listener:
        tell(f"http://{host}:{listener.getsockname()[1]}")
        config = uvicorn.Config(witness_app(witness, tell), log_level="warning", lifespan="off")
        uvicorn.Server(config).run([listener])
