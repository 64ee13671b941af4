"""A chain of records as it is followed: what holds so far, what is wrong with the next link, and what was done.

Stores, exports of both formats and bundles all become links here, so that one fault has one name and one sentence.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from footnote.errors import counted
from footnote.provenance.leaf import GENESIS
from footnote.provenance.merkle import CompactRange

Tamper = Literal[
    "",
    "edit",
    "deletion",
    "insertion",
    "reorder",
    "backdating",
    "payload",
    "truncation",
    "rewrite",
    "fork",
    "signature",
    "unpinned",
    "timestamp",
    "malformed",
]
"""What was done to a log or export, as far as can be told; `TAMPERS` says what each word means."""

TAMPERS: Final[dict[Tamper, str]] = {
    "edit": "a record, or what stands beside it, was changed in place",
    "deletion": "a record is gone from the middle, or from the beginning without having been pruned",
    "insertion": "a record was put in",
    "reorder": "records stand in another order",
    "backdating": "a record says an earlier time than the one before it",
    "payload": "a section or row is not the one that was recorded, or is gone without an erasure record",
    "truncation": "records at the end are gone",
    "rewrite": "records were replaced together with all hashes behind them: a kept checkpoint says otherwise",
    "fork": "two histories were signed: a kept checkpoint and one of the log's own cannot both be true",
    "signature": "a signature does not hold, or what should be a signed checkpoint is none",
    "unpinned": "a checkpoint is signed, but not by a key that was given",
    "timestamp": "a time stamp is not over its checkpoint, or not of an authority that was given, or lies before a record",
    "malformed": "a file that cannot be read to its end",
}

Progress = Callable[[int, int], None]
"""Called with records verified and records in all (0 if unknown), every few hundred records and at the end."""

PROGRESS_EVERY = 500

Signed = Literal["", "verified", "unpinned"]
"""Of the checkpoints: there were none; a given key signed them; the key was not given, so its signature says nothing."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """Of the time stamps of checkpoints: how many there are, how many of them are shown to be an authority's that was given.

    `unchecked` says why the latter was not looked at; empty if it was.
    """

    found: int
    good: int
    unchecked: str = ""

    @property
    def text(self) -> str:
        """The same in words."""
        found = f"{self.found:,} time stamp{'s' * (self.found != 1)}"
        if self.unchecked:
            return f"{found}: not checked: {self.unchecked}"
        are = "is" if self.found == 1 else "are"
        return f"{self.good:,} of {found} {are} good: over its checkpoint, by an authority whose certificate was given"

    def as_dict(self) -> dict[str, Any]:
        """As printed."""
        return {"found": self.found, "good": self.good} | ({"notChecked": self.unchecked} if self.unchecked else {})


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
        root: Merkle root over all leaves, in hex; empty if not all were read.
        checkpoints: Checkpoints whose root was computed again and is the one they say.
        signed: Whether a key that was given signed them.
        stamps: Of their time stamps; None if there were none.
        pruned: Records before the first that is there, which a record says were pruned.
        leaves_only: Payloads were not looked at.
        remarks: What whoever asked should know although it is no fault, as sentences.
    """

    ok: bool
    count: int
    failed_at: int | None = None
    reason: str = ""
    kind: Tamper = ""
    head: str = ""
    erased: int = 0
    root: str = ""
    checkpoints: int = 0
    signed: Signed = ""
    stamps: Stamped | None = None
    pruned: int = 0
    leaves_only: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def anchored(self) -> str:
        """How its checkpoints stand, in words; empty if none was compared."""
        if not self.checkpoints:
            return ""
        agree = counted(self.checkpoints, "checkpoint agrees", "checkpoints agree")
        return f"{agree}, {'signed by a key that was given' if self.signed == 'verified' else 'the signature UNPINNED'}"

    def as_dict(self) -> dict[str, Any]:
        """`{ok, count}` or `{ok, failedAt, reason}`, with what else is known."""
        out: dict[str, Any] = {"ok": self.ok, "count": self.count}
        known = {
            "head": self.head,
            "erased": self.erased,
            "pruned": self.pruned,
            "checkpoints": self.checkpoints,
            "signed": self.signed,
            "timeStamps": self.stamps.as_dict() if self.stamps else None,
            "leavesOnly": self.leaves_only,
            "remarks": list(self.remarks),
        }
        out |= {name: value for name, value in known.items() if value}
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
    wrong with a record whose place in the chain may well be right: it is reported if the place is. `item` is the hash
    of its leaf as the Merkle tree has it; empty where there is no tree.
    """

    sequence: int
    hash: str
    previous_hash: str = ""
    timestamp: str = ""
    fault: Fault | None = None
    inner: Fault | None = None
    item: bytes = b""


@dataclass(slots=True)
class Tally:
    """Counts kept while records are read."""

    erased: int = 0


class Roots(Protocol):
    """What is to be compared with the root of the tree when it reaches a size (`anchors.Anchors`)."""

    @property
    def wanted(self) -> int:
        """The next size to be told of; -1 if there is none."""

    def reach(self, size: int, root: bytes, timestamp: str) -> Fault | None:
        """What is wrong with this root, or with the time of the last record under it."""


def walk(
    links: Iterable[Link],
    *,
    total: int = 0,
    chain: Chain | None = None,
    progress: Progress | None = None,
    tally: Tally | None = None,
) -> Verification:
    """Follow a chain and stop at the first fault.

    Args:
        links: The records in the order they are found.
        total: How many there are, for `progress`; 0 if unknown.
        chain: What holds already; by default nothing does, and a chain begins with its first record.
        progress: Told every few hundred records.
        tally: Counts to put into the outcome.
    """
    chain = chain or Chain()
    stream = iter(links)
    for link in stream:
        fault = chain.fault(link, stream) or chain.take(link)
        if fault:
            return chain.outcome(fault, tally)
        if progress and chain.count % PROGRESS_EVERY == 0:
            progress(chain.count, total)
    if progress:
        progress(chain.count, total)
    return chain.outcome(None, tally)


class Chain:
    """The part of a chain that holds, and what must follow it.

    Args:
        after: The sequence before the first record. If not 0, the link of the first record cannot be checked.
        gaps: A selection: sequences rise, and links are checked between neighbours.
        clock: Whether timestamps may not go back (format v0 does not promise that).
        roots: What is compared with the Merkle root on the way.
    """

    def __init__(self, *, after: int = 0, gaps: bool = False, clock: bool = True, roots: Roots | None = None) -> None:
        self.sequence = after
        self.hash = GENESIS if not after else ""
        self.timestamp = ""
        self.count = 0
        self.tree = CompactRange()
        self._gaps = gaps
        self._clock = clock
        self._roots = roots

    def begin_behind(self, sequence: int, hash: str, timestamp: str, tree: CompactRange) -> Fault | None:
        """Begin behind records that were pruned, of which hash, time and tree are known.

        The fault is that of a checkpoint of exactly these records.
        """
        self.sequence, self.hash, self.timestamp, self.tree = sequence, hash, timestamp, tree
        return self._reached()

    @property
    def head(self) -> str:
        """Hash of the last record that holds; empty if there is none."""
        return "" if self.hash == GENESIS else self.hash

    def outcome(self, fault: Fault | None, tally: Tally | None) -> Verification:
        """What is known when the chain ends, or breaks at `fault`."""
        erased = tally.erased if tally else 0
        if fault:
            return Verification(False, self.count, fault.at, fault.reason, fault.kind, self.head, erased)
        root = self.tree.root().hex() if self.count and self.tree.size == self.sequence else ""
        return Verification(True, self.count, head=self.head, erased=erased, root=root)

    def take(self, link: Link) -> Fault | None:
        """Go on to a link that holds. The fault is that of a checkpoint that the tree reaches with it."""
        self.sequence, self.hash, self.timestamp = link.sequence, link.hash, link.timestamp
        self.count += 1
        return self._grow(link.item) if link.item else None

    def extend(self, items: Sequence[bytes], timestamps: Sequence[bytes], hash: str) -> Fault | None:
        """Go on over as many links as there are `items`, which hold; `hash` is that of the last."""
        done = 0
        while done < len(items):
            due = self._roots.wanted - self.tree.size if self._roots else 0
            upto = done + due if 0 < due < len(items) - done else len(items)
            self.tree.extend(items[done:upto])
            self.sequence += upto - done
            self.count += upto - done
            self.timestamp, done = timestamps[upto - 1].decode(), upto
            fault = self._reached()
            if fault:
                return fault
        self.hash = hash
        return None

    def _grow(self, item: bytes) -> Fault | None:
        self.tree.append(item)
        return self._reached()

    def _reached(self) -> Fault | None:
        if self._roots is None or self.tree.size != self._roots.wanted:
            return None
        return self._roots.reach(self.tree.size, self.tree.root(), self.timestamp)

    def fault(self, link: Link, rest: Iterator[Link]) -> Fault | None:
        """What is wrong with `link`. `rest` is read only once something is wrong, to tell what was done."""
        expected = self.sequence + 1
        if link.fault:
            return self._named(link, link.fault)
        if self._gaps and link.sequence > expected:
            self.hash = ""  # the record before is not in the selection, so there is nothing to compare the link with
        elif link.sequence != expected:
            return self._misplaced(link, expected, rest)
        if self.hash and link.previous_hash != self.hash:
            return self._unlinked(link, rest)
        if self._clock and link.timestamp < self.timestamp:
            return Fault("backdating", f"{self._early(link)} Timestamps do not go back.", link.sequence)
        return link.inner

    def _named(self, link: Link, fault: Fault) -> Fault:
        if fault.kind == "edit" and self._clock and link.timestamp and link.timestamp < self.timestamp:
            return Fault("backdating", f"{fault.reason} {self._early(link)}", fault.at)
        return fault

    def _early(self, link: Link) -> str:
        return f"Record {link.sequence} says {link.timestamp}, the record before it {self.timestamp}."

    def _misplaced(self, link: Link, expected: int, rest: Iterator[Link]) -> Fault:
        if self._gaps and link.sequence < self.sequence:
            reason = f"Record {link.sequence} comes after record {self.sequence}."
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
        if self.hash == GENESIS:
            return Fault("edit", f"Record {link.sequence} is the first, but names a record before it.", link.sequence)
        following = next(rest, None)
        blamed = link.sequence - 1
        if following and not following.fault and following.previous_hash != link.hash:
            blamed = link.sequence
        reason = (
            f"Record {blamed} was rewritten together with its hash: record {link.sequence} names "
            f"{link.previous_hash[:12]}... as the record before it, which has the hash {self.hash[:12]}..."
        )
        return Fault("edit", reason, blamed)
