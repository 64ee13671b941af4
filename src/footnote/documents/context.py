"""What a document says about itself, as far as a claim may lean on it: its title, its parties and what it calls them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from footnote.documents.lexicon import Lexicon
from footnote.documents.tokens import Kind, Token, read
from footnote.documents.units import Source

DOCUMENT = frozenset(f"@{name}" for name in ("agreement", "lease", "amendment", "invoice"))
"""Concepts by which a claim refers to a document as a whole."""
_LEGAL_FORMS = frozenset("ltd inc llc gmbh ag sa s.a sp z o kg se plc corp co limited company corporation".split())


@dataclass(frozen=True, slots=True)
class Context:
    """A source as claims see it.

    Attributes:
        language: Of the source.
        title: Keys of the words of its title.
        parties: For each party the keys of its names, and of the roles it has.
        names: Key of a party's name or alias to the party's number.
        tier: Of the source.
    """

    language: str
    title: frozenset[str]
    parties: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    names: dict[str, int] = field(default_factory=dict)
    tier: int = 2

    def party(self, token: Token) -> int | None:
        """The number of the party that a token names, by its name or by its role."""
        for key in token.keys:
            if key in self.names:
                return self.names[key]
        return None

    def roles(self, party: int) -> frozenset[str]:
        """Concepts of the roles that a party has in this document."""
        return self.parties[party][1]


def context_of(source: Source, language: str, lexicon: Lexicon) -> Context:
    """The context of a source."""
    title = frozenset(key for token in read(source.title, language, lexicon) for key in token.keys if token.content)
    parties: list[tuple[frozenset[str], frozenset[str]]] = []
    names: dict[str, int] = {}
    clashes: set[str] = set()
    for number, party in enumerate(source.parties):
        mine: set[str] = set()
        roles: set[str] = set()
        for text in (party.name, *party.aliases):
            tokens = [token for token in read(text, language, lexicon) if token.kind is Kind.WORD]
            _collect([token for token in tokens if token.text not in _LEGAL_FORMS], mine, roles)
        for key in mine | roles:
            if names.get(key, number) != number:
                clashes.add(key)
            names[key] = number
        parties.append((frozenset(mine), frozenset(roles)))
    kept = {key: number for key, number in names.items() if key not in clashes}
    return Context(language, title, tuple(parties), kept, source.tier)


def _collect(tokens: list[Token], names: set[str], roles: set[str]) -> None:
    """The first word of a name stands for it, and every alias of one word; a role is one by its concept."""
    for token in tokens[:1]:
        concepts = {key for key in token.keys if key.startswith("@")}
        if concepts and len(tokens) == 1:
            roles.update(concepts)
        names.update(key for key in token.keys if not key.startswith("@"))
