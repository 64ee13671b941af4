"""Statements that rest on more rows than are kept: counted first, then added up as the rows pass."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.errors import TieOutError, TooManyRows
from footnote.lineage.large import tie_out_large
from footnote.lineage.lookup import Lookup
from footnote.lineage.rowset import SALT_BYTES
from footnote.lineage.tied import TiedOut
from footnote.operations.account import Account
from footnote.plans.shape import Bindable, StatementPlan
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
        size, statement = plan.large.size.bind(self.values), plan.name
        ((count, *_),) = self.account.run("witness", statement, size)
        if not isinstance(count, int) or count > self.most:
            raise TooManyRows(
                f"The figures of {self.path} rest on {count:,} rows, and {self.most:,} are allowed.",
                why="Every one of them is read and checked.",
                remedy="Narrow the question: a shorter period, one customer, one company; or raise "
                "`max_contributions` of the operation.",
                details={"rows": count, "most": self.most},
            )
        with self.account.passing("witness", statement, plan.large.rows.bind(self.values)) as batches:
            salt = secrets.token_bytes(SALT_BYTES)
            tied = tie_out_large(plan.block, rows, batches, self.values, salt, lookups)
        passed = self.account.queries[-1].rows
        if passed != count:
            raise TieOutError(f"The source counts {count:,} rows behind {self.path} and gave {passed:,}.")
        return tied
