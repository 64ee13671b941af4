"""A record as a reader sees it: an answer with its numbered claims, the figures and rows behind each, and what ran.

Everything comes from the record and the records of the results it rests on; what was erased, altered or is missing is
left out and named in `gaps`. Pages and workbooks are made from this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from footnote.audit.upkeep import upkeep
from footnote.errors import FootnoteError, LogUnavailable
from footnote.figures import Figure
from footnote.figures.values import exact_sum
from footnote.operations.recorded import result_from_record
from footnote.operations.result import Result
from footnote.provenance import Log, Record

ADDED_UP = frozenset({"sum", "count"})
"""How figures come about whose contributions add up to them."""


@dataclass(frozen=True, slots=True)
class Note:
    """One claim of an answer and what it rests on.

    Attributes:
        number: From 1, in the order of the text.
        text: The claimed span.
        start, end: Its place in the answer, in UTF-16 code units.
        origin: As in the claim.
        result: Short id of the result; empty if there is none.
        address: The figure's address in the result; empty if it is none.
        figure: The figure as recorded, if it can be read.
        evidence: The items that the claim names, as recorded.
        unread: Ids that it names and that are not there any more.
    """

    number: int
    text: str
    start: int
    end: int
    origin: str
    result: str
    address: str
    figure: Figure | None
    evidence: tuple[Mapping[str, Any], ...]
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A record and the results it rests on.

    Attributes:
        record: The record.
        results: By short id, in the order they are cited; a result's own record has itself.
        gaps: What is not as recorded or cannot be read, as sentences.
    """

    record: Record
    results: Mapping[str, Result]
    gaps: tuple[str, ...] = ()
    evidence: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    @property
    def question(self) -> str:
        """What was asked; empty if it was no question."""
        return _text(self.record.sections.get("question"))

    @property
    def answer(self) -> str:
        """The answer's text; empty if the record is none."""
        return _text(self.record.sections.get("answer"))

    @property
    def actor(self) -> str:
        """Who asked: id and role; empty if it was erased."""
        actor = self.record.sections.get("actor")
        return (
            ", ".join(str(actor[name]) for name in ("id", "role") if name in actor) if isinstance(actor, dict) else ""
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the answer must know."""
        shown = self.record.sections.get("presentation")
        notes = shown.get("notes") if isinstance(shown, dict) else None
        said = [_text(note) for note in notes] if isinstance(notes, list) else []
        return tuple(dict.fromkeys([*said, *(note for result in self.results.values() for note in result.notes)]))

    @property
    def subject(self) -> str:
        """What the record is about, in a line."""
        sections = self.record.sections
        error = sections.get("error")
        message = error.get("message") if isinstance(error, dict) else ""
        named = [_text(op.get("name")) for op in self.operations()]
        candidates = (
            self.question,
            upkeep(self.record),
            ", ".join(filter(None, named)),
            sections.get("operation"),
            sections.get("read"),
        )
        return next((_text(text) for text in (*candidates, message, sections.get("text")) if text), self.record.kind)

    @property
    def refusal(self) -> str:
        """Why there is no answer, with what would work; empty if there is one."""
        error = self.record.sections.get("error")
        if not isinstance(error, dict):
            return ""
        return " ".join(filter(None, (_text(error.get(name)) for name in ("message", "why", "remedy"))))

    def operations(self) -> Iterator[Mapping[str, Any]]:
        """The calls, as recorded."""
        ran = self.record.sections.get("operations")
        yield from (item for item in (ran if isinstance(ran, list) else []) if isinstance(item, dict))

    def queries(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Every query that ran, with its operation's name and its result's short id (empty where there is none)."""
        for operation in self.operations():
            queries = operation.get("queries")
            if isinstance(queries, list):
                place = _text(operation.get("name")), _text(operation.get("result"))
                yield from ((*place, query) for query in queries if isinstance(query, dict))
            elif "sql" in operation:
                yield "", "", operation

    def claims(self) -> Iterator[Note]:
        """The claims in the order of the text; none if the record is no answer."""
        claims = self.record.sections.get("claims")
        found = [claim for claim in claims if _is_claim(claim)] if isinstance(claims, list) else []
        found.sort(key=lambda claim: (claim["span"]["start"], claim["span"]["end"]))
        yield from (self._note(number, claim) for number, claim in enumerate(found, 1))

    def figures(self) -> Iterator[tuple[str, str, Figure]]:
        """Every figure of every result: short id of the result, address, figure."""
        for id, result in self.results.items():
            yield from ((id, address, figure) for address, figure in result.figures())

    def label(self, result: str, id: str) -> str:
        """What an item of evidence is called; its id if it is not there."""
        item = self.evidence.get((id, result)) or self.evidence.get((id, ""))
        return _text(item.get("label")) or id if item else id

    def _note(self, number: int, claim: dict[str, Any]) -> Note:
        result, address = _text(claim.get("result")), _text(claim.get("figure"))
        ids = [_text(id) for id in claim.get("evidenceIds") or ()]
        items = {id: self.evidence.get((id, result)) or self.evidence.get((id, "")) for id in ids}
        figures = dict(self.results[result].figures()) if address and result in self.results else {}
        return Note(
            number=number,
            text=_text(claim.get("text")),
            start=claim["span"]["start"],
            end=claim["span"]["end"],
            origin=_text(claim.get("origin")),
            result=result,
            address=address,
            figure=figures.get(address),
            evidence=tuple(item for item in items.values() if item is not None),
            unread=tuple(id for id, item in items.items() if item is None),
        )


def read(log: Log, record: Record) -> Reading:
    """The record with the results it rests on.

    Raises `LogUnavailable` if the log cannot be read; what is wrong with a result is among the gaps.
    """
    gaps = [f"{path} is {state}." for path, state in record.states.items() if state != "verified"]
    results: dict[str, Result] = {}
    for name in _cited(record):
        try:
            result = result_from_record(record if name == record.id else log.get(name))
            results[result.id] = result
        except LogUnavailable:
            raise
        except FootnoteError as error:
            gaps.append(f"The result {name[:40]} cannot be shown: {error.what}")
    items = [item for item in record.evidence if isinstance(item, dict)]
    evidence = {(_text(item.get("id")), _text(item.get("result"))): item for item in items}
    for result in results.values():  # a result's evidence, for claims of an answer that lacks it
        for one in result.evidence:
            evidence.setdefault((one.id, result.id), one.as_dict())
    return Reading(record, results, tuple(gaps), evidence)


def added_up(figure: Figure) -> Decimal | None:
    """What the contributions of a figure add up to, exactly; None if it is not one that is added up."""
    if figure.method not in ADDED_UP or not figure.contributions:
        return None
    amounts = [c.amount for c in figure.contributions if c.amount is not None]
    numbers = [a for a in amounts if isinstance(a, int | Decimal) and not isinstance(a, bool)]
    unlisted = figure.unlisted()[1]
    if len(numbers) != len(amounts) or unlisted is None:
        return None
    return exact_sum((*numbers, unlisted))


def _cited(record: Record) -> list[str]:
    if record.kind == "result":
        return [record.id]
    cited = record.sections.get("results")
    return [_text(item.get("id")) for item in (cited if isinstance(cited, list) else []) if isinstance(item, dict)]


def _is_claim(value: object) -> bool:
    span = value.get("span") if isinstance(value, dict) else None
    return isinstance(span, dict) and type(span.get("start")) is int and type(span.get("end")) is int


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
