"""Files that an auditor is given: whole or not there, never written over another one unasked, nor over a log or a key."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from footnote.errors import Unreachable, UsageError

IRREPLACEABLE: Final = ((b"SQLite format 3\0", "a database"), (b"-----BEGIN ", "a key"))
"""How files begin that no output replaces, and what they are: the log itself may be one of them."""


class ExportFailed(Unreachable):
    """An export cannot be written or read."""

    code = "export_failed"


@contextlib.contextmanager
def new_file(path: str | os.PathLike[str], *, overwrite: bool = False, mode: int = 0o600) -> Iterator[Path]:
    """A file beside `path` to be written, which becomes `path` once the block ends well, and vanishes if it does not.

    Raises `UsageError` if there is a file and `overwrite` is not said, or one that is a database or a key, whatever is
    said; `ExportFailed` if it cannot be written.
    """
    target = Path(path)
    _refuse_existing(target, overwrite)
    try:
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise _failed(target, error) from error
    part = Path(name)
    try:
        os.close(descriptor)
        yield part
        part.chmod(mode)
        _sync(part)
        _put(part, target, overwrite=overwrite)
    except OSError as error:
        raise _failed(target, error) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def write_export(
    path: str | os.PathLike[str], pieces: Iterable[str], *, overwrite: bool = False, mode: int = 0o600
) -> None:
    """Write pieces of text to `path`: all of it or nothing.

    Raises as `new_file`, and whatever making the pieces raises.
    """
    with new_file(path, overwrite=overwrite, mode=mode) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)


def digest_of(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file's bytes, 64 hex digits. Raises `ExportFailed` if it cannot be read."""
    digest = sha256()
    try:
        with Path(path).open("rb") as source:
            while piece := source.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise ExportFailed(f"The export {path} cannot be read.", why=f"{error.strerror or error}.") from error
    return digest.hexdigest()


def _refuse_existing(target: Path, overwrite: bool) -> None:
    if not target.exists() or target.is_dir():
        return
    what = _irreplaceable(target)
    if what:
        raise UsageError(
            f"{target} is {what}, and nothing is written over it.",
            remedy="Give another name; if it is not needed any more, remove it first.",
            details={"path": str(target)},
        )
    if not overwrite:
        raise UsageError(
            f"There is a file {target} already.",
            why="Nothing is written over another file unasked.",
            remedy="Give another name, or say --overwrite.",
            details={"path": str(target)},
        )


def _irreplaceable(target: Path) -> str:
    """What a file is that must not be replaced; empty for any other."""
    try:
        with target.open("rb") as file:
            begins = file.read(32)
    except OSError:
        return ""  # whatever it is, nobody said that it cannot be replaced
    return next((what for start, what in IRREPLACEABLE if begins.startswith(start)), "")


def _sync(part: Path) -> None:
    descriptor = os.open(part, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _put(part: Path, target: Path, *, overwrite: bool) -> None:
    if overwrite:
        part.replace(target)
        return
    try:
        os.link(part, target)  # unlike a rename, it fails if somebody made the file meanwhile
    except FileExistsError:
        _refuse_existing(target, overwrite)
        raise
    except OSError:  # a file system without links
        _refuse_existing(target, overwrite)
        part.replace(target)


def _failed(target: Path, error: OSError) -> ExportFailed:
    return ExportFailed(
        f"The export {target} cannot be written.",
        why=f"{error.strerror or error}.",
        remedy="Name a file in a folder that exists and can be written, on a disk with room.",
        details={"path": str(target)},
    )
