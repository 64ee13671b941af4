"""A folder of CSV, Parquet and Excel files as a source: each file, and each sheet of a workbook, is a table.

The files are copied, typed and written once into a DuckDB file in the user's cache folder; what is asked is asked of
that file, read-only and without access to anything else, as `footnote.sources.duckdb` does it. So no statement ever
reaches the folder, and a snapshot is one state of all its files. Before each snapshot the folder is looked at; if a file
changed, the next state is made. A state is known by the digest of the bytes it was made of.

Nothing in a folder holds a table to a key. A key that a catalog declares is checked on each state before anything is
asked of it; where none is declared, the first column that names every row is the key, and else the row's number.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from footnote.errors import SourceChanged, SourceTimeout, SourceUnavailable, UsageError
from footnote.sources.cancellation import Cancellation
from footnote.sources.duckdb import DuckdbSnapshot, DuckdbSource, driver
from footnote.sources.facts import Fact
from footnote.sources.files_facts import facts_of
from footnote.sources.files_folder import Copy, Listing, copied, look
from footnote.sources.files_found import ROW, Found, Unread
from footnote.sources.files_keys import key_of, require_key
from footnote.sources.files_loading import FORMAT, found_in, is_ours, load
from footnote.sources.files_options import FileOptions
from footnote.sources.inventory import Listed
from footnote.sources.pool import LIMIT
from footnote.sources.privileges import Privileges, folder_privileges
from footnote.sources.query import ValueType
from footnote.sources.source import TableSchema

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """What a catalog says of a table: the columns that name a row, and what it reads columns as."""

    key: tuple[str, ...] = ()
    columns: Mapping[str, ValueType] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _State:
    """One state of the folder, in a DuckDB file."""

    digest: str
    listing: Listing
    path: Path
    source: DuckdbSource
    found: Found

    @property
    def is_kept(self) -> bool:
        """Whether its file is still there; a program that saw a later state of the folder may have removed it."""
        return self.path.exists()


class FilesSource:
    """A folder of files.

    Args:
        options: The folder, and what the URL says of its files.
        timeout: Seconds a statement may take.
        time_zone: The zone in which timestamps with a zone are given.
        limit: How many snapshots may be open at once.
        cache: Where states are kept; must not lie in the folder.
        declared: What a catalog says of the tables, by name in lower case.
    """

    dialect: Literal["duckdb"] = "duckdb"

    def __init__(
        self,
        options: FileOptions,
        *,
        timeout: float,
        time_zone: str = "UTC",
        limit: int = LIMIT,
        cache: Path,
        declared: Mapping[str, DeclaredTable] | None = None,
    ) -> None:
        self._options = options
        self._how = {"timeout": timeout, "time_zone": time_zone, "limit": limit}
        self._declared = {name.lower(): table for name, table in (declared or {}).items()}
        self._cache = cache.absolute() / "files"
        if self._cache.resolve().is_relative_to(options.folder.resolve()):
            raise UsageError(
                "The cache folder lies in the source's folder.",
                why="What is read from files is kept in the cache, and the source is never written.",
                remedy="Name another folder: FOOTNOTE_CACHE.",
            )
        self._lock = threading.Lock()
        self._state: _State | None = None
        self._closed = False
        self._shown: dict[str, TableSchema] = {}
        self.name = f"files://{options.folder}"

    @contextlib.contextmanager
    def snapshot(self, cancel: Cancellation | None = None) -> Iterator[DuckdbSnapshot]:
        """One state of the folder, held until the block ends; see `Source.snapshot`.

        Raises:
            SourceChanged: A table lost a column, or changed a type, since it was described; or a key is none any more.
        """
        with self._current().source.snapshot(cancel) as snapshot:
            yield snapshot

    def tables(self, names: Iterable[str]) -> dict[str, TableSchema]:
        """The schema of the named tables; see `Source.tables`.

        Raises:
            SourceChanged: A key that the catalog declares does not name one row.
        """
        state = self._current()
        described = self._described(state, names)
        self._shown |= described
        return described

    def listed(self) -> tuple[Listed, ...]:
        """Every table; see `Source.listed`."""
        return tuple(one for one in self._current().source.listed() if not is_ours(one.schema))

    def found(self) -> Found:
        """What was read from which file, and what was not."""
        state = self._current()
        return replace(state.found, unread=(*state.found.unread, *state.listing.others))

    def facts(self) -> tuple[Fact, ...]:
        """What was read from which file; see `Source.facts`."""
        return tuple(facts_of(self.found()))

    def indexes(self, names: Iterable[str]) -> None:
        """As of DuckDB; see `Source.indexes`."""

    def privileges(self) -> Privileges:
        """What the folder's permissions allow whoever runs Footnote; see `Source.privileges`."""
        return folder_privileges(self._options.folder)

    def close(self) -> None:
        """Close the state, once the snapshots that are open have ended."""
        with self._lock:
            self._closed = True
            if self._state is not None:
                self._state.source.close()

    # --- states -------------------------------------------------------------------------------------------------------

    def _current(self) -> _State:
        """The state of the folder as it is now."""
        with self._lock:
            if self._closed:
                raise SourceUnavailable("The source was closed.", why="Footnote is shutting down.")
            listing = look(self._options.folder)
            before = self._state
            if (
                before is None
                or not before.listing.settled
                or not before.is_kept
                or listing.files != before.listing.files
            ):
                after = self._made(listing)
                if before is not None and after.source is not before.source:
                    self._require_same(after)
                    before.source.close()
                self._state = after
            elif listing.others != before.listing.others:
                self._state = replace(before, listing=listing)
            assert self._state is not None  # noqa: S101 (for mypy)
            return self._state

    def _made(self, listing: Listing) -> _State:
        """The state made of the files as they are, or the one that was made of the same bytes before."""
        self._prepare_cache()
        for _ in range(_ATTEMPTS):
            staging = Path(tempfile.mkdtemp(prefix="reading-", dir=self._cache))
            try:
                copies = self._copied(listing, staging)
                again = look(self._options.folder)
                if again.files != listing.files:  # written while it was read
                    listing = again
                    continue
                return self._from_copies(listing, staging, copies)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
        raise SourceTimeout(
            f"The folder {str(self._options.folder)!r} changes faster than it can be read.",
            why=f"{_ATTEMPTS} times a file was written while it was read.",
            remedy="Ask again when whatever writes the files is done.",
        )

    def _from_copies(
        self, listing: Listing, staging: Path, copies: Mapping[str, Copy], *, again: bool = True
    ) -> _State:
        digest = self._digest({name: copy.digest for name, copy in copies.items()})
        if self._state is not None and self._state.digest == digest and self._state.is_kept:
            return replace(self._state, listing=listing)
        target = self._cache / f"{self._prefix}-{digest[:32]}.duckdb"
        if not target.exists():
            built = staging / "state.duckdb"
            kinds = {name: table.columns for name, table in self._declared.items()}
            unread = [Unread(name, copy.unread) for name, copy in copies.items() if copy.unread]
            read = {name: copy.path for name, copy in copies.items() if not copy.unread}
            try:
                load(read, unread, built, self._options, kinds)
                built.chmod(0o600)
                built.replace(target)
            except (OSError, driver().Error) as error:
                raise self._unwritable(error) from None
            self._forget_all_but(target)
        source = DuckdbSource(target, **self._how)  # type: ignore[arg-type]
        try:
            with source.snapshot() as snapshot:
                found = found_in(snapshot.raw)
        except (driver().Error, SourceUnavailable, ValueError):  # of another version, or damaged: it is only a cache
            source.close()
            if not again:
                raise
            target.unlink(missing_ok=True)
            return self._from_copies(listing, staging, copies, again=False)
        return _State(digest, listing, target, source, found)

    def _copied(self, listing: Listing, staging: Path) -> dict[str, Copy]:
        """Copies of all files, under names of our own."""
        copies: dict[str, Copy] = {}
        for place, name in enumerate(listing.files):
            target = staging / f"{place}{Path(name).suffix.lower()}"
            try:
                copies[name] = copied(self._options.folder, name, target)
            except OSError as error:
                raise self._unwritable(error) from None
        return copies

    def _digest(self, digests: Mapping[str, str]) -> str:
        parts = [f"{name}\0{digest}" for name, digest in sorted(digests.items())]
        return hashlib.sha256("\0\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def _prefix(self) -> str:
        """What the names of the states begin with: those of one folder, read in one way."""
        declared = repr(sorted((name, sorted(table.columns.items())) for name, table in self._declared.items()))
        parts = [FORMAT, driver().__version__, str(self._options.folder), self._options.said, declared]
        return hashlib.sha256("\0\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _forget_all_but(self, target: Path) -> None:
        for path in self._cache.glob(f"{self._prefix}-*.duckdb"):
            if path != target:
                with contextlib.suppress(OSError):  # one that another program has open stays on some systems
                    path.unlink()

    def _prepare_cache(self) -> None:
        try:
            self._cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: Exception) -> SourceUnavailable:
        return SourceUnavailable(
            f"What is read from files cannot be kept in {str(self._cache)!r}.",
            why=f"{error.strerror or error}." if isinstance(error, OSError) else "DuckDB could not write it.",
            remedy="Name a folder that can be written, on a disk with room (FOOTNOTE_CACHE).",
        )

    # --- schema -------------------------------------------------------------------------------------------------------

    def _described(self, state: _State, names: Iterable[str]) -> dict[str, TableSchema]:
        places = {table.name.lower(): table.place for table in state.found.tables}
        plain = {asked: schema for asked, schema in state.source.tables(names).items() if not is_ours(schema.schema)}
        described: dict[str, TableSchema] = {}
        with state.source.snapshot() as snapshot:
            for asked, schema in plain.items():
                place = places[schema.name.lower()]
                declared = self._declared.get(schema.name.lower(), DeclaredTable()).key
                key = require_key(snapshot.raw, schema, declared, place) or key_of(snapshot.raw, schema)
                unique = ((ROW,),) if key != (ROW,) else ()
                columns = tuple(replace(column, nullable=column.name not in {*key, ROW}) for column in schema.columns)
                described[asked] = TableSchema(
                    schema.schema, schema.name, columns, key, unique, is_view=False, place=place
                )
        return described

    def _require_same(self, state: _State) -> None:
        """What was described before is still so: plans were made of it."""
        try:
            now = self._described(state, list(self._shown))
            for name, before in self._shown.items():
                _require_same_table(name, before, now.get(name))
        except SourceChanged:
            state.source.close()
            raise


def _require_same_table(name: str, before: TableSchema, now: TableSchema | None) -> None:
    if now is None:
        raise _changed(before, f"there is no table {name!r} any more")
    kinds = {column.name: column.type.partition("(")[0] for column in now.columns}
    for column in before.columns:
        kind = column.type.partition("(")[0]
        if column.name not in kinds:
            raise _changed(before, f"the column {column.name!r} is not there any more")
        if kinds[column.name] != kind:
            raise _changed(before, f"the column {column.name!r} was {kind} and is {kinds[column.name]} now")


def _changed(before: TableSchema, what: str) -> SourceChanged:
    return SourceChanged(
        f"The file {before.place} changed: {what}.",
        why="Statements were made for the columns as they were.",
        remedy="Correct the file, or run `footnote check` and start Footnote again.",
    )
