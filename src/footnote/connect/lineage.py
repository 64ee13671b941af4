"""`footnote check --lineage`: how every statement is traced to rows and tied out, and whether that holds on real data.

For each operation: its statements with their grain, the inner queries that have an arm of their own, how each figure is
recomputed, the witness statement and how many rows it has; a *replay* (the statement over the rows of its witness alone
must give the same); and one call with real arguments, tied out. Nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from footnote.catalog.model import Operation
from footnote.connect.check import example_arguments, first_names
from footnote.connect.finding import State
from footnote.errors import FootnoteError
from footnote.lineage.compare import far_apart, same
from footnote.lineage.shape import Block, Output
from footnote.operations.account import Account
from footnote.operations.arguments import check_arguments
from footnote.operations.entities import resolve
from footnote.operations.run import Asked, run
from footnote.plans.shape import CONTRIBUTIONS, REPLAY_KEYS, Arm, Bindable, StatementPlan
from footnote.provenance import new_id
from footnote.session import Session
from footnote.sources.query import Value
from footnote.sources.source import Snapshot

Replay = Literal["equal", "differs", "not done"]


@dataclass(frozen=True, slots=True)
class StatementLineage:
    """One statement.

    Attributes:
        name: The statement's.
        grain: The record type of which one row is one contribution.
        tables: What it reads.
        outputs: How each column comes about and is checked.
        arms: Its inner queries.
        checks: How many conditions, group keys and amounts are computed again outside the engine.
        notes: What is taken from the engine.
        sql: The statement for this engine.
        witness: Its witness statement; empty for a statement whose rows are records.
        size: Rows of the witness, or of the statement.
        replay: Whether the statement over its witness rows alone gives the same.
        why: Why that was not done, or what differs.
    """

    name: str
    grain: str
    tables: tuple[str, ...]
    outputs: tuple[tuple[str, str], ...]
    arms: tuple[str, ...]
    checks: int
    notes: tuple[str, ...]
    sql: str
    witness: str
    size: int
    replay: Replay
    why: str = ""

    @property
    def said(self) -> str:
        """Size, checks and replay in words."""
        rows = "1 row" if self.size == 1 else f"{self.size:,} rows"
        done = {"equal": "replay over them alone gives the same", "differs": "REPLAY DIFFERS", "not done": "no replay"}
        why = f" ({self.why})" if self.why else ""
        return f"{rows} behind it, {self.checks} expressions computed again on each; {done[self.replay]}{why}."

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        out = {
            name: getattr(self, name) for name in ("name", "grain", "checks", "sql", "witness", "size", "replay", "why")
        }
        listed = {name: list(getattr(self, name)) for name in ("tables", "arms", "notes")}
        return out | listed | {"outputs": dict(self.outputs)}


@dataclass(frozen=True, slots=True)
class OperationLineage:
    """One operation: its statements, and what came of one call of it."""

    name: str
    state: State
    text: str
    statements: tuple[StatementLineage, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        out: dict[str, Any] = {"name": self.name, "state": self.state, "text": self.text}
        out["arguments"] = {name: str(value) for name, value in self.arguments.items()}
        return out | {"statements": [statement.as_dict() for statement in self.statements]}


def check_lineage(session: Session) -> Iterator[OperationLineage]:
    """Look at every operation in catalog order."""
    firsts = first_names(session)
    for name, operation in session.loaded.catalog.operations.items():
        arguments, missing = example_arguments(operation, firsts)
        if missing:
            text = f"nothing is known that could stand for {missing!r}; its statements are not run."
            yield OperationLineage(name, "skipped", text)
            continue
        try:
            yield _operation(session, name, operation, arguments)
        except FootnoteError as error:
            yield OperationLineage(name, "failed", error.text, (), arguments)


def _operation(session: Session, name: str, operation: Operation, given: Mapping[str, Any]) -> OperationLineage:
    desk = session.desk
    arguments = check_arguments(desk.loaded.catalog, name, operation, given, desk.today)
    desk.plans.prepare()
    plans = [desk.plans.statement(name, statement, arguments.present) for statement in operation.statements]
    values: dict[str, Bindable] = dict(arguments.values)
    with desk.source.snapshot() as snapshot:
        account = Account(snapshot)
        for parameter, text in arguments.entities.items():
            spec = operation.parameter(parameter)
            entity = (spec.entity if spec else None) or ""
            plan = desk.plans.entity(entity)
            values[parameter] = resolve(text, entity, desk.loaded.catalog.entities[entity], plan, account.run).key[0]
        statements = tuple(_statement(snapshot, plan, values) for plan in plans)
    try:
        result = run(desk, Asked(name, given, new_id()))
    except FootnoteError as error:
        return OperationLineage(name, "failed", error.text, statements, given)
    figures = sum(1 for _ in result.figures())
    differs = [statement.name for statement in statements if statement.replay == "differs"]
    text = f"{figures} figures tie out." if not differs else f"the replay of {', '.join(differs)} differs."
    return OperationLineage(name, "failed" if differs else "ok", text, statements, result.arguments)


def _statement(snapshot: Snapshot, plan: StatementPlan, values: Mapping[str, Bindable]) -> StatementLineage:
    block = plan.block
    rows = snapshot.run(plan.statement.bind(values)).all()
    size = len(rows)
    if plan.large is not None:
        ((counted, *_),) = snapshot.run(plan.large.size.bind(values)).all()
        size = int(str(counted))
    replay, why = _replay(snapshot, plan, values, rows, size)
    return StatementLineage(
        name=plan.name,
        grain=block.sources[block.grain].shown,
        tables=tuple(source.table for source in block.sources if not source.inner),
        outputs=tuple((output.name, _how(block, output)) for output in block.outputs),
        arms=tuple(_arms(block, plan.arms)),
        checks=len(block.checks),
        notes=block.notes,
        sql=plan.statement.sql,
        witness=plan.large.rows.sql if plan.large is not None else "",
        size=size,
        replay=replay,
        why=why,
    )


def _replay(
    snapshot: Snapshot, plan: StatementPlan, values: Mapping[str, Bindable], rows: Sequence[Any], size: int
) -> tuple[Replay, str]:
    block = plan.block
    if plan.witness is None:
        return "not done", "its rows are the records themselves"
    if plan.replay is None:
        return "not done", "the grain's key is not one column"
    if size > CONTRIBUTIONS:
        return "not done", f"more than {CONTRIBUTIONS:,} keys"
    place = len(block.key_types)
    keys: list[Value] = [row[place] for row in snapshot.run(plan.witness.bind(values)).all()]
    if None in keys:
        return "not done", "an outer join brings rows without a key"
    again = snapshot.run(plan.replay.bind({**values, REPLAY_KEYS: tuple(dict.fromkeys(keys))})).all()
    if len(again) != len(rows):
        return "differs", f"{len(rows):,} rows, and {len(again):,} over the witness rows alone"
    for before, after in zip(rows, again, strict=True):
        for output, one, other in zip(block.outputs, before, after, strict=False):
            rounded = any(not block.aggregates[index].exact for index in output.aggregates)
            if far_apart(one, other) if rounded else not same(one, other):
                return "differs", f"{output.name} is {one}, and {other} over the witness rows alone"
    return "equal", ""


def _how(block: Block, output: Output) -> str:
    exact = all(block.aggregates[index].exact for index in output.aggregates)
    by = "compared with the engine's" if exact else "the engine's is inexact and only compared for size"
    if output.method == "row value":
        return "recomputed from the row's columns" if output.expression is not None else "as the row has it"
    if output.method == "group":
        return "what the rows of a group have in common"
    return f"{output.method} recomputed from the rows, {by}"


def _arms(block: Block, arms: Sequence[Arm], depth: int = 0) -> Iterator[str]:
    """The inner queries, each before those in it."""
    for link in block.links:
        label = " ".join(link.label.split())[:120]
        yield f"{'· ' * depth}{link.kind}{' (negated)' if link.negated else ''}: {label}"
        for place in link.arms:
            yield from _arms(arms[place].block, arms[place].arms, depth + 1)
