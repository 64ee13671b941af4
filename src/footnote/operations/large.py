"""Statements that rest on more rows than are kept: added up by the engine where it can, else as the rows pass."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from footnote.errors import TieOutError, TooManyRows
from footnote.lineage.large import tie_out_large
from footnote.lineage.lookup import Lookup
from footnote.lineage.rowset import SALT_BYTES, pads_of
from footnote.lineage.summed import Summed, counts_all, kept_of, refuse_repeated, rows_in, tie_out_summed
from footnote.lineage.tied import TiedOut
from footnote.operations.account import Account
from footnote.plans.shape import (
    CONTRIBUTIONS,
    FIRST,
    INNER_PAD,
    LAST,
    MOST_GROUPS,
    OUTER_PAD,
    Bindable,
    LargePlan,
    StatementPlan,
    SummedPlan,
    Template,
)
from footnote.sources.query import Value


@dataclass(frozen=True, slots=True)
class Passing:
    """Ties out one statement of a call.

    Attributes:
        path: `operation.statement`, for errors.
        most: Rows it may rest on.
        account: Runs its queries.
        values: What they bind.
    """

    path: str
    most: int
    account: Account
    values: Mapping[str, Bindable]

    def tie_out(self, plan: StatementPlan, rows: Sequence[Sequence[Value]], lookups: Sequence[Lookup] = ()) -> TiedOut:
        """Check the rows of a statement against all its witness rows.

        Raises:
            TooManyRows: There are more than the operation allows.
            TieOutError: A figure does not add up from its rows.
            FootnoteError: As `Snapshot.run`.
        """
        if plan.large is None:
            raise TooManyRows(f"The figures of {self.path} rest on too many rows to be checked.")
        tied = self.by_engine(plan, rows)
        return self._passed(plan, plan.large, rows, lookups) if tied is None else tied

    def by_engine(self, plan: StatementPlan, rows: Sequence[Sequence[Value]]) -> TiedOut | None:
        """Check the rows of a statement against what the engine adds up; None where it has to be done outside.

        That is so where there are few rows, very many groups, or rows that an outer join brings.

        Raises:
            As `tie_out`.
        """
        summed = plan.large.summed if plan.large is not None else None
        if summed is None:
            return None
        block, run = plan.block, self._running(plan.name)
        groups = run(summed.sums, {})
        count, strays = rows_in(block, groups)
        self._refuse_too_many(count)
        if count <= CONTRIBUTIONS or strays or len(groups) > MOST_GROUPS:
            return None
        refuse_repeated(block, run(summed.repeated, {}), [run(spread, {}) for spread in summed.spreads])
        salt = secrets.token_bytes(SALT_BYTES)
        places = places_of(plan, summed, groups)
        shown = {FIRST: 0, LAST: kept_of(len(groups))}
        read = {place: run(summed.pages[place], shown) for place in sorted({summed.first, *places} - {-1})}
        found = Summed(
            groups=groups,
            digests=run(summed.digests, dict(zip((INNER_PAD, OUTER_PAD), pads_of(salt), strict=True))),
            currencies=run(summed.currencies, {}) if summed.currencies is not None else (),
            pages=[read.get(place, ()) for place in places],
            first=read[summed.first],
            salt=salt,
        )
        return tie_out_summed(block, rows, found, self.values)

    def _running(self, statement: str) -> Callable[[Template, Mapping[str, Bindable]], list[tuple[Value, ...]]]:
        return lambda template, further: self.account.run(
            "witness", statement, template.bind({**self.values, **further})
        )

    def _refuse_too_many(self, count: object) -> None:
        if not isinstance(count, int) or count > self.most:
            raise TooManyRows(
                f"The figures of {self.path} rest on {count:,} rows, and {self.most:,} are allowed.",
                why="Every one of them is read and checked.",
                remedy="Narrow the question: a shorter period, one customer, one company; or raise "
                "`max_contributions` of the operation.",
                details={"rows": count, "most": self.most},
            )

    def _passed(
        self, plan: StatementPlan, large: LargePlan, rows: Sequence[Sequence[Value]], lookups: Sequence[Lookup]
    ) -> TiedOut:
        size, statement = large.size.bind(self.values), plan.name
        ((count, *_),) = self.account.run("witness", statement, size)
        self._refuse_too_many(count)
        with self.account.passing("witness", statement, large.rows.bind(self.values)) as batches:
            salt = secrets.token_bytes(SALT_BYTES)
            tied = tie_out_large(plan.block, rows, batches, self.values, salt, lookups)
        passed = self.account.queries[-1].rows
        if passed != count:
            raise TieOutError(f"The source counts {count:,} rows behind {self.path} and gave {passed:,}.")
        return tied


def places_of(plan: StatementPlan, summed: SummedPlan, groups: Sequence[Sequence[Value]]) -> list[int]:
    """For each output the page that is shown of its rows: the largest of a sum or an extreme, else the first."""
    sized = ("sum", "minimum", "maximum")
    return [
        summed.by_size[place]
        if output.method in sized
        else summed.first
        if output.method != "group" and counts_all(plan.block, place, groups)
        else summed.by_record[place]
        for place, output in enumerate(plan.block.outputs)
    ]
