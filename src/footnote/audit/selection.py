"""Which records an export has: filters, and a sample of what the filters leave.

The filters say what the *population* is. Without a sample the population is exported; with one, those of it that are
drawn. `cited` adds the results that exported answers rest on, so that a figure can be followed to its contributions.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from footnote.audit.chosen import Chosen
from footnote.audit.sampling import Digest, Sample, draw
from footnote.errors import UsageError
from footnote.provenance.canonical import Unrecordable, parse
from footnote.provenance.leaf import timestamp
from footnote.provenance.log import Log
from footnote.provenance.store import Entry

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records.

    Attributes:
        after: Behind this sequence.
        limit: At most so many.
        kinds: Of these kinds.
        record: This one alone, by sequence or id; nothing else but `cited` may be said then.
        since, until: Timestamps of the first and last moment, as leaves have them; empty for no bound.
        actor: Asked by the actor of this id.
        operation: Of a call of this operation or interpretation.
        sample: Drawn from what the others leave.
        cited: Also the results that selected answers rest on.

    Raises `UsageError` for negative numbers and for what cannot go together.
    """

    after: int = 0
    limit: int | None = None
    kinds: tuple[str, ...] | None = None
    record: int | str | None = None
    since: str = ""
    until: str = ""
    actor: str | None = None
    operation: str | None = None
    sample: Sample | None = None
    cited: bool = False

    def __post_init__(self) -> None:
        if self.after < 0 or (self.limit is not None and self.limit < 0):
            raise UsageError("An export cannot start behind or stop at a negative number of records.")
        if self.record is not None and replace(self, record=None, cited=False) != Selection():
            raise UsageError("One record is selected, so nothing else can be.", remedy="Leave the other options out.")
        if self.sample is not None and self.limit is not None:
            raise UsageError("A sample is drawn from all that is selected, not from the first few.")

    @property
    def everything(self) -> bool:
        """Whether no record is left out, so that the count must be that of the log."""
        return replace(self, cited=False) == Selection()

    @property
    def gaps(self) -> bool:
        """Whether records in between are left out, so that neighbours need not follow each other."""
        filtered = self.record is not None or replace(self, after=0, limit=None, cited=False) != Selection()
        return filtered or (self.cited and not self.everything)

    def as_dict(self) -> dict[str, Any]:
        """The selection as exported; what was added to the format later is there only if it was asked for."""
        kinds = None if self.kinds is None else list(self.kinds)
        out: dict[str, Any] = {"after": self.after, "limit": self.limit, "kinds": kinds, "record": self.record}
        more: dict[str, Any] = {"from": self.since, "to": self.until, "actor": self.actor, "operation": self.operation}
        out |= {name: value for name, value in more.items() if value}
        if self.sample is not None:
            out["sample"] = self.sample.as_dict()
        return out | ({"cited": True} if self.cited else {})


@dataclass(frozen=True, slots=True)
class Selected:
    """What a selection comes to in a log of `size` records.

    Attributes:
        population: What the filters leave; None for all records without a gap from `selection.after` on.
        chosen: What is exported; None as above.
    """

    selection: Selection
    size: int
    population: Chosen | None = None
    chosen: Chosen | None = None

    @property
    def count(self) -> int:
        """Records that are exported, if none is missing from the log."""
        return self._whole() if self.chosen is None else self.chosen.count

    @property
    def last(self) -> int:
        """The last sequence that is exported; 0 if nothing is."""
        if self.chosen is None:
            return self.selection.after + self._whole()
        return max(self.chosen, default=0)

    def population_dict(self) -> dict[str, Any]:
        """Count and digest of the population, as exported."""
        digest = Digest()
        for sequence in self.population_sequences():
            digest.add(sequence)
        return {"count": digest.count, "digest": digest.text}

    def population_sequences(self) -> Iterator[int]:
        """The population in order."""
        if self.population is not None:
            return iter(self.population)
        return iter(range(self.selection.after + 1, self.selection.after + self._whole() + 1))

    def entries(self, log: Log) -> Iterator[Entry]:
        """What is exported, in order, as it is read."""
        if self.chosen is None:
            yield from log.store.entries(self.selection.after, self.selection.after + self._whole())
            return
        for after, upto in self.chosen.runs():
            yield from log.store.entries(after, upto)

    def as_verified(self, count: int) -> Selected:
        """The same of a log that was verified later, when it had `count` records: what came meanwhile is in it then."""
        return replace(self, size=count) if self.chosen is None and self.selection.everything else self

    def _whole(self) -> int:
        left = max(0, self.size - self.selection.after)
        return left if self.selection.limit is None else min(left, self.selection.limit)


def select(log: Log, selection: Selection) -> Selected:
    """Find what a selection comes to, in one pass over what has to be read for it; memory is two bits a record.

    Raises `NameUnknown` or `NameAmbiguous` for `record`, `LogUnavailable`.
    """
    size = log.size()
    if not selection.gaps:
        return Selected(selection, size)
    population = Chosen(size, _matching(log, selection, size))
    chosen = population
    if selection.sample is not None:
        chosen = Chosen(size, draw(population, selection.sample))
    if selection.cited:
        chosen = _with_cited(log, chosen)
    return Selected(selection, size, population, chosen)


def read_selection(value: Any) -> Selection:
    """The selection that an export states; what is not one counts as not said, and the records are held against it."""
    if not isinstance(value, dict):
        return Selection()
    after, limit, kinds, record = (value.get(name) for name in ("after", "limit", "kinds", "record"))
    sample = value.get("sample")
    if isinstance(record, (int, str)) and record != "":
        return Selection(record=record, cited=value.get("cited") is True)
    return Selection(
        after=after if type(after) is int and after > 0 else 0,
        limit=limit if type(limit) is int and limit >= 0 and sample is None else None,
        kinds=tuple(str(kind) for kind in kinds) if isinstance(kinds, list) else None,
        since=_said(value, "from"),
        until=_said(value, "to"),
        actor=_said(value, "actor") or None,
        operation=_said(value, "operation") or None,
        sample=_sample(sample),
        cited=value.get("cited") is True,
    )


_MEMBERS: dict[str, Any] = {
    "after": int,
    "limit": int | None,
    "kinds": list | None,
    "record": int | str | None,
    "from": str,
    "to": str,
    "actor": str,
    "operation": str,
    "sample": dict,
    "cited": bool,
}


def selection_fault(stated: Any) -> str:
    """What is wrong with the selection that an export states; empty if it is one that could have been asked for.

    A verifier that passed over what it cannot read would take an export for more, or for less, than it says it is.
    """
    if not isinstance(stated, dict):
        return "The selection that the export states is none."
    for name, value in stated.items():
        if not _is_member(name, value):
            return f"The selection that the export states is none: its {name[:40]!a} cannot be read."
    try:
        read = read_selection({**stated, "record": None})
        replace(read, record=None if stated.get("record") == "" else stated.get("record"), limit=stated.get("limit"))
    except UsageError as error:
        return f"The selection that the export states cannot be made. {error.what}"
    return ""


def _is_member(name: str, value: Any) -> bool:
    if not isinstance(value, _MEMBERS.get(name, ())) or isinstance(value, bool) != (name == "cited"):
        return False
    if isinstance(value, int):
        return value >= 0
    return name != "sample" or _sample(value) is not None


def _said(selection: dict[str, Any], name: str) -> str:
    value = selection.get(name)
    return value if isinstance(value, str) else ""


def _sample(value: Any) -> Sample | None:
    count, seed = (value.get("count"), value.get("seed")) if isinstance(value, dict) else (None, None)
    if type(count) is not int or not isinstance(seed, str):
        return None
    try:
        return Sample(count, seed)
    except UsageError:
        return None


def in_words(stated: Mapping[str, Any]) -> str:
    """A selection, as an export states it, in words for people."""
    kinds, record, sample = stated.get("kinds"), stated.get("record"), stated.get("sample")
    what = f"record {record}" if record else f"records of kind {' or '.join(kinds)}" if kinds else "records"
    named = {"after": "behind record", "from": "from", "to": "to", "actor": "asked by", "operation": "of calls of"}
    more = [f"{words} {stated[name]}" for name, words in named.items() if stated.get(name)]
    if stated.get("limit") is not None:
        more.append(f"at most {stated['limit']:,} of them")
    text = f"{what} {', '.join(more)}" if more else "all records" if what == "records" else what
    if isinstance(sample, Mapping):
        of = sample.get("population", {}).get("count")
        drawn = f"{sample['count']:,}" if of is None else f"{sample['count']:,} of {of:,}"
        text += f": a random sample of {drawn}, drawn with the seed {sample['seed']}"
    return text + (", with the results that answers rest on" if stated.get("cited") and text != "all records" else "")


def moment(text: str, *, end: bool) -> str:
    """A day or a moment that someone typed, as a timestamp of a leaf, in UTC.

    Args:
        text: `2026-08-14`, or an RFC 3339 time such as `2026-08-14T09:30:00Z`; without a zone it is UTC.
        end: Whether a day means its last millisecond rather than its first.

    Raises `UsageError` if it is neither.
    """
    try:
        found = dt.datetime.fromisoformat(text)
        found = found if found.tzinfo else found.replace(tzinfo=dt.UTC)
        if _DAY.fullmatch(text) and end:
            found += dt.timedelta(days=1, milliseconds=-1)
        return timestamp(found)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text[:40]!r} is no day and no time.", remedy="Write 2026-08-14, or 2026-08-14T09:30:00Z."
        ) from None


def cited_results(entry: Entry) -> list[str]:
    """The ids of the results that an answer rests on, as its record says."""
    named = part_of(entry, "results") if entry.kind == "answer" else None
    items = named if isinstance(named, list) else []
    return [item["id"] for item in items if isinstance(item, dict) and isinstance(item.get("id"), str)]


def part_of(entry: Entry, section: str) -> Any:
    """The value of a section as it lies in the log; None if it is not there or is not JSON."""
    data = next((part.data for part in entry.parts if part.section == section), None)
    try:
        return None if data is None else parse(data)
    except Unrecordable:
        return None


def _matching(log: Log, selection: Selection, size: int) -> Iterator[int]:
    if selection.record is not None:
        yield log.get(selection.record).sequence
        return
    needs_parts = selection.actor is not None or selection.operation is not None
    found = 0
    for entry in log.store.entries(selection.after, size, selection.kinds, parts=needs_parts):
        if selection.limit is not None and found >= selection.limit:
            return
        if _in_time(entry, selection) and (not needs_parts or _asked_so(entry, selection)):
            found += 1
            yield entry.sequence


def _in_time(entry: Entry, selection: Selection) -> bool:
    if not (selection.since or selection.until):
        return True
    try:
        leaf = parse(entry.leaf)
    except Unrecordable:
        return False
    at = leaf.get("timestamp") if isinstance(leaf, dict) else None
    return isinstance(at, str) and selection.since <= at and (not selection.until or at <= selection.until)


def _asked_so(entry: Entry, selection: Selection) -> bool:
    if selection.actor is not None:
        actor = part_of(entry, "actor")
        if not isinstance(actor, dict) or actor.get("id") != selection.actor:
            return False
    if selection.operation is None:
        return True
    ran = part_of(entry, "operations")
    names = [item.get("name") for item in ran if isinstance(item, dict)] if isinstance(ran, list) else []
    return selection.operation in [*names, part_of(entry, "operation"), part_of(entry, "interpretation")]


def _with_cited(log: Log, chosen: Chosen) -> Chosen:
    out = Chosen(chosen.size, chosen)
    for after, upto in chosen.runs():
        for entry in log.store.entries(after, upto, ("answer",)):
            for id in cited_results(entry):
                for found in log.store.find(id, 1):
                    if found.sequence < entry.sequence:
                        out.add(found.sequence)
    return out
