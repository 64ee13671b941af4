"""Which type the value of an expression is read as, and which columns it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sqlglot import exp

from footnote.sources.query import ValueType


class ColumnTypes(Protocol):
    """What is known of base columns, from the catalog's records first and the schema second."""

    @property
    def exact_decimals(self) -> bool:
        """Whether this engine calculates with decimal constants exactly."""
        ...

    @property
    def strict(self) -> bool:
        """Whether this engine holds a column to its type; what it holds otherwise must be read to be found."""
        ...

    def computed(self, table: str) -> bool:
        """Whether this is an inner query, whose values the engine computes."""
        ...

    def type_of(self, table: str, column: str) -> ValueType:
        """The type a column is read as."""
        ...

    def exact(self, table: str, column: str) -> bool:
        """Whether this engine adds the column up exactly."""
        ...

    def padded(self, table: str, column: str) -> bool:
        """Whether the column is text of a fixed length, whose trailing blanks do not count when it is compared."""
        ...

    def caseless(self, table: str, column: str) -> bool:
        """Whether the engine compares the column's texts otherwise than letter by letter."""
        ...


_BY_CAST = {
    "INT": ValueType.INTEGER,
    "BIGINT": ValueType.INTEGER,
    "SMALLINT": ValueType.INTEGER,
    "DECIMAL": ValueType.DECIMAL,
    "DATE": ValueType.DATE,
    "TIMESTAMP": ValueType.DATETIME,
    "TEXT": ValueType.TEXT,
    "VARCHAR": ValueType.TEXT,
    "BOOLEAN": ValueType.BOOLEAN,
}
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
_BY_KIND: dict[type[exp.Expr], ValueType] = {
    exp.Count: ValueType.INTEGER,
    exp.RowNumber: ValueType.INTEGER,
    exp.Rank: ValueType.INTEGER,
    exp.DenseRank: ValueType.INTEGER,
    exp.Avg: ValueType.DECIMAL,
}
_OF_ARGUMENT = (exp.Paren, exp.Neg, exp.Abs, exp.Sum, exp.Min, exp.Max, exp.Filter, exp.Window, exp.Alias)


def infer_type(node: exp.Expr, tables: Mapping[str, str], types: ColumnTypes) -> ValueType:
    """The type of an expression's value; ANY where nothing is known, which reads it as the engine gives it."""
    if isinstance(node, _OF_ARGUMENT):
        return infer_type(node.this, tables, types)
    if type(node) in _BY_KIND:
        return _BY_KIND[type(node)]
    if isinstance(node, exp.Distinct) and len(node.expressions) == 1:
        return infer_type(node.expressions[0], tables, types)
    if isinstance(node, exp.Subquery) and node.this.selects:
        return infer_type(node.this.selects[0], tables, types)
    if isinstance(node, exp.Cast):
        return _BY_CAST.get(node.to.this.name, ValueType.ANY)
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


def _given_by(node: exp.Expr) -> list[exp.Expr]:
    """The sub-expressions that give the expression its value; the conditions of a CASE only decide."""
    return _parts(node) or ([] if isinstance(node, exp.Case) else list(node.iter_expressions()))


def _common(kinds: list[ValueType]) -> ValueType:
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    return ValueType.DECIMAL if found and found <= _NUMBERS else ValueType.ANY


def calculates_exactly(node: exp.Expr, tables: Mapping[str, str], types: ColumnTypes) -> bool:
    """Whether this engine gives the expression's own value exactly; a column is read as it is stored."""
    if isinstance(node, exp.Column):
        return not types.computed(tables[node.table]) or types.exact(tables[node.table], node.name)
    return infer_type(node, tables, types) not in (*_NUMBERS, ValueType.ANY) or adds_exactly(node, tables, types)


def adds_exactly(node: exp.Expr, tables: Mapping[str, str], types: ColumnTypes) -> bool:
    """Whether this engine's arithmetic on what gives the expression its value is exact."""
    if isinstance(node, exp.Avg | exp.Div):
        return False
    if isinstance(node, exp.Subquery) and node.this.selects:
        return adds_exactly(node.this.selects[0].unalias(), tables, types)
    if isinstance(node, exp.Count | exp.Exists):
        return True
    if isinstance(node, exp.Column):
        return types.exact(tables[node.table], node.name)
    if isinstance(node, exp.Anonymous) and _BY_NAME.get(node.name.lower()) is ValueType.INTEGER:
        return True
    if isinstance(node, exp.Literal):
        return types.exact_decimals or node.is_int
    if isinstance(node, exp.Placeholder):
        return types.exact_decimals
    return all(adds_exactly(part, tables, types) for part in _given_by(node))


def value_columns(node: exp.Expr) -> list[exp.Column]:
    """The columns that give an expression its value, in order, conditions aside."""
    if isinstance(node, exp.Column):
        return [node]
    if isinstance(node, exp.Filter):
        return value_columns(node.this)
    if isinstance(node, exp.Subquery):
        return value_columns(node.this.selects[0]) if node.this.selects else []
    if isinstance(node, exp.Exists | exp.In):
        return []
    return [column for part in _given_by(node) for column in value_columns(part)]


def value_terms(node: exp.Expr) -> set[frozenset[str]]:
    """The tables (by alias) that each term of a sum takes its value from.

    `l.amount * p.rate - m.fee` has the terms {l, p} and {m}: the first is another value for each pair of rows, the
    second for each row of m. A constant has the empty term.
    """
    if isinstance(node, exp.Column):
        return {frozenset({node.table})}
    if isinstance(node, exp.Paren | exp.Neg | exp.Abs | exp.Nullif):
        return value_terms(node.this)
    if isinstance(node, exp.Mul):
        return {one | other for one in value_terms(node.this) for other in value_terms(node.expression)}
    parts = _parts(node)
    if parts or isinstance(node, exp.Case):
        return {term for part in parts for term in value_terms(part)}
    return {frozenset(column.table for column in node.find_all(exp.Column))}
