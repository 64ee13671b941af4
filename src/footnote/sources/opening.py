"""From a URL to a source. Nothing is connected to here, so that a source that is down does not stop a start.

URLs are those SQLAlchemy and libpq know, read without SQLAlchemy, which costs 0.2 s at start.
"""

from __future__ import annotations

import math
import re
import zoneinfo
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from footnote.errors import UsageError
from footnote.sources.pool import LIMIT
from footnote.sources.source import Source

if TYPE_CHECKING:
    from footnote.sources.files import DeclaredTable

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_POSTGRES = re.compile(r"postgres(ql)?(\+(psycopg|psycopg2|psycopg_async|asyncpg|pg8000))?", re.IGNORECASE)
_SQLITE = re.compile(r"sqlite(\+(pysqlite|aiosqlite))?", re.IGNORECASE)
_MYSQL = re.compile(
    r"(mysql|mariadb)(\+(pymysql|mysqldb|mysqlconnector|mariadbconnector|asyncmy|aiomysql))?", re.IGNORECASE
)
_DUCKDB = re.compile(r"duckdb", re.IGNORECASE)
_FILES = re.compile(r"files", re.IGNORECASE)
_DUCKDB_MARK = b"DUCK"
"""Stands after the checksum, from the ninth byte on."""
WHAT_WORKS = (
    "Use sqlite:///path/to/file or duckdb:///path/to/file (four slashes for an absolute path), the path of such a file, "
    "files:///folder for CSV, Parquet and Excel, "
    "postgresql://user:password@host:5432/database, or mysql:// and mariadb:// likewise."
)


def open_source(
    url: str,
    *,
    timeout: float = 30.0,
    time_zone: str = "UTC",
    search_path: Sequence[str] = (),
    limit: int = LIMIT,
    cache: Path | None = None,
    declared: Mapping[str, DeclaredTable] | None = None,
) -> Source:
    """A source for a URL: `sqlite:///file`, `duckdb:///file`, the path of either, `files:///folder`, servers.

    `postgres://`, `mariadb://` and a `+driver` that other programs put into their URLs are read too.

    Args:
        url: The URL; for PostgreSQL everything libpq takes in one, such as `?host=/socket` or `?sslmode=require`; for
            MariaDB and MySQL `?unix_socket=`, `?ssl_mode=`, `?ssl_ca=`, `?ssl_cert=`, `?ssl_key=`.
        timeout: Seconds each statement may take, and to wait for a lock or a free connection.
        time_zone: IANA name of the zone in which the source's days begin and its timestamps are given.
        search_path: PostgreSQL schemas in which unqualified tables are looked up, instead of the login's own.
        limit: Snapshots that may be open at once.
        cache: Folder for what is read from files; default: the user's own.
        declared: What a catalog says of the tables, for files, which say nothing of keys.

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
    if search_path:
        raise UsageError("Only PostgreSQL has a search path.", remedy="Leave it out.")
    if scheme and _MYSQL.fullmatch(scheme[1]):
        from footnote.sources.mysql import MysqlSource
        from footnote.sources.mysql_connect import Login

        login = Login.of(scheme[1].lower().partition("+")[0], url[scheme.end() :])
        return MysqlSource(login, timeout=timeout, time_zone=time_zone, limit=limit)
    if scheme and _FILES.fullmatch(scheme[1]):
        from footnote.sources.files import FilesSource
        from footnote.sources.files_options import options_of

        options = options_of(url[scheme.end() :])
        how = {"timeout": timeout, "time_zone": time_zone, "limit": limit}
        return FilesSource(options, **how, cache=cache or _user_cache(), declared=declared)  # type: ignore[arg-type]
    return _file_source(url, scheme, timeout=timeout, time_zone=time_zone, limit=limit)


def _file_source(url: str, scheme: re.Match[str] | None, **how: Any) -> Source:
    if scheme is None:
        path = _bare_path(url)
        is_duckdb = _is_duckdb(path)
    else:
        is_duckdb = _DUCKDB.fullmatch(scheme[1]) is not None
        if not is_duckdb and not _SQLITE.fullmatch(scheme[1]):
            raise UsageError(f"Footnote has no engine for {scheme[1]!r}.", remedy=WHAT_WORKS)
        path = _path_in(url[scheme.end() :], "DuckDB" if is_duckdb else "SQLite")
    if is_duckdb:
        from footnote.sources.duckdb import DuckdbSource

        return DuckdbSource(path, **how)
    from footnote.sources.sqlite import SqliteSource

    return SqliteSource(path, **how)


def _user_cache() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("footnote")


def _require_zone(name: str) -> None:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder of zones
        raise UsageError(f"There is no time zone {name!r}.", remedy="Use an IANA name such as Europe/Vienna.") from None


def _bare_path(text: str) -> Path:
    if not text or not Path(text).exists():
        shown = repr(text) if text and "@" not in text else "What was given"
        raise UsageError(f"{shown} is neither a URL nor a file.", remedy=WHAT_WORKS)
    return Path(text)


def _is_duckdb(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == _DUCKDB_MARK
    except OSError:  # a folder, or a file that may not be read: opening it as what it is says so
        return False


def _path_in(rest: str, engine: str) -> Path:
    location, question, _ = rest.partition("?")
    path = location[1:]
    if not location.startswith("/") or path in {"", ":memory:"} or path.startswith("file:"):
        raise UsageError(f"The {engine} URL names no file.", remedy=WHAT_WORKS)
    if question:
        raise UsageError(
            f"Options in a {engine} URL are not read.", remedy="Leave out the question mark and what follows."
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
