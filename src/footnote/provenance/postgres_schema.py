"""The tables of a log in PostgreSQL, and the roles that may use them.

Everything lies in the schema `footnote` of a database of the log's own. Triggers deny every change to what is in the log, and
every change to a payload but its destruction: a guard against mistakes, as in SQLite. Against people there are roles: the
serving role may read and append, and nothing else; the maintenance role may destroy payloads and prune too. Neither owns the tables.
"""

from __future__ import annotations

import re
from typing import Any, Final

from footnote.errors import LogUnavailable, UsageError

SCHEMA_VERSION: Final = 2
"""As in SQLite (`sqlite_file`): the first that PostgreSQL has."""

LOCK: Final = 0x464E4F54
"""The advisory lock of whoever appends (`FNOT`); there is one log in a database."""

SCHEMA: Final = """
CREATE SCHEMA footnote;
CREATE TABLE footnote.log (id text NOT NULL, created text NOT NULL, version integer NOT NULL);
CREATE TABLE footnote.leaves (
  sequence bigint PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  kind text COLLATE "C" NOT NULL,
  leaf bytea NOT NULL,
  hash bytea NOT NULL
);
CREATE INDEX leaves_of_kind ON footnote.leaves (kind, sequence);
CREATE TABLE footnote.payload (
  sequence bigint NOT NULL,
  section text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  salt bytea,
  data bytea,
  commitment bytea,
  PRIMARY KEY (sequence, section, position)
);
CREATE TABLE footnote.subtrees (
  level integer NOT NULL,
  position bigint NOT NULL,
  root bytea NOT NULL,
  PRIMARY KEY (level, position)
);
CREATE TABLE footnote.checkpoints (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  size bigint NOT NULL,
  note bytea NOT NULL,
  stamp bytea
);
CREATE INDEX checkpoints_by_size ON footnote.checkpoints (size, number);
CREATE FUNCTION footnote.deny() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN RAISE EXCEPTION 'what is in the log is never changed' USING ERRCODE = 'restrict_violation'; END$$;
CREATE TRIGGER stays BEFORE UPDATE OR DELETE OR TRUNCATE ON footnote.log EXECUTE FUNCTION footnote.deny();
CREATE TRIGGER stays BEFORE UPDATE OR DELETE OR TRUNCATE ON footnote.leaves EXECUTE FUNCTION footnote.deny();
CREATE TRIGGER stays BEFORE UPDATE OR DELETE OR TRUNCATE ON footnote.subtrees EXECUTE FUNCTION footnote.deny();
CREATE TRIGGER stays BEFORE UPDATE OR DELETE OR TRUNCATE ON footnote.checkpoints EXECUTE FUNCTION footnote.deny();
CREATE TRIGGER stays BEFORE DELETE OR TRUNCATE ON footnote.payload EXECUTE FUNCTION footnote.deny();
CREATE TRIGGER is_only_erased BEFORE UPDATE ON footnote.payload FOR EACH ROW
WHEN (NEW.salt IS NOT NULL OR NEW.data IS NOT NULL OR NEW.sequence <> OLD.sequence OR NEW.section <> OLD.section
  OR NEW.position <> OLD.position)
EXECUTE FUNCTION footnote.deny();
CREATE FUNCTION footnote.prune(last bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS
$$BEGIN
  ALTER TABLE footnote.payload DISABLE TRIGGER stays;
  ALTER TABLE footnote.leaves DISABLE TRIGGER stays;
  DELETE FROM footnote.payload WHERE sequence <= last;
  DELETE FROM footnote.leaves WHERE sequence <= last;
  ALTER TABLE footnote.leaves ENABLE TRIGGER stays;
  ALTER TABLE footnote.payload ENABLE TRIGGER stays;
END$$;
REVOKE ALL ON FUNCTION footnote.prune(bigint) FROM PUBLIC;
"""

SERVING: Final = """
GRANT USAGE ON SCHEMA footnote TO {serving};
GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA footnote TO {serving};
"""

MAINTENANCE: Final = """
GRANT USAGE ON SCHEMA footnote TO {maintenance};
GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA footnote TO {maintenance};
GRANT UPDATE (salt, data, commitment) ON footnote.payload TO {maintenance};
GRANT EXECUTE ON FUNCTION footnote.prune(bigint) TO {maintenance};
"""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]{0,62}")


def roles_sql(*, serving: str = "", maintenance: str = "") -> str:
    """The SQL that lets these roles, which exist, use a log: append-only for serving, and destroying for maintenance.

    Raises `UsageError` if a name is not a plain one.
    """
    sql = ""
    for text, name in ((SERVING, serving), (MAINTENANCE, maintenance)):
        if name and not _NAME.fullmatch(name):
            raise UsageError(f"{name[:80]!a} is no name for a role.", remedy="Use letters, digits and underscores.")
        if name:
            sql += text.format(serving=f'"{name}"', maintenance=f'"{name}"')
    return sql.lstrip("\n")


def install(connection: Any, id: str, now: str) -> None:
    """Make the tables over a connection in autocommit mode, if there are none. Raises psycopg.Error."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        if is_there(connection):
            return
        connection.execute(SCHEMA)
        connection.execute(
            "INSERT INTO footnote.log (id, created, version) VALUES (%s, %s, %s)", (id, now, SCHEMA_VERSION)
        )


def is_there(connection: Any) -> bool:
    """Whether the database has a log.

    Asks the catalog's rows: `to_regclass` asks a cache, which, after waiting for the lock, does not yet know of the tables
    that another process has made meanwhile.
    """
    row = connection.execute(
        "SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = 'footnote' AND c.relname = 'log')"
    ).fetchone()
    return bool(row[0])


def recognise(connection: Any, name: str) -> str:
    """The id of the log. Raises `LogUnavailable` if it is one of a newer version, psycopg.Error as psycopg does."""
    rows = connection.execute("SELECT id, version FROM footnote.log").fetchall()
    if len(rows) != 1:
        raise LogUnavailable(f"The log {name} has {len(rows)} ids instead of one.")
    id, version = rows[0]
    if version != SCHEMA_VERSION:
        raise LogUnavailable(
            f"The log {name} has version {version}; this Footnote knows version {SCHEMA_VERSION}.",
            why="A newer Footnote wrote it." if version > SCHEMA_VERSION else "",
            remedy="Use a Footnote that is as new as the log.",
        )
    return str(id)
