"""What a block reads for the sake of checks: base columns, each once, by the way they can be reached from its SELECT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from footnote.lineage.expressions import Expr, NotComputable
from footnote.lineage.knowledge import Knowledge
from footnote.lineage.shape import BaseColumn
from footnote.sources.query import ValueType


def named_column(alias: str, name: str) -> exp.Column:
    """`"alias"."name"`."""
    return exp.column(name, table=alias, quoted=True)


@dataclass(frozen=True, slots=True)
class _Needed:
    """One base column, and the tree that gives it."""

    column: BaseColumn
    node: exp.Expr


@dataclass
class BaseColumns:
    """Collects the base columns that row expressions need, in order of first use.

    Attributes:
        known: Types.
        reach: Gives the tree by which a column of a table is reached, which for tables of a derived table goes through
            its output columns.
    """

    known: Knowledge
    reach: Callable[[str, str], exp.Expr]
    found: dict[tuple[str, str], int] = field(default_factory=dict)
    needed: list[_Needed] = field(default_factory=list)

    def place(self, alias: str, column: str) -> int:
        """The position of a column, which is collected."""
        place = self.found.get((alias, column))
        if place is not None:
            return place
        kind = self.known.type_of(self.known.tables[alias], column)
        zoneless = kind is ValueType.DATETIME and not self.known.strict
        return self._add((alias, column), BaseColumn(alias, column, kind, zoneless), self.reach(alias, column))

    def place_value(self, node: exp.Expr, kind: ValueType) -> int:
        """The position of an expression's value, as the engine gives it."""
        text = node.sql()
        place = self.found.get(("", text))
        return place if place is not None else self._add(("", text), BaseColumn("", text, kind), node)

    def _add(self, name: tuple[str, str], column: BaseColumn, node: exp.Expr) -> int:
        self.found[name] = len(self.needed)
        self.needed.append(_Needed(column, node))
        return self.found[name]

    def leaf(self, node: exp.Column) -> Expr:
        """The compiled form of a column of a base table."""
        table = self.known.tables[node.table]
        if self.known.caseless(table, node.name):
            raise NotComputable(f"{node.name} is compared without regard to case")
        compiled: Expr = ["col", self.place(node.table, node.name)]
        return ["padded", compiled] if self.known.padded(table, node.name) else compiled

    def columns(self) -> tuple[BaseColumn, ...]:
        """What was collected."""
        return tuple(needed.column for needed in self.needed)

    def nodes(self) -> tuple[exp.Expr, ...]:
        """The trees that give it."""
        return tuple(needed.node for needed in self.needed)
