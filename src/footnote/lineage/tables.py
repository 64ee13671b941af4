"""The tables of FROM: which there are, which is the grain, and what joins require of every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.shape import SourceTable


def source_tables(select: exp.Select, keys: Mapping[str, tuple[str, ...]]) -> tuple[SourceTable, ...]:
    """Every occurrence of a base table.

    Raises:
        Untraceable: FROM has anything else, or a table whose rows cannot be named.
    """
    origin = select.args.get("from_")
    if origin is None:
        raise Untraceable("The statement reads no table.", why="A figure needs rows.")
    out = []
    for node in (origin.this, *(join.this for join in _joins(select))):
        if not isinstance(node, exp.Table):
            raise Untraceable(f"FROM has a {type(node).__name__.lower()}.", remedy="Name base tables only.")
        name = table_name(node)
        if not keys.get(name):
            raise Untraceable(
                f"Table {node.name!r} has no primary key.",
                why="A row that cannot be named cannot be evidence; the rows of a view never can.",
                remedy="Declare a key in the database, take the tables of the view, or leave it out.",
            )
        out.append(SourceTable(node.alias_or_name, name, keys[name]))
    for join in _joins(select):
        if join.args.get("using") or (join.args.get("method") or "").upper() == "NATURAL":
            raise Untraceable("JOIN … USING and NATURAL JOIN cannot be traced yet.", remedy="Write JOIN … ON.")
    return tuple(out)


def table_name(table: exp.Table) -> str:
    """The table's name as it stands: `name` or `schema.name`."""
    return f"{table.db}.{table.name}" if table.db else table.name


def grain_of(sources: Sequence[SourceTable], grain: str) -> int:
    """The place of the grain's table.

    Raises:
        Untraceable: It is not there, or twice.
    """
    bare = grain.rpartition(".")[2]
    places = [index for index, source in enumerate(sources) if source.table == grain]
    if len(places) == 1:
        return places[0]
    if places:
        raise Untraceable(
            f"The grain's table {bare!r} stands {len(places)} times in FROM.",
            why="It is not clear which of its rows is the contribution.",
            remedy="Join it once, or take another grain.",
        )
    twin = any(source.table.rpartition(".")[2] == bare for source in sources)  # of another schema
    there = dict.fromkeys(source.table if twin else source.table.rpartition(".")[2] for source in sources)
    raise Untraceable(
        f"The grain's table {grain if twin else bare!r} is not in FROM.", remedy=f"Take one of: {', '.join(there)}."
    )


def required_conditions(select: exp.Select) -> list[exp.Expr]:
    """What every joined row meets: the parts of WHERE, and of the ON of inner joins but for plain equal columns."""
    where = select.args.get("where")
    found = _conjuncts(where.this) if where is not None else []
    if any((join.side or "").upper() in ("RIGHT", "FULL") for join in _joins(select)):
        return found  # these add rows for which the conditions of joins before them need not hold
    for join in _joins(select):
        on = join.args.get("on")
        if on is not None and not join.side:
            found += [part for part in _conjuncts(on) if not _is_equal_columns(part)]
    return found


def tested_parts(select: exp.Select) -> list[exp.Expr]:
    """Every condition that a row or a joined row must meet: the parts of WHERE and of ON but for plain equal columns."""
    where = select.args.get("where")
    found = _conjuncts(where.this) if where is not None else []
    for join in _joins(select):
        on = join.args.get("on")
        found += [part for part in _conjuncts(on) if not _is_equal_columns(part)] if on is not None else []
    return found


def _joins(select: exp.Select) -> list[exp.Join]:
    return list(select.args.get("joins") or ())


def _conjuncts(node: exp.Expr) -> list[exp.Expr]:
    return list(node.flatten()) if isinstance(node, exp.And) else [node]


def _is_equal_columns(node: exp.Expr) -> bool:
    return isinstance(node, exp.EQ) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)
