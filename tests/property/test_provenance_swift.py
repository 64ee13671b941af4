"""The quick way to verify and the careful way agree: what the quick one passes, the careful one finds no fault in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import LogBroken
from footnote.evidence import Json
from footnote.provenance import Draft, Log, swift
from footnote.provenance.chain import Chain
from footnote.provenance.leaf import decode, record_hash
from footnote.provenance.store import Page, RawLeaf, RawPart
from footnote.provenance.verify import read_leaf

SIZE = 7


def sections_of(number: int) -> dict[str, Json]:
    names = ["actor", "question", "answer", "zeta"][: number % 5]
    return {name: [name, number, None, True, "é𝄞"] for name in names}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    with Log.open(tmp_path_factory.mktemp("swift") / "log.db") as log:
        for number in range(SIZE):
            log.append(Draft("answer", "sha256:0", sections_of(number), list(range(number % 4))))
        yield log


def the_page(log: Log, *, parts: bool = True) -> Page:
    (page,) = log.store.pages(0, SIZE, parts=parts)
    return page


@pytest.mark.parametrize("payload", [True, False])
def test_records_of_every_shape_pass_the_quick_way(log: Log, payload: bool) -> None:
    chain = Chain()
    assert swift.passes(the_page(log, parts=payload), chain, log.id, payload=payload) == (True, None)
    head = log.head()
    assert head
    assert (chain.count, chain.sequence, chain.head, chain.timestamp) == (SIZE, SIZE, head.hash, head.timestamp)
    assert chain.tree.root() == log.root()


@given(data=st.data())
@pytest.mark.parametrize("payload", [True, False])
def test_one_changed_byte_anywhere_is_never_passed(log: Log, payload: bool, data: st.DataObject) -> None:
    page = the_page(log, parts=payload)
    leaves, parts = [list(row) for row in page.leaves], [list(row) for row in page.parts]
    rows = leaves + parts
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, 4))
    value = rows[row][column]
    if isinstance(value, bytes):
        place = data.draw(st.integers(0, len(value) - 1))
        changed = bytearray(value)
        changed[place] ^= data.draw(st.integers(1, 255))
        rows[row][column] = bytes(changed)
    else:
        rows[row][column] = data.draw(st.one_of(st.integers(), st.none(), st.text(), st.binary()))
        if rows[row][column] == value:
            return
    changed_page = Page(SIZE, [tuple(one) for one in leaves], [tuple(one) for one in parts])  # type: ignore[misc]  # five values each
    chain = Chain()
    assert swift.passes(changed_page, chain, log.id, payload=payload) == (False, None)
    assert (chain.count, chain.sequence, chain.tree.size) == (0, 0, 0), "the chain is left as it was"


LEAF_TOKENS = st.sampled_from(
    [
        b'"',
        b",",
        b"{",
        b"}",
        b":",
        b"0",
        b"1",
        b"a",
        b"evidence",
        b"actor",
        b"catalog",
        b"\\",
        b" ",
        b"\n",
        b'""',
        b"99",
    ]
)


@given(data=st.data())
def test_a_leaf_that_the_quick_way_passes_is_a_leaf(log: Log, data: st.DataObject) -> None:
    """Leaves alone, their hashes made to fit: the pattern accepts nothing that the reader of leaves refuses."""
    (id, kind, leaf), rest = data.draw(st.sampled_from([row[1:4] for row in the_page(log).leaves])), SIZE
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(leaf)))
        leaf = leaf[:place] + data.draw(LEAF_TOKENS) + leaf[place + data.draw(st.integers(0, 12)) :]
    rows: list[RawLeaf] = [(1, id, kind, leaf, bytes.fromhex(record_hash(leaf)))]
    passed, _ = swift.passes(Page(rest, rows, ()), Chain(), log.id, payload=False)
    try:
        decode(leaf)
    except LogBroken:
        assert not passed


def test_parts_in_another_order_twice_or_of_nobody_are_not_passed(log: Log) -> None:
    page = the_page(log)
    several: list[tuple[RawPart, ...]] = [
        tuple(page.parts[::-1]),
        tuple(page.parts[1:]),
        tuple(page.parts[:-1]),
        (*page.parts, page.parts[-1]),
        (page.parts[0], *page.parts),
        (*page.parts, (SIZE + 1, b"actor", 0, b"0" * 32, b"1")),
        ((0, b"actor", 0, b"0" * 32, b"1"), *page.parts),
    ]
    for parts in several:
        assert not swift.passes(page._replace(parts=parts), Chain(), log.id)[0]


def test_nothing_is_passed_that_the_reader_of_entries_objects_to(log: Log) -> None:
    entry = next(iter(log.store.entries(0, 1)))
    leaf, fault = read_leaf(entry, log.id)
    assert leaf
    assert fault is None
    assert not swift.passes(the_page(log), Chain(), "00000000-0000-4000-8000-000000000000")[0]


def test_columns_of_another_type_are_left_to_the_careful_way(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        log.append(Draft("answer", sections={"actor": 1}))
    connection = sqlite3.connect(tmp_path / "log.db")
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("UPDATE leaves SET leaf = CAST(leaf AS TEXT)")
    connection.commit()
    connection.close()
    with Log.open(tmp_path / "log.db") as log:
        assert log.verify().ok, "the bytes are the same"
