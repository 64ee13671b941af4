"""Making a recorded call again, now, and comparing: the same SQL and parameters must give the same figures and rows.

The call is made through operations and plans like any other, with the recorded arguments, defaults included as they
were ("today" is the day it was), and with the records that its names meant then. If the plan of that call is no longer
the recorded SQL, then catalog, schema or Footnote's version have changed; that is said, and both are compared all the
same. The outcome is a record of kind `reperform`, with what ran and the rows as they are now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from footnote.access import Actor
from footnote.audit.differences import Differences, differences
from footnote.audit.sampling import Sample
from footnote.audit.selection import Selected, Selection, select
from footnote.errors import FootnoteError, SourceUnavailable, Unreachable, UsageError
from footnote.evidence import Json
from footnote.operations.recordable import recordable
from footnote.operations.recorded import result_from_record
from footnote.operations.result import Result
from footnote.operations.run import Asked, run
from footnote.provenance import Record, new_id
from footnote.session import Session
from footnote.sources.cancellation import Cancellation

SAME = "same"
DIFFERENT = "different"
OTHER_PLAN = "other plan"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one call made again.

    Attributes:
        record: The record of the result that was made again.
        operation: Its operation.
        status: `same`; `different` figures or rows; `other plan`: the same figures and rows, by another SQL;
            `failed`: the call has no result now, as `error` says.
        found: What differs.
        catalog, source: What was recorded and what is now.
        error: Why there is no result now.
        receipt: Of the record that holds the outcome.
    """

    record: Mapping[str, Json]
    operation: str
    status: str
    found: Differences = field(default_factory=Differences)
    catalog: tuple[str, str] = ("", "")
    source: tuple[str, str] = ("", "")
    error: Mapping[str, Json] = field(default_factory=dict)
    receipt: Mapping[str, Json] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the recorded SQL gives the recorded figures and rows."""
        return self.status == SAME

    def as_dict(self) -> dict[str, Any]:
        """As recorded (without `receipt`, which comes after)."""
        out: dict[str, Any] = {"record": dict(self.record), "operation": self.operation, "status": self.status}
        out["catalog"] = {"then": self.catalog[0], "now": self.catalog[1]}
        out["source"] = {"then": self.source[0], "now": self.source[1]}
        out |= self.found.as_dict()
        return out | ({"error": dict(self.error)} if self.error else {})


def reperform(
    session: Session,
    name: int | str,
    *,
    actor: Actor | None = None,
    cancel: Cancellation | None = None,
    drawn: Mapping[str, Json] | None = None,
) -> list[Outcome]:
    """Make a recorded call again: that of a result, or of each result that an answer rests on.

    Args:
        session: Catalog, source and log.
        name: A record's sequence or id.
        actor: Who has it made; by default the session's.
        cancel: Stops the statement that is running.
        drawn: The sample that the record is of, recorded with the outcome.

    Raises:
        UsageError: The record holds no call, or was erased.
        LogBroken: It is not what was recorded.
        Unreachable: Source or log cannot be reached; recorded where that is possible.
    """
    actor = actor or session.settings.actor
    asked: dict[str, Json] = {"operation": "reperform", "record": str(name)[:200]}
    return [
        session.recording(actor, asked, partial(_again, session, record, actor, cancel, drawn))
        for record in _calls_of(session, name)
    ]


def reperform_sample(
    session: Session,
    sample: Sample,
    *,
    actor: Actor | None = None,
    told: Callable[[Outcome], None] | None = None,
) -> tuple[Selected, list[Outcome]]:
    """Make a random sample of all recorded results again; returns what it was drawn from and the outcomes.

    Raises as `reperform`; what came before is recorded.
    """
    selected = select(session.log, Selection(kinds=("result",), sample=sample))
    drawn: dict[str, Json] = {**sample.as_dict(), "population": selected.population_dict()}
    outcomes = []
    for sequence in selected.chosen or ():
        for outcome in reperform(session, sequence, actor=actor, drawn=drawn):
            outcomes.append(outcome)
            if told is not None:
                told(outcome)
    return selected, outcomes


def _calls_of(session: Session, name: int | str) -> Iterator[Record]:
    record = session.log.get(name)
    if record.kind == "result":
        yield record
        return
    cited = record.sections.get("results") if record.kind == "answer" else None
    if not isinstance(cited, list) or not cited:
        raise UsageError(
            f"Record {record.sequence} is of kind {record.kind} and holds no call that could be made again.",
            remedy="Name a result, or an answer that rests on results.",
        )
    for item in cited:
        yield session.log.get(str(item.get("id")) if isinstance(item, dict) else "")


def _again(
    session: Session, record: Record, actor: Actor, cancel: Cancellation | None, drawn: Mapping[str, Json] | None
) -> Outcome:
    then = result_from_record(record)
    now: Result | None = None
    error: dict[str, Any] = {}
    try:
        now = run(replace(session.desk, large=set()), _asked(then), cancel=cancel)
    except FootnoteError as failure:
        if isinstance(failure, Unreachable) and not _is_about_a_row(failure):
            raise
        told = recordable(failure.as_dict())
        error = told if isinstance(told, dict) else {}
    outcome = Outcome(
        record=record.receipt.as_dict(),
        operation=then.operation,
        status=FAILED,
        catalog=(then.catalog_digest, session.loaded.digest),
        source=(then.source, session.source_name),
        error=error,
    )
    if now is not None:
        found = differences(then, now)
        outcome = replace(outcome, status=_status(found), found=found)
    sections: dict[str, Json] = {"reperform": outcome.as_dict()}
    if now is not None:
        sections["operations"] = [now.operation_dict()]
    if drawn is not None:
        sections["sample"] = dict(drawn)
    evidence = [] if now is None else [item.as_dict() for item in now.evidence]
    return replace(outcome, receipt=session.append("reperform", actor, sections, evidence).as_dict())


def _asked(then: Result) -> Asked:
    known = {entity.parameter: entity.evidence_id.partition(":")[2] for entity in then.entities}
    return Asked(then.operation, then.arguments, new_id(), known)


def _status(found: Differences) -> str:
    if found.none:
        return SAME
    return DIFFERENT if found.figures or found.rows or found.said else OTHER_PLAN


def _is_about_a_row(failure: Unreachable) -> bool:
    """A row that is gone is an outcome, a source that is gone is not."""
    return isinstance(failure, SourceUnavailable) and "row" in failure.details
