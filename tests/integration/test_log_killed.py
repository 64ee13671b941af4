"""kill -9, a full disk, a server that restarts: every acknowledged record is there, and the log verifies.

Eight processes append together. How far they have come when one is killed is drawn from a seed and counted in records that
were acknowledged; no clock decides. `KILL_ROUNDS=50` makes as many rounds as the promise names; three are enough to see
that a change broke it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import footnote.errors
from footnote.provenance import Draft, Known, Log
from footnote.provenance.checkpoint import origin_of
from footnote.provenance.keyfile import load
from footnote.provenance.note import Signer

SOURCE = str(Path(footnote.errors.__file__).parents[1])
ENVIRONMENT = os.environ | {"PYTHONPATH": SOURCE, "PYTHONDONTWRITEBYTECODE": "1"}
ROUNDS = int(os.environ.get("KILL_ROUNDS", "3"))
PROCESSES, APPENDS = 8, 1_000

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

# Forks argv[3] children that append argv[2] records each and write every receipt, in one piece, once they have it.
APPEND = """
import json, os, sys
from pathlib import Path
from footnote.errors import LogUnavailable
from footnote.provenance import Draft, Log
from footnote.provenance.notary import Checkpointing
place, each, processes, key = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
def say(value):
    os.write(1, (json.dumps(value) + "\\n").encode())
def work(child):
    with Log.open(place, checkpoints=Checkpointing(key=Path(key), every=0.01)) as log:
        say({"opened": child})
        for number in range(each):
            sections = {"child": child, "n": number, "text": "x" * 500}
            try:
                receipt = log.append(Draft("answer", sections=sections, evidence=[{"row": number}] * 3))
            except LogUnavailable as error:
                say({"failed": error.text})
                if "full" in error.text:
                    return
            else:
                say({"id": receipt.id, "sequence": receipt.sequence, "hash": receipt.hash})
children = []
for child in range(processes):
    pid = os.fork()
    if not pid:
        try:
            work(child)
        finally:
            os._exit(0)
    children.append(pid)
say({"children": children})
for pid in children:
    os.waitpid(pid, 0)
"""


def appending(place: str, key: Path, *before: str) -> subprocess.Popen[bytes]:
    command = [*before, sys.executable, "-c", APPEND, place, str(APPENDS // PROCESSES), str(PROCESSES), str(key)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT)


def told(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    assert process.stdout
    for line in process.stdout:
        yield json.loads(line)


def require_all_there(place: str, acknowledged: list[dict[str, Any]], key: Path) -> int:
    """Every acknowledged record is in the log as it was acknowledged, and the log verifies; how many it has."""
    with Log.open(place, readonly=True) as log:
        outcome = log.verify(known=Known((Signer(origin_of(log.id), load(key)).key,)))
        assert outcome.ok, outcome.reason
        there = {entry.id: (entry.sequence, entry.hash) for entry in log.store.entries(parts=False)}
    lost = [one for one in acknowledged if there.get(one["id"]) != (one["sequence"], one["hash"])]
    assert lost == []
    return outcome.count


def one_round(place: str, key: Path, draw: random.Random) -> list[dict[str, Any]]:
    """Append from eight processes and kill each when so many records are acknowledged as was drawn for it."""
    acknowledged: list[dict[str, Any]] = []
    children: list[int] = []
    due: list[int] = []
    with appending(place, key) as process:
        for line in told(process):
            if "children" in line:
                children = line["children"]
                due = sorted(draw.randrange(1, APPENDS) for _ in children)
            elif "id" in line:
                acknowledged.append(line)
            while children and due and len(acknowledged) >= due[0]:
                due.pop(0)
                os.kill(children.pop(), signal.SIGKILL)
    return acknowledged


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "signing.key"


def rounds(place: str, key: Path) -> None:
    acknowledged: list[dict[str, Any]] = []
    for number in range(ROUNDS):
        acknowledged += one_round(place, key, random.Random(number))
        assert require_all_there(place, acknowledged, key) >= len(acknowledged)
    assert len(acknowledged) > 100 * ROUNDS
    with Log.open(place) as log:
        assert log.append(Draft("answer")).sequence == log.size()


def test_killed_at_random_points_a_file_has_all_that_was_acknowledged(tmp_path: Path, key: Path) -> None:
    rounds(str(tmp_path / "log.db"), key)


@pytest.mark.postgres
def test_killed_at_random_points_a_server_has_all_that_was_acknowledged(postgres_server: Any, key: Path) -> None:
    name = postgres_server.new_database()
    rounds(postgres_server.url(name), key)
    postgres_server.drop(name)


@pytest.mark.postgres
def test_a_server_that_crashes_in_between_loses_nothing_and_has_nothing_twice(
    another_postgres: Callable[[], Any], key: Path
) -> None:
    server = another_postgres()
    place = server.url()
    acknowledged: list[dict[str, Any]] = []
    opened, due = 0, [200, 500]
    with appending(place, key) as process:
        for line in told(process):
            opened += "opened" in line  # whoever came too late found the server down, and said so
            if "id" in line:
                acknowledged.append(line)
            if due and len(acknowledged) >= due[0]:
                due.pop(0)
                server.crash()
                server.restart()
    assert due == []
    count = require_all_there(place, acknowledged, key)
    assert len({one["id"] for one in acknowledged}) == len(acknowledged)
    assert count == len(acknowledged) == opened * (APPENDS // PROCESSES), "what was tried again was not written twice"


FULL = """
import json, subprocess, sys
from pathlib import Path
from footnote.provenance import Draft, Log
folder, append = Path(sys.argv[1]), sys.argv[2:]
(folder / "ballast").write_bytes(b"x" * 200_000)
lines = [json.loads(line) for line in subprocess.run(append, capture_output=True).stdout.splitlines()]
acknowledged = [line for line in lines if "id" in line]
failed = [line["failed"] for line in lines if "failed" in line]
assert acknowledged and failed, (len(acknowledged), failed)
assert all("full" in text for text in failed), failed
(folder / "ballast").unlink()
with Log.open(folder / "log.db") as log:
    outcome = log.verify()
    assert outcome.ok, outcome.reason
    assert outcome.count >= len(acknowledged)
    assert all(log.get(one["sequence"]).hash == one["hash"] for one in acknowledged)
    assert log.append(Draft("answer")).sequence == outcome.count + 1
print(len(acknowledged), len(failed))
"""


def test_a_disk_that_fills_under_eight_processes_loses_nothing_acknowledged(tmp_path: Path, key: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("a small disk is mounted by root alone")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = f'mount -t tmpfs -o size=1m,mode=0700 tmpfs "{folder}" && exec "$0" "$@"'
    command = ["unshare", "-m", "sh", "-c", mount]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    append = [sys.executable, "-c", APPEND, str(folder / "log.db"), str(APPENDS // PROCESSES), str(PROCESSES), str(key)]
    done = subprocess.run(
        [*command, sys.executable, "-c", FULL, str(folder), *append],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
