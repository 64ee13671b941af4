"""The tree is the recursive one of RFC 6962 section 2.1, and proofs prove one item at one place."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import assume, given
from hypothesis import strategies as st

from footnote.provenance.merkle import inclusion_proof, root, verify_inclusion

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
