"""All plans of one catalog on one source: compiled when first asked for, and kept on disk.

The key is a digest of catalog, schema, engine and versions, so that a stale plan is never used; each file begins with
the digest of the rest, so that a damaged one is not used either. A cache that cannot be read or written is no error,
because it is only a cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import RootModel, ValidationError

from footnote.catalog.load import LoadedCatalog
from footnote.errors import UnknownOperation
from footnote.plans.shape import EntityPlan, RecordPlan, StatementPlan
from footnote.sources.source import Source, TableSchema

if TYPE_CHECKING:
    from footnote.plans.columns import Columns

FORMAT = "4"
"""Raised when the shape of plans changes in a way their fields do not show."""

Plan = TypeVar("Plan", StatementPlan, RecordPlan, EntityPlan)

_MADE_BY = ("catalog", "lineage", "plans", "sources")
"""The rooms whose code decides what a plan says."""


@dataclass
class _Kept:
    """What one file of the cache holds."""

    statements: dict[str, StatementPlan] = field(default_factory=dict)
    records: dict[str, RecordPlan] = field(default_factory=dict)
    entities: dict[str, EntityPlan] = field(default_factory=dict)


_File = RootModel[_Kept]
_Names = RootModel[tuple[str, ...]]


class Plans:
    """Plans of one catalog on one source. Thread-safe."""

    def __init__(self, loaded: LoadedCatalog, source: Source, folder: Path | None) -> None:
        self._loaded = loaded
        self._source = source
        self._folder = folder
        self._lock = threading.Lock()
        self._schema: Mapping[str, TableSchema] | None = None
        self._kept = _Kept()

    def prepare(self) -> None:
        """Read the source's schema, if that was not done yet.

        Callers do so before they open a snapshot: reading it takes a connection of its own, and callers that each hold
        one and wait for another would wait for each other.

        Raises:
            SourceUnavailable, SourceTimeout: As `Source.tables`.
        """
        with self._lock:
            self._loaded_schema()

    def statement(self, operation: str, statement: str, present: frozenset[str]) -> StatementPlan:
        """The plan of a statement, with the optional segments of absent parameters dropped.

        Args:
            operation: The operation's name.
            statement: The statement's.
            present: Names of the parameters that have a value.

        Raises:
            UnknownOperation: If the catalog has no such operation.
            CatalogError, SourceChanged: As `compile_statement`.
        """
        if operation not in self._loaded.catalog.operations:
            raise UnknownOperation(f"There is no operation {operation!r}.")

        def compile_it() -> StatementPlan:
            from footnote.plans.compile import Address, compile_statement

            return compile_statement(Address(self._loaded, operation, statement), present, self._columns())

        key = f"{operation}.{statement}({','.join(sorted(present))})"
        return self._plan(lambda kept: kept.statements, key, compile_it)

    def record(self, record: str) -> RecordPlan:
        """How rows of a record type are fetched."""

        def compile_it() -> RecordPlan:
            from footnote.plans.records import record_plan

            return record_plan(self._loaded, record, self._columns())

        return self._plan(lambda kept: kept.records, record, compile_it)

    def entity(self, entity: str) -> EntityPlan:
        """How an entity argument is resolved."""

        def compile_it() -> EntityPlan:
            from footnote.plans.records import entity_plan

            return entity_plan(self._loaded, entity, self._columns())

        return self._plan(lambda kept: kept.entities, entity, compile_it)

    def _plan(self, of: Callable[[_Kept], dict[str, Plan]], key: str, compile_it: Callable[[], Plan]) -> Plan:
        with self._lock:
            schema = self._loaded_schema()
            found = of(self._kept).get(key)
            if found is None:
                found = of(self._kept)[key] = compile_it()
                self._save(schema)
            return found

    def columns(self) -> Columns:
        """The source's tables as plans see them.

        Raises:
            SourceUnavailable, SourceTimeout: As `Source.tables`.
        """
        with self._lock:
            return self._columns()

    def _columns(self) -> Columns:
        from footnote.plans.columns import Columns

        return Columns.of(self._loaded.catalog, self._source.dialect, self._loaded_schema())

    # --- on disk ------------------------------------------------------------------------------------------------------

    def _loaded_schema(self) -> Mapping[str, TableSchema]:
        if self._schema is None:
            schema = self._source.tables(self._table_names())
            path = self._path(schema)
            data = _read(path) if path is not None else b""
            with contextlib.suppress(ValidationError):
                self._kept = _File.model_validate_json(data).root
            self._schema = schema
        return self._schema

    def _table_names(self) -> tuple[str, ...]:
        """The tables the catalog names; parsing for them is avoided where a plan of this catalog was ever kept."""
        path = self._names_path()
        if path is not None:
            with contextlib.suppress(ValidationError):
                return _Names.model_validate_json(_read(path)).root
        from footnote.plans.compile import tables_of

        names = tables_of(self._loaded, self._source.dialect)
        if path is not None:
            _write(path, _Names(names).model_dump_json().encode())
        return names

    def _save(self, schema: Mapping[str, TableSchema]) -> None:
        path = self._path(schema)
        if path is not None:
            _write(path, _File(self._kept).model_dump_json().encode())

    def _names_path(self) -> Path | None:
        return self._folder / f"tables-{_hash(*self._versions())}.json" if self._folder else None

    def _path(self, schema: Mapping[str, TableSchema]) -> Path | None:
        shown = repr(sorted(schema.items()))
        return self._folder / f"plans-{_hash(*self._versions(), shown)}.json" if self._folder else None

    def _versions(self) -> tuple[str, ...]:
        packages = (version("footnote-provenance"), version("sqlglot"), version("pydantic"))
        catalog = (self._loaded.digest, self._loaded.fingerprint)
        return (FORMAT, *packages, _code(), *catalog, self._source.dialect)


@lru_cache(maxsize=1)
def _code() -> str:
    """What tells one state of our own code from another, also between two versions of the package."""
    root = Path(__file__).parent.parent
    found = [entry for room in _MADE_BY for entry in os.scandir(root / room) if entry.name.endswith(".py")]
    stats = sorted((entry.path, entry.stat()) for entry in found)
    return _hash(*(f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _read(path: Path) -> bytes:
    """What was written; nothing if there is no file, or it is not as it was written."""
    with contextlib.suppress(OSError):
        digest, _, data = path.read_bytes().partition(b"\n")
        if digest == _digest(data):
            return data
    return b""


def _write(path: Path, data: bytes) -> None:
    """Write a cache file whole or not at all."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        with os.fdopen(handle, "wb") as file:
            file.write(_digest(data) + b"\n" + data)
        Path(temporary).replace(path)
