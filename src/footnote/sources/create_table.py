"""Collations of columns as the text of CREATE TABLE has them, for engines that tell them nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import Token


def collations_in(text: str, columns: Sequence[str]) -> Mapping[str, str]:
    """The collation of each column that has another than BINARY; of every column if the text cannot be told apart."""
    if "collate" not in text.lower():
        return {}
    from sqlglot import tokenize
    from sqlglot.errors import SqlglotError

    spelled = {column.lower(): column for column in columns}
    found: dict[str, str] = {}
    try:
        definitions = _definitions(tokenize(text, dialect="sqlite"))
    except SqlglotError:
        return dict.fromkeys(columns, "unknown")
    for first, collation in definitions:
        if first.lower() not in spelled:
            return dict.fromkeys(columns, "unknown")
        if collation.upper() != "BINARY":
            found[spelled[first.lower()]] = collation
    return found


def _definitions(tokens: Iterable[Token]) -> list[tuple[str, str]]:
    """The first word and the collation of each part of CREATE TABLE (...) that has one outside of parentheses."""
    from sqlglot import TokenType

    depth, first, before = 0, "", None
    found: list[tuple[str, str]] = []
    for token in tokens:
        if depth == 1 and before is TokenType.COLLATE:
            found.append((first, token.text))
        elif depth == 1 and before in (TokenType.COMMA, TokenType.L_PAREN) and not first:
            first = token.text
        if token.token_type is TokenType.L_PAREN:
            depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        elif depth == 1 and token.token_type is TokenType.COMMA:
            first = ""
        before = token.token_type
    return found
