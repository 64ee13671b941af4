"""All plans of one catalog on one source: compiled when first asked for, and kept on disk.

The key is a digest of catalog, schema, engine and versions, so that a stale plan is never used; a cache that cannot be
read or written is no error, because it is only a cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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

FORMAT = "1"
"""Raised when the shape of plans changes in a way their fields do not show."""

Plan = TypeVar("Plan", StatementPlan, RecordPlan, EntityPlan)


@dataclass
class _Kept:
    """What one file of the cache holds."""

    tables: tuple[str, ...] = ()
    statements: dict[str, StatementPlan] = field(default_factory=dict)
    records: dict[str, RecordPlan] = field(default_factory=dict)
    entities: dict[str, EntityPlan] = field(default_factory=dict)


_File = RootModel[_Kept]


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
            self._load()

    def statement(self, operation: str, statement: str, present: frozenset[str]) -> StatementPlan:
        """The plan of a statement, with the optional segments of absent parameters dropped.

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
            self._load()
            found = of(self._kept).get(key)
            if found is None:
                found = of(self._kept)[key] = compile_it()
                self._save()
            return found

    def _columns(self) -> Columns:
        from footnote.plans.columns import Columns

        assert self._schema is not None
        return Columns.of(self._loaded.catalog, self._source.dialect, self._schema)

    # --- on disk ------------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        if self._schema is not None:
            return
        names = self._table_names()
        self._schema = self._source.tables(names)
        path = self._path()
        if path is not None:
            with contextlib.suppress(OSError, ValidationError):
                self._kept = _File.model_validate_json(path.read_bytes()).root
        self._kept.tables = names

    def _table_names(self) -> tuple[str, ...]:
        """The tables the catalog names; parsing for them is avoided where a plan of this catalog was ever kept."""
        path = self._names_path()
        if path is not None:
            with contextlib.suppress(OSError, UnicodeDecodeError):
                return tuple(path.read_text("utf-8").splitlines())
        from footnote.plans.compile import tables_of

        names = tables_of(self._loaded, self._source.dialect)
        if path is not None:
            _write(path, "\n".join(names).encode())
        return names

    def _save(self) -> None:
        path = self._path()
        if path is not None:
            _write(path, _File(self._kept).model_dump_json().encode())

    def _names_path(self) -> Path | None:
        return self._folder / f"tables-{_hash(*self._versions())}.txt" if self._folder else None

    def _path(self) -> Path | None:
        schema = repr(sorted((self._schema or {}).items()))
        return self._folder / f"plans-{_hash(*self._versions(), schema)}.json" if self._folder else None

    def _versions(self) -> tuple[str, ...]:
        packages = (version("footnote-provenance"), version("sqlglot"), version("pydantic"))
        return (FORMAT, *packages, self._loaded.digest, self._source.dialect)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _write(path: Path, data: bytes) -> None:
    """Write a cache file whole or not at all."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
