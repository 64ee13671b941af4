"""Other ways to write a statement, brought to the few that `analyse` reads; what a statement returns stays the same.

Common table expressions become derived tables, one for each use; DISTINCT becomes GROUP BY; set operations stand in
FROM of a plain SELECT; every table of the statement has an alias that no other has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from sqlglot import exp

from footnote.errors import Untraceable

SetKind = Literal["union all", "union", "intersect", "except"]
Named = Mapping[str, tuple[exp.Query, tuple[str, ...]]]
"""Common table expressions in scope: query and column names by name."""


# --- before names are resolved ----------------------------------------------------------------------------------------


def without_ctes(tree: exp.Query, outer: Named | None = None) -> exp.Query:
    """The statement with a derived table in place of each use of a common table expression.

    Raises:
        Untraceable: If one is recursive.
    """
    out = tree.copy()
    named = dict(outer or {})
    clause = out.args.get("with_")
    if clause is not None:
        if clause.args.get("recursive"):
            raise Untraceable(
                "A recursive common table expression cannot be traced.",
                why="How many times a row counts is known only when it has run.",
                remedy="Give the rows behind the figures by hand, under `evidence:`.",
            )
        out.set("with_", None)
        for cte in clause.expressions:
            columns = tuple(column.name for column in (cte.args["alias"].args.get("columns") or ()))
            named[_spelled(cte.args["alias"].this)] = (without_ctes(cte.this, named), columns)
    for query in [node for node in _outermost_with(out) if node is not out]:
        query.replace(without_ctes(query, named))
    _replace_uses(out, named)
    return out


def _outermost_with(tree: exp.Expr) -> Iterator[exp.Query]:
    """Queries inside the statement that have a WITH of their own, not those inside such ones."""
    for child in tree.iter_expressions():
        if isinstance(child, exp.Query) and child.args.get("with_") is not None:
            yield child
        else:
            yield from _outermost_with(child)


def _replace_uses(tree: exp.Query, named: Named) -> None:
    for table in list(tree.find_all(exp.Table)):
        found = named.get(_spelled(table.this)) if not table.args.get("db") else None
        if found is None:
            continue
        query, columns = found
        given = table.args.get("alias")
        name = given.this.copy() if given is not None else table.this.copy()
        own = [c.copy() for c in (given.args.get("columns") or ())] if given is not None else []
        alias = exp.TableAlias(this=name, columns=own or [exp.to_identifier(column) for column in columns])
        table.replace(exp.Subquery(this=query.copy(), alias=alias))


def _spelled(name: exp.Expr) -> str:
    return str(name.this) if name.args.get("quoted") else str(name.this).lower()


# --- after names are resolved -----------------------------------------------------------------------------------------


def normalised(tree: exp.Query, names: list[str]) -> exp.Select:
    """A qualified statement as `analyse` reads it.

    Args:
        tree: Every column with its table, every output with its name.
        names: Names of the output columns.

    Raises:
        Untraceable: If it has a form that is not understood.
    """
    out = tree.copy()
    _unique_aliases(out, {}, {})
    _quantifiers_as_in(out)
    numbers = iter(range(1, 1_000))
    if isinstance(out, exp.SetOperation):
        out = selected_from(out, f"__set{next(numbers)}", names)
    for query in reversed(list(out.find_all(exp.Query))):  # the innermost first
        if isinstance(query, exp.SetOperation):
            _normalise_set(query, numbers)
        elif isinstance(query, exp.Select):
            changed = _without_distinct(query, numbers)
            if changed is not query:
                out = changed if query is out else out
                if query.parent is not None:
                    query.replace(changed)
    if not isinstance(out, exp.Select):
        raise Untraceable(f"A {type(out).__name__} cannot be traced.", remedy="Write SELECT … FROM ….")
    return out


def _quantifiers_as_in(tree: exp.Expr) -> None:
    """`x = ANY (…)` is `x IN (…)`, and `x <> ALL (…)` is `x NOT IN (…)`."""
    for node in list(tree.find_all(exp.EQ, exp.NEQ)):
        kind = exp.Any if isinstance(node, exp.EQ) else exp.All
        query = node.expression.this if isinstance(node.expression, kind) else None
        if isinstance(query, exp.Query):
            query = query if isinstance(query, exp.Subquery) else exp.Subquery(this=query)
            found = exp.In(this=node.this, query=query)
            node.replace(found if isinstance(node, exp.EQ) else exp.Not(this=found))


def selected_from(query: exp.Query, alias: str, names: list[str]) -> exp.Select:
    """`SELECT columns FROM (query)`, with the order and limit of a set operation outside."""
    outer = exp.Select(
        expressions=[exp.alias_(_column(alias, n), n, quoted=True) for n in names],
        from_=exp.From(this=exp.Subquery(this=query, alias=_alias(alias))),
    )
    if isinstance(query, exp.SetOperation):
        for part in ("order", "limit"):
            outer.set(part, query.args.get(part))
            query.set(part, None)
    return outer


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))


def _column(table: str, name: str) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def _normalise_set(query: exp.SetOperation, numbers: Iterator[int]) -> None:
    """Each side is a plain SELECT; a side of the same kind stays as it is, since `branches_of` reads it flat."""
    names = list(query.named_selects)
    if query.args.get("order") or query.args.get("limit"):
        place = query.parent
        if isinstance(place, exp.Subquery | exp.CTE):
            copy = query.copy()
            query.replace(selected_from(copy, f"__set{next(numbers)}", names))
            _normalise_set(copy, numbers)
            return
        raise Untraceable("ORDER BY and LIMIT of a set operation stand in parentheses only.")
    for side in ("this", "expression"):
        branch = query.args[side]
        while isinstance(branch, exp.Subquery):
            branch = branch.this
        flat = side == "this" and type(branch) is type(query) and _keeps_duplicates(branch) == _keeps_duplicates(query)
        if (isinstance(branch, exp.SetOperation) and not flat) or (
            isinstance(branch, exp.Select) and (branch.args.get("limit") or branch.args.get("order"))
        ):
            branch = selected_from(branch.copy(), f"__set{next(numbers)}", list(branch.named_selects))
        query.set(side, branch)


def _keeps_duplicates(query: exp.Expr) -> bool:
    return isinstance(query, exp.Union) and not query.args.get("distinct")


def set_kind(query: exp.SetOperation) -> SetKind:
    """`union all`, `union`, `intersect` or `except`.

    Raises:
        Untraceable: INTERSECT ALL and EXCEPT ALL.
    """
    if _keeps_duplicates(query):
        return "union all"
    if not query.args.get("distinct", True):
        raise Untraceable(f"{query.key.upper()} ALL cannot be traced.", remedy=f"Write {query.key.upper()}.")
    return "intersect" if isinstance(query, exp.Intersect) else "except" if isinstance(query, exp.Except) else "union"


def branches_of(query: exp.SetOperation) -> list[exp.Select]:
    """The SELECTs of a set operation, in order; three UNION ALL in a row are one."""
    first = branches_of(query.left) if isinstance(query.left, exp.SetOperation) else [query.left]
    return [*first, query.right]


def _without_distinct(select: exp.Select, numbers: Iterator[int]) -> exp.Select:
    """`SELECT DISTINCT a, b` is `GROUP BY a, b`."""
    distinct = select.args.get("distinct")
    if not distinct:
        return select
    if distinct.args.get("on"):
        raise Untraceable("DISTINCT ON cannot be traced.", remedy="Use GROUP BY and MIN or MAX.")
    out = select.copy()
    out.set("distinct", None)
    if is_grouped(out):
        names = list(out.named_selects)
        order, limit = out.args.get("order"), out.args.get("limit")
        out.set("order", None)
        out.set("limit", None)
        out = selected_from(out, f"__distinct{next(numbers)}", names)
        if order is not None:
            out.set("order", _by_name(order))
        out.set("limit", limit)
    keys = [node.unalias().copy() for node in out.expressions if not isinstance(node.unalias(), exp.Literal)]
    out.set("group", exp.Group(expressions=keys))
    return out


def _by_name(order: exp.Expr) -> exp.Expr:
    for item in order.expressions:
        if not (isinstance(item.this, exp.Column) and not item.this.table):
            raise Untraceable("DISTINCT is ordered by what it does not return.", remedy="Order by output columns.")
    return order


def is_grouped(select: exp.Select) -> bool:
    """Whether the SELECT groups or aggregates its own rows."""
    parts = [*select.expressions, select.args.get("having")]
    return bool(select.args.get("group")) or any(
        isinstance(node, exp.AggFunc) for part in parts if part is not None for node in own_nodes(part)
    )


def own_nodes(root: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes of an expression of one SELECT, without those of SELECTs inside it and of windows."""
    yield root
    if isinstance(root, exp.Window | exp.Query):
        return
    for child in root.iter_expressions():
        if not isinstance(child, exp.Query):
            yield from own_nodes(child)


def own_columns(root: exp.Expr) -> Iterator[exp.Column]:
    """The columns among `own_nodes`."""
    yield from (node for node in own_nodes(root) if isinstance(node, exp.Column))


# --- aliases ----------------------------------------------------------------------------------------------------------


def _unique_aliases(query: exp.Expr, outer: Mapping[str, str], used: dict[str, int]) -> None:
    """Rename tables so that an alias means one table throughout the statement, and columns with them."""
    if isinstance(query, exp.Subquery):
        return _unique_aliases(query.this, outer, used)
    if isinstance(query, exp.SetOperation):
        for side in (query.left, query.right):
            _unique_aliases(side, outer, used)
        return None
    if not isinstance(query, exp.Select):
        return None
    own = dict(outer)
    items = from_items(query)
    for item in items:
        old = item.alias_or_name
        used[old] = used.get(old, 0) + 1
        new = old if used[old] == 1 else f"{old}__{used[old]}"
        own[old] = new
        if new != old:
            item.set("alias", _alias(new))
    before: dict[str, str] = dict(outer)
    for item in items:
        lateral = isinstance(item, exp.Lateral)
        if isinstance(item, exp.Subquery | exp.Lateral):
            _unique_aliases(item.this, {**before} if lateral else outer, used)
        before[_old_name(own, item.alias_or_name)] = item.alias_or_name
    inside = {id(item) for item in items}
    for part in query.iter_expressions():
        _rename(part, own, used, inside)
    return None


def _old_name(own: Mapping[str, str], new: str) -> str:
    return next((old for old, name in own.items() if name == new), new)


def _rename(node: exp.Expr, names: Mapping[str, str], used: dict[str, int], inside: set[int]) -> None:
    if id(node) in inside:
        return
    if isinstance(node, exp.Select | exp.SetOperation):
        _unique_aliases(node, names, used)
        return
    if isinstance(node, exp.Column) and node.table and names.get(node.table, node.table) != node.table:
        node.set("table", exp.to_identifier(names[node.table], quoted=True))
    for child in node.iter_expressions():
        _rename(child, names, used, inside)


def from_items(select: exp.Select) -> list[exp.Expr]:
    """What stands in FROM and in its joins, in order."""
    origin = select.args.get("from_")
    joins = [join.this for join in select.args.get("joins") or ()]
    laterals = list(select.args.get("laterals") or ())
    return ([origin.this] if origin is not None else []) + joins + laterals
