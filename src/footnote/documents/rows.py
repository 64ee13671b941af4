"""A statement of a claim judged against a row of a table. Pure.

A cell is met only as what its row, its columns and its table make it: the label has to be the claim's, the column has to
be the claim's, and every other word of the claim has to stand with the table. Another value there is a contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from footnote.documents.align import excludes, quantity_difference
from footnote.documents.cells import ReadCell, ReadRow
from footnote.documents.context import LEGAL_FORMS
from footnote.documents.lexicon import package_lexicon
from footnote.documents.measures import UNITS, Quantity
from footnote.documents.periods import Period
from footnote.documents.rowsayings import (
    NAMED_BY_NUMBER,
    RECORDS,
    all_keys,
    pays,
    says_date,
    says_total,
    short_name,
    wanted_of,
)
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token
from footnote.documents.verdict import Reason, Status

_BASE = frozenset("@total total totals gross overall sum".split())
_SIGNED = frozenset(
    f"@{name}"
    for name in (
        "loss decrease expense cost cogs interest_expense financial_expenses other_expenses operating_expenses "
        "personnel_costs material_costs depreciation impairment income_tax tax"
    ).split()
)
_UNIT_WORDS = frozenset(
    "@number_label @expire years year ended ending months eur usd gbp chf pln thousand million thousands millions in "
    "amount value betrag wert montant valeur kwota wartosc @worth".split()
)


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """What a row says about a statement.

    Attributes:
        status: UNSUPPORTED if it decides nothing.
        reasons: Why.
        cell: The cell that decides, or comes nearest.
        claimed: The claim's token for it.
        missing: Words of the claim that nothing in row and table meets.
        closeness: Share of the claim's slots that are met.
    """

    status: Status
    reasons: tuple[Reason, ...]
    cell: ReadCell | None
    claimed: Token | None
    missing: tuple[Token, ...]
    closeness: float


def judge_row(
    claim: Statement, row: ReadRow, around: Sequence[Token], identity: Sequence[Token], peers: Sequence[ReadRow]
) -> RowOutcome:
    """What a row says about a statement of a claim.

    Args:
        claim: One predication.
        row: The row.
        around: Tokens of what introduces the table; may meet words, never names nor references.
        identity: Tokens of the document's title and name, by which it says what record it is.
        peers: The other rows of the table.
    """
    wanted = [token for token in wanted_of(claim) if not token.soft]
    keyed = {id(t) for t in wanted if t.kind is Kind.NUMBER and _keyed(t, row)}
    values = [token for token in wanted if token.kind is Kind.NUMBER and id(token) not in keyed]
    if len(values) != 1 or claim.negated:
        return RowOutcome(Status.UNSUPPORTED, (Reason.NO_PASSAGE,), None, None, tuple(wanted), 0.0)
    value = values[0]
    words = [token for token in wanted if token is not value]
    best = RowOutcome(Status.UNSUPPORTED, (Reason.NO_PASSAGE,), None, value, tuple(wanted), 0.0)
    fitting: list[RowOutcome] = []
    short = short_name(row, peers)
    for cell in row.cells:
        if cell.value is None:
            continue
        outcome = _judge_cell(claim, value, words, row, cell, (around, identity, short))
        if outcome.closeness > best.closeness:
            best = outcome
        if not outcome.missing and outcome.status is not Status.UNSUPPORTED:
            fitting.append(outcome)
    return _one(fitting, row, peers, words) or best


def _keyed(token: Token, row: ReadRow) -> bool:
    """A number that the row's label or a column's head has, or a range there that it lies in: "vessels of 12 to 18 m"."""
    return any(_covers(other, token) for other in (*row.label, *(t for cell in row.cells for t in cell.headers)))


def _covers(key: Token, token: Token) -> bool:
    if key.quantity is None or token.quantity is None or key.kind is not Kind.NUMBER:
        return False
    alike = key.quantity.kind == token.quantity.kind and not (key.quantity.doubt or token.quantity.doubt)
    if not alike:
        return False
    point = token.quantity.bound == "=" and key.quantity.bound != "="
    return quantity_difference(token.quantity, key.quantity) is None or (
        point and not excludes(token.quantity, key.quantity)
    )


def _one(
    fitting: Sequence[RowOutcome], row: ReadRow, peers: Sequence[ReadRow], words: Sequence[Token]
) -> RowOutcome | None:
    """The outcome, if the claim's words name one cell; two that differ are told apart by nobody."""
    if not fitting:
        return None
    values = {outcome.cell.value for outcome in fitting if outcome.cell}
    if len(values) > 1:
        first = fitting[0]
        return RowOutcome(Status.UNSUPPORTED, (Reason.AMBIGUOUS,), first.cell, first.claimed, (), first.closeness)
    chosen = fitting[0]
    for peer in peers:
        if peer.unit is row.unit or _keys(peer.label) != _keys(row.label) or not row.label:
            continue
        told = _met_only_here(words, row, peer)
        other = next((c for c in peer.cells if chosen.cell and c.cell.column == chosen.cell.cell.column), None)
        if (
            not told
            and other is not None
            and other.value is not None
            and chosen.cell
            and other.value != chosen.cell.value
        ):
            return RowOutcome(
                Status.UNSUPPORTED, (Reason.AMBIGUOUS,), chosen.cell, chosen.claimed, (), chosen.closeness
            )
    return chosen


def _met_only_here(words: Sequence[Token], row: ReadRow, peer: ReadRow) -> bool:
    here, there = all_keys(row.group), all_keys(peer.group)
    dates = {token.period.key for token in row.group if token.period}, {t.period.key for t in peer.group if t.period}
    if any(token.period is not None and token.period.key in dates[0] - dates[1] for token in words):
        return True
    mine, its = all_keys(row.fields), all_keys(peer.fields)
    if any(token.keys & mine and not token.keys & its for token in words):
        return True
    return any(token.keys & here and not token.keys & there for token in words if token.kind is Kind.WORD)


def _judge_cell(
    claim: Statement,
    value: Token,
    words: Sequence[Token],
    row: ReadRow,
    cell: ReadCell,
    outside: tuple[Sequence[Token], Sequence[Token], Token | None],
) -> RowOutcome:
    around, identity, short = outside
    near = [*row.label, *cell.headers, *row.group]
    table = [*near, *row.table]
    paid = pays(claim, row, cell, identity)
    # No sentence beside the table makes a row's invoice a credit note, nor its date.
    kind = RECORDS - NAMED_BY_NUMBER
    own = {id(token) for token in words if says_date(token, claim) or token.keys & kind}

    def met(token: Token) -> bool:
        nearby = () if id(token) in own else around
        return _met(token, near, [*table, *identity], nearby, row.fields) or (paid and "@pay" in token.keys)

    missing = tuple(token for token in words if not met(token))
    closeness = (len(words) - len(missing)) / max(1, len(words))
    reasons: list[Reason] = []
    if not says_total(claim, words, row, cell, identity):
        if not _bound(words, row, cell):
            reasons.append(Reason.BINDING)
        reasons.extend(_narrower(claim, words, row, cell, short))
        if not _told_apart(words, row, cell):
            reasons.append(Reason.BINDING)
    difference = _difference(value, cell, words)
    if missing or reasons:
        kinds = tuple(_MISSING.get(token.kind, Reason.DETAIL_MISSING) for token in missing)
        every = tuple(dict.fromkeys((*reasons, *kinds)))
        return RowOutcome(Status.UNSUPPORTED, every, cell, value, missing, closeness * (0.9 if reasons else 1.0))
    if difference is None:
        return RowOutcome(Status.GROUNDED, (Reason.TABLE_CELL,), cell, value, (), 1.0)
    if difference in (Reason.AMBIGUOUS, Reason.BOUND_DIFFERS):
        return RowOutcome(Status.UNSUPPORTED, (difference,), cell, value, (), 0.95)
    return RowOutcome(Status.CONTRADICTED, (difference,), cell, value, (), 1.0)


_MISSING = {Kind.PERIOD: Reason.DATE_MISSING, Kind.IDENTIFIER: Reason.IDENTIFIER_MISSING}


def _keys(tokens: Iterable[Token]) -> frozenset[str]:
    words = {min(t.keys) for t in tokens if t.kind in (Kind.WORD, Kind.IDENTIFIER) and t.keys}
    return frozenset(words | {str(token.period.key) for token in tokens if token.period is not None})


def _met(
    token: Token, near: Sequence[Token], table: Sequence[Token], around: Sequence[Token], fields: Sequence[Token] = ()
) -> bool:
    if any(token.keys & other.keys for other in fields):
        return True
    if token.kind is Kind.PERIOD:
        return _date_met(token.period, near, [*table, *around])
    if token.kind is Kind.NUMBER:
        return any(_covers(other, token) for other in near)
    if token.kind is Kind.IDENTIFIER:
        return any(token.keys & other.keys for other in table if other.content)
    if any(token.keys & other.keys for other in table if other.kind is Kind.WORD):
        return True
    concept = any(key.startswith("@") for key in token.keys)
    if token.name and not concept:
        return False
    nearby = any(token.keys & other.keys for other in around if other.kind is Kind.WORD)
    return nearby and not any(package_lexicon().opposes(token.keys, other.keys) for other in table)


def _date_met(period: Period | None, near: Sequence[Token], table: Sequence[Token]) -> bool:
    """The date stands with row or column; its day may stand with the table, where the column gives the year only."""
    if period is None or period.ambiguous:
        return False
    headed = [token.period for token in near if token.period is not None]
    every = [token.period for token in table if token.period is not None]
    if headed:
        if any(_same(period, found) for found in headed):
            return True
        years = [found for found in headed if found.key == (period.year, None, None, None, None, None)]
        days = [
            found for found in [*headed, *every] if found.day and (found.month, found.day) == (period.month, period.day)
        ]
        return bool(years and period.day and days)
    return any(period.key == found.key for found in every)


def _same(claimed: Period, found: Period) -> bool:
    if claimed.key == found.key:
        return True
    return claimed.contains(found) and claimed.quarter == found.quarter and claimed.half == found.half


def _bound(words: Sequence[Token], row: ReadRow, cell: ReadCell) -> bool:
    """The claim names the row's label, or where that is a date or a total, its column."""
    own = [*row.label, *row.group] if not any(t.kind is Kind.WORD for t in row.label) else list(row.label)
    mine = [*own, *cell.headers, *row.fields]
    return any(
        (token.kind is Kind.WORD and any(token.keys & other.keys for other in mine if other.kind is Kind.WORD))
        for token in words
    )


def _narrower(
    claim: Statement, words: Sequence[Token], row: ReadRow, cell: ReadCell, short: Token | None
) -> list[Reason]:
    """The label says more than the claim, or the claim hedges where the label does not."""
    out: list[Reason] = []
    said = all_keys(words)
    # Whoever names a row by its own code need not repeat what else stands in it.
    codes = [t for t in (*row.called, *row.fields) if t.kind is Kind.IDENTIFIER]
    by_code = any(t.keys & all_keys(claim.tokens) for t in codes)
    label = [t for t in row.called if t.kind is not Kind.WORD] if by_code else row.label
    extra = [
        t
        for at, t in enumerate(label)
        if t.kind is Kind.WORD
        and not t.soft
        and not t.keys & said
        and not _in_brackets(t, label)
        and not (t.text in LEGAL_FORMS and any(other.keys & said for other in label[:at]))
    ]
    extra = [t for t in extra if not (t.keys & _BASE and len(label) == 1)]
    if short is not None and short.keys & said:
        extra = []  # "Delta" is "Delta Trading Ltd", the only one of this name
    numbered = len(row.called) == 1 and len(row.label) > 1  # "4471 | Delta Ltd | …" is named by its second cell
    keys = [t for t in label if t.kind is Kind.NUMBER and not numbered]
    if any(t.kind is Kind.NUMBER and not any(_covers(t, w) for w in words) for t in (*keys, *cell.headers)):
        out.append(Reason.BINDING)
    periods = [t.period for t in words if t.period is not None]
    dated = [t for t in label if t.kind is Kind.PERIOD and not by_code]
    if any(not any(_same(p, t.period) for p in periods if t.period) for t in dated):
        out.append(Reason.BINDING)
    spoken = {t.text for t in claim.tokens}
    small = not any(t.content for t in label) and any(
        t.kind in (Kind.FUNCTION, Kind.OPERATOR) and t.text not in spoken for t in label
    )
    if extra or small:
        out.append(Reason.NARROWER)
    bars = {t.text for t in (*label, *cell.headers, *row.group) if t.operator in _BARS}
    mine = {t.text for t in claim.tokens if t.operator in _BARS}
    if mine - bars or {t.text for t in label[1:] if t.operator in _BARS} - mine:
        out.append(Reason.NARROWER)
    return out


_BARS = frozenset(("condition", "reported", "plan", "example", "exception", "negation"))


def _in_brackets(token: Token, tokens: Sequence[Token]) -> bool:
    opened = 0
    for other in tokens:
        if other is token:
            return opened > 0
        opened += (other.text == "(") - (other.text == ")")
    return False


def _told_apart(words: Sequence[Token], row: ReadRow, cell: ReadCell) -> bool:
    """What sets this column apart from the others is in the claim: its date, its words."""
    said = all_keys(words)
    periods = [token.period for token in words if token.period is not None]
    others = [other for other in row.cells if other is not cell and other.value is not None]
    mine = [token.period for token in cell.headers if token.period is not None]
    dates = {token.period.key for c in row.cells for token in c.headers if token.period is not None}
    if mine and not any(_same(p, m) or _year_of(p, m) for p in periods for m in mine) and (periods or len(dates) > 1):
        return False
    common = [all_keys(other.headers) for other in others]
    told = frozenset(key for token in cell.headers if token.keys & said for key in token.keys)
    if told and not any(_all_said(cell, keys, said) for keys in common):
        # What the claim says of this head no other column has, so that the group above need not be said.
        required: Sequence[Token] = cell.lowest
    else:
        required = cell.headers
    for token in required:
        if (
            token.kind is not Kind.WORD
            or token.soft
            or token.keys & said
            or token.keys & _UNIT_WORDS
            or token.text in UNITS
        ):
            continue
        if token.keys & _BASE and not others:
            continue
        if not all(token.keys & keys for keys in common) or not others:
            return False
    return True


def _all_said(cell: ReadCell, keys: frozenset[str], said: frozenset[str]) -> bool:
    """Whether another column has all words of this one's head that the claim says."""
    return all(token.keys & keys for token in cell.headers if token.kind is Kind.WORD and token.keys & said)


def _year_of(claimed: Period, header: Period) -> bool:
    """A day in the claim, its year in the header; `_date_met` asks for the day."""
    return header.key == (claimed.year, None, None, None, None, None) and claimed.day is not None


def _of_something(value: Token, words: Sequence[Token]) -> bool:
    """In "were 50 % of the liabilities" the share is of what the row is, and not what the row says."""
    return any(0 < word.start - value.end < 25 and word.kind is Kind.WORD for word in words)


def _difference(value: Token, cell: ReadCell, words: Sequence[Token]) -> Reason | None:
    claimed, found = value.quantity, cell.value
    if claimed is None or found is None:
        return Reason.AMBIGUOUS
    if claimed.unit or found.unit:
        return _unit_difference(value, claimed, found, words)
    if claimed.currency and not found.currency:
        difference = quantity_difference(claimed, replace(found, currency=claimed.currency))
        return Reason.AMBIGUOUS if difference in (None, Reason.SCALE_DIFFERS) else difference
    if not claimed.currency:
        found = replace(found, currency="")
    if found.value < 0 <= claimed.value:
        if any("@pay" in token.keys for token in words):
            return Reason.AMBIGUOUS
        if any(token.keys & _SIGNED for token in words):
            found = replace(found, value=-found.value)
    difference = quantity_difference(claimed, found)
    return (
        Reason.AMBIGUOUS if difference is Reason.SCALE_DIFFERS and claimed.scaled and not found.scaled else difference
    )


def _unit_difference(value: Token, claimed: Quantity, found: Quantity, words: Sequence[Token]) -> Reason | None:
    """A cell whose unit nothing says may have the claim's or not; a share of what the row is, is not what it says."""
    plain = not found.unit and not found.currency
    if claimed.unit == "percent" and not found.unit:
        if not plain or found.scaled:
            return Reason.AMBIGUOUS if _of_something(value, words) else Reason.UNIT_DIFFERS
        return Reason.AMBIGUOUS if claimed.value == found.value else Reason.UNIT_DIFFERS
    if plain or not (claimed.unit or claimed.currency):
        return Reason.AMBIGUOUS
    return quantity_difference(claimed, replace(found, currency=found.currency if claimed.currency else ""))
