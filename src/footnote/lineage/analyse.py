"""One statement understood: which tables, which grain, and how every output column is made, level by level.

Fail closed: whatever is not understood is `Untraceable`, with the reason and what would work, when the plan is made.
A statement is read as blocks: one SELECT each, whose FROM may hold derived tables and whose conditions and values may
hold sub-selects. A block that groups, cuts or combines rows is an arm of its own; see `frames` and `subselects`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.columns import named_column
from footnote.lineage.expressions import Expr, NotComputable, compile_expression, leaves_of
from footnote.lineage.frames import PRESENT, Analysed, Frame, Sources, read_frame
from footnote.lineage.knowledge import Knowledge
from footnote.lineage.normal import is_grouped, own_columns
from footnote.lineage.outputs import AggregateOutputs
from footnote.lineage.shape import Block, Cut, Output, RowCheck, Spread
from footnote.lineage.subselects import SubSelects
from footnote.lineage.tables import grain_of, inferred_grain, required_conditions, table_name, tested_parts
from footnote.lineage.types import ColumnTypes, calculates_exactly, infer_type, value_columns, value_terms
from footnote.sources.query import ValueType

CurrencyOf = Callable[[str, exp.Expr, Sequence[str], bool], Sequence[tuple[str, str] | str]]
"""Where the currency of what an output column is made of stands: (alias, column), or a code.

It is given the column's name, its expression over base tables, the aliases of the base tables at hand, and whether the
column is a figure.
"""

_TYPED = {ValueType.INTEGER, ValueType.DECIMAL, ValueType.DATE, ValueType.DATETIME, ValueType.BOOLEAN}


@dataclass
class _Statement:
    """What is being read."""

    select: exp.Select
    names: Sequence[str]
    sources: Sources
    subs: SubSelects
    grain: tuple[int, ...]
    shown: bool
    notes: list[str] = field(default_factory=list)

    @property
    def known(self) -> Knowledge:
        return self.sources.known

    def type(self, node: exp.Expr) -> ValueType:
        return infer_type(node, self.known.tables, self.known)

    def calculates_exactly(self, node: exp.Expr) -> bool:
        return calculates_exactly(self.sources.resolved(node), self.known.tables, self.known)


def analyse(
    select: exp.Select,
    *,
    names: Sequence[str],
    grain: str,
    keys: Mapping[str, tuple[str, ...]],
    types: ColumnTypes,
    currencies: CurrencyOf | None = None,
) -> tuple[Analysed, Knowledge]:
    """Understand a statement.

    Args:
        select: The tree, qualified and `normalised`: every column has its table, GROUP BY holds expressions.
        names: Names of the output columns, in order.
        grain: Table of which one row is one contribution.
        keys: Key columns by table name.
        types: Types of base columns.
        currencies: Where the currencies of what the amounts are made of stand.

    Returns:
        The outermost block with its arms, and what is known of the columns of all queries in it.

    Raises:
        Untraceable: If a figure of the statement could not be traced to rows.
    """
    known = Knowledge(types, keys, grain)
    known.tables.update({node.alias: table_name(node) for node in select.find_all(exp.Table)})
    analysed = _block(select, known, currencies or (lambda *_: ()), names=names)
    return analysed, known


def _block(
    select: exp.Select, known: Knowledge, currencies: CurrencyOf, names: Sequence[str] | None = None
) -> Analysed:
    """One block; `names` only of the outermost, whose columns are figures."""

    def analyse_inner(query: exp.Select) -> Analysed:
        return _block(query, known, currencies)

    _refuse_forms(select)
    sources = Sources(known)
    read_frame(sources, Frame(select), analyse_inner)
    subs = SubSelects(sources, analyse_inner, lambda node: _leaf(sources, subs, node))
    grain = (grain_of(sources.found, known.grain),) if names is not None else inferred_grain(select, sources.found)
    shown = names is not None
    statement = _Statement(select, names or select.named_selects, sources, subs, grain, shown)
    _place_tested(statement)
    block, keys, arguments = _aggregated(statement) if is_grouped(select) else (_rows(statement), (), ())
    return _finished(statement, block, keys, arguments, currencies)


def _finished(
    statement: _Statement,
    block: Block,
    keys: tuple[exp.Expr, ...],
    arguments: tuple[exp.Expr, ...],
    currencies: CurrencyOf,
) -> Analysed:
    """The block with what was collected while it was read, and its trees."""
    sources = statement.sources
    nodes = [node.unalias() for node in statement.select.expressions[: len(statement.names)]]
    made_of = tuple(sources.resolved(node, deep=True) for node in nodes)
    aliases = [source.alias for source in sources.found if not source.inner]
    outputs = []
    for output, node in zip(block.outputs, made_of, strict=True):
        codes = currencies(output.name, node, aliases, statement.shown)
        places = tuple(code if isinstance(code, str) else sources.base.place(*code) for code in codes)
        outputs.append(replace(output, currencies=places))
    source_keys = [tuple(sources.reach(source.alias, name) for name in source.key) for source in sources.found]
    block = replace(
        block,
        outputs=tuple(outputs),
        base=sources.base.columns(),
        checks=(*statement.subs.checks, *block.checks),
        links=tuple(sources.links),
        notes=tuple(statement.notes),
    )
    return Analysed(
        block=block,
        select=statement.select,
        keys=keys,
        arguments=arguments,
        base=sources.base.nodes(),
        source_keys=tuple(source_keys),
        arms=tuple(sources.arms),
        types=tuple(statement.type(node) for node in nodes),
        exact=tuple(_is_exact(block, output) for output in outputs),
        made_of=made_of,
        cuts=statement.select.args.get("limit") is not None,
    )


def _is_exact(block: Block, output: Output) -> bool:
    return not output.approximate and all(block.aggregates[index].exact for index in output.aggregates)


def _refuse_forms(select: exp.Select) -> None:
    way_out = "Give the rows behind the figures by hand, under `evidence:`."
    if select.args.get("offset"):
        raise Untraceable("OFFSET cannot be traced yet.", remedy="Leave it out; paging is not an author's task.")
    if select.args.get("laterals") or any(isinstance(j.this, exp.Lateral) for j in select.args.get("joins") or ()):
        raise Untraceable("LATERAL cannot be traced yet.", remedy=way_out)
    group = select.args.get("group")
    if group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
        raise Untraceable("ROLLUP, CUBE and GROUPING SETS cannot be traced.", remedy="Use a statement for each level.")
    if any(node.find(exp.Window) for node in select.expressions):
        raise Untraceable("A window function cannot be traced yet.", remedy=way_out)


# --- columns ----------------------------------------------------------------------------------------------------------


def _leaf(sources: Sources, subs: SubSelects, node: exp.Expr) -> Expr | None:
    """The compiled form of a column, or of an expression that uses a sub-select."""
    if not isinstance(node, exp.Column):
        return subs.value(node)
    frame = sources.frames.get(node.table)
    if frame is not None:
        compiled = compile_expression(frame.projection(node.name), subs.leaf)
        return _if_present(sources, frame, compiled, ["null"]) if frame.optional else compiled
    if node.table in sources.inner:
        link = sources.links[sources.inner[node.table]]
        return ["sub", link.first + _output(sources, link.arms[0], node.name)]
    return sources.base.leaf(node)


def _output(sources: Sources, arm: int, name: str) -> int:
    names = [output.name for output in sources.arms[arm].block.outputs]
    if name not in names:
        raise Untraceable(f"An inner query has no column {name!r}.")
    return names.index(name)


def _if_present(sources: Sources, frame: Frame, compiled: Expr, otherwise: Expr) -> Expr:
    """A value of a derived table that an outer join may have found no row of."""
    assert frame.outer is not None  # noqa: S101 - only derived tables are optional
    node = frame.outer.outside(named_column(frame.alias, PRESENT))
    if all(item.alias_or_name != PRESENT for item in frame.select.expressions):
        frame.select.append("expressions", exp.alias_(exp.Literal.number(1), PRESENT, quoted=True))
    place = sources.base.place_value(node, ValueType.INTEGER)
    return ["case", [[["isnull", ["col", place]], otherwise]], compiled]


def _place_tested(statement: _Statement) -> None:
    """Collect what conditions test, where only reading it shows that it is of another type."""
    known, sources = statement.known, statement.sources
    for frame in () if known.strict else sources.all_frames:
        for part in tested_parts(frame.select):
            for column in own_columns(part):
                if column.table in sources.frames or column.table in sources.given:
                    continue
                if known.type_of(known.tables[column.table], column.name) in _TYPED:
                    sources.base.place(column.table, column.name)


def _computed(node: exp.Expr, statement: _Statement, what: str) -> Expr | None:
    try:
        return compile_expression(node, statement.subs.leaf)
    except NotComputable as outside:
        statement.notes.append(f"{what} is taken from the engine, not recomputed ({outside}).")
        return None


def _filter_checks(statement: _Statement) -> list[RowCheck]:
    """The filters as row checks: every row that counts must meet them outside the engine too."""
    found: list[Expr] = []
    for frame in statement.sources.all_frames:
        parts = required_conditions(frame.select)
        statement.subs.required |= {id(part) for part in parts if isinstance(part, exp.In)}
        statement.subs.negated |= {id(part.this.unnest()) for part in parts if isinstance(part, exp.Not)}
        for part in parts:
            compiled = _computed(part, statement, f"condition {_shown(part)}")
            if compiled is not None and frame.optional:
                compiled = _if_present(statement.sources, frame, compiled, ["bool", True])
            if compiled is not None:
                found.append(compiled)
    return [RowCheck("filter", index, part) for index, part in enumerate(found)]


def _shown(node: exp.Expr) -> str:
    return node.sql().replace('"', "")


def _subs(*compiled: Expr | None) -> tuple[int, ...]:
    """The values of inner queries that expressions use."""
    return tuple(sorted({place for part in compiled if part is not None for place in leaves_of(part, "sub")}))


# --- row statements ---------------------------------------------------------------------------------------------------


def _rows(statement: _Statement) -> Block:
    outputs, sources = [], statement.sources
    aliases = {source.alias for source in sources.found}
    for name, node in zip(statement.names, list(statement.select.expressions), strict=True):
        value = node.unalias()
        expression = None if sources.is_plain(value) else _computed(value, statement, f"column {name}")
        resolved = sources.resolved(value)
        used = tuple(dict.fromkeys(column.table for column in resolved.find_all(exp.Column) if column.table in aliases))
        approximate = expression is not None and not statement.calculates_exactly(value)
        subs = _subs(expression)
        outputs.append(Output(name, "row value", expression, tables=used, approximate=approximate, subs=subs))
    checks = _filter_checks(statement)
    first, *beside = statement.grain
    return Block(
        sources=tuple(sources.found),
        grain=first,
        beside=tuple(beside),
        aggregated=False,
        outputs=tuple(outputs),
        checks=tuple(checks),
    )


# --- aggregated statements --------------------------------------------------------------------------------------------


def _aggregated(statement: _Statement) -> tuple[Block, tuple[exp.Expr, ...], tuple[exp.Expr, ...]]:
    select, sources, known = statement.select, statement.sources, statement.known
    group = select.args.get("group")
    keys = tuple(group.expressions) if group else ()
    reader = AggregateOutputs(keys, known, known.tables, statement.subs.value, sources.resolved, shown=statement.shown)
    named = zip(statement.names, list(select.expressions), strict=True)
    outputs = tuple(reader.output(name, node.unalias()) for name, node in named)
    having = select.args.get("having")
    compiled_having = reader.condition(having.this) if having else None
    cut = _cut(statement, reader)
    arguments = tuple(reader.arguments)
    argument_checks = _row_checks("argument", arguments, statement)
    by_argument = {check.index: check.expression for check in argument_checks}
    outputs = tuple(
        replace(output, subs=_subs(output.expression, *(by_argument.get(a) for a in _used(output, reader))))
        for output in outputs
    )
    checks = [*argument_checks, *_row_checks("key", keys, statement), *_filter_checks(statement)]
    first, *beside = statement.grain
    block = Block(
        sources=tuple(sources.found),
        grain=first,
        beside=tuple(beside),
        aggregated=True,
        outputs=outputs,
        key_types=tuple(statement.type(key) for key in keys),
        argument_types=tuple(statement.type(argument) for argument in arguments),
        approximate=tuple(
            check.index for check in argument_checks if not statement.calculates_exactly(arguments[check.index])
        ),
        aggregates=tuple(reader.aggregates),
        checks=tuple(checks),
        spreads=tuple(_spreads(statement, reader)),
        having=compiled_having,
        cut=cut,
    )
    return block, keys, arguments


def _used(output: Output, reader: AggregateOutputs) -> list[int]:
    places = [reader.aggregates[index].argument for index in output.aggregates]
    return [place for place in places if place is not None]


def _row_checks(what: Literal["argument", "key"], nodes: Sequence[exp.Expr], statement: _Statement) -> list[RowCheck]:
    out = []
    for index, node in enumerate(nodes):
        if statement.sources.is_plain(node):
            continue  # the value itself; there is nothing to compute
        compiled = _computed(node, statement, f"{what} {_shown(node)}")
        if compiled is not None:
            out.append(RowCheck(what, index, compiled))
    return out


def _spreads(statement: _Statement, reader: AggregateOutputs) -> list[Spread]:
    """What is added up from other tables than the grain's, where a join may repeat a row."""
    sources = statement.sources
    places = {source.alias: index for index, source in enumerate(sources.found)}
    grain = {sources.found[place].alias for place in statement.grain}
    found: dict[tuple[int, frozenset[str]], bool] = {}
    for aggregate in reader.aggregates:
        if aggregate.argument is None or aggregate.function not in ("sum", "average", "count"):
            continue
        argument = sources.resolved(reader.arguments[aggregate.argument])
        counted = {frozenset(column.table for column in value_columns(argument))}
        for term in counted if aggregate.function == "count" else value_terms(argument):
            tables = term & set(places)
            if tables and not grain <= tables:
                where = (aggregate.argument, tables)
                found[where] = found.get(where, False) or aggregate.function != "sum"
    out = []
    for (place, tables), counts in found.items():
        of = tuple(sorted(places[alias] for alias in tables))
        keys = tuple(
            sources.base.place(source.alias, name) for source in (sources.found[i] for i in of) for name in source.key
        )
        out.append(Spread(place, of, keys, counts, _shown(reader.arguments[place])))
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
