"""A part of a corpus: only sources of some authority or higher. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.documents.index import Index
from footnote.documents.units import Source, Unit

_MORE = 8
"""So many times more candidates are asked for, since some will be left out."""


class OfTier:
    """The index without sources of lower authority than `tier`; see `Index`."""

    def __init__(self, index: Index, tier: int) -> None:
        self._index = index
        self._tier = tier

    @property
    def size(self) -> int:
        """Units of the whole index."""
        return self._index.size

    def sources(self) -> Sequence[Source]:
        """See `Index`."""
        return [source for source in self._index.sources() if source.tier <= self._tier]

    def source(self, file: str) -> Source:
        """See `Index`."""
        return self._index.source(file)

    def full(self, file: str) -> Source:
        """See `Index`."""
        return self._index.full(file)

    def candidates(self, groups: Sequence[Sequence[str]], *, limit: int = 64) -> Sequence[Unit]:
        """See `Index`."""
        found = self._index.candidates(groups, limit=limit * _MORE)
        return [unit for unit in found if self._index.source(unit.file).tier <= self._tier][:limit]

    def frequency(self, key: str) -> int:
        """See `Index`."""
        return self._index.frequency(key)

    def neighbours(self, unit: Unit, before: int = 1, after: int = 1) -> Sequence[Unit]:
        """See `Index`."""
        return self._index.neighbours(unit, before, after)

    def rows(self, unit: Unit) -> Sequence[Unit]:
        """See `Index`."""
        return self._index.rows(unit)
