"""What a figure rests on, level by level: contributions with what each is made of, and the rows that decided.

A row of a base table is cited as itself. A row of an inner query is a `Group` of the rows below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from footnote.evidence import Absence, EvidenceSet, Group
from footnote.figures import Contribution, Value, exact_text
from footnote.lineage.compare import Key
from footnote.lineage.shape import Block, Link, Output
from footnote.lineage.tied import Part, TiedRow

_GIVES_VALUES = ("derived", "union all", "union", "intersect", "except", "scalar")
Cite = Callable[[str, tuple[object, ...]], str]
Show = Callable[[Value], tuple[Value, str]]
"""An amount as the figure's format has it, and as a person reads it."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Cites what the figures of one statement rest on.

    Attributes:
        path: `operation.statement`.
        grain: The statement's record type.
        cite: Notes that a row is cited; gives its id.
        evidence: Takes groups and absences.
    """

    path: str
    grain: str
    cite: Cite
    evidence: EvidenceSet

    def contributions(self, block: Block, output: Output, row: TiedRow, show: Show) -> tuple[Contribution, ...]:
        """What each row adds to a figure, with what it is made of."""
        inherited = self._inherited(block, output, row)
        if inherited is not None:
            return self.contributions(*inherited, show)
        return tuple(
            self._contribution(block, output, row, key, amount, show)
            for key, amount in row.contributions.get(output.name, ())
        )

    def method(self, block: Block, output: Output, row: TiedRow) -> str:
        """How a figure is made; a value that an inner query gives as it stands is made as there."""
        inherited = self._inherited(block, output, row)
        if inherited is None:
            return output.method
        method = self.method(*inherited)
        return method if method != "group" else "row value"

    def _inherited(self, block: Block, output: Output, row: TiedRow) -> tuple[Block, Output, TiedRow] | None:
        """The inner output and row that a value of a row statement is taken from as it stands."""
        if block.aggregated or output.expression is None or output.expression[0] != "sub":
            return None
        part = next(iter(row.parts.values()))[block.link_of(output.expression[1])]
        if len(part.rows) != 1 or part.others:
            return None
        return part.block, _output_of(block, part, output.expression[1]), part.rows[0]

    def _contribution(
        self, block: Block, output: Output, row: TiedRow, key: Key, amount: Value, show: Show
    ) -> Contribution:
        value, display = show(amount)
        items: list[Contribution] = []
        for part, inner, sub in self._used(block, output, row, key):
            money = any(found.currencies.get(inner.name) for found in part.rows)
            shown = show if money or sub in output.alone else _plain
            items += self._items(part, inner, shown, read=block.links[part.link].kind == "scalar")
        return Contribution(self.row_id(block, row, key), value, display, tuple(items))

    def _items(self, part: Part, output: Output, show: Show, *, read: bool) -> Iterator[Contribution]:
        """What an inner value is made of; `read`: it may be read off a row as it stands."""
        for row in part.rows:
            if row.behind:  # some of its rows would not add up to it
                continue
            found = self.contributions(part.block, output, row, show)
            yield from found
            value = row.values[output.name]
            if read and not found and not part.block.aggregated and value is not None:
                yield Contribution(self.row_id(part.block, row, row.grain[0]), *show(value))

    def _used(self, block: Block, output: Output, row: TiedRow, key: Key) -> Iterator[tuple[Part, Output, int]]:
        """The inner outputs that a contribution is computed from, and their places; an opening balance is the row's before."""
        parts = row.parts.get(key, ()) if output.method != "running" or key in row.grain else ()
        for sub in output.subs if parts else ():
            part = parts[block.link_of(sub)]
            if block.links[part.link].kind in _GIVES_VALUES and part.rows:
                yield part, _output_of(block, part, sub), sub

    # --- ids ----------------------------------------------------------------------------------------------------------

    def row_id(self, block: Block, row: TiedRow, key: Key) -> str:
        """The id of the row that a contribution is known by; a row of a group is cited with all rows below."""
        start = 0
        for source in block.grains:
            own = key[start : start + len(source.key)]
            start += len(source.key)
            if source.absent(own):
                continue
            if source.inner:
                part = next(p for p in row.parts[key] if block.links[p.link].label == source.alias)
                return self._group(part, own)
            if source.record:
                return self.cite(source.record, own)
        return ""  # it decided only, and is of a table that is no record type

    def _group(self, part: Part, key: Key) -> str:
        rows = self.rows_of(part)
        shown = [value for value in key[1:] if value is not None] if len(key) > 1 else []
        text = ", ".join(str(value) for value in shown) or "all rows"
        named_by = rows[0] if rows and not part.block.aggregated else ""  # a row of a query that does not group
        text = named_by or text
        behind = sum(row.behind for one in (part, *part.others) for row in one.rows)
        text += f" ({behind:,} rows, not all of them listed)" if behind else ""
        place = "/".join(quote(str(value), safe="~") for value in key[1:])
        return self.evidence.add(Group(f"{self.path}.{part.link}/{place}", text, rows, named_by=named_by))

    def rows_of(self, part: Part) -> tuple[str, ...]:
        """All rows that a part is made of, those of further branches of a UNION under their own records."""
        each = (self.rows_under(one.block, one.rows) for one in (part, *part.others))
        return tuple(dict.fromkeys(id for ids in each for id in ids))

    def rows_under(self, block: Block, rows: tuple[TiedRow, ...]) -> tuple[str, ...]:
        """All rows that rows of an inner query are made of, down to base tables."""
        found: dict[str, None] = {}
        for row in rows:
            for key in row.grain:
                id = self.row_id(block, row, key)
                if id:
                    found.setdefault(id)
                for part in row.parts.get(key, ()):
                    if block.links[part.link].kind in _GIVES_VALUES:
                        found |= dict.fromkeys(self.rows_of(part))
        return tuple(found)

    def evidence_of(self, block: Block, output: Output, row: TiedRow) -> tuple[str, ...]:
        """Ids of all rows that an output's inner values come from, in order, once each."""
        found: dict[str, None] = {}
        parts = {id(part): part for key in row.grain for part, *_ in self._used(block, output, row, key)}
        for part in parts.values():
            found |= dict.fromkeys(self.rows_of(part))
        return tuple(found)

    def decided(self, block: Block, row: TiedRow) -> tuple[str, ...]:
        """Ids of the rows that decided whether rows count, and of what was looked for and not found."""
        found: dict[str, None] = {}
        parts = {id(part): part for key in row.grain for part in row.parts.get(key, ())}  # many rows share one
        for part in parts.values():
            link = block.links[part.link]
            if link.kind not in _GIVES_VALUES or _only_decides(block, part.link):
                found |= dict.fromkeys(self._decisive(link, part))
        return tuple(found)

    def _decisive(self, link: Link, part: Part) -> tuple[str, ...]:
        if link.negated and not part.rows:
            what = f"No row of ({link.label}) for any row that counts."
            return (self.evidence.add(Absence(f"{self.path}.{part.link}", what)),)
        return self.rows_of(part)


def _plain(amount: Value) -> tuple[Value, str]:
    """What an amount is multiplied by, or compared with: a number, and none of the figure's unit."""
    return amount, str(exact_text(amount))


def _output_of(block: Block, part: Part, sub: int) -> Output:
    link = block.links[part.link]
    return part.block.outputs[len(link.keys) if link.kind == "scalar" else sub - link.first]


def _only_decides(block: Block, link: int) -> bool:
    """Whether the values of an inner query stand in conditions only."""
    of = block.links[link]
    return of.kind == "scalar" and not any(
        block.link_of(sub) == link for output in block.outputs for sub in output.subs
    )
