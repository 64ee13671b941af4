"""DuckDB without its calendar extension takes the day of a `TIMESTAMP WITH TIME ZONE` in UTC, whatever the catalog's zone.

The extension is a download, so it is not used. Where the zone is another, such a column is shown and counted, and refused
wherever its day or its time of day would matter.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from footnote.errors import StatementRefused
from footnote.plans.columns import Columns

_UTC = {"UTC", "Etc/UTC"}
_HARMLESS = (exp.Alias, exp.Count, exp.Min, exp.Max, exp.Ordered, exp.Order, exp.Coalesce, exp.Paren, exp.Select)
_ZONED = "timestamp with time zone"


def refuse_days_of_another_zone(tree: exp.Expr, tables: Mapping[str, str], columns: Columns) -> None:
    """Refuse what would take the day of a moment in UTC.

    Args:
        tree: A qualified statement.
        tables: Canonical table names by alias.
        columns: What is known of the database.

    Raises:
        StatementRefused: With the column and what would work.
    """
    if columns.time_zone in _UTC:
        return
    for column in tree.find_all(exp.Column):
        word = columns.column_word(tables.get(column.table, ""), column.name).lower()
        is_null = isinstance(column.parent, exp.Is)
        if word == _ZONED and not is_null and not isinstance(column.parent, _HARMLESS):
            raise StatementRefused(
                f"`{str(column.parent and column.parent.sql())[:80]}` takes the time of {column.name} in UTC.",
                why=f"DuckDB knows no other time zone here, and the source is in {columns.time_zone}.",
                remedy="Set `time_zone: UTC` of the source, or keep the column as TIMESTAMP in local time.",
            )
