"""Whether what a claim says in one order a passage says in another: who does what to whom, and what belongs to what. Pure.

Grammar moves things without changing what they say: an adverbial to the front, an owner before or behind what it owns, the
amount before or behind what it measures. Whatever else stands in another order says something else.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from footnote.documents.align import FLOATING, Alignment
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token


def disorder(alignment: Alignment, claim: Statement, passage: Statement, acts: Callable[[Token, Token], bool]) -> bool:
    """True if what the claim says in one order the passage says in another, beyond what grammar allows."""
    pairs = [(token, place) for token, place in zip(alignment.claim, alignment.at, strict=True) if place is not None]
    actors = [(token, place) for token, place in pairs if acts(token, alignment.passage[place])]
    if _cases_differ(actors, claim, passage):
        return True
    actors = [
        (t, place)
        for t, place in actors
        if not (_owns(t, claim.tokens) and _owns(passage.tokens[place], passage.tokens))
    ]
    if claim.passive != passage.passive:
        named = any(token.text in _BY for token in (claim if claim.passive else passage).tokens)
        doers = actors or [
            pair for pair in pairs if named and pair[0].kind is Kind.WORD and not pair[0].keys & FLOATING
        ]
        if doers:
            return _other_doer(doers, claim, passage)
    order = {id(token): at for at, token in enumerate(claim.tokens)}
    fixed = [(order[id(t)], place) for t, place in pairs if t.kind is not Kind.PERIOD and not t.keys & FLOATING]
    acting = {place for _, place in actors}
    if claim.language != passage.language:
        acting = {place for place in acting if not _apart_from_noun(place, pairs, alignment.passage)}
    if not _disordered(fixed, claim.tokens, passage.tokens, acting):
        return False
    ways = (*_unfronted(pairs, acting, claim, passage), _unmoved(fixed, claim, passage))
    return all(_disordered(way, claim.tokens, passage.tokens, acting) for way in ways)


def _apart_from_noun(place: int, pairs: Sequence[tuple[Token, int]], passage: Sequence[Token]) -> bool:
    """A role with its adjective beside it, which stands before it in one language and behind it in another."""
    beside = [token for token, other in pairs if abs(other - place) == 1]
    called = passage[place].name and not any(key.startswith("@") for key in passage[place].keys)
    return any(token.kind is Kind.WORD and not token.name for token in beside) and not called


def _owns(token: Token, tokens: Sequence[Token]) -> bool:
    """The owner in "the limit of Delta" and in "Delta's limit", who does nothing there."""
    at = next(at for at, other in enumerate(tokens) if other is token)
    after = [other.text for other in tokens[at + 1 : at + 3]]
    before = at - 1
    while before > 0 and tokens[before].text in _ARTICLES:
        before -= 1
    noun = before > 0 and tokens[before - 1].kind is Kind.WORD and tokens[before - 1].operator == ""
    return after == ["'", "s"] or (noun and tokens[before].text in _OWNING)


def _unmoved(fixed: Sequence[tuple[int, int]], claim: Statement, passage: Statement) -> list[tuple[int, int]]:
    """The places in order, without the phrases and amounts that only stand elsewhere."""
    moved: set[int] = set()
    for side, tokens in ((1, passage.tokens), (0, claim.tokens)):
        for phrase in _phrases(tokens):
            block = [pair for pair in fixed if pair[side] in phrase]
            if block and _together(block, fixed) and _led_alike(claim.tokens, block[0][0], passage.tokens, block[0][1]):
                moved.update(at for at, _ in block)
    amount = _one_amount(claim.tokens, passage.tokens)
    return [
        pair for pair in fixed if pair[0] not in moved and not (amount and claim.tokens[pair[0]].kind is Kind.NUMBER)
    ]


def _together(block: Sequence[tuple[int, int]], fixed: Sequence[tuple[int, int]]) -> bool:
    """The words of a phrase stand side by side on both sides, in the same order."""
    for side in (0, 1):
        places = sorted(pair[side] for pair in fixed)
        mine = sorted(pair[side] for pair in block)
        first = places.index(mine[0])
        if places[first : first + len(mine)] != mine:
            return False
    return not _descends([place for _, place in block])


def _phrases(tokens: Sequence[Token]) -> list[range]:
    """Each adverbial: a preposition, and what follows up to a comma, the next one, a verb, or the article of a subject."""
    out: list[range] = []
    for at, token in enumerate(tokens):
        limit = _limits(token)
        if not _lead(token) and not limit:
            continue
        end = at + 1
        while end < len(tokens) and not _ends_phrase(tokens, at, end):
            end += 1
        out.append(range(at if limit else at + 1, end))
    return out


def _limits(token: Token) -> bool:
    """A time with its bound leads a phrase of its own: "within ten days of the order"."""
    return token.quantity is not None and token.quantity.kind in _TIMES and token.quantity.bound == "<="


_TIMES = frozenset(("minute", "month", "business day"))


def _ends_phrase(tokens: Sequence[Token], start: int, at: int) -> bool:
    token = tokens[at]
    if token.kind is Kind.OPERATOR or _lead(token) or token.text in (",", ";", ":", "(", "-"):
        return True
    said = any(other.content for other in tokens[start + 1 : at])
    return said and token.text in _THE and tokens[at - 1].text not in _OWNING


def _lead(token: Token) -> str:
    """The preposition that a phrase begins with, as the group of those that say the same; empty if it is none."""
    if token.kind is Kind.FUNCTION or token.operator in ("exception", "condition"):
        return _LEADS.get(token.text, "")
    return ""


def _led_alike(mine: Sequence[Token], at: int, its: Sequence[Token], place: int) -> bool:
    if _limits(mine[at]) and _limits(its[place]):
        return True
    leads = (_lead_before(mine, at), _lead_before(its, place))
    return (bool(leads[0]) and leads[0] == leads[1]) or (set(leads) == {"to", _GIVEN} and not mine[at].keys & _TIMED)


def _lead_before(tokens: Sequence[Token], at: int) -> str:
    """The preposition that leads the word at a place; none where a comma sets the phrase apart, as if it were a clause."""
    at -= 1
    while at > 0 and (tokens[at].text in _ARTICLES or (tokens[at].kind is Kind.WORD and tokens[at].keys & FLOATING)):
        if tokens[at].keys & _GIVING:
            return _GIVEN
        at -= 1
    apart = at > 0 and tokens[at - 1].text == ","
    return _lead(tokens[at]) if at >= 0 and not apart else ""


_GIVEN = "given"
_GIVING = frozenset("@pay @grant @deliver @send_ @lend @provide".split())
"""Whoever pays Delta 5 EUR pays 5 EUR to Delta."""
_TIMED = frozenset(("@period",))


def _one_amount(mine: Sequence[Token], its: Sequence[Token]) -> bool:
    """Claim and passage have one figure each, of money or a share, which is of nothing else: "a fee of 5", "a 5 EUR fee"."""
    return all(_sole(tokens) for tokens in (mine, its))


def _sole(tokens: Sequence[Token]) -> bool:
    numbers = [at for at, token in enumerate(tokens) if token.kind is Kind.NUMBER]
    if len(numbers) != 1:
        return False
    quantity = tokens[numbers[0]].quantity
    money = quantity is not None and (bool(quantity.currency) or quantity.kind == "percent")
    after = tokens[numbers[0] + 1].text if numbers[0] + 1 < len(tokens) else ""
    return money and after not in _OWNING


_OWNING = frozenset("of von des der du de d'".split())
_LEADS = {
    word: words.split()[0]
    for words in (
        "in im dans en w we",
        "for fur pour dla za",
        "to an",
        "from",
        "at bei chez przy",
        "on am sur",
        "after nach apres po",
        "before vor avant przed",
        "with mit avec",
        "without ohne sans bez",
        "under unter sous",
        "towards gegenuber envers wobec",
        "per je par",
    )
    for word in words.split()
}
"""Prepositions that lead an adverbial, by the first of those that say the same."""


def _unfronted(
    pairs: Sequence[tuple[Token, int]], acting: set[int], claim: Statement, passage: Statement
) -> list[list[tuple[int, int]]]:
    """The places in order, where one side begins with an adverbial that the other has further on: "In all other cases"."""
    order = {id(token): at for at, token in enumerate(claim.tokens)}
    fixed = [(order[id(t)], place) for t, place in pairs if t.kind is not Kind.PERIOD and not t.keys & FLOATING]
    out: list[list[tuple[int, int]]] = []
    for side, tokens in ((1, passage.tokens), (0, claim.tokens)):
        end = _front(tokens)
        front = [pair for pair in fixed if pair[side] < end]
        if not end or not front or any(place in acting for _, place in front):
            continue
        other = claim.tokens if side else passage.tokens
        if claim.language == passage.language and not _led_by(other, front[0][1 - side], tokens[0].text):
            continue
        rest = [pair for pair in fixed if pair not in front]
        still = not _disordered(rest, claim.tokens, passage.tokens, acting)
        if still and not _descends([place for _, place in front]):
            ahead = sorted(front)
            out.append(ahead + rest if all(a[1] < b[1] for a in ahead for b in rest) else rest)
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


def _disordered(
    pairs: Sequence[tuple[int, int]], claim: Sequence[Token], passage: Sequence[Token], actors: set[int]
) -> bool:
    return any(
        not _one_phrase(claim[one[0] + 1 : other[0]], passage, other[1], one[1], actors)
        if other[1] < one[1]
        else _owned_otherwise(claim[one[0] + 1 : other[0]], passage[one[1] + 1 : other[1]])
        for one, other in itertools.pairwise(pairs)
    )


def _owned_otherwise(mine: Sequence[Token], its: Sequence[Token]) -> bool:
    """In "the bank of the customer" and "the bank's customer" the words have one order, and own one another otherwise."""
    ways = {_owning_way({token.text for token in between}) for between in (mine, its)}
    plain = all(token.text in _GENITIVE | _ARTICLES for between in (mine, its) for token in between)
    return plain and ways == {"of", "'s"}


def of_one_phrase(passage: Sequence[Token], low: int, high: int) -> bool:
    """Nothing but what says whose it is stands between two places: "the tenant of the landlord"."""
    texts = {token.text for token in passage[low + 1 : high]}
    return bool(texts & _GENITIVE) and texts <= _GENITIVE | _ARTICLES


def _one_phrase(mine: Sequence[Token], passage: Sequence[Token], low: int, high: int, actors: set[int]) -> bool:
    """Both stand in one noun phrase, whose parts other words may order otherwise: "total net sales", "sales of Delta"."""
    between = passage[low + 1 : high]
    if passage[low].kind is not Kind.WORD or passage[high].kind is not Kind.WORD:
        return False
    texts = {token.text for token in between}
    if texts & _GENITIVE:
        same = _owning_way(texts) == _owning_way({token.text for token in mine})
        return high - low <= 5 and texts <= _GENITIVE | _ARTICLES and not same  # "A of B" is not "B of A"
    return high - low <= 2 and low not in actors and high not in actors and all(t.kind is Kind.WORD for t in between)


def _owning_way(between: set[str]) -> str:
    return "of" if between & _OWNING else "'s" if between & {"'", "s", "'s"} else ""


_GENITIVE = frozenset("of 's s ' des der du d' de".split())
_ARTICLES = frozenset("the a an this that these die das diese le la l' ce cette his her its".split())
_BY = frozenset("by von vom durch par przez".split())
