"""Inner queries of a statement: each fetched and tied out from the level below, before the outer query is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from footnote.errors import TooManyRows
from footnote.lineage.lookup import Lookup, TiedArm
from footnote.lineage.shape import Block
from footnote.lineage.tieout import tie_out_arm
from footnote.operations.account import Account
from footnote.plans.shape import CONTRIBUTIONS, Arm, Bindable, Template
from footnote.sources.query import Value


@dataclass(frozen=True, slots=True)
class Arms:
    """Reads the inner queries of one statement.

    Attributes:
        path: `operation.statement`.
        account: Runs their queries.
        values: What they bind.
        notes: What a reader must know about how they were checked.
    """

    path: str
    account: Account
    values: Mapping[str, Bindable]
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
        witness = self._rows(arm.witness) if arm.witness is not None else None
        tied = tie_out_arm(arm.block, rows, witness, self.values, lookups)
        self.notes.update(dict.fromkeys(tied.notes))
        return tied

    def _rows(self, template: Template) -> list[tuple[Value, ...]]:
        rows = self.account.run("witness", self.path.rpartition(".")[2], template.bind(self.values))
        if len(rows) > CONTRIBUTIONS:
            raise TooManyRows(
                f"An inner query of {self.path} rests on more than {CONTRIBUTIONS:,} rows.",
                why="Each of its rows is kept until the outer query has been checked with them.",
                remedy="Narrow the question: a shorter period, one customer, one company.",
            )
        return rows
