"""Names resolved: every column with its table, GROUP BY positions spelled out, against the tables that are there."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from footnote.errors import SourceChanged, StatementRefused
from footnote.plans.columns import Columns
from footnote.sources.source import TableSchema

_AS_IT_STANDS = "case_sensitive"
"""sqlglot's mark of what it must not bring into lower case, which it does to quoted names too for SQLite."""


def asked_name(table: exp.Table, dialect: str) -> str:
    """The name a statement has for a table, `name` or `schema.name`; PostgreSQL reads it in lower case unquoted."""

    def spelled(part: exp.Expr | None) -> str:
        if not isinstance(part, exp.Identifier):
            return ""
        return part.name.lower() if dialect == "postgres" and not part.args.get("quoted") else part.name

    schema, name = spelled(table.args.get("db")), spelled(table.this)
    return f"{schema}.{name}" if schema else name


def qualified_query(tree: exp.Query, dialect: str, columns: Columns) -> exp.Query:
    """The tree with every name resolved; tables get their schema, so that they are the same on every connection.

    Raises:
        SourceChanged: If the database has no such table or column.
        StatementRefused: If GROUP BY has two readings.
    """
    tree = tree.copy()
    schema = MappingSchema(dialect=dialect, normalize=False)
    known: set[str] = set()
    ctes = {cte.alias for cte in tree.find_all(exp.CTE)}
    for node in list(tree.find_all(exp.Table)):
        if not node.args.get("db") and node.name in ctes:
            continue
        found = columns.table(asked_name(node, dialect))
        known.update(columns.names(found))
        named = node.args["alias"].this if node.args.get("alias") else node.this
        path = _known_table(found, schema, columns)
        alias = named.name.lower() if columns.dialect == "sqlite" else named.name  # as what refers to it will be
        path.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=bool(named.args.get("quoted")))))
        node.replace(path)
    _refuse_ambiguous_groups(tree, known)
    resolved = _resolved(tree, schema, known, dialect, columns)
    assert isinstance(resolved, exp.Query)  # noqa: S101 - resolving names keeps the form
    return resolved


def _refuse_ambiguous_groups(tree: exp.Expr, known: set[str]) -> None:
    """A name in GROUP BY that is a column of a table, and what an output column of another value is called."""
    for select in tree.find_all(exp.Select):
        _refuse_ambiguous_group(select, known)


def _refuse_ambiguous_group(select: exp.Select, known: set[str]) -> None:
    group = select.args.get("group")
    for key in group.expressions if group else ():
        if not isinstance(key, exp.Column) or key.table or key.name.lower() not in {name.lower() for name in known}:
            continue
        meant = next((e.unalias() for e in select.selects if e.alias_or_name.lower() == key.name.lower()), key)
        if not (isinstance(meant, exp.Column) and meant.name.lower() == key.name.lower()):
            raise StatementRefused(
                f"GROUP BY {key.name} may mean the table's column or the output column of that name.",
                why="Engines choose differently.",
                remedy=f"Group by the expression, {meant.sql()}, or call the output column something else.",
            )


def qualified_expression(
    node: exp.Expr, table: TableSchema, dialect: str, columns: Columns, alias: str = "t"
) -> exp.Expr:
    """An expression over one table's columns with its names resolved, each with the table's alias.

    Raises:
        SourceChanged: If the table has no such column.
    """
    schema = MappingSchema(dialect=dialect, normalize=False)
    path = _known_table(table, schema, columns)
    path.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    tree = exp.select(node.copy()).from_(path)
    select = _resolved(tree, schema, set(columns.names(table)), dialect, columns)
    expression: exp.Expr = select.expressions[0].unalias()
    return expression


def _known_table(table: TableSchema, schema: MappingSchema, columns: Columns) -> exp.Table:
    path = table_node(table)
    path.meta[_AS_IT_STANDS] = True
    schema.add_table(path.copy(), dict.fromkeys(columns.names(table), "text"), normalize=False)
    return path


def _resolved(tree: exp.Expr, schema: MappingSchema, known: set[str], dialect: str, columns: Columns) -> exp.Expr:
    if columns.dialect != "postgres":
        _fold_columns(tree, known, columns)
    try:
        return qualify(tree, schema=schema, dialect=dialect, quote_identifiers=True, validate_qualify_columns=True)
    except SqlglotError as error:
        first = str(error).splitlines()[0]
        raise SourceChanged(
            f"A column of the statement is not in the source: {first}",
            remedy="Check the names against the source's tables.",
        ) from error


def table_node(table: TableSchema) -> exp.Table:
    """A table by its full name."""
    return exp.table_(table.name, db=table.schema, quoted=True)


def _fold_columns(tree: exp.Expr, known: set[str], columns: Columns) -> None:
    """All but PostgreSQL find a column in any case, also quoted; what names an output column is left alone."""
    outputs = set(tree.named_selects) if isinstance(tree, exp.Query) else set()
    for column in tree.find_all(exp.Column):
        sorts = column.find_ancestor(exp.Order, exp.Group, exp.Having) is not None
        qualifier = column.args.get("table")
        if qualifier is not None:
            qualifier.set("this", qualifier.name.lower())
        folded = columns.fold(column.name)
        if folded in known and not (sorts and not column.table and column.name in outputs):
            column.this.set("this", folded)
            column.this.meta[_AS_IT_STANDS] = True
