"""What stands beside a figure and makes it another one: a sign, a currency, a unit, a scale, a rate, an operator.

A figure brings its own sign, currency and unit. Words farther off are the writer's, and nobody checks them; what touches
a figure, or follows it as its unit would, is read as a part of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from footnote.answers.question import fold, stem
from footnote.figures.currencies import MINOR_DIGITS

UNITS = frozenset(
    """euro dollar cent pound penny franc yen krona krone zloty percent percentage point basis bps permille
    second minute hour day week month quarter year decade kilo kilogram kg gram ton tonne litre liter metre meter
    kilometre kilometer km mile mm cm thousand million billion trillion mio mrd tsd mn bn time fold""".split()
)
"""Stems of words that say what a number is; a figure that is not of that unit is not that number."""

_SCALES = frozenset(
    """k m mm mn mil mio bn b t tn tsd mrd lac grand percent percentage pct cent cents bps
    euro euros dollar dollars pound pounds franc francs yen""".split()
)
_RATES = frozenset("per each apiece pro hourly daily weekly monthly quarterly yearly annually annual pa".split())
_TURNING = frozenset("minus negative plus not non never less sans times per x".split())
_TURNING_PAIRS = frozenset(("divided by", "multiplied by", "fraction of", "multiple of", "multiples of"))
_OPERATORS = frozenset("/ · ⋅ ∙ • * ^ : x".split())
_OPERATING = frozenset("x by mal durch fois".split())
_MONEY_WORDS = {
    "euro": ("EUR",),
    "dollar": ("USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD"),
    "buck": ("USD",),
    "pound": ("GBP", "EGP", "LBP"),
    "quid": ("GBP",),
    "sterling": ("GBP",),
    "yen": ("JPY",),
    "yuan": ("CNY",),
    "renminbi": ("CNY",),
    "franc": ("CHF", "XAF", "XOF", "XPF"),
    "zloty": ("PLN",),
    "krone": ("NOK", "DKK"),
    "kroner": ("NOK", "DKK"),
    "krona": ("SEK", "ISK"),
    "kronor": ("SEK",),
    "rupee": ("INR", "PKR", "LKR", "NPR"),
    "ruble": ("RUB", "BYN"),
    "rouble": ("RUB", "BYN"),
    "lira": ("TRY",),
    "forint": ("HUF",),
    "koruna": ("CZK",),
    "real": ("BRL",),
    "peso": ("MXN", "ARS", "CLP", "COP", "PHP"),
    "won": ("KRW",),
    "shekel": ("ILS",),
    "dinar": ("RSD", "KWD", "BHD", "JOD", "TND", "IQD"),
    "dirham": ("AED", "MAD"),
    "cent": (),
    "penny": (),
    "pence": (),
}
"""By stem, the currencies that a word may mean; parts of one are nobody's currency."""

_MARKUP = "*_`"
_OPENING = _MARKUP + "([{\"'“„«‹‘"
_CLOSING = _MARKUP + ")]}\"'”“»›’"
_NO_BREAK = "\u00a0\u202f\u2007"
_WORD = re.compile(r"[^\W\d_]+")
_READ = 120
"""How many characters before and after a figure are looked at."""

_NEAR = 3
"""How many words after an amount may still name its currency."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of the figure whose neighbours are looked at.

    Attributes:
        kind: `number`, `money`, `percent`, or `other` for dates and texts with a number in them.
        currency: Of an amount of money.
        unit: Of a number that has one (`days`).
    """

    kind: str
    currency: str = ""
    unit: str = ""


def changes_before(text: str) -> str:
    """What at the end of `text` would change the figure that follows; empty if nothing would.

    A hyphen as a bullet, or as a dash with spaces around it, changes nothing.
    """
    line = "".join(reversed(_seen(reversed(text)))).rpartition("\n")[2]
    bare = line.rstrip()
    space, last = line[len(bare) :], bare[-1:]
    if not last:
        return ""
    inner = line.rstrip(_OPENING)
    if inner != line and _is_dash(inner[-1:]):
        return inner[-1]
    if _is_dash(last):
        return "" if space and not set(space) & set(_NO_BREAK) else last
    if last in "#№" or (not space and (_in_word(last) or last == "!")):
        return last
    core = bare.rstrip(_OPENING).rstrip()
    if _is_unit_sign(core[-1:]):
        return "" if core != bare and re.search(r"\d\s?.$", core) else core[-1]  # the sign of the amount before
    return _turning_word(core)


def _turning_word(text: str) -> str:
    """A word at the end of the text that turns the figure after it: `minus`, `not`, `USD`."""
    code = re.search(r"(?<![^\W_])([A-Z]{3})[:\])]*$", text)
    if code and code[1] in MINOR_DIGITS:
        return code[1]
    sign = re.search(r"(\S)[\])]+$", text)
    if sign and unicodedata.category(sign[1]) == "Sc":
        return sign[1]
    words = [match[0] for match in _WORD.finditer(text[-60:])]
    if not words or not text.endswith(words[-1]):
        return ""
    if words[-1].casefold() in _TURNING:
        return words[-1]
    pair = " ".join(words[-2:]).casefold()
    return " ".join(words[-2:]) if pair in _TURNING_PAIRS else ""


def changes_after(text: str, figure: Beside) -> str:
    """What at the beginning of `text` would change the figure before it.

    That is a unit sign, another unit or currency, a scale, a rate, or a letter that touches it.
    """
    seen = "".join(_seen(text))
    bare = re.sub(r"^[^\S\n]+", "", seen)
    first = bare[:1]
    if first and (_is_unit_sign(first) or first in "^°" or (bare == seen and _in_word(first))):
        return first
    inner = seen.lstrip(_CLOSING)
    if inner != seen and _is_unit_sign(inner[:1]) and inner[:1]:
        return inner[0]
    rate = re.match(r"[\])*_`]*\s?/[^\W\d_]+", seen)
    if rate:
        return rate[0].strip()
    word = _WORD.match(seen.lstrip(_CLOSING + " \t\u00a0\u202f-‐‑"))
    if word and _changing_word(word[0], figure):
        return word[0]
    return _other_currency(bare, figure) if figure.kind == "money" else ""


def _changing_word(word: str, figure: Beside) -> bool:
    """Whether the word right after a figure makes it another one."""
    folded = fold(word)
    if folded in _SCALES or folded in _RATES or word in MINOR_DIGITS:
        return True
    root = stem(folded)
    return figure.kind != "other" and root in UNITS and root != stem(fold(figure.unit))


def _other_currency(text: str, figure: Beside) -> str:
    """Another currency than the amount's that its clause names: `43.805,00 €, in dollars`."""
    clause = re.split(r"[.!?;\n\d]", text, maxsplit=1)[0]
    for match in list(_WORD.finditer(clause))[:_NEAR]:
        word = match[0]
        meant = (word,) if word in MINOR_DIGITS else _MONEY_WORDS.get(stem(fold(word)))
        if meant is not None and figure.currency not in meant:
            return word
    return ""


def joins(between: str) -> str:
    """What between two figures makes one number, or a calculation, of them: nothing but space, or an operator."""
    seen = "".join(_seen(between)).strip(_MARKUP)
    core = seen.strip(_MARKUP + " \u00a0\u202f\u2009")
    if not core:
        return "" if "\n" in seen or "\t" in seen else " "
    words = core.casefold().split()
    operated = core in _OPERATORS and not (core == ":" and seen != core)
    return core if operated or (len(words) == 1 and words[0] in _OPERATING) else ""


def foreign_words(text: str, kept: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Words outside the spans of `kept` in a script whose number words nobody here knows."""
    end = 0
    for match in () if text.isascii() else _WORD.finditer(text):
        start = match.start()
        if start < end:
            continue
        end = match.end()
        while end < len(text) and (text[end].isalpha() or unicodedata.category(text[end])[0] == "M"):
            end += 1
        inside = any(a <= start and end <= b for a, b in kept)
        if not inside and any(not _is_latin(c) for c in text[start:end]):
            yield start, end


def _is_latin(character: str) -> bool:
    if character.isascii():
        return True
    plain = unicodedata.normalize("NFKD", character)[0]
    return plain.isascii() or "LATIN" in unicodedata.name(character, "") or unicodedata.category(character)[0] == "M"


def _seen(characters: Iterable[str]) -> list[str]:
    """The first of the characters that are seen, without those that are not, behind which a sign could hide."""
    return list(islice((c for c in characters if unicodedata.category(c) not in ("Cf", "Mn", "Me")), _READ))


def _in_word(character: str) -> bool:
    return bool(character) and (character.isalnum() or character == "_")


def _is_dash(character: str) -> bool:
    return bool(character) and unicodedata.category(character) == "Pd"


def _is_unit_sign(character: str) -> bool:
    """A currency, a percent sign or an operator; the bar between the columns of a table is none."""
    sign = character != "" and (unicodedata.category(character) in ("Sc", "Sm") or character in "%‰‱")
    return sign and character not in "|¦"
