"""SQLite compares what it finds: the text '2026-08-14 00:00:00' is later than '2026-08-14', a blob than any number.

A catalog says that a column holds dates or decimals, and other engines hold it to that. So for SQLite, columns are
converted where they are compared or ordered. What is no date at all cannot hide by comparing false either: such a row
is let through the filter, and reading it fails.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from footnote.plans.columns import Columns
from footnote.plans.comparisons import COMPARISONS
from footnote.sources.query import ValueType

_ORDERED = (*COMPARISONS, exp.Min, exp.Max, exp.Ordered)


def compared_by_type(tree: exp.Select, tables: Mapping[str, str], columns: Columns) -> exp.Select:
    """The statement as SQLite must be given it.

    Args:
        tree: A qualified statement.
        tables: Canonical table names by alias.
        columns: What is known of the database.
    """
    out = tree.copy()
    typed = _Typed(tables, columns)
    typed.let_malformed_dates_through(out)
    typed.convert(out)
    return out


class _Typed:
    """Columns and their types."""

    def __init__(self, tables: Mapping[str, str], columns: Columns) -> None:
        self._tables = tables
        self._columns = columns

    def _is(self, node: exp.Expr, kind: ValueType) -> bool:
        if not isinstance(node, exp.Column) or node.table not in self._tables:
            return False
        return self._columns.type_of(self._tables[node.table], node.name) is kind

    def let_malformed_dates_through(self, tree: exp.Select) -> None:
        """Make each condition of WHERE true for what is no date."""
        where = tree.args.get("where")
        if where is None:
            return
        for part in list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]:
            found = {c.sql(): c for c in part.find_all(exp.Column) if self._is(c, ValueType.DATE) and _is_compared(c)}
            if found:
                malformed = [
                    exp.and_(exp.Not(this=exp.Is(this=c.copy(), expression=exp.Null())), _is_null(_day(c.copy())))
                    for c in found.values()
                ]
                part.replace(exp.paren(exp.or_(part.copy(), *malformed)))

    def convert(self, tree: exp.Select) -> None:
        """Dates and decimals as such where they are compared or ordered."""
        for column in list(tree.find_all(exp.Column)):
            if not _is_compared(column, _ORDERED) or isinstance(column.parent, exp.Anonymous):
                continue
            if self._is(column, ValueType.DATE):
                column.replace(exp.Coalesce(this=_day(column.copy()), expressions=[column.copy()]))
            elif self._is(column, ValueType.DECIMAL):
                word = self._columns.column_word(self._tables[column.table], column.name).lower()
                if "int" not in word:
                    column.replace(exp.Cast(this=column.copy(), to=exp.DataType.build("NUMERIC", udt=True)))


def _is_compared(node: exp.Expr, kinds: tuple[type[exp.Expr], ...] = COMPARISONS) -> bool:
    return node.find_ancestor(*kinds) is not None


def _day(node: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="DATE", expressions=[node])


def _is_null(node: exp.Expr) -> exp.Expr:
    return exp.Is(this=node, expression=exp.Null())
