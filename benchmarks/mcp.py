"""MCP over stdio: Footnote beside a minimal server on the same SDK, in one run.

    python benchmarks/mcp.py [--spawns 9] [--calls 200] [--json]

Prints, for both servers, the time from spawn to the first answered `tools/list` (median of several, the two servers
taking turns so that a busy machine hits both), the median and 90th percentile of a tool call, and resident memory.
Footnote's call resolves a name, runs two statements and their witness statements, ties out, and writes two durable
records; the minimal server's call returns a constant. The goals are a start of at most 1.3 times the minimal server's
and a call of at most 3 ms at the median on SQLite.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

START_GOAL = 1.3
CALL_GOAL_MS = 3.0

MINIMAL = """
import anyio, mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOL = types.Tool(name="answer", description="Nothing.", input_schema={"type": "object"})

async def list_tools(context, params):
    return types.ListToolsResult(tools=[TOOL])

async def call_tool(context, params):
    return types.CallToolResult(content=[types.TextContent(text="nothing")])

async def main():
    server = Server("minimal", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(main)
"""


class Server:
    """A server process and the few lines of JSON-RPC that it takes to talk to it."""

    def __init__(self, command: list[str], environ: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(environ)
        )
        self._id = 0

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        if answer.get("id") != self._id or "result" not in answer:
            raise SystemExit(f"{method} was answered with {json.dumps(answer)[:500]}")
        result: dict[str, Any] = answer["result"]
        return result

    def initialize(self) -> None:
        info = {"name": "benchmark", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        self.request("initialize", params)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, name: str, arguments: dict[str, Any]) -> float:
        """Milliseconds of one call."""
        begun = time.perf_counter()
        result = self.request("tools/call", {"name": name, "arguments": arguments})
        taken = (time.perf_counter() - begun) * 1000
        if result.get("isError"):
            raise SystemExit(f"{name} failed: {result['content'][0]['text']}")
        return taken

    def memory_mib(self) -> float | None:
        """Resident memory; None where the system does not say."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return None
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024

    def processor_ms(self) -> float | None:
        """Processor time so far, which a busy machine does not lengthen."""
        stat = Path(f"/proc/{self.process.pid}/stat")
        if not stat.exists():
            return None
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


def spawn_to_list_ms(command: list[str], environ: Mapping[str, str]) -> float:
    begun = time.perf_counter()
    server = Server(command, environ)
    server.initialize()
    server.request("tools/list", {})
    taken = (time.perf_counter() - begun) * 1000
    server.close()
    return taken


def call_times(
    command: list[str], environ: Mapping[str, str], name: str, arguments: dict[str, Any], calls: int
) -> dict[str, float | None]:
    server = Server(command, environ)
    server.initialize()
    server.request("tools/list", {})
    idle = server.memory_mib()
    first = server.call(name, arguments)
    for _ in range(10):
        server.call(name, arguments)
    before = server.processor_ms()
    times = sorted(server.call(name, arguments) for _ in range(calls))
    after = server.processor_ms()
    found = {
        "first_call_ms": first,
        "call_p50_ms": statistics.median(times),
        "call_p90_ms": times[int(calls * 0.9)],
        "call_processor_ms": None if before is None or after is None else (after - before) / calls,
        "memory_listed_mib": idle,
        "memory_after_calls_mib": server.memory_mib(),
    }
    server.close()
    return found


def measure(spawns: int, calls: int, folder: Path) -> dict[str, Any]:
    environ = {
        **os.environ,
        "FOOTNOTE_CACHE": str(folder / "cache"),
        "PROVENANCE_DB": str(folder / "log.db"),
        "FOOTNOTE_CATALOG": "sample",
        "DATABASE_URL": "",
    }
    commands = {"minimal": [sys.executable, "-c", MINIMAL], "footnote": [sys.executable, "-m", "footnote", "mcp"]}
    for command in commands.values():  # caches warm for both
        spawn_to_list_ms(command, environ)
    starts: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(spawns):
        for name, command in commands.items():
            starts[name].append(spawn_to_list_ms(command, environ))
    tools: dict[str, tuple[str, dict[str, Any]]] = {
        "minimal": ("answer", {}),
        "footnote": ("getOverdueInvoices", {"customer": "4471"}),
    }
    found: dict[str, Any] = {
        name: {"start_ms": statistics.median(starts[name]), **call_times(command, environ, *tools[name], calls)}
        for name, command in commands.items()
    }
    found["start_ratio"] = found["footnote"]["start_ms"] / found["minimal"]["start_ms"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--spawns", type=int, default=9)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(options.spawns, options.calls, Path(folder))
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for key in found["minimal"]:
        shown = [found[name][key] for name in ("minimal", "footnote")]
        print(f"{key:24}" + "".join(f"{'-' if v is None else format(v, '10.1f')}" for v in shown))
    print(f"{'start ratio':24}{found['start_ratio']:10.2f}  (goal: at most {START_GOAL})")
    print(f"{'call p50, footnote':24}{found['footnote']['call_p50_ms']:10.2f}  ms (goal: at most {CALL_GOAL_MS})")


if __name__ == "__main__":
    main()
