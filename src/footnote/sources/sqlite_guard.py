"""What a statement may do inside SQLite: read. Everything else is denied by name or because nobody allowed it.

SQLite asks an authorizer about each action while it compiles a statement (https://sqlite.org/c3ref/set_authorizer.html).
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

_READING = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE))
_DESCRIBING = frozenset(("table_xinfo", "index_list", "index_xinfo", "foreign_key_list"))
"""Pragmas that only describe a table; Footnote itself uses them."""
_REACHING = frozenset(
    # Functions that reach a file, run a program, or hand out or take machine addresses, in any build of SQLite.
    "load_extension readfile writefile edit fts3_tokenizer fsdir lsmode zipfile sqlar_uncompress shell_add_schema "
    "sqlite_filename sqlite_readint32 sqlite_log fts5 eval exec system".split()
)
_NAMES = {
    getattr(sqlite3, f"SQLITE_{name}"): words
    for name, words in (
        ("ALTER_TABLE", "ALTER TABLE"),
        ("ANALYZE", "ANALYZE"),
        ("ATTACH", "ATTACH or VACUUM"),
        ("CREATE_INDEX", "CREATE INDEX"),
        ("CREATE_TABLE", "CREATE TABLE"),
        ("CREATE_TEMP_TABLE", "CREATE TEMP TABLE"),
        ("CREATE_TEMP_VIEW", "CREATE TEMP VIEW"),
        ("CREATE_VIEW", "CREATE VIEW"),
        ("CREATE_VTABLE", "CREATE VIRTUAL TABLE"),
        ("DELETE", "DELETE"),
        ("DETACH", "DETACH"),
        ("DROP_TABLE", "DROP TABLE"),
        ("INSERT", "INSERT"),
        ("REINDEX", "REINDEX"),
        ("SAVEPOINT", "SAVEPOINT"),
        ("TRANSACTION", "a transaction command"),
        ("UPDATE", "UPDATE"),
    )
}


class Guard:
    """The authorizer of one connection; remembers what it denied last, for the error."""

    def __init__(self) -> None:
        self.denied = ""
        self._own = False

    def __call__(self, action: int, first: str | None, second: str | None, schema: str | None, by: str | None) -> int:
        """SQLite's question: `first` and `second` depend on the action."""
        if action in _READING or (
            self._own and action == sqlite3.SQLITE_TRANSACTION and first in {"BEGIN", "ROLLBACK"}
        ):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _REACHING:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in _DESCRIBING and second is not None:
            return sqlite3.SQLITE_OK
        self.denied = _name(action, first, second)
        return sqlite3.SQLITE_DENY

    @contextlib.contextmanager
    def own_commands(self) -> Iterator[None]:
        """Allow BEGIN and ROLLBACK, which Footnote sends itself, in this block."""
        self._own = True
        try:
            yield
        finally:
            self._own = False


def _name(action: int, first: str | None, second: str | None) -> str:
    if action == sqlite3.SQLITE_FUNCTION:
        return f"the function {second}"
    if action == sqlite3.SQLITE_PRAGMA:
        return f"PRAGMA {first}"
    return _NAMES.get(action, "something other than reading")
