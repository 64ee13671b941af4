"""Office files are ZIP packages: their parts, with limits against bombs."""

from __future__ import annotations

import io
import zipfile
import zlib

MOST_BYTES = 300_000_000
"""Of all parts together, unpacked."""

MOST_RATIO = 200
"""Unpacked to packed, for packages beyond `RATIO_FROM`."""

RATIO_FROM = 20_000_000


_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError)
"""How zipfile says that a part is damaged, needs a password, or is packed in a way it does not know."""


class Package:
    """The parts of an office file, by name."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.damaged: dict[str, None] = {}
        """Parts that are there and could not be read, in the order in which they were asked for."""

    def names(self) -> list[str]:
        """All parts."""
        return self._archive.namelist()

    def read(self, name: str) -> bytes | None:
        """A part; None if there is none, or if it is damaged, which `damaged` tells."""
        try:
            return self._archive.read(name)
        except KeyError:
            return None
        except _DAMAGED:
            self.damaged[name] = None
            return None


def open_package(data: bytes) -> tuple[Package | None, str]:
    """The package, or why it is not opened."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        return None, "The file is encrypted or in the format of Office before 2007."
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return None, "The file is damaged: it is no ZIP package."
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MOST_BYTES or (unpacked > RATIO_FROM and unpacked > MOST_RATIO * max(1, len(data))):
        return None, f"The file would unpack to {unpacked:,} bytes; it is not opened, since it may be a ZIP bomb."
    if any(part.flag_bits & 1 for part in parts):
        return None, "The file is encrypted."
    return Package(archive), ""
