"""A result as a record, and read back from one, so that an answer may cite results of earlier calls and processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from footnote.access import Actor
from footnote.errors import LogBroken, UsageError
from footnote.evidence import (
    Absence,
    Argument,
    Definition,
    Evidence,
    EvidenceSet,
    FieldValue,
    Group,
    Json,
    Quote,
    Row,
)
from footnote.figures import Figure
from footnote.lineage.rowset import RowSet
from footnote.operations.result import CheckOutcome, Executed, ResolvedEntity, Result, ResultRow, Table
from footnote.provenance import Draft, Record


def result_draft(result: Result, actor: Actor) -> Draft:
    """What is recorded of a result, under the id it was given before it ran."""
    sections: dict[str, Json] = {
        "actor": dict(actor.as_dict()),
        "operations": [result.operation_dict()],
        "result": result.as_dict(),
    }
    row_sets: list[Json] = [*result.row_sets()]
    if row_sets:
        sections["rows"] = row_sets
    evidence = [item.as_dict() for item in result.evidence]
    return Draft("result", result.catalog_digest, sections, evidence, result.record_id)


def result_from_record(record: Record) -> Result:
    """The result that a record holds.

    Raises:
        UsageError: The record is no result, or its content was erased.
        LogBroken: Its payload is not what was recorded.
    """
    if record.kind != "result":
        raise UsageError(
            f"Record {record.short_id} is of kind {record.kind}, not a result.", remedy="Name a result's id."
        )
    altered = next((path for path, state in record.states.items() if state in ("altered", "missing")), None)
    if altered is not None:
        raise LogBroken(f"Record {record.sequence} does not verify: {altered} is not what was recorded.")
    if any(state == "erased" for state in record.states.values()):
        raise UsageError(f"Record {record.sequence} was erased in part.", remedy="Run the operation again.")
    result = cast("dict[str, Any]", record.sections["result"])
    row_sets = {(item["table"], item["row"]): RowSet.from_dict(item) for item in _listed(record.sections.get("rows"))}
    (operation,) = cast("list[dict[str, Any]]", record.sections["operations"])
    return Result(
        record_id=record.id,
        operation=result["operation"],
        title=result["title"],
        arguments=result["arguments"],
        entities=tuple(
            ResolvedEntity(e["parameter"], e["given"], e["evidenceId"], e["label"]) for e in result["entities"]
        ),
        tables={t["name"]: _table(t, row_sets) for t in result["tables"]},
        derived={name: Figure.from_dict(figure) for name, figure in result["derived"].items()},
        evidence=EvidenceSet(_evidence(cast("dict[str, Any]", item)) for item in record.evidence),
        queries=tuple(_query(q) for q in operation["queries"]),
        source=result["source"],
        taken_at=result["snapshot"],
        catalog_digest=result["catalog"],
        as_of=result.get("asOf", ""),
        basis=result.get("basis", ""),
        empty=result.get("empty", ""),
        checks=tuple(CheckOutcome(c["say"], c["left"], c["right"]) for c in result["checks"]),
        notes=tuple(result["notes"]),
        duration_ms=operation["durationMs"],
        receipt=record.receipt.as_dict(),
    )


def _listed(section: Json) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", section) if isinstance(section, list) else []


def _table(recorded: Mapping[str, Any], row_sets: Mapping[tuple[str, int], RowSet]) -> Table:
    name = recorded["name"]
    rows = tuple(
        ResultRow(
            {name: Figure.from_dict(figure) for name, figure in row["figures"].items()},
            row.get("record", ""),
            row_sets.get((name, number)),
        )
        for number, row in enumerate(recorded["rows"])
    )
    return Table(name, recorded["shape"], rows)


def _query(recorded: Mapping[str, Any]) -> Executed:
    return Executed(
        recorded["purpose"],
        recorded["statement"],
        recorded["sql"],
        recorded["params"],
        recorded["durationMs"],
        recorded["rows"],
    )


def _evidence(recorded: Mapping[str, Any]) -> Evidence:
    kind, result = recorded["id"].split(":", 1)[0], recorded.get("result", "")
    if recorded["type"] == "argument":
        return Argument(recorded["id"].split(":", 1)[1], recorded["value"], recorded["defaulted"], result)
    if recorded["type"] == "definition":
        return Definition(recorded["id"].split(":", 1)[1], recorded["label"], recorded["catalog"], result)
    if recorded["type"] == "group":
        return Group(recorded["id"].split(":", 1)[1], recorded["label"], tuple(recorded["rows"]), result)
    if recorded["type"] == "absence":
        return Absence(recorded["id"].split(":", 1)[1], recorded["label"], result)
    if recorded["type"] == "quote":
        file = recorded["uri"].removeprefix("doc://")
        return Quote(file, recorded["start"], recorded["end"], recorded["label"], result)
    labels = recorded.get("labels", {})
    fields = {
        name: FieldValue(recorded["values"][name], shown, labels.get(name, ""))
        for name, shown in recorded["fields"].items()
    }
    return Row(kind, recorded["recordId"], recorded["label"], fields, recorded.get("url", ""), result)
