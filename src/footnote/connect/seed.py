"""Loads the sample company into a database: all of it or nothing, once, and never beside somebody else's tables.

A database without tables gets the sample's tables and rows in one transaction. One that holds exactly them already is
left alone. Anything else is refused and not touched: the sample is fictional, and must not be mixed with what is not.
Besides tables and their indexes nothing is created: no role, no function, no sequence, no schema.
"""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnote.errors import SourceUnavailable, UsageError

if TYPE_CHECKING:
    import psycopg

PACK = "footnote.packs.sample"

TABLES = ("customers", "suppliers", "invoices", "payments", "bills", "bill_payments", "tickets")
"""The sample's tables, each after those it refers to."""

_POSTGRES = re.compile(r"postgres(ql)?(\+\w+)?", re.IGNORECASE)

LOCK = 0x466F6F746E6F7465
"""Key of the advisory lock that keeps two processes from loading at once: the bytes of "Footnote"."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the pack: its columns, and its rows as text; None is NULL."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    text: str

    def select(self) -> str:
        """SQL that gives the rows in the order of the pack."""
        return f"SELECT {', '.join(self.columns)} FROM {self.name} ORDER BY id"  # noqa: S608  # names from our own files

    def insert(self, mark: str = "?") -> str:
        """SQL that inserts one row; `mark` stands for a value."""
        marks = ", ".join([mark] * len(self.columns))
        return f"INSERT INTO {self.name} ({', '.join(self.columns)}) VALUES ({marks})"  # noqa: S608  # as above

    def refers(self, row: Sequence[str | None]) -> bool:
        """Whether a row names another of the same table: a credit note does."""
        return any(name.startswith("credits_") and value for name, value in zip(self.columns, row, strict=True))

    def copy(self) -> str:
        """SQL with which PostgreSQL takes the pack's own text."""
        return f"COPY {self.name} ({', '.join(self.columns)}) FROM STDIN WITH (FORMAT csv, HEADER true)"


def seed_sqlite(path: str | Path) -> bool:
    """Load the sample into a SQLite file, which is made if it is missing.

    Args:
        path: The file; its folder must exist.

    Returns:
        True if it was loaded now, False if it was there already.

    Raises:
        UsageError: The database holds other tables, or the sample's tables with other rows.
        SourceUnavailable: The file cannot be opened, read or written, or is no database.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as connection:
            return seed_connection(connection, str(path))
    except sqlite3.Error as error:
        raise SourceUnavailable(
            f"The sample cannot be loaded into {path}.",
            why=f"SQLite says: {error}.",
            remedy="Name a file that can be written, in a folder that exists.",
        ) from error


def seed_connection(connection: sqlite3.Connection, name: str = "the database") -> bool:
    """`seed_sqlite` for a connection that is open already, such as one to `:memory:`.

    Args:
        connection: Opened with `isolation_level=None`; outside a transaction.
        name: What to call it in errors.

    Raises:
        UsageError: As `seed_sqlite`.
        sqlite3.Error: The engine failed; nothing was changed.
    """
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        loaded = _seed_sqlite(connection, name)
        connection.execute("COMMIT")
    except BaseException:  # whatever it was, a half-loaded database must not stay
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return loaded


def _seed_sqlite(connection: sqlite3.Connection, name: str) -> bool:
    if is_seeded([row[0] for row in connection.execute(_SQLITE_TABLES)], name):
        try:
            require_same(((t, connection.execute(t.select())) for t in tables_of_pack()), name)
        except sqlite3.OperationalError as error:  # no such column
            raise other_rows(name, "the sample's tables have other columns there") from error
        return False
    for statement in statements():
        connection.execute(statement)
    for table in tables_of_pack():
        connection.executemany(table.insert(), table.rows)
    return True


_SQLITE_TABLES = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_'"
"""Tables and views of users; SQLite keeps its own under names that nobody else may use."""


def seed_postgres(url: str) -> bool:
    """Load the sample into a PostgreSQL database, in the login's default schema.

    Args:
        url: `postgresql://…`, `postgres://…`, also with a `+driver`, which is ignored; the database must exist and be empty, and the login may create
            tables.

    Returns:
        True if it was loaded now, False if it was there already.

    Raises:
        UsageError: The database holds other tables, or the sample's tables with other rows; or the URL is none.
        SourceUnavailable: It cannot be reached, or the login may not create tables.
    """
    import psycopg

    try:
        with psycopg.connect(**_connection_arguments(url)) as connection:
            return _seed_postgres(connection, f"database {connection.info.dbname!r}")
    except psycopg.Error as error:
        raise SourceUnavailable(
            "The sample cannot be loaded into the PostgreSQL database.",
            why=f"PostgreSQL says: {_first_line(error)}.",
            remedy="Use a login that may connect to it and create tables in its default schema.",
        ) from error


def _seed_postgres(connection: psycopg.Connection[Any], name: str) -> bool:
    import psycopg

    connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    if is_seeded([row[0] for row in connection.execute(_POSTGRES_TABLES)], name):
        try:
            require_same(((t, connection.execute(t.select().encode())) for t in tables_of_pack()), name)
        except (psycopg.errors.UndefinedColumn, psycopg.errors.UndefinedTable) as error:
            raise other_rows(name, "the sample's tables have other columns, or lie in another schema") from error
        return False
    for statement in statements():
        connection.execute(statement.encode())
    for table in tables_of_pack():
        with connection.cursor() as cursor, cursor.copy(table.copy().encode()) as copy:
            copy.write(table.text)
    return True


_POSTGRES_TABLES = """
    SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass
                                                AND d.deptype = 'e')
"""
"""Tables and views of users, in any schema; what belongs to an extension is not counted."""


def _connection_arguments(url: str) -> dict[str, Any]:
    """The URL taken apart. What cannot be read is not repeated, since it may hold a password."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    scheme, colon, rest = url.partition("://")
    try:
        if colon and _POSTGRES.fullmatch(scheme):
            return dict(conninfo_to_dict(f"postgresql://{rest}"))
    except psycopg.ProgrammingError:
        pass  # as any other text that is no such URL
    raise UsageError(
        "The database URL is not one of PostgreSQL.", remedy="Write postgresql://login@host:port/database."
    )


def _first_line(error: Exception) -> str:
    """The server's message without the detail lines, which may repeat values."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


# --- what the pack says, and whether a database says the same ---------------------------------------------------------


def statements() -> Iterator[str]:
    """The statements of `schema.sql`, one by one: SQLite would end the transaction before running them all at once."""
    text = files(PACK).joinpath("schema.sql").read_text(encoding="utf-8")
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def tables_of_pack() -> Iterator[Table]:
    """The sample's tables with their rows, each after those it refers to."""
    for name in TABLES:
        text = files(PACK).joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
        header, *rows = csv.reader(io.StringIO(text))
        yield Table(name, tuple(header), tuple(tuple(cell or None for cell in row) for row in rows), text)


def is_seeded(found: Sequence[str], name: str) -> bool:
    """Whether the sample's tables are there; False if there are no tables at all.

    Args:
        found: Every table and view of the database.
        name: What to call it in errors.

    Raises:
        UsageError: There are others, or some of the sample's only.
    """
    if not found:
        return False
    others = sorted(set(found) - set(TABLES))
    if others:
        shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        raise UsageError(
            f"The sample is not loaded into {name}, which holds other tables: {shown}.",
            why="Fictional rows must not stand beside real ones.",
            remedy="Name an empty database, or leave FOOTNOTE_SEED unset.",
        )
    if set(found) != set(TABLES) or len(found) != len(TABLES):
        raise other_rows(name, "some of the sample's tables are missing, or are there twice")
    return True


def require_same(present: Iterable[tuple[Table, Iterable[Sequence[object]]]], name: str) -> None:
    """Check that tables hold the sample's rows, which are given in the order of their ids.

    Raises:
        UsageError: One does not.
    """
    for table, rows in present:
        found = tuple(tuple(None if value is None else str(value) for value in row) for row in rows)
        if found != table.rows:
            raise other_rows(name, f"the rows of table {table.name} are not the sample's")


def other_rows(name: str, why: str) -> UsageError:
    """The error of a database whose sample is not the one that would be loaded."""
    return UsageError(
        f"The sample in {name} is not the one that would be loaded: {why}.",
        why="It was changed, or comes from another version of Footnote.",
        remedy="Name an empty database, drop these tables, or leave FOOTNOTE_SEED unset.",
    )
