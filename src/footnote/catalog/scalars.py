"""Plain YAML scalars, read the one way that every reader of YAML agrees on; the rest is refused.

YAML 1.1 reads `no` as false, `010` as 8 and `1:30` as 90; YAML 1.2 does not. An author cannot see which one a program
follows, so what they read differently must be in quotes.
"""

from __future__ import annotations

import re
from decimal import Decimal

from footnote.catalog.place import Place
from footnote.errors import CatalogError

Scalar = str | int | bool | Decimal | None

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})\Z")
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})\.[0-9]{1,18}\Z")
_TRUTH_WORDS = frozenset({"yes", "no", "on", "off", "y", "n"})
_ODD_TRUTH = frozenset({"True", "TRUE", "False", "FALSE"})
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_NUMBER_SOMEWHERE = re.compile(
    r"""[-+]?(?:
      [0-9][0-9_]*                                            # integers, with leading zeros and _ (1.1: octal)
    | 0 [xob] [0-9A-F_]+                                      # in another base (1.1 and 1.2)
    | [0-9][0-9_]* (?: : [0-5]?[0-9] )+ (?: \. [0-9_]* )?     # in base 60 (1.1)
    | (?: [0-9][0-9_]* (?: \. [0-9_]* )? | \. [0-9_]+ ) (?: E [-+]? [0-9]+ )?
    | \. (?: inf | nan )
    )\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""What YAML 1.1 or 1.2, or both, take for a number."""


def plain_value(text: str, place: Place, *, key: bool = False) -> Scalar:
    """The value of a scalar without quotes. Dates, times and everything that is not a number stay text.

    Args:
        text: The scalar as it stands in the file.
        place: Where it stands.
        key: True for a key of a mapping; numbers are then returned, for the caller to refuse.

    Raises:
        CatalogError: YAML 1.1 and 1.2 read it differently, or it is a number in an odd notation.
    """
    if text in _NULLS:
        return None
    if text in {"true", "false"}:
        return text == "true"
    if text.casefold() in _TRUTH_WORDS or text in _ODD_TRUTH:
        meant = "true" if text.casefold() in {"yes", "on", "y", "true"} else "false"
        remedy = f'Put it in quotes: "{text}".' if key else f'Write {meant}, or "{text}" in quotes if it is text.'
        raise _refusal(text, place, "some readers of YAML take it for true or false, others for text", remedy)
    if _INTEGER.match(text):
        return int(text)
    if _DECIMAL.match(text):
        return Decimal(text)
    if _NUMBER_SOMEWHERE.match(text):
        remedy = f'Write a number in decimal digits without leading zeros, or "{text}" in quotes if it is text.'
        raise _refusal(text, place, "readers of YAML do not agree which number it is", remedy)
    return text


def is_plain_text(text: str) -> bool:
    """Whether a text may stand without quotes: every reader of YAML takes it for the text that it is."""
    try:
        return isinstance(plain_value(text, Place("", 0)), str)
    except CatalogError:
        return False


def substituted_value(text: str) -> Scalar:
    """The value of a scalar without quotes after `${…}` was replaced: a number or true/false if it is plainly one."""
    if _INTEGER.match(text):
        return int(text)
    return text == "true" if text in {"true", "false"} else text


def _refusal(text: str, place: Place, reason: str, remedy: str) -> CatalogError:
    return CatalogError(f"`{text}` is ambiguous: {reason}.", file=place.file, line=place.line, remedy=remedy)
