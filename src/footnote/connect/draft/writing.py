"""A draft into a file: proved to load before it is written, and never over one that is there."""

from __future__ import annotations

from pathlib import Path

from footnote.catalog.load import load_catalog
from footnote.connect.draft.drafting import Draft, Progress, Wishes, draft
from footnote.errors import Unreachable, UsageError
from footnote.sources.opening import open_source


def write_draft(
    url: str, output: Path, wishes: Wishes, *, progress: Progress | None = None, cache: Path | None = None
) -> Draft:
    """Draft a catalog over the database of a URL into a new file.

    Args:
        url: Of the source.
        output: The new file.
        wishes: What whoever asks says.
        progress: Told how many tables were read, of how many.
        cache: Folder for what is read from files; default: the user's own.

    Raises:
        UsageError: The file is there already, a wish cannot be fulfilled, or there is nothing to draft.
        SourceUnavailable: The database cannot be reached or read.
        Unreachable: The file cannot be written.
    """
    _require_new(output)
    source = open_source(url, time_zone=wishes.time_zone, cache=cache)
    try:
        made = draft(source, wishes, source.name, progress=progress)
    finally:
        source.close()
    load_catalog(made.text, environ={"DATABASE_URL": url}, file_name=str(output))
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(made.text)
    except FileExistsError:
        _require_new(output)
    except OSError as error:
        raise Unreachable(f"{output} cannot be written.", why=f"{error.strerror or error}.") from error
    return made


def _require_new(output: Path) -> None:
    if output.exists():
        raise UsageError(
            f"{output} is there already.", why="A draft never overwrites a file.", remedy="Name another one: --output."
        )
