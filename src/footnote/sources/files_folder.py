"""The files of a folder: found without following links, copied once, and known by a digest of the bytes copied.

What is read are the copies, so that a file which changes while it is read cannot become half of one state and half of
another. Whether anything changed since is seen from names, sizes and times; a file younger than `_YOUNG` seconds is read
again, since a change within one tick of the clock does not show.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from footnote.errors import SourceUnavailable
from footnote.sources.files_found import Unread

ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".xlsm")
_OLD_EXCEL = (".xls", ".xlsb", ".ods")
_YOUNG = 2.0
_BLOCK = 1 << 20
_MOST = 500


@dataclass(frozen=True, slots=True)
class Signature:
    """What a file looks like from outside."""

    size: int
    changed: int
    node: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Listing:
    """The folder as it looks.

    Attributes:
        files: That look like tables, by name, in the order of names.
        others: Everything else in it.
        settled: Whether every file is older than the clock's grain, so that the next change will show.
    """

    files: Mapping[str, Signature]
    others: tuple[Unread, ...]
    settled: bool


def look(folder: Path) -> Listing:
    """List a folder.

    Raises:
        SourceUnavailable: It is missing, no folder, may not be read, or holds too many files.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise _unreadable(folder, error) from None
    files: dict[str, Signature] = {}
    others: list[Unread] = []
    newest = 0
    for entry in entries:
        reason = _not_a_table(entry)
        if reason is not None:
            others.append(reason)
            continue
        stat = entry.stat(follow_symlinks=False)
        files[entry.name] = Signature(stat.st_size, stat.st_mtime_ns, (stat.st_dev, stat.st_ino))
        newest = max(newest, stat.st_mtime_ns, stat.st_ctime_ns)
    if len(files) > _MOST:
        raise SourceUnavailable(
            f"The folder {str(folder)!r} holds {len(files)} files with tables.",
            why=f"At most {_MOST} are read.",
            remedy="Name a folder with fewer, or one of its subfolders.",
        )
    return Listing(files, tuple(others), time.time_ns() - newest > _YOUNG * 1e9)


def _not_a_table(entry: os.DirEntry[str]) -> Unread | None:
    """Why an entry of the folder is not read, if it is not."""
    name, ending = entry.name, Path(entry.name).suffix.lower()
    if (
        not name.isprintable()
    ):  # control characters would act upon a terminal; bytes that are no UTF-8 can be kept nowhere
        shown = ascii(name)[1:-1]
        return Unread(
            shown, "Its name holds a line break, an invisible character, or is not UTF-8: rename it.", "failed"
        )
    if entry.is_symlink():
        return Unread(name, "It is a symbolic link, and links are not followed.", "failed")
    if entry.is_dir():
        return Unread(name, "It is a folder; folders within the folder are not read.", "skipped")
    if name.startswith((".", "~$")):
        return Unread(name, "It is hidden, or the lock of an open workbook.", "skipped")
    if ending in _OLD_EXCEL:
        return Unread(name, "This format of spreadsheets is not read: save it as .xlsx or .csv.", "failed")
    if ending not in ENDINGS:
        return Unread(name, f"It is no table: those end in {', '.join(ENDINGS)}.", "skipped")
    if not entry.is_file(follow_symlinks=False):
        return Unread(name, "It is no regular file.", "failed")
    return None


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a file.

    Attributes:
        path: Of the copy.
        digest: Of its bytes; if there is none, of why.
        unread: Why the file cannot be read, as a sentence; empty if it can.
    """

    path: Path
    digest: str
    unread: str = ""


def copied(folder: Path, name: str, target: Path) -> Copy:
    """Copy a file. A link that took its place meanwhile is not followed.

    Raises:
        OSError: The copy cannot be written.
    """
    digest = hashlib.sha256()
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(folder / name, flags)
    except OSError as error:
        why = f"Footnote's user cannot open it: {(error.strerror or str(error)).lower()}."
        return Copy(target, why, why)
    with os.fdopen(handle, "rb") as source, target.open("xb") as copy:
        while block := source.read(_BLOCK):
            digest.update(block)
            copy.write(block)
    return Copy(target, digest.hexdigest())


def _unreadable(folder: Path, error: OSError) -> SourceUnavailable:
    what = f"The folder {str(folder)!r} cannot be read."
    if isinstance(error, FileNotFoundError):
        return SourceUnavailable(what, why="There is no such folder.", remedy="Check the path in DATABASE_URL.")
    if isinstance(error, NotADirectoryError):
        return SourceUnavailable(what, why="It is a file.", remedy="Name the folder that it lies in.")
    if isinstance(error, PermissionError):
        return SourceUnavailable(
            what, why="Footnote's user may not read it.", remedy="Give read permission on the folder and its files."
        )
    return SourceUnavailable(what, why=f"{error.strerror or error}.")
