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
        at = next(at for at, other in enumerate(claim.tokens) if other is token)
        mine, its = _leads(at, claim.tokens), _leads(place, passage)
        if at and place and _step_and_level(claim.tokens[at - 1].text, passage[place - 1].text):
            return True
        moves = any(other.keys & _MOVES for other in (*claim.tokens, *passage))
        if moves and mine != its and ({mine, its} == {"by", "to"} or (mine and its and "from" in (mine, its))):
            return True
    return False


def _step_and_level(one: str, other: str) -> bool:
    """Words that lead to the size of a step, and to the level it leads to, whatever makes the step."""
    return (one in _STEPS and other in _LEVELS) or (one in _LEVELS and other in _STEPS)


_STEPS = frozenset("by um o".split())
_LEVELS = frozenset("to auf do na".split())


def dated_otherwise(claim: Statement, alignment: Alignment) -> bool:
    """In "on", "by", "before", "from" and "after 3 May" the date is that of five different things."""
    words = {key for token in (*claim.tokens, *alignment.passage) for key in token.keys}
    for n, token in enumerate(alignment.claim):
        place = alignment.at[n]
        if token.kind is not Kind.PERIOD or place is None or token.period is None:
            continue
        at = next(at for at, other in enumerate(claim.tokens) if other is token)
        mine, its = _side(at, claim.tokens), _side(place, alignment.passage)
        exact = token.period.month is not None
        if {mine, its} in _OPPOSED or (exact and mine != its and not _follows(mine, its, words)):
            return True
        if exact and token.period.day is None and _edge(at, claim.tokens) != _edge(place, alignment.passage):
            return True
    return False


def _follows(mine: str, its: str, words: set[str]) -> bool:
    """Whether what is so on one side of a date is so on the claim's side of it as well."""
    if not its:
        return mine == "by" or (mine == "from" and bool(words & _BEGINNING))
    if not mine:
        return (its == "by" and bool(words & _ENDING)) or (its == "from" and bool(words & _BEGINNING))
    return (its, mine) in (("before", "by"), ("after", "from"))


_OPPOSED = ({"from", "by"}, {"after", "by"}, {"from", "before"}, {"after", "before"})
_BEGINNING = frozenset(("@commence", "@effective", "@commencement", "@effective_date", "@issue_date"))
_ENDING = frozenset(("@expire", "@payable", "@due_date", "@end_date", "@expiry", "@deadline"))
_SIDES = (
    dict.fromkeys("from since von ab seit depuis od des partir compter".split(), "from")
    | dict.fromkeys("to until till through by bis jusqu'a jusqu' jusqu jusqu'au do".split(), "by")
    | dict.fromkeys("before vor avant przed".split(), "before")
    | dict.fromkeys("after nach apres po".split(), "after")
)
_BOUND_SIDES = {"at_most": "by", "less_than": "before", "at_least": "from", "more_than": "after"}


def _side(at: int, tokens: Sequence[Token]) -> str:
    """On which side of a date something is: by the nearest word before it that says so; empty if it is on the day."""
    for place in range(at - 1, max(-1, at - 5), -1):
        token = tokens[place]
        if token.text == "au" and any(t.kind is Kind.PERIOD for t in tokens[:place]):
            return "by"  # "du 1er mai au 30 avril"
        side = _SIDES.get(token.text) or _BOUND_SIDES.get(token.operator, "")
        if side:
            return (
                _INCLUDED.get(side, side) if place and tokens[place - 1].text in ("or", "oder", "ou", "lub") else side
            )
        if token.content and not token.soft:
            return ""
    return ""


_INCLUDED = {"before": "by", "after": "from"}
"""In "on or before" the day itself counts."""


def _edge(at: int, tokens: Sequence[Token]) -> str:
    """The end of a month, or its beginning, where that is meant."""
    return next((_EDGES[token.text] for token in tokens[max(0, at - 3) : at] if token.text in _EDGES), "")


_EDGES = dict.fromkeys("end ende fin koniec konca koncem".split(), "end") | dict.fromkeys(
    "beginning start anfang debut poczatek poczatku poczatkiem".split(), "start"
)


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
