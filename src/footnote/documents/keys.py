"""Keys under which units are found: stems of words, digits of numbers, identifiers. They find candidates, decide nothing.

Keys are the same for all languages, so that no language has to be guessed: a word is folded (case, diacritics), loses
its inflected ending and keeps its first five letters; a number keeps its digits without grouping, decimal mark and outer
zeros, so that `2.5m`, `2,500,000` and `2.500.000,00` meet. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TOKEN = re.compile(r"\d[\d.,'’\u00a0\u202f]*(?=[^\W\d_]?)|[^\W_]+")
_MIXED = re.compile(r"[^\W_]+(?:[-/.#][^\W_]+)+|[^\W\d_]+\d[^\W_]*|\d+[^\W\d_]{1,3}\d[^\W_]*")
_DIGIT = re.compile(r"\d")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STEM = 5
_ENDINGS = "aeiouynsm"

STOP_WORDS = frozenset(
    """
    a an the of to in on at by for with from as is are was were be been being it its this that these those and or not no
    nor but if then than so such any all each every both either neither which who whom whose what when where how there
    here has have had do does did will would shall should may might can could must into over under up out about upon per
    he she they we you i his her their our your my me him them us also only other same s t
    der die das den dem des ein eine einer einem einen eines und oder nicht kein keine ist sind war waren wird werden
    wurde wurden sein hat haben hatte im am an auf aus bei mit nach von vom zu zum zur fur als auch es er sie wir ihr
    sich dass wenn so wie nur noch uber unter vor durch um bis ab
    le la les l un une des du de d et ou ne pas est sont etait etaient sera seront a au aux en dans par pour sur avec sans
    ce cet cette ces qui que qu dont il elle ils elles on se s son sa ses leur leurs n y
    i w z na do od po za o u oraz lub nie jest sa byl byla bylo byly bedzie byc sie to ten ta te tej tego tym tych ktory
    ktora ktore przez przy dla jak jako ze co czy bez
    """.split()
)


def keys_of(text: str) -> tuple[str, ...]:
    """The distinct keys of a text; function words have none."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    keys: dict[str, None] = {}
    for token in dict.fromkeys(_TOKEN.findall(text)):
        for key in _token_keys(token):
            keys[key] = None
    if _DIGIT.search(text):
        for identifier in _MIXED.findall(text):
            if _DIGIT.search(identifier):
                keys[identifier_key(identifier)] = None
    return tuple(keys)


def word_key(word: str) -> str:
    """The key of one word; empty for a function word."""
    return _word_key(word)


def number_key(digits: str) -> str:
    """The key of a number from its digits, with or without grouping and decimal mark."""
    bare = re.sub(r"\D", "", digits)
    return f"#{bare.strip('0') or '0'}"


def identifier_key(identifier: str) -> str:
    """The key of an identifier (`INV-2024-1109`), whatever parts its letters and digits."""
    return "=" + re.sub(r"[\W_]", "", _folded(identifier))


@lru_cache(maxsize=1 << 17)
def _word_key(word: str) -> str:
    folded = _folded(word)
    if folded in STOP_WORDS:
        return ""
    stem = folded
    while len(stem) > 3 and stem[-1] in _ENDINGS:
        stem = stem[:-1]
    return stem[:_STEM]


@lru_cache(maxsize=1 << 17)
def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c)).replace("ł", "l").replace("ø", "o")


@lru_cache(maxsize=1 << 17)
def _token_keys(token: str) -> tuple[str, ...]:
    if token[0].isdigit():
        return (number_key(token),)
    if not token.isascii() and _CJK.search(token):
        return tuple(token[at : at + 2] for at in range(max(1, len(token) - 1)))
    key = _word_key(token)
    return (key,) if key else ()
