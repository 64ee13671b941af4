"""A text as a reader sees it: without what is invisible, in plain digits and letters, with a way back to positions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_MARKUP = "*_`~\\"
_MARKUP_IN_WORD = re.compile(r"(?<=[^\W_])[*_`~\\]+(?=[^\W_])")

# Decimal digits of Unicode 15 to 17, which the character database of an older Python does not know yet.
_LATER_ZEROS = (0x11F50, 0x1E4F0, 0x10D40, 0x16130, 0x16D70, 0x1E5F1, 0x11BF0, 0x116D0, 0x116DA, 0x1CCF0, 0x11DE0)

# Numbers without a numeric value in Unicode: keycap ten, hundred points, dice, clocks, CJK two, pair, half, times.
_PICTURES = {0x1F51F, 0x1F4AF, *range(0x2680, 0x2686), *range(0x1F550, 0x1F568), *map(ord, "两兩双雙半倍")}

_FILLERS = {0x115F, 0x1160, 0x2065, 0x3164, 0xFFA0, *range(0xFFF0, 0xFFF9)}

_LOOKALIKES = (
    dict(zip("аеорсухіјѕһԁԛԝкмтнАВЕКМНОРСТУХІЈЅ", "aeopcyxijshdqwkmtnABEKMHOPCTYXIJS", strict=True))
    | dict(zip("ναειοκρτυχωγη", "vaeiokptuxwyn", strict=True))
    | dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True))
    | dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
    | dict(zip("łŁøØđĐıօոսյ", "lLoOdDionuj", strict=True))
    | dict(zip("ƑƗƁƇƉƊĦƘƝƟƤŦƬƲƳƵ", "FIBCDDHKNOPTTVYZ", strict=True))
    | dict(
        zip("ƒꞙɑɡɩɨʋѵƀɓƈɗɇғҽɠǥɦħƙɱɲŋɵөƥɍɾʂƭʈŧʉѡɏƴƶʐӏհց℮ⱱ", "ffagiivvbbcdefegghhkmnnooprrstttuwyyzzlhgev", strict=True)
    )
    | {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
    | {chr(base + n): chr(65 + n) for base in (0x1F150, 0x1F170) for n in range(26)}
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text in two cases of equal length, and the position of each of its characters in the text given."""

    cased: str
    lower: str
    places: list[int] | None

    def start(self, position: int) -> int:
        """Where the folded character at `position` stands in the text given."""
        return position if self.places is None else self.places[position]

    def end(self, position: int) -> int:
        """Where what ends before the folded `position` ends in the text given."""
        return position if self.places is None else self.places[position - 1] + 1


def fold(text: str) -> Iterator[Folded]:
    """The text folded; and, where something invisible or markup stands in it, once with that kept as a space.

    Both readings count: a zero-width space may hide inside a number or be all that keeps two words apart.
    """
    if text.isascii() and not _CONTROLS.search(text):
        yield Folded(text, text.lower(), None)
    else:
        yield _folded(text, " ", drop_markup=False)
    if _MARKUP_IN_WORD.search(text) or any(not _seen(char) and not _is_mark(char) for char in set(text)):
        yield _folded(text, "", drop_markup=True)


_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f]")


def _folded(text: str, instead: str, drop_markup: bool) -> Folded:
    as_seen = {char: _seen(char) or (instead if not _is_mark(char) else "") for char in set(text)}
    if drop_markup:
        as_seen |= dict.fromkeys(_MARKUP, "")
    joined = text.translate({ord(char): seen for char, seen in as_seen.items()})
    lower = joined.lower()
    if len(lower) != len(joined):
        lower = "".join(map(_lower, joined))
    if all(len(as_seen[char]) == 1 for char in set(text)):
        return Folded(joined, lower, None)
    return Folded(joined, lower, [place for place, char in enumerate(text) for _ in as_seen[char]])


@lru_cache(maxsize=16384)
def _seen(char: str) -> str:
    """What a reader sees of one character: Latin digits for any number, plain letters, nothing for the invisible."""
    if char.isspace():
        return char
    if char in _LOOKALIKES:
        return _LOOKALIKES[char]
    code = ord(char)
    if code in _PICTURES or any(zero <= code <= zero + 9 for zero in _LATER_ZEROS):
        return "0"
    if unicodedata.numeric(char, None) is not None:
        return str(unicodedata.digit(char, 0))
    category = unicodedata.category(char)
    if category in ("Cf", "Mn", "Me") or code in _FILLERS or (category == "Cc" and not char.isspace()):
        return ""
    parts = unicodedata.normalize("NFKD", char)
    return char if parts == char else "".join(_seen(part) for part in parts if part != char)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me")


def _lower(char: str) -> str:
    low = char.lower()
    return low if len(low) == 1 else char
