"""Writes the statements that lineage needs, as trees: a statement with hidden keys, and its witness."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from footnote.lineage.frames import Analysed


def with_hidden_columns(analysed: Analysed) -> exp.Select:
    """The statement, and after its own columns what the rows are known by.

    Aggregated statements get their group keys; row statements the keys of their tables and the base columns that row
    checks need.
    """
    out = analysed.select.copy()
    if analysed.block.aggregated:
        extra = list(analysed.keys)
        names = [f"__k{number}" for number in range(len(extra))]
    else:
        extra = [*(node for nodes in analysed.source_keys for node in nodes), *analysed.base]
        names = [f"__b{number}" for number in range(len(extra))]
    for name, node in zip(names, extra, strict=True):
        out.append("expressions", exp.alias_(node.copy(), name, quoted=True))
    return out


def witness_statement(analysed: Analysed) -> exp.Select:
    """One row per contribution: group keys, the grain's key, contribution columns, base columns; in record order.

    The same FROM and WHERE as the statement, without its aggregates, HAVING, ORDER BY and LIMIT.
    """
    block = analysed.block
    key = [node for place in (block.grain, *block.beside) for node in analysed.source_keys[place]]
    columns = [
        *_named("__k", analysed.keys),
        *_named("__g", key),
        *((f"__c{number}", _argument(analysed, number, node)) for number, node in enumerate(analysed.arguments)),
        *_named("__b", analysed.base),
    ]
    out = exp.Select(expressions=[exp.alias_(node, name, quoted=True) for name, node in columns])
    for part in ("from_", "joins", "where"):
        value = analysed.select.args.get(part)
        if value is not None:
            out.set(part, [item.copy() for item in value] if isinstance(value, list) else value.copy())
    out.set("order", exp.Order(expressions=[exp.Ordered(this=node.copy(), nulls_first=False) for node in key]))
    return out


def by_group(analysed: Analysed) -> exp.Select:
    """The witness statement in the order of the group's keys, and in each group of the grain's."""
    out = witness_statement(analysed)
    keys = [exp.Ordered(this=node.copy(), nulls_first=False) for node in analysed.keys]
    out.set("order", exp.Order(expressions=[*keys, *out.args["order"].expressions]))
    return out


def counted(witness: exp.Select) -> exp.Select:
    """How many rows a witness statement has."""
    out = witness.copy()
    out.set("expressions", [exp.alias_(exp.Count(this=exp.Star()), "__n", quoted=True)])
    out.set("order", None)
    return out


def _named(prefix: str, nodes: Sequence[exp.Expr]) -> list[tuple[str, exp.Expr]]:
    return [(f"{prefix}{number}", node.copy()) for number, node in enumerate(nodes)]


def _argument(analysed: Analysed, number: int, node: exp.Expr) -> exp.Expr:
    """What the engine would round is read as text: it is compared for sanity, never added up."""
    return exp.cast(node.copy(), "TEXT") if number in analysed.block.approximate else node.copy()
