"""Verification of a log, in flat memory: what is the first thing that is wrong?

For every record it recomputes the leaf's hash, reads the leaf (canonical form, all members), compares what stands
beside the leaf with it, and checks log id, sequence, link to the record before, timestamp, the commitment of every
section and the root of its evidence. It says which record is wrong and how.

**What a chain alone cannot find.** Whoever can write to the store can change a record and recompute every hash after
it, or cut off the end: the rest is a perfect chain. Only something kept elsewhere finds that: a receipt (id, sequence,
hash) finds a rewrite of or before its record, and a checkpoint kept outside the store finds rewrites and truncation of
all it covers. So the Merkle root is computed as well, and every checkpoint that is known is compared with it (`anchors`).

Pages of records that hold are passed by `swift`; the careful way here is for pages that it does not pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from footnote.errors import LogBroken, counted
from footnote.provenance import merkle, swift
from footnote.provenance.anchors import Anchors, Known
from footnote.provenance.chain import Chain, Fault, Link, Progress, Tally, Tamper, Verification, walk
from footnote.provenance.checkpoint import origin_of
from footnote.provenance.erasures import Erasures, erasures_in
from footnote.provenance.keys import rotations_in
from footnote.provenance.leaf import Leaf, decode, record_hash
from footnote.provenance.parts import Findings, examine
from footnote.provenance.retention import pruned_in
from footnote.provenance.store import Entry, Page, Store

__all__ = [
    "Fault",
    "Link",
    "Progress",
    "Tally",
    "Tamper",
    "Verification",
    "altered",
    "misfiled",
    "missing",
    "read_leaf",
    "unproved",
    "verify",
    "walk",
]


def verify(
    store: Store,
    *,
    known: Known | None = None,
    leaves_only: bool = False,
    processes: int = 0,
    progress: Progress | None = None,
) -> Verification:
    """Verify a whole log as it is now; records appended meanwhile are not looked at.

    Args:
        store: The log.
        known: Keys and checkpoints that were kept elsewhere.
        leaves_only: Leave the payload aside: what was recorded is not read, that it was not replaced is not checked.
        processes: How many further ones may help, if the log is big (`apart`).
        progress: Told every few hundred records.

    Raises `LogUnavailable` if the store cannot be read.
    """
    tail = store.tail()
    size = tail.sequence if tail else 0
    return _Course(store, known or Known(), size, payload=not leaves_only).run(progress, processes)


class _Course(Tally):
    """One verification on its way. Erasures are looked up when the first absent part turns up."""

    def __init__(self, store: Store, known: Known, size: int, *, payload: bool) -> None:
        super().__init__()
        self._store = store
        self._size = size
        self._payload = payload
        self._erasures: Erasures | None = None
        rotations = rotations_in(store, origin_of(store.log)) if known.keys else ()
        self._anchors = Anchors(store.log, store.checkpoints(), known, rotations)
        self._chain = Chain(roots=self._anchors)
        self._pruned = 0
        self._passed_over = 0

    def run(self, progress: Progress | None, processes: int) -> Verification:
        """Verify page after page, then what lies behind the last record."""
        fault = self._begin()
        if fault:
            return self._outcome(fault)
        for page, payload in self._pages(processes):
            passed, fault = swift.passes(page, self._chain, self._store.log, payload=payload)
            if not passed:
                fault = self._carefully(page)
            if fault:
                return self._outcome(fault)
            if progress:
                progress(self._chain.count, self._size)
        return self._outcome(self._behind())

    def _pages(self, processes: int) -> Iterator[tuple[Page, bool]]:
        """All pages, and of each whether its payload is to be looked at here."""
        if processes and self._payload:
            from footnote.provenance import apart  # processes are not there everywhere

            if self._size - self._pruned >= apart.WORTH:
                return apart.pages(self._store, self._pruned, self._size, processes)
        pages = self._store.pages(self._pruned, self._size, parts=self._payload)
        return ((page, self._payload) for page in pages)

    def _begin(self) -> Fault | None:
        """Begin behind what a record says was pruned, if the first record is gone; the record itself is verified later."""
        first = next(iter(self._store.entries(0, 1, parts=False)), None)
        pruned = None if first or not self._size else pruned_in(self._store)
        if pruned is None:
            return self._stray()
        self._pruned = pruned.upto
        self._passed_over = self._anchors.skip(pruned.upto)
        return self._stray() or self._chain.begin_behind(*pruned.beginning())

    def _stray(self) -> Fault | None:
        """The fault of what lies before the first record: no link leads there, so it could say anything."""
        stray = self._store.stray(self._pruned)
        if stray is None:
            return None
        why = f"the records up to {self._pruned} were pruned" if self._pruned else "the first record is record 1"
        return Fault("insertion", f"Record {stray} was put in: {why}.", stray)

    def _outcome(self, fault: Fault | None) -> Verification:
        return replace(
            self._chain.outcome(fault, self),
            checkpoints=self._anchors.count,
            signed=self._anchors.signed,
            stamps=self._anchors.stamps.outcome(),
            leaves_only=not self._payload,
            pruned=self._pruned,
            remarks=self._remarks(),
        )

    def _remarks(self) -> tuple[str, ...]:
        if not self._passed_over:
            return ()
        passed = counted(
            self._passed_over,
            "checkpoint of records that were pruned was",
            "checkpoints of records that were pruned were",
        )
        return (f"{passed} not compared; the export can be.",)

    def _carefully(self, page: Page) -> Fault | None:
        """Go over a page record by record; what lies behind it is read only to tell what was done."""
        first = self._chain.sequence
        stream = (self._link(entry) for entry in self._store.entries(first, self._size, parts=self._payload))
        for link in stream:
            fault = self._chain.fault(link, stream) or self._chain.take(link)
            if fault or link.sequence >= page.upto:
                return fault
        return None

    def _behind(self) -> Fault | None:
        if self._chain.sequence < self._size:
            gone = self._chain.sequence + 1
            return Fault("deletion", f"Record {gone} is gone.", gone)
        orphan = self._store.orphan(self._size) if self._payload else None
        if orphan is not None:
            return Fault("truncation", _gone(orphan), orphan)
        tail = self._store.tail()
        return self._anchors.end(self._size, tail.sequence if tail else 0)

    def _link(self, entry: Entry) -> Link:
        leaf, fault = read_leaf(entry, self._store.log)
        if leaf is None or fault:
            return Link(entry.sequence, entry.hash, timestamp=leaf.timestamp if leaf else "", fault=fault)
        inner = self._payload_fault(leaf, entry) if self._payload else None
        item = merkle.leaf_hash(entry.leaf)
        inner = inner or misfiled(entry, leaf)
        return Link(leaf.sequence, entry.hash, leaf.previous_hash, leaf.timestamp, inner=inner, item=item)

    def _payload_fault(self, leaf: Leaf, entry: Entry) -> Fault | None:
        findings = examine(leaf, entry.parts)
        if findings.altered or not findings.absent:
            return altered(leaf, findings)
        if self._erasures is None:
            self._erasures = erasures_in(self._store)
        gone = [path for path in findings.absent if not self._erasures.cover(leaf.sequence, path)]
        self.erased += len(findings.absent) - len(gone)
        return missing(leaf.sequence, gone[0]) if gone else unproved(leaf, findings)


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


def unproved(leaf: Leaf, findings: Findings) -> Fault | None:
    """The fault of rows of evidence that stand beside one that is gone with its commitment."""
    if not findings.unproved:
        return None
    reason = (
        f"The payload of record {leaf.sequence} has {findings.unproved[0]}, which nothing vouches for: another row is "
        "gone without its commitment, so there is no root."
    )
    return Fault("payload", reason, leaf.sequence)


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
