"""What a SELECT returns: the names of its columns, and whether they are aggregates of grouped rows.

SQLite returns a column that is neither aggregated nor grouped from a row of its choice, MariaDB likewise; PostgreSQL
refuses. So it is refused here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from footnote.catalog.model import ColumnSpec
from footnote.catalog.place import Place
from footnote.catalog.sql_text import refusal
from footnote.catalog.tree import line_in


def output_columns(query: exp.Query, where: Place) -> tuple[str, ...]:
    """The names of the columns `query` returns, in order.

    Raises:
        StatementRefused: A column without a name, a name twice, or a name that engines would fold to lower case.
    """
    names: list[str] = []
    for position, projection in enumerate(query.selects, 1):
        here = where.at(line_in(projection))
        name = projection.alias_or_name
        if not name or not isinstance(projection, exp.Alias | exp.Column):
            what = f"Column {position} of the SELECT, `{projection.sql()[:60]}`, has no name."
            raise refusal(here, what, 'Name it: `… AS "name"`.')
        identifier = projection.args.get("alias") if isinstance(projection, exp.Alias) else projection.this
        quoted = isinstance(identifier, exp.Identifier) and bool(identifier.args.get("quoted"))
        if not quoted and name != name.lower():
            what = f"PostgreSQL would return the column {name} as {name.lower()}."
            raise refusal(here, what, f'Quote it: `AS "{name}"`.')
        if name in names:
            raise refusal(here, f"The SELECT returns the column {name} twice.", "Give each column its own name.")
        names.append(name)
    return tuple(names)


def refuse_other_columns(query: exp.Query, columns: Mapping[str, ColumnSpec], where: Place) -> None:
    """Refuse a statement whose columns are not exactly those that `columns` types.

    Raises:
        StatementRefused: With the missing or extra names.
    """
    returned = output_columns(query, where)
    untyped = [name for name in returned if name not in columns]
    missing = [name for name in columns if name not in returned]
    if untyped and missing:
        what = f"The SELECT returns {_listed(untyped)}, and `columns` has {_listed(missing)}."
        raise refusal(where, what, 'Use the same names in both; quote one with capitals: `AS "dueOn"`.')
    if untyped:
        what = f"The SELECT returns {_listed(untyped)}, which `columns` does not type."
        raise refusal(
            where,
            what,
            f"Add `{untyped[0]}: {{type: …}}` to `columns`, with `hidden: true` if readers need not see it.",
        )
    if missing:
        what = f"`columns` has {_listed(missing)}, which the SELECT does not return."
        raise refusal(where, what, f'Add `… AS "{missing[0]}"` to the SELECT, or remove it from `columns`.')


def is_aggregated(query: exp.Query) -> bool:
    """Whether rows are grouped or added up, so that a returned row is not a row of a table."""
    return any(_is_aggregated(select) for select in _selects(query))


def aggregated_columns(query: exp.Query) -> frozenset[str]:
    """The returned columns that hold an aggregate."""
    return frozenset(
        projection.alias_or_name
        for select in _selects(query)
        for projection in select.selects
        if any(isinstance(node, exp.AggFunc) for node in _own_nodes(projection))
    )


def grouping_columns(query: exp.Query) -> tuple[str, ...]:
    """Names (or SQL, where they are not returned) of what the first SELECT groups by."""
    select = _selects(query)[0]
    group = select.args.get("group")
    return tuple(_grouped_name(select, key) for key in group.expressions) if group else ()


def refuse_ungrouped_columns(query: exp.Query, where: Place) -> None:
    """Refuse a column that is neither aggregated nor grouped.

    Raises:
        StatementRefused: With the column's name.
    """
    for select in _selects(query):
        if not _is_aggregated(select):
            continue
        group = select.args.get("group")
        keys = [_meant(select, key) for key in group.expressions] if group else []
        order = select.args.get("order")
        having = select.args.get("having")
        ordered = [_meant(select, item.this) for item in order.expressions] if order else []
        for part in [*select.selects, *ordered, *([having] if having else [])]:
            for column in _ungrouped(part, keys):
                what = f"`{column.sql()}` is neither aggregated nor in GROUP BY, so its value would be any row's."
                remedy = f"Add `{column.sql()}` to GROUP BY, or aggregate it."
                raise refusal(where.at(line_in(column)), what, remedy)


def tables_in(query: exp.Expr) -> tuple[exp.Table, ...]:
    """The tables that are read, without the names of common table expressions."""
    named = {cte.alias for cte in query.find_all(exp.CTE)}
    return tuple(table for table in query.find_all(exp.Table) if table.text("db") or table.name not in named)


def _selects(query: exp.Expr) -> list[exp.Select]:
    if isinstance(query, exp.SetOperation):
        return [*_selects(query.left), *_selects(query.right)]
    if isinstance(query, exp.Subquery):
        return _selects(query.this)
    return [query] if isinstance(query, exp.Select) else []


def _own_nodes(root: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes of one SELECT, without those of SELECTs inside it."""
    yield root
    for child in root.iter_expressions():
        if not isinstance(child, exp.Query) and not isinstance(root, exp.Window):
            yield from _own_nodes(child)


def _is_aggregated(select: exp.Select) -> bool:
    parts = [*select.selects, *(part for key in ("having", "order") if (part := select.args.get(key)))]
    return bool(select.args.get("group")) or any(isinstance(n, exp.AggFunc) for part in parts for n in _own_nodes(part))


def _ungrouped(node: exp.Expr, keys: list[exp.Expr]) -> Iterator[exp.Column]:
    if isinstance(node, exp.AggFunc | exp.Filter | exp.Query) or any(_same(node, key) for key in keys):
        return
    if isinstance(node, exp.Column):
        yield node
        return
    for child in node.iter_expressions():
        yield from _ungrouped(child, keys)


def _same(node: exp.Expr, key: exp.Expr) -> bool:
    if isinstance(node, exp.Column) and isinstance(key, exp.Column):
        tables = {node.table, key.table} - {""}
        return node.name == key.name and len(tables) <= 1
    return node == key


def _meant(select: exp.Select, key: exp.Expr) -> exp.Expr:
    """The expression that a position or an alias in GROUP BY or ORDER BY stands for."""
    if isinstance(key, exp.Literal) and str(key.this).isdigit() and 0 < int(key.this) <= len(select.selects):
        return select.selects[int(key.this) - 1].unalias()
    if isinstance(key, exp.Column) and not key.table:
        for projection in select.selects:
            if isinstance(projection, exp.Alias) and projection.alias == key.name:
                return projection.unalias()
    return key


def _grouped_name(select: exp.Select, key: exp.Expr) -> str:
    meant = _meant(select, key)
    for projection in select.selects:
        if _same(projection.unalias(), meant):
            return projection.alias_or_name
    return meant.sql()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
