"""Plans that fetch rows of record types by key, and that find the record an entity argument names."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from footnote.catalog.load import LoadedCatalog
from footnote.catalog.model import CurrencyColumn, FieldLookup, FieldSpec, RecordType
from footnote.catalog.statements import parse_row_expression
from footnote.errors import SourceChanged, Untraceable
from footnote.plans.collations import refuse_caseless
from footnote.plans.columns import Columns, canonical, value_type
from footnote.plans.dialects import ParameterTypes, template
from footnote.plans.mysql_types import compared_by_letters
from footnote.plans.qualified import qualified_expression, table_node
from footnote.plans.shape import NAMES, EntityPlan, RecordPlan, Template
from footnote.sources.files_found import ROW
from footnote.sources.query import Column, ValueType


@dataclass(frozen=True, slots=True)
class _Table:
    """One record type's table as the source has it, under an alias; `aliases` are all of the statement's."""

    loaded: LoadedCatalog
    type: str
    columns: Columns
    alias: str = "t"
    aliases: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.aliases[self.alias] = self.name

    @property
    def record(self) -> RecordType:
        return self.loaded.catalog.records[self.type]

    @property
    def name(self) -> str:
        return canonical(self.columns.table(self.record.table))

    def source(self) -> exp.Table:
        node = table_node(self.columns.table(self.record.table))
        node.set("alias", exp.TableAlias(this=exp.to_identifier(self.alias, quoted=True)))
        return node

    def column(self, name: str) -> exp.Expr:
        folded = self.columns.fold(name)
        if folded not in self.columns.names(self.columns.table(self.record.table)):
            raise SourceChanged(
                f"Table {self.record.table!r} has no column {name!r}.",
                why="A record type of the catalog names it.",
                remedy="Set `column:` of the field, or check the key.",
            )
        return exp.column(folded, table=self.alias, quoted=True)

    def field(self, name: str) -> exp.Expr:
        spec = self.record.fields[name]
        if spec.lookup is not None:
            return self._looked_up(spec.lookup)
        return self._expression(name, spec) if spec.sql else self.column(spec.column or name)

    def _looked_up(self, lookup: FieldLookup) -> exp.Expr:
        """The other record's field, as a sub-select: its key promises that there is at most one row."""
        other = replace(self, type=lookup.record, alias=f"l{len(self.aliases)}")
        _require_key(other, lookup.record)
        (key,) = other.record.key
        one = exp.select(exp.alias_(other.field(lookup.field), "v", quoted=True)).from_(other.source())
        return one.where(exp.EQ(this=other.column(key), expression=self.column(lookup.by))).subquery(copy=False)

    def _expression(self, name: str, spec: FieldSpec) -> exp.Expr:
        dialect = self.loaded.catalog.source.dialect
        where = self.loaded.lines.text("records", self.type, "fields", name, "sql")
        node = parse_row_expression(spec.sql, dialect, where)
        found = self.columns.table(self.record.table)
        try:
            expression = qualified_expression(node, found, dialect, self.columns, self.alias)
        except SourceChanged as error:
            raise SourceChanged(
                f"Field expression {spec.sql!r} does not fit table {self.record.table!r}.", why=error.what
            ) from error
        refuse_caseless(expression, {self.alias: self.name}, self.columns)
        return expression

    def key(self) -> tuple[Column, ...]:
        return tuple(Column(name, self.columns.type_of(self.name, name)) for name in self.record.key)

    def key_word(self, name: str) -> str:
        """The SQL type the bound keys are cast to, so that they compare with the column as it is."""
        return self.columns.column_word(self.name, name) or "text"

    def written(self, tree: exp.Select, types: ParameterTypes, shape: tuple[Column, ...]) -> Template:
        """A statement over the table for its engine."""
        if self.columns.dialect == "mysql":  # names and keys are texts that are compared there
            tree = compared_by_letters(tree, self.aliases, self.columns, types)
        return template(tree, self.columns.dialect, types, shape)


def record_plan(loaded: LoadedCatalog, record: str, columns: Columns) -> RecordPlan:
    """How rows of a record type are fetched.

    Raises:
        SourceChanged: If its table or a column of it is not in the source.
    """
    table = _Table(loaded, record, columns)
    _require_key(table, record)
    fields = tuple(table.record.fields)
    place = columns.table(table.record.table).place
    extra = (*_currency_columns(table.record), *([ROW] if place and ROW not in fields else []))
    selected = [
        *(table.column(name) for name in table.record.key),
        *(table.field(name) for name in fields),
        *(table.column(name) for name in extra),
    ]
    tree = exp.select(*(exp.alias_(node, f"f{i}", quoted=True) for i, node in enumerate(selected))).from_(
        table.source()
    )
    tree = tree.where(_key_condition(table))
    shape = (
        *table.key(),
        *(Column(name, value_type(table.record.fields[name])) for name in fields),
        *(Column(name, ValueType.INTEGER if name == ROW else ValueType.TEXT) for name in extra),
    )
    lists = {f"key{i}": table.key_word(name) for i, name in enumerate(table.record.key)}
    return RecordPlan(record, table.written(tree, ParameterTypes({}, lists), shape), table.key(), fields, extra, place)


def _require_key(table: _Table, record: str) -> None:
    """A record's key must be the table's key, or a row could not be told from another.

    No database promises a key of a view. There the catalog's word is taken, and checked on every call: a row of the grain
    that stands twice, or a key that names two rows, is an error.
    """
    found = table.columns.table(table.record.table)
    if found.is_view:
        for name in table.record.key:
            table.column(name)
        return
    key = {table.columns.fold(name) for name in table.record.key}
    keys = [found.primary_key, *found.unique]
    if not any({table.columns.fold(c) for c in unique} == key for unique in keys if unique):
        raise Untraceable(
            f"Record type {record!r}: ({', '.join(table.record.key)}) is not a key of table {table.record.table!r}.",
            why="The database does not promise that it names one row.",
            remedy=f"Its primary key is ({', '.join(found.primary_key) or 'missing'}).",
        )


def _key_condition(table: _Table) -> exp.Expr:
    names = table.record.key
    if len(names) == 1:
        return exp.In(this=table.column(names[0]), field=exp.Placeholder(this="key0"))
    # Each column's list alone would admit mixed keys; rows that were not asked for are dropped when they are read.
    conditions = [exp.In(this=table.column(n), field=exp.Placeholder(this=f"key{i}")) for i, n in enumerate(names)]
    return exp.and_(*conditions)


def _currency_columns(record: RecordType) -> tuple[str, ...]:
    """Database columns that money fields take their currency from and that are no fields themselves."""
    named = [f.currency.column for f in record.fields.values() if isinstance(f.currency, CurrencyColumn)]
    return tuple(dict.fromkeys(name for name in named if name not in record.fields))


def entity_plan(loaded: LoadedCatalog, entity: str, columns: Columns) -> EntityPlan:
    """How an entity argument is resolved.

    Raises:
        SourceChanged: If its table or a column of it is not in the source.
    """
    spec = loaded.catalog.entities[entity]
    table = _Table(loaded, spec.record, columns)
    _require_key(table, spec.record)
    kinds = {name: value_type(table.record.fields[name]) for name in spec.match}
    base = exp.select(
        *(
            exp.alias_(node, f"f{i}", quoted=True)
            for i, node in enumerate(
                [*(table.column(n) for n in table.record.key), *(table.field(n) for n in spec.match)]
            )
        )
    ).from_(table.source())
    order = [table.field(spec.order)] if spec.order else []
    order += [table.column(name) for name in table.record.key]
    base = base.order_by(*(exp.Ordered(this=node, nulls_first=False) for node in order))
    shape = (*table.key(), *(Column(name, kinds[name]) for name in spec.match))
    types = ParameterTypes({"number": "BIGINT"}, {})
    texts = [name for name in spec.match if kinds[name] is not ValueType.INTEGER]
    numbers = [name for name in spec.match if kinds[name] is ValueType.INTEGER]
    by_text = [exp.EQ(this=table.field(name), expression=exp.Placeholder(this="text")) for name in texts]
    by_number = [exp.EQ(this=table.field(name), expression=exp.Placeholder(this="number")) for name in numbers]
    exact = table.written(base.where(exp.or_(*by_text, *by_number)), types, shape)
    return EntityPlan(
        entity,
        exact,
        table.written(base.where(exp.or_(*by_text)), types, shape) if by_text else None,
        table.written(base.limit(NAMES + 1), types, shape),
        table.key(),
        tuple(spec.match),
    )
