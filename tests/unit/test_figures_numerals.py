"""Whatever states a number in a text is found, however it is written."""

from __future__ import annotations

import time

import pytest

from footnote.figures import find_numerals


def found(text: str) -> list[str]:
    spans = find_numerals(text)
    assert all(text[span.start : span.end] == span.text for span in spans)
    return [span.text for span in spans]


@pytest.mark.parametrize(
    ("text", "numerals"),
    [
        ("43.805,00 € on 2026-08-14 at 13:05", ["43.805,00", "2026-08-14", "13:05"]),
        ("Q3 and FY2025, INV-2026-8812", ["3", "2025", "2026-8812"]),
        ("1\u00a0234\u00a0567,5 and 12\u202f345", ["1\u00a0234\u00a0567,5", "12\u202f345"]),
        ("In 2026 104 invoices", ["2026", "104"]),
        ("½ of ٤٣, ४३, ４３, 𝟒𝟑", ["½", "٤٣", "४३", "４３", "𝟒𝟑"]),
        (
            "Ⅳ ² ① ⑴ ⒈ 🄂 ㊄ 〇 三百 千 万 億 壱",
            ["Ⅳ", "²", "①", "⑴", "⒈", "🄂", "㊄", "〇", "三百", "千", "万", "億", "壱"],
        ),
        ("🔟 5️⃣ 💯 ⚄", ["🔟", "5", "💯", "⚄"]),
        ("4 million, 5k, 12 M€, 7 Mrd.", ["4", "million", "5", "k", "12", "M", "7", "Mrd"]),
        ("part II, MMXXVI, but CD, DC, MIX and I", ["II", "MMXXVI"]),
    ],
)
def test_numbers_in_digits_are_found(text: str, numerals: list[str]) -> None:
    assert found(text) == numerals


@pytest.mark.parametrize(
    "numeral",
    [
        # English
        "one", "Seven", "FORTY", "forty-three thousand eight hundred and five", "a dozen", "dozens", "half", "halved",
        "twice", "thrice", "doubled", "tripled", "a couple", "both", "none", "zero", "nil", "first", "twenty-first",
        "two-thirds", "a quarter", "twofold", "multimillion", "hundreds", "the nineties", "three lakh", "zero-day",
        # German
        "eins", "zwei", "dreiundvierzigtausend", "achthundertfünf", "zweihundert", "zwölf", "zwoelf", "dreißig",
        "DREISSIG", "DREIẞIG", "eine Million", "Milliarden", "ein Dutzend", "die Hälfte", "ein Drittel", "Zwölftel",
        "Zweidrittelmehrheit", "eineinhalb", "anderthalb", "zweimal", "dreifach", "verdreifacht", "verdoppelt",
        "zwölftägig", "fünfstellig", "hundertprozentig", "erste", "zweitens", "viertes", "zwanzigste", "beide", "zwo",
        # French
        "deux", "quatre-vingt-dix", "soixante et onze", "mille", "deux cents", "une douzaine", "la moitié", "un tiers",
        "premier", "première", "deuxième", "vingtième", "quatre-vingtième", "zéro", "un milliard", "une centaine",
        # Polish
        "jeden", "czterdzieści trzy tysiące", "dwóch", "trzema", "pięciuset", "jedenastu", "pięćdziesięciu", "milionów",
        "trzydniowy", "pięcioletni", "stuprocentowy", "drugiego", "trzeci", "setny", "półtora", "podwójny", "połowa",
        "tuzin", "ćwierć", "obaj", "dwukrotnie",
    ],
)  # fmt: skip
def test_numbers_in_words_are_found(numeral: str) -> None:
    assert found(f"Bergmann: {numeral}."), numeral


@pytest.mark.parametrize(
    ("text", "numerals"),
    [
        ("It owes forty-three thousand eight hundred and five euro.", ["forty-three thousand eight hundred and five"]),
        ("dreiundvierzigtausend achthundertfünf Euro", ["dreiundvierzigtausend achthundertfünf"]),
        ("quatre-vingt-dix factures, vingt et un jours", ["quatre-vingt-dix", "vingt et un"]),
        ("czterdzieści trzy tysiące złotych", ["czterdzieści trzy tysiące"]),
        ("seven, eight", ["seven", "eight"]),
        ("SevenDays total_eight_days", ["Seven", "eight"]),
        ("no one, one of them", ["one", "one"]),
    ],
)
def test_a_numeral_of_several_words_is_one_span(text: str, numerals: list[str]) -> None:
    assert found(text) == numerals


@pytest.mark.parametrize(
    "text",
    [
        "1\u200b2",  # zero-width space
        "1\u00ad2",  # soft hyphen
        "1\u20dd2",  # enclosing circle
        "1\u0336\u03362",  # struck through
        "\u202e21\u202c",  # right to left
        "f\u200bi\u00adve",
        "fi\u0301ve",
        "fu\u0308nf",  # decomposed umlaut
        "f\u043erty",  # Cyrillic о
        "t\u03bfn\u03bf ten",  # Greek ο
        "Ｆｉｖｅ",
        "𝐟𝐢𝐯𝐞",
        "ⓕⓘⓥⓔ",
        "🅵🅸🆅🅴",
        "ꜰɪᴠᴇ",
        "f o r t y",
        "f\u00a0o\u2009r\u3000t\u202fy",
        "f-o-r-t-y",
        "se-ven",
        "drei-\nhundert",
        "for**ty**",
        "se_ven",
        "forty\u200bthree",
        "onehundredandfive",
        "xiv",
        "one" * 100,
        "1\ufe0f\u20e3",
    ],
)
def test_a_disguised_numeral_is_found(text: str) -> None:
    assert found(f"Bergmann owes {text} euro.")


@pytest.mark.parametrize("text", ["1\u200b2", "1\u00ad\u00ad2", "1\u034f2"])
def test_an_invisible_character_does_not_split_a_numeral(text: str) -> None:
    assert found(f"({text})") == [text]


def test_a_zero_width_space_between_words_hides_neither() -> None:
    assert found("owes\u200bseven\u200beuro") == ["seven"]


@pytest.mark.parametrize("zero", [0x11F50, 0x1E4F0, 0x10D40, 0x16130, 0x16D70, 0x1E5F1, 0x11BF0, 0x116DA, 0x1CCF0])
def test_digits_newer_than_python_s_unicode_are_found(zero: int) -> None:
    assert found(f"x {chr(zero + 7)} y")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The customer has overdue invoices and open support tickets; the account is owned by Ana Kovač.",
        "Often someone attends; the tenant is content, and the weight is on their often overdue ones.",
        "Ein Kunde, eine Rechnung, einem einzelnen Einspruch, innerhalb der Frist, deshalb einfach vereinigt.",
        "Un client doit une somme pour les factures en retard.",
        "Klient ma zaległe faktury, najstarsza jest przeterminowana.",
        "two\u0301".replace("two", "tow"),
        "per cent, pour cent",
        "Due in March, im August, en mai, w maju.",
        "\ud800 a lone surrogate",
        "— “quotes” … €",
    ],
)
def test_prose_without_a_number_is_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "unit",
    ["a", "one", "- ", "a-", "a ", "1,", "1 ", "one ", "é", "éa-", "x_", "M", "ein", "und", "aB", "\u200b", "twenty-",
     "zwoelf", "vierzwoelf", "* ", "f o ", "\u0301"],
)  # fmt: skip
def test_the_time_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    start = time.perf_counter()
    find_numerals(unit * (100_000 // len(unit)))
    assert time.perf_counter() - start < 5
