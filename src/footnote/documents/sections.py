"""Sections of a document: what they are called, and the passage that each one is. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.documents.units import Source, Unit

PATH = " › "
"""Between the headings of a section's path."""

_WORDS = re.compile(
    r"^(?:section|sec|clause|article|art|paragraph|para|par|schedule|abschnitt|ziffer|ziff|artikel|punkt|pkt|ust|"
    r"rozdział|paragraf|alinéa|chapitre|nr|no)\b\.?\s*|^§+\s*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^(\(?[\dA-Za-z]{1,4}(?:\.\d{1,3})*\)?)\.?(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Section:
    """A passage under one heading or one clause number.

    Attributes:
        path: Headings above it and its own, outermost first.
        start: Of its first unit, in code points.
        end: Behind its last one.
        page: Of its first unit.
        units: How many stand in it.
    """

    path: tuple[str, ...]
    start: int
    end: int
    page: int | None
    units: int

    @property
    def name(self) -> str:
        """Its path as text; it names the section."""
        return PATH.join(self.path)


def sections_of(source: Source) -> list[Section]:
    """All sections of a source, those inside others too, in reading order."""
    found: list[tuple[tuple[str, ...], list[Unit]]] = []
    open_: list[list[Unit]] = []
    before: tuple[str, ...] = ()
    for unit in source.units:
        path = unit.section
        shared = next(
            (at for at, (a, b) in enumerate(zip(before, path, strict=False)) if a != b), min(len(before), len(path))
        )
        del open_[shared:]
        for depth in range(shared, len(path)):
            open_.append([])
            found.append((path[: depth + 1], open_[depth]))
        for units in open_:
            units.append(unit)
        before = path
    return [
        Section(path, min(u.start for u in units), max(u.end for u in units), units[0].page, len(units))
        for path, units in found
    ]


def matching(sections: Sequence[Section], said: str) -> list[Section]:
    """The sections that a caller may mean by a path, a title or a number; exact ones first and alone."""
    wanted = _folded(said)
    ways: tuple[Callable[[Section], bool], ...] = (
        lambda s: _folded(s.name) == wanted,
        lambda s: _folded(s.path[-1]) == wanted,
        lambda s: _number(s.path[-1]) == _number(said) != "",
        lambda s: _title(s.path[-1]) == _title(said) != "",
        lambda s: bool(wanted) and wanted in _folded(s.path[-1]),
    )
    return next((found for way in ways if (found := [s for s in sections if way(s)])), [])


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold().strip(" .:")


def _number(text: str) -> str:
    """The number that a section's name begins with: "4.2" of "Section 4.2 Payment" and of "§ 4.2"."""
    match = _NUMBER.match(_WORDS.sub("", text.strip()))
    number = match[1].strip("().").casefold() if match else ""
    return number if any(c.isdigit() for c in number) or len(number) == 1 else ""


def _title(text: str) -> str:
    bare = _WORDS.sub("", text.strip())
    match = _NUMBER.match(bare)
    return _folded(bare[match.end() :] if match and _number(bare) else bare)
