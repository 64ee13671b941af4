"""Text under construction: literal text and bound spans, then an answer's text and claims.

Whatever states a number in the finished text lies inside one claim, or the draft is refused: a fault of ours must not
leave as an answer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from footnote.answers.answer import Claim, Origin
from footnote.errors import UnboundFigure
from footnote.evidence import Definition, EvidenceSet
from footnote.figures import Span, find_numerals


def utf16_length(text: str) -> int:
    """Length in UTF-16 code units, as hosts in JavaScript count."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_slice(text: str, start: int, end: int) -> str:
    """The part of `text` between two positions in UTF-16 code units."""
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Bound:
    """A span of a draft, in code points, and what it is bound to."""

    start: int
    end: int
    evidence: tuple[str, ...]
    origin: Origin = "structured"
    result: str = ""
    figure: str = ""


@dataclass(slots=True)
class Draft:
    """Text that grows by literals and bound spans. `evidence` collects what the spans cite."""

    text: str = ""
    bound: list[Bound] = field(default_factory=list)
    evidence: EvidenceSet = field(default_factory=EvidenceSet)
    _defined: list[tuple[int, int, Definition]] = field(default_factory=list)

    def say(self, text: str, definition: Definition | None = None) -> None:
        """Add literal text; the numbers in it are bound to the catalog's `definition` that has them."""
        if definition is not None and text:
            self._defined.append((len(self.text), len(self.text) + len(text), definition))
        self.text += text

    def bind(
        self,
        text: str,
        evidence: Sequence[str],
        *,
        result: str = "",
        figure: str = "",
        origin: Origin = "structured",
    ) -> None:
        """Add text that is bound to evidence, as it can be shown on one line and read in one direction."""
        text = _shown(text)
        if text:
            self.bound.append(
                Bound(len(self.text), len(self.text) + len(text), tuple(evidence), origin, result, figure)
            )
            self.text += text
            if not text.isascii() and any(unicodedata.bidirectional(c) in ("R", "AL") for c in text):
                self.text += _LEFT_TO_RIGHT

    def mark_generated(self, start: int, end: int) -> None:
        """Mark a stretch of text, in code points, that nothing is bound to."""
        self.bound.append(Bound(start, end, (), "generated"))

    def position(self) -> int:
        """The length so far in UTF-16 code units."""
        return utf16_length(self.text)

    def finish(self) -> tuple[str, tuple[Claim, ...]]:
        """Text and claims, in order.

        Raises:
            UnboundFigure: Something in the text states a number that no claim covers, or a claim has no evidence.
        """
        _check_characters(self.text)
        numerals = find_numerals(self.text)
        self._bind_definitions(numerals)
        self.bound.sort(key=lambda b: b.start)
        self._check(numerals)
        return self.text, tuple(self._claims())

    def _bind_definitions(self, numerals: Sequence[Span]) -> None:
        """Bind numbers of literal text to the definition that brought them."""
        for numeral in numerals:
            if any(b.start < numeral.end and numeral.start < b.end for b in self.bound):
                continue
            for start, end, definition in self._defined:
                if start <= numeral.start and numeral.end <= end:
                    id = self.evidence.add(definition)
                    self.bound.append(Bound(numeral.start, numeral.end, (id,), result=definition.result))
                    break

    def _check(self, numerals: Sequence[Span]) -> None:
        for before, after in pairwise(self.bound):
            if after.start < before.end:
                raise _fault(self.text, before.start, after.end, "Two claims overlap.")
        for b in self.bound:
            if not b.evidence and b.origin != "generated":
                raise _fault(self.text, b.start, b.end, "The claim has no evidence.")
            missing = [id for id in b.evidence if not self._has(id, b.result)]
            if missing:
                raise _fault(self.text, b.start, b.end, f"Its evidence {missing[0]} is not there.")
        bound = [b for b in self.bound if b.origin != "generated"]
        for numeral in numerals:
            if not any(b.start <= numeral.start and numeral.end <= b.end for b in bound):
                raise _fault(self.text, numeral.start, numeral.end, "It states a number that no one claim covers.")

    def _has(self, id: str, result: str) -> bool:
        return self.evidence.get(id, result) is not None if result else id in self.evidence

    def _claims(self) -> Iterator[Claim]:
        position, start = 0, 0
        for b in self.bound:
            start += utf16_length(self.text[position : b.start])
            text = self.text[b.start : b.end]
            end = start + utf16_length(text)
            yield Claim(text, start, end, b.evidence, b.origin, b.result, b.figure)
            position, start = b.end, end


_LEFT_TO_RIGHT = "\u200e"
"""Put after a name that reads from right to left, or the figures that follow would be shown in another order."""

_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _shown(text: str) -> str:
    """A value without line breaks, which would make lines of its own, and characters that turn what follows round."""
    if text.isprintable():
        return text
    lines = " ".join(text.split()) if any(c in "\t\n\v\f\r\x85\u2028\u2029" for c in text) else text
    return "".join("\ufffd" if c in _TURNS or unicodedata.category(c) == "Cc" else c for c in lines)


def _check_characters(text: str) -> None:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise UnboundFigure(
            "The text has half of a surrogate pair.",
            why="It is not valid Unicode, so positions in it mean different things to different programs.",
            remedy="Correct the text or the record it comes from.",
        )


def _fault(text: str, start: int, end: int, why: str) -> UnboundFigure:
    return UnboundFigure(
        f"The answer was withheld because of “{text[start:end]}”.",
        why=why,
        remedy="Keep figures apart from each other and from numbers of the template, by a space or a word.",
        details={"start": start, "end": end},
    )
