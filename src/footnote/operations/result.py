"""What an operation returned: figures, rows, evidence, snapshot, or an empty reason. Recorded under a short id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from footnote.evidence import EvidenceSet, Json
from footnote.figures import Figure
from footnote.lineage.rowset import RowSet

SHORT_ID = 12
"""Hex digits of the record's UUID that name a result: 48 bits, so that a log of a million records is still unambiguous."""


def short_id(record_id: str) -> str:
    """The id that names a result, from the UUID of its record."""
    return record_id.replace("-", "")[:SHORT_ID]


@dataclass(frozen=True, slots=True)
class Executed:
    """A query that ran: what the engine was given, how long it took, how many rows came back."""

    purpose: Literal["entity", "statement", "witness", "fields"]
    statement: str
    sql: str
    parameters: Mapping[str, Json]
    duration_ms: str
    rows: int

    def as_dict(self) -> dict[str, Any]:
        """The query as recorded."""
        return {
            "purpose": self.purpose,
            "statement": self.statement,
            "sql": self.sql,
            "params": dict(self.parameters),
            "durationMs": self.duration_ms,
            "rows": self.rows,
        }


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row of a statement.

    Attributes:
        figures: By column.
        record: The evidence id of the row it stands for, if the statement says so.
        rows: What stands for the rows behind it, where they are too many to record.
        terms: By column: ids of other rows whose amount is a term of the figure. Other rows of the list may have the same.
    """

    figures: Mapping[str, Figure]
    record: str = ""
    rows: RowSet | None = None
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The row as recorded."""
        out: dict[str, Any] = {"figures": {name: figure.as_dict() for name, figure in self.figures.items()}}
        return out | ({"record": self.record} if self.record else {})


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one statement. A table of shape `one` has several rows only where it has several currencies."""

    name: str
    shape: Literal["one", "many"]
    rows: tuple[ResultRow, ...]

    def as_dict(self) -> dict[str, Any]:
        """The table as recorded."""
        return {"name": self.name, "shape": self.shape, "rows": [row.as_dict() for row in self.rows]}


@dataclass(frozen=True, slots=True)
class ResolvedEntity:
    """The record that an entity argument named."""

    parameter: str
    given: str
    evidence_id: str
    label: str

    def as_dict(self) -> dict[str, Any]:
        """The entity as recorded."""
        return {
            "parameter": self.parameter,
            "given": self.given,
            "evidenceId": self.evidence_id,
            "label": self.label,
        }


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """A control check that held, with the two values that were compared, as displayed."""

    say: str
    left: str
    right: str

    def as_dict(self) -> dict[str, Any]:
        """The check as recorded."""
        return {"say": self.say, "left": self.left, "right": self.right}


@dataclass(frozen=True, slots=True)
class Result:
    """What an operation returned, already tied out.

    Attributes:
        record_id: UUID of its provenance record.
        operation: Name in the catalog.
        title: The operation's title.
        arguments: Arguments after defaults, exact (dates in ISO 8601), by parameter name.
        entities: What entity arguments resolved to.
        tables: A table per statement, by name, in catalog order.
        derived: Figures computed exactly from other figures.
        evidence: Everything the figures cite; rows carry the fields this operation saw.
        queries: Every query that ran, in order.
        source: The source's name (never a password).
        taken_at: RFC 3339 time of the snapshot all queries shared.
        as_of: ISO date the figures are as of; empty if the operation has none.
        basis: `current` or `reconstructed` if `as_of` is set.
        empty: Why there is nothing; empty text if there is something.
        checks: Control checks that held.
        notes: What a reader must know: figures computed by Footnote, balances as now, and the like.
        receipt: `{"id", "sequence", "hash"}` once it is recorded.
    """

    record_id: str
    operation: str
    title: str
    arguments: Mapping[str, Json]
    entities: tuple[ResolvedEntity, ...]
    tables: Mapping[str, Table]
    derived: Mapping[str, Figure]
    evidence: EvidenceSet
    queries: tuple[Executed, ...]
    source: str
    taken_at: str
    catalog_digest: str
    as_of: str = ""
    basis: str = ""
    empty: str = ""
    checks: tuple[CheckOutcome, ...] = ()
    notes: tuple[str, ...] = ()
    duration_ms: str = "0"
    receipt: Mapping[str, Json] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The short id."""
        return short_id(self.record_id)

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Every figure with its address: `totals.invoiceCount`, `invoices[2].outstanding`, `derived.growth`."""
        for table in self.tables.values():
            indexed = table.shape == "many" or len(table.rows) > 1
            for number, row in enumerate(table.rows):
                place = f"{table.name}[{number}]" if indexed else table.name
                for name, figure in row.figures.items():
                    yield f"{place}.{name}", figure
        for name, figure in self.derived.items():
            yield f"derived.{name}", figure

    def as_dict(self) -> dict[str, Any]:
        """The result as recorded in the section `result`; evidence and queries are sections of their own."""
        out: dict[str, Any] = {
            "id": self.id,
            "operation": self.operation,
            "title": self.title,
            "arguments": dict(self.arguments),
            "entities": [entity.as_dict() for entity in self.entities],
            "tables": [table.as_dict() for table in self.tables.values()],
            "derived": {name: figure.as_dict() for name, figure in self.derived.items()},
            "source": self.source,
            "snapshot": self.taken_at,
            "catalog": self.catalog_digest,
            "checks": [check.as_dict() for check in self.checks],
            "notes": list(self.notes),
        }
        optional = {"asOf": self.as_of, "basis": self.basis, "empty": self.empty}
        return out | {key: value for key, value in optional.items() if value}

    def row_sets(self) -> list[dict[str, Any]]:
        """The section `rows`: what stands for the rows behind each row of a table, where they are too many to record."""
        return [
            {"table": table.name, "row": number} | row.rows.as_dict()
            for table in self.tables.values()
            for number, row in enumerate(table.rows)
            if row.rows is not None
        ]

    def operation_dict(self) -> dict[str, Any]:
        """The result's entry in the section `operations`, with the names that existing exports use.

        `query` is the first statement (what a reader is shown first); `queries` is everything that ran.
        """
        first = next((q for q in self.queries if q.purpose == "statement"), None)
        out: dict[str, Any] = {
            "name": self.operation,
            "arguments": dict(self.arguments),
            "durationMs": self.duration_ms,
            "result": self.id,
            "queries": [query.as_dict() for query in self.queries],
        }
        if first is not None:
            out["query"] = {"sql": first.sql, "params": dict(first.parameters)}
        return out | ({"emptyReason": self.empty} if self.empty else {})
