"""Loads the sample company into MariaDB, MySQL and DuckDB, as `seed` does into SQLite and PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnote.connect.seed import Table, is_seeded, other_rows, require_same, statements, tables_of_pack
from footnote.errors import SourceUnavailable, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pymysql.cursors import Cursor

_LOCK = "footnote sample"
_WAIT = 30


def seed_mysql(url: str) -> bool:
    """Load the sample into a MariaDB or MySQL database.

    These servers cannot take back a CREATE TABLE, so a load that fails drops the tables it made.

    Args:
        url: `mysql://…` or `mariadb://…`; the database must exist and be empty, and the login may create tables.

    Returns:
        True if it was loaded now, False if it was there already.

    Raises:
        UsageError: The database holds other tables, or the sample's tables with other rows; or the URL is none.
        SourceUnavailable: It cannot be reached, or the login may not create tables.
    """
    from pymysql import Error

    from footnote.sources.mysql_connect import Login, connect

    scheme, _, rest = url.partition("://")
    login = Login.of(scheme.partition("+")[0].lower(), rest)
    try:
        with closing(connect(login, _WAIT)) as connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION TRANSACTION READ WRITE")
            cursor.execute("SELECT GET_LOCK(%s, %s)", (_LOCK, _WAIT))
            cursor.fetchall()
            return _seed_mysql(cursor, f"database {login.database!r}")
    except Error as error:
        raise SourceUnavailable(
            f"The sample cannot be loaded into {login.name}.",
            why=f"The server reports error {error.args[0] if error.args else '?'}.",
            remedy="Use a login that may create tables in this database.",
        ) from error


def _seed_mysql(cursor: Cursor, name: str) -> bool:
    from pymysql.err import Error, OperationalError, ProgrammingError

    cursor.execute("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()")
    if is_seeded([found for (found,) in cursor.fetchall()], name):
        try:
            require_same(((table, _mysql_rows(cursor, table)) for table in tables_of_pack()), name)
        except (OperationalError, ProgrammingError) as error:
            raise other_rows(name, "the sample's tables have other columns there") from error
        return False
    made: list[str] = []
    try:
        for statement in _mysql_statements():
            cursor.execute(statement)
            made += re.findall(r"CREATE TABLE (\w+)", statement)
        cursor.execute("START TRANSACTION")
        for table in tables_of_pack():
            cursor.executemany(table.insert("%s"), table.rows)
        cursor.execute("COMMIT")
    except BaseException:  # whatever it was, a half-loaded database must not stay
        try:
            cursor.execute("ROLLBACK")
            for table_name in reversed(made):
                cursor.execute(f"DROP TABLE {table_name}")
        except Error:  # a connection that was lost; the next load says which tables are there
            pass
        raise
    return True


def _mysql_rows(cursor: Cursor, table: Table) -> list[tuple[Any, ...]]:
    cursor.execute(table.select())
    return list(cursor.fetchall())


def _mysql_statements() -> Iterator[str]:
    """The pack's statements; MySQL needs to know how long a text may be that has an index."""
    for statement in statements():
        yield re.sub(r"\bTEXT\b", "VARCHAR(200) CHARACTER SET utf8mb4", statement)


def seed_duckdb(path: str | Path) -> bool:
    """Load the sample into a DuckDB file, which is made if it is missing.

    Args:
        path: The file; its folder must exist.

    Returns:
        True if it was loaded now, False if it was there already.

    Raises:
        UsageError: The database holds other tables, or the sample's tables with other rows; or DuckDB is not installed.
        SourceUnavailable: The file cannot be opened, read or written, or is no database.
    """
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "The driver for DuckDB is not installed.",
            remedy="Install it with: pip install 'footnote-provenance[duckdb]'.",
        ) from None
    try:
        with duckdb.connect(str(path)) as connection:
            return _seed_duckdb(connection, str(path))
    except duckdb.Error as error:
        raise SourceUnavailable(
            f"The sample cannot be loaded into {path}.",
            why="DuckDB cannot open or write the file; another program may have it open.",
            remedy="Name a file that can be written, in a folder that exists.",
        ) from error


def _seed_duckdb(connection: DuckDBPyConnection, name: str) -> bool:
    import duckdb

    found = connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
    if is_seeded([table for (table,) in found], name):
        try:
            require_same(((t, connection.execute(t.select()).fetchall()) for t in tables_of_pack()), name)
        except (duckdb.BinderException, duckdb.CatalogException) as error:
            raise other_rows(name, "the sample's tables have other columns there") from error
        return False
    connection.execute("BEGIN")
    try:
        for statement in statements():
            connection.execute(statement)
        for table in tables_of_pack():
            _insert_duckdb(connection, table)
        connection.execute("COMMIT")
    except BaseException:  # whatever it was, a half-loaded database must not stay
        connection.execute("ROLLBACK")
        raise
    return True


def _insert_duckdb(connection: DuckDBPyConnection, table: Table) -> None:
    """All rows at once, one list a column; those that refer to another row of the table come after it."""
    referring = [row for row in table.rows if table.refers(row)]
    for rows in ([row for row in table.rows if not table.refers(row)], referring):
        if rows:
            lists = ", ".join("UNNEST(?)" for _ in table.columns)
            insert = f"INSERT INTO {table.name} ({', '.join(table.columns)}) SELECT {lists}"
            connection.execute(insert, [list(column) for column in zip(*rows, strict=True)])
