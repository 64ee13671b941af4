"""A qualified statement as its engine must be given it, so that it means there what it means to Python."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from footnote.plans.columns import Columns
from footnote.plans.dialects import ParameterTypes
from footnote.plans.duckdb_types import refuse_days_of_another_zone
from footnote.plans.mysql_types import compared_by_letters
from footnote.plans.postgres_types import reals_as_decimals
from footnote.plans.sqlite_types import compared_by_type


def fitted(tree: exp.Select, tables: Mapping[str, str], columns: Columns, parameters: ParameterTypes) -> exp.Select:
    """The statement with its comparisons made to fit.

    Args:
        tree: A qualified statement.
        tables: Canonical table names by alias.
        columns: What is known of the database.
        parameters: Types of its parameters.

    Raises:
        StatementRefused: The engine has no faithful form for something in it.
    """
    if columns.dialect == "sqlite":
        return compared_by_type(tree, tables, columns)
    if columns.dialect == "postgres":
        return reals_as_decimals(tree, tables, columns)
    if columns.dialect == "mysql":
        return compared_by_letters(tree, tables, columns, parameters)
    refuse_days_of_another_zone(tree, tables, columns)
    return tree
