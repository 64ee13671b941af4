"""The tree over a log: the same roots and proofs as over its leaves in memory, from what the store keeps."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote.errors import LogBroken, LogUnavailable, UsageError
from footnote.provenance import Draft, Log, merkle
from footnote.provenance.sqlite_file import SCHEMA
from footnote.provenance.store import Kept
from footnote.provenance.tree import LogTree, grown

SIZES = (1, 2, 255, 256, 257, 511, 512, 700)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


@pytest.fixture
def log(path: Path) -> Iterator[Log]:
    with Log.open(path) as log:
        log.append_all([Draft("read", sections={"n": number}) for number in range(700)])
        yield log


def leaves_of(log: Log) -> list[bytes]:
    return [entry.leaf for entry in log.store.entries(parts=False)]


def kept(path: Path) -> list[tuple[int, int]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT level, position FROM subtrees ORDER BY level, position").fetchall()
    connection.close()
    return rows


def as_version_1(path: Path) -> None:
    """Make the file what a log was before it kept a tree."""
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE subtrees; DROP TABLE checkpoints; PRAGMA user_version = 1")
    connection.close()


class Memory:
    """Leaves and subtrees in lists, with 256 leaves for each that is given, to try large trees."""

    def __init__(self, leaves: list[bytes]) -> None:
        self.leaves = leaves
        self.roots: dict[int, list[bytes]] = {}

    def leaf_bytes(self, after: int, count: int) -> list[bytes]:
        return self.leaves[after : after + count]

    def subtree_roots(self, level: int, first: int, count: int) -> list[bytes]:
        return self.roots.get(level, [])[first : first + count]


def test_roots_and_proofs_are_those_over_the_leaves(log: Log, path: Path) -> None:
    leaves = leaves_of(log)
    assert kept(path) == [(1, 0), (1, 1)]
    assert log.root() == log.root(700) == merkle.root(leaves)
    assert log.root(0) == merkle.EMPTY_ROOT
    for size in SIZES:
        root = log.root(size)
        assert root == merkle.root(leaves[:size])
        for sequence in {1, size, size // 2 or 1, min(256, size), min(257, size)}:
            proof = log.inclusion(sequence, size)
            assert merkle.verify_inclusion(leaves[sequence - 1], sequence - 1, size, proof, root)
        for old in SIZES:
            if old <= size:
                assert merkle.verify_consistency(old, size, log.root(old), root, log.consistency(old, size))


def test_what_is_not_in_the_log_is_not_proved(log: Log) -> None:
    with pytest.raises(LogBroken, match="701 records"):
        log.root(701)
    for sequence, size in ((0, 5), (6, 5), (-1, 5)):
        with pytest.raises(UsageError):
            log.inclusion(sequence, size)
    with pytest.raises(UsageError):
        log.consistency(0, 5)
    with pytest.raises(UsageError):
        log.consistency(6, 5)
    with pytest.raises(LogBroken):
        log.consistency(5, 900)


def test_a_log_that_was_made_before_its_tree_was_kept_gets_it_when_it_is_opened_for_writing(path: Path) -> None:
    with Log.open(path) as log:
        log.append_all([Draft("read") for _ in range(600)])
        root, before = log.root(), kept(path)
    as_version_1(path)
    with Log.open(path, readonly=True) as log:
        assert log.root() == root
        assert log.verify().count == 600
        assert list(log.store.checkpoints()) == []
        assert log.store.latest_checkpoint() is None
    with Log.open(path) as log:
        assert kept(path) == before == [(1, 0), (1, 1)]
        assert log.root() == root
        log.append_all([Draft("read") for _ in range(200)])
        assert kept(path) == [(1, 0), (1, 1), (1, 2)]


def test_a_log_of_version_1_as_it_was_made_then_is_migrated(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.execute("INSERT INTO log VALUES ('24eb4834-5a84-4777-8c1d-36fa0766810d', 'then')")
    connection.executescript("PRAGMA application_id = 1179537236; PRAGMA user_version = 1; PRAGMA journal_mode = WAL")
    connection.close()
    with Log.open(path) as log:
        assert log.id == "24eb4834-5a84-4777-8c1d-36fa0766810d"
        assert log.append(Draft("read")).sequence == 1
        assert log.root() == merkle.root(leaves_of(log))


def test_a_record_that_is_gone_is_covered_by_no_subtree_and_no_root(log: Log, path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(
        "DROP TRIGGER leaves_are_kept; DROP TRIGGER payload_is_kept;"
        "DELETE FROM payload WHERE sequence = 600; DELETE FROM leaves WHERE sequence = 600"
    )
    connection.close()
    log.append_all([Draft("read") for _ in range(400)])
    assert kept(path) == [(1, 0), (1, 1)]
    with pytest.raises(LogBroken, match="gap"):
        log.root()
    assert len(log.root(599)) == 32


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE subtrees SET root = x'00'",
        "DELETE FROM subtrees",
        "UPDATE checkpoints SET note = x'00'",
        "DELETE FROM checkpoints",
        "INSERT OR REPLACE INTO subtrees VALUES (1, 0, x'00')",
        "INSERT OR REPLACE INTO checkpoints VALUES (1, 3, x'00', NULL)",
    ],
)
def test_what_the_tree_is_made_of_stays(log: Log, path: Path, statement: str) -> None:
    log.store.keep_checkpoint(Kept(700, b"note"))
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    connection.close()


def test_checkpoints_come_in_order_of_size_and_are_found_by_it(log: Log) -> None:
    stored = [Kept(3, b"three"), Kept(700, b"all", b"stamp"), Kept(700, b"again"), Kept(5, b"late")]
    for one in stored:
        log.store.keep_checkpoint(one)
    assert list(log.store.checkpoints()) == [stored[0], stored[3], stored[1], stored[2]]
    assert list(log.store.checkpoints(least=5)) == [stored[3], stored[1], stored[2]]
    assert log.store.latest_checkpoint() == stored[2]
    assert log.store.latest_checkpoint(stamped=True) == stored[1]


def test_a_log_that_is_only_read_keeps_no_checkpoint(path: Path) -> None:
    Log.open(path).close()
    with Log.open(path, readonly=True) as log, pytest.raises(LogUnavailable):
        log.store.keep_checkpoint(Kept(0, b""))


def test_a_large_tree_is_read_in_some_hundred_hashes() -> None:
    size = 256 * 256 + 256 + 3
    memory = Memory([number.to_bytes(4, "big") for number in range(size)])
    for level, position, root in grown(memory, [], size):
        assert memory.roots.setdefault(level, []) == memory.roots[level][:position]
        memory.roots[level].append(root)
    assert [len(memory.roots[level]) for level in (1, 2)] == [257, 1]
    assert list(grown(memory, [257, 1], size)) == []
    tree = LogTree(memory)
    assert tree.root(size) == merkle.root(memory.leaves)
    proof = tree.inclusion(70, size)
    assert merkle.verify_inclusion(memory.leaves[70], 70, size, proof, tree.root(size))
    read = sum(len(tile) for tile in tree._tiles.values())
    assert read <= 4 * 256


def test_a_tree_that_keeps_nothing_is_the_same_tree() -> None:
    memory = Memory([number.to_bytes(4, "big") for number in range(256 * 256 + 5)])
    assert LogTree(memory).root(256 * 256 + 5) == merkle.root(memory.leaves)
