"""Every place in a text that states a number: in digits of any script, or in words of many languages.

The figure guard rests on this: prose that brings a figure of its own is refused, so nothing that a reader would take
for a number may be missed, and a word too many is accepted. The text is folded first: what is not seen (zero-width
characters, soft hyphens, direction marks, combining marks) is taken out, digits of all scripts become Latin digits,
letters that only look Latin become Latin. Positions are code points of the text as it was given.

Digits: whatever Unicode gives a numeric value (decimal digits of all scripts, superscripts, circled digits, fractions,
Roman numeral characters, CJK numerals), Roman numerals of Latin letters from two on, and pictures of numbers. Words:
those of English, German, French and Polish in all their forms (`number_words`), the common ones of the languages of
`european_words`; other languages' words are not found. Month names state no number by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from footnote.figures.folding import Folded, fold
from footnote.figures.number_patterns import as_written, number_word, one_after_number

_DIGITS = re.compile(
    r"[0-9]+(?:[.,:/'\u2019\u066b\u066c\u2044\u2212\u00b7-][0-9]+|[\u00a0\u202f\u2009][0-9]{3}(?![0-9]))*"
)
_SCALE_LETTER = re.compile(
    r"(?<=[0-9])(?:[ \u00a0\u202f]?([kKmMbBtT]|MM)|(mm))(?![^\W_])|(?<![^\W_])([kKmMtT])(?=[€$£¥])"
)
_ROMAN = re.compile(
    r"(?<![^\W_])(?=[mdclxvi]{2,15}(?![^\W_]))m{0,4}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})(?![^\W_])"
)
_NOT_ROMAN = frozenset(
    # words and names: "ci", "di" and "mi" of many languages, Li; dividend
    "ci di dim div li mi mix "
    # units: centilitre, centimetre, decilitre, millilitre, millimetre; close after digits mm is a scale all the same
    "cl cm dl ml mm "
    # everyday abbreviations: copy, disc, curriculum vitae, market value, ratings, command line, contracts, chambers, places, sizes
    "cc ccc cci cd cdi cli cv dc lv mc md mdl mv mx xl".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_CAMEL_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_BROKEN_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:[-\u2010-\u2013\u00b7.*_~`\\](?:\r?\n)?[^\W\d_]++)+")
_SPACED_LETTERS = re.compile(r"(?<![^\W_])[^\W\d_](?:[^\S\r\n][^\W\d_]){2,}(?![^\W_])")
_BETWEEN = re.compile(
    r"[\s\-\u2010-\u2015]{1,3}(?:(?:and|et|und|i)[\s\-\u2010-\u2015]{1,3})?(?:(?:a|et|une?)[\s\-\u2010-\u2015]{1,3})?"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that states a number: code points `start` to `end`, and the text between them."""

    start: int
    end: int
    text: str


def find_numerals(text: str) -> list[Span]:
    """Every part of `text` that states a number, in order, none overlapping another.

    Numerals that belong together are one span ("43.805,00", "2026-08-14", "forty-three thousand"); a number in digits
    and a scale in words ("4 million") are two, so that a scale put after a figure is found by itself. Signs, currency
    symbols and percent signs are not part of a span.
    """
    found = list(as_written(text))
    for folded in fold(text):
        found.extend((folded.start(a), folded.end(b)) for a, b in _spans(folded))
    return [Span(start, end, text[start:end]) for start, end in _united(found)]


def _spans(folded: Folded) -> Iterator[tuple[int, int]]:
    for match in _DIGITS.finditer(folded.lower):
        yield match.span()
    for match in _SCALE_LETTER.finditer(folded.cased):
        yield match.span(match.lastindex or 0)
    for match in _ROMAN.finditer(folded.lower):
        written = folded.cased[match.start() : match.end()]
        if match[0] not in _NOT_ROMAN and (written[1:].islower() or written.isupper()):
            yield match.span()
    yield from _joined(folded.lower, list(_words(folded)))


def _words(folded: Folded) -> Iterator[tuple[int, int]]:
    """Spans of number words, one by one and in order of their start."""
    lower, cased = folded.lower, folded.cased
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(lower):
        start, end = match.span()
        if number_word(match[0], lower, start):
            spans.append((start, end))
        elif not cased[start + 1 : end].islower() and end - start > 1:
            parts = _CAMEL_PART.finditer(cased, start, end)
            spans.extend(part.span() for part in parts if number_word(part[0].lower(), lower, part.start()))
    for pattern in (_BROKEN_WORD, _SPACED_LETTERS):
        for match in pattern.finditer(lower):
            if number_word("".join(_WORD.findall(match[0])), lower, match.start()):
                spans.append(match.span())
    return iter(sorted(spans))


def _joined(lower: str, words: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Neighbours made one: "two" "hundred" and "five" are one numeral, also with "and" between them."""
    current: tuple[int, int] | None = None
    for start, end in words:
        if current and (start <= current[1] or _BETWEEN.fullmatch(lower, current[1], start)):
            current = (current[0], max(end, current[1]))
            continue
        if current:
            yield current[0], one_after_number(lower, *current)
        current = (start, end)
    if current:
        yield current[0], one_after_number(lower, *current)


def _united(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Overlapping spans made one."""
    current: tuple[int, int] | None = None
    for start, end in sorted(spans):
        if current and start < current[1]:
            current = (current[0], max(end, current[1]))
            continue
        if current:
            yield current
        current = (start, end)
    if current:
        yield current
