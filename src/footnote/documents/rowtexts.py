"""A statement without a figure judged against a row of a table: whose name or which date stands in a cell. Pure.

"The account of Delta is owned by Ms Kolb" is met by the cell of the column "owner" in the row of Delta. The claim has to
name the row and the column; what else it says has to be what the cell says, all of it and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence

from footnote.documents.align import period_difference
from footnote.documents.cells import ReadCell, ReadRow
from footnote.documents.context import LEGAL_FORMS
from footnote.documents.rows import RowOutcome
from footnote.documents.rowsayings import NAMED_BY_NUMBER, short_name
from footnote.documents.statements import Force, Statement
from footnote.documents.tokens import Kind, Token
from footnote.documents.verdict import Reason, Status


def judge_text(
    claim: Statement, row: ReadRow, identity: Sequence[Token], peers: Sequence[ReadRow]
) -> RowOutcome | None:
    """What a row says about a statement that has no figure; None if it decides nothing.

    Args:
        claim: One predication.
        row: The row.
        identity: Tokens of the document's title and name.
        peers: The other rows of the table.
    """
    if claim.negated or claim.bars or claim.force is not Force.FACT or not row.unit.table:
        return None
    wanted = [token for token in claim.content if not token.soft and not token.keys & NAMED_BY_NUMBER]
    named = _name_of(row, wanted, short_name(row, peers))
    if not named or any(token.kind is Kind.NUMBER for token in wanted if id(token) not in named):
        return None
    rest = [token for token in wanted if id(token) not in named]
    name = frozenset(key for token in row.label for key in token.keys)
    values = [c for c in row.cells if c.value is None and not all(t.keys & name for t in c.tokens if t.content)]
    outcomes = [o for cell in values if (o := _judge_cell(claim, cell, rest, named, row, identity)) is not None]
    grounded = next((outcome for outcome in outcomes if outcome.status is Status.GROUNDED), None)
    return grounded or (outcomes[0] if len(outcomes) == 1 else None)


def _name_of(row: ReadRow, wanted: Sequence[Token], short: Token | None) -> set[int]:
    """Tokens of the claim that name the row: its reference, or all words of its name."""
    codes = [token for token in row.called if token.kind is Kind.IDENTIFIER]
    numbers = {cell.cell.text for cell in row.cells[:1]}
    by_code = {
        id(t)
        for t in wanted
        if t.kind is Kind.IDENTIFIER and (t.text in numbers or any(t.keys & code.keys for code in codes))
    }
    words = [t for t in row.label if t.kind is Kind.WORD and t.text not in LEGAL_FORMS and len(t.text) > 1]
    said = {id(t) for t in wanted if any(t.keys & word.keys for word in row.label if word.kind is Kind.WORD)}
    whole = bool(words) and all(any(t.keys & word.keys for t in wanted) for word in words)
    called = short is not None and any(token.keys & short.keys for token in wanted)
    return by_code | said if by_code or whole or called else set()


def _judge_cell(
    claim: Statement, cell: ReadCell, rest: Sequence[Token], named: set[int], row: ReadRow, identity: Sequence[Token]
) -> RowOutcome | None:
    heads = [t for t in cell.headers if t.kind is Kind.WORD and not t.soft]
    asked = [token for token in rest if any(token.keys & head.keys for head in heads)]
    value = [token for token in cell.tokens if token.content]
    if not heads or not asked or not value or any(id(token) in named for token in asked):
        return None
    heads_of_all = [token for other in row.cells for token in other.headers]
    around = [*row.table, *row.group, *identity, *heads_of_all]
    left = [t for t in rest if t not in asked and not any(t.keys & o.keys for o in around if o.content)]
    if len(value) == 1 and value[0].period is not None:
        return _dated(cell, left, value[0])
    names = [token for token in value if token.kind is Kind.WORD]
    if len(names) != len(value) or not left or not _in_its_place(claim, asked[0], left[0]):
        return None
    here = frozenset(key for token in names for key in token.keys)
    if all(token.keys & here for token in left):
        whole = all(
            any(t.keys & name.keys for t in left) for name in names if name.name and name.text not in LEGAL_FORMS
        )
        return RowOutcome(Status.GROUNDED, (Reason.TABLE_CELL,), cell, left[0], (), 1.0) if whole else None
    others = not any(token.keys & here for token in left) and all(t.kind is Kind.WORD and t.name for t in left)
    if others and any(name.name or name.capital for name in names):
        return RowOutcome(Status.CONTRADICTED, (Reason.NAME_DIFFERS,), cell, left[0], (), 1.0)
    return None


def _dated(cell: ReadCell, left: Sequence[Token], found: Token) -> RowOutcome | None:
    if len(left) != 1 or left[0].period is None or found.period is None:
        return None
    reason = period_difference(left[0].period, found.period)
    if reason is None:
        return RowOutcome(Status.GROUNDED, (Reason.TABLE_CELL,), cell, left[0], (), 1.0)
    if reason is Reason.DATE_DIFFERS and left[0].period.day and found.period.day:
        return RowOutcome(Status.CONTRADICTED, (reason,), cell, left[0], (), 1.0)
    return None


def _in_its_place(claim: Statement, asked: Token, value: Token) -> bool:
    """Who stands before and who behind the word of the column: "Kolb owns Delta", "Delta is owned by Kolb", not the reverse."""
    order = {id(token): at for at, token in enumerate(claim.tokens)}
    head, place = order[id(asked)], order[id(value)]
    before = claim.tokens[place - 1].text if place else ""
    if claim.passive:
        return place > head and before in _BY
    noun = head == 0 or claim.tokens[head - 1].kind is not Kind.WORD or claim.tokens[head - 1].name is False
    following = claim.tokens[head + 1].text if head + 1 < len(claim.tokens) else ""
    if following in _OF or (noun and any(t.operator == "copula" for t in claim.tokens)):
        return before not in _OF
    return place < head


_BY = frozenset("by von vom durch par przez".split())
_OF = frozenset("of von des der de du d'".split())
