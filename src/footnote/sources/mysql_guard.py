"""What a read-only transaction of MariaDB and MySQL does not stop: a SELECT that writes a file on the server.

`SELECT … INTO OUTFILE` needs the FILE privilege, which no reader should have; here it is not sent either. The same words
may hide in a comment that the server executes (`/*! … */`), so those are not sent at all.
"""

from __future__ import annotations

import re

from footnote.errors import StatementRefused

_PIECES = re.compile(
    r"""'(?:[^'\\]|''|\\.)*' | "(?:[^"\\]|""|\\.)*" | `(?:[^`]|``)*`
    | (?P<executed>/\*M?!) | /\*.*?\*/ | \#[^\n]* | --[\s][^\n]*
    | (?P<into>(?<![\w$.@])INTO(?![\w$]))""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def require_no_file(sql: str) -> None:
    """Check that a query has no INTO, and no comment that is executed.

    Raises:
        StatementRefused: It has.
    """
    for piece in _PIECES.finditer(sql):
        if piece.lastgroup is not None:
            found = "INTO" if piece["into"] else "a comment that the server executes"
            raise StatementRefused(
                "A statement was not sent to the source.",
                why=f"It has {found}, and could write a file.",
                remedy="A source is only ever read: write the statement as one SELECT.",
            )
