"""Footnote: answers in which every figure opens its rows and every statement its source.

`footnote.open()` gives a `Session`: run operations, ask questions, compose and check answers, on one catalog, one
source and one log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footnote.session import Session

__version__ = "0.1.0"

__all__ = ["__version__", "open"]


def open(*arguments: Any, **options: Any) -> Session:  # noqa: A001  # as `dbm.open` and `gzip.open`
    """Open a session; see `footnote.connect.opening.open_session` for arguments and errors."""
    from footnote.connect.opening import open_session

    return open_session(*arguments, **options)
