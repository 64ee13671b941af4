"""Arguments: what a caller gave, checked and typed, or a clear error. Nothing is guessed and nothing is ignored."""

from __future__ import annotations

import datetime as dt
import difflib
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from footnote.catalog.model import Catalog, Operation, Parameter
from footnote.errors import ArgumentError, Candidate, FigureError
from footnote.evidence import Argument, Json
from footnote.figures import check_currency, exact_text
from footnote.operations.periods import Period, parse_period
from footnote.sources.query import Parameter as Bound

LONGEST = 1_000
"""Characters of one argument."""
MOST_ITEMS = 1_000
"""Items of a list argument."""
MOST_DIGITS = 60
ONLY = "only"
"""Default of an entity: the only record there is, where there is only one."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Arguments:
    """Checked arguments of one call.

    Attributes:
        values: What statements bind, by placeholder; entity arguments are bound after they are resolved.
        exact: As recorded, by parameter.
        entities: Texts that name entities, by parameter; an empty one means the only record there is.
        present: Parameters that have a value.
        evidence: An `Argument` per present parameter.
    """

    values: Mapping[str, Bound | tuple[Bound, ...]]
    exact: Mapping[str, Json]
    entities: Mapping[str, str]
    present: frozenset[str]
    evidence: tuple[Argument, ...]


@dataclass
class _Collected:
    values: dict[str, Bound | tuple[Bound, ...]] = field(default_factory=dict)
    exact: dict[str, Json] = field(default_factory=dict)
    entities: dict[str, str] = field(default_factory=dict)
    evidence: list[Argument] = field(default_factory=list)


def check_arguments(
    catalog: Catalog, name: str, operation: Operation, given: Mapping[str, Any], today: dt.date
) -> Arguments:
    """Check what a caller gave for an operation.

    Args:
        catalog: For fiscal calendars.
        name: The operation's name, for errors.
        operation: The operation.
        given: Values by parameter name; None counts as absent.
        today: What `default: today` means.

    Raises:
        ArgumentError: Unknown, missing or wrong; names the parameter and what would work.
    """
    _refuse_unknown(name, operation, given)
    out = _Collected()
    for parameter in operation.parameters:
        raw = given.get(parameter.name)
        defaulted = raw is None
        if defaulted:
            raw = _default(parameter, today)
        if raw is None:
            if parameter.is_required:
                raise ArgumentError(
                    f"{name} needs the argument {parameter.name!r}.",
                    why=parameter.description,
                    remedy=f"Give {_what_works(parameter)}.",
                    details={"parameter": parameter.name},
                )
            continue
        _take(catalog, parameter, raw, today, defaulted, out)
    return Arguments(out.values, out.exact, out.entities, frozenset(out.exact), tuple(out.evidence))


def _take(catalog: Catalog, parameter: Parameter, raw: Any, today: dt.date, defaulted: bool, out: _Collected) -> None:
    value = _typed(catalog, parameter, raw, today)
    _check_limits(parameter, value, today)
    name = parameter.name
    if isinstance(value, Period):
        out.values |= {
            f"{name}_from": value.first,
            f"{name}_to": value.last,
            f"{name}_prior_from": value.prior_first,
            f"{name}_prior_to": value.prior_last,
        }
        exact: Json = value.exact
    elif parameter.type == "entity":
        exact = str(value)
        out.entities[name] = "" if defaulted and exact == ONLY else exact
    else:
        out.values[name] = value
        exact = [exact_text(item) for item in value] if isinstance(value, tuple) else exact_text(value)
    out.exact[name] = exact
    shown = ", ".join(str(item) for item in exact) if isinstance(exact, list) else str(exact)
    out.evidence.append(Argument(name, shown, defaulted))


def _refuse_unknown(name: str, operation: Operation, given: Mapping[str, Any]) -> None:
    known = [parameter.name for parameter in operation.parameters]
    for key in given:
        if key in known:
            continue
        near = difflib.get_close_matches(str(key)[:LONGEST], known, n=3, cutoff=0.5)
        raise ArgumentError(
            f"{name} has no argument {_short(key) if key else repr(key)}.",
            why="What an argument asks for must not be ignored.",
            remedy=f"Its arguments are: {', '.join(known) or 'none'}.",
            candidates=[Candidate(text) for text in near],
        )


def _default(parameter: Parameter, today: dt.date) -> Any:
    if parameter.default == "start_of_year":
        return today.replace(month=1, day=1)
    if parameter.default == "start_of_month":
        return today.replace(day=1)
    if parameter.default == "this_year":
        return f"{today.year:04d}"
    return today if parameter.default == "today" else parameter.default


# --- types ------------------------------------------------------------------------------------------------------------


def _typed(catalog: Catalog, parameter: Parameter, raw: Any, today: dt.date) -> Any:
    if isinstance(raw, str):
        raw = _clean(parameter, raw)
    if parameter.type == "list":
        return _list(parameter, raw, today)
    if parameter.type == "period":
        calendar = catalog.calendars.get(parameter.calendar or "")
        try:
            return parse_period(str(raw), calendar.year_end if calendar else "12-31")
        except ValueError as error:
            raise _wrong(parameter, raw, str(error)) from None
    return _scalar(parameter, parameter.type, raw, today)


def _scalar(parameter: Parameter, kind: str, raw: Any, today: dt.date) -> Any:
    try:
        return _READERS[kind](raw, today)
    except (ValueError, InvalidOperation, OverflowError):
        raise _wrong(parameter, raw) from None
    except FigureError as error:
        raise _wrong(parameter, raw, error.text) from None


def _list(parameter: Parameter, raw: Any, today: dt.date) -> tuple[Any, ...]:
    items: Sequence[Any] = [item.strip() for item in raw.split(",")] if isinstance(raw, str) else raw
    if not isinstance(items, list | tuple) or not 1 <= len(items) <= MOST_ITEMS:
        raise _wrong(parameter, raw, f"A list has 1 to {MOST_ITEMS} items.")
    return tuple(
        _scalar(parameter, parameter.of or "text", _clean(parameter, item) if isinstance(item, str) else item, today)
        for item in items
    )


def _clean(parameter: Parameter, text: str) -> str:
    if len(text) > LONGEST:
        raise ArgumentError(
            f"The argument {parameter.name!r} has {len(text):,} characters.", remedy=f"At most {LONGEST:,} are read."
        )
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ArgumentError(f"The argument {parameter.name!r} holds half of a surrogate pair, so it is no valid text.")
    if any(ord(c) < 32 or ord(c) == 127 for c in text):
        raise ArgumentError(f"The argument {parameter.name!r} holds a control character.", remedy="Give plain text.")
    return text.strip()


def _text(raw: Any, _: dt.date) -> str:
    if isinstance(raw, bool) or not isinstance(raw, str | int) or raw == "":
        raise ValueError
    return str(raw)


def _integer(raw: Any, _: dt.date) -> int:
    if isinstance(raw, float) and raw.is_integer() and abs(raw) < 2**53:
        raw = int(raw)
    if isinstance(raw, bool) or not (isinstance(raw, int) or (isinstance(raw, str) and _INTEGER.fullmatch(raw))):
        raise ValueError
    value = int(raw)
    if not -(2**63) <= value < 2**63:
        raise ValueError
    return value


def _decimal(raw: Any, _: dt.date) -> Decimal:
    if isinstance(raw, float):  # JSON's 0.1 is the text 0.1; beyond 15 digits it is not what the caller wrote
        raw = repr(raw)
        if len(raw.replace("-", "").replace(".", "").strip("0")) > 15:
            raise ValueError
    text = str(raw)
    if isinstance(raw, bool) or len(text) > MOST_DIGITS or not _DECIMAL.fullmatch(text):
        raise ValueError
    return Decimal(text)


def _boolean(raw: Any, _: dt.date) -> bool:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and raw.lower() in ("true", "false"):
        return raw.lower() == "true"
    raise ValueError


def _date(raw: Any, today: dt.date) -> dt.date:
    if isinstance(raw, dt.date) and not isinstance(raw, dt.datetime):
        return raw
    if isinstance(raw, str) and raw.lower() == "today":
        return today
    if isinstance(raw, str) and _DATE.fullmatch(raw):
        return dt.date.fromisoformat(raw)
    raise ValueError


def _datetime(raw: Any, _: dt.date) -> dt.datetime:
    if isinstance(raw, dt.datetime):
        return raw
    if isinstance(raw, str) and _DATE.match(raw):
        return dt.datetime.fromisoformat(raw)
    raise ValueError


def _currency(raw: Any, _: dt.date) -> str:
    return check_currency(str(raw).upper())


_READERS: dict[str, Callable[[Any, dt.date], Any]] = {
    "text": _text,
    "entity": _text,
    "integer": _integer,
    "decimal": _decimal,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "currency": _currency,
}

_EXAMPLES = {
    "text": "a text",
    "entity": "a name or number",
    "integer": "a whole number, such as 4471",
    "decimal": "a number with a point, such as 12.50",
    "boolean": "true or false",
    "date": "a date as YYYY-MM-DD",
    "datetime": "a time as YYYY-MM-DDTHH:MM:SS",
    "currency": "an ISO 4217 code, such as EUR",
    "period": "a period: 2026, 2026-Q3, 2026-08, FY2025 or 2026-01-01..2026-03-31",
    "list": "a list",
}


def _what_works(parameter: Parameter) -> str:
    if parameter.allowed_values:
        return "one of: " + ", ".join(str(value) for value in parameter.allowed_values)
    return _EXAMPLES[parameter.type]


def _wrong(parameter: Parameter, raw: Any, why: str = "") -> ArgumentError:
    return ArgumentError(
        f"{_short(raw)} is no value for {parameter.name!r}.",
        why=why,
        remedy=f"Give {_what_works(parameter)}.",
        details={"parameter": parameter.name},
    )


def _check_limits(parameter: Parameter, value: Any, today: dt.date) -> None:
    items = value if isinstance(value, tuple) else (value,)
    if parameter.allowed_values:
        kind = (parameter.of or "text") if parameter.type == "list" else parameter.type
        allowed = [_scalar(parameter, kind, item, today) for item in parameter.allowed_values]
        for item in items:
            if item not in allowed:
                raise _wrong(parameter, item)
    limits = (
        (parameter.min_value, operator.lt, "at least"),
        (parameter.max_value, operator.gt, "at most"),
    )
    for limit, broken, word in limits:
        if limit is None or isinstance(value, Period):
            continue
        kind = (parameter.of or "text") if parameter.type == "list" else parameter.type
        bound = _scalar(parameter, kind, limit, today)
        for item in items:
            if broken(item, bound):
                raise _wrong(parameter, item, f"It must be {word} {limit}.")


def _short(raw: Any) -> str:
    text = raw if isinstance(raw, str) else str(raw) if isinstance(raw, int | float | dt.date | Decimal) else ""
    if not text:
        return "An empty text" if raw == "" else f"A value of type {type(raw).__name__}"
    text = text.encode("utf-8", "replace").decode("utf-8")
    return repr(text if len(text) <= 80 else text[:77] + "…")
