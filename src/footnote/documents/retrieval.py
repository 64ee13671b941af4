"""Finding candidates: keys with few units first, common ones only to tell apart what those have found. Pure.

The cost follows from the claim, not from the corpus: a list of units longer than `LONG` is never walked through if a
shorter one has found anything, it is only looked into by bisection.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Protocol

LONG = 4_000
"""Units of a key; beyond, the key is common."""

MOST_COUNTED = 30_000
"""Units whose scores are kept, at most."""


class Postings(Protocol):
    """For each key the numbers of the units that hold it, ascending."""

    def count(self, key: str) -> int:
        """How many units hold the key."""

    def units(self, key: str) -> Sequence[int]:
        """Their numbers."""


def best_units(postings: Postings, groups: Sequence[Sequence[str]], size: int, limit: int) -> list[tuple[float, int]]:
    """Score and number of the units that hold keys of many and rare groups; more than `limit` where the last ones tie."""
    counted = [(sum(postings.count(key) for key in keys), at, keys) for at, keys in enumerate(map(_distinct, groups))]
    weighed = [(count, keys, math.log(1 + size / count)) for count, _, keys in sorted(counted) if count]
    scores: dict[int, float] = {}
    common: list[tuple[Sequence[str], float]] = []
    for count, keys, weight in weighed:
        if count > LONG or len(scores) + count > MOST_COUNTED:
            common.append((keys, weight))
            continue
        for unit in _units_of_any(postings, keys):
            scores[unit] = scores.get(unit, 0.0) + weight
    if not scores and common:
        scores, common = _both(postings, common)
    _look_into(postings, scores, common, limit)
    return _first(scores, limit)


def _distinct(keys: Sequence[str]) -> list[str]:
    return [key for key in dict.fromkeys(keys) if key]


def _units_of_any(postings: Postings, keys: Sequence[str]) -> Sequence[int] | set[int]:
    if len(keys) == 1:
        return postings.units(keys[0])
    return {unit for key in keys for unit in postings.units(key)}


def _both(
    postings: Postings, common: Sequence[tuple[Sequence[str], float]]
) -> tuple[dict[int, float], list[tuple[Sequence[str], float]]]:
    """Units of the rarest common group, as far as they are in the next ones too while enough are left."""
    (keys, weight), *rest = common
    found = set(_units_of_any(postings, keys))
    while rest and len(found) > LONG:
        narrower = found.intersection(_units_of_any(postings, rest[0][0]))
        if not narrower:
            break
        found, weight = narrower, weight + rest[0][1]
        rest = rest[1:]
    return dict.fromkeys(sorted(found)[:MOST_COUNTED], weight), list(rest)


def _look_into(
    postings: Postings, scores: dict[int, float], common: Sequence[tuple[Sequence[str], float]], limit: int
) -> None:
    """Add the weight of common groups to those units that may still become candidates."""
    if not common:
        return
    reachable = sum(weight for _, weight in common)
    best = [score for score, _ in _first(scores, limit)]
    least = best[-1] - reachable if len(best) >= limit else 0.0
    likely = heapq.nlargest(
        LONG // 4, (unit for unit in scores if scores[unit] >= least), key=lambda u: (scores[u], -u)
    )
    for keys, weight in common:
        lists = [postings.units(key) for key in keys]
        for unit in likely:
            if any(_holds(numbers, unit) for numbers in lists):
                scores[unit] += weight


def _holds(numbers: Sequence[int], unit: int) -> bool:
    at = bisect_left(numbers, unit)
    return at < len(numbers) and numbers[at] == unit


def _first(scores: Mapping[int, float], limit: int) -> list[tuple[float, int]]:
    ranked = heapq.nsmallest(limit * 4, ((-score, unit) for unit, score in scores.items()))
    if len(ranked) > limit:
        last = ranked[limit - 1][0]
        ranked = [pair for at, pair in enumerate(ranked) if at < limit or pair[0] <= last + 1e-9]
    return [(-score, unit) for score, unit in ranked]
