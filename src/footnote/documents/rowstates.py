"""Whether a record is paid or open, by its own row: amount, paid, outstanding and status have to say the same. Pure.

"Invoice 8812 is unpaid" is grounded by a row whose outstanding amount is its whole amount and whose status is open. A row
that is paid in part is neither paid nor unpaid; it is still open. Where the cells do not agree, nothing is decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum

from footnote.documents.align import quantity_difference
from footnote.documents.cells import ReadRow
from footnote.documents.rows import RowOutcome
from footnote.documents.rowsayings import all_keys, wanted_of
from footnote.documents.statements import Force, Statement
from footnote.documents.tokens import Kind, Token
from footnote.documents.verdict import Reason, Status


class State(StrEnum):
    """What has become of a record."""

    PAID = "paid"
    PART = "paid in part"
    UNPAID = "unpaid"


def judge_state(claim: Statement, row: ReadRow, identity: Sequence[Token]) -> RowOutcome | None:
    """What a row says about whether its record is paid; None if it decides nothing.

    Args:
        claim: One predication.
        row: The row.
        identity: Tokens of the document's title and name.
    """
    wanted = [token for token in wanted_of(claim) if not token.soft]
    asked = _asked(claim, wanted)
    here = all_keys([*row.called, *identity, *row.fields])
    if asked is None or claim.bars or claim.force is not Force.FACT or not _names(row, wanted):
        return None
    amounts = [token for token in wanted if token.kind is Kind.NUMBER]
    rest = [t for t in wanted if t.kind is not Kind.NUMBER and not t.keys & _PREDICATES]
    state = _state(row)
    if state is None or len(amounts) > 1 or any(not token.keys & here for token in rest):
        return None
    difference = _amount_difference(amounts[0], row) if amounts else None
    holds = state in asked
    if difference is Reason.NUMBER_DIFFERS and holds:
        return RowOutcome(Status.CONTRADICTED, (difference,), None, None, (), 1.0)
    if difference is not None:
        return None
    if not holds and state is State.PART:
        return None
    status, reason = (Status.GROUNDED, Reason.TABLE_CELL) if holds else (Status.CONTRADICTED, Reason.NEGATED)
    return RowOutcome(status, (reason,), None, None, (), 1.0)


_OPEN = frozenset(("@outstanding", "@unpaid"))
_PREDICATES = _OPEN | {"@pay", "@settled"}


def _asked(claim: Statement, wanted: Sequence[Token]) -> frozenset[State] | None:
    """The states of which the claim says that the record is in one."""
    said = [token for token in wanted if token.keys & _PREDICATES]
    if len(said) != 1 or not any(token.operator == "copula" or token.text in _BEEN for token in claim.tokens):
        return None
    if said[0].keys & _OPEN:
        open_ = frozenset((State.UNPAID,)) if said[0].text in _WHOLLY else frozenset((State.UNPAID, State.PART))
        return frozenset(State) - open_ if claim.negated else open_
    return frozenset((State.UNPAID,)) if claim.negated else frozenset((State.PAID,))


_WHOLLY = frozenset("unpaid unbezahlt impayee impaye nieoplacona niezaplacona".split())
_BEEN = frozenset("been has have wurde worden ist est ete zostala zostalo jest".split())


def _names(row: ReadRow, wanted: Sequence[Token]) -> bool:
    codes = [token for token in wanted if token.kind is Kind.IDENTIFIER]
    mine = all_keys(row.called) | {token.text for token in row.called}
    numbers = {cell.cell.text for cell in row.cells[:1]}
    return bool(codes) and all(t.keys & mine or t.text in numbers for t in codes)


def _state(row: ReadRow) -> State | None:
    """By the figures of the row, if its status does not say otherwise."""
    amount, paid, left = (_figure(row, keys) for keys in (("@amount",), ("@pay",), ("@outstanding",)))
    if amount is None or left is None or amount <= 0 or (paid is not None and amount - paid != left):
        return None
    state = State.UNPAID if left == amount else State.PAID if left <= 0 else State.PART
    status = all_keys(token for cell in row.cells if _headed(cell.headers, ("status",)) for token in cell.tokens)
    if not status:
        return state
    agrees = status & {"@pay", "@settled"} if state is State.PAID else status & _OPEN
    return state if agrees else None


def _figure(row: ReadRow, keys: Sequence[str]) -> Decimal | None:
    found = [cell.value for cell in row.cells if cell.value is not None and _headed(cell.headers, keys)]
    return found[0].value if len(found) == 1 and found[0].currency else None


def _headed(headers: Sequence[Token], keys: Sequence[str]) -> bool:
    said = [token for token in headers if token.content]
    wanted = frozenset(keys) | (_AMOUNTS if "@amount" in keys else frozenset())
    return len(said) == 1 and bool(said[0].keys & wanted)


_AMOUNTS = frozenset("amount betrag montant kwota @amount_due @invoice_total".split())


def _amount_difference(token: Token, row: ReadRow) -> Reason | None:
    """How the figure that the claim gives the record differs from its amount; None if it is that."""
    found = [cell.value for cell in row.cells if cell.value is not None and _headed(cell.headers, ("@amount",))]
    if len(found) != 1 or token.quantity is None:
        return Reason.NUMBER_MISSING
    return quantity_difference(token.quantity, found[0])
