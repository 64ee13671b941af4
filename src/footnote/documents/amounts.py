"""Pieces that state one quantity, put together: sign, currency, numeral, scale, unit, range. Pure.

"EUR 2.5m", "forty-five (45) days", "between 2 and 8 degrees", "$ (14) million" are one quantity each. What cannot be
read safely is in doubt, and never equal to anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from footnote.documents.measures import (
    BUSINESS,
    CURRENCY_WORDS,
    LETTER_SCALES,
    SCALES,
    UNITS,
    Quantity,
    comparable,
    currency_of,
    read_numeral,
)
from footnote.documents.numberwords import read_words
from footnote.documents.pieces import Piece, PieceKind

_RANGE_JOINTS = {"-", "to", "bis", "a", "do"}
_BETWEEN = {"between", "zwischen", "entre", "pomiedzy", "miedzy"}
_BETWEEN_JOINTS = {"and", "und", "et", "i", "a"}
_FROM = {"from", "von", "de", "od", "ab"}
_PERCENT_OF_TWO = {"per", "pour"}
_MOVES = ("increas", "decreas", "rose", "fell", "grew", "declin", "chang", "rais", "reduc", "amend", "dropp", "lower",
          "erhoh", "gestieg", "stieg", "sank", "gesunk", "gesenkt", "passe", "augment", "diminu", "wzros", "spad", "zmien",
          "went", "moved", "hausse", "baiss", "veranderte", "podnies", "obniz")  # fmt: skip


@dataclass(slots=True)
class _Reading:
    """What has been read of one quantity: pieces used, value, and what else is known."""

    used: int
    value: Decimal
    currency: str = ""
    unit: str = ""
    scaled: bool = False
    doubt: bool = False
    words: bool = False
    place: int = 0


def compose(pieces: Sequence[Piece], language: str) -> list[Piece]:
    """The pieces with each quantity as one piece."""
    out: list[Piece] = []
    at = 0
    while at < len(pieces):
        found = _quantity(pieces, at, language)
        if found is None:
            out.append(pieces[at])
            at += 1
            continue
        reading, quantity = found
        out.append(_piece(pieces[at : at + reading.used], quantity))
        at += reading.used
    return out


def _piece(parts: Sequence[Piece], quantity: Quantity) -> Piece:
    text = " ".join(part.text for part in parts)
    written = " ".join(part.written for part in parts)
    return Piece(PieceKind.QUANTITY, text, parts[0].start, parts[-1].end, written, quantity=comparable(quantity))


def _quantity(pieces: Sequence[Piece], at: int, language: str) -> tuple[_Reading, Quantity] | None:
    reading = _read(pieces, at, language)
    if reading is None:
        return None
    single = Quantity(
        reading.value, "=", None, reading.currency, reading.unit, reading.scaled, reading.doubt, reading.place
    )
    second = _upper(pieces, at, reading, language)
    if second is None:
        return reading, single
    currency, unit = second.currency or reading.currency, second.unit or reading.unit
    scale = _shared_scale(reading, second)
    low = replace_value(reading.value, scale, unit if not reading.unit else "")
    if low > second.value:
        return reading, single
    doubt = reading.doubt or second.doubt
    merged = Quantity(low, "..", second.value, currency, unit, reading.scaled or second.scaled, doubt)
    return _Reading(second.used, low), merged


def replace_value(value: Decimal, scale: Decimal, unit: str) -> Decimal:
    """The lower end of a range in the scale and unit that only its upper end states: "2-3 years", "1 to 2 million"."""
    factor = next((factor for name, factor, base in UNITS.values() if base == unit and name == unit), Decimal(1))
    return value * scale * factor


def _shared_scale(low: _Reading, high: _Reading) -> Decimal:
    return Decimal(10) ** _scale_of(high) if high.scaled and not low.scaled else Decimal(1)


def _scale_of(reading: _Reading) -> int:
    exponent = 0
    for power in (12, 9, 6, 3):
        if reading.value and reading.value % (Decimal(10) ** power) == 0:
            return power
    return exponent


def _upper(pieces: Sequence[Piece], at: int, reading: _Reading, language: str) -> _Reading | None:
    """The upper end, if the quantity at `at` is the lower end of a range; `used` then counts from `at`."""
    joint = at + reading.used
    if joint + 1 >= len(pieces) or (reading.words and pieces[joint].text == "-"):
        return None
    before = pieces[at - 1].text if at else ""
    word = pieces[joint].text
    ranged = word == "-" or (before in _BETWEEN and word in _BETWEEN_JOINTS)
    if not ranged and word in _RANGE_JOINTS:
        ranged = before not in _FROM or not _moves(pieces, at)
    if not ranged:
        return None
    second = _read(pieces, joint + 1, language)
    if second is None or (reading.unit and second.unit != reading.unit):
        return None
    if reading.currency and second.currency not in ("", reading.currency):
        return None
    if word in ("to", "a", "do", "bis") and before not in _FROM and not (second.unit or second.currency):
        return None
    second.used += reading.used + 1
    second.currency = second.currency or reading.currency
    return second


def _moves(pieces: Sequence[Piece], at: int) -> bool:
    return any(piece.text.startswith(_MOVES) for piece in pieces[max(0, at - 12) : at])


def _read(pieces: Sequence[Piece], at: int, language: str) -> _Reading | None:
    """One quantity that starts at `at`."""
    place = at
    currency = ""
    negative = False
    if _text(pieces, place) == "-" and _stands_alone(pieces, place):
        negative, place = True, place + 1
    code = _currency_at(pieces, place)
    if code and place + 1 < len(pieces):
        currency, place = code, place + 1
        if _text(pieces, place) == "-":
            negative, place = True, place + 1
    numeral = _numeral(pieces, place, language)
    if numeral is None:
        return None
    value, used, doubt, words = numeral
    reading = _Reading(place + used - at, -value if negative else value, currency, doubt=doubt, words=words)
    reading.place = int(value.as_tuple().exponent)
    _take_twin(pieces, at, reading, language)
    _take_scale(pieces, at, reading)
    _take_unit(pieces, at, reading)
    return None if _only_a_word(pieces, at, reading) else reading


def _stands_alone(pieces: Sequence[Piece], place: int) -> bool:
    """A minus, not a hyphen or a dash: nothing touches it from before, and the number touches it."""
    if place + 1 >= len(pieces) or pieces[place + 1].start != pieces[place].end:
        return False
    return place == 0 or pieces[place - 1].end < pieces[place].start or pieces[place - 1].kind is PieceKind.CURRENCY


def _text(pieces: Sequence[Piece], at: int) -> str:
    return pieces[at].text if 0 <= at < len(pieces) else ""


def _currency_at(pieces: Sequence[Piece], at: int) -> str:
    if not 0 <= at < len(pieces):
        return ""
    piece = pieces[at]
    if piece.kind is PieceKind.CURRENCY:
        return currency_of(piece.text)
    if piece.kind is not PieceKind.WORD:
        return ""
    code = currency_of(piece.text)
    plain = piece.text in CURRENCY_WORDS or piece.text in ("zl", "pln", "usd", "eur", "gbp", "chf")
    return code if code and (plain or piece.written.isupper()) else ""


def _numeral(pieces: Sequence[Piece], at: int, language: str) -> tuple[Decimal, int, bool, bool] | None:
    """Value, pieces, doubt and whether it is in words, of the numeral at `at`."""
    if at >= len(pieces):
        return None
    piece = pieces[at]
    if piece.kind is PieceKind.NUMBER:
        read = read_numeral(piece.text, language)
        return (Decimal(0), 1, True, False) if read is None else (read[0], 1, read[1], False)
    if piece.kind is PieceKind.PERIOD and piece.text.isdigit() and _measured(pieces, at):
        return Decimal(piece.text), 1, False, False
    if piece.kind is not PieceKind.WORD:
        return None
    texts = [p.text if p.kind in (PieceKind.WORD, PieceKind.MARK) else "#" for p in pieces[at : at + 14]]
    words = read_words(texts, language)
    return None if words is None else (Decimal(words[0]), words[1], False, True)


def _measured(pieces: Sequence[Piece], at: int) -> bool:
    """A bare "2024" that has a currency or a unit is no year."""
    after = _text(pieces, at + 1)
    return bool(_currency_at(pieces, at - 1) or _currency_at(pieces, at + 1)) or after in UNITS or after in SCALES


def _take_twin(pieces: Sequence[Piece], at: int, reading: _Reading, language: str) -> None:
    """In "forty-five (45)" the numeral in brackets says the same again, or the whole is in doubt."""
    place = at + reading.used
    if _text(pieces, place) != "(" or place + 1 >= len(pieces):
        return
    twin = _numeral(pieces, place + 1, language)
    if twin is None or _text(pieces, place + 1 + twin[1]) != ")" or twin[3] == reading.words:
        return
    reading.doubt = reading.doubt or twin[2] or twin[0] != reading.value
    reading.used += twin[1] + 2


def _take_scale(pieces: Sequence[Piece], at: int, reading: _Reading) -> None:
    place = at + reading.used
    word = _text(pieces, place)
    power = SCALES.get(word)
    if power is None or reading.words:
        return
    if word in LETTER_SCALES and not (
        reading.currency
        or _currency_at(pieces, place + 1)
        or (word == "k" and pieces[place].start == pieces[place - 1].end)
    ):
        return
    reading.value *= Decimal(10) ** power
    reading.place += power
    reading.scaled = True
    reading.used += 2 if _text(pieces, place + 1) == "." and word in ("tys", "mrd", "mio", "mln", "tsd") else 1


def _take_unit(pieces: Sequence[Piece], at: int, reading: _Reading) -> None:
    if reading.currency or _take_currency(pieces, at, reading):
        return
    place = at + reading.used
    if _text(pieces, place) == "-":
        place += 1
    place, word, business = _unit_word(pieces, place)
    unit = UNITS.get(word)
    if unit is None or (len(word) == 1 and word.isalpha() and pieces[place].start > pieces[place - 1].end + 1):
        return
    behind = _text(pieces, place + 1) in BUSINESS
    if unit[0] == "day" and (business or behind):
        reading.unit = "business day"
        place += behind and not business
    else:
        reading.unit = unit[2]
        reading.value *= unit[1]
    reading.used = place + 1 - at


def _take_currency(pieces: Sequence[Piece], at: int, reading: _Reading) -> bool:
    """A currency behind the numeral: "5 EUR", "5 million US dollars"."""
    place = at + reading.used
    if _text(pieces, place) in ("us", "u", "of", "de", "d'", "american", "canadian", "-"):
        place += 1
    code = _currency_at(pieces, place)
    if code:
        reading.currency = code
        reading.used = place + 1 - at
    return bool(code)


def _unit_word(pieces: Sequence[Piece], place: int) -> tuple[int, str, bool]:
    """Where the word for the unit stands, the word, and whether only business days count."""
    word = _text(pieces, place)
    business = word in BUSINESS
    if (word in ("calendar", "kalender") or business) and _text(pieces, place + 1) in UNITS:
        return place + 1, _text(pieces, place + 1), business
    if word in _PERCENT_OF_TWO and _text(pieces, place + 1) == "cent":
        return place + 1, "percent", False
    if word == "basis" and _text(pieces, place + 1) in ("points", "point"):
        return place + 1, "bps", False
    two = (word == "percentage" and _text(pieces, place + 1) in ("points", "point")) or (
        word == "punktow" and _text(pieces, place + 1).startswith("procent")
    )
    return (place + 1, "pp", False) if two else (place, "" if business else word, False)


def _only_a_word(pieces: Sequence[Piece], at: int, reading: _Reading) -> bool:
    """A numeral of one word that counts nothing: "one party", "one of the", French "neuf"."""
    if not reading.words or reading.used != 1 or reading.unit or reading.currency:
        return False
    return pieces[at].text in ("one", "eins", "neuf", "jeden", "jedna", "jedno", "jednego", "jednej", "zero", "null")
