"""Sources and units as compact JSON for an index on disk, and back. Pure."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from typing import Any

from footnote.documents.units import Cell, Fragment, Party, Source, Table, Unit, UnitKind


def packed_unit(unit: Unit) -> str:
    """A unit without its file and with the number of its table instead of the table."""
    cells = [[c.column, c.start - unit.start, c.end - unit.start, c.headers, c.address] for c in unit.cells]
    sent = unit.sent.isoformat() if unit.sent else None
    value = [
        unit.number, unit.kind, unit.text, unit.start, unit.section, unit.page, unit.sheet, unit.key, unit.group, cells,
        unit.table.number if unit.table else 0, sent, unit.sender, unit.quoted,
    ]  # fmt: skip
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unpacked_unit(file: str, text: str, table: Table | None) -> Unit:
    """The unit of `file`; `table` is the one that `table_number` names."""
    number, kind, said, start, section, page, sheet, key, group, cells, _, sent, sender, quoted = json.loads(text)
    return Unit(
        file,
        number,
        UnitKind(kind),
        said,
        start,
        start + len(said),
        tuple(section),
        page,
        sheet,
        key,
        tuple(group),
        tuple(Cell(c[0], said[c[1] : c[2]], start + c[1], start + c[2], tuple(c[3]), c[4]) for c in cells),
        table,
        dt.datetime.fromisoformat(sent) if sent else None,
        sender,
        quoted,
    )


def table_number(text: str) -> int:
    """The number of the table of a packed unit; 0 if it has none."""
    number: int = json.loads(text)[10]
    return number


def packed_table(table: Table) -> str:
    """A table without its file."""
    fragments = [[f.start, f.text] for f in table.fragments]
    return json.dumps([table.number, table.caption, table.unit, table.notes, fragments], ensure_ascii=False)


def unpacked_table(file: str, text: str) -> Table:
    """The table of `file`."""
    number, caption, unit, notes, fragments = json.loads(text)
    placed = tuple(Fragment(file, start, start + len(said), said) for start, said in fragments)
    return Table(number, caption, unit, tuple(notes), placed)


def packed_head(source: Source) -> str:
    """A source without its text and units."""
    parties = [[p.name, p.aliases, p.fragment.start, p.fragment.text] for p in source.parties]
    value: list[Any] = [
        source.file, source.title, source.type, source.tier, source.tier_reason,
        source.effective.isoformat() if source.effective else None, source.effective_reason, source.amends, parties, source.problems,
    ]  # fmt: skip
    return json.dumps(value, ensure_ascii=False)


def unpacked_head(text: str) -> Source:
    """The source; its text and units are empty."""
    file, title, type_, tier, tier_reason, effective, effective_reason, amends, parties, problems = json.loads(text)
    return Source(
        file,
        title,
        type_,
        "",
        (),
        tier,
        tier_reason,
        dt.date.fromisoformat(effective) if effective else None,
        effective_reason,
        tuple(amends),
        tuple(
            Party(name, tuple(aliases), Fragment(file, start, start + len(said), said))
            for name, aliases, start, said in parties
        ),
        tuple(problems),
    )


def head_of(source: Source) -> Source:
    """A source as an index keeps it: without text and units."""
    return replace(source, text="", units=())
