"""What every engine says in the same words: a statement that was refused, or that took too long."""

from __future__ import annotations

from footnote.errors import SourceTimeout, StatementRefused


def refused(why: str) -> StatementRefused:
    """The error of a statement that the engine does not run."""
    return StatementRefused(
        "The source refused a statement.", why=why, remedy="A source is only ever read: write it as one SELECT."
    )


def too_slow(timeout: float) -> SourceTimeout:
    """The error of a statement that took longer than `timeout` seconds."""
    return SourceTimeout(
        f"The source took longer than its limit of {timeout:g} s.",
        why="The statement was stopped.",
        remedy="Narrow the question, add an index, or raise `timeout` in the catalog's source.",
    )
