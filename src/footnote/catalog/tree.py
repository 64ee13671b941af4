"""Nodes of a tree as messages name them: their text and their line; and what the parser fails with."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

PARSE_ERRORS = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError, AssertionError)
"""What sqlglot raises for text that is not SQL; beside its own errors, whatever its parser stumbles over."""


def shown(node: exp.Expr, most: int = 60) -> str:
    """The node as SQL on one line, shortened."""
    try:
        text = " ".join(node.sql(comments=False, unsupported_level=ErrorLevel.IGNORE).split())
    except PARSE_ERRORS:  # a node that no SQL can be made of
        text = type(node).__name__
    return text if len(text) <= most else text[:most] + "…"


def line_in(node: exp.Expr) -> int:
    """The line of the statement, from 1, that the node stands in: of its first name, or of the first near it.

    Only names know where they stand, so the line of a node without one is that of what it is part of; 0 if unknown.
    """
    around: exp.Expr | None = node
    while around is not None:
        for found in around.walk(bfs=False):
            if line := found.meta.get("line"):
                return int(line)
        around = around.parent
    return 0


def depth_of(node: exp.Expr) -> int:
    """How deeply the tree is nested; counted without recursion, because that is what deep trees break."""
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        current, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in current.iter_expressions()]
    return deepest
