"""What an amendment does to the clauses of what it amends: which it replaces or deletes, and what they say from then on. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.documents.folding import fold
from footnote.documents.profile import is_amendment
from footnote.documents.units import Source, Unit

_NUMBER = r"\d{1,3}[a-z]?(?:\.\d{1,3})*"
_REFERENCE = re.compile(
    rf"(?:\b(?:clauses?|sections?|articles?|paragraphs?|ziffer|klausel|artikel|abschnitt|punkt|pkt|artykul|clause|paragraphe)\.?|§+)\s*({_NUMBER})"
    rf"(?:,?\s*(?:ust\.?|abs\.?|absatz|nr\.?|pkt\.?|satz|al\.?|alinea|par\.?|lit\.?|ustep\w*)\s*({_NUMBER}))?"
)
_REPLACES = re.compile(
    r"\b(?:replaced?|replaces|replacing|superseded?|supersedes|reads?|amended|restated|changed|substituted|modified|"
    r"ersetzt|geandert|lautet|neu gefasst|neugefasst|remplace\w*|modifie\w*|redige\w*|libelle\w*|"
    r"otrzymuj\w+|brzmi\w*|zastep\w+|zmienia\w*|zmianie)\b"
)
_DELETES = re.compile(
    r"\b(?:deleted?|removed?|cancelled|revoked|repealed|gestrichen|entfallt|aufgehoben|supprime\w*|abroge\w*|"
    r"skresla|skreslony|skreslona|uchyla|uchylony|usuwa)\b"
)
_UNCHANGED = re.compile(
    r"\b(?:unchanged|remains?|continues?|unberuhrt|unverandert|inchange\w*|bez zmian|nie ulega\w*)\b"
)
_QUOTED = re.compile(r"[\"“„«”]\s*(.{6,}?)\s*[\"”“»]\s*\.?\s*(?=$|[;.]|\s)", re.DOTALL)
_ENUMERATOR = re.compile(
    rf"^\W*(?:clause|section|article|artikel|art\.|§+)?\s*\(?({_NUMBER}|[a-z])[.)]?(?:\s|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Change:
    """One clause that an amendment replaces or deletes.

    Attributes:
        clause: Its numbers, outermost first: ("5.2",), ("3", "1").
        unit: The unit of the amendment that says so.
        deleted: Nothing takes its place.
    """

    clause: tuple[str, ...]
    unit: Unit
    deleted: bool


def changes_in(units: Sequence[Unit]) -> tuple[Change, ...]:
    """Every clause that the units of an amendment replace or delete."""
    out: list[Change] = []
    for unit in units:
        quote = _QUOTED.search(unit.text)
        outside = fold(unit.text[: quote.start()] if quote else unit.text).text
        replaces, deletes = _REPLACES.search(outside), _DELETES.search(outside)
        if not (replaces or deletes) or (_UNCHANGED.search(outside) and not quote):
            continue
        for match in _REFERENCE.finditer(outside):
            clause = tuple(part for part in match.groups() if part)
            out.append(Change(clause, unit, deletes is not None and quote is None))
    return tuple(out)


def new_wording(text: str) -> tuple[int, int] | None:
    """Where the wording stands that takes the place of a clause, in a unit that says so; None in any other unit."""
    match = _QUOTED.search(text)
    if match is None:
        return None
    outside = fold(text[: match.start()]).text
    named = _REFERENCE.search(outside) and (
        _REPLACES.search(outside) or re.search(r"\b(?:added|inserted|hinzugefugt|ajoute\w*|dodaje)\b", outside)
    )
    return match.span(1) if named else None


def is_changed(unit: Unit, change: Change) -> bool:
    """Whether a unit stands in the clause that is changed."""
    path = [match[1] for heading in unit.section if (match := _ENUMERATOR.match(heading))]
    clause = list(change.clause)
    return bool(path) and (path[-len(clause) :] == clause or _joined(path[-2:]) == _joined(clause))


def _joined(path: Sequence[str]) -> str:
    return ".".join(path)


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
