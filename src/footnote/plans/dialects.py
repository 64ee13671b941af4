"""Trees to SQL that a driver runs: typed functions, parameters and lists in each engine's own form.

The typed functions are where engines silently differ (`date - date` is 1 on SQLite where 227 is true), so each has one
meaning, and a translation per engine that tests compare with Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from footnote.catalog.functions import TYPED_FUNCTIONS
from footnote.catalog.model import Parameter
from footnote.errors import StatementRefused
from footnote.plans.shape import Template
from footnote.sources.query import Column

SQLGLOT = {"sqlite": "sqlite", "postgres": "postgres"}
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
_SQLITE_ITEMS = {"BIGINT": "INTEGER", "DECIMAL": "NUMERIC", "DATE": "TEXT", "TEXT": "TEXT"}


@dataclass(frozen=True, slots=True)
class ParameterTypes:
    """Types of the placeholders of an operation: SQL type names by placeholder, and which are lists.

    A placeholder is cast on PostgreSQL where its type is known, since it infers none for `:x IS NULL`; a text is left
    alone, so that it compares with any column.
    """

    scalars: Mapping[str, str]
    lists: Mapping[str, str]

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
        return cls(scalars, lists)


def template(tree: exp.Expr, dialect: str, types: ParameterTypes, columns: tuple[Column, ...]) -> Template:
    """The tree as a driver's SQL.

    Raises:
        StatementRefused: If the engine has no faithful form for something in it.
    """
    if dialect not in SQLGLOT:
        raise StatementRefused(f"Plans cannot be written for {dialect} yet.", remedy="Use postgres or sqlite.")
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
        return _in_list(node.this, marker, types.lists.get(marker.name.strip(_MARK), "TEXT"), dialect)
    if isinstance(node, exp.StartsWith) and dialect == "sqlite":
        return _sqlite_starts_with(node.this, node.expression)
    if isinstance(node, exp.Anonymous):
        return _typed_function(node, dialect)
    return node


def _marker(name: str) -> exp.Expr:
    return exp.Var(this=f"{_MARK}{name}{_MARK}")


def _cast(node: exp.Expr, word: str | None, dialect: str) -> exp.Expr:
    return exp.cast(node, word) if word and dialect == "postgres" else node


def _in_list(value: exp.Expr, marker: exp.Expr, word: str, dialect: str) -> exp.Expr:
    """`x IN :list` with the list as one bound value; a list of texts is of the type of `x`, as a single text is."""
    if dialect == "postgres":
        array = marker if word == "TEXT" else exp.Cast(this=marker, to=exp.DataType.build(f"{word}[]", udt=True))
        return exp.Paren(this=exp.EQ(this=value, expression=exp.Any(this=exp.Paren(this=array))))
    # A JSON text would equal no number unless a column on the left side says it is one.
    item: exp.Expr = exp.column("value")
    if word in _SQLITE_ITEMS:
        item = exp.Cast(this=item, to=exp.DataType.build(_SQLITE_ITEMS[word], udt=True))
    items = exp.select(item).from_(exp.func("JSON_EACH", marker, dialect="sqlite"))
    return exp.In(this=value, query=exp.Subquery(this=items))


def _with_placeholders(sql: str, dialect: str, used: Mapping[str, None]) -> str:
    if dialect == "postgres":
        sql = sql.replace("%", "%%")  # psycopg reads % as the start of a placeholder, also inside literals
    for name in used:
        placeholder = f"%({name})s" if dialect == "postgres" else f":{name}"
        sql = sql.replace(f"{_MARK}{name}{_MARK}", placeholder)
    return sql


# --- typed functions --------------------------------------------------------------------------------------------------


def _typed_function(node: exp.Anonymous, dialect: str) -> exp.Expr:
    name = node.name.lower()
    compiler = _FUNCTIONS.get((name, dialect))
    if compiler is not None:
        return compiler(*node.expressions)
    if name in TYPED_FUNCTIONS:
        raise StatementRefused(
            f"{name}(…) cannot stand in a statement for {dialect}.",
            why="The engine would round it." if name == "ratio" else "",
            remedy="Select its operands as columns, and compute the figure under `derive`.",
        )
    return node


def _date(node: exp.Expr) -> exp.Expr:
    return exp.cast(node, "DATE")


def _sqlite(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _integer(node: exp.Expr) -> exp.Expr:
    return exp.cast(node, "INT")


def _text(value: str) -> exp.Expr:
    return exp.Literal.string(value)


def _sqlite_days_between(later: exp.Expr, earlier: exp.Expr) -> exp.Expr:
    """Julian days of two midnights differ by a whole number, which a float of that size holds exactly."""
    days = [_sqlite("JULIANDAY", _sqlite("DATE", node)) for node in (later, earlier)]
    return _integer(exp.Paren(this=exp.Sub(this=days[0], expression=days[1])))


def _sqlite_quarter(node: exp.Expr) -> exp.Expr:
    month = _integer(_sqlite("STRFTIME", _text("%m"), node.copy()))
    quarter = exp.Div(this=exp.Paren(this=month + 2), expression=exp.Literal.number(3), typed=True)
    year = _sqlite("STRFTIME", _text("%Y"), node)
    return exp.Paren(this=exp.DPipe(this=exp.DPipe(this=year, expression=_text("-Q")), expression=_integer(quarter)))


def _sqlite_starts_with(text: exp.Expr, start: exp.Expr) -> exp.Expr:
    head = _sqlite("SUBSTR", text, exp.Literal.number(1), _sqlite("LENGTH", start.copy()))
    return exp.Paren(this=exp.EQ(this=head, expression=start))


_FUNCTIONS: dict[tuple[str, str], Callable[..., exp.Expr]] = {
    ("days_between", "postgres"): lambda later, earlier: exp.Paren(
        this=exp.Sub(this=_date(later), expression=_date(earlier))
    ),
    ("days_between", "sqlite"): _sqlite_days_between,
    ("month_of", "postgres"): lambda node: exp.Anonymous(this="TO_CHAR", expressions=[_date(node), _text("YYYY-MM")]),
    ("month_of", "sqlite"): lambda node: _sqlite("STRFTIME", _text("%Y-%m"), node),
    ("quarter_of", "postgres"): lambda node: exp.Anonymous(
        this="TO_CHAR", expressions=[_date(node), _text('YYYY"-Q"Q')]
    ),
    ("quarter_of", "sqlite"): _sqlite_quarter,
    ("year_of", "postgres"): lambda node: _integer(exp.Extract(this=exp.var("YEAR"), expression=_date(node))),
    ("year_of", "sqlite"): lambda node: _integer(_sqlite("STRFTIME", _text("%Y"), node)),
    ("money", "postgres"): lambda node: exp.cast(node, "DECIMAL"),
    ("money", "sqlite"): lambda node: node,
}
