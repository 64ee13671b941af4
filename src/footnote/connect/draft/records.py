"""Record types and entities of a draft: one for each table that is drafted, with the fields that a reader can use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.catalog.scalars import is_plain_text
from footnote.connect.draft import words
from footnote.connect.draft.reading import Read
from footnote.connect.draft.text import literal, remark, scalar
from footnote.connect.draft.words import identifier, is_named, parts, singular
from footnote.sources.files_found import ROW
from footnote.sources.query import ValueType

MOST_FIELDS = 24
"""Fields of a drafted record type; a table of an ERP may have hundreds of columns."""

_TYPES: Mapping[ValueType, str] = {
    ValueType.INTEGER: "integer",
    ValueType.DECIMAL: "decimal",
    ValueType.DATE: "date",
    ValueType.DATETIME: "datetime",
    ValueType.BOOLEAN: "boolean",
    ValueType.TEXT: "text",
}


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """A record type that is drafted.

    Attributes:
        name: In the catalog.
        read: Its table.
        fields: Field names by column.
    """

    name: str
    read: Read
    fields: Mapping[str, str]

    @property
    def title(self) -> str:
        """What it is called."""
        return in_words(self.read.schema.name)

    @property
    def label(self) -> str:
        """The template of what a row is called."""
        shown = self.read.name if self.read.role in {"customer", "supplier", "party"} else self.read.number
        column = shown or self.read.number or self.read.name
        if column and column in self.fields and self.read.kind(column) is ValueType.TEXT:
            return f"{{{self.fields[column]}}}"
        return f"{literal(self.title)} " + " ".join(f"{{{self.fields[key]}}}" for key in self.read.schema.primary_key)

    @property
    def matches(self) -> list[str]:
        """Fields in which a name of it may stand."""
        named = [self.read.schema.primary_key[0], self.read.number, self.read.name]
        columns = dict.fromkeys(filter(None, named))
        kinds = {ValueType.TEXT, ValueType.INTEGER}
        return [self.fields[c] for c in columns if c in self.fields and self.read.kind(c) in kinds]


def draft_records(reads: Sequence[Read]) -> dict[str, DraftRecord]:
    """A record type for each table, by the table's canonical name."""
    found: dict[str, DraftRecord] = {}
    for read in reads:
        name = identifier(singular("_".join(parts(read.schema.name))), {one.name for one in found.values()})
        found[f"{read.schema.schema}.{read.schema.name}"] = DraftRecord(name, read, _fields(read))
    return found


def _fields(read: Read) -> dict[str, str]:
    """Field names by column: what the draft needs first, then the rest in order."""
    needed = [*read.schema.primary_key, read.number, read.name, read.due, read.dated, read.amount, read.paid, read.open]
    needed += [read.currency, read.status, *(link.column for link in read.links)]
    known = [c.name for c in read.schema.columns if read.kind(c.name) in _TYPES]
    chosen = [name for name in dict.fromkeys([*filter(None, needed), *known]) if name in known][:MOST_FIELDS]
    fields: dict[str, str] = {}
    for column in (c.name for c in read.schema.columns if c.name in chosen):
        fields[column] = column if _is_plain(column) else identifier(column, fields.values())
    return fields


def _is_plain(name: str) -> bool:
    is_name = name.isascii() and name.isidentifier() and name == name.lower() and len(name) <= 60
    return is_name and is_plain_text(name)


def record_lines(record: DraftRecord) -> list[str]:
    """The record type as YAML."""
    read = record.read
    lines = [f"{record.name}:", f"  title: {scalar(record.title)}", f"  table: {scalar(read.table)}"]
    if read.schema.place:
        lines.append(f"  # DECIDE: {_key_remark(read)}")
    lines.append(f"  key: [{', '.join(scalar(key) for key in read.schema.primary_key)}]")
    lines += [f"  label: {scalar(record.label)}", "  fields:"]
    lines += [f"    {name}: {_field(record, column, name)}" for column, name in record.fields.items()]
    left = len(read.schema.columns) - len(record.fields)
    if left:
        lines.append(f"    # {left} more {'columns' if left > 1 else 'column'} of the table are not drafted.")
    return lines


def _key_remark(read: Read) -> str:
    """What a human should know of a key that no database holds a table to."""
    key, place = read.schema.primary_key[0], remark(read.schema.place)
    if key == ROW:
        return f"no column names every row of {place}; a row's number changes when rows are put in or taken out."
    return f"is {remark(key)} the key? It names every row of {place} today, and nothing holds the file to it."


def _field(record: DraftRecord, column: str, name: str) -> str:
    read = record.read
    kind = _TYPES[read.kind(column)]
    keys = [] if name == column else [f"column: {scalar(column)}"]
    if read.has_money and column in {read.amount, read.paid, read.open}:
        keys += money_keys(read, column)
    else:
        is_name = column in {*read.schema.primary_key, *(link.column for link in read.links)}
        keys.append(f"type: {kind}")
        if kind == "integer" and (is_name or is_named(column, words.NUMBER)):
            keys.append("identifier: true")
    return f"{{{', '.join(keys)}, label: {scalar(in_words(column))}}}"


def money_keys(read: Read, column: str, currency: str = "") -> list[str]:
    """Type and currency of an amount.

    Args:
        read: Its table.
        column: Its column.
        currency: The column of a statement that has the code; default: the table's own.
    """
    keys = ["type: money"] + (["minor_units: true"] if read.is_minor(column) else [])
    code = currency or read.currency
    return [*keys, f"currency: {{column: {code_name(code)}}}" if code else "currency: company"]


def in_words(name: str) -> str:
    """A name as people read it: `due_date` is "Due date"; capitals and spaces stay."""
    text = name.replace("_", " ").strip() or name
    return text[:1].upper() + text[1:]


def code_name(name: str) -> str:
    """A column as YAML."""
    return scalar(name) if remark(name) != name or not _is_plain(name) else name
