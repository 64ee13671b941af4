"""The digest that stands for rows: the same however they come, another for any other rows."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from footnote.lineage.rowset import CHUNK, RowDigest, RowSet, chunk_digest, line

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**70), 2**70),
    st.booleans(),
    st.text(max_size=5),
    st.dates(),
    st.decimals(-999, 999, places=2),
)
ROWS = st.lists(st.lists(VALUES, min_size=1, max_size=3).map(line), max_size=30)
SALT = bytes(32)


def digest(lines: list[str], cuts: list[int] | None = None, salt: bytes = SALT) -> RowSet:
    taken = RowDigest(salt)
    places = sorted({0, len(lines), *(cut % (len(lines) + 1) for cut in cuts or ())})
    for start, end in pairwise(places):
        taken.add(lines[start:end])
    return taken.row_set(("k", Decimal("1.50")))


@given(ROWS, st.lists(st.integers(0, 100), max_size=5))
def test_it_does_not_matter_in_which_batches_rows_come(lines: list[str], cuts: list[int]) -> None:
    assert digest(lines) == digest(lines, cuts)


@given(ROWS, ROWS)
def test_other_rows_have_another_digest(one: list[str], other: list[str]) -> None:
    assert (digest(one).digest == digest(other).digest) == (one == other)


@given(ROWS, st.binary(min_size=32, max_size=32))
def test_another_salt_gives_another_digest(lines: list[str], salt: bytes) -> None:
    assert (digest(lines, salt=salt).digest == digest(lines).digest) == (salt == SALT)


@given(ROWS)
def test_what_is_recorded_is_read_back(lines: list[str]) -> None:
    found = digest(lines)
    assert RowSet.from_dict(found.as_dict()) == found


def test_values_of_different_types_are_different_lines() -> None:
    values = [None, 0, "0", False, "", Decimal("0.00"), dt.date(2026, 1, 1), "None", "1", 1, True]
    lines = [line([value]) for value in values]
    assert line([Decimal("0.00")]) != line(["0.00"])
    assert len(set(lines)) == len(lines)
    assert line(["a", "b"]) != line(["a,b"])
    assert "\n" not in line(["\n"])


def test_each_chunk_can_be_checked_alone() -> None:
    lines = [line([number]) for number in range(2 * CHUNK + 5)]
    found = digest(lines)
    assert (found.count, len(found.chunks)) == (2 * CHUNK + 5, 3)
    assert [chunk_digest(SALT, n, lines[n * CHUNK : (n + 1) * CHUNK]) for n in range(3)] == list(found.chunks)
    assert chunk_digest(SALT, 1, lines[:CHUNK]) != found.chunks[0]  # a chunk in another place is another chunk
    changed = [*lines[:CHUNK], line(["x"]), *lines[CHUNK + 1 :]]
    assert [a == b for a, b in zip(digest(changed).chunks, found.chunks, strict=True)] == [True, False, True]
