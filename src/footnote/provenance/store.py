"""What a store of records keeps and promises; the same for every engine.

A store keeps, for each record, the exact leaf bytes and beside them the payload with its salts. `append` is the only
way in. It makes all of a batch durable or none of it, under a lock that keeps other writers out from reading the tail
to the commit, because two writers that read the same tail would fork the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from footnote.errors import FootnoteError, LogBroken
from footnote.evidence import Json
from footnote.provenance.leaf import GENESIS, Part, Sealed, decode, encode, record_hash, timestamp


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a caller gets once a record is durable."""

    id: str
    sequence: int
    hash: str
    timestamp: str

    @property
    def short_id(self) -> str:
        """The first eight digits of the id."""
        return self.id[:8]

    def as_dict(self) -> dict[str, Json]:
        """The receipt as it is shown and recorded."""
        return {"id": self.id, "sequence": self.sequence, "hash": self.hash, "timestamp": self.timestamp}


@dataclass(frozen=True, slots=True)
class Entry:
    """A record as it lies in a store or an export, unchecked. `sequence`, `id`, `kind`, `hash` stand beside the leaf.

    Parts of which there is no record make an entry without leaf, id and hash.
    """

    sequence: int
    id: str
    kind: str
    leaf: bytes
    hash: str
    parts: tuple[Part, ...] = ()


RawLeaf = tuple[int, bytes, bytes, bytes, bytes]
"""Sequence, id, kind, leaf, hash."""

RawPart = tuple[int, bytes, int, bytes, bytes]
"""Sequence, section, position, salt, data."""


class Page(NamedTuple):
    """Neighbouring records as they lie in a store: what verification reads, without an object for each part.

    Text is bytes here, and nothing is converted: where a changed store has another type in a column, so has the page.

    Attributes:
        upto: The sequence behind which the next page begins.
        leaves: In order of sequence.
        parts: In order of sequence, section (by its bytes) and position; empty if they were not asked for.
    """

    upto: int
    leaves: Sequence[RawLeaf]
    parts: Sequence[RawPart]


@dataclass(frozen=True, slots=True)
class Kept:
    """A checkpoint as it lies in a store, unchecked.

    Attributes:
        size: Records that it covers, as said beside it.
        note: The signed note (`checkpoint`).
        stamp: A time stamp token over the note (RFC 3161, DER), if one was had.
    """

    size: int
    note: bytes
    stamp: bytes | None = None


@dataclass(frozen=True, slots=True)
class Tail:
    """The end of a log: what the next record follows."""

    sequence: int = 0
    hash: str = GENESIS
    timestamp: str = ""


class Store(Protocol):
    """One log in one place. All methods may be called from any thread, but `append` from one at a time.

    It can be read as a tree (`tree.Subtrees`): it keeps the subtrees that its records complete, in their transaction.
    """

    @property
    def log(self) -> str:
        """The log's id, which every leaf names."""

    def append(self, batch: Sequence[Sealed]) -> list[Receipt | FootnoteError]:
        """Append in order; durable on return. A draft that cannot go in gets its error, the others their receipts.

        Raises `LogUnavailable` if nothing was appended.
        """

    def erase(self, sealed: Sealed, paths: Mapping[int, Sequence[str]]) -> Receipt:
        """Destroy parts, by sequence and path, and append the record that says so; durable, or nothing was done.

        Raises `LogUnavailable`; `UsageError` if the record's id is there already.
        """

    def prune(self, sealed: Sealed, upto: int) -> Receipt:
        """Take away the records up to `upto` and append the record that says so; durable, or nothing was done.

        Their subtrees and the checkpoints stay. Raises as `erase`.
        """

    def scrub(self) -> bool:
        """Overwrite what the store's own files still have of what was destroyed.

        False if somebody who reads keeps it from that. Raises `LogUnavailable`.
        """

    def tail(self) -> Entry | None:
        """The last record's leaf (no parts), or None."""

    def entries(
        self, after: int = 0, upto: int | None = None, kinds: Sequence[str] | None = None, *, parts: bool = True
    ) -> Iterator[Entry]:
        """Records with `after < sequence <= upto`, in order of sequence, in flat memory; by default up to the end."""

    def pages(self, after: int, upto: int, *, parts: bool = True) -> Iterator[Page]:
        """Records with `after < sequence <= upto`, in order of sequence, in flat memory."""

    def find(self, prefix: str, limit: int) -> list[Entry]:
        """Up to `limit` records whose id starts with `prefix`, in order of sequence, with their parts."""

    def orphan(self, after: int) -> int | None:
        """The first sequence behind `after` that has a payload but no record; None if there is none."""

    def stray(self, upto: int) -> int | None:
        """The first sequence up to `upto`, where nothing should lie, that has a record or a payload; None if none has."""

    def leaf_bytes(self, after: int, count: int) -> list[bytes]:
        """The leaves of up to `count` records behind sequence `after`, in order, up to the first that is missing."""

    def subtree_roots(self, level: int, first: int, count: int) -> list[bytes]:
        """Kept roots of complete subtrees of 256^level leaves, from position `first` on, without gaps."""

    def keep_checkpoint(self, kept: Kept) -> None:
        """Keep a checkpoint for good; durable on return. Raises `LogUnavailable`."""

    def checkpoints(self, least: int = 0) -> Iterator[Kept]:
        """Checkpoints of at least `least` records, in order of size, in flat memory."""

    def latest_checkpoint(self, *, stamped: bool = False) -> Kept | None:
        """The checkpoint of most records; with `stamped` the one among those that have a time stamp."""

    def opener(self) -> Callable[[], Store]:
        """What opens the same log for reading, in another process too."""

    def abandon(self) -> None:
        """Forget all handles without touching them: they belong to the process this one was forked from."""

    def close(self) -> None:
        """Give up all handles."""


def utc_now() -> datetime:
    """The clock of records."""
    return datetime.now(UTC)


def tail_of(entry: Entry | None, known: tuple[bytes, Tail] | None = None) -> Tail:
    """The tail that `entry` makes; `known` has a leaf and the tail that it is known to make.

    Raises `LogBroken` if it is not intact: a record that is appended after it would seem to confirm it.
    """
    if entry is None:
        return Tail()
    if known and known[0] == entry.leaf and known[1].hash == entry.hash and known[1].sequence == entry.sequence:
        return known[1]
    if record_hash(entry.leaf) != entry.hash:
        raise LogBroken(
            f"The log's last record, {entry.sequence}, does not have its hash, so nothing is appended.",
            remedy="Verify the log.",
            details={"sequence": entry.sequence},
        )
    leaf = decode(entry.leaf)
    if leaf.sequence != entry.sequence:
        raise LogBroken(
            f"The log's last record, {entry.sequence}, says that it is {leaf.sequence}, so nothing is appended.",
            remedy="Verify the log.",
            details={"sequence": entry.sequence},
        )
    return Tail(sequence=leaf.sequence, hash=entry.hash, timestamp=leaf.timestamp)


def follow(tail: Tail, sealed: Sealed, *, log: str, now: datetime) -> tuple[Entry, Tail]:
    """The record that `sealed` becomes behind `tail`, and the tail it makes. A clock set back does not set time back."""
    moment = max(timestamp(now), tail.timestamp)
    leaf = encode(sealed, log=log, sequence=tail.sequence + 1, timestamp=moment, previous_hash=tail.hash)
    entry = Entry(tail.sequence + 1, sealed.id, sealed.kind, leaf, record_hash(leaf), sealed.parts)
    return entry, Tail(entry.sequence, entry.hash, moment)
