"""Which passage holds where a later document amends an earlier one. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.documents.amendments import Change, amends, is_changed
from footnote.documents.desk import Desk
from footnote.documents.units import Unit


def superseded(unit: Unit, others: Sequence[Unit], desk: Desk) -> bool:
    """True if one of `others` stands in a document that amends the one of `unit`."""
    mine = desk.source(unit.file)
    return any(amends(desk.source(other.file), mine) for other in others if other.file != unit.file)


def change_of(unit: Unit, desk: Desk) -> Change | None:
    """What a later document does to the clause that a unit stands in; None if nothing."""
    mine = desk.source(unit.file)
    for later in desk.amendments():
        if later.file != mine.file and amends(later, mine):
            for change in desk.changes(later.file):
                if is_changed(unit, change):
                    return change
    return None
