"""The latest checkpoint kept outside the log: in a folder, or at any URL that fsspec knows.

One file a log, `<log id>.checkpoint`, with mode 0600 where there are modes. It is replaced by compare-and-swap: only if
it still is what the writer compared its own with. In a folder a lock makes that exact, also between machines that share
the folder with its locks. Object stores have no such lock: the file is read again right before it is written and once
more after, so that two writers at the same moment leave the copy of one of them, and both copies are consistent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from footnote.errors import LogUnavailable, UsageError
from footnote.provenance.durable import replace_file
from footnote.provenance.lock import WriterLock


class Outside(Protocol):
    """A place for one log's latest checkpoint."""

    @property
    def name(self) -> str:
        """The place as it is shown: without user, password and options."""

    def read(self) -> bytes | None:
        """The signed checkpoint that is there, or None. Raises `LogUnavailable`."""

    def replace(self, old: bytes | None, new: bytes) -> bool:
        """Put `new` there if `old` still is what is there; False if it is not. Raises `LogUnavailable`."""


def outside_of(place: str, log: str) -> Outside:
    """The place that FOOTNOTE_CHECKPOINTS names, for the log with this id.

    Raises `UsageError` if it is a URL and fsspec is not installed, or does not know its kind.
    """
    if "://" in place:
        return _Url(place, log)
    return _Folder(Path(place).expanduser(), log)


class _Folder:
    def __init__(self, folder: Path, log: str) -> None:
        self._path = folder / f"{log}.checkpoint"

    @property
    def name(self) -> str:
        return str(self._path)

    def read(self) -> bytes | None:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unavailable(self.name, "read", error.strerror or "") from error

    def replace(self, old: bytes | None, new: bytes) -> bool:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = WriterLock(self._path.with_name(self._path.name + ".lock"))
            try:
                with lock.held(5):
                    if self.read() != old:
                        return False
                    replace_file(self._path, new)
                    return True
            finally:
                lock.close()
        except OSError as error:
            raise _unavailable(self.name, "written", error.strerror or "") from error


class _Url:
    def __init__(self, place: str, log: str) -> None:
        self._files, self._path, self.name = _opened(place)
        self._path = f"{self._path.rstrip('/')}/{log}.checkpoint"
        self.name = f"{self.name.rstrip('/')}/{log}.checkpoint"

    def read(self) -> bytes | None:
        try:
            self._files.invalidate_cache()
            data: bytes = self._files.cat_file(self._path)
        except FileNotFoundError:
            return None
        except Exception as error:  # noqa: BLE001 - each kind of store has errors of its own
            raise _unavailable(self.name, "read", type(error).__name__) from None
        return data

    def replace(self, old: bytes | None, new: bytes) -> bool:
        if self.read() != old:
            return False
        try:
            self._files.makedirs(self._files._parent(self._path), exist_ok=True)
            self._files.pipe_file(self._path, new)
        except Exception as error:  # noqa: BLE001 - as above
            raise _unavailable(self.name, "written", type(error).__name__) from None
        return self.read() == new


def _opened(place: str) -> tuple[Any, str, str]:
    """A file system, the path in it, and the place without what may be secret in it."""
    shown = place.split("?", maxsplit=1)[0]
    scheme, _, rest = shown.partition("://")
    shown = f"{scheme}://{rest.rpartition('@')[2]}"
    try:
        import fsspec  # type: ignore[import-untyped]  # it has no types
    except ModuleNotFoundError:
        raise UsageError(
            f"Checkpoints cannot be kept at {shown}.",
            why="That needs fsspec, which is not installed.",
            remedy="Install footnote-provenance[audit], or name a folder (FOOTNOTE_CHECKPOINTS).",
        ) from None
    try:
        files, path = fsspec.core.url_to_fs(place)
    except (ImportError, ValueError, TypeError) as error:
        raise UsageError(
            f"Checkpoints cannot be kept at {shown}.",
            why=f"{error}." if isinstance(error, ImportError) else "fsspec does not know this kind of place.",
            remedy="Name a folder, or a URL of a kind that is installed (FOOTNOTE_CHECKPOINTS).",
        ) from None
    return files, path, shown


def _unavailable(name: str, doing: str, why: str) -> LogUnavailable:
    return LogUnavailable(
        f"The checkpoint outside the log, {name}, cannot be {doing}.",
        why=f"{why}." if why else "",
        remedy="Check the place that FOOTNOTE_CHECKPOINTS names.",
    )
