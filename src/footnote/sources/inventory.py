"""Which tables a database holds, for whoever drafts a catalog over one that is not known yet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of a table that name a row of another one.

    Attributes:
        columns: In the table that has the key.
        schema: Of the other table.
        table: The other table.
        referred: The columns there, in the same order.
    """

    columns: tuple[str, ...]
    schema: str
    table: str
    referred: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A table of a database.

    Attributes:
        schema: It lies in (`main` on SQLite).
        name: In the database's spelling.
        rows: How many rows the engine believes it has; None if it does not say without counting.
        foreign_keys: That it declares.
    """

    schema: str
    name: str
    rows: int | None
    foreign_keys: tuple[ForeignKey, ...] = ()
