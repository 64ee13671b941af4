"""Opens a session: settings, catalog, source, in that order; the embedded sample where nothing else is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from footnote.access import Actor
from footnote.catalog.cache import CheckedCache
from footnote.catalog.load import LoadedCatalog, find_catalog, load_catalog
from footnote.errors import SourceUnavailable, UsageError
from footnote.provenance.postgres_connect import SCHEME, PostgresPlace, require_separate_database
from footnote.session import Session
from footnote.settings import SAMPLE, Settings, read_settings
from footnote.sources.files_options import options_of
from footnote.sources.opening import open_source
from footnote.sources.source import Source

if TYPE_CHECKING:
    from footnote.catalog.model import Catalog
    from footnote.sources.files import DeclaredTable


def open_session(
    catalog: str | None = None,
    *,
    database_url: str | None = None,
    provenance_db: str | os.PathLike[str] | None = None,
    actor: Actor | None = None,
    environ: Mapping[str, str] | None = None,
) -> Session:
    """A session on a catalog; what is not given comes from the environment. Source and log open when first needed.

    Args:
        catalog: A pack's name (`sample`) or the path of a catalog file; default: `FOOTNOTE_CATALOG`, else `sample`.
        database_url: The source; default: `DATABASE_URL`, else the catalog's own.
        provenance_db: File of the log, or URL of its PostgreSQL database; default: `PROVENANCE_DB`, else a file in the
            user's data folder.
        actor: Whoever asks; default: `PROVENANCE_ACTOR` and `PROVENANCE_ROLE`.
        environ: The environment; default: the process's own.

    Raises:
        CatalogError: The catalog cannot be used.
        UsageError: A setting cannot be used.
    """
    settings = read_settings(
        os.environ if environ is None else environ,
        catalog=catalog,
        database_url=database_url,
        provenance_db=provenance_db,
        actor=actor,
    )
    _require_outside(settings.environ.get("DATABASE_URL", ""), settings)
    path = find_catalog(settings.catalog)
    loaded = load_catalog(path, environ=settings.environ, cache=CheckedCache(settings.cache))
    _require_outside(loaded.catalog.source.url, settings)
    return Session(settings, loaded, lambda: _source(settings, loaded))


def _source(settings: Settings, loaded: LoadedCatalog) -> Source:
    spec = loaded.catalog.source
    url = spec.url
    if url == SAMPLE:
        url = f"sqlite:///{embedded_sample(settings.cache)}"
    _require_separate_log(url, settings.provenance_db)
    if settings.seed and spec.url != SAMPLE:
        seed(loaded, url)
    source = open_source(
        url,
        timeout=spec.timeout_seconds,
        time_zone=spec.time_zone,
        cache=settings.cache,
        declared=declared_tables(loaded.catalog) if _folder(url) else None,
    )
    if source.dialect not in loaded.catalog.engines:
        source.close()
        raise UsageError(
            f"The source is {source.dialect}, and the catalog declares {', '.join(loaded.catalog.engines)}.",
            why="A catalog gives the same figures only on the engines it declares.",
            remedy="Add the engine to `source.engines` once its figures are checked, or use another source.",
        )
    return source


def declared_tables(catalog: Catalog) -> dict[str, DeclaredTable]:
    """What record types say of their tables, by the table's name: for files, which say nothing of keys and texts."""
    from footnote.plans.columns import value_type
    from footnote.sources.files import DeclaredTable

    found: dict[str, DeclaredTable] = {}
    for record in catalog.records.values():
        columns = {
            (spec.column or name).lower(): value_type(spec) for name, spec in record.fields.items() if not spec.sql
        }
        found.setdefault(record.table.lower().removeprefix("main."), DeclaredTable(tuple(record.key), columns))
    return found


def embedded_sample(cache: Path) -> Path:
    """The sample company as a SQLite file in the cache folder, made when it is missing or of another version."""
    from footnote.connect.seed import seed_sqlite

    path = cache / f"sample-{version('footnote-provenance')}.db"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SourceUnavailable(
            f"The sample cannot be made in the folder {cache}.",
            why=f"{error.strerror or error}.",
            remedy="Name a folder that can be written (FOOTNOTE_CACHE).",
        ) from error
    seed_sqlite(path)
    return path


def seed(loaded: LoadedCatalog, url: str) -> None:
    """Load the sample into the source, because `FOOTNOTE_SEED=1` says so.

    Raises:
        UsageError: The catalog is not the sample's, or the database holds tables that are not ours.
    """
    from footnote.connect import seed as loads
    from footnote.connect import seed_others

    if _folder(url):
        raise UsageError("FOOTNOTE_SEED loads the sample company into a database, not into files.", remedy="Unset it.")
    if loaded.catalog.catalog != SAMPLE:
        raise UsageError("FOOTNOTE_SEED loads the sample company, and this is another catalog.", remedy="Unset it.")
    scheme = url.partition("://")[0].partition("+")[0].lower() if "://" in url else ""
    path = _file_path(url)
    if scheme in {"mysql", "mariadb"}:
        seed_others.seed_mysql(url)
    elif path is None:
        loads.seed_postgres(url)
    elif scheme == "duckdb":
        seed_others.seed_duckdb(path)
    else:
        loads.seed_sqlite(path)


def _require_outside(url: str, settings: Settings) -> None:
    """Nothing of ours lies in a folder that is a source; looked at before anything is opened, and so written."""
    folder = _folder(url)
    log = settings.provenance_db
    for name, path in (("PROVENANCE_DB", log), ("FOOTNOTE_CACHE", settings.cache)):
        if folder is not None and isinstance(path, Path) and path.resolve().is_relative_to(folder.resolve()):
            raise UsageError(
                f"{name} lies in the folder that DATABASE_URL names.",
                why="The source is never written, and what lies there is.",
                remedy="Name another folder for it.",
            )


def _require_separate_log(url: str, log: Path | PostgresPlace) -> None:
    if isinstance(log, PostgresPlace):
        if SCHEME.match(url):
            require_separate_database(url, log)
        return
    path = _file_path(url)
    if path is not None and (
        path.resolve() == log.resolve() or (path.exists() and log.exists() and path.samefile(log))
    ):
        raise UsageError(
            "PROVENANCE_DB and DATABASE_URL name the same file.",
            why="The source is never written, and the log is nothing but written.",
            remedy="Give the log a file of its own.",
        )


def _file_path(url: str) -> Path | None:
    """The file of a SQLite or DuckDB URL or bare path; None for a server."""
    scheme, found, rest = url.partition(":///")
    if found and scheme.lower() in {"sqlite", "duckdb"}:
        return Path(unquote(rest.split("?")[0]))
    return None if "://" in url else Path(url)


def _folder(url: str) -> Path | None:
    """The folder of a URL of files; None for any other."""
    scheme, found, rest = url.partition("://")
    return options_of(rest).folder if found and scheme.lower() == "files" else None
