"""Why a question has no answer, in words: what was understood, what was not, and what would work."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from footnote.answers.naming import Named
from footnote.answers.question import Token
from footnote.answers.target import Target, targets
from footnote.answers.words import BE, DOES, FUTURE, MONTHS, PARTIES, PASSIVE, RECEIVES, TIME_WORDS, TRANSFERS
from footnote.catalog.model import Catalog, Parameter
from footnote.errors import Candidate, Unroutable

_MOST = 5
_LEADING = ("for", "of", "from", "by")
_PAID = ("supplier", "vendor", "creditor")
"""Entities that money goes to, so that "to X" is the natural direction."""


def refuse_no_match(catalog: Catalog) -> Unroutable:
    """Nothing in the catalog is asked for with these words."""
    return Unroutable(
        "No operation fits the question.",
        why=f"The catalog {catalog.title or catalog.catalog} answers what its operations ask, and none has these words.",
        remedy="Ask one of the questions it can answer.",
        candidates=_questions(catalog),
    )


def refuse_tie(fitting: Sequence[Target], text: str) -> Unroutable:
    """Two targets fit equally well; nobody guesses."""
    titles = list(dict.fromkeys(target.title for target in fitting))
    return Unroutable(
        f"The question fits {' and '.join(f'“{title}”' for title in titles)} equally well.",
        why=f"Both match “{text}”." if len(titles) == 1 else "The words that match are equally long.",
        remedy="Say which one is meant.",
        candidates=[Candidate(title) for title in titles],
        details={"operations": list(dict.fromkeys(target.name for target in fitting))},
    )


def refuse_missing(parameter: Parameter, target: Target, catalog: Catalog) -> Unroutable:
    """A required argument is not in the question."""
    what = f"“{target.title}” needs {_article(parameter.entity or parameter.name)}, and the question names none."
    return Unroutable(
        what,
        why=parameter.description,
        remedy="Name it in the question.",
        candidates=_questions(catalog),
        details={"operation": target.name, "parameter": parameter.name},
    )


def refuse_future(value: str, target: Target, today: dt.date) -> Unroutable:
    """The question is about a time that has not come."""
    return Unroutable(
        f"The question is about {value}, which has not come: today is {today.isoformat()}.",
        why=f"Answers come from recorded rows; “{target.title}” does not forecast.",
        remedy="Ask about a time that has come.",
        details={"operation": target.name, "notUnderstood": [value]},
    )


def refuse_leftover(
    question: str, tokens: Sequence[Token], left: Sequence[int], target: Target, catalog: Catalog
) -> Unroutable:
    """The question says more than the target can take into account."""
    parts = [_shortened(question[tokens[g[0]].start : tokens[g[-1]].end]) for g in _groups(left)][:_MOST]
    named = " and ".join(f"“{part}”" for part in parts)
    words = {tokens[i].folded for i in left}
    why = f"“{target.title}” cannot take that into account, and a figure that ignores it would answer another question."
    if words & FUTURE:
        why = f"Answers come from recorded rows; “{target.title}” does not forecast."
    elif words & TIME_WORDS or any(tokens[i].kind == "number" for i in left):
        why = f"“{target.title}” cannot be restricted to that; a figure for another period or amount would be wrong."
    others = _others(catalog, target, words)
    return Unroutable(
        f"The question asks about {named}.",
        why=why,
        remedy=_hint(tokens, left, target) or _remedy(target, others),
        candidates=_questions(catalog),
        details={"operation": target.name, "notUnderstood": parts},
    )


def refuse_direction(
    question: str, tokens: Sequence[Token], matched: Sequence[int], named: Sequence[Named], target: Target
) -> None:
    """Raise if the name stands where it would turn the question round: `owed to X`, `is X owed`, `who owes X`.

    So does an operation about what we owe, asked for with somebody else who owes.
    """
    turned = [(range_, name.text) for name in named if (range_ := _turned(tokens, matched, name, target))]
    if any(p.entity in _PAID for p in target.entities) and tokens[matched[0]].folded == "owes":
        turned.append((range(matched[0], matched[-1] + 1), ""))  # "who owes suppliers" is not what we owe
    for words, text in turned:
        part = question[tokens[words[0]].start : tokens[words[-1]].end]
        raise Unroutable(
            f"The question says “{part}”, so it is not clear who gives and who gets.",
            why=f"“{target.title}” answers in one direction only.",
            remedy=f"Ask with {text} as the one who acts, such as “does {text} …”." if text else "Say who gives.",
            details={"operation": target.name, "notUnderstood": [part]},
        )


def _turned(tokens: Sequence[Token], matched: Sequence[int], name: Named, target: Target) -> range | None:
    """The words that turn the question round, if any."""
    first, after = name.span.first, name.span.after
    entities = {p.entity for p in target.entities}
    if after < len(tokens) and tokens[after].stem in entities:
        return range(first, after + 1)  # "Bergmann's customers" are not Bergmann
    party = _is_of_a_party(tokens, matched, name)
    if party is not None:
        return party
    words = {tokens[i].folded for i in matched}
    if ("we" in words and "owed" not in words) or any(p.entity in _PAID for p in target.entities):
        return None  # "we owe X" is plain; "we are owed to X" is turned round
    if first and tokens[first - 1].folded == "to":
        return range(first - 1, after)
    if _receives(tokens, first, after):
        return range(max(first - 2, 0), min(after + 1, len(tokens)))
    if _is_passive(tokens, matched, first, after):
        return range(first, matched[-1] + 1)
    if _is_object_asked(tokens, matched, first, entities):
        return range(matched[-1] + 1)
    verb = matched[-1]
    led = any(tokens[i].folded in _LEADING for i in range(verb + 1, first))
    return range(verb, after) if tokens[verb].folded in TRANSFERS and verb < first and not led else None


def _is_of_a_party(tokens: Sequence[Token], matched: Sequence[int], name: Named) -> range | None:
    """`X's debtors`, `debtors of X`: others than X."""
    first, after = name.span.first, name.span.after
    if after in matched and tokens[after].stem in PARTIES and tokens[after - 1].bare != tokens[after - 1].text:
        return range(first, after + 1)
    if first - 2 in matched and tokens[first - 2].stem in PARTIES and tokens[first - 1].folded == "of":
        return range(first - 2, after)
    return None


def _receives(tokens: Sequence[Token], first: int, after: int) -> bool:
    """`received by X`, `has X received`: X gets."""
    by = first > 1 and tokens[first - 1].folded == "by" and tokens[first - 2].folded in RECEIVES
    led = first > 0 and tokens[first - 1].folded in ("from", "of", "for")
    return by or (not led and after < len(tokens) and tokens[after].folded in RECEIVES)


def _is_passive(tokens: Sequence[Token], matched: Sequence[int], first: int, after: int) -> bool:
    """`is X owed`, `X is owed`, `did X get paid`; unlike `X has owed`."""
    verb = next((i for i in matched if i >= after and tokens[i].folded in PASSIVE), -1)
    if verb < 0:
        return False
    between = range(after, verb)
    return any(tokens[i].folded in BE for i in between) or (
        verb == after and any(tokens[i].folded in BE for i in range(first))
    )


def _is_object_asked(tokens: Sequence[Token], matched: Sequence[int], first: int, entities: set[str | None]) -> bool:
    """`who does X owe`, `how many customers does X owe`: those who get are asked for."""
    if not any(i > first and tokens[i].folded in TRANSFERS for i in matched):
        return False
    does = next((i for i in range(first - 1, -1, -1) if tokens[i].folded in DOES), -1)
    return any(
        tokens[i].folded == "who" or (tokens[i].stem in entities and tokens[i + 1].kind != "number")
        for i in range(does)
    )


def _shortened(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[:most] + "…"


def _groups(left: Sequence[int]) -> list[list[int]]:
    """Neighbouring tokens together."""
    groups: list[list[int]] = []
    for index in left:
        if groups and groups[-1][-1] == index - 1:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _others(catalog: Catalog, target: Target, words: set[str]) -> list[str]:
    """Titles of other targets that the words left over belong to."""
    others = [other for other in targets(catalog) if other.name != target.name]
    return [o.title for o in others if any(token.folded in words for phrase in o.phrases for token in phrase)]


def _hint(tokens: Sequence[Token], left: Sequence[int], target: Target) -> str:
    """What would make the words that are left over clear, if that can be said."""
    texts = [tokens[i].text for i in left]
    if all(text.isascii() and text.isdigit() for text in texts) and target.entities:
        entity = target.entities[0].entity
        return f"If {texts[0]} is the number of {_article(str(entity))}, write “{entity} {texts[0]}”."
    yearless = any(tokens[i].folded in MONTHS or re.fullmatch("q[1-4]", tokens[i].folded) for i in left)
    return "Say the year too, as in “March 2026” or “Q1 2026”." if yearless and target.period else ""


def _remedy(target: Target, others: Sequence[str]) -> str:
    if others:
        return f"Ask for “{target.title}” and “{others[0]}” one at a time."
    dates = [f"as of a date (“as of {_DATE}”)"] if target.as_of else []
    dates += [f"since a date (“since {_DATE}”)"] if target.since else []
    dates += ["for a period (“in 2026”)"] if target.period else []
    return "Ask without it." if not dates else f"Ask without it; it can be asked {' or '.join(dates)}."


_DATE = "2026-07-31"


def _questions(catalog: Catalog) -> list[Candidate]:
    """Questions that have an answer: the catalog's examples, else its titles."""
    return [Candidate(text) for text in catalog.examples or [o.title for o in catalog.operations.values()]][:_MOST]


def _article(name: str) -> str:
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"
