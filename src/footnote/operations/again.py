"""The rows behind a recorded figure, read again from the source as it is now: a page of them, and their digest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from footnote.catalog.model import Statement
from footnote.errors import UsageError
from footnote.evidence import Row
from footnote.figures import Figure, FigureType, Value, display
from footnote.lineage.compare import Key
from footnote.lineage.picking import Picked, PickedRow, Wanted, page_of, pick
from footnote.lineage.rowset import RowSet, pads_of
from footnote.lineage.summed import rows_in
from footnote.operations.account import Account
from footnote.operations.arguments import check_arguments
from footnote.operations.arms import Arms
from footnote.operations.result import Executed, Result
from footnote.operations.rows import RowReader, from_minor, parse_record_id, record_id
from footnote.operations.run import Desk, find_operation
from footnote.plans.shape import (
    FIRST,
    INNER_PAD,
    LAST,
    MOST_GROUPS,
    OUTER_PAD,
    Bindable,
    LargePlan,
    StatementPlan,
    Template,
)
from footnote.sources.cancellation import Cancellation


@dataclass(frozen=True, slots=True)
class Page:
    """What page of which figure.

    Attributes:
        table: The statement.
        figure: The recorded figure.
        recorded: What stands for its rows in the record.
        first: Rows before the page.
        size: Rows of the page.
        largest: Whether the rows that contribute most come first.
        search: Only rows whose key or amount has this text.
    """

    table: str
    figure: Figure
    recorded: RowSet
    first: int
    size: int
    largest: bool
    search: str


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """A page as the source has it now.

    Attributes:
        rows: The rows with what each contributes: exact, and as displayed.
        matched: How many rows are like those searched for.
        now: What stands for all rows now.
        same_sql: Whether the witness statement is the recorded one.
        queries: What ran.
    """

    rows: tuple[tuple[Row, Value, str], ...]
    matched: int
    now: RowSet
    same_sql: bool
    queries: tuple[Executed, ...]


def read_again(desk: Desk, then: Result, page: Page, cancel: Cancellation | None = None) -> ReadAgain:
    """Run the witness statement of a recorded result again, with its recorded arguments, and pick a page.

    Args:
        desk: Catalog, source and plans.
        then: The recorded result.
        page: What is wanted.
        cancel: Stops the statement that is running.

    Raises:
        UsageError: The operation has no such statement or figure any more.
        FootnoteError: As a call of the operation.
    """
    operation = find_operation(desk, then.operation)
    arguments = check_arguments(desk.loaded.catalog, then.operation, operation, then.arguments, desk.today)
    desk.plans.prepare()
    if page.table not in operation.statements:
        raise UsageError(f"The operation {then.operation} has no statement {page.table!r} any more.")
    plan = desk.plans.statement(then.operation, page.table, arguments.present)
    large = _large(then, page, plan)
    values = {**arguments.values, **_entities(desk, then)}
    with desk.source.snapshot(cancel) as snapshot:
        account = Account(snapshot)
        wanted = Wanted(page.figure.name, page.recorded.key, page.first, page.size, page.largest, _matching(page))
        picked = _by_engine(plan, wanted, page, account, values) if large.summed is not None else None
        sql = large.summed.digests.sql if picked is not None and large.summed is not None else large.rows.sql
        if picked is None:
            arms = Arms(f"{then.operation}.{page.table}", account, values, operation.max_contributions)
            lookups = arms.lookups(plan.block, plan.arms)
            salt = bytes.fromhex(page.recorded.salt)
            with account.passing("witness", page.table, large.rows.bind(values)) as batches:
                picked = pick(plan.block, batches, values, wanted, salt, lookups)
        reader = RowReader(desk.loaded.catalog, desk.plans.record, account.run)
        rows = _rows(reader, plan, picked)
    statement = operation.statements[page.table]
    shown = [(row, *_amount(desk, statement, page.figure, one)) for row, one in zip(rows, picked.rows, strict=True)]
    recorded_sql = {query.sql for query in then.queries if query.statement == page.table}
    same_sql = sql in recorded_sql
    return ReadAgain(tuple(shown), picked.matched, picked.row_set, same_sql, tuple(account.queries))


def _by_engine(
    plan: StatementPlan, wanted: Wanted, page: Page, account: Account, values: Mapping[str, Bindable]
) -> Picked | None:
    """The page as the engine picks it; None where the rows have to pass: to search them, or since they did before."""
    summed = plan.large.summed if plan.large is not None else None
    outputs = [output.name for output in plan.block.outputs]
    place = outputs.index(wanted.output)
    if summed is None or page.search or summed.by_record[place] < 0:
        return None

    def run(template: Template, further: Mapping[str, Bindable]) -> list[tuple[Value, ...]]:
        return account.run("witness", page.table, template.bind({**values, **further}))

    groups = run(summed.sums, {})
    if rows_in(plan.block, groups)[1] or len(groups) > MOST_GROUPS:
        return None
    salt = bytes.fromhex(page.recorded.salt)
    digests = run(summed.digests, dict(zip((INNER_PAD, OUTER_PAD), pads_of(salt), strict=True)))
    picking = summed.pages[(summed.by_size if wanted.largest else summed.by_record)[place]]
    rows = run(picking, {FIRST: wanted.first, LAST: wanted.first + wanted.size})
    return page_of(plan.block, values, wanted, salt, groups, digests, rows)


def _large(then: Result, page: Page, plan: StatementPlan) -> LargePlan:
    outputs = {output.name for output in plan.block.outputs}
    if plan.large is None or page.figure.name not in outputs:
        raise UsageError(f"The statement {then.operation}.{page.table} has no figure {page.figure.name!r} any more.")
    if plan.block.sources[plan.block.grain].inner:
        raise UsageError("The rows are rows of an inner query, which cannot be paged; the record lists the largest.")
    return plan.large


def _entities(desk: Desk, then: Result) -> Mapping[str, Bindable]:
    """The records that names meant when the result was made."""
    out: dict[str, Bindable] = {}
    for entity in then.entities:
        record, _, text = entity.evidence_id.partition(":")
        out[entity.parameter] = parse_record_id(text, desk.plans.record(record))[0]
    return out


def _matching(page: Page) -> Callable[[Key, Value], bool]:
    text = page.search.casefold()

    def matches(key: Key, amount: Value) -> bool:
        return not text or text in record_id(key).casefold() or text in str(amount).casefold()

    return matches


def _rows(reader: RowReader, plan: StatementPlan, picked: Picked) -> list[Row]:
    source = plan.block.sources[plan.block.grain]
    ids = [reader.cite(source.record, row.key[: len(source.key)]) for row in picked.rows]
    found = {row.id: row for row in reader.fetch()}
    return [found[id] for id in ids]


def _amount(desk: Desk, statement: Statement, figure: Figure, row: PickedRow) -> tuple[Value, str]:
    value: Value = row.amount
    format, shown = figure.format, desk.loaded.catalog.display
    if figure.method == "count distinct" or value is None:
        return value, "" if value is None else str(value)
    if format.type is FigureType.MONEY and statement.columns[figure.name].minor_units:
        value = from_minor(value, format.currency)
    return value, display(value, format, shown.locale, shown.dates)
