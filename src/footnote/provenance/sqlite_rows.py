"""The statements of a log in SQLite: what is read and written over one connection.

Everything here takes a connection and raises sqlite3.Error as SQLite does; `sqlite` says what that means.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from footnote.provenance.leaf import EVIDENCE, Part, commitment
from footnote.provenance.store import Entry, Kept, Page
from footnote.provenance.tree import grown

PAGE: Final = 256
"""Most records read at once."""

PAGE_PARTS: Final = 10_000
"""Parts read at once, but for those of the record that goes beyond: a record may have many rows of evidence."""

ROWS_AT_ONCE: Final = (128, 16, 4, 1)
"""Rows of five values in one INSERT; SQLite before 3.32 binds at most 999 values."""

# Whatever type a changed file has in these columns, it is bytes that are compared.
_LEAVES: Final = "SELECT sequence, id, kind, CAST(leaf AS BLOB), CAST(hash AS BLOB) FROM leaves"
_PARTS: Final = (
    "SELECT sequence, section, CAST(position AS INTEGER), CAST(salt AS BLOB), CAST(data AS BLOB),"
    " CAST(commitment AS BLOB) FROM payload"
)
# Text as bytes, everything else as it lies there: see `Page`.
_RAW_LEAVES: Final = (
    "SELECT sequence, CAST(id AS BLOB), CAST(kind AS BLOB), leaf, hash FROM leaves"
    " WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?"
)
_RAW_PARTS: Final = (
    "SELECT sequence, CAST(section AS BLOB), position, salt, data FROM payload"
    " WHERE sequence > ? AND sequence <= ? ORDER BY sequence, section, position"
)
_IDS: Final = "SELECT id FROM leaves"
_INSERT_LEAVES: Final = "INSERT INTO leaves (sequence, id, kind, leaf, hash) VALUES"
_INSERT_PARTS: Final = "INSERT INTO payload (sequence, section, position, salt, data) VALUES"
_ORPHAN: Final = (
    "SELECT min(sequence) FROM payload WHERE sequence > ?"
    " AND NOT EXISTS (SELECT 1 FROM leaves WHERE leaves.sequence = payload.sequence)"
)
_STRAY: Final = (
    "SELECT min(sequence) FROM (SELECT min(sequence) AS sequence FROM leaves WHERE sequence <= ?"
    " UNION ALL SELECT min(sequence) FROM payload WHERE sequence <= ?) AS found"
)
_ERASABLE: Final = (
    "SELECT section, position, CAST(salt AS BLOB), CAST(data AS BLOB) FROM payload"
    " WHERE sequence = ? AND salt IS NOT NULL AND data IS NOT NULL"
)
_ERASE: Final = (
    "UPDATE payload SET commitment = ?, salt = NULL, data = NULL WHERE sequence = ? AND section = ? AND position = ?"
)
_DENYING: Final = (
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name IN ('leaves_are_kept', 'payload_is_kept')"
)
_LEAF_BYTES: Final = (
    "SELECT sequence, CAST(leaf AS BLOB) FROM leaves WHERE sequence > ? AND sequence <= ? ORDER BY sequence"
)
_ROOTS: Final = (
    "SELECT position, CAST(root AS BLOB) FROM subtrees WHERE level = ? AND position >= ? AND position < ?"
    " ORDER BY position"
)
_KEPT_ROOTS: Final = "SELECT max(position) + 1 FROM subtrees GROUP BY level ORDER BY level"
_INSERT_ROOT: Final = "INSERT INTO subtrees (level, position, root) VALUES (?, ?, ?)"
_INSERT_CHECKPOINT: Final = "INSERT INTO checkpoints (size, note, stamp) VALUES (?, ?, ?)"
_CHECKPOINT: Final = "size, CAST(note AS BLOB), CAST(stamp AS BLOB) FROM checkpoints"
_CHECKPOINTS: Final = (
    f"SELECT number, {_CHECKPOINT} WHERE size > ?1 OR (size = ?1 AND number > ?2) ORDER BY size, number LIMIT ?3"
)
_LATEST: Final = f"SELECT {_CHECKPOINT} ORDER BY size DESC, number DESC LIMIT 1"
_LATEST_STAMPED: Final = f"SELECT {_CHECKPOINT} WHERE stamp IS NOT NULL ORDER BY size DESC, number DESC LIMIT 1"


def last(connection: sqlite3.Connection) -> Entry | None:
    """The last record's leaf, without its parts."""
    row = connection.execute(f"{_LEAVES} ORDER BY sequence DESC LIMIT 1").fetchone()
    return _entry(row, ()) if row else None


def stray(connection: sqlite3.Connection, upto: int) -> int | None:
    """The first sequence up to `upto` that has a leaf or parts."""
    sequence: int | None = connection.execute(_STRAY, (upto, upto)).fetchone()[0]
    return sequence


def orphan(connection: sqlite3.Connection, after: int) -> int | None:
    """The first sequence behind `after` that has parts but no leaf."""
    sequence: int | None = connection.execute(_ORPHAN, (after,)).fetchone()[0]
    return sequence


def taken(connection: sqlite3.Connection, ids: Sequence[str]) -> set[str]:
    """Those of `ids` that a record has."""
    marks = ", ".join("?" * len(ids))
    return {row[0] for row in connection.execute(f"{_IDS} WHERE id IN ({marks})", ids)}


def insert(
    connection: sqlite3.Connection, leaves: Sequence[tuple[object, ...]], parts: Sequence[tuple[object, ...]]
) -> None:
    """Append rows of leaves (sequence, id, kind, leaf, hash) and of parts (sequence, section, position, salt, data)."""
    _insert(connection, _INSERT_LEAVES, leaves)
    _insert(connection, _INSERT_PARTS, parts)


def _insert(connection: sqlite3.Connection, insert: str, rows: Sequence[tuple[object, ...]]) -> None:
    # Many rows a statement: each statement gives up the interpreter's lock and waits to get it back.
    for size in ROWS_AT_ONCE:
        while len(rows) >= size:
            marks = ", ".join(["(?, ?, ?, ?, ?)"] * size)
            connection.execute(f"{insert} {marks}", [value for row in rows[:size] for value in row])
            rows = rows[size:]


def found(connection: sqlite3.Connection, prefix: str, limit: int) -> list[Entry]:
    """Records whose id starts with `prefix`, with their parts."""
    rows = connection.execute(
        f"{_LEAVES} WHERE id >= ? AND id < ? ORDER BY sequence LIMIT ?", (prefix, prefix + "~", limit)
    ).fetchall()
    return [_entry(row, _parts(connection, row[0], row[0])[0].get(row[0], ())) for row in rows]


def page(
    connection: sqlite3.Connection, after: int, upto: int, kinds: Sequence[str] | None, *, with_parts: bool
) -> tuple[list[Entry], int]:
    """Up to `PAGE` records behind `after`, and the sequence behind which the next page starts."""
    only = f"AND kind IN ({', '.join('?' * len(kinds))})" if kinds is not None else ""
    rows = connection.execute(
        f"{_LEAVES} WHERE sequence > ? AND sequence <= ? {only} ORDER BY sequence LIMIT {PAGE}",
        (after, upto, *(kinds or ())),
    ).fetchall()
    end = rows[-1][0] if len(rows) == PAGE else upto
    if not with_parts:
        return [_entry(row, ()) for row in rows], end
    if kinds is None:
        parts, end = _parts(connection, after + 1, end)
    else:
        parts = {}
        for row in rows:
            parts |= _parts(connection, row[0], row[0])[0]
            if sum(map(len, parts.values())) >= PAGE_PARTS:
                end = row[0]
                break
    entries = [_entry(row, parts.pop(row[0], ())) for row in rows if row[0] <= end]
    if parts:  # there is no record that they belong to
        entries += [Entry(sequence, "", "", b"", "", tuple(orphans)) for sequence, orphans in parts.items()]
        entries.sort(key=lambda entry: entry.sequence)
    return entries, end


def raw_page(connection: sqlite3.Connection, after: int, upto: int, *, with_parts: bool) -> Page:
    """Up to `PAGE` records behind `after`; of records with many rows of evidence, fewer."""
    leaves = connection.execute(_RAW_LEAVES, (after, upto, PAGE)).fetchall()
    end = leaves[-1][0] if len(leaves) == PAGE else upto
    if not with_parts:
        return Page(end, leaves, ())
    rows = connection.execute(_RAW_PARTS, (after, end))
    parts = rows.fetchmany(PAGE_PARTS)
    if len(parts) == PAGE_PARTS:
        last = parts[-1][0]
        for part in rows:
            if part[0] != last:
                end = last
                break
            parts.append(part)
        rows.close()
    return Page(end, [leaf for leaf in leaves if leaf[0] <= end], parts)


def _parts(connection: sqlite3.Connection, first: int, last: int) -> tuple[dict[int, list[Part]], int]:
    """The parts of records `first` to `last`, or to where there are enough; and that record's sequence."""
    found: dict[int, list[Part]] = {}
    rows = connection.execute(
        f"{_PARTS} WHERE sequence BETWEEN ? AND ? ORDER BY sequence, section, position", (first, last)
    )
    current = first
    for count, (sequence, *part) in enumerate(rows):
        if sequence != current and count >= PAGE_PARTS:
            rows.close()
            return found, current
        current = sequence
        found.setdefault(sequence, []).append(Part(*part))
    return found, last


def _entry(row: tuple[int, str, str, bytes, bytes], parts: Sequence[Part]) -> Entry:
    sequence, id, kind, leaf, hash = row
    return Entry(sequence, id, kind, leaf or b"", (hash or b"").hex(), tuple(parts))


# --- what is destroyed ------------------------------------------------------------------------------------------------


def erase(connection: sqlite3.Connection, sequence: int, paths: Sequence[str]) -> None:
    """Destroy payload and salt of parts; of a row of evidence its commitment stays, or the other rows had no root."""
    for section, position, salt, data in connection.execute(_ERASABLE, (sequence,)).fetchall():
        part = Part(section, position, salt, data)
        if part.path in paths:
            left = commitment(salt, part.path, data) if section == EVIDENCE else None
            connection.execute(_ERASE, (left, sequence, section, position))


def prune(connection: sqlite3.Connection, upto: int) -> None:
    """Delete records, with the triggers that deny it out of the way for as long as the transaction lasts."""
    denied = connection.execute(_DENYING).fetchall()
    for name, _ in denied:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("DELETE FROM payload WHERE sequence <= ?", (upto,))
    connection.execute("DELETE FROM leaves WHERE sequence <= ?", (upto,))
    for _, text in denied:
        connection.execute(text)


# --- the tree and its checkpoints -------------------------------------------------------------------------------------


def leaf_bytes(connection: sqlite3.Connection, after: int, count: int) -> list[bytes]:
    """See `Subtrees`."""
    leaves: list[bytes] = []
    for sequence, leaf in connection.execute(_LEAF_BYTES, (after, after + count)):
        if sequence != after + len(leaves) + 1:
            break
        leaves.append(leaf or b"")
    return leaves


def subtree_roots(connection: sqlite3.Connection, level: int, first: int, count: int) -> list[bytes]:
    """See `Subtrees`. None are kept in a log that was made before there were any and is only read."""
    if not has_tree(connection):
        return []
    roots: list[bytes] = []
    for position, root in connection.execute(_ROOTS, (level, first, first + count)):
        if position != first + len(roots):
            break
        roots.append(root or b"")
    return roots


def has_tree(connection: sqlite3.Connection) -> bool:
    """Whether the log keeps subtrees and checkpoints: version 1 does not."""
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'subtrees'").fetchone() is not None


@dataclass(frozen=True, slots=True)
class _Subtrees:
    """The tree over one connection, also within its transaction."""

    connection: sqlite3.Connection

    def leaf_bytes(self, after: int, count: int) -> list[bytes]:
        return leaf_bytes(self.connection, after, count)

    def subtree_roots(self, level: int, first: int, count: int) -> list[bytes]:
        return subtree_roots(self.connection, level, first, count)


def grow(connection: sqlite3.Connection, size: int) -> None:
    """Keep the subtrees that are complete in a log of `size` records; within the transaction that made it so large."""
    kept = [count for (count,) in connection.execute(_KEPT_ROOTS)]
    for row in grown(_Subtrees(connection), kept, size):
        connection.execute(_INSERT_ROOT, row)


def insert_checkpoint(connection: sqlite3.Connection, kept: Kept) -> None:
    """Keep a checkpoint."""
    connection.execute(_INSERT_CHECKPOINT, (kept.size, kept.note, kept.stamp))


def checkpoints(connection: sqlite3.Connection, size: int, number: int, limit: int) -> list[tuple[int, Kept]]:
    """Up to `limit` checkpoints behind the one of this size and number, in order of both, each with its number."""
    if not has_tree(connection):
        return []
    return [(row[0], Kept(*row[1:])) for row in connection.execute(_CHECKPOINTS, (size, number, limit))]


def latest_checkpoint(connection: sqlite3.Connection, *, stamped: bool) -> Kept | None:
    """The checkpoint of most records; with `stamped` the one among those that have a time stamp."""
    if not has_tree(connection):
        return None
    row = connection.execute(_LATEST_STAMPED if stamped else _LATEST).fetchone()
    return Kept(*row) if row else None
