"""`${NAME}` and `${NAME:default}` in a catalog: replaced from the environment, and kept out of every message.

An empty variable counts as unset, because an empty line in an environment file means just that. `$${` is a literal
`${`. What the environment supplied may be a secret: `redact` replaces it by its name in whatever text leaves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from footnote.catalog.place import Place
from footnote.errors import CatalogError

_REFERENCE = re.compile(r"\$\$\{|\$\{([^{}]*)(\}?)")
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::(.*))?\Z", re.DOTALL)
_SHORTEST_SECRET = 4
"""A shorter value would blot out letters of ordinary words, and is no secret."""


_RECOGNISABLE = 9
"""Characters of a value in a row that give it away; one more than `postgres`, which messages name."""


class Variables:
    """The environment as one catalog sees it, and what it took from it."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._used: dict[str, str] = {}

    def replace(self, text: str, place: Place) -> str:
        """`text` with every reference replaced.

        Raises:
            CatalogError: A variable is not set and has no default, or `${…}` is not a reference; with file and line.
        """
        parts: list[str] = []
        end = 0
        for match in _REFERENCE.finditer(text):
            parts.append(text[end : match.start()])
            end = match.end()
            here = place.at(text.count("\n", 0, match.start()) + 1)
            parts.append("${" if match.group() == "$${" else self._value(match, here))
        return "".join([*parts, text[end:]])

    def _value(self, match: re.Match[str], place: Place) -> str:
        reference = _NAME.match(match.group(1)) if match.group(2) else None
        if reference is None:
            what = "After `${` there is no reference to a variable of the environment."
            remedy = "Write `${NAME}` or `${NAME:default}`; write `$${` for the characters `${`."
            raise CatalogError(what, file=place.file, line=place.line, remedy=remedy)
        name, default = reference.group(1), reference.group(2)
        if value := self._environ.get(name, ""):
            self._used[name] = value
            return value
        if default is None:
            what = f"The environment variable {name} is not set."
            remedy = f"Set it, or give a default: `${{{name}:default}}`; write `$${{` for the characters `${{`."
            raise CatalogError(what, file=place.file, line=place.line, remedy=remedy)
        return default

    def leaked_by(self, text: str) -> str:
        """The name of a variable of whose value a recognisable part stands in `text`, or empty text.

        For messages that shorten or fold what they quote, so that `redact` does not find it.
        """
        folded = text.casefold()
        for name, value in self._used.items():
            secret = value.casefold()
            pieces = (secret[i : i + _RECOGNISABLE] for i in range(max(len(secret) - _RECOGNISABLE + 1, 0)))
            if any(piece in folded for piece in pieces):
                return name
        return ""

    def redact(self, text: str) -> str:
        """`text` without any value that came from the environment; `${NAME}` stands in its place."""
        for name, value in sorted(self._used.items(), key=lambda item: -len(item[1])):
            if len(value) >= _SHORTEST_SECRET:
                text = text.replace(value, f"${{{name}}}")
        return text

    def fingerprint(self) -> bytes:
        """A SHA-256 over names and values used, so that a changed environment is noticed; no value can be read."""
        digest = hashlib.sha256()
        for name, value in sorted(self._used.items()):
            for part in (name, value):
                data = part.encode("utf-8", "surrogateescape")
                digest.update(len(data).to_bytes(8, "big") + data)
        return digest.digest()
