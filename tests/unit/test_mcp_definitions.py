"""Tools as an MCP client lists them: names, schemas and descriptions that every client takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest

from footnote.catalog.load import find_catalog, load_catalog
from footnote.catalog.model import Catalog, Interpretation, Operation, Parameter, Premise
from footnote.errors import UsageError
from footnote.serve.definitions import offered, tools_of
from footnote.serve.mcp import tools_as_json
from footnote.serve.schemas import interpretation_input, operation_input, parameter_schema

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
OWN = ["compose_answer", "check_answer", "verifyProvenanceChain"]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(find_catalog("sample"), environ={}).catalog


@pytest.fixture(scope="module")
def tools(catalog: Catalog) -> list[types.Tool]:
    return tools_of(catalog)


def schemas(tools: list[types.Tool]) -> Iterator[tuple[str, dict[str, Any]]]:
    for tool in tools:
        yield tool.name, tool.input_schema
        assert tool.output_schema is not None
        yield tool.name, tool.output_schema


def keys(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema
        for value in schema.values():
            yield from keys(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys(value)


def test_there_is_a_tool_per_operation_and_per_interpretation_and_our_own(
    catalog: Catalog, tools: list[types.Tool]
) -> None:
    assert [tool.name for tool in tools] == [*catalog.operations, *catalog.interpretations, *OWN]


def test_names_are_such_as_every_client_takes(tools: list[types.Tool]) -> None:
    assert all(NAME.fullmatch(tool.name) for tool in tools)
    assert len({tool.name.lower() for tool in tools}) == len(tools)


def test_the_order_is_the_same_every_time(catalog: Catalog, tools: list[types.Tool]) -> None:
    assert tools_of(catalog) == tools


def test_schemas_are_flat_objects(tools: list[types.Tool]) -> None:
    for name, schema in schemas(tools):
        assert schema["type"] == "object", name
        assert not {"$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf"} & set(keys(schema)), name


def test_inputs_take_nothing_but_what_they_name(tools: list[types.Tool]) -> None:
    for tool in tools:
        assert tool.input_schema["additionalProperties"] is False
        assert set(tool.input_schema["required"]) <= set(tool.input_schema["properties"])
        for schema in tool.input_schema["properties"].values():
            assert isinstance(schema["type"], str)  # `["string", "null"]` breaks some clients
            assert schema["description"]


def test_every_tool_says_that_it_only_reads_and_stays_at_home(tools: list[types.Tool]) -> None:
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.idempotent_hint is True
        assert tool.annotations.open_world_hint is False


def test_no_description_of_ours_has_a_figure_that_could_leak(tools: list[types.Tool]) -> None:
    for tool in tools:
        if tool.name in OWN:
            assert not re.search(r"\d", tool.description or "")


def test_a_description_says_what_the_as_of_date_does_not_do(tools: list[types.Tool]) -> None:
    described = {tool.name: tool.description or "" for tool in tools}
    assert "recorded now" in described["getOverdueInvoices"]
    assert "recorded now" not in described["getRevenueByMonth"]  # it has no as-of date


def test_a_description_says_what_comes_back_and_what_is_refused(tools: list[types.Tool]) -> None:
    for tool in tools:
        if tool.name not in OWN:
            assert "Returns the answer" in (tool.description or "")
            assert "refused, not cut" in (tool.description or "")


def test_the_tools_as_json_are_what_goes_over_the_wire(catalog: Catalog, tools: list[types.Tool]) -> None:
    shown = tools_as_json(catalog)
    assert [tool["name"] for tool in shown] == [tool.name for tool in tools]
    assert shown[0]["inputSchema"]["type"] == "object"
    assert shown[0]["annotations"]["readOnlyHint"] is True


# --- toolsets ---------------------------------------------------------------------------------------------------------


def test_a_toolset_offers_its_operations_and_our_own_tools(catalog: Catalog) -> None:
    names = [tool.name for tool in tools_of(catalog, ["receivables"])]
    assert names == [*(n for n in catalog.operations if n in catalog.toolsets["receivables"]), *OWN]


def test_toolsets_add_up(catalog: Catalog) -> None:
    both = offered(catalog, ["payables", "sales"])
    assert both == offered(catalog, ["payables"]) | offered(catalog, ["sales"])


def test_an_interpretation_is_offered_where_all_it_rests_on_is(catalog: Catalog) -> None:
    assert "customerAtRisk" not in offered(catalog, ["receivables"])
    assert "customerAtRisk" in offered(catalog, ["receivables", "service"])


def test_an_unknown_toolset_is_refused_with_those_there_are(catalog: Catalog) -> None:
    with pytest.raises(UsageError) as caught:
        tools_of(catalog, ["receivable"])
    assert "receivables" in caught.value.text
    assert [candidate.text for candidate in caught.value.candidates] == ["receivables"]


def test_a_catalog_cannot_take_the_name_of_a_tool_of_ours(catalog: Catalog) -> None:
    operation = next(iter(catalog.operations.values()))
    taken = catalog.model_copy(update={"operations": {"check_answer": operation}})
    with pytest.raises(UsageError, match="check_answer"):
        tools_of(taken)


def test_an_operation_and_an_interpretation_cannot_share_a_name(catalog: Catalog) -> None:
    name = next(iter(catalog.operations))
    doubled = catalog.model_copy(update={"interpretations": {name: catalog.interpretations["customerAtRisk"]}})
    with pytest.raises(UsageError, match="another name"):
        tools_of(doubled)


# --- parameters -------------------------------------------------------------------------------------------------------


def parameter(**given: Any) -> Parameter:
    return Parameter(**({"name": "x", "type": "text", "description": "What it is."} | given))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("text", {"type": "string"}),
        ("integer", {"type": "integer"}),
        ("boolean", {"type": "boolean"}),
        ("date", {"type": "string", "format": "date"}),
        ("datetime", {"type": "string", "format": "date-time"}),
        ("currency", {"type": "string", "pattern": "^[A-Z]{3}$"}),
        ("period", {"type": "string"}),
    ],
)
def test_a_type_is_one_json_type(kind: str, expected: dict[str, Any]) -> None:
    schema = parameter_schema(parameter(type=kind))
    assert schema.pop("description").startswith("What it is.")
    assert schema == expected


def test_a_decimal_goes_as_text_so_that_no_reader_rounds_it() -> None:
    schema = parameter_schema(parameter(type="decimal"))
    assert schema["type"] == "string"
    assert re.fullmatch(schema["pattern"], "-12.50")
    assert not re.fullmatch(schema["pattern"], "1e3")


def test_a_list_has_typed_items() -> None:
    schema = parameter_schema(parameter(type="list", of="integer", min_value=1))
    assert schema["type"] == "array"
    assert schema["items"] == {"type": "integer", "minimum": 1}


def test_limits_and_allowed_values_are_stated() -> None:
    assert parameter_schema(parameter(type="integer", min_value=1, max_value=12))["maximum"] == 12
    assert parameter_schema(parameter(allowed_values=["open", "closed"]))["enum"] == ["open", "closed"]
    assert parameter_schema(parameter(type="integer", allowed_values=[30, 60]))["enum"] == [30, 60]


def test_limits_that_a_schema_cannot_state_are_said() -> None:
    schema = parameter_schema(parameter(type="date", min_value="2020-01-01"))
    assert "minimum" not in schema
    assert "Not below 2020-01-01." in schema["description"]


def test_a_default_is_stated_and_one_that_moves_is_said() -> None:
    assert parameter_schema(parameter(type="currency", default="EUR"))["default"] == "EUR"
    today = parameter_schema(parameter(type="date", default="today"))
    assert "default" not in today
    assert "Left out: today." in today["description"]


def test_a_parameter_with_a_default_is_not_required(catalog: Catalog) -> None:
    schema = operation_input(catalog.operations["getOverdueInvoices"])
    assert schema["required"] == ["customer"]
    assert list(schema["properties"]) == ["customer", "asOfDate"]


def test_an_interpretation_takes_the_parameters_it_names(catalog: Catalog) -> None:
    schema = interpretation_input(catalog, catalog.interpretations["customerAtRisk"])
    assert list(schema["properties"]) == ["customer", "asOfDate"]
    assert schema["required"] == ["customer"]


def test_what_one_premise_needs_the_interpretation_needs(catalog: Catalog) -> None:
    def operation(required: bool) -> Operation:
        spec = next(iter(catalog.operations.values())).model_copy(
            update={"parameters": [parameter(name="since", type="date", required=required)]}
        )
        assert isinstance(spec, Operation)
        return spec

    both = catalog.model_copy(update={"operations": {"a": operation(False), "b": operation(True)}})
    interpretation = Interpretation(
        title="t",
        description="d",
        parameters=["since"],
        conclusion="c",
        otherwise="o",
        premises=[Premise(operation=name, when="1 = 1", say="s") for name in ("a", "b")],
    )
    assert interpretation_input(both, interpretation)["required"] == ["since"]
