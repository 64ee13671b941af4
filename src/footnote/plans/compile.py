"""One statement of an operation compiled for one schema and engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from footnote.catalog.columns import tables_in
from footnote.catalog.load import LoadedCatalog
from footnote.catalog.model import Operation, Statement
from footnote.catalog.place import Place
from footnote.catalog.scope import placeholders_of, text_for
from footnote.catalog.statements import parse_statement, render
from footnote.errors import StatementRefused, Untraceable
from footnote.lineage.analyse import analyse
from footnote.lineage.frames import Analysed
from footnote.lineage.laterals import without_laterals
from footnote.lineage.normal import normalised, without_ctes
from footnote.lineage.shape import Block, Output, SourceTable
from footnote.lineage.witness import by_group, counted, with_hidden_columns, witness_statement
from footnote.plans.by_hand import ByHand, plan_by_hand
from footnote.plans.collations import refuse_caseless
from footnote.plans.columns import Columns, canonical, value_type
from footnote.plans.comparisons import refuse_misleading
from footnote.plans.dialects import ParameterTypes, template
from footnote.plans.fitted import fitted
from footnote.plans.money import Joined, MoneyColumns
from footnote.plans.qualified import asked_name, qualified_query
from footnote.plans.shape import CONTRIBUTIONS, INNER_ROWS, REPLAY_KEYS, Arm, LargePlan, StatementPlan, Template
from footnote.plans.summed import repeated_row, summed_plan
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
            tree, dialect = parsed(Address(loaded, name, statement), every, engine)
            names |= dict.fromkeys(asked_name(table, dialect) for table in tables_in(tree))
            if operation.statements[statement].evidence is not None:
                tree = _evidence_of(Address(loaded, name, statement), every)
                names |= dict.fromkeys(asked_name(table, loaded.catalog.source.dialect) for table in tables_in(tree))
    return tuple(names)


def parsed(address: Address, present: frozenset[str], engine: str) -> tuple[exp.Query, str]:
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
        tree, dialect = parsed(address, present, columns.dialect)
        if statement.evidence is not None:
            return _by_hand(address, present, tree, dialect, columns)
        names = [node.alias_or_name for node in tree.selects]
        select = normalised(without_laterals(qualified_query(without_ctes(tree), dialect, columns)), names)
        grain = _grain(statement)
        record = address.loaded.catalog.records[grain]
        table = canonical(columns.table(record.table))
        money = MoneyColumns.of(address.loaded, columns, grain)
        analysed, known = analyse(
            select,
            names=names,
            grain=table,
            keys=columns.keys(record.table, tuple(record.key)),
            types=columns,
            currencies=money.currency_of(statement, Joined.of(select), grain),
        )
        _require_fitting_shape(statement, analysed.block)
        analysed = _with_records(analysed, address.loaded, grain, columns)
        _require_records(analysed)
        analysed = replace(analysed, block=_with_declared_types(analysed.block, statement))
        inner = {place: computed.type for place, computed in known.inner.items()}
        return _plan(address, statement, analysed, columns.with_inner(inner), known.tables)
    except (Untraceable, StatementRefused) as error:
        raise _placed(error, address) from error


def _by_hand(
    address: Address, present: frozenset[str], tree: exp.Query, dialect: str, columns: Columns
) -> StatementPlan:
    """A statement whose rows are given by hand; its own tables need no key."""
    statement = address.spec.statements[address.statement]
    evidence = statement.evidence
    assert evidence is not None  # noqa: S101 - the caller asked
    record = address.loaded.catalog.records[_grain(statement)]
    table = canonical(columns.table(record.table))
    key = tuple(map(columns.fold, record.key))
    of = ByHand(
        address.statement,
        statement,
        evidence,
        qualified_query(tree, dialect, columns),
        qualified_query(_evidence_of(address, present), address.loaded.catalog.source.dialect, columns),
        SourceTable("t", table, key, _grain(statement), key_types=tuple(columns.type_of(table, name) for name in key)),
    )
    return plan_by_hand(of, columns, _parameter_types(address))


def _evidence_of(address: Address, present: frozenset[str]) -> exp.Query:
    evidence = address.spec.statements[address.statement].evidence
    assert evidence is not None  # noqa: S101 - the caller asked
    given = [parameter for parameter in address.spec.parameters if parameter.name in present]
    placeholders = frozenset(name for parameter in given for name in placeholders_of(parameter))
    dialect = address.loaded.catalog.source.dialect
    return parse_statement(render(evidence.sql, placeholders), dialect, address.place("evidence", "sql"))


def _parameter_types(address: Address) -> ParameterTypes:
    return ParameterTypes.of({parameter.name: parameter for parameter in address.spec.parameters})


def _plan(
    address: Address, statement: Statement, analysed: Analysed, columns: Columns, tables: Mapping[str, str]
) -> StatementPlan:
    types = _parameter_types(address)
    refuse_caseless(analysed.select, tables, columns)
    refuse_misleading(analysed.select, tables, columns, types)
    outputs = tuple(_output_column(output, statement, analysed.block) for output in analysed.block.outputs)
    writer = _Writer(columns, tables, types)
    main = writer.statement(analysed, outputs)
    witness, large = (writer.witness(analysed), writer.large(analysed)) if analysed.block.aggregated else (None, None)
    replay = writer.replay(analysed, outputs) if analysed.block.aggregated else None
    return StatementPlan(address.statement, analysed.block, main, witness, writer.arms(analysed), large, replay)


_ITEMS = {ValueType.INTEGER: "BIGINT", ValueType.DECIMAL: "DECIMAL"}
"""Types of the keys in a list, as SQL."""


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the statements of a plan for its engine."""

    columns: Columns
    tables: Mapping[str, str]
    types: ParameterTypes

    def statement(self, analysed: Analysed, outputs: tuple[Column, ...], most: int | None = None) -> Template:
        """A statement's own rows, with what they are known by; at most so many."""
        block = analysed.block
        hidden = _key_columns(block) if block.aggregated else (*_source_keys(block.sources), *_base(block))
        tree = with_hidden_columns(replace(analysed, select=_readable(analysed.select, block)))
        if most is not None and tree.args.get("limit") is None:
            tree = tree.limit(most)
        return self._written(tree, outputs + hidden)

    def witness(self, analysed: Analysed) -> Template:
        """The rows behind an aggregating statement, as far as they are kept."""
        tree = witness_statement(analysed).limit(CONTRIBUTIONS + 1, copy=False)
        return self._written(tree, _witness_columns(analysed.block))

    def large(self, analysed: Analysed) -> LargePlan:
        """All rows behind an aggregating statement, and how many they are."""
        tree = witness_statement(analysed)
        shape = _witness_columns(analysed.block)
        size = self._written(counted(tree), (Column("rows", ValueType.INTEGER),))
        summed = summed_plan(analysed.block, tree, shape, self.columns.dialect, self._written)
        return LargePlan(size, self._written(tree, shape), summed)

    def replay(self, analysed: Analysed, outputs: tuple[Column, ...]) -> Template | None:
        """The statement over given rows of the grain alone."""
        block = analysed.block
        key = analysed.source_keys[block.grain]
        if len(key) != 1 or block.beside or block.sources[block.grain].inner:
            return None
        word = _ITEMS.get(block.sources[block.grain].key_types[0], "TEXT")
        types = replace(self.types, lists={**self.types.lists, REPLAY_KEYS: word})
        given = exp.In(this=key[0].copy(), field=exp.Placeholder(this=REPLAY_KEYS))
        select = analysed.select.where(given)
        return replace(self, types=types).statement(replace(analysed, select=select), outputs)

    def arms(self, analysed: Analysed) -> tuple[Arm, ...]:
        """The inner queries of a statement."""
        return tuple(self._arm(arm) for arm in analysed.arms)

    def _arm(self, analysed: Analysed) -> Arm:
        block = analysed.block
        outputs = tuple(
            Column(output.name, ValueType.TEXT if _is_rounded(output, block) else kind)
            for output, kind in zip(block.outputs, analysed.types, strict=True)
        )
        own = self.statement(analysed, outputs, INNER_ROWS + 1) if analysed.cuts or not block.aggregated else None
        if not block.aggregated:
            return Arm(block, own, None, self.arms(analysed))
        shape = _witness_columns(block)
        large = self._written(by_group(analysed), shape)
        repeated = repeated_row(block, witness_statement(analysed), shape, self._written)
        return Arm(block, own, self.witness(analysed), self.arms(analysed), large, repeated)

    def _written(self, tree: exp.Select, shape: tuple[Column, ...]) -> Template:
        tree = fitted(tree, self.tables, self.columns, self.types)
        return template(tree, self.columns.dialect, self.types, shape)


def _grain(statement: Statement) -> str:
    grain = statement.grain or (statement.each.record if statement.each else None)
    if grain is None:
        raise Untraceable("The statement has no grain.", remedy="Say `grain: <record>` or `each: {record, key}`.")
    return grain


def _with_records(analysed: Analysed, loaded: LoadedCatalog, grain: str, columns: Columns) -> Analysed:
    """Each table with the record type that its rows are cited as: the grain's own, else the first of the table."""
    by_table: dict[str, str] = {}
    for name, record in loaded.catalog.records.items():
        if record.table in columns.asked:
            by_table.setdefault(canonical(columns.table(record.table)), name)
    by_table[canonical(columns.table(loaded.catalog.records[grain].table))] = grain
    return _recorded(analysed, by_table)


def _require_records(analysed: Analysed) -> None:
    """Rows that values come from must be citable, on every level; those that only decide are cited where they can be."""
    for link in analysed.block.links:
        for arm in (analysed.arms[place] for place in link.arms):
            sources = [source for source in arm.block.grains if not source.inner]
            gives = link.kind not in ("exists", "in", "any", "all")
            if gives and sources and not any(source.record for source in sources):
                bare = sources[0].table.rpartition(".")[2]
                raise Untraceable(
                    f"The rows of {bare!r} give a value, and {bare!r} is no record type.",
                    why="A row that nobody can open cannot be evidence.",
                    remedy=f"Declare a record type with `table: {bare}`.",
                )
            _require_records(arm)


def _recorded(analysed: Analysed, by_table: Mapping[str, str]) -> Analysed:
    sources = tuple(
        source if source.inner else replace(source, record=by_table.get(source.table, ""))
        for source in analysed.block.sources
    )
    arms = tuple(_recorded(arm, by_table) for arm in analysed.arms)
    return replace(analysed, block=replace(analysed.block, sources=sources), arms=arms)


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
    for node, output in zip(out.expressions, block.outputs, strict=False):
        if _is_rounded(output, block):
            node.unalias().replace(exp.cast(node.unalias().copy(), "TEXT"))
    return out


def _key_columns(block: Block) -> tuple[Column, ...]:
    return tuple(Column(f"__k{index}", kind) for index, kind in enumerate(block.key_types))


def _witness_columns(block: Block) -> tuple[Column, ...]:
    grain = tuple(replace(column, name=f"__g{i}") for i, column in enumerate(_source_keys(block.grains)))
    return (*_key_columns(block), *grain, *_argument_columns(block), *_base(block))


def _argument_columns(block: Block) -> tuple[Column, ...]:
    return tuple(
        Column(f"__c{i}", ValueType.TEXT if i in block.approximate else kind)
        for i, kind in enumerate(block.argument_types)
    )


def _base(block: Block) -> tuple[Column, ...]:
    return tuple(Column(f"{base.alias}.{base.column}", base.type) for base in block.base)


def _source_keys(sources: Iterable[SourceTable]) -> tuple[Column, ...]:
    return tuple(
        Column(f"__{source.alias}_{name}", kind)
        for source in sources
        for name, kind in zip(source.key, source.key_types, strict=True)
    )
