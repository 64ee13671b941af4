"""A finished text checked: which of its numbers, names and dates the results have, and which they have not.

A number is covered if it equals a figure, an argument or a definition of the results by value and by unit or currency,
read in the catalog's locale. What fits two things that rest on different evidence is not covered: nobody guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from footnote.answers.answer import Claim
from footnote.answers.cited import Cited, argument_text
from footnote.answers.draft import utf16_length
from footnote.answers.neighbours import UNITS, Beside, changes_after, changes_before, foreign_words, joins
from footnote.answers.prose import check_prose, find_labels, labels_of, on_borders
from footnote.answers.question import fold, stem
from footnote.answers.readings import Kind, Reading, read_numeral
from footnote.answers.subjects import Mark, Subjects
from footnote.catalog.model import Catalog
from footnote.catalog.template import Slot, TemplateError, parse_template
from footnote.evidence import Argument, Definition
from footnote.figures import Figure, FigureType, Span, find_numerals
from footnote.operations.result import Result

_WORDS = re.compile(r"[^\W\d_]+")
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
    checker = checker_of(text, cited, catalog)
    for numeral in find_numerals(text):
        if any(start <= numeral.start and numeral.end <= end for start, end in taken):
            continue
        found = checker.check(numeral)
        if isinstance(found, Uncovered):
            uncovered.append(found)
        else:
            claims.append(found)
    uncovered += [_uncovered(text, *span, _FOREIGN) for span in foreign_words(text, taken)]
    claims.sort(key=lambda item: item[0])
    misplaced = dict(_misplaced(text, claims, cited))
    uncovered += [_uncovered(text, start, end, misplaced[start]) for start, end, _ in claims if start in misplaced]
    uncovered.sort(key=lambda span: span.start)
    covered = tuple(claim for start, _, claim in claims if start not in misplaced)
    return CheckedText(not uncovered, covered, tuple(uncovered))


_FOREIGN = "number words of this script are not known"


def _misplaced(
    text: str, claims: Sequence[tuple[int, int, Claim]], cited: Sequence[Cited]
) -> Iterator[tuple[int, str]]:
    """Where figures stand that are right by themselves and wrong where they stand, and why."""
    marks = [Mark(start, end, claim.result, claim.figure, claim.evidence) for start, end, claim in claims]
    for stray in Subjects.of(cited).strays(text, marks):
        yield stray.mark.start, f"it is a figure of {stray.owner}, and the text speaks of {stray.named}"
    for before, after in pairwise(marks):
        joint = joins(text[before.end : after.start]) if before.figure and after.figure else ""
        if joint.strip() or (joint and text[before.end - 1].isdigit() and text[after.start].isdigit()):
            yield after.start, "together with the figure before it, it reads as another one"


def checker_of(text: str, cited: Sequence[Cited], catalog: Catalog) -> Checker:
    """What compares the numbers of a text with everything that the results have."""
    return Checker(
        text, tuple(_known(cited, catalog)), _nouns(cited, catalog), catalog.display.locale, Subjects.of(cited)
    )


def covering(text: str, numeral: Span, cited: Sequence[Cited], catalog: Catalog) -> list[str]:
    """`result.address` of everything that a number in a text may equal."""
    known = checker_of(text, cited, catalog).fitting(numeral)
    return list(dict.fromkeys(f"{k.result}.{k.address}" for k in known))


def _texts(text: str, cited: Sequence[Cited]) -> Iterator[tuple[int, int, Claim]]:
    """Names, identifiers and definitions that stand in the text as they are."""
    taken: list[tuple[int, int]] = []
    for start, end, label in find_labels(text, labels_of(cited)):
        taken.append((start, end))
        yield _claim(text, start, end, (label.row.id,), label.result)
    for written, (result, address, evidence) in _written(cited):
        if written not in text:
            continue
        for match in re.finditer(re.escape(written), text):
            start, end = match.span()
            if on_borders(text, start, end) and all(end <= a or b <= start for a, b in taken):
                taken.append((start, end))
                yield _claim(text, start, end, evidence, result, address)


def _written(cited: Sequence[Cited]) -> list[tuple[str, tuple[str, str, tuple[str, ...]]]]:
    """Texts of the results that have a number and more, longest first; one that means two things is left out.

    The same text in several rows of a column, such as a group in two currencies, rests on all of them.
    """
    found: dict[str, dict[tuple[str, str], tuple[str, str, tuple[str, ...]]]] = {}
    for one in cited:
        for written, address, evidence in _texts_of(one):
            if not find_numerals(written) or not any(c.isalpha() or c in "-–/" for c in written):
                continue
            uses = found.setdefault(written, {})
            column = one.result.id, re.sub(r"\[\d+\]", "", address)
            before = uses.get(column)
            if address or not any(set(evidence) <= set(use[2]) for use in uses.values()):
                ids = tuple(dict.fromkeys((*(before[2] if before else ()), *evidence)))
                uses[column] = (one.result.id, "" if before else address, ids)
    alone = [(w, next(iter(u.values()))) for w, u in found.items() if len({use[2] for use in u.values()}) == 1]
    return sorted(alone, key=lambda item: -len(item[0]))


def _texts_of(one: Cited) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Text figures with their address, then definitions and arguments, each with its evidence."""
    for address, figure in one.result.figures():
        if figure.format.type is FigureType.TEXT and figure.display:
            yield figure.display, address, tuple(e.id for e in one.figure(figure, address).evidence)
    for item in one.known:
        if isinstance(item, Definition):
            yield item.text, "", (item.id,)
        elif isinstance(item, Argument):
            for written in {item.value, argument_text(one.result.arguments.get(item.name))}:
                if any(c.isalpha() for c in written):  # dates and numbers are compared by their values
                    yield written, f"argument.{item.name}", (item.id,)


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
                if spec.type not in (FigureType.COUNT, FigureType.INTEGER, FigureType.DECIMAL):
                    continue
                words = _WORDS.findall(f"{spec.label} {re.sub('(?<=[a-z])(?=[A-Z])', ' ', name)}")
                others.setdefault(name, set()).update({stem(fold(word)) for word in words} - _SAYING_NOTHING)
    return {name: frozenset(forms.get(name) or words) for name, words in others.items()}


def _plural_slots(template: str) -> list[Slot]:
    try:
        return [p for p in parse_template(template) if isinstance(p, Slot) and p.plural_forms]
    except TemplateError:  # the catalog's check says so; here it only means that nothing is known
        return []


@dataclass(frozen=True, slots=True)
class Checker:
    """See `checker_of`."""

    text: str
    known: tuple[_Known, ...]
    nouns: Mapping[str, frozenset[str]]
    locale: str
    subjects: Subjects

    def check(self, numeral: Span) -> tuple[int, int, Claim] | Uncovered:
        """The claim that covers a number, or why none does."""
        found = read_numeral(self.text, numeral, self.locale)
        if found is None:
            return self._uncovered(numeral.start, numeral.end, "it cannot be read as one number in this locale")
        start, end, reading = found
        fitting = self._near(self.fitting(numeral), start)
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
        beside = Beside(reading.kind if reading.kind != "date" else "other", reading.currency, one.unit)
        changed = changes_before(self.text[:start]) or changes_after(self.text[end:], beside)
        if changed:
            return self._uncovered(start, end, f"“{changed}” beside it makes it another figure", [one])
        address = "" if one.address.startswith("argument.") else one.address
        return _claim(self.text, start, end, one.evidence, one.result, address)

    def fitting(self, numeral: Span) -> list[_Known]:
        """Everything that has the number's value, and what the words beside it say it counts."""
        found = read_numeral(self.text, numeral, self.locale)
        if found is None:
            return []
        same = [known for known in self.known if known.reading == found[2]]
        said = self.said(found[1])
        line = {stem(fold(m[0])) for m in _WORDS.finditer(self._line(found[0]))}
        return [known for known in same if self._means(known, said, line)]

    def _near(self, fitting: list[_Known], place: int) -> list[_Known]:
        """Those of several that the line speaks of, if there are such: the row or the record that it names."""
        if len({known.evidence for known in fitting}) < 2:
            return fitting
        line = self._line(place)
        suiting = [known for known in fitting if self.subjects.speaks_of(line, known.result, known.address)]
        return suiting or fitting

    def said(self, end: int) -> str:
        """The stem of the word that says what the number before `end` counts; empty if none does."""
        after = [stem(fold(m[0])) for m in _WORDS.finditer(self._rest_of_sentence(end))][:_NEAR]
        units = {stem(fold(known.unit)) for known in self.known if known.unit}
        counted = units.union(UNITS, *self.nouns.values())
        return next((word for word in after if word in counted), "")

    def counts_another(self, result: str, address: str, end: int) -> str:
        """The word after a figure that says it counts something else: `4 customers` of four invoices."""
        said = self.said(end)
        known = next((k for k in self.known if (k.result, k.address) == (result, address)), None)
        wrong = known is not None and known.reading.kind == "number" and said and not self._means(known, said, set())
        return said if wrong else ""

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
        slots = tuple(dict.fromkeys(f"{{{k.result}.{k.address}}}" for k in near))[:5]
        return _uncovered(self.text, start, end, reason, slots)


def _uncovered(text: str, start: int, end: int, reason: str, candidates: tuple[str, ...] = ()) -> Uncovered:
    first = utf16_length(text[:start])
    return Uncovered(text[start:end], first, first + utf16_length(text[start:end]), reason, candidates)


def _claim(
    text: str, start: int, end: int, evidence: tuple[str, ...], result: str, figure: str = ""
) -> tuple[int, int, Claim]:
    first = utf16_length(text[:start])
    claim = Claim(text[start:end], first, first + utf16_length(text[start:end]), evidence, "structured", result, figure)
    return start, end, claim
