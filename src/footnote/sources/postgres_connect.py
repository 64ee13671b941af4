"""A psycopg connection as Footnote needs it: its session settings, and types that arrive exact or marked.

psycopg raises in the middle of a result for a date it has no Python value for, gives `money` as a text in the server's
locale, and turns numbers in JSON into floats. Here the first two become `Unreadable`, and JSON stays the text it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format
from psycopg.types.string import TextLoader

from footnote.errors import SourceUnavailable, UsageError
from footnote.sources.values import Unreadable

_AS_TEXT = "json jsonb uuid time timetz interval inet cidr".split()
_CALENDAR = "date timestamp timestamptz".split()

_CAUSES = (
    # What libpq or the server says, why that is, what would work. Addresses and names that they found out are left out.
    (
        r"password authentication failed|no password supplied|authentication failed",
        "The server does not accept the user or the password.",
        "Check both in DATABASE_URL; special characters in a password are written as percent codes.",
    ),
    (r"pg_hba\.conf", "The server's pg_hba.conf does not let this user in from here.", "Add a line for it there."),
    (r"role .* does not exist", "The server has no such user.", "Check the user in DATABASE_URL."),
    (r"database .* does not exist", "The server has no such database.", "Check the database's name in DATABASE_URL."),
    (
        r"could not translate host name|Name or service not known|could not be resolved",
        "There is no host of this name.",
        "Check the host in DATABASE_URL.",
    ),
    (
        r"Connection refused|No such file or directory|Is the server running",
        "No server listens there.",
        "Start it, or check host and port in DATABASE_URL.",
    ),
    (r"timeout expired|timed out", "The server did not answer in time.", "Check the network, a firewall, the host."),
    (
        r"server does not support SSL",
        "The URL asks for TLS, which the server does not speak.",
        "Set up TLS on the server, or change `sslmode` in DATABASE_URL.",
    ),
    (
        r"certificate|SSL error|sslmode|root\.crt",
        "The TLS connection could not be made as the URL asks.",
        "Check `sslmode` and `sslrootcert` in DATABASE_URL, and the server's certificate.",
    ),
    (
        r"unsupported startup parameter",
        "A pooler in between does not pass on session settings.",
        "In PgBouncer, add `options` to ignore_startup_parameters: Footnote makes its settings in each transaction too.",
    ),
    (r"too many (clients|connections)|remaining connection slots", "The server has no free connection.", "Ask again."),
    (r"starting up|shutting down|recovery mode", "The server is starting or stopping.", "Ask again in a moment."),
    (r"permission denied for database", "The user may not connect to this database.", "GRANT CONNECT to it."),
)


def connect(
    uri: str, name: str, settings: Mapping[str, str], defaults: Mapping[str, int]
) -> psycopg.Connection[tuple[Any, ...]]:
    """Open a connection in autocommit mode, with `settings` for its session and `defaults` where the URI has none.

    Raises:
        UsageError: The URI has an option libpq does not know, or cannot be read.
        SourceUnavailable: The server cannot be reached or does not let us in.
    """
    try:
        given = conninfo_to_dict(uri)
    except psycopg.Error:  # its text may repeat a part of the password
        raise UsageError(
            f"The connection options of {name} cannot be read.",
            why="libpq does not know one of them, or a character in the URL has a meaning of its own.",
            remedy="Check what follows the question mark in DATABASE_URL, and the port.",
        ) from None
    fixed: dict[str, Any] = {
        "options": f"{given.get('options', '')} {_options(settings)}".strip(),
        "application_name": "footnote",
        "client_encoding": "utf8",
    }
    try:
        connection = psycopg.connect(**{**defaults, **given, **fixed}, autocommit=True, prepare_threshold=None)
    except (psycopg.Error, OSError) as error:
        raise _unavailable(name, str(error)) from None
    _register(connection)
    return connection


def _options(settings: Mapping[str, str]) -> str:
    return " ".join("-c " + re.sub(r"([\\\s])", r"\\\1", f"{name}={value}") for name, value in settings.items())


def _unavailable(name: str, text: str) -> SourceUnavailable:
    what = f"The source {name} cannot be reached."
    for pattern, why, remedy in _CAUSES:
        if re.search(pattern, text, re.IGNORECASE):
            return SourceUnavailable(what, why=why, remedy=remedy)
    return SourceUnavailable(what, why="The connection failed.", remedy="Try the same URL with psql to see the cause.")


def _register(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    adapters = connection.adapters
    for name in _AS_TEXT:
        adapters.register_loader(name, TextLoader)
    adapters.register_loader("money", _MoneyLoader)
    for name in _CALENDAR:
        oid = adapters.types[name].oid
        own = adapters.get_loader(oid, Format.TEXT)
        if own is not None:
            adapters.register_loader(oid, _marking(own))


def _marking(own: Any) -> type[Loader]:
    """A loader that reads like `own`, and gives a mark where that raises."""

    class CalendarLoader(Loader):
        def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
            super().__init__(oid, context)
            self._load = own(oid, context).load

        def load(self, data: Buffer) -> Any:
            try:
                return self._load(data)
            except (psycopg.DataError, ValueError, OverflowError):
                return Unreadable("a date outside of the years 1 to 9999, or infinity")

    return CalendarLoader


class _MoneyLoader(Loader):
    def load(self, data: Buffer) -> Unreadable:
        return Unreadable("an amount of type money, whose text depends on the server's locale: cast it to numeric")
