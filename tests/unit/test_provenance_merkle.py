"""RFC 6962 trees against the vectors that Certificate Transparency's implementations share."""

from __future__ import annotations

from hashlib import sha256

import pytest

from footnote.provenance.merkle import (
    EMPTY_ROOT,
    CompactRange,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root,
    verify_consistency,
    verify_inclusion,
)

# github.com/google/certificate-transparency, merkletree tests: eight inputs and the roots of their prefixes.
ITEMS = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert root([]) == EMPTY_ROOT == sha256(b"").digest()


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_are_those_of_the_published_vectors(size: int) -> None:
    assert root(ITEMS[:size]).hex() == ROOTS[size - 1]


def test_the_audit_path_of_the_rfcs_own_example_has_the_shape_printed_there() -> None:
    # RFC 6962 section 2.1.3: for seven leaves, PATH(0) is [b, h, l] and PATH(6) is [i, k].
    items = ITEMS[:7]
    h = node_hash(leaf_hash(items[2]), leaf_hash(items[3]))
    i = node_hash(leaf_hash(items[4]), leaf_hash(items[5]))
    k = root(items[:4])
    assert inclusion_proof(items, 0) == [leaf_hash(items[1]), h, root(items[4:])]
    assert inclusion_proof(items, 6) == [i, k]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 13])
def test_every_item_is_proved_at_its_place_and_at_no_other(size: int) -> None:
    items = [bytes([n]) for n in range(size)]
    top = root(items)
    for index, item in enumerate(items):
        proof = inclusion_proof(items, index)
        for place in range(size):
            assert verify_inclusion(item, place, size, proof, top) == (place == index)


def test_one_flipped_bit_breaks_a_proof() -> None:
    proof = inclusion_proof(ITEMS, 5)
    for number in range(len(proof)):
        wrong = list(proof)
        wrong[number] = bytes([wrong[number][0] ^ 1]) + wrong[number][1:]
        assert not verify_inclusion(ITEMS[5], 5, 8, wrong, root(ITEMS))


def test_a_root_does_not_pass_for_an_item() -> None:
    top = root(ITEMS)
    assert not verify_inclusion(top, 0, 1, [], top)
    assert not verify_inclusion(ITEMS[0], 0, 8, [], top)


def test_a_proof_that_is_too_long_or_too_short_is_none() -> None:
    proof, top = inclusion_proof(ITEMS, 3), root(ITEMS)
    assert not verify_inclusion(ITEMS[3], 3, 8, [*proof, proof[0]], top)
    assert not verify_inclusion(ITEMS[3], 3, 8, proof[:-1], top)


def test_nothing_is_in_an_empty_tree() -> None:
    assert not verify_inclusion(b"", 0, 0, [], EMPTY_ROOT)
    assert not verify_inclusion(b"", -1, 1, [], leaf_hash(b""))
    with pytest.raises(IndexError):
        inclusion_proof([], 0)


# The same suite's proofs over the eight inputs: (index from 0, size) and (old size, new size).
INCLUSION = {
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
CONSISTENCY = {
    (1, 1): [],
    (1, 8): INCLUSION[0, 8],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}


@pytest.mark.parametrize(("index", "size"), INCLUSION)
def test_inclusion_proofs_are_those_of_the_published_vectors(index: int, size: int) -> None:
    proof = inclusion_proof(ITEMS[:size], index)
    assert [hash.hex() for hash in proof] == INCLUSION[index, size]
    assert verify_inclusion(ITEMS[index], index, size, proof, bytes.fromhex(ROOTS[size - 1]))


@pytest.mark.parametrize(("old", "new"), CONSISTENCY)
def test_consistency_proofs_are_those_of_the_published_vectors(old: int, new: int) -> None:
    proof = consistency_proof(ITEMS[:new], old)
    assert [hash.hex() for hash in proof] == CONSISTENCY[old, new]
    assert verify_consistency(old, new, bytes.fromhex(ROOTS[old - 1]), bytes.fromhex(ROOTS[new - 1]), proof)


def test_consistency_with_the_empty_tree_is_rejected() -> None:
    assert not verify_consistency(0, 8, EMPTY_ROOT, root(ITEMS), [])
    assert not verify_consistency(0, 0, EMPTY_ROOT, EMPTY_ROOT, [])
    assert not verify_consistency(-1, 8, EMPTY_ROOT, root(ITEMS), [])
    with pytest.raises(IndexError):
        consistency_proof(ITEMS, 0)
    with pytest.raises(IndexError):
        consistency_proof(ITEMS, 9)


def test_an_empty_proof_shows_equal_trees_only() -> None:
    top = root(ITEMS)
    assert verify_consistency(8, 8, top, top, [])
    assert not verify_consistency(8, 8, top, root(ITEMS[:7]), [])
    assert not verify_consistency(8, 8, top, top, [top])
    assert not verify_consistency(4, 8, root(ITEMS[:4]), top, [])
    assert not verify_consistency(3, 8, root(ITEMS[:3]), top, [])


@pytest.mark.parametrize("new", [2, 3, 5, 7, 8])
def test_a_rewritten_beginning_is_not_consistent(new: int) -> None:
    for old in range(1, new):
        other = [b"rewritten", *ITEMS[1:old]]
        proof = consistency_proof(ITEMS[:new], old)
        assert verify_consistency(old, new, root(ITEMS[:old]), root(ITEMS[:new]), proof)
        assert not verify_consistency(old, new, root(other), root(ITEMS[:new]), proof)
        assert not verify_consistency(old, new, root(ITEMS[:old]), root(other), proof)
        assert not verify_consistency(old, new, root(ITEMS[:old]), root(ITEMS[:new]), [*proof, proof[-1]])
        assert not verify_consistency(old, new, root(ITEMS[:old]), root(ITEMS[:new]), proof[:-1])


def test_a_compact_range_has_the_root_of_every_size_on_its_way() -> None:
    grows = CompactRange()
    assert grows.root() == EMPTY_ROOT
    for size, item in enumerate(ITEMS, 1):
        grows.append(leaf_hash(item))
        assert (grows.size, grows.root().hex()) == (size, ROOTS[size - 1])
