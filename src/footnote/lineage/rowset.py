"""What stands for the rows behind a figure where there are too many to record: a count, and a salted digest.

A row is one line of text, exactly as the source gave it: the key of the grain's row and what the row gives to each
aggregate. Lines stand in record order and are cut into chunks of `CHUNK`; each chunk has a digest of its own, and one
digest is over all of them. So whoever is shown a page of rows can check that page alone, and whoever is shown all of
them can check that they are the rows that were added up: no more, no fewer, none changed.

- line: the values as a JSON array of exact values, no spaces: integers below 2^53 as they are, others, decimals and dates
  as text, a text as `x` and its bytes in UTF-8 in hex, so that every engine can write the same line
- chunk digest: HMAC-SHA256(salt, number of the chunk from 0 in decimal || 0x0a || lines, each followed by 0x0a), hex
- digest: HMAC-SHA256(salt, count in decimal || 0x0a || chunk digests in hex, each followed by 0x0a), hex

The salt (32 random bytes) keeps anybody from testing a guess at a row against its digest once the salt is destroyed.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from footnote.figures import Exact, exact_text
from footnote.figures.exact import SAFE_INTEGER

SALT_BYTES = 32
_encode = json.JSONEncoder(separators=(",", ":")).encode
CHUNK = 10_000
"""Rows that have one digest together."""


@dataclass(frozen=True, slots=True)
class RowSet:
    """The rows behind one row of a result.

    Attributes:
        count: How many rows.
        salt: 32 random bytes, hex.
        digest: Over all rows, hex.
        chunks: One digest for each `CHUNK` rows, hex.
        key: Values of the group's keys, exact; what the rows have in common.
    """

    count: int
    salt: str
    digest: str
    chunks: tuple[str, ...]
    key: tuple[Exact, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As recorded."""
        return {
            "key": list(self.key),
            "count": self.count,
            "chunk": CHUNK,
            "salt": self.salt,
            "digest": self.digest,
            "chunks": list(self.chunks),
        }

    @classmethod
    def from_dict(cls, recorded: dict[str, Any]) -> RowSet:
        """What `as_dict` gave."""
        chunks, key = tuple(recorded["chunks"]), tuple(recorded["key"])
        return cls(recorded["count"], recorded["salt"], recorded["digest"], chunks, key)


def exact_key(key: Iterable[Any]) -> tuple[Exact, ...]:
    """A group's key as it is recorded."""
    return tuple(exact_text(value) for value in key)


def line(values: Iterable[Any]) -> str:
    """One row as it is digested."""
    return _encode([value if _is_exact(value) else _written(value) for value in values])


def _is_exact(value: Any) -> bool:
    """Whether the value is written as it is, seen without a call for what most values are."""
    return value is None or (type(value) is int and -SAFE_INTEGER < value < SAFE_INTEGER)


def _written(value: Any) -> Exact:
    return f"x{value.encode().hex()}" if isinstance(value, str) else exact_text(value)


@dataclass(frozen=True, slots=True)
class Extent:
    """How many rows a figure rests on, and what they add and take away.

    Attributes:
        count: Rows that contribute.
        plus: Their positive contributions, added up; None where the figure is no sum.
        minus: The negative ones.
    """

    count: int
    plus: int | Decimal | None = None
    minus: int | Decimal | None = None


class RowDigest:
    """Takes lines in record order, in flat memory (but for the digests of the chunks)."""

    def __init__(self, salt: bytes) -> None:
        self._salt = salt
        self._lines: list[str] = []
        self._chunks: list[str] = []
        self.count = 0

    def add(self, lines: Sequence[str]) -> None:
        """Take further lines."""
        self.count += len(lines)
        self._lines += lines
        while len(self._lines) >= CHUNK:
            self._close(self._lines[:CHUNK])
            del self._lines[:CHUNK]

    def _close(self, lines: Sequence[str]) -> None:
        self._chunks.append(chunk_digest(self._salt, len(self._chunks), lines))

    def row_set(self, key: Sequence[Any] = ()) -> RowSet:
        """What stands for the lines of the group with this key; none can be added after."""
        if self._lines:
            self._close(self._lines)
            self._lines = []
        return row_set_of(self._salt, self.count, self._chunks, key)


def row_set_of(salt: bytes, count: int, chunks: Sequence[str], key: Sequence[Any] = ()) -> RowSet:
    """What stands for so many lines with these digests of their chunks."""
    told = f"{count}\n" + "".join(f"{chunk}\n" for chunk in chunks)
    whole = hmac.digest(salt, told.encode("ascii"), "sha256").hex()
    return RowSet(count, salt.hex(), whole, tuple(chunks), exact_key(key))


def pads_of(salt: bytes) -> tuple[str, str]:
    """The inner and the outer key of HMAC-SHA256 (RFC 2104) in hex, with which an engine computes it by SHA-256 alone."""
    block = salt.ljust(64, b"\0")
    return bytes(byte ^ 0x36 for byte in block).hex(), bytes(byte ^ 0x5C for byte in block).hex()


def chunk_digest(salt: bytes, number: int, lines: Sequence[str]) -> str:
    """The digest of one chunk."""
    text = "\n".join(lines)
    return hmac.digest(salt, f"{number}\n{text}\n".encode("ascii"), "sha256").hex()
