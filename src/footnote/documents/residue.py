"""What a passage says beyond the claim, and whether that narrows it. Pure.

"The late fee is 5" does not say that the fee is 5. Words of the passage that the claim lacks are harmless only where
grammar shows it: lists, brackets, what only explains or compares, verbs that carry nothing.
"""

from __future__ import annotations

from footnote.documents.align import FLOATING, Alignment
from footnote.documents.context import DOCUMENT, ROLES
from footnote.documents.statements import Force, Statement
from footnote.documents.tokens import Kind, Token
from footnote.documents.verdict import Reason

_SEPARATORS = frozenset(", and or nor und oder noch et ou ni i oraz lub albo ani".split())
_RESTRICTING = frozenset(
    "up above below over under plus minus unter uber powyzej ponizej ponad of for per pour fur je pro za od de du des a in".split()
)
_PARTIAL = frozenset(
    "some certain most part partly partially several selected few half many manche einige teilweise gewisse certains certaines "
    "quelques partie plusieurs niektore niektorzy czesc czesciowo kilka".split()
)
_TOGETHER = frozenset(
    "jointly together combined sum between aggregate zusammen gemeinsam ensemble lacznie razem".split()
)


def residue_vetoes(alignment: Alignment, claim: Statement, passage: Statement) -> list[Reason]:
    """NARROWER or QUANTIFIER if the passage says less than the claim; empty if it says at least as much."""
    aligned = {place for place in alignment.at if place is not None}
    aligned |= {_place(alignment, token) for _, _, token in alignment.differs}
    low, high = min(aligned), max(aligned)
    left = [at for at in range(len(alignment.passage)) if _left_over(at, aligned, alignment)]
    out: list[Reason] = []
    if any(alignment.passage[at].text in _PARTIAL for at in left if at < high):
        out.append(Reason.QUANTIFIER)
    if any(_narrows(at, low, high, alignment, aligned, claim, passage) for at in left) or _holds_less_often(
        alignment.passage, aligned
    ):
        out.append(Reason.NARROWER)
    return out


def _holds_less_often(passage: tuple[Token, ...], aligned: set[int]) -> bool:
    """A condition of the passage that asks for more: "if the goods are damaged in transit" for "if they are damaged"."""
    for start, token in enumerate(passage):
        if token.operator != "condition":
            continue
        comma = (
            at for at in range(start + 1, len(passage)) if passage[at].text == "," and not _in_brackets(at, passage)
        )
        clause = range(start + 1, next(comma, len(passage)))
        asked = any(at in aligned for at in clause)
        more = (at for at in clause if at not in aligned and passage[at].content and not passage[at].soft)
        if asked and any(not _in_brackets(at, passage) and not _alternative(at, passage) for at in more):
            return True
    return False


def _alternative(at: int, passage: tuple[Token, ...]) -> bool:
    """One of several things of which each will do: "damaged or lost"."""
    return passage[at - 1].text in _OR or (at + 1 < len(passage) and passage[at + 1].text in _OR)


_OR = frozenset("or nor oder ou lub albo bzw".split())


def _level_before(at: int, aligned: set[int], passage: tuple[Token, ...]) -> bool:
    """In "was raised from 30 to 45" the first number, for whoever says that it was raised to 45."""
    later = [place for place in aligned if place > at and passage[place].kind is Kind.NUMBER]
    moved = any(passage[place].keys & _MOVES for place in aligned)
    return moved and bool(later) and passage[at - 1].text in FROM and passage[min(later) - 1].text in TO


def _of_reference(at: int, aligned: set[int], passage: tuple[Token, ...]) -> bool:
    """In "invoice 8812 over 5 EUR is overdue" the amount only says which invoice it is."""
    before = [place for place in range(max(0, at - 3), at) if passage[place].content and not passage[place].soft]
    money = passage[at].quantity is not None and bool(passage[at].quantity.currency)  # type: ignore[union-attr]
    return money and bool(before) and passage[before[-1]].kind is Kind.IDENTIFIER and before[-1] in aligned


def _charged(at: int, aligned: set[int], passage: tuple[Token, ...]) -> bool:
    """In "charges a fee of 40" the fee is what is charged; whoever says "charges 40" means no other."""
    number = at + 2 < len(passage) and passage[at + 1].text in _OF and at + 2 in aligned
    return number and any(passage[place].keys & _GIVES | passage[place].keys & {"@fee"} for place in aligned)


_OF = frozenset("of von de d' w".split())
_MOVES = frozenset(("@increase", "@decrease", "@change"))
FROM = frozenset("from von de od z".split())
"""Leads to the level before a change."""
TO = frozenset("to auf a do na".split())
"""Leads to the level after it."""
_PER = frozenset("per je pro par za na".split())


def _met(alignment: Alignment) -> list[int]:
    return [place for place in alignment.at if place is not None]


def _place(alignment: Alignment, token: Token) -> int:
    return next(at for at, other in enumerate(alignment.passage) if other is token)


def _left_over(at: int, aligned: set[int], alignment: Alignment) -> bool:
    passage = alignment.passage
    token = passage[at]
    if at in aligned or not token.content or token.soft or _in_brackets(at, passage):
        return False
    if "@all" in token.keys and at + 1 < len(passage) and not any(t.operator == "negation" for t in passage):
        return False  # what holds of each holds
    if token.keys & DOCUMENT and passage[at - 1].text in _THIS and at:
        return False
    if token.kind is Kind.NUMBER and _level_before(at, aligned, passage):
        return False
    if token.kind is Kind.NUMBER and _of_reference(at, aligned, passage):
        return False
    if "@period" in token.keys and any(place in aligned for place in (at + 1, at + 2)):
        return False  # "for a period of 18 months"
    if "@fee" in token.keys and _charged(at, aligned, passage):
        return False
    if at < min(aligned) and _refers(at, passage):
        return False
    if any(other.operator == "tail" for other in passage[:at]):
        return False
    return not _listed(at, aligned, passage) or _counted_together(at, aligned, passage)


def _refers(at: int, passage: tuple[Token, ...]) -> bool:
    """A clause that is referred to before the statement begins: "by way of derogation from § 5 No. 2"."""
    derogates = any(token.operator == "harmless" for token in passage[:at])
    number = passage[at].kind is Kind.IDENTIFIER or bool(passage[at].keys & {"@clause", "@number_label"})
    return derogates and number


def _in_brackets(at: int, passage: tuple[Token, ...]) -> bool:
    opened = sum((t.text in "([") - (t.text in ")]") for t in passage[:at] if t.kind is Kind.MARK)
    return opened > 0


def _listed(at: int, aligned: set[int], passage: tuple[Token, ...]) -> bool:
    """An item of a list beside items that the claim has: "copy, alter and sell" says "sell"."""
    start = at
    while start > 0 and passage[start - 1].text not in _SEPARATORS and passage[start - 1].kind is not Kind.OPERATOR:
        start -= 1
    end = at
    while (
        end + 1 < len(passage)
        and passage[end + 1].text not in _SEPARATORS
        and passage[end + 1].kind is not Kind.OPERATOR
    ):
        end += 1
    if any(t.text in _TOGETHER for t in passage):
        return False
    if any(place in aligned for place in range(start, end + 1)):
        return _item_of_its_own(at, passage)
    before = passage[start - 1].text in _SEPARATORS if start else False
    after = passage[end + 1].text in _SEPARATORS if end + 1 < len(passage) else False
    numbered = any(passage[place].kind is Kind.NUMBER for place in range(start, end + 1))
    return (before or after) and start > 0 and not numbered


def _counted_together(at: int, aligned: set[int], passage: tuple[Token, ...]) -> bool:
    """In one amount for several: "the fee for storage and transport is 5" does not say what storage costs alone."""
    numbers = [place for place in aligned if passage[place].kind is Kind.NUMBER and place > at]
    joined = any(token.text in _AND for token in passage[max(0, at - 4) : at + 4])
    return bool(numbers) and joined and not any(token.text in _EACH for token in passage)


_AND = frozenset("and und et i oraz &".split())
_EACH = frozenset("each respectively both jeweils je chacun chacune odpowiednio kazdy neither either nor".split())


def _item_of_its_own(at: int, passage: tuple[Token, ...]) -> bool:
    """The second place of "neither in the cellar nor in the yard": a coordinator, a preposition, and the word."""
    before = at - 1
    while before > 0 and passage[before].text in _THIS:
        before -= 1
    preposition = passage[before].text in _PREPOSITIONS or (
        passage[before].kind is Kind.OPERATOR and passage[before].text == "bei"
    )
    first = at + 1 < len(passage) and passage[at + 1].text == ","
    return preposition and (first or (before > 0 and passage[before - 1].text in _SEPARATORS - {","}))


def _narrows(
    at: int, low: int, high: int, alignment: Alignment, aligned: set[int], claim: Statement, statement: Statement
) -> bool:
    token = alignment.passage[at]
    if at < low and claim.about_document and _same_document(low, alignment.passage):
        return False
    if at < low and _only_gives(low, aligned, alignment.passage):
        return False
    if at < low and _unnamed_doer(at, claim, statement):
        return False
    if at < low and _in_apposition(low, aligned, alignment.passage, at):
        return False
    if at < high:
        if token.kind is Kind.PERIOD:
            return _ends_then(at, alignment.passage) or statement.force is Force.WILL
        if _moves_to(at, aligned, alignment.passage):
            return False
        return not (token.keys & DOCUMENT and (at < low or alignment.passage[at - 1].text in _THIS))
    return _narrows_behind(at, high, alignment, statement)


def _only_gives(low: int, aligned: set[int], passage: tuple[Token, ...]) -> bool:
    """In "the supplier grants a warranty of 18 months" what stands before "warranty" only says who gives it."""
    before = [token for token in passage[:low] if token.content or token.operator]
    measured = passage[low].kind is Kind.WORD and any(passage[place].kind is Kind.NUMBER for place in aligned)
    return (
        measured
        and 1 <= len(before) <= 3
        and bool(before[-1].keys & _GIVES)
        and all(token.keys & ROLES or token.name for token in before[:-1])
    )


def _unnamed_doer(at: int, claim: Statement, statement: Statement) -> bool:
    """In "each invoice is paid within 30 days" nobody is named; that the customer pays it says so, and says more."""
    told = claim.passive and not statement.passive and not (claim.negated or statement.negated)
    if (
        not told
        or statement.force not in (Force.MUST, Force.WILL, Force.FACT)
        or any(t.text in _BY for t in claim.tokens)
    ):
        return False
    subject = [token for token in statement.tokens[: at + 1] if token.content or token.operator]
    return all(token.kind is Kind.WORD and (token.keys & ROLES or token.name) for token in subject)


_BY = frozenset("by von vom durch par przez".split())
_GIVES = frozenset(("@grant", "@receive", "@get", "@charge", "@pay"))


def _ends_then(at: int, passage: tuple[Token, ...]) -> bool:
    """In "until 2024 the fee was 40" the fee is that no more."""
    return any(token.text in _UNTIL for token in passage[max(0, at - 2) : at])


_UNTIL = frozenset("until till bis jusqu' jusqu jusqu'a do up".split())


def _same_document(low: int, passage: tuple[Token, ...]) -> bool:
    """In "this agreement begins then and runs until 2028" the second verb has the document as its subject too."""
    first = next((token for token in passage if token.content), None)
    before = low - 1
    while before > 0 and passage[before].kind is Kind.FUNCTION and passage[before].text not in _SEPARATORS:
        before -= 1
    return first is not None and bool(first.keys & DOCUMENT) and passage[before].text in _SEPARATORS - {","}


def _in_apposition(low: int, aligned: set[int], passage: tuple[Token, ...], at: int) -> bool:
    """In "tax at the statutory rate (21% in 2019)" the bracket speaks of the rate alone, not of what stands before "at"."""
    numbers = [place for place in aligned if passage[place].kind is Kind.NUMBER]
    words = [place for place in aligned if passage[place].kind is Kind.WORD]
    if len(numbers) != 1 or not words or not _in_brackets(numbers[0], passage):
        return False
    opened = next((place for place in range(numbers[0], 0, -1) if passage[place].text == "("), 0)
    phrase = range(low, opened)
    whole = all(place in aligned or not passage[place].content for place in phrase) and opened - 1 in aligned
    return whole and any(passage[place].text in _PREPOSITIONS for place in range(at + 1, low))


_THIS = frozenset(
    "this the diese dieser diesen diesem dieses den der ce cet cette le la niniejsza niniejszej niniejszy".split()
)
_PREPOSITIONS = frozenset(
    "at of in for with by to on from zu bei mit von aus im am a de du par pour avec w z na do o przy".split()
)


_TIMES = frozenset(("minute", "month", "business day"))


def _moves_to(at: int, aligned: set[int], passage: tuple[Token, ...]) -> bool:
    """In "expense rose by 3 to 9" the verb leads to the level that it has reached."""
    if not passage[at].keys & {"@increase", "@decrease", "@change"} and passage[at].kind is not Kind.NUMBER:
        return False
    numbers = [place for place in aligned if place > at and passage[place].kind is Kind.NUMBER]
    if len(numbers) != 1 or passage[numbers[0] - 1].text not in ("to", "auf", "a", "do"):
        return False
    moved = [token for token in passage[: numbers[0]] if token.keys & {"@increase", "@decrease", "@change"}]
    return bool(moved) and not any(passage[place] in moved for place in aligned)


def _narrows_behind(at: int, high: int, alignment: Alignment, statement: Statement) -> bool:
    """Behind the last slot: what is owed or is so stays so; what is allowed or forbidden may be so only there."""
    passage = alignment.passage
    token = passage[at]
    if token.kind is Kind.PERIOD:
        return _ends_then(at, passage)
    if statement.negated or statement.force is Force.MAY:
        return True
    if "@consent" in token.keys or "@only" in token.keys:
        return True
    if token.keys & FLOATING and at <= high + 3:
        return True
    if passage[at - 1].text in _PER and any(token.text in passage[place].text.split() for place in _met(alignment)):
        return False
    following = next((other for other in passage[high + 1 : at + 1]), token)
    if following is token:
        if token.quantity is not None and passage[high].kind is Kind.WORD and token.quantity.bound != "=":
            return token.quantity.kind not in _TIMES  # "orders over 100 pieces" are not all orders
        return (passage[high].kind is Kind.WORD and token.kind is Kind.WORD) or token.text in _RESTRICTING
    return following.text in _RESTRICTING and not any(t.text == "," for t in passage[high + 1 : at])
