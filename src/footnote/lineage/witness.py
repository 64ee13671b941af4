"""Writes the statements that lineage needs, as trees: the author's statement with hidden keys, and its witness."""

from __future__ import annotations

from sqlglot import exp

from footnote.lineage.analyse import Analysed
from footnote.lineage.shape import Block


def with_hidden_columns(select: exp.Select, analysed: Analysed) -> exp.Select:
    """The author's statement, and after its own columns what the rows are known by.

    Aggregated statements get their group keys; row statements the keys of their tables and the base columns that row
    checks need.
    """
    out = select.copy()
    if analysed.block.aggregated:
        extra = [key.copy() for key in analysed.keys]
        names = [f"__k{number}" for number in range(len(extra))]
    else:
        extra = [*_all_keys(analysed.block), *_base_columns(analysed.block)]
        names = [f"__h{number}" for number in range(len(extra))]
    for name, node in zip(names, extra, strict=True):
        out.append("expressions", exp.alias_(node, name, quoted=True))
    return out


def witness_statement(select: exp.Select, analysed: Analysed, limit: int) -> exp.Select:
    """One row per contribution: group keys, the grain's key, contribution columns, base columns; in record order.

    The same FROM and WHERE as the author's statement, without its aggregates, HAVING, ORDER BY and LIMIT.
    """
    block = analysed.block
    grain = block.sources[block.grain]
    key = [_column(grain.alias, name) for name in grain.key]
    columns = [
        *((f"__k{number}", node.copy()) for number, node in enumerate(analysed.keys)),
        *((f"__g{number}", node.copy()) for number, node in enumerate(key)),
        *((f"__c{number}", _argument(block, number, node)) for number, node in enumerate(analysed.arguments)),
        *((f"__b{number}", node) for number, node in enumerate(_base_columns(block))),
    ]
    out = exp.Select(expressions=[exp.alias_(node, name, quoted=True) for name, node in columns])
    for part in ("from_", "joins", "where"):
        value = select.args.get(part)
        if value is not None:
            out.set(part, [item.copy() for item in value] if isinstance(value, list) else value.copy())
    out.set("order", exp.Order(expressions=[exp.Ordered(this=node, nulls_first=False) for node in key]))
    return out.limit(limit, copy=False)


def _argument(block: Block, number: int, node: exp.Expr) -> exp.Expr:
    """What the engine would round is read as text: it is compared for sanity, never added up."""
    return exp.cast(node.copy(), "TEXT") if number in block.approximate else node.copy()


def _all_keys(block: Block) -> list[exp.Expr]:
    return [_column(source.alias, name) for source in block.sources for name in source.key]


def _base_columns(block: Block) -> list[exp.Expr]:
    return [_column(base.alias, base.column) for base in block.base]


def _column(alias: str, name: str) -> exp.Expr:
    return exp.column(name, table=alias, quoted=True)
