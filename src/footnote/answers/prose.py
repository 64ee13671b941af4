"""A caller's prose: its slots, the names in it that results know, and its sentences.

A slot is `{result.address}` or `{result.address:one|other}`; `{{` and `}}` are braces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from footnote.answers.cited import Cited
from footnote.errors import ArgumentError, UnboundFigure
from footnote.evidence import Evidence, Row

LONGEST = 20_000
"""Characters of a caller's text."""

_PIECE = re.compile(r"\{\{|\}\}|\{|\}")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)|\n+")
_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class ProseSlot:
    """A slot as written: result id, address, plural forms, and the position of its brace in code points."""

    written: str
    result: str
    address: str
    plural_forms: tuple[str, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Label:
    """A name that results know: a record's label, and the row that has it."""

    text: str
    row: Evidence
    result: str


def check_prose(text: str) -> None:
    """Refuse what cannot be shown as it is read.

    Raises:
        ArgumentError: The text is empty, too long, or has characters that a text cannot have.
    """
    if not text.strip():
        raise ArgumentError("The text is empty.", remedy="Give prose with slots such as {a1b2c3d4e5f6.totals.total}.")
    if len(text) > LONGEST:
        raise ArgumentError(f"The text has {len(text)} characters; at most {LONGEST} are read.")
    for place, character in enumerate(text):
        category = unicodedata.category(character)
        bad = category == "Cs" or (category == "Cc" and character not in "\n\t\r") or character in _OVERRIDES
        if bad:
            raise ArgumentError(
                f"The text has the character U+{ord(character):04X} at position {place}.",
                why="It cannot be shown, or makes a text look like another one.",
                remedy="Write without it.",
            )


def parse_prose(text: str) -> tuple[str | ProseSlot, ...]:
    """Literal texts and slots, in order.

    Raises:
        UnboundFigure: A brace has no partner, or a slot is not `{result.address}`.
    """
    parts: list[str | ProseSlot] = []
    literal, end = "", 0
    while match := _PIECE.search(text, end):
        literal += text[end : match.start()]
        end = match.end()
        if match.group() in ("{{", "}}"):
            literal += match.group()[0]
            continue
        close = text.find("}", end)
        if match.group() == "}" or close < 0:
            raise _bad_slot(text[match.start() : match.start() + 30], match.start(), "A brace has no partner.")
        parts += [literal] if literal else []
        parts.append(_slot(text[end:close], match.start()))
        literal, end = "", close + 1
    literal += text[end:]
    return (*parts, literal) if literal else tuple(parts)


def _slot(inner: str, position: int) -> ProseSlot:
    name, colon, forms = inner.strip().partition(":")
    result, dot, address = name.partition(".")
    words = tuple(forms.split("|")) if colon else ()
    if not (result and dot and address) or (colon and len(words) not in (2, 4)):
        raise _bad_slot("{" + inner[:60] + "}", position, "It is not {result.address} or {result.address:one|other}.")
    return ProseSlot(name, result, address, words, position)


def _bad_slot(written: str, position: int, why: str) -> UnboundFigure:
    return UnboundFigure(
        f"The slot {written!r} cannot be read.",
        why=why,
        remedy="Write {result.address} with an address that the result lists; write {{ for a brace.",
        details={"position": position},
    )


def labels_of(results: Iterable[Cited]) -> tuple[Label, ...]:
    """Names that may stand in prose, longest first. A name that two records have is nobody's."""
    found: dict[str, dict[str, Label]] = {}
    for cited in results:
        named = [(e.label, cited.known.get(e.evidence_id, cited.result.id)) for e in cited.result.entities]
        rows = [(item.label, item) for item in cited.known if isinstance(item, Row)]
        for text, row in (*named, *rows):
            if row is not None and sum(character.isalpha() for character in text) >= 3:
                found.setdefault(text, {}).setdefault(row.id, Label(text, row, cited.result.id))
    alone = [next(iter(rows.values())) for rows in found.values() if len(rows) == 1]
    return tuple(sorted(alone, key=lambda label: -len(label.text)))


def find_labels(text: str, labels: Sequence[Label]) -> Iterator[tuple[int, int, Label]]:
    """Where labels stand in `text` on word borders, in order; where two could, the longer one."""
    taken: list[tuple[int, int, Label]] = []
    for label in labels:
        if label.text not in text:  # a pattern for each of thousands of names would take seconds
            continue
        for match in re.finditer(re.escape(label.text), text):
            start, end = match.span()
            apart = all(end <= a or b <= start for a, b, _ in taken)
            if apart and on_borders(text, start, end):
                taken.append((start, end, label))
    return iter(sorted(taken, key=lambda item: item[0]))


def on_borders(text: str, start: int, end: int) -> bool:
    """Whether the span is not part of a longer word or number."""
    before, after = text[start - 1 : start], text[end : end + 1]
    joined_before = _in_word(before) and _in_word(text[start])
    joined_after = _in_word(after) and _in_word(text[end - 1])
    hyphen_before = before in ("-", "/") and _in_word(text[start - 2 : start - 1])
    hyphen_after = after in ("-", "/") and _in_word(text[end + 1 : end + 2])
    return not (joined_before or joined_after or hyphen_before or hyphen_after)


def _in_word(character: str) -> bool:
    return bool(character) and (character.isalnum() or character == "_")


def sentences(text: str, kept: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans of sentences and lines, without the space around them; none ends inside a span of `kept`."""
    start = 0
    ends = [m.end() for m in _SENTENCE_END.finditer(text) if not any(a < m.end() < b for a, b in kept)]
    for end in (*ends, len(text)):
        part = text[start:end]
        first = start + len(part) - len(part.lstrip())
        last = start + len(part.rstrip())
        if any(character.isalnum() for character in part):
            yield first, last
        start = end
