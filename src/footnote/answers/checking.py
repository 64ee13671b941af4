"""A finished text checked: which of its numbers, names and dates the results have, and which they have not.

A number is covered if it equals a figure, an argument or a definition of the results by value and by unit or currency,
read in the catalog's locale. What fits two things that rest on different evidence is not covered: nobody guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from footnote.answers.answer import Claim
from footnote.answers.cited import Cited, argument_text
from footnote.answers.draft import utf16_length
from footnote.answers.prose import check_prose, find_labels, labels_of, on_borders
from footnote.answers.question import fold, stem
from footnote.answers.readings import Kind, Reading, read_numeral
from footnote.catalog.model import Catalog
from footnote.catalog.template import Slot, TemplateError, parse_template
from footnote.evidence import Argument, Definition
from footnote.figures import Figure, FigureType, Span, find_numerals
from footnote.operations.result import Result

_WORDS = re.compile(r"[^\W\d_]+")
UNITS = frozenset(
    """euro dollar cent pound penny franc yen krona krone zloty percent percentage point basis bps permille
    second minute hour day week month quarter year decade kilo kilogram kg gram ton tonne litre liter metre meter
    kilometre kilometer km mile mm cm thousand million billion trillion mio mrd tsd mn bn time fold""".split()
)
"""Stems of words that say what a number is; a figure that is not of that unit is not that number."""

_SAYING_NOTHING = frozenset("count number of the a an in and total sum no id".split())

_NEAR = 3
"""How many words after a number may say what it counts."""


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A span that nothing covers: UTF-16 positions, why, and the slots that come near."""

    text: str
    start: int
    end: int
    reason: str
    candidates: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As faces show it."""
        out: dict[str, Any] = {"text": self.text, "span": {"start": self.start, "end": self.end}, "reason": self.reason}
        return out | ({"candidates": list(self.candidates)} if self.candidates else {})


@dataclass(frozen=True, slots=True)
class CheckedText:
    """What was found in a finished text; `ok` if nothing in it is uncovered."""

    ok: bool
    covered: tuple[Claim, ...]
    uncovered: tuple[Uncovered, ...]

    def as_dict(self) -> dict[str, Any]:
        """As faces show it and the log records it."""
        return {
            "ok": self.ok,
            "covered": [claim.as_dict() for claim in self.covered],
            "uncovered": [span.as_dict() for span in self.uncovered],
        }


@dataclass(frozen=True, slots=True)
class _Known:
    """Something of a result that a number in a text may equal."""

    result: str
    address: str
    evidence: tuple[str, ...]
    reading: Reading
    unit: str = ""
    column: str = ""


def check_text(text: str, results: Mapping[str, Result], *, catalog: Catalog) -> CheckedText:
    """Which spans of a finished text the results cover.

    Raises:
        ArgumentError: The text is empty, too long or not valid text.
    """
    check_prose(text)
    cited = list({result.id: Cited.of(result) for result in results.values()}.values())
    claims = list(_texts(text, cited))
    taken = [(start, end) for start, end, _ in claims]
    uncovered: list[Uncovered] = []
    checker = _Checker(text, tuple(_known(cited, catalog)), _nouns(cited, catalog), catalog.display.locale)
    for numeral in find_numerals(text):
        if any(start <= numeral.start and numeral.end <= end for start, end in taken):
            continue
        found = checker.check(numeral)
        if isinstance(found, Uncovered):
            uncovered.append(found)
        else:
            claims.append(found)
    claims.sort(key=lambda item: item[0])
    return CheckedText(not uncovered, tuple(claim for _, _, claim in claims), tuple(uncovered))


def covering(text: str, numeral: Span, cited: Sequence[Cited], catalog: Catalog) -> list[str]:
    """`result.address` of everything that a number in a text may equal."""
    checker = _Checker(text, tuple(_known(cited, catalog)), _nouns(cited, catalog), catalog.display.locale)
    return list(dict.fromkeys(f"{known.result}.{known.address}" for known in checker.fitting(numeral)))


def _texts(text: str, cited: Sequence[Cited]) -> Iterator[tuple[int, int, Claim]]:
    """Names, identifiers and definitions that stand in the text as they are."""
    taken: list[tuple[int, int]] = []
    for start, end, label in find_labels(text, labels_of(cited)):
        taken.append((start, end))
        yield _claim(text, start, end, (label.row.id,), label.result)
    for written, (result, address, evidence) in _written(cited):
        for match in re.finditer(re.escape(written), text):
            start, end = match.span()
            if on_borders(text, start, end) and all(end <= a or b <= start for a, b in taken):
                taken.append((start, end))
                yield _claim(text, start, end, evidence, result, address)


def _written(cited: Sequence[Cited]) -> list[tuple[str, tuple[str, str, tuple[str, ...]]]]:
    """Texts of the results that have both letters and a number, longest first; one that means two things is left out."""
    found: dict[str, dict[tuple[str, ...], tuple[str, str, tuple[str, ...]]]] = {}

    def note(written: str, result: str, address: str, evidence: tuple[str, ...]) -> None:
        if any(c.isalpha() for c in written) and find_numerals(written):
            found.setdefault(written, {}).setdefault(evidence, (result, address, evidence))

    for one in cited:
        for address, figure in one.result.figures():
            if figure.format.type is FigureType.TEXT and figure.display:
                value = one.figure(figure, address)
                note(figure.display, one.result.id, address, tuple(e.id for e in value.evidence))
        for item in one.known:
            if isinstance(item, Definition):
                note(item.text, one.result.id, "", (item.id,))
            elif isinstance(item, Argument):
                for written in (item.value, argument_text(one.result.arguments.get(item.name))):
                    note(written, one.result.id, f"argument.{item.name}", (item.id,))
    alone = [(written, next(iter(uses.values()))) for written, uses in found.items() if len(uses) == 1]
    return sorted(alone, key=lambda item: -len(item[0]))


def _known(cited: Sequence[Cited], catalog: Catalog) -> Iterator[_Known]:
    for one in cited:
        for address, figure in one.result.figures():
            evidence = tuple(e.id for e in one.figure(figure, address).evidence)
            for reading in _readings(figure, catalog):
                yield _Known(one.result.id, address, evidence, reading, figure.format.unit, figure.name)
        for name, value in one.result.arguments.items():
            ids = tuple(e.id for e in one.argument(name).evidence)
            for text in {str(value), one.argument(name).text} if isinstance(value, (str, int)) else ():
                found = read_numeral(text, Span(0, len(text), text), catalog.display.locale)
                if found is not None and found[:2] == (0, len(text)):
                    yield _Known(one.result.id, f"argument.{name}", ids, found[2], column=name)


def _readings(figure: Figure, catalog: Catalog) -> Iterator[Reading]:
    """The figure's value, and its display where that is rounded."""
    value, type = figure.value, figure.format.type
    if isinstance(value, (Decimal, int)) and not isinstance(value, bool):
        kind: Kind = "number"
        kind = "money" if type is FigureType.MONEY else "percent" if type is FigureType.PERCENT else kind
        yield Reading(kind, Decimal(value), figure.format.currency if kind == "money" else "")
    numerals = find_numerals(figure.display)
    if numerals:
        whole = Span(numerals[0].start, numerals[-1].end, figure.display[numerals[0].start : numerals[-1].end])
        shown = read_numeral(figure.display, whole, catalog.display.locale)
        if shown is not None:
            yield shown[2]


def _nouns(cited: Sequence[Cited], catalog: Catalog) -> dict[str, frozenset[str]]:
    """By column, the words for what it is a number of: plural forms of the templates, else its label and its name."""
    forms: dict[str, set[str]] = {}
    others: dict[str, set[str]] = {}
    premises = [p.say for i in catalog.interpretations.values() for p in i.premises]
    for one in cited:
        operation = catalog.operations.get(one.result.operation)
        if operation is None:
            continue
        template = operation.template
        for text in (template.say, *([template.items.say] if template.items else []), *premises):
            for slot in _plural_slots(text):
                forms.setdefault(slot.name.rpartition(".")[2], set()).update(stem(fold(f)) for f in slot.plural_forms)
        for statement in operation.statements.values():
            for name, spec in statement.columns.items():
                words = _WORDS.findall(f"{spec.label} {re.sub('(?<=[a-z])(?=[A-Z])', ' ', name)}")
                others.setdefault(name, set()).update({stem(fold(word)) for word in words} - _SAYING_NOTHING)
    return {name: frozenset(forms.get(name) or words) for name, words in others.items()}


def _plural_slots(template: str) -> list[Slot]:
    try:
        return [p for p in parse_template(template) if isinstance(p, Slot) and p.plural_forms]
    except TemplateError:  # the catalog's check says so; here it only means that nothing is known
        return []


@dataclass(frozen=True, slots=True)
class _Checker:
    text: str
    known: tuple[_Known, ...]
    nouns: Mapping[str, frozenset[str]]
    locale: str

    def check(self, numeral: Span) -> tuple[int, int, Claim] | Uncovered:
        """The claim that covers a number, or why none does."""
        found = read_numeral(self.text, numeral, self.locale)
        if found is None:
            return self._uncovered(numeral.start, numeral.end, "it cannot be read as one number in this locale")
        start, end, reading = found
        fitting = self.fitting(numeral)
        totals_last = sorted(fitting, key=lambda known: "[" not in known.address)
        uses = {known.evidence: known for known in totals_last}
        if not uses:
            same = [k for k in self.known if k.reading.value == reading.value]
            reason = "no figure of the results has this value"
            if same:
                reason = "figures have this value, but another unit, currency or meaning"
            return self._uncovered(start, end, reason, same)
        if len(uses) > 1:
            return self._uncovered(start, end, "several figures have this value; a slot says which", fitting)
        one = next(iter(uses.values()))
        address = "" if one.address.startswith("argument.") else one.address
        return _claim(self.text, start, end, one.evidence, one.result, address)

    def fitting(self, numeral: Span) -> list[_Known]:
        """Everything that has the number's value, and what the words beside it say it counts."""
        found = read_numeral(self.text, numeral, self.locale)
        if found is None:
            return []
        same = [known for known in self.known if known.reading == found[2]]
        after = [stem(fold(m[0])) for m in _WORDS.finditer(self._rest_of_sentence(found[1]))][:_NEAR]
        units = {stem(fold(known.unit)) for known in self.known if known.unit}
        counted = units.union(UNITS, *self.nouns.values())
        said = next((word for word in after if word in counted), "")
        line = {stem(fold(m[0])) for m in _WORDS.finditer(self._line(found[0]))}
        return [known for known in same if self._means(known, said, line)]

    def _means(self, known: _Known, said: str, line: set[str]) -> bool:
        unit = stem(fold(known.unit)) if known.unit else ""
        nouns = self.nouns.get(known.column, frozenset())
        if known.reading.kind != "number":
            return True
        if unit:
            return said == unit or (not said and unit in line)
        if known.address.startswith("argument."):
            return not said
        return said in nouns if said else bool(nouns & line)

    def _rest_of_sentence(self, end: int) -> str:
        return re.split(r"[.!?;,\n(]", self.text[end : end + 200], maxsplit=1)[0]

    def _line(self, place: int) -> str:
        start = self.text.rfind("\n", 0, place) + 1
        end = self.text.find("\n", place)
        return self.text[start : end if end >= 0 else len(self.text)]

    def _uncovered(self, start: int, end: int, reason: str, near: Sequence[_Known] = ()) -> Uncovered:
        first = utf16_length(self.text[:start])
        slots = tuple(dict.fromkeys(f"{{{k.result}.{k.address}}}" for k in near))[:5]
        return Uncovered(self.text[start:end], first, first + utf16_length(self.text[start:end]), reason, slots)


def _claim(
    text: str, start: int, end: int, evidence: tuple[str, ...], result: str, figure: str = ""
) -> tuple[int, int, Claim]:
    first = utf16_length(text[:start])
    claim = Claim(text[start:end], first, first + utf16_length(text[start:end]), evidence, "structured", result, figure)
    return start, end, claim
