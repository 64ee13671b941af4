"""Texts that come with a call, as sources. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from footnote.documents.layout import Extract
from footnote.documents.memory import MemoryIndex
from footnote.documents.profile import source_of
from footnote.documents.readers.csv import read_csv
from footnote.documents.readers.html import read_html
from footnote.documents.readers.markdown import read_markdown, read_text
from footnote.documents.units import Source

_READERS = {".txt": read_text, ".csv": read_csv, ".tsv": read_csv, ".html": read_html, ".htm": read_html}


def source_from_text(file: str, text: str) -> Source:
    """A source from a text: Markdown, unless the ending of its name says plain text, CSV or HTML."""
    return source_of(file, _extract(file, text))


def index_from_texts(texts: Mapping[str, str]) -> MemoryIndex:
    """An index over texts by file name."""
    return MemoryIndex(source_from_text(file, text) for file, text in texts.items())


def _extract(file: str, text: str) -> Extract:
    return _READERS.get(PurePosixPath(file).suffix.lower(), read_markdown)(text)
