"""Trees to SQL that a driver runs: typed functions, parameters and lists in each engine's own form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from footnote.catalog.model import Parameter
from footnote.errors import StatementRefused
from footnote.plans.lists import COLLATION, in_list
from footnote.plans.shape import Template
from footnote.plans.typed_functions import starts_with, typed_function
from footnote.sources.query import Column

SQLGLOT = {"sqlite": "sqlite", "postgres": "postgres", "mysql": "mysql", "duckdb": "duckdb"}
"""Engines that plans can be written for, by the name sqlglot has for them."""

_CASTS = {
    "text": "TEXT",
    "integer": "BIGINT",
    "decimal": "DECIMAL",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "currency": "TEXT",
}
_CAST_ON = {
    "postgres": {word: word for word in _CASTS.values()},
    # A decimal's digits are known with its value, and a bare DECIMAL would have few.
    "duckdb": {word: word for word in ("BIGINT", "BOOLEAN", "DATE", "TIMESTAMP")},
    "mysql": {"DATE": "DATE", "TIMESTAMP": "DATETIME(6)"},
}
"""By engine: what a placeholder of a type is cast to."""


@dataclass(frozen=True, slots=True)
class ParameterTypes:
    """Types of the placeholders of an operation: SQL type names by placeholder, which are lists, which certainly texts.

    A placeholder is cast where its type is known, since PostgreSQL infers none for `:x IS NULL`, and MySQL takes a date
    for a text; a text is left alone, so that it compares with any column.
    """

    scalars: Mapping[str, str]
    lists: Mapping[str, str]
    texts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, parameters: Mapping[str, Parameter]) -> ParameterTypes:
        """The types of an operation's parameters."""
        scalars: dict[str, str] = {}
        lists: dict[str, str] = {}
        for name, parameter in parameters.items():
            if parameter.type == "list":
                lists[name] = _CASTS[parameter.of or "text"]
            elif parameter.type == "period":
                scalars |= dict.fromkeys(
                    (f"{name}_from", f"{name}_to", f"{name}_prior_from", f"{name}_prior_to"), "DATE"
                )
            elif parameter.type in _CASTS and parameter.type not in ("text", "currency"):
                scalars[name] = _CASTS[parameter.type]
        texts = frozenset(name for name, parameter in parameters.items() if parameter.type in ("text", "currency"))
        return cls(scalars, lists, texts)


def template(tree: exp.Expr, dialect: str, types: ParameterTypes, columns: tuple[Column, ...]) -> Template:
    """The tree as a driver's SQL.

    Raises:
        StatementRefused: If the engine has no faithful form for something in it.
    """
    if dialect not in SQLGLOT:
        raise StatementRefused(f"Plans cannot be written for {dialect} yet.", remedy=f"Use {', '.join(SQLGLOT)}.")
    used: dict[str, None] = {}
    out = tree.copy()
    for node in reversed(list(out.walk())):  # children first, so that what is nested is rewritten too
        rewritten = _rewrite(node, dialect, types, used)
        if rewritten is not node:
            node.replace(rewritten)
    sql = out.sql(dialect=SQLGLOT[dialect], comments=False)
    sql = _with_placeholders(sql, dialect, used)
    names = tuple(reversed(used))  # in the order of the text
    return Template(dialect, sql, names, tuple(name for name in names if name in types.lists), columns)


_MARK = "\ue000"
"""A private-use character that marks placeholders while SQL is generated; statements may not contain it."""


def _rewrite(node: exp.Expr, dialect: str, types: ParameterTypes, used: dict[str, None]) -> exp.Expr:
    if isinstance(node, exp.Placeholder):
        used.setdefault(node.name)
        if node.name in types.lists:
            return _marker(node.name)
        return _cast(_marker(node.name), types.scalars.get(node.name), dialect)
    if isinstance(node, exp.In) and isinstance(node.args.get("field"), exp.Var):
        marker = node.args["field"]
        word = types.lists.get(marker.name.strip(_MARK), "TEXT")
        return in_list(node.this, marker, word, dialect, node.args.get(COLLATION) or "")
    if isinstance(node, exp.StartsWith):
        return starts_with(node, dialect)
    if isinstance(node, exp.Filter) and dialect == "mysql":
        return _filtered(node)
    if isinstance(node, exp.Anonymous):
        return typed_function(node, dialect)
    return node


def _marker(name: str) -> exp.Expr:
    return exp.Var(this=f"{_MARK}{name}{_MARK}")


def _cast(node: exp.Expr, word: str | None, dialect: str) -> exp.Expr:
    found = _CAST_ON.get(dialect, {}).get(word or "")
    return exp.Cast(this=node, to=exp.DataType.build(found, dialect=SQLGLOT[dialect])) if found else node


def _filtered(node: exp.Filter) -> exp.Expr:
    """`SUM(x) FILTER (WHERE c)` as an aggregate of what is NULL elsewhere."""
    aggregate, condition = node.this.copy(), node.expression.this
    counted = aggregate.this
    every = isinstance(counted, exp.Star)
    inner = counted.expressions[0] if isinstance(counted, exp.Distinct) else counted
    value = exp.Literal.number(1) if every else inner.copy()
    case = exp.Case(ifs=[exp.If(this=condition.copy(), true=value)])
    inner.replace(case)
    return aggregate  # type: ignore[no-any-return]


def _with_placeholders(sql: str, dialect: str, used: Mapping[str, None]) -> str:
    if dialect in ("postgres", "mysql"):
        sql = sql.replace("%", "%%")  # the driver reads % as the start of a placeholder, also inside literals
    for name in used:
        placeholder = {"sqlite": f":{name}", "duckdb": f"${name}"}.get(dialect, f"%({name})s")
        sql = sql.replace(f"{_MARK}{name}{_MARK}", placeholder)
    return sql
