"""Whether one word states a number. The patterns are made from the tables of `number_words` at the first question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from footnote.figures import european_words
from footnote.figures import number_words as table
from footnote.figures.european_words import NumberWords

_State = tuple[int, bool, bool]
"""How many parts were read, two for more; whether a ten or larger was among them; whether a joint was the last."""


def number_word(word: str, text: str, start: int) -> bool:
    """True if the folded `word`, which starts at `start` of the folded `text`, states a number."""
    if word == "grand":
        return bool(_before_grand().search(text, max(0, start - 12), start))
    if len(word) < 2 or not _states_number(word):
        return False
    return not (word == "cent" and _before_cent().search(text, max(0, start - 8), start))


def one_after_number(text: str, start: int, end: int) -> int:
    """Where the numeral from `start` to `end` ends if a French "un" belongs to it, as in vingt et un; else `end`."""
    tail = _one().match(text, end)
    return tail.end() if tail and _takes_one().search(text, start, end) else end


@lru_cache(maxsize=16384)
def _states_number(word: str) -> bool:
    if len(word) > 200:  # no word of any language, so whatever it hides anywhere counts
        return bool(_inside().search(word) or _inside_european().search(word))
    if word in _plain_words() or _anywhere().search(word) or _compounds().fullmatch(word):
        return True
    if not _start().match(word) or not _gate().search(word) or word in _left_out():
        return False
    if len(word) > _LONGEST_NUMBER:
        return bool(_inside_european().search(word))
    return any(parts.make(word) for parts in _all_parts())


_LONGEST_NUMBER = 60
"""Letters; 999,999 has 44 in Italian. A longer word hides something: it counts if a ten or larger is in it."""


@lru_cache(maxsize=1)
def _inside_european() -> re.Pattern[str]:
    return re.compile(_any([part for parts in _all_parts() for part in parts.large if len(part) > 4]))


@lru_cache(maxsize=1)
def _plain_words() -> frozenset[str]:
    words: set[str] = set(table.ABBREVIATIONS)
    words |= set(table.ENGLISH_WORDS) | set(table.ENGLISH_CARDINALS) | set(table.ENGLISH_ORDINALS)
    words |= set(table.GERMAN_WORDS) | set(table.GERMAN_NUMERALS)
    words |= set(table.FRENCH_WORDS) | set(table.FRENCH_NUMERALS)
    words |= set(table.POLISH_WORDS) | set(table.POLISH_HUNDREDS) | set(table.POLISH_HUNDREDS_INFLECTED)
    for teen in table.POLISH_TEENS:
        words |= {teen, teen.removesuffix("scie") + "stu", teen.removesuffix("scie") + "stoma"}
    for ten in table.POLISH_TENS:
        words |= {ten, ten.removesuffix("at") + "eciu", ten.removesuffix("at") + "ecioma"}
    return frozenset(words - {"ones"} | _european_words())


def _european_words() -> set[str]:
    words: set[str] = set()
    for language in european_words.ALL:
        words.update(f"{language.units} {language.tens} {language.scales} {language.others}".split())
    return words - _left_out() - _STEMS


@lru_cache(maxsize=1)
def _left_out() -> frozenset[str]:
    return frozenset(" ".join(european_words.LEFT_OUT.values()).split())


_STEMS = set("vent trent quarant cinquant sessant settant ottant novant tizen huszon ogtres ogfirs".split())
"""Parts of compounds that are no words by themselves; Trent and Trento are places."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the compounds of one language are made of."""

    parts: frozenset[str]
    large: frozenset[str]
    joints: frozenset[str]
    tails: frozenset[str]
    longest: int

    @staticmethod
    def of(language: NumberWords) -> _Parts:
        large = frozenset(f"{language.tens} {language.scales}".split())
        parts = large | set(language.units.split())
        longest = max(map(len, parts))
        return _Parts(parts, large, frozenset(language.joints.split()), frozenset(language.tails.split()), longest)

    def make(self, word: str) -> bool:
        """True if `word` is two parts or more, one of them a ten or larger, in time linear in its length."""
        states: list[set[_State]] = [set() for _ in range(len(word) + 1)]
        states[0].add((0, False, False))
        for start, reached in enumerate(states[:-1]):
            for count, has_large, joined in reached:
                if has_large and not joined and start > 3 and word[start:] in self.tails:
                    return True
                for end in range(start + 1, min(start + self.longest, len(word)) + 1):
                    piece = word[start:end]
                    if piece in self.parts:
                        states[end].add((min(count + 1, 2), has_large or piece in self.large, False))
                    if count and not joined and piece in self.joints:
                        states[end].add((count, has_large, True))
        return (2, True, False) in states[-1]


@lru_cache(maxsize=1)
def _all_parts() -> tuple[_Parts, ...]:
    return tuple(map(_Parts.of, european_words.ALL))


@lru_cache(maxsize=1)
def _start() -> re.Pattern[str]:
    """What a compound begins with."""
    return re.compile(_any(list(set().union(*(parts.parts for parts in _all_parts())))))


@lru_cache(maxsize=1)
def _gate() -> re.Pattern[str]:
    """What a compound has one of."""
    return re.compile(_any(list(set().union(*(parts.large for parts in _all_parts())))))


@lru_cache(maxsize=1)
def _anywhere() -> re.Pattern[str]:
    return re.compile("|".join(table.ANYWHERE))


@lru_cache(maxsize=1)
def _inside() -> re.Pattern[str]:
    words = [*table.ENGLISH_CARDINALS, *table.GERMAN_NUMERALS, *table.FRENCH_NUMERALS, *table.POLISH_WORDS]
    return re.compile(_any([word for word in words if len(word) > 2] + table.ANYWHERE))


@lru_cache(maxsize=1)
def _compounds() -> re.Pattern[str]:
    english = _any(table.ENGLISH_ORDINALS + table.ENGLISH_CARDINALS)
    german = f"{_any(table.GERMAN_NUMERALS)}|{table.GERMAN_ZWO}"
    filler = _any(table.GERMAN_FILLERS)
    german_number = f"(?:{filler})*(?:{german})(?:{filler}|{german})*"
    german_ordinal = _any(table.GERMAN_ORDINAL_STEMS)
    french = _any(table.FRENCH_NUMERALS)
    return re.compile(
        "|".join(
            (
                f"(?!ones$)(?:{english})(?:and|{english})*{table.ENGLISH_TAIL}",
                f"(?:ver)?{german_number}{table.GERMAN_TAIL}",
                f"(?:{filler}|{german})*(?:{german_ordinal}){table.GERMAN_ORDINAL_TAIL}",
                f"(?:{filler})(?:halb|tag|taeg|jahr|jaehr|monat|stund|stuend|woch|woech|stell)[a-z]+",
                "(?:ein|und)+(?:ein|eins|halb)",
                f"(?:{french})(?:et|une?|{french})*",
                f"(?:et|{french})*(?:{_any(table.FRENCH_ORDINAL_STEMS)})ieme(?:s|ment)?",
                f"(?:{_any(table.POLISH_SCALES)}){table.POLISH_SCALE_TAIL}",
                f"(?:{_any(table.POLISH_ORDINAL_STEMS)}){table.POLISH_ORDINAL_TAIL}",
                f"{table.POLISH_PREFIXES}{table.POLISH_PREFIXED}",
            )
        )
    )


def as_written(text: str) -> Iterator[tuple[int, int]]:
    """Where a text as it was given has words that state a number only with, or only without, their accents."""
    if not text.isascii() or "tres" in text.lower():
        for match in _as_written().finditer(text):
            yield match.span()


@lru_cache(maxsize=1)
def _as_written() -> re.Pattern[str]:
    words = european_words.ONLY_AS_WRITTEN.split()
    spellings = {normalize(form, word) for word in words for form in ("NFC", "NFD")}
    return re.compile(rf"(?<![^\W_])(?:{_any(list(spellings))})(?![^\W_]|[\u0300-\u036f])", re.IGNORECASE)


@lru_cache(maxsize=1)
def _before_grand() -> re.Pattern[str]:
    return re.compile(table.BEFORE_GRAND + r"[\s-]{1,3}$")


@lru_cache(maxsize=1)
def _before_cent() -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_]){table.PERCENT_BEFORE_CENT}[\s-]+$")


@lru_cache(maxsize=1)
def _one() -> re.Pattern[str]:
    return re.compile(r"(?:[\s-]{1,3}et)?[\s-]{1,3}une?(?![^\W_])")


@lru_cache(maxsize=1)
def _takes_one() -> re.Pattern[str]:
    return re.compile(table.FRENCH_AFTER_ONE + r"\Z")


def _any(words: list[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))
