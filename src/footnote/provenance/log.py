"""The log: append a record and get a receipt, read records, nothing else.

`Log.open` gives a log in a SQLite file, or in a PostgreSQL database. One `Log` serves any number of threads, and goes on working in a forked child.
"""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from footnote.errors import Candidate, LogBroken, LogUnavailable, NameAmbiguous, NameUnknown, UsageError
from footnote.evidence import Json
from footnote.provenance.anchors import Known
from footnote.provenance.canonical import parse
from footnote.provenance.chain import Progress, Verification
from footnote.provenance.checkpoint import SignedCheckpoint
from footnote.provenance.erasures import Erasures, erasures_in
from footnote.provenance.leaf import EVIDENCE, Draft, Leaf, decode, record_hash, seal
from footnote.provenance.notary import Checkpointing, Notary
from footnote.provenance.parts import Findings, examine
from footnote.provenance.postgres_connect import SCHEME, PostgresPlace
from footnote.provenance.sqlite import SqliteStore
from footnote.provenance.store import Entry, Receipt, Store, utc_now
from footnote.provenance.tree import LogTree
from footnote.provenance.verify import verify
from footnote.provenance.writer import Writer

T = TypeVar("T")

State = Literal["verified", "erased", "missing", "altered"]
"""Of a part: as recorded; destroyed, and a record says so; not there; not what was recorded."""

_ID = re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,28}")

_open_logs: weakref.WeakSet[Log] = weakref.WeakSet()


@dataclass(frozen=True, slots=True)
class Record:
    """A record, read: its leaf's fields, and of its payload what is as it was recorded.

    Attributes:
        sections: The verified sections by name.
        evidence: The rows in order; None where a row is not verified.
        states: The state of every part by path (`question`, `evidence/3`).
    """

    log: str
    sequence: int
    id: str
    kind: str
    timestamp: str
    previous_hash: str
    hash: str
    catalog: str
    sections: Mapping[str, Json]
    evidence: tuple[Json, ...]
    states: Mapping[str, State]

    @property
    def short_id(self) -> str:
        """The first eight digits of the id."""
        return self.id[:8]

    @property
    def receipt(self) -> Receipt:
        """What whoever had it recorded was given."""
        return Receipt(self.id, self.sequence, self.hash, self.timestamp)

    @property
    def intact(self) -> bool:
        """Whether every part is verified, or was erased by the book."""
        return all(state in {"verified", "erased"} for state in self.states.values())


class Log:
    """A tamper-evident log of records."""

    def __init__(self, store: Store, *, readonly: bool = False, checkpoints: Checkpointing | None = None) -> None:
        self._store = store
        self._readonly = readonly
        self._checkpointing = checkpoints
        self._start()
        _open_logs.add(self)

    @classmethod
    def open(
        cls,
        place: str | os.PathLike[str] | PostgresPlace,
        *,
        readonly: bool = False,
        timeout: float = 30.0,
        clock: Callable[[], datetime] | None = None,
        checkpoints: Checkpointing | None = None,
    ) -> Log:
        """Open the log in a file or database; make it, and the file's folder, if it is not there.

        Args:
            place: A file, or the URL of a PostgreSQL database (`postgresql://…`) that is the log's own.
            readonly: Only read; create nothing.
            timeout: Seconds that a writer waits for others.
            clock: The time of records; by default the system's.
            checkpoints: How its checkpoints are made while it is written; by default none are.

        Raises `LogUnavailable` if the place cannot be used, is no log, or one of a newer version, `UsageError` if it is
        a URL of another kind.
        """
        store = _store(place_of(place), readonly, timeout, clock or utc_now)
        return cls(store, readonly=readonly, checkpoints=checkpoints)

    @property
    def id(self) -> str:
        """The log's id, a UUID that every record names."""
        return self._store.log

    @property
    def store(self) -> Store:
        """The store, for verification and export."""
        return self._store

    def append(self, draft: Draft) -> Receipt:
        """Append a record; return once it is durable.

        Raises `LogUnavailable` if it is not in the log, `LogBroken` if the log's end was changed, `Unrecordable` if
        the draft has no canonical form, `UsageError` if its id is there already.
        """
        return self.append_all([draft])[0]

    def append_all(self, drafts: Sequence[Draft]) -> list[Receipt]:
        """Append records one behind the other; return once all are durable. Others' records may come between them.

        Raises as `append`; records before the one that failed may be in the log then.
        """
        self._require_writable()
        return self._writer.submit([seal(draft) for draft in drafts])

    def erase(self, draft: Draft, paths: Mapping[int, Sequence[str]]) -> Receipt:
        """Destroy parts, by sequence and path, and append the record that says so, in one transaction.

        `audit.erase` is what decides. Raises as `append`; then nothing was done.
        """
        return self._done(self._require_writable().erase(seal(draft), paths))

    def prune(self, draft: Draft, upto: int) -> Receipt:
        """Take away the records up to `upto` and append the record that says so, in one transaction.

        `audit.retain` is what decides. Raises as `append`; then nothing was done.
        """
        return self._done(self._require_writable().prune(seal(draft), upto))

    def scrub(self) -> bool:
        """Overwrite what the store's own files still have of what was destroyed; False while a reader prevents it."""
        return self._require_writable().scrub()

    def _require_writable(self) -> Store:
        if self._readonly:
            raise LogUnavailable("The log was opened for reading only.", remedy="Open it for writing.")
        return self._store

    def _done(self, receipt: Receipt) -> Receipt:
        if self._notary:
            self._notary.appended()
        return receipt

    def get(self, name: int | str) -> Record:
        """The record of this sequence (a number, or digits), id, or first eight or more digits of an id.

        Raises `NameUnknown`, `NameAmbiguous`, `LogBroken` if its leaf was changed.
        """
        found = self._named(name)
        if not found:
            raise NameUnknown(
                f"The log has no record {str(name)[:60]!a}.",
                remedy="Name a record by its sequence, its id, or the first eight digits of its id.",
            )
        if len(found) > 1:
            raise NameAmbiguous(
                f"More than one record has an id that starts with {name}.",
                remedy="Give more digits of the id.",
                candidates=[Candidate(entry.id) for entry in found[:5]],
            )
        return read_record(found[0], _Lazy(self._store))

    def records(self, after: int = 0, limit: int | None = None, kinds: Sequence[str] | None = None) -> Iterator[Record]:
        """Records behind sequence `after`, in order, up to the end as it is now; read as they are taken.

        Raises `LogBroken` at a record whose leaf was changed.
        """
        erasures = _Lazy(self._store)
        for count, entry in enumerate(self._store.entries(after, kinds=kinds)):
            if limit is not None and count >= limit:
                return
            yield read_record(entry, erasures)

    def size(self) -> int:
        """The number of records: the last one's sequence."""
        tail = self._store.tail()
        return tail.sequence if tail else 0

    def head(self) -> Receipt | None:
        """The last record's receipt; None in an empty log."""
        tail = self._store.tail()
        return Receipt(tail.id, tail.sequence, tail.hash, _intact(tail).timestamp) if tail else None

    def root(self, size: int | None = None) -> bytes:
        """The Merkle root (RFC 6962) over the leaves of the first `size` records, by default of all; 32 bytes.

        Raises `LogBroken` if not as many are there.
        """
        return self._tree(lambda tree, end: tree.root(end), size)

    def inclusion(self, sequence: int, size: int | None = None) -> list[bytes]:
        """The proof that the record of this sequence is in the tree of the first `size` records, nearest hash first.

        The item is the record's leaf, its index `sequence - 1`. Raises as `root`; `UsageError` if `size` leaves it out.
        """
        if not 1 <= sequence <= (self.size() if size is None else size):
            raise UsageError(f"A tree of {size or self.size()} records has no record {sequence}.")
        return self._tree(lambda tree, end: tree.inclusion(sequence - 1, end), size)

    def consistency(self, old: int, new: int | None = None) -> list[bytes]:
        """The proof that the tree of the first `new` records begins with that of the first `old`, which is at least 1.

        Raises as `root`; `UsageError` if `old` is 0 or more than `new`: nothing shows that.
        """
        if not 1 <= old <= (self.size() if new is None else new):
            raise UsageError(f"That a tree of {new or self.size()} records continues one of {old} cannot be shown.")
        return self._tree(lambda tree, end: tree.consistency(old, end), new)

    def subtree_roots(self, size: int) -> tuple[bytes, ...]:
        """The roots of the complete subtrees that the tree of `size` records is made of, largest first. Raises as `root`."""
        return self._tree(lambda tree, end: tree.complete(end), size)

    def _tree(self, ask: Callable[[LogTree, int], T], size: int | None) -> T:
        end = self.size() if size is None else size
        try:
            return ask(LogTree(self._store), end)
        except IndexError:
            raise LogBroken(
                f"The log does not have {end} records without a gap.", remedy="Verify the log.", details={"size": end}
            ) from None

    def verify(
        self,
        progress: Progress | None = None,
        *,
        known: Known | None = None,
        leaves_only: bool = False,
        processes: int = 0,
    ) -> Verification:
        """Verify every record; see `footnote.provenance.verify` for what that finds and what it cannot.

        `processes` further ones may help with a big log; only for programs whose main module can be imported.
        """
        return verify(self._store, known=known, leaves_only=leaves_only, processes=processes, progress=progress)

    def checkpoint(self) -> SignedCheckpoint | None:
        """Make a checkpoint now; None if the latest one covers the log already, or the log makes none.

        Raises `LogUnavailable` if it cannot be made; the operator was told why.
        """
        made, trouble = self._notary.attempt() if self._notary else (None, "")
        if trouble:
            raise LogUnavailable("There is no new checkpoint, or not all who should keep it do.", why=trouble)
        return made

    @property
    def checkpoint_trouble(self) -> str:
        """What kept the last checkpoint from being made, or from being kept outside; empty if nothing."""
        return self._notary.trouble if self._notary else ""

    def close(self) -> None:
        """Write what is on its way, have it signed, then give up the file."""
        self._writer.close()
        if self._notary:
            self._notary.close()
        self._store.close()

    def _start(self) -> None:
        how = None if self._readonly else self._checkpointing
        self._notary = Notary(self._store, how) if how else None
        self._writer = Writer(self._store, self._notary.appended) if self._notary else Writer(self._store)

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _named(self, name: int | str) -> list[Entry]:
        if isinstance(name, str):
            text = name.strip().lower()
            if _ID.fullmatch(text) and (found := self._store.find(text, 6)):
                return found
            if not (text.isascii() and text.isdecimal() and len(text) <= 18):
                return []
            name = int(text)
        return list(self._store.entries(name - 1, name)) if 0 < name < 2**63 else []

    def _after_fork(self) -> None:
        self._store.abandon()
        self._start()


def place_of(text: str | os.PathLike[str] | PostgresPlace) -> Path | PostgresPlace:
    """Where a log lies: a file, or a PostgreSQL database by its URL. Raises `UsageError` for a URL of another kind."""
    if isinstance(text, PostgresPlace):
        return text
    name = os.fspath(text)
    if SCHEME.match(name):
        return PostgresPlace.parse(name)
    if "://" in name:
        raise UsageError(
            "A log is kept in a file or in PostgreSQL; another URL is not understood.",
            remedy="Name a file, or write postgresql://user@host/database.",
        )
    return Path(name)


def _store(place: Path | PostgresPlace, readonly: bool, timeout: float, clock: Callable[[], datetime]) -> Store:
    if isinstance(place, PostgresPlace):
        from footnote.provenance.postgres import PostgresStore

        return PostgresStore(place, readonly=readonly, timeout=timeout, clock=clock)
    return SqliteStore(place.absolute(), readonly=readonly, timeout=timeout, clock=clock)


class _Lazy:
    """The erasures of a store, read when the first absent part asks for them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._found: Erasures | None = None

    def cover(self, sequence: int, path: str) -> bool:
        if self._found is None:
            self._found = erasures_in(self._store)
        return self._found.cover(sequence, path)


def read_record(entry: Entry, erasures: Erasures | _Lazy) -> Record:
    """A record from its entry.

    Raises `LogBroken` if its leaf was changed; a changed payload is left out and named in `states`.
    """
    leaf = _intact(entry)
    findings = examine(leaf, entry.parts)
    values = {part.path: parse(part.data) for part in findings.verified if part.data is not None}
    return Record(
        log=leaf.log,
        sequence=leaf.sequence,
        id=leaf.id,
        kind=leaf.kind,
        timestamp=leaf.timestamp,
        previous_hash=leaf.previous_hash,
        hash=entry.hash,
        catalog=leaf.catalog,
        sections=MappingProxyType({name: values[name] for name in leaf.sections if name in values}),
        evidence=tuple(values.get(f"{EVIDENCE}/{position}") for position in range(leaf.evidence_count)),
        states=MappingProxyType(_states(leaf, findings, erasures)),
    )


def _states(leaf: Leaf, findings: Findings, erasures: Erasures | _Lazy) -> dict[str, State]:
    states: dict[str, State] = {part.path: "verified" for part in findings.verified}
    for path in findings.absent:
        states[path] = "erased" if erasures.cover(leaf.sequence, path) else "missing"
    for path in (*findings.altered, *findings.unproved):
        states[path] = "altered"
    return states


def _intact(entry: Entry) -> Leaf:
    if record_hash(entry.leaf) == entry.hash:
        leaf = decode(entry.leaf)
        if (leaf.sequence, leaf.id, leaf.kind) == (entry.sequence, entry.id, entry.kind):
            return leaf
    details: dict[str, Any] = {"sequence": entry.sequence}
    raise LogBroken(f"Record {entry.sequence} was changed in the log.", remedy="Verify the log.", details=details)


def _after_fork_in_child() -> None:
    for log in list(_open_logs):
        log._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
