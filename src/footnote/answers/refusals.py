"""Why a question has no answer, in words: what was understood, what was not, and what would work."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.answers.naming import Named
from footnote.answers.question import Token
from footnote.answers.target import Target, targets
from footnote.answers.words import BE, FUTURE, PASSIVE, TIME_WORDS, TRANSFERS
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
        remedy=_remedy(target, others),
        candidates=_questions(catalog),
        details={"operation": target.name, "notUnderstood": parts},
    )


def refuse_direction(
    question: str, tokens: Sequence[Token], matched: Sequence[int], named: Sequence[Named], target: Target
) -> None:
    """Raise if the name stands where it would turn the question round: `owed to X`, `is X owed`, `who owes X`."""
    for name in named:
        turned = _turned(tokens, matched, name, target)
        if turned:
            part = question[tokens[turned[0]].start : tokens[turned[-1]].end]
            raise Unroutable(
                f"The question says “{part}”, so it is not clear who gives and who gets.",
                why=f"“{target.title}” answers in one direction only.",
                remedy=f"Ask with {name.text} as the one who acts, such as “does {name.text} …”.",
                details={"operation": target.name, "notUnderstood": [part]},
            )


def _turned(tokens: Sequence[Token], matched: Sequence[int], name: Named, target: Target) -> range | None:
    """The words that turn the question round, if any."""
    first, after = name.span.first, name.span.after
    following = tokens[after] if after < len(tokens) else None
    if following is not None and following.stem in {p.entity for p in target.entities}:
        return range(first, after + 1)  # "Bergmann's customers" are not Bergmann
    if any(tokens[i].folded == "we" for i in matched) or any(p.entity in _PAID for p in target.entities):
        return None
    if first and tokens[first - 1].folded == "to":
        return range(first - 1, after)
    passive = following is not None and following.folded in PASSIVE and after in matched
    if passive and any(tokens[i].folded in BE for i in range(first)):
        return range(first, after + 1)
    verb = matched[-1]
    led = any(tokens[i].folded in _LEADING for i in range(verb + 1, first))
    return range(verb, after) if tokens[verb].folded in TRANSFERS and verb < first and not led else None


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
