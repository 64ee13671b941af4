"""A LIMIT over groups leaves out the right ones: as many as it says, and none that ranks before one that stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.compare import Key, same, shown_group
from footnote.lineage.contributions import settled
from footnote.lineage.evaluate import evaluate
from footnote.lineage.expressions import NotComputable
from footnote.lineage.shape import Cut


@dataclass(frozen=True, slots=True)
class Ranked:
    """A group, its aggregates as recomputed from its rows, and what it takes from inner queries."""

    group: Key
    aggregates: Sequence[Any]
    subs: Sequence[Any] = ()

    @property
    def values(self) -> Mapping[str, Sequence[Any]]:
        """What expressions over the group are computed from."""
        return {"agg": self.aggregates, "key": self.group, "sub": self.subs}


def check_cut(cut: Cut, kept: Sequence[Ranked], left: Sequence[Ranked], parameters: Mapping[str, Any]) -> int:
    """Check which groups a LIMIT left out, as far as their order can be computed outside the engine.

    Returns:
        How many of them rank as the last one that stays does, so that another engine could have chosen them.

    Raises:
        TieOutError: If a group is missing although there was room for it, or ranks before one that stayed.
    """
    most = settled(cut.most, {}, parameters, "LIMIT")
    if len(kept) > most or (left and len(kept) < most):
        raise TieOutError(f"LIMIT {most} left {len(kept)} of {len(kept) + len(left)} groups.")
    for first, second in pairwise(kept):
        _refuse_before(cut, second, first, "stands after", parameters)
    for other in left if kept else ():
        _refuse_before(cut, other, kept[-1], "was left out after", parameters)
    return sum(_ties(cut, other, kept[-1], parameters) for other in left) if kept and cut.complete else 0


def _ties(cut: Cut, one: Ranked, other: Ranked, parameters: Mapping[str, Any]) -> bool:
    """Whether ORDER BY does not tell two groups apart."""
    try:
        values = [[evaluate(term, ranked.values, parameters) for term, _ in cut.order] for ranked in (one, other)]
    except NotComputable:
        return False
    return all(same(a, b) for a, b in zip(*values, strict=True))


def _refuse_before(cut: Cut, one: Ranked, other: Ranked, how: str, parameters: Mapping[str, Any]) -> None:
    if _before(cut, one, other, parameters):
        raise TieOutError(
            f"Group {shown_group(one.group)} {how} {shown_group(other.group)} but ranks before it.",
            why="The engine orders the groups otherwise than their values do.",
            remedy="Check the types of the columns in ORDER BY.",
            details={"group": shown_group(one.group)},
        )


def _before(cut: Cut, one: Ranked, other: Ranked, parameters: Mapping[str, Any]) -> bool:
    """Whether `one` is certain to come first; NULLs and texts are as the engine has them."""
    for expression, descending in cut.order:
        try:
            a, b = (evaluate(expression, ranked.values, parameters) for ranked in (one, other))
            if same(a, b):
                continue
            before = evaluate([">" if descending else "<", ["key", 0], ["key", 1]], {"key": (a, b)}, {})
        except NotComputable:
            return False
        return before is True
    return False
