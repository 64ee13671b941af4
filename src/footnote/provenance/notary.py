"""Has a log's state signed while it is written: a checkpoint after each batch, off the path of whoever waits for a receipt.

One thread per log and process, started by the first append. It signs at once, then at most once in `every` seconds, and
when the log is closed. Before it signs, it compares the log with the checkpoints that are kept: the latest in the store,
the copy outside, the one it made last. A log that does not continue them is not signed for. What goes wrong is said,
each thing once, and never costs a record; it is tried again after a minute, and when the log is closed.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from footnote.errors import FootnoteError, LogBroken, UsageError
from footnote.provenance import keyfile
from footnote.provenance.checkpoint import Checkpoint, SignedCheckpoint, origin_of, sign_checkpoint
from footnote.provenance.keys import rotations_in
from footnote.provenance.note import NoteInvalid, Signature, Signer
from footnote.provenance.outside import Outside, outside_of
from footnote.provenance.store import Kept, Store
from footnote.provenance.tree import LogTree
from footnote.provenance.witness_client import WitnessAddress, WitnessAhead, ask_witness

RETRY: Final = 60.0
"""Seconds after which a checkpoint that failed is tried again, if nothing was appended."""

STAMP_EVERY: Final = 3600.0
"""Seconds between two time stamps of a log."""


def to_stderr(text: str) -> None:
    """Say something to the operator."""
    sys.stderr.write(f"footnote: {text}\n")
    sys.stderr.flush()


@dataclass(frozen=True, slots=True)
class Checkpointing:
    """How a log's checkpoints are made, and who else keeps them.

    Attributes:
        key: File of the private key; made on first use.
        outside: Folder or fsspec URL for the latest checkpoint; empty for none.
        witnesses: Whom to have cosign.
        tsa: Web address of a time-stamping authority; empty for none.
        every: Seconds between two checkpoints while records come in.
        tell: Told what goes wrong.
    """

    key: Path
    outside: str = ""
    witnesses: tuple[WitnessAddress, ...] = ()
    tsa: str = ""
    every: float = 1.0
    tell: Callable[[str], None] = field(default=to_stderr, compare=False)


class Notary:
    """Makes the checkpoints of one log."""

    def __init__(self, store: Store, how: Checkpointing) -> None:
        self._store = store
        self._how = how
        self._origin = origin_of(store.log)
        self._thread: threading.Thread | None = None
        self._news = threading.Condition()
        self._one_at_a_time = threading.Lock()
        self._pending = self._closed = False
        self._made: SignedCheckpoint | None = None
        self._seen_by: dict[str, int] = {}
        self._told: set[str] = set()
        self.trouble = ""

    def appended(self) -> None:
        """Note that records were appended; costs the writer next to nothing."""
        with self._news:
            self._pending = True
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="footnote-notary", daemon=True)
                self._thread.start()
            self._news.notify()

    def close(self) -> None:
        """Make the last checkpoint, if records were appended since the latest one, and stop."""
        with self._news:
            self._closed = True
            thread, self._thread = self._thread, None
            self._news.notify()
        if thread:
            thread.join()
        if self._pending:
            self.attempt()

    def attempt(self) -> tuple[SignedCheckpoint | None, str]:
        """Make a checkpoint of the log as it is now. The checkpoint, if there is a new one; and the trouble, if any."""
        with self._one_at_a_time:
            self._pending = False
            before, self.trouble = self.trouble, ""
            made = None
            try:
                made = self._make(again=bool(before))
            except FootnoteError as error:
                self._say(error.text)
            except Exception as fault:  # noqa: BLE001 - the thread must live, and its silence would be taken for success
                self._say(f"A checkpoint could not be made, by a fault of Footnote's own: {type(fault).__name__}.")
            if self.trouble:
                self._pending = True
            else:
                self._told.clear()
            return made, self.trouble

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._closed or self._pending)
            if self._closed:
                return
            self.attempt()
            with self._news:
                self._news.wait_for(lambda: self._closed, RETRY if self.trouble else self._how.every)

    def _say(self, text: str) -> None:
        self.trouble = text
        if text not in self._told:
            self._told.add(text)
            self._how.tell(text)

    # --- one checkpoint -----------------------------------------------------------------------------------------------

    def _make(self, *, again: bool) -> SignedCheckpoint | None:
        """Compare, sign, have it kept. Raises `FootnoteError`; what does not keep it from being made is only said."""
        latest = self._store.latest_checkpoint()  # before the size: another process may be making both larger
        size = self._size()
        if not size or (latest and latest.size == size and not again):
            return None
        tree = LogTree(self._store)
        if latest:
            self._require_continued(tree, size, SignedCheckpoint.parse(latest.note), "the latest checkpoint in the log")
        if self._made:
            self._require_continued(tree, size, self._made, "the last checkpoint that was made here")
        signer = self._signer(size, latest)
        try:
            signed = sign_checkpoint(Checkpoint(self._origin, size, tree.root(size)), signer)
        except IndexError:
            raise LogBroken(
                "A record of the log is gone, so no checkpoint is made.", remedy="Verify the log."
            ) from None
        note = signed.note.with_signatures(self._cosignatures(tree, signed))
        signed = SignedCheckpoint(signed.checkpoint, note)
        self._put_outside(tree, signed)
        if not latest or latest.note != signed.format():
            self._store.keep_checkpoint(Kept(size, signed.format(), self._stamp(signed.format())))
        self._made = signed
        return signed

    def _size(self) -> int:
        tail = self._store.tail()
        return tail.sequence if tail else 0

    def _require_continued(self, tree: LogTree, size: int, old: SignedCheckpoint, what: str) -> None:
        if old.size > size:
            raise LogBroken(
                f"The log has {size} records, but {what} covers {old.size}: it was cut off, so no checkpoint is made.",
                remedy="Verify the log; keep what is there.",
            )
        try:
            root = tree.root(old.size)
        except IndexError:
            root = b""
        if root != old.checkpoint.root:
            raise LogBroken(
                f"The first {old.size} records of the log are not those that {what} covers, so no checkpoint is made.",
                why="The log was rewritten, or forked.",
                remedy="Verify the log; keep what is there.",
            )

    def _signer(self, size: int, latest: Kept | None) -> Signer:
        """The key that may sign: the one that the log's last rotation names, else the one that signed before."""
        signer = Signer(self._origin, keyfile.load_or_make(self._how.key))
        rotations = [one for one in rotations_in(self._store, self._origin) if one.sequence <= size]
        if rotations:
            if rotations[-1].key == signer.key:
                return signer
            # The next one lies beside it, or takes its place just now.
            for following in (keyfile.load_next(self._how.key), keyfile.load_or_make(self._how.key)):
                if following and rotations[-1].key == Signer(self._origin, following).key:
                    return Signer(self._origin, following)
        elif latest is None or SignedCheckpoint.parse(latest.note).note.signed_by([signer.key]):
            return signer
        raise UsageError(
            f"The key {self._how.key} is not the one that speaks for this log, so no checkpoint is made.",
            why="Another key signed its checkpoints before, or the key was rotated.",
            remedy="Bring the key here (FOOTNOTE_KEY); if it is lost: footnote keys rotate --lost.",
        )

    def _put_outside(self, tree: LogTree, signed: SignedCheckpoint) -> None:
        """Replace the copy outside. Raises `LogBroken` if the log does not continue it; other trouble is only said."""
        if not self._how.outside:
            return
        try:
            place = outside_of(self._how.outside, self._store.log)
            for _ in range(5):
                if self._swap(place, tree, signed):
                    return
            self._say(f"The checkpoint outside the log, {place.name}, is being replaced by others all the time.")
        except LogBroken:
            raise
        except FootnoteError as error:
            self._say(error.text)

    def _swap(self, place: Outside, tree: LogTree, signed: SignedCheckpoint) -> bool:
        data = place.read()
        if data is not None:
            try:
                old = SignedCheckpoint.parse(data)
            except NoteInvalid as error:
                raise LogBroken(f"The checkpoint outside the log, {place.name}, is damaged.", why=error.text) from error
            if old.checkpoint.origin != self._origin:
                raise LogBroken(f"The checkpoint outside the log, {place.name}, is of another log.")
            if old.size >= signed.size:  # another process may have been faster
                self._require_continued(
                    LogTree(self._store), self._size(), old, f"the checkpoint outside, {place.name},"
                )
                return True
            self._require_continued(tree, signed.size, old, f"the checkpoint outside, {place.name},")
        return place.replace(data, signed.format())

    def _cosignatures(self, tree: LogTree, signed: SignedCheckpoint) -> list[Signature]:
        """What the witnesses sign. Raises `LogBroken` if one has seen another log; other trouble is only said."""
        found = []
        for address in self._how.witnesses:
            try:
                known = self._seen_by.get(address.url, 0)
                found.append(ask_witness(address, signed, known, tree.consistency))
                self._seen_by[address.url] = signed.size
            except WitnessAhead as error:
                if self._size() < error.details["size"]:
                    raise
            except LogBroken:
                raise
            except FootnoteError as error:
                self._say(error.text)
        return found

    def _stamp(self, note: bytes) -> bytes | None:
        """A time stamp over a note, if one is due; the time of the last one is in the store."""
        if not self._how.tsa:
            return None
        from footnote.provenance.timestamps import read_stamp, request_stamp

        try:
            last = self._store.latest_checkpoint(stamped=True)
            if last and last.stamp and time.time() - read_stamp(last.stamp, last.note).time.timestamp() < STAMP_EVERY:
                return None
            return request_stamp(self._how.tsa, note)
        except FootnoteError as error:
            self._say(error.text)
            return None
