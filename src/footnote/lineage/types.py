"""Which type the value of an expression is read as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sqlglot import exp

from footnote.sources.query import ValueType


class ColumnTypes(Protocol):
    """What is known of base columns, from the catalog's records first and the schema second."""

    def type_of(self, table: str, column: str) -> ValueType:
        """The type a column is read as."""
        ...

    def exact(self, table: str, column: str) -> bool:
        """Whether this engine adds the column up exactly."""
        ...


_NUMBERS = {ValueType.INTEGER, ValueType.DECIMAL}
_BOOLEAN = (exp.Predicate, exp.And, exp.Or, exp.Not, exp.Boolean)
_BY_NAME = {
    "days_between": ValueType.INTEGER,
    "year_of": ValueType.INTEGER,
    "month_of": ValueType.TEXT,
    "quarter_of": ValueType.TEXT,
    "starts_with": ValueType.BOOLEAN,
    "money": ValueType.DECIMAL,
}


def infer_type(node: exp.Expr, tables: Mapping[str, str], types: ColumnTypes) -> ValueType:
    """The type of an expression's value; ANY where nothing is known, which reads it as the engine gives it."""
    if isinstance(node, exp.Paren | exp.Neg | exp.Abs):
        return infer_type(node.this, tables, types)
    if isinstance(node, exp.Column):
        return types.type_of(tables[node.table], node.name)
    if isinstance(node, exp.Literal):
        return ValueType.TEXT if node.is_string else ValueType.INTEGER if node.is_int else ValueType.DECIMAL
    if isinstance(node, exp.Anonymous):
        return _BY_NAME.get(node.name.lower(), ValueType.ANY)
    if isinstance(node, exp.StartsWith) or (isinstance(node, _BOOLEAN) and not isinstance(node, exp.Case)):
        return ValueType.BOOLEAN
    return _common([infer_type(part, tables, types) for part in _parts(node)])


def _parts(node: exp.Expr) -> list[exp.Expr]:
    """The sub-expressions whose values the expression may take, NULL aside."""
    parts: list[exp.Expr] = []
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        parts = [node.this, node.expression]
    elif isinstance(node, exp.Coalesce):
        parts = [node.this, *node.expressions]
    elif isinstance(node, exp.Nullif):
        parts = [node.this]
    elif isinstance(node, exp.Case):
        parts = [branch.args["true"] for branch in node.args["ifs"]]
        parts += [node.args["default"]] if node.args.get("default") is not None else []
    return [part for part in parts if not isinstance(part, exp.Null)]


def _common(kinds: list[ValueType]) -> ValueType:
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    return ValueType.DECIMAL if found and found <= _NUMBERS else ValueType.ANY


def adds_exactly(node: exp.Expr, tables: Mapping[str, str], types: ColumnTypes) -> bool:
    """Whether this engine's arithmetic on the columns that give the expression its value is exact.

    Columns that only decide (the conditions of a CASE) do not count.
    """
    if isinstance(node, exp.Column):
        return types.exact(tables[node.table], node.name)
    parts = _parts(node) or [part for part in node.iter_expressions() if not isinstance(node, exp.Case)]
    return all(adds_exactly(part, tables, types) for part in parts)
