"""The tree is the recursive one of RFC 6962 section 2.1, and proofs prove one item at one place."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import assume, given
from hypothesis import strategies as st

from footnote.provenance.merkle import (
    CompactRange,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root,
    verify_consistency,
    verify_inclusion,
)

items = st.lists(st.binary(max_size=6), max_size=40)


def by_the_book(leaves: list[bytes]) -> bytes:
    """MTH of RFC 6962, as it is written there."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01" + by_the_book(leaves[:split]) + by_the_book(leaves[split:])).digest()


@given(items)
def test_the_root_is_the_one_of_the_recursive_definition(leaves: list[bytes]) -> None:
    assert root(leaves) == by_the_book(leaves)


@given(st.data(), items.filter(bool))
def test_a_proof_proves_its_item_at_its_place_and_nothing_else(data: st.DataObject, leaves: list[bytes]) -> None:
    index = data.draw(st.integers(0, len(leaves) - 1))
    proof, top = inclusion_proof(leaves, index), root(leaves)
    assert verify_inclusion(leaves[index], index, len(leaves), proof, top)
    assert not verify_inclusion(leaves[index] + b"x", index, len(leaves), proof, top)
    assert not verify_inclusion(leaves[index], index, len(leaves), [*proof, top], top)
    other = data.draw(st.integers(0, len(leaves) - 1))
    assume(leaves[other] != leaves[index])
    assert not verify_inclusion(leaves[other], index, len(leaves), proof, top)


@given(items, items)
def test_different_items_have_different_roots(one: list[bytes], other: list[bytes]) -> None:
    assert (root(one) == root(other)) == (one == other)


@given(st.data(), items.filter(bool))
def test_a_tree_is_shown_to_continue_its_beginnings_and_nothing_else(data: st.DataObject, leaves: list[bytes]) -> None:
    old = data.draw(st.integers(1, len(leaves)))
    proof, before, now = consistency_proof(leaves, old), root(leaves[:old]), root(leaves)
    assert verify_consistency(old, len(leaves), before, now, proof)
    place = data.draw(st.integers(0, old - 1))
    other = root([*leaves[:place], leaves[place] + b"x", *leaves[place + 1 : old]])
    assert not verify_consistency(old, len(leaves), other, now, proof)
    wrong = data.draw(st.integers(1, len(leaves)))
    assume(root(leaves[:wrong]) != before)
    assert not verify_consistency(wrong, len(leaves), before, now, proof)


@given(items, st.lists(st.integers(0, 17), max_size=12))
def test_a_compact_range_takes_in_many_leaves_at_once_as_one_by_one(leaves: list[bytes], cuts: list[int]) -> None:
    hashes, many, one = [leaf_hash(leaf) for leaf in leaves], CompactRange(), CompactRange()
    at = 0
    for size in [*cuts, len(hashes)]:
        many.extend(hashes[at : at + size])
        for hash in hashes[at : at + size]:
            one.append(hash)
        at += size
        assert (many.size, many.roots, many.root()) == (one.size, one.roots, root(leaves[:at]))


@given(items)
def test_a_compact_range_is_the_tree(leaves: list[bytes]) -> None:
    grows = CompactRange()
    for leaf in leaves:
        grows.append(leaf_hash(leaf))
    assert grows.root() == root(leaves)
