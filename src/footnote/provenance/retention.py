"""What the log itself says about keeping and pruning: legal holds, releases, and which records were pruned.

Records of kind `retention` have one of these sections::

    "hold":    {"name": "Case 12", "from": "2026-01-01", "to": "2026-12-31"}     days in UTC; either may be empty
    "release": {"name": "Case 12"}
    "pruned":  {"upto": 512, "hash": "<hash of record 512>", "timestamp": "...", "tree": ["<hex>", ...],
                "export": {"sha256": "...", "records": 512}}

A pruned log begins behind `upto`. `tree` has the roots of the complete subtrees over the pruned leaves, largest first, so
that the Merkle root, every later proof and every later checkpoint stay what they were. A section counts only if it
matches its leaf's commitment. Pure: no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from footnote.errors import LogBroken
from footnote.evidence import Json
from footnote.provenance.canonical import Unrecordable, parse
from footnote.provenance.leaf import Leaf, Part, decode
from footnote.provenance.merkle import CompactRange
from footnote.provenance.parts import examine
from footnote.provenance.store import Store

KIND: Final = "retention"
HOLD: Final = "hold"
RELEASE: Final = "release"
PRUNED: Final = "pruned"

_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Hold:
    """A legal hold: what it covers is neither erased nor pruned until it is released.

    Attributes:
        name: Whatever the holder calls it.
        since, until: Days in UTC (`2026-12-31`), both included; empty for no bound.
        sequence: The record that says so.
    """

    name: str
    since: str = ""
    until: str = ""
    sequence: int = 0

    def covers(self, timestamp: str) -> bool:
        """Whether a record of this time (as leaves have it) is held."""
        day = timestamp[:10]
        return (not self.since or day >= self.since) and (not self.until or day <= self.until)

    def as_dict(self) -> dict[str, Json]:
        """The hold as recorded."""
        return {"name": self.name, "from": self.since, "to": self.until}


@dataclass(frozen=True, slots=True)
class Pruned:
    """The records up to `upto` that are gone, and what is left of them.

    Attributes:
        upto: The last of them.
        hash: Its hash, which the first record that is there names.
        timestamp: Its time.
        tree: Roots of the complete subtrees over their leaves, largest first.
        export: What is known of the export that has them.
        sequence: The record that says so.
    """

    upto: int
    hash: str
    timestamp: str
    tree: tuple[bytes, ...]
    export: Mapping[str, Any]
    sequence: int = 0

    def beginning(self) -> tuple[int, str, str, CompactRange]:
        """Sequence, hash, time, and the tree to be grown: what a chain begins behind (`chain.Chain.begin_behind`)."""
        return self.upto, self.hash, self.timestamp, CompactRange.of(self.upto, self.tree)

    def as_dict(self) -> dict[str, Json]:
        """The section as recorded."""
        return {
            "upto": self.upto,
            "hash": self.hash,
            "timestamp": self.timestamp,
            "tree": [root.hex() for root in self.tree],
            "export": dict(self.export),
        }


def holds_in(store: Store) -> list[Hold]:
    """The holds in force, in the order in which they were made."""
    held: dict[str, Hold] = {}
    for leaf, name, value in _sections(store):
        called = value.get("name")
        if name == HOLD and isinstance(called, str):
            held[called] = Hold(called, str(value.get("from", "")), str(value.get("to", "")), leaf.sequence)
        elif name == RELEASE and isinstance(called, str):
            held.pop(called, None)
    return list(held.values())


def pruned_of(leaf: Leaf, verified: Iterable[Part]) -> Pruned | None:
    """What a record says was pruned, by its verified parts; None if it says nothing of the kind."""
    for part in verified:
        if leaf.kind == KIND and part.section == PRUNED and part.data is not None:
            return read_pruned(parse(part.data), leaf.sequence)
    return None


def pruned_in(store: Store) -> Pruned | None:
    """The last pruning that the log records; None if there is none."""
    found = None
    for leaf, name, value in _sections(store):
        if name == PRUNED:
            found = read_pruned(value, leaf.sequence) or found
    return found


def read_pruned(value: Any, sequence: int) -> Pruned | None:
    """The pruning that a section of record `sequence` states; None if it is none."""
    if not isinstance(value, dict):
        return None
    upto, hash, moment = value.get("upto"), value.get("hash"), value.get("timestamp")
    tree, export = value.get("tree"), value.get("export")
    if type(upto) is not int or not 0 < upto < sequence or not isinstance(moment, str):
        return None
    if not _is_hash(hash) or not isinstance(tree, list) or not all(map(_is_hash, tree)) or not isinstance(export, dict):
        return None
    if len(tree) != upto.bit_count():
        return None
    return Pruned(upto, str(hash), moment, tuple(map(bytes.fromhex, tree)), export, sequence)


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def _sections(store: Store) -> Iterator[tuple[Leaf, str, Mapping[str, Any]]]:
    """The verified sections of all records of the kind that are objects, in order."""
    for entry in store.entries(kinds=(KIND,)):
        try:
            leaf = decode(entry.leaf)
            for part in examine(leaf, entry.parts).verified:
                value = parse(part.data or b"")
                if isinstance(value, dict):
                    yield leaf, part.section, value
        except (LogBroken, Unrecordable):
            continue  # verification reports it where it stands
