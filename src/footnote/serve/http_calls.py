"""Calls of the session from HTTP: in worker threads, cancelled when the client goes away, errors told as they may be.

Answers and reads of the log have limiters of their own, so that a slow source does not keep anyone from the log.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from footnote.errors import (
    Cancelled,
    FootnoteError,
    LogBroken,
    Refused,
    SourceTimeout,
    TieOutError,
    Unreachable,
    UsageError,
)
from footnote.serve.http_guard import BadRequest, json_response
from footnote.sources.cancellation import Cancellation

T = TypeVar("T")

AT_ONCE = 8
"""Questions answered at the same time; further ones wait."""

_log = logging.getLogger("footnote.serve.http")


class Calls:
    """Runs synchronous work in threads."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._asking = anyio.CapacityLimiter(at_once)
        self._reading = anyio.CapacityLimiter(at_once)

    async def read(self, work: Callable[[], T]) -> T:
        """What `work` returns; it only reads the log or the catalog, so that nothing needs to be cancelled."""
        return await anyio.to_thread.run_sync(work, limiter=self._reading, abandon_on_cancel=True)

    async def ask(self, request: Request, work: Callable[[Cancellation], T]) -> T:
        """What `work` returns; its cancellation is set when the client goes away or the server stops."""
        cancellation = Cancellation()
        outcome: list[T] = []
        error: list[Exception] = []

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            cancellation.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            try:
                call = partial(work, cancellation)
                outcome.append(await anyio.to_thread.run_sync(call, limiter=self._asking, abandon_on_cancel=True))
            except Exception as caught:  # noqa: BLE001  # raised again below, outside of the group that would wrap it
                error.append(caught)
            finally:
                if not outcome and not error:
                    cancellation.cancel()
                group.cancel_scope.cancel()
        if error:
            raise error[0]
        return outcome[0]


def told(error: FootnoteError) -> tuple[int, dict[str, Any]]:
    """Status and JSON of an error. A refusal, and wrong use that was recorded as one, are outcomes: 200, of kind `refusal`."""
    if not error.recoverable:
        return 500, fault(error)
    body = error.as_dict()
    record = error.details.get("record")
    if record:
        body["record"] = record
    refused = isinstance(error, Refused) or (isinstance(error, UsageError) and record is not None)
    return (200, {"kind": "refusal"} | body) if refused else (_status(error), {"kind": "error"} | body)


def _status(error: FootnoteError) -> int:
    by_class: tuple[tuple[type[FootnoteError], int], ...] = (
        (UsageError, 400),
        (TieOutError, 422),
        (Cancelled, 499),
        (SourceTimeout, 504),
        (Unreachable, 503),
        (LogBroken, 500),
    )
    return next((status for cls, status in by_class if isinstance(error, cls)), 500)


def fault(error: Exception) -> dict[str, Any]:
    """What a client is told about a fault of ours: a reference under which the operator finds the rest."""
    reference = secrets.token_hex(4)
    _log.error("fault %s", reference, exc_info=error)
    return {
        "kind": "error",
        "code": "fault",
        "message": "Footnote could not finish this request.",
        "remedy": f"Whoever runs it finds the cause in its log under {reference}.",
    }


async def failure(request: Request, error: Exception) -> Response:
    """The response for an error of ours or a request that should not have been made."""
    if isinstance(error, BadRequest):
        return json_response(error.body, error.status)
    if isinstance(error, FootnoteError):
        status, body = told(error)
        return json_response(body, status)
    raise error


async def answer_http_error(request: Request, error: Exception) -> Response:
    """The response where there is no such path or method."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = {404: "There is nothing at this address.", 405: "This address does not take that method."}
    body = {"kind": "error", "code": "request", "message": message.get(status, "The request was not understood.")}
    return json_response(body, status)
