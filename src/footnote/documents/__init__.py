"""Documents: readers make units of exact text; an index finds them; a claim is verified against them, or refused."""

from footnote.documents.corpus import Corpus

__all__ = ["Corpus"]
