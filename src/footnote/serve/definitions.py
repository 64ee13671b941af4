"""What tools there are, from the catalog alone: one per operation, one per interpretation, and Footnote's own.

A description says when to use a tool, when not, what comes back and what is refused. It has no figures, so that none
can leak into an answer. The order is the catalog's and never changes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

import mcp_types as types

from footnote.catalog.model import Catalog
from footnote.errors import Candidate, UsageError
from footnote.serve import schemas
from footnote.serve.document_schemas import DOCUMENT_TOOLS

COMPOSE = "compose_answer"
CHECK = "check_answer"
VERIFY = "verifyProvenanceChain"

_BASIS = {
    "current": "Balances are those recorded now, also when the as-of date is another day.",
    "reconstructed": "Balances are those of the as-of date.",
}

_RETURNS = (
    "Returns the answer, every figure with the rows it rests on, and the record of it. "
    "An unknown or ambiguous name is an error with real candidates; a result beyond the row limit is refused, not cut."
)

_CONCLUSION = "The conclusion is marked as an interpretation; each premise is a fact with its own evidence."

_COMPOSE = (
    "Turns your prose into an answer whose every figure is bound to evidence: write slots {resultId.address} where "
    "figures and names belong, and Footnote puts in the recorded values. Use it whenever you want to state, in your own "
    "words, figures that other tools returned, also of several results together. Not for arithmetic: it refuses prose "
    "that brings a figure of its own, in digits or in words. Returns the finished text, which you may show as it is, and "
    "its record."
)

_CHECK = (
    "Checks a finished text against results: which figures in it the results cover and which they do not. Use it before "
    "you show a text that you wrote yourself; to write one that is bound from the start, use compose_answer. Returns the "
    "covered and the uncovered spans; only a text without uncovered spans may be shown as fact."
)

_VERIFY = (
    "Verifies the log of provenance records from its first record to its last: whether any was changed, removed, "
    "inserted or moved. Use it when the user asks whether the records can be trusted. Returns ok and count, or ok false "
    "with failedAt and reason. It reads the whole log."
)

_OWN = {
    COMPOSE: ("Compose an answer", _COMPOSE, schemas.COMPOSE_INPUT, schemas.ANSWER_OUTPUT),
    CHECK: ("Check an answer", _CHECK, schemas.CHECK_INPUT, schemas.CHECK_OUTPUT),
    VERIFY: ("Verify the provenance chain", _VERIFY, schemas.VERIFY_INPUT, schemas.VERIFY_OUTPUT),
}


def tools_of(catalog: Catalog, toolsets: Sequence[str] = (), *, documents: bool = False) -> list[types.Tool]:
    """The tools of a catalog: operations, interpretations, then Footnote's own.

    Args:
        catalog: The catalog.
        toolsets: Names of toolsets; none means every operation.
        documents: Whether there are documents, so that their tools are offered too.

    Raises:
        UsageError: A toolset does not exist, or a name in the catalog stands for two tools.
    """
    _refuse_taken_names(catalog)
    names = offered(catalog, toolsets)
    found = [*_operations(catalog), *_interpretations(catalog)]
    own = _OWN | (DOCUMENT_TOOLS if documents else {})
    return [tool for tool in found if tool.name in names] + [_tool(name, *parts) for name, parts in own.items()]


def offered(catalog: Catalog, toolsets: Sequence[str]) -> frozenset[str]:
    """Names of the operations and interpretations in these toolsets; all of them if none is named.

    An interpretation is in a toolset if it is named there, or if every operation it rests on is.

    Raises:
        UsageError: There is no such toolset; with those there are.
    """
    if not toolsets:
        return frozenset(catalog.operations) | frozenset(catalog.interpretations)
    for name in toolsets:
        if name not in catalog.toolsets:
            near = difflib.get_close_matches(name, list(catalog.toolsets), n=3)
            raise UsageError(
                f"The catalog {catalog.catalog} has no toolset {name[:80]!r}.",
                remedy=f"Its toolsets are: {', '.join(catalog.toolsets) or 'none'}.",
                candidates=[Candidate(text) for text in near],
            )
    named = {tool for name in toolsets for tool in catalog.toolsets[name]}
    resting = {
        name for name, i in catalog.interpretations.items() if all(premise.operation in named for premise in i.premises)
    }
    return frozenset(named | resting)


def _operations(catalog: Catalog) -> Iterator[types.Tool]:
    for name, operation in catalog.operations.items():
        basis = _BASIS[operation.as_of.basis] if operation.as_of else ""
        description = " ".join(part for part in (operation.description.strip(), basis, _RETURNS) if part)
        yield _tool(name, operation.title, description, schemas.operation_input(operation), schemas.ANSWER_OUTPUT)


def _interpretations(catalog: Catalog) -> Iterator[types.Tool]:
    for name, interpretation in catalog.interpretations.items():
        description = f"{interpretation.description.strip()} {_CONCLUSION} {_RETURNS}"
        schema = schemas.interpretation_input(catalog, interpretation)
        yield _tool(name, interpretation.title, description, schema, schemas.ANSWER_OUTPUT)


def _tool(
    name: str, title: str, description: str, input_schema: dict[str, Any], output_schema: dict[str, Any]
) -> types.Tool:
    return types.Tool(
        name=name,
        title=title,
        description=description,
        input_schema=input_schema,
        output_schema=output_schema,
        annotations=types.ToolAnnotations(
            title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _refuse_taken_names(catalog: Catalog) -> None:
    for name in (*catalog.operations, *catalog.interpretations):
        if name in _OWN or name in DOCUMENT_TOOLS:
            raise UsageError(
                f"The catalog {catalog.catalog} gives {name!r} a meaning, which is one of Footnote's own tools.",
                remedy="Give the operation another name.",
            )
        if name in catalog.operations and name in catalog.interpretations:
            raise UsageError(
                f"In the catalog {catalog.catalog}, {name!r} is an operation and an interpretation.",
                remedy="Give one of them another name, because each is a tool.",
            )
