"""What the web host refuses before anyone is asked, and what it says when something does not work."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient

import footnote
from footnote.serve.http import make_app
from footnote.serve.http_guard import BODY_LIMIT, host_name
from footnote.session import Session

BASE = "http://127.0.0.1:4711"
QUESTION = {"question": "How much does Bergmann owe?"}

SLOW_CATALOG = """
catalog: slow
version: 1
source: {url: "sqlite:///%s", dialect: sqlite, timeout: 60s}
records:
  thing:
    table: things
    key: [id]
    label: "{id}"
    fields:
      id: {type: integer}
operations:
  countPairs:
    title: Pairs of things
    description: Takes for ever.
    statements:
      totals:
        shape: one
        grain: thing
        statement: |
          SELECT COUNT(*) AS "pairCount" FROM things AS a JOIN lefts AS b ON b.id <> a.id JOIN rights AS c ON c.id <> b.id
          WHERE a.id + b.id + c.id < 0
        columns: {pairCount: {type: count}}
    empty: {when: pairCount = 0, reason: There are no pairs.}
    answer: "There are {pairCount} pairs."
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def session(tmp_path: Path, cache: Path) -> Iterator[Session]:
    with footnote.open(provenance_db=tmp_path / "log.db", environ={"FOOTNOTE_CACHE": str(cache)}) as opened:
        yield opened


@pytest.fixture
def client(session: Session) -> Iterator[TestClient]:
    with TestClient(make_app(session), base_url=BASE, raise_server_exceptions=False) as started:
        yield started


# --- who may ask ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "evil.example:4711", "127.0.0.1.evil.example", "[::2]:4711", ""])
def test_a_host_that_is_not_ours_is_turned_away(client: TestClient, host: str) -> None:
    for path in ("/", "/api/about", "/static/app.js"):
        assert client.get(path, headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:4711", "localhost:4711", "LOCALHOST", "[::1]:4711"])
def test_a_host_that_is_ours_is_served(client: TestClient, host: str) -> None:
    assert client.get("/api/about", headers={"host": host}).status_code == 200


def test_a_host_name_is_read_without_its_port() -> None:
    names = [host_name(host) for host in ("127.0.0.1:4711", "localhost", "[::1]:80", "[::1]")]
    assert names == ["127.0.0.1", "localhost", "[::1]", "[::1]"]


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_a_page_of_another_site_may_not_ask(client: TestClient, session: Session, headers: dict[str, str]) -> None:
    assert client.post("/api/ask", json=QUESTION, headers=headers).status_code == 403
    assert client.get("/api/row/invoice/8812", headers=headers).status_code == 403
    assert session.log.size() == 0


def test_the_page_itself_may_ask(client: TestClient) -> None:
    headers = {"origin": BASE, "sec-fetch-site": "same-origin"}
    assert client.post("/api/ask", json=QUESTION, headers=headers).status_code == 200


# --- bodies -----------------------------------------------------------------------------------------------------------


def test_a_body_that_is_too_large_is_not_read(client: TestClient, session: Session) -> None:
    reply = client.post("/api/ask", json={"question": "x" * 1_000_000})
    assert reply.status_code == 413
    assert session.log.size() == 0


def test_a_body_without_a_length_is_cut_off_at_the_limit(client: TestClient) -> None:
    def endless() -> Iterator[bytes]:
        yield b'{"question": "'
        for _ in range(BODY_LIMIT // 1000 + 2):
            yield b"x" * 1000

    headers = {"content-type": "application/json"}
    assert client.post("/api/ask", content=endless(), headers=headers).status_code == 413


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[]", 400),
        (b'"text"', 400),
        (b"{}", 400),
        (b'{"question": 5}', 400),
        (b'{"question": null}', 400),
        (b'{"question": "a", "more": 1}', 400),
        (b'{"question": NaN}', 400),
        (b'{"question": "a", "question": "b"}', 400),
        (b"[" * 50_000, 400),
        (b'{"question": ' + b"9" * 5_000 + b"}", 400),
    ],
)
def test_a_body_that_is_no_question_is_refused(client: TestClient, content: bytes, status: int) -> None:
    reply = client.post("/api/ask", content=content, headers={"content-type": "application/json"})
    assert reply.status_code == status
    assert reply.json()["message"]


def test_a_form_is_not_a_question(client: TestClient) -> None:
    assert client.post("/api/ask", data={"question": "How much does Bergmann owe?"}).status_code == 415


def test_other_methods_are_not_taken(client: TestClient) -> None:
    assert client.get("/api/ask").status_code == 405
    assert client.delete("/api/records").status_code == 405


def test_an_address_where_nothing_is_says_so_in_json(client: TestClient) -> None:
    reply = client.get("/api/nothing")
    assert reply.status_code == 404
    assert reply.json()["kind"] == "error"


# --- what goes out ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/api/about", "/static/app.js", "/record/1", "/api/nothing", "/static/none.js"])
def test_every_response_is_fenced_in(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'self'")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"]


def test_answers_are_kept_by_no_cache(client: TestClient) -> None:
    assert client.post("/api/ask", json=QUESTION).headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("file", "type"), [("app.js", "text/javascript"), ("page.css", "text/css"), ("icon.svg", "image/svg+xml")]
)
def test_static_files_have_their_types(client: TestClient, file: str, type: str) -> None:
    assert client.get(f"/static/{file}").headers["content-type"].startswith(type)


@pytest.mark.parametrize("path", ["/static/../http.py", "/static/%2e%2e/__init__.py", "/static/..%2f__init__.py"])
def test_nothing_outside_the_static_folder_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_page_brings_no_script_of_its_own_and_names_no_other_host(client: TestClient) -> None:
    page = client.get("/").text
    assert "<script>" not in page
    assert " style=" not in page
    assert "http://" not in page
    assert "https://" not in page


# --- what does not work -----------------------------------------------------------------------------------------------


def test_a_source_that_is_down_is_said_to_be_down_and_recorded(tmp_path: Path, cache: Path) -> None:
    environ = {"FOOTNOTE_CACHE": str(cache), "DATABASE_URL": "postgresql://who:s3cret@127.0.0.1:1/none"}
    with (
        footnote.open(provenance_db=tmp_path / "log.db", environ=environ) as session,
        TestClient(make_app(session), base_url=BASE) as client,
    ):
        reply = client.post("/api/ask", json=QUESTION)
        assert reply.status_code == 503
        assert reply.json()["code"] == "source_unavailable"
        assert reply.json()["record"]["sequence"] == 1
        about = client.get("/api/about")
        assert about.status_code == 200
        assert "s3cret" not in reply.text + about.text


def test_without_a_log_there_is_no_answer(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with (
        footnote.open(provenance_db=tmp_path / "file" / "log.db", environ={"FOOTNOTE_CACHE": str(cache)}) as session,
        TestClient(make_app(session), base_url=BASE) as client,
    ):
        reply = client.post("/api/ask", json=QUESTION)
    assert reply.status_code == 503
    assert reply.json()["code"] == "log_unavailable"
    assert "answer" not in reply.json()


def test_a_fault_of_ours_tells_the_client_a_reference_only(
    client: TestClient, session: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret of /var/lib")

    monkeypatch.setattr(session, "ask", broken)
    with caplog.at_level(logging.ERROR):
        reply = client.post("/api/ask", json=QUESTION)
    assert reply.status_code == 500
    assert "secret" not in reply.text
    assert reply.json()["code"] == "fault"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "secret of /var/lib" in caplog.text


def test_a_broken_chain_is_told_with_its_place(client: TestClient, session: Session, tmp_path: Path) -> None:
    import sqlite3

    client.post("/api/ask", json=QUESTION)
    with sqlite3.connect(tmp_path / "log.db") as database:
        for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE leaves SET leaf = CAST(replace(leaf, 'result', 'answer') AS BLOB) WHERE sequence = 1")
    database.close()
    body = client.get("/api/verify").json()
    assert body["ok"] is False
    assert body["failedAt"] == 1
    assert body["reason"]


def test_a_chain_that_was_verified_is_verified_again_when_its_file_was_touched(
    client: TestClient, tmp_path: Path
) -> None:
    import sqlite3

    client.post("/api/ask", json=QUESTION)
    assert client.get("/api/verify").json()["ok"] is True
    with sqlite3.connect(tmp_path / "log.db") as database:  # the last record's hash stays what it was
        database.execute("DROP TRIGGER payload_is_only_erased")
        database.execute("UPDATE payload SET data = CAST(replace(data, '43805', '43806') AS BLOB) WHERE sequence = 1")
    assert client.get("/api/verify").json()["failedAt"] == 1
    database.close()


# --- going away -------------------------------------------------------------------------------------------------------


@pytest.fixture
def slow_session(tmp_path: Path) -> Iterator[Session]:
    import sqlite3

    source = tmp_path / "things.db"
    with sqlite3.connect(source) as database:
        for table in ("things", "lefts", "rights"):
            database.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY)")
            database.executemany(f"INSERT INTO {table} VALUES (?)", [(number,) for number in range(1, 4_001)])
    database.close()
    catalog = tmp_path / "slow.yaml"
    catalog.write_text(SLOW_CATALOG % source, encoding="utf-8")
    environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache")}
    with footnote.open(str(catalog), provenance_db=tmp_path / "log.db", environ=environ) as opened:
        yield opened


@pytest.fixture
def slow_port(slow_session: Session) -> Iterator[int]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(make_app(slow_session), log_level="warning", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        listening.listen()
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(10)


def test_a_client_that_goes_away_cancels_its_statement(slow_session: Session, slow_port: int) -> None:
    body = b'{"operation": "countPairs", "arguments": {}}'
    head = f"POST /api/run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    with socket.create_connection(("127.0.0.1", slow_port)) as connection:
        connection.sendall(head.encode() + b"\r\n\r\n" + body)
        time.sleep(1)
        assert slow_session.log.size() == 0
    deadline = time.monotonic() + 10
    while slow_session.log.size() == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    (record,) = slow_session.log.records()
    told = record.sections["error"]
    assert isinstance(told, dict)
    assert told["code"] == "cancelled"
