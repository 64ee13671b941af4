"""A cell as the sheet shows it: value and number format become the text that a person reads. Pure."""

from __future__ import annotations

import datetime as dt
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

_QUOTED = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]|_.|\*.')
_DIGITS = re.compile(r"[#0?][#0?,.]*")


def shown(value: Any, format: str) -> str:
    """The text of a cell; dates as ISO 8601, since a format's order of day and month depends on the reader's system."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ", "minutes")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dt.time):
        return value.isoformat("minutes")
    if isinstance(value, int | float):
        return _number(Decimal(repr(value)), format)
    return " ".join(str(value).split())


def _number(value: Decimal, format: str) -> str:
    if not value.is_finite():
        return str(value)
    if format in ("General", "@", "") or not re.search(r"[#0?]", _QUOTED.sub("", format)):
        return f"{value.normalize():f}" if value else "0"
    sections = format.split(";")
    negative = value < 0
    section = sections[1] if negative and len(sections) > 1 and re.search(r"[#0?]", sections[1]) else sections[0]
    signed = "-" if negative and section is sections[0] else ""
    literal = _QUOTED.sub(lambda m: m[1] or m[2] or (m[3] or "").strip(), section)
    digits = _DIGITS.search(_QUOTED.sub(lambda m: "\0" * len(m[1] or m[2] or (m[3] or "").strip()), section))
    if digits is None or "E+" in section.upper() or "/" in literal:
        return f"{value.normalize():f}" if value else "0"
    scaled = abs(value) * (100 if "%" in literal else 1)
    text = _grouped(scaled, digits[0])
    return f"{signed}{literal[: digits.start()]}{text}{literal[digits.end() :]}".strip()


def _grouped(value: Decimal, pattern: str) -> str:
    whole, _, fraction = pattern.partition(".")
    thousands = len(whole) - len(whole.rstrip(","))
    value /= Decimal(1000) ** thousands
    places = len(fraction.replace(",", ""))
    rounded = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    text = f"{rounded:,.{places}f}" if "," in whole.rstrip(",") else f"{rounded:.{places}f}"
    needed = fraction.count("0")
    if places > needed:
        head, _, tail = text.partition(".")
        tail = tail[:needed] + tail[needed:].rstrip("0")
        text = f"{head}.{tail}" if tail else head
    return text
