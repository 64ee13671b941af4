"""Numerals in digits, currencies, scales and units as documents write them, and amounts that can be compared. Pure.

Text is folded (`folding`). A numeral that reads differently by language ("1.250") is read as its language writes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from footnote.figures.currencies import MINOR_DIGITS

NUMERAL = re.compile(
    r"\d{1,3}(?:'\d{3})+(?:[.,]\d+)?|\d{1,3}(?: \d{3})+(?:,\d+)?(?![\d.])|\d+(?:[.,]\d+)*|(?<![\w.,])\.\d+"
)

SYMBOLS: dict[str, str] = {
    "us$": "USD", "u.s.$": "USD", "$": "USD", "£": "GBP", "€": "EUR", "¥": "JPY", "zł": "PLN", "zl": "PLN", "₹": "INR",
    "₽": "RUB", "c$": "CAD", "ca$": "CAD", "cad$": "CAD", "a$": "AUD", "au$": "AUD", "hk$": "HKD", "s$": "SGD", "nz$": "NZD",
    "r$": "BRL", "fr.": "CHF", "sfr.": "CHF", "sfr": "CHF", "kc": "CZK", "₩": "KRW", "₺": "TRY", "₪": "ILS", "rm": "MYR",
    "rs.": "INR", "rmb": "CNY", "ft": "HUF",
}  # fmt: skip
"""Currency symbols, folded. "$" alone is taken for USD in claim and passage alike."""

CURRENCY_WORDS: dict[str, str] = (
    dict.fromkeys("euro euros eur".split(), "EUR")
    | dict.fromkeys("dollar dollars dollara".split(), "USD")
    | dict.fromkeys("zloty zlotych zlote zlotego".split(), "PLN")
    | dict.fromkeys("franc francs franken".split(), "CHF")
    | dict.fromkeys("sterling".split(), "GBP")
    | dict.fromkeys("yen".split(), "JPY")
)
SCALES: dict[str, int] = (
    dict.fromkeys("k thousand thousands tausend tsd tys tysiecy tysiace tysiac teur keur mille".split(), 3)
    | dict.fromkeys("m mm mn mln mio million millions millionen milion miliony milionow".split(), 6)
    | dict.fromkeys(
        "bn billion billions mrd md mld milliarde milliarden milliard milliards miliard miliardy miliardow".split(), 9
    )
    | dict.fromkeys("tn trillion trillions".split(), 12)
)
"""Words and letters that scale a numeral, and the power of ten they stand for."""
LETTER_SCALES = {"k", "m", "mm", "md"}
"""Count as a scale beside a currency only; "15 m" are metres."""

_UNITS: dict[str, tuple[str, Decimal, str]] = {}


def _unit(name: str, base: str, factor: str, words: str) -> None:
    for word in words.split():
        _UNITS[word] = (name, Decimal(factor), base)


_unit("day", "minute", "1440", "day days tag tage tagen tages jour jours dzien dni dniach dnia")
_unit("week", "minute", "10080", "week weeks woche wochen semaine semaines tydzien tygodnie tygodni tygodnia")
_unit("month", "month", "1", "month months monat monate monaten monats mois miesiac miesiace miesiecy miesiaca")
_unit("quarter", "month", "3", "quarters")
_unit("year", "month", "12", "year years jahr jahre jahren jahres an ans annee annees rok lata lat roku")
_unit("hour", "minute", "60", "hour hours hrs stunde stunden heure heures godzina godziny godzin h")
_unit("minute", "minute", "1", "minute minutes min minuten minuta minuty minut")
_unit("metre", "metre", "1", "m metre metres meter meters meters metrow metry metr metern")
_unit("kilometre", "metre", "1000", "km kilometre kilometres kilometer kilometers kilometern kilometres kilometrow")
_unit("millimetre", "metre", "0.001", "mm millimetre millimetres millimeter millimetern milimetr milimetrow")
_unit("centimetre", "metre", "0.01", "cm centimetre centimetres centimeter zentimeter centymetr centymetrow")
_unit("inch", "inch", "1", "inch inches zoll pouce pouces cal cali")
_unit("pound weight", "pound weight", "1", "lb lbs")
_unit("mile", "mile", "1", "mile miles meile meilen mil")
_unit("square metre", "square metre", "1", "m² m2 sqm qm")
_unit("kilogram", "kilogram", "1", "kg kilogram kilograms kilogramm kilo kilos kilogramow")
_unit("gram", "gram", "1", "g gram grams gramm grammes")
_unit("tonne", "kilogram", "1000", "t tonne tonnes tons ton tonnen tony")
_unit("litre", "litre", "1", "l litre litres liter litern litrow")
_unit("degree", "degree", "1", "degree degrees grad degres stopni stopnie °c °")
_unit("kilowatt-hour", "kilowatt-hour", "1", "kwh")
_unit("megawatt-hour", "kilowatt-hour", "1000", "mwh")
_unit("gigawatt-hour", "kilowatt-hour", "1000000", "gwh")
_unit("cubic metre", "cubic metre", "1", "m³ m3")
_unit("percent", "percent", "1", "% percent pct prozent pourcent procent proc")
_unit("basis point", "basis point", "1", "bp bps")
_unit("percentage point", "percentage point", "1", "pp pps prozentpunkte prozentpunkten")

UNITS = _UNITS
"""Folded word to unit, factor and the unit it is compared in."""

BUSINESS = {"business", "working", "banking", "werk", "arbeits", "bank", "ouvrables", "ouvres", "ouvrable", "roboczych",
            "robocze", "robocza", "roboczy"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as stated, in comparable form.

    Attributes:
        value: Scaled; of a range its lower end.
        bound: `=`, `>=`, `>`, `<=`, `<`, `~` (about) or `..` (a range).
        upper: Upper end of a range.
        currency: ISO 4217 code, or empty.
        unit: In which `value` is compared ("month", "percent"), or empty.
        scaled: A scale was stated with it.
        place: Power of ten of the last digit that is stated: 5 for "2.5m".
        doubt: It cannot be read safely.
    """

    value: Decimal
    bound: str = "="
    upper: Decimal | None = None
    currency: str = ""
    unit: str = ""
    scaled: bool = False
    doubt: bool = False
    place: int = 0

    @property
    def kind(self) -> str:
        """What it can be compared with: money, the unit, or a bare count."""
        return "money" if self.currency else self.unit or "count"


def read_numeral(written: str, language: str) -> tuple[Decimal, bool] | None:
    """The value of a numeral in digits, and whether it is doubtful; None if it is none.

    "1,234.56", "1.234,56", "1 234,56", "1'234.50", ".5". One mark before exactly three digits groups them in the way
    of the language: "1.250" is 1250 in German, French and Polish, 1.25 in English.
    """
    text = written.replace(" ", "").replace("'", "")
    marks = [char for char in text if char in ".,"]
    if not marks:
        return Decimal(text), False
    if len(set(marks)) == 2:
        decimal = marks[-1]
        group = "," if decimal == "." else "."
        whole, _, fraction = text.rpartition(decimal)
        if marks.count(decimal) > 1 or not _grouped(whole, group):
            return None
        return Decimal(whole.replace(group, "") + "." + fraction), False
    mark = marks[0]
    if len(marks) > 1:
        return (Decimal(text.replace(mark, "")), False) if _grouped(text, mark) else None
    whole, _, fraction = text.partition(mark)
    grouping = "," if language == "en" else "."
    if len(fraction) == 3 and 1 <= len(whole) <= 3 and whole != "0" and (mark == grouping):
        return Decimal(whole + fraction), False
    doubt = len(fraction) == 3 and mark == "," and whole not in ("", "0")
    return Decimal((whole or "0") + "." + fraction), doubt


def _grouped(text: str, mark: str) -> bool:
    parts = text.split(mark)
    return 1 <= len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:]) and all(p.isdigit() for p in parts)


def currency_of(word: str) -> str:
    """The ISO code that a folded word or symbol stands for; empty if it is no currency."""
    if word in SYMBOLS:
        return SYMBOLS[word]
    if word in CURRENCY_WORDS:
        return CURRENCY_WORDS[word]
    upper = word.upper()
    return upper if len(upper) == 3 and upper in MINOR_DIGITS and upper not in _WORDS_TOO else ""


_WORDS_TOO = {"ALL", "TOP", "TRY", "MOP", "CUP", "GEL", "LAK", "PEN", "BAM", "RON", "LEI", "SIT", "DEM", "COP", "MAD", "SOS",
              "NIO", "ANG", "PAB", "BOB"}  # fmt: skip
"""Codes that are everyday words when folded; they count in capitals only, which `tokens` checks."""


def comparable(quantity: Quantity) -> Quantity:
    """The quantity with basis points as percentage points."""
    if quantity.unit == "basis point":
        upper = None if quantity.upper is None else quantity.upper / 100
        return replace(
            quantity, value=quantity.value / 100, upper=upper, unit="percentage point", place=quantity.place - 2
        )
    return quantity
