"""LATERAL that adds up: a derived table with exactly one row for each row beside it is a sub-select for each column.

`FROM o CROSS JOIN LATERAL (SELECT SUM(l.a) AS t FROM l WHERE l.o = o.id) AS x` gives `x.t` to each row of `o`, and neither
more rows nor fewer. So does `(SELECT SUM(l.a) FROM l WHERE l.o = o.id)` in place of `x.t`, which engines without LATERAL run
too. A LATERAL of any other form may give no row or several, and is refused.
"""

from __future__ import annotations

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.normal import is_grouped

_MORE = ("group", "having", "limit", "offset", "qualify")


def without_laterals(tree: exp.Query) -> exp.Query:
    """A qualified statement with sub-selects in place of each LATERAL.

    Raises:
        Untraceable: If one is not a SELECT of aggregates without GROUP BY, or its join has a condition.
    """
    out = tree.copy()
    for select in reversed(list(out.find_all(exp.Select))):  # the innermost first
        for join in [join for join in select.args.get("joins") or () if isinstance(join.this, exp.Lateral)]:
            query, alias = _one_row(join), join.this.alias
            join.pop()
            _replace(select, alias, query)
    return out


def _one_row(join: exp.Join) -> dict[str, exp.Select]:
    """By the name of each column: the SELECT that gives it."""
    lateral = join.this
    query = lateral.this.unnest() if isinstance(lateral.this, exp.Subquery) else lateral.this
    on = join.args.get("on")
    always = on is None or (isinstance(on, exp.Boolean) and on.this)
    if (
        not isinstance(query, exp.Select)
        or not is_grouped(query)
        or any(query.args.get(part) for part in _MORE)
        or join.side not in ("", "LEFT")
        or not always
    ):
        raise Untraceable(
            "LATERAL can be traced only if it gives one row: aggregates without GROUP BY, joined without a condition.",
            remedy="Take sub-selects, or give the rows behind the figures by hand, under `evidence:`.",
        )
    names = [column.name for column in lateral.args["alias"].args.get("columns") or ()] or query.named_selects
    found = {}
    for name, node in zip(names, query.expressions, strict=False):
        one = query.copy()
        one.set("expressions", [node.copy()])
        found[name] = one
    return found


def _replace(select: exp.Select, alias: str, columns: dict[str, exp.Select]) -> None:
    for column in [column for column in select.find_all(exp.Column) if column.table == alias]:
        if column.name not in columns:
            raise Untraceable(f"LATERAL {alias!r} has no column {column.name!r}.")
        column.replace(exp.Subquery(this=columns[column.name].copy()))
