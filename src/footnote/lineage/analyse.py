"""One SELECT understood: which tables, which grain, and how every output column is made.

Fail closed: whatever is not understood is `Untraceable`, with the reason and what would work, when the plan is made.
What is understood is one query block over base tables. Sub-selects, derived tables, CTEs, set operations, DISTINCT and
windows are refused for now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.expressions import Expr, NotComputable, compile_expression
from footnote.lineage.outputs import AggregateOutputs, is_aggregate
from footnote.lineage.shape import BaseColumn, Block, Output, RowCheck, SourceTable
from footnote.lineage.types import ColumnTypes, infer_type
from footnote.sources.query import ValueType


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

    def leaf(self, node: exp.Expr) -> Expr | None:
        """The compiled form of a column."""
        if not isinstance(node, exp.Column):
            return None
        place = (node.table, node.name)
        return ["col", self.found.setdefault(place, len(self.found))]

    def columns(self) -> tuple[BaseColumn, ...]:
        """What was collected."""
        return tuple(
            BaseColumn(alias, name, self.types.type_of(self.tables[alias], name)) for alias, name in self.found
        )


def analyse(
    select: exp.Expr,
    *,
    names: Sequence[str],
    grain: str,
    keys: Mapping[str, tuple[str, ...]],
    types: ColumnTypes,
    currency: str = "",
) -> Analysed:
    """Understand a qualified SELECT.

    Args:
        select: The tree after qualification: every column has its table, GROUP BY holds expressions.
        names: Names of the output columns, in order.
        grain: Table of which one row is one contribution.
        keys: Primary key columns by table name.
        types: Types of base columns.
        currency: Column of the grain's table that has the currency of its amounts, if they all share one.

    Raises:
        Untraceable: If a figure of the statement could not be traced to rows.
    """
    select = _one_block(select)
    sources = _sources(select, keys)
    grain_index = _grain(sources, grain)
    base = BaseColumns({s.alias: s.table for s in sources}, types)
    if currency:
        base.leaf(exp.column(currency, table=sources[grain_index].alias))
    analysed = _analysed(select, names, sources, grain_index, base)
    return replace(analysed, block=replace(analysed.block, currency=0)) if currency else analysed


def _analysed(
    select: exp.Select, names: Sequence[str], sources: tuple[SourceTable, ...], grain_index: int, base: BaseColumns
) -> Analysed:
    if select.args.get("group") or select.args.get("having") or any(is_aggregate(e) for e in select.expressions):
        return _aggregated(select, names, sources, grain_index, base)
    return _rows(select, names, sources, grain_index, base)


def _one_block(select: exp.Expr) -> exp.Select:
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


def _sources(select: exp.Select, keys: Mapping[str, tuple[str, ...]]) -> tuple[SourceTable, ...]:
    origin = select.args.get("from_")
    if origin is None:
        raise Untraceable("The statement reads no table.", why="A figure needs rows.")
    out = []
    for node in (origin.this, *(join.this for join in select.args.get("joins") or ())):
        if not isinstance(node, exp.Table):
            raise Untraceable(f"FROM has a {type(node).__name__.lower()}.", remedy="Name base tables only.")
        name = table_name(node)
        if not keys.get(name):
            raise Untraceable(
                f"Table {name!r} has no primary key.",
                why="A row that cannot be named cannot be evidence.",
                remedy="Declare a key in the database, or leave the table out.",
            )
        out.append(SourceTable(node.alias_or_name, name, keys[name]))
    for join in select.args.get("joins") or ():
        if join.args.get("using") or (join.args.get("method") or "").upper() == "NATURAL":
            raise Untraceable("JOIN … USING and NATURAL JOIN cannot be traced yet.", remedy="Write JOIN … ON.")
    return tuple(out)


def table_name(table: exp.Table) -> str:
    """The table's name as the catalog writes it: `name` or `schema.name`."""
    return f"{table.db}.{table.name}" if table.db else table.name


def _grain(sources: Sequence[SourceTable], grain: str) -> int:
    places = [index for index, source in enumerate(sources) if source.table == grain]
    if len(places) == 1:
        return places[0]
    if places:
        raise Untraceable(
            f"The grain's table {grain!r} stands {len(places)} times in FROM.",
            why="It is not clear which of its rows is the contribution.",
            remedy="Join it once, or take another grain.",
        )
    raise Untraceable(
        f"The grain's table {grain!r} is not in FROM.", remedy=f"Take one of: {', '.join(s.table for s in sources)}."
    )


# --- row statements ---------------------------------------------------------------------------------------------------


def _rows(
    select: exp.Select, names: Sequence[str], sources: tuple[SourceTable, ...], grain: int, base: BaseColumns
) -> Analysed:
    notes: list[str] = []
    outputs = []
    for name, node in zip(names, select.expressions, strict=True):
        expression = _computed(node.unalias(), base.leaf, f"column {name}", notes)
        used = tuple(dict.fromkeys(column.table for column in node.find_all(exp.Column)))
        outputs.append(Output(name, "row value", expression, tables=used))
    checks = _filter_check(select, base, notes)
    block = Block(
        sources=sources,
        grain=grain,
        aggregated=False,
        outputs=tuple(outputs),
        base=base.columns(),
        checks=checks,
        limited=select.args.get("limit") is not None,
        notes=tuple(notes),
    )
    return Analysed(block, (), ())


def _computed(
    node: exp.Expr, leaf: Callable[[exp.Expr], Expr | None], what: str, notes: list[str]
) -> Expr | None:
    try:
        return compile_expression(node, leaf)
    except NotComputable as outside:
        notes.append(f"{what} is taken from the engine, not recomputed ({outside}).")
        return None


def _filter_check(select: exp.Select, base: BaseColumns, notes: list[str]) -> tuple[RowCheck, ...]:
    """The filter as a row check: every row that counts must meet it outside the engine too."""
    where = select.args.get("where")
    if where is None:
        return ()
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    compiled = [_computed(part, base.leaf, f"condition {part.sql()}", notes) for part in parts]
    return tuple(RowCheck("filter", index, part) for index, part in enumerate(compiled) if part is not None)


# --- aggregated statements --------------------------------------------------------------------------------------------


def _aggregated(
    select: exp.Select, names: Sequence[str], sources: tuple[SourceTable, ...], grain: int, base: BaseColumns
) -> Analysed:
    group = select.args.get("group")
    keys = tuple(group.expressions) if group else ()
    reader = AggregateOutputs(keys=keys, types=base.types, tables=base.tables)
    outputs = tuple(reader.output(name, node.unalias()) for name, node in zip(names, select.expressions, strict=True))
    having = select.args.get("having")
    compiled_having = reader.condition(having.this) if having else None
    notes: list[str] = list(reader.notes)
    arguments = tuple(reader.arguments)
    checks = [
        *_row_checks("argument", arguments, base, notes),
        *_row_checks("key", keys, base, notes),
        *_filter_check(select, base, notes),
    ]
    block = Block(
        sources=sources,
        grain=grain,
        aggregated=True,
        outputs=outputs,
        key_types=tuple(_type(key, base) for key in keys),
        argument_types=tuple(_type(argument, base) for argument in arguments),
        aggregates=tuple(reader.aggregates),
        base=base.columns(),
        checks=tuple(checks),
        having=compiled_having,
        limited=select.args.get("limit") is not None,
        notes=tuple(notes),
    )
    return Analysed(block, keys, arguments)


def _type(node: exp.Expr, base: BaseColumns) -> ValueType:
    return infer_type(node, base.tables, base.types)


def _row_checks(
    what: str, nodes: Sequence[exp.Expr], base: BaseColumns, notes: list[str]
) -> list[RowCheck]:
    out = []
    for index, node in enumerate(nodes):
        if isinstance(node, exp.Column):
            continue  # the value itself; there is nothing to compute
        compiled = _computed(node, base.leaf, f"{what} {node.sql()}", notes)
        if compiled is not None:
            out.append(RowCheck("argument" if what == "argument" else "key", index, compiled))
    return out
