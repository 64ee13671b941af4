"""Whose figure it is: a right figure in a sentence about somebody else is a wrong one.

What is looked at: the records that operations were asked about (customers, suppliers), the rows that figures stand for
(an invoice by its number, a group by its name), and the arguments that figures rest on (a day, a period). A sentence
that names some of a kind, and not the one the figure belongs to, does not speak of the figure. Names that no result
knows are not seen, and a sentence that names two is not taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from footnote.answers.cited import Cited, argument_text
from footnote.answers.prose import on_borders, sentences
from footnote.evidence import Json
from footnote.figures import FigureType

_ARGUMENT = "argument:"


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a text that is bound to something: code points, result, figure address, evidence ids."""

    start: int
    end: int
    result: str
    figure: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stray:
    """A marked figure that belongs to another than its sentence speaks of."""

    mark: Mark
    owner: str
    named: str


@dataclass(slots=True)
class Subjects:
    """What can be named, from all results of a call."""

    _names: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    """By kind and evidence id, the texts that name a record."""
    _owners: dict[str, dict[str, str]] = field(default_factory=dict)
    """By result and kind, the evidence id of the record that the result is about."""
    _labels: dict[str, str] = field(default_factory=dict)
    _columns: dict[tuple[str, str], list[list[str]]] = field(default_factory=dict)
    """By result and statement, for each column that names rows, its texts row by row."""
    _arguments: dict[str, dict[str, Json]] = field(default_factory=dict)

    @classmethod
    def of(cls, cited: Sequence[Cited]) -> Subjects:
        """The subjects of these results."""
        subjects = cls()
        for one in cited:
            subjects._add(one)
        subjects._add_first_words()
        return subjects

    def _add(self, cited: Cited) -> None:
        result = cited.result
        self._arguments[result.id] = dict(result.arguments)
        for entity in result.entities:
            kind = entity.evidence_id.partition(":")[0]
            texts = self._names.setdefault(kind, {}).setdefault(entity.evidence_id, set())
            texts |= {text for text in (entity.label, entity.given) if any(c.isalpha() for c in text)}
            self._owners.setdefault(result.id, {})[kind] = entity.evidence_id
            self._labels[entity.evidence_id] = entity.label
            self._arguments[result.id].pop(entity.parameter, None)
        for table in result.tables.values():
            if table.shape == "many" and len(table.rows) > 1:
                names = [n for n, f in table.rows[0].figures.items() if f.format.type is FigureType.TEXT]
                columns = [[row.figures[n].display if n in row.figures else "" for row in table.rows] for n in names]
                self._columns[result.id, table.name] = [c for c in columns if _names_rows(c)]

    def _add_first_words(self) -> None:
        """`Bergmann` for `Bergmann Logistik GmbH`; where two begin alike, it may be either."""
        for records in self._names.values():
            for id, texts in records.items():
                word = re.match(r"[^\W\d_]{4,}", self._labels[id])
                texts |= {word[0]} if word and word[0][0].isupper() else set()

    def strays(self, text: str, marks: Sequence[Mark]) -> Iterator[Stray]:
        """The marks whose sentence names another of the kind they belong to."""
        kept = [(mark.start, mark.end) for mark in marks]
        spoken: dict[str, frozenset[str]] = {}
        for start, end in sentences(text, kept):
            standing: dict[tuple[str, str, int], list[str]] = {}
            inside = [mark for mark in marks if start <= mark.start and mark.end <= end]
            spoken |= {kind: ids for kind in self._names if (ids := self._named(kind, text[start:end]))}
            for mark in inside:
                stray = (
                    self._of_another(mark, text[mark.start : mark.end], spoken)
                    or self._of_another_row(mark, text[start:end], standing)
                    or self._of_another_argument(mark, inside)
                )
                if stray is not None:
                    yield stray

    def speaks_of(self, line: str, result: str, figure: str) -> bool:
        """Whether a line names the row, or the record, that a figure belongs to."""
        place = re.fullmatch(r"(\w+)\[(\d+)\]\.\w+", figure)
        columns = self._columns.get((result, place[1]), []) if place else []
        if place and columns:
            return any(_stands(texts[int(place[2])], line) for texts in columns if texts[int(place[2])])
        owners = self._owners.get(result, {}).items()
        return any(_stands(text, line) for kind, id in owners for text in self._names[kind][id])

    def _named(self, kind: str, sentence: str) -> frozenset[str]:
        """The records of a kind that a sentence names."""
        records = self._names[kind].items()
        return frozenset(id for id, texts in records if any(_stands(text, sentence) for text in texts))

    def _of_another(self, mark: Mark, text: str, spoken: Mapping[str, frozenset[str]]) -> Stray | None:
        """A figure, or a field of a record, where another record of the kind is spoken of."""
        for kind, id in self._owners.get(mark.result, {}).items():
            ids = spoken.get(kind, frozenset())
            belongs = bool(mark.figure) or (mark.evidence == (id,) and text not in self._names[kind][id])
            if belongs and ids and id not in ids:
                named = ", ".join(self._labels[other] for other in sorted(ids))
                return Stray(mark, self._labels[id], named)
        return None

    def _of_another_row(
        self, mark: Mark, sentence: str, standing: dict[tuple[str, str, int], list[str]]
    ) -> Stray | None:
        """A figure of one row where the sentence names another one; `standing` keeps what it names, by column."""
        place = re.fullmatch(r"(\w+)\[(\d+)\]\.\w+", mark.figure)
        if place is None:
            return None
        for number, texts in enumerate(self._columns.get((mark.result, place[1]), ())):
            key = (mark.result, place[1], number)
            if key not in standing:
                standing[key] = [text for text in dict.fromkeys(texts) if text and _stands(text, sentence)]
            own = texts[int(place[2])]
            if own and standing[key] and own not in standing[key]:
                return Stray(mark, own, standing[key][0])
        return None

    def _of_another_argument(self, mark: Mark, inside: Sequence[Mark]) -> Stray | None:
        """A figure beside the argument of another call, such as another day."""
        for other in inside if mark.figure else ():
            for id in other.evidence if not other.figure and other.result != mark.result else ():
                name = id.removeprefix(_ARGUMENT)
                own = self._arguments.get(mark.result, {}).get(name)
                said = self._arguments.get(other.result, {}).get(name)
                differs = id.startswith(_ARGUMENT) and own is not None and said is not None and own != said
                if differs and not self._says(name, own, inside):
                    return Stray(mark, f"{name} {argument_text(own)}", argument_text(said))
        return None

    def _says(self, name: str, value: Json, inside: Sequence[Mark]) -> bool:
        ids = (f"{_ARGUMENT}{name}",)
        return any(m.evidence == ids and self._arguments.get(m.result, {}).get(name) == value for m in inside)


def _names_rows(texts: Sequence[str]) -> bool:
    """Whether a column tells its rows apart by something that reads like a name, and not by a common word."""
    named = all(text and (text[0].isupper() or " " in text or any(c.isdigit() for c in text)) for text in texts)
    return named and len(set(texts)) > 1


def _stands(name: str, text: str) -> bool:
    if name.casefold() not in text.casefold():
        return False
    return any(on_borders(text, *match.span()) for match in re.finditer(re.escape(name), text, re.IGNORECASE))
