"""Verification of a log, record by record in flat memory: what is the first thing that is wrong?

For every record it recomputes the leaf's hash, reads the leaf (canonical form, all members), compares what stands
beside the leaf with it, and checks log id, sequence, link to the record before, timestamp, the commitment of every
section and the root of its evidence. It says which record is wrong and how.

**What a chain alone cannot find.** Whoever can write to the store can change a record and recompute every hash after
it, or cut off the end: the rest is a perfect chain. Only something kept elsewhere finds that: a receipt (id, sequence,
hash) finds a rewrite of or before its record, and a checkpoint kept outside the store finds rewrites and truncation of
all it covers. `Verification.head` is there to be compared with such a receipt. Until checkpoints exist, a log that
verifies is a log that nobody changed *in place*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from footnote.errors import LogBroken
from footnote.provenance.erasures import Erasures, erasures_in
from footnote.provenance.leaf import GENESIS, Leaf, decode, record_hash
from footnote.provenance.parts import Findings, examine
from footnote.provenance.store import Entry, Store

Tamper = Literal["", "edit", "deletion", "insertion", "reorder", "backdating", "payload", "truncation", "malformed"]
"""What was done to a log or export, as far as can be told. `malformed`: a file that cannot be read to its end."""

Progress = Callable[[int, int], None]
"""Called with records verified and records in all (0 if unknown), every few hundred records and at the end."""

PROGRESS_EVERY = 500


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome.

    Attributes:
        ok: Everything that was there holds.
        count: Records that were checked and hold.
        failed_at: Sequence of the first record that does not hold; None if all do or no record can be named.
        reason: What is wrong, as a sentence; empty if nothing.
        kind: What was done, as far as can be told.
        head: Hash of the last record that holds; empty if there is none.
        erased: Parts that are gone and whose erasure is recorded.
    """

    ok: bool
    count: int
    failed_at: int | None = None
    reason: str = ""
    kind: Tamper = ""
    head: str = ""
    erased: int = 0

    def as_dict(self) -> dict[str, Any]:
        """`{ok, count}` or `{ok, failedAt, reason}`, with what else is known."""
        out: dict[str, Any] = {"ok": self.ok, "count": self.count}
        if self.head:
            out["head"] = self.head
        if self.erased:
            out["erased"] = self.erased
        return out if self.ok else out | {"failedAt": self.failed_at, "reason": self.reason, "kind": self.kind}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong; `at` is the sequence of the record that is to blame."""

    kind: Tamper
    reason: str
    at: int | None


@dataclass(frozen=True, slots=True)
class Link:
    """What the chain needs to know of a record.

    `fault` is what is wrong with the record by itself, so that the rest of the link means nothing; `inner` is what is
    wrong with a record whose place in the chain may well be right: it is reported if the place is.
    """

    sequence: int
    hash: str
    previous_hash: str = ""
    timestamp: str = ""
    fault: Fault | None = None
    inner: Fault | None = None


def verify(store: Store, *, progress: Progress | None = None) -> Verification:
    """Verify a whole log as it is now; records appended meanwhile are not looked at.

    Raises `LogUnavailable` if the store cannot be read.
    """
    tail = store.tail()
    size = tail.sequence if tail else 0
    reader = _Reader(store)
    links = (reader.link(entry) for entry in store.entries(upto=size))
    outcome = walk(links, total=size, progress=progress, tally=reader)
    orphan = store.orphan(size) if outcome.ok else None
    if orphan is None:
        return outcome
    return Verification(False, outcome.count, orphan, _gone(orphan), "truncation", outcome.head, outcome.erased)


@dataclass(slots=True)
class Tally:
    """Counts kept while records are read."""

    erased: int = 0


class _Reader(Tally):
    """Turns a store's records into links; looks erasures up when the first absent part turns up."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._erasures: Erasures | None = None

    def link(self, entry: Entry) -> Link:
        leaf, fault = read_leaf(entry, self._store.log)
        if leaf is None or fault:
            return Link(entry.sequence, entry.hash, timestamp=leaf.timestamp if leaf else "", fault=fault)
        findings = examine(leaf, entry.parts)
        inner = altered(leaf, findings) or misfiled(entry, leaf)
        if findings.absent and not inner:
            if self._erasures is None:
                self._erasures = erasures_in(self._store)
            gone = [path for path in findings.absent if not self._erasures.cover(leaf.sequence, path)]
            self.erased += len(findings.absent) - len(gone)
            inner = missing(leaf.sequence, gone[0]) if gone else None
        return Link(leaf.sequence, entry.hash, leaf.previous_hash, leaf.timestamp, inner=inner)


def read_leaf(entry: Entry, log: str) -> tuple[Leaf | None, Fault | None]:
    """The leaf of an entry, and what is wrong with the entry by itself, its payload aside."""
    if not (entry.leaf or entry.id or entry.hash):
        return None, Fault("deletion", _gone(entry.sequence), entry.sequence)
    intact = record_hash(entry.leaf) == entry.hash
    try:
        leaf = decode(entry.leaf)
    except LogBroken as error:
        what = error.what if intact else "Its leaf does not have its hash, and is no leaf."
        return None, Fault("edit", f"Record {entry.sequence} was edited. {what}", entry.sequence)
    if not intact:
        reason = f"Record {entry.sequence} was edited: its leaf does not have the hash that stands beside it."
        return leaf, Fault("edit", reason, entry.sequence)
    if leaf.log != log:
        reason = f"Record {entry.sequence} was put in from elsewhere: it belongs to log {leaf.log}, this is {log}."
        return leaf, Fault("insertion", reason, entry.sequence)
    for name, beside, inside in (("id", entry.id, leaf.id), ("kind", entry.kind, leaf.kind)):
        if beside != inside:
            reason = (
                f"Record {entry.sequence} was edited: its {name} is {inside}, but {beside[:60]!a} stands beside it."
            )
            return leaf, Fault("edit", reason, entry.sequence)
    return leaf, None


def altered(leaf: Leaf, findings: Findings) -> Fault | None:
    """The fault of a payload that is not the one the leaf commits to."""
    if not findings.altered:
        return None
    path = findings.altered[0]
    known = path == "evidence" or path in leaf.sections
    what = f"its section {path[:80]} is not the one that was recorded"
    if path == "evidence":
        what = f"its {leaf.evidence_count} rows of evidence are not those that were recorded"
    elif not known:
        what = f"its payload has {path[:80]!a}, which was not recorded"
    return Fault("payload", f"The payload of record {leaf.sequence} was altered: {what}.", leaf.sequence)


def _gone(sequence: int) -> str:
    return f"Record {sequence} is gone, but its payload is still there."


def misfiled(entry: Entry, leaf: Leaf) -> Fault | None:
    """The fault of a record that is kept under another number than its leaf's."""
    if entry.sequence == leaf.sequence:
        return None
    reason = f"Record {leaf.sequence} was edited: it is kept as record {entry.sequence}."
    return Fault("edit", reason, leaf.sequence)


def missing(sequence: int, path: str) -> Fault:
    """The fault of a part that is gone and that no record says was erased."""
    reason = f"The payload of record {sequence} lacks {path}, and no erasure record says that it was erased."
    return Fault("payload", reason, sequence)


def walk(
    links: Iterable[Link],
    *,
    total: int = 0,
    after: int = 0,
    gaps: bool = False,
    clock: bool = True,
    progress: Progress | None = None,
    tally: Tally | None = None,
) -> Verification:
    """Follow a chain from its first record and stop at the first fault.

    Args:
        links: The records in the order they are found.
        total: How many there are, for `progress`; 0 if unknown.
        after: The sequence before the first record. If not 0, the link of the first record cannot be checked.
        gaps: A selection: sequences rise, and links are checked between neighbours.
        clock: Whether timestamps may not go back (format v0 does not promise that).
        progress: Told every few hundred records.
        tally: Counts to put into the outcome.
    """
    stream = iter(links)
    chain = _Chain(after=after, gaps=gaps, clock=clock)
    count = 0
    for link in stream:
        fault = chain.fault(link, stream)
        if fault:
            return Verification(
                False, count, fault.at, fault.reason, fault.kind, head=chain.head, erased=tally.erased if tally else 0
            )
        chain.take(link)
        count += 1
        if progress and count % PROGRESS_EVERY == 0:
            progress(count, total)
    if progress:
        progress(count, total)
    return Verification(True, count, head=chain.head, erased=tally.erased if tally else 0)


class _Chain:
    """The end of the part of a chain that holds, and what must follow it."""

    def __init__(self, *, after: int, gaps: bool, clock: bool) -> None:
        self._sequence = after
        self._gaps = gaps
        self._clock = clock
        self._timestamp = ""
        self._before = ""
        self._hash = GENESIS if not after else ""

    @property
    def head(self) -> str:
        return "" if self._hash == GENESIS else self._hash

    def take(self, link: Link) -> None:
        self._before, self._hash = self._hash, link.hash
        self._sequence, self._timestamp = link.sequence, link.timestamp

    def fault(self, link: Link, rest: Iterator[Link]) -> Fault | None:
        """What is wrong with `link`. `rest` is read only once something is wrong, to tell what was done."""
        expected = self._sequence + 1
        if link.fault:
            return self._named(link, link.fault)
        if self._gaps and link.sequence > expected:
            self._hash = ""  # the record before is not in the selection, so there is nothing to compare the link with
        elif link.sequence != expected:
            return self._misplaced(link, expected, rest)
        if self._hash and link.previous_hash != self._hash:
            return self._unlinked(link, rest)
        if self._clock and link.timestamp < self._timestamp:
            return Fault("backdating", f"{self._early(link)} Timestamps do not go back.", link.sequence)
        return link.inner

    def _named(self, link: Link, fault: Fault) -> Fault:
        if fault.kind == "edit" and self._clock and link.timestamp and link.timestamp < self._timestamp:
            return Fault("backdating", f"{fault.reason} {self._early(link)}", fault.at)
        return fault

    def _early(self, link: Link) -> str:
        return f"Record {link.sequence} says {link.timestamp}, the record before it {self._timestamp}."

    def _misplaced(self, link: Link, expected: int, rest: Iterator[Link]) -> Fault:
        if self._gaps and link.sequence < self._sequence:
            reason = f"Record {link.sequence} comes after record {self._sequence}."
            return Fault("reorder", reason, link.sequence)
        if link.sequence < expected:
            reason = f"Record {link.sequence} stands where record {expected} belongs: a record was put in before it."
            return Fault("insertion", reason, link.sequence)
        if any(later.sequence == expected for later in rest):
            reason = f"Record {link.sequence} stands where record {expected} belongs, which comes later."
            return Fault("reorder", reason, expected)
        return Fault("deletion", f"Record {expected} is gone: record {link.sequence} follows.", expected)

    def _unlinked(self, link: Link, rest: Iterator[Link]) -> Fault:
        """One of two neighbours was rewritten with its own hash; the record after them says which."""
        if self._hash == GENESIS:
            return Fault("edit", f"Record {link.sequence} is the first, but names a record before it.", link.sequence)
        following = next(rest, None)
        blamed = link.sequence - 1
        if following and not following.fault and following.previous_hash != link.hash:
            blamed = link.sequence
        reason = (
            f"Record {blamed} was rewritten together with its hash: record {link.sequence} names "
            f"{link.previous_hash[:12]}... as the record before it, which has the hash {self._hash[:12]}..."
        )
        return Fault("edit", reason, blamed)
