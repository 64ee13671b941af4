"""What the texts of a column are: decided from every value, exactly, or left as text and said. Pure.

A column is a number, a day, a moment or a boolean only if each of its values is one, all in one way of writing. `1.234` is
one thousand or one and a bit: a column in which every number with a mark could be either is settled by the other columns
of the file, or by the URL, or stays text. So does `3/4/2026`. Codes with zeros in front (`00123`) are texts.

How often each way of writing fits is counted by DuckDB (`COUNTS`, a list of SQL expressions over one column `$v` whose
values are trimmed, and NULL if nothing is left); what follows from the counts is here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from footnote.sources.query import ValueType

_MOST_DIGITS = 38
_NARROW = 18
_WHOLE = "(0|[1-9][0-9]*)"
_BLANKS = "[ \u00a0\u202f]"


def _number(group: str, mark: str) -> str:
    """A pattern of numbers with groups of three digits and a decimal mark; one kind of group in one number."""
    grouped = "|".join(f"({sign}[0-9]{{3}})+" for sign in (group, _BLANKS, "['’]"))
    return f"-?({_WHOLE}|[1-9][0-9]{{0,2}}({grouped}))({mark}[0-9]+)?"


def _matches(pattern: str) -> str:
    return f"COUNT(*) FILTER (regexp_full_match($v, '{pattern.replace(chr(39), chr(39) * 2)}'))"


def _parses(pattern: str, *formats: str) -> str:
    listed = ", ".join(f"'{one}'" for one in formats)
    return f"COUNT(*) FILTER (regexp_full_match($v, '{pattern}') AND try_strptime($v, [{listed}]) IS NOT NULL)"


def _casts(pattern: str, kind: str) -> str:
    return f"COUNT(*) FILTER (regexp_full_match($v, '{pattern}') AND TRY_CAST($v AS {kind}) IS NOT NULL)"


_CLOCK = "[0-9]{2}:[0-9]{2}(:[0-9]{2})?"
_ISO_MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
_SLASHED = "[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}"
_DASHED = "[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}"

COUNTS: Mapping[str, str] = {
    "values": "COUNT($v)",
    "whole": _matches(f"-?{_WHOLE}"),
    "point": _matches(_number(",", "[.]")),
    "comma": _matches(_number("[.]", ",")),
    "marked": "COUNT(*) FILTER (regexp_matches($v, '[.,]'))",
    "day": _casts("[0-9]{4}-[0-9]{2}-[0-9]{2}", "DATE"),
    "dotted": _parses(r"[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}", "%d.%m.%Y"),
    "slashed dmy": _parses(_SLASHED, "%d/%m/%Y"),
    "slashed mdy": _parses(_SLASHED, "%m/%d/%Y"),
    "dashed dmy": _parses(_DASHED, "%d-%m-%Y"),
    "dashed mdy": _parses(_DASHED, "%m-%d-%Y"),
    "moment": _casts(_ISO_MOMENT, "TIMESTAMP"),
    "zoned": _casts(_ISO_MOMENT + "(Z|[+-][0-9]{2}(:?[0-9]{2})?)", "TIMESTAMPTZ"),
    "dotted moment": _parses(r"[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4} " + _CLOCK, "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M"),
    "boolean": _matches("(?i)true|false"),
    # digits before and after the mark, for either mark: what width and scale an exact decimal needs
    "point whole": "MAX(length(regexp_replace(regexp_replace($v, '[.][0-9]*$', ''), '[^0-9]', '', 'g')))",
    "point scale": "MAX(length(regexp_extract($v, '[.]([0-9]+)$', 1)))",
    "comma whole": "MAX(length(regexp_replace(regexp_replace($v, ',[0-9]*$', ''), '[^0-9]', '', 'g')))",
    "comma scale": "MAX(length(regexp_extract($v, ',([0-9]+)$', 1)))",
}
"""SQL over one column, `$v`, by what it counts."""

_STRPTIME = {
    "dotted": ("DATE", "%d.%m.%Y"),
    "slashed dmy": ("DATE", "%d/%m/%Y"),
    "slashed mdy": ("DATE", "%m/%d/%Y"),
    "dashed dmy": ("DATE", "%d-%m-%Y"),
    "dashed mdy": ("DATE", "%m-%d-%Y"),
}
_KINDS = {
    "a number": ("point", "comma"),
    "a day": ("day", *_STRPTIME),
    "a moment": ("moment", "zoned", "dotted moment"),
    "true or false": ("boolean",),
}
EMPTY = {
    ValueType.INTEGER: "BIGINT",
    ValueType.DECIMAL: "DECIMAL(18,2)",
    ValueType.DATE: "DATE",
    ValueType.DATETIME: "TIMESTAMP",
    ValueType.BOOLEAN: "BOOLEAN",
}


@dataclass(frozen=True, slots=True)
class Decided:
    """What a column is read as.

    Attributes:
        type: DuckDB's word.
        cast: SQL that makes the value of `{v}`, the trimmed text; empty for the text itself.
        note: What an operator should know, as a sentence; empty if nothing.
    """

    type: str
    cast: str = ""
    note: str = ""


TEXT = Decided("VARCHAR")
EMPTY_CAST = "NULL"
EMPTY_COLUMN = Decided("VARCHAR", EMPTY_CAST, "It has no values.")


def mark_of(columns: Iterable[Mapping[str, int]]) -> str:
    """The decimal mark that some column of a file proves, if they do not prove both; otherwise empty."""
    proven = set()
    for counts in columns:
        if counts["values"] and counts["point"] != counts["comma"]:
            for name, mark in (("point", "."), ("comma", ",")):
                if counts[name] == counts["values"]:
                    proven.add(mark)
    return proven.pop() if len(proven) == 1 else ""


def decide(counts: Mapping[str, int], *, mark: str, is_said: bool, dates: str, declared: ValueType | None) -> Decided:
    """What a column is.

    Args:
        counts: Of each of `COUNTS`.
        mark: The decimal mark where the column itself does not say, or empty.
        is_said: Whether a human said so; else another column of the file shows it.
        dates: `dmy` or `mdy` where the column itself does not say, or empty.
        declared: What a catalog reads the column as; it settles only what is a text, and what an empty column is.
    """
    values = counts["values"]
    if not values:
        return as_declared(EMPTY_COLUMN, declared)
    if declared is ValueType.TEXT:
        return TEXT
    if counts["whole"] == values:
        return _whole(counts["point whole"])
    if values in (counts["point"], counts["comma"]):
        return _decimal(counts, mark, is_said=is_said)
    for name, (kind, written) in _STRPTIME.items():
        if counts[name] == values and not _is_ambiguous(name, counts):
            return Decided(kind, f"CAST(strptime({{v}}, '{written}') AS DATE)")
    return _dated(counts, dates) or Decided("VARCHAR", note=_mixed(counts))


def as_declared(decided: Decided, declared: ValueType | None) -> Decided:
    """What a catalog may settle of a column whose cells say what they are: that it is a text, or what an empty one is."""
    if declared is ValueType.TEXT:
        return TEXT
    if decided.cast == EMPTY_CAST and declared is not None:
        return Decided(EMPTY.get(declared, "VARCHAR"), EMPTY_CAST, decided.note)
    return decided


def _whole(digits: int) -> Decided:
    if digits <= _NARROW:
        return Decided("BIGINT", "CAST({v} AS BIGINT)")
    if digits <= _MOST_DIGITS:
        return Decided(f"DECIMAL({_MOST_DIGITS},0)", f"CAST({{v}} AS DECIMAL({_MOST_DIGITS},0))")
    return Decided("VARCHAR", note=f"Its numbers have up to {digits} digits, more than are computed with exactly.")


def _decimal(counts: Mapping[str, int], mark: str, *, is_said: bool) -> Decided:
    values = counts["values"]
    fits = [name for name in ("point", "comma") if counts[name] == values]
    is_open = len(fits) == 2 and counts["marked"] > 0
    if is_open:
        fits = [name for name in fits if mark == {"point": ".", "comma": ","}[name]]
    if not fits:
        return Decided(
            "VARCHAR",
            note="Its numbers may have a decimal mark or groups of thousands (1.234). It is left as text; say the mark in "
            "the URL, such as ?decimal=comma.",
        )
    name = fits[0]
    decided = decimal_of(counts[f"{name} whole"], counts[f"{name} scale"] or 0, _cleaned(name))
    if is_open and not is_said:
        note = (
            f"Its numbers could be read in two ways; the decimal mark is a {name}, as another column of the file shows."
        )
        return Decided(decided.type, decided.cast, note)
    return decided


def _cleaned(name: str) -> str:
    """SQL that makes a plain number of a text with this mark."""
    if name == "point":
        return "regexp_replace({v}, '[^0-9.-]', '', 'g')"
    return "replace(regexp_replace({v}, '[^0-9,-]', '', 'g'), ',', '.')"


def decimal_of(whole: int, scale: int, sql: str) -> Decided:
    """An exact number of so many digits before and after the mark, made of a plain text."""
    if whole + scale > _MOST_DIGITS:
        return Decided("VARCHAR", note=f"Its numbers have up to {whole + scale} digits; it is left as text.")
    if not scale and whole <= _NARROW:
        return Decided("BIGINT", f"CAST({sql} AS BIGINT)")
    kind = f"DECIMAL({_NARROW if whole + scale <= _NARROW else _MOST_DIGITS},{scale})"
    return Decided(kind, f"CAST({sql} AS {kind})")


def _is_ambiguous(name: str, counts: Mapping[str, int]) -> bool:
    """Whether days could as well be read with day and month the other way round."""
    kind, _, order = name.partition(" ")
    return bool(order) and counts[f"{kind} {'mdy' if order == 'dmy' else 'dmy'}"] == counts["values"]


def _dated(counts: Mapping[str, int], dates: str) -> Decided | None:
    values = counts["values"]
    for kind in ("slashed", "dashed"):
        if counts[f"{kind} dmy"] == counts[f"{kind} mdy"] == values:
            if dates:
                return Decided("DATE", f"CAST(strptime({{v}}, '{_STRPTIME[f'{kind} {dates}'][1]}') AS DATE)")
            note = "Its days may be written day first or month first (3/4/2026). It is left as text; say ?dates=dmy or mdy."
            return Decided("VARCHAR", note=note)
    if counts["day"] == values:
        return Decided("DATE", "CAST({v} AS DATE)")
    if counts["moment"] == values:
        return Decided("TIMESTAMP", "CAST({v} AS TIMESTAMP)")
    if counts["zoned"] == values:
        return Decided("TIMESTAMP WITH TIME ZONE", "CAST({v} AS TIMESTAMPTZ)")
    if counts["dotted moment"] == values:
        return Decided("TIMESTAMP", "strptime({v}, ['%d.%m.%Y %H:%M:%S', '%d.%m.%Y %H:%M'])")
    if counts["boolean"] == values:
        return Decided("BOOLEAN", "lower({v}) = 'true'")
    return None


def _mixed(counts: Mapping[str, int]) -> str:
    """What a column of texts holds beside texts, if that is most of it."""
    values = counts["values"]
    often = {kind: max(counts[name] for name in names) for kind, names in _KINDS.items()}
    kind, count = max(often.items(), key=lambda item: item[1])
    if 2 * count < values:
        return ""
    return f"Of {values:,} values {count:,} are {kind}, and the rest is not: it is left as text."
