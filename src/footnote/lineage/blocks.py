"""One block read: its columns, conditions, aggregates and group keys, as `Block` has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.columns import named_column
from footnote.lineage.expressions import Expr, NotComputable, alone_in, compile_expression, leaves_of
from footnote.lineage.frames import PRESENT, Frame, Sources
from footnote.lineage.knowledge import Knowledge
from footnote.lineage.normal import own_columns
from footnote.lineage.outputs import AggregateOutputs
from footnote.lineage.overs import read_window
from footnote.lineage.shape import Block, Cut, Output, RowCheck, Spread, Window
from footnote.lineage.subselects import SubSelects
from footnote.lineage.tables import inferred_grain, optional_aliases, required_conditions, tested_parts
from footnote.lineage.types import adds_exactly, calculates_exactly, infer_type, value_columns, value_terms
from footnote.sources.query import ValueType

_TYPED = {ValueType.INTEGER, ValueType.DECIMAL, ValueType.DATE, ValueType.DATETIME, ValueType.BOOLEAN}


@dataclass
class Statement:
    """What is being read.

    Attributes:
        shown: Whether its columns are figures; of an inner query they are not.
    """

    select: exp.Select
    names: Sequence[str]
    sources: Sources
    subs: SubSelects
    grain: tuple[int, ...]
    shown: bool
    notes: list[str] = field(default_factory=list)

    @property
    def known(self) -> Knowledge:
        """What is known of columns."""
        return self.sources.known

    def type(self, node: exp.Expr) -> ValueType:
        """The type of an expression's value."""
        return infer_type(node, self.known.tables, self.known)

    def calculates_exactly(self, node: exp.Expr) -> bool:
        """Whether the engine gives the expression's value exactly."""
        return calculates_exactly(self.sources.resolved(node), self.known.tables, self.known)


# --- columns ----------------------------------------------------------------------------------------------------------


def leaf_of(sources: Sources, subs: SubSelects, node: exp.Expr) -> Expr | None:
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


def place_tested(statement: Statement) -> None:
    """Collect what conditions test, where only reading it shows that it is of another type."""
    known, sources = statement.known, statement.sources
    for frame in () if known.strict else sources.all_frames:
        for part in tested_parts(frame.select):
            for column in own_columns(part):
                if column.table in sources.frames or column.table in sources.given:
                    continue
                if known.type_of(known.tables[column.table], column.name) in _TYPED:
                    sources.base.place(column.table, column.name)


def _computed(node: exp.Expr, statement: Statement, what: str) -> Expr | None:
    try:
        return compile_expression(node, statement.subs.leaf)
    except NotComputable as outside:
        statement.notes.append(f"{what} is taken from the engine, not recomputed ({outside}).")
        return None


def _filter_checks(statement: Statement) -> list[RowCheck]:
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


def _alone(*compiled: Expr | None) -> tuple[int, ...]:
    """Those of them that are terms of their own."""
    return tuple(sorted({place for part in compiled if part is not None for place in alone_in(part)}))


# --- row statements ---------------------------------------------------------------------------------------------------


def row_block(statement: Statement) -> Block:
    """A SELECT that does not group."""
    outputs: list[Output] = []
    windows: list[Window] = []
    sources = statement.sources
    aliases = {source.alias for source in sources.found}
    for name, node in zip(statement.names, list(statement.select.expressions), strict=True):
        value = node.unalias()
        if isinstance(value, exp.Window):
            windows.append(
                read_window(name, len(outputs), value, lambda part: compile_expression(part, statement.subs.leaf))
            )
            outputs.append(_window_output(name, value, windows[-1], statement))
            continue
        expression = None if sources.is_plain(value) else _computed(value, statement, f"column {name}")
        resolved = sources.resolved(value)
        used = tuple(dict.fromkeys(column.table for column in resolved.find_all(exp.Column) if column.table in aliases))
        approximate = expression is not None and not statement.calculates_exactly(value)
        subs = _subs(expression)
        outputs.append(
            Output(
                name,
                "row value",
                expression,
                tables=used,
                approximate=approximate,
                subs=subs,
                alone=_alone(expression),
            )
        )
    checks = _filter_checks(statement)
    first, *beside = statement.grain
    return Block(
        sources=tuple(sources.found),
        grain=first,
        beside=tuple(beside),
        aggregated=False,
        outputs=tuple(outputs),
        checks=tuple(checks),
        windows=tuple(windows),
    )


def _window_output(name: str, node: exp.Window, window: Window, statement: Statement) -> Output:
    exact = window.function != "average"
    if exact and window.argument is not None and window.function != "count":
        known = statement.known
        argument = statement.sources.resolved(node.this.this)
        exactly = adds_exactly if window.function == "sum" else calculates_exactly
        exact = exactly(argument, known.tables, known)
    subs, alone = _subs(window.argument), _alone(window.argument)
    return Output(name, window.method, None, approximate=not exact, subs=subs, alone=alone)


# --- aggregated statements --------------------------------------------------------------------------------------------


def aggregated_block(statement: Statement) -> tuple[Block, tuple[exp.Expr, ...], tuple[exp.Expr, ...]]:
    """A SELECT that groups, with the trees of its group keys and contribution columns."""
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
    outputs = tuple(_with_subs(output, [by_argument.get(a) for a in _used(output, reader)]) for output in outputs)
    checks = [*argument_checks, *_row_checks("key", keys, statement), *_filter_checks(statement)]
    first, *beside = _with_strays(statement, reader)
    block = Block(
        sources=tuple(sources.found),
        grain=first,
        beside=tuple(beside),
        asked=sum(isinstance(key, exp.Column) and key.table in sources.given for key in keys),
        lone=statement.shown and bool(beside),
        aggregated=True,
        outputs=outputs,
        key_types=tuple(statement.type(key) for key in keys),
        argument_types=tuple(statement.type(argument) for argument in arguments),
        approximate=tuple(
            check.index for check in argument_checks if not statement.calculates_exactly(arguments[check.index])
        ),
        added=_added(arguments, by_argument, statement),
        aggregates=tuple(reader.aggregates),
        checks=tuple(checks),
        spreads=tuple(_spreads(statement, reader)),
        having=compiled_having,
        cut=cut,
    )
    return block, keys, arguments


def _added(arguments: Sequence[exp.Expr], computed: Mapping[int, Expr], statement: Statement) -> tuple[int, ...]:
    return tuple(place for place, node in enumerate(arguments) if _is_added(node, place in computed, statement))


def _is_added(node: exp.Expr, computed: bool, statement: Statement) -> bool:
    """Whether the engine adds a contribution column up exactly: a base column, or what can be recomputed outside too."""
    kind = statement.type(node)
    if not computed and not statement.sources.is_plain(node):
        return False
    if kind not in (ValueType.INTEGER, ValueType.DECIMAL):
        return kind is not ValueType.ANY
    resolved = statement.sources.resolved(node)
    known = statement.known
    floats = any(not part.is_string and "e" in part.this.lower() for part in resolved.find_all(exp.Literal))
    return not floats and adds_exactly(resolved, known.tables, known)


def _with_strays(statement: Statement, reader: AggregateOutputs) -> tuple[int, ...]:
    """The grain, and what tells rows apart that have no row of it where COUNT(*) counts them too."""
    found = statement.sources.found
    counts_rows = any(aggregate.argument is None for aggregate in reader.aggregates)
    grain = statement.grain
    if not statement.shown or not counts_rows or found[grain[0]].alias not in optional_aliases(statement.select):
        return grain
    others = (place for place in inferred_grain(statement.select, found) if place not in grain)
    return (*grain, *others)


def _with_subs(output: Output, arguments: Sequence[Expr | None]) -> Output:
    found = (output.expression, *arguments)
    return replace(output, subs=_subs(*found), alone=_alone(*found))


def _used(output: Output, reader: AggregateOutputs) -> list[int]:
    places = [reader.aggregates[index].argument for index in output.aggregates]
    return [place for place in places if place is not None]


def _row_checks(what: Literal["argument", "key"], nodes: Sequence[exp.Expr], statement: Statement) -> list[RowCheck]:
    out = []
    for index, node in enumerate(nodes):
        if statement.sources.is_plain(node):
            continue  # the value itself; there is nothing to compute
        compiled = _computed(node, statement, f"{what} {_shown(node)}")
        if compiled is not None:
            out.append(RowCheck(what, index, compiled))
    return out


def _spreads(statement: Statement, reader: AggregateOutputs) -> list[Spread]:
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


def _cut(statement: Statement, reader: AggregateOutputs) -> Cut | None:
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


def _meant(node: exp.Expr, statement: Statement) -> exp.Expr:
    """What ORDER BY sorts by: an output column's own expression where it names one."""
    if isinstance(node, exp.Column) and not node.table:
        return next((e.unalias() for e in statement.select.expressions if e.alias_or_name == node.name), node)
    return node
