"""One statement of an operation compiled for one schema and engine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from footnote.catalog.columns import tables_in
from footnote.catalog.load import LoadedCatalog
from footnote.catalog.model import Operation, Statement
from footnote.catalog.place import Place
from footnote.catalog.scope import placeholders_of, text_for
from footnote.catalog.statements import parse_statement, render
from footnote.errors import StatementRefused, Untraceable
from footnote.lineage.analyse import Analysed, analyse, one_block
from footnote.lineage.shape import Block, Output
from footnote.lineage.witness import with_hidden_columns, witness_statement
from footnote.plans.collations import refuse_caseless
from footnote.plans.columns import Columns, canonical, value_type
from footnote.plans.comparisons import refuse_misleading
from footnote.plans.dialects import ParameterTypes, template
from footnote.plans.money import MoneyColumns
from footnote.plans.postgres_types import reals_as_decimals
from footnote.plans.qualified import asked_name, qualified
from footnote.plans.shape import CONTRIBUTIONS, StatementPlan, Template
from footnote.plans.sqlite_types import compared_by_type
from footnote.sources.query import Column, ValueType


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

    def place(self, *path: str) -> Place:
        """Where the statement's text starts in the file; `path` leads to the text of a dialect."""
        path = path or ("statement",)
        return self.loaded.lines.text("operations", self.operation, "statements", self.statement, *path)

    def __str__(self) -> str:
        return f"{self.operation}.{self.statement}"


def tables_of(loaded: LoadedCatalog, engine: str) -> tuple[str, ...]:
    """Every table the catalog names, in record types and in statements."""
    names = dict.fromkeys(record.table for record in loaded.catalog.records.values())
    for name, operation in loaded.catalog.operations.items():
        every = frozenset(parameter.name for parameter in operation.parameters)
        for statement in operation.statements:
            tree, dialect = _parsed(Address(loaded, name, statement), every, engine)
            names |= dict.fromkeys(asked_name(table, dialect) for table in tables_in(tree))
    return tuple(names)


def _parsed(address: Address, present: frozenset[str], engine: str) -> tuple[exp.Query, str]:
    """The statement for an engine without the optional segments of absent parameters, and the dialect it is in."""
    text = text_for(address.loaded.catalog, address.spec.statements[address.statement], engine)
    if text is None:
        raise StatementRefused(
            f"{address} has no statement for {engine}.", remedy="Add one, or use one text for all engines."
        )
    given = [parameter for parameter in address.spec.parameters if parameter.name in present]
    placeholders = frozenset(name for parameter in given for name in placeholders_of(parameter))
    return parse_statement(render(text.sql, placeholders), text.dialect, address.place(*text.path)), text.dialect


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
        select = one_block(qualified(one_block(tree), dialect, columns))
        grain = _grain(statement)
        record = address.loaded.catalog.records[grain]
        table = canonical(columns.table(record.table))
        currencies = MoneyColumns.of(address.loaded, columns, grain).currencies(statement, names, select, grain)
        keys = columns.keys(table, tuple(record.key))
        analysed = analyse(select, names=names, grain=table, keys=keys, types=columns, currencies=currencies)
        _require_fitting_shape(statement, analysed.block)
        block = _with_declared_types(_with_records(analysed.block, address.loaded, grain, columns), statement)
        return _plan(address, statement, select, replace(analysed, block=block), columns)
    except (Untraceable, StatementRefused) as error:
        raise _placed(error, address) from error


def _plan(
    address: Address, statement: Statement, select: exp.Select, analysed: Analysed, columns: Columns
) -> StatementPlan:
    block = analysed.block
    types = ParameterTypes.of({parameter.name: parameter for parameter in address.spec.parameters})
    tables = {source.alias: source.table for source in block.sources}
    refuse_caseless(select, tables, columns)
    refuse_misleading(select, tables, columns, types)

    def written(tree: exp.Select, shape: tuple[Column, ...]) -> Template:
        typed = compared_by_type if columns.dialect == "sqlite" else reals_as_decimals
        return template(typed(tree, tables, columns), columns.dialect, types, shape)

    outputs = tuple(_output_column(output, statement, block) for output in block.outputs)
    hidden = _key_columns(block) if block.aggregated else (*_source_keys(block, columns), *_base(block))
    main = written(with_hidden_columns(_readable(select, block), analysed), outputs + hidden)
    witness = None
    if block.aggregated:
        rows = witness_statement(select, analysed, CONTRIBUTIONS + 1)
        shape = (*_key_columns(block), *_grain_key(block, columns), *_argument_columns(block), *_base(block))
        witness = written(rows, shape)
    return StatementPlan(address.statement, block, main, witness)


def _grain(statement: Statement) -> str:
    grain = statement.grain or (statement.each.record if statement.each else None)
    if grain is None:
        raise Untraceable("The statement has no grain.", remedy="Say `grain: <record>` or `each: {record, key}`.")
    return grain


def _with_records(block: Block, loaded: LoadedCatalog, grain: str, columns: Columns) -> Block:
    """Each table with the record type that its rows are cited as: the grain's own, else the first of the table."""
    by_table: dict[str, str] = {}
    for name, record in loaded.catalog.records.items():
        if record.table in columns.asked:
            by_table.setdefault(canonical(columns.table(record.table)), name)
    sources = [replace(source, record=by_table.get(source.table, "")) for source in block.sources]
    sources[block.grain] = replace(sources[block.grain], record=grain)
    return replace(block, sources=tuple(sources))


def _placed(error: Untraceable | StatementRefused, address: Address) -> Untraceable | StatementRefused:
    if error.file:
        return error
    place = address.place()
    what = f"{address}: {error.what}"
    return type(error)(what, file=place.file, line=place.line, why=error.why, remedy=error.remedy)


def _require_fitting_shape(statement: Statement, block: Block) -> None:
    if statement.totals_of and not block.aggregated:
        raise Untraceable(
            "The statement is said to be totals but has no aggregate.", remedy="Use SUM, COUNT, MIN, MAX."
        )
    if statement.each and block.aggregated:
        raise Untraceable(
            "The statement groups or aggregates, so its rows are not records.",
            remedy="Leave `each` out, or take GROUP BY and the aggregates out.",
        )


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
    return Column(output.name, ValueType.TEXT if _is_rounded(output, block) else value_type(spec))


def _is_rounded(output: Output, block: Block) -> bool:
    return output.approximate or any(not block.aggregates[index].exact for index in output.aggregates)


def _readable(select: exp.Select, block: Block) -> exp.Select:
    """What the engine computes inexactly is read as text: it is compared for sanity, never returned.

    ORDER BY sorts by the values themselves, which an output column's name would no longer mean.
    """
    out = select.copy()
    values = {node.alias_or_name: node.unalias() for node in out.expressions}
    order = out.args.get("order")
    for item in order.expressions if order else ():
        name = item.this
        if isinstance(name, exp.Column) and not name.table and values.get(name.name, name).find(exp.Column):
            name.replace(values.get(name.name, name).copy())
    for node, output in zip(out.expressions, block.outputs, strict=True):
        if _is_rounded(output, block):
            node.unalias().replace(exp.cast(node.unalias().copy(), "TEXT"))
    return out


def _key_columns(block: Block) -> tuple[Column, ...]:
    return tuple(Column(f"__k{index}", kind) for index, kind in enumerate(block.key_types))


def _argument_columns(block: Block) -> tuple[Column, ...]:
    return tuple(
        Column(f"__c{i}", ValueType.TEXT if i in block.approximate else kind)
        for i, kind in enumerate(block.argument_types)
    )


def _base(block: Block) -> tuple[Column, ...]:
    return tuple(Column(f"{base.alias}.{base.column}", base.type) for base in block.base)


def _grain_key(block: Block, columns: Columns) -> tuple[Column, ...]:
    source = block.sources[block.grain]
    return tuple(Column(f"__g{i}", columns.type_of(source.table, name)) for i, name in enumerate(source.key))


def _source_keys(block: Block, columns: Columns) -> tuple[Column, ...]:
    return tuple(
        Column(f"__{source.alias}_{name}", columns.type_of(source.table, name))
        for source in block.sources
        for name in source.key
    )
