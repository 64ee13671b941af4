"""What a login may do to a source beside reading it: the real control over whether anything can be written."""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Power:
    """Something that a login may do and a reader should not.

    Attributes:
        text: What it may do and by which grant, as a sentence.
        fix: SQL that takes it away, for an administrator; empty if there is none but another login.
    """

    text: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Privileges:
    """What a login may do.

    Attributes:
        login: Who is logged in, as the engine calls it.
        powers: What lets it write; none is right for a reader.
        unknown: What the engine does not tell or cannot enforce, as sentences.
    """

    login: str
    powers: tuple[Power, ...] = ()
    unknown: tuple[str, ...] = ()


def file_privileges(path: Path) -> Privileges:
    """What the operating system allows the user who runs this to do with a database that is a file.

    There is no login to look at: the engine opens the file read-only, and the file's mode is the second line.
    """
    user = _user()
    if not os.access(path, os.W_OK):
        return Privileges(user)
    said = f"The user {user} may write the file, which Footnote opens read-only."
    return Privileges(
        user,
        unknown=(f"{said} Run Footnote as a user who may not, or take the right to write away.",),
    )


def folder_privileges(path: Path) -> Privileges:
    """The same of a folder of files: its own mode, and that of each file in it."""
    user = _user()
    try:
        inside = [entry for entry in os.scandir(path) if entry.is_file(follow_symlinks=False)]
    except OSError:  # reading the folder says so
        inside = []
    places = ["the folder"] * os.access(path, os.W_OK)
    places += ["files in it"] * any(os.access(entry.path, os.W_OK) for entry in inside)
    if not places:
        return Privileges(user)
    said = f"The user {user} may write {' and '.join(places)}, which Footnote only reads."
    return Privileges(user, unknown=(f"{said} Run Footnote as a user who may not, or take the right to write away.",))


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a process without a name, as in some containers
        return f"user {os.geteuid()}"
