"""A folder as a corpus: which files belong to it, and what `corpus.yaml` says about them.

Hidden files are ignored and links are not followed; both are said. `corpus.yaml` has, under `files`, for paths or
patterns (`contracts/*.md`) a tier, the date from which they hold, and what they amend; a later entry adds to an earlier.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footnote.documents.profile import Stated, stated_in
from footnote.documents.store import FileState
from footnote.errors import Unreachable, UsageError

RULES = "corpus.yaml"
LEXICON = "lexicon.yaml"
_OWN = (RULES, LEXICON)
_KEYS = ("tier", "effective", "date", "amends", "title")
MOST_NAMED = 5


class CorpusError(UsageError):
    """A corpus that cannot be used as its `corpus.yaml` says."""

    code = "corpus"


@dataclass(frozen=True, slots=True)
class Listing:
    """What stands in a folder: the files to read, and in sentences what is left out."""

    files: tuple[FileState, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator says about files, by pattern, in order."""

    entries: tuple[tuple[str, Stated], ...] = ()

    def of(self, file: str) -> tuple[Stated, ...]:
        """What is said about a file, the most telling first: its own path, then later patterns before earlier ones."""
        exact = [stated for pattern, stated in self.entries if pattern == file]
        matched = [s for pattern, s in reversed(self.entries) if pattern != file and fnmatch.fnmatchcase(file, pattern)]
        return (*exact, *matched)


def listing(folder: Path, rules: Rules) -> Listing:
    """The files of a folder and its folders, in order of their paths.

    Raises:
        Unreachable: The folder is not there, or cannot be read.
    """
    if not folder.is_dir():
        raise Unreachable(
            f"There is no folder {folder}.",
            remedy="Name a folder of documents, in FOOTNOTE_DOCUMENTS or as the argument.",
        )
    walk = _Walk(folder, rules)
    walk.enter(folder, "")
    return Listing(tuple(sorted(walk.files, key=lambda state: state.path)), tuple(walk.problems()))


class _Walk:
    def __init__(self, folder: Path, rules: Rules) -> None:
        self.folder = folder
        self.rules = rules
        self.files: list[FileState] = []
        self.hidden: list[str] = []
        self.links: list[str] = []
        self.other: list[str] = []

    def enter(self, folder: Path, prefix: str) -> None:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            if not prefix:
                raise Unreachable(f"The folder {folder} cannot be read.", why=f"{error.strerror}.") from None
            self.other.append(f"{prefix} ({error.strerror})")
            return
        for entry in entries:
            self._take(entry, f"{prefix}{entry.name}")

    def _take(self, entry: os.DirEntry[str], path: str) -> None:
        if entry.name.startswith((".", "~$")):
            self.hidden.append(path)
        elif entry.is_symlink():
            self.links.append(path)
        elif not _is_text(path):
            self.other.append(f"{path.encode('utf-8', 'backslashreplace').decode()} (its name is no valid text)")
        elif entry.is_dir(follow_symlinks=False):
            self.enter(Path(entry.path), f"{path}/")
        elif path not in _OWN:
            self._file(entry, path)

    def _file(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            about = entry.stat(follow_symlinks=False)
        except OSError as error:
            self.other.append(f"{path} ({error.strerror})")
            return
        if not stat.S_ISREG(about.st_mode):
            self.other.append(f"{path} (no file)")
            return
        said = self.rules.of(path)
        stated = repr(said) if said else ""
        self.files.append(FileState(path, about.st_size, about.st_mtime_ns, "", stated))

    def problems(self) -> list[str]:
        out = []
        for said, names in (
            ("Hidden files are ignored", self.hidden),
            ("Links are not followed", self.links),
            ("These cannot be read", self.other),
        ):
            if names:
                more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
                out.append(f"{said}: {', '.join(names[:MOST_NAMED])}{more}.")
        return out


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def read_lexicon(folder: Path) -> str | None:
    """The text of `lexicon.yaml`; None if there is none.

    Raises:
        CorpusError: It cannot be read.
    """
    path = folder / LEXICON
    try:
        return path.read_text(encoding="utf-8-sig") if path.is_file() and not path.is_symlink() else None
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} cannot be read.", why=f"{error}.") from None


# --- corpus.yaml ------------------------------------------------------------------------------------------------------


def read_rules(folder: Path) -> Rules:
    """What `corpus.yaml` says; nothing if there is none.

    Raises:
        CorpusError: It cannot be used; names what is wrong.
    """
    import yaml

    path = folder / RULES
    try:
        if path.is_symlink() or not path.is_file():
            return Rules()
        text = path.read_text(encoding="utf-8-sig")
        value = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - builds texts, lists and mappings only
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} cannot be read.", why=f"{error}.") from None
    except yaml.YAMLError as error:
        raise CorpusError(f"{path} is not YAML.", why=f"{str(error).splitlines()[0]}.") from None
    if not value:
        return Rules()
    if not isinstance(value, dict) or set(value) - {"files"}:
        unknown = ", ".join(sorted(set(value) - {"files"})) if isinstance(value, dict) else "no mapping"
        raise CorpusError(
            f"{path} has a key that is not known: {unknown[:80]}.", remedy="Write `files:` with a line a pattern."
        )
    return Rules(tuple(_entries(value["files"], path)))


def _entries(files: Any, path: Path) -> Sequence[tuple[str, Stated]]:
    if not isinstance(files, dict):
        raise CorpusError(
            f"`files` in {path} is no mapping of patterns.", remedy="Write a line such as `contracts/*: {tier: 1}`."
        )
    out: list[tuple[str, Stated]] = []
    for pattern, said in files.items():
        if not isinstance(said, dict):
            raise CorpusError(
                f"{path}: {pattern!r} says nothing that can be used.", remedy="Write `{tier: 1}` behind it."
            )
        unknown = [key for key in said if key not in _KEYS]
        if unknown:
            raise CorpusError(
                f"{path}: {pattern!r} has the unknown key {unknown[0]!r}.", remedy=f"Keys are: {', '.join(_KEYS)}."
            )
        stated, problems = stated_in(said, RULES)
        if problems:
            raise CorpusError(f"{path}: {pattern!r}: {problems[0].removeprefix(RULES + ': ')}")
        out.append((str(pattern), stated))
    return out
