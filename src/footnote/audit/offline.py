"""Verifying an export with nothing but the file: no log, no database, no server; formats footnote/v1 and footnote/v0.

Every record's leaf is hashed and read, the readable members are compared with it, every section and row is committed to
again with its salt, and the records are followed as a chain. For the whole log the count must be the one stated.

What that proves: the records are those that were hashed, in this order, with nothing changed, put in or taken out
between them. What it cannot prove: that the file is not a whole new chain, or a log that ended earlier, made by whoever
gave it to you. Compare `head`, or any record's hash, with a receipt or checkpoint that you kept yourself.
"""

from __future__ import annotations

import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final, Protocol

from footnote.audit.bundle_file import records_of
from footnote.audit.files import ExportFailed
from footnote.audit.redact import Redaction
from footnote.audit.selection import Selection, read_selection, selection_fault
from footnote.errors import UsageError, counted
from footnote.provenance import v0
from footnote.provenance.anchors import Anchors, Known
from footnote.provenance.canonical import Unrecordable, canonical
from footnote.provenance.chain import Chain, Fault, Link, Progress, Tally, Verification, walk
from footnote.provenance.checkpoint import origin_of
from footnote.provenance.erasures import Erasures
from footnote.provenance.jsonstream import BrokenFile, Envelope
from footnote.provenance.keys import rotation_of
from footnote.provenance.leaf import EVIDENCE, FORMAT, RESERVED, Leaf, Part
from footnote.provenance.merkle import leaf_hash
from footnote.provenance.parts import examine
from footnote.provenance.retention import Pruned, pruned_of, read_pruned
from footnote.provenance.store import Entry
from footnote.provenance.verify import altered, missing, read_leaf, unproved

_BESIDE: Final = RESERVED - {"format", "log", "sections"}
"""Members of an exported record that are not sections."""


def verify_export(
    path: str | os.PathLike[str], *, known: Known | None = None, progress: Progress | None = None
) -> Verification:
    """Verify an export in flat memory; `known` has checkpoints that were kept elsewhere, and the log's keys.

    A file that is damaged or cut off gives a failed `Verification` of kind `malformed`. Raises `ExportFailed` if it
    cannot be read, `UsageError` if it is no export of a format that is known.
    """
    file = Path(path)
    try:
        with file.open(encoding="utf-8", newline="") as source:
            return verify_stream(source, file, known=known, progress=progress)
    except OSError as error:
        raise ExportFailed(
            f"The export {file} cannot be read.", why=f"{error.strerror or error}.", details={"path": str(file)}
        ) from error


class Watch(Protocol):
    """Somebody who looks at an export while it is verified, and may find what it alone does not show."""

    def begin(self, envelope: dict[str, Any], selection: Selection) -> Fault | None:
        """Told what stands before the records."""

    def record(self, entry: Entry) -> Fault | None:
        """Told of each record that holds by itself."""


def verify_stream(
    source: IO[str],
    file: Path,
    *,
    known: Known | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Verification:
    """Verify an export that is read from a stream; `file` is what it is called in errors.

    Raises `UsageError` if it is no export of a format that is known.
    """
    try:
        envelope = Envelope(source, "records")
    except BrokenFile as error:
        return Verification(False, 0, None, error.what, "malformed")
    format = envelope.before.get("format")
    if format not in (FORMAT, v0.FORMAT):  # which may be anything, also what no set can hold
        raise UsageError(
            f"{file} is not an export: it does not start with the format {FORMAT} or {v0.FORMAT}.",
            details={"path": str(file)},
        )
    if not envelope.has_list:
        return Verification(False, 0, None, "The file is damaged: it has no list of records.", "malformed")
    if format == FORMAT and (unfit := selection_fault(envelope.before.get("selection", {}))):
        return Verification(False, 0, None, unfit, "malformed")
    anchors = _anchors(envelope, read_selection(envelope.before.get("selection")), file, known or Known())
    reading: _Reading = _ReadingV0(envelope) if format == v0.FORMAT else _ReadingV1(envelope, anchors, watch)
    if watch is not None and (fault := watch.begin(envelope.before, reading.selection)) is not None:
        return Verification(False, 0, fault.at, fault.reason, fault.kind)
    try:
        outcome = _walked(reading, anchors, progress)
        return outcome if watch is not None else _cautioned(outcome, reading, known or Known())
    except BrokenFile as error:
        return Verification(False, reading.read, None, error.what, "malformed")


def _chain(reading: _Reading, anchors: Anchors) -> Chain:
    """The chain that the records of an export are to make."""
    selection = reading.selection
    after = 0 if selection.cited else selection.after  # what is cited lies before
    return Chain(after=after, gaps=selection.gaps, clock=isinstance(reading, _ReadingV1), roots=anchors)


def _walked(reading: _Reading, anchors: Anchors, progress: Progress | None) -> Verification:
    """The outcome of following the records. Raises `BrokenFile` where they stop being JSON."""
    chain = _chain(reading, anchors)
    if reading.pruned:
        anchors.skip(reading.pruned.upto)
        fault = chain.begin_behind(*reading.pruned.beginning())
        if fault:
            return chain.outcome(fault, reading)
    total = reading.stated if reading.selection.everything else 0
    outcome = walk(reading.links(), total=total, chain=chain, progress=progress, tally=reading)
    if outcome.ok:
        outcome = reading.conclude(outcome)
    beyond = anchors.end(outcome.count + outcome.pruned) if outcome.ok else None
    if beyond:
        outcome = replace(outcome, ok=False, failed_at=beyond.at, reason=beyond.reason, kind=beyond.kind)
    return replace(outcome, checkpoints=anchors.count, signed=anchors.signed)


def _cautioned(outcome: Verification, reading: _Reading, known: Known) -> Verification:
    """The outcome, with what a good one does not show and a reader might take it to show; a bundle shows it by proofs."""
    remarks = list(outcome.remarks)
    if outcome.ok and not reading.selection.everything:
        remarks.append("It is a selection: that no record which belongs to it was left out cannot be seen from it.")
    if outcome.ok and known.keys and not outcome.checkpoints:
        remarks.append(
            "No signature was checked: it has no checkpoint. A bundle has one, or give one you kept (--since)."
        )
    return replace(outcome, remarks=tuple(remarks))


def _anchors(envelope: Envelope, selection: Selection, file: Path, known: Known) -> Anchors:
    """What was kept elsewhere. Raises `UsageError` if the export does not have the records to hold against it."""
    of_the_whole = envelope.before["format"] == FORMAT and not selection.after and not selection.gaps
    if known.checkpoints and not of_the_whole:
        raise UsageError(
            f"{file} cannot be held against a checkpoint.",
            why="It does not have all records from the first on, in a format that has a Merkle tree.",
            remedy="Take an export of the whole log, or a bundle with proofs.",
        )
    return Anchors(str(envelope.before.get("log", "")), (), known)


@dataclass(frozen=True, slots=True)
class About:
    """What an export says of itself: its format, the id of its log (none in v0), whether it has the whole log."""

    format: str
    log: str
    everything: bool


def about_export(path: str | os.PathLike[str]) -> About:
    """What an export says of itself, unchecked. Raises `ExportFailed` if it cannot be read, `UsageError` if it is none."""
    with _opened(path) as envelope:
        before = envelope.before
        everything = read_selection(before.get("selection")).everything
        return About(str(before["format"]), str(before.get("log", "")), everything)


def exported_entries(path: str | os.PathLike[str]) -> Iterator[Entry]:
    """The records of an export of format footnote/v1, unchecked: verify it first.

    Raises `ExportFailed` if it cannot be read, `UsageError` if it is none.
    """
    with _opened(path) as envelope:
        try:
            yield from map(_entry, envelope.items())
        except (Unrecordable, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"{Path(path)} is not an export of format {FORMAT}.") from error


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[Envelope]:
    file = Path(path)
    try:
        with records_of(file) as source:
            envelope = Envelope(source, "records")
            if envelope.before.get("format") not in (FORMAT, v0.FORMAT):
                raise UsageError(f"{file} is not an export.", details={"path": str(file)})
            yield envelope
    except OSError as error:
        raise ExportFailed(
            f"The export {file} cannot be read.", why=f"{error.strerror or error}.", details={"path": str(file)}
        ) from error


class _Reading(Tally, ABC):
    """An export as links, and what is known once all were read."""

    def __init__(self, envelope: Envelope) -> None:
        super().__init__()
        self.envelope = envelope
        self.selection = read_selection(envelope.before.get("selection"))
        self.integrity = envelope.before.get("chainIntegrity")
        self.stated = _stated(self.integrity)
        self.read = 0
        self.last = 0
        self.pruned: Pruned | None = None

    def links(self) -> Iterator[Link]:
        for item in self.envelope.items():
            link = self.link(item)
            yield link
            self.read += 1
            self.last = link.sequence

    @abstractmethod
    def link(self, item: Any) -> Link:
        """The link that an exported record is."""

    def conclude(self, outcome: Verification) -> Verification:
        """The outcome, unless the envelope disagrees with it. Call it behind the last record."""
        if self.envelope.after():
            return Verification(False, outcome.count, None, "Something follows the records.", "malformed")
        if not isinstance(self.integrity, dict) or self.integrity.get("ok") is not True:
            said = str(self.integrity.get("reason", "")) if isinstance(self.integrity, dict) else ""
            reason = f"The export does not say that the log held when it was made. {said[:300]}".strip()
            return Verification(False, outcome.count, None, reason, "edit", head=outcome.head)
        if self.selection.everything and self.stated != outcome.count:
            reason = f"The export says that the log has {self.stated} records, but it has {outcome.count}."
            return Verification(False, outcome.count, outcome.count + 1, reason, "truncation", head=outcome.head)
        end = self.stated + max(_whole_number(self.integrity.get("pruned", 0)), 0)
        head: Any = self.integrity.get("head")
        if head is not None and self.read and self.last == end and head != outcome.head:
            reason = (
                f"The export says that the log ends with the hash {str(head)[:64]!a}, but its last record, {end}, has "
                "another: records at the end are gone, or were replaced."
            )
            return Verification(False, outcome.count, end, reason, "truncation", head=outcome.head)
        return outcome


class _ReadingV0(_Reading):
    def link(self, item: Any) -> Link:
        return v0.link(item, self.read + 1)


class _ReadingV1(_Reading):
    def __init__(self, envelope: Envelope, anchors: Anchors, watch: Watch | None = None) -> None:
        super().__init__(envelope)
        self._watch = watch
        self._anchors = anchors
        self._log = str(envelope.before.get("log", ""))
        self._erasures = Erasures()
        self._absent: dict[int, tuple[int, list[str]]] = {}
        self.pruned = self._stated_pruning()
        self._pruning_recorded = False

    def link(self, item: Any) -> Link:
        position = self.selection.after + (self.pruned.upto if self.pruned else 0) + self.read + 1
        try:
            entry = _entry(item)
        except KeyError as error:
            return Link(position, "", fault=Fault("edit", f"Record {position} lacks {error}.", position))
        except (Unrecordable, ValueError) as error:
            return Link(position, "", fault=Fault("edit", f"Record {position} is not one: {error}", position))
        except (TypeError, AttributeError):
            return Link(position, "", fault=Fault("edit", f"Record {position} has not the shape of one.", position))
        leaf, fault = read_leaf(entry, self._log)
        if leaf is None or fault:
            return Link(entry.sequence, entry.hash, timestamp=leaf.timestamp if leaf else "", fault=fault)
        findings = examine(leaf, entry.parts)
        self._erasures.add(leaf, findings.verified)
        rotation = rotation_of(leaf, findings.verified, origin_of(self._log))
        if rotation is not None:
            self._anchors.rotate(rotation)
        if self.pruned and pruned_of(leaf, findings.verified) == replace(self.pruned, sequence=leaf.sequence):
            self._pruning_recorded = True
        if findings.absent:
            self._absent[leaf.sequence] = (self.read, findings.absent)
        inner = altered(leaf, findings) or unproved(leaf, findings) or _disagreement(leaf, item)
        if inner is None and self._watch is not None:
            inner = self._watch.record(entry)
        item = b"" if self.selection.after or self.selection.gaps else leaf_hash(entry.leaf)
        return Link(leaf.sequence, entry.hash, leaf.previous_hash, leaf.timestamp, inner=inner, item=item)

    def _stated_pruning(self) -> Pruned | None:
        """What the export says lies before its records; a record in it has to say the same."""
        if not self.selection.everything:
            return None
        return read_pruned(self.envelope.before.get("pruned"), 2**53)

    def conclude(self, outcome: Verification) -> Verification:
        """An erasure comes after what it erased, so absent parts are judged at the end."""
        if self.pruned and not self._pruning_recorded:
            reason = (
                f"The export begins behind record {self.pruned.upto}, but no record in it says that those were pruned."
            )
            return Verification(False, 0, 1, reason, "deletion")
        redaction = Redaction.read(self.envelope.before.get("redacted"))
        left_out = 0
        for sequence, (count, paths) in self._absent.items():
            gone = [path for path in paths if not self._erasures.cover(sequence, path)]
            self.erased += len(paths) - len(gone)
            unsaid = [path for path in gone if not redaction.covers(sequence, path)]
            if unsaid and self.selection.everything:
                fault = missing(sequence, unsaid[0])
                return Verification(False, count, sequence, fault.reason, fault.kind)
            left_out += len(gone)
        outcome = super().conclude(outcome)
        before = self.pruned.upto if self.pruned else 0
        absent = counted(left_out, "part is", "parts are")
        said = f"{absent} not in this export: redacted, or erased by a record that was not selected."
        return replace(outcome, erased=self.erased, remarks=(said,) if left_out else (), pruned=before)


def _entry(item: dict[str, Any]) -> Entry:
    """The entry that an exported record was made from.

    Raises Unrecordable, ValueError, KeyError, TypeError or AttributeError if the record does not have its shape.
    """
    salts = item["salts"]
    kept = item.get("commitments", {})
    parts = [
        Part(name, 0, bytes.fromhex(salts[name]), canonical(value))
        for name, value in item.items()
        if name not in _BESIDE and name in salts
    ]
    unsalted = [name for name in item if name not in _BESIDE and name not in salts]
    if unsalted:
        raise ValueError(f"{unsalted[0][:40]!a} has no salt, so nothing vouches for it.")
    for position, (row, salt) in enumerate(zip(item[EVIDENCE], salts[EVIDENCE], strict=True)):
        left = kept.get(f"{EVIDENCE}/{position}")
        if salt is None and row is not None:
            raise ValueError(f"its {EVIDENCE}/{position} has no salt, so nothing vouches for it.")
        if salt is not None:
            parts.append(Part(EVIDENCE, position, bytes.fromhex(salt), canonical(row)))
        elif left is not None:
            parts.append(Part(EVIDENCE, position, None, None, bytes.fromhex(left)))
    sequence, id, kind = item["sequence"], item["id"], item["kind"]
    if type(sequence) is not int or not isinstance(id, str) or not isinstance(kind, str):
        raise ValueError("its sequence is not a number, or its id or kind is not text.")
    return Entry(sequence, id, kind, item["leaf"].encode("utf-8"), item["hash"], tuple(parts))


def _disagreement(leaf: Leaf, item: dict[str, Any]) -> Fault | None:
    """The fault of a record whose readable members are not those of its leaf."""
    stated = {"sequence": leaf.sequence, "timestamp": leaf.timestamp, "catalog": leaf.catalog}
    stated |= {"previousHash": leaf.previous_hash}
    for name, value in stated.items():
        if item.get(name) != value or type(item.get(name)) is not type(value):
            reason = f"Record {leaf.sequence} was edited: its {name} is {value}, but the export shows another."
            return Fault("edit", reason, leaf.sequence)
    return None


def _stated(value: Any) -> int:
    return _whole_number(value.get("count")) if isinstance(value, dict) else -1


def _whole_number(value: Any) -> int:
    return value if type(value) is int else -1
