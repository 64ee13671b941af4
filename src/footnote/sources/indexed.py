"""How a table can be found in: its size, and the columns its indexes begin with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Indexed:
    """One table.

    Attributes:
        table: Its name as SQL has it, for whoever makes an index.
        rows: How many it has, as the engine believes or as far as was counted; None if it does not know.
        first: The first column of each index over all rows, in the database's spelling.
    """

    table: str
    rows: int | None
    first: frozenset[str]
