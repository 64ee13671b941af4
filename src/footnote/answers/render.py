"""A result as an answer: the operation's template with its slots filled, each bound to what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from footnote.answers.answer import Answer
from footnote.answers.cited import Filled, count_text
from footnote.answers.draft import Draft
from footnote.answers.slots import Slots, slots_of
from footnote.catalog.model import Catalog, Operation
from footnote.catalog.template import Literal, Slot, parse_template
from footnote.errors import CatalogError
from footnote.evidence import Definition, Evidence
from footnote.figures import find_numerals, plural_form
from footnote.operations.result import Result

BULLET = "\n  · "
TEXT_LANGUAGE = "en"
"""Templates with two plural forms are English; four forms (one, few, many, other) follow the catalog's locale."""

CURRENT_BASIS = "Balances are as of now; they are not reconstructed for the date asked about."


def render_answer(operation: Operation, result: Result, *, catalog: Catalog, question: str = "") -> Answer:
    """The operation's own answer to its result; `receipt` is unset.

    Raises:
        CatalogError: The template names what the result does not have.
        UnboundFigure: The text would state a number that no claim covers.
    """
    draft = Draft()
    slots = slots_of(operation, result, catalog.display.locale)
    _name_the_asked(draft, slots)
    if result.empty:
        write_empty(draft, slots)
    else:
        write_say(draft, slots, operation.template.say, definition_of(operation, result), between=" ")
        _write_items(draft, slots)
    for item in slots.cited.known:
        draft.evidence.add(item)
    text, claims = draft.finish()
    return Answer(question, text, claims, (result,), draft.evidence, notes=notes_of((result,)))


def write_say(draft: Draft, slots: Slots, template: str, definition: Definition, *, between: str) -> None:
    """Write the template, once for each currency that the result has."""
    for number, currency in enumerate(slots.currencies()):
        draft.say(between if number else "")
        write_template(draft, replace(slots, currency=currency), template, definition)


def write_template(draft: Draft, slots: Slots, template: str, definition: Definition) -> None:
    """Write the template with every slot filled and bound."""
    for part in parse_template(template):
        if isinstance(part, Literal):
            draft.say(part.text, definition)
        else:
            write_slot(draft, part, slots.fill(part.name), slots)


def _name_the_asked(draft: Draft, slots: Slots) -> None:
    """Begin with a record that the call named and need not have, if the template does not name it.

    Such a template reads as if it were about all of them.
    """
    operation = slots.operation
    said = operation.template.say
    if slots.result.empty:
        said = operation.empty.reason if operation.empty else slots.result.empty
    written = {part.name.partition(".")[0] for part in parse_template(said) if isinstance(part, Slot)}
    for entity in slots.result.entities:
        parameter = operation.parameter(entity.parameter)
        optional = parameter is not None and not parameter.is_required
        if optional and entity.parameter not in written and entity.label not in said:
            named = slots.cited.entity(entity.parameter)
            ids = [draft.evidence.add(item) for item in named.evidence]
            draft.bind(named.text, ids, result=slots.result.id)
            draft.say(": ")


def write_slot(draft: Draft, slot: Slot, filled: Filled, slots: Slots) -> None:
    """Write a filled slot: its value as a claim, or the plural form that agrees with it."""
    if slot.plural_forms:
        draft.say(plural(slot, filled.number, slots.locale))
        return
    ids = [draft.evidence.add(item) for item in filled.evidence]
    draft.bind(filled.text, ids, result=slots.result.id, figure=filled.address)


def plural(slot: Slot, number: Decimal | int | None, locale: str) -> str:
    """The form that agrees with the number (CLDR); nothing recorded takes the last form.

    Raises:
        CatalogError: The slot's value is not a number.
    """
    forms = slot.plural_forms
    if number is None:
        return forms[-1]
    if len(forms) == 2:
        return forms[0] if plural_form(number, TEXT_LANGUAGE) == "one" else forms[1]
    categories = ("one", "few", "many", "other")
    category = plural_form(number, locale)
    return forms[categories.index(category)] if category in categories else forms[-1]


def write_empty(draft: Draft, slots: Slots) -> None:
    """Write why there is nothing; every word of it is bound to the stated absence, an argument or a row."""
    result, operation = slots.result, slots.operation
    absences = slots.cited.absences()
    definition = Definition(f"{result.operation}.empty", result.empty, result.catalog_digest, result.id)
    if operation.empty is None:
        _write_absence(draft, result.empty, absences, result)
        return
    definition = replace(definition, text=operation.empty.reason)
    for part in parse_template(operation.empty.reason):
        if isinstance(part, Slot):
            write_slot(draft, part, slots.fill(part.name), slots)
        else:
            _write_absence(draft, part.text, absences, result, definition)


def definition_of(operation: Operation, result: Result) -> Definition:
    """The operation's template, which is evidence for the numbers it brings itself."""
    template = operation.template
    text = template.say + (BULLET + template.items.say if template.items else "")
    return Definition(f"{result.operation}.answer", text, result.catalog_digest, result.id)


def notes_of(results: Sequence[Result]) -> tuple[str, ...]:
    """What a reader must know about the results beside the text."""
    notes = list(dict.fromkeys(note for result in results for note in result.notes))
    if any(r.basis == "current" and r.as_of for r in results) and not any("balances" in note for note in notes):
        notes.append(CURRENT_BASIS)
    times = sorted({result.taken_at for result in results})
    if len(times) > 1:
        notes.append(f"The results are from {len(times)} snapshots, taken from {times[0]} to {times[-1]}.")
    return tuple(notes)


def _write_absence(
    draft: Draft, text: str, absences: Sequence[Evidence], result: Result, definition: Definition | None = None
) -> None:
    """Bind a stretch of words, without the white space and closing mark around it, to what was not found."""
    core = text.strip(" \n.,;:–—")
    if not any(character.isalnum() for character in core):
        draft.say(text, definition)
        return
    start = text.index(core)
    draft.say(text[:start])
    ids = [draft.evidence.add(item) for item in absences]
    if definition is not None and find_numerals(core):
        ids.append(draft.evidence.add(definition))
    draft.bind(core, ids, result=result.id)
    draft.say(text[start + len(core) :])


def _write_items(draft: Draft, slots: Slots) -> None:
    items = slots.operation.template.items
    if items is None:
        return
    table = slots.result.tables.get(items.of)
    if table is None:
        raise CatalogError(f"The answer of {slots.result.operation} lists {items.of}, which the result does not have.")
    definition = definition_of(slots.operation, slots.result)
    for index in range(min(items.most, len(table.rows))):
        draft.say(BULLET)
        write_template(draft, slots.at(items.of, index), items.say, definition)
    hidden = table.rows[items.most :]
    if hidden:
        ids = [draft.evidence.add(item) for row in hidden for item in slots.cited.evidence_of_row(row)]
        draft.say(f"{BULLET}and ")
        draft.bind(count_text(len(hidden), slots.locale), tuple(dict.fromkeys(ids)), result=slots.result.id)
        draft.say(" more")
