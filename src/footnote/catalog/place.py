"""Where things stand in a catalog file, so that every error names a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Path = tuple[str | int, ...]
"""Where a value stands: keys and list positions from the root."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file (from 1); `literal` is true where the lines of a text are lines of the file."""

    file: str
    line: int
    literal: bool = False

    def at(self, text_line: int) -> Place:
        """The place of the `text_line`-th line (from 1) of the text that starts here."""
        return Place(self.file, self.line + text_line - 1) if self.literal and text_line > 0 else self


@dataclass(frozen=True, slots=True)
class LineMap:
    """Where each value stands; in several files, if the catalog extends another.

    Attributes:
        file: The catalog's own file.
        places: The place of the key of each value.
        texts: Where each text itself starts.
    """

    file: str
    places: Mapping[Path, Place] = field(default_factory=dict)
    texts: Mapping[Path, Place] = field(default_factory=dict)

    def line(self, *path: str | int) -> int:
        """The line of the value at `path`, or of the nearest value around it."""
        return self.place(*path).line

    def place(self, *path: str | int) -> Place:
        """`line` with its file."""
        for end in range(len(path), -1, -1):
            if (place := self.places.get(path[:end])) is not None:
                return place
        return Place(self.file, 1)

    def text(self, *path: str | int) -> Place:
        """The place where the text at `path` starts, so that an error inside it can name its own line."""
        return self.texts.get(path) or self.place(*path)
