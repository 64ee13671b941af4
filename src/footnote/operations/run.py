"""One call, top to bottom: arguments, names, statements, tie-out, evidence, checks -> `Result`.

All statements, witness statements and field fetches of a call run in one snapshot of the source. Nothing is returned
that did not tie out. Recording is the caller's next step, before anything leaves.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from footnote.catalog.load import LoadedCatalog
from footnote.catalog.model import CurrencyColumn, Operation, Statement
from footnote.catalog.template import Slot, parse_template
from footnote.errors import ArgumentError, TieOutError, TooManyRows, UnknownOperation
from footnote.evidence import Absence, Evidence, EvidenceSet, FieldValue, Group, Row
from footnote.figures import exact_text
from footnote.lineage.tied import TiedOut
from footnote.lineage.tieout import tie_out_groups, tie_out_rows
from footnote.operations.account import Account, milliseconds
from footnote.operations.arguments import Arguments, check_arguments
from footnote.operations.arms import Arms
from footnote.operations.controls import Controls, require_totals
from footnote.operations.entities import Found, resolve
from footnote.operations.large import Passing
from footnote.operations.result import Executed, ResolvedEntity, Result, Table, short_id
from footnote.operations.rows import RowReader, merged, parse_record_id, row_of, several_rows, spoken
from footnote.operations.tables import TableBuilder
from footnote.plans.cache import Plans
from footnote.plans.shape import CONTRIBUTIONS, Bindable, StatementPlan
from footnote.sources.cancellation import Cancellation
from footnote.sources.query import Value
from footnote.sources.source import Source


@dataclass(frozen=True, slots=True)
class Desk:
    """What every call of a session works with.

    `large` has the statements that rested on more rows than are fetched when they last ran here. It decides what is
    tried first, never what holds: were it wrong, the other way would be taken after.
    """

    loaded: LoadedCatalog
    source: Source
    plans: Plans
    today: dt.date
    large: set[str] = field(default_factory=set)


def find_operation(desk: Desk, name: str) -> Operation:
    """The operation of this name.

    Raises:
        UnknownOperation: There is none; with those there are.
    """
    operation = desk.loaded.catalog.operations.get(name)
    if operation is None:
        known = [*desk.loaded.catalog.operations, *desk.loaded.catalog.interpretations]
        raise UnknownOperation(f"There is no operation {name[:80]!r}.", remedy=f"There are: {', '.join(known)}.")
    return operation


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: an operation, arguments as the caller gave them, and the UUID its result will be recorded under.

    `known` has the record ids of names that were resolved before, by parameter: a call that is made again means the
    same records, whatever they are called by now.
    """

    operation: str
    given: Mapping[str, Any]
    id: str
    known: Mapping[str, str] = field(default_factory=dict)


def run(desk: Desk, asked: Asked, *, cancel: Cancellation | None = None) -> Result:
    """Run one operation; see `run_together`."""
    return run_together(desk, [asked], cancel=cancel)[0]


def run_together(desk: Desk, calls: Sequence[Asked], *, cancel: Cancellation | None = None) -> list[Result]:
    """Run operations in one snapshot of the source, so that their figures belong together.

    Args:
        desk: Catalog, source and plans.
        calls: What to run, in order.
        cancel: Stops the statement that is running.

    Raises:
        FootnoteError: Arguments, names, source, tie-out or checks: each as its own class. Arguments of all calls are
            checked before the source is asked.
    """
    ready = [(asked, find_operation(desk, asked.operation)) for asked in calls]
    checked = [
        (asked, operation, check_arguments(desk.loaded.catalog, asked.operation, operation, asked.given, desk.today))
        for asked, operation in ready
    ]
    desk.plans.prepare()
    with desk.source.snapshot(cancel) as snapshot:
        results = []
        for asked, operation, arguments in checked:
            started = time.perf_counter()
            call = _Call(desk, asked, operation, arguments, Account(snapshot))
            result = call.result(snapshot.taken_at)
            results.append(replace(result, duration_ms=milliseconds(time.perf_counter() - started)))
        return results


class _Call:
    """The state of one call."""

    def __init__(self, desk: Desk, asked: Asked, operation: Operation, arguments: Arguments, account: Account) -> None:
        self.desk = desk
        self.name = asked.operation
        self.operation = operation
        self.arguments = arguments
        self.account = account
        self.id = asked.id
        self.known = asked.known
        self.catalog = desk.loaded.catalog
        self.evidence = EvidenceSet(arguments.evidence)
        self.reader = RowReader(self.catalog, desk.plans.record, account.run)
        self.notes: dict[str, None] = {}
        self.values: dict[str, Bindable] = dict(arguments.values)

    def result(self, taken_at: dt.datetime) -> Result:
        entities = tuple(self._resolve(name, text) for name, text in self.arguments.entities.items())
        tied = {name: self._tie_out(name, statement) for name, statement in self.operation.statements.items()}
        require_totals(self.operation, {name: checked for name, (_, checked) in tied.items()})
        tables = {name: self._table(name, plan, checked) for name, (plan, checked) in tied.items()}
        controls = Controls(self.catalog, self.operation, tables)
        derived = controls.derive()
        checks = controls.check()
        rows = self._rows(tables)
        for row in rows:
            self.evidence.add(row)
        empty = self._empty_reason(controls, entities, {row.id: row for row in rows})
        as_of, basis = self._as_of()
        return Result(
            record_id=self.id,
            operation=self.name,
            title=self.operation.title,
            arguments=self.arguments.exact,
            entities=tuple(self._labelled(entity, rows) for entity in entities),
            tables=tables,
            derived=derived,
            evidence=EvidenceSet(_named(self.evidence, rows)).of_result(short_id(self.id)),
            queries=tuple(self.account.queries),
            source=self.desk.source.name,
            taken_at=taken_at.isoformat(timespec="milliseconds"),
            catalog_digest=self.desk.loaded.digest,
            as_of=as_of,
            basis=basis,
            empty=empty,
            checks=checks,
            notes=tuple(self.notes),
        )

    # --- names --------------------------------------------------------------------------------------------------------

    def _resolve(self, parameter: str, text: str) -> ResolvedEntity:
        spec = self.operation.parameter(parameter)
        entity_name = (spec.entity if spec else None) or ""
        entity = self.catalog.entities[entity_name]
        if parameter in self.known:
            found = Found(parse_record_id(self.known[parameter], self.desk.plans.record(entity.record)), text)
        else:
            found = resolve(text, entity_name, entity, self.desk.plans.entity(entity_name), self.account.run)
        self.values[parameter] = found.key[0]
        return ResolvedEntity(parameter, text, self.reader.cite(entity.record, found.key), found.label)

    def _labelled(self, entity: ResolvedEntity, rows: Sequence[Row]) -> ResolvedEntity:
        label = next((row.label for row in rows if row.id == entity.evidence_id), entity.label)
        return ResolvedEntity(entity.parameter, entity.given, entity.evidence_id, label)

    # --- statements ---------------------------------------------------------------------------------------------------

    def _tie_out(self, name: str, statement: Statement) -> tuple[StatementPlan, TiedOut]:
        plan = self.desk.plans.statement(self.name, name, self.arguments.present)
        rows = self.account.run("statement", name, plan.statement.bind(self.values))
        self._refuse_too_many(name, rows)
        try:
            tied = self._check(name, plan, rows)
        except TieOutError as error:
            error.details.setdefault("operation", self.name)
            error.details.setdefault("statement", name)
            error.details.setdefault("sql", plan.statement.sql)
            if plan.witness is not None:
                error.details.setdefault("witnessSql", plan.witness.sql)
            raise
        for note in tied.notes:
            self.notes.setdefault(f"{name}: {note}")
        return plan, tied

    def _check(self, name: str, plan: StatementPlan, rows: list[tuple[Value, ...]]) -> TiedOut:
        path = f"{self.name}.{name}"
        arms = Arms(path, self.account, self.values, self.operation.max_contributions)
        lookups = arms.lookups(plan.block, plan.arms)
        for note in arms.notes:
            self.notes.setdefault(f"{name}: {note}")
        if plan.witness is None:
            return tie_out_rows(plan.block, rows, self.values, lookups)
        rows = [(*row, *(row[place] for place in plan.groups)) for row in rows] if plan.groups else rows
        large = Passing(path, self.operation.max_contributions, self.account, self.values)
        if path in self.desk.large and (tied := large.by_engine(plan, rows)) is not None:
            return tied
        witness = self.account.run("witness", name, plan.witness.bind(self.values))
        if len(witness) > CONTRIBUTIONS:
            self.desk.large.add(path)
            return large.tie_out(plan, rows, lookups)
        self.desk.large.discard(path)
        return tie_out_groups(plan.block, rows, witness, self.values, lookups)

    def _refuse_too_many(self, name: str, rows: Sequence[Any]) -> None:
        if len(rows) > self.operation.max_rows:
            raise TooManyRows(
                f"{self.name}.{name} has more than {self.operation.max_rows:,} rows.",
                why="A part of them would look like all of them.",
                remedy="Narrow the question, or raise `max_rows` of the operation.",
            )

    def _table(self, name: str, plan: StatementPlan, tied: TiedOut) -> Table:
        statement = self.operation.statements[name]
        path = f"{self.name}.{name}"
        builder = TableBuilder(
            self.catalog, path, statement, plan.block, self.reader, self.evidence, self.desk.loaded.digest
        )
        table = builder.table(name, tied)
        if statement.shape == "one" and len(table.rows) > 1 and not _by_currency(statement):
            raise TieOutError(
                f"{path} is said to have one row and has {len(table.rows)}.",
                remedy="Say `shape: many`, or group by the currency only.",
            )
        return table

    # --- evidence -----------------------------------------------------------------------------------------------------

    def _rows(self, tables: Mapping[str, Table]) -> list[Row]:
        """Every cited row, with what a row statement says of it beside its own fields."""
        said: dict[str, dict[str, FieldValue]] = {}
        for table in tables.values():
            specs = self.operation.statements[table.name].columns
            for row in table.rows:
                if row.record:
                    columns = said.setdefault(row.record, {})
                    for name, figure in row.figures.items():
                        label = specs[name].label or spoken(name)
                        columns.setdefault(name, FieldValue(exact_text(figure.value), figure.display, label))
        return [merged(row, said.get(row.id, {}).items()) for row in self.reader.fetch()]

    def _empty_reason(self, controls: Controls, entities: Sequence[ResolvedEntity], rows: Mapping[str, Row]) -> str:
        if not controls.is_empty():
            return ""
        spec = self.operation.empty
        reason = self._filled(spec.reason, entities, rows) if spec else f"{self.operation.title}: no row was found."
        self.evidence.add(Absence(self.name, reason))
        return reason

    def _filled(self, template: str, entities: Sequence[ResolvedEntity], rows: Mapping[str, Row]) -> str:
        texts = {argument.name: argument.value for argument in self.arguments.evidence}
        for entity in entities:
            row = rows[entity.evidence_id]
            texts |= {f"{entity.parameter}.{name}": value.display for name, value in row.fields.items()}
            texts[entity.parameter] = row.label
        parts = parse_template(template)
        return "".join(texts.get(part.name, "") if isinstance(part, Slot) else part.text for part in parts)

    def _as_of(self) -> tuple[str, str]:
        spec = self.operation.as_of
        if spec is None or spec.parameter not in self.arguments.exact:
            return "", ""
        return str(self.arguments.exact[spec.parameter]), spec.basis


def _by_currency(statement: Statement) -> bool:
    """Whether more than one row can only mean more than one currency."""
    return any(isinstance(spec.currency, CurrencyColumn) for spec in statement.columns.values())


def _named(evidence: Iterable[Evidence], rows: Iterable[Row]) -> Iterator[Evidence]:
    """The evidence, with what a row is called in the place of its id where it names a group."""
    labels = {row.id: row.label for row in rows if row.label}
    for item in evidence:
        if isinstance(item, Group) and item.named_by:
            label = labels.get(item.named_by, item.named_by)
            yield replace(item, text=item.text.replace(item.named_by, label, 1), named_by="")
        else:
            yield item


@dataclass(frozen=True, slots=True)
class RowNow:
    """A row as it is now (None if there is none), and the queries that looked for it."""

    row: Row | None
    queries: tuple[Executed, ...]


def read_row(desk: Desk, record: str, text: str, cancel: Cancellation | None = None) -> RowNow:
    """One row as it is now.

    Args:
        desk: Catalog, source and plans.
        record: A record type.
        text: Its record id, as in `erp://invoice/8812`.
        cancel: Stops the statement that is running.

    Raises:
        ArgumentError: There is no such record type, or the text is no key of it.
        TieOutError: Several rows have this key.
    """
    records = desk.loaded.catalog.records
    if record not in records:
        raise ArgumentError(f"There is no record type {record[:80]!r}.", remedy=f"There are: {', '.join(records)}.")
    plan = desk.plans.record(record)
    key = parse_record_id(text, plan)
    with desk.source.snapshot(cancel) as snapshot:
        account = Account(snapshot)
        found = [row for row in account.run("fields", record, plan.bind([key])) if row[: len(key)] == key]
    if len(found) > 1:
        raise several_rows(record)
    row = row_of(desk.loaded.catalog, plan, found[0]) if found else None
    return RowNow(row, tuple(account.queries))
