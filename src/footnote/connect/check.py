"""`footnote check`: before anyone connects an AI, is everything there, and does every figure add up?

Each finding says what was looked at and whether it holds. Checks go on after a failure, so that one run shows them all.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from footnote.catalog.model import Operation, Parameter
from footnote.connect.check_log import clock_finding, log_findings
from footnote.connect.check_schema import schema_findings
from footnote.connect.finding import Finding
from footnote.errors import FootnoteError, counted
from footnote.operations.account import Account
from footnote.operations.arguments import ONLY
from footnote.operations.rows import record_id
from footnote.operations.run import Asked, run
from footnote.provenance import new_id
from footnote.session import Session
from footnote.settings import SAMPLE


def check(session: Session) -> Iterator[Finding]:
    """Look at catalog, source, log, login, schema, record types, entities and operations, in this order.

    Every operation is run once, with its defaults and the first real record of each entity it needs, and is tied out.
    Nothing is recorded.
    """
    loaded = session.loaded
    engines = ", ".join(loaded.catalog.engines)
    yield Finding("catalog", "ok", f"{loaded.file}, version {loaded.catalog.version}, for {engines}, {loaded.digest}.")
    source = _finding("source", lambda: _source(session))
    yield source
    yield from log_findings(session)
    if source.state == "failed":
        return
    yield from _login(session)
    yield from _clock(session)
    yield from _facts(session)
    yield from schema_findings(session)
    for name in loaded.catalog.records:
        yield _finding(f"record {name}", lambda name=name: _record(session, name))  # type: ignore[misc]
    firsts: dict[str, str] = {}
    for name in loaded.catalog.entities:
        yield _finding(f"entity {name}", lambda name=name: _entity(session, name, firsts))  # type: ignore[misc]
    for name, operation in loaded.catalog.operations.items():
        yield _operation(session, name, operation, firsts)


def _finding(subject: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(subject, "ok", look())
    except FootnoteError as error:
        return Finding(subject, "failed", error.text)


def _source(session: Session) -> str:
    with session.desk.source.snapshot() as snapshot:
        return f"{session.source_name} answers; read-only, snapshot taken {snapshot.taken_at.isoformat()}."


def _login(session: Session) -> Iterator[Finding]:
    """Whether the login could write: what is read-only by the engine should be so by the login's rights as well."""
    try:
        found = session.desk.source.privileges()
    except FootnoteError as error:
        yield Finding("login", "failed", error.text)
        return
    for power in found.powers:
        yield Finding("login", "failed", power.text, power.fix)
    if any(not power.fix for power in found.powers):
        text = f"Give Footnote a login of its own instead of {found.login}: footnote check --print-role."
        yield Finding("login", "failed", text)
    if session.loaded.catalog.source.url == SAMPLE:
        yield Finding("login", "ok", "the sample's file is Footnote's own.")
        return
    for text in found.unknown:
        yield Finding("login", "warning", text)
    if not found.powers and not found.unknown:
        yield Finding("login", "ok", f"{found.login} can read and has no right to write anything.")


def _clock(session: Session) -> Iterator[Finding]:
    try:
        before = dt.datetime.now(dt.UTC)
        with session.desk.source.snapshot() as snapshot:
            yield clock_finding(snapshot, before=before, after=dt.datetime.now(dt.UTC))
    except FootnoteError as error:
        yield Finding("clock", "failed", error.text)


def _facts(session: Session) -> Iterator[Finding]:
    """What the source says of itself: the files it was read from, its time zone, whether it is a replica."""
    try:
        facts = session.desk.source.facts()
    except FootnoteError as error:
        yield Finding("source", "failed", error.text)
        return
    for fact in facts:
        yield Finding(fact.subject, fact.state, fact.text, fact.fix)


def _record(session: Session, name: str) -> str:
    plan = session.desk.plans.record(name)
    table = session.loaded.catalog.records[name].table
    if session.desk.source.tables([table])[table].is_view:
        return f"a view, {counted(len(plan.fields), 'field')}; that its key names one row is checked on every call."
    return f"table and key found, {counted(len(plan.fields), 'field')}."


def _entity(session: Session, name: str, firsts: dict[str, str]) -> str:
    plan = session.desk.plans.entity(name)
    with session.desk.source.snapshot() as snapshot:
        rows = Account(snapshot).run("entity", name, plan.scan.bind({}))
    if rows:
        value = next((v for v in rows[0][len(plan.key) :] if v is not None), None)
        firsts[name] = str(value if value is not None else record_id(rows[0][: len(plan.key)]))
    return f"{counted(len(rows), 'name')}."


def _operation(session: Session, name: str, operation: Operation, firsts: Mapping[str, str]) -> Finding:
    arguments, missing = example_arguments(operation, firsts)
    if missing:
        return Finding(name, "skipped", f"not run: nothing is known that could stand for {missing!r}.")
    return _finding(name, lambda: _run(session, name, arguments))


def example_arguments(operation: Operation, firsts: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """Arguments that an operation can be run with, and the first required parameter that nothing is known for."""
    arguments: dict[str, Any] = {}
    for parameter in operation.parameters:
        if not parameter.is_required and not (parameter.type == "entity" and parameter.default == ONLY):
            continue
        value = _example(parameter, firsts)
        if value is None:
            return {}, parameter.name
        arguments[parameter.name] = value
    return arguments, ""


def first_names(session: Session) -> dict[str, str]:
    """The first real record of each entity that can be read, by entity."""
    firsts: dict[str, str] = {}
    for name in session.loaded.catalog.entities:
        _finding(name, lambda name=name: _entity(session, name, firsts))  # type: ignore[misc]
    return firsts


def _example(parameter: Parameter, firsts: Mapping[str, str]) -> Any:
    if parameter.type == "entity":
        return firsts.get(parameter.entity or "")
    if parameter.default is not None:
        return parameter.default
    return parameter.allowed_values[0] if parameter.allowed_values else None


def _run(session: Session, name: str, arguments: Mapping[str, Any]) -> str:
    result = run(session.desk, Asked(name, arguments, new_id()))
    figures = [figure for _, figure in result.figures()]
    cited = {id for figure in figures for id in figure.evidence}
    given = ", ".join(f"{key}={value}" for key, value in result.arguments.items()) or "no arguments"
    checks = {0: "no control checks declared", 1: "1 control check holds"}.get(
        len(result.checks), f"{len(result.checks)} control checks hold"
    )
    outcome = f"{len(figures)} figures tie out over {len(cited)} items of evidence, {checks}"
    empty = f"; empty: {result.empty}" if result.empty else ""
    notes = "".join(f"; {note}" for note in result.notes)
    return f"with {given}: {outcome} ({result.duration_ms} ms){empty}{notes}"
