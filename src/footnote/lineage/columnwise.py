"""Computes a compiled expression over many rows at once: the same values as `evaluate` gives row by row, or none at all.

Whole columns of numbers, of texts, of days are compared and added up without taking the expression apart for each row.
Whatever is not as simple as that (a column of mixed types, a moment with a zone, the order of two texts) is left to
`evaluate`, so that there is one meaning of an expression: what is computed here must equal it, and tests say so.
"""

from __future__ import annotations

import datetime as dt
import decimal
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from footnote.lineage.evaluate import CONSTANTS, EXACT, apply_function, as_written
from footnote.lineage.expressions import Expr, NotComputable

_NONE = type(None)
_NUMBER = frozenset((int, Decimal))
_CLASSES: tuple[frozenset[type], ...] = (_NUMBER, frozenset((str,)), frozenset((dt.date,)), frozenset((bool,)))
_TEXT, _DAY, _TRUTH = _CLASSES[1:]


class _NotSimpleError(Exception):
    """The expression, or its values here, are to be computed row by row."""


@dataclass(frozen=True, slots=True)
class _Column:
    """The values of one expression: their types (NULL aside), whether there are NULLs, whether all are one constant."""

    values: Sequence[Any]
    kinds: frozenset[type]
    nulls: bool
    constant: bool = False


class Columns:
    """Rows as columns, by kind of leaf.

    Args:
        leaves: Columns by kind of leaf, such as `col`, `arg` and `sub`.
        size: How many rows.
        parameters: Bound parameters by name.
    """

    def __init__(self, leaves: Mapping[str, Sequence[Sequence[Any]]], size: int, parameters: Mapping[str, Any]) -> None:
        self._leaves = leaves
        self._size = size
        self._parameters = parameters
        self._known: dict[tuple[str, int], _Column] = {}

    def values(self, expr: Expr) -> Sequence[Any] | None:
        """The expression's value for each row; None if it must be computed row by row."""
        try:
            with decimal.localcontext(EXACT):
                return self._column(expr).values
        except (_NotSimpleError, NotComputable, decimal.DecimalException):
            return None

    def truths(self, expr: Expr) -> Sequence[bool | None] | None:
        """The same of a condition, where numbers are conditions too."""
        try:
            with decimal.localcontext(EXACT):
                return _truths(self._column(expr)).values
        except (_NotSimpleError, NotComputable, decimal.DecimalException):
            return None

    def _column(self, expr: Expr) -> _Column:
        head = expr[0]
        if head in self._leaves:
            return self._leaf(head, expr[1])
        if head == "param":
            return self._constant(self._parameters.get(expr[1]))
        if head in CONSTANTS:
            return self._constant(CONSTANTS[head](expr))
        if head == "case":
            return self._case(expr)
        if head in ("in", "inlist"):
            return self._in(expr)
        parts = [self._column(item) for item in expr[1:]]
        if head in _FORMS:
            return _FORMS[head](*parts)
        return self._by_value(head, parts)

    def _leaf(self, kind: str, place: int) -> _Column:
        found = self._known.get((kind, place))
        if found is None:
            found = self._known[kind, place] = _column_of(self._leaves[kind][place])
        return found

    def _constant(self, value: Any) -> _Column:
        kinds = frozenset(() if value is None else (type(value),))
        return _Column([value] * self._size, kinds, value is None, constant=True)

    def _case(self, expr: Expr) -> _Column:
        out = self._column(expr[2])
        for test, value in reversed(expr[1]):
            holds, then = _truths(self._column(test)).values, self._column(value)
            values = [b if a else c for a, b, c in zip(holds, then.values, out.values, strict=True)]
            out = _Column(values, then.kinds | out.kinds, then.nulls or out.nulls)
        return out

    def _in(self, expr: Expr) -> _Column:
        value = self._column(expr[1])
        if expr[0] == "inlist":
            given = self._parameters.get(expr[2][1]) if expr[2][0] == "param" else None
            if not isinstance(given, tuple | list):
                raise _NotSimpleError
            items = [self._constant(item) for item in given]
        else:
            items = [self._column(item) for item in expr[2:]]
        if not self._size or any(not item.constant for item in items):
            raise _NotSimpleError
        pairs = [_comparable(value, item) for item in items if item.kinds]
        among = {pair[1].values[0] for pair in pairs}
        missed = None if any(not item.kinds for item in items) else False
        found = [None if v is None else True if v in among else missed for v in value.values]
        return _Column(found, _TRUTH, value.nulls or missed is None)

    def _by_value(self, head: str, parts: Sequence[_Column]) -> _Column:
        """A function that is computed for each row, its arguments for all rows at once."""
        return _column_of(
            [apply_function(head, list(row)) for row in zip(*(part.values for part in parts), strict=True)]
        )


def _column_of(values: Sequence[Any]) -> _Column:
    kinds = frozenset(map(type, values))
    return _Column(values, kinds - {_NONE}, _NONE in kinds)


def _class_of(column: _Column) -> frozenset[type]:
    """The one class of a column's values, within which Python compares as SQL does."""
    for kinds in _CLASSES:
        if column.kinds <= kinds:
            return kinds
    raise _NotSimpleError


def _comparable(a: _Column, b: _Column) -> tuple[_Column, _Column]:
    """Two columns of one class; a day written as a text is read as the day."""
    if a.kinds and b.kinds and _class_of(a) is not _class_of(b):
        a, b = _as_day(a, b), _as_day(b, a)
        if _class_of(a) is not _class_of(b):
            raise _NotSimpleError
    else:
        _class_of(a), _class_of(b)
    return a, b


def _as_day(column: _Column, other: _Column) -> _Column:
    if not column.constant or column.kinds != _TEXT or other.kinds != _DAY or not column.values:
        return column
    day = as_written(column.values[0], dt.date.min)
    return _Column([day] * len(column.values), frozenset((type(day),)), nulls=False, constant=True)


def _mapped(function: Callable[..., Any], a: _Column, b: _Column, kinds: frozenset[type]) -> _Column:
    if not a.nulls and not b.nulls:
        return _Column(list(map(function, a.values, b.values)), kinds, nulls=False)
    pairs = zip(a.values, b.values, strict=True)
    return _Column([None if x is None or y is None else function(x, y) for x, y in pairs], kinds, nulls=True)


def _equality(function: Callable[[Any, Any], bool]) -> Callable[..., _Column]:
    return lambda a, b: _mapped(function, *_comparable(a, b), _TRUTH)


def _order(function: Callable[[Any, Any], bool]) -> Callable[..., _Column]:
    def compared(a: _Column, b: _Column) -> _Column:
        a, b = _comparable(a, b)
        if (a.kinds | b.kinds) & (_TEXT | _TRUTH):
            raise _NotSimpleError
        return _mapped(function, a, b, _TRUTH)

    return compared


def _arithmetic(function: Callable[[Any, Any], Any]) -> Callable[..., _Column]:
    def computed(a: _Column, b: _Column) -> _Column:
        if not (a.kinds | b.kinds) <= _NUMBER:
            raise _NotSimpleError
        return _mapped(function, a, b, a.kinds | b.kinds)

    return computed


def _negative(a: _Column) -> _Column:
    if not a.kinds <= _NUMBER:
        raise _NotSimpleError
    return _Column([None if value is None else -value for value in a.values], a.kinds, a.nulls)


def _truths(column: _Column) -> _Column:
    if column.kinds <= _TRUTH:
        return column
    if not column.kinds <= _NUMBER:
        raise _NotSimpleError
    return _Column([None if value is None else value != 0 for value in column.values], _TRUTH, column.nulls)


def _not(a: _Column) -> _Column:
    a = _truths(a)
    return _Column([None if value is None else not value for value in a.values], _TRUTH, a.nulls)


def _both(a: _Column, b: _Column) -> _Column:
    a, b = _truths(a), _truths(b)
    if not a.nulls and not b.nulls:
        return _Column(list(map(operator.and_, a.values, b.values)), _TRUTH, nulls=False)
    pairs = zip(a.values, b.values, strict=True)
    values = [False if x is False or y is False else None if x is None or y is None else True for x, y in pairs]
    return _Column(values, _TRUTH, nulls=True)


def _either(a: _Column, b: _Column) -> _Column:
    return _not(_both(_not(a), _not(b)))


def _is_null(a: _Column) -> _Column:
    values = [value is None for value in a.values] if a.nulls else [False] * len(a.values)
    return _Column(values, _TRUTH, nulls=False)


def _coalesce(*parts: _Column) -> _Column:
    out = parts[-1]
    for part in reversed(parts[:-1]):
        values = (
            [b if a is None else a for a, b in zip(part.values, out.values, strict=True)] if part.nulls else part.values
        )
        out = _Column(values, part.kinds | out.kinds, part.nulls and out.nulls)
    return out


def _padded(a: _Column) -> _Column:
    if not a.kinds <= _TEXT:
        raise _NotSimpleError
    return _Column([None if value is None else value.rstrip(" ") for value in a.values], a.kinds, a.nulls)


_FORMS: dict[str, Callable[..., _Column]] = {
    "+": _arithmetic(operator.add),
    "-": _arithmetic(operator.sub),
    "*": _arithmetic(operator.mul),
    "neg": _negative,
    "=": _equality(operator.eq),
    "<>": _equality(operator.ne),
    "<": _order(operator.lt),
    "<=": _order(operator.le),
    ">": _order(operator.gt),
    ">=": _order(operator.ge),
    "and": _both,
    "or": _either,
    "not": _not,
    "isnull": _is_null,
    "coalesce": _coalesce,
    "padded": _padded,
}
