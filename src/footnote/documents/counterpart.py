"""What a passage has in the place of a slot of the claim that it does not meet. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from footnote.documents.align import Alignment, excludes, implies, inside, period_difference, quantity_difference
from footnote.documents.lexicon import Lexicon
from footnote.documents.tokens import Kind, Token
from footnote.documents.verdict import Reason

_GRAIN = ("day", "month", "quarter", "half", "year")


def settle_missing(alignment: Alignment, lexicon: Lexicon, *, measured: bool, free: bool) -> None:
    """Sort the claim's unmet tokens into those that differ and those that are missing.

    Args:
        alignment: Changed in place.
        lexicon: Vocabulary.
        measured: The claim states a figure, so that its date is of what the figure is.
        free: The claim says what is allowed, so that a figure within a range is met by the range.
    """
    taken = {place for place in alignment.at if place is not None}
    for n, token in enumerate(alignment.claim):
        if alignment.at[n] is not None:
            continue
        within = _within(token, alignment, taken, free=free)
        if within is not None:
            alignment.at[n] = within
            alignment.notes.add(Reason.CONVERTED)
            taken.add(within)
            continue
        dated = measured and token.kind is Kind.PERIOD
        found = None if dated else _counterpart(n, token, alignment, taken, lexicon, free=free)
        if found is None:
            alignment.missing.append(token)
            continue
        reason, place = found
        taken.add(place)
        alignment.differs.append((reason, token, alignment.passage[place]))


def _within(token: Token, alignment: Alignment, taken: set[int], *, free: bool) -> int | None:
    """A range that a figure lies in, where the range is what is allowed, or what the rest of the passage is said of."""
    for at, found in enumerate(alignment.passage):
        if at in taken or token.quantity is None or found.quantity is None or found.kind is not Kind.NUMBER:
            continue
        alike = token.quantity.kind == found.quantity.kind and not (token.quantity.doubt or found.quantity.doubt)
        if alike and inside(token.quantity, found.quantity) and (free or _is_subject(at, alignment)):
            return at
    return None


def _is_subject(at: int, alignment: Alignment) -> bool:
    """In "uptime from 95% to 99% gives a credit" the range belongs to the one noun before it."""
    before = [token for token in alignment.passage[:at] if token.content or token.operator]
    return len(before) == 1 and before[0].kind is Kind.WORD and alignment.passage[at - 1].text in _RANGED


_RANGED = frozenset("from of between von zwischen de entre od pomiedzy miedzy".split())


def _counterpart(
    n: int, token: Token, alignment: Alignment, taken: set[int], lexicon: Lexicon, *, free: bool
) -> tuple[Reason, int] | None:
    room = [at for at in _room(n, alignment) if at not in taken]
    passage = alignment.passage
    if token.kind is Kind.NUMBER:
        return _number(token, passage, room, free=free)
    if token.kind is Kind.PERIOD:
        return _period(n, token, alignment, room)
    if token.kind is Kind.IDENTIFIER:
        return _identifier(n, alignment, room)
    for at in room:
        if passage[at].kind is Kind.WORD and lexicon.excludes(_concepts(token), _concepts(passage[at])):
            direction = "@increase" in token.keys or "@decrease" in token.keys
            return (Reason.DIRECTION_DIFFERS if direction else Reason.WORD_DIFFERS), at
    return _name(n, token, alignment, room)


def _concepts(token: Token) -> set[str]:
    return {key[1:] for key in token.keys if key.startswith("@")}


def _room(n: int, alignment: Alignment) -> Iterator[int]:
    """Where a counterpart may stand: anywhere for adverbs and dates, else between the neighbours that are met."""
    before = [place for place in alignment.at[:n] if place is not None]
    after = [place for place in alignment.at[n + 1 :] if place is not None]
    low = before[-1] if before else -1
    high = after[0] if after else len(alignment.passage)
    if low < high:
        yield from range(low + 1, high)
    yield from (at for at in range(len(alignment.passage)) if not low < at < high)


def _number(token: Token, passage: tuple[Token, ...], room: list[int], *, free: bool) -> tuple[Reason, int] | None:
    """The number in its place, if the passage has but one that could be meant."""
    claimed = token.quantity
    numbers = [at for at in room if passage[at].kind is Kind.NUMBER]
    if claimed is None or not numbers:
        return None
    alike = [at for at in numbers if _alike(token, passage[at])]
    if len({(passage[at].text) for at in alike}) != 1 and not (alike and numbers[0] == alike[0] and len(numbers) == 1):
        return None
    found = passage[alike[0]].quantity
    reason = quantity_difference(claimed, found) if found is not None else None
    if reason is None or found is None or reason is Reason.AMBIGUOUS:
        return None
    if reason is Reason.BOUND_DIFFERS and not excludes(claimed, found):
        return None
    if (token.text.startswith(_SCALE) and implies(found, claimed, free=free)) or {claimed.unit, found.unit} == _SHARES:
        return None
    return reason, alike[0]


_SCALE = ("at least", "no less", "not less", "no fewer", "not fewer", "a minimum", "at most", "no more", "not more", "mindestens",
          "hochstens", "maximal", "minimal", "au moins", "au plus", "au maximum", "co najmniej", "przynajmniej", "najwyzej",
          "co najwyzej", "nie wiecej", "nie mniej", "up to", "bis zu", "jusqu'a")  # fmt: skip
"""Say where on a scale something is; a cap or a threshold ("limited to", "falls below") is one thing and not another."""
_SHARES = {"percent", "percentage point"}
"""A rise by 2 percent may be one by 2 percentage points, or not: that follows from the level, which nobody states."""


def _alike(one: Token, other: Token) -> bool:
    """Both count the same sort of thing: money, a share, a time, a length, or things."""
    mine, its = one.quantity, other.quantity
    if mine is None or its is None:
        return False
    return _family(mine.kind) == _family(its.kind) or (mine.kind == "count" and its.kind == "money")


def _family(kind: str) -> str:
    if kind in ("business day", "month", "minute"):
        return "time"
    if kind in ("metre", "mile", "inch"):
        return "length"
    if kind in ("kilogram", "gram", "pound weight"):
        return "weight"
    return "share" if kind in ("percent", "percentage point") else kind


def _period(n: int, token: Token, alignment: Alignment, free: list[int]) -> tuple[Reason, int] | None:
    """A date in its place; where the claim states a figure, the date is of what, and another one is another matter."""
    day = token.period is not None and token.period.day is not None
    if not day and any(t.kind is Kind.NUMBER for t in alignment.claim):
        return None
    for at in free:
        found = alignment.passage[at].period
        if found is not None and token.period is not None and _grain(token) == _grain(alignment.passage[at]):
            reason = period_difference(token.period, found)
            return (reason, at) if reason is Reason.DATE_DIFFERS and not found.ambiguous else None
    return None


def _grain(token: Token) -> str:
    return next((name for name in _GRAIN if getattr(token.period, name) is not None), "")


def _identifier(n: int, alignment: Alignment, free: list[int]) -> tuple[Reason, int] | None:
    """Another identifier is another thing, unless the passage gives it as the value that is asked for."""
    claim = alignment.claim
    clause = n > 0 and "@clause" in claim[n - 1].keys and alignment.at[n - 1] is not None
    last = n == len(claim) - 1
    if not clause and not last:
        return None
    for at in free:
        if alignment.passage[at].kind is Kind.IDENTIFIER:
            return Reason.IDENTIFIER_DIFFERS, at
    return None


def _name(n: int, token: Token, alignment: Alignment, free: list[int]) -> tuple[Reason, int] | None:
    """Another name in the same place, if the place is that of a value: behind what is met, not the subject."""
    before = [place for place in alignment.at[:n] if place is not None]
    if not token.name or not before or any(place is not None for place in alignment.at[n + 1 :]):
        return None
    for at in free:
        if at > before[-1] and alignment.passage[at].kind is Kind.WORD:
            return (Reason.NAME_DIFFERS, at) if alignment.passage[at].name else None
    return None
