"""A conclusion drawn by the catalog, marked as such, then each premise as its own cited fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from footnote.answers.answer import Answer
from footnote.answers.cited import count_text
from footnote.answers.draft import Draft
from footnote.answers.render import BULLET, notes_of, plural, write_empty, write_say, write_slot
from footnote.answers.slots import Slots, slots_of
from footnote.catalog.model import Catalog, Interpretation, Premise
from footnote.catalog.template import Literal, Slot, parse_template
from footnote.errors import CatalogError
from footnote.evidence import Absence, Definition, Evidence
from footnote.operations.expressions import evaluate_condition
from footnote.operations.result import Result

_FACTS = " This is an interpretation; the facts are:"
_LOOKED_AT = " This is an interpretation; what was looked at:"
_BESIDE = "\nBeside them:"
_CLOSING = "\nThe conclusion is drawn by Footnote's catalog; every fact above is a record you can open."


@dataclass(frozen=True, slots=True)
class _Stated:
    """A premise with its result, the draft of its own words, and what they cite."""

    premise: Premise
    slots: Slots
    holds: bool
    evidence: list[Evidence] = field(default_factory=list)


def render_interpretation(
    interpretation: Interpretation, results: Mapping[str, Result], *, catalog: Catalog, question: str = ""
) -> Answer:
    """The interpretation over the results of its operations.

    Premises that do not hold are left out; where none holds, `otherwise` is said, with what was looked at.

    Args:
        interpretation: As in the catalog.
        results: The result of each operation that a premise names, by operation name.
        catalog: The catalog.
        question: As asked.

    Raises:
        CatalogError: A result is missing, or a template names what the results do not have.
        UnboundFigure: The text would state a number that no claim covers.
    """
    name = next((n for n, i in catalog.interpretations.items() if i == interpretation), interpretation.title)
    stated = [_stated(premise, results, catalog) for premise in interpretation.premises]
    facts = [s for s in stated if s.holds and not s.premise.context]
    shown = facts or [s for s in stated if not s.premise.context]
    beside = [s for s in stated if s.holds and s.premise.context]
    for item in (*shown, *beside):  # a first draft of each line shows what it cites
        _write_line(Draft(), item, name)
    draft = Draft()
    template = interpretation.conclusion if facts else interpretation.otherwise
    _write_conclusion(draft, template, facts or shown, len(facts), [s.slots for s in stated], name)
    conclusion = (0, draft.position())
    draft.say(_FACTS if facts else _LOOKED_AT)
    _write_facts(draft, shown, beside, name)
    used = tuple({s.slots.result.id: s.slots.result for s in stated}.values())
    for known in (s.slots.cited.known for s in stated):
        for evidence in known:
            draft.evidence.add(evidence)
    text, claims = draft.finish()
    return Answer(question, text, claims, used, draft.evidence, "interpretation", notes_of(used), conclusion=conclusion)


def _stated(premise: Premise, results: Mapping[str, Result], catalog: Catalog) -> _Stated:
    result = results.get(premise.operation)
    if result is None:
        raise CatalogError(
            f"The interpretation needs the result of {premise.operation}.",
            why="A conclusion is drawn from all of its premises or not at all.",
        )
    operation = catalog.operations[premise.operation]
    holds = evaluate_condition(premise.when, result.tables, result.derived, operation=operation)
    return _Stated(premise, slots_of(operation, result, catalog.display.locale), holds)


def _write_facts(draft: Draft, facts: Sequence[_Stated], beside: Sequence[_Stated], name: str) -> None:
    for item in facts:
        draft.say(BULLET)
        _write_line(draft, item, name)
    for number, item in enumerate(beside):
        draft.say((_BESIDE if number == 0 else "") + BULLET)
        _write_line(draft, item, name)
    draft.say(_CLOSING)


def _write_line(draft: Draft, stated: _Stated, name: str) -> None:
    """Write a premise as a fact, or why there is nothing; remember what it cites."""
    result = stated.slots.result
    before = len(draft.bound)
    if result.empty and not stated.holds:
        write_empty(draft, stated.slots)
    else:
        definition = Definition(
            f"{name}.premises.{result.operation}", stated.premise.say, result.catalog_digest, result.id
        )
        write_say(draft, stated.slots, stated.premise.say, definition, between="; ")
    if not stated.evidence:
        cited = dict.fromkeys(id for bound in draft.bound[before:] for id in bound.evidence)
        found = [draft.evidence.get(id, result.id) for id in cited]
        stated.evidence.extend(item for item in found if item is not None)


def _write_conclusion(
    draft: Draft, template: str, cited: Sequence[_Stated], count: int, all_slots: Sequence[Slots], name: str
) -> None:
    """Write the conclusion; `{premises.count}` is a figure whose evidence is that of the premises."""
    digest = all_slots[0].result.catalog_digest
    definition = Definition(f"{name}.conclusion", template, digest)
    for part in parse_template(template):
        if isinstance(part, Literal):
            draft.say(part.text, definition)
        elif part.name == "premises.count":
            _write_count(draft, part, cited, count, name)
        else:
            slots = _slots_with(part, all_slots)
            write_slot(draft, part, slots.fill(part.name), slots)


def _write_count(draft: Draft, slot: Slot, cited: Sequence[_Stated], count: int, name: str) -> None:
    locale = cited[0].slots.locale if cited else "en"
    if slot.plural_forms:
        draft.say(plural(slot, count, locale))
        return
    evidence = [item for stated in cited for item in stated.evidence]
    if not evidence:
        evidence = [Absence(f"{name}.premises", "No premise holds.")]
    ids = dict.fromkeys(draft.evidence.add(item) for item in evidence)
    draft.bind(count_text(count, locale), tuple(ids))


def _slots_with(slot: Slot, all_slots: Sequence[Slots]) -> Slots:
    """The first result that can fill the slot; the conclusion speaks about parameters that all results share."""
    for slots in all_slots:
        try:
            slots.fill(slot.name)
        except CatalogError:
            continue
        return slots
    raise CatalogError(f"The slot {{{slot.name}}} of the conclusion cannot be filled.", remedy="Name a parameter.")
