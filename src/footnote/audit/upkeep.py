"""What a record of upkeep says, in sentences: erasures, holds and prunings, keys, imports, and calls made again.

Such records have no question and no answer, and are what an auditor looks for first. What is not there any more, or has
not the form that it should, is left out. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from footnote.errors import counted
from footnote.provenance import Record


def upkeep(record: Record) -> str:
    """What was done and why, in a line; empty if the record is of another kind."""
    said = _HEADS[record.kind](record.sections) if record.kind in _HEADS else ""
    reason = record.sections.get("reason")
    return f"{said} Reason: {reason}".strip() if isinstance(reason, str) and record.kind in _HEADS else said


def details(record: Record) -> Iterator[str]:
    """What an erasure destroyed, a line for each record."""
    for sequence, paths in _erased(record.sections) if record.kind == "erasure" else ():
        yield f"Record {sequence}: {', '.join(paths)}"


def _erasure(sections: Mapping[str, Any]) -> str:
    erased = list(_erased(sections))
    return f"Erased {counted(sum(len(paths) for _, paths in erased), 'part')} of {counted(len(erased), 'record')}."


def _erased(sections: Mapping[str, Any]) -> Iterator[tuple[int, list[str]]]:
    named = sections.get("erased")
    for entry in named if isinstance(named, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("paths"), list):
            yield entry.get("sequence", 0), [str(path) for path in entry["paths"]]


def _retention(sections: Mapping[str, Any]) -> str:
    hold, release, pruned = (_object(sections, name) for name in ("hold", "release", "pruned"))
    if hold:
        ends = (f"{word} {hold[word]}" for word in ("from", "to") if hold.get(word))
        return f"The legal hold {' '.join([str(hold.get('name')), *ends])} came into force."
    if release:
        return f"The legal hold {release.get('name')} was released."
    if pruned:
        return f"The records up to {pruned.get('upto')} were pruned; {_export(_object(pruned, 'export'))} has them."
    return ""


def _key(sections: Mapping[str, Any]) -> str:
    note = sections.get("rotation")
    key = note.partition("rotates to ")[2].partition("\n")[0] if isinstance(note, str) else ""
    return f"The log has a new key: {key}." if key else ""


def _import(sections: Mapping[str, Any]) -> str:
    found = _object(sections, "import")
    if not found:
        return ""
    log = f" of log {found['log']}" if found.get("log") else ""
    count = found.get("count")
    what = counted(count, "record") if isinstance(count, int) else "records"
    return f"Continues {what}{log}, the last with the hash {found.get('head')}; {_export(found)} has them."


def _reperform(sections: Mapping[str, Any]) -> str:
    found = _object(sections, "reperform")
    if not found:
        return ""
    again, compared = _object(found, "record"), []
    for one, many in (("figure", "figures"), ("row", "rows")):
        differ, of = found.get(many), found.get(f"{many}Compared")
        if isinstance(differ, list) and isinstance(of, int):
            compared.append(f"{len(differ):,} of {counted(of, one)}")
    outcome = f" {' and '.join(compared)} differed." if compared else ""
    return f"The call of record {again.get('sequence')}, {found.get('operation')}, was made again.{outcome}"


def _export(found: Mapping[str, Any]) -> str:
    return f"the export with the SHA-256 {str(found.get('sha256', '')).removeprefix('sha256:')}"


def _object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


_HEADS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "erasure": _erasure,
    "retention": _retention,
    "key": _key,
    "import": _import,
    "reperform": _reperform,
}
