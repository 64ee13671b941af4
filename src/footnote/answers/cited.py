"""One result as something to cite: its figures, arguments, names and empty reason, each with its evidence.

Addresses are those of `Result.figures()`; beside them `argument.asOfDate`, `customer` and `customer.city` for a
resolved entity, and `empty` for the reason why there is nothing.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from footnote.errors import CatalogError
from footnote.evidence import Absence, Argument, Evidence, EvidenceSet, FieldValue, Json, Row
from footnote.figures import Figure, FigureType, Format, display
from footnote.operations.result import Result, ResultRow, Table
from footnote.operations.rows import spoken

NOT_RECORDED = "not recorded"
"""Said for NULL, which is neither zero nor nothing to say."""

_INDEX = re.compile(r"\[\d+\]")
_PERIOD = re.compile(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Filled:
    """A value to show.

    Attributes:
        text: As shown.
        evidence: What it rests on; added to the answer when cited.
        address: The figure's address in the result; empty if it is not a figure.
        number: For plural forms; None if it is not a number.
    """

    text: str
    evidence: tuple[Evidence, ...]
    address: str = ""
    number: Decimal | int | None = None


@dataclass(frozen=True, slots=True)
class Cited:
    """A result with its evidence, each entry marked as this result's."""

    result: Result
    known: EvidenceSet

    @classmethod
    def of(cls, result: Result) -> Cited:
        """The result, ready to be cited."""
        own = all(item.result == result.id for item in result.evidence)
        return cls(result, result.evidence if own else result.evidence.of_result(result.id))

    def values(self) -> Iterator[tuple[str, Filled]]:
        """Everything that can be cited, by address, in the result's order."""
        rows = {place: row for table in self.result.tables.values() for place, row in _places(table)}
        for address, figure in self.result.figures():
            yield address, self.figure(figure, address, rows.get(address.rpartition(".")[0]))
        for name in self.result.arguments:
            yield f"argument.{name}", self.argument(name)
        for entity in self.result.entities:
            yield entity.parameter, self.entity(entity.parameter)
            row = self.known.get(entity.evidence_id, self.result.id)
            for part in row.fields if isinstance(row, Row) else ():
                yield f"{entity.parameter}.{part}", self.field(entity.parameter, part)
        if self.result.empty:
            yield "empty", Filled(self.result.empty, tuple(self.absences()))

    def figure(self, figure: Figure, address: str, row: ResultRow | None = None) -> Filled:
        """A figure; one that no row adds to rests on the record its row stands for, or on a stated absence."""
        evidence = self.evidence_of(figure.evidence)
        if not evidence and row is not None and row.record:
            evidence = self.evidence_of((row.record,))
        if not evidence:
            path = f"{self.result.operation}.{_INDEX.sub('', address)}"
            evidence = [item for item in self.known if isinstance(item, Absence) and item.path == path]
            evidence = evidence or [Absence(path, f"No row counts towards {spoken(figure.name)}.", self.result.id)]
        value = figure.value
        number = value if isinstance(value, (Decimal, int)) and not isinstance(value, bool) else None
        return Filled(NOT_RECORDED if value is None else figure.display, tuple(evidence), address, number)

    def argument(self, name: str) -> Filled:
        """An argument as a person reads it, or the record that it named.

        Raises:
            CatalogError: The call did not have it.
        """
        if any(entity.parameter == name for entity in self.result.entities):
            return self.entity(name)
        if name not in self.result.arguments:
            raise CatalogError(f"{self.result.operation} was called without {name}, and it has no default.")
        value = self.result.arguments[name]
        text = argument_text(value)
        known = self.known.get(f"argument:{name}", self.result.id)
        number = value if isinstance(value, int) and not isinstance(value, bool) else None
        return Filled(text, (known or Argument(name, text, result=self.result.id),), number=number)

    def entity(self, parameter: str) -> Filled:
        """The label of the record that an entity argument named."""
        entity = next(e for e in self.result.entities if e.parameter == parameter)
        return Filled(entity.label, tuple(self.evidence_of((entity.evidence_id,))))

    def field(self, parameter: str, part: str) -> Filled:
        """A field of the record that an entity argument named.

        Raises:
            CatalogError: The record has no such field.
        """
        entity = next(e for e in self.result.entities if e.parameter == parameter)
        row = self.known.get(entity.evidence_id, self.result.id)
        if not isinstance(row, Row) or part not in row.fields:
            raise CatalogError(f"{entity.evidence_id} has no field {part}.")
        return _field(row, row.fields[part])

    def absences(self) -> list[Evidence]:
        """What the result says it looked for and did not find; one is stated here if it says none."""
        found: list[Evidence] = [e for e in self.known if isinstance(e, Absence) and e.path == self.result.operation]
        found = found or [e for e in self.known if isinstance(e, Absence)]
        return found or [Absence(self.result.operation, self.result.empty, self.result.id)]

    def evidence_of_row(self, row: ResultRow) -> list[Evidence]:
        """What a row of a statement opens: the record it stands for, else all that its figures rest on."""
        ids = [row.record] if row.record else [id for figure in row.figures.values() for id in figure.evidence]
        return self.evidence_of(dict.fromkeys(ids))

    def evidence_of(self, ids: Iterable[str]) -> list[Evidence]:
        """The result's evidence of these ids, in order.

        Raises:
            CatalogError: The result cites what it does not have.
        """
        found = []
        for id in ids:
            item = self.known.get(id, self.result.id)
            if item is None:
                raise CatalogError(
                    f"The result {self.result.id} cites {id}, which is not in its evidence.",
                    why="A figure that cannot be opened is not shown.",
                )
            found.append(item)
        return found


def argument_text(value: Json) -> str:
    """An argument as a person reads it: a date in ISO 8601, a period by its name, a list with commas."""
    if value is None:
        return NOT_RECORDED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(argument_text(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(argument_text(item) for item in value.values())
    period = _PERIOD.fullmatch(value) if isinstance(value, str) else None
    return _period_text(period[1], period[2]) if period else str(value)


def count_text(count: int, locale: str) -> str:
    """A number that Footnote counted, in the catalog's locale."""
    return display(count, Format(FigureType.COUNT), locale)


def _period_text(first: str, last: str) -> str:
    """`2026`, `2026-Q3` or `2026-08` if it is a year, quarter or month of the calendar; else both days."""
    start, end = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
    months = (end.year - start.year) * 12 + end.month - start.month + 1
    whole = start.day == 1 and (end + dt.timedelta(days=1)).day == 1
    if whole and months == 12 and start.month == 1:
        return f"{start.year:04}"
    if whole and months == 3 and start.month % 3 == 1:
        return f"{start.year:04}-Q{start.month // 3 + 1}"
    return f"{start.year:04}-{start.month:02}" if whole and months == 1 else f"{first} to {last}"


def _places(table: Table) -> Iterator[tuple[str, ResultRow]]:
    indexed = table.shape == "many" or len(table.rows) > 1
    for index, row in enumerate(table.rows):
        yield f"{table.name}[{index}]" if indexed else table.name, row


def _field(row: Row, field: FieldValue) -> Filled:
    number = field.value if isinstance(field.value, int) and not isinstance(field.value, bool) else None
    return Filled(field.display if field.value is not None else NOT_RECORDED, (row,), number=number)
