"""Lists as one bound value: the keys of rows, and parameters of type list, in each engine's form.

A read-only session has no temporary tables, and a statement with a placeholder for each item would be another statement for
each number of items. So a list is one parameter: an array on PostgreSQL, a JSON text that the engine unfolds elsewhere.
"""

from __future__ import annotations

from sqlglot import exp

from footnote.plans.columns import declared_type
from footnote.plans.typed_functions import as_bytes
from footnote.sources.query import ValueType

_SQLITE_ITEMS = {"BIGINT": "INTEGER", "DECIMAL": "NUMERIC", "DATE": "TEXT", "TEXT": "TEXT"}
_MYSQL_ITEMS = {
    ValueType.INTEGER: "BIGINT",
    ValueType.DECIMAL: "DECIMAL(65, 30)",
    ValueType.DATE: "DATE",
    ValueType.DATETIME: "DATETIME(6)",
    ValueType.BOOLEAN: "BIGINT",
}
_MYSQL_TEXT = "TEXT CHARACTER SET utf8mb4"
_DUCKDB_DECIMAL = "DECIMAL(38, 18)"  # of as many digits as `binding.DIGITS` has


COLLATION = "collation"
"""Part of an IN: the collation of the column on its left side, where an index can serve it (MySQL only)."""


def in_list(value: exp.Expr, marker: exp.Expr, word: str, dialect: str, collation: str = "") -> exp.Expr:
    """`x IN :list`.

    Args:
        value: The left side.
        marker: The placeholder.
        word: The SQL type of the items; `TEXT` also for a list that compares with a column of whatever type.
        dialect: The engine.
        collation: MySQL's collation of the left side, if it is a column.
    """
    if dialect == "postgres":
        array = marker if word == "TEXT" else exp.Cast(this=marker, to=exp.DataType.build(f"{word}[]", udt=True))
        return exp.Paren(this=exp.EQ(this=value, expression=exp.Any(this=exp.Paren(this=array))))
    if dialect == "mysql":
        return _mysql_in(value, marker, word, collation)
    items = _sqlite_items if dialect == "sqlite" else _duckdb_items
    return exp.In(this=value, query=exp.Subquery(this=items(marker, word)))


def _sqlite_items(marker: exp.Expr, word: str) -> exp.Select:
    # A JSON text would equal no number unless a column on the left side says it is one.
    item: exp.Expr = exp.column("value")
    if word in _SQLITE_ITEMS:
        item = exp.Cast(this=item, to=exp.DataType.build(_SQLITE_ITEMS[word], udt=True))
    return exp.select(item).from_(exp.func("JSON_EACH", marker, dialect="sqlite"))


def _mysql_in(value: exp.Expr, marker: exp.Expr, word: str, collation: str) -> exp.Expr:
    kind = _MYSQL_ITEMS.get(declared_type(word))
    if kind is not None:
        return _among(value, exp.column("v"), marker, kind)
    exact = _among(as_bytes(value), as_bytes(exp.column("v")), marker, _MYSQL_TEXT)
    if not collation.startswith("utf8mb4"):
        return exact
    # An index serves the column's own collation, which lets through more texts, never fewer.
    alike = _among(value.copy(), exp.column("v"), marker.copy(), f"{_MYSQL_TEXT} COLLATE {collation}")
    return exp.Paren(this=exp.And(this=alike, expression=exact))


def _among(value: exp.Expr, item: exp.Expr, marker: exp.Expr, kind: str) -> exp.Expr:
    column = exp.JSONColumnDef(this=exp.to_identifier("v"), kind=exp.Var(this=kind), path=exp.Literal.string("$"))
    schema = exp.JSONSchema(expressions=[column])
    table = exp.JSONTable(this=marker, path=exp.Literal.string("$[*]"), schema=schema)
    items = exp.select(item).from_(exp.alias_(exp.Table(this=table), "items", table=True))
    return exp.In(this=value, query=exp.Subquery(this=items))


def _duckdb_items(marker: exp.Expr, word: str) -> exp.Select:
    texts = exp.Anonymous(this="FROM_JSON", expressions=[marker, exp.Literal.string('["VARCHAR"]')])
    kind = {"TEXT": "VARCHAR", "DECIMAL": _DUCKDB_DECIMAL}.get(word, word)
    array = exp.Cast(this=texts, to=exp.DataType.build(f"{kind}[]", udt=True))
    return exp.select(exp.Anonymous(this="UNNEST", expressions=[array]))
