"""What must hold between the figures of one result, and what is computed from them: totals, checks, derived, empty."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from footnote.catalog.model import Catalog, Derived, Operation
from footnote.errors import CheckFailed, TieOutError
from footnote.figures import Figure, FigureType, Format, Value, display, display_quotient
from footnote.lineage.compare import Key
from footnote.lineage.tied import TiedOut
from footnote.operations.expressions import (
    Amount,
    equal_amounts,
    evaluate_condition,
    evaluate_pair,
    evaluate_value,
)
from footnote.operations.result import CheckOutcome, Table

_RATIO = re.compile(r"\bratio\s*\(", re.IGNORECASE)
"""What makes an expression a quotient, which may have no last digit."""


def require_totals(operation: Operation, tied: Mapping[str, TiedOut]) -> None:
    """Where a statement is the totals of another, both must rest on the same rows.

    Raises:
        TieOutError: If one has a row that the other has not.
    """
    for name, statement in operation.statements.items():
        if statement.totals_of is None:
            continue
        _refuse_more_than_listed(name, statement.totals_of, tied)
        totals, listed = _keys(tied[name]), _keys(tied[statement.totals_of])
        if totals != listed:
            only_totals, only_listed = len(totals - listed), len(listed - totals)
            raise TieOutError(
                f"The totals {name!r} and the rows {statement.totals_of!r} do not rest on the same rows.",
                why=f"{only_totals} rows are only in the totals, {only_listed} only in the list.",
                remedy="Give both statements the same FROM and WHERE, and the list no LIMIT.",
                details={"statement": name, "onlyInTotals": only_totals, "onlyInList": only_listed},
            )


def _refuse_more_than_listed(name: str, list_name: str, tied: Mapping[str, TiedOut]) -> None:
    """Where the rows of the totals were too many to keep, they are more than a list can have."""
    behind = sum(row.rows.count for row in tied[name].rows if row.rows is not None)
    if behind:
        listed = len(_keys(tied[list_name]))
        raise TieOutError(
            f"The totals {name!r} rest on {behind:,} rows and the list {list_name!r} on {listed:,}.",
            remedy="Give both statements the same FROM and WHERE, and the list no LIMIT.",
            details={"statement": name},
        )


def _keys(tied: TiedOut) -> set[Key]:
    return {key for row in tied.rows for key in row.grain}


def _whole(name: str, value: Decimal) -> int:
    """A derived count or integer is one; cutting its decimals off would make another figure of it."""
    if value != value.to_integral_value():
        raise TieOutError(
            f"The derived figure {name!r} is no whole number, so it is not returned.",
            why="It is declared as a count or an integer.",
            remedy="Declare it as `decimal` or `percent`, with a `scale`.",
        )
    return int(value)


@dataclass
class Controls:
    """Checks, derived figures and the empty reason of one result."""

    catalog: Catalog
    operation: Operation
    tables: Mapping[str, Table]
    derived: dict[str, Figure] = field(default_factory=dict)

    def derive(self) -> Mapping[str, Figure]:
        """Figures computed exactly from other figures, in catalog order.

        Raises:
            TieOutError: If an expression has several currencies, so that it is no one figure.
        """
        for name, spec in self.operation.derive.items():
            amounts = evaluate_value(spec.expression, self.tables, self.derived, operation=self.operation)
            if len(amounts) > 1:
                raise TieOutError(
                    f"The derived figure {name!r} has {len(amounts)} values, one per currency.",
                    why="Two currencies are never added.",
                    remedy="Ask for one currency, or derive the figure from figures of one currency.",
                )
            if amounts:
                self.derived[name] = self._derived(name, spec, amounts[0])
        return self.derived

    def _derived(self, name: str, spec: Derived, amount: Amount) -> Figure:
        value: Value = amount.value
        if spec.type in (FigureType.COUNT, FigureType.INTEGER) and amount.value is not None:
            value = _whole(name, amount.value)
        format = Format(spec.type, spec.unit, spec.scale, amount.currency if spec.type is FigureType.MONEY else "")
        show = display_quotient if _RATIO.search(spec.expression) else display
        shown = show(value, format, self.catalog.display.locale, self.catalog.display.dates)
        return Figure(name, value, format, shown, amount.evidence, (), "derived", formula=spec.expression)

    def check(self) -> tuple[CheckOutcome, ...]:
        """Every control check that the operation declares.

        Raises:
            CheckFailed: The first that does not hold, with both values.
        """
        outcomes = []
        for check in self.operation.checks:
            left, right = evaluate_pair(
                check.equal[0], check.equal[1], self.tables, self.derived, operation=self.operation
            )
            shown = [", ".join(self._shown(a) for a in side) or "nothing" for side in (left, right)]
            if not equal_amounts(left, right):
                raise CheckFailed(
                    f"A control check does not hold: {check.say}",
                    why=f"{check.equal[0]} is {shown[0]}, {check.equal[1]} is {shown[1]}.",
                    remedy="The figures are not returned; look for rows that one side leaves out.",
                    details={"left": shown[0], "right": shown[1]},
                )
            outcomes.append(CheckOutcome(check.say, shown[0], shown[1]))
        return tuple(outcomes)

    def is_empty(self) -> bool:
        """Whether the result is empty: because no statement returned any row, or as the catalog says."""
        if not any(table.rows for table in self.tables.values()):
            return True
        return self.operation.empty is not None and evaluate_condition(
            self.operation.empty.when, self.tables, self.derived, operation=self.operation, every=True
        )

    def _shown(self, amount: Amount) -> str:
        format = Format(FigureType.MONEY, currency=amount.currency) if amount.money else Format(FigureType.DECIMAL)
        return display(amount.value, format, self.catalog.display.locale)
