"""A statement of a claim judged against a statement of a passage. Pure.

Grounded only if every slot is met and nothing in the passage narrows, turns or weakens what it says. Contradicted only if
everything but one slot is met, and the passage has that slot otherwise. In doubt, neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from footnote.documents.align import Alignment, align, period_difference, quantity_difference
from footnote.documents.binding import behind_tail, dated_otherwise, misbound, moved_otherwise
from footnote.documents.context import ROLES, Context
from footnote.documents.counterpart import settle_missing
from footnote.documents.lexicon import Lexicon
from footnote.documents.order import case_of, disorder, of_one_phrase
from footnote.documents.residue import residue_vetoes
from footnote.documents.statements import BARS, Force, Statement
from footnote.documents.tokens import Kind, Token
from footnote.documents.verdict import Reason, Status

_BAR_REASONS = {
    "condition": Reason.CONDITION,
    "reported": Reason.REPORTED,
    "plan": Reason.PROPOSED,
    "example": Reason.EXAMPLE,
    "exception": Reason.EXCEPTION,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one passage says about one statement of a claim.

    Attributes:
        status: UNSUPPORTED if the passage decides nothing.
        reasons: Why, most telling first.
        alignment: The slots.
        closeness: Share of the claim's slots that are met, for finding the nearest passage.
    """

    status: Status
    reasons: tuple[Reason, ...]
    alignment: Alignment
    closeness: float


def compare(claim: Statement, passage: Statement, context: Context, lexicon: Lexicon) -> Outcome:
    """What a statement of a passage says about a statement of a claim."""
    wanted = required(claim)
    alignment = align(wanted, passage, lambda mine, its: meets(mine, its, context))
    if not passage.bars:
        _meet_every_party(alignment, context)
    closeness = alignment.met / max(1, len(wanted))
    if not alignment.met or not any(
        token.kind is Kind.WORD for token, p in zip(wanted, alignment.at, strict=True) if p is not None
    ):
        return Outcome(Status.UNSUPPORTED, (Reason.NO_PASSAGE,), alignment, closeness)
    settle_missing(alignment, lexicon, measured=_measures(claim), free=claim.force is Force.MAY)
    polarity = _polarity(claim, passage)
    if polarity is Reason.MODALITY and _allowed_range(claim, passage, alignment):
        polarity = None
    alignment.vetoes.extend(_bars(claim, passage, lexicon))
    alignment.vetoes.extend(residue_vetoes(alignment, claim, passage))
    if disorder(alignment, claim, passage, lambda mine, its: _participant(mine, its, context)):
        swapped = _swapped(alignment, context) and not _fronted(alignment, claim, passage, context)
        alignment.vetoes.append(Reason.ROLES_SWAPPED if swapped else Reason.BINDING)
    alignment.vetoes.extend(misbound(alignment))
    if _distributed(alignment):
        alignment.vetoes.append(Reason.QUANTIFIER)
    if moved_otherwise(claim, alignment) or dated_otherwise(claim, alignment) or behind_tail(claim, passage, alignment):
        alignment.vetoes.append(Reason.BINDING)
    if polarity is Reason.NEGATED and _denied_on_any_day(alignment, claim, passage, context):
        alignment.missing.clear()
    return _outcome(alignment, polarity, closeness, denied=claim.negated and passage.negated)


def _distributed(alignment: Alignment) -> bool:
    """What each of several is or pays, all of them are or pay not together: "each tenant pays 300"."""
    pairs = [(t, alignment.passage[p]) for t, p in zip(alignment.claim, alignment.at, strict=True) if p is not None]
    counted = any(mine.kind is Kind.NUMBER for mine, _ in pairs) or bool(alignment.differs)
    shared = ((_share(mine.text), _share(its.text)) for mine, its in pairs if "@all" in mine.keys)
    return any("whole" in (mine, its) or counted for mine, its in shared if mine != its)


def _share(word: str) -> str:
    return "each" if word in _EACH else "whole" if word in _WHOLE else "all"


_EACH = frozenset("each every jeder jede jedes jeden jedem chaque kazdy kazda kazde kazdego kazdej".split())
_WHOLE = frozenset("entire whole gesamte gesamten calosc tout toute".split())


def _denied_on_any_day(alignment: Alignment, claim: Statement, passage: Statement, context: Context) -> bool:
    """What had not happened when the passage was written had not happened on an earlier day that the claim names."""
    days = [token.period for token in alignment.missing]
    written = context.effective
    if not passage.negated or not claim.past or written is None or not days:
        return False
    return all(
        period is not None
        and period.day is not None
        and not period.ambiguous
        and (period.year or 9999, period.month or 0, period.day) <= (written.year, written.month, written.day)
        for period in days
    )


def _meet_every_party(alignment: Alignment, context: Context) -> None:
    """What neither, each or either party does, this one and that one do."""
    for at, token in enumerate(alignment.passage):
        if "@party" not in token.keys or at == 0 or alignment.passage[at - 1].text not in _EVERY:
            continue
        for n, wanted in enumerate(alignment.claim):
            if alignment.at[n] is None and wanted.kind is Kind.WORD and context.party(wanted) is not None:
                alignment.at[n] = at
                alignment.notes.add(Reason.PARTY_ALIAS)


_EVERY = frozenset("neither each either both every a any jede keine eine chaque aucune une kazda zadna".split())
"""What is said of a party is said of each, unless it depends on what one of them does."""


def _outcome(alignment: Alignment, polarity: Reason | None, closeness: float, *, denied: bool) -> Outcome:
    vetoes = list(dict.fromkeys(alignment.vetoes))
    missing = tuple(dict.fromkeys(_MISSING.get(token.kind, Reason.DETAIL_MISSING) for token in alignment.missing))
    if vetoes == [Reason.ROLES_SWAPPED] and not missing and not alignment.differs and polarity is None:
        return Outcome(Status.CONTRADICTED, (Reason.ROLES_SWAPPED,), alignment, closeness)
    turned = any(reason is Reason.DIRECTION_DIFFERS for reason, _, _ in alignment.differs)
    if vetoes == [Reason.BINDING] and turned and not missing and polarity is None:
        return Outcome(Status.CONTRADICTED, (Reason.DIRECTION_DIFFERS,), alignment, closeness)
    if missing or vetoes or polarity is Reason.MODALITY:
        reasons = (*vetoes, *missing, *((polarity,) if polarity else ()))
        return Outcome(Status.UNSUPPORTED, tuple(dict.fromkeys(reasons)), alignment, closeness)
    differing = tuple(dict.fromkeys(reason for reason, _, _ in alignment.differs))
    if differing == (Reason.DATE_DIFFERS,) and denied:  # what did not happen in one year may not have in another either
        return Outcome(Status.UNSUPPORTED, differing, alignment, closeness)
    if Reason.WORD_DIFFERS in differing and len(alignment.differs) > 1:
        return Outcome(Status.UNSUPPORTED, (Reason.DETAIL_MISSING,), alignment, closeness)  # gross 120 beside net 100
    if differing and polarity is None:
        return Outcome(Status.CONTRADICTED, differing, alignment, closeness)
    if differing:
        return Outcome(Status.UNSUPPORTED, differing, alignment, closeness)
    if polarity is Reason.NEGATED:
        return Outcome(Status.CONTRADICTED, (Reason.NEGATED,), alignment, closeness)
    notes = tuple(sorted(alignment.notes)) or (Reason.SAME_WORDS,)
    return Outcome(Status.GROUNDED, notes, alignment, closeness)


_MISSING = {
    Kind.NUMBER: Reason.NUMBER_MISSING,
    Kind.PERIOD: Reason.DATE_MISSING,
    Kind.IDENTIFIER: Reason.IDENTIFIER_MISSING,
}


def required(claim: Statement) -> tuple[Token, ...]:
    """The claim's tokens that a passage has to meet; nouns of measure only where there is nothing else."""
    telling = tuple(token for token in claim.content if not token.soft)
    return telling if any(token.kind is Kind.WORD for token in telling) else claim.content


def meets(wanted: Token, found: Token, context: Context) -> Reason | None:
    """How a passage's token meets a claim's; None if it does not."""
    if wanted.kind is Kind.NUMBER and found.kind is Kind.NUMBER:
        return _meets_number(wanted, found)
    if wanted.kind is Kind.PERIOD and found.kind is Kind.PERIOD and wanted.period and found.period:
        if period_difference(wanted.period, found.period) is None:
            return Reason.SAME_WORDS
        clear = not (wanted.period.ambiguous or found.period.ambiguous)
        return Reason.SAME_WORDS if clear and wanted.period.contains(found.period) else None
    if wanted.kind is Kind.IDENTIFIER and found.kind in (Kind.IDENTIFIER, Kind.NUMBER):
        plain = found.kind is Kind.IDENTIFIER or found.text.isdigit()
        return Reason.SAME_WORDS if plain and (wanted.keys & found.keys or wanted.text == found.text) else None
    if wanted.kind is not Kind.WORD or found.kind is not Kind.WORD:
        return None
    shared = wanted.keys & found.keys
    if shared and shared <= context.shared:
        shared = frozenset()  # of two parties with one role, each is met by what it is called alone
    if shared and not context.tells_apart(wanted, found):
        return Reason.SAME_WORDS if any(not key.startswith("@") for key in shared) else Reason.SYNONYM
    party = context.party(wanted)
    return Reason.PARTY_ALIAS if party is not None and party == context.party(found) else None


def _meets_number(wanted: Token, found: Token) -> Reason | None:
    if wanted.quantity is None or found.quantity is None or quantity_difference(wanted.quantity, found.quantity):
        return None
    return Reason.SAME_WORDS if wanted.text == found.text else Reason.CONVERTED


def _polarity(claim: Statement, passage: Statement) -> Reason | None:
    """NEGATED if one says that it is so and the other that it is not; MODALITY if they only speak of different things."""
    if claim.force is Force.OPTIONAL or passage.force is Force.OPTIONAL:
        if claim.force is passage.force:
            return None
        other = passage if claim.force is Force.OPTIONAL else claim
        return Reason.NEGATED if other.force in (Force.MUST, Force.WILL) and not other.negated else Reason.MODALITY
    if claim.negated == passage.negated:
        same = claim.forbids and passage.forbids
        return None if same or _compatible(claim, passage) or _duty(claim, passage) else Reason.MODALITY
    if claim.forbids or passage.forbids:
        forbidden, other = (claim, passage) if claim.forbids else (passage, claim)
        if other.force == Force.SHOULD or (other.past and not forbidden.past):
            return Reason.MODALITY
        return Reason.NEGATED
    return Reason.NEGATED if _compatible(claim, passage) or _compatible(passage, claim) else Reason.MODALITY


def _allowed_range(claim: Statement, passage: Statement, alignment: Alignment) -> bool:
    """In "5 degrees are permitted" against "the temperature must be between 2 and 8": what is owed there is the range."""
    owed = (
        claim.force is Force.MAY
        and passage.force in (Force.MUST, Force.FACT)
        and not (claim.negated or passage.negated)
    )
    pairs = [(mine, its) for _, mine, its in alignment.differs]
    pairs += [(t, passage.tokens[p]) for t, p in zip(alignment.claim, alignment.at, strict=True) if p is not None]
    return owed and any(
        mine.quantity is not None
        and its.quantity is not None
        and (mine.quantity.bound, its.quantity.bound) == ("=", "..")
        for mine, its in pairs
    )


def _compatible(claim: Statement, passage: Statement) -> bool:
    """Whether a passage of its force states a claim of its force."""
    if claim.force is passage.force:
        return claim.past == passage.past or _measures(claim) or _dated(claim)
    pair = (claim.force, passage.force)
    if passage.past and pair != (Force.FACT, Force.MUST):
        return False
    if pair in ((Force.FACT, Force.MUST), (Force.FACT, Force.WILL)):
        return not claim.past and not passage.past
    return pair in ((Force.MUST, Force.WILL), (Force.WILL, Force.MUST), (Force.WILL, Force.FACT))


def _measures(claim: Statement) -> bool:
    """It states a figure, so that its tense says no more than when it was said: "the fee was 5" and "the fee is 5"."""
    return any(token.operator == "copula" for token in claim.tokens) and any(
        token.kind is Kind.NUMBER for token in claim.tokens
    )


def _duty(claim: Statement, passage: Statement) -> bool:
    """A contract says what a party has to do in the present tense too: "the buyer pays within 30 days"."""
    present = claim.force is Force.MUST and passage.force is Force.FACT and not (claim.past or passage.past)
    acts = any(token.keys & ROLES for token in passage.tokens)
    return present and acts and any(token.keys & _DUTIES for token in passage.tokens)


_DUTIES = frozenset("@pay @deliver @notify @insure @indemnify @send_ @confirm @provide @keep @order @grant".split())


def _dated(claim: Statement) -> bool:
    """It says when something begins or ends, which is the same before and after: "started on 3 May", "starts on 3 May"."""
    return any(t.keys & _DATED for t in claim.tokens) and any(t.period and t.period.day for t in claim.tokens)


_DATED = frozenset(("@commence", "@expire", "@effective"))


def _bars(claim: Statement, passage: Statement, lexicon: Lexicon) -> list[Reason]:
    """What keeps the passage from stating plainly, unless the claim has the same; and what the claim has alone."""

    def told(token: Token) -> tuple[str, object]:
        return token.operator, lexicon.alike.get(token.text, token.text)

    mine = {told(token) for token in claim.bars}
    tail = _tail(passage)
    its = [token for token in passage.bars if token.start < tail]
    kinds = {operator for operator, _ in mine}
    out = [_BAR_REASONS[token.operator] for token in its if told(token) not in mine]
    found = {token.operator for token in its}
    return out + [_BAR_REASONS[kind] for kind in BARS if kind in kinds and kind not in found]


def _tail(passage: Statement) -> int:
    """From where on the passage only explains, compares or refers."""
    return next((token.start for token in passage.tokens if token.operator == "tail"), 1 << 60)


def _fronted(alignment: Alignment, claim: Statement, passage: Statement, context: Context) -> bool:
    """Polish and German show by case who does what to whom; if no participant's case has changed, only the order has."""
    if claim.language != passage.language or claim.language not in ("pl", "de"):
        return False
    order = {id(token): at for at, token in enumerate(claim.tokens)}
    acting = [
        (order.get(id(token), 0), place)
        for token, place in zip(alignment.claim, alignment.at, strict=True)
        if place is not None and _participant(token, alignment.passage[place], context)
    ]
    if claim.language == "pl":
        return all(
            claim.tokens[at].text == alignment.passage[p].text or not _alike(at, p, claim, alignment)
            for at, p in acting
        )
    cases = [(case_of(at, claim.tokens), case_of(place, alignment.passage)) for at, place in acting]
    return any("object" in pair for pair in cases) and all(mine == its for mine, its in cases)


def _alike(at: int, place: int, claim: Statement, alignment: Alignment) -> bool:
    return claim.tokens[at].text[:4] == alignment.passage[place].text[:4]


def _swapped(alignment: Alignment, context: Context) -> bool:
    """Whether the disorder is that two parties or names have changed sides."""
    places = [
        place
        for token, place in zip(alignment.claim, alignment.at, strict=True)
        if place is not None and _participant(token, alignment.passage[place], context)
    ]
    pairs = pairwise(places)
    turned = [(other, one) for one, other in pairs if other < one]
    return any(not of_one_phrase(alignment.passage, *pair) for pair in turned) or _around_number(alignment)


def _participant(token: Token, found: Token, context: Context) -> bool:
    if token.kind is not Kind.WORD or token.keys & _ADJECTIVES:
        return False
    initial = token.capital and found.capital and not any(key.startswith("@") for key in token.keys)
    return token.name or found.name or initial or context.party(token) is not None or _role(token)


_ADJECTIVES = frozenset("@austrian @german @french @polish @english_ @swiss @italian @american @british".split())
"""Written with a capital in English, and no names of anybody."""


def _role(token: Token) -> bool:
    return bool(token.keys & ROLES)


def _around_number(alignment: Alignment) -> bool:
    """Both sides of a number have changed: "A is 5 % of B" against "B is 5 % of A"."""
    numbers = [
        n for n, token in enumerate(alignment.claim) if token.kind is Kind.NUMBER and alignment.at[n] is not None
    ]
    if len(numbers) != 1:
        return False
    middle = numbers[0]
    place = alignment.at[middle] or 0
    left = [p for p in alignment.at[:middle] if p is not None]
    right = [p for p in alignment.at[middle + 1 :] if p is not None]
    return bool(left and right) and min(left) > place > max(right)
