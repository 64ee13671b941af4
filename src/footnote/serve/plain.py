"""Values as they may go out on a JSON wire: no lone surrogates, no integer that a reader would round."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

LARGEST_EXACT = 2**53 - 1
"""Largest integer that every JSON reader keeps exact; beyond it numbers go as text."""


_LONG_NUMBER = re.compile(r"(?:^|[:,\[])-?[0-9]{16}")
"""As many digits as the shortest integer that a reader may round; inside of a text they are harmless."""


def plain(value: Any) -> Any:
    """`value` as JSON values that survive the wire; the very same if it is such already.

    What is no JSON value (a Decimal, a date) goes as its text. Floats do not come here: what is shown was recorded, and
    the log takes none.
    """
    return value if _is_plain(value) else _made_plain(value)


def _is_plain(value: Any) -> bool:
    """Whether nothing needs to be done, told by the C encoder in a tenth of the time; a false alarm costs nothing."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode("utf-8")
    except (TypeError, ValueError):  # no JSON value, or (UnicodeEncodeError) half of a surrogate pair
        return False
    return not _LONG_NUMBER.search(text)


def _made_plain(value: Any) -> Any:
    if isinstance(value, str):
        return plain_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -LARGEST_EXACT <= value <= LARGEST_EXACT else str(value)
    if isinstance(value, Mapping):
        return {plain_text(str(key)): _made_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_made_plain(item) for item in value]
    return plain_text(str(value))


def plain_text(text: str) -> str:
    """`text` with U+FFFD for every lone surrogate, so that it has the same length in UTF-16 code units."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def one_line(text: str) -> str:
    """`text` on one line, without characters that drive a terminal or turn round what stands beside them.

    A label in the data may hold anything; a line of ours must stay one, and a figure beside it must read as it is.
    """
    if text.isprintable():
        return text
    return "".join(
        " " if c in _BREAKS else "\ufffd" if c in _TURNS or unicodedata.category(c) == "Cc" else c
        for c in plain_text(text)
    )


_BREAKS = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
"""What breaks a line, in Unicode or in `str.splitlines`."""

_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""What sets the direction of the text that follows."""


def has_lone_surrogate(value: Any) -> bool:
    """Whether any text in `value`, keys included, holds half of a surrogate pair."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            if plain_text(item) != item:
                return True
        elif isinstance(item, Mapping):
            pending += item.keys()
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
    return False
