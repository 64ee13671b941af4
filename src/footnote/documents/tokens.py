"""A sentence read as tokens: words with what they mean, quantities, dates, identifiers, and the words that steer it. Pure.

Every token keeps its place in the text as written. What states a number and cannot be valued is a token in doubt, never
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from unicodedata import normalize

from footnote.documents.amounts import compose
from footnote.documents.lexicon import Lexicon, stem
from footnote.documents.measures import Quantity
from footnote.documents.periods import Period
from footnote.documents.pieces import Piece, PieceKind, pieces_of


class Kind(StrEnum):
    """What a token is."""

    WORD = "word"
    FUNCTION = "function"
    NUMBER = "number"
    PERIOD = "period"
    IDENTIFIER = "identifier"
    OPERATOR = "operator"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        kind: What it is.
        text: Folded.
        start: In the text as written.
        end: Behind it.
        keys: What it means: its folded form, its stem, its concepts; for comparing.
        operator: How it steers the sentence ("negation", "may"); empty for others.
        quantity: Of a number.
        period: Of a date or period.
        name: Written like a proper name.
        soft: A noun of measure, or a verb that only carries its object.
        capital: A word without a concept that is written with a capital; at the beginning of a sentence that may be a
            name or not.
    """

    kind: Kind
    text: str
    start: int
    end: int
    keys: frozenset[str] = frozenset()
    operator: str = ""
    quantity: Quantity | None = None
    period: Period | None = None
    name: bool = False
    soft: bool = False
    capital: bool = False

    @property
    def content(self) -> bool:
        """True if it says something that has to be met."""
        return self.kind in _CONTENT


_SUBJUNCTIVE = frozenset("würde würden dürfte dürften könnte könnten müsste müssten".split())
_CONTENT = frozenset((Kind.WORD, Kind.NUMBER, Kind.PERIOD, Kind.IDENTIFIER))
_BOUNDS = {"at_least": ">=", "more_than": ">", "at_most": "<=", "less_than": "<", "about": "~"}
_AFTER = {"more": ">=", "greater": ">=", "longer": ">=", "mehr": ">=", "plus": ">=", "wiecej": ">=", "above": ">=",
          "higher": ">=", "less": "<=", "fewer": "<=", "weniger": "<=", "moins": "<=", "mniej": "<=", "shorter": "<=",
          "below": "<="}  # fmt: skip
_AMOUNTING = frozenset(("over", "uber"))
_OR = frozenset("or and oder ou lub".split())
_MODAL = frozenset("shall must may will darf peut doit moze".split())
_KINDS = {PieceKind.QUANTITY: Kind.NUMBER, PieceKind.NUMBER: Kind.NUMBER, PieceKind.PERIOD: Kind.PERIOD,
          PieceKind.IDENTIFIER: Kind.IDENTIFIER, PieceKind.CURRENCY: Kind.WORD}  # fmt: skip


def read(text: str, language: str, lexicon: Lexicon) -> tuple[Token, ...]:
    """The tokens of a text in one of `lexicon.LANGUAGES`, in order."""
    pieces = compose(pieces_of(text), language)
    tokens = _meanings(text, pieces, language, lexicon)
    return tuple(_bounded(_clock(tokens) if language == "en" else tokens))


def _clock(tokens: list[Token]) -> list[Token]:
    """The half of the day belongs to its hour: 5 am is not 5 pm."""
    out: list[Token] = []
    for token in tokens:
        hour = out[-1] if out else None
        if hour is not None and token.text in _HALVES and hour.quantity is not None and hour.quantity.kind == "count":
            out[-1] = replace(hour, quantity=replace(hour.quantity, unit=_HALVES[token.text]), end=token.end)
            continue
        out.append(token)
    return out


_HALVES = {"am": "hour before noon", "pm": "hour after noon"}


def _meanings(text: str, pieces: Sequence[Piece], language: str, lexicon: Lexicon) -> list[Token]:
    words = [piece.text if piece.kind in (PieceKind.WORD, PieceKind.MARK) else "\0" for piece in pieces]
    stems = [stem(p.written, language) if p.kind is PieceKind.WORD else p.text for p in pieces]
    operators, concepts = lexicon.operators[language], lexicon.concepts[language]
    out: list[Token] = []
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        if piece.kind not in (PieceKind.WORD, PieceKind.MARK):
            out.append(_slot(piece))
            at += 1
            continue
        count, steers = operators.find(words, at)
        span, means = concepts.find(words, stems, at)
        if span > 1 and operators.find(words, at + span - 1)[0] > 1:  # "the loan amounts to" is about no loan amount
            span, means = concepts.find(words[: at + span - 1], stems[: at + span - 1], at)
        operator = _operator(steers, pieces, at + count) if count >= span else ""
        if normalize("NFC", piece.written).lower() in _SUBJUNCTIVE:
            operator, count = "plan", 1  # folded, "würde" is "wurde"
        if operator:
            out.append(_word(pieces[at : at + count], Kind.OPERATOR, operator=operator))
            at += count
        elif span and not (_DOCUMENTS.isdisjoint(means) and span == 1 and _in_name(pieces, at, out, language)):
            soft = span == 1 and not _how_often(means, lexicon) and _is_soft(stems[at], language, lexicon)
            out.append(replace(_concept(text, pieces, at, span, means), soft=soft))
            at += span
        else:
            out.append(_plain(text, pieces, at, stems[at], language, lexicon))
            at += 1
    return out


def _operator(steers: tuple[str, ...], pieces: Sequence[Piece], after: int) -> str:
    """The first meaning that fits: a bound needs its number."""
    for operator in steers:
        compares = pieces[after - 1].text in _THAN and pieces[after - 2].text in _LEVELS
        if operator in _BOUNDS and not _number_follows(pieces, after, dates=not compares):
            continue
        return operator
    return ""


_THAN = frozenset("than als a que niz".split())
_LEVELS = frozenset(
    "higher lower greater smaller larger hoher niedriger superieur superieure inferieur inferieure wyzszy nizszy".split()
)
"""In "higher than in 2024" two levels are compared; the year is no bound."""


def _number_follows(pieces: Sequence[Piece], at: int, *, dates: bool) -> bool:
    for piece in pieces[at : at + 4]:
        if piece.kind in (PieceKind.QUANTITY, PieceKind.NUMBER) or (dates and piece.kind is PieceKind.PERIOD):
            return True
        if piece.text not in _PASSED:
            return False
    return False


_PASSED = frozenset(
    "a an the of period to for total amount by eine einen der die das von un une de d' la le okresu kwoty on".split()
)


def _slot(piece: Piece) -> Token:
    kind = _KINDS[piece.kind]
    quantity = piece.quantity
    keys = frozenset((piece.text.replace(" ", "").rstrip("."),)) if kind is Kind.IDENTIFIER else frozenset()
    return Token(kind, piece.text, piece.start, piece.end, keys, quantity=quantity, period=piece.period)


def _word(parts: Sequence[Piece], kind: Kind, *, operator: str = "", keys: frozenset[str] = frozenset()) -> Token:
    text = " ".join(part.text for part in parts)
    return Token(kind, text, parts[0].start, parts[-1].end, keys or frozenset((text,)), operator)


def _concept(text: str, pieces: Sequence[Piece], at: int, span: int, means: tuple[str, ...]) -> Token:
    keys = frozenset((*(f"@{meaning}" for meaning in means), " ".join(piece.text for piece in pieces[at : at + span])))
    token = _word(pieces[at : at + span], Kind.WORD, keys=keys)
    return replace(token, name=_named(text, pieces, at))


def _plain(text: str, pieces: Sequence[Piece], at: int, stemmed: str, language: str, lexicon: Lexicon) -> Token:
    piece = pieces[at]
    if piece.kind is PieceKind.MARK:
        return Token(Kind.MARK, piece.text, piece.start, piece.end)
    if piece.text.rstrip("'") in lexicon.function[language] and not _capital_name(pieces, at):
        return Token(Kind.FUNCTION, piece.text, piece.start, piece.end, frozenset((piece.text,)))
    soft = _is_soft(stemmed, language, lexicon)
    keys = frozenset((piece.text, stemmed))
    return Token(
        Kind.WORD,
        piece.text,
        piece.start,
        piece.end,
        keys,
        name=_named(text, pieces, at),
        soft=soft,
        capital=piece.written[:1].isupper(),
    )


def _how_often(means: Iterable[str], lexicon: Lexicon) -> bool:
    """Whether it says how often: "yearly" has the stem of a noun of measure, and is not "monthly"."""
    return "monthly" in means or lexicon.opposes((f"@{name}" for name in means), ("@monthly",))


def _is_soft(stemmed: str, language: str, lexicon: Lexicon) -> bool:
    return stemmed in lexicon.soft[language] or stemmed in lexicon.light[language]


def _capital_name(pieces: Sequence[Piece], at: int) -> bool:
    """A function word in capitals between names belongs to them: "The Bank OF Wien" does not, "IT" does."""
    written = pieces[at].written
    return len(written) > 1 and written.isupper() and at > 0 and not pieces[at - 1].written.isupper()


def _named(text: str, pieces: Sequence[Piece], at: int) -> bool:
    written = pieces[at].written
    if not written[:1].isupper():
        return False
    first = at == 0 or (pieces[at - 1].text in ".:!?" and pieces[at - 1].kind is PieceKind.MARK)
    if not first:
        return True
    after = pieces[at + 1].written if at + 1 < len(pieces) else ""
    return len(written) > 1 and (written.isupper() or after[:1].isupper())


def _in_name(pieces: Sequence[Piece], at: int, before: Sequence[Token], language: str) -> bool:
    """Whether a word of the vocabulary is part of a proper name here, which has no synonyms: "Atlas Goods Ltd"."""
    if not pieces[at].written[:1].isupper():
        return False
    end = at + 1
    while end < len(pieces) and pieces[end].kind is PieceKind.WORD and pieces[end].written[:1].isupper():
        if pieces[end].text in LEGAL_FORMS:
            return True
        end += 1
    last = before[-1] if before else None
    named = last is not None and last.capital and not last.soft and last.kind is Kind.WORD
    if not named or all(piece.written[:1].isupper() for piece in pieces if piece.kind is PieceKind.WORD):
        return False
    return not (language == "de" and len(before) == 1)


_DOCUMENTS = frozenset(
    "agreement supply_contract lease amendment terms schedule policy clause invoice order party board committee".split()
)
"""What is called by a title, "Master Supply Agreement", and is a document, a part of one, or who signs it, all the same."""
LEGAL_FORMS = frozenset("ltd limited inc llc llp plc corp gmbh ag kg ohg kgaa sa sas sarl spa bv nv oy ab as".split())


def _bounded(tokens: list[Token]) -> list[Token]:
    """Bounds become part of their number; "at least" is no token of its own."""
    out: list[Token] = []
    for token in tokens:
        if token.kind is Kind.NUMBER and token.quantity is not None:
            token = _with_bound(token, out)
        out.append(token)
    return _settled(_priced(_bounds_behind(out)))


def _priced(tokens: list[Token]) -> list[Token]:
    """In "a box costs 5 EUR" the verb names a price; what only introduces a date says nothing of its own."""
    out: list[Token] = []
    for at, token in enumerate(tokens):
        following = tokens[at + 1].kind if at + 1 < len(tokens) else Kind.MARK
        if "@cost" in token.keys and following is Kind.NUMBER:
            token = replace(token, keys=token.keys | {"@price"})
        elif (token.text in _DATING and following is Kind.PERIOD) or (
            token.text in _AFTER_THAT and _limit(tokens[at - 1])
        ):
            token = replace(token, kind=Kind.FUNCTION, keys=frozenset((token.text,)))
        out.append(token)
    return out


_AFTER_THAT = frozenset("after following nach apres po".split())


def _limit(token: Token) -> bool:
    """A limit of time, which runs from what follows: "no later than ten days after" is "within ten days of"."""
    quantity = token.quantity
    return quantity is not None and quantity.kind in ("minute", "month", "business day") and quantity.bound == "<="


def _settled(tokens: list[Token]) -> list[Token]:
    """Who settles an invoice pays it; who settles a dispute, a claim or an estate does something else."""
    if not any(token.text in _SETTLING for token in tokens):
        return tokens
    keys = {key for token in tokens for key in token.keys}
    money = any(token.quantity is not None and token.quantity.currency for token in tokens)
    owed = (
        money or not keys.isdisjoint(_OWED) or any(t.kind is Kind.IDENTIFIER for t in tokens)
    ) and not keys & _ARGUED
    if owed:
        return tokens
    return [replace(token, keys=token.keys - {"@pay"}) if token.text in _SETTLING else token for token in tokens]


_SETTLING = frozenset("settle settled settles settling regle regler reglee verse verser acquitter".split())
_OWED = frozenset(
    """@invoice @amount_due @debt @fee @fee_for_work @fee_of_bank @rent @price @penalty @fine_ @tax @vat @deposit @instalment
    @balance @premium @receivables @payables @interest @salary @payment @charge @cost @damages @purchase_price""".split()
)
_ARGUED = frozenset(
    "@dispute @lawsuit @complaint @arbitration @claim_ @warranty_claim @dispute_ matter matters question case claim claims".split()
)


_DATING = frozenset(
    ("im jahr", "na dzien", "z dniem", "dniem", "dnia", "dzien", "since", "year", "jahr", "roku", "rok", "am ende")
)
"""Words that only introduce a date: "im Jahr 2024", "na dzień 31 grudnia"."""


def _with_bound(token: Token, before: list[Token]) -> Token:
    at = len(before) - 1
    while at >= 0 and before[at].kind is Kind.FUNCTION and len(before) - at < 4:
        at -= 1
    quantity = token.quantity
    if quantity is None or at < 0 or before[at].operator not in _BOUNDS or quantity.bound != "=":
        return token
    if before[at].text in _AMOUNTING and at and before[at - 1].kind is Kind.IDENTIFIER and quantity.currency:
        del before[at:]  # "invoice 8812 over 5 EUR" is an invoice of 5 EUR
        return token
    bound = _BOUNDS[before[at].operator]
    text = f"{before[at].text} {token.text}"
    start = before[at].start
    modal = next((word for word in before[at].text.split() if word in _MODAL), "")
    place = replace(before[at], text=modal, operator="must", end=before[at].start)
    before[at:] = [place] if modal else []
    return replace(token, quantity=replace(quantity, bound=bound), start=start, text=text)


def _bounds_behind(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind is Kind.NUMBER and at + 2 < len(tokens) and tokens[at + 1].text in _OR:
            bound = _AFTER.get(tokens[at + 2].text)
            if bound and token.quantity is not None and token.quantity.bound == "=":
                token = replace(token, quantity=replace(token.quantity, bound=bound), end=tokens[at + 2].end)
                at += 2
        out.append(token)
        at += 1
    return out
