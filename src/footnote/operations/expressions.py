"""Expressions over the figures of one result, evaluated exactly: `when`, `checks.equal`, `derive.expression`.

The grammar is `catalog.expressions`; here are the values. Sums and differences are exact or raise, a ratio has 34
digits. Two currencies are never mixed: where figures come in several, an expression is evaluated once per currency.
A figure of a statement without rows is 0 if it is a count, otherwise nothing; nothing compares with nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from footnote.catalog.expressions import parse_expression
from footnote.catalog.model import ColumnSpec, Operation
from footnote.catalog.place import Place
from footnote.errors import TieOutError
from footnote.figures import Figure, FigureType
from footnote.figures.values import EXACT
from footnote.operations.amounts import (
    COMPARISONS,
    Amount,
    Cell,
    Vector,
    aligned,
    arithmetic,
    by_row_currency,
    comparison,
    evidence_of,
    expression_error,
    negated,
    number,
    of_rows,
    operand,
    plus,
    ratio,
    row_currency,
    truth,
)
from footnote.operations.result import ResultRow, Table

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["Amount", "equal_amounts", "evaluate_condition", "evaluate_pair", "evaluate_value"]


def evaluate_value(
    expression: str,
    tables: Mapping[str, Table],
    derived: Mapping[str, Figure],
    *,
    operation: Operation | None = None,
) -> tuple[Amount, ...]:
    """What the expression gives: one amount, or one per currency; none where there are no rows to take one from.

    Args:
        expression: As in the catalog.
        tables: The result's tables by statement.
        derived: Figures derived so far.
        operation: Tells the types of columns of statements without rows; without it, they cannot be named.

    Raises:
        CatalogError: It names what the result does not have, or is a condition.
        CurrencyMismatch: It needs two currencies at once.
    """
    return _amounts(_evaluate(expression, tables, derived, operation), expression)


def evaluate_condition(
    expression: str,
    tables: Mapping[str, Table],
    derived: Mapping[str, Figure],
    *,
    operation: Operation | None = None,
    every: bool = False,
) -> bool:
    """Whether the condition holds: for at least one of several currencies, or with `every` for each of them.

    `every` is for `empty.when`: a result is empty only if it is so in every currency. Raises as `evaluate_value`.
    """
    vector = _evaluate(expression, tables, derived, operation)
    truths = [truth(cell, expression) for cell in vector.cells.values()]
    return bool(truths) and (all(truths) if every else any(truths))


def evaluate_pair(
    left: str,
    right: str,
    tables: Mapping[str, Table],
    derived: Mapping[str, Figure],
    *,
    operation: Operation | None = None,
) -> tuple[tuple[Amount, ...], tuple[Amount, ...]]:
    """Both sides of a control check, by currency alike: a count of all rows is split to stand beside counts by currency.

    Raises as `evaluate_value`; `equal_amounts` says whether the check holds.
    """
    one = _evaluate(left, tables, derived, operation)
    other = _evaluate(right, tables, derived, operation)
    if one.money != other.money:
        raise expression_error(f"`{left}` and `{right}` cannot be compared: one is money, the other is not.")
    return _amounts(one.beside(other), left), _amounts(other.beside(one), right)


def equal_amounts(left: Iterable[Amount], right: Iterable[Amount]) -> bool:
    """Whether two values are equal in every currency. Nothing (no rows, NULL) equals zero: both add nothing."""
    one, other = ({a.currency: a.value or Decimal(0) for a in side} for side in (left, right))
    return all(one.get(key, Decimal(0)) == other.get(key, Decimal(0)) for key in one.keys() | other.keys())


def _amounts(vector: Vector, expression: str) -> tuple[Amount, ...]:
    return tuple(
        Amount(currency, operand(cell, expression), cell.evidence, vector.money)
        for currency, cell in vector.cells.items()
    )


def _evaluate(
    expression: str, tables: Mapping[str, Table], derived: Mapping[str, Figure], operation: Operation | None
) -> Vector:
    return _Evaluation(tables, derived, operation).of(_tree(expression), expression)


@lru_cache(maxsize=1024)
def _tree(expression: str) -> exp.Expr:
    return parse_expression(expression, Place("", 0))


@dataclass(frozen=True, slots=True)
class _Evaluation:
    tables: Mapping[str, Table]
    derived: Mapping[str, Figure]
    operation: Operation | None

    def of(self, node: exp.Expr, text: str) -> Vector:
        from sqlglot import exp

        if isinstance(node, exp.Paren):
            return self.of(node.this, text)
        if isinstance(node, exp.Literal):
            return Vector({"": Cell(Decimal(str(node.this)))}, literal=True)
        if isinstance(node, exp.Column):
            return self._figure(node.table, node.name)
        if isinstance(node, exp.Sum):
            return self._sum(node.this.table, node.this.name)
        if isinstance(node, exp.Count):
            return self._count(node.this.name)
        children = [self.of(child, text) for child in node.iter_expressions()]
        if isinstance(node, exp.Neg):
            return negated(children[0])
        if isinstance(node, exp.Not):
            return Vector({key: Cell(not truth(c, text), c.evidence) for key, c in children[0].cells.items()})
        if isinstance(node, exp.And | exp.Or):
            return self._connected(node, children, text)
        return self._combined(node, children, text)

    def _connected(self, node: exp.Expr, children: list[Vector], text: str) -> Vector:
        from sqlglot import exp

        both = isinstance(node, exp.And)
        cells = {}
        for key, left, right in aligned(*children):
            truths = [left is not None and truth(left, text), right is not None and truth(right, text)]
            cells[key] = Cell(all(truths) if both else any(truths), evidence_of(left, right))
        return Vector(cells)

    def _combined(self, node: exp.Expr, children: list[Vector], text: str) -> Vector:
        from sqlglot import exp

        left, right = children[0].beside(children[1]), children[1].beside(children[0])
        if isinstance(node, exp.Anonymous):
            return ratio(left, right, text)
        compare = COMPARISONS.get(type(node).__name__)
        if compare is not None:
            return comparison(left, right, compare, text)
        if isinstance(node, exp.Mul):
            if left.money and right.money:
                raise expression_error(f"`{text}` multiplies money by money.")
            return arithmetic(left, right, EXACT.multiply, text, money=left.money or right.money)
        if left.money != right.money:
            raise expression_error(f"`{text}` mixes money with a plain number.")
        subtract = isinstance(node, exp.Sub)
        return arithmetic(left, negated(right) if subtract else right, EXACT.add, text, money=left.money)

    def _figure(self, statement: str, name: str) -> Vector:
        found = [statement] if statement else self._statements_with(name)
        if statement == "derived" or not statement:
            found += ["derived"] if name in self.derived and "derived" not in found else []
        if len(found) != 1:
            why = f"it is in {' and in '.join(found)}" if found else "the result has no such figure"
            raise expression_error(f"`{name}` cannot be told: {why}.")
        if found == ["derived"] and "derived" not in self.tables:
            if name not in self.derived:
                raise expression_error(f"No figure {name} is derived.")
            return of_rows([ResultRow({name: self.derived[name]})], name)
        table = self._table(found[0])
        if table.shape != "one":
            raise expression_error(f"`{found[0]}.{name}` has a value per row; write sum({found[0]}.{name}).")
        if not table.rows:
            return self._of_no_rows(found[0], name)
        if any(name not in row.figures for row in table.rows):
            raise expression_error(f"The statement {found[0]} has no column {name}.")
        return of_rows(table.rows, name)

    def _statements_with(self, name: str) -> list[str]:
        """Statements of shape one that have this column."""
        if self.operation is not None:
            specs = self.operation.statements.items()
            return [s for s, spec in specs if spec.shape == "one" and name in spec.columns and s in self.tables]
        tables = self.tables.items()
        return [s for s, table in tables if table.shape == "one" and any(name in row.figures for row in table.rows)]

    def _table(self, statement: str) -> Table:
        table = self.tables.get(statement)
        if table is None:
            raise expression_error(f"The result has no statement {statement}.")
        return table

    def _of_no_rows(self, statement: str, name: str) -> Vector:
        spec = self._spec(statement, name)
        if spec is None:
            raise expression_error(f"The statement {statement} has no column {name}.")
        if spec.type is FigureType.COUNT:
            return Vector({"": Cell(Decimal(0))}, count=True)
        return Vector({}, money=True) if spec.type is FigureType.MONEY else Vector({"": Cell(None)})

    def _spec(self, statement: str, name: str) -> ColumnSpec | None:
        spec = self.operation.statements.get(statement) if self.operation else None
        return spec.columns.get(name) if spec else None

    def _sum(self, statement: str, name: str) -> Vector:
        """Like SQL's SUM: NULLs add nothing, and the sum of nothing is nothing."""
        table = self._table(statement)
        if any(name not in row.figures for row in table.rows):
            raise expression_error(f"The statement {statement} has no column {name}.")
        spec = self._spec(statement, name)
        types = {row.figures[name].format.type for row in table.rows} or ({spec.type} if spec else set())
        money = FigureType.MONEY in types
        total: Cell | None = None
        by_currency: dict[str, Cell] = {}
        _refuse_repeated(table, statement, name)
        for row in table.rows:
            figure = row.figures[name]
            if figure.value is not None:
                cell = Cell(number(figure), figure.evidence)
                key = figure.format.currency if money else row_currency(row)
                by_currency[key] = plus(by_currency.get(key), cell)
                total = None if money else plus(total, cell)
        if money:
            return Vector(by_currency, money=True)
        return Vector({"": total or Cell(None)}, split=by_row_currency(by_currency))

    def _count(self, statement: str) -> Vector:
        by_currency: dict[str, Cell] = {}
        total = Cell(Decimal(0))
        for row in self._table(statement).rows:
            cited = dict.fromkeys(id for figure in row.figures.values() for id in figure.evidence)
            one = Cell(Decimal(1), (row.record,) if row.record else tuple(cited))
            key = row_currency(row)
            by_currency[key] = plus(by_currency.get(key), one)
            total = plus(total, one)
        return Vector({"": total}, split=by_row_currency(by_currency), count=True)


def _refuse_repeated(table: Table, statement: str, name: str) -> None:
    """A value that a list shows of another record, once for each of its rows, is not added up once for each of them."""
    seen: set[str] = set()
    for row in table.rows:
        figure = row.figures[name]
        others = row.terms.get(name, ()) if figure.value is not None else ()
        if row.record and row.record not in figure.evidence and figure.value:
            others = (*others, *figure.evidence)
        twice = next((id for id in others if id in seen), None)
        if twice is not None:
            raise TieOutError(
                f"sum({statement}.{name}) counts {twice} more than once.",
                why="The list has one row for each of its records, and several show, or add to theirs, an amount of that one.",
                remedy="Add it up in a statement whose grain is that other record.",
                details={"row": twice},
            )
        seen.update(others)
