"""The guard: proves on the tree that a statement is one harmless SELECT.

What is returned is the tree without its comments. Whoever runs it generates SQL from the tree, so that what was proved
and what is run are the same thing. `catalog.sql_text` has what is refused before parsing, `catalog.functions` what may
stand in a tree, `catalog.faithful` what engines would silently do differently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import cast

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError

from footnote.catalog import functions
from footnote.catalog.place import Place
from footnote.catalog.sql_text import (
    Segment,
    line_of,
    placeholders_in,
    refusal,
    refuse_odd_text,
    render,
    split_optional,
    tokens,
)
from footnote.catalog.tree import PARSE_ERRORS, depth_of, line_in, shown

__all__ = [
    "Segment",
    "parse_row_expression",
    "parse_statement",
    "placeholders_in",
    "render",
    "split_optional",
    "typed_function",
]

_DEEPEST = 150
_ONLY_SELECT = "A statement is one SELECT: it reads, and does nothing else."
_NAMING = (exp.TableAlias, exp.Table, exp.From, exp.Join, exp.Column, exp.Ordered, exp.Group)
_ODD_TABLE = re.compile(r"[/\\.:*?\"'`]")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?\Z")


def parse_statement(sql: str, dialect: str, where: Place) -> exp.Query:
    """The tree of one harmless SELECT (or WITH … SELECT, UNION, EXCEPT, INTERSECT), without comments.

    Args:
        sql: The text, with its optional segments already kept or dropped (`render`).
        dialect: The dialect it is written in.
        where: Where the text starts in the catalog.

    Raises:
        StatementRefused: It is anything else, with file, line and what would work.
    """
    refuse_odd_text(sql, where)
    first = next((token for token in tokens(sql) if token.kind != "comment" and not token.text.isspace()), None)
    if first is None or first.text.upper() not in {"SELECT", "WITH"}:
        begins = f"The statement begins with `{first.text}`." if first else "The statement is empty."
        place = where.at(line_of(sql, first.start)) if first else where
        raise refusal(place, begins, "Write one SELECT, without parentheses around it.", _ONLY_SELECT)
    tree = _parse(sql.rstrip().removesuffix(";"), dialect, where)
    if not isinstance(tree, exp.Select | exp.SetOperation):
        raise refusal(where, f"The statement is {_kind(tree)}.", "Write one SELECT.", _ONLY_SELECT)
    _prove(tree, sql, where)
    return cast("exp.Query", tree)


def parse_row_expression(sql: str, dialect: str, where: Place) -> exp.Expr:
    """The tree of an expression over the columns of one row: no aggregate, sub-select or placeholder.

    Raises:
        StatementRefused: It is anything else.
    """
    refuse_odd_text(sql, where)
    tree = _parse(f"SELECT {sql}", dialect, where)
    bare = isinstance(tree, exp.Select) and not any(v for k, v in tree.args.items() if k != "expressions")
    if not isinstance(tree, exp.Select) or not bare or len(tree.expressions) != 1:
        what = "`sql` of a field is not one expression over the columns of its row."
        raise refusal(where, what, "Write an expression, such as `amount - paid`.")
    _prove(tree, sql, where)
    expression: exp.Expr = tree.expressions[0].pop()
    kinds = (exp.AggFunc, exp.Query, exp.Placeholder, exp.Window, exp.Alias)
    if found := next((node for node in expression.walk() if isinstance(node, kinds)), None):
        what = f"`{shown(found)}` cannot stand in `sql` of a field."
        raise refusal(where, what, "It is computed from one row: no aggregates, sub-selects, parameters or aliases.")
    return expression


def typed_function(node: exp.Expr) -> tuple[str, list[exp.Expr]] | None:
    """Name and arguments if `node` is a call of one of Footnote's own functions."""
    if isinstance(node, exp.StartsWith):
        return "starts_with", [node.this, node.expression]
    if isinstance(node, exp.Anonymous) and isinstance(node.this, str):
        name = node.this.casefold()
        if name in functions.TYPED_FUNCTIONS:
            return name, list(node.expressions)
    return None


def _parse(sql: str, dialect: str, where: Place) -> exp.Expr | None:
    try:
        trees = sqlglot.parse(sql, read=dialect)
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        what = f"The statement does not parse as {dialect}: {first.get('description', 'it is not SQL')}."
        remedy = f"Look near `{first.get('highlight', '')}`." if first.get("highlight") else ""
        raise refusal(where.at(int(first.get("line") or 1)), what, remedy) from None
    except PARSE_ERRORS:
        what = f"The statement does not parse as {dialect}."
        raise refusal(where, what, "Check its quotes and parentheses; nest less deeply.") from None
    if len(trees) != 1:
        what = "There is no statement." if not trees else "There is more than one statement."
        raise refusal(where, what, "Write one SELECT.", _ONLY_SELECT)
    return trees[0]


def _prove(tree: exp.Expr, sql: str, where: Place) -> None:
    if depth_of(tree) > _DEEPEST:
        what = f"The statement is nested deeper than {_DEEPEST} levels."
        raise refusal(where, what, "Nest less deeply; write long lists of alternatives as IN (…).")
    for node in tree.walk():
        node.comments = None
        here = where.at(line_in(node))
        if type(node) not in functions.ALLOWED and typed_function(node) is None:
            raise _refused_node(node, here)
        _refuse_parts(node, here)
        check = _CHECKS.get(type(node))
        if check is not None:
            check(node, here)
    found = frozenset(str(node.this) for node in tree.find_all(exp.Placeholder))
    if found != placeholders_in(sql):
        what = "A colon stands where it is not read as a parameter."
        raise refusal(where, what, "Write :name for a parameter, with a space before the colon.")


def _refused_node(node: exp.Expr, here: Place) -> Exception:
    name = _function_name(node)
    if isinstance(node, functions.UNSTABLE) or (name and name.casefold() in functions.UNSTABLE_NAMES):
        what = f"`{shown(node)}` gives another value each time, or reads the clock."
        return refusal(here, what, "Declare a parameter with `default: today` and use it.")
    if isinstance(node, exp.With | exp.Query):
        return refusal(here, f"`{shown(node)}` is not allowed in a statement.", "Write SELECT … FROM tables.")
    if name:
        what = f"`{name}` is not a function that a statement may use."
        return refusal(here, what, f"Use {functions.FUNCTION_NAMES}.")
    return refusal(here, f"{_capital(_kind(node))} is not allowed in a statement.", "Write one SELECT.", _ONLY_SELECT)


def _refuse_parts(node: exp.Expr, here: Place) -> None:
    parts = functions.ALLOWED_PARTS.get(type(node))
    if parts is None:
        return
    odd = next((key for key, value in node.args.items() if value and key not in parts), None)
    if odd is not None:
        named = _PART_NAMES.get(odd, odd.strip("_").upper().replace("_", " "))
        what = f"{named} is not allowed in `{shown(node)}`."
        remedy = _PART_ADVICE.get(odd, "Write a plain SELECT … FROM … JOIN … WHERE … GROUP BY … ORDER BY.")
        raise refusal(here, what, remedy)


_PART_NAMES = {"spec": "A window frame (ROWS or RANGE BETWEEN …)"}
_PART_ADVICE = {
    "spec": "Leave it out: a window with ORDER BY runs from its first row to this one and its peers.",
    "locks": "A statement only reads: remove FOR UPDATE.",
    "into": "A statement only reads: remove INTO.",
    "recursive": "Write the steps as joins.",
    "offset": "Return all rows; a host pages through them.",
    "method": "Write JOIN … ON with the columns.",
    "catalog": "Name the schema and the table only.",
    "on": "Use GROUP BY and MIN or MAX instead of DISTINCT ON.",
    "expressions": "Give it one argument; use greatest or least for several.",
}


def _check_select(node: exp.Expr, here: Place) -> None:
    if not node.expressions:
        raise refusal(here, "The SELECT names no column.", "Name the columns after SELECT.")


def _check_in(node: exp.Expr, here: Place) -> None:
    field = node.args.get("field")
    if field is not None and not isinstance(field, exp.Placeholder):
        raise refusal(here, f"`{shown(node)}` looks into a table.", "Write IN (SELECT column FROM table) or IN :list.")


def _check_var(node: exp.Expr, here: Place) -> None:
    if not isinstance(node.parent, exp.Extract | exp.TimestampTrunc | exp.DateTrunc | exp.Interval):
        raise refusal(here, f"`{shown(node)}` is not a value.", "Write a column, a number, a 'text' or :name.")


def _check_star(node: exp.Expr, here: Place) -> None:
    if not isinstance(node.parent, exp.Count):
        raise refusal(here, "`*` stands for whatever columns the table has.", "Name the columns; in EXISTS write 1.")


def _check_column(node: exp.Expr, here: Place) -> None:
    if not isinstance(node.this, exp.Identifier):
        raise refusal(here, f"`{shown(node)}` does not name a column.", "Name the columns.")


def _check_table(node: exp.Expr, here: Place) -> None:
    if not isinstance(node.this, exp.Identifier):
        what = f"`{shown(node.this)}` in FROM is a function, not a table."
        raise refusal(here, what, "Read from tables and views of the source only.")
    if functions.is_system_table(f"{node.text('db')}.{node.name}".lstrip(".").casefold()):
        what = f"`{shown(node)}` belongs to the database itself."
        raise refusal(here, what, "Read from tables and views of the source only.")
    if _ODD_TABLE.search(node.name):
        raise refusal(here, f"`{node.name}` is a file or an address, not a table.", "Read from tables and views only.")


def _check_function(node: exp.Expr, here: Place) -> None:
    """One of Footnote's own functions: in an expression, with the right number of arguments."""
    name, arguments = typed_function(node) or ("", [])
    expected = functions.TYPED_FUNCTIONS[name]
    if isinstance(node.parent, exp.Table | exp.Dot) or len(arguments) != expected:
        what = f"`{shown(node)}` does not call {name} with {expected} argument{'s' if expected > 1 else ''}."
        raise refusal(here, what, f"Write {name}({', '.join('abc'[:expected])}).")


def _check_placeholder(node: exp.Expr, here: Place) -> None:
    if not isinstance(node.this, str) or not node.this:
        raise refusal(here, f"`{shown(node)}` is a placeholder without a name.", "Write :name for a parameter.")
    if node.arg_key == "alias" or isinstance(node.parent, _NAMING):
        what = f"`:{node.this}` stands where a name or an order should."
        raise refusal(here, what, "A parameter is a value: compare it with a column.")


def _check_limit(node: exp.Expr, here: Place) -> None:
    number = node.args.get("expression")
    if not isinstance(number, exp.Literal) or number.is_string or not str(number.this).isdigit():
        raise refusal(here, f"`{shown(node)}` is not a number of rows.", "Write LIMIT and a number.")
    if node.parent is None or not node.parent.args.get("order"):
        what = "LIMIT without ORDER BY keeps whichever rows the engine likes."
        raise refusal(here, what, "Add ORDER BY with columns that make the order unique.")


def _check_cast(node: exp.Expr, here: Place) -> None:
    kind = node.args["to"]
    name = kind.this.name if isinstance(kind, exp.DataType) and hasattr(kind.this, "name") else ""
    if name not in functions.ALLOWED_CASTS or kind.args.get("nested"):
        remedy = "Use text, integer, bigint, boolean, decimal, date or timestamp; a float is never exact."
        raise refusal(here, f"`{shown(node)}` casts to a type that a statement may not use.", remedy)
    constant = name in {"DATE", "TIMESTAMP", "TIMESTAMPTZ"} and isinstance(node.this, exp.Literal)
    if constant and not _ISO_DATE.match(str(node.this.this)):
        raise refusal(here, f"`{shown(node)}` is not a date in ISO form.", "Write DATE '2026-08-14'.")


def _check_literal(node: exp.Expr, here: Place) -> None:
    text = str(node.this)
    if node.args.get("is_string"):
        if text.strip().casefold() in functions.UNSTABLE_TEXTS:
            what = f"'{text}' is read as a date of its own where a date is expected."
            raise refusal(here, what, "Declare a parameter with `default: today` and use it.")
    elif not text.replace(".", "", 1).isdigit():
        raise refusal(here, f"The number {text} is not exact.", "Write it in decimal digits, such as 0.001.")


def _check_join(node: exp.Expr, here: Place) -> None:
    kind, side = (str(node.args.get(key) or "").upper() for key in ("kind", "side"))
    if kind not in {"", "INNER", "CROSS", "OUTER"} or side not in {"", "LEFT", "RIGHT", "FULL"}:
        raise refusal(
            here, f"`{shown(node)}` is a join of another kind.", "Use INNER, LEFT, RIGHT, FULL or CROSS JOIN."
        )


def _check_lateral(node: exp.Expr, here: Place) -> None:
    if not isinstance(node.this, exp.Subquery):
        raise refusal(here, f"`{shown(node)}` is a function in FROM.", "Write LATERAL (SELECT …).")


_CHECKS: Mapping[type[exp.Expr], Callable[[exp.Expr, Place], None]] = {
    exp.Select: _check_select,
    exp.In: _check_in,
    exp.Var: _check_var,
    exp.Star: _check_star,
    exp.Column: _check_column,
    exp.Table: _check_table,
    exp.Anonymous: _check_function,
    exp.StartsWith: _check_function,
    exp.Placeholder: _check_placeholder,
    exp.Limit: _check_limit,
    exp.Cast: _check_cast,
    exp.Literal: _check_literal,
    exp.Join: _check_join,
    exp.Lateral: _check_lateral,
}


def _function_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.this)
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Anonymous):
        return str(node.expression.this)
    return node.sql_name().lower() if isinstance(node, exp.Func) and not isinstance(node, exp.Connector) else ""


def _kind(node: exp.Expr | None) -> str:
    """What a node is, in words: `a DELETE`, `an INSERT`."""
    if node is None:
        return "empty"
    name = str(node.this) if isinstance(node, exp.Command) else type(node).__name__
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).upper()
    return f"{'an' if word[:1] in 'AEIOU' else 'a'} {word}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
