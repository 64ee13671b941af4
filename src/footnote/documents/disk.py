"""The index on disk as the engine sees it; what was read once is kept in memory, up to a limit."""

from __future__ import annotations

import sqlite3
import threading
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from footnote.documents.packing import table_number, unpacked_head, unpacked_table, unpacked_unit
from footnote.documents.retrieval import best_units
from footnote.documents.store import Store, numbers_of
from footnote.documents.units import Source, Table, Unit

KEPT_UNITS = 50_000
KEPT_NUMBERS = 4_000_000
"""Numbers of units in the lists that are kept, all together."""


class DiskIndex:
    """A state of an index on disk. If another process changes the file, open a new one (`changed`)."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._version = self._data_version()
        self._gone = store.removed()
        self._size = store.size()
        rows = store.connection.execute("SELECT file, first, count, head FROM sources ORDER BY first").fetchall()
        self._firsts = array("q", (first for _, first, _, _ in rows))
        self._places = [(file, first, count) for file, first, count, _ in rows]
        self._first_of = {file: (first, count) for file, first, count in self._places}
        self._packed = {file: head for file, _, _, head in rows}
        self._heads: dict[str, Source] = {}
        self._all: tuple[Source, ...] | None = None
        self._units: OrderedDict[int, Unit] = OrderedDict()
        self._tables: dict[tuple[int, int], Table] = {}
        self._lists: OrderedDict[str, array[int]] = OrderedDict()
        self._kept = 0
        self._counts: dict[str, int] = {}

    def _data_version(self) -> int:
        (version,) = self._store.connection.execute("PRAGMA data_version").fetchone()
        return int(version)

    def changed(self) -> bool:
        """Whether the file was changed by another connection."""
        with self._lock:
            return self._data_version() != self._version

    @property
    def size(self) -> int:
        """Units in it."""
        return self._size

    # --- sources ------------------------------------------------------------------------------------------------------

    def sources(self) -> Sequence[Source]:
        """See `Index`."""
        if self._all is None:
            self._all = tuple(self.source(file) for file in sorted(self._packed))
        return self._all

    def source(self, file: str) -> Source:
        """See `Index`."""
        if (head := self._heads.get(file)) is None:
            head = self._heads[file] = unpacked_head(self._packed[file])
        return head

    def full(self, file: str) -> Source:
        """A source with its text and units.

        Raises:
            KeyError: There is none of this name.
        """
        first, count = self._first_of[file]
        with self._lock:
            found = self._store.connection.execute("SELECT text FROM sources WHERE file = ?", (file,)).fetchone()
        if found is None:  # another process removed it
            raise KeyError(file)
        units = tuple(self._read(range(first, first + count)))
        text = zlib.decompress(found[0]).decode("utf-8", "surrogatepass")
        return replace(self.source(file), text=text, units=units)

    # --- candidates ---------------------------------------------------------------------------------------------------

    def scored(self, groups: Sequence[Sequence[str]], *, limit: int = 64) -> list[tuple[float, Unit]]:
        """Candidates with their scores."""
        with self._lock:
            best = best_units(self, groups, self._size, limit)
            units = self._by_number([at for _, at in best])
        found = [(score, units[at]) for score, at in best if at in units]
        return sorted(found, key=lambda pair: (-round(pair[0], 6), pair[1].file, pair[1].number))[:limit]

    def candidates(self, groups: Sequence[Sequence[str]], *, limit: int = 64) -> Sequence[Unit]:
        """See `Index`."""
        return [unit for _, unit in self.scored(groups, limit=limit)]

    def frequency(self, key: str) -> int:
        """See `Index`."""
        with self._lock:
            return self.count(key)

    def count(self, key: str) -> int:
        """See `Postings`; what was removed since lists were merged may still be counted."""
        known = self._counts.get(key)
        if known is None:
            query = "SELECT coalesce(sum(count), 0) FROM postings WHERE key = ?"
            (known,) = self._store.connection.execute(query, (key,)).fetchone()
            if len(self._counts) > 500_000:
                self._counts.clear()
            self._counts[key] = known
        return known

    def units(self, key: str) -> Sequence[int]:
        """See `Postings`."""
        if (numbers := self._lists.get(key)) is not None:
            self._lists.move_to_end(key)
            return numbers
        numbers = array("I")
        for (blob,) in self._store.connection.execute(
            "SELECT units FROM postings WHERE key = ? ORDER BY segment", (key,)
        ):
            numbers.extend(numbers_of(blob))
        numbers = self._gone.without(numbers)
        self._lists[key] = numbers
        self._kept += len(numbers)
        while self._kept > KEPT_NUMBERS and len(self._lists) > 1:
            _, dropped = self._lists.popitem(last=False)
            self._kept -= len(dropped)
        return numbers

    # --- units --------------------------------------------------------------------------------------------------------

    def neighbours(self, unit: Unit, before: int = 1, after: int = 1) -> Sequence[Unit]:
        """See `Index`."""
        first, count = self._first_of[unit.file]
        at = first + unit.number
        numbers = [n for n in range(max(first, at - before), min(first + count, at + after + 1)) if n != at]
        return self._read(numbers)

    def rows(self, unit: Unit) -> Sequence[Unit]:
        """See `Index`."""
        if unit.table is None:
            return ()
        first, count = self._first_of[unit.file]
        at = first + unit.number
        low = high = at
        number = unit.table.number
        while low > first and self._is_of(low - 1, number):
            low -= 1
        while high + 1 < first + count and self._is_of(high + 1, number):
            high += 1
        return self._read(range(low, high + 1))

    def _is_of(self, at: int, table: int) -> bool:
        found = self._read([at])
        return bool(found) and found[0].table is not None and found[0].table.number == table

    def _read(self, numbers: Sequence[int]) -> list[Unit]:
        """The units of these numbers that are there, in their order."""
        found = self._by_number(numbers)
        return [found[n] for n in numbers if n in found]

    def _by_number(self, numbers: Sequence[int]) -> dict[int, Unit]:
        with self._lock:
            missing = [n for n in numbers if n not in self._units]
            for start in range(0, len(missing), 500):
                self._fetch(missing[start : start + 500])
            out = {n: unit for n in numbers if (unit := self._units.get(n)) is not None}
            while len(self._units) > KEPT_UNITS:
                self._units.popitem(last=False)
            return out

    def _fetch(self, numbers: Sequence[int]) -> None:
        marks = ",".join("?" * len(numbers))
        query = f"SELECT id, data FROM units WHERE id IN ({marks})"  # noqa: S608 - marks only
        for number, data in self._store.connection.execute(query, tuple(numbers)).fetchall():
            if (place := self._place(number)) is not None:
                file, first, _ = place
                self._units[number] = unpacked_unit(file, data, self._table(file, first, table_number(data)))

    def _place(self, number: int) -> tuple[str, int, int] | None:
        from bisect import bisect_right

        at = bisect_right(self._firsts, number) - 1
        if at < 0:
            return None
        place = self._places[at]
        return place if number < place[1] + place[2] else None

    def _table(self, file: str, first: int, number: int) -> Table | None:
        if not number:
            return None
        if (table := self._tables.get((first, number))) is None:
            query = "SELECT data FROM tables WHERE first = ? AND number = ?"
            try:
                found = self._store.connection.execute(query, (first, number)).fetchone()
            except sqlite3.Error:
                return None
            if found is None:
                return None
            if len(self._tables) > KEPT_UNITS:
                self._tables.clear()
            table = self._tables[first, number] = unpacked_table(file, found[0])
        return table
