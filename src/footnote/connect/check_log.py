"""`footnote check`, the log and the clocks: reachable, durable, separate; and whether both clocks tell the same time."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Iterator
from pathlib import Path

from footnote.connect.finding import Finding
from footnote.errors import FootnoteError, LogBroken
from footnote.provenance.postgres_connect import PostgresPlace
from footnote.session import Session
from footnote.sources.source import Snapshot

_APART = 5
"""Seconds by which two clocks may differ."""
_MEMORY = {"tmpfs", "ramfs"}
_NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs"}


def log_findings(session: Session) -> Iterator[Finding]:
    """Whether the log can be written and verifies, whether what is written stays, and whether its clock went back."""
    place = session.settings.provenance_db
    try:
        outcome = session.log.verify()
        if not outcome.ok:
            raise LogBroken(f"{place} does not verify: {outcome.reason}")
        head = session.log.head()
    except FootnoteError as error:
        yield Finding("log", "failed", error.text)
        return
    yield Finding("log", "ok", f"{place} can be written, and its {outcome.count:,} records verify.")
    if isinstance(place, PostgresPlace):
        yield Finding(
            "log", "ok", "it lies in a database of its own; each record is on the server's disk before an answer."
        )
    else:
        yield _kept(place.absolute())
    if head is not None and _moment(head.timestamp) > dt.datetime.now(dt.UTC) + dt.timedelta(seconds=_APART):
        text = f"The last record is of {head.timestamp}, which is yet to come by this machine's clock."
        yield Finding("clock", "warning", f"{text} Set the clock, or find out who moved it.")


def _kept(path: Path) -> Finding:
    """Whether a file outlives the machine's next start."""
    kind = _file_system(path)
    separate = "it is a file of its own, apart from the source"
    if kind in _MEMORY:
        return Finding(
            "log", "failed", f"{separate}, and lies in memory ({kind}): it is gone when the machine restarts."
        )
    if kind in _NETWORK:
        text = f"{separate}, on a network drive ({kind}), where locks and what is on the disk are not certain."
        return Finding("log", "warning", text)
    if path.is_relative_to(Path(tempfile.gettempdir()).resolve()):
        text = f"{separate}, and lies in a folder for temporary files: set PROVENANCE_DB to a place that is backed up."
        return Finding("log", "warning", text)
    return Finding("log", "ok", f"{separate}; each record is on the disk before an answer leaves.")


def _file_system(path: Path) -> str:
    """The kind of file system a path lies on, where the system says (Linux); else empty."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return ""
    inside = [(len(fields[1]), fields[2]) for fields in mounts if len(fields) > 2 and _is_in(path, fields[1])]
    return max(inside, default=(0, ""))[1]


def _is_in(path: Path, mount: str) -> bool:
    return path.is_relative_to(mount.replace("\\040", " "))


def clock_finding(snapshot: Snapshot, *, before: dt.datetime, after: dt.datetime) -> Finding:
    """Whether a server's clock, by which a snapshot was taken between two readings of ours, tells our time."""
    taken = snapshot.taken_at
    apart = max((before - taken).total_seconds(), (taken - after).total_seconds(), 0.0)
    if apart > _APART:
        text = (
            f"The source's clock and this machine's are {apart:,.0f} s apart: records and snapshots would contradict."
        )
        return Finding("clock", "warning", f"{text} Set both by NTP.")
    return Finding("clock", "ok", "the source's clock and this machine's tell the same time.")


def _moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)
