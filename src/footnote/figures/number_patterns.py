"""Whether one word states a number. The patterns are made from the tables of `number_words` at the first question."""

from __future__ import annotations

import re
from functools import lru_cache

from footnote.figures import number_words as table


def number_word(word: str, text: str, start: int) -> bool:
    """True if the folded `word`, which starts at `start` of the folded `text`, states a number."""
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
        return bool(_inside().search(word))
    return word in _plain_words() or bool(_anywhere().search(word)) or bool(_compounds().fullmatch(word))


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
    return frozenset(words - {"ones"})


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
