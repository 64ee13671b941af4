"""Checks of statements: harmless, faithful on every engine, with the columns, the grain and the parameters declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from footnote.catalog.check_evidence import evidence_problems
from footnote.catalog.columns import (
    aggregated_columns,
    grouping_columns,
    is_aggregated,
    refuse_other_columns,
    refuse_ungrouped_columns,
    tables_in,
)
from footnote.catalog.faithful import Types, refuse_unfaithful
from footnote.catalog.model import CurrencyColumn, Operation, Statement
from footnote.catalog.place import Place
from footnote.catalog.scope import (
    Problems,
    Scope,
    StatementText,
    declared_columns,
    is_always_given,
    placeholder_types,
    placeholders_of,
    statement_texts,
)
from footnote.catalog.sql_text import line_of, placeholders_in, refusal, render, split_optional, tokens
from footnote.catalog.statements import parse_row_expression, parse_statement
from footnote.catalog.suggest import did_you_mean
from footnote.catalog.tree import line_in
from footnote.errors import CatalogError


def statement_problems(scope: Scope, operation: str) -> Problems:
    """What is wrong with the statements of an operation."""
    spec = scope.catalog.operations[operation]
    used: set[str] = {spec.as_of.parameter} if spec.as_of else set()
    found: list[CatalogError] = []
    for name, statement in spec.statements.items():
        path = ("operations", operation, "statements", name)
        found += _reference_problems(scope, spec, statement, *path)
        found += _dialect_problems(scope, statement, *path)
        for text in statement_texts(scope.catalog, statement):
            used |= placeholders_in(text.sql)
            found += _text_problems(_Text(scope, spec, statement, text, (*path, *text.path)))
        if statement.evidence is not None:
            used |= placeholders_in(statement.evidence.sql)
    yield from found
    if found:
        return  # what a broken statement does not use may be used in the right one
    for position, parameter in enumerate(spec.parameters):
        if not used & {parameter.name, *placeholders_of(parameter)}:
            what = f"No statement uses the parameter `{parameter.name}`."
            remedy = f"Use `:{placeholders_of(parameter)[0]}` in a statement, or remove the parameter."
            yield scope.problem(what, "operations", operation, "parameters", position, remedy=remedy)


def field_problems(scope: Scope, record: str, field: str) -> Problems:
    """What is wrong with a field's `sql`."""
    spec = scope.catalog.records[record]
    source = scope.catalog.source
    table = spec.table.rpartition(".")[2]
    types = Types({table: declared_columns(scope.catalog)[table]})
    where = scope.lines.text("records", record, "fields", field, "sql")
    try:
        tree = parse_row_expression(spec.fields[field].sql, source.dialect, where)
        engines = frozenset(scope.catalog.engines)
        refuse_unfaithful(tree, dialect=source.dialect, engines=engines, types=types, where=where)
    except CatalogError as error:
        yield error


def _reference_problems(scope: Scope, operation: Operation, statement: Statement, *path: str | int) -> Problems:
    records = scope.catalog.records
    if statement.evidence is not None:
        yield from evidence_problems(scope, operation, statement, *path)
    if statement.grain is None:
        remedy = "Add `grain:` with the record of which one joined row is one contribution."
        yield scope.problem("The statement has no grain.", *path, remedy=remedy)
    elif statement.grain not in records:
        yield scope.unknown("Records", statement.grain, records, *path, "grain")
    if statement.each is not None:
        yield from _each_problems(scope, statement, *path)
    if statement.totals_of is not None:
        yield from _totals_problems(scope, operation, statement, *path)
    if not statement.columns:
        yield scope.problem("`columns` is empty.", *path, "columns", remedy="Give each column of the SELECT a type.")


def _each_problems(scope: Scope, statement: Statement, *path: str | int) -> Problems:
    each = statement.each
    assert each is not None  # noqa: S101 - the caller asked
    record = scope.catalog.records.get(each.record)
    if record is None:
        yield scope.unknown("Records", each.record, scope.catalog.records, *path, "each", "record")
    elif len(each.keys) != len(record.key):
        what = f"`each.key` has {len(each.keys)} columns, and the key of `{each.record}` has {len(record.key)}."
        remedy = f"Name the columns that hold {', '.join(record.key)}."
        yield scope.problem(what, *path, "each", "key", remedy=remedy)
    for key in each.keys:
        if key not in statement.columns:
            yield scope.unknown("Columns of the statement", key, statement.columns, *path, "each", "key")


def _totals_problems(scope: Scope, operation: Operation, statement: Statement, *path: str | int) -> Problems:
    rows = operation.statements.get(str(statement.totals_of))
    if rows is None:
        known = operation.statements
        yield scope.unknown("Statements", str(statement.totals_of), known, *path, "totals_of")
    elif statement.shape != "one" or rows.shape != "many":
        what = "`totals_of` stands in a statement of shape one, and names one of shape many."
        yield scope.problem(what, *path, "totals_of", remedy="Check both shapes, or remove it.")
    elif statement.grain != rows.grain:
        what = f"The totals have grain `{statement.grain}`, and `{statement.totals_of}` has `{rows.grain}`."
        yield scope.problem(what, *path, "totals_of", remedy="Give both the same grain, or remove `totals_of`.")


def _dialect_problems(scope: Scope, statement: Statement, *path: str | int) -> Problems:
    if isinstance(statement.statement, str):
        return
    engines, native = scope.catalog.engines, scope.catalog.source.dialect
    for dialect in statement.statement:
        if dialect not in engines:
            what = f"The catalog does not declare the engine {dialect}."
            yield scope.problem(what, *path, "statement", dialect, remedy="Add it to `source.engines`, or remove it.")
    missing = [engine for engine in engines if engine not in statement.statement]
    if missing and native not in statement.statement:
        what = f"The statement has no text for {', '.join(missing)}."
        yield scope.problem(what, *path, "statement", remedy=f"Add one in the catalog's dialect, {native}.")


@dataclass(frozen=True, slots=True)
class _Text:
    """One SQL text, with what it belongs to."""

    scope: Scope
    operation: Operation
    statement: Statement
    text: StatementText
    path: tuple[str | int, ...]

    @property
    def where(self) -> Place:
        return self.scope.lines.text(*self.path)


def _text_problems(at: _Text) -> Problems:
    try:
        problems = list(_placeholder_problems(at))
        yield from problems
        for present in _variants(at):
            tree = parse_statement(render(at.text.sql, present), at.text.dialect, at.where)
            refuse_other_columns(tree, at.statement.columns, at.where)
            refuse_ungrouped_columns(tree, at.where)
            types = Types(declared_columns(at.scope.catalog), placeholder_types(at.operation))
            refuse_unfaithful(tree, dialect=at.text.dialect, engines=at.text.engines, types=types, where=at.where)
            if not problems:
                problems = [*_list_problems(at, tree), *_shape_problems(at, tree)]
                yield from problems
    except CatalogError as error:
        yield error


def _variants(at: _Text) -> Iterator[frozenset[str]]:
    """Placeholders that may be present together: all, none of the optional ones, each optional segment alone."""
    names = placeholders_in(at.text.sql)
    segments = split_optional(at.text.sql, at.where)
    optional = frozenset(name for segment in segments if segment.optional for name in segment.placeholders)
    always = frozenset(
        name
        for parameter in at.operation.parameters
        if is_always_given(parameter)
        for name in placeholders_of(parameter)
    )
    alone = (always | segment.placeholders for segment in segments if segment.optional)
    variants = (names, names - (optional - always), *(names & variant for variant in alone))
    yield from dict.fromkeys(variants)


def _placeholder_problems(at: _Text) -> Problems:
    parameters = {name: p for p in at.operation.parameters for name in placeholders_of(p)}
    required = {
        line
        for segment in split_optional(at.text.sql, at.where)
        if not segment.optional
        for line in segment.placeholders
    }
    seen: set[str] = set()
    for token in tokens(at.text.sql):
        name = token.text[1:]
        if token.kind != "placeholder" or name in seen:
            continue
        seen.add(name)
        here = at.where.at(line_of(at.text.sql, token.start))
        parameter = parameters.get(name)
        if parameter is None:
            period = next((p for p in at.operation.parameters if p.name == name), None)
            remedy = f"Use {', '.join(':' + n for n in placeholders_of(period))}." if period else ""
            remedy = remedy or did_you_mean(name, parameters) or "Declare it under `parameters`."
            what = (
                f"`:{name}` is a period, which binds its first and last day."
                if period
                else f"There is no parameter `:{name}`."
            )
            yield refusal(here, what, remedy)
        elif name in required and not is_always_given(parameter):
            what = f"`:{name}` may be absent, and stands outside `[[ … ]]`, where it would compare with nothing."
            yield refusal(here, what, f"Write `[[AND … :{name}]]`, or give the parameter a default.")


def _list_problems(at: _Text, tree: exp.Expr) -> Problems:
    lists = {p.name for p in at.operation.parameters if p.type == "list"}
    for node in tree.find_all(exp.Placeholder):
        parent = node.parent
        in_list = isinstance(parent, exp.In) and node.arg_key == "field"
        if in_list and node.name not in lists:
            what = f"`IN :{node.name}` needs a list, and the parameter is none."
            yield refusal(
                at.where.at(line_in(node)), what, f"Write `= :{node.name}`, or give the parameter `type: list`."
            )
        elif not in_list and node.name in lists:
            what = f"The list `:{node.name}` stands where one value is needed."
            yield refusal(at.where.at(line_in(node)), what, f"Write `column IN :{node.name}`, without parentheses.")


def _shape_problems(at: _Text, tree: exp.Query) -> Problems:
    statement, path = at.statement, at.path[: -len(at.text.path)]
    aggregated = is_aggregated(tree) or statement.evidence is not None
    if statement.shape == "many" and not tree.args.get("order") and not _is_one_record(at, tree):
        what = "A statement of shape many has no ORDER BY, so engines would order its rows as they like."
        yield refusal(at.where, what, "Add ORDER BY with columns that make the order unique.")
    if not aggregated:
        if statement.each is None and not _reads_inner_queries(tree):
            what = "The statement returns rows of a table, and does not say of which record."
            yield at.scope.problem(what, *path, remedy="Add `each: {record: …, key: …}`, or aggregate with GROUP BY.")
        elif statement.each is not None and statement.grain not in (None, statement.each.record):
            what = f"A row of the statement is one `{statement.each.record}`, and its grain is `{statement.grain}`."
            yield at.scope.problem(what, *path, "grain", remedy=f"Write `grain: {statement.each.record}`.")
    elif statement.evidence is None:
        yield from _group_problems(at, tree)
    record = at.scope.catalog.records.get(statement.grain or "")
    if record is not None and statement.evidence is None:
        table = record.table.rpartition(".")[2].casefold()
        if table not in {source.name.casefold() for source in tables_in(tree)}:
            what = f"The grain is `{statement.grain}`, and its table {record.table} is not in the statement."
            yield at.scope.problem(what, *path, "grain", remedy="Name the record whose rows are added up.")


def _reads_inner_queries(tree: exp.Query) -> bool:
    """Whether the rows are those of queries inside the statement, so that they need not be records."""
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return True
    named = {cte.alias for cte in tree.find_all(exp.CTE)}
    origin = tree.args.get("from_")
    items = [*([origin.this] if origin is not None else []), *(join.this for join in tree.args.get("joins") or ())]
    return any(isinstance(item, exp.Subquery) or (not item.text("db") and item.name in named) for item in items)


def _is_one_record(at: _Text, tree: exp.Query) -> bool:
    """Whether the statement reads one record by its key, so that there is nothing to order."""
    each = at.statement.each
    record = at.scope.catalog.records.get(each.record) if each else None
    tables, where = tables_in(tree), tree.args.get("where")
    if record is None or len(tables) != 1 or where is None or tables[0].name != record.table.rpartition(".")[2]:
        return False
    conditions = where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
    fixed = {
        condition.left.name
        for condition in conditions
        if isinstance(condition, exp.EQ)
        and isinstance(condition.left, exp.Column)
        and isinstance(condition.right, exp.Placeholder | exp.Literal)
    }
    return fixed >= set(record.key)


def _group_problems(at: _Text, tree: exp.Query) -> Problems:
    statement, path = at.statement, at.path[: -len(at.text.path)]
    aggregates = aggregated_columns(tree)
    currencies = _currency_columns(statement)
    for column in currencies & aggregates:
        what = f"`{column}` is a currency and an aggregate, so amounts of several currencies would be added."
        yield at.scope.problem(what, *path, "columns", column, remedy=f"Add `{column}` to GROUP BY.")
    if statement.shape == "one":
        odd = [name for name in grouping_columns(tree) if name not in currencies]
        if odd:
            what = f"A statement of shape one groups by {_listed(odd)}, so it has a row for each."
            remedy = "Write `shape: many`, or group by the currency only."
            yield at.scope.problem(what, *path, "shape", remedy=remedy)


def _currency_columns(statement: Statement) -> frozenset[str]:
    specs = statement.columns.values()
    return frozenset(s.currency.column for s in specs if isinstance(s.currency, CurrencyColumn))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
