"""An auditor's random sample: drawn by whoever has the population and the seed, and always the same one.

Every record of the population gets a rank, and the `count` records of the lowest rank are the sample::

    rank(sequence) = SHA-256("footnote/sample-v1" || 0x00 || seed || 0x00 || sequence)

with the seed as UTF-8 text and the sequence in decimal digits; ranks are compared as bytes. Nobody can steer what is
drawn by the seed they did not choose, so the log's holder first fixes the population (a checkpoint), and the auditor
names the seed then. A record's rank does not depend on the others: a sample of 40 holds the sample of 25. Pure.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from footnote.errors import UsageError

ALGORITHM: Final = "footnote/sample-v1"
LONGEST_SEED: Final = 200
MOST: Final = 100_000
"""Records a sample may have: their ranks are in memory."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How many records, drawn with which seed.

    Raises `UsageError` for a count below 1 or beyond `MOST`, and for a seed that is empty, too long or not plain text.
    """

    count: int
    seed: str

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST:
            raise UsageError(f"A sample of {self.count} cannot be drawn.", remedy=f"Draw 1 to {MOST:,} records.")
        if not (1 <= len(self.seed) <= LONGEST_SEED and self.seed.isascii() and self.seed.isprintable()):
            raise UsageError(
                "The seed of a sample is not one.",
                remedy=f"Give 1 to {LONGEST_SEED} plain characters, such as a number thrown with dice.",
            )

    def as_dict(self) -> dict[str, Any]:
        """The sample as exported."""
        return {"algorithm": ALGORITHM, "count": self.count, "seed": self.seed}


def rank(sequence: int, seed: str) -> bytes:
    """The rank of a record, 32 bytes."""
    return sha256(b"%b\0%b\0%d" % (ALGORITHM.encode(), seed.encode(), sequence)).digest()


def draw(population: Iterable[int], sample: Sample) -> list[int]:
    """The sample's sequences in order; the whole population where it has no more than that."""
    lowest = heapq.nsmallest(sample.count, population, key=lambda sequence: (rank(sequence, sample.seed), sequence))
    return sorted(lowest)


class Digest:
    """SHA-256 over the sequences of a population in order, in decimal, each with a line feed behind it."""

    def __init__(self) -> None:
        self._hash = sha256()
        self.count = 0

    def add(self, sequence: int) -> None:
        """Take the next sequence in."""
        self._hash.update(b"%d\n" % sequence)
        self.count += 1

    @property
    def text(self) -> str:
        """The digest so far: `sha256:` and 64 hex digits."""
        return f"sha256:{self._hash.hexdigest()}"
