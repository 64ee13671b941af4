"""From a URL to a source. Nothing is connected to here, so that a source that is down does not stop a start.

URLs are those SQLAlchemy and libpq know, read without SQLAlchemy, which costs 0.2 s at start.
"""

from __future__ import annotations

import math
import re
import zoneinfo
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from footnote.errors import UsageError
from footnote.sources.pool import LIMIT
from footnote.sources.source import Source

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_POSTGRES = re.compile(r"postgres(ql)?(\+(psycopg|psycopg2|psycopg_async|asyncpg|pg8000))?", re.IGNORECASE)
_SQLITE = re.compile(r"sqlite(\+(pysqlite|aiosqlite))?", re.IGNORECASE)
WHAT_WORKS = (
    "Use sqlite:///path/to/file (four slashes for an absolute path), the path of a SQLite file, or "
    "postgresql://user:password@host:5432/database."
)


def open_source(
    url: str, *, timeout: float = 30.0, time_zone: str = "UTC", search_path: Sequence[str] = (), limit: int = LIMIT
) -> Source:
    """A source for a URL: `sqlite:///file`, the path of a SQLite file, `postgresql://…` (also `postgres://`, `+driver`).

    Args:
        url: The URL; for PostgreSQL everything libpq takes in one, such as `?host=/socket` or `?sslmode=require`.
        timeout: Seconds each statement may take, and to wait for a lock or a free connection.
        time_zone: IANA name of the zone in which the source's days begin and its timestamps are given.
        search_path: PostgreSQL schemas in which unqualified tables are looked up, instead of the login's own.
        limit: Snapshots that may be open at once.

    Raises:
        UsageError: The URL or a setting cannot be used. Never shows a password.
    """
    if not (math.isfinite(timeout) and timeout > 0):
        raise UsageError(f"A time limit of {timeout} s cannot be used.", remedy="Give seconds above zero, such as 30.")
    if limit < 1:
        raise UsageError("A source needs at least one connection.", remedy="Set the limit to 1 or more.")
    _require_zone(time_zone)
    scheme = _SCHEME.match(url)
    if scheme and _POSTGRES.fullmatch(scheme[1]):
        from footnote.sources.postgres import PostgresSource

        uri = "postgresql://" + url[scheme.end() :]
        return PostgresSource(
            uri, _postgres_name(uri), timeout=timeout, time_zone=time_zone, search_path=tuple(search_path), limit=limit
        )
    path = _sqlite_path(url, scheme)
    if search_path:
        raise UsageError("A SQLite file has no search path.", remedy="Leave it out.")
    from footnote.sources.sqlite import SqliteSource

    return SqliteSource(path, timeout=timeout, time_zone=time_zone, limit=limit)


def _require_zone(name: str) -> None:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder of zones
        raise UsageError(f"There is no time zone {name!r}.", remedy="Use an IANA name such as Europe/Vienna.") from None


def _sqlite_path(url: str, scheme: re.Match[str] | None) -> Path:
    if scheme is None:
        if not url or not Path(url).exists():
            shown = repr(url) if url and "@" not in url else "What was given"
            raise UsageError(f"{shown} is neither a URL nor a file.", remedy=WHAT_WORKS)
        return Path(url)
    if not _SQLITE.fullmatch(scheme[1]):
        raise UsageError(f"Footnote has no engine for {scheme[1]!r}.", remedy=WHAT_WORKS)
    location, question, _ = url[scheme.end() :].partition("?")
    path = location[1:]
    if not location.startswith("/") or path in {"", ":memory:"} or path.startswith("file:"):
        raise UsageError("The SQLite URL names no file.", remedy=WHAT_WORKS)
    if question:
        raise UsageError(
            "Options in a SQLite URL are not read.", remedy="Leave out the question mark and what follows."
        )
    return Path(path)


def _postgres_name(uri: str) -> str:
    """The URL without password and options; it is taken apart so that nothing of a password can remain."""
    try:
        parts = urlsplit(uri)
        login, _, place = parts.netloc.rpartition("@")
        options = parse_qs(parts.query, strict_parsing=bool(parts.query))
    except ValueError:
        raise _unreadable() from None
    strange_port = any(port and not port.isdigit() for port in _ports(place))
    if "#" in uri or strange_port or any("@" in part for part in (login, parts.path, parts.query)):
        raise _unreadable()  # most likely a password with a character of its own meaning in URLs
    user = login.partition(":")[0] or options.get("user", [""])[0]
    database = unquote(parts.path.lstrip("/")) or options.get("dbname", [""])[0]
    host = "" if place else ",".join(options.get("host", []))
    return f"postgresql://{user + '@' if user else ''}{place}/{database}{'?host=' + host if host else ''}"


def _ports(place: str) -> list[str]:
    """The port of each `host:port` in a list of them; an IPv6 address stands in brackets."""
    return [host.rpartition("]")[2].partition(":")[2] for host in place.split(",")]


def _unreadable() -> UsageError:
    return UsageError(
        "The PostgreSQL URL cannot be read.",
        why="A character in it has a meaning of its own.",
        remedy="Write such characters in a user name or password as percent codes: @ is %40, / is %2F, # is %23, : is "
        "%3A, ? is %3F.",
    )
