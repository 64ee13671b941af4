"""One value, one spelling; what has no exact spelling is refused with its place."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from random import Random
from typing import Any
from uuid import UUID

import pytest
import rfc8785

from footnote.errors import UsageError
from footnote.provenance.canonical import MAX_DEPTH, MAX_INTEGER, Unrecordable, canonical, parse
from footnote.provenance.leaf import FORMAT, GENESIS, KINDS, Sealed, encode


class Colour(StrEnum):
    RED = "red"


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_keys_are_sorted_and_nothing_is_spaced() -> None:
    assert canonical({"b": [1, True, None], "a": {"z": "", "B": -0}}) == b'{"a":{"B":0,"z":""},"b":[1,true,null]}'


def test_the_example_of_rfc_8785_for_strings_comes_out_as_printed_there() -> None:
    value = "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/"
    assert canonical(value) == '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'.encode()


def test_text_is_not_normalised() -> None:
    assert canonical("é") != canonical("e\u0301")


def test_characters_outside_the_basic_plane_are_written_as_they_are() -> None:
    assert canonical("𝄞") == '"𝄞"'.encode()


def test_subclasses_are_written_as_what_they_are() -> None:
    assert canonical({"c": Colour.RED, "t": (1, 2)}) == b'{"c":"red","t":[1,2]}'


@pytest.mark.parametrize(
    ("value", "path", "word"),
    [
        (1.5, "", "float"),
        ({"a": [0, {"b": 0.1}]}, "a[1].b", "float"),
        (float("nan"), "", "float"),
        ([Decimal("1.10")], "[0]", "Decimal"),
        ({"n": 2**53}, "n", "2^53"),
        ({"n": -(2**53)}, "n", "2^53"),
        ({"s": ["ok", "half \ud83d"]}, "s[1]", "surrogate"),
        ({"größe": 1}, "", "ASCII"),
        ({"a": {1: 2}}, "a", "ASCII"),
        ({"a": {"\ud83d": 2}}, "a", "ASCII"),
        ({"b": b"bytes"}, "b", "bytes"),
        ({"s": {1, 2}}, "s", "set"),
    ],
)
def test_what_has_no_exact_form_is_refused_with_its_place(value: Any, path: str, word: str) -> None:
    with pytest.raises(Unrecordable) as caught:
        canonical(value)
    assert caught.value.details["path"] == path
    assert word in caught.value.text
    assert isinstance(caught.value, UsageError)


def test_the_largest_integers_are_kept() -> None:
    assert canonical([2**53 - 1, -(2**53) + 1]) == b"[9007199254740991,-9007199254740991]"


def test_levels_are_counted_to_the_limit_and_no_further() -> None:
    assert canonical(nested(MAX_DEPTH)).startswith(b"[" * MAX_DEPTH)
    with pytest.raises(Unrecordable, match="64 levels"):
        canonical(nested(MAX_DEPTH + 1))
    with pytest.raises(Unrecordable, match="64 levels"):
        canonical(nested(100_000))


def test_a_value_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(Unrecordable, match="levels"):
        canonical(loop)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1}',
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b"1.0",
        b"1e3",
        b"NaN",
        b"-0",
        b'"\\u0041"',
        b'"\\/"',
        b'"\xff"',
        b'"\\ud83d"',
        b"9007199254740992",
        b"1" * 5000,
        b"",
        b"{",
        b"[1]\n",
        b"[" * 1_000_000,
    ],
)
def test_bytes_that_are_not_canonical_are_not_read(data: bytes) -> None:
    with pytest.raises(Unrecordable):
        parse(data)


def test_a_hostile_key_of_a_megabyte_does_not_fill_the_message() -> None:
    with pytest.raises(Unrecordable) as caught:
        canonical({"k" * 1_000_000: 1.5})
    assert len(caught.value.text) < 400


# --- against the RFC --------------------------------------------------------------------------------------------------


def test_what_of_the_rfcs_examples_may_be_recorded_is_written_as_it_says() -> None:
    # section 3.2.3, its ASCII keys; the others are refused, since their order is not that of their code points
    keys = {"\r": "Carriage Return", "1": "One", "\x7f": "Delete", "": "Empty"}
    assert canonical(keys).decode() == '{"":"Empty","\\r":"Carriage Return","1":"One","\x7f":"Delete"}'
    # appendix B has floats, which are refused; of its integers, the largest that is kept
    assert canonical([MAX_INTEGER, -MAX_INTEGER, 0, -0]) == b"[9007199254740991,-9007199254740991,0,0]"
    assert canonical({"a": [None, True, False], "A": {}}) == b'{"A":{},"a":[null,true,false]}'


def test_a_hundred_thousand_leaves_are_written_as_the_rfcs_library_writes_them() -> None:
    random = Random(20261130)
    names = ["actor", "answer", "claims", "operations", "question", "result", "error", "arguments", "Z", "a1", "aB"]

    def hexadecimal() -> str:
        return f"{random.getrandbits(256):064x}"

    for number in range(1, 100_001):
        sections: dict[str, Any] = {name: hexadecimal() for name in random.sample(names, random.randrange(6))}
        leaf = Sealed(
            id=str(UUID(int=random.getrandbits(128))),
            kind=random.choice(KINDS),
            catalog=random.choice(["", "sha256:" + hexadecimal(), '!"#~\\/']),
            commitments=sections | {"evidence": {"count": random.choice([0, 1, 100_000]), "root": hexadecimal()}},
            parts=(),
        )
        place = {
            "log": leaf.id,
            "sequence": random.choice([number, MAX_INTEGER]),
            "timestamp": "2026-11-29T23:03:29.167Z",
        }
        value = {"format": FORMAT, "id": leaf.id, "kind": leaf.kind, "catalog": leaf.catalog, "previousHash": GENESIS}
        expected = rfc8785.dumps(value | place | {"sections": leaf.commitments})  # type: ignore[arg-type]  # plain JSON
        assert encode(leaf, **place, previous_hash=GENESIS) == expected  # type: ignore[arg-type]  # as it is made above
