"""Calls of tools: operations, interpretations, and Footnote's own `compose_answer`, `check_answer` and the rest.

Everything here is synchronous and knows nothing of a transport; a call always ends in a result, never in an exception.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mcp_types as types

from footnote.errors import ArgumentError, Candidate, UnknownOperation
from footnote.serve.content import answered, checked, verified
from footnote.serve.definitions import CHECK, COMPOSE, VERIFY, tools_of
from footnote.serve.document_tools import ARGUMENTS as DOCUMENT_ARGUMENTS
from footnote.serve.document_tools import document_calls
from footnote.serve.failures import failed
from footnote.serve.plain import has_lone_surrogate, plain_text
from footnote.session.documents import documents_folder
from footnote.sources.cancellation import Cancellation

if TYPE_CHECKING:
    from footnote.session import Session

LONGEST_TEXT = 50_000
"""Characters of prose that `compose_answer` and `check_answer` read."""

MOST_BITS = 1_024
"""Of an integer in the arguments; the largest that a source holds has 64."""

MOST_RESULTS = 50
"""Results that one text may cite."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    tool: str
    arguments: Mapping[str, Any]
    cancel: Cancellation
    links: bool


class Tools:
    """The tools of one session, in the catalog's order, then Footnote's own.

    Args:
        session: Whose operations are offered.
        toolsets: Names of toolsets; none means every operation.

    Raises:
        UsageError: A toolset does not exist, or a name in the catalog stands for two tools.
    """

    def __init__(self, session: Session, toolsets: Sequence[str] = ()) -> None:
        self._session = session
        documents = documents_folder(session) is not None
        found = tools_of(session.loaded.catalog, toolsets, documents=documents)
        self._tools = {tool.name: tool for tool in found}
        self._own: dict[str, Callable[[Call], types.CallToolResult]] = {
            COMPOSE: self._compose,
            CHECK: self._check,
            VERIFY: self._verify,
        }
        if documents:
            for name, answered_by in document_calls(session).items():
                self._own[name] = lambda call, answered_by=answered_by: answered_by(call.arguments)  # type: ignore[misc]

    def listed(self) -> list[types.Tool]:
        """The tools, always in the same order."""
        return list(self._tools.values())

    def call(
        self, name: str, arguments: Mapping[str, Any] | None, *, cancel: Cancellation, links: bool
    ) -> types.CallToolResult:
        """Call a tool. Never raises; what goes wrong is a result with `isError`.

        Args:
            name: The tool's name.
            arguments: As the client sent them.
            cancel: Stops the statement that the call runs.
            links: Whether an answer has resource links.
        """
        try:
            tool, call = self._session.refusing(
                name, arguments or {}, lambda: self._looked_at(name, arguments or {}, cancel, links)
            )
            return self._run(call, tool)
        except Exception as error:  # noqa: BLE001  # the wall to a client: nothing leaves but what `failed` tells
            return failed(error)

    def _looked_at(
        self, name: str, arguments: Mapping[str, Any], cancel: Cancellation, links: bool
    ) -> tuple[types.Tool, Call]:
        """The tool and the call, as far as they can be judged before the session sees them."""
        tool = self._tools.get(name)
        if tool is None:
            raise self._unknown(name)
        _refuse_endless_numbers(arguments)
        call = Call(name, _without_nulls(arguments, tool.input_schema), cancel, links)
        if name in self._own:
            _refuse_unknown(name, tool.input_schema, call.arguments)
            _OWN_ARGUMENTS[name](call.arguments)
        return tool, call

    def _run(self, call: Call, tool: types.Tool) -> types.CallToolResult:
        if call.tool in self._own:
            return self._own[call.tool](call)
        # The session refuses unknown arguments of the catalog's tools itself, and records that.
        if call.tool in self._session.loaded.catalog.operations:
            answer = self._session.call(call.tool, call.arguments, cancel=call.cancel)
            return answered(answer, links=call.links)
        answer = self._session.interpret(call.tool, call.arguments, cancel=call.cancel)
        return answered(answer, links=call.links)

    def _unknown(self, name: str) -> UnknownOperation:
        near = difflib.get_close_matches(name[:200], list(self._tools), n=3, cutoff=0.4)
        return UnknownOperation(
            f"There is no tool {plain_text(name[:80])!r} here.",
            remedy=f"There are: {', '.join(self._tools)}.",
            candidates=[Candidate(text) for text in near],
        )

    # --- Footnote's own tools -----------------------------------------------------------------------------------------

    def _compose(self, call: Call) -> types.CallToolResult:
        text, results, question = _composition(call.arguments)
        answer = self._session.compose(text, results, question=question)
        return answered(answer, links=call.links, composed=True)

    def _check(self, call: Call) -> types.CallToolResult:
        return checked(self._session.check(*_finished_text(call.arguments)))

    def _verify(self, call: Call) -> types.CallToolResult:
        def stop_if_cancelled(done: int, total: int) -> None:
            call.cancel.check()

        return verified(self._session.log.verify(stop_if_cancelled))


# --- arguments --------------------------------------------------------------------------------------------------------


def _without_nulls(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without optional ones that are null, or the text `null`, as some clients send absent ones."""
    optional = set(schema["properties"]) - set(schema["required"])
    return {
        name: value
        for name, value in arguments.items()
        if not (name in optional and (value is None or value == "null"))
    }


def _refuse_endless_numbers(arguments: Mapping[str, Any]) -> None:
    """A number of thousands of digits cannot even be named in an error."""
    pending: list[Any] = [*arguments.values()]
    while pending:
        value = pending.pop()
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            raise ArgumentError("An argument is a number with more digits than any figure has.")
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value


def _refuse_unknown(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    known = list(schema["properties"])
    for name in arguments:
        if name not in known:
            near = difflib.get_close_matches(name[:200], known, n=3, cutoff=0.5)
            raise ArgumentError(
                f"{tool} has no argument {plain_text(name[:80])!r}.",
                why="What an argument asks for must not be ignored.",
                remedy=f"Its arguments are: {', '.join(known) or 'none'}.",
                candidates=[Candidate(text) for text in near],
            )


def _composition(arguments: Mapping[str, Any]) -> tuple[str, list[str], str]:
    """Text, results and question of `compose_answer`."""
    question = arguments.get("question", "")
    return (
        _prose(COMPOSE, "text", arguments.get("text")),
        _results(COMPOSE, arguments.get("results")),
        _prose(COMPOSE, "question", question) if question != "" else "",
    )


def _finished_text(arguments: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Text and results of `check_answer`."""
    return _prose(CHECK, "text", arguments.get("text")), _results(CHECK, arguments.get("results"))


def _prose(tool: str, name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ArgumentError(f"{tool} needs the argument {name!r}, a text.", remedy="Give the text.")
    if len(value) > LONGEST_TEXT:
        raise ArgumentError(
            f"The argument {name!r} of {tool} has {len(value):,} characters.",
            remedy=f"At most {LONGEST_TEXT:,} are read.",
        )
    if has_lone_surrogate(value):
        raise ArgumentError(
            f"The argument {name!r} of {tool} is no valid text.",
            why="It holds half of a surrogate pair.",
            remedy="Send it as valid Unicode.",
        )
    return value


def _results(tool: str, value: Any) -> list[str]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",")]  # some clients send a list of one as a text
    if not isinstance(value, list) or not value or not all(isinstance(item, str) and item.strip() for item in value):
        raise ArgumentError(
            f"{tool} needs the argument 'results', a list of ids of results.",
            remedy="Take them from the structured content or the text of earlier calls.",
        )
    if len(value) > MOST_RESULTS:
        raise ArgumentError(f"{tool} was given {len(value)} results.", remedy=f"At most {MOST_RESULTS} are read.")
    if has_lone_surrogate(value):
        raise ArgumentError(f"An id in 'results' of {tool} is no valid text.", remedy="Give ids as they were returned.")
    return list(dict.fromkeys(item.strip()[:80] for item in value))


_OWN_ARGUMENTS: dict[str, Callable[[Mapping[str, Any]], object]] = DOCUMENT_ARGUMENTS | {
    COMPOSE: _composition,
    CHECK: _finished_text,
    VERIFY: lambda _: None,
}
"""Reads the arguments of Footnote's own tools, and refuses what cannot be read."""
