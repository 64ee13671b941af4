"""Remembers which catalogs were found right, so that a second start need not parse their SQL again.

Only a cache: a file that cannot be read or written is ignored, and then the catalog is checked once more. An entry is
a digest of everything the check depends on (the file, the environment's values in it, the engines, the version of
sqlglot, and the checks themselves by size and time of their files), so there is nothing to invalidate, and nothing to
read from it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import uuid
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_MOST = 200


class CheckedCache:
    """A small JSON file of digests.

    Args:
        folder: Where the file is; default: the user's cache folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def holds(self, fingerprint: str, engines: Sequence[str]) -> bool:
        """Whether this catalog was found right before, by this version, for these engines."""
        return _key(fingerprint, engines) in self._entries()

    def add(self, fingerprint: str, engines: Sequence[str]) -> None:
        """Remember that it was found right. A failure to write is ignored."""
        key = _key(fingerprint, engines)
        entries = [entry for entry in self._entries() if entry != key][-(_MOST - 1) :]
        with contextlib.suppress(OSError):
            self._write(json.dumps({"checked": [*entries, key]}))

    def _path(self) -> Path:
        if self._folder is None:
            import platformdirs

            self._folder = platformdirs.user_cache_path("footnote")
        return self._folder / "checked-catalogs.json"

    def _entries(self) -> list[str]:
        try:
            content = json.loads(self._path().read_text("utf-8"))
        except (OSError, ValueError, RecursionError):  # ValueError: not JSON, not UTF-8
            return []
        known = content.get("checked") if isinstance(content, dict) else None
        return [entry for entry in known if isinstance(entry, str)] if isinstance(known, list) else []

    def _write(self, text: str) -> None:
        path = self._path()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(temporary).replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise


def _key(fingerprint: str, engines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join((_checks(), *engines, fingerprint)).encode()).hexdigest()


@lru_cache(maxsize=1)
def _checks() -> str:
    """What the result of a check depends on beside the catalog: versions, and the code that checks."""
    with contextlib.suppress(OSError):
        states = ((file.name, file.stat()) for file in sorted(Path(__file__).parent.glob("*.py")))
        files = [f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states]
        return "\n".join((_version("footnote-provenance"), _version("sqlglot"), *files))
    return uuid.uuid4().hex  # the code cannot be seen: remember nothing beyond this process


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from a source tree that was not installed
        return "unknown"
