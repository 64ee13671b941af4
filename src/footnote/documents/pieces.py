"""A text cut into words, marks, numerals, currency signs, dates and identifiers, each with its place. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from footnote.documents.folding import Folded, fold
from footnote.documents.lexicon import WORD
from footnote.documents.measures import SYMBOLS, Quantity, currency_of
from footnote.documents.periods import Period, find_periods


class PieceKind(StrEnum):
    """What a piece is."""

    WORD = "word"
    MARK = "mark"
    NUMBER = "number"
    CURRENCY = "currency"
    PERIOD = "period"
    IDENTIFIER = "identifier"
    QUANTITY = "quantity"
    """A numeral with all that belongs to it; made by `amounts`."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece.

    Attributes:
        kind: What it is.
        text: Folded.
        start: In the text as written.
        end: Behind it.
        written: As written, where case tells something.
        period: Of a date or period.
        quantity: Of a quantity.
    """

    kind: PieceKind
    text: str
    start: int
    end: int
    written: str
    period: Period | None = None
    quantity: Quantity | None = None


_CURRENCY = "|".join(sorted((re.escape(s) for s in SYMBOLS if not s.isalpha()), key=len, reverse=True))
_SCAN = re.compile(
    rf"""(?P<currency>(?<![a-z])(?:{_CURRENCY}))
    | (?P<iban>(?<![\w])[a-z]{{2}}\d{{2}}(?:\s?[a-z0-9]{{4}}){{3,7}}(?:\s?[a-z0-9]{{1,3}})?(?![\w]))
    | (?P<identifier>(?<![\w])(?:
          [a-z]{{1,8}}[-/.\#_]?\d\w*(?:[-/._]\w+)*
        | [a-z]{{1,8}}(?:[-/_][a-z0-9]+)*[-/_]\d\w*(?:[-/._]\w+)*
        | \d+[a-z]+\d\w*(?:[-/]\w+)*
        | \d+(?:[-/]\d+){{2,}}
        | \d+/\d+(?:/\w+)*
        | (?!\d{{1,3}}(?:\.\d{{3}})+(?!\d))\d+\.\d+(?:\.\d+)+(?![\d,])
        | §+\s?\d+[a-z]?(?:\.\d+)*
      ))
    | (?P<number>(?<![\w.,])\.\d+|\d{{1,3}}(?:'\d{{3}})+(?:[.,]\d+)?|\d{{1,3}}(?:\ \d{{3}})+(?:,\d+)?(?![\d.])|\d+(?:[.,]\d+)*)
    | (?P<word>{WORD.pattern})""",
    re.VERBOSE,
)
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_MONEY_CODE = re.compile(r"([a-z]{2,4})-?(\d[\d.,]*)")
_ENUMERATOR = re.compile(
    r"\s*(?:[-*\u2022#]+\s+|>\s+)*(?:(?:\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)]|\d{1,2}(?:\.\d{1,2})+\.?|§\s?\d+)\s+(?=\S))?"
)
_LABELS = frozenset(
    """section clause article art paragraph par note level phase schedule exhibit annex appendix lot step class series tier
    item no nr number invoice order contract agreement amendment rechnung artikel abschnitt ziffer absatz abs anlage bestellung
    vertrag facture commande annexe avenant contrat faktura faktury fakture umowa umowy zamowienie zamowienia aneks aneksu
    zalacznik ust pkt ustep paragraf customer supplier account project room unit floor rule form model type version lp ticket
    case konto kunde client klient chapter part page building n° nachtrag kundennummer rechnungsnummer""".split()
)


def pieces_of(text: str) -> list[Piece]:
    """The pieces of a text, in order; the number of its clause or list item at the start is left out."""
    folded = fold(text)
    enumerator = _ENUMERATOR.match(folded.text)
    at = enumerator.end() if enumerator else 0
    out: list[Piece] = []
    for period in find_periods(folded.text):
        if period.start >= at:
            out.extend(_scanned(text, folded, at, period.start))
            out.append(_piece(PieceKind.PERIOD, text, folded, period.start, period.end, period))
            at = period.end
    out.extend(_scanned(text, folded, at, len(folded.text)))
    return _labelled(out)


def _scanned(text: str, folded: Folded, at: int, end: int) -> list[Piece]:
    out: list[Piece] = []
    position = at
    while match := _SCAN.search(folded.text, position, end):
        position = match.end()
        group = match.lastgroup or "word"
        if group == "word":
            kind = PieceKind.WORD if match[0][0].isalpha() else PieceKind.MARK
            out.append(_piece(kind, text, folded, match.start(), match.end()))
        elif group == "currency":
            out.append(_piece(PieceKind.CURRENCY, text, folded, match.start(), match.end()))
        elif group == "number":
            position = match.start() + _number_length(text, folded, match)
            out.append(_piece(PieceKind.NUMBER, text, folded, match.start(), position))
        elif code := _MONEY_CODE.fullmatch(match[0]):
            if currency_of(code[1]):
                out.append(_piece(PieceKind.CURRENCY, text, folded, match.start(), match.start() + len(code[1])))
                position = match.start() + len(code[1])
            else:
                out.append(_piece(PieceKind.IDENTIFIER, text, folded, match.start(), match.end()))
        else:
            out.append(_piece(PieceKind.IDENTIFIER, text, folded, match.start(), match.end()))
    return out


def _number_length(text: str, folded: Folded, match: re.Match[str]) -> int:
    """An everyday space groups digits only where a decimal comma, a zero or a currency shows it, or a narrow one was written."""
    written = text[folded.start(match.start()) : folded.end(match.end())]
    if " " not in match[0] or " " not in written or "," in match[0] or match[0].endswith("000"):
        return len(match[0])
    if _COUNTED.match(folded.text, match.end()) and not _LABELLED.search(folded.text, 0, match.start()):
        return len(match[0])
    return match[0].index(" ")


_COUNTED = re.compile(r"\s?(?:€|zl\b|pln\b|eur\b|euros?\b|chf\b|tys\b|mln\b|mio\b|milliers\b|kc\b|nok\b|sek\b)")
"""What is counted by the thousand: "1 200 EUR" is one number."""
_LABELLED = re.compile(r"(?:\b(?:poz|nr|no|pos|lp|nos|position|item|rata|raty)\b\.?|[,;:(])\s*$")


def _piece(kind: PieceKind, text: str, folded: Folded, start: int, stop: int, period: Period | None = None) -> Piece:
    first, last = folded.start(start), folded.end(stop)
    return Piece(kind, folded.text[start:stop], first, last, text[first:last], period)


def _labelled(pieces: list[Piece]) -> list[Piece]:
    """Numbers behind a label name something: "Section 12", "invoice no. 8812" are identifiers, no quantities."""
    out: list[Piece] = []
    for piece in pieces:
        if piece.kind is PieceKind.NUMBER and _is_label(out) and not _GROUPED.fullmatch(piece.text):
            piece = Piece(PieceKind.IDENTIFIER, piece.text, piece.start, piece.end, piece.written)
        out.append(piece)
    return out


def _is_label(before: list[Piece]) -> bool:
    at = len(before) - 1
    while at >= 0 and before[at].kind is PieceKind.MARK and before[at].text in ".#:":
        at -= 1
    return at >= 0 and before[at].kind is PieceKind.WORD and before[at].text in _LABELS
