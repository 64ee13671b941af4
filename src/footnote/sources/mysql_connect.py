"""A PyMySQL connection as Footnote needs it: its session settings, and types that arrive exact or marked.

PyMySQL gives a zero date as a text and a BIT as bytes; the server shows a FLOAT with six digits, whatever it holds. Here
the first and the last become `Unreadable`, and a BIT the number it is.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import socket
import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from footnote.errors import SourceUnavailable, UsageError
from footnote.sources.values import Unreadable

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import SSCursor

_CONNECT_TIMEOUT = 10
_BEYOND_LIMIT = 10
"""Seconds to wait for a server that should have ended a statement at its limit."""
_PORT = 3306
_SSL_MODES = ("disabled", "preferred", "required", "verify_ca", "verify_identity")
_OPTIONS = ("unix_socket", "ssl_mode", "ssl_ca", "ssl_cert", "ssl_key")
_SQL_MODE = "STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION"
"""Neither ANSI_QUOTES nor NO_BACKSLASH_ESCAPES: plans and PyMySQL write names and texts in the server's own way."""


@dataclass(frozen=True, slots=True)
class Login:
    """Where a server is and who we are.

    Attributes:
        name: The URL without password, to be shown.
        host: Its host; empty for a socket.
        port: Its port.
        user: The login; empty for the server's default.
        password: Its password.
        database: The database.
        options: `unix_socket`; `ssl_mode`, as MySQL's clients have it; `ssl_ca`, `ssl_cert`, `ssl_key`, which are files.
    """

    name: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    database: str = ""
    options: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, scheme: str, rest: str) -> Login:
        """Take a URL apart: `scheme` is `mysql` or `mariadb`, `rest` what follows `://`.

        Raises:
            UsageError: It cannot be read; nothing of it is shown that may be a password.
        """
        try:
            parts = urlsplit(f"{scheme}://{rest}")
            options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
            port = parts.port or _PORT
        except ValueError:
            raise _unreadable() from None
        login, _, place = parts.netloc.rpartition("@")
        if "#" in rest or any("@" in part for part in (login, parts.path, parts.query)):
            raise _unreadable()  # most likely a password with a character of its own meaning in URLs
        unknown = sorted(set(options) - set(_OPTIONS))
        if unknown or options.get("ssl_mode", "preferred").lower() not in _SSL_MODES:
            what = f"has the option {unknown[0][:40]!r}" if unknown else "has an unknown `ssl_mode`"
            remedy = f"Use {', '.join(_OPTIONS)}; `ssl_mode` is one of {', '.join(_SSL_MODES)}."
            raise UsageError(f"The {scheme} URL {what}.", remedy=remedy)
        user, _, password = login.partition(":")
        database = unquote(parts.path.lstrip("/"))
        if not database or "/" in database:
            raise UsageError(f"The {scheme} URL names no database.", remedy=f"Write {scheme}://user@host/database.")
        socket = f"?unix_socket={options['unix_socket']}" if "unix_socket" in options else ""
        name = f"{scheme}://{user + '@' if user else ''}{place}/{database}{socket}"
        return cls(name, parts.hostname or "", port, unquote(user), unquote(password), database, options)


def _unreadable() -> UsageError:
    return UsageError(
        "The MySQL URL cannot be read.",
        why="A character in it has a meaning of its own.",
        remedy="Write such characters in a user name or password as percent codes: @ is %40, / is %2F, # is %23, : is "
        "%3A, ? is %3F.",
    )


def connect(login: Login, timeout: float) -> Connection[SSCursor]:
    """Open a connection in autocommit mode, whose results are read as they come.

    Raises:
        UsageError: PyMySQL is not installed, or a certificate that the URL names cannot be read.
        SourceUnavailable: The server cannot be reached or does not let us in.
    """
    pymysql = _driver()
    from pymysql.cursors import SSCursor

    wait = max(1, min(_CONNECT_TIMEOUT, math.ceil(timeout)))
    at_most = math.ceil(timeout) + _BEYOND_LIMIT
    try:
        raw = pymysql.connect(
            host=login.host or "localhost",
            **({"user": login.user} if login.user else {}),
            **_encryption(login),
            password=login.password,
            database=login.database,
            charset="utf8mb4",
            autocommit=True,
            local_infile=False,
            conv=_conversions(),
            cursorclass=SSCursor,
            read_timeout=at_most,
            write_timeout=at_most,
            program_name="footnote",
            init_command="SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            defer_connect=True,
        )
        raw._secure = "unix_socket" in login.options  # as PyMySQL has it of a socket that it opens itself
        raw.connect(_socket(login, wait))
    except (pymysql.Error, OSError, RuntimeError) as error:  # RuntimeError: a login needs a package that is missing
        raise _unavailable(login.name, str(error)) from None
    return raw  # type: ignore[no-any-return]


def _socket(login: Login, wait: int) -> socket.socket:
    """A connected socket; made here because PyMySQL leaves one open that could not be connected."""
    path = login.options.get("unix_socket")
    if path is None:
        found = socket.create_connection((login.host or "localhost", login.port), wait)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return found
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        found.settimeout(wait)
        found.connect(path)
    except OSError:
        found.close()
        raise
    return found


def _driver() -> Any:
    try:
        import pymysql
    except ImportError:
        raise UsageError(
            "The driver for MariaDB and MySQL is not installed.",
            remedy="Install it with: pip install 'footnote-provenance[mysql]'.",
        ) from None
    return pymysql


def _encryption(login: Login) -> dict[str, Any]:
    """What PyMySQL is told: nothing to encrypt where the server can, without looking at its certificate."""
    mode = login.options.get("ssl_mode", "").lower() or ("verify_ca" if "ssl_ca" in login.options else "preferred")
    if mode == "disabled":
        return {"ssl_disabled": True}
    if mode == "preferred":
        return {}
    try:
        context = ssl.create_default_context(cafile=login.options.get("ssl_ca"))
        if "ssl_cert" in login.options:
            context.load_cert_chain(login.options["ssl_cert"], login.options.get("ssl_key"))
    except OSError:  # ssl.SSLError is one
        raise UsageError(
            f"A certificate that {login.name} names cannot be read.",
            remedy="Check `ssl_ca`, `ssl_cert` and `ssl_key` in DATABASE_URL: files in PEM form.",
        ) from None
    context.check_hostname = mode == "verify_identity"
    if mode == "required":
        context.verify_mode = ssl.CERT_NONE
    return {"ssl": context}


def settings(raw: Connection[SSCursor], timeout: float, time_zone: str) -> str:
    """The statement that makes a session what it must be, whatever the server's or the login's defaults are."""
    seconds = max(1, math.ceil(timeout))
    maria = "mariadb" in str(cast(Any, raw).get_server_info()).lower()
    limit = f"max_statement_time = {timeout:.3f}" if maria else f"max_execution_time = {math.ceil(timeout * 1000)}"
    zone = "+00:00" if time_zone in {"UTC", "Etc/UTC"} else time_zone
    return (
        f"SET SESSION {limit}, time_zone = {raw.escape(zone)}, sql_mode = '{_SQL_MODE}', "
        f"sql_select_limit = 18446744073709551615, max_join_size = 18446744073709551615, sql_auto_is_null = 0, "
        "div_precision_increment = 30, "  # else an average has four digits more than its column
        f"lock_wait_timeout = {seconds}, net_write_timeout = {max(60, 2 * seconds)}"
    )


_CAUSES = (
    # What the server or PyMySQL says, why that is, what would work. Addresses and names they found out are left out.
    (
        r"\((1045|1698|1862|1820|1275|2059|2061)\b",
        "The server does not accept the user or the password.",
        "Check both in DATABASE_URL; special characters in a password are written as percent codes.",
    ),
    (r"\(1130\b", "The server does not let anybody in from here.", "Create the user for this host."),
    (r"\(1049\b", "The server has no such database.", "Check the database's name in DATABASE_URL."),
    (r"\(1044\b", "The user may not use this database.", "GRANT SELECT on it."),
    (r"\((1040|1203|1226)\b", "The server has no free connection.", "Ask again."),
    (r"\((1053|1080)\b", "The server is stopping.", "Ask again in a moment."),
    (
        r"ssl|certificate|secure transport|\(3159\b|\(2026\b",
        "The TLS connection could not be made as the URL asks.",
        "Check `ssl_mode` and `ssl_ca` in DATABASE_URL, and the server's certificate.",
    ),
    (
        r"Name or service not known|getaddrinfo|nodename|name resolution",
        "There is no host of this name.",
        "Check the host in DATABASE_URL.",
    ),
    (
        r"Connection refused|No such file or directory",
        "No server listens there.",
        "Start it, or check host and port in DATABASE_URL.",
    ),
    (r"timed out", "The server did not answer in time.", "Check the network, a firewall, the host."),
)


def _unavailable(name: str, text: str) -> SourceUnavailable:
    what = f"The source {name} cannot be reached."
    for pattern, why, remedy in _CAUSES:
        if re.search(pattern, text, re.IGNORECASE):
            return SourceUnavailable(what, why=why, remedy=remedy)
    remedy = "Try the same login with the mariadb or mysql client to see the cause."
    return SourceUnavailable(what, why="The connection failed.", remedy=remedy)


def _conversions() -> dict[Any, Any]:
    """PyMySQL's own, with exact readings where it guesses."""
    from pymysql.constants import FIELD_TYPE
    from pymysql.converters import conversions

    return {
        **conversions,
        FIELD_TYPE.FLOAT: _float,
        FIELD_TYPE.BIT: _bits,
        FIELD_TYPE.DATE: _calendar(dt.date.fromisoformat),
        FIELD_TYPE.NEWDATE: _calendar(dt.date.fromisoformat),
        FIELD_TYPE.DATETIME: _calendar(dt.datetime.fromisoformat),
        FIELD_TYPE.TIMESTAMP: _calendar(dt.datetime.fromisoformat),
        FIELD_TYPE.TIME: str,
    }


def _float(text: str) -> Unreadable:
    return Unreadable("a FLOAT, of which the server shows six digits: use DOUBLE or DECIMAL")


def _bits(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _calendar(read: Any) -> Any:
    def convert(text: str) -> Any:
        try:
            return read(text)
        except ValueError:
            return Unreadable("a zero date (0000-00-00), or a day that is not in the calendar")

    return convert
