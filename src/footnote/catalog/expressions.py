"""Expressions over figures: `when`, `checks.equal`, `derive.expression`.

They are written like SQL and mean exact arithmetic on the figures of one result:

    invoiceCount > 0 AND totals.totalOutstanding > 0        figures, by name or with their statement
    sum(invoices.outstanding), count(invoices)              over the rows of a `many` statement
    ratio(revenue, priorRevenue) - 1                        numbers, + - *, ratio; never /

sqlglot parses them and is imported when the first one is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from footnote.catalog.place import Place
from footnote.errors import CatalogError

if TYPE_CHECKING:
    from sqlglot import exp

Kind = Literal["money", "number", "condition"]
"""What an expression gives: an amount of money, another number, or true/false."""

_LONGEST = 2_000
_DEEPEST = 60
_NUMBER = re.compile(r"[0-9]{1,30}(\.[0-9]{1,30})?\Z")
_REMEDY = (
    "Use figure names, numbers, + - *, ratio(a, b), sum(statement.column), count(statement), comparisons, AND, OR, NOT."
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in an expression: a figure (`name` or `statement.name`), or the rows of a statement in sum() or count()."""

    name: str
    over: Literal["", "sum", "count"] = ""


def parse_expression(text: str, where: Place) -> exp.Expr:
    """The expression's tree, which holds only what the module's docstring lists.

    Raises:
        CatalogError: It does not parse, or holds something else.
    """
    import sqlglot

    from footnote.catalog.tree import PARSE_ERRORS, depth_of

    if len(text) > _LONGEST:
        raise _error(where, f"An expression has {len(text)} characters; at most {_LONGEST} are read.")
    try:
        tree = sqlglot.parse_one(f"SELECT {text}", read="postgres")
    except PARSE_ERRORS:
        raise _error(where, f"The expression `{_shortened(text)}` does not parse.") from None
    expression = _only_projection(tree)
    if expression is None:
        raise _error(where, f"`{_shortened(text)}` is not one expression.")
    if depth_of(expression) > _DEEPEST:
        raise _error(where, f"An expression is nested deeper than {_DEEPEST} levels.")
    for _ in _references(expression, where):  # visits, and so refuses, every node
        pass
    return expression


def names_in(expression: str) -> frozenset[str]:
    """The figures and rows an expression names: `name`, `statement.name`, or `statement` inside count().

    Raises:
        CatalogError: As `parse_expression`.
    """
    where = Place("", 0)
    return frozenset(reference.name for reference in _references(parse_expression(expression, where), where))


def references_in(expression: exp.Expr, where: Place) -> tuple[Reference, ...]:
    """What a parsed expression names, in order."""
    return tuple(_references(expression, where))


def kind_of(expression: exp.Expr, kind_of_reference: Callable[[Reference], Kind], where: Place) -> Kind:
    """What the expression gives; money and other numbers do not mix.

    Raises:
        CatalogError: Money is added to a number, multiplied by money, or a condition stands where a value should.
    """
    return _Kinds(kind_of_reference, where).of(expression)


def _only_projection(tree: object) -> exp.Expr | None:
    """The one projection of a bare SELECT, or None if there is anything beside it."""
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        return None
    if any(value for key, value in tree.args.items() if key != "expressions"):
        return None
    projection: exp.Expr = tree.expressions[0]
    return projection.pop()


def _references(node: exp.Expr, where: Place) -> Iterator[Reference]:
    from sqlglot import exp

    if isinstance(node, exp.Column):
        yield Reference(_column_name(node, where))
    elif isinstance(node, exp.Literal):
        if node.is_string:
            raise _error(where, f"The text '{_shortened(str(node.this))}' stands in an expression over figures.")
        if not _NUMBER.match(str(node.this)):
            raise _error(where, f"`{_shortened(str(node.this))}` is not a number in decimal digits.")
    elif isinstance(node, exp.Sum | exp.Count):
        yield _over_rows(node, where)
    elif isinstance(node, _operators()) or _is_ratio(node):
        for child in node.iter_expressions():
            yield from _references(child, where)
    else:
        raise _error(where, f"`{_shortened(node.sql())}` is not allowed in an expression over figures.")


def _operators() -> tuple[type[exp.Expr], ...]:
    from sqlglot import exp

    comparisons = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
    return (exp.Paren, exp.Neg, exp.Not, exp.And, exp.Or, exp.Add, exp.Sub, exp.Mul, *comparisons)


def _is_ratio(node: exp.Expr) -> bool:
    from sqlglot import exp

    is_function = isinstance(node, exp.Anonymous) and isinstance(node.this, str)
    return is_function and str(node.this).casefold() == "ratio" and len(node.expressions) == 2


def _column_name(node: exp.Expr, where: Place) -> str:
    parts = [part.name for part in node.parts] if hasattr(node, "parts") else []
    if not 1 <= len(parts) <= 2 or not all(part and part.isprintable() for part in parts) or "*" in parts:
        raise _error(where, f"`{_shortened(node.sql())}` does not name a figure.")
    return ".".join(parts)


def _over_rows(node: exp.Expr, where: Place) -> Reference:
    from sqlglot import exp

    argument = node.this
    over: Literal["sum", "count"] = "sum" if isinstance(node, exp.Sum) else "count"
    if isinstance(argument, exp.Column) and not (node.expressions or node.args.get("expressions")):
        name = _column_name(argument, where)
        if ("." in name) == (over == "sum"):
            return Reference(name, over)
    raise _error(where, f"`{_shortened(node.sql())}` does not name the rows of a statement.")


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Works out what an expression gives, from the kinds of what it names."""

    reference: Callable[[Reference], Kind]
    where: Place

    def of(self, node: exp.Expr) -> Kind:
        from sqlglot import exp

        if isinstance(node, exp.Paren):
            return self.of(node.this)
        if isinstance(node, exp.Column | exp.Sum | exp.Count):
            return self.reference(next(iter(_references(node, self.where))))
        if isinstance(node, exp.And | exp.Or | exp.Not):
            return self._connective(node)
        if isinstance(node, exp.Neg):
            return self._value(node.this)
        if isinstance(node, exp.Binary):
            return self._binary(node)
        return self._ratio(node) if isinstance(node, exp.Anonymous) else "number"

    def _value(self, node: exp.Expr) -> Kind:
        kind = self.of(node)
        if kind == "condition":
            raise _error(self.where, f"`{_shortened(node.sql())}` is true or false, where a number should stand.")
        return kind

    def _connective(self, node: exp.Expr) -> Kind:
        for child in node.iter_expressions():
            if self.of(child) != "condition":
                what = f"`{_shortened(child.sql())}` is a number, where a comparison should stand."
                raise _error(self.where, what)
        return "condition"

    def _binary(self, node: exp.Binary) -> Kind:
        from sqlglot import exp

        left, right = self._value(node.left), self._value(node.right)
        if isinstance(node, exp.Mul):
            if left == right == "money":
                raise _error(self.where, f"`{_shortened(node.sql())}` multiplies money by money.")
            return "money" if "money" in {left, right} else "number"
        comparison = not isinstance(node, exp.Add | exp.Sub)
        against_number = _is_number(node.left) or _is_number(node.right)
        if left != right and not (comparison and against_number):
            raise _error(self.where, f"`{_shortened(node.sql())}` mixes money with a plain number.")
        return "condition" if comparison else left

    def _ratio(self, node: exp.Expr) -> Kind:
        above, below = (self._value(child) for child in node.expressions)
        if above == "number" and below == "money":
            raise _error(self.where, f"`{_shortened(node.sql())}` divides a plain number by money.")
        return "number" if above == below else "money"


def _is_number(node: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(node.unnest().this if isinstance(node, exp.Neg) else node.unnest(), exp.Literal)


def _shortened(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[:most] + "…"


def _error(where: Place, what: str) -> CatalogError:
    return CatalogError(what, file=where.file, line=where.line, remedy=_REMEDY)
