"""Where a log in PostgreSQL lies, how it is reached, and what its errors mean. No password is ever shown."""

from __future__ import annotations

import contextlib
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from footnote.errors import LogUnavailable, UsageError

if TYPE_CHECKING:
    import psycopg

SCHEME = re.compile(r"postgres(ql)?(\+(psycopg|psycopg2|asyncpg|pg8000))?://", re.IGNORECASE)

_SETTINGS: Final = {
    "synchronous_commit": "on",
    "default_transaction_isolation": "read committed",
    "search_path": "pg_catalog",
    "TimeZone": "UTC",
}
_KEEPALIVE: Final[dict[str, Any]] = {
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}

# What the server or libpq says while it cannot be reached for now; all else is for somebody to mend first.
_FOR_NOW = re.compile(
    r"starting up|shutting down|recovery|not yet accepting|Connection refused|No such file|Is the server running|timeout|timed out"
    r"|closed the connection|terminat|reset by peer|Broken pipe|too many (clients|connections)|remaining connection slots",
    re.IGNORECASE,
)
_CAUSES: Final = {
    "53100": ("The server's disk is full.", "Make room; nothing was half-written."),
    "53300": ("The server has no free connection.", "Try again."),
    "42501": ("The login may not do that.", "Give it the rights of docs/provenance.md (PostgreSQL)."),
    "3F000": (
        "There is no log in this database.",
        "Have it made by a login that may: docs/provenance.md (PostgreSQL).",
    ),
    "55P03": ("Another process holds the log.", "Try again; if it stays so, end that process."),
    "57014": ("It took longer than its limit.", "Try again."),
    "25006": ("The server is read-only, such as a standby.", "Name the primary server (PROVENANCE_DB)."),
    "58030": ("The server's disk failed, or is full.", "Check the disk; nothing was half-written."),
    "XX001": ("The server's data are damaged.", "Restore them from a back-up."),
}
_REASONS: Final = (
    (r"password|authentication", "The server does not accept the user or the password."),
    (r"pg_hba", "The server does not let this user in from here."),
    (r"role .* does not exist", "The server has no such user."),
    (r"database .* does not exist", "The server has no such database."),
    (r"could not translate host|Name or service|resolve", "There is no host of this name."),
    (r"refused|No such file|Is the server running", "No server listens there."),
    (r"timeout|timed out", "The server did not answer in time."),
    (r"SSL|certificate", "The TLS connection could not be made as the URL asks."),
    (r"starting up|shutting down|recovery", "The server is starting or stopping."),
    (r"too many|remaining connection", "The server has no free connection."),
)


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """A log in a PostgreSQL database; as text it is the place without its password."""

    uri: str = field(repr=False)
    name: str

    def __str__(self) -> str:
        return self.name

    @classmethod
    def parse(cls, url: str) -> PostgresPlace:
        """Read a URL that libpq takes, also with SQLAlchemy's `+driver`. Raises `UsageError` without a word of it."""
        from psycopg import Error
        from psycopg.conninfo import conninfo_to_dict

        uri = SCHEME.sub("postgresql://", url, count=1)
        try:
            parts = conninfo_to_dict(uri)
            if any("@" in str(parts.get(name, "")) for name in ("user", "host", "port", "dbname")):
                raise Error  # most likely a part of a password
        except Error:
            raise UsageError(
                "The PostgreSQL URL of the log cannot be read.",
                why="A character in it has a meaning of its own, or libpq does not know an option.",
                remedy="In PROVENANCE_DB, write such characters in a password as percent codes: @ is %40, / is %2F.",
            ) from None
        user = f"{parts['user']}@" if parts.get("user") else ""
        port = f":{parts['port']}" if parts.get("port") else ""
        return cls(uri, f"postgresql://{user}{parts.get('host', '')}{port}/{parts.get('dbname', '')}")


def connect(place: PostgresPlace, *, timeout: float, patience: float) -> psycopg.Connection[Any]:
    """A connection in autocommit mode; tried again for `patience` seconds while the server cannot be reached for now.

    Raises `LogUnavailable`.
    """
    import psycopg

    deadline, pause = time.monotonic() + patience, 0.05
    milliseconds = str(max(1, round(timeout * 1000)))
    settings = _SETTINGS | {
        "lock_timeout": milliseconds,
        "statement_timeout": str(4 * int(milliseconds)),
        "idle_in_transaction_session_timeout": milliseconds,
    }
    options = " ".join("-c " + re.sub(r"([\\\s])", r"\\\1", f"{name}={value}") for name, value in settings.items())
    while True:
        try:
            return psycopg.connect(
                place.uri,
                autocommit=True,
                prepare_threshold=None,
                options=options,
                application_name="footnote",
                client_encoding="utf8",
                connect_timeout=max(2, min(10, int(timeout))),
                **_KEEPALIVE,
            )
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline or not _FOR_NOW.search(str(error)):
                raise unavailable(error, place, "reached") from None
        time.sleep(pause)
        pause = min(pause * 1.5, 0.5)


def require_separate_database(url: str, log: PostgresPlace) -> None:
    """Raise `UsageError` if the source at `url` lies in the log's own database, under whatever name.

    Says nothing if one of them cannot be reached: whoever opens it will.
    """
    try:
        places = (PostgresPlace.parse(url), log)
        first, second = (_identity(place) for place in places)
    except (LogUnavailable, UsageError):
        return
    if first == second:
        raise UsageError(
            "PROVENANCE_DB and DATABASE_URL name the same database.",
            why="The source is never written, and the log is nothing but written.",
            remedy="Give the log a database of its own.",
        )


def _identity(place: PostgresPlace) -> Any:
    """What tells a database from any other, also on another server."""
    import psycopg

    with contextlib.closing(connect(place, timeout=5, patience=0)) as connection:
        try:
            return connection.execute(
                "SELECT pg_postmaster_start_time(), (SELECT oid FROM pg_database WHERE datname = current_database()),"
                " current_database()"
            ).fetchone()
        except psycopg.Error as error:
            raise unavailable(error, place, "reached") from None


def unavailable(error: Exception, place: PostgresPlace, doing: str) -> LogUnavailable:
    """What an error means for the log; `doing` is `reached`, `written` or `read`. Names the place in `details` only."""
    state = getattr(error, "sqlstate", None) or ""
    text = str(error)
    reason = next((reason for pattern, reason in _REASONS if re.search(pattern, text, re.IGNORECASE)), "")
    why, remedy = _CAUSES.get(
        state, (reason or f"PostgreSQL says {state or type(error).__name__}.", "Check PROVENANCE_DB and the server.")
    )
    details = {"place": place.name, "sqlstate": state}
    return LogUnavailable(f"The log cannot be {doing}.", why=why, remedy=remedy, details=details)
