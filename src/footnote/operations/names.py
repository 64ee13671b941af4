"""Finding the record a name means, without guessing: the first rule that finds any record decides.

Rules, in order: exact text or number; the same but for case, accents and punctuation; the same but for the legal form;
a unique beginning; a unique part. If a rule finds two records the name is ambiguous, and if none finds any it is
unknown: both are errors with real candidates. A number is exact or nothing: `447` is not the beginning of 4471, and a
text with digits matches whole words only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

MOST_CANDIDATES = 5
_SHORTEST_BEGINNING = 2
_SHORTEST_PART = 3

LEGAL_FORMS = frozenset(
    """ag gmbh mbh ug kg kgaa ohg gbr eg ev se sa sas sasu sarl eurl snc spa srl sapa bv nv as asa ab oy oyj aps
    ltd limited llc llp lp inc incorporated corp corporation co company plc pty pte
    doo dd ad jdoo sro spol zoo spzoo sp kft rt zrt nyrt sia uab ood eood""".split()
)
"""Company forms as they fold (`d.o.o.` is `doo`), ignored at the end of a name."""

_PAIRS = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae", "œ": "oe"}
_PLAIN = {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h"}
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Named:
    """One record that a name may mean: the texts it is known by."""

    key: tuple[object, ...]
    texts: tuple[str, ...]


@lru_cache(maxsize=65_536)  # a pure function, and the same few thousand names come by on every call
def folds(text: str) -> frozenset[str]:
    """The text without case, accents and punctuation, once with umlauts as plain letters and once as pairs."""
    lowered = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).casefold()
    paired = "".join(_PAIRS.get(c, c) for c in lowered)
    return frozenset({_plain(lowered), _plain(paired)})


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", "".join(_PLAIN.get(c, c) for c in text))
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    joined = re.sub(r"(?<=\w)[.'’`´](?=\w|$)|(?<=\w)\.(?=\s|$)", "", letters)
    return " ".join(_WORD.findall(joined))


def without_legal_form(folded: str, more: Iterable[str] = ()) -> str:
    """The folded name without the legal form at its end; the name itself if nothing else is left."""
    forms = LEGAL_FORMS | {fold for form in more for fold in folds(form)}
    words = folded.split()
    while len(words) > 1 and words[-1] in forms:
        words.pop()
    return " ".join(words)


def find_named(
    text: str, records: Sequence[Named], legal_forms: Sequence[str] = (), *, inside_words: bool = True
) -> list[Named]:
    """The records of the first rule that finds any, in record order; none if no rule does.

    Args:
        text: What may be a name.
        records: Among which it is looked for, in record order.
        legal_forms: Company forms to ignore beside the usual ones.
        inside_words: Whether a part may begin in the middle of a word. It may where a caller says that the text is a
            name, and not where words of a question are tried: `Ana` is not Tramontana.
    """
    forms = tuple(legal_forms)
    wanted = folds(text)
    bare = {without_legal_form(fold, forms) for fold in wanted} - {""}
    longest = max((len(fold) for fold in wanted), default=0)
    if not longest:
        return []
    known = [(record, *_names(record.texts, forms)) for record in records]
    if found := [record for record, names, _ in known if not wanted.isdisjoint(names)]:
        return found
    if found := [record for record, _, bares in known if not bare.isdisjoint(bares)]:
        return found
    for shortest, fits in ((_SHORTEST_BEGINNING, _begins), (_SHORTEST_PART, _holds if inside_words else _has_word)):
        found = [r for r, names, _ in known if any(fits(name, fold) for name in names for fold in bare)]
        if longest >= shortest and found:
            return found
    return []


@lru_cache(maxsize=65_536)  # pure, and the same records come by on every call
def _names(texts: tuple[str, ...], legal_forms: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The folded texts of a record that are names, not numbers; and the same without their legal forms."""
    names = frozenset(fold for text in texts for fold in folds(text) if not fold.replace(" ", "").isdigit())
    return names, frozenset(without_legal_form(name, legal_forms) for name in names)


def _begins(name: str, fold: str) -> bool:
    return f"{name} ".startswith(f"{fold} ") if _has_digit(fold) else name.startswith(fold)


def _holds(name: str, fold: str) -> bool:
    return f" {fold} " in f" {name} " if _has_digit(fold) else fold in name


def _has_word(name: str, fold: str) -> bool:
    return _holds(name, fold) if _has_digit(fold) else f" {fold}" in f" {name}"


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def nearest(text: str, records: Sequence[Named], legal_forms: Sequence[str] = ()) -> list[Named]:
    """The records most similar to a text, best first, ties in record order; candidates, never evidence."""
    from rapidfuzz import fuzz

    wanted = {without_legal_form(fold, legal_forms) for fold in folds(text)}

    def similarity(record: Named) -> float:
        names = {without_legal_form(fold, legal_forms) for t in record.texts for fold in folds(t)}
        return max((fuzz.WRatio(a, b) for a in wanted for b in names), default=0.0)

    scored = [(-similarity(record), number) for number, record in enumerate(records)]
    return [records[number] for _, number in sorted(scored)[:MOST_CANDIDATES]]
