r"""Lines that the SDK cannot read get an answer too, so that no client waits for one that never comes.

The SDK drops a line that is no JSON-RPC message: half of a surrogate pair (`"\ud800"`), deep nesting, no JSON at all.
Here such a line is looked at once more, for the id of the request, and answered: a call of a tool with `isError`, so
that a model can mend it; anything else with an error. The answer never repeats what the line said.
"""

from __future__ import annotations

import json
import re
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import INVALID_REQUEST, PARSE_ERROR
from pydantic import ValidationError

from footnote.serve.plain import has_lone_surrogate

_ENVELOPE = f'"{types.PROTOCOL_VERSION_META_KEY}"'
"""Stands in a request of revision 2026-07-28 and later."""

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_OPENING, _CLOSING, _COLON, _COMMA = "{[", "}]", ":", ","
_WANTED = {'"id"': "id", '"method"': "method"}

_SURROGATE = (
    "The call cannot be read: a text in it holds half of a surrogate pair, which is no valid Unicode. "
    "Send the text as valid Unicode."
)
_DEEP = "The call cannot be read: it is nested too deeply. Arguments are texts, numbers and flat lists."
_LONG_NUMBER = "The call cannot be read: a number in it has more digits than any figure has."
_NO_JSON = "The message is not JSON. Send one JSON-RPC message per line."
_NO_MESSAGE = "The message is not a JSON-RPC request. Send one JSON-RPC message per line."
_NO_ID = "The message asks for an answer and has no id that an answer could name: send a text or a whole number."

_MOST_DIGITS = 4_000
"""Of a whole number; Python reads a few more, and no source holds as many."""


class ReadableLines:
    """The read side of a transport; what cannot be read is answered on the write side and left out."""

    def __init__(self, read: ReadStream[SessionMessage | Exception], write: WriteStream[SessionMessage]) -> None:
        self._read = read
        self._write = write

    @property
    def last_context(self) -> Any:
        """The context of the last message's sender, as the SDK's own streams have it."""
        return getattr(self._read, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        while True:
            item = await self._read.receive()
            if not isinstance(item, Exception):
                if not _is_request_without_id(item.message):
                    return item
                answer: types.JSONRPCMessage | None = _error(None, INVALID_REQUEST, _NO_ID)
            else:
                answer = answer_to_unreadable(_line_of(item))
            if answer is not None:
                try:
                    await self._write.send(SessionMessage(answer))
                except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                    raise anyio.EndOfStream from None

    async def aclose(self) -> None:
        """Close the stream."""
        await self._read.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        await self.aclose()
        return None


def _line_of(error: Exception) -> str:
    """The line that the SDK could not read."""
    if isinstance(error, ValidationError):
        for detail in error.errors(include_url=False, include_context=False):
            if detail["type"] == "json_invalid" and isinstance(detail["input"], str):
                return detail["input"]
            if detail["type"] == "missing" and len(detail["loc"]) == 2:  # JSON, but no message: a member is missing
                return json.dumps(detail["input"])
    return "{}"


def _is_request_without_id(message: types.JSONRPCMessage) -> bool:
    """Whether the SDK took a request whose id is none (`null`, `1.5`) for a notification, which has no answer."""
    return isinstance(message, types.JSONRPCNotification) and not message.method.startswith("notifications/")


def answer_to_unreadable(line: str) -> types.JSONRPCMessage | None:
    """The answer to a line that is no readable message; None if it asks for none."""
    if not line.strip():
        return None
    try:
        message = json.loads(line, parse_int=_whole_number)
    except RecursionError:
        message, fault = _outermost(line), _DEEP
    except ValueError:
        return _error(None, PARSE_ERROR, _NO_JSON)
    else:
        fault = _fault_of(message, line)
    if not isinstance(message, dict):
        return _error(None, INVALID_REQUEST, _NO_MESSAGE)
    if ("method" in message) != ("id" in message):
        return None  # a notification, or an answer to a request that we never made
    id = _usable_id(message.get("id"))
    if message.get("method") != "tools/call" or id is None or fault is _NO_MESSAGE:
        return _error(id, INVALID_REQUEST, fault)
    result: dict[str, Any] = {"content": [{"type": "text", "text": fault}], "isError": True}
    if _ENVELOPE in line:
        result["resultType"] = "complete"
    return types.JSONRPCResponse(jsonrpc="2.0", id=id, result=result)


def _fault_of(message: Any, line: str) -> str:
    """Why the SDK could not read a line that is JSON."""
    if has_lone_surrogate(message):
        return _SURROGATE
    is_request = isinstance(message, dict) and "id" in message and isinstance(message.get("method"), str)
    if not is_request or message.get("jsonrpc") != "2.0" or not isinstance(message.get("params", {}), dict):
        return _NO_MESSAGE
    return _LONG_NUMBER if re.search(rf"[0-9]{{{_MOST_DIGITS}}}", line) else _DEEP


def _whole_number(digits: str) -> int:
    """A whole number of JSON; 0 for one that Python refuses to read, since its value is not looked at."""
    return int(digits) if len(digits) < _MOST_DIGITS else 0


def _usable_id(value: Any) -> str | int | None:
    if isinstance(value, bool) or not isinstance(value, str | int) or has_lone_surrogate(value):
        return None
    return value


def _error(id: str | int | None, code: int, text: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=id, error=types.ErrorData(code=code, message=text))


def _outermost(line: str) -> dict[str, Any]:
    """`id` and `method` of a JSON object that is too deep for a parser, read without going into it."""
    found: dict[str, Any] = {}
    depth = 0
    key = last = ""
    for match in _PIECE.finditer(line):
        piece = match[0]
        if piece in _OPENING:
            depth += 1
        elif piece in _CLOSING:
            depth -= 1
        elif depth == 1 and piece == _COLON:
            key = last
        elif depth == 1 and key in _WANTED and piece != _COMMA:
            found[_WANTED[key]] = _scalar(piece)
            key = ""
        last = piece
    return found


def _scalar(piece: str) -> Any:
    try:
        return json.loads(piece)
    except ValueError:
        return None
