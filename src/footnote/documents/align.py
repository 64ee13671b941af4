"""One statement of a claim laid over one statement of a passage, slot by slot. Pure.

Every word, number, date, identifier and name of the claim has to be met by the passage itself, in the same order, with
nothing between that narrows it. What comes back says what is met, what is missing, what differs, and what forbids.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from footnote.documents.measures import Quantity
from footnote.documents.periods import Period
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token
from footnote.documents.verdict import Reason

FLOATING = frozenset(
    f"@{name}"
    for name in (
        "weekly monthly quarterly yearly daily hourly automatic written "
        "pay deliver notify terminate put_end renew disclose sign approve keep guarantee assign sublet replace grant commence expire "
        "limited charge confirm send_ provide receive get use_ accept reject govern retain"
    ).split()
)
"""Adverbs, which may stand anywhere in a sentence, and verbs, whose place is the language's: who does what to whom shows
in the order of the others."""


@dataclass(slots=True)
class Alignment:
    """Where the tokens of a claim stand in a passage.

    Attributes:
        claim: The claim's content tokens.
        passage: All tokens of the passage's statement.
        at: For each claim token its place in `passage`, or None.
        differs: Reasons for claim tokens that the passage has otherwise, with both tokens.
        missing: Claim tokens that the passage lacks.
        vetoes: What keeps the passage from stating the claim.
        notes: How tokens were met where it was not word by word.
    """

    claim: tuple[Token, ...]
    passage: tuple[Token, ...]
    at: list[int | None]
    differs: list[tuple[Reason, Token, Token]] = field(default_factory=list)
    missing: list[Token] = field(default_factory=list)
    vetoes: list[Reason] = field(default_factory=list)
    notes: set[Reason] = field(default_factory=set)

    @property
    def met(self) -> int:
        """How many claim tokens are met."""
        return sum(place is not None for place in self.at)


Equal = Callable[[Token, Token], Reason | None]
"""Whether a passage's token meets a claim's: a reason code that says how, or None."""


def align(claim: Sequence[Token], statement: Statement, equal: Equal) -> Alignment:
    """The claim's content tokens laid over a statement."""
    passage = statement.tokens
    options = [[at for at, token in enumerate(passage) if token.content and equal(wanted, token)] for wanted in claim]
    at = _places(claim, options, passage)
    alignment = Alignment(tuple(claim), passage, at)
    for wanted, place in zip(claim, at, strict=True):
        if place is not None:
            how = equal(wanted, passage[place])
            if how is not None and how is not Reason.SAME_WORDS:
                alignment.notes.add(how)
    return alignment


def _places(claim: Sequence[Token], options: Sequence[Sequence[int]], passage: Sequence[Token]) -> list[int | None]:
    """A place for each token: as many as can be, each place once, in order as far as possible, close together."""
    places: list[int | None] = [None] * len(claim)
    used: set[int] = set()
    for n in sorted(range(len(claim)), key=lambda n: (len(options[n]), n)):
        free = [place for place in options[n] if place not in used]
        if free:
            places[n] = min(free, key=lambda place: (claim[n].text != passage[place].text, *_cost(n, place, places)))
            used.add(places[n] or 0)
    return places


def _cost(n: int, place: int, places: Sequence[int | None]) -> tuple[int, int]:
    wrong = sum(
        other is not None and ((m < n and other > place) or (m > n and other < place)) for m, other in enumerate(places)
    )
    known = [other for other in places if other is not None]
    near = min((abs(place - other) for other in known), default=place)
    return wrong, near


def quantity_difference(claimed: Quantity, found: Quantity) -> Reason | None:
    """Why two quantities are not the same; None if they are."""
    if claimed.doubt or found.doubt:
        return Reason.AMBIGUOUS
    if claimed.currency and found.currency and claimed.currency != found.currency:
        return Reason.CURRENCY_DIFFERS
    if claimed.unit != found.unit:
        return Reason.UNIT_DIFFERS
    if claimed.currency and not found.currency and not found.unit:
        return Reason.CURRENCY_DIFFERS
    if claimed.bound != found.bound:
        return Reason.BOUND_DIFFERS
    if claimed.value == found.value and claimed.upper == found.upper:
        return None
    if rounded_alike(claimed, found):
        return Reason.AMBIGUOUS
    return Reason.SCALE_DIFFERS if _scaled(claimed, found) else Reason.NUMBER_DIFFERS


def excludes(claimed: Quantity, found: Quantity) -> bool:
    """Whether a figure within the bounds of one cannot be within those of the other, or they point apart."""
    if {claimed.bound[:1], found.bound[:1]} == {"<", ">"}:
        upper, lower = (claimed, found) if claimed.bound.startswith("<") else (found, claimed)
        return upper.value <= lower.value  # "at most 50" may be so where "at least 5" is
    if "~" in (claimed.bound, found.bound):
        return False
    low, high = max(_low(claimed), _low(found)), min(_high(claimed), _high(found))
    return low > high


def inside(claimed: Quantity, found: Quantity) -> bool:
    """A single figure within a range that is stated with both ends."""
    return claimed.bound == "=" and found.bound == ".." and not excludes(claimed, found)


def _low(quantity: Quantity) -> Decimal:
    return Decimal("-Infinity") if quantity.bound.startswith("<") else quantity.value


def _high(quantity: Quantity) -> Decimal:
    if quantity.bound.startswith(">"):
        return Decimal("Infinity")
    return quantity.value if quantity.upper is None else quantity.upper


def rounded_alike(one: Quantity, other: Quantity) -> bool:
    """Both may be the same figure, once stated in full and once rounded."""
    if one.upper is not None or other.upper is not None or one.place == other.place:
        return False
    quantum = Decimal(10) ** max(one.place, other.place)
    return (one.value / quantum).quantize(Decimal(1), ROUND_HALF_UP) == (other.value / quantum).quantize(
        Decimal(1), ROUND_HALF_UP
    )


def _scaled(claimed: Quantity, found: Quantity) -> bool:
    if not claimed.value or not found.value or claimed.unit:
        return False
    ratio = abs(claimed.value / found.value)
    return any(ratio in (Decimal(10) ** power, Decimal(10) ** -power) for power in (3, 6, 9))


def period_difference(claimed: Period, found: Period) -> Reason | None:
    """Why two dates are not the same; None if they are."""
    if claimed.ambiguous or found.ambiguous:
        same = {claimed.month, claimed.day} == {found.month, found.day} and claimed.year == found.year
        return Reason.AMBIGUOUS_DATE if same else Reason.DATE_DIFFERS
    if claimed.key == found.key:
        return None
    return Reason.DATE_DIFFERS


def disorder(alignment: Alignment, claim: Statement, passage: Statement, acts: Callable[[Token, Token], bool]) -> bool:
    """True if what the claim says in one order the passage says in another, beyond what grammar allows."""
    pairs = [(token, place) for token, place in zip(alignment.claim, alignment.at, strict=True) if place is not None]
    actors = [(token, place) for token, place in pairs if acts(token, alignment.passage[place])]
    if _cases_differ(actors, claim, passage):
        return True
    if claim.passive != passage.passive:
        named = any(token.text in _BY for token in (claim if claim.passive else passage).tokens)
        doers = actors or [
            pair for pair in pairs if named and pair[0].kind is Kind.WORD and not pair[0].keys & FLOATING
        ]
        if doers:
            return _other_doer(doers, claim, passage)
    places = [place for token, place in pairs if token.kind is not Kind.PERIOD and not token.keys & FLOATING]
    acting = {place for _, place in actors}
    if claim.language != passage.language:
        acting = {place for place in acting if not _apart_from_noun(place, pairs, alignment.passage)}
    if not _disordered(places, alignment.passage, acting):
        return False
    moved = _unfronted(pairs, acting, claim, passage)
    return all(_disordered(order, alignment.passage, acting) for order in moved) if moved else True


def _apart_from_noun(place: int, pairs: Sequence[tuple[Token, int]], passage: Sequence[Token]) -> bool:
    """A role with its adjective beside it, which stands before it in one language and behind it in another."""
    beside = [token for token, other in pairs if abs(other - place) == 1]
    return any(token.kind is Kind.WORD and not token.name for token in beside) and not passage[place].name


def _unfronted(
    pairs: Sequence[tuple[Token, int]], acting: set[int], claim: Statement, passage: Statement
) -> list[list[int]]:
    """The places in order, where one side begins with an adverbial that the other has further on: "In all other cases"."""
    fixed = [(t, place) for t, place in pairs if t.kind is not Kind.PERIOD and not t.keys & FLOATING]
    order = {id(token): at for at, token in enumerate(claim.tokens)}
    out: list[list[int]] = []
    for tokens, position in (
        (passage.tokens, lambda pair: pair[1]),
        (claim.tokens, lambda pair: order.get(id(pair[0]), 0)),
    ):
        end = _front(tokens)
        front = [pair for pair in fixed if position(pair) < end]
        other = claim.tokens if tokens is passage.tokens else passage.tokens
        if not end or not front or any(place in acting for _, place in front):
            continue
        first = order.get(id(front[0][0]), 0) if tokens is passage.tokens else front[0][1]
        if claim.language == passage.language and not _led_by(other, first, tokens[0].text):
            continue
        rest = [pair[1] for pair in fixed if pair not in front]
        ahead = [pair[1] for pair in front]
        if not _descends(ahead) and not _disordered(rest, passage.tokens, acting):
            out.append(sorted(ahead) + rest if all(a < b for a in ahead for b in rest) else rest)
    return out


def _descends(places: Sequence[int]) -> bool:
    return any(other < one for one, other in itertools.pairwise(places))


def _led_by(tokens: Sequence[Token], at: int, lead: str) -> bool:
    return any(token.text == lead for token in tokens[max(0, at - 3) : at])


def _front(tokens: Sequence[Token]) -> int:
    """Where an adverbial at the beginning ends: at a comma, or at the article of the subject; 0 if there is none."""
    if not tokens or not (tokens[0].text in _FRONTING or tokens[0].operator == "condition"):
        return 0
    for at in range(1, len(tokens)):
        token = tokens[at]
        if token.operator in ("copula", "must", "may", "will"):
            return 0
        if token.text == "," or (token.text in _THE and any(t.content for t in tokens[:at])):
            return at
    return 0


_FRONTING = frozenset(
    "in for on at with after before during from upon per bei in fur nach mit ab im am pour en dans apres avec a w we dla po za przy od z".split()
)
_THE = frozenset("the der die das le la les".split())


def _other_doer(actors: Sequence[tuple[Token, int]], claim: Statement, passage: Statement) -> bool:
    """One is active and the other passive: the doer of the one has to be the subject of the other."""
    order = {id(token): at for at, token in enumerate(claim.tokens)}
    by_claim = sorted((order.get(id(token), 0), place) for token, place in actors)
    by_place = sorted((place, at) for at, place in by_claim)
    passive, active = (by_claim, by_place) if claim.passive else (by_place, by_claim)
    tokens = claim.tokens if claim.passive else passage.tokens
    by = next((at for at, token in enumerate(tokens) if token.text in _BY), len(tokens))
    doer = next((pair for pair in passive if pair[0] > by), None)
    subject = (active[0][1], active[0][0])
    return passive[0] == subject if doer is None else doer != subject


def _cases_differ(actors: Sequence[tuple[Token, int]], claim: Statement, passage: Statement) -> bool:
    """German articles and Polish endings say who does what to whom, whatever the order."""
    order = {id(token): at for at, token in enumerate(claim.tokens)}
    for token, place in actors:
        at, found = order.get(id(token), 0), passage.tokens[place]
        if claim.language == passage.language == "de" and at and place:
            cases = {_case(claim.tokens[at - 1].text), _case(passage.tokens[place - 1].text)}
            if cases == {"subject", "object"}:
                return True
        if claim.language == passage.language == "pl" and token.text != found.text and token.text[:4] == found.text[:4]:
            return True
    return False


def case_of(at: int, tokens: Sequence[Token]) -> str:
    """The case that the German article before a noun shows: "subject", "object", or empty."""
    return _case(tokens[at - 1].text) if at else ""


def _case(article: str) -> str:
    if article in ("dem", "den", "des", "einem", "einen", "eines"):
        return "object"
    return "subject" if article in ("der", "die", "das", "ein", "eine") else ""


def _disordered(places: Sequence[int], passage: Sequence[Token], actors: set[int]) -> bool:
    return any(
        other < one and not _one_phrase(passage, other, one, actors) for one, other in itertools.pairwise(places)
    )


def _one_phrase(passage: Sequence[Token], low: int, high: int, actors: set[int]) -> bool:
    """Both stand in one noun phrase, whose parts other words may order otherwise: "total net sales", "sales of Delta"."""
    between = passage[low + 1 : high]
    if passage[low].kind is not Kind.WORD or passage[high].kind is not Kind.WORD:
        return False
    texts = {token.text for token in between}
    if texts & _GENITIVE:
        return high - low <= 5 and texts <= _GENITIVE | _ARTICLES
    return high - low <= 2 and low not in actors and high not in actors and all(t.kind is Kind.WORD for t in between)


_GENITIVE = frozenset("of 's s ' des der du d' de".split())
_ARTICLES = frozenset("the a an die das le la l' his her its".split())
_BY = frozenset("by von vom durch par przez".split())
