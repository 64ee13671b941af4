"""An index in memory, for texts that come with a call and for small folders. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from footnote.documents.keys import keys_of
from footnote.documents.retrieval import best_units
from footnote.documents.units import Source, Unit

_NONE: array[int] = array("I")


class MemoryIndex:
    """All units of some sources. Their order does not matter: sources are taken in order of their files' names."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._full = {source.file: source for source in sorted(sources, key=lambda source: source.file)}
        self._heads = tuple(replace(source, text="", units=()) for source in self._full.values())
        self._by_file = {source.file: source for source in self._heads}
        self._units = [unit for source in self._full.values() for unit in source.units]
        self._postings: dict[str, array[int]] = {}
        for number, unit in enumerate(self._units):
            for key in unit_keys(unit, self._by_file[unit.file]):
                self._postings.setdefault(key, array("I")).append(number)

    @property
    def size(self) -> int:
        """Units in it."""
        return len(self._units)

    def sources(self) -> Sequence[Source]:
        """See `Index`."""
        return self._heads

    def source(self, file: str) -> Source:
        """See `Index`."""
        return self._by_file[file]

    def full(self, file: str) -> Source:
        """A source with its text and units."""
        return self._full[file]

    def scored(self, groups: Sequence[Sequence[str]], *, limit: int = 64) -> list[tuple[float, Unit]]:
        """Candidates with their scores."""
        found = [(score, self._units[at]) for score, at in best_units(self, groups, self.size, limit)]
        return sorted(found, key=lambda pair: (-round(pair[0], 6), pair[1].file, pair[1].number))[:limit]

    def candidates(self, groups: Sequence[Sequence[str]], *, limit: int = 64) -> Sequence[Unit]:
        """See `Index`."""
        return [unit for _, unit in self.scored(groups, limit=limit)]

    def frequency(self, key: str) -> int:
        """See `Index`."""
        return self.count(key)

    def neighbours(self, unit: Unit, before: int = 1, after: int = 1) -> Sequence[Unit]:
        """See `Index`."""
        units = self._full[unit.file].units
        at = unit.number
        return [*units[max(0, at - before) : at], *units[at + 1 : at + 1 + after]]

    def rows(self, unit: Unit) -> Sequence[Unit]:
        """See `Index`."""
        if unit.table is None:
            return ()
        number = unit.table.number
        return [u for u in self._full[unit.file].units if u.table is not None and u.table.number == number]

    # --- postings -----------------------------------------------------------------------------------------------------

    def count(self, key: str) -> int:
        """See `Postings`."""
        return len(self._postings.get(key, _NONE))

    def units(self, key: str) -> Sequence[int]:
        """See `Postings`."""
        return self._postings.get(key, _NONE)


def unit_keys(unit: Unit, source: Source) -> tuple[str, ...]:
    """The keys under which a unit is found: its text, what binds its cells, the headings above it, and its document's.

    An invoice has its number in its title and its due date in a line of its own; a claim names both.
    """
    around = [source.title, *(party.name for party in source.parties), *unit.section[-2:]]
    if unit.table is not None:
        around += [*unit.group, unit.table.caption, unit.table.unit]
        around += dict.fromkeys(text for cell in unit.cells for text in cell.headers)
    return tuple(dict.fromkeys((*keys_of(unit.text), *(key for text in around for key in _keys_around(text)))))


_keys_around = lru_cache(maxsize=4096)(keys_of)
"""The keys of headings and captions, which many units share."""
