"""Computes compiled expressions in exact arithmetic: the only check of a figure that does not depend on its engine.

NULL follows SQL's three-valued logic. What Python and SQL do not agree on (the order of two texts, a date of a time
with a zone) is `NotComputable`, never guessed.
"""

from __future__ import annotations

import datetime as dt
import decimal
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from footnote.lineage.expressions import Expr, NotComputable

EXACT = decimal.Context(prec=2_000, traps=[decimal.Inexact, decimal.InvalidOperation, decimal.Overflow])
"""Arithmetic that raises rather than rounds."""

_WRITTEN = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?", re.ASCII)

Values = Mapping[str, Sequence[Any]]
"""Values by kind of leaf: `col` (base columns), `agg` (aggregates), `key` (group keys), `arg` (contribution columns)."""


def evaluate(expr: Expr, row: Values, parameters: Mapping[str, Any]) -> Any:
    """The value of a compiled expression.

    Args:
        expr: What `compile_expression` gave.
        row: Values of its leaves.
        parameters: Bound parameters by name.

    Raises:
        NotComputable: If the values are outside what Python and SQL agree on (such as the order of two texts).
    """
    head = expr[0]
    if head in row:
        return row[head][expr[1]]
    if head == "padded":
        value = evaluate(expr[1], row, parameters)
        return value.rstrip(" ") if isinstance(value, str) else value
    if head == "param":
        return parameters.get(expr[1])
    if head in CONSTANTS:
        return CONSTANTS[head](expr)
    if head in ("and", "or", "not"):
        return _logic(expr, row, parameters)
    if head == "case":
        return _case(expr, row, parameters)
    if head == "coalesce":
        return next((v for item in expr[1:] if (v := evaluate(item, row, parameters)) is not None), None)
    return apply_function(head, [evaluate(item, row, parameters) for item in expr[1:]])


def _case(expr: Expr, row: Values, parameters: Mapping[str, Any]) -> Any:
    for test, value in expr[1]:
        if truth(evaluate(test, row, parameters)):
            return evaluate(value, row, parameters)
    return evaluate(expr[2], row, parameters)


CONSTANTS: dict[str, Callable[[Expr], Any]] = {
    "num": lambda expr: Decimal(expr[1]) if any(c in expr[1] for c in ".eE") else int(expr[1]),
    "text": lambda expr: expr[1],
    "bool": lambda expr: expr[1],
    "date": lambda expr: dt.date.fromisoformat(expr[1]),
    "null": lambda _: None,
}


def truth(value: Any) -> bool | None:
    """A condition's value; numbers are conditions on engines without a type for truth, where zero is false."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | Decimal):
        return value != 0
    raise NotComputable(f"a condition of {type(value).__name__}")


def _logic(expr: Expr, row: Values, parameters: Mapping[str, Any]) -> bool | None:
    left = truth(evaluate(expr[1], row, parameters))
    if expr[0] == "not":
        return None if left is None else not left
    decisive = expr[0] == "or"
    if left is decisive:
        return decisive
    right = truth(evaluate(expr[2], row, parameters))
    if right is decisive:
        return decisive
    return None if left is None or right is None else not decisive


def apply_function(name: str, values: list[Any]) -> Any:
    """A function or operator of values that are there already.

    Raises:
        NotComputable: As `evaluate`.
    """
    if name == "isnull":
        return values[0] is None
    if name == "is":
        return truth(values[0]) is values[1]
    if name in ("same", "other"):
        return _null_safe_equal(*values) is (name == "same")
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


def _null_safe_equal(a: Any, b: Any) -> bool:
    return a is b if a is None or b is None else _equal(a, b)


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
    a, b = as_written(a, b), as_written(b, a)
    if isinstance(a, dt.date) and isinstance(b, dt.date):
        if isinstance(a, dt.datetime) == isinstance(b, dt.datetime):
            if isinstance(a, dt.datetime) and isinstance(b, dt.datetime) and (a.tzinfo is None) != (b.tzinfo is None):
                raise NotComputable("times with and without a zone")
            return a, b
        a, b = _midnight(a), _midnight(b)
        if a.tzinfo is None and b.tzinfo is None:
            return a, b
    raise NotComputable(f"{type(a).__name__} and {type(b).__name__}")


def as_written(value: Any, other: Any) -> Any:
    """A day or moment that stands beside another as a text, `due_on > '2026-01-31'`, which every engine reads so."""
    if isinstance(value, str) and isinstance(other, dt.date) and _WRITTEN.fullmatch(value):
        try:
            return dt.datetime.fromisoformat(value) if len(value) > 10 else dt.date.fromisoformat(value)
        except ValueError:
            return value
    return value


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
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return value
    raise NotComputable(f"arithmetic on {type(value).__name__}")


def _arithmetic(
    exact_int: Callable[[int, int], int], exact: Callable[[Decimal, Decimal], Decimal]
) -> Callable[..., Any]:
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
    written = as_written(value, dt.date.min)
    if isinstance(written, dt.date):
        return _date(written)
    raise NotComputable(f"a date from {type(value).__name__}")


def _starts_with(text: Any, start: Any) -> bool:
    if isinstance(text, str) and isinstance(start, str):
        return text.startswith(start)
    raise NotComputable("the beginning of what is no text")


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
    "starts_with": _starts_with,
    "money": _number,
}
