"""One SELECT understood: which tables, which grain, and how every output column is made.

Fail closed: whatever is not understood is `Untraceable`, with the reason and what would work, when the plan is made.
What is understood is one query block over base tables. Sub-selects, derived tables, CTEs, set operations, DISTINCT and
windows are refused for now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.expressions import Expr, NotComputable, compile_expression
from footnote.lineage.outputs import AggregateOutputs, is_aggregate
from footnote.lineage.shape import BaseColumn, Block, Cut, Output, RowCheck, SourceTable, Spread
from footnote.lineage.tables import grain_of, required_conditions, source_tables, tested_parts
from footnote.lineage.types import ColumnTypes, calculates_exactly, infer_type, value_columns, value_terms
from footnote.sources.query import ValueType

CurrencyOf = Mapping[str, Sequence[tuple[str, str] | str]]
"""By output column: (alias, column) that has the currency of what it is made of, or a code."""


_TYPED = {ValueType.INTEGER, ValueType.DECIMAL, ValueType.DATE, ValueType.DATETIME, ValueType.BOOLEAN}


@dataclass(frozen=True, slots=True)
class Analysed:
    """A block, and the trees its witness statement is written from."""

    block: Block
    keys: tuple[exp.Expr, ...]
    arguments: tuple[exp.Expr, ...]


@dataclass
class BaseColumns:
    """Collects the base columns that row expressions need, each once, in order of first use."""

    tables: Mapping[str, str]
    types: ColumnTypes
    found: dict[tuple[str, str], int] = field(default_factory=dict)

    def place(self, alias: str, column: str) -> int:
        """The position of a column, which is collected."""
        return self.found.setdefault((alias, column), len(self.found))

    def leaf(self, node: exp.Expr) -> Expr | None:
        """The compiled form of a column."""
        if not isinstance(node, exp.Column):
            return None
        table = self.tables[node.table]
        if self.types.caseless(table, node.name):
            raise NotComputable(f"{node.name} is compared without regard to case")
        compiled: Expr = ["col", self.place(node.table, node.name)]
        return ["padded", compiled] if self.types.padded(table, node.name) else compiled

    def columns(self) -> tuple[BaseColumn, ...]:
        """What was collected."""
        return tuple(
            BaseColumn(alias, name, kind, zoneless=kind is ValueType.DATETIME and not self.types.strict)
            for alias, name in self.found
            for kind in (self.types.type_of(self.tables[alias], name),)
        )

    def place_tested(self, select: exp.Select) -> None:
        """Collect what conditions test, where only reading it shows that it is of another type."""
        for part in () if self.types.strict else tested_parts(select):
            for column in part.find_all(exp.Column):
                if self.types.type_of(self.tables[column.table], column.name) in _TYPED:
                    self.place(column.table, column.name)


@dataclass(frozen=True, slots=True)
class _Statement:
    """What is being read."""

    select: exp.Select
    names: Sequence[str]
    sources: tuple[SourceTable, ...]
    grain: int
    base: BaseColumns
    notes: list[str] = field(default_factory=list)


def analyse(
    select: exp.Expr,
    *,
    names: Sequence[str],
    grain: str,
    keys: Mapping[str, tuple[str, ...]],
    types: ColumnTypes,
    currencies: CurrencyOf | None = None,
) -> Analysed:
    """Understand a qualified SELECT.

    Args:
        select: The tree after qualification: every column has its table, GROUP BY holds expressions.
        names: Names of the output columns, in order.
        grain: Table of which one row is one contribution.
        keys: Key columns by table name.
        types: Types of base columns.
        currencies: Where the currencies of what the amounts are made of stand.

    Raises:
        Untraceable: If a figure of the statement could not be traced to rows.
    """
    select = one_block(select)
    sources = source_tables(select, keys)
    base = BaseColumns({source.alias: source.table for source in sources}, types)
    base.place_tested(select)
    statement = _Statement(select, names, sources, grain_of(sources, grain), base)
    outputs = (select.args.get("group"), select.args.get("having"), *(e for e in select.expressions if is_aggregate(e)))
    analysed = _aggregated(statement) if any(outputs) else _rows(statement)
    return _with_currencies(analysed, base, currencies or {})


def _with_currencies(analysed: Analysed, base: BaseColumns, currencies: CurrencyOf) -> Analysed:
    outputs = tuple(
        replace(
            output,
            currencies=tuple(c if isinstance(c, str) else base.place(*c) for c in currencies.get(output.name, ())),
        )
        for output in analysed.block.outputs
    )
    return replace(analysed, block=replace(analysed.block, outputs=outputs, base=base.columns()))


def one_block(select: exp.Expr) -> exp.Select:
    """The statement, if it is one query block over base tables.

    Raises:
        Untraceable: If it is more.
    """
    way_out = "Use several statements in one operation, each one SELECT over base tables."
    if not isinstance(select, exp.Select):
        raise Untraceable("A set operation (UNION, EXCEPT, INTERSECT) cannot be traced yet.", remedy=way_out)
    if select.args.get("with_"):
        raise Untraceable("A WITH clause cannot be traced yet.", remedy=way_out)
    if select.args.get("distinct"):
        raise Untraceable("SELECT DISTINCT cannot be traced yet.", remedy="Use GROUP BY.")
    if select.args.get("offset"):
        raise Untraceable("OFFSET cannot be traced yet.", remedy="Leave it out; paging is not an author's task.")
    if select.args.get("laterals") or select.find(exp.Lateral, exp.Unnest):
        raise Untraceable("LATERAL cannot be traced yet.", remedy=way_out)
    if any(query is not select for query in select.find_all(exp.Query) if not isinstance(query, exp.Table)):
        raise Untraceable("A sub-select cannot be traced yet.", remedy=way_out)
    if select.find(exp.Window):
        raise Untraceable("A window function cannot be traced yet.", remedy=way_out)
    if select.find(exp.Rollup, exp.Cube, exp.GroupingSets):
        raise Untraceable("ROLLUP, CUBE and GROUPING SETS cannot be traced yet.", remedy=way_out)
    return select


# --- row statements ---------------------------------------------------------------------------------------------------


def _rows(statement: _Statement) -> Analysed:
    outputs, base = [], statement.base
    for name, node in zip(statement.names, statement.select.expressions, strict=True):
        value = node.unalias()
        plain = isinstance(value, exp.Column)  # the value itself; there is nothing to compute
        expression = None if plain else _computed(value, statement, f"column {name}")
        used = tuple(dict.fromkeys(column.table for column in node.find_all(exp.Column)))
        approximate = expression is not None and not calculates_exactly(value, base.tables, base.types)
        outputs.append(Output(name, "row value", expression, tables=used, approximate=approximate))
    checks = _filter_checks(statement)
    block = Block(
        sources=statement.sources,
        grain=statement.grain,
        aggregated=False,
        outputs=tuple(outputs),
        checks=tuple(checks),
        notes=tuple(statement.notes),
    )
    return Analysed(block, (), ())


def _computed(node: exp.Expr, statement: _Statement, what: str) -> Expr | None:
    try:
        return compile_expression(node, statement.base.leaf)
    except NotComputable as outside:
        statement.notes.append(f"{what} is taken from the engine, not recomputed ({outside}).")
        return None


def _filter_checks(statement: _Statement) -> list[RowCheck]:
    """The filter as row checks: every row that counts must meet it outside the engine too."""
    parts = required_conditions(statement.select)
    compiled = [_computed(part, statement, f"condition {_shown(part)}") for part in parts]
    return [RowCheck("filter", index, part) for index, part in enumerate(compiled) if part is not None]


def _shown(node: exp.Expr) -> str:
    return node.sql().replace('"', "")


# --- aggregated statements --------------------------------------------------------------------------------------------


def _aggregated(statement: _Statement) -> Analysed:
    select, base = statement.select, statement.base
    group = select.args.get("group")
    keys = tuple(group.expressions) if group else ()
    reader = AggregateOutputs(keys=keys, types=base.types, tables=base.tables)
    named = zip(statement.names, select.expressions, strict=True)
    outputs = tuple(reader.output(name, node.unalias()) for name, node in named)
    having = select.args.get("having")
    compiled_having = reader.condition(having.this) if having else None
    cut = _cut(statement, reader)
    arguments = tuple(reader.arguments)
    checks = [
        *_row_checks("argument", arguments, statement),
        *_row_checks("key", keys, statement),
        *_filter_checks(statement),
    ]
    block = Block(
        sources=statement.sources,
        grain=statement.grain,
        aggregated=True,
        outputs=outputs,
        key_types=tuple(_type(key, base) for key in keys),
        argument_types=tuple(_type(argument, base) for argument in arguments),
        approximate=tuple(
            check.index
            for check in checks
            if check.what == "argument" and not calculates_exactly(arguments[check.index], base.tables, base.types)
        ),
        aggregates=tuple(reader.aggregates),
        checks=tuple(checks),
        spreads=tuple(_spreads(statement, reader)),
        having=compiled_having,
        cut=cut,
        notes=tuple(statement.notes),
    )
    return Analysed(block, keys, arguments)


def _type(node: exp.Expr, base: BaseColumns) -> ValueType:
    return infer_type(node, base.tables, base.types)


def _row_checks(what: Literal["argument", "key"], nodes: Sequence[exp.Expr], statement: _Statement) -> list[RowCheck]:
    out = []
    for index, node in enumerate(nodes):
        if isinstance(node, exp.Column):
            continue  # the value itself; there is nothing to compute
        compiled = _computed(node, statement, f"{what} {_shown(node)}")
        if compiled is not None:
            out.append(RowCheck(what, index, compiled))
    return out


def _spreads(statement: _Statement, reader: AggregateOutputs) -> list[Spread]:
    """What is added up from other tables than the grain's, where a join may repeat a row."""
    places = {source.alias: index for index, source in enumerate(statement.sources)}
    grain = statement.sources[statement.grain].alias
    found: dict[tuple[int, frozenset[str]], bool] = {}
    for aggregate in reader.aggregates:
        if aggregate.argument is None or aggregate.function not in ("sum", "average", "count"):
            continue
        argument = reader.arguments[aggregate.argument]
        counted = {frozenset(column.table for column in value_columns(argument))}
        for term in counted if aggregate.function == "count" else value_terms(argument):
            if term and grain not in term:
                where = (aggregate.argument, term)
                found[where] = found.get(where, False) or aggregate.function != "sum"
    out = []
    for (place, term), counts in found.items():
        tables = tuple(sorted(places[alias] for alias in term))
        sources = [statement.sources[table] for table in tables]
        keys = tuple(statement.base.place(source.alias, name) for source in sources for name in source.key)
        out.append(Spread(place, tables, keys, counts, _shown(reader.arguments[place])))
    return out


def _cut(statement: _Statement, reader: AggregateOutputs) -> Cut | None:
    """LIMIT, and ORDER BY as far as it can be computed outside the engine."""
    limit, order = statement.select.args.get("limit"), statement.select.args.get("order")
    if limit is None:
        return None
    terms: list[tuple[Expr, bool]] = []
    complete = order is not None
    for item in order.expressions if order else ():
        node = _meant(item.this, statement)
        try:
            terms.append((reader.condition(node), bool(item.args.get("desc"))))
        except Untraceable:
            complete = False
            break
    if not complete:
        statement.notes.append("which groups LIMIT leaves out is taken from the engine.")
    return Cut(compile_expression(limit.expression, lambda _: None), tuple(terms), complete)


def _meant(node: exp.Expr, statement: _Statement) -> exp.Expr:
    """What ORDER BY sorts by: an output column's own expression where it names one."""
    if isinstance(node, exp.Column) and not node.table:
        return next((e.unalias() for e in statement.select.expressions if e.alias_or_name == node.name), node)
    return node
