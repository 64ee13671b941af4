"""Pydantic's findings as sentences with a file and a line."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from footnote.catalog.model import Catalog
from footnote.catalog.place import LineMap, Path
from footnote.catalog.suggest import did_you_mean
from footnote.errors import CatalogError

_SENTENCES = {
    "string_type": ("`{key}` is not text.", "Write text; put a number or a date in quotes."),
    "int_type": ("`{key}` is not a whole number.", "Write digits without quotes."),
    "bool_type": ("`{key}` is neither true nor false.", "Write true or false, without quotes."),
    "list_type": ("`{key}` is not a list.", "Write `[a, b]`, or a line `- a` for each item."),
    "dict_type": (
        "`{key}` is not a mapping of names to values.",
        "Write `name: …` in indented lines, or `{{name: …}}`.",
    ),
    "model_type": ("`{key}` is not a mapping of keys to values.", "Write `key: …` in indented lines, or `{{key: …}}`."),
    "value_error": ("`{key}` is not a date.", "{message}."),
    "date_from_datetime_parsing": ("`{key}` is not a date of the calendar.", "Write a date such as 2026-08-14."),
    "date_parsing": ("`{key}` is not a date of the calendar.", "Write a date such as 2026-08-14."),
    "too_short": ("`{key}` has too few items.", "Give it at least {min_length}."),
    "too_long": ("`{key}` has too many items.", "Give it at most {max_length}."),
    "string_too_short": ("`{key}` is empty.", "Write its value."),
    "greater_than_equal": ("`{key}` is too small.", "Write at least {ge}."),
    "less_than_equal": ("`{key}` is too large.", "Write at most {le}."),
}
_NAME_RULE = "A name has letters, digits and _, begins with no digit, and is at most 64 long."
_UNION_TAGS = frozenset({"constrained-str", "str", "int", "decimal", "date", "list[constrained-str]"})


def mistakes(error: ValidationError, value: dict[str, Any], lines: LineMap) -> list[CatalogError]:
    """One error per place in the file, in the order of its lines.

    Args:
        error: What pydantic found in `value`.
        value: The file's values.
        lines: Where they stand.
    """
    found: dict[Path, ErrorDetails] = {}
    for details in error.errors(include_url=False, include_input=False):
        path = _path_in_file(details["loc"], value)
        known = found.get(path)
        if known is None or _fits_better(details, known):
            found[path] = details
    misspelt = {path: _misspelt(path, value) for path, details in found.items() if details["type"] == "extra_forbidden"}
    absorbed = {(*path[:-1], meant) for path, meant in misspelt.items() if meant}
    kept = [(path, details) for path, details in found.items() if path not in absorbed]
    return sorted((_sentence(path, details, value, lines) for path, details in kept), key=lambda e: e.line)


def _path_in_file(loc: tuple[int | str, ...], value: Any) -> Path:
    """`loc` without the parts that pydantic adds for unions and keys."""
    path: list[str | int] = []
    for part in loc:
        if isinstance(value, dict) and part in value:
            value = value[str(part)]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif not isinstance(value, dict) or part == "[key]" or part in _UNION_TAGS or _is_model(part):
            continue
        path.append(part)
    return tuple(path)


def _is_model(part: int | str) -> bool:
    return isinstance(part, str) and part[:1].isupper() and part in _models()


def _models() -> frozenset[str]:
    return frozenset(model.__name__ for model in _submodels(Catalog))


def _submodels(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for info in model.model_fields.values():
        for inner in _models_in(info.annotation):
            yield from _submodels(inner)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _models_in(argument)


def _fits_better(one: ErrorDetails, other: ErrorDetails) -> bool:
    """Of two findings about one value, from two sides of a union: the one of the side the author meant."""
    wrong_kind = {"string_type", "model_type", "dict_type", "int_type", "decimal_type", "is_instance_of"}
    return other["type"] in wrong_kind and one["type"] not in wrong_kind


def _at(value: Any, path: Iterable[str | int]) -> Any:
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _keys_at(path: Path) -> tuple[str, ...]:
    """The keys that the format knows in the mapping at `path`."""
    annotations: list[Any] = [Catalog]
    for part in path:
        annotations = [inner for annotation in annotations for inner in _step(annotation, part)]
    return tuple(dict.fromkeys(key for a in annotations for model in _direct_models(a) for key in model.model_fields))


def _step(annotation: Any, part: str | int) -> Iterator[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if part in annotation.model_fields:
            yield annotation.model_fields[str(part)].annotation
        return
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in {typing.Union, types.UnionType}:
        for argument in arguments:
            yield from _step(argument, part)
    elif origin is dict and isinstance(part, str):
        yield arguments[1]
    elif origin is list and isinstance(part, int):
        yield arguments[0]
    elif origin is typing.Annotated:
        yield from _step(arguments[0], part)


def _direct_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif typing.get_origin(annotation) in {typing.Union, types.UnionType, typing.Annotated}:
        for argument in typing.get_args(annotation):
            yield from _direct_models(argument)


def _misspelt(path: Path, value: dict[str, Any]) -> str:
    """The missing key that an unknown one was meant to be, or empty text."""
    import difflib

    present = _at(value, path[:-1])
    missing = [key for key in _keys_at(path[:-1]) if not isinstance(present, dict) or key not in present]
    near = difflib.get_close_matches(str(path[-1]), missing, n=1, cutoff=0.6)
    return near[0] if near else ""


def _sentence(path: Path, details: ErrorDetails, value: dict[str, Any], lines: LineMap) -> CatalogError:
    kind, context = details["type"], details.get("ctx", {})
    key = str(path[-1]) if path else "the file"
    owner = ".".join(map(str, path[:-1])) or "the file"
    if isinstance(path[-1] if path else None, int):
        key = f"item {int(path[-1]) + 1} of {path[-2] if len(path) > 1 else 'the list'}"
    place = lines.place(*path)
    if kind == "extra_forbidden":
        meant = _misspelt(path, value)
        remedy = f"Did you mean `{meant}`?" if meant else did_you_mean(key, _keys_at(path[:-1]))
        return CatalogError(f"Unknown key `{key}` in {owner}.", file=place.file, line=place.line, remedy=remedy)
    if kind == "missing":
        what, around = f"`{key}` is missing in {owner}.", lines.place(*path[:-1])
        return CatalogError(what, file=around.file, line=around.line, remedy=f"Add `{key}: …`.")
    if kind in {"literal_error", "enum"}:
        expected = str(context.get("expected", "")).replace("'", "").replace(" or ", ", ").split(", ")
        remedy = f"Write one of {', '.join(word for word in expected if word)}."
        return CatalogError(f"`{key}` has a value it cannot have.", file=place.file, line=place.line, remedy=remedy)
    if kind == "string_pattern_mismatch":
        return _pattern(path, key, str(context.get("pattern", "")), details, lines)
    what, remedy = _SENTENCES.get(kind, ("`{key}` is not right.", "{message}."))
    message = details["msg"].removeprefix("Value error, ").rstrip(".")
    facts = {"key": key, "message": message} | {name: str(fact) for name, fact in context.items()}
    return CatalogError(what.format(**facts), file=place.file, line=place.line, remedy=remedy.format(**facts))


def _pattern(path: Path, key: str, pattern: str, details: ErrorDetails, lines: LineMap) -> CatalogError:
    remedies = {
        "year_end": 'Write the last month and day of the year, such as "12-31".',
        "timeout": "Write a number with ms, s or m, such as 30s.",
        "currency": "Write an ISO 4217 code (EUR), `company`, or `{column: name}`.",
    }
    place = lines.place(*path)
    if "[key]" in details["loc"]:
        what = f"`{key}` is not a name that clients, SQL and templates all accept."
        return CatalogError(what, file=place.file, line=place.line, remedy=_NAME_RULE)
    remedy = remedies.get(str(path[-1]), _NAME_RULE if "A-Za-z_" in pattern else f"It must match {pattern}.")
    return CatalogError(f"`{key}` is not written as it must be.", file=place.file, line=place.line, remedy=remedy)
