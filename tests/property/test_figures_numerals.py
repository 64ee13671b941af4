"""A number put into any text is found, in the digits of any script and in words."""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.figures import find_numerals

ZEROS = [code for code in range(sys.maxunicode + 1) if unicodedata.decimal(chr(code), None) == 0]
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202e\u034f\ufe0f\u0301\u0336"

ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
""".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
EINS = """
null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn
neunzehn
""".split()
ZEHNER = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()


def english(n: int) -> str:
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10 - 2] + (f"-{ONES[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{ONES[n // 100]} hundred" + (f" and {english(n % 100)}" if n % 100 else "")
    return f"{english(n // 1000)} thousand" + (f" {english(n % 1000)}" if n % 1000 else "")


def german(n: int) -> str:
    return _german(n) + ("s" if n % 100 == 1 else "")


def _german(n: int) -> str:
    if n < 20:
        return EINS[n]
    if n < 100:
        return (f"{EINS[n % 10]}und" if n % 10 else "") + ZEHNER[n // 10 - 2]
    if n < 1000:
        return f"{EINS[n // 100]}hundert" + (_german(n % 100) if n % 100 else "")
    return f"{_german(n // 1000)}tausend" + (_german(n % 1000) if n % 1000 else "")


def is_covered(text: str, start: int, end: int) -> bool:
    covered = {place for span in find_numerals(text) for place in range(span.start, span.end)}
    return covered >= set(range(start, end))


def all_of(number: str) -> bool:
    return [span.text for span in find_numerals(number)] == [number]


def test_every_number_below_ten_thousand_is_one_numeral_in_english_and_german() -> None:
    missed = [n for n in range(10_000) if not all_of(english(n)) or not all_of(german(n))]
    assert missed == []


def test_every_number_below_ten_thousand_is_found_when_its_words_are_run_together() -> None:
    missed = [n for n in range(10_000) if not all_of(english(n).replace(" ", "").replace("-", ""))]
    assert missed == []


def test_every_character_that_unicode_gives_a_number_is_found() -> None:
    numeric = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.numeric(c, None) is not None]
    assert len(numeric) > 1800
    assert [c for c in numeric if len(find_numerals(f"x {c} y")) != 1] == []


def roman(n: int) -> str:
    values = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
    written = ""
    for value, letters in zip(values, "M CM D CD C XC L XL X IX V IV I".split(), strict=True):
        written += letters * (n // value)
        n %= value
    return written


def test_every_roman_numeral_of_four_letters_or_more_is_found() -> None:
    numerals = [letters for letters in map(roman, range(1, 4000)) if len(letters) > 3]
    assert [n for n in numerals if not (all_of(n) and all_of(n.lower()) and all_of(n.title()))] == []


ITALIAN = " uno due tre quattro cinque sei sette otto nove".split(" ")
DUTCH = " een twee drie vier vijf zes zeven acht negen".split(" ")
HUNGARIAN = " egy kettő három négy öt hat hét nyolc kilenc".split(" ")


def test_every_number_from_twenty_one_is_one_numeral_where_it_is_one_word() -> None:
    for unit in range(1, 10):
        for ten in "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split():
            assert all_of((ten[:-1] if unit in (1, 8) else ten) + ITALIAN[unit])
            assert all_of("cento" + (ten[:-1] if unit in (1, 8) else ten) + ITALIAN[unit])
        for ten in "twintig dertig veertig vijftig zestig zeventig tachtig negentig".split():
            assert all_of(DUTCH[unit] + ("ën" if DUTCH[unit].endswith("e") else "en") + ten)
        for ten in "huszon harminc negyven ötven hatvan hetven nyolcvan kilencven".split():
            assert all_of(ten + HUNGARIAN[unit])
            assert all_of(f"kétszáz{ten}{HUNGARIAN[unit]}")


@settings(max_examples=200)
@given(before=st.text(max_size=20), n=st.integers(0, 10**12), zero=st.sampled_from(ZEROS), after=st.text(max_size=20))
def test_a_number_in_the_digits_of_any_script_is_found(before: str, n: int, zero: int, after: str) -> None:
    number = "".join(chr(zero + int(digit)) for digit in str(n))
    assert is_covered(before + number + after, len(before), len(before) + len(number))


@settings(max_examples=200)
@given(n=st.integers(10, 10**12), hidden=st.text(INVISIBLE, min_size=1, max_size=3), before=st.text(max_size=9))
def test_what_is_invisible_hides_no_digit(n: int, hidden: str, before: str) -> None:
    number = hidden.join(str(n))
    assert is_covered(before + number, len(before), len(before) + len(number))


@settings(max_examples=200)
@given(
    before=st.text(max_size=20),
    n=st.integers(0, 9999),
    spell=st.sampled_from([english, german]),
    case=st.sampled_from([str, str.upper, str.title]),
    after=st.text(max_size=20),
)
def test_a_number_in_words_is_found(before: str, n: int, spell: object, case: object, after: str) -> None:
    assert callable(spell)
    assert callable(case)
    number = case(spell(n))
    start = len(before) + 1
    assert is_covered(f"{before} {number} {after}", start, start + len(number))


@settings(max_examples=200)
@given(n=st.integers(2, 9999), hidden=st.sampled_from(INVISIBLE), place=st.integers(1, 30), spell=st.booleans())
def test_what_is_invisible_hides_no_word(n: int, hidden: str, place: int, spell: bool) -> None:
    word = english(n) if spell else german(n)
    place = min(place, len(word) - 1)
    assert find_numerals(f"It owes {word[:place]}{hidden}{word[place:]} euro.")


@settings(max_examples=200)
@given(text=st.text(max_size=80))
def test_spans_are_in_order_apart_and_of_the_text(text: str) -> None:
    spans = find_numerals(text)
    assert all(0 <= span.start < span.end <= len(text) and text[span.start : span.end] == span.text for span in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
