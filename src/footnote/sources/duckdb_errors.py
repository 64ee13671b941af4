"""DuckDB's errors in Footnote's words: what happened, why, what would work. No text of DuckDB's that may hold data."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb

from footnote.errors import FootnoteError, SourceChanged, SourceTimeout, SourceUnavailable
from footnote.sources.cancellation import Cancellation, cancelled
from footnote.sources.refusals import refused, too_slow

_MISSING = re.compile(
    r"(?:Table with name|Scalar Function with name|Referenced column|Referenced table|Table Function with name) "
    r"(\"?[^\n]{1,200}?\"?) (?:does not exist|not found)"
)
_NO_COLUMN = re.compile(r'Table ("[^\n]{1,200}?") does not have a column named ("[^\n]{1,200}?")')
_AMBIGUOUS = re.compile(r"Ambiguous reference to column name (\"[^\n]{1,200}?\")")


@contextlib.contextmanager
def explain(timeout: float, cancel: Cancellation) -> Iterator[None]:
    """Raise DuckDB's errors in the block as ours; `timeout` in seconds, for the message."""
    try:
        yield
    except duckdb.Error as error:
        if cancel.cancelled:
            raise cancelled() from None
        raise _error(error, timeout) from None


def _error(error: duckdb.Error, timeout: float) -> FootnoteError:
    if isinstance(error, duckdb.InterruptException):
        return too_slow(timeout)
    if isinstance(error, duckdb.ParserException | duckdb.SyntaxException):
        return refused("DuckDB does not read it as one statement.")
    if isinstance(error, duckdb.PermissionException):
        return refused("It reaches beyond the database.")
    if isinstance(error, duckdb.InvalidInputException):
        if "read-only mode" in str(error):
            return refused("It would write.")
        if "arameter" in str(error):
            return refused("It and its parameters do not fit together.")
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException):
        return _other_schema(str(error))
    return SourceUnavailable(
        "The source could not run a statement.",
        why=f"DuckDB reports: {_condition(error)}.",
        remedy="Ask a narrower question." if isinstance(error, duckdb.OutOfMemoryException) else "",
    )


def _condition(error: duckdb.Error) -> str:
    """The kind of an error in words; its text may hold values."""
    name = type(error).__name__.removesuffix("Exception")
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower() + " error"


def _other_schema(text: str) -> SourceChanged:
    missing, ambiguous, column = _MISSING.search(text), _AMBIGUOUS.search(text), _NO_COLUMN.search(text)
    why = "DuckDB finds a type, table or column that does not fit."
    if missing:
        why = f"There is no {missing[1]}."
    elif column:
        why = f"Table {column[1]} has no column {column[2]}."
    elif ambiguous:
        why = f"The name {ambiguous[1]} is ambiguous."
    return SourceChanged(
        "The source does not fit the statement.",
        why=why,
        remedy="Compare the catalog with the database; `footnote check` lists what differs.",
    )


def is_locked(error: Exception) -> bool:
    """Whether another program has the file open for writing, so that trying again may help."""
    return isinstance(error, duckdb.IOException) and "Could not set lock" in str(error)


def locked(timeout: float) -> SourceTimeout:
    """The error of a file that another program held for `timeout` seconds."""
    return SourceTimeout(
        f"The source stayed locked for {timeout:g} s.",
        why="Another program has the database file open for writing.",
        remedy="Ask again when it is done, or raise the time limit.",
    )


def cannot_open(path: Path, error: Exception) -> SourceUnavailable:
    """The error of a file that cannot be opened, with the cause that can be seen from outside."""
    what = f"The DuckDB database {str(path)!r} cannot be opened."
    if path.is_dir():
        return SourceUnavailable(what, why="It is a folder.", remedy="Name the database file in it.")
    if not path.exists():
        return SourceUnavailable(what, why="There is no such file.", remedy="Check the path in DATABASE_URL.")
    if not os.access(path, os.R_OK):
        return SourceUnavailable(
            what, why="Footnote's user may not read it.", remedy="Give read permission on the file and its folder."
        )
    if "different configuration" in str(error):
        return SourceUnavailable(what, why="This program has it open in another way.", remedy="Close it there.")
    if isinstance(error, duckdb.IOException | duckdb.SerializationException | duckdb.InternalException):
        return SourceUnavailable(
            what,
            why="It is not a DuckDB database, is damaged, or was written by a version this one cannot read.",
            remedy="Check the path in DATABASE_URL; open the file with the DuckDB that wrote it.",
        )
    return SourceUnavailable(what, why=f"DuckDB reports: {_condition(error)}.")  # type: ignore[arg-type]
