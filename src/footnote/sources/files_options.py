"""`files:///folder?encoding=cp1250&decimal=,`: where the files are, and what only a human knows about them."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, unquote

from footnote.errors import UsageError

DELIMITERS = (",", ";", "\t", "|")
_BY_NAME = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "point": ".", "dot": "."}


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What a URL says about the files of a folder; what it does not say is read off each file, or the file says it.

    Attributes:
        folder: Where they are, absolute.
        encoding: Of texts that are not UTF-8 and have no byte order mark; empty if none was said.
        delimiter: Of columns; empty if it is read off each file.
        decimal: The decimal mark; empty if it is read off each column.
        dates: Whether `3/4/2026` is the third of April (`dmy`) or the fourth of March (`mdy`).
    """

    folder: Path
    encoding: str = ""
    delimiter: str = ""
    decimal: Literal["", ".", ","] = ""
    dates: Literal["", "dmy", "mdy"] = ""

    @property
    def said(self) -> str:
        """The options that were given, as one text."""
        return "\0".join((self.encoding, self.delimiter, self.decimal, self.dates))


def options_of(rest: str) -> FileOptions:
    """What stands after `files://` in a URL.

    Raises:
        UsageError: It names no folder, or an option cannot be used.
    """
    location, _, query = rest.partition("?")
    if not location.startswith("/") or location == "/":
        raise UsageError(
            "The files URL names no folder.",
            remedy="Write files:///absolute/path, or files:///./relative for a path from the current folder.",
        )
    path = unquote(location)
    folder = Path(path[1:] if path.startswith(("/./", "/../")) else path).absolute()
    given = dict(parse_qsl(query, keep_blank_values=True))
    unknown = set(given) - {"encoding", "delimiter", "decimal", "dates"}
    if unknown:
        raise UsageError(
            f"A files URL has no option {min(unknown)[:40]!r}.",
            remedy="There are: encoding, delimiter, decimal, dates.",
        )
    delimiter, decimal, dates = (given.get(name, "") for name in ("delimiter", "decimal", "dates"))
    delimiter, decimal = (_BY_NAME.get(text.lower(), text) for text in (delimiter, decimal))
    if delimiter not in ("", *DELIMITERS):
        raise _unusable("delimiter", delimiter, "comma, semicolon, tab or pipe")
    if decimal not in ("", ".", ","):
        raise _unusable("decimal", decimal, "point or comma")
    if dates not in ("", "dmy", "mdy"):
        raise _unusable("dates", dates, "dmy or mdy")
    return FileOptions(folder, _encoding(given.get("encoding", "")), delimiter, decimal, dates)  # type: ignore[arg-type]


def _encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name if name else ""
    except LookupError:
        raise _unusable("encoding", name, "a name such as cp1250, cp1252 or iso8859-2") from None


def _unusable(option: str, value: str, works: str) -> UsageError:
    return UsageError(f"The option {option} of the files URL is {value[:40]!r}.", remedy=f"Use {works}.")
