"""What a document says about itself, as far as a claim may lean on it: its title, its parties and what it calls them. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from footnote.documents.lexicon import Lexicon, language_of
from footnote.documents.profile import is_message
from footnote.documents.tokens import Kind, Token, read
from footnote.documents.units import Party, Source, Unit, UnitKind

DOCUMENT = frozenset(
    f"@{name}"
    for name in (
        "agreement",
        "supply_contract",
        "lease",
        "amendment",
        "terms",
        "schedule",
        "policy",
    )
)
"""Concepts by which a claim refers to a document as a whole."""
ROLES = frozenset(
    f"@{name}"
    for name in "supplier customer tenant landlord lender borrower employee employer bank account_holder board recipient discloser "
    "creditor debtor leaseholder leasing_owner insurer insured policyholder freight_forwarder carrier shipper agency contractor "
    "consultant licensor licensee franchisor franchisee committee party".split()
)
"""Concepts of who acts, by role."""
LEGAL_FORMS = frozenset(
    "ltd inc llc llp gmbh ag sa sarl sas s.a sp z o oo kg se plc corp co limited company corporation asa as bv nv oy ab eg cooperative".split()
)
_CASES = frozenset(("", "a", "u", "owi", "em", "om", "ie", "y", "s", "es", "n", "en", "e"))
"""How Polish and German bend a name."""


@dataclass(frozen=True, slots=True)
class Known:
    """A party of a document.

    Attributes:
        names: Folded words that name it, each alone.
        more: Further words of its full name, which name it only behind the first one.
        roles: Concepts of its roles in this document.
        words: All words of its names.
    """

    names: frozenset[str]
    more: frozenset[str]
    roles: frozenset[str]
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Context:
    """A source as claims see it.

    Attributes:
        language: Of the source.
        title: Keys of the words of its title.
        parties: Who it is about.
        keys: Key of a name or role to the party's number; those that fit two are left out.
        tier: Of the source.
        known: What has been asked before.
        head: Keys and numbers of what stands below the title and says what the document is about.
        pairs: Keys of words that stand side by side in the title.
        effective: From when the source holds, or when it was written.
        message: It is one person's message, which states only that this person says so.
    """

    language: str
    title: frozenset[str]
    parties: tuple[Known, ...] = ()
    keys: dict[str, int] = field(default_factory=dict)
    tier: int = 2
    known: dict[str, int | None] = field(default_factory=dict)
    head: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    effective: dt.date | None = None
    message: bool = False
    shared: frozenset[str] = frozenset()
    """Keys of roles that more than one party has, so that the role's word alone says which is meant."""

    def party(self, token: Token) -> int | None:
        """The number of the party that a token names, by its name or by its role."""
        if token.text not in self.known:
            self.known[token.text] = self._party(token)
        return self.known[token.text]

    def _party(self, token: Token) -> int | None:
        plain = self.language in _UNBENT
        for key in token.keys:
            if key in self.keys and (key.startswith("@") or key == token.text or not plain):
                return self.keys[key]
        if token.kind is Kind.WORD and token.text[:1].isalpha() and len(token.text) > 3:
            for name, number in self.keys.items():
                if not name.startswith("@") and _bent(token.text, name, unbent=plain):
                    return number
        return None

    def continues(self, number: int, token: Token) -> bool:
        """Whether a token goes on with the full name of a party."""
        more = self.parties[number].more
        return token.kind is Kind.WORD and (token.text in more if self.language in _UNBENT else bool(token.keys & more))

    def tells_apart(self, one: Token, other: Token) -> bool:
        """Two spellings that are one word by their stems, and two names: "Kestrel Foods" and "Kestrel Food"."""
        if self.language not in _UNBENT or one.text == other.text or not (one.name and other.name):
            return False
        return any(one.text in known.words or other.text in known.words for known in self.parties)


_UNBENT = frozenset(("en", "fr"))
"""Languages that do not bend names; a claim in another one may."""
_CASES_OF_CLAIMS = frozenset(("a", "u", "owi", "em", "om", "ie"))


def _bent(word: str, name: str, *, unbent: bool) -> bool:
    if unbent:
        return len(name) > 3 and word.startswith(name) and word[len(name) :] in _CASES_OF_CLAIMS
    if len(name) < 4 or word[:4] != name[:4]:
        return False
    shorter, longer = sorted((word, name), key=len)
    return longer.startswith(shorter) and longer[len(shorter) :] in _CASES


def context_of(
    source: Source, titles: str, parties: Sequence[Party], language: str, lexicon: Lexicon, head: str = ""
) -> Context:
    """The context of a source.

    Args:
        source: The source.
        titles: What it is called, and what it amends.
        parties: Its own, or those of what it amends.
        language: Of its title and names.
        lexicon: Vocabulary.
        head: Lines below the title that say what the document is about.
    """
    words = [token for token in read(titles, language, lexicon) if token.content or token.kind is Kind.MARK]
    title = frozenset(key for token in words for key in token.keys if token.content)
    pairs = {(a, b) for one, other in pairwise(words) for a in one.keys for b in other.keys if one.content}
    known: list[Known] = []
    keys: dict[str, int] = {}
    clashes: set[str] = set()
    for number, party in enumerate(parties):
        mine = _known(party, language, lexicon)
        known.append(mine)
        for key in mine.names | mine.roles:
            if keys.get(key, number) != number:
                clashes.add(key)
            keys[key] = number
    about = [token for token in read(head, language, lexicon) if token.content]
    return Context(
        language,
        title,
        tuple(known),
        {k: n for k, n in keys.items() if k not in clashes},
        source.tier,
        head=frozenset(key for token in about for key in (token.keys or (token.text,))),
        pairs=frozenset(pairs),
        effective=source.effective,
        message=is_message(source),
        shared=frozenset(key for key in clashes if key.startswith("@")),
    )


def _known(party: Party, language: str, lexicon: Lexicon) -> Known:
    names: set[str] = set()
    more: set[str] = set()
    roles: set[str] = set()
    words: set[str] = set()
    for text in (party.name, *party.aliases):
        tokens = [t for t in read(text, language, lexicon) if t.kind in (Kind.WORD, Kind.FUNCTION)]
        for at, token in enumerate(tokens):
            concepts = {key for key in token.keys if key.startswith("@")}
            if at == 0 and len(tokens) == 1 and concepts:
                roles |= concepts
            words.add(token.text)
            plain = {key for key in token.keys if not key.startswith("@")}
            if language in _UNBENT:
                plain = {token.text}
            if at == 0 and token.text not in LEGAL_FORMS:
                names |= plain
            else:
                more |= plain
    forms = _forms(more & LEGAL_FORMS)
    return Known(frozenset(names), frozenset(more | (forms or LEGAL_FORMS)), frozenset(roles), frozenset(words))


def _forms(written: set[str]) -> frozenset[str]:
    """The ways of writing a party's own legal form; "Orion GmbH" is not "Orion Ltd"."""
    groups = ("ltd limited", "inc incorporated", "corp corporation", "co company", "sa s.a s a", "sp z o oo")
    return frozenset(
        form for mine in written for form in next((g.split() for g in groups if mine in g.split()), [mine])
    )


def is_head(unit: Unit, lexicon: Lexicon) -> bool:
    """Whether a line near the top names who or what a document is about, and states nothing of it."""
    if unit.kind is UnitKind.PAIR:
        return bool(_OBJECTS & {key for t in read(unit.key, language_of(unit.key), lexicon) for key in t.keys})
    if unit.kind not in (UnitKind.SENTENCE, UnitKind.ITEM) or len(unit.text) > 160 or len(unit.section) > 1:
        return False
    tokens = read(unit.text, language_of(unit.text), lexicon)
    stated = any(token.operator in ("copula", "must", "may", "will", "negation") for token in tokens)
    return not stated and any(token.text in LEGAL_FORMS or token.keys & _OBJECTS for token in tokens)


_OBJECTS = frozenset(("@flat", "@office", "@warehouse", "@premises", "@subject_matter"))
