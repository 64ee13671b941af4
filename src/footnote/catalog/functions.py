"""What may stand in a statement: an allow-list of tree nodes, and Footnote's own typed functions.

An allow-list, because what sqlglot does not know yet must be refused, not passed on. Everything here is pure: it reads
its arguments and the rows at hand, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

TYPED_FUNCTIONS: Mapping[str, int] = {
    "days_between": 2,
    "month_of": 1,
    "quarter_of": 1,
    "year_of": 1,
    "starts_with": 2,
    "ratio": 2,
    "money": 1,
}
"""Footnote's own functions, compiled for each engine when the plan is made, and their number of arguments."""

DATE_FUNCTIONS = frozenset({"days_between", "month_of", "quarter_of", "year_of"})

ALLOWED_PARTS: Mapping[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset(
        {"with_", "expressions", "distinct", "from_", "joins", "where", "group", "having", "order", "limit"}
    ),
    exp.Union: frozenset({"with_", "this", "expression", "distinct", "order", "limit"}),
    exp.Except: frozenset({"with_", "this", "expression", "distinct", "order", "limit"}),
    exp.Intersect: frozenset({"with_", "this", "expression", "distinct", "order", "limit"}),
    exp.Subquery: frozenset({"this", "alias"}),
    exp.Lateral: frozenset({"this", "alias"}),
    exp.With: frozenset({"expressions", "recursive"}),
    exp.CTE: frozenset({"this", "alias"}),
    exp.TableAlias: frozenset({"this", "columns"}),
    exp.From: frozenset({"this"}),
    exp.Join: frozenset({"this", "side", "kind", "on", "using"}),
    exp.Table: frozenset({"this", "db", "alias"}),
    exp.Where: frozenset({"this"}),
    exp.Group: frozenset({"expressions"}),
    exp.Having: frozenset({"this"}),
    exp.Order: frozenset({"expressions"}),
    exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
    exp.Limit: frozenset({"expression"}),
    exp.Distinct: frozenset({"expressions"}),
    exp.Column: frozenset({"this", "table"}),
    exp.Alias: frozenset({"this", "alias"}),
    exp.Placeholder: frozenset({"this"}),
    exp.Trim: frozenset({"this"}),
    exp.Max: frozenset({"this"}),
    exp.Min: frozenset({"this"}),
    exp.Window: frozenset({"this", "partition_by", "order", "over"}),
    exp.Cast: frozenset({"this", "to"}),
    exp.In: frozenset({"this", "expressions", "query", "field"}),
}
"""Nodes of which only these parts may be there; an unknown part may change what the node does."""

ALLOWED: frozenset[type[exp.Expr]] = frozenset(ALLOWED_PARTS) | {
    # names and constants
    exp.Identifier,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Paren,
    exp.Tuple,
    exp.Star,
    exp.Var,
    # conditions
    exp.And,
    exp.Or,
    exp.Not,
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Between,
    exp.Is,
    exp.Like,
    exp.ILike,
    exp.Escape,
    exp.Exists,
    exp.Any,
    exp.All,
    exp.Case,
    exp.If,
    # arithmetic and text
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.Mod,
    exp.Neg,
    exp.DPipe,
    exp.Abs,
    exp.Round,
    exp.Floor,
    exp.Ceil,
    exp.Coalesce,
    exp.Nullif,
    exp.Greatest,
    exp.Least,
    exp.Upper,
    exp.Lower,
    exp.Substring,
    exp.Length,
    exp.Concat,
    exp.StartsWith,
    exp.DataType,
    exp.DataTypeParam,
    # dates, in the native dialect only
    exp.Extract,
    exp.DateTrunc,
    exp.TimestampTrunc,
    exp.Interval,
    exp.AtTimeZone,
    # fields of a JSON column, in the native dialect only
    exp.JSONExtract,
    exp.JSONExtractScalar,
    exp.JSONPath,
    exp.JSONPathRoot,
    exp.JSONPathKey,
    exp.JSONPathSubscript,
    exp.SplitPart,  # the second part of a path such as `1/7/`
    # aggregates
    exp.Sum,
    exp.Count,
    exp.Avg,
    exp.Filter,
    exp.RowNumber,
    exp.Rank,
    exp.DenseRank,
}

ALLOWED_CASTS = frozenset(
    {"TEXT", "VARCHAR", "CHAR", "INT", "BIGINT", "SMALLINT", "BOOLEAN", "DECIMAL", "DATE", "TIMESTAMP", "TIMESTAMPTZ"}
)

FUNCTION_NAMES = (
    "sum, count, min, max, avg, coalesce, nullif, abs, round, floor, ceil, upper, lower, trim, substr, length, concat, "
    "greatest, least, case, cast, extract, date_trunc and Footnote's own " + ", ".join(TYPED_FUNCTIONS)
)

UNSTABLE: tuple[type[exp.Expr], ...] = tuple(
    kind
    for name in (
        "CurrentDate CurrentDatetime CurrentTime CurrentTimestamp CurrentTimestampLTZ Localtime Localtimestamp "
        "UtcDate UtcTime UtcTimestamp Systimestamp Rand Randn Randstr Uuid CurrentUser SessionUser CurrentSchema "
        "CurrentCatalog CurrentRole CurrentDatabase"
    ).split()
    if (kind := getattr(exp, name, None)) is not None
)
"""Nodes whose value depends on when or by whom they are run; sqlglot's versions differ in which of them they have."""

UNSTABLE_NAMES = frozenset(
    "now today random rand uuid gen_random_uuid clock_timestamp statement_timestamp transaction_timestamp timeofday "
    "getdate sysdate curdate curtime date time datetime julianday strftime unixepoch current_setting version".split()
)
"""Functions of the same kind that sqlglot reads as ordinary ones; SQLite's date functions know 'now'."""

UNSTABLE_TEXTS = frozenset({"now", "today", "tomorrow", "yesterday", "infinity", "-infinity", "epoch", "allballs"})
"""Strings that PostgreSQL and SQLite read as a date of their own where a date is expected."""

SYSTEM_SCHEMAS = frozenset(
    {"pg_catalog", "information_schema", "pg_toast", "mysql", "performance_schema", "sys", "temp", "pg_temp"}
)
SYSTEM_TABLES = frozenset({"dbstat", "json_each", "json_tree", "jsonb_each", "jsonb_tree", "bytecode", "tables_used"})
SYSTEM_PREFIXES = ("pg_", "sqlite_", "pragma_", "duckdb_", "fts3", "fts5")


def is_system_table(name: str) -> bool:
    """Whether a table (`table` or `schema.table`, in lower case) belongs to an engine.

    SQLite's table functions are among them: they need no parentheses.
    """
    schema, _, table = name.rpartition(".")
    if schema in SYSTEM_SCHEMAS or schema.startswith("pg_"):
        return True
    return table in SYSTEM_TABLES or table.startswith(SYSTEM_PREFIXES)
