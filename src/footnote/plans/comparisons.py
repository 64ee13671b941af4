"""Comparisons that say something else than they seem to, refused when the plan is made.

A moment is compared with a day as with its midnight: `received_at <= :to` leaves out the whole last day, and
`received_at = :day` all of it but the stroke of midnight. On SQLite, a text is less than another by its letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
            if kinds == [ValueType.DATE, ValueType.DATETIME]:
                how, kinds = _MIRRORED.get(how, how), kinds[::-1]
            if kinds == [ValueType.DATETIME, ValueType.DATE] and how not in _AT_MIDNIGHT:
                raise StatementRefused(
                    f"`{_shown(node)}` compares a moment with a day.",
                    why="The day counts as its midnight, so what happened later on that day would be left out.",
                    remedy="Write days_between(day, moment) >= 0, or compare with < the day after.",
                )
            if columns.dialect == "sqlite" and ValueType.TEXT in kinds:
                _refuse_text(node, one, other, kinds, parameters)


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
        return _PARAMETERS.get(node.to.this.name, ValueType.ANY)
    return infer_type(node, tables, columns)


def _refuse_text(
    node: exp.Expr, one: exp.Expr, other: exp.Expr, kinds: list[ValueType], parameters: ParameterTypes
) -> None:
    """A text column beside a day or a number; a text constant beside a column of another type may be a date."""
    text, beside, kind = (one, other, kinds[1]) if kinds[0] is ValueType.TEXT else (other, one, kinds[0])
    number = isinstance(beside, exp.Placeholder) and beside.name in parameters.scalars
    if isinstance(text, exp.Column) and (number or kind in (ValueType.DATE, ValueType.INTEGER, ValueType.DECIMAL)):
        raise StatementRefused(
            f"`{_shown(node)}` compares a text with what is none.",
            why="SQLite would compare them letter by letter.",
            remedy="Declare the column as what it holds, as a field of a record type.",
        )


def _shown(node: exp.Expr) -> str:
    return node.sql().replace('"', "")[:80]
