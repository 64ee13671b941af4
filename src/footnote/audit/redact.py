"""Redaction: parts that an export leaves out although the log has them; what is left still verifies.

The exporter names paths: `question` in all records, `6:question` in record 6, `evidence` for all rows, `evidence/2` for
one. A redacted part is absent like an erased one, and the export says which were left out, so that nobody takes a
redaction for tampering, nor tampering for a redaction. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from footnote.audit.subject import PROTECTED
from footnote.errors import UsageError
from footnote.provenance.leaf import EVIDENCE, Part, commitment, is_section_name
from footnote.provenance.store import Entry

_PATH: Final = re.compile(r"(?:([1-9][0-9]{0,15}):)?([A-Za-z][A-Za-z0-9]*)(?:/(0|[1-9][0-9]{0,5}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Redaction:
    """Paths that an export leaves out, as they were named."""

    paths: tuple[str, ...] = ()

    @classmethod
    def of(cls, paths: Iterable[str]) -> Redaction:
        """Read paths. Raises `UsageError` if one is none."""
        named = tuple(dict.fromkeys(paths))
        for path in named:
            match = _PATH.fullmatch(path)
            is_row = match is not None and match[2] == EVIDENCE
            if match is None or not (is_row or (match[3] is None and is_section_name(match[2]))):
                raise UsageError(
                    f"{path[:80]!a} is no path of a record.",
                    remedy="Name a section (question), a row (evidence/2) or all rows (evidence); of one record: 6:question.",
                )
        return cls(named)

    @classmethod
    def read(cls, value: Any) -> Redaction:
        """The redaction that an export states; what is not one covers nothing."""
        return cls(tuple(str(path) for path in value) if isinstance(value, list) else ())

    def covers(self, sequence: int, path: str) -> bool:
        """Whether this part of this record is left out."""
        names = {path, EVIDENCE} if path.startswith(EVIDENCE + "/") else {path}
        return any(name in self.paths or f"{sequence}:{name}" in self.paths for name in names)

    def idle(self, entries: Iterable[Entry]) -> list[str]:
        """The paths that leave nothing out of these records; read no further than it takes to know that there is none."""
        left = dict.fromkeys(self.paths)
        for entry in entries:
            if not left:
                break
            kept = PROTECTED.get(entry.kind, frozenset())
            for part in entry.parts:
                for name in () if part.section in kept else (part.path, part.section):
                    left.pop(name, None)
                    left.pop(f"{entry.sequence}:{name}", None)
        return list(left)

    def apply(self, entry: Entry) -> Entry:
        """The record without what is left out. Sections without which the log would not verify stay."""
        if not self.paths:
            return entry
        kept = PROTECTED.get(entry.kind, frozenset())
        parts = []
        for part in entry.parts:
            if part.section in kept or not self.covers(entry.sequence, part.path):
                parts.append(part)
            elif part.section == EVIDENCE:
                parts.append(_without_payload(part))
        return Entry(entry.sequence, entry.id, entry.kind, entry.leaf, entry.hash, tuple(parts))


def _without_payload(row: Part) -> Part:
    """A row of which only its commitment is left, without which the other rows could not be checked."""
    left = row.commitment
    if row.salt is not None and row.data is not None:
        left = commitment(row.salt, row.path, row.data)
    return Part(row.section, row.position, None, None, left)
