"""The figure guard for a caller's prose: figures come in through slots, or not at all.

`compose` fills slots of prose; `check_text` (in `answers.checking`) looks at a finished text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from footnote.answers.answer import Answer
from footnote.answers.checking import CheckedText, Uncovered, check_text, checker_of, covering
from footnote.answers.cited import Cited, Filled
from footnote.answers.draft import Bound, Draft, utf16_length
from footnote.answers.neighbours import Beside, changes_after, changes_before, foreign_words, joins
from footnote.answers.prose import (
    Label,
    ProseSlot,
    check_prose,
    find_labels,
    labels_of,
    parse_prose,
    sentences,
)
from footnote.answers.render import notes_of, plural
from footnote.answers.subjects import Mark, Subjects
from footnote.catalog.model import Catalog
from footnote.catalog.template import Slot
from footnote.errors import Candidate, UnboundFigure
from footnote.figures import Figure, FigureType, find_numerals
from footnote.operations.result import Result

__all__ = ["CheckedText", "Uncovered", "check_text", "compose"]

UNCHECKED = (
    "Only the marked figures and names are bound to records; the words between them are the writer's and were not "
    "checked, other names among them."
)
_NEAREST = 5


def compose(text: str, results: Mapping[str, Result], *, catalog: Catalog, question: str = "") -> Answer:
    """An answer from prose with slots `{result.address}`.

    Addresses are those of `Result.figures()`, and `argument.asOfDate`, `customer`, `customer.city`, `empty`. A record's
    label in the prose is bound to that record. A sentence that nothing in it is bound to becomes a claim of origin
    `generated` without evidence, so that hosts can strike it.

    Raises:
        ArgumentError: The text is empty, too long or not valid text.
        UnboundFigure: The prose has a number of its own, changes a figure, puts it where another is spoken of, names a
            slot that does not exist, or cites nothing at all.
    """
    check_prose(text)
    cited = {id: Cited.of(result) for id, result in results.items()}
    cited |= {c.result.id: c for c in list(cited.values())}
    known = list({c.result.id: c for c in cited.values()}.values())
    parts = parse_prose(text)
    values = {id: dict(c.values()) for id, c in cited.items()}
    filled = [_fill(part, cited, values) if isinstance(part, ProseSlot) else None for part in parts]
    draft, besides = _drafted(parts, filled, cited, catalog)
    _check_numerals(draft, known, catalog)
    _check_neighbours(draft, besides)
    _check_script(draft)
    _check_meaning(draft, known, catalog)
    if not draft.bound:
        raise UnboundFigure(
            "The text cites nothing.",
            why="An answer rests on results; without a slot there is nothing a reader could open.",
            remedy=_some_slots(known),
        )
    _mark_generated(draft)
    for item in (evidence for c in known for evidence in c.known):
        draft.evidence.add(item)
    used = tuple(c.result for c in known)
    finished, claims = draft.finish()
    return Answer(question, finished, claims, used, draft.evidence, notes=(*notes_of(used), UNCHECKED))


def _drafted(
    parts: Sequence[str | ProseSlot], filled: Sequence[Filled | None], cited: Mapping[str, Cited], catalog: Catalog
) -> tuple[Draft, dict[int, Beside]]:
    """The prose with its slots filled, and what is known of each slot's value, by its place."""
    known = list({c.result.id: c for c in cited.values()}.values())
    draft, labels = Draft(), labels_of(known)
    besides: dict[int, Beside] = {}
    figures = {c.result.id: dict(c.result.figures()) for c in known}
    for part, value in zip(parts, filled, strict=True):
        if isinstance(part, str):
            _say(draft, part, labels)
        elif value is not None:
            besides[len(draft.text)] = _beside(part, value, cited[part.result], figures, catalog)
            _bind(draft, part, value, cited[part.result].result.id, catalog)
    return draft, besides


def _fill(slot: ProseSlot, cited: Mapping[str, Cited], values: Mapping[str, Mapping[str, Filled]]) -> Filled:
    source = cited.get(slot.result)
    if source is None:
        raise UnboundFigure(
            f"There is no result {slot.result!r} here.",
            why=f"The slot {{{slot.written}}} names one that the call does not cite.",
            remedy=f"Cite it, or use one of {', '.join(dict.fromkeys(c.result.id for c in cited.values())) or 'none'}.",
            candidates=[Candidate(f"{{{id}.{slot.address}}}") for id in list(cited)[:_NEAREST]],
            details={"slot": slot.written, "position": slot.position},
        )
    known = values[slot.result]
    if slot.address in known:
        return known[slot.address]
    raise UnboundFigure(
        f"The result {source.result.id} has nothing at {slot.address!r}.",
        remedy="Use an address that the result lists.",
        candidates=[Candidate(f"{{{slot.result}.{a}}}") for a in _nearest(slot.address, list(known))],
        details={"slot": slot.written, "position": slot.position},
    )


def _nearest(address: str, known: Sequence[str]) -> list[str]:
    from rapidfuzz import fuzz

    last = address.rpartition(".")[2]
    same = [a for a in known if a.rpartition(".")[2] == last]
    scored = sorted(known, key=lambda a: -fuzz.ratio(address.casefold(), a.casefold()))
    return list(dict.fromkeys((*same, *scored)))[:_NEAREST]


def _bind(draft: Draft, slot: ProseSlot, value: Filled, result: str, catalog: Catalog) -> None:
    if slot.plural_forms:
        form = plural(Slot(slot.written, slot.plural_forms, slot.position), value.number, catalog.display.locale)
        draft.say(form)
        return
    ids = [draft.evidence.add(item) for item in value.evidence]
    draft.bind(value.text, ids, result=result, figure=value.address)


def _say(draft: Draft, prose: str, labels: Sequence[Label]) -> None:
    """Add prose, with the names that the results know bound to their rows."""
    end = 0
    for start, after, label in find_labels(prose, labels):
        draft.say(prose[end:start])
        draft.bind(label.text, (draft.evidence.add(label.row),), result=label.result)
        end = after
    draft.say(prose[end:])


def _beside(
    slot: ProseSlot, value: Filled, cited: Cited, figures: Mapping[str, Mapping[str, Figure]], catalog: Catalog
) -> Beside:
    """What is known of a slot's value, to judge what stands beside it."""
    figure = figures[cited.result.id].get(value.address)
    if figure is not None:
        kind = _KINDS.get(figure.format.type, "other")
        return Beside(kind, figure.format.currency, figure.format.unit)
    head, _, part = slot.address.partition(".")
    entity = next((e for e in cited.result.entities if e.parameter == head), None)
    record = catalog.records.get(entity.evidence_id.partition(":")[0]) if entity else None
    field = record.fields.get(part) if record else None
    return Beside(_KINDS.get(field.type, "other"), "", field.unit) if field else Beside("other")


_KINDS = {
    FigureType.MONEY: "money",
    FigureType.PERCENT: "percent",
    FigureType.COUNT: "number",
    FigureType.INTEGER: "number",
    FigureType.DECIMAL: "number",
}


def _check_neighbours(draft: Draft, besides: Mapping[int, Beside]) -> None:
    """Refuse text that changes the figure it stands beside: a sign, a currency, a unit, a scale, another figure."""
    before: Bound | None = None
    for bound in draft.bound:
        shown = draft.text[bound.start : bound.end]
        if not find_numerals(shown):
            before = None
            continue
        beside = besides.get(bound.start, Beside("other"))
        changed = changes_before(draft.text[: bound.start]) or changes_after(draft.text[bound.end :], beside)
        if not changed and before is not None and beside.kind != "other":
            changed = _joint(draft.text, before, bound)
        if changed:
            raise _misplaced(
                draft,
                bound,
                f"“{changed}” beside “{shown}” would change the figure.",
                "A figure brings its own sign, currency and unit, and Footnote does not calculate in prose.",
                "Leave it out, or put a word between them.",
            )
        before = bound if beside.kind != "other" else None


def _joint(text: str, before: Bound, after: Bound) -> str:
    """What would make one number, or a calculation, of two figures."""
    joint = joins(text[before.end : after.start])
    return joint if joint.strip() or (text[before.end - 1].isdigit() and text[after.start].isdigit()) else ""


def _misplaced(draft: Draft, bound: Bound | Mark, what: str, why: str, remedy: str) -> UnboundFigure:
    start = utf16_length(draft.text[: bound.start])
    end = start + utf16_length(draft.text[bound.start : bound.end])
    return UnboundFigure(what, why=why, remedy=remedy, details={"figure": bound.figure, "start": start, "end": end})


def _check_script(draft: Draft) -> None:
    """Refuse words whose number words nobody here knows: they may say anything."""
    for start, end in foreign_words(draft.text, [(b.start, b.end) for b in draft.bound]):
        first = utf16_length(draft.text[:start])
        raise UnboundFigure(
            f"“{draft.text[start:end][:60]}” is written in a script that is not checked for numbers in words.",
            why="A figure comes from a result through a slot, in digits and in words alike.",
            remedy="Write in Latin letters; names in other scripts come through slots.",
            details={"start": first, "end": first + utf16_length(draft.text[start:end])},
        )


def _check_meaning(draft: Draft, known: Sequence[Cited], catalog: Catalog) -> None:
    """Refuse a figure that its sentence gives to somebody else, or calls something else."""
    marks = [Mark(b.start, b.end, b.result, b.figure, b.evidence) for b in draft.bound]
    for stray in Subjects.of(known).strays(draft.text, marks):
        shown = draft.text[stray.mark.start : stray.mark.end]
        raise _misplaced(
            draft,
            stray.mark,
            f"“{shown}” is a figure of {stray.owner}, and the text speaks of {stray.named}.",
            "A right figure under a wrong name is a wrong figure.",
            f"Name {stray.owner} in the sentence, or use a slot of the other.",
        )
    checker = checker_of(draft.text, known, catalog)
    for bound in draft.bound:
        word = checker.counts_another(bound.result, bound.figure, bound.end) if bound.figure else ""
        if word:
            shown = draft.text[bound.start : bound.end]
            raise _misplaced(
                draft,
                bound,
                f"“{shown}” does not count what “{word}” says.",
                f"It is {bound.figure} of the result {bound.result}.",
                "Say what the figure counts.",
            )


def _check_numerals(draft: Draft, known: Sequence[Cited], catalog: Catalog) -> None:
    """Refuse every number that is not a slot's or a label's, and say which slots would fit."""
    bound = [(b.start, b.end) for b in draft.bound]
    loose = [n for n in find_numerals(draft.text) if not any(a <= n.start and n.end <= b for a, b in bound)]
    if not loose:
        return
    fitting: dict[str, None] = {}
    spans = []
    for numeral in loose:
        start = utf16_length(draft.text[: numeral.start])
        slots = [f"{{{place}}}" for place in covering(draft.text, numeral, known, catalog)]
        spans.append({"text": numeral.text, "start": start, "end": start + utf16_length(numeral.text), "slots": slots})
        fitting |= dict.fromkeys(slots)
    named = ", ".join(f"“{numeral.text}”" for numeral in loose[:_NEAREST])
    raise UnboundFigure(
        f"The prose brings figures of its own: {named}.",
        why="A figure comes from a result through a slot, in digits and in words alike.",
        remedy="Use the slots that fit." if fitting else f"Leave them out, or use a slot. {_some_slots(known)}",
        candidates=[Candidate(slot) for slot in list(fitting)[: 2 * _NEAREST]],
        details={"spans": spans},
    )


def _some_slots(known: Sequence[Cited]) -> str:
    def slots() -> Iterator[str]:
        for cited in known:
            yield from (f"{{{cited.result.id}.{address}}}" for address, _ in cited.values())

    some = [slot for _, slot in zip(range(_NEAREST), slots(), strict=False)]
    return f"Slots are such as {', '.join(some)}." if some else "Run an operation first and cite its result."


def _mark_generated(draft: Draft) -> None:
    """Mark the sentences that nothing is bound to."""
    kept = [(b.start, b.end) for b in draft.bound]
    for start, end in list(sentences(draft.text, kept)):
        if not any(a < end and start < b for a, b in kept):
            draft.mark_generated(start, end)
