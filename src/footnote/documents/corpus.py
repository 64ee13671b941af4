"""A corpus: a folder of documents, or texts from a call, that can be searched and quoted, and claims verified against."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from footnote.documents.layout import Extract
from footnote.documents.memory import MemoryIndex
from footnote.documents.profile import source_of
from footnote.documents.readers.markdown import read_markdown, read_text
from footnote.documents.units import Source


def source_from_text(file: str, text: str) -> Source:
    """A source from a text; a name that ends in `.txt` is plain text, every other one Markdown."""
    return source_of(file, _extract(file, text))


def index_from_texts(texts: Mapping[str, str]) -> MemoryIndex:
    """An index over texts by file name."""
    return MemoryIndex(source_from_text(file, text) for file, text in texts.items())


def _extract(file: str, text: str) -> Extract:
    return read_text(text) if PurePosixPath(file).suffix.lower() == ".txt" else read_markdown(text)
