"""Plans whose witness statement is written by hand, because it cannot be derived from the statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from footnote.catalog.model import HandEvidence, Statement
from footnote.errors import StatementRefused
from footnote.lineage.expressions import Expr
from footnote.lineage.knowledge import Tables
from footnote.lineage.normal import selected_from
from footnote.lineage.shape import Aggregate, Block, Output, SourceTable
from footnote.lineage.tables import table_name
from footnote.plans.collations import refuse_caseless
from footnote.plans.columns import Columns, value_type
from footnote.plans.comparisons import refuse_misleading
from footnote.plans.dialects import ParameterTypes, template
from footnote.plans.fitted import fitted
from footnote.plans.shape import CONTRIBUTIONS, StatementPlan
from footnote.sources.query import Column


@dataclass(frozen=True, slots=True)
class ByHand:
    """A statement and its evidence, both qualified, and what they are about.

    Attributes:
        name: Of the statement.
        statement: As the catalog has it.
        evidence: As the catalog has it.
        tree: The statement.
        rows: The evidence.
        grain: The grain's table, with its record type.
    """

    name: str
    statement: Statement
    evidence: HandEvidence
    tree: exp.Query
    rows: exp.Query
    grain: SourceTable


def plan_by_hand(of: ByHand, columns: Columns, types: ParameterTypes) -> StatementPlan:
    """The plan of a statement whose rows are given by hand.

    Raises:
        StatementRefused: If the engine has no faithful form for it, or would add its figures up inexactly.
    """
    specs = of.statement.columns
    names = [node.alias_or_name for node in of.tree.selects]
    kinds = {name: value_type(spec) for name, spec in specs.items()}
    groups, figures = of.evidence.groups, list(of.evidence.figures)
    block = Block(
        sources=(of.grain,),
        grain=0,
        aggregated=True,
        outputs=tuple(_output(name, of.evidence) for name in names),
        key_types=tuple(kinds[name] for name in groups),
        argument_types=tuple(kinds[name] for name in figures),
        aggregates=tuple(
            Aggregate(of.evidence.figures[name], place, of.evidence.figures[name] != "average")
            for place, name in enumerate(figures)
        ),
        notes=("the rows behind the figures are given by hand, and added up.",),
    )
    shown = tuple(Column(name, kinds[name]) for name in names)
    key = tuple(Column(f"__g{place}", kind) for place, kind in enumerate(of.grain.key_types))
    shape = (
        *(Column(f"__k{place}", kind) for place, kind in enumerate(block.key_types)),
        *key,
        *(Column(f"__c{place}", kind) for place, kind in enumerate(block.argument_types)),
    )
    wanted = [*groups, *of.evidence.keys, *figures]
    witness = _selected(of.rows, wanted, [column.name for column in shape], of.evidence.keys)
    main = template(_typed(of.tree, columns, types), columns.dialect, types, shown)
    rows = template(_typed(witness, columns, types), columns.dialect, types, shape)
    return StatementPlan(of.name, block, main, rows, groups=tuple(names.index(name) for name in groups))


def _output(name: str, evidence: HandEvidence) -> Output:
    if name in evidence.groups:
        return Output(name, "group", ["key", evidence.groups.index(name)])
    method, place = evidence.figures[name], list(evidence.figures).index(name)
    argument: Expr = ["arg", place]
    adds: dict[str, Expr] = {
        "sum": ["coalesce", argument, ["num", "0"]],
        "count": ["case", [[["isnull", argument], ["num", "0"]]], ["num", "1"]],
    }
    return Output(name, method, ["agg", place], adds.get(method), (place,))


def _selected(query: exp.Query, wanted: Sequence[str], names: Sequence[str], key: Sequence[str]) -> exp.Select:
    """The evidence's columns in the order that tie-out reads them, in record order, one more row than is read at most."""
    columns = [
        exp.alias_(exp.column(name, table="__rows", quoted=True), given, quoted=True)
        for name, given in zip(wanted, names, strict=True)
    ]
    alias = exp.TableAlias(this=exp.to_identifier("__rows", quoted=True))
    out = exp.Select(expressions=columns, from_=exp.From(this=exp.Subquery(this=query.copy(), alias=alias)))
    order = [exp.Ordered(this=exp.column(name, table="__rows", quoted=True), nulls_first=False) for name in key]
    out.set("order", exp.Order(expressions=order))
    return out.limit(CONTRIBUTIONS + 1)


def _typed(query: exp.Query, columns: Columns, types: ParameterTypes) -> exp.Expr:
    """The query as the engine must be given it; only aliases that mean one table are known."""
    tree = query if isinstance(query, exp.Select) else selected_from(query.copy(), "__set", list(query.named_selects))
    tables = _tables(tree)
    refuse_caseless(tree, tables, columns)
    refuse_misleading(tree, tables, columns, types)
    if columns.dialect == "sqlite":
        _refuse_inexact(tree, tables, columns)
    return fitted(tree, tables, columns, types)


def _refuse_inexact(tree: exp.Select, tables: Mapping[str, str], columns: Columns) -> None:
    added = (column for total in tree.find_all(exp.Sum) for column in total.find_all(exp.Column))
    if any(not columns.exact(tables[column.table], column.name) for column in added):
        raise StatementRefused(
            "SQLite adds decimals up as floats, and evidence by hand cannot mend that.",
            remedy="Keep amounts as whole minor units, or use another engine.",
        )


def _tables(tree: exp.Query) -> Mapping[str, str]:
    found: dict[str, set[str]] = {}
    for node in tree.find_all(exp.Table):
        found.setdefault(node.alias_or_name, set()).add(table_name(node))
    return Tables(
        {alias: names.pop() for alias, names in found.items() if len(names) == 1 and "." in next(iter(names))}
    )
