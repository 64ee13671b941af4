"""Which passage holds where a later document amends an earlier one. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.documents.amendments import Change, is_changed
from footnote.documents.desk import Desk
from footnote.documents.profile import is_amendment
from footnote.documents.units import Source, Unit


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


def amends(later: Source, earlier: Source) -> bool:
    """True if `later` amends `earlier`: it says so, or it is an amendment of the same parties and a later date."""
    if earlier.file in later.amends:
        return True
    if later.amends or not is_amendment(later):
        return False
    if later.effective is None or earlier.effective is None:
        return not is_amendment(earlier) and _may_concern(later, earlier)
    return later.effective > earlier.effective and _may_concern(later, earlier)


def _may_concern(later: Source, earlier: Source) -> bool:
    """Both name the same parties, or one of them names none."""
    mine = {party.name.casefold() for party in later.parties}
    its = {party.name.casefold() for party in earlier.parties}
    return not mine or not its or mine == its or len(mine & its) >= 2
