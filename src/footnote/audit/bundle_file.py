"""Reading a bundle that somebody else made: nothing is unpacked, and nothing in it is trusted.

A zip file may name files outside of its folder, hold links, the same name twice, or a few kilobytes that become
terabytes. A bundle has nine names (`bundle.MEMBERS`), each at most once, as plain files of limited size; whatever else
stands in the file makes it none.
"""

from __future__ import annotations

import contextlib
import io
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError  # noqa: N812 - it is an error class

from footnote.audit.bundle import MEMBERS, POPULATION, PROOFS, RECORDS
from footnote.provenance.jsonstream import BrokenFile

MOST_SMALL: Final = 4 << 20
"""Bytes that a member may have which is read as a whole."""

MOST_LINE: Final = 100_000
"""Characters that a line of a member may have."""

MOST_RATIO: Final = 200
"""Times that a large member may be longer than it is packed: records have hashes and salts, which do not pack."""

_LARGE: Final = frozenset({RECORDS, PROOFS, POPULATION})
_ENCRYPTED: Final = 1
MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")


def is_zip(path: Path) -> bool:
    """Whether a file starts as a zip file does. Raises OSError if it cannot be read."""
    with path.open("rb") as file:
        return file.read(4) in MAGIC


@contextlib.contextmanager
def records_of(path: Path) -> Iterator[IO[str]]:
    """The records of an export, a plain one or a bundle, as a stream of text.

    Raises `BrokenFile` if it is a damaged bundle, OSError if it cannot be read.
    """
    if is_zip(path):
        with BundleFile(path) as file, file.text(RECORDS) as stream:
            yield stream
    else:
        with path.open(encoding="utf-8", newline="") as stream:
            yield stream


_OPENING: Final = (BadZipFile, NotImplementedError, RuntimeError, ValueError)
"""What zipfile raises for a damaged directory, a method it lacks, a password, a name that is no text."""


class BundleFile:
    """The members of a bundle, by name.

    Raises `BrokenFile` if the file is no bundle, and where a member is damaged. OSError if it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._zip = ZipFile(path)
        except _OPENING as error:
            raise BrokenFile(f"The file is damaged: it is no zip file ({error}).") from error
        try:
            self._members = _checked(self._zip.infolist())
        except BrokenFile:
            self._zip.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def text(self, name: str) -> IO[str]:
        """A member as a stream of text."""
        stream = io.BufferedReader(_Member(self._zip, self._members[name]))
        return io.TextIOWrapper(stream, encoding="utf-8", newline="")

    def lines(self, name: str) -> Iterator[str]:
        """The lines of a member, without their line feeds; none if it is not there."""
        if name not in self:
            return
        with self.text(name) as stream:
            while line := _readline(stream, name):
                if not line.endswith("\n"):
                    raise BrokenFile(f"The file is damaged: {name} is cut off, or has a line that is too long.")
                yield line[:-1]

    def read(self, name: str) -> bytes:
        """A small member as a whole; empty if it is not there."""
        if name not in self:
            return b""
        return _Member(self._zip, self._members[name]).readall()


class _Member(io.RawIOBase):
    """A member's bytes; what is wrong with them is a `BrokenFile`."""

    def __init__(self, archive: ZipFile, info: ZipInfo) -> None:
        super().__init__()
        self._name = info.filename
        try:
            self._stream = archive.open(info)
        except _OPENING as error:
            raise self._broken(error) from error

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # typeshed's Buffer is wider
        try:
            data = self._stream.read(len(buffer))
        except (BadZipFile, EOFError, ZlibError) as error:
            raise self._broken(error) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if hasattr(self, "_stream"):
            self._stream.close()
        super().close()

    def _broken(self, error: Exception) -> BrokenFile:
        return BrokenFile(f"The file is damaged: {self._name} cannot be unpacked ({error}).")


def _readline(stream: IO[str], name: str) -> str:
    try:
        return stream.readline(MOST_LINE)
    except UnicodeDecodeError as error:
        raise BrokenFile(f"The file is damaged: {name} is not UTF-8.") from error


def _checked(infos: list[ZipInfo]) -> dict[str, ZipInfo]:
    members: dict[str, ZipInfo] = {}
    for info in infos:
        name = info.filename
        if name not in MEMBERS or info.orig_filename != name:
            raise BrokenFile(f"The file is no bundle: it has {info.orig_filename[:80]!a}, which belongs to none.")
        if name in members:
            raise BrokenFile(f"The file is no bundle: it has {name} twice.")
        mode = info.external_attr >> 16
        if mode and stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
            raise BrokenFile(f"The file is no bundle: {name} is a link or no plain file.")
        if info.flag_bits & _ENCRYPTED or info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise BrokenFile(f"The file is no bundle: {name} is encrypted or packed in a way that bundles are not.")
        if name in _LARGE:
            if info.file_size > MOST_SMALL and info.file_size > MOST_RATIO * max(info.compress_size, 1):
                raise BrokenFile(f"The file is no bundle: {name} would unpack to {info.file_size:,} bytes.")
        elif info.file_size > MOST_SMALL:
            raise BrokenFile(f"The file is no bundle: {name} has {info.file_size:,} bytes.")
        members[name] = info
    if RECORDS not in members:
        raise BrokenFile(f"The file is no bundle: it has no {RECORDS}.")
    return members
