"""Time stamps from an authority that the test runs itself: `openssl ts` behind a socket."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from footnote.errors import LogUnavailable
from footnote.provenance import Draft, Log, NoteInvalid
from footnote.provenance.notary import Checkpointing
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
