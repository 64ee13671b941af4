"""By which columns a statement finds its rows: what it compares with an argument, and what it joins on. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from footnote.catalog.load import LoadedCatalog
from footnote.plans.columns import Columns
from footnote.plans.compile import Address, parsed
from footnote.plans.qualified import qualified_query

_RANGES = (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE)

Place = tuple[str, str]
"""A table by its canonical name, and a column."""


@dataclass(frozen=True, slots=True)
class Lookups:
    """One statement.

    Attributes:
        filters: Columns that are compared with an argument.
        joins: Pairs of columns that are compared with each other.
    """

    filters: tuple[Place, ...]
    joins: tuple[tuple[Place, Place], ...]


def lookups_of(loaded: LoadedCatalog, operation: str, statement: str, columns: Columns) -> Lookups:
    """What a statement is found by when every argument is given.

    Raises:
        FootnoteError: The statement does not fit the source.
    """
    address = Address(loaded, operation, statement)
    every = frozenset(parameter.name for parameter in address.spec.parameters)
    tree, dialect = parsed(address, every, columns.dialect)
    filters: dict[Place, None] = {}
    joins: dict[tuple[Place, Place], None] = {}
    for scope in traverse_scope(qualified_query(tree, dialect, columns)):
        found = _Found(scope)
        filters |= dict.fromkeys(found.filters())
        joins |= dict.fromkeys(found.joins())
    return Lookups(tuple(filters), tuple(joins))


@dataclass(frozen=True, slots=True)
class _Found:
    """One query of a statement."""

    scope: Scope

    def filters(self) -> Iterator[Place]:
        for node in self._conditions():
            if (isinstance(node, exp.In) and (node.args.get("query") or node.args.get("field"))) or (
                isinstance(node, exp.Between) and (node.args["low"].find(exp.Placeholder))
            ):
                yield from self._place(node.this)
            elif isinstance(node, _RANGES):
                for one, other in ((node.this, node.expression), (node.expression, node.this)):
                    if other.find(exp.Placeholder):
                        yield from self._place(one)

    def joins(self) -> Iterator[tuple[Place, Place]]:
        for node in self._conditions():
            if isinstance(node, exp.EQ):
                for one in self._place(node.this):
                    yield from ((one, other) for other in self._place(node.expression) if other[0] != one[0])

    def _conditions(self) -> Iterator[exp.Expr]:
        for node in self.scope.walk():
            if isinstance(node, (*_RANGES, exp.In, exp.Between)) and node.find_ancestor(exp.Where, exp.Join):
                yield node

    def _place(self, node: exp.Expr) -> Iterator[Place]:
        """The column that a node is, if it is one of a table of this query."""
        source = self.scope.sources.get(node.table) if isinstance(node, exp.Column) else None
        if isinstance(source, exp.Table):
            yield f"{source.db}.{source.name}", node.name
