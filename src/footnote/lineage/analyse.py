"""One statement understood: which tables, which grain, and how every output column is made, level by level.

Fail closed: whatever is not understood is `Untraceable`, with the reason and what would work, when the plan is made.
A statement is read as blocks: one SELECT each, whose FROM may hold derived tables and whose conditions and values may
hold sub-selects. A block that groups, cuts or combines rows is an arm of its own; see `frames` and `subselects`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.blocks import Statement, aggregated_block, leaf_of, place_tested, row_block
from footnote.lineage.frames import Analysed, Frame, Sources, read_frame
from footnote.lineage.knowledge import Knowledge
from footnote.lineage.normal import is_grouped
from footnote.lineage.overs import has_window, refuse_windows
from footnote.lineage.repeats import repeats_of
from footnote.lineage.shape import Block, Output
from footnote.lineage.subselects import SubSelects
from footnote.lineage.tables import grain_of, inferred_grain, table_name
from footnote.lineage.types import ColumnTypes

CurrencyOf = Callable[[str, exp.Expr, Sequence[str], bool], Sequence[tuple[str, str] | str]]
"""Where the currency of what an output column is made of stands: (alias, column), or a code.

It is given the column's name, its expression over base tables, the aliases of the base tables at hand, and whether the
column is a figure.
"""


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
    subs = SubSelects(sources, analyse_inner, lambda node: leaf_of(sources, subs, node))
    grain = (grain_of(sources.found, known.grain),) if names is not None else inferred_grain(select, sources.found)
    shown = names is not None
    statement = Statement(select, names or select.named_selects, sources, subs, grain, shown)
    place_tested(statement)
    block, keys, arguments = aggregated_block(statement) if is_grouped(select) else (row_block(statement), (), ())
    return _finished(statement, block, keys, arguments, currencies)


def _finished(
    statement: Statement,
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
        repeats=repeats_of(block.aggregates, block.checks, sources.links),
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
    if has_window(select):
        refuse_windows(select, grouped=is_grouped(select))
