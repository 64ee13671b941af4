"""PostgreSQL compares a `real` as the double nearest to it: 0.1 is then 0.10000000149, and equals no 0.1.

Footnote reads a real as the decimal it is shown as. So for PostgreSQL, such columns are converted where they are
compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from footnote.plans.columns import Columns
from footnote.plans.comparisons import COMPARISONS

_REAL = ("real", "float4")


def reals_as_decimals(tree: exp.Select, tables: Mapping[str, str], columns: Columns) -> exp.Select:
    """The statement as PostgreSQL must be given it.

    Args:
        tree: A qualified statement.
        tables: Canonical table names by alias.
        columns: What is known of the database.
    """
    out = tree.copy()
    for column in [column for column in out.find_all(exp.Column) if column.find_ancestor(*COMPARISONS)]:
        if column.table in tables and columns.column_word(tables[column.table], column.name).lower() in _REAL:
            column.replace(exp.cast(column.copy(), "DECIMAL"))
    return out
