"""Numbers that DOCX keeps out of its text: "4.2" before a clause is a counter, as ECMA-376 17.9 defines it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    format: str
    text: str


@dataclass(slots=True)
class _List:
    levels: dict[int, _Level]
    counts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts the numbered paragraphs of a document, in order."""

    def __init__(self, numbering: Any, styles: Any) -> None:
        self._lists: dict[str, _List] = {}
        self._by_style: dict[str, tuple[str, int]] = {}
        if numbering is not None:
            self._read(numbering)
        for style in styles.iter(f"{W}style") if styles is not None else ():
            if (place := _place(style)) is not None:
                self._by_style[style.get(f"{W}styleId") or ""] = place

    def _read(self, numbering: Any) -> None:
        abstract = {
            item.get(f"{W}abstractNumId") or "": {
                int(level.get(f"{W}ilvl") or 0): _level(level) for level in item.iterchildren(f"{W}lvl")
            }
            for item in numbering.iterchildren(f"{W}abstractNum")
        }
        shared: dict[str, _List] = {}
        for item in numbering.iterchildren(f"{W}num"):
            of = item.find(f"{W}abstractNumId")
            name = (of.get(f"{W}val") or "") if of is not None else ""
            if name in abstract:
                own = _List(abstract[name]) if item.find(f"{W}lvlOverride") is not None else None
                self._lists[item.get(f"{W}numId") or ""] = own or shared.setdefault(name, _List(abstract[name]))

    def of(self, paragraph: Any) -> str:
        """The number before a paragraph ("4.2", "(a)", "•"); empty if it has none."""
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        place = _place(paragraph)
        if place is None and style is not None:
            place = self._by_style.get(style.get(f"{W}val") or "")
        numbers = self._lists.get(place[0]) if place is not None else None
        if place is None or numbers is None or place[1] not in numbers.levels:
            return ""
        return _counted(numbers, place[1])


def _place(element: Any) -> tuple[str, int] | None:
    number = element.find(f"{W}pPr/{W}numPr/{W}numId")
    level = element.find(f"{W}pPr/{W}numPr/{W}ilvl")
    if number is None:
        return None
    depth = level.get(f"{W}val") or "0" if level is not None else "0"
    return number.get(f"{W}val") or "", int(depth) if depth.isdigit() else 0


def _level(level: Any) -> _Level:
    def value(name: str, default: str) -> str:
        found = level.find(f"{W}{name}")
        return (found.get(f"{W}val") or default) if found is not None else default

    start = value("start", "1")
    return _Level(int(start) if start.isdigit() else 1, value("numFmt", "decimal"), value("lvlText", ""))


def _counted(numbers: _List, depth: int) -> str:
    level = numbers.levels[depth]
    if level.format == "bullet":
        return "•"
    if level.format == "none":
        return ""
    numbers.counts[depth] = numbers.counts.get(depth, level.start - 1) + 1
    for deeper in [key for key in numbers.counts if key > depth]:
        del numbers.counts[deeper]

    def said(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        of = numbers.levels.get(at)
        return _written(numbers.counts.get(at, of.start if of else 1), of.format if of else "decimal")

    return re.sub(r"%(\d)", said, level.text).strip()


def _written(number: int, format: str) -> str:
    if format in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if format == "upperLetter" else letter
    if format in ("lowerRoman", "upperRoman"):
        out = ""
        for value, sign in _ROMAN:
            while number >= value:
                out, number = out + sign, number - value
        return out.upper() if format == "upperRoman" else out
    return f"{number:02d}" if format == "decimalZero" else str(number)
