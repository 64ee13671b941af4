"""One statement of a claim laid over one statement of a passage, slot by slot. Pure.

Every word, number, date, identifier and name of the claim has to be met by the passage itself, in the same order, with
nothing between that narrows it. What comes back says what is met, what is missing, what differs, and what forbids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from footnote.documents.measures import Quantity
from footnote.documents.periods import Period
from footnote.documents.statements import Statement
from footnote.documents.tokens import Token
from footnote.documents.verdict import Reason

FLOATING = frozenset(
    f"@{name}"
    for name in (
        "weekly monthly quarterly yearly daily hourly automatic written "
        "pay deliver notify terminate put_end renew disclose sign approve keep guarantee assign sublet replace grant commence expire "
        "limited charge confirm send_ provide receive get use_ accept reject govern retain"
    ).split()
)
"""Adverbs, which may stand anywhere in a sentence, and verbs, whose place is the language's: who does what to whom shows
in the order of the others."""


@dataclass(slots=True)
class Alignment:
    """Where the tokens of a claim stand in a passage.

    Attributes:
        claim: The claim's content tokens.
        passage: All tokens of the passage's statement.
        at: For each claim token its place in `passage`, or None.
        differs: Reasons for claim tokens that the passage has otherwise, with both tokens.
        missing: Claim tokens that the passage lacks.
        vetoes: What keeps the passage from stating the claim.
        notes: How tokens were met where it was not word by word.
    """

    claim: tuple[Token, ...]
    passage: tuple[Token, ...]
    at: list[int | None]
    differs: list[tuple[Reason, Token, Token]] = field(default_factory=list)
    missing: list[Token] = field(default_factory=list)
    vetoes: list[Reason] = field(default_factory=list)
    notes: set[Reason] = field(default_factory=set)

    @property
    def met(self) -> int:
        """How many claim tokens are met."""
        return sum(place is not None for place in self.at)


Equal = Callable[[Token, Token], Reason | None]
"""Whether a passage's token meets a claim's: a reason code that says how, or None."""


def align(claim: Sequence[Token], statement: Statement, equal: Equal) -> Alignment:
    """The claim's content tokens laid over a statement."""
    passage = statement.tokens
    options = [[at for at, token in enumerate(passage) if token.content and equal(wanted, token)] for wanted in claim]
    at = _places(claim, options, passage)
    alignment = Alignment(tuple(claim), passage, at)
    for wanted, place in zip(claim, at, strict=True):
        if place is not None:
            how = equal(wanted, passage[place])
            if how is not None and how is not Reason.SAME_WORDS:
                alignment.notes.add(how)
    return alignment


def _places(claim: Sequence[Token], options: Sequence[Sequence[int]], passage: Sequence[Token]) -> list[int | None]:
    """A place for each token: as many as can be, each place once, in order as far as possible, close together."""
    places: list[int | None] = [None] * len(claim)
    used: set[int] = set()
    for n in sorted(range(len(claim)), key=lambda n: (len(options[n]), n)):
        free = [place for place in options[n] if place not in used]
        if free:
            places[n] = min(free, key=lambda place: (claim[n].text != passage[place].text, *_cost(n, place, places)))
            used.add(places[n] or 0)
    return places


def _cost(n: int, place: int, places: Sequence[int | None]) -> tuple[int, int]:
    wrong = sum(
        other is not None and ((m < n and other > place) or (m > n and other < place)) for m, other in enumerate(places)
    )
    known = [other for other in places if other is not None]
    near = min((abs(place - other) for other in known), default=place)
    return wrong, near


def quantity_difference(claimed: Quantity, found: Quantity) -> Reason | None:
    """Why two quantities are not the same; None if they are."""
    if claimed.doubt or found.doubt:
        return Reason.AMBIGUOUS
    if claimed.currency and found.currency and claimed.currency != found.currency:
        return Reason.CURRENCY_DIFFERS
    if claimed.unit != found.unit:
        return Reason.UNIT_DIFFERS
    if claimed.currency and not found.currency and not found.unit:
        return Reason.CURRENCY_DIFFERS
    if claimed.bound != found.bound:
        return Reason.BOUND_DIFFERS
    if claimed.value == found.value and claimed.upper == found.upper:
        return None
    if rounded_alike(claimed, found):
        return Reason.AMBIGUOUS
    return Reason.SCALE_DIFFERS if _scaled(claimed, found) else Reason.NUMBER_DIFFERS


def excludes(claimed: Quantity, found: Quantity) -> bool:
    """Whether a figure within the bounds of one cannot be within those of the other, or they point apart."""
    if {claimed.bound[:1], found.bound[:1]} == {"<", ">"}:
        upper, lower = (claimed, found) if claimed.bound.startswith("<") else (found, claimed)
        return upper.value <= lower.value  # "at most 50" may be so where "at least 5" is
    if "~" in (claimed.bound, found.bound):
        return False
    low, high = max(_low(claimed), _low(found)), min(_high(claimed), _high(found))
    return low > high


def implies(stated: Quantity, weaker: Quantity, *, free: bool) -> bool:
    """Whether a limit follows from a stricter one of the same sort: "at least 3" from "at least 5".

    A limit of time is a deadline, which is one thing, and of which another one is another. What is allowed "up to 5" is
    allowed up to 3 (`free`).
    """
    same = (stated.kind, stated.bound[:1]) == (weaker.kind, weaker.bound[:1])
    if not same or stated.kind in _TIMES or stated.upper is not None or weaker.upper is not None:
        return False
    if stated.bound.startswith(">"):
        return weaker.value < stated.value
    return stated.bound.startswith("<") and (weaker.value < stated.value if free else weaker.value > stated.value)


_TIMES = frozenset(("minute", "month", "business day"))


def inside(claimed: Quantity, found: Quantity) -> bool:
    """A single figure within a range that is stated with both ends."""
    return claimed.bound == "=" and found.bound == ".." and not excludes(claimed, found)


def _low(quantity: Quantity) -> Decimal:
    return Decimal("-Infinity") if quantity.bound.startswith("<") else quantity.value


def _high(quantity: Quantity) -> Decimal:
    if quantity.bound.startswith(">"):
        return Decimal("Infinity")
    return quantity.value if quantity.upper is None else quantity.upper


def rounded_alike(one: Quantity, other: Quantity) -> bool:
    """Both may be the same figure, once stated in full and once rounded."""
    if one.upper is not None or other.upper is not None or one.place == other.place:
        return False
    quantum = Decimal(10) ** max(one.place, other.place)
    return (one.value / quantum).quantize(Decimal(1), ROUND_HALF_UP) == (other.value / quantum).quantize(
        Decimal(1), ROUND_HALF_UP
    )


def _scaled(claimed: Quantity, found: Quantity) -> bool:
    if not claimed.value or not found.value or claimed.unit:
        return False
    ratio = abs(claimed.value / found.value)
    return any(ratio in (Decimal(10) ** power, Decimal(10) ** -power) for power in (3, 6, 9))


def period_difference(claimed: Period, found: Period) -> Reason | None:
    """Why two dates are not the same; None if they are."""
    if claimed.ambiguous or found.ambiguous:
        same = {claimed.month, claimed.day} == {found.month, found.day} and claimed.year == found.year
        return Reason.AMBIGUOUS_DATE if same else Reason.DATE_DIFFERS
    if claimed.key == found.key:
        return None
    return Reason.DATE_DIFFERS
