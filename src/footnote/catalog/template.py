"""Templates: text with slots. The grammar, and nothing about what a slot names.

    {name}  {name.part}            the value's display text
    {name:invoice|invoices}        the word that agrees with the value: one|other, or one|few|many|other (CLDR)
    {{  }}                         literal braces

Everything outside slots is literal text, so that digits in it can be told from figures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?\Z")
_PIECE = re.compile(r"\{\{|\}\}|\{|\}")
_PLURAL_COUNTS = (2, 4)


@dataclass(frozen=True, slots=True)
class Literal:
    """Text as it stands; `position` is its first code point in the template."""

    text: str
    position: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a value.

    Attributes:
        name: What it names: `figure`, `statement.column`, `parameter`, `entityParameter.field`.
        plural_forms: The words to choose from, empty for the value itself: (one, other) or (one, few, many, other).
        position: Of its opening brace, in code points.
    """

    name: str
    plural_forms: tuple[str, ...]
    position: int


class TemplateError(ValueError):
    """A text that is not a template; says why and what would work."""

    def __init__(self, what: str, remedy: str, position: int) -> None:
        self.what, self.remedy, self.position = what, remedy, position
        super().__init__(f"{what} {remedy}")


@lru_cache(maxsize=4096)  # pure, and the templates of a catalog are read on every call
def parse_template(text: str) -> tuple[Literal | Slot, ...]:
    """The template's parts in order; neighbouring literals are joined, empty ones left out.

    Raises:
        TemplateError: A brace without its partner, a slot without a name, a wrong number of plural forms.
    """
    parts: list[Literal | Slot] = []
    literal, literal_start, end = "", 0, 0
    while match := _PIECE.search(text, end):
        literal += text[end : match.start()]
        end = match.end()
        if match.group() in {"{{", "}}"}:
            literal += match.group()[0]
            continue
        if match.group() == "}":
            raise TemplateError("There is a `}` without its `{`.", "Write `}}` for the character.", match.start())
        if literal:
            parts.append(Literal(literal, literal_start))
        slot, end = _parse_slot(text, match.start())
        parts.append(slot)
        literal, literal_start = "", end
    literal += text[end:]
    if literal:
        parts.append(Literal(literal, literal_start))
    return tuple(parts)


def slots_in(text: str) -> tuple[Slot, ...]:
    """The slots of a template in order; raises `TemplateError` as `parse_template` does."""
    return tuple(part for part in parse_template(text) if isinstance(part, Slot))


def _parse_slot(text: str, start: int) -> tuple[Slot, int]:
    close = text.find("}", start)
    if close < 0:
        raise TemplateError("There is a `{` without its `}`.", "Write `{{` for the character.", start)
    name, colon, forms = text[start + 1 : close].partition(":")
    if not _NAME.match(name):
        what = f"`{{{_shortened(name)}}}` does not name a value."
        raise TemplateError(what, "Write `{name}` or `{name.part}`; write `{{` for the character `{`.", start)
    if not colon:
        return Slot(name, (), start), close + 1
    words = tuple(forms.split("|"))
    if len(words) not in _PLURAL_COUNTS or "{" in forms:
        what = f"`{{{name}:…}}` has {len(words)} plural form{'s' if len(words) > 1 else ''}."
        remedy = f"Write two, `{{{name}:invoice|invoices}}` (one, other), or four (one, few, many, other)."
        raise TemplateError(what, remedy, start)
    return Slot(name, words, start), close + 1


def _shortened(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[:most] + "…"
