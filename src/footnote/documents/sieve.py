"""Which candidates are worth a full comparison: most can be seen to decide nothing by sets of words alone. Pure.

A passage decides only if it has every word of the claim, but for what its document settles, for a word of which it has the
opposite, and for a name at the end, in whose place it may have another. Whatever else is missing, it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from footnote.documents.context import DOCUMENT, Context
from footnote.documents.lexicon import Lexicon
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token

_SETTLED = DOCUMENT | {"@pay", "@payable", "@party", "@total", "@amount_due", "@invoice_total"}


@dataclass(frozen=True, slots=True)
class Sought:
    """The words of a claim's statement, as the sieve sees them.

    Attributes:
        words: Its words in order.
        free: For each, whether a passage may lack it whatever its document says.
        slots: All that has to be met, numbers and dates too.
        letters: For each word the beginnings of all words that may stand for it.
    """

    words: tuple[Token, ...]
    free: tuple[bool, ...]
    slots: int
    letters: tuple[tuple[str, ...], ...]


def sought(claim: Statement, lexicon: Lexicon, letters: Callable[[Token], tuple[str, ...]]) -> Sought:
    """What a statement of a claim looks for.

    Args:
        claim: One predication.
        lexicon: Vocabulary.
        letters: The beginnings, folded, of all words that may stand for one.
    """
    words = tuple(_in_rows(token) for token in claim.content if token.kind is Kind.WORD and not token.soft)
    free = tuple(
        bool(word.keys & _SETTLED) or any(key[1:] in lexicon.exclusive for key in word.keys if key.startswith("@"))
        for word in words
    )
    slots = max(1, sum(not token.soft for token in claim.content))
    return Sought(words, free, slots, tuple(letters(word) for word in words))


def _in_rows(token: Token) -> Token:
    """What is unpaid is looked for in rows that say what is outstanding, too; whether it is all of it, the row decides."""
    return replace(token, keys=token.keys | {"@outstanding"}) if "@unpaid" in token.keys else token


def seen(what: Sought, text: str, place: str) -> tuple[bool, float]:
    """As `sifted`, by letters alone, for a unit that has not been read yet.

    Args:
        what: What is looked for.
        text: Of the unit, folded.
        place: What its document, its headings and its parties are called, folded.
    """
    met = 0
    trailing = possible = True
    for word, free, letters in zip(reversed(what.words), reversed(what.free), reversed(what.letters), strict=True):
        if any(begin in text for begin in letters):
            met += 1
            trailing = False
        elif possible and not free and not (trailing and word.name) and not any(begin in place for begin in letters):
            possible = False
    return possible and met > 0, met / what.slots


def sifted(what: Sought, has: frozenset[str], context: Context, heading: frozenset[str]) -> tuple[bool, float]:
    """Whether a passage with these keys may decide, and the share of the claim that it seems to meet."""
    if not what.words:
        return True, 0.0
    met = 0
    trailing = True
    possible = True
    for word, free in zip(reversed(what.words), reversed(what.free), strict=True):
        if not word.keys.isdisjoint(has):
            met += 1
            trailing = False
        elif possible and not free and not _settled(word, context, heading) and not (trailing and word.name):
            possible = False
    return possible and met > 0, met / what.slots


def _settled(word: Token, context: Context, heading: frozenset[str]) -> bool:
    if any(not word.keys.isdisjoint(keys) for keys in (heading, context.title, context.head)):
        return True
    return context.party(word) is not None or any(word.keys & known.more for known in context.parties)


def keys_of_tokens(tokens: Sequence[Token]) -> frozenset[str]:
    """All keys of the words among tokens."""
    return frozenset(key for token in tokens if token.kind is Kind.WORD for key in token.keys)
