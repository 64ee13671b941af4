"""Whatever a caller gave, as something a record can hold: exact values stay, the rest becomes text of limited length."""

from __future__ import annotations

from collections.abc import Mapping

from footnote.evidence import Json

_MOST_RECORDED = 4_000
"""Characters of a caller's text that a refusal keeps."""
_MOST_ITEMS = 200
_DEEPEST = 8
_MOST_BITS = 1_024


def recordable_text(value: object) -> str:
    """A caller's text as it can be recorded: cut to a length that no answer needs, lone surrogates replaced."""
    return str(value)[:_MOST_RECORDED].encode("utf-8", "replace").decode("utf-8")


def recordable(value: object, depth: int = 0) -> Json:
    """Whatever a caller gave, as JSON that can be recorded: exact values stay, the rest becomes text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:  # Python refuses to write out far longer ones
            return f"an integer of {value.bit_length()} bits"
        return value if abs(value) < 2**53 else str(value)
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {_key(key): recordable(item, depth + 1) for key, item in list(value.items())[:_MOST_ITEMS]}
    if isinstance(value, list | tuple):
        return [recordable(item, depth + 1) for item in value[:_MOST_ITEMS]]
    return recordable_text(value)


def _key(key: object) -> str:
    """A key of recorded JSON is ASCII."""
    return str(key)[:200].encode("ascii", "backslashreplace").decode("ascii")
