"""Lines that the SDK cannot read are answered too, and the answer goes to the request that is waiting for it."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.jsonrpc import INVALID_REQUEST, PARSE_ERROR
from pydantic import ValidationError

from footnote.serve.wire import answer_to_unreadable

IDS = st.integers(-(2**53), 2**53) | st.text(max_size=20)


def call(arguments: Any, id: Any = 7, **more: Any) -> str:
    params = {"name": "getOverdueInvoices", "arguments": arguments} | more
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


def answered(line: str) -> dict[str, Any]:
    answer = answer_to_unreadable(line)
    assert answer is not None
    text = answer.model_dump_json(by_alias=True, exclude_unset=True)
    shown: dict[str, Any] = json.loads(text.encode("utf-8"))
    return shown


def test_such_lines_are_indeed_unreadable_for_the_sdk() -> None:
    for line in (call({"customer": "\ud800"}), call(0).replace("0", nested(2_000), 1), "no json"):
        with pytest.raises(ValidationError):
            types.jsonrpc_message_adapter.validate_json(line, by_name=False)


@given(IDS)
def test_a_call_with_half_a_surrogate_pair_is_a_tool_error(id: int | str) -> None:
    answer = answered(call({"customer": "Bergmann\ud800"}, id))
    assert answer["id"] == id
    assert answer["result"]["isError"] is True
    assert "surrogate" in answer["result"]["content"][0]["text"]
    assert "structuredContent" not in answer["result"]


@given(IDS, st.integers(1_000, 30_000))
def test_a_call_that_is_nested_too_deeply_is_a_tool_error(id: int | str, depth: int) -> None:
    line = json.dumps({"jsonrpc": "2.0", "method": "tools/call", "params": {"id": 99, "arguments": "HERE"}, "id": id})
    answer = answered(line.replace('"HERE"', nested(depth)))
    assert answer["id"] == id
    assert "nested" in answer["result"]["content"][0]["text"]


def test_what_looks_like_an_id_inside_of_a_text_or_deeper_is_not_the_id() -> None:
    line = (
        '{"jsonrpc":"2.0","x":"\\"id\\":1,{","params":{"id":2,"a":' + nested(3_000) + '},"id":3,"method":"tools/call"}'
    )
    assert answered(line)["id"] == 3


def test_an_answer_of_the_newer_revision_says_that_it_is_complete() -> None:
    meta = {types.PROTOCOL_VERSION_META_KEY: "2026-07-28"}
    assert answered(call({"x": "\ud800"}, _meta=meta))["result"]["resultType"] == "complete"
    assert "resultType" not in answered(call({"x": "\ud800"}))["result"]


def test_another_request_gets_an_error() -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "erp://\ud800"}})
    answer = answered(line)
    assert answer["id"] == 1
    assert answer["error"]["code"] == INVALID_REQUEST


@pytest.mark.parametrize("line", ["no json", "{", '{"id": 1', "\u0000", '{"a": NaN,,}'])
def test_what_is_no_json_gets_a_parse_error_without_an_id(line: str) -> None:
    answer = answered(line)
    assert answer["id"] is None
    assert answer["error"]["code"] == PARSE_ERROR


@pytest.mark.parametrize("line", ["[1, 2]", "3", '"text"', "null", "{}", '{"jsonrpc": "1.0"}'])
def test_json_that_is_no_request_gets_an_error_without_an_id(line: str) -> None:
    answer = answered(line)
    assert answer["id"] is None
    assert answer["error"]["code"] == INVALID_REQUEST


@pytest.mark.parametrize("id", ["null", "true", "1.5", "[1]", '"\\ud800"', "{}"])
def test_an_id_that_is_none_is_not_sent_back(id: str) -> None:
    answer = answered('{"jsonrpc":"2.0","id":' + id + ',"method":"tools/call","params":{"a":"\\ud800"}}')
    assert answer["id"] is None
    assert "error" in answer


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"\\ud800"}}',
        '{"jsonrpc":"2.0","id":4,"result":{"x":"\\ud800"}}',
    ],
)
def test_what_asks_for_no_answer_gets_none(line: str) -> None:
    assert answer_to_unreadable(line) is None


@given(st.text(st.characters(codec=None, categories=None)))
def test_no_line_breaks_it_and_no_answer_repeats_the_line(line: str) -> None:
    answer = answer_to_unreadable(line)
    if answer is not None:
        answer.model_dump_json(by_alias=True).encode("utf-8")


def test_a_number_that_python_cannot_read_is_named_under_the_id_of_its_call() -> None:
    line = call({"customer": "HERE"}).replace('"HERE"', "9" * 5_000)
    answer = answered(line)
    assert answer["id"] == 7
    assert answer["result"]["isError"] is True
    assert "digits" in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize("more", ['"params": [1]', '"params": 3', '"jsonrpc": "1.0"'])
def test_a_request_that_is_none_is_answered_under_its_id(more: str) -> None:
    answer = answered('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", ' + more + "}")
    assert answer["id"] == 7
    assert answer["error"]["code"] == INVALID_REQUEST
