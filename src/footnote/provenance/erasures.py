"""What was erased, according to the log itself.

A record of kind `erasure` says in its section `erased` whose parts were destroyed::

    [{"sequence": 6, "paths": ["question", "evidence/2"]}, {"sequence": 9, "paths": ["evidence"]}]

where `evidence` alone stands for all rows. It counts only if the section matches its leaf's commitment, and only for
earlier records. Destroying the payload does not change the leaf, so the log still verifies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from footnote.errors import LogBroken
from footnote.provenance.canonical import Unrecordable, parse
from footnote.provenance.leaf import EVIDENCE, Leaf, Part, decode
from footnote.provenance.parts import examine
from footnote.provenance.store import Store

SECTION: Final = "erased"


class Erasures:
    """The parts that erasure records name. Memory grows with what was erased, not with the log."""

    def __init__(self) -> None:
        self._paths: dict[int, set[str]] = {}

    def add(self, leaf: Leaf, verified: Iterable[Part]) -> None:
        """Take in an erasure record by its verified parts; other kinds and other shapes are passed over."""
        if leaf.kind != "erasure":
            return
        data = next((part.data for part in verified if part.section == SECTION), None)
        try:
            named = parse(data) if data is not None else None
        except Unrecordable:
            return
        for item in named if isinstance(named, list) else []:
            if not isinstance(item, dict) or not isinstance(item.get("paths"), list):
                continue
            sequence = item.get("sequence")
            if type(sequence) is int and sequence < leaf.sequence:
                names = (path for path in item["paths"] if isinstance(path, str))
                self._paths.setdefault(sequence, set()).update(names)

    def cover(self, sequence: int, path: str) -> bool:
        """Whether a record says that this part was erased."""
        paths = self._paths.get(sequence, ())
        return path in paths or (path.startswith(EVIDENCE + "/") and EVIDENCE in paths)


def erasures_in(store: Store) -> Erasures:
    """All erasures that the log's records name."""
    found = Erasures()
    for entry in store.entries(kinds=("erasure",)):
        try:
            leaf = decode(entry.leaf)
        except LogBroken:
            continue  # a broken leaf excuses nothing; verification reports it where it stands
        found.add(leaf, examine(leaf, entry.parts).verified)
    return found
