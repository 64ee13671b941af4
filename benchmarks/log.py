"""How fast the log is: durable appends with threads and processes, latency of one, records verified.

    python benchmarks/log.py            # some seconds
    python benchmarks/log.py --records 20000 --json

A record is an answer of ten claims over four rows, about 4.4 KB of payload. Appends are counted once their receipts are
there, so each is on the disk. Results depend on the disk as much as on the processor: compare runs of one machine.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import threading
import time
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from typing import Any

from footnote.provenance import Draft, Log

ROWS = [
    {
        "id": f"invoice:{8812 + n}",
        "type": "invoice",
        "recordId": str(8812 + n),
        "label": f"INV-2026-{8812 + n}",
        "uri": f"erp://invoice/{8812 + n}",
        "fields": {"number": f"INV-2026-{8812 + n}", "dueOn": "02.05.2026", "outstanding": "18.450,00 €"},
        "values": {"number": f"INV-2026-{8812 + n}", "dueOn": "2026-05-02", "outstanding": "18450.00"},
    }
    for n in range(4)
]


def draft() -> Draft:
    claim = {"text": "43.805,00 €", "span": {"start": 26, "end": 37}, "evidenceIds": [row["id"] for row in ROWS]}
    sections: dict[str, Any] = {
        "actor": {"id": "zoran", "role": "controller"},
        "question": "How much does Bergmann owe?",
        "answer": "Bergmann Logistik GmbH is 43.805,00 € overdue across 4 invoices. " * 6,
        "claims": [claim | {"origin": "structured"}] * 10,
        "operations": [
            {
                "name": "getOverdueInvoices",
                "arguments": {"customer": "4471", "asOfDate": "2026-08-14"},
                "query": {"sql": "SELECT id, number FROM invoices WHERE customer_id = ? " * 10, "params": ["4471"]},
                "durationMs": 1,
            }
        ],
    }
    return Draft("answer", "sha256:" + "0" * 64, sections, ROWS)


def append(log: Log, count: int, took: list[float]) -> None:
    for _ in range(count):
        start = time.perf_counter()
        log.append(draft())
        took.append(time.perf_counter() - start)


def run_threads(log: Log, threads: int, count: int) -> list[float]:
    """Seconds each append took."""
    took: list[float] = []
    workers = [threading.Thread(target=append, args=(log, count // threads, took)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return took


def run_process(path: str, threads: int, count: int, barrier: Barrier) -> None:
    with Log.open(path) as log:
        barrier.wait()
        run_threads(log, threads, count)
    barrier.wait()


def measure_appends(processes: int, threads: int, count: int) -> dict[str, float]:
    """Appends per second; with one process also the latency of one append."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "log.db")
        if processes == 1:
            with Log.open(path) as log:
                append(log, 20, [])
                start = time.perf_counter()
                took = sorted(run_threads(log, threads, count))
                rate = len(took) / (time.perf_counter() - start)
            p99 = took[int(len(took) * 0.99)]
            return {"perSecond": round(rate), "p50Ms": round(median(took) * 1e3, 2), "p99Ms": round(p99 * 1e3, 2)}
        context = multiprocessing.get_context("spawn")
        barrier = context.Barrier(processes + 1)
        each = count // processes
        started = [context.Process(target=run_process, args=(path, threads, each, barrier)) for _ in range(processes)]
        for process in started:
            process.start()
        barrier.wait()
        start = time.perf_counter()
        barrier.wait()
        seconds = time.perf_counter() - start
        for process in started:
            process.join()
        with Log.open(path, readonly=True) as log:
            outcome = log.verify()
            assert outcome.ok, outcome.reason
            return {"perSecond": round(outcome.count / seconds)}


def measure_verify(count: int) -> dict[str, float]:
    """Fully verified records per second, and the process's peak memory."""
    with tempfile.TemporaryDirectory() as folder, Log.open(Path(folder) / "log.db") as log:
        run_threads(log, 64, count)
        size = log.size()
        start = time.perf_counter()
        outcome = log.verify()
        seconds = time.perf_counter() - start
        assert outcome.ok, outcome.reason
        assert outcome.count == size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"perSecond": round(size / seconds), "records": size, "peakMiB": round(peak / 1024)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1600, help="records for each measurement (default 1600)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    results: dict[str, dict[str, float]] = {}
    for processes in (1, 4):
        for threads in (1, 16):
            name = f"append, {processes} process{'es' if processes > 1 else ''}, {threads} thread{'s' * (threads > 1)}"
            results[name] = measure_appends(processes, threads, options.records)
    results["verify"] = measure_verify(options.records)
    if options.json:
        print(json.dumps(results, indent=2))
        return
    for name, numbers in results.items():
        print(f"{name:34}", "  ".join(f"{key} {value:,}" for key, value in numbers.items()))


if __name__ == "__main__":
    main()
