"""Amounts that a sub-select gives are added up once, as those of a joined table are.

`SUM(i.amount - (SELECT SUM(p.amount) FROM paid p WHERE p.customer = i.customer))` takes what a customer paid off each of
their invoices. A term of a sum that is a sub-select alone may rest on each row below it but once; what is multiplied by
a value of the row, as a rate is, is another amount for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from footnote.errors import TieOutError
from footnote.lineage.compare import Key, shown_grain
from footnote.lineage.expressions import alone_in
from footnote.lineage.members import Member
from footnote.lineage.shape import Aggregate, Block, Link, Repeat, RowCheck


def repeats_of(
    aggregates: Iterable[Aggregate], checks: Iterable[RowCheck], links: Sequence[Link]
) -> tuple[Repeat, ...]:
    """What is added up that a sub-select alone gives."""
    scalars = {link.first: place for place, link in enumerate(links) if link.kind == "scalar"}
    added = {one.argument for one in aggregates if one.function in ("sum", "average")}
    found = []
    for check in checks:
        if check.what == "argument" and check.index in added:
            alone = alone_in(check.expression)
            found += [Repeat(check.index, sub, scalars[sub]) for sub in alone if sub in scalars]
    return tuple(found)


def _keys_added(repeat: Repeat, members: Iterable[Member]) -> Iterator[tuple[Member, Key]]:
    """The rows of the sub-select, by key, each as often as it is added up."""
    for member in members:
        if member.arguments[repeat.argument] is not None and member.subs[repeat.sub] not in (None, 0):
            for row in member.parts[repeat.link].rows:
                for key in row.grain:
                    yield member, key


class Repeats:
    """Finds rows that a sub-select gives to several rows that are added up, also where those pass in batches."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._seen: list[set[Key]] = [set() for _ in block.repeats]

    def take(self, members: Sequence[Member]) -> None:
        """Take in further rows.

        Raises:
            TieOutError: With the first row below them that is added up twice.
        """
        asked = self._block.asked
        for repeat, seen in zip(self._block.repeats, self._seen, strict=True):
            for member, key in _keys_added(repeat, members):
                whole = (*member.group[:asked], *key)
                if whole in seen:
                    raise _repeated(self._block, repeat, member, key)
                seen.add(whole)


def _repeated(block: Block, repeat: Repeat, member: Member, key: Key) -> TieOutError:
    """The error that names a row which a sub-select gives more than once."""
    row, link = shown_grain(member.parts[repeat.link].block, key), block.links[repeat.link]
    return TieOutError(
        f"This statement counts {row} more than once, in ({link.label}).",
        why=f"The sub-select gives it to several rows of {block.sources[block.grain].shown}, and is added up for each.",
        remedy="Add up what the sub-select reads in a statement of its own, and combine the two under `derive`.",
        details={"row": row},
    )
