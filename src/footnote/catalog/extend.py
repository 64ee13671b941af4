"""A catalog that extends another: `extends: pack:odoo`, or the path of a file beside it.

Settings (`source`, `display`, `calendars` …) are merged key by key. What has a name (a record type, an entity, an operation,
an interpretation, a toolset) is taken over as a whole or replaced as a whole, so that nobody reads half of an operation
in one file and half in another; `name: null` leaves it out, also of the toolsets that are taken over. Everything keeps the file and line that it came from.
"""

from __future__ import annotations

from typing import Any

from footnote.catalog.document import Document
from footnote.catalog.place import LineMap, Path

NAMED = frozenset({"records", "entities", "operations", "interpretations", "toolsets"})
"""Sections of things with names."""
OWN = frozenset({"catalog", "version", "extends", "examples"})
"""What a catalog says of itself, and does not take over."""


def extended(own: Document, base: Document) -> Document:
    """`own` on top of `base`."""
    value = {key: dict(part) if isinstance(part, dict) else part for key, part in base.value.items() if key not in OWN}
    taken: set[Path] = set()
    """Paths whose values come from `own`, with all that stands below."""
    _merge(value, own.value, (), taken)
    gone = {str(path[1]) for path in taken if path[0] in {"operations", "interpretations"} and len(path) == 2}
    _leave_out(value, gone - _names(value), taken)
    lines = own.lines
    places = {path: place for path, place in base.lines.places.items() if not _within(path, taken)}
    texts = {path: place for path, place in base.lines.texts.items() if not _within(path, taken)}
    return Document(value, LineMap(lines.file, places | dict(lines.places), texts | dict(lines.texts)))


def _merge(into: dict[str, Any], own: dict[str, Any], path: Path, taken: set[Path]) -> None:
    for key, part in own.items():
        here = (*path, key)
        known = into.get(key)
        whole = bool(path) and path[0] in NAMED
        if isinstance(part, dict) and isinstance(known, dict) and not whole:
            into[key] = dict(known)
            _merge(into[key], part, here, taken)
        elif part is None and whole:
            into.pop(key, None)
            taken.add(here)
        else:
            into[key] = part
            taken.add(here)


def _names(value: dict[str, Any]) -> set[str]:
    sections = (value.get(name) for name in ("operations", "interpretations"))
    return {name for section in sections if isinstance(section, dict) for name in section}


def _leave_out(value: dict[str, Any], gone: set[str], taken: set[Path]) -> None:
    """Take names out of the toolsets that were taken over; one that is left with nothing goes as well."""
    toolsets = value.get("toolsets")
    if not gone or not isinstance(toolsets, dict):
        return
    for name, offered in list(toolsets.items()):
        if isinstance(offered, list) and not _within(("toolsets", name), taken):
            toolsets[name] = [tool for tool in offered if tool not in gone]
            if offered and not toolsets[name]:
                del toolsets[name]


def _within(path: Path, taken: set[Path]) -> bool:
    return any(path[:length] in taken for length in range(1, len(path) + 1))
