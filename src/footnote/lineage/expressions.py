"""Row expressions compiled from SQL to plain data, so that `lineage.evaluate` can compute them outside the engine.

The set of functions is closed and small, and whatever is outside it is `NotComputable` and said so. Compiled
expressions are nested lists, so that plans can be kept as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlglot import exp

Expr = list[Any]
"""`["+", a, b]`, `["col", 3]`, `["param", "asOf"]`, `["num", "1.5"]`, …"""

TYPED_FUNCTIONS = frozenset({"days_between", "month_of", "quarter_of", "year_of", "starts_with", "money"})
"""Footnote's own functions that rows are recomputed with."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class NotComputable(Exception):
    """The expression is outside the closed set, or these values are; it can only be taken from the engine."""


Leaf = Callable[["exp.Expr"], Expr | None]
"""Gives the compiled form of a node it knows (a column, an aggregate, a group key), or None."""


def compile_expression(node: exp.Expr, leaf: Leaf) -> Expr:
    """Compile a qualified SQL expression.

    Args:
        node: The expression.
        leaf: Asked first at every node.

    Raises:
        NotComputable: If a node is outside the closed set.
    """
    found = leaf(node)
    if found is not None:
        return found
    for compiler in (_compile_leaf, _compile_operator, _compile_case, _compile_function):
        compiled = compiler(node, leaf)
        if compiled is not None:
            return compiled
    raise NotComputable(type(node).__name__)


def _compile_leaf(node: exp.Expr, leaf: Leaf) -> Expr | None:
    from sqlglot import exp

    if isinstance(node, exp.Paren):
        return compile_expression(node.this, leaf)
    if isinstance(node, exp.Placeholder):
        return ["param", node.name]
    if isinstance(node, exp.Literal):
        return ["text" if node.is_string else "num", node.this]
    if isinstance(node, exp.Null):
        return ["null"]
    if isinstance(node, exp.Boolean):
        return ["bool", bool(node.this)]
    return None


def _compile_operator(node: exp.Expr, leaf: Leaf) -> Expr | None:
    from sqlglot import exp

    binary: dict[type[exp.Expr], str] = {
        exp.Add: "+",
        exp.Sub: "-",
        exp.Mul: "*",
        exp.EQ: "=",
        exp.NEQ: "<>",
        exp.LT: "<",
        exp.LTE: "<=",
        exp.GT: ">",
        exp.GTE: ">=",
        exp.NullSafeEQ: "same",
        exp.NullSafeNEQ: "other",
        exp.And: "and",
        exp.Or: "or",
    }
    name = binary.get(type(node))
    if name is not None:
        return [name, compile_expression(node.this, leaf), compile_expression(node.expression, leaf)]
    if isinstance(node, exp.Neg):
        return ["neg", compile_expression(node.this, leaf)]
    if isinstance(node, exp.Not):
        return ["not", compile_expression(node.this, leaf)]
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        test: Expr = ["isnull", compile_expression(node.this, leaf)]
        return ["not", test] if node.args.get("negate") else test
    if node.args.get("negate"):  # which sqlglot sets where PostgreSQL has a word of its own, such as NOTNULL
        raise NotComputable(f"NOT {type(node).__name__}")
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean):
        return ["is", compile_expression(node.this, leaf), ["bool", bool(node.expression.this)]]
    if isinstance(node, exp.Between):
        value = compile_expression(node.this, leaf)
        low, high = (compile_expression(node.args[side], leaf) for side in ("low", "high"))
        return ["and", [">=", value, low], ["<=", value, high]]
    return _compile_in(node, leaf)


def _compile_in(node: exp.Expr, leaf: Leaf) -> Expr | None:
    from sqlglot import exp

    if not isinstance(node, exp.In) or node.args.get("query") is not None:
        return None
    value = compile_expression(node.this, leaf)
    field = node.args.get("field")
    if field is not None:
        return ["inlist", value, compile_expression(field, leaf)]
    return ["in", value, *(compile_expression(item, leaf) for item in node.expressions)]


def _compile_case(node: exp.Expr, leaf: Leaf) -> Expr | None:
    from sqlglot import exp

    if not isinstance(node, exp.Case):
        return None
    subject = compile_expression(node.this, leaf) if node.this is not None else None
    branches: list[Any] = []
    for branch in node.args["ifs"]:
        condition = compile_expression(branch.this, leaf)
        if subject is not None:
            condition = ["=", subject, condition]
        branches.append([condition, compile_expression(branch.args["true"], leaf)])
    default = node.args.get("default")
    return ["case", branches, ["null"] if default is None else compile_expression(default, leaf)]


def _compile_function(node: exp.Expr, leaf: Leaf) -> Expr | None:
    from sqlglot import exp

    if isinstance(node, exp.Coalesce):
        return ["coalesce", *(compile_expression(item, leaf) for item in (node.this, *node.expressions))]
    if isinstance(node, exp.Nullif):
        return ["nullif", compile_expression(node.this, leaf), compile_expression(node.expression, leaf)]
    if isinstance(node, exp.Abs):
        return ["abs", compile_expression(node.this, leaf)]
    if isinstance(node, exp.StartsWith):
        return ["starts_with", compile_expression(node.this, leaf), compile_expression(node.expression, leaf)]
    if isinstance(node, exp.Anonymous) and node.name.lower() in TYPED_FUNCTIONS:
        return [node.name.lower(), *(compile_expression(item, leaf) for item in node.expressions)]
    return _compile_date(node)


def _compile_date(node: exp.Expr) -> Expr | None:
    """A constant date, `DATE '2026-08-14'`; other casts differ between engines."""
    from sqlglot import exp

    if not isinstance(node, exp.Cast) or not isinstance(node.this, exp.Literal) or not node.this.is_string:
        return None
    return ["date", node.this.this] if node.to.this.name == "DATE" and _DAY.fullmatch(node.this.this) else None


def leaves_of(compiled: Expr, kind: str) -> set[int]:
    """The positions of all leaves of a kind in a compiled expression."""
    if compiled and compiled[0] == kind:
        return {compiled[1]}
    parts = (part for part in compiled if isinstance(part, list))
    return {place for part in parts for place in leaves_of(part, kind)}


_TERMS = ("+", "-", "neg", "abs", "coalesce")


Factors = frozenset[tuple[str, int]]
"""What is multiplied in one term: `sub` and `col` leaves, and `else` for anything else that is no constant."""


def _terms_of(compiled: Expr) -> set[Factors]:
    """What each term of a sum is made of; a constant is made of nothing."""
    kind, parts = compiled[0], compiled[1:]
    if kind in ("sub", "col"):
        return {frozenset({(kind, compiled[1])})}
    if kind in ("num", "param", "null", "text", "bool", "date"):
        return {frozenset()}
    if kind == "*":
        return {one | other for one in _terms_of(parts[0]) for other in _terms_of(parts[1])}
    if kind == "nullif":
        return _terms_of(parts[0])
    if kind == "case":
        parts = [*(branch[1] for branch in parts[0]), parts[1]]
    elif kind not in _TERMS:
        return {frozenset({("else", -1)})}
    return {term for part in parts for term in _terms_of(part)}


def alone_in(compiled: Expr, leaf: str = "sub") -> tuple[int, ...]:
    """The leaves that are terms of their own in a compiled sum, so that they are of its kind: no rate, no share."""
    alone = (next(iter(term)) for term in _terms_of(compiled) if len(term) == 1)
    return tuple(sorted(place for kind, place in alone if kind == leaf))


def is_of_subs(compiled: Expr) -> bool:
    """Whether a value is that of `sub` values as they stand, and nothing of the row's own."""
    terms = _terms_of(compiled)
    return any(terms) and all(len(term) <= 1 and all(kind == "sub" for kind, _ in term) for term in terms)
