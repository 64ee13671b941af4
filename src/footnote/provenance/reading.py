"""How a store is read, the same for every engine: in pages, so that whoever verifies a long log keeps nothing open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from footnote.provenance.store import Entry, Kept, Page

T = TypeVar("T")


class ReadsRows(Protocol):
    """The module that has an engine's statements; each takes a connection of the engine first."""

    PAGE: int

    def last(self, connection: Any, /) -> Entry | None:
        """The last record's leaf."""

    def orphan(self, connection: Any, /, after: int) -> int | None:
        """The sequence of the first part behind `after` that no record has."""

    def stray(self, connection: Any, /, upto: int) -> int | None:
        """The first sequence up to `upto` that has a leaf or parts."""

    def found(self, connection: Any, /, prefix: str, limit: int) -> list[Entry]:
        """Records whose id begins so."""

    def page(
        self, connection: Any, /, after: int, upto: int, kinds: Sequence[str] | None, *, with_parts: bool
    ) -> tuple[list[Entry], int]:
        """Records behind `after`, and behind which sequence to go on."""

    def raw_page(self, connection: Any, /, after: int, upto: int, *, with_parts: bool) -> Page:
        """The same as they lie there."""

    def leaf_bytes(self, connection: Any, /, after: int, count: int) -> list[bytes]:
        """Leaves, in order."""

    def subtree_roots(self, connection: Any, /, level: int, first: int, count: int) -> list[bytes]:
        """Roots of complete subtrees, in order."""

    def checkpoints(self, connection: Any, /, size: int, number: int, limit: int) -> list[tuple[int, Kept]]:
        """Checkpoints in order of size, with their numbers."""

    def latest_checkpoint(self, connection: Any, /, *, stamped: bool) -> Kept | None:
        """The latest one."""


class Reading(ABC):
    """The reading half of `Store`, over the statements of an engine and its way to run one."""

    _rows: ReadsRows

    @abstractmethod
    def _read(self, work: Callable[[Any], T]) -> T:
        """What `work` returns, on a connection for reading."""

    def tail(self) -> Entry | None:
        """See `Store`."""
        return self._read(self._rows.last)

    def entries(
        self, after: int = 0, upto: int | None = None, kinds: Sequence[str] | None = None, *, parts: bool = True
    ) -> Iterator[Entry]:
        """See `Store`. Parts that belong to no record come as an entry without a leaf, where it would stand."""
        last = upto
        if last is None:
            tail = self.tail()
            last = tail.sequence if tail else 0
        while after < last:
            page, after = self._read(partial(self._rows.page, after=after, upto=last, kinds=kinds, with_parts=parts))
            yield from page

    def pages(self, after: int, upto: int, *, parts: bool = True) -> Iterator[Page]:
        """See `Store`."""
        while after < upto:
            page = self._read(partial(self._rows.raw_page, after=after, upto=upto, with_parts=parts))
            yield page
            after = page.upto

    def find(self, prefix: str, limit: int) -> list[Entry]:
        """See `Store`."""
        return self._read(partial(self._rows.found, prefix=prefix, limit=limit))

    def orphan(self, after: int) -> int | None:
        """See `Store`."""
        return self._read(partial(self._rows.orphan, after=after))

    def stray(self, upto: int) -> int | None:
        """See `Store`."""
        return self._read(partial(self._rows.stray, upto=upto))

    def leaf_bytes(self, after: int, count: int) -> list[bytes]:
        """See `Subtrees`."""
        return self._read(partial(self._rows.leaf_bytes, after=after, count=count))

    def subtree_roots(self, level: int, first: int, count: int) -> list[bytes]:
        """See `Subtrees`."""
        return self._read(partial(self._rows.subtree_roots, level=level, first=first, count=count))

    def checkpoints(self, least: int = 0) -> Iterator[Kept]:
        """See `Store`."""
        size, number = least, 0
        while found := self._read(partial(self._rows.checkpoints, size=size, number=number, limit=self._rows.PAGE)):
            yield from (kept for _, kept in found)
            number, size = found[-1][0], found[-1][1].size

    def latest_checkpoint(self, *, stamped: bool = False) -> Kept | None:
        """See `Store`."""
        return self._read(partial(self._rows.latest_checkpoint, stamped=stamped))
