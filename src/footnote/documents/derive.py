"""What follows exactly from the cells of one table: a change, the largest and smallest, a sum, a count. Pure.

Nothing is rounded and nothing estimated. Every cell that takes part is cited, and the derivation is written out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from footnote.documents.align import quantity_difference
from footnote.documents.cells import ReadCell, ReadRow
from footnote.documents.measures import Quantity
from footnote.documents.periods import Period
from footnote.documents.residue import FROM
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token
from footnote.documents.units import Fragment
from footnote.documents.verdict import Reason, Status

_UP, _DOWN = "@increase", "@decrease"
_MOVES = frozenset((_UP, _DOWN, "@change", "@difference"))
_EXTREMES = {"@largest": True, "@smallest": False}
_FREE = frozenset("@total @all @number_label compared comparison between during over from high".split())


@dataclass(frozen=True, slots=True)
class Derived:
    """What follows from a table.

    Attributes:
        status: Never UNSUPPORTED.
        reason: DERIVED, or what differs.
        fragments: The cells that take part, in order.
        text: The derivation, written out.
        row: A row that takes part, for its place.
    """

    status: Status
    reason: Reason
    fragments: tuple[Fragment, ...]
    text: str
    row: ReadRow


def derivable(claim: Statement) -> bool:
    """Whether a claim speaks of a change, an extreme or a total."""
    keys = frozenset(key for token in claim.content for key in token.keys)
    return not claim.negated and bool(keys & (_MOVES | {"@total"} | _EXTREMES.keys()))


def derive(claim: Statement, rows: Sequence[ReadRow], around: Sequence[Token]) -> Derived | None:
    """What follows from a table for a statement of a claim; None if nothing does.

    Args:
        claim: One predication.
        rows: The rows of one table.
        around: Tokens of what introduces the table.
    """
    if claim.negated or claim.bars:
        return None
    words = [token for token in claim.content if token.kind is Kind.WORD and not token.soft]
    keys = frozenset(key for word in words for key in word.keys)
    if keys & _MOVES:
        return _change(claim, words, keys, rows, around)
    extreme = next((largest for key, largest in _EXTREMES.items() if key in keys), None)
    if extreme is not None:
        return _extreme(claim, words, rows, around, largest=extreme)
    return _sum(claim, words, rows, around) if "@total" in keys else None


# --- change between two columns ---------------------------------------------------------------------------------------


def _change(
    claim: Statement, words: Sequence[Token], keys: frozenset[str], rows: Sequence[ReadRow], around: Sequence[Token]
) -> Derived | None:
    periods = [token.period for token in claim.content if token.period is not None]
    numbers = [token for token in claim.content if token.kind is Kind.NUMBER]
    if len(periods) not in (0, 2) or len(numbers) > 2 or (not periods and len(numbers) != 2):
        return None
    if len(numbers) == 2 and not _from_earlier(claim, numbers, periods):
        return None
    named = [word for word in words if not word.keys & (_MOVES | _FREE)]
    fitting = [row for row in rows if _is_row(row, named, around) and _references_met(claim, row, around)]
    if len(fitting) != 1:
        return None
    row = fitting[0]
    earlier, later = sorted(periods, key=_order) if periods else _both_periods(row)
    before, after = _cell_of(row, earlier), _cell_of(row, later)
    if before is None or after is None or before.value is None or after.value is None:
        return None
    if (before.value.currency, before.value.unit) != (after.value.currency, after.value.unit):
        return None
    return _judged_change(keys, numbers, row, before, after)


def _from_earlier(claim: Statement, numbers: Sequence[Token], periods: Sequence[Period]) -> bool:
    """The first figure is that "from" which it went, and of the earlier period."""
    at = next(n for n, other in enumerate(claim.tokens) if other is numbers[0])
    ascending = len(periods) < 2 or _order(periods[0]) < _order(periods[1])
    return at > 0 and claim.tokens[at - 1].text in FROM and ascending


def _both_periods(row: ReadRow) -> tuple[Period, Period]:
    """The two periods of a row's columns, the earlier first; whoever names none of them means these."""
    found = {t.period.key: t.period for cell in row.cells for t in cell.headers if t.period is not None}
    earlier, *_, later = [*sorted(found.values(), key=_order), Period(0, 0), Period(0, 0)][:2]
    return (earlier, later) if len(found) == 2 else (Period(0, 0), Period(0, 0))


def _order(period: Period) -> tuple[int, ...]:
    return (period.year or 0, period.month or 0, period.day or 0, period.quarter or 0)


def _judged_change(
    keys: frozenset[str], numbers: Sequence[Token], row: ReadRow, before: ReadCell, after: ReadCell
) -> Derived | None:
    if before.value is None or after.value is None:
        return None
    one, other = before.value.value, after.value.value
    cost = bool(_keys(row.label) & _COSTS) and max(one, other) < 0
    if min(one, other) < 0 and not cost:
        return None  # whether a loss "rose" is not arithmetic; a cost written as a negative is as high as its amount
    difference = abs(other) - abs(one) if cost else other - one
    fragments = tuple(_fragment(row, cell) for cell in (before, after))
    text = f"{after.cell.text} − {before.cell.text} = {_shown(difference)}"

    def derived(status: Status, reason: Reason) -> Derived:
        return Derived(status, reason, fragments, text, row)

    if (_UP in keys and difference <= 0) or (_DOWN in keys and difference >= 0):
        return derived(Status.CONTRADICTED, Reason.DIRECTION_DIFFERS)
    if not numbers:
        return derived(Status.GROUNDED, Reason.DERIVED) if keys & {_UP, _DOWN} else None
    if len(numbers) == 2:
        return _both_ends(keys, numbers, before.value, after.value, derived)
    claimed = numbers[0].quantity
    if claimed is None or claimed.unit:
        return None
    place = min(before.value.place, after.value.place)
    found = replace(after.value, value=abs(difference), place=place)
    return _compared(claimed, found, derived)


def _both_ends(
    keys: frozenset[str],
    numbers: Sequence[Token],
    before: Quantity,
    after: Quantity,
    derived: Callable[[Status, Reason], Derived],
) -> Derived | None:
    """In "rose from 5 in 2024 to 6 in 2025" both ends are cells."""
    ends = [token.quantity for token in numbers]
    if not keys & {_UP, _DOWN} or ends[0] is None or ends[1] is None or ends[0].unit or ends[1].unit:
        return None
    shared = replace(ends[0], currency=ends[0].currency or ends[1].currency)
    if ends[1].scaled and not ends[0].scaled:
        power = _scale_of(ends[1])
        shared = replace(shared, value=shared.value.scaleb(power), scaled=True, place=shared.place + power)
    outcomes = [
        _compared(mine, replace(found, value=abs(found.value)), derived)
        for mine, found in ((shared, before), (replace(ends[1], currency=shared.currency), after))
    ]
    if any(outcome is None for outcome in outcomes):
        return None
    return next((o for o in outcomes if o is not None and o.status is Status.CONTRADICTED), outcomes[0])


def _scale_of(quantity: Quantity) -> int:
    """The power of ten by which a numeral was scaled, from what is left of its last digits."""
    return next((power for power in (9, 6, 3) if quantity.place >= power or quantity.value % 10**power == 0), 0)


_COSTS = frozenset(
    "@expense @cost @cogs @interest_expense @personnel_costs @income_tax @depreciation @fee @tax @operating_expenses @other_expenses @financial_expenses @material_costs".split()
)


def _compared(claimed: Quantity, found: Quantity, derived: Callable[[Status, Reason], Derived]) -> Derived | None:
    if claimed.currency and not found.currency:
        return None
    if not claimed.currency:
        found = replace(found, currency="")
    reason = quantity_difference(claimed, found)
    if reason is None:
        return derived(Status.GROUNDED, Reason.DERIVED)
    decided = reason in (Reason.NUMBER_DIFFERS, Reason.CURRENCY_DIFFERS, Reason.SCALE_DIFFERS) and found.scaled
    return derived(Status.CONTRADICTED, reason) if decided else None


# --- the largest and the smallest of a column ------------------------------------------------------------------------


def _extreme(
    claim: Statement, words: Sequence[Token], rows: Sequence[ReadRow], around: Sequence[Token], *, largest: bool
) -> Derived | None:
    """In "the largest market in 2025 was Mexico" the one row that the claim names has the largest value of its column."""
    numbers = [token for token in claim.content if token.kind is Kind.NUMBER]
    periods = [token.period for token in claim.content if token.period is not None]
    plain = [row for row in rows if row.label and not any("@total" in token.keys for token in row.label)]
    named = [row for row in plain if _label_in(row, words) and _references_met(claim, row, around)]
    if len(named) != 1 or numbers or len(plain) < 2:
        return None
    row = named[0]
    column = _column(row, words, periods)
    if column is None:
        return None
    others = [word for word in words if not word.keys & _keys(row.label) and not word.keys & {"@largest", "@smallest"}]
    table = _keys([*row.table, *row.group, *column.headers, *around])
    if any(not word.keys & table for word in others):
        return None
    cells = [(other, _same_column(other, column)) for other in plain]
    values = [(other, cell, cell.value.value) for other, cell in cells if cell is not None and cell.value is not None]
    if len(values) != len(plain) or any(value < 0 for _, _, value in values):
        return None
    best = (max if largest else min)(value for _, _, value in values)
    first = [other for other, _, value in values if value == best]
    fragments = tuple(_fragment(other, cell) for other, cell, _ in values)
    text = f"{'max' if largest else 'min'}({', '.join(cell.cell.text for _, cell, _ in values)}) = {_shown(best)}"
    if first == [row]:
        return Derived(Status.GROUNDED, Reason.DERIVED, fragments, text, row)
    return Derived(Status.CONTRADICTED, Reason.NAME_DIFFERS, fragments, text, first[0]) if row not in first else None


# --- the sum of a column ----------------------------------------------------------------------------------------------


def _sum(claim: Statement, words: Sequence[Token], rows: Sequence[ReadRow], around: Sequence[Token]) -> Derived | None:
    """The total of a column, where the table has no row that says it."""
    numbers = [token for token in claim.content if token.kind is Kind.NUMBER]
    periods = [token.period for token in claim.content if token.period is not None]
    if len(numbers) != 1 or len(rows) < 2 or any("@total" in t.keys for row in rows for t in row.label):
        return None
    claimed = numbers[0].quantity
    column = _column(rows[0], words, periods)
    if column is None or claimed is None or claimed.unit:
        return None
    table = _keys([*rows[0].table, *rows[0].group, *column.headers, *around])
    if not _references_met(claim, rows[0], around) or any(
        not word.keys & table and "@total" not in word.keys for word in words
    ):
        return None
    cells = [(row, _same_column(row, column)) for row in rows]
    found = [(row, cell, cell.value) for row, cell in cells if cell is not None and cell.value is not None]
    if len(found) != len(rows) or len({(value.currency, value.unit) for _, _, value in found}) != 1:
        return None
    total = sum((value.value for _, _, value in found), Decimal(0))
    fragments = tuple(_fragment(row, cell) for row, cell, _ in found)
    text = f"{' + '.join(cell.cell.text for _, cell, _ in found)} = {_shown(total)}"
    value = replace(found[0][2], value=total, place=min(value.place for _, _, value in found))
    return _compared(claimed, value, lambda status, reason: Derived(status, reason, fragments, text, rows[0]))


# --- finding rows and columns -----------------------------------------------------------------------------------------


def _keys(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(key for token in tokens if token.kind is Kind.WORD for key in token.keys)


def _label_in(row: ReadRow, words: Sequence[Token]) -> bool:
    """Every word of the label is in the claim."""
    said = _keys(words)
    label = [token for token in row.label if token.kind is Kind.WORD]
    return bool(label) and all(token.keys & said for token in label)


def _is_row(row: ReadRow, named: Sequence[Token], around: Sequence[Token]) -> bool:
    near = _keys([*row.label, *row.group, *row.table])
    wide = _keys(around)
    met = all(word.keys & near or (word.keys & wide and not word.name) or word.keys & _FREE for word in named)
    return met and _label_in(row, named)


def _references_met(claim: Statement, row: ReadRow, around: Sequence[Token]) -> bool:
    """Every reference of the claim is the row's own or the table's."""
    here = frozenset(key for token in (*row.called, *row.table, *row.group, *around) for key in token.keys)
    return all(token.keys & here for token in claim.content if token.kind is Kind.IDENTIFIER)


def _cell_of(row: ReadRow, period: Period) -> ReadCell | None:
    cells = [
        cell
        for cell in row.cells
        if cell.value is not None and any(t.period is not None and period.contains(t.period) for t in cell.headers)
    ]
    return cells[0] if len(cells) == 1 else None


def _column(row: ReadRow, words: Sequence[Token], periods: Sequence[Period]) -> ReadCell | None:
    """The one column that the claim's date or words name; the only one with figures if it names none."""
    figures = [cell for cell in row.cells if cell.value is not None]
    if len(periods) == 1:
        return _cell_of(row, periods[0])
    if len(figures) == 1 and not periods:
        return figures[0]
    said = _keys(words)
    named = [c for c in figures if _keys(c.headers) and all(t.keys & said for t in c.headers if t.kind is Kind.WORD)]
    return named[0] if len(named) == 1 and not periods else None


def _same_column(row: ReadRow, column: ReadCell) -> ReadCell | None:
    return next((cell for cell in row.cells if cell.cell.column == column.cell.column), None)


def _fragment(row: ReadRow, cell: ReadCell) -> Fragment:
    return Fragment(row.unit.file, cell.cell.start, cell.cell.end, cell.cell.text)


def _shown(value: Decimal) -> str:
    return f"{value:,f}".rstrip("0").rstrip(".") if "." in f"{value:f}" else f"{value:,f}"
