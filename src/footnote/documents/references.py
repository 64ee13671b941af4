"""Words of a claim that name the document or its parties rather than something in the passage. Pure.

"The Hosting Agreement is governed by …" is about the document whose title it is; "under the contract with Delta" and "the
fee payable to Delta" are about documents in which Delta is a party, and the one who is paid. A name that the document
does not know stays a slot to be met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footnote.documents.context import DOCUMENT, Context
from footnote.documents.lexicon import Lexicon
from footnote.documents.scope import adjuncts
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token

_WITH = frozenset("with between mit zwischen avec entre z ze pomiedzy miedzy".split())
_UNDER = frozenset(
    "under in within laut nach gemass im aus zgodnie w selon per of for dans en pursuant to from".split()
)
_SCOPE = frozenset("with mit avec z ze between zwischen entre and und et i oraz".split())
_TOWARDS = frozenset("towards toward gegenuber envers wobec vis-a-vis".split())
_FOR = frozenset("for to fur an pour a dla na".split())
_OF = frozenset("of von de du des by from od".split())
_TO = frozenset("to an a dla na".split())
_BY = frozenset("by von par przez from".split())
_DIRECTED = frozenset(("@payable", "@pay"))


def resolved(
    claim: Statement, context: Context, passage: Sequence[Token], lexicon: Lexicon, heading: Sequence[Token] = ()
) -> Statement:
    """The claim without what the document itself settles.

    Args:
        claim: One predication.
        context: The document.
        passage: Tokens of the passage; what it says itself is compared there.
        lexicon: Vocabulary.
        heading: Tokens of the heading right above the passage.
    """
    here = frozenset(key for token in passage for key in token.keys if token.kind is Kind.WORD)
    tokens = claim.tokens
    dropped = _full_names(tokens, context, here)
    for at, token in enumerate(tokens):
        if token.kind is Kind.WORD and token.keys & DOCUMENT and at not in dropped:
            dropped |= _document(at, tokens, context, here)
    dropped |= _direction(tokens, context, here, lexicon)
    dropped |= _scope(tokens, context, here, dropped, lexicon)
    dropped |= _headed(tokens, heading, here, dropped)
    dropped |= adjuncts(tokens, context, here, dropped)
    if not dropped:
        return claim
    kept = tuple(token for at, token in enumerate(tokens) if at not in dropped)
    if not any(token.kind is Kind.WORD for token in kept):
        return claim
    bars = tuple(bar for bar in claim.bars if any(bar is token for token in kept))
    about = next((at in dropped and bool(t.keys & DOCUMENT) for at, t in enumerate(tokens) if t.keys & DOCUMENT), False)
    return replace(claim, tokens=kept, bars=bars, about_document=about)


def since(tokens: tuple[Token, ...], effect: Sequence[Token]) -> tuple[Token, ...]:
    """The claim without the day from which an amendment gives a clause the wording that is compared."""
    days = {token.period.key for token in effect if token.period is not None and token.period.day}
    return tuple(
        token
        for at, token in enumerate(tokens)
        if token.period is None or token.period.key not in days or not _begins(tokens, at)
    )


def _begins(tokens: Sequence[Token], at: int) -> bool:
    before = [token.text for token in tokens[max(0, at - 2) : at]]
    return any(text in _SINCE or text.startswith("with effect") for text in before)


_SINCE = frozenset("since from ab seit depuis od dniem".split()) | {
    "z dniem",
    "effective from",
    "as of",
    "mit wirkung ab",
}


def _full_names(tokens: Sequence[Token], context: Context, here: frozenset[str]) -> set[int]:
    """Further words of a party's full name, where the passage does not write it in full."""
    out: set[int] = set()
    current: int | None = None
    for at, token in enumerate(tokens):
        if current is not None and (context.continues(current, token) or _of_form(token, tokens, at)):
            if not token.keys & here:
                out.add(at)
            continue
        named = context.party(token) if token.kind is Kind.WORD and token.name else None
        if named is not None and at and context.party(tokens[at - 1]) == named and not token.keys & here:
            out.add(at)
        current = named
    return out


def _of_form(token: Token, tokens: Sequence[Token], at: int) -> bool:
    """The dots and small words of "sp. z o.o."."""
    if token.text == ".":
        return tokens[at - 1].text in ("sp", "o", "s", "a", "k")
    return token.text in ("z", "o") and tokens[at - 1].text in (".", "z", "sp")


def _document(at: int, tokens: Sequence[Token], context: Context, here: frozenset[str]) -> set[int]:
    """The title before "agreement", and "with NAME" behind it, if they are this document's."""
    start = at
    while start > 0 and (_of_title(tokens[start - 1], context) or _of_party(tokens[start - 1], context)):
        start -= 1
    while start < at and not tokens[start].content:
        start += 1
    titled = bool(tokens[at].keys & context.title) or any(_of_party(t, context) for t in tokens[start:at])
    party = _with_party(at, tokens, context, here)
    if start > 0 and tokens[start - 1].kind is Kind.WORD and not tokens[start - 1].soft and start != at:
        return set()
    if not titled and not party and not tokens[at].keys & here:
        return set()
    adverbial, first = _adverbial(start, tokens)
    if at + 1 < len(tokens) and tokens[at + 1].kind is Kind.IDENTIFIER:
        if not tokens[at + 1].keys & context.title:
            return set()
        party.add(at + 1)
    if adverbial:
        return set(range(first, at + 1)) | party
    places = {place for place in range(start, at + 1) if tokens[place].content}
    if start == at and tokens[at].keys & here:
        places = set()
    return {place for place in places if not (tokens[place].keys & here and tokens[place].keys & DOCUMENT)} | party


def _adverbial(start: int, tokens: Sequence[Token]) -> tuple[bool, int]:
    """Whether "under the …" stands before a document's name, and where that begins."""
    at = start - 1
    while at >= 0 and tokens[at].text in _ARTICLES:
        at -= 1
    if at >= 0 and (tokens[at].text in _UNDER or tokens[at].operator in ("tail", "reported")):
        return True, at
    return False, start


_ARTICLES = frozenset("the this der die das dem den dieser diesem le la l' les ce cette our your its".split())


def _of_title(token: Token, context: Context) -> bool:
    if token.kind is Kind.WORD:
        return bool(token.keys & context.title)
    return token.text in ("-", "and", "&", ",", "und", "et", "i")


def _of_party(token: Token, context: Context) -> bool:
    """In "the Delta agreement" the name says with whom it was made."""
    return token.kind is Kind.WORD and token.name and context.party(token) is not None


def _with_party(at: int, tokens: Sequence[Token], context: Context, here: frozenset[str]) -> set[int]:
    out: set[int] = set()
    if at + 1 < len(tokens) and (tokens[at + 1].text in _WITH or context.party(tokens[at + 1]) is not None):
        for place in range(at + 1, len(tokens)):
            token = tokens[place]
            if token.kind is Kind.WORD and context.party(token) is not None and token.name:
                if out and tokens[place - 1].text in _ARTICLES:
                    break  # "with Delta the supplier delivers …": the next phrase has begun
                out.add(place)
            elif token.text not in _WITH and token.text not in (
                "and",
                "und",
                "et",
                "i",
                "the",
                "der",
                "dem",
                "la",
                "le",
            ):
                break
    return out


def _direction(tokens: Sequence[Token], context: Context, here: frozenset[str], lexicon: Lexicon) -> set[int]:
    """Drop "payable to NAME" and "paid by NAME", where NAME has the role that is paid, or pays, in this document."""
    for at, token in enumerate(tokens):
        if not token.keys & _DIRECTED or at + 1 >= len(tokens):
            continue
        following = tokens[at + 1]
        if context.party(following) is not None and not following.keys & here:
            name, roles = at + 1, lexicon.receives
        elif at + 2 < len(tokens) and following.text in _TO | _BY:
            name, roles = at + 2, lexicon.receives if following.text in _TO else lexicon.pays
        else:
            continue
        party = context.party(tokens[name]) if tokens[name].kind is Kind.WORD else None
        if party is None or tokens[name].keys & here or _met_by_role(party, context, here):
            continue
        if _has_role(party, context, roles):
            return {name} if token.keys & here else {at, name}
    return set()


def _has_role(party: int, context: Context, roles: Sequence[str] | frozenset[str]) -> bool:
    return any(f"@{role}" in context.parties[party].roles for role in roles)


def _scope(
    tokens: Sequence[Token], context: Context, here: frozenset[str], dropped: set[int], lexicon: Lexicon
) -> set[int]:
    """A party that only says in whose document this stands: "the base rate of Delta", "deliveries to Delta"."""
    out: set[int] = set()
    out |= _titled(tokens, context, here)
    for at, token in enumerate(tokens):
        party = context.party(token) if token.kind is Kind.WORD and token.name and at not in dropped else None
        if party is None or at == 0 or token.keys & here:
            continue
        twice = any(other is not token and context.party(other) == party for other in tokens if other.kind is Kind.WORD)
        if _met_by_role(party, context, here) and not twice:
            continue
        place = at - 1
        while place > 0 and tokens[place].text in _ARTICLES:
            place -= 1
        before = tokens[place]
        paid = any(t.keys & _DIRECTED for t in tokens)
        if (
            before.text in _SCOPE
            or before.text in _TOWARDS
            or before.operator == "tail"
            or (before.text in _FOR and not paid and (twice or _has_role(party, context, lexicon.pays)))
            or ((before.text in _OF or _genitive(before, place, at)) and _has_role(party, context, lexicon.receives))
        ):
            out.add(at)
    return out


def _headed(tokens: Sequence[Token], heading: Sequence[Token], here: frozenset[str], dropped: set[int]) -> set[int]:
    """An adjunct that the heading says for all that stands below: "for late delivery", under "7 Late delivery"."""
    keys = frozenset(key for token in heading for key in token.keys if token.kind is Kind.WORD)
    if not keys or any(token.text in _COORDINATORS for token in heading):
        return set()
    out: set[int] = set()
    for at in range(1, len(tokens)):
        token = tokens[at]
        if token.kind is not Kind.WORD or token.operator or not token.keys & keys or token.keys & here or at in dropped:
            continue
        before = at - 1
        while before > 0 and tokens[before].text in _ARTICLES:
            before -= 1
        if tokens[before].text in _ADJUNCT or at - 1 in out:
            out.add(at)
    return out


_COORDINATORS = frozenset("and or und oder et ou i oraz lub , & /".split())
_ADJUNCT = frozenset("for of in at on fur bei im in am pour de du dans en w we za przy o dla".split())


def _titled(tokens: Sequence[Token], context: Context, here: frozenset[str]) -> set[int]:
    """Names behind "of" or "at" that the document's title is made of: "the board of the Copperleaf Cooperative"."""
    out: set[int] = set()
    for at in range(1, len(tokens)):
        token = tokens[at]
        if token.kind is Kind.WORD and token.name and token.keys & context.title and not token.keys & here:
            before = next((t for t in reversed(tokens[:at]) if t.text not in _ARTICLES), token)
            if before.text in _OF or before.text in ("at", "bei", "chez", "w") or at - 1 in out:
                out.add(at)
    return out


def _genitive(before: Token, place: int, at: int) -> bool:
    """Polish and German put the owner right behind a noun: "stawka Deltas"."""
    return before.kind is Kind.WORD and place == at - 1


def _met_by_role(party: int, context: Context, here: frozenset[str]) -> bool:
    """The passage speaks of the party by name or role, so the claim's name is compared there."""
    known = context.parties[party]
    return bool(here & (known.names | known.roles))
