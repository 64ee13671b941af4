"""The file with a log's private key (Ed25519): made on first use, for its owner alone, never beside the log by default.

Whoever has the key and the log can sign a log that never was, so the two belong apart: the key stays with the process
that signs, the log with its administrator. A file that others can read is refused, as ssh does. While a key is rotated
the next one lies beside it under `.next`, so that a crash leaves no record of a key that nobody has.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from footnote.errors import LogUnavailable, UsageError
from footnote.provenance.durable import sync_folder, write_beside

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PrivateKey: TypeAlias = "Ed25519PrivateKey"
"""A private key as it is kept here."""

NEXT: Final = ".next"
"""Added to the file's name: a key that is about to follow."""


def load_or_make(path: Path) -> PrivateKey:
    """The key in `path`; a new one is made, with its folder, if there is no file.

    Raises `UsageError` if others may read the file or it holds no such key, `LogUnavailable` if it cannot be had.
    """
    try:
        return load(path)
    except FileNotFoundError:
        return make(path)


def load(path: Path) -> PrivateKey:
    """The key in `path`. Raises as `load_or_make`, and FileNotFoundError if there is no file."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    with _said(path, "read"), path.open("rb") as file:
        _require_private(path, os.fstat(file.fileno()))
        data = file.read(10_000)
    try:
        key = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(
            f"{path} holds no Ed25519 private key without a passphrase.",
            remedy="Name another file (FOOTNOTE_KEY), or restore the key.",
        )
    return key


def make(path: Path) -> PrivateKey:
    """A new key in `path`; the one that is there already if another process was faster. Raises as `load_or_make`."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    with _said(path, "made"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        written = _written(path, Ed25519PrivateKey.generate())
        try:
            os.link(written, path)  # fails if there is one, and is never half there
        except FileExistsError:
            pass
        finally:
            written.unlink()
    return load(path)


def make_next(path: Path) -> PrivateKey:
    """A new key beside `path`, to follow the one there. Raises as `load_or_make`."""
    return load_or_make(path.with_name(path.name + NEXT))


def load_next(path: Path) -> PrivateKey | None:
    """The key that is about to follow, if there is one. Raises as `load_or_make`."""
    try:
        return load(path.with_name(path.name + NEXT))
    except FileNotFoundError:
        return None


def follow_up(path: Path) -> None:
    """Put the next key in the place of the one in `path`, which is gone then. Raises `LogUnavailable`."""
    with _said(path, "replaced"), contextlib.suppress(FileNotFoundError):
        path.with_name(path.name + NEXT).replace(path)
        sync_folder(path.parent)


def _written(path: Path, key: PrivateKey) -> Path:
    """A file of its own beside `path` with the key, on the disk."""
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return write_beside(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def _require_private(path: Path, status: os.stat_result) -> None:
    if os.name != "posix":
        return
    mode, folder = stat.S_IMODE(status.st_mode), path.parent.stat()
    if mode & 0o077:
        raise UsageError(
            f"The key {path} has mode {mode:04o}, so others may read or change it.",
            remedy=f"Run: chmod 600 {path}. If others had access, rotate the key too (footnote keys rotate).",
        )
    if folder.st_mode & 0o022 and not folder.st_mode & stat.S_ISVTX:
        raise UsageError(
            f"The folder {path.parent} of the key has mode {stat.S_IMODE(folder.st_mode):04o}.",
            why="Others may put another key there.",
            remedy=f"Run: chmod go-w {path.parent}, or name another place (FOOTNOTE_KEY).",
        )


@contextlib.contextmanager
def _said(path: Path, doing: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise LogUnavailable(
            f"The key {path} cannot be {doing}.",
            why=f"{error.strerror or error}.",
            remedy="Name a file in a folder that can be written (FOOTNOTE_KEY).",
        ) from error
