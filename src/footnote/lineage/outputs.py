"""How one output column of an aggregated statement is made from its aggregates and group keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.expressions import Expr, NotComputable, compile_expression
from footnote.lineage.normal import own_nodes
from footnote.lineage.shape import Aggregate, Method, Output
from footnote.lineage.types import ColumnTypes, adds_exactly, calculates_exactly, infer_type
from footnote.sources.query import ValueType

_ADDITIVE = {"sum", "count"}


def is_aggregate(node: exp.Expr) -> bool:
    """Whether an aggregate stands anywhere in the expression, its sub-selects aside."""
    return any(isinstance(part, exp.AggFunc) for part in own_nodes(node))


@dataclass
class AggregateOutputs:
    """Reads output columns one by one; collects aggregates and their arguments, each once.

    Attributes:
        keys: GROUP BY.
        types: Of columns.
        tables: Canonical names by alias.
        sub_select: Compiles expressions that use a sub-select.
        resolved: An expression over base tables.
        shown: Whether the columns are figures, of which it must be said what each row adds.
    """

    keys: Sequence[exp.Expr]
    types: ColumnTypes
    tables: Mapping[str, str]
    sub_select: Callable[[exp.Expr], Expr | None]
    resolved: Callable[[exp.Expr], exp.Expr]
    shown: bool = True
    aggregates: list[Aggregate] = field(default_factory=list)
    arguments: list[exp.Expr] = field(default_factory=list)

    def output(self, name: str, node: exp.Expr) -> Output:
        """How column `name` is made.

        Raises:
            Untraceable: If that is not understood.
        """
        used: list[int] = []
        expression = self._compile(name, node, used)
        if not used:
            return Output(name, "group", expression)
        functions = {self.aggregates[index].function for index in used}
        if functions <= _ADDITIVE:
            contribution = _contribution(expression, self.aggregates)
            if contribution is None and self.shown:
                raise Untraceable(
                    f"Column {name!r} is not a sum of its rows' contributions.",
                    why="It multiplies, divides or branches on aggregates.",
                    remedy="Select the aggregates as columns of their own and compute the figure under `derive`.",
                )
            method: Method = "count" if functions == {"count"} else "sum"
            case = any(isinstance(self.arguments[a], exp.Case) for i in used if (a := self._argument(i)) is not None)
            return Output(name, method, expression, contribution, tuple(used), case=case)
        if self.shown:
            self._require_one_alone(name, used)
        return Output(name, self.aggregates[used[0]].function, expression, aggregates=tuple(used))

    def _require_one_alone(self, name: str, used: Sequence[int]) -> None:
        functions = sorted({self.aggregates[index].function for index in used})
        combine = "Select each aggregate as a column of its own and combine them under `derive`."
        if len(set(used)) != 1:
            raise Untraceable(f"Column {name!r} mixes {' and '.join(functions)}.", remedy=combine)
        argument = self.aggregates[used[0]].argument
        if functions[0] not in ("minimum", "maximum") or argument is None:
            return
        if infer_type(self.arguments[argument], self.tables, self.types) is ValueType.TEXT:
            raise Untraceable(
                f"Column {name!r} is the {functions[0]} of texts.",
                why="The order of texts depends on the engine's collation.",
                remedy="Take MIN or MAX of a number or a date.",
            )

    def condition(self, node: exp.Expr) -> Expr:
        """A HAVING condition over aggregates and keys."""
        return self._compile("HAVING", node, [])

    def _argument(self, index: int) -> int | None:
        return self.aggregates[index].argument

    def _compile(self, name: str, node: exp.Expr, used: list[int]) -> Expr:
        def leaf(part: exp.Expr) -> Expr | None:
            for index, key in enumerate(self.keys):
                if part == key:
                    return ["key", index]
            if isinstance(part, exp.Filter | exp.AggFunc):
                index = self._aggregate(name, part)
                used.append(index)
                return ["agg", index]
            asked = self.sub_select(part)
            if asked is not None:
                return asked
            if isinstance(part, exp.Column):
                raise Untraceable(
                    f"Column {name!r} uses {part.sql()}, which is neither grouped nor aggregated.",
                    remedy="Add it to GROUP BY.",
                )
            return None

        try:
            return compile_expression(node, leaf)
        except NotComputable as outside:
            raise Untraceable(
                f"Column {name!r} cannot be recomputed from its rows ({outside}).",
                remedy="Use +, -, *, COALESCE, CASE and the typed functions around aggregates.",
            ) from outside

    def _aggregate(self, name: str, node: exp.Expr) -> int:
        function, argument = self._read(name, node)
        position = None if argument is None else self._remember(argument)
        exact = argument is None or self._exact(function, argument)
        found = Aggregate(function, position, exact and function != "average")
        if found not in self.aggregates:
            self.aggregates.append(found)
        return self.aggregates.index(found)

    def _exact(self, function: Method, argument: exp.Expr) -> bool:
        if function in ("count", "count distinct"):
            return True
        argument = self.resolved(argument)
        exactly = adds_exactly if function in ("sum", "sum distinct", "average") else calculates_exactly
        return exactly(argument, self.tables, self.types)

    def _remember(self, argument: exp.Expr) -> int:
        if argument not in self.arguments:
            self.arguments.append(argument)
        return self.arguments.index(argument)

    def _read(self, name: str, node: exp.Expr) -> tuple[Method, exp.Expr | None]:
        condition = None
        if isinstance(node, exp.Filter):
            condition, node = node.expression.this, node.this
        function, argument = _function(name, node)
        if condition is not None:
            counted = exp.Literal.number(1) if argument is None else argument
            argument = exp.Case(ifs=[exp.If(this=condition.copy(), true=counted.copy())])
        if argument is not None and is_aggregate(argument):
            raise Untraceable(f"Column {name!r} aggregates an aggregate.", remedy="Use two statements.")
        return function, argument


def _function(name: str, node: exp.Expr) -> tuple[Method, exp.Expr | None]:
    plain: dict[type[exp.Expr], Method] = {
        exp.Sum: "sum",
        exp.Min: "minimum",
        exp.Max: "maximum",
        exp.Avg: "average",
        exp.Count: "count",
    }
    method = plain.get(type(node))
    argument = node.this
    if method is None or node.expressions:
        raise Untraceable(
            f"Column {name!r} uses {node.sql()}, which cannot be traced.",
            remedy="Use SUM, COUNT, COUNT(DISTINCT …), MIN, MAX or AVG.",
        )
    if isinstance(argument, exp.Distinct):
        if method in ("sum", "count") and len(argument.expressions) == 1:
            return ("sum distinct" if method == "sum" else "count distinct"), argument.expressions[0]
        if method in ("minimum", "maximum"):
            return method, argument.expressions[0]
        raise Untraceable(
            f"Column {name!r} uses {node.sql()}.",
            remedy="DISTINCT is traced in COUNT(DISTINCT x) and SUM(DISTINCT x) only.",
        )
    return (method, None) if isinstance(argument, exp.Star) else (method, argument)


def _contribution(compiled: Expr, aggregates: Sequence[Aggregate]) -> Expr | None:
    """What one row adds, if the expression is linear in its sums and counts; else None."""
    head = compiled[0]
    if head == "agg":
        aggregate = aggregates[compiled[1]]
        if aggregate.argument is None:
            return ["num", "1"]
        argument: Expr = ["arg", aggregate.argument]
        if aggregate.function == "count":
            return ["case", [[["isnull", argument], ["num", "0"]]], ["num", "1"]]
        return ["coalesce", argument, ["num", "0"]]
    if head in ("+", "-"):
        left, right = (_contribution(part, aggregates) for part in compiled[1:])
        return None if left is None or right is None else [head, left, right]
    if head == "neg":
        inner = _contribution(compiled[1], aggregates)
        return None if inner is None else ["neg", inner]
    if head == "coalesce" and len(compiled) == 3 and _is_zero(compiled[2]):
        return _contribution(compiled[1], aggregates)
    if head == "*":
        return _scaled(compiled, aggregates)
    return None


def _is_zero(compiled: Expr) -> bool:
    return bool(compiled[0] == "num" and not Decimal(compiled[1]))


def _scaled(compiled: Expr, aggregates: Sequence[Aggregate]) -> Expr | None:
    """A sum times a constant."""
    for factor, other in ((compiled[1], compiled[2]), (compiled[2], compiled[1])):
        if factor[0] == "num" or (factor[0] == "neg" and factor[1][0] == "num"):
            inner = _contribution(other, aggregates)
            return None if inner is None else ["*", factor, inner]
    return None
