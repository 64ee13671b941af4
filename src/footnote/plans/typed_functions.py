"""Footnote's own functions (`days_between`, `month_of`, …) in each engine's form.

They stand where engines silently differ (`date - date` is 1 on SQLite where 227 is true), so each has one meaning, and a
translation per engine that tests compare with Python.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from footnote.catalog.functions import TYPED_FUNCTIONS
from footnote.errors import StatementRefused


def typed_function(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """The call in an engine's form; what is none of Footnote's functions is left as it is.

    Raises:
        StatementRefused: The engine has no faithful form for it.
    """
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


def starts_with(node: exp.StartsWith, dialect: str) -> exp.Expr:
    """Whether a text begins with another, letter by letter."""
    if dialect == "sqlite":
        head = _call("SUBSTR", node.this, exp.Literal.number(1), _call("LENGTH", node.expression.copy()))
        return exp.Paren(this=exp.EQ(this=head, expression=node.expression))
    if dialect == "mysql":
        text, start = as_bytes(node.this), as_bytes(node.expression)
        head = exp.Left(this=text, expression=exp.Length(this=start.copy(), binary=True))
        return exp.Paren(this=exp.EQ(this=head, expression=start))
    return node


def as_bytes(node: exp.Expr) -> exp.Expr:
    """For MySQL: a text as its letters in UTF-8, which compare without a collation."""
    text = exp.Cast(this=node, to=exp.DataType.build("CHAR CHARACTER SET utf8mb4", dialect="mysql", udt=True))
    return exp.Cast(this=text, to=exp.DataType.build("BINARY", dialect="mysql"))


def _date(node: exp.Expr) -> exp.Expr:
    return exp.cast(node, "DATE")


def _call(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _integer(node: exp.Expr) -> exp.Expr:
    return exp.cast(node, "INT")


def _text(value: str) -> exp.Expr:
    return exp.Literal.string(value)


def _joined(*parts: exp.Expr) -> exp.Expr:
    whole = parts[0]
    for part in parts[1:]:
        whole = exp.DPipe(this=whole, expression=part)
    return exp.Paren(this=whole)


def _sqlite_days_between(later: exp.Expr, earlier: exp.Expr) -> exp.Expr:
    """Julian days of two midnights differ by a whole number, which a float of that size holds exactly."""
    days = [_call("JULIANDAY", _call("DATE", node)) for node in (later, earlier)]
    return _integer(exp.Paren(this=exp.Sub(this=days[0], expression=days[1])))


def _sqlite_quarter(node: exp.Expr) -> exp.Expr:
    month = _integer(_call("STRFTIME", _text("%m"), node.copy()))
    quarter = exp.Div(this=exp.Paren(this=month + 2), expression=exp.Literal.number(3), typed=True)
    return _joined(_call("STRFTIME", _text("%Y"), node), _text("-Q"), _integer(quarter))


_FUNCTIONS: dict[tuple[str, str], Callable[..., exp.Expr]] = {
    ("days_between", "postgres"): lambda later, earlier: exp.Paren(
        this=exp.Sub(this=_date(later), expression=_date(earlier))
    ),
    ("days_between", "sqlite"): _sqlite_days_between,
    ("days_between", "mysql"): lambda later, earlier: _call("DATEDIFF", _date(later), _date(earlier)),
    ("days_between", "duckdb"): lambda later, earlier: _call("DATE_DIFF", _text("day"), _date(earlier), _date(later)),
    ("month_of", "postgres"): lambda node: _call("TO_CHAR", _date(node), _text("YYYY-MM")),
    ("month_of", "sqlite"): lambda node: _call("STRFTIME", _text("%Y-%m"), node),
    ("month_of", "mysql"): lambda node: _call("DATE_FORMAT", _date(node), _text("%Y-%m")),
    ("month_of", "duckdb"): lambda node: _call("STRFTIME", _date(node), _text("%Y-%m")),
    ("quarter_of", "postgres"): lambda node: _call("TO_CHAR", _date(node), _text('YYYY"-Q"Q')),
    ("quarter_of", "sqlite"): _sqlite_quarter,
    ("quarter_of", "mysql"): lambda node: _call(
        "CONCAT", _call("DATE_FORMAT", _date(node), _text("%Y")), _text("-Q"), _call("QUARTER", _date(node.copy()))
    ),
    ("quarter_of", "duckdb"): lambda node: _joined(
        _call("STRFTIME", _date(node), _text("%Y")), _text("-Q"), _call("QUARTER", _date(node.copy()))
    ),
    ("year_of", "postgres"): lambda node: _integer(exp.Extract(this=exp.var("YEAR"), expression=_date(node))),
    ("year_of", "sqlite"): lambda node: _integer(_call("STRFTIME", _text("%Y"), node)),
    ("year_of", "mysql"): lambda node: _call("YEAR", _date(node)),
    ("year_of", "duckdb"): lambda node: _call("YEAR", _date(node)),
    # Of the others, a decimal without digits means one of few digits; a number is exact as it is.
    ("money", "postgres"): lambda node: exp.cast(node, "DECIMAL"),
    ("money", "sqlite"): lambda node: node,
    ("money", "mysql"): lambda node: node,
    ("money", "duckdb"): lambda node: node,
}
