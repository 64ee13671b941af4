"""Values of expressions: exact numbers, side by side by currency, with the evidence they come from.

A `Vector` has one cell per currency, or one cell without. Cells of different currencies never meet.
"""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from footnote.errors import CatalogError, CurrencyMismatch, FigureError
from footnote.figures import Figure, FigureType
from footnote.figures.values import EXACT
from footnote.operations.result import ResultRow

RATIO_DIGITS = 34
"""Digits of a ratio: those of decimal128, more than any amount divided by another needs."""

_RATIO = Context(prec=RATIO_DIGITS, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, slots=True)
class Amount:
    """One value of an expression.

    Attributes:
        currency: The currency of the figures it comes from, where they come in several or it is money; else empty.
        value: Exact (a ratio: 34 digits); None where there is nothing, or nothing to divide by.
        evidence: Ids that the figures it comes from cite, in order, once each.
        money: Whether it is an amount of `currency`.
    """

    currency: str
    value: Decimal | None
    evidence: tuple[str, ...]
    money: bool = False


Scalar = Decimal | bool | str | dt.date | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One value, and the ids it rests on."""

    value: Scalar
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vector:
    """Cells by currency; `""` is the one cell of what has none. `split` has the same by currency of the rows."""

    cells: Mapping[str, Cell]
    money: bool = False
    split: Mapping[str, Cell] = field(default_factory=dict)
    literal: bool = False
    count: bool = False

    @property
    def keyed(self) -> bool:
        """Whether there is a cell per currency."""
        return bool(self.cells) and "" not in self.cells

    def beside(self, other: Vector) -> Vector:
        """This value as it stands beside `other`: by currency, if that one is and this one can be."""
        if other.keyed and not self.keyed and self.split:
            return Vector(self.split, self.money, count=self.count)
        return self


COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "EQ": operator.eq,
    "NEQ": operator.ne,
    "GT": operator.gt,
    "GTE": operator.ge,
    "LT": operator.lt,
    "LTE": operator.le,
}


def of_rows(rows: Iterable[ResultRow], name: str) -> Vector:
    """The figure in each row; several rows are told apart by their currency."""
    rows = tuple(rows)
    figures = [row.figures[name] for row in rows]
    money = any(figure.format.type is FigureType.MONEY for figure in figures)
    cells: dict[str, Cell] = {}
    for row, figure in zip(rows, figures, strict=True):
        key = figure.format.currency if money else row_currency(row) if len(rows) > 1 else ""
        if key in cells:
            raise expression_error(f"`{name}` has several values, and nothing tells them apart.")
        cells[key] = Cell(scalar_of(figure), figure.evidence)
    return Vector(cells, money, count=figures[0].format.type is FigureType.COUNT)


def row_currency(row: ResultRow) -> str:
    """The one currency of a row's amounts; for a row without amounts, the currency code it shows."""
    figures = row.figures.values()
    found = {f.format.currency for f in figures if f.format.type is FigureType.MONEY and f.format.currency}
    if not found and "currency" in row.figures:
        found = {str(row.figures["currency"].value)}
    return found.pop() if len(found) == 1 else ""


def by_row_currency(by_currency: Mapping[str, Cell]) -> Mapping[str, Cell]:
    """The cells, if every row they come from says its currency; otherwise nothing."""
    return {} if "" in by_currency else by_currency


def aligned(left: Vector, right: Vector) -> Iterator[tuple[str, Cell | None, Cell | None]]:
    """Cells of the same currency side by side; what has no currency stands beside each; None where there is none."""
    left, right = left.beside(right), right.beside(left)
    keys = dict.fromkeys((*left.cells, *right.cells))
    if len(keys) > 1:
        keys.pop("", None)
    for key in keys:
        yield key, _cell(left, key), _cell(right, key)


def _cell(value: Vector, key: str) -> Cell | None:
    if key in value.cells or "" in value.cells:
        return value.cells.get(key) or value.cells[""]
    return Cell(Decimal(0)) if value.count else None


def arithmetic(
    left: Vector, right: Vector, combine: Callable[[Decimal, Decimal], Decimal], text: str, *, money: bool
) -> Vector:
    """A currency that only one side has is added to nothing; NULL makes NULL."""
    adds = combine == EXACT.add
    cells = {}
    for key, one, other in aligned(left, right):
        if one is None or other is None:
            present = one or other
            cells[key] = present if adds and present is not None else Cell(None)
            continue
        a, b = operand(one, text), operand(other, text)
        cells[key] = Cell(None if a is None or b is None else combine(a, b), evidence_of(one, other))
    return Vector(cells, money, count=left.count and right.count)


def ratio(left: Vector, right: Vector, text: str) -> Vector:
    """`left / right` to 34 digits; nothing where the divisor is zero or nothing."""
    if right.money and not left.money:
        raise expression_error(f"`{text}` divides a plain number by money.")
    cells = {}
    for key, above, below in aligned(left, right):
        a = operand(above, text) if above else None
        b = operand(below, text) if below else None
        cells[key] = Cell(None if a is None or not b else _RATIO.divide(a, b), evidence_of(above, below))
    return Vector(cells, money=left.money and not right.money)


def comparison(left: Vector, right: Vector, compare: Callable[[Any, Any], bool], text: str) -> Vector:
    """True or false by currency; what compares with nothing is false."""
    if left.money != right.money:
        _check_threshold(left if left.money else right, right if left.money else left, text)
    cells = {}
    for key, one, other in aligned(left, right):
        a, b = one.value if one else None, other.value if other else None
        if a is not None and b is not None and type(a) is not type(b):
            raise expression_error(f"`{text}` compares values of different types.")
        cells[key] = Cell(a is not None and b is not None and bool(compare(a, b)), evidence_of(one, other))
    return Vector(cells)


def _check_threshold(money: Vector, plain: Vector, text: str) -> None:
    """Money compares with 0 in any currency; another number means amounts of one currency."""
    if not plain.literal:
        raise expression_error(f"`{text}` compares money with a plain number.")
    if len(money.cells) > 1 and any(cell.value for cell in plain.cells.values()):
        raise CurrencyMismatch(
            f"`{text}` compares amounts in {' and '.join(money.cells)} with one number.",
            why="The number has no currency, so it cannot mean all of them.",
            remedy="Compare with 0, or let the statement keep to one currency.",
            details={"currencies": list(money.cells)},
        )


def negated(value: Vector) -> Vector:
    """`-value`; zero has no sign."""

    def negated(cells: Mapping[str, Cell]) -> dict[str, Cell]:
        numbers = {key: (operand(cell, "-"), cell.evidence) for key, cell in cells.items()}
        return {key: Cell(None if n is None else n.copy_negate() if n else n, e) for key, (n, e) in numbers.items()}

    return Vector(negated(value.cells), value.money, negated(value.split), value.literal, value.count)


def plus(total: Cell | None, cell: Cell) -> Cell:
    """The sum of two cells and the evidence of both."""
    if total is None:
        return cell
    number = EXACT.add(operand(total, "+") or Decimal(0), operand(cell, "+") or Decimal(0))
    return Cell(number, evidence_of(total, cell))


def operand(cell: Cell, text: str) -> Decimal | None:
    """The cell's number; raises if it has something else."""
    if cell.value is None or isinstance(cell.value, Decimal):
        return cell.value
    raise expression_error(f"`{text}` calculates with what is not a number.")


def truth(cell: Cell, text: str) -> bool:
    """The cell's truth; raises if it has something else."""
    if isinstance(cell.value, bool):
        return cell.value
    raise expression_error(f"`{text}` takes a value for a condition.")


def scalar_of(figure: Figure) -> Scalar:
    """The figure's value, integers as Decimal."""
    value = figure.value
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value


def number(figure: Figure) -> Decimal:
    """The figure's number; raises `FigureError` if it has something else."""
    value = scalar_of(figure)
    if not isinstance(value, Decimal):
        raise FigureError(f"{figure.name} is not a number and cannot be added up.")
    return value


def evidence_of(*cells: Cell | None) -> tuple[str, ...]:
    """What the cells rest on, in order, once each."""
    return tuple(dict.fromkeys(id for cell in cells if cell is not None for id in cell.evidence))


def expression_error(what: str) -> CatalogError:
    """An expression that does not fit the result it is about."""
    return CatalogError(what, why="An expression of the catalog does not fit the result it is about.")
