"""SQL as text: what is refused before it is parsed, placeholders, and optional segments `[[ … ]]`.

A parser and an engine may disagree about odd characters, escapes and comments. So the text of a statement is plain:
strings without backslashes or prefixes, comments that hide nothing, no invisible characters, no brackets. What is left
has one reading in every dialect, and what is run is generated from the tree, never taken from this text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from footnote.catalog.place import Place
from footnote.errors import StatementRefused

MAX_LENGTH = 20_000

_TOKEN = re.compile(
    r"""(?P<string>'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`)
    | (?P<comment>--[^\n]*|/\*.*?\*/)
    | (?P<open>\[\[) | (?P<close>\]\])
    | (?P<cast>::)
    | (?P<placeholder>:[A-Za-z_][A-Za-z0-9_]*)
    | (?P<word>[^\W]+)
    | (?P<plain>[\s(),.*+\-/%<>=!|:;]+?)
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_UNCLOSED = {"'": "A string", '"': "A quoted name", "`": "A quoted name", "/": "A comment"}
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ADVICE = {
    "[": 'Quote a name as "name"; write `[[AND … :x]]` around a part that is left out when x is absent.',
    "$": "Write :name for a parameter, 'text' for a string, \"name\" around a name with a dollar sign.",
    "@": "Write :name for a parameter.",
    "?": "Write :name for a parameter.",
    "#": "Write a comment as `-- …`.",
    "{": "A statement has no templates; write :name for a parameter.",
    ";": "Put the second statement into a statement of its own under `statements`.",
    "\\": "Write a quote inside a string as '' and use no backslash; engines read it differently.",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of SQL text: its kind (a group of the pattern above), text and position."""

    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a statement.

    Attributes:
        text: The SQL, without the brackets of an optional segment.
        optional: Whether it is left out when a placeholder in it is absent.
        placeholders: The names after `:` in it.
        line: The line of the statement it starts in, from 1.
    """

    text: str
    optional: bool
    placeholders: frozenset[str]
    line: int


def split_optional(sql: str, where: Place = Place("", 0)) -> tuple[Segment, ...]:  # noqa: B008 - Place is frozen
    """The statement in segments. Brackets inside strings, quoted names and comments are left alone.

    Raises:
        StatementRefused: A bracket without its partner, a segment in a segment, a segment without a placeholder.
    """
    segments: list[Segment] = []
    start, inside = 0, False
    names: set[str] = set()
    for token in tokens(sql):
        if token.kind == "placeholder":
            names.add(token.text[1:])
        if token.kind not in {"open", "close"}:
            continue
        opens = token.kind == "open"
        if opens == inside:
            what = "An optional segment `[[` stands in another." if opens else "There is a `]]` without its `[[`."
            raise refusal(where.at(line_of(sql, token.start)), what, "Write `[[AND … :x]]`, one beside the other.")
        if inside and not names:
            what = "An optional segment `[[ … ]]` has no placeholder, so nothing decides whether it is left out."
            raise refusal(where.at(line_of(sql, start)), what, "Name a parameter in it, `:x`, or remove the brackets.")
        segments.append(Segment(sql[start : token.start], inside, frozenset(names), line_of(sql, start)))
        start, inside, names = token.start + 2, opens, set()
    if inside:
        raise refusal(where.at(line_of(sql, start)), "There is a `[[` without its `]]`.", "Write `[[AND … :x]]`.")
    segments.append(Segment(sql[start:], False, frozenset(names), line_of(sql, start)))
    return tuple(segment for segment in segments if segment.text or segment.optional)


def render(sql: str, present: frozenset[str]) -> str:
    """The statement for a call that gives exactly the placeholders `present`.

    An optional segment stays only if every placeholder in it is present; the lines of the text stay where they are.

    Raises:
        StatementRefused: As `split_optional`.
    """
    return "".join(
        f" {segment.text} "
        if segment.optional and segment.placeholders <= present
        else " " + "\n" * segment.text.count("\n")
        if segment.optional
        else segment.text
        for segment in split_optional(sql)
    )


def placeholders_in(sql: str) -> frozenset[str]:
    """The names after `:` outside strings, quoted names and comments."""
    return frozenset(token.text[1:] for token in tokens(sql) if token.kind == "placeholder")


def tokens(sql: str) -> Iterator[Token]:
    """The text in pieces; their texts joined are the statement."""
    for match in _TOKEN.finditer(sql):
        yield Token(match.lastgroup or "", match.group(), match.start())


def line_of(sql: str, position: int) -> int:
    """The line of a position, from 1."""
    return sql.count("\n", 0, position) + 1


def refusal(where: Place, what: str, remedy: str = "", why: str = "") -> StatementRefused:
    """A refusal with its place."""
    return StatementRefused(what, file=where.file, line=where.line, why=why, remedy=remedy)


def refuse_odd_text(sql: str, where: Place) -> None:
    """Refuse text that a parser and an engine could read differently.

    Raises:
        StatementRefused: With the line of the character and what to write instead.
    """
    if len(sql) > MAX_LENGTH:
        raise refusal(where, f"A statement has {len(sql)} characters; at most {MAX_LENGTH} are read.", "Split it.")
    before = ""
    for token in tokens(sql):
        problem = _problem(sql, token, before)
        if problem:
            raise refusal(where.at(line_of(sql, token.start)), *problem)
        before = token.text


def _problem(sql: str, token: Token, before: str) -> tuple[str, str] | None:
    hidden = invisible_in(token.text)
    if hidden:
        return f"The statement holds the invisible character {hidden}.", "Remove it."
    if "\r" in token.text and _ends_alone(sql, token):
        return "The statement holds a carriage return without a line feed.", "End lines with a line feed."
    check = {
        "string": _string_problem,
        "quoted": _quoted_problem,
        "comment": _comment_problem,
        "word": _word_problem,
        "plain": _plain_problem,
        "open": _other_problem,
        "close": _other_problem,
        "other": _other_problem,
    }.get(token.kind)
    return check(sql, token, before) if check else None


def invisible_in(text: str) -> str:
    """The first character of a text that nobody sees, such as U+200B; empty if there is none."""
    for character in text:
        if unicodedata.category(character) in _HIDDEN and character not in "\t\n\r":
            return f"U+{ord(character):04X}"
    return ""


def _ends_alone(sql: str, token: Token) -> bool:
    """Whether a carriage return in the token has no line feed after it; the next token may begin with that."""
    return re.search(r"\r(?!\n)", sql[token.start : token.start + len(token.text) + 1]) is not None


def _string_problem(sql: str, token: Token, before: str) -> tuple[str, str] | None:
    if "\\" in token.text:
        return f"The string {_shown(token.text)} holds a backslash.", _ADVICE["\\"]
    if before and (before[-1].isalnum() or before[-1] in "_'\"`"):
        what = f"The string {_shown(token.text)} follows `{_shown(before)}` without a space."
        return what, "Write strings as 'text', without a prefix, and put a space before them."
    return None


def _quoted_problem(sql: str, token: Token, before: str) -> tuple[str, str] | None:
    if not token.text.isprintable() or "\\" in token.text or len(token.text) <= 2:
        return f"The quoted name {_shown(token.text)} is not one of printable characters.", "Write the name as it is."
    if before and (before[-1].isalnum() or before[-1] in "_'\"`&"):
        return f"The quoted name {_shown(token.text)} follows `{_shown(before)}` without a space.", "Put a space there."
    return None


def _comment_problem(sql: str, token: Token, before: str) -> tuple[str, str] | None:
    if token.text.startswith(("/*!", "/*+", "/*M!", "--+")):
        return "A comment that engines execute (`/*! … */`, `/*+ … */`) stands in the statement.", "Remove it."
    if token.text.startswith("/*") and "/*" in token.text[2:]:
        return "A comment stands inside a comment, where engines disagree about its end.", "Write `-- …`."
    if token.text.startswith("--") and len(token.text) > 2 and token.text[2] not in " \t\r":
        return "After `--` there is no space; some engines read that as two minus signs.", "Write `-- …`."
    return None


def _word_problem(sql: str, token: Token, before: str) -> tuple[str, str] | None:
    for character in token.text:
        odd = not character.isascii() and not character.isalpha()
        if odd or unicodedata.normalize("NFKC", character) != character:
            what = f"The statement holds the character U+{ord(character):04X} outside quotes."
            return what, 'Quote a name that has it ("name"), or write the plain character.'
    return None


def _plain_problem(sql: str, token: Token, before: str) -> tuple[str, str] | None:
    if token.text == ";" and sql[token.start + 1 :].strip(" \t\r\n"):
        return "A second statement follows after `;`.", _ADVICE[";"]
    if not token.text.isascii() or token.text in "\x0b\x0c":
        what = f"The statement holds the character U+{ord(token.text):04X} outside quotes."
        return what, "Write a plain space."
    return None


def _other_problem(sql: str, token: Token, before: str) -> tuple[str, str] | None:
    character = token.text[0]
    if unclosed := _UNCLOSED.get(character):
        return f"{unclosed} is not closed.", "Close it; write a quote inside a string as ''."
    advice = _ADVICE.get(
        {"]": "[", "}": "{"}.get(character, character), "Write it without, or quote a name that has it."
    )
    shown = character if character.isascii() else f"U+{ord(character):04X}"
    return f"The character `{shown}` stands outside strings and quoted names.", advice


def _shown(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[:most] + "…"
