"""The Merkle tree over all leaves of a log, RFC 6962: roots and proofs at the cost of a few reads.

Item `i` is the leaf of record `i + 1`. A store keeps, beside its leaves, the root of each complete subtree of 256^level
leaves (the tiles of C2SP tlog-tiles, without the hashes of single leaves, which the leaves give). A record costs 1/255
of a row; a root or proof reads at most 256 leaves and some hundred of these roots, however large the log is.

What is kept is a help, not an authority: verification computes the tree from the leaves, and a proof that was made of
hashes that somebody changed does not lead to a signed root.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from footnote.provenance import merkle

FAN_OUT: Final = 256
"""Nodes of one level under a node of the next."""

HEIGHT: Final = 8
"""Levels of a binary tree with `FAN_OUT` leaves."""


class Subtrees(Protocol):
    """What a tree is read from."""

    def leaf_bytes(self, after: int, count: int) -> list[bytes]:
        """The leaves of up to `count` records behind sequence `after`, in order, up to the first that is missing."""

    def subtree_roots(self, level: int, first: int, count: int) -> list[bytes]:
        """The kept roots of complete subtrees of 256^level leaves (`level` >= 1), from position `first` on.

        Up to `count`, without gaps; fewer where not all are kept.
        """


class LogTree:
    """The tree as it is in a store; nodes are kept as long as this object is, so make one for each question."""

    def __init__(self, store: Subtrees) -> None:
        self._store = store
        self._tiles: dict[tuple[int, int], list[bytes]] = {}

    def root(self, size: int) -> bytes:
        """The root over the first `size` records, 32 bytes. Raises IndexError if there are not as many."""
        return merkle.root_of(self.node, size)

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """The proof of item `index` in the tree of `size`. Raises IndexError if either is not there."""
        return merkle.inclusion_of(self.node, index, size)

    def consistency(self, old: int, new: int) -> list[bytes]:
        """The proof that the tree of `new` begins with that of `old` >= 1. Raises IndexError as `inclusion`."""
        return merkle.consistency_of(self.node, old, new)

    def complete(self, size: int) -> tuple[bytes, ...]:
        """The roots of the complete subtrees that the tree of `size` is made of, largest first. Raises IndexError."""
        found, first = [], 0
        for height in range(size.bit_length() - 1, -1, -1):
            if size >> height & 1:
                found.append(self.node(height, first >> height))
                first += 1 << height
        return tuple(found)

    def node(self, height: int, position: int) -> bytes:
        """The hash of a complete subtree (`merkle.Node`). Raises IndexError if the log does not reach so far."""
        level, rest = divmod(height, HEIGHT)
        first = position << rest
        tile = self._tile(level, first // FAN_OUT)
        start = first % FAN_OUT
        hashes = tile[start : start + (1 << rest)]
        if len(hashes) < 1 << rest:
            raise IndexError(f"the log has no complete subtree of height {height} at {position}")
        return merkle.fold(hashes)

    def _tile(self, level: int, number: int) -> list[bytes]:
        """Up to 256 neighbouring nodes of a level, those that are complete."""
        tile = self._tiles.get((level, number))
        if tile is None:
            tile = self._tiles[level, number] = self._read(level, number * FAN_OUT)
        return tile

    def _read(self, level: int, first: int) -> list[bytes]:
        if not level:
            return [merkle.leaf_hash(leaf) for leaf in self._store.leaf_bytes(first, FAN_OUT)]
        kept = self._store.subtree_roots(level, first, FAN_OUT)
        while len(kept) < FAN_OUT:  # a log that was made before its tree was kept; one more is made from what is below
            below = self._tile(level - 1, first + len(kept))
            if len(below) < FAN_OUT:
                break
            kept.append(merkle.fold(below))
        return kept


def grown(store: Subtrees, kept: Sequence[int], size: int) -> Iterator[tuple[int, int, bytes]]:
    """The subtrees that are complete in a log of `size` records and not kept yet, as (level, position, root).

    Args:
        store: Leaves, and the subtrees that are kept.
        kept: How many are kept of level 1, level 2, …
        size: Records in the log, those of a batch on its way included.
    """
    level, below = 1, size // FAN_OUT
    made: dict[int, bytes] = {}
    while below:
        have = kept[level - 1] if level <= len(kept) else 0
        fresh: dict[int, bytes] = {}
        for position in range(have, below):
            nodes = _nodes_below(store, level, position, made)
            if len(nodes) < FAN_OUT:
                return  # a record is gone; verification says so, and no subtree hides it
            fresh[position] = merkle.fold(nodes)
            yield level, position, fresh[position]
        level, below, made = level + 1, below // FAN_OUT, fresh


def _nodes_below(store: Subtrees, level: int, position: int, made: dict[int, bytes]) -> list[bytes]:
    """The 256 nodes under a subtree: leaves, kept roots, and behind those the ones that were just made."""
    first = position * FAN_OUT
    if level == 1:
        return [merkle.leaf_hash(leaf) for leaf in store.leaf_bytes(first, FAN_OUT)]
    fresh = [made[place] for place in range(first, first + FAN_OUT) if place in made]
    return store.subtree_roots(level - 1, first, FAN_OUT - len(fresh))[: FAN_OUT - len(fresh)] + fresh
