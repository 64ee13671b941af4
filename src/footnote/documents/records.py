"""A statement of a claim judged against a field of a record: `Due date: 2 May 2026` on an invoice. Pure.

The field that states the value has to be named by the claim; what record it is may stand in the document's title or in two
other fields next to it. Prose is never put together like this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footnote.documents.align import period_difference, quantity_difference
from footnote.documents.rowsayings import RECORDS, TOTALS, wanted_of
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token
from footnote.documents.units import Unit
from footnote.documents.verdict import Reason, Status

MOST_OTHERS = 2
"""Fields beside the one that states the value."""
_VALUES = (Kind.NUMBER, Kind.PERIOD)


@dataclass(frozen=True, slots=True)
class Field:
    """A key and its value.

    Attributes:
        unit: Where they stand.
        names: Tokens of the key, one tuple for each language it is written in ("Due date / Fällig am").
        value: Tokens of the value.
    """

    unit: Unit
    names: tuple[tuple[Token, ...], ...]
    value: tuple[Token, ...]

    @property
    def dates_record(self) -> bool:
        """It says of which date the record is."""
        return any("@invoice_date" in token.keys for token in _flat(self))


@dataclass(frozen=True, slots=True)
class RecordOutcome:
    """What a field says about a statement.

    Attributes:
        status: UNSUPPORTED if it decides nothing.
        reason: Why.
        units: The fields that take part, the deciding one first.
        closeness: Share of the claim's slots that are met.
    """

    status: Status
    reason: Reason
    units: tuple[Unit, ...]
    closeness: float


def judge_record(
    claim: Statement,
    field: Field,
    others: Sequence[Field],
    identity: Sequence[Token],
    roles: tuple[frozenset[str], frozenset[str]],
) -> RecordOutcome | None:
    """What a field says about a statement of a claim; None if the claim is not about it.

    Args:
        claim: One predication.
        field: The field that may state the value.
        others: Fields of the same record, nearest first.
        identity: Tokens of the document's title and name, by which it says what record it is.
        roles: Concepts of roles that are paid, and of those that pay.
    """
    wanted = [token for token in wanted_of(claim) if not token.soft]
    values = [t for t in wanted if t.kind in _VALUES and not (t.kind is Kind.PERIOD and _of_record(t, claim))]
    if not values:
        values = [t for t in wanted if t.kind is Kind.IDENTIFIER and not _meets(t, identity)]
    if len(values) != 1 or claim.negated or claim.bars:
        return None
    value = values[0]
    rest = [token for token in wanted if token is not value]
    name = next((names for names in field.names if _named(names, rest)), None)
    if name is None:
        return None
    left = [t for t in rest if not _meets(t, identity if t.period else (*name, *field.value, *identity))]
    used: list[Field] = []
    for other in others:
        asked = [token for token in left if token.period is None or other.dates_record]
        found = [token for token in asked if _told(token, claim, other, roles) or _meets(token, _flat(other))]
        if found and any(_meets(token, other.value) for token in found) and len(used) < MOST_OTHERS:
            used.append(other)
            left = [token for token in left if token not in found]
    units = (field.unit, *(other.unit for other in used))
    closeness = (len(wanted) - len(left)) / max(1, len(wanted))
    if left or not _says_which(rest, name, used, identity):
        return RecordOutcome(Status.UNSUPPORTED, Reason.DETAIL_MISSING, units, closeness * 0.9)
    return _valued(value, field, units, closeness)


def _of_record(token: Token, claim: Statement) -> bool:
    """The date of the record itself: "invoice 8812 of 3 May is due …"."""
    at = next(n for n, other in enumerate(claim.tokens) if other is token)
    before = claim.tokens[at - 1].text if at else ""
    return before in _DATED and any(other.kind in _VALUES for other in claim.tokens[at + 1 :])


_DATED = frozenset("of dated vom du dnia".split())


def _told(token: Token, claim: Statement, field: Field, roles: tuple[frozenset[str], frozenset[str]]) -> bool:
    """A field's value that the claim names; a name only in the role that the field gives it."""
    if not _meets(token, field.value):
        return False
    if token.kind is not Kind.WORD:
        return True
    names = _flat(field)
    if any(_meets(word, claim.content) for word in names if word.kind is Kind.WORD):
        return True
    at = next(n for n, other in enumerate(claim.tokens) if other is token)
    while at > 1 and claim.tokens[at - 1].kind is Kind.WORD and _meets(claim.tokens[at - 1], field.value):
        at -= 1
    before = claim.tokens[at - 1].text if at else ""
    paid, pays = ({key[1:] for word in names for key in word.keys} & each for each in roles)
    return bool((pays and before in _TO) or (paid and before in _FROM))


_TO = frozenset("to for an fur a pour dla na".split())
_FROM = frozenset("from by of von par de od".split())


def _flat(field: Field) -> tuple[Token, ...]:
    return tuple(token for names in field.names for token in names)


def _meets(token: Token, others: Sequence[Token]) -> bool:
    if token.period is not None:
        return any(o.period is not None and period_difference(token.period, o.period) is None for o in others)
    return any(token.keys & other.keys for other in others if other.content)


def _named(name: Sequence[Token], rest: Sequence[Token]) -> bool:
    """The claim names the field: every word of its key, or an identifier in it, or nothing but the total is asked for."""
    if any(token.kind is Kind.IDENTIFIER and _meets(token, rest) for token in name):
        return True
    words = [token for token in name if token.kind is Kind.WORD and not token.soft]
    if not words:
        return False
    if all(_meets(word, rest) for word in words):
        return True
    plain = not any(token.kind is Kind.WORD and not token.keys & RECORDS and not token.name for token in rest)
    return plain and any(word.keys & TOTALS for word in words)


def _says_which(rest: Sequence[Token], name: Sequence[Token], used: Sequence[Field], identity: Sequence[Token]) -> bool:
    """Something of the claim beside the field's name says which record it is; a bare field belongs to any."""
    said = [token for token in rest if not _meets(token, name)]
    return bool(said) and (bool(used) or any(_meets(token, identity) for token in said))


def _valued(value: Token, field: Field, units: tuple[Unit, ...], closeness: float) -> RecordOutcome | None:
    found = [token for token in field.value if token.kind is value.kind]
    if len(found) != 1:
        return None
    if value.kind is Kind.IDENTIFIER:
        if value.keys & found[0].keys:
            return RecordOutcome(Status.GROUNDED, Reason.RECORD_FIELDS, units, 1.0)
        return RecordOutcome(Status.CONTRADICTED, Reason.IDENTIFIER_DIFFERS, units, 1.0)
    difference = _difference(value, found[0])
    if difference is None:
        return RecordOutcome(Status.GROUNDED, Reason.RECORD_FIELDS, units, 1.0)
    if difference in (Reason.AMBIGUOUS, Reason.AMBIGUOUS_DATE, Reason.BOUND_DIFFERS):
        return RecordOutcome(Status.UNSUPPORTED, difference, units, closeness)
    return RecordOutcome(Status.CONTRADICTED, difference, units, 1.0)


def _difference(value: Token, found: Token) -> Reason | None:
    if value.period is not None and found.period is not None:
        return period_difference(value.period, found.period)
    if value.quantity is not None and found.quantity is not None:
        return quantity_difference(value.quantity, found.quantity)
    return Reason.AMBIGUOUS
