"""Merkle trees of RFC 6962 section 2.1 (RFC 9162 section 2.1): root, inclusion proof, and its check.

A leaf is SHA-256(0x00 || item), a node SHA-256(0x01 || left || right), so that a node can never pass for a leaf; the
tree of n > 1 items splits at the largest power of two below n. Pure: no state, no I/O. Items are bytes; what they
stand for is the caller's business. An empty tree has the root SHA-256("") and proves nothing about any item.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

EMPTY_ROOT: Final = sha256(b"").digest()
"""The root of a tree without items."""


def leaf_hash(item: bytes) -> bytes:
    """The hash of one item, 32 bytes."""
    return sha256(b"\x00" + item).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two neighbours, 32 bytes."""
    return sha256(b"\x01" + left + right).digest()


def root(items: Sequence[bytes]) -> bytes:
    """The root over `items`, in order; 32 bytes."""
    if not items:
        return EMPTY_ROOT
    level = [leaf_hash(item) for item in items]
    while len(level) > 1:
        level = _parents(level)
    return level[0]


def inclusion_proof(items: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that lead from `items[index]` to the root (RFC 6962 section 2.1.1), nearest first.

    Raises IndexError if there is no such item.
    """
    if not 0 <= index < len(items):
        raise IndexError(f"a tree of {len(items)} items has no item {index}")
    level = [leaf_hash(item) for item in items]
    path = []
    while len(level) > 1:
        neighbour = index ^ 1
        if neighbour < len(level):
            path.append(level[neighbour])
        level = _parents(level)
        index >>= 1
    return path


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


def _parents(level: list[bytes]) -> list[bytes]:
    # An odd one out rises unchanged, which is where the split at a power of two puts it.
    paired = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
    return paired + level[-1:] if len(level) % 2 else paired
