"""The index as the engine sees it: candidates for keys, and what stands around a unit. Pure.

Candidates are found by their rarest keys first. What is found decides nothing: it is only what a claim is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from footnote.documents.units import Source, Unit


class Index(Protocol):
    """Units of a corpus, by key. Implementations are safe to read from several threads.

    The engine is `verify(claim, index, language)`, which asks nothing else.
    """

    @property
    def size(self) -> int:
        """Units in it."""

    def sources(self) -> Sequence[Source]:
        """Every source in order of its file's name, without its text and units: those fields are empty here."""

    def source(self, file: str) -> Source:
        """One of `sources`.

        Raises:
            KeyError: There is none of this name.
        """

    def full(self, file: str) -> Source:
        """A source with its text and units.

        Raises:
            KeyError: There is none of this name.
        """

    def candidates(self, groups: Sequence[Sequence[str]], *, limit: int = 64) -> Sequence[Unit]:
        """Units that hold keys of as many and as rare groups as possible, best first; ties by file and number.

        Args:
            groups: One for each word, number or identifier that is looked for: its keys (`keys.keys_of`, `word_key`,
                `number_key`, `identifier_key`), those of its synonyms and translations included.
            limit: At most so many.
        """

    def frequency(self, key: str) -> int:
        """Units that hold the key."""

    def neighbours(self, unit: Unit, before: int = 1, after: int = 1) -> Sequence[Unit]:
        """The units before and after `unit` in its file, in order, without it."""

    def rows(self, unit: Unit) -> Sequence[Unit]:
        """All units of the table that `unit` is a row of, in order; empty if it is none."""
