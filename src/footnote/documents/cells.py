"""A row of a table as it is read: its label, and each cell with its column headers, its scale and its currency. Pure.

A cell alone is a numeral; what it counts stands in its headers, in the table's unit and in other cells ("$" in the first
row, "(in thousands)" above). Where nothing says a scale, none is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from footnote.documents.folding import fold
from footnote.documents.lexicon import Lexicon
from footnote.documents.measures import BUSINESS, SYMBOLS, UNITS, Quantity, currency_of
from footnote.documents.tokens import Kind, Token, read
from footnote.documents.units import Cell, Unit

_NEGATIVE = re.compile(r"^\W*\(\s*[^()]*\d[^()]*\)\W*$|^\D*\d[\d.,' ]*-\s*$")
_FOOTNOTE = re.compile(r"\(\d{1,2}\)|(?<!\w)\(?[a-z]\)(?=\s|$)|\*+|[¹²³⁴⁵⁶⁷⁸⁹†‡]+")
_SCALE_WORDS: tuple[tuple[str, int], ...] = (
    (
        r"\bthousands?\b|\btausend\b|\btys\b|\btysi\w+|\bteur\b|\bkeur\b|'000|\b000s\b|\bmilliers\b|\btsd\b|\bk(?:eur|pln|usd|chf)\b",
        3,
    ),
    (
        r"\bmillions?\b|\bmio\b|\bmln\b|\bmillionen\b|\bmilion\w*|\bmn\b|[$€£]m\b|\bmeur\b|\b(?:eur|usd|chf|gbp)\s?m\b",
        6,
    ),
    (r"\bbillions?\b|\bmrd\b|\bmilliarde?n?s?\b|\bmiliard\w*|\bbn\b|\bcrores?\b", 9),
)
_CODES = re.compile(
    r"[$€£¥₹]|\b(?:usd|eur|gbp|chf|pln|jpy|czk|huf|sek|nok|dkk|cad|aud|inr|cny|rmb|zl|rm|euro|euros|zloty|zlotych|dollars?)\b"
)


@dataclass(frozen=True, slots=True)
class ReadCell:
    """A cell and what it counts.

    Attributes:
        cell: As the reader left it.
        headers: Tokens of its column headers.
        tokens: Of its text.
        value: Its number, scaled and with its currency; None if it is none.
        scale: Power of ten that was applied; None if nothing says one.
        lowest: Tokens of the header right above it.
    """

    cell: Cell
    headers: tuple[Token, ...]
    tokens: tuple[Token, ...]
    value: Quantity | None
    scale: int | None
    lowest: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row.

    Attributes:
        unit: The row.
        called: Tokens of its label.
        label: The same; where that is a number or code, those of its other words too.
        group: Of the groups it stands in.
        table: Of caption, unit and sections.
        cells: Its cells.
        fields: Words and references of those of its cells that hold no figure.
    """

    unit: Unit
    called: tuple[Token, ...]
    label: tuple[Token, ...]
    group: tuple[Token, ...]
    table: tuple[Token, ...]
    cells: tuple[ReadCell, ...]
    fields: tuple[Token, ...] = ()


def read_row(
    unit: Unit,
    language: str,
    lexicon: Lexicon,
    currencies: str,
    heads: Sequence[Sequence[str]],
    headed: str = "",
) -> ReadRow:
    """A row of a table.

    Args:
        unit: The row.
        language: Of its words and numerals.
        lexicon: Vocabulary.
        currencies: All text of the table's cells, where a currency may stand for all.
        heads: Column headers that a first row without figures adds, by column.
        headed: Language of the column headers, if it is another one.
    """
    table = unit.table
    around = " ".join(filter(None, (table.caption, table.unit))) if table else ""
    label = _FOOTNOTE.sub("", unit.key)
    languages = language, headed or language
    cells = tuple(_cell(cell, unit, languages, lexicon, currencies, heads) for cell in unit.cells)
    places = " . ".join((*unit.section[-2:], around))
    called = named = read(label, language, lexicon)
    texts = [cell for cell in cells if cell.value is None and cell.cell.text != unit.key]
    if not any(token.kind is Kind.WORD for token in named) and cells and cells[0].value is None:
        named += _name_in(cells[0])
    return ReadRow(
        unit,
        called,
        named,
        tuple(token for group in unit.group for token in read(_FOOTNOTE.sub("", group), language, lexicon)),
        read(places, language, lexicon),
        cells,
        tuple(t for cell in texts for t in cell.tokens if t.kind in (Kind.WORD, Kind.IDENTIFIER)),
    )


def _name_in(cell: ReadCell) -> tuple[Token, ...]:
    """The words of the cell beside a number or code, which say what the row is: "4471 | Delta Ltd | 5"."""
    words = tuple(token for token in cell.tokens if token.kind is Kind.WORD)
    return words if any(not currency_of(token.text) for token in words) else ()


def _cell(
    cell: Cell,
    unit: Unit,
    languages: tuple[str, str],
    lexicon: Lexicon,
    currencies: str,
    heads: Sequence[Sequence[str]],
) -> ReadCell:
    language, headed = languages
    headers = (*cell.headers, *(heads[cell.column] if cell.column < len(heads) else ()))
    texts = [_FOOTNOTE.sub("", header).replace("_", " ") for header in headers]
    read_heads = [read(text, headed, lexicon) for text in texts]
    tokens = tuple(token for found in read_heads for token in found)
    mine = read(cell.text, language, lexicon)
    value, scale = _value(cell, mine, unit, texts, currencies)
    return ReadCell(cell, tokens, mine, value, scale, read_heads[-1] if read_heads else ())


def _value(
    cell: Cell, tokens: Sequence[Token], unit: Unit, headers: Sequence[str], currencies: str
) -> tuple[Quantity | None, int | None]:
    numbers = [token.quantity for token in tokens if token.kind is Kind.NUMBER and token.quantity is not None]
    others = [token for token in tokens if token.kind in (Kind.WORD, Kind.PERIOD, Kind.IDENTIFIER)]
    years = [token for token in tokens if token.kind is Kind.PERIOD and token.text.isdigit()]
    if not numbers and len(years) == 1 and len(others) == 1:
        numbers, others = [Quantity(Decimal(years[0].text))], []
    if len(numbers) != 1 or others:
        return None, None
    quantity = numbers[0]
    if _NEGATIVE.match(cell.text) and quantity.value > 0:
        quantity = replace(quantity, value=-quantity.value)
    table = unit.table.unit if unit.table else ""
    caption = unit.table.caption if unit.table else ""
    near = [unit.key, *headers]
    unit_name = quantity.unit or _percent(near, table, quantity)
    if unit_name or quantity.unit:
        return replace(quantity, unit=unit_name, currency=""), None
    measured = None if quantity.currency or quantity.scaled else _measure(quantity, [*near, table], [caption], headers)
    if measured is not None:
        return measured, None
    unscaled = bool(_UNSCALED.search(fold(unit.key).text))
    scale = None if quantity.scaled else _scale(near if unscaled else [*near, table, caption])
    currency = quantity.currency or _currency([*near, table, caption, currencies])
    value = quantity.value * (Decimal(10) ** (scale or 0))
    scaled, place = quantity.scaled or scale is not None, quantity.place + (scale or 0)
    return replace(quantity, value=value, currency=currency, scaled=scaled, place=place), scale


_UNSCALED = re.compile(
    r"\bper (?:\w+ )?(?:share|unit|employee)\b|\b(?:je|pro) (?:aktie|stuck|mitarbeiter)\b|\bpar (?:action|part|salarie)\b|"
    r"\bna (?:akcje|udzial|sztuke|pracownika)\b|\b(?:employees|headcount|staff|mitarbeiter|beschaftigte|effectifs?|salaries|"
    r"pracownicy|pracownikow|zatrudnienie)\b(?!.*(?:cost|kosten|aufwand|charge|koszt|expense))|"
    r"[(\[]\s*(?:number|anzahl|nombre|liczba|usd|eur|gbp|pln|chf|[$€£])\s*[)\]]"
)
"""Rows that a table's "in thousands" is not meant for: figures a share or a unit, heads counted, a unit of the row's own."""


def _measure(
    quantity: Quantity, near: Sequence[str], captions: Sequence[str], headers: Sequence[str]
) -> Quantity | None:
    """The quantity in the unit that a head gives in brackets ("height (mm)"), or the caption ("lead times in days")."""
    named = [match for text in near for match in _BRACKETED.findall(text)]
    heads = {word[:4] for header in headers for word in fold(header).text.split() if len(word) > 3}
    for caption in captions:
        for part in re.split(r"[;,]", fold(caption).text):
            about, _, unit = part.rpartition(" in ")
            if about and heads & {word[:4] for word in about.split()}:
                named.append(unit)
    for text in named:
        words = fold(text).text.strip().split()
        unit = UNITS.get(words[-1]) if words else None
        if unit is None or len(words) > 2 or (len(words) == 2 and words[0] not in BUSINESS):
            continue
        if len(words) == 2 and unit[0] == "day":
            return replace(quantity, unit="business day")
        return replace(quantity, value=quantity.value * unit[1], unit=unit[2])
    return None


_BRACKETED = re.compile(r"[(\[]([^()\[\]]{1,20})[)\]]")


def _percent(near: Sequence[str], table: str, quantity: Quantity) -> str:
    if quantity.currency:
        return ""
    share = any("%" in text or "percent" in text.lower() or "prozent" in text.lower() for text in near)
    whole = table.strip(" ()").lower() in ("%", "in %", "percent", "in percent", "in prozent", "w %")
    return "percent" if share or whole else ""


def _scale(texts: Sequence[str]) -> int | None:
    for text in texts:
        folded = fold(text).text
        for pattern, power in _SCALE_WORDS:
            if re.search(pattern, folded):
                return power
    return None


def _currency(texts: Sequence[str]) -> str:
    for text in texts:
        found = {currency_of(match) or SYMBOLS.get(match, "") for match in _CODES.findall(fold(text).text)}
        found.discard("")
        if len(found) == 1:
            return found.pop()
        if found:
            return ""
    return ""
