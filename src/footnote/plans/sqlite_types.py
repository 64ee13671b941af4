"""SQLite compares what it finds: the text '2026-08-14 00:00:00' is later than '2026-08-14', a text than any number.

A catalog says that a column holds dates, moments or numbers, and other engines hold it to that. So for SQLite, columns
are converted where they are compared or ordered. What is nothing of the kind cannot hide by comparing false either:
such a row is let through the conditions of WHERE and ON, and reading it fails (`lineage` reads every column that is
tested there).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from footnote.errors import StatementRefused
from footnote.lineage.normal import own_columns
from footnote.lineage.tables import tested_parts
from footnote.plans.columns import Columns
from footnote.plans.comparisons import COMPARISONS
from footnote.sources.query import ValueType

_ORDER = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_ORDERED = (*COMPARISONS, exp.Min, exp.Max, exp.Ordered)


def compared_by_type(tree: exp.Select, tables: Mapping[str, str], columns: Columns) -> exp.Select:
    """The statement as SQLite must be given it.

    Args:
        tree: A qualified statement.
        tables: Canonical table names by alias.
        columns: What is known of the database.

    Raises:
        StatementRefused: It compares with ANY or ALL rows of a sub-select.
    """
    quantified = tree.find(exp.Any, exp.All)
    if quantified is not None:
        raise StatementRefused(
            f"SQLite has no {quantified.key.upper()} (SELECT …).",
            remedy="Compare with (SELECT MIN(…) …) or (SELECT MAX(…) …).",
        )
    out = tree.copy()
    typed = _Typed(tables, columns)
    typed.let_malformed_through(out)
    typed.convert(out)
    return out


class _Typed:
    """Columns and their types."""

    def __init__(self, tables: Mapping[str, str], columns: Columns) -> None:
        self._tables = tables
        self._columns = columns

    def _kind(self, column: exp.Column) -> ValueType:
        if column.table not in self._tables:
            return ValueType.ANY
        return self._columns.type_of(self._tables[column.table], column.name)

    def _word(self, column: exp.Column) -> str:
        return self._columns.column_word(self._tables[column.table], column.name).lower()

    def let_malformed_through(self, tree: exp.Select) -> None:
        """Make each condition of WHERE and ON true for what is not of its column's type, in every SELECT."""
        for select in list(tree.find_all(exp.Select)):
            self._let_through(select)

    def _let_through(self, select: exp.Select) -> None:
        for part in tested_parts(select):
            found = {column.sql(): column for column in own_columns(part) if self._may_hide(column)}
            if found:
                malformed = [
                    exp.and_(exp.Not(this=_is_null(column.copy())), _MALFORMED[self._kind(column)](column))
                    for column in found.values()
                ]
                part.replace(exp.paren(exp.or_(part.copy(), *malformed)))

    def _may_hide(self, column: exp.Column) -> bool:
        """Whether a row can fail the condition only because the column holds something else than its type."""
        kind = self._kind(column)
        if self._columns.computed(self._tables[column.table]):
            return False  # the engine computes it from columns that are tested where they stand
        if kind is ValueType.INTEGER and "int" in self._word(column):
            return column.find_ancestor(*_ORDER) is not None  # SQLite keeps no number as a text here
        return kind is ValueType.BOOLEAN or (kind in _MALFORMED and _is_compared(column))

    def convert(self, tree: exp.Select) -> None:
        """Dates, moments and decimals as such where they are compared or ordered."""
        moments = [node for node in tree.find_all(*COMPARISONS) if any(map(self._is_moment, node.find_all(exp.Column)))]
        for node in moments:
            for side in list(node.find_all(exp.Placeholder, exp.Literal)):
                if side.find_ancestor(*COMPARISONS) is node and not isinstance(side.parent, exp.Anonymous):
                    side.replace(_moment(side))
        for column in list(tree.find_all(exp.Column)):
            if not _is_compared(column, _ORDERED) or isinstance(column.parent, exp.Anonymous):
                continue
            kind = self._kind(column)
            if kind is ValueType.DATE:
                column.replace(exp.Coalesce(this=_day(column.copy()), expressions=[column.copy()]))
            elif kind is ValueType.DATETIME:
                branch = exp.If(this=exp.Not(this=_no_moment(column)), true=_moment(column))
                column.replace(exp.Case(ifs=[branch], default=column.copy()))
            elif kind is ValueType.DECIMAL and "int" not in self._word(column):
                column.replace(exp.Cast(this=column.copy(), to=exp.DataType.build("NUMERIC", udt=True)))

    def _is_moment(self, column: exp.Column) -> bool:
        return self._kind(column) is ValueType.DATETIME and not isinstance(column.parent, exp.Anonymous)


def _is_compared(node: exp.Expr, kinds: tuple[type[exp.Expr], ...] = COMPARISONS) -> bool:
    return node.find_ancestor(*kinds) is not None


def _call(name: str, *arguments: exp.Expr | str | int) -> exp.Expr:
    given = [argument.copy() if isinstance(argument, exp.Expr) else exp.convert(argument) for argument in arguments]
    return exp.Anonymous(this=name, expressions=given)


def _day(node: exp.Expr) -> exp.Expr:
    return _call("DATE", node)


def _is_null(node: exp.Expr) -> exp.Expr:
    return exp.Is(this=node, expression=exp.Null())


def _matches(node: exp.Expr, pattern: str) -> exp.Expr:
    return exp.Glob(this=node.copy(), expression=exp.Literal.string(pattern))


def _moment(node: exp.Expr) -> exp.Expr:
    """A moment as 26 characters, '2026-08-14 10:59:00.000000', however many of them it is written with."""
    digits = exp.Paren(this=exp.Sub(this=_call("LENGTH", node), expression=exp.Literal.number(9)))
    rest = _call("SUBSTR", exp.Literal.string(" 00:00:00.000000"), digits)
    whole = exp.Paren(this=exp.DPipe(this=_call("REPLACE", node, "T", " "), expression=rest))
    return _call("SUBSTR", whole, 1, 26)


def _is_other_day(node: exp.Expr, written: exp.Expr) -> exp.Expr:
    """Whether what is written is no day of the calendar (of February 30, DATE makes March 2)."""
    return exp.Paren(
        this=exp.NullSafeNEQ(this=_call("DATE", written, "+0 days"), expression=_call("SUBSTR", node, 1, 10))
    )


def _has_zone(node: exp.Expr) -> exp.Expr:
    return _matches(_call("SUBSTR", node, 11), "*[-+Zz]*")


def _no_day(node: exp.Expr) -> exp.Expr:
    return exp.paren(exp.or_(_is_other_day(node, node), _has_zone(node)))


def _no_moment(node: exp.Expr) -> exp.Expr:
    timed = _matches(_call("SUBSTR", node, 11), "[ T][0-2][0-9]:[0-5][0-9]*")
    other = _is_other_day(node, _call("SUBSTR", node, 1, 10))
    day = exp.EQ(this=_call("LENGTH", node), expression=exp.Literal.number(10))
    return exp.paren(exp.or_(other, exp.Not(this=exp.paren(exp.or_(timed, day))), _has_zone(node)))


def _no_integer(node: exp.Expr) -> exp.Expr:
    return exp.In(this=_call("TYPEOF", node), expressions=[exp.Literal.string("text"), exp.Literal.string("blob")])


def _no_decimal(node: exp.Expr) -> exp.Expr:
    """What SQLite would make 0 or 1 of, '1,200.50', '', 'n/a', or would round before it compares. Reading tells the rest.

    A number that is only too long can be read: then it meets the condition exactly, or the recomputed filter says not.
    """
    shapes = ("*[^-+0-9.eE]*", "*.*.*", "*[0-9.][-+]*", "")
    text = exp.Cast(this=node.copy(), to=exp.DataType.build("TEXT", udt=True))
    found = [*(_matches(text, shape) for shape in shapes), _is_rounded(text)]
    return exp.paren(exp.and_(_no_integer(node), exp.paren(exp.or_(*found))))


def _is_rounded(text: exp.Expr) -> exp.Expr:
    """Whether a number has more digits than a 64-bit float holds (15), and is no whole number of at most 18."""
    digits = _call("LENGTH", _call("REPLACE", _call("TRIM", text, "-+0."), ".", ""))
    broken = exp.paren(exp.or_(_matches(text, "*.*"), exp.GT(this=_call("LENGTH", text), expression=exp.convert(18))))
    return exp.paren(exp.and_(exp.GT(this=digits, expression=exp.convert(15)), broken))


def _no_boolean(node: exp.Expr) -> exp.Expr:
    whole = exp.NEQ(this=_call("TYPEOF", node), expression=exp.Literal.string("integer"))
    other = exp.Not(this=exp.In(this=node.copy(), expressions=[exp.Literal.number(0), exp.Literal.number(1)]))
    return exp.paren(exp.or_(whole, other))


_MALFORMED: Mapping[ValueType, Callable[[exp.Expr], exp.Expr]] = {
    ValueType.DATE: _no_day,
    ValueType.DATETIME: _no_moment,
    ValueType.INTEGER: _no_integer,
    ValueType.DECIMAL: _no_decimal,
    ValueType.BOOLEAN: _no_boolean,
}
"""By type: whether what a column holds is nothing of the kind."""
