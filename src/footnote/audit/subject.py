"""Where in a log somebody or something is named: every part that cites a subject, and what may be about it besides.

A subject is an evidence id (`customer:14`) or an actor (`actor:zoran`). What is *found*:

- rows of evidence that are the subject's, and rows that name it by label, id, or a field called after its type;
- sections with its id, its URI or its whole label, in any letter case;
- in records that cite it, also the question as it was asked, the subject's key as an argument or SQL parameter, and
  sections and arguments with one of the longer words of its label.

What *cannot* be found is free text that means the subject by other words: a nickname, a misspelling, "our largest
debtor". Records in which a longer word of its label stands elsewhere, or its key in a row's field of another name
(`debtor_id`), are named as `possible`, and left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from footnote.errors import UsageError
from footnote.provenance import Log
from footnote.provenance.canonical import Unrecordable, parse
from footnote.provenance.chain import Progress
from footnote.provenance.leaf import EVIDENCE
from footnote.provenance.store import Entry

ACTOR: Final = "actor"
LONG: Final = 4
"""Letters from which on a word of a label says something by itself."""

PROTECTED: Final = {
    "erasure": frozenset({"erased"}),
    "retention": frozenset({"hold", "release", "pruned"}),
    "key": frozenset({"rotation"}),
    "import": frozenset({"import"}),
}
"""Sections by kind of record that are never erased: without them the log would not verify. They hold no text of others."""

_ID = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(.+)", re.DOTALL)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a part may name."""

    type: str
    key: str

    @classmethod
    def parse(cls, text: str) -> Subject:
        """Read `customer:14` or `actor:zoran`; a text without a colon is an actor.

        Raises `UsageError` if it is neither.
        """
        match = _ID.fullmatch(text.strip())
        if match:
            return cls(match[1], match[2])
        if text.strip() and ":" not in text:
            return cls(ACTOR, text.strip())
        raise UsageError(f"{text[:80]!a} is no subject.", remedy="Name an evidence id (customer:14) or actor:NAME.")

    @property
    def id(self) -> str:
        """The subject's evidence id."""
        return f"{self.type}:{self.key}"

    @property
    def uri(self) -> str:
        """The subject's URI."""
        return f"erp://{self.type}/{self.key}"


@dataclass(slots=True)
class Found:
    """What names a subject.

    Attributes:
        paths: Paths of parts that are there, by sequence.
        labels: What the subject is called in rows of its own.
        possible: Sequences of records of which another part may be about it, and was left alone.
    """

    paths: dict[int, list[str]] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    possible: list[int] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many parts."""
        return sum(map(len, self.paths.values()))


def find_subject(log: Log, subject: Subject, progress: Progress | None = None) -> Found:
    """Look for a subject in the whole log; flat in memory but for what is found. Raises `LogUnavailable`."""
    found = Found(labels=_labels(log, subject))
    words = {word for label in found.labels for word in _WORD.findall(label.casefold()) if len(word) >= LONG}
    size = log.size()
    for entry in log.store.entries(upto=size):
        parts = dict(present_parts(entry))
        match = _Match(subject, {label.casefold() for label in found.labels}, words)
        paths = match.paths(parts)
        if paths:
            found.paths[entry.sequence] = paths
        if any(match.may_mean(path, value) for path, value in parts.items() if path not in paths):
            found.possible.append(entry.sequence)
        if progress and entry.sequence % 500 == 0:
            progress(entry.sequence, size)
    return found


def find_rows(log: Log, id: str, sequences: Iterator[int] | None = None) -> dict[int, list[str]]:
    """Rows of evidence of this id, and nothing else, by sequence; everywhere, or in these records."""
    wanted = None if sequences is None else set(sequences)
    found: dict[int, list[str]] = {}
    for entry in log.store.entries():
        if wanted is not None and entry.sequence not in wanted:
            continue
        rows = [path for path, value in present_parts(entry) if _is_row(path) and _id_of(value) == id]
        if rows:
            found[entry.sequence] = rows
    return found


def present_parts(entry: Entry) -> Iterator[tuple[str, Any]]:
    """Path and value of each part that is there and may be erased; what is not JSON is its bytes as text."""
    protected = PROTECTED.get(entry.kind, frozenset())
    for part in entry.parts:
        if part.salt is None or part.data is None or part.section in protected:
            continue
        try:
            yield part.path, parse(part.data)
        except Unrecordable:
            yield part.path, part.data.decode("utf-8", "replace")


class _Match:
    """One record held against a subject."""

    def __init__(self, subject: Subject, labels: set[str], words: set[str]) -> None:
        self._subject = subject
        self._labels = labels
        self._words = words
        self._names = {subject.type, f"{subject.type}id", f"{subject.type}_id", f"{subject.type}no", "recordid"}

    def paths(self, parts: dict[str, Any]) -> list[str]:
        """The paths that name the subject."""
        if self._subject.type == ACTOR:
            return [path for path, value in parts.items() if self._names_actor(path, value)]
        citing = any(self._cites(value) for value in parts.values())
        return [
            path
            for path, value in parts.items()
            if self._cites(value)
            or self._has_label(value)
            or (_is_row(path) and self._refers(value))
            or (citing and (path == "question" or self._is_meant(path, value)))
        ]

    def may_mean(self, path: str, value: Any) -> bool:
        """Whether a part that was not found may be about the subject, so that somebody should look."""
        return self._has_word(value) or (_is_row(path) and self._numbers(value))

    def _has_word(self, value: Any) -> bool:
        """Whether a longer word of the subject's label stands anywhere."""
        return any(self._words & set(_WORD.findall(text.casefold())) for text in _texts(value))

    def _names_actor(self, path: str, value: Any) -> bool:
        key = self._subject.key
        return any(text in (key, self._subject.id) for text in _texts(value)) and (path == ACTOR or not _is_row(path))

    def _cites(self, value: Any) -> bool:
        return any(text in (self._subject.id, self._subject.uri) for text in _texts(value))

    def _has_label(self, value: Any) -> bool:
        return any(_stands_in(label, text.casefold()) for text in _texts(value) for label in self._labels)

    def _is_meant(self, path: str, value: Any) -> bool:
        """Within a record that cites the subject: by its key, or by a word of its label where that is not a row's."""
        if self._keyed(value):
            return True
        is_other_row = _is_row(path) and not _id_of(value).startswith(("argument:", "absence:"))
        return not is_other_row and self._has_word(value)

    def _keyed(self, value: Any) -> bool:
        """Whether the subject's key stands as an argument, as a parameter, or in a field called after its type."""
        if isinstance(value, list):
            return any(self._keyed(item) for item in value)
        if not isinstance(value, dict):
            return False
        if _id_of(value).startswith("argument:") and str(value.get("value")) == self._subject.key:
            return True
        for name, item in value.items():
            if name in ("arguments", "params", "parameters") and self._subject.key in map(str, _scalars(item)):
                return True
            if self._keyed(item):
                return True
        return self._names_it(value)

    def _refers(self, value: Any) -> bool:
        """Whether the subject's key stands in a field called after its type, as an invoice names its customer."""
        if isinstance(value, list):
            return any(map(self._refers, value))
        return isinstance(value, dict) and (self._names_it(value) or any(map(self._refers, value.values())))

    def _names_it(self, value: dict[str, Any]) -> bool:
        key = self._subject.key
        named = any(name.casefold() in self._names and str(item) == key for name, item in value.items())
        return named and self._of_type(value)

    def _numbers(self, value: Any) -> bool:
        """Whether the subject's key stands in some other field that refers to a record, by its name."""
        if self._subject.type == ACTOR or not isinstance(value, dict):
            return False
        fields = value.get("fields")
        return isinstance(fields, dict) and any(
            name.casefold().endswith("_id") and str(item) == self._subject.key for name, item in fields.items()
        )

    def _of_type(self, value: dict[str, Any]) -> bool:
        # `recordId` is any type's key: it counts where the type is said to be the subject's.
        return value.get("type") in (None, self._subject.type) or "recordId" not in value


def _labels(log: Log, subject: Subject) -> set[str]:
    labels = set()
    if subject.type != ACTOR:
        for entry in log.store.entries():
            for path, value in present_parts(entry):
                if _is_row(path) and _id_of(value) == subject.id and isinstance(value.get("label"), str):
                    labels.add(value["label"].strip())
    return {label for label in labels if len(label) >= LONG}


def _is_row(path: str) -> bool:
    return path.startswith(EVIDENCE + "/")


def _id_of(value: Any) -> str:
    return str(value.get("id", "")) if isinstance(value, dict) else ""


def _texts(value: Any) -> Iterator[str]:
    for item in _scalars(value):
        if isinstance(item, str):
            yield item


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _scalars(item)
    elif isinstance(value, list):
        for item in value:
            yield from _scalars(item)
    elif value is not None:
        yield value


def _stands_in(label: str, text: str) -> bool:
    """Whether a label stands in a text, not as a part of a longer word."""
    at = text.find(label)
    while at >= 0:
        end = at + len(label)
        if not (at and text[at - 1].isalnum()) and not (end < len(text) and text[end].isalnum()):
            return True
        at = text.find(label, at + 1)
    return False
