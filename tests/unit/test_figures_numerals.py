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
        ("LXX, mmxxvi, VIII, xii, Xiv", ["LXX", "mmxxvi", "VIII", "xii", "Xiv"]),
        ("V, X, L, C, D, M, I; civic, mild, lid, vivid; dim, MDL, 5 ml, xIi, IIII, VX", ["5"]),
        ("$5mm, 5 MM, 5 mm", ["5", "mm", "5", "MM", "5"]),
    ],
)
def test_numbers_in_digits_are_found(text: str, numerals: list[str]) -> None:
    assert found(text) == numerals


@pytest.mark.parametrize(
    "numeral",
    [
        # English
        "one", "Seven", "FORTY", "forty-three thousand eight hundred and five", "a dozen", "dozens", "half", "halved",
        "a decade", "centuries", "millennia", "a fortnight", "a quartet", "an octet", "twins", "triplets", "a brace",
        "a score", "myriad", "a fiver", "a tenner", "a grand", "umpteen", "zilch", "nada", "nothing", "naught",
        "zeroes", "scores", "billions", "trillions", "bn", "mio", "mrd", "tenfold", "threefold", "halving", "redoubled",
        "twice", "thrice", "doubled", "tripled", "a couple", "both", "none", "zero", "nil", "first", "twenty-first",
        "two-thirds", "a quarter", "twofold", "multimillion", "hundreds", "the nineties", "three lakh", "zero-day",
        # German
        "eins", "zwei", "dreiundvierzigtausend", "achthundertfünf", "zweihundert", "zwölf", "zwoelf", "dreißig",
        "DREISSIG", "DREIẞIG", "eine Million", "Milliarden", "ein Dutzend", "die Hälfte", "ein Drittel", "Zwölftel",
        "Zweidrittelmehrheit", "eineinhalb", "anderthalb", "zweimal", "dreifach", "verdreifacht", "verdoppelt",
        "Jahrzehnt", "Jahrhunderte", "nichts", "null", "Zwillinge", "Quartett", "verdoppelte", "halbierten",
        "zwölftägig", "fünfstellig", "hundertprozentig", "erste", "zweitens", "viertes", "zwanzigste", "beide", "zwo",
        # French
        "deux", "quatre-vingt-dix", "soixante et onze", "mille", "deux cents", "une douzaine", "la moitié", "un tiers",
        "une dizaine", "vingtaines", "un millier", "une quinzaine", "doublé", "rien", "décennie", "un siècle",
        "premier", "première", "deuxième", "vingtième", "quatre-vingtième", "zéro", "un milliard", "une centaine",
        # Polish
        "jeden", "czterdzieści trzy tysiące", "dwóch", "trzema", "pięciuset", "jedenastu", "pięćdziesięciu", "milionów",
        "trzydniowy", "pięcioletni", "stuprocentowy", "drugiego", "trzeci", "setny", "półtora", "podwójny", "połowa",
        "kopa", "dekadę", "podwoić", "podwoiły", "nic", "stulecie", "kilkanaście", "połowie", "tuzinami",
        "tuzin", "ćwierć", "obaj", "dwukrotnie",
    ],
)  # fmt: skip
def test_numbers_in_words_are_found(numeral: str) -> None:
    assert found(f"Bergmann: {numeral}."), numeral


@pytest.mark.parametrize(
    "numerals",
    [
        (
            "uno tre quattro cinque sette otto nove dieci diciassette ventuno ventitré ventotto novantanove cento duecento "
            "duecentocinquanta mille duemila centoventimila milione primo terzo decimo ventitreesimo mezzo dozzina doppio"
        ),
        (
            "uno tres cuatro seis siete dieciséis veinte veintitrés treinta treintaicinco cien doscientos mil millón primero "
            "tercera décimo mitad tercio docena doble triple"
        ),
        (
            "três quatro cinco oito nove dezasseis dezesseis vinte noventa cem duzentos mil milhões primeiro terço metade "
            "dúzia duplo triplo"
        ),
        (
            "één twee drie vier vijf zes zeven negen tien drieëntwintig tweeëndertigste negentig honderd tweehonderdvijftig "
            "tweeduizend miljoen eerste tiende helft derde kwart dozijn dubbel verdubbeld"
        ),
        (
            "två tre fyra fem sju åtta nio tjugo tjugotre nittionio hundra tvåhundrafemtio tusen miljoner första tionde "
            "tjugotredje halv tredjedel dussin dubbel"
        ),
        (
            "tre fem seks syv sju tjue tjuetre tjueførste nitti hundre tusen millioner første tiende halvparten tredjedel "
            "dusin dobbelt"
        ),
        (
            "tre fem seks syv otte tyve treogtyve femoghalvtreds niognitti halvfems toogtres hundrede tohundrede tusind "
            "første tiende halvdelen tredjedel dusin dobbelt halvanden"
        ),
        (
            "dva tři čtyři pět šest sedm osm devět deset dvacet třiadvacet dvacettři devadesát sto tisíc milion první desátý "
            "polovina třetina čtvrt tucet dvojnásobek"
        ),
        (
            "kettő három négy öt hét nyolc kilenc tíz tizenhárom húsz huszonhárom huszonharmadik kilencvenkilenc száz "
            "kétszázötven ezer kétezer millió első tizedik fél harmad negyed tucat dupla"
        ),
        (
            "iki üç dört beş altı yedi sekiz dokuz yirmi yirmiüç yüz ikiyüzelli ikibin milyon birinci onuncu yarım çeyrek "
            "düzine"
        ),
        (
            "jedan dva tri četiri šest sedam osam devet deset jedanaest dvadeset dvadesettri devedeset sto petsto tisuću "
            "hiljada milijun prvi deseti polovica trećina četvrtina tucet dvostruko"
        ),
        (
            "ena dva tri štiri šest sedem osem devet deset enajst dvajset triindvajset devetdeset sto dvesto tisoč milijon "
            "prvi deseti polovica tretjina četrtina ducat dvojno"
        ),
    ],
)
def test_number_words_of_other_european_languages_are_found(numerals: str) -> None:
    assert [word for word in numerals.split() if found(f"Bergmann: {word}.") != [word]] == []


@pytest.mark.parametrize("text", ["due", "sei", "sex", "fire", "dois", "pet", "dort", "TVA", "très", "mila", "hat"])
def test_a_number_that_is_an_everyday_word_elsewhere_is_left_alone(text: str) -> None:
    assert found(f"Bergmann: {text}.") == []


def test_a_compound_needs_a_ten_or_more_and_nothing_else() -> None:
    assert found("onset, titres, triste, stoi, Trento, settembre, milano, cabin, eventi, similar, tresor") == []


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
        ("the grand total, un grand client, a few grand", ["grand"]),
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
        "ƒive",
        "Ƒɨⱱɇ",
        "ɦunɗred",
        "tre\u0302s",
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
        "Due, overdue and open since the most recent signal; the oldest is past due, on time, set to go.",
        "La facture est due; les titres, la TVA et un grand client, très en retard, je le dois.",
        "Der Kunde sitzt dort um die Ecke, eine Kopie im Dez., bin bereit.",
        "Ta faktura stoi na koncie, co bada dobro pola.",
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
     "zwoelf", "vierzwoelf", "* ", "stotri", "duecentosei ", "ventitr\u00e9-", "mdclxvi", "xx ", "grand ", "tres ",
     "setsetdvasetdvastosetdvax ", "f o ", "\u0301"],
)  # fmt: skip
def test_the_time_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    start = time.perf_counter()
    find_numerals(unit * (100_000 // len(unit)))
    assert time.perf_counter() - start < 5
