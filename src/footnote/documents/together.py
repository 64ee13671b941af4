"""Several indexes as one: documents and, beside them, rows of a system of record. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.documents.index import Index
from footnote.documents.units import Source, Unit


class Together:
    """Indexes whose files have names of their own; see `Index`."""

    def __init__(self, *indexes: Index) -> None:
        self._indexes = indexes
        self._of_file = {source.file: index for index in indexes for source in index.sources()}

    @property
    def size(self) -> int:
        """See `Index`."""
        return sum(index.size for index in self._indexes)

    def sources(self) -> Sequence[Source]:
        """See `Index`."""
        return sorted((s for index in self._indexes for s in index.sources()), key=lambda source: source.file)

    def source(self, file: str) -> Source:
        """See `Index`."""
        return self._of_file[file].source(file)

    def full(self, file: str) -> Source:
        """See `Index`."""
        return self._of_file[file].full(file)

    def candidates(self, groups: Sequence[Sequence[str]], *, limit: int = 64) -> Sequence[Unit]:
        """See `Index`; the candidates of each index, the first one's first."""
        return [unit for index in self._indexes for unit in index.candidates(groups, limit=limit)]

    def frequency(self, key: str) -> int:
        """See `Index`."""
        return sum(index.frequency(key) for index in self._indexes)

    def neighbours(self, unit: Unit, before: int = 1, after: int = 1) -> Sequence[Unit]:
        """See `Index`."""
        return self._of_file[unit.file].neighbours(unit, before, after)

    def rows(self, unit: Unit) -> Sequence[Unit]:
        """See `Index`."""
        return self._of_file[unit.file].rows(unit)
