"""What a reader can open: rows, quotes, arguments, definitions and stated absences.

Ids are text and say what they are: `invoice:8812`, `quote:msa.md#1204-1288`, `argument:asOfDate`,
`definition:getReceivablesAging.answer`, `absence:getOpenTickets.tickets`, `group:getBilled.totals.d/12`. Within one answer an id may occur once per
result, because a record cited by two operations keeps the fields that each of them saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Json = None | bool | int | str | list[Any] | dict[str, Any]
"""JSON as recorded: no floats; exact numbers are text."""


@dataclass(frozen=True, slots=True)
class FieldValue:
    """One field of a row: exact text for programs, display text for people.

    Attributes:
        value: Exact: an int below 2^53, a bool, None, or text (Decimal as plain text, dates in ISO 8601).
        display: As a person reads it in the catalog's locale; empty for NULL.
        label: The column's name for people.
    """

    value: Json
    display: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a system of record: record type, key, and the fields as they were in the result's snapshot."""

    type: str
    record_id: str
    label: str
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    url: str = ""
    result: str = ""
    """Short id of the result that saw it."""

    @property
    def id(self) -> str:
        """`type:key`."""
        return f"{self.type}:{self.record_id}"

    @property
    def uri(self) -> str:
        """`erp://type/key`."""
        return f"erp://{self.type}/{self.record_id}"

    def as_dict(self) -> dict[str, Any]:
        """The row as recorded: `fields` as displayed, `values` exact, `labels` for people."""
        out: dict[str, Any] = {
            "id": self.id,
            "type": self.type,
            "recordId": self.record_id,
            "label": self.label,
            "uri": self.uri,
            "fields": {name: f.display for name, f in self.fields.items()},
            "values": {name: f.value for name, f in self.fields.items()},
            "labels": {name: f.label for name, f in self.fields.items() if f.label},
        }
        if self.url:
            out["url"] = self.url
        if self.result:
            out["result"] = self.result
        return out


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim passage: `text` is the substring of `file` from `start` to `end` (code points)."""

    file: str
    start: int
    end: int
    text: str
    result: str = ""

    @property
    def id(self) -> str:
        """`quote:file#start-end`."""
        return f"quote:{self.file}#{self.start}-{self.end}"

    def as_dict(self) -> dict[str, Any]:
        """The quote as recorded."""
        out: dict[str, Any] = {"id": self.id, "type": "quote", "label": self.text, "uri": f"doc://{self.file}"}
        out |= {"start": self.start, "end": self.end}
        return out | ({"result": self.result} if self.result else {})


@dataclass(frozen=True, slots=True)
class Argument:
    """The caller's own argument, or the default that stood in for it (`defaulted`)."""

    name: str
    value: str
    defaulted: bool = False
    result: str = ""

    @property
    def id(self) -> str:
        """`argument:name`."""
        return f"argument:{self.name}"

    def as_dict(self) -> dict[str, Any]:
        """The argument as recorded."""
        out: dict[str, Any] = {"id": self.id, "type": "argument", "label": f"{self.name} = {self.value}"}
        out |= {"value": self.value, "defaulted": self.defaulted}
        return out | ({"result": self.result} if self.result else {})


@dataclass(frozen=True, slots=True)
class Definition:
    """A text of the catalog that brings figures of its own, such as the bounds of an aging bucket."""

    path: str
    text: str
    catalog: str
    result: str = ""

    @property
    def id(self) -> str:
        """`definition:path`."""
        return f"definition:{self.path}"

    def as_dict(self) -> dict[str, Any]:
        """The definition as recorded."""
        out: dict[str, Any] = {"id": self.id, "type": "definition", "label": self.text, "catalog": self.catalog}
        return out | ({"result": self.result} if self.result else {})


@dataclass(frozen=True, slots=True)
class Absence:
    """What was looked for and not found: a statement that returned no row, and what it asked for."""

    path: str
    text: str
    result: str = ""

    @property
    def id(self) -> str:
        """`absence:path`."""
        return f"absence:{self.path}"

    def as_dict(self) -> dict[str, Any]:
        """The absence as recorded."""
        out: dict[str, Any] = {"id": self.id, "type": "absence", "label": self.text}
        return out | ({"result": self.result} if self.result else {})


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that an inner query puts together, of which one contribution to a figure is made: "12, 2026-03".

    Attributes:
        path: `operation.statement.query/key`.
        text: What the rows have in common, as the statement has it.
        rows: Ids of the rows, in record order.
        named_by: Id of the row whose label is the text, once it has been read; empty if the statement names it.
    """

    path: str
    text: str
    rows: tuple[str, ...]
    result: str = ""
    named_by: str = ""

    @property
    def id(self) -> str:
        """`group:path`."""
        return f"group:{self.path}"

    def as_dict(self) -> dict[str, Any]:
        """The group as recorded."""
        out: dict[str, Any] = {"id": self.id, "type": "group", "label": self.text, "rows": list(self.rows)}
        return out | ({"result": self.result} if self.result else {})


Evidence = Row | Quote | Argument | Definition | Absence | Group


class EvidenceSet:
    """Evidence in the order it was first cited; one entry per id and result."""

    def __init__(self, items: Iterable[Evidence] = ()) -> None:
        self._items: dict[tuple[str, str], Evidence] = {}
        for item in items:
            self.add(item)

    def add(self, item: Evidence) -> str:
        """Add `item` unless it is there; return its id."""
        self._items.setdefault((item.id, item.result), item)
        return item.id

    def get(self, id: str, result: str = "") -> Evidence | None:
        """The entry of this id and result, or None."""
        return self._items.get((id, result))

    def of_result(self, result: str) -> EvidenceSet:
        """A copy whose entries all belong to `result`."""
        return EvidenceSet(replace(item, result=result) for item in self)

    def ids(self) -> tuple[str, ...]:
        """All ids, in order, once each."""
        return tuple(dict.fromkeys(id for id, _ in self._items))

    def rows(self) -> tuple[Row, ...]:
        """The rows among them."""
        return tuple(item for item in self if isinstance(item, Row))

    def __iter__(self) -> Iterator[Evidence]:
        return iter(self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, id: object) -> bool:
        return any(known == id for known, _ in self._items)
