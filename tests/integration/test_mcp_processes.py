"""Many servers on one log: every receipt that was given is in one chain that verifies."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TextIO

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from footnote.provenance import Log

PROCESSES = 4
CALLS = 100
CUSTOMERS = ["4471", "4472", "4473", "4474", "4475"]


def receipts(environ: dict[str, str], which: int) -> list[tuple[str, int, str]]:
    """Receipts of a hundred answers, from a server of its own, eight calls at a time."""
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "footnote", "mcp"], env=environ)
    found: list[tuple[str, int, str]] = []

    mode = "auto" if which % 2 else "legacy"

    async def run(errors: TextIO) -> None:
        with anyio.fail_after(300):
            async with Client(stdio_client(parameters, errlog=errors), mode=mode) as client:
                places = anyio.CapacityLimiter(8)

                async def call(number: int) -> None:
                    async with places:
                        customer = CUSTOMERS[(number + which) % len(CUSTOMERS)]
                        result = await client.call_tool("getOverdueInvoices", {"customer": customer})
                    assert not result.is_error
                    meta = result.meta or {}
                    found.append(
                        (meta["footnote/recordId"], meta["footnote/recordSequence"], meta["footnote/recordHash"])
                    )

                async with anyio.create_task_group() as group:
                    for number in range(CALLS):
                        group.start_soon(call, number)

    with Path(os.devnull).open("w") as nowhere:
        anyio.run(run, nowhere)
    return found


def test_four_servers_with_a_hundred_calls_each_leave_one_whole_chain(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(log), "FOOTNOTE_CATALOG": "sample"}
    with ThreadPoolExecutor(PROCESSES) as pool:
        given = [receipt for found in pool.map(lambda n: receipts(environ, n), range(PROCESSES)) for receipt in found]
    assert len(set(given)) == PROCESSES * CALLS
    with Log.open(log, readonly=True) as opened:
        verification = opened.verify()
        answers = {(r.id, r.sequence, r.hash) for r in opened.records(kinds=["answer"])}
        results = sum(1 for _ in opened.records(kinds=["result"]))
    assert verification.ok, verification.reason
    assert answers == set(given)
    assert results == PROCESSES * CALLS
    assert verification.count == 2 * PROCESSES * CALLS
