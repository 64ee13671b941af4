"""The SQL that makes a login which may read and nothing else, for an administrator to run."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from footnote.errors import UsageError

READER = "footnote_reader"
"""The login's name."""

ENGINES = ("postgres", "mysql", "mariadb", "sqlite", "duckdb", "files")
"""Engines that there is a text for."""


def role_sql(engine: str, *, database: str = "", schemas: Sequence[str] = (), owners: Sequence[str] = ()) -> str:
    """SQL for an engine; for databases that are files, the commands that do the same.

    Args:
        engine: One of `ENGINES`.
        database: Its name, or for a file its path.
        schemas: PostgreSQL: those with tables to be read; default: `public`.
        owners: PostgreSQL: roles that make tables, whose later tables are to be read as well.

    Raises:
        UsageError: There is no such engine.
    """
    if engine == "postgres":
        return _postgres(database or "erp", tuple(schemas) or ("public",), tuple(owners))
    if engine in {"mysql", "mariadb"}:
        return _mysql(database or "erp", mariadb=engine == "mariadb")
    if engine == "files":
        return _folder(database or "folder")
    if engine in {"sqlite", "duckdb"}:
        return _file(database or "erp.db", engine)
    raise UsageError(f"There is no engine {engine[:40]!r}.", remedy=f"Engines are: {', '.join(ENGINES)}.")


def role_for(url: str, engine: str | None = None) -> str:
    """The SQL for the database of a URL; nothing is connected to.

    Args:
        url: `DATABASE_URL`; may be empty.
        engine: One of `ENGINES`, if it is not to be read off the URL.

    Raises:
        UsageError: Neither says which engine.
    """
    scheme, separator, rest = url.partition("://")
    named = {"postgresql": "postgres"}.get(scheme.partition("+")[0].lower(), scheme.partition("+")[0].lower())
    if url and not separator:
        named, rest = "sqlite", f"/{url}"
    if engine is None and not url:
        raise UsageError(
            "No engine is named.", remedy=f"Set DATABASE_URL, or give --engine with one of: {', '.join(ENGINES)}."
        )
    same = engine is None or engine == named or {engine, named} == {"mysql", "mariadb"}
    location = rest.partition("?")[0]
    database = unquote(location if named == "files" else location.partition("/")[2]) if same else ""
    return role_sql(engine or named, database=database)


def _postgres(database: str, schemas: Sequence[str], owners: Sequence[str]) -> str:
    role = _double(READER)
    lines = [
        "-- Run as an administrator, connected to this database. Choose the password.",
        f"CREATE ROLE {role} LOGIN PASSWORD 'choose one'",
        "  NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;",
        f"GRANT CONNECT ON DATABASE {_double(database)} TO {role};",
    ]
    for name in map(_double, schemas):
        lines += [
            f"GRANT USAGE ON SCHEMA {name} TO {role};",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO {role};",
            f"REVOKE CREATE ON SCHEMA {name} FROM PUBLIC;",
        ]
        lines.append("-- Tables made later, by whoever makes them:")
        makers = [f" FOR ROLE {_double(owner)}" for owner in owners] or [""]
        lines += [
            f"ALTER DEFAULT PRIVILEGES{maker} IN SCHEMA {name} GRANT SELECT ON TABLES TO {role};" for maker in makers
        ]
    lines += [
        "-- Defence in depth; the grants above are what counts.",
        f"ALTER ROLE {role} SET default_transaction_read_only = on;",
    ]
    return "\n".join(lines) + "\n"


def _mysql(database: str, *, mariadb: bool) -> str:
    user, name = f"'{READER}'@'%'", "`" + database.replace("`", "``") + "`"
    limit = "MAX_STATEMENT_TIME 60" if mariadb else "MAX_USER_CONNECTIONS 20"
    return "\n".join(
        [
            "-- Run as an administrator. Choose the password, and a host narrower than % where you can.",
            f"CREATE USER {user} IDENTIFIED BY 'choose one' WITH {limit};",
            f"GRANT SELECT, SHOW VIEW ON {name}.* TO {user};",
            "",
        ]
    )


def _file(path: str, engine: str) -> str:
    shown = "'" + path.replace("'", "'\\''") + "'"
    return "\n".join(
        [
            f"-- {engine} has no logins: the file's mode is what counts. As its owner, in a shell:",
            f"--   chmod a-w {shown}",
            "-- or run Footnote as a user who may only read it:",
            f"--   setfacl -m u:footnote:r {shown}",
            "",
        ]
    )


def _folder(path: str) -> str:
    shown = "'" + path.replace("'", "'\\''") + "'"
    return "\n".join(
        [
            "-- A folder of files has no logins: its mode is what counts. As its owner, in a shell:",
            f"--   chmod -R a-w {shown}",
            "-- or run Footnote as a user who may only read it:",
            f"--   setfacl -R -m u:footnote:rX {shown}",
            "",
        ]
    )


def _double(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
