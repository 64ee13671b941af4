"""Comparisons that say something else than they seem to, refused when the plan is made.

A moment is compared with a day as with its midnight: `received_at <= :to` leaves out the whole last day, and
`received_at = :day` all of it but the stroke of midnight. On SQLite, a text is less than another by its letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlglot import exp

from footnote.errors import StatementRefused
from footnote.lineage.types import infer_type
from footnote.plans.columns import Columns
from footnote.plans.dialects import ParameterTypes
from footnote.sources.query import ValueType

COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In, exp.NullSafeEQ, exp.NullSafeNEQ)

_AT_MIDNIGHT = (exp.LT, exp.GTE)
"""`moment < day` and `moment >= day` say the same for the midnight as for the day."""
_MIRRORED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
}
_PARAMETERS = {"DATE": ValueType.DATE, "TIMESTAMP": ValueType.DATETIME}
_MOMENTS = {exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ, exp.DType.DATETIME}
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_ISO_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?", re.ASCII)
_DAY = re.compile(r"\s*\d{4}-\d{1,2}-\d{1,2}\s*")


def refuse_misleading(
    select: exp.Select, tables: Mapping[str, str], columns: Columns, parameters: ParameterTypes
) -> None:
    """Refuse comparisons whose two sides do not fit.

    Args:
        select: A qualified statement.
        tables: Canonical table names by alias.
        columns: What is known of the database.
        parameters: Types of its parameters.

    Raises:
        StatementRefused: With the comparison and what to write instead.
    """
    for node in select.find_all(*COMPARISONS):
        for how, one, other in _pairs(node):
            kinds = [_kind(side, tables, columns, parameters) for side in (one, other)]
            if ValueType.DATETIME in kinds:
                kinds = [
                    ValueType.DATE if _is_day(side) else kind for side, kind in zip((one, other), kinds, strict=True)
                ]
            for side, kind in ((one, kinds[1]), (other, kinds[0])):
                _refuse_unread_time(node, side, kind, parameters)
            if kinds == [ValueType.DATE, ValueType.DATETIME]:
                how, kinds = _MIRRORED.get(how, how), kinds[::-1]
            if kinds == [ValueType.DATETIME, ValueType.DATE] and how not in _AT_MIDNIGHT:
                raise StatementRefused(
                    f"`{_shown(node)}` compares a moment with a day.",
                    why="The day counts as its midnight, so what happened later on that day would be left out.",
                    remedy="Write days_between(day, moment) >= 0, or compare with < the day after.",
                )
            if columns.dialect != "postgres":
                _refuse_texts(node, (one, other), kinds, _Typing(tables, columns, parameters))


def _refuse_texts(
    node: exp.Expr, sides: tuple[exp.Expr, exp.Expr], kinds: Sequence[ValueType], typing: _Typing
) -> None:
    """Refuse a text beside what is none, where the engine does not."""
    one, other = sides
    for side, beside, kind in ((one, other, kinds[1]), (other, one, kinds[0])):
        if typing.columns.dialect == "mysql":
            _refuse_as_number(node, side, kind, typing.parameters)
        if typing.may_be_text(side):
            _refuse_text(node, side, beside, kind, typing.parameters)


class _Typing(NamedTuple):
    """What is known of types."""

    tables: Mapping[str, str]
    columns: Columns
    parameters: ParameterTypes

    def kind(self, node: exp.Expr) -> ValueType:
        return _kind(node, self.tables, self.columns, self.parameters)

    def may_be_text(self, node: exp.Expr) -> bool:
        """Whether it is a text, or nobody knows; what stands behind rows given by hand is the author's word."""
        if isinstance(node, exp.Column) and self.columns.unread(self.tables[node.table], node.name):
            return False
        return self.kind(node) in (ValueType.TEXT, ValueType.ANY)


def _pairs(node: exp.Expr) -> Iterator[tuple[type[exp.Expr], exp.Expr, exp.Expr]]:
    if isinstance(node, exp.Between):
        yield exp.GTE, node.this, node.args["low"]
        yield exp.LTE, node.this, node.args["high"]
    elif isinstance(node, exp.In):
        field = node.args.get("field")
        yield from ((exp.EQ, node.this, item) for item in (*node.expressions, *([field] if field is not None else [])))
    else:
        yield type(node), node.this, node.expression


def _kind(node: exp.Expr, tables: Mapping[str, str], columns: Columns, parameters: ParameterTypes) -> ValueType:
    if isinstance(node, exp.Placeholder):
        word = parameters.scalars.get(node.name) or parameters.lists.get(node.name, "")
        return _PARAMETERS.get(word, ValueType.ANY)
    if isinstance(node, exp.Cast):
        return ValueType.DATETIME if node.to.this in _MOMENTS else _PARAMETERS.get(node.to.this.name, ValueType.ANY)
    if isinstance(node, exp.AtTimeZone):
        return ValueType.DATETIME
    if isinstance(node, exp.Paren | exp.Min | exp.Max):
        return _kind(node.this, tables, columns, parameters)
    if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
        moment = _kind(node.this, tables, columns, parameters) is ValueType.DATETIME
        return ValueType.DATETIME if moment else ValueType.ANY
    return infer_type(node, tables, columns)


def _is_day(node: exp.Expr) -> bool:
    """Whether this is a day written out."""
    return isinstance(node, exp.Literal) and node.is_string and _DAY.fullmatch(node.this) is not None


def _refuse_unread_time(node: exp.Expr, side: exp.Expr, kind: ValueType, parameters: ParameterTypes) -> None:
    """Refuse a text beside a day or a moment, unless it is written out so that every engine reads the same."""
    form = {ValueType.DATE: _ISO_DAY, ValueType.DATETIME: _ISO_MOMENT}.get(kind)
    text = isinstance(side, exp.Literal) and side.is_string
    if isinstance(side, exp.Placeholder):
        word = parameters.scalars.get(side.name) or parameters.lists.get(side.name, "TEXT")
        text = word not in _PARAMETERS
    if form is not None and text and not (isinstance(side, exp.Literal) and form.fullmatch(side.this)):
        raise StatementRefused(
            f"`{_shown(node)}` compares a {'day' if kind is ValueType.DATE else 'moment'} with a text.",
            why="Engines read such a text differently, or compare it letter by letter.",
            remedy="Write '2026-08-14', with a time of day only beside moments, or take a parameter of type date.",
        )


def _refuse_text(node: exp.Expr, side: exp.Expr, beside: exp.Expr, kind: ValueType, parameters: ParameterTypes) -> None:
    """Refuse a column of texts, or of whatever it may hold, beside a day or a number."""
    number = isinstance(beside, exp.Placeholder) and beside.name in parameters.scalars
    if isinstance(side, exp.Column) and (number or kind in (ValueType.DATE, ValueType.INTEGER, ValueType.DECIMAL)):
        raise StatementRefused(
            f"`{_shown(node)}` compares a text with what is none.",
            why="Engines compare them letter by letter, hold any text for larger than any number, or for a number.",
            remedy="Declare the column as what it holds, as a field of a record type.",
        )


def _refuse_as_number(node: exp.Expr, side: exp.Expr, kind: ValueType, parameters: ParameterTypes) -> None:
    """Refuse a text beside a number: MySQL reads 'abc' as 0."""
    text = isinstance(side, exp.Literal) and side.is_string
    if isinstance(side, exp.Placeholder):
        text = side.name in parameters.texts or parameters.lists.get(side.name) == "TEXT"
    if text and kind in (ValueType.INTEGER, ValueType.DECIMAL, ValueType.BOOLEAN):
        raise StatementRefused(
            f"`{_shown(node)}` compares a number with a text.",
            why="MariaDB and MySQL read the text as a number, and 'abc' as 0.",
            remedy="Take a parameter of type integer or decimal, or write the number without quotes.",
        )


def _shown(node: exp.Expr) -> str:
    return node.sql().replace('"', "")[:80]
