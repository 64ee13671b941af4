"""A catalog file as plain values that know their lines.

YAML is read event by event, so that every value has a line, nothing is built from tags, and nothing grows beyond its
limits. What YAML 1.1 and 1.2 read differently (`no`, `010`, `1_000`) is refused instead of guessed; dates, `30s` and
`12-31` stay text; decimals are `Decimal`. `${NAME:default}` is replaced in values, never in keys and never in SQL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from footnote.catalog.place import LineMap, Path, Place
from footnote.catalog.scalars import plain_value, substituted_value
from footnote.catalog.variables import Variables
from footnote.errors import CatalogError

MAX_BYTES = 2_000_000
MAX_DEPTH = 40
MAX_VALUES = 50_000

_SQL_KEYS = frozenset({"statement", "sql", "evidence", "expression", "when", "equal"})
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Document:
    """The values of a file, and where they stand."""

    value: dict[str, Any]
    lines: LineMap


def read_document(text: str, file: str, variables: Variables) -> Document:
    """Read `text` as one YAML mapping.

    Raises:
        CatalogError: It is not one, or holds what is refused (see the module), with the line.
    """
    _refuse_unreadable(text, file)
    reader = _Reader(file, variables)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.take(event)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text, file) from None
    except yaml.YAMLError as error:
        raise CatalogError(f"The file is not YAML: {str(error).splitlines()[0]}.", file=file, line=1) from None
    if not isinstance(reader.root, dict):
        what = "The file is empty." if reader.root is None else "The file is not a mapping of keys to values."
        remedy = "Start with `catalog: name`, `version: 1` and `source: …`."
        raise CatalogError(what, file=file, line=1, remedy=remedy)
    places = {path: Place(file, line) for path, line in reader.lines.items()}
    return Document(reader.root, LineMap(file, places, reader.texts))


def _refuse_unreadable(text: str, file: str) -> None:
    for number, character in enumerate(text):
        if "\ud800" <= character <= "\udfff" or (character < " " and character not in "\t\n\r"):
            line = text.count("\n", 0, number) + 1
            what = f"The file holds the character U+{ord(character):04X}, which is not text."
            raise CatalogError(what, file=file, line=line, remedy="Save the file as UTF-8 text.")
    if len(text) > MAX_BYTES:
        what = f"The file has {len(text)} characters; at most {MAX_BYTES} are read."
        raise CatalogError(what, file=file, line=1, remedy="Split the catalog.")


def _syntax_error(error: yaml.MarkedYAMLError, text: str, file: str) -> CatalogError:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    lines = text.splitlines()
    content = lines[line - 1] if 0 < line <= len(lines) else ""
    remedy = "Check the indentation, and put text with `:`, `#`, `{` or `[` in quotes."
    if "\t" in content:
        remedy = "There is a tab in this line: indent with spaces."
    elif "${" in content:
        remedy = 'Put a value with `${…}` in quotes: "${NAME:default}".'
    elif "nesting" in (error.problem or ""):
        remedy = f"At most {MAX_DEPTH} levels are read."
    return CatalogError(f"The file is not YAML: {error.problem or error.context}.", file=file, line=line, remedy=remedy)


@dataclass(slots=True)
class _Open:
    """A mapping or sequence that is being read."""

    value: dict[str, Any] | list[Any]
    path: Path
    anchor: str | None
    key: str | None = None
    key_line: int = 0
    key_lines: dict[str, int] = field(default_factory=dict)
    started_at: int = 0


class _Reader:
    """Takes YAML events and builds values; holds no more than the limits allow."""

    def __init__(self, file: str, variables: Variables) -> None:
        self.file = file
        self.variables = variables
        self.root: Any = None
        self.lines: dict[Path, int] = {}
        self.texts: dict[Path, Place] = {}
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._count = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._error(line, "A second document starts here.", remedy="One file is one catalog.")
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event, line)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._refuse_tag(event, line)
            self._open({} if isinstance(event, yaml.MappingStartEvent) else [], event.anchor, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = self._stack.pop()
            if closed.anchor:
                self._anchors[closed.anchor] = (closed.value, self._count - closed.started_at)

    def _error(self, line: int, what: str, *, why: str = "", remedy: str = "") -> CatalogError:
        return CatalogError(what, file=self.file, line=line, why=why, remedy=remedy)

    def _refuse_tag(self, event: Any, line: int) -> None:
        if event.tag is not None:
            what = f"The tag `{event.tag}` is not read."
            raise self._error(line, what, remedy="Remove it; put text in quotes if it must stay text.")

    def _grow(self, line: int, by: int = 1) -> None:
        self._count += by
        if self._count > MAX_VALUES:
            what = f"The file holds more than {MAX_VALUES} values once its aliases (`*name`) are written out."
            raise self._error(line, what, remedy="Write the repeated part once, or split the catalog.")

    def _open(self, value: dict[str, Any] | list[Any], anchor: str | None, line: int) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise self._error(line, f"Values are nested deeper than {MAX_DEPTH} levels.", remedy="Flatten this part.")
        if self._expects_key():
            raise self._error(line, "A key here is not text.", remedy="Keys are names, such as `title:`.")
        path = self._place(value, line)
        self._grow(line)
        self._stack.append(_Open(value, path, anchor, started_at=self._count - 1))

    def _alias(self, event: Any, line: int) -> None:
        if self._expects_key():
            raise self._error(line, f"The alias `*{event.anchor}` stands where a key should.", remedy="Write the key.")
        if event.anchor not in self._anchors:
            inside = any(frame.anchor == event.anchor for frame in self._stack)
            what = f"The alias `*{event.anchor}` refers to {'itself' if inside else 'no anchor above it'}."
            raise self._error(line, what, remedy=f"Put `&{event.anchor}` before a value above this line.")
        value, size = self._anchors[event.anchor]
        self._grow(line, size)
        self._place(value, line)

    def _scalar(self, event: Any, line: int) -> None:
        self._refuse_tag(event, line)
        if self._expects_key():
            self._key(event, line)
            return
        self._grow(line)
        value = self._value(event, line)
        path = self._place(value, line)
        if isinstance(value, str):
            literal = event.style == "|"
            self.texts[path] = Place(self.file, line + 1 if event.style in {"|", ">"} else line, literal)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)

    def _value(self, event: Any, line: int) -> Any:
        plain = not event.style
        if "${" in event.value:
            if any(key in _SQL_KEYS for key in self._around()):
                what = "A variable of the environment cannot stand in SQL or in an expression."
                remedy = "Declare a parameter and use `:name`; one catalog per environment where tables differ."
                raise self._error(line, what, remedy=remedy)
            start = line + 1 if event.style == "|" else line
            text = self.variables.replace(event.value, Place(self.file, start, event.style == "|"))
            return substituted_value(text) if plain else text
        return plain_value(event.value, Place(self.file, line)) if plain else event.value

    def _around(self) -> Iterator[str]:
        """The key of the value at hand and of the mapping or list it stands in."""
        frame = self._stack[-1] if self._stack else None
        if frame is None:
            return
        if frame.key is not None:
            yield frame.key
        if frame.path and isinstance(frame.path[-1], str):
            yield frame.path[-1]

    def _key(self, event: Any, line: int) -> None:
        frame = self._stack[-1]
        quoted = bool(event.style) and event.style in {"'", '"'}
        key = event.value if quoted else plain_value(event.value, Place(self.file, line), key=True)
        if not isinstance(key, str) or (key == "<<" and not quoted):
            what = f"The key `{event.value}` is not text."
            remedy = "Write the merged keys out." if key == "<<" else f'Put it in quotes: "{event.value}".'
            raise self._error(line, what, remedy=remedy)
        if key in frame.key_lines:
            what = f"The key `{key}` stands here a second time; the first is in line {frame.key_lines[key]}."
            raise self._error(line, what, remedy="Remove or rename one of them.")
        frame.key, frame.key_line = key, line
        frame.key_lines[key] = line

    def _expects_key(self) -> bool:
        frame = self._stack[-1] if self._stack else None
        return frame is not None and isinstance(frame.value, dict) and frame.key is None

    def _place(self, value: Any, line: int) -> Path:
        """Put `value` into the mapping or list at hand; return its path."""
        if not self._stack:
            self.root = value
            self.lines[()] = line
            return ()
        frame = self._stack[-1]
        if isinstance(frame.value, dict):
            assert frame.key is not None  # noqa: S101 - `_expects_key` was asked before
            path: Path = (*frame.path, frame.key)
            line = frame.key_line
            frame.value[frame.key] = value
            frame.key = None
        else:
            path = (*frame.path, len(frame.value))
            frame.value.append(value)
        self.lines[path] = line
        return path
