"""Values as DuckDB's driver gives them, made exact or marked before they are read.

The driver makes the last day of the calendar of an infinite date, cuts nanoseconds, and gives a day beyond the year 9999
as a text. Where a value may be one of these, DuckDB is asked; what cannot be read becomes `Unreadable`.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from footnote.sources.values import Unreadable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_CALENDAR = ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS")
_ENDS = frozenset((dt.date.max, dt.date.min, dt.datetime.max, dt.datetime.min))  # noqa: DTZ901 (infinity has no zone)
_PLAIN = frozenset((dt.date, type(None)))
"""Types of values that are as they should be."""
_BEYOND = Unreadable("a date outside of the years 1 to 9999, or infinity")


class Reader:
    """Reads the rows of one statement.

    Args:
        raw: The connection on which it was executed.
        another: Opens another connection to the same file.
        sql: Its text.
        parameters: Its parameters.
        zone: Where moments with a zone are given.
    """

    def __init__(
        self,
        raw: DuckDBPyConnection,
        another: Callable[[], DuckDBPyConnection],
        sql: str,
        parameters: Mapping[str, Any],
        zone: ZoneInfo,
    ) -> None:
        self._another = another
        self._sql = sql.rstrip().removesuffix(";")
        self._parameters = dict(parameters)
        self._zone = zone
        self._types = [str(column[1]) for column in raw.description or ()]
        self._odd = {place: read for place, word in enumerate(self._types) if (read := self._reading(word)) is not None}
        self._infinite: dict[int, bool] = {}

    def read(self, batch: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The rows, with what is odd in them marked."""
        if not self._odd or not batch:
            return list(batch)
        values = list(zip(*batch, strict=True))
        for place, read in self._odd.items():
            if not _PLAIN.issuperset(map(type, values[place])):
                values[place] = tuple(None if value is None else read(value) for value in values[place])
            if self._types[place] in _CALENDAR and not _ENDS.isdisjoint(values[place]):
                values[place] = self._finite(place, values[place])
        return list(zip(*values, strict=True))

    def _reading(self, word: str) -> Callable[[Any], Any] | None:
        if word == "TIMESTAMP_NS":
            return lambda _: Unreadable("a timestamp of nanoseconds, which would be cut: cast it to TIMESTAMP")
        if word in _CALENDAR:
            return self._calendar
        if word == "UUID":
            return lambda value: str(value) if isinstance(value, uuid.UUID) else value
        if word.startswith("TIME"):
            return str
        return None

    def _calendar(self, value: Any) -> Any:
        if isinstance(value, str):
            return _BEYOND
        if isinstance(value, dt.datetime) and value.tzinfo is not None:
            try:
                return value.astimezone(self._zone)
            except OverflowError:
                return _BEYOND
        return value

    def _finite(self, place: int, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The same, if no value of the column is infinite; the file cannot change between the two statements."""
        if place not in self._infinite:
            names = ", ".join(f"c{number}" for number in range(len(self._types)))
            test = f"SELECT 1 FROM ({self._sql}) AS q ({names}) WHERE isinf(c{place}) LIMIT 1"  # noqa: S608 (a SELECT)
            cursor = self._another()
            try:
                self._infinite[place] = cursor.execute(test, self._parameters).fetchone() is not None
            finally:
                cursor.close()
        if not self._infinite[place]:
            return values
        return tuple(_BEYOND if _is_day(value) and value in _ENDS else value for value in values)


def _is_day(value: Any) -> bool:
    return isinstance(value, dt.date)
