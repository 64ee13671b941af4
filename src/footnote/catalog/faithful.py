"""What engines would silently do differently, refused when a statement is read.

`date - date` is days on PostgreSQL, the difference of two years on SQLite and a number of another calendar on MariaDB;
`int / int` truncates here and not there; LIKE and lower() follow a collation, as `=` does, which plans make exact. A
statement that runs on another engine than its own dialect's must do without them; Footnote's typed functions are the same
everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from footnote.catalog.functions import DATE_FUNCTIONS
from footnote.catalog.place import Place
from footnote.catalog.sql_text import refusal
from footnote.catalog.statements import typed_function
from footnote.catalog.tree import line_in, shown

ColumnTypes = Mapping[str, Mapping[str, str]]
"""Table name -> column name -> type (a `FigureType` or a parameter type as text), as far as known."""

_DATES = frozenset({"date", "datetime"})
_PER_DIALECT = "Or give one statement per dialect: `statement: {postgres: …, sqlite: …}`."
_ADVICE: Mapping[type[exp.Expr], str] = {
    exp.Div: "Use ratio(a, b), or derive the figure from two others.",
    exp.Mod: "Engines disagree about its result.",
    exp.Like: "Use starts_with(text, prefix).",
    exp.ILike: "Use starts_with(text, prefix).",
    exp.Cast: "Type the column in `columns` instead; use a parameter for a date, money(x) for an amount.",
    exp.Extract: "Use year_of(d), month_of(d) or quarter_of(d).",
    exp.DateTrunc: "Use month_of(d), quarter_of(d) or year_of(d).",
    exp.TimestampTrunc: "Use month_of(d), quarter_of(d) or year_of(d).",
    exp.Interval: "Compare days_between(later, earlier) with a number.",
    exp.AtTimeZone: "Set `time_zone` of the source.",
    exp.JSONExtract: "Engines read JSON differently.",
    exp.JSONExtractScalar: "Engines read JSON differently.",
    exp.SplitPart: "Only some engines have it.",
    exp.Upper: "SQLite changes the case of ASCII letters only.",
    exp.Lower: "SQLite changes the case of ASCII letters only.",
    exp.Round: "The exact value is rounded for display: set `scale` of the column.",
    exp.Floor: "The exact value is rounded for display: set `scale` of the column.",
    exp.Ceil: "The exact value is rounded for display: set `scale` of the column.",
    exp.Avg: "Return a SUM and a COUNT, and derive ratio(sum, count).",
    exp.Concat: "Use `a || b`; engines treat NULL differently in concat.",
    exp.Greatest: "Use CASE WHEN a >= b THEN a ELSE b END; engines treat NULL differently.",
    exp.Least: "Use CASE WHEN a <= b THEN a ELSE b END; engines treat NULL differently.",
}
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.Sum, exp.Avg, exp.Abs, exp.Round)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


@dataclass(frozen=True, slots=True)
class Types:
    """What is known about types: of columns by table, of parameters by placeholder."""

    columns: ColumnTypes = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)


def refuse_unfaithful(query: exp.Expr, *, dialect: str, engines: frozenset[str], types: Types, where: Place) -> None:
    """Refuse what gives another result on one of `engines` than the author sees in `dialect`.

    Args:
        query: A tree that `parse_statement` or `parse_row_expression` proved.
        dialect: The dialect it is written in.
        engines: The engines this text runs on.
        types: The types that the catalog declares, or that a schema has.
        where: Where the text starts.

    Raises:
        StatementRefused: With the expression and what to write instead.
    """
    translated = any(engine != dialect for engine in engines)
    typed = _Typed(query, types)
    for node in query.walk():
        here = where.at(line_in(node))
        if translated:
            _refuse_translation(node, dialect, engines, typed, here)
        elif isinstance(node, exp.Cast) and node.to.this.name == "DECIMAL":
            _refuse_decimal(node, dialect, here)
        _refuse_text_arithmetic(node, typed, here)
        _refuse_date_arithmetic(node, dialect, engines, typed, here)
        if isinstance(node, _COMPARISONS):
            _refuse_comparison(node, typed, here)


def _refuse_translation(node: exp.Expr, dialect: str, engines: frozenset[str], typed: _Typed, here: Place) -> None:
    others = ", ".join(sorted(engines - {dialect}))
    if (advice := _ADVICE.get(type(node))) is not None:
        what = f"`{shown(node)}` is not the same on {others} as on {dialect}."
        raise refusal(here, what, f"{advice} {_PER_DIALECT}")
    if "mysql" in engines:
        _refuse_on_mysql(node, here)
    if isinstance(node, _COMPARISONS):
        kinds = {typed.of(node.left), typed.of(node.right)}
        if kinds == _DATES:
            what = f"`{shown(node)}` compares a moment with a date, which is not the same on {others}."
            raise refusal(here, what, f"Declare both as date if they hold dates. {_PER_DIALECT}")


def _refuse_on_mysql(node: exp.Expr, here: Place) -> None:
    if isinstance(node, exp.Length):
        raise refusal(here, f"`{shown(node)}` may count bytes on mysql.", _PER_DIALECT)
    if isinstance(node, exp.Join) and (node.side or "").upper() == "FULL":
        raise refusal(here, f"`{shown(node)}`: mysql has no FULL JOIN.", _PER_DIALECT)


def _refuse_decimal(node: exp.Cast, dialect: str, here: Place) -> None:
    """A decimal that the dialect itself rounds."""
    if dialect == "sqlite":
        raise refusal(here, f"`{shown(node)}` is a float on SQLite.", "Keep amounts in minor units, or use money(x).")
    if dialect == "mysql" and not node.to.expressions:
        what = f"`{shown(node)}` has no digits after the point, and rounds."
        raise refusal(here, what, "Write DECIMAL(p, s), or use money(x).")


def _refuse_text_arithmetic(node: exp.Expr, typed: _Typed, here: Place) -> None:
    function = typed_function(node)
    operands: list[exp.Expr]
    if isinstance(node, _ARITHMETIC):
        operands = [child for child in node.iter_expressions() if child.arg_key in {"this", "expression"}]
    elif function and function[0] in {"ratio", "money"} | DATE_FUNCTIONS:
        operands = function[1]
    else:
        return
    for operand in operands:
        kind = typed.of(operand)
        if function and function[0] in DATE_FUNCTIONS:
            if kind and kind not in _DATES:
                what = f"`{shown(node)}` needs dates, and `{shown(operand)}` is declared as {kind}."
                raise refusal(here, what, "Declare the column as `type: date` if it holds dates.")
        elif kind == "text":
            what = f"`{shown(node)}` computes with `{shown(operand)}`, which is declared as text."
            remedy = "Declare the column as what it holds: decimal, money, integer, date; for dates use days_between."
            raise refusal(here, what, remedy)


def _refuse_date_arithmetic(node: exp.Expr, dialect: str, engines: frozenset[str], typed: _Typed, here: Place) -> None:
    if not isinstance(node, _ARITHMETIC) or isinstance(node, exp.Abs | exp.Round):
        return
    operands = [child for child in node.iter_expressions() if typed.of(child) in _DATES]
    native = engines <= {dialect} and dialect in {"postgres", "duckdb"} and isinstance(node, exp.Add | exp.Sub)
    if operands and not native:
        what = f"`{shown(node)}` computes with the date `{shown(operands[0])}`, which engines do differently."
        raise refusal(here, what, f"Use days_between(later, earlier). {_PER_DIALECT}")


def _refuse_comparison(node: exp.Expr, typed: _Typed, here: Place) -> None:
    left, right = typed.of(node.args["this"]), typed.of(node.args["expression"])
    for one, other, side in ((left, right, "expression"), (right, left, "this")):
        if one in _DATES and other and other not in _DATES:
            what = f"`{shown(node)}` compares a {one} with `{shown(node.args[side])}`, which is declared as {other}."
            raise refusal(here, what, "Declare the column as `type: date` if it holds dates.")


class _Typed:
    """The types of expressions, as far as declarations tell; empty text where they do not."""

    def __init__(self, root: exp.Expr, types: Types) -> None:
        self._types = types
        self._columns = {
            table.casefold(): {column.casefold(): str(kind) for column, kind in columns.items()}
            for table, columns in types.columns.items()
        }
        self._row_tables = [] if root.find(exp.Table) else list(self._columns.values())

    def of(self, node: exp.Expr) -> str:
        rule = self._RULES.get(type(node))
        if rule is not None:
            return rule(self, node)
        function = typed_function(node)
        if function is None:
            return ""
        return {"month_of": "text", "quarter_of": "text", "money": "money", "ratio": "decimal"}.get(
            function[0], "integer" if function[0] != "starts_with" else "boolean"
        )

    def _column(self, node: exp.Expr) -> str:
        found = {kind for columns in self._tables_for(node) if (kind := columns.get(node.name.casefold())) is not None}
        return found.pop() if len(found) == 1 else ""

    def _tables_for(self, node: exp.Expr) -> Iterator[Mapping[str, str]]:
        """The declared columns of the tables that a column may belong to, innermost SELECT first."""
        yield from self._row_tables
        select = node.find_ancestor(exp.Select)
        while select is not None:
            sources = [select.args.get("from_"), *(select.args.get("joins") or [])]
            tables = [source.this for source in sources if source is not None and isinstance(source.this, exp.Table)]
            named = [table for table in tables if node.text("table") in {"", table.alias_or_name}]
            yield from (self._columns[n] for table in named if (n := table.name.casefold()) in self._columns)
            if named and node.text("table"):
                return
            select = select.find_ancestor(exp.Select)

    def _placeholder(self, node: exp.Expr) -> str:
        return self._types.parameters.get(str(node.this), "")

    def _inner(self, node: exp.Expr) -> str:
        return self.of(node.this)

    def _cast(self, node: exp.Expr) -> str:
        names = {"DATE": "date", "TIMESTAMP": "datetime", "TIMESTAMPTZ": "datetime", "TEXT": "text", "VARCHAR": "text"}
        return names.get(node.args["to"].this.name, "")

    _RULES: Mapping[type[exp.Expr], Callable[[_Typed, exp.Expr], str]] = {
        exp.Column: _column,
        exp.Placeholder: _placeholder,
        exp.Paren: _inner,
        exp.Coalesce: _inner,
        exp.Min: _inner,
        exp.Max: _inner,
        exp.Cast: _cast,
    }
