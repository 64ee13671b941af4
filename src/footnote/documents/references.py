"""Words of a claim that name the document or its parties rather than something in the passage. Pure.

"The Hosting Agreement is governed by …" is about the document whose title it is; "the fee payable to Delta" is about the
document in which Delta is the one who is paid. A name that the document does not know stays a slot to be met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footnote.documents.context import DOCUMENT, Context
from footnote.documents.lexicon import Lexicon
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token

_WITH = frozenset("with between mit zwischen avec entre z ze pomiedzy miedzy".split())
_TO = frozenset("to an a dla na".split())
_BY = frozenset("by von par przez".split())
_DIRECTED = frozenset(("@payable", "@pay"))


def resolved(claim: Statement, context: Context, passage: Sequence[Token], lexicon: Lexicon) -> Statement:
    """The claim without what the document itself settles."""
    tokens = claim.tokens
    dropped: set[int] = set()
    here = frozenset(key for token in passage for key in token.keys if token.kind is Kind.WORD)
    for at, token in enumerate(tokens):
        if token.kind is Kind.WORD and token.keys & DOCUMENT:
            dropped |= _document(at, tokens, context, here)
    dropped |= _direction(tokens, context, here, lexicon)
    if not dropped:
        return claim
    kept = tuple(token for at, token in enumerate(tokens) if at not in dropped)
    return replace(claim, tokens=kept) if any(token.content for token in kept) else claim


def _document(at: int, tokens: Sequence[Token], context: Context, here: frozenset[str]) -> set[int]:
    """The title before "agreement", and "with NAME" behind it, if they are this document's."""
    start = at
    while start > 0 and _of_title(tokens[start - 1], context):
        start -= 1
    titled = tokens[at].keys & context.title
    if start > 0 and tokens[start - 1].kind is Kind.WORD and not tokens[start - 1].soft and start != at:
        return set()
    if not titled and not tokens[at].keys & here:
        return set()
    if start == at and tokens[at].keys & here:
        return _with_party(at, tokens, context, here)
    places = {place for place in range(start, at + 1) if tokens[place].content and not _needed(tokens[place], here)}
    return places | _with_party(at, tokens, context, here)


def _needed(token: Token, here: frozenset[str]) -> bool:
    """What the passage has itself is compared there."""
    return bool(token.keys & here) and bool(token.keys & DOCUMENT)


def _of_title(token: Token, context: Context) -> bool:
    if token.kind is Kind.WORD:
        return bool(token.keys & context.title)
    return token.text in ("-", "and", "of", "&", ",", "for", "und", "et", "i")


def _with_party(at: int, tokens: Sequence[Token], context: Context, here: frozenset[str]) -> set[int]:
    out: set[int] = set()
    if at + 1 < len(tokens) and tokens[at + 1].text in _WITH:
        for place in range(at + 2, len(tokens)):
            token = tokens[place]
            if token.kind is Kind.WORD and context.party(token) is not None and not token.keys & here:
                out.add(place)
            elif token.kind is Kind.WORD or token.kind is Kind.OPERATOR:
                break
    return out


def _direction(tokens: Sequence[Token], context: Context, here: frozenset[str], lexicon: Lexicon) -> set[int]:
    """Drop "payable to NAME" and "paid by NAME", where NAME has the role that is paid, or pays, in this document."""
    for at, token in enumerate(tokens):
        if not token.keys & _DIRECTED or token.keys & here or at + 2 >= len(tokens):
            continue
        roles = lexicon.receives if tokens[at + 1].text in _TO else lexicon.pays if tokens[at + 1].text in _BY else ()
        name = tokens[at + 2]
        party = context.party(name) if name.kind is Kind.WORD else None
        if party is not None and not name.keys & here and any(f"@{role}" in context.roles(party) for role in roles):
            return {at, at + 2}
    return set()
