"""Reading a catalog: file -> values with lines -> model -> checked.

What `load_catalog` returns has been proved: every key is known, every name it uses exists, every statement is one
harmless SELECT that means the same on every engine it declares. What fails, fails here, with file and line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from footnote.catalog.cache import CheckedCache
from footnote.catalog.document import MAX_BYTES, Document, read_document
from footnote.catalog.extend import extended
from footnote.catalog.model import Catalog
from footnote.catalog.packs import find_catalog, pack_names
from footnote.catalog.place import LineMap
from footnote.catalog.variables import Variables
from footnote.errors import CatalogError

__all__ = ["LoadedCatalog", "find_catalog", "load_catalog", "pack_names"]

_MOST_FILES = 5
"""Catalogs that may extend one another in a row."""


@dataclass(frozen=True, slots=True)
class LoadedCatalog:
    """A checked catalog.

    Attributes:
        catalog: The model.
        digest: `sha256:` and the hex digest of the exact bytes of the file; of a catalog that extends another: of the
            digests of all its files, its own first.
        file: The name that errors give.
        lines: Where each value stands in the file.
        fingerprint: Hex SHA-256 over the file and the environment's values in it, for caches of what was made from
            both; the values cannot be read from it.
    """

    catalog: Catalog
    digest: str
    file: str
    lines: LineMap
    fingerprint: str = ""


def load_catalog(
    path_or_text: Path | str,
    *,
    environ: Mapping[str, str],
    file_name: str = "",
    cache: CheckedCache | None = None,
) -> LoadedCatalog:
    """Read and check a catalog.

    Args:
        path_or_text: A `Path` to the file, or its text.
        environ: Where `${NAME}` is looked up.
        file_name: The name that errors give; default: the path, or `catalog`.
        cache: Remembers which files were found right, so that their SQL is not parsed again.

    Raises:
        CatalogError: The first mistake by line, and how many more there are. No value of the environment is in it.
    """
    file = file_name or (str(path_or_text) if isinstance(path_or_text, Path) else "catalog")
    variables = Variables(environ)
    try:
        document, digests = _read(path_or_text, file, variables)
        catalog = _validated(document.value, document.lines)
        fingerprint = hashlib.sha256(b"".join(digests) + variables.fingerprint()).hexdigest()
        if cache is None or not cache.holds(fingerprint, catalog.engines):
            _check(catalog, document.lines)
            if cache is not None:
                cache.add(fingerprint, catalog.engines)
    except CatalogError as error:
        raise _redacted(error, variables) from None
    digest = digests[0] if len(digests) == 1 else hashlib.sha256(b"".join(digests)).digest()
    return LoadedCatalog(catalog, f"sha256:{digest.hex()}", file, document.lines, fingerprint)


def _read(path_or_text: Path | str, file: str, variables: Variables, depth: int = 0) -> tuple[Document, list[bytes]]:
    """A document with those it extends, and the SHA-256 of each file, its own first."""
    data = _bytes(path_or_text, file)
    document, digests = read_document(_decoded(data, file), file, variables), [hashlib.sha256(data).digest()]
    if "extends" not in document.value:
        return document, digests
    name, line = document.value["extends"], document.lines.line("extends")
    if not isinstance(name, str) or not name:
        what = "`extends` names no catalog."
        raise CatalogError(what, file=file, line=line, remedy="Name one pack (`pack:sample`) or one file.")
    if depth == _MOST_FILES:
        what = f"More than {_MOST_FILES} catalogs extend one another."
        raise CatalogError(what, file=file, line=line, remedy="Extend a pack or one file; a circle leads nowhere.")
    try:
        path = find_catalog(name, beside=path_or_text if isinstance(path_or_text, Path) else None)
    except CatalogError as error:
        raise CatalogError(error.what, file=file, line=line, why=error.why, remedy=error.remedy) from None
    base, further = _read(path, str(path), variables, depth + 1)
    return extended(document, base), digests + further


def _bytes(path_or_text: Path | str, file: str) -> bytes:
    if isinstance(path_or_text, str):
        try:
            return path_or_text.encode("utf-8")
        except UnicodeEncodeError as error:
            line = path_or_text.count("\n", 0, error.start) + 1
            what = "The text holds half of a character (a lone surrogate)."
            raise CatalogError(what, file=file, line=line, remedy="Save the file as UTF-8 text.") from None
    try:
        with path_or_text.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else "the path is not one"
        what = f"The catalog cannot be read: {reason}."
        raise CatalogError(what, file=file, remedy="Give the path of a YAML file, or the name of a pack.") from None
    if len(data) > MAX_BYTES:
        raise CatalogError(f"The file is larger than {MAX_BYTES} bytes.", file=file, remedy="Split the catalog.")
    return data


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = "The file is not UTF-8 text."
        raise CatalogError(what, file=file, line=line, remedy="Save it as UTF-8.") from None


def _validated(value: dict[str, object], lines: LineMap) -> Catalog:
    try:
        return Catalog.model_validate(value)
    except ValidationError as error:
        from footnote.catalog.mistakes import mistakes

        raise _first(mistakes(error, value, lines)) from None


def _check(catalog: Catalog, lines: LineMap) -> None:
    from footnote.catalog.check import problems_in

    if problems := problems_in(catalog, lines):
        raise _first(problems)


def _first(errors: Sequence[CatalogError]) -> CatalogError:
    first = min(errors, key=lambda error: error.line)
    others = len(errors) - 1
    if not others:
        return first
    more = f"({others} more {'mistakes' if others > 1 else 'mistake'} in this file.)"
    return _rebuilt(first, remedy=f"{first.remedy} {more}".strip())


def _redacted(error: CatalogError, variables: Variables) -> CatalogError:
    what, why, remedy = (variables.redact(text) for text in (_without_place(error), error.why, error.remedy))
    if name := variables.leaked_by(f"{what} {why} {remedy}"):
        what, why = f"The value of the environment variable {name} cannot stand here.", ""
        remedy = "Check the variable against the catalog."
        return type(error)(what, file=error.file, line=error.line, remedy=remedy)
    return _rebuilt(error, what=what, why=why, remedy=remedy)


def _rebuilt(error: CatalogError, *, what: str = "", why: str = "", remedy: str = "") -> CatalogError:
    return type(error)(
        what or _without_place(error),
        file=error.file,
        line=error.line,
        why=why or error.why,
        remedy=remedy or error.remedy,
    )


def _without_place(error: CatalogError) -> str:
    for place in (f"{error.file}:{error.line}: ", f"{error.file}: "):
        if error.file and error.what.startswith(place):
            return error.what.removeprefix(place)
    return error.what
