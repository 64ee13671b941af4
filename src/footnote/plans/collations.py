"""Columns in which different texts may be equal, refused wherever a statement compares them.

SQLite's `COLLATE NOCASE`, PostgreSQL's nondeterministic collations and its `citext` hold 'abc' and 'ABC' for one. A
condition then leaves rows out that differ, and nobody can see a row that the engine left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from footnote.errors import StatementRefused
from footnote.plans.columns import Columns

_COMPARES = (
    exp.Predicate,  # =, <>, <, BETWEEN, IN, LIKE ...
    exp.Group,
    exp.Distinct,
    exp.Nullif,
    exp.StartsWith,
    exp.Min,
    exp.Max,
    exp.Greatest,
    exp.Least,
)


def refuse_caseless(tree: exp.Expr, tables: Mapping[str, str], columns: Columns) -> None:
    """Refuse to compare or group by a column in which texts that differ may be equal.

    Args:
        tree: A qualified statement or expression.
        tables: Canonical table names by alias.
        columns: What is known of the database.

    Raises:
        StatementRefused: With the column and its collation.
    """
    for column in tree.find_all(exp.Column):
        if column.table not in tables:
            continue
        collation = columns.collation(tables[column.table], column.name)
        where = _compared_in(column) if collation else None
        if where is not None:
            shown = where.sql().replace('"', "").strip()[:80]
            raise StatementRefused(
                f"`{shown}` compares {column.name}, whose collation is {collation}.",
                why="Texts that differ count as equal there ('abc' and 'ABC'), so rows would be left out in silence.",
                remedy="Compare another column, such as an id or a status code, or change the column's collation.",
            )


def _compared_in(column: exp.Column) -> exp.Expr | None:
    """What compares the column, directly or through an expression it is part of."""
    node: exp.Expr = column
    while node.parent is not None:
        node = node.parent
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return None  # a truth value, and whether there is a text at all
        if isinstance(node, _COMPARES) or (isinstance(node, exp.Case) and node.this is not None):
            return node
    return None
