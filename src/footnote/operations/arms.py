"""Inner queries of a statement: each fetched and tied out from the level below, before the outer query is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from footnote.errors import TooManyRows
from footnote.lineage.compare import Key
from footnote.lineage.inner import tie_out_large_arm
from footnote.lineage.lookup import Lookup, TiedArm
from footnote.lineage.members import refuse_fan_out
from footnote.lineage.shape import Block
from footnote.lineage.tieout import tie_out_arm
from footnote.operations.account import Account
from footnote.plans.shape import CONTRIBUTIONS, INNER_ROWS, Arm, Bindable, Template
from footnote.sources.query import Value


@dataclass(frozen=True, slots=True)
class Arms:
    """Reads the inner queries of one statement.

    Attributes:
        path: `operation.statement`.
        account: Runs their queries.
        values: What they bind.
        most: Rows that an inner query may rest on.
        notes: What a reader must know about how they were checked.
    """

    path: str
    account: Account
    values: Mapping[str, Bindable]
    most: int
    notes: dict[str, None] = field(default_factory=dict)

    def lookups(self, block: Block, arms: Sequence[Arm]) -> list[Lookup]:
        """What the inner queries of a block give.

        Raises:
            TieOutError: One of them does not hold.
            TooManyRows: One of them rests on more rows than are kept.
            FootnoteError: As `Snapshot.run`.
        """
        tied = [self._tie_out(arm) for arm in arms]
        return [Lookup(link, [tied[place] for place in link.arms]) for link in block.links]

    def _tie_out(self, arm: Arm) -> TiedArm:
        lookups = self.lookups(arm.block, arm.arms)
        rows = self._rows(arm.statement) if arm.statement is not None else None
        witness = self._run(arm.witness) if arm.witness is not None else None
        if witness is not None and len(witness) > CONTRIBUTIONS:
            tied = self._passed(arm, rows, lookups)
        else:
            tied = tie_out_arm(arm.block, rows, witness, self.values, lookups)
        self.notes.update(dict.fromkeys(tied.notes))
        return tied

    def _passed(self, arm: Arm, rows: list[tuple[Value, ...]] | None, lookups: Sequence[Lookup]) -> TiedArm:
        """An inner query that rests on more rows than are kept at once."""
        assert arm.large is not None  # noqa: S101 - every arm that aggregates has it
        assert arm.repeated is not None  # noqa: S101
        twice = {tuple(row[:-1]): row[-1] for row in self._run(arm.repeated)}
        refuse_fan_out(arm.block, Counter(cast("dict[Key, int]", twice)))
        with self.account.passing("witness", self._statement, arm.large.bind(self.values)) as batches:
            return tie_out_large_arm(arm.block, rows, self._counted(batches), self.values, lookups, CONTRIBUTIONS)

    def _counted(self, batches: Iterator[list[tuple[Value, ...]]]) -> Iterator[list[tuple[Value, ...]]]:
        count = 0
        for batch in batches:
            count += len(batch)
            if count > self.most:
                raise self._too_many(self.most, "Every one of them is read and checked.")
            yield batch

    @property
    def _statement(self) -> str:
        return self.path.rpartition(".")[2]

    def _run(self, template: Template) -> list[tuple[Value, ...]]:
        return self.account.run("witness", self._statement, template.bind(self.values))

    def _rows(self, template: Template) -> list[tuple[Value, ...]]:
        rows = self._run(template)
        if len(rows) > INNER_ROWS:
            raise self._too_many(INNER_ROWS, "Each of them is kept until the outer query has been checked with it.")
        return rows

    def _too_many(self, most: int, why: str) -> TooManyRows:
        return TooManyRows(
            f"An inner query of {self.path} rests on more than {most:,} rows.",
            why=why,
            remedy="Narrow the question: a shorter period, one customer, one company.",
        )
