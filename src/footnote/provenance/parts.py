"""Whether a payload is the one its leaf commits to, part by part.

A part is *verified* (its bytes and salt give the commitment in the leaf), *absent* (bytes or salt are not there), or
*altered* (they give another commitment, or the leaf knows no such part); rows of evidence may be *unproved*. Whether an absent part was erased or is
missing is for an erasure record to say: see `erasures`. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from footnote.provenance import merkle
from footnote.provenance.leaf import EVIDENCE, Leaf, Part, commitment


@dataclass(frozen=True, slots=True)
class Findings:
    """The parts of one record by what was found.

    `unproved` has the rows of evidence that are there while another is gone without its commitment: there is no root
    then, so they may be anybody's. No erasure leaves that behind.
    """

    verified: list[Part] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)


def examine(leaf: Leaf, parts: Sequence[Part]) -> Findings:
    """Compare a record's parts with its leaf. Flat in the number of records; one record's parts are in memory."""
    findings = Findings()
    rows: dict[int, Part] = {}
    sections: dict[str, Part] = {}
    for part in parts:
        is_row = part.section == EVIDENCE and 0 <= part.position < leaf.evidence_count
        is_section = part.section in leaf.sections and not part.position
        if is_row and part.position not in rows:
            rows[part.position] = part
        elif is_section and part.section not in sections:
            sections[part.section] = part
        else:
            findings.altered.append(part.path)  # unknown to the leaf, or there twice
    for name, committed in leaf.sections.items():
        _sort_in(findings, name, sections.get(name), committed)
    _examine_rows(findings, leaf, rows)
    return findings


def _sort_in(findings: Findings, name: str, part: Part | None, committed: str) -> None:
    if part is None or part.salt is None or part.data is None:
        findings.absent.append(name)
    elif commitment(part.salt, part.path, part.data).hex() == committed:
        findings.verified.append(part)
    else:
        findings.altered.append(name)


def _examine_rows(findings: Findings, leaf: Leaf, rows: dict[int, Part]) -> None:
    items: list[bytes] = []
    present: list[Part] = []
    for position in range(leaf.evidence_count):
        part = rows.get(position)
        if part is not None and part.salt is not None and part.data is not None:
            present.append(part)
            items.append(commitment(part.salt, part.path, part.data))
            continue
        findings.absent.append(f"{EVIDENCE}/{position}")
        if part is not None and part.commitment is not None:
            items.append(part.commitment)
    if len(items) < leaf.evidence_count:
        findings.unproved.extend(part.path for part in present)
    elif merkle.root(items).hex() == leaf.evidence_root:
        findings.verified.extend(present)
    else:
        findings.altered.append(EVIDENCE)
