"""What was read from a folder of files, said for people."""

from __future__ import annotations

from collections.abc import Iterator

from footnote.sources.facts import Fact
from footnote.sources.files_found import Found, TableFound


def facts_of(found: Found) -> Iterator[Fact]:
    """Each file and sheet: what it became, with which types; what is odd about a column; what was not read."""
    for table in found.tables:
        yield Fact(table.place, "ok", _read(table))
        if table.note:
            yield Fact(table.place, "warning", table.note)
        for column in table.columns:
            if column.note:
                yield Fact(f"{table.place}, column {column.name}", "warning", column.note)
    for unread in found.unread:
        why = f"not read: {unread.why[:1].lower()}{unread.why[1:]}"
        yield Fact(unread.place, "warning" if unread.state == "failed" else "skipped", why)


def _read(table: TableFound) -> str:
    rows = "1 row" if table.rows == 1 else f"{table.rows:,} rows"
    columns = ", ".join(f"{column.name} {column.type.lower()}" for column in table.columns)
    return f"table {table.name}: {rows}, read as {table.how}; {columns}."
