"""The web host on a port of its own, over the sample company, for a real browser."""

from __future__ import annotations

import contextlib
import shutil
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Locator, Page

import footnote
from footnote.serve.http import make_app
from footnote.session import Session

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


@dataclass
class Host:
    """A running web host."""

    url: str
    session: Session


@contextlib.contextmanager
def serving(session: Session) -> Iterator[Host]:
    """Serve the session until the block ends."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        config = uvicorn.Config(make_app(session), log_level="warning", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield Host(f"http://127.0.0.1:{listening.getsockname()[1]}", session)
        finally:
            server.should_exit = True
            thread.join(10)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def host(tmp_path: Path, cache: Path) -> Iterator[Host]:
    """The sample company with an empty log."""
    environ = {
        "FOOTNOTE_CACHE": str(cache),
        "PROVENANCE_ACTOR": "ada",
        "PROVENANCE_ROLE": "controller",
        "FOOTNOTE_ERP_URL": "https://erp.example.com",
    }
    with footnote.open(provenance_db=tmp_path / "log.db", environ=environ) as session, serving(session) as started:
        yield started


@pytest.fixture
def page(host: Host, page: Page) -> Page:
    """The watched page; it is closed before its host is, so that nothing it still asks for is missed."""
    page.set_default_timeout(10_000)
    return page


@pytest.fixture
def hostile_host(host: Host, tmp_path: Path, cache: Path) -> Iterator[Host]:
    """The sample company after somebody named an invoice and a customer in HTML, and others worse."""
    host.session.ask("Show me the receivables aging")  # so that the embedded sample is there
    source = tmp_path / "hostile.db"
    shutil.copy(next(cache.glob("*.db")), source)
    source.chmod(0o600)
    with sqlite3.connect(source) as database:
        database.execute("UPDATE invoices SET number = ? WHERE id = 8812", (HOSTILE,))
        database.execute("UPDATE customers SET name = ? WHERE id = 4471", (f"Bergmann {HOSTILE}",))
        database.execute("UPDATE customers SET name = ? WHERE id = 4472", ("\u202eniraM driwdroN",))
        database.execute("UPDATE customers SET name = ? WHERE id = 4474", ("x" * 300,))
    database.close()
    with (
        footnote.open(
            database_url=f"sqlite:///{source}",
            provenance_db=tmp_path / "hostile-log.db",
            environ={"FOOTNOTE_CACHE": str(cache)},
        ) as session,
        serving(session) as started,
    ):
        yield started


@pytest.fixture
def ask(page: Page, host: Host) -> Callable[[str], Page]:
    """Ask a question on the page and wait for its outcome."""

    def asked(question: str) -> Page:
        if not page.url.startswith(host.url):
            page.goto(host.url)
        page.get_by_label("Question").fill(question)
        page.keyboard.press("Enter")
        page.locator("main[aria-busy=false]").locator("footnote-answer .text, .refusal").first.wait_for()
        return page

    return asked


@pytest.fixture
def claim(page: Page) -> Callable[[str], Locator]:
    """The first claim that says this text."""

    def found(text: str) -> Locator:
        return page.locator(".claim").filter(has=page.locator(".said", has_text=text)).first

    return found
