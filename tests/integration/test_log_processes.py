"""One log, several processes: together, killed, forked, without room, without permission."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import footnote.errors
from footnote.errors import LogUnavailable
from footnote.provenance import Draft, Log

SOURCE = str(Path(footnote.errors.__file__).parents[1])
ENVIRONMENT = os.environ | {"PYTHONPATH": SOURCE, "PYTHONDONTWRITEBYTECODE": "1"}

# Appends argv[2] records and prints each receipt once it has it.
APPEND = """
import json, sys
from footnote.errors import FootnoteError
from footnote.provenance import Draft, Log
log = Log.open(sys.argv[1], timeout=float(sys.argv[3]) if len(sys.argv) > 3 else 30)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[2])):
    sections = {"n": number, "text": "x" * 2000}
    try:
        receipt = log.append(Draft("answer", sections=sections, evidence=[{"row": number}] * 3))
    except FootnoteError as error:
        print(json.dumps({"error": error.text, "code": error.code}), flush=True)
    else:
        print(json.dumps({"sequence": receipt.sequence, "hash": receipt.hash, "id": receipt.id}), flush=True)
log.close()
"""


def start(path: Path, count: int, *before: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*before, sys.executable, "-c", APPEND, str(path), str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout
    assert process.stdout.readline() == "ready\n"


def receipts(lines: Iterator[str] | list[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}\n")]


def test_four_processes_of_a_hundred_appends_make_one_chain_of_four_hundred(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    processes = [start(path, 100) for _ in range(4)]  # all four find no log and make it
    for process in processes:
        ready(process)
    for process in processes:
        go(process)
    got = [receipt for process in processes for receipt in receipts((process.communicate()[0]).splitlines(True))]
    assert [process.returncode for process in processes] == [0] * 4
    assert sorted(receipt["sequence"] for receipt in got) == list(range(1, 401))  # type: ignore[type-var]
    with Log.open(path, readonly=True) as log:
        assert log.verify().as_dict() == {"ok": True, "count": 400, "head": log.verify().head}
        for receipt in got:
            assert log.get(str(receipt["id"])).hash == receipt["hash"]


def test_a_writer_that_is_killed_leaves_every_acknowledged_record_and_a_log_that_verifies(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    acknowledged: list[dict[str, object]] = []
    for turn in range(6):
        processes = [start(path, 100_000) for _ in range(2)]
        for process in processes:
            ready(process)
            go(process)
        time.sleep(0.05 + 0.07 * turn)
        for process in processes:
            process.send_signal(signal.SIGKILL)
        for process in processes:
            acknowledged += receipts(process.communicate()[0].splitlines(True))
    assert len(acknowledged) > 100
    with Log.open(path) as log:
        outcome = log.verify()
        assert outcome.ok, outcome.reason
        assert outcome.count >= len(acknowledged)
        for receipt in acknowledged:
            record = log.get(int(str(receipt["sequence"])))
            assert (record.hash, record.id, record.intact) == (receipt["hash"], receipt["id"], True)
        assert log.append(Draft("answer")).sequence == outcome.count + 1


FORK = """
import os, sys, warnings
warnings.simplefilter("ignore")  # newer Pythons warn about a fork beside threads, which is the point here
from footnote.provenance import Draft, Log
log = Log.open(sys.argv[1])
log.append(Draft("answer", sections={"who": "parent"}))
log.get(1)
children = []
for number in range(4):
    child = os.fork()
    if not child:
        for _ in range(25):
            log.append(Draft("answer", sections={"who": number}))
        assert log.verify().ok
        if number % 2:
            log.close()
        sys.exit(0)  # an orderly end, with everything torn down
    children.append(child)
for _ in range(25):
    log.append(Draft("answer", sections={"who": "parent"}))
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
assert log.append(Draft("answer")).sequence == 127
outcome = log.verify()
assert (outcome.ok, outcome.count) == (True, 127), outcome
log.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_log_goes_on_in_forked_children_and_in_their_parent(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORK, str(tmp_path / "log.db")],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def small_disk(folder: Path) -> list[str] | None:
    """The start of a command that runs the rest with a file system of 1 MiB on `folder`, or None if nobody lets us."""
    mount = f'mount -t tmpfs -o size=1m,mode=1777 tmpfs "{folder}" && exec "$0" "$@"'
    for unshare in (["unshare", "-m"], ["unshare", "-U", "-r", "-m"]):
        command = [*unshare, "sh", "-c", mount]
        if (
            shutil.which("unshare")
            and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
        ):
            return command
    return None


FULL = """
import os, resource, sys
from pathlib import Path
from footnote.errors import LogUnavailable
from footnote.provenance import Draft, Log
folder, limit = Path(sys.argv[1]), int(sys.argv[2])
ballast = folder / "ballast"
ballast.write_bytes(b"x" * 200_000)
if limit:  # no small disk to be had: a limit on the size of files stands in for it
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
log = Log.open(folder / "log.db")
receipts, failures = [], []
for number in range(3000):
    try:
        receipts.append(log.append(Draft("answer", sections={"text": "x" * 1500, "n": number})))
    except LogUnavailable as error:
        failures.append(error.text)
        if len(failures) == 3:
            break
assert failures and receipts, (len(failures), len(receipts))
assert all("full" in text for text in failures), failures
outcome = log.verify()
assert outcome.ok and outcome.count == len(receipts) == log.size(), (outcome, len(receipts), log.size())
ballast.unlink()
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.getrlimit(resource.RLIMIT_FSIZE)[1],) * 2)
receipts.append(log.append(Draft("answer", sections={"text": "room again"})))
log.close()
again = Log.open(folder / "log.db")
outcome = again.verify()
assert outcome.ok and outcome.count == len(receipts), outcome
assert [again.get(receipt.sequence).hash for receipt in receipts] == [receipt.hash for receipt in receipts]
again.close()
print(len(receipts), failures[0])
"""


def test_a_full_disk_is_said_nothing_is_half_written_and_the_log_goes_on_when_there_is_room(tmp_path: Path) -> None:
    command = small_disk(tmp_path)
    limit = "0" if command else str(600_000)
    done = subprocess.run(
        [*(command or []), sys.executable, "-c", FULL, str(tmp_path), limit],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "full" in done.stdout


OPEN_AND_APPEND = """
import sys
from footnote.errors import FootnoteError
from footnote.provenance import Draft, Log
try:
    log = Log.open(sys.argv[1], readonly=len(sys.argv) > 2)
    print(log.verify().as_dict() if len(sys.argv) > 2 else log.append(Draft("answer")).sequence)
except FootnoteError as error:
    print(error.code, error.text)
"""


HOLD = """
import sys
from pathlib import Path
from footnote.provenance.lock import WriterLock
with WriterLock(Path(sys.argv[1])).held(5):
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextlib.contextmanager
def folder_for_others() -> Iterator[Path]:
    """A folder that another user can reach; pytest's own are for their owner alone."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
        shutil.rmtree(folder)


def as_somebody_else(*arguments: str) -> str:
    """Run OPEN_AND_APPEND as a user whom permissions stop: root becomes nobody, anybody else stays."""
    before = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*before, sys.executable, "-c", OPEN_AND_APPEND, *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_folder_that_may_not_be_written_is_said_and_nothing_is_made() -> None:
    with folder_for_others() as folder:
        folder.chmod(0o555)
        said = as_somebody_else(str(folder / "log.db"))
        assert said.startswith("log_unavailable")
        assert "Permission denied" in said
        assert str(folder) in said
        assert list(folder.iterdir()) == []


def test_a_log_that_may_only_be_read_is_read_and_not_written() -> None:
    with folder_for_others() as folder:
        path = folder / "log.db"
        with Log.open(path) as log:
            log.append(Draft("answer"))
        path.chmod(0o444)
        folder.chmod(0o555)
        assert "may not be written" in as_somebody_else(str(path))
        assert "'ok': True, 'count': 1" in as_somebody_else(str(path), "readonly")
        assert sorted(file.name for file in folder.iterdir()) == ["log.db", "log.db.lock"]


def test_a_log_of_somebody_else_is_said_to_be_closed_to_us() -> None:
    with folder_for_others() as folder:
        path = folder / "log.db"
        with Log.open(path) as log:
            log.append(Draft("answer"))
        path.chmod(0o000)
        assert "may not be written" in as_somebody_else(str(path))
        assert "may not be read" in as_somebody_else(str(path), "readonly")


def test_a_process_that_stands_still_with_the_log_makes_others_say_so(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    holder = start(path, 1)
    ready(holder)
    with Log.open(path, timeout=0.3) as log:
        log.append(Draft("answer"))
        lock = path.with_name("log.db.lock")
        stopped = subprocess.Popen(
            [
                sys.executable,
                "-c",
                HOLD,
                str(lock),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        assert stopped.stdout
        assert stopped.stdout.readline() == "held\n"
        with pytest.raises(LogUnavailable, match="locked by another process"):
            log.append(Draft("answer"))
        stopped.kill()
        stopped.communicate()
        assert log.append(Draft("answer")).sequence == 2, "a lock ends with its process"
    go(holder)
    holder.communicate()
