"""Parties and what a document calls them, from its own definition clauses in English, Polish, German and French. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from footnote.documents.units import Fragment, Party

_QUOTED = r"[\"“„«”‚‘'»]\s*(?:the\s+|der\s+|die\s+|das\s+|le\s+|la\s+|l['’])?([^\"“”„«»‘’'\n]{2,60}?)\s*[\"”“»‘’'«]"
_WORDS = (
    r"(?:each\s+)?(?:herein(?:after)?|hereafter|together|the|as|and|or|called|referred\s+to(?:\s+(?:as|herein\s+as))?|collectively|"
    r"individually|zwan\w+|dalej|jako|łącznie|w\s+dalszej\s+części|nachfolgend|nachstehend|im\s+Folgenden|kurz|auch|als|genannt|oder|der|die|das|"
    r"ci-après|dénommé\w*|désigné\w*|le|la|ou|lub)"
)
_CLAUSE = re.compile(
    rf"[(\[–-]\s*(?:{_WORDS}\s*[:,]?\s*)*{_QUOTED}(?:\s*(?:,?\s*(?:{_WORDS})\s*)+{_QUOTED})*[^()\n]{{0,40}}?[)\]–-]"
    rf"|,?\s*(?:zwan\w+|nachfolgend|nachstehend|im\s+Folgenden|ci-après|hereinafter)\s*(?:{_WORDS}\s*[:,]?\s*)*{_QUOTED}",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"\(\s*(?:the|der|die|das|le|la)\s+([A-ZÀ-Ž][\w&-]*(?:\s[A-ZÀ-Ž][\w&-]*){0,2})\s*\)")
_EACH_QUOTED = re.compile(_QUOTED)
_BOUNDARY = re.compile(
    r"(?:\bbetween\b|\bby\s+and\s+between\b|\bamong\b|\bzwischen\b|\bpomiędzy\b|\bmiędzy\b|\bentre\b|\band\b|\bund\b|\bet\b|\boraz\b|\ba\b(?=\s+\W*[A-ZÀ-Ž])|"
    r"\n|;|:|(?<![\w.])\(?\d{1,2}[.)](?=\s)|\(\w\)|\bis\s+made\s+by\b|\bwith\b|\bmit\b)\s*"
    r"(?:\W{0,3}(?:die|der|dem|das|the|la|le|l['’]|société|firma|firmą|spółką|spółka|herrn?|frau|panem|panią|pan|pani|monsieur|madame|m\.|mr\.?|mrs\.?)\s+)*",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"[*_\"“„«]*([A-ZÀ-Ž0-9][^,;()\n\"“”„«»*]{1,80}?)[*_\"”“»]*(?=\s*(?:,|\(|\[|–|$|\s+-\s|\s+z\s+siedzib|\s+mit\s+Sitz|\s+of\s+\d|\s+whose|\s+a\s+(?:company|corporation)|\s+ayant|\s+with\s+its))"
)
_HEAD = 12_000
_GENERIC = frozenset(
    "agreement party parties effective date amendment contract umowa umowy umową strona strony vertrag partei parteien contrat parties "
    "information term purpose services product products".split()
)


_SMALL = frozenset("sp. z o.o. s.a. of and & de la le von für i und et der di du k. s.k.a. spółka".split())
"""Small words in names, which are written with a small letter."""


def parties_in(file: str, text: str) -> tuple[Party, ...]:
    """The parties that the text defines, in order."""
    out: dict[str, Party] = {}
    for start, clause_start, end, aliases in _definitions(text[:_HEAD]):
        name = _name_before(text, start, clause_start)
        aliases = tuple(alias for alias in aliases if alias.casefold() not in _GENERIC)
        if name is None or not aliases:
            continue
        at, until = name
        party = Party(text[at:until], aliases, Fragment(file, at, end, text[at:end]))
        out.setdefault(party.name, party)
    return tuple(out.values())


def _definitions(text: str) -> Iterator[tuple[int, int, int, tuple[str, ...]]]:
    """Where to look for a name from, where a definition starts and ends, and the aliases in it."""
    last = 0
    found = sorted([*_CLAUSE.finditer(text), *_PLAIN.finditer(text)], key=lambda match: match.start())
    for match in found:
        if match.start() < last:
            continue
        quoted = _EACH_QUOTED.findall(match[0]) or [match[1]]
        yield (
            max(last, match.start() - 400),
            match.start(),
            match.end(),
            tuple(dict.fromkeys(q.strip() for q in quoted if q)),
        )
        last = match.end()


def _name_before(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The name that the nearest clause before a definition begins with."""
    begins = [start, *(start + match.end() for match in _BOUNDARY.finditer(text[start:end]))]
    for begin in reversed(begins):
        while begin < end and text[begin] in " ,":
            begin += 1  # the second of three: "A Ltd ("the Supplier"), B Ltd ("the Vendor")"
        match = _NAME.match(text[:end].rstrip() if end == len(text) else text, begin, end)
        if match and _is_name(match[1]):
            return match.start(1), match.start(1) + len(match[1].rstrip())
    return None


def _is_name(said: str) -> bool:
    words = said.split()
    telling = [word for word in words if word.casefold() not in _SMALL]
    capital = [word for word in telling if word[:1].isupper() or word[:1].isdigit()]
    return (
        bool(telling) and len(words) <= 10 and len(capital) * 2 >= len(telling) and words[0].casefold() not in _GENERIC
    )
