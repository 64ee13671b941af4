"""The statements of a log in PostgreSQL: what is read and written over one connection.

Everything here takes a connection and raises psycopg.Error as psycopg does; `postgres` says what that means. Results come
in binary, so that bytes are bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from footnote.provenance.leaf import EVIDENCE, Part, commitment
from footnote.provenance.store import Entry, Kept, Page
from footnote.provenance.tree import grown

PAGE: Final = 256
PAGE_PARTS: Final = 10_000

_LEAVES: Final = "SELECT sequence, id, kind, leaf, hash FROM footnote.leaves"
_PARTS: Final = (
    "SELECT sequence, section, position, salt, data, commitment FROM footnote.payload"
    " WHERE sequence > %s AND sequence <= %s ORDER BY sequence, section, position LIMIT %s"
)
_INSERT_LEAVES: Final = (
    "INSERT INTO footnote.leaves (sequence, id, kind, leaf, hash)"
    " SELECT * FROM unnest(%b::bigint[], %b::text[], %b::text[], %b::bytea[], %b::bytea[])"
)
_INSERT_PARTS: Final = (
    "INSERT INTO footnote.payload (sequence, section, position, salt, data)"
    " SELECT * FROM unnest(%b::bigint[], %b::text[], %b::int[], %b::bytea[], %b::bytea[])"
)
_ORPHAN: Final = (
    "SELECT min(sequence) FROM footnote.payload WHERE sequence > %s"
    " AND NOT EXISTS (SELECT 1 FROM footnote.leaves WHERE leaves.sequence = payload.sequence)"
)
_STRAY: Final = (
    "SELECT min(sequence) FROM (SELECT min(sequence) AS sequence FROM footnote.leaves WHERE sequence <= %s"
    " UNION ALL SELECT min(sequence) FROM footnote.payload WHERE sequence <= %s) AS found"
)
_ERASABLE: Final = (
    "SELECT section, position, salt, data FROM footnote.payload"
    " WHERE sequence = %s AND salt IS NOT NULL AND data IS NOT NULL"
)
_ERASE: Final = (
    "UPDATE footnote.payload SET commitment = %b, salt = NULL, data = NULL"
    " WHERE sequence = %s AND section = %s AND position = %s"
)
_OWNS: Final = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'footnote.payload'::regclass"
_CHECKPOINT: Final = "size, note, stamp FROM footnote.checkpoints"


def _rows(connection: Any, statement: str, values: Sequence[object] = ()) -> list[Any]:
    found: list[Any] = connection.cursor(binary=True).execute(statement, values).fetchall()
    return found


def last(connection: Any) -> Entry | None:
    """The last record's leaf, without its parts."""
    found = _rows(connection, f"{_LEAVES} ORDER BY sequence DESC LIMIT 1")
    return _entry(found[0], ()) if found else None


def taken(connection: Any, ids: Sequence[str]) -> dict[str, Entry]:
    """The records that have one of these ids, without their parts."""
    return {row[1]: _entry(row, ()) for row in _rows(connection, f"{_LEAVES} WHERE id = ANY(%s)", (list(ids),))}


def insert(connection: Any, leaves: Sequence[tuple[object, ...]], parts: Sequence[tuple[object, ...]]) -> None:
    """Append rows of leaves (sequence, id, kind, leaf, hash) and of parts (sequence, section, position, salt, data)."""
    for statement, rows in ((_INSERT_LEAVES, leaves), (_INSERT_PARTS, parts)):
        if rows:
            connection.execute(statement, [list(column) for column in zip(*rows, strict=True)])


def erase(connection: Any, sequence: int, paths: Sequence[str]) -> None:
    """Destroy payload and salt of parts; of a row of evidence its commitment stays, or the other rows had no root."""
    for section, position, salt, data in _rows(connection, _ERASABLE, (sequence,)):
        part = Part(section, position, salt, data)
        if part.path in paths:
            left = commitment(salt, part.path, data) if section == EVIDENCE else None
            connection.execute(_ERASE, (left, sequence, section, position))


def prune(connection: Any, upto: int) -> None:
    """Delete records; whoever may, may only do it by this function."""
    connection.execute("SELECT footnote.prune(%s)", (upto,))


def scrub(connection: Any) -> bool:
    """Write the payload's table anew, without what was destroyed; False if this login does not own it."""
    if not _rows(connection, _OWNS)[0][0]:
        return False
    connection.execute("VACUUM (FULL) footnote.payload")
    return True


def stray(connection: Any, upto: int) -> int | None:
    """The first sequence up to `upto` that has a leaf or parts."""
    sequence: int | None = _rows(connection, _STRAY, (upto, upto))[0][0]
    return sequence


def orphan(connection: Any, after: int) -> int | None:
    """The first sequence behind `after` that has parts but no leaf."""
    sequence: int | None = _rows(connection, _ORPHAN, (after,))[0][0]
    return sequence


def found(connection: Any, prefix: str, limit: int) -> list[Entry]:
    """Records whose id starts with `prefix`, with their parts."""
    rows = _rows(
        connection, f"{_LEAVES} WHERE id >= %s AND id < %s ORDER BY sequence LIMIT %s", (prefix, prefix + "~", limit)
    )
    return [_entry(row, _parts(connection, row[0] - 1, row[0])[0].get(row[0], ())) for row in rows]


def page(
    connection: Any, after: int, upto: int, kinds: Sequence[str] | None, *, with_parts: bool
) -> tuple[list[Entry], int]:
    """Up to `PAGE` records behind `after`, and the sequence behind which the next page starts."""
    only, values = ("AND kind = ANY(%s)", [list(kinds)]) if kinds is not None else ("", [])
    rows = _rows(
        connection,
        f"{_LEAVES} WHERE sequence > %s AND sequence <= %s {only} ORDER BY sequence LIMIT {PAGE}",
        (after, upto, *values),
    )
    end = rows[-1][0] if len(rows) == PAGE else upto
    if not with_parts:
        return [_entry(row, ()) for row in rows], end
    if kinds is None:
        parts, end = _parts(connection, after, end)
    else:
        parts = {}
        for row in rows:
            parts |= _parts(connection, row[0] - 1, row[0])[0]
            if sum(map(len, parts.values())) >= PAGE_PARTS:
                end = row[0]
                break
    entries = [_entry(row, parts.pop(row[0], ())) for row in rows if row[0] <= end]
    if parts:  # there is no record that they belong to
        entries += [Entry(sequence, "", "", b"", "", tuple(orphans)) for sequence, orphans in parts.items()]
        entries.sort(key=lambda entry: entry.sequence)
    return entries, end


def raw_page(connection: Any, after: int, upto: int, *, with_parts: bool) -> Page:
    """Up to `PAGE` records behind `after`; of records with many rows of evidence, fewer."""
    leaves = _rows(
        connection, f"{_LEAVES} WHERE sequence > %s AND sequence <= %s ORDER BY sequence LIMIT {PAGE}", (after, upto)
    )
    end = leaves[-1][0] if len(leaves) == PAGE else upto
    raw = [(sequence, id.encode(), kind.encode(), leaf, hash) for sequence, id, kind, leaf, hash in leaves]
    if not with_parts:
        return Page(end, raw, ())
    parts, end = _part_rows(connection, after, end)
    return Page(
        end,
        [leaf for leaf in raw if leaf[0] <= end],
        [(sequence, section.encode(), position, salt, data) for sequence, section, position, salt, data, _ in parts],
    )


def _part_rows(connection: Any, after: int, upto: int) -> tuple[list[Any], int]:
    """The parts of records behind `after`, whole records, up to `upto` or to where there are enough."""
    parts = _rows(connection, _PARTS, (after, upto, PAGE_PARTS))
    if len(parts) < PAGE_PARTS:
        return parts, upto
    end = parts[-1][0] - 1
    if end <= after:  # one record alone has more
        end = after + 1
        return _rows(connection, _PARTS, (after, end, None)), end
    return [part for part in parts if part[0] <= end], end


def _parts(connection: Any, after: int, upto: int) -> tuple[dict[int, list[Part]], int]:
    rows, end = _part_rows(connection, after, upto)
    grouped: dict[int, list[Part]] = {}
    for sequence, *part in rows:
        grouped.setdefault(sequence, []).append(Part(*part))
    return grouped, end


def _entry(row: Sequence[Any], parts: Sequence[Part]) -> Entry:
    sequence, id, kind, leaf, hash = row
    return Entry(sequence, id, kind, leaf, hash.hex(), tuple(parts))


# --- the tree and its checkpoints -------------------------------------------------------------------------------------


def leaf_bytes(connection: Any, after: int, count: int) -> list[bytes]:
    """See `Subtrees`."""
    leaves: list[bytes] = []
    statement = "SELECT sequence, leaf FROM footnote.leaves WHERE sequence > %s AND sequence <= %s ORDER BY sequence"
    for sequence, leaf in _rows(connection, statement, (after, after + count)):
        if sequence != after + len(leaves) + 1:
            break
        leaves.append(leaf)
    return leaves


def subtree_roots(connection: Any, level: int, first: int, count: int) -> list[bytes]:
    """See `Subtrees`."""
    roots: list[bytes] = []
    statement = (
        "SELECT position, root FROM footnote.subtrees WHERE level = %s AND position >= %s AND position < %s"
        " ORDER BY position"
    )
    for position, root in _rows(connection, statement, (level, first, first + count)):
        if position != first + len(roots):
            break
        roots.append(root)
    return roots


@dataclass(frozen=True, slots=True)
class _Subtrees:
    """The tree over one connection, also within its transaction."""

    connection: Any

    def leaf_bytes(self, after: int, count: int) -> list[bytes]:
        return leaf_bytes(self.connection, after, count)

    def subtree_roots(self, level: int, first: int, count: int) -> list[bytes]:
        return subtree_roots(self.connection, level, first, count)


def grow(connection: Any, size: int) -> None:
    """Keep the subtrees that are complete in a log of `size` records; within the transaction that made it so large."""
    statement = "SELECT max(position) + 1 FROM footnote.subtrees GROUP BY level ORDER BY level"
    kept = [row[0] for row in _rows(connection, statement)]
    for row in grown(_Subtrees(connection), kept, size):
        connection.execute("INSERT INTO footnote.subtrees (level, position, root) VALUES (%s, %s, %b)", row)


def insert_checkpoint(connection: Any, kept: Kept) -> None:
    """Keep a checkpoint."""
    connection.execute(
        "INSERT INTO footnote.checkpoints (size, note, stamp) VALUES (%s, %b, %b)", (kept.size, kept.note, kept.stamp)
    )


def checkpoints(connection: Any, size: int, number: int, limit: int) -> list[tuple[int, Kept]]:
    """Up to `limit` checkpoints behind the one of this size and number, in order of both, each with its number."""
    statement = f"SELECT number, {_CHECKPOINT} WHERE (size, number) > (%s, %s) ORDER BY size, number LIMIT %s"
    return [(row[0], Kept(*row[1:])) for row in _rows(connection, statement, (size, number, limit))]


def latest_checkpoint(connection: Any, *, stamped: bool) -> Kept | None:
    """The checkpoint of most records; with `stamped` the one among those that have a time stamp."""
    only = "WHERE stamp IS NOT NULL" if stamped else ""
    rows = _rows(connection, f"SELECT {_CHECKPOINT} {only} ORDER BY size DESC, number DESC LIMIT 1")
    return Kept(*rows[0]) if rows else None
