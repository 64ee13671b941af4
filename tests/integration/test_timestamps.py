"""Time stamps from an authority that the test runs itself: `openssl ts` behind a socket."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from footnote.audit import bundle
from footnote.audit.bundle_verify import BundleVerification, verify_file
from footnote.audit.outputs import export_of, write
from footnote.audit.selection import Selection, select
from footnote.audit.verifying import known_from, verify_log
from footnote.errors import LogUnavailable, UsageError
from footnote.provenance import Draft, Known, Log, NoteInvalid
from footnote.provenance.notary import Checkpointing
from footnote.provenance.store import Kept
from footnote.provenance.timestamps import read_stamp, request_stamp

pytest.importorskip("rfc3161_client")
pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl to stamp with")

CONFIGURATION = """
[ tsa ]
default_tsa = authority
[ authority ]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""
EXTENSIONS = "extendedKeyUsage = critical,timeStamping\nbasicConstraints = CA:FALSE\n"


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tsa")
    made = ["-newkey", "rsa:2048", "-nodes", "-keyout"]
    openssl(
        "req", "-x509", *made, f"{folder}/ca.key", "-out", f"{folder}/ca.pem", "-days", "30", "-subj", "/CN=Test CA"
    )
    openssl("req", *made, f"{folder}/tsa.key", "-out", f"{folder}/tsa.csr", "-subj", "/CN=Test TSA")
    (folder / "extensions").write_text(EXTENSIONS)
    signing = ["-CA", f"{folder}/ca.pem", "-CAkey", f"{folder}/ca.key", "-CAcreateserial", "-days", "30"]
    openssl(
        "x509",
        "-req",
        "-in",
        f"{folder}/tsa.csr",
        *signing,
        "-out",
        f"{folder}/tsa.pem",
        "-extfile",
        f"{folder}/extensions",
    )
    (folder / "serial").write_text("01\n")
    (folder / "tsa.cnf").write_text(CONFIGURATION.format(folder=folder))
    return folder


@pytest.fixture(scope="module")
def authority(folder: Path) -> Iterator[str]:
    class Authority(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/timestamp-query"
            query = self.rfile.read(int(self.headers["Content-Length"]))
            (folder / "query").write_bytes(query)
            path = self.path.partition("?")[0]
            old = path == "/replay" and (folder / "response").exists()
            if not old:
                openssl(
                    "ts",
                    "-reply",
                    "-queryfile",
                    f"{folder}/query",
                    "-config",
                    f"{folder}/tsa.cnf",
                    "-out",
                    f"{folder}/response",
                )
            body = b"rubbish" if path == "/rubbish" else (folder / "response").read_bytes()
            self.send_response(500 if path == "/broken" else 200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Authority)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_note_is_stamped_and_the_stamp_leads_to_the_authority(authority: str, folder: Path) -> None:
    response = request_stamp(authority, b"a note")
    assert not read_stamp(response, b"a note").trusted
    root = (folder / "ca.pem").read_bytes()
    stamp = read_stamp(response, b"a note", [root])
    assert stamp.trusted
    assert stamp.time == read_stamp(response, b"a note").time


def test_a_stamp_over_something_else_or_from_somebody_else_does_not_hold(
    authority: str, folder: Path, tmp_path: Path
) -> None:
    response = request_stamp(authority, b"a note")
    with pytest.raises(NoteInvalid, match="something else"):
        read_stamp(response, b"another note")
    openssl(
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        f"{tmp_path}/k",
        "-out",
        f"{tmp_path}/c",
        "-subj",
        "/CN=X",
    )
    with pytest.raises(NoteInvalid, match="leads to none"):
        read_stamp(response, b"a note", [(tmp_path / "c").read_bytes()])
    spoilt = bytearray(response)
    spoilt[-20] ^= 1
    with pytest.raises(NoteInvalid):
        read_stamp(bytes(spoilt), b"a note", [(folder / "ca.pem").read_bytes()])
    for data in (b"", b"rubbish", response[:-50]):
        with pytest.raises(NoteInvalid):
            read_stamp(data, b"a note")


@pytest.mark.parametrize("path", ["/rubbish", "/broken", "/replay"])
def test_an_authority_that_gives_no_stamp_is_said(authority: str, path: str) -> None:
    request_stamp(authority, b"before")
    with pytest.raises(LogUnavailable, match=r"127\.0\.0\.1"):
        request_stamp(f"{authority}{path}?token=secret", b"a note")


def test_an_authority_that_is_away_is_said_without_its_secrets() -> None:
    with pytest.raises(LogUnavailable) as caught:
        request_stamp("http://user:hunter2@127.0.0.1:9/?token=hunter2", b"a note")
    assert "hunter2" not in caught.value.text


def test_a_log_has_one_checkpoint_an_hour_stamped(authority: str, folder: Path, tmp_path: Path) -> None:
    said: list[str] = []
    how = Checkpointing(tmp_path / "key", tsa=authority, tell=said.append)
    with Log.open(tmp_path / "log.db", checkpoints=how) as log:
        for _ in range(3):
            log.append(Draft("read"))
            log.checkpoint()
        kept = list(log.store.checkpoints())
    assert said == []
    assert [one.stamp is not None for one in kept] == [True, False, False]
    assert kept[0].stamp is not None
    assert read_stamp(kept[0].stamp, kept[0].note, [(folder / "ca.pem").read_bytes()]).trusted


def test_an_authority_that_is_away_costs_neither_record_nor_checkpoint(tmp_path: Path) -> None:
    said: list[str] = []
    how = Checkpointing(tmp_path / "key", tsa="http://127.0.0.1:9", tell=said.append)
    with Log.open(tmp_path / "log.db", checkpoints=how) as log:
        log.append(Draft("read"))
    assert len(said) == 1
    assert [one.size for one in log.store.checkpoints()] == [1]


# --- verified with a log, on both stores, and with a bundle ---------------------------------------------------------------


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "log.db")
        return
    server = request.getfixturevalue("postgres_server")
    name = server.new_database()
    yield server.url(name)
    server.drop(name)


def stamped_log(place: str, tmp_path: Path, authority: str, clock: dt.datetime | None = None) -> Log:
    """A log of three records; a checkpoint of the first has a stamp, one of all three has none."""
    how = Checkpointing(tmp_path / "key", tsa=authority, every=0.0)
    log = Log.open(place, checkpoints=how, clock=(lambda: clock) if clock else None)
    log.append(Draft("read"))
    log.checkpoint()
    log.append_all([Draft("read"), Draft("read")])
    log.checkpoint()
    return log


def known(folder: Path, *names: str) -> Known:
    return known_from([], [], [folder / name for name in names])


def test_the_stamps_of_a_log_are_good_by_the_authoritys_certificate(
    place: str, authority: str, folder: Path, tmp_path: Path
) -> None:
    with stamped_log(place, tmp_path, authority) as log:
        outcome = verify_log(log, known(folder, "ca.pem"))
        assert outcome.ok, outcome.reason
        assert outcome.as_dict()["timeStamps"] == {"found": 1, "good": 1}
        assert log.verify(known=known(folder, "ca.pem"), leaves_only=True).stamps == outcome.stamps


def test_without_a_certificate_stamps_are_said_not_to_be_checked(place: str, authority: str, tmp_path: Path) -> None:
    with stamped_log(place, tmp_path, authority) as log:
        outcome = log.verify()
        assert outcome.ok, outcome.reason
        assert outcome.as_dict()["timeStamps"] == {"found": 1, "good": 0, "notChecked": "no certificate"}


def stranger(folder: Path) -> Path:
    made = ["-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/x.key", "-subj", "/CN=X"]
    openssl("req", "-x509", *made, "-out", f"{folder}/x.pem")
    return folder / "x.pem"


def test_a_stamp_of_an_authority_that_was_not_given_is_a_fault_until_it_is(
    place: str, authority: str, folder: Path, tmp_path: Path
) -> None:
    other = stranger(tmp_path)
    with stamped_log(place, tmp_path, authority) as log:
        outcome = log.verify(known=known_from([], [], [other]))
        assert (outcome.ok, outcome.kind, outcome.failed_at) == (False, "timestamp", 1)
        assert "leads to none" in outcome.reason
        both = tmp_path / "both.pem"
        both.write_bytes(other.read_bytes() + (folder / "ca.pem").read_bytes())
        assert log.verify(known=known_from([], [], [both])).ok, "authorities may change"


def kept_again(log: Log, stamp: bytes) -> None:
    """The latest checkpoint once more, with a stamp."""
    latest = log.store.latest_checkpoint()
    assert latest
    log.store.keep_checkpoint(Kept(latest.size, latest.note, stamp))


@pytest.mark.parametrize("trusting", [True, False], ids=["with a certificate", "without one"])
@pytest.mark.parametrize("what", ["of another checkpoint", "damaged", "empty"])
def test_a_stamp_that_is_not_over_its_checkpoint_is_a_fault_of_its_own_kind(
    place: str, authority: str, folder: Path, tmp_path: Path, what: str, trusting: bool
) -> None:
    with stamped_log(place, tmp_path, authority) as log:
        first = next(iter(log.store.checkpoints())).stamp
        assert first
        kept_again(log, {"of another checkpoint": first, "damaged": first[:90], "empty": b""}[what])
        outcome = log.verify(known=known(folder, "ca.pem") if trusting else None)
        assert (outcome.ok, outcome.kind, outcome.failed_at) == (False, "timestamp", 3), outcome.reason


def test_a_stamp_with_one_bit_changed_is_found_by_the_certificate(
    place: str, authority: str, folder: Path, tmp_path: Path
) -> None:
    with stamped_log(place, tmp_path, authority) as log:
        latest = log.store.latest_checkpoint()
        assert latest
        spoilt = bytearray(request_stamp(authority, latest.note))
        spoilt[-20] ^= 1
        kept_again(log, bytes(spoilt))
        outcome = log.verify(known=known(folder, "ca.pem"))
        assert (outcome.ok, outcome.kind) == (False, "timestamp")


@pytest.mark.parametrize("ahead", [30, 3600])
def test_a_stamp_from_before_what_it_stamps_is_a_fault_but_for_clocks_that_differ(
    place: str, authority: str, folder: Path, tmp_path: Path, ahead: int
) -> None:
    clock = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=ahead)
    with stamped_log(place, tmp_path, authority, clock) as log:
        for trusted in (known(folder, "ca.pem"), Known()):
            outcome = log.verify(known=trusted)
            assert outcome.ok == (ahead < 60), outcome.reason
            assert outcome.kind == ("" if outcome.ok else "timestamp")
            assert "dated falsely" in outcome.reason or outcome.ok


def test_what_is_no_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no certificate")
    with pytest.raises(UsageError, match="PEM"):
        known_from([], [], [tmp_path / "x"])


def test_without_the_library_stamps_are_said_not_to_be_checked_or_asked_for(
    authority: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stamped_log(str(tmp_path / "log.db"), tmp_path, authority) as log:
        monkeypatch.setitem(sys.modules, "rfc3161_client", None)
        outcome = log.verify()
        assert outcome.stamps
        assert (outcome.ok, outcome.stamps.good) == (True, 0)
        assert "not installed" in outcome.stamps.unchecked
        with pytest.raises(UsageError, match="not installed"):
            log.verify(known=known(folder, "ca.pem"))


def test_the_command_says_how_many_are_good_or_that_nobody_looked(
    authority: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from footnote.cli import main

    stamped_log(str(tmp_path / "log.db"), tmp_path, authority).close()
    monkeypatch.setenv("PROVENANCE_DB", str(tmp_path / "log.db"))
    said = CliRunner().invoke(main, ["verify"])
    assert (said.exit_code, "1 time stamp: not checked: no certificate" in said.output) == (0, True), said.output
    said = CliRunner().invoke(main, ["verify", "--tsa-certificate", str(folder / "ca.pem")])
    assert (said.exit_code, "1 of 1 time stamp is good" in said.output) == (0, True), said.output
    monkeypatch.setenv("FOOTNOTE_TSA_CERTIFICATE", str(stranger(tmp_path)))
    said = CliRunner().invoke(main, ["verify"])
    assert (said.exit_code, "(timestamp)" in said.output) == (1, True), said.output


@pytest.fixture
def bundled(authority: str, tmp_path: Path) -> Iterator[Log]:
    with stamped_log(str(tmp_path / "log.db"), tmp_path, authority) as log:
        yield log


def changed(path: Path, **members: bytes) -> Path:
    """The bundle with other bytes in some members."""
    with zipfile.ZipFile(path) as archive:
        found = {name: archive.read(name) for name in archive.namelist()} | {
            name.replace("_", "."): data for name, data in members.items()
        }
    made = path.with_name("changed.zip")
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in found.items():
            archive.writestr(name, data)
    return made


def by_itself(path: Path) -> dict[str, Any]:
    """The verdict of the single file."""
    from footnote.audit import verify_footnote

    try:
        return verify_footnote.verify(str(path))
    except verify_footnote.Broken as error:
        return {"ok": False, "kind": error.kind}


@pytest.mark.parametrize("selection", [Selection(), Selection(record=1)], ids=["all records", "the first"])
def test_the_stamp_of_a_bundle_is_checked_like_a_logs(
    bundled: Log, authority: str, folder: Path, tmp_path: Path, selection: Selection
) -> None:
    path = tmp_path / "b.zip"
    write(export_of(bundled, select(bundled, selection)), "bundle", path)
    with zipfile.ZipFile(path) as archive:
        assert (bundle.STAMPED in archive.namelist()) == selection.everything
    for trusted, stamps in ((known(folder, "ca.pem"), (1, "")), (Known(), (0, "no certificate"))):
        outcome = verify_file(path, trusted)
        assert isinstance(outcome, BundleVerification)
        assert outcome.ok, outcome.reason
        assert outcome.records.stamps
        assert (outcome.records.stamps.good, outcome.records.stamps.unchecked) == stamps
    assert by_itself(path)["ok"]
    assert verify_file(path, known_from([], [], [stranger(tmp_path)])).as_dict()["kind"] == "timestamp"
    forged = changed(path, timestamp_tsr=request_stamp(authority, b"something else"))
    assert verify_file(forged).as_dict()["kind"] == by_itself(forged)["kind"] == "timestamp"


def test_a_bundle_whose_stamp_lies_before_its_records_is_found(authority: str, tmp_path: Path) -> None:
    clock = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
    with stamped_log(str(tmp_path / "log.db"), tmp_path, authority, clock) as log:
        write(export_of(log, select(log, Selection(record=1))), "bundle", tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        records = json.loads(archive.read("records.json"))
    assert "dated falsely" in records["chainIntegrity"]["reason"], "an honest bundle says so itself"
    records["chainIntegrity"] = {"ok": True, "count": 3}
    path = changed(tmp_path / "b.zip", records_json=json.dumps(records).encode())
    assert verify_file(path).as_dict()["kind"] == "timestamp"
