"""What differs between a recorded result and the same call made again: plan, figures, rows. Pure.

Figures are compared by exact value, type, currency, unit and contributions; rows by the exact values of their fields.
Times, durations and display texts are no differences. A row of a table is told apart by the record it stands for, else
by the figures it is grouped by, else by its number, so that one row more does not make every later one differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from footnote.evidence import FieldValue, Row
from footnote.figures import Figure, exact_text
from footnote.operations.result import Executed, Result, ResultRow, Table
from footnote.plans.shape import CONTRIBUTIONS

Change = Literal["changed", "added", "gone"]


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure that is not as recorded. `then` or `now` is empty where there is none."""

    address: str
    change: Change
    then: str
    now: str
    contributions: tuple[str, ...] = ()
    """Ids of the rows whose contribution differs."""

    def as_dict(self) -> dict[str, Any]:
        """As recorded."""
        out: dict[str, Any] = {"figure": self.address, "change": self.change, "then": self.then, "now": self.now}
        return out | ({"contributions": list(self.contributions)} if self.contributions else {})


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row of evidence that is not as recorded; `fields` has what each field was and is, as displayed."""

    id: str
    label: str
    change: Change
    fields: Mapping[str, tuple[str, str]]

    def as_dict(self) -> dict[str, Any]:
        """As recorded."""
        fields = [{"field": name, "then": then, "now": now} for name, (then, now) in self.fields.items()]
        return {"row": self.id, "label": self.label, "change": self.change, "fields": fields}


@dataclass(frozen=True, slots=True)
class PlanChange:
    """A statement whose SQL or parameters are not those that were recorded."""

    statement: str
    purpose: str
    what: Literal["SQL", "parameters", "SQL and parameters", "added", "gone"]
    then: str
    now: str

    def as_dict(self) -> dict[str, Any]:
        """As recorded."""
        return {
            "statement": self.statement,
            "purpose": self.purpose,
            "what": self.what,
            "then": self.then,
            "now": self.now,
        }


@dataclass(frozen=True, slots=True)
class Differences:
    """Everything that differs; `said` has what stands in neither figures nor rows, as sentences."""

    plan: tuple[PlanChange, ...] = ()
    figures: tuple[FigureChange, ...] = ()
    rows: tuple[RowChange, ...] = ()
    said: tuple[str, ...] = ()
    figures_compared: int = 0
    rows_compared: int = 0

    @property
    def none(self) -> bool:
        """Whether the same SQL gave the same figures and rows."""
        return not (self.plan or self.figures or self.rows or self.said)

    def as_dict(self) -> dict[str, Any]:
        """As recorded."""
        return {
            "plan": [change.as_dict() for change in self.plan],
            "figures": [change.as_dict() for change in self.figures],
            "rows": [change.as_dict() for change in self.rows],
            "said": list(self.said),
            "figuresCompared": self.figures_compared,
            "rowsCompared": self.rows_compared,
        }


def differences(then: Result, now: Result) -> Differences:
    """Compare a recorded result with one of the same call made now."""
    figures_then, figures_now = dict(_figures(then)), dict(_figures(now))
    rows_then = {row.id: row for row in then.evidence.rows()}
    rows_now = {row.id: row for row in now.evidence.rows()}
    return Differences(
        plan=tuple(_plan_changes(then, now)),
        figures=tuple(_figure_changes(figures_then, figures_now)),
        rows=tuple(_row_changes(rows_then, rows_now)),
        said=tuple(_said(then, now)),
        figures_compared=len(figures_then.keys() | figures_now.keys()),
        rows_compared=len(rows_then.keys() | rows_now.keys()),
    )


# --- plans ------------------------------------------------------------------------------------------------------------


def _plan_changes(then: Result, now: Result) -> Iterator[PlanChange]:
    """Statements and witnesses. How a name was looked up, and which rows were fetched, follows from the rest."""
    before, after = dict(_planned(then)), dict(_planned(now))
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        statement, purpose = key[0], key[1]
        if old is None or new is None:
            what: Literal["added", "gone"] = "added" if old is None else "gone"
            yield PlanChange(statement, purpose, what, old.sql if old else "", new.sql if new else "")
        elif old.sql != new.sql and dict(old.parameters) != dict(new.parameters):
            yield PlanChange(statement, purpose, "SQL and parameters", _run(old), _run(new))
        elif old.sql != new.sql:
            yield PlanChange(statement, purpose, "SQL", old.sql, new.sql)
        elif dict(old.parameters) != dict(new.parameters):
            yield PlanChange(statement, purpose, "parameters", _parameters(old), _parameters(new))


def _planned(result: Result) -> Iterator[tuple[tuple[str, str, int], Executed]]:
    counts: dict[tuple[str, str], int] = {}
    for query in result.queries:
        if query.purpose in ("statement", "witness") and not _found_too_many(query):
            key = (query.statement, str(query.purpose))
            counts[key] = counts.get(key, 0) + 1
            yield (*key, counts[key]), query


def _found_too_many(query: Executed) -> bool:
    """Whether it fetched rows only to find them too many: a session that knows it asks for their total at once."""
    return query.rows > CONTRIBUTIONS and query.sql.endswith(f"LIMIT {CONTRIBUTIONS + 1}")


def _run(query: Executed) -> str:
    return f"{query.sql} [{_parameters(query)}]"


def _parameters(query: Executed) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(query.parameters.items()))


# --- figures ----------------------------------------------------------------------------------------------------------


def _figures(result: Result) -> Iterator[tuple[str, Figure]]:
    for table in result.tables.values():
        for name, row in _keyed(table):
            yield from ((f"{name}.{figure}", value) for figure, value in row.figures.items())
    yield from ((f"derived.{name}", figure) for name, figure in result.derived.items())


def _keyed(table: Table) -> Iterator[tuple[str, ResultRow]]:
    """The rows of a table under a name that does not depend on the rows before, where there is one."""
    if table.shape == "one" and len(table.rows) <= 1:
        yield from ((table.name, row) for row in table.rows)
        return
    taken: set[str] = set()
    for number, row in enumerate(table.rows):
        groups = [str(exact_text(f.value)) for f in row.figures.values() if f.method == "group"]
        own = row.record or ", ".join(groups)
        name = f"{table.name}[{own}]" if own else f"{table.name}[{number}]"
        while name in taken:
            name = f"{name}#{number}"
        taken.add(name)
        yield name, row


def _figure_changes(then: Mapping[str, Figure], now: Mapping[str, Figure]) -> Iterator[FigureChange]:
    for address in dict.fromkeys([*then, *now]):
        old, new = then.get(address), now.get(address)
        if old is None or new is None:
            change: Change = "added" if old is None else "gone"
            yield FigureChange(address, change, old.display if old else "", new.display if new else "")
            continue
        contributions = tuple(_contribution_changes(old, new))
        if contributions or _identity(old) != _identity(new):
            yield FigureChange(address, "changed", *_told_apart(old, new), contributions)


def _identity(figure: Figure) -> tuple[object, ...]:
    format = figure.format
    of = (format.type, format.currency, format.unit, figure.method)
    return (exact_text(figure.value), *of, figure.evidence, figure.rows)


def _told_apart(old: Figure, new: Figure) -> tuple[str, str]:
    """Both as displayed; exactly where the display hides what differs."""
    if old.display != new.display or _identity(old)[:4] == _identity(new)[:4]:
        return old.display, new.display
    return (
        f"{exact_text(old.value)} {old.format.currency} {old.format.unit}".strip(),
        f"{exact_text(new.value)} {new.format.currency} {new.format.unit}".strip(),
    )


def _contribution_changes(old: Figure, new: Figure) -> Iterator[str]:
    before = [(c.evidence, exact_text(c.amount)) for c in old.contributions]
    after = [(c.evidence, exact_text(c.amount)) for c in new.contributions]
    if sorted(map(str, before)) != sorted(map(str, after)):
        different = {str(item): item[0] for item in before} | {str(item): item[0] for item in after}
        same = {str(item) for item in before} & {str(item) for item in after}
        counted = dict.fromkeys(id for text, id in different.items() if text not in same)
        yield from counted or dict.fromkeys(id for id, _ in before)


# --- rows -------------------------------------------------------------------------------------------------------------


def _row_changes(then: Mapping[str, Row], now: Mapping[str, Row]) -> Iterator[RowChange]:
    for id in dict.fromkeys([*then, *now]):
        old, new = then.get(id), now.get(id)
        if old is None or new is None:
            row = new or old
            assert row is not None  # noqa: S101 - the id is from one of the two
            yield RowChange(id, row.label, "added" if old is None else "gone", {})
            continue
        fields = dict(_field_changes(old.fields, new.fields))
        if fields or old.label != new.label:
            yield RowChange(id, new.label, "changed", fields or {"label": (old.label, new.label)})


def _field_changes(
    then: Mapping[str, FieldValue], now: Mapping[str, FieldValue]
) -> Iterator[tuple[str, tuple[str, str]]]:
    for name in dict.fromkeys([*then, *now]):
        old, new = then.get(name), now.get(name)
        before, after = (old.value if old else None), (new.value if new else None)
        if (before, type(before), old is None) != (after, type(after), new is None):
            shown = (old.display if old else "", new.display if new else "")
            yield name, shown if shown[0] != shown[1] else (str(before), str(after))


def _said(then: Result, now: Result) -> Iterator[str]:
    if then.empty != now.empty:
        yield f"Then: {then.empty or 'there was something'} Now: {now.empty or 'there is something.'}"
    for name, table in then.tables.items():
        if name in now.tables:
            before = [key for key, _ in _keyed(table)]
            after = [key for key, _ in _keyed(now.tables[name])]
            if before != after and sorted(before) == sorted(after):
                yield f"The rows of {name} come in another order."
