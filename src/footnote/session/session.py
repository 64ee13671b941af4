"""A session: one catalog, one source, one log. The seam that every face uses.

Every call leaves a record before it returns: a result, an answer, a refusal or an error. If the record cannot be
written, there is no answer. A session is thread-safe and synchronous; faces run it in worker threads.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from footnote.access import Actor
from footnote.answers.answer import Answer
from footnote.answers.recorded import answer_draft
from footnote.catalog.load import LoadedCatalog
from footnote.errors import ArgumentError, FootnoteError, Refused, Unroutable, UsageError
from footnote.evidence import Absence, Json, Row
from footnote.operations.account import Account
from footnote.operations.entities import resolve
from footnote.operations.recordable import recordable, recordable_text
from footnote.operations.recorded import result_draft, result_from_record
from footnote.operations.result import Result
from footnote.operations.rows import record_id
from footnote.operations.run import Asked, Desk, find_operation, read_row, run, run_together
from footnote.plans.cache import Plans
from footnote.provenance import Draft, Log, Receipt, new_id
from footnote.settings import Settings
from footnote.sources.cancellation import Cancellation
from footnote.sources.source import Source

if TYPE_CHECKING:
    from footnote.answers.guard import CheckedText

Returned = TypeVar("Returned")


class Session:
    """See the module. Source and log are opened when first needed, so that a face starts at once."""

    def __init__(self, settings: Settings, loaded: LoadedCatalog, open_source: Callable[[], Source]) -> None:
        self.settings = settings
        self.loaded = loaded
        self._open = open_source
        self._lock = threading.Lock()
        self._source: Source | None = None
        self._desk: Desk | None = None
        self._log: Log | None = None

    # --- what it works on ---------------------------------------------------------------------------------------------

    @property
    def today(self) -> dt.date:
        """What "today" means: AS_OF_DATE, else the catalog's day, else the clock in the source's time zone."""
        if self.settings.as_of is not None:
            return self.settings.as_of
        if self.loaded.catalog.today is not None:
            return self.loaded.catalog.today
        from zoneinfo import ZoneInfo

        return dt.datetime.now(ZoneInfo(self.loaded.catalog.source.time_zone)).date()

    @property
    def locale(self) -> str:
        """How figures are shown."""
        return self.loaded.catalog.display.locale

    @property
    def source_name(self) -> str:
        """The source without its password."""
        return self._opened_source().name

    @property
    def desk(self) -> Desk:
        """Catalog, source and plans, for calls that leave no record (`check`)."""
        source = self._opened_source()
        with self._lock:
            if self._desk is None:
                plans = Plans(self.loaded, source, self.settings.cache / "plans")
                self._desk = Desk(self.loaded, source, plans, self.today)
            elif self._desk.today != self.today:  # the clock went past midnight
                self._desk = replace(self._desk, today=self.today)
            return self._desk

    @property
    def log(self) -> Log:
        """The log, opened when first asked for.

        Raises:
            LogUnavailable: It cannot be written.
        """
        with self._lock:
            if self._log is None:
                self._log = Log.open(self.settings.provenance_db, checkpoints=self.settings.checkpoints)
            return self._log

    def close(self) -> None:
        """Close source and log."""
        with self._lock:
            if self._source is not None:
                self._source.close()
            if self._log is not None:
                self._log.close()
            self._source = self._desk = self._log = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- calls --------------------------------------------------------------------------------------------------------

    def run(
        self,
        operation: str,
        arguments: Mapping[str, Any],
        *,
        actor: Actor | None = None,
        cancel: Cancellation | None = None,
    ) -> Result:
        """Run an operation; the result is recorded and tied out.

        Raises:
            FootnoteError: Recorded too; `details["record"]` names the record.
        """
        actor = actor or self.settings.actor
        asked = _asked("operation", operation, arguments)
        return self.recording(actor, asked, lambda: self._run(operation, arguments, actor, cancel))

    def answer(self, result: Result, *, question: str = "", actor: Actor | None = None) -> Answer:
        """The operation's own answer over a result that is in the log; recorded."""
        actor = actor or self.settings.actor
        asked = {"operation": result.operation, "result": result.record_id}
        return self.recording(actor, asked, lambda: self._record(self._rendered(result, question), actor))

    def call(
        self,
        operation: str,
        arguments: Mapping[str, Any],
        *,
        question: str = "",
        actor: Actor | None = None,
        cancel: Cancellation | None = None,
    ) -> Answer:
        """Run an operation and give its own answer; result and answer are recorded together.

        Raises:
            FootnoteError: Recorded too; `details["record"]` names the record.
        """
        actor = actor or self.settings.actor
        asked = _asked("operation", operation, arguments)
        return self.recording(actor, asked, lambda: self._call(operation, arguments, question, actor, cancel))

    def ask(self, question: str, *, actor: Actor | None = None, cancel: Cancellation | None = None) -> Answer:
        """Answer a question by the catalog's `ask` words, without a model; recorded.

        Raises:
            Refused: There is no answer; the refusal is recorded.
            FootnoteError: As `run`.
        """
        actor = actor or self.settings.actor
        return self.recording(
            actor, {"question": recordable_text(question)}, lambda: self._ask(question, actor, cancel)
        )

    def interpret(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        question: str = "",
        actor: Actor | None = None,
        cancel: Cancellation | None = None,
    ) -> Answer:
        """A conclusion marked as interpretation, over the premises' own results; all recorded."""
        actor = actor or self.settings.actor
        asked = _asked("interpretation", name, arguments)
        return self.recording(actor, asked, lambda: self._interpret(name, arguments, question, actor, cancel))

    def compose(self, text: str, results: Sequence[str], *, question: str = "", actor: Actor | None = None) -> Answer:
        """An answer from a caller's prose with slots `{result.figure}`; prose with a figure of its own is refused."""
        from footnote.answers.guard import compose

        actor = actor or self.settings.actor

        def made() -> Answer:
            cited = {id: self.result(id) for id in results}
            return self._record(compose(text, cited, catalog=self.loaded.catalog, question=question), actor)

        return self.recording(actor, {"question": recordable_text(question), "text": recordable_text(text)}, made)

    def check(self, text: str, results: Sequence[str], *, actor: Actor | None = None) -> CheckedText:
        """Which spans of a finished text the results' figures cover, and which they do not. The check is recorded."""
        from footnote.answers.guard import check_text

        actor = actor or self.settings.actor

        def made() -> CheckedText:
            cited = {id: self.result(id) for id in results}
            checked = check_text(text, cited, catalog=self.loaded.catalog)
            self.append("read", actor, {"text": recordable_text(text), "checked": checked.as_dict()})
            return checked

        return self.recording(actor, {"text": recordable_text(text)}, made)

    def result(self, id: str) -> Result:
        """An earlier result from the log, also of another process.

        Raises:
            NameUnknown, NameAmbiguous: The log has none, or more than one, of this id.
            UsageError: The record is no result.
        """
        name = id if "-" in id or len(id) <= 8 else f"{id[:8]}-{id[8:]}"
        return result_from_record(self.log.get(name))

    def record_row(
        self, type: str, record_id: str, *, actor: Actor | None = None, cancel: Cancellation | None = None
    ) -> Row | Absence:
        """A row as it is now; that it was read is recorded.

        Raises:
            ArgumentError: No such record type, or no key of it.
            SourceUnavailable: The source cannot be read.
        """
        actor = actor or self.settings.actor

        def made() -> Row | Absence:
            now = read_row(self.desk, type, record_id, cancel)
            found = now.row or Absence(
                recordable_text(f"{type}:{record_id}")[:200],
                recordable_text(f"There is no {type} with the key {record_id[:80]} now."),
            )
            operations: list[Json] = [query.as_dict() for query in now.queries]
            self.append("read", actor, {"operations": operations}, [found.as_dict()])
            return found

        return self.recording(actor, {"read": recordable_text(f"{type}:{record_id}")[:200]}, made)

    def refusing(
        self, name: str, arguments: Mapping[str, Any], call: Callable[[], Returned], *, actor: Actor | None = None
    ) -> Returned:
        """What `call` returns; a refusal that it raises before any call of the session is recorded as one of `name`.

        For faces that look at a call before they make it: a tool that does not exist, an argument of their own tools.

        Raises:
            FootnoteError: As `call`; `details["record"]` names the record.
        """
        return self.recording(actor or self.settings.actor, _asked("operation", name, arguments), call)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _run(self, operation: str, arguments: Mapping[str, Any], actor: Actor, cancel: Cancellation | None) -> Result:
        result = run(self.desk, Asked(operation, arguments, new_id()), cancel=cancel)
        return replace(result, receipt=self.log.append(result_draft(result, actor)).as_dict())

    def _call(
        self,
        operation: str,
        arguments: Mapping[str, Any],
        question: str,
        actor: Actor,
        cancel: Cancellation | None,
    ) -> Answer:
        result = run(self.desk, Asked(operation, arguments, new_id()), cancel=cancel)
        return self._record(self._rendered(result, question), actor)

    def _rendered(self, result: Result, question: str) -> Answer:
        from footnote.answers.render import render_answer

        operation = find_operation(self.desk, result.operation)
        return render_answer(operation, result, catalog=self.loaded.catalog, question=question)

    def _ask(self, question: str, actor: Actor, cancel: Cancellation | None) -> Answer:
        from footnote.answers.router import route

        with Names(self, cancel) as names:
            way = route(question, self.loaded.catalog, names.resolve, today=self.today)
        if way.kind == "interpretation":
            return self._interpret(way.name, way.arguments, question, actor, cancel)
        return self._call(way.name, way.arguments, question, actor, cancel)

    def _interpret(
        self, name: str, arguments: Mapping[str, Any], question: str, actor: Actor, cancel: Cancellation | None
    ) -> Answer:
        from footnote.answers.interpret import render_interpretation

        interpretation = self.loaded.catalog.interpretations.get(name)
        if interpretation is None:
            raise Unroutable(f"There is no interpretation {name[:80]!r}.")
        unknown = next((key for key in arguments if key not in interpretation.parameters), None)
        if unknown is not None:
            raise ArgumentError(
                f"{name} has no argument {str(unknown)[:80]!r}.",
                remedy=f"Its arguments are: {', '.join(interpretation.parameters)}.",
            )
        names = dict.fromkeys(premise.operation for premise in interpretation.premises)
        calls = [Asked(name, self._known(name, arguments), new_id()) for name in names]
        ran = run_together(self.desk, calls, cancel=cancel)
        results = {result.operation: result for result in ran}
        answer = render_interpretation(interpretation, results, catalog=self.loaded.catalog, question=question)
        return self._record(answer, actor)

    def _known(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Those arguments of an interpretation that one of its operations has; each has to belong to one of them."""
        spec = find_operation(self.desk, operation)
        return {key: value for key, value in arguments.items() if spec.parameter(key) is not None}

    def _record(self, answer: Answer, actor: Actor) -> Answer:
        """Record an answer behind those of its results that are not in the log yet, all at once."""
        new = [result for result in answer.results if not result.receipt]
        drafts = [*(result_draft(result, actor) for result in new), answer_draft(answer, actor, self.loaded.digest)]
        *of_results, receipt = self.log.append_all(drafts)
        known = {result.record_id: one.as_dict() for result, one in zip(new, of_results, strict=True)}
        results = tuple(replace(r, receipt=known.get(r.record_id, r.receipt)) for r in answer.results)
        return replace(answer, results=results, receipt=receipt.as_dict())

    def recording(self, actor: Actor, asked: Mapping[str, Json], call: Callable[[], Returned]) -> Returned:
        """Run a call; if it fails, the failure is recorded before it is told."""
        try:
            return call()
        except FootnoteError as error:
            if "record" not in error.details:
                kind = "refusal" if isinstance(error, Refused | UsageError) else "error"
                told: dict[str, Json] = {"error": recordable(error.as_dict())}
                error.details["record"] = self.append(kind, actor, dict(asked) | told).as_dict()
            raise
        except Exception as fault:  # a fault of ours is recorded too, by its kind alone: its text may hold secrets
            told = {"error": {"code": "fault", "message": type(fault).__name__}}
            self.append("error", actor, dict(asked) | told)
            raise

    def append(self, kind: str, actor: Actor, sections: Mapping[str, Json], evidence: Sequence[Json] = ()) -> Receipt:
        """Append one record of a kind: sections by name, and evidence."""
        recorded = {"actor": dict(actor.as_dict()), **sections}
        return self.log.append(Draft(kind, self.loaded.digest, recorded, evidence))

    def _opened_source(self) -> Source:
        with self._lock:
            if self._source is None:
                self._source = self._open()
            return self._source


def _asked(kind: str, name: str, arguments: Mapping[str, Any]) -> dict[str, Json]:
    """What was asked for, as a failure records it."""
    return {kind: recordable_text(name)[:200], "arguments": recordable(arguments)}


class Names:
    """Resolves names for routing in one snapshot, opened at the first name; the call itself resolves its own again."""

    def __init__(self, session: Session, cancel: Cancellation | None) -> None:
        self._session = session
        self._cancel = cancel
        self._stack = ExitStack()
        self._account: Account | None = None

    def __enter__(self) -> Names:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def resolve(self, entity: str, text: str) -> str:
        """The evidence id of the record that a text names."""
        desk = self._session.desk
        desk.plans.prepare()
        if self._account is None:
            self._account = Account(self._stack.enter_context(desk.source.snapshot(self._cancel)))
        spec = desk.loaded.catalog.entities[entity]
        found = resolve(text, entity, spec, desk.plans.entity(entity), self._account.run, inside_words=False)
        return f"{spec.record}:{record_id(found.key)}"
