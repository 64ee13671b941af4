"""Sub-selects in conditions and values: each becomes a statement of its own, asked for all values it depends on at once.

`(SELECT SUM(p.amount) FROM paid p WHERE p.invoice = i.id)` is a function of `i.id`. Its arm joins the values that `i.id`
has in the rows at hand with the FROM of the sub-select, so that one statement gives the rows behind every value. The left
side of IN, ANY and ALL is such a value too. What the rows then give is looked up by value for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.columns import named_column
from footnote.lineage.expressions import Expr, NotComputable, compile_expression
from footnote.lineage.frames import GIVEN, AnalyseQuery, Frame, Sources
from footnote.lineage.knowledge import Computed
from footnote.lineage.normal import is_grouped, own_nodes, selected_from
from footnote.lineage.shape import Link, LinkKind, RowCheck
from footnote.lineage.types import infer_type
from footnote.sources.query import ValueType

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}


@dataclass(frozen=True, slots=True)
class _Use:
    """A sub-select and how it is used: `left` stands before IN, or beside ANY and ALL."""

    kind: LinkKind
    query: exp.Expr
    left: tuple[exp.Expr, ...] = ()
    operator: str = ""


def use_of(node: exp.Expr) -> _Use | None:
    """How the expression uses a sub-select, if it is one that does."""
    if isinstance(node, exp.Subquery):
        return _Use("scalar", node)
    if isinstance(node, exp.Exists):
        return _Use("exists", node.this)
    if isinstance(node, exp.In) and node.args.get("query") is not None:
        left = tuple(node.this.expressions) if isinstance(node.this, exp.Tuple) else (node.this,)
        return _Use("in", node.args["query"], left)
    operator = _OPERATORS.get(type(node))
    if operator and isinstance(node.expression, exp.Any | exp.All):
        kind: LinkKind = "any" if isinstance(node.expression, exp.Any) else "all"
        return _Use(kind, node.expression.this, (node.this,), operator)
    return None


@dataclass
class SubSelects:
    """Takes in the sub-selects of one block.

    Attributes:
        sources: Of the block; links and arms are added.
        analyse: Analyses a sub-select's own statement.
        leaf: Compiles columns.
        required: Conditions (by id) that every row meets, so that of IN only equal rows need be looked for.
        negated: Conditions (by id) that no row meets.
        checks: How values that sub-selects are asked with are recomputed.
    """

    sources: Sources
    analyse: AnalyseQuery
    leaf: Callable[[exp.Expr], Expr | None]
    required: set[int] = field(default_factory=set)
    negated: set[int] = field(default_factory=set)
    checks: list[RowCheck] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict)

    def value(self, node: exp.Expr) -> Expr | None:
        """The compiled form of an expression that uses a sub-select; None if it does not.

        Raises:
            Untraceable: If the sub-select cannot be traced.
        """
        use = use_of(node)
        if use is None:
            return None
        text = f"{node.sql()} {id(node) in self.required}"
        if text not in self._known:
            self._known[text] = self._link(node, use)
        return ["sub", self._known[text]]

    def _link(self, node: exp.Expr, use: _Use) -> int:
        frame = self.sources.frame_of(node)
        query = _as_select(use.query, next(self.sources.known.numbers))
        outer = _outer_columns(query, self.sources)
        label = query.sql().replace('"', "")
        given: list[exp.Expr] = [*outer, *use.left]
        keys = tuple(self._place(part, frame) for part in given)
        alias = f"{GIVEN}{next(self.sources.known.numbers)}"
        always = is_grouped(query) and not query.args.get("group")
        types = [self.sources.base.needed[key].column.type for key in keys]
        self._learn(alias, types)
        statement = _statement(use, query, outer, given, alias, frame, only_equal=id(node) in self.required)
        analysed = self.analyse(statement)
        link = Link(
            use.kind,
            label if len(label) <= 120 else label[:119] + "…",
            keys,
            (),
            left=len(use.left),
            operator=use.operator,
            always=always,
            negated=id(node) in self.negated,
        )
        return self.sources.add_link(link, (analysed,), 1)

    def _place(self, node: exp.Expr, frame: Frame) -> int:
        """The position of a value that the sub-select is asked with; it is recomputed where it is no plain column."""
        to = self.sources
        direct = isinstance(node, exp.Column) and node.table not in {*to.frames, *to.inner}
        if isinstance(node, exp.Column) and direct:
            return to.base.place(node.table, node.name)
        kind = infer_type(node, to.known.tables, to.known)
        place = to.base.place_value(frame.outside(node.copy()), kind)
        try:
            compiled = compile_expression(node, self.leaf)
        except NotComputable:
            return place
        if all(check.index != place for check in self.checks):
            self.checks.append(RowCheck("base", place, compiled))
        return place

    def _learn(self, alias: str, types: Sequence[ValueType]) -> None:
        known = self.sources.known
        for number, kind in enumerate(types):
            known.inner[known.tables[alias], f"__g{number}"] = Computed(kind, exact=True)


def _as_select(query: exp.Expr, number: int) -> exp.Select:
    """A copy of the sub-select as a plain SELECT."""
    inner = query.unnest() if isinstance(query, exp.Subquery) else query
    if isinstance(inner, exp.SetOperation):
        return selected_from(inner.copy(), f"__set{number}", list(inner.named_selects))
    if not isinstance(inner, exp.Select):
        raise Untraceable(f"A sub-select is a {type(inner).__name__.lower()}.", remedy="Write SELECT … FROM ….")
    return inner.copy()


def _outer_columns(query: exp.Select, sources: Sources) -> list[exp.Expr]:
    """The columns of the tables outside that a sub-select depends on, each once.

    Raises:
        Untraceable: If they stand in a derived table of the sub-select, which could not be joined with their values.
    """
    found: dict[str, exp.Expr] = {}
    for column in query.find_all(exp.Column):
        if column.table not in sources.home:
            continue
        place = column.find_ancestor(exp.From, exp.Join)
        while place is not None:
            if isinstance(place.this, exp.Subquery) and column.find_ancestor(exp.Subquery) is not None:
                inside = any(node is column for node in place.this.walk())
                if inside:
                    raise Untraceable(
                        f"{column.sql()} of the outer query stands in a derived table inside a sub-select.",
                        why="That is a correlation two levels up.",
                        remedy="Write its condition in WHERE of the sub-select itself, or give the rows under `evidence:`.",
                    )
            place = place.find_ancestor(exp.From, exp.Join)
        found.setdefault(column.sql(), column)
    return list(found.values())


def _statement(
    use: _Use,
    query: exp.Select,
    outer: Sequence[exp.Expr],
    given: Sequence[exp.Expr],
    alias: str,
    frame: Frame,
    *,
    only_equal: bool,
) -> exp.Select:
    """The sub-select as a statement: the values it is asked with, then its own output columns."""
    names = {column.sql(): number for number, column in enumerate(outer)}
    asked = [named_column(alias, f"__g{number}") for number in range(len(given))]
    values = _values(frame, given, alias)
    for column in list(query.find_all(exp.Column)):
        if column.sql() in names:
            column.replace(asked[names[column.sql()]].copy())
    outputs = [node.unalias() for node in query.expressions]
    _order(use, query, correlated=bool(given))
    if given:
        _require_joinable(query)
        _join_values(query, values)
        if is_grouped(query):
            group = query.args.get("group")
            keys = [*(node.copy() for node in asked), *(group.expressions if group is not None else ())]
            query.set("group", exp.Group(expressions=keys))
    if use.left:
        _require_match(use, query, outputs, asked[len(outer) :], only_equal=only_equal)
    if use.kind == "exists":
        outputs = []
    named = [exp.alias_(node.copy(), f"__g{number}", quoted=True) for number, node in enumerate(asked)]
    named += [exp.alias_(node.copy(), f"__v{number}", quoted=True) for number, node in enumerate(outputs)]
    if not named:
        named = [exp.alias_(exp.Literal.number(1), "__v0", quoted=True)]
    query.set("expressions", named)
    return query


def _values(frame: Frame, given: Sequence[exp.Expr], alias: str) -> exp.Subquery:
    """Every combination of values that the sub-select is asked with."""
    select = frame.select
    out = exp.Select(
        expressions=[exp.alias_(node.copy(), f"__g{number}", quoted=True) for number, node in enumerate(given)],
        distinct=exp.Distinct(),
    )
    for part in ("from_", "joins", "where"):
        value = select.args.get(part)
        if value is not None:
            out.set(part, [item.copy() for item in value] if isinstance(value, list) else value.copy())
    return exp.Subquery(this=out, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def _join_values(query: exp.Select, values: exp.Subquery) -> None:
    origin = query.args.get("from_")
    joins = list(query.args.get("joins") or ())
    if origin is not None:
        joins.insert(0, exp.Join(this=origin.this, kind="CROSS"))
    query.set("from_", exp.From(this=values))
    query.set("joins", joins)


def _require_joinable(query: exp.Select) -> None:
    if any((join.side or "").upper() in ("RIGHT", "FULL") for join in query.args.get("joins") or ()):
        raise Untraceable(
            "A sub-select that depends on the outer query has a RIGHT or FULL JOIN.", remedy="Write it as a LEFT JOIN."
        )


def _order(use: _Use, query: exp.Select, *, correlated: bool) -> None:
    """Drop ORDER BY and LIMIT where they decide nothing."""
    if query.args.get("limit") is not None and use.kind != "exists" and correlated:
        raise Untraceable(
            "A sub-select that depends on the outer query has a LIMIT.",
            why="It would cut the rows of all values together.",
            remedy="Use MIN or MAX.",
        )
    if use.kind == "exists" or query.args.get("limit") is None:
        query.set("order", None)
        query.set("limit", None)


def _require_match(
    use: _Use, query: exp.Select, outputs: Sequence[exp.Expr], left: Sequence[exp.Expr], *, only_equal: bool
) -> None:
    """Keep only rows that decide the condition: those that meet it (ANY, IN) or do not (ALL), and NULLs."""
    if any(isinstance(part, exp.AggFunc) for node in outputs for part in own_nodes(node)):
        return  # known only when it is added up
    kinds = {name: kind for kind, name in _OPERATORS.items()}
    parts: list[exp.Expr] = []
    for mine, theirs in zip(left, outputs, strict=True):
        test: exp.Expr = kinds[use.operator or "="](this=mine.copy(), expression=theirs.copy())
        if use.kind == "all":
            test = exp.Not(this=exp.paren(test))
        if not only_equal:
            nulls = [exp.Is(this=node.copy(), expression=exp.Null()) for node in (mine, theirs)]
            test = exp.paren(exp.or_(test, *nulls))
        parts.append(test)
    query.where(*parts, copy=False)
