"""Small files that must not be half there: written beside, forced to the disk, then put in their place.

A rename is durable once the folder is forced to the disk too (POSIX; elsewhere folders cannot be).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Make `data` the content of `path`: all of it or what was there before, also when the power fails.

    Raises OSError if it cannot be written.
    """
    written = write_beside(path, data)
    try:
        written.replace(path)
    except BaseException:  # whatever it was, nothing is left lying about
        written.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_beside(path: Path, data: bytes) -> Path:
    """A new file in the folder of `path` that holds `data`, on the disk, for its owner alone (mode 0600).

    Raises OSError if it cannot be written.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:  # whatever it was, nothing is left lying about, least of all half a key
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def sync_folder(folder: Path) -> None:
    """Force to the disk which files a folder has. Raises OSError."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
