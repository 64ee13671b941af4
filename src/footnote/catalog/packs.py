"""Where catalogs are found: packs that ship, packs that other packages bring, and files.

A package brings packs by the entry point group `footnote.packs`: the name of the pack, and the importable folder that has
its `catalog.yaml`. It cannot take the name of one that ships.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path

from footnote.catalog.suggest import did_you_mean
from footnote.errors import CatalogError

GROUP = "footnote.packs"
"""The entry point group."""
FILE = "catalog.yaml"


def find_catalog(name_or_path: str, *, beside: Path | None = None) -> Path:
    """The file of a catalog: `sample` or `pack:sample` is a pack, everything else a path.

    Args:
        name_or_path: Which one.
        beside: A file in whose folder a relative path starts; default: the working folder.

    Raises:
        CatalogError: There is neither; with the packs there are.
    """
    name = name_or_path.removeprefix("pack:")
    if (found := _shipped().get(name)) is not None:
        return found
    path = (beside.parent if beside else Path()) / name_or_path
    if name == name_or_path and ("\0" not in name) and path.is_file():
        return path
    if (found := _brought(name)) is not None:
        return found
    what = f"There is no catalog `{name_or_path[:200]}`."
    why = "It is a folder." if name == name_or_path and "\0" not in name and path.is_dir() else ""
    remedy = f"Give the path of a YAML file, or a pack. {did_you_mean(name, pack_names())}".strip()
    raise CatalogError(what, why=why, remedy=remedy)


def pack_names() -> tuple[str, ...]:
    """All packs, in alphabetical order: those that ship with Footnote and those that other packages bring."""
    return tuple(sorted({*_shipped(), *(entry.name for entry in entry_points(group=GROUP))}))


def _shipped() -> dict[str, Path]:
    folder = Path(str(files("footnote.packs")))
    found = folder.iterdir() if folder.is_dir() else iter(())
    return {pack.name: pack / FILE for pack in found if (pack / FILE).is_file()}


def _brought(name: str) -> Path | None:
    entries = entry_points(group=GROUP, name=name)
    return _file_of(next(iter(entries))) if entries else None


def _file_of(entry: EntryPoint) -> Path:
    try:
        path = Path(str(files(entry.value))) / FILE
        if path.is_file():
            return path
        why = f"The folder {entry.value} has no {FILE}."
    except (ImportError, TypeError) as error:
        why = f"{entry.value} cannot be imported: {type(error).__name__}."
    raise CatalogError(
        f"The pack `{entry.name}` cannot be read.", why=why, remedy="Repair or remove the package that brings it."
    )
