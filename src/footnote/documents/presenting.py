"""Sources, units and verdicts as JSON values for every face; absent parts are left out. Pure."""

from __future__ import annotations

from typing import Any

from footnote.documents.sections import Section
from footnote.documents.units import Fragment, Source, Unit
from footnote.documents.verdict import Location, Passage, Verdict
from footnote.evidence import Quote


def fragment_dict(fragment: Fragment) -> dict[str, Any]:
    """A fragment with the id that records and answers give it."""
    id = Quote(fragment.file, fragment.start, fragment.end, fragment.text).id
    return {"id": id, "file": fragment.file, "start": fragment.start, "end": fragment.end, "text": fragment.text}


def location_dict(location: Location) -> dict[str, Any]:
    """Where a passage stands."""
    out: dict[str, Any] = {"text": location.text, "section": list(location.section)}
    out |= {"start": location.start, "end": location.end}
    if location.page is not None:
        out["page"] = location.page
    return out | ({"sheet": location.sheet} if location.sheet else {})


def passage_dict(passage: Passage) -> dict[str, Any]:
    """A passage with its authority."""
    return {
        "file": passage.file,
        "text": passage.text,
        "location": location_dict(passage.location),
        "tier": passage.tier,
        "fragments": [fragment_dict(fragment) for fragment in passage.fragments],
    }


def verdict_dict(verdict: Verdict) -> dict[str, Any]:
    """A verdict; `quote` is its fragments as written, joined with " […] "."""
    out: dict[str, Any] = {
        "status": verdict.status.value,
        "claim": verdict.claim,
        "permittedAction": verdict.permitted_action.value,
        "reasonCodes": [reason.value for reason in verdict.reason_codes],
        "explanation": verdict.explanation,
        "quotes": [fragment_dict(fragment) for fragment in verdict.quotes],
        "slots": [
            {"kind": slot.kind, "claimed": slot.claimed, "found": slot.found, "outcome": slot.outcome.value}
            for slot in verdict.slots
        ],
        "conflicting": [passage_dict(passage) for passage in verdict.conflicting],
    }
    if verdict.quotes:
        out |= {"quote": verdict.quote, "file": verdict.file, "tier": verdict.tier}
    if verdict.location is not None:
        out["location"] = location_dict(verdict.location)
    if verdict.derivation:
        out["derivation"] = verdict.derivation
    if verdict.nearest is not None:
        out["nearest"] = passage_dict(verdict.nearest)
    return out


def unit_dict(unit: Unit) -> dict[str, Any]:
    """A unit, verbatim, with its place."""
    location = Location(unit.section, unit.page, unit.sheet, unit.start, unit.end)
    out: dict[str, Any] = {
        "file": unit.file,
        "kind": unit.kind.value,
        "text": unit.text,
        "location": location_dict(location),
    }
    if unit.table is not None and unit.cells:
        cells = ({"text": c.text, "headers": list(c.headers), "address": c.address} for c in unit.cells)
        out["cells"] = [{name: value for name, value in cell.items() if value} for cell in cells]
        out |= {name: said for name, said in (("caption", unit.table.caption), ("unit", unit.table.unit)) if said}
    if unit.sender:
        out["sender"] = unit.sender
    if unit.sent is not None:
        out["sent"] = unit.sent.isoformat()
    return out | ({"repeatsAnotherMessage": True} if unit.quoted else {})


def source_dict(source: Source, sections: list[Section] | None = None) -> dict[str, Any]:
    """A source without its text.

    Args:
        source: With or without text and units.
        sections: Its sections, if they are wanted.
    """
    out: dict[str, Any] = {
        "file": source.file,
        "title": source.title,
        "type": source.type,
        "tier": source.tier,
        "tierReason": source.tier_reason,
        "amends": list(source.amends),
        "parties": [{"name": party.name, "aliases": list(party.aliases)} for party in source.parties],
        "problems": list(source.problems),
    }
    if source.effective is not None:
        out |= {"effective": source.effective.isoformat(), "effectiveReason": source.effective_reason}
    if sections is not None:
        out["sections"] = [section.name for section in sections]
    return out
