"""Keeps account of every query of a call: what ran, with which parameters, how long, how many rows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal, cast

from footnote.figures import exact_text
from footnote.operations.result import Executed
from footnote.sources.query import Query, Value
from footnote.sources.source import Snapshot

Purpose = Literal["entity", "statement", "witness", "fields"]


def milliseconds(seconds: float) -> str:
    """A duration as recorded: milliseconds with three decimals, as text (records hold no floats)."""
    return f"{seconds * 1000:.3f}"


@dataclass
class Account:
    """Runs queries in one snapshot."""

    snapshot: Snapshot
    queries: list[Executed] = field(default_factory=list)

    def run(self, purpose: str, statement: str, query: Query) -> list[tuple[Value, ...]]:
        """All rows of a query; it is noted also if it fails.

        Raises:
            FootnoteError: As `Snapshot.run`.
        """
        started = time.perf_counter()
        rows: list[tuple[Value, ...]] = []
        try:
            rows = self.snapshot.run(query).all()
        finally:
            parameters = {name: exact_text(value) for name, value in query.parameters.items()}
            duration = milliseconds(time.perf_counter() - started)
            self.queries.append(
                Executed(cast("Purpose", purpose), statement, query.sql, parameters, duration, len(rows))
            )
        return rows
