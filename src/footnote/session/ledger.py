"""Rows of the system of record that a claim names, as a source that it can be verified against like a document.

A row is named by its record type and key ("invoice 8812") or by its label ("INV-2026-8812"). Each becomes a table of one
row: its label, and its fields under their names. The engine judges it as it judges any other table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote.documents.grids import Said, write_table
from footnote.documents.layout import Extract, TextBuilder
from footnote.documents.memory import MemoryIndex
from footnote.documents.profile import Stated, source_of
from footnote.documents.units import Source
from footnote.errors import ArgumentError, NameAmbiguous, NameUnknown, TieOutError, TooManyRows
from footnote.evidence import Json, Row
from footnote.operations.run import read_row
from footnote.session.session import Names, Session

SCHEME = "erp://"
"""Begins the name of a row as a source."""

MOST_ROWS = 5
"""Rows that are looked for in one claim."""

MOST_NAMES = 6
"""Names that are looked up in one claim."""

_CAPITAL = r"[^\W\d_a-zà-öø-ÿąćęłńśźż][\w.&'’-]*"
_NAMES = re.compile(rf"{_CAPITAL}(?:[ \u00a0](?:{_CAPITAL}|(?:sp\.|z|o\.o\.|d\.o\.o\.|d\.d\.|S\.p\.A\.)))*")
_IDENTIFIER = re.compile(r"(?<![\w-])[^\W\d_]{1,8}[-/]?(?:\d+[-/])*\d+(?![\w-])")


@dataclass(frozen=True, slots=True)
class Ledger:
    """The rows that a claim names, as they are now."""

    rows: tuple[Row, ...]
    queries: tuple[Json, ...]
    index: MemoryIndex

    def row(self, file: str) -> Row | None:
        """The row that a source's name means."""
        return next((row for row in self.rows if row.uri == file), None)


def ledger_of(session: Session, claim: str) -> Ledger | None:
    """The rows that a claim names; None if it names none.

    Raises:
        SourceUnavailable: The source cannot be read.
    """
    found: dict[str, Row] = {}
    queries: list[Json] = []
    for type, key, label in list(_named(session, claim))[: 3 * MOST_ROWS]:
        if len(found) == MOST_ROWS:
            break
        try:
            now = read_row(session.desk, type, key)
        except (ArgumentError, TieOutError):  # no key of this type, or a label that only looks like one
            continue
        queries += [query.as_dict() for query in now.queries]
        if now.row is not None and (not label or now.row.label.casefold() == label.casefold()):
            found.setdefault(now.row.id, now.row)
    if not found:
        return None
    rows = tuple(found.values())
    return Ledger(rows, tuple(queries), MemoryIndex(_source(session, row) for row in rows))


def _named(session: Session, claim: str) -> Iterator[tuple[str, str, str]]:
    """Record type, key, and the label that the row must have (empty where the type itself is named)."""
    records = session.loaded.catalog.records
    for type, record in records.items():
        words = "|".join(re.escape(word) for word in dict.fromkeys((type, record.title or type)))
        pattern = rf"\b(?:{words})\s+(?:no\.?|nr\.?|number|#)?\s*(\d+)(?![\w-])"
        yield from ((type, match[1], "") for match in re.finditer(pattern, claim, re.IGNORECASE))
    for match in _IDENTIFIER.finditer(claim):
        key = re.findall(r"\d+", match[0])[-1]
        yield from ((type, key, match[0]) for type in records)
    yield from _by_name(session, claim)


def _by_name(session: Session, claim: str) -> Iterator[tuple[str, str, str]]:
    """Records of entities that a name of the claim means alone: "Bergmann Logistik GmbH", "Bergmann"."""
    with Names(session, None) as names:
        for entity in session.loaded.catalog.entities:
            for text in _phrases(claim):
                try:
                    type, _, key = names.resolve(entity, text).partition(":")
                except (NameUnknown, NameAmbiguous, TooManyRows):
                    continue
                yield type, key, ""
                break


def _phrases(claim: str) -> Iterator[str]:
    """Runs of words with a capital, longest first, and each such word alone."""
    runs = [match[0] for match in _NAMES.finditer(claim)]
    words = [word for run in runs for word in run.split() if len(word) > 3]
    found = sorted(dict.fromkeys((*runs, *words)), key=len, reverse=True)
    yield from found[:MOST_NAMES]


def _source(session: Session, row: Row) -> Source:
    """A row as a table of one row."""
    title = session.loaded.catalog.records[row.type].title or row.type
    shown = {name: field for name, field in row.fields.items() if field.display and field.display != row.label}
    head = [Said(title), Said("Key"), *(Said(field.label or name) for name, field in shown.items())]
    body = [Said(row.label), Said(row.record_id), *(Said(field.display) for field in shown.values())]
    builder = TextBuilder()
    block = write_table(builder, _plain([head, body]), headed=1)
    blocks = (block,) if block is not None else ()
    extract = Extract("row", builder.text, blocks, title=f"{title} {row.record_id}: {row.label}")
    return source_of(row.uri, extract, (Stated(tier=1, by="the system of record"),))


def _plain(rows: Sequence[Sequence[Said]]) -> list[list[Said]]:
    """Cells on one line each; no-break spaces, which belong to figures, stay."""
    return [[Said(re.sub(r"[\r\n\t ]+", " ", cell.text)) for cell in row] for row in rows]
