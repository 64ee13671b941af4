"""Sentences that say the same in another construction: rules of `constructions.yaml` over the tokens of a statement. Pure.

"The Supplier has ten days from the order to deliver" is "the Supplier must deliver within ten days of the order". A rule
takes a whole statement apart into slots and puts them together again, so that nothing that was said is lost: whatever
stands in a slot has still to be met, and still narrows. A rule that is no equivalence (`implies`) is for passages only: what
follows from a passage may be claimed, what a claim says may not be taken for less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from footnote.documents.statements import BARS, Statement, clause_of
from footnote.documents.tokens import Kind, Token

_LONGEST = 48
"""Tokens of a statement; in a longer one nobody takes apart what belongs to what."""
_TIMES = frozenset(("minute", "month", "business day"))
_VERBAL = frozenset(
    ("copula", "must", "may", "will", "should", "optional", "negation", "tail", "plan", "reported", "example")
)


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a form.

    Attributes:
        words: What a single token may be: a folded word, `@concept` or `<operator>`; empty for a slot of any tokens.
        slot: The name under which what it takes is kept; empty if it is not.
        kind: Of a slot: any, words, name, plain, still, rest, time, amount.
        holds: A concept that a slot has to hold.
        optional: It may be absent.
    """

    words: tuple[str, ...] = ()
    slot: str = ""
    kind: str = "any"
    holds: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """Forms that say what `says` says, in one language.

    Attributes:
        language: Of the forms; * for all.
        forms: Each a whole statement.
        says: The forms that stand for all of them.
        implied: It only follows from them.
        each: The slot of a list, for every name of which `says` is said.
        marked: Concept that stands in brackets behind a name of the list, and what is said of that one besides.
    """

    language: str
    forms: tuple[tuple[Element, ...], ...]
    says: tuple[tuple[str, ...], ...]
    implied: bool
    each: str = ""
    marked: tuple[tuple[str, tuple[str, ...]], ...] = ()


def reworded(statement: Statement, *, passage: bool) -> tuple[Statement, ...]:
    """The same statement in other constructions; of a passage also what follows from it.

    Args:
        statement: One predication.
        passage: It states; otherwise it is claimed, and may only be said otherwise, not less.
    """
    out: list[Statement] = []
    todo = [statement]
    for _ in range(3):
        todo = [made for each in todo for made in _applied(each, passage=passage)]
        out.extend(todo)
    return tuple(out)


def _applied(statement: Statement, *, passage: bool) -> Iterator[Statement]:
    tokens = statement.tokens
    if len(tokens) > _LONGEST:
        return
    for rule in _rules():
        if rule.language not in ("*", statement.language) or (rule.implied and not passage):
            continue
        for form in rule.forms:
            slots = _matched(form, tokens)
            if slots is not None:
                yield from (_clause(_said(says, taken, tokens), statement) for says, taken in _sayings(rule, slots))
                break


def _sayings(
    rule: Rule, slots: dict[str, tuple[Token, ...]]
) -> Iterator[tuple[tuple[str, ...], dict[str, tuple[Token, ...]]]]:
    if not rule.each:
        yield from ((says, slots) for says in rule.says)
        return
    for name, mark in _listed(slots[rule.each]):
        taken = {**slots, "each": name}
        yield from ((says, taken) for says in rule.says)
        yield from ((says, taken) for concept, says in rule.marked if any(concept in token.keys for token in mark))


def _listed(tokens: Sequence[Token]) -> Iterator[tuple[tuple[Token, ...], tuple[Token, ...]]]:
    """Each name of a list with what stands in brackets behind it; what is no name is left out."""
    item: list[Token] = []
    for token in (*tokens, Token(Kind.MARK, ",", 0, 0)):
        if token.text not in (",", ";", "and", "und", "et", "i", "oraz"):
            item.append(token)
            continue
        opened = next((n for n, other in enumerate(item) if other.text == "("), len(item))
        name = tuple(item[:opened])
        if name and all(other.kind is Kind.WORD and other.name for other in name):
            yield name, tuple(item[opened:])
        item = []


def _clause(tokens: Sequence[Token], said: Statement) -> Statement:
    """A statement of these tokens; what bars the rest of the sentence bars it too."""
    outside = [bar for bar in said.bars if not any(bar is token for token in said.tokens)]
    bars = (*outside, *(token for token in tokens if token.operator in BARS))
    return clause_of(tokens, bars, said.language)


# --- forms ------------------------------------------------------------------------------------------------------------


def _matched(form: Sequence[Element], tokens: Sequence[Token]) -> dict[str, tuple[Token, ...]] | None:
    """What each slot takes, if the whole statement has the form."""
    needed = (element for element in form if element.words and not element.optional)
    if not all(any(_is(element, token) for token in tokens) for element in needed):
        return None
    return _match(form, 0, tokens, 0, {})


def _match(
    form: Sequence[Element], n: int, tokens: Sequence[Token], at: int, slots: dict[str, tuple[Token, ...]]
) -> dict[str, tuple[Token, ...]] | None:
    if n == len(form):
        return slots if at == len(tokens) else None
    element = form[n]
    if element.optional and (found := _match(form, n + 1, tokens, at, slots)) is not None:
        return found
    for end in _ends(element, tokens, at):
        taken = {**slots, element.slot: tuple(tokens[at:end])} if element.slot else slots
        if (found := _match(form, n + 1, tokens, end, taken)) is not None:
            return found
    return None


def _ends(element: Element, tokens: Sequence[Token], at: int) -> Iterable[int]:
    """Where what an element takes from `at` on may end."""
    if at >= len(tokens):
        return
    if element.words or element.kind in ("time", "amount"):
        if _is(element, tokens[at]):
            yield at + 1
        return
    for end in range(at + 1, len(tokens) + 1):
        last = tokens[end - 1]
        if element.kind not in ("rest", "still") and _breaks(last, element.kind):
            return
        if element.kind == "still" and _no_more(tokens[at:end]):
            return
        if _holds(element.holds, tokens[at:end]) and any(token.content for token in tokens[at:end]):
            yield end


def _holds(concept: str, tokens: Sequence[Token]) -> bool:
    """A concept or one of its kinds is among the words: `@liability_insurance` where `insurance` is asked for."""
    keys = (key for token in tokens for key in token.keys if key[0] == "@")
    return not concept or any(key == f"@{concept}" or key.endswith(f"_{concept}") for key in keys)


def _breaks(token: Token, kind: str) -> bool:
    """It cannot stand in a slot: a comma, or what makes a predication of its own; in a noun alone, no preposition either."""
    if kind == "plain":
        return token.text in (",", ";", "and", "or")
    if token.text in (",", ";", ":") or token.operator in _VERBAL or token.operator in BARS[:4]:
        return True
    if kind == "name":
        return not (token.kind is Kind.WORD and token.name) and token.text != "."
    return kind == "words" and not (token.kind is Kind.WORD or token.text in _ARTICLES)


_ARTICLES = frozenset("a an the - ' s".split())


def _no_more(tokens: Sequence[Token]) -> bool:
    """It speaks of what has been before: "which had been 30 EUR", "which was 30 EUR"."""
    texts = {token.text for token in tokens}
    return bool(texts & _FORMERLY) or (bool(texts & {"was", "were"}) and any(t.quantity is not None for t in tokens))


_FORMERLY = frozenset("had used formerly previously once then until till before originally initially".split())


def _is(element: Element, token: Token) -> bool:
    quantity = token.quantity
    if element.kind == "time":
        return quantity is not None and quantity.kind in _TIMES
    if element.kind == "amount":
        return quantity is not None and (bool(quantity.currency) or quantity.kind == "percent")
    return any(
        word in token.keys if word[0] == "@" else word[1:-1] == token.operator if word[0] == "<" else word == token.text
        for word in element.words
    )


def _said(says: Sequence[str], slots: dict[str, tuple[Token, ...]], tokens: Sequence[Token]) -> list[Token]:
    """The tokens of the form that stands for all, with what the slots hold."""
    out: list[Token] = []
    for part in says:
        if part[0] == "{":
            name, bound = part[1:-1].rstrip("<="), part[1:-1].lstrip("abcdefghijklmnopqrstuvwxyz_")
            out.extend(_bounded(token, bound) for token in slots.get(name, ()))
        else:
            out.append(_made(part, tokens[0]))
    return out


def _bounded(token: Token, bound: str) -> Token:
    """A plain time made a limit, or a limit a plain time, where the words around it say so."""
    if not bound or token.quantity is None or token.quantity.bound not in ("=", "<="):
        return token
    return replace(token, quantity=replace(token.quantity, bound=bound))


def _made(part: str, first: Token) -> Token:
    if part[0] == "@":
        return Token(Kind.WORD, part[1:], first.start, first.end, frozenset((part,)))
    if part[0] == "<":
        return Token(Kind.OPERATOR, _SPELLED.get(part, part[1:-1]), first.start, first.end, operator=part[1:-1])
    return Token(Kind.FUNCTION, part, first.start, first.end, frozenset((part,)))


_SPELLED = {"<copula>": "is", "<negation>": "not", "<exception>": "without"}


# --- rules ------------------------------------------------------------------------------------------------------------


@cache
def stands_for() -> dict[str, frozenset[str]]:
    """Concept of a claim to concepts by which a passage that says it in another construction is found."""
    out: dict[str, set[str]] = {}
    for rule in _rules():
        asked = {word for form in rule.forms for element in form for word in element.words if word[0] == "@"}
        for part in (part for says in rule.says for part in says):
            if part[0] == "@" and part not in asked:
                out.setdefault(part, set()).update(asked)
    return {concept: frozenset(others) for concept, others in out.items()}


@cache
def _rules() -> tuple[Rule, ...]:
    text = resources.files("footnote.documents").joinpath("constructions.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return tuple(_rule(entry) for entry in data["rules"])


def _rule(entry: dict[str, Any]) -> Rule:
    says = entry.get("says") or entry["implies"]
    marked = tuple((concept, tuple(said.split())) for concept, said in entry.get("marked", {}).items())
    listed = [says] if isinstance(says, str) else says
    forms = tuple(tuple(_element(part) for part in form.split()) for form in entry["forms"])
    return Rule(
        entry.get("language", "en"),
        forms,
        tuple(tuple(each.split()) for each in listed),
        "implies" in entry,
        entry.get("each", ""),
        marked,
    )


def _element(part: str) -> Element:
    optional = part.endswith(("?", "?}"))
    part = part.replace("?", "")
    if part[0] != "{":
        return Element(
            tuple(word.replace("_", " ") if word[0] not in "@<" else word for word in part.split("|")),
            optional=optional,
        )
    name, _, kind = part[1:-1].partition(":")
    name, _, holds = name.partition("@")
    if kind[:1] == "@":
        return Element(tuple(kind.split("|")), name, optional=optional)
    return Element((), name, kind or ("rest" if name == "rest" else "any"), holds, optional)
