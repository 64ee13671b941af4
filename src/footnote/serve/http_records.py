"""Records, answers and rows as the page shows them: JSON made from the log and the session, nothing kept of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footnote.answers.answer import Answer
from footnote.errors import ArgumentError, NameUnknown
from footnote.evidence import Absence, Json
from footnote.provenance import Record, Verification
from footnote.serve.recorded_rows import last_recorded
from footnote.session import Session
from footnote.sources.cancellation import Cancellation

LONGEST_SUMMARY = 160


@dataclass(frozen=True, slots=True)
class Presentation:
    """How the page shows an answer; not part of what is recorded."""

    locale: str
    charts: Mapping[str, Mapping[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"locale": self.locale, "charts": dict(self.charts)}


class Presenter:
    """What the page is told, over one session. Thread-safe."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._verifying = threading.Lock()
        self._verified: tuple[object, Verification] | None = None
        operations = session.loaded.catalog.operations
        interpretations = session.loaded.catalog.interpretations
        self._titles = {name: operation.title for name, operation in operations.items()}
        self._titles |= {name: interpretation.title for name, interpretation in interpretations.items()}
        charts = {name: o.chart.model_dump(mode="json") for name, o in operations.items() if o.chart}
        self._presentation = Presentation(session.locale, charts)

    def answer(self, answer: Answer) -> dict[str, Any]:
        """A new answer."""
        actor = self.session.settings.actor.as_dict()
        return answer.as_dict() | {"actor": actor, "display": self._presentation.as_dict()}

    def records(self, after: int | None, limit: int) -> dict[str, Any]:
        """Records behind `after` in order, or the last ones; each without its payload."""
        log = self.session.log
        size = log.size()
        start = max(0, size - limit) if after is None else after
        return {"size": size, "records": [self._header(record) for record in log.records(start, limit)]}

    def record(self, name: str) -> dict[str, Any]:
        """One record with its payload; an answer or a refusal also as it was given.

        Raises:
            NameUnknown, NameAmbiguous, LogBroken: As `Log.get`.
        """
        record = self.session.log.get(name)
        out = self._header(record) | {
            "log": record.log,
            "previousHash": record.previous_hash,
            "catalog": record.catalog,
            "intact": record.intact,
            "states": {path: state for path, state in record.states.items() if state != "verified"},
            "sections": dict(record.sections),
            "evidence": list(record.evidence),
        }
        answer = self._answer_of(record)
        if answer is not None:
            out["answer"] = answer
        told = record.sections.get("error")
        if record.kind == "refusal" and isinstance(told, dict):
            question = record.sections.get("question", "")
            out["refusal"] = {"kind": "refusal", "question": question} | told | {"record": receipt_of(record)}
        return out

    def illustration(self, name: str) -> dict[str, Any]:
        """What the answer in a record looks like when a model writes the numbers: invented, and bound to nothing.

        Raises:
            NameUnknown, NameAmbiguous, LogBroken: As `Log.get`.
            ArgumentError: The record is no answer.
        """
        from footnote.answers.illustrate import illustrate

        answer = self._answer_of(self.session.log.get(name))
        if answer is None:
            raise ArgumentError("The record is no answer.", remedy="Name the record of an answer.")
        return illustrate(answer)

    def row(self, type: str, key: str, cancel: Cancellation) -> dict[str, Any]:
        """A row as it is now, and as the last record that cites it has it."""
        found = self.session.record_row(type, key, cancel=cancel)
        id = f"{type}:{key}" if isinstance(found, Absence) else found.id  # a key may be written in several ways
        out: dict[str, Any] = {"id": id}
        if isinstance(found, Absence):
            out["absence"] = found.text
        else:
            out["now"] = found.as_dict()
        recorded = last_recorded(self.session.log, id)
        if recorded is not None:
            record, row = recorded
            out["recorded"] = {"row": row, "record": receipt_of(record), "at": record.timestamp}
        return out

    def evidence(
        self, name: str, figure: str, *, page: int, size: int, sort: str, search: str, cancel: Cancellation
    ) -> dict[str, Any]:
        """A page of the rows behind a recorded figure.

        Raises:
            FootnoteError: As `evidence_page`.
        """
        from footnote.session.evidence import evidence_page

        found = evidence_page(self.session, name, figure, page=page, size=size, sort=sort, search=search, cancel=cancel)
        return found.as_dict()

    def verification(self) -> dict[str, Any]:
        """The state of the chain. A log whose file nobody has touched since it was verified is not read again."""
        with self._verifying:
            place = self.session.settings.provenance_db
            state = _state_of(place) if isinstance(place, Path) else None
            if self._verified is None or state is None or self._verified[0] != state or not self._verified[1].ok:
                self._verified = (state, self.session.log.verify())
            return self._verified[1].as_dict()

    def _header(self, record: Record) -> dict[str, Any]:
        return {
            "id": record.id,
            "sequence": record.sequence,
            "kind": record.kind,
            "timestamp": record.timestamp,
            "hash": record.hash,
            "summary": _summary(record, self._titles),
        }

    def _answer_of(self, record: Record) -> dict[str, Any] | None:
        """The answer as it was given, from its record and those of its results; None if that cannot be put together."""
        sections = record.sections
        if record.kind != "answer" or not {"answer", "claims", "operations", "results"} <= sections.keys():
            return None
        presentation = sections.get("presentation")
        return {
            "kind": "answer",
            "question": sections.get("question", ""),
            "answer": sections["answer"],
            "claims": sections["claims"],
            "evidence": [item for item in record.evidence if item is not None],
            "operations": sections["operations"],
            "results": [found for cited in _listed(sections["results"]) if (found := self._result(cited)) is not None],
            "notes": [],
            "record": receipt_of(record),
            "actor": sections.get("actor"),
            "display": self._presentation.as_dict(),
        } | (presentation if isinstance(presentation, dict) else {})

    def _result(self, cited: Json) -> dict[str, Any] | None:
        """A cited result as recorded; None if it is not there."""
        if not isinstance(cited, dict):
            return None
        try:
            record = self.session.log.get(str(cited.get("id")))
        except NameUnknown:
            return None
        result = record.sections.get("result")
        if not isinstance(result, dict):
            return None
        return result | {"record": receipt_of(record)}


def _state_of(log: Path) -> tuple[tuple[int, int, int] | None, ...]:
    """What a file system says of the log's files; whoever writes to one of them changes it."""
    return tuple(_stat_of(log.with_name(log.name + suffix)) for suffix in ("", "-wal"))


def _stat_of(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def receipt_of(record: Record) -> dict[str, Any]:
    """What names a record and its place in the chain."""
    return record.receipt.as_dict() | {"previousHash": record.previous_hash}


def _summary(record: Record, titles: Mapping[str, str]) -> str:
    """What a record is about, in a line; `titles` has what operations are called, by name."""
    sections = record.sections
    names = [
        titles.get(str(entry["name"]), str(entry["name"]))
        for entry in _listed(sections.get("operations"))
        if isinstance(entry, dict) and "name" in entry
    ]
    rows = [str(row.get("label") or row.get("id")) for row in record.evidence if isinstance(row, dict)]
    told = sections.get("error")
    candidates = (
        sections.get("question"),
        ", ".join(names),
        titles.get(str(sections.get("operation")), sections.get("operation")),
        titles.get(str(sections.get("interpretation")), sections.get("interpretation")),
        sections.get("read"),
        rows[0] if record.kind == "read" and rows else "",
        told.get("message") if isinstance(told, dict) else "",
        sections.get("text"),
    )
    text = next((str(text) for text in candidates if text), "")
    return text if len(text) <= LONGEST_SUMMARY else text[: LONGEST_SUMMARY - 1] + "…"


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
