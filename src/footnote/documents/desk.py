"""Where claims are checked: an index, and what has been read of it before, kept for the next claim.

Reading a unit is the cost of a verdict; a unit that came up once is not read again.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from footnote.documents.amendments import Change, amends, changes_in, new_wording
from footnote.documents.cells import ReadRow, read_row
from footnote.documents.constructions import reworded, stands_for
from footnote.documents.context import Context, context_of, is_head
from footnote.documents.folding import fold, fold_word
from footnote.documents.index import Index
from footnote.documents.keys import identifier_key, keys_of, number_key, word_key
from footnote.documents.lexicon import Lexicon, language_of
from footnote.documents.profile import is_amendment
from footnote.documents.records import Field
from footnote.documents.sieve import Sought, keys_of_tokens, seen, sifted
from footnote.documents.statements import Statement, statements
from footnote.documents.tokens import Kind, Token, read
from footnote.documents.units import Source, Unit, UnitKind

CANDIDATES = 24
"""Units that a statement is compared with."""
_KEPT = 20_000
_HEAD = 4
"""Units below the title that may say what the document is about."""
_RUN = 12
"""Key-value lines before and after one that may belong to its record."""
_T = TypeVar("_T")


class Desk:
    """An index with what has been read of it."""

    def __init__(self, index: Index, lexicon: Lexicon) -> None:
        self.index = index
        self.lexicon = lexicon
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._lock = Lock()
        self._concepts: dict[str, tuple[str, ...]] = {}

    def candidates(self, tokens: Sequence[Token]) -> Sequence[Unit]:
        """Units that may decide about these tokens, best first."""
        groups = [group for token in tokens if (group := self._group(token))]
        found = list(self.index.candidates(groups, limit=CANDIDATES)) if groups else []
        if otherwise := self._otherwise(tokens):
            found.extend(self.index.candidates(otherwise, limit=CANDIDATES))
        return list(dict.fromkeys(found))

    def _otherwise(self, tokens: Sequence[Token]) -> list[tuple[str, ...]]:
        """What to look for where a concept may be said in another construction; empty if there is none."""
        out: list[tuple[str, ...]] = []
        for token in tokens:
            meant = {other for key in token.keys for other in stands_for().get(key, ())}
            out.extend(self._concept_keys(key) for key in sorted(meant))
            if not meant and token.kind is not Kind.WORD and (group := self._group(token)):
                out.append(group)
        return out if any(key in stands_for() for token in tokens for key in token.keys) else []

    def found_by(self, words: Sequence[str]) -> Sequence[Unit]:
        """Units that hold many of these words."""
        return self.index.candidates([[word_key(word)] for word in words if word_key(word)], limit=CANDIDATES)

    def names_itself(self, file: str, words: Sequence[str]) -> bool:
        """Whether all these words stand in the title or the first lines of a source."""
        known = self._once(("n", file), lambda: self._opening(file))
        return all(key in known for word in words if (key := word_key(word)))

    def _opening(self, file: str) -> frozenset[str]:
        source = self.index.full(file)
        return frozenset(keys_of(f"{source.title} {source.file} {source.text[:2500]}"))

    def _group(self, token: Token) -> tuple[str, ...]:
        if token.kind is Kind.IDENTIFIER:
            return (identifier_key(token.text), number_key(token.text))
        if token.kind is Kind.PERIOD and token.period is not None and token.period.year:
            return (number_key(str(token.period.year)),)
        if token.kind is Kind.NUMBER:
            digits = [part for part in token.text.split() if part[:1].isdigit()]
            return tuple(number_key(part) for part in digits[:1])
        if token.kind is not Kind.WORD:
            return ()
        keys = [word_key(word) for word in token.text.split() if word.isalnum()]
        for key in token.keys:
            keys.extend(self._concept_keys(key))
        return tuple(key for key in dict.fromkeys(keys) if key)

    def _concept_keys(self, key: str) -> tuple[str, ...]:
        """Keys of the words that may stand for a concept."""
        if key not in self._concepts:
            words = self.lexicon.words.get(key[1:], ()) if key.startswith("@") else ()
            self._concepts[key] = tuple(word_key(word) for word in words)
        return self._concepts[key]

    def statements(self, unit: Unit) -> tuple[Statement, ...]:
        """What a unit of prose states."""
        return self._once(("s", unit.file, unit.start, unit.end), lambda: self._read_statements(unit))

    def effect(self, unit: Unit) -> tuple[Token, ...]:
        """Tokens of what introduces the new wording of a clause ("With effect from 1 April …"); empty for other units."""
        wording = new_wording(unit.text) if unit.kind is not UnitKind.ROW else None
        if wording is None:
            return ()
        return self._once(
            ("e", unit.file, unit.start), lambda: read(unit.text[: wording[0]], self._language(unit), self.lexicon)
        )

    def sifted(self, what: Sought, unit: Unit) -> tuple[bool, float]:
        """Whether a unit is worth a comparison, and the share of the claim that it seems to meet."""
        if unit.kind is UnitKind.PAIR:
            return True, 0.0
        if unit.kind is not UnitKind.ROW and ("sk", unit.file, unit.start, unit.end) not in self._kept:
            place = f"{self._names(unit.file)} {fold(' '.join(unit.section)).text}"
            possible, closeness = seen(what, fold(unit.text).text, place)
            if not possible:
                return False, closeness
        context = self.context(unit.file)
        heading = self._heading_keys(unit)
        if unit.kind is UnitKind.ROW:
            return sifted(what, self._row_keys(unit), context, heading)
        best = (False, 0.0)
        for keys in self._statement_keys(unit):
            best = max(best, sifted(what, keys, context, heading))
        return best

    def _names(self, file: str) -> str:
        """What a source and its parties are called, folded; those of what it amends too."""
        return self._once(("f", file), lambda: self._read_names(file))

    def _read_names(self, file: str) -> str:
        source = self.index.source(file)
        amending = source.amends or is_amendment(source)
        bases = [other for other in self.index.sources() if amends(source, other)] if amending else []
        parts = [part for each in (source, *bases) for part in (each.title, *_called(each))]
        return fold(" ".join(parts)).text

    def letters(self, token: Token) -> tuple[str, ...]:
        """Beginnings of all words that may stand for a token, also of those that are too common to be looked for."""
        meant = {key for key in token.keys if key.startswith("@")}
        otherwise = {other for key in meant for other in stands_for().get(key, ())}
        words = [word for key in meant | otherwise for word in self.lexicon.words.get(key[1:], ())]
        common = [fold_word(word) for word in (*token.text.split(), *words) if not word_key(word)]
        elsewhere = (begin for key in sorted(otherwise) for begin in self._concept_keys(key))
        return (*self._group(token), *elsewhere, *common, token.text)

    def _heading_keys(self, unit: Unit) -> frozenset[str]:
        return self._once(("hk", unit.file, unit.section), lambda: keys_of_tokens(self.heading(unit)))

    def _statement_keys(self, unit: Unit) -> tuple[frozenset[str], ...]:
        key = ("sk", unit.file, unit.start, unit.end)
        return self._once(key, lambda: tuple(keys_of_tokens(s.tokens) for s in self.statements(unit)))

    def _row_keys(self, unit: Unit) -> frozenset[str]:
        return self._once(("rk", unit.file, unit.start, unit.end), lambda: self._read_row_keys(unit))

    def _read_row_keys(self, unit: Unit) -> frozenset[str]:
        row = self.row(unit)
        heads = [token for cell in row.cells for token in cell.headers]
        near = (*row.label, *row.group, *row.table, *row.fields, *heads, *self.around(unit), *self.identity(unit.file))
        return keys_of_tokens(near)

    def heading(self, unit: Unit) -> tuple[Token, ...]:
        """Tokens of the nearest heading in words above a unit, or of its document's title."""
        heading = next((text for text in reversed(unit.section) if any(char.isalpha() for char in text[2:])), "")
        heading = heading or self.index.source(unit.file).title
        return self._once(("h", heading, unit.file), lambda: read(heading, self._language(unit), self.lexicon))

    def row(self, unit: Unit) -> ReadRow:
        """A row of a table, read."""
        return self._once(("r", unit.file, unit.start, unit.end), lambda: self._read_row(unit))

    def field(self, unit: Unit) -> Field:
        """A key-value line, read."""
        return self._once(("d", unit.file, unit.start, unit.end), lambda: self._read_field(unit))

    def fields_near(self, unit: Unit) -> Sequence[Field]:
        """The other fields of the run of key-value lines that a unit stands in, nearest first."""
        near = self.index.neighbours(unit, _RUN, _RUN)
        before = takewhile(lambda u: u.kind is UnitKind.PAIR, reversed([u for u in near if u.number < unit.number]))
        after = takewhile(lambda u: u.kind is UnitKind.PAIR, (u for u in near if u.number > unit.number))
        found = sorted((*before, *after), key=lambda u: abs(u.number - unit.number))
        return [self.field(u) for u in found if u.section == unit.section]

    def identity(self, file: str) -> tuple[Token, ...]:
        """Tokens of a document's title and of its file's name, which say what record it is."""
        return self._once(("i", file), lambda: self._read_identity(file))

    def _read_identity(self, file: str) -> tuple[Token, ...]:
        source = self.index.source(file)
        stem = PurePosixPath(file).stem.replace("_", " ")
        language = self.context(file).language
        names = (source.title, stem, _path_words(file))
        said = tuple(token for name in names for token in read(name, language, self.lexicon))
        first = Unit(file, 0, UnitKind.HEADING, "", 0, 0)
        pairs = [u for u in self.index.neighbours(first, 0, _RUN) if u.kind is UnitKind.PAIR]
        dated = [self.field(u) for u in pairs]
        return said + tuple(t for f in dated if f.dates_record for t in f.value if t.period is not None)

    def _read_field(self, unit: Unit) -> Field:
        language = language_of(unit.text, "") or self._language(unit)
        names = tuple(
            read(part.strip(" *:"), language_of(part, language), self.lexicon) for part in unit.key.split(" / ") if part
        )
        value = tuple(token for cell in unit.cells for token in read(cell.text, language, self.lexicon))
        return Field(unit, names, value)

    def peers(self, unit: Unit) -> Sequence[Unit]:
        """The rows of the unit's table that hold cells."""
        key = ("p", unit.file, unit.table.number if unit.table else 0)
        return self._once(key, lambda: [u for u in self.index.rows(unit) if u.kind is UnitKind.ROW])

    def around(self, unit: Unit) -> tuple[Token, ...]:
        """Tokens of what stands right before and after a table, and above it."""
        key = ("a", unit.file, unit.table.number if unit.table else 0)
        return self._once(key, lambda: self._read_around(unit))

    def context(self, file: str) -> Context:
        """What a source says about itself."""
        return self._once(("c", file), lambda: self._read_context(file))

    def source(self, file: str) -> Source:
        """A source without its text."""
        return self.index.source(file)

    def amendments(self) -> Sequence[Source]:
        """Sources that amend others."""
        return self._once(
            ("m",), lambda: [source for source in self.index.sources() if source.amends or is_amendment(source)]
        )

    def changes(self, file: str) -> tuple[Change, ...]:
        """What an amendment does to clauses."""
        return self._once(("g", file), lambda: changes_in(self.index.full(file).units))

    def _read_context(self, file: str) -> Context:
        source = self.index.source(file)
        amending = source.amends or is_amendment(source)
        bases = (
            [other for other in self.index.sources() if other.file != file and amends(source, other)]
            if amending
            else []
        )
        parties = source.parties or tuple(party for base in bases for party in base.parties)
        titles = " . ".join((source.title, *(base.title for base in bases)))
        return context_of(
            source, titles, parties, self._context_language(source), self.lexicon, self._head(file, bases)
        )

    def _head(self, file: str, bases: Sequence[Source]) -> str:
        """Words of its path, and lines below the title that name who or what a document is about: "Hollow Ltd, Vienna"."""
        out: list[str] = [_path_words(file)]
        for name in (file, *(base.file for base in bases)):
            first = Unit(name, 0, UnitKind.HEADING, "", 0, 0)
            near = takewhile(lambda u: u.kind is not UnitKind.ROW, self.index.neighbours(first, 0, _HEAD))
            out.extend(u.text for u in near if is_head(u, self.lexicon))
        return " . ".join(out)

    def _context_language(self, source: Source) -> str:
        clause = " ".join(party.fragment.text for party in source.parties)
        if not clause:
            return language_of(source.title)
        first = self.index.neighbours(Unit(source.file, 0, UnitKind.HEADING, "", 0, 0), 0, 30)
        return language_of(" ".join((source.title, clause, *(unit.text for unit in first)))[:4000])

    def _language(self, unit: Unit) -> str:
        return self._once(("l", unit.file), lambda: self._file_language(unit))

    def _file_language(self, unit: Unit) -> str:
        near = self.index.neighbours(unit, 30, 30)
        return language_of(" ".join((unit.text, *(other.text for other in near)))[:4000])

    def _read_statements(self, unit: Unit) -> tuple[Statement, ...]:
        language = language_of(unit.text, "") or self._language(unit)
        wording = new_wording(unit.text)
        text = unit.text if wording is None else unit.text[slice(*wording)]
        said = statements(read(text, language, self.lexicon), language)
        return said + tuple(other for statement in said for other in reworded(statement, passage=True))

    def _read_row(self, unit: Unit) -> ReadRow:
        rows = self.peers(unit)
        texts = " ".join(cell.text for row in rows for cell in row.cells)
        heads = _heads(rows) if rows and rows[0].start != unit.start else []
        return read_row(unit, self._language(unit), self.lexicon, texts, heads, self._head_language(unit))

    def _head_language(self, unit: Unit) -> str:
        """Of a table's head, whose few words may be of another language than the names below it."""
        number = unit.table.number if unit.table else 0
        return self._once(("hl", unit.file, number), lambda: self._read_head_language(unit))

    def _read_head_language(self, unit: Unit) -> str:
        texts = dict.fromkeys(text for row in self.peers(unit) for cell in row.cells for text in cell.headers)
        head = " . ".join(texts).replace("_", " ")
        own = self._language(unit)
        if not head or (guess := language_of(head, "")):
            return guess if head else own

        def known(language: str) -> int:
            return sum(any(key.startswith("@") for key in token.keys) for token in read(head, language, self.lexicon))

        return max((own, "en"), key=known)

    def _read_around(self, unit: Unit) -> tuple[Token, ...]:
        rows = list(self.index.rows(unit))
        if not rows:
            return ()
        near = [*self.index.neighbours(rows[0], 2, 0), *self.index.neighbours(rows[-1], 0, 4)]
        wide = [*self.index.neighbours(rows[0], 12, 0), *self.index.neighbours(rows[-1], 0, 16)]
        texts = [u.text for u in near if u.table is None and len(u.text) < 400]
        texts += [u.text for u in wide if u.table is None and u not in near and _introduces(u.text)]
        texts += [*unit.section[-3:], self.index.source(unit.file).title]
        return tuple(token for text in texts for token in read(text, self._language(unit), self.lexicon))

    def _once(self, key: tuple[Any, ...], make: Callable[[], _T]) -> _T:
        found = self._kept.get(key)
        if found is not None:
            value: _T = found
            return value
        made = make()
        with self._lock:
            self._kept[key] = made
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made


_INTRODUCES = re.compile(
    r"\b(?:follow(?:ing|s)|below|table|above|folgend\w*|tabelle|nachstehend\w*|suivant\w*|tableau|ci-dessous|"
    r"poniżej|poniższ\w*|następując\w*|tabel\w*)\b",
    re.IGNORECASE,
)


def _introduces(text: str) -> bool:
    """A sentence that speaks of a table that stands nearby."""
    return len(text) < 300 and bool(_INTRODUCES.search(text))


def _path_words(file: str) -> str:
    """The words of a path: "crm/bank-statement-2026.csv" is found in the CRM, and is a bank statement."""
    return re.sub(r"[^\W_]*\d[^\W_]*|[\W_]+", " ", str(PurePosixPath(file).with_suffix(""))).strip()


def _called(source: Source) -> list[str]:
    return [name for party in source.parties for name in (party.name, *party.aliases)]


def _heads(rows: Sequence[Unit]) -> list[tuple[str, ...]]:
    """A first row of words above rows of figures is one more row of the head."""
    first = rows[0]
    if len(first.cells) < 2 or any(not any(c.isalpha() for c in cell.text) for cell in first.cells):
        return []
    if any(_figure(cell.text) for cell in first.cells) or not any(
        _figure(c.text) for row in rows[1:4] for c in row.cells
    ):
        return []
    heads: list[tuple[str, ...]] = [()] * (1 + max((cell.column for cell in first.cells), default=-1))
    for cell in first.cells:
        heads[cell.column] = (cell.text,)
    return heads


def _figure(text: str) -> bool:
    return any(char.isdigit() for char in text) and not any(char.isalpha() for char in text)


_DESKS: WeakKeyDictionary[Index, Desk] = WeakKeyDictionary()


def desk_of(index: Index, lexicon: Lexicon) -> Desk:
    """The desk of an index; kept as long as the index is."""
    desk = _DESKS.get(index)
    if desk is None or desk.lexicon is not lexicon:
        desk = _DESKS[index] = Desk(index, lexicon)
    return desk
