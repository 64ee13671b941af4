"""JSON Schemas of tools, made from the catalog: flat objects without `$ref`, `$defs`, `anyOf`.

Clients differ in what they read of JSON Schema, so only `type`, `enum`, `format`, `pattern`, `minimum`, `maximum`,
`items` and `description` are used, the root is an object, and `required` is always there.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from footnote.catalog.model import Catalog, Interpretation, Operation, Parameter
from footnote.serve.plain import LARGEST_EXACT

Schema = dict[str, Any]

_KINDS: dict[str, Schema] = {
    "text": {"type": "string"},
    "entity": {"type": "string"},
    "integer": {"type": "integer"},
    "decimal": {"type": "string", "pattern": r"^[+-]?[0-9]+(\.[0-9]+)?$"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
    "period": {"type": "string"},
}

_FORMS = {
    "decimal": "A number as text, with a point.",
    "date": "As YYYY-MM-DD.",
    "datetime": "As YYYY-MM-DDThh:mm:ss.",
    "currency": "An ISO currency code.",
    "period": "As YYYY, YYYY-Qn, YYYY-MM, FYyyyy or YYYY-MM-DD..YYYY-MM-DD.",
}

_DEFAULTS = {
    ("date", "today"): "Left out: today.",
    ("date", "start_of_year"): "Left out: the first day of this year.",
    ("date", "start_of_month"): "Left out: the first day of this month.",
    ("period", "this_year"): "Left out: this year.",
    ("entity", "only"): "Left out: the only one there is; needed if there are several.",
}
"""What a default that is worked out at each call means, by type and word."""


def operation_input(operation: Operation) -> Schema:
    """The input schema of an operation's tool."""
    return _object({p.name: parameter_schema(p) for p in operation.parameters}, _required(operation.parameters))


def interpretation_input(catalog: Catalog, interpretation: Interpretation) -> Schema:
    """The input schema of an interpretation's tool: the parameters it names, as its operations have them."""
    parameters = interpretation_parameters(catalog, interpretation)
    return _object({p.name: parameter_schema(p) for p in parameters}, _required(parameters))


def interpretation_parameters(catalog: Catalog, interpretation: Interpretation) -> list[Parameter]:
    """The parameters that an interpretation names, each as the first of its operations that has it."""
    operations = [catalog.operations[premise.operation] for premise in interpretation.premises]
    found = []
    for name in interpretation.parameters:
        having = [p for operation in operations if (p := operation.parameter(name)) is not None]
        # If any of its operations needs the value, a caller must give it.
        found += [next((p for p in having if p.is_required), having[0])] if having else []
    return found


def parameter_schema(parameter: Parameter) -> Schema:
    """The schema of one argument."""
    schema = _list(parameter) if parameter.type == "list" else dict(_KINDS[parameter.type])
    scalar = schema["items"] if parameter.type == "list" else schema
    if parameter.allowed_values:
        scalar["enum"] = [_literal(value, scalar["type"]) for value in parameter.allowed_values]
        scalar.pop("pattern", None)
    _add_limits(parameter, scalar)
    if parameter.default is not None and not _worked_out(parameter):
        schema["default"] = _default(parameter, scalar["type"])
    schema["description"] = _description(parameter)
    return schema


def _list(parameter: Parameter) -> Schema:
    return {"type": "array", "items": dict(_KINDS[parameter.of or "text"]), "minItems": 1}


def _required(parameters: list[Parameter]) -> list[str]:
    return [p.name for p in parameters if p.is_required]


def _add_limits(parameter: Parameter, scalar: Schema) -> None:
    """Limits that JSON Schema can state; those of dates and decimals are said in the description."""
    for key, limit in (("minimum", parameter.min_value), ("maximum", parameter.max_value)):
        if isinstance(limit, int) and scalar["type"] == "integer" and abs(limit) <= LARGEST_EXACT:
            scalar[key] = limit


def _description(parameter: Parameter) -> str:
    sentences = [parameter.description.strip()]
    kind = (parameter.of or "text") if parameter.type == "list" else parameter.type
    if kind in _FORMS and not parameter.allowed_values:
        sentences.append(_FORMS[kind])
    for word, limit in (("Not below", parameter.min_value), ("Not above", parameter.max_value)):
        if limit is not None and kind != "integer":
            sentences.append(f"{word} {_text(limit)}.")
    sentences.append(_worked_out(parameter))
    return " ".join(sentence for sentence in sentences if sentence)


def _worked_out(parameter: Parameter) -> str:
    return _DEFAULTS.get((parameter.type, str(parameter.default)), "")


def _default(parameter: Parameter, kind: str) -> Any:
    if parameter.type == "list" and isinstance(parameter.default, list):
        return [_literal(value, kind) for value in parameter.default]
    return _literal(parameter.default, kind)


def _literal(value: Any, kind: str) -> Any:
    """A catalog's value as JSON of the schema's type: numbers that are not small integers go as text."""
    if isinstance(value, bool) and kind == "boolean":
        return value
    if isinstance(value, int) and kind == "integer" and abs(value) <= LARGEST_EXACT:
        return value
    return _text(value)


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _object(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


# --- Footnote's own tools ---------------------------------------------------------------------------------------------

_RESULTS: Schema = {
    "type": "array",
    "items": {"type": "string"},
    "minItems": 1,
    "description": "Ids of results that earlier calls returned (`results` in their structured content).",
}

COMPOSE_INPUT: Schema = _object(
    {
        "text": {
            "type": "string",
            "description": (
                "Your prose, with a slot {resultId.address} wherever a figure or a name belongs, such as "
                "{resultId.totals.invoiceCount}. Do not type figures: digits and number words outside of slots are "
                "refused."
            ),
        },
        "results": _RESULTS,
        "question": {"type": "string", "description": "The question that the text answers, for the record."},
    },
    ["text", "results"],
)

CHECK_INPUT: Schema = _object(
    {
        "text": {"type": "string", "description": "A finished text to check against the results."},
        "results": _RESULTS,
    },
    ["text", "results"],
)

VERIFY_INPUT: Schema = _object({}, [])

_STRING: Schema = {"type": "string"}
_OBJECTS: Schema = {"type": "array", "items": {"type": "object"}}
_STRINGS: Schema = {"type": "array", "items": _STRING}
_RECORD: Schema = {"type": "object", "description": "Receipt of the provenance record: id, sequence, hash."}

ANSWER_OUTPUT: Schema = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "description": "The answer's text. Every figure in it is a claim."},
        "kind": {"type": "string", "enum": ["answer", "interpretation"]},
        "conclusion": {"type": "object", "description": "Span of an interpretation's conclusion."},
        "claims": _OBJECTS | {"description": "Spans of the answer (UTF-16 code units) with the ids of their evidence."},
        "evidence": _OBJECTS | {"description": "What a reader can open: rows, arguments, definitions, absences."},
        "results": _STRINGS | {"description": "Ids of the results the answer rests on, for compose_answer."},
        "operations": _OBJECTS | {"description": "What was asked: operation, arguments, as-of date, snapshot, source."},
        "figures": {"type": "object", "description": "Figures by slot: value (exact), display, type, unit, evidence."},
        "empty": {"type": "string", "description": "Why there is nothing, if there is nothing."},
        "checks": _OBJECTS | {"description": "Control checks that held."},
        "notes": _STRINGS,
        "record": _RECORD,
        "cite": {"type": "object", "description": "How to state these figures in your own words."},
        "truncated": {
            "type": "boolean",
            "description": "True if parts were left out here; `more` says where they are.",
        },
        "more": _STRING,
    },
    "required": ["answer", "kind", "claims", "evidence", "results", "figures", "record", "truncated"],
}
"""What operations, interpretations and `compose_answer` return as structured content."""

CHECK_OUTPUT: Schema = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean", "description": "True if every figure in the text is covered by the results."},
        "covered": _OBJECTS | {"description": "Spans that the results cover, with their evidence."},
        "uncovered": _OBJECTS | {"description": "Spans that state a figure which the results do not have."},
    },
    "required": ["ok", "covered", "uncovered"],
}

VERIFY_OUTPUT: Schema = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean"},
        "count": {"type": "integer", "description": "Records that were checked, if all of them hold."},
        "failedAt": {"type": "integer", "description": "Sequence of the first record that does not hold."},
        "reason": {"type": "string", "description": "What is wrong with it."},
    },
    "required": ["ok"],
}
