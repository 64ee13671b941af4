"""Merkle trees of RFC 6962 section 2.1 (RFC 9162 section 2.1): root, inclusion and consistency proofs, their checks.

A leaf is SHA-256(0x00 || item), a node SHA-256(0x01 || left || right), so that a node can never pass for a leaf; the
tree of n > 1 items splits at the largest power of two below n. Pure: no state, no I/O. Items are bytes; what they
stand for is the caller's business. An empty tree has the root SHA-256("") and proves nothing about any item.

A tree is read through a `Node`: a function that gives the hash of the complete subtree of 2^height leaves at a position.
A list in memory is one; the log has another that keeps the hashes of large subtrees (`tree`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final

EMPTY_ROOT: Final = sha256(b"").digest()
"""The root of a tree without items."""

Node = Callable[[int, int], bytes]
"""The hash of the complete subtree over the leaves `position << height` to `(position + 1) << height`, exclusive."""


def leaf_hash(item: bytes) -> bytes:
    """The hash of one item, 32 bytes."""
    return sha256(b"\x00" + item).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two neighbours, 32 bytes."""
    return sha256(b"\x01" + left + right).digest()


def root(items: Sequence[bytes]) -> bytes:
    """The root over `items`, in order; 32 bytes."""
    return fold([sha256(b"\x00" + item).digest() for item in items])


def fold(hashes: Sequence[bytes]) -> bytes:
    """The root over leaves, or over complete subtrees of one height, that are hashed already."""
    if not hashes:
        return EMPTY_ROOT
    level = list(hashes)
    while len(level) > 1:
        level = _parents(level)
    return level[0]


def inclusion_proof(items: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that lead from `items[index]` to the root (RFC 6962 section 2.1.1), nearest first.

    Raises IndexError if there is no such item.
    """
    return inclusion_of(node_of(items), index, len(items))


def consistency_proof(items: Sequence[bytes], old: int) -> list[bytes]:
    """The hashes that show that `items` begins with its first `old` items (RFC 6962 section 2.1.2).

    Raises IndexError if `old` is not from 1 to the number of items: of the empty tree there is nothing to show.
    """
    return consistency_of(node_of(items), old, len(items))


# --- over any tree ----------------------------------------------------------------------------------------------------


def node_of(items: Sequence[bytes]) -> Node:
    """The nodes of a tree over `items`, made anew each time: for small trees."""
    return lambda height, position: root(items[position << height : (position + 1) << height])


def root_of(node: Node, size: int) -> bytes:
    """The root over the first `size` leaves."""
    return _root_between(node, 0, size) if size else EMPTY_ROOT


def inclusion_of(node: Node, index: int, size: int) -> list[bytes]:
    """The inclusion proof of leaf `index` in the tree of `size` leaves; as `inclusion_proof`."""
    if not 0 <= index < size:
        raise IndexError(f"a tree of {size} items has no item {index}")
    path, first, last = [], 0, size
    while last - first > 1:
        middle = first + _split(last - first)
        if index < middle:
            path.append(_root_between(node, middle, last))
            last = middle
        else:
            path.append(_root_between(node, first, middle))
            first = middle
    return path[::-1]


def consistency_of(node: Node, old: int, new: int) -> list[bytes]:
    """The proof that the tree of `new` leaves begins with that of `old`; as `consistency_proof`."""
    if not 1 <= old <= new:
        raise IndexError(f"a tree of {new} items is not shown to continue one of {old}")
    path, first, last, whole = [], 0, new, True
    while old != last:
        middle = first + _split(last - first)
        if old <= middle:
            path.append(_root_between(node, middle, last))
            last = middle
        else:
            path.append(_root_between(node, first, middle))
            first, whole = middle, False
    if not whole:
        path.append(_root_between(node, first, last))
    return path[::-1]


# --- checks -----------------------------------------------------------------------------------------------------------


def verify_inclusion(item: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether `proof` shows that `item` stands at `index` in the tree of `size` items with this `root`.

    RFC 9162 section 2.1.3.2. False for an index outside the tree and for a proof that is too short or too long.
    """
    if not 0 <= index < size:
        return False
    hash, last = leaf_hash(item), size - 1
    for sibling in proof:
        if not last:
            return False
        if index & 1 or index == last:
            hash = node_hash(sibling, hash)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            hash = node_hash(hash, sibling)
        index, last = index >> 1, last >> 1
    return not last and hash == root


def verify_consistency(old: int, new: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether `proof` shows that the tree of `new` items begins with the tree of `old` items.

    RFC 9162 section 2.1.4.2. False for an empty old tree: it is the beginning of every tree, which shows nothing.
    """
    if not 1 <= old <= new:
        return False
    if old == new:
        return not proof and old_root == new_root
    hashes = list(proof)
    if not old & (old - 1):
        hashes.insert(0, old_root)
    if not hashes:
        return False
    before, last = old - 1, new - 1
    while before & 1:
        before, last = before >> 1, last >> 1
    old_hash = new_hash = hashes[0]
    for sibling in hashes[1:]:
        if not last:
            return False
        if before & 1 or before == last:
            old_hash, new_hash = node_hash(sibling, old_hash), node_hash(sibling, new_hash)
            while not before & 1 and before:
                before, last = before >> 1, last >> 1
        else:
            new_hash = node_hash(new_hash, sibling)
        before, last = before >> 1, last >> 1
    return not last and old_hash == old_root and new_hash == new_root


class CompactRange:
    """The root of a growing tree in memory that grows with its height: the roots of its complete subtrees."""

    __slots__ = ("_roots", "size")

    def __init__(self) -> None:
        self.size = 0
        self._roots: list[bytes] = []

    @classmethod
    def of(cls, size: int, roots: Sequence[bytes]) -> CompactRange:
        """A tree of `size` leaves from the roots of its complete subtrees, largest first (see `roots`).

        Raises ValueError if there are not as many as `size` has.
        """
        if size < 0 or len(roots) != size.bit_count():
            raise ValueError(f"a tree of {size} leaves has {max(size, 0).bit_count()} complete subtrees")
        tree = cls()
        tree.size, tree._roots = size, list(roots)
        return tree

    @property
    def roots(self) -> tuple[bytes, ...]:
        """The roots of the complete subtrees that the tree is made of, largest first."""
        return tuple(self._roots)

    def append(self, hash: bytes) -> None:
        """Take in the hash of the next leaf (`leaf_hash`)."""
        self._push(hash, 0)

    def extend(self, hashes: Sequence[bytes]) -> None:
        """Take in the hashes of the next leaves, in order: as `append` for each, and in less time."""
        done = 0
        while done < len(hashes):
            height = (len(hashes) - done).bit_length() - 1
            if self.size:  # no larger than what may begin here
                height = min(height, (self.size & -self.size).bit_length() - 1)
            self._push(fold(hashes[done : done + (1 << height)]), height)
            done += 1 << height

    def _push(self, hash: bytes, height: int) -> None:
        """Take in the root of a complete subtree of 2^height leaves, at a place where one begins."""
        full = self.size >> height
        while full & 1:
            hash = node_hash(self._roots.pop(), hash)
            full >>= 1
        self._roots.append(hash)
        self.size += 1 << height

    def root(self) -> bytes:
        """The root over all leaves so far."""
        if not self._roots:
            return EMPTY_ROOT
        hash = self._roots[-1]
        for left in self._roots[-2::-1]:
            hash = node_hash(left, hash)
        return hash


# --- inside -----------------------------------------------------------------------------------------------------------


def _root_between(node: Node, first: int, last: int) -> bytes:
    """The root over leaves `first` to `last`, exclusive, where `first` is where a subtree that large begins."""
    size = last - first
    if not size & (size - 1):
        height = size.bit_length() - 1
        return node(height, first >> height)
    middle = first + _split(size)
    return node_hash(_root_between(node, first, middle), _root_between(node, middle, last))


def _split(size: int) -> int:
    """The largest power of two below `size`, which is at least 2."""
    return 1 << (size - 1).bit_length() - 1


def _parents(level: list[bytes]) -> list[bytes]:
    # An odd one out rises unchanged, which is where the split at a power of two puts it.
    paired = [sha256(b"\x01" + level[i] + level[i + 1]).digest() for i in range(0, len(level) - 1, 2)]
    return paired + level[-1:] if len(level) % 2 else paired
