"""One statement of an operation compiled for one schema and engine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from footnote.catalog.load import LoadedCatalog
from footnote.catalog.model import Catalog, CurrencyColumn, Operation, RecordType, Statement
from footnote.catalog.place import Place
from footnote.catalog.statements import parse_statement, render
from footnote.errors import SourceChanged, StatementRefused, Untraceable
from footnote.lineage.analyse import Analysed, analyse, table_name
from footnote.lineage.shape import Block, Output
from footnote.lineage.witness import with_hidden_columns, witness_statement
from footnote.plans.columns import Columns, value_type
from footnote.plans.dialects import ParameterTypes, template
from footnote.plans.shape import CONTRIBUTIONS, StatementPlan
from footnote.sources.query import Column, ValueType


_TWO_STATEMENTS = "Use several statements in one operation, each one SELECT over base tables."


@dataclass(frozen=True, slots=True)
class Address:
    """Which statement of which operation of which catalog."""

    loaded: LoadedCatalog
    operation: str
    statement: str

    @property
    def spec(self) -> Operation:
        """The operation."""
        return self.loaded.catalog.operations[self.operation]

    def place(self) -> Place:
        """Where the statement's text starts in the file."""
        return self.loaded.lines.text("operations", self.operation, "statements", self.statement, "statement")

    def __str__(self) -> str:
        return f"{self.operation}.{self.statement}"


def author_dialect(catalog: Catalog, statement: Statement, engine: str) -> tuple[str, str]:
    """The statement's text for an engine, and the dialect it is written in.

    Raises:
        StatementRefused: If there is one text per dialect and none for this engine.
    """
    if isinstance(statement.statement, str):
        return statement.statement, catalog.source.dialect
    for dialect, text in statement.statement.items():
        if dialect == engine:
            return text, dialect
    raise StatementRefused(f"There is no statement for {engine}.", remedy="Add one, or use one text for all engines.")


def tables_of(loaded: LoadedCatalog, engine: str) -> tuple[str, ...]:
    """Every table the catalog names, in record types and in statements."""
    names = dict.fromkeys(record.table for record in loaded.catalog.records.values())
    for name, operation in loaded.catalog.operations.items():
        for statement in operation.statements:
            tree, _ = _parsed(Address(loaded, name, statement), frozenset(p.name for p in operation.parameters), engine)
            names |= dict.fromkeys(table_name(table) for table in tree.find_all(exp.Table))
    return tuple(names)


def _parsed(address: Address, present: frozenset[str], engine: str) -> tuple[exp.Query, str]:
    statement = address.spec.statements[address.statement]
    text, dialect = author_dialect(address.loaded.catalog, statement, engine)
    return parse_statement(render(text, present), dialect, address.place()), dialect


def compile_statement(address: Address, present: frozenset[str], columns: Columns) -> StatementPlan:
    """Compile one statement.

    Args:
        address: Which one.
        present: Parameters that have a value; optional segments of the others are dropped.
        columns: What is known of the database.

    Raises:
        SourceChanged: If the database has no such table or column.
        StatementRefused: If the engine has no faithful form for it.
        Untraceable: If its figures cannot be traced to rows.
    """
    statement = address.spec.statements[address.statement]
    try:
        tree, dialect = _parsed(address, present, columns.dialect)
        names = [node.alias_or_name for node in tree.selects]
        select = _qualified(tree, dialect, columns)
        if not isinstance(select, exp.Select):
            raise Untraceable("A set operation (UNION, EXCEPT, INTERSECT) cannot be traced yet.", remedy=_TWO_STATEMENTS)
        record = address.loaded.catalog.records[_grain(statement)]
        analysed = analyse(
            select,
            names=names,
            grain=columns.actual_name(record.table),
            keys=columns.keys(),
            types=columns,
            currency=columns.fold(_currency_column(record)),
        )
        _require_fitting_shape(statement, analysed.block)
    except Untraceable as error:
        raise _placed(error, address) from error
    analysed = replace(analysed, block=_with_declared_types(analysed.block, statement))
    return _plan(address, statement, select, analysed, columns)


def _plan(
    address: Address, statement: Statement, select: exp.Select, analysed: Analysed, columns: Columns
) -> StatementPlan:
    block = analysed.block
    types = ParameterTypes.of({parameter.name: parameter for parameter in address.spec.parameters})
    tree = with_hidden_columns(_readable_sums(select, block), analysed)
    outputs = tuple(_output_column(output, statement, block) for output in block.outputs)
    hidden = _key_columns(block) if block.aggregated else (*_source_keys(block, columns), *_base(block))
    main = template(tree, columns.dialect, types, outputs + hidden)
    witness = None
    if block.aggregated:
        rows = witness_statement(select, analysed, CONTRIBUTIONS + 1)
        arguments = tuple(Column(f"__c{i}", kind) for i, kind in enumerate(block.argument_types))
        shape = (*_key_columns(block), *_grain_key(block, columns), *arguments, *_base(block))
        witness = template(rows, columns.dialect, types, shape)
    return StatementPlan(address.statement, block, main, witness)


def _grain(statement: Statement) -> str:
    grain = statement.grain or (statement.each.record if statement.each else None)
    if grain is None:
        raise Untraceable("The statement has no grain.", remedy="Say `grain: <record>` or `each: {record, key}`.")
    return grain


def _currency_column(record: RecordType) -> str:
    """The column that has the currency of a row's amounts, if all its money fields name the same one."""
    named = {f.currency.column if isinstance(f.currency, CurrencyColumn) else "" for f in record.fields.values() if f.currency}
    if len(named) != 1:
        return ""
    (name,) = named
    field = record.fields.get(name)
    return "" if field is not None and field.sql else (field.column if field else "") or name


def _placed(error: Untraceable, address: Address) -> Untraceable:
    place = address.place()
    return Untraceable(
        f"{address}: {error.what}", file=place.file, line=place.line, why=error.why, remedy=error.remedy
    )


def _require_fitting_shape(statement: Statement, block: Block) -> None:
    if statement.totals_of and not block.aggregated:
        raise Untraceable("The statement is said to be totals but has no aggregate.", remedy="Use SUM, COUNT, MIN, MAX.")
    if statement.each and block.aggregated:
        raise Untraceable(
            "The statement groups or aggregates, so its rows are not records.",
            remedy="Leave `each` out, or take GROUP BY and the aggregates out.",
        )


# --- qualification ----------------------------------------------------------------------------------------------------


def _qualified(tree: exp.Expr, dialect: str, columns: Columns) -> exp.Expr:
    """Every column with its table, GROUP BY and ORDER BY positions resolved, against the tables the statement names."""
    tree = tree.copy()
    schema = MappingSchema(dialect=dialect, normalize=False)
    tables = list(tree.find_all(exp.Table))
    with_schema = any(table.db for table in tables)
    for node in tables:
        found = columns.table(table_name(node))
        path = exp.table_(found.name, db=found.schema if with_schema else None, quoted=True)
        schema.add_table(path.copy(), dict.fromkeys(columns.names(found), "text"), normalize=False)
        path.set("alias", exp.TableAlias(this=exp.to_identifier(node.alias_or_name)))
        node.replace(path)
    try:
        return qualify(
            tree,
            schema=schema,
            dialect=dialect,
            quote_identifiers=True,
            validate_qualify_columns=True,
        )
    except SqlglotError as error:
        raise SourceChanged(
            f"A column of the statement is not in the source: {_first_line(error)}",
            remedy="Check the names against the source's tables.",
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


# --- columns ----------------------------------------------------------------------------------------------------------


def _with_declared_types(block: Block, statement: Statement) -> Block:
    """Read group keys and arguments as the output columns that show them are declared, so that equal means equal."""
    keys = list(block.key_types)
    arguments = list(block.argument_types)
    for output in block.outputs:
        declared = value_type(statement.columns[output.name])
        expression = output.expression
        if not block.aggregated or expression is None:
            continue
        if expression[0] == "key":
            keys[expression[1]] = declared
        elif expression[0] == "agg" and output.method in ("minimum", "maximum", "sum"):
            argument = block.aggregates[expression[1]].argument
            if argument is not None and arguments[argument] is ValueType.ANY:
                arguments[argument] = declared
    return replace(block, key_types=tuple(keys), argument_types=tuple(arguments))


def _output_column(output: Output, statement: Statement, block: Block) -> Column:
    spec = statement.columns[output.name]
    inexact = any(not block.aggregates[index].exact for index in output.aggregates)
    return Column(output.name, ValueType.TEXT if inexact else value_type(spec))


def _readable_sums(select: exp.Select, block: Block) -> exp.Select:
    """Sums that the engine computes inexactly are read as text: they are compared for sanity, never returned."""
    out = select.copy()
    for node, output in zip(out.expressions, block.outputs, strict=True):
        if any(not block.aggregates[index].exact for index in output.aggregates):
            node.unalias().replace(exp.cast(node.unalias().copy(), "TEXT"))
    return out


def _key_columns(block: Block) -> tuple[Column, ...]:
    return tuple(Column(f"__k{index}", kind) for index, kind in enumerate(block.key_types))


def _base(block: Block) -> tuple[Column, ...]:
    return tuple(Column(f"__b{index}", base.type) for index, base in enumerate(block.base))


def _grain_key(block: Block, columns: Columns) -> tuple[Column, ...]:
    source = block.sources[block.grain]
    return tuple(Column(f"__g{i}", columns.type_of(source.table, name)) for i, name in enumerate(source.key))


def _source_keys(block: Block, columns: Columns) -> tuple[Column, ...]:
    return tuple(
        Column(f"__{source.alias}_{name}", columns.type_of(source.table, name))
        for source in block.sources
        for name in source.key
    )
