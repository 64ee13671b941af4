"""The streaming reader reads what `json` reads, however the file is cut into chunks, and refuses what it refuses."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.provenance.jsonstream import BrokenFile, Envelope

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
members = st.dictionaries(st.text(max_size=5).filter(lambda name: name != "records"), values, max_size=4)


class Chunks(io.StringIO):
    """Gives at most `size` characters a read."""

    def __init__(self, text: str, size: int) -> None:
        super().__init__(text)
        self._size = size

    def read(self, size: int | None = -1, /) -> str:
        return super().read(self._size)


def read(text: str, size: int) -> tuple[dict[str, Any], list[Any], dict[str, Any]]:
    envelope = Envelope(Chunks(text, size), "records")
    return envelope.before, list(envelope.items()), envelope.after()


@given(members, st.lists(values, max_size=6), members, st.integers(1, 40), st.sampled_from([None, 2]))
def test_what_was_written_is_read(
    before: dict[str, Any], items: list[Any], after: dict[str, Any], size: int, indent: int | None
) -> None:
    after = {name: value for name, value in after.items() if name not in before}
    text = json.dumps(before | {"records": items} | after, indent=indent)
    assert read(text, size) == (before, items, after)


@pytest.mark.parametrize("number", [0.0, 0.5, -1.25, 1e300, 1.5e-7, 12, -0.0])
@pytest.mark.parametrize("size", range(1, 9))
def test_a_number_that_a_chunk_cuts_in_two_is_one_number(number: float, size: int) -> None:
    assert read(json.dumps({"records": [number, number]}), size) == ({}, [number, number], {})


@given(st.lists(values, min_size=1, max_size=4), st.integers(1, 40), st.data())
def test_a_file_cut_off_anywhere_is_damaged(items: list[Any], size: int, data: st.DataObject) -> None:
    text = json.dumps({"format": "x", "records": items})
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(BrokenFile) as caught:
        read(text[:cut], size)
    assert caught.value.details["character"] <= cut


@given(st.text(alphabet='{}[]",:1eE.-+ \\utrfalsn\n', max_size=40), st.integers(1, 9))
def test_what_json_does_not_read_is_not_read(text: str, size: int) -> None:
    try:
        outcome = read('{"records":' + text, size)
    except BrokenFile:
        return
    whole = json.loads('{"records":' + text)
    assert whole.pop("records") == outcome[1]
    assert whole == outcome[2]


def test_an_item_beyond_the_limit_is_refused_before_it_is_held() -> None:
    source = Chunks('{"records":["' + "x" * 100_000 + '"]}', 100)
    with pytest.raises(BrokenFile, match="more than 1000 characters"):
        list(Envelope(source, "records", max_item=1000).items())
    assert source.tell() < 2000
