"""Names resolve first: an entity argument becomes the key of one record before any statement runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.catalog.model import Entity
from footnote.errors import Candidate, NameAmbiguous, NameUnknown, TooManyRows
from footnote.operations.names import MOST_CANDIDATES, Named, find_named, nearest
from footnote.plans.shape import NAMES, EntityPlan
from footnote.sources.query import Query, Value

Run = Callable[[str, str, Query], list[tuple[Value, ...]]]
"""Runs a query of a purpose for a statement, and keeps account of it."""

_NUMBER = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Found:
    """The one record a name means."""

    key: tuple[Value, ...]
    label: str


def resolve(text: str, name: str, entity: Entity, plan: EntityPlan, run: Run, *, inside_words: bool = True) -> Found:
    """The record that `text` names.

    Args:
        text: As the caller gave it; empty for the only record there is.
        name: The entity's name, for errors.
        entity: The entity.
        plan: Its plan.
        run: Runs a query in the call's snapshot.
        inside_words: As `find_named`.

    Raises:
        NameUnknown, NameAmbiguous: With up to five real candidates.
        TooManyRows: There are too many records to look a partial name up among.
    """
    if not text:
        return _only(name, _scanned(plan, name, run))
    exact = _records(plan, _exact(text, plan, name, run))
    if len(exact) == 1:
        return _found(exact[0])
    if len(exact) > 1:
        raise _ambiguous(text, name, exact)
    records = _scanned(plan, name, run)
    matching = find_named(text, records, entity.legal_forms, inside_words=inside_words)
    if len(matching) == 1:
        return _found(matching[0])
    if matching:
        raise _ambiguous(text, name, matching)
    raise NameUnknown(
        f"No {name} is called {_short(text)}.",
        remedy="Take one of the names that exist." if records else f"The source has no {name} at all.",
        candidates=[_candidate(record, name) for record in nearest(text, records, entity.legal_forms)],
        details={"entity": name, "given": text[:80]},
    )


def _scanned(plan: EntityPlan, name: str, run: Run) -> list[Named]:
    rows = run("entity", name, plan.scan.bind({}))
    if len(rows) > NAMES:
        raise TooManyRows(
            f"There are more than {NAMES:,} records of {name!r}, too many to look up a part of a name.",
            remedy="Give the exact name or the number.",
        )
    return _records(plan, rows)


def _only(name: str, records: Sequence[Named]) -> Found:
    """The record that is meant where none is named; with several of them nothing is guessed."""
    if len(records) == 1:
        return _found(records[0])
    if not records:
        raise NameUnknown(f"The source has no {name} at all.", details={"entity": name, "given": ""})
    raise NameAmbiguous(
        f"There are {len(records)} records of {name!r}, and the question names none of them.",
        why="Footnote never guesses between two.",
        remedy=f"Name the {name}." + _more(records),
        candidates=[_candidate(record, name) for record in records[:MOST_CANDIDATES]],
        details={"entity": name, "given": "", "matches": len(records)},
    )


def _exact(text: str, plan: EntityPlan, name: str, run: Run) -> list[tuple[Value, ...]]:
    if _NUMBER.fullmatch(text):
        return run("entity", name, plan.exact.bind({"text": text, "number": int(text)}))
    if plan.exact_text is None:
        return []
    return run("entity", name, plan.exact_text.bind({"text": text}))


def _records(plan: EntityPlan, rows: Sequence[tuple[Value, ...]]) -> list[Named]:
    width = len(plan.key)
    return [Named(row[:width], tuple(str(v) for v in row[width:] if v is not None)) for row in rows]


def _found(record: Named) -> Found:
    return Found(record.key, _label(record))  # type: ignore[arg-type]  # keys come from rows, so they are values


def _label(record: Named) -> str:
    """The record's texts, its name before its number."""
    words = [text for text in record.texts if not _NUMBER.fullmatch(text)]
    return words[0] if words else (record.texts or ("",))[0]


def _candidate(record: Named, name: str) -> Candidate:
    numbers = [text for text in record.texts if _NUMBER.fullmatch(text)]
    label = _label(record)
    shown = f"{label} ({numbers[0]})" if numbers and numbers[0] != label else label
    return Candidate(shown, f"{name}:{'/'.join(str(part) for part in record.key)}")


def _ambiguous(text: str, name: str, records: Sequence[Named]) -> NameAmbiguous:
    return NameAmbiguous(
        f"{_short(text)} may be any of {len(records)} records of {name!r}.",
        why="Footnote never guesses between two.",
        remedy="Give the full name or the number." + _more(records),
        candidates=[_candidate(record, name) for record in records[:MOST_CANDIDATES]],
        details={"entity": name, "given": text[:80], "matches": len(records)},
    )


def _more(records: Sequence[Named]) -> str:
    more = len(records) - MOST_CANDIDATES
    return f" There are {more} more." if more > 0 else ""


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "…")
