"""A real browser for the tests of the web host: the system's Chromium, driven by playwright.

Every page fails its test if the console shows an error, if a script throws, or if anything asks another host than
127.0.0.1: nothing leaves the machine, from the browser neither.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, WebSocket, sync_playwright

CANDIDATES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
OWN_HOST = "127.0.0.1"
LOCAL_SCHEMES = ("about", "blob", "data")


def chromium_path() -> str:
    """The browser to drive: the program CHROMIUM names, else the first of `CANDIDATES` that is installed."""
    named = os.environ.get("CHROMIUM")
    for name in (named,) if named else CANDIDATES:
        path = shutil.which(name)
        if path:
            return path
    tried = f"CHROMIUM={named}" if named else ", ".join(CANDIDATES)
    pytest.fail(
        f"The browser tests need Chromium or Chrome, and none was found (tried {tried}). `make chromium` finds or "
        "installs the system's; or set CHROMIUM to the program's path.",
        pytrace=False,
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module.

    Not for the whole session: while playwright's synchronous API is open, its event loop counts as running in this
    thread, and every `asyncio.run` of another test in the same process would be refused.
    """
    path = chromium_path()
    # Chromium's sandbox refuses to run as root; what it would fence in here is our own page.
    arguments = [*ARGUMENTS, "--no-sandbox"] if os.geteuid() == 0 else list(ARGUMENTS)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=arguments)
        yield started
        started.close()


def watch(page: Page) -> list[str]:
    """Collect what a page must not do; the list grows while the page lives."""
    faults: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(f"console error: {message.text} ({message.location.get('url', '')})")

    def on_page_error(error: Error) -> None:
        faults.append(f"uncaught in the page: {error}")

    def on_connection(request: Request | WebSocket) -> None:
        url = urlsplit(request.url)
        if url.scheme not in LOCAL_SCHEMES and url.hostname != OWN_HOST:
            faults.append(f"request to another host: {request.url}")

    page.on("console", on_console)
    page.on("pageerror", on_page_error)
    page.on("request", on_connection)
    page.on("websocket", on_connection)
    return faults


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a context of its own (no cookies, no storage), watched until the test ends."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 900})
    try:
        opened = context.new_page()
        faults = watch(opened)
        yield opened
    finally:
        context.close()
    assert not faults, "The page did what it must not:\n" + "\n".join(faults)
