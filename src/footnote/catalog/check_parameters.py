"""Checks of an operation's parameters: types, defaults and limits that fit, entities and calendars that exist."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from footnote.catalog.model import Parameter
from footnote.catalog.scope import Problems, Scope, placeholders_of
from footnote.errors import CatalogError, FootnoteError
from footnote.figures import check_currency

DATE_WORDS = frozenset({"today", "start_of_year", "start_of_month"})
"""Defaults of a date that are worked out at each call."""

PERIOD_WORDS = frozenset({"this_year"})
"""Defaults of a period that are worked out at each call."""

_DEFAULT_WORDS: Mapping[str, frozenset[str]] = {"date": DATE_WORDS, "period": PERIOD_WORDS}

_PERIOD = re.compile(r"\d{4}(-Q[1-4]|-(0[1-9]|1[0-2]))?\Z|FY\d{4}\Z")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_ORDERED = frozenset({"integer", "decimal", "date", "datetime"})


def parameter_problems(scope: Scope, operation: str) -> Problems:
    """What is wrong with the parameters of an operation, and with `as_of`."""
    spec, path = scope.catalog.operations[operation], ("operations", operation)
    bound = Counter(name for parameter in spec.parameters for name in {parameter.name, *placeholders_of(parameter)})
    for position, parameter in enumerate(spec.parameters):
        here = (*path, "parameters", position)
        clash = next((n for n in {parameter.name, *placeholders_of(parameter)} if bound[n] > 1), None)
        if clash:
            what = f"Two parameters bind `:{clash}`."
            yield scope.problem(what, *here, "name", remedy="Give each parameter its own name.")
        yield from _reference_problems(scope, parameter, *here)
        yield from _value_problems(scope, parameter, *here)
    if spec.as_of is not None:
        named = spec.parameter(spec.as_of.parameter)
        if named is None:
            known = [parameter.name for parameter in spec.parameters]
            yield scope.unknown("Parameters", spec.as_of.parameter, known, *path, "as_of", "parameter")
        elif named.type != "date":
            what = f"`as_of` names `{named.name}`, which is of type {named.type}."
            yield scope.problem(what, *path, "as_of", "parameter", remedy="Name a parameter of type date.")


def _reference_problems(scope: Scope, parameter: Parameter, *path: str | int) -> Problems:
    for key, value, kind in (
        ("entity", parameter.entity, "entity"),
        ("of", parameter.of, "list"),
    ):
        if parameter.type == kind and value is None:
            what = f"`{parameter.name}` is of type {kind} and does not say which."
            yield scope.problem(what, *path, remedy=f"Add `{key}: …`.")
        elif parameter.type != kind and value is not None:
            what = f"`{parameter.name}` has `{key}` and is of type {parameter.type}."
            yield scope.problem(what, *path, key, remedy=f"Write `type: {kind}`, or remove `{key}`.")
    if parameter.type == "entity" and parameter.entity is not None and parameter.entity not in scope.catalog.entities:
        yield scope.unknown("Entities", parameter.entity, scope.catalog.entities, *path, "entity")
    if parameter.calendar is not None:
        if parameter.type != "period":
            what = f"`{parameter.name}` has `calendar` and is of type {parameter.type}."
            yield scope.problem(what, *path, "calendar", remedy="Write `type: period`, or remove `calendar`.")
        elif parameter.calendar not in scope.catalog.calendars:
            yield scope.unknown("Calendars", parameter.calendar, scope.catalog.calendars, *path, "calendar")
    if not parameter.description.strip():
        remedy = "Say what it means, for whoever calls the operation."
        yield scope.problem(f"`{parameter.name}` has an empty description.", *path, "description", remedy=remedy)


def _value_problems(scope: Scope, parameter: Parameter, *path: str | int) -> Problems:
    name = parameter.name
    if parameter.required and parameter.default is not None:
        what = f"`{name}` is required, so its default is never used."
        yield scope.problem(what, *path, "default", remedy="Remove `required` or `default`.")
    if not _accepts(parameter, parameter.default, is_default=True):
        yield _misfit(scope, parameter, "default", *path, "default")
    for position, value in enumerate(parameter.allowed_values):
        if value is None or not _accepts(parameter, value):
            yield _misfit(scope, parameter, "allowed value", *path, "allowed_values", position)
            return
    for key, limit in (("min_value", parameter.min_value), ("max_value", parameter.max_value)):
        if limit is None:
            continue
        if (parameter.of or parameter.type) not in _ORDERED:
            what = f"`{name}` has `{key}`, and values of type {parameter.of or parameter.type} have no order."
            yield scope.problem(what, *path, key, remedy="Remove it.")
            return
        if not _accepts(parameter, limit):
            yield _misfit(scope, parameter, key, *path, key)
            return
    yield from _limit_problems(scope, parameter, *path)


def _limit_problems(scope: Scope, parameter: Parameter, *path: str | int) -> Problems:
    """Limits in the wrong order, and a default outside of them; every value was found to fit its type."""
    read = _reader(parameter.of or parameter.type)
    low = None if parameter.min_value is None else read(parameter.min_value)
    high = None if parameter.max_value is None else read(parameter.max_value)
    if low is not None and high is not None and low > high:
        what = f"`min_value` of `{parameter.name}` is above its `max_value`."
        yield scope.problem(what, *path, "min_value", remedy="Exchange them.")
    default = parameter.default
    if default is None or default in DATE_WORDS | PERIOD_WORDS or not _accepts(parameter, default):
        return
    for value in default if isinstance(default, list) else [default]:
        outside = (low is not None and read(value) < low) or (high is not None and read(value) > high)
        unlisted = bool(parameter.allowed_values) and read(value) not in map(read, parameter.allowed_values)
        if outside or unlisted:
            what = f"The default of `{parameter.name}` is not a value it allows."
            yield scope.problem(what, *path, "default", remedy="Choose one within its limits.")
            return


def _accepts(parameter: Parameter, value: Any, *, is_default: bool = False) -> bool:
    """Whether the value is one of the parameter's type; a default may also be one of the words for its type."""
    if value is None:
        return True
    kind = parameter.type
    if is_default and value in _DEFAULT_WORDS.get(kind, ()):
        return True
    if kind == "list":
        kind = parameter.of or "text"
        if is_default:
            return isinstance(value, list) and all(item is not None and _fits(kind, item) for item in value)
    return _fits(kind, value)


def _fits(kind: str, value: Any) -> bool:
    try:
        _reader(kind)(value)
    except (ValueError, InvalidOperation, FootnoteError):
        return False
    return True


def _reader(kind: str) -> Callable[[Any], Any]:
    """What turns a value of this type into one that can be compared, or raises."""
    return _READERS.get(kind, _text)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(value)
    return value


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(value)
    return value


def _decimal(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise ValueError(value)
    number = Decimal(value)
    if not number.is_finite():
        raise ValueError(value)
    return number


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


def _date(value: Any) -> dt.date:
    if not isinstance(value, str) or not _DATE.match(value):
        raise ValueError(value)
    return dt.date.fromisoformat(value)


def _datetime(value: Any) -> dt.datetime:
    moment = dt.datetime.fromisoformat(_text(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def _period(value: Any) -> str:
    if not isinstance(value, str) or not _PERIOD.match(value):
        raise ValueError(value)
    return value


def _currency(value: Any) -> str:
    return check_currency(_text(value))


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "text": _text,
    "entity": _text,
    "integer": _integer,
    "decimal": _decimal,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "period": _period,
    "currency": _currency,
}
_EXAMPLES = {
    "text": "text in quotes",
    "entity": "a name or number in quotes",
    "integer": "digits, such as 10",
    "decimal": "a number, such as 0.5",
    "boolean": "true or false",
    "date": "a date such as 2026-08-14 (a default may be today, start_of_year or start_of_month)",
    "datetime": "a moment such as 2026-08-14T09:30:00",
    "period": 'a period in quotes: "2026", "2026-Q3", "2026-08" or "FY2026" (a default may be this_year)',
    "currency": "an ISO 4217 code such as EUR",
}


def _misfit(scope: Scope, parameter: Parameter, what: str, *path: str | int) -> CatalogError:
    kind = parameter.of or parameter.type
    wanted = _EXAMPLES.get(kind, "a value of its type")
    remedy = f"Write a list of values, each {wanted}." if parameter.type == "list" and what == "default" else ""
    text = f"The {what} of `{parameter.name}` is not of type {parameter.type}."
    return scope.problem(text, *path, remedy=remedy or f"Write {wanted}.")
