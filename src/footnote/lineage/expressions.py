"""Row expressions outside the engine: compiled from SQL to plain data, evaluated in exact arithmetic.

Recomputing an expression from its base columns is the only check of a figure that does not depend on the engine that
computed it, so the set of functions is closed and small, and whatever is outside it is `NotComputable` and said so.
NULL follows SQL's three-valued logic. Compiled expressions are nested lists, so that plans can be kept as JSON.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlglot import exp

Expr = list[Any]
"""`["+", a, b]`, `["col", 3]`, `["param", "asOf"]`, `["num", "1.5"]`, …"""

EXACT = decimal.Context(prec=200, traps=[decimal.Inexact, decimal.InvalidOperation, decimal.Overflow])
"""Arithmetic that raises rather than rounds."""


class NotComputable(Exception):
    """The expression is outside the closed set, or these values are; it can only be taken from the engine."""


# --- compiling --------------------------------------------------------------------------------------------------------

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
        return ["isnull", compile_expression(node.this, leaf)]
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
    if isinstance(node, exp.Anonymous) and node.name.lower() in _FUNCTIONS:
        return [node.name.lower(), *(compile_expression(item, leaf) for item in node.expressions)]
    return None


# --- evaluating -------------------------------------------------------------------------------------------------------


def evaluate(expr: Expr, row: Mapping[str, Sequence[Any]], parameters: Mapping[str, Any]) -> Any:
    """The value of a compiled expression.

    Args:
        expr: What `compile_expression` gave.
        row: Values by kind of leaf: `col` (base columns), `agg`, `key`, `arg`.
        parameters: Bound parameters by name.

    Raises:
        NotComputable: If the values are outside what Python and SQL agree on (such as the order of two texts).
    """
    head = expr[0]
    if head in row:
        return row[head][expr[1]]
    if head == "param":
        return parameters.get(expr[1])
    if head in _CONSTANTS:
        return _CONSTANTS[head](expr)
    if head in ("and", "or", "not"):
        return _logic(expr, row, parameters)
    if head == "case":
        return _case(expr, row, parameters)
    if head == "coalesce":
        return next((v for item in expr[1:] if (v := evaluate(item, row, parameters)) is not None), None)
    return _apply(head, [evaluate(item, row, parameters) for item in expr[1:]])


def _case(expr: Expr, row: Mapping[str, Sequence[Any]], parameters: Mapping[str, Any]) -> Any:
    for test, value in expr[1]:
        if evaluate(test, row, parameters) is True:
            return evaluate(value, row, parameters)
    return evaluate(expr[2], row, parameters)


_CONSTANTS: dict[str, Callable[[Expr], Any]] = {
    "num": lambda expr: Decimal(expr[1]) if any(c in expr[1] for c in ".eE") else int(expr[1]),
    "text": lambda expr: expr[1],
    "bool": lambda expr: expr[1],
    "null": lambda _: None,
}


def _logic(expr: Expr, row: Mapping[str, Sequence[Any]], parameters: Mapping[str, Any]) -> bool | None:
    left = evaluate(expr[1], row, parameters)
    if expr[0] == "not":
        return None if left is None else not left
    decisive = expr[0] == "or"
    if left is decisive:
        return decisive
    right = evaluate(expr[2], row, parameters)
    if right is decisive:
        return decisive
    return None if left is None or right is None else not decisive


def _apply(name: str, values: list[Any]) -> Any:
    if name == "isnull":
        return values[0] is None
    if name == "in":
        return _in(values[0], values[1:])
    if name == "inlist":
        return _in(values[0], list(values[1] or ()))
    if any(value is None for value in values):
        return values[0] if name == "nullif" else None
    function = _OPERATORS.get(name) or _FUNCTIONS.get(name)
    if function is None:
        raise NotComputable(name)
    return function(*values)


def _in(value: Any, items: list[Any]) -> bool | None:
    if value is None:
        return None
    tests = [None if item is None else _equal(value, item) for item in items]
    return True if True in tests else None if None in tests else False


def _pair(a: Any, b: Any) -> tuple[Any, Any]:
    """Two values that Python can compare as SQL does."""
    for kinds in ((bool,), (int, Decimal), (str,)):
        if _is(a, kinds) and _is(b, kinds):
            return a, b
    if isinstance(a, dt.date) and isinstance(b, dt.date):
        if isinstance(a, dt.datetime) == isinstance(b, dt.datetime):
            if isinstance(a, dt.datetime) and isinstance(b, dt.datetime) and (a.tzinfo is None) != (b.tzinfo is None):
                raise NotComputable("times with and without a zone")
            return a, b
        a, b = _midnight(a), _midnight(b)
        if a.tzinfo is None and b.tzinfo is None:
            return a, b
    raise NotComputable(f"{type(a).__name__} and {type(b).__name__}")


def _is(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _midnight(value: dt.date) -> dt.datetime:
    return value if isinstance(value, dt.datetime) else dt.datetime.combine(value, dt.time())


def _equal(a: Any, b: Any) -> bool:
    a, b = _pair(a, b)
    return bool(a == b)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def test(a: Any, b: Any) -> bool:
        a, b = _pair(a, b)
        if isinstance(a, str):
            raise NotComputable("the order of two texts depends on the collation")
        return compare(a, b)

    return test


def _number(value: Any) -> int | Decimal:
    if _is(value, (int, Decimal)):
        return value  # type: ignore[no-any-return]  # narrowed by _is
    raise NotComputable(f"arithmetic on {type(value).__name__}")


def _arithmetic(exact_int: Callable[[int, int], int], exact: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., Any]:
    def compute(a: Any, b: Any) -> int | Decimal:
        a, b = _number(a), _number(b)
        if isinstance(a, int) and isinstance(b, int):
            return exact_int(a, b)
        try:
            return exact(Decimal(a), Decimal(b))
        except decimal.DecimalException as error:
            raise NotComputable("a value with too many digits") from error

    return compute


def _date(value: Any) -> dt.date:
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            raise NotComputable("the date of a time with a zone depends on the session's zone")
        return value.date()
    if isinstance(value, dt.date):
        return value
    raise NotComputable(f"a date from {type(value).__name__}")


_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": _arithmetic(lambda a, b: a + b, EXACT.add),
    "-": _arithmetic(lambda a, b: a - b, EXACT.subtract),
    "*": _arithmetic(lambda a, b: a * b, EXACT.multiply),
    "neg": lambda a: -a if isinstance(_number(a), int) else EXACT.minus(a),
    "=": _equal,
    "<>": lambda a, b: not _equal(a, b),
    "<": _ordered(lambda a, b: bool(a < b)),
    "<=": _ordered(lambda a, b: bool(a <= b)),
    ">": _ordered(lambda a, b: bool(a > b)),
    ">=": _ordered(lambda a, b: bool(a >= b)),
    "abs": lambda a: abs(a) if isinstance(_number(a), int) else a.copy_abs(),
    "nullif": lambda a, b: None if _equal(a, b) else a,
}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "days_between": lambda later, earlier: (_date(later) - _date(earlier)).days,
    "month_of": lambda value: f"{_date(value).year:04d}-{_date(value).month:02d}",
    "quarter_of": lambda value: f"{_date(value).year:04d}-Q{(_date(value).month + 2) // 3}",
    "year_of": lambda value: _date(value).year,
    "starts_with": lambda text, start: str(text).startswith(str(start)),
    "money": lambda value: _number(value),
}
