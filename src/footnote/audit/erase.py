"""Erasing: payload and salts are destroyed, the leaves stay, and a record says what went, when, why and by whose hand.

The record names sequences and paths, never what stood there. What is under a legal hold is not erased. Backups, and
exports that were handed out, are copies beyond reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.access import Actor
from footnote.audit.subject import present_parts
from footnote.errors import NameUnknown, Refused, UsageError
from footnote.evidence import Json
from footnote.provenance import Draft, Log, Receipt
from footnote.provenance.erasures import SECTION
from footnote.provenance.leaf import EVIDENCE, decode
from footnote.provenance.retention import holds_in


class Held(Refused):
    """A legal hold covers what should be erased or pruned."""

    code = "held"


@dataclass(frozen=True, slots=True)
class Erased:
    """What was destroyed, and the record that says so.

    Attributes:
        paths: Paths by sequence.
        receipt: Of the erasure record.
        scrubbed: Nothing of it is left in the store's own files. False while somebody who reads keeps it from being
            overwritten; `Log.scrub` does it later.
    """

    paths: Mapping[int, Sequence[str]]
    receipt: Receipt
    scrubbed: bool


def parts_of_record(log: Log, name: str) -> dict[int, list[str]]:
    """All parts of one record that are there and may be erased. Raises `NameUnknown`, `NameAmbiguous`."""
    sequence = log.get(name).sequence
    (entry,) = log.store.entries(sequence - 1, sequence)
    return {sequence: [path for path, _ in present_parts(entry)]}


def erase(log: Log, paths: Mapping[int, Sequence[str]], *, actor: Actor, reason: str) -> Erased:
    """Destroy these parts and record it, in one transaction.

    Raises `UsageError` without a reason, `NameUnknown` if there is nothing to erase, `Held` if a hold covers a record,
    `LogUnavailable` if it cannot be done, in which case nothing was.
    """
    if not reason.strip():
        raise UsageError("An erasure has a reason.", remedy="Say why: --reason.")
    wanted = {sequence: sorted(set(names), key=_order) for sequence, names in sorted(paths.items()) if names}
    if not wanted:
        raise NameUnknown("There is nothing to erase: no part that is there is meant.", remedy="Look with a dry run.")
    _require_not_held(log, list(wanted))
    named: list[Json] = [{"sequence": sequence, "paths": list(names)} for sequence, names in wanted.items()]
    draft = Draft("erasure", sections={"actor": dict(actor.as_dict()), "reason": reason, SECTION: named})
    receipt = log.erase(draft, wanted)
    return Erased(wanted, receipt, log.scrub())


def _require_not_held(log: Log, sequences: Sequence[int]) -> None:
    holds = holds_in(log.store)
    for sequence in sequences if holds else ():
        for entry in log.store.entries(sequence - 1, sequence, parts=False):
            moment = decode(entry.leaf).timestamp
            held = next((hold for hold in holds if hold.covers(moment)), None)
            if held:
                raise Held(
                    f"Record {sequence} is under the legal hold {held.name!a}, so nothing was erased.",
                    why=f"Record {held.sequence} says so.",
                    remedy="Release the hold first (footnote retain release), if it may be released.",
                )


def _order(path: str) -> tuple[str, int]:
    section, _, position = path.partition("/")
    return section, int(position) if section == EVIDENCE and position.isdecimal() else 0
