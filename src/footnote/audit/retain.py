"""Retention: what must stay and for how long, and pruning, which only follows a verified export.

Ten years is what the law of most countries asks of books and records; `YEARS` is a default that the operator may
lengthen or, knowing why, shorten. A legal hold is stronger than any period. Whole blocks of 256 records are pruned, so
that the roots of complete subtrees that the log keeps still lead from every record that stays to every checkpoint.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from footnote.access import Actor
from footnote.audit.bundle_verify import verify_file
from footnote.audit.erase import Held
from footnote.audit.files import digest_of
from footnote.audit.offline import exported_entries
from footnote.errors import LogBroken, NameUnknown, Refused, UsageError
from footnote.provenance import Draft, Log, Receipt
from footnote.provenance.chain import Progress
from footnote.provenance.leaf import decode
from footnote.provenance.retention import HOLD, KIND, PRUNED, RELEASE, Hold, Pruned, holds_in, pruned_in
from footnote.provenance.store import Entry
from footnote.provenance.tree import FAN_OUT

YEARS: Final = 10
"""How long records are kept unless somebody says otherwise."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class NotCovered(Refused):
    """An export does not have what should be pruned."""

    code = "not_covered"


@dataclass(frozen=True, slots=True)
class PruneDone:
    """What was pruned, and whether nothing of it is left in the store's own files."""

    pruned: Pruned
    receipt: Receipt
    scrubbed: bool


def day(text: str, option: str) -> dt.date:
    """A day as options have it. Raises `UsageError` if it is none."""
    try:
        if _DAY.fullmatch(text):
            return dt.date.fromisoformat(text)
    except ValueError:
        pass
    raise UsageError(f"{option} is {text[:40]!a}.", remedy="Give a day as YYYY-MM-DD.")


def hold(log: Log, name: str, *, since: str, until: str, actor: Actor, reason: str) -> Receipt:
    """Put a legal hold on the records of some days (UTC, both included), or on all.

    Raises `UsageError` if it has no name, is not a period, or is in force already.
    """
    if not name.strip() or not name.isprintable() or len(name) > 200:
        raise UsageError("A legal hold has a name: a line of at most 200 characters.", remedy="Name it: --name.")
    if since and until and day(since, "--from") > day(until, "--to"):
        raise UsageError(f"The hold ends on {until}, before it begins.", remedy="Give --from before --to.")
    for text, option in ((since, "--from"), (until, "--to")):
        if text:
            day(text, option)
    if any(one.name == name for one in holds_in(log.store)):
        raise UsageError(f"The legal hold {name!a} is in force already.", remedy="Choose another name.")
    return _record(log, {HOLD: Hold(name, since, until).as_dict()}, actor, reason)


def release(log: Log, name: str, *, actor: Actor, reason: str) -> Receipt:
    """Release a hold. Raises `NameUnknown` if none of this name is in force."""
    holds = holds_in(log.store)
    if all(one.name != name for one in holds):
        raise NameUnknown(
            f"There is no legal hold {name[:80]!a} in force.",
            remedy=f"In force: {', '.join(one.name for one in holds) or 'none'}.",
        )
    return _record(log, {RELEASE: {"name": name}}, actor, reason)


def prunable(log: Log, before: dt.date) -> int:
    """The last record that may be pruned: the end of the last whole block that lies before a day; 0 if there is none."""
    pruned = pruned_in(log.store)
    last, limit = pruned.upto if pruned else 0, before.isoformat()
    low, high = last, log.size()
    while low < high:  # timestamps never go back, so halving finds the last one before the day
        middle = (low + high + 1) // 2
        if _moment(log, middle) < limit:
            low = middle
        else:
            high = middle - 1
    upto = low // FAN_OUT * FAN_OUT
    return upto if upto > last else 0


def prune(
    log: Log,
    before: dt.date,
    export: str | os.PathLike[str],
    *,
    actor: Actor,
    reason: str,
    today: dt.date,
    years: int = YEARS,
    progress: Progress | None = None,
) -> PruneDone:
    """Take whole blocks of records from before a day out of the log, once an export is known to have them all.

    Raises `UsageError` if the day lies within the years that records are kept, `NotCovered` if there is no whole block or
    the export lacks something of one, `LogBroken` if the export does not verify, `Held`, `LogUnavailable`.
    """
    if before > _years_before(today, years):
        raise UsageError(
            f"Records are kept for {years} years, so those before {before} stay.",
            remedy=f"Prune before {_years_before(today, years)} or earlier, or say that fewer --years are enough.",
        )
    upto = prunable(log, before)
    if not upto:
        raise NotCovered(
            f"Nothing is pruned: there is no whole block of {FAN_OUT} records from before {before}.",
            why="Whole blocks alone leave every later proof as it is.",
        )
    _require_no_hold(log, upto)
    outcome = verify_file(Path(export), progress=progress)
    if not outcome.ok:
        raise LogBroken(f"The export {export} does not verify, so nothing was pruned.", why=outcome.reason)
    _require_covered(log, export, upto)
    log.checkpoint()
    facts = {"sha256": digest_of(export), "records": upto}
    pruned = Pruned(upto, _hash(log, upto), _moment(log, upto), log.subtree_roots(upto), facts)
    sections: dict[str, Any] = {"actor": dict(actor.as_dict()), "reason": reason, PRUNED: pruned.as_dict()}
    receipt = log.prune(Draft(KIND, sections=sections), upto)
    return PruneDone(pruned, receipt, log.scrub())


def state(log: Log, *, today: dt.date, years: int = YEARS) -> dict[str, Any]:
    """What is kept, held, pruned, and may be pruned, as JSON values."""
    pruned = pruned_in(log.store)
    last, since = pruned.upto if pruned else 0, _years_before(today, years)
    return {
        "years": years,
        "keptSince": since.isoformat(),
        "records": log.size() - last,
        "prunable": max(0, prunable(log, since) - last),
        "pruned": last,
        "prunedBy": pruned.sequence if pruned else None,
        "holds": [one.as_dict() | {"sequence": one.sequence} for one in holds_in(log.store)],
    }


def _years_before(today: dt.date, years: int) -> dt.date:
    try:
        return today.replace(year=today.year - years)
    except ValueError:  # the 29th of February, in a year that has none, or a year before the first
        return today.replace(year=max(1, today.year - years), day=28)


def _require_no_hold(log: Log, upto: int) -> None:
    holds = holds_in(log.store)
    for entry in log.store.entries(0, upto, parts=False) if holds else ():
        moment = decode(entry.leaf).timestamp
        held = next((one for one in holds if one.covers(moment) or one.sequence == entry.sequence), None)
        if held:
            raise Held(
                f"Record {entry.sequence} is under the legal hold {held.name!a}, so nothing was pruned.",
                remedy="Release the hold first (footnote retain release), if it may be released.",
            )


def _require_covered(log: Log, export: str | os.PathLike[str], upto: int) -> None:
    """Each record up to `upto` is in the export, with every part that the log still has."""
    exported = exported_entries(export)
    for entry in log.store.entries(0, upto):
        other = next((one for one in exported if one.sequence >= entry.sequence), None)
        if other is None or other.sequence != entry.sequence or other.hash != entry.hash:
            raise NotCovered(
                f"The export {export} does not have record {entry.sequence}, so nothing was pruned.",
                remedy="Make an export of the whole log: footnote export --output FILE.",
            )
        lacking = _present(entry) - _present(other)
        if lacking:
            raise NotCovered(
                f"The export {export} lacks {min(lacking)} of record {entry.sequence}, so nothing was pruned.",
                remedy="Make an export without redactions.",
            )


def _present(entry: Entry) -> set[str]:
    return {part.path for part in entry.parts if part.salt is not None and part.data is not None}


def _hash(log: Log, sequence: int) -> str:
    return log.get(sequence).hash


def _moment(log: Log, sequence: int) -> str:
    entries: Iterator[Entry] = log.store.entries(sequence - 1, sequence, parts=False)
    for entry in entries:
        return decode(entry.leaf).timestamp
    raise LogBroken(f"Record {sequence} is gone, so nothing was pruned.", remedy="Verify the log.")


def _record(log: Log, section: dict[str, Any], actor: Actor, reason: str) -> Receipt:
    if not reason.strip():
        raise UsageError("What is done to a log has a reason.", remedy="Say why: --reason.")
    return log.append(Draft(KIND, sections={"actor": dict(actor.as_dict()), "reason": reason, **section}))
