"""Small looks at data for whoever drafts a catalog: which values a column has. Reads, like all else that plans build."""

from __future__ import annotations

from sqlglot import exp

from footnote.plans.dialects import ParameterTypes, template
from footnote.plans.qualified import table_node
from footnote.sources.query import Column, Query, ValueType
from footnote.sources.source import TableSchema


def distinct_values(table: TableSchema, column: str, kind: ValueType, dialect: str, most: int) -> Query:
    """The values of a column, each once, in order; at most `most` of them."""
    named = exp.column(column, quoted=True)
    tree = exp.select(named).distinct().from_(table_node(table)).order_by(named.copy()).limit(most)
    return template(tree, dialect, ParameterTypes({}, {}), (Column(column, kind),)).bind({})
