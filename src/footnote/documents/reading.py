"""From the bytes of a file to its sources: which reader reads it, and what is said when none can.

Nothing is dropped in silence: a file that cannot be read is a source without text whose problems say why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

from footnote.documents.decoding import decode
from footnote.documents.layout import Extract
from footnote.documents.profile import Stated, source_of
from footnote.documents.readers.markdown import read_markdown, read_text
from footnote.documents.units import Source
from footnote.errors import FootnoteError

LARGEST = 200_000_000
"""Bytes of a file."""

LONGEST = 60_000_000
"""Characters of a text."""

DEEPEST = 3
"""Attachments inside attachments."""


def _of_text(read: Callable[[str], Extract]) -> Callable[[bytes], Extract]:
    def reader(data: bytes) -> Extract:
        text, problems = decode(data)
        if len(text) > LONGEST:
            return Extract(
                "text", "", (), problems=(f"The text has {len(text):,} characters; at most {LONGEST:,} are read.",)
            )
        extract = read(text)
        return Extract(
            extract.type,
            extract.text,
            extract.blocks,
            extract.title,
            extract.date,
            extract.meta,
            (*problems, *extract.problems),
        )

    return reader


def _csv(text: str) -> Extract:
    from footnote.documents.readers.csv import read_csv

    return read_csv(text)


def _html(text: str) -> Extract:
    from footnote.documents.readers.html import read_html

    return read_html(text)


def _docx(data: bytes) -> Extract:
    from footnote.documents.readers.docx import read_docx

    return read_docx(data)


def _eml(data: bytes) -> Extract:
    from footnote.documents.readers.eml import read_eml

    return read_eml(data)


def _pdf(data: bytes) -> Extract:
    from footnote.documents.readers.pdf import read_pdf

    return read_pdf(data)


def _xlsx(data: bytes) -> Extract:
    from footnote.documents.readers.xlsx import read_xlsx

    return read_xlsx(data)


READERS: dict[str, Callable[[bytes], Extract]] = {
    ".md": _of_text(read_markdown),
    ".markdown": _of_text(read_markdown),
    ".txt": _of_text(read_text),
    ".text": _of_text(read_text),
    ".csv": _of_text(_csv),
    ".tsv": _of_text(_csv),
    ".html": _of_text(_html),
    ".htm": _of_text(_html),
    ".xhtml": _of_text(_html),
    ".docx": _docx,
    ".docm": _docx,
    ".eml": _eml,
    ".pdf": _pdf,
    ".xlsx": _xlsx,
    ".xlsm": _xlsx,
}
"""By the ending of a file's name."""


def sources_of_bytes(
    file: str, data: bytes, stated: Callable[[str], Sequence[Stated]] = lambda _: ()
) -> Iterator[Source]:
    """The source of a file, and those of the files inside it (`mail.eml/invoice.pdf`).

    Args:
        file: Path in the corpus.
        data: Its content.
        stated: What the operator says about a file.

    Raises:
        ExtraMissing: A library that its reader needs is not installed.
    """
    yield from _sources(file, data, stated, 0)


def _sources(file: str, data: bytes, stated: Callable[[str], Sequence[Stated]], depth: int) -> Iterator[Source]:
    extract = extract_of(file, data)
    yield source_of(file, extract, stated(file))
    names: set[str] = set()
    for part in extract.parts:
        if depth == DEEPEST:
            problem = f"It lies in {DEEPEST} messages, one inside the other; what lies deeper is not read."
            yield source_of(f"{file}/{part.name}", Extract("eml", "", (), problems=(problem,)))
            continue
        name = part.name
        while name in names:
            name = f"another-{name}"
        names.add(name)
        yield from _sources(f"{file}/{name}", part.data, stated, depth + 1)


def extract_of(file: str, data: bytes) -> Extract:
    """What the reader for the file's ending finds; a file without one is said to have none."""
    suffix = PurePosixPath(file).suffix.lower()
    reader = READERS.get(suffix)
    if reader is None:
        kind = f"of type {suffix[1:]}" if suffix else "without an ending"
        known = ", ".join(dict.fromkeys(name[1:] for name in READERS))
        return Extract("unknown", "", (), problems=(f"Files {kind} are not read. There are readers for: {known}.",))
    if len(data) > LARGEST:
        return Extract(
            suffix[1:], "", (), problems=(f"The file has {len(data):,} bytes; at most {LARGEST:,} are read.",)
        )
    if not data.strip():
        return Extract(suffix[1:], "", (), problems=("The file is empty.",))
    try:
        extract = reader(data)
    except RecursionError:
        return Extract(suffix[1:], "", (), problems=("The file is nested too deeply to be read.",))
    except FootnoteError:
        raise
    except Exception as error:  # noqa: BLE001  # one file that breaks a reader must not hide all the others
        return Extract(
            suffix[1:], "", (), problems=(f"The file cannot be read: its reader failed ({type(error).__name__}).",)
        )
    if not extract.text.strip() and not extract.problems:
        return Extract(extract.type, "", (), problems=("There is no text in the file.",))
    return extract
