"""Documents: readers make units of exact text; an index finds them; a claim is verified against them, or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footnote.documents.corpus import Corpus

__all__ = ["Corpus"]


def __getattr__(name: str) -> Any:
    """`Corpus`, imported when it is first asked for: whoever needs a word of this room need not load the readers."""
    if name == "Corpus":
        from footnote.documents.corpus import Corpus

        return Corpus
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
