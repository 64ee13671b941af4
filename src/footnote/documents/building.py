"""An index follows its folder: only what changed is read again, in one process at a time."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

from footnote.documents.folder import Listing, Rules
from footnote.documents.layout import Extract
from footnote.documents.profile import source_of
from footnote.documents.reading import LARGEST, sources_of_bytes
from footnote.documents.store import BATCH, FileState, IndexUnusable, Store
from footnote.documents.units import Source

Progress = Callable[[int, int, str], None]
"""Files done, files in all, the one that is next."""


@cache
def reader_version() -> str:
    """A digest of the code that reads documents: what other code has read is read again."""
    digest = hashlib.sha256()
    package = resources.files("footnote.documents")
    folders = [package, package / "readers"]
    files = sorted(
        (item for folder in folders for item in folder.iterdir() if item.name.endswith(".py")), key=lambda i: i.name
    )
    for item in files:
        digest.update(item.read_bytes())
    return digest.hexdigest()


def outdated(store: Store, listed: Listing) -> bool:
    """Whether anything in the folder is not as the index has it, by size and time."""
    known = {path: (state.size, state.changed, state.stated) for path, state in store.files().items()}
    return known != {state.path: (state.size, state.changed, state.stated) for state in listed.files}


def follow(store: Store, folder: Path, listed: Listing, rules: Rules, progress: Progress | None = None) -> int:
    """Read what is new or changed, and forget what is gone. How many files were read.

    Raises:
        IndexUnusable: The index cannot be written; it stays as it was before the last batch.
        ExtraMissing: A library that a reader needs is not installed.
    """
    with _alone(store.path):
        known = store.files()
        listed_paths = {state.path for state in listed.files}
        with store.writing():
            for path in known.keys() - listed_paths:
                store.remove(path)
        changed = [state for state in listed.files if _differs(known.get(state.path), state)]
        _read_all(store, folder, changed, known, rules, progress)
        if store.crowded():
            with store.writing():
                store.merge()
        return len(changed)


def _differs(known: FileState | None, now: FileState) -> bool:
    return known is None or (known.size, known.changed, known.stated) != (now.size, now.changed, now.stated)


def _read_all(
    store: Store,
    folder: Path,
    changed: list[FileState],
    known: dict[str, FileState],
    rules: Rules,
    progress: Progress | None,
) -> None:
    at = 0
    while at < len(changed):
        lists: dict[str, array[int]] = {}
        units = 0
        with store.writing():
            while at < len(changed) and units < BATCH:
                state = changed[at]
                if progress is not None:
                    progress(at, len(changed), state.path)
                units += _read_one(store, folder, state, known.get(state.path), rules, lists)
                at += 1
            store.add_lists(lists)
    if progress is not None:
        progress(len(changed), len(changed), "")


def _read_one(
    store: Store, folder: Path, state: FileState, known: FileState | None, rules: Rules, lists: dict[str, array[int]]
) -> int:
    """Read a file into the index; if only its time changed, that is noted. How many units it gave."""
    data, digest, problem = _bytes(folder / state.path, state.size)
    if known is not None and known.digest == digest and known.stated == state.stated and digest:
        store.note(replace(state, digest=digest))
        return 0
    store.remove(state.path)
    sources = list(_sources(state.path, data, problem, rules))
    store.note(replace(state, digest=digest))
    return sum(store.add(state.path, source, lists) for source in sources)


def _bytes(path: Path, size: int) -> tuple[bytes, str, str]:
    """Content and digest of a file, or why it cannot be read."""
    if size > LARGEST:
        return b"", "", f"The file has {size:,} bytes; at most {LARGEST:,} are read."
    try:
        data = path.read_bytes()
    except OSError as error:
        return b"", "", f"The file cannot be read: {error.strerror}."
    return data, hashlib.sha256(data).hexdigest(), ""


def _sources(path: str, data: bytes, problem: str, rules: Rules) -> Iterator[Source]:
    if problem:
        yield source_of(path, Extract("unknown", "", (), problems=(problem,)))
    else:
        yield from sources_of_bytes(path, data, rules.of)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process builds; the others wait and then find that nothing is left to do."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(f"{path}.lock", timeout=600):
            yield
    except Timeout:
        raise IndexUnusable(
            f"Another process has been building the index {path} for ten minutes.", remedy="Wait for it, or end it."
        ) from None
    except OSError as error:
        raise IndexUnusable(f"The index {path} cannot be locked.", why=f"{error.strerror}.") from None
