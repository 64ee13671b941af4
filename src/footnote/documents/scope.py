"""Words of a claim that only say which document it is about: "in the garage", under the rules of the garage. Pure.

A claim over many documents has to say whose warranty it means; the passage, in its own document, has not. An adjunct goes
if all of it stands in the document's title or head, or names a party of it where the passage names none: then nothing in
the passage could be meant of somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from footnote.documents.context import Context
from footnote.documents.tokens import Kind, Token

_PLACES = frozenset(
    """in at on under within per with towards bei im in am auf laut gemass unter mit gegenuber nach chez dans sur selon
    avec envers en w we na wedlug u z ze zgodnie wobec przy pursuant according""".split()
)
"""Say where or under what something is so."""
_OWNERS = frozenset("of for von des der fur de du d' des pour dla".split())
"""Say whose something is."""
_ARTICLES = frozenset(
    "the this a an our its der die das dem den des dieser diesem diese le la l' les ce cette un une niniejsza niniejszej".split()
)


def adjuncts(tokens: Sequence[Token], context: Context, here: frozenset[str], dropped: set[int]) -> set[int]:
    """Places of the words that only say which document is meant.

    Args:
        tokens: Of the claim.
        context: The document.
        here: Keys of the passage's words; what it says itself is compared there.
        dropped: What has been left out of the claim before.
    """
    out: set[int] = set()
    silent = not any(key in context.keys for key in here)
    for lead, words in (*_phrases(tokens), *_owners(tokens, context)):
        left = [at for at in words if at not in dropped]
        if not words:
            continue
        steered = bool(_steering(words[0], tokens))
        seen = frozenset[str]() if steered else here
        settled = _settled_beginning(left, tokens, context, seen, owner=lead in _OWNERS, silent=silent)
        rest = left[len(settled) :]
        if settled and (not rest or tokens[rest[0]].keys & here):
            out.update(settled)
        if all(at in out or at in dropped for at in words):
            out.update(_steering(words[0], tokens))
    out |= _modifiers(tokens, context, here, dropped | out) | _whose_meeting(tokens, context, here)
    return out | _appositions(tokens, context, here)


def _steering(first: int, tokens: Sequence[Token]) -> list[int]:
    """The "according to" before a document's name, which then says no more than whose words they are."""
    at = first - 1
    while at > 0 and tokens[at].text in _ARTICLES:
        at -= 1
    return [at] if at >= 0 and tokens[at].operator in ("tail", "reported") else []


def _settled_beginning(
    words: Sequence[int], tokens: Sequence[Token], context: Context, here: frozenset[str], *, owner: bool, silent: bool
) -> list[int]:
    out: list[int] = []
    for at in words:
        if tokens[at].keys & here or not _settled(tokens[at], context, owner=owner, silent=silent):
            break
        out.append(at)
    return out


def _phrases(tokens: Sequence[Token]) -> Iterator[tuple[str, list[int]]]:
    """Each preposition with the places of the words that it leads."""
    for at in range(len(tokens)):
        lead = _lead(tokens, at)
        if not lead:
            continue
        if at and "@meeting" in tokens[at - 1].keys and at + 1 < len(tokens) and tokens[at + 1].kind is Kind.PERIOD:
            yield lead, [at + 1]
            continue
        end = at + 1
        while end < len(tokens) and (_of_phrase(tokens[end]) or (tokens[end].text in _ARTICLES and end == at + 1)):
            end += 1
        words = [place for place in range(at + 1, end) if tokens[place].content]
        if words:
            yield lead, words


def _lead(tokens: Sequence[Token], at: int) -> str:
    token = tokens[at]
    if token.kind is Kind.FUNCTION and token.text in _PLACES | _OWNERS:
        return token.text
    first = token.text.split()[0] if token.operator in ("tail", "reported", "condition") else ""
    return first if first in _PLACES else ""


def _of_phrase(token: Token) -> bool:
    """A word, an identifier, or a number without unit or currency, as in an address: "Quellenweg 19"."""
    if token.kind in (Kind.WORD, Kind.IDENTIFIER):
        return True
    quantity = token.quantity
    return quantity is not None and quantity.kind == "count" and quantity.bound == "=" and token.text.isdigit()


def _owners(tokens: Sequence[Token], context: Context) -> Iterator[tuple[str, list[int]]]:
    """Names right behind a noun ("zapasy Fabelhaft"), and those before "'s"."""
    at = 1
    while at < len(tokens):
        end = at
        while end < len(tokens) and tokens[end].kind is Kind.WORD and tokens[end].name:
            end += 1
        before = tokens[at - 1]
        if (
            end > at
            and before.kind is Kind.WORD
            and context.party(before) is None
            and not any(key.startswith("@") for key in tokens[at].keys)
        ):
            yield "of", list(range(at, end))
        at = max(end, at + 1)
    for at, token in enumerate(tokens):
        if token.text == "s" and at > 1 and tokens[at - 1].text == "'":
            start = at - 1
            while start > 0 and tokens[start - 1].kind is Kind.WORD and (tokens[start - 1].name or start == 1):
                start -= 1
            yield "of", list(range(start, at - 1))


def _settled(token: Token, context: Context, *, owner: bool, silent: bool) -> bool:
    if token.kind is Kind.PERIOD:
        return _own_day(token, context)
    if token.kind is not Kind.WORD:
        return token.text in context.head or bool(token.keys & context.title)
    party = context.party(token)
    if party is not None or (
        (token.name or token.capital) and any(token.keys & known.more for known in context.parties)
    ):
        return silent or not owner
    return bool(token.keys & (context.head | context.title))


def _own_day(token: Token, context: Context) -> bool:
    """The day of the document: "the meeting of 2 July 2026" in the minutes of that day."""
    day, period = context.effective, token.period
    return (
        day is not None
        and period is not None
        and not period.ambiguous
        and (period.year, period.month, period.day) == (day.year, day.month, day.day)
    )


def _modifiers(tokens: Sequence[Token], context: Context, here: frozenset[str], dropped: set[int]) -> set[int]:
    """In "the credit committee refused" the first word, where the minutes are those "of the credit committee"."""
    out: set[int] = set()
    for at in range(len(tokens) - 2, -1, -1):
        token, after = tokens[at], tokens[at + 1]
        if token.kind is not Kind.WORD or after.kind is not Kind.WORD or token.keys & here or at in dropped:
            continue
        if not (after.keys & here or at + 1 in out):
            continue
        if any((one, other) in context.pairs for one in token.keys for other in after.keys):
            out.add(at)
    return out


def _whose_meeting(tokens: Sequence[Token], context: Context, here: frozenset[str]) -> set[int]:
    """In "the credit committee meeting" the words before, where the minutes are those of the credit committee."""
    out: set[int] = set()
    for at, token in enumerate(tokens):
        if "@meeting" not in token.keys or not token.keys & here:
            continue
        first = at
        while first > 0 and tokens[first - 1].kind is Kind.WORD and tokens[first - 1].keys & context.title - here:
            first -= 1
        out.update(range(first, at))
    return out


def _appositions(tokens: Sequence[Token], context: Context, here: frozenset[str]) -> set[int]:
    """In "the customer Bergmann" the name, where the passage has the role."""
    out: set[int] = set()
    for at in range(1, len(tokens)):
        role, name = tokens[at - 1], tokens[at]
        if name.kind is not Kind.WORD or not name.name or name.keys & here:
            continue
        party = context.party(name)
        continues = at - 1 in out and any(name.keys & known.more for known in context.parties)
        same = party is not None and role.kind is Kind.WORD and role.keys & here and context.party(role) == party
        if continues or same:
            out.add(at)
    return out
