"""`footnote mcp` as a client meets it: a process, two pipes, both flavours of the protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

MODES = ["2026-07-28", "auto", "legacy"]
COMMAND = [sys.executable, "-m", "footnote", "mcp"]
OF_DOCUMENTS = ("list_sources", "search", "quote", "verify", "verify_all")
OWN = ["compose_answer", "check_answer", "verifyProvenanceChain"]
CALLS: dict[str, dict[str, Any]] = {
    "getOverdueInvoices": {"customer": "Bergmann"},
    "getCustomerSummary": {"customer": "4471"},
    "getPaymentHistory": {"customer": "Nordwind"},
    "getOpenTickets": {"customer": "Adriatic Foods"},
    "getReceivablesAging": {},
    "getReceivablesByCustomer": {},
    "getTopCustomers": {"period": "2026"},
    "getRevenueByMonth": {"period": "2026", "currency": "EUR"},
    "getPayablesAging": {},
    "customerAtRisk": {"customer": "Bergmann Logistik"},
}


@dataclass
class Connected:
    """A client that is connected to a server of its own, for tests that do not speak async."""

    portal: BlockingPortal
    client: Client

    def tools(self) -> list[types.Tool]:
        return self.portal.call(self.client.list_tools).tools

    def call(self, name: str, arguments: dict[str, Any] | None = None) -> types.CallToolResult:
        result: types.CallToolResult = self.portal.call(self.client.call_tool, name, arguments or {})
        return result

    def answered(self, name: str, arguments: dict[str, Any] | None = None) -> types.CallToolResult:
        result = self.call(name, arguments)
        assert not result.is_error, text_of(result)
        return result

    def read(self, uri: str) -> dict[str, Any]:
        content = self.portal.call(self.client.read_resource, uri).contents[0]
        assert isinstance(content, types.TextResourceContents)
        assert content.mime_type == "application/json"
        found: dict[str, Any] = json.loads(content.text)
        return found


@contextmanager
def connected(
    environ: dict[str, str], log: Path, *, mode: str = "auto", name: str = "", args: str = ""
) -> Iterator[Connected]:
    """A client that is connected to a new server, whose standard error goes to `log`."""
    parameters = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], *args.split()], env=environ)
    info = types.Implementation(name=name, version="1") if name else None
    with ExitStack() as stack:
        errors = stack.enter_context(log.open("a"))
        portal = stack.enter_context(start_blocking_portal())
        client = Client(stdio_client(parameters, errlog=errors), mode=mode, client_info=info, read_timeout_seconds=60)
        yield Connected(portal, stack.enter_context(portal.wrap_async_context_manager(client)))


def text_of(result: types.CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The operator's environment: the embedded sample, a log of this module's own."""
    folder = tmp_path_factory.mktemp("mcp")
    return {
        "FOOTNOTE_CACHE": str(folder / "cache"),
        "PROVENANCE_DB": str(folder / "log.db"),
        "PROVENANCE_ACTOR": "ana",
        "PROVENANCE_ROLE": "controller",
        "FOOTNOTE_CATALOG": "sample",
    }


@pytest.fixture(scope="module", params=MODES)
def served(
    request: pytest.FixtureRequest, environ: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Connected]:
    """A connected client, for each flavour of the protocol, that knows the output schemas and checks answers by them."""
    with connected(environ, tmp_path_factory.mktemp("stderr") / "log", mode=request.param) as found:
        found.tools()
        yield found


# --- both flavours ----------------------------------------------------------------------------------------------------


def test_a_client_finds_the_tools_and_the_instructions(served: Connected) -> None:
    assert [tool.name for tool in served.tools()] == [*CALLS, *OWN, *OF_DOCUMENTS]
    if served.client.mode != "2026-07-28":  # a client that adopts a revision unasked has not asked for instructions
        assert "Do not add up" in (served.client.instructions or "")
        assert "Fictional data" in (served.client.instructions or "")


def test_lists_may_be_kept_for_a_while(served: Connected) -> None:
    if served.client.mode != "legacy":
        listed = served.portal.call(served.client.session.list_tools)
        assert listed.ttl_ms > 0
        assert listed.cache_scope == "private"


@pytest.mark.parametrize("name", CALLS)
def test_every_tool_answers_with_text_structure_links_and_record(served: Connected, name: str) -> None:
    result = served.answered(name, CALLS[name])
    data, meta = result.structured_content, result.meta or {}
    assert text_of(result).startswith(data["answer"])
    assert data["figures"]
    assert data["record"]["id"] == meta["footnote/recordId"]
    assert meta["footnote/recordHash"] in text_of(result)
    assert "SELECT" in meta["footnote/query"]["sql"]
    known = {item["id"] for item in data["evidence"]}
    assert data["truncated"] or all(set(claim["evidenceIds"]) <= known for claim in data["claims"])
    assert len(json.dumps(data)) < 90_000
    assert any(isinstance(block, types.ResourceLink) for block in result.content)


def test_the_answer_has_the_public_figures(served: Connected) -> None:
    result = served.answered("getOverdueInvoices", {"customer": "Bergmann"})
    text, amount = text_of(result), "43.805,00\u00a0€"
    assert f"{amount} overdue across 4 invoices" in text
    assert "104" in text
    rows = ", ".join(f"INV-2026-{n} erp://invoice/{n}" for n in (8812, 8834, 8901, 8977))
    assert f"{amount} — {rows}" in text
    figures = result.structured_content["figures"]
    total = next(figure for slot, figure in figures.items() if slot.endswith(".totals.totalOutstanding"))
    assert total["value"] == "43805.00"
    assert sorted(c["amount"] for c in total["contributions"]) == ["18450.00", "7330.00", "8400.00", "9625.00"]


def test_spans_of_claims_are_in_utf16_code_units(served: Connected) -> None:
    data = served.answered("customerAtRisk", {"customer": "Bergmann"}).structured_content
    units = data["answer"].encode("utf-16-le")
    for claim in data["claims"]:
        span = claim["span"]
        assert units[2 * span["start"] : 2 * span["end"]].decode("utf-16-le") == claim["text"]


def test_an_interpretation_is_marked_as_one(served: Connected) -> None:
    data = served.answered("customerAtRisk", {"customer": "Bergmann"}).structured_content
    assert data["kind"] == "interpretation"
    assert data["conclusion"]["start"] == 0


def test_the_actor_is_the_operators_and_no_argument(served: Connected) -> None:
    result = served.answered("getOpenTickets", {"customer": "Bergmann"})
    record = served.read(f"provenance://record/{(result.meta or {})['footnote/recordId']}")
    assert record["sections"]["actor"] == {"id": "ana", "role": "controller"}
    assert served.call("getOpenTickets", {"customer": "Bergmann", "actor": "eve"}).is_error


# --- Footnote's own tools ---------------------------------------------------------------------------------------------


def test_prose_with_slots_becomes_an_answer(served: Connected) -> None:
    id = served.answered("getOverdueInvoices", {"customer": "Bergmann"}).structured_content["results"][0]
    text = f"In all, {{{id}.totals.totalOutstanding}} is overdue."
    data = served.answered(
        "compose_answer", {"text": text, "results": [id], "question": "How much?"}
    ).structured_content
    assert data["answer"] == "In all, 43.805,00\u00a0€ is overdue."
    assert [claim["figure"] for claim in data["claims"]] == ["totals.totalOutstanding"]


def test_results_of_another_process_can_be_cited(served: Connected, environ: dict[str, str], tmp_path: Path) -> None:
    with connected(environ, tmp_path / "stderr") as other:
        id = other.answered("getOpenTickets", {"customer": "Bergmann"}).structured_content["results"][0]
    made = served.answered("compose_answer", {"text": f"Tickets: {{{id}.totals.ticketCount}}.", "results": [id]})
    assert made.structured_content["answer"] == "Tickets: 2."


@pytest.mark.parametrize("text", ["It is 44.000 €.", "It is forty thousand.", "Es sind ٤٤ Euro.", "{nothing.here}"])
def test_prose_that_brings_a_figure_or_slot_of_its_own_is_refused_and_recorded(served: Connected, text: str) -> None:
    results = served.answered("getOverdueInvoices", {"customer": "Bergmann"}).structured_content["results"]
    result = served.call("compose_answer", {"text": text, "results": results})
    assert result.is_error
    assert result.structured_content is None
    assert "recorded: provenance://record/" in text_of(result)


def test_a_finished_text_is_checked(served: Connected) -> None:
    results = served.answered("getOverdueInvoices", {"customer": "Bergmann"}).structured_content["results"]
    right = served.answered("check_answer", {"text": "Overdue: 43.805,00 €.", "results": results})
    assert right.structured_content["ok"] is True
    wrong = served.answered("check_answer", {"text": "Overdue: 43.805,00 €, that is 44.000 €.", "results": results})
    assert wrong.structured_content["ok"] is False
    assert [span["text"] for span in wrong.structured_content["uncovered"]] == ["44.000 €"]


def test_the_chain_verifies_through_the_tool(served: Connected) -> None:
    served.answered("getOpenTickets", {"customer": "Bergmann"})
    data = served.answered("verifyProvenanceChain").structured_content
    assert data["ok"] is True
    assert data["count"] >= 2


# --- resources --------------------------------------------------------------------------------------------------------


def test_a_link_opens_the_row_as_it_is_now_and_as_it_was_recorded(served: Connected) -> None:
    result = served.answered("getOverdueInvoices", {"customer": "Bergmann"})
    link = next(b for b in result.content if isinstance(b, types.ResourceLink) and b.name == "INV-2026-8812")
    found = served.read(link.uri)
    assert found["now"]["id"] == found["asLastRecorded"]["row"]["id"] == "invoice:8812"
    assert found["now"]["values"]["outstanding"] == "18450.00"
    assert found["asLastRecorded"]["record"]["sequence"] >= 1
    assert found["changed"] == []


def test_a_record_can_be_read_by_id_short_id_and_sequence(served: Connected) -> None:
    record = served.answered("getOpenTickets", {"customer": "Bergmann"}).structured_content["record"]
    names = (record["id"], record["id"][:8], str(record["sequence"]))
    by_id, by_short, by_sequence = (served.read(f"provenance://record/{name}") for name in names)
    assert by_id["hash"] == by_short["hash"] == by_sequence["hash"] == record["hash"]
    assert by_id["kind"] == "answer"
    assert by_id["intact"] is True
    assert "SELECT" in json.dumps(by_id["sections"])


def test_the_templates_are_listed_and_the_list_of_resources_is_small(served: Connected) -> None:
    templates = served.portal.call(served.client.list_resource_templates).resource_templates
    schemes = [template.uri_template.partition("://")[0] for template in templates]
    assert schemes == ["erp", "doc", "provenance", "evidence"]
    assert templates[0].uri_template == "erp://{type}/{id}"
    assert served.portal.call(served.client.list_resources).resources == []


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("erp://invoice/1", "no invoice"),
        ("erp://invoices/8812", "There are: customer, invoice"),
        ("provenance://record/99999999", "has no record"),
        ("provenance://log/1", "provenance://record/{id}"),
        ("file:///etc/passwd", "erp://{type}/{id}"),
        ("erp://invoice/", "erp://{type}/{id}"),
        ("nonsense", "erp://{type}/{id}"),
    ],
)
def test_what_is_not_there_is_not_found_and_says_what_would_work(served: Connected, uri: str, said: str) -> None:
    with pytest.raises(MCPError) as caught:
        served.read(uri)
    assert caught.value.code == (-32002 if served.client.mode == "legacy" else -32602)
    assert said in caught.value.message
    assert caught.value.data["uri"] == uri


# --- resource links, toolsets, the start ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "client", "expected"),
    [("auto", "semantic-kernel", False), ("off", "", False), ("on", "semantic-kernel", True)],
)
def test_links_can_be_switched_off_and_are_for_clients_that_fail_on_them(
    environ: dict[str, str], tmp_path: Path, setting: str, client: str, expected: bool
) -> None:
    mode = "legacy" if setting == "auto" else "auto"  # a client names itself in both flavours
    with connected(environ | {"FOOTNOTE_RESOURCE_LINKS": setting}, tmp_path / "e", mode=mode, name=client) as found:
        result = found.answered("getOpenTickets", {"customer": "Bergmann"})
    assert any(isinstance(block, types.ResourceLink) for block in result.content) is expected


def test_a_toolset_hides_the_other_tools_and_refuses_their_calls(environ: dict[str, str], tmp_path: Path) -> None:
    with connected(environ, tmp_path / "stderr", args="--toolset payables") as found:
        assert [tool.name for tool in found.tools()] == ["getPayablesAging", *OWN, *OF_DOCUMENTS]
        refused = found.call("getOpenTickets", {"customer": "Bergmann"})
    assert refused.is_error
    assert "getPayablesAging" in text_of(refused)


@pytest.mark.parametrize("wrong", [{"FOOTNOTE_RESOURCE_LINKS": "maybe"}, {"FOOTNOTE_CATALOG": "/no/such/file.yaml"}])
def test_a_setting_that_cannot_be_used_stops_the_start(environ: dict[str, str], wrong: dict[str, str]) -> None:
    done = subprocess.run(
        COMMAND, check=False, env={**os.environ, **environ, **wrong}, input=b"", capture_output=True, timeout=60
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr
    assert next(iter(wrong.values())).encode() in done.stderr


def test_nothing_but_protocol_is_on_stdout_and_the_start_is_told_on_stderr(environ: dict[str, str]) -> None:
    done = subprocess.run(
        COMMAND, check=False, env={**os.environ, **environ}, input=b"", capture_output=True, timeout=60
    )
    assert done.returncode == 0
    assert done.stdout == b""
    line = done.stderr.decode()
    assert line.count("\n") == 1
    for fact in ("catalog sample", "source sample", environ["PROVENANCE_DB"], "actor ana (controller)", "18 tools"):
        assert fact in line


def test_a_password_in_the_url_is_not_told_at_the_start(environ: dict[str, str]) -> None:
    url = "postgresql://ana:hunter2@127.0.0.1:1/books"
    done = subprocess.run(
        COMMAND,
        check=False,
        env={**os.environ, **environ, "DATABASE_URL": url},
        input=b"",
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0  # a source that is down does not stop a start
    assert b"hunter2" not in done.stderr
    assert b"127.0.0.1:1/books" in done.stderr


def test_neither_source_nor_log_is_opened_before_the_first_call(environ: dict[str, str], tmp_path: Path) -> None:
    log, cache = tmp_path / "log.db", tmp_path / "cache"
    fresh = environ | {"PROVENANCE_DB": str(log), "FOOTNOTE_CACHE": str(cache)}
    with connected(fresh, tmp_path / "stderr") as found:
        found.tools()
        assert not log.exists()
        assert not list(cache.glob("*.db"))
        found.answered("getOpenTickets", {"customer": "Bergmann"})
        assert log.exists()


def test_the_server_starts_without_modules_that_only_a_call_needs(environ: dict[str, str]) -> None:
    code = (
        "import sys\n"
        "from footnote.connect.opening import open_session\n"
        "from footnote.serve.mcp_server import make_server\n"
        "from footnote.serve.tools import Tools\n"
        "session = open_session('sample')\n"
        "make_server(session, Tools(session))\n"
        "print(sorted({'psycopg', 'babel', 'sqlalchemy', 'sqlglot', 'rapidfuzz'} & set(sys.modules)))\n"
    )

    def started() -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **environ}
        return subprocess.run(
            [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60, env=environment
        )

    started()  # a catalog that was never seen is checked, and that needs some of them
    done = started()
    assert done.stdout.strip() == "[]", done.stderr
