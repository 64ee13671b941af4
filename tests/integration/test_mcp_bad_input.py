"""What a server must survive: bad arguments, lines that are no messages, cancelled calls, a client that goes away.

Raw lines over real pipes, because a well-behaved client cannot send most of this.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from footnote.provenance import Log, Record

PATIENCE = 60.0
"""Seconds for anything that is to come; a test that waits this long has failed."""

SLOW_CATALOG = """
catalog: slow
version: 1
source: {url: "${DATABASE_URL}", dialect: sqlite, engines: [sqlite], timeout: 10m}
records:
  item:
    table: items
    key: [id]
    label: "Item {id}"
    fields: {id: {type: integer}, size: {type: integer}}
operations:
  countTriples:
    title: Triples
    description: A count that takes hours.
    statements:
      totals:
        shape: one
        grain: item
        statement: |
          SELECT COUNT(*) AS "tripleCount"
          FROM items a JOIN lots b ON a.size <> b.size JOIN boxes c ON b.size <> c.size
        columns: {tripleCount: {type: count}}
    answer: "There are {tripleCount} triples."
"""


class Raw:
    """A server process, spoken to in lines."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "footnote", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environ},
        )
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.errors: list[bytes] = []
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(json.loads(line))  # anything but protocol on stdout fails here
        self._answers.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors += list(self.process.stderr)

    def send(self, line: str | bytes | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        text = json.dumps(line) if isinstance(line, dict) else line
        self.process.stdin.write((text.encode() if isinstance(text, str) else text) + b"\n")
        self.process.stdin.flush()

    def answer(self, within: float = PATIENCE) -> dict[str, Any]:
        found = self._answers.get(timeout=within)
        assert found is not None, b"".join(self.errors).decode()
        return found

    def silent(self, seconds: float) -> bool:
        try:
            self._answers.get(timeout=seconds or 0.001)
        except queue.Empty:
            return True
        return False

    def begin(self) -> Raw:
        info = {"name": "raw", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        assert self.answer()["id"] == 0
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def call(self, id: int | str, name: str, arguments: Any) -> None:
        params = {"name": name, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})

    def works(self) -> None:
        """The server still answers a call."""
        self.call("works", "getOpenTickets", {"customer": "Bergmann"})
        answer = self.answer()
        assert answer["id"] == "works"
        assert "isError" not in answer["result"] or not answer["result"]["isError"]

    def leave(self) -> int:
        """Go away, as a client does; the server's exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def end(self) -> None:
        """End the process, whatever it does, and close its pipes."""
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("mcp")
    return {
        "FOOTNOTE_CACHE": str(folder / "cache"),
        "PROVENANCE_DB": str(folder / "log.db"),
        "FOOTNOTE_CATALOG": "sample",
    }


@pytest.fixture
def processes() -> Iterator[list[Raw]]:
    """Takes the processes that a test starts, and ends them after it."""
    started: list[Raw] = []
    yield started
    for raw in started:
        raw.end()


@pytest.fixture(scope="module")
def raw(environ: dict[str, str]) -> Iterator[Raw]:
    """One server that all the bad input goes to, so that each test also shows that it survived the one before."""
    server = Raw(environ).begin()
    yield server
    code = server.leave()
    server.end()
    assert code == 0


def told(answer: dict[str, Any], id: int | str) -> str:
    """The text of a tool error."""
    assert answer["id"] == id
    assert answer["result"]["isError"] is True
    assert "structuredContent" not in answer["result"]
    text: str = answer["result"]["content"][0]["text"]
    assert text.strip()
    assert "Traceback" not in text
    return text


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"customer": "Acme Corporation"}, "Did you mean:"),
        ({"customer": "Helios"}, "Helios Energy"),
        ({}, "needs the argument 'customer'"),
        ({"customer": None}, "needs the argument 'customer'"),
        ({"customer": ""}, "customer"),
        ({"customer": "Bergmann", "asOfDate": "2026-02-30"}, "YYYY-MM-DD"),
        ({"customer": "Bergmann", "asOfDate": 20260214}, "YYYY-MM-DD"),
        ({"customer": "Bergmann", "asofdate": "2026-08-14"}, "- asOfDate"),
        ({"customer": "Bergmann", "": ""}, "Its arguments are"),
        ({"customer": ["Bergmann"]}, "customer"),
        ({"customer": {"name": "Bergmann"}}, "customer"),
        ({"customer": True}, "customer"),
        ({"customer": "Berg\u0000mann"}, "control character"),
        ({"customer": "x" * 1_000_000}, "1,000,000 characters"),
        ({"customer": 10**4_000}, "more digits"),
        ({"customer": "Bergmann'; DROP TABLE invoices; --"}, "customer"),
        ({"customer": "Bergmann", "x" * 100_000: 1}, "Its arguments are"),
        ({"customer": json.loads(nested(100))}, "customer"),
    ],
)
def test_a_bad_argument_is_a_clear_tool_error(raw: Raw, arguments: dict[str, Any], said: str) -> None:
    raw.call(1, "getOverdueInvoices", arguments)
    text = told(raw.answer(), 1)
    assert said in text
    assert len(text) < 5_000
    assert "could not finish" not in text  # that would be a fault of ours
    raw.works()


def test_a_bad_argument_is_recorded_before_it_is_told(raw: Raw, environ: dict[str, str]) -> None:
    raw.call(1, "getOverdueInvoices", {"customer": "Acme Corporation"})
    answer = raw.answer()
    meta = answer["result"]["_meta"]
    with Log.open(environ["PROVENANCE_DB"], readonly=True) as log:
        record = log.get(meta["footnote/recordId"])
    assert record.kind == "refusal"
    assert record.hash == meta["footnote/recordHash"]
    assert record.id in told(answer, 1)


@pytest.mark.parametrize("value", [None, "null"])
def test_an_optional_argument_may_come_as_null_or_the_text_null(raw: Raw, value: str | None) -> None:
    raw.call(1, "getOverdueInvoices", {"customer": "Bergmann", "asOfDate": value})
    answer = raw.answer()["result"]
    assert not answer.get("isError")
    assert "2026-08-14" in answer["content"][0]["text"]


def test_no_arguments_at_all_are_taken_as_none(raw: Raw) -> None:
    raw.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "verifyProvenanceChain"}})
    assert raw.answer()["result"]["structuredContent"]["ok"] is True


@pytest.mark.parametrize("name", ["getOverdueInvoice", "", "nope", "../../etc/passwd", "x" * 100_000, "get\u0000"])
def test_an_unknown_tool_is_refused_with_those_there_are(raw: Raw, name: str) -> None:
    raw.call(1, name, {})
    text = told(raw.answer(), 1)
    assert "getOverdueInvoices" in text
    assert "recorded: provenance://record/" in text
    assert len(text) < 5_000


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("compose_answer", {}, "text"),
        ("compose_answer", {"text": "Hello."}, "results"),
        ("compose_answer", {"text": "Hello.", "results": []}, "results"),
        ("compose_answer", {"text": "Hello.", "results": ["nonsense"]}, "nonsense"),
        ("compose_answer", {"text": "Hello.", "results": [{}]}, "results"),
        ("compose_answer", {"text": 3, "results": ["abc"]}, "text"),
        ("compose_answer", {"text": "x" * 1_000_000, "results": ["abc"]}, "characters"),
        ("compose_answer", {"text": "Hello.", "result": ["abc"]}, "- results"),
        ("check_answer", {"text": "", "results": ["abc"]}, "text"),
        ("check_answer", {"text": "Hello.", "results": ["0" * 12]}, "no record"),
        ("check_answer", {"text": "Hello.", "results": ["a"] * 1_000}, "results"),
        ("customerAtRisk", {"customer": "Bergmann", "date": "2026-08-14"}, "Its arguments are"),
        ("customerAtRisk", {"customer": "Acme"}, "Did you mean:"),
        ("customerAtRisk", {}, "customer"),
        ("verifyProvenanceChain", {"quick": True}, "no argument 'quick'"),
    ],
)
def test_the_other_tools_refuse_bad_arguments_too(raw: Raw, name: str, arguments: dict[str, Any], said: str) -> None:
    raw.call(1, name, arguments)
    text = told(raw.answer(), 1)
    assert said in text
    assert "recorded: provenance://record/" in text
    assert "could not finish" not in text


def test_an_argument_without_a_name_is_named_as_such(raw: Raw) -> None:
    raw.call(1, "getOverdueInvoices", {"customer": "4471", "": 1})
    assert "has no argument ''" in told(raw.answer(), 1)


def test_a_client_that_closes_its_ears_leaves_no_traceback(environ: dict[str, str]) -> None:
    command = [sys.executable, "-m", "footnote", "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **environ}) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdout.close()
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}\n')
        server.stdin.close()
        told = server.stderr.read()
        assert server.wait(20) == 0
    assert b"Traceback" not in told


# --- lines ------------------------------------------------------------------------------------------------------------


def test_half_of_a_surrogate_pair_is_a_tool_error_and_the_server_lives(raw: Raw) -> None:
    raw.call(1, "getOverdueInvoices", {"customer": "Bergmann\ud800"})
    assert "surrogate" in told(raw.answer(), 1)
    raw.call(2, "compose_answer", {"text": "\udfff", "results": ["abc"]})
    assert "surrogate" in told(raw.answer(), 2)
    raw.works()


@pytest.mark.parametrize("depth", [150, 500, 20_000, 200_000])
def test_deep_nesting_is_a_tool_error_and_the_server_lives(raw: Raw, depth: int) -> None:
    line = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getOverdueInvoices","arguments":%s}}'
    raw.send(line % nested(depth))
    told(raw.answer(), 1)
    raw.works()


@pytest.mark.parametrize("line", ["no json", b"\xff\xfe\x00", "[]", "3", '{"jsonrpc":"2.0"}', "{" * 100_000])
def test_a_line_that_is_no_message_gets_an_error_and_the_server_lives(raw: Raw, line: str | bytes) -> None:
    raw.send(line)
    answer = raw.answer()
    assert answer["id"] is None
    assert answer["error"]["code"] in (-32700, -32600)
    raw.works()


@pytest.mark.parametrize(
    "params", [None, {}, {"name": 3}, {"name": "getOpenTickets", "arguments": [1]}, {"arguments": {}}]
)
def test_a_call_without_its_parts_is_an_invalid_request(raw: Raw, params: Any) -> None:
    raw.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call"} | ({"params": params} if params is not None else {}))
    assert raw.answer()["error"]["code"] == -32602
    raw.works()


def test_an_unknown_method_is_not_found(raw: Raw) -> None:
    raw.send({"jsonrpc": "2.0", "id": 1, "method": "tools/destroy"})
    assert raw.answer()["error"]["code"] == -32601
    raw.works()


@pytest.mark.parametrize("id", ["null", "1.5", "true", "[1]"])
def test_a_request_whose_id_is_none_is_answered_and_not_taken_for_a_notification(raw: Raw, id: str) -> None:
    raw.send('{"jsonrpc":"2.0","id":' + id + ',"method":"tools/call","params":{"name":"getReceivablesAging"}}')
    answer = raw.answer()
    assert answer["id"] is None
    assert "id" in answer["error"]["message"]
    raw.works()


def test_parameters_that_are_no_object_are_answered_under_the_id(raw: Raw) -> None:
    raw.send('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[1]}')
    answer = raw.answer()
    assert answer["id"] == 5
    assert answer["error"]["code"] == -32600
    raw.works()


def test_an_empty_line_is_passed_over(raw: Raw) -> None:
    raw.send("")
    raw.works()


def test_calls_that_come_at_once_are_all_answered(raw: Raw) -> None:
    for id in range(1, 31):
        raw.call(id, "getOpenTickets", {"customer": "Bergmann" if id % 2 else "Acme"})
    answers = {answer["id"]: answer["result"].get("isError", False) for answer in (raw.answer() for _ in range(30))}
    assert answers == {id: id % 2 == 0 for id in range(1, 31)}


# --- sources that fail ------------------------------------------------------------------------------------------------


def test_a_source_that_is_down_is_an_error_without_its_password(environ: dict[str, str], processes: list[Raw]) -> None:
    server = Raw(environ | {"DATABASE_URL": "postgresql://ana:hunter2@127.0.0.1:1/books"}).begin()
    processes.append(server)
    server.call(1, "getOverdueInvoices", {"customer": "Bergmann"})
    text = told(server.answer(), 1)
    assert "hunter2" not in text
    assert "could not finish" not in text
    assert "recorded: provenance://record/" in text
    assert server.leave() == 0
    assert b"hunter2" not in b"".join(server.errors)


def test_a_log_that_cannot_be_written_means_no_answer(
    environ: dict[str, str], processes: list[Raw], tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    server = Raw(environ | {"PROVENANCE_DB": str(blocked / "log.db")}).begin()
    processes.append(server)
    server.call(1, "getOverdueInvoices", {"customer": "Bergmann"})
    text = told(server.answer(), 1)
    assert "43.805" not in text
    assert "log" in text.lower()


# --- cancelled, and gone ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A source on which one operation takes hours."""
    folder = tmp_path_factory.mktemp("slow")
    with sqlite3.connect(folder / "items.db") as connection:
        for table in ("items", "lots", "boxes"):
            connection.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, size INTEGER NOT NULL)")
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", [(n, n) for n in range(20_000)])
    connection.close()
    (folder / "slow.yaml").write_text(SLOW_CATALOG)
    return {
        "FOOTNOTE_CACHE": str(folder / "cache"),
        "PROVENANCE_DB": str(folder / "log.db"),
        "FOOTNOTE_CATALOG": str(folder / "slow.yaml"),
        "DATABASE_URL": f"sqlite:///{folder / 'items.db'}",
    }


def begun(server: Raw, id: int) -> None:
    """Start the slow call, and wait until its statement runs: then the process is busy."""
    server.call(id, "countTriples", {})
    stat = Path(f"/proc/{server.process.pid}/stat")
    if not stat.exists():
        time.sleep(5)
        return
    for _ in range(100):
        assert server.silent(0), "the slow call was answered"
        before = stat.read_text().rpartition(")")[2].split()[11]
        time.sleep(0.3)
        if int(stat.read_text().rpartition(")")[2].split()[11]) - int(before) >= 5:
            break
    time.sleep(1)


def last_record(path: str, kind: str) -> Record:
    """The last record once it is of this kind."""
    for _ in range(int(PATIENCE * 10)):
        if Path(path).exists():
            with Log.open(path, readonly=True) as log:
                head = log.head()
                if head is not None and (record := log.get(head.sequence)).kind == kind:
                    return record
        time.sleep(0.1)
    raise AssertionError(f"there is no record of kind {kind}")


def test_a_cancelled_call_stops_its_statement_and_is_never_answered(slow: dict[str, str], processes: list[Raw]) -> None:
    server = Raw(slow).begin()
    processes.append(server)
    begun(server, 5)
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5, "reason": "bored"}})
    record = last_record(slow["PROVENANCE_DB"], "error")
    assert "cancelled" in json.dumps(record.sections["error"])
    assert server.silent(1)
    server.call(6, "verifyProvenanceChain", {})
    assert server.answer()["id"] == 6
    assert server.leave() == 0


def test_a_client_that_goes_away_leaves_no_statement_behind(slow: dict[str, str], processes: list[Raw]) -> None:
    server = Raw(slow).begin()
    processes.append(server)
    begun(server, 1)
    begun_at = time.monotonic()
    assert server.leave() == 0
    assert time.monotonic() - begun_at < 20
    assert "cancelled" in json.dumps(last_record(slow["PROVENANCE_DB"], "error").sections["error"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_its_statement(
    slow: dict[str, str], processes: list[Raw], number: signal.Signals
) -> None:
    server = Raw(slow).begin()
    processes.append(server)
    begun(server, 1)
    server.process.send_signal(number)
    assert server.process.wait(PATIENCE) == 128 + number
    assert "cancelled" in json.dumps(last_record(slow["PROVENANCE_DB"], "error").sections["error"])


def test_more_slow_calls_than_may_run_do_not_keep_lists_from_being_answered(
    slow: dict[str, str], processes: list[Raw]
) -> None:
    server = Raw(slow).begin()
    processes.append(server)
    for id in range(1, 8):
        server.call(id, "countTriples", {})
    server.send({"jsonrpc": "2.0", "id": 99, "method": "tools/list"})
    assert server.answer()["id"] == 99
    for id in range(1, 8):
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    server.call(100, "verifyProvenanceChain", {})
    assert server.answer()["id"] == 100
