"""MySQL and MariaDB compare texts by a collation: to most of them 'abc', 'ABC' and 'äbc ' are one text.

Other engines compare letters, and so does Python. So for MySQL, texts are compared, grouped and counted by their letters
in UTF-8. Where an index may help, the collation's own comparison stands beside it: it lets through more rows, never fewer.
A zero date, and a boolean that is neither 0 nor 1, cannot hide from a condition: such a row is let through WHERE and ON,
and reading it fails (`lineage` reads every column that is tested there).
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from footnote.errors import StatementRefused
from footnote.lineage.tables import tested_parts
from footnote.lineage.types import infer_type
from footnote.plans.columns import Columns
from footnote.plans.comparisons import COMPARISONS
from footnote.plans.dialects import ParameterTypes
from footnote.plans.lists import COLLATION
from footnote.plans.typed_functions import as_bytes
from footnote.sources.query import ValueType

_OTHERWISE = {ValueType.INTEGER, ValueType.DECIMAL, ValueType.DATE, ValueType.DATETIME, ValueType.BOOLEAN}
_FIRST_DAY = exp.Literal.string("0001-01-01")
_TEXTS = (exp.Lower, exp.Upper, exp.Trim, exp.Substring, exp.Concat, exp.DPipe, exp.Left, exp.Right)
_NUMBERS = (exp.Sum, exp.Avg, exp.Count, exp.Div, exp.Mod, exp.Round, exp.Floor, exp.Ceil, exp.Extract, exp.Length)
_SETS = (exp.Union, exp.Except, exp.Intersect)


def compared_by_letters(
    tree: exp.Select, tables: Mapping[str, str], columns: Columns, parameters: ParameterTypes
) -> exp.Select:
    """The statement as MySQL must be given it.

    Args:
        tree: A qualified statement.
        tables: Canonical table names by alias.
        columns: What is known of the database.
        parameters: Types of its parameters.

    Raises:
        StatementRefused: It has a construct that the server has not, or that compares texts by their collation.
    """
    out = tree.copy()
    texts = _Texts(tables, columns, parameters)
    for select in list(out.find_all(exp.Select)):
        texts.let_malformed_through(select)
        texts.distinct_by_letters(select)
    for node in reversed(list(out.walk())):  # children first, so that what is nested is rewritten too
        rewritten = texts.rewritten(node)
        if rewritten is not node:
            node.replace(rewritten)
    return out


class _Texts:
    """Which expressions are texts, and how they are compared."""

    def __init__(self, tables: Mapping[str, str], columns: Columns, parameters: ParameterTypes) -> None:
        self._tables = tables
        self._columns = columns
        self._parameters = parameters

    def _kind(self, node: exp.Expr) -> ValueType:
        if isinstance(node, exp.Placeholder):
            word = self._parameters.scalars.get(node.name) or self._parameters.lists.get(node.name, "")
            return _WORDS.get(word, ValueType.ANY)
        if isinstance(node, exp.Column):
            return self._column_kind(node)
        if isinstance(node, exp.Cast):
            return (
                ValueType.TEXT
                if node.to.is_type(*exp.DataType.TEXT_TYPES)
                else _WORDS.get(node.to.this.name, ValueType.ANY)
            )
        if isinstance(node, exp.Subquery):
            select = node.unnest()
            return self._kind(select.expressions[0].unalias()) if isinstance(select, exp.Select) else ValueType.ANY
        if isinstance(node, exp.Min | exp.Max | exp.Paren | exp.Alias):
            return self._kind(node.this)
        if isinstance(node, _TEXTS):
            return ValueType.TEXT
        if isinstance(node, _NUMBERS):
            return ValueType.DECIMAL
        if any(column.table not in self._tables for column in node.find_all(exp.Column)):
            return ValueType.ANY
        return infer_type(node, self._tables, self._columns)

    def _column_kind(self, column: exp.Column) -> ValueType:
        table = self._tables.get(column.table)
        if table is None:
            return ValueType.ANY
        kind = self._columns.type_of(table, column.name)
        if kind is ValueType.ANY and self._columns.column_word(table, column.name):
            # A type without letters: a time, a year, a point.
            return ValueType.TEXT if self._collation(column) else ValueType.DECIMAL
        return kind

    def _is_text(self, *sides: exp.Expr) -> bool:
        """Whether these are compared as texts.

        Raises:
            StatementRefused: That cannot be told.
        """
        sides = tuple(side for side in sides if not isinstance(side, exp.Null))
        kinds = {self._kind(side) for side in sides}
        if kinds & _OTHERWISE or not sides:
            return False
        if ValueType.TEXT not in kinds and not all(isinstance(side, exp.Placeholder) for side in sides):
            shown = ", ".join(side.sql().replace('"', "")[:60] for side in sides)
            raise StatementRefused(
                f"Whether `{shown}` are texts cannot be told.",
                why="MariaDB and MySQL compare texts by a collation, to which texts that differ may be equal.",
                remedy="Compare columns, or declare what they hold as fields of a record type.",
            )
        return True

    # --- conditions -----------------------------------------------------------------------------------------------

    def rewritten(self, node: exp.Expr) -> exp.Expr:
        """The node with its texts compared by letters."""
        if isinstance(node, exp.Between):
            return self._between(node)
        if isinstance(node, exp.In):
            return self._in(node)
        if isinstance(node, COMPARISONS):
            return self._comparison(node)
        if isinstance(node, exp.Case) and node.this is not None:
            return self._case(node)
        if isinstance(node, exp.Nullif) and self._is_text(node.this, node.expression):
            same = exp.EQ(this=_letters(node.this.copy()), expression=_letters(node.expression.copy()))
            return exp.Case(ifs=[exp.If(this=same, true=exp.Null())], default=node.this.copy())
        if isinstance(node, exp.Ordered):
            self._by_key(node)
        elif isinstance(node, exp.Distinct | exp.Group | exp.Window):
            self._by_letters(node)
        elif isinstance(node, _SETS):
            self._refuse_set(node)
        elif isinstance(node, exp.Join) and (node.side or "").upper() == "FULL":
            raise StatementRefused(
                "FULL JOIN is not in MariaDB and MySQL.",
                remedy="Write a LEFT JOIN and, in a second statement, what it leaves out.",
            )
        return node

    def _comparison(self, node: exp.Expr) -> exp.Expr:
        left, right = node.this, node.expression
        if isinstance(right, exp.Any | exp.All):
            return self._quantified(node, right)
        if not self._is_text(left, right):
            return node
        exact = type(node)(this=_letters(left.copy()), expression=_letters(right.copy()))
        if isinstance(node, exp.EQ) and self._by_index(left, right):
            return exp.Paren(this=exp.And(this=node.copy(), expression=exact))
        return exact

    def _by_index(self, left: exp.Expr, right: exp.Expr) -> bool:
        """Whether the collation's own comparison is one that an index can serve, and that cannot fail."""
        collations = [self._collation(side) for side in (left, right) if isinstance(side, exp.Column)]
        plain = all(isinstance(side, exp.Column | exp.Placeholder | exp.Literal) for side in (left, right))
        return plain and bool(collations) and len(set(collations)) == 1 and _holds_any_letter(collations[0])

    def _collation(self, column: exp.Column) -> str:
        return self._columns.own_collation(self._tables.get(column.table, ""), column.name)

    def _between(self, node: exp.Between) -> exp.Expr:
        sides = (node.this, node.args["low"], node.args["high"])
        if not self._is_text(*sides):
            return node
        this, low, high = (_letters(side.copy()) for side in sides)
        return exp.Between(this=this, low=low, high=high)

    def _in(self, node: exp.In) -> exp.Expr:
        query, listed = node.args.get("query"), node.args.get("field")
        if query is not None:
            return self._in_query(node, query)
        if not self._is_text(node.this, *node.expressions, *([listed] if listed is not None else [])):
            return node
        collation = self._collation(node.this) if isinstance(node.this, exp.Column) else ""
        if listed is not None:
            node.set(COLLATION, collation)  # what is bound for the list is compared by letters there
            return node
        exact = exp.In(
            this=_letters(node.this.copy()), expressions=[_letters(item.copy()) for item in node.expressions]
        )
        if _holds_any_letter(collation):
            return exp.Paren(this=exp.And(this=node.copy(), expression=exact))
        return exact

    def _in_query(self, node: exp.In, query: exp.Expr) -> exp.Expr:
        select = query.unnest()
        left = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        if not isinstance(select, exp.Select):
            if any(self._is_text(side) for side in left):
                raise _refused("IN with a set operation")
            return node
        for place, side in enumerate(left):
            self._compared_output(side, select, place)
        return node

    def _quantified(self, node: exp.Expr, quantified: exp.Expr) -> exp.Expr:
        select = quantified.this.unnest()
        if isinstance(select, exp.Select):
            self._compared_output(node.this, select, 0)
        return node

    def _compared_output(self, side: exp.Expr, select: exp.Select, place: int) -> None:
        output = select.expressions[place]
        value = output.unalias()
        if self._is_text(side, value):
            value.replace(_letters(value.copy()))
            side.replace(_letters(side.copy()))

    def _case(self, node: exp.Case) -> exp.Expr:
        """`CASE x WHEN y` compares; so it becomes `CASE WHEN x = y`."""
        subject = node.this
        branches = []
        for branch in node.args["ifs"]:
            same = self._comparison(exp.EQ(this=subject.copy(), expression=branch.this.copy()))
            branches.append(exp.If(this=same, true=branch.args["true"].copy()))
        default = node.args.get("default")
        return exp.Case(ifs=branches, default=default.copy() if default is not None else None)

    def _by_key(self, node: exp.Ordered) -> None:
        """Where there is no NULL to be last, an index gives the order."""
        column = node.this
        if isinstance(column, exp.Column) and self._columns.required(self._tables.get(column.table, ""), column.name):
            node.set("nulls_first", not node.args.get("desc"))

    # --- groups -----------------------------------------------------------------------------------------------------

    def _by_letters(self, node: exp.Expr) -> None:
        name = "partition_by" if isinstance(node, exp.Window) else "expressions"
        for key in list(node.args.get(name) or ()):
            if self._kind(key) not in _OTHERWISE and not isinstance(key, exp.Literal | exp.Null):
                key.replace(_letters(key.copy()))

    def distinct_by_letters(self, select: exp.Select) -> None:
        """SELECT DISTINCT as the GROUP BY that it is."""
        if not select.args.get("distinct") or not any(self._is_text(node.unalias()) for node in select.expressions):
            return
        if select.args.get("group") or any(node.find(exp.AggFunc, exp.Window) for node in select.expressions):
            raise _refused("SELECT DISTINCT beside GROUP BY")
        select.set("distinct", None)
        select.set("group", exp.Group(expressions=[node.unalias().copy() for node in select.expressions]))

    def _refuse_set(self, node: exp.Expr) -> None:
        keeps_all = isinstance(node, exp.Union) and not node.args.get("distinct")
        if not keeps_all and any(self._is_text(output.unalias()) for output in node.selects):  # type: ignore[attr-defined]
            raise _refused(type(node).__name__.upper())

    # --- what is not of its column's type -----------------------------------------------------------------------------

    def let_malformed_through(self, select: exp.Select) -> None:
        """Make each condition of WHERE and ON true for a zero date, and for a boolean that is none."""
        for part in tested_parts(select):
            own = [column for column in part.find_all(exp.Column) if column.find_ancestor(exp.Select) is select]
            found = {column.sql(): odd for column in own if (odd := self._malformed(column)) is not None}
            if found:
                part.replace(exp.paren(exp.or_(part.copy(), *found.values())))

    def _malformed(self, column: exp.Column) -> exp.Expr | None:
        kind = self._kind(column)
        if kind in (ValueType.DATE, ValueType.DATETIME) and column.find_ancestor(*COMPARISONS, exp.Anonymous):
            return exp.LT(this=column.copy(), expression=_FIRST_DAY.copy())
        word = self._columns.column_word(self._tables.get(column.table, ""), column.name).lower()
        if kind is ValueType.BOOLEAN and word != "bit(1)":
            values = [exp.Literal.number(0), exp.Literal.number(1)]
            return exp.Not(this=exp.In(this=column.copy(), expressions=values))
        return None


_WORDS = {
    "BIGINT": ValueType.INTEGER,
    "DECIMAL": ValueType.DECIMAL,
    "BOOLEAN": ValueType.BOOLEAN,
    "DATE": ValueType.DATE,
    "TIMESTAMP": ValueType.DATETIME,
    "TEXT": ValueType.TEXT,
}


def _letters(node: exp.Expr) -> exp.Expr:
    return node if isinstance(node, exp.Null) or _is_letters(node) else as_bytes(node)


def _is_letters(node: exp.Expr) -> bool:
    return isinstance(node, exp.Cast) and node.to.is_type("binary")


def _holds_any_letter(collation: str) -> bool:
    """Whether a text of any letters can be compared under it; to latin1, a letter it has not is an error."""
    return collation.startswith("utf8")


def _refused(what: str) -> StatementRefused:
    return StatementRefused(
        f"{what} of texts goes by a collation on MariaDB and MySQL.",
        why="Texts that differ may count as equal there, so rows would be left out in silence.",
        remedy="Use GROUP BY, or a column that is no text.",
    )
