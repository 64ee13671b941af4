"""The tables of FROM: which there are, which is the grain, and what joins require of every row."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.shape import SourceTable


def refuse_natural(select: exp.Select) -> None:
    """Refuse joins whose condition is not written out.

    Raises:
        Untraceable: JOIN … USING or NATURAL JOIN.
    """
    for join in _joins(select):
        if join.args.get("using") or (join.args.get("method") or "").upper() == "NATURAL":
            raise Untraceable("JOIN … USING and NATURAL JOIN cannot be traced yet.", remedy="Write JOIN … ON.")


def optional_aliases(select: exp.Select) -> set[str]:
    """Tables of which an outer join may find no row."""
    origin = select.args.get("from_")
    before = [origin.this.alias_or_name] if origin is not None else []
    found: set[str] = set()
    for join in _joins(select):
        side = (join.side or "").upper()
        if side in ("RIGHT", "FULL"):
            found |= set(before)
        before.append(join.this.alias_or_name)
        if side in ("LEFT", "FULL"):
            found.add(before[-1])
    return found


def table_name(table: exp.Table) -> str:
    """The table's name as it stands: `name` or `schema.name`."""
    return f"{table.db}.{table.name}" if table.db else table.name


def grain_of(sources: Sequence[SourceTable], grain: str) -> int:
    """The place of the grain's table, or of the one inner query that reads it.

    Raises:
        Untraceable: It is not there, or twice.
    """
    bare = grain.rpartition(".")[2]
    places = [index for index, source in enumerate(sources) if source.table == grain and not source.inner]
    places = places or [index for index, source in enumerate(sources) if grain in source.under]
    if len(places) == 1:
        return places[0]
    if places:
        raise Untraceable(
            f"The grain's table {bare!r} stands {len(places)} times in FROM.",
            why="It is not clear which of its rows is the contribution.",
            remedy="Join it once, or take another grain.",
        )
    there = dict.fromkeys(name for source in sources for name in (source.under if source.inner else (source.table,)))
    twin = any(name.rpartition(".")[2] == bare for name in there)  # of another schema
    shown = dict.fromkeys(name if twin else name.rpartition(".")[2] for name in there)
    raise Untraceable(
        f"The grain's table {grain if twin else bare!r} is not in FROM.", remedy=f"Take one of: {', '.join(shown)}."
    )


def inferred_grain(select: exp.Select, sources: Sequence[SourceTable]) -> tuple[int, ...]:
    """The places of the tables whose rows together tell joined rows apart: the fewest that do, the last ones first.

    A table is left out where equal columns of the others fix its whole key, as an order does with its customer.
    """
    equal = _equalities(select)
    kept = list(range(len(sources)))
    for place in range(len(sources)):
        others = {sources[other].alias for other in kept if other != place}
        if others and _is_fixed(sources[place], others, equal, sources):
            kept.remove(place)
    return tuple(kept)


Equal = Sequence[tuple[tuple[str, str], tuple[str, str] | None]]
"""A column (alias, name) is fixed by another, or by a constant (None)."""


def _equalities(select: exp.Select) -> Equal:
    found: list[tuple[tuple[str, str], tuple[str, str] | None]] = []
    where = select.args.get("where")
    for part in _conjuncts(where.this) if where is not None else []:
        found += _fixes(part, None)
    for join in _joins(select):
        side = (join.side or "").upper()
        on = join.args.get("on")
        if on is None or side in ("RIGHT", "FULL"):
            continue
        for part in _conjuncts(on):
            found += _fixes(part, join.this.alias_or_name if side == "LEFT" else None)
    return found


def _fixes(part: exp.Expr, only: str | None) -> Equal:
    """Which columns an equality fixes; the condition of a LEFT JOIN fixes columns of what is joined only."""
    if not isinstance(part, exp.EQ):
        return []
    out: list[tuple[tuple[str, str], tuple[str, str] | None]] = []
    for one, other in ((part.this, part.expression), (part.expression, part.this)):
        if isinstance(one, exp.Column) and only in (None, one.table):
            if isinstance(other, exp.Column):
                out.append(((one.table, one.name), (other.table, other.name)))
            elif isinstance(other, exp.Literal | exp.Placeholder):
                out.append(((one.table, one.name), None))
    return out


def _is_fixed(source: SourceTable, others: set[str], equal: Equal, sources: Sequence[SourceTable]) -> bool:
    known = set(others)
    columns: set[tuple[str, str]] = set()
    keys = {other.alias: [(other.alias, name) for name in other.key if not other.inner] for other in sources}
    while True:
        before = (len(columns), len(known))
        for one, other in equal:
            if other is None or other[0] in known or other in columns:
                columns.add(one)
        if all(column in columns for column in keys[source.alias]) and keys[source.alias]:
            return True
        if before == (len(columns), len(known)):
            return False


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
