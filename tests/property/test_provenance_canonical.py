"""Our canonical form is RFC 8785's, on whatever a record may hold."""

from __future__ import annotations

from typing import Any

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from footnote.provenance.canonical import MAX_INTEGER, Unrecordable, canonical, parse

any_text = st.text(st.characters(exclude_categories=()), max_size=20)
keys = st.text(st.characters(max_codepoint=127), max_size=8)
integers = st.integers(-MAX_INTEGER, MAX_INTEGER)
scalars = st.none() | st.booleans() | integers | st.text(max_size=20)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5), max_leaves=30
)
wild = st.recursive(
    scalars | st.floats() | any_text | st.integers(-(2**60), 2**60) | st.decimals() | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text | st.integers(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_the_bytes_are_those_of_the_rfcs_library(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(values)
def test_a_value_is_read_back_from_its_bytes(value: Any) -> None:
    assert parse(canonical(value)) == value


@given(wild)
def test_anything_else_is_refused_or_has_the_same_bytes(value: Any) -> None:
    try:
        data = canonical(value)
    except Unrecordable as error:
        refusal = error
    else:
        assert data == rfc8785.dumps(value)
        assert parse(data) == value
        return
    assert "cannot be recorded" in refusal.what
    assert refusal.why


@given(st.binary(max_size=60) | values.map(rfc8785.dumps))
def test_bytes_are_read_only_if_they_are_the_canonical_ones(data: bytes) -> None:
    try:
        value = parse(data)
    except Unrecordable:
        return
    assert canonical(value) == data
