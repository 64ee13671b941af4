"""A text folded for comparing, with the way back to its positions.

Folding drops case, accents and what is invisible, and writes digits of any script in Latin ones, so that the same
sentence in another Unicode form or case is the same text. Fractions, raised digits and symbols stay as they are, because
½ is no digit. Pure.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_LETTERS = {"ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ł": "l", "Ł": "l", "ø": "o", "Ø": "o"}
_MARKS = (
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad", "-")
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and where its characters stand in the text given.

    Attributes:
        text: Small letters without accents.
        places: Position in the text given of each character; None if they are the same.
        length: Of the text given.
    """

    text: str
    places: tuple[int, ...] | None
    length: int

    def start(self, position: int) -> int:
        """Where the folded character at `position` stands in the text given."""
        if self.places is None:
            return position
        return self.places[position] if position < len(self.places) else self.length

    def end(self, position: int) -> int:
        """Where what ends before the folded `position` ends in the text given, accents that follow included."""
        if self.places is None:
            return position
        return self.places[position] if position < len(self.places) else self.length


def fold(text: str) -> Folded:
    """The text folded."""
    if text.isascii():
        return Folded(text.lower(), None, len(text))
    parts = [_folded(char) for char in text]
    folded = "".join(parts)
    if len(folded) == len(text) and all(len(part) == 1 for part in parts):
        return Folded(folded, None, len(text))
    places = tuple(place for place, part in enumerate(parts) for _ in part)
    return Folded(folded, places, len(text))


@lru_cache(maxsize=65536)
def fold_word(word: str) -> str:
    """A word folded."""
    return fold(word).text


@lru_cache(maxsize=16384)
def _folded(char: str) -> str:
    if char in _LETTERS:
        return _LETTERS[char]
    if char in _MARKS:
        return _MARKS[char]
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category in ("Mn", "Me", "Cf"):
        return ""
    if char.isspace():
        return "\n" if char in "\n\r\u2028\u2029" else " "
    if category[0] == "L":
        kept = (part for part in unicodedata.normalize("NFKD", char) if unicodedata.category(part) not in ("Mn", "Me"))
        return "".join(_LETTERS.get(part, part) for part in kept).lower()
    return char
