"""Bundles: verified by two programs that share no code and have to come to one verdict, on good files and hostile ones."""

from __future__ import annotations

import base64
import copy
import datetime as dt
import hmac
import importlib.util
import json
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote.access import Actor
from footnote.audit import Selection, bundle
from footnote.audit.bundle_verify import BundleVerification, verify_bundle, verify_file
from footnote.audit.outputs import export_of, write
from footnote.audit.redact import Redaction
from footnote.audit.retain import prune
from footnote.audit.sampling import Digest, Sample
from footnote.audit.selection import select
from footnote.errors import FootnoteError, UsageError
from footnote.provenance import Draft, Log, keyfile, new_id
from footnote.provenance.anchors import Known
from footnote.provenance.checkpoint import Checkpoint, origin_of, sign_checkpoint
from footnote.provenance.leaf import seal
from footnote.provenance.merkle import root
from footnote.provenance.notary import Checkpointing
from footnote.provenance.note import Signer, VerifierKey
from footnote.provenance.store import Tail, follow

SIZE = 11
VERIFIER = Path(bundle.__file__).with_name("verify_footnote.py")

Members = dict[str, bytes]


@dataclass
class Made:
    """A log with its key, and bundles of it."""

    log: Log
    key: VerifierKey
    folder: Path
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10_000)))

    def members(self, selection: Selection | None = None) -> Members:
        path = self.folder / f"{next(self.numbers)}.zip"
        write(export_of(self.log, select(self.log, selection or Selection()), key=self.key), "bundle", path)
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("made")
    results: list[str] = []
    with Log.open(folder / "log.db", checkpoints=Checkpointing(folder / "key.pem")) as log:
        for number in range(1, SIZE + 1):
            id = new_id()
            sections: dict[str, Any] = {
                "actor": {"id": "ana", "role": "x"},
                "question": f"Wie viel, Müller {number}? 𝄞",
            }
            if number % 2:
                results.append(id)
                sections["operations"] = [{"name": "aging", "arguments": {"n": number}}]
            else:
                sections["results"] = [{"id": results[-1], "result": results[-1][:8]}]
                sections["answer"] = "43.805,00\u00a0€"
            rows = [{"id": f"invoice:{n}", "fields": {"open": "18.450,00 €"}} for n in range(number % 4)]
            log.append(Draft("result" if number % 2 else "answer", "sha256:" + "0" * 64, sections, rows, id))
        log.checkpoint()
        signer = Signer(origin_of(log.id), keyfile.load(folder / "key.pem"))
        yield Made(log, signer.key, folder)


@pytest.fixture(scope="module")
def alone(made: Made) -> ModuleType:
    """The single-file verifier, as it is in a bundle."""
    path = made.folder / "verifier_of_the_bundle.py"
    path.write_bytes(made.members()[bundle.VERIFIER])
    spec = importlib.util.spec_from_file_location("verifier_of_the_bundle", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def packed(members: Members, path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def verdicts(
    path: Path, alone: ModuleType, key: VerifierKey | None = None
) -> tuple[BundleVerification | Any, dict[str, Any]]:
    """Of both programs; they have to agree."""
    theirs: dict[str, Any]
    try:
        theirs = alone.verify(str(path), key.text if key else "")
    except alone.Broken as error:
        theirs = {"ok": False, "count": error.count, "failedAt": error.at, "reason": str(error), "kind": error.kind}
    except LookupError:
        theirs = {"ok": False, "reason": "no export"}
    try:
        ours = verify_file(path, Known(keys=(key,)) if key else None)
    except UsageError:
        assert theirs == {"ok": False, "reason": "no export"}
        return None, theirs
    told = ours.as_dict()
    assert told["ok"] == theirs["ok"], (told, theirs)
    if told["ok"]:
        assert told["count"] == theirs["count"]
        assert told.get("signature", "none") == theirs["signature"]
        assert told.get("proved", 0) == theirs["proved"]
    elif "checkpoint" not in told["reason"] and told["failedAt"] and theirs["failedAt"]:
        assert told["count"] == theirs["count"], (told, theirs)
    return ours, theirs


SELECTIONS = {
    "whole": Selection(),
    "after": Selection(after=4, limit=3),
    "kind": Selection(kinds=("result",)),
    "record": Selection(record=6, cited=True),
    "sample": Selection(kinds=("answer",), sample=Sample(2, "20260814"), cited=True),
    "nothing": Selection(actor="nobody", cited=True),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_a_bundle_holds_for_both_verifiers(made: Made, alone: ModuleType, tmp_path: Path, name: str) -> None:
    members = made.members(SELECTIONS[name])
    expected = {bundle.README, bundle.VERIFIER, bundle.RECORDS, bundle.CHECKPOINT, bundle.KEY}
    expected |= {bundle.PROOFS} if name != "whole" else set()
    expected |= {bundle.POPULATION} if name == "sample" else set()
    assert members.keys() == expected
    ours, _ = verdicts(packed(members, tmp_path / "b.zip"), alone)
    assert (ours.ok, ours.signed, ours.checkpoint) == (True, "UNPINNED", SIZE), ours
    assert ours.proved == ours.count == len(json.loads(members[bundle.RECORDS])["records"])
    assert ours.sample == (name == "sample")
    pinned, _ = verdicts(tmp_path / "b.zip", alone, made.key)
    assert pinned.signed == "pinned"


def test_the_single_file_runs_on_its_own(made: Made, tmp_path: Path) -> None:
    members = made.members()
    path = packed(members, tmp_path / "b.zip")
    (tmp_path / "verify_footnote.py").write_bytes(members[bundle.VERIFIER])
    (tmp_path / "key.txt").write_text(made.key.text)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "verify_footnote.py", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    outcome = run(str(path))
    assert (outcome.returncode, json.loads(outcome.stdout)["signature"]) == (0, "UNPINNED"), outcome.stderr
    assert json.loads(run(str(path), "--key", "key.txt").stdout)["signature"] == "pinned"
    members[bundle.RECORDS] = members[bundle.RECORDS].replace(b"43.805", b"43.806", 1)
    changed = run(str(packed(members, tmp_path / "changed.zip")))
    assert (changed.returncode, "Record 2" in changed.stdout) == (1, True)
    assert run(str(tmp_path / "none.zip")).returncode == 3
    assert run().returncode == 2
    (tmp_path / "v0.json").write_text('{"format":"footnote/v0","records":[]}')
    assert run("v0.json").returncode == 2


def test_the_single_file_is_one_that_can_be_read_in_one_sitting() -> None:
    text = VERIFIER.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    imports = {
        line.split()[1].split(".")[0] for line in text.splitlines() if line.strip().startswith(("import ", "from "))
    }
    assert imports - sys.stdlib_module_names == {"cryptography"}


# --- records, proofs, checkpoint, sample: what was changed is found by both ----------------------------------------------


def in_records(change: Callable[[dict[str, Any]], object]) -> Callable[[Members], object]:
    def changed(members: Members) -> None:
        content = json.loads(members[bundle.RECORDS])
        change(content)
        members[bundle.RECORDS] = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")

    return changed


def set_in(*path: str | int, value: Any) -> Callable[[Members], object]:
    def change(content: dict[str, Any]) -> None:
        target: Any = content
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value

    return in_records(change)


def swap(one: int, other: int) -> Callable[[Members], object]:
    def change(content: dict[str, Any]) -> None:
        records = content["records"]
        records[one], records[other] = records[other], records[one]

    return in_records(change)


def lines_of(name: str, change: Callable[[list[bytes]], object]) -> Callable[[Members], object]:
    def changed(members: Members) -> None:
        lines = members[name].splitlines(keepends=True)
        change(lines)
        members[name] = b"".join(lines)

    return changed


def flip(name: str, at: int) -> Callable[[Members], object]:
    def changed(members: Members) -> None:
        data = bytearray(members[name])
        data[at] ^= 1
        members[name] = bytes(data)

    return changed


def shown_without_salt(content: dict[str, Any]) -> None:
    """A row is put in the place of another, whose salt is taken away and whose commitment is left."""
    record = next(one for one in content["records"] if one["evidence"])
    row, salt = record["evidence"][0], record["salts"]["evidence"][0]
    text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    kept = hmac.digest(bytes.fromhex(salt), b"evidence/0\0" + text.encode(), "sha256").hex()
    record["salts"]["evidence"][0], record["commitments"] = None, {"evidence/0": kept}
    record["evidence"][0] = {"id": "invoice:forged", "fields": {"open": "999.999,00 €"}}


def row_and_salt_gone(content: dict[str, Any]) -> None:
    record = next(one for one in content["records"] if one["evidence"])
    record["evidence"] = [None] * len(record["evidence"])
    record["salts"]["evidence"] = [None] * len(record["evidence"])


def shown_without_root(content: dict[str, Any]) -> None:
    """A row is gone with its commitment, so that there is no root, and another says what it likes."""
    record = next(one for one in content["records"] if len(one["evidence"]) > 1)
    record["evidence"][:2] = [None, {"id": "invoice:forged"}]
    record["salts"]["evidence"][0] = None


RECORD_CHANGES: dict[str, Callable[[Members], object]] = {
    "answer": set_in("records", 1, "answer", value="0,00 €"),
    "row": set_in("records", 2, "evidence", -1, "id", value="invoice:9"),
    "row gone": set_in("records", 2, "evidence", value=[]),
    "salt": set_in("records", 1, "salts", "question", value="00" * 32),
    "salt gone": set_in("records", 2, "salts", "evidence", 0, value=None),
    "row and salt gone": in_records(row_and_salt_gone),
    "row shown without salt": in_records(shown_without_salt),
    "row shown without root": in_records(shown_without_root),
    "envelope reversed": in_records(lambda c: c.update({name: c.pop(name) for name in [*c][::-1]})),
    "integrity behind the records": in_records(lambda c: c.update(chainIntegrity=c.pop("chainIntegrity"))),
    "format behind the records": in_records(lambda c: c.update(format=c.pop("format"))),
    "format is a list": set_in("format", value=["footnote/v1"]),
    "selection is none": set_in("selection", value=None),
    "selection is a text": set_in("selection", value="all"),
    "negative after": set_in("selection", "after", value=-1),
    "after is a text": set_in("selection", "after", value="x"),
    "limit is a text": set_in("selection", "limit", value="3"),
    "limit is true": set_in("selection", "limit", value=True),
    "kinds is a text": set_in("selection", "kinds", value="answer"),
    "actor is a number": set_in("selection", "actor", value=7),
    "a filter that nobody knows": set_in("selection", "colour", value="red"),
    "sample is none": set_in("selection", "sample", value={"count": 0, "seed": ""}),
    "sample with a limit": in_records(
        lambda c: c["selection"].update(limit=5, sample={"count": 1, "seed": "7", "population": {}})
    ),
    "record beside kinds": in_records(lambda c: c["selection"].update(record=3, kinds=["answer"])),
    "hash": set_in("records", 1, "hash", value="0" * 64),
    "id": set_in("records", 1, "id", value="00000000-0000-4000-8000-000000000000"),
    "kind": set_in("records", 1, "kind", value="refusal"),
    "time": set_in("records", 1, "timestamp", value="2020-01-01T00:00:00.000Z"),
    "sequence": set_in("records", 1, "sequence", value=7),
    "previous": set_in("records", 1, "previousHash", value="0" * 64),
    "leaf": set_in("records", 1, "leaf", value='{"catalog":""}'),
    "new section": set_in("records", 1, "approvedBy", value="nobody"),
    "no record": set_in("records", 1, value=7),
    "empty record": set_in("records", 1, value={}),
    "float": set_in("records", 1, "answer", value=1.5),
    "true for one": set_in("records", 1, "sequence", value=True),
    "half a character": set_in("records", 1, "answer", value="half \ud83d"),
    "section gone": in_records(lambda c: [c["records"][1].pop("question"), c["records"][1]["salts"].pop("question")]),
    "removed": in_records(lambda c: c["records"].pop(1)),
    "last removed": in_records(lambda c: c["records"].pop()),
    "doubled": in_records(lambda c: c["records"].insert(1, c["records"][1])),
    "swapped": swap(0, 1),
    "log": set_in("log", value="00000000-0000-4000-8000-000000000000"),
    "integrity": set_in("chainIntegrity", "ok", value=False),
    "no integrity": set_in("chainIntegrity", value=None),
    "format": set_in("format", value="footnote/v9"),
    "repeated name": lambda m: m.update({bundle.RECORDS: m[bundle.RECORDS].replace(b'"log":', b'"log":"x","log":', 1)}),
    "deep": lambda m: m.update({bundle.RECORDS: b'{"format":"footnote/v1","records":' + b"[" * 1_000_000}),
    "cut": lambda m: m.update({bundle.RECORDS: m[bundle.RECORDS][:-200]}),
    "not UTF-8": lambda m: m.update({bundle.RECORDS: m[bundle.RECORDS].replace(b"43", b"\xff\xfe", 1)}),
    "NaN": lambda m: m.update({bundle.RECORDS: b'{"format":"footnote/v1","records":[NaN]}'}),
    "no records": in_records(lambda c: c.pop("records")),
    "records is text": set_in("records", value="none"),
}


@pytest.mark.parametrize("selection", ["whole", "kind", "sample"])
@pytest.mark.parametrize("name", RECORD_CHANGES)
def test_changed_records_are_found_by_both(
    made: Made, alone: ModuleType, tmp_path: Path, name: str, selection: str
) -> None:
    members = made.members(SELECTIONS[selection])
    before = copy.copy(members)
    RECORD_CHANGES[name](members)
    assert members != before
    ours, theirs = verdicts(packed(members, tmp_path / "b.zip"), alone)
    if selection != "whole" and name in {"section gone", "row and salt gone"}:
        # The record that says it was erased may not be selected: it is told as a remark, and shows nothing false.
        assert (ours.ok, theirs["ok"], len(ours.records.remarks)) == (True, True, 1)
        return
    assert theirs["ok"] is False
    assert ours is None or ours.ok is False


OTHER_CHANGES: dict[str, tuple[str, Callable[[Members], object]]] = {
    "proof bit": ("kind", flip(bundle.PROOFS, 60)),
    "proof gone": ("kind", lines_of(bundle.PROOFS, lambda lines: lines.pop())),
    "first proof gone": ("kind", lines_of(bundle.PROOFS, lambda lines: lines.pop(0))),
    "all proofs gone": ("kind", lambda m: m.pop(bundle.PROOFS)),
    "proof of nothing": ("kind", lines_of(bundle.PROOFS, lambda lines: lines.append(lines[-1]))),
    "proof cut off": ("kind", lambda m: m.update({bundle.PROOFS: m[bundle.PROOFS][:-1]})),
    "empty proof": ("kind", lambda m: m.update({bundle.PROOFS: b'{"sequence":1,"size":11,"hashes":[]}\n'})),
    "no proof": ("kind", lambda m: m.update({bundle.PROOFS: b"[]\n" * 6})),
    "deep proof": ("kind", lambda m: m.update({bundle.PROOFS: b"[" * 90_000 + b"\n"})),
    "proofs for all": ("whole", lambda m: m.update({bundle.PROOFS: b'{"sequence":1,"size":11,"hashes":[]}\n'})),
    "root": ("whole", flip(bundle.CHECKPOINT, 60)),
    "size": ("whole", lambda m: m.update({bundle.CHECKPOINT: m[bundle.CHECKPOINT].replace(b"\n11\n", b"\n12\n")})),
    "signature": ("whole", flip(bundle.CHECKPOINT, -20)),
    "no note": ("whole", lambda m: m.update({bundle.CHECKPOINT: b"trust me\n"})),
    "empty note": ("whole", lambda m: m.update({bundle.CHECKPOINT: b""})),
    "key": ("whole", flip(bundle.KEY, -10)),
    "no key text": ("whole", lambda m: m.update({bundle.KEY: b"trust me"})),
    "stamped is none": ("whole", lambda m: m.update({bundle.STAMPED: b"trust me"})),
    "population gone": ("sample", lambda m: m.pop(bundle.POPULATION)),
    "population": ("sample", lines_of(bundle.POPULATION, lambda lines: lines.pop())),
    "population order": ("sample", lines_of(bundle.POPULATION, lambda lines: lines.reverse())),
    "population text": ("sample", lambda m: m.update({bundle.POPULATION: b"two\n"})),
    "population with a zero before": ("sample", lines_of(bundle.POPULATION, lambda ls: ls.insert(0, b"0" + ls.pop(0)))),
    "population of one huge number": ("sample", lambda m: m.update({bundle.POPULATION: b"1" * 5000 + b"\n"})),
    "proof with a name twice": (
        "kind",
        lambda m: m.update({bundle.PROOFS: m[bundle.PROOFS].replace(b"{", b'{"size":1,')}),
    ),
    "seed": ("sample", set_in("selection", "sample", "seed", value="20260816")),
    "count": ("sample", set_in("selection", "sample", "count", value=3)),
}


@pytest.mark.parametrize("name", OTHER_CHANGES)
def test_a_changed_checkpoint_proof_or_sample_is_found_by_both(
    made: Made, alone: ModuleType, tmp_path: Path, name: str
) -> None:
    selection, change = OTHER_CHANGES[name]
    members = made.members(SELECTIONS[selection])
    change(members)
    ours, theirs = verdicts(packed(members, tmp_path / "b.zip"), alone)
    assert (ours.ok, theirs["ok"]) == (False, False)
    assert ours.reason
    assert theirs["reason"]


@pytest.mark.parametrize("left_out", [1, 4, 11])
def test_a_population_that_leaves_a_record_out_unsaid_is_found_by_both(
    made: Made, alone: ModuleType, tmp_path: Path, left_out: int
) -> None:
    """Whoever exports could keep a record from ever being drawn: the rest would be a sample like any other."""
    sample = Sample(11, "20260814")
    members = made.members(Selection(sample=sample))
    ours, theirs = verdicts(packed(members, tmp_path / "a.zip"), alone)
    assert (ours.ok, theirs["ok"]) == (True, True)
    content = json.loads(members[bundle.RECORDS])
    lines = members[bundle.PROOFS].splitlines(keepends=True)
    place = [record["sequence"] for record in content["records"]].index(left_out)
    del content["records"][place], lines[place]
    digest = Digest()
    for sequence in sorted(set(range(1, 12)) - {left_out}):
        digest.add(sequence)
    content["selection"]["sample"]["population"] = {"count": digest.count, "digest": digest.text}
    members[bundle.RECORDS] = json.dumps(content, ensure_ascii=False).encode()
    members[bundle.PROOFS] = b"".join(lines)
    members[bundle.POPULATION] = b"".join(b"%d\n" % number for number in range(1, 12) if number != left_out)
    ours, theirs = verdicts(packed(members, tmp_path / "b.zip"), alone)
    assert (ours.ok, theirs["ok"]) == (False, False)
    assert f"Record {left_out} is not in the population" in ours.reason


def rewritten(members: Members, signer: Signer | None) -> None:
    """A whole new log of the same id in place of the old: every hash is right, one answer is another."""
    content = json.loads(members[bundle.RECORDS])
    tail, leaves = Tail(), []
    records = []
    for old in content["records"]:
        sections = {name: old[name] for name in old["salts"] if name != "evidence"}
        if old["sequence"] == 2:
            sections["answer"] = "0,00 €"
        sealed = seal(Draft(old["kind"], old["catalog"], sections, old["evidence"], old["id"]))
        entry, tail = follow(tail, sealed, log=content["log"], now=_moment(old["timestamp"]))
        from footnote.audit.export import record_json

        records.append(json.loads(record_json(entry)))
        leaves.append(entry.leaf)
    content["records"] = records
    content["chainIntegrity"]["head"] = tail.hash
    members[bundle.RECORDS] = json.dumps(content, ensure_ascii=False).encode()
    if signer is not None:
        forged = sign_checkpoint(Checkpoint(signer.name, len(leaves), root(leaves)), signer)
        members[bundle.CHECKPOINT] = forged.format()
        members[bundle.KEY] = signer.key.text.encode()


def _moment(text: str) -> Any:
    import datetime as dt

    return dt.datetime.fromisoformat(text)


def test_a_rewritten_log_does_not_give_the_root_of_the_checkpoint(
    made: Made, alone: ModuleType, tmp_path: Path
) -> None:
    members = made.members()
    rewritten(members, None)
    ours, _ = verdicts(packed(members, tmp_path / "b.zip"), alone)
    assert not ours.ok
    assert "root" in ours.reason
    del members[bundle.CHECKPOINT]  # without it, nothing shows
    assert verdicts(packed(members, tmp_path / "c.zip"), alone)[0].ok


def test_a_forger_with_a_key_of_their_own_is_unpinned_and_found_by_the_right_key(
    made: Made, alone: ModuleType, tmp_path: Path
) -> None:
    members = made.members()
    rewritten(members, Signer(made.key.name, Ed25519PrivateKey.generate()))
    path = packed(members, tmp_path / "b.zip")
    ours, _ = verdicts(path, alone)
    assert (ours.ok, ours.signed) == (True, "UNPINNED")
    pinned, _ = verdicts(path, alone, made.key)
    assert not pinned.ok
    assert "not signed" in pinned.reason
    assert pinned.records.kind == "unpinned"


@pytest.mark.parametrize("name", ["this log's", "another log's"])
def test_a_key_that_did_not_sign_is_told_as_unpinned_by_both(
    made: Made, alone: ModuleType, tmp_path: Path, name: str
) -> None:
    path = packed(made.members(), tmp_path / "b.zip")
    origin = made.key.name if name == "this log's" else origin_of(new_id())
    ours, theirs = verdicts(path, alone, Signer(origin, Ed25519PrivateKey.generate()).key)
    assert (ours.records.kind, theirs["kind"]) == ("unpinned", "unpinned")
    assert "unpinned" in ours.reason
    assert "unpinned" in theirs["reason"]


def test_a_signature_that_was_changed_is_no_unpinned_one(made: Made, alone: ModuleType, tmp_path: Path) -> None:
    members = made.members()
    head, _, signature = members[bundle.CHECKPOINT].rstrip(b"\n").rpartition(b" ")
    spoilt = bytearray(base64.b64decode(signature))
    spoilt[20] ^= 1
    members[bundle.CHECKPOINT] = head + b" " + base64.b64encode(bytes(spoilt)) + b"\n"
    ours, theirs = verdicts(packed(members, tmp_path / "b.zip"), alone, made.key)
    assert (ours.records.kind, theirs["kind"]) == ("signature", "signature")


@pytest.mark.parametrize("name", ["whole", "after", "sample"])
def test_a_head_that_is_not_the_last_record_is_found_by_both(
    made: Made, alone: ModuleType, tmp_path: Path, name: str
) -> None:
    members = made.members(SELECTIONS[name])
    content = json.loads(members[bundle.RECORDS])
    assert content["chainIntegrity"]["head"] == made.log.get(SIZE).hash
    has_last = content["records"][-1]["sequence"] == SIZE
    content["chainIntegrity"]["head"] = "0" * 64
    members[bundle.RECORDS] = json.dumps(content).encode()
    ours, theirs = verdicts(packed(members, tmp_path / "b.zip"), alone)
    assert ours.ok is theirs["ok"] is not has_last
    if has_last:
        assert (ours.records.kind, theirs["failedAt"]) == ("truncation", SIZE)


def test_what_is_appended_while_a_bundle_is_made_is_in_all_of_it_or_in_nothing(
    alone: ModuleType, tmp_path: Path
) -> None:
    how = Checkpointing(tmp_path / "key.pem")
    with Log.open(tmp_path / "log.db", checkpoints=how) as log:
        log.append(Draft("answer"))
        selected = select(log, Selection())
        log.append(Draft("answer"))
        log.checkpoint()
        export = export_of(log, selected)
        log.append(Draft("answer"))
        log.checkpoint()
        write(export, "bundle", tmp_path / "b.zip")
    ours, _ = verdicts(tmp_path / "b.zip", alone)
    assert (ours.ok, ours.count, ours.checkpoint) == (True, 2, 2), ours.reason


# --- of a log that was pruned ---------------------------------------------------------------------------------------------


@dataclass
class Pruned:
    """A log whose first 256 of 300 records were pruned, with a bundle of all of them from before."""

    log: Log
    key: VerifierKey
    before: Path


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def pruned(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pruned]:
    place, server, name = str(tmp_path / "log.db"), None, ""
    if request.param == "postgres":
        server = request.getfixturevalue("postgres_server")
        name = server.new_database()
        place = server.url(name)
    old = dt.datetime(2010, 5, 1, tzinfo=dt.UTC)
    with Log.open(place, clock=lambda: old, checkpoints=Checkpointing(tmp_path / "key.pem")) as log:
        log.append_all([Draft("answer", "", {"question": f"{n}?"}, [n]) for n in range(300)])
        log.checkpoint()
        before = tmp_path / "before.zip"
        write(export_of(log, select(log, Selection())), "bundle", before)
        done = prune(log, dt.date(2015, 1, 1), before, actor=Actor("a", "b"), reason="old", today=dt.date(2026, 1, 1))
        assert done.pruned.export["sha256"] == sha256(before.read_bytes()).hexdigest()
        log.checkpoint()
        yield Pruned(log, Signer(origin_of(log.id), keyfile.load(tmp_path / "key.pem")).key, before)
    if server:
        server.drop(name)


def test_a_bundle_lets_records_be_pruned_and_one_of_the_rest_holds_for_both(
    pruned: Pruned, alone: ModuleType, tmp_path: Path
) -> None:
    write(export_of(pruned.log, select(pruned.log, Selection()), key=pruned.key), "bundle", tmp_path / "rest.zip")
    for key in (None, pruned.key):
        ours, _ = verdicts(tmp_path / "rest.zip", alone, key)
        assert (ours.ok, ours.records.pruned, ours.checkpoint, ours.proved) == (True, 256, 301, 45), ours.reason
    some = Selection(after=256, sample=Sample(5, "7"))
    write(export_of(pruned.log, select(pruned.log, some), key=pruned.key), "bundle", tmp_path / "some.zip")
    ours, _ = verdicts(tmp_path / "some.zip", alone, pruned.key)
    assert (ours.ok, ours.proved, ours.sample) == (True, 5, True), ours.reason
    ours, _ = verdicts(pruned.before, alone)
    assert (ours.ok, ours.count) == (True, 300)
    of_all = export_of(pruned.log, select(pruned.log, Selection(sample=Sample(5, "7"))))
    with pytest.raises(UsageError, match="--after 256"):
        write(of_all, "bundle", tmp_path / "not.zip")


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["pruned"].update(tree=["0" * 64]),
        lambda c: c["pruned"].update(hash="0" * 64),
        lambda c: c["pruned"].update(upto=255, tree=["0" * 64] * 8),
        lambda c: c["pruned"].update(timestamp="2009-01-01T00:00:00.000Z"),
        lambda c: c["pruned"].update(export={}),
        lambda c: c["pruned"].update(upto="256"),
        lambda c: c.pop("pruned"),
        lambda c: c["records"].pop(0),
        lambda c: c["records"].pop(),
        lambda c: c["records"][3].update(question="Another?"),
        lambda c: c["chainIntegrity"].update(head="0" * 64),
    ],
)
def test_what_is_changed_in_a_bundle_of_a_pruned_log_is_found_by_both(
    pruned: Pruned, alone: ModuleType, tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    write(export_of(pruned.log, select(pruned.log, Selection()), key=pruned.key), "bundle", tmp_path / "rest.zip")
    with zipfile.ZipFile(tmp_path / "rest.zip") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    in_records(change)(members)
    for anchored in (True, False):
        if not anchored:
            del members[bundle.CHECKPOINT], members[bundle.KEY]
        ours, _ = verdicts(packed(members, tmp_path / "changed.zip"), alone)
        assert not ours.ok


def test_a_log_without_checkpoints_gives_a_bundle_that_says_so(alone: ModuleType, tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        log.append(Draft("answer", sections={"answer": "1"}))
        write(export_of(log, select(log, Selection())), "bundle", tmp_path / "b.zip")
    ours, _ = verdicts(tmp_path / "b.zip", alone)
    assert (ours.ok, ours.checkpoint, ours.signed, ours.proved) == (True, 0, "none", 0)
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert "has no checkpoint" in archive.read(bundle.README).decode()
        assert bundle.CHECKPOINT not in archive.namelist()


# --- hostile containers -------------------------------------------------------------------------------------------------


STRANGE = {
    "absolute": "/etc/cron.d/x",
    "climbing": "../../x.py",
    "drive": "C:\\x.py",
    "folder": "records/",
    "unknown": "setup.py",
}


def hostile(members: Members, path: Path, kind: str) -> None:
    """A zip file that no honest program writes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            if not (kind == "no_records" and name == bundle.RECORDS):
                put(archive, name, data, kind)
        if kind in STRANGE:
            archive.writestr(zipfile.ZipInfo(STRANGE[kind]), b"x")
        if kind == "twice":
            with pytest.warns(UserWarning, match="Duplicate"):
                archive.writestr(bundle.RECORDS, members[bundle.RECORDS])
    damage(path, kind)


def put(archive: zipfile.ZipFile, name: str, data: bytes, kind: str) -> None:
    """One member, as it is or as a trap."""
    if (kind, name) == ("link", bundle.KEY):
        info = zipfile.ZipInfo(name)
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    elif (kind, name) == ("bzip2", bundle.KEY):
        archive.writestr(name, data, zipfile.ZIP_BZIP2)
    elif (kind, name) == ("bomb", bundle.RECORDS):
        with archive.open(name, "w") as member:
            for _ in range(64):
                member.write(b" " * (1 << 20))
    elif (kind, name) == ("small_bomb", bundle.CHECKPOINT):
        archive.writestr(name, b"\n" * (64 << 20))
    else:
        archive.writestr(name, data)


def damage(path: Path, kind: str) -> None:
    """What is done to the bytes of the file."""
    content = bytearray(path.read_bytes())
    if kind == "encrypted":
        at = content.rindex(b"PK\x01\x02")
        struct.pack_into("<H", content, at + 8, struct.unpack_from("<H", content, at + 8)[0] | 1)
    if kind == "flipped":
        content[len(content) // 3] ^= 0xFF
    if kind == "cut":
        del content[len(content) // 2 :]
    path.write_bytes(content)


@pytest.mark.parametrize(
    "kind",
    "link bzip2 bomb small_bomb no_records absolute climbing drive folder unknown twice encrypted flipped cut".split(),
)
def test_a_hostile_container_is_refused_by_both(made: Made, alone: ModuleType, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "b.zip"
    hostile(made.members(), path, kind)
    ours, theirs = verdicts(path, alone)
    assert (ours.ok, ours.records.kind, theirs["ok"]) == (False, "malformed", False), ours
    assert ours.reason
    assert [file.name for file in tmp_path.iterdir()] == ["b.zip"]


def test_a_zip_that_is_no_bundle_says_so(tmp_path: Path, alone: ModuleType) -> None:
    path = packed({"word/document.xml": b"<x/>"}, tmp_path / "b.zip")
    ours, _ = verdicts(path, alone)
    assert "no bundle" in ours.reason


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_flipped_byte_is_a_crash_or_a_disagreement(
    made: Made, alone: ModuleType, tmp_path: Path, data: st.DataObject
) -> None:
    selection = data.draw(st.sampled_from(sorted(SELECTIONS)))
    members = _members_of(made, selection)
    name = data.draw(st.sampled_from(sorted(members.keys() - {bundle.README, bundle.VERIFIER})))
    content = bytearray(members[name])
    if not content:
        return
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = packed(members | {name: bytes(content)}, tmp_path / "b.zip")
    verdicts(path, alone)


ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2**53,
    10**400,
    1.5,
    "",
    "x",
    "\ud800",
    [],
    {},
    [None],
    {"id": []},
    {"count": 1, "seed": "7"},
]
ENVELOPE = "format log selection chainIntegrity pruned redacted kinds record from actor sample after limit cited head count".split()


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place below a JSON value: what holds it, and its name or number there."""
    for key in list(value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()):
        yield value, key
        yield from places(value[key])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_value_in_a_place_where_none_expects_it_is_a_crash_or_a_disagreement(
    made: Made, alone: ModuleType, tmp_path: Path, data: st.DataObject
) -> None:
    members = _members_of(made, data.draw(st.sampled_from(sorted(SELECTIONS))))
    content = json.loads(members[bundle.RECORDS])
    inside = data.draw(st.booleans())
    around = [place for place in places(content) if inside or place[0] is content or "leaf" not in str(place[0])]
    holder, key = data.draw(st.sampled_from(around))
    match data.draw(st.sampled_from(["set", "gone", "new", "last"])):
        case "set":
            holder[key] = data.draw(st.sampled_from(ODD))
        case "gone":
            del holder[key]
        case "new":
            holder = data.draw(st.sampled_from([content, content.get("selection", content)]))
            holder[data.draw(st.sampled_from(ENVELOPE))] = data.draw(st.sampled_from(ODD))
        case "last" if isinstance(holder, dict):
            holder[key] = holder.pop(key)
    verdicts(packed(members | {bundle.RECORDS: json.dumps(content).encode()}, tmp_path / "b.zip"), alone)


_KEPT: dict[str, Members] = {}


def _members_of(made: Made, selection: str) -> Members:
    if selection not in _KEPT:
        _KEPT[selection] = made.members(SELECTIONS[selection])
    return dict(_KEPT[selection])


def test_memory_does_not_grow_with_what_a_bomb_says_it_holds(made: Made, tmp_path: Path) -> None:
    import tracemalloc

    hostile(made.members(), tmp_path / "b.zip", "bomb")
    tracemalloc.start()
    assert not verify_bundle(tmp_path / "b.zip").ok
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def test_a_file_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(FootnoteError, match="cannot be read"):
        verify_file(tmp_path / "none.zip")


def test_a_bundle_is_written_whole_or_not_at_all(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(b"last year's")
    with pytest.raises(UsageError, match="already"):
        write(export_of(made.log, select(made.log, Selection())), "bundle", path)
    assert path.read_bytes() == b"last year's"


def test_what_was_redacted_is_no_fault_for_either_and_what_is_missing_is(
    made: Made, alone: ModuleType, tmp_path: Path
) -> None:
    redaction = Redaction.of(["question", "3:evidence"])
    found = export_of(made.log, select(made.log, Selection()), key=made.key, redaction=redaction)
    write(found, "bundle", tmp_path / "redacted.zip")
    ours, _ = verdicts(tmp_path / "redacted.zip", alone)
    assert (ours.ok, ours.count) == (True, SIZE)
    with zipfile.ZipFile(tmp_path / "redacted.zip") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert b"Wie viel" not in members[bundle.RECORDS]
    set_in("redacted", value=["question"])(members)
    ours, theirs = verdicts(packed(members, tmp_path / "unsaid.zip"), alone)
    assert (ours.ok, ours.records.failed_at, theirs["failedAt"]) == (False, 3, 3)
