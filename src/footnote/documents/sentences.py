"""Sentences of a paragraph, by offsets; nothing is copied or changed.

A full stop ends a sentence unless it belongs to an abbreviation, an initial, a number or an ordinal; a clause number
that follows a full stop starts a new one. English, Polish, German and French abbreviations are known. In doubt a
sentence is not cut: a passage that is too long is still exact, one that lost its condition is not. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ABBREVIATIONS = frozenset(
    """
    abs al anm approx art arts assoc ave bd bldg bzgl bzw ca cf cie cl co corp dept dipl div dr ed eds eg eig est et etc
    evtl ex exh fa ff fig figs fl gem gen gesch ggf gmbh gov hl hon hr hrsg ie inc incl ing inkl insb int inv jr lit lt
    ltd max mag mb mgr mio mln min mme mlle mr mrd mrs ms msgr mt nn no nos nr nrn op ovl para paras pct pg pkt pl plc
    pos poz pp prof prov pt pts r rd ref rep resp rev rozdz rys s sect sec secs sen sog sp spp sr ss st sta ste str
    svc tab tel tj tys tzn tzw u ul ust usw v vgl viz vol vs wg ww z zb zgl zob zit zt zw zzgl
    jan feb mar apr jun jul aug sep sept oct nov dec janv févr avr juil déc okt dez
    mies godz zł gr proc por np itd itp itd nast im dot dz ha kpt ks lek lic mec nt os płk przyp ur wyd
    """.split()
)
"""Words behind which a full stop does not end a sentence, in any of the languages; folded to lower case."""

_ENDERS = frozenset("inc corp ltd co gmbh etc usw itd itp plc cie ff".split())
"""Those that may well end one: they do if what follows starts like a sentence of its own."""

_INSIDE = frozenset("z.b d.h i.e e.g u.a o.ä i.d i.v m.in p.ex c.-à-d t.j b.d".split())
"""Those that introduce what follows, and so never end a sentence."""

_NAMED_BY_LETTER = frozenset(
    "schedule exhibit appendix annex section part class clause table figure plan anlage anhang załącznik annexe".split()
)
"""`Exhibit A.` ends a sentence, `J. Smith` does not."""

_STARTERS = frozenset(
    """
    the this these those it in a an if each any all no such for on upon when where unless either neither both he she
    they we our his her its their there however der die das ein eine dieser diese dieses wenn falls sie er es für im
    nach bei le la les un une ce cette ces il elle en si lorsque pour w z na po jeżeli jeśli ten ta to strony umowa
    """.split()
)

_MONTHS = (
    "januar februar märz maerz april mai juni juli august september oktober november dezember jänner "
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"
).split()

_BEFORE_ORDINAL = frozenset("am vom zum bis der den dem des im ab seit dnia dnu".split())

_END = re.compile(r"([.!?…]+)([\"'”’»“)\]*_]*)(?=\s|$)")
_WORD_BEFORE = re.compile(r"[^\s(\[\"“„«'’]+$")
_NEXT = re.compile(r"\s+([*_\"'“„«‘(\[]*)(\S+)")
_CLAUSE_NUMBER = re.compile(r"\(?(?:\d{1,2}(?:\.\d{1,2})*[.)]?|§+|[a-z]\)|\([a-z]{1,4}\))$")
_CLAUSE_IN_LINE = re.compile(r"(?<=[A-ZÀ-Ý]{3}) (?=\d{1,2}\.\d{1,2} [A-ZÀ-Ý])")


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Where the sentences of `text[start:end]` stand, without the space around them."""
    end = len(text) if end is None else end
    begin = start
    for cut in sorted({*_stops(text, start, end), *(m.start() for m in _CLAUSE_IN_LINE.finditer(text, start, end))}):
        yield from _trimmed(text, begin, cut)
        begin = cut
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    for match in _END.finditer(text, start, end):
        if match.end() >= end or _ends_sentence(text, match, start, end):
            yield match.end()


def _ends_sentence(text: str, stop: re.Match[str], start: int, end: int) -> bool:
    following = _NEXT.match(text, stop.end(), end)
    if following is None:
        return True
    opening, word = following[1], following[2]
    if "\n\n" in text[stop.end() : following.end()]:
        return True
    before = _WORD_BEFORE.search(text[max(start, stop.start() - 40) : stop.start()])
    last = before[0] if before else ""
    if stop[1] == "." and not stop[2] and not _may_end(last, word, text[max(start, stop.start() - 60) : stop.start()]):
        return False
    return bool(opening) or _starts_sentence(word)


def _starts_sentence(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit() or not word[0].isalpha() or bool(_CLAUSE_NUMBER.match(word))


def _may_end(last: str, following: str, before: str) -> bool:
    """Whether a single full stop behind `last` may end a sentence that is followed by `following`."""
    bare = last.rstrip(".").casefold()
    if not last:
        return True
    if bare.isdigit():
        return _digits_may_end(bare, following, before)
    if len(bare) == 1 and bare.isalpha():
        words = before.split()
        return len(words) > 1 and words[-2].casefold().strip('("“') in _NAMED_BY_LETTER
    if "." in last and re.fullmatch(r"(?:[^\W\d_]{1,4}\.)+[^\W\d_]{1,4}", last):  # z.B, S.A, U.S, a.m
        return bare not in _INSIDE and _is_starter(following)
    if bare in _ABBREVIATIONS:
        return bare in _ENDERS and (_is_starter(following) or bool(_CLAUSE_NUMBER.match(following)))
    return True


def _digits_may_end(digits: str, following: str, before: str) -> bool:
    if following.casefold().strip(",.") in _MONTHS:
        return False
    words = before.split()
    previous = words[-2].casefold() if len(words) > 1 else ""
    if len(words) == 1:
        return False  # a number at the very start is a clause's own
    return not (len(digits) <= 2 and previous in _BEFORE_ORDINAL)


def _is_starter(word: str) -> bool:
    return word[:1].isupper() and word.casefold().strip(",.:;\"'“”") in _STARTERS
