"""A question as tokens: words, numbers, symbols and quoted names, with their place in the text.

Everything but white space and punctuation becomes a token, so that the router can account for each of them. Words are
compared without case, accents and English plural endings; names are compared by whoever resolves them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from footnote.errors import ArgumentError

LONGEST = 2_000
"""Characters of a question; a longer text is a document, not a question."""

_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "»": "«", "‹": "›", "‘": "’"}
_APOSTROPHES = "'’"
_BOUND_SYMBOLS = "%‰#@*/\\&"  # punctuation to Unicode, but it means something
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th"})
_SPACES = "\t\n\r"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?(?![\w-])|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}(?![\w.-]*\w)")
_EXCLUDING = "!-"  # before a word, as search engines have it: "-Bergmann" is everything but Bergmann
_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

Kind = Literal["word", "number", "symbol", "quoted"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, symbol or quoted name of a question.

    Attributes:
        text: As written; what stands between the marks if quoted.
        start: First position in code points of the normalised question.
        end: Position after the last code point.
        bare: `text` without a possessive ending (`Bergmann` for `Bergmann's`).
        folded: Without case and accents.
        stem: `folded` without an English plural ending.
        kind: What it is; `number` if it has digits, of any script, and no letters.
    """

    text: str
    start: int
    end: int
    bare: str
    folded: str
    stem: str
    kind: Kind

    @property
    def capital(self) -> bool:
        """Whether it begins like a name."""
        return self.kind == "quoted" or self.text[:1].isupper()


def clean_question(question: str) -> str:
    """The question in Unicode normal form C.

    Raises:
        ArgumentError: It is empty, too long, or has characters that a text cannot have.
    """
    if len(question) > LONGEST:
        raise ArgumentError(
            f"The question has {len(question)} characters; at most {LONGEST} are read.",
            remedy="Ask one thing at a time, in a sentence.",
        )
    for place, character in enumerate(question):
        category = unicodedata.category(character)
        if category == "Cs":
            raise _bad_character(character, place, "It is half of a surrogate pair, so the text is not valid Unicode.")
        if (category == "Cc" and character not in _SPACES) or character in _OVERRIDES:
            raise _bad_character(character, place, "Control characters can make a text look like another one.")
    if not question.strip():
        raise ArgumentError("The question is empty.", remedy="Ask in a sentence, such as one of the examples.")
    return unicodedata.normalize("NFC", question)


def _bad_character(character: str, place: int, why: str) -> ArgumentError:
    return ArgumentError(
        f"The question has the character U+{ord(character):04X} at position {place}.",
        why=why,
        remedy="Ask without it.",
        details={"codePoint": f"U+{ord(character):04X}", "position": place},
    )


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """`text` without case, accents and typographic variants."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return plain.casefold().replace("’", "'")


@lru_cache(maxsize=4096)
def stem(folded: str) -> str:
    """An English word without its plural ending: `companies` -> `company`, `owes` -> `owe`, `boxes` -> `box`."""
    if len(folded) < 3 or folded.endswith(("ss", "us", "is")) or not folded.endswith("s"):
        return folded
    if folded.endswith("ies") and len(folded) > 4:
        return folded[:-3] + "y"
    if folded.endswith(("xes", "zes", "ches", "shes", "sses")):
        return folded[:-2]
    return folded[:-1]


def tokenise(text: str) -> tuple[Token, ...]:
    """The tokens of `text`, in order. Nothing but white space and punctuation is left out."""
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    place = 0
    while place < len(text):
        quoted = _quotation(text, place)
        if quoted is not None:
            yield _token(text, place + 1, quoted, "quoted")
            place = quoted + 1
        elif _in_word(text[place]):
            end = _word_end(text, place)
            yield _token(text, place, end, "number" if _is_number(text[place:end]) else "word")
            place = end
        else:
            if _is_symbol(text, place):
                yield _token(text, place, place + 1, "symbol")
            place += 1


def _is_symbol(text: str, place: int) -> bool:
    """Whether a character that is no word says something: a sign, a currency, an emoji, or a mark that excludes."""
    if text[place] in _BOUND_SYMBOLS or unicodedata.category(text[place])[0] == "S":
        return True
    begins = place == 0 or text[place - 1].isspace()
    return begins and text[place] in _EXCLUDING and place + 1 < len(text) and _in_word(text[place + 1])


def _quotation(text: str, place: int) -> int | None:
    """Where the quotation that opens at `place` closes, or None."""
    closing = _QUOTES.get(text[place])
    if closing is None:
        return None
    ends = [end for mark in closing if (end := text.find(mark, place + 1)) > 0]
    if not ends or not text[place + 1 : min(ends)].strip():
        return None
    return min(ends)


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


def _word_end(text: str, start: int) -> int:
    date = None if _continues(text, start) else _DATE.match(text, start)
    if date is not None:
        return date.end()
    end = start
    while end < len(text):
        inner = text[end] in _APOSTROPHES and end + 1 < len(text) and _in_word(text[end + 1])
        if not inner and not _in_word(text[end]):
            break
        end += 1
    return end


def _continues(text: str, start: int) -> bool:
    """Whether it goes on from a word before it, as in `INV-2026-08`."""
    return start > 1 and text[start - 1] in "-/." and _in_word(text[start - 2])


def _is_number(text: str) -> bool:
    """Digits of any script, and no letter among them: `3M` and `Q3` are words."""
    return any(unicodedata.category(c)[0] == "N" for c in text) and not any(c.isalpha() for c in text)


def _token(text: str, start: int, end: int, kind: Kind) -> Token:
    written = text[start:end]
    bare = written
    if kind != "quoted" and len(written) > 2 and written[-2] in _APOSTROPHES and written[-1] in "sS":
        bare = written[:-2]
    folded = fold(written)
    return Token(written, start, end, bare, folded, stem(folded), kind)
