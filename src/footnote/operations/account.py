"""Keeps account of every query of a call: what ran, with which parameters, how long, how many rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, cast

from footnote.figures import exact_text
from footnote.operations.result import Executed
from footnote.plans.shape import SECRET
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
        """All rows of a query; it is noted also if it fails, without parameters that are secret.

        Raises:
            FootnoteError: As `Snapshot.run`.
        """
        started = time.perf_counter()
        rows: list[tuple[Value, ...]] = []
        try:
            rows = self.snapshot.run(query).all()
        finally:
            told = {name: value for name, value in query.parameters.items() if name not in SECRET}
            parameters = {name: exact_text(value) for name, value in told.items()}
            duration = milliseconds(time.perf_counter() - started)
            self.queries.append(
                Executed(cast("Purpose", purpose), statement, query.sql, parameters, duration, len(rows))
            )
        return rows

    @contextmanager
    def passing(self, purpose: Purpose, statement: str, query: Query) -> Iterator[Iterator[list[tuple[Value, ...]]]]:
        """The rows of a query in batches, none of which is kept; the query is noted when the block ends.

        Raises:
            FootnoteError: As `Snapshot.run`, also while the rows are read.
        """
        started = time.perf_counter()
        passed = 0

        def batches() -> Iterator[list[tuple[Value, ...]]]:
            nonlocal passed
            for batch in self.snapshot.run(query).batches():
                passed += len(batch)
                yield batch

        try:
            yield batches()
        finally:
            parameters = {name: exact_text(value) for name, value in query.parameters.items()}
            duration = milliseconds(time.perf_counter() - started)
            self.queries.append(Executed(purpose, statement, query.sql, parameters, duration, passed))
