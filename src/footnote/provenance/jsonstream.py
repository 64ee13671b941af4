"""Reading a large JSON object whose one long list must not be held in memory.

An export is an object with a few small members and a list `records`. `Envelope` reads the members before the list,
hands out the list's items one at a time, then reads the members behind it. Memory is bounded by one item. What is not
JSON, has a name twice, nests without end or is cut off raises `BrokenFile` with the place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any, Final

from footnote.errors import UsageError

CHUNK: Final = 1 << 16
"""Characters read at once."""

MAX_ITEM: Final = 1 << 27
"""Characters that one item or member may have."""

_SPACE: Final = " \t\n\r"


class BrokenFile(UsageError):
    """A file that is not the JSON it should be, or not all of it."""

    code = "broken_file"


class Envelope:
    """An object read from `source`, with the list under `list_name` streamed.

    Read `before` first, exhaust `items()`, then call `after()`; each once.
    """

    def __init__(self, source: IO[str], list_name: str, *, max_item: int = MAX_ITEM) -> None:
        self._source = source
        self._max_item = max_item
        self._list_name = list_name
        self._buffer = ""
        self._at = 0
        self._consumed = 0
        self._ended = False
        self._seen: set[str] = set()
        self.before: dict[str, Any] = {}
        """Members that stand before the list."""
        self._expect("{")
        self.has_list = self._read_members(self.before, first=True)
        """Whether the list is there at all."""

    def items(self) -> Iterator[Any]:
        """The list's items, in order; none if there is no list.

        Raises `BrokenFile` where the file stops being JSON.
        """
        if not self.has_list:
            return
        self._expect("[")
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            yield self._value()
            if self._next(",", "]") == "]":
                return

    def after(self) -> dict[str, Any]:
        """Members that stand behind the list; nothing may follow the object.

        Raises `BrokenFile` if it does.
        """
        members: dict[str, Any] = {}
        if self.has_list:
            self._read_members(members, first=False)
        if self._peek():
            raise self._broken("something follows the end of the object")
        return members

    def _read_members(self, into: dict[str, Any], *, first: bool) -> bool:
        """Read members up to the list (True) or to the end of the object (False)."""
        if first and self._peek() == "}":
            self._at += 1
            return False
        while first or self._next(",", "}") == ",":
            first = False
            if self._peek() != '"':
                raise self._broken("a name in quotes should stand")
            name = self._value()
            if name in self._seen:
                raise self._broken(f"the name {name[:40]!a} stands a second time")
            self._seen.add(name)
            self._expect(":")
            if name == self._list_name:
                return True
            into[name] = self._value()
        return False

    def _value(self) -> Any:
        if not self._peek():
            raise self._broken("the file ends")
        while True:
            cause = ""
            try:
                value, end = _decoder.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                cause = f"the file is not JSON ({error.msg})"
            except (ValueError, RecursionError) as error:
                raise self._broken(_cause(error)) from error
            else:
                # A number may go on in the next chunk: `0.5` is `0` and a point while the 5 has not been read.
                if self._ended or (end < len(self._buffer) and self._buffer[end] not in _GOES_ON):
                    self._at = end
                    return value
            if not self._more():
                raise self._broken(cause or "the file ends")

    def _more(self) -> bool:
        """Append to the buffer at least as much again, so that an item is not scanned more often than it doubles."""
        if self._ended:
            return False
        kept = self._buffer[self._at :]
        if len(kept) > self._max_item:
            raise self._broken(f"an item has more than {self._max_item} characters")
        self._consumed += self._at
        try:
            read = self._source.read(max(CHUNK, len(kept)))
        except UnicodeDecodeError as error:
            raise self._broken("the file is not UTF-8") from error
        self._buffer, self._at, self._ended = kept + read, 0, not read
        return bool(read) or bool(kept)

    def _peek(self) -> str:
        """The next character that is not white space; empty at the end of the file."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in _SPACE:
                    return self._buffer[self._at]
                self._at += 1
            if self._ended or not self._more():
                return ""

    def _next(self, *allowed: str) -> str:
        found = self._peek()
        if not found:
            raise self._broken("the file ends")
        if found not in allowed:
            raise self._broken(f"{' or '.join(allowed)} should stand")
        self._at += 1
        return found

    def _expect(self, character: str) -> None:
        self._next(character)

    def _broken(self, what: str) -> BrokenFile:
        place = self._consumed + self._at
        return BrokenFile(f"The file is damaged: at character {place}, {what}.", details={"character": place})


def strict_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError for a name twice in one object and for NaN, RecursionError for depth."""
    return _decoder.decode(text)


def _cause(error: Exception) -> str:
    return "it nests without end" if isinstance(error, RecursionError) else str(error)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return members


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


_GOES_ON = ".eE"

_decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
