"""Verifying a bundle: its records as an export, then that they are in the checkpoint's tree, and the signature.

A signature by the key in the bundle shows that whoever has that key signed, and no more: it is UNPINNED until the
verifier gives a key that they have from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from footnote.audit import bundle
from footnote.audit.bundle_file import BundleFile, is_zip
from footnote.audit.files import ExportFailed
from footnote.audit.offline import Watch, verify_export, verify_stream
from footnote.audit.sampling import Digest, Sample, draw
from footnote.audit.selection import Selection, cited_results
from footnote.errors import FootnoteError
from footnote.provenance.anchors import Known, unsigned
from footnote.provenance.checkpoint import SignedCheckpoint, origin_of
from footnote.provenance.jsonstream import BrokenFile, strict_json
from footnote.provenance.leaf import decode
from footnote.provenance.merkle import CompactRange, leaf_hash, verify_inclusion
from footnote.provenance.note import VerifierKey
from footnote.provenance.retention import read_pruned
from footnote.provenance.stamps import Stamps
from footnote.provenance.store import Entry
from footnote.provenance.verify import Fault, Progress, Verification

Signed = Literal["", "none", "UNPINNED", "pinned"]


_SEQUENCE = re.compile(r"0|[1-9][0-9]{0,15}")


@dataclass(frozen=True, slots=True)
class BundleVerification:
    """The outcome.

    Attributes:
        records: Of the records.
        checkpoint: Records that the checkpoint covers; 0 if there is none.
        signed: `pinned` by a key that the verifier gave; `UNPINNED` by the bundle's own; `none`.
        proved: Records that were shown to be in the checkpoint's tree.
        sample: Whether a sample was drawn again, and is the one exported.
    """

    records: Verification
    checkpoint: int = 0
    signed: Signed = "none"
    proved: int = 0
    sample: bool = False

    @property
    def ok(self) -> bool:
        """Whether all that is there holds."""
        return self.records.ok

    @property
    def count(self) -> int:
        """Records that hold."""
        return self.records.count

    @property
    def reason(self) -> str:
        """What is wrong; empty if nothing."""
        return self.records.reason

    def as_dict(self) -> dict[str, Any]:
        """As printed."""
        out = self.records.as_dict()
        return out | {
            "checkpoint": self.checkpoint,
            "signature": self.signed,
            "proved": self.proved,
            "sampleDrawnAgain": self.sample,
        }


def verify_file(
    path: Path, known: Known | None = None, *, progress: Progress | None = None
) -> Verification | BundleVerification:
    """Verify an export in whichever format it is; `known` has what the verifier has from elsewhere.

    Raises `ExportFailed` if it cannot be read, `UsageError` if it is no export.
    """
    try:
        if not is_zip(path):
            return verify_export(path, known=known, progress=progress)
        return verify_bundle(path, known, progress=progress)
    except OSError as error:
        why = f"{error.strerror or error}."
        raise ExportFailed(f"The export {path} cannot be read.", why=why, details={"path": str(path)}) from error


def verify_bundle(path: Path, known: Known | None = None, *, progress: Progress | None = None) -> BundleVerification:
    """Verify a bundle in flat memory.

    Args:
        path: The file.
        known: What the verifier has from elsewhere. If there are keys, one of them must have signed; checkpoints need a
            bundle of all records.
        progress: Told of the records.

    Raises OSError if it cannot be read, `UsageError` if its records are no export of a known format.
    """
    try:
        with BundleFile(path) as file:
            return _verified(file, path, known or Known(), progress)
    except BrokenFile as error:
        return BundleVerification(Verification(False, 0, None, error.what, "malformed"))


def _verified(file: BundleFile, path: Path, known: Known, progress: Progress | None) -> BundleVerification:
    for name in (bundle.README, bundle.VERIFIER):
        file.read(name)  # what is not verified is at least not damaged
    try:
        checkpoint = SignedCheckpoint.parse(file.read(bundle.CHECKPOINT)) if bundle.CHECKPOINT in file else None
        stamped = SignedCheckpoint.parse(file.read(bundle.STAMPED)) if bundle.STAMPED in file else None
        signed, fault = _signed(file, checkpoint, known.keys)
    except FootnoteError as error:
        return BundleVerification(Verification(False, 0, None, error.what, "signature"))
    if fault:
        return BundleVerification(Verification(False, 0, None, fault.reason, fault.kind))
    records = _Records(file, checkpoint, stamped, Stamps(known.authorities))
    with file.text(bundle.RECORDS) as stream:
        outcome = verify_stream(stream, path, known=known, progress=progress, watch=records)
    if outcome.ok:
        fault = records.conclusion()
        if fault is not None:
            outcome = Verification(False, outcome.count, fault.at, fault.reason, fault.kind, head=outcome.head)
    outcome = replace(outcome, stamps=records.stamps.outcome())
    size = checkpoint.size if checkpoint else 0
    return BundleVerification(
        outcome, size, signed, records.proved, outcome.ok and records.selection.sample is not None
    )


def _signed(
    file: BundleFile, checkpoint: SignedCheckpoint | None, keys: Sequence[VerifierKey]
) -> tuple[Signed, Fault | None]:
    """Who signed the checkpoint, and what is wrong with that. Raises `FootnoteError` if the bundle's own did not."""
    if checkpoint is None:
        reason = "There is no checkpoint, so the key that was given has signed nothing."
        return "none", Fault("signature", reason, None) if keys or bundle.STAMPED in file else None
    if keys:
        return "pinned", unsigned(checkpoint, "in the bundle", keys)
    if bundle.KEY not in file:
        return "none", None
    checkpoint.verify([VerifierKey.parse(file.read(bundle.KEY).decode("utf-8", "replace"))])
    return "UNPINNED", None


class _Records(Watch):
    """Holds each record against its proof, or the tree of all against the roots; and a sample against its population."""

    def __init__(
        self,
        file: BundleFile,
        checkpoint: SignedCheckpoint | None,
        stamped: SignedCheckpoint | None,
        stamps: Stamps,
    ) -> None:
        self.selection = Selection()
        self.proved = 0
        self.stamps = stamps
        self._stamp = file.read(bundle.STAMP)
        self._stamped = stamped or checkpoint
        self._latest = ""
        self._file = file
        self._points = [one.checkpoint for one in (checkpoint, stamped) if one is not None]
        self._size = checkpoint.size if checkpoint else 0
        self._proofs = file.lines(bundle.PROOFS)
        self._tree = CompactRange()
        self._held: set[int] = set()
        self._stated: dict[str, Any] = {}
        self._sequences: list[int] = []
        self._cited: set[str] = set()
        self._ids: dict[str, int] = {}

    def begin(self, envelope: dict[str, Any], selection: Selection) -> Fault | None:
        self.selection = selection
        self._stated = envelope
        pruned = read_pruned(envelope.get("pruned"), 2**53) if selection.everything else None
        if pruned:
            self._tree = CompactRange.of(pruned.upto, pruned.tree)
            self._compare()
        asked = envelope.get("selection")
        if isinstance(asked, dict) and asked.get("sample") is not None and selection.sample is None:
            return Fault("malformed", "The sample's count or seed is none.", None)
        if any(point.origin != origin_of(str(envelope.get("log"))) for point in self._points):
            return Fault("insertion", "The checkpoint is of another log than the records.", None)
        if len(self._points) > 1 and not selection.everything:
            return Fault("malformed", "The checkpoint with the time stamp cannot be told to be of these records.", None)
        return None

    def record(self, entry: Entry) -> Fault | None:
        if self.selection.sample is not None:
            self._sequences.append(entry.sequence)
            self._ids[entry.id] = entry.sequence
            self._cited.update(cited_results(entry))
        if self._stamp and self._stamped and entry.sequence <= self._stamped.size:
            self._latest = decode(entry.leaf).timestamp
        if self.selection.everything:
            self._tree.append(leaf_hash(entry.leaf))
            self.proved += entry.sequence <= self._size
            self._compare()
            return None
        return self._proof_fault(entry) if entry.sequence <= self._size else None

    def _compare(self) -> None:
        for point in self._points:
            if point.size == self._tree.size and point.root == self._tree.root():
                self._held.add(point.size)

    def conclusion(self) -> Fault | None:
        """What is wrong once all records were read."""
        if next(self._proofs, None) is not None:
            return Fault("malformed", "There are proofs of records that are not here.", None)
        if self.selection.everything:
            for point in self._points:
                if point.size > self._tree.size:
                    reason = f"The checkpoint covers {point.size} records, but only {self._tree.size} are here."
                    return Fault("truncation", reason, self._tree.size + 1)
                if point.size not in self._held:
                    reason = f"The first {point.size} records do not give the checkpoint's root: the log was rewritten."
                    return Fault("rewrite", reason, None)
        return self._stamp_fault() or (self._sample_fault(self.selection.sample) if self.selection.sample else None)

    def _stamp_fault(self) -> Fault | None:
        if not self._stamp:
            return None
        if self._stamped is None:
            return Fault("timestamp", "There is a time stamp, but no checkpoint that it could be over.", None)
        where = f"of {self._stamped.size} records in the bundle"
        return self.stamps.fault(self._stamp, self._stamped.format(), where, self._latest)

    def _proof_fault(self, entry: Entry) -> Fault | None:
        point = self._points[0]
        proof = _object(next(self._proofs, "{}"), bundle.PROOFS)
        hashes = _hashes(proof)
        place = (proof.get("sequence"), proof.get("size")) == (entry.sequence, point.size)
        if (
            hashes is None
            or not place
            or not verify_inclusion(entry.leaf, entry.sequence - 1, point.size, hashes, point.root)
        ):
            reason = f"Record {entry.sequence} is not shown to be in the tree of the checkpoint."
            return Fault("edit", reason, entry.sequence)
        self.proved += 1
        return None

    def _sample_fault(self, sample: Sample) -> Fault | None:
        digest = Digest()
        population: list[int] = []
        for line in self._file.lines(bundle.POPULATION):
            if not _SEQUENCE.fullmatch(line) or (population and population[-1] >= int(line)):
                return Fault("malformed", "The population is not a list of sequences in order.", None)
            population.append(int(line))
            digest.add(population[-1])
        if bundle.POPULATION not in self._file:
            return Fault("malformed", "There is a sample, but no population that it was drawn from.", None)
        stated = self._stated.get("selection", {}).get("sample", {}).get("population")
        if stated != {"count": digest.count, "digest": digest.text}:
            return Fault("edit", "The population is not the one that the export states.", None)
        passed_over = self._passed_over(population)
        if passed_over is not None:
            reason = (
                f"Record {passed_over} is not in the population, and the selection says nothing that leaves it out."
            )
            return Fault("deletion", reason, passed_over)
        drawn = set(draw(population, sample))
        lacking = min(drawn - set(self._sequences), default=None)
        if lacking is not None:
            return Fault("deletion", f"Record {lacking} belongs to the sample and is not here.", lacking)
        cited = {self._ids[id] for id in self._cited if id in self._ids}
        surplus = min(set(self._sequences) - drawn - cited, default=None)
        if surplus is not None:
            return Fault("insertion", f"Record {surplus} does not belong to the sample.", surplus)
        return None

    def _passed_over(self, population: list[int]) -> int | None:
        """The first record that should be in the population. What a filter leaves out cannot be known from here."""
        if replace(self.selection, after=0, sample=None, cited=False) != Selection():
            return None
        due = range(self.selection.after + 1, max([self._size, *population[-1:]]) + 1)
        return next((number for number, there in zip_longest(due, population) if number != there), None)


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        value = strict_json(text)
    except (ValueError, RecursionError) as error:
        raise BrokenFile(f"The file is damaged: {name} is not JSON.") from error
    return value if isinstance(value, dict) else {}


def _hashes(proof: dict[str, Any]) -> list[bytes] | None:
    hashes = proof.get("hashes")
    try:
        return [bytes.fromhex(hash) for hash in hashes] if isinstance(hashes, list) and len(hashes) <= 128 else None
    except (TypeError, ValueError):
        return None
