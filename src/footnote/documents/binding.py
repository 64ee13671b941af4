"""Which number belongs to which date and which word, where a sentence has several. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.documents.align import Alignment
from footnote.documents.residue import FROM, TO
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token
from footnote.documents.verdict import Reason

_RESPECTIVELY = frozenset("respectively respectivement odpowiednio jeweils beziehungsweise".split())


def misbound(alignment: Alignment) -> list[Reason]:
    """BINDING if a number of the claim belongs to another date or word of the passage than the claim says."""
    numbers = [at for at, token in enumerate(alignment.passage) if token.kind is Kind.NUMBER]
    if len(numbers) < 2:
        return []
    out: list[Reason] = []
    respective = any(token.text in _RESPECTIVELY for token in alignment.passage)
    for n, token in enumerate(alignment.claim):
        place = alignment.at[n]
        if token.kind is not Kind.NUMBER or place is None:
            place = _differing(alignment, token)
        if token.kind is Kind.NUMBER and place is not None:
            wrong = _not_respective(alignment, place) if respective else _wrong_date(alignment, place, numbers)
            if wrong or (not respective and _closer_number(alignment, n, place, numbers)):
                out.append(Reason.BINDING)
    return out


def moved_otherwise(claim: Statement, alignment: Alignment) -> bool:
    """In "rose by 5", "rose to 5" and "rose from 5" the figure is three different things."""
    passage = alignment.passage
    for n, token in enumerate(alignment.claim):
        place = alignment.at[n]
        if token.kind is not Kind.NUMBER or place is None:
            continue
        mine = _leads(next(at for at, other in enumerate(claim.tokens) if other is token), claim.tokens)
        its = _leads(place, passage)
        moves = any(other.keys & _MOVES for other in (*claim.tokens, *passage))
        if moves and mine != its and ({mine, its} == {"by", "to"} or (mine and its and "from" in (mine, its))):
            return True
    return False


def dated_otherwise(claim: Statement, alignment: Alignment) -> bool:
    """In "from 3 May" and "until 3 May" the date is two different ends."""
    for n, token in enumerate(alignment.claim):
        place = alignment.at[n]
        if token.kind is not Kind.PERIOD or place is None:
            continue
        at = next(at for at, other in enumerate(claim.tokens) if other is token)
        if {_end(at, claim.tokens), _end(place, alignment.passage)} == {"from", "to"}:
            return True
    return False


_ENDS = dict.fromkeys("from since von ab seit de depuis od".split(), "from") | dict.fromkeys(
    "to until till bis jusqu'a jusqu' jusqu do".split(), "to"
)


def _end(at: int, tokens: Sequence[Token]) -> str:
    return next((_ENDS[t.text] for t in reversed(tokens[max(0, at - 2) : at]) if t.text in _ENDS), "")


def behind_tail(claim: Statement, passage: Statement, alignment: Alignment) -> bool:
    """Part of the claim is met before, and part behind, what only explains: "a fee, which had been 30, is 40"."""
    if any(token.operator == "tail" for token in claim.tokens):
        return False
    places = [place for place in alignment.at if place is not None]
    tails = [at for at, token in enumerate(passage.tokens) if token.operator == "tail"]
    return any(min(places) < at < max(places) for at in tails)


_MOVES = frozenset(("@increase", "@decrease", "@change"))
_LEADS = (
    dict.fromkeys("by um o de d' of".split(), "by")
    | dict.fromkeys("to auf do a na".split(), "to")
    | dict.fromkeys("from von z od".split(), "from")
)


def _leads(at: int, tokens: Sequence[Token]) -> str:
    return _LEADS.get(tokens[at - 1].text, "") if at else ""


def _differing(alignment: Alignment, token: Token) -> int | None:
    found = next((other for _, mine, other in alignment.differs if mine is token), None)
    return None if found is None else next(at for at, other in enumerate(alignment.passage) if other is found)


def _wrong_date(alignment: Alignment, place: int, numbers: list[int]) -> bool:
    """The claim's date stands with another number of the passage."""
    dates = [at for n, at in enumerate(alignment.at) if at is not None and alignment.claim[n].kind is Kind.PERIOD]
    if not dates:
        return False
    passage = alignment.passage
    own = _date_of(place, numbers, passage)
    return own is not None and all(passage[own].period != passage[at].period and own != at for at in dates)


def _date_of(place: int, numbers: list[int], passage: tuple[Token, ...]) -> int | None:
    later = min((at for at in numbers if at > place), default=len(passage))
    earlier = max((at for at in numbers if at < place), default=-1)
    for at in range(place + 1, later):
        if passage[at].kind is Kind.PERIOD:
            return at
    for at in range(place - 1, earlier, -1):
        if passage[at].kind is Kind.PERIOD:
            return at
    return None


def _closer_number(alignment: Alignment, n: int, place: int, numbers: list[int]) -> bool:
    """Another number of the same sort stands between the claim's words and the number it takes."""
    words = [at for m, at in enumerate(alignment.at[:n]) if at is not None and alignment.claim[m].kind is Kind.WORD]
    if not words or max(words) > place:
        return False
    mine = alignment.passage[place].quantity
    taken = {at for at in alignment.at if at is not None}
    for at in numbers:
        other = alignment.passage[at].quantity
        between = max(words) < at < place and at not in taken and mine and other and mine.kind == other.kind
        if between and not (alignment.passage[at - 1].text in FROM and alignment.passage[place - 1].text in TO):
            return True
    return False


def _not_respective(alignment: Alignment, place: int) -> bool:
    """In "A and B were 1 and 2, respectively" the n-th number belongs to the n-th date, or the n-th word."""
    passage = alignment.passage
    numbers = _series(place, Kind.NUMBER, passage)
    index = numbers.index(place)
    periods = _longest([at for at, token in enumerate(passage) if token.kind is Kind.PERIOD], passage)
    dates = [at for n, at in enumerate(alignment.at) if at is not None and alignment.claim[n].kind is Kind.PERIOD]
    if dates and len(periods) == len(numbers):
        return any(at in periods and periods.index(at) != index for at in dates)
    words = _words_before(numbers, passage)
    if len(words) != len(numbers):
        return True
    met = {at for at in alignment.at if at is not None}
    here = [i for i, at in enumerate(words) if at in met]
    return here != [index]


def _series(place: int, kind: Kind, passage: tuple[Token, ...]) -> list[int]:
    """The list of tokens of one kind that `place` belongs to."""
    every = [at for at, token in enumerate(passage) if token.kind is kind]
    at = every.index(place)
    first = last = at
    while first > 0 and _joined(every[first - 1], every[first], passage):
        first -= 1
    while last + 1 < len(every) and _joined(every[last], every[last + 1], passage):
        last += 1
    return every[first : last + 1]


def _joined(one: int, other: int, passage: tuple[Token, ...]) -> bool:
    return all(not token.content and token.kind is not Kind.OPERATOR for token in passage[one + 1 : other])


def _longest(places: list[int], passage: tuple[Token, ...]) -> list[int]:
    best: list[int] = []
    for at in places:
        series = _series(at, Kind.PERIOD, passage)
        best = series if len(series) > len(best) else best
    return best


def _words_before(numbers: list[int], passage: tuple[Token, ...]) -> list[int]:
    """The words that a list before the numbers names, one for each number: "federal and state losses of 1 and 2"."""
    count = len(numbers)
    for at in range(numbers[0] - 1, 0, -1):
        if passage[at].text not in ("and", "und", "et", "i", "oraz"):
            continue
        words = [at - 1, at + 1]
        while len(words) < count and words[0] >= 2 and passage[words[0] - 1].text == ",":
            words.insert(0, words[0] - 2)
        fits = len(words) == count and all(0 <= w < len(passage) and passage[w].kind is Kind.WORD for w in words)
        return words if fits else []
    return []
