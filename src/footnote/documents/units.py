"""Documents as readers leave them: a source of exact text, cut into units that keep their place.

Every offset counts code points in `Source.text`, the text as it was extracted. `text[start:end]` of a unit, a cell or a
fragment is what it says, letter by letter; nothing here is re-joined, trimmed inside, or normalised. Pure.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum


class UnitKind(StrEnum):
    """What a unit is; a heading binds what stands below it and can be found, but states nothing by itself."""

    SENTENCE = "sentence"
    ITEM = "item"
    PAIR = "pair"
    """A key and its value: `Invoice number: INV-7`."""
    ROW = "row"
    """A row of a table."""
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Fragment:
    """A verbatim passage: `text` is `Source.text[start:end]` of `file`."""

    file: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table row.

    Attributes:
        column: Position in its row, from 0; a number that was split over cells ("$", "(1,234", ")") is one cell.
        text: As written.
        start: Of the text, in code points.
        end: Behind the text.
        headers: Texts of the column headers above it, outermost first; two for a two-level head.
        address: As a spreadsheet names it (`B7`); empty elsewhere.
    """

    column: int
    text: str
    start: int
    end: int
    headers: tuple[str, ...] = ()
    address: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """What all rows of a table share.

    Attributes:
        number: Of the table in its file, from 1.
        caption: As written; empty if there is none.
        unit: Words that scale or name what the cells count ("in thousands", "EUR"), from caption, corner or head.
        notes: Notes below or beside it.
        fragments: Where caption, unit and head stand, for whoever cites them.
    """

    number: int
    caption: str = ""
    unit: str = ""
    notes: tuple[str, ...] = ()
    fragments: tuple[Fragment, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest thing that can be cited as a whole.

    Attributes:
        file: Path in the corpus, with `/`.
        number: Of the unit in its file, from 0, in reading order.
        kind: What it is.
        text: `Source.text[start:end]`.
        start: In code points.
        end: Behind the unit.
        section: Headings above it, outermost first, as written ("4.2 Payment terms").
        page: From 1, where the format has pages.
        sheet: Name of the sheet, in workbooks.
        key: Of a pair: the key; of a row: its label. As written.
        group: Of a row: labels of the groups it stands in ("Assets", "Current assets"), outermost first.
        cells: Of a row: its cells but the label's, in order. Of a pair: its value as the only cell.
        table: Of a row: its table.
        sent: Of a message: when.
        sender: Of a message: who, as written.
        quoted: Inside a message: it repeats another one.
    """

    file: str
    number: int
    kind: UnitKind
    text: str
    start: int
    end: int
    section: tuple[str, ...] = ()
    page: int | None = None
    sheet: str = ""
    key: str = ""
    group: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()
    table: Table | None = None
    sent: dt.datetime | None = None
    sender: str = ""
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Party:
    """Who a document is about, by its own definition clause: `Northwind Traders Ltd ("Supplier")`.

    Attributes:
        name: The full name.
        aliases: How the document calls it further on; its role among them ("the Supplier").
        fragment: The clause that says so.
    """

    name: str
    aliases: tuple[str, ...]
    fragment: Fragment


@dataclass(frozen=True, slots=True)
class Source:
    """One document.

    Attributes:
        file: Path in the corpus, with `/`; a part of another file is `mail.eml/invoice.pdf`.
        title: As the document calls itself, else the file's name.
        type: markdown, text, html, pdf, docx, xlsx, csv or eml.
        text: As extracted.
        units: In reading order.
        tier: Authority: 1 executed contracts, ledgers, invoices, statements, minutes; 2 CRM and internal notes;
            3 correspondence.
        tier_reason: Why, for people.
        effective: From when it holds, or None.
        effective_reason: Why, for people.
        amends: Files that it amends.
        parties: By its own definition clauses.
        problems: What could not be read, in sentences.
    """

    file: str
    title: str
    type: str
    text: str
    units: tuple[Unit, ...]
    tier: int
    tier_reason: str = ""
    effective: dt.date | None = None
    effective_reason: str = ""
    amends: tuple[str, ...] = ()
    parties: tuple[Party, ...] = ()
    problems: tuple[str, ...] = ()
