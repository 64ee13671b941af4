"""Sentences as statements: one predication each, with its polarity, its force and what stands in its way. Pure.

A sentence that says two things is two statements ("may keep pets and shall not smoke"); a condition, a report, a plan or
an exception counts for every statement of its sentence, because nothing tells safely where it ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from footnote.documents.tokens import Kind, Token


class Force(StrEnum):
    """Whether something is so, is owed, is free, or is only advised."""

    FACT = "fact"
    MUST = "must"
    WILL = "will"
    MAY = "may"
    SHOULD = "should"
    OPTIONAL = "optional"


BARS = ("condition", "reported", "plan", "example", "exception")
"""Operators that keep a sentence from stating plainly what it says."""
_COORDINATORS = frozenset("and or but und oder aber sondern et ou mais i oraz lub albo a ale lecz nor yet".split())
_FORCES = {
    "optional": Force.OPTIONAL,
    "may": Force.MAY,
    "must": Force.MUST,
    "should": Force.SHOULD,
    "will": Force.WILL,
}
_VERBAL = frozenset((*_FORCES, "copula", "negation"))
_SUFFERS = frozenset("unterliegt unterliegen podlega podlegaja".split())
"""Active verbs for what English says in the passive: "is governed by"."""
_PAST = frozenset(
    "was were had did wurde wurden war waren hatte hatten etait etaient avait byl byla bylo byly zostal zostala zostalo zostaly".split()
)
_BE = frozenset(
    "is are be been being was were ist sind wird werden wurde wurden est sont etre ete jest sa byc zostal zostala".split()
)
_BY = frozenset("by von vom durch par przez".split())


@dataclass(frozen=True, slots=True)
class Statement:
    """One predication.

    Attributes:
        tokens: Its tokens in order; those it shares with its neighbour in the sentence too.
        negated: It says that something is not so.
        force: How it says it.
        past: It speaks of what has been.
        passive: Its subject suffers what it says.
        bars: Operators of its sentence that keep it from being stated plainly.
        about_document: Its subject was the document itself, and has been taken out.
        language: In which it is written.
        also: The same in other constructions.
    """

    tokens: tuple[Token, ...]
    negated: bool
    force: Force
    past: bool
    passive: bool
    bars: tuple[Token, ...]
    about_document: bool = False
    language: str = ""
    also: tuple[Statement, ...] = ()

    @property
    def content(self) -> tuple[Token, ...]:
        """The tokens that say something."""
        return tuple(token for token in self.tokens if token.content)

    @property
    def forbids(self) -> bool:
        """Something may not or must not be."""
        return self.negated and self.force in (Force.MAY, Force.MUST, Force.WILL)


def statements(tokens: Sequence[Token], language: str = "") -> tuple[Statement, ...]:
    """The statements of a sentence, in order; those without content are left out."""
    out: list[Statement] = []
    for sentence, asked in _parted(tokens):
        bars = tuple(token for token in (*sentence, *asked) if token.operator in BARS)
        out.extend(_statement(clause, bars, language) for clause in _clauses(sentence))
    return tuple(statement for statement in out if statement.content)


def clause_of(tokens: Sequence[Token], bars: tuple[Token, ...], language: str) -> Statement:
    """The statement of tokens that are known to be one predication."""
    return _statement(tokens, bars, language)


def _is_stop(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    return token.kind is Kind.MARK and (token.text == ";" or (token.text in ".?!" and _ends(tokens, at)))


def _ends(tokens: Sequence[Token], at: int) -> bool:
    if at + 1 >= len(tokens):
        return True
    following, before = tokens[at + 1], tokens[at - 1] if at else tokens[at]
    abbreviated = tokens[at].text == "." and len(before.text) < 3
    return following.start > tokens[at].end and following.kind is not Kind.MARK and not abbreviated


def _parted(tokens: Sequence[Token]) -> list[tuple[list[Token], tuple[Token, ...]]]:
    """Sentences, each with the mark that makes it a question: what is asked is not stated."""
    parts: list[tuple[list[Token], tuple[Token, ...]]] = []
    current: list[Token] = []
    for at, token in enumerate(tokens):
        if not _is_stop(tokens, at):
            current.append(token)
            continue
        parts.append((current, (replace(token, operator="reported"),) if token.text == "?" else ()))
        current = []
    parts.append((current, ()))
    return [part for part in parts if part[0]]


def _clauses(sentence: Sequence[Token]) -> list[list[Token]]:
    """The sentence taken apart at coordinators that begin a new predication."""
    cuts = [at for at in range(1, len(sentence)) if _begins_clause(sentence, at)]
    out: list[list[Token]] = []
    for start, end in zip([0, *cuts], [*cuts, len(sentence)], strict=True):
        part = list(sentence[start:end])
        if not out:
            out.append(part)
            continue
        body = part[1:]
        if _subject_missing(body):
            subject = _subject(out[0])
            shared = _shared_tail(body)
            if shared and len(out) == 1:
                out.append([*out[0], *shared])
            out.append([*subject, *body])
        else:
            out.append(body)
    return out


def _begins_clause(sentence: Sequence[Token], at: int) -> bool:
    token = sentence[at]
    if token.text == "," and _not_included(sentence[at + 1 :]):
        return True
    comma = token.text == "," and at + 1 < len(sentence) and sentence[at + 1].operator == "negation"
    if not comma and token.text not in _COORDINATORS:
        return False
    if not any(t.operator in _VERBAL for t in sentence[:at]) and not any(t.content for t in sentence[:at]):
        return False
    if _whole_behind(sentence, at):
        return True
    seen = 0
    for following in sentence[at + 1 : at + 9]:
        if following.operator in _VERBAL:
            return _verbal_before(sentence, at)
        if following.kind in (Kind.NUMBER, Kind.MARK) or following.text in _COORDINATORS:
            return False
        if following.kind is Kind.OPERATOR and following.operator != "harmless":
            return False
        seen += following.content
        if seen > 5:
            return False
    return False


def _not_included(rest: Sequence[Token]) -> bool:
    """In "the fee is 5 per letter, postage not included" what stands behind the comma is a statement of its own."""
    words = [token for token in rest if token.content or token.operator]
    return 2 < len(words) + 1 < 5 and words[-1].text in _INCLUDED and words[-2].operator == "negation"


_INCLUDED = frozenset("included inbegriffen enthalten compris comprise inclus wliczone wliczona".split())


def _whole_behind(sentence: Sequence[Token], at: int) -> bool:
    """Behind a comma and "and" a subject of its own, and a figure: "the limit is 5, and the rent bears interest at 6 %"."""
    joined = sentence[at].text in ("and", "und", "et", "i", "oraz", "a") and sentence[at - 1].text == ","
    if not joined or at + 2 >= len(sentence):
        return False
    subject = sentence[at + 1].text in _THE or sentence[at + 1].kind is Kind.WORD
    figures = [token.kind in (Kind.NUMBER, Kind.PERIOD) for token in sentence]
    said = any(token.operator in _VERBAL for token in sentence[:at]) and sentence[at + 2].kind is Kind.WORD
    words = [token for token in sentence[at + 1 :] if token.kind is Kind.WORD]
    return subject and said and any(figures[:at]) and any(figures[at:]) and len(words) > 2


_THE = frozenset("the a an der die das ein eine le la les l' un une".split())


def _verbal_before(sentence: Sequence[Token], at: int) -> bool:
    """The first part has a predicate of its own, or a number, which stands for one."""
    return any(
        token.kind is Kind.NUMBER or (token.operator in _VERBAL and token.operator != "negation")
        for token in sentence[:at]
    )


def _subject_missing(body: Sequence[Token]) -> bool:
    for token in body:
        if token.operator in _VERBAL:
            return True
        if token.content:
            return False
    return False


def _subject(first: Sequence[Token]) -> list[Token]:
    out: list[Token] = []
    for token in first:
        if token.operator in _VERBAL:
            break
        out.append(token)
    return out


def _shared_tail(body: Sequence[Token]) -> list[Token]:
    """The place at the end, which may belong to both: "… and shall not smoke in the flat"."""
    for at in range(len(body) - 1, 0, -1):
        if body[at].text in ("in", "at", "im", "dans", "w", "we"):
            tail = list(body[at:])
            plain = all(token.kind in (Kind.WORD, Kind.FUNCTION, Kind.MARK) for token in tail)
            return tail if plain and len(tail) <= 4 else []
    return []


def _possessing(clause: Sequence[Token]) -> list[Token]:
    """In "Delta has a limit of 5" the words in the order of "the limit of Delta is 5"."""
    at = next((n for n, token in enumerate(clause) if token.text in _HAS and token.kind is Kind.FUNCTION), 0)
    number = next((n for n in range(at + 1, len(clause)) if clause[n].kind is Kind.NUMBER), 0)
    owner, thing = list(clause[:at]), list(clause[at + 1 : number - 1])
    if not owner or not thing or number < at + 3 or clause[number - 1].text not in _OF:
        return list(clause)
    plain = all(token.kind in (Kind.WORD, Kind.FUNCTION) for token in (*owner, *thing))
    named = any(token.kind is Kind.WORD for token in owner) and not any(token.text in _OF for token in owner)
    begun = thing[0].text in _INDEFINITE or (clause[at].text in ("ma", "maja") and thing[0].kind is Kind.WORD)
    if not (plain and named and begun):
        return list(clause)
    has = clause[at]
    copula = Token(Kind.OPERATOR, "is", has.start, has.end, operator="copula")
    return [*thing, clause[number - 1], *owner, copula, *clause[number:]]


_HAS = frozenset("has have hat haben a ont ma maja".split())
_OF = frozenset("of von de d'".split())
_INDEFINITE = frozenset("a an the ein eine einen un une".split())


def _statement(clause: Sequence[Token], bars: tuple[Token, ...], language: str) -> Statement:
    clause = _possessing(clause)
    negations = sum(token.operator == "negation" for token in clause)
    negations -= _doubled(clause)
    force = next((force for name, force in _FORCES.items() if any(t.operator == name for t in clause)), Force.FACT)
    if force is Force.MUST and any(t.operator == "may" for t in clause):
        force = Force.MAY
    words = {token.text for token in clause} | {word for t in clause if t.operator for word in t.text.split()}
    be = bool(words & _BE)
    past = bool(words & _PAST) or (
        not be
        and force is Force.FACT
        and any(_is_past(t, clause[n - 1] if n else None, language) for n, t in enumerate(clause))
    )
    past = past or any(t.operator == "negation" and t.text.split()[0].endswith("ed") for t in clause)
    passive = (be and any(token.text in _BY for token in clause)) or bool(words & _SUFFERS) or _suffers(clause)
    return Statement(tuple(clause), negations % 2 == 1, force, past, passive, bars, language=language)


def _suffers(clause: Sequence[Token]) -> bool:
    """A form of "to be" and a participle close behind it."""
    for at, token in enumerate(clause):
        if not set(token.text.split()) & _BE:
            continue
        for following in clause[at + 1 : at + 4]:
            if following.kind is Kind.WORD and (following.text.endswith("ed") or following.text in _PARTICIPLES):
                return True
        if at and token.text in ("jest", "sa") and clause[at - 1].text.endswith(_POLISH_PARTICIPLES):
            return True
    return False


_PARTICIPLES = frozenset(
    """paid sold bought made given taken sent held kept left lost built told written known chosen broken drawn driven met
    brought sought found taught caught fed led lent spent dealt won hit put set read shown grown thrown worn sued""".split()
)
_POLISH_PARTICIPLES = ("ony", "ona", "one", "any", "ana", "ane", "eni", "ani")
_IRREGULAR = _PARTICIPLES | frozenset(
    "gave took went began became came saw knew chose broke drew drove ate got rose fell grew ran stood meant felt wrote spoke flew had".split()
)


def _doubled(clause: Sequence[Token]) -> int:
    """French "ne … pas" and Polish "nikt nie", "nigdy nie" say one no in two words."""
    texts = [token.text for token in clause if token.operator == "negation"]
    french = sum(text in ("ne", "n'", "n") for text in texts)
    if french and len(texts) == french and any(token.text in ("que", "qu'") for token in clause):
        return french  # "ne … que" is "only"
    if french:
        return min(french, len(texts) - french)
    polish = sum(text == "nie" for text in texts)
    if polish and any(text in _POLISH_DOUBLES for text in texts):
        return len(texts) - 1
    english = [text for text in texts if text in ("neither", "nor")]
    return len(english) - 1 if len(english) > 1 else 0


_POLISH_DOUBLES = frozenset(
    [
        *"nigdy nikt nikomu zaden zadna zadne zadnego zadnej zadnych nic niczego ani".split(),
        "w zadnym razie",
        "w zadnym wypadku",
    ]
)


def _is_past(token: Token, before: Token | None, language: str) -> bool:
    """A past tense by its form: "delivered", "a réparé", "hat geliefert", "dostarczył"."""
    if token.kind is not Kind.WORD or len(token.text) < 4 or token.name or token.capital:
        return False
    if token.text.endswith("ed") or _phrasal_past(token.text):
        return len(token.text) > 4
    if token.text in _IRREGULAR and token.text not in _AMBIGUOUS:
        return True
    perfect = before is not None and before.text in _PERFECT and (before.text != "a" or language == "fr")
    if perfect and token.text.endswith(("e", "es", "ee", "i", "u", "it", "is", "t", "n")):
        return True
    return token.text.endswith(_POLISH_PAST) and not token.name


def _phrasal_past(text: str) -> bool:
    """A verb with its particle, as the vocabulary has them: "signed off", "took place", "fand statt", "odbyło się"."""
    verb, _, particle = text.partition(" ")
    if particle == "sie":
        return verb.endswith(_POLISH_PAST)
    return particle in _PARTICLES and (verb.endswith("ed") or verb in _IRREGULAR or verb == "fand")


_PARTICLES = frozenset("off over out back up down in on away place statt".split())
_AMBIGUOUS = frozenset("put set read hit left found".split())
_PERFECT = frozenset("a ont avons ai hat haben habe has have".split())
_POLISH_PAST = (
    "ala", "alo", "aly", "ali", "ila", "ilo", "ily", "ili", "yla", "ylo", "yly", "nela", "nal", "acil", "iczyl", "iszczyl", "yl", "il", "al",
    "iono", "ono", "ano",
)  # fmt: skip
