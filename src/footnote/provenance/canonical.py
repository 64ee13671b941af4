"""One value, one spelling: the canonical JSON bytes that are hashed, stored and exported.

The form is RFC 8785 (JCS) restricted to what a record may hold, so that the standard library's encoder, written in C,
produces it: keys are ASCII text (where the order of code points is JCS's order of UTF-16 code units), integers stay
within +-(2^53 - 1), there are no floats (exact numbers are recorded as text), no lone surrogates, and no more than
64 levels. Text is never normalised: two spellings of "é" are two values. A property test holds this against `rfc8785`.
"""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Callable
from typing import Any, Final, NoReturn, cast

from footnote.errors import UsageError
from footnote.evidence import Json

MAX_DEPTH: Final = 64
"""Levels of lists and objects that a recorded value may have."""

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8785 section 3.2.2.3, RFC 7493)."""

# Cycles need no check of their own: they are deeper than any limit.
_ENCODER: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)


def _encoder() -> Callable[[Any], str]:
    """The standard library's encoder, set up once instead of for every value where it is the one written in C."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _ENCODER.encode
    pieces = make(None, _ENCODER.default, json.encoder.encode_basestring, None, ":", ",", True, False, False)
    return lambda value: "".join(pieces(value, 0))


_encode = _encoder()


class Unrecordable(UsageError):
    """A value that has no canonical form; `details["path"]` says where it stands."""

    code = "unrecordable"


def canonical(value: Json) -> bytes:
    """The canonical bytes of `value`, in UTF-8.

    Tuples count as lists. Raises `Unrecordable` with the place of the first thing that cannot be recorded.
    """
    if not _fits(value, MAX_DEPTH):
        raise _refusal(value)
    try:
        return _encode(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise _refusal(value) from error


def parse(data: bytes) -> Json:
    """The value of canonical bytes.

    Raises `Unrecordable` if `data` is anything but the canonical form of its value: other spacing or order, a key
    twice, a float, broken UTF-8, levels without end.
    """
    try:
        value = _decode(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Unrecordable("These bytes are not JSON that a record may hold.", why=_cause(error)) from error
    if canonical(value) != data:
        raise Unrecordable("These bytes are JSON, but not in canonical form.")
    return cast("Json", value)


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is not an integer; exact numbers are recorded as text")


_decode = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float).decode


def _cause(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"They have more than {MAX_DEPTH} levels."
    if isinstance(error, UnicodeDecodeError):
        return "They are not UTF-8."
    return f"{error}."


def _fits(value: Any, depth: int) -> bool:
    """Whether `value` can be recorded, lone surrogates aside: the encoder finds those."""
    # Exact types first and scalars in place: this runs over every value of every record.
    kind = type(value)
    if kind is dict:
        items = value.values()
        for key in value:
            if type(key) is not str or not key.isascii():
                return False
    elif kind is list or kind is tuple:
        items = value
    else:
        return _fits_otherwise(value, depth)
    if not depth:
        return False
    for item in items:
        kind = type(item)
        if kind is str or item is None or kind is bool:
            continue
        if not _fits(item, depth - 1):
            return False
    return True


def _fits_otherwise(value: Any, depth: int) -> bool:
    if isinstance(value, int):
        return -MAX_INTEGER <= value <= MAX_INTEGER
    if value is None or isinstance(value, str):
        return True
    # Subclasses are encoded as what they are: an ordered dict as a dict.
    if isinstance(value, dict):
        return _fits(dict(value), depth)
    return isinstance(value, (list, tuple)) and _fits(list(value), depth)


def _refusal(value: Json) -> Unrecordable:
    path, why, remedy = _fault(value, "", MAX_DEPTH) or ("", "Its canonical form cannot be written.", "")
    path = _shown(path)
    place = f"The value at {path}" if path else "The value"
    return Unrecordable(f"{place} cannot be recorded.", why=why, remedy=remedy, details={"path": path})


def _fault(value: Any, path: str, depth: int) -> tuple[str, str, str] | None:
    """The first place that does not fit, why, and what would work."""
    if isinstance(value, str):
        if _is_text(value):
            return None
        return path, "It holds half of a surrogate pair, which is not a character.", "Send well-formed Unicode text."
    if value is None or isinstance(value, int):
        if value is None or abs(value) <= MAX_INTEGER:
            return None
        return path, "It is an integer beyond 2^53 - 1, which not every reader keeps.", "Record it as text."
    if not isinstance(value, (dict, list, tuple)):
        return path, f"It is a {type(value).__name__}, which has no exact form in JSON.", "Record it as text."
    if not depth:
        return path, f"It has more than {MAX_DEPTH} levels.", "Record a flatter value."
    if isinstance(value, dict):
        return _fault_in_object(value, path, depth)
    faults = (_fault(item, f"{path}[{index}]", depth - 1) for index, item in enumerate(value))
    return next((fault for fault in faults if fault), None)


def _fault_in_object(value: dict[Any, Any], path: str, depth: int) -> tuple[str, str, str] | None:
    for key, item in value.items():
        if type(key) is not str or not key.isascii():
            return (
                path,
                f"It has the key {key!a:.80}; keys are ASCII text.",
                "Rename the key; a label may hold any text.",
            )
        if fault := _fault(item, f"{path}.{key}" if path else key, depth - 1):
            return fault
    return None


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    return path if len(path) <= 80 else path[:77] + "..."
