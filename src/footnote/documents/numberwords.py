"""Numerals in words, read as values: English, German, French and Polish. Data and one small grammar.

Words are folded (`folding`). An article is no number: German "ein", French "un" count only inside a compound. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

_EN_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_EN_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_DE_UNITS = (
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn "
    "achtzehn neunzehn"
).split()
_DE_TENS = "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig".split()
_FR_UNITS = (
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit "
    "dix-neuf"
).split()
_PL_UNITS = (
    "zero jeden dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec jedenascie dwanascie trzynascie czternascie "
    "pietnascie szesnascie siedemnascie osiemnascie dziewietnascie"
).split()
_PL_TENS = (
    "dwadziescia trzydziesci czterdziesci piecdziesiat szescdziesiat siedemdziesiat osiemdziesiat dziewiecdziesiat"
).split()
_PL_HUNDREDS = "sto dwiescie trzysta czterysta piecset szescset siedemset osiemset dziewiecset".split()

_PL_OTHERS: dict[int, str] = {
    1: "jedna jedno jednego jednej jednym",
    2: "dwie dwoch dwu dwom dwoma dwiema",
    3: "trzech trzem trzema",
    4: "czterech czterem czterema",
    5: "pieciu",
    6: "szesciu",
    7: "siedmiu",
    8: "osmiu",
    9: "dziewieciu",
    10: "dziesieciu",
    11: "jedenastu",
    12: "dwunastu",
    13: "trzynastu",
    14: "czternastu",
    15: "pietnastu",
    16: "szesnastu",
    17: "siedemnastu",
    18: "osiemnastu",
    19: "dziewietnastu",
    20: "dwudziestu",
    30: "trzydziestu",
    40: "czterdziestu",
    50: "piecdziesieciu",
    60: "szescdziesieciu",
    70: "siedemdziesieciu",
    80: "osiemdziesieciu",
    90: "dziewiecdziesieciu",
    100: "stu",
    200: "dwustu",
    300: "trzystu",
    400: "czterystu",
    500: "pieciuset",
    600: "szesciuset",
    700: "siedmiuset",
    800: "osmiuset",
    900: "dziewieciuset",
}

SCALES: dict[str, int] = (
    {"hundred": 100, "thousand": 1000, "thousands": 1000, "tausend": 1000, "mille": 1000, "dozen": 12}
    | dict.fromkeys("million millions mln mio millionen tysiecy".split(), 10**6)
    | dict.fromkeys(
        "billion billions milliarde milliarden milliard milliards miliard miliardy miliardow".split(), 10**9
    )
    | dict.fromkeys("milion miliony milionow miliona".split(), 10**6)
    | dict.fromkeys("tysiac tysiace tysiecy tysiaca".split(), 1000)
    | {"trillion": 10**12}
)
"""Scales in words. "Billion" is 10^9 here; German and French texts, where it is 10^12, are asked in `value_of`."""


def _english() -> dict[str, int]:
    words = {word: n for n, word in enumerate(_EN_UNITS)}
    return words | {word: 20 + 10 * n for n, word in enumerate(_EN_TENS)}


def _polish() -> dict[str, int]:
    words = {word: n for n, word in enumerate(_PL_UNITS)}
    words |= {word: 20 + 10 * n for n, word in enumerate(_PL_TENS)}
    words |= {word: 100 + 100 * n for n, word in enumerate(_PL_HUNDREDS)}
    for value, forms in _PL_OTHERS.items():
        words |= dict.fromkeys(forms.split(), value)
    return words


def _french() -> dict[str, int]:
    words = {word: n for n, word in enumerate(_FR_UNITS) if "-" not in word and word != "un"}
    tens = {"vingt": 20, "vingts": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60}
    return words | tens | {"septante": 70, "huitante": 80, "octante": 80, "nonante": 90, "cent": 100, "cents": 100}


def _german_below_hundred() -> dict[str, int]:
    words = {word: n for n, word in enumerate(_DE_UNITS)} | {"zwo": 2, "fuenf": 5, "zwoelf": 12, "fuenfzehn": 15}
    tens = {word: 20 + 10 * n for n, word in enumerate(_DE_TENS)} | {"fuenfzig": 50, "dreiszig": 30}
    units = {word: n for word, n in words.items() if 1 < n < 10} | {"ein": 1}
    words |= tens
    words |= {f"{unit}und{ten}": n + m for unit, n in units.items() for ten, m in tens.items()}
    return words


_GERMAN = _german_below_hundred()
_PLAIN: dict[str, dict[str, int]] = {"en": _english(), "pl": _polish(), "fr": _french(), "de": _GERMAN}
_GERMAN_COMPOUND = re.compile(
    r"(?:(?P<thousands>[a-z]*?)tausend)?(?:und)?(?:(?P<hundreds>[a-z]*?)hundert)?(?:und)?(?P<rest>[a-z]*)"
)
_JOINT = {"en": {"and", "-"}, "de": {"-"}, "fr": {"et", "-"}, "pl": {"-"}}


@lru_cache(maxsize=8192)
def word_value(word: str, language: str) -> int | None:
    """What one folded word states below a million, or None: "dreihundertfunfzig" is 350 in German."""
    value = _PLAIN.get(language, {}).get(word)
    if value is not None or language != "de" or len(word) > 60:
        return value
    match = _GERMAN_COMPOUND.fullmatch(word)
    if match is None or ("tausend" not in word and "hundert" not in word):
        return None
    total = 0
    for name, factor in (("thousands", 1000), ("hundreds", 100)):
        part = match[name]
        if part is not None:
            count = 1 if part in ("", "ein") else word_value(part, "de")
            if count is None:
                return None
            total += count * factor
    rest = match["rest"]
    value = 0 if not rest else _GERMAN.get(rest, 1 if rest == "ein" else None)
    return None if value is None else total + value


def read_words(words: list[str], language: str) -> tuple[int, int] | None:
    """The value of the longest numeral that `words` (folded, hyphens as words) start with, and how many they are.

    "forty", "-", "five", "thousand" is (45000, 4). None if the first word states no number.
    """
    total = current = 0
    last = 10**15
    used = 0
    for place, word in enumerate(words):
        if word in _JOINT.get(language, ()):
            if not used or place != used:
                break
            continue
        scale = _scale(word, language) if used else None
        if scale is not None:
            current, total = _scaled(current, total, scale)
            last = scale
        else:
            value = word_value(word, language)
            if value is None:
                value = _alone(word, language) if not used else _french_one(word, last, language)
            if value is None or (used and not _may_follow(last, current, value, language)):
                break
            current = _added(current, value, language)
            last = value
        used = place + 1
    return (total + current, used) if used else None


def _scale(word: str, language: str) -> int | None:
    if word in ("billion", "billions", "billionen") and language in ("de", "fr"):
        return None
    if word == "hundert" and language == "de":
        return 100
    return SCALES.get(word)


def _added(current: int, value: int, language: str) -> int:
    """French counts twenties and hundreds: "quatre vingt" is 80, "mille deux cents" 1200."""
    count = current % 100 if value == 20 else current % 1000
    return current - count + count * value if language == "fr" and value in (20, 100) and count else current + value


def _alone(word: str, language: str) -> int | None:
    """A scale that needs no count before it: "tysiac" is 1000."""
    return {"de": {"tausend": 1000, "hundert": 100}, "pl": {"tysiac": 1000}, "fr": {"mille": 1000}}.get(
        language, {}
    ).get(word)


def _french_one(word: str, last: int, language: str) -> int | None:
    return 1 if language == "fr" and word in ("un", "une") and last in (20, 30, 40, 50, 60, 70, 80, 90) else None


def _scaled(current: int, total: int, scale: int) -> tuple[int, int]:
    if scale == 100:
        return (current or 1) * 100, total
    return 0, total + (current or 1) * scale


def _may_follow(last: int, current: int, value: int, language: str) -> bool:
    """Whether `value` may stand behind `last` in one numeral: "twenty five", not "five twenty"."""
    if language == "fr":
        if value in (20, 100) and 1 < current % 100 < 10:
            return (current % 100 == 4 or value == 100) and last < 100
        return value < 20 and last in (10, 20, 60, 80, 100) if value >= 10 else last >= 10
    if last >= 100:
        return value < last
    return last >= 20 and 0 < value < 10
